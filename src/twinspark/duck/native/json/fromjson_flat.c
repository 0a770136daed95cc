/* from_json to a struct without others in it: its fields at once, as texts that DuckDB casts to their types.
 *
 * SQL spelling: CAST(spark_from_json_flat_<n>(text, schema, options) AS <type>), n being the number of fields; schema and options
 * are those of fromjson.c, of which only plain kinds, PERMISSIVE and FAILFAST come here. */
#include "json/fromjson.h"

/* A field of the row at hand. */
typedef struct { enum { NOT_FOUND, IS_NULL, IS_THERE } state; buffer text; native_call column; } flat_field;
typedef struct { conversion task; schema to; char *written; flat_field *fields; } flat_reading;

/* A value that fails keeps the field's earlier value; a duplicate field replaces it. */
static void read_field(conversion *task, const schema *to, flat_field *field) {
    size_t depth = task->reader.depth;
    step_to_value(task);
    if (task->reader.problem)
        return;
    bool is_null = task->reader.token == VALUE_NULL;
    task->value.length = 0;
    task->catchers++;
    enum outcome outcome = is_null ? CONVERTED : convert_plain(task, to->kind, &task->value);
    task->catchers--;
    task->bad |= outcome == FAILED;
    if (outcome == CONVERTED && !task->reader.problem) {
        buffer before = field->text;
        field->text = task->value;
        task->value = before;
        field->state = is_null ? IS_NULL : IS_THERE;
    }
    if (outcome == FAILED && !task->reader.problem) {
        skip(task);
        while (task->reader.depth > depth && !task->reader.problem)
            step(task);
    }
}

static bool is_kept(char kind) { return kind == 'q' || kind == 'Q'; }

static void read_fields(flat_reading *reading) {
    conversion *task = &reading->task;
    while (step(task) != END_OBJECT && !task->reader.problem) {
        int field = field_named(&task->reader, &reading->to);
        if (field >= 0 && reading->fields[field].state != NOT_FOUND && is_kept(reading->to.children[field].kind))
            task->reader.problem = FALLS_BACK; /* SQL converts it later, when an earlier value of the field is lost */
        else if (field >= 0)
            read_field(task, &reading->to.children[field], &reading->fields[field]);
        else {
            skip_value(&task->reader);
            note_problem(task);
        }
    }
}

static void set_fields(native_call *call, idx_t row, flat_reading *reading, bool whole) {
    bool bad = reading->task.bad || !whole;
    text given = argument_text(call, 0, row);
    for (int i = 0; i < reading->to.count; i++) {
        flat_field *field = &reading->fields[i];
        bool corrupt = reading->to.children[i].kind == 'c';
        if (corrupt && bad && memchr(given.bytes, 0, given.length))
            fall_back(call, "JSON_VALUE", "a NUL character in a document that does not fit the schema");
        else if (corrupt && bad)
            set_text(&field->column, row, given.bytes, given.length);
        else if (whole && field->state == IS_THERE)
            set_text(&field->column, row, field->text.bytes, field->text.length);
        else
            set_null(&field->column, row);
    }
}

static void set_no_struct(native_call *call, idx_t row, flat_reading *reading) {
    set_null(call, row);
    for (int i = 0; i < reading->to.count; i++)
        set_null(&reading->fields[i].column, row);
}

static void read_row(native_call *call, idx_t row, flat_reading *reading) {
    conversion *task = &reading->task;
    json_reader *reader = &task->reader;
    open_json(reader, argument_text(call, 0, row));
    task->catchers = 0;
    task->noted = task->caught = task->bad = false;
    for (int i = 0; i < reading->to.count; i++)
        reading->fields[i].state = NOT_FOUND;
    step(task);
    bool empty = reader->token == NO_TOKEN && !reader->problem, object = reader->token == START_OBJECT;
    if (object)
        read_fields(reading);
    bool whole = object && !reader->problem;
    if (reader->problem == FALLS_BACK || task->caught)
        fall_back(call, "JSON_VALUE", "a document that Spark goes on reading after an error");
    else if (empty)
        set_no_struct(call, row, reading);
    else if (task->stops && (!whole || task->bad))
        fall_back(call, "JSON_VALUE", "a document that does not fit the schema, in FAILFAST mode");
    else
        set_fields(call, row, reading, whole);
}

static void open_reading(native_call *call, idx_t row, flat_reading *reading) {
    text letters = argument_text(call, 1, row);
    reading->written = copy_text(letters);
    reading->to = read_schema((text){reading->written, letters.length});
    if (reading->to.count != call->scale)
        end_call("twinspark: a schema of other fields");
    reading->fields = allocate_zeroed((size_t)reading->to.count + 1, sizeof *reading->fields);
    for (int i = 0; i < reading->to.count; i++) {
        duckdb_vector column = duckdb_struct_vector_get_child(call->result, (idx_t)i);
        reading->fields[i].column = (native_call){.result = column, .out = duckdb_vector_get_data(column)};
    }
    take_options(&reading->task, argument_text(call, 2, row));
    reading->task.flat = true;
}

static void close_reading(flat_reading *reading) {
    for (int i = 0; i < reading->to.count; i++) {
        hand_over_texts(&reading->fields[i].column);
        release(reading->fields[i].text.bytes);
    }
    free_schema(&reading->to);
    release(reading->written);
    release(reading->fields);
    release(reading->task.value.bytes);
    close_json(&reading->task.reader);
    close_writer(&reading->task.scratch);
}

/* Schema and options are constants; a null text has no struct. */
static void flat_rows(native_call *call) {
    flat_reading reading = {.task = {.scratch = {.into_bytes = true}}};
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        if (!reading.written)
            open_reading(call, row, &reading);
        if (reading.to.count != call->scale)
            misuse(call, "twinspark: a schema of other fields");
        else if (!argument_valid(call, 0, row))
            set_no_struct(call, row, &reading);
        else
            read_row(call, row, &reading);
    }
    close_reading(&reading);
}

const native_function from_json_flat_functions[] = {{"spark_from_json_flat", "?vvv>*", flat_rows, NULL}, {NULL}};
