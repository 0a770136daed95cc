/* StrictMath's expm1, log1p, cosh, hypot and atan over columns: the same steps as in strictmath.c and strictcircle.c (whose notices hold
 * for these too), without branches, so that a compiler takes several rows at once. What lies outside the everyday range is
 * computed one by one.
 *
 * fdlibm's notice: Copyright (C) 1993-2004 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun
 * Microsystems, Inc. business. Permission to use, copy, modify, and distribute this software is freely granted, provided that
 * this notice is preserved. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math", "no-math-errno") /* no value changes; loops become vectors */
#endif
#include "stricteveryday.h"

/* --- expm1 --- */

static const double Q1 = -3.33333333333331316428e-02, Q2 = 1.58730158725481460165e-03, Q3 = -7.93650757867487942473e-05,
                    Q4 = 4.00821782732936239552e-06, Q5 = -2.01099218183624371326e-07;

/* x^2 / 2, and what fdlibm calls e. */
static inline double rest_of_expm1(double x, double *square) {
    double half = 0.5 * x, found = x * half;
    double r1 = 1.0 + found * (Q1 + found * (Q2 + found * (Q3 + found * (Q4 + found * Q5))));
    double t = 3.0 - r1 * half;
    *square = found;
    return found * ((r1 - t) / (6.0 - x * t));
}

/* Where k is below 20. */
static inline bool is_everyday_expm1(double x) { return (fabs(x) >= 0x1p-54) & (x < 13.0) & (x > -38.0); }

static inline double everyday_expm1(double x) {
    int32_t whole = (int32_t)(inverse_ln2 * x + copysign(0.5, x)), k = fabs(x) >= 0x1.62e43p-2 ? whole : 0;
    double above = x - k * ln2_high, below = k * ln2_low, square;
    x = above - below;
    double c = (above - x) - below, e = rest_of_expm1(x, &square), near = x - (x * e - square);
    e = (x * (e - c) - c) - square;
    double one_less = 0.5 * (x - e) - 0.5, one_more = x < -0.25 ? -2.0 * (e - (x + 0.5)) : 1.0 + 2.0 * (x - e);
    double small = scaled(1.0 - (e - x), k) - 1.0;
    int32_t shift = k < 0 ? 0 : k;
    double large = scaled((1.0 - of_bits((uint64_t)(int64_t)(1023 - shift) << 52)) - (e - x), k);
    double found = k <= -2 ? small : large;
    found = k == 1 ? one_more : found;
    found = k == -1 ? one_less : found;
    return k == 0 ? near : found;
}

STRICT_ROWS(expm1)

/* --- log1p --- */

/* Within these bounds the number itself is taken, without 1 being added. */
static inline bool is_small_log1p(double x) { return (x > -0x1.2bec4p-2) & (x < 0x1.a827ap-2); }

/* Not where 1 + x is within 2^-20 of a power of two, for which fdlibm has a shorter way. */
static inline bool is_everyday_log1p(double x) {
    uint64_t fraction = bits_of(1.0 + x) & 0xfffffffffffffULL;
    bool plain = (fraction >= UPPER(1)) & (fraction < UPPER(0xffffd));
    return (fabs(x) >= 0x1p-29) & (x > -1.0) & (x < 0x1p53) & (is_small_log1p(x) | plain);
}

static inline double everyday_log1p(double x) {
    bool is_small = is_small_log1p(x);
    double u = 1.0 + x;
    uint64_t bits = bits_of(u), fraction = bits & 0xfffffffffffffULL;
    bool halved = (int64_t)fraction >= (int64_t)UPPER(0x6a09e);
    int32_t power = (int32_t)(bits >> 52) - 1023;
    double lost = (power > 0 ? 1.0 - (u - x) : x - (u - 1.0)) / u;
    int32_t k = power + halved;
    double f = of_bits(fraction | (halved ? UPPER(0x3fe00000) : UPPER(0x3ff00000))) - 1.0;
    k = is_small ? 0 : k;
    f = is_small ? x : f;
    double c = k == 0 ? 0.0 : lost, half = 0.5 * f * f, scale = k;
    double s = f / (2.0 + f), z = s * s;
    double r = z * (L1 + z * (L2 + z * (L3 + z * (L4 + z * (L5 + z * (L6 + z * L7))))));
    return scale * ln2_high - ((half - (s * (half + r) + (scale * ln2_low + c))) - f);
}

STRICT_ROWS(log1p)

/* --- cosh --- */

/* The exponentials of what is not small come in `out`. */
ON_EVERY_MACHINE static void cosh_of_exp_rows(const double *restrict x, double *restrict out, size_t rows) {
    for (size_t row = 0; row < rows; row++) {
        double size = fabs(x[row]), square, e = rest_of_expm1(size, &square), t = size - (size * e - square), w = 1.0 + t;
        double near = 1.0 + (t * t) / (w + w), far = 0.5 * out[row] + 0.5 / out[row];
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
    double one = fabs(x), other = fabs(y), a = other > one ? other : one, b = other > one ? one : other, w = a - b;
    double t1 = top_half(a), t2 = a - t1, far = t1 * t1 - (b * (-b) - t2 * (a + t1));
    double twice = a + a, y1 = top_half(b), y2 = b - y1, s1 = top_half(twice), s2 = twice - s1;
    double near = s1 * y1 - (w * (-w) - (s1 * y2 + s2 * b));
    double root = sqrt(w > b ? far : near);
    int64_t apart = (int64_t)(bits_of(a) >> 32) - (int64_t)(bits_of(b) >> 32);
    return apart > 0x3c00000 ? a + b : root;
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

/* --- atan --- */

static inline bool is_everyday_atan(double x) { return (fabs(x) >= 0x1p-29) & (fabs(x) < 0x1p66); }

/* The arc whose tangent is the nearest of 0, 1/2, 1, 3/2 and infinity, and the rest. */
static inline double everyday_atan(double x) {
    double y = fabs(x);
    bool half = y >= 0.4375, one = y >= 0.6875, more = y >= 1.1875, most = y >= 2.4375;
    double upper = half ? 2.0 * y - 1.0 : y, lower = half ? 2.0 + y : 1.0;
    double above = half ? 4.63647609000806093515e-01 : 0.0, below = half ? 2.26987774529616870924e-17 : 0.0;
    upper = one ? y - 1.0 : upper, lower = one ? y + 1.0 : lower;
    above = one ? 7.85398163397448278999e-01 : above, below = one ? 3.06161699786838301793e-17 : below;
    upper = more ? y - 1.5 : upper, lower = more ? 1.0 + 1.5 * y : lower;
    above = more ? 9.82793723247329054082e-01 : above, below = more ? 1.39033110312309984516e-17 : below;
    upper = most ? -1.0 : upper, lower = most ? y : lower;
    above = most ? 1.57079632679489655800e+00 : above, below = most ? 6.12323399573676603587e-17 : below;
    double t = upper / lower, z = t * t, w = z * z;
    double s1 = z * (3.33333333333329318027e-01 + w * (1.42857142725034663711e-01 + w * (9.09088713343650656196e-02 +
                w * (6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
    double s2 = w * (-1.99999999998764832476e-01 + w * (-1.11111104054623557880e-01 + w * (-7.69187620504482999495e-02 +
                w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
    return copysign(above - ((t * (s1 + s2) - below) - t), x);
}

STRICT_ROWS(atan)
