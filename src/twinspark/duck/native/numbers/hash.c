/* hash() and xxhash64(): Spark's Murmur3_x86_32 and XXH64 over one value, to be folded over several.
 *
 * SQL spelling: hash(a, b) is spark_hash(b, spark_hash(a)); xxhash64(a, b) is spark_xxhash64(b, spark_xxhash64(a)); without a
 * hash so far it begins with 42.
 * The value has any of: boolean, whole numbers, FLOAT, DOUBLE, DECIMAL, DATE, TIMESTAMP, TIMESTAMPTZ, VARCHAR, BLOB;
 * a NULL leaves the hash so far as it is. */
#include "numbers/hash.h"
#include <math.h>

hash_column hash_argument(native_call *call) {
    static const struct { int type; hashed_as as; int bytes; } kinds[] = {
        {TYPE_BOOLEAN, HASH_INT, 1}, {TYPE_TINYINT, HASH_INT, 1}, {TYPE_SMALLINT, HASH_INT, 2}, {TYPE_INTEGER, HASH_INT, 4},
        {TYPE_DATE, HASH_INT, 4}, {TYPE_BIGINT, HASH_LONG, 8}, {TYPE_TIMESTAMP, HASH_LONG, 8}, {TYPE_TIMESTAMP_TZ, HASH_LONG, 8},
        {TYPE_FLOAT, HASH_FLOAT, 4}, {TYPE_DOUBLE, HASH_DOUBLE, 8}, {TYPE_VARCHAR, HASH_BYTES, 16}, {TYPE_BLOB, HASH_BYTES, 16},
        {TYPE_SQLNULL, HASH_INT, 4}};
    duckdb_logical_type type = duckdb_vector_get_column_type(duckdb_data_chunk_get_vector(call->chunk, 0));
    int id = duckdb_get_type_id(type), width = id == TYPE_DECIMAL ? duckdb_decimal_width(type) : 0;
    duckdb_destroy_logical_type(&type);
    hash_column column = {.data = call->data[0]};
    decimal_column decimal;
    if (id == TYPE_DECIMAL && decimal_argument(call, 0, &decimal)) {
        column.as = width <= 18 ? HASH_LONG : HASH_BIG; /* Spark keeps up to 18 digits in a long */
        column.bytes = decimal.bytes;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == id)
            column = (hash_column){kinds[i].as, kinds[i].bytes, call->data[0]};
    if (column.as == HASH_NOTHING)
        misuse(call, "twinspark: spark_hash and spark_xxhash64 take one value of a simple type");
    return column;
}

static int64_t whole_at(const hash_column *column, idx_t row) {
    decimal_column as_decimal = {.data = column->data, .bytes = column->bytes};
    return (int64_t)decimal_at(&as_decimal, row);
}

/* java.lang.Float.floatToIntBits after Spark made -0.0 into 0.0. */
static int32_t float_bits(float value) {
    int32_t bits;
    if (isnan(value))
        return 0x7fc00000;
    value = value == 0 ? 0 : value;
    memcpy(&bits, &value, 4);
    return bits;
}
static int64_t double_bits(double value) {
    int64_t bits;
    if (isnan(value))
        return 0x7ff8000000000000LL;
    value = value == 0 ? 0 : value;
    memcpy(&bits, &value, 8);
    return bits;
}

/* java.math.BigInteger.toByteArray: the fewest bytes of two's complement, most significant first. Returns the first. */
static text big_integer_bytes(int128 value, char bytes[16]) {
    for (int i = 15; i >= 0; i--, value >>= 8)
        bytes[i] = (char)value;
    int first = 0;
    while (first < 15 && ((bytes[first] == 0 && bytes[first + 1] >= 0) || (bytes[first] == -1 && bytes[first + 1] < 0)))
        first++;
    return (text){bytes + first, (uint32_t)(16 - first)};
}

/* What hashes begin with, for every row of a chunk. */
enum { CHUNK = 2048, FIRST = 42 };
static const int32_t murmur_firsts[CHUNK] = {[0 ... CHUNK - 1] = FIRST};
static const uint64_t xx_firsts[CHUNK] = {[0 ... CHUNK - 1] = FIRST};
#define SEEDS(call, type, firsts) ((call)->arguments > 1 ? ARGUMENT(call, type, 1) : (firsts))

static uint32_t little_32(const char *at) { uint32_t word; memcpy(&word, at, 4); return word; }
static uint64_t little_64(const char *at) { uint64_t word; memcpy(&word, at, 8); return word; }
static uint32_t rotate_32(uint32_t x, int by) { return x << by | x >> (32 - by); }
static uint64_t rotate_64(uint64_t x, int by) { return x << by | x >> (64 - by); }

/* --- Murmur3 --- */

static inline uint32_t mix(uint32_t hash, uint32_t word) {
    word = rotate_32(word * 0xcc9e2d51u, 15) * 0x1b873593u;
    return rotate_32(hash ^ word, 13) * 5 + 0xe6546b64u;
}
static inline int32_t finish_murmur(uint32_t hash, uint32_t length) {
    hash ^= length;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return (int32_t)(hash ^ hash >> 16);
}
static inline int32_t murmur_int(int32_t value, int32_t seed) { return finish_murmur(mix((uint32_t)seed, (uint32_t)value), 4); }
static inline int32_t murmur_long(int64_t value, int32_t seed) {
    return finish_murmur(mix(mix((uint32_t)seed, (uint32_t)value), (uint32_t)((uint64_t)value >> 32)), 8);
}
/* Unlike the published Murmur3, Spark mixes each of the last bytes as a (signed) word of its own. */
static inline uint32_t mix_byte(uint32_t hash, char byte) { return mix(hash, (uint32_t)(int32_t)(signed char)byte); }

static inline int32_t murmur_text(text value, int32_t seed) {
    uint32_t hash = (uint32_t)seed;
    const char *at = value.bytes, *last = at + (value.length & ~3u);
    for (; at < last; at += 4)
        hash = mix(hash, little_32(at));
    switch (value.length & 3) {
    case 3: hash = mix_byte(hash, *at++); /* fall through */
    case 2: hash = mix_byte(hash, *at++); /* fall through */
    case 1: hash = mix_byte(hash, *at);
    }
    return finish_murmur(hash, value.length);
}
int32_t murmur_bytes(text value, int32_t seed) { return murmur_text(value, seed); }

static int32_t murmur_at(const native_call *call, const hash_column *column, idx_t row, int32_t seed) {
    char bytes[16];
    switch (column->as) {
    case HASH_INT: return murmur_int((int32_t)whole_at(column, row), seed);
    case HASH_LONG: return murmur_long(whole_at(column, row), seed);
    case HASH_FLOAT: return murmur_int(float_bits(((const float *)column->data)[row]), seed);
    case HASH_DOUBLE: return murmur_long(double_bits(((const double *)column->data)[row]), seed);
    case HASH_BYTES: return murmur_bytes(argument_text(call, 0, row), seed);
    default: return murmur_bytes(big_integer_bytes(((const stored_int128 *)column->data)[row], bytes), seed);
    }
}

/* A NULL keeps the seed. Common types have separate loops without a type switch for each row. */
#define EACH_HASH(hashes, hashed)                                                                                      \
    {                                                                                                                  \
        if (!call->argument_valid[0])                                                                                  \
            for (idx_t row = 0; row < call->rows; row++)                                                               \
                (hashes)[row] = (hashed);                                                                              \
        else                                                                                                           \
            for (idx_t row = 0; row < call->rows; row++)                                                               \
                if (argument_valid(call, 0, row))                                                                      \
                    (hashes)[row] = (hashed);                                                                          \
    }

MANY_LANES static void murmur_ints(const int32_t *values, const int32_t *seeds, int32_t *hashes, idx_t rows) {
    for (idx_t row = 0; row < rows; row++)
        hashes[row] = murmur_int(values[row], seeds[row]);
}
MANY_LANES static void murmur_longs(const int64_t *values, const int32_t *seeds, int32_t *hashes, idx_t rows) {
    for (idx_t row = 0; row < rows; row++)
        hashes[row] = murmur_long(values[row], seeds[row]);
}

static void murmur_rows(native_call *call) {
    hash_column column = hash_argument(call);
    const int32_t *seeds = SEEDS(call, int32_t, murmur_firsts);
    int32_t *hashes = RESULT(call, int32_t);
    bool is_int = column.as == HASH_INT && column.bytes == 4, is_long = column.as == HASH_LONG && column.bytes == 8;
    if (call->argument_valid[0])
        memcpy(hashes, seeds, call->rows * sizeof *hashes);
    else if (is_int)
        murmur_ints(column.data, seeds, hashes, call->rows);
    else if (is_long)
        murmur_longs(column.data, seeds, hashes, call->rows);
    if ((is_int || is_long) && !call->argument_valid[0])
        return;
    if (is_int)
        EACH_HASH(hashes, murmur_int(((const int32_t *)column.data)[row], seeds[row]))
    else if (is_long)
        EACH_HASH(hashes, murmur_long(((const int64_t *)column.data)[row], seeds[row]))
    else if (column.as == HASH_BYTES)
        EACH_HASH(hashes, murmur_text(argument_text(call, 0, row), seeds[row]))
    else if (!call->failed)
        EACH_HASH(hashes, murmur_at(call, &column, row, seeds[row]))
}

/* --- XXH64 --- */

static const uint64_t prime1 = 0x9E3779B185EBCA87ULL, prime2 = 0xC2B2AE3D27D4EB4FULL, prime3 = 0x165667B19E3779F9ULL,
                      prime4 = 0x85EBCA77C2B2AE63ULL, prime5 = 0x27D4EB2F165667C5ULL;

static uint64_t xx_round(uint64_t sum, uint64_t word) { return rotate_64(sum + word * prime2, 31) * prime1; }

static inline uint64_t finish_xx(uint64_t hash) {
    hash = (hash ^ hash >> 33) * prime2;
    hash = (hash ^ hash >> 29) * prime3;
    return hash ^ hash >> 32;
}

static inline uint64_t xx_byte(uint64_t hash, char byte) {
    return rotate_64(hash ^ (uint64_t)(unsigned char)byte * prime5, 11) * prime1;
}

static inline uint64_t xxhash64(const char *bytes, uint32_t length, uint64_t seed) {
    const char *at = bytes, *end = bytes + length;
    uint64_t hash = seed + prime5;
    if (length >= 32) {
        uint64_t lane[4] = {seed + prime1 + prime2, seed + prime2, seed, seed - prime1};
        for (; at + 32 <= end; at += 32)
            for (int i = 0; i < 4; i++)
                lane[i] = xx_round(lane[i], little_64(at + 8 * i));
        hash = rotate_64(lane[0], 1) + rotate_64(lane[1], 7) + rotate_64(lane[2], 12) + rotate_64(lane[3], 18);
        for (int i = 0; i < 4; i++)
            hash = (hash ^ xx_round(0, lane[i])) * prime1 + prime4;
    }
    hash += length;
    for (; at + 8 <= end; at += 8)
        hash = rotate_64(hash ^ xx_round(0, little_64(at)), 27) * prime1 + prime4;
    if (length & 4) {
        hash = rotate_64(hash ^ (uint64_t)little_32(at) * prime1, 23) * prime2 + prime3;
        at += 4;
    }
    switch (length & 3) {
    case 3: hash = xx_byte(hash, *at++); /* fall through */
    case 2: hash = xx_byte(hash, *at++); /* fall through */
    case 1: hash = xx_byte(hash, *at);
    }
    return finish_xx(hash);
}

static inline uint64_t xx_int(int32_t value, uint64_t seed) {
    uint64_t hash = seed + prime5 + 4;
    return finish_xx(rotate_64(hash ^ (uint64_t)(uint32_t)value * prime1, 23) * prime2 + prime3);
}
static inline uint64_t xx_long(int64_t value, uint64_t seed) {
    uint64_t hash = seed + prime5 + 8;
    return finish_xx(rotate_64(hash ^ xx_round(0, (uint64_t)value), 27) * prime1 + prime4);
}

uint64_t xxhash64_at(const native_call *call, const hash_column *column, idx_t row, uint64_t seed) {
    char bytes[16];
    text value;
    switch (column->as) {
    case HASH_INT: return xx_int((int32_t)whole_at(column, row), seed);
    case HASH_LONG: return xx_long(whole_at(column, row), seed);
    case HASH_FLOAT: return xx_int(float_bits(((const float *)column->data)[row]), seed);
    case HASH_DOUBLE: return xx_long(double_bits(((const double *)column->data)[row]), seed);
    case HASH_BYTES: value = argument_text(call, 0, row); break;
    default: value = big_integer_bytes(((const stored_int128 *)column->data)[row], bytes);
    }
    return xxhash64(value.bytes, value.length, seed);
}

void xxhash64_all(const native_call *call, const hash_column *column, uint64_t seed, uint64_t *hashes) {
    if (column->as == HASH_INT && column->bytes == 4)
        EACH_HASH(hashes, xx_int(((const int32_t *)column->data)[row], seed))
    else if (column->as == HASH_LONG && column->bytes == 8)
        EACH_HASH(hashes, xx_long(((const int64_t *)column->data)[row], seed))
    else
        EACH_HASH(hashes, xxhash64_at(call, column, row, seed))
}

static void xxhash_rows(native_call *call) {
    hash_column column = hash_argument(call);
    const uint64_t *seeds = SEEDS(call, uint64_t, xx_firsts);
    uint64_t *hashes = RESULT(call, uint64_t);
    if (call->argument_valid[0])
        memcpy(hashes, seeds, call->rows * sizeof *hashes);
    if (column.as == HASH_INT && column.bytes == 4)
        EACH_HASH(hashes, xx_int(((const int32_t *)column.data)[row], seeds[row]))
    else if (column.as == HASH_LONG && column.bytes == 8)
        EACH_HASH(hashes, xx_long(((const int64_t *)column.data)[row], seeds[row]))
    else if (column.as == HASH_BYTES)
        EACH_HASH(hashes, xxhash64(argument_text(call, 0, row).bytes, argument_text(call, 0, row).length, seeds[row]))
    else if (!call->failed)
        EACH_HASH(hashes, xxhash64_at(call, &column, row, seeds[row]))
}

const native_function hash_functions[] = {
    {"spark_hash", "?A>i", murmur_rows, NULL},
    {"spark_hash", "?Ai>i", murmur_rows, NULL},
    {"spark_xxhash64", "?A>l", xxhash_rows, NULL},
    {"spark_xxhash64", "?Al>l", xxhash_rows, NULL},
    {NULL}};
