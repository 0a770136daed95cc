/* StrictMath's exp, log and pow over columns: the steps of strictsteps.h, several rows at once. Values outside of the common
 * range are computed one by one. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* no value changes; loops with comparisons of doubles become vectors */
#endif
#include "strictmath/stricteveryday.h"

STRICT_ROWS(exp)

STRICT_ROWS(log)

/* The logarithms of the parts come first, for all rows at once. */
void strict_log10_rows(const double *x, double *out, size_t rows) {
    double parts[AT_ONCE];
    for (size_t from = 0; from < rows; from += AT_ONCE) {
        size_t count = rows - from < AT_ONCE ? rows - from : AT_ONCE;
        for (size_t i = 0; i < count; i++)
            parts[i] = log10_part(x[from + i]);
        strict_log_rows(parts, out + from, count);
        for (size_t i = 0; i < count; i++)
            out[from + i] = log10_of(out[from + i], (int32_t)(bits_of(x[from + i]) >> 52) - 1023);
    }
    for (size_t row = 0; row < rows; row++)
        if (!(x[row] >= 0x1p-1022 && x[row] < INFINITY))
            out[row] = strict_log10(x[row]);
}

/* --- pow --- */

/* A positive base, an exponent that fdlibm has no shorter way for, a result that is a normal number. */
static inline bool is_plain_exponent(double y) {
    return (y != 0) & (y != 1.0) & (y != -1.0) & (y != 2.0) & (y != 0.5) & (fabs(y) < 0x1p31);
}
static inline bool is_everyday_power(double x, double y, double z) {
    return (x >= 0x1p-1022) & (x < INFINITY) & (x != 1.0) & is_plain_exponent(y) & (fabs(z) < 1000.0);
}

ON_EVERY_MACHINE static bool pow_everyday_rows(const double *restrict x, const double *restrict y, double *restrict out,
                                               uint8_t *restrict fine, size_t rows) {
    uint8_t all = 1;
    for (size_t row = 0; row < rows; row++) {
        double t2, t1 = log2_of(x[row], 0, &t2), y1 = top_half(y[row]);
        double p_low = (y[row] - y1) * t1 + y[row] * t2, p_high = y1 * t1, z = p_low + p_high;
        fine[row] = is_everyday_power(x[row], y[row], z);
        all &= fine[row];
        int32_t n;
        double fraction = exp2_fraction(z, p_high, p_low, &n);
        out[row] = scaled(fraction, n);
    }
    return all;
}

void strict_pow_rows(const double *x, const double *y, double *out, size_t rows) {
    uint8_t fine[AT_ONCE];
    for (size_t from = 0; from < rows; from += AT_ONCE) {
        size_t count = rows - from < AT_ONCE ? rows - from : AT_ONCE;
        if (!is_plain_exponent(y[from])) /* a square, most likely: so are the others */
            memset(fine, 0, count);
        else if (pow_everyday_rows(x + from, y + from, out + from, fine, count))
            continue;
        for (size_t i = 0; i < count; i++)
            if (!fine[i])
                out[from + i] = strict_pow(x[from + i], y[from + i]);
    }
}
