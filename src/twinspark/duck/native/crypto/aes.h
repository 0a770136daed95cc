/* AES of one block, with a key that is prepared once. */
#pragma once
#include "core/native.h"

enum { BLOCK = 16, MOST_ROUNDS = 14, MOST_KEY = 32 };
/* `words` are the round keys; `unwords` those for decryption by processor instructions; `key` is the key itself. */
typedef struct { uint8_t words[MOST_ROUNDS + 1][BLOCK], unwords[MOST_ROUNDS + 1][BLOCK]; int rounds; uint32_t length; char key[MOST_KEY]; } key_schedule;

void prepare_key(key_schedule *schedule, text key); /* of 16, 24 or 32 bytes; does nothing if it was this key before */
void encrypt_block(const key_schedule *key, uint8_t *block);
void decrypt_block(const key_schedule *key, uint8_t *block);
