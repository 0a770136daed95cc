/* A double's two 32-bit words, which fdlibm's methods read and modify. */
#pragma once
#include <stdint.h>
#include <string.h>

static inline uint64_t bits_of(double x) { uint64_t bits; memcpy(&bits, &x, 8); return bits; }
static inline double of_bits(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
static inline int32_t high(double x) { return (int32_t)(bits_of(x) >> 32); }
static inline uint32_t low(double x) { return (uint32_t)bits_of(x); }
static inline double with_high(double x, int32_t word) { return of_bits((uint64_t)(uint32_t)word << 32 | low(x)); }
static inline double top_half(double x) { return of_bits(bits_of(x) & 0xFFFFFFFF00000000ULL); }
static inline double either(int chosen, double x, double y) { /* without a branch */
    uint64_t mask = -(uint64_t)(chosen != 0);
    return of_bits((bits_of(x) & mask) | (bits_of(y) & ~mask));
}
static inline double add_exponent(double x, int k) { return with_high(x, (int32_t)((uint32_t)high(x) + ((uint32_t)k << 20))); }

static const double __attribute__((unused)) tiny = 1.0e-300, huge = 1.0e300;
