/* Checks the keys of maps: no nulls, and no duplicates unless the last one wins.
 *
 * SQL spelling: MAP(keys[1:spark_map_keys(keys, values)], values); the number of keys, or an error. The values are an argument so
 * that they are computed first: their errors come before those of the keys.
 * MAP(list_select(keys, spark_array_distinct(keys)), list_select(values, spark_map_last(keys, values))) where the last wins. */
#include "core/values.h"
#include <stdlib.h>

enum { MOST_KEYS = 10000 }; /* compared pairwise if the last of equal keys wins */

static void duplicated(native_call *call, const value_column *keys, idx_t at, bool is_decimal) {
    char into[64];
    text shown;
    if (is_decimal || !inner_text(keys, at, into, sizeof into, &shown))
        fall_back(call, "MAP_KEYS", "a key that occurs twice");
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

/* Few keys are compared pairwise, which needs no memory. */
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

/* The index of the first duplicate key, or the length. */
static uint64_t first_repeated(const value_column *keys, list_entry entry) {
    uint64_t first = entry.length;
    hashed_key *sorted = allocate(checked_size(entry.length, 1, 1), sizeof *sorted);
    for (uint64_t i = 0; i < entry.length; i++)
        sorted[i] = (hashed_key){hash_value(keys, entry.offset + i), i};
    qsort(sorted, entry.length, sizeof *sorted, by_hash);
    uint64_t done = 0;
    for (uint64_t i = 1; i < entry.length; i++)
        for (uint64_t j = i; j > 0 && sorted[j - 1].hash == sorted[i].hash; j--, stay_cancellable(&done, 16))
            if (compare_values(keys, entry.offset + sorted[i].place, keys, entry.offset + sorted[j - 1].place) == 0 && sorted[i].place < first)
                first = sorted[i].place;
    release(sorted);
    return first;
}

static void check_keys_rows(native_call *call) {
    value_column lists = value_argument(call, 0), values = value_argument(call, 1);
    const value_column *keys = lists.children;
    bool decimals = keys_are_decimals(call);
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row);
        if (entry.length != list_at(&values, row).length) {
            fall_back(call, "MAP_KEYS", "different numbers of keys and values");
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

/* For each distinct key, in order of first occurrence, the index of its last occurrence, whose value wins. */
static void last_places(position_writer *writer, const value_column *keys, list_entry entry) {
    uint64_t done = 0;
    for (uint64_t i = 0; i < entry.length; i++) {
        stay_cancellable(&done, 8 * entry.length);
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
            fall_back(call, "MAP_KEYS", "different numbers of keys and values, or very many");
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
