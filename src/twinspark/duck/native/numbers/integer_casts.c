/* Checked casts to integers, floor, ceil, abs, negation, signum and division, over whole columns.
 *
 * SQL spelling: spark_bigint_to_int(b), spark_double_to_int(d), spark_double_to_bigint(d), spark_decimal_to_int(p),
 * spark_decimal_to_bigint(p) raise CAST_OVERFLOW; spark_double_to_float(d); spark_abs(i), spark_negative(i), of BIGINT too,
 * raise ARITHMETIC_OVERFLOW, and
 * spark_divide(d, e), spark_divide_whole(i, j) DIVIDE_BY_ZERO; spark_floor(d), spark_ceil(d): a BIGINT, as Java's (long); spark_signum(d). */
#include "numbers/shortest.h"
#include "numbers/wide.h"
#include <math.h>
#include <stdio.h>

static void cast_overflow(native_call *call, const char *value, const char *source, const char *target) {
    spark_error(call, "CAST_OVERFLOW", "value", value, "sourceType", source, "targetType", target, "ansiConfig", ANSI_CONFIG,
                NULL);
}

/* All rows are cast without a check; only if one did not fit, the rows that are not NULL are checked again. */
static void bigint_to_int(native_call *call) {
    const int64_t *values = ARGUMENT(call, int64_t, 0);
    int32_t *out = RESULT(call, int32_t);
    int64_t lost = 0;
    for (idx_t row = 0; row < call->rows; row++) {
        out[row] = (int32_t)values[row];
        lost |= out[row] ^ values[row];
    }
    if (lost)
        EACH_ROW(call, row) if (out[row] != values[row]) {
            char value[32];
            snprintf(value, sizeof value, "%lldL", (long long)values[row]);
            cast_overflow(call, value, "\"BIGINT\"", "\"INT\"");
        }
}

static void double_overflow(native_call *call, double value, const char *target) {
    char shown[JAVA_NUMBER_SIZE + 2];
    int length = java_double_text(value, shown);
    shown[length] = isfinite(value) ? 'D' : 0;
    shown[length + 1] = 0;
    cast_overflow(call, shown, "\"DOUBLE\"", target);
}

static inline bool fits_int(double value) { return value > -2147483649.0 && value < 2147483648.0; }
static inline bool fits_bigint(double value) { return value >= -0x1p63 && value <= 0x1p63; } /* 2^63 still is the greatest */

#define FLOATING(name, type, fits, target)                                                                             \
    static void name(native_call *call) {                                                                              \
        const double *values = ARGUMENT(call, double, 0);                                                              \
        type *out = RESULT(call, type);                                                                                \
        bool all = true;                                                                                               \
        for (idx_t row = 0; row < call->rows; row++) {                                                                 \
            bool here = fits(values[row]);                                                                             \
            out[row] = !here ? 0 : sizeof(type) == 8 && values[row] == 0x1p63 ? (type)INT64_MAX : (type)values[row];   \
            all &= here;                                                                                               \
        }                                                                                                              \
        if (!all)                                                                                                      \
            EACH_ROW(call, row) if (!fits(values[row]))                                                                \
                double_overflow(call, values[row], target);                                                            \
    }
FLOATING(double_to_int, int32_t, fits_int, "\"INT\"")
FLOATING(double_to_bigint, int64_t, fits_bigint, "\"BIGINT\"")

static void decimal_overflow(native_call *call, int128 value, const decimal_column *of, const char *target) {
    char digits[80], shown[96], source[40];
    int count = wide_digits(widen(magnitude_of(value)), digits);
    write_decimal(shown, sizeof shown - 2, digits, count, of->scale, value < 0);
    strcat(shown, "BD");
    snprintf(source, sizeof source, "\"DECIMAL(%d,%d)\"", of->precision, of->scale);
    cast_overflow(call, shown, source, target);
}

/* Truncates towards zero. Short decimals are divided by a power that is the same in every row. */
static inline __attribute__((always_inline)) void decimal_rows(native_call *call, int bytes, const char *target) {
    decimal_column column;
    if (!decimal_argument(call, 0, &column))
        return;
    int128 power = (int128)power_of_ten[column.scale];
    int64_t short_power = column.scale <= 18 ? (int64_t)power : 1;
    bool is_short = column.bytes == 8 && column.scale <= 18;
    EACH_ROW(call, row) {
        int128 value = decimal_at(&column, row);
        int128 whole = is_short ? (int64_t)value / short_power : value / power;
        if (bytes == 4 ? whole != (int32_t)whole : whole != (int64_t)whole)
            decimal_overflow(call, value, &column, target);
        else if (bytes == 4)
            RESULT(call, int32_t)[row] = (int32_t)whole;
        else
            RESULT(call, int64_t)[row] = (int64_t)whole;
    }
}
static void decimal_to_int(native_call *call) { decimal_rows(call, 4, "\"INT\""); }
static void decimal_to_bigint(native_call *call) { decimal_rows(call, 8, "\"BIGINT\""); }

/* Java's (long): NaN is 0, what is too large the largest. */
static inline int64_t java_long(double value) {
    if (value > -0x1p63 && value < 0x1p63)
        return (int64_t)value;
    return value >= 0x1p63 ? INT64_MAX : value <= -0x1p63 ? INT64_MIN : 0;
}

/* Below 2^52 cutting off and one step more is floor, without a call of the library. */
static inline int64_t floor_long(double value) {
    if (!(fabs(value) < 0x1p52))
        return java_long(value); /* has no fraction */
    int64_t cut = (int64_t)value;
    return cut - ((double)cut > value);
}

static void floor_rows(native_call *call) {
    for (idx_t row = 0; row < call->rows; row++)
        RESULT(call, int64_t)[row] = floor_long(ARGUMENT(call, double, 0)[row]);
}
static void ceil_rows(native_call *call) {
    for (idx_t row = 0; row < call->rows; row++) {
        double value = ARGUMENT(call, double, 0)[row];
        RESULT(call, int64_t)[row] = fabs(value) < 0x1p52 ? -floor_long(-value) : java_long(value);
    }
}

/* The smallest number has no positive counterpart: what overflows is found after all rows are made. */
static void sign_overflow(native_call *call) {
    spark_error(call, "ARITHMETIC_OVERFLOW", "message", "overflow", "alternative", "", "config", ANSI_CONFIG, NULL);
}

#define OTHER_SIGN(name, type, wide, least, made)                                                                      \
    static void name(native_call *call) {                                                                              \
        const type *values = ARGUMENT(call, type, 0);                                                                  \
        type *out = RESULT(call, type);                                                                                \
        bool lost = false;                                                                                             \
        for (idx_t row = 0; row < call->rows; row++) {                                                                 \
            wide value = (wide)values[row];                                                                            \
            out[row] = (type)(made);                                                                                   \
            lost |= values[row] == least;                                                                              \
        }                                                                                                              \
        if (lost)                                                                                                      \
            EACH_ROW(call, row) if (values[row] == least)                                                              \
                sign_overflow(call);                                                                                   \
    }
OTHER_SIGN(abs_int, int32_t, uint32_t, INT32_MIN, values[row] < 0 ? 0 - value : value)
OTHER_SIGN(abs_bigint, int64_t, uint64_t, INT64_MIN, values[row] < 0 ? 0 - value : value)
OTHER_SIGN(negative_int, int32_t, uint32_t, INT32_MIN, 0 - value)
OTHER_SIGN(negative_bigint, int64_t, uint64_t, INT64_MIN, 0 - value)

/* `/` under ANSI: of doubles, and of whole numbers that become doubles on the way. */
#define QUOTIENT(name, type)                                                                                           \
    MANY_LANES static bool name##_found(const type *left, const type *right, double *out, idx_t rows) {                \
        type zero = 0;                                                                                                 \
        for (idx_t row = 0; row < rows; row++) {                                                                       \
            out[row] = (double)left[row] / (double)right[row];                                                         \
            zero = right[row] == 0 ? 1 : zero;                                                                         \
        }                                                                                                              \
        return zero != 0;                                                                                              \
    }                                                                                                                  \
    static void name##_rows(native_call *call) {                                                                       \
        const type *right = ARGUMENT(call, type, 1);                                                                   \
        if (name##_found(ARGUMENT(call, type, 0), right, RESULT(call, double), call->rows))                            \
            EACH_ROW(call, row) if (right[row] == 0)                                                                   \
                spark_error(call, "DIVIDE_BY_ZERO", "config", ANSI_CONFIG, NULL);                                      \
    }
QUOTIENT(divide, double)
QUOTIENT(divide_int, int32_t)
QUOTIENT(divide_bigint, int64_t)

/* Math.signum: zeros and NaN are themselves. */
static void signum_rows(native_call *call) {
    for (idx_t row = 0; row < call->rows; row++) {
        double value = ARGUMENT(call, double, 0)[row];
        RESULT(call, double)[row] = fabs(value) > 0 ? copysign(1.0, value) : value; /* signs are hard to predict */
    }
}

/* Java's (float): what is too large is infinite. */
static void double_to_float(native_call *call) {
    const double *values = ARGUMENT(call, double, 0);
    float *out = RESULT(call, float);
    for (idx_t row = 0; row < call->rows; row++)
        out[row] = (float)values[row];
}

const native_function whole_functions[] = {{"spark_bigint_to_int", "l>i", bigint_to_int, NULL},
                                           {"spark_double_to_int", "d>i", double_to_int, NULL},
                                           {"spark_double_to_bigint", "d>l", double_to_bigint, NULL},
                                           {"spark_decimal_to_int", "A>i", decimal_to_int, NULL},
                                           {"spark_decimal_to_bigint", "A>l", decimal_to_bigint, NULL},
                                           {"spark_double_to_float", "d>f", double_to_float, NULL},
                                           {"spark_floor", "d>l", floor_rows, NULL},
                                           {"spark_ceil", "d>l", ceil_rows, NULL},
                                           {"spark_signum", "d>d", signum_rows, NULL},
                                           {"spark_abs", "i>i", abs_int, NULL},
                                           {"spark_abs", "l>l", abs_bigint, NULL},
                                           {"spark_negative", "i>i", negative_int, NULL},
                                           {"spark_negative", "l>l", negative_bigint, NULL},
                                           {"spark_divide", "dd>d", divide_rows, NULL},
                                           {"spark_divide_whole", "ii>d", divide_int_rows, NULL},
                                           {"spark_divide_whole", "ll>d", divide_bigint_rows, NULL},
                                           {0}};
