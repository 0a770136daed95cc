/* Strings to dates and timestamps by Spark's rules (SparkDateTimeUtils), and local time to instants and back by Java's.
 *
 * SQL spelling; without suffix NULL when malformed (try_cast, and cast without ANSI), with _ansi CAST_INVALID_INPUT:
 *     spark_string_to_date(s), spark_string_to_date_ansi(s)
 *     spark_string_to_timestamp_ntz(s), spark_string_to_timestamp_ntz_ansi(s)
 *     spark_string_to_timestamp(s, zone), spark_string_to_timestamp_ansi(s, zone)      zone: the session's, a constant
 *     spark_string_to_time(s), spark_string_to_time_ansi(s)    nanoseconds of the day, AM or PM if written
 *     spark_local_to_instant(timestamp, zone)     TIMESTAMP_NTZ to TIMESTAMP
 *     spark_instant_to_local(timestamptz, zone)   TIMESTAMP to TIMESTAMP_NTZ
 *     spark_date_to_instant(date, zone)           DATE to TIMESTAMP
 *     spark_date_to_string(date)                  years over 9999 and under 0 too
 *     spark_time_to_string(nanoseconds)           a time of day, its fraction without zeros at the end */
#include "time/zone.h"
#include <stdio.h>
#include <time.h>

static const int64_t micros_of_second = 1000000;

static inline bool blank(char byte) { return (unsigned char)byte <= ' ' || byte == 0x7F; }

static text trimmed(text value) {
    while (value.length && blank(value.bytes[0]))
        value = (text){value.bytes + 1, value.length - 1};
    while (value.length && blank(value.bytes[value.length - 1]))
        value.length--;
    return value;
}

static bool valid_date(int64_t year, int month, int day) {
    return month >= 1 && month <= 12 && day >= 1 && day <= days_of_month(year, month);
}

/* [+-]yyyy[-m[-d]], anything after a blank or T that follows the day. */
static bool parse_date(text value, int32_t *result) {
    value = trimmed(value);
    if (!value.length)
        return false;
    bool negative = value.bytes[0] == '-';
    uint32_t at = negative || value.bytes[0] == '+';
    int64_t part[3] = {1, 1, 1}, sum = 0;
    int place = 0, digits = 0;
    for (; at < value.length && value.bytes[at] != ' ' && value.bytes[at] != 'T'; at++) {
        char byte = value.bytes[at];
        bool dash = place < 2 && byte == '-';
        if (!dash && (byte < '0' || byte > '9'))
            return false;
        if (!dash) {
            if (++digits > 7)
                return false;
            sum = sum * 10 + byte - '0';
            continue;
        }
        if (place == 0 ? digits < 4 : digits < 1 || digits > 2)
            return false;
        part[place++] = sum;
        sum = digits = 0;
    }
    if ((place == 0 ? digits < 4 : digits < 1 || digits > 2) || (place < 2 && at < value.length))
        return false;
    part[place] = sum;
    if (negative)
        part[0] = -part[0];
    if (!valid_date(part[0], (int)part[1], (int)part[2]))
        return false;
    int64_t days = days_from_civil(part[0], (int)part[1], (int)part[2]);
    *result = (int32_t)days;
    return days == (int32_t)days;
}

/* --- timestamps --- */

typedef struct { int64_t part[7]; text zone; bool zoned, just_time; } timestamp_text; /* year month day hour minute second micro */

static bool valid_digits(int place, int digits) {
    return place == 6 || (place == 0 ? digits >= 4 && digits <= 6 : digits >= 1 && digits <= 2);
}

/* Reads one part after the other; `place` is the part that the digits at hand belong to. */
static bool parse_timestamp(text given, timestamp_text *into) {
    text value = trimmed(given);
    *into = (timestamp_text){.part = {1, 1, 1, 0, 0, 0, 0}};
    if (!value.length)
        return false;
    bool sign = value.bytes[0] == '-' || value.bytes[0] == '+', starts_text = value.bytes == given.bytes;
    int place = 0, digits = 0, fraction = 0;
    int64_t sum = 0;
    for (uint32_t at = sign; at < value.length; at++) {
        char byte = value.bytes[at];
        if (byte >= '0' && byte <= '9') {
            if (place == 6)
                fraction++;
            if (place == 6 ? digits < 6 : digits < 9) /* a fraction is truncated to six digits */
                sum = sum * 10 + byte - '0';
            digits++;
            continue;
        }
        if (at == 0 && byte == 'T' && starts_text) {
            into->just_time = true;
            place = 3;
            continue;
        }
        bool clock = place == 0 && byte == ':' && !sign; /* a time alone */
        if (clock) {
            into->just_time = true;
            place = 3;
        }
        bool follows = (place < 2 && byte == '-') || (place == 2 && (byte == ' ' || byte == 'T')) ||
                       ((place == 3 || place == 4) && byte == ':') || (place == 5 && byte == '.');
        bool zone = !follows && (place == 5 || place == 6);
        if ((!follows && !zone) || !valid_digits(place, digits))
            return false;
        into->part[place++] = sum;
        sum = digits = 0;
        if (zone) {
            into->zoned = true;
            into->zone = (text){value.bytes + at, value.length - at};
            place = 7;
            break;
        }
    }
    if (place < 7) {
        if (!valid_digits(place, digits))
            return false;
        into->part[place] = sum;
    }
    for (; fraction < 6; fraction++)
        into->part[6] *= 10;
    if (sign && value.bytes[0] == '-')
        into->part[0] = -into->part[0];
    return true;
}

/* false: not a date or time of the calendar. */
static bool local_second(const timestamp_text *parsed, int64_t *second) {
    const int64_t *part = parsed->part;
    if (part[3] > 23 || part[4] > 59 || part[5] > 59)
        return false;
    if (!parsed->just_time && !valid_date(part[0], (int)part[1], (int)part[2]))
        return false;
    int64_t days = parsed->just_time ? 0 : days_from_civil(part[0], (int)part[1], (int)part[2]);
    *second = days * 86400 + part[3] * 3600 + part[4] * 60 + part[5];
    return true;
}

static bool to_micros(int64_t second, int64_t micro, int64_t *result) {
    return !__builtin_mul_overflow(second, micros_of_second, result) && !__builtin_add_overflow(*result, micro, result);
}

static int64_t floor_second(int64_t micros) {
    return micros / micros_of_second - (micros % micros_of_second < 0);
}

static int64_t second_of_today(const zone_rules *rules) {
    int64_t now = (int64_t)time(NULL), local = now + offset_of_instant(rules, now);
    return (local / 86400 - (local % 86400 < 0)) * 86400;
}

enum parsed { MALFORMED, PARSED, FALLS_BACK };

/* After a timestamp a zone may have blanks around it (Java's String.trim); alone it may not. */
static text zone_name(text name) {
    while (name.length && (unsigned char)name.bytes[0] <= ' ')
        name = (text){name.bytes + 1, name.length - 1};
    while (name.length && (unsigned char)name.bytes[name.length - 1] <= ' ')
        name.length--;
    return name;
}

static enum parsed parse_ntz(text value, int64_t *micros) {
    timestamp_text parsed;
    zone_rules rules;
    int64_t second;
    if (!parse_timestamp(value, &parsed) || parsed.just_time)
        return MALFORMED;
    if (parsed.zoned) {
        enum zone_kind kind = find_zone(zone_name(parsed.zone), &rules);
        if (kind != ZONE_KNOWN)
            return kind == ZONE_UNKNOWN ? MALFORMED : FALLS_BACK;
    }
    return local_second(&parsed, &second) && to_micros(second, parsed.part[6], micros) ? PARSED : MALFORMED;
}

static enum parsed parse_instant(text value, const zone_rules *session, int64_t *micros) {
    timestamp_text parsed;
    zone_rules rules = *session;
    int64_t second;
    if (!parse_timestamp(value, &parsed))
        return MALFORMED;
    if (parsed.zoned) {
        enum zone_kind kind = find_zone(zone_name(parsed.zone), &rules);
        if (kind != ZONE_KNOWN)
            return kind == ZONE_UNKNOWN ? MALFORMED : FALLS_BACK;
    }
    if (!local_second(&parsed, &second))
        return MALFORMED;
    if (parsed.just_time)
        second += second_of_today(&rules);
    return to_micros(second - offset_of_local(&rules, second), parsed.part[6], micros) ? PARSED : MALFORMED;
}

/* A time alone, without a zone; the last two letters may say which half of the day (SparkDateTimeUtils.stringToTime). */
static bool parse_time(text value, int64_t *nanos) {
    while (value.length && value.bytes[value.length - 1] == ' ')
        value.length--;
    const char *last = value.bytes + value.length;
    bool half = value.length > 2 && (last[-1] | 32) == 'm' && ((last[-2] | 32) == 'a' || (last[-2] | 32) == 'p');
    bool noon = half && (last[-2] | 32) == 'p';
    timestamp_text parsed;
    if (!parse_timestamp((text){value.bytes, value.length - 2 * half}, &parsed) || !parsed.just_time || parsed.zoned)
        return false;
    int64_t *part = parsed.part, second;
    if (half && (part[3] < 1 || part[3] > 12))
        return false;
    if (half)
        part[3] = part[3] % 12 + 12 * noon;
    if (!local_second(&parsed, &second))
        return false;
    *nanos = (second * micros_of_second + part[6]) * 1000;
    return true;
}

/* --- kernels --- */

static void refuse(native_call *call, idx_t row, text value, enum parsed why, const char *target) {
    if (why == FALLS_BACK)
        fall_back(call, "TIME_ZONE", "a zone in a text");
    else if (call->function->extra)
        cast_invalid_input(call, value, target);
    else
        set_null(call, row);
}

static void date_rows(native_call *call) {
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        if (!parse_date(value, &RESULT(call, int32_t)[row]))
            refuse(call, row, value, MALFORMED, "DATE");
    }
}

static void ntz_rows(native_call *call) {
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        enum parsed how = parse_ntz(value, &RESULT(call, int64_t)[row]);
        if (how != PARSED)
            refuse(call, row, value, how, "TIMESTAMP_NTZ");
    }
}

static void time_rows(native_call *call) {
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        if (!parse_time(value, &RESULT(call, int64_t)[row]))
            refuse(call, row, value, MALFORMED, "TIME(6)");
    }
}

/* The session's zone is a constant, so it is looked up again only when its text changes. */
typedef struct { char name[80]; uint32_t length; zone_rules rules; } zone_memory;

static bool session_zone(native_call *call, int argument, idx_t row, zone_memory *memory) {
    text name = argument_text(call, argument, row);
    if (memory->length == name.length && !memcmp(memory->name, name.bytes, name.length))
        return true;
    if (name.length >= sizeof memory->name || find_zone(name, &memory->rules) != ZONE_KNOWN) {
        fall_back(call, "TIME_ZONE", "a zone in a text");
        return false;
    }
    memcpy(memory->name, name.bytes, name.length);
    memory->length = name.length;
    return true;
}

static void timestamp_rows(native_call *call) {
    zone_memory memory = {.length = UINT32_MAX};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        if (!session_zone(call, 1, row, &memory))
            continue;
        enum parsed how = parse_instant(value, &memory.rules, &RESULT(call, int64_t)[row]);
        if (how != PARSED)
            refuse(call, row, value, how, "TIMESTAMP");
    }
}

static void overflow(native_call *call) {
    spark_error(call, "ARITHMETIC_OVERFLOW", "message", "long overflow", "alternative", "", "config", ANSI_CONFIG, NULL);
}

static void local_to_instant_rows(native_call *call) {
    zone_memory memory = {.length = UINT32_MAX};
    EACH_ROW(call, row) {
        int64_t local = ARGUMENT(call, int64_t, 0)[row];
        if (!session_zone(call, 1, row, &memory))
            continue;
        int64_t offset = offset_of_local(&memory.rules, floor_second(local)) * micros_of_second;
        if (__builtin_sub_overflow(local, offset, &RESULT(call, int64_t)[row]))
            overflow(call);
    }
}

static void instant_to_local_rows(native_call *call) {
    zone_memory memory = {.length = UINT32_MAX};
    EACH_ROW(call, row) {
        int64_t instant = ARGUMENT(call, int64_t, 0)[row];
        if (!session_zone(call, 1, row, &memory))
            continue;
        int64_t offset = offset_of_instant(&memory.rules, floor_second(instant)) * micros_of_second;
        if (__builtin_add_overflow(instant, offset, &RESULT(call, int64_t)[row]))
            overflow(call);
    }
}

/* Midnight, or the first instant after a gap. */
static void date_to_instant_rows(native_call *call) {
    zone_memory memory = {.length = UINT32_MAX};
    EACH_ROW(call, row) {
        int64_t second = (int64_t)ARGUMENT(call, int32_t, 0)[row] * 86400;
        if (!session_zone(call, 1, row, &memory))
            continue;
        if (!to_micros(second - offset_of_local(&memory.rules, second), 0, &RESULT(call, int64_t)[row]))
            overflow(call);
    }
}

/* java.time.LocalDate.toString: four digits at least, a plus before five. */
static void date_text_rows(native_call *call) {
    char buffer[40];
    EACH_ROW(call, row) {
        int64_t year;
        int month, day;
        civil_from_days(ARGUMENT(call, int32_t, 0)[row], &year, &month, &day);
        const char *sign = year < 0 ? "-" : year > 9999 ? "+" : "";
        int length = snprintf(buffer, sizeof buffer, "%s%04lld-%02d-%02d", sign, (long long)(year < 0 ? -year : year), month, day);
        set_text(call, row, buffer, (size_t)length);
    }
}

static void time_text_rows(native_call *call) {
    char buffer[40];
    EACH_ROW(call, row) {
        int64_t nanos = ARGUMENT(call, int64_t, 0)[row], second = nanos / 1000000000;
        int length = snprintf(buffer, sizeof buffer, "%02d:%02d:%02d.%09d", (int)(second / 3600), (int)(second / 60 % 60),
                              (int)(second % 60), (int)(nanos % 1000000000));
        while (buffer[length - 1] == '0' && length > 9)
            length--;
        set_text(call, row, buffer, (size_t)(length == 9 ? 8 : length));
    }
}

const native_function datetime_functions[] = {
    {"spark_string_to_date", "v>D", date_rows, NULL},
    {"spark_string_to_date_ansi", "v>D", date_rows, ""},
    {"spark_string_to_timestamp_ntz", "v>T", ntz_rows, NULL},
    {"spark_string_to_timestamp_ntz_ansi", "v>T", ntz_rows, ""},
    {"spark_string_to_timestamp", "vv>Z", timestamp_rows, NULL},
    {"spark_string_to_timestamp_ansi", "vv>Z", timestamp_rows, ""},
    {"spark_string_to_time", "v>l", time_rows, NULL},
    {"spark_string_to_time_ansi", "v>l", time_rows, ""},
    {"spark_local_to_instant", "Tv>Z", local_to_instant_rows, NULL},
    {"spark_instant_to_local", "Zv>T", instant_to_local_rows, NULL},
    {"spark_date_to_instant", "Dv>Z", date_to_instant_rows, NULL},
    {"spark_date_to_string", "D>v", date_text_rows, NULL},
    {"spark_time_to_string", "l>v", time_text_rows, NULL},
    {NULL}};
