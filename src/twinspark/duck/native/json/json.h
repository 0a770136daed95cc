/* A JSON tokenizer and writer that behave as Jackson's, with the features that Spark enables. */
#pragma once
#include "core/native.h"
#include <stdlib.h>

/* Bytes that grow. */
typedef struct { char *bytes; size_t length, size; } buffer;
void grow_buffer(buffer *into, size_t length);
static inline void add_bytes(buffer *into, const char *bytes, size_t length) {
    if (into->length + length > into->size)
        grow_buffer(into, length);
    copy_bytes(into->bytes + into->length, bytes, length);
    into->length += length;
}
static inline void add_byte(buffer *into, char byte) {
    if (into->length == into->size)
        grow_buffer(into, 1);
    into->bytes[into->length++] = byte;
}

enum json_token { NO_TOKEN, START_OBJECT, END_OBJECT, START_ARRAY, END_ARRAY, FIELD_NAME, VALUE_STRING, VALUE_INT, VALUE_FLOAT,
                  VALUE_TRUE, VALUE_FALSE, VALUE_NULL };
enum json_problem { NO_PROBLEM, MALFORMED, FALLS_BACK }; /* FALLS_BACK: only Spark can decide */

typedef struct {
    const char *at, *end;
    enum json_token token;
    enum json_problem problem;
    text raw;      /* the characters of a number; of other values none */
    text string;   /* of FIELD_NAME and VALUE_STRING: a slice of the text, or of `unescaped` */
    buffer unescaped;
    char *scopes;  /* '[' and '{' */
    size_t depth, scopes_size;
    uint64_t work; /* since the last look for a cancellation */
    bool need_comma;
    bool after_name; /* the problem is at the position of a field's value */
    bool non_numeric; /* NaN, Infinity and the like are numbers */
    bool no_controls; /* raw control characters in strings are an error */
    bool double_quotes; /* only these enclose strings */
    bool leading_zeros; /* 007 is a number */
    bool open_names; /* fields may be named without quotes */
} json_reader;

/* Marks the bytes of eight that are `byte`: some above the first may be marked wrongly, the first never is. */
static inline uint64_t bytes_that_are(uint64_t word, char byte) {
    const uint64_t ones = 0x0101010101010101ULL;
    uint64_t other = word ^ (ones * (unsigned char)byte);
    return (other - ones) & ~other & 0x80 * ones;
}

/* The first quote, backslash or, where `least` is a blank, control character. */
static inline const char *past_plain(const char *at, const char *end, char quote, unsigned char least) {
    for (; end - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        uint64_t found = bytes_that_are(word, quote) | bytes_that_are(word, '\\');
        if (least)
            found |= (word - 0x2020202020202020ULL) & ~word & 0x8080808080808080ULL;
        if (found)
            return at + (__builtin_ctzll(found) >> 3);
    }
    while (at < end && *at != quote && *at != '\\' && (unsigned char)*at >= least)
        at++;
    return at;
}

enum { DEEPEST = 1000, LONGEST_NUMBER = 1000, LONGEST_NAME = 50000 }; /* Jackson's StreamReadConstraints */

void open_json(json_reader *reader, text value);
void close_json(json_reader *reader);
/* The next token; NO_TOKEN at the end of the text, or when `problem` is set. */
enum json_token next_token(json_reader *reader);
/* The end of a number that starts at `at`; NULL when it is none. */
const char *past_number(const json_reader *reader, const char *at, bool *fraction);
/* Skips the members of an object or array, if the token starts one. */
void skip_children(json_reader *reader);
/* Skips the value of the field whose name is the token. */
void skip_value(json_reader *reader);
/* Skips everything in scopes deeper than `outside`. */
void skip_out(json_reader *reader, size_t outside);

/* What is written; it puts commas between values of arrays and objects, and blanks between values at the root. */
typedef struct {
    buffer out;
    size_t *counts; /* of values in the open arrays and objects; the root's first */
    size_t depth, size;
    bool after_name;
    bool into_bytes; /* as UTF8JsonGenerator does: characters beyond U+FFFF become two escapes */
} json_writer;

void reset_writer(json_writer *writer);
void close_writer(json_writer *writer);
void start_scope(json_writer *writer, char bracket);
void end_scope(json_writer *writer, char bracket);
void write_name(json_writer *writer, text name);
void write_label(json_writer *writer, text label); /* a name with its quotes and colon */
void write_string(json_writer *writer, text value);
void write_plain(json_writer *writer, text value); /* a value whose text is known */
void write_double(json_writer *writer, double value);
void add_quoted(buffer *into, text value, bool into_bytes);
/* JsonGenerator.copyCurrentStructure: the value at the token, with everything inside. */
void copy_structure(json_reader *reader, json_writer *writer);
/* Ends the call: the plan falls back to Spark. */
void give_up_json(native_call *call);
