/* The message of java.time's DateTimeParseException for a text that does not match a pattern.
 *
 * SQL spelling: spark_parse_complaint(s, pattern) -> VARCHAR; NULL where only Java knows. */
#include "time/parse.h"
#include "time/zone.h"
#include <stdio.h>

enum { SHOWN = 64 }; /* so much of a text is shown (DateTimeFormatter.createError) */

/* ASCII, and no number that is longer than 64 bits hold. */
static bool is_plain(text value) {
    int digits = 0;
    for (uint32_t i = 0; i < value.length; i++) {
        unsigned char c = (unsigned char)value.bytes[i];
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        if (c == 0 || c > 127 || digits > 18)
            return false;
    }
    return true;
}

/* Offsets have several ways to fail, and a sign moves the place of a failure. */
static bool is_sure(const pattern *pattern, const char *at, const char *end) {
    for (int i = 0; i < pattern->count; i++)
        if (pattern->items[i].letter && strchr("XxZ", pattern->items[i].letter))
            return false;
    return at == end || (*at != '+' && *at != '-');
}

/* yy alone has no sign: it fails where it begins (ReducedPrinterParser). */
static bool begins_with_two_digits(const pattern *pattern, const char *at, const char *start) {
    return at == start && pattern->items[0].letter == 'y' && pattern->items[0].count == 2;
}

static int range_message(char *into, const char *field, int least, const char *most, int64_t value) {
    return sprintf(into, "Invalid value for %s (valid values %d - %s): %lld", field, least, most, (long long)value);
}

static bool is_leap(int64_t year) { return days_of_month(year, 2) == 29; }

static int day_message(char *into, const clock_time *clock) {
    if (clock->month == 2 && clock->day == 29 && !is_leap(clock->year))
        return sprintf(into, "Invalid date 'February 29' as '%lld' is not a leap year", (long long)clock->year);
    int count = sprintf(into, "Invalid date '");
    for (const char *name = month_names[clock->month - 1]; *name; name++)
        into[count++] = *name >= 'a' ? *name - 32 : *name;
    return count + sprintf(into + count, " %d'", clock->day);
}

/* Of several invalid fields Java reports the one that comes first in its hash table. */
static int time_message(char *into, const parsed_fields *fields) {
    if (fields->wrong_count != 1)
        return 0;
    switch (fields->wrong[0]) {
    case 'H': return range_message(into, "HourOfDay", 0, "23", fields->wrong_value);
    case 'h': return range_message(into, "ClockHourOfAmPm", 1, "12", fields->wrong_value);
    case 'm': return range_message(into, "MinuteOfHour", 0, "59", fields->wrong_value);
    case 's': return range_message(into, "SecondOfMinute", 0, "59", fields->wrong_value);
    default: return 0;
    }
}

static int date_message(char *into, const parsed_fields *fields) {
    const clock_time *clock = &fields->clock;
    if (clock->month < 1 || clock->month > 12)
        return range_message(into, "MonthOfYear", 1, "12", clock->month);
    if (clock->day < 1 || clock->day > 31)
        return range_message(into, "DayOfMonth", 1, "28/31", clock->day);
    if (clock->day > days_of_month(clock->year, clock->month))
        return day_message(into, clock);
    return time_message(into, fields);
}

static int not_leap_message(char *into, int64_t year) {
    return sprintf(into, "Invalid date 'DayOfYear 366' as '%lld' is not a leap year", (long long)year);
}

/* Spark's own check of fields beside a day of the year (DateTimeFormatterHelper.verifyLocalDate). */
static int conflict_message(char *into, const char *field, int found, int64_t year, int month, int day) {
    int derived = *field == 'M' ? month : day;
    return sprintf(into, "Conflict found: Field %s %d differs from %s %d derived from %04d-%02d-%02d.", field, found, field, derived,
                   (int)year, month, day);
}

/* A day of the year without a year: 1970, which Spark adds (toLocalDate). */
static int day_of_1970_message(char *into, const parsed_fields *fields) {
    int64_t year;
    int month, day;
    if (fields->day_of_year == 366)
        return not_leap_message(into, 1970);
    civil_from_days(fields->day_of_year - 1, &year, &month, &day);
    if (fields->present & MONTH && fields->clock.month != month)
        return conflict_message(into, "MonthOfYear", fields->clock.month, 1970, month, day);
    if (fields->present & DAY && fields->clock.day != day)
        return conflict_message(into, "DayOfMonth", fields->clock.day, 1970, month, day);
    return 0;
}

/* Java's check of a month or a day against the date of a day of the year (Parsed.crossCheck). */
static int cross_check_message(char *into, const parsed_fields *fields) {
    int64_t year;
    int month, day;
    civil_from_days(days_from_civil(fields->clock.year, 1, 1) + fields->day_of_year - 1, &year, &month, &day);
    bool other_month = fields->present & MONTH && fields->clock.month != month;
    bool other_day = fields->present & DAY && fields->clock.day != day;
    if (other_month == other_day) /* of two conflicts Java reports the one that comes first in its hash table */
        return 0;
    return sprintf(into, "Conflict found: Field %s %d differs from %s %d derived from %04d-%02d-%02d", other_month ? "MonthOfYear" : "DayOfMonth",
                   other_month ? month : day, other_month ? "MonthOfYear" : "DayOfMonth", other_month ? fields->clock.month : fields->clock.day,
                   (int)year, month, day);
}

static int day_of_year_message(char *into, const parsed_fields *fields) {
    int date = fields->present & (YEAR | MONTH | DAY);
    if (date == (YEAR | MONTH | DAY)) /* resolved first (AbstractChronology.resolveDate) */
        return fields->clock.day > days_of_month(fields->clock.year, fields->clock.month) ? date_message(into, fields) : 0;
    return fields->day_of_year == 366 && !is_leap(fields->clock.year) ? not_leap_message(into, fields->clock.year) : cross_check_message(into, fields);
}

/* A date with missing fields, which Spark adds, and then has the whole date checked (toLocalDate). */
static int default_date_message(char *into, const parsed_fields *fields) {
    clock_time clock = fields->clock;
    clock.year = fields->present & YEAR ? clock.year : 1970;
    clock.month = fields->present & MONTH ? clock.month : 1;
    clock.day = fields->present & DAY ? clock.day : 1;
    return clock.day > days_of_month(clock.year, clock.month) ? day_message(into, &clock) : 0;
}

/* What Spark reports without the text, since it is no error of the parser. */
static int default_message(char *into, const parsed_fields *fields) {
    bool two_hours = fields->present & HOUR && fields->present & (NOON | HALF_HOUR);
    if (two_hours || fields->wrong_count || fields->present & (OFFSET | ZONE | YEAR) || !(fields->present & (MONTH | DAY | DAY_OF_YEAR)))
        return 0;
    return fields->present & DAY_OF_YEAR ? day_of_1970_message(into, fields) : default_date_message(into, fields);
}

/* Years, months and days are checked first, in this order; 0: Java's message is not known. */
static int resolve_message(char *into, const parsed_fields *fields) {
    int date = fields->present & (YEAR | MONTH | DAY);
    const clock_time *clock = &fields->clock;
    if (fields->wrong_count == WRONG_MOST || fields->present & (OFFSET | ZONE) || clock->year < 0 || clock->year > 9999)
        return 0;
    if (fields->present & DAY_OF_YEAR)
        return fields->wrong_count || !(date & YEAR) || !clock->year ? 0 : day_of_year_message(into, fields);
    if (date)
        return date == (YEAR | MONTH | DAY) ? date_message(into, fields) : 0;
    return time_message(into, fields);
}

/* Text '…', of which only the beginning is shown. */
static int write_subject(char *into, text value) {
    bool cut = value.length > SHOWN;
    return sprintf(into, "Text '%.*s%s'", cut ? SHOWN : (int)value.length, value.bytes, cut ? "..." : "");
}

/* 0: not known. */
static int complaint(char *into, const pattern *pattern, text value) {
    parsed_fields fields = {.goes_on = true};
    const char *at = value.bytes, *end = value.bytes + value.length;
    bool all = read_items(pattern, 0, &at, end, &fields, false) >= 0;
    int count = write_subject(into, value);
    if (fields.is_unknown)
        return 0;
    if (!all && !is_sure(pattern, at, end) && !begins_with_two_digits(pattern, at, value.bytes))
        return 0;
    if (!all)
        return count + sprintf(into + count, " could not be parsed at index %d", (int)(at - value.bytes));
    if (at != end)
        return is_sure(pattern, end, end) ? count + sprintf(into + count, " could not be parsed, unparsed text found at index %d", (int)(at - value.bytes)) : 0;
    int why = default_message(into, &fields);
    if (why)
        return why;
    count = write_subject(into, value);
    count += sprintf(into + count, " could not be parsed: ");
    why = resolve_message(into + count, &fields);
    return why ? count + why : 0;
}

static void complaint_rows(native_call *call) {
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), given = argument_text(call, 1, row);
        pattern compiled;
        char message[400];
        int count = is_plain(value) && read_pattern(given, &compiled) && readable(&compiled) ? complaint(message, &compiled, value) : 0;
        if (count)
            set_text(call, row, message, (size_t)count);
        else
            set_null(call, row);
    }
}

const native_function parse_complaints[] = {
    {"spark_parse_complaint", "vv>v", complaint_rows, NULL},
    {NULL}};
