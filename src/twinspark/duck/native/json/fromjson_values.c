/* from_json: numbers, booleans and strings, each by its kind, written as JSON or, for flat structs, as plain texts. */
#include "json/fromjson.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>

static enum outcome quoted(conversion *task, text value, buffer *out) {
    if (memchr(value.bytes ? value.bytes : "", 0, value.length))
        task->reader.problem = FALLS_BACK;
    if (task->flat)
        add_bytes(out, value.bytes, value.length);
    else
        add_quoted(out, value, false);
    return CONVERTED;
}

/* Up to 18 digits need no overflow check. */
static bool whole_of(text raw, long long *value) {
    char digits[24];
    bool negative = *raw.bytes == '-';
    if (raw.length <= 18) {
        *value = 0;
        for (uint32_t i = negative; i < raw.length; i++)
            *value = *value * 10 + (raw.bytes[i] - '0');
        *value = negative ? -*value : *value;
        return true;
    }
    memcpy(digits, raw.bytes, raw.length);
    digits[raw.length] = 0;
    errno = 0;
    *value = strtoll(digits, NULL, 10);
    return !errno;
}

static enum outcome convert_whole(const json_reader *reader, long long lowest, long long highest, buffer *out) {
    char digits[24];
    if (reader->token != VALUE_INT || reader->raw.length > 21)
        return FAILED;
    long long value;
    if (!whole_of(reader->raw, &value) || value < lowest || value > highest)
        return FAILED;
    bool same = value && *reader->raw.bytes != '0' && !(lowest == -128 && value > 127);
    if (same) {
        add_bytes(out, reader->raw.bytes, reader->raw.length);
        return CONVERTED;
    }
    if (lowest == -128 && value > 127) /* Jackson takes bytes without a sign too */
        value -= 256;
    snprintf(digits, sizeof digits, "%lld", value);
    add_text(out, digits);
    return CONVERTED;
}

static bool is_text(const text *string, const char *words) { return string->length == strlen(words) && memcmp(string->bytes, words, string->length) == 0; }

static bool named_number(const text *string, double *value) {
    if (is_text(string, "NaN"))
        *value = NAN;
    else if (is_text(string, "+INF") || is_text(string, "+Infinity") || is_text(string, "Infinity"))
        *value = INFINITY;
    else if (is_text(string, "-INF") || is_text(string, "-Infinity"))
        *value = -INFINITY;
    else
        return false;
    return true;
}

static enum outcome convert_floating(conversion *task, bool single, buffer *out) {
    const json_reader *reader = &task->reader;
    char digits[1100];
    double value = 0;
    if (reader->token == VALUE_INT || reader->token == VALUE_FLOAT) {
        memcpy(digits, reader->raw.bytes, reader->raw.length);
        digits[reader->raw.length] = 0;
        value = single ? (double)strtof(digits, NULL) : strtod(digits, NULL);
        if (reader->token == VALUE_INT && value == 0)
            value = 0; /* Jackson reads -0 as a whole number, and those have one zero */
    } else if (reader->token != VALUE_STRING || !named_number(&reader->string, &value))
        return FAILED;
    if (isnan(value) || isinf(value))
        quoted(task, plain_text(isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity"), out);
    else {
        snprintf(digits, sizeof digits, value == 0 && signbit(value) ? "-0.0" : "%.17g", value);
        add_text(out, digits);
    }
    return CONVERTED;
}

/* A number, object or array as written in the text. */
static enum outcome convert_as_written(conversion *task, buffer *out) {
    json_reader *reader = &task->reader;
    bool number = reader->token == VALUE_INT || reader->token == VALUE_FLOAT;
    const char *start = number ? reader->raw.bytes : reader->at - 1;
    skip_children(reader);
    note_problem(task);
    return quoted(task, number ? reader->raw : (text){start, (uint32_t)(reader->at - start)}, out);
}

static enum outcome convert_string(conversion *task, buffer *out) {
    json_reader *reader = &task->reader;
    if (reader->token == VALUE_STRING)
        return quoted(task, reader->string, out);
    if (task->exact && reader->token != VALUE_TRUE && reader->token != VALUE_FALSE)
        return convert_as_written(task, out);
    reset_writer(&task->scratch);
    copy_structure(reader, &task->scratch);
    note_problem(task);
    return quoted(task, (text){task->scratch.out.bytes, (uint32_t)task->scratch.out.length}, out);
}

/* What SQL converts later: an empty string fails. */
static enum outcome convert_kept(conversion *task, bool numbers, buffer *out) {
    json_reader *reader = &task->reader;
    if (reader->token == VALUE_STRING && reader->string.length)
        return quoted(task, reader->string, out);
    if (!numbers && reader->token == VALUE_INT)
        reader->problem = FALLS_BACK; /* seconds or days */
    if (!numbers || (reader->token != VALUE_INT && reader->token != VALUE_FLOAT))
        return FAILED;
    return quoted(task, reader->raw, out);
}

enum outcome convert_plain(conversion *task, char kind, buffer *out) {
    const json_reader *reader = &task->reader;
    switch (kind) {
    case 'b':
        if (reader->token != VALUE_TRUE && reader->token != VALUE_FALSE)
            return FAILED;
        add_text(out, reader->token == VALUE_TRUE ? "true" : "false");
        return CONVERTED;
    case 't': return convert_whole(reader, -128, 255, out);
    case 's': return convert_whole(reader, -32768, 32767, out);
    case 'i': return convert_whole(reader, INT32_MIN, INT32_MAX, out);
    case 'l': return convert_whole(reader, INT64_MIN, INT64_MAX, out);
    case 'f': return convert_floating(task, true, out);
    case 'd': return convert_floating(task, false, out);
    case 'v': return convert_string(task, out);
    case 'q': return convert_kept(task, true, out);
    default: return convert_kept(task, false, out);
    }
}
