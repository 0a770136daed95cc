/* Folds the rows of each window frame in order from an empty state, as Spark does: the last bit of a double depends on that
 * order. DuckDB merges the states of row segments; here a state stores its rows in order instead, segments are shared between
 * frames, and each caches its last fold, so that a frame that grows row by row costs a few steps for each row.
 *
 * To be included with WINDOW_ROW (the stored value of a row), WINDOW_FOLDED (the folded state) and W(name), which makes names
 * unique for each use; W(step)(folded, row) must be defined before. */
#include "core/native.h"
#include <stdatomic.h>
#include <stdlib.h>

typedef struct W(piece) W(piece);
typedef struct { W(piece) *shared; WINDOW_ROW value; } W(item); /* a segment of rows, or one row */
typedef struct { W(item) *items; size_t count, room; _Atomic(W(piece) *) as_piece; int16_t operation; } W(state);

struct W(piece) {
    atomic_size_t owners;
    size_t count;
    atomic_flag busy;
    bool known;
    WINDOW_FOLDED before, after; /* the last fold: its input and its result */
    W(item) items[];
};

static void W(add_item)(W(state) *state, W(item) added) {
    if (state->count == state->room)
        state->items = make_room(state->items, &state->room, state->count + 4, sizeof(W(item)));
    state->items[state->count++] = added;
}

static void W(leave)(W(piece) *shared) {
    if (atomic_fetch_sub(&shared->owners, 1) != 1)
        return;
    for (size_t i = 0; i < shared->count; i++)
        if (shared->items[i].shared)
            W(leave)(shared->items[i].shared);
    release(shared);
}

/* The segment of a state's rows that other states share: made at the first use. */
static W(piece) *W(piece_of)(W(state) *state) {
    W(piece) *made = atomic_load(&state->as_piece);
    if (made)
        return made;
    made = allocate_zeroed(1, checked_size(state->count, sizeof(W(item)), sizeof(W(piece))));
    made->count = state->count;
    atomic_store(&made->owners, 1);
    for (size_t i = 0; i < state->count; i++) {
        made->items[i] = state->items[i];
        if (made->items[i].shared)
            atomic_fetch_add(&made->items[i].shared->owners, 1);
    }
    W(piece) *other = NULL;
    if (atomic_compare_exchange_strong(&state->as_piece, &other, made))
        return made;
    W(leave)(made);
    return other;
}

static void W(combine)(void *into, const void *from) {
    W(state) *target = into, *source = (W(state) *)from;
    if (source->count == 0)
        return;
    W(item) added = source->items[0];
    if (source->count > 1)
        added = (W(item)){.shared = W(piece_of)(source)};
    W(add_item)(target, added);
    target->operation = source->operation;
    if (added.shared)
        atomic_fetch_add(&added.shared->owners, 1);
}

static WINDOW_FOLDED W(fold)(const W(item) *items, size_t count, WINDOW_FOLDED sum, uint64_t *done);

/* A cancelled fold leaves the piece busy: the others of its operation end as well. */
static WINDOW_FOLDED W(fold_piece)(W(piece) *shared, WINDOW_FOLDED sum, uint64_t *done) {
    if (atomic_flag_test_and_set(&shared->busy)) /* another thread is here: no need to wait */
        return W(fold)(shared->items, shared->count, sum, done);
    if (!shared->known || memcmp(&shared->before, &sum, sizeof sum)) {
        shared->after = W(fold)(shared->items, shared->count, sum, done);
        shared->before = sum;
        shared->known = true;
    }
    sum = shared->after;
    atomic_flag_clear(&shared->busy);
    return sum;
}

static WINDOW_FOLDED W(fold)(const W(item) *items, size_t count, WINDOW_FOLDED sum, uint64_t *done) {
    stay_cancellable(done, 4 * count);
    for (size_t i = 0; i < count; i++)
        sum = items[i].shared ? W(fold_piece)(items[i].shared, sum, done) : W(step)(sum, items[i].value);
    return sum;
}

/* All rows of a frame. Frames of a million rows and more take long, and DuckDB asks for those of 2048 rows at once. */
static WINDOW_FOLDED W(fold_state)(const W(state) *state, WINDOW_FOLDED nothing) {
    uint64_t done = 0;
    begin_cancellable(numbered_cancellation(state->operation));
    end_if_cancelled();
    return W(fold)(state->items, state->count, nothing, &done);
}

static void W(destroy)(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++) {
        W(state) *state = (W(state) *)states[i];
        for (size_t k = 0; k < state->count; k++)
            if (state->items[k].shared)
                W(leave)(state->items[k].shared);
        release(state->items);
        W(piece) *made = atomic_load(&state->as_piece);
        if (made)
            W(leave)(made);
    }
}

#undef WINDOW_ROW
#undef WINDOW_FOLDED
#undef W
