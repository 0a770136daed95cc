/* Strings to numbers and booleans, numbers to strings, and round: by Spark's rules (UTF8String, Cast, RoundBase).
 *
 * SQL spelling, T = tinyint | smallint | int | bigint | float | double | boolean:
 *     spark_string_to_T(s)            try_cast: NULL when the text is malformed
 *     spark_string_to_T_ansi(s)       cast under ANSI: raises CAST_INVALID_INPUT
 *     spark_string_to_T_legacy(s)     cast without ANSI, whole numbers only: "12.7" is 12
 *     spark_double_to_string(d), spark_float_to_string(f)     Java's text
 *     spark_round(d, scale), spark_bround(d, scale), spark_round_float(f, scale), spark_bround_float(f, scale) */
#include "numbers/rounded.h"
#include "numbers/shortest.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

typedef struct { const char *target; bool raise, fraction; int64_t lowest; } cast_rule;

/* Character.isWhitespace or isISOControl of one byte; bytes of longer characters are neither. */
static inline bool trimmed_byte(char byte) { return (unsigned char)byte <= ' ' || byte == 0x7F; }

static text trim_all(text value) {
    while (value.length && trimmed_byte(value.bytes[0]))
        value = (text){value.bytes + 1, value.length - 1};
    while (value.length && trimmed_byte(value.bytes[value.length - 1]))
        value.length--;
    return value;
}

/* java.lang.String.trim. */
text java_trim(text value) {
    while (value.length && (unsigned char)value.bytes[0] <= ' ')
        value = (text){value.bytes + 1, value.length - 1};
    while (value.length && (unsigned char)value.bytes[value.length - 1] <= ' ')
        value.length--;
    return value;
}

static void malformed(native_call *call, idx_t row, text value) {
    const cast_rule *rule = call->function->extra;
    if (rule->raise)
        cast_invalid_input(call, value, rule->target);
    else
        set_null(call, row);
}

/* Summed up below zero, since the smallest number has no positive counterpart. */
static bool parse_whole(text value, const cast_rule *rule, int64_t *result) {
    value = trim_all(value);
    if (!value.length)
        return false;
    bool negative = value.bytes[0] == '-';
    uint32_t at = negative || value.bytes[0] == '+';
    if (at == value.length)
        return false;
    int64_t sum = 0;
    for (; at < value.length; at++) {
        unsigned digit = (unsigned)(unsigned char)value.bytes[at] - '0';
        if (value.bytes[at] == '.' && rule->fraction)
            break;
        if (digit > 9 || __builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, (int64_t)digit, &sum) ||
            sum < rule->lowest)
            return false;
    }
    for (at++; at < value.length; at++)
        if (value.bytes[at] < '0' || value.bytes[at] > '9')
            return false;
    if (!negative && sum == rule->lowest)
        return false;
    *result = negative ? sum : -sum;
    return true;
}

#define WHOLE(name, type)                                                                                              \
    static void name(native_call *call) {                                                                              \
        EACH_ROW(call, row) {                                                                                          \
            text value = argument_text(call, 0, row);                                                                  \
            int64_t parsed;                                                                                            \
            if (parse_whole(value, call->function->extra, &parsed))                                                    \
                RESULT(call, type)[row] = (type)parsed;                                                                \
            else                                                                                                       \
                malformed(call, row, value);                                                                           \
        }                                                                                                              \
    }
WHOLE(to_tinyint, int8_t)
WHOLE(to_smallint, int16_t)
WHOLE(to_int, int32_t)
WHOLE(to_bigint, int64_t)

/* --- floating point --- */

static bool same_word(text value, const char *word) {
    uint32_t i = 0;
    for (; i < value.length && word[i]; i++)
        if ((value.bytes[i] | 0x20) != word[i])
            return false;
    return i == value.length && !word[i];
}

static uint32_t digits_from(text value, uint32_t at, bool hex) {
    while (at < value.length) {
        char c = value.bytes[at];
        if (!(c >= '0' && c <= '9') && !(hex && (c | 0x20) >= 'a' && (c | 0x20) <= 'f'))
            break;
        at++;
    }
    return at;
}

/* Double.parseDouble's grammar after sign and blanks: decimal or hexadecimal, with an optional f, F, d or D at the end.
 * Returns the length without that letter; 0 when malformed. */
static uint32_t floating_length(text value) {
    uint32_t at = 0;
    bool hex = value.length > 2 && value.bytes[0] == '0' && (value.bytes[1] | 0x20) == 'x';
    if (hex)
        at = 2;
    uint32_t whole = digits_from(value, at, hex), digits = whole - at;
    at = whole;
    if (at < value.length && value.bytes[at] == '.') {
        uint32_t fraction = digits_from(value, at + 1, hex);
        digits += fraction - at - 1;
        at = fraction;
    }
    if (!digits)
        return 0;
    bool exponent = at < value.length && (value.bytes[at] | 0x20) == (hex ? 'p' : 'e');
    if (hex && !exponent)
        return 0;
    if (exponent) {
        at++;
        if (at < value.length && (value.bytes[at] == '+' || value.bytes[at] == '-'))
            at++;
        uint32_t end = digits_from(value, at, false);
        if (end == at)
            return 0;
        at = end;
    }
    char letter = at + 1 == value.length ? value.bytes[at] | 0x20 : 0;
    return at == value.length || letter == 'd' || letter == 'f' ? at : 0;
}

static locale_t c_locale(void) {
    static locale_t made;
    if (!made)
        made = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return made;
}

/* Up to 19 digits below 2^53 and a power of ten up to 10^22: both exact, so one operation rounds correctly. */
static bool read_short_number(text digits, double *number) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t sum = 0;
    int behind = 0, count = 0;
    bool point = false;
    for (uint32_t i = 0; i < digits.length; i++) {
        unsigned digit = (unsigned)(unsigned char)digits.bytes[i] - '0';
        if (digits.bytes[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (digit > 9 || ++count > 18)
            return false;
        sum = sum * 10 + digit;
        behind += point;
    }
    *number = (double)sum / powers[behind];
    return sum < 1ULL << 53;
}

static double read_number(text digits, bool single) {
    double short_number;
    if (!single && read_short_number(digits, &short_number))
        return short_number;
    char near[128], *copy = digits.length < sizeof near ? near : allocate((size_t)digits.length + 1, 1);
    memcpy(copy, digits.bytes, digits.length);
    copy[digits.length] = 0;
    double number = single ? (double)strtof_l(copy, NULL, c_locale()) : strtod_l(copy, NULL, c_locale());
    if (copy != near)
        release(copy);
    return number;
}

static bool parse_floating(text value, bool single, double *result) {
    value = java_trim(value);
    bool negative = value.length && value.bytes[0] == '-', sign = negative || (value.length && value.bytes[0] == '+');
    text rest = {value.bytes + sign, value.length - sign};
    uint32_t length = floating_length(rest);
    if (length)
        *result = read_number((text){rest.bytes, length}, single);
    else if (same_word(rest, "infinity") || same_word(rest, "inf"))
        *result = INFINITY;
    else if ((rest.length == 3 && !memcmp(rest.bytes, "NaN", 3)) || (!sign && same_word(rest, "nan")))
        *result = NAN; /* Java reads "-NaN", but only in this spelling */
    else
        return false;
    if (negative && !isnan(*result))
        *result = -*result;
    return true;
}

static void to_double(native_call *call) {
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        if (!parse_floating(value, false, &RESULT(call, double)[row]))
            malformed(call, row, value);
    }
}

static void to_float(native_call *call) {
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        double parsed;
        if (parse_floating(value, true, &parsed))
            RESULT(call, float)[row] = (float)parsed;
        else
            malformed(call, row, value);
    }
}

static void to_boolean(native_call *call) {
    static const char *const yes[] = {"t", "true", "y", "yes", "1"}, *const no[] = {"f", "false", "n", "no", "0"};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), word = trim_all(value);
        int found = -1;
        for (int i = 0; i < 4; i++) {
            if (same_word(word, yes[i]))
                found = 1;
            if (same_word(word, no[i]))
                found = 0;
        }
        if (word.length == 1 && (word.bytes[0] == '1' || word.bytes[0] == '0'))
            found = word.bytes[0] - '0';
        if (found >= 0)
            RESULT(call, bool)[row] = found;
        else
            malformed(call, row, value);
    }
}

/* --- numbers to text --- */

static void double_to_string(native_call *call) {
    char buffer[JAVA_NUMBER_SIZE];
    EACH_ROW(call, row) {
        int length = java_double_text(ARGUMENT(call, double, 0)[row], buffer);
        set_text(call, row, buffer, (size_t)length);
    }
}

static void float_to_string(native_call *call) {
    char buffer[JAVA_NUMBER_SIZE];
    EACH_ROW(call, row) {
        int length = java_float_text(ARGUMENT(call, float, 0)[row], buffer);
        set_text(call, row, buffer, (size_t)length);
    }
}

/* --- round: new BigDecimal(Double.toString(d)).setScale(scale, mode).doubleValue() --- */

static double from_digits(uint64_t digits, int exponent) {
    if (digits < 1ULL << 53 && exponent >= -22 && exponent <= 22) { /* both sides exact, one rounding */
        double power = (double)(uint64_t)1;
        for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
            power *= 10;
        return exponent < 0 ? (double)digits / power : (double)digits * power;
    }
    char buffer[48];
    int length = snprintf(buffer, sizeof buffer, "%llue%d", (unsigned long long)digits, exponent);
    return read_number((text){buffer, (uint32_t)length}, false);
}

static float float_from_digits(uint64_t digits, int exponent) {
    char buffer[48];
    int length = snprintf(buffer, sizeof buffer, "%llue%d", (unsigned long long)digits, exponent);
    return (float)read_number((text){buffer, (uint32_t)length}, true);
}

static decimal_digits round_digits(decimal_digits number, int64_t scale, bool half_even) {
    int64_t drop = -number.exponent - scale;
    if (drop <= 0 || !number.digits)
        return number;
    if (drop > 19)
        return (decimal_digits){0, 0};
    uint64_t divisor = 1;
    for (int64_t i = 0; i < drop; i++)
        divisor *= 10;
    uint64_t quotient = number.digits / divisor, rest = number.digits % divisor, other = divisor - rest;
    bool up = rest > other || (rest == other && (!half_even || quotient % 2 == 1));
    return (decimal_digits){quotient + up, (int)-scale};
}

static double round_double(double value, int64_t scale, bool half_even) {
    uint64_t whole;
    if (!isfinite(value))
        return value;
    decimal_digits rounded = rounded_surely(fabs(value), (int)scale, &whole)
                                 ? (decimal_digits){whole, (int)-scale}
                                 : round_digits(java_double_digits(fabs(value)), scale, half_even);
    double magnitude = from_digits(rounded.digits, rounded.exponent);
    return value < 0 && magnitude != 0 ? -magnitude : magnitude; /* BigDecimal has no negative zero */
}

/* A float is widened first: Spark rounds the digits of that double. */
static float round_float(float value, int64_t scale, bool half_even) {
    if (!isfinite(value))
        return value;
    decimal_digits rounded = round_digits(java_double_digits(fabs((double)value)), scale, half_even);
    float magnitude = float_from_digits(rounded.digits, rounded.exponent);
    return value < 0 && magnitude != 0 ? -magnitude : magnitude;
}

static void round_rows(native_call *call) {
    bool half_even = call->function->extra != NULL;
    EACH_ROW(call, row)
        RESULT(call, double)[row] = round_double(ARGUMENT(call, double, 0)[row], ARGUMENT(call, int32_t, 1)[row], half_even);
}

static void round_float_rows(native_call *call) {
    bool half_even = call->function->extra != NULL;
    EACH_ROW(call, row)
        RESULT(call, float)[row] = round_float(ARGUMENT(call, float, 0)[row], ARGUMENT(call, int32_t, 1)[row], half_even);
}

#define RULES(type, target, lowest)                                                                                    \
    static const cast_rule type##_null = {target, false, false, lowest}, type##_ansi = {target, true, false, lowest};  \
    static const cast_rule type##_legacy __attribute__((unused)) = {target, false, true, lowest};
RULES(tinyint, "TINYINT", INT8_MIN)
RULES(smallint, "SMALLINT", INT16_MIN)
RULES(integer, "INT", INT32_MIN)
RULES(bigint, "BIGINT", INT64_MIN)
RULES(floating, "FLOAT", 0)
RULES(twice, "DOUBLE", 0)
RULES(boolean, "BOOLEAN", 0)

const native_function cast_functions[] = {
    {"spark_string_to_tinyint", "v>t", to_tinyint, &tinyint_null},
    {"spark_string_to_tinyint_ansi", "v>t", to_tinyint, &tinyint_ansi},
    {"spark_string_to_tinyint_legacy", "v>t", to_tinyint, &tinyint_legacy},
    {"spark_string_to_smallint", "v>s", to_smallint, &smallint_null},
    {"spark_string_to_smallint_ansi", "v>s", to_smallint, &smallint_ansi},
    {"spark_string_to_smallint_legacy", "v>s", to_smallint, &smallint_legacy},
    {"spark_string_to_int", "v>i", to_int, &integer_null},
    {"spark_string_to_int_ansi", "v>i", to_int, &integer_ansi},
    {"spark_string_to_int_legacy", "v>i", to_int, &integer_legacy},
    {"spark_string_to_bigint", "v>l", to_bigint, &bigint_null},
    {"spark_string_to_bigint_ansi", "v>l", to_bigint, &bigint_ansi},
    {"spark_string_to_bigint_legacy", "v>l", to_bigint, &bigint_legacy},
    {"spark_string_to_double", "v>d", to_double, &twice_null},
    {"spark_string_to_double_ansi", "v>d", to_double, &twice_ansi},
    {"spark_string_to_float", "v>f", to_float, &floating_null},
    {"spark_string_to_float_ansi", "v>f", to_float, &floating_ansi},
    {"spark_string_to_boolean", "v>b", to_boolean, &boolean_null},
    {"spark_string_to_boolean_ansi", "v>b", to_boolean, &boolean_ansi},
    {"spark_double_to_string", "d>v", double_to_string, NULL},
    {"spark_float_to_string", "f>v", float_to_string, NULL},
    {"spark_round", "di>d", round_rows, NULL},
    {"spark_bround", "di>d", round_rows, ""},
    {"spark_round_float", "fi>f", round_float_rows, NULL},
    {"spark_bround_float", "fi>f", round_float_rows, ""},
    {NULL}};
