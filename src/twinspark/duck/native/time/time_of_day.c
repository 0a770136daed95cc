/* Functions of TIME (nanoseconds since midnight): time_from_*, time_to_*, time_trunc, hour, minute, second; unix_seconds, unix_millis.
 *
 * SQL spelling: spark_time_from_seconds(n), _millis, _micros of BIGINT, raising what Spark raises beyond the day;
 * spark_time_to_seconds(t) -> DECIMAL(14,6), spark_time_trunc(t, unit), the unit in nanoseconds and
 * the same for all rows; spark_time_hour(t), spark_time_minute(t), spark_time_second(t) -> INTEGER;
 * spark_unix_seconds(z), spark_unix_millis(z) of TIMESTAMPTZ. */
#include "core/native.h"
#include <stdio.h>

static const int64_t of_seconds = 1000000000, of_millis = 1000000, of_micros = 1000,
                     of_day = 86400000000000;

static void refuse_time(native_call *call, int128 nanos) {
    char message[160] = "Overflow in TIME conversion";
    if (nanos == (int64_t)nanos)
        snprintf(message, sizeof message,
                 "Invalid TIME value: must be between 00:00:00 and 23:59:59.999999999, but got %lld nanoseconds", (long long)nanos);
    spark_error(call, "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION", "rangeMessage", message, NULL);
}

static void from_rows(native_call *call) {
    const int64_t unit = *(const int64_t *)call->function->extra, *numbers = ARGUMENT(call, int64_t, 0);
    const uint64_t most = (uint64_t)(of_day / unit);
    EACH_ROW(call, row) {
        RESULT(call, int64_t)[row] = (int64_t)((uint64_t)numbers[row] * (uint64_t)unit);
        if ((uint64_t)numbers[row] >= most)
            refuse_time(call, (int128)numbers[row] * unit);
    }
}

/* Rows without a time are computed as well: nothing can fail. */
static void to_seconds_rows(native_call *call) {
    const int64_t *times = ARGUMENT(call, int64_t, 0);
    for (idx_t row = 0; row < call->rows; row++)
        RESULT(call, int64_t)[row] = (int64_t)((uint64_t)times[row] + 500) / 1000;
}

/* A divisor that the compiler knows is several times as fast. */
static inline __attribute__((always_inline)) void cut_off(const int64_t *times, int64_t *out, idx_t rows, int64_t unit) {
    for (idx_t row = 0; row < rows; row++)
        out[row] = times[row] - times[row] % unit;
}

static void trunc_rows(native_call *call) {
    const int64_t *times = ARGUMENT(call, int64_t, 0), unit = call->rows ? ARGUMENT(call, int64_t, 1)[0] : 1;
    int64_t *out = RESULT(call, int64_t);
    if (unit <= 0) {
        misuse(call, "twinspark: a unit of time that is not above zero");
        return;
    }
    switch (unit) {
    case 3600000000000: cut_off(times, out, call->rows, 3600000000000); break;
    case 60000000000: cut_off(times, out, call->rows, 60000000000); break;
    case 1000000000: cut_off(times, out, call->rows, 1000000000); break;
    case 1000000: cut_off(times, out, call->rows, 1000000); break;
    default: cut_off(times, out, call->rows, unit);
    }
}

#define PART(name, value)                                                                                              \
    static void name##_rows(native_call *call) {                                                                       \
        const int64_t *times = ARGUMENT(call, int64_t, 0);                                                             \
        for (idx_t row = 0; row < call->rows; row++)                                                                   \
            RESULT(call, int32_t)[row] = (int32_t)(value);                                                             \
    }
PART(hour, times[row] / 3600000000000)
PART(minute, times[row] / 60000000000 % 60)
PART(second, times[row] / 1000000000 % 60)

/* Java's floorDiv of an instant's microseconds. */
#define SINCE(name, by)                                                                                                \
    static void name##_rows(native_call *call) {                                                                       \
        const int64_t *micros = ARGUMENT(call, int64_t, 0);                                                            \
        for (idx_t row = 0; row < call->rows; row++)                                                                   \
            RESULT(call, int64_t)[row] = micros[row] / by - (micros[row] % by < 0);                                    \
    }
SINCE(unix_seconds, 1000000)
SINCE(unix_millis, 1000)

const native_function clock_functions[] = {
    {"spark_time_from_seconds", "l>l", from_rows, &of_seconds},
    {"spark_time_from_millis", "l>l", from_rows, &of_millis},
    {"spark_time_from_micros", "l>l", from_rows, &of_micros},
    {"spark_time_to_seconds", "l>m", to_seconds_rows, NULL},
    {"spark_time_trunc", "ll>l", trunc_rows, NULL},
    {"spark_time_hour", "l>i", hour_rows, NULL},
    {"spark_time_minute", "l>i", minute_rows, NULL},
    {"spark_time_second", "l>i", second_rows, NULL},
    {"spark_unix_seconds", "Z>l", unix_seconds_rows, NULL},
    {"spark_unix_millis", "Z>l", unix_millis_rows, NULL},
    {NULL}};
