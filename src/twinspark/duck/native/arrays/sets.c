/* Searching, sorting and set operations of arrays, with Spark's order and equality.
 *
 * The functions return positions (from one), and SQL selects the elements: list_select(a, spark_array_distinct(a)),
 * list_select(a, spark_array_except(a, b)), list_select(a, spark_sort_positions(a, mode)), a[spark_array_max(a)].
 * A searched value is passed as a list of one: spark_array_position(a, [v]). */
#include "core/values.h"
#include <stdlib.h>

/* A hash set of the elements of one row's list; null is a value. */
typedef struct {
    const value_column **columns;
    idx_t *places; /* indices in the column */
    uint64_t mask;
    bool has_null;
} element_set;

static void open_set(element_set *set, uint64_t elements) {
    uint64_t size = 8;
    while (size < 2 * elements)
        size *= 2;
    *set = (element_set){allocate_zeroed(size, sizeof(value_column *)), allocate(size, sizeof(idx_t)), size - 1, false};
}

static void close_set(element_set *set) {
    release(set->columns);
    release(set->places);
}

static uint64_t slot_of(const element_set *set, const value_column *column, idx_t at) {
    uint64_t slot = hash_value(column, at) & set->mask, done = 0;
    if (!(at & 0xFFFF))
        end_if_cancelled();
    while (set->columns[slot] && compare_values(set->columns[slot], set->places[slot], column, at)) {
        slot = (slot + 1) & set->mask;
        stay_cancellable(&done, 16);
    }
    return slot;
}

static bool contains(const element_set *set, const value_column *column, idx_t at) {
    return value_valid(column, at) ? set->columns[slot_of(set, column, at)] != NULL : set->has_null;
}

/* False if it was in the set already. */
static bool add(element_set *set, const value_column *column, idx_t at) {
    if (contains(set, column, at))
        return false;
    if (!value_valid(column, at))
        return set->has_null = true;
    uint64_t slot = slot_of(set, column, at);
    set->columns[slot] = column;
    set->places[slot] = at;
    return true;
}

static void add_all(element_set *set, const value_column *lists, idx_t row) {
    list_entry entry = list_at(lists, row);
    for (uint64_t i = 0; i < entry.length; i++)
        add(set, lists->children, entry.offset + i);
}

/* --- few elements are compared one by one, which needs no memory --- */

enum { FEW_PAIRS = 400 };

static inline bool same_text(const duckdb_string *a, const duckdb_string *b) {
    text left = text_of(a), right = text_of(b);
    return left.length == right.length && !memcmp(left.bytes, right.bytes, left.length);
}

/* Both null, or equal; common types have a fast path. */
static inline bool same_element(const value_column *a, idx_t i, const value_column *b, idx_t j) {
    bool there = value_valid(a, i);
    if (there != value_valid(b, j) || !there)
        return there == value_valid(b, j);
    if (a->type == TYPE_INTEGER && b->type == TYPE_INTEGER)
        return ((const int32_t *)a->data)[i] == ((const int32_t *)b->data)[j];
    if (a->type == TYPE_BIGINT && b->type == TYPE_BIGINT)
        return ((const int64_t *)a->data)[i] == ((const int64_t *)b->data)[j];
    if (a->type == TYPE_VARCHAR && b->type == TYPE_VARCHAR)
        return same_text(&((const duckdb_string *)a->data)[i], &((const duckdb_string *)b->data)[j]);
    return compare_values(a, i, b, j) == 0;
}

static bool is_among(const value_column *of, idx_t first, uint64_t count, const value_column *column, idx_t at) {
    for (uint64_t i = 0; i < count; i++)
        if (same_element(of, first + i, column, at))
            return true;
    return false;
}

static void few_distinct(position_writer *writer, const value_column *elements, list_entry entry) {
    for (uint64_t i = 0; i < entry.length; i++)
        if (!is_among(elements, entry.offset, i, elements, entry.offset + i))
            add_position(writer, (int64_t)i + 1);
}

static void few_sifted(position_writer *writer, const value_column *elements, list_entry entry, const value_column *others,
                       list_entry other, bool common) {
    for (uint64_t i = 0; i < entry.length; i++)
        if (is_among(others, other.offset, other.length, elements, entry.offset + i) == common &&
            !is_among(elements, entry.offset, i, elements, entry.offset + i))
            add_position(writer, (int64_t)i + 1);
}

static void distinct_rows(native_call *call) {
    value_column lists = value_argument(call, 0);
    position_writer writer = {call};
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row);
        if (entry.length * entry.length <= FEW_PAIRS) {
            begin_list(&writer, row);
            few_distinct(&writer, lists.children, entry);
            end_list(&writer, row);
            continue;
        }
        element_set seen;
        open_set(&seen, entry.length);
        begin_list(&writer, row);
        for (uint64_t i = 0; i < entry.length; i++)
            if (add(&seen, lists.children, entry.offset + i))
                add_position(&writer, (int64_t)i + 1);
        end_list(&writer, row);
        close_set(&seen);
    }
    finish_positions(&writer);
    free_value(&lists);
}

/* The first array's distinct elements that are in the second (extra is set), or that are not. */
static void sift_rows(native_call *call) {
    value_column lists = value_argument(call, 0), others = value_argument(call, 1);
    position_writer writer = {call};
    bool common = call->function->extra != NULL;
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row), few = list_at(&others, row);
        if (entry.length * (entry.length + few.length) <= FEW_PAIRS) {
            begin_list(&writer, row);
            few_sifted(&writer, lists.children, entry, others.children, few, common);
            end_list(&writer, row);
            continue;
        }
        element_set seen, other;
        open_set(&seen, entry.length);
        open_set(&other, list_at(&others, row).length);
        add_all(&other, &others, row);
        begin_list(&writer, row);
        for (uint64_t i = 0; i < entry.length; i++)
            if (contains(&other, lists.children, entry.offset + i) == common && add(&seen, lists.children, entry.offset + i))
                add_position(&writer, (int64_t)i + 1);
        end_list(&writer, row);
        close_set(&seen);
        close_set(&other);
    }
    finish_positions(&writer);
    free_value(&lists);
    free_value(&others);
}

static bool any_null(const value_column *lists, idx_t row) {
    list_entry entry = list_at(lists, row);
    for (uint64_t i = 0; i < entry.length; i++)
        if (!value_valid(lists->children, entry.offset + i))
            return true;
    return false;
}

/* arrays_overlap: true if a value is in both; else null if both have elements and one has a null. */
static void overlap_rows(native_call *call) {
    value_column lists = value_argument(call, 0), others = value_argument(call, 1);
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row), other = list_at(&others, row);
        element_set set;
        bool found = false, few = entry.length * other.length <= FEW_PAIRS;
        for (uint64_t i = 0; few && i < entry.length && !found; i++)
            found = value_valid(lists.children, entry.offset + i) &&
                    is_among(others.children, other.offset, other.length, lists.children, entry.offset + i);
        if (few && (RESULT(call, bool)[row] = found))
            continue;
        open_set(&set, other.length);
        add_all(&set, &others, row);
        for (uint64_t i = 0; !few && i < entry.length && !found; i++)
            found = value_valid(lists.children, entry.offset + i) && contains(&set, lists.children, entry.offset + i);
        RESULT(call, bool)[row] = found;
        if (!found && entry.length && other.length && (any_null(&lists, row) || any_null(&others, row)))
            set_null(call, row);
        close_set(&set);
    }
    free_value(&lists);
    free_value(&others);
}

/* --- searches --- */

static bool equals_at(const value_column *column, idx_t at, const value_column *values, idx_t place) {
    return value_valid(column, at) && compare_values(column, at, values, place) == 0;
}

static void position_rows(native_call *call) {
    value_column lists = value_argument(call, 0), values = value_argument(call, 1);
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row);
        idx_t place = elements_at(&values, row, 1);
        int64_t *result = &RESULT(call, int64_t)[row];
        *result = 0;
        if (!value_valid(values.children, place))
            set_null(call, row);
        else
            for (uint64_t i = 0; i < entry.length && !*result; i++)
                *result = equals_at(lists.children, entry.offset + i, values.children, place) ? (int64_t)i + 1 : 0;
    }
    free_value(&lists);
    free_value(&values);
}

/* array_remove: the positions of other values than the searched one; null if that is null. */
static void other_rows(native_call *call) {
    value_column lists = value_argument(call, 0), values = value_argument(call, 1);
    position_writer writer = {call};
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row);
        idx_t place = elements_at(&values, row, 1);
        begin_list(&writer, row);
        if (!value_valid(values.children, place))
            set_null(call, row);
        else
            for (uint64_t i = 0; i < entry.length; i++)
                if (!equals_at(lists.children, entry.offset + i, values.children, place))
                    add_position(&writer, (int64_t)i + 1);
        end_list(&writer, row);
    }
    finish_positions(&writer);
    free_value(&lists);
    free_value(&values);
}

/* The first of the largest (extra is set) or smallest elements; null when all are null. */
static void extreme_rows(native_call *call) {
    value_column lists = value_argument(call, 0);
    int sign = call->function->extra ? 1 : -1;
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row);
        uint64_t best = entry.length;
        for (uint64_t i = 0; i < entry.length; i++)
            if (value_valid(lists.children, entry.offset + i) &&
                (best == entry.length ||
                 sign * compare_values(lists.children, entry.offset + i, lists.children, entry.offset + best) > 0))
                best = i;
        RESULT(call, int64_t)[row] = (int64_t)best + 1;
        if (best == entry.length)
            set_null(call, row);
    }
    free_value(&lists);
}

/* --- orders --- */

enum { NULLS_FIRST, DESCENDING, NULLS_LAST };
typedef struct { const value_column *column; uint64_t offset; int mode; } ordering;

static int ordered(uint64_t i, uint64_t j, const ordering *by) {
    bool here = value_valid(by->column, by->offset + i), there = value_valid(by->column, by->offset + j);
    int order = here && there ? compare_values(by->column, by->offset + i, by->column, by->offset + j)
                              : (by->mode == NULLS_LAST ? there - here : here - there);
    return by->mode == DESCENDING ? -order : order;
}

/* A stable merge sort, as java.util.Arrays.sort of objects is stable. */
static void merge_sort(uint64_t *items, uint64_t *spare, uint64_t count, const ordering *by) {
    if (count < 2)
        return;
    uint64_t half = count / 2, i = 0, j = half, at = 0;
    merge_sort(items, spare, half, by);
    merge_sort(items + half, spare, count - half, by);
    memcpy(spare, items, count * sizeof *items);
    if (count > 0xFFFF)
        end_if_cancelled();
    while (i < half && j < count)
        items[at++] = ordered(spare[j], spare[i], by) < 0 ? spare[j++] : spare[i++];
    while (i < half)
        items[at++] = spare[i++];
    while (j < count)
        items[at++] = spare[j++];
}

static void sort_rows(native_call *call) {
    value_column lists = value_argument(call, 0);
    position_writer writer = {call};
    EACH_ROW(call, row) {
        list_entry entry = list_at(&lists, row);
        uint64_t *items = allocate(checked_size(entry.length, 2, 2), sizeof *items);
        ordering by = {lists.children, entry.offset, ARGUMENT(call, int32_t, 1)[row]};
        for (uint64_t i = 0; i < entry.length; i++)
            items[i] = i;
        merge_sort(items, items + entry.length, entry.length, &by);
        begin_list(&writer, row);
        for (uint64_t i = 0; i < entry.length; i++)
            add_position(&writer, (int64_t)items[i] + 1);
        end_list(&writer, row);
        release(items);
    }
    finish_positions(&writer);
    free_value(&lists);
}

const native_function set_functions[] = {
    {"spark_array_distinct", "A>[l", distinct_rows, NULL},
    {"spark_array_except", "AA>[l", sift_rows, NULL},
    {"spark_array_intersect", "AA>[l", sift_rows, "common"},
    {"spark_arrays_overlap", "AA>b", overlap_rows, NULL},
    {"spark_array_position", "AA>l", position_rows, NULL},
    {"spark_array_others", "AA>[l", other_rows, NULL},
    {"spark_array_max", "A>l", extreme_rows, "largest"},
    {"spark_array_min", "A>l", extreme_rows, NULL},
    {"spark_sort_positions", "Ai>[l", sort_rows, NULL},
    {NULL}};
