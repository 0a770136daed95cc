// libFuzzer's target: bytes become a call of one native function of a family ($FUZZ_FAMILY) with arguments of its types.
//
// A call may answer or fail. It may not read or write beside its buffers, meet undefined behaviour, take more than seconds
// (a flag cancels it after one), or answer with bytes that are no UTF-8 or with lists that lie outside their elements.
#include "duckdb_model.hpp"
#include "families.h"
#include <chrono>
#include <exception>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>

using namespace model;

// The input, byte for byte; zeros behind its end.
struct Input {
    const uint8_t *at, *end;
    size_t left() const { return size_t(end - at); }
    uint8_t byte() { return at < end ? *at++ : 0; }
    uint64_t word(int bytes) {
        uint64_t made = 0;
        for (int i = 0; i < bytes; i++)
            made |= uint64_t(byte()) << (8 * i);
        return made;
    }
    // Up to 239 bytes by their count, or all the rest.
    std::string bytes() {
        size_t length = byte();
        length = length >= 240 || length > left() ? left() : length;
        std::string made(reinterpret_cast<const char *>(at), length);
        at += length;
        return made;
    }
};

// One line of a table; several functions where its result is a DECIMAL of any type.
static std::vector<std::vector<Function *>> lines;

// DuckDB's VARCHARs are UTF-8: what is not becomes a question mark.
static std::string as_utf8(std::string text) {
    for (size_t i = 0; i < text.size();) {
        size_t length = 1;
        while (length <= 4 && i + length <= text.size() && !is_utf8(&text[i], length))
            length++;
        if (length > 4 || i + length > text.size()) {
            text[i] = '?';
            length = 1;
        }
        i += length;
    }
    return text;
}

static Type any_type(Input &input, int depth) {
    static const int plain[] = {BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, HUGEINT, FLOAT, DOUBLE, VARCHAR, BLOB, DATE, TIMESTAMP,
                                TIMESTAMP_TZ, INTERVAL, DECIMAL, DECIMAL};
    Type made;
    uint8_t chosen = input.byte();
    if (depth < 3 && chosen % 4 == 3) {
        made.id = chosen & 64 ? LIST : chosen & 32 ? STRUCT : chosen & 16 ? MAP : LIST;
        size_t children = made.id == LIST ? 1 : made.id == MAP ? 2 : 1 + chosen % 3;
        for (size_t i = 0; i < children; i++) {
            made.children.push_back(any_type(input, depth + 1));
            made.names.push_back(std::string(1, char('a' + i)));
        }
        return made;
    }
    made.id = plain[chosen % 16];
    if (made.id == DECIMAL) {
        made.width = 1 + input.byte() % 38;
        made.scale = input.byte() % (made.width + 1);
    }
    return made;
}

// Numbers at the edges are rare among random bytes: a byte chooses them.
static uint64_t number(Input &input, int bytes) {
    uint8_t kind = input.byte();
    if (kind < 160)
        return uint64_t(int64_t(kind) - 32);
    if (kind < 176)
        return uint64_t(1) << (8 * bytes - 1);
    if (kind < 192)
        return (uint64_t(1) << (8 * bytes - 1)) - 1;
    return input.word(bytes);
}

static double real(Input &input) {
    static const double edges[] = {0.0, -0.0, 1e308, 5e-324, 0.5, 1e16, -1e-7, 9007199254740993.0};
    uint8_t kind = input.byte();
    if (kind < 64)
        return edges[kind % 8];
    if (kind < 128)
        return int(input.byte()) / 4.0 - 20;
    uint64_t bits = input.word(8);
    double made;
    memcpy(&made, &bits, 8);
    return made;
}

static __int128 decimal(Input &input, int width) {
    __int128 most = 1, made = __int128(int64_t(number(input, 8)));
    for (int i = 0; i < width; i++)
        most *= 10;
    if (width > 18 && input.byte() & 1)
        made = made * 1000000000000000000LL + int64_t(input.word(8));
    return made % most;
}

static void fill(Vector &vector, size_t row, Input &input, int depth);

static void fill_list(Vector &vector, size_t row, Input &input, int depth) {
    Vector &child = *vector.children[0];
    size_t length = depth > 2 ? 0 : input.byte() % 8, offset = vector.list_size;
    child.reserve(offset + length);
    vector.list_size = offset + length;
    vector.as<Entry>()[row] = {offset, length};
    for (size_t i = 0; i < length; i++)
        fill(child, offset + i, input, depth + 1);
}

static void fill_decimal(Vector &vector, size_t row, Input &input) {
    __int128 value = decimal(input, vector.type.width);
    memcpy(vector.as<char>() + row * vector.type.bytes(), &value, vector.type.bytes());
}

static void fill_text(Vector &vector, size_t row, Input &input) {
    std::string bytes = input.bytes();
    if (vector.type.id == VARCHAR)
        bytes = as_utf8(bytes);
    vector.set_text(row, bytes.data(), bytes.size());
}

static void fill(Vector &vector, size_t row, Input &input, int depth) {
    size_t bytes = vector.type.bytes();
    if (depth && input.left() && input.byte() % 16 == 15) // nulls of arguments are chosen by their caller
        vector.set_null(row);
    switch (vector.type.id) {
    case LIST: case MAP: return fill_list(vector, row, input, depth);
    case STRUCT:
        for (auto &child : vector.children)
            fill(*child, row, input, depth + 1);
        return;
    case VARCHAR: case BLOB: return fill_text(vector, row, input);
    case DECIMAL: return fill_decimal(vector, row, input);
    case FLOAT: vector.as<float>()[row] = float(real(input)); return;
    case DOUBLE: vector.as<double>()[row] = real(input); return;
    case BOOLEAN: vector.as<uint8_t>()[row] = input.byte() & 1; return;
    default: break;
    }
    uint64_t low = number(input, bytes > 8 ? 8 : int(bytes)), high = bytes > 8 ? number(input, 8) : 0;
    memcpy(vector.as<char>() + row * bytes, &low, bytes > 8 ? 8 : bytes);
    if (bytes > 8)
        memcpy(vector.as<char>() + row * bytes + 8, &high, 8);
}

static void fill_chunk(Chunk &chunk, const Function &function, Input &input) {
    chunk.rows = 1 + input.byte() % 4;
    for (const Type &parameter : function.parameters)
        chunk.columns.emplace_back(new Vector(parameter.id == ANY ? any_type(input, 0) : parameter, chunk.rows));
    for (size_t row = 0; row < chunk.rows; row++) {
        uint8_t nulls = input.byte();
        for (size_t i = 0; i < chunk.columns.size(); i++) {
            if (nulls >> 4 == 15 && nulls >> i % 4 & 1)
                chunk.columns[i]->set_null(row);
            fill(*chunk.columns[i], row, input, 0);
        }
    }
}

static void report(const Function &function, const char *what) {
    fprintf(stderr, "%s answers %s\n", function.name.c_str(), what);
    abort();
}

static void check(const Function &function, Vector &vector, size_t row) {
    if (!vector.valid(row))
        return;
    if (vector.type.id == VARCHAR) {
        const String &text = vector.as<String>()[row];
        if (!is_utf8(text.bytes(), text.length))
            report(function, "with bytes that are no UTF-8");
    } else if (vector.type.id == STRUCT) {
        for (auto &child : vector.children)
            check(function, *child, row);
    } else if (vector.type.id == LIST) {
        Entry entry = vector.as<Entry>()[row];
        if (entry.offset + entry.length > vector.list_size || entry.offset + entry.length < entry.offset)
            report(function, "with a list outside its elements");
        for (uint64_t i = 0; i < entry.length; i++)
            check(function, *vector.children[0], entry.offset + i);
    }
}

static bool call_scalar(const Function &function, Info &info, Chunk &chunk) {
    Vector result(function.result, chunk.rows);
    function.run(&info, &chunk, &result);
    for (size_t row = 0; row < chunk.rows && !info.failed; row++)
        check(function, result, row);
    return !info.failed;
}

// Two states, rows in turn, one combined into the other.
static void call_aggregate(const Function &function, Info &info, Chunk &chunk) {
    std::vector<Block> states(2);
    std::vector<void *> of_rows, all;
    for (Block &state : states) {
        state.grow(function.state_size(&info));
        function.state_init(&info, state.bytes.get());
        all.push_back(state.bytes.get());
    }
    for (size_t row = 0; row < chunk.rows; row++)
        of_rows.push_back(all[row % 2]);
    function.update(&info, &chunk, of_rows.data());
    if (!info.failed)
        function.combine(&info, &all[1], &all[0], 1);
    Vector result(function.result, 2);
    if (!info.failed)
        function.finalize(&info, all.data(), &result, 2, 0);
    for (size_t row = 0; row < 2 && !info.failed; row++)
        check(function, result, row);
    if (function.destroy)
        function.destroy(all.data(), 2);
}

// Cancels a call that has run for some thousandths of a second: whatever does not end then is a loop that cannot be interrupted.
struct Watch {
    std::mutex held; // a flag is released while nobody sets it
    cancellation *watched = nullptr;
    uint64_t calls = 0;
    void run() {
        for (uint64_t seen = 0, last = 0;; last = seen) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            std::lock_guard<std::mutex> lock(held);
            seen = calls;
            if (seen == last)
                twinspark_cancel(watched);
        }
    }
    void begin(cancellation *flag) {
        std::lock_guard<std::mutex> lock(held);
        calls++;
        watched = flag;
    }
    void end() {
        std::lock_guard<std::mutex> lock(held);
        twinspark_release_cancellation(watched);
        watched = nullptr;
    }
};
static Watch watch;

static void call(const Function &function, Chunk &chunk) {
    Info info;
    info.extra = function.extra;
    cancellation *flag = twinspark_new_cancellation();
    info.cancellation = flag;
    watch.begin(flag);
    try {
        if (function.run)
            call_scalar(function, info, chunk);
        else
            call_aggregate(function, info, chunk);
    } catch (const std::exception &) { // as DuckDB throws through the extension: no memory, or a vector of another type
    }
    watch.end();
}

// The time zones, as twinspark.duck.native.load names them.
static void name_zones() {
    const char *zones = getenv("FUZZ_ZONES");
    for (Function &function : registered)
        if (zones && function.name == "spark_zoneinfo") {
            Chunk chunk;
            chunk.rows = 1;
            chunk.columns.emplace_back(new Vector(function.parameters[0], 1));
            chunk.columns[0]->set_text(0, zones, strlen(zones));
            Info info;
            info.extra = function.extra;
            call_scalar(function, info, chunk);
        }
}

static bool is_fuzzed(const Function &function, const char *family) {
    // These set facts of the whole process: where zones are, which Java it is.
    return is_in_family(family, function.extra) && function.name != "spark_zoneinfo" && function.name != "spark_java" && function.name != "spark_memory_limit";
}

static void check_that_all_have_a_family() {
    for (Function &function : registered) {
        bool found = false;
        for (unsigned i = 0; family_name(i); i++)
            found |= is_in_family(family_name(i), function.extra);
        if (!found) {
            fprintf(stderr, "%s is in no family of families.c\n", function.name.c_str());
            exit(1);
        }
    }
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
    const char *family = getenv("FUZZ_FAMILY");
    if (!family || !register_with(api)) {
        fprintf(stderr, "FUZZ_FAMILY names one of:");
        for (unsigned i = 0; family_name(i); i++)
            fprintf(stderr, " %s", family_name(i));
        fprintf(stderr, "\n");
        exit(1);
    }
    check_that_all_have_a_family();
    limit_memory(uint64_t(1) << 19); // filling more would be most of the time
    name_zones();
    std::map<const void *, size_t> place;
    for (Function &function : registered)
        if (is_fuzzed(function, family)) {
            auto found = place.emplace(line_of(function.extra), lines.size());
            if (found.second)
                lines.emplace_back();
            lines[found.first->second].push_back(&function);
        }
    fprintf(stderr, "%s: %zu functions\n", family, lines.size());
    std::thread([] { watch.run(); }).detach();
    return lines.empty() ? exit(1), 1 : 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Input input = {data, data + size};
    const std::vector<Function *> &chosen = lines[input.word(2) % lines.size()];
    const Function &function = *chosen[chosen.size() > 1 ? input.word(2) % chosen.size() : 0];
    Chunk chunk;
    fill_chunk(chunk, function, input);
    call(function, chunk);
    return 0;
}
