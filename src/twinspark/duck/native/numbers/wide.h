/* Unsigned 256-bit arithmetic, as far as decimals of 38 digits need it. */
#pragma once
#include "core/native.h"

typedef struct { uint64_t limb[4]; } uint256; /* least significant first */

extern const uint128 power_of_ten[39];
/* A text of digits (wide_digits) with its point. */
void write_decimal(char *into, size_t size, const char *digits, int count, int scale, bool negative);

static inline uint128 magnitude_of(int128 value) { return value < 0 ? -(uint128)value : (uint128)value; }
static inline uint64_t magnitude_of_64(int64_t value) { return value < 0 ? -(uint64_t)value : (uint64_t)value; }
static inline uint256 widen(uint128 value) { return (uint256){{(uint64_t)value, (uint64_t)(value >> 64), 0, 0}}; }
static inline bool fits_128(const uint256 *value) { return !(value->limb[2] | value->limb[3]); }
static inline uint128 low_128(const uint256 *value) { return (uint128)value->limb[1] << 64 | value->limb[0]; }

static inline uint256 multiply_wide(uint128 left, uint128 right) {
    uint64_t a[2] = {(uint64_t)left, (uint64_t)(left >> 64)}, b[2] = {(uint64_t)right, (uint64_t)(right >> 64)};
    uint256 product = {{0}};
    for (int i = 0; i < 2; i++) {
        uint128 carry = 0;
        for (int j = 0; j < 2; j++) {
            carry += (uint128)a[i] * b[j] + product.limb[i + j];
            product.limb[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        product.limb[i + 2] = (uint64_t)carry;
    }
    return product;
}

/* value * 10^power; false when it does not fit. */
static inline bool scale_up(uint256 *value, int power) {
    while (power > 0) {
        int step = power > 19 ? 19 : power;
        uint64_t factor = (uint64_t)power_of_ten[step];
        uint128 carry = 0;
        for (int i = 0; i < 4; i++) {
            carry += (uint128)value->limb[i] * factor;
            value->limb[i] = (uint64_t)carry;
            carry >>= 64;
        }
        if (carry)
            return false;
        power -= step;
    }
    return true;
}

/* In place: value becomes the quotient; the remainder is returned. The divisor is not zero. */
static inline uint64_t divide_by_64(uint256 *value, uint64_t divisor) {
    uint64_t remainder = 0;
    for (int i = 3; i >= 0; i--) {
        if (!remainder && value->limb[i] < divisor) { /* leading zeros are common */
            remainder = value->limb[i];
            value->limb[i] = 0;
            continue;
        }
        uint128 part = (uint128)remainder << 64 | value->limb[i];
        value->limb[i] = (uint64_t)(part / divisor);
        remainder = (uint64_t)(part % divisor);
    }
    return remainder;
}

/* A divisor of many numbers, with its reciprocal: two multiplications are several times as fast as a division. The method
 * is that of N. Moeller and T. Granlund, "Improved division by invariant integers" (2011), for two words by one. */
typedef struct { uint64_t divisor, reciprocal; int shift; } divider;

static inline divider divider_of(uint64_t divisor) {
    int shift = __builtin_clzll(divisor);
    uint64_t normal = divisor << shift;
    return (divider){divisor, (uint64_t)(~(uint128)0 / normal), shift}; /* the quotient's upper word is 1 and is dropped */
}

/* high:low by a divisor whose upper bit is set, high below it. */
static inline uint64_t divide_word(uint64_t high, uint64_t low, uint64_t normal, uint64_t reciprocal, uint64_t *rest) {
    uint128 guess = (uint128)reciprocal * high + ((uint128)high << 64 | low);
    uint64_t quotient = (uint64_t)(guess >> 64) + 1, left = low - quotient * normal;
    uint64_t above = -(uint64_t)(left > (uint64_t)guess); /* as often as not: no branch */
    quotient += above;
    left += above & normal;
    if (__builtin_expect(left >= normal, 0)) {
        quotient++;
        left -= normal;
    }
    *rest = left;
    return quotient;
}

static inline uint128 divide_known(uint128 value, const divider *by, uint64_t *rest) {
    uint64_t normal = by->divisor << by->shift, high = by->shift ? (uint64_t)(value >> 64) >> (64 - by->shift) : 0;
    uint128 shifted = value << by->shift;
    uint64_t upper, middle = (uint64_t)(shifted >> 64);
    if (high) {
        upper = divide_word(high, middle, normal, by->reciprocal, &high);
    } else { /* as of nearly all */
        upper = middle >= normal;
        high = upper ? middle - normal : middle;
    }
    uint64_t lower = divide_word(high, (uint64_t)shifted, normal, by->reciprocal, rest);
    *rest >>= by->shift;
    return (uint128)upper << 64 | lower;
}

/* Knuth's algorithm D with two-limb divisors; value becomes the quotient, the remainder is returned. */
static inline uint128 divide_by_128(uint256 *value, uint128 divisor) {
    if (!(divisor >> 64))
        return divide_by_64(value, (uint64_t)divisor);
    if (fits_128(value)) {
        uint128 whole = low_128(value);
        *value = widen(whole / divisor);
        return whole % divisor;
    }
    int shift = __builtin_clzll((uint64_t)(divisor >> 64));
    uint128 normal = divisor << shift;
    uint64_t high = (uint64_t)(normal >> 64), low = (uint64_t)normal, u[5];
    u[4] = shift ? value->limb[3] >> (64 - shift) : 0;
    for (int i = 3; i > 0; i--)
        u[i] = value->limb[i] << shift | (shift ? value->limb[i - 1] >> (64 - shift) : 0);
    u[0] = value->limb[0] << shift;
    *value = (uint256){{0}};
    for (int j = 2; j >= 0; j--) {
        uint128 numerator = (uint128)u[j + 2] << 64 | u[j + 1];
        uint128 guess = u[j + 2] >= high ? UINT64_MAX : numerator / high;
        uint128 rest = numerator - guess * high;
        while (!(rest >> 64) && guess * low > (rest << 64 | u[j])) {
            guess--;
            rest += high;
        }
        uint128 product = guess * low, borrow = (uint128)u[j] - (uint64_t)product;
        u[j] = (uint64_t)borrow;
        product = (product >> 64) + guess * high;
        borrow = (uint128)u[j + 1] - (uint64_t)product - (uint64_t)(borrow >> 64 ? 1 : 0);
        u[j + 1] = (uint64_t)borrow;
        borrow = (uint128)u[j + 2] - (uint64_t)(product >> 64) - (uint64_t)(borrow >> 64 ? 1 : 0);
        u[j + 2] = (uint64_t)borrow;
        if (borrow >> 64) { /* one too many: give it back */
            guess--;
            uint128 carry = (uint128)u[j] + low;
            u[j] = (uint64_t)carry;
            carry = (uint128)u[j + 1] + high + (uint64_t)(carry >> 64);
            u[j + 1] = (uint64_t)carry;
            u[j + 2] += (uint64_t)(carry >> 64);
        }
        value->limb[j] = (uint64_t)guess;
    }
    return ((uint128)u[1] << 64 | u[0]) >> shift;
}

static inline int compare_wide(const uint256 *left, const uint256 *right) {
    for (int i = 3; i >= 0; i--)
        if (left->limb[i] != right->limb[i])
            return left->limb[i] < right->limb[i] ? -1 : 1;
    return 0;
}
static inline void add_wide(uint256 *left, const uint256 *right) {
    uint128 carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (uint128)left->limb[i] + right->limb[i];
        left->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
}
/* left >= right */
static inline void subtract_wide(uint256 *left, const uint256 *right) {
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        uint128 part = (uint128)left->limb[i] - right->limb[i] - borrow;
        left->limb[i] = (uint64_t)part;
        borrow = part >> 64 ? 1 : 0;
    }
}

/* value / 10^power, rounded HALF_UP (the digits before the last dropped one cannot change that). */
static inline void scale_down(uint256 *value, int power) {
    for (; power > 19; power -= 19)
        divide_by_64(value, (uint64_t)power_of_ten[19]);
    if (power > 0) {
        uint64_t divisor = (uint64_t)power_of_ten[power], rest = divide_by_64(value, divisor);
        if (rest >= divisor - rest)
            add_wide(value, &(uint256){{1, 0, 0, 0}});
    }
}

/* Decimal digits of value, most significant first; returns their number (0 has one digit). `digits` holds 80. */
int wide_digits(uint256 value, char *digits);
