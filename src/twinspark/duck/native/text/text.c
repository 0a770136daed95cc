/* String functions that DuckDB's SQL cannot express exactly or fast (Spark's UTF8String).
 *
 * SQL spelling: spark_levenshtein(a, b), spark_levenshtein(a, b, limit), spark_soundex(s), spark_substring_index(s, delimiter, n),
 * spark_find_in_set(s, list), spark_translate(s, from, to), spark_reverse(s), spark_substring(s, position, length),
 * spark_trim(s), spark_ltrim(s), spark_rtrim(s), spark_overlay(s, replacement, position, length), spark_conv(s, from, to), spark_conv_ansi(s, from, to). */
#include "core/utf8.h"

/* --- levenshtein --- */

static uint32_t *characters_of(text value, scratch *memory, uint32_t *count) {
    uint32_t *points = (uint32_t *)room(memory, 4 * ((size_t)value.length + 1));
    *count = 0;
    for (uint32_t i = 0; i < value.length; i += character_bytes((unsigned char)value.bytes[i]))
        points[(*count)++] = character_at(value.bytes + i);
    return points;
}

static int32_t distance(const uint32_t *s, uint32_t n, const uint32_t *t, uint32_t m, int32_t *row) {
    for (uint32_t i = 0; i <= n; i++)
        row[i] = (int32_t)i;
    uint64_t done = 0;
    for (uint32_t j = 0; j < m; j++) {
        stay_cancellable(&done, n);
        int32_t corner = row[0];
        row[0] = (int32_t)j + 1;
        for (uint32_t i = 0; i < n; i++) {
            int32_t best = corner + (s[i] != t[j]);
            corner = row[i + 1];
            if (row[i] + 1 < best)
                best = row[i] + 1;
            if (corner + 1 < best)
                best = corner + 1;
            row[i + 1] = best;
        }
    }
    return row[n];
}

static void levenshtein_rows(native_call *call) {
    scratch left = {0}, right = {0}, line = {0};
    EACH_ROW(call, row) {
        uint32_t n, m;
        uint32_t *s = characters_of(argument_text(call, 0, row), &left, &n);
        uint32_t *t = characters_of(argument_text(call, 1, row), &right, &m);
        int32_t found = distance(s, n, t, m, (int32_t *)room(&line, 4 * ((size_t)n + 1)));
        bool limited = call->arguments == 3;
        RESULT(call, int32_t)[row] = limited && found > ARGUMENT(call, int32_t, 2)[row] ? -1 : found;
    }
    release(left.bytes);
    release(right.bytes);
    release(line.bytes);
}

/* --- soundex --- */

static void soundex_rows(native_call *call) {
    static const char codes[] = "01230127022455012623017202"; /* of A to Z; 7: H and W do not separate equal codes */
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        char out[4] = {'0', '0', '0', '0'}, first = value.length ? value.bytes[0] : 0;
        if ((first | 0x20) < 'a' || (first | 0x20) > 'z') {
            set_text(call, row, value.bytes, value.length);
            continue;
        }
        out[0] = first & ~0x20;
        char last = codes[out[0] - 'A'];
        for (uint32_t i = 1, filled = 1; i < value.length && filled < 4; i++) {
            char letter = value.bytes[i] & ~0x20;
            if (letter < 'A' || letter > 'Z' || !((value.bytes[i] | 0x20) >= 'a' && (value.bytes[i] | 0x20) <= 'z')) {
                last = '0';
                continue;
            }
            char code = codes[letter - 'A'];
            if (code == '7')
                continue;
            if (code != '0' && code != last)
                out[filled++] = code;
            last = code;
        }
        set_text(call, row, out, 4);
    }
}

/* --- substrings --- */

static int64_t find_from(text value, text part, int64_t from) {
    for (int64_t i = from; i + part.length <= value.length; i++)
        if (!memcmp(value.bytes + i, part.bytes, part.length))
            return i;
    return -1;
}
static int64_t find_back(text value, text part, int64_t from) {
    for (int64_t i = from; i >= 0; i--)
        if (i + part.length <= value.length && !memcmp(value.bytes + i, part.bytes, part.length))
            return i;
    return -1;
}

/* Delimiters may overlap: the next one is looked for one byte further. */
static text before_or_after(text value, text delimiter, int64_t count) {
    if (!delimiter.length || !count)
        return (text){value.bytes, 0};
    int64_t at = count > 0 ? -1 : (int64_t)value.length - delimiter.length + 1;
    for (int64_t left = count > 0 ? count : -count; left > 0; left--) {
        at = count > 0 ? find_from(value, delimiter, at + 1) : find_back(value, delimiter, at - 1);
        if (at < 0)
            return value;
    }
    if (count > 0)
        return (text){value.bytes, (uint32_t)at};
    uint32_t start = (uint32_t)at + delimiter.length;
    return (text){value.bytes + start, value.length - start};
}

static void substring_index_rows(native_call *call) {
    EACH_ROW(call, row) {
        int32_t count = ARGUMENT(call, int32_t, 2)[row];
        text found = before_or_after(argument_text(call, 0, row), argument_text(call, 1, row), count);
        if (count == INT32_MIN) /* Spark's own negation overflows there */
            fall_back(call, "FUNCTION_ROW_VALUE", "substring_index with the smallest int");
        else
            set_text(call, row, found.bytes, found.length);
    }
}

/* The place of a word in a list with commas; 0 when it is not there or holds a comma itself. */
static int32_t place_in_set(text word, text set) {
    if (word.length && memchr(word.bytes, ',', word.length))
        return 0;
    int32_t place = 1;
    for (uint32_t start = 0, i = 0; i <= set.length; i++) {
        if (i < set.length && set.bytes[i] != ',')
            continue;
        if (i - start == word.length && !memcmp(set.bytes + start, word.bytes, word.length))
            return place;
        place++;
        start = i + 1;
    }
    return 0;
}

static void find_in_set_rows(native_call *call) {
    EACH_ROW(call, row)
        RESULT(call, int32_t)[row] = place_in_set(argument_text(call, 0, row), argument_text(call, 1, row));
}

static void reverse_rows(native_call *call) {
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        char *into = room_for_text(call, value.length), *at = into + value.length;
        if (is_ascii(value)) {
            for (uint32_t i = 0; i < value.length; i++)
                *--at = value.bytes[i];
            set_written(call, row, value.length);
            continue;
        }
        for (uint32_t i = 0; i < value.length;) {
            uint32_t length = character_bytes((unsigned char)value.bytes[i]);
            at -= length;
            memcpy(at, value.bytes + i, length);
            i += length;
        }
        set_written(call, row, value.length);
    }
}

/* Characters [from, until), each bound clamped to the text. */
static text characters_between(text value, int64_t from, int64_t until) {
    uint32_t start = 0;
    int64_t at = 0;
    while (start < value.length && at < from) {
        start += character_bytes((unsigned char)value.bytes[start]);
        at++;
    }
    uint32_t end = start;
    while (end < value.length && at < until) {
        end += character_bytes((unsigned char)value.bytes[end]);
        at++;
    }
    return (text){value.bytes + start, end - start};
}

static text last_characters(text value, int64_t count) {
    uint32_t at = value.length;
    while (at > 0 && count > 0)
        count -= (value.bytes[--at] & 0xC0) != 0x80;
    return (text){value.bytes + at, value.length - at};
}

/* UTF8String.substringSQL: position 0 counts as 1, a negative one from the end; the end is computed before the start is clamped. */
static text sql_substring(text value, int64_t position, int64_t length) {
    if (position < 0 && length >= -position)
        return last_characters(value, -position);
    int64_t count = position < 0 ? count_characters(value) : 0;
    int64_t start = position > 0 ? position - 1 : position < 0 ? count + position : 0;
    int64_t end = start + length > INT32_MAX ? INT32_MAX : start + length;
    if (end <= 0 || end <= start)
        return (text){value.bytes, 0};
    return characters_between(value, start, end);
}

static void substring_rows(native_call *call) {
    EACH_ROW(call, row) {
        text part = sql_substring(argument_text(call, 0, row), ARGUMENT(call, int32_t, 1)[row], ARGUMENT(call, int32_t, 2)[row]);
        set_text(call, row, part.bytes, part.length);
    }
}

/* Only spaces; `extra` says from which sides. */
static void trim_rows(native_call *call) {
    const char *sides = call->function->extra;
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        while (sides[0] == 'l' && value.length && value.bytes[0] == ' ')
            value = (text){value.bytes + 1, value.length - 1};
        while (sides[1] == 'r' && value.length && value.bytes[value.length - 1] == ' ')
            value.length--;
        set_text(call, row, value.bytes, value.length);
    }
}

/* overlay: the text up to the position, the replacement, and the rest; a negative length is the replacement's own. */
static void overlay_rows(native_call *call) {
    scratch memory = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), with = argument_text(call, 1, row);
        int64_t position = ARGUMENT(call, int32_t, 2)[row], length = ARGUMENT(call, int32_t, 3)[row];
        if (position == INT32_MIN) {
            fall_back(call, "FUNCTION_ROW_VALUE", "overlay at the smallest int");
            continue;
        }
        text head = sql_substring(value, 1, position - 1);
        if (length < 0)
            length = count_characters(with);
        text tail = sql_substring(value, position + length, INT32_MAX);
        char *into = room(&memory, (size_t)head.length + with.length + tail.length + 1);
        memcpy(into, head.bytes, head.length);
        memcpy(into + head.length, with.bytes, with.length);
        memcpy(into + head.length + with.length, tail.bytes, tail.length);
        set_text(call, row, into, (size_t)head.length + with.length + tail.length);
    }
    release(memory.bytes);
}

/* --- translate --- */

/* The replacement in `to` at the index of the character's first occurrence in `from`; an empty text deletes it. */
static bool translated(text character, text from, text to, text *found) {
    uint32_t j = 0;
    for (uint32_t i = 0; i < from.length;) {
        uint32_t length = character_bytes((unsigned char)from.bytes[i]), other = 0;
        if (j < to.length)
            other = character_bytes((unsigned char)to.bytes[j]);
        if (length == character.length && !memcmp(from.bytes + i, character.bytes, length)) {
            *found = (text){to.bytes + j, other};
            if (other == 1 && to.bytes[j] == 0)
                found->length = 0; /* Spark marks deletions with a NUL, so a NUL deletes too */
            return true;
        }
        i += length;
        j += other;
    }
    return false;
}

static void translate_rows(native_call *call) {
    scratch memory = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), from = argument_text(call, 1, row), to = argument_text(call, 2, row), found;
        char *into = room(&memory, 4 * (size_t)value.length + 1), *at = into;
        for (uint32_t i = 0; i < value.length;) {
            text character = {value.bytes + i, character_bytes((unsigned char)value.bytes[i])};
            text part = translated(character, from, to, &found) ? found : character;
            memcpy(at, part.bytes, part.length);
            at += part.length;
            i += character.length;
        }
        set_text(call, row, into, (size_t)(at - into));
    }
    release(memory.bytes);
}

/* --- conv --- */

static int digit_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    char letter = c | 0x20;
    return letter >= 'a' && letter <= 'z' ? letter - 'a' + 10 : 99;
}

/* The digits up to the first that is none, as an unsigned number; all ones when they are too many. */
static uint64_t read_digits(text digits, unsigned base, bool *overflow) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < digits.length && digit_value(digits.bytes[i]) < (int)base; i++) {
        uint64_t next;
        if (__builtin_mul_overflow(sum, (uint64_t)base, &next) ||
            __builtin_add_overflow(next, (uint64_t)digit_value(digits.bytes[i]), &next)) {
            *overflow = true;
            return UINT64_MAX;
        }
        sum = next;
    }
    return sum;
}

static text without_spaces(text value) {
    while (value.length && value.bytes[0] == ' ')
        value = (text){value.bytes + 1, value.length - 1};
    while (value.length && value.bytes[value.length - 1] == ' ')
        value.length--;
    return value;
}

/* A negative target base gives a signed result, a positive one the unsigned value of the same bits. */
static void conv_rows(native_call *call) {
    EACH_ROW(call, row) {
        text value = without_spaces(argument_text(call, 0, row));
        int32_t from = ARGUMENT(call, int32_t, 1)[row], to = ARGUMENT(call, int32_t, 2)[row];
        int64_t base = to < 0 ? -(int64_t)to : to;
        if (from < 2 || from > 36 || base < 2 || base > 36 || !value.length) {
            set_null(call, row);
            continue;
        }
        bool negative = value.bytes[0] == '-', overflow = false;
        uint64_t number = read_digits((text){value.bytes + negative, value.length - negative}, (unsigned)from, &overflow);
        if (overflow && call->function->extra) {
            spark_error(call, "ARITHMETIC_OVERFLOW", "message", "Overflow in function conv()", "alternative", "", "config",
                        ANSI_CONFIG, NULL);
            continue;
        }
        if (negative && to > 0)
            number = (int64_t)number < 0 ? UINT64_MAX : -number;
        if (to < 0 && (int64_t)number < 0) {
            number = -number;
            negative = true;
        }
        char digits[66], *at = digits + sizeof digits;
        do
            *--at = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % (unsigned)base];
        while (number /= (unsigned)base);
        if (negative && to < 0)
            *--at = '-';
        set_text(call, row, at, (size_t)(digits + sizeof digits - at));
    }
}

const native_function text_functions[] = {
    {"spark_levenshtein", "vv>i", levenshtein_rows, NULL},
    {"spark_levenshtein", "vvi>i", levenshtein_rows, NULL},
    {"spark_soundex", "v>v", soundex_rows, NULL},
    {"spark_substring_index", "vvi>v", substring_index_rows, NULL},
    {"spark_find_in_set", "vv>i", find_in_set_rows, NULL},
    {"spark_reverse", "v>v", reverse_rows, NULL},
    {"spark_substring", "vii>v", substring_rows, NULL},
    {"spark_trim", "v>v", trim_rows, "lr"},
    {"spark_ltrim", "v>v", trim_rows, "l "},
    {"spark_rtrim", "v>v", trim_rows, " r"},
    {"spark_overlay", "vvii>v", overlay_rows, NULL},
    {"spark_translate", "vvv>v", translate_rows, NULL},
    {"spark_conv", "vii>v", conv_rows, NULL},
    {"spark_conv_ansi", "vii>v", conv_rows, ""},
    {NULL}};
