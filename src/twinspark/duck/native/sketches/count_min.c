/* count_min_sketch: Spark's table of counters, the same whatever the order of the rows.
 *
 * SQL spelling: spark_count_min_sketch(x, depth, width, seed) -> BLOB, x BIGINT, VARCHAR or BLOB; NULL of no rows, where
 * spark_count_min_nothing(depth, width, seed) is the answer. */
#include "numbers/hash.h"
#include "sketches/sketches.h"
#include <stdlib.h>

typedef struct { int64_t *counters, *factors, total; int32_t depth, width; } count_min;

/* java.util.Random(seed).nextInt(2^31 - 1), so many times. */
static void draw_factors(int64_t *factors, int32_t depth, int32_t seed) {
    uint64_t state = ((uint64_t)(int64_t)seed ^ (uint64_t)0x5DEECE66D) & (uint64_t)0xffffffffffff;
    for (int32_t i = 0; i < depth; i++)
        do {
            state = (state * 0x5DEECE66DULL + 0xb) & 0xffffffffffffULL;
            factors[i] = (int64_t)(state >> 17);
        } while (factors[i] == INT32_MAX);
}

static void start(count_min *sketch, int32_t depth, int32_t width, int32_t seed) {
    if (sketch->counters)
        return;
    if (depth <= 0 || width <= 0)
        end_call("twinspark: a count-min sketch has rows and columns");
    sketch->depth = depth;
    sketch->width = width;
    sketch->counters = allocate_zeroed(checked_size((size_t)depth, (size_t)width, 0), 8);
    sketch->factors = allocate((size_t)depth, 8);
    draw_factors(sketch->factors, depth, seed);
}

static void add_long(count_min *sketch, int64_t item) {
    for (int32_t i = 0; i < sketch->depth; i++) {
        int64_t hash = (int64_t)((uint64_t)sketch->factors[i] * (uint64_t)item);
        hash = (int64_t)((uint64_t)hash + (uint64_t)(hash >> 32)) & INT32_MAX;
        sketch->counters[(int64_t)i * sketch->width + hash % sketch->width]++;
    }
    sketch->total++;
}

static void add_bytes(count_min *sketch, text item) {
    int32_t first = murmur_bytes(item, 0), second = murmur_bytes(item, first);
    for (int32_t i = 0; i < sketch->depth; i++) {
        int32_t place = (int32_t)((uint32_t)first + (uint32_t)i * (uint32_t)second) % sketch->width;
        sketch->counters[(int64_t)i * sketch->width + (place < 0 ? -place : place)]++;
    }
    sketch->total++;
}

static void update(native_call *call, duckdb_aggregate_state *states) {
    key_column items = key_argument(call, 0);
    if (items.kind != KEY_LONG && items.kind != KEY_BYTES && items.kind != KEY_NOTHING)
        end_call("twinspark: a count-min sketch counts longs, strings and binaries");
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        count_min *sketch = (count_min *)states[row];
        start(sketch, ARGUMENT(call, int32_t, 1)[row], ARGUMENT(call, int32_t, 2)[row], ARGUMENT(call, int32_t, 3)[row]);
        if (!argument_valid(call, 0, row))
            continue;
        if (items.kind == KEY_NOTHING)
            continue;
        if (items.kind == KEY_LONG)
            add_long(sketch, ARGUMENT(call, int64_t, 0)[row]);
        else
            add_bytes(sketch, argument_text(call, 0, row));
    }
}

static void combine(void *into, const void *from) {
    count_min *target = into;
    const count_min *source = from;
    if (!source->counters)
        return;
    start(target, source->depth, source->width, 0);
    if (target->depth != source->depth || target->width != source->width)
        end_call("twinspark: count-min sketches of different sizes");
    memcpy(target->factors, source->factors, 8 * (size_t)source->depth);
    for (int64_t i = 0; i < (int64_t)source->depth * source->width; i++)
        target->counters[i] += source->counters[i];
    target->total += source->total;
}

static void put_big_int(byte_buffer *out, int32_t value) { put_int(out, __builtin_bswap32((uint32_t)value)); }
static void put_big_long(byte_buffer *out, int64_t value) { put_long(out, __builtin_bswap64((uint64_t)value)); }

static void set_sketch(native_call *call, idx_t row, const count_min *sketch) {
    byte_buffer out = {0};
    put_big_int(&out, 1); /* version */
    put_big_long(&out, sketch->total);
    put_big_int(&out, sketch->depth);
    put_big_int(&out, sketch->width);
    for (int32_t i = 0; i < sketch->depth; i++)
        put_big_long(&out, sketch->factors[i]);
    for (int64_t i = 0; i < (int64_t)sketch->depth * sketch->width; i++)
        put_big_long(&out, sketch->counters[i]);
    set_bytes(call, row, &out);
}

static void finish(native_call *call, const void *from, idx_t row) {
    if (((const count_min *)from)->counters)
        set_sketch(call, row, from);
    else
        set_null(call, row);
}

static void free_sketch(count_min *sketch) {
    release(sketch->counters);
    release(sketch->factors);
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        free_sketch((count_min *)states[i]);
}

static void nothing_rows(native_call *call) {
    EACH_ROW(call, row) {
        count_min sketch = {0};
        start(&sketch, ARGUMENT(call, int32_t, 0)[row], ARGUMENT(call, int32_t, 1)[row], ARGUMENT(call, int32_t, 2)[row]);
        set_sketch(call, row, &sketch);
        free_sketch(&sketch);
    }
}

const native_function count_min_functions[] = {{"spark_count_min_nothing", "iii>x", nothing_rows, NULL}, {NULL}};

const native_aggregate count_min_aggregates[] = {
    {"spark_count_min_sketch", "Aiii>x", sizeof(count_min), update, combine, finish, destroy, NULL}, {NULL}};
