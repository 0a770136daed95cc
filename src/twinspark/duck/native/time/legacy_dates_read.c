/* Parses timestamps by patterns under spark.sql.legacy.timeParserPolicy = LEGACY: java.text.SimpleDateFormat, not lenient, US locale.
 *
 * SQL spelling: spark_legacy_parse(s, pattern, zone) -> TIMESTAMPTZ, NULL when the text does not fit; texts whose answer is not
 * known here go to Spark. */
#include "time/legacy_dates.h"
#include "core/utf8.h"
#include <time.h>

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

/* java.text.DecimalFormat: a minus, digits; an exponent, symbols such as NaN and digits of other scripts fall back to Spark. */
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

/* The first of the hundred years that two digits can mean: eighty years ago. Around New Year it depends on Java's zone, and in
 * the first of these years on the day: both fall back to Spark. */
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

/* Names in full or by three letters, whatever the pattern's length is: the longest that matches. */
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

/* Z: +hhmm, and zone names, which fall back to Spark; X: Z, +hh, +hhmm, +hh:mm by the count. */
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

/* In a gap Java finds no such time, in an overlap it takes the later: both fall back to Spark. */
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

static enum outcome resolve(const fields *of, const legacy_pattern *with, int64_t *micros) {
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

static enum outcome parse_text(text value, const legacy_pattern *with, int64_t *micros) {
    reading in = {.bytes = value.bytes, .at = value.bytes, .end = value.bytes + value.length};
    for (int i = 0; i < with->compiled.count; i++)
        if (!read_item(&in, &with->compiled, i))
            return in.outcome;
    return in.at == in.bytes ? DIFFERS : resolve(&in.found, with, micros); /* trailing text is ignored */
}

static void parse_rows(native_call *call) {
    legacy_pattern with = {.given = {NULL, UINT32_MAX}};
    EACH_ROW(call, row) {
        if (!prepare_legacy(call, row, &with, readable))
            continue;
        enum outcome how = parse_text(argument_text(call, 0, row), &with, &RESULT(call, int64_t)[row]);
        if (how == UNKNOWN)
            fall_back(call, "DATETIME_LEGACY_POLICY", "a text that only Spark parses by the patterns of Spark 2");
        else if (how == DIFFERS)
            set_null(call, row);
    }
}

const native_function legacy_date_read_functions[] = {{"spark_legacy_parse", "vvv>Z", parse_rows, NULL}, {NULL}};
