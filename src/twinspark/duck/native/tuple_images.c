/* Tuple sketches as bytes: DataSketches' compact images, written and read. */
#include "tuple.h"
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
    elsewhere(call, "bytes that are not a tuple sketch as Spark writes them");
    return false;
}

static void read_summary(const char *at, bool real, summary *into) {
    *into = (summary){.mode = at[real ? 8 : 4]};
    if (real)
        into->real = double_at(at);
    else
        into->whole = (int32_t)int_at(at);
}

static bool read_entries(native_call *call, const char *at, bool real, compact_sketch *sketch) {
    sketch->hashes = malloc(8 * (size_t)sketch->count + 8);
    sketch->summaries = malloc(sizeof(summary) * ((size_t)sketch->count + 1));
    for (uint32_t i = 0; i < sketch->count; i++, at += real ? 17 : 13) {
        sketch->hashes[i] = long_at(at);
        read_summary(at + 8, real, &sketch->summaries[i]);
        if (!sketch->hashes[i] || sketch->hashes[i] >= sketch->theta || sketch->summaries[i].mode < 0 ||
            sketch->summaries[i].mode > MODE_ONE) {
            free_compact(sketch);
            return refuse(call);
        }
    }
    return true;
}

bool read_tuple(native_call *call, text image, bool real, compact_sketch *sketch) {
    *sketch = (compact_sketch){.theta = THETA_ONE};
    if (image.length < 8 || image.bytes[1] != 3 || image.bytes[2] != FAMILY_TUPLE || image.bytes[3] != TYPE_COMPACT ||
        (image.bytes[5] & ~FLAG_EMPTY) != FLAGS || short_at(image.bytes + 6) != SKETCH_SEED_HASH)
        return refuse(call);
    int longs = image.bytes[0];
    sketch->empty = (image.bytes[5] & FLAG_EMPTY) != 0;
    if (longs < 1 || longs > 3 || image.length < 8u * (unsigned)longs || (sketch->empty && longs != 1))
        return refuse(call);
    sketch->count = sketch->empty ? 0 : longs == 1 ? 1 : int_at(image.bytes + 8);
    if (longs == 3)
        sketch->theta = long_at(image.bytes + 16);
    if (sketch->theta > THETA_ONE || image.length != 8ULL * (unsigned)longs + (uint64_t)sketch->count * (real ? 17 : 13))
        return refuse(call);
    return read_entries(call, image.bytes + 8 * longs, real, sketch);
}

/* A theta sketch with the same summary for every key. */
bool read_as_tuple(native_call *call, text image, int mode, compact_sketch *sketch) {
    if (!read_theta(call, image, sketch))
        return false;
    sketch->summaries = malloc(sizeof(summary) * ((size_t)sketch->count + 1));
    for (uint32_t i = 0; i < sketch->count; i++)
        sketch->summaries[i] = new_summary(mode);
    return true;
}
