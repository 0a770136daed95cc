/* A line of CSV taken apart as univocity's parser does with Spark's defaults: quotes are ", backslashes escape inside them.
 *
 * SQL spelling: spark_csv_fields(line, separator); an empty field is NULL, an empty line has none. Lines with escapes, with several
 * lines in them, or with quotes elsewhere than around a whole field are left to Spark. */
#include "values.h"

typedef struct { native_call *call; idx_t size, reserved; } field_list;

static void add_field(field_list *list, text field) {
    duckdb_vector lists = list->call->result;
    if (list->size == list->reserved) {
        list->reserved = list->reserved ? 2 * list->reserved : 2048;
        duckdb_list_vector_set_size(lists, list->size);
        duckdb_list_vector_reserve(lists, list->reserved);
    }
    duckdb_vector child = duckdb_list_vector_get_child(lists);
    duckdb_vector_ensure_validity_writable(child);
    uint64_t *valid = duckdb_vector_get_validity(child), mark = 1ULL << (list->size & 63);
    if (field.length) {
        valid[list->size >> 6] |= mark;
        duckdb_unsafe_vector_assign_string_element_len(child, list->size, field.bytes, field.length);
    } else
        valid[list->size >> 6] &= ~mark;
    list->size++;
}

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

static bool add_line(field_list *list, text line, char separator) {
    const char *at = line.bytes, *end = line.bytes + line.length;
    if (memchr(at, '\n', line.length) || memchr(at, '\r', line.length) || memchr(at, 0, line.length))
        return false;
    while (line.length) {
        text field;
        at = past_field(at, end, separator, &field);
        if (!at)
            return false;
        add_field(list, field);
        if (at++ == end)
            break;
    }
    return true;
}

static void field_rows(native_call *call) {
    field_list list = {call, 0, 0};
    for (idx_t row = 0; row < call->rows; row++)
        RESULT(call, list_entry)[row] = (list_entry){0, 0};
    EACH_ROW(call, row) {
        list_entry entry = {list.size, 0};
        if (!add_line(&list, argument_text(call, 0, row), argument_text(call, 1, row).bytes[0]))
            spark_error(call, "ELSEWHERE", "reason", "a line of CSV with escapes, line ends or loose quotes", NULL);
        entry.length = list.size - entry.offset;
        RESULT(call, list_entry)[row] = entry;
    }
    duckdb_list_vector_set_size(call->result, list.size);
}

const native_function csv_functions[] = {{"spark_csv_fields", "vv>[v", field_rows, NULL}, {NULL}};
