/* Keys of sketches hashed as Apache DataSketches does (MurmurHash3, 128 bits), and the output buffer of images. */
#include "sketches/sketches.h"
#include <math.h>
#include <stdlib.h>

static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }
static uint64_t mix_first(uint64_t k) { return rotate(k * 0x87c37b91114253d5ULL, 31) * 0x4cf5ad432745937fULL; }
static uint64_t mix_second(uint64_t k) { return rotate(k * 0x4cf5ad432745937fULL, 33) * 0x87c37b91114253d5ULL; }
static uint64_t mix_last(uint64_t h) {
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdULL;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return h ^ h >> 33;
}

static void murmur(const void *key, size_t length, uint64_t h[2]) {
    const char *bytes = key;
    size_t blocks = length / 16;
    h[0] = h[1] = SKETCH_SEED;
    for (size_t i = 0; i < blocks; i++) {
        h[0] ^= mix_first(long_at(bytes + 16 * i));
        h[0] = (rotate(h[0], 27) + h[1]) * 5 + 0x52dce729;
        h[1] ^= mix_second(long_at(bytes + 16 * i + 8));
        h[1] = (rotate(h[1], 31) + h[0]) * 5 + 0x38495ab5;
    }
    uint64_t rest[2] = {0, 0};
    memcpy(rest, bytes + 16 * blocks, length % 16);
    h[0] ^= mix_first(rest[0]) ^ length;
    h[1] ^= mix_second(rest[1]) ^ length;
    h[0] += h[1];
    h[1] += h[0];
    h[0] = mix_last(h[0]);
    h[1] = mix_last(h[1]);
    h[0] += h[1];
    h[1] += h[0];
}


static key_kind kind_of(int type, bool element) {
    switch (type) {
    case TYPE_INTEGER: return element ? KEY_INTS : KEY_INT;
    case TYPE_BIGINT: return element ? KEY_LONGS : KEY_LONG;
    case TYPE_FLOAT: return element ? KEY_NOTHING : KEY_FLOAT;
    case TYPE_DOUBLE: return element ? KEY_NOTHING : KEY_DOUBLE;
    case TYPE_VARCHAR: case TYPE_BLOB: return element ? KEY_NOTHING : KEY_BYTES;
    default: return KEY_NOTHING;
    }
}

static int vector_type(duckdb_vector vector) {
    duckdb_logical_type type = duckdb_vector_get_column_type(vector);
    int id = duckdb_get_type_id(type);
    duckdb_destroy_logical_type(&type);
    return id;
}

key_column key_argument(native_call *call, int argument) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(call->chunk, (idx_t)argument);
    int type = vector_type(vector);
    key_column column = {.kind = kind_of(type, false), .data = call->data[argument]};
    if (type == TYPE_LIST) {
        duckdb_vector child = duckdb_list_vector_get_child(vector);
        column = (key_column){kind_of(vector_type(child), true), duckdb_vector_get_data(child), call->data[argument],
                              duckdb_vector_get_validity(child)};
    }
    if (column.kind == KEY_NOTHING && type != TYPE_SQLNULL)
        misuse(call, "twinspark: a sketch takes whole numbers, doubles, texts, bytes and arrays of whole numbers");
    return column;
}

static bool elements_hash(native_call *call, const key_column *column, idx_t row, size_t width, uint64_t hash[2]) {
    uint64_t offset = column->ranges[2 * row], length = column->ranges[2 * row + 1];
    for (uint64_t i = offset; i < offset + length; i++)
        if (!bit(column->element_valid, i)) {
            fall_back(call, "FUNCTION_ROW_VALUE", "a sketch of arrays with null elements");
            return false;
        }
    murmur((const char *)column->data + offset * width, length * width, hash);
    return length > 0;
}

static bool double_hash(double value, uint64_t hash[2]) {
    uint64_t bits = 0x7ff8000000000000ULL;
    value = value == 0 ? 0.0 : value;
    if (!isnan(value))
        memcpy(&bits, &value, 8);
    murmur(&bits, 8, hash);
    return true;
}

static bool long_hash(int64_t value, uint64_t hash[2]) {
    murmur(&value, 8, hash);
    return true;
}

bool key_hash(native_call *call, const key_column *column, idx_t row, uint64_t hash[2]) {
    text bytes;
    switch (column->kind) {
    case KEY_INT: return long_hash(((const int32_t *)column->data)[row], hash);
    case KEY_LONG: return long_hash(((const int64_t *)column->data)[row], hash);
    case KEY_FLOAT: return double_hash(((const float *)column->data)[row], hash);
    case KEY_DOUBLE: return double_hash(((const double *)column->data)[row], hash);
    case KEY_BYTES:
        bytes = text_of(&((const duckdb_string *)column->data)[row]);
        murmur(bytes.bytes, bytes.length, hash);
        return bytes.length > 0;
    case KEY_INTS: return elements_hash(call, column, row, 4, hash);
    case KEY_LONGS: return elements_hash(call, column, row, 8, hash);
    default: return false;
    }
}

void put_bytes(byte_buffer *buffer, const void *bytes, size_t length) {
    size_t needed = checked_size(length, 1, buffer->length);
    buffer->bytes = make_room(buffer->bytes, &buffer->room, needed < 64 ? 64 : needed, 1);
    if (length)
        memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
}

void set_bytes(native_call *call, idx_t row, byte_buffer *buffer) {
    set_text(call, row, (const char *)buffer->bytes, buffer->length);
    release(buffer->bytes);
    *buffer = (byte_buffer){0};
}

int64_t java_round(double value) {
    double whole = floor(value);
    whole += value - whole >= 0.5;
    if (isnan(value))
        return 0;
    return whole >= 0x1p63 ? INT64_MAX : whole <= -0x1p63 ? INT64_MIN : (int64_t)whole;
}
