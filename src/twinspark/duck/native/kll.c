/* KLL sketches of Apache DataSketches while they hold every item: made of numbers, merged, written and read as images.
 *
 * SQL spelling, with _bigint, _float or _double at the end: spark_kll_sketch_agg(x, k), spark_kll_merge_agg(sketch, k or 0) -> BLOB.
 *
 * A sketch of more than k items forgets every other one at random: those go to Spark. In which order the items stand depends
 * on how Spark splits the rows; ours is that of one partition. */
#include "kll.h"
#include <math.h>
#include <stdlib.h>

static void append(kll_sketch *sketch, item one) {
    if (sketch->count >= sketch->k) {
        sketch->refused = true;
        return;
    }
    if (sketch->count == sketch->room) {
        sketch->room = 2 * sketch->room + 8;
        sketch->items = realloc(sketch->items, sketch->room * sizeof(item));
    }
    sketch->items[sketch->count++] = one;
}

void append_sketch(kll_sketch *sketch, const kll_sketch *more) {
    for (uint32_t i = 0; i < more->count; i++)
        append(sketch, more->items[i]);
}

void turn_round_sketch(kll_sketch *sketch) {
    for (uint32_t i = 0; i < sketch->count / 2; i++) {
        item kept = sketch->items[i];
        sketch->items[i] = sketch->items[sketch->count - 1 - i];
        sketch->items[sketch->count - 1 - i] = kept;
    }
}

/* java.util.Arrays.sort: -0.0 before 0.0; there is no NaN among the items. */
static int compare_doubles(double a, double b) { return a < b ? -1 : a > b ? 1 : (signbit(b) != 0) - (signbit(a) != 0); }
static int compare(item_type type, const item *a, const item *b) {
    switch (type) {
    case LONGS: return (a->whole > b->whole) - (a->whole < b->whole);
    case FLOATS: return compare_doubles(a->half, b->half);
    default: return compare_doubles(a->real, b->real);
    }
}
static int compare_longs(const void *a, const void *b) { return compare(LONGS, a, b); }
static int compare_floats(const void *a, const void *b) { return compare(FLOATS, a, b); }
static int compare_reals(const void *a, const void *b) { return compare(DOUBLES, a, b); }

void sort_sketch(kll_sketch *sketch) {
    int (*by)(const void *, const void *) = sketch->type == LONGS    ? compare_longs
                                            : sketch->type == FLOATS ? compare_floats
                                                                     : compare_reals;
    qsort(sketch->items, sketch->count, sizeof(item), by);
}

/* The least (or greatest) item. */
item extreme_of(const kll_sketch *sketch, int sign) {
    item found = sketch->items[0];
    for (uint32_t i = 1; i < sketch->count; i++)
        if (sign * compare(sketch->type, &sketch->items[i], &found) > 0)
            found = sketch->items[i];
    return found;
}

/* --- images --- */

static void put_head(byte_buffer *out, int ints, int version, int flags, uint32_t k) {
    uint8_t head[] = {(uint8_t)ints, (uint8_t)version, FAMILY_KLL, (uint8_t)flags, (uint8_t)k, (uint8_t)(k >> 8), KLL_M, 0};
    put_bytes(out, head, sizeof head);
}

static void put_item(byte_buffer *out, item_type type, item one) { put_bytes(out, &one, item_width(type)); }

static void put_full(byte_buffer *out, const kll_sketch *sketch) {
    put_head(out, 5, 1, 0, sketch->k);
    put_long(out, sketch->count);
    put_short(out, (uint16_t)sketch->k);
    put_short(out, 1); /* levels */
    put_int(out, sketch->k - sketch->count);
    put_item(out, sketch->type, extreme_of(sketch, -1));
    put_item(out, sketch->type, extreme_of(sketch, 1));
    for (uint32_t i = 0; i < sketch->count; i++)
        put_item(out, sketch->type, sketch->items[i]);
}

void set_kll(native_call *call, idx_t row, const kll_sketch *sketch) {
    byte_buffer out = {0};
    if (sketch->refused) {
        elsewhere(call, "a KLL sketch of more items than it holds");
        return;
    }
    if (sketch->count > 1) {
        put_full(&out, sketch);
    } else if (sketch->count == 1) {
        put_head(&out, 2, 2, KLL_SINGLE, sketch->k);
        put_item(&out, sketch->type, sketch->items[0]);
    } else {
        put_head(&out, 2, 1, KLL_EMPTY, sketch->k);
    }
    set_bytes(call, row, &out);
}

static bool refuse(native_call *call) {
    elsewhere(call, "bytes that are not a KLL sketch of few items as Spark writes them");
    return false;
}

static bool read_items(native_call *call, text image, uint32_t at, uint32_t count, kll_sketch *sketch) {
    if (image.length != at + count * item_width(sketch->type) || count > sketch->k)
        return refuse(call);
    sketch->items = calloc(count + 1, sizeof(item));
    sketch->room = count + 1;
    sketch->count = count;
    for (uint32_t i = 0; i < count; i++)
        memcpy(&sketch->items[i], image.bytes + at + i * item_width(sketch->type), item_width(sketch->type));
    return true;
}

bool read_kll(native_call *call, text image, item_type type, kll_sketch *sketch) {
    *sketch = (kll_sketch){.type = type};
    if (image.length < 8 || image.bytes[2] != FAMILY_KLL || image.bytes[6] != KLL_M)
        return refuse(call);
    int shape = image.bytes[0] << 8 | image.bytes[1], flags = image.bytes[3];
    sketch->k = short_at(image.bytes + 4);
    if (sketch->k < 8)
        return refuse(call);
    if (shape == 0x0201 && flags == KLL_EMPTY)
        return read_items(call, image, 8, 0, sketch);
    if (shape == 0x0202 && flags == KLL_SINGLE)
        return read_items(call, image, 8, 1, sketch);
    if (shape != 0x0501 || flags != 0 || image.length < 24 || short_at(image.bytes + 16) != sketch->k ||
        short_at(image.bytes + 18) != 1 || long_at(image.bytes + 8) > sketch->k ||
        int_at(image.bytes + 20) != sketch->k - int_at(image.bytes + 8))
        return refuse(call);
    return read_items(call, image, 24 + 2 * (uint32_t)item_width(type), int_at(image.bytes + 8), sketch);
}

/* --- aggregates --- */

static void update_items(native_call *call, duckdb_aggregate_state *states, item_type type) {
    for (idx_t row = 0; row < call->rows; row++) {
        kll_sketch *sketch = (kll_sketch *)states[row];
        item one = {0};
        sketch->type = type;
        sketch->k = (uint32_t)ARGUMENT(call, int32_t, 1)[row];
        if (!argument_valid(call, 0, row))
            continue;
        memcpy(&one, (const char *)call->data[0] + row * item_width(type), item_width(type));
        if ((type == FLOATS && isnan(one.half)) || (type == DOUBLES && isnan(one.real)))
            continue;
        append(sketch, one);
    }
}

static void update_sketches(native_call *call, duckdb_aggregate_state *states, item_type type) {
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        kll_sketch more, *sketch = (kll_sketch *)states[row];
        sketch->type = type;
        sketch->k = (uint32_t)ARGUMENT(call, int32_t, 1)[row];
        if (!argument_valid(call, 0, row) || !read_kll(call, argument_text(call, 0, row), type, &more))
            continue;
        if (!sketch->k && more.k != DEFAULT_K)
            elsewhere(call, "a merge of KLL sketches of an unusual size, which depends on the partitions");
        uint32_t asked = sketch->k;
        sketch->k = asked ? asked : DEFAULT_K;
        sketch->unasked = !asked;
        append_sketch(sketch, &more);
        sketch->k = asked;
        free(more.items);
    }
}

static void combine(void *into, const void *from) {
    kll_sketch *target = into;
    const kll_sketch *source = from;
    if (!source->k && !source->items)
        return;
    target->type = source->type;
    target->refused |= source->refused;
    target->unasked |= source->unasked;
    target->k = source->k ? source->k : DEFAULT_K;
    append_sketch(target, source);
    target->k = source->k;
}

/* The state of a group without rows does not know its size: NULL, and the SQL says the empty sketch. */
static void finish(native_call *call, const void *from, idx_t row) {
    kll_sketch sketch = *(const kll_sketch *)from;
    if (!sketch.items && !sketch.refused) {
        set_null(call, row);
        return;
    }
    sketch.k = sketch.k ? sketch.k : DEFAULT_K;
    if (sketch.unasked) /* without a size Spark's final aggregation takes a sketch as it is, and does not turn it round again */
        turn_round_sketch(&sketch);
    set_kll(call, row, &sketch);
    if (sketch.unasked)
        turn_round_sketch(&sketch);
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        free(((kll_sketch *)states[i])->items);
}

#define EACH_TYPE(kind, type)                                                                                          \
    static void update_##kind(native_call *call, duckdb_aggregate_state *states) { update_items(call, states, type); } \
    static void merge_##kind(native_call *call, duckdb_aggregate_state *states) { update_sketches(call, states, type); }
EACH_TYPE(bigint, LONGS)
EACH_TYPE(float, FLOATS)
EACH_TYPE(double, DOUBLES)

#define AGGREGATE_LINES(kind, letter)                                                                                  \
    {"spark_kll_sketch_agg_" #kind, letter "i>x", sizeof(kll_sketch), update_##kind, combine, finish, destroy, NULL},  \
    {"spark_kll_merge_agg_" #kind, "xi>x", sizeof(kll_sketch), merge_##kind, combine, finish, destroy, NULL}

const native_aggregate kll_aggregates[] = {AGGREGATE_LINES(bigint, "l"), AGGREGATE_LINES(float, "f"),
                                           AGGREGATE_LINES(double, "d"), {NULL}};
