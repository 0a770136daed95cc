/* Converts values of any type to variants.
 *
 * SQL spelling: spark_to_variant(value, whether variants are inside). */
#include "core/shapes.h"
#include "variant/variant.h"

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
    expect_type(keys, TYPE_VARCHAR);
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

static void make_row(native_call *call, idx_t row, const value_shape *shape, const value_column *values, variant_builder *builder) {
    reset_builder(builder);
    if (!row_valid(call, row))
        set_null_variant(call, row);
    else if (build_of(builder, shape, values, row))
        set_built(call, row, builder);
    else
        fall_back(call, "VARIANT_VALUE", "a value that cannot be stored in a variant");
}

static void to_variant_rows(native_call *call) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(call->chunk, 0);
    value_column values = value_of_vector(vector);
    value_shape shape = shape_of(vector, call->rows && ARGUMENT(call, bool, 1)[0]); /* a constant */
    variant_builder builder = {0};
    for (idx_t row = 0; row < call->rows && !call->failed; row++)
        make_row(call, row, &shape, &values, &builder);
    close_builder(&builder);
    free_shape(&shape);
    free_value(&values);
}

const native_function variant_make_functions[] = {
    {"spark_to_variant", "Ab>V", to_variant_rows, NULL},
    {NULL},
};
