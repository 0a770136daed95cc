/* Functions of float vectors: products, distances and norms, summed in Spark's order: eight at a time, then the rest.
 *
 * SQL spelling: spark_vector_inner_product(a, b), spark_vector_cosine_similarity(a, b), spark_vector_l2_distance(a, b),
 * spark_vector_norm(a, degree), spark_vector_normalize(a, degree) -> FLOAT[]. */
#include "core/values.h"
#include <float.h>
#include <math.h>
#include <stdio.h>

enum { BATCH = 8 };
typedef struct { const float *at; uint64_t length; bool whole; } vector;
typedef float (*term)(float left, float right);

static inline vector vector_at(const value_column *lists, idx_t row) {
    list_entry entry = list_at(lists, row);
    vector made = {(const float *)lists->children->data + entry.offset, entry.length, true};
    for (uint64_t i = 0; lists->children->valid && i < entry.length && made.whole; i++)
        made.whole = value_valid(lists->children, entry.offset + i);
    return made;
}

static float product(float left, float right) { return left * right; }
static float squared_difference(float left, float right) { return (left - right) * (left - right); }
static float magnitude(float left, float right) { (void)right; return fabsf(left); }

/* Each batch is summed separately first: the result depends on this order. */
static inline __attribute__((always_inline)) float sum_of(const float *left, const float *right, uint64_t length, term of) {
    float sum = 0;
    uint64_t i = 0;
    for (; i + BATCH <= length; i += BATCH) {
        float batch = of(left[i], right[i]);
        for (uint64_t k = 1; k < BATCH; k++)
            batch += of(left[i + k], right[i + k]);
        sum += batch;
    }
    for (; i < length; i++)
        sum += of(left[i], right[i]);
    return sum;
}

static float largest(const float *at, uint64_t length) {
    float found = 0;
    for (uint64_t i = 0; i < length; i++)
        if (fabsf(at[i]) > found || isnan(at[i]))
            found = isnan(at[i]) ? at[i] : fabsf(at[i]);
        else if (isnan(found))
            break;
    return found;
}

static void different_lengths(native_call *call, vector left, vector right) {
    char dimensions[2][24];
    snprintf(dimensions[0], sizeof dimensions[0], "%llu", (unsigned long long)left.length);
    snprintf(dimensions[1], sizeof dimensions[1], "%llu", (unsigned long long)right.length);
    spark_error(call, "VECTOR_DIMENSION_MISMATCH", "functionName", (const char *)call->function->extra, "leftDim",
                dimensions[0], "rightDim", dimensions[1], NULL);
}

typedef bool (*pair_result)(vector left, vector right, float *made);

static inline bool inner_product(vector left, vector right, float *made) {
    *made = sum_of(left.at, right.at, left.length, product);
    return true;
}

static inline bool l2_distance(vector left, vector right, float *made) {
    *made = (float)sqrt(sum_of(left.at, right.at, left.length, squared_difference));
    return true;
}

static inline bool cosine_similarity(vector left, vector right, float *made) {
    float squares = sum_of(left.at, left.at, left.length, product) * sum_of(right.at, right.at, right.length, product);
    float lengths = (float)sqrt(squares);
    *made = sum_of(left.at, right.at, left.length, product) / lengths;
    return left.length && !(lengths < FLT_MIN);
}

static inline __attribute__((always_inline)) void pair_rows(native_call *call, pair_result result) {
    value_column lists = value_argument(call, 0), others = value_argument(call, 1);
    EACH_ROW(call, row) {
        vector left = vector_at(&lists, row), right = vector_at(&others, row);
        if (left.length != right.length)
            different_lengths(call, left, right);
        else if (!left.whole || !right.whole || !result(left, right, &RESULT(call, float)[row]))
            set_null(call, row);
    }
    free_value(&lists);
    free_value(&others);
}

static void inner_product_rows(native_call *call) { pair_rows(call, inner_product); }
static void l2_distance_rows(native_call *call) { pair_rows(call, l2_distance); }
static void cosine_similarity_rows(native_call *call) { pair_rows(call, cosine_similarity); }

/* False after an error. */
static bool norm_of(native_call *call, vector of, float degree, float *norm) {
    if (degree == 1)
        *norm = sum_of(of.at, of.at, of.length, magnitude);
    else if (degree == 2)
        *norm = (float)sqrt(sum_of(of.at, of.at, of.length, product));
    else if (degree == INFINITY)
        *norm = largest(of.at, of.length);
    else
        fall_back(call, "FUNCTION_ARGUMENT_VALUE", "a vector norm of another degree than 1, 2 or infinity");
    return !call->failed;
}

static void norm_rows(native_call *call) {
    value_column lists = value_argument(call, 0);
    EACH_ROW(call, row) {
        vector of = vector_at(&lists, row);
        if (!norm_of(call, of, ARGUMENT(call, float, 1)[row], &RESULT(call, float)[row]) || !of.whole)
            set_null(call, row);
    }
    free_value(&lists);
}

static void normalize_rows(native_call *call) {
    value_column lists = value_argument(call, 0);
    idx_t size = 0, reserved = 0;
    EACH_ROW(call, row) reserved += list_at(&lists, row).length;
    duckdb_list_vector_reserve(call->result, reserved);
    float *into = duckdb_vector_get_data(duckdb_list_vector_get_child(call->result));
    EACH_ROW(call, row) {
        vector of = vector_at(&lists, row);
        float norm = 0;
        RESULT(call, list_entry)[row] = (list_entry){size, 0};
        if (!norm_of(call, of, ARGUMENT(call, float, 1)[row], &norm) || !of.whole || (of.length && norm < FLT_MIN)) {
            set_null(call, row);
            continue;
        }
        for (uint64_t i = 0; i < of.length; i++)
            into[size++] = of.at[i] / norm;
        RESULT(call, list_entry)[row].length = of.length;
    }
    duckdb_list_vector_set_size(call->result, size);
    free_value(&lists);
}

const native_function vector_functions[] = {
    {"spark_vector_inner_product", "[f[f>f", inner_product_rows, "`vector_inner_product`"},
    {"spark_vector_l2_distance", "[f[f>f", l2_distance_rows, "`vector_l2_distance`"},
    {"spark_vector_cosine_similarity", "[f[f>f", cosine_similarity_rows, "`vector_cosine_similarity`"},
    {"spark_vector_norm", "[ff>f", norm_rows, NULL},
    {"spark_vector_normalize", "[ff>[f", normalize_rows, NULL},
    {NULL}};
