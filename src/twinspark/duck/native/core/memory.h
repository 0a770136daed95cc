/* The extension's memory: sizes are checked, bytes are counted, and a failure ends DuckDB's call with Spark's error.
 *
 * No function here returns NULL. When a size overflows, the limit is reached or the system has no memory, `end_call` jumps
 * out to `run_guarded`, which releases the temporary blocks of the call; the error then is one of the query. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ByteArrayMethods.MAX_ROUNDED_ARRAY_LENGTH: no string, binary or array of Spark is longer. */
#define MOST_VALUE_BYTES ((size_t)INT32_MAX - 15)

/* --- sizes --- */

/* count * size + extra; ends the call where that wraps. */
size_t checked_size(size_t count, size_t size, size_t extra);

/* --- blocks; zero bytes are a block too --- */

void *allocate(size_t count, size_t size);
void *allocate_zeroed(size_t count, size_t size);
/* A block of a call in any case, also where an aggregate's state is filled: what is allocated there by the others belongs
 * to the state, whose destructor releases it. */
void *allocate_temporary(size_t count, size_t size);
/* A block that outlives every call: what is kept for the whole process. */
void *allocate_lasting(size_t count, size_t size);
/* The block with room for `count` items; NULL is an empty block. After a failure the old block is still there. */
void *reallocate(void *block, size_t count, size_t size);
/* The block with room for at least `needed` items: doubled when it is too small. `room` is set once it has grown. */
void *make_room(void *block, size_t *room, size_t needed, size_t size);
void release(void *block);

/* --- calls --- */

/* What the blocks of a guarded run belong to: to the run, or to a state that outlives it. */
enum block_owner { OWNED_BY_CALL, OWNED_BY_STATE };

/* Runs `work(argument)`. False when `end_call` ended it: then `ended_with()` is the message, and the blocks of the call are
 * released. A C++ exception of DuckDB that passes through releases them too. */
bool run_guarded(void (*work)(void *), void *argument, enum block_owner owner);
const char *ended_with(void);
/* Ends the guarded run at once with `message`; only the first 255 bytes are kept. */
_Noreturn void end_call(const char *message);
/* The same with an error of Spark's, "<CONDITION>|key=value" (errors/marker.py). */
_Noreturn void end_with_error(const char *error);
/* The same with a reason for falling back to Spark: its code (errors/reasons) and what it was in this query. */
_Noreturn void end_fall_back(const char *code, const char *detail);
_Noreturn void end_out_of_memory(size_t requested);

/* --- the limit: bytes of all blocks together, in all threads --- */

void set_memory_limit(uint64_t bytes);
uint64_t memory_in_use(void);
