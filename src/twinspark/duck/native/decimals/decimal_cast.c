/* Strings and doubles to decimals: java.math.BigDecimal's grammar, HALF_UP to the scale, checked against the precision.
 *
 * SQL spelling (functions/notation/decimal_sql.py prints it), s the scale, p the precision:
 *     spark_string_to_decimal_s(text, p), spark_string_to_decimal_ansi_s(text, p)
 *     spark_double_to_decimal_s(number, p), spark_double_to_decimal_ansi_s(number, p)
 * and, where p is at most 18, the same with _18_s, whose result has 64 bits.
 * A FLOAT is cast to DOUBLE first, as Spark does. NaN and infinities are NULL in every mode. */
#include "numbers/rounded.h"
#include "numbers/shortest.h"
#include "numbers/wide.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

text java_trim(text value);

/* digits * 10^-scale, without leading zeros; zero keeps one digit. */
typedef struct { bool negative; char *digits; int64_t count, scale; } big_decimal;

static bool add_digits(text value, uint32_t *at, big_decimal *number) {
    uint32_t first = *at;
    for (; *at < value.length && value.bytes[*at] >= '0' && value.bytes[*at] <= '9'; (*at)++)
        number->digits[number->count++] = value.bytes[*at];
    return *at > first;
}

/* [e|E][+-]digits, at most ten digits after leading zeros, within an int. */
static bool read_exponent(text value, uint32_t at, int64_t *exponent) {
    bool negative = at < value.length && value.bytes[at] == '-';
    if (negative || (at < value.length && value.bytes[at] == '+'))
        at++;
    if (at == value.length)
        return false;
    while (value.length - at > 10 && value.bytes[at] == '0')
        at++;
    if (value.length - at > 10)
        return false;
    int64_t sum = 0;
    for (; at < value.length; at++) {
        if (value.bytes[at] < '0' || value.bytes[at] > '9')
            return false;
        sum = sum * 10 + (value.bytes[at] - '0');
    }
    *exponent = negative ? -sum : sum;
    return true;
}

/* The digits are written into `buffer`, which has room for twice the text. */
static bool parse_big_decimal(text value, char *buffer, big_decimal *number) {
    *number = (big_decimal){.digits = buffer};
    uint32_t at = 0;
    if (value.length && (value.bytes[0] == '-' || value.bytes[0] == '+'))
        number->negative = value.bytes[at++] == '-';
    bool some = add_digits(value, &at, number);
    if (at < value.length && value.bytes[at] == '.') {
        uint32_t first = ++at;
        some |= add_digits(value, &at, number);
        number->scale = at - first;
    }
    if (!some)
        return false;
    if (at < value.length) {
        int64_t exponent;
        if ((value.bytes[at] | 0x20) != 'e' || !read_exponent(value, at + 1, &exponent) || exponent > INT32_MAX ||
            exponent < INT32_MIN)
            return false;
        number->scale -= exponent;
        if (number->scale > INT32_MAX || number->scale < INT32_MIN)
            return false;
    }
    while (number->count > 1 && *number->digits == '0') {
        number->digits++;
        number->count--;
    }
    return true;
}

static bool is_zero(const big_decimal *number) { return number->count == 1 && *number->digits == '0'; }

/* The unscaled value at `scale`, HALF_UP; false when it has more than `precision` digits. */
static bool round_to(const big_decimal *number, int scale, int precision, int128 *result) {
    int64_t keep = number->count - (number->scale - scale); /* digits that stay, including trailing zeros */
    *result = 0;
    if (is_zero(number) || keep < 0)
        return true;
    if (keep > 38)
        return false;
    uint128 sum = 0;
    for (int64_t i = 0; i < keep; i++)
        sum = sum * 10 + (i < number->count ? (unsigned)(number->digits[i] - '0') : 0);
    if (keep < number->count && number->digits[keep] >= '5')
        sum++;
    if (sum >= power_of_ten[precision])
        return false;
    *result = number->negative ? -(int128)sum : (int128)sum;
    return true;
}

/* BigDecimal.toPlainString; the text is as long as the number is wide, so it is allocated. */
static char *plain_decimal(const big_decimal *number) {
    int64_t zeros = number->scale < 0 && !is_zero(number) ? -number->scale : 0, scale = number->scale < 0 ? 0 : number->scale;
    int64_t count = number->count + zeros, places = count > scale ? count : scale + 1;
    char *made = allocate((size_t)places + 4, 1), *at = made;
    if (number->negative && !is_zero(number))
        *at++ = '-';
    for (int64_t place = places - 1; place >= 0; place--) {
        int64_t digit = count - 1 - place;
        *at++ = digit < 0 || digit >= number->count ? '0' : number->digits[digit];
        if (place == scale && scale)
            *at++ = '.';
    }
    *at = 0;
    return made;
}

static void out_of_range(native_call *call, const big_decimal *number, int precision) {
    char *value = plain_decimal(number);
    decimal_out_of_range(call, plain_text(value), precision, call->scale);
    release(value);
}

/* The zeros of every script's digits, which BigDecimal reads like 0 (java.lang.Character.isDigit, 16-bit characters). */
static const uint16_t zeros_of_scripts[] = {
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50,
    0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50,
    0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
};

static int digit_of(unsigned character) {
    for (size_t i = 0; i < sizeof zeros_of_scripts / sizeof *zeros_of_scripts; i++)
        if (character >= zeros_of_scripts[i] && character < zeros_of_scripts[i] + 10u)
            return (int)(character - zeros_of_scripts[i]);
    return -1;
}

/* The text with ASCII digits, written into `buffer`; false if it contains another character outside ASCII. */
static bool ascii_digits(text *value, char *buffer) {
    uint32_t written = 0;
    for (uint32_t i = 0; i < value->length; i++) {
        const unsigned char *byte = (const unsigned char *)value->bytes + i;
        if (*byte < 0x80) {
            buffer[written++] = (char)*byte;
            continue;
        }
        bool two = *byte < 0xE0, four = *byte >= 0xF0;
        if (four || i + (two ? 1 : 2) >= value->length)
            return false;
        int digit = digit_of(two ? (*byte & 31u) << 6 | (byte[1] & 63u)
                                 : (*byte & 15u) << 12 | (byte[1] & 63u) << 6 | (byte[2] & 63u));
        if (digit < 0)
            return false;
        buffer[written++] = (char)('0' + digit);
        i += two ? 1 : 2;
    }
    *value = (text){buffer, written};
    return true;
}

static bool only_ascii(text value) {
    for (uint32_t i = 0; i < value.length; i++)
        if ((unsigned char)value.bytes[i] > 127)
            return false;
    return true;
}

static void malformed(native_call *call, text value, int precision) {
    char target[32];
    snprintf(target, sizeof target, "DECIMAL(%d,%d)", precision, call->scale);
    cast_invalid_input(call, value, target);
}

static void one_string(native_call *call, idx_t row, text given, char *buffer, bool raise) {
    int precision = precision_argument(call, 1, row);
    text value = java_trim(given);
    big_decimal number;
    int128 result;
    bool readable = only_ascii(value) || ascii_digits(&value, buffer + value.length);
    if (!readable || !parse_big_decimal(value, buffer, &number)) {
        if (raise)
            malformed(call, given, precision);
        else
            set_null(call, row);
    } else if (!is_zero(&number) && number.count - number.scale > 38) { /* checked before the type's precision */
        if (raise)
            spark_error_text(call, "NUMERIC_OUT_OF_SUPPORTED_RANGE", "value", given, NULL);
        else
            set_null(call, row);
    } else if (round_to(&number, call->scale, precision, &result))
        set_decimal(call, row, result);
    else if (raise)
        out_of_range(call, &number, precision);
    else
        set_null(call, row);
}

static void string_rows(native_call *call) {
    char near[128];
    EACH_ROW(call, row) {
        text given = argument_text(call, 0, row);
        char *buffer = 2 * given.length <= sizeof near ? near : allocate(given.length, 2);
        one_string(call, row, given, buffer, call->function->extra != NULL);
        if (buffer != near)
            release(buffer);
    }
}

/* new BigDecimal(Double.toString(d)): "1.0E10" has the digits 10 and the scale -9. */
static void big_decimal_of(double value, char *buffer, char *digits, big_decimal *number) {
    int length = java_double_text(value, buffer);
    parse_big_decimal((text){buffer, (uint32_t)length}, digits, number);
}

static bool round_shortest(decimal_digits number, int scale, int precision, uint128 *result) {
    int shift = number.exponent + scale;
    uint256 wide = widen(number.digits);
    if (shift > 38 && number.digits)
        return false;
    if (shift < -20)
        wide = widen(0);
    else if (shift < 0)
        scale_down(&wide, -shift);
    else if (number.digits && (!scale_up(&wide, shift) || !fits_128(&wide)))
        return false;
    *result = low_128(&wide);
    return *result < power_of_ten[precision];
}

static void one_double(native_call *call, idx_t row, double value, int precision) {
    char buffer[JAVA_NUMBER_SIZE], digits[JAVA_NUMBER_SIZE];
    uint128 magnitude;
    uint64_t whole;
    big_decimal number;
    if (!isfinite(value))
        set_null(call, row);
    else if (rounded_surely(fabs(value), call->scale, &whole) && whole < power_of_ten[precision])
        set_decimal(call, row, value < 0 ? -(int128)whole : (int128)whole);
    else if (round_shortest(java_double_digits(fabs(value)), call->scale, precision, &magnitude))
        set_decimal(call, row, value < 0 ? -(int128)magnitude : (int128)magnitude);
    else if (call->function->extra) {
        big_decimal_of(value, buffer, digits, &number);
        out_of_range(call, &number, precision);
    } else
        set_null(call, row);
}

/* Whether all rows are sure; the others hold nothing of worth. */
MANY_LANES static bool rounded_near(const double *values, int64_t *out, idx_t rows, double factor, double most) {
    int64_t unsure = 0;
    for (idx_t row = 0; row < rows; row++) {
        double scaled = values[row] * factor, moved = scaled + ROUNDER;
        uint64_t bits;
        memcpy(&bits, &moved, sizeof bits);
        out[row] = (int64_t)(bits - 0x4338000000000000);
        unsure |= is_near(scaled, most) ? 0 : 1;
    }
    return !unsure;
}

/* The few rows that rounded_near does not decide are computed one by one. */
static void double_rows(native_call *call) {
    const double *values = ARGUMENT(call, double, 0);
    int precision = call->rows ? precision_argument(call, 1, 0) : 1;
    bool near = call->precision == 18 && call->scale <= MOST_NEAR_SCALE;
    double factor = near ? near_powers[call->scale] : 0, most = near ? near_most(precision) : 0;
    if (near && rounded_near(values, RESULT(call, int64_t), call->rows, factor, most))
        return;
    EACH_ROW(call, row) if (!near || !is_near(values[row] * factor, most)) one_double(call, row, values[row], precision);
}

const native_function decimal_cast_functions[] = {
    {"spark_string_to_decimal", "vi>#", string_rows, NULL},
    {"spark_string_to_decimal_ansi", "vi>#", string_rows, ""},
    {"spark_string_to_decimal", "vi>$", string_rows, NULL},
    {"spark_string_to_decimal_ansi", "vi>$", string_rows, ""},
    {"spark_double_to_decimal", "di>$", double_rows, NULL},
    {"spark_double_to_decimal_ansi", "di>$", double_rows, ""},
    {"spark_double_to_decimal", "di>#", double_rows, NULL},
    {"spark_double_to_decimal_ansi", "di>#", double_rows, ""},
    {NULL}};
