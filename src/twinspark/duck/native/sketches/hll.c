/* HyperLogLog sketches of Apache DataSketches in their list and set modes: built from keys, merged, estimated.
 *
 * SQL spelling: spark_hll_sketch_agg(key, k), spark_hll_union_agg(sketch, same), spark_hll_union(a, b, any) -> BLOB,
 * spark_hll_sketch_estimate(sketch) -> BIGINT; k is the logarithm of the number of registers.
 *
 * Beyond 3/32 of the registers a sketch keeps registers, and its estimate depends on the order of the keys and on how Spark
 * splits them: those go to Spark. The estimate of a list or set is a function of the number of coupons only; in which places
 * they stand depends on the order they came in. */
#include "core/reader.h"
#include "sketches/sketches.h"
#include <stdlib.h>

enum { LG_LIST = 3, LG_FIRST_SET = 5, MODE_LIST = 0, MODE_SET = 1, MODE_REGISTERS = 2, TYPE_HLL_8 = 2, FAMILY_HLL = 7,
       FLAG_IS_EMPTY = 4, FLAG_OUT_OF_ORDER = 16, LEAST_LG_K = 4, MOST_LG_K = 21, DEFAULT_LG_K = 12 };

typedef struct {
    uint32_t *coupons; /* NULL: nothing was seen */
    int32_t lg_k, lg_size;
    uint32_t count;
    bool is_set;
    const char *refused;
} coupon_sketch;

static const char *TOO_MANY = "an HLL sketch of so many values that it keeps registers";

static void start(coupon_sketch *sketch, int32_t lg_k) {
    if (sketch->coupons)
        return;
    sketch->lg_k = lg_k;
    sketch->lg_size = LG_LIST;
    sketch->coupons = allocate_zeroed(1u << LG_LIST, 4);
}

static uint32_t set_place(const uint32_t *coupons, int lg_size, uint32_t coupon) {
    uint32_t mask = (1u << lg_size) - 1, at = coupon & mask, stride = (coupon & 0x3ffffff) >> lg_size | 1;
    while (coupons[at] && coupons[at] != coupon)
        at = (at + stride) & mask;
    return at;
}

static void spread(coupon_sketch *sketch, int lg_size) {
    uint32_t *coupons = allocate_zeroed((size_t)1 << lg_size, 4);
    for (uint32_t i = 0; i < 1u << sketch->lg_size; i++)
        if (sketch->coupons[i])
            coupons[set_place(coupons, lg_size, sketch->coupons[i])] = sketch->coupons[i];
    release(sketch->coupons);
    sketch->coupons = coupons;
    sketch->lg_size = lg_size;
}

static void grow(coupon_sketch *sketch) {
    uint32_t size = 1u << sketch->lg_size;
    if (!sketch->is_set && sketch->count == size && sketch->lg_k >= 8) {
        sketch->is_set = true;
        spread(sketch, LG_FIRST_SET);
    } else if (!sketch->is_set && sketch->count == size) {
        sketch->refused = TOO_MANY;
    } else if (sketch->is_set && 4 * sketch->count > 3 * size) {
        if (sketch->lg_size == sketch->lg_k - 3)
            sketch->refused = TOO_MANY;
        else
            spread(sketch, sketch->lg_size + 1);
    }
}

static uint32_t list_place(const coupon_sketch *sketch, uint32_t coupon) {
    uint32_t at = 0;
    while (sketch->coupons[at] && sketch->coupons[at] != coupon)
        at++;
    return at;
}

static void add_coupon(coupon_sketch *sketch, uint32_t coupon) {
    if (sketch->refused)
        return;
    uint32_t at = sketch->is_set ? set_place(sketch->coupons, sketch->lg_size, coupon) : list_place(sketch, coupon);
    if (sketch->coupons[at])
        return;
    sketch->coupons[at] = coupon;
    sketch->count++;
    grow(sketch);
}

/* A set of the same size is copied unchanged into an empty sketch, unless it comes directly from a column. */
static void add_sketch(coupon_sketch *target, const coupon_sketch *source, bool copies) {
    if (source->refused)
        target->refused = source->refused;
    if (!source->count || target->refused)
        return;
    if (copies && !target->count && source->is_set && source->lg_k == target->lg_k) {
        release(target->coupons);
        *target = *source;
        target->coupons = allocate((size_t)1 << source->lg_size, 4);
        memcpy(target->coupons, source->coupons, 4u << source->lg_size);
        return;
    }
    for (uint32_t i = 0; i < 1u << source->lg_size; i++)
        if (source->coupons[i])
            add_coupon(target, source->coupons[i]);
}

/* --- images --- */

static void set_sketch(native_call *call, idx_t row, const coupon_sketch *sketch, int32_t lg_k) {
    static const uint32_t nothing[1 << LG_LIST];
    byte_buffer out = {0};
    int lg_size = sketch->coupons ? sketch->lg_size : LG_LIST;
    if (sketch->refused) {
        fall_back(call, "SKETCH_STATE", sketch->refused);
        return;
    }
    uint8_t head[] = {sketch->is_set ? 3 : 2, 1, FAMILY_HLL, (uint8_t)(sketch->coupons ? sketch->lg_k : lg_k),
                      (uint8_t)lg_size, sketch->count ? 0 : FLAG_IS_EMPTY,
                      (uint8_t)(sketch->is_set ? 0 : sketch->count), (sketch->is_set ? MODE_SET : MODE_LIST) | TYPE_HLL_8 << 2};
    put_bytes(&out, head, sizeof head);
    if (sketch->is_set)
        put_int(&out, sketch->count);
    put_bytes(&out, sketch->coupons ? sketch->coupons : nothing, 4u << lg_size);
    set_bytes(call, row, &out);
}

static bool refuse(native_call *call) {
    fall_back(call, "SKETCH_STATE", "bytes that are not a small HLL sketch of Spark");
    return false;
}

/* The first eight bytes of an image. */
typedef struct { uint8_t ints, version, family, lg_k, lg_size, flags, list_count, mode; } hll_head;

static bool read_head(byte_reader *reader, hll_head *head) {
    return take_items(reader, head, 1, sizeof *head) && head->version == 1 && head->family == FAMILY_HLL &&
           head->lg_k >= LEAST_LG_K && head->lg_k <= MOST_LG_K && head->mode >> 2 == TYPE_HLL_8;
}

/* Tables as DataSketches writes them: a list of 8 slots, or a set that becomes registers beyond 2^(lg_k - 3). */
static bool is_table(const hll_head *head, bool is_set) {
    bool sized = is_set ? head->lg_size >= LG_FIRST_SET && head->lg_size <= head->lg_k - 3 : head->lg_size == LG_LIST;
    return (head->mode & 3) <= MODE_SET && head->ints == (is_set ? 3 : 2) && sized && !(head->flags & ~FLAG_IS_EMPTY);
}

/* A search in a table ends at a free slot, so there must be some: DataSketches writes no fuller table. */
static bool has_free_places(const coupon_sketch *sketch) {
    uint32_t size = 1u << sketch->lg_size;
    return sketch->is_set ? 4 * sketch->count <= 3 * size : sketch->count < size;
}

static bool read_coupons(byte_reader *reader, uint32_t count, coupon_sketch *sketch) {
    uint32_t size = 1u << sketch->lg_size;
    if (!has_items(reader, size, 4))
        return false;
    sketch->coupons = allocate(size, 4);
    take_items(reader, sketch->coupons, size, 4);
    for (uint32_t i = 0; i < size; i++)
        sketch->count += sketch->coupons[i] != 0;
    return read_all(reader) && sketch->count == count && has_free_places(sketch);
}

static bool read_hll(native_call *call, text image, coupon_sketch *sketch) {
    byte_reader reader = read_image(image);
    hll_head head;
    *sketch = (coupon_sketch){0};
    bool fine = read_head(&reader, &head), is_set = fine && (head.mode & 3) == MODE_SET;
    if (!fine || !is_table(&head, is_set))
        return refuse(call);
    *sketch = (coupon_sketch){.lg_k = head.lg_k, .lg_size = head.lg_size, .is_set = is_set};
    if (read_coupons(&reader, is_set ? take_int(&reader) : head.list_count, sketch))
        return true;
    release(sketch->coupons);
    return refuse(call);
}

/* A sketch with registers that counted its keys while they came in keeps that estimate. */
static bool counted_estimate(text image, double *estimate) {
    byte_reader reader = read_image(image);
    hll_head head;
    if (!read_head(&reader, &head) || (head.mode & 3) != MODE_REGISTERS || head.ints != 10 || (head.flags & FLAG_OUT_OF_ORDER))
        return false;
    *estimate = take_double(&reader);
    return image.length == 40u + (1u << head.lg_k);
}

/* --- aggregates --- */

static void update_keys(native_call *call, duckdb_aggregate_state *states) {
    key_column keys = key_argument(call, 0);
    const int32_t *lg_k = ARGUMENT(call, int32_t, 1);
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        uint64_t hash[2];
        coupon_sketch *sketch = (coupon_sketch *)states[row];
        if (lg_k[row] < LEAST_LG_K || lg_k[row] > MOST_LG_K) {
            fall_back(call, "SKETCH_STATE", "an HLL sketch of an invalid size");
            return;
        }
        start(sketch, lg_k[row]);
        if (!argument_valid(call, 0, row) || !key_hash(call, &keys, row, hash))
            continue;
        int zeros = hash[1] ? __builtin_clzll(hash[1]) : 64;
        add_coupon(sketch, (uint32_t)((zeros > 62 ? 62 : zeros) + 1) << 26 | (uint32_t)(hash[0] & 0x3ffffff));
    }
}

static void combine_keys(void *into, const void *from) {
    const coupon_sketch *source = from;
    if (!source->coupons)
        return;
    start(into, source->lg_k);
    add_sketch(into, source, true);
}

/* The state of a group without rows has no size: returns NULL, for which the SQL has the empty sketch. */
static void finish_keys(native_call *call, const void *from, idx_t row) {
    const coupon_sketch *sketch = from;
    if (!sketch->coupons)
        set_null(call, row);
    else
        set_sketch(call, row, sketch, sketch->lg_k);
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        release(((coupon_sketch *)states[i])->coupons);
}

/* Sketches of different sizes: an error, or an answer that depends on which comes first. */
static void update_union(native_call *call, duckdb_aggregate_state *states) {
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        coupon_sketch sketch, *state = (coupon_sketch *)states[row];
        if (!argument_valid(call, 0, row) || !read_hll(call, argument_text(call, 0, row), &sketch))
            continue;
        start(state, sketch.lg_k);
        if (state->lg_k != sketch.lg_k)
            fall_back(call, "SKETCH_STATE", "HLL sketches of different sizes");
        add_sketch(state, &sketch, false);
        release(sketch.coupons);
    }
}

static void combine_union(void *into, const void *from) {
    const coupon_sketch *source = from;
    coupon_sketch *target = into;
    if (!source->coupons)
        return;
    start(target, source->lg_k);
    if (target->lg_k != source->lg_k)
        target->refused = "HLL sketches of different sizes";
    add_sketch(target, source, true);
}

static void finish_union(native_call *call, const void *from, idx_t row) { set_sketch(call, row, from, DEFAULT_LG_K); }

/* --- functions of sketches --- */

static void union_rows(native_call *call) {
    EACH_ROW(call, row) {
        coupon_sketch a, b, both = {0};
        if (!read_hll(call, argument_text(call, 0, row), &a))
            return;
        if (!read_hll(call, argument_text(call, 1, row), &b)) {
            release(a.coupons);
            return;
        }
        if (a.lg_k != b.lg_k && !ARGUMENT(call, bool, 2)[row])
            fall_back(call, "SKETCH_STATE", "HLL sketches of different sizes");
        start(&both, a.lg_k < b.lg_k ? a.lg_k : b.lg_k);
        add_sketch(&both, &a, true);
        add_sketch(&both, &b, true);
        if (!call->failed)
            set_sketch(call, row, &both, both.lg_k);
        release(a.coupons);
        release(b.coupons);
        release(both.coupons);
    }
}

/* The estimated number of distinct values for a number of coupons: cubic interpolation between these points. */
static double coupons_estimate(double count) {
    static const double x[] = {0.0, 1.0, 20.0, 400.0, 8000.0, 160000.0, 300000.0, 600000.0, 900000.0};
    static const double y[] = {0.0, 1.0, 20.0000009437402611, 400.0003963713384110, 8000.1589294602090376,
                               160063.6067763759638183, 300223.7071597663452849, 600895.5933856170158833,
                               902016.8065120954997838};
    const int last = (int)(sizeof x / sizeof *x) - 1;
    int left = 0;
    while (left < last - 2 && x[left + 1] <= count)
        left++;
    int at = left ? left - 1 : 0;
    double sum = 0.0;
    for (int i = at; i < at + 4; i++) {
        double numerator = 1.0, denominator = 1.0;
        for (int j = at; j < at + 4; j++)
            if (j != i) {
                numerator *= count - x[j];
                denominator *= x[i] - x[j];
            }
        sum += y[i] * numerator / denominator;
    }
    return sum > count ? sum : count;
}

static void estimate_rows(native_call *call) {
    EACH_ROW(call, row) {
        text image = argument_text(call, 0, row);
        coupon_sketch sketch;
        double estimate;
        if (counted_estimate(image, &estimate)) {
            RESULT(call, int64_t)[row] = java_round(estimate);
            continue;
        }
        if (!read_hll(call, image, &sketch))
            return;
        RESULT(call, int64_t)[row] = java_round(coupons_estimate(sketch.count));
        release(sketch.coupons);
    }
}

const native_function hll_functions[] = {
    {"spark_hll_sketch_estimate", "x>l", estimate_rows, NULL},
    {"spark_hll_union", "xxb>x", union_rows, NULL},
    {NULL}};

const native_aggregate hll_aggregates[] = {
    {"spark_hll_sketch_agg", "Ai>x", sizeof(coupon_sketch), update_keys, combine_keys, finish_keys, destroy, NULL},
    {"spark_hll_union_agg", "x>x", sizeof(coupon_sketch), update_union, combine_union, finish_union, destroy, NULL},
    {NULL}};
