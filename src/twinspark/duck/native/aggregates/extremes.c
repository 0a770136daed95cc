/* max and min of doubles, sum of bigints, and whether a maximum or minimum is unique. Results that depend on the order of rows
 * (0.0 or -0.0, an overflow in a partial sum, one of several equal rows) fall back to Spark.
 *
 * SQL spelling: spark_max_double(d), spark_min_double(d), spark_max_float(f), spark_min_float(f); spark_sum(b) -> HUGEINT;
 * spark_max_is_single_double(d), spark_min_is_single_double(d), spark_max_is_single_bigint(b), spark_min_is_single_bigint(b)
 * -> BOOLEAN: false where another row has the same value. */
#include "core/one_state.h"
#include <math.h>

/* --- max and min of doubles: NaN is the greatest; of 0.0 and -0.0 Spark returns the one that came first --- */

enum { POSITIVE_ZERO = 1, NEGATIVE_ZERO = 2 };
typedef struct { double best; uint8_t zeros; bool any; } best_state;

static inline int zero_kind(double value) { return value != 0 ? 0 : signbit(value) ? NEGATIVE_ZERO : POSITIVE_ZERO; }
static inline bool is_above(double a, double b) { return a > b || (isnan(a) && !isnan(b)); }
static inline bool is_below(double a, double b) { return is_above(b, a); }

/* Whether no row of one state changes its extreme, so that zeros among them do not matter. Four lanes, so that no comparison
 * waits for the one before. */
#define ALL_WORSE(name, type, sign)                                                                                    \
    static bool name(const type *values, idx_t rows, type best) {                                                      \
        bool worse[4] = {true, true, true, true};                                                                      \
        idx_t row = 0;                                                                                                 \
        for (; row + 4 <= rows; row += 4)                                                                              \
            for (idx_t lane = 0; lane < 4; lane++)                                                                     \
                worse[lane] &= values[row + lane] sign best;                                                           \
        for (; row < rows; row++)                                                                                      \
            worse[0] &= values[row] sign best;                                                                         \
        return worse[0] & worse[1] & worse[2] & worse[3];                                                              \
    }
ALL_WORSE(all_below_double, double, <)
ALL_WORSE(all_above_double, double, >)
ALL_WORSE(all_below_float, float, <)
ALL_WORSE(all_above_float, float, >)
ALL_WORSE(all_below_bigint, int64_t, <)
ALL_WORSE(all_above_bigint, int64_t, >)

#define EXTREME(name, better)                                                                                          \
    static inline void name##_take(best_state *state, double value, int zeros) {                                       \
        if (!state->any || better(value, state->best)) {                                                               \
            state->best = value;                                                                                       \
            state->any = true;                                                                                         \
        }                                                                                                              \
        state->zeros |= (uint8_t)zeros;                                                                                \
    }                                                                                                                  \
    static void name##_combine(void *into, const void *from) {                                                         \
        const best_state *source = from;                                                                               \
        if (source->any)                                                                                               \
            name##_take(into, source->best, source->zeros);                                                            \
    }
#define EXTREME_ROWS(name, type, all_worse)                                                                            \
    static void name##_##type##_rows(native_call *call, duckdb_aggregate_state *states) {                              \
        const type *values = ARGUMENT(call, type, 0);                                                                  \
        const best_state *first = call->rows ? (const best_state *)states[0] : NULL;                                   \
        if (first && first->any && is_one_state(call, states) && all_worse(values, call->rows, (type)first->best))     \
            return;                                                                                                    \
        for (idx_t row = 0; row < call->rows; row++)                                                                   \
            if (argument_valid(call, 0, row))                                                                          \
                name##_take((best_state *)states[row], values[row], zero_kind(values[row]));                           \
    }
EXTREME(max, is_above)
EXTREME(min, is_below)
EXTREME_ROWS(max, double, all_below_double)
EXTREME_ROWS(min, double, all_above_double)
EXTREME_ROWS(max, float, all_below_float)
EXTREME_ROWS(min, float, all_above_float)

static bool is_sure(native_call *call, const best_state *state, idx_t row) {
    if (!state->any)
        set_null(call, row);
    else if (state->best == 0 && state->zeros == (POSITIVE_ZERO | NEGATIVE_ZERO))
        fall_back(call, "SIGNED_ZEROS", "max or min");
    else
        return true;
    return false;
}
static void finish_double(native_call *call, const void *from, idx_t row) {
    if (is_sure(call, from, row))
        RESULT(call, double)[row] = ((const best_state *)from)->best;
}
static void finish_float(native_call *call, const void *from, idx_t row) {
    if (is_sure(call, from, row))
        RESULT(call, float)[row] = (float)((const best_state *)from)->best;
}

/* --- the sum of bigints: no order of rows overflows if neither the sum of positive nor that of negative rows does --- */

typedef struct { stored_int128 above, below; bool any; } sum_state;

/* The 32-bit halves of numbers are added separately in 64 bits, which a chunk's rows cannot overflow. */
static void sum_halves(sum_state *state, const int64_t *values, idx_t rows) {
    uint64_t low = 0, low_below = 0;
    int64_t high = 0, high_below = 0;
    for (idx_t row = 0; row < rows; row++) {
        int64_t value = values[row], below = value & (value >> 63);
        low += (uint32_t)value;
        high += value >> 32;
        low_below += (uint32_t)below;
        high_below += below >> 32;
    }
    int128 total = (int128)high * 4294967296 + low, below = (int128)high_below * 4294967296 + low_below;
    state->above += total - below;
    state->below += below;
}

typedef struct { int64_t total, below; uint64_t seen; } near_sum;
MANY_LANES static near_sum sum_near(const int64_t *values, idx_t rows) {
    uint64_t total = 0, below = 0, seen = 0;
    for (idx_t row = 0; row < rows; row++) {
        int64_t value = values[row], under = value < 0 ? value : 0;
        total += (uint64_t)value;
        below += (uint64_t)under;
        seen |= (uint64_t)(value < 0 ? ~value : value);
    }
    return (near_sum){(int64_t)total, (int64_t)below, seen};
}

/* The sum of a chunk (2048 rows) of numbers of up to 47 bits, as nearly all are, fits into 64 bits; others are added again. */
static void sum_all(sum_state *state, const int64_t *values, idx_t rows) {
    near_sum near = sum_near(values, rows);
    state->any = true;
    if (near.seen >> 47 || rows > 65536)
        sum_halves(state, values, rows);
    else {
        state->above += near.total - near.below;
        state->below += near.below;
    }
}

static void sum_rows(native_call *call, duckdb_aggregate_state *states) {
    const int64_t *values = ARGUMENT(call, int64_t, 0);
    if (is_one_state(call, states)) {
        sum_all((sum_state *)states[0], values, call->rows);
        return;
    }
    for (idx_t row = 0; row < call->rows; row++)
        if (argument_valid(call, 0, row)) {
            sum_state *state = (sum_state *)states[row];
            state->any = true;
            if (values[row] > 0)
                state->above += values[row];
            else
                state->below += values[row];
        }
}

static void sum_combine(void *into, const void *from) {
    sum_state *target = into;
    const sum_state *source = from;
    target->above += source->above;
    target->below += source->below;
    target->any |= source->any;
}

static void sum_finish(native_call *call, const void *from, idx_t row) {
    const sum_state *state = from;
    int128 total = state->above + state->below;
    if (!state->any)
        set_null(call, row);
    else if ((state->above > INT64_MAX || state->below < INT64_MIN) && total == (int64_t)total)
        fall_back(call, "AGGREGATE_OVERFLOW", "a sum of bigints");
    else
        RESULT(call, stored_int128)[row] = total;
}

/* --- whether the extreme is unique: of several equal rows Spark returns one by the order of its partitions --- */

typedef struct { bool any, again; double best; } double_state;
typedef struct { bool any, again; int64_t best; } whole_state;

static inline bool is_whole_above(int64_t a, int64_t b) { return a > b; }
static inline bool is_whole_below(int64_t a, int64_t b) { return a < b; }
static inline bool is_equal(double a, double b) { return a == b || (isnan(a) && isnan(b)); }
static inline bool is_whole_equal(int64_t a, int64_t b) { return a == b; }

#define SINGLE(name, type, state_type, better, equal, all_worse)                                                                  \
    static inline void name##_take(state_type *state, type value, bool again) {                                        \
        if (!state->any || better(value, state->best))                                                                 \
            *state = (state_type){true, again, value};                                                                 \
        else if (equal(value, state->best))                                                                            \
            state->again = true;                                                                                       \
    }                                                                                                                  \
    static void name##_rows(native_call *call, duckdb_aggregate_state *states) {                                       \
        const type *values = ARGUMENT(call, type, 0);                                                                  \
        const state_type *first = call->rows ? (const state_type *)states[0] : NULL;                                   \
        if (first && first->any && is_one_state(call, states) && all_worse(values, call->rows, first->best))           \
            return;                                                                                                    \
        for (idx_t row = 0; row < call->rows; row++)                                                                   \
            if (argument_valid(call, 0, row))                                                                          \
                name##_take((state_type *)states[row], values[row], false);                                            \
    }                                                                                                                  \
    static void name##_combine(void *into, const void *from) {                                                         \
        const state_type *source = from;                                                                               \
        if (source->any)                                                                                               \
            name##_take(into, source->best, source->again);                                                            \
    }                                                                                                                  \
    static void name##_finish(native_call *call, const void *from, idx_t row) {                                        \
        RESULT(call, bool)[row] = !((const state_type *)from)->again;                                                  \
    }
SINGLE(max_single, double, double_state, is_above, is_equal, all_below_double)
SINGLE(min_single, double, double_state, is_below, is_equal, all_above_double)
SINGLE(max_single_whole, int64_t, whole_state, is_whole_above, is_whole_equal, all_below_bigint)
SINGLE(min_single_whole, int64_t, whole_state, is_whole_below, is_whole_equal, all_above_bigint)

const native_aggregate extreme_aggregates[] = {
    {"spark_max_double", "d>d", sizeof(best_state), max_double_rows, max_combine, finish_double, NULL, NULL},
    {"spark_max_float", "f>f", sizeof(best_state), max_float_rows, max_combine, finish_float, NULL, NULL},
    {"spark_min_double", "d>d", sizeof(best_state), min_double_rows, min_combine, finish_double, NULL, NULL},
    {"spark_min_float", "f>f", sizeof(best_state), min_float_rows, min_combine, finish_float, NULL, NULL},
    {"spark_sum", "l>h", sizeof(sum_state), sum_rows, sum_combine, sum_finish, NULL, NULL},
    {"spark_max_is_single_double", "d>b", sizeof(double_state), max_single_rows, max_single_combine, max_single_finish, NULL, NULL},
    {"spark_min_is_single_double", "d>b", sizeof(double_state), min_single_rows, min_single_combine, min_single_finish, NULL, NULL},
    {"spark_max_is_single_bigint", "l>b", sizeof(whole_state), max_single_whole_rows, max_single_whole_combine,
     max_single_whole_finish, NULL, NULL},
    {"spark_min_is_single_bigint", "l>b", sizeof(whole_state), min_single_whole_rows, min_single_whole_combine,
     min_single_whole_finish, NULL, NULL},
    {NULL}};
