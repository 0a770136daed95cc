/* What StrictMath's functions over columns share (strictrows.c, strictsums.c): every row is computed in the everyday way, without
 * branches, so that a compiler takes several at once; those that lie outside its range are computed again, one by one. */
#ifndef STRICTEVERYDAY_H
#define STRICTEVERYDAY_H
#include "strictmath.h"
#include "strictrows.h"
#include "strictwords.h"
#include <math.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define ON_EVERY_MACHINE __attribute__((target_clones("avx2", "default")))
#else
#define ON_EVERY_MACHINE
#endif
#define UPPER(word) ((uint64_t)(word) << 32)
enum { AT_ONCE = 512 };

static const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10,
                    inverse_ln2 = 1.44269504088896338700e+00;
static const double L1 = 6.666666666666735130e-01, L2 = 3.999999999940941908e-01, L3 = 2.857142874366239149e-01,
                    L4 = 2.222219843214978396e-01, L5 = 1.818357216161805012e-01, L6 = 1.531383769920937332e-01,
                    L7 = 1.479819860511658591e-01;

/* 2^k times a number, where neither is subnormal. */
static inline double scaled(double x, int32_t k) { return of_bits(bits_of(x) + ((uint64_t)(int64_t)k << 52)); }

/* strict_<name>_rows of everyday_<name> where is_everyday_<name>, else of strict_<name>. */
#define STRICT_ROWS(name)                                                                                                          \
    ON_EVERY_MACHINE static bool name##_everyday_rows(const double *restrict x, double *restrict out, size_t rows) {              \
        uint64_t fine = 1;                                                                                                         \
        for (size_t row = 0; row < rows; row++) {                                                                                  \
            out[row] = everyday_##name(x[row]);                                                                                    \
            fine &= is_everyday_##name(x[row]);                                                                                    \
        }                                                                                                                          \
        return fine;                                                                                                               \
    }                                                                                                                              \
    void strict_##name##_rows(const double *x, double *out, size_t rows) {                                                         \
        if (name##_everyday_rows(x, out, rows))                                                                                    \
            return;                                                                                                                \
        for (size_t row = 0; row < rows; row++)                                                                                    \
            if (!is_everyday_##name(x[row]))                                                                                       \
                out[row] = strict_##name(x[row]);                                                                                  \
    }
#endif
