/* URL and base64 coding, and numbers with thousands separators.
 *
 * SQL spelling: spark_url_encode(s), spark_url_decode(s), spark_url_decode_try(s), spark_unbase64(s) -> BLOB,
 * spark_format_number(x, digits) with x BIGINT, DOUBLE or DECIMAL (cast the smaller types to these). */
#include "numbers/shortest.h"
#include "core/utf8.h"
#include "numbers/wide.h"
#include <math.h>
#include <stdio.h>

/* java.net.URLEncoder: letters, digits and . - * _ stay, a blank becomes a plus. */
static void url_encode_rows(native_call *call) {
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        char *into = room_for_text(call, 3 * (size_t)value.length + 1), *at = into;
        for (uint32_t i = 0; i < value.length; i++) {
            unsigned char c = (unsigned char)value.bytes[i];
            if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z' && c < 0x80) || c == '.' || c == '-' || c == '*' || c == '_')
                *at++ = (char)c;
            else if (c == ' ')
                *at++ = '+';
            else {
                *at++ = '%';
                *at++ = "0123456789ABCDEF"[c >> 4];
                *at++ = "0123456789ABCDEF"[c & 15];
            }
        }
        set_written(call, row, (size_t)(at - into));
    }
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    char letter = c | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* How many bytes of a malformed piece Java replaces by one U+FFFD: the longest beginning of a character, at least one byte. */
static uint32_t malformed_bytes(const unsigned char *at, size_t left) {
    unsigned char first = at[0], second = left > 1 ? at[1] : 0;
    if (first < 0xC2 || first > 0xF4 || left < 2)
        return 1;
    unsigned char lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80, highest = first == 0xF4 ? 0x8F : 0xBF;
    if (first < 0xE0 || second < lowest || second > highest)
        return 1;
    bool third = left > 2 && (at[2] & 0xC0) == 0x80;
    return third && (first >= 0xF0 || first == 0xED) ? 3 : 2; /* half of a surrogate pair is one malformed character */
}

static bool whole_character(const unsigned char *at, size_t left) {
    uint32_t count = character_bytes(at[0]);
    if ((at[0] >= 0x80 && at[0] < 0xC2) || at[0] > 0xF4 || count > left)
        return false;
    for (uint32_t i = 1; i < count; i++)
        if ((at[i] & 0xC0) != 0x80)
            return false;
    uint32_t c = character_at((const char *)at);
    return !(count == 3 && (c < 0x800 || (c >= 0xD800 && c < 0xE000))) && !(count == 4 && (c < 0x10000 || c > 0x10FFFF));
}

/* new String(bytes, UTF_8) of a run of escapes; returns the end of what was written (at most three times as long). */
static char *append_decoded(char *into, const unsigned char *bytes, size_t length) {
    for (size_t i = 0; i < length;) {
        uint32_t count = character_bytes(bytes[i]);
        if (whole_character(bytes + i, length - i)) {
            memcpy(into, bytes + i, count);
            into += count;
            i += count;
        } else {
            into += write_character(into, 0xFFFD);
            i += malformed_bytes(bytes + i, length - i);
        }
    }
    return into;
}

/* Integer.parseInt of two characters: the first may be a sign, as long as nothing negative comes of it. */
static int escape_value(const char *at) {
    int high = *at == '+' || *at == '-' ? 0 : hex_value(at[0]);
    int low = hex_value(at[1]);
    return high < 0 || low < 0 || (*at == '-' && low > 0) ? -1 : high << 4 | low;
}

/* Java also parses digits of other scripts: an escape that may contain one falls back to Spark. The first is U+0660; characters
 * beyond 16 bits are two chars in Java, and no digits. */
static bool may_be_digit(const char *at) {
    if ((unsigned char)*at < 0x80)
        return false;
    uint32_t c = character_at(at);
    return c >= 0x660 && c <= 0xFFFF;
}

static bool odd_escape(text value) {
    const char *at = value.bytes, *end = at + value.length;
    while ((at = memchr(at, '%', (size_t)(end - at)))) {
        at++;
        const char *next = at < end ? at + character_bytes((unsigned char)*at) : end;
        if (at < end && (may_be_digit(at) || (next < end && may_be_digit(next))))
            return true;
    }
    return false;
}

/* java.net.URLDecoder: neighbouring escapes are decoded together. NULL when an escape is malformed. */
static char *url_decoded(text value, char *into, unsigned char *run) {
    for (uint32_t i = 0; i < value.length;) {
        size_t count = 0;
        for (; i < value.length && value.bytes[i] == '%'; i += 3) {
            int escaped = i + 2 < value.length ? escape_value(value.bytes + i + 1) : -1;
            if (escaped < 0)
                return NULL;
            run[count++] = (unsigned char)escaped;
        }
        into = append_decoded(into, run, count);
        for (; i < value.length && value.bytes[i] != '%'; i++)
            *into++ = value.bytes[i] == '+' ? ' ' : value.bytes[i];
    }
    return into;
}

static void url_decode_rows(native_call *call) {
    scratch memory = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        if (odd_escape(value)) {
            fall_back(call, "FUNCTION_ROW_VALUE", "an escape with digits outside ASCII");
            continue;
        }
        char *into = room_for_text(call, 4 * (size_t)value.length + 1);
        char *end = url_decoded(value, into, (unsigned char *)room(&memory, (size_t)value.length + 1));
        if (end)
            set_written(call, row, (size_t)(end - into));
        else if (call->function->extra)
            spark_error_text(call, "CANNOT_DECODE_URL", "url", value, NULL);
        else
            set_null(call, row);
    }
    release(memory.bytes);
}

static int base64_value(char c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Java's MIME decoder: other characters are skipped; malformed input falls back to Spark, which raises Java's message. */
static void unbase64_rows(native_call *call) {
    scratch memory = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        char *into = room(&memory, (size_t)value.length + 4), *at = into;
        uint32_t bits = 0, count = 0, padding = 0;
        bool malformed = false;
        for (uint32_t i = 0; i < value.length; i++) {
            int six = base64_value(value.bytes[i]);
            if (value.bytes[i] == '=' && !padding++) /* after two characters the second = must follow the first */
                malformed |= count % 4 == 2 && (i + 1 == value.length || value.bytes[i + 1] != '=');
            malformed |= padding && six >= 0;
            if (six < 0)
                continue;
            bits = bits << 6 | (uint32_t)six;
            if (++count % 4 == 0) {
                *at++ = (char)(bits >> 16);
                *at++ = (char)(bits >> 8);
                *at++ = (char)bits;
            }
        }
        uint32_t rest = count % 4;
        malformed |= rest == 1 || (padding && (rest == 0 || padding != 4 - rest));
        if (malformed) {
            fall_back(call, "FUNCTION_ROW_VALUE", "unbase64 of malformed text");
            continue;
        }
        if (rest >= 2)
            *at++ = (char)(rest == 2 ? bits >> 4 : bits >> 10);
        if (rest == 3)
            *at++ = (char)(bits >> 2);
        set_text(call, row, into, (size_t)(at - into));
    }
    release(memory.bytes);
}

/* --- format_number: java.text.DecimalFormat, #,##0.00..., HALF_EVEN --- */

static char *grouped(char *at, const char *digits, int count) {
    for (int i = 0; i < count; i++) {
        *at++ = digits[i];
        if ((count - 1 - i) % 3 == 0 && i < count - 1)
            *at++ = ',';
    }
    return at;
}

/* Digits without the point, `scale` of them after it; `places` of these are printed. */
static size_t write_number(char *into, const char *digits, int count, int scale, int places, bool negative) {
    char *at = into;
    int before = count - scale;
    if (negative)
        *at++ = '-';
    if (before <= 0)
        *at++ = '0';
    else
        at = grouped(at, digits, before);
    if (places > 0)
        *at++ = '.';
    for (int i = 0; i < places; i++) {
        int place = before + i;
        *at++ = place < 0 || place >= count ? '0' : digits[place];
    }
    return (size_t)(at - into);
}

/* Ties are decided by the double's exact value, which the C library prints. */
static bool rounds_up(double magnitude, int places, uint64_t quotient, uint64_t rest, uint64_t divisor) {
    if (rest * 2 != divisor)
        return rest * 2 > divisor;
    char exact[1500];
    snprintf(exact, sizeof exact, "%.1074f", magnitude);
    const char *at = strchr(exact, '.') + 1 + places; /* the first dropped digit, of 5000... or 4999... */
    if (*at != '5')
        return *at > '5';
    while (*++at)
        if (*at != '0')
            return true;
    return quotient % 2 == 1;
}

static size_t format_double(double value, int places, char *into) {
    if (isnan(value))
        return (size_t)sprintf(into, "NaN");
    if (isinf(value))
        return (size_t)sprintf(into, value < 0 ? "-\xE2\x88\x9E" : "\xE2\x88\x9E");
    decimal_digits number = old_java_double(fabs(value)); /* DecimalFormat still uses the digits of Java up to 18 */
    int drop = -number.exponent - places;
    if (drop > 0) {
        uint64_t divisor = 1, quotient = 0, rest = 1;
        if (drop <= 18) {
            for (int i = 0; i < drop; i++)
                divisor *= 10;
            quotient = number.digits / divisor;
            rest = number.digits % divisor;
            quotient += rounds_up(fabs(value), places, quotient, rest, divisor);
        }
        number = (decimal_digits){quotient, -places};
    }
    char digits[400];
    int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number.digits), scale = -number.exponent;
    for (; scale < 0; scale++)
        digits[count++] = '0';
    return write_number(into, digits, count, scale, places, signbit(value));
}

static void format_double_rows(native_call *call) {
    scratch memory = {0};
    EACH_ROW(call, row) {
        int32_t places = ARGUMENT(call, int32_t, 1)[row];
        if (places < 0) {
            set_null(call, row);
            continue;
        }
        if (!check_room(call, 3 * (uint64_t)places))
            continue;
        char *into = room(&memory, 1024 + (size_t)places);
        set_text(call, row, into, format_double(ARGUMENT(call, double, 0)[row], places, into));
    }
    release(memory.bytes);
}

static void format_decimal_rows(native_call *call) {
    scratch memory = {0};
    decimal_column column;
    if (!decimal_argument(call, 0, &column))
        return;
    EACH_ROW(call, row) {
        int32_t places = ARGUMENT(call, int32_t, 1)[row];
        if (places < 0) {
            set_null(call, row);
            continue;
        }
        int128 value = decimal_at(&column, row);
        uint128 magnitude = value < 0 ? -(uint128)value : (uint128)value;
        int scale = column.scale;
        if (scale > places) { /* HALF_EVEN */
            uint128 divisor = power_of_ten[scale - places], rest = magnitude % divisor, other = divisor - rest;
            magnitude /= divisor;
            magnitude += rest > other || (rest == other && (magnitude & 1));
            scale = places;
        }
        char digits[80];
        int count = wide_digits(widen(magnitude), digits);
        if (!check_room(call, 3 * (uint64_t)places))
            continue;
        char *into = room(&memory, 256 + (size_t)places);
        set_text(call, row, into, write_number(into, digits, count, scale, places, value < 0));
    }
    release(memory.bytes);
}

const native_function encode_functions[] = {
    {"spark_url_encode", "v>v", url_encode_rows, NULL},
    {"spark_url_decode", "v>v", url_decode_rows, ""},
    {"spark_url_decode_try", "v>v", url_decode_rows, NULL},
    {"spark_unbase64", "v>x", unbase64_rows, NULL},
    {"spark_format_number", "di>v", format_double_rows, NULL},
    {"spark_format_decimal", "Ai>v", format_decimal_rows, NULL},
    {NULL}};
