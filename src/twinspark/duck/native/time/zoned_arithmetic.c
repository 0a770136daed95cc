/* Interval arithmetic, truncation and bucketing of timestamps in a time zone, as java.time.ZonedDateTime does.
 *
 * SQL spelling: spark_add_interval(t, months, days, micros, zone), spark_trunc_clock(t, unit, zone) with unit day, hour or
 * minute, spark_bucket_micros(size, t, origin, zone), spark_bucket_months(size, t, origin, zone).
 * The result keeps its offset if that is still valid; in a gap it moves forward by the gap's length. */
#include "time/zone.h"
#include <stdlib.h>

enum { DAY_SECONDS = 86400 };
static const int64_t SECOND_MICROS = 1000000, DAY_MICROS = 86400LL * 1000000;

typedef struct { const zone_rules *rules; int64_t second; int32_t offset; int64_t micro; } zoned; /* second: of UTC */

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static int64_t floor_modulo(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }

static zoned zoned_of(const zone_rules *rules, int64_t micros) {
    int64_t second = floor_divide(micros, SECOND_MICROS);
    return (zoned){rules, second, offset_of_instant(rules, second), floor_modulo(micros, SECOND_MICROS)};
}

static void set_local(zoned *of, int64_t local) {
    int64_t kept = local - of->offset;
    if (offset_of_instant(of->rules, kept) != of->offset)
        kept = local - offset_of_local(of->rules, local);
    of->second = kept;
    of->offset = offset_of_instant(of->rules, kept);
}

static void add_days(zoned *of, int64_t days) {
    if (days)
        set_local(of, of->second + of->offset + days * DAY_SECONDS);
}

static void add_months(zoned *of, int64_t months) {
    if (!months)
        return;
    int64_t local = of->second + of->offset, day = floor_divide(local, DAY_SECONDS), clock = local - day * DAY_SECONDS, year;
    int month, in_month;
    civil_from_days(day, &year, &month, &in_month);
    int64_t count = year * 12 + month - 1 + months;
    year = floor_divide(count, 12);
    month = (int)(count - year * 12) + 1;
    int last = days_of_month(year, month);
    set_local(of, days_from_civil(year, month, in_month < last ? in_month : last) * DAY_SECONDS + clock);
}

static bool micros_of(const zoned *of, int64_t more, int64_t *micros) {
    return !__builtin_mul_overflow(of->second, SECOND_MICROS, micros) && !__builtin_add_overflow(*micros, of->micro, micros) &&
           !__builtin_add_overflow(*micros, more, micros);
}

/* Far from the limits of seconds; beyond, Spark says what it is. */
static bool moved(const zone_rules *rules, int64_t start, int64_t months, int64_t days, int64_t more, int64_t *micros) {
    if (months > 10000000 || months < -10000000 || days > 400000000 || days < -400000000)
        return false;
    zoned of = zoned_of(rules, start);
    add_months(&of, months);
    add_days(&of, days);
    return micros_of(&of, more, micros);
}

typedef struct { text name; zone_rules rules; } known_zone;

static bool zone_ready(native_call *call, known_zone *zone, text name) {
    if (zone->name.bytes && zone->name.length == name.length && !memcmp(zone->name.bytes, name.bytes, name.length))
        return true;
    zone->name = name;
    if (find_zone(name, &zone->rules) == ZONE_KNOWN)
        return true;
    fall_back(call, "TIME_ZONE", "a zone that only Java knows");
    return false;
}

static void far(native_call *call) { fall_back(call, "DATETIME_RANGE", "a timestamp moved by a large interval"); }

static void add_rows(native_call *call) {
    known_zone zone = {0};
    EACH_ROW(call, row) {
        if (!zone_ready(call, &zone, argument_text(call, 4, row)))
            continue;
        if (!moved(&zone.rules, ARGUMENT(call, int64_t, 0)[row], ARGUMENT(call, int32_t, 1)[row], ARGUMENT(call, int32_t, 2)[row],
                   ARGUMENT(call, int64_t, 3)[row], &RESULT(call, int64_t)[row]))
            far(call);
    }
}

static void trunc_rows(native_call *call) {
    known_zone zone = {0};
    EACH_ROW(call, row) {
        if (!zone_ready(call, &zone, argument_text(call, 2, row)))
            continue;
        char unit = argument_text(call, 1, row).bytes[0];
        int64_t size = unit == 'd' ? DAY_SECONDS : unit == 'h' ? 3600 : 60;
        zoned of = zoned_of(&zone.rules, ARGUMENT(call, int64_t, 0)[row]);
        int64_t local = of.second + of.offset;
        of.micro = 0;
        set_local(&of, floor_divide(local, size) * size);
        if (!micros_of(&of, 0, &RESULT(call, int64_t)[row]))
            far(call);
    }
}

/* Buckets of a day and more are moved on the clock, so that one step up or down may be needed (timeBucketDTInterval). */
static bool bucket_by_micros(const zone_rules *rules, int64_t size, int64_t value, int64_t origin, int64_t *start) {
    int64_t difference, offset;
    if (__builtin_sub_overflow(value, origin, &difference))
        return false;
    int64_t count = floor_divide(difference, size), next;
    if (__builtin_mul_overflow(count, size, &offset) || __builtin_mul_overflow(count + 1, size, &next))
        return false;
    if (size < DAY_MICROS)
        return !__builtin_add_overflow(origin, offset, start);
    if (!moved(rules, origin, 0, offset / DAY_MICROS, offset % DAY_MICROS, start))
        return false;
    if (*start > value) {
        offset -= size;
        return moved(rules, origin, 0, offset / DAY_MICROS, offset % DAY_MICROS, start);
    }
    int64_t after;
    if (moved(rules, origin, 0, next / DAY_MICROS, next % DAY_MICROS, &after) && after <= value)
        *start = after;
    return true;
}

static int64_t month_number(const zone_rules *rules, int64_t micros) {
    zoned of = zoned_of(rules, micros);
    int64_t year;
    int month, day;
    civil_from_days(floor_divide(of.second + of.offset, DAY_SECONDS), &year, &month, &day);
    return year * 12 + month;
}

static bool bucket_by_months(const zone_rules *rules, int64_t size, int64_t value, int64_t origin, int64_t *start) {
    int64_t count = floor_divide(month_number(rules, value) - month_number(rules, origin), size);
    if (!moved(rules, origin, count * size, 0, 0, start))
        return false;
    return *start <= value || moved(rules, origin, (count - 1) * size, 0, 0, start);
}

static void bucket_rows(native_call *call) {
    known_zone zone = {0};
    bool months = call->function->extra != NULL;
    EACH_ROW(call, row) {
        if (!zone_ready(call, &zone, argument_text(call, 3, row)))
            continue;
        int64_t size = ARGUMENT(call, int64_t, 0)[row], value = ARGUMENT(call, int64_t, 1)[row], origin = ARGUMENT(call, int64_t, 2)[row];
        bool made = size > 0 && (months ? bucket_by_months : bucket_by_micros)(&zone.rules, size, value, origin, &RESULT(call, int64_t)[row]);
        if (!made)
            far(call);
    }
}

const native_function moving_functions[] = {
    {"spark_add_interval", "Ziilv>Z", add_rows, NULL},
    {"spark_trunc_clock", "Zvv>Z", trunc_rows, NULL},
    {"spark_bucket_micros", "lZZv>Z", bucket_rows, NULL},
    {"spark_bucket_months", "lZZv>Z", bucket_rows, ""},
    {NULL}};
