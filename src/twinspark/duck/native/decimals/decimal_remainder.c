/* `%` and `div` of decimals as java.math.BigDecimal divides, checked against the result's precision (decimal.c spells them). */
#include "decimals/decimal.h"

/* java.math.BigDecimal throws for integer quotients of more than 39 digits (trailing zeros do not count). */
static bool quotient_impossible(uint256 quotient) {
    char digits[80];
    int count = wide_digits(quotient, digits);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count > 39;
}

/* True if the row is finished: NULL or an error. */
static bool whole_division_refused(native_call *call, idx_t row, int128 divisor, const char *condition) {
    if (divisor != 0)
        return false;
    if (condition)
        spark_error(call, condition, "config", ANSI_CONFIG, NULL);
    else
        set_null(call, row);
    return true;
}

/* The remainder takes the sign of the dividend (Java); pmod's takes the divisor's side. */
static void remainder_rows(native_call *call) {
    bool raise = call->function->extra != NULL;
    decimal_column left, right;
    if (!decimal_argument(call, 0, &left) || !decimal_argument(call, 1, &right))
        return;
    operands of = {.left_scale = left.scale, .right_scale = right.scale, .scale = call->scale};
    int common = left.scale > right.scale ? left.scale : right.scale;
    EACH_ROW(call, row) {
        of.left = decimal_at(&left, row);
        of.right = decimal_at(&right, row);
        if (whole_division_refused(call, row, of.right, raise ? "REMAINDER_BY_ZERO" : NULL))
            continue;
        uint256 remainder, quotient = whole_quotient(&of, &remainder);
        if (!fits_128(&quotient) && quotient_impossible(quotient)) {
            fall_back(call, "DECIMAL_PRECISION", "a remainder whose quotient has too many digits");
            continue;
        }
        char value[200], digits[80];
        int count = wide_digits(remainder, digits);
        scale_down(&remainder, common - of.scale);
        int precision = precision_argument(call, 2, row);
        if (!fits_128(&remainder) || low_128(&remainder) >= power_of_ten[precision]) {
            write_decimal(value, sizeof value, digits, count, common, of.left < 0);
            if (raise)
                decimal_out_of_range(call, plain_text(value), precision, of.scale);
            else
                set_null(call, row);
            continue;
        }
        int128 magnitude = (int128)low_128(&remainder);
        RESULT(call, stored_int128)[row] = of.left < 0 ? -magnitude : magnitude;
    }
}

/* `div`: the whole quotient, checked against its precision, then its low 64 bits (as Decimal.toLong). */
static void integral_rows(native_call *call) {
    bool raise = call->function->extra != NULL;
    decimal_column left, right;
    if (!decimal_argument(call, 0, &left) || !decimal_argument(call, 1, &right))
        return;
    operands of = {.left_scale = left.scale, .right_scale = right.scale};
    EACH_ROW(call, row) {
        of.left = decimal_at(&left, row);
        of.right = decimal_at(&right, row);
        if (whole_division_refused(call, row, of.right, raise ? "DIVIDE_BY_ZERO" : NULL))
            continue;
        uint256 remainder, quotient = whole_quotient(&of, &remainder);
        bool negative = (of.left < 0) != (of.right < 0);
        int precision = precision_argument(call, 2, row);
        if (!fits_128(&quotient) && quotient_impossible(quotient)) {
            fall_back(call, "DECIMAL_PRECISION", "a remainder whose quotient has too many digits");
        } else if (!fits_128(&quotient) || low_128(&quotient) >= power_of_ten[precision]) {
            char value[100], digits[80];
            write_decimal(value, sizeof value, digits, wide_digits(quotient, digits), 0, negative);
            if (raise)
                decimal_out_of_range(call, plain_text(value), precision, 0);
            else
                set_null(call, row);
        } else
            RESULT(call, int64_t)[row] = (int64_t)(negative ? -quotient.limb[0] : quotient.limb[0]);
    }
}

const native_function decimal_whole_functions[] = {
    {"spark_decimal_remainder", "AAi>#", remainder_rows, ""},
    {"spark_decimal_remainder_try", "AAi>#", remainder_rows, NULL},
    {"spark_decimal_integral_divide", "AAi>l", integral_rows, ""},
    {"spark_decimal_integral_divide_try", "AAi>l", integral_rows, NULL},
    {NULL}};
