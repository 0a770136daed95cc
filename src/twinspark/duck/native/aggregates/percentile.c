/* Percentiles of doubles by selection: a group's values are stored, and only the requested ranks are selected.
 *
 * SQL spelling: spark_percentile_cont(x, p), spark_percentile_disc(x, p), spark_percentile_disc_descending(x, p) -> DOUBLE;
 * p is the same in every row. NaN is the greatest; the order of 0.0 and -0.0 depends on Spark's hash table, so it falls back. */
#include "core/native.h"
#include <math.h>
#include <stdlib.h>

typedef struct { double *values; size_t count, room; double percentage; bool negative_zero; } values_state;

static void add_value(values_state *state, double value) {
    if (state->count == state->room)
        state->values = make_room(state->values, &state->room, state->count + 4, sizeof(double));
    state->values[state->count++] = value;
    state->negative_zero |= value == 0 && signbit(value);
}

static void update(native_call *call, duckdb_aggregate_state *states) {
    const double *values = ARGUMENT(call, double, 0), *percentages = ARGUMENT(call, double, 1);
    for (idx_t row = 0; row < call->rows; row++)
        if (argument_valid(call, 0, row)) {
            values_state *state = (values_state *)states[row];
            state->percentage = percentages[row] >= 0 && percentages[row] <= 1 ? percentages[row] : 0; /* others raised an error in analysis */
            add_value(state, values[row]);
        }
}

static void combine(void *into, const void *from) {
    values_state *target = into;
    const values_state *source = from;
    if (!source->count)
        return;
    target->values = make_room(target->values, &target->room, target->count + source->count, sizeof(double));
    memcpy(target->values + target->count, source->values, source->count * sizeof(double));
    target->count += source->count;
    target->percentage = source->percentage;
    target->negative_zero |= source->negative_zero;
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        release(((values_state *)states[i])->values);
}

/* --- selection --- */

/* Moves NaNs to the end, so that the rest is ordered by `<`. */
static size_t numbers_first(double *values, size_t count) {
    size_t numbers = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            double value = values[i];
            values[i] = values[numbers];
            values[numbers++] = value;
        }
    return numbers;
}

static inline void swap_values(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

static void sort_few(double *values, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && values[j] < values[j - 1]; j--)
            swap_values(&values[j], &values[j - 1]);
}

static void sift_down(double *values, size_t at, size_t count) {
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && values[child] < values[child + 1];
        if (!(values[at] < values[child]))
            return;
        swap_values(&values[at], &values[child]);
    }
}

static void sort_heap(double *values, size_t count) {
    for (size_t i = count / 2; i-- > 0;)
        sift_down(values, i, count);
    for (size_t end = count; end-- > 1;) {
        swap_values(&values[0], &values[end]);
        sift_down(values, 0, end);
    }
}

static double middle_of(double a, double b, double c) { return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b); }

/* The pivot: the median of nine samples. */
static double pivot_of(const double *values, size_t count) {
    size_t step = count / 9, at = step / 2;
    double middles[3];
    for (int i = 0; i < 3; i++, at += 3 * step)
        middles[i] = middle_of(values[at], values[at + step], values[at + 2 * step]);
    return middle_of(middles[0], middles[1], middles[2]);
}

enum { FEW = 24 };

/* Partitions around the pivot without branches; returns how many values are below it. */
static size_t below_first(double *values, size_t count, double pivot) {
    size_t below = 0;
    for (size_t i = 0; i < count; i++) {
        double value = values[i];
        values[i] = values[below];
        values[below] = value;
        below += value < pivot;
    }
    return below;
}
static size_t equal_first(double *values, size_t count, double pivot) {
    size_t equal = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] == pivot)
            swap_values(&values[i], &values[equal++]);
    return equal;
}

/* Quickselect: the value that sorting would bring to `place`; values before it are not greater, those after it not smaller.
 * After several bad pivots the rest is sorted. */
static double selected(double *values, size_t count, size_t place) {
    size_t first = 0, end = count;
    for (int rounds = 128; end - first > FEW; rounds--) {
        if (rounds == 0) {
            sort_heap(values + first, end - first);
            return values[place];
        }
        double pivot = pivot_of(values + first, end - first);
        size_t above = first + below_first(values + first, end - first, pivot);
        if (place < above) {
            end = above;
            continue;
        }
        first = above + equal_first(values + above, end - above, pivot);
        if (place < first)
            return values[place];
    }
    sort_few(values + first, end - first);
    return values[place];
}

static double value_at(const values_state *state, size_t numbers, size_t place) {
    return place < numbers ? selected(state->values, numbers, place) : NAN;
}

/* The next greater value after a selected one. */
static double value_after(const values_state *state, size_t numbers, size_t place) {
    if (place + 1 >= numbers)
        return NAN;
    double least = state->values[place + 1];
    for (size_t i = place + 2; i < numbers; i++)
        least = state->values[i] < least ? state->values[i] : least;
    return least;
}

/* --- the percentiles --- */

static void check_zeros(native_call *call, const values_state *state, double lower, double higher) {
    if (state->negative_zero && (lower == 0 || higher == 0))
        fall_back(call, "SIGNED_ZEROS", "percentile");
}

/* Spark interpolates between both neighbours. */
static double interpolated(native_call *call, const values_state *state) {
    double position = (double)(state->count - 1) * state->percentage, before = floor(position), after = ceil(position);
    size_t numbers = numbers_first(state->values, state->count), place = (size_t)before;
    double lower = value_at(state, numbers, place), higher = after == before ? lower : value_after(state, numbers, place);
    check_zeros(call, state, lower, higher);
    if (lower == higher || (isnan(lower) && isnan(higher)))
        return lower;
    return (after - position) * lower + (position - before) * higher;
}

/* percentile_disc: the first value at which the cumulative share of rows reaches the percentage. */
static size_t reached_place(const values_state *state) {
    double place = ceil((double)state->count * state->percentage);
    return place < 1 ? 0 : (size_t)place - 1;
}
static double reached(native_call *call, const values_state *state) {
    double found = value_at(state, numbers_first(state->values, state->count), reached_place(state));
    check_zeros(call, state, found, found);
    return found;
}
static double reached_descending(native_call *call, const values_state *state) {
    size_t place = state->count - 1 - reached_place(state);
    double found = value_at(state, numbers_first(state->values, state->count), place);
    check_zeros(call, state, found, found);
    return found;
}

#define FINISH(name, pick)                                                                                             \
    static void name(native_call *call, const void *from, idx_t row) {                                                 \
        const values_state *state = from;                                                                              \
        if (state->count)                                                                                              \
            RESULT(call, double)[row] = pick(call, state);                                                             \
        else                                                                                                           \
            set_null(call, row);                                                                                       \
    }
FINISH(finish_cont, interpolated)
FINISH(finish_disc, reached)
FINISH(finish_disc_descending, reached_descending)

#define PERCENTILE(name) {"spark_percentile_" #name, "dd>d", sizeof(values_state), update, combine, finish_##name, destroy, NULL}
const native_aggregate percentile_aggregates[] = {PERCENTILE(cont), PERCENTILE(disc), PERCENTILE(disc_descending), {NULL}};
