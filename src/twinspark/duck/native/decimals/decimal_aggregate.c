/* sum and avg of decimals with Spark's types, rounding and overflow behaviour.
 *
 * SQL spelling:
 *     spark_decimal_sum_2(x, 38)         the sum of DECIMAL(p,2) values as DECIMAL(38,2), at most 38 digits
 *     spark_decimal_average_6(x, 38)     avg of DECIMAL(p,2): scale s+4 in the name, precision p+4 as argument
 * with _try: NULL instead of an error. The second argument is a constant; the first has exactly Spark's type. */
#include "numbers/shortest.h"
#include "numbers/wide.h"
#include <math.h>
#include <stdlib.h>

typedef struct {
    uint64_t low, high; /* the sum, 192 bits of two's complement; DuckDB aligns states to 8 bytes */
    int64_t top;
    uint64_t size_low, size_high; /* the sum without signs, of decimals long enough to overflow */
    double rough;                 /* the sum as Spark keeps it for short decimals, see by_doubles */
    int64_t count;
    int8_t precision, scale, input_scale;
    bool large, by_doubles;
} decimal_state;

static inline int128 sum_of(const decimal_state *state) { return (int128)((uint128)state->high << 64 | state->low); }
static inline void add_sum(decimal_state *state, uint128 value, int64_t top) {
    uint128 before = (uint128)sum_of(state), sum = before + value;
    state->low = (uint64_t)sum;
    state->high = (uint64_t)(sum >> 64);
    state->top += top + (sum < before);
}

static inline void add_size(decimal_state *state, uint128 size) {
    uint128 before = (uint128)state->size_high << 64 | state->size_low, sum = before + size;
    state->large |= sum < before || sum >= power_of_ten[38];
    state->size_low = (uint64_t)sum;
    state->size_high = (uint64_t)(sum >> 64);
}

static inline bool fits_38(const decimal_state *state) {
    int128 sum = sum_of(state);
    return state->top == -(sum < 0) && (sum < 0 ? -(uint128)sum : (uint128)sum) < power_of_ten[38];
}

/* A sum that fits but whose partial sums overflow in some order: Spark's result depends on the order of rows and on the kind
 * of its aggregation buffer, since only some kinds discard a partial sum of more than 38 digits. Falls back to Spark. */
static bool left_to_spark(native_call *call, const decimal_state *state) {
    if (state->large)
        fall_back(call, "AGGREGATE_OVERFLOW", "a sum of decimals");
    return state->large;
}

enum { LONG_DIGITS = 28 }; /* of shorter ones 10^10 rows would be needed to overflow */

/* avg of decimals up to precision 11 is a double average of the unscaled values (optimizer rule DecimalAggregates: p + 4 <= 15). */
enum { DOUBLE_DIGITS = 15 };

static void update(native_call *call, duckdb_aggregate_state *states) {
    decimal_column column;
    if (!decimal_argument(call, 0, &column))
        return;
    for (idx_t row = 0; row < call->rows; row++) {
        if (!argument_valid(call, 0, row))
            continue;
        decimal_state *state = (decimal_state *)states[row];
        if (!state->count) {
            state->precision = (int8_t)precision_argument(call, 1, row);
            state->input_scale = (int8_t)column.scale;
            state->by_doubles = column.precision + 4 <= DOUBLE_DIGITS;
        }
        state->count++;
        int128 value = decimal_at(&column, row);
        add_sum(state, (uint128)value, -(value < 0));
        if (column.precision > LONG_DIGITS)
            add_size(state, value < 0 ? -(uint128)value : (uint128)value);
        if (state->by_doubles)
            state->rough += (double)(int64_t)value;
    }
}

static void combine(void *into, const void *from) {
    decimal_state *target = into;
    const decimal_state *source = from;
    if (!source->count)
        return;
    if (!target->count) {
        *target = *source;
        return;
    }
    target->count += source->count;
    target->large |= source->large;
    target->rough += source->rough;
    add_sum(target, (uint128)sum_of(source), source->top);
    add_size(target, (uint128)source->size_high << 64 | source->size_low);
}

typedef struct { bool raise; const char *alternative; } failing;

static void lost_sum(native_call *call, const failing *how, idx_t row) {
    if (how->raise)
        spark_error(call, "ARITHMETIC_OVERFLOW", "message", "Overflow in sum of decimals", "alternative",
                    how->alternative, "config", ANSI_CONFIG, NULL);
    else
        set_null(call, row);
}

static void out_of_range(native_call *call, const failing *how, idx_t row, int128 unscaled, int value_scale, int precision) {
    if (!how->raise) {
        set_null(call, row);
        return;
    }
    char digits[80], value[200];
    int count = wide_digits(widen(unscaled < 0 ? -(uint128)unscaled : (uint128)unscaled), digits);
    size_t at = 0;
    if (unscaled < 0)
        value[at++] = '-';
    for (int place = count - 1 > value_scale ? count - 1 : value_scale; place >= 0; place--) {
        value[at++] = place < count ? digits[count - 1 - place] : '0';
        if (place == value_scale && value_scale)
            value[at++] = '.';
    }
    value[at] = 0;
    decimal_out_of_range(call, plain_text(value), precision, call->scale);
}

static void finish_sum(native_call *call, const decimal_state *state, idx_t row, const failing *how) {
    if (!state->count)
        set_null(call, row);
    else if (!fits_38(state))
        lost_sum(call, how, row);
    else if (!left_to_spark(call, state)) {
        int128 sum = sum_of(state);
        uint128 limit = power_of_ten[state->precision];
        if ((sum < 0 ? -(uint128)sum : (uint128)sum) >= limit)
            out_of_range(call, how, row, sum, call->scale, state->precision);
        else
            RESULT(call, stored_int128)[row] = sum;
    }
}

/* digits * 10^exponent at the scale, HALF_UP; false when over 38 digits. */
static bool digits_at_scale(decimal_digits number, int scale, uint256 *result) {
    *result = widen(number.digits);
    int shift = number.exponent + scale;
    if (shift > 0)
        return shift < 60 && scale_up(result, shift) && fits_128(result);
    if (shift < -20)
        *result = widen(0);
    else
        scale_down(result, -shift);
    return true;
}

/* (rough / count) / 10^s, then Spark's cast of that double to the result type. */
static bool average_of_doubles(const decimal_state *state, int scale, int128 *result) {
    double average = state->rough / (double)state->count / (double)(int64_t)power_of_ten[state->input_scale];
    uint256 magnitude;
    if (!digits_at_scale(java_double_digits(fabs(average)), scale, &magnitude) ||
        low_128(&magnitude) >= power_of_ten[state->precision])
        return false;
    *result = average < 0 ? -(int128)low_128(&magnitude) : (int128)low_128(&magnitude);
    return true;
}

static bool exact_average(const decimal_state *state, int scale, int128 *result) {
    int128 sum = sum_of(state);
    uint256 magnitude = widen(sum < 0 ? -(uint128)sum : (uint128)sum);
    uint64_t count = (uint64_t)state->count;
    if (!scale_up(&magnitude, scale - state->input_scale))
        return false;
    uint64_t rest = divide_by_64(&magnitude, count);
    if (rest >= count - rest)
        add_wide(&magnitude, &(uint256){{1, 0, 0, 0}});
    if (!fits_128(&magnitude) || low_128(&magnitude) >= power_of_ten[state->precision])
        return false;
    *result = sum < 0 ? -(int128)low_128(&magnitude) : (int128)low_128(&magnitude);
    return true;
}

/* The quotient that did not fit, with 39 digits after the point, as Java's division leaves it. */
static void average_out_of_range(native_call *call, const decimal_state *state) {
    int128 sum = sum_of(state);
    uint128 count = (uint128)state->count, magnitude = sum < 0 ? -(uint128)sum : (uint128)sum;
    uint256 whole = widen(magnitude), divisor = widen(count);
    scale_up(&divisor, state->input_scale);
    char value[200];
    size_t at = 0;
    uint256 rest = whole;
    if (sum < 0)
        value[at++] = '-';
    if (fits_128(&divisor))
        rest = widen(divide_by_128(&whole, low_128(&divisor)));
    else
        whole = widen(0);
    at += (size_t)wide_digits(whole, value + at);
    value[at++] = '.';
    for (int i = 0; i < 39; i++) {
        char digit = '0';
        scale_up(&rest, 1);
        for (; compare_wide(&rest, &divisor) >= 0; digit++)
            subtract_wide(&rest, &divisor);
        value[at++] = digit;
    }
    value[at] = 0;
    decimal_out_of_range(call, plain_text(value), state->precision, call->scale);
}

static void finish_average(native_call *call, const decimal_state *state, idx_t row, const failing *how) {
    int128 average;
    if (!state->count)
        set_null(call, row);
    else if (!state->by_doubles && !fits_38(state))
        lost_sum(call, how, row);
    else if (!state->by_doubles && left_to_spark(call, state))
        return;
    else if ((state->by_doubles ? average_of_doubles : exact_average)(state, call->scale, &average))
        RESULT(call, stored_int128)[row] = average;
    else if (how->raise)
        average_out_of_range(call, state);
    else
        set_null(call, row);
}

static const failing sum_raises = {true, " Use 'try_sum' to tolerate overflow and return NULL instead."},
                     average_raises = {true, " Use 'try_avg' to tolerate overflow and return NULL instead."},
                     gives_null = {false, NULL};

static void finish_sum_raise(native_call *call, const void *state, idx_t row) { finish_sum(call, state, row, &sum_raises); }
static void finish_sum_try(native_call *call, const void *state, idx_t row) { finish_sum(call, state, row, &gives_null); }
static void finish_average_raise(native_call *call, const void *state, idx_t row) {
    finish_average(call, state, row, &average_raises);
}
static void finish_average_try(native_call *call, const void *state, idx_t row) {
    finish_average(call, state, row, &gives_null);
}

const native_aggregate decimal_aggregates[] = {
    {"spark_decimal_sum", "Ai>#", sizeof(decimal_state), update, combine, finish_sum_raise, NULL, NULL},
    {"spark_decimal_sum_try", "Ai>#", sizeof(decimal_state), update, combine, finish_sum_try, NULL, NULL},
    {"spark_decimal_average", "Ai>#", sizeof(decimal_state), update, combine, finish_average_raise, NULL, NULL},
    {"spark_decimal_average_try", "Ai>#", sizeof(decimal_state), update, combine, finish_average_try, NULL, NULL},
    {NULL}};
