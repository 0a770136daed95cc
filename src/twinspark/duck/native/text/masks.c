/* mask, luhn_check and chr.
 *
 * SQL spelling: spark_mask(s, upper, lower, digit, other), where an empty mark keeps the letters of its kind; letters beyond
 * ASCII go to Spark. spark_luhn_check(s), spark_chr(n). */
#include "core/utf8.h"

enum kind { UPPER = 1, LOWER, DIGIT, OTHER };

static inline enum kind kind_of(unsigned char c) {
    if (c >= 'A' && c <= 'Z')
        return UPPER;
    if (c >= 'a' && c <= 'z')
        return LOWER;
    return c >= '0' && c <= '9' ? DIGIT : OTHER;
}

/* The replacement of each ASCII character with this row's marks, itself if its kind has none. */
typedef struct { char bytes[128][4]; unsigned char length[128]; bool single; } mask_table;

static void fill_table(const native_call *call, idx_t row, mask_table *table) {
    table->single = true;
    for (int c = 0; c < 128; c++) {
        text mark = argument_text(call, (int)kind_of((unsigned char)c), row);
        bool kept = mark.length == 0 || mark.length > 4;
        table->length[c] = (unsigned char)(kept ? 1 : mark.length);
        table->bytes[c][0] = (char)c;
        if (!kept)
            memcpy(table->bytes[c], mark.bytes, mark.length);
        table->single &= table->length[c] == 1;
    }
}

static bool same_marks(const native_call *call, idx_t row, idx_t before) {
    for (int argument = UPPER; argument <= OTHER; argument++) {
        text here = argument_text(call, argument, row), there = argument_text(call, argument, before);
        if (here.length != there.length || memcmp(here.bytes, there.bytes, here.length))
            return false;
    }
    return true;
}

static void mask_rows(native_call *call) {
    mask_table table;
    idx_t filled = UINT64_MAX;
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        if (filled == UINT64_MAX || !same_marks(call, row, filled)) {
            fill_table(call, row, &table);
            filled = row;
        }
        if (!is_ascii(value)) {
            fall_back(call, "FUNCTION_ROW_VALUE", "mask of letters outside ASCII");
            continue;
        }
        char *into = room_for_text(call, 4 * (size_t)value.length), *at = into;
        if (table.single)
            for (uint32_t i = 0; i < value.length; i++)
                *at++ = table.bytes[(unsigned char)value.bytes[i]][0];
        else
            for (uint32_t i = 0; i < value.length; at += table.length[(unsigned char)value.bytes[i++]])
                memcpy(at, table.bytes[(unsigned char)value.bytes[i]], 4);
        set_written(call, row, (size_t)(at - into));
    }
}

/* Every second digit from the right counts twice, and the sum of all digits is a multiple of ten. */
static bool has_check_digit(text value) {
    static const unsigned char twice[] = {0, 2, 4, 6, 8, 1, 3, 5, 7, 9};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < value.length; i++) {
        unsigned digit = (unsigned)(unsigned char)value.bytes[i] - '0';
        if (digit > 9)
            return false;
        sum += (value.length - i) % 2 ? digit : twice[digit];
    }
    return value.length && sum % 10 == 0;
}

static void luhn_rows(native_call *call) {
    EACH_ROW(call, row)
        RESULT(call, bool)[row] = has_check_digit(argument_text(call, 0, row));
}

/* chr: the character of the lowest byte; of negative numbers none. */
static void character_rows(native_call *call) {
    const int64_t *numbers = ARGUMENT(call, int64_t, 0);
    duckdb_string *out = RESULT(call, duckdb_string);
    for (idx_t row = 0; row < call->rows; row++) {
        uint32_t code = (uint32_t)numbers[row] & 255, wide = code >> 7;
        duckdb_string made = {.near = {.length = numbers[row] < 0 ? 0 : 1 + wide}};
        made.near.bytes[0] = (char)(numbers[row] < 0 ? 0 : wide ? 0xC0 | code >> 6 : code);
        made.near.bytes[1] = (char)(numbers[row] < 0 || !wide ? 0 : 0x80 | (code & 63));
        out[row] = made;
    }
}

const native_function mask_functions[] = {
    {"spark_mask", "vvvvv>v", mask_rows, NULL},
    {"spark_luhn_check", "v>b", luhn_rows, NULL},
    {"spark_chr", "l>v", character_rows, NULL},
    {NULL}};
