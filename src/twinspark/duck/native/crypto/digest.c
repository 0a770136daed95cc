/* crc32 and sha2 of strings and binaries.
 *
 * SQL spelling: spark_crc32(x) -> BIGINT; spark_sha2(x, bits) -> VARCHAR in hexadecimal, NULL unless bits is 0, 224, 256, 384, 512. */
#include "core/native.h"
#include <pthread.h>

/* --- CRC-32 of zip and PNG, reflected polynomial 0xEDB88320 --- */

/* Table n has the CRC of a byte followed by n zero bytes, so that eight bytes are looked up at once. `crc_of_zeros` is the CRC
 * of n zero bytes. */
static uint32_t crc_tables[8][256], crc_of_zeros[8];
static pthread_once_t crc_once = PTHREAD_ONCE_INIT;

static void make_crc_tables(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ 0xEDB88320u : value >> 1;
        crc_tables[0][i] = value;
    }
    for (int table = 1; table < 8; table++)
        for (int i = 0; i < 256; i++)
            crc_tables[table][i] = crc_tables[table - 1][i] >> 8 ^ crc_tables[0][crc_tables[table - 1][i] & 255];
    crc_of_zeros[0] = UINT32_MAX;
    for (int count = 1; count < 8; count++)
        crc_of_zeros[count] = crc_of_zeros[count - 1] >> 8 ^ crc_tables[0][crc_of_zeros[count - 1] & 255];
}

static inline uint64_t eight_bytes(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word); /* the lowest byte first: this machine is little-endian */
    return word;
}

static inline uint32_t crc_of_word(uint64_t word) {
    uint32_t sum = 0;
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        sum ^= crc_tables[7 - i][word >> 8 * i & 255];
    return sum;
}

/* The odd bytes come first, padded with leading zeros that change nothing; then eight by eight. A text of less than eight bytes is in
 * its value, where eight can be read. */
static inline uint32_t crc_of(text value) {
    uint32_t odd = value.length & 7;
    uint64_t first = odd ? eight_bytes(value.bytes) << (64 - 8 * odd) : 0;
    uint32_t sum = crc_of_word(first) ^ crc_of_zeros[odd];
    const char *at = value.bytes + odd, *end = value.bytes + value.length;
    for (; at < end; at += 8)
        sum = crc_of_word(eight_bytes(at) ^ sum);
    return ~sum;
}

static void crc_rows(native_call *call) {
    pthread_once(&crc_once, make_crc_tables);
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        RESULT(call, int64_t)[row] = crc_of(value);
    }
}

/* --- SHA-2 (FIPS 180-4). The round constants are the first bits of cube roots of primes, the 32-bit ones their upper halves. --- */

static const uint64_t rounds[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538, 0x59f111f1b605d019,
    0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3,
    0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65, 0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b, 0xa2bfe8a14cf10364, 0xa81a664bbc423001,
    0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb,
    0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c, 0xd186b8c721c0c207,
    0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a,
    0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

typedef struct { int bits, word; uint64_t start[8]; } sha_kind; /* word: bytes of a word, 4 or 8 */
static const sha_kind sha_kinds[] = {
    {224, 4, {0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4}},
    {256, 4, {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}},
    {384, 8, {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939, 0x67332667ffc00b31,
              0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4}},
    {512, 8, {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1,
              0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179}}};

static uint64_t turn(uint64_t x, int by, int word) {
    return word == 8 ? x >> by | x << (64 - by) : (uint32_t)((uint32_t)x >> by | (uint32_t)x << (32 - by));
}

typedef struct { int big0[3], big1[3], small0[3], small1[3]; } sha_turns; /* the last of a small one is a shift */
static const sha_turns turns_32 = {{2, 13, 22}, {6, 11, 25}, {7, 18, 3}, {17, 19, 10}},
                       turns_64 = {{28, 34, 39}, {14, 18, 41}, {1, 8, 7}, {19, 61, 6}};

static uint64_t big_sigma(uint64_t x, const int *by, int word) {
    return turn(x, by[0], word) ^ turn(x, by[1], word) ^ turn(x, by[2], word);
}
static uint64_t small_sigma(uint64_t x, const int *by, int word) {
    return turn(x, by[0], word) ^ turn(x, by[1], word) ^ x >> by[2];
}

static void sha_block(uint64_t state[8], const unsigned char *block, int word) {
    const sha_turns *by = word == 8 ? &turns_64 : &turns_32;
    int count = word == 8 ? 80 : 64;
    uint64_t w[80], mask = word == 8 ? UINT64_MAX : UINT32_MAX, v[8];
    for (int i = 0; i < 16; i++) {
        w[i] = 0;
        for (int j = 0; j < word; j++)
            w[i] = w[i] << 8 | block[i * word + j];
    }
    for (int i = 16; i < count; i++)
        w[i] = (small_sigma(w[i - 2], by->small1, word) + w[i - 7] + small_sigma(w[i - 15], by->small0, word) + w[i - 16]) & mask;
    memcpy(v, state, sizeof v);
    for (int i = 0; i < count; i++) {
        uint64_t key = word == 8 ? rounds[i] : rounds[i] >> 32;
        uint64_t t1 = v[7] + big_sigma(v[4], by->big1, word) + ((v[4] & v[5]) ^ (~v[4] & mask & v[6])) + key + w[i];
        uint64_t t2 = big_sigma(v[0], by->big0, word) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] = (v[4] + t1) & mask;
        v[0] = (t1 + t2) & mask;
    }
    for (int i = 0; i < 8; i++)
        state[i] = (state[i] + v[i]) & mask;
}

/* Writes bits / 4 hexadecimal digits. */
static void sha2(const sha_kind *kind, text value, char *digits) {
    uint64_t state[8];
    unsigned char last[256] = {0};
    uint32_t block = 16u * (uint32_t)kind->word, whole = value.length / block * block, rest = value.length - whole;
    memcpy(state, kind->start, sizeof state);
    uint64_t done = 0;
    for (uint32_t at = 0; at < whole; at += block, stay_cancellable(&done, 4 * block))
        sha_block(state, (const unsigned char *)value.bytes + at, kind->word);
    memcpy(last, value.bytes + whole, rest);
    last[rest] = 0x80;
    uint32_t padded = rest + 1 + 2u * (uint32_t)kind->word <= block ? block : 2 * block;
    uint64_t length = (uint64_t)value.length * 8;
    for (int i = 0; i < 8; i++)
        last[padded - 1 - (uint32_t)i] = (unsigned char)(length >> 8 * i);
    for (uint32_t at = 0; at < padded; at += block)
        sha_block(state, last + at, kind->word);
    for (int i = 0; i < kind->bits / 4; i++) {
        int per_word = 2 * kind->word;
        digits[i] = "0123456789abcdef"[state[i / per_word] >> 4 * (per_word - 1 - i % per_word) & 15];
    }
}

static void sha_rows(native_call *call) {
    char digits[128];
    EACH_ROW(call, row) {
        int32_t bits = ARGUMENT(call, int32_t, 1)[row];
        const sha_kind *kind = NULL;
        for (size_t i = 0; i < 4; i++)
            if (sha_kinds[i].bits == (bits ? bits : 256))
                kind = &sha_kinds[i];
        if (!kind) {
            set_null(call, row);
            continue;
        }
        sha2(kind, argument_text(call, 0, row), digits);
        set_text(call, row, digits, (size_t)kind->bits / 4);
    }
}

const native_function digest_functions[] = {
    {"spark_crc32", "v>l", crc_rows, NULL},
    {"spark_crc32", "x>l", crc_rows, NULL},
    {"spark_sha2", "vi>v", sha_rows, NULL},
    {"spark_sha2", "xi>v", sha_rows, NULL},
    {NULL}};
