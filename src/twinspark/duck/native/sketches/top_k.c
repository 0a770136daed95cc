/* approx_top_k and its states: the frequent items sketch of Apache DataSketches while it counts every item.
 *
 * SQL spelling: spark_top_k_state(x, lg), spark_top_k_join(state, kind, lg) -> BLOB, lg the logarithm of the largest table;
 * spark_top_k_counts(state, kind, k) -> BIGINT[] and spark_top_k_items_<type>(state, kind, k), the items of those counts.
 * Kinds: b BOOLEAN, t s i l whole numbers, f d, v VARCHAR, D DATE, T TIMESTAMP, Z TIMESTAMPTZ.
 *
 * Items with equal counts are shown in the order of a hash table. Where hashes meet there, that order depends on how Spark
 * splits the rows: an answer that would show it goes to Spark, and so does a sketch of more items than it has room for. */
#include "sketches/top_k.h"
#include <math.h>
#include <stdlib.h>

/* --- aggregates --- */

static char kind_of(native_call *call) {
    static const struct { int type; char kind; } kinds[] = {
        {TYPE_BOOLEAN, 'b'}, {TYPE_TINYINT, 't'}, {TYPE_SMALLINT, 's'}, {TYPE_INTEGER, 'i'}, {TYPE_BIGINT, 'l'},
        {TYPE_FLOAT, 'f'},   {TYPE_DOUBLE, 'd'},  {TYPE_VARCHAR, 'v'},  {TYPE_DATE, 'D'},    {TYPE_TIMESTAMP, 'T'},
        {TYPE_TIMESTAMP_TZ, 'Z'}};
    duckdb_logical_type type = duckdb_vector_get_column_type(duckdb_data_chunk_get_vector(call->chunk, 0));
    int id = duckdb_get_type_id(type);
    duckdb_destroy_logical_type(&type);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == id)
            return kinds[i].kind;
    misuse(call, "twinspark: approx_top_k of another type");
    return 'l';
}

/* The letter that the SQL says; 0 where it says none. */
static char kind_argument(const native_call *call, idx_t row) {
    text said = argument_text(call, 1, row);
    return said.length == 1 ? said.bytes[0] : 0;
}

static void update_items(native_call *call, duckdb_aggregate_state *states) {
    char kind = kind_of(call);
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        top_k *sketch = (top_k *)states[row];
        top_k_start(sketch, kind, ARGUMENT(call, int32_t, 1)[row]);
        if (!argument_valid(call, 0, row))
            sketch->nulls++;
        else if (has_bytes(kind))
            top_k_add(sketch, top_k_text(argument_text(call, 0, row), 1));
        else
            top_k_add(sketch, (counted){top_k_bits(kind, (const char *)call->data[0] + row * width(kind)), 1, NULL, 0});
    }
}

static void join(top_k *target, const top_k *source) {
    if (target->kind != source->kind || __builtin_add_overflow(target->nulls, source->nulls, &target->nulls))
        end_fall_back("SKETCH_STATE", "approx_top_k states that do not belong together");
    target->refused |= source->refused;
    for (uint32_t i = 0; i < 1u << source->lg_size; i++) {
        counted item = source->places[i];
        if (!item.count)
            continue;
        if (item.bytes)
            item = top_k_text((text){item.bytes, item.length}, item.count);
        top_k_add(target, item);
    }
}

static void update_states(native_call *call, duckdb_aggregate_state *states) {
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        top_k more, *sketch = (top_k *)states[row];
        char kind = kind_argument(call, row);
        if (!argument_valid(call, 0, row))
            fall_back(call, "SKETCH_STATE", "an approx_top_k state that is null");
        else if (top_k_read(call, argument_text(call, 0, row), kind, &more)) {
            top_k_start(sketch, kind, ARGUMENT(call, int32_t, 2)[row]);
            join(sketch, &more);
            top_k_free(&more);
        }
    }
}

static void combine(void *into, const void *from) {
    const top_k *source = from;
    if (!source->places)
        return;
    top_k_start(into, source->kind, source->lg_most);
    join(into, source);
}

/* NULL of no rows; the SQL says what that means. */
static void finish(native_call *call, const void *from, idx_t row) {
    const top_k *sketch = from;
    if (!sketch->places)
        set_null(call, row);
    else if (sketch->refused)
        fall_back(call, "FUNCTION_ARGUMENT_VALUE", "approx_top_k of more items than it tracks");
    else
        top_k_set(call, row, sketch);
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        top_k_free((top_k *)states[i]);
}

/* --- the most frequent ones --- */

/* Whether the places of a run of neighbours depend on the order in which they came: one of them is not at home. */
static bool run_is_mixed(const top_k *sketch, uint32_t at) {
    uint32_t mask = (1u << sketch->lg_size) - 1;
    while (sketch->places[(at - 1) & mask].count)
        at--;
    for (at &= mask; sketch->places[at].count; at = (at + 1) & mask)
        if (top_k_home(sketch, &sketch->places[at]) != at)
            return true;
    return false;
}

typedef struct { const counted *item; uint32_t place, turn; } ranked;

static int by_count(const void *a, const void *b) {
    const ranked *left = a, *right = b;
    if (left->item->count != right->item->count)
        return left->item->count > right->item->count ? -1 : 1;
    return (left->turn > right->turn) - (left->turn < right->turn);
}

/* In the order of DataSketches' iterator: steps of the golden ratio. */
static ranked *ranking(const top_k *sketch) {
    ranked *order = allocate((size_t)sketch->active + 1, sizeof(ranked));
    uint32_t size = 1u << sketch->lg_size, stride = (uint32_t)(size * ((sqrt(5) - 1) / 2)) | 1, at = 0, found = 0;
    for (uint32_t i = 0; i < size; i++, at = (at + stride) & (size - 1))
        if (sketch->places[at].count) {
            order[found] = (ranked){&sketch->places[at], at, found};
            found++;
        }
    qsort(order, sketch->active, sizeof(ranked), by_count);
    return order;
}

/* Whether one of the first k shares its count with another, and their order is not known. */
static bool order_is_known(const top_k *sketch, const ranked *order, uint32_t k) {
    for (uint32_t i = 0; i < sketch->active; i++) {
        bool before = i > 0 && order[i - 1].item->count == order[i].item->count;
        bool after = i + 1 < sketch->active && order[i + 1].item->count == order[i].item->count;
        bool shown = i < k || (before && i >= k && order[i].item->count == order[k - 1].item->count);
        if (shown && (before || after) && run_is_mixed(sketch, order[i].place))
            return false;
    }
    return true;
}

typedef struct { uint64_t offset, length; } list_entry;

/* Calls `write` for each of the most frequent items, NULL for the nulls. */
static void each_frequent(native_call *call, idx_t row, void (*write)(native_call *, duckdb_vector, idx_t, char, const counted *, int64_t)) {
    top_k sketch;
    uint32_t k = (uint32_t)ARGUMENT(call, int32_t, 2)[row];
    if (k == 0 || k > INT32_MAX) {
        misuse(call, "twinspark: approx_top_k shows at least one item");
        return;
    }
    if (!top_k_read(call, argument_text(call, 0, row), kind_argument(call, row), &sketch))
        return;
    ranked *order = ranking(&sketch);
    uint32_t length = sketch.active + (sketch.nulls > 0), next = 0;
    length = length < k ? length : k;
    if (!order_is_known(&sketch, order, k)) {
        fall_back(call, "AGGREGATE_TIES", "approx_top_k");
    } else {
        idx_t at = duckdb_list_vector_get_size(call->result);
        duckdb_list_vector_reserve(call->result, at + length);
        duckdb_list_vector_set_size(call->result, at + length);
        RESULT(call, list_entry)[row] = (list_entry){at, length};
        duckdb_vector child = duckdb_list_vector_get_child(call->result);
        bool nulls_shown = sketch.nulls == 0;
        for (uint32_t i = 0; i < length; i++) {
            bool null_next = !nulls_shown && (next == sketch.active || sketch.nulls > order[next].item->count);
            nulls_shown |= null_next;
            const counted *item = null_next ? NULL : order[next++].item;
            write(call, child, at + i, sketch.kind, item, item ? item->count : sketch.nulls);
        }
    }
    release(order);
    top_k_free(&sketch);
}

static void write_count(native_call *call, duckdb_vector child, idx_t at, char kind, const counted *item, int64_t count) {
    (void)call, (void)kind, (void)item;
    ((int64_t *)duckdb_vector_get_data(child))[at] = count;
}

static void write_item(native_call *call, duckdb_vector child, idx_t at, char kind, const counted *item, int64_t count) {
    (void)call, (void)count;
    if (!item) {
        duckdb_vector_ensure_validity_writable(child);
        duckdb_vector_get_validity(child)[at >> 6] &= ~(1ULL << (at & 63));
    } else if (has_bytes(kind)) {
        duckdb_unsafe_vector_assign_string_element_len(child, at, item->bytes, item->length);
    } else {
        memcpy((char *)duckdb_vector_get_data(child) + at * width(kind), &item->bits, width(kind));
    }
}

static void count_rows(native_call *call) {
    EACH_ROW(call, row) each_frequent(call, row, write_count);
}

static void item_rows(native_call *call) {
    char wanted = call->function->types[strlen(call->function->types) - 1];
    EACH_ROW(call, row) {
        if (kind_argument(call, row) == wanted)
            each_frequent(call, row, write_item);
        else
            misuse(call, "twinspark: approx_top_k of another type");
    }
}

#define ITEMS(name, letter) {"spark_top_k_items_" name, "xvi>[" letter, item_rows, NULL}
const native_function top_k_functions[] = {
    {"spark_top_k_counts", "xvi>[l", count_rows, NULL}, ITEMS("boolean", "b"), ITEMS("tinyint", "t"), ITEMS("smallint", "s"),
    ITEMS("int", "i"), ITEMS("bigint", "l"), ITEMS("float", "f"), ITEMS("double", "d"), ITEMS("string", "v"),
    ITEMS("date", "D"), ITEMS("timestamp_ntz", "T"), ITEMS("timestamp", "Z"), {NULL}};

const native_aggregate top_k_aggregates[] = {
    {"spark_top_k_state", "Ai>x", sizeof(top_k), update_items, combine, finish, destroy, NULL},
    {"spark_top_k_join", "xvi>x", sizeof(top_k), update_states, combine, finish, destroy, NULL},
    {NULL}};
