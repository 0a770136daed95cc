/* json_tuple: extracts fields of an object as strings in one pass.
 *
 * SQL spelling: spark_json_tuple_<n>(json, [names]) -> a struct of n texts, whose names may differ from row to row. */
#include "json/json.h"
#include "core/values.h"

/* A column of the result. The value is a slice of the text, or is stored in `kept`. */
typedef struct { text found; bool is_there; buffer kept; native_call column; } tuple_field;
typedef struct { json_reader reader; json_writer writer; text given; int count; tuple_field fields[MOST_TEXT_FIELDS]; } tuple_reading;

static bool is_within(text given, text part) { return part.bytes >= given.bytes && part.bytes <= given.bytes + given.length; }

/* A string without escapes, or a whole number whose text is not changed by being read. */
static bool stands_as_it_is(const tuple_reading *reading, text *value) {
    const json_reader *reader = &reading->reader;
    *value = reader->token == VALUE_STRING ? reader->string : reader->raw;
    if (reader->token == VALUE_INT)
        return value->length != 2 || memcmp(value->bytes, "-0", 2);
    return reader->token == VALUE_STRING && is_within(reading->given, *value);
}

static text copied_value(tuple_reading *reading) {
    json_writer *writer = &reading->writer;
    reset_writer(writer);
    if (reading->reader.token == VALUE_STRING)
        add_bytes(&writer->out, reading->reader.string.bytes, reading->reader.string.length);
    else
        copy_structure(&reading->reader, writer);
    return (text){writer->out.bytes, (uint32_t)writer->out.length};
}

static void keep_value(tuple_field *field, text value, bool as_it_is) {
    field->is_there = true;
    field->found = value;
    if (as_it_is)
        return;
    field->kept.length = 0;
    add_bytes(&field->kept, value.bytes ? value.bytes : "", value.length);
    field->found.bytes = field->kept.bytes;
}

static bool is_name(const value_column *names, uint64_t at, text name) {
    text wanted = text_of(&((const duckdb_string *)names->data)[at]);
    return value_valid(names, at) && wanted.length == name.length && !memcmp(wanted.bytes, name.bytes, name.length);
}

/* Which columns are named so, as bits. */
static uint64_t columns_named(const tuple_reading *reading, const value_column *names, uint64_t first) {
    uint64_t named = 0;
    for (int i = 0; i < reading->count; i++)
        named |= (uint64_t)is_name(names, first + (uint64_t)i, reading->reader.string) << i;
    return named;
}

/* The field's value goes to every column of its name; a duplicate field replaces it. */
static void read_tuple(tuple_reading *reading, const value_column *names, uint64_t first) {
    json_reader *reader = &reading->reader;
    bool is_object = next_token(reader) == START_OBJECT;
    while (is_object && next_token(reader) != END_OBJECT && !reader->problem) {
        uint64_t named = columns_named(reading, names, first);
        if (!named) {
            skip_value(reader);
            continue;
        }
        if (next_token(reader) != VALUE_NULL && !reader->problem) {
            text value;
            bool as_it_is = stands_as_it_is(reading, &value);
            value = as_it_is ? value : copied_value(reading);
            for (int i = 0; i < reading->count; i++)
                if (named >> i & 1)
                    keep_value(&reading->fields[i], value, as_it_is);
        }
        skip_children(reader);
    }
}

static void set_tuple(tuple_reading *reading, idx_t row) {
    for (int i = 0; i < reading->count; i++) {
        tuple_field *field = &reading->fields[i];
        if (field->is_there && !reading->reader.problem)
            set_text(&field->column, row, field->found.bytes, field->found.length);
        else
            set_null(&field->column, row);
        field->is_there = false;
    }
}

static void open_fields(native_call *call, tuple_reading *reading) {
    for (int i = 0; i < reading->count; i++) {
        duckdb_vector column = duckdb_struct_vector_get_child(call->result, (idx_t)i);
        reading->fields[i].column = (native_call){.result = column, .out = duckdb_vector_get_data(column)};
    }
}

static void close_fields(tuple_reading *reading) {
    for (int i = 0; i < reading->count; i++) {
        hand_over_texts(&reading->fields[i].column);
        release(reading->fields[i].kept.bytes);
    }
}

static void tuple_rows(native_call *call) {
    tuple_reading reading = {.writer = {.into_bytes = true}, .count = call->scale};
    value_column names = value_argument(call, 1);
    open_fields(call, &reading);
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        reading.given = argument_valid(call, 0, row) ? argument_text(call, 0, row) : (text){"", 0};
        open_json(&reading.reader, reading.given);
        read_tuple(&reading, names.children, elements_at(&names, row, (uint64_t)call->scale));
        if (reading.reader.problem == FALLS_BACK)
            give_up_json(call);
        set_tuple(&reading, row);
    }
    close_fields(&reading);
    free_value(&names);
    close_json(&reading.reader);
    close_writer(&reading.writer);
}

const native_function json_tuple_functions[] = {{"spark_json_tuple", "?v[v>*", tuple_rows, NULL}, {NULL}};
