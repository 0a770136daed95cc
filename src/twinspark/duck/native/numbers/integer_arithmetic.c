/* Integer arithmetic over whole columns: wrapping as in Java, NULL on overflow (try_add and others), pmod.
 *
 * SQL spelling, of INTEGER or BIGINT: spark_wrapped_add(a, b), spark_wrapped_subtract, spark_wrapped_multiply,
 * spark_wrapped_negative(a), spark_wrapped_abs(a), spark_try_add(a, b), spark_try_subtract, spark_try_multiply,
 * spark_pmod(a, n) raises REMAINDER_BY_ZERO, spark_pmod_or_null(a, n); spark_div_or_null(a, n) of BIGINT. */
#include "core/native.h"

/* NULL rows are computed as well: their arbitrary values cannot fail. */
#define WRAPPED(name, type, wide, sign)                                                                                \
    static void wrapped_##name(native_call *call) {                                                                    \
        const type *a = ARGUMENT(call, type, 0), *b = ARGUMENT(call, type, 1);                                         \
        type *out = RESULT(call, type);                                                                                \
        for (idx_t row = 0; row < call->rows; row++)                                                                   \
            out[row] = (type)((wide)a[row] sign(wide) b[row]);                                                         \
    }
#define WRAPPED_SIGN(name, type, wide, made)                                                                           \
    static void wrapped_##name(native_call *call) {                                                                    \
        const type *a = ARGUMENT(call, type, 0);                                                                       \
        type *out = RESULT(call, type);                                                                                \
        for (idx_t row = 0; row < call->rows; row++)                                                                   \
            out[row] = (type)(made ? 0 - (wide)a[row] : (wide)a[row]);                                                 \
    }
WRAPPED(add_int, int32_t, uint32_t, +)
WRAPPED(add_bigint, int64_t, uint64_t, +)
WRAPPED(subtract_int, int32_t, uint32_t, -)
WRAPPED(subtract_bigint, int64_t, uint64_t, -)
WRAPPED(multiply_int, int32_t, uint32_t, *)
WRAPPED(multiply_bigint, int64_t, uint64_t, *)
WRAPPED_SIGN(negative_int, int32_t, uint32_t, true)
WRAPPED_SIGN(negative_bigint, int64_t, uint64_t, true)
WRAPPED_SIGN(abs_int, int32_t, uint32_t, a[row] < 0)
WRAPPED_SIGN(abs_bigint, int64_t, uint64_t, a[row] < 0)

/* Nulls are set only where one row of all overflowed. */
#define TRIED(name, type, overflows)                                                                                   \
    static void try_##name(native_call *call) {                                                                        \
        const type *a = ARGUMENT(call, type, 0), *b = ARGUMENT(call, type, 1);                                         \
        type *out = RESULT(call, type), made;                                                                          \
        bool lost = false;                                                                                             \
        for (idx_t row = 0; row < call->rows; row++)                                                                   \
            lost |= overflows(a[row], b[row], &out[row]);                                                              \
        if (lost)                                                                                                      \
            EACH_ROW(call, row) if (overflows(a[row], b[row], &made))                                                  \
                set_null(call, row);                                                                                   \
    }
TRIED(add_int, int32_t, __builtin_add_overflow)
TRIED(add_bigint, int64_t, __builtin_add_overflow)
TRIED(subtract_int, int32_t, __builtin_sub_overflow)
TRIED(subtract_bigint, int64_t, __builtin_sub_overflow)
TRIED(multiply_int, int32_t, __builtin_mul_overflow)
TRIED(multiply_bigint, int64_t, __builtin_mul_overflow)

/* ((a % n) + n) % n for a negative rest, where the sum may wrap around. */
#define PMOD(suffix, type, wide)                                                                                       \
    static inline type pmod_of_##suffix(type a, type n) {                                                              \
        if (n == -1)                                                                                                   \
            return 0;                                                                                                  \
        type rest = a % n;                                                                                             \
        if (n > 0)                                                                                                     \
            return rest + (rest < 0 ? n : 0);                                                                          \
        return rest < 0 ? (type)((wide)rest + (wide)n) % n : rest;                                                     \
    }                                                                                                                  \
    static void pmod_##suffix(native_call *call) {                                                                     \
        const type *a = ARGUMENT(call, type, 0), *n = ARGUMENT(call, type, 1);                                         \
        EACH_ROW(call, row) {                                                                                          \
            if (n[row] != 0)                                                                                           \
                RESULT(call, type)[row] = pmod_of_##suffix(a[row], n[row]);                                            \
            else if (call->function->extra)                                                                            \
                spark_error(call, "REMAINDER_BY_ZERO", "config", ANSI_CONFIG, NULL);                                   \
            else                                                                                                       \
                set_null(call, row);                                                                                   \
        }                                                                                                              \
    }
PMOD(int, int32_t, uint32_t)
PMOD(bigint, int64_t, uint64_t)

/* The smallest number over -1 is itself. */
static void div_or_null(native_call *call) {
    const int64_t *a = ARGUMENT(call, int64_t, 0), *n = ARGUMENT(call, int64_t, 1);
    EACH_ROW(call, row) {
        if (n[row] == 0)
            set_null(call, row);
        else
            RESULT(call, int64_t)[row] = n[row] == -1 ? (int64_t)(0 - (uint64_t)a[row]) : a[row] / n[row];
    }
}

static const bool raises = true;
#define BOTH(name, of) {"spark_" name, "ii>i", of##_int, NULL}, {"spark_" name, "ll>l", of##_bigint, NULL}
const native_function wrapping_functions[] = {BOTH("wrapped_add", wrapped_add),
                                              BOTH("wrapped_subtract", wrapped_subtract),
                                              BOTH("wrapped_multiply", wrapped_multiply),
                                              {"spark_wrapped_negative", "i>i", wrapped_negative_int, NULL},
                                              {"spark_wrapped_negative", "l>l", wrapped_negative_bigint, NULL},
                                              {"spark_wrapped_abs", "i>i", wrapped_abs_int, NULL},
                                              {"spark_wrapped_abs", "l>l", wrapped_abs_bigint, NULL},
                                              BOTH("try_add", try_add),
                                              BOTH("try_subtract", try_subtract),
                                              BOTH("try_multiply", try_multiply),
                                              {"spark_pmod", "ii>i", pmod_int, &raises},
                                              {"spark_pmod", "ll>l", pmod_bigint, &raises},
                                              BOTH("pmod_or_null", pmod),
                                              {"spark_div_or_null", "ll>l", div_or_null, NULL},
                                              {NULL}};
