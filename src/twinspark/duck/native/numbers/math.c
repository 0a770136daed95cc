/* Elementary functions with the results of java.lang.StrictMath, NULL where Spark returns NULL.
 *
 * SQL spelling: spark_exp(d), spark_ln(d), spark_pow(x, y), ...; arguments are DOUBLE.
 * sin, cos, tan are not here: HotSpot has its own machine code for Math.sin, cos, tan, which no portable code repeats bit for bit
 * (glibc differs in 0.1 to 0.3 % of inputs). tanh and cbrt are those of JDK 17 and 21; JDK 25 has machine code for them too. */
#include "core/native.h"
#include "strictmath/strictmath.h"
#include "strictmath/strictrows.h"
#include "strictmath/strictwords.h"
#include <math.h>

typedef struct { double (*function)(double); } unary;
typedef struct { double (*function)(double, double); } binary;

static void unary_rows(native_call *call) {
    const unary *of = call->function->extra;
    EACH_ROW(call, row)
        RESULT(call, double)[row] = of->function(ARGUMENT(call, double, 0)[row]);
}

static void binary_rows(native_call *call) {
    const binary *of = call->function->extra;
    EACH_ROW(call, row)
        RESULT(call, double)[row] = of->function(ARGUMENT(call, double, 0)[row], ARGUMENT(call, double, 1)[row]);
}

/* Whole columns at once; then NULL where Spark has no logarithm. */
typedef void (*column_function)(const double *, double *, size_t);

static void column_rows(native_call *call) {
    const column_function *of = call->function->extra;
    (*of)(ARGUMENT(call, double, 0), RESULT(call, double), call->rows);
}

static void null_unless_above(native_call *call, int argument, double asymptote) {
    const double *x = ARGUMENT(call, double, argument);
    bool all = true;
    for (idx_t row = 0; row < call->rows; row++)
        all &= !(x[row] <= asymptote);
    if (!all)
        EACH_ROW(call, row) if (x[row] <= asymptote)
            set_null(call, row);
}

static void logarithm_column_rows(native_call *call) {
    column_rows(call);
    null_unless_above(call, 0, 0.0);
}

static void log1p_column_rows(native_call *call) {
    column_rows(call);
    null_unless_above(call, 0, -1.0);
}

static void log2_column(const double *x, double *out, size_t rows) {
    strict_log_rows(x, out, rows);
    for (size_t row = 0; row < rows; row++)
        out[row] /= 0x1.62e42fefa39efp-1; /* strict_log(2) */
}

static void logarithm_rows(native_call *call) {
    const double *base = ARGUMENT(call, double, 0);
    double *out = RESULT(call, double);
    strict_log_rows(ARGUMENT(call, double, 1), out, call->rows);
    double last = NAN, divisor = NAN; /* the base is a constant, most likely */
    for (idx_t row = 0; row < call->rows; row++) {
        if (base[row] != last) {
            last = base[row];
            divisor = strict_log(last);
        }
        out[row] /= divisor;
    }
    null_unless_above(call, 0, 0.0);
    null_unless_above(call, 1, 0.0);
}

static void pow_rows(native_call *call) {
    strict_pow_rows(ARGUMENT(call, double, 0), ARGUMENT(call, double, 1), RESULT(call, double), call->rows);
}

static void hypot_rows(native_call *call) {
    strict_hypot_rows(ARGUMENT(call, double, 0), ARGUMENT(call, double, 1), RESULT(call, double), call->rows);
}

/* --- width_bucket --- */

/* NULL for them: WidthBucket.isNull. */
static inline bool is_no_bucket(double value, double from, double to, int64_t buckets) {
    return buckets <= 0 || buckets == INT64_MAX || isnan(value) || from == to || !isfinite(from) || !isfinite(to);
}

/* Scala's toLong of what is at least zero, or not a number. */
static inline int64_t to_long(double x) { return x < 0x1p63 ? (int64_t)x : isnan(x) ? 0 : INT64_MAX; }

static inline int64_t bucket_of(double value, double from, double to, int64_t buckets) {
    double low = from < to ? value - from : from - value, width = from < to ? to - from : from - to;
    if (from < to ? value < from : value > from)
        return 0;
    if (from < to ? value >= to : value <= to)
        return buckets + 1;
    return (int64_t)((uint64_t)to_long((double)buckets * low / width) + 1);
}

/* Buckets that are the same for every row, from low to high: what they nearly always are. */
static bool are_equal(const void *values, idx_t rows) {
    return rows && !memcmp(values, (const char *)values + 8, 8 * (rows - 1)); /* each is as the one before it */
}

static bool equal_buckets(const double *value, double from, double to, int64_t buckets, int64_t *out, idx_t rows) {
    double width = to - from, count = (double)buckets;
    bool missing = false;
    for (idx_t row = 0; row < rows; row++) {
        double x = value[row];
        int64_t above = x >= to, inside = (x >= from) - above; /* no branches: which it is, is anyone's guess */
        int64_t found = (int64_t)(count * (either((int)inside, x, from) - from) / width) + 1;
        out[row] = (found & -inside) | ((buckets + 1) & -above);
        missing |= x != x;
    }
    return missing;
}

/* Buckets whose numbers are always found by a cast: nothing on the way there is infinite. */
static bool are_ordinary(double from, double to, int64_t buckets) {
    return from < to && buckets < INT32_MAX && isfinite((double)buckets * (to - from));
}

static void bucket_rows(native_call *call) {
    const double *value = ARGUMENT(call, double, 0), *from = ARGUMENT(call, double, 1), *to = ARGUMENT(call, double, 2);
    const int64_t *buckets = ARGUMENT(call, int64_t, 3);
    idx_t rows = call->rows;
    bool equal = are_equal(from, rows) && are_equal(to, rows) && are_equal(buckets, rows);
    if (equal && !is_no_bucket(0, *from, *to, *buckets) && are_ordinary(*from, *to, *buckets) &&
        !equal_buckets(value, *from, *to, *buckets, RESULT(call, int64_t), rows))
        return;
    EACH_ROW(call, row) {
        if (is_no_bucket(value[row], from[row], to[row], buckets[row]))
            set_null(call, row);
        else
            RESULT(call, int64_t)[row] = bucket_of(value[row], from[row], to[row], buckets[row]);
    }
}

static double acosh_of(double x) {
    if (x < 1.0)
        return NAN;
    if (x >= 268435456.0)
        return strict_log(x) + strict_log(2.0);
    if (x == 1.0)
        return 0.0;
    if (x > 2.0)
        return strict_log(2.0 * x - 1.0 / (x + sqrt(x * x - 1.0)));
    double t = x - 1.0;
    return strict_log1p(t + sqrt(2.0 * t + t * t));
}

static double asinh_of(double x) {
    double size = fabs(x), w, t = x * x;
    if (!isfinite(size) || size < 1.0 / 268435456.0)
        w = size;
    else if (size > 268435456.0)
        w = strict_log(size) + strict_log(2.0);
    else if (size > 2.0)
        w = strict_log(2.0 * size + 1.0 / (sqrt(x * x + 1.0) + size));
    else
        w = strict_log1p(size + t / (1.0 + sqrt(1.0 + t)));
    return copysign(w, x);
}

static double atanh_of(double x) { return 0.5 * (strict_log1p(x) - strict_log1p(-x)); }
static double atan2_of(double y, double x) { return strict_atan2(y + 0.0, x + 0.0); } /* Spark adds 0.0: no -0.0 */

#define UNARY(name, of) static const unary name##_unary = {of};
UNARY(asin, strict_asin)
UNARY(acos, strict_acos)
UNARY(sinh, strict_sinh)
UNARY(tanh, strict_tanh)
UNARY(cbrt, strict_cbrt)
UNARY(asinh, asinh_of)
UNARY(acosh, acosh_of)
UNARY(atanh, atanh_of)
static const column_function exp_column = strict_exp_rows, ln_column = strict_log_rows, log10_column = strict_log10_rows,
                             log2_of_column = log2_column, expm1_column = strict_expm1_rows, log1p_column = strict_log1p_rows,
                             cosh_column = strict_cosh_rows, atan_column = strict_atan_rows;
static const binary atan2_binary = {atan2_of};

const native_function math_functions[] = {
    {"spark_exp", "d>d", column_rows, &exp_column},
    {"spark_expm1", "d>d", column_rows, &expm1_column},
    {"spark_ln", "d>d", logarithm_column_rows, &ln_column},
    {"spark_log10", "d>d", logarithm_column_rows, &log10_column},
    {"spark_log2", "d>d", logarithm_column_rows, &log2_of_column},
    {"spark_log1p", "d>d", log1p_column_rows, &log1p_column},
    {"spark_log", "dd>d", logarithm_rows, NULL},
    {"spark_pow", "dd>d", pow_rows, NULL},
    {"spark_asin", "d>d", unary_rows, &asin_unary},
    {"spark_acos", "d>d", unary_rows, &acos_unary},
    {"spark_atan", "d>d", column_rows, &atan_column},
    {"spark_atan2", "dd>d", binary_rows, &atan2_binary},
    {"spark_sinh", "d>d", unary_rows, &sinh_unary},
    {"spark_cosh", "d>d", column_rows, &cosh_column},
    {"spark_tanh", "d>d", unary_rows, &tanh_unary},
    {"spark_asinh", "d>d", unary_rows, &asinh_unary},
    {"spark_acosh", "d>d", unary_rows, &acosh_unary},
    {"spark_atanh", "d>d", unary_rows, &atanh_unary},
    {"spark_cbrt", "d>d", unary_rows, &cbrt_unary},
    {"spark_hypot", "dd>d", hypot_rows, NULL},
    {"spark_width_bucket", "dddl>l", bucket_rows, NULL},
    {NULL}};
