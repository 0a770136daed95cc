/* Builds variants byte for byte as Spark's VariantBuilder does: keys get ids as they come, an object's fields are sorted by key. */
#include "variant/variant.h"
#include <math.h>

void reset_builder(variant_builder *builder) {
    builder->out.length = builder->keys.length = builder->metadata.length = 0;
    builder->field_count = builder->offset_count = 0;
    if (builder->key_count)
        memset(builder->slots, 0, builder->slot_count * sizeof *builder->slots);
    builder->key_count = 0;
    builder->too_large = false;
}

void close_builder(variant_builder *builder) {
    release(builder->out.bytes);
    release(builder->keys.bytes);
    release(builder->metadata.bytes);
    release(builder->key_ends);
    release(builder->slots);
    release(builder->fields);
    release(builder->offsets);
}

static void put(variant_builder *builder, const void *bytes, size_t length) {
    if (builder->out.length + length > MOST_VARIANT_BYTES)
        builder->too_large = true;
    else
        add_bytes(&builder->out, bytes, length);
}

static void put_little(buffer *into, uint64_t value, int size) {
    char bytes[8];
    for (int i = 0; i < size; i++)
        bytes[i] = (char)(value >> (8 * i));
    add_bytes(into, bytes, (size_t)size);
}

static void put_primitive(variant_builder *builder, enum variant_primitive primitive, uint64_t value, int size) {
    if (builder->out.length + 9 > MOST_VARIANT_BYTES) {
        builder->too_large = true;
        return;
    }
    add_byte(&builder->out, (char)(primitive << 2));
    put_little(&builder->out, value, size);
}

void append_null(variant_builder *builder) { put_primitive(builder, PRIMITIVE_NULL, 0, 0); }
void append_boolean(variant_builder *builder, bool value) { put_primitive(builder, value ? PRIMITIVE_TRUE : PRIMITIVE_FALSE, 0, 0); }

void append_long(variant_builder *builder, int64_t value) {
    if (value == (int8_t)value)
        put_primitive(builder, PRIMITIVE_INT1, (uint64_t)value, 1);
    else if (value == (int16_t)value)
        put_primitive(builder, PRIMITIVE_INT2, (uint64_t)value, 2);
    else if (value == (int32_t)value)
        put_primitive(builder, PRIMITIVE_INT4, (uint64_t)value, 4);
    else
        put_primitive(builder, PRIMITIVE_INT8, (uint64_t)value, 8);
}

void append_double(variant_builder *builder, double value) {
    uint64_t bits = 0x7FF8000000000000ULL; /* Double.doubleToLongBits knows one NaN */
    if (!isnan(value))
        memcpy(&bits, &value, sizeof bits);
    put_primitive(builder, PRIMITIVE_DOUBLE, bits, 8);
}

void append_float(variant_builder *builder, float value) {
    uint32_t bits = 0x7FC00000u;
    if (!isnan(value))
        memcpy(&bits, &value, sizeof bits);
    put_primitive(builder, PRIMITIVE_FLOAT, bits, 4);
}

void append_decimal(variant_builder *builder, int128 unscaled, int scale, int precision) {
    int most = scale > precision ? scale : precision;
    enum variant_primitive primitive = most <= 9 ? PRIMITIVE_DECIMAL4 : most <= 18 ? PRIMITIVE_DECIMAL8 : PRIMITIVE_DECIMAL16;
    char head[2] = {(char)(primitive << 2), (char)scale};
    put(builder, head, 2);
    put(builder, &unscaled, most <= 9 ? 4 : most <= 18 ? 8 : 16); /* the low bytes: this machine is little-endian as well */
}

static void put_sized(variant_builder *builder, enum variant_primitive primitive, text value) {
    put_primitive(builder, primitive, value.length, 4);
    put(builder, value.bytes, value.length);
}

void append_string(variant_builder *builder, text value) {
    char head = (char)(value.length << 2 | BASIC_SHORT_STRING);
    if (value.length > 63) {
        put_sized(builder, PRIMITIVE_LONG_STRING, value);
        return;
    }
    put(builder, &head, 1);
    put(builder, value.bytes, value.length);
}

void append_binary(variant_builder *builder, text value) { put_sized(builder, PRIMITIVE_BINARY, value); }

void append_moment(variant_builder *builder, enum variant_primitive primitive, int64_t value) {
    put_primitive(builder, primitive, (uint64_t)value, primitive == PRIMITIVE_DATE ? 4 : 8);
}

/* --- the dictionary of keys --- */

static text key_of(const variant_builder *builder, uint32_t id) {
    uint32_t from = id ? builder->key_ends[id - 1] : 0;
    return (text){builder->keys.bytes ? builder->keys.bytes + from : NULL, builder->key_ends[id] - from};
}

static uint32_t hash_of(text key) {
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < key.length; i++)
        hash = (hash ^ (unsigned char)key.bytes[i]) * 16777619u;
    return hash;
}

static uint32_t *slot_of(const variant_builder *builder, text key) {
    uint32_t at = hash_of(key) & (builder->slot_count - 1);
    while (builder->slots[at]) {
        text there = key_of(builder, builder->slots[at] - 1);
        if (there.length == key.length && (!key.length || memcmp(there.bytes, key.bytes, key.length) == 0))
            break;
        at = (at + 1) & (builder->slot_count - 1);
    }
    return &builder->slots[at];
}

static void grow_dictionary(variant_builder *builder) {
    if (builder->key_count == builder->key_room) {
        uint32_t room = builder->key_room ? 2 * builder->key_room : 32;
        builder->key_ends = reallocate(builder->key_ends, room, sizeof *builder->key_ends);
        builder->key_room = room;
    }
    if (2 * (builder->key_count + 1) <= builder->slot_count)
        return;
    builder->slot_count = builder->slot_count ? 2 * builder->slot_count : 64;
    release(builder->slots);
    builder->slots = allocate_zeroed(builder->slot_count, sizeof *builder->slots);
    for (uint32_t id = 0; id < builder->key_count; id++)
        *slot_of(builder, key_of(builder, id)) = id + 1;
}

static uint32_t add_key(variant_builder *builder, text key) {
    grow_dictionary(builder);
    uint32_t *slot = slot_of(builder, key);
    if (!*slot) {
        add_bytes(&builder->keys, key.bytes, key.length);
        builder->key_ends[builder->key_count] = (uint32_t)builder->keys.length;
        *slot = ++builder->key_count;
    }
    if (builder->keys.length > MOST_VARIANT_BYTES)
        builder->too_large = true;
    return *slot - 1;
}

static int bytes_for(uint64_t value) { return value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFFFF ? 3 : 4; }

void build_metadata(variant_builder *builder) {
    uint64_t most = builder->keys.length > builder->key_count ? builder->keys.length : builder->key_count;
    int size = bytes_for(most);
    buffer *into = &builder->metadata;
    into->length = 0;
    add_byte(into, (char)(1 | (size - 1) << 6));
    put_little(into, builder->key_count, size);
    put_little(into, 0, size);
    for (uint32_t id = 0; id < builder->key_count; id++)
        put_little(into, builder->key_ends[id], size);
    add_bytes(into, builder->keys.bytes, builder->keys.length);
    if (into->length > MOST_VARIANT_BYTES)
        builder->too_large = true;
}

/* --- objects and arrays --- */

variant_mark begin_object(const variant_builder *builder) { return (variant_mark){builder->out.length, builder->field_count}; }

/* A key's text may move while the dictionary grows: it is looked up again when fields are sorted. */
void note_field(variant_builder *builder, variant_mark mark, text key) {
    if (builder->field_count == builder->field_room)
        builder->fields = make_room(builder->fields, &builder->field_room, builder->field_count + 64, sizeof *builder->fields);
    uint32_t id = add_key(builder, key);
    builder->fields[builder->field_count++] = (variant_field){{0}, id, (uint32_t)(builder->out.length - mark.start)};
}

static int by_key(const void *left, const void *right) {
    const variant_field *a = left, *b = right;
    int order = compare_keys(a->key, b->key);
    return order ? order : a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Most objects have few fields, and many have them in order. */
static void sort_fields(variant_field *fields, uint32_t count) {
    if (count > 24) {
        qsort(fields, count, sizeof *fields, by_key);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        variant_field moved = fields[i];
        uint32_t at = i;
        for (; at && by_key(&fields[at - 1], &moved) > 0; at--)
            fields[at] = fields[at - 1];
        fields[at] = moved;
    }
}

/* Makes room for a head of this size in front of what was written since `start`. */
static char *insert_head(variant_builder *builder, size_t start, size_t size) {
    buffer *out = &builder->out;
    if (out->length + size > MOST_VARIANT_BYTES)
        builder->too_large = true;
    if (builder->too_large)
        return NULL;
    if (out->length + size > out->size)
        grow_buffer(out, size);
    memmove(out->bytes + start + size, out->bytes + start, out->length - start);
    out->length += size;
    return out->bytes + start;
}

static char *little(char *at, uint64_t value, int size) {
    for (int i = 0; i < size; i++)
        at[i] = (char)(value >> (8 * i));
    return at + size;
}

static void write_object_head(variant_builder *builder, size_t start, const variant_field *fields, uint32_t count) {
    uint32_t most = 0, data = (uint32_t)(builder->out.length - start);
    for (uint32_t i = 0; i < count; i++)
        most = fields[i].id > most ? fields[i].id : most;
    bool large = count > 255;
    int id_size = bytes_for(most), offset_size = bytes_for(data), count_size = large ? 4 : 1;
    char *at = insert_head(builder, start, 1 + (size_t)count_size + (size_t)count * (size_t)id_size + ((size_t)count + 1) * (size_t)offset_size);
    if (!at)
        return;
    *at++ = (char)(large << 6 | (id_size - 1) << 4 | (offset_size - 1) << 2 | BASIC_OBJECT);
    at = little(at, count, count_size);
    for (uint32_t i = 0; i < count; i++)
        at = little(at, fields[i].id, id_size);
    for (uint32_t i = 0; i < count; i++)
        at = little(at, fields[i].offset, offset_size);
    little(at, data, offset_size);
}

bool finish_object(variant_builder *builder, variant_mark mark) {
    variant_field *fields = builder->fields + mark.first;
    uint32_t count = (uint32_t)(builder->field_count - mark.first);
    for (uint32_t i = 0; i < count; i++)
        fields[i].key = key_of(builder, fields[i].id);
    sort_fields(fields, count);
    for (uint32_t i = 1; i < count; i++)
        if (fields[i].id == fields[i - 1].id)
            return false;
    write_object_head(builder, mark.start, fields, count);
    builder->field_count = mark.first;
    return true;
}

variant_mark begin_array(const variant_builder *builder) { return (variant_mark){builder->out.length, builder->offset_count}; }

void note_element(variant_builder *builder, variant_mark mark) {
    if (builder->offset_count == builder->offset_room)
        builder->offsets = make_room(builder->offsets, &builder->offset_room, builder->offset_count + 64, sizeof *builder->offsets);
    builder->offsets[builder->offset_count++] = (uint32_t)(builder->out.length - mark.start);
}

void finish_array(variant_builder *builder, variant_mark mark) {
    uint32_t count = (uint32_t)(builder->offset_count - mark.first), data = (uint32_t)(builder->out.length - mark.start);
    bool large = count > 255;
    int offset_size = bytes_for(data), count_size = large ? 4 : 1;
    char *at = insert_head(builder, mark.start, 1 + (size_t)count_size + ((size_t)count + 1) * (size_t)offset_size);
    if (at) {
        *at++ = (char)(large << 4 | (offset_size - 1) << 2 | BASIC_ARRAY);
        at = little(at, count, count_size);
        for (uint32_t i = 0; i < count; i++)
            at = little(at, builder->offsets[mark.first + i], offset_size);
        little(at, data, offset_size);
    }
    builder->offset_count = mark.first;
}

static bool append_object(variant_builder *builder, const variant *v) {
    variant_nest nest;
    variant member;
    text key;
    variant_mark mark = begin_object(builder);
    if (!open_nest(v, &nest))
        return false;
    for (uint32_t i = 0; i < nest.count; i++) {
        if (!key_at(v, &nest, i, &key) || !next_member(v, &nest, i, &member))
            return false;
        note_field(builder, mark, key);
        if (!append_variant(builder, &member))
            return false;
    }
    return finish_object(builder, mark);
}

static bool append_array(variant_builder *builder, const variant *v) {
    variant_nest nest;
    variant member;
    variant_mark mark = begin_array(builder);
    if (!open_nest(v, &nest))
        return false;
    for (uint32_t i = 0; i < nest.count; i++) {
        note_element(builder, mark);
        if (!next_member(v, &nest, i, &member) || !append_variant(builder, &member))
            return false;
    }
    finish_array(builder, mark);
    return true;
}

bool append_variant(variant_builder *builder, const variant *v) {
    uint32_t size = size_of(v);
    switch (kind_of(v)) {
    case KIND_OBJECT: return append_object(builder, v);
    case KIND_ARRAY: return append_array(builder, v);
    case KIND_MALFORMED: return false;
    default: put(builder, v->value.bytes + v->at, size); return size > 0;
    }
}
