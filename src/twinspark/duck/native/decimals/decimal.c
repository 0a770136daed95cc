/* Decimal arithmetic as Spark does it: exact, rounded HALF_UP to the result's scale, checked against its precision.
 *
 * SQL spelling (functions/notation/decimal_sql.py prints it): arguments are DECIMALs of any width and scale or whole numbers, passed as they are;
 * the result's scale is in the name, its precision is the last argument, and the writer casts to the exact type:
 *     CAST(spark_decimal_divide_6(a, b, 38) AS DECIMAL(38,6))          ANSI: raises on overflow and division by zero
 *     CAST(spark_decimal_divide_try_6(a, b, 38) AS DECIMAL(38,6))      NULL instead
 *     spark_decimal_product_31_4(a, b)                                 of a type that holds every product exactly
 * Why the type is in the name: a C function's result type is fixed when it is registered, so there is one for each. */
#include "decimals/decimal.h"
#include <stdio.h>

const uint128 power_of_ten[39] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
    10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
#define E19 ((uint128)10000000000000000000ULL)
    E19, E19 * 10, E19 * 100, E19 * 1000, E19 * 10000, E19 * 100000, E19 * 1000000, E19 * 10000000, E19 * 100000000,
    E19 * 1000000000, E19 * 10000000000, E19 * 100000000000, E19 * 1000000000000, E19 * 10000000000000,
    E19 * 100000000000000, E19 * 1000000000000000, E19 * 10000000000000000, E19 * 100000000000000000,
    E19 * 1000000000000000000, E19 * E19};

int wide_digits(uint256 value, char *digits) {
    char reversed[80];
    int count = 0;
    do
        reversed[count++] = (char)('0' + divide_by_64(&value, 10));
    while (value.limb[0] | value.limb[1] | value.limb[2] | value.limb[3]);
    for (int i = 0; i < count; i++)
        digits[i] = reversed[count - 1 - i];
    return count;
}

bool decimal_argument(native_call *call, int argument, decimal_column *column) {
    static const int bytes_of[] = {[TYPE_TINYINT] = 1, [TYPE_SMALLINT] = 2, [TYPE_INTEGER] = 4, [TYPE_BIGINT] = 8,
                                   [TYPE_HUGEINT] = 16};
    static const int digits_of[] = {[TYPE_TINYINT] = 3, [TYPE_SMALLINT] = 5, [TYPE_INTEGER] = 10, [TYPE_BIGINT] = 20,
                                    [TYPE_HUGEINT] = 38};
    duckdb_vector vector = duckdb_data_chunk_get_vector(call->chunk, (idx_t)argument);
    duckdb_logical_type type = duckdb_vector_get_column_type(vector);
    int id = duckdb_get_type_id(type);
    *column = (decimal_column){.data = call->data[argument]};
    if (id == TYPE_DECIMAL) {
        column->precision = duckdb_decimal_width(type);
        column->scale = duckdb_decimal_scale(type);
        id = duckdb_decimal_internal_type(type);
    } else if (id <= TYPE_HUGEINT)
        column->precision = digits_of[id];
    column->bytes = id <= TYPE_HUGEINT ? bytes_of[id] : 0;
    duckdb_destroy_logical_type(&type);
    if (!column->bytes)
        misuse(call, "twinspark: a decimal function was given something else than a decimal or a whole number");
    return column->bytes != 0;
}

/* --- a result, before it is checked --- */

typedef struct { uint256 magnitude; bool negative, overflow; } scaled; /* at the result's scale, already rounded */

/* left / right at the result's scale, HALF_UP. Java divides at scale 39 rounding down, then HALF_UP: the same digits. */
static inline scaled divide(const operands *of) {
    scaled result = {.negative = (of->left < 0) != (of->right < 0)};
    uint128 divisor = magnitude_of(of->right);
    result.magnitude = widen(magnitude_of(of->left));
    int shift = of->scale + of->right_scale - of->left_scale;
    if (shift >= 0) {
        if (!scale_up(&result.magnitude, shift)) {
            result.overflow = true; /* over 2^256 / 10^38: more than 38 digits for sure */
            return result;
        }
    } else {
        uint256 wide = widen(divisor);
        if (!scale_up(&wide, -shift) || !fits_128(&wide)) {
            result.magnitude = widen(0); /* the divisor is more than twice as large */
            return result;
        }
        divisor = low_128(&wide);
    }
    uint128 rest = divide_by_128(&result.magnitude, divisor);
    if (rest >= divisor - rest)
        add_wide(&result.magnitude, &(uint256){{1, 0, 0, 0}});
    return result;
}

static inline scaled multiply(const operands *of) {
    scaled result = {.negative = (of->left < 0) != (of->right < 0)};
    result.magnitude = multiply_wide(magnitude_of(of->left), magnitude_of(of->right));
    scale_down(&result.magnitude, of->left_scale + of->right_scale - of->scale);
    return result;
}

/* The signed sum at the larger scale, then rounded to the result's. */
static inline scaled add_signed(const operands *of, bool negate_right) {
    int common = of->left_scale > of->right_scale ? of->left_scale : of->right_scale;
    uint256 left = widen(magnitude_of(of->left)), right = widen(magnitude_of(of->right));
    bool left_negative = of->left < 0, right_negative = (of->right < 0) != negate_right;
    scale_up(&left, common - of->left_scale);
    scale_up(&right, common - of->right_scale);
    scaled result = {.negative = left_negative};
    if (left_negative == right_negative) {
        add_wide(&left, &right);
        result.magnitude = left;
    } else if (compare_wide(&left, &right) >= 0) {
        subtract_wide(&left, &right);
        result.magnitude = left;
    } else {
        subtract_wide(&right, &left);
        result.magnitude = right;
        result.negative = right_negative;
    }
    scale_down(&result.magnitude, common - of->scale);
    return result;
}
static inline scaled add(const operands *of) { return add_signed(of, false); }
static inline scaled subtract(const operands *of) { return add_signed(of, true); }

/* --- text of a value that is out of range, digit for digit as Java keeps it --- */

void write_decimal(char *into, size_t size, const char *digits, int count, int scale, bool negative) {
    size_t at = 0;
    if (negative)
        into[at++] = '-';
    for (int place = count - 1 > scale ? count - 1 : scale; place >= 0 && at + 2 < size; place--) {
        into[at++] = place < count ? digits[count - 1 - place] : '0';
        if (place == scale && scale > 0)
            into[at++] = '.';
    }
    into[at] = 0;
}

void decimal_out_of_range(native_call *call, text value, int precision, int scale) {
    char digits[2][12];
    snprintf(digits[0], sizeof digits[0], "%d", precision);
    snprintf(digits[1], sizeof digits[1], "%d", scale);
    spark_error_text(call, "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", "value", value, "precision", digits[0], "scale",
                     digits[1], "config", ANSI_CONFIG, NULL);
}

/* Long division by hand, one digit at a time: whole part and 39 digits after the point, rounded down. */
static void quotient_text(const operands *of, char *into, size_t size) {
    uint256 remainder, quotient = whole_quotient(of, &remainder);
    int common = of->left_scale > of->right_scale ? of->left_scale : of->right_scale;
    uint256 right = widen(magnitude_of(of->right));
    scale_up(&right, common - of->right_scale);
    char digits[160];
    int count = wide_digits(quotient, digits);
    for (int i = 0; i < 39; i++) {
        char digit = '0';
        scale_up(&remainder, 1);
        for (; compare_wide(&remainder, &right) >= 0; digit++)
            subtract_wide(&remainder, &right);
        digits[count++] = digit;
    }
    write_decimal(into, size, digits, count, 39, (of->left < 0) != (of->right < 0));
}

/* The exact product truncated to 39 digits. */
static void product_text(const operands *of, char *into, size_t size) {
    uint256 product = multiply_wide(magnitude_of(of->left), magnitude_of(of->right));
    char digits[80];
    int count = wide_digits(product, digits), scale = of->left_scale + of->right_scale;
    if (count > 39) {
        scale -= count - 39;
        count = 39;
    }
    for (; scale < 0 && count < 79; scale++) /* Spark shows a negative scale as zeros */
        digits[count++] = '0';
    write_decimal(into, size, digits, count, scale, (of->left < 0) != (of->right < 0));
}

static void sum_text(const operands *of, bool negate_right, char *into, size_t size) {
    operands exact = *of;
    exact.scale = of->left_scale > of->right_scale ? of->left_scale : of->right_scale;
    scaled sum = add_signed(&exact, negate_right);
    char digits[80];
    int count = wide_digits(sum.magnitude, digits);
    write_decimal(into, size, digits, count, exact.scale, sum.negative);
}

/* --- kernels --- */

enum operation { DIVIDE, MULTIPLY, ADD, SUBTRACT };

static void out_of_range(native_call *call, enum operation operation, const operands *of, int precision) {
    char value[200];
    if (operation == DIVIDE)
        quotient_text(of, value, sizeof value);
    else if (operation == MULTIPLY)
        product_text(of, value, sizeof value);
    else
        sum_text(of, operation == SUBTRACT, value, sizeof value);
    decimal_out_of_range(call, plain_text(value), precision, of->scale);
}

/* Two 64-bit numbers whose dividend grows to 128 bits: what a quotient of prices is. */
static inline bool divide_middle(const operands *of, int128 *result) {
    int shift = of->scale + of->right_scale - of->left_scale;
    if (shift < 0 || shift > 19 || of->left != (int64_t)of->left || of->right != (int64_t)of->right)
        return false;
    uint64_t left = (uint64_t)magnitude_of(of->left), divisor = (uint64_t)magnitude_of(of->right);
    uint128 dividend = (uint128)left * (uint64_t)power_of_ten[shift], quotient = dividend / divisor;
    uint64_t rest = (uint64_t)dividend - (uint64_t)quotient * divisor;
    quotient += rest >= divisor - rest;
    *result = (of->left < 0) != (of->right < 0) ? -(int128)quotient : (int128)quotient;
    return true;
}

/* Two 64-bit factors whose product needs no rounding, prices and quantities above all: one multiplication. */
static inline bool multiply_small(const operands *of, int128 *product) {
    if (of->left_scale + of->right_scale != of->scale || of->left != (int64_t)of->left || of->right != (int64_t)of->right)
        return false;
    *product = (int128)(int64_t)of->left * (int64_t)of->right;
    return true;
}

static inline scaled operate(enum operation operation, const operands *of) {
    switch (operation) {
    case DIVIDE: return divide(of);
    case MULTIPLY: return multiply(of);
    case ADD: return add(of);
    default: return subtract(of);
    }
}

/* A column's values in 64 bits, in `room` where they are not yet; NULL where one needs more. */
static const int64_t *near_values(const decimal_column *column, int64_t *room, idx_t rows) {
    const stored_int128 *values = column->data;
    int64_t more = 0;
    if (column->bytes == 8)
        return column->data;
    for (idx_t row = 0; row < rows; row++)
        if (column->bytes == 16) {
            room[row] = (int64_t)values[row];
            more |= (int64_t)(values[row] >> 64) ^ (room[row] >> 63);
        } else
            room[row] = (int64_t)decimal_at(column, row);
    return more ? NULL : room;
}

/* n / divisor for n below 2^63 by one multiplication: T. Granlund and P. Montgomery, "Division by invariant integers using
 * multiplication" (1994). The divisor is no power of two. */
typedef struct { uint64_t divisor, factor; int shift; } near_divider;
static near_divider near_divider_of(uint64_t divisor) {
    int bits = 64 - __builtin_clzll(divisor);
    return (near_divider){divisor, (uint64_t)(((uint128)1 << (63 + bits)) / divisor + 1), bits - 1};
}
static inline uint64_t divide_near(uint64_t n, const near_divider *by) {
    return (uint64_t)((uint128)n * by->factor >> 64) >> by->shift;
}

/* Not below any of the values' magnitudes. */
MANY_LANES static uint64_t largest_of(const int64_t *values, idx_t rows) {
    uint64_t bits = 0;
    for (idx_t row = 0; row < rows; row++)
        bits |= (uint64_t)(values[row] ^ -(int64_t)(values[row] < 0));
    return bits + 1;
}

/* a b / d, HALF_UP, as (a / d) b + ((a % d) b + d / 2) / d: no step is wider than a product of two words. */
static void multiply_split(const int64_t *lefts, const int64_t *rights, near_divider by, stored_int128 *out, idx_t rows) {
    for (idx_t row = 0; row < rows; row++) {
        int64_t a = lefts[row], b = rights[row];
        uint128 sign = (uint128)((int128)(a ^ b) >> 127); /* all ones where it is negative */
        uint64_t left = magnitude_of_64(a), right = magnitude_of_64(b), whole = divide_near(left, &by);
        uint64_t rest = divide_near((left - whole * by.divisor) * right + by.divisor / 2, &by);
        out[row] = (int128)((((uint128)whole * right + rest) ^ sign) - sign);
    }
}

static void multiply_long(const int64_t *lefts, const int64_t *rights, uint64_t divisor, stored_int128 *out, idx_t rows) {
    divider by = divider_of(divisor);
    for (idx_t row = 0; row < rows; row++) {
        int64_t a = lefts[row], b = rights[row];
        uint64_t rest;
        uint128 sign = (uint128)((int128)(a ^ b) >> 127);
        uint128 product = (uint128)magnitude_of_64(a) * magnitude_of_64(b), quotient = divide_known(product, &by, &rest);
        quotient += rest >= by.divisor - rest;
        out[row] = (int128)((quotient ^ sign) - sign);
    }
}

/* A chunk of 64-bit factors whose products are rounded, by a divisor that is the same for every row: 38 digits hold them. */
enum { CHUNK = 2048 };
static bool multiply_near(const decimal_column *left, const decimal_column *right, int scale, stored_int128 *out, idx_t rows) {
    int64_t room[2][CHUNK];
    int dropped = left->scale + right->scale - scale;
    if (dropped < 1 || dropped > 19 || rows > CHUNK)
        return false;
    const int64_t *lefts = near_values(left, room[0], rows), *rights = near_values(right, room[1], rows);
    if (!lefts || !rights)
        return false;
    uint64_t divisor = (uint64_t)power_of_ten[dropped], most = (UINT64_MAX >> 1) / divisor - 1;
    uint64_t left_most = largest_of(lefts, rows), right_most = largest_of(rights, rows);
    if (right_most <= most && left_most <= INT64_MAX)
        multiply_split(lefts, rights, near_divider_of(divisor), out, rows);
    else if (left_most <= most && right_most <= INT64_MAX)
        multiply_split(rights, lefts, near_divider_of(divisor), out, rows);
    else
        multiply_long(lefts, rights, divisor, out, rows);
    return true;
}

/* Inlined once for each operation, so that the row loop knows which one it runs. */
static inline __attribute__((always_inline)) void binary_rows(native_call *call, enum operation operation, bool raise) {
    decimal_column left, right;
    if (!decimal_argument(call, 0, &left) || !decimal_argument(call, 1, &right))
        return;
    int precision = call->precision ? call->precision : call->rows ? precision_argument(call, 2, 0) : 1;
    stored_int128 *out = RESULT(call, stored_int128);
    if (operation == MULTIPLY && precision == 38 && multiply_near(&left, &right, call->scale, out, call->rows))
        return;
    operands of = {.left_scale = left.scale, .right_scale = right.scale, .scale = call->scale};
    EACH_ROW(call, row) {
        of.left = decimal_at(&left, row);
        of.right = decimal_at(&right, row);
        if (operation == DIVIDE && of.right == 0) {
            if (raise)
                spark_error(call, "DIVIDE_BY_ZERO", "config", ANSI_CONFIG, NULL);
            else
                set_null(call, row);
            continue;
        }
        int128 found;
        if (((operation == MULTIPLY && multiply_small(&of, &found)) ||
             (operation == DIVIDE && divide_middle(&of, &found))) && magnitude_of(found) < power_of_ten[precision]) {
            out[row] = found;
            continue;
        }
        scaled result = operate(operation, &of);
        uint128 magnitude = low_128(&result.magnitude);
        if (result.overflow || !fits_128(&result.magnitude) || magnitude >= power_of_ten[precision]) {
            if (raise)
                out_of_range(call, operation, &of, precision);
            else
                set_null(call, row);
            continue;
        }
        out[row] = result.negative ? -(int128)magnitude : (int128)magnitude;
    }
}

#define ARITHMETIC(name, operation)                                                                                    \
    static void name##_rows(native_call *call) { binary_rows(call, operation, true); }                                 \
    static void name##_try_rows(native_call *call) { binary_rows(call, operation, false); }
ARITHMETIC(divide, DIVIDE)
ARITHMETIC(multiply, MULTIPLY)
ARITHMETIC(add, ADD)
ARITHMETIC(subtract, SUBTRACT)

/* A product that is exact and never overflows: no row needs a check, not even for NULL. */
static void product_rows(native_call *call) {
    decimal_column left, right;
    if (!decimal_argument(call, 0, &left) || !decimal_argument(call, 1, &right))
        return;
    const int64_t *left_values = left.data, *right_values = right.data;
    stored_int128 *out = RESULT(call, stored_int128);
    if (left.bytes == 8 && right.bytes == 8)
        for (idx_t row = 0; row < call->rows; row++)
            out[row] = (int128)left_values[row] * right_values[row];
    else
        for (idx_t row = 0; row < call->rows; row++)
            out[row] = (int128)((uint128)decimal_at(&left, row) * (uint128)decimal_at(&right, row));
}

const native_function decimal_functions[] = {
    {"spark_decimal_divide", "AAi>#", divide_rows, NULL},
    {"spark_decimal_divide_try", "AAi>#", divide_try_rows, NULL},
    {"spark_decimal_quotient", "AA>%", divide_rows, NULL},
    {"spark_decimal_product", "AA>%", product_rows, NULL},
    {"spark_decimal_multiply", "AAi>#", multiply_rows, NULL},
    {"spark_decimal_multiply_try", "AAi>#", multiply_try_rows, NULL},
    {"spark_decimal_add", "AAi>#", add_rows, NULL},
    {"spark_decimal_add_try", "AAi>#", add_try_rows, NULL},
    {"spark_decimal_subtract", "AAi>#", subtract_rows, NULL},
    {"spark_decimal_subtract_try", "AAi>#", subtract_try_rows, NULL},
    {NULL}};
