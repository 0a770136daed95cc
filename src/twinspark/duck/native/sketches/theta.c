/* Theta sketches of Apache DataSketches, byte for byte: built from keys, union, intersection, difference, estimate.
 *
 * SQL spelling: spark_theta_sketch_agg(key, k), spark_theta_union_agg(sketch, k), spark_theta_intersection_agg(sketch),
 * spark_theta_union(a, b, k), spark_theta_intersection(a, b), spark_theta_difference(a, b) -> BLOB,
 * spark_theta_sketch_estimate(sketch) -> BIGINT; k is the logarithm of the nominal entries. */
#include "core/reader.h"
#include "sketches/sketches.h"
#include <stdlib.h>

enum { FAMILY_COMPACT = 3, FLAG_BIG_ENDIAN = 1, FLAG_READ_ONLY = 2, FLAG_EMPTY = 4, FLAG_COMPACT = 8, FLAG_ORDERED = 16,
       FLAG_SINGLE = 32 };

/* --- images --- */

static void put_preamble(byte_buffer *out, int longs, int version, int third, int fourth, int flags, int seed) {
    uint8_t head[] = {(uint8_t)longs, (uint8_t)version, FAMILY_COMPACT, (uint8_t)third, (uint8_t)fourth, (uint8_t)flags};
    put_bytes(out, head, sizeof head);
    put_short(out, (uint16_t)seed);
}

static int compare_hashes(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Serial version 4: the differences of the ordered hashes, each in as many bits as the widest needs. */
static void put_packed(byte_buffer *out, const compact_sketch *sketch) {
    uint64_t all = 0, last = 0, pending = 0;
    int waiting = 0;
    bool estimating = sketch->theta < THETA_ONE;
    for (uint32_t i = 0; i < sketch->count; last = sketch->hashes[i++])
        all |= sketch->hashes[i] - last;
    int bits = 64 - __builtin_clzll(all), count_bytes = (32 - __builtin_clz(sketch->count) + 7) / 8;
    put_preamble(out, estimating ? 2 : 1, 4, bits, count_bytes, FLAG_COMPACT | FLAG_READ_ONLY | FLAG_ORDERED, SKETCH_SEED_HASH);
    if (estimating)
        put_long(out, sketch->theta);
    put_bytes(out, &sketch->count, (size_t)count_bytes);
    last = 0;
    for (uint32_t i = 0; i < sketch->count; last = sketch->hashes[i++]) {
        uint64_t delta = sketch->hashes[i] - last;
        for (int left = bits; left > 0;) {
            int taken = left < 8 - waiting ? left : 8 - waiting;
            pending = pending << taken | (delta >> (left - taken) & ((1u << taken) - 1));
            waiting += taken;
            left -= taken;
            if (waiting == 8) {
                put_byte(out, (uint8_t)pending);
                pending = 0;
                waiting = 0;
            }
        }
    }
    if (waiting)
        put_byte(out, (uint8_t)(pending << (8 - waiting)));
}

void write_theta(byte_buffer *out, compact_sketch *sketch) {
    bool exact = sketch->theta == THETA_ONE;
    int flags = FLAG_COMPACT | FLAG_READ_ONLY | FLAG_ORDERED;
    if (sketch->empty || (exact && sketch->count == 0)) {
        put_preamble(out, 1, 3, 0, 0, flags | FLAG_EMPTY, 0);
    } else if (sketch->count == 0) {
        put_preamble(out, 3, 3, 0, 0, flags, SKETCH_SEED_HASH);
        put_int(out, 0);
        put_int(out, 0x3f800000); /* a sampling probability of 1.0 */
        put_long(out, sketch->theta);
    } else if (exact && sketch->count == 1) {
        put_preamble(out, 1, 3, 0, 0, flags | FLAG_SINGLE, SKETCH_SEED_HASH);
        put_long(out, sketch->hashes[0]);
    } else {
        qsort(sketch->hashes, sketch->count, 8, compare_hashes);
        put_packed(out, sketch);
    }
}

static bool refuse(native_call *call) {
    fall_back(call, "SKETCH_STATE", "bytes that are not a theta sketch of Spark");
    return false;
}

/* The first eight bytes of an image; in a packed one `bits` and `count_bytes` say how the rest is written. */
typedef struct { uint8_t longs, version, family, bits, count_bytes, flags; uint16_t seed_hash; } theta_head;

static bool is_theta(uint64_t theta) { return theta != 0 && theta <= THETA_ONE; }

static uint32_t take_count(byte_reader *reader, uint8_t width) {
    uint32_t count = 0;
    take_items(reader, &count, 1, width);
    return count;
}

/* `bits` bits from the place on, which are there. */
static uint64_t bits_at(const uint8_t *bytes, uint64_t place, int bits) {
    uint64_t value = 0;
    for (int b = 0; b < bits; b++, place++)
        value = value << 1 | (bytes[place >> 3] >> (7 - (place & 7)) & 1);
    return value;
}

static bool unpack_hashes(const uint8_t *bytes, int bits, compact_sketch *sketch) {
    uint64_t last = 0;
    for (uint32_t i = 0; i < sketch->count; i++) {
        uint64_t delta = bits_at(bytes, (uint64_t)i * (uint64_t)bits, bits);
        if (delta == 0 || delta >= sketch->theta - last)
            return false;
        sketch->hashes[i] = last += delta;
    }
    return true;
}

static bool read_packed(byte_reader *reader, const theta_head *head, compact_sketch *sketch) {
    if (head->longs < 1 || head->longs > 2 || head->bits < 1 || head->bits > 63 || head->count_bytes < 1 || head->count_bytes > 4)
        return false;
    if (head->longs == 2)
        sketch->theta = take_long(reader);
    sketch->count = take_count(reader, head->count_bytes);
    const uint8_t *packed = take_bytes(reader, ((uint64_t)sketch->count * head->bits + 7) / 8);
    if (!packed || !read_all(reader) || !is_theta(sketch->theta))
        return false;
    sketch->hashes = allocate((size_t)sketch->count + 1, 8);
    return unpack_hashes(packed, head->bits, sketch);
}

static bool hashes_fit(const compact_sketch *sketch) {
    for (uint32_t i = 0; i < sketch->count; i++)
        if (sketch->hashes[i] == 0 || sketch->hashes[i] >= sketch->theta)
            return false;
    return true;
}

static bool read_plain(byte_reader *reader, const theta_head *head, compact_sketch *sketch) {
    if (head->longs < 1 || head->longs > 3 || (head->longs == 1 && !(head->flags & FLAG_SINGLE)))
        return false;
    sketch->count = head->longs == 1 ? 1 : take_int(reader);
    if (head->longs > 1)
        take_int(reader); /* the sampling probability */
    if (head->longs == 3)
        sketch->theta = take_long(reader);
    if (!is_theta(sketch->theta) || !has_items(reader, sketch->count, 8))
        return false;
    sketch->hashes = allocate((size_t)sketch->count + 1, 8);
    return take_items(reader, sketch->hashes, sketch->count, 8) && read_all(reader) && hashes_fit(sketch);
}

static bool read_body(byte_reader *reader, const theta_head *head, compact_sketch *sketch) {
    int needed = FLAG_COMPACT | FLAG_READ_ONLY;
    if ((head->version != 3 && head->version != 4) || (head->flags & FLAG_BIG_ENDIAN) || (head->flags & needed) != needed)
        return false;
    if (head->flags & FLAG_EMPTY) {
        sketch->empty = true;
        return head->longs == 1 && head->version == 3 && read_all(reader);
    }
    return head->seed_hash == SKETCH_SEED_HASH && (head->version == 4 ? read_packed : read_plain)(reader, head, sketch);
}

bool read_theta(native_call *call, text image, compact_sketch *sketch) {
    byte_reader reader = read_image(image);
    theta_head head;
    *sketch = (compact_sketch){.theta = THETA_ONE};
    if (take_items(&reader, &head, 1, sizeof head) && head.family == FAMILY_COMPACT && read_body(&reader, &head, sketch))
        return true;
    free_compact(sketch);
    return refuse(call);
}

static void set_theta(native_call *call, idx_t row, compact_sketch *sketch) {
    byte_buffer out = {0};
    write_theta(&out, sketch);
    set_bytes(call, row, &out);
    free_compact(sketch);
}

/* --- aggregates of keys and of sketches --- */

static void update_keys(native_call *call, duckdb_aggregate_state *states) {
    key_column keys = key_argument(call, 0);
    const int32_t *nominal = ARGUMENT(call, int32_t, 1);
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        sketch_union *state = (sketch_union *)states[row];
        uint64_t hash[2];
        bool found;
        if (!argument_valid(call, 0, row) || !key_hash(call, &keys, row, hash))
            continue;
        union_start(state, nominal[row], false);
        union_key(state, hash[0] >> 1, &found);
        union_settle(state);
    }
}

static void update_union(native_call *call, duckdb_aggregate_state *states) {
    const int32_t *nominal = ARGUMENT(call, int32_t, 1);
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        compact_sketch sketch;
        if (!argument_valid(call, 0, row) || !read_theta(call, argument_text(call, 0, row), &sketch))
            continue;
        sketch_union *state = (sketch_union *)states[row];
        union_start(state, nominal[row], false);
        union_add(state, &sketch, MODE_SUM);
        free_compact(&sketch);
    }
}

static void combine_union(void *target, const void *source) { union_merge(target, source, MODE_SUM); }

static void finish_union(native_call *call, const void *state, idx_t row) {
    compact_sketch result = union_result(state);
    set_theta(call, row, &result);
}

static void destroy_union(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        union_free((sketch_union *)states[i]);
}

/* --- intersections --- */

/* What is in both; the result takes the place of `a`. */
static void meet(compact_sketch *a, const compact_sketch *b) {
    if (a->empty || b->empty) {
        free_compact(a);
        *a = (compact_sketch){.theta = THETA_ONE, .empty = true};
        return;
    }
    int lg_size = 5;
    while ((1ULL << lg_size) < 2ULL * b->count)
        lg_size++;
    hash_table table = new_table(lg_size, false);
    a->theta = b->theta < a->theta ? b->theta : a->theta;
    for (uint32_t i = 0; i < b->count; i++)
        table.hashes[table_place(&table, b->hashes[i])] = b->hashes[i];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->hashes[i] < a->theta && table.hashes[table_place(&table, a->hashes[i])])
            a->hashes[kept++] = a->hashes[i];
    a->count = kept;
    free_table(&table);
}

typedef struct { compact_sketch sketch; bool started, skipped; int exact; } meeting;

static void meeting_add(meeting *state, compact_sketch *sketch) {
    if (state->started) {
        meet(&state->sketch, sketch);
        free_compact(sketch);
    } else {
        state->sketch = *sketch;
    }
    state->started = true;
}

static void update_meeting(native_call *call, duckdb_aggregate_state *states) {
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        meeting *state = (meeting *)states[row];
        compact_sketch sketch;
        if (!argument_valid(call, 0, row)) {
            state->skipped = true;
        } else if (read_theta(call, argument_text(call, 0, row), &sketch)) {
            state->exact += sketch.theta == THETA_ONE;
            meeting_add(state, &sketch);
        }
    }
}

static compact_sketch copy_of(const compact_sketch *sketch) {
    compact_sketch copy = *sketch;
    copy.summaries = NULL;
    copy.hashes = allocate((size_t)sketch->count + 1, 8);
    if (sketch->count)
        memcpy(copy.hashes, sketch->hashes, 8 * (size_t)sketch->count);
    return copy;
}

static void combine_meeting(void *into, const void *from) {
    meeting *target = into;
    const meeting *source = from;
    target->skipped |= source->skipped;
    target->exact += source->exact;
    if (source->started) {
        compact_sketch copy = copy_of(&source->sketch);
        meeting_add(target, &copy);
    }
}

/* A partition without a sketch makes Spark fail; and where two exact sketches have nothing in common, it depends on the
 * partitions whether a third one's theta is kept. */
static void finish_meeting(native_call *call, const void *from, idx_t row) {
    const meeting *state = from;
    if (!state->started || state->skipped) {
        fall_back(call, "SKETCH_STATE", "an intersection of no sketches, or of some that are null");
        return;
    }
    if (!state->sketch.empty && state->sketch.count == 0 && state->sketch.theta < THETA_ONE && state->exact > 1) {
        fall_back(call, "SKETCH_STATE", "an intersection of sketches that have nothing in common");
        return;
    }
    compact_sketch copy = copy_of(&state->sketch);
    set_theta(call, row, &copy);
}

static void destroy_meeting(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        free_compact(&((meeting *)states[i])->sketch);
}

/* --- functions of sketches --- */

static bool read_both(native_call *call, idx_t row, compact_sketch *a, compact_sketch *b) {
    if (!read_theta(call, argument_text(call, 0, row), a))
        return false;
    if (read_theta(call, argument_text(call, 1, row), b))
        return true;
    free_compact(a);
    return false;
}

static void estimate_rows(native_call *call) {
    EACH_ROW(call, row) {
        compact_sketch sketch;
        if (!read_theta(call, argument_text(call, 0, row), &sketch))
            return;
        RESULT(call, int64_t)[row] = java_round(sketch.count * (0x1p63 / (double)sketch.theta));
        free_compact(&sketch);
    }
}

static void union_rows(native_call *call) {
    EACH_ROW(call, row) {
        compact_sketch a, b, result;
        sketch_union both = {0};
        int32_t nominal = ARGUMENT(call, int32_t, 2)[row];
        if (nominal < 4 || nominal > 26) {
            fall_back(call, "SKETCH_STATE", "a sketch of an invalid size");
            return;
        }
        if (!read_both(call, row, &a, &b))
            return;
        union_start(&both, nominal, false);
        union_add(&both, &a, MODE_SUM);
        union_add(&both, &b, MODE_SUM);
        result = union_result(&both);
        set_theta(call, row, &result);
        union_free(&both);
        free_compact(&a);
        free_compact(&b);
    }
}

static void intersection_rows(native_call *call) {
    EACH_ROW(call, row) {
        compact_sketch a, b;
        if (!read_both(call, row, &a, &b))
            return;
        meet(&a, &b);
        set_theta(call, row, &a);
        free_compact(&b);
    }
}

static void subtract(compact_sketch *a, const compact_sketch *b) {
    compact_sketch common = copy_of(a);
    uint32_t kept = 0, at = 0;
    meet(&common, b);
    for (uint32_t i = 0; i < a->count; i++) {
        bool both = at < common.count && common.hashes[at] == a->hashes[i]; /* they come in the order of `a` */
        at += both;
        if (!both && a->hashes[i] < common.theta)
            a->hashes[kept++] = a->hashes[i];
    }
    a->count = kept;
    a->theta = common.theta;
    free_compact(&common);
}

static void difference_rows(native_call *call) {
    EACH_ROW(call, row) {
        compact_sketch a, b;
        if (!read_both(call, row, &a, &b))
            return;
        if (!a.empty && !b.empty)
            subtract(&a, &b);
        set_theta(call, row, &a);
        free_compact(&b);
    }
}

const native_function theta_functions[] = {
    {"spark_theta_sketch_estimate", "x>l", estimate_rows, NULL},
    {"spark_theta_union", "xxi>x", union_rows, NULL},
    {"spark_theta_intersection", "xx>x", intersection_rows, NULL},
    {"spark_theta_difference", "xx>x", difference_rows, NULL},
    {NULL}};

const native_aggregate theta_aggregates[] = {
    {"spark_theta_sketch_agg", "Ai>x", sizeof(sketch_union), update_keys, combine_union, finish_union, destroy_union, NULL},
    {"spark_theta_union_agg", "xi>x", sizeof(sketch_union), update_union, combine_union, finish_union, destroy_union, NULL},
    {"spark_theta_intersection_agg", "x>x", sizeof(meeting), update_meeting, combine_meeting, finish_meeting, destroy_meeting,
     NULL},
    {NULL}};
