/* sequence(start, stop, step) of whole numbers; what leads away from the stop, or is too long, is left to Spark.
 *
 * SQL spelling: spark_sequence(start, stop) and spark_sequence(start, stop, step) of INTEGER or BIGINT -> a list of them. */
#include "values.h"

static const uint64_t LONGEST = 2147483632; /* elements that Spark allows in an array */

static uint64_t distance(int64_t from, int64_t to) {
    return from < to ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to;
}

/* How many elements; 0 where Spark is to say what is wrong. */
static uint64_t length_of(int64_t start, int64_t stop, int64_t step) {
    if (start == stop)
        return 1;
    if (step == 0 || (step > 0) != (start < stop))
        return 0;
    uint64_t steps = distance(start, stop) / distance(0, step);
    return steps < LONGEST ? steps + 1 : 0;
}

static int64_t argument_at(const native_call *call, int argument, idx_t row, bool is_int) {
    return is_int ? ARGUMENT(call, int32_t, argument)[row] : ARGUMENT(call, int64_t, argument)[row];
}

static int64_t step_at(const native_call *call, idx_t row, bool is_int) {
    if (call->arguments > 2)
        return argument_at(call, 2, row, is_int);
    return argument_at(call, 0, row, is_int) <= argument_at(call, 1, row, is_int) ? 1 : -1;
}

/* The places of the lists, and how many elements they have together. */
static uint64_t place_lists(native_call *call, bool is_int) {
    uint64_t size = 0;
    for (idx_t row = 0; row < call->rows; row++)
        RESULT(call, list_entry)[row] = (list_entry){0, 0};
    EACH_ROW(call, row) {
        uint64_t length =
            length_of(argument_at(call, 0, row, is_int), argument_at(call, 1, row, is_int), step_at(call, row, is_int));
        if (!length)
            spark_error(call, "ELSEWHERE", "reason", "a sequence whose step leads away, or too long a one", NULL);
        RESULT(call, list_entry)[row] = (list_entry){size, length};
        size += length;
    }
    return size;
}

#define SEQUENCE(name, type, unsigned_type, is_int)                                                                    \
    static void name(native_call *call) {                                                                              \
        uint64_t size = place_lists(call, is_int);                                                                     \
        if (!call->failed && duckdb_list_vector_reserve(call->result, size))                                           \
            spark_error(call, "ELSEWHERE", "reason", "sequences too long for memory", NULL);                           \
        if (call->failed)                                                                                              \
            return;                                                                                                    \
        duckdb_list_vector_set_size(call->result, size);                                                               \
        type *elements = duckdb_vector_get_data(duckdb_list_vector_get_child(call->result));                           \
        EACH_ROW(call, row) {                                                                                          \
            list_entry entry = RESULT(call, list_entry)[row];                                                          \
            unsigned_type value = (unsigned_type)argument_at(call, 0, row, is_int);                                    \
            unsigned_type step = (unsigned_type)step_at(call, row, is_int);                                            \
            for (uint64_t i = 0; i < entry.length; i++, value += step)                                                 \
                elements[entry.offset + i] = (type)value;                                                              \
        }                                                                                                              \
    }
SEQUENCE(sequence_int, int32_t, uint32_t, true)
SEQUENCE(sequence_bigint, int64_t, uint64_t, false)

const native_function sequence_functions[] = {{"spark_sequence", "ii>[i", sequence_int, NULL},
                                              {"spark_sequence", "iii>[i", sequence_int, NULL},
                                              {"spark_sequence", "ll>[l", sequence_bigint, NULL},
                                              {"spark_sequence", "lll>[l", sequence_bigint, NULL},
                                              {NULL}};
