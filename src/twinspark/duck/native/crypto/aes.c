/* AES in the modes of aes_encrypt and aes_decrypt: ECB and CBC with padding, GCM with its tag (FIPS 197, NIST SP 800-38A/D).
 *
 * SQL spelling: spark_aes_encrypt(bytes, key, mode, padding, iv, aad), spark_aes_decrypt(bytes, key, mode, padding, aad),
 * spark_try_aes_decrypt(...) -> BLOB. Input that cannot be decrypted falls back to Spark, which raises Java's message. */
#include "crypto/aes.h"
#include <stdio.h>
#include <strings.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
/* glibc has getentropy since 2.25; the wheels are made for 2.17. */
static bool random_bytes(uint8_t *into, size_t length) { return syscall(SYS_getrandom, into, length, 0) == (long)length; }
#else
#include <sys/random.h>
static bool random_bytes(uint8_t *into, size_t length) { return getentropy(into, length) == 0; }
#endif

enum { GCM_IV = 12 };
enum mode { NO_MODE, ECB, CBC, GCM };

static void add_words(uint8_t *block, const uint8_t *words) {
    for (int i = 0; i < BLOCK; i++)
        block[i] ^= words[i];
}

/* --- the modes; `into` has room for the input and a block more --- */

static size_t encrypt_padded(const key_schedule *key, text in, const uint8_t *iv, uint8_t *into) {
    size_t length = in.length / BLOCK * BLOCK + BLOCK;
    memcpy(into, in.bytes, in.length);
    memset(into + in.length, (int)(length - in.length), length - in.length);
    uint64_t done = 0;
    for (size_t at = 0; at < length; at += BLOCK, stay_cancellable(&done, 8 * BLOCK)) {
        if (iv)
            add_words(into + at, at ? into + at - BLOCK : iv);
        encrypt_block(key, into + at);
    }
    return length;
}

/* False when the padding is not one. */
static bool decrypt_padded(const key_schedule *key, text in, const uint8_t *iv, uint8_t *into, size_t *length) {
    *length = in.length;
    if (in.length % BLOCK || !in.length)
        return !in.length;
    memcpy(into, in.bytes, in.length);
    uint64_t done = 0;
    for (size_t at = 0; at < in.length; at += BLOCK, stay_cancellable(&done, 8 * BLOCK)) {
        decrypt_block(key, into + at);
        if (iv)
            add_words(into + at, at ? (const uint8_t *)in.bytes + at - BLOCK : iv);
    }
    uint8_t pad = into[in.length - 1], wrong = pad < 1 || pad > BLOCK;
    for (size_t i = 0; !wrong && i < pad; i++)
        wrong |= into[in.length - 1 - i] != pad;
    *length = in.length - (wrong ? 0 : pad);
    return !wrong;
}

typedef struct { uint64_t high, low; } field_element; /* of GF(2^128), the first bit highest */

static uint64_t big_endian(const uint8_t *at) {
    uint64_t made = 0;
    for (int i = 0; i < 8; i++)
        made = made << 8 | at[i];
    return made;
}

static void put_big_endian(uint8_t *at, uint64_t value) {
    for (int i = 7; i >= 0; i--, value >>= 8)
        at[i] = (uint8_t)value;
}

static field_element multiplied(field_element a, field_element b) {
    field_element made = {0, 0};
    for (int i = 0; i < 128; i++) {
        uint64_t taken = -((i < 64 ? a.high >> (63 - i) : a.low >> (127 - i)) & 1), carry = -(b.low & 1);
        made.high ^= b.high & taken, made.low ^= b.low & taken;
        b.low = b.low >> 1 | b.high << 63;
        b.high = b.high >> 1 ^ (carry & 0xe100000000000000ULL);
    }
    return made;
}

static void hash_bytes(field_element *hash, field_element by, const uint8_t *bytes, size_t length) {
    uint64_t done = 0;
    for (size_t at = 0; at < length; at += BLOCK, stay_cancellable(&done, 8 * BLOCK)) {
        uint8_t block[BLOCK] = {0};
        memcpy(block, bytes + at, length - at < BLOCK ? length - at : BLOCK);
        hash->high ^= big_endian(block), hash->low ^= big_endian(block + 8);
        *hash = multiplied(*hash, by);
    }
}

/* The stream of GCM, from the block after the first, laid over the bytes. */
static void lay_over(const key_schedule *key, const uint8_t *iv, uint8_t *bytes, size_t length) {
    uint64_t done = 0;
    for (size_t at = 0; at < length; at += BLOCK, stay_cancellable(&done, 8 * BLOCK)) {
        uint32_t number = (uint32_t)(at / BLOCK) + 2;
        uint8_t block[BLOCK];
        memcpy(block, iv, GCM_IV);
        for (int i = 0; i < 4; i++)
            block[GCM_IV + i] = (uint8_t)(number >> (24 - 8 * i));
        encrypt_block(key, block);
        for (size_t i = 0; i < BLOCK && at + i < length; i++)
            bytes[at + i] ^= block[i];
    }
}

static void make_tag(const key_schedule *key, const uint8_t *iv, text aad, const uint8_t *bytes, size_t length, uint8_t *tag) {
    uint8_t zero[BLOCK] = {0}, first[BLOCK] = {0}, lengths[BLOCK];
    field_element hash = {0, 0};
    encrypt_block(key, zero);
    field_element by = {big_endian(zero), big_endian(zero + 8)};
    hash_bytes(&hash, by, (const uint8_t *)aad.bytes, aad.length);
    hash_bytes(&hash, by, bytes, length);
    put_big_endian(lengths, 8 * (uint64_t)aad.length);
    put_big_endian(lengths + 8, 8 * (uint64_t)length);
    hash_bytes(&hash, by, lengths, BLOCK);
    memcpy(first, iv, GCM_IV);
    first[BLOCK - 1] = 1;
    encrypt_block(key, first);
    put_big_endian(tag, hash.high);
    put_big_endian(tag + 8, hash.low);
    add_words(tag, first);
}

/* --- Spark's functions --- */

static bool is_word(text value, const char *word) {
    return value.length == strlen(word) && !strncasecmp(value.bytes, word, value.length);
}

static enum mode mode_of(text mode, text padding) {
    bool pads = is_word(padding, "PKCS") || is_word(padding, "DEFAULT");
    if (pads && is_word(mode, "ECB"))
        return ECB;
    if (pads && is_word(mode, "CBC"))
        return CBC;
    return is_word(mode, "GCM") && (is_word(padding, "NONE") || is_word(padding, "DEFAULT")) ? GCM : NO_MODE;
}

#define BOTH_NAMES "`aes_encrypt`/`aes_decrypt`"

static bool is_key(text key) { return key.length == 16 || key.length == 24 || key.length == 32; }

/* The mode, or none after an error. */
static enum mode begin(native_call *call, text key, text mode, text padding, key_schedule *schedule) {
    if (!is_key(key)) {
        char length[16];
        snprintf(length, sizeof length, "%u", key.length);
        spark_error(call, "INVALID_PARAMETER_VALUE.AES_KEY_LENGTH", "parameter", "`key`", "functionName", BOTH_NAMES,
                    "actualLength", length, NULL);
        return NO_MODE;
    }
    enum mode found = mode_of(mode, padding);
    if (found == NO_MODE)
        fall_back(call, "FUNCTION_ARGUMENT_VALUE", "AES: an unknown mode");
    else
        prepare_key(schedule, key);
    return found;
}

static size_t encrypted(const key_schedule *key, enum mode mode, text in, const uint8_t *iv, text aad, uint8_t *into) {
    size_t head = mode == CBC ? BLOCK : mode == GCM ? GCM_IV : 0;
    memcpy(into, iv, head);
    if (mode != GCM)
        return head + encrypt_padded(key, in, head ? iv : NULL, into + head);
    memcpy(into + head, in.bytes, in.length);
    lay_over(key, iv, into + head, in.length);
    make_tag(key, iv, aad, into + head, in.length, into + head + in.length);
    return head + in.length + BLOCK;
}

static void encrypt_rows(native_call *call) {
    key_schedule key = {.length = 0};
    EACH_ROW(call, row) {
        text in = argument_text(call, 0, row), iv = argument_text(call, 4, row), aad = argument_text(call, 5, row);
        enum mode mode = begin(call, argument_text(call, 1, row), argument_text(call, 2, row), argument_text(call, 3, row), &key);
        uint32_t needed = mode == CBC ? BLOCK : mode == GCM ? GCM_IV : 0;
        uint8_t chosen[BLOCK] = {0}, *into;
        if (mode == NO_MODE)
            continue;
        if ((iv.length && iv.length != needed) || (aad.length && mode != GCM)) {
            fall_back(call, "FUNCTION_ROW_VALUE", "AES: an initialization vector or additional data that the mode does not take");
            continue;
        }
        if (iv.length)
            memcpy(chosen, iv.bytes, needed);
        else if (needed && !random_bytes(chosen, needed)) {
            misuse(call, "twinspark: no random bytes");
            continue;
        }
        into = (uint8_t *)room_for_text(call, (size_t)in.length + 3 * BLOCK);
        set_written(call, row, encrypted(&key, mode, in, chosen, aad, into));
    }
}

/* False when the bytes were not made with this key. */
static bool decrypted(const key_schedule *key, enum mode mode, text in, text aad, uint8_t *into, size_t *length) {
    const uint8_t *iv = (const uint8_t *)in.bytes;
    uint32_t head = mode == CBC ? BLOCK : mode == GCM ? GCM_IV : 0;
    if (in.length < head)
        return false;
    text rest = {in.bytes + head, in.length - head};
    if (mode != GCM)
        return decrypt_padded(key, rest, head ? iv : NULL, into, length);
    if (rest.length < BLOCK)
        return false;
    uint8_t tag[BLOCK], wrong = 0;
    *length = rest.length - BLOCK;
    make_tag(key, iv, aad, (const uint8_t *)rest.bytes, *length, tag);
    for (int i = 0; i < BLOCK; i++)
        wrong |= tag[i] ^ (uint8_t)rest.bytes[*length + (size_t)i];
    memcpy(into, rest.bytes, *length);
    lay_over(key, iv, into, *length);
    return !wrong;
}

static void decrypt_rows(native_call *call) {
    bool tries = call->function->extra != NULL;
    key_schedule key = {.length = 0};
    EACH_ROW(call, row) {
        text in = argument_text(call, 0, row), with = argument_text(call, 1, row), aad = argument_text(call, 4, row);
        text mode_text = argument_text(call, 2, row), padding = argument_text(call, 3, row);
        if (tries && (!is_key(with) || mode_of(mode_text, padding) == NO_MODE)) {
            set_null(call, row);
            continue;
        }
        enum mode mode = begin(call, with, mode_text, padding, &key);
        size_t length = 0;
        if (mode == NO_MODE)
            continue;
        uint8_t *into = (uint8_t *)room_for_text(call, (size_t)in.length + BLOCK);
        if (aad.length && mode == CBC && !tries)
            fall_back(call, "FUNCTION_ROW_VALUE", "AES: additional data that the mode does not take");
        else if (!(aad.length && mode == CBC) && decrypted(&key, mode, in, aad, into, &length))
            set_written(call, row, length);
        else if (tries)
            set_null(call, row);
        else
            fall_back(call, "FUNCTION_ROW_VALUE", "AES: bytes that cannot be decrypted");
    }
}

const native_function aes_functions[] = {
    {"spark_aes_encrypt", "xxvvxx>x", encrypt_rows, NULL},
    {"spark_aes_decrypt", "xxvvx>x", decrypt_rows, NULL},
    {"spark_try_aes_decrypt", "xxvvx>x", decrypt_rows, "try"},
    {NULL}};
