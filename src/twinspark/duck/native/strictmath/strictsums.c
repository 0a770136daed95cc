/* StrictMath's expm1, log1p, cosh, hypot and atan over columns: the steps of strictsteps.h, several rows at once. Values outside
 * of the common range are computed one by one. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math", "no-math-errno") /* no value changes; loops become vectors */
#endif
#include "strictmath/stricteveryday.h"

STRICT_ROWS(expm1)

STRICT_ROWS(log1p)

/* --- cosh --- */

/* The exponentials of what is not small come in `out`. */
ON_EVERY_MACHINE static void cosh_of_exp_rows(const double *restrict x, double *restrict out, size_t rows) {
    for (size_t row = 0; row < rows; row++) {
        double size = fabs(x[row]), square, e = expm1_rest(size, &square);
        double near = near_cosh(size - (size * e - square)), far = 0.5 * out[row] + 0.5 / out[row];
        out[row] = size < 0x1.62e43p-2 ? near : far;
    }
}

static inline bool is_everyday_cosh(double x) { return (fabs(x) >= 0x1p-28) & (fabs(x) < 22.0); }

void strict_cosh_rows(const double *x, double *out, size_t rows) {
    double sizes[AT_ONCE];
    for (size_t from = 0; from < rows; from += AT_ONCE) {
        size_t count = rows - from < AT_ONCE ? rows - from : AT_ONCE;
        for (size_t i = 0; i < count; i++)
            sizes[i] = is_everyday_cosh(x[from + i]) ? fabs(x[from + i]) : 1.0;
        strict_exp_rows(sizes, out + from, count);
    }
    cosh_of_exp_rows(x, out, rows);
    for (size_t row = 0; row < rows; row++)
        if (!is_everyday_cosh(x[row]))
            out[row] = strict_cosh(x[row]);
}

/* --- hypot --- */

static inline bool is_everyday_hypot(double x, double y) {
    return (fabs(x) >= 0x1p-500) & (fabs(y) >= 0x1p-500) & (fabs(x) <= 0x1p500) & (fabs(y) <= 0x1p500);
}

static inline double everyday_hypot(double x, double y) {
    double one = fabs(x), other = fabs(y), a = other > one ? other : one, b = other > one ? one : other, root = hypot_of(a, b);
    return is_far_below(a, b) ? a + b : root;
}

ON_EVERY_MACHINE static bool hypot_everyday_rows(const double *restrict x, const double *restrict y, double *restrict out, size_t rows) {
    uint64_t fine = 1;
    for (size_t row = 0; row < rows; row++) {
        out[row] = everyday_hypot(x[row], y[row]);
        fine &= is_everyday_hypot(x[row], y[row]);
    }
    return fine;
}

void strict_hypot_rows(const double *x, const double *y, double *out, size_t rows) {
    if (hypot_everyday_rows(x, y, out, rows))
        return;
    for (size_t row = 0; row < rows; row++)
        if (!is_everyday_hypot(x[row], y[row]))
            out[row] = strict_hypot(x[row], y[row]);
}

STRICT_ROWS(atan)
