/* Reads variants in Spark's binary form: kinds, sizes, members, scalars; every step is checked against the bytes there are. */
#include "variant/variant.h"
#include "core/utf8.h"

static unsigned char byte_at(const variant *v, uint32_t at) { return (unsigned char)v->value.bytes[at]; }
/* Up to eight bytes, little-endian; zero where they are not there. */
static uint64_t number_at(text bytes, uint64_t at, uint32_t size) {
    uint64_t value = 0;
    if (__builtin_expect(size && within_image(bytes, at, 8), 1)) { /* of a known size: no call of memcpy */
        memcpy(&value, bytes.bytes + at, 8);
        return value & (UINT64_MAX >> (64 - 8 * size));
    }
    for (uint32_t i = 0; within_image(bytes, at, size) && i < size; i++)
        value |= (uint64_t)(unsigned char)bytes.bytes[at + i] << (8 * i);
    return value;
}
static uint32_t unsigned_at(text bytes, uint64_t at, uint32_t size) { return (uint32_t)number_at(bytes, at, size); }

static int64_t signed_at(const variant *v, uint64_t at, uint32_t size) {
    uint32_t unused = 64 - 8 * size;
    return (int64_t)(number_at(v->value, at, size) << unused) >> unused;
}

static enum variant_kind primitive_kind(int primitive) {
    switch (primitive) {
    case PRIMITIVE_NULL: return KIND_NULL;
    case PRIMITIVE_TRUE:
    case PRIMITIVE_FALSE: return KIND_BOOLEAN;
    case PRIMITIVE_INT1:
    case PRIMITIVE_INT2:
    case PRIMITIVE_INT4:
    case PRIMITIVE_INT8: return KIND_LONG;
    case PRIMITIVE_DOUBLE: return KIND_DOUBLE;
    case PRIMITIVE_DECIMAL4:
    case PRIMITIVE_DECIMAL8:
    case PRIMITIVE_DECIMAL16: return KIND_DECIMAL;
    case PRIMITIVE_DATE: return KIND_DATE;
    case PRIMITIVE_TIMESTAMP: return KIND_TIMESTAMP;
    case PRIMITIVE_TIMESTAMP_NTZ: return KIND_TIMESTAMP_NTZ;
    case PRIMITIVE_FLOAT: return KIND_FLOAT;
    case PRIMITIVE_BINARY: return KIND_BINARY;
    case PRIMITIVE_LONG_STRING: return KIND_STRING;
    case PRIMITIVE_UUID: return KIND_UUID;
    default: return KIND_MALFORMED;
    }
}

static int info_of(const variant *v) { return byte_at(v, v->at) >> 2; }
static int basic_of(const variant *v) { return byte_at(v, v->at) & 3; }

enum variant_kind kind_of(const variant *v) {
    if (!within_image(v->value, v->at, 1))
        return KIND_MALFORMED;
    switch (basic_of(v)) {
    case BASIC_SHORT_STRING: return KIND_STRING;
    case BASIC_OBJECT: return KIND_OBJECT;
    case BASIC_ARRAY: return KIND_ARRAY;
    default: return primitive_kind(info_of(v));
    }
}

bool open_nest(const variant *v, variant_nest *nest) {
    if (!within_image(v->value, v->at, 2))
        return false;
    bool object = basic_of(v) == BASIC_OBJECT;
    int info = info_of(v);
    uint32_t count_size = (info >> (object ? 4 : 2) & 1) ? 4 : 1;
    uint64_t ids = (uint64_t)v->at + 1 + count_size;
    if (ids > v->value.length)
        return false;
    uint64_t count = unsigned_at(v->value, (uint64_t)v->at + 1, count_size);
    uint32_t id_size = object ? (uint32_t)(info >> 2 & 3) + 1 : 0, offset_size = (uint32_t)(info & 3) + 1;
    uint64_t offsets = ids + count * id_size, last = offsets + count * offset_size, data = last + offset_size;
    if (data > v->value.length)
        return false;
    *nest = (variant_nest){(uint32_t)count, id_size, offset_size, (uint32_t)ids, (uint32_t)offsets, (uint32_t)data,
                           unsigned_at(v->value, last, offset_size), 0};
    return true;
}

static uint64_t nest_size(const variant *v) {
    variant_nest nest;
    return open_nest(v, &nest) ? (uint64_t)nest.data - v->at + nest.data_size : 0;
}

static uint64_t primitive_size(const variant *v) {
    switch (info_of(v)) {
    case PRIMITIVE_NULL:
    case PRIMITIVE_TRUE:
    case PRIMITIVE_FALSE: return 1;
    case PRIMITIVE_INT1: return 2;
    case PRIMITIVE_INT2: return 3;
    case PRIMITIVE_INT4:
    case PRIMITIVE_DATE:
    case PRIMITIVE_FLOAT: return 5;
    case PRIMITIVE_INT8:
    case PRIMITIVE_DOUBLE:
    case PRIMITIVE_TIMESTAMP:
    case PRIMITIVE_TIMESTAMP_NTZ: return 9;
    case PRIMITIVE_DECIMAL4: return 6;
    case PRIMITIVE_DECIMAL8: return 10;
    case PRIMITIVE_DECIMAL16: return 18;
    case PRIMITIVE_UUID: return 17;
    case PRIMITIVE_BINARY:
    case PRIMITIVE_LONG_STRING: return within_image(v->value, (uint64_t)v->at + 1, 4) ? 5 + (uint64_t)unsigned_at(v->value, (uint64_t)v->at + 1, 4) : 0;
    default: return 0;
    }
}

uint32_t size_of(const variant *v) {
    if (!within_image(v->value, v->at, 1))
        return 0;
    int basic = basic_of(v);
    uint64_t size = basic == BASIC_PRIMITIVE      ? primitive_size(v)
                    : basic == BASIC_SHORT_STRING ? 1 + (uint64_t)info_of(v)
                                                  : nest_size(v);
    return within_image(v->value, v->at, size) ? (uint32_t)size : 0;
}

/* Its size; 0 when it is malformed. */
static uint32_t find_member(const variant *v, const variant_nest *nest, uint32_t index, variant *member) {
    *member = *v;
    uint64_t place = nest->offsets + (uint64_t)index * nest->offset_size;
    uint64_t at = (uint64_t)nest->data + unsigned_at(v->value, place, nest->offset_size);
    member->at = (uint32_t)at;
    member->depth = v->depth + 1;
    return index < nest->count && at < v->value.length ? size_of(member) : 0;
}

bool member_at(const variant *v, const variant_nest *nest, uint32_t index, variant *member) {
    return find_member(v, nest, index, member) != 0;
}

bool next_member(const variant *v, variant_nest *nest, uint32_t index, variant *member) {
    uint32_t size = find_member(v, nest, index, member);
    if (!size)
        return false;
    if (member->depth > DEEPEST_VARIANT || size > nest->data_size - nest->walked)
        end_fall_back("VARIANT_VALUE", "values that share bytes, or are nested very deeply");
    nest->walked += size;
    return true;
}

/* Our strings are UTF-8; Spark's may be any bytes. */
static text checked_string(text string) {
    if (!is_utf8(string))
        end_fall_back("VARIANT_VALUE", "a string that is not valid UTF-8");
    return string;
}

static bool dictionary_key(text metadata, uint32_t id, text *key) {
    uint32_t size = metadata.length ? ((unsigned char)metadata.bytes[0] >> 6) + 1u : 0;
    if (!size || !within_image(metadata, 1, size))
        return false;
    uint32_t count = unsigned_at(metadata, 1, size);
    uint64_t strings = 1 + ((uint64_t)count + 2) * size;
    if (id >= count || strings > metadata.length)
        return false;
    uint64_t place = 1 + ((uint64_t)id + 1) * size;
    uint32_t from = unsigned_at(metadata, place, size), to = unsigned_at(metadata, place + size, size);
    if (from > to || !within_image(metadata, strings, to))
        return false;
    *key = (text){metadata.bytes + strings + from, to - from};
    return true;
}

bool key_at(const variant *v, const variant_nest *nest, uint32_t index, text *key) {
    uint64_t place = nest->ids + (uint64_t)index * nest->id_size;
    return index < nest->count && dictionary_key(v->metadata, unsigned_at(v->value, place, nest->id_size), key);
}

bool string_key_at(const variant *v, const variant_nest *nest, uint32_t index, text *key) {
    if (!key_at(v, nest, index, key))
        return false;
    checked_string(*key);
    return true;
}

int64_t long_of(const variant *v) {
    switch (info_of(v)) {
    case PRIMITIVE_INT1: return signed_at(v, (uint64_t)v->at + 1, 1);
    case PRIMITIVE_INT2: return signed_at(v, (uint64_t)v->at + 1, 2);
    case PRIMITIVE_INT4:
    case PRIMITIVE_DATE: return signed_at(v, (uint64_t)v->at + 1, 4);
    default: return signed_at(v, (uint64_t)v->at + 1, 8);
    }
}

double double_of_variant(const variant *v) {
    byte_reader reader = read_image(part_of(v->value, (uint64_t)v->at + 1, 8));
    return take_double(&reader);
}

float float_of_variant(const variant *v) {
    byte_reader reader = read_image(part_of(v->value, (uint64_t)v->at + 1, 4));
    return take_float(&reader);
}

bool bytes_of(const variant *v, text *bytes) {
    uint32_t size = size_of(v), head = basic_of(v) == BASIC_SHORT_STRING ? 1 : 5;
    if (size < head)
        return false;
    *bytes = (text){v->value.bytes + v->at + head, size - head};
    if (kind_of(v) == KIND_STRING)
        checked_string(*bytes);
    return true;
}

static int digits_in(int128 value) {
    uint128 rest = value < 0 ? -(uint128)value : (uint128)value;
    int digits = 1;
    while (rest /= 10)
        digits++;
    return digits;
}

bool decimal_of(const variant *v, variant_decimal *decimal) {
    int most = info_of(v) == PRIMITIVE_DECIMAL4 ? 9 : info_of(v) == PRIMITIVE_DECIMAL8 ? 18 : 38;
    int128 value;
    if (size_of(v) < 6)
        return false;
    if (most == 38)
        memcpy(&value, v->value.bytes + v->at + 2, sizeof value);
    else
        value = signed_at(v, (uint64_t)v->at + 2, most == 9 ? 4 : 8);
    int scale = byte_at(v, v->at + 1);
    if (scale > most || digits_in(value) > most)
        return false;
    while (scale > 0 && value % 10 == 0) {
        value /= 10;
        scale--;
    }
    *decimal = (variant_decimal){value, scale};
    return true;
}

static bool members_well_formed(const variant *v, bool object) {
    variant_nest nest;
    text key;
    variant member;
    if (!open_nest(v, &nest))
        return false;
    for (uint32_t i = 0; i < nest.count; i++)
        if ((object && !key_at(v, &nest, i, &key)) || !next_member(v, &nest, i, &member) || !well_formed(&member))
            return false;
    return true;
}

bool well_formed(const variant *v) {
    variant_decimal decimal;
    if (!v->metadata.length || (v->metadata.bytes[0] & 15) != 1 || !size_of(v))
        return false;
    switch (kind_of(v)) {
    case KIND_OBJECT:
    case KIND_ARRAY: return members_well_formed(v, kind_of(v) == KIND_OBJECT);
    case KIND_DECIMAL: return decimal_of(v, &decimal);
    default: return kind_of(v) != KIND_MALFORMED;
    }
}

/* UTF-8 sorts as UTF-16 does, except that the characters beyond U+FFFF come before U+E000. */
int compare_keys(text left, text right) {
    uint32_t shorter = left.length < right.length ? left.length : right.length;
    for (uint32_t i = 0; i < shorter; i++) {
        unsigned char a = (unsigned char)left.bytes[i], b = (unsigned char)right.bytes[i];
        if (a == b)
            continue;
        if (a >= 0xEE && b >= 0xEE && (a >= 0xF0) != (b >= 0xF0))
            return a >= 0xF0 ? -1 : 1;
        return a < b ? -1 : 1;
    }
    return left.length < right.length ? -1 : left.length > right.length;
}

/* --- arguments and results --- */

bool variant_argument(const value_column *variants, idx_t row, variant *v) {
    if (variants->type != TYPE_STRUCT || variants->count != 2 || !value_valid(variants, row))
        return false;
    const value_column *parts = variants->children;
    if (parts[0].type != TYPE_BLOB || parts[1].type != TYPE_BLOB)
        end_call("twinspark: a variant is a struct of two BLOBs");
    if (!value_valid(&parts[0], row) || !value_valid(&parts[1], row))
        return false;
    v->value = text_of(&((const duckdb_string *)parts[0].data)[row]);
    v->metadata = text_of(&((const duckdb_string *)parts[1].data)[row]);
    v->at = v->depth = 0;
    return true;
}

/* The result's two columns of bytes. */
static native_call *parts_of(native_call *call) {
    if (!call->parts)
        open_parts(call, 2);
    return call->parts;
}

void set_variant(native_call *call, idx_t row, text value, text metadata) {
    native_call *parts = parts_of(call);
    set_text(&parts[0], row, value.bytes, value.length);
    set_text(&parts[1], row, metadata.bytes, metadata.length);
}

void set_null_variant(native_call *call, idx_t row) {
    native_call *parts = parts_of(call);
    set_null(call, row);
    set_null(&parts[0], row);
    set_null(&parts[1], row);
}

void set_built(native_call *call, idx_t row, variant_builder *builder) {
    if (!builder->too_large)
        build_metadata(builder);
    if (builder->too_large)
        fall_back(call, "VARIANT_VALUE", "more than 128 MiB");
    else
        set_variant(call, row, (text){builder->out.bytes, (uint32_t)builder->out.length},
                    (text){builder->metadata.bytes, (uint32_t)builder->metadata.length});
}

void malformed_variant(native_call *call) { spark_error(call, "MALFORMED_VARIANT", NULL); }
