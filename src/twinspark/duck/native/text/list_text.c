/* Formats an array of strings as `[a, null, b]`, as casts to strings and show do.
 *
 * SQL spelling: spark_list_text(list, word), the word standing for a null element. */
#include "core/values.h"

static size_t size_of_all(const value_column *items, list_entry entry, text word) {
    size_t size = 2;
    for (uint64_t i = entry.offset; i < entry.offset + entry.length; i++)
        size += 2 + (bit(items->valid, i) ? ((const duckdb_string *)items->data)[i].near.length : word.length);
    return size;
}

static char *append(char *at, text part) {
    memcpy(at, part.bytes, part.length);
    return at + part.length;
}

static void list_text_rows(native_call *call) {
    value_column list = value_argument(call, 0);
    const value_column *items = list.children;
    EACH_ROW(call, row) {
        list_entry entry = list_at(&list, row);
        text word = argument_text(call, 1, row);
        char *into = room_for_text(call, size_of_all(items, entry, word)), *at = into;
        *at++ = '[';
        for (uint64_t i = entry.offset; i < entry.offset + entry.length; i++) {
            if (i > entry.offset)
                at = append(at, (text){", ", 2});
            at = append(at, bit(items->valid, i) ? text_of((const duckdb_string *)items->data + i) : word);
        }
        *at++ = ']';
        set_written(call, row, (size_t)(at - into));
    }
    free_value(&list);
}

const native_function list_text_functions[] = {{"spark_list_text", "[vv>v", list_text_rows, NULL}, {NULL}};
