/* parse_json, and variants made of values of any type.
 *
 * SQL spelling: spark_parse_json(text), spark_try_parse_json(text), spark_to_variant([value], whether variants are inside). */
#include "shapes.h"
#include "variant.h"

enum { LONGEST_STRING = 20000000 }; /* Jackson's StreamReadConstraints */

/* --- JSON --- */

typedef struct { json_reader reader; variant_builder builder; } json_task;
static bool build_value(json_task *task);

static bool build_object(json_task *task) {
    variant_mark mark = begin_object(&task->builder);
    while (next_token(&task->reader) == FIELD_NAME) {
        note_field(&task->builder, mark, task->reader.string);
        next_token(&task->reader);
        if (!build_value(task))
            return false;
    }
    return task->reader.token == END_OBJECT && finish_object(&task->builder, mark);
}

static bool build_array(json_task *task) {
    variant_mark mark = begin_array(&task->builder);
    while (next_token(&task->reader) != END_ARRAY) {
        note_element(&task->builder, mark);
        if (!build_value(task))
            return false;
    }
    finish_array(&task->builder, mark);
    return true;
}

/* Digits with at most one point, of at most 38 digits and 38 behind the point. */
static bool build_decimal(variant_builder *builder, text raw) {
    uint128 value = 0;
    int scale = 0, precision = 0;
    bool point = false;
    for (uint32_t i = raw.bytes[0] == '-'; i < raw.length; i++) {
        char c = raw.bytes[i];
        if (c == '.') {
            point = true;
            continue;
        }
        if (c < '0' || c > '9')
            return false;
        scale += point;
        precision += precision || c != '0';
        if (precision > 38 || scale > 38)
            return false;
        value = 10 * value + (uint128)(c - '0');
    }
    append_decimal(builder, raw.bytes[0] == '-' ? -(int128)value : (int128)value, scale, precision ? precision : 1);
    return true;
}

static void build_floating(variant_builder *builder, text raw) {
    char digits[1100];
    if (build_decimal(builder, raw))
        return;
    memcpy(digits, raw.bytes, raw.length);
    digits[raw.length] = 0;
    append_double(builder, strtod(digits, NULL));
}

static void build_whole(variant_builder *builder, text raw) {
    int128 value = 0;
    bool negative = raw.bytes[0] == '-';
    for (uint32_t i = negative; i < raw.length && value < (int128)1 << 64; i++)
        value = 10 * value + (raw.bytes[i] - '0');
    value = negative ? -value : value;
    if (value >= INT64_MIN && value <= INT64_MAX)
        append_long(builder, (int64_t)value);
    else
        build_floating(builder, raw);
}

static bool build_string(json_task *task) {
    if (task->reader.string.length > LONGEST_STRING)
        task->reader.problem = ELSEWHERE;
    append_string(&task->builder, task->reader.string);
    return !task->reader.problem;
}

static bool build_value(json_task *task) {
    switch (task->reader.token) {
    case START_OBJECT: return build_object(task);
    case START_ARRAY: return build_array(task);
    case VALUE_STRING: return build_string(task);
    case VALUE_INT: build_whole(&task->builder, task->reader.raw); return true;
    case VALUE_FLOAT: build_floating(&task->builder, task->reader.raw); return true;
    case VALUE_TRUE: append_boolean(&task->builder, true); return true;
    case VALUE_FALSE: append_boolean(&task->builder, false); return true;
    case VALUE_NULL: append_null(&task->builder); return true;
    default: return false;
    }
}

static void refuse_json(native_call *call, idx_t row, const json_task *task) {
    if (task->reader.problem == ELSEWHERE)
        spark_error(call, "ELSEWHERE", "reason", "JSON beyond the limits of its reader, or half a character", NULL);
    else if (call->function->extra)
        set_null_variant(call, row);
    else
        spark_error_text(call, "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", "badRecord", argument_text(call, 0, row), "failFastMode", "FAILFAST", NULL);
}

/* What stands after the first value is not looked at. */
static void parse_rows(native_call *call) {
    json_task task = {.reader = {.no_controls = true, .double_quotes = true}};
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        if (!row_valid(call, row)) {
            set_null_variant(call, row);
            continue;
        }
        reset_builder(&task.builder);
        open_json(&task.reader, argument_text(call, 0, row));
        next_token(&task.reader);
        if (build_value(&task) && !task.reader.problem)
            set_built(call, row, &task.builder);
        else
            refuse_json(call, row, &task);
    }
    close_json(&task.reader);
    close_builder(&task.builder);
}

/* --- values of any type --- */

/* False when it cannot be a variant (a key twice, a type without a form). */
static bool build_of(variant_builder *builder, const value_shape *shape, const value_column *column, idx_t at);

static bool build_or_null(variant_builder *builder, const value_shape *shape, const value_column *column, idx_t at) {
    if (value_valid(column, at))
        return build_of(builder, shape, column, at);
    append_null(builder);
    return true;
}

static bool build_list(variant_builder *builder, const value_shape *shape, const value_column *column, idx_t at) {
    list_entry entry = list_at(column, at);
    variant_mark mark = begin_array(builder);
    for (uint64_t i = 0; i < entry.length; i++) {
        note_element(builder, mark);
        if (!build_or_null(builder, shape->children, column->children, entry.offset + i))
            return false;
    }
    finish_array(builder, mark);
    return true;
}

static bool build_map(variant_builder *builder, const value_shape *shape, const value_column *column, idx_t at) {
    list_entry entry = list_at(column, at);
    const value_column *keys = &column->children->children[0], *values = &column->children->children[1];
    variant_mark mark = begin_object(builder);
    for (uint64_t i = 0; i < entry.length; i++) {
        note_field(builder, mark, text_of(&((const duckdb_string *)keys->data)[entry.offset + i]));
        if (!build_or_null(builder, &shape->children->children[1], values, entry.offset + i))
            return false;
    }
    return finish_object(builder, mark);
}

static bool build_struct(variant_builder *builder, const value_shape *shape, const value_column *column, idx_t at) {
    variant_mark mark = begin_object(builder);
    for (int i = 0; i < shape->count; i++) {
        note_field(builder, mark, plain_text(shape->names[i]));
        if (!build_or_null(builder, &shape->children[i], &column->children[i], at))
            return false;
    }
    return finish_object(builder, mark);
}

static bool build_variant(variant_builder *builder, const value_column *column, idx_t at) {
    variant v = {text_of(&((const duckdb_string *)column->children[0].data)[at]), text_of(&((const duckdb_string *)column->children[1].data)[at]), 0};
    return append_variant(builder, &v);
}

static int128 whole_at(const value_column *column, idx_t at) {
    switch (column->type) {
    case TYPE_TINYINT: return ((const int8_t *)column->data)[at];
    case TYPE_SMALLINT: return ((const int16_t *)column->data)[at];
    case TYPE_INTEGER:
    case TYPE_DATE: return ((const int32_t *)column->data)[at];
    case TYPE_HUGEINT: return ((const stored_int128 *)column->data)[at];
    default: return ((const int64_t *)column->data)[at];
    }
}

static void build_decimal_of(variant_builder *builder, int128 value, int scale) {
    int precision = 1;
    for (int128 rest = value; rest /= 10;)
        precision++;
    append_decimal(builder, value, scale, precision);
}

static bool build_of(variant_builder *builder, const value_shape *shape, const value_column *column, idx_t at) {
    switch (shape->id) {
    case TYPE_BOOLEAN: append_boolean(builder, ((const bool *)column->data)[at]); return true;
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INTEGER:
    case TYPE_BIGINT: append_long(builder, (int64_t)whole_at(column, at)); return true;
    case TYPE_FLOAT: append_float(builder, ((const float *)column->data)[at]); return true;
    case TYPE_DOUBLE: append_double(builder, ((const double *)column->data)[at]); return true;
    case TYPE_DECIMAL: build_decimal_of(builder, whole_at(column, at), shape->scale); return true;
    case TYPE_VARCHAR: append_string(builder, text_of(&((const duckdb_string *)column->data)[at])); return true;
    case TYPE_BLOB: append_binary(builder, text_of(&((const duckdb_string *)column->data)[at])); return true;
    case TYPE_DATE: append_moment(builder, PRIMITIVE_DATE, (int64_t)whole_at(column, at)); return true;
    case TYPE_TIMESTAMP_TZ: append_moment(builder, PRIMITIVE_TIMESTAMP, (int64_t)whole_at(column, at)); return true;
    case TYPE_TIMESTAMP: append_moment(builder, PRIMITIVE_TIMESTAMP_NTZ, (int64_t)whole_at(column, at)); return true;
    case TYPE_LIST: return build_list(builder, shape, column, at);
    case TYPE_MAP: return build_map(builder, shape, column, at);
    case TYPE_STRUCT: return shape->is_variant ? build_variant(builder, column, at) : build_struct(builder, shape, column, at);
    default: return false;
    }
}

static void make_row(native_call *call, idx_t row, const value_shape *shape, const value_column *lists, variant_builder *builder) {
    idx_t at = list_at(lists, row).offset;
    reset_builder(builder);
    if (!value_valid(lists->children, at))
        set_null_variant(call, row);
    else if (build_of(builder, shape->children, lists->children, at))
        set_built(call, row, builder);
    else
        spark_error(call, "ELSEWHERE", "reason", "a value that cannot be a variant", NULL);
}

static void to_variant_rows(native_call *call) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(call->chunk, 0);
    value_column lists = value_of_vector(vector);
    value_shape shape = {0};
    variant_builder builder = {0};
    EACH_ROW(call, row) {
        if (!shape.count)
            shape = shape_of(vector, ARGUMENT(call, bool, 1)[row]);
        make_row(call, row, &shape, &lists, &builder);
    }
    close_builder(&builder);
    free_shape(&shape);
    free_value(&lists);
}

const native_function variant_make_functions[] = {
    {"spark_parse_json", "v>V", parse_rows, NULL},
    {"spark_try_parse_json", "v>V", parse_rows, "try"},
    {"spark_to_variant", "Ab>V", to_variant_rows, NULL},
    {NULL},
};
