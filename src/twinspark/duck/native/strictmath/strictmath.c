/* java.lang.StrictMath's exponentials, logarithms and pow:
 * the methods, coefficients and order of operations of fdlibm 5.3, written anew.
 *
 * fdlibm's notice: Copyright (C) 1993-2004 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun
 * Microsystems, Inc. business. Permission to use, copy, modify, and distribute this software is freely granted, provided that
 * this notice is preserved.
 *
 * The steps are those of strictsteps.h; this file has the special cases: zeros, infinities, tiny and huge numbers. */
#include "strictmath/strictmath.h"
#include "strictmath/strictsteps.h"

static const double two54 = 1.80143985094819840000e+16;

/* --- exponentials --- */

double strict_exp(double x) {
    if (is_everyday_exp(x))
        return everyday_exp(x);
    if (isnan(x) || isinf(x))
        return isnan(x) ? x + x : x < 0 ? 0.0 : x;
    if (x > 7.09782712893383973096e+02)
        return huge * huge;
    if (x < -7.45133219101941108420e+02)
        return tiny * tiny;
    if (fabs(x) < 0x1p-28)
        return 1.0 + x;
    int32_t k;
    double fraction = exp_fraction(x, &k);
    return k >= -1021 ? add_exponent(fraction, k) : add_exponent(fraction, k + 1000) * 9.33263618503218878990e-302;
}

double strict_expm1(double x) {
    if (is_everyday_expm1(x))
        return everyday_expm1(x);
    if (isnan(x) || isinf(x))
        return isnan(x) ? x + x : x < 0 ? -1.0 : x;
    if (fabs(x) < 0x1p-54)
        return x;
    if (x > 7.09782712893383973096e+02)
        return huge * huge;
    if (high(x) < 0 && ((uint32_t)high(x) & 0x7fffffff) >= 0x4043687A) /* x <= -56 ln2 */
        return tiny - 1.0;
    int32_t k;
    double near, e = expm1_parts(&x, &k, &near);
    if (k < 20) /* also of -38 and less */
        return k < 0 ? add_exponent(1.0 - (e - x), k) - 1.0 : add_exponent((1.0 - of_bits((uint64_t)(1023 - k) << 52)) - (e - x), k);
    if (k > 56)
        return add_exponent(1.0 - (e - x), k) - 1.0;
    double y = x - (e + of_bits((uint64_t)(1023 - k) << 52));
    return add_exponent(y + 1.0, k);
}

/* --- logarithms --- */

double strict_log(double x) {
    if (is_everyday_log(x))
        return everyday_log(x);
    if (x == 0)
        return -INFINITY;
    if (x < 0)
        return NAN;
    if (isnan(x) || isinf(x))
        return x + x;
    int32_t k = x < 0x1p-1022 ? -54 : 0;
    x *= k ? two54 : 1.0;
    if (is_apart_from_powers(x))
        return log_of(x, k);
    double f = log_parts(x, &k), scale = k;
    if (f == 0)
        return k == 0 ? 0.0 : scale * ln2_high + scale * ln2_low;
    double r = f * f * (0.5 - 0.33333333333333333 * f);
    return k == 0 ? f - r : scale * ln2_high - ((r - scale * ln2_low) - f);
}

double strict_log10(double x) {
    if (x == 0)
        return -INFINITY;
    if (x < 0)
        return NAN;
    if (isnan(x) || isinf(x))
        return x + x;
    int32_t k = x < 0x1p-1022 ? -54 : 0;
    x *= k ? two54 : 1.0;
    k += (int32_t)(bits_of(x) >> 52) - 1023;
    double part = of_bits((bits_of(x) & FRACTION) | (k < 0 ? UPPER(0x3fe00000) : UPPER(0x3ff00000)));
    return log10_of(strict_log(part), k);
}

double strict_log1p(double x) {
    if (is_everyday_log1p(x))
        return everyday_log1p(x);
    if (isnan(x))
        return x + x;
    if (x <= -1.0)
        return x == -1.0 ? -INFINITY : NAN;
    if (fabs(x) < 0x1p-29)
        return fabs(x) < 0x1p-54 ? x : x - x * x * 0.5;
    if (isinf(x))
        return x + x;
    int32_t k;
    double u = x < 0x1p53 ? 1.0 + x : x, lost = x < 0x1p53 ? log1p_lost(x, u) : 0, f = log1p_parts(u, &k), scale = k;
    uint64_t fraction = bits_of(u) & FRACTION;
    if (fraction >= UPPER(1) && fraction < UPPER(0xffffd))
        return log1p_of(f, k, lost);
    if (f == 0)
        return k == 0 ? 0.0 : scale * ln2_high + (lost + scale * ln2_low);
    double r = 0.5 * f * f * (1.0 - 0.66666666666666666 * f);
    return k == 0 ? f - r : scale * ln2_high - ((r - (scale * ln2_low + lost)) - f);
}

/* --- pow --- */

/* 0: y is no whole number, 1: odd, 2: even. */
static int parity(double y) {
    uint32_t size = (uint32_t)high(y) & 0x7fffffff;
    if (size >= 0x43400000)
        return 2;
    if (size < 0x3ff00000)
        return 0;
    uint64_t magnitude = bits_of(y) & INT64_MAX;
    int shift = 52 - ((int)(size >> 20) - 1023);
    uint64_t whole = magnitude >> shift;
    return whole << shift == magnitude ? 2 - (int)(whole & 1) : 0;
}

/* log2(|x|) for |x - 1| <= 2^-20, where one polynomial is enough. */
static void log2_near_one(double magnitude, double *first, double *second) {
    static const double ivln2 = 1.44269504088896338700e+00, ivln2_high = 1.44269502162933349609e+00, ivln2_low = 1.92596299112661746887e-08;
    double t = magnitude - 1, w = (t * t) * (0.5 - t * (0.3333333333333333333333 - t * 0.25));
    double u = ivln2_high * t, v = t * ivln2_low - w * ivln2;
    *first = top_half(u + v);
    *second = v - (*first - u);
}

/* 2^(high + low) with the sign. */
static double exp2_of(double z, double p_high, double p_low, double sign) {
    static const double overflow_tail = 8.0085662595372944372e-0017;
    if (z >= 1024.0) {
        if (z > 1024.0 || p_low + overflow_tail > z - p_high)
            return sign * huge * huge;
    } else if (z <= -1075.0) {
        if (z < -1075.0 || p_low <= z - p_high)
            return sign * tiny * tiny;
    }
    int32_t n;
    double fraction = exp2_fraction(z, p_high, p_low, &n);
    int32_t word = (int32_t)((uint32_t)high(fraction) + ((uint32_t)n << 20));
    return sign * ((word >> 20) <= 0 ? scalbn(fraction, n) : with_high(fraction, word)); /* subnormal: rounded once more */
}

double strict_pow(double x, double y) {
    uint32_t x_size = (uint32_t)high(x) & 0x7fffffff, y_size = (uint32_t)high(y) & 0x7fffffff;
    if ((y_size | low(y)) == 0)
        return 1.0;
    if (isnan(x) || isnan(y))
        return x + y;
    int whole = high(x) < 0 ? parity(y) : 0;
    if (low(y) == 0) {
        if (y_size == 0x7ff00000) {
            if (((x_size - 0x3ff00000) | low(x)) == 0)
                return y - y; /* |x| = 1: NaN */
            if (x_size >= 0x3ff00000)
                return high(y) >= 0 ? y : 0.0;
            return high(y) < 0 ? -y : 0.0;
        }
        if (y_size == 0x3ff00000)
            return high(y) < 0 ? 1.0 / x : x;
        if (high(y) == 0x40000000)
            return x * x;
        if (high(y) == 0x3fe00000 && high(x) >= 0)
            return sqrt(x);
    }
    double magnitude = fabs(x);
    if (low(x) == 0 && (x_size == 0x7ff00000 || x_size == 0 || x_size == 0x3ff00000)) { /* 0, 1, infinity */
        double z = high(y) < 0 ? 1.0 / magnitude : magnitude;
        if (high(x) < 0) {
            if (((x_size - 0x3ff00000) | (uint32_t)whole) == 0)
                z = (z - z) / (z - z);
            else if (whole == 1)
                z = -z;
        }
        return z;
    }
    if (high(x) < 0 && whole == 0)
        return (x - x) / (x - x);
    double sign = high(x) < 0 && whole == 1 ? -1.0 : 1.0, t1, t2;
    if (y_size > 0x41e00000) { /* |y| > 2^31 */
        if (y_size > 0x43f00000) {
            if (x_size <= 0x3fefffff)
                return high(y) < 0 ? huge * huge : tiny * tiny;
            if (x_size >= 0x3ff00000)
                return high(y) > 0 ? huge * huge : tiny * tiny;
        }
        if (x_size < 0x3fefffff)
            return high(y) < 0 ? sign * huge * huge : sign * tiny * tiny;
        if (x_size > 0x3ff00000)
            return high(y) > 0 ? sign * huge * huge : sign * tiny * tiny;
        log2_near_one(magnitude, &t1, &t2);
    } else if (magnitude < 0x1p-1022)
        t1 = log2_of(magnitude * 9007199254740992.0, -53, &t2);
    else
        t1 = log2_of(magnitude, 0, &t2);
    double y1 = top_half(y), p_low = (y - y1) * t1 + y * t2, p_high = y1 * t1;
    return exp2_of(p_low + p_high, p_high, p_low, sign);
}
