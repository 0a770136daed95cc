/* Shared declarations of the DataSketches sketches: hashed keys, output buffers, theta and tuple sketches in memory. */
#pragma once
#include "core/native.h"

/* --- keys: sketch_keys.c --- */

enum { SKETCH_SEED = 9001, SKETCH_SEED_HASH = 0x93cc };

typedef enum { KEY_NOTHING, KEY_INT, KEY_LONG, KEY_FLOAT, KEY_DOUBLE, KEY_BYTES, KEY_INTS, KEY_LONGS } key_kind;
typedef struct {
    key_kind kind;
    const void *data;             /* of the column, or of the elements of its arrays */
    const uint64_t *ranges;       /* offset and length of each array */
    const uint64_t *element_valid;
} key_column;

key_column key_argument(native_call *call, int argument);
/* False for what the sketches pass over: empty texts, bytes and arrays. */
bool key_hash(native_call *call, const key_column *column, idx_t row, uint64_t hash[2]);

/* The input falls back to Spark. */

/* --- bytes --- */

typedef struct { uint8_t *bytes; size_t length, room; } byte_buffer;
void put_bytes(byte_buffer *buffer, const void *bytes, size_t length);
static inline void put_byte(byte_buffer *buffer, uint8_t value) { put_bytes(buffer, &value, 1); }
static inline void put_short(byte_buffer *buffer, uint16_t value) { put_bytes(buffer, &value, 2); }
static inline void put_int(byte_buffer *buffer, uint32_t value) { put_bytes(buffer, &value, 4); }
static inline void put_long(byte_buffer *buffer, uint64_t value) { put_bytes(buffer, &value, 8); }
/* Gives the bytes to the result and frees them. */
void set_bytes(native_call *call, idx_t row, byte_buffer *buffer);

static inline uint16_t short_at(const char *at) { uint16_t value; memcpy(&value, at, 2); return value; }
static inline uint32_t int_at(const char *at) { uint32_t value; memcpy(&value, at, 4); return value; }
static inline uint64_t long_at(const char *at) { uint64_t value; memcpy(&value, at, 8); return value; }
static inline double double_at(const char *at) { double value; memcpy(&value, at, 8); return value; }

/* java.lang.Math.round */
int64_t java_round(double value);

/* --- theta and tuple sketches: quick_select.c --- */

enum { MODE_SUM, MODE_MIN, MODE_MAX, MODE_ONE };
#define THETA_ONE 0x7fffffffffffffffULL

/* The summary of a key; one of the two values is used. */
typedef struct { double real; int32_t whole; int32_t mode; } summary;
typedef struct { uint64_t theta; bool empty; uint32_t count; uint64_t *hashes; summary *summaries; } compact_sketch;
typedef struct { int lg_size; uint64_t *hashes; summary *summaries; } hash_table;

void free_compact(compact_sketch *sketch);
hash_table new_table(int lg_size, bool summaries);
void free_table(hash_table *table);
/* The place of a hash, or the free place for it. */
uint32_t table_place(const hash_table *table, uint64_t hash);

/* DataSketches' Union, whose gadget is a quick select sketch; also what an aggregate of keys fills. */
typedef struct {
    hash_table table;
    int32_t lg_nominal;
    uint32_t count;
    uint64_t gadget_theta, theta;
    bool filled, gadget_filled; /* not empty */
    bool summaries;
} sketch_union;

void union_start(sketch_union *state, int32_t lg_nominal, bool summaries);
/* The place of a key's summary, NULL when the sketch does not keep it; `found` says whether it was there before. */
summary *union_key(sketch_union *state, uint64_t hash, bool *found);
/* To be called after each key: the table grows, or is reduced to the smallest hashes. */
void union_settle(sketch_union *state);
void union_add(sketch_union *state, const compact_sketch *sketch, int mode);
void union_merge(sketch_union *target, const sketch_union *source, int mode);
compact_sketch union_result(const sketch_union *state);
void union_free(sketch_union *state);

summary new_summary(int mode);
void summary_update(summary *into, double real, int32_t whole);
summary summary_of_both(int mode, summary a, summary b);

/* theta.c; a malformed or unsupported image makes the plan fall back to Spark and returns false. */
bool read_theta(native_call *call, text image, compact_sketch *sketch);
void write_theta(byte_buffer *out, compact_sketch *sketch);
