/* approx_count_distinct: HyperLogLog++ with Spark's hash, registers and bias corrections, so that the estimate is exactly Spark's.
 *
 * SQL spelling: spark_approx_count_distinct(x, p) -> BIGINT; p = ceil(2 * log2(1.106 / relativeSD)), 9 when none is given.
 * x is of any type that spark_xxhash64 takes; spark_approx_count_hashes(hash, p) takes the hash of a struct. p below 7 or
 * above 14 goes to Spark. */
#include "numbers/hash.h"
#include "sketches/hll_tables.h"
#include "core/one_state.h"
#include "strictmath/strictmath.h"
#include <math.h>
#include <stdlib.h>

/* Registers are bytes: the longest run of zeros seen, plus one, under each index. */
typedef struct { uint8_t *registers; int32_t bits; } hll_state;

static void add_hash(native_call *call, hll_state *state, int32_t bits, uint64_t hash) {
    if (!state->registers) {
        state->bits = bits;
        if (bits < HLL_FIRST || bits > HLL_LAST) {
            fall_back(call, "FUNCTION_ARGUMENT_VALUE", "approx_count_distinct with this relative error");
            return;
        }
        state->registers = allocate_zeroed(1u << bits, 1);
    }
    uint64_t rest = hash << state->bits | 1ULL << (state->bits - 1);
    uint8_t run = (uint8_t)(__builtin_clzll(rest) + 1), *place = &state->registers[hash >> (64 - state->bits)];
    if (run > *place)
        *place = run;
}

/* Rows of one state, whose registers are there. */
static void add_hashes(hll_state *state, const uint64_t *hashes, idx_t rows) {
    uint8_t *registers = state->registers;
    int bits = state->bits;
    for (idx_t row = 0; row < rows; row++) {
        uint8_t run = (uint8_t)(__builtin_clzll(hashes[row] << bits | 1ULL << (bits - 1)) + 1);
        uint8_t *place = &registers[hashes[row] >> (64 - bits)];
        if (__builtin_expect(run > *place, 0))
            *place = run;
    }
}

enum { CHUNK = 2048 };
static void update(native_call *call, duckdb_aggregate_state *states) {
    hash_column column = hash_argument(call);
    const int32_t *precision = ARGUMENT(call, int32_t, 1);
    uint64_t hashes[CHUNK];
    bool at_once = call->rows <= CHUNK && !call->failed;
    if (at_once)
        xxhash64_all(call, &column, 42, hashes);
    if (at_once && is_one_state(call, states) && ((hll_state *)states[0])->registers) {
        add_hashes((hll_state *)states[0], hashes, call->rows);
        return;
    }
    for (idx_t row = 0; row < call->rows && !call->failed; row++)
        if (argument_valid(call, 0, row))
            add_hash(call, (hll_state *)states[row], precision[row],
                     at_once ? hashes[row] : xxhash64_at(call, &column, row, 42));
}

static void update_hashes(native_call *call, duckdb_aggregate_state *states) {
    for (idx_t row = 0; row < call->rows && !call->failed; row++)
        if (argument_valid(call, 0, row))
            add_hash(call, (hll_state *)states[row], ARGUMENT(call, int32_t, 1)[row], ARGUMENT(call, uint64_t, 0)[row]);
}

static void combine(void *into, const void *from) {
    hll_state *target = into;
    const hll_state *source = from;
    if (!source->registers)
        return;
    if (!target->registers) {
        target->bits = source->bits;
        target->registers = allocate_zeroed(1u << source->bits, 1);
    }
    if (target->bits != source->bits)
        end_call("twinspark: approx_count_distinct of one group with two precisions");
    for (uint32_t i = 0; i < 1u << source->bits; i++)
        if (source->registers[i] > target->registers[i])
            target->registers[i] = source->registers[i];
}

/* The mean bias of the six estimates nearest to this one. */
static double bias_of(const hll_table *table, double estimate) {
    enum { NEIGHBOURS = 6 };
    int nearest = 0;
    while (nearest < table->count && table->estimates[nearest] < estimate)
        nearest++;
    int low = nearest - NEIGHBOURS + 1 > 0 ? nearest - NEIGHBOURS + 1 : 0;
    int high = low + NEIGHBOURS < table->count ? low + NEIGHBOURS : table->count;
    while (high < table->count) {
        double above = estimate - table->estimates[high], below = estimate - table->estimates[low];
        if (above * above >= below * below)
            break;
        low++;
        high++;
    }
    double sum = 0.0;
    for (int i = low; i < high; i++)
        sum += table->biases[i];
    return sum / (high - low);
}

static double estimate_of(const hll_state *state) {
    const hll_table *table = &hll_tables[state->bits - HLL_FIRST];
    double m = (double)(1 << state->bits), inverse = 0.0, empty = 0.0;
    for (uint32_t i = 0; i < 1u << state->bits; i++) {
        inverse += 1.0 / (double)(1ULL << state->registers[i]);
        empty += state->registers[i] == 0;
    }
    double raw = (0.7213 / (1.0 + 1.079 / m)) * m * m / inverse;
    if (empty > 0) { /* linear counting for the small ones */
        double linear = m * strict_log(m / empty);
        if (linear <= table->threshold || raw <= 2.5 * m)
            return linear;
    }
    return raw < 5.0 * m ? raw - bias_of(table, raw) : raw;
}

static void finish(native_call *call, const void *from, idx_t row) {
    const hll_state *state = from;
    RESULT(call, int64_t)[row] = state->registers ? (int64_t)floor(estimate_of(state) + 0.5) : 0;
}

static void destroy(duckdb_aggregate_state *states, idx_t count) {
    for (idx_t i = 0; i < count; i++)
        release(((hll_state *)states[i])->registers);
}

const native_aggregate sketch_aggregates[] = {
    {"spark_approx_count_distinct", "Ai>l", sizeof(hll_state), update, combine, finish, destroy, NULL},
    {"spark_approx_count_hashes", "li>l", sizeof(hll_state), update_hashes, combine, finish, destroy, NULL},
    {NULL}};
