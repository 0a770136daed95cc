/* ANSI casts of integers to narrower types, which raise CAST_OVERFLOW.
 *
 * SQL spelling: spark_to_smallint(i), spark_to_tinyint(i) of INTEGER and BIGINT, spark_to_tinyint(s) of SMALLINT. */
#include "core/native.h"
#include <stdio.h>

static void cast_overflow(native_call *call, int64_t value, const char *letter, const char *source, const char *target) {
    char shown[32];
    snprintf(shown, sizeof shown, "%lld%s", (long long)value, letter);
    spark_error(call, "CAST_OVERFLOW", "value", shown, "sourceType", source, "targetType", target, "ansiConfig", ANSI_CONFIG,
                NULL);
}

/* All rows are cast without a check; only if one did not fit, the rows that are not NULL are checked again. */
#define NARROW(name, wide, type, letter, source, target)                                                               \
    static void name(native_call *call) {                                                                              \
        const wide *values = ARGUMENT(call, wide, 0);                                                                  \
        type *out = RESULT(call, type);                                                                                \
        wide lost = 0;                                                                                                 \
        for (idx_t row = 0; row < call->rows; row++) {                                                                 \
            out[row] = (type)values[row];                                                                              \
            lost |= (wide)out[row] ^ values[row];                                                                      \
        }                                                                                                              \
        if (lost)                                                                                                      \
            EACH_ROW(call, row) if (out[row] != values[row])                                                           \
                cast_overflow(call, values[row], letter, "\"" source "\"", "\"" target "\"");                          \
    }
NARROW(int_to_smallint, int32_t, int16_t, "", "INT", "SMALLINT")
NARROW(int_to_tinyint, int32_t, int8_t, "", "INT", "TINYINT")
NARROW(bigint_to_smallint, int64_t, int16_t, "L", "BIGINT", "SMALLINT")
NARROW(bigint_to_tinyint, int64_t, int8_t, "L", "BIGINT", "TINYINT")
NARROW(smallint_to_tinyint, int16_t, int8_t, "S", "SMALLINT", "TINYINT")

const native_function narrow_functions[] = {
    {"spark_to_smallint", "i>s", int_to_smallint, NULL},
    {"spark_to_smallint", "l>s", bigint_to_smallint, NULL},
    {"spark_to_tinyint", "s>t", smallint_to_tinyint, NULL},
    {"spark_to_tinyint", "i>t", int_to_tinyint, NULL},
    {"spark_to_tinyint", "l>t", bigint_to_tinyint, NULL},
    {NULL}};
