/* Reads the type information of a vector, once before its rows. */
#include "core/shapes.h"
#include <stdlib.h>
#include <string.h>

value_shape shape_of(duckdb_vector vector, bool variants) {
    duckdb_logical_type type = duckdb_vector_get_column_type(vector);
    value_shape shape = {.id = duckdb_get_type_id(type)};
    bool is_struct = shape.id == TYPE_STRUCT;
    shape.scale = shape.id == TYPE_DECIMAL ? duckdb_decimal_scale(type) : 0;
    shape.count = is_struct ? (int)duckdb_struct_type_child_count(type) : shape.id == TYPE_LIST || shape.id == TYPE_MAP;
    shape.children = allocate_zeroed((size_t)shape.count + 1, sizeof *shape.children);
    shape.names = allocate_zeroed((size_t)shape.count + 1, sizeof *shape.names);
    for (int i = 0; i < shape.count; i++) {
        shape.children[i] = shape_of(is_struct ? duckdb_struct_vector_get_child(vector, (idx_t)i) : duckdb_list_vector_get_child(vector), variants);
        shape.names[i] = is_struct ? duckdb_struct_type_child_name(type, (idx_t)i) : NULL;
    }
    shape.is_variant = variants && shape.count == 2 && is_struct && shape.children[0].id == TYPE_BLOB && shape.children[1].id == TYPE_BLOB &&
                       !strcmp(shape.names[0], "value") && !strcmp(shape.names[1], "metadata");
    duckdb_destroy_logical_type(&type);
    return shape;
}

void free_shape(value_shape *shape) {
    for (int i = 0; i < shape->count; i++) {
        free_shape(&shape->children[i]);
        if (shape->names[i])
            duckdb_free(shape->names[i]);
        if (shape->labels)
            release((char *)shape->labels[i].bytes);
    }
    release(shape->labels);
    release(shape->children);
    release(shape->names);
}
