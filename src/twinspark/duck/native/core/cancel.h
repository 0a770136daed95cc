/* Cancellation of a running operation: a flag that the server sets and that every loop which can be long reads. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One operation's flag. Owned by the operation and by every function that was bound for it. */
typedef struct { atomic_bool requested; atomic_int owners; } cancellation;

/* The flag of the operation that this thread binds, with a reference for the caller; NULL outside of an operation. */
cancellation *share_current_cancellation(void);
cancellation *share_cancellation(cancellation *of);
/* The flag that spark_operation() gave this number; NULL for 0. */
const cancellation *numbered_cancellation(int16_t number);
void release_cancellation(void *of);

/* Set around every call of a function, for loops deep inside of it. */
void begin_cancellable(const cancellation *of);
void end_cancellable(void);

/* Ends the call (memory.h) if its operation is cancelled. */
void end_if_cancelled(void);

/* For a loop that can be long: checks about every millisecond. `done` counts the work since the last check in units of about
 * a nanosecond, `more` is what was added. */
static inline void stay_cancellable(uint64_t *done, uint64_t more) {
    enum { WORK_BETWEEN_LOOKS = 1 << 20 };
    *done += more;
    if (*done >= WORK_BETWEEN_LOOKS) {
        *done = 0;
        end_if_cancelled();
    }
}

/* A relaxed read of memory that only a cancellation writes: it stays in the processor's cache. */
static inline bool is_cancelled(const cancellation *of) {
    return of && atomic_load_explicit(&of->requested, memory_order_relaxed);
}
