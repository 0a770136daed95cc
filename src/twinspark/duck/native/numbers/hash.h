/* One value of any simple type, hashed as Spark's xxhash64 does. */
#pragma once
#include "core/native.h"

typedef enum { HASH_NOTHING, HASH_INT, HASH_LONG, HASH_FLOAT, HASH_DOUBLE, HASH_BYTES, HASH_BIG } hashed_as;
typedef struct { hashed_as as; int bytes; const void *data; } hash_column;

hash_column hash_argument(native_call *call); /* the first argument; HASH_NOTHING after an error */
uint64_t xxhash64_at(const native_call *call, const hash_column *column, idx_t row, uint64_t seed);
/* Of every row that is there; the others' are left as they are. */
void xxhash64_all(const native_call *call, const hash_column *column, uint64_t seed, uint64_t *hashes);
int32_t murmur_bytes(text value, int32_t seed); /* of bytes, as Spark's hash */
