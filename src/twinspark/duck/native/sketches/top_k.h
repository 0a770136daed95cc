/* The frequent items sketch in memory, for top_k_table.c, which counts, writes and reads it, and top_k.c. */
#pragma once
#include "sketches/sketches.h"

enum { LG_LEAST = 3, LG_GREATEST = 26 /* DataSketches' largest table */, FAMILY_FREQUENCY = 10, FLAG_NOTHING = 5 };

typedef struct { int64_t bits, count; char *bytes; uint32_t length; } counted; /* a place without a count is free */
typedef struct { counted *places; int32_t lg_size, lg_most; uint32_t active; int64_t nulls; char kind; bool refused; } top_k;

static inline bool is_kind(char kind) { return kind && strchr("btsilfdvDTZ", kind); }
static inline bool has_bytes(char kind) { return kind == 'v'; }
static inline size_t width(char kind) { return strchr("bt", kind) ? 1 : kind == 's' ? 2 : strchr("ifD", kind) ? 4 : 8; }

uint32_t top_k_home(const top_k *sketch, const counted *item);
void top_k_start(top_k *sketch, char kind, int32_t lg_most);
void top_k_add(top_k *sketch, counted item);
counted top_k_text(text value, int64_t count);
int64_t top_k_bits(char kind, const char *at);
void top_k_free(top_k *sketch);
void top_k_set(native_call *call, idx_t row, const top_k *sketch);
bool top_k_read(native_call *call, text image, char kind, top_k *sketch);
