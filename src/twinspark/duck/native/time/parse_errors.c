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

static int range_message(char *into, const char *field, int least, const char *most, int64_t value) {
    return sprintf(into, ": Invalid value for %s (valid values %d - %s): %lld", field, least, most, (long long)value);
}

static bool is_leap(int64_t year) { return days_of_month(year, 2) == 29; }

static int day_message(char *into, const clock_time *clock) {
    if (clock->month == 2 && clock->day == 29 && !is_leap(clock->year))
        return sprintf(into, ": Invalid date 'February 29' as '%lld' is not a leap year", (long long)clock->year);
    int count = sprintf(into, ": Invalid date '");
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

/* Years, months and days are checked first, in this order; 0: Java's message is not known. */
static int resolve_message(char *into, const parsed_fields *fields) {
    int date = fields->present & (YEAR | MONTH | DAY);
    const clock_time *clock = &fields->clock;
    if (fields->wrong_count == WRONG_MOST || fields->present & (DAY_OF_YEAR | OFFSET) || clock->year < 0 || clock->year > 9999)
        return 0;
    if (date)
        return date == (YEAR | MONTH | DAY) ? date_message(into, fields) : 0;
    return time_message(into, fields);
}

/* The unparsed rest of the text; 0: not known. */
static int complaint(char *into, const pattern *pattern, text value) {
    parsed_fields fields = {.goes_on = true};
    const char *at = value.bytes, *end = value.bytes + value.length;
    bool all = read_items(pattern, 0, &at, end, &fields, false) >= 0;
    if (!all)
        return is_sure(pattern, at, end) ? sprintf(into, " could not be parsed at index %d", (int)(at - value.bytes)) : 0;
    if (at != end)
        return is_sure(pattern, end, end) ? sprintf(into, " could not be parsed, unparsed text found at index %d", (int)(at - value.bytes)) : 0;
    int count = sprintf(into, " could not be parsed"), why = resolve_message(into + count, &fields);
    return why ? count + why : 0;
}

static void complaint_rows(native_call *call) {
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), given = argument_text(call, 1, row);
        pattern compiled;
        char words[200], whole[320];
        int count = is_plain(value) && read_pattern(given, &compiled) && readable(&compiled) ? complaint(words, &compiled, value) : 0;
        if (!count) {
            set_null(call, row);
            continue;
        }
        bool cut = value.length > SHOWN;
        int length = sprintf(whole, "Text '%.*s%s'%.*s", cut ? SHOWN : (int)value.length, value.bytes, cut ? "..." : "", count, words);
        set_text(call, row, whole, (size_t)length);
    }
}

const native_function parse_complaints[] = {
    {"spark_parse_complaint", "vv>v", complaint_rows, NULL},
    {NULL}};
