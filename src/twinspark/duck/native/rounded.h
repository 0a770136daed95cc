/* The common case of rounding what Java would print of a double: no digits are made where they cannot matter. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* The magnitude in units of 10^-scale, rounded; false where it is so near to a half, or so large, that only the printed
 * digits say which way. Printed digits are less than one place of the double's last bit away, and the product here as much:
 * four times that is left as a margin. */
static inline bool rounded_surely(double magnitude, int scale, uint64_t *whole) {
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    if (scale < 0 || scale > 15)
        return false;
    double scaled = magnitude * powers[scale];
    if (!(scaled < 0x1p46))
        return false;
    uint64_t below = (uint64_t)scaled;
    double rest = scaled - (double)below;
    *whole = below + (rest > 0.5);
    return fabs(rest - 0.5) > scaled * 0x1p-50 + 0x1p-60;
}
