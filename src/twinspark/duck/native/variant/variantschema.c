/* schema_of_variant and schema_of_variant_agg.
 *
 * SQL spelling: spark_schema_of_variants(list of variants), their merged type. */
#include "json/inferred_types.h"
#include "variant/variant.h"

static bool type_of_variant(const variant *v, inferred *type, bool *odd);

static bool type_of_object(const variant *v, inferred *type, bool *odd) {
    variant_nest nest;
    variant member;
    text key;
    *type = (inferred){.kind = INFER_STRUCT};
    if (!open_nest(v, &nest))
        return false;
    for (uint32_t i = 0; i < nest.count; i++) {
        inferred field = {INFER_VOID};
        if (!string_key_at(v, &nest, i, &key) || !next_member(v, &nest, i, &member) || !type_of_variant(&member, &field, odd))
            return false;
        add_field(type, key, field);
    }
    return true;
}

static bool type_of_array(const variant *v, inferred *type, bool *odd) {
    variant_nest nest;
    variant member;
    inferred element = {INFER_VOID};
    bool fine = open_nest(v, &nest);
    for (uint32_t i = 0; fine && i < nest.count; i++) {
        inferred next = {INFER_VOID};
        fine = next_member(v, &nest, i, &member) && type_of_variant(&member, &next, odd);
        element = merged(element, next, INFER_VARIANT, odd);
    }
    *type = array_of(element);
    return fine;
}

static bool type_of_decimal(const variant *v, inferred *type) {
    variant_decimal decimal;
    if (!decimal_of(v, &decimal))
        return false;
    int digits = 1;
    for (int128 rest = decimal.unscaled; rest /= 10;)
        digits++;
    *type = (inferred){.kind = INFER_DECIMAL, .precision = digits > decimal.scale ? digits : decimal.scale, .scale = decimal.scale};
    return true;
}

static bool type_of_variant(const variant *v, inferred *type, bool *odd) {
    static const enum inferred_kind scalars[] = {
        [KIND_NULL] = INFER_VOID,         [KIND_BOOLEAN] = INFER_BOOLEAN,     [KIND_LONG] = INFER_LONG,
        [KIND_STRING] = INFER_STRING,     [KIND_DOUBLE] = INFER_DOUBLE,       [KIND_DATE] = INFER_DATE,
        [KIND_TIMESTAMP] = INFER_TIMESTAMP, [KIND_TIMESTAMP_NTZ] = INFER_TIMESTAMP_NTZ, [KIND_FLOAT] = INFER_FLOAT,
        [KIND_BINARY] = INFER_BINARY};
    enum variant_kind kind = kind_of(v);
    switch (kind) {
    case KIND_OBJECT: return type_of_object(v, type, odd);
    case KIND_ARRAY: return type_of_array(v, type, odd);
    case KIND_DECIMAL: return type_of_decimal(v, type);
    case KIND_UUID:
    case KIND_MALFORMED: return false;
    default: *type = (inferred){.kind = scalars[kind]}; return true;
    }
}

/* One variant of a list, at a place of the list's own. */
static bool listed_variant(const value_column *lists, uint64_t at, variant *v) {
    return variant_argument(lists->children, at, v);
}

static void schema_row(native_call *call, idx_t row, const value_column *lists, buffer *out) {
    inferred all = {INFER_VOID};
    bool odd = false, fine = true;
    list_entry entry = list_at(lists, row);
    for (uint64_t i = 0; fine && i < entry.length; i++) {
        variant v;
        inferred next = {INFER_VOID};
        if (!listed_variant(lists, entry.offset + i, &v))
            continue;
        fine = size_of(&v) && type_of_variant(&v, &next, &odd);
        all = merged(all, next, INFER_VARIANT, &odd);
    }
    out->length = 0;
    write_inferred(&all, "OBJECT", out);
    free_inferred(&all);
    if (odd || !fine)
        fall_back(call, "SCHEMA_INFERENCE", "a variant that is malformed, or whose keys differ only in case");
    else
        set_text(call, row, out->bytes, out->length);
}

static void schema_rows(native_call *call) {
    value_column lists = value_argument(call, 0);
    buffer out = {0};
    EACH_ROW(call, row)
        schema_row(call, row, &lists, &out);
    release(out.bytes);
    free_value(&lists);
}

const native_function variant_schema_functions[] = {{"spark_schema_of_variants", "A>v", schema_rows, NULL}, {NULL}};
