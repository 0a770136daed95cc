/* stddev, correlation and related aggregates in ordered windows: Spark adds the rows of each frame in order to an empty state
 * (window_rows.h), without merging states.
 *
 * SQL spelling: spark_window_<function>(x, spark_operation()) and spark_window_<function>(x, y, spark_operation())
 * OVER (...) -> DOUBLE. */
#include "aggregates/moments.h"

typedef struct { double first, second; } pair;

static moments one_step(moments folded, double value) {
    add_value(&folded, value);
    return folded;
}

static pairs two_step(pairs folded, pair row) {
    add_pair(&folded, row.first, row.second);
    return folded;
}

static line line_step(line folded, pair row) {
    add_point(&folded, row.first, row.second);
    return folded;
}

#define W(name) one_##name
#define WINDOW_ROW double
#define WINDOW_FOLDED moments
#include "aggregates/window_rows.h"

#define W(name) two_##name
#define WINDOW_ROW pair
#define WINDOW_FOLDED pairs
#include "aggregates/window_rows.h"

#define W(name) line_##name
#define WINDOW_ROW pair
#define WINDOW_FOLDED line
#include "aggregates/window_rows.h"

static void update_one(native_call *call, duckdb_aggregate_state *states) {
    const double *values = ARGUMENT(call, double, 0);
    for (idx_t row = 0; row < call->rows; row++)
        if (argument_valid(call, 0, row)) {
            one_add_item((one_state *)states[row], (one_item){.value = values[row]});
            ((one_state *)states[row])->operation = ARGUMENT(call, int16_t, 1)[row];
        }
}

#define UPDATE_PAIRS(kind)                                                                                             \
    static void update_##kind(native_call *call, duckdb_aggregate_state *states) {                                     \
        const double *first = ARGUMENT(call, double, 0), *second = ARGUMENT(call, double, 1);                          \
        for (idx_t row = 0; row < call->rows; row++)                                                                   \
            if (argument_valid(call, 0, row) && argument_valid(call, 1, row)) {                                        \
                kind##_add_item((kind##_state *)states[row], (kind##_item){.value = {first[row], second[row]}});       \
                ((kind##_state *)states[row])->operation = ARGUMENT(call, int16_t, 2)[row];                            \
            }                                                                                                          \
    }
UPDATE_PAIRS(two)
UPDATE_PAIRS(line)

#define FINISH(kind, folded, name)                                                                                     \
    static void finish_##name(native_call *call, const void *from, idx_t row) {                                        \
        set_##name(call, kind##_fold_state(from, (folded){0}), row);                                                   \
    }
FINISH(one, moments, stddev_pop)
FINISH(one, moments, stddev_samp)
FINISH(one, moments, var_pop)
FINISH(one, moments, var_samp)
FINISH(one, moments, moment2)
FINISH(one, moments, skewness)
FINISH(two, pairs, covar_pop)
FINISH(two, pairs, covar_samp)
FINISH(two, pairs, regr_sxy)
FINISH(two, pairs, corr)
FINISH(two, pairs, regr_r2)

static void set_regr_slope(native_call *call, line s, idx_t row) { set_line(call, s.both, s.x, row, true); }
static void set_regr_intercept(native_call *call, line s, idx_t row) { set_line(call, s.both, s.x, row, false); }
FINISH(line, line, regr_slope)
FINISH(line, line, regr_intercept)

#define ENTRY(kind, letters, name)                                                                                     \
    {"spark_window_" #name, letters, sizeof(kind##_state), update_##kind, kind##_combine, finish_##name, kind##_destroy, NULL}
const native_aggregate window_moment_aggregates[] = {
    ENTRY(one, "ds>d", stddev_pop), ENTRY(one, "ds>d", stddev_samp), ENTRY(one, "ds>d", var_pop), ENTRY(one, "ds>d", var_samp),
    ENTRY(one, "ds>d", moment2), ENTRY(one, "ds>d", skewness), ENTRY(two, "dds>d", covar_pop), ENTRY(two, "dds>d", covar_samp),
    ENTRY(two, "dds>d", regr_sxy), ENTRY(two, "dds>d", corr), ENTRY(two, "dds>d", regr_r2), ENTRY(line, "dds>d", regr_slope),
    ENTRY(line, "dds>d", regr_intercept), {NULL}};
