/* Serialization of tuple sketches: reads and writes DataSketches' compact images. */
#include "core/reader.h"
#include "sketches/tuple.h"
#include <stdlib.h>

enum { FAMILY_TUPLE = 9, TYPE_COMPACT = 1, FLAGS = 0x0a, FLAG_EMPTY = 4 };

void set_tuple(native_call *call, idx_t row, compact_sketch *sketch, bool real) {
    byte_buffer out = {0};
    bool single = sketch->count == 1 && !estimating(sketch);
    int longs = sketch->empty || single ? 1 : estimating(sketch) ? 3 : 2;
    uint8_t head[] = {(uint8_t)longs, 3, FAMILY_TUPLE, TYPE_COMPACT, 0, FLAGS | (sketch->empty ? FLAG_EMPTY : 0)};
    put_bytes(&out, head, sizeof head);
    put_short(&out, SKETCH_SEED_HASH);
    if (longs > 1)
        put_long(&out, sketch->count);
    if (longs > 2)
        put_long(&out, sketch->theta);
    for (uint32_t i = 0; i < sketch->count; i++) {
        const summary *one = &sketch->summaries[i];
        put_long(&out, sketch->hashes[i]);
        put_bytes(&out, real ? (const void *)&one->real : &one->whole, real ? 8 : 4);
        put_byte(&out, (uint8_t)one->mode);
    }
    set_bytes(call, row, &out);
    free_compact(sketch);
}

static bool refuse(native_call *call) {
    fall_back(call, "SKETCH_STATE", "bytes that are not a tuple sketch of Spark");
    return false;
}

static summary take_summary(byte_reader *reader, bool real) {
    summary taken = {0};
    if (real)
        taken.real = take_double(reader);
    else
        taken.whole = (int32_t)take_int(reader);
    taken.mode = take_byte(reader);
    return taken;
}

static bool read_entries(byte_reader *reader, bool real, compact_sketch *sketch) {
    if (!has_items(reader, sketch->count, real ? 17 : 13))
        return false;
    sketch->hashes = allocate((size_t)sketch->count + 1, 8);
    sketch->summaries = allocate((size_t)sketch->count + 1, sizeof(summary));
    for (uint32_t i = 0; i < sketch->count; i++) {
        sketch->hashes[i] = take_long(reader);
        sketch->summaries[i] = take_summary(reader, real);
        if (!sketch->hashes[i] || sketch->hashes[i] >= sketch->theta || sketch->summaries[i].mode > MODE_ONE)
            return false;
    }
    return read_all(reader);
}

/* The first eight bytes of an image. */
typedef struct { uint8_t longs, version, family, type, unused, flags; uint16_t seed_hash; } tuple_head;

static bool read_head(byte_reader *reader, tuple_head *head) {
    return take_items(reader, head, 1, sizeof *head) && head->version == 3 && head->family == FAMILY_TUPLE &&
           head->type == TYPE_COMPACT && (head->flags & ~FLAG_EMPTY) == FLAGS && head->seed_hash == SKETCH_SEED_HASH &&
           head->longs >= 1 && head->longs <= 3;
}

static bool read_body(byte_reader *reader, const tuple_head *head, bool real, compact_sketch *sketch) {
    sketch->empty = (head->flags & FLAG_EMPTY) != 0;
    if (sketch->empty && head->longs != 1)
        return false;
    sketch->count = sketch->empty ? 0 : head->longs == 1 ? 1 : take_int(reader);
    if (head->longs > 1)
        take_int(reader);
    if (head->longs == 3)
        sketch->theta = take_long(reader);
    return sketch->theta && sketch->theta <= THETA_ONE && read_entries(reader, real, sketch);
}

bool read_tuple(native_call *call, text image, bool real, compact_sketch *sketch) {
    byte_reader reader = read_image(image);
    tuple_head head;
    *sketch = (compact_sketch){.theta = THETA_ONE};
    if (read_head(&reader, &head) && read_body(&reader, &head, real, sketch))
        return true;
    free_compact(sketch);
    return refuse(call);
}

/* A theta sketch with the same summary for every key. */
bool read_as_tuple(native_call *call, text image, int mode, compact_sketch *sketch) {
    if (!read_theta(call, image, sketch))
        return false;
    sketch->summaries = allocate((size_t)sketch->count + 1, sizeof(summary));
    for (uint32_t i = 0; i < sketch->count; i++)
        sketch->summaries[i] = new_summary(mode);
    return true;
}
