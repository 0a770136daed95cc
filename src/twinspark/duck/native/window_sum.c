/* The sum of doubles in a window: Spark adds the rows of each frame one after another, from zero, and the last bit of a
 * double depends on that order. DuckDB merges sums of stretches of rows; here a state keeps the rows in their order instead,
 * stretches are shared between frames, and each remembers what it made of the last sum that came in, so that a frame that
 * grows row by row costs a few steps for each row.
 *
 * SQL spelling: spark_window_sum(x) OVER (...) -> DOUBLE. */
#include "native.h"
#include <stdatomic.h>
#include <stdlib.h>

typedef struct piece piece;
typedef struct { piece *shared; double value; } item; /* a stretch of rows, or one row */
typedef struct { item *items; size_t count, room; _Atomic(piece *) as_piece; } rows_state;

struct piece {
    atomic_size_t owners;
    size_t count;
    atomic_flag busy;
    bool known;
    double before, after; /* the last fold: the sum that came in and the sum that went out */
    item items[];
};

static void add_item(rows_state *state, item added) {
    if (state->count == state->room) {
        state->room = state->room ? 2 * state->room : 4;
        state->items = realloc(state->items, state->room * sizeof(item));
    }
    state->items[state->count++] = added;
}

static void leave(piece *shared) {
    if (atomic_fetch_sub(&shared->owners, 1) != 1)
        return;
    for (size_t i = 0; i < shared->count; i++)
        if (shared->items[i].shared)
            leave(shared->items[i].shared);
    free(shared);
}

static void update(native_call *call, duckdb_aggregate_state *states) {
    const double *values = ARGUMENT(call, double, 0);
    for (idx_t row = 0; row < call->rows; row++)
        if (argument_valid(call, 0, row))
            add_item((rows_state *)states[row], (item){.value = values[row]});
}

/* The rows of a state that others take over: made once, whoever asks first. */
static piece *piece_of(rows_state *state) {
    piece *made = atomic_load(&state->as_piece);
    if (made)
        return made;
    made = calloc(1, sizeof(piece) + state->count * sizeof(item));
    made->count = state->count;
    atomic_store(&made->owners, 1);
    for (size_t i = 0; i < state->count; i++) {
        made->items[i] = state->items[i];
        if (made->items[i].shared)
            atomic_fetch_add(&made->items[i].shared->owners, 1);
    }
    piece *other = NULL;
    if (atomic_compare_exchange_strong(&state->as_piece, &other, made))
        return made;
    leave(made);
    return other;
}

static void combine(void *into, const void *from) {
    rows_state *target = into, *source = (rows_state *)from;
    if (source->count == 0)
        return;
    item added = source->items[0];
    if (source->count > 1)
        added = (item){.shared = piece_of(source)};
    if (added.shared)
        atomic_fetch_add(&added.shared->owners, 1);
    add_item(target, added);
}

static double fold(const item *items, size_t count, double sum);

static double fold_piece(piece *shared, double sum) {
    if (atomic_flag_test_and_set(&shared->busy)) /* another thread is here: no need to wait */
        return fold(shared->items, shared->count, sum);
    if (!shared->known || memcmp(&shared->before, &sum, sizeof sum)) {
        shared->after = fold(shared->items, shared->count, sum);
        shared->before = sum;
        shared->known = true;
    }
    sum = shared->after;
    atomic_flag_clear(&shared->busy);
    return sum;
}

static double fold(const item *items, size_t count, double sum) {
    for (size_t i = 0; i < count; i++)
        sum = items[i].shared ? fold_piece(items[i].shared, sum) : sum + items[i].value;
    return sum;
}

static void finish(native_call *call, const void *from, idx_t row) {
    const rows_state *state = from;
    if (state->count == 0)
        set_null(call, row);
    else
        RESULT(call, double)[row] = fold(state->items, state->count, 0.0);
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++) {
        rows_state *state = (rows_state *)states[i];
        for (size_t k = 0; k < state->count; k++)
            if (state->items[k].shared)
                leave(state->items[k].shared);
        free(state->items);
        piece *made = atomic_load(&state->as_piece);
        if (made)
            leave(made);
    }
}

const native_aggregate window_aggregates[] = {
    {"spark_window_sum", "d>d", sizeof(rows_state), update, combine, finish, destroy, NULL},
    {NULL}};
