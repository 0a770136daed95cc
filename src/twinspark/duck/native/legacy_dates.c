/* Datetime patterns under spark.sql.legacy.timeParserPolicy = LEGACY: java.text.SimpleDateFormat, not lenient, US locale.
 *
 * SQL spelling: spark_legacy_date_format(timestamptz, pattern, zone) -> VARCHAR;
 * spark_legacy_parse(s, pattern, zone) -> TIMESTAMPTZ, NULL when the text does not fit.
 * Patterns, texts and times whose answer is not known here (names of zones, eras, clocks that change, digits of other
 * scripts) go to Spark. Dates before 1582-10-15 are those of the Julian calendar, and keep their fields. */
#include "pattern.h"
#include "utf8.h"
#include <stdio.h>
#include <time.h>

static bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

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

enum { FIRST_GREGORIAN = -141427 }; /* 1582-10-15 */

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

/* Days between the last day of the Julian calendar and the first of the Gregorian: nobody's. */
static bool between_calendars(int64_t days) { return days >= FIRST_GREGORIAN - 10 && days < FIRST_GREGORIAN; }

/* --- written --- */

typedef struct { clock_time clock; int64_t days; int32_t offset; bool utc; } legacy_time;

static int write_number(char *at, int64_t value, int width) { return sprintf(at, "%0*lld", width, (long long)value); }

static int weekday_of(int64_t days) { return (int)(((days + 4) % 7 + 7) % 7); } /* 0: Sunday */

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

/* Whether the time's fields tell all that the pattern shows. */
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
    clock->nano = (micros - second * 1000000) * 1000;
}

static bool same_text(text left, text right) { return left.length == right.length && !memcmp(left.bytes, right.bytes, left.length); }

/* What a call keeps from row to row: the pattern and the zone seldom change. */
typedef struct { text given, zone; pattern compiled; zone_rules rules; bool utc; } prepared;

static bool prepare(native_call *call, idx_t row, prepared *with, bool (*known)(const pattern *)) {
    text given = argument_text(call, 1, row), zone = argument_text(call, 2, row);
    if (same_text(given, with->given) && same_text(zone, with->zone))
        return true;
    if (!read_legacy_pattern(given, &with->compiled) || (known && !known(&with->compiled)) || find_zone(zone, &with->rules) != ZONE_KNOWN) {
        spark_error(call, "ELSEWHERE", "reason", "a datetime pattern that only Spark reads", NULL);
        return false;
    }
    with->given = given;
    with->zone = zone;
    with->utc = same_text(zone, plain_text("UTC"));
    return true;
}

static void format_rows(native_call *call) {
    prepared with = {.given = {NULL, UINT32_MAX}};
    EACH_ROW(call, row) {
        if (!prepare(call, row, &with, NULL))
            continue;
        int64_t micros = ARGUMENT(call, int64_t, 0)[row];
        legacy_time time = {.utc = with.utc};
        time.offset = offset_of_instant(&with.rules, micros / 1000000 - (micros % 1000000 < 0));
        split_instant(micros, &time);
        if (!writable(&with.compiled, &time)) {
            spark_error(call, "ELSEWHERE", "reason", "a time that only Spark writes by the old patterns", NULL);
            continue;
        }
        char *into = room_for_text(call, MOST_ITEMS * 64), *at = into;
        for (int i = 0; i < with.compiled.count; i++)
            at += write_item(at, &with.compiled.items[i], &time);
        set_written(call, row, (size_t)(at - into));
    }
}

/* --- read --- */

enum field { YEAR, MONTH, DAY, DAY_OF_YEAR, WEEKDAY, HOUR, HALF_HOUR, NOON, MINUTE, SECOND, MILLI, OFFSET, FIELDS };
/* `order` 0: not set; of a field that is set again the last value counts. */
typedef struct { int value[FIELDS], order[FIELDS], next; } fields;
enum outcome { FITS, DIFFERS, UNKNOWN };
typedef struct { const char *bytes, *at, *end; fields found; enum outcome outcome; } reading;

static void set_field(reading *in, enum field field, int value) {
    in->found.value[field] = value;
    in->found.order[field] = ++in->found.next;
}

static bool fail(reading *in, enum outcome how) {
    in->outcome = how;
    return false;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* java.text.DecimalFormat: a minus, digits; an exponent, words and digits of other scripts are left to it. */
static bool read_number(reading *in, const char *end, int *value) {
    const char *at = in->at;
    bool negative = at < end && *at == '-';
    at += negative;
    const char *first = at;
    int64_t number = 0;
    while (at < end && is_digit(*at) && at - first < 18)
        number = number * 10 + *at++ - '0';
    bool strange = at < end && (is_digit(*at) || (unsigned char)*at > 127 || *at == 'N' || (*at == 'E' && at > first));
    if (strange)
        return fail(in, UNKNOWN);
    if (at == first)
        return fail(in, DIFFERS);
    *value = (int)(uint32_t)(uint64_t)(negative ? -number : number);
    in->at = at;
    return true;
}

static const struct { char letter; enum field field; } numbers[] = {
    {'y', YEAR}, {'M', MONTH}, {'L', MONTH}, {'d', DAY}, {'D', DAY_OF_YEAR}, {'H', HOUR}, {'k', HOUR}, {'K', HALF_HOUR},
    {'h', HALF_HOUR}, {'m', MINUTE}, {'s', SECOND}, {'S', MILLI}};

static int number_field(const pattern_item *item) {
    if ((item->letter == 'M' || item->letter == 'L') && item->count > 2)
        return -1;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (item->letter && numbers[i].letter == item->letter)
            return (int)numbers[i].field;
    return -1;
}

/* The year in which the hundred years begin that two digits mean: eighty years ago. Around New Year it is Java's zone
 * that decides, and in the first of these years the day: both are Spark's. */
static bool with_century(reading *in, int *year) {
    int64_t today = (int64_t)time(NULL) / 86400, now;
    int month, day;
    civil_from_days(today, &now, &month, &day);
    if ((month == 1 && day < 3) || (month == 12 && day > 29) || *year == (now - 80) % 100)
        return fail(in, UNKNOWN);
    int begins = (int)now - 80;
    *year += begins / 100 * 100 + (*year < begins % 100 ? 100 : 0);
    return true;
}

static bool take_number(reading *in, const pattern_item *item, const char *start, int value) {
    int field = number_field(item);
    switch (item->letter) {
    case 'y':
        if (item->count <= 2 && in->at - start == 2 && is_digit(start[0]) && is_digit(start[1]) && !with_century(in, &value))
            return false;
        break;
    case 'k':
        if (value < 1 || value > 24)
            return fail(in, DIFFERS);
        value %= 24;
        break;
    case 'h':
        if (value < 1 || value > 12)
            return fail(in, DIFFERS);
        value %= 12;
        break;
    }
    set_field(in, (enum field)field, value);
    return true;
}

static void skip_blanks(reading *in) {
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t'))
        in->at++;
}

/* Blanks before a number are passed over. Right before another number it takes as many characters as it has letters. */
static bool read_number_item(reading *in, const pattern *pattern, int index) {
    const pattern_item *item = &pattern->items[index];
    const char *begins = in->at, *end = in->end;
    if (index + 1 < pattern->count && number_field(&pattern->items[index + 1]) >= 0) {
        for (const char *c = begins; c < in->end && c < begins + item->count; c++)
            if ((unsigned char)*c > 127)
                return fail(in, UNKNOWN);
        if (in->end - begins < item->count)
            end = NULL;
        else
            end = begins + item->count;
    }
    skip_blanks(in);
    if (in->at == in->end || !end)
        return fail(in, DIFFERS);
    const char *start = in->at;
    int value;
    return read_number(in, end, &value) && take_number(in, item, start, value);
}

static size_t same_letters(const reading *in, const char *word, size_t length) {
    if ((size_t)(in->end - in->at) < length)
        return 0;
    for (size_t i = 0; i < length; i++)
        if ((in->at[i] | 0x20) != (word[i] | 0x20) || !is_letter(in->at[i]))
            return 0;
    return length;
}

/* Names in full or by three letters, whatever the pattern asks for: the longest that fits. */
static bool read_name(reading *in, const char *const *names, int count, enum field field, int first) {
    size_t best = 0;
    int found = 0;
    for (int i = 0; i < count; i++) {
        size_t full = same_letters(in, names[i], strlen(names[i])), brief = same_letters(in, names[i], 3);
        size_t length = full ? full : brief;
        if (length > best) {
            best = length;
            found = i;
        }
    }
    if (!best)
        return fail(in, in->at < in->end && (unsigned char)*in->at > 127 ? UNKNOWN : DIFFERS);
    in->at += best;
    set_field(in, field, found + first);
    return true;
}

static bool read_noon(reading *in) {
    bool morning = same_letters(in, "AM", 2) > 0;
    if (!morning && !same_letters(in, "PM", 2))
        return fail(in, DIFFERS);
    in->at += 2;
    set_field(in, NOON, !morning);
    return true;
}

/* Z: +hhmm, and names, which are Spark's; X: Z, +hh, +hhmm, +hh:mm by the count. */
static bool read_offset_item(reading *in, const pattern_item *item) {
    bool iso = item->letter == 'X', colon = iso && item->count == 3;
    skip_blanks(in);
    const char *at = in->at, *end = in->end;
    if (at == end)
        return fail(in, DIFFERS);
    if (iso && *at == 'Z') {
        in->at++;
        set_field(in, OFFSET, 0);
        return true;
    }
    if (*at != '+' && *at != '-')
        return fail(in, iso ? DIFFERS : UNKNOWN);
    int sign = *at++ == '-' ? -1 : 1, minutes = 0;
    if (end - at < 2 || !is_digit(at[0]) || !is_digit(at[1]))
        return fail(in, iso ? DIFFERS : UNKNOWN);
    int hours = (at[0] - '0') * 10 + at[1] - '0';
    at += 2;
    if (!iso || item->count > 1) {
        if (colon && (at == end || *at++ != ':'))
            return fail(in, DIFFERS);
        if (end - at < 2 || !is_digit(at[0]) || !is_digit(at[1]))
            return fail(in, iso ? DIFFERS : UNKNOWN);
        minutes = (at[0] - '0') * 10 + at[1] - '0';
        at += 2;
    }
    if (hours > 23 || minutes > 59)
        return fail(in, iso ? DIFFERS : UNKNOWN);
    in->at = at;
    set_field(in, OFFSET, sign * (hours * 60 + minutes) * 60);
    return true;
}

static bool read_literal(reading *in, uint32_t code) {
    if (in->at == in->end || character_at(in->at) != code)
        return fail(in, DIFFERS);
    in->at += character_bytes((unsigned char)*in->at);
    return true;
}

static bool read_item(reading *in, const pattern *pattern, int index) {
    const pattern_item *item = &pattern->items[index];
    switch (item->letter) {
    case 0: return read_literal(in, item->code);
    case 'a': return read_noon(in);
    case 'E': return read_name(in, day_names, 7, WEEKDAY, 0);
    case 'X': case 'Z': return read_offset_item(in, item);
    default:
        if (number_field(item) < 0)
            return read_name(in, month_names, 12, MONTH, 1);
        return read_number_item(in, pattern, index);
    }
}

/* Letters that the code above reads as Java does; a weekday only beside the day of a month, where it is checked. */
static bool readable(const pattern *pattern) {
    bool weekday = false, day = false;
    for (int i = 0; i < pattern->count; i++) {
        char letter = pattern->items[i].letter;
        if (letter && !strchr("yMLdDHkKhmsSaEXZ", letter))
            return false;
        weekday |= letter == 'E';
        day |= letter == 'd';
    }
    return !weekday || day;
}

static int value_or(const fields *of, enum field field, int otherwise) { return of->order[field] ? of->value[field] : otherwise; }

static bool in_range(const fields *of) {
    static const int least[FIELDS] = {1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, -13 * 3600},
                     most[FIELDS] = {292278994, 12, 31, 366, 6, 23, 11, 1, 59, 59, 999, 14 * 3600};
    for (int field = 0; field < FIELDS; field++)
        if (of->order[field] && (of->value[field] < least[field] || of->value[field] > most[field]))
            return false;
    return true;
}

/* Whichever of the day of the month and the day of the year came last says the day; every field must agree with it. */
static enum outcome find_day(const fields *of, int64_t *days) {
    int64_t year = value_or(of, YEAR, 1970), same;
    int month = value_or(of, MONTH, 1), day = value_or(of, DAY, 1), m, d;
    if (year > 9999)
        return UNKNOWN;
    if (of->order[DAY_OF_YEAR] > of->order[DAY])
        *days = days_from_civil(year, 1, 1) + of->value[DAY_OF_YEAR] - 1;
    else if (day > days_of_month(year, month))
        return year < 1583 ? UNKNOWN : DIFFERS;
    else
        *days = days_from_civil(year, month, day);
    if (*days < FIRST_GREGORIAN && (of->order[DAY_OF_YEAR] || of->order[WEEKDAY] || between_calendars(*days)))
        return UNKNOWN;
    civil_from_days(*days, &same, &m, &d);
    bool agrees = same == year && (!of->order[MONTH] || m == month) && (!of->order[DAY] || d == day) &&
                  (!of->order[WEEKDAY] || of->value[WEEKDAY] == (weekday_of(*days) + 6) % 7) &&
                  (!of->order[DAY_OF_YEAR] || *days - days_from_civil(year, 1, 1) + 1 == of->value[DAY_OF_YEAR]);
    return agrees ? FITS : DIFFERS;
}

/* An hour of the day, or one of twelve and the half; all that were read must agree. */
static bool find_hour(const fields *of, int *hour) {
    bool halves = of->order[HALF_HOUR] || of->order[NOON];
    *hour = of->order[HOUR] ? of->value[HOUR] : halves ? value_or(of, HALF_HOUR, 0) + 12 * value_or(of, NOON, 0) : 0;
    return (!of->order[HALF_HOUR] || *hour % 12 == of->value[HALF_HOUR]) && (!of->order[NOON] || *hour / 12 == of->value[NOON]);
}

/* Where clocks are put forward Java finds no such time, where they are put back it takes the later: both are Spark's. */
static bool only_offset(const zone_rules *rules, int64_t local, int32_t *offset) {
    *offset = offset_of_local(rules, local);
    int64_t second = local - *offset;
    if (offset_of_instant(rules, second) != *offset)
        return false;
    static const int later[] = {4 * 3600, 25 * 3600};
    for (int i = 0; i < 2; i++) {
        int32_t other = offset_of_instant(rules, second + later[i]);
        if (other != *offset && offset_of_instant(rules, local - other) == other)
            return false;
    }
    return true;
}

static enum outcome resolve(const fields *of, const prepared *with, int64_t *micros) {
    int64_t days;
    int hour;
    if (!in_range(of))
        return DIFFERS;
    enum outcome day = find_day(of, &days);
    if (day != FITS || !find_hour(of, &hour))
        return day == FITS ? DIFFERS : day;
    int64_t local = days * 86400 + hour * 3600 + value_or(of, MINUTE, 0) * 60 + value_or(of, SECOND, 0);
    int32_t offset = value_or(of, OFFSET, 0);
    if (of->order[OFFSET] && value_or(of, YEAR, 1970) < 1902)
        return UNKNOWN;
    if (!of->order[OFFSET] && !only_offset(&with->rules, local, &offset))
        return UNKNOWN;
    *micros = (local - offset) * 1000000 + value_or(of, MILLI, 0) * 1000;
    return FITS;
}

static enum outcome parse_text(text value, const prepared *with, int64_t *micros) {
    reading in = {.bytes = value.bytes, .at = value.bytes, .end = value.bytes + value.length};
    for (int i = 0; i < with->compiled.count; i++)
        if (!read_item(&in, &with->compiled, i))
            return in.outcome;
    return in.at == in.bytes ? DIFFERS : resolve(&in.found, with, micros); /* what follows is not looked at */
}

static void parse_rows(native_call *call) {
    prepared with = {.given = {NULL, UINT32_MAX}};
    EACH_ROW(call, row) {
        if (!prepare(call, row, &with, readable))
            continue;
        enum outcome how = parse_text(argument_text(call, 0, row), &with, &RESULT(call, int64_t)[row]);
        if (how == UNKNOWN)
            spark_error(call, "ELSEWHERE", "reason", "a text that only Spark reads by the old patterns", NULL);
        else if (how == DIFFERS)
            set_null(call, row);
    }
}

const native_function legacy_date_functions[] = {
    {"spark_legacy_date_format", "Zvv>v", format_rows, NULL}, {"spark_legacy_parse", "vvv>Z", parse_rows, NULL}, {NULL}};
