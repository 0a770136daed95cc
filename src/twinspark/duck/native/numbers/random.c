/* rand and randn: Spark's XORShiftRandom, for the n-th row of a partition.
 *
 * SQL spelling: spark_rand(seed, n), spark_randn(seed, n) -> DOUBLE; seed: the query's seed plus the index of the partition,
 * n: the row's index in it, from 0. The caller knows the rows of each partition.
 * spark_randstr(seed, n, length) -> VARCHAR likewise;
 * spark_shuffle_order(seed, n, length) -> the places of a shuffled array's elements, from 1, with commas between.
 * Rows that follow each other cost one step; rand jumps to any other row, randn starts again from the first. */
#include "core/native.h"
#include "strictmath/strictmath.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* scala.util.hashing.MurmurHash3.bytesHash of the seed's eight bytes, most significant first. */
static uint32_t seed_hash(const unsigned char bytes[8], uint32_t start) {
    uint32_t hash = start;
    for (int i = 0; i < 8; i += 4) {
        uint32_t word = bytes[i] | (uint32_t)bytes[i + 1] << 8 | (uint32_t)bytes[i + 2] << 16 | (uint32_t)bytes[i + 3] << 24;
        word *= 0xcc9e2d51u;
        word = (word << 15 | word >> 17) * 0x1b873593u;
        hash ^= word;
        hash = (hash << 13 | hash >> 19) * 5 + 0xe6546b64u;
    }
    hash ^= 8;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

static uint64_t first_state(int64_t seed) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)((uint64_t)seed >> (56 - 8 * i));
    uint32_t low = seed_hash(bytes, 0x3c074a61u), high = seed_hash(bytes, low);
    return (uint64_t)high << 32 | low;
}

static inline uint64_t step(uint64_t state) {
    state ^= state << 21;
    state ^= state >> 35;
    return state ^ state << 4;
}

/* java.util.Random.nextDouble: 26 and 27 bits of two steps. */
static inline double next_double(uint64_t *state) {
    *state = step(*state);
    int64_t high = (int64_t)(*state & ((1u << 26) - 1));
    *state = step(*state);
    return (double)((high << 27) + (int64_t)(*state & ((1u << 27) - 1))) * 0x1.0p-53;
}

/* --- jumps: a step is linear over bits, so 2^k steps are a 64 by 64 matrix of bits --- */

enum { JUMPS = 48 };
static uint64_t jumps[JUMPS][64]; /* column i: what bit i becomes after 2^k steps */
static pthread_once_t jumps_once = PTHREAD_ONCE_INIT;

static uint64_t apply(const uint64_t columns[64], uint64_t state) {
    uint64_t result = 0;
    for (; state; state &= state - 1)
        result ^= columns[__builtin_ctzll(state)];
    return result;
}

static void make_jumps(void) {
    for (int i = 0; i < 64; i++)
        jumps[0][i] = step(1ULL << i);
    for (int k = 1; k < JUMPS; k++)
        for (int i = 0; i < 64; i++)
            jumps[k][i] = apply(jumps[k - 1], jumps[k - 1][i]);
}

static uint64_t state_after(int64_t seed, uint64_t steps) {
    pthread_once(&jumps_once, make_jumps);
    uint64_t state = first_state(seed);
    for (int k = 0; k < JUMPS && steps >> k; k++)
        if (steps >> k & 1)
            state = apply(jumps[k], state);
    return state;
}

static void rand_rows(native_call *call) {
    int64_t seed = 0, next = -1;
    uint64_t state = 0;
    EACH_ROW(call, row) {
        int64_t asked = ARGUMENT(call, int64_t, 0)[row], place = ARGUMENT(call, int64_t, 1)[row];
        if (asked != seed || place != next)
            state = state_after(asked, 2 * (uint64_t)place);
        seed = asked;
        next = (int64_t)((uint64_t)place + 1);
        RESULT(call, double)[row] = next_double(&state);
    }
}

/* java.util.Random.nextGaussian: Marsaglia's polar method gives two at a time. */
typedef struct { uint64_t state; double second; bool waiting; } gaussian;

static double next_gaussian(gaussian *from) {
    if (from->waiting) {
        from->waiting = false;
        return from->second;
    }
    double x, y, s;
    do {
        x = 2 * next_double(&from->state) - 1;
        y = 2 * next_double(&from->state) - 1;
        s = x * x + y * y;
    } while (s >= 1 || s == 0);
    double factor = sqrt(-2 * strict_log(s) / s);
    from->second = y * factor;
    from->waiting = true;
    return x * factor;
}

static void randn_rows(native_call *call) {
    int64_t seed = 0, next = -1;
    gaussian source = {0};
    EACH_ROW(call, row) {
        int64_t asked = ARGUMENT(call, int64_t, 0)[row], place = ARGUMENT(call, int64_t, 1)[row];
        if (asked != seed || place < next || next < 0) {
            source = (gaussian){.state = first_state(asked)};
            next = 0;
        }
        uint64_t done = 0;
        for (; next < place; next++, stay_cancellable(&done, 64))
            next_gaussian(&source);
        seed = asked;
        next = (int64_t)((uint64_t)place + 1);
        RESULT(call, double)[row] = next_gaussian(&source);
    }
}

/* randstr: a letter or digit for each step (ExpressionImplUtils.randStr). */
static void randstr_rows(native_call *call) {
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    EACH_ROW(call, row) {
        int64_t seed = ARGUMENT(call, int64_t, 0)[row], place = ARGUMENT(call, int64_t, 1)[row];
        int32_t length = ARGUMENT(call, int32_t, 2)[row];
        if (length < 0) {
            misuse(call, "twinspark: a text of negative length");
            return;
        }
        uint64_t state = state_after(seed, (uint64_t)place * (uint64_t)length);
        char *bytes = allocate((size_t)length + 1, 1);
        for (int32_t i = 0; i < length; i++) {
            state = step(state);
            int32_t value = (int32_t)(uint32_t)state % 62;
            bytes[i] = letters[value < 0 ? -value : value];
        }
        set_text(call, row, bytes, (size_t)length);
        release(bytes);
    }
}

/* --- shuffle: the Mersenne twister of Commons Math, and Fisher and Yates from the inside out --- */

enum { TWISTS = 624, AHEAD = 397 };
typedef struct { uint32_t words[TWISTS]; int next; } twister;

static void twister_seed(twister *from, int64_t seed) {
    uint32_t key[2] = {(uint32_t)((uint64_t)seed >> 32), (uint32_t)seed}, *words = from->words;
    words[0] = 19650218u;
    for (uint32_t i = 1; i < TWISTS; i++)
        words[i] = 1812433253u * (words[i - 1] ^ words[i - 1] >> 30) + i;
    int i = 1, j = 0;
    for (int k = TWISTS; k; k--) {
        words[i] = (words[i] ^ (words[i - 1] ^ words[i - 1] >> 30) * 1664525u) + key[j] + (uint32_t)j;
        j = !j;
        if (++i == TWISTS)
            words[0] = words[TWISTS - 1], i = 1;
    }
    for (int k = TWISTS - 1; k; k--) {
        words[i] = (words[i] ^ (words[i - 1] ^ words[i - 1] >> 30) * 1566083941u) - (uint32_t)i;
        if (++i == TWISTS)
            words[0] = words[TWISTS - 1], i = 1;
    }
    words[0] = 0x80000000u;
    from->next = TWISTS;
}

static uint32_t twister_bits(twister *from, int bits) {
    uint32_t *words = from->words;
    if (from->next == TWISTS) {
        for (int i = 0; i < TWISTS; i++) {
            uint32_t both = (words[i] & 0x80000000u) | (words[(i + 1) % TWISTS] & 0x7fffffffu);
            words[i] = words[(i + AHEAD) % TWISTS] ^ both >> 1 ^ (both & 1 ? 0x9908b0dfu : 0);
        }
        from->next = 0;
    }
    uint32_t word = words[from->next++];
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c5680u;
    word ^= word << 15 & 0xefc60000u;
    return (word ^ word >> 18) >> (32 - bits);
}

/* BitsStreamGenerator.nextInt: what would make small numbers likelier is drawn again. */
static int32_t twister_below(twister *from, int32_t bound) {
    if (!(bound & (bound - 1)))
        return (int32_t)((int64_t)bound * twister_bits(from, 31) >> 31);
    int32_t drawn, value;
    do {
        drawn = (int32_t)twister_bits(from, 31);
        value = drawn % bound;
    } while ((int32_t)((uint32_t)drawn - (uint32_t)value + (uint32_t)(bound - 1)) < 0);
    return value;
}

static void shuffled(twister *from, int32_t *order, int32_t length) {
    for (int32_t i = 0; i < length; i++) {
        int32_t j = twister_below(from, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

/* Rows before this one in its partition had arrays of the same length. */
static void shuffle_rows(native_call *call) {
    twister source;
    int64_t seed = 0, next = -1;
    int32_t last = -1;
    EACH_ROW(call, row) {
        int64_t asked = ARGUMENT(call, int64_t, 0)[row], place = ARGUMENT(call, int64_t, 1)[row];
        int32_t length = ARGUMENT(call, int32_t, 2)[row];
        if (length < 0) {
            misuse(call, "twinspark: an array of negative length");
            return;
        }
        int32_t *order = allocate_zeroed((size_t)length + 1, sizeof *order);
        char *bytes = allocate((size_t)length + 1, 12);
        size_t size = 0;
        if (asked != seed || length != last || place < next || next < 0) {
            twister_seed(&source, asked);
            next = 0;
        }
        uint64_t done = 0;
        for (; next <= place; next++, stay_cancellable(&done, 8 * (uint64_t)length + 1))
            shuffled(&source, order, length);
        seed = asked;
        last = length;
        for (int32_t i = 0; i < length; i++)
            size += (size_t)sprintf(bytes + size, i ? ",%d" : "%d", order[i] + 1);
        set_text(call, row, bytes, size);
        release(bytes);
        release(order);
    }
}

const native_function random_functions[] = {
    {"spark_shuffle_order", "lli>v", shuffle_rows, NULL},
    {"spark_randstr", "lli>v", randstr_rows, NULL},
    {"spark_rand", "ll>d", rand_rows, NULL},
    {"spark_randn", "ll>d", randn_rows, NULL},
    {NULL}};
