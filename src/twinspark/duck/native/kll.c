/* KLL sketches of Apache DataSketches while they hold every item: made of numbers, merged, asked for quantiles and ranks.
 *
 * SQL spelling, with _bigint, _float or _double at the end: spark_kll_sketch_agg(x, k), spark_kll_merge_agg(sketch, k or 0),
 * spark_kll_sketch_merge(a, b) -> BLOB, spark_kll_sketch_get_n(s) -> BIGINT, spark_kll_sketch_to_string(s) -> VARCHAR,
 * spark_kll_sketch_get_quantile(s, rank), spark_kll_sketch_get_rank(s, x), the last two of a list as well.
 *
 * A sketch of more than k items forgets every other one at random: those go to Spark. In which order the items stand depends
 * on how Spark splits the rows; ours is that of one partition. */
#include "shortest.h"
#include "sketches.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FAMILY_KLL = 15, KLL_M = 8, DEFAULT_K = 200, KLL_EMPTY = 1, KLL_SINGLE = 4 };
typedef enum { LONGS, FLOATS, DOUBLES } item_type;
typedef union { int64_t whole; float half; double real; } item;

/* Items in the order of the image. */
typedef struct { item *items; uint32_t count, room, k; bool unasked, refused; item_type type; } kll_sketch;

static size_t width(item_type type) { return type == FLOATS ? 4 : 8; }

static void append(kll_sketch *sketch, item one) {
    if (sketch->count >= sketch->k) {
        sketch->refused = true;
        return;
    }
    if (sketch->count == sketch->room) {
        sketch->room = 2 * sketch->room + 8;
        sketch->items = realloc(sketch->items, sketch->room * sizeof(item));
    }
    sketch->items[sketch->count++] = one;
}

static void append_all(kll_sketch *sketch, const kll_sketch *more) {
    for (uint32_t i = 0; i < more->count; i++)
        append(sketch, more->items[i]);
}

static void turn_round(kll_sketch *sketch) {
    for (uint32_t i = 0; i < sketch->count / 2; i++) {
        item kept = sketch->items[i];
        sketch->items[i] = sketch->items[sketch->count - 1 - i];
        sketch->items[sketch->count - 1 - i] = kept;
    }
}

/* java.util.Arrays.sort: -0.0 before 0.0; there is no NaN among the items. */
static int compare_doubles(double a, double b) { return a < b ? -1 : a > b ? 1 : (signbit(b) != 0) - (signbit(a) != 0); }
static int compare(item_type type, const item *a, const item *b) {
    switch (type) {
    case LONGS: return (a->whole > b->whole) - (a->whole < b->whole);
    case FLOATS: return compare_doubles(a->half, b->half);
    default: return compare_doubles(a->real, b->real);
    }
}
static int compare_longs(const void *a, const void *b) { return compare(LONGS, a, b); }
static int compare_floats(const void *a, const void *b) { return compare(FLOATS, a, b); }
static int compare_reals(const void *a, const void *b) { return compare(DOUBLES, a, b); }

static void sort(kll_sketch *sketch) {
    int (*by)(const void *, const void *) = sketch->type == LONGS    ? compare_longs
                                            : sketch->type == FLOATS ? compare_floats
                                                                     : compare_reals;
    qsort(sketch->items, sketch->count, sizeof(item), by);
}

/* The least (or greatest) item. */
static item extreme(const kll_sketch *sketch, int sign) {
    item found = sketch->items[0];
    for (uint32_t i = 1; i < sketch->count; i++)
        if (sign * compare(sketch->type, &sketch->items[i], &found) > 0)
            found = sketch->items[i];
    return found;
}

/* --- images --- */

static void put_head(byte_buffer *out, int ints, int version, int flags, uint32_t k) {
    uint8_t head[] = {(uint8_t)ints, (uint8_t)version, FAMILY_KLL, (uint8_t)flags, (uint8_t)k, (uint8_t)(k >> 8), KLL_M, 0};
    put_bytes(out, head, sizeof head);
}

static void put_item(byte_buffer *out, item_type type, item one) { put_bytes(out, &one, width(type)); }

static void put_full(byte_buffer *out, const kll_sketch *sketch) {
    put_head(out, 5, 1, 0, sketch->k);
    put_long(out, sketch->count);
    put_short(out, (uint16_t)sketch->k);
    put_short(out, 1); /* levels */
    put_int(out, sketch->k - sketch->count);
    put_item(out, sketch->type, extreme(sketch, -1));
    put_item(out, sketch->type, extreme(sketch, 1));
    for (uint32_t i = 0; i < sketch->count; i++)
        put_item(out, sketch->type, sketch->items[i]);
}

static void set_sketch(native_call *call, idx_t row, const kll_sketch *sketch) {
    byte_buffer out = {0};
    if (sketch->refused) {
        elsewhere(call, "a KLL sketch of more items than it holds");
        return;
    }
    if (sketch->count > 1) {
        put_full(&out, sketch);
    } else if (sketch->count == 1) {
        put_head(&out, 2, 2, KLL_SINGLE, sketch->k);
        put_item(&out, sketch->type, sketch->items[0]);
    } else {
        put_head(&out, 2, 1, KLL_EMPTY, sketch->k);
    }
    set_bytes(call, row, &out);
}

static bool refuse(native_call *call) {
    elsewhere(call, "bytes that are not a KLL sketch of few items as Spark writes them");
    return false;
}

static bool read_items(native_call *call, text image, uint32_t at, uint32_t count, kll_sketch *sketch) {
    if (image.length != at + count * width(sketch->type) || count > sketch->k)
        return refuse(call);
    sketch->items = calloc(count + 1, sizeof(item));
    sketch->room = count + 1;
    sketch->count = count;
    for (uint32_t i = 0; i < count; i++)
        memcpy(&sketch->items[i], image.bytes + at + i * width(sketch->type), width(sketch->type));
    return true;
}

static bool read_kll(native_call *call, text image, item_type type, kll_sketch *sketch) {
    *sketch = (kll_sketch){.type = type};
    if (image.length < 8 || image.bytes[2] != FAMILY_KLL || image.bytes[6] != KLL_M)
        return refuse(call);
    int shape = image.bytes[0] << 8 | image.bytes[1], flags = image.bytes[3];
    sketch->k = short_at(image.bytes + 4);
    if (sketch->k < 8)
        return refuse(call);
    if (shape == 0x0201 && flags == KLL_EMPTY)
        return read_items(call, image, 8, 0, sketch);
    if (shape == 0x0202 && flags == KLL_SINGLE)
        return read_items(call, image, 8, 1, sketch);
    if (shape != 0x0501 || flags != 0 || image.length < 24 || short_at(image.bytes + 16) != sketch->k ||
        short_at(image.bytes + 18) != 1 || long_at(image.bytes + 8) > sketch->k ||
        int_at(image.bytes + 20) != sketch->k - int_at(image.bytes + 8))
        return refuse(call);
    return read_items(call, image, 24 + 2 * (uint32_t)width(type), int_at(image.bytes + 8), sketch);
}

/* --- aggregates --- */

static void update_items(native_call *call, duckdb_aggregate_state *states, item_type type) {
    for (idx_t row = 0; row < call->rows; row++) {
        kll_sketch *sketch = (kll_sketch *)states[row];
        item one = {0};
        sketch->type = type;
        sketch->k = (uint32_t)ARGUMENT(call, int32_t, 1)[row];
        if (!argument_valid(call, 0, row))
            continue;
        memcpy(&one, (const char *)call->data[0] + row * width(type), width(type));
        if ((type == FLOATS && isnan(one.half)) || (type == DOUBLES && isnan(one.real)))
            continue;
        append(sketch, one);
    }
}

static void update_sketches(native_call *call, duckdb_aggregate_state *states, item_type type) {
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        kll_sketch more, *sketch = (kll_sketch *)states[row];
        sketch->type = type;
        sketch->k = (uint32_t)ARGUMENT(call, int32_t, 1)[row];
        if (!argument_valid(call, 0, row) || !read_kll(call, argument_text(call, 0, row), type, &more))
            continue;
        if (!sketch->k && more.k != DEFAULT_K)
            elsewhere(call, "a merge of KLL sketches of an unusual size, which depends on the partitions");
        uint32_t asked = sketch->k;
        sketch->k = asked ? asked : DEFAULT_K;
        sketch->unasked = !asked;
        append_all(sketch, &more);
        sketch->k = asked;
        free(more.items);
    }
}

static void combine(void *into, const void *from) {
    kll_sketch *target = into;
    const kll_sketch *source = from;
    if (!source->k && !source->items)
        return;
    target->type = source->type;
    target->refused |= source->refused;
    target->unasked |= source->unasked;
    target->k = source->k ? source->k : DEFAULT_K;
    append_all(target, source);
    target->k = source->k;
}

/* The state of a group without rows does not know its size: NULL, and the SQL says the empty sketch. */
static void finish(native_call *call, const void *from, idx_t row) {
    kll_sketch sketch = *(const kll_sketch *)from;
    if (!sketch.items && !sketch.refused) {
        set_null(call, row);
        return;
    }
    sketch.k = sketch.k ? sketch.k : DEFAULT_K;
    if (sketch.unasked) /* without a size Spark's final aggregation takes a sketch as it is, and does not turn it round again */
        turn_round(&sketch);
    set_sketch(call, row, &sketch);
    if (sketch.unasked)
        turn_round(&sketch);
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        free(((kll_sketch *)states[i])->items);
}

/* --- functions of sketches; `extra` tells the type of the items --- */

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
            free(left.items);
            return;
        }
        right.k = left.k; /* its items, turned round, come before those of the left one */
        right.refused = right.count > left.k;
        turn_round(&right);
        append_all(&right, &left);
        set_sketch(call, row, &right);
        free(left.items);
        free(right.items);
    }
}

static void count_rows(native_call *call) {
    EACH_ROW(call, row) {
        kll_sketch sketch;
        if (!read_argument(call, 0, row, &sketch))
            return;
        RESULT(call, int64_t)[row] = sketch.count;
        free(sketch.items);
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
    elsewhere(call, "a rank that is not between 0 and 1");
    return false;
}

static bool read_sorted(native_call *call, idx_t row, kll_sketch *sketch) {
    if (!read_argument(call, 0, row, sketch))
        return false;
    if (sketch->count) {
        sort(sketch);
        return true;
    }
    free(sketch->items);
    elsewhere(call, "a question to an empty KLL sketch");
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
        memcpy((char *)call->out + row * width(type), &found, width(type));
        free(sketch.items);
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
    elsewhere(call, "the rank of NaN");
    return false;
}

static void rank_rows(native_call *call) {
    item_type type = type_of(call);
    EACH_ROW(call, row) {
        kll_sketch sketch;
        item one = {0};
        memcpy(&one, (const char *)call->data[1] + row * width(type), width(type));
        if (!item_fits(call, type, one) || !read_sorted(call, row, &sketch))
            return;
        RESULT(call, double)[row] = rank_of(&sketch, one);
        free(sketch.items);
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
        char *answers = open_answers(call, row, length, width(type));
        for (uint64_t i = 0; i < length && rank_fits(call, ranks[i]); i++) {
            item found = quantile(&sketch, ranks[i]);
            memcpy(answers + i * width(type), &found, width(type));
        }
        free(sketch.items);
    }
}

static void rank_lists(native_call *call) {
    item_type type = type_of(call);
    EACH_ROW(call, row) {
        kll_sketch sketch;
        uint64_t length;
        const char *items = questions(call, row, width(type), &length);
        if (!read_sorted(call, row, &sketch))
            return;
        double *answers = (double *)open_answers(call, row, length, 8);
        for (uint64_t i = 0; i < length; i++) {
            item one = {0};
            memcpy(&one, items + i * width(type), width(type));
            if (!item_fits(call, type, one))
                break;
            answers[i] = rank_of(&sketch, one);
        }
        free(sketch.items);
    }
}

/* --- the summary in words --- */

static int item_text(item_type type, item one, char *into) {
    switch (type) {
    case LONGS: return snprintf(into, JAVA_NUMBER_SIZE, "%lld", (long long)one.whole);
    case FLOATS: return java_float_text(one.half, into);
    default: return java_double_text(one.real, into);
    }
}

static void extreme_text(const kll_sketch *sketch, int sign, char *into) {
    if (sketch->count)
        into[item_text(sketch->type, extreme(sketch, sign), into)] = 0;
    else
        strcpy(into, "NaN");
}

static size_t compact_size(const kll_sketch *sketch) {
    size_t each = width(sketch->type);
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
            sketch.k - sketch.count, 28 + (2 + (size_t)sketch.k) * width(sketch.type), compact_size(&sketch), least, greatest);
        set_text(call, row, words, (size_t)length);
        free(sketch.items);
    }
}

static const item_type AS_LONGS = LONGS, AS_FLOATS = FLOATS, AS_DOUBLES = DOUBLES;

#define EACH_TYPE(kind, type)                                                                                          \
    static void update_##kind(native_call *call, duckdb_aggregate_state *states) { update_items(call, states, type); } \
    static void merge_##kind(native_call *call, duckdb_aggregate_state *states) { update_sketches(call, states, type); }
EACH_TYPE(bigint, LONGS)
EACH_TYPE(float, FLOATS)
EACH_TYPE(double, DOUBLES)

#define FUNCTION_LINES(kind, letter, extra)                                                                            \
    {"spark_kll_sketch_merge_" #kind, "xx>x", merge_rows, extra},                                                      \
    {"spark_kll_sketch_get_n_" #kind, "x>l", count_rows, extra},                                                       \
    {"spark_kll_sketch_to_string_" #kind, "x>v", describe_rows, extra},                                                \
    {"spark_kll_sketch_get_quantile_" #kind, "xd>" letter, quantile_rows, extra},                                      \
    {"spark_kll_sketch_get_rank_" #kind, "x" letter ">d", rank_rows, extra},                                           \
    {"spark_kll_sketch_get_quantiles_" #kind, "x[d>[" letter, quantile_lists, extra},                                  \
    {"spark_kll_sketch_get_ranks_" #kind, "x[" letter ">[d", rank_lists, extra}

#define AGGREGATE_LINES(kind, letter)                                                                                  \
    {"spark_kll_sketch_agg_" #kind, letter "i>x", sizeof(kll_sketch), update_##kind, combine, finish, destroy, NULL},  \
    {"spark_kll_merge_agg_" #kind, "xi>x", sizeof(kll_sketch), merge_##kind, combine, finish, destroy, NULL}

const native_function kll_functions[] = {FUNCTION_LINES(bigint, "l", &AS_LONGS), FUNCTION_LINES(float, "f", &AS_FLOATS),
                                         FUNCTION_LINES(double, "d", &AS_DOUBLES), {NULL}};

const native_aggregate kll_aggregates[] = {AGGREGATE_LINES(bigint, "l"), AGGREGATE_LINES(float, "f"),
                                           AGGREGATE_LINES(double, "d"), {NULL}};
