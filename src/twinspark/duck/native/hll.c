/* HyperLogLog sketches of Apache DataSketches while they are lists and sets of coupons: made of keys, joined, estimated.
 *
 * SQL spelling: spark_hll_sketch_agg(key, k), spark_hll_union_agg(sketch, same), spark_hll_union(a, b, any) -> BLOB,
 * spark_hll_sketch_estimate(sketch) -> BIGINT; k is the logarithm of the number of registers.
 *
 * Beyond 3/32 of the registers a sketch keeps registers, and its estimate depends on the order of the keys and on how Spark
 * splits them: those go to Spark. The estimate of a list or set is a function of the number of coupons only; in which places
 * they stand depends on the order they came in. */
#include "sketches.h"
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
    sketch->coupons = calloc(1u << LG_LIST, 4);
}

static uint32_t set_place(const uint32_t *coupons, int lg_size, uint32_t coupon) {
    uint32_t mask = (1u << lg_size) - 1, at = coupon & mask, stride = (coupon & 0x3ffffff) >> lg_size | 1;
    while (coupons[at] && coupons[at] != coupon)
        at = (at + stride) & mask;
    return at;
}

static void spread(coupon_sketch *sketch, int lg_size) {
    uint32_t *coupons = calloc(1u << lg_size, 4);
    for (uint32_t i = 0; i < 1u << sketch->lg_size; i++)
        if (sketch->coupons[i])
            coupons[set_place(coupons, lg_size, sketch->coupons[i])] = sketch->coupons[i];
    free(sketch->coupons);
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

/* Into nothing a set of the same size is copied as it stands, as long as it does not come straight from a column. */
static void add_sketch(coupon_sketch *target, const coupon_sketch *source, bool copies) {
    if (source->refused)
        target->refused = source->refused;
    if (!source->count || target->refused)
        return;
    if (copies && !target->count && source->is_set && source->lg_k == target->lg_k) {
        free(target->coupons);
        *target = *source;
        target->coupons = malloc(4u << source->lg_size);
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
        elsewhere(call, sketch->refused);
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
    elsewhere(call, "bytes that are not an HLL sketch of few values as Spark writes them");
    return false;
}

static bool hll_image(text image) {
    return image.length >= 8 && image.bytes[1] == 1 && image.bytes[2] == FAMILY_HLL && image.bytes[3] >= LEAST_LG_K &&
           image.bytes[3] <= MOST_LG_K && image.bytes[7] >> 2 == TYPE_HLL_8;
}

static bool read_hll(native_call *call, text image, coupon_sketch *sketch) {
    *sketch = (coupon_sketch){0};
    if (!hll_image(image) || (image.bytes[7] & 3) > MODE_SET || image.bytes[4] < LG_LIST || image.bytes[4] > MOST_LG_K)
        return refuse(call);
    bool is_set = (image.bytes[7] & 3) == MODE_SET;
    uint32_t start_at = is_set ? 12 : 8;
    int lg_size = image.bytes[4];
    if (image.bytes[0] != (is_set ? 3 : 2) || (!is_set && lg_size != LG_LIST) || (image.bytes[5] & ~FLAG_IS_EMPTY) ||
        image.length != start_at + (4u << lg_size))
        return refuse(call);
    sketch->lg_k = image.bytes[3];
    sketch->lg_size = lg_size;
    sketch->is_set = is_set;
    sketch->coupons = malloc(4u << lg_size);
    memcpy(sketch->coupons, image.bytes + start_at, 4u << lg_size);
    for (uint32_t i = 0; i < 1u << lg_size; i++)
        sketch->count += sketch->coupons[i] != 0;
    if (sketch->count == (is_set ? int_at(image.bytes + 8) : (uint32_t)(uint8_t)image.bytes[6]))
        return true;
    free(sketch->coupons);
    return refuse(call);
}

/* --- aggregates --- */

static void update_keys(native_call *call, duckdb_aggregate_state *states) {
    key_column keys = key_argument(call, 0);
    const int32_t *lg_k = ARGUMENT(call, int32_t, 1);
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        uint64_t hash[2];
        coupon_sketch *sketch = (coupon_sketch *)states[row];
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

/* The state of a group without rows does not know its size: NULL, and the SQL says the empty sketch. */
static void finish_keys(native_call *call, const void *from, idx_t row) {
    const coupon_sketch *sketch = from;
    if (!sketch->coupons)
        set_null(call, row);
    else
        set_sketch(call, row, sketch, sketch->lg_k);
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        free(((coupon_sketch *)states[i])->coupons);
}

/* Sketches of different sizes: an error, or an answer that depends on which comes first. */
static void update_union(native_call *call, duckdb_aggregate_state *states) {
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        coupon_sketch sketch, *state = (coupon_sketch *)states[row];
        if (!argument_valid(call, 0, row) || !read_hll(call, argument_text(call, 0, row), &sketch))
            continue;
        start(state, sketch.lg_k);
        if (state->lg_k != sketch.lg_k)
            elsewhere(call, "HLL sketches of different sizes");
        add_sketch(state, &sketch, false);
        free(sketch.coupons);
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
            free(a.coupons);
            return;
        }
        if (a.lg_k != b.lg_k && !ARGUMENT(call, bool, 2)[row])
            elsewhere(call, "HLL sketches of different sizes");
        start(&both, a.lg_k < b.lg_k ? a.lg_k : b.lg_k);
        add_sketch(&both, &a, true);
        add_sketch(&both, &b, true);
        if (!call->failed)
            set_sketch(call, row, &both, both.lg_k);
        free(a.coupons);
        free(b.coupons);
        free(both.coupons);
    }
}

/* How many different values so many coupons stand for: a cubic through the four nearest of these points. */
static double coupons_estimate(double count) {
    static const double x[] = {0.0, 1.0, 20.0, 400.0, 8000.0, 160000.0, 300000.0, 600000.0, 900000.0};
    static const double y[] = {0.0, 1.0, 20.0000009437402611, 400.0003963713384110, 8000.1589294602090376,
                               160063.6067763759638183, 300223.7071597663452849, 600895.5933856170158833,
                               902016.8065120954997838};
    int left = 0;
    while (x[left + 1] <= count)
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
        if (hll_image(image) && (image.bytes[7] & 3) == MODE_REGISTERS && image.bytes[0] == 10 &&
            image.length == 40u + (1u << image.bytes[3]) && !(image.bytes[5] & FLAG_OUT_OF_ORDER)) {
            RESULT(call, int64_t)[row] = java_round(double_at(image.bytes + 8)); /* counted while the keys came in */
            continue;
        }
        if (!read_hll(call, image, &sketch))
            return;
        RESULT(call, int64_t)[row] = java_round(coupons_estimate(sketch.count));
        free(sketch.coupons);
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
