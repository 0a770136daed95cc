/* Which functions are fuzzed together: the topic tables of the extension, by family. */
#include "families.h"
#include "core/native.h"

enum { MOST_TABLES = 24 };
typedef struct { const char *name; const native_function *functions[MOST_TABLES]; const native_aggregate *aggregates[8]; } family;

#define LISTED(table) table,
static const native_function *const sketch_functions_listed[] = {SKETCH_FUNCTION_TABLES(LISTED) NULL};
static const native_aggregate *const sketch_aggregates_listed[] = {SKETCH_AGGREGATE_TABLES(LISTED) NULL};

static const family families[] = {
    {"sketches", {NULL}, {NULL}}, /* the lists above */
    {"variant", {variant_functions, variant_path_functions, variant_make_functions, variant_json_functions, variant_part_functions, variant_schema_functions}, {NULL}},
    {"json", {json_functions, json_tuple_functions, to_json_functions, from_json_functions, from_json_flat_functions, json_schema_functions}, {NULL}},
    {"csv_xml", {csv_functions, csv_kind_functions, csv_write_functions, xpath_functions}, {NULL}},
    {"regex", {regex_functions, url_functions}, {NULL}},
    {"text", {unicode_functions, collation_functions, text_functions, encode_functions, bytes_functions, mask_functions, list_text_functions, make_functions}, {NULL}},
    {"decimals", {decimal_functions, decimal_whole_functions, decimal_cast_functions, cast_functions, rounding_functions, whole_functions, narrow_functions, wrapping_functions}, {decimal_aggregates}},
    {"number_formats", {number_format_functions, java_format_functions, java_functions}, {NULL}},
    {"dates", {zone_functions, datetime_functions, day_name_functions, pattern_functions, parse_functions, parse_complaints, legacy_date_functions, legacy_date_read_functions, moving_functions, clock_functions, bit_functions}, {NULL}},
    {"crypto", {hash_functions, digest_functions, aes_functions, wkb_functions}, {NULL}},
    {"arrays", {set_functions, whole_set_functions, sort_functions, sort_turn_functions, order_functions, map_functions, vector_functions, sequence_functions, random_functions}, {NULL}},
    {"numbers", {math_functions, memory_functions, room_functions, operation_functions}, {moment_aggregates, window_aggregates, window_moment_aggregates, bitmap_aggregates, extreme_aggregates, percentile_aggregates}},
};

const char *family_name(unsigned number) { return number < sizeof families / sizeof *families ? families[number].name : NULL; }

static bool has_function(const native_function *const *tables, const native_function *wanted) {
    for (; *tables; tables++)
        for (const native_function *line = *tables; line->name; line++)
            if (line == wanted)
                return true;
    return false;
}

static bool has_aggregate(const native_aggregate *const *tables, const native_aggregate *wanted) {
    for (; *tables; tables++)
        for (const native_aggregate *line = *tables; line->name; line++)
            if (line == wanted)
                return true;
    return false;
}

/* How extension.c's registration begins. */
typedef struct { const native_function *function; const native_aggregate *aggregate; } registered_line;

bool is_in_family(const char *name, const void *registration) {
    const registered_line *line = registration;
    for (unsigned i = 0; family_name(i); i++) {
        if (strcmp(families[i].name, name))
            continue;
        if (i == 0)
            return line->function ? has_function(sketch_functions_listed, line->function) : has_aggregate(sketch_aggregates_listed, line->aggregate);
        return line->function ? has_function(families[i].functions, line->function) : has_aggregate(families[i].aggregates, line->aggregate);
    }
    return false;
}

const void *line_of(const void *registration) {
    const registered_line *line = registration;
    return line->function ? (const void *)line->function : (const void *)line->aggregate;
}

static duckdb_database *no_database(duckdb_extension_info info) {
    static duckdb_database none;
    (void)info;
    return &none;
}

extern bool twinspark_init_c_api(duckdb_extension_info, struct duckdb_extension_access *);

/* Through the extension's own door, by a DuckDB that is a model. */
bool register_with(const void *(*get_api)(void *, const char *)) {
    struct duckdb_extension_access access = {
        .get_database = no_database, .get_api = (const void *(*)(duckdb_extension_info, const char *))get_api};
    return twinspark_init_c_api(NULL, &access);
}

void limit_memory(uint64_t bytes) { set_memory_limit(bytes); }
