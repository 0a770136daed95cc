/* Type information that DuckDB's vectors do not contain: names of fields, scales, which structs are variants. */
#pragma once
#include "core/native.h"

/* The type information of one vector and its children. */
typedef struct value_shape {
    int id, scale, count;
    bool is_variant;
    char **names;
    text *labels; /* of a struct's fields, as to_json writes them; NULL if they are not needed */
    struct value_shape *children;
} value_shape;

value_shape shape_of(duckdb_vector vector, bool variants);
void free_shape(value_shape *shape);
