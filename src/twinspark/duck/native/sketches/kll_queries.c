/* Queries of KLL sketches: number of items, quantiles, ranks, to_string; and their union.
 *
 * SQL spelling, with _bigint, _float or _double at the end: spark_kll_sketch_merge(a, b) -> BLOB, spark_kll_sketch_get_n(s) -> BIGINT,
 * spark_kll_sketch_to_string(s) -> VARCHAR, spark_kll_sketch_get_quantile(s, rank), spark_kll_sketch_get_rank(s, x), the last two
 * of a list as well. */
#include "sketches/kll.h"
#include "numbers/shortest.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* `extra` is the type of the items. */
static item_type type_of(const native_call *call) { return *(const item_type *)call->function->extra; }

static bool read_argument(native_call *call, int argument, idx_t row, kll_sketch *sketch) {
    return read_kll(call, argument_text(call, argument, row), type_of(call), sketch);
}

static void merge_rows(native_call *call) {
    EACH_ROW(call, row) {
        kll_sketch left, right;
        if (!read_argument(call, 0, row, &left))
            return;
        if (!read_argument(call, 1, row, &right)) {
            release(left.items);
            return;
        }
        right.k = left.k; /* its items, turned round, come before those of the left one */
        right.refused = right.count > left.k;
        turn_round_sketch(&right);
        append_sketch(&right, &left);
        set_kll(call, row, &right);
        release(left.items);
        release(right.items);
    }
}

static void count_rows(native_call *call) {
    EACH_ROW(call, row) {
        kll_sketch sketch;
        if (!read_argument(call, 0, row, &sketch))
            return;
        RESULT(call, int64_t)[row] = sketch.count;
        release(sketch.items);
    }
}

static item quantile(const kll_sketch *sorted, double rank) {
    double natural = (double)java_round(rank * sorted->count * 1e7) / 1e7;
    int64_t at = (int64_t)ceil(natural);
    return sorted->items[at > 1 ? at - 1 : 0];
}

static bool rank_fits(native_call *call, double rank) {
    if (rank >= 0.0 && rank <= 1.0)
        return true;
    fall_back(call, "FUNCTION_ARGUMENT_VALUE", "KLL: a rank that is not between 0 and 1");
    return false;
}

static bool read_sorted(native_call *call, idx_t row, kll_sketch *sketch) {
    if (!read_argument(call, 0, row, sketch))
        return false;
    if (sketch->count) {
        sort_sketch(sketch);
        return true;
    }
    release(sketch->items);
    fall_back(call, "SKETCH_STATE", "an empty KLL sketch");
    return false;
}

static void quantile_rows(native_call *call) {
    item_type type = type_of(call);
    EACH_ROW(call, row) {
        kll_sketch sketch;
        double rank = ARGUMENT(call, double, 1)[row];
        if (!rank_fits(call, rank) || !read_sorted(call, row, &sketch))
            return;
        item found = quantile(&sketch, rank);
        memcpy((char *)call->out + row * item_width(type), &found, item_width(type));
        release(sketch.items);
    }
}

static double rank_of(const kll_sketch *sorted, item one) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sorted->count; i++)
        count += sorted->type == LONGS    ? sorted->items[i].whole <= one.whole
                 : sorted->type == FLOATS ? sorted->items[i].half <= one.half
                                          : sorted->items[i].real <= one.real;
    return (double)count / sorted->count;
}

static bool item_fits(native_call *call, item_type type, item one) {
    if (!(type == FLOATS && isnan(one.half)) && !(type == DOUBLES && isnan(one.real)))
        return true;
    fall_back(call, "FUNCTION_ARGUMENT_VALUE", "KLL: the rank of NaN");
    return false;
}

static void rank_rows(native_call *call) {
    item_type type = type_of(call);
    EACH_ROW(call, row) {
        kll_sketch sketch;
        item one = {0};
        memcpy(&one, (const char *)call->data[1] + row * item_width(type), item_width(type));
        if (!item_fits(call, type, one) || !read_sorted(call, row, &sketch))
            return;
        RESULT(call, double)[row] = rank_of(&sketch, one);
        release(sketch.items);
    }
}

/* --- the same of lists --- */

typedef struct { uint64_t offset, length; } list_entry;

/* Makes room for as many answers as questions and gives their place. */
static char *open_answers(native_call *call, idx_t row, uint64_t length, size_t each) {
    idx_t at = duckdb_list_vector_get_size(call->result);
    duckdb_list_vector_reserve(call->result, at + length);
    duckdb_list_vector_set_size(call->result, at + length);
    RESULT(call, list_entry)[row] = (list_entry){at, length};
    return (char *)duckdb_vector_get_data(duckdb_list_vector_get_child(call->result)) + at * each;
}

static const char *questions(native_call *call, idx_t row, size_t each, uint64_t *length) {
    duckdb_vector list = duckdb_data_chunk_get_vector(call->chunk, 1);
    list_entry entry = ARGUMENT(call, list_entry, 1)[row];
    *length = entry.length;
    return (const char *)duckdb_vector_get_data(duckdb_list_vector_get_child(list)) + entry.offset * each;
}

static void quantile_lists(native_call *call) {
    item_type type = type_of(call);
    EACH_ROW(call, row) {
        kll_sketch sketch;
        uint64_t length;
        const double *ranks = (const double *)questions(call, row, 8, &length);
        if (!read_sorted(call, row, &sketch))
            return;
        char *answers = open_answers(call, row, length, item_width(type));
        for (uint64_t i = 0; i < length && rank_fits(call, ranks[i]); i++) {
            item found = quantile(&sketch, ranks[i]);
            memcpy(answers + i * item_width(type), &found, item_width(type));
        }
        release(sketch.items);
    }
}

static void rank_lists(native_call *call) {
    item_type type = type_of(call);
    EACH_ROW(call, row) {
        kll_sketch sketch;
        uint64_t length;
        const char *items = questions(call, row, item_width(type), &length);
        if (!read_sorted(call, row, &sketch))
            return;
        double *answers = (double *)open_answers(call, row, length, 8);
        for (uint64_t i = 0; i < length; i++) {
            item one = {0};
            memcpy(&one, items + i * item_width(type), item_width(type));
            if (!item_fits(call, type, one))
                break;
            answers[i] = rank_of(&sketch, one);
        }
        release(sketch.items);
    }
}

/* --- to_string --- */

static int item_text(item_type type, item one, char *into) {
    switch (type) {
    case LONGS: return snprintf(into, JAVA_NUMBER_SIZE, "%lld", (long long)one.whole);
    case FLOATS: return java_float_text(one.half, into);
    default: return java_double_text(one.real, into);
    }
}

static void extreme_text(const kll_sketch *sketch, int sign, char *into) {
    if (sketch->count)
        into[item_text(sketch->type, extreme_of(sketch, sign), into)] = 0;
    else
        strcpy(into, "NaN");
}

static size_t compact_size(const kll_sketch *sketch) {
    size_t each = item_width(sketch->type);
    return sketch->count == 0 ? 8 : sketch->count == 1 ? 8 + each : 24 + (2 + sketch->count) * each;
}

static void describe_rows(native_call *call) {
    static const char *const names[] = {"Longs", "Floats", "Doubles"};
    EACH_ROW(call, row) {
        kll_sketch sketch;
        char words[2048], least[JAVA_NUMBER_SIZE + 1], greatest[JAVA_NUMBER_SIZE + 1];
        if (!read_argument(call, 0, row, &sketch))
            return;
        extreme_text(&sketch, -1, least);
        extreme_text(&sketch, 1, greatest);
        int length = snprintf(
            words, sizeof words,
            "\n### KllKll%sSketch Summary:\n"
            "   K                      : %u\n"
            "   Dynamic min K          : %u\n"
            "   M                      : %d\n"
            "   N                      : %u\n"
            "   Epsilon                : %.3f%%\n"
            "   Epsilon PMF            : %.3f%%\n"
            "   Empty                  : %s\n"
            "   Estimation Mode        : false\n"
            "   Levels                 : 1\n"
            "   Level 0 Sorted         : false\n"
            "   Capacity Items         : %u\n"
            "   Retained Items         : %u\n"
            "   Free Space             : %u\n"
            "   ReadOnly               : false\n"
            "   Updatable Storage Bytes: %zu\n"
            "   Compact Storage Bytes  : %zu\n"
            "   Min Item               : %s\n"
            "   Max Item               : %s\n"
            "### End sketch summary\n",
            names[sketch.type], sketch.k, sketch.k, KLL_M, sketch.count, 2.296 / pow(sketch.k, 0.9723) * 100,
            2.446 / pow(sketch.k, 0.9433) * 100, sketch.count ? "false" : "true", sketch.k, sketch.count,
            sketch.k - sketch.count, 28 + (2 + (size_t)sketch.k) * item_width(sketch.type), compact_size(&sketch), least, greatest);
        set_text(call, row, words, (size_t)length);
        release(sketch.items);
    }
}

static const item_type AS_LONGS = LONGS, AS_FLOATS = FLOATS, AS_DOUBLES = DOUBLES;

#define FUNCTION_LINES(kind, letter, extra)                                                                            \
    {"spark_kll_sketch_merge_" #kind, "xx>x", merge_rows, extra},                                                      \
    {"spark_kll_sketch_get_n_" #kind, "x>l", count_rows, extra},                                                       \
    {"spark_kll_sketch_to_string_" #kind, "x>v", describe_rows, extra},                                                \
    {"spark_kll_sketch_get_quantile_" #kind, "xd>" letter, quantile_rows, extra},                                      \
    {"spark_kll_sketch_get_rank_" #kind, "x" letter ">d", rank_rows, extra},                                           \
    {"spark_kll_sketch_get_quantiles_" #kind, "x[d>[" letter, quantile_lists, extra},                                  \
    {"spark_kll_sketch_get_ranks_" #kind, "x[" letter ">[d", rank_lists, extra}

const native_function kll_functions[] = {FUNCTION_LINES(bigint, "l", &AS_LONGS), FUNCTION_LINES(float, "f", &AS_FLOATS),
                                         FUNCTION_LINES(double, "d", &AS_DOUBLES), {NULL}};
