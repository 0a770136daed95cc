/* Whether all rows of a chunk belong to one group. */
#pragma once
#include "core/native.h"

/* Without groups every row has the same state, and none is without a value: the loop over such rows is a tight one. */
MANY_LANES static bool all_same(const uintptr_t *values, idx_t rows) {
    uintptr_t other = 0;
    for (idx_t row = 1; row < rows; row++)
        other |= values[row] ^ values[0];
    return other == 0;
}
static bool is_one_state(const native_call *call, duckdb_aggregate_state *states) {
    if (call->argument_valid[0] || call->rows == 0 || states[0] != states[call->rows - 1])
        return false;
    return all_same((const uintptr_t *)states, call->rows);
}
