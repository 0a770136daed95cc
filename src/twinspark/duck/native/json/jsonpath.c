/* get_json_object, json_array_length, json_object_keys.
 *
 * SQL spelling: spark_get_json_object(json, path), spark_json_array_length(json), spark_json_object_keys(json) -> VARCHAR[]. */
#include "json/json.h"
#include "core/values.h"

/* --- paths --- */

enum step_kind { SUBSCRIPT, WILDCARD, KEY, INDEX, NAMED, PATH_END };
typedef struct { enum step_kind kind; int64_t index; text name; } path_step;
typedef struct { path_step *steps; size_t count, size; text source; bool valid, falls_back; } json_path;

static void add_step(json_path *path, path_step step) {
    path->steps = make_room(path->steps, &path->size, path->count + 2, sizeof *path->steps);
    path->steps[path->count++] = step;
    path->steps[path->count] = (path_step){PATH_END, 0, {NULL, 0}};
}

/* Spark's path parser skips blanks before words and names, not before single characters. */
static const char *past_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r')))
        at++;
    return at;
}

static const char *past_word(const char *at, const char *end, const char *word) {
    at = past_blanks(at, end);
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 ? at + length : NULL;
}

static const char *read_wildcard(json_path *path, const char *at, const char *end) {
    const char *next = past_word(at, end, ".*");
    if (!next)
        next = past_word(at, end, "['*']");
    if (next)
        add_step(path, (path_step){WILDCARD, 0, {NULL, 0}});
    return next;
}

static const char *add_name(json_path *path, const char *from, const char *to) {
    if (from == to)
        return NULL;
    add_step(path, (path_step){KEY, 0, {NULL, 0}});
    add_step(path, (path_step){NAMED, 0, {from, (uint32_t)(to - from)}});
    return to;
}

static const char *read_dotted(json_path *path, const char *at, const char *end) {
    if (at == end || *at != '.')
        return NULL;
    const char *from = past_blanks(at + 1, end), *to = from;
    while (to < end && *to != '.' && *to != '[')
        to++;
    return add_name(path, from, to);
}

static const char *read_quoted(json_path *path, const char *at, const char *end) {
    const char *from = past_word(at, end, "['"), *to;
    if (!from)
        return NULL;
    for (from = to = past_blanks(from, end); to < end && *to != '\'';)
        to++;
    const char *next = past_word(to, end, "']");
    return next && from < to && add_name(path, from, to) ? next : NULL;
}

static const char *read_subscript(json_path *path, const char *at, const char *end) {
    if (at == end || *at != '[')
        return NULL;
    path_step step = {WILDCARD, 0, {NULL, 0}};
    if (++at < end && *at == '*')
        at++;
    else {
        at = past_blanks(at, end);
        const char *digits = at;
        step.kind = INDEX;
        for (; at < end && *at >= '0' && *at <= '9'; at++)
            step.index = at - digits < 18 ? 10 * step.index + (*at - '0') : step.index;
        if (at == digits)
            return NULL;
        path->falls_back |= at - digits > 18;
    }
    if (at == end || *at != ']')
        return NULL;
    add_step(path, (path_step){SUBSCRIPT, 0, {NULL, 0}});
    add_step(path, step);
    return at + 1;
}

static void read_path(json_path *path, text source) {
    const char *at = source.bytes, *end = at + source.length;
    path->source = source;
    path->count = 0;
    path->valid = path->falls_back = false;
    if (!path->steps)
        add_step(path, (path_step){PATH_END, 0, {NULL, 0}});
    path->count = 0;
    path->steps[0].kind = PATH_END;
    if (at == end || *at++ != '$')
        return;
    for (const char *next = at; next; at = next ? next : at) {
        next = read_wildcard(path, at, end);
        if (!next)
            next = read_dotted(path, at, end);
        if (!next)
            next = read_quoted(path, at, end);
        if (!next)
            next = read_subscript(path, at, end);
    }
    path->valid = past_blanks(at, end) == end;
}

/* --- get_json_object --- */

enum style { RAW_STYLE, QUOTED_STYLE, FLATTEN_STYLE };
static bool evaluate_path(json_reader *reader, json_writer *writer, enum style style, const path_step *path);

static bool next_is_not(json_reader *reader, enum json_token token) { return next_token(reader) != token && !reader->problem; }

static bool is_named(const json_reader *reader, text name) {
    return reader->string.length == name.length && memcmp(reader->string.bytes, name.bytes, name.length) == 0;
}

/* Every token here is a field's name, or the token after its value. */
static bool in_object(json_reader *reader, json_writer *writer, enum style style, const path_step *path) {
    size_t outside = reader->depth - 1;
    while (next_is_not(reader, END_OBJECT))
        if (path->kind == NAMED && !is_named(reader, path->name))
            skip_value(reader);
        else if (evaluate_path(reader, writer, style, path)) {
            skip_out(reader, outside);
            return true;
        }
    return false;
}

static bool each_element(json_reader *reader, json_writer *writer, enum style style, const path_step *path) {
    bool found = false;
    while (next_is_not(reader, END_ARRAY))
        found |= evaluate_path(reader, writer, style, path);
    return found;
}

static bool all_elements(json_reader *reader, json_writer *writer, enum style style, const path_step *path) {
    start_scope(writer, '[');
    bool found = each_element(reader, writer, style, path);
    end_scope(writer, ']');
    return found;
}

/* The brackets stay when more than one element was written. */
static bool few_elements(json_reader *reader, json_writer *writer, enum style style, const path_step *path) {
    json_writer inner = {{0}};
    int found = 0;
    reset_writer(&inner);
    start_scope(&inner, '[');
    while (next_is_not(reader, END_ARRAY))
        found += evaluate_path(reader, &inner, style == RAW_STYLE ? QUOTED_STYLE : FLATTEN_STYLE, path);
    end_scope(&inner, ']');
    text whole = {inner.out.bytes, (uint32_t)inner.out.length};
    if (found > 1)
        write_plain(writer, whole);
    else if (found == 1)
        write_plain(writer, (text){whole.bytes + 1, whole.length - 2});
    close_writer(&inner);
    return found > 0;
}

static bool one_element(json_reader *reader, json_writer *writer, enum style style, const path_step *path, int64_t index) {
    for (next_token(reader); !reader->problem && reader->token != END_ARRAY; index--) {
        if (index == 0) {
            bool found = evaluate_path(reader, writer, style, path);
            while (next_is_not(reader, END_ARRAY))
                skip_children(reader);
            return found;
        }
        skip_children(reader);
        next_token(reader);
    }
    return false;
}

static bool in_array(json_reader *reader, json_writer *writer, enum style style, const path_step *path) {
    bool wildcard = path[1].kind == WILDCARD;
    bool wildcard_next = path[2].kind == SUBSCRIPT && path[3].kind == WILDCARD;
    if (wildcard && wildcard_next)
        return all_elements(reader, writer, FLATTEN_STYLE, path + 4);
    if (wildcard && style != QUOTED_STYLE)
        return few_elements(reader, writer, style, path + 2);
    if (wildcard)
        return all_elements(reader, writer, QUOTED_STYLE, path + 2);
    return one_element(reader, writer, wildcard_next ? QUOTED_STYLE : style, path + 2, path[1].index);
}

static bool at_end(json_reader *reader, json_writer *writer, enum style style, const path_step *path) {
    if (reader->token == VALUE_STRING && style == RAW_STYLE) {
        add_bytes(&writer->out, reader->string.bytes, reader->string.length);
        return true;
    }
    if (reader->token == START_ARRAY && style == FLATTEN_STYLE)
        return each_element(reader, writer, style, path);
    copy_structure(reader, writer);
    return true;
}

static bool evaluate_path(json_reader *reader, json_writer *writer, enum style style, const path_step *path) {
    if (path->kind == PATH_END)
        return at_end(reader, writer, style, path);
    if (reader->token == START_OBJECT && path->kind == KEY)
        return in_object(reader, writer, style, path + 1);
    if (reader->token == START_ARRAY && path->kind == SUBSCRIPT)
        return in_array(reader, writer, style, path);
    if (reader->token == FIELD_NAME && path->kind == NAMED && is_named(reader, path->name))
        return next_token(reader) != VALUE_NULL && !reader->problem && evaluate_path(reader, writer, style, path + 1);
    skip_children(reader);
    return false;
}

void give_up_json(native_call *call) {
    fall_back(call, "JSON_VALUE", "half a surrogate pair, or a document that is nested too deeply or too long");
}

static bool same_text(text a, text b) { return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0; }

static void get_object_rows(native_call *call) {
    json_reader reader = {0};
    json_writer writer = {.into_bytes = true};
    json_path path = {0};
    EACH_ROW(call, row) {
        text wanted = argument_text(call, 1, row);
        if (!path.steps || !same_text(path.source, wanted))
            read_path(&path, wanted);
        open_json(&reader, argument_text(call, 0, row));
        reset_writer(&writer);
        bool found = false;
        if (path.valid) {
            next_token(&reader);
            found = !reader.problem && evaluate_path(&reader, &writer, RAW_STYLE, path.steps);
        }
        if (reader.problem == FALLS_BACK || (path.valid && path.falls_back))
            give_up_json(call);
        else if (found && !reader.problem)
            set_text(call, row, writer.out.bytes ? writer.out.bytes : "", writer.out.length);
        else
            set_null(call, row);
    }
    close_json(&reader);
    close_writer(&writer);
    release(path.steps);
}

/* --- lists of strings --- */

static void object_keys_rows(native_call *call) {
    json_reader reader = {0};
    position_writer writer = {call};
    EACH_ROW(call, row) {
        list_entry *entry = &RESULT(call, list_entry)[row];
        entry->offset = writer.size;
        open_json(&reader, argument_text(call, 0, row));
        bool is_object = next_token(&reader) == START_OBJECT;
        while (is_object && next_is_not(&reader, END_OBJECT)) {
            add_string(&writer, reader.string, false);
            next_token(&reader);
            skip_children(&reader);
        }
        if (reader.problem == FALLS_BACK)
            give_up_json(call);
        if (!is_object || reader.problem) {
            writer.size = entry->offset;
            set_null(call, row);
        }
        entry->length = writer.size - entry->offset;
    }
    duckdb_list_vector_set_size(call->result, writer.size);
    close_json(&reader);
}

static void array_length_rows(native_call *call) {
    json_reader reader = {0};
    EACH_ROW(call, row) {
        int32_t count = 0;
        open_json(&reader, argument_text(call, 0, row));
        bool is_array = next_token(&reader) == START_ARRAY;
        while (is_array && next_is_not(&reader, END_ARRAY)) {
            count++;
            skip_children(&reader);
        }
        if (reader.problem == FALLS_BACK)
            give_up_json(call);
        if (!is_array || reader.problem)
            set_null(call, row);
        RESULT(call, int32_t)[row] = count;
    }
    close_json(&reader);
}

const native_function json_functions[] = {
    {"spark_get_json_object", "vv>v", get_object_rows, NULL},
    {"spark_json_array_length", "v>i", array_length_rows, NULL},
    {"spark_json_object_keys", "v>[v", object_keys_rows, NULL},
    {NULL}};
