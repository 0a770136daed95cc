/* Computes the order in which Spark's sorts return ties, which is visible where ORDER BY is not total.
 *
 * SQL spelling: spark_range_parts(ranks, parts) of an ascending INTEGER[] that starts at 1 -> the range partition of each rank;
 * spark_sort_turns(nulls) of an INTEGER[], 1 where the key of a row is null, in the order in which rows arrive -> the
 * position of each row among those with its key;
 * spark_first_turns(tasks, ranks, k) of two INTEGER[] in the order in which rows arrive -> the position of each row if
 * only the first k are needed; the others come after. */
#include "core/values.h"
#include <stdlib.h>

/* Bounds are keys at which another share of the rows is reached, without duplicates (RangePartitioner.determineBounds).
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
        uint64_t known = part_ranks(ranks, entry.length, (uint64_t)ARGUMENT(call, int32_t, 1)[row], out + size);
        RESULT(call, list_entry)[row] = (list_entry){size, known};
        size += known;
    }
    duckdb_list_vector_set_size(call->result, size);
    free_value(&lists);
}

/* A row with a null key is swapped with the first row that has a key, which moves after the last
 * (UnsafeInMemorySorter.insertRecord). `tape` contains all moves: rows with a key begin at `head`. */
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
    uint64_t *tape = allocate(checked_size(elements, 1, 1), sizeof(uint64_t));
    memset(call->out, 0, call->rows * sizeof(list_entry));
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row);
        turn_rows((const int32_t *)lists.children->data + entry.offset, entry.length, tape, out + size);
        RESULT(call, list_entry)[row] = (list_entry){size, entry.length};
        size += entry.length;
    }
    duckdb_list_vector_set_size(call->result, size);
    release(tape);
    free_value(&lists);
}

/* Rows to choose the first k from: at most 2k at a time, of which the later half is dropped when there are as many
 * (Guava's TopKSelector, by which TakeOrderedAndProject chooses). Ties stay in the order that this produces. */
typedef struct { const int32_t *ranks; uint32_t *rows; uint64_t count, k; int32_t threshold; } chosen_rows;

static void swap_rows(uint32_t *rows, uint64_t one, uint64_t other) {
    uint32_t row = rows[one];
    rows[one] = rows[other];
    rows[other] = row;
}

/* Moves rows before the pivot to its left. Returns the pivot's position. */
static uint64_t part_around(chosen_rows *chosen, uint64_t left, uint64_t right, uint64_t pivot) {
    uint32_t *rows = chosen->rows, row = rows[pivot];
    uint64_t at = left;
    rows[pivot] = rows[right];
    for (uint64_t i = left; i < right; i++)
        if (chosen->ranks[rows[i]] < chosen->ranks[row])
            swap_rows(rows, at++, i);
    rows[right] = rows[at];
    rows[at] = row;
    return at;
}

/* Stable, as Java's sort of objects is. `spare` has room for as many. */
static void sort_rows(const int32_t *ranks, uint32_t *rows, uint32_t *spare, uint64_t count) {
    if (count < 2)
        return;
    uint64_t half = count / 2, left = 0, right = half;
    sort_rows(ranks, rows, spare, half);
    sort_rows(ranks, rows + half, spare, count - half);
    for (uint64_t i = 0; i < count; i++)
        spare[i] = right >= count || (left < half && ranks[rows[left]] <= ranks[rows[right]]) ? rows[left++] : rows[right++];
    memcpy(rows, spare, count * sizeof *rows);
}

static uint64_t ceiling_log2(uint64_t number) {
    uint64_t found = 0;
    while ((1ULL << found) < number)
        found++;
    return found;
}

static void drop_half(chosen_rows *chosen, uint32_t *spare) {
    uint64_t left = 0, right = 2 * chosen->k - 1, known = 0, steps = 0, most = 3 * ceiling_log2(right);
    while (left < right) {
        uint64_t at = part_around(chosen, left, right, (left + right + 1) >> 1);
        if (at > chosen->k)
            right = at - 1;
        else if (at < chosen->k) {
            left = at > left + 1 ? at : left + 1;
            known = at;
        } else
            break;
        if (++steps >= most) {
            sort_rows(chosen->ranks, chosen->rows + left, spare, right - left + 1);
            break;
        }
    }
    chosen->count = chosen->k;
    chosen->threshold = chosen->ranks[chosen->rows[known]];
    for (uint64_t i = known + 1; i < chosen->k; i++)
        if (chosen->ranks[chosen->rows[i]] > chosen->threshold)
            chosen->threshold = chosen->ranks[chosen->rows[i]];
}

static void offer_row(chosen_rows *chosen, uint32_t row, uint32_t *spare) {
    int32_t rank = chosen->ranks[row];
    if (chosen->count < chosen->k) {
        chosen->threshold = chosen->count && chosen->threshold > rank ? chosen->threshold : rank;
        chosen->rows[chosen->count++] = row;
    } else if (rank < chosen->threshold) {
        chosen->rows[chosen->count++] = row;
        if (chosen->count == 2 * chosen->k)
            drop_half(chosen, spare);
    }
}

/* The first k of `rows`, in order, in their place. Returns how many they are. */
static uint64_t choose_first(const int32_t *ranks, uint32_t *rows, uint64_t count, uint64_t k, uint32_t *room, uint32_t *spare) {
    chosen_rows chosen = {ranks, room, 0, k, 0};
    for (uint64_t i = 0; i < count; i++)
        offer_row(&chosen, rows[i], spare);
    sort_rows(ranks, room, spare, chosen.count);
    uint64_t found = chosen.count < k ? chosen.count : k;
    memcpy(rows, room, found * sizeof *rows);
    return found;
}

/* Each task selects its first k rows, then the first k of all are selected from these. */
static void turn_first(const int32_t *tasks, const int32_t *ranks, uint64_t count, uint64_t k, uint32_t *memory, int64_t *turns) {
    uint32_t *rows = memory, *room = rows + count, *spare = room + count + 1;
    uint64_t found = 0, end;
    k = k < count ? k : count;
    for (uint64_t start = 0; start < count; start = end) {
        for (end = start; end < count && tasks[end] == tasks[start]; end++)
            rows[found + end - start] = (uint32_t)end;
        found += choose_first(ranks, rows + found, end - start, k, room, spare);
    }
    found = choose_first(ranks, rows, found, k, room, spare);
    for (uint64_t i = 0; i < count; i++)
        turns[i] = (int64_t)(count + i);
    for (uint64_t i = 0; i < found; i++)
        turns[rows[i]] = (int64_t)i;
}

static void first_turns(native_call *call) {
    value_column tasks = value_argument(call, 0), ranks = value_argument(call, 1);
    uint64_t elements = elements_of(call, &ranks), size = 0;
    duckdb_list_vector_reserve(call->result, elements);
    int64_t *out = duckdb_vector_get_data(duckdb_list_vector_get_child(call->result));
    uint32_t *memory = allocate(checked_size(elements, 3, 2), sizeof(uint32_t));
    memset(call->out, 0, call->rows * sizeof(list_entry));
    EACH_ROW(call, row) {
        list_entry entry = list_at(&ranks, row);
        if (list_at(&tasks, row).length != entry.length)
            end_call("twinspark: as many tasks as ranks are needed");
        const int32_t *task = (const int32_t *)tasks.children->data + list_at(&tasks, row).offset;
        const int32_t *rank = (const int32_t *)ranks.children->data + entry.offset;
        turn_first(task, rank, entry.length, (uint64_t)ARGUMENT(call, int32_t, 2)[row], memory, out + size);
        RESULT(call, list_entry)[row] = (list_entry){size, entry.length};
        size += entry.length;
    }
    duckdb_list_vector_set_size(call->result, size);
    release(memory);
    free_value(&tasks);
    free_value(&ranks);
}

const native_function sort_turn_functions[] = {{"spark_range_parts", "[ii>[i", range_parts, NULL},
                                               {"spark_sort_turns", "[i>[l", sort_turns, NULL},
                                               {"spark_first_turns", "[i[ii>[l", first_turns, NULL},
                                               {NULL}};
