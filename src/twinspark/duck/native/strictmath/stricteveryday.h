/* Loops of StrictMath's functions over columns (strictrows.c, strictsums.c): every row is computed by the branch-free version for
 * common ("everyday") arguments, which the compiler vectorizes; rows outside of its range are computed again, one by one. */
#ifndef STRICTEVERYDAY_H
#define STRICTEVERYDAY_H
#include "strictmath/strictmath.h"
#include "strictmath/strictrows.h"
#include "strictmath/strictsteps.h"

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define ON_EVERY_MACHINE __attribute__((target_clones("avx2", "default")))
#else
#define ON_EVERY_MACHINE
#endif
enum { AT_ONCE = 512 };

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
