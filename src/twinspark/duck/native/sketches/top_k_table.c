/* The frequent items sketch: its hash table, its keys' hashes, and its image as bytes. */
#include "core/utf8.h"
#include "core/java_hash.h"
#include "core/reader.h"
#include "sketches/top_k.h"
#include <math.h>
#include <stdlib.h>

/* --- java.lang.Object.hashCode --- */

static int32_t java_hash(char kind, const counted *item) {
    switch (kind) {
    case 'b': return item->bits ? 1231 : 1237;
    case 'v': return java_text_hash(item->bytes, item->length);
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
    lg_most = lg_most < LG_LEAST ? LG_LEAST : lg_most > LG_GREATEST ? LG_GREATEST : lg_most;
    *sketch = (top_k){allocate_zeroed(1u << LG_LEAST, sizeof(counted)), LG_LEAST, lg_most, 0, 0, kind, false};
}

static void resize(top_k *sketch) {
    counted *old = sketch->places, *places = allocate_zeroed((size_t)2 << sketch->lg_size, sizeof(counted));
    uint32_t size = 1u << sketch->lg_size++;
    sketch->places = places;
    for (uint32_t i = 0; i < size; i++)
        if (old[i].count)
            *place_of(sketch, &old[i]) = old[i];
    release(old);
}

/* Takes the bytes of the item over. */
void top_k_add(top_k *sketch, counted item) {
    counted *place = place_of(sketch, &item);
    if (place->count || sketch->refused) {
        if (place->count && __builtin_add_overflow(place->count, item.count, &place->count))
            end_fall_back("SKETCH_STATE", "approx_top_k: a count that does not fit a bigint");
        release(item.bytes);
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
    counted item = {0, count, allocate((size_t)value.length + 1, 1), value.length};
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
            release(sketch->places[i].bytes);
    release(sketch->places);
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
    uint64_t weight = 0;
    for (uint32_t i = 0; i < 1u << sketch->lg_size; i++)
        weight += (uint64_t)sketch->places[i].count;
    put_long(out, sketch->active);
    put_long(out, weight);
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
    fall_back(call, "SKETCH_STATE", "bytes that are not an approx_top_k state of Spark");
    return false;
}

/* The next item of an image; false when there is none. Booleans are the bits of one byte, which `index` counts. */
static bool next_item(byte_reader *reader, uint32_t index, char kind, counted *item) {
    if (kind == 'b') {
        item->bits = index < 8 && bytes_left(reader) ? *reader->at >> index & 1 : 0;
        return index < 8 && bytes_left(reader);
    }
    if (has_bytes(kind)) {
        uint32_t length = take_int(reader);
        const uint8_t *from = take_bytes(reader, length);
        if (!from || !is_utf8((text){(const char *)from, length}))
            return false;
        *item = top_k_text((text){(const char *)from, length}, item->count);
        return true;
    }
    if (strchr("tsfiD", kind))
        take_byte(reader); /* the item's class */
    const uint8_t *from = take_bytes(reader, width(kind));
    item->bits = from ? top_k_bits(kind, (const char *)from) : 0;
    return from != NULL;
}

/* The counts come before the items; each item is combined with its count. */
static bool read_items(byte_reader *counts, byte_reader *items, uint32_t count, top_k *sketch) {
    int64_t weight = 0;
    for (uint32_t i = 0; i < count; i++) {
        counted item = {.count = (int64_t)take_long(counts)};
        if (item.count <= 0 || __builtin_add_overflow(weight, item.count, &weight) || !next_item(items, i, sketch->kind, &item))
            return false;
        top_k_add(sketch, item);
    }
    if (sketch->kind == 'b')
        take_byte(items);
    return !sketch->refused && sketch->active == count && read_all(items);
}

/* The first eight bytes of an image. */
typedef struct { uint8_t longs, version, family, lg_most, lg_size, flags, unused[2]; } top_k_head;

static bool read_counts(byte_reader *reader, const top_k_head *head, top_k *sketch) {
    uint64_t count = take_long(reader);
    take_long(reader); /* the sum of all counts */
    uint64_t taken_off = take_long(reader);
    byte_reader items = *reader;
    if (head->longs != 4 || head->flags || reader->failed || !count || count > UINT32_MAX || taken_off ||
        !skip_bytes(&items, 8 * count))
        return false;
    return read_items(reader, &items, (uint32_t)count, sketch) && sketch->lg_size == head->lg_size;
}

/* After the sketch comes the number of nulls, big-endian. */
bool top_k_read(native_call *call, text image, char kind, top_k *sketch) {
    text nulls = image.length >= 16 ? part_of(image, image.length - 8, 8) : (text){NULL, 0};
    byte_reader reader = read_image(part_of(image, 0, nulls.bytes ? image.length - 8 : 0)), last = read_image(nulls);
    top_k_head head;
    *sketch = (top_k){0};
    if (!is_kind(kind) || !take_items(&reader, &head, 1, sizeof head) || head.version != 1 ||
        head.family != FAMILY_FREQUENCY || head.lg_most > LG_GREATEST)
        return refuse(call, sketch);
    top_k_start(sketch, kind, head.lg_most);
    sketch->nulls = (int64_t)take_big_long(&last);
    bool nothing = head.longs == 1 && head.flags == FLAG_NOTHING && read_all(&reader);
    return sketch->nulls >= 0 && (nothing || read_counts(&reader, &head, sketch)) ? true : refuse(call, sketch);
}
