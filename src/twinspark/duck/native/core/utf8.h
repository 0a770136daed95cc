/* Decodes and encodes UTF-8 character by character; DuckDB's VARCHARs are always valid. */
#pragma once
#include "core/native.h"
#include <stdlib.h>

static inline uint32_t character_bytes(unsigned char first) { return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4; }

static inline uint32_t character_at(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    if (b[0] < 0x80)
        return b[0];
    if (b[0] < 0xE0)
        return (b[0] & 31u) << 6 | (b[1] & 63u);
    if (b[0] < 0xF0)
        return (b[0] & 15u) << 12 | (b[1] & 63u) << 6 | (b[2] & 63u);
    return (b[0] & 7u) << 18 | (b[1] & 63u) << 12 | (b[2] & 63u) << 6 | (b[3] & 63u);
}

static inline uint32_t write_character(char *at, uint32_t c) {
    if (c < 0x80) {
        at[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        at[0] = (char)(0xC0 | c >> 6);
        at[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        at[0] = (char)(0xE0 | c >> 12);
        at[1] = (char)(0x80 | (c >> 6 & 63));
        at[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    at[0] = (char)(0xF0 | c >> 18);
    at[1] = (char)(0x80 | (c >> 12 & 63));
    at[2] = (char)(0x80 | (c >> 6 & 63));
    at[3] = (char)(0x80 | (c & 63));
    return 4;
}

static inline bool is_ascii(text value) {
    uint32_t i = 0;
    uint64_t word;
    for (; i + 8 <= value.length; i += 8) {
        memcpy(&word, value.bytes + i, 8);
        if (word & 0x8080808080808080ULL)
            return false;
    }
    for (; i < value.length; i++)
        if ((unsigned char)value.bytes[i] > 127)
            return false;
    return true;
}

/* Whether foreign bytes are valid UTF-8: no truncated characters, no overlong forms, no surrogates. */
static inline bool is_utf8(text value) {
    if (is_ascii(value))
        return true;
    for (uint32_t i = 0; i < value.length;) {
        unsigned char first = (unsigned char)value.bytes[i];
        uint32_t bytes = character_bytes(first);
        if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || bytes > value.length - i)
            return false;
        for (uint32_t k = 1; k < bytes; k++)
            if ((value.bytes[i + k] & 0xC0) != 0x80)
                return false;
        uint32_t c = character_at(value.bytes + i);
        if (bytes > 2 && (c < (bytes == 3 ? 0x800u : 0x10000u) || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)))
            return false;
        i += bytes;
    }
    return true;
}

static inline uint32_t count_characters(text value) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < value.length; i++)
        count += (value.bytes[i] & 0xC0) != 0x80;
    return count;
}

/* Scratch memory that grows and is kept for a whole call. */
typedef struct { char *bytes; size_t size; } scratch;
static inline char *room(scratch *memory, size_t size) {
    if (memory->size < size) {
        size_t wanted = size < 256 ? 256 : size < 1 << 20 ? 2 * size : size;
        memory->bytes = reallocate(memory->bytes, wanted, 1);
        memory->size = wanted;
    }
    return memory->bytes;
}
