/* variant_get by a path, access to a field, and the members of an object or array as a list.
 *
 * SQL spelling: spark_variant_get(v, '$.a[0]', name of the function), spark_variant_field(v, name), spark_variant_members(v),
 * spark_variant_keys(v). */
#include "variant/variant.h"
#include "core/utf8.h"
#include <stdio.h>

/* --- paths --- */

static enum path_end key_in_brackets(path_step *step, char quote) {
    const char *from = step->at.bytes + 2, *end = step->at.bytes + step->at.length;
    const char *close = memchr(from, quote, (size_t)(end - from));
    if (!close || close + 1 == end || close[1] != ']')
        return PATH_INVALID;
    *step = (path_step){{close + 2, (uint32_t)(end - close - 2)}, {from, (uint32_t)(close - from)}, true, 0};
    return PATH_STEP;
}

static enum path_end index_in_brackets(path_step *step) {
    uint32_t i = 1;
    int64_t index = 0;
    for (; i < step->at.length && step->at.bytes[i] >= '0' && step->at.bytes[i] <= '9'; i++)
        index = index > INT32_MAX ? index : 10 * index + (step->at.bytes[i] - '0');
    if (i == 1 || i == step->at.length || step->at.bytes[i] != ']')
        return PATH_INVALID;
    *step = (path_step){{step->at.bytes + i + 1, step->at.length - i - 1}, {0}, false, index};
    return index > INT32_MAX ? PATH_FALLS_BACK : PATH_STEP;
}

static enum path_end key_after_point(path_step *step) {
    uint32_t i = 1;
    while (i < step->at.length && step->at.bytes[i] != '.' && step->at.bytes[i] != '[')
        i++;
    text key = {step->at.bytes + 1, i - 1};
    *step = (path_step){{step->at.bytes + i, step->at.length - i}, key, true, 0};
    return i == 1 ? PATH_INVALID : PATH_STEP;
}

enum path_end next_step(path_step *step) {
    if (!step->at.length)
        return PATH_END;
    if (step->at.bytes[0] == '.')
        return key_after_point(step);
    if (step->at.bytes[0] != '[' || step->at.length < 2)
        return PATH_INVALID;
    char quote = step->at.bytes[1];
    return quote == '\'' || quote == '"' ? key_in_brackets(step, quote) : index_in_brackets(step);
}

enum path_end check_path(text path) {
    path_step step = {.at = {path.bytes + 1, path.length - 1}};
    enum path_end end = PATH_INVALID;
    if (path.length && path.bytes[0] == '$')
        while ((end = next_step(&step)) == PATH_STEP)
            ;
    return end;
}

static bool find_field(variant *v, text key) {
    variant_nest nest;
    text there;
    variant member;
    if (kind_of(v) != KIND_OBJECT || !open_nest(v, &nest))
        return false;
    for (uint32_t i = 0; i < nest.count; i++)
        if (key_at(v, &nest, i, &there) && there.length == key.length && memcmp(there.bytes, key.bytes, key.length) == 0) {
            bool found = member_at(v, &nest, i, &member);
            *v = member;
            return found;
        }
    return false;
}

static bool find_element(variant *v, int64_t index) {
    variant_nest nest;
    variant member;
    if (kind_of(v) != KIND_ARRAY || !open_nest(v, &nest) || index < 0 || index >= nest.count || !member_at(v, &nest, (uint32_t)index, &member))
        return false;
    *v = member;
    return true;
}

bool follow_path(variant *v, text path) {
    if (!path.length)
        return false;
    path_step step = {.at = {path.bytes + 1, path.length - 1}};
    while (next_step(&step) == PATH_STEP)
        if (!(step.is_key ? find_field(v, step.key) : find_element(v, step.index)))
            return false;
    return true;
}

static void bad_path(native_call *call, idx_t row, enum path_end end) {
    char name[64];
    text function = argument_text(call, 2, row);
    snprintf(name, sizeof name, "`%.*s`", (int)function.length, function.bytes);
    if (end == PATH_FALLS_BACK)
        fall_back(call, "VARIANT_PATH", "an index that does not fit an int");
    else
        spark_error_text(call, "INVALID_VARIANT_GET_PATH", "path", argument_text(call, 1, row), "functionName", name, NULL);
}

/* With only the keys that the found value uses in its dictionary. */
static void get_row(native_call *call, idx_t row, variant *v, variant_builder *builder) {
    text path = argument_text(call, 1, row);
    enum path_end end = check_path(path);
    if (end != PATH_END)
        bad_path(call, row, end);
    else if (!follow_path(v, path))
        set_null_variant(call, row);
    else {
        reset_builder(builder);
        if (append_variant(builder, v))
            set_built(call, row, builder);
        else
            malformed_variant(call);
    }
}

/* Every row is set: both columns of a NULL variant are NULL. */
static void get_rows(native_call *call) {
    value_column variants = value_argument(call, 0);
    variant_builder builder = {0};
    variant v;
    for (idx_t row = 0; row < call->rows && !call->failed; row++)
        if (row_valid(call, row) && variant_argument(&variants, row, &v))
            get_row(call, row, &v, &builder);
        else
            set_null_variant(call, row);
    close_builder(&builder);
    free_value(&variants);
}

/* A member as it is, beside the whole dictionary. */
static void set_member(native_call *call, idx_t row, const variant *v) {
    set_variant(call, row, (text){v->value.bytes + v->at, size_of(v)}, v->metadata);
}

static void field_rows(native_call *call) {
    value_column variants = value_argument(call, 0);
    variant v;
    for (idx_t row = 0; row < call->rows; row++)
        if (row_valid(call, row) && variant_argument(&variants, row, &v) && find_field(&v, argument_text(call, 1, row)))
            set_member(call, row, &v);
        else
            set_null_variant(call, row);
    free_value(&variants);
}

/* --- members as lists --- */

typedef struct { native_call *call; idx_t size, reserved; } member_list;

static void reserve_member(member_list *list) {
    if (list->size < list->reserved)
        return;
    list->reserved = list->reserved ? 2 * list->reserved : 2048;
    duckdb_list_vector_set_size(list->call->result, list->size);
    duckdb_list_vector_reserve(list->call->result, list->reserved);
}

static void add_member(member_list *list, const variant *v, text key, bool keys) {
    reserve_member(list);
    duckdb_vector child = duckdb_list_vector_get_child(list->call->result);
    if (keys)
        duckdb_unsafe_vector_assign_string_element_len(child, list->size++, key.bytes, key.length);
    else {
        text parts[2] = {{v->value.bytes + v->at, size_of(v)}, v->metadata};
        for (idx_t part = 0; part < 2; part++)
            duckdb_unsafe_vector_assign_string_element_len(duckdb_struct_vector_get_child(child, part), list->size, parts[part].bytes, parts[part].length);
        list->size++;
    }
}

static void add_members(member_list *list, const variant *v, bool keys) {
    variant_nest nest;
    variant member;
    text key = {0};
    bool object = kind_of(v) == KIND_OBJECT;
    if (!open_nest(v, &nest)) {
        malformed_variant(list->call);
        return;
    }
    for (uint32_t i = 0; !list->call->failed && i < nest.count; i++)
        if (!next_member(v, &nest, i, &member) || (object && !string_key_at(v, &nest, i, &key)))
            malformed_variant(list->call);
        else
            add_member(list, &member, key, keys);
}

/* Of objects and arrays; `extra` says whether the keys are wanted. Others have none: NULL. */
static void member_rows(native_call *call) {
    variant_rows rows = open_rows(call);
    member_list list = {call, 0, 0};
    bool keys = call->function->extra != NULL;
    for (idx_t row = 0; row < call->rows; row++)
        RESULT(call, list_entry)[row] = (list_entry){0, 0};
    EACH_VARIANT(call, &rows, row) {
        enum variant_kind kind = kind_of(&rows.v);
        list_entry entry = {list.size, 0};
        if (kind == KIND_OBJECT || (kind == KIND_ARRAY && !keys))
            add_members(&list, &rows.v, keys);
        else
            set_null(call, row);
        entry.length = list.size - entry.offset;
        RESULT(call, list_entry)[row] = entry;
    }
    duckdb_list_vector_set_size(call->result, list.size);
    free_value(&rows.variants);
}

const native_function variant_path_functions[] = {
    {"spark_variant_get", "Avv>V", get_rows, NULL},
    {"spark_variant_field", "Av>V", field_rows, NULL},
    {"spark_variant_members", "A>[V", member_rows, NULL},
    {"spark_variant_keys", "A>[v", member_rows, "keys"},
    {NULL},
};
