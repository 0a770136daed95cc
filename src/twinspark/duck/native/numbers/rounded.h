/* Fast rounding of doubles by their printed digits, without computing the digits where they cannot matter. */
#pragma once
#include "core/native.h"
#include <math.h>

enum { MOST_NEAR_SCALE = 15 };
static const double near_powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/* The magnitude in units of 10^-scale, rounded; false where it is so near to a half, or so large, that only the printed
 * digits say which way. Printed digits are less than one place of the double's last bit away, and the product here as much:
 * four times that is left as a margin. */
static inline bool rounded_surely(double magnitude, int scale, uint64_t *whole) {
    if (scale < 0 || scale > MOST_NEAR_SCALE)
        return false;
    double scaled = magnitude * near_powers[scale];
    if (!(scaled < 0x1p46))
        return false;
    uint64_t below = (uint64_t)scaled;
    double rest = scaled - (double)below;
    *whole = below + (rest > 0.5);
    return fabs(rest - 0.5) > scaled * 0x1p-50 + 0x1p-60;
}

/* The same of a signed number that is scaled already, without a branch. Added to 1.5 * 2^52 a number becomes its nearest whole one, in the low bits. */
#define ROUNDER 0x1.8p52
static inline bool is_near(double scaled, double most) {
    double rest = scaled - ((scaled + ROUNDER) - ROUNDER);
    return (fabs(scaled) < most) & (0.5 - fabs(rest) > fabs(scaled) * 0x1p-50 + 0x1p-60);
}

/* Below it every rounded number has at most `precision` digits, and rounded_surely's bound holds. */
static inline double near_most(int precision) { return precision > 13 ? 0x1p46 : near_powers[precision] - 1; }
