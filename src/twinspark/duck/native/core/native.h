/* What every kernel of the extension uses: a call's arguments, its result, NULLs, errors, and the registration table. */
#pragma once
#include "core/cancel.h"
#include "core/duckdb_api.h"
#include "core/memory.h"
#include "sketches/sketch_tables.h"
#include <stddef.h>
#include <string.h>

/* A plain loop over numbers, made twice where the loader can choose: for processors with AVX2, and for all others. The
 * answers are the same: only the number of lanes differs, and no fused operations are made of doubles. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define MANY_LANES __attribute__((optimize("O3"), target_clones("avx2", "default")))
#else
#define MANY_LANES
#endif

typedef __int128 int128;
typedef unsigned __int128 uint128;
typedef int128 __attribute__((aligned(8))) stored_int128; /* DuckDB aligns its 128-bit values to 8 bytes */

enum { MOST_ARGUMENTS = 8, MOST_TEXT_FIELDS = 48 };

/* Texts of a result, written side by side until they are handed to DuckDB as one: a call for each text costs more than
 * most texts do. `places` says which rows of the result wait for their bytes, and where those begin. */
enum { MOST_WAITING = 2048 };
typedef struct { uint32_t row, offset; } waiting_place;
typedef struct { char *bytes; size_t size, used; uint32_t count; waiting_place *places; } waiting_texts;

/* One vectorised call. All argument vectors are flat (DuckDB flattens them before it calls a C function). */
typedef struct native_call {
    const struct native_function *function;
    duckdb_function_info info;
    duckdb_data_chunk chunk;
    duckdb_vector result;
    idx_t rows;
    idx_t arguments;
    const void *data[MOST_ARGUMENTS];
    const uint64_t *argument_valid[MOST_ARGUMENTS]; /* NULL: every row is valid */
    void *out;
    uint64_t *valid; /* the result's mask, NULL while every row is valid */
    int scale;       /* of a DECIMAL result */
    int precision;   /* of a DECIMAL result of '%' or '$'; 0: an argument contains it */
    bool failed;
    const cancellation *cancel; /* of the operation that runs it; NULL: none, or an aggregate (window_rows.h) */
    waiting_texts waiting;
    struct native_call *parts; /* the columns of a struct result, where open_parts made them */
    int part_count;
} native_call;

/* One line of a registration table. `types` reads like "vi>d": parameters, '>', result; see extension.c for the letters.
 * A result '#' is DECIMAL(38, s): one function for every scale, named <name>_<s>. A result '%' is one function for every
 * DECIMAL of more than 18 digits, named <name>_<p>_<s>: no cast need follow, which costs as much as the arithmetic.
 * A result '$' is DECIMAL(18, s), which DuckDB keeps in 64 bits: named <name>_18_<s>.
 * A result '*' is a struct of n VARCHARs without names: one function for every n, named <name>_<n>; `scale` is n. */
typedef struct native_function {
    const char *name;
    const char *types;
    void (*kernel)(native_call *);
    const void *extra;
} native_function;

/* An aggregate: the state is plain memory that the `update` of one row, `combine` and `finish` work on. */
typedef struct native_aggregate {
    const char *name;
    const char *types;
    size_t state_size;
    void (*update)(native_call *, duckdb_aggregate_state *states);
    void (*combine)(void *target, const void *source);
    void (*finish)(native_call *, const void *state, idx_t row);
    state_destroy_callback destroy; /* NULL: the state owns nothing */
    const void *extra;
} native_aggregate;

/* The tables, one for each topic file; each ends with a line without a name. A new file is added here and nowhere else. */
#define FUNCTION_TABLES(_)                                                                                             \
    _(decimal_functions) _(decimal_whole_functions) _(decimal_cast_functions) _(cast_functions) _(zone_functions) _(datetime_functions) _(day_name_functions)           \
    _(rounding_functions)                                                                                              \
    _(pattern_functions) _(parse_functions) _(parse_complaints) _(legacy_date_functions) _(legacy_date_read_functions) _(math_functions) _(hash_functions) _(digest_functions)                    \
    _(unicode_functions) _(collation_functions) _(text_functions) _(encode_functions) _(java_functions) _(random_functions)                   \
    _(set_functions) _(whole_set_functions) _(sort_functions) _(sort_turn_functions) _(order_functions) _(map_functions) _(regex_functions) _(url_functions)                     \
    _(number_format_functions) _(java_format_functions) _(moving_functions) _(bytes_functions) SKETCH_FUNCTION_TABLES(_) _(json_functions) _(json_tuple_functions) _(to_json_functions) _(from_json_functions) _(from_json_flat_functions)                                                                                                \
    _(vector_functions) _(aes_functions) _(bit_functions) _(variant_functions) _(variant_path_functions) _(variant_make_functions) _(variant_json_functions) _(variant_part_functions) _(variant_schema_functions) _(json_schema_functions) _(csv_functions) _(csv_kind_functions) _(csv_write_functions) _(xpath_functions) _(wkb_functions) _(whole_functions) _(narrow_functions) _(mask_functions) _(list_text_functions) _(make_functions) _(clock_functions) _(wrapping_functions) _(sequence_functions) _(room_functions) _(memory_functions) _(operation_functions)
#define AGGREGATE_TABLES(_) _(decimal_aggregates) SKETCH_AGGREGATE_TABLES(_) _(moment_aggregates) _(window_aggregates) _(window_moment_aggregates) _(bitmap_aggregates) _(extreme_aggregates) _(percentile_aggregates)
#define DECLARE_FUNCTIONS(table) extern const native_function table[];
#define DECLARE_AGGREGATES(table) extern const native_aggregate table[];
FUNCTION_TABLES(DECLARE_FUNCTIONS)
AGGREGATE_TABLES(DECLARE_AGGREGATES)

static inline bool bit(const uint64_t *mask, idx_t row) { return !mask || (mask[row >> 6] >> (row & 63) & 1); }
static inline bool row_valid(const native_call *call, idx_t row) { return bit(call->valid, row); }
static inline bool argument_valid(const native_call *call, int argument, idx_t row) {
    return bit(call->argument_valid[argument], row);
}

static inline void set_null(native_call *call, idx_t row) {
    if (!call->valid) {
        duckdb_vector_ensure_validity_writable(call->result);
        call->valid = duckdb_vector_get_validity(call->result);
    }
    call->valid[row >> 6] &= ~(1ULL << (row & 63));
}

/* Whether the call is over: after an error; does not return once its operation is cancelled. */
static inline bool stops(const native_call *call) {
    if (is_cancelled(call->cancel))
        end_if_cancelled();
    return call->failed;
}

/* `for` over the rows without NULL arguments; stops at the first error, and when the operation is cancelled. */
#define EACH_ROW(call, row)                                                                                            \
    for (idx_t row = 0; row < (call)->rows && !stops(call); row++)                                                     \
        if (row_valid(call, row))

#define ARGUMENT(call, type, number) ((const type *)(call)->data[number])
#define RESULT(call, type) ((type *)(call)->out)

typedef struct { const char *bytes; uint32_t length; } text;

/* Most texts are short, and a call of memcpy costs more than copying one. The two places do not overlap. */
static inline void copy_bytes(char *to, const char *from, size_t length) {
    if (length > 16) {
        memcpy(to, from, length);
    } else if (length >= 8) {
        memcpy(to, from, 8);
        memcpy(to + length - 8, from + length - 8, 8);
    } else if (length >= 4) {
        memcpy(to, from, 4);
        memcpy(to + length - 4, from + length - 4, 4);
    } else if (length) {
        to[0] = from[0];
        to[length / 2] = from[length / 2];
        to[length - 1] = from[length - 1];
    }
}

static inline text text_of(const duckdb_string *string) {
    uint32_t length = string->near.length;
    return (text){length <= 12 ? string->near.bytes : string->far.pointer, length};
}
static inline text argument_text(const native_call *call, int argument, idx_t row) {
    return text_of(&ARGUMENT(call, duckdb_string, argument)[row]);
}
/* A copy of the text with a terminating NUL. */
static inline char *copy_text(text from) {
    char *made = allocate((size_t)from.length + 1, 1);
    copy_bytes(made, from.bytes, from.length);
    made[from.length] = 0;
    return made;
}
static inline text plain_text(const char *string) { return (text){string, (uint32_t)strlen(string)}; }
/* Whether there is memory for so many bytes (memory_check.c); check_room fails the call with OUT_OF_MEMORY where there is not. */
bool has_room(uint64_t bytes);
bool check_room(native_call *call, uint64_t bytes);
void out_of_memory(native_call *call, uint64_t bytes);

/* Where the next text of the result may be written, `most` bytes of it; set_written says how many they became. */
char *more_room_for_text(native_call *call, size_t most);
static inline char *room_for_text(native_call *call, size_t most) {
    waiting_texts *texts = &call->waiting;
    bool room = texts->used + most <= texts->size && texts->count < MOST_WAITING;
    return room ? texts->bytes + texts->used : more_room_for_text(call, most);
}
static inline void set_written(native_call *call, idx_t row, size_t length) {
    waiting_texts *texts = &call->waiting;
    duckdb_string made = {.near = {.length = (uint32_t)length}};
    char *bytes = texts->bytes + texts->used;
    if (length <= sizeof made.near.bytes) {
        copy_bytes(made.near.bytes, bytes, length);
    } else {
        if (__builtin_expect(length > MOST_VALUE_BYTES, 0))
            end_out_of_memory(length);
        memcpy(made.far.prefix, bytes, sizeof made.far.prefix);
        texts->places[texts->count++] = (waiting_place){(uint32_t)row, (uint32_t)texts->used};
        texts->used += length;
    }
    RESULT(call, duckdb_string)[row] = made;
}
/* For bytes known to be valid UTF-8 (or a BLOB): no check is made. */
static inline void set_text(native_call *call, idx_t row, const char *bytes, size_t length) {
    copy_bytes(room_for_text(call, length), bytes, length);
    set_written(call, row, length);
}
/* The fields of a result that is a struct, to be written with set_text and set_null like results of their own. */
void open_parts(native_call *call, int count);
/* To be called once after the rows, by the creator of the call. */
void hand_over_texts(native_call *call);

/* Ends the call with Spark's error: `<mark><CONDITION>|key=value|...`; keys and values come in pairs, NULL ends them.
 * In values `|`, `=`, `%`, line ends and NUL are percent-encoded (errors/marker.py). */
void spark_error(native_call *call, const char *condition, ...);
void spark_error_text(native_call *call, const char *condition, const char *key, text value, ...);
/* Ends the call; the plan falls back to Spark, for the reason of this code (errors/reasons). */
void fall_back(native_call *call, const char *code, const char *detail);
void decimal_out_of_range(native_call *call, text value, int precision, int scale);
/* CAST_INVALID_INPUT with the text quoted as Spark quotes it; `target` is Spark's SQL name of the type. */
void cast_invalid_input(native_call *call, text value, const char *target);
#define ANSI_CONFIG "\"spark.sql.ansi.enabled\""
/* Ends the call with a message that is written out already. */
void fail_call(native_call *call, const char *message);
/* An internal error: the SQL writer passed wrong arguments. */
void misuse(native_call *call, const char *message);

/* A DECIMAL of any width, or a whole number, read as a 128-bit unscaled value. */
typedef struct { const void *data; int bytes, precision, scale; } decimal_column;
bool decimal_argument(native_call *call, int argument, decimal_column *column);

/* An argument that is a decimal's precision, which is used as a table index. */
static inline int precision_argument(const native_call *call, int argument, idx_t row) {
    int precision = ARGUMENT(call, int32_t, argument)[row];
    if (__builtin_expect(precision < 1 || precision > 38, 0))
        end_call("twinspark: a decimal has 1 to 38 digits");
    return precision;
}

/* A result of '#', '%' (128 bits) or '$' (64 bits, which the caller has seen it fits). */
static inline void set_decimal(native_call *call, idx_t row, int128 value) {
    if (call->precision == 18)
        RESULT(call, int64_t)[row] = (int64_t)value;
    else
        RESULT(call, stored_int128)[row] = value;
}

static inline int128 decimal_at(const decimal_column *column, idx_t row) {
    switch (column->bytes) {
    case 1: return ((const int8_t *)column->data)[row];
    case 2: return ((const int16_t *)column->data)[row];
    case 4: return ((const int32_t *)column->data)[row];
    case 8: return ((const int64_t *)column->data)[row];
    default: return ((const stored_int128 *)column->data)[row];
    }
}
