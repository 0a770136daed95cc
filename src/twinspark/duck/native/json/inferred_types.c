/* Inferred types: created, merged and formatted. */
#include "json/inferred_types.h"
#include "core/utf8.h"
#include "variant/variant.h"
#include <stdio.h>

void free_inferred(inferred *type) {
    for (uint32_t i = 0; i < type->count; i++) {
        free_inferred(&type->children[i]);
        if (type->names)
            release(type->names[i]);
    }
    release(type->names);
    release(type->name_lengths);
    release(type->children);
    *type = (inferred){INFER_VOID};
}

inferred array_of(inferred element) {
    inferred made = {.kind = INFER_ARRAY, .count = 1, .children = allocate(1, sizeof element)};
    made.children[0] = element;
    return made;
}

void add_field(inferred *type, text name, inferred field) {
    if (type->count == type->room) {
        uint32_t room = type->room ? 2 * type->room : 8;
        type->names = reallocate(type->names, room, sizeof *type->names);
        type->name_lengths = reallocate(type->name_lengths, room, sizeof *type->name_lengths);
        type->children = reallocate(type->children, room, sizeof *type->children);
        type->room = room;
    }
    type->names[type->count] = allocate((size_t)name.length + 1, 1);
    memcpy(type->names[type->count], name.bytes ? name.bytes : "", name.length);
    type->name_lengths[type->count] = name.length;
    type->children[type->count++] = field;
}

static text name_of(const inferred *type, uint32_t index) { return (text){type->names[index], type->name_lengths[index]}; }

static void swap_fields(inferred *type, uint32_t a, uint32_t b) {
    char *name = type->names[a];
    uint32_t length = type->name_lengths[a];
    inferred child = type->children[a];
    type->names[a] = type->names[b], type->name_lengths[a] = type->name_lengths[b], type->children[a] = type->children[b];
    type->names[b] = name, type->name_lengths[b] = length, type->children[b] = child;
}

void sort_fields(inferred *type) {
    for (uint32_t i = 1; i < type->count; i++)
        for (uint32_t j = i; j > 0 && compare_keys(name_of(type, j - 1), name_of(type, j)) > 0; j--)
            swap_fields(type, j - 1, j);
}

/* --- merging --- */

static inferred of_kind(enum inferred_kind kind) { return (inferred){.kind = kind}; }

static inferred merged_decimals(int precision, int scale, int other_precision, int other_scale) {
    int digits = scale > other_scale ? scale : other_scale;
    int range = precision - scale > other_precision - other_scale ? precision - scale : other_precision - other_scale;
    if (range + digits > 38)
        return of_kind(INFER_DOUBLE);
    return (inferred){.kind = INFER_DECIMAL, .precision = range + digits, .scale = digits};
}

static bool is_number(const inferred *type) { return type->kind >= INFER_LONG && type->kind <= INFER_DOUBLE; }
static bool is_exact(const inferred *type) { return type->kind == INFER_LONG || type->kind == INFER_DECIMAL; }
static bool is_moment(const inferred *type) { return type->kind >= INFER_DATE && type->kind <= INFER_TIMESTAMP_NTZ; }

/* A whole number beside a decimal counts as decimal(20,0). */
static inferred merged_numbers(const inferred *a, const inferred *b) {
    if (is_exact(a) && is_exact(b))
        return merged_decimals(a->kind == INFER_LONG ? 20 : a->precision, a->scale, b->kind == INFER_LONG ? 20 : b->precision, b->scale);
    if (a->kind == INFER_DOUBLE || b->kind == INFER_DOUBLE || a->kind == INFER_DECIMAL || b->kind == INFER_DECIMAL)
        return of_kind(INFER_DOUBLE);
    return of_kind(INFER_FLOAT);
}

static inferred merged_moments(const inferred *a, const inferred *b) {
    bool instant = a->kind == INFER_TIMESTAMP || b->kind == INFER_TIMESTAMP;
    return of_kind(instant ? INFER_TIMESTAMP : INFER_TIMESTAMP_NTZ);
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

/* Spark takes structs of as many fields whose names differ only in case as one, field by field. */
static bool differ_in_case(text a, text b) {
    if (a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0)
        return false;
    if (!is_ascii(a) || !is_ascii(b))
        return true;
    bool equal = a.length == b.length;
    for (uint32_t i = 0; equal && i < a.length; i++)
        equal = lower(a.bytes[i]) == lower(b.bytes[i]);
    return equal;
}

static bool structs_odd(const inferred *a, const inferred *b) {
    for (uint32_t i = 0; a->count == b->count && i < a->count; i++)
        if (differ_in_case(name_of(a, i), name_of(b, i)))
            return true;
    return false;
}

static void free_shell(inferred *type) {
    for (uint32_t i = 0; type->names && i < type->count; i++)
        release(type->names[i]);
    release(type->names);
    release(type->name_lengths);
    release(type->children);
}

static inferred merged_structs(inferred a, inferred b, enum inferred_kind otherwise, bool *odd) {
    inferred made = {.kind = INFER_STRUCT};
    uint32_t i = 0, j = 0;
    *odd |= structs_odd(&a, &b);
    while (i < a.count || j < b.count) {
        int order = i == a.count ? 1 : j == b.count ? -1 : compare_keys(name_of(&a, i), name_of(&b, j));
        if (order == 0)
            add_field(&made, name_of(&a, i), merged(a.children[i], b.children[j], otherwise, odd));
        else
            add_field(&made, order < 0 ? name_of(&a, i) : name_of(&b, j), order < 0 ? a.children[i] : b.children[j]);
        i += order <= 0;
        j += order >= 0;
    }
    free_shell(&a);
    free_shell(&b);
    return made;
}

static inferred merged_arrays(inferred a, inferred b, enum inferred_kind otherwise, bool *odd) {
    inferred made = array_of(merged(a.children[0], b.children[0], otherwise, odd));
    free_shell(&a);
    free_shell(&b);
    return made;
}

inferred merged(inferred left, inferred right, enum inferred_kind otherwise, bool *odd) {
    if (left.kind == INFER_VOID)
        return right;
    if (right.kind == INFER_VOID)
        return left;
    if (left.kind == INFER_STRUCT && right.kind == INFER_STRUCT)
        return merged_structs(left, right, otherwise, odd);
    if (left.kind == INFER_ARRAY && right.kind == INFER_ARRAY)
        return merged_arrays(left, right, otherwise, odd);
    if (left.kind == right.kind && left.kind != INFER_DECIMAL)
        return left;
    if (is_number(&left) && is_number(&right))
        return merged_numbers(&left, &right);
    if (is_moment(&left) && is_moment(&right))
        return merged_moments(&left, &right);
    free_inferred(&left);
    free_inferred(&right);
    return of_kind(otherwise);
}

/* --- texts --- */

static bool is_plain(text name) {
    bool plain = name.length > 0 && !(name.bytes[0] >= '0' && name.bytes[0] <= '9');
    for (uint32_t i = 0; plain && i < name.length; i++) {
        char c = lower(name.bytes[i]);
        plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    }
    return plain;
}

static void write_name_of(text name, buffer *out) {
    if (is_plain(name)) {
        add_bytes(out, name.bytes, name.length);
        return;
    }
    add_byte(out, '`');
    for (uint32_t i = 0; i < name.length; i++) {
        if (name.bytes[i] == '`')
            add_byte(out, '`');
        add_byte(out, name.bytes[i]);
    }
    add_byte(out, '`');
}

static void write_struct_of(const inferred *type, const char *object, buffer *out) {
    add_bytes(out, object, strlen(object));
    add_byte(out, '<');
    for (uint32_t i = 0; i < type->count; i++) {
        if (i)
            add_bytes(out, ", ", 2);
        write_name_of(name_of(type, i), out);
        add_bytes(out, ": ", 2);
        write_inferred(&type->children[i], object, out);
    }
    add_byte(out, '>');
}

static const char *const inferred_names[] = {"VOID", "BOOLEAN", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE", "STRING", "BINARY",
                                             "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "VARIANT"};

void write_inferred(const inferred *type, const char *object, buffer *out) {
    char shown[48];
    switch (type->kind) {
    case INFER_STRUCT: write_struct_of(type, object, out); break;
    case INFER_ARRAY:
        add_bytes(out, "ARRAY<", 6);
        write_inferred(&type->children[0], object, out);
        add_byte(out, '>');
        break;
    case INFER_DECIMAL: add_bytes(out, shown, (size_t)snprintf(shown, sizeof shown, "DECIMAL(%d,%d)", type->precision, type->scale)); break;
    default: add_bytes(out, inferred_names[type->kind], strlen(inferred_names[type->kind]));
    }
}
