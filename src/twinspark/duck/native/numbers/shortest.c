/* Shortest digits by Raffaello Giulietti's Schubfach method ("The Schubfach way to render doubles", 2020), and Java's layout.
 *
 * JDK 19 and later print exactly these digits (JDK-4511638); for earlier ones see javadigits.c.
 * SQL spelling: spark_java(version) sets the version of Spark's Java for the process. */
#include "numbers/shortest.h"
#include <math.h>
#include <stdio.h>

/* Made by build.py: for k in [POWER_FIRST, POWER_LAST] the 126-bit value floor(10^k * 2^-r) + 1 as {high 63 bits, low 63 bits}. */
#include "powers_of_ten.h"

static int floor_log10_pow2(int e) { return (int)((int64_t)e * 661971961083LL >> 41); }
static int floor_log10_three_quarters_pow2(int e) { return (int)(((int64_t)e * 661971961083LL - 274743187321LL) >> 41); }
static int floor_log2_pow10(int e) { return (int)((int64_t)e * 913124641741LL >> 38); }

/* The product with the power of ten, rounded to odd. */
static uint64_t round_to_odd(const uint64_t *power, uint64_t scaled) {
    uint64_t high = (uint64_t)((uint128)power[1] * scaled >> 64);
    uint128 product = (uint128)power[0] * scaled;
    uint64_t low = (uint64_t)product, top = (uint64_t)(product >> 64);
    uint64_t middle = (low >> 1) + high;
    uint64_t result = top + (middle >> 63);
    return result | (((middle & INT64_MAX) + INT64_MAX) >> 63);
}

static decimal_digits without_zeros(uint64_t digits, int exponent) {
    while (digits && digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return (decimal_digits){digits, digits ? exponent : 0};
}

/* magnitude = c * 2^q; `hidden` is the smallest normal c, `lowest` the smallest q. */
static decimal_digits shortest(uint64_t c, int q, uint64_t hidden, int lowest) {
    uint64_t out = c & 1;
    bool regular = c != hidden || q == lowest;
    int k = regular ? floor_log10_pow2(q) : floor_log10_three_quarters_pow2(q);
    int h = q + floor_log2_pow10(-k) + 2;
    const uint64_t *power = powers_of_ten[-k - POWER_FIRST];
    uint64_t value = round_to_odd(power, c << (h + 2));
    uint64_t below = round_to_odd(power, ((c << 2) - (regular ? 2 : 1)) << h);
    uint64_t above = round_to_odd(power, ((c << 2) + 2) << h);
    uint64_t s = value >> 2;
    if (s >= 100) { /* at least two digits stay: 4.9E-324, not 5E-324 */
        uint64_t tens = s / 10 * 10;
        bool under = below + out <= tens << 2, over = ((tens + 10) << 2) + out <= above;
        if (under != over)
            return without_zeros(under ? tens : tens + 10, k);
    }
    bool under = below + out <= s << 2, over = ((s + 1) << 2) + out <= above;
    if (under != over)
        return without_zeros(under ? s : s + 1, k);
    int64_t compare = (int64_t)(value - ((2 * s + 1) << 1));
    return without_zeros(compare < 0 || (compare == 0 && !(s & 1)) ? s : s + 1, k);
}

/* The smallest subnormals are computed ten times as large, so that two digits can be distinguished. */
static decimal_digits shortest_tiny(uint64_t c, int q) {
    decimal_digits tenfold = shortest(10 * c, q, 0, q);
    return (decimal_digits){tenfold.digits, tenfold.exponent - 1};
}

static decimal_digits shortest_double(double magnitude) {
    uint64_t bits;
    memcpy(&bits, &magnitude, 8);
    uint64_t fraction = bits & ((1ULL << 52) - 1);
    int exponent = (int)(bits >> 52 & 2047);
    if (!exponent && !fraction)
        return (decimal_digits){0, 0};
    if (!exponent)
        return fraction < 3 ? shortest_tiny(fraction, -1074) : shortest(fraction, -1074, 1ULL << 52, -1074);
    return shortest(fraction | 1ULL << 52, exponent - 1075, 1ULL << 52, -1074);
}

static decimal_digits shortest_float(float magnitude) {
    uint32_t bits;
    memcpy(&bits, &magnitude, 4);
    uint32_t fraction = bits & ((1U << 23) - 1);
    int exponent = (int)(bits >> 23 & 255);
    if (!exponent && !fraction)
        return (decimal_digits){0, 0};
    if (!exponent)
        return fraction < 8 ? shortest_tiny(fraction, -149) : shortest(fraction, -149, 1U << 23, -149);
    return shortest(fraction | 1U << 23, exponent - 150, 1U << 23, -149);
}

static int java_version = 17;

decimal_digits java_double_digits(double magnitude) {
    return java_version < 19 ? old_java_double(magnitude) : shortest_double(magnitude);
}
decimal_digits java_float_digits(float magnitude) {
    return java_version < 19 ? old_java_float(magnitude) : shortest_float(magnitude);
}

static void java_rows(native_call *call) {
    EACH_ROW(call, row) {
        java_version = ARGUMENT(call, int32_t, 0)[row];
        RESULT(call, int32_t)[row] = java_version;
    }
}

const native_function java_functions[] = {{"spark_java", "i>i", java_rows, NULL}, {NULL}};

/* The digits of a number, two at a time from the end; how many they are. */
static int write_digits(uint64_t number, char *into) {
    char reversed[20], *at = reversed + sizeof reversed;
    for (; number >= 100; number /= 100) {
        unsigned pair = (unsigned)(number % 100);
        *--at = (char)('0' + pair % 10);
        *--at = (char)('0' + pair / 10);
    }
    if (number >= 10)
        *--at = (char)('0' + number % 10);
    *--at = (char)('0' + (number >= 10 ? number / 10 : number));
    int count = (int)(reversed + sizeof reversed - at);
    memcpy(into, at, (size_t)count);
    return count;
}

/* Plain from 10^-3 to 10^7, otherwise computerised scientific notation; always a digit after the point. */
static int java_text(decimal_digits number, bool negative, char *into) {
    char digits[24];
    int count = write_digits(number.digits, digits), at = 0;
    digits[count] = 0;
    int point = count + number.exponent; /* digits before the point */
    if (negative)
        into[at++] = '-';
    if (!number.digits)
        return at + sprintf(into + at, "0.0");
    if (point > -3 && point <= 7) {
        if (point <= 0)
            into[at++] = '0';
        for (int i = 0; i < point; i++)
            into[at++] = i < count ? digits[i] : '0';
        into[at++] = '.';
        for (int i = point; i < 0; i++)
            into[at++] = '0';
        int whole = point > 0 ? point : 0, behind = count > whole ? count - whole : 0;
        memcpy(into + at, digits + whole, (size_t)behind);
        at += behind;
        if (point >= count)
            into[at++] = '0';
        into[at] = 0;
        return at;
    }
    return at + sprintf(into + at, "%c.%sE%d", digits[0], count > 1 ? digits + 1 : "0", point - 1);
}

static int special_text(double value, char *into) {
    if (isnan(value))
        return sprintf(into, "NaN");
    return sprintf(into, value < 0 ? "-Infinity" : "Infinity");
}

int java_double_text(double value, char *into) {
    if (!isfinite(value))
        return special_text(value, into);
    return java_text(java_double_digits(fabs(value)), signbit(value), into);
}

int java_float_text(float value, char *into) {
    if (!isfinite(value))
        return special_text(value, into);
    return java_text(java_float_digits(fabsf(value)), signbit(value), into);
}
