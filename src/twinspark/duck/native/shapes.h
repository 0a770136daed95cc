/* What a type tells beyond its values: names of fields, scales, which structs are variants. */
#pragma once
#include "native.h"

/* What a value column does not tell: a struct's names, a decimal's scale, which structs are variants. */
typedef struct value_shape {
    int id, scale, count;
    bool is_variant;
    char **names;
    text *labels; /* of a struct's fields, as to_json writes them; NULL where nobody needs them */
    struct value_shape *children;
} value_shape;

value_shape shape_of(duckdb_vector vector, bool variants);
void free_shape(value_shape *shape);
