/* ceil, floor, round and bround of decimals and integers to any number of digits before or after the point.
 *
 * SQL spelling: spark_decimal_<ceil|floor|round|bround>_<s>(value, digits, precision) -> DECIMAL(38, s); value is a decimal
 * or a whole number, s is the scale of Spark's result type and precision its precision; the writer casts to the exact type. */
#include "numbers/wide.h"

enum { UP, DOWN, HALF_UP, HALF_EVEN };

/* Whether the magnitude's quotient grows by one, for a rest of a division. */
static bool grows(int how, bool negative, uint128 quotient, uint128 rest, uint128 divisor) {
    if (rest == 0)
        return false;
    if (how == UP || how == DOWN)
        return negative == (how == DOWN);
    uint128 other = divisor - rest;
    return rest > other || (rest == other && (how == HALF_UP || (quotient & 1)));
}

static uint128 quotient_of(uint128 magnitude, int dropped, int how, bool negative) {
    if (dropped <= 0)
        return magnitude;
    if (dropped > 38) /* less than half of the last place, whatever the digits are */
        return grows(how, negative, 0, magnitude != 0, 3);
    uint128 divisor = power_of_ten[dropped], quotient = magnitude / divisor;
    return quotient + grows(how, negative, quotient, magnitude % divisor, divisor);
}

static void rounded_rows(native_call *call) {
    static const int kinds[] = {UP, DOWN, HALF_UP, HALF_EVEN};
    int how = kinds[((const char *)call->function->extra)[0] - '0'];
    decimal_column column;
    if (!decimal_argument(call, 0, &column))
        return;
    EACH_ROW(call, row) {
        int128 value = decimal_at(&column, row);
        int digits = ARGUMENT(call, int32_t, 1)[row], precision = precision_argument(call, 2, row);
        int dropped = digits < column.scale - 100 ? 100 : column.scale - digits;
        bool negative = value < 0;
        uint256 wide = widen(quotient_of(negative ? -(uint128)value : (uint128)value, dropped, how, negative));
        int zeros = call->scale - (dropped > 0 ? column.scale - dropped : column.scale);
        if (low_128(&wide) && (!scale_up(&wide, zeros) || !fits_128(&wide) || low_128(&wide) >= power_of_ten[precision])) {
            fall_back(call, "DECIMAL_PRECISION", "round beyond the type");
            continue;
        }
        RESULT(call, stored_int128)[row] = negative ? -(int128)low_128(&wide) : (int128)low_128(&wide);
    }
}

const native_function rounding_functions[] = {
    {"spark_decimal_ceil", "Aii>#", rounded_rows, "0"},
    {"spark_decimal_floor", "Aii>#", rounded_rows, "1"},
    {"spark_decimal_round", "Aii>#", rounded_rows, "2"},
    {"spark_decimal_bround", "Aii>#", rounded_rows, "3"},
    {NULL}};
