/* Rows of a window's frames, folded one after another from nothing, as Spark does it: the last bit of a double depends on
 * that order. DuckDB merges stretches of rows; here a state keeps the rows in their order instead, stretches are shared
 * between frames, and each remembers what it made of what came in last, so that a frame that grows row by row costs a few
 * steps for each row.
 *
 * To be included with WINDOW_ROW (what is kept of a row), WINDOW_FOLDED (what comes of the rows) and W(name), which gives
 * each use names of its own; W(step)(folded, row) is there already. */
#include "native.h"
#include <stdatomic.h>
#include <stdlib.h>

typedef struct W(piece) W(piece);
typedef struct { W(piece) *shared; WINDOW_ROW value; } W(item); /* a stretch of rows, or one row */
typedef struct { W(item) *items; size_t count, room; _Atomic(W(piece) *) as_piece; } W(state);

struct W(piece) {
    atomic_size_t owners;
    size_t count;
    atomic_flag busy;
    bool known;
    WINDOW_FOLDED before, after; /* the last fold: what came in and what went out */
    W(item) items[];
};

static void W(add_item)(W(state) *state, W(item) added) {
    if (state->count == state->room) {
        state->room = state->room ? 2 * state->room : 4;
        state->items = realloc(state->items, state->room * sizeof(W(item)));
    }
    state->items[state->count++] = added;
}

static void W(leave)(W(piece) *shared) {
    if (atomic_fetch_sub(&shared->owners, 1) != 1)
        return;
    for (size_t i = 0; i < shared->count; i++)
        if (shared->items[i].shared)
            W(leave)(shared->items[i].shared);
    free(shared);
}

/* The rows of a state that others take over: made once, whoever asks first. */
static W(piece) *W(piece_of)(W(state) *state) {
    W(piece) *made = atomic_load(&state->as_piece);
    if (made)
        return made;
    made = calloc(1, sizeof(W(piece)) + state->count * sizeof(W(item)));
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
    if (added.shared)
        atomic_fetch_add(&added.shared->owners, 1);
    W(add_item)(target, added);
}

static WINDOW_FOLDED W(fold)(const W(item) *items, size_t count, WINDOW_FOLDED sum);

static WINDOW_FOLDED W(fold_piece)(W(piece) *shared, WINDOW_FOLDED sum) {
    if (atomic_flag_test_and_set(&shared->busy)) /* another thread is here: no need to wait */
        return W(fold)(shared->items, shared->count, sum);
    if (!shared->known || memcmp(&shared->before, &sum, sizeof sum)) {
        shared->after = W(fold)(shared->items, shared->count, sum);
        shared->before = sum;
        shared->known = true;
    }
    sum = shared->after;
    atomic_flag_clear(&shared->busy);
    return sum;
}

static WINDOW_FOLDED W(fold)(const W(item) *items, size_t count, WINDOW_FOLDED sum) {
    for (size_t i = 0; i < count; i++)
        sum = items[i].shared ? W(fold_piece)(items[i].shared, sum) : W(step)(sum, items[i].value);
    return sum;
}

static void W(destroy)(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++) {
        W(state) *state = (W(state) *)states[i];
        for (size_t k = 0; k < state->count; k++)
            if (state->items[k].shared)
                W(leave)(state->items[k].shared);
        free(state->items);
        W(piece) *made = atomic_load(&state->as_piece);
        if (made)
            W(leave)(made);
    }
}

#undef WINDOW_ROW
#undef WINDOW_FOLDED
#undef W
