/* Values of any type, nested ones too: compared, ordered and hashed as Spark does. */
#pragma once
#include "core/native.h"

typedef struct { uint64_t offset, length; } list_entry;

/* One vector with the vectors inside it. */
typedef struct value_column {
    int type;  /* DuckDB's; a DECIMAL is the whole number it is stored as */
    int count; /* of children */
    const void *data;
    const uint64_t *valid;
    struct value_column *children;
} value_column;

value_column value_of_vector(duckdb_vector vector);
value_column value_argument(const native_call *call, int argument);
void free_value(value_column *column);

static inline bool value_valid(const value_column *column, idx_t at) { return column->type != TYPE_SQLNULL && bit(column->valid, at); }
static inline list_entry list_at(const value_column *column, idx_t row) {
    if (__builtin_expect(column->type != TYPE_LIST && column->type != TYPE_MAP, 0))
        end_call("twinspark: a list is expected");
    return ((const list_entry *)column->data)[row];
}
/* Where a list of at least `count` elements begins: the SQL writer passes single values as lists of one. */
static inline idx_t elements_at(const value_column *column, idx_t row, uint64_t count) {
    list_entry entry = list_at(column, row);
    if (__builtin_expect(!value_valid(column, row) || entry.length < count, 0))
        end_call("twinspark: a longer list is expected");
    return entry.offset;
}
/* Ends the call where the SQL writer passed values of another type than the kernel reads. */
void expect_type(const value_column *column, int type);

/* Of all the lists of a call together: room for so many is made at once. */
uint64_t elements_of(const native_call *call, const value_column *lists);

/* Spark's ordering: NaN is the largest number and equal to itself, -0.0 equals 0.0, bytes are unsigned, a null comes first. */
int compare_values(const value_column *left, idx_t i, const value_column *right, idx_t j);
/* Values that are equal for compare_values have equal hashes. */
uint64_t hash_value(const value_column *column, idx_t at);

/* The value as Java prints what Spark holds (a date is its days); false when that is no plain number or string.
 * `shown` is in `into`, or in the column. */
bool inner_text(const value_column *column, idx_t at, char *into, size_t size, text *shown);

/* The result as a list of positions (from one) or of strings, written row by row. */
typedef struct { native_call *call; idx_t size, reserved; duckdb_vector child; void *data; uint64_t *valid; } position_writer;
void begin_list(position_writer *writer, idx_t row);
void add_position(position_writer *writer, int64_t position);
void add_string(position_writer *writer, text string, bool is_null);
void end_list(position_writer *writer, idx_t row);
void finish_positions(position_writer *writer);
