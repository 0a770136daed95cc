/* Maps: are the keys there, and each once?
 *
 * SQL spelling: MAP(keys[1:spark_map_keys(keys, values)], values); the number of keys, or an error. The values stand there so that
 * they are computed first: an error in them comes before one of the keys.
 * MAP(list_select(keys, spark_array_distinct(keys)), list_select(values, spark_map_last(keys, values))) where the last wins. */
#include "values.h"
#include <stdlib.h>

enum { MOST_KEYS = 10000 }; /* compared pair by pair where the last of equal keys counts */

static void duplicated(native_call *call, const value_column *keys, idx_t at, bool is_decimal) {
    char into[64];
    text shown;
    if (is_decimal || !inner_text(keys, at, into, sizeof into, &shown))
        spark_error(call, "ELSEWHERE", "reason", "the text of a map key that comes twice", NULL);
    else
        spark_error_text(call, "DUPLICATED_MAP_KEY", "key", shown, "mapKeyDedupPolicy", "\"spark.sql.mapKeyDedupPolicy\"", NULL);
}

static bool keys_are_decimals(native_call *call) {
    duckdb_vector keys = duckdb_list_vector_get_child(duckdb_data_chunk_get_vector(call->chunk, 0));
    duckdb_logical_type type = duckdb_vector_get_column_type(keys);
    int id = duckdb_get_type_id(type);
    duckdb_destroy_logical_type(&type);
    return id == TYPE_DECIMAL;
}

/* Few keys are compared pair by pair, which needs no memory. */
static bool comes_before(const value_column *keys, list_entry entry, uint64_t i) {
    for (uint64_t j = 0; j < i; j++)
        if (compare_values(keys, entry.offset + j, keys, entry.offset + i) == 0)
            return true;
    return false;
}

typedef struct { uint64_t hash, place; } hashed_key;

static int by_hash(const void *left, const void *right) {
    const hashed_key *a = left, *b = right;
    return a->hash < b->hash ? -1 : a->hash > b->hash ? 1 : a->place < b->place ? -1 : a->place > b->place;
}

/* The place of the first key that comes a second time, or the length. */
static uint64_t first_repeated(const value_column *keys, list_entry entry) {
    uint64_t first = entry.length;
    hashed_key *sorted = malloc((entry.length + 1) * sizeof *sorted);
    for (uint64_t i = 0; i < entry.length; i++)
        sorted[i] = (hashed_key){hash_value(keys, entry.offset + i), i};
    qsort(sorted, entry.length, sizeof *sorted, by_hash);
    for (uint64_t i = 1; i < entry.length; i++)
        for (uint64_t j = i; j > 0 && sorted[j - 1].hash == sorted[i].hash; j--)
            if (compare_values(keys, entry.offset + sorted[i].place, keys, entry.offset + sorted[j - 1].place) == 0 && sorted[i].place < first)
                first = sorted[i].place;
    free(sorted);
    return first;
}

static void check_keys_rows(native_call *call) {
    value_column lists = value_argument(call, 0), values = value_argument(call, 1);
    const value_column *keys = lists.children;
    bool decimals = keys_are_decimals(call);
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row);
        if (entry.length != list_at(&values, row).length) {
            spark_error(call, "ELSEWHERE", "reason", "keys and values of different numbers", NULL);
            break;
        }
        uint64_t present = 0;
        while (present < entry.length && value_valid(keys, entry.offset + present))
            present++;
        list_entry valid = {entry.offset, present};
        uint64_t repeated = present;
        if (present > 32)
            repeated = first_repeated(keys, valid);
        else
            for (uint64_t i = 1; i < present && repeated == present; i++)
                if (comes_before(keys, valid, i))
                    repeated = i;
        if (repeated < present)
            duplicated(call, keys, entry.offset + repeated, decimals);
        else if (present < entry.length)
            spark_error(call, "NULL_MAP_KEY", NULL);
        RESULT(call, int64_t)[row] = (int64_t)entry.length;
    }
    free_value(&lists);
    free_value(&values);
}

/* Of each distinct key, in the order of their first places, the last place: there stands the value that counts. */
static void last_places(position_writer *writer, const value_column *keys, list_entry entry) {
    for (uint64_t i = 0; i < entry.length; i++) {
        if (comes_before(keys, entry, i))
            continue;
        uint64_t last = i;
        for (uint64_t j = i + 1; j < entry.length; j++)
            if (compare_values(keys, entry.offset + i, keys, entry.offset + j) == 0)
                last = j;
        add_position(writer, (int64_t)last + 1);
    }
}

static void last_rows(native_call *call) {
    value_column lists = value_argument(call, 0), values = value_argument(call, 1);
    position_writer writer = {call};
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row);
        begin_list(&writer, row);
        if (entry.length != list_at(&values, row).length || entry.length > MOST_KEYS)
            spark_error(call, "ELSEWHERE", "reason", "keys and values of different numbers, or very many", NULL);
        for (uint64_t i = 0; i < entry.length && !call->failed; i++)
            if (!value_valid(lists.children, entry.offset + i))
                spark_error(call, "NULL_MAP_KEY", NULL);
        if (!call->failed)
            last_places(&writer, lists.children, entry);
        end_list(&writer, row);
    }
    finish_positions(&writer);
    free_value(&lists);
    free_value(&values);
}

const native_function map_functions[] = {
    {"spark_map_keys", "AA>l", check_keys_rows, NULL},
    {"spark_map_last", "AA>[l", last_rows, NULL},
    {NULL}};
