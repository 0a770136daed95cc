/* to_json: structs, arrays and maps written as Spark's JacksonGenerator writes them.
 *
 * SQL spelling: spark_to_json(value, ignore_null_fields), and the zone where variants are inside. Dates, timestamps and bytes come as
 * the strings they are written as. */
#include "json/json.h"
#include "core/shapes.h"
#include "numbers/shortest.h"
#include "core/values.h"
#include "variant/variant.h"
#include <math.h>
#include <stdio.h>

static int128 whole_at(const value_column *column, idx_t at) {
    switch (column->type) {
    case TYPE_TINYINT: return ((const int8_t *)column->data)[at];
    case TYPE_SMALLINT: return ((const int16_t *)column->data)[at];
    case TYPE_INTEGER: return ((const int32_t *)column->data)[at];
    case TYPE_HUGEINT: return ((const stored_int128 *)column->data)[at];
    default: return ((const int64_t *)column->data)[at];
    }
}

/* The digits of a magnitude, without sign; returns how many. */
static int digits_of(int128 value, char *into) {
    uint128 rest = value < 0 ? -(uint128)value : (uint128)value;
    char reversed[40];
    int count = 0;
    for (; rest > UINT64_MAX; rest /= 10)
        reversed[count++] = (char)('0' + (int)(rest % 10));
    uint64_t near = (uint64_t)rest;
    do
        reversed[count++] = (char)('0' + near % 10);
    while ((near /= 10));
    for (int i = 0; i < count; i++)
        into[i] = reversed[count - 1 - i];
    return count;
}

static text whole_text(int64_t value, char into[96]) {
    into[0] = '-';
    return (text){into, (uint32_t)(digits_of(value, into + (value < 0)) + (value < 0))};
}

/* java.math.BigDecimal.toString: with an exponent when the number is small. */
static text decimal_text(int128 value, int scale, char into[96]) {
    char digits[40];
    int count = digits_of(value, digits), at = 0, exponent = count - 1 - scale;
    if (value < 0)
        into[at++] = '-';
    if (exponent < -6) {
        into[at++] = digits[0];
        if (count > 1)
            into[at++] = '.';
        memcpy(into + at, digits + 1, (size_t)count - 1);
        at += count - 1;
        at += snprintf(into + at, 16, "E%d", exponent);
    } else {
        int whole = count - scale;
        if (whole < 1) {
            at += snprintf(into + at, 4, "0.");
            memset(into + at, '0', (size_t)-whole);
            at -= whole;
        }
        for (int i = 0; i < count; i++) {
            if (i == whole && i > 0)
                into[at++] = '.';
            into[at++] = digits[i];
        }
    }
    return (text){into, (uint32_t)at};
}

static void write_float(json_writer *writer, float value) {
    char digits[JAVA_NUMBER_SIZE];
    text shown = {digits, (uint32_t)java_float_text(value, digits)};
    if (isfinite(value))
        write_plain(writer, shown);
    else
        write_string(writer, shown);
}

typedef struct { json_writer *writer; const zone_rules *zone; bool ignore_nulls, failed; } json_task;
static void write_value(json_task *task, const value_shape *shape, const value_column *column, idx_t at);

static void write_or_null(json_task *task, const value_shape *shape, const value_column *column, idx_t at) {
    if (value_valid(column, at))
        write_value(task, shape, column, at);
    else
        write_plain(task->writer, plain_text("null"));
}

static void write_struct(json_task *task, const value_shape *shape, const value_column *column, idx_t at) {
    start_scope(task->writer, '{');
    for (int i = 0; i < shape->count; i++) {
        if (!value_valid(&column->children[i], at) && task->ignore_nulls)
            continue;
        write_label(task->writer, shape->labels[i]);
        write_or_null(task, &shape->children[i], &column->children[i], at);
    }
    end_scope(task->writer, '}');
}

/* Bytes come as texts here, so that a struct of two byte strings is a variant; it is written as it is. */
static bool is_variant(const value_shape *shape) { return shape->count == 2 && shape->children[0].id == TYPE_BLOB && shape->children[1].id == TYPE_BLOB; }

static void write_variant(json_task *task, const value_column *column, idx_t at) {
    const duckdb_string *value = column->children[0].data, *metadata = column->children[1].data;
    variant v = {text_of(&value[at]), text_of(&metadata[at]), 0};
    buffer out = {0};
    if (!task->zone || !variant_json(&v, task->zone, &out))
        task->failed = true;
    write_plain(task->writer, (text){out.bytes, (uint32_t)out.length});
    release(out.bytes);
}

static void write_list(json_task *task, const value_shape *shape, const value_column *column, idx_t at) {
    list_entry entry = list_at(column, at);
    start_scope(task->writer, '[');
    for (uint64_t i = 0; i < entry.length; i++)
        write_or_null(task, shape->children, column->children, entry.offset + i);
    end_scope(task->writer, ']');
}

/* A key is shown as Java prints Spark's inner value. */
static void write_map(json_task *task, const value_shape *shape, const value_column *column, idx_t at) {
    list_entry entry = list_at(column, at);
    const value_column *keys = &column->children->children[0], *values = &column->children->children[1];
    start_scope(task->writer, '{');
    for (uint64_t i = 0; i < entry.length; i++) {
        char into[64];
        text name;
        if (shape->children->children[0].id == TYPE_DECIMAL || !inner_text(keys, entry.offset + i, into, sizeof into, &name))
            task->failed = true;
        else
            write_name(task->writer, name);
        write_or_null(task, &shape->children->children[1], values, entry.offset + i);
    }
    end_scope(task->writer, '}');
}

static void write_value(json_task *task, const value_shape *shape, const value_column *column, idx_t at) {
    char into[96];
    switch (shape->id) {
    case TYPE_BOOLEAN: write_plain(task->writer, plain_text(((const bool *)column->data)[at] ? "true" : "false")); break;
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INTEGER:
    case TYPE_BIGINT: write_plain(task->writer, whole_text((int64_t)whole_at(column, at), into)); break;
    case TYPE_DECIMAL: write_plain(task->writer, decimal_text(whole_at(column, at), shape->scale, into)); break;
    case TYPE_FLOAT: write_float(task->writer, ((const float *)column->data)[at]); break;
    case TYPE_DOUBLE: write_double(task->writer, ((const double *)column->data)[at]); break;
    case TYPE_VARCHAR: write_string(task->writer, text_of(&((const duckdb_string *)column->data)[at])); break;
    case TYPE_STRUCT:
        if (is_variant(shape))
            write_variant(task, column, at);
        else
            write_struct(task, shape, column, at);
        break;
    case TYPE_LIST: write_list(task, shape, column, at); break;
    case TYPE_MAP: write_map(task, shape, column, at); break;
    default: task->failed = true;
    }
}

static void make_labels(value_shape *shape) {
    bool is_struct = shape->id == TYPE_STRUCT;
    shape->labels = is_struct ? allocate_zeroed((size_t)shape->count + 1, sizeof *shape->labels) : NULL;
    for (int i = 0; i < shape->count; i++) {
        make_labels(&shape->children[i]);
        buffer label = {0};
        if (!is_struct)
            continue;
        add_quoted(&label, plain_text(shape->names[i]), false);
        add_byte(&label, ':');
        shape->labels[i] = (text){label.bytes, (uint32_t)label.length};
    }
}

/* The zone is a constant: the first row's is that of all. */
static const zone_rules *zone_of(const native_call *call, zone_rules *zone) {
    bool known = call->arguments > 2 && call->rows && find_zone(argument_text(call, 2, 0), zone) == ZONE_KNOWN;
    return known ? zone : NULL;
}

static void to_json_rows(native_call *call) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(call->chunk, 0);
    value_column values = value_of_vector(vector);
    value_shape shape = shape_of(vector, false);
    make_labels(&shape);
    json_writer writer = {{0}};
    zone_rules zone;
    json_task task = {&writer, zone_of(call, &zone), call->rows && ARGUMENT(call, bool, 1)[0], false};
    EACH_ROW(call, row) {
        reset_writer(&writer);
        write_value(&task, &shape, &values, row);
        if (task.failed)
            fall_back(call, "FUNCTION_ARGUMENT_TYPE", "to_json of a value of this type");
        else
            set_text(call, row, writer.out.bytes, writer.out.length);
    }
    close_writer(&writer);
    free_shape(&shape);
    free_value(&values);
}

const native_function to_json_functions[] = {{"spark_to_json", "Ab>v", to_json_rows, NULL}, {"spark_to_json", "Abv>v", to_json_rows, NULL}, {NULL}};
