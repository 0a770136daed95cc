/* The sum of doubles in a window: Spark adds the rows of each frame one after another, from zero (window_rows.h).
 *
 * SQL spelling: spark_window_sum(x, spark_operation()) OVER (...) -> DOUBLE. */
#include "core/native.h"

static double sum_step(double sum, double value) { return sum + value; }

#define W(name) sum_##name
#define WINDOW_ROW double
#define WINDOW_FOLDED double
#include "aggregates/window_rows.h"

static void update(native_call *call, duckdb_aggregate_state *states) {
    const double *values = ARGUMENT(call, double, 0);
    for (idx_t row = 0; row < call->rows; row++)
        if (argument_valid(call, 0, row)) {
            sum_add_item((sum_state *)states[row], (sum_item){.value = values[row]});
            ((sum_state *)states[row])->operation = ARGUMENT(call, int16_t, 1)[row];
        }
}

static void finish(native_call *call, const void *from, idx_t row) {
    const sum_state *state = from;
    if (state->count == 0)
        set_null(call, row);
    else
        RESULT(call, double)[row] = sum_fold_state(state, 0.0);
}

const native_aggregate window_aggregates[] = {
    {"spark_window_sum", "ds>d", sizeof(sum_state), update, sum_combine, finish, sum_destroy, NULL},
    {NULL}};
