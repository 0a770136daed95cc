// A small model of DuckDB's C extension API: enough to register the extension's functions and to call them on vectors
// whose every buffer has exactly the size it was asked for, so that a sanitizer sees each byte read or written beside it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace model {

enum Id { BOOLEAN = 1, TINYINT, SMALLINT, INTEGER, BIGINT, FLOAT = 10, DOUBLE, TIMESTAMP, DATE, INTERVAL = 15, HUGEINT, VARCHAR,
          BLOB, DECIMAL, LIST = 24, STRUCT, MAP, TIMESTAMP_TZ = 31, ANY = 34 };

struct Type {
    int id = 0, width = 0, scale = 0;
    std::vector<Type> children;
    std::vector<std::string> names;

    int internal() const { return id != DECIMAL ? id : width <= 4 ? SMALLINT : width <= 9 ? INTEGER : width <= 18 ? BIGINT : HUGEINT; }
    size_t bytes() const {
        switch (internal()) {
        case BOOLEAN: case TINYINT: return 1;
        case SMALLINT: return 2;
        case INTEGER: case FLOAT: case DATE: return 4;
        case STRUCT: return 0;
        case INTERVAL: case HUGEINT: case VARCHAR: case BLOB: case LIST: case MAP: return 16;
        default: return 8;
        }
    }
};

struct String {
    uint32_t length;
    char prefix[4];
    const char *pointer;
    const char *bytes() const { return length <= 12 ? prefix : pointer; }
};
struct Entry { uint64_t offset, length; };

constexpr size_t MOST_BYTES = size_t(1) << 20; // of one buffer; past it DuckDB throws, and so does this

// A block of exactly so many bytes.
struct Block {
    std::unique_ptr<char[]> bytes;
    size_t size = 0;
    void grow(size_t wanted) {
        if (wanted > MOST_BYTES)
            throw std::bad_alloc();
        std::unique_ptr<char[]> larger(new char[wanted ? wanted : 1]);
        memset(larger.get(), 0, wanted);
        if (size)
            memcpy(larger.get(), bytes.get(), size < wanted ? size : wanted);
        bytes = std::move(larger);
        size = wanted;
    }
};

struct Vector {
    Type type;
    size_t capacity = 0, list_size = 0;
    Block data, mask;
    bool masked = false;
    std::vector<std::unique_ptr<Vector>> children;
    std::vector<Block> texts;

    Vector(const Type &of, size_t rows) : type(of), capacity(rows) {
        data.grow(type.bytes() * rows);
        size_t inside = type.id == STRUCT ? rows : 0;
        if (type.id == MAP) { // a list of structs
            Type pair;
            pair.id = STRUCT;
            pair.children = type.children;
            pair.names = {"key", "value"};
            children.emplace_back(new Vector(pair, 0));
        } else
            for (const Type &child : type.children)
                children.emplace_back(new Vector(child, inside));
    }
    void reserve(size_t rows) {
        if (rows <= capacity)
            return;
        data.grow(type.bytes() * rows);
        if (masked)
            grow_mask(rows);
        capacity = rows;
        if (type.id == STRUCT)
            for (auto &child : children)
                child->reserve(rows);
    }
    void grow_mask(size_t rows) {
        size_t before = mask.size;
        mask.grow((rows + 63) / 64 * 8);
        memset(mask.bytes.get() + before, 0xFF, mask.size - before);
        masked = true;
    }
    uint64_t *validity() { return masked ? reinterpret_cast<uint64_t *>(mask.bytes.get()) : nullptr; }
    bool valid(size_t row) { return !masked || (validity()[row / 64] >> (row % 64) & 1); }
    void set_null(size_t row) {
        if (!masked)
            grow_mask(capacity);
        validity()[row / 64] &= ~(uint64_t(1) << (row % 64));
    }
    template <class T> T *as() { return reinterpret_cast<T *>(data.bytes.get()); }
    void set_text(size_t row, const char *bytes, size_t length) {
        String made = {};
        made.length = uint32_t(length);
        if (length <= 12)
            memcpy(reinterpret_cast<char *>(&made) + 4, bytes, length);
        else {
            texts.emplace_back();
            texts.back().grow(length);
            memcpy(texts.back().bytes.get(), bytes, length);
            memcpy(made.prefix, bytes, 4);
            made.pointer = texts.back().bytes.get();
        }
        as<String>()[row] = made;
    }
};

struct Chunk {
    std::vector<std::unique_ptr<Vector>> columns;
    size_t rows = 0;
};

struct Info { // of one call
    void *extra = nullptr, *cancellation = nullptr;
    bool failed = false;
    std::string message;
};

using scalar_callback = void (*)(Info *, Chunk *, Vector *);
struct Function { // scalar or aggregate
    std::string name;
    std::vector<Type> parameters;
    Type result;
    void *extra = nullptr;
    scalar_callback run = nullptr;
    size_t (*state_size)(Info *) = nullptr;
    void (*state_init)(Info *, void *) = nullptr;
    void (*update)(Info *, Chunk *, void **) = nullptr;
    void (*combine)(Info *, void **, void **, size_t) = nullptr;
    void (*finalize)(Info *, void **, Vector *, size_t, size_t) = nullptr;
    void (*destroy)(void **, size_t) = nullptr;
};

extern std::vector<Function> registered;
bool is_utf8(const char *bytes, size_t length);
const void *api(void *info, const char *version);

} // namespace model
