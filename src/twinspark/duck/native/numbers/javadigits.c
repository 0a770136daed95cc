/* The digits that Java up to 18 prints for doubles and floats, which are sometimes one more than necessary (Double.toString).
 *
 * A digit generator in the manner of Steele and White with the bounds and shortcuts of JDK 17, so that the same digits come out:
 * integers below 2^63 are truncated to the digits that 53 bits distinguish; everything else is divided digit by digit, in 64 bits
 * where the numbers fit and in long arithmetic where they do not. The two differ in how they treat the upper bound (> and >=). */
#include "numbers/shortest.h"
#include <math.h>

/* --- long numbers: little-endian 32-bit words, enough for 2^1200 --- */

enum { WORDS = 44 };
typedef struct { uint32_t word[WORDS]; int count; } long_number;

static void trim(long_number *n) {
    while (n->count && !n->word[n->count - 1])
        n->count--;
}
static void multiply_small(long_number *n, uint32_t by) {
    uint64_t carry = 0;
    for (int i = 0; i < n->count; i++) {
        carry += (uint64_t)n->word[i] * by;
        n->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        n->word[n->count++] = (uint32_t)carry;
}
static void shift_left(long_number *n, int by) {
    int words = by / 32, bits = by % 32;
    for (int i = n->count - 1; i >= 0; i--)
        n->word[i + words] = n->word[i];
    for (int i = 0; i < words; i++)
        n->word[i] = 0;
    n->count += words;
    if (bits)
        multiply_small(n, 1u << bits);
}
static int compare(const long_number *a, const long_number *b) {
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}
static long_number sum(const long_number *a, const long_number *b) {
    long_number total = {.count = a->count > b->count ? a->count : b->count};
    uint64_t carry = 0;
    for (int i = 0; i < total.count; i++) {
        carry += (uint64_t)(i < a->count ? a->word[i] : 0) + (i < b->count ? b->word[i] : 0);
        total.word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        total.word[total.count++] = (uint32_t)carry;
    return total;
}
static void subtract(long_number *a, const long_number *b) {
    int64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        int64_t part = (int64_t)a->word[i] - (i < b->count ? b->word[i] : 0) + borrow;
        a->word[i] = (uint32_t)part;
        borrow = part >> 32;
    }
    trim(a);
}
/* value * 5^fives * 2^twos */
static long_number scaled(uint64_t value, int fives, int twos) {
    long_number n = {.word = {(uint32_t)value, (uint32_t)(value >> 32)}, .count = 2};
    trim(&n);
    for (; fives >= 13; fives -= 13)
        multiply_small(&n, 1220703125u);
    for (; fives > 0; fives--)
        multiply_small(&n, 5);
    shift_left(&n, twos);
    return n;
}
/* The quotient digit; n becomes ten times the remainder. */
static int next_digit(long_number *n, const long_number *divisor) {
    int digit = 0;
    for (; compare(n, divisor) >= 0; digit++)
        subtract(n, divisor);
    multiply_small(n, 10);
    return digit;
}

/* --- the generator --- */

typedef struct { uint64_t digits; int count, exponent; } digit_list; /* digits * 10^(exponent - count) */

static void add_digit(digit_list *list, int digit) {
    list->digits = list->digits * 10 + (uint64_t)digit;
    list->count++;
}

static int bits_of_five(int power) { /* of 5^power, for power up to 26 */
    static const int bits[] = {0,  3,  5,  7,  10, 12, 14, 17, 19, 21, 24, 26, 28, 31,
                               33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61};
    return power < 27 ? bits[power] : power * 3;
}

static uint64_t power_of_five(int power) {
    uint64_t result = 1;
    while (power-- > 0)
        result *= 5;
    return result;
}

/* floor of an estimate of log10 */
static int estimated_exponent(uint64_t fraction, int binary) {
    double d, scaled_fraction;
    uint64_t bits = 0x3FF0000000000000ULL | (fraction & 0xFFFFFFFFFFFFFULL);
    memcpy(&scaled_fraction, &bits, 8);
    d = (scaled_fraction - 1.5) * 0.289529654 + 0.176091259 + (double)binary * 0.301029995663981;
    return (int)floor(d);
}

/* An integer, truncated to the digits that its significant bits distinguish. */
static void whole_digits(uint64_t value, int cut, digit_list *list) {
    if (cut) {
        uint64_t power = power_of_five(cut) << cut, rest = value % power;
        value = value / power + (rest >= power >> 1);
    }
    *list = (digit_list){.digits = value, .exponent = cut};
}

typedef struct { uint64_t fraction; int b2, b5, s2, s5, m2, m5, exponent; } division;

static bool two_digits_needed(int exponent) { return exponent < -3 || exponent >= 8; } /* in scientific notation */

/* Java's sums wrap around, and so do the digits that hang on them. */
static int64_t wrapped_sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

/* Ten times the rest of a division whose quotient are `count` digits: a product with the reciprocal is at most one off
 * below 10^15, and far cheaper than as many divisions. The rest is right though the products wrap around. */
static inline int64_t divided(int64_t b, int64_t s, double reciprocal, int count, int64_t *quotient) {
    static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
                                     10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000};
    int64_t power = powers[count - 1], found = (int64_t)((double)b * reciprocal * (double)power);
    int64_t rest = (int64_t)((uint64_t)b * (uint64_t)power - (uint64_t)found * (uint64_t)s);
    for (; rest < 0; rest += s)
        found--;
    for (; rest >= s; rest -= s)
        found++;
    *quotient = found;
    return 10 * rest;
}

/* Digits that surely come before the last: once the rest is below m, or that near to ten, it stays so in the digits that
 * follow, so it is enough to test after them. m must not wrap around. */
static int64_t first_digits(int64_t b, int64_t s, double reciprocal, int64_t tens, int64_t *m, digit_list *list) {
    int count = 0;
    int64_t grown = *m, quotient;
    for (; count < 17 && grown <= tens / 10; count++)
        grown *= 10;
    count = count - 2 < 14 ? count - 2 : 14; /* the last two are tested one by one */
    if (count < 2)
        return b;
    int64_t rest = divided(b, s, reciprocal, count, &quotient), power = 1;
    for (int i = 0; i < count; i++)
        power *= 10;
    if (rest < *m * power || rest + *m * power > tens)
        return b;
    list->digits = list->digits * (uint64_t)power + (uint64_t)quotient;
    list->count += count;
    *m *= power;
    return rest;
}

static void divide_in_64(const division *of, digit_list *list) {
    int64_t b = (int64_t)((of->fraction * power_of_five(of->b5)) << of->b2), s = (int64_t)(power_of_five(of->s5) << of->s2);
    int64_t m = (int64_t)(power_of_five(of->m5) << of->m2), tens = (int64_t)((uint64_t)s * 10);
    int exponent = of->exponent, digit = (int)(b / s);
    b = 10 * (b % s);
    m *= 10;
    bool low = b < m, high = wrapped_sum(b, m) > tens;
    if (digit == 0 && !high)
        exponent--;
    else
        add_digit(list, digit);
    if (two_digits_needed(exponent))
        low = high = false;
    if (!low && !high)
        b = first_digits(b, s, 1.0 / (double)s, tens, &m, list);
    while (!low && !high) {
        digit = (int)(b / s);
        b = 10 * (b % s);
        m = (int64_t)((uint64_t)m * 10);
        low = m > 0 ? b < m : true;
        high = m > 0 ? wrapped_sum(b, m) > tens : true;
        add_digit(list, digit);
    }
    list->exponent = exponent + 1;
    int64_t difference = (int64_t)(((uint64_t)b << 1) - (uint64_t)tens);
    if (high && (!low || difference > 0 || (difference == 0 && list->digits & 1)))
        list->digits++;
}

/* The 32-bit branch of JDK 17 overflows where the 64-bit one does not, so it is its own loop. */
static void divide_in_32(const division *of, digit_list *list) {
    int32_t b = (int32_t)((uint32_t)((uint32_t)of->fraction * (uint32_t)power_of_five(of->b5)) << of->b2);
    int32_t s = (int32_t)((uint32_t)power_of_five(of->s5) << of->s2), m = (int32_t)((uint32_t)power_of_five(of->m5) << of->m2);
    int32_t tens = s * 10;
    int exponent = of->exponent, digit = b / s;
    b = 10 * (b % s);
    m = (int32_t)((uint32_t)m * 10);
    bool low = b < m, high = b + m > tens;
    if (digit == 0 && !high)
        exponent--;
    else
        add_digit(list, digit);
    if (two_digits_needed(exponent))
        low = high = false;
    while (!low && !high) {
        digit = b / s;
        b = 10 * (b % s);
        m = (int32_t)((uint32_t)m * 10);
        low = m > 0 ? b < m : true;
        high = m > 0 ? (int32_t)((uint32_t)b + (uint32_t)m) > tens : true;
        add_digit(list, digit);
    }
    list->exponent = exponent + 1;
    int64_t difference = ((int64_t)b << 1) - tens;
    if (high && (!low || difference > 0 || (difference == 0 && list->digits & 1)))
        list->digits++;
}

static void divide_long(const division *of, digit_list *list) {
    long_number s = scaled(1, of->s5, of->s2), b = scaled(of->fraction, of->b5, of->b2);
    long_number m = scaled(1, of->m5 + 1, of->m2 + 1), tens = scaled(1, of->s5 + 1, of->s2 + 1), both;
    int exponent = of->exponent, digit = next_digit(&b, &s);
    both = sum(&b, &m);
    bool low = compare(&b, &m) < 0, high = compare(&tens, &both) <= 0;
    if (digit == 0 && !high)
        exponent--;
    else
        add_digit(list, digit);
    if (two_digits_needed(exponent))
        low = high = false;
    while (!low && !high) {
        digit = next_digit(&b, &s);
        multiply_small(&m, 10);
        both = sum(&b, &m);
        low = compare(&b, &m) < 0;
        high = compare(&tens, &both) <= 0;
        add_digit(list, digit);
    }
    list->exponent = exponent + 1;
    int difference = 0;
    if (high && low) {
        shift_left(&b, 1);
        difference = compare(&b, &tens);
    }
    if (high && (!low || difference > 0 || (difference == 0 && list->digits & 1)))
        list->digits++;
}

/* fraction: 53 bits with the highest set; the value is fraction * 2^(binary - 52). */
static void generate(int binary, uint64_t fraction, int significant, digit_list *list) {
    int zeros = __builtin_ctzll(fraction), bits = 53 - zeros, tiny = bits - binary - 1 > 0 ? bits - binary - 1 : 0;
    if (binary <= 62 && binary >= -21 && tiny == 0 && bits < 64) {
        int beyond = binary - significant - 1, cut = binary > significant && beyond > 1 && beyond < 64 ? (int)(beyond * 0.30102999566398119) : 0;
        uint64_t whole = binary >= 52 ? fraction << (binary - 52) : fraction >> (52 - binary);
        whole_digits(whole, cut, list);
        return;
    }
    division of = {.exponent = estimated_exponent(fraction, binary)};
    of.b5 = of.exponent < 0 ? -of.exponent : 0;
    of.b2 = of.b5 + tiny + binary;
    of.s5 = of.exponent > 0 ? of.exponent : 0;
    of.s2 = of.s5 + tiny;
    of.m5 = of.b5;
    of.m2 = of.b2 - significant;
    of.fraction = fraction >> zeros;
    of.b2 -= bits - 1;
    int common = of.b2 < of.s2 ? of.b2 : of.s2;
    of.b2 -= common;
    of.s2 -= common;
    of.m2 -= common;
    if (bits == 1) /* below a power of two the neighbour is only half as far away */
        of.m2 -= 1;
    if (of.m2 < 0) {
        of.b2 -= of.m2;
        of.s2 -= of.m2;
        of.m2 = 0;
    }
    int b_bits = bits + of.b2 + bits_of_five(of.b5), ten_bits = of.s2 + 1 + bits_of_five(of.s5 + 1);
    if (b_bits < 64 && ten_bits < 64)
        (b_bits < 32 && ten_bits < 32 ? divide_in_32 : divide_in_64)(&of, list);
    else
        divide_long(&of, list);
}

static decimal_digits without_zeros(const digit_list *list) {
    decimal_digits number = {list->digits, list->exponent - list->count};
    while (number.digits && number.digits % 10 == 0) {
        number.digits /= 10;
        number.exponent++;
    }
    return number;
}

decimal_digits old_java_double(double magnitude) {
    uint64_t bits;
    memcpy(&bits, &magnitude, 8);
    uint64_t fraction = bits & ((1ULL << 52) - 1);
    int binary = (int)(bits >> 52 & 2047), significant = 53;
    if (!binary && !fraction)
        return (decimal_digits){0, 0};
    if (!binary) { /* subnormal: shifted until its highest bit is the 53rd */
        int leading = __builtin_clzll(fraction), shift = leading - 11;
        fraction <<= shift;
        binary = 1 - shift;
        significant = 64 - leading;
    } else
        fraction |= 1ULL << 52;
    digit_list list = {.count = 0};
    generate(binary - 1023, fraction, significant, &list);
    return without_zeros(&list);
}

decimal_digits old_java_float(float magnitude) {
    uint32_t bits;
    memcpy(&bits, &magnitude, 4);
    uint32_t fraction = bits & ((1U << 23) - 1);
    int binary = (int)(bits >> 23 & 255), significant = 24;
    if (!binary && !fraction)
        return (decimal_digits){0, 0};
    if (!binary) {
        int leading = __builtin_clz(fraction), shift = leading - 8;
        fraction <<= shift;
        binary = 1 - shift;
        significant = 32 - leading;
    } else
        fraction |= 1U << 23;
    digit_list list = {.count = 0};
    generate(binary - 127, (uint64_t)fraction << 29, significant, &list);
    return without_zeros(&list);
}
