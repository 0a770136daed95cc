/* Variants in Spark's binary form: two byte strings, the value and the dictionary of its keys (the metadata). */
#pragma once
#include "json/json.h"
#include "core/reader.h"
#include "core/values.h"
#include "time/zone.h"

enum variant_basic { BASIC_PRIMITIVE, BASIC_SHORT_STRING, BASIC_OBJECT, BASIC_ARRAY };
enum variant_primitive {
    PRIMITIVE_NULL, PRIMITIVE_TRUE, PRIMITIVE_FALSE, PRIMITIVE_INT1, PRIMITIVE_INT2, PRIMITIVE_INT4, PRIMITIVE_INT8,
    PRIMITIVE_DOUBLE, PRIMITIVE_DECIMAL4, PRIMITIVE_DECIMAL8, PRIMITIVE_DECIMAL16, PRIMITIVE_DATE, PRIMITIVE_TIMESTAMP,
    PRIMITIVE_TIMESTAMP_NTZ, PRIMITIVE_FLOAT, PRIMITIVE_BINARY, PRIMITIVE_LONG_STRING, PRIMITIVE_UUID = 20
};
/* What Spark calls a value's type; functions/documents/variants.py knows these numbers. */
enum variant_kind { KIND_OBJECT, KIND_ARRAY, KIND_NULL, KIND_BOOLEAN, KIND_LONG, KIND_STRING, KIND_DOUBLE, KIND_DECIMAL, KIND_DATE,
                    KIND_TIMESTAMP, KIND_TIMESTAMP_NTZ, KIND_FLOAT, KIND_BINARY, KIND_UUID, KIND_MALFORMED };
enum { MOST_VARIANT_BYTES = 128 * 1024 * 1024 };

/* A value inside a variant: it starts at `at`, inside `depth` others. */
typedef struct { text value, metadata; uint32_t at, depth; } variant;

/* An object's or array's tables of ids and offsets; `walked` counts the bytes of the members that next_member gave. */
typedef struct { uint32_t count, id_size, offset_size, ids, offsets, data, data_size, walked; } variant_nest;
enum { DEEPEST_VARIANT = 1001 }; /* parse_json nests 1000 values: Jackson's StreamReadConstraints */

enum variant_kind kind_of(const variant *v);
/* The bytes the value takes; 0 when it is malformed. */
uint32_t size_of(const variant *v);
/* False when it is malformed. */
bool open_nest(const variant *v, variant_nest *nest);
bool member_at(const variant *v, const variant_nest *nest, uint32_t index, variant *member);
/* The same for those that walk through all members, and theirs: such a walk takes no more steps than there are bytes. Where
 * members share bytes, or are nested deeper than any that Spark makes, it ends the call and falls back to Spark. */
bool next_member(const variant *v, variant_nest *nest, uint32_t index, variant *member);
bool key_at(const variant *v, const variant_nest *nest, uint32_t index, text *key);
/* The same for what becomes a string: one that is not UTF-8 ends the call and falls back to Spark. */
bool string_key_at(const variant *v, const variant_nest *nest, uint32_t index, text *key);
/* A whole number, a date or a time. */
int64_t long_of(const variant *v);
double double_of_variant(const variant *v);
float float_of_variant(const variant *v);
/* Characters or bytes; false when they reach beyond the value. */
bool bytes_of(const variant *v, text *bytes);
typedef struct { int128 unscaled; int scale; } variant_decimal;
/* With trailing zeros taken off, as Spark reads it; false when it is malformed. */
bool decimal_of(const variant *v, variant_decimal *decimal);
bool well_formed(const variant *v);

/* Variant.toJson; false when it is malformed or has what only Spark can write. */
bool variant_json(const variant *v, const zone_rules *zone, buffer *out);

/* Java's order of strings: by UTF-16 units. */
int compare_keys(text left, text right);

/* --- building --- */

typedef struct { text key; uint32_t id, offset; } variant_field;
typedef struct {
    buffer out;              /* the value */
    buffer keys;             /* the dictionary's characters */
    uint32_t *key_ends;      /* one for each key */
    uint32_t key_count, key_room;
    uint32_t *slots;         /* open addressing from a key's hash to its id + 1 */
    uint32_t slot_count;
    variant_field *fields;   /* of the objects being built, a stack */
    size_t field_count, field_room;
    uint32_t *offsets;       /* of the arrays being built, a stack */
    size_t offset_count, offset_room;
    buffer metadata;
    bool too_large;
} variant_builder;

void reset_builder(variant_builder *builder);
void close_builder(variant_builder *builder);
void append_null(variant_builder *builder);
void append_boolean(variant_builder *builder, bool value);
void append_long(variant_builder *builder, int64_t value);
void append_double(variant_builder *builder, double value);
void append_float(variant_builder *builder, float value);
void append_decimal(variant_builder *builder, int128 unscaled, int scale, int precision);
void append_string(variant_builder *builder, text value);
void append_binary(variant_builder *builder, text value);
void append_moment(variant_builder *builder, enum variant_primitive primitive, int64_t value);
/* Objects and arrays: what begin_* gave goes to finish_*. Members are noted before they are appended. */
typedef struct { size_t start, first; } variant_mark;
variant_mark begin_object(const variant_builder *builder);
void note_field(variant_builder *builder, variant_mark mark, text key);
bool finish_object(variant_builder *builder, variant_mark mark); /* false: a key came twice */
variant_mark begin_array(const variant_builder *builder);
void note_element(variant_builder *builder, variant_mark mark);
void finish_array(variant_builder *builder, variant_mark mark);
/* With the keys that it uses, and no others. */
bool append_variant(variant_builder *builder, const variant *v);
/* Writes the metadata of what was built. */
void build_metadata(variant_builder *builder);

/* --- JSON --- */

enum { LONGEST_VARIANT_STRING = 20000000 }; /* Jackson's StreamReadConstraints */
#define VARIANT_JSON {.no_controls = true, .double_quotes = true}
typedef struct { json_reader reader; variant_builder builder; } variant_reading;
/* The value at the token; false when it is none. */
bool build_value(variant_reading *task);
/* A whole text; anything after its first value is ignored. */
bool build_text(variant_reading *task, text json);
/* Raises, unless the function is one that tries (`extra`). */
void refuse_variant_json(native_call *call, idx_t row, const variant_reading *task);

/* --- paths --- */

typedef struct { text at; text key; bool is_key; int64_t index; } path_step; /* `at`: what follows */
enum path_end { PATH_STEP, PATH_END, PATH_INVALID, PATH_FALLS_BACK };
enum path_end next_step(path_step *step);
enum path_end check_path(text path);
/* From the value to the one that the path leads to; false when there is none. */
bool follow_path(variant *v, text path);

/* --- arguments and results --- */

/* The variant of a row. False: NULL. */
bool variant_argument(const value_column *variants, idx_t row, variant *v);
void set_variant(native_call *call, idx_t row, text value, text metadata);
void set_null_variant(native_call *call, idx_t row);
void set_built(native_call *call, idx_t row, variant_builder *builder);
void malformed_variant(native_call *call);

/* `for` over the rows whose variant is there; rows without one are NULL. */
typedef struct { value_column variants; variant v; } variant_rows;
static inline variant_rows open_rows(native_call *call) { return (variant_rows){.variants = value_argument(call, 0)}; }
static inline bool next_variant(native_call *call, variant_rows *rows, idx_t row) {
    if (variant_argument(&rows->variants, row, &rows->v) && size_of(&rows->v))
        return true;
    set_null(call, row);
    return false;
}
#define EACH_VARIANT(call, rows, row) EACH_ROW(call, row) if (next_variant(call, rows, row))
