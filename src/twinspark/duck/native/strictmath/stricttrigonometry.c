/* java.lang.StrictMath's inverse trigonometric functions, hyperbolic functions and roots:
 * the methods, coefficients and order of operations of fdlibm 5.3, written anew.
 *
 * fdlibm's notice: Copyright (C) 1993-2004 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun
 * Microsystems, Inc. business. Permission to use, copy, modify, and distribute this software is freely granted, provided that
 * this notice is preserved.
 *
 * Every sum and product below is in the order in which fdlibm evaluates it: another order changes last bits. */
#include "strictmath/strictmath.h"
#include "strictmath/strictsteps.h"

/* --- circle and hyperbola --- */

static const double half_pi_high = 1.57079632679489655800e+00, half_pi_low = 6.12323399573676603587e-17;

double strict_atan(double x) {
    if (is_everyday_atan(x))
        return everyday_atan(x);
    if (isnan(x))
        return x + x;
    return fabs(x) < 1.0 ? x : copysign(half_pi_high + half_pi_low, x);
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
        double t = strict_expm1(fabs(x));
        return size < 0x3c800000 ? 1.0 + t : near_cosh(t);
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
    if (is_far_below(a, b))
        return a + b;
    int k = 0;
    if (a > 0x1.00000ffffffffp500) {
        a *= 0x1.0p-600;
        b *= 0x1.0p-600;
        k += 600;
    }
    if (b < 0x1.0p-500) {
        if (b == 0)
            return a;
        int up = b < 0x1.0p-1022 ? 1022 : 600;
        a = ldexp(a, up);
        b = ldexp(b, up);
        k -= up;
    }
    return k != 0 ? ldexp(1.0, k) * hypot_of(a, b) : hypot_of(a, b);
}
