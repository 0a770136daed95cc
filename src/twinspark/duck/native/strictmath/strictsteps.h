/* fdlibm's steps, one body each, for single values (strictmath.c, stricttrigonometry.c) and for columns (strictrows.c, strictsums.c):
 * without branches, so that a compiler takes several rows at once. `everyday_<name>` is the function for arguments
 * with `is_everyday_<name>` (the common range); callers handle the rest.
 *
 * fdlibm's notice: Copyright (C) 1993-2004 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun
 * Microsystems, Inc. business. Permission to use, copy, modify, and distribute this software is freely granted, provided that
 * this notice is preserved.
 *
 * Every sum and product below is in the order in which fdlibm evaluates it: another order changes last bits. */
#pragma once
#include "strictmath/strictwords.h"
#include <math.h>
#include <stdbool.h>

#define UPPER(word) ((uint64_t)(word) << 32)
#define FRACTION 0xfffffffffffffULL

static const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;

/* 2^k times a number, where neither is subnormal. */
static inline double scaled(double x, int32_t k) { return of_bits(bits_of(x) + ((uint64_t)(int64_t)k << 52)); }

/* --- exponentials --- */

/* x = k ln2 + r, r = above - below. fdlibm has separate branches for |x| < ln2 / 2 and < 3/2 ln2; the general formula gives the same
 * results for all. */
static inline int32_t ln2_parts(double x, double *above, double *below) {
    static const double inverse_ln2 = 1.44269504088896338700e+00;
    int32_t whole = (int32_t)(inverse_ln2 * x + copysign(0.5, x)), k = fabs(x) >= 0x1.62e43p-2 ? whole : 0;
    *above = x - k * ln2_high;
    *below = k * ln2_low;
    return k;
}

/* What exp and 2^x have in common. */
static inline double exp_rest(double x) {
    static const double P1 = 1.66666666666666019037e-01, P2 = -2.77777777770155933842e-03, P3 = 6.61375632143793436117e-05,
                        P4 = -1.65339022054652515390e-06, P5 = 4.13813679705723846039e-08;
    double t = x * x;
    return x - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))));
}

/* e^x without its power of two, which is k. */
static inline double exp_fraction(double x, int32_t *k) {
    double above, below;
    *k = ln2_parts(x, &above, &below);
    x = above - below;
    double c = exp_rest(x);
    return 1.0 - ((below - (x * c) / (2.0 - c)) - above);
}

static inline bool is_everyday_exp(double x) { return (fabs(x) < 708.0) & (fabs(x) >= 0x1p-28); }

static inline double everyday_exp(double x) {
    int32_t k;
    double fraction = exp_fraction(x, &k);
    return scaled(fraction, k);
}

/* x^2 / 2, and what fdlibm calls e. */
static inline double expm1_rest(double x, double *square) {
    static const double Q1 = -3.33333333333331316428e-02, Q2 = 1.58730158725481460165e-03, Q3 = -7.93650757867487942473e-05,
                        Q4 = 4.00821782732936239552e-06, Q5 = -2.01099218183624371326e-07;
    double half = 0.5 * x, found = x * half;
    double r1 = 1.0 + found * (Q1 + found * (Q2 + found * (Q3 + found * (Q4 + found * Q5))));
    double t = 3.0 - r1 * half;
    *square = found;
    return found * ((r1 - t) / (6.0 - x * t));
}

/* x becomes what is left of it beside k ln2; returns e, `near` is expm1 of a number whose k is 0. */
static inline double expm1_parts(double *x, int32_t *k, double *near) {
    double above, below, square;
    *k = ln2_parts(*x, &above, &below);
    *x = above - below;
    double c = (above - *x) - below, e = expm1_rest(*x, &square);
    *near = *x - (*x * e - square);
    return (*x * (e - c) - c) - square;
}

/* Where k is below 20. */
static inline bool is_everyday_expm1(double x) { return (fabs(x) >= 0x1p-54) & (x < 13.0) & (x > -38.0); }

static inline double everyday_expm1(double x) {
    int32_t k;
    double near, e = expm1_parts(&x, &k, &near);
    double one_less = 0.5 * (x - e) - 0.5, one_more = x < -0.25 ? -2.0 * (e - (x + 0.5)) : 1.0 + 2.0 * (x - e);
    double small = scaled(1.0 - (e - x), k) - 1.0;
    int32_t shift = k < 0 ? 0 : k;
    double large = scaled((1.0 - of_bits((uint64_t)(int64_t)(1023 - shift) << 52)) - (e - x), k);
    double found = k <= -2 ? small : large;
    found = k == 1 ? one_more : found;
    found = k == -1 ? one_less : found;
    return k == 0 ? near : found;
}

/* --- logarithms --- */

static const double __attribute__((unused)) L1 = 6.666666666666735130e-01, L2 = 3.999999999940941908e-01,
                    L3 = 2.857142874366239149e-01, L4 = 2.222219843214978396e-01, L5 = 1.818357216161805012e-01,
                    L6 = 1.531383769920937332e-01, L7 = 1.479819860511658591e-01;

/* x or x / 2, less 1; its power of two is added to k. */
static inline double log_parts(double x, int32_t *k) {
    uint64_t bits = bits_of(x), fraction = bits & FRACTION, up = (fraction + UPPER(0x95f64)) & UPPER(0x100000);
    *k += (int32_t)(bits >> 52) - 1023 + (int32_t)(up >> 52);
    return of_bits(fraction | (up ^ UPPER(0x3ff00000))) - 1.0;
}

/* Not within 2^-20 of a power of two, where fdlibm has a shorter way. */
static inline bool is_apart_from_powers(double x) { return ((bits_of(x) + UPPER(2)) & UPPER(0xfffff)) >= UPPER(3); }

/* log(2^k x) of a normal number. */
static inline double log_of(double x, int32_t k) {
    int64_t fraction = (int64_t)(bits_of(x) & FRACTION);
    double f = log_parts(x, &k), scale = k;
    double s = f / (2.0 + f), z = s * s, w = z * z;
    double r = z * (L1 + w * (L3 + w * (L5 + w * L7))) + w * (L2 + w * (L4 + w * L6));
    double half = 0.5 * f * f, part = scale * ln2_low; /* both 0 for k = 0, where fdlibm leaves them out */
    double near = half - (s * (half + r) + part), far = s * (f - r) - part;
    bool is_near = (fraction >= (int64_t)UPPER(0x6147a)) & (fraction < (int64_t)UPPER(0x6b852));
    return scale * ln2_high - ((is_near ? near : far) - f);
}

static inline bool is_everyday_log(double x) { return (x >= 0x1p-1022) & (x < INFINITY) & is_apart_from_powers(x); }
static inline double everyday_log(double x) { return log_of(x, 0); }

/* log10(x) = log10_of(log10_part(x), its power of two). */
static inline double log10_part(double x) {
    uint64_t bits = bits_of(x);
    return of_bits((bits & FRACTION) | (bits < UPPER(0x3ff00000) ? UPPER(0x3fe00000) : UPPER(0x3ff00000)));
}
static inline double log10_of(double log_of_part, int32_t k) {
    static const double inverse_ln10 = 4.34294481903251816668e-01, log10_2_high = 3.01029995663611771306e-01,
                        log10_2_low = 3.69423907715893078616e-13;
    double y = k + (k < 0);
    return (y * log10_2_low + inverse_ln10 * log_of_part) + y * log10_2_high;
}

/* Within these bounds log1p takes the number itself, without 1 being added. */
static inline bool is_small_log1p(double x) { return (x > -0x1.2bec4p-2) & (x < 0x1.a827ap-2); }

/* u or u / 2, less 1; its power of two is k. */
static inline double log1p_parts(double u, int32_t *k) {
    uint64_t bits = bits_of(u), fraction = bits & FRACTION;
    bool halved = (int64_t)fraction >= (int64_t)UPPER(0x6a09e);
    *k = (int32_t)(bits >> 52) - 1023 + halved;
    return of_bits(fraction | (halved ? UPPER(0x3fe00000) : UPPER(0x3ff00000))) - 1.0;
}

/* What 1 + x, which is u, has lost. */
static inline double log1p_lost(double x, double u) { return (bits_of(u) >> 52 > 1023 ? 1.0 - (u - x) : x - (u - 1.0)) / u; }

static inline double log1p_of(double f, int32_t k, double lost) {
    double c = k == 0 ? 0.0 : lost, half = 0.5 * f * f, scale = k;
    double s = f / (2.0 + f), z = s * s;
    double r = z * (L1 + z * (L2 + z * (L3 + z * (L4 + z * (L5 + z * (L6 + z * L7))))));
    return scale * ln2_high - ((half - (s * (half + r) + (scale * ln2_low + c))) - f);
}

/* Not where 1 + x is within 2^-20 of a power of two, for which fdlibm has a shorter way. */
static inline bool is_everyday_log1p(double x) {
    uint64_t fraction = bits_of(1.0 + x) & FRACTION;
    bool plain = (fraction >= UPPER(1)) & (fraction < UPPER(0xffffd));
    return (fabs(x) >= 0x1p-29) & (x > -1.0) & (x < 0x1p53) & (is_small_log1p(x) | plain);
}

static inline double everyday_log1p(double x) {
    int32_t k;
    bool is_small = is_small_log1p(x);
    double u = 1.0 + x, f = log1p_parts(u, &k), lost = log1p_lost(x, u);
    return log1p_of(is_small ? x : f, is_small ? 0 : k, lost);
}

/* --- pow --- */

/* log2(2^n x) of a positive normal number as a sum of two doubles, the first with half of its bits. */
static inline double log2_of(double x, int32_t n, double *rest) {
    static const double c1 = 5.99999999999994648725e-01, c2 = 4.28571428578550184252e-01, c3 = 3.33333329818377432918e-01,
                        c4 = 2.72728123808534006489e-01, c5 = 2.30660745775561754067e-01, c6 = 2.06975017800338417784e-01,
                        cp = 9.61796693925975554329e-01, cp_high = 9.61796700954437255859e-01, cp_low = -7.02846165095275826516e-09;
    uint64_t bits = bits_of(x), fraction = bits & FRACTION;
    bool to_two = (int64_t)fraction >= (int64_t)UPPER(0xBB67A); /* nearer to 2 than to 1.5 */
    bool to_half = (int64_t)fraction >= (int64_t)UPPER(0x3988F) && !to_two;
    n += (int32_t)(bits >> 52) - 0x3ff + to_two;
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

/* 2^(high + low), their sum being z, without its power of two, which is n. */
static inline double exp2_fraction(double z, double p_high, double p_low, int32_t *n) {
    static const double lg2 = 6.93147180559945286227e-01, lg2_high = 6.93147182464599609375e-01, lg2_low = -1.90465429995776804525e-09;
    int32_t whole = (int32_t)(z + copysign(0.5, z));
    *n = fabs(z) >= 0x1.00001p-1 ? whole : 0;
    p_high -= *n;
    double t = top_half(p_low + p_high), u = t * lg2_high, v = (p_low - (t - p_high)) * lg2 + t * lg2_low;
    z = u + v;
    double w = v - (z - u), t1 = exp_rest(z);
    double r = (z * t1) / (t1 - 2.0) - (w + z * w);
    return 1.0 - (r - z);
}

/* --- circle and roots --- */

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

/* The root of a^2 + b^2 for a >= b, neither so great or small that a square is lost. */
static inline double hypot_of(double a, double b) {
    double w = a - b, t1 = top_half(a), t2 = a - t1, far = t1 * t1 - (b * (-b) - t2 * (a + t1));
    double twice = a + a, y1 = top_half(b), y2 = b - y1, s1 = top_half(twice), s2 = twice - s1;
    double near = s1 * y1 - (w * (-w) - (s1 * y2 + s2 * b));
    return sqrt(w > b ? far : near);
}

/* b is so much smaller than a that it does not count. */
static inline bool is_far_below(double a, double b) { return (int64_t)(bits_of(a) >> 32) - (int64_t)(bits_of(b) >> 32) > 0x3c00000; }

/* cosh of what is below ln2 / 2, given expm1 of its size. */
static inline double near_cosh(double t) {
    double w = 1.0 + t;
    return 1.0 + (t * t) / (w + w);
}
