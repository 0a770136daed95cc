/* What the files of from_json share: a schema read from letters, and one text being read by it. */
#pragma once
#include "json.h"

typedef struct schema {
    char kind;
    int count;
    text *names;
    struct schema *children;
} schema;

schema read_schema(const char **at);
void free_schema(schema *of);

/* One text being read. Spark catches an error inside a field's value and reads on from there, in ways of its own: such a text is
 * left to it, unless it simply ended (but not right after a field's name). */
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
