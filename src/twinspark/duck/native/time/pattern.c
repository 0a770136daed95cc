/* date_format: java.time.format.DateTimeFormatter's patterns in the US locale, as Spark allows them.
 *
 * SQL spelling: spark_date_format(timestamptz, pattern, zone) -> VARCHAR; the zone is the session's.
 * Patterns that are not read here (week-based letters, narrow names, zone names of regions, errors) go to Spark. */
#include "time/pattern.h"
#include "core/utf8.h"
#include <stdio.h>

const char *const month_names[12] = {"January", "February", "March", "April", "May", "June", "July", "August", "September",
                                     "October", "November", "December"};
const char *const day_names[7] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

/* The most repetitions of a letter; 0: not read here. */
static int most_of(char letter) {
    static const struct { char letter; int most; } known[] = {
        {'G', 4}, {'y', 6}, {'M', 4}, {'L', 4}, {'d', 2}, {'D', 3}, {'Q', 4}, {'q', 4}, {'E', 4}, {'a', 1}, {'h', 2}, {'K', 2},
        {'k', 2}, {'H', 2}, {'m', 2}, {'s', 2}, {'S', 9}, {'V', 2}, {'z', 3}, {'O', 4}, {'X', 5}, {'x', 5}, {'Z', 5}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].letter == letter)
            return known[i].most;
    return 0;
}

static bool add_item(pattern *into, char letter, int count, uint32_t code) {
    if (into->count == MOST_ITEMS)
        return false;
    into->items[into->count++] = (pattern_item){letter, (uint8_t)count, code};
    return true;
}

/* A quoted text; two quotes are one, inside and outside. Returns where it ends, 0 when it does not. */
static uint32_t read_quoted(text given, uint32_t at, pattern *into) {
    if (at < given.length && given.bytes[at] == '\'')
        return add_item(into, 0, 1, '\'') ? at + 1 : 0;
    while (at < given.length) {
        if (given.bytes[at] == '\'') {
            if (at + 1 == given.length || given.bytes[at + 1] != '\'')
                return at + 1;
            at++;
        }
        if (!add_item(into, 0, 1, character_at(given.bytes + at)))
            return 0;
        at += character_bytes((unsigned char)given.bytes[at]);
    }
    return 0;
}

bool read_pattern(text given, pattern *into) {
    *into = (pattern){.count = 0};
    int depth = 0;
    for (uint32_t at = 0; at < given.length;) {
        char c = given.bytes[at];
        if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') {
            uint32_t end = at;
            while (end < given.length && given.bytes[end] == c)
                end++;
            if ((int)(end - at) > most_of(c) || (c == 'V' && end - at != 2) || (c == 'O' && end - at != 1 && end - at != 4))
                return false;
            into->era |= c == 'G';
            if (!add_item(into, c, (int)(end - at), 0))
                return false;
            at = end;
        } else if (c == '\'') {
            at = read_quoted(given, at + 1, into);
            if (!at)
                return false;
        } else if (c == '[' || c == ']') {
            depth += c == '[' ? 1 : -1;
            if (depth < 0 || !add_item(into, c, 1, 0))
                return false;
            at++;
        } else {
            if (c == '{' || c == '}' || c == '#' || !add_item(into, 0, 1, character_at(given.bytes + at)))
                return false;
            at += character_bytes((unsigned char)c);
        }
    }
    return true;
}

/* --- formatting --- */

/* A small number, not negative, with zeros before it; much faster than sprintf. */
static int write_padded(char *at, int value, int width) {
    if (width == 2 && value < 100) {
        at[0] = (char)('0' + value / 10);
        at[1] = (char)('0' + value % 10);
        return 2;
    }
    char digits[12];
    int count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count < width)
        digits[count++] = '0';
    for (int i = 0; i < count; i++)
        at[i] = digits[count - 1 - i];
    return count;
}

typedef struct { clock_time clock; int32_t offset; text zone; } shown_time;

/* Years: four letters and more pad and show a plus beyond, two are the last two digits. */
static int write_year(char *at, int64_t year, int count) {
    if (count == 4 && year >= 0 && year <= 9999)
        return write_padded(at, (int)year, 4);
    unsigned long long size = (unsigned long long)(year < 0 ? -year : year), limit = 1;
    if (count == 2)
        return sprintf(at, "%02llu", size % 100);
    for (int i = 0; i < count; i++)
        limit *= 10;
    return sprintf(at, "%s%0*llu", year < 0 ? "-" : count >= 4 && size >= limit ? "+" : "", count, size);
}

/* +hh, +hhmm, +hh:mm ... : minutes and seconds by the kind of pattern; all zero is written as `zero`. */
static int write_offset(char *at, int32_t offset, bool optional_minutes, bool colon, bool seconds, const char *zero) {
    int size = offset < 0 ? -offset : offset, hour = size / 3600, minute = size / 60 % 60, second = size % 60;
    int shown = hour, length = sprintf(at, "%c%02d", offset < 0 ? '-' : '+', hour);
    if (!optional_minutes || minute) {
        length += sprintf(at + length, "%s%02d", colon ? ":" : "", minute);
        shown += minute;
    }
    if (seconds && second) {
        length += sprintf(at + length, "%s%02d", colon ? ":" : "", second);
        shown += second;
    }
    return shown ? length : sprintf(at, "%s", zero);
}

/* GMT+8, GMT-3:30; in full GMT+08:00. */
static int write_gmt(char *at, int32_t offset, bool full) {
    int size = offset < 0 ? -offset : offset, hour = size / 3600, minute = size / 60 % 60, second = size % 60;
    int length = sprintf(at, "GMT");
    if (!size)
        return length;
    length += sprintf(at + length, full ? "%c%02d:%02d" : "%c%d", offset < 0 ? '-' : '+', hour, minute);
    if (!full && (minute || second))
        length += sprintf(at + length, ":%02d", minute);
    if (second)
        length += sprintf(at + length, ":%02d", second);
    return length;
}

static int write_zone_item(char *at, const pattern_item *item, const shown_time *time) {
    static const char *const zeros[] = {"", "+00", "+0000", "+00:00", "+0000", "+00:00"};
    int n = item->count;
    switch (item->letter) {
    case 'V': return sprintf(at, "%.*s", (int)time->zone.length, time->zone.bytes);
    case 'O': return write_gmt(at, time->offset, n == 4);
    case 'Z':
        if (n == 4)
            return write_gmt(at, time->offset, true);
        return n == 5 ? write_offset(at, time->offset, false, true, true, "Z") : write_offset(at, time->offset, false, false, false, "+0000");
    default: return write_offset(at, time->offset, n == 1, n == 3 || n == 5, n >= 4, item->letter == 'X' ? "Z" : zeros[n]);
    }
}

static int day_of_year(const clock_time *clock) {
    return (int)(days_from_civil(clock->year, clock->month, clock->day) - days_from_civil(clock->year, 1, 1)) + 1;
}

static int weekday(const clock_time *clock) { /* 0: Monday */
    return (int)(((days_from_civil(clock->year, clock->month, clock->day) + 3) % 7 + 7) % 7);
}

static int write_quarter(char *at, int month, int count) {
    static const char *const names[] = {"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"};
    int quarter = (month - 1) / 3;
    if (count == 4)
        return sprintf(at, "%s", names[quarter]);
    return count == 3 ? sprintf(at, "Q%d", quarter + 1) : sprintf(at, "%0*d", count, quarter + 1);
}

static int write_date_item(char *at, const pattern_item *item, const clock_time *clock, bool era) {
    int n = item->count;
    switch (item->letter) {
    case 'G':
        if (n == 4)
            return sprintf(at, clock->year > 0 ? "Anno Domini" : "Before Christ");
        return sprintf(at, clock->year > 0 ? "AD" : "BC");
    case 'y': return write_year(at, era && clock->year <= 0 ? 1 - clock->year : clock->year, n);
    case 'M': case 'L':
        return n < 3 ? write_padded(at, clock->month, n) : sprintf(at, "%.*s", n == 3 ? 3 : 9, month_names[clock->month - 1]);
    case 'd': return write_padded(at, clock->day, n);
    case 'D': return write_padded(at, day_of_year(clock), n);
    case 'E': return sprintf(at, "%.*s", n == 4 ? 9 : 3, day_names[weekday(clock)]);
    default: return write_quarter(at, clock->month, n);
    }
}

static int write_fraction(char *at, int64_t nano, int count) {
    for (int i = 9; i > count; i--)
        nano /= 10;
    return write_padded(at, (int)nano, count);
}

static int write_clock_item(char *at, const pattern_item *item, const clock_time *clock) {
    int hour = clock->hour, n = item->count;
    switch (item->letter) {
    case 'a': return sprintf(at, hour < 12 ? "AM" : "PM");
    case 'h': return write_padded(at, hour % 12 ? hour % 12 : 12, n);
    case 'K': return write_padded(at, hour % 12, n);
    case 'k': return write_padded(at, hour ? hour : 24, n);
    case 'H': return write_padded(at, hour, n);
    case 'm': return write_padded(at, clock->minute, n);
    case 's': return write_padded(at, clock->second, n);
    default: return write_fraction(at, clock->nano, n);
    }
}

static int write_item(char *at, const pattern_item *item, const shown_time *time, bool era) {
    switch (item->letter) {
    case 0: return (int)write_character(at, item->code);
    case '[': case ']': return 0;
    case 'V': case 'O': case 'X': case 'x': case 'Z': return write_zone_item(at, item, time);
    case 'a': case 'h': case 'K': case 'k': case 'H': case 'm': case 's': case 'S': return write_clock_item(at, item, &time->clock);
    default: return write_date_item(at, item, &time->clock, era);
    }
}

static void split_micros(int64_t micros, int32_t offset, clock_time *clock) {
    int64_t second = micros / 1000000 - (micros % 1000000 < 0), local = second + offset;
    int64_t day = local / 86400 - (local % 86400 < 0), rest = local - day * 86400;
    civil_from_days(day, &clock->year, &clock->month, &clock->day);
    clock->hour = (int)(rest / 3600);
    clock->minute = (int)(rest / 60 % 60);
    clock->second = (int)(rest % 60);
    clock->nano = (micros % 1000000 + (micros % 1000000 < 0 ? 1000000 : 0)) * 1000;
}

static bool same_text(text left, text right) { return left.length == right.length && !memcmp(left.bytes, right.bytes, left.length); }

/* VV shows the id that Java gives the zone: known for UTC and for regions. z shows its name, which only Java knows. */
static bool shows_zone(const pattern *pattern, text zone) {
    for (int i = 0; i < pattern->count; i++)
        if (pattern->items[i].letter == 'z')
            return true;
        else if (pattern->items[i].letter == 'V' && !same_text(zone, plain_text("UTC")) && !memchr(zone.bytes, '/', zone.length))
            return true;
    return false;
}

static void format_rows(native_call *call) {
    pattern compiled;
    text last_pattern = {NULL, UINT32_MAX}, last_zone = {NULL, UINT32_MAX};
    zone_rules rules = {0};
    EACH_ROW(call, row) {
        text given = argument_text(call, 1, row), zone = argument_text(call, 2, row);
        if (!same_text(given, last_pattern) || !same_text(zone, last_zone)) {
            if (!read_pattern(given, &compiled) || find_zone(zone, &rules) != ZONE_KNOWN || shows_zone(&compiled, zone)) {
                fall_back(call, "DATETIME_PATTERN", "a pattern that only Spark reads");
                continue;
            }
            last_pattern = given;
            last_zone = zone;
        }
        int64_t micros = ARGUMENT(call, int64_t, 0)[row];
        shown_time time = {.zone = zone};
        time.offset = offset_of_instant(&rules, micros / 1000000 - (micros % 1000000 < 0));
        split_micros(micros, time.offset, &time.clock);
        char *into = room_for_text(call, MOST_ITEMS * 48), *at = into;
        for (int i = 0; i < compiled.count; i++)
            at += write_item(at, &compiled.items[i], &time, compiled.era);
        set_written(call, row, (size_t)(at - into));
    }
}

const native_function pattern_functions[] = {{"spark_date_format", "Zvv>v", format_rows, NULL}, {NULL}};
