/* Central moments, covariance, correlation and regression: Spark's update of one row, and its results. */
#ifndef MOMENTS_H
#define MOMENTS_H
#include "core/native.h"
#include <math.h>

typedef struct { double n, mean, m2, m3, m4; } moments;
typedef struct { double n, x_mean, y_mean, together, x_m2, y_m2; } pairs;

static inline void add_value(moments *s, double value) {
    double n = s->n + 1.0, delta = value - s->mean, step = delta / n;
    double square = delta * delta, step_square = step * step;
    double m2 = s->m2 + delta * (delta - step);
    double m3 = s->m3 - 3.0 * step * m2 + delta * (square - step_square);
    double m4 = s->m4 - 4.0 * step * m3 - 6.0 * step_square * m2 + delta * (delta * square - step * step_square);
    *s = (moments){n, s->mean + step, m2, m3, m4};
}

static inline void add_pair(pairs *s, double x, double y) {
    double n = s->n + 1.0, dx = x - s->x_mean, dy = y - s->y_mean;
    double x_mean = s->x_mean + dx / n, y_mean = s->y_mean + dy / n;
    *s = (pairs){n, x_mean, y_mean, s->together + dx * (y - y_mean), s->x_m2 + dx * (x - x_mean), s->y_m2 + dy * (y - y_mean)};
}

/* Division by zero is an error in ANSI mode and else null. */
static inline void set_quotient(native_call *call, idx_t row, double above, double below) {
    if (below == 0.0)
        fall_back(call, "FUNCTION_ROW_VALUE", "a statistic that divides by zero");
    RESULT(call, double)[row] = above / below;
}

#define MOMENT(name, no_result, result)                                                                                \
    static inline void set_##name(native_call *call, moments s, idx_t row) {                                           \
        if (s.n == 0.0 || (no_result))                                                                                 \
            set_null(call, row);                                                                                       \
        else                                                                                                           \
            RESULT(call, double)[row] = (result);                                                                      \
    }
MOMENT(stddev_pop, false, sqrt(s.m2 / s.n))
MOMENT(stddev_samp, s.n == 1.0, sqrt(s.m2 / (s.n - 1.0)))
MOMENT(var_pop, false, s.m2 / s.n)
MOMENT(var_samp, s.n == 1.0, s.m2 / (s.n - 1.0))
MOMENT(moment2, false, s.m2)

static inline void set_skewness(native_call *call, moments s, idx_t row) {
    if (s.n == 0.0 || s.m2 == 0.0)
        set_null(call, row);
    else
        set_quotient(call, row, sqrt(s.n) * s.m3, sqrt(s.m2 * s.m2 * s.m2));
}

static inline void set_kurtosis(native_call *call, moments s, idx_t row) {
    if (s.n == 0.0 || s.m2 == 0.0) {
        set_null(call, row);
        return;
    }
    set_quotient(call, row, s.n * s.m4, s.m2 * s.m2);
    RESULT(call, double)[row] -= 3.0;
}

#define PAIR(name, no_result, result)                                                                                  \
    static inline void set_##name(native_call *call, pairs s, idx_t row) {                                             \
        if (s.n == 0.0 || (no_result))                                                                                 \
            set_null(call, row);                                                                                       \
        else                                                                                                           \
            RESULT(call, double)[row] = (result);                                                                      \
    }
PAIR(covar_pop, false, s.together / s.n)
PAIR(covar_samp, s.n == 1.0, s.together / (s.n - 1.0))
PAIR(regr_sxy, false, s.together)

static inline void set_corr(native_call *call, pairs s, idx_t row) {
    if (s.n == 0.0 || s.n == 1.0)
        set_null(call, row);
    else
        set_quotient(call, row, s.together, sqrt(s.x_m2 * s.y_m2));
}

/* regr_r2(y, x): the first column is the dependent one. */
static inline void set_regr_r2(native_call *call, pairs s, idx_t row) {
    double *result = &RESULT(call, double)[row];
    if (s.y_m2 == 0.0) {
        set_null(call, row);
        return;
    }
    *result = 1.0;
    if (s.x_m2 != 0.0) {
        set_quotient(call, row, s.together, sqrt(s.x_m2 * s.y_m2));
        *result *= *result;
    }
}

/* Linear regression: Spark stores the moments of x with the covariance of x and y. */
typedef struct { pairs both; moments x; } line;

static inline void add_point(line *s, double y, double x) {
    add_pair(&s->both, x, y);
    add_value(&s->x, x);
}

static inline void set_line(native_call *call, pairs both, moments x, idx_t row, bool is_slope) {
    if (x.m2 == 0.0)
        set_null(call, row);
    else
        RESULT(call, double)[row] = is_slope ? both.together / x.m2 : both.y_mean - both.together / x.m2 * both.x_mean;
}

#endif
