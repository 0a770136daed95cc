/* A bounds-checked reader of foreign bytes (sketches, variants): no size wraps around, nothing is read outside. */
#pragma once
#include "core/native.h"

/* Whether there are `length` bytes at `offset`; both may be any number. */
static inline bool within_image(text image, uint64_t offset, uint64_t length) {
    return offset <= image.length && length <= image.length - offset;
}
/* A slice of an image; empty if it is out of bounds. */
static inline text part_of(text image, uint64_t offset, uint64_t length) {
    return within_image(image, offset, length) ? (text){image.bytes + offset, (uint32_t)length} : (text){NULL, 0};
}

/* Reads from front to end. A read past the end returns zero and sets `failed`, which is never reset: it is enough to test it once,
 * before the values are used as sizes. Numbers are little-endian. */
typedef struct { const uint8_t *at, *end; bool failed; } byte_reader;

static inline byte_reader read_image(text image) {
    const uint8_t *at = (const uint8_t *)image.bytes;
    return (byte_reader){at, at + image.length, false};
}
static inline size_t bytes_left(const byte_reader *reader) { return (size_t)(reader->end - reader->at); }

/* NULL if fewer bytes are left. */
static inline const uint8_t *take_bytes(byte_reader *reader, uint64_t length) {
    if (reader->failed || length > bytes_left(reader)) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *from = reader->at;
    reader->at += length;
    return from;
}
static inline bool skip_bytes(byte_reader *reader, uint64_t length) { return take_bytes(reader, length) != NULL; }

/* Copies `count` items of `size` bytes; nothing where they are not all there. */
static inline bool take_items(byte_reader *reader, void *into, uint64_t count, uint64_t size) {
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = UINT64_MAX;
    const uint8_t *from = take_bytes(reader, bytes);
    if (from && bytes)
        memcpy(into, from, bytes);
    return from != NULL;
}
/* Whether `count` items of `size` bytes are left: to be checked before memory is allocated for them. */
static inline bool has_items(const byte_reader *reader, uint64_t count, uint64_t size) {
    return !reader->failed && (size == 0 || count <= bytes_left(reader) / size);
}

#define TAKE(name, type)                                                                                               \
    static inline type name(byte_reader *reader) {                                                                     \
        type value = 0;                                                                                                \
        take_items(reader, &value, 1, sizeof value);                                                                   \
        return value;                                                                                                  \
    }
TAKE(take_byte, uint8_t)
TAKE(take_short, uint16_t)
TAKE(take_int, uint32_t)
TAKE(take_long, uint64_t)
TAKE(take_float, float)
TAKE(take_double, double)
#undef TAKE

/* java.io.DataInput's order. */
static inline uint32_t take_big_int(byte_reader *reader) { return __builtin_bswap32(take_int(reader)); }
static inline uint64_t take_big_long(byte_reader *reader) { return __builtin_bswap64(take_long(reader)); }

/* The whole image was read, and no more than it. */
static inline bool read_all(const byte_reader *reader) { return !reader->failed && reader->at == reader->end; }
