/* The entries of DuckDB's stable C extension API (v1.5.6, ABI C_STRUCT) that the extension calls, by their index in the struct.
 *
 * DuckDB hands an extension one struct of function pointers whose order never changes within a major version; so a
 * slot number and a type are all that is needed, and building needs no headers and no network. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define API_VERSION "v1.5.6"
#define API_SLOTS 548

typedef uint64_t idx_t;
typedef struct opaque *duckdb_connection, *duckdb_vector, *duckdb_data_chunk, *duckdb_logical_type,
    *duckdb_scalar_function, *duckdb_aggregate_function, *duckdb_function_info, *duckdb_extension_info,
    *duckdb_database, *duckdb_aggregate_state, *duckdb_bind_info;

struct duckdb_extension_access {
    void (*set_error)(duckdb_extension_info, const char *);
    duckdb_database *(*get_database)(duckdb_extension_info);
    const void *(*get_api)(duckdb_extension_info, const char *version);
};

/* A string: up to 12 bytes are inlined, longer ones are at the pointer. */
typedef union {
    struct { uint32_t length; char prefix[4]; const char *pointer; } far;
    struct { uint32_t length; char bytes[12]; } near;
} duckdb_string;

typedef struct { int32_t months, days; int64_t micros; } duckdb_interval;

enum duckdb_type {
    TYPE_BOOLEAN = 1, TYPE_TINYINT = 2, TYPE_SMALLINT = 3, TYPE_INTEGER = 4, TYPE_BIGINT = 5, TYPE_FLOAT = 10,
    TYPE_DOUBLE = 11, TYPE_TIMESTAMP = 12, TYPE_DATE = 13, TYPE_INTERVAL = 15, TYPE_HUGEINT = 16, TYPE_VARCHAR = 17,
    TYPE_BLOB = 18, TYPE_DECIMAL = 19, TYPE_LIST = 24, TYPE_STRUCT = 25, TYPE_MAP = 26, TYPE_TIMESTAMP_TZ = 31,
    TYPE_ANY = 34, TYPE_SQLNULL = 36
};

extern void *const *twinspark_api;
#define CALL(slot, result, ...) ((result (*)(__VA_ARGS__))twinspark_api[slot])

typedef void (*bind_callback)(duckdb_bind_info);
typedef void (*scalar_callback)(duckdb_function_info, duckdb_data_chunk, duckdb_vector);
typedef idx_t (*state_size_callback)(duckdb_function_info);
typedef void (*state_init_callback)(duckdb_function_info, duckdb_aggregate_state);
typedef void (*state_update_callback)(duckdb_function_info, duckdb_data_chunk, duckdb_aggregate_state *);
typedef void (*state_combine_callback)(duckdb_function_info, duckdb_aggregate_state *, duckdb_aggregate_state *, idx_t);
typedef void (*state_finalize_callback)(duckdb_function_info, duckdb_aggregate_state *, duckdb_vector, idx_t, idx_t);
typedef void (*state_destroy_callback)(duckdb_aggregate_state *, idx_t);

#define duckdb_connect CALL(3, int, duckdb_database, duckdb_connection *)
#define duckdb_disconnect CALL(6, void, duckdb_connection *)
#define duckdb_query CALL(13, int, duckdb_connection, const char *, void *)
#define duckdb_free CALL(25, void, void *)
#define duckdb_create_logical_type CALL(156, duckdb_logical_type, int)
#define duckdb_create_list_type CALL(159, duckdb_logical_type, duckdb_logical_type)
#define duckdb_create_struct_type CALL(163, duckdb_logical_type, duckdb_logical_type *, const char **, idx_t)
#define duckdb_get_type_id CALL(166, int, duckdb_logical_type)
#define duckdb_create_decimal_type CALL(165, duckdb_logical_type, uint8_t, uint8_t)
#define duckdb_decimal_width CALL(167, uint8_t, duckdb_logical_type)
#define duckdb_decimal_scale CALL(168, uint8_t, duckdb_logical_type)
#define duckdb_decimal_internal_type CALL(169, int, duckdb_logical_type)
#define duckdb_struct_type_child_name CALL(179, char *, duckdb_logical_type, idx_t)
#define duckdb_struct_type_child_count CALL(178, idx_t, duckdb_logical_type)
#define duckdb_destroy_logical_type CALL(184, void, duckdb_logical_type *)
#define duckdb_data_chunk_get_column_count CALL(189, idx_t, duckdb_data_chunk)
#define duckdb_data_chunk_get_vector CALL(190, duckdb_vector, duckdb_data_chunk, idx_t)
#define duckdb_data_chunk_get_size CALL(191, idx_t, duckdb_data_chunk)
#define duckdb_vector_get_column_type CALL(193, duckdb_logical_type, duckdb_vector)
#define duckdb_vector_get_data CALL(194, void *, duckdb_vector)
#define duckdb_vector_get_validity CALL(195, uint64_t *, duckdb_vector)
#define duckdb_vector_ensure_validity_writable CALL(196, void, duckdb_vector)
#define duckdb_vector_assign_string_element_len CALL(198, void, duckdb_vector, idx_t, const char *, idx_t)
#define duckdb_list_vector_get_child CALL(199, duckdb_vector, duckdb_vector)
#define duckdb_list_vector_get_size CALL(200, idx_t, duckdb_vector)
#define duckdb_list_vector_set_size CALL(201, int, duckdb_vector, idx_t)
#define duckdb_list_vector_reserve CALL(202, int, duckdb_vector, idx_t)
#define duckdb_struct_vector_get_child CALL(203, duckdb_vector, duckdb_vector, idx_t)
#define duckdb_create_scalar_function CALL(209, duckdb_scalar_function, void)
#define duckdb_destroy_scalar_function CALL(210, void, duckdb_scalar_function *)
#define duckdb_scalar_function_set_name CALL(211, void, duckdb_scalar_function, const char *)
#define duckdb_scalar_function_set_varargs CALL(212, void, duckdb_scalar_function, duckdb_logical_type)
#define duckdb_scalar_function_set_special_handling CALL(213, void, duckdb_scalar_function)
#define duckdb_scalar_function_set_volatile CALL(214, void, duckdb_scalar_function)
#define duckdb_scalar_function_add_parameter CALL(215, void, duckdb_scalar_function, duckdb_logical_type)
#define duckdb_scalar_function_set_return_type CALL(216, void, duckdb_scalar_function, duckdb_logical_type)
#define duckdb_scalar_function_set_extra_info CALL(217, void, duckdb_scalar_function, void *, void (*)(void *))
#define duckdb_scalar_function_set_function CALL(218, void, duckdb_scalar_function, scalar_callback)
#define duckdb_register_scalar_function CALL(219, int, duckdb_connection, duckdb_scalar_function)
#define duckdb_scalar_function_get_extra_info CALL(220, void *, duckdb_function_info)
#define duckdb_scalar_function_set_error CALL(221, void, duckdb_function_info, const char *)
#define duckdb_create_aggregate_function CALL(226, duckdb_aggregate_function, void)
#define duckdb_destroy_aggregate_function CALL(227, void, duckdb_aggregate_function *)
#define duckdb_aggregate_function_set_name CALL(228, void, duckdb_aggregate_function, const char *)
#define duckdb_aggregate_function_add_parameter CALL(229, void, duckdb_aggregate_function, duckdb_logical_type)
#define duckdb_aggregate_function_set_return_type CALL(230, void, duckdb_aggregate_function, duckdb_logical_type)
#define duckdb_aggregate_function_set_functions                                                                        \
    CALL(231, void, duckdb_aggregate_function, state_size_callback, state_init_callback, state_update_callback,        \
         state_combine_callback, state_finalize_callback)
#define duckdb_aggregate_function_set_destructor                                                                       \
    CALL(232, void, duckdb_aggregate_function, state_destroy_callback)
#define duckdb_register_aggregate_function CALL(233, int, duckdb_connection, duckdb_aggregate_function)
#define duckdb_aggregate_function_set_special_handling CALL(234, void, duckdb_aggregate_function)
#define duckdb_aggregate_function_set_extra_info CALL(235, void, duckdb_aggregate_function, void *, void (*)(void *))
#define duckdb_aggregate_function_get_extra_info CALL(236, void *, duckdb_function_info)
#define duckdb_aggregate_function_set_error CALL(237, void, duckdb_function_info, const char *)
#define duckdb_scalar_function_set_bind CALL(511, void, duckdb_scalar_function, bind_callback)
#define duckdb_scalar_function_set_bind_data CALL(514, void, duckdb_bind_info, void *, void (*)(void *))
#define duckdb_scalar_function_get_bind_data CALL(515, void *, duckdb_function_info)
#define duckdb_scalar_function_set_bind_data_copy CALL(519, void, duckdb_bind_info, void *(*)(void *))
#define duckdb_unsafe_vector_assign_string_element_len CALL(545, void, duckdb_vector, idx_t, const char *, idx_t)
