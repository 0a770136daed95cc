/* Updatable theta and tuple sketches: the smallest hashes with their summaries, in DataSketches' hash tables.
 *
 * Which hashes are kept, and theta, do not depend on the order of the keys nor on how they were split: the k smallest
 * hashes, and theta the next one. The places of entries in the table do, where hashes collide: a tuple sketch shows its
 * entries in that order. */
#include "sketches/sketches.h"
#include <math.h>
#include <stdlib.h>

/* The order of a table shows only where there are summaries; without them it starts small and doubles. */
enum { LG_LEAST_SIZE = 5, LG_RESIZE = 3, LG_SMALLEST = 3 };
enum { LG_FEWEST = 4, LG_MOST = 26 }; /* DataSketches' ThetaUtil */

void free_compact(compact_sketch *sketch) {
    release(sketch->hashes);
    release(sketch->summaries);
    *sketch = (compact_sketch){0};
}

hash_table new_table(int lg_size, bool summaries) {
    size_t size = (size_t)1 << lg_size;
    return (hash_table){lg_size, allocate_zeroed(size, 8), summaries ? allocate_zeroed(size, sizeof(summary)) : NULL};
}

void free_table(hash_table *table) {
    release(table->hashes);
    release(table->summaries);
    *table = (hash_table){0};
}

uint32_t table_place(const hash_table *table, uint64_t hash) {
    uint32_t mask = (1u << table->lg_size) - 1, at = (uint32_t)hash & mask;
    uint32_t stride = 2 * ((uint32_t)(hash >> table->lg_size) & 127) + 1;
    while (table->hashes[at] && table->hashes[at] != hash)
        at = (at + stride) & mask;
    return at;
}

/* --- summaries --- */

summary new_summary(int mode) {
    switch (mode) {
    case MODE_MIN: return (summary){INFINITY, INT32_MAX, mode};
    case MODE_MAX: return (summary){-INFINITY, INT32_MIN, mode};
    case MODE_ONE: return (summary){1.0, 1, mode};
    default: return (summary){0.0, 0, mode};
    }
}

void summary_update(summary *into, double real, int32_t whole) {
    switch (into->mode) {
    case MODE_SUM:
        into->real += real;
        into->whole = (int32_t)((uint32_t)into->whole + (uint32_t)whole);
        break;
    case MODE_MIN:
        into->real = real < into->real ? real : into->real;
        into->whole = whole < into->whole ? whole : into->whole;
        break;
    case MODE_MAX:
        into->real = real > into->real ? real : into->real;
        into->whole = whole > into->whole ? whole : into->whole;
        break;
    default:
        into->real = into->whole = 1;
    }
}

summary summary_of_both(int mode, summary a, summary b) {
    summary both = new_summary(mode);
    summary_update(&both, a.real, a.whole);
    summary_update(&both, b.real, b.whole);
    return both;
}

/* --- the union --- */

static int starting_size(int lg_nominal) {
    int target = lg_nominal + 1;
    return target <= LG_LEAST_SIZE ? LG_LEAST_SIZE : (target - LG_LEAST_SIZE) % LG_RESIZE + LG_LEAST_SIZE;
}

void union_start(sketch_union *state, int32_t lg_nominal, bool summaries) {
    if (state->table.hashes)
        return;
    if (lg_nominal < LG_FEWEST || lg_nominal > LG_MOST)
        end_fall_back("SKETCH_STATE", "a sketch of an invalid size");
    state->lg_nominal = lg_nominal;
    state->summaries = summaries;
    state->theta = state->gadget_theta = THETA_ONE;
    state->table = new_table(summaries ? starting_size(lg_nominal) : LG_SMALLEST, summaries);
}

summary *union_key(sketch_union *state, uint64_t hash, bool *found) {
    static summary nothing;
    state->gadget_filled = true;
    if (hash == 0 || hash >= state->gadget_theta)
        return NULL;
    uint32_t at = table_place(&state->table, hash);
    *found = state->table.hashes[at] == hash;
    state->count += !*found;
    state->table.hashes[at] = hash;
    return state->summaries ? &state->table.summaries[at] : &nothing;
}

/* The hash with exactly `rank` smaller ones; the array is reordered. */
static uint64_t select_hash(uint64_t *hashes, int64_t count, int64_t rank) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        uint64_t pivot = hashes[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (hashes[i] < pivot)
                i++;
            while (hashes[j] > pivot)
                j--;
            if (i <= j) {
                uint64_t kept = hashes[i];
                hashes[i++] = hashes[j];
                hashes[j--] = kept;
            }
        }
        if (rank <= j)
            high = j;
        else if (rank >= i)
            low = i;
        else
            break;
    }
    return hashes[rank];
}

static uint64_t hash_of_rank(const hash_table *table, uint64_t below, uint32_t rank, uint32_t *counted) {
    size_t size = (size_t)1 << table->lg_size;
    uint64_t *hashes = allocate_temporary(size, 8), found = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < size; i++)
        if (table->hashes[i] && table->hashes[i] < below)
            hashes[count++] = table->hashes[i];
    if (count > rank)
        found = select_hash(hashes, count, rank);
    *counted = count;
    release(hashes);
    return found;
}

static void resize(sketch_union *state, int lg_size) {
    hash_table old = state->table, larger = new_table(lg_size, state->summaries);
    state->table = larger;
    state->count = 0;
    for (size_t i = 0; i < (size_t)1 << old.lg_size; i++)
        if (old.hashes[i] && old.hashes[i] < state->gadget_theta) {
            uint32_t at = table_place(&state->table, old.hashes[i]);
            state->table.hashes[at] = old.hashes[i];
            if (state->summaries)
                state->table.summaries[at] = old.summaries[i];
            state->count++;
        }
    free_table(&old);
}

void union_settle(sketch_union *state) {
    bool whole = state->table.lg_size > state->lg_nominal;
    uint32_t size = 1u << state->table.lg_size, counted;
    if (state->count <= (whole ? size / 16 * 15 : size / 2))
        return;
    if (whole)
        state->gadget_theta = hash_of_rank(&state->table, THETA_ONE, 1u << state->lg_nominal, &counted);
    resize(state, state->table.lg_size + (whole ? 0 : state->summaries ? LG_RESIZE : 1));
}

static void union_entry(sketch_union *state, uint64_t hash, const summary *more, int mode) {
    bool found;
    summary *place = union_key(state, hash, &found);
    if (place && more)
        *place = found ? summary_of_both(mode, *place, *more) : *more;
    union_settle(state);
}

void union_add(sketch_union *state, const compact_sketch *sketch, int mode) {
    if (sketch->empty)
        return;
    state->filled = true;
    state->theta = sketch->theta < state->theta ? sketch->theta : state->theta;
    for (uint32_t i = 0; i < sketch->count; i++)
        union_entry(state, sketch->hashes[i], sketch->summaries ? &sketch->summaries[i] : NULL, mode);
    state->theta = state->gadget_theta < state->theta ? state->gadget_theta : state->theta;
}

static sketch_union copy_of(const sketch_union *state) {
    sketch_union copy = *state;
    size_t size = (size_t)1 << state->table.lg_size;
    copy.table = new_table(state->table.lg_size, state->summaries);
    memcpy(copy.table.hashes, state->table.hashes, 8 * size);
    if (state->summaries)
        memcpy(copy.table.summaries, state->table.summaries, sizeof(summary) * size);
    return copy;
}

/* Merges DuckDB's partial states of a group like Spark's partitions: the first is kept unchanged. */
void union_merge(sketch_union *target, const sketch_union *source, int mode) {
    if (!source->table.hashes)
        return;
    if (!target->table.hashes) {
        *target = copy_of(source);
        return;
    }
    compact_sketch part = union_result(source);
    union_add(target, &part, mode);
    target->gadget_filled |= source->gadget_filled;
    free_compact(&part);
}

compact_sketch union_result(const sketch_union *state) {
    if (!state->gadget_filled && !state->filled)
        return (compact_sketch){.theta = THETA_ONE, .empty = true};
    uint64_t theta = state->theta < state->gadget_theta ? state->theta : state->gadget_theta;
    uint32_t nominal = 1u << state->lg_nominal, count = state->count;
    if (count > nominal) {
        uint64_t cut = hash_of_rank(&state->table, theta, nominal, &count);
        theta = count > nominal ? cut : theta;
    }
    compact_sketch result = {.theta = theta, .hashes = allocate((size_t)count + 1, 8)};
    if (state->summaries)
        result.summaries = allocate((size_t)count + 1, sizeof(summary));
    for (size_t i = 0; i < (size_t)1 << state->table.lg_size; i++)
        if (state->table.hashes[i] && state->table.hashes[i] < theta) {
            if (state->summaries)
                result.summaries[result.count] = state->table.summaries[i];
            result.hashes[result.count++] = state->table.hashes[i];
        }
    result.empty = result.count == 0 && theta == THETA_ONE;
    return result;
}

void union_free(sketch_union *state) { free_table(&state->table); }
