/* Formats a string as a field of a CSV line: univocity's writer with Spark's defaults.
 *
 * SQL spelling: spark_csv_text(text, separator, is_first). Blanks around it are trimmed; quotes are put around values with a line
 * end, a quote or the separator, around nothing at all, and in a line's first field around what begins with #, which would be
 * a comment to others; inside them a backslash escapes quotes and itself. */
#include "core/native.h"

static inline bool is_blank(char c) { return (unsigned char)c <= ' '; }

static bool needs_quotes(text value, char separator) {
    for (uint32_t i = 0; i < value.length; i++) {
        char c = value.bytes[i];
        if (c == '\n' || c == '\r' || c == '"' || c == separator)
            return true;
    }
    return false;
}

static char *write_quoted(char *at, text value) {
    *at++ = '"';
    for (uint32_t i = 0; i < value.length; i++) {
        if (value.bytes[i] == '"' || value.bytes[i] == '\\')
            *at++ = '\\';
        *at++ = value.bytes[i];
    }
    *at++ = '"';
    return at;
}

static void text_rows(native_call *call) {
    EACH_ROW(call, row) {
        text given = argument_text(call, 0, row), left = given, separator = argument_text(call, 1, row);
        while (left.length && is_blank(*left.bytes))
            left = (text){left.bytes + 1, left.length - 1};
        text value = left;
        while (value.length && is_blank(value.bytes[value.length - 1]))
            value.length--;
        bool comment = ARGUMENT(call, bool, 2)[row] && given.length && *given.bytes == '#';
        char *into = room_for_text(call, 2 * (size_t)value.length + 2), *at = into;
        if (comment || !value.length || needs_quotes(left, *separator.bytes))
            at = write_quoted(into, value);
        else
            at = (char *)memcpy(into, value.bytes, value.length) + value.length;
        set_written(call, row, (size_t)(at - into));
    }
}

const native_function csv_write_functions[] = {{"spark_csv_text", "vvb>v", text_rows, NULL}, {NULL}};
