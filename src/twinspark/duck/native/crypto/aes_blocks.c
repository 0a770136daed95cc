/* AES of one block (FIPS 197): by AES instructions of the processor if it has them, else in plain C. */
#include "crypto/aes.h"

/* The S-box is the inverse in GF(2^8) and an affine map; made once, from its definition. */
static uint8_t box[256], unbox[256];

static uint8_t twice(uint8_t x) { return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0)); }
static uint8_t rotated(uint8_t x, int by) { return (uint8_t)(x << by | x >> (8 - by)); }

__attribute__((constructor)) static void make_boxes(void) {
    uint8_t power = 1, inverse = 1;
    do {
        power = (uint8_t)(power ^ twice(power)); /* times three, a generator */
        inverse ^= (uint8_t)(inverse << 1);      /* divided by three */
        inverse ^= (uint8_t)(inverse << 2);
        inverse ^= (uint8_t)(inverse << 4);
        inverse ^= inverse & 0x80 ? 0x09 : 0;
        box[power] = (uint8_t)(inverse ^ rotated(inverse, 1) ^ rotated(inverse, 2) ^ rotated(inverse, 3) ^
                               rotated(inverse, 4) ^ 0x63);
    } while (power != 1);
    box[0] = 0x63;
    for (int i = 0; i < 256; i++)
        unbox[box[i]] = (uint8_t)i;
}

static void expand_key(key_schedule *made, text key) {
    int words = (int)key.length / 4, all;
    uint8_t *out = &made->words[0][0], constant = 1;
    made->rounds = words + 6;
    all = 4 * (made->rounds + 1);
    memcpy(out, key.bytes, key.length);
    for (int i = words; i < all; i++) {
        uint8_t last[4];
        memcpy(last, out + 4 * (i - 1), 4);
        if (i % words == 0) {
            uint8_t first = last[0];
            last[0] = box[last[1]] ^ constant, last[1] = box[last[2]], last[2] = box[last[3]], last[3] = box[first];
            constant = twice(constant);
        } else if (words > 6 && i % words == 4)
            for (int k = 0; k < 4; k++)
                last[k] = box[last[k]];
        for (int k = 0; k < 4; k++)
            out[4 * i + k] = out[4 * (i - words) + k] ^ last[k];
    }
}

static void add_words(uint8_t *block, const uint8_t *words) {
    for (int i = 0; i < BLOCK; i++)
        block[i] ^= words[i];
}

/* Bytes substituted, rows shifted (the column of row r moves by r). */
static void substitute(uint8_t *block, const uint8_t *by, int direction) {
    uint8_t old[BLOCK];
    memcpy(old, block, BLOCK);
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            block[4 * column + row] = by[old[4 * ((column + direction * row + 4) % 4) + row]];
}

static void mix_columns(uint8_t *block) {
    for (uint8_t *c = block; c < block + BLOCK; c += 4) {
        uint8_t all = c[0] ^ c[1] ^ c[2] ^ c[3], first = c[0];
        for (int i = 0; i < 3; i++)
            c[i] ^= all ^ twice(c[i] ^ c[i + 1]);
        c[3] ^= all ^ twice(c[3] ^ first);
    }
}

static void unmix_columns(uint8_t *block) {
    for (uint8_t *c = block; c < block + BLOCK; c += 4) {
        uint8_t even = twice(twice(c[0] ^ c[2])), odd = twice(twice(c[1] ^ c[3]));
        c[0] ^= even, c[2] ^= even, c[1] ^= odd, c[3] ^= odd;
    }
    mix_columns(block);
}

static void encrypt_plainly(const key_schedule *key, uint8_t *block) {
    add_words(block, key->words[0]);
    for (int round = 1; round <= key->rounds; round++) {
        substitute(block, box, 1);
        if (round < key->rounds)
            mix_columns(block);
        add_words(block, key->words[round]);
    }
}

static void decrypt_plainly(const key_schedule *key, uint8_t *block) {
    for (int round = key->rounds; round > 0; round--) {
        add_words(block, key->words[round]);
        if (round < key->rounds)
            unmix_columns(block);
        substitute(block, unbox, -1);
    }
    add_words(block, key->words[0]);
}

/* --- the processor's own --- */

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <wmmintrin.h>
#define WITH_AES __attribute__((target("aes")))

/* __builtin_cpu_supports would need a table of the compiler's own library, which zig does not link into a library. */
static bool has_instructions(void) {
    unsigned eax, ebx, ecx = 0, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_AES);
}

static inline WITH_AES __m128i loaded(const uint8_t *at) { return _mm_loadu_si128((const __m128i *)at); }

/* A processor decrypts with the middle round keys unmixed beforehand. */
static WITH_AES void unmix_words(key_schedule *made) {
    for (int round = 1; round < made->rounds; round++)
        _mm_storeu_si128((__m128i *)made->unwords[round], _mm_aesimc_si128(loaded(made->words[round])));
}

static WITH_AES void encrypt_by_processor(const key_schedule *key, uint8_t *block) {
    __m128i state = _mm_xor_si128(loaded(block), loaded(key->words[0]));
    for (int round = 1; round < key->rounds; round++)
        state = _mm_aesenc_si128(state, loaded(key->words[round]));
    _mm_storeu_si128((__m128i *)block, _mm_aesenclast_si128(state, loaded(key->words[key->rounds])));
}

static WITH_AES void decrypt_by_processor(const key_schedule *key, uint8_t *block) {
    __m128i state = _mm_xor_si128(loaded(block), loaded(key->words[key->rounds]));
    for (int round = key->rounds - 1; round > 0; round--)
        state = _mm_aesdec_si128(state, loaded(key->unwords[round]));
    _mm_storeu_si128((__m128i *)block, _mm_aesdeclast_si128(state, loaded(key->words[0])));
}
#else
static bool has_instructions(void) { return false; }
static void unmix_words(key_schedule *made) { (void)made; }
#define encrypt_by_processor encrypt_plainly
#define decrypt_by_processor decrypt_plainly
#endif

static bool by_processor;
__attribute__((constructor)) static void choose(void) { by_processor = has_instructions(); }

void prepare_key(key_schedule *schedule, text key) {
    if (schedule->length == key.length && !memcmp(schedule->key, key.bytes, key.length))
        return;
    expand_key(schedule, key);
    if (by_processor)
        unmix_words(schedule);
    schedule->length = key.length;
    memcpy(schedule->key, key.bytes, key.length);
}

void encrypt_block(const key_schedule *key, uint8_t *block) {
    if (by_processor)
        encrypt_by_processor(key, block);
    else
        encrypt_plainly(key, block);
}

void decrypt_block(const key_schedule *key, uint8_t *block) {
    if (by_processor)
        decrypt_by_processor(key, block);
    else
        decrypt_plainly(key, block);
}
