/* java.lang.StrictMath's elementary functions: the methods, coefficients and order of operations of fdlibm 5.3, written anew.
 *
 * fdlibm's notice: Copyright (C) 1993-2004 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun
 * Microsystems, Inc. business. Permission to use, copy, modify, and distribute this software is freely granted, provided that
 * this notice is preserved.
 *
 * Every sum and product below stands in the order in which fdlibm evaluates it: another order changes last bits. */
#include "strictmath.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t bits_of(double x) { uint64_t bits; memcpy(&bits, &x, 8); return bits; }
static inline double of_bits(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
static inline int32_t high(double x) { return (int32_t)(bits_of(x) >> 32); }
static inline uint32_t low(double x) { return (uint32_t)bits_of(x); }
static inline double with_high(double x, int32_t word) { return of_bits((uint64_t)(uint32_t)word << 32 | low(x)); }
static inline double top_half(double x) { return of_bits(bits_of(x) & 0xFFFFFFFF00000000ULL); }
static inline double add_exponent(double x, int k) { return with_high(x, (int32_t)((uint32_t)high(x) + ((uint32_t)k << 20))); }

static const double tiny = 1.0e-300, huge = 1.0e300;
static const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10,
                    inverse_ln2 = 1.44269504088896338700e+00, two54 = 1.80143985094819840000e+16;

/* --- exponentials --- */

static const double P1 = 1.66666666666666019037e-01, P2 = -2.77777777770155933842e-03, P3 = 6.61375632143793436117e-05,
                    P4 = -1.65339022054652515390e-06, P5 = 4.13813679705723846039e-08;

double strict_exp(double x) {
    double above = 0, below = 0;
    int k = 0, negative = high(x) < 0;
    uint32_t size = (uint32_t)high(x) & 0x7fffffff;
    if (size >= 0x40862E42) { /* |x| >= 709.78 */
        if (size >= 0x7ff00000)
            return isnan(x) ? x + x : negative ? 0.0 : x;
        if (x > 7.09782712893383973096e+02)
            return huge * huge;
        if (x < -7.45133219101941108420e+02)
            return tiny * tiny;
    }
    if (size > 0x3fd62e42) { /* |x| > ln2 / 2: x = k ln2 + r */
        if (size < 0x3FF0A2B2) {
            above = x - (negative ? -ln2_high : ln2_high);
            below = negative ? -ln2_low : ln2_low;
            k = negative ? -1 : 1;
        } else {
            k = (int)(inverse_ln2 * x + (negative ? -0.5 : 0.5));
            double t = k;
            above = x - t * ln2_high;
            below = t * ln2_low;
        }
        x = above - below;
    } else if (size < 0x3e300000)
        return 1.0 + x;
    double t = x * x, c = x - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))));
    if (k == 0)
        return 1.0 - ((x * c) / (c - 2.0) - x);
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
    if (size > 0x3fd62e42) {
        if (size < 0x3FF0A2B2) {
            above = negative ? x + ln2_high : x - ln2_high;
            below = negative ? -ln2_low : ln2_low;
            k = negative ? -1 : 1;
        } else {
            k = (int)(inverse_ln2 * x + (negative ? -0.5 : 0.5));
            double t = k;
            above = x - t * ln2_high;
            below = t * ln2_low;
        }
        x = above - below;
        c = (above - x) - below;
    } else if (size < 0x3c900000)
        return x;
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
    if (((word - 0x6147a) | (0x6b851 - word)) > 0) {
        double half = 0.5 * f * f;
        return k == 0 ? f - (half - s * (half + r))
                      : scale * ln2_high - ((half - (s * (half + r) + scale * ln2_low)) - f);
    }
    return k == 0 ? f - s * (f - r) : scale * ln2_high - ((s * (f - r) - scale * ln2_low) - f);
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
        if (upper < 0x6a09e)
            u = with_high(u, upper | 0x3ff00000);
        else {
            k += 1;
            u = with_high(u, upper | 0x3fe00000);
            upper = (0x00100000 - upper) >> 2;
        }
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
    return k == 0 ? f - (half - s * (half + r)) : scale * ln2_high - ((half - (s * (half + r) + (scale * ln2_low + c))) - f);
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
    if (j <= 0x3988E)
        k = 0;
    else if (j < 0xBB67A)
        k = 1;
    else {
        k = 0;
        n += 1;
        size -= 0x00100000;
    }
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
        if (j < 0)
            n = -n;
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

/* --- circle and hyperbola --- */

double strict_atan(double x) {
    static const double above[] = {4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01,
                                   1.57079632679489655800e+00},
                        below[] = {2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17,
                                   6.12323399573676603587e-17};
    static const double a[] = {3.33333333333329318027e-01,  -1.99999999998764832476e-01, 1.42857142725034663711e-01,
                               -1.11111104054623557880e-01, 9.09088713343650656196e-02,  -7.69187620504482999495e-02,
                               6.66107313738753120669e-02,  -5.83357013379057348645e-02, 4.97687799461593236017e-02,
                               -3.65315727442169155270e-02, 1.62858201153657823623e-02};
    int32_t word = high(x), size = word & 0x7fffffff, id = -1;
    if (size >= 0x44100000) {
        if (isnan(x))
            return x + x;
        return word > 0 ? above[3] + below[3] : -above[3] - below[3];
    }
    if (size < 0x3fdc0000) {
        if (size < 0x3e200000)
            return x;
    } else {
        x = fabs(x);
        if (size < 0x3fe60000) {
            id = 0;
            x = (2.0 * x - 1.0) / (2.0 + x);
        } else if (size < 0x3ff30000) {
            id = 1;
            x = (x - 1.0) / (x + 1.0);
        } else if (size < 0x40038000) {
            id = 2;
            x = (x - 1.5) / (1.0 + 1.5 * x);
        } else {
            id = 3;
            x = -1.0 / x;
        }
    }
    double z = x * x, w = z * z;
    double s1 = z * (a[0] + w * (a[2] + w * (a[4] + w * (a[6] + w * (a[8] + w * a[10])))));
    double s2 = w * (a[1] + w * (a[3] + w * (a[5] + w * (a[7] + w * a[9]))));
    if (id < 0)
        return x - x * (s1 + s2);
    z = above[id] - ((x * (s1 + s2) - below[id]) - x);
    return word < 0 ? -z : z;
}

double strict_atan2(double y, double x) {
    static const double pi = 3.1415926535897931160E+00, pi_low = 1.2246467991473531772E-16, half_pi = 1.5707963267948965580E+00,
                        quarter_pi = 7.8539816339744827900E-01;
    if (isnan(x) || isnan(y))
        return x + y;
    int32_t hx = high(x), hy = high(y), ix = hx & 0x7fffffff, iy = hy & 0x7fffffff;
    if (x == 1.0)
        return strict_atan(y);
    int m = (hy < 0 ? 1 : 0) | (hx < 0 ? 2 : 0); /* 2 * sign(x) + sign(y) */
    if (y == 0)
        return m < 2 ? y : m == 2 ? pi + tiny : -pi - tiny;
    if (x == 0)
        return hy < 0 ? -half_pi - tiny : half_pi + tiny;
    if (ix == 0x7ff00000) {
        if (iy == 0x7ff00000)
            return m == 0 ? quarter_pi + tiny : m == 1 ? -quarter_pi - tiny : m == 2 ? 3.0 * quarter_pi + tiny : -3.0 * quarter_pi - tiny;
        return m == 0 ? 0.0 : m == 1 ? -0.0 : m == 2 ? pi + tiny : -pi - tiny;
    }
    if (iy == 0x7ff00000)
        return hy < 0 ? -half_pi - tiny : half_pi + tiny;
    int k = (iy - ix) >> 20;
    double z;
    if (k > 60)
        z = half_pi + 0.5 * pi_low;
    else if (hx < 0 && k < -60)
        z = 0.0;
    else
        z = strict_atan(fabs(y / x));
    switch (m) {
    case 0: return z;
    case 1: return -z;
    case 2: return pi - (z - pi_low);
    default: return (z - pi_low) - pi;
    }
}

static const double half_pi_high = 1.57079632679489655800e+00, half_pi_low = 6.12323399573676603587e-17;

/* asin's and acos's common quotient of polynomials. */
static double arc_quotient(double t) {
    static const double p0 = 1.66666666666666657415e-01, p1 = -3.25565818622400915405e-01, p2 = 2.01212532134862925881e-01,
                        p3 = -4.00555345006794114027e-02, p4 = 7.91534994289814532176e-04, p5 = 3.47933107596021167570e-05,
                        q1 = -2.40339491173441421878e+00, q2 = 2.02094576023350569471e+00, q3 = -6.88283971605453293030e-01,
                        q4 = 7.70381505559019352791e-02;
    double p = t * (p0 + t * (p1 + t * (p2 + t * (p3 + t * (p4 + t * p5)))));
    double q = 1.0 + t * (q1 + t * (q2 + t * (q3 + t * q4)));
    return p / q;
}

double strict_asin(double x) {
    int32_t word = high(x), size = word & 0x7fffffff;
    if (size >= 0x3ff00000) {
        if (((size - 0x3ff00000) | (int32_t)low(x)) == 0)
            return x * half_pi_high + x * half_pi_low;
        return (x - x) / (x - x);
    }
    if (size < 0x3fe00000)
        return size < 0x3e400000 ? x : x + x * arc_quotient(x * x);
    double t = (1.0 - fabs(x)) * 0.5, r = arc_quotient(t), s = sqrt(t);
    if (size >= 0x3FEF3333)
        t = half_pi_high - (2.0 * (s + s * r) - half_pi_low);
    else {
        double w = top_half(s), c = (t - w * w) / (s + w);
        double p = 2.0 * s * r - (half_pi_low - 2.0 * c), q = 7.85398163397448278999e-01 - 2.0 * w;
        t = 7.85398163397448278999e-01 - (p - q);
    }
    return word > 0 ? t : -t;
}

double strict_acos(double x) {
    static const double pi = 3.14159265358979311600e+00;
    int32_t word = high(x), size = word & 0x7fffffff;
    if (size >= 0x3ff00000) {
        if (((size - 0x3ff00000) | (int32_t)low(x)) == 0)
            return word > 0 ? 0.0 : pi + 2.0 * half_pi_low;
        return (x - x) / (x - x);
    }
    if (size < 0x3fe00000) {
        if (size <= 0x3c600000)
            return half_pi_high + half_pi_low;
        double r = arc_quotient(x * x);
        return half_pi_high - (x - (half_pi_low - x * r));
    }
    if (word < 0) {
        double z = (1.0 + x) * 0.5, s = sqrt(z), w = arc_quotient(z) * s - half_pi_low;
        return pi - 2.0 * (s + w);
    }
    double z = (1.0 - x) * 0.5, s = sqrt(z), f = top_half(s), c = (z - f * f) / (s + f), w = arc_quotient(z) * s + c;
    return 2.0 * (f + w);
}

/* |x| <= this: no overflow in exp(|x| / 2)^2 / 2. */
static int below_overflow(double magnitude) {
    uint64_t bits = bits_of(magnitude);
    uint32_t size = (uint32_t)(bits >> 32), rest = (uint32_t)bits;
    return size < 0x408633CE || (size == 0x408633ce && rest <= 0x8fb9f87dU);
}

double strict_sinh(double x) {
    int32_t word = high(x), size = word & 0x7fffffff;
    if (size >= 0x7ff00000)
        return x + x;
    double h = word < 0 ? -0.5 : 0.5;
    if (size < 0x40360000) { /* |x| < 22 */
        if (size < 0x3e300000)
            return x;
        double t = strict_expm1(fabs(x));
        return size < 0x3ff00000 ? h * (2.0 * t - t * t / (t + 1.0)) : h * (t + t / (t + 1.0));
    }
    if (size < 0x40862E42)
        return h * strict_exp(fabs(x));
    if (below_overflow(fabs(x))) {
        double w = strict_exp(0.5 * fabs(x)), t = h * w;
        return t * w;
    }
    return x * 1.0e307;
}

double strict_cosh(double x) {
    int32_t size = high(x) & 0x7fffffff;
    if (size >= 0x7ff00000)
        return x * x;
    if (size < 0x3fd62e43) {
        double t = strict_expm1(fabs(x)), w = 1.0 + t;
        return size < 0x3c800000 ? w : 1.0 + (t * t) / (w + w);
    }
    if (size < 0x40360000) {
        double t = strict_exp(fabs(x));
        return 0.5 * t + 0.5 / t;
    }
    if (size < 0x40862E42)
        return 0.5 * strict_exp(fabs(x));
    if (below_overflow(fabs(x))) {
        double w = strict_exp(0.5 * fabs(x)), t = 0.5 * w;
        return t * w;
    }
    return huge * huge;
}

double strict_tanh(double x) {
    int32_t word = high(x), size = word & 0x7fffffff;
    if (size >= 0x7ff00000)
        return word >= 0 ? 1.0 / x + 1.0 : 1.0 / x - 1.0;
    double z;
    if (size < 0x40360000) {
        if (size < 0x3c800000)
            return x * (1.0 + x);
        if (size >= 0x3ff00000) {
            double t = strict_expm1(2.0 * fabs(x));
            z = 1.0 - 2.0 / (t + 2.0);
        } else {
            double t = strict_expm1(-2.0 * fabs(x));
            z = -t / (t + 2.0);
        }
    } else
        z = 1.0 - tiny;
    return word >= 0 ? z : -z;
}

/* --- roots --- */

double strict_cbrt(double x) {
    static const double C = 5.42857142857142815906e-01, D = -7.05306122448979611050e-01, E = 1.41428571428571436819e+00,
                        F = 1.60714285714285720630e+00, G = 3.57142857142857150787e-01;
    int32_t word = high(x);
    uint32_t sign = (uint32_t)word & 0x80000000;
    word = (int32_t)((uint32_t)word ^ sign);
    if (word >= 0x7ff00000)
        return x + x;
    if ((word | (int32_t)low(x)) == 0)
        return x;
    x = with_high(x, word);
    double t;
    if (word < 0x00100000) {
        t = 18014398509481984.0 * x;
        t = with_high(t, high(t) / 3 + 696219795);
    } else
        t = of_bits((uint64_t)(uint32_t)(word / 3 + 715094163) << 32);
    double r = t * t / x, s = C + r * t;
    t *= G + F / (s + E + D / s);
    t = of_bits((bits_of(t) & 0xFFFFFFFF00000000ULL) + 0x100000000ULL); /* 20 bits, a little too large */
    s = t * t;
    r = x / s;
    double w = t + t;
    r = (r - t) / (w + r);
    t = t + t * r;
    return with_high(t, (int32_t)((uint32_t)high(t) | sign));
}

double strict_hypot(double x, double y) {
    double a = fabs(x), b = fabs(y);
    if (isinf(a) || isinf(b))
        return INFINITY;
    if (isnan(a) || isnan(b))
        return a + b;
    if (b > a) {
        double swap = a;
        a = b;
        b = swap;
    }
    int32_t ha = high(a), hb = high(b);
    if (ha - hb > 0x3c00000)
        return a + b;
    int k = 0;
    if (a > 0x1.00000ffffffffp500) {
        ha -= 0x25800000;
        hb -= 0x25800000;
        a = a * 0x1.0p-600;
        b = b * 0x1.0p-600;
        k += 600;
    }
    if (b < 0x1.0p-500) {
        if (b < 0x1.0p-1022) {
            if (b == 0)
                return a;
            b *= 0x1.0p1022;
            a *= 0x1.0p1022;
            k -= 1022;
        } else {
            ha += 0x25800000;
            hb += 0x25800000;
            a = a * 0x1.0p600;
            b = b * 0x1.0p600;
            k -= 600;
        }
        ha = high(a);
        hb = high(b);
    }
    double w = a - b;
    if (w > b) {
        double t1 = of_bits((uint64_t)(uint32_t)ha << 32), t2 = a - t1;
        w = sqrt(t1 * t1 - (b * (-b) - t2 * (a + t1)));
    } else {
        a = a + a;
        double y1 = of_bits((uint64_t)(uint32_t)hb << 32), y2 = b - y1;
        double t1 = of_bits((uint64_t)((uint32_t)ha + 0x00100000U) << 32), t2 = a - t1;
        w = sqrt(t1 * y1 - (w * (-w) - (t1 * y2 + t2 * b)));
    }
    return k != 0 ? ldexp(1.0, k) * w : w;
}
