/* The frequent items sketch: its hash table, its keys' hashes, and its image as bytes. */
#include "top_k.h"
#include <math.h>
#include <stdlib.h>

/* --- java.lang.Object.hashCode --- */

static int32_t text_hash(const char *bytes, uint32_t length) {
    uint32_t hash = 0;
    for (uint32_t i = 0; i < length;) {
        uint8_t first = (uint8_t)bytes[i];
        int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        uint32_t point = more == 0 ? first : first & (0x3fu >> more);
        for (int j = 1; j <= more; j++)
            point = point << 6 | ((uint8_t)bytes[i + (uint32_t)j] & 0x3f);
        i += (uint32_t)more + 1;
        if (point >= 0x10000) { /* two units of UTF-16 */
            hash = hash * 31 + (0xd800 + ((point - 0x10000) >> 10));
            point = 0xdc00 + ((point - 0x10000) & 0x3ff);
        }
        hash = hash * 31 + point;
    }
    return (int32_t)hash;
}

static int32_t java_hash(char kind, const counted *item) {
    switch (kind) {
    case 'b': return item->bits ? 1231 : 1237;
    case 'v': return text_hash(item->bytes, item->length);
    case 'l': case 'd': case 'T': case 'Z': return (int32_t)(item->bits ^ (int64_t)((uint64_t)item->bits >> 32));
    default: return (int32_t)item->bits;
    }
}

static uint64_t spread_hash(int32_t hash) {
    uint64_t key = (uint64_t)(int64_t)hash;
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdULL;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return key ^ key >> 33;
}

uint32_t top_k_home(const top_k *sketch, const counted *item) {
    return (uint32_t)spread_hash(java_hash(sketch->kind, item)) & ((1u << sketch->lg_size) - 1);
}

/* --- the table --- */

static bool same(char kind, const counted *a, const counted *b) {
    return has_bytes(kind) ? a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0 : a->bits == b->bits;
}

static counted *place_of(const top_k *sketch, const counted *item) {
    uint32_t mask = (1u << sketch->lg_size) - 1, at = top_k_home(sketch, item);
    while (sketch->places[at].count && !same(sketch->kind, &sketch->places[at], item))
        at = (at + 1) & mask;
    return &sketch->places[at];
}

void top_k_start(top_k *sketch, char kind, int32_t lg_most) {
    if (sketch->places)
        return;
    *sketch = (top_k){calloc(1u << LG_LEAST, sizeof(counted)), LG_LEAST, lg_most > LG_LEAST ? lg_most : LG_LEAST, 0, 0, kind, false};
}

static void resize(top_k *sketch) {
    counted *old = sketch->places;
    uint32_t size = 1u << sketch->lg_size++;
    sketch->places = calloc(1u << sketch->lg_size, sizeof(counted));
    for (uint32_t i = 0; i < size; i++)
        if (old[i].count)
            *place_of(sketch, &old[i]) = old[i];
    free(old);
}

/* Takes the bytes of the item over. */
void top_k_add(top_k *sketch, counted item) {
    counted *place = place_of(sketch, &item);
    if (place->count || sketch->refused) {
        place->count += place->count ? item.count : 0;
        free(item.bytes);
        return;
    }
    *place = item;
    if (++sketch->active <= (1u << sketch->lg_size) / 4 * 3)
        return;
    if (sketch->lg_size < sketch->lg_most)
        resize(sketch);
    else
        sketch->refused = true; /* it would forget items now */
}

counted top_k_text(text value, int64_t count) {
    counted item = {0, count, malloc(value.length + 1), value.length};
    memcpy(item.bytes, value.bytes, value.length);
    return item;
}

/* The bits of a value: floats as Float.floatToIntBits gives them. */
int64_t top_k_bits(char kind, const char *at) {
    int8_t tiny;
    int16_t small;
    int32_t whole;
    int64_t large;
    switch (width(kind)) {
    case 1: memcpy(&tiny, at, 1); return tiny;
    case 2: memcpy(&small, at, 2); return small;
    case 4:
        memcpy(&whole, at, 4);
        return kind == 'f' && (whole & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : whole;
    default:
        memcpy(&large, at, 8);
        return kind == 'd' && (large & INT64_MAX) > 0x7ff0000000000000LL ? 0x7ff8000000000000LL : large;
    }
}

void top_k_free(top_k *sketch) {
    if (sketch->places && has_bytes(sketch->kind))
        for (uint32_t i = 0; i < 1u << sketch->lg_size; i++)
            free(sketch->places[i].bytes);
    free(sketch->places);
}

/* --- images --- */

static void put_item(byte_buffer *out, char kind, const counted *item) {
    static const struct { char kind; uint8_t tag; } tags[] = {{'t', 2}, {'s', 3}, {'f', 6}, {'i', 9}, {'D', 9}};
    if (has_bytes(kind)) {
        put_int(out, item->length);
        put_bytes(out, item->bytes, item->length);
        return;
    }
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (tags[i].kind == kind)
            put_byte(out, tags[i].tag);
    put_bytes(out, &item->bits, width(kind));
}

static void put_booleans(byte_buffer *out, const top_k *sketch) {
    uint8_t bits = 0;
    int at = 0;
    for (uint32_t i = 0; i < 1u << sketch->lg_size; i++)
        if (sketch->places[i].count)
            bits |= (uint8_t)((sketch->places[i].bits != 0) << at++);
    put_byte(out, bits);
}

static void put_counts(byte_buffer *out, const top_k *sketch) {
    int64_t weight = 0;
    for (uint32_t i = 0; i < 1u << sketch->lg_size; i++)
        weight += sketch->places[i].count;
    put_long(out, sketch->active);
    put_long(out, (uint64_t)weight);
    put_long(out, 0); /* what was taken off every count */
    for (uint32_t i = 0; i < 1u << sketch->lg_size; i++)
        if (sketch->places[i].count)
            put_long(out, (uint64_t)sketch->places[i].count);
}

void top_k_set(native_call *call, idx_t row, const top_k *sketch) {
    byte_buffer out = {0};
    bool empty = sketch->active == 0;
    uint8_t head[] = {empty ? 1 : 4, 1, FAMILY_FREQUENCY, (uint8_t)sketch->lg_most, (uint8_t)sketch->lg_size,
                      empty ? FLAG_NOTHING : 0, 0, 0};
    put_bytes(&out, head, sizeof head);
    if (!empty)
        put_counts(&out, sketch);
    if (sketch->kind == 'b' && !empty)
        put_booleans(&out, sketch);
    for (uint32_t i = 0; i < 1u << sketch->lg_size && sketch->kind != 'b'; i++)
        if (sketch->places[i].count)
            put_item(&out, sketch->kind, &sketch->places[i]);
    put_long(&out, __builtin_bswap64((uint64_t)sketch->nulls));
    set_bytes(call, row, &out);
}

static bool refuse(native_call *call, top_k *sketch) {
    if (sketch->places)
        top_k_free(sketch);
    elsewhere(call, "bytes that are not a state of approx_top_k as Spark writes it");
    return false;
}

/* The next item of an image, from `at` on; false when there is none. */
static bool next_item(text image, uint32_t *at, uint32_t index, char kind, counted *item) {
    uint32_t end = image.length - 8;
    if (kind == 'b') {
        item->bits = image.bytes[*at] >> (index & 7) & 1;
        return *at + 1 <= end && index < 8;
    }
    if (has_bytes(kind)) {
        uint32_t length = *at + 4 <= end ? int_at(image.bytes + *at) : UINT32_MAX;
        if (length > end - *at - 4)
            return false;
        *item = top_k_text((text){image.bytes + *at + 4, length}, item->count);
        *at += 4 + length;
        return true;
    }
    *at += strchr("tsfiD", kind) != NULL; /* a byte that tells the class */
    if (*at + width(kind) > end)
        return false;
    item->bits = top_k_bits(kind, image.bytes + *at);
    *at += (uint32_t)width(kind);
    return true;
}

bool top_k_read(native_call *call, text image, char kind, top_k *sketch) {
    *sketch = (top_k){0};
    if (image.length < 16 || image.bytes[1] != 1 || image.bytes[2] != FAMILY_FREQUENCY)
        return refuse(call, sketch);
    top_k_start(sketch, kind, image.bytes[3]);
    sketch->nulls = (int64_t)__builtin_bswap64(long_at(image.bytes + image.length - 8));
    if (image.bytes[0] == 1 && image.bytes[5] == FLAG_NOTHING && image.length == 16)
        return true;
    uint32_t count = image.length >= 40 ? int_at(image.bytes + 8) : 0;
    uint64_t at = 32 + 8ULL * count;
    if (image.bytes[0] != 4 || image.bytes[5] || !count || at + 8 > image.length || long_at(image.bytes + 24))
        return refuse(call, sketch);
    uint32_t from = (uint32_t)at;
    for (uint32_t i = 0; i < count; i++) {
        counted item = {.count = (int64_t)long_at(image.bytes + 32 + 8 * i)};
        if (item.count <= 0 || !next_item(image, &from, i, kind, &item))
            return refuse(call, sketch);
        top_k_add(sketch, item);
    }
    return sketch->refused || sketch->lg_size != image.bytes[4] || from + (kind == 'b') != image.length - 8 ? refuse(call, sketch) : true;
}
