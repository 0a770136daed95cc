/* Writes JSON as Jackson's generators do, and copies the value at a reader's position. */
#include "json/json.h"
#include "numbers/shortest.h"
#include "core/utf8.h"
#include <math.h>
#include <stdio.h>

void reset_writer(json_writer *writer) {
    writer->out.length = 0;
    writer->depth = 0;
    writer->after_name = false;
    writer->counts = make_room(writer->counts, &writer->size, 32, sizeof *writer->counts);
    writer->counts[0] = 0;
}

void close_writer(json_writer *writer) {
    release(writer->out.bytes);
    release(writer->counts);
}

static void separate(json_writer *writer) {
    if (!writer->after_name && writer->counts[writer->depth]++)
        add_byte(&writer->out, writer->depth ? ',' : ' ');
    writer->after_name = false;
}

void start_scope(json_writer *writer, char bracket) {
    separate(writer);
    add_byte(&writer->out, bracket);
    writer->depth++;
    writer->counts = make_room(writer->counts, &writer->size, writer->depth + 1, sizeof *writer->counts);
    writer->counts[writer->depth] = 0;
}

void end_scope(json_writer *writer, char bracket) {
    writer->depth--;
    add_byte(&writer->out, bracket);
}

static const char *short_escape(unsigned char c) {
    switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\t': return "\\t";
    case '\n': return "\\n";
    case '\f': return "\\f";
    case '\r': return "\\r";
    default: return NULL;
    }
}

static void write_escape(char escape[16], const char *at) {
    unsigned char c = (unsigned char)*at;
    uint32_t pair = c < 0xF0 ? 0 : character_at(at) - 0x10000;
    if (c < 0xF0)
        snprintf(escape, 17, "\\u%04X", c);
    else
        snprintf(escape, 17, "\\u%04X\\u%04X", 0xD800 + (pair >> 10), 0xDC00 + (pair & 0x3FF));
}

void add_quoted(buffer *into, text value, bool into_bytes) {
    uint32_t from = 0;
    add_byte(into, '"');
    for (uint32_t i = 0; i < value.length; i++) {
        unsigned char c = (unsigned char)value.bytes[i];
        if (c >= 0x20 && c != '"' && c != '\\' && (c < 0xF0 || !into_bytes))
            continue;
        char escape[17];
        const char *known = short_escape(c);
        if (!known)
            write_escape(escape, value.bytes + i);
        add_bytes(into, value.bytes + from, i - from);
        add_bytes(into, known ? known : escape, strlen(known ? known : escape));
        from = i + character_bytes(c);
        i = from - 1;
    }
    add_bytes(into, value.bytes + from, value.length - from);
    add_byte(into, '"');
}

void write_name(json_writer *writer, text name) {
    separate(writer);
    add_quoted(&writer->out, name, writer->into_bytes);
    add_byte(&writer->out, ':');
    writer->after_name = true;
}

void write_label(json_writer *writer, text label) {
    separate(writer);
    add_bytes(&writer->out, label.bytes, label.length);
    writer->after_name = true;
}

void write_string(json_writer *writer, text value) {
    separate(writer);
    add_quoted(&writer->out, value, writer->into_bytes);
}

void write_plain(json_writer *writer, text value) {
    separate(writer);
    add_bytes(&writer->out, value.bytes, value.length);
}

/* NaN and infinities are quoted (QUOTE_NON_NUMERIC_NUMBERS). */
void write_double(json_writer *writer, double value) {
    char digits[JAVA_NUMBER_SIZE];
    text shown = {digits, (uint32_t)java_double_text(value, digits)};
    if (isfinite(value))
        write_plain(writer, shown);
    else
        write_string(writer, shown);
}

/* Whole numbers are read and written again: only -0 is another text then. */
static void copy_whole_number(json_reader *reader, json_writer *writer) {
    bool zero = reader->raw.length == 2 && memcmp(reader->raw.bytes, "-0", 2) == 0;
    write_plain(writer, zero ? plain_text("0") : reader->raw);
}

static double double_of(text digits) {
    char copy[1100];
    memcpy(copy, digits.bytes, digits.length);
    copy[digits.length] = 0;
    return strtod(copy, NULL);
}

static void copy_event(json_reader *reader, json_writer *writer) {
    text string = reader->string;
    switch (reader->token) {
    case START_OBJECT: start_scope(writer, '{'); break;
    case END_OBJECT: end_scope(writer, '}'); break;
    case START_ARRAY: start_scope(writer, '['); break;
    case END_ARRAY: end_scope(writer, ']'); break;
    case FIELD_NAME: write_name(writer, string); break;
    case VALUE_STRING: write_string(writer, string); break;
    case VALUE_INT: copy_whole_number(reader, writer); break;
    case VALUE_FLOAT: write_double(writer, double_of(reader->raw)); break;
    case VALUE_TRUE: write_plain(writer, plain_text("true")); break;
    case VALUE_FALSE: write_plain(writer, plain_text("false")); break;
    case VALUE_NULL: write_plain(writer, plain_text("null")); break;
    default: reader->problem = reader->problem ? reader->problem : MALFORMED; /* no current event to copy */
    }
}

void copy_structure(json_reader *reader, json_writer *writer) {
    bool nested = reader->token == START_OBJECT || reader->token == START_ARRAY;
    size_t outside = reader->depth - (nested ? 1 : 0);
    copy_event(reader, writer);
    while (nested && reader->depth > outside && !reader->problem) {
        next_token(reader);
        if (!reader->problem)
            copy_event(reader, writer);
    }
}
