/* Reads vectors of any type, compares their values in Spark's order, hashes them, and writes lists of positions. */
#include "numbers/shortest.h"
#include "core/values.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int stored_type(duckdb_logical_type type) {
    int id = duckdb_get_type_id(type);
    return id == TYPE_DECIMAL ? duckdb_decimal_internal_type(type) : id;
}

static idx_t child_count(int id, duckdb_logical_type type) {
    return id == TYPE_LIST || id == TYPE_MAP ? 1 : id == TYPE_STRUCT ? duckdb_struct_type_child_count(type) : 0;
}

value_column value_of_vector(duckdb_vector vector) {
    duckdb_logical_type type = duckdb_vector_get_column_type(vector);
    value_column column = {.type = stored_type(type), .valid = duckdb_vector_get_validity(vector)};
    column.count = (int)child_count(column.type, type);
    duckdb_destroy_logical_type(&type);
    if (column.type != TYPE_STRUCT)
        column.data = duckdb_vector_get_data(vector);
    column.children = column.count ? allocate_temporary((size_t)column.count, sizeof(value_column)) : NULL;
    for (int i = 0; i < column.count; i++)
        column.children[i] = value_of_vector(column.type == TYPE_STRUCT ? duckdb_struct_vector_get_child(vector, (idx_t)i)
                                                                        : duckdb_list_vector_get_child(vector));
    return column;
}

value_column value_argument(const native_call *call, int argument) {
    return value_of_vector(duckdb_data_chunk_get_vector(call->chunk, (idx_t)argument));
}

void free_value(value_column *column) {
    for (int i = 0; i < column->count; i++)
        free_value(&column->children[i]);
    release(column->children);
}

void expect_type(const value_column *column, int type) {
    if (column->type != type)
        end_call("twinspark: an argument of another type than the function takes");
}

uint64_t elements_of(const native_call *call, const value_column *lists) {
    uint64_t elements = 0;
    EACH_ROW(call, row) elements += list_at(lists, row).length;
    return elements;
}

/* --- comparison --- */

static int order_of(bool less, bool greater) { return less ? -1 : greater; }

static int compare_doubles(double a, double b) {
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return order_of(a < b, a > b);
}

static int compare_bytes(text a, text b) {
    int order = memcmp(a.bytes, b.bytes, a.length < b.length ? a.length : b.length);
    return order ? order_of(order < 0, true) : order_of(a.length < b.length, a.length > b.length);
}

static int compare_or_null(const value_column *left, idx_t i, const value_column *right, idx_t j) {
    bool here = value_valid(left, i), there = value_valid(right, j);
    return here && there ? compare_values(left, i, right, j) : here - there;
}

static int compare_lists(const value_column *left, idx_t i, const value_column *right, idx_t j) {
    list_entry a = list_at(left, i), b = list_at(right, j);
    for (uint64_t k = 0; k < a.length && k < b.length; k++) {
        int order = compare_or_null(left->children, a.offset + k, right->children, b.offset + k);
        if (order)
            return order;
    }
    return order_of(a.length < b.length, a.length > b.length);
}

static int compare_structs(const value_column *left, idx_t i, const value_column *right, idx_t j) {
    for (int k = 0; k < left->count && k < right->count; k++) {
        int order = compare_or_null(&left->children[k], i, &right->children[k], j);
        if (order)
            return order;
    }
    return 0;
}

#define COMPARE(type)                                                                                                  \
    do {                                                                                                               \
        type a = ((const type *)left->data)[i], b = ((const type *)right->data)[j];                                    \
        return order_of(a < b, a > b);                                                                                 \
    } while (0)

/* How a value of the type is stored. */
static int storage_of(int type) {
    switch (type) {
    case TYPE_BOOLEAN: return TYPE_TINYINT;
    case TYPE_DATE: return TYPE_INTEGER;
    case TYPE_BLOB: return TYPE_VARCHAR;
    case TYPE_MAP: return TYPE_LIST;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ: return TYPE_BIGINT;
    default: return type;
    }
}

int compare_values(const value_column *left, idx_t i, const value_column *right, idx_t j) {
    if (__builtin_expect(left->type != right->type, 0) && storage_of(left->type) != storage_of(right->type))
        end_call("twinspark: values of different types are compared");
    switch (left->type) {
    case TYPE_BOOLEAN:
    case TYPE_TINYINT: COMPARE(int8_t);
    case TYPE_SMALLINT: COMPARE(int16_t);
    case TYPE_INTEGER:
    case TYPE_DATE: COMPARE(int32_t);
    case TYPE_FLOAT: return compare_doubles(((const float *)left->data)[i], ((const float *)right->data)[j]);
    case TYPE_DOUBLE: return compare_doubles(((const double *)left->data)[i], ((const double *)right->data)[j]);
    case TYPE_HUGEINT: COMPARE(stored_int128);
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        return compare_bytes(text_of(&((const duckdb_string *)left->data)[i]), text_of(&((const duckdb_string *)right->data)[j]));
    case TYPE_LIST:
    case TYPE_MAP: return compare_lists(left, i, right, j);
    case TYPE_STRUCT: return compare_structs(left, i, right, j);
    default: COMPARE(int64_t); /* BIGINT and the times */
    }
}

/* --- hashes --- */

static uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B185EBCA87ULL;
    return hash ^ hash >> 29;
}

static uint64_t hash_bytes(text value) {
    uint64_t hash = value.length;
    for (uint32_t i = 0; i < value.length; i++)
        hash = mixed(hash, (unsigned char)value.bytes[i]);
    return hash;
}

static uint64_t hash_double(double value) {
    uint64_t word;
    value = isnan(value) ? (double)NAN : value + 0.0;
    memcpy(&word, &value, sizeof word);
    return mixed(1, word);
}

static uint64_t hash_or_null(const value_column *column, idx_t at) { return value_valid(column, at) ? hash_value(column, at) : 7; }

static uint64_t hash_nested(const value_column *column, idx_t at) {
    uint64_t hash = 3;
    if (column->type == TYPE_STRUCT)
        for (int i = 0; i < column->count; i++)
            hash = mixed(hash, hash_or_null(&column->children[i], at));
    else
        for (uint64_t i = 0; i < list_at(column, at).length; i++)
            hash = mixed(hash, hash_or_null(column->children, list_at(column, at).offset + i));
    return hash;
}

uint64_t hash_value(const value_column *column, idx_t at) {
    switch (column->type) {
    case TYPE_BOOLEAN:
    case TYPE_TINYINT: return mixed(1, (uint64_t)((const int8_t *)column->data)[at]);
    case TYPE_SMALLINT: return mixed(1, (uint64_t)((const int16_t *)column->data)[at]);
    case TYPE_INTEGER:
    case TYPE_DATE: return mixed(1, (uint64_t)((const int32_t *)column->data)[at]);
    case TYPE_FLOAT: return hash_double(((const float *)column->data)[at]);
    case TYPE_DOUBLE: return hash_double(((const double *)column->data)[at]);
    case TYPE_HUGEINT: return mixed(1, (uint64_t)((const stored_int128 *)column->data)[at]);
    case TYPE_VARCHAR:
    case TYPE_BLOB: return hash_bytes(text_of(&((const duckdb_string *)column->data)[at]));
    case TYPE_LIST:
    case TYPE_MAP:
    case TYPE_STRUCT: return hash_nested(column, at);
    default: return mixed(1, (uint64_t)((const int64_t *)column->data)[at]);
    }
}

/* --- texts --- */

bool inner_text(const value_column *column, idx_t at, char *into, size_t size, text *shown) {
    *shown = (text){into, 0};
    switch (column->type) {
    case TYPE_BOOLEAN: *shown = plain_text(((const bool *)column->data)[at] ? "true" : "false"); return true;
    case TYPE_TINYINT: shown->length = (uint32_t)snprintf(into, size, "%d", ((const int8_t *)column->data)[at]); return true;
    case TYPE_SMALLINT: shown->length = (uint32_t)snprintf(into, size, "%d", ((const int16_t *)column->data)[at]); return true;
    case TYPE_INTEGER:
    case TYPE_DATE: shown->length = (uint32_t)snprintf(into, size, "%d", ((const int32_t *)column->data)[at]); return true;
    case TYPE_BIGINT:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        shown->length = (uint32_t)snprintf(into, size, "%lld", (long long)((const int64_t *)column->data)[at]);
        return true;
    case TYPE_FLOAT: shown->length = (uint32_t)java_float_text(((const float *)column->data)[at], into); return true;
    case TYPE_DOUBLE: shown->length = (uint32_t)java_double_text(((const double *)column->data)[at], into); return true;
    case TYPE_VARCHAR: *shown = text_of(&((const duckdb_string *)column->data)[at]); return true;
    default: return false;
    }
}

/* --- lists of positions --- */

void begin_list(position_writer *writer, idx_t row) { RESULT(writer->call, list_entry)[row].offset = writer->size; }

static void room_for_one(position_writer *writer) {
    duckdb_vector list = writer->call->result;
    if (writer->size < writer->reserved)
        return;
    writer->reserved = writer->reserved ? 2 * writer->reserved : 2048;
    duckdb_list_vector_set_size(list, writer->size);
    duckdb_list_vector_reserve(list, writer->reserved);
    writer->child = duckdb_list_vector_get_child(list);
    duckdb_vector_ensure_validity_writable(writer->child);
    writer->data = duckdb_vector_get_data(writer->child);
    writer->valid = duckdb_vector_get_validity(writer->child);
}

void add_position(position_writer *writer, int64_t position) {
    room_for_one(writer);
    ((int64_t *)writer->data)[writer->size++] = position;
}

/* What fits into the string itself needs no help of DuckDB. */
static void set_string(position_writer *writer, text string) {
    duckdb_string made = {.near = {.length = string.length}};
    if (string.length > sizeof made.near.bytes) {
        duckdb_unsafe_vector_assign_string_element_len(writer->child, writer->size, string.bytes, string.length);
        return;
    }
    memcpy(made.near.bytes, string.bytes, string.length);
    ((duckdb_string *)writer->data)[writer->size] = made;
}

void add_string(position_writer *writer, text string, bool is_null) {
    room_for_one(writer);
    uint64_t mark = 1ULL << (writer->size & 63);
    if (is_null) {
        writer->valid[writer->size >> 6] &= ~mark;
    } else {
        writer->valid[writer->size >> 6] |= mark;
        set_string(writer, string);
    }
    writer->size++;
}

void end_list(position_writer *writer, idx_t row) {
    list_entry *entry = &RESULT(writer->call, list_entry)[row];
    entry->length = writer->size - entry->offset;
}

void finish_positions(position_writer *writer) { duckdb_list_vector_set_size(writer->call->result, writer->size); }
