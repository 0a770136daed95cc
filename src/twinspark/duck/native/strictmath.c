/* java.lang.StrictMath's exponentials, logarithms and pow:
 * the methods, coefficients and order of operations of fdlibm 5.3, written anew.
 *
 * fdlibm's notice: Copyright (C) 1993-2004 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun
 * Microsystems, Inc. business. Permission to use, copy, modify, and distribute this software is freely granted, provided that
 * this notice is preserved.
 *
 * Every sum and product below stands in the order in which fdlibm evaluates it: another order changes last bits. */
#include "strictmath.h"
#include "strictwords.h"
#include <math.h>

static const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10,
                    inverse_ln2 = 1.44269504088896338700e+00, two54 = 1.80143985094819840000e+16;

/* --- exponentials --- */

static const double P1 = 1.66666666666666019037e-01, P2 = -2.77777777770155933842e-03, P3 = 6.61375632143793436117e-05,
                    P4 = -1.65339022054652515390e-06, P5 = 4.13813679705723846039e-08;

/* x = k ln2 + r. fdlibm tells |x| < ln2 / 2 and < 3/2 ln2 from the rest; the last one's formula gives the same for all, and
 * without branches, which random numbers make dear. */
static inline int ln2_parts(double x, uint32_t size, double *above, double *below) {
    int k = (int)(inverse_ln2 * x + copysign(0.5, x));
    k = size > 0x3fd62e42 ? k : 0;
    *above = x - k * ln2_high;
    *below = k * ln2_low;
    return k;
}

double strict_exp(double x) {
    double above, below;
    int negative = high(x) < 0;
    uint32_t size = (uint32_t)high(x) & 0x7fffffff;
    if (size >= 0x40862E42) { /* |x| >= 709.78 */
        if (size >= 0x7ff00000)
            return isnan(x) ? x + x : negative ? 0.0 : x;
        if (x > 7.09782712893383973096e+02)
            return huge * huge;
        if (x < -7.45133219101941108420e+02)
            return tiny * tiny;
    }
    if (size < 0x3e300000)
        return 1.0 + x;
    int k = ln2_parts(x, size, &above, &below);
    x = above - below;
    double t = x * x, c = x - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))));
    double y = 1.0 - ((below - (x * c) / (2.0 - c)) - above);
    return k >= -1021 ? add_exponent(y, k) : add_exponent(y, k + 1000) * 9.33263618503218878990e-302;
}

double strict_expm1(double x) {
    static const double Q1 = -3.33333333333331316428e-02, Q2 = 1.58730158725481460165e-03, Q3 = -7.93650757867487942473e-05,
                        Q4 = 4.00821782732936239552e-06, Q5 = -2.01099218183624371326e-07;
    int negative = high(x) < 0, k = 0;
    uint32_t size = (uint32_t)high(x) & 0x7fffffff;
    double above, below, c = 0, y;
    if (size >= 0x4043687A) { /* |x| >= 56 ln2 */
        if (size >= 0x40862E42) {
            if (size >= 0x7ff00000)
                return isnan(x) ? x + x : negative ? -1.0 : x;
            if (x > 7.09782712893383973096e+02)
                return huge * huge;
        }
        if (negative)
            return tiny - 1.0;
    }
    if (size < 0x3c900000)
        return x;
    k = ln2_parts(x, size, &above, &below);
    x = above - below;
    c = (above - x) - below;
    double half = 0.5 * x, square = x * half;
    double r1 = 1.0 + square * (Q1 + square * (Q2 + square * (Q3 + square * (Q4 + square * Q5))));
    double t = 3.0 - r1 * half, e = square * ((r1 - t) / (6.0 - x * t));
    if (k == 0)
        return x - (x * e - square);
    e = (x * (e - c) - c) - square;
    if (k == -1)
        return 0.5 * (x - e) - 0.5;
    if (k == 1)
        return x < -0.25 ? -2.0 * (e - (x + 0.5)) : 1.0 + 2.0 * (x - e);
    if (k <= -2 || k > 56)
        return add_exponent(1.0 - (e - x), k) - 1.0;
    if (k < 20) {
        t = with_high(1.0, 0x3ff00000 - (0x200000 >> k)); /* 1 - 2^-k */
        y = t - (e - x);
    } else {
        t = with_high(1.0, (0x3ff - k) << 20); /* 2^-k */
        y = x - (e + t);
        y += 1.0;
    }
    return add_exponent(y, k);
}

/* --- logarithms --- */

static const double L1 = 6.666666666666735130e-01, L2 = 3.999999999940941908e-01, L3 = 2.857142874366239149e-01,
                    L4 = 2.222219843214978396e-01, L5 = 1.818357216161805012e-01, L6 = 1.531383769920937332e-01,
                    L7 = 1.479819860511658591e-01;

double strict_log(double x) {
    int32_t word = high(x), k = 0;
    if (word < 0x00100000) { /* x < 2^-1022 */
        if (((word & 0x7fffffff) | (int32_t)low(x)) == 0)
            return -INFINITY;
        if (word < 0)
            return NAN;
        k -= 54;
        x *= two54;
        word = high(x);
    }
    if (word >= 0x7ff00000)
        return x + x;
    k += (word >> 20) - 1023;
    word &= 0x000fffff;
    int32_t i = (word + 0x95f64) & 0x100000;
    x = with_high(x, word | (i ^ 0x3ff00000)); /* x or x / 2 */
    k += i >> 20;
    double f = x - 1.0, scale = k;
    if ((0x000fffff & (2 + word)) < 3) { /* |f| < 2^-20 */
        if (f == 0)
            return k == 0 ? 0.0 : scale * ln2_high + scale * ln2_low;
        double r = f * f * (0.5 - 0.33333333333333333 * f);
        return k == 0 ? f - r : scale * ln2_high - ((r - scale * ln2_low) - f);
    }
    double s = f / (2.0 + f), z = s * s, w = z * z;
    double t1 = w * (L2 + w * (L4 + w * L6)), t2 = z * (L1 + w * (L3 + w * (L5 + w * L7))), r = t2 + t1;
    double half = 0.5 * f * f, part = scale * ln2_low; /* both 0 for k = 0, where fdlibm leaves them out */
    double near = half - (s * (half + r) + part), far = s * (f - r) - part;
    return scale * ln2_high - (either(((word - 0x6147a) | (0x6b851 - word)) > 0, near, far) - f);
}

double strict_log10(double x) {
    static const double inverse_ln10 = 4.34294481903251816668e-01, log10_2_high = 3.01029995663611771306e-01,
                        log10_2_low = 3.69423907715893078616e-13;
    int32_t word = high(x), k = 0;
    if (word < 0x00100000) {
        if (((word & 0x7fffffff) | (int32_t)low(x)) == 0)
            return -INFINITY;
        if (word < 0)
            return NAN;
        k -= 54;
        x *= two54;
        word = high(x);
    }
    if (word >= 0x7ff00000)
        return x + x;
    k += (word >> 20) - 1023;
    int32_t i = (int32_t)((uint32_t)k >> 31);
    double y = k + i;
    x = with_high(x, (word & 0x000fffff) | ((0x3ff - i) << 20));
    double z = y * log10_2_low + inverse_ln10 * strict_log(x);
    return z + y * log10_2_high;
}

double strict_log1p(double x) {
    int32_t word = high(x), size = word & 0x7fffffff, k = 1, upper = 1;
    double f = 0, c = 0, u;
    if (word < 0x3FDA827A) { /* x < 0.41422 */
        if (size >= 0x3ff00000)
            return x == -1.0 ? -INFINITY : NAN;
        if (size < 0x3e200000) /* |x| < 2^-29 */
            return size < 0x3c900000 ? x : x - x * x * 0.5;
        if (word > 0 || word <= (int32_t)0xbfd2bec3) { /* -0.2929 < x < 0.41422 */
            k = 0;
            f = x;
            upper = 1;
        }
    }
    if (word >= 0x7ff00000)
        return x + x;
    if (k != 0) {
        if (word < 0x43400000) {
            u = 1.0 + x;
            upper = high(u);
            k = (upper >> 20) - 1023;
            c = k > 0 ? 1.0 - (u - x) : x - (u - 1.0); /* what the sum lost */
            c /= u;
        } else {
            u = x;
            upper = high(u);
            k = (upper >> 20) - 1023;
            c = 0;
        }
        upper &= 0x000fffff;
        int halved = upper >= 0x6a09e;
        k += halved;
        u = with_high(u, upper | (0x3ff00000 - (halved << 20)));
        upper = halved ? (0x00100000 - upper) >> 2 : upper;
        f = u - 1.0;
    }
    double half = 0.5 * f * f, scale = k;
    if (upper == 0) { /* |f| < 2^-20 */
        if (f == 0) {
            if (k == 0)
                return 0.0;
            c += scale * ln2_low;
            return scale * ln2_high + c;
        }
        double r = half * (1.0 - 0.66666666666666666 * f);
        return k == 0 ? f - r : scale * ln2_high - ((r - (scale * ln2_low + c)) - f);
    }
    double s = f / (2.0 + f), z = s * s;
    double r = z * (L1 + z * (L2 + z * (L3 + z * (L4 + z * (L5 + z * (L6 + z * L7))))));
    c = either(k == 0, 0.0, c);
    return scale * ln2_high - ((half - (s * (half + r) + (scale * ln2_low + c))) - f);
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

/* log2(|x|) as a sum of two doubles, the first with half of its bits. */
static void log2_of(double magnitude, uint32_t size, double *first, double *second) {
    static const double c1 = 5.99999999999994648725e-01, c2 = 4.28571428578550184252e-01, c3 = 3.33333329818377432918e-01,
                        c4 = 2.72728123808534006489e-01, c5 = 2.30660745775561754067e-01, c6 = 2.06975017800338417784e-01,
                        cp = 9.61796693925975554329e-01, cp_high = 9.61796700954437255859e-01, cp_low = -7.02846165095275826516e-09;
    static const double point[] = {1.0, 1.5}, log_high[] = {0.0, 5.84962487220764160156e-01},
                        log_low[] = {0.0, 1.35003920212974897128e-08};
    int n = 0, k;
    if (size < 0x00100000) {
        magnitude *= 9007199254740992.0;
        n -= 53;
        size = (uint32_t)high(magnitude);
    }
    n += (int)(size >> 20) - 0x3ff;
    uint32_t j = size & 0x000fffff;
    size = j | 0x3ff00000;
    uint32_t next = j >= 0xBB67A; /* nearer to 2 than to 1.5 */
    k = (j > 0x3988E) & !next;
    n += (int)next;
    size -= next << 20;
    magnitude = with_high(magnitude, (int32_t)size);
    double u = magnitude - point[k], v = 1.0 / (magnitude + point[k]), ss = u * v, s_high = top_half(ss);
    double t_high = of_bits((uint64_t)(uint32_t)(((size >> 1) | 0x20000000) + 0x00080000 + ((uint32_t)k << 18)) << 32);
    double t_low = magnitude - (t_high - point[k]);
    double s_low = v * ((u - s_high * t_high) - s_high * t_low);
    double s2 = ss * ss, r = s2 * s2 * (c1 + s2 * (c2 + s2 * (c3 + s2 * (c4 + s2 * (c5 + s2 * c6)))));
    r += s_low * (s_high + ss);
    s2 = s_high * s_high;
    t_high = top_half(3.0 + s2 + r);
    t_low = r - ((t_high - 3.0) - s2);
    u = s_high * t_high;
    v = s_low * t_high + t_low * ss;
    double p_high = top_half(u + v), p_low = v - (p_high - u);
    double z_high = cp_high * p_high, z_low = cp_low * p_high + p_low * cp + log_low[k], t = n;
    *first = top_half(((z_high + z_low) + log_high[k]) + t);
    *second = z_low - (((*first - t) - log_high[k]) - z_high);
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
    static const double lg2 = 6.93147180559945286227e-01, lg2_high = 6.93147182464599609375e-01, lg2_low = -1.90465429995776804525e-09,
                        overflow_tail = 8.0085662595372944372e-0017;
    int32_t j = high(z), i = (int32_t)low(z), n = 0;
    if (j >= 0x40900000) { /* z >= 1024 */
        if (((j - 0x40900000) | i) != 0 || p_low + overflow_tail > z - p_high)
            return sign * huge * huge;
    } else if ((j & 0x7fffffff) >= 0x4090cc00) { /* z <= -1075 */
        if (((j - (int32_t)0xc090cc00) | i) != 0 || p_low <= z - p_high)
            return sign * tiny * tiny;
    }
    int32_t size = j & 0x7fffffff, k = (size >> 20) - 0x3ff;
    if (size > 0x3fe00000) { /* |z| > 0.5: n = [z + 0.5] */
        n = j + (0x00100000 >> (k + 1));
        k = ((n & 0x7fffffff) >> 20) - 0x3ff;
        double t = of_bits((uint64_t)(uint32_t)(n & ~(0x000fffff >> k)) << 32);
        n = ((n & 0x000fffff) | 0x00100000) >> (20 - k);
        n = (n ^ (j >> 31)) - (j >> 31); /* with the sign of z */
        p_high -= t;
    }
    double t = top_half(p_low + p_high), u = t * lg2_high, v = (p_low - (t - p_high)) * lg2 + t * lg2_low;
    z = u + v;
    double w = v - (z - u);
    t = z * z;
    double t1 = z - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))));
    double r = (z * t1) / (t1 - 2.0) - (w + z * w);
    z = 1.0 - (r - z);
    j = (int32_t)((uint32_t)high(z) + ((uint32_t)n << 20));
    z = (j >> 20) <= 0 ? scalbn(z, n) : with_high(z, j); /* a subnormal result is rounded once more */
    return sign * z;
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
    } else
        log2_of(magnitude, x_size, &t1, &t2);
    double y1 = top_half(y), p_low = (y - y1) * t1 + y * t2, p_high = y1 * t1;
    return exp2_of(p_low + p_high, p_high, p_low, sign);
}
