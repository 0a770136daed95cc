/* to_number and to_char with patterns such as `S$9,999.00` (ToNumberParser).
 *
 * SQL spelling: spark_to_number_<scale>(s, format) -> DECIMAL(38, scale), spark_try_to_number_<scale>(s, format), both with
 * _18_<scale> where the format has up to 18 digits,
 * spark_to_char(x, format) with x a DECIMAL or whole number. The format comes in capitals and is one that Spark takes. */
#include "core/utf8.h"
#include "numbers/wide.h"
#include <stdio.h>

enum { MOST_TOKENS = 64, MOST_DIGITS = 38 }; /* a format of Spark's has no more digits than a decimal */
/* kind: 0 or 9 digits (count), ',' '.' '$' 'S' 'M' '<' '>'. Digits right of the point never want to be exactly as many. */
typedef struct { char kind; int count; } token;
typedef struct { token tokens[MOST_TOKENS]; int count, before, after; } number_format;

static void add(number_format *into, char kind, int count) {
    if (into->count < MOST_TOKENS)
        into->tokens[into->count++] = (token){kind, count};
}

static bool read_format(text given, number_format *into) {
    *into = (number_format){.count = 0};
    bool point = false;
    if (given.length >= 2 && given.bytes[given.length - 2] == 'P')
        add(into, '<', 0);
    for (uint32_t i = 0; i < given.length;) {
        char c = given.bytes[i];
        if (c == '0' || c == '9') {
            uint32_t end = i;
            if (given.length > 2 * MOST_TOKENS)
                return false;
            while (end < given.length && (given.bytes[end] == '0' || given.bytes[end] == '9'))
                end++;
            add(into, point ? '9' : c, (int)(end - i));
            *(point ? &into->after : &into->before) += (int)(end - i);
            i = end;
            continue;
        }
        point |= c == '.' || c == 'D';
        add(into, c == 'D' ? '.' : c == 'G' ? ',' : c == 'P' ? '>' : c, 0);
        i += c == 'M' || c == 'P' ? 2 : 1;
    }
    return into->count < MOST_TOKENS && into->before <= MOST_DIGITS && into->after <= MOST_DIGITS;
}

/* --- reading --- */

typedef struct { text value; uint32_t at; bool point, open, close, negative, any; int after; int128 digits; } number_reader;

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F); }

/* Groups of digits are compared with the format's from the right. */
static bool fits_groups(const token *tokens, int first, int last, const int *sizes, int groups) {
    int group = groups - 1;
    for (int t = last; t >= first; t--) {
        if (tokens[t].kind == ',')
            continue;
        int size = group >= 0 ? sizes[group] : 0;
        if (tokens[t].kind == '0' ? size != tokens[t].count : size > tokens[t].count)
            return false;
        group--;
    }
    return group < 0;
}

static bool read_groups(number_reader *r, const token *tokens, int first, int last) {
    int sizes[MOST_TOKENS], groups = 0, size = 0;
    for (; r->at < r->value.length; r->at++) {
        char c = r->value.bytes[r->at];
        if (c >= '0' && c <= '9') {
            size++;
            r->any = true;
            r->after += r->point;
            if (r->digits > ((int128)1 << 123))
                return false;
            r->digits = r->digits * 10 + (c - '0');
        } else if (c == ',') {
            if (groups == MOST_TOKENS - 1)
                return false;
            sizes[groups++] = size;
            size = 0;
        } else if (!is_blank(c))
            break;
    }
    sizes[groups++] = size;
    return fits_groups(tokens, first, last, sizes, groups);
}

static bool read_mark(number_reader *r, char kind) {
    char c = r->at < r->value.length ? r->value.bytes[r->at] : 0;
    if (!c)
        return true; /* a text that ends has no sign, and misses none */
    if (kind == '.' && c == '.')
        r->point = true;
    else if ((kind == 'S' || kind == 'M') && c == '-')
        r->negative = !r->negative;
    else if (kind == '<' && c == '<')
        r->open = true;
    else if (kind == '>' && c == '>') {
        if (!r->open)
            return false;
        r->close = true;
        r->negative = !r->negative;
    } else if (!(kind == 'S' && c == '+') && !(kind == '$' && c == '$'))
        return kind != '$';
    r->at++;
    return true;
}

static bool is_digits(char kind) { return kind == '0' || kind == '9' || kind == ','; }

static bool read_number(const number_format *format, number_reader *r) {
    for (int t = 0; t < format->count; t++) {
        if (!is_digits(format->tokens[t].kind)) {
            if (!read_mark(r, format->tokens[t].kind))
                return false;
            continue;
        }
        int last = t;
        while (last + 1 < format->count && is_digits(format->tokens[last + 1].kind))
            last++;
        if (!read_groups(r, format->tokens, t, last))
            return false;
        t = last;
    }
    return r->at == r->value.length && r->open == r->close && r->any;
}

/* Where the format begins with a point, a text without one may have more digits than the type. */
static bool fits_precision(int128 digits, int precision) { return digits < (int128)power_of_ten[precision < 38 ? precision : 38]; }

/* The format of the row before is that of this one, nearly always. */
typedef struct { text given; number_format format; bool read; } known_format;
static bool same_format(known_format *known, text given) {
    bool same = known->given.bytes && known->given.length == given.length && !memcmp(known->given.bytes, given.bytes, given.length);
    if (!same) {
        known->given = given;
        known->read = read_format(given, &known->format);
    }
    return known->read;
}

/* Digits alone, where the format has nothing else: what most texts are. */
static bool read_plain(const number_format *format, text value, int64_t *digits) {
    const token *only = &format->tokens[0];
    uint32_t most = format->count == 1 && only->kind == '9' && only->count <= 18 ? (uint32_t)only->count : 0;
    if (!value.length || value.length > most)
        return false;
    unsigned char other = 0;
    *digits = 0;
    for (uint32_t i = 0; i < value.length; i++) {
        unsigned char digit = (unsigned char)(value.bytes[i] - '0');
        other |= digit > 9;
        *digits = 10 * *digits + digit;
    }
    return !other;
}

static void to_number_rows(native_call *call) {
    known_format known = {0};
    const number_format *format = &known.format;
    int64_t plain;
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), given = argument_text(call, 1, row);
        if (!call->scale && same_format(&known, given) && read_plain(format, value, &plain)) {
            set_decimal(call, row, plain);
            continue;
        }
        number_reader read = {.value = value};
        if (!is_ascii(value) || !same_format(&known, given)) {
            fall_back(call, "NUMBER_FORMAT", "a number outside ASCII");
            continue;
        }
        if (read_number(format, &read)) {
            bool large = false;
            for (; read.after < call->scale && !large; read.after++)
                large = __builtin_mul_overflow(read.digits, 10, &read.digits);
            if (large || !fits_precision(read.digits, format->before + format->after)) {
                fall_back(call, "NUMBER_FORMAT", "a number with more digits than its format");
                continue;
            }
            set_decimal(call, row, read.negative ? -read.digits : read.digits);
        } else if (call->function->extra) {
            char form[256];
            snprintf(form, sizeof form, "%.*s", (int)given.length, given.bytes);
            spark_error_text(call, "INVALID_FORMAT.MISMATCH_INPUT", "input", value, "inputType", "\"STRING\"", "format", form, NULL);
        } else
            set_null(call, row);
    }
}

/* --- writing --- */

typedef struct { char bytes[2 * MOST_TOKENS + 128]; int length; } written;

static void put(written *into, char c) {
    if ((size_t)into->length < sizeof into->bytes)
        into->bytes[into->length++] = c;
}

/* Moves a sign before trailing blanks. */
static void put_sign(written *into, char sign) {
    int at = into->length;
    put(into, sign);
    for (; at >= 1 && into->bytes[at - 1] == ' '; at--) {
        into->bytes[at] = ' ';
        into->bytes[at - 1] = sign;
    }
}

/* Moves a blank before trailing signs. */
static void put_blank(written *into) {
    int at = into->length;
    put(into, ' ');
    for (; at >= 1 && (into->bytes[at - 1] == '+' || into->bytes[at - 1] == '-' || into->bytes[at - 1] == '<'); at--) {
        into->bytes[at] = into->bytes[at - 1];
        into->bytes[at - 1] = ' ';
    }
}

static void strip_lone_point(written *into) {
    for (int i = 0; i < into->length; i++)
        if (into->bytes[i] == '.') {
            if (i == into->length - 1 || into->bytes[i + 1] == ' ')
                into->bytes[i] = ' ';
            return;
        }
}

/* The digits before and after the point, as many as the format has: leading blanks, trailing zeros, # if there are too many. */
static void split_digits(int128 value, int scale, const number_format *format, char *before, char *after) {
    char digits[64];
    int count = 0, places = scale;
    uint128 rest = value < 0 ? -(uint128)value : (uint128)value;
    for (; rest > UINT64_MAX; rest /= 10)
        digits[count++] = (char)('0' + (int)(rest % 10));
    for (uint64_t near = (uint64_t)rest; near; near /= 10)
        digits[count++] = (char)('0' + near % 10);
    while (count < scale)
        digits[count++] = '0';
    int whole = count - scale, dropped = 0;
    while (whole > 0 && digits[count - 1] == '0') {
        count--;
        whole--;
    }
    while (places > 0 && digits[dropped] == '0') {
        dropped++;
        places--;
    }
    bool over = whole > format->before || places > format->after;
    for (int i = 0; i < format->before; i++) {
        int at = i - (format->before - whole);
        before[i] = over ? '#' : at < 0 ? ' ' : digits[count - 1 - at];
    }
    for (int i = 0; i < format->after; i++)
        after[i] = over ? '#' : i < places ? digits[scale - 1 - i] : '0';
}

static void put_token(written *into, const token *of, bool negative, const char **digits, bool point) {
    switch (of->kind) {
    case '0': case '9':
        for (int i = 0; i < of->count; i++) {
            char c = *(*digits)++;
            if (c != ' ' || point)
                put(into, c);
            else if (of->kind == '0')
                put(into, '0');
            else
                put_blank(into);
        }
        break;
    case ',':
        if (into->length && into->bytes[into->length - 1] >= '0' && into->bytes[into->length - 1] <= '9')
            put(into, ',');
        else
            put_blank(into);
        break;
    case '$': put(into, '$'); break;
    case 'S':
        strip_lone_point(into);
        put_sign(into, negative ? '-' : '+');
        break;
    case 'M':
        if (negative) {
            strip_lone_point(into);
            put_sign(into, '-');
        } else
            put(into, ' ');
        break;
    case '<':
        if (negative)
            put(into, '<');
        break;
    default:
        strip_lone_point(into);
        if (negative)
            put_sign(into, '>');
        else {
            put(into, ' ');
            put(into, ' ');
        }
    }
}

static void put_point(written *into) {
    if (into->length && into->bytes[into->length - 1] == ' ')
        into->bytes[into->length - 1] = '0';
    put(into, '.');
}

static void write_number(const number_format *format, int128 value, int scale, written *into) {
    char before[128], after[128];
    split_digits(value, scale, format, before, after);
    const char *digits = before;
    bool point = false;
    into->length = 0;
    for (int t = 0; t < format->count; t++) {
        if (format->tokens[t].kind == '.') {
            put_point(into);
            point = true;
            digits = after;
        } else
            put_token(into, &format->tokens[t], value < 0, &digits, point);
    }
    strip_lone_point(into);
    bool sign = into->length == 1 && (into->bytes[0] == '+' || into->bytes[0] == '-');
    if (!into->length || sign) {
        into->bytes[0] = '0';
        into->length = 1;
    }
}

/* Digits around a point, and nothing else in the format: the digits of a number that fits, blanks before them. */
static bool is_plain_format(const number_format *format) {
    const token *tokens = format->tokens;
    return format->count == 3 && tokens[0].kind == '9' && tokens[1].kind == '.' && tokens[2].kind == '9' && format->before <= 18 &&
           format->after <= 18;
}

static void put_digits(char *into, int count, uint64_t value, char before) {
    for (int i = count - 1; i >= 0; i--, value /= 10)
        into[i] = value || i == count - 1 ? (char)('0' + value % 10) : before;
}

static bool write_plain(native_call *call, idx_t row, const number_format *format, int128 value, int scale) {
    int after = format->after, missing = after - scale;
    if (missing < 0 || scale > 18 || value != (int64_t)value || value == INT64_MIN)
        return false;
    uint64_t near = value < 0 ? (uint64_t)-value : (uint64_t)value, one = (uint64_t)power_of_ten[scale], whole = near / one;
    if (whole >= (uint64_t)power_of_ten[format->before])
        return false;
    char *into = room_for_text(call, (size_t)(format->before + 1 + after));
    put_digits(into, format->before, whole, ' ');
    into[format->before] = '.';
    put_digits(into + format->before + 1, after, (near - whole * one) * (uint64_t)power_of_ten[missing], '0');
    set_written(call, row, (size_t)(format->before + 1 + after));
    return true;
}

static void to_char_rows(native_call *call) {
    decimal_column column;
    known_format known = {0};
    written into;
    if (!decimal_argument(call, 0, &column))
        return;
    EACH_ROW(call, row) {
        text given = argument_text(call, 1, row);
        if (given.length > 100 || !same_format(&known, given))
            fall_back(call, "NUMBER_FORMAT", "a long format");
        else if (!is_plain_format(&known.format) || !write_plain(call, row, &known.format, decimal_at(&column, row), column.scale)) {
            write_number(&known.format, decimal_at(&column, row), column.scale, &into);
            set_text(call, row, into.bytes, (size_t)into.length);
        }
    }
}

const native_function number_format_functions[] = {
    {"spark_to_number", "vv>$", to_number_rows, ""},
    {"spark_try_to_number", "vv>$", to_number_rows, NULL},
    {"spark_to_number", "vv>#", to_number_rows, ""},
    {"spark_try_to_number", "vv>#", to_number_rows, NULL},
    {"spark_to_char", "Av>v", to_char_rows, NULL},
    {NULL}};
