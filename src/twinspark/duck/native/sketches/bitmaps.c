/* bitmap_construct_agg, bitmap_or_agg, bitmap_and_agg: bitmaps of 4096 bytes.
 *
 * SQL spelling: spark_bitmap_construct_agg(position), spark_bitmap_or_agg(bytes), spark_bitmap_and_agg(bytes) -> BLOB. */
#include "core/one_state.h"
#include <stdlib.h>

enum { BYTES = 4096 };
typedef struct { uint8_t *bits; } bitmap_state;

static uint8_t *bits_of(bitmap_state *state, int empty) {
    if (!state->bits)
        state->bits = memset(allocate(BYTES, 1), empty, BYTES);
    return state->bits;
}

/* Every position of the chunk, if all are within. */
static bool set_all(uint8_t *bits, const int64_t *positions, idx_t rows) {
    uint64_t seen = 0;
    for (idx_t row = 0; row < rows; row++)
        seen |= (uint64_t)positions[row];
    for (idx_t row = 0; seen < 8 * BYTES && row < rows; row++)
        bits[positions[row] >> 3] |= (uint8_t)(1u << (positions[row] & 7));
    return seen < 8 * BYTES;
}

static void set_positions(native_call *call, duckdb_aggregate_state *states) {
    const int64_t *positions = ARGUMENT(call, int64_t, 0);
    if (is_one_state(call, states) && set_all(bits_of((bitmap_state *)states[0], 0), positions, call->rows))
        return;
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        if (!argument_valid(call, 0, row))
            continue;
        int64_t at = positions[row];
        if (at < 0 || at >= 8 * BYTES) {
            fall_back(call, "FUNCTION_ROW_VALUE", "a bitmap function: a position outside the bitmap");
            continue;
        }
        bits_of((bitmap_state *)states[row], 0)[at / 8] |= (uint8_t)(1u << (at % 8));
    }
}

static void join(uint8_t *bits, const uint8_t *more, size_t length) {
    for (size_t i = 0; i < length && i < BYTES; i++)
        bits[i] |= more[i];
}

/* What a bitmap is too short to say counts as not set. */
static void meet(uint8_t *bits, const uint8_t *more, size_t length) {
    for (size_t i = 0; i < BYTES; i++)
        bits[i] = i < length ? bits[i] & more[i] : 0;
}

#define EACH_BITMAP(name, merge, empty)                                                                                \
    static void update_##name(native_call *call, duckdb_aggregate_state *states) {                                     \
        for (idx_t row = 0; row < call->rows; row++)                                                                   \
            if (argument_valid(call, 0, row)) {                                                                        \
                text more = argument_text(call, 0, row);                                                               \
                merge(bits_of((bitmap_state *)states[row], empty), (const uint8_t *)more.bytes, more.length);          \
            }                                                                                                          \
    }                                                                                                                  \
    static void combine_##name(void *into, const void *from) {                                                         \
        const bitmap_state *source = from;                                                                             \
        if (source->bits)                                                                                              \
            merge(bits_of(into, empty), source->bits, BYTES);                                                          \
    }                                                                                                                  \
    static void finish_##name(native_call *call, const void *from, idx_t row) {                                        \
        bitmap_state nothing = {0};                                                                                    \
        const uint8_t *bits = ((const bitmap_state *)from)->bits;                                                      \
        set_text(call, row, (const char *)(bits ? bits : bits_of(&nothing, empty)), BYTES);                            \
        release(nothing.bits);                                                                                            \
    }
EACH_BITMAP(or, join, 0)
EACH_BITMAP(and, meet, 0xff)

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        release(((bitmap_state *)states[i])->bits);
}

const native_aggregate bitmap_aggregates[] = {
    {"spark_bitmap_construct_agg", "l>x", sizeof(bitmap_state), set_positions, combine_or, finish_or, destroy, NULL},
    {"spark_bitmap_or_agg", "x>x", sizeof(bitmap_state), update_or, combine_or, finish_or, destroy, NULL},
    {"spark_bitmap_and_agg", "x>x", sizeof(bitmap_state), update_and, combine_and, finish_and, destroy, NULL},
    {NULL}};
