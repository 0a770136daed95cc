/* Results of kernels: Spark's errors, and strings that are passed to DuckDB in batches. */
#include "core/native.h"
#include "core/marker.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* --- errors --- */

static size_t append(char *buffer, size_t size, size_t at, text part, bool encode) {
    for (uint32_t i = 0; i < part.length && at + 4 < size; i++) {
        unsigned char byte = (unsigned char)part.bytes[i];
        if (encode && (byte == '|' || byte == '=' || byte == '%' || byte == '\n' || byte == '\r' || byte == 0))
            at += (size_t)snprintf(buffer + at, size - at, "%%%02X", byte);
        else
            buffer[at++] = (char)byte;
    }
    buffer[at] = 0;
    return at;
}

/* The infos of aggregates and scalar functions are different objects with one pointer type. */
void fail_call(native_call *call, const char *message) {
    call->failed = true;
    if (call->function)
        duckdb_scalar_function_set_error(call->info, message);
    else
        duckdb_aggregate_function_set_error(call->info, message);
}

static void fail_with(native_call *call, const char *condition, const char *key, text value, va_list more) {
    size_t size = 1024 + 3 * (size_t)value.length, at = 0;
    char *message = allocate_temporary(size, 1);
    at = append(message, size, at, plain_text(error_mark()), false);
    at = append(message, size, at, plain_text(condition), false);
    while (key) {
        at = append(message, size, at, plain_text("|"), false);
        at = append(message, size, at, plain_text(key), false);
        at = append(message, size, at, plain_text("="), false);
        at = append(message, size, at, value, true);
        key = va_arg(more, const char *);
        if (key)
            value = plain_text(va_arg(more, const char *));
    }
    fail_call(call, message);
    release(message);
}

void spark_error_text(native_call *call, const char *condition, const char *key, text value, ...) {
    va_list more;
    va_start(more, value);
    fail_with(call, condition, key, value, more);
    va_end(more);
}

void spark_error(native_call *call, const char *condition, ...) {
    va_list more;
    va_start(more, condition);
    const char *key = va_arg(more, const char *);
    fail_with(call, condition, key, plain_text(key ? va_arg(more, const char *) : ""), more);
    va_end(more);
}

void fall_back(native_call *call, const char *code, const char *detail) {
    spark_error(call, "FALL_BACK", "code", code, "detail", detail, NULL);
}

/* Spark's Literal.sql: in single quotes, quotes and backslashes escaped. */
void cast_invalid_input(native_call *call, text value, const char *target) {
    char *quoted = allocate_temporary(2 * (size_t)value.length + 3, 1), name[64];
    uint32_t at = 0;
    quoted[at++] = '\'';
    for (uint32_t i = 0; i < value.length; i++) {
        if (value.bytes[i] == '\'' || value.bytes[i] == '\\')
            quoted[at++] = '\\';
        quoted[at++] = value.bytes[i];
    }
    quoted[at++] = '\'';
    snprintf(name, sizeof name, "\"%s\"", target);
    spark_error_text(call, "CAST_INVALID_INPUT", "expression", (text){quoted, at}, "sourceType", "\"STRING\"", "targetType",
                     name, "ansiConfig", ANSI_CONFIG, NULL);
    release(quoted);
}

void misuse(native_call *call, const char *message) { fail_call(call, message); }

/* --- texts of a result --- */

/* DuckDB copies all that waits into the result's own memory, as if it were the text of one row; every row points into it. */
static void place_waiting(native_call *call) {
    waiting_texts *texts = &call->waiting;
    if (!texts->count)
        return;
    duckdb_string *result = call->out, *first = result + texts->places[0].row, kept = *first;
    duckdb_unsafe_vector_assign_string_element_len(call->result, texts->places[0].row, texts->bytes, texts->used);
    const char *placed = first->far.pointer;
    *first = kept;
    for (uint32_t i = 0; i < texts->count; i++) {
        duckdb_string *string = result + texts->places[i].row;
        if (string->near.length > sizeof string->near.bytes)
            string->far.pointer = placed + texts->places[i].offset;
    }
    texts->used = texts->count = 0;
}

enum { FIRST_TEXTS = 32768, MOST_TEXTS = 1 << 20 };
char *more_room_for_text(native_call *call, size_t most) {
    waiting_texts *texts = &call->waiting;
    if (texts->count == MOST_WAITING || most > MOST_TEXTS - texts->used)
        place_waiting(call);
    if (!texts->places)
        texts->places = allocate(MOST_WAITING, sizeof *texts->places);
    size_t needed = checked_size(most, 1, texts->used);
    if (needed > texts->size) {
        size_t size = needed < FIRST_TEXTS / 2 ? FIRST_TEXTS : needed < MOST_TEXTS ? 2 * needed : needed;
        texts->bytes = reallocate(texts->bytes, size, 1);
        texts->size = size;
    }
    return texts->bytes + texts->used;
}

void open_parts(native_call *call, int count) {
    call->parts = allocate_zeroed((size_t)count, sizeof *call->parts);
    call->part_count = count;
    for (int i = 0; i < count; i++) {
        duckdb_vector part = duckdb_struct_vector_get_child(call->result, (idx_t)i);
        call->parts[i].result = part;
        call->parts[i].out = duckdb_vector_get_data(part);
    }
}

void hand_over_texts(native_call *call) {
    for (int i = 0; i < call->part_count; i++)
        hand_over_texts(&call->parts[i]);
    release(call->parts);
    call->parts = NULL;
    call->part_count = 0;
    place_waiting(call);
    release(call->waiting.bytes);
    release(call->waiting.places);
    call->waiting = (waiting_texts){0};
}
