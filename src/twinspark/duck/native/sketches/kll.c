/* KLL sketches of Apache DataSketches that still contain every item: built, merged, serialized.
 *
 * SQL spelling, with _bigint, _float or _double at the end: spark_kll_sketch_agg(x, k), spark_kll_merge_agg(sketch, k or 0) -> BLOB.
 *
 * A sketch of more than k items forgets every other one at random: those go to Spark. In which order the items stand depends
 * on how Spark splits the rows; ours is that of one partition. */
#include "sketches/kll.h"
#include "core/reader.h"
#include <math.h>
#include <stdlib.h>

static void append(kll_sketch *sketch, item one) {
    if (sketch->count >= sketch->k) {
        sketch->refused = true;
        return;
    }
    sketch->items = make_room(sketch->items, &sketch->room, (size_t)sketch->count + 1, sizeof(item));
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
        fall_back(call, "SKETCH_STATE", "a KLL sketch with more items than fit its size");
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
    fall_back(call, "SKETCH_STATE", "bytes that are not a small KLL sketch of Spark");
    return false;
}

static bool is_nan(item_type type, item one) { return (type == FLOATS && isnan(one.half)) || (type == DOUBLES && isnan(one.real)); }

/* Nothing in a sketch is NaN: where one is, it could not be sorted. */
static bool take_item(byte_reader *reader, item_type type, item *one) {
    *one = (item){0};
    return take_items(reader, one, 1, item_width(type)) && !is_nan(type, *one);
}

static bool read_items(byte_reader *reader, uint32_t count, kll_sketch *sketch) {
    if (count > sketch->k || !has_items(reader, count, item_width(sketch->type)))
        return false;
    sketch->room = (size_t)count + 1;
    sketch->items = allocate_zeroed(sketch->room, sizeof(item));
    if (sketch->type == LONGS) {
        take_items(reader, sketch->items, count, sizeof(item));
        sketch->count = count;
    }
    while (sketch->count < count && take_item(reader, sketch->type, &sketch->items[sketch->count]))
        sketch->count++;
    return sketch->count == count && read_all(reader);
}

static bool is_same(item one, item other) { return !memcmp(&one, &other, sizeof one); }

/* DataSketches uses the minimum and maximum stored in an image; here they are computed from the items. */
static bool extremes_are(const kll_sketch *sketch, item least, item greatest) {
    if (sketch->type != LONGS)
        return is_same(extreme_of(sketch, -1), least) && is_same(extreme_of(sketch, 1), greatest);
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t i = 0; i < sketch->count; i++) {
        low = sketch->items[i].whole < low ? sketch->items[i].whole : low;
        high = sketch->items[i].whole > high ? sketch->items[i].whole : high;
    }
    return low == least.whole && high == greatest.whole;
}

/* More than one item: their number, the size again, one level, the free places, the least and the greatest. */
static bool read_full(byte_reader *reader, kll_sketch *sketch) {
    uint64_t count = take_long(reader);
    uint16_t k = take_short(reader), levels = take_short(reader);
    uint32_t unused = take_int(reader);
    item least, greatest;
    return !reader->failed && k == sketch->k && levels == 1 && count <= k && unused == k - (uint32_t)count &&
           take_item(reader, sketch->type, &least) && take_item(reader, sketch->type, &greatest) && count &&
           read_items(reader, (uint32_t)count, sketch) && extremes_are(sketch, least, greatest);
}

typedef struct { uint8_t ints, version, family, flags, k[2], m, unused; } kll_head;

static bool read_body(byte_reader *reader, const kll_head *head, kll_sketch *sketch) {
    if (head->ints == 2 && head->version == 1 && head->flags == KLL_EMPTY)
        return read_items(reader, 0, sketch);
    if (head->ints == 2 && head->version == 2 && head->flags == KLL_SINGLE)
        return read_items(reader, 1, sketch);
    return head->ints == 5 && head->version == 1 && head->flags == 0 && read_full(reader, sketch);
}

bool read_kll(native_call *call, text image, item_type type, kll_sketch *sketch) {
    byte_reader reader = read_image(image);
    kll_head head;
    *sketch = (kll_sketch){.type = type};
    if (!take_items(&reader, &head, 1, sizeof head) || head.family != FAMILY_KLL || head.m != KLL_M)
        return refuse(call);
    sketch->k = (uint32_t)head.k[0] | (uint32_t)head.k[1] << 8;
    if (sketch->k >= 8 && read_body(&reader, &head, sketch))
        return true;
    release(sketch->items);
    return refuse(call);
}

/* --- aggregates --- */

static uint32_t size_argument(const native_call *call, idx_t row, bool optional) {
    int32_t k = ARGUMENT(call, int32_t, 1)[row];
    if ((k < KLL_M || k > UINT16_MAX) && !(optional && k == 0))
        end_fall_back("SKETCH_STATE", "a KLL sketch of an invalid size");
    return (uint32_t)k;
}

static void update_items(native_call *call, duckdb_aggregate_state *states, item_type type) {
    for (idx_t row = 0; row < call->rows; row++) {
        kll_sketch *sketch = (kll_sketch *)states[row];
        item one = {0};
        sketch->type = type;
        sketch->k = size_argument(call, row, false);
        if (!argument_valid(call, 0, row))
            continue;
        memcpy(&one, (const char *)call->data[0] + row * item_width(type), item_width(type));
        if (is_nan(type, one))
            continue;
        append(sketch, one);
    }
}

static void update_sketches(native_call *call, duckdb_aggregate_state *states, item_type type) {
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        kll_sketch more, *sketch = (kll_sketch *)states[row];
        sketch->type = type;
        sketch->k = size_argument(call, row, true);
        if (!argument_valid(call, 0, row) || !read_kll(call, argument_text(call, 0, row), type, &more))
            continue;
        if (!sketch->k && more.k != DEFAULT_K)
            fall_back(call, "PARTITIONS", "a merge of KLL sketches of an unusual size");
        uint32_t asked = sketch->k;
        sketch->k = asked ? asked : DEFAULT_K;
        sketch->unasked = !asked;
        append_sketch(sketch, &more);
        sketch->k = asked;
        release(more.items);
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

/* The state of a group without rows has no size: returns NULL, for which the SQL has the empty sketch. */
static void finish(native_call *call, const void *from, idx_t row) {
    kll_sketch sketch = *(const kll_sketch *)from;
    if (!sketch.items && !sketch.refused) {
        set_null(call, row);
        return;
    }
    sketch.k = sketch.k ? sketch.k : DEFAULT_K;
    if (sketch.unasked) /* without a size Spark's final aggregation copies the sketch, and does not reverse it again */
        turn_round_sketch(&sketch);
    set_kll(call, row, &sketch);
    if (sketch.unasked)
        turn_round_sketch(&sketch);
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        release(((kll_sketch *)states[i])->items);
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
