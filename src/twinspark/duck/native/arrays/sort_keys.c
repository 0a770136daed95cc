/* Compares nested values in Spark's order, and encodes them as byte strings that sort in that order.
 *
 * SQL spelling: spark_compare([a], [b]) < 0, ORDER BY spark_sort_key([a]); null when a value is. */
#include "json/json.h"
#include "core/values.h"
#include <math.h>

static void compare_rows(native_call *call) {
    value_column lefts = value_argument(call, 0), rights = value_argument(call, 1);
    EACH_ROW(call, row) {
        idx_t i = elements_at(&lefts, row, 1), j = elements_at(&rights, row, 1);
        if (value_valid(lefts.children, i) && value_valid(rights.children, j))
            RESULT(call, int32_t)[row] = compare_values(lefts.children, i, rights.children, j);
        else
            set_null(call, row);
    }
    free_value(&lefts);
    free_value(&rights);
}

/* Big-endian with the sign bit inverted, so that unsigned bytes sort as the numbers do. */
static void add_number(buffer *key, uint128 bits, int bytes) {
    bits ^= (uint128)1 << (8 * bytes - 1);
    for (int i = bytes - 1; i >= 0; i--)
        add_byte(key, (char)(bits >> (8 * i)));
}

/* NaN is the greatest, -0.0 equals 0.0. The bits of negative numbers are inverted. */
static void add_double(buffer *key, double value) {
    int64_t bits;
    value = isnan(value) ? (double)NAN : value + 0.0;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        bits = INT64_MAX;
    add_number(key, (uint64_t)(bits < 0 ? INT64_MIN - bits : bits), 8);
}

/* Zero bytes are escaped, so that two of them end a string. */
static void add_escaped(buffer *key, text value) {
    for (uint32_t i = 0; i < value.length; i++) {
        add_byte(key, value.bytes[i]);
        if (!value.bytes[i])
            add_byte(key, (char)0xFF);
    }
    add_bytes(key, "\0\0", 2);
}

static void add_value(buffer *key, const value_column *column, idx_t at);

static void add_or_null(buffer *key, const value_column *column, idx_t at) {
    bool valid = value_valid(column, at);
    add_byte(key, valid);
    if (valid)
        add_value(key, column, at);
}

static void add_list(buffer *key, const value_column *column, idx_t at) {
    list_entry entry = list_at(column, at);
    for (uint64_t i = 0; i < entry.length; i++) {
        add_byte(key, 1);
        add_or_null(key, column->children, entry.offset + i);
    }
    add_byte(key, 0);
}

static void add_value(buffer *key, const value_column *column, idx_t at) {
    switch (column->type) {
    case TYPE_BOOLEAN:
    case TYPE_TINYINT: add_number(key, (uint8_t)((const int8_t *)column->data)[at], 1); break;
    case TYPE_SMALLINT: add_number(key, (uint16_t)((const int16_t *)column->data)[at], 2); break;
    case TYPE_INTEGER:
    case TYPE_DATE: add_number(key, (uint32_t)((const int32_t *)column->data)[at], 4); break;
    case TYPE_FLOAT: add_double(key, ((const float *)column->data)[at]); break;
    case TYPE_DOUBLE: add_double(key, ((const double *)column->data)[at]); break;
    case TYPE_HUGEINT: add_number(key, (uint128)((const stored_int128 *)column->data)[at], 16); break;
    case TYPE_VARCHAR:
    case TYPE_BLOB: add_escaped(key, text_of(&((const duckdb_string *)column->data)[at])); break;
    case TYPE_LIST:
    case TYPE_MAP: add_list(key, column, at); break;
    case TYPE_STRUCT:
        for (int i = 0; i < column->count; i++)
            add_or_null(key, &column->children[i], at);
        break;
    default: add_number(key, (uint64_t)((const int64_t *)column->data)[at], 8);
    }
}

static void sort_key_rows(native_call *call) {
    value_column values = value_argument(call, 0);
    buffer key = {0};
    EACH_ROW(call, row) {
        idx_t at = elements_at(&values, row, 1);
        key.length = 0;
        if (value_valid(values.children, at)) {
            add_value(&key, values.children, at);
            set_text(call, row, key.length ? key.bytes : "", key.length);
        } else
            set_null(call, row);
    }
    release(key.bytes);
    free_value(&values);
}

const native_function order_functions[] = {
    {"spark_compare", "AA>i", compare_rows, NULL}, {"spark_sort_key", "A>x", sort_key_rows, NULL}, {NULL}};
