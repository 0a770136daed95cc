/* from_json: parses a string by a schema as Spark's JacksonParser does.
 *
 * SQL spelling: CAST(CAST(spark_from_json(text, schema, options) AS JSON) AS <type>). The result is JSON again, but with nothing in it
 * that does not fit the schema. The schema is written in letters: b boolean, t s i l whole numbers, f d floating ones, v string,
 * q a number or string kept as a string, Q a string kept so, [x array, mx map of strings to x, (3:abcx4:defgy) struct, and c, in the
 * root struct, the text itself when it does not fit.
 * Options are letters: q only double quotes, n no NaN and its kin, u raw control characters, o names without quotes, F the first text that does not fit ends
 * all, r the rows of spark.read.json (the schema is that of an array of structs), D which leaves out what does not fit,
 * e strings of what is no string exactly as it is written. */
#include "json/fromjson.h"

enum { DEEPEST_SCHEMA = 1000 };
typedef struct { const char *at, *end; int depth; } schema_reader;

static _Noreturn void refuse_schema(void) { end_call("twinspark: letters that are no schema"); }

static char next_letter(schema_reader *reader) {
    if (reader->at == reader->end)
        refuse_schema();
    return *reader->at++;
}

/* A name comes with its length in front: 3:abc. */
static text next_name(schema_reader *reader) {
    uint64_t length = 0;
    char letter;
    while ((letter = next_letter(reader)) >= '0' && letter <= '9' && length <= UINT32_MAX)
        length = 10 * length + (uint64_t)(letter - '0');
    if (letter != ':' || length > (uint64_t)(reader->end - reader->at))
        refuse_schema();
    reader->at += length;
    return (text){reader->at - length, (uint32_t)length};
}

static schema next_schema(schema_reader *reader) {
    schema made = {.kind = next_letter(reader)};
    if (!strchr("btsilfdvqQc[m(", made.kind) || !made.kind || ++reader->depth > DEEPEST_SCHEMA)
        refuse_schema();
    if (made.kind == '[' || made.kind == 'm') {
        made.count = 1;
        made.children = allocate(1, sizeof(schema));
        made.children[0] = next_schema(reader);
    }
    while (made.kind == '(' && (reader->at == reader->end || *reader->at != ')')) {
        made.children = reallocate(made.children, (size_t)made.count + 1, sizeof(schema));
        made.names = reallocate(made.names, (size_t)made.count + 1, sizeof(text));
        made.names[made.count] = next_name(reader);
        made.children[made.count] = next_schema(reader);
        made.count++;
    }
    reader->at += made.kind == '(';
    reader->depth--;
    return made;
}

schema read_schema(text letters) {
    schema_reader reader = {letters.bytes, letters.bytes + letters.length, 0};
    schema made = next_schema(&reader);
    if (reader.at != reader.end)
        refuse_schema();
    return made;
}

void free_schema(schema *of) {
    for (int i = 0; i < of->count; i++)
        free_schema(&of->children[i]);
    release(of->children);
    release(of->names);
}

static enum outcome convert(conversion *task, const schema *to, buffer *out);

void note_problem(conversion *task) {
    if (!task->reader.problem || task->noted)
        return;
    task->noted = true;
    task->caught = task->catchers > 0 && (task->reader.at != task->reader.end || task->reader.after_name);
}

enum json_token step(conversion *task) {
    enum json_token token = next_token(&task->reader);
    note_problem(task);
    return token;
}

/* The first token of a field's value: Jackson reads it with the field's name, except that a string is read lazily. */
void step_to_value(conversion *task) {
    const char *at = task->reader.at;
    while (at < task->reader.end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    bool string = at < task->reader.end && (*at == '"' || *at == '\'');
    task->catchers += string;
    step(task);
    task->catchers -= string;
}

void skip(conversion *task) {
    skip_children(&task->reader);
    note_problem(task);
}

static enum outcome convert_field(conversion *task, const schema *to, buffer *out) {
    size_t depth = task->reader.depth;
    step_to_value(task);
    if (task->reader.problem)
        return FAILED;
    buffer value = {0};
    task->catchers++;
    enum outcome outcome = convert(task, to, &value);
    task->catchers--;
    if (outcome == CONVERTED && !task->reader.problem) {
        out->length = 0;
        add_bytes(out, value.bytes, value.length);
    }
    release(value.bytes);
    if (outcome == FAILED && !task->reader.problem) {
        skip(task);
        while (task->reader.depth > depth && !task->reader.problem)
            step(task);
    }
    return outcome;
}

int field_named(const json_reader *reader, const schema *to) {
    for (int i = 0; i < to->count; i++)
        if (to->children[i].kind != 'c' && to->names[i].length == reader->string.length && memcmp(to->names[i].bytes, reader->string.bytes, reader->string.length) == 0)
            return i;
    return -1;
}

/* Every field, null if it is missing; a mark, which no JSON string contains, for the corrupt-record column. */
static void write_fields(const schema *to, const buffer *fields, buffer *out) {
    add_byte(out, '{');
    for (int i = 0; i < to->count; i++) {
        if (i)
            add_byte(out, ',');
        add_quoted(out, to->names[i], false);
        add_byte(out, ':');
        if (fields && fields[i].length)
            add_bytes(out, fields[i].bytes, fields[i].length);
        else if (to->children[i].kind == 'c')
            add_text(out, "\"\x01\"");
        else
            add_text(out, "null");
    }
    add_byte(out, '}');
}

/* Whether SQL converts a value later, when an earlier value of the same field is lost. */
static bool is_kept(const schema *of) {
    bool kept = of->kind == 'q' || of->kind == 'Q';
    for (int i = 0; i < of->count && !kept; i++)
        kept = is_kept(&of->children[i]);
    return kept;
}

/* A field that fails keeps its earlier value; a duplicate field replaces it. */
static enum outcome convert_struct(conversion *task, const schema *to, buffer *out) {
    buffer *fields = allocate_zeroed((size_t)to->count + 1, sizeof *fields);
    while (step(task) != END_OBJECT && !task->reader.problem) {
        int field = field_named(&task->reader, to);
        if (field >= 0 && fields[field].length && is_kept(&to->children[field]))
            task->reader.problem = FALLS_BACK;
        else if (field >= 0)
            convert_field(task, &to->children[field], &fields[field]);
        else {
            skip_value(&task->reader);
            note_problem(task);
        }
    }
    write_fields(to, fields, out);
    for (int i = 0; i < to->count; i++)
        release(fields[i].bytes);
    release(fields);
    return CONVERTED;
}

static bool was_key(const buffer *keys, const uint32_t *ends, int count, text key) {
    for (int i = 0; i < count; i++) {
        uint32_t start = i ? ends[i - 1] : 0;
        if (ends[i] - start == key.length && memcmp(keys->bytes + start, key.bytes, key.length) == 0)
            return true;
    }
    return false;
}

/* A value that fails makes the whole map fail, at its end. A key that comes twice stays twice in Spark: not here. */
static enum outcome convert_map(conversion *task, const schema *to, buffer *out) {
    buffer keys = {0};
    uint32_t *ends = NULL;
    int count = 0;
    enum outcome outcome = CONVERTED;
    add_byte(out, '{');
    while (step(task) != END_OBJECT && !task->reader.problem) {
        if (was_key(&keys, ends, count, task->reader.string))
            task->reader.problem = FALLS_BACK;
        add_bytes(&keys, task->reader.string.bytes, task->reader.string.length);
        ends = reallocate(ends, (size_t)count + 1, sizeof *ends);
        ends[count++] = (uint32_t)keys.length;
        if (count > 1)
            add_byte(out, ',');
        add_quoted(out, task->reader.string, false);
        add_byte(out, ':');
        buffer value = {0};
        if (convert_field(task, to->children, &value) == FAILED)
            outcome = FAILED;
        add_bytes(out, value.bytes, value.length);
        release(value.bytes);
    }
    add_byte(out, '}');
    release(keys.bytes);
    release(ends);
    return outcome;
}

/* An element that fails makes the array fail there and then. */
static enum outcome convert_array(conversion *task, const schema *to, buffer *out) {
    char mark = '[';
    while (step(task) != END_ARRAY && !task->reader.problem) {
        add_byte(out, mark);
        mark = ',';
        if (convert(task, to->children, out) == FAILED)
            return FAILED;
    }
    add_text(out, mark == '[' ? "[]" : "]");
    return CONVERTED;
}

/* The rows of spark.read.json: one for each object of an array. */
static enum outcome convert_rows(conversion *task, const schema *to, buffer *out) {
    char mark = '[';
    while (step(task) != END_ARRAY && !task->reader.problem) {
        add_byte(out, mark);
        mark = ',';
        if (task->reader.token == VALUE_NULL)
            task->reader.problem = FALLS_BACK;
        if (convert(task, to->children, out) == FAILED)
            return FAILED;
    }
    add_text(out, mark == '[' ? "[]" : "]");
    return CONVERTED;
}

static enum outcome convert_fitting(conversion *task, const schema *to, buffer *out);

static enum outcome convert(conversion *task, const schema *to, buffer *out) {
    if (task->reader.token == VALUE_NULL) {
        add_text(out, "null");
        return CONVERTED;
    }
    enum outcome outcome = convert_fitting(task, to, out);
    task->bad |= outcome == FAILED;
    return outcome;
}

static enum outcome convert_fitting(conversion *task, const schema *to, buffer *out) {
    enum json_token token = task->reader.token;
    switch (to->kind) {
    case '[': return token == START_ARRAY ? convert_array(task, to, out) : FAILED;
    case 'm': return token == START_OBJECT ? convert_map(task, to, out) : FAILED;
    case '(': return token == START_OBJECT ? convert_struct(task, to, out) : FAILED;
    default: return convert_plain(task, to->kind, out);
    }
}

/* An object where an array of structs is wanted is an array of one. */
static enum outcome convert_root(conversion *task, const schema *to, buffer *out) {
    if (task->reader.token == VALUE_NULL)
        return FAILED;
    if (task->rows && task->reader.token == START_ARRAY)
        return convert_rows(task, to, out);
    if (to->kind != '[' || to->children->kind != '(' || task->reader.token != START_OBJECT)
        return convert(task, to, out);
    add_byte(out, '[');
    enum outcome outcome = convert(task, to->children, out);
    add_byte(out, ']');
    return outcome;
}

static bool has_corrupt(const schema *to) {
    bool found = false;
    for (int i = 0; to->kind == '(' && i < to->count; i++)
        found |= to->children[i].kind == 'c';
    return found;
}

/* Whether a text fits is known at its end: the marks become the text, or null. */
static void set_marked(native_call *call, idx_t row, bool bad, buffer *out) {
    static const char mark[] = "\"\x01\"";
    char *found = memmem(out->bytes, out->length, mark, sizeof mark - 1);
    buffer made = {0};
    const char *from = out->bytes, *end = out->bytes + out->length;
    for (; found; found = memmem(from, (size_t)(end - from), mark, sizeof mark - 1)) {
        add_bytes(&made, from, (size_t)(found - from));
        if (bad)
            add_quoted(&made, argument_text(call, 0, row), false);
        else
            add_text(&made, "null");
        from = found + sizeof mark - 1;
    }
    add_bytes(&made, from, (size_t)(end - from));
    set_text(call, row, made.bytes, made.length);
    release(made.bytes);
}

static void set_json(native_call *call, idx_t row, const conversion *task, const schema *to, buffer *out) {
    text given = argument_text(call, 0, row);
    if (!has_corrupt(to->kind == '[' ? to->children : to))
        set_text(call, row, out->bytes, out->length);
    else if (task->bad && memchr(given.bytes, 0, given.length))
        fall_back(call, "JSON_VALUE", "a NUL character in a document that does not fit the schema");
    else
        set_marked(call, row, task->bad, out);
}

/* The record is malformed as a whole. */
static void set_nothing(native_call *call, idx_t row, conversion *task, const schema *to, buffer *out) {
    out->length = 0;
    task->bad = true;
    if (to->kind != '(' && !task->rows) {
        set_null(call, row);
        return;
    }
    if (task->rows)
        add_byte(out, '[');
    write_fields(task->rows ? to->children : to, NULL, out);
    if (task->rows)
        add_byte(out, ']');
    set_json(call, row, task, to, out);
}

/* An empty string gives no row. */
static void set_empty(native_call *call, idx_t row, const conversion *task) {
    if (task->rows)
        set_text(call, row, "[]", 2);
    else
        set_null(call, row);
}

static void from_json_row(native_call *call, idx_t row, conversion *task, const schema *to, buffer *out) {
    json_reader *reader = &task->reader;
    open_json(reader, argument_text(call, 0, row));
    task->catchers = 0;
    task->noted = task->caught = task->bad = false;
    out->length = 0;
    step(task);
    bool empty = reader->token == NO_TOKEN && !reader->problem;
    enum outcome outcome = empty || reader->problem ? FAILED : convert_root(task, to, out);
    bool whole = !reader->problem && outcome == CONVERTED;
    if (reader->problem == FALLS_BACK || task->caught)
        fall_back(call, "JSON_VALUE", "a document that Spark goes on reading after an error");
    else if (empty)
        set_empty(call, row, task);
    else if (task->stops && (!whole || task->bad))
        fall_back(call, "JSON_VALUE", "a document that does not fit the schema, in FAILFAST mode");
    else if (task->drops && (!whole || task->bad))
        set_text(call, row, "[]", 2);
    else if (whole)
        set_json(call, row, task, to, out);
    else
        set_nothing(call, row, task, to, out);
}

void take_options(conversion *task, text options) {
    task->reader.double_quotes = memchr(options.bytes, 'q', options.length) != NULL;
    task->reader.non_numeric = memchr(options.bytes, 'n', options.length) == NULL;
    task->reader.no_controls = memchr(options.bytes, 'u', options.length) == NULL;
    task->reader.open_names = memchr(options.bytes, 'o', options.length) != NULL;
    task->stops = memchr(options.bytes, 'F', options.length) != NULL;
    task->rows = memchr(options.bytes, 'r', options.length) != NULL;
    task->exact = memchr(options.bytes, 'e', options.length) != NULL;
    task->drops = memchr(options.bytes, 'D', options.length) != NULL;
}

/* Rows are objects: the schema of spark.read.json is an array of structs. */
static void check_rows_schema(const conversion *task, const schema *to) {
    if (task->rows && (to->kind != '[' || to->children->kind != '('))
        refuse_schema();
}

/* The schema is a constant: the first row's is that of all. */
static void from_json_rows(native_call *call) {
    conversion task = {.scratch = {.into_bytes = true}};
    buffer out = {0};
    schema to = {0};
    char *written = NULL;
    EACH_ROW(call, row) {
        if (!written) {
            text letters = argument_text(call, 1, row);
            written = copy_text(letters);
            to = read_schema((text){written, letters.length});
            take_options(&task, argument_text(call, 2, row));
            check_rows_schema(&task, &to);
        }
        from_json_row(call, row, &task, &to, &out);
    }
    free_schema(&to);
    release(written);
    close_json(&task.reader);
    close_writer(&task.scratch);
    release(out.bytes);
}

const native_function from_json_functions[] = {{"spark_from_json", "vvv>v", from_json_rows, NULL}, {NULL}};
