/* Formats timestamps by patterns under spark.sql.legacy.timeParserPolicy = LEGACY: java.text.SimpleDateFormat, US locale.
 *
 * SQL spelling: spark_legacy_date_format(timestamptz, pattern, zone) -> VARCHAR.
 * Patterns, texts and times whose answer is not known here (names of zones, eras, clocks that change, digits of other
 * scripts) go to Spark. Dates before 1582-10-15 are those of the Julian calendar, and keep their fields. */
#include "time/legacy_dates.h"
#include "core/utf8.h"
#include <stdio.h>
#include <time.h>

static bool add_item(pattern *into, char letter, uint32_t count, uint32_t code) {
    if (into->count == MOST_ITEMS || count > 60)
        return false;
    into->items[into->count++] = (pattern_item){letter, (uint8_t)count, code};
    return true;
}

/* A quote opens and closes a text; two of them are one, inside and outside. */
static bool read_legacy_pattern(text given, pattern *into) {
    *into = (pattern){.count = 0};
    bool quoted = false;
    for (uint32_t at = 0; at < given.length;) {
        char c = given.bytes[at];
        if (c == '\'' && at + 1 < given.length && given.bytes[at + 1] == '\'') {
            if (!add_item(into, 0, 1, '\''))
                return false;
            at += 2;
        } else if (c == '\'') {
            quoted = !quoted;
            at++;
        } else if (!quoted && is_letter(c)) {
            uint32_t end = at;
            while (end < given.length && given.bytes[end] == c)
                end++;
            if (!strchr("GyYMLwWDdFEuaHkKhmsSzZX", c) || (c == 'X' && end - at > 3) || !add_item(into, c, end - at, 0))
                return false;
            at = end;
        } else {
            if (!add_item(into, 0, 1, character_at(given.bytes + at)))
                return false;
            at += character_bytes((unsigned char)c);
        }
    }
    return !quoted;
}

/* --- calendars --- */

/* The day that a date of the Julian calendar is. */
static int64_t days_from_julian(int64_t year, int month, int day) {
    int64_t from = year - (month <= 2), years = from + 4800;
    int march = (month + 9) % 12;
    return years * 365 + years / 4 + (153 * march + 2) / 5 + day - 1 - 2472663;
}

static bool julian(int64_t days) { return days < FIRST_GREGORIAN; }

static int64_t real_day(int64_t days, int64_t year, int month, int day) {
    return julian(days) ? days_from_julian(year, month, day) : days;
}

/* Days between the last day of the Julian calendar and the first of the Gregorian, which do not exist. */
bool between_calendars(int64_t days) { return days >= FIRST_GREGORIAN - 10 && days < FIRST_GREGORIAN; }

/* --- written --- */

typedef struct { clock_time clock; int64_t days; int32_t offset; bool utc; } legacy_time;

static int write_number(char *at, int64_t value, int width) { return sprintf(at, "%0*lld", width, (long long)value); }

int weekday_of(int64_t days) { return (int)(((days + 4) % 7 + 7) % 7); } /* 0: Sunday */

static int64_t year_begins(const legacy_time *time, int64_t year) {
    return julian(time->days) ? days_from_julian(year, 1, 1) : days_from_civil(year, 1, 1);
}

/* Weeks begin on Sunday; the first holds the first of January, and days of December as well. */
static int week_of_year(const legacy_time *time, int64_t *year) {
    int64_t next = year_begins(time, time->clock.year + 1), begins = year_begins(time, time->clock.year);
    *year = time->clock.year + (time->days - weekday_of(time->days) + 7 > next);
    return *year > time->clock.year ? 1 : (int)((time->days - begins + weekday_of(begins)) / 7) + 1;
}

/* Needs the day that Java counts, and not only the fields that it shows. */
static int write_day_item(char *at, const pattern_item *item, const legacy_time *time) {
    const clock_time *clock = &time->clock;
    int64_t day = real_day(time->days, clock->year, clock->month, clock->day), year;
    int n = item->count, week = weekday_of(day), first = weekday_of(day - clock->day + 1);
    switch (item->letter) {
    case 'D': return write_number(at, day - year_begins(time, clock->year) + 1, n);
    case 'E': return sprintf(at, "%.*s", n < 4 ? 3 : 9, day_names[(week + 6) % 7]);
    case 'u': return write_number(at, week ? week : 7, n);
    case 'F': return write_number(at, (clock->day - 1) / 7 + 1, n);
    case 'W': return write_number(at, (clock->day - 1 + first) / 7 + 1, n);
    case 'w': return write_number(at, week_of_year(time, &year), n);
    default:
        week_of_year(time, &year);
        return n == 2 ? write_number(at, year % 100, 2) : write_number(at, year, n);
    }
}

static int write_offset(char *at, const pattern_item *item, int32_t offset) {
    int minutes = (offset < 0 ? -offset : offset) / 60;
    char sign = offset < 0 ? '-' : '+';
    if (item->letter == 'X' && !offset)
        return sprintf(at, "Z");
    if (item->letter == 'X' && item->count == 1)
        return sprintf(at, "%c%02d", sign, minutes / 60);
    return sprintf(at, item->letter == 'X' && item->count == 3 ? "%c%02d:%02d" : "%c%02d%02d", sign, minutes / 60, minutes % 60);
}

static int write_item(char *at, const pattern_item *item, const legacy_time *time) {
    const clock_time *clock = &time->clock;
    int n = item->count, hour = clock->hour;
    switch (item->letter) {
    case 0: return (int)write_character(at, item->code);
    case 'G': return sprintf(at, "AD");
    case 'y': return n == 2 ? write_number(at, clock->year % 100, 2) : write_number(at, clock->year, n);
    case 'M': case 'L':
        return n < 3 ? write_number(at, clock->month, n) : sprintf(at, "%.*s", n == 3 ? 3 : 9, month_names[clock->month - 1]);
    case 'd': return write_number(at, clock->day, n);
    case 'a': return sprintf(at, hour < 12 ? "AM" : "PM");
    case 'H': return write_number(at, hour, n);
    case 'k': return write_number(at, hour ? hour : 24, n);
    case 'K': return write_number(at, hour % 12, n);
    case 'h': return write_number(at, hour % 12 ? hour % 12 : 12, n);
    case 'm': return write_number(at, clock->minute, n);
    case 's': return write_number(at, clock->second, n);
    case 'S': return write_number(at, clock->nano / 1000000, n);
    case 'z': return sprintf(at, n < 4 ? "UTC" : "Coordinated Universal Time");
    case 'Z': case 'X': return write_offset(at, item, time->offset);
    default: return write_day_item(at, item, time);
    }
}

/* Whether the pattern shows only fields of the local time. */
static bool writable(const pattern *pattern, const legacy_time *time) {
    if (time->clock.year < 1 || time->clock.year > 9999 || between_calendars(time->days))
        return false;
    for (int i = 0; i < pattern->count; i++) {
        char letter = pattern->items[i].letter;
        if (letter && ((letter == 'z' && !time->utc) || (strchr("ZX", letter) && !time->utc && time->clock.year < 1901)))
            return false;
        if (letter && ((strchr("wWY", letter) && time->clock.year < 1583) || (letter == 'D' && time->clock.year == 1582)))
            return false;
    }
    return true;
}

static void split_instant(int64_t micros, legacy_time *into) {
    int64_t second = micros / 1000000 - (micros % 1000000 < 0), local = second + into->offset;
    into->days = local / 86400 - (local % 86400 < 0);
    int64_t rest = local - into->days * 86400;
    clock_time *clock = &into->clock;
    civil_from_days(into->days, &clock->year, &clock->month, &clock->day);
    clock->hour = (int)(rest / 3600);
    clock->minute = (int)(rest / 60 % 60);
    clock->second = (int)(rest % 60);
    clock->nano = (micros % 1000000 + (micros % 1000000 < 0 ? 1000000 : 0)) * 1000;
}

static bool same_text(text left, text right) { return left.length == right.length && !memcmp(left.bytes, right.bytes, left.length); }


bool prepare_legacy(native_call *call, idx_t row, legacy_pattern *with, bool (*known)(const pattern *)) {
    text given = argument_text(call, 1, row), zone = argument_text(call, 2, row);
    if (same_text(given, with->given) && same_text(zone, with->zone))
        return true;
    if (!read_legacy_pattern(given, &with->compiled) || (known && !known(&with->compiled)) || find_zone(zone, &with->rules) != ZONE_KNOWN) {
        fall_back(call, "DATETIME_PATTERN", "a pattern that only Spark reads");
        return false;
    }
    with->given = given;
    with->zone = zone;
    with->utc = same_text(zone, plain_text("UTC"));
    return true;
}

static void format_rows(native_call *call) {
    legacy_pattern with = {.given = {NULL, UINT32_MAX}};
    EACH_ROW(call, row) {
        if (!prepare_legacy(call, row, &with, NULL))
            continue;
        int64_t micros = ARGUMENT(call, int64_t, 0)[row];
        legacy_time time = {.utc = with.utc};
        time.offset = offset_of_instant(&with.rules, micros / 1000000 - (micros % 1000000 < 0));
        split_instant(micros, &time);
        if (!writable(&with.compiled, &time)) {
            fall_back(call, "DATETIME_LEGACY_POLICY", "a value that only Spark formats by the patterns of Spark 2");
            continue;
        }
        char *into = room_for_text(call, MOST_ITEMS * 64), *at = into;
        for (int i = 0; i < with.compiled.count; i++)
            at += write_item(at, &with.compiled.items[i], &time);
        set_written(call, row, (size_t)(at - into));
    }
}

const native_function legacy_date_functions[] = {{"spark_legacy_date_format", "Zvv>v", format_rows, NULL}, {NULL}};
