/* Tuple sketches, shared by tuple_images.c, tuple_aggregates.c, tuple.c. */
#pragma once
#include "sketches/sketches.h"

static inline bool estimating(const compact_sketch *sketch) { return sketch->theta < THETA_ONE && !sketch->empty; }

/* The sketch as the result of the row; its values are doubles, or whole numbers. */
void set_tuple(native_call *call, idx_t row, compact_sketch *sketch, bool real);
bool read_tuple(native_call *call, text image, bool real, compact_sketch *sketch);
/* A theta sketch, whose keys take the mode's value. */
bool read_as_tuple(native_call *call, text image, int mode, compact_sketch *sketch);

/* An intersection that grows. */
typedef struct { compact_sketch sketch; int32_t mode; bool started, skipped, real; } meeting;
void meeting_add(meeting *state, compact_sketch *next);
hash_table table_of(const compact_sketch *sketch);
