/* Aggregates of tuple sketches: built from keys, union and intersection; tuple.c has their SQL spelling. */
#include "sketches/tuple.h"
#include <math.h>
#include <stdlib.h>

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

/* A partition's sketch of keys is not reduced to the nominal entries before it is sent. */
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

hash_table table_of(const compact_sketch *sketch) {
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

void meeting_add(meeting *state, compact_sketch *next) {
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
    copy.hashes = allocate((size_t)sketch->count + 1, 8);
    copy.summaries = allocate((size_t)sketch->count + 1, sizeof(summary));
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
        fall_back(call, "SKETCH_STATE", "an intersection of no sketches, or of some that are null");
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
