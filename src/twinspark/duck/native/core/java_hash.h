/* java.lang.String.hashCode of a UTF-8 string, computed over UTF-16 units. */
#pragma once
#include <stdint.h>

/* The hash of a string to which a character is added. */
static inline uint32_t java_hash_with(uint32_t hash, uint32_t point) {
    if (point >= 0x10000) { /* two units */
        hash = hash * 31 + (0xd800 + ((point - 0x10000) >> 10));
        point = 0xdc00 + ((point - 0x10000) & 0x3ff);
    }
    return hash * 31 + point;
}

/* A truncated last character ends with the text: sketch images may come from other programs. */
static inline int32_t java_text_hash(const char *bytes, uint32_t length) {
    uint32_t hash = 0;
    for (uint32_t i = 0; i < length;) {
        uint8_t first = (uint8_t)bytes[i];
        int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        uint32_t point = more == 0 ? first : first & (0x3fu >> more);
        for (int j = 1; j <= more && (uint32_t)j < length - i; j++)
            point = point << 6 | ((uint8_t)bytes[i + (uint32_t)j] & 0x3f);
        i += (uint32_t)more + 1;
        hash = java_hash_with(hash, point);
    }
    return (int32_t)hash;
}
