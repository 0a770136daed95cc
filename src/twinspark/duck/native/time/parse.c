/* to_timestamp and to_date with a pattern: java.time's strict parser, as Spark sets it up.
 *
 * SQL spelling: spark_parse_timestamp(s, pattern, zone) -> TIMESTAMPTZ; NULL when the text does not fit the pattern.
 * spark_parse_timestamp_ansi: such a text falls back to Spark (parse_errors.c has most of Java's messages).
 * spark_parse_timestamp_ntz(s, pattern) -> TIMESTAMP, without zones. */
#include "time/parse.h"
#include "core/utf8.h"

/* A field that is read twice must say the same. */
static bool take(parsed_fields *into, int field, int64_t *place, int64_t value) {
    if (into->present & field && *place != value)
        return false;
    into->present |= field;
    *place = value;
    return true;
}
static bool take_int(parsed_fields *into, int field, int *place, int64_t value) {
    int64_t wide = *place;
    bool fine = take(into, field, &wide, value);
    *place = (int)wide;
    return fine;
}

typedef struct { int least, most; bool pads; } width;
static bool number_width(const pattern_item *item, width *of) {
    switch (item->letter) {
    case 'y':
        *of = item->count == 2 ? (width){2, 2, false} : (width){item->count, 19, item->count >= 4};
        return true;
    case 'M': case 'L':
        if (item->count > 2)
            return false; /* fall through */
    case 'd': case 'H': case 'h': case 'm': case 's':
        *of = item->count == 1 ? (width){1, 19, false} : (width){2, 2, false};
        return true;
    case 'S':
        *of = (width){1, item->count, false};
        return true;
    case 'D':
        *of = item->count == 1 ? (width){1, 19, false} : (width){item->count, 3, false};
        return true;
    default: return false;
    }
}

/* Digits that adjacent fixed-width numbers after this one need (java.time's adjacent value parsing). */
static int needed_behind(const pattern *pattern, int at) {
    int needed = 0;
    width of;
    for (int i = at + 1; i < pattern->count && number_width(&pattern->items[i], &of) && of.least == of.most && pattern->items[i].letter != 'S'; i++)
        needed += of.least;
    return needed;
}

static int count_digits(const char *at, const char *end, int most) {
    int count = 0;
    while (count < most && at + count < end && at[count] >= '0' && at[count] <= '9')
        count++;
    return count;
}

static bool in_range(parsed_fields *into, char letter, int64_t value, int least, int most) {
    if (value >= least && value <= most)
        return true;
    if (value > 999999999)
        into->wrong_count = WRONG_MOST;
    if (into->goes_on && into->wrong_count < WRONG_MOST) {
        into->wrong_value = into->wrong_count ? into->wrong_value : value;
        into->wrong[into->wrong_count++] = letter;
    }
    return into->goes_on;
}

static bool set_number(parsed_fields *into, char letter, int count, int64_t value) {
    clock_time *clock = &into->clock;
    switch (letter) {
    case 'y': return take(into, YEAR, &clock->year, count == 2 ? 2000 + value : value);
    case 'M': case 'L': return in_range(into, 'M', value, 1, 12) && take_int(into, MONTH, &clock->month, value);
    case 'd': return in_range(into, 'd', value, 1, 31) && take_int(into, DAY, &clock->day, value);
    case 'D': return in_range(into, 'D', value, 1, 366) && take_int(into, DAY_OF_YEAR, &into->day_of_year, value);
    case 'H': return in_range(into, 'H', value, 0, 23) && take_int(into, HOUR, &clock->hour, value);
    case 'h': return in_range(into, 'h', value, 1, 12) && take_int(into, HALF_HOUR, &into->half_hour, value % 12);
    case 'm': return in_range(into, 'm', value, 0, 59) && take_int(into, MINUTE, &clock->minute, value);
    default: return in_range(into, 's', value, 0, 59) && take_int(into, SECOND, &clock->second, value);
    }
}

static const char *read_number(const pattern *pattern, int item, const char *at, const char *end, parsed_fields *into) {
    width of;
    const pattern_item *asked = &pattern->items[item];
    number_width(asked, &of);
    bool sign = at < end && (*at == '+' || *at == '-'), negative = sign && *at == '-';
    if (sign && (asked->letter != 'y' || of.least == of.most || (!negative && !of.pads)))
        return NULL;
    at += sign;
    int behind = of.least == of.most || asked->letter == 'S' ? 0 : needed_behind(pattern, item);
    int digits = count_digits(at, end, of.most + behind);
    if (behind)
        digits = digits - behind > of.least ? digits - behind : of.least < digits ? of.least : digits;
    if (digits > of.most)
        digits = of.most;
    if (digits < of.least || digits > 18)
        return NULL;
    if (of.pads && !negative && (sign ? digits <= of.least : digits > of.least))
        return NULL; /* a plus is required before more digits than the pattern pads to, and not allowed otherwise */
    int64_t value = 0;
    for (int i = 0; i < digits; i++)
        value = value * 10 + at[i] - '0';
    if (negative && !value)
        return NULL;
    if (asked->letter == 'S') {
        for (int i = digits; i < 9; i++)
            value *= 10;
        return take(into, NANO, &into->clock.nano, value) ? at + digits : NULL;
    }
    return set_number(into, asked->letter, asked->count, negative ? -value : value) ? at + digits : NULL;
}

static bool same_letters(const char *at, const char *end, const char *word, size_t length) {
    if ((size_t)(end - at) < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((at[i] | 0x20) != (word[i] | 0x20))
            return false;
    return true;
}

static const char *read_month(int count, const char *at, const char *end, parsed_fields *into) {
    for (int i = 0; i < 12; i++) {
        size_t length = count == 3 ? 3 : strlen(month_names[i]);
        if (same_letters(at, end, month_names[i], length))
            return take_int(into, MONTH, &into->clock.month, i + 1) ? at + length : NULL;
    }
    return NULL;
}

static const char *read_half(const char *at, const char *end, parsed_fields *into) {
    bool morning = same_letters(at, end, "AM", 2);
    if (!morning && !same_letters(at, end, "PM", 2))
        return NULL;
    return take_int(into, NOON, &into->noon, morning ? 0 : 1) ? at + 2 : NULL;
}

static bool two(const char *at, const char *end, int *value) {
    if (end - at < 2 || count_digits(at, end, 2) < 2)
        return false;
    *value = (at[0] - '0') * 10 + at[1] - '0';
    return true;
}

/* XXX, xxx: +hh:mm; XX, xx, Z: +hhmm; X alone: +hh with optional mm. */
static const char *read_offset(const pattern_item *item, const char *at, const char *end, parsed_fields *into) {
    int hour, minute = 0, n = item->letter == 'Z' ? 2 : item->count;
    if (item->letter == 'X' && at < end && (*at | 0x20) == 'z') {
        into->present |= OFFSET;
        into->offset = 0;
        return at + 1;
    }
    if (at == end || (*at != '+' && *at != '-') || !two(at + 1, end, &hour))
        return NULL;
    bool negative = *at == '-';
    at += 3;
    if (n == 1)
        at += two(at, end, &minute) ? 2 : 0;
    else {
        if (n == 3 && (at == end || *at++ != ':'))
            return NULL;
        if (!two(at, end, &minute))
            return NULL;
        at += 2;
    }
    int32_t seconds = hour * 3600 + minute * 60;
    if (hour > 18 || minute > 59 || seconds > 18 * 3600)
        return NULL;
    into->present |= OFFSET;
    into->offset = negative ? -seconds : seconds;
    return at;
}

/* zzz: the short name of a zone (ZoneTextPrinterParser); those that end the text and are not parts of other names. */
static const char *read_zone_name(const char *at, const char *end, parsed_fields *into) {
    static const struct { const char *name, *region; } known[] = {
        {"UTC", "UTC"}, {"GMT", "GMT"}, {"PST", "America/Los_Angeles"}, {"PDT", "America/Los_Angeles"},
        {"MST", "America/Denver"}, {"MDT", "America/Denver"}, {"CST", "America/Chicago"}, {"CDT", "America/Chicago"},
        {"EST", "America/New_York"}, {"EDT", "America/New_York"}};
    if (at == end || (*at >= '0' && *at <= '9'))
        return NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (end - at == 3 && same_letters(at, end, known[i].name, 3)) {
            into->present |= ZONE;
            into->zone = plain_text(known[i].region);
            return end;
        }
    into->is_unknown = true;
    return NULL;
}

static const char *read_literal(uint32_t code, const char *at, const char *end) {
    if (at == end)
        return NULL;
    uint32_t found = character_at(at);
    bool letter = (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
    if (found != code && !(letter && (found | 0x20) == (code | 0x20)))
        return NULL;
    return at + character_bytes((unsigned char)*at);
}

static const char *read_item(const pattern *pattern, int item, const char *at, const char *end, parsed_fields *into) {
    const pattern_item *asked = &pattern->items[item];
    switch (asked->letter) {
    case 0: return read_literal(asked->code, at, end);
    case 'a': return read_half(at, end, into);
    case 'X': case 'x': case 'Z': return read_offset(asked, at, end, into);
    case 'z': return read_zone_name(at, end, into);
    case 'M': case 'L':
        if (asked->count > 2)
            return read_month(asked->count, at, end, into);
        return read_number(pattern, item, at, end, into);
    default: return read_number(pattern, item, at, end, into);
    }
}

/* An optional section that does not match is ignored. Returns the item after the section, -1 if a required item failed. */
int read_items(const pattern *pattern, int item, const char **at, const char *end, parsed_fields *into, bool optional) {
    while (item < pattern->count && !(pattern->items[item].letter == ']' && optional)) {
        if (pattern->items[item].letter == '[') {
            const char *saved = *at;
            parsed_fields before = *into;
            int depth = 0, close = item;
            do
                depth += pattern->items[close].letter == '[' ? 1 : pattern->items[close].letter == ']' ? -1 : 0;
            while (depth > 0 && ++close < pattern->count);
            if (read_items(pattern, item + 1, at, end, into, true) < 0) {
                *at = saved;
                before.is_unknown = into->is_unknown;
                *into = before;
            }
            item = close + 1;
            continue;
        }
        const char *next = read_item(pattern, item, *at, end, into);
        if (!next)
            return -1;
        *at = next;
        item++;
    }
    return item;
}

/* A fraction of variable width takes all the digits it can: it is not part of adjacent value parsing. */
static bool is_fraction(const pattern_item *item) { return item->letter == 'S' && item->count > 1; }

/* A zone's name and an offset in one pattern: which one counts is left to Java. */
static bool has_two_zones(const pattern *pattern) {
    int names = 0, offsets = 0;
    for (int i = 0; i < pattern->count; i++) {
        names += pattern->items[i].letter == 'z';
        offsets += pattern->items[i].letter && strchr("XxZ", pattern->items[i].letter);
    }
    return names > 1 || (names && offsets);
}

/* A number of variable width right after another number. */
static bool extends_number(const pattern_item *item, const pattern_item *last) {
    width of, before = {0};
    if (!number_width(last, &before) || is_fraction(last) || !number_width(item, &of) || is_fraction(item))
        return false;
    return of.least != of.most || last->letter == 'S' || (item->letter == 'S' && before.least != before.most);
}

/* Letters, counts and neighbours that the code above reads as Java does. */
bool readable(const pattern *pattern) {
    if (has_two_zones(pattern))
        return false;
    for (int i = 0; i < pattern->count; i++) {
        const pattern_item *item = &pattern->items[i];
        bool number = item->letter && strchr("ydHhmsSMLD", item->letter), offset = item->letter && strchr("XxZ", item->letter);
        if (item->letter && !number && !offset && !strchr("az[]", item->letter))
            return false;
        if (offset && (item->letter == 'Z' ? item->count > 3 : item->count > 3))
            return false;
        if (item->letter == 0 && item->code > 127)
            return false; /* whose other case Java would take too */
        if (i && item->letter == 'S' && pattern->items[i - 1].letter && !strchr("s[", pattern->items[i - 1].letter))
            return false;
        if (i && extends_number(item, &pattern->items[i - 1]))
            return false;
    }
    return true;
}

/* The n-th day of a year; a month and a day that were read as well must be the same. */
static bool resolve_day(const parsed_fields *fields, int64_t year, int64_t *days) {
    int64_t same;
    int month, day;
    *days = days_from_civil(year, 1, 1) + fields->day_of_year - 1;
    civil_from_days(*days, &same, &month, &day);
    return same == year && (!(fields->present & MONTH) || month == fields->clock.month) &&
           (!(fields->present & DAY) || day == fields->clock.day);
}

/* Fields to a local second; defaults are 1970-01-01 00:00:00, an hour without am or pm is before noon. */
static bool resolve(const parsed_fields *fields, int64_t *second) {
    int has = fields->present;
    int64_t year = has & YEAR ? fields->clock.year : 1970;
    int month = has & MONTH ? fields->clock.month : 1, day = has & DAY ? fields->clock.day : 1;
    int64_t days;
    if (year < -999999999 || year > 999999999)
        return false;
    if (has & DAY_OF_YEAR ? !resolve_day(fields, year, &days) : day > days_of_month(year, month))
        return false;
    if (!(has & DAY_OF_YEAR))
        days = days_from_civil(year, month, day);
    int hour = has & HOUR ? fields->clock.hour : has & HALF_HOUR ? fields->half_hour + 12 * (has & NOON ? fields->noon : 0)
                                                                 : has & NOON && fields->noon ? 12 : 0;
    if (has & HOUR && ((has & NOON && hour / 12 != fields->noon) || (has & HALF_HOUR && hour % 12 != fields->half_hour)))
        return false;
    int minute = has & MINUTE ? fields->clock.minute : 0, rest = has & SECOND ? fields->clock.second : 0;
    *second = days * 86400 + hour * 3600 + minute * 60 + rest;
    return true;
}

/* --- patterns of fixed width: yyyy, two digits of another field, signs between them --- */

static int *fixed_field(clock_time *clock, char letter) {
    switch (letter) {
    case 'M': return &clock->month;
    case 'd': return &clock->day;
    case 'H': return &clock->hour;
    case 'm': return &clock->minute;
    case 's': return &clock->second;
    default: return NULL;
    }
}

/* How long a text of the pattern is; 0: it has no fixed length, or a field occurs twice. */
static uint32_t fixed_length(const pattern *pattern) {
    uint32_t length = 0;
    for (int i = 0; i < pattern->count; i++) {
        const pattern_item *item = &pattern->items[i];
        clock_time clock;
        bool number = item->letter == 'y' ? item->count == 4 : fixed_field(&clock, item->letter) && item->count == 2;
        bool sign = !item->letter && item->code < 128 && !(item->code >= '0' && item->code <= '9');
        for (int before = 0; number && before < i; before++)
            number = pattern->items[before].letter != item->letter;
        if (!number && !sign)
            return 0;
        length += number ? item->count : 1;
    }
    return length;
}

static bool read_digits(const char *at, int count, int *number) {
    *number = 0;
    for (int i = 0; i < count; i++) {
        unsigned digit = (unsigned)(unsigned char)at[i] - '0';
        if (digit > 9)
            return false;
        *number = *number * 10 + (int)digit;
    }
    return true;
}

/* A text as long as the pattern, all of it as the pattern has it; what is not is read again, field by field. */
static bool read_fixed(const pattern *pattern, const char *at, int64_t *second) {
    clock_time clock = {.month = 1, .day = 1};
    int year = 1970, *field;
    for (int i = 0; i < pattern->count; i++) {
        const pattern_item *item = &pattern->items[i];
        if (!item->letter && (unsigned char)*at++ != item->code)
            return false;
        if (!item->letter)
            continue;
        field = item->letter == 'y' ? &year : fixed_field(&clock, item->letter);
        if (!read_digits(at, item->count, field))
            return false;
        at += item->count;
    }
    if (year < 1 || clock.month < 1 || clock.month > 12 || clock.day < 1 || clock.day > days_of_month(year, clock.month) ||
        clock.hour > 23 || clock.minute > 59 || clock.second > 59)
        return false;
    *second = days_from_civil(year, clock.month, clock.day) * 86400 + clock.hour * 3600 + clock.minute * 60 + clock.second;
    return true;
}

enum outcome { FITS, DIFFERS, OVERFLOWS, ONLY_JAVA };

static enum outcome parse_text(const pattern *pattern, text value, const zone_rules *rules, int64_t *micros) {
    parsed_fields fields = {0};
    const char *at = value.bytes, *end = value.bytes + value.length;
    int64_t second;
    bool fits_items = read_items(pattern, 0, &at, end, &fields, false) >= 0 && at == end;
    if (fields.is_unknown)
        return ONLY_JAVA;
    if (!fits_items || !resolve(&fields, &second))
        return DIFFERS;
    zone_rules named;
    if (rules && fields.present & ZONE) {
        if (find_zone(fields.zone, &named) != ZONE_KNOWN)
            return ONLY_JAVA;
        rules = &named;
    }
    if (rules)
        second -= fields.present & OFFSET ? fields.offset : offset_of_local(rules, second);
    int64_t micro = fields.present & NANO ? fields.clock.nano / 1000 : 0;
    bool fits = !__builtin_mul_overflow(second, (int64_t)1000000, micros) && !__builtin_add_overflow(*micros, micro, micros);
    return fits ? FITS : OVERFLOWS;
}

static bool same_text(text left, text right) { return left.length == right.length && !memcmp(left.bytes, right.bytes, left.length); }

static void parse_rows(native_call *call) {
    pattern compiled;
    text last = {NULL, UINT32_MAX}, last_zone = {NULL, 0};
    zone_rules rules = {0};
    uint32_t length = 0;
    bool zoned = call->arguments == 3;
    EACH_ROW(call, row) {
        text given = argument_text(call, 1, row), zone = zoned ? argument_text(call, 2, row) : (text){NULL, 0};
        if (!same_text(given, last) || (zoned && !same_text(zone, last_zone))) {
            if (!read_pattern(given, &compiled) || !readable(&compiled) || (zoned && find_zone(zone, &rules) != ZONE_KNOWN)) {
                fall_back(call, "DATETIME_PATTERN", "a pattern that only Spark reads");
                continue;
            }
            last = given;
            last_zone = zone;
            length = fixed_length(&compiled);
        }
        text value = argument_text(call, 0, row);
        int64_t second;
        if (length && value.length == length && read_fixed(&compiled, value.bytes, &second)) {
            RESULT(call, int64_t)[row] = (second - (zoned ? offset_of_local(&rules, second) : 0)) * 1000000;
            continue;
        }
        enum outcome how = parse_text(&compiled, value, zoned ? &rules : NULL, &RESULT(call, int64_t)[row]);
        if (how == ONLY_JAVA)
            fall_back(call, "DATETIME_PATTERN", "the name of a time zone that only Spark reads");
        else if (how == OVERFLOWS || (how == DIFFERS && call->function->extra))
            fall_back(call, "DATETIME_PATTERN", "a text that does not fit its pattern");
        else if (how == DIFFERS)
            set_null(call, row);
    }
}

const native_function parse_functions[] = {
    {"spark_parse_timestamp", "vvv>Z", parse_rows, NULL},
    {"spark_parse_timestamp_ansi", "vvv>Z", parse_rows, ""},
    {"spark_parse_timestamp_ntz", "vv>T", parse_rows, NULL},
    {NULL}};
