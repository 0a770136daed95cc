/* In which order Spark's sorts meet rows that are equal in their key: what users see where an order is not told whole.
 *
 * SQL spelling: spark_range_parts(ranks, parts) of an ascending INTEGER[] that starts at 1 -> the part of each rank;
 * spark_sort_turns(nulls) of an INTEGER[], 1 where the key of a row is null, in the order in which rows arrive -> the
 * turn of each row among those of its key. */
#include "values.h"
#include <stdlib.h>

/* Bounds are keys at which another share of the rows is reached; none is taken twice (RangePartitioner.determineBounds).
 * Returns how many ranks there are. */
static uint64_t part_ranks(const int32_t *ranks, uint64_t count, uint64_t parts, int32_t *part_of) {
    uint64_t most = parts < count ? parts : count, bounds = 0, known = 0;
    double step = (double)count / (double)most, target = step;
    int32_t bound = 0;
    for (uint64_t i = 0; i < count; i++) {
        if ((uint64_t)ranks[i] > known)
            part_of[known++] = (int32_t)bounds;
        if (bounds + 1 < most && (double)(i + 1) >= target && ranks[i] > bound) {
            bound = ranks[i];
            target += step;
            bounds++;
        }
    }
    return known;
}

static void range_parts(native_call *call) {
    value_column lists = value_argument(call, 0);
    duckdb_list_vector_reserve(call->result, elements_of(call, &lists));
    int32_t *out = duckdb_vector_get_data(duckdb_list_vector_get_child(call->result));
    uint64_t size = 0;
    memset(call->out, 0, call->rows * sizeof(list_entry));
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row);
        const int32_t *ranks = (const int32_t *)lists.children->data + entry.offset;
        uint64_t known = part_ranks(ranks, entry.length, ARGUMENT(call, int32_t, 1)[row], out + size);
        RESULT(call, list_entry)[row] = (list_entry){size, known};
        size += known;
    }
    duckdb_list_vector_set_size(call->result, size);
    free_value(&lists);
}

/* A row whose key is null takes the place of the first that has one, which moves behind the last
 * (UnsafeInMemorySorter.insertRecord). `tape` holds all moves: rows that have a key stand from `head` on. */
static void turn_rows(const int32_t *nulls, uint64_t count, uint64_t *tape, int64_t *turns) {
    uint64_t head = 0, end = 0;
    for (uint64_t i = 0; i < count; i++) {
        turns[i] = (int64_t)i;
        if (!nulls[i])
            tape[end++] = i;
        else if (head < end)
            tape[end++] = tape[head++];
    }
    for (uint64_t at = head; at < end; at++)
        turns[tape[at]] = (int64_t)(at - head);
}

static void sort_turns(native_call *call) {
    value_column lists = value_argument(call, 0);
    uint64_t elements = elements_of(call, &lists), size = 0;
    duckdb_list_vector_reserve(call->result, elements);
    int64_t *out = duckdb_vector_get_data(duckdb_list_vector_get_child(call->result));
    uint64_t *tape = malloc((elements + 1) * sizeof(uint64_t));
    memset(call->out, 0, call->rows * sizeof(list_entry));
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row);
        turn_rows((const int32_t *)lists.children->data + entry.offset, entry.length, tape, out + size);
        RESULT(call, list_entry)[row] = (list_entry){size, entry.length};
        size += entry.length;
    }
    duckdb_list_vector_set_size(call->result, size);
    free(tape);
    free_value(&lists);
}

const native_function sort_turn_functions[] = {{"spark_range_parts", "[ii>[i", range_parts, NULL},
                                               {"spark_sort_turns", "[i>[l", sort_turns, NULL},
                                               {NULL}};
