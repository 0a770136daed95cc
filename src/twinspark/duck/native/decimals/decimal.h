/* The operands of decimal arithmetic, and their integer quotient. */
#pragma once
#include "numbers/wide.h"

typedef struct { int128 left, right; int left_scale, right_scale, scale; } operands;

/* The integer quotient and the remainder of the magnitudes at their larger scale. */
static inline uint256 whole_quotient(const operands *of, uint256 *remainder) {
    uint256 left = widen(magnitude_of(of->left)), right = widen(magnitude_of(of->right));
    int common = of->left_scale > of->right_scale ? of->left_scale : of->right_scale;
    scale_up(&left, common - of->left_scale);
    scale_up(&right, common - of->right_scale);
    if (!fits_128(&right)) { /* then the left side is not scaled, so it is the smaller one */
        *remainder = left;
        return widen(0);
    }
    *remainder = widen(divide_by_128(&left, low_128(&right)));
    return left;
}
