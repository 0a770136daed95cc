/* variant_get(parse_json(text), path) in one step: the whole text is parsed, but only the requested value is built.
 *
 * SQL spelling: spark_json_part(text, path), which is spark_variant_get(spark_parse_json(text), path) but for the order of keys in
 * its dictionary; spark_json_is_null(text), whether parse_json makes a null of it. With _try_ what is no JSON is NULL. */
#include "variant/variant.h"

/* Rare cases (keys with escapes, duplicate keys, very many keys, errors) build the whole variant as usual. */
enum { MOST_KEYS = 32, LONGEST_TEXT = 1 << 24 };
typedef struct { variant_reading reading; text given; text *keys; size_t key_count, key_room; } part_reading;

static bool is_new_key(part_reading *task, size_t first) {
    text key = task->reading.reader.string;
    bool as_it_is = key.bytes >= task->given.bytes && key.bytes <= task->given.bytes + task->given.length;
    if (!as_it_is || task->key_count - first >= MOST_KEYS)
        return false;
    for (size_t i = first; i < task->key_count; i++)
        if (task->keys[i].length == key.length && !memcmp(task->keys[i].bytes, key.bytes, key.length))
            return false;
    if (task->key_count == task->key_room)
        task->keys = make_room(task->keys, &task->key_room, task->key_count + MOST_KEYS, sizeof *task->keys);
    task->keys[task->key_count++] = key;
    return true;
}

static bool check_value(part_reading *task);

static bool check_object(part_reading *task) {
    size_t first = task->key_count;
    while (next_token(&task->reading.reader) == FIELD_NAME) {
        bool fine = is_new_key(task, first);
        next_token(&task->reading.reader);
        if (!fine || !check_value(task))
            return false;
    }
    task->key_count = first;
    return task->reading.reader.token == END_OBJECT;
}

static bool check_array(part_reading *task) {
    while (next_token(&task->reading.reader) != END_ARRAY)
        if (!check_value(task))
            return false;
    return true;
}

static bool check_value(part_reading *task) {
    switch (task->reading.reader.token) {
    case START_OBJECT: return check_object(task);
    case START_ARRAY: return check_array(task);
    case NO_TOKEN: return false;
    default: return true;
    }
}

static bool read_part(part_reading *task, text path, bool *found);

static bool part_of_object(part_reading *task, const path_step *step, bool *found) {
    size_t first = task->key_count;
    while (next_token(&task->reading.reader) == FIELD_NAME) {
        text name = task->reading.reader.string;
        bool wanted = name.length == step->key.length && !memcmp(name.bytes, step->key.bytes, name.length);
        bool fine = is_new_key(task, first);
        next_token(&task->reading.reader);
        if (!fine || !(wanted ? read_part(task, step->at, found) : check_value(task)))
            return false;
    }
    task->key_count = first;
    return task->reading.reader.token == END_OBJECT;
}

static bool part_of_array(part_reading *task, const path_step *step, bool *found) {
    for (int64_t index = 0; next_token(&task->reading.reader) != END_ARRAY; index++)
        if (!(index == step->index ? read_part(task, step->at, found) : check_value(task)))
            return false;
    return true;
}

/* The path is one that check_path has seen. */
static bool read_part(part_reading *task, text path, bool *found) {
    path_step step = {.at = path};
    enum json_token token = task->reading.reader.token;
    if (next_step(&step) == PATH_END) {
        *found = true;
        return build_value(&task->reading);
    }
    if (step.is_key && token == START_OBJECT)
        return part_of_object(task, &step, found);
    return !step.is_key && token == START_ARRAY ? part_of_array(task, &step, found) : check_value(task);
}

static bool begin_part(part_reading *task, text given) {
    task->given = given;
    task->key_count = 0;
    reset_builder(&task->reading.builder);
    open_json(&task->reading.reader, given);
    next_token(&task->reading.reader);
    return given.length < LONGEST_TEXT;
}

static bool is_fine(const part_reading *task, bool read) { return read && !task->reading.reader.problem; }

static void close_part(part_reading *task) {
    close_json(&task->reading.reader);
    close_builder(&task->reading.builder);
    release(task->keys);
}

static void part_of_whole(native_call *call, idx_t row, part_reading *task, text path, variant_builder *part) {
    variant_builder *whole = &task->reading.builder;
    if (!build_text(&task->reading, task->given)) {
        refuse_variant_json(call, row, &task->reading);
        set_null_variant(call, row);
        return;
    }
    build_metadata(whole);
    variant v = {{whole->out.bytes, (uint32_t)whole->out.length}, {whole->metadata.bytes, (uint32_t)whole->metadata.length}, 0, 0};
    reset_builder(part);
    if (whole->too_large)
        set_built(call, row, whole);
    else if (!follow_path(&v, path))
        set_null_variant(call, row);
    else if (append_variant(part, &v))
        set_built(call, row, part);
    else
        malformed_variant(call);
}

static void part_row(native_call *call, idx_t row, part_reading *task, text path, variant_builder *part) {
    bool found = false, begun = begin_part(task, argument_text(call, 0, row));
    if (!begun || !is_fine(task, read_part(task, (text){path.bytes + 1, path.length - 1}, &found)))
        part_of_whole(call, row, task, path, part);
    else if (found)
        set_built(call, row, &task->reading.builder);
    else
        set_null_variant(call, row);
}

static void part_rows(native_call *call) {
    part_reading task = {.reading = {.reader = VARIANT_JSON}};
    variant_builder part = {0};
    text path = call->rows ? argument_text(call, 1, 0) : (text){0}; /* a constant */
    if (call->rows && check_path(path) != PATH_END)
        misuse(call, "twinspark: spark_json_part takes a path that is known to be one");
    for (idx_t row = 0; row < call->rows && !call->failed; row++)
        if (row_valid(call, row))
            part_row(call, row, &task, path, &part);
        else
            set_null_variant(call, row);
    close_part(&task);
    close_builder(&part);
}

static void is_null_rows(native_call *call) {
    part_reading task = {.reading = {.reader = VARIANT_JSON}};
    EACH_ROW(call, row) {
        bool begun = begin_part(&task, argument_text(call, 0, row)), is_null = task.reading.reader.token == VALUE_NULL;
        RESULT(call, bool)[row] = is_null;
        if (begun && is_fine(&task, check_value(&task)))
            continue;
        if (!build_text(&task.reading, task.given)) {
            refuse_variant_json(call, row, &task.reading);
            set_null(call, row);
        } else if (task.reading.builder.too_large)
            fall_back(call, "VARIANT_VALUE", "more than 128 MiB");
    }
    close_part(&task);
}

const native_function variant_part_functions[] = {
    {"spark_json_part", "vv>V", part_rows, NULL},
    {"spark_try_json_part", "vv>V", part_rows, "try"},
    {"spark_json_is_null", "v>b", is_null_rows, NULL},
    {"spark_try_json_is_null", "v>b", is_null_rows, "try"},
    {NULL},
};
