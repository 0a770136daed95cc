/* make_date, make_timestamp, make_time and next_day.
 *
 * SQL spelling: spark_make_date(year, month, day), spark_make_timestamp(year, month, day, hour, minute, second DECIMAL(16,6)) ->
 * TIMESTAMP; both return NULL for an invalid field; the SQL around them raises the error.
 * spark_make_time(hour, minute, second DECIMAL(16,6)) -> nanoseconds of the day, or Spark's error. spark_next_day(date, weekday),
 * 0 being Monday. */
#include "time/zone.h"
#include <stdio.h>

/* Years that DuckDB's dates reach on every day. */
static bool plain_date(int32_t year, int32_t month, int32_t day, int64_t *days) {
    if (year < -290307 || year > 294246 || month < 1 || month > 12 || day < 1 || (day > 28 && day > days_of_month(year, month)))
        return false;
    *days = days_from_civil(year, month, day);
    return true;
}

static void date_rows(native_call *call) {
    const int32_t *year = ARGUMENT(call, int32_t, 0), *month = ARGUMENT(call, int32_t, 1), *day = ARGUMENT(call, int32_t, 2);
    EACH_ROW(call, row) {
        int64_t days;
        if (plain_date(year[row], month[row], day[row], &days))
            RESULT(call, int32_t)[row] = (int32_t)days;
        else
            set_null(call, row);
    }
}

/* Microseconds of the day; the second has six digits after the point. */
static bool plain_clock(int32_t hour, int32_t minute, int64_t second, int64_t *micros) {
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second >= 60000000)
        return false;
    *micros = (hour * 3600 + minute * 60) * (int64_t)1000000 + second;
    return true;
}

static bool seconds_argument(native_call *call, int argument, const int64_t **seconds) {
    decimal_column column;
    if (!decimal_argument(call, argument, &column))
        return false;
    *seconds = column.data;
    if (column.bytes != 8 || column.scale != 6)
        misuse(call, "twinspark: seconds must be DECIMAL(16,6)");
    return !call->failed;
}

static void timestamp_rows(native_call *call) {
    const int32_t *field[5];
    const int64_t *second;
    for (int i = 0; i < 5; i++)
        field[i] = ARGUMENT(call, int32_t, i);
    if (!seconds_argument(call, 5, &second))
        return;
    EACH_ROW(call, row) {
        int64_t days, micros;
        if (plain_date(field[0][row], field[1][row], field[2][row], &days) &&
            plain_clock(field[3][row], field[4][row], second[row], &micros))
            RESULT(call, int64_t)[row] = days * 86400000000 + micros;
        else
            set_null(call, row);
    }
}

/* Negative seconds and those beyond an int raise an error first, then the fields are checked in order (LocalTime.of). */
static void refuse_clock(native_call *call, int32_t hour, int32_t minute, int64_t second) {
    char message[128];
    bool of_second = second < 0 || second / 1000000 > INT32_MAX, of_hour = !of_second && (hour < 0 || hour > 23);
    bool of_minute = !of_second && !of_hour && (minute < 0 || minute > 59);
    const char *name = of_hour ? "HourOfDay" : of_minute ? "MinuteOfHour" : "SecondOfMinute";
    long long value = of_hour ? hour : of_minute ? minute : second / 1000000;
    snprintf(message, sizeof message, "Invalid value for %s (valid values 0 - %d): %lld", name, of_hour ? 23 : 59, value);
    spark_error(call, "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION", "rangeMessage", message, NULL);
}

static void time_rows(native_call *call) {
    const int32_t *hour = ARGUMENT(call, int32_t, 0), *minute = ARGUMENT(call, int32_t, 1);
    const int64_t *second;
    if (!seconds_argument(call, 2, &second))
        return;
    EACH_ROW(call, row) {
        int64_t micros;
        if (plain_clock(hour[row], minute[row], second[row], &micros))
            RESULT(call, int64_t)[row] = micros * 1000;
        else
            refuse_clock(call, hour[row], minute[row], second[row]);
    }
}

/* The first such weekday after the date, 0 being Monday; near the end of DuckDB's calendar it falls back to Spark. */
static void next_day_rows(native_call *call) {
    EACH_ROW(call, row) {
        int64_t days = ARGUMENT(call, int32_t, 0)[row], past = (days + 3 - ARGUMENT(call, int32_t, 1)[row]) % 7;
        RESULT(call, int32_t)[row] = (int32_t)(days + 7 - (past < 0 ? past + 7 : past));
        if (days > INT32_MAX - 10)
            fall_back(call, "DATETIME_RANGE", "a day beyond the calendar");
    }
}

const native_function make_functions[] = {
    {"spark_make_date", "iii>D", date_rows, NULL},
    {"spark_make_timestamp", "iiiiiA>T", timestamp_rows, NULL},
    {"spark_next_day", "Di>D", next_day_rows, NULL},
    {"spark_make_time", "iiA>l", time_rows, NULL},
    {NULL}};
