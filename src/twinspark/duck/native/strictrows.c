/* StrictMath's exp, log and pow over columns: the same steps as in strictmath.c (whose notice holds for these too), without
 * branches, so that a compiler takes several rows at once. What lies outside the everyday range is computed one by one.
 *
 * fdlibm's notice: Copyright (C) 1993-2004 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun
 * Microsystems, Inc. business. Permission to use, copy, modify, and distribute this software is freely granted, provided that
 * this notice is preserved. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* no value changes; loops with comparisons of doubles become vectors */
#endif
#include "stricteveryday.h"

static const double P1 = 1.66666666666666019037e-01, P2 = -2.77777777770155933842e-03, P3 = 6.61375632143793436117e-05,
                    P4 = -1.65339022054652515390e-06, P5 = 4.13813679705723846039e-08;

/* --- exp --- */

static inline bool is_everyday_exp(double x) { return (fabs(x) < 708.0) & (fabs(x) >= 0x1p-28); }

static inline double everyday_exp(double x) {
    int32_t whole = (int32_t)(inverse_ln2 * x + copysign(0.5, x));
    int32_t k = fabs(x) >= 0x1.62e43p-2 ? whole : 0;
    double above = x - k * ln2_high, below = k * ln2_low;
    x = above - below;
    double t = x * x, c = x - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))));
    return scaled(1.0 - ((below - (x * c) / (2.0 - c)) - above), k);
}

STRICT_ROWS(exp)

/* --- log --- */

/* Positive, normal, and not within 2^-20 of a power of two, where fdlibm has a shorter way. */
static inline bool is_everyday_log(double x) {
    return (x >= 0x1p-1022) & (x < INFINITY) & (((bits_of(x) + UPPER(2)) & UPPER(0xfffff)) >= UPPER(3));
}

static inline double everyday_log(double x) {
    uint64_t bits = bits_of(x), fraction = bits & 0xfffffffffffffULL;
    uint64_t up = (fraction + UPPER(0x95f64)) & UPPER(0x100000); /* x or x / 2 */
    int32_t k = (int32_t)(bits >> 52) - 1023 + (int32_t)(up >> 52);
    double f = of_bits(fraction | (up ^ UPPER(0x3ff00000))) - 1.0, scale = k;
    double s = f / (2.0 + f), z = s * s, w = z * z;
    double r = z * (L1 + w * (L3 + w * (L5 + w * L7))) + w * (L2 + w * (L4 + w * L6));
    double half = 0.5 * f * f, part = scale * ln2_low;
    double near = half - (s * (half + r) + part), far = s * (f - r) - part;
    bool is_near = (int64_t)fraction >= (int64_t)UPPER(0x6147a) && (int64_t)fraction < (int64_t)UPPER(0x6b852);
    return scale * ln2_high - ((is_near ? near : far) - f);
}

STRICT_ROWS(log)

/* log10(2^k x) as fdlibm takes it apart; x' is x or half of it. */
void strict_log10_rows(const double *x, double *out, size_t rows) {
    static const double inverse_ln10 = 4.34294481903251816668e-01, log10_2_high = 3.01029995663611771306e-01,
                        log10_2_low = 3.69423907715893078616e-13;
    double parts[AT_ONCE];
    for (size_t from = 0; from < rows; from += AT_ONCE) {
        size_t count = rows - from < AT_ONCE ? rows - from : AT_ONCE;
        for (size_t i = 0; i < count; i++) {
            uint64_t bits = bits_of(x[from + i]);
            parts[i] = of_bits((bits & 0xfffffffffffffULL) | (bits < UPPER(0x3ff00000) ? UPPER(0x3fe00000) : UPPER(0x3ff00000)));
        }
        strict_log_rows(parts, out + from, count);
        for (size_t i = 0; i < count; i++) {
            int32_t k = (int32_t)(bits_of(x[from + i]) >> 52) - 1023;
            double y = k + (k < 0);
            out[from + i] = (y * log10_2_low + inverse_ln10 * out[from + i]) + y * log10_2_high;
        }
    }
    for (size_t row = 0; row < rows; row++)
        if (!(x[row] >= 0x1p-1022 && x[row] < INFINITY))
            out[row] = strict_log10(x[row]);
}

/* --- pow --- */

/* log2(x) as a sum of two doubles, the first with half of its bits. */
static inline double everyday_log2(double x, double *rest) {
    static const double c1 = 5.99999999999994648725e-01, c2 = 4.28571428578550184252e-01, c3 = 3.33333329818377432918e-01,
                        c4 = 2.72728123808534006489e-01, c5 = 2.30660745775561754067e-01, c6 = 2.06975017800338417784e-01,
                        cp = 9.61796693925975554329e-01, cp_high = 9.61796700954437255859e-01, cp_low = -7.02846165095275826516e-09;
    uint64_t bits = bits_of(x), fraction = bits & 0xfffffffffffffULL;
    bool to_two = (int64_t)fraction >= (int64_t)UPPER(0xBB67A);
    bool to_half = (int64_t)fraction >= (int64_t)UPPER(0x3988F) && !to_two;
    int32_t n = (int32_t)(bits >> 52) - 0x3ff + to_two;
    double point = to_half ? 1.5 : 1.0, log_high = to_half ? 5.84962487220764160156e-01 : 0.0,
           log_low = to_half ? 1.35003920212974897128e-08 : 0.0;
    uint64_t placed = fraction | (to_two ? UPPER(0x3fe00000) : UPPER(0x3ff00000));
    double magnitude = of_bits(placed);
    double u = magnitude - point, v = 1.0 / (magnitude + point), ss = u * v, s_high = top_half(ss);
    uint64_t top = ((placed >> 1) | UPPER(0x20000000)) + UPPER(0x00080000) + (to_half ? UPPER(1 << 18) : 0);
    double t_high = top_half(of_bits(top)), t_low = magnitude - (t_high - point);
    double s_low = v * ((u - s_high * t_high) - s_high * t_low);
    double s2 = ss * ss, r = s2 * s2 * (c1 + s2 * (c2 + s2 * (c3 + s2 * (c4 + s2 * (c5 + s2 * c6)))));
    r += s_low * (s_high + ss);
    s2 = s_high * s_high;
    t_high = top_half(3.0 + s2 + r);
    t_low = r - ((t_high - 3.0) - s2);
    u = s_high * t_high;
    v = s_low * t_high + t_low * ss;
    double p_high = top_half(u + v), p_low = v - (p_high - u);
    double z_high = cp_high * p_high, z_low = cp_low * p_high + p_low * cp + log_low, t = n;
    double first = top_half(((z_high + z_low) + log_high) + t);
    *rest = z_low - (((first - t) - log_high) - z_high);
    return first;
}

/* 2^(high + low), their sum being z. */
static inline double everyday_exp2(double z, double p_high, double p_low) {
    static const double lg2 = 6.93147180559945286227e-01, lg2_high = 6.93147182464599609375e-01, lg2_low = -1.90465429995776804525e-09;
    int32_t whole = (int32_t)(z + copysign(0.5, z));
    int32_t n = fabs(z) >= 0x1.00001p-1 ? whole : 0;
    p_high -= n;
    double t = top_half(p_low + p_high), u = t * lg2_high, v = (p_low - (t - p_high)) * lg2 + t * lg2_low;
    z = u + v;
    double w = v - (z - u);
    t = z * z;
    double t1 = z - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))));
    double r = (z * t1) / (t1 - 2.0) - (w + z * w);
    return scaled(1.0 - (r - z), n);
}

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
        double t2, t1 = everyday_log2(x[row], &t2), y1 = top_half(y[row]);
        double p_low = (y[row] - y1) * t1 + y[row] * t2, p_high = y1 * t1, z = p_low + p_high;
        fine[row] = is_everyday_power(x[row], y[row], z);
        all &= fine[row];
        out[row] = everyday_exp2(z, p_high, p_low);
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
