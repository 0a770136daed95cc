/* Tuple sketches of Apache DataSketches with a double or a whole number for each key, byte for byte.
 *
 * SQL spelling, with _double or _integer at the end: spark_tuple_sketch_agg(key, value, k, mode),
 * spark_tuple_union_agg(sketch, k, mode), spark_tuple_intersection_agg(sketch, mode), spark_tuple_union(a, b, k, mode),
 * spark_tuple_intersection(a, b, mode), spark_tuple_difference(a, b) -> BLOB, and the same with _theta before that end,
 * where b is a theta sketch; spark_tuple_sketch_estimate(s), spark_tuple_sketch_theta(s), spark_tuple_sketch_summary(s, mode).
 * k is the logarithm of the nominal entries; modes are 0 sum, 1 min, 2 max, 3 alwaysone.
 *
 * Entries are shown in the order of a hash table, where collisions depend on the order of the keys: ours is that of rows
 * in one partition, which Spark's final aggregation puts into a table once more. */
#include "sketches/tuple.h"
#include <math.h>
#include <stdlib.h>

/* --- functions of sketches; `extra` distinguishes doubles and theta sketches --- */

typedef struct { bool real, theta; } variety;
static const variety REAL = {true, false}, WHOLE = {false, false}, REAL_THETA = {true, true}, WHOLE_THETA = {false, true};

static const variety *variety_of(const native_call *call) { return call->function->extra; }

static bool read_both(native_call *call, idx_t row, int mode, compact_sketch *a, compact_sketch *b) {
    const variety *kind = variety_of(call);
    text second = argument_text(call, 1, row);
    if (!read_tuple(call, argument_text(call, 0, row), kind->real, a))
        return false;
    if (kind->theta ? read_as_tuple(call, second, mode, b) : read_tuple(call, second, kind->real, b))
        return true;
    free_compact(a);
    return false;
}

static void union_rows(native_call *call) {
    EACH_ROW(call, row) {
        compact_sketch a, b;
        sketch_union both = {0};
        int32_t mode = ARGUMENT(call, int32_t, 3)[row];
        if (!read_both(call, row, mode, &a, &b))
            return;
        union_start(&both, ARGUMENT(call, int32_t, 2)[row], true);
        union_add(&both, &a, mode);
        union_add(&both, &b, mode);
        compact_sketch result = union_result(&both);
        set_tuple(call, row, &result, variety_of(call)->real);
        union_free(&both);
        free_compact(&a);
        free_compact(&b);
    }
}

static void intersection_rows(native_call *call) {
    EACH_ROW(call, row) {
        compact_sketch a, b;
        meeting both = {.mode = ARGUMENT(call, int32_t, 2)[row]};
        if (!read_both(call, row, both.mode, &a, &b))
            return;
        meeting_add(&both, &a);
        meeting_add(&both, &b);
        set_tuple(call, row, &both.sketch, variety_of(call)->real);
    }
}

/* Whether a key of A is one of B; the table is that of B. */
static void subtract(compact_sketch *a, const compact_sketch *b, uint64_t theta) {
    hash_table table = table_of(b);
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->hashes[i] < theta && !table.hashes[table_place(&table, a->hashes[i])]) {
            a->hashes[count] = a->hashes[i];
            a->summaries[count++] = a->summaries[i];
        }
    a->count = count;
    a->theta = theta;
    free_table(&table);
}

static bool nothing_exactly(const compact_sketch *sketch) {
    return !sketch->empty && sketch->count == 0 && sketch->theta == THETA_ONE;
}

/* A without entries that is not empty takes B's theta, whatever its own was: DataSketches resets before it compares. */
static void difference_of(compact_sketch *a, const compact_sketch *b) {
    if (a->empty || b->empty)
        return;
    if (a->count == 0)
        a->theta = b->theta < THETA_ONE ? b->theta : a->theta;
    else
        subtract(a, b, b->theta < a->theta ? b->theta : a->theta);
    a->empty = a->count == 0 && a->theta == THETA_ONE;
}

static void difference_rows(native_call *call) {
    EACH_ROW(call, row) {
        compact_sketch a, b;
        if (!read_both(call, row, MODE_SUM, &a, &b))
            return;
        if (nothing_exactly(&a) || nothing_exactly(&b)) {
            fall_back(call, "SKETCH_STATE", "a difference of a sketch that claims not to be empty but is");
        } else {
            difference_of(&a, &b);
            set_tuple(call, row, &a, variety_of(call)->real);
        }
        free_compact(&a);
        free_compact(&b);
    }
}

static double theta_of(const compact_sketch *sketch) { return (double)sketch->theta / 0x1p63; }
static double estimate_of(const compact_sketch *sketch) { return estimating(sketch) ? sketch->count / theta_of(sketch) : sketch->count; }

static void number_rows(native_call *call, double (*number)(const compact_sketch *)) {
    EACH_ROW(call, row) {
        compact_sketch sketch;
        if (!read_tuple(call, argument_text(call, 0, row), variety_of(call)->real, &sketch))
            return;
        RESULT(call, double)[row] = number(&sketch);
        free_compact(&sketch);
    }
}

static void estimate_rows(native_call *call) { number_rows(call, estimate_of); }
static void theta_rows(native_call *call) { number_rows(call, theta_of); }

/* java.lang.Math.min and max: NaN wins, and -0.0 is less than 0.0. */
static double less(double a, double b) { return isnan(a) || isnan(b) ? NAN : a < b || (a == b && signbit(a)) ? a : b; }
static double more(double a, double b) { return isnan(a) || isnan(b) ? NAN : a > b || (a == b && !signbit(a)) ? a : b; }

static double real_summary(const compact_sketch *sketch, int mode) {
    double result = 0.0;
    for (uint32_t i = 0; i < sketch->count; i++) {
        double value = sketch->summaries[i].real;
        if (mode == MODE_SUM || mode == MODE_ONE)
            result += mode == MODE_SUM ? value : 1.0;
        else
            result = i == 0 ? value : mode == MODE_MIN ? less(result, value) : more(result, value);
    }
    return result;
}

static int64_t whole_summary(const compact_sketch *sketch, int mode) {
    int64_t result = 0;
    for (uint32_t i = 0; i < sketch->count; i++) {
        int64_t value = sketch->summaries[i].whole;
        if (mode == MODE_SUM || mode == MODE_ONE)
            result += mode == MODE_SUM ? value : 1;
        else
            result = i == 0 || (mode == MODE_MIN ? value < result : value > result) ? value : result;
    }
    return result;
}

static void summary_rows(native_call *call) {
    bool real = variety_of(call)->real;
    EACH_ROW(call, row) {
        compact_sketch sketch;
        int32_t mode = ARGUMENT(call, int32_t, 1)[row];
        if (!read_tuple(call, argument_text(call, 0, row), real, &sketch))
            return;
        if (real)
            RESULT(call, double)[row] = real_summary(&sketch, mode);
        else
            RESULT(call, int64_t)[row] = whole_summary(&sketch, mode);
        free_compact(&sketch);
    }
}

const native_function tuple_functions[] = {
    {"spark_tuple_union_double", "xxii>x", union_rows, &REAL},
    {"spark_tuple_union_integer", "xxii>x", union_rows, &WHOLE},
    {"spark_tuple_union_theta_double", "xxii>x", union_rows, &REAL_THETA},
    {"spark_tuple_union_theta_integer", "xxii>x", union_rows, &WHOLE_THETA},
    {"spark_tuple_intersection_double", "xxi>x", intersection_rows, &REAL},
    {"spark_tuple_intersection_integer", "xxi>x", intersection_rows, &WHOLE},
    {"spark_tuple_intersection_theta_double", "xxi>x", intersection_rows, &REAL_THETA},
    {"spark_tuple_intersection_theta_integer", "xxi>x", intersection_rows, &WHOLE_THETA},
    {"spark_tuple_difference_double", "xx>x", difference_rows, &REAL},
    {"spark_tuple_difference_integer", "xx>x", difference_rows, &WHOLE},
    {"spark_tuple_difference_theta_double", "xx>x", difference_rows, &REAL_THETA},
    {"spark_tuple_difference_theta_integer", "xx>x", difference_rows, &WHOLE_THETA},
    {"spark_tuple_sketch_estimate_double", "x>d", estimate_rows, &REAL},
    {"spark_tuple_sketch_estimate_integer", "x>d", estimate_rows, &WHOLE},
    {"spark_tuple_sketch_theta_double", "x>d", theta_rows, &REAL},
    {"spark_tuple_sketch_theta_integer", "x>d", theta_rows, &WHOLE},
    {"spark_tuple_sketch_summary_double", "xi>d", summary_rows, &REAL},
    {"spark_tuple_sketch_summary_integer", "xi>l", summary_rows, &WHOLE},
    {NULL}};
