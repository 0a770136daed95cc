/* Shared declarations of from_json: the schema, decoded from letters, and the state of parsing one string. */
#pragma once
#include "json/json.h"

typedef struct schema {
    char kind;
    int count;
    text *names;
    struct schema *children;
} schema;

/* Ends the call where the letters are no schema. */
schema read_schema(text letters);
void free_schema(schema *of);

/* One text being read. Spark catches an error inside a field's value and continues after it in irregular ways: such a text
 * falls back to Spark, unless it simply ended (but not right after a field's name). */
typedef struct {
    json_reader reader;
    json_writer scratch;
    int catchers; /* fields of structs and values of maps around what is read */
    bool noted, caught;
    bool bad; /* something did not fit */
    bool rows, drops, stops, exact;
    bool flat; /* values are written as plain texts, not as JSON */
    buffer value; /* of one field of a flat struct */
} conversion;

enum outcome { CONVERTED, FAILED };
void note_problem(conversion *task);
enum json_token step(conversion *task);
void step_to_value(conversion *task);
void skip(conversion *task);
void take_options(conversion *task, text options);
int field_named(const json_reader *reader, const schema *to);
static inline void add_text(buffer *out, const char *words) { add_bytes(out, words, strlen(words)); }
/* A value that is neither null nor nested, if it fits the kind. */
enum outcome convert_plain(conversion *task, char kind, buffer *out);
