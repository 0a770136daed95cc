/* Shifts with Java's semantics (count modulo width), bit_get, bitmap positions, and months_between.
 *
 * SQL spelling: spark_shiftleft(x, n), spark_shiftright(x, n), spark_shiftrightunsigned(x, n) of INTEGER or BIGINT;
 * spark_bit_get(x, n) of any whole number, n known to be one of its bits;
 * spark_bitmap_bit_position(b), spark_bitmap_bucket_number(b);
 * spark_months_between(later, earlier, later's seconds of the day, earlier's, rounds) of TIMESTAMPs. */
#include "time/zone.h"
#include <math.h>

#define SHIFTS(suffix, type, unsigned_type, mask)                                                                      \
    static void left_##suffix(native_call *call) {                                                                     \
        EACH_ROW(call, row)                                                                                            \
            RESULT(call, type)[row] =                                                                                  \
                (type)((unsigned_type)ARGUMENT(call, type, 0)[row] << (ARGUMENT(call, int32_t, 1)[row] & mask));       \
    }                                                                                                                  \
    static void right_##suffix(native_call *call) {                                                                    \
        EACH_ROW(call, row)                                                                                            \
            RESULT(call, type)[row] = ARGUMENT(call, type, 0)[row] >> (ARGUMENT(call, int32_t, 1)[row] & mask);        \
    }                                                                                                                  \
    static void unsigned_right_##suffix(native_call *call) {                                                           \
        EACH_ROW(call, row)                                                                                            \
            RESULT(call, type)[row] =                                                                                  \
                (type)((unsigned_type)ARGUMENT(call, type, 0)[row] >> (ARGUMENT(call, int32_t, 1)[row] & mask));       \
    }
SHIFTS(int, int32_t, uint32_t, 31)
SHIFTS(bigint, int64_t, uint64_t, 63)

#define BIT(suffix, type)                                                                                              \
    MANY_LANES static void bits_##suffix(const type *values, const int32_t *places, int8_t *out, idx_t rows) {         \
        for (idx_t row = 0; row < rows; row++)                                                                         \
            out[row] = (int8_t)(values[row] >> (places[row] & (8 * (int)sizeof(type) - 1)) & 1);                           \
    }                                                                                                                  \
    static void bit_##suffix(native_call *call) {                                                                      \
        bits_##suffix(ARGUMENT(call, type, 0), ARGUMENT(call, int32_t, 1), RESULT(call, int8_t), call->rows);          \
    }
BIT(tinyint, int8_t)
BIT(smallint, int16_t)
BIT(int, int32_t)
BIT(bigint, int64_t)

/* --- bucket and position of a number in bitmaps of 32768 bits, counted from one; zero and below are separate --- */

enum { BITMAP_BITS = 32768 };

MANY_LANES static void positions(const int64_t *values, int64_t *out, idx_t rows) {
    for (idx_t row = 0; row < rows; row++) {
        uint64_t value = (uint64_t)values[row];
        out[row] = (int64_t)((values[row] > 0 ? value - 1 : -value) % BITMAP_BITS);
    }
}
static void position_rows(native_call *call) { positions(ARGUMENT(call, int64_t, 0), RESULT(call, int64_t), call->rows); }

static void bucket_rows(native_call *call) {
    const int64_t *values = ARGUMENT(call, int64_t, 0);
    for (idx_t row = 0; row < call->rows; row++)
        RESULT(call, int64_t)[row] = values[row] > 0 ? 1 + (values[row] - 1) / BITMAP_BITS : values[row] / BITMAP_BITS;
}

typedef struct { int64_t months; int day; bool last; } month_day;

static month_day month_day_of(int64_t micros) {
    static const int64_t day_micros = 86400LL * 1000000;
    int64_t days = micros / day_micros - (micros % day_micros < 0), year;
    int month, day;
    civil_from_days(days, &year, &month, &day);
    return (month_day){year * 12 + month, day, day == days_of_month(year, month)};
}

/* Whole months between equal days or between last days of months; else a month has 31 days. */
static double months_between(month_day later, month_day earlier, int64_t seconds, bool rounds) {
    double months = (double)(later.months - earlier.months);
    if (later.day == earlier.day || (later.last && earlier.last))
        return months;
    seconds = (int64_t)((uint64_t)seconds + (uint64_t)((int64_t)(later.day - earlier.day) * 86400));
    double exact = months + (double)seconds / 2678400.0;
    return rounds ? floor(exact * 1e8 + 0.5) / 1e8 : exact;
}

static void months_between_rows(native_call *call) {
    const int64_t *later = ARGUMENT(call, int64_t, 0), *earlier = ARGUMENT(call, int64_t, 1);
    const int64_t *later_seconds = ARGUMENT(call, int64_t, 2), *earlier_seconds = ARGUMENT(call, int64_t, 3);
    EACH_ROW(call, row)
        RESULT(call, double)[row] =
            months_between(month_day_of(later[row]), month_day_of(earlier[row]),
                           (int64_t)((uint64_t)later_seconds[row] - (uint64_t)earlier_seconds[row]), ARGUMENT(call, bool, 4)[row]);
}

const native_function bit_functions[] = {
    {"spark_bit_get", "ti>t", bit_tinyint, NULL},
    {"spark_bit_get", "si>t", bit_smallint, NULL},
    {"spark_bit_get", "ii>t", bit_int, NULL},
    {"spark_bit_get", "li>t", bit_bigint, NULL},
    {"spark_bitmap_bit_position", "l>l", position_rows, NULL},
    {"spark_bitmap_bucket_number", "l>l", bucket_rows, NULL},
    {"spark_shiftleft", "ii>i", left_int, NULL},
    {"spark_shiftleft", "li>l", left_bigint, NULL},
    {"spark_shiftright", "ii>i", right_int, NULL},
    {"spark_shiftright", "li>l", right_bigint, NULL},
    {"spark_shiftrightunsigned", "ii>i", unsigned_right_int, NULL},
    {"spark_shiftrightunsigned", "li>l", unsigned_right_bigint, NULL},
    {"spark_months_between", "TTllb>d", months_between_rows, NULL},
    {NULL}};
