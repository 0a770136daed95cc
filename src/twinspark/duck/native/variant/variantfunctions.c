/* Building blocks of casts from variants; is_variant_null, is_valid_variant, to_json of a variant. */
#include "variant/variant.h"
#include "numbers/shortest.h"
#include "core/utf8.h"
#include <math.h>
#include <stdio.h>

/* --- scalars --- */

static void kind_rows(native_call *call) {
    variant_rows rows = open_rows(call);
    EACH_VARIANT(call, &rows, row) {
        RESULT(call, int32_t)[row] = (int32_t)kind_of(&rows.v);
        if (kind_of(&rows.v) == KIND_MALFORMED)
            malformed_variant(call);
    }
    free_value(&rows.variants);
}

static bool is_long(enum variant_kind kind) { return kind == KIND_LONG || kind == KIND_DATE || kind == KIND_TIMESTAMP || kind == KIND_TIMESTAMP_NTZ; }

static void long_rows(native_call *call) {
    variant_rows rows = open_rows(call);
    EACH_VARIANT(call, &rows, row) {
        if (kind_of(&rows.v) == KIND_BOOLEAN)
            RESULT(call, int64_t)[row] = (unsigned char)rows.v.value.bytes[rows.v.at] >> 2 == PRIMITIVE_TRUE;
        else if (is_long(kind_of(&rows.v)))
            RESULT(call, int64_t)[row] = long_of(&rows.v);
        else
            set_null(call, row);
    }
    free_value(&rows.variants);
}

static void double_rows(native_call *call) {
    variant_rows rows = open_rows(call);
    EACH_VARIANT(call, &rows, row) {
        if (kind_of(&rows.v) == KIND_DOUBLE)
            RESULT(call, double)[row] = double_of_variant(&rows.v);
        else
            set_null(call, row);
    }
    free_value(&rows.variants);
}

static void float_rows(native_call *call) {
    variant_rows rows = open_rows(call);
    EACH_VARIANT(call, &rows, row) {
        if (kind_of(&rows.v) == KIND_FLOAT)
            RESULT(call, float)[row] = float_of_variant(&rows.v);
        else
            set_null(call, row);
    }
    free_value(&rows.variants);
}

/* Strings, or bytes: `extra`. */
static void bytes_rows(native_call *call) {
    variant_rows rows = open_rows(call);
    enum variant_kind wanted = call->function->extra ? KIND_BINARY : KIND_STRING;
    text bytes;
    EACH_VARIANT(call, &rows, row) {
        if (kind_of(&rows.v) == wanted && bytes_of(&rows.v, &bytes))
            set_text(call, row, bytes.bytes, bytes.length);
        else
            set_null(call, row);
    }
    free_value(&rows.variants);
}

/* --- casts of the plainest kinds: NULL for all others, which SQL handles --- */

/* A string as it is, a whole number as its digits. */
static void plain_string_rows(native_call *call) {
    variant_rows rows = open_rows(call);
    text bytes;
    char digits[24];
    EACH_VARIANT(call, &rows, row) {
        enum variant_kind kind = kind_of(&rows.v);
        if (kind == KIND_STRING && bytes_of(&rows.v, &bytes))
            set_text(call, row, bytes.bytes, bytes.length);
        else if (kind == KIND_LONG)
            set_text(call, row, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)long_of(&rows.v)));
        else
            set_null(call, row);
    }
    free_value(&rows.variants);
}

#define PLAIN_ROWS(name, type, fits, value)                                                                            \
    static void plain_##name##_rows(native_call *call) {                                                               \
        variant_rows rows = open_rows(call);                                                                           \
        const variant *v = &rows.v;                                                                                    \
        EACH_VARIANT(call, &rows, row) {                                                                               \
            enum variant_kind kind = kind_of(v);                                                                       \
            if (fits)                                                                                                  \
                RESULT(call, type)[row] = (type)(value);                                                               \
            else                                                                                                       \
                set_null(call, row);                                                                                   \
        }                                                                                                              \
        free_value(&rows.variants);                                                                                    \
    }
PLAIN_ROWS(int, int32_t, kind == KIND_LONG && long_of(v) == (int32_t)long_of(v), long_of(v))
PLAIN_ROWS(bigint, int64_t, kind == KIND_LONG, long_of(v))
PLAIN_ROWS(double, double, kind == KIND_DOUBLE || kind == KIND_LONG, kind == KIND_LONG ? (double)long_of(v) : double_of_variant(v))

static int plain_decimal(const variant_decimal *decimal, char into[96]) {
    uint128 rest = decimal->unscaled < 0 ? -(uint128)decimal->unscaled : (uint128)decimal->unscaled;
    char reversed[48];
    int count = 0, at = 0;
    do
        reversed[count++] = (char)('0' + (int)(rest % 10));
    while ((rest /= 10) || count <= decimal->scale);
    if (decimal->unscaled < 0)
        into[at++] = '-';
    while (count) {
        if (count == decimal->scale)
            into[at++] = '.';
        into[at++] = reversed[--count];
    }
    return at;
}

static void decimal_text_rows(native_call *call) {
    variant_rows rows = open_rows(call);
    variant_decimal decimal;
    char shown[96];
    EACH_VARIANT(call, &rows, row) {
        if (kind_of(&rows.v) == KIND_DECIMAL && decimal_of(&rows.v, &decimal))
            set_text(call, row, shown, (size_t)plain_decimal(&decimal, shown));
        else
            set_null(call, row);
    }
    free_value(&rows.variants);
}

/* --- JSON --- */

static bool json_members(const variant *v, const zone_rules *zone, buffer *out) {
    variant_nest nest;
    variant member;
    text key;
    bool object = kind_of(v) == KIND_OBJECT;
    if (!open_nest(v, &nest))
        return false;
    add_byte(out, object ? '{' : '[');
    for (uint32_t i = 0; i < nest.count; i++) {
        if (i)
            add_byte(out, ',');
        if (!next_member(v, &nest, i, &member) || (object && !string_key_at(v, &nest, i, &key)))
            return false;
        if (object) {
            add_quoted(out, key, false);
            add_byte(out, ':');
        }
        if (!variant_json(&member, zone, out))
            return false;
    }
    add_byte(out, object ? '}' : ']');
    return true;
}

static void json_number(buffer *out, const char *shown, int length, bool finite) {
    if (!finite)
        add_byte(out, '"');
    add_bytes(out, shown, (size_t)length);
    if (!finite)
        add_byte(out, '"');
}

/* Years that Java writes with four digits; others fall back to Spark. */
static bool add_date(buffer *out, int64_t days) {
    char shown[32];
    int64_t year;
    int month, day;
    civil_from_days(days, &year, &month, &day);
    add_bytes(out, shown, (size_t)snprintf(shown, sizeof shown, "%04d-%02d-%02d", (int)(year % 10000), month, day));
    return year >= 0 && year <= 9999;
}

/* The fraction without trailing zeros (ISO_LOCAL_TIME). */
static void add_clock(buffer *out, int64_t second, int64_t micro) {
    char shown[32];
    int length = snprintf(shown, sizeof shown, " %02d:%02d:%02d.%06d", (int)(second / 3600), (int)(second / 60 % 60), (int)(second % 60), (int)micro);
    while (shown[length - 1] == '0' && micro)
        length--;
    add_bytes(out, shown, (size_t)(micro ? length : 9));
}

static void add_offset(buffer *out, int32_t offset) {
    char shown[16];
    int minutes = (offset < 0 ? -offset : offset) / 60;
    bool negative = offset < 0 && minutes;
    add_bytes(out, shown, (size_t)snprintf(shown, sizeof shown, "%c%02d:%02d", negative ? '-' : '+', minutes / 60 % 100, minutes % 60));
}

static bool json_moment(const variant *v, const zone_rules *zone, buffer *out) {
    int64_t micros = long_of(v), micro = (micros % 1000000 + 1000000) % 1000000, second = (micros - micro) / 1000000;
    int32_t offset = zone ? offset_of_instant(zone, second) : 0;
    second += offset;
    int64_t of_day = (second % 86400 + 86400) % 86400;
    add_byte(out, '"');
    bool fine = add_date(out, (second - of_day) / 86400) && offset % 60 == 0;
    add_clock(out, of_day, micro);
    if (zone)
        add_offset(out, offset);
    add_byte(out, '"');
    return fine;
}

static void add_base64(buffer *out, text bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = (const unsigned char *)bytes.bytes;
    for (uint32_t i = 0; i < bytes.length; i += 3) {
        uint32_t left = bytes.length - i;
        uint32_t three = (uint32_t)at[i] << 16 | (left > 1 ? (uint32_t)at[i + 1] << 8 : 0) | (left > 2 ? at[i + 2] : 0);
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63], left > 1 ? digits[three >> 6 & 63] : '=', left > 2 ? digits[three & 63] : '='};
        add_bytes(out, four, 4);
    }
}

static bool json_scalar(const variant *v, const zone_rules *zone, buffer *out) {
    char shown[96];
    text bytes;
    variant_decimal decimal;
    switch (kind_of(v)) {
    case KIND_NULL: add_bytes(out, "null", 4); return true;
    case KIND_LONG: add_bytes(out, shown, (size_t)snprintf(shown, sizeof shown, "%lld", (long long)long_of(v))); return true;
    case KIND_DOUBLE: json_number(out, shown, java_double_text(double_of_variant(v), shown), isfinite(double_of_variant(v))); return true;
    case KIND_FLOAT: json_number(out, shown, java_float_text(float_of_variant(v), shown), isfinite(float_of_variant(v))); return true;
    case KIND_DECIMAL:
        if (!decimal_of(v, &decimal))
            return false;
        add_bytes(out, shown, (size_t)plain_decimal(&decimal, shown));
        return true;
    case KIND_TIMESTAMP: return json_moment(v, zone, out);
    case KIND_TIMESTAMP_NTZ: return json_moment(v, NULL, out);
    case KIND_STRING:
        if (bytes_of(v, &bytes))
            add_quoted(out, bytes, false);
        return true;
    default: return false;
    }
}

bool variant_json(const variant *v, const zone_rules *zone, buffer *out) {
    text bytes;
    switch (kind_of(v)) {
    case KIND_OBJECT:
    case KIND_ARRAY: return json_members(v, zone, out);
    case KIND_BOOLEAN: {
        bool is_true = (unsigned char)v->value.bytes[v->at] >> 2 == PRIMITIVE_TRUE;
        add_bytes(out, is_true ? "true" : "false", is_true ? 4 : 5);
        return true;
    }
    case KIND_DATE: {
        add_byte(out, '"');
        bool fine = add_date(out, long_of(v));
        add_byte(out, '"');
        return fine;
    }
    case KIND_BINARY:
        if (!bytes_of(v, &bytes))
            return false;
        add_byte(out, '"');
        add_base64(out, bytes);
        add_byte(out, '"');
        return true;
    default: return json_scalar(v, zone, out);
    }
}

static void json_rows(native_call *call) {
    variant_rows rows = open_rows(call);
    buffer out = {0};
    zone_rules zone;
    EACH_VARIANT(call, &rows, row) {
        out.length = 0;
        if (find_zone(argument_text(call, 1, row), &zone) != ZONE_KNOWN || !variant_json(&rows.v, &zone, &out))
            fall_back(call, "VARIANT_VALUE", "a value that only Spark writes as JSON");
        else
            set_text(call, row, out.bytes, out.length);
    }
    release(out.bytes);
    free_value(&rows.variants);
}

static void valid_rows(native_call *call) {
    value_column variants = value_argument(call, 0);
    variant v;
    EACH_ROW(call, row) {
        if (variant_argument(&variants, row, &v))
            RESULT(call, bool)[row] = well_formed(&v);
        else
            set_null(call, row);
    }
    free_value(&variants);
}

const native_function variant_functions[] = {
    {"spark_variant_kind", "A>i", kind_rows, NULL},
    {"spark_variant_long", "A>l", long_rows, NULL},
    {"spark_variant_double", "A>d", double_rows, NULL},
    {"spark_variant_float", "A>f", float_rows, NULL},
    {"spark_variant_string", "A>v", bytes_rows, NULL},
    {"spark_variant_binary", "A>x", bytes_rows, "bytes"},
    {"spark_variant_decimal_text", "A>v", decimal_text_rows, NULL},
    {"spark_variant_json", "Av>v", json_rows, NULL},
    {"spark_plain_string", "A>v", plain_string_rows, NULL},
    {"spark_plain_int", "A>i", plain_int_rows, NULL},
    {"spark_plain_bigint", "A>l", plain_bigint_rows, NULL},
    {"spark_plain_double", "A>d", plain_double_rows, NULL},
    {"spark_is_valid_variant", "A>b", valid_rows, NULL},
    {NULL},
};
