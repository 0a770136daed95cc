/* substring, lpad, rpad, reverse and search of binaries (ByteArray), and encode and decode of character sets.
 *
 * SQL spelling: spark_bytes_substring(b, position, length), spark_bytes_lpad(b, length, pad), spark_bytes_rpad(...),
 * spark_bytes_reverse(b), spark_bytes_starts(b, part), spark_bytes_ends(b, part), spark_bytes_contains(b, part),
 * spark_encode(s, charset) -> BLOB, spark_decode(b, charset) with a charset of CHARSETS. Characters that a
 * character set does not have raise Spark's error. */
#include "core/utf8.h"

static void substring_rows(native_call *call) {
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        int64_t position = ARGUMENT(call, int32_t, 1)[row], length = ARGUMENT(call, int32_t, 2)[row], size = value.length;
        int64_t start = position > 0 ? position - 1 : position < 0 ? size + position : 0;
        int64_t end = size - start < length ? size : start + length;
        start = start < 0 ? 0 : start;
        if (position > size || start >= end)
            set_text(call, row, "", 0);
        else
            set_text(call, row, value.bytes + start, (size_t)(end - start));
    }
}

static void reverse_rows(native_call *call) {
    scratch memory = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        char *into = room(&memory, (size_t)value.length + 1);
        for (uint32_t i = 0; i < value.length; i++)
            into[i] = value.bytes[value.length - 1 - i];
        set_text(call, row, into, value.length);
    }
    release(memory.bytes);
}

/* Longer input is truncated; with an empty pad it is unchanged. extra: pads on the left. */
static void pad_rows(native_call *call) {
    scratch memory = {0};
    bool left = call->function->extra != NULL;
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), pad = argument_text(call, 2, row);
        int64_t wanted = ARGUMENT(call, int32_t, 1)[row];
        if (!check_room(call, 3 * (uint64_t)(wanted < 0 ? 0 : wanted)))
            continue;
        wanted = wanted < 0 ? 0 : wanted;
        if (wanted <= (int64_t)value.length || !pad.length) {
            set_text(call, row, value.bytes, wanted < (int64_t)value.length ? (size_t)wanted : value.length);
            continue;
        }
        char *into = room(&memory, (size_t)wanted + 1);
        size_t more = (size_t)wanted - value.length;
        for (size_t i = 0; i < more; i++)
            into[left ? i : value.length + i] = pad.bytes[i % pad.length];
        memcpy(into + (left ? more : 0), value.bytes, value.length);
        set_text(call, row, into, (size_t)wanted);
    }
    release(memory.bytes);
}

enum { STARTS = 1, ENDS, CONTAINS };
static const int starts = STARTS, ends = ENDS, contains = CONTAINS;

static void search_rows(native_call *call) {
    int how = *(const int *)call->function->extra;
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), part = argument_text(call, 1, row);
        bool fits = part.length <= value.length;
        if (how == CONTAINS)
            RESULT(call, bool)[row] = !part.length || memmem(value.bytes, value.length, part.bytes, part.length);
        else {
            const char *at = how == STARTS || !fits ? value.bytes : value.bytes + (value.length - part.length);
            RESULT(call, bool)[row] = fits && !memcmp(at, part.bytes, part.length);
        }
    }
}

/* --- character sets --- */

enum charset { UNKNOWN, ASCII, LATIN1, UTF16, UTF16BE, UTF16LE, UTF32 };

static enum charset charset_of(text name) {
    static const char *const names[] = {"", "US-ASCII", "ISO-8859-1", "UTF-16", "UTF-16BE", "UTF-16LE", "UTF-32"};
    for (int i = 1; i < 7; i++)
        if (name.length == strlen(names[i]) && !strncasecmp(name.bytes, names[i], name.length))
            return (enum charset)i;
    return UNKNOWN;
}

static char *put_unit(char *at, uint32_t unit, bool little) {
    at[little] = (char)(unit >> 8);
    at[!little] = (char)unit;
    return at + 2;
}

static char *put_utf16(char *at, uint32_t c, bool little) {
    if (c < 0x10000)
        return put_unit(at, c, little);
    at = put_unit(at, 0xD800 + ((c - 0x10000) >> 10), little);
    return put_unit(at, 0xDC00 + ((c - 0x10000) & 0x3FF), little);
}

/* NULL: a character that the set does not have. */
static char *put_encoded(char *at, uint32_t c, enum charset set) {
    switch (set) {
    case ASCII: case LATIN1:
        if (c > (set == ASCII ? 127 : 255))
            return NULL;
        *at = (char)c;
        return at + 1;
    case UTF32: return put_unit(put_unit(at, c >> 16, false), c & 0xFFFF, false);
    default: return put_utf16(at, c, set == UTF16LE);
    }
}

static void encode_rows(native_call *call) {
    scratch memory = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        enum charset set = charset_of(argument_text(call, 1, row));
        char *into = room(&memory, 4 * (size_t)value.length + 4), *at = into;
        if (set == UTF16 && value.length)
            at = put_unit(at, 0xFEFF, false);
        for (uint32_t i = 0; at && i < value.length; i += character_bytes((unsigned char)value.bytes[i]))
            at = put_encoded(at, character_at(value.bytes + i), set);
        if (!at || set == UNKNOWN)
            fall_back(call, "CHARACTER_SET", "a character that the character set does not have");
        else
            set_text(call, row, into, (size_t)(at - into));
    }
    release(memory.bytes);
}

static uint32_t unit_at(const unsigned char *at, bool little) { return (uint32_t)at[little] << 8 | at[!little]; }

static char *decode_utf16(char *at, text value, enum charset set) {
    const unsigned char *bytes = (const unsigned char *)value.bytes;
    bool little = set == UTF16LE;
    uint32_t i = 0;
    if (value.length % 2)
        return NULL;
    if (set == UTF16 && value.length >= 2 && (unit_at(bytes, false) == 0xFEFF || unit_at(bytes, false) == 0xFFFE)) {
        little = unit_at(bytes, false) == 0xFFFE;
        i = 2;
    }
    for (; i < value.length; i += 2) {
        uint32_t c = unit_at(bytes + i, little);
        if (c >= 0xD800 && c < 0xE000) {
            uint32_t low = c < 0xDC00 && i + 4 <= value.length ? unit_at(bytes + i + 2, little) : 0;
            if (low < 0xDC00 || low > 0xDFFF)
                return NULL;
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            i += 2;
        }
        at += write_character(at, c);
    }
    return at;
}

static char *decoded(char *at, text value, enum charset set) {
    if (set >= UTF16)
        return set == UTF32 ? NULL : decode_utf16(at, value, set);
    for (uint32_t i = 0; i < value.length; i++) {
        unsigned char byte = (unsigned char)value.bytes[i];
        if (set == UNKNOWN || (set == ASCII && byte > 127))
            return NULL;
        at += write_character(at, byte);
    }
    return at;
}

static void decode_rows(native_call *call) {
    scratch memory = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        char *into = room(&memory, 2 * (size_t)value.length + 4);
        char *end = decoded(into, value, charset_of(argument_text(call, 1, row)));
        if (end)
            set_text(call, row, into, (size_t)(end - into));
        else
            fall_back(call, "CHARACTER_SET", "bytes that are not valid in their character set");
    }
    release(memory.bytes);
}

const native_function bytes_functions[] = {
    {"spark_bytes_substring", "xii>x", substring_rows, NULL},
    {"spark_bytes_reverse", "x>x", reverse_rows, NULL},
    {"spark_bytes_lpad", "xix>x", pad_rows, ""},
    {"spark_bytes_rpad", "xix>x", pad_rows, NULL},
    {"spark_bytes_starts", "xx>b", search_rows, &starts},
    {"spark_bytes_ends", "xx>b", search_rows, &ends},
    {"spark_bytes_contains", "xx>b", search_rows, &contains},
    {"spark_encode", "vv>x", encode_rows, NULL},
    {"spark_decode", "xv>v", decode_rows, NULL},
    {NULL}};
