// Calls libFuzzer's target with every file of a folder, once: a main program for compilers that have no libFuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerInitialize(int *, char ***);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int main(int count, char **arguments) {
    LLVMFuzzerInitialize(&count, &arguments);
    size_t inputs = 0;
    for (const auto &entry : std::filesystem::directory_iterator(arguments[1])) {
        std::ifstream file(entry.path(), std::ios::binary);
        std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
        fprintf(stderr, "%s\n", entry.path().c_str()); // the last one named is the one that failed
        LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
        inputs++;
    }
    printf("%zu\n", inputs);
}
