/* sin and cos as HotSpot computes them on x86-64: java.lang.Math, which Spark calls for these two (and for sec and csc), not
 * StrictMath, so the last bit is that of Intel's method.
 *
 * x = N * pi/32 + r + c with r + c rounded twice, B = (N mod 64) * pi/32, and then
 *     sin(B + r + c) ~ S_hi + sigma * r + C_hl * r + [S_hi * (cos r - 1) + (C_hl + sigma) * (sin r - r)] + [S_lo + c * (...)]
 * where S_hi + S_lo is sin(B), sigma + C_hl is cos(B), sigma a power of two. The order of the sums is part of the answer.
 * Beyond 90112 HotSpot reduces otherwise: those inputs go to Spark. On other processors HotSpot computes otherwise: there
 * the table is empty.
 *
 * SQL spelling: spark_sin(x), spark_cos(x), spark_csc(x), spark_sec(x) of doubles -> DOUBLE. */
#include "native.h"
#include "circle_table.h" /* circle[64]: {C_hl, S_hi, S_lo, sigma}, made by build.py */
#include <math.h>

#if defined(__x86_64__)

static const double per_step = 0x1.45f306dc9c883p+3;                                            /* 32/pi */
static const double step_1 = 0x1.921fb544p-4, step_2 = 0x1.0b4611a6p-38, step_3 = 0x1.3198a2e037073p-73; /* pi/32 */
static const double smallest = 0x1p-252, largest = 90112.0;

/* sin(x) shifted by quarters of the circle: 16 steps are a quarter. */
static double turned(double x, int shift) {
    int steps = (int)(x * per_step + copysign(0.5, x));
    const double *at = circle[(steps + shift) & 63], n = steps;
    double c_hl = at[0], s_hi = at[1], s_lo = at[2], sigma = at[3];
    double m2 = n * step_2, r1 = x - n * step_1, r = r1 - m2;
    double c = n * step_3 - ((r1 - r) - m2); /* what r lacks, negated */
    double r2 = r * r, r4 = r2 * r2, slope = c_hl + sigma;
    double sines = (-1.0 / 6 + 1.0 / 120 * r2) + (1.0 / 362880 * r1 * r - 1.0 / 5040) * r4;
    double cosines = (-0.5 + 1.0 / 24 * r2) + (1.0 / 40320 * r1 * r - 1.0 / 720) * r4;
    double rise = sigma * r, more = c_hl * r;
    double middle = s_hi + rise, high = middle + more;
    double low = c * (s_hi * r - slope) + s_lo;
    low = low + ((s_hi - middle) + rise);
    low = low + ((middle - high) + more);
    low = low + sines * (slope * r * r2);
    low = low + cosines * (s_hi * r2);
    return high + low;
}

static double sine(double x) { return fabs(x) < smallest ? x : turned(x, 0); }
static double cosine(double x) { return fabs(x) < smallest ? 1.0 : turned(x, 16); }

typedef struct { double (*of)(double); bool inverted; } circle_function;

static void circle_rows(native_call *call) {
    const circle_function *function = call->function->extra;
    EACH_ROW(call, row) {
        double x = ARGUMENT(call, double, 0)[row];
        if (!isfinite(x)) {
            RESULT(call, double)[row] = NAN;
            continue;
        }
        if (fabs(x) >= largest) {
            spark_error(call, "ELSEWHERE", "reason", "sin or cos of a large number", NULL);
            continue;
        }
        double found = function->of(x);
        RESULT(call, double)[row] = function->inverted ? 1.0 / found : found;
    }
}

static const circle_function sin_of = {sine, false}, cos_of = {cosine, false}, csc_of = {sine, true}, sec_of = {cosine, true};

const native_function circle_functions[] = {
    {"spark_sin", "d>d", circle_rows, &sin_of},
    {"spark_cos", "d>d", circle_rows, &cos_of},
    {"spark_csc", "d>d", circle_rows, &csc_of},
    {"spark_sec", "d>d", circle_rows, &sec_of},
    {NULL}};

#else

const native_function circle_functions[] = {{NULL}};

#endif
