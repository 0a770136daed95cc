/* Tuple sketches of Apache DataSketches with a double or a whole number for each key, byte for byte.
 *
 * SQL spelling, with _double or _integer at the end: spark_tuple_sketch_agg(key, value, k, mode),
 * spark_tuple_union_agg(sketch, k, mode), spark_tuple_intersection_agg(sketch, mode), spark_tuple_union(a, b, k, mode),
 * spark_tuple_intersection(a, b, mode), spark_tuple_difference(a, b) -> BLOB, and the same with _theta before that end,
 * where b is a theta sketch; spark_tuple_sketch_estimate(s), spark_tuple_sketch_theta(s), spark_tuple_sketch_summary(s, mode).
 * k is the logarithm of the nominal entries; modes are 0 sum, 1 min, 2 max, 3 alwaysone.
 *
 * Entries are shown in the order of a hash table, where collisions depend on the order of the keys: ours is that of rows
 * in one partition, which Spark's final aggregation puts into a table once more. */
#include "sketches.h"
#include <math.h>
#include <stdlib.h>

enum { FAMILY_TUPLE = 9, TYPE_COMPACT = 1, FLAGS = 0x0a, FLAG_EMPTY = 4 };

/* --- images --- */

static bool estimating(const compact_sketch *sketch) { return sketch->theta < THETA_ONE && !sketch->empty; }

static void set_tuple(native_call *call, idx_t row, compact_sketch *sketch, bool real) {
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

static bool read_tuple(native_call *call, text image, bool real, compact_sketch *sketch) {
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
static bool read_as_tuple(native_call *call, text image, int mode, compact_sketch *sketch) {
    if (!read_theta(call, image, sketch))
        return false;
    sketch->summaries = malloc(sizeof(summary) * ((size_t)sketch->count + 1));
    for (uint32_t i = 0; i < sketch->count; i++)
        sketch->summaries[i] = new_summary(mode);
    return true;
}

/* --- unions and aggregates of keys --- */

typedef struct { sketch_union keys; int32_t mode; bool real; } tuple_state;

static void update_keys(native_call *call, duckdb_aggregate_state *states, bool real) {
    key_column keys = key_argument(call, 0);
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        tuple_state *state = (tuple_state *)states[row];
        uint64_t hash[2];
        bool found;
        if (!argument_valid(call, 0, row) || !argument_valid(call, 1, row) || !key_hash(call, &keys, row, hash))
            continue;
        state->mode = ARGUMENT(call, int32_t, 3)[row];
        state->real = real;
        union_start(&state->keys, ARGUMENT(call, int32_t, 2)[row], true);
        summary *place = union_key(&state->keys, hash[0] >> 1, &found);
        if (place && !found)
            *place = new_summary(state->mode);
        if (place)
            summary_update(place, real ? ARGUMENT(call, double, 1)[row] : 0.0, real ? 0 : ARGUMENT(call, int32_t, 1)[row]);
        union_settle(&state->keys);
    }
}
static void update_keys_double(native_call *call, duckdb_aggregate_state *states) { update_keys(call, states, true); }
static void update_keys_integer(native_call *call, duckdb_aggregate_state *states) { update_keys(call, states, false); }

static void update_union(native_call *call, duckdb_aggregate_state *states, bool real) {
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        tuple_state *state = (tuple_state *)states[row];
        compact_sketch sketch;
        if (!argument_valid(call, 0, row) || !read_tuple(call, argument_text(call, 0, row), real, &sketch))
            continue;
        state->mode = ARGUMENT(call, int32_t, 2)[row];
        state->real = real;
        union_start(&state->keys, ARGUMENT(call, int32_t, 1)[row], true);
        union_add(&state->keys, &sketch, state->mode);
        free_compact(&sketch);
    }
}
static void update_union_double(native_call *call, duckdb_aggregate_state *states) { update_union(call, states, true); }
static void update_union_integer(native_call *call, duckdb_aggregate_state *states) { update_union(call, states, false); }

static void combine(void *into, const void *from) {
    tuple_state *target = into;
    const tuple_state *source = from;
    if (!source->keys.table.hashes)
        return;
    target->mode = source->mode;
    target->real = source->real;
    union_merge(&target->keys, &source->keys, source->mode);
}

/* What Spark's final aggregation makes of one partition's sketch. */
static void finish_part(native_call *call, idx_t row, const tuple_state *state, compact_sketch *part) {
    sketch_union once_more = {0};
    union_start(&once_more, state->keys.table.hashes ? state->keys.lg_nominal : 4, true);
    union_add(&once_more, part, state->mode);
    free_compact(part);
    compact_sketch result = union_result(&once_more);
    set_tuple(call, row, &result, state->real);
    union_free(&once_more);
}

/* A partition's sketch of keys is not cut down to the nominal entries before it is sent. */
static void finish_keys(native_call *call, const void *from, idx_t row) {
    const tuple_state *state = from;
    tuple_state whole = *state;
    whole.keys.lg_nominal = 26;
    compact_sketch part = union_result(&whole.keys);
    finish_part(call, row, state, &part);
}

static void finish_union(native_call *call, const void *from, idx_t row) {
    compact_sketch part = union_result(&((const tuple_state *)from)->keys);
    finish_part(call, row, from, &part);
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        union_free(&((tuple_state *)states[i])->keys);
}

/* --- intersections --- */

/* The entries in the order of a table made for them. */
static void into_table_order(compact_sketch *sketch) {
    int lg_size = 4;
    while ((double)(1u << lg_size) < ceil(sketch->count / 0.75))
        lg_size++;
    hash_table table = new_table(lg_size, true);
    for (uint32_t i = 0; i < sketch->count; i++) {
        uint32_t at = table_place(&table, sketch->hashes[i]);
        table.hashes[at] = sketch->hashes[i];
        table.summaries[at] = sketch->summaries[i];
    }
    uint32_t count = 0;
    for (uint32_t at = 0; at < 1u << lg_size; at++)
        if (table.hashes[at]) {
            sketch->hashes[count] = table.hashes[at];
            sketch->summaries[count++] = table.summaries[at];
        }
    free_table(&table);
}

typedef struct { compact_sketch sketch; int32_t mode; bool started, skipped, real; } meeting;

static hash_table table_of(const compact_sketch *sketch) {
    int lg_size = 5;
    while ((1ULL << lg_size) < 2ULL * sketch->count)
        lg_size++;
    hash_table table = new_table(lg_size, true);
    for (uint32_t i = 0; i < sketch->count; i++) {
        uint32_t at = table_place(&table, sketch->hashes[i]);
        table.hashes[at] = sketch->hashes[i];
        table.summaries[at] = sketch->summaries[i];
    }
    return table;
}

/* Takes `next` over. */
static void meet(compact_sketch *met, compact_sketch *next, int mode) {
    hash_table table = table_of(met);
    uint32_t count = 0;
    for (uint32_t i = 0; i < next->count; i++) {
        uint32_t at = table_place(&table, next->hashes[i]);
        if (next->hashes[i] >= met->theta || !table.hashes[at])
            continue;
        next->hashes[count] = next->hashes[i];
        next->summaries[count++] = summary_of_both(mode, table.summaries[at], next->summaries[i]);
    }
    next->count = count;
    next->theta = met->theta;
    free_table(&table);
    free_compact(met);
    *met = *next;
}

static void meeting_add(meeting *state, compact_sketch *next) {
    if (!state->started) {
        state->sketch = *next;
    } else if (state->sketch.empty || next->empty) {
        free_compact(&state->sketch);
        free_compact(next);
        state->sketch = (compact_sketch){.theta = THETA_ONE, .empty = true};
    } else {
        state->sketch.theta = next->theta < state->sketch.theta ? next->theta : state->sketch.theta;
        meet(&state->sketch, next, state->mode);
    }
    state->started = true;
    into_table_order(&state->sketch);
}

static void update_meeting(native_call *call, duckdb_aggregate_state *states, bool real) {
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        meeting *state = (meeting *)states[row];
        compact_sketch sketch;
        state->mode = ARGUMENT(call, int32_t, 1)[row];
        state->real = real;
        if (!argument_valid(call, 0, row))
            state->skipped = true;
        else if (read_tuple(call, argument_text(call, 0, row), real, &sketch))
            meeting_add(state, &sketch);
    }
}
static void update_meeting_double(native_call *call, duckdb_aggregate_state *states) { update_meeting(call, states, true); }
static void update_meeting_integer(native_call *call, duckdb_aggregate_state *states) { update_meeting(call, states, false); }

static compact_sketch copy_of(const compact_sketch *sketch) {
    compact_sketch copy = *sketch;
    copy.hashes = malloc(8 * (size_t)sketch->count + 8);
    copy.summaries = malloc(sizeof(summary) * ((size_t)sketch->count + 1));
    if (sketch->count) {
        memcpy(copy.hashes, sketch->hashes, 8 * (size_t)sketch->count);
        memcpy(copy.summaries, sketch->summaries, sizeof(summary) * (size_t)sketch->count);
    }
    return copy;
}

static void combine_meeting(void *into, const void *from) {
    meeting *target = into;
    const meeting *source = from;
    target->skipped |= source->skipped;
    if (!source->started)
        return;
    target->mode = source->mode;
    target->real = source->real;
    compact_sketch copy = copy_of(&source->sketch);
    if (target->started)
        meeting_add(target, &copy);
    else
        target->sketch = copy;
    target->started = true;
}

/* A partition without a sketch makes Spark fail. */
static void finish_meeting(native_call *call, const void *from, idx_t row) {
    const meeting *state = from;
    if (!state->started || state->skipped) {
        elsewhere(call, "an intersection of sketches of which some are null, or of none");
        return;
    }
    compact_sketch copy = copy_of(&state->sketch);
    into_table_order(&copy);
    set_tuple(call, row, &copy, state->real);
}

static void destroy_meeting(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        free_compact(&((meeting *)states[i])->sketch);
}

/* --- functions of sketches; `extra` tells doubles and theta sketches --- */

typedef struct { bool real, theta; } variety;
static const variety REAL = {true, false}, WHOLE = {false, false}, REAL_THETA = {true, true}, WHOLE_THETA = {false, true};

static const variety *variety_of(const native_call *call) { return call->function->extra; }

static bool read_both(native_call *call, idx_t row, int mode, compact_sketch *a, compact_sketch *b) {
    const variety *kind = variety_of(call);
    text second = argument_text(call, 1, row);
    if (!read_tuple(call, argument_text(call, 0, row), kind->real, a))
        return false;
    if (kind->theta ? read_as_tuple(call, second, mode, b) : read_tuple(call, second, kind->real, b))
        return true;
    free_compact(a);
    return false;
}

static void union_rows(native_call *call) {
    EACH_ROW(call, row) {
        compact_sketch a, b;
        sketch_union both = {0};
        int32_t mode = ARGUMENT(call, int32_t, 3)[row];
        if (!read_both(call, row, mode, &a, &b))
            return;
        union_start(&both, ARGUMENT(call, int32_t, 2)[row], true);
        union_add(&both, &a, mode);
        union_add(&both, &b, mode);
        compact_sketch result = union_result(&both);
        set_tuple(call, row, &result, variety_of(call)->real);
        union_free(&both);
        free_compact(&a);
        free_compact(&b);
    }
}

static void intersection_rows(native_call *call) {
    EACH_ROW(call, row) {
        compact_sketch a, b;
        meeting both = {.mode = ARGUMENT(call, int32_t, 2)[row]};
        if (!read_both(call, row, both.mode, &a, &b))
            return;
        meeting_add(&both, &a);
        meeting_add(&both, &b);
        set_tuple(call, row, &both.sketch, variety_of(call)->real);
    }
}

/* Whether a key of A is one of B; the table is that of B. */
static void subtract(compact_sketch *a, const compact_sketch *b, uint64_t theta) {
    hash_table table = table_of(b);
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->hashes[i] < theta && !table.hashes[table_place(&table, a->hashes[i])]) {
            a->hashes[count] = a->hashes[i];
            a->summaries[count++] = a->summaries[i];
        }
    a->count = count;
    a->theta = theta;
    free_table(&table);
}

static bool nothing_exactly(const compact_sketch *sketch) {
    return !sketch->empty && sketch->count == 0 && sketch->theta == THETA_ONE;
}

/* A without entries that is not empty takes B's theta, whatever its own was: DataSketches resets before it compares. */
static void difference_of(compact_sketch *a, const compact_sketch *b) {
    if (a->empty || b->empty)
        return;
    if (a->count == 0)
        a->theta = b->theta < THETA_ONE ? b->theta : a->theta;
    else
        subtract(a, b, b->theta < a->theta ? b->theta : a->theta);
    a->empty = a->count == 0 && a->theta == THETA_ONE;
}

static void difference_rows(native_call *call) {
    EACH_ROW(call, row) {
        compact_sketch a, b;
        if (!read_both(call, row, MODE_SUM, &a, &b))
            return;
        if (nothing_exactly(&a) || nothing_exactly(&b)) {
            elsewhere(call, "a difference of a sketch that says it is not empty, and is");
        } else {
            difference_of(&a, &b);
            set_tuple(call, row, &a, variety_of(call)->real);
        }
        free_compact(&a);
        free_compact(&b);
    }
}

static double theta_of(const compact_sketch *sketch) { return (double)sketch->theta / 0x1p63; }
static double estimate_of(const compact_sketch *sketch) { return estimating(sketch) ? sketch->count / theta_of(sketch) : sketch->count; }

static void number_rows(native_call *call, double (*number)(const compact_sketch *)) {
    EACH_ROW(call, row) {
        compact_sketch sketch;
        if (!read_tuple(call, argument_text(call, 0, row), variety_of(call)->real, &sketch))
            return;
        RESULT(call, double)[row] = number(&sketch);
        free_compact(&sketch);
    }
}

static void estimate_rows(native_call *call) { number_rows(call, estimate_of); }
static void theta_rows(native_call *call) { number_rows(call, theta_of); }

/* java.lang.Math.min and max: NaN wins, and -0.0 is less than 0.0. */
static double less(double a, double b) { return isnan(a) || isnan(b) ? NAN : a < b || (a == b && signbit(a)) ? a : b; }
static double more(double a, double b) { return isnan(a) || isnan(b) ? NAN : a > b || (a == b && !signbit(a)) ? a : b; }

static double real_summary(const compact_sketch *sketch, int mode) {
    double result = 0.0;
    for (uint32_t i = 0; i < sketch->count; i++) {
        double value = sketch->summaries[i].real;
        if (mode == MODE_SUM || mode == MODE_ONE)
            result += mode == MODE_SUM ? value : 1.0;
        else
            result = i == 0 ? value : mode == MODE_MIN ? less(result, value) : more(result, value);
    }
    return result;
}

static int64_t whole_summary(const compact_sketch *sketch, int mode) {
    int64_t result = 0;
    for (uint32_t i = 0; i < sketch->count; i++) {
        int64_t value = sketch->summaries[i].whole;
        if (mode == MODE_SUM || mode == MODE_ONE)
            result += mode == MODE_SUM ? value : 1;
        else
            result = i == 0 || (mode == MODE_MIN ? value < result : value > result) ? value : result;
    }
    return result;
}

static void summary_rows(native_call *call) {
    bool real = variety_of(call)->real;
    EACH_ROW(call, row) {
        compact_sketch sketch;
        int32_t mode = ARGUMENT(call, int32_t, 1)[row];
        if (!read_tuple(call, argument_text(call, 0, row), real, &sketch))
            return;
        if (real)
            RESULT(call, double)[row] = real_summary(&sketch, mode);
        else
            RESULT(call, int64_t)[row] = whole_summary(&sketch, mode);
        free_compact(&sketch);
    }
}

const native_function tuple_functions[] = {
    {"spark_tuple_union_double", "xxii>x", union_rows, &REAL},
    {"spark_tuple_union_integer", "xxii>x", union_rows, &WHOLE},
    {"spark_tuple_union_theta_double", "xxii>x", union_rows, &REAL_THETA},
    {"spark_tuple_union_theta_integer", "xxii>x", union_rows, &WHOLE_THETA},
    {"spark_tuple_intersection_double", "xxi>x", intersection_rows, &REAL},
    {"spark_tuple_intersection_integer", "xxi>x", intersection_rows, &WHOLE},
    {"spark_tuple_intersection_theta_double", "xxi>x", intersection_rows, &REAL_THETA},
    {"spark_tuple_intersection_theta_integer", "xxi>x", intersection_rows, &WHOLE_THETA},
    {"spark_tuple_difference_double", "xx>x", difference_rows, &REAL},
    {"spark_tuple_difference_integer", "xx>x", difference_rows, &WHOLE},
    {"spark_tuple_difference_theta_double", "xx>x", difference_rows, &REAL_THETA},
    {"spark_tuple_difference_theta_integer", "xx>x", difference_rows, &WHOLE_THETA},
    {"spark_tuple_sketch_estimate_double", "x>d", estimate_rows, &REAL},
    {"spark_tuple_sketch_estimate_integer", "x>d", estimate_rows, &WHOLE},
    {"spark_tuple_sketch_theta_double", "x>d", theta_rows, &REAL},
    {"spark_tuple_sketch_theta_integer", "x>d", theta_rows, &WHOLE},
    {"spark_tuple_sketch_summary_double", "xi>d", summary_rows, &REAL},
    {"spark_tuple_sketch_summary_integer", "xi>l", summary_rows, &WHOLE},
    {NULL}};

const native_aggregate tuple_aggregates[] = {
    {"spark_tuple_sketch_agg_double", "Adii>x", sizeof(tuple_state), update_keys_double, combine, finish_keys, destroy, NULL},
    {"spark_tuple_sketch_agg_integer", "Aiii>x", sizeof(tuple_state), update_keys_integer, combine, finish_keys, destroy, NULL},
    {"spark_tuple_union_agg_double", "xii>x", sizeof(tuple_state), update_union_double, combine, finish_union, destroy, NULL},
    {"spark_tuple_union_agg_integer", "xii>x", sizeof(tuple_state), update_union_integer, combine, finish_union, destroy, NULL},
    {"spark_tuple_intersection_agg_double", "xi>x", sizeof(meeting), update_meeting_double, combine_meeting, finish_meeting,
     destroy_meeting, NULL},
    {"spark_tuple_intersection_agg_integer", "xi>x", sizeof(meeting), update_meeting_integer, combine_meeting, finish_meeting,
     destroy_meeting, NULL},
    {NULL}};
