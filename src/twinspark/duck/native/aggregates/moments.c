/* stddev, variance, skewness, kurtosis, covariance, correlation and regression, with the steps and the order of
 * operations of Spark's CentralMomentAgg, so that rows in the same order give exactly Spark's double.
 *
 * SQL spelling: spark_<function>(x) and spark_<function>(x, y) of doubles -> DOUBLE, named and ordered as in Spark. */
#include "aggregates/moments.h"

/* ---- one column */

static moments merged(const moments *a, const moments *b) {
    double n = a->n + b->n, delta = b->mean - a->mean, step = n == 0.0 ? 0.0 : delta / n;
    double p = a->n, q = b->n;
    return (moments){
        n, a->mean + step * q, a->m2 + b->m2 + delta * step * p * q,
        a->m3 + b->m3 + step * step * delta * p * q * (p - q) + 3.0 * step * (p * b->m2 - q * a->m2),
        a->m4 + b->m4 + step * step * step * delta * p * q * (p * p - p * q + q * q) +
            6.0 * step * step * (p * p * b->m2 + q * q * a->m2) + 4.0 * step * (p * b->m3 - q * a->m3)};
}

static void update_moments(native_call *call, duckdb_aggregate_state *states) {
    const double *values = ARGUMENT(call, double, 0);
    for (idx_t row = 0; row < call->rows; row++)
        if (argument_valid(call, 0, row))
            add_value((moments *)states[row], values[row]);
}

static void combine_moments(void *into, const void *from) {
    moments *target = into;
    *target = target->n == 0.0 ? *(const moments *)from : merged(target, from);
}

/* Spark adds the rows of a partition, then merges that into an empty state: huge values become NaN there. */
static moments finished(const void *from) {
    static const moments nothing = {0};
    return merged(&nothing, from);
}

/* Rows sorted by task: each task's rows are added, then the states of the tasks are merged in order. */
typedef struct { moments done, part; int64_t task; } tasks;

static void close_task(tasks *s) {
    s->done = merged(&s->done, &s->part);
    s->part = (moments){0};
}

static void add_value_of_task(tasks *s, double value, int64_t task) {
    if (s->part.n != 0.0 && s->task != task)
        close_task(s);
    s->task = task;
    add_value(&s->part, value);
}

static void update_tasks(native_call *call, duckdb_aggregate_state *states) {
    const double *values = ARGUMENT(call, double, 0);
    const int64_t *numbers = ARGUMENT(call, int64_t, 1);
    for (idx_t row = 0; row < call->rows; row++)
        if (argument_valid(call, 0, row))
            add_value_of_task((tasks *)states[row], values[row], numbers[row]);
}

static void combine_tasks(void *into, const void *from) {
    tasks *target = into, source = *(const tasks *)from;
    if (target->done.n + target->part.n == 0.0) {
        *target = source;
        return;
    }
    close_task(target);
    close_task(&source);
    target->done = merged(&target->done, &source.done);
}

static moments finished_tasks(const void *from) {
    tasks s = *(const tasks *)from;
    close_task(&s);
    return s.done;
}

#define FINISH(name)                                                                                                   \
    static void finish_##name(native_call *call, const void *from, idx_t row) {                                        \
        set_##name(call, finished(from), row);                                                                         \
    }                                                                                                                  \
    static void finish_##name##_of_tasks(native_call *call, const void *from, idx_t row) {                             \
        set_##name(call, finished_tasks(from), row);                                                                   \
    }
FINISH(stddev_pop)
FINISH(stddev_samp)
FINISH(var_pop)
FINISH(var_samp)
FINISH(moment2)
FINISH(skewness)
FINISH(kurtosis)

/* ---- sums: each task starts from zero, and so does the sum over the tasks */

typedef struct { double done, part; int64_t task, rows; } task_sums;

static void update_sums(native_call *call, duckdb_aggregate_state *states) {
    const double *values = ARGUMENT(call, double, 0);
    const int64_t *numbers = ARGUMENT(call, int64_t, 1);
    for (idx_t row = 0; row < call->rows; row++) {
        task_sums *s = (task_sums *)states[row];
        if (!argument_valid(call, 0, row))
            continue;
        bool same = s->rows == 0 || s->task == numbers[row];
        *s = (task_sums){same ? s->done : s->done + s->part, (same ? s->part : 0.0) + values[row], numbers[row], s->rows + 1};
    }
}

static void combine_sums(void *into, const void *from) {
    task_sums *target = into;
    const task_sums *source = from;
    if (target->rows == 0)
        *target = *source;
    else
        *target = (task_sums){target->done + target->part + source->done, source->part, source->task, target->rows + source->rows};
}

static void finish_sum_of_tasks(native_call *call, const void *from, idx_t row) {
    const task_sums *s = from;
    if (s->rows == 0)
        set_null(call, row);
    else
        RESULT(call, double)[row] = s->done + s->part;
}

static void finish_avg_of_tasks(native_call *call, const void *from, idx_t row) {
    const task_sums *s = from;
    if (s->rows == 0)
        set_null(call, row);
    else
        RESULT(call, double)[row] = (s->done + s->part) / (double)s->rows;
}

/* ---- two columns */

static pairs merged_pairs(const pairs *a, const pairs *b) {
    double n = a->n + b->n, dx = b->x_mean - a->x_mean, dy = b->y_mean - a->y_mean;
    double x_step = n == 0.0 ? 0.0 : dx / n, y_step = n == 0.0 ? 0.0 : dy / n;
    return (pairs){n, a->x_mean + x_step * b->n, a->y_mean + y_step * b->n,
                   a->together + b->together + dx * y_step * a->n * b->n, a->x_m2 + b->x_m2 + dx * x_step * a->n * b->n,
                   a->y_m2 + b->y_m2 + dy * y_step * a->n * b->n};
}

static void update_pairs(native_call *call, duckdb_aggregate_state *states) {
    const double *x = ARGUMENT(call, double, 0), *y = ARGUMENT(call, double, 1);
    for (idx_t row = 0; row < call->rows; row++)
        if (argument_valid(call, 0, row) && argument_valid(call, 1, row))
            add_pair((pairs *)states[row], x[row], y[row]);
}

static void combine_pairs(void *into, const void *from) {
    pairs *target = into;
    *target = target->n == 0.0 ? *(const pairs *)from : merged_pairs(target, from);
}

static pairs finished_pairs(const void *from) {
    static const pairs nothing = {0};
    return merged_pairs(&nothing, from);
}

/* Pairs of several tasks, as above. */
typedef struct { pairs done, part; int64_t task; } pair_tasks;

static void close_pair_task(pair_tasks *s) {
    s->done = merged_pairs(&s->done, &s->part);
    s->part = (pairs){0};
}

static void add_pair_of_task(pair_tasks *s, double x, double y, int64_t task) {
    if (s->part.n != 0.0 && s->task != task)
        close_pair_task(s);
    s->task = task;
    add_pair(&s->part, x, y);
}

static void update_pair_tasks(native_call *call, duckdb_aggregate_state *states) {
    const double *x = ARGUMENT(call, double, 0), *y = ARGUMENT(call, double, 1);
    const int64_t *numbers = ARGUMENT(call, int64_t, 2);
    for (idx_t row = 0; row < call->rows; row++)
        if (argument_valid(call, 0, row) && argument_valid(call, 1, row))
            add_pair_of_task((pair_tasks *)states[row], x[row], y[row], numbers[row]);
}

static void combine_pair_tasks(void *into, const void *from) {
    pair_tasks *target = into, source = *(const pair_tasks *)from;
    if (target->done.n + target->part.n == 0.0) {
        *target = source;
        return;
    }
    close_pair_task(target);
    close_pair_task(&source);
    target->done = merged_pairs(&target->done, &source.done);
}

static pairs finished_pair_tasks(const void *from) {
    pair_tasks s = *(const pair_tasks *)from;
    close_pair_task(&s);
    return s.done;
}

#define FINISH_PAIRS(name)                                                                                             \
    static void finish_##name(native_call *call, const void *from, idx_t row) {                                        \
        set_##name(call, finished_pairs(from), row);                                                                   \
    }                                                                                                                  \
    static void finish_##name##_of_tasks(native_call *call, const void *from, idx_t row) {                             \
        set_##name(call, finished_pair_tasks(from), row);                                                              \
    }
FINISH_PAIRS(covar_pop)
FINISH_PAIRS(covar_samp)
FINISH_PAIRS(regr_sxy)
FINISH_PAIRS(corr)
FINISH_PAIRS(regr_r2)

/* ---- linear regression */

static void update_line(native_call *call, duckdb_aggregate_state *states) {
    const double *y = ARGUMENT(call, double, 0), *x = ARGUMENT(call, double, 1);
    for (idx_t row = 0; row < call->rows; row++)
        if (argument_valid(call, 0, row) && argument_valid(call, 1, row))
            add_point((line *)states[row], y[row], x[row]);
}

static void combine_line(void *into, const void *from) {
    combine_pairs(&((line *)into)->both, &((const line *)from)->both);
    combine_moments(&((line *)into)->x, &((const line *)from)->x);
}

typedef struct { pair_tasks both; tasks x; } line_tasks;

static void update_line_tasks(native_call *call, duckdb_aggregate_state *states) {
    const double *y = ARGUMENT(call, double, 0), *x = ARGUMENT(call, double, 1);
    const int64_t *numbers = ARGUMENT(call, int64_t, 2);
    for (idx_t row = 0; row < call->rows; row++)
        if (argument_valid(call, 0, row) && argument_valid(call, 1, row)) {
            line_tasks *state = (line_tasks *)states[row];
            add_pair_of_task(&state->both, x[row], y[row], numbers[row]);
            add_value_of_task(&state->x, x[row], numbers[row]);
        }
}

static void combine_line_tasks(void *into, const void *from) {
    combine_pair_tasks(&((line_tasks *)into)->both, &((const line_tasks *)from)->both);
    combine_tasks(&((line_tasks *)into)->x, &((const line_tasks *)from)->x);
}

#define FINISH_LINE(name, is_slope)                                                                                    \
    static void finish_##name(native_call *call, const void *from, idx_t row) {                                        \
        const line *s = from;                                                                                          \
        set_line(call, finished_pairs(&s->both), finished(&s->x), row, is_slope);                                      \
    }                                                                                                                  \
    static void finish_##name##_of_tasks(native_call *call, const void *from, idx_t row) {                             \
        const line_tasks *s = from;                                                                                    \
        set_line(call, finished_pair_tasks(&s->both), finished_tasks(&s->x), row, is_slope);                           \
    }
FINISH_LINE(regr_slope, true)
FINISH_LINE(regr_intercept, false)

#define ONE(name) {"spark_" #name, "d>d", sizeof(moments), update_moments, combine_moments, finish_##name, NULL, NULL}
#define TASKS(name)                                                                                                    \
    {"spark_" #name "_of_tasks", "dl>d", sizeof(tasks), update_tasks, combine_tasks, finish_##name##_of_tasks, NULL, NULL}
#define SUMS(name)                                                                                                     \
    {"spark_" #name "_of_tasks", "dl>d", sizeof(task_sums), update_sums, combine_sums, finish_##name##_of_tasks, NULL, NULL}
#define TWO(name) {"spark_" #name, "dd>d", sizeof(pairs), update_pairs, combine_pairs, finish_##name, NULL, NULL}
#define LINE(name) {"spark_" #name, "dd>d", sizeof(line), update_line, combine_line, finish_##name, NULL, NULL}
#define TWO_TASKS(name)                                                                                                \
    {"spark_" #name "_of_tasks", "ddl>d", sizeof(pair_tasks), update_pair_tasks, combine_pair_tasks, finish_##name##_of_tasks, NULL, NULL}
#define LINE_TASKS(name)                                                                                               \
    {"spark_" #name "_of_tasks", "ddl>d", sizeof(line_tasks), update_line_tasks, combine_line_tasks, finish_##name##_of_tasks, NULL, NULL}
const native_aggregate moment_aggregates[] = {
    ONE(stddev_pop), ONE(stddev_samp), ONE(var_pop), ONE(var_samp), ONE(moment2), ONE(skewness), ONE(kurtosis),
    TASKS(stddev_pop), TASKS(stddev_samp), TASKS(var_pop), TASKS(var_samp), TASKS(moment2), TASKS(skewness), TASKS(kurtosis), SUMS(sum), SUMS(avg),
    TWO(covar_pop), TWO(covar_samp), TWO(regr_sxy), TWO(corr), TWO(regr_r2), LINE(regr_slope), LINE(regr_intercept),
    TWO_TASKS(covar_pop), TWO_TASKS(covar_samp), TWO_TASKS(regr_sxy), TWO_TASKS(corr), TWO_TASKS(regr_r2),
    LINE_TASKS(regr_slope), LINE_TASKS(regr_intercept),
    {NULL}};
