/* schema_of_json, and schema inference over many strings as in spark.read.json.
 *
 * SQL spelling: spark_schema_of_json(text, options), spark_infer_json(list of texts, options, name of the corrupt column).
 * Options are letters: z leading zeros are allowed, o names without quotes, p primitives are strings, d fields that are always null are dropped. */
#include "json/inferred_types.h"

typedef struct { json_reader reader; bool primitives_as_strings, drop_nulls, odd; } inference;

static inferred of_kind(enum inferred_kind kind) { return (inferred){.kind = kind}; }

static void take_options(inference *task, text options) {
    task->reader.non_numeric = task->reader.no_controls = true;
    task->reader.leading_zeros = memchr(options.bytes, 'z', options.length) != NULL;
    task->reader.open_names = memchr(options.bytes, 'o', options.length) != NULL;
    task->primitives_as_strings = memchr(options.bytes, 'p', options.length) != NULL;
    task->drop_nulls = memchr(options.bytes, 'd', options.length) != NULL;
}

/* Beyond 64 bits a number is a decimal, beyond 38 digits a double. */
static inferred type_of_whole(text raw) {
    int128 value = 0;
    bool negative = raw.bytes[0] == '-';
    uint32_t from = negative;
    while (from + 1 < raw.length && raw.bytes[from] == '0')
        from++;
    uint32_t digits = raw.length - from;
    for (uint32_t i = from; i < raw.length && digits < 20; i++)
        value = 10 * value + (raw.bytes[i] - '0');
    if (digits < 20 && value <= (int128)INT64_MAX + negative)
        return of_kind(INFER_LONG);
    if (digits > 38)
        return of_kind(INFER_DOUBLE);
    return (inferred){.kind = INFER_DECIMAL, .precision = (int)digits};
}

static inferred type_at(inference *task);

static inferred type_of_members(inference *task) {
    inferred type = {.kind = INFER_STRUCT};
    while (next_token(&task->reader) == FIELD_NAME) {
        buffer name = {0};
        add_bytes(&name, task->reader.string.bytes, task->reader.string.length);
        next_token(&task->reader);
        add_field(&type, (text){name.bytes, (uint32_t)name.length}, type_at(task));
        release(name.bytes);
    }
    sort_fields(&type);
    return type;
}

static inferred type_of_elements(inference *task) {
    inferred element = {INFER_VOID};
    while (next_token(&task->reader) != END_ARRAY && !task->reader.problem)
        element = merged(element, type_at(task), INFER_STRING, &task->odd);
    return array_of(element);
}

static inferred type_at(inference *task) {
    switch (task->reader.token) {
    case START_OBJECT: return type_of_members(task);
    case START_ARRAY: return type_of_elements(task);
    case VALUE_STRING: return of_kind(task->reader.string.length ? INFER_STRING : INFER_VOID);
    case VALUE_INT: return task->primitives_as_strings ? of_kind(INFER_STRING) : type_of_whole(task->reader.raw);
    case VALUE_FLOAT: return of_kind(task->primitives_as_strings ? INFER_STRING : INFER_DOUBLE);
    case VALUE_TRUE:
    case VALUE_FALSE: return of_kind(task->primitives_as_strings ? INFER_STRING : INFER_BOOLEAN);
    default: return of_kind(INFER_VOID);
    }
}

/* JsonInferSchema.canonicalizeType: what was never there is a string, structs without fields are nothing. False: nothing. */
static bool canonical(inferred *type, bool drop_nulls) {
    if (type->kind == INFER_ARRAY)
        return canonical(&type->children[0], drop_nulls);
    if (type->kind == INFER_VOID)
        type->kind = drop_nulls ? INFER_VOID : INFER_STRING;
    if (type->kind != INFER_STRUCT)
        return type->kind != INFER_VOID;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < type->count; i++) {
        bool keep = type->name_lengths[i] && canonical(&type->children[i], drop_nulls);
        if (!keep) {
            free_inferred(&type->children[i]);
            release(type->names[i]);
            continue;
        }
        type->names[kept] = type->names[i];
        type->name_lengths[kept] = type->name_lengths[i];
        type->children[kept++] = type->children[i];
    }
    type->count = kept;
    return kept > 0;
}

static inferred infer_text(inference *task, text json) {
    open_json(&task->reader, json);
    next_token(&task->reader);
    return type_at(task);
}

/* Structs without fields stay at the root, and as the elements of an array there. */
static void canonical_root(inferred *type, bool drop_nulls) {
    bool nested = type->kind == INFER_STRUCT || (type->kind == INFER_ARRAY && type->children[0].kind == INFER_STRUCT);
    if (!canonical(type, drop_nulls) && !nested) {
        free_inferred(type);
        type->kind = INFER_STRING;
    }
}

static void schema_row(native_call *call, idx_t row, inference *task, buffer *out) {
    inferred type = infer_text(task, argument_text(call, 0, row));
    canonical_root(&type, task->drop_nulls);
    out->length = 0;
    write_inferred(&type, "STRUCT", out);
    free_inferred(&type);
    if (task->reader.problem || task->odd)
        fall_back(call, "SCHEMA_INFERENCE", "a JSON document that is malformed, or whose keys differ only in case");
    else
        set_text(call, row, out->bytes, out->length);
}

static void schema_rows(native_call *call) {
    inference task = {.odd = false};
    buffer out = {0};
    EACH_ROW(call, row) {
        take_options(&task, argument_text(call, 1, row));
        schema_row(call, row, &task, &out);
    }
    close_json(&task.reader);
    release(out.bytes);
}

/* --- many texts --- */

static bool has_field(const inferred *type, text name) {
    for (uint32_t i = 0; i < type->count; i++)
        if (type->name_lengths[i] == name.length && memcmp(type->names[i], name.bytes, name.length) == 0)
            return true;
    return false;
}

static inferred with_corrupt(inferred type, text name) {
    if (!has_field(&type, name)) {
        add_field(&type, name, of_kind(INFER_STRING));
        sort_fields(&type);
    }
    return type;
}

static inferred without_arrays(inferred type) {
    while (type.kind == INFER_ARRAY) {
        inferred element = type.children[0];
        release(type.children);
        type = element;
    }
    return type;
}

/* JsonInferSchema.compatibleRootType, in PERMISSIVE mode. */
static inferred merged_roots(inferred left, inferred right, text corrupt, bool *odd) {
    left = without_arrays(left);
    right = without_arrays(right);
    if (left.kind == INFER_VOID || right.kind == INFER_VOID || (left.kind == INFER_STRUCT) == (right.kind == INFER_STRUCT))
        return merged(left, right, INFER_STRING, odd);
    return with_corrupt(left.kind == INFER_STRUCT ? left : right, corrupt);
}

static inferred root_of_text(inference *task, text json, text corrupt) {
    inferred type = infer_text(task, json);
    if (!task->reader.problem)
        return type;
    free_inferred(&type);
    return with_corrupt(of_kind(INFER_STRUCT), corrupt);
}

static void infer_row(native_call *call, idx_t row, inference *task, const value_column *lists, buffer *out) {
    inferred all = of_kind(INFER_STRUCT);
    text corrupt = argument_text(call, 2, row);
    list_entry entry = list_at(lists, row);
    bool falls_back = false;
    for (uint64_t i = 0; i < entry.length; i++) {
        if (!value_valid(lists->children, entry.offset + i)) {
            falls_back = true;
            continue;
        }
        text json = text_of(&((const duckdb_string *)lists->children->data)[entry.offset + i]);
        inferred next = root_of_text(task, json, corrupt);
        falls_back |= task->reader.problem == FALLS_BACK;
        all = merged_roots(all, next, corrupt, &task->odd);
    }
    canonical(&all, task->drop_nulls);
    out->length = 0;
    write_inferred(&all, "STRUCT", out);
    free_inferred(&all);
    if (task->odd || falls_back)
        fall_back(call, "SCHEMA_INFERENCE", "JSON documents whose keys differ only in case, with half a surrogate pair, or null");
    else
        set_text(call, row, out->bytes, out->length);
}

static void infer_rows(native_call *call) {
    inference task = {.odd = false};
    value_column lists = value_argument(call, 0);
    buffer out = {0};
    expect_type(&lists, TYPE_LIST);
    expect_type(lists.children, TYPE_VARCHAR);
    EACH_ROW(call, row) {
        take_options(&task, argument_text(call, 1, row));
        infer_row(call, row, &task, &lists, &out);
    }
    close_json(&task.reader);
    release(out.bytes);
    free_value(&lists);
}

/* For Python (ctypes), where a schema must be known before anything runs; NULL if only Spark can infer it. Not freed by the caller: it is
 * valid until the thread's next call. */
typedef struct { text json; const char *options; buffer *out; bool fine; } schema_request;

static void answer_request(void *given) {
    schema_request *request = given;
    inference task = {.odd = false};
    take_options(&task, plain_text(request->options));
    inferred type = infer_text(&task, request->json);
    canonical_root(&type, task.drop_nulls);
    request->out->length = 0;
    write_inferred(&type, "STRUCT", request->out);
    add_byte(request->out, 0);
    request->fine = !task.reader.problem && !task.odd;
    free_inferred(&type);
    close_json(&task.reader);
}

/* The result is valid until the thread's next call. */
__attribute__((visibility("default"))) const char *twinspark_schema_of_json(const char *json, uint32_t length, const char *options) {
    static _Thread_local buffer out;
    schema_request request = {{json, length}, options, &out, false};
    return run_guarded(answer_request, &request, OWNED_BY_STATE) && request.fine ? out.bytes : NULL;
}

const native_function json_schema_functions[] = {
    {"spark_schema_of_json", "vv>v", schema_rows, NULL},
    {"spark_infer_json", "Avv>v", infer_rows, NULL},
    {NULL},
};
