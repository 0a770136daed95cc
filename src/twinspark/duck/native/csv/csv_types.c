/* Classifies a CSV value for schema inference (CSVInferSchema), as far as that is fast.
 *
 * SQL spelling: spark_csv_kind(text, own_formats): a bit of the enumeration; 0 for an empty value, -1 if SQL must test it further.
 * With user-defined formats for dates or timestamps, only numbers are classified. */
#include "core/native.h"

enum { LOOK_CLOSER = -1, NOTHING = 0, INTEGER = 1, DOUBLE = 8, DATE = 16, TIMESTAMP = 32, BOOLEAN = 64, STRING = 128 };
enum { DATE_LENGTH = 10, MOMENT_LENGTH = 19, SURE_DIGITS = 9 };

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

static uint32_t past_digits(text value, uint32_t at) {
    while (at < value.length && is_digit(value.bytes[at]))
        at++;
    return at;
}

static int number_kind(text value) {
    uint32_t first = value.bytes[0] == '+' || value.bytes[0] == '-';
    uint32_t at = past_digits(value, first);
    if (at == value.length)
        return at > first && at - first <= SURE_DIGITS ? INTEGER : LOOK_CLOSER;
    if (value.bytes[at] != '.')
        return LOOK_CLOSER;
    uint32_t end = past_digits(value, at + 1);
    return end == value.length && end > at + 1 ? DOUBLE : LOOK_CLOSER;
}

/* Whether there are digits where the form has zeros, and otherwise the form's characters. */
static bool has_form(const char *bytes, const char *form) {
    for (; *form; form++, bytes++)
        if (*form == '0' ? !is_digit(*bytes) : *bytes != *form)
            return false;
    return true;
}

static inline int two_digits(const char *bytes) { return (bytes[0] - '0') * 10 + bytes[1] - '0'; }

static bool is_date(const char *bytes) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (!has_form(bytes, "0000-00-00"))
        return false;
    int year = two_digits(bytes) * 100 + two_digits(bytes + 2), month = two_digits(bytes + 5), day = two_digits(bytes + 8);
    if (year < 1 || month < 1 || month > 12)
        return false;
    bool leaps = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return day >= 1 && day <= days[month - 1] + leaps;
}

/* After the seconds: up to six digits of a fraction, and the zone Z. */
static bool ends_moment(text value) {
    uint32_t at = MOMENT_LENGTH;
    if (at < value.length && value.bytes[at] == '.') {
        uint32_t end = past_digits(value, at + 1);
        if (end == at + 1 || end > at + 7)
            return false;
        at = end;
    }
    return at == value.length || (at + 1 == value.length && value.bytes[at] == 'Z');
}

static bool is_moment(text value) {
    const char *time = value.bytes + DATE_LENGTH;
    return value.length >= MOMENT_LENGTH && is_date(value.bytes) && (*time == ' ' || *time == 'T') &&
           has_form(time + 1, "00:00:00") && two_digits(time + 1) < 24 && two_digits(time + 4) < 60 && two_digits(time + 7) < 60 &&
           ends_moment(value);
}

static bool is_word(text value, const char *word) {
    return value.length == strlen(word) && !strncasecmp(value.bytes, word, value.length);
}

static bool begins(text value, const char *with) {
    size_t length = strlen(with);
    return value.length >= length && !memcmp(value.bytes, with, length);
}

/* Values that begin with a letter are no numbers except NaN and infinity, and no timestamps except a time after a T. */
static int word_kind(text value) {
    char first = value.bytes[0];
    if (first != '_' && !(first >= 'A' && first <= 'Z') && !(first >= 'a' && first <= 'z'))
        return LOOK_CLOSER;
    if (is_word(value, "true") || is_word(value, "false"))
        return BOOLEAN;
    bool is_time = first == 'T' && value.length > 1 && is_digit(value.bytes[1]);
    return begins(value, "NaN") || begins(value, "Inf") || is_time ? LOOK_CLOSER : STRING;
}

static int kind_of(text value, bool own_formats) {
    if (!value.length)
        return NOTHING;
    int found = number_kind(value);
    if (found != LOOK_CLOSER || own_formats)
        return found;
    if (value.length == DATE_LENGTH && is_date(value.bytes))
        return DATE;
    return is_moment(value) ? TIMESTAMP : word_kind(value);
}

static void kind_rows(native_call *call) {
    EACH_ROW(call, row)
    RESULT(call, int32_t)[row] = kind_of(argument_text(call, 0, row), ARGUMENT(call, int32_t, 1)[row] != 0);
}

const native_function csv_kind_functions[] = {{"spark_csv_kind", "vi>i", kind_rows, NULL}, {NULL}};
