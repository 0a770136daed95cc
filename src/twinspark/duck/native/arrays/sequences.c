/* sequence(start, stop, step) of integers; steps in the wrong direction fall back to Spark, which raises its error.
 *
 * SQL spelling: spark_sequence(start, stop) and spark_sequence(start, stop, step) of INTEGER or BIGINT -> a list of them.
 * spark_sequence_unfolded is volatile (memory_check.c says why), for constants that may give many elements. */
#include "core/values.h"
#include <stdio.h>

enum { LOOKED_AT_ONCE = 1 << 22 }; /* elements between two cancellation checks */
static const uint64_t LONGEST = 2147483632; /* elements that Spark allows in an array */

static uint64_t distance(int64_t from, int64_t to) {
    return from < to ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to;
}

/* The number of elements; 0 if Spark raises an error. */
static uint64_t length_of(int64_t start, int64_t stop, int64_t step) {
    if (start == stop)
        return 1;
    if (step == 0 || (step > 0) != (start < stop))
        return 0;
    uint64_t steps = distance(start, stop) / distance(0, step);
    return steps < UINT64_MAX ? steps + 1 : 0;
}

/* Sequence.sequenceLength of Spark. */
static void too_long(native_call *call, uint64_t length) {
    char count[24], most[24];
    snprintf(count, sizeof count, "%llu", (unsigned long long)length);
    snprintf(most, sizeof most, "%llu", (unsigned long long)LONGEST);
    spark_error(call, "COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER", "numberOfElements", count, "maxRoundedArrayLength", most,
                "parameter", "`count`", "functionName", "`sequence`", NULL);
}

static int64_t argument_at(const native_call *call, int argument, idx_t row, bool is_int) {
    return is_int ? ARGUMENT(call, int32_t, argument)[row] : ARGUMENT(call, int64_t, argument)[row];
}

static int64_t step_at(const native_call *call, idx_t row, bool is_int) {
    if (call->arguments > 2)
        return argument_at(call, 2, row, is_int);
    return argument_at(call, 0, row, is_int) <= argument_at(call, 1, row, is_int) ? 1 : -1;
}

/* The offsets of the lists, and the number of all elements. */
static uint64_t place_lists(native_call *call, bool is_int) {
    uint64_t size = 0;
    for (idx_t row = 0; row < call->rows; row++)
        RESULT(call, list_entry)[row] = (list_entry){0, 0};
    EACH_ROW(call, row) {
        uint64_t length =
            length_of(argument_at(call, 0, row, is_int), argument_at(call, 1, row, is_int), step_at(call, row, is_int));
        if (!length)
            fall_back(call, "SEQUENCE", "the step leads away from the end");
        else if (length > LONGEST)
            too_long(call, length);
        if (call->failed)
            return 0;
        RESULT(call, list_entry)[row] = (list_entry){size, length};
        size += length;
    }
    check_room(call, size * 2 * sizeof(int64_t)); /* a vector has a power of two */
    return size;
}

#define SEQUENCE(name, type, unsigned_type, is_int)                                                                    \
    static void name(native_call *call) {                                                                              \
        uint64_t size = place_lists(call, is_int);                                                                     \
        if (!call->failed && duckdb_list_vector_reserve(call->result, size))                                           \
            fall_back(call, "SEQUENCE", "it is too long for the memory");                           \
        if (call->failed)                                                                                              \
            return;                                                                                                    \
        duckdb_list_vector_set_size(call->result, size);                                                               \
        type *elements = duckdb_vector_get_data(duckdb_list_vector_get_child(call->result));                           \
        EACH_ROW(call, row) {                                                                                          \
            list_entry entry = RESULT(call, list_entry)[row];                                                          \
            unsigned_type value = (unsigned_type)argument_at(call, 0, row, is_int);                                    \
            unsigned_type step = (unsigned_type)step_at(call, row, is_int);                                            \
            for (uint64_t begin = 0; begin < entry.length; begin += LOOKED_AT_ONCE) {                                  \
                uint64_t end = begin + LOOKED_AT_ONCE < entry.length ? begin + LOOKED_AT_ONCE : entry.length;          \
                end_if_cancelled();                                                                                    \
                for (uint64_t i = begin; i < end; i++, value += step)                                                  \
                    elements[entry.offset + i] = (type)value;                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }
SEQUENCE(sequence_int, int32_t, uint32_t, true)
SEQUENCE(sequence_bigint, int64_t, uint64_t, false)

#define SEQUENCES(name, stability)                                                                                     \
    {name, stability "ii>[i", sequence_int, NULL}, {name, stability "iii>[i", sequence_int, NULL},                     \
        {name, stability "ll>[l", sequence_bigint, NULL}, {name, stability "lll>[l", sequence_bigint, NULL}

const native_function sequence_functions[] = {SEQUENCES("spark_sequence", ""), SEQUENCES("spark_sequence_unfolded", "!"), {NULL}};
