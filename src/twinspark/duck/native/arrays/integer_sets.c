/* array_intersect and array_except of integer arrays: returns the elements themselves, while sets.c returns positions for
 * any type.
 *
 * SQL spelling: spark_whole_array_except(a, b), spark_whole_array_intersect(a, b) of INTEGER[] or BIGINT[]. */
#include "core/values.h"
#include <stdlib.h>

enum { FEW_PAIRS = 400 }; /* up to so many pairs are compared one by one; more use a hash table */

typedef struct { int64_t *values; bool *used; uint64_t mask; } whole_set;

static whole_set open_set(uint64_t elements) {
    uint64_t size = 8;
    while (size < 2 * elements)
        size *= 2;
    return (whole_set){allocate(size, sizeof(int64_t)), allocate_zeroed(size, sizeof(bool)), size - 1};
}

static void close_set(whole_set *set) {
    release(set->values);
    release(set->used);
}

static uint64_t slot_of(const whole_set *set, int64_t value) {
    uint64_t slot = (uint64_t)value * 0x9E3779B97F4A7C15 >> 32 & set->mask;
    while (set->used[slot] && set->values[slot] != value)
        slot = (slot + 1) & set->mask;
    return slot;
}

/* False if it was in the set already. */
static bool add(whole_set *set, int64_t value) {
    uint64_t slot = slot_of(set, value);
    bool fresh = !set->used[slot];
    set->used[slot] = true;
    set->values[slot] = value;
    return fresh;
}

static bool any_null(const uint64_t *valid, list_entry entry) {
    for (uint64_t i = 0; valid && i < entry.length; i++)
        if (!bit(valid, entry.offset + i))
            return true;
    return false;
}

/* The result's elements: at most as many as all first arrays have. */
typedef struct { void *data; uint64_t *valid; uint64_t size; } element_writer;

static void set_null_element(element_writer *writer) { writer->valid[writer->size >> 6] &= ~(1ULL << (writer->size & 63)); }

#define SIFTING(type)                                                                                                  \
    static inline bool is_among_##type(const type *of, uint64_t count, type value) {                                   \
        bool found = false;                                                                                            \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            found |= of[i] == value;                                                                                   \
        return found;                                                                                                  \
    }                                                                                                                  \
    /* Without nulls among them: neither list, nor what is written. */                                                 \
    static void few_##type(element_writer *writer, const type *values, list_entry entry, const type *others,           \
                           list_entry other, bool common) {                                                            \
        type *out = writer->data;                                                                                      \
        uint64_t first = writer->size;                                                                                 \
        for (uint64_t i = 0; i < entry.length; i++) {                                                                  \
            type value = values[entry.offset + i];                                                                     \
            if (is_among_##type(others + other.offset, other.length, value) == common &&                               \
                !is_among_##type(out + first, writer->size - first, value))                                            \
                out[writer->size++] = value;                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    static void many_##type(element_writer *writer, const value_column *lists, list_entry entry,                       \
                            const value_column *more, list_entry other, bool common) {                                 \
        const type *values = lists->data, *others = more->data;                                                        \
        whole_set known = open_set(other.length), taken = open_set(entry.length);                                      \
        bool null_wanted = any_null(more->valid, other) == common;                                                     \
        for (uint64_t i = other.offset; i < other.offset + other.length; i++)                                          \
            if (bit(more->valid, i))                                                                                   \
                add(&known, others[i]);                                                                                \
        for (uint64_t i = entry.offset; i < entry.offset + entry.length; i++)                                          \
            if (!bit(lists->valid, i)) {                                                                               \
                if (null_wanted) {                                                                                     \
                    set_null_element(writer);                                                                          \
                    ((type *)writer->data)[writer->size++] = 0;                                                        \
                    null_wanted = false;                                                                               \
                }                                                                                                      \
            } else if (known.used[slot_of(&known, values[i])] == common && add(&taken, values[i]))                     \
                ((type *)writer->data)[writer->size++] = values[i];                                                    \
        close_set(&known);                                                                                             \
        close_set(&taken);                                                                                             \
    }                                                                                                                  \
    static void sift_##type(native_call *call) {                                                                       \
        value_column lists = value_argument(call, 0), others = value_argument(call, 1);                                \
        const value_column *values = lists.children, *more = others.children;                                          \
        bool common = call->function->extra != NULL, nulls = values->valid || more->valid;                             \
        duckdb_list_vector_reserve(call->result, elements_of(call, &lists));                                           \
        duckdb_vector child = duckdb_list_vector_get_child(call->result);                                              \
        element_writer writer = {.data = duckdb_vector_get_data(child)};                                               \
        if (nulls) {                                                                                                   \
            duckdb_vector_ensure_validity_writable(child);                                                             \
            writer.valid = duckdb_vector_get_validity(child);                                                          \
        }                                                                                                              \
        memset(call->out, 0, call->rows * sizeof(list_entry));                                                         \
        EACH_ROW(call, row) {                                                                                          \
            list_entry entry = list_at(&lists, row), other = list_at(&others, row);                                    \
            uint64_t first = writer.size;                                                                              \
            if (!nulls && entry.length * (entry.length + other.length) <= FEW_PAIRS)                                   \
                few_##type(&writer, values->data, entry, more->data, other, common);                                   \
            else                                                                                                       \
                many_##type(&writer, values, entry, more, other, common);                                              \
            RESULT(call, list_entry)[row] = (list_entry){first, writer.size - first};                                  \
        }                                                                                                              \
        duckdb_list_vector_set_size(call->result, writer.size);                                                        \
        free_value(&lists);                                                                                            \
        free_value(&others);                                                                                           \
    }
SIFTING(int32_t)
SIFTING(int64_t)

const native_function whole_set_functions[] = {{"spark_whole_array_except", "[i[i>[i", sift_int32_t, NULL},
                                               {"spark_whole_array_except", "[l[l>[l", sift_int64_t, NULL},
                                               {"spark_whole_array_intersect", "[i[i>[i", sift_int32_t, ""},
                                               {"spark_whole_array_intersect", "[l[l>[l", sift_int64_t, ""},
                                               {NULL}};
