/* KLL sketches of Apache DataSketches in memory, while they hold every item. */
#pragma once
#include "sketches/sketches.h"

enum { FAMILY_KLL = 15, KLL_M = 8, DEFAULT_K = 200, KLL_EMPTY = 1, KLL_SINGLE = 4 };
typedef enum { LONGS, FLOATS, DOUBLES } item_type;
typedef union { int64_t whole; float half; double real; } item;

/* Items in the order of the image. */
typedef struct { item *items; uint32_t count, k; size_t room; bool unasked, refused; item_type type; } kll_sketch;

static inline size_t item_width(item_type type) { return type == FLOATS ? 4 : 8; }

void append_sketch(kll_sketch *sketch, const kll_sketch *more);
void turn_round_sketch(kll_sketch *sketch);
void sort_sketch(kll_sketch *sketch);
/* The least item where the sign is negative, the greatest where it is positive. */
item extreme_of(const kll_sketch *sketch, int sign);
void set_kll(native_call *call, idx_t row, const kll_sketch *sketch);
/* False, after an error, when it is no sketch of such items, or one that only Spark can read. */
bool read_kll(native_call *call, text image, item_type type, kll_sketch *sketch);
