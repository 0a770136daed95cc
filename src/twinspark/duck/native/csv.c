/* A line of CSV taken apart as univocity's parser does with Spark's defaults: quotes are ", backslashes escape inside them.
 *
 * SQL spelling: spark_csv_fields(line, separator); an empty field is NULL, an empty line has none. Lines with escapes, with several
 * lines in them, or with quotes elsewhere than around a whole field are left to Spark. */
#include "values.h"

static const char *find_char(const char *from, const char *end, char c) {
    const char *found = memchr(from, c, (size_t)(end - from));
    return found ? found : end;
}

/* The end of the field that starts at `from`; NULL when only Spark can tell. */
static const char *past_field(const char *from, const char *end, char separator, text *field) {
    if (from == end || *from != '"') {
        const char *to = find_char(from, end, separator);
        *field = (text){from, (uint32_t)(to - from)};
        return memchr(from, '"', (size_t)(to - from)) ? NULL : to;
    }
    const char *close = find_char(from + 1, end, '"');
    *field = (text){from + 1, (uint32_t)(close - from - 1)};
    bool plain = close < end && !memchr(field->bytes, '\\', field->length) && (close + 1 == end || close[1] == separator);
    return plain ? close + 1 : NULL;
}

static bool add_line(position_writer *list, text line, char separator) {
    const char *at = line.bytes, *end = line.bytes + line.length;
    if (memchr(at, '\n', line.length) || memchr(at, '\r', line.length) || memchr(at, 0, line.length))
        return false;
    while (line.length) {
        text field;
        at = past_field(at, end, separator, &field);
        if (!at)
            return false;
        add_string(list, field, !field.length);
        if (at++ == end)
            break;
    }
    return true;
}

static void field_rows(native_call *call) {
    position_writer list = {call};
    for (idx_t row = 0; row < call->rows; row++)
        RESULT(call, list_entry)[row] = (list_entry){0, 0};
    EACH_ROW(call, row) {
        begin_list(&list, row);
        if (!add_line(&list, argument_text(call, 0, row), argument_text(call, 1, row).bytes[0]))
            spark_error(call, "ELSEWHERE", "reason", "a line of CSV with escapes, line ends or loose quotes", NULL);
        end_list(&list, row);
    }
    finish_positions(&list);
}

const native_function csv_functions[] = {{"spark_csv_fields", "vv>[v", field_rows, NULL}, {NULL}};
