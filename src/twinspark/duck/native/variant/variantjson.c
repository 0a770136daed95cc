/* parse_json: JSON texts become variants.
 *
 * SQL spelling: spark_parse_json(text), spark_try_parse_json(text), which is NULL for what is no JSON. */
#include "variant/variant.h"

static bool build_object(variant_reading *task) {
    variant_mark mark = begin_object(&task->builder);
    while (next_token(&task->reader) == FIELD_NAME) {
        note_field(&task->builder, mark, task->reader.string);
        next_token(&task->reader);
        if (!build_value(task))
            return false;
    }
    return task->reader.token == END_OBJECT && finish_object(&task->builder, mark);
}

static bool build_array(variant_reading *task) {
    variant_mark mark = begin_array(&task->builder);
    while (next_token(&task->reader) != END_ARRAY) {
        note_element(&task->builder, mark);
        if (!build_value(task))
            return false;
    }
    finish_array(&task->builder, mark);
    return true;
}

/* Digits with at most one point, of at most 38 digits and 38 after the point. */
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
        unsigned digit = (unsigned char)(c - '0');
        value = 10 * value + digit;
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

static bool build_string(variant_reading *task) {
    if (task->reader.string.length > LONGEST_VARIANT_STRING)
        task->reader.problem = FALLS_BACK;
    append_string(&task->builder, task->reader.string);
    return !task->reader.problem;
}

bool build_value(variant_reading *task) {
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

void refuse_variant_json(native_call *call, idx_t row, const variant_reading *task) {
    if (task->reader.problem == FALLS_BACK)
        fall_back(call, "JSON_VALUE", "half a surrogate pair, or a document beyond the limits of Spark's parser");
    else if (!call->function->extra)
        spark_error_text(call, "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", "badRecord", argument_text(call, 0, row), "failFastMode", "FAILFAST", NULL);
}

bool build_text(variant_reading *task, text json) {
    reset_builder(&task->builder);
    open_json(&task->reader, json);
    next_token(&task->reader);
    return build_value(task) && !task->reader.problem;
}

static void parse_rows(native_call *call) {
    variant_reading task = {.reader = VARIANT_JSON};
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        if (!row_valid(call, row)) {
            set_null_variant(call, row);
            continue;
        }
        if (build_text(&task, argument_text(call, 0, row)))
            set_built(call, row, &task.builder);
        else {
            refuse_variant_json(call, row, &task);
            set_null_variant(call, row);
        }
    }
    close_json(&task.reader);
    close_builder(&task.builder);
}

const native_function variant_json_functions[] = {
    {"spark_parse_json", "v>V", parse_rows, NULL},
    {"spark_try_parse_json", "v>V", parse_rows, "try"},
    {NULL},
};
