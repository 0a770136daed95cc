/* array_sort with a comparator: java.util.TimSort over a table of the comparator's results for all pairs.
 *
 * SQL spelling: list_select(a, spark_sort_by(table)) with table[i][j] the comparator's result for elements i and j. */
#include "core/values.h"
#include <stdlib.h>

enum { SHORTEST_MERGED = 32 }; /* TimSort sorts fewer elements than this by binary insertion alone */

typedef struct { native_call *call; const value_column *rows; list_entry table; } comparisons;

/* A null result is an error in Spark if the sort compares that pair. */
static int answer(comparisons *by, uint64_t i, uint64_t j) {
    uint64_t at = elements_at(by->rows->children, by->table.offset + i, j + 1) + j;
    const value_column *answers = by->rows->children->children;
    if (!value_valid(answers, at)) {
        fall_back(by->call, "LAMBDA", "a comparator that returns null");
        return 0;
    }
    return ((const int32_t *)answers->data)[at];
}

static void reverse(uint64_t *items, uint64_t count) {
    for (uint64_t i = 0; i < count / 2; i++) {
        uint64_t kept = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = kept;
    }
}

/* The length of the initial run; a strictly descending run is reversed. */
static uint64_t first_run(comparisons *by, uint64_t *items, uint64_t count) {
    if (count < 2)
        return count;
    uint64_t end = 2;
    if (answer(by, items[1], items[0]) < 0) {
        while (end < count && answer(by, items[end], items[end - 1]) < 0)
            end++;
        reverse(items, end);
    } else
        while (end < count && answer(by, items[end], items[end - 1]) >= 0)
            end++;
    return end;
}

static void binary_insertion(comparisons *by, uint64_t *items, uint64_t count, uint64_t sorted) {
    for (; sorted < count; sorted++) {
        uint64_t pivot = items[sorted], left = 0, right = sorted;
        while (left < right) {
            uint64_t middle = (left + right) / 2;
            if (answer(by, pivot, items[middle]) < 0)
                right = middle;
            else
                left = middle + 1;
        }
        memmove(items + left + 1, items + left, (sorted - left) * sizeof *items);
        items[left] = pivot;
    }
}

static int sign(int number) { return (number > 0) - (number < 0); }

/* Whether the comparator is a consistent order: then every stable sort gives the same result. */
static bool consistent(comparisons *by, const uint64_t *items, uint64_t count) {
    uint64_t done = 0;
    for (uint64_t i = 0; i < count; i++, stay_cancellable(&done, 8 * count))
        for (uint64_t j = i + 1; j < count; j++) {
            int there = sign(answer(by, items[i], items[j])), back = sign(answer(by, items[j], items[i]));
            bool tied = j > i + 1 ? there == 0 && sign(answer(by, items[i], items[j - 1])) != 0 : false;
            if (there > 0 || back != -there || tied)
                return false;
        }
    return true;
}

static void sort_by_rows(native_call *call) {
    value_column tables = value_argument(call, 0);
    position_writer writer = {call};
    expect_type(&tables, TYPE_LIST);
    expect_type(tables.children, TYPE_LIST);
    expect_type(tables.children->children, TYPE_INTEGER);
    EACH_ROW(call, row) {
        comparisons by = {call, &tables, list_at(&tables, row)};
        uint64_t count = by.table.length, *items = allocate(checked_size(count, 1, 1), sizeof *items);
        for (uint64_t i = 0; i < count; i++)
            items[i] = i;
        binary_insertion(&by, items, count, first_run(&by, items, count));
        if (count >= SHORTEST_MERGED && !consistent(&by, items, count))
            fall_back(call, "LAMBDA", "a comparator that contradicts itself");
        begin_list(&writer, row);
        for (uint64_t i = 0; i < count; i++)
            add_position(&writer, (int64_t)items[i] + 1);
        end_list(&writer, row);
        release(items);
    }
    finish_positions(&writer);
    free_value(&tables);
}

const native_function sort_functions[] = {{"spark_sort_by", "A>[l", sort_by_rows, NULL}, {NULL}};
