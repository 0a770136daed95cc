/* The short English names of days.
 *
 * SQL spelling: spark_dayname(date). */
#include "core/native.h"

#define NAME(text) {.near = {.length = 3, .bytes = text}}
static const duckdb_string names[] = {NAME("Thu"), NAME("Fri"), NAME("Sat"), NAME("Sun"), NAME("Mon"), NAME("Tue"), NAME("Wed")};

/* Day 0 was a Thursday; so many weeks are added that no day is negative. */
static void dayname_rows(native_call *call) {
    const int32_t *days = ARGUMENT(call, int32_t, 0);
    for (idx_t row = 0; row < call->rows; row++)
        RESULT(call, duckdb_string)[row] = names[(uint64_t)(days[row] + 7LL * INT32_MAX) % 7];
}

const native_function day_name_functions[] = {{"spark_dayname", "D>v", dayname_rows, NULL}, {NULL}};
