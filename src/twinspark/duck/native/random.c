/* rand and randn: Spark's XORShiftRandom, for the n-th row of a partition.
 *
 * SQL spelling: spark_rand(seed, n), spark_randn(seed, n) -> DOUBLE; seed: the query's seed plus the index of the partition,
 * n: the row's place in it, from 0. Which rows stand in which partition is for the caller to know.
 * Rows that follow each other cost one step; rand jumps to any other row, randn starts again from the first. */
#include "native.h"
#include "strictmath.h"
#include <math.h>
#include <pthread.h>

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
        next = place + 1;
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
        for (; next < place; next++)
            next_gaussian(&source);
        seed = asked;
        next = place + 1;
        RESULT(call, double)[row] = next_gaussian(&source);
    }
}

const native_function random_functions[] = {
    {"spark_rand", "ll>d", rand_rows, NULL},
    {"spark_randn", "ll>d", randn_rows, NULL},
    {NULL}};
