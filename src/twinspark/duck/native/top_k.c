/* approx_top_k and its states: the frequent items sketch of Apache DataSketches while it counts every item.
 *
 * SQL spelling: spark_top_k_state(x, lg), spark_top_k_join(state, kind, lg) -> BLOB, lg the logarithm of the largest table;
 * spark_top_k_counts(state, kind, k) -> BIGINT[] and spark_top_k_items_<type>(state, kind, k), the items of those counts.
 * Kinds: b BOOLEAN, t s i l whole numbers, f d, v VARCHAR, D DATE, T TIMESTAMP, Z TIMESTAMPTZ.
 *
 * Items with equal counts are shown in the order of a hash table. Where hashes meet there, that order depends on how Spark
 * splits the rows: an answer that would show it goes to Spark, and so does a sketch of more items than it has room for. */
#include "sketches.h"
#include <math.h>
#include <stdlib.h>

enum { LG_LEAST = 3, FAMILY_FREQUENCY = 10, FLAG_NOTHING = 5 };

typedef struct { int64_t bits, count; char *bytes; uint32_t length; } counted; /* a place without a count is free */
typedef struct { counted *places; int32_t lg_size, lg_most; uint32_t active; int64_t nulls; char kind; bool refused; } top_k;

static bool has_bytes(char kind) { return kind == 'v'; }
static size_t width(char kind) { return strchr("bt", kind) ? 1 : kind == 's' ? 2 : strchr("ifD", kind) ? 4 : 8; }

/* --- java.lang.Object.hashCode --- */

static int32_t text_hash(const char *bytes, uint32_t length) {
    uint32_t hash = 0;
    for (uint32_t i = 0; i < length;) {
        uint8_t first = (uint8_t)bytes[i];
        int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        uint32_t point = more == 0 ? first : first & (0x3fu >> more);
        for (int j = 1; j <= more; j++)
            point = point << 6 | ((uint8_t)bytes[i + (uint32_t)j] & 0x3f);
        i += (uint32_t)more + 1;
        if (point >= 0x10000) { /* two units of UTF-16 */
            hash = hash * 31 + (0xd800 + ((point - 0x10000) >> 10));
            point = 0xdc00 + ((point - 0x10000) & 0x3ff);
        }
        hash = hash * 31 + point;
    }
    return (int32_t)hash;
}

static int32_t java_hash(char kind, const counted *item) {
    switch (kind) {
    case 'b': return item->bits ? 1231 : 1237;
    case 'v': return text_hash(item->bytes, item->length);
    case 'l': case 'd': case 'T': case 'Z': return (int32_t)(item->bits ^ (int64_t)((uint64_t)item->bits >> 32));
    default: return (int32_t)item->bits;
    }
}

static uint64_t spread_hash(int32_t hash) {
    uint64_t key = (uint64_t)(int64_t)hash;
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdULL;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return key ^ key >> 33;
}

static uint32_t home(const top_k *sketch, const counted *item) {
    return (uint32_t)spread_hash(java_hash(sketch->kind, item)) & ((1u << sketch->lg_size) - 1);
}

/* --- the table --- */

static bool same(char kind, const counted *a, const counted *b) {
    return has_bytes(kind) ? a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0 : a->bits == b->bits;
}

static counted *place_of(const top_k *sketch, const counted *item) {
    uint32_t mask = (1u << sketch->lg_size) - 1, at = home(sketch, item);
    while (sketch->places[at].count && !same(sketch->kind, &sketch->places[at], item))
        at = (at + 1) & mask;
    return &sketch->places[at];
}

static void start(top_k *sketch, char kind, int32_t lg_most) {
    if (sketch->places)
        return;
    *sketch = (top_k){calloc(1u << LG_LEAST, sizeof(counted)), LG_LEAST, lg_most > LG_LEAST ? lg_most : LG_LEAST, 0, 0, kind, false};
}

static void resize(top_k *sketch) {
    counted *old = sketch->places;
    uint32_t size = 1u << sketch->lg_size++;
    sketch->places = calloc(1u << sketch->lg_size, sizeof(counted));
    for (uint32_t i = 0; i < size; i++)
        if (old[i].count)
            *place_of(sketch, &old[i]) = old[i];
    free(old);
}

/* Takes the bytes of the item over. */
static void add(top_k *sketch, counted item) {
    counted *place = place_of(sketch, &item);
    if (place->count || sketch->refused) {
        place->count += place->count ? item.count : 0;
        free(item.bytes);
        return;
    }
    *place = item;
    if (++sketch->active <= (1u << sketch->lg_size) / 4 * 3)
        return;
    if (sketch->lg_size < sketch->lg_most)
        resize(sketch);
    else
        sketch->refused = true; /* it would forget items now */
}

static counted text_item(text value, int64_t count) {
    counted item = {0, count, malloc(value.length + 1), value.length};
    memcpy(item.bytes, value.bytes, value.length);
    return item;
}

/* The bits of a value: floats as Float.floatToIntBits gives them. */
static int64_t bits_at(char kind, const char *at) {
    int8_t tiny;
    int16_t small;
    int32_t whole;
    int64_t large;
    switch (width(kind)) {
    case 1: memcpy(&tiny, at, 1); return tiny;
    case 2: memcpy(&small, at, 2); return small;
    case 4:
        memcpy(&whole, at, 4);
        return kind == 'f' && (whole & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : whole;
    default:
        memcpy(&large, at, 8);
        return kind == 'd' && (large & INT64_MAX) > 0x7ff0000000000000LL ? 0x7ff8000000000000LL : large;
    }
}

static void free_sketch(top_k *sketch) {
    if (sketch->places && has_bytes(sketch->kind))
        for (uint32_t i = 0; i < 1u << sketch->lg_size; i++)
            free(sketch->places[i].bytes);
    free(sketch->places);
}

/* --- images --- */

static void put_item(byte_buffer *out, char kind, const counted *item) {
    static const struct { char kind; uint8_t tag; } tags[] = {{'t', 2}, {'s', 3}, {'f', 6}, {'i', 9}, {'D', 9}};
    if (has_bytes(kind)) {
        put_int(out, item->length);
        put_bytes(out, item->bytes, item->length);
        return;
    }
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (tags[i].kind == kind)
            put_byte(out, tags[i].tag);
    put_bytes(out, &item->bits, width(kind));
}

static void put_booleans(byte_buffer *out, const top_k *sketch) {
    uint8_t bits = 0;
    int at = 0;
    for (uint32_t i = 0; i < 1u << sketch->lg_size; i++)
        if (sketch->places[i].count)
            bits |= (uint8_t)((sketch->places[i].bits != 0) << at++);
    put_byte(out, bits);
}

static void put_counts(byte_buffer *out, const top_k *sketch) {
    int64_t weight = 0;
    for (uint32_t i = 0; i < 1u << sketch->lg_size; i++)
        weight += sketch->places[i].count;
    put_long(out, sketch->active);
    put_long(out, (uint64_t)weight);
    put_long(out, 0); /* what was taken off every count */
    for (uint32_t i = 0; i < 1u << sketch->lg_size; i++)
        if (sketch->places[i].count)
            put_long(out, (uint64_t)sketch->places[i].count);
}

static void set_state(native_call *call, idx_t row, const top_k *sketch) {
    byte_buffer out = {0};
    bool empty = sketch->active == 0;
    uint8_t head[] = {empty ? 1 : 4, 1, FAMILY_FREQUENCY, (uint8_t)sketch->lg_most, (uint8_t)sketch->lg_size,
                      empty ? FLAG_NOTHING : 0, 0, 0};
    put_bytes(&out, head, sizeof head);
    if (!empty)
        put_counts(&out, sketch);
    if (sketch->kind == 'b' && !empty)
        put_booleans(&out, sketch);
    for (uint32_t i = 0; i < 1u << sketch->lg_size && sketch->kind != 'b'; i++)
        if (sketch->places[i].count)
            put_item(&out, sketch->kind, &sketch->places[i]);
    put_long(&out, __builtin_bswap64((uint64_t)sketch->nulls));
    set_bytes(call, row, &out);
}

static bool refuse(native_call *call, top_k *sketch) {
    if (sketch->places)
        free_sketch(sketch);
    elsewhere(call, "bytes that are not a state of approx_top_k as Spark writes it");
    return false;
}

/* The next item of an image, from `at` on; false when there is none. */
static bool next_item(text image, uint32_t *at, uint32_t index, char kind, counted *item) {
    uint32_t end = image.length - 8;
    if (kind == 'b') {
        item->bits = image.bytes[*at] >> (index & 7) & 1;
        return *at + 1 <= end && index < 8;
    }
    if (has_bytes(kind)) {
        uint32_t length = *at + 4 <= end ? int_at(image.bytes + *at) : UINT32_MAX;
        if (length > end - *at - 4)
            return false;
        *item = text_item((text){image.bytes + *at + 4, length}, item->count);
        *at += 4 + length;
        return true;
    }
    *at += strchr("tsfiD", kind) != NULL; /* a byte that tells the class */
    if (*at + width(kind) > end)
        return false;
    item->bits = bits_at(kind, image.bytes + *at);
    *at += (uint32_t)width(kind);
    return true;
}

static bool read_state(native_call *call, text image, char kind, top_k *sketch) {
    *sketch = (top_k){0};
    if (image.length < 16 || image.bytes[1] != 1 || image.bytes[2] != FAMILY_FREQUENCY)
        return refuse(call, sketch);
    start(sketch, kind, image.bytes[3]);
    sketch->nulls = (int64_t)__builtin_bswap64(long_at(image.bytes + image.length - 8));
    if (image.bytes[0] == 1 && image.bytes[5] == FLAG_NOTHING && image.length == 16)
        return true;
    uint32_t count = image.length >= 40 ? int_at(image.bytes + 8) : 0;
    uint64_t at = 32 + 8ULL * count;
    if (image.bytes[0] != 4 || image.bytes[5] || !count || at + 8 > image.length || long_at(image.bytes + 24))
        return refuse(call, sketch);
    uint32_t from = (uint32_t)at;
    for (uint32_t i = 0; i < count; i++) {
        counted item = {.count = (int64_t)long_at(image.bytes + 32 + 8 * i)};
        if (item.count <= 0 || !next_item(image, &from, i, kind, &item))
            return refuse(call, sketch);
        add(sketch, item);
    }
    return sketch->refused || sketch->lg_size != image.bytes[4] || from + (kind == 'b') != image.length - 8 ? refuse(call, sketch) : true;
}

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

static void update_items(native_call *call, duckdb_aggregate_state *states) {
    char kind = kind_of(call);
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        top_k *sketch = (top_k *)states[row];
        start(sketch, kind, ARGUMENT(call, int32_t, 1)[row]);
        if (!argument_valid(call, 0, row))
            sketch->nulls++;
        else if (has_bytes(kind))
            add(sketch, text_item(argument_text(call, 0, row), 1));
        else
            add(sketch, (counted){bits_at(kind, (const char *)call->data[0] + row * width(kind)), 1, NULL, 0});
    }
}

static void join(top_k *target, const top_k *source) {
    target->nulls += source->nulls;
    target->refused |= source->refused;
    for (uint32_t i = 0; i < 1u << source->lg_size; i++) {
        counted item = source->places[i];
        if (!item.count)
            continue;
        if (item.bytes)
            item = text_item((text){item.bytes, item.length}, item.count);
        add(target, item);
    }
}

static void update_states(native_call *call, duckdb_aggregate_state *states) {
    for (idx_t row = 0; row < call->rows && !call->failed; row++) {
        top_k more, *sketch = (top_k *)states[row];
        char kind = argument_text(call, 1, row).bytes[0];
        if (!argument_valid(call, 0, row))
            elsewhere(call, "a state of approx_top_k that is null");
        else if (read_state(call, argument_text(call, 0, row), kind, &more)) {
            start(sketch, kind, ARGUMENT(call, int32_t, 2)[row]);
            join(sketch, &more);
            free_sketch(&more);
        }
    }
}

static void combine(void *into, const void *from) {
    const top_k *source = from;
    if (!source->places)
        return;
    start(into, source->kind, source->lg_most);
    join(into, source);
}

/* NULL of no rows; the SQL says what that means. */
static void finish(native_call *call, const void *from, idx_t row) {
    const top_k *sketch = from;
    if (!sketch->places)
        set_null(call, row);
    else if (sketch->refused)
        elsewhere(call, "approx_top_k of more items than it tracks");
    else
        set_state(call, row, sketch);
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        free_sketch((top_k *)states[i]);
}

/* --- the most frequent ones --- */

/* Whether the places of a run of neighbours depend on the order in which they came: one of them is not at home. */
static bool run_is_mixed(const top_k *sketch, uint32_t at) {
    uint32_t mask = (1u << sketch->lg_size) - 1;
    while (sketch->places[(at - 1) & mask].count)
        at--;
    for (at &= mask; sketch->places[at].count; at = (at + 1) & mask)
        if (home(sketch, &sketch->places[at]) != at)
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
    ranked *order = malloc(sizeof(ranked) * ((size_t)sketch->active + 1));
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
        bool shown = i < k || (before && order[i].item->count == order[k - 1].item->count);
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
    if (!read_state(call, argument_text(call, 0, row), argument_text(call, 1, row).bytes[0], &sketch))
        return;
    ranked *order = ranking(&sketch);
    uint32_t length = sketch.active + (sketch.nulls > 0), next = 0;
    length = length < k ? length : k;
    if (!order_is_known(&sketch, order, k)) {
        elsewhere(call, "approx_top_k of equally frequent items, whose order depends on the partitions");
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
    free(order);
    free_sketch(&sketch);
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
    EACH_ROW(call, row) each_frequent(call, row, write_item);
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
