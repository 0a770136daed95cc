/* Links a running operation of the server with the functions that DuckDB calls for it.
 *
 * DuckDB's C API (v1.5.6) does not show a scalar function whether its query was interrupted, so the server passes a flag.
 * DuckDB binds functions in the thread that submits the query: the server sets its flag for that thread
 * (twinspark_use_cancellation), binding adds a reference to it, and every thread that runs the function reads it. */
#include "core/cancel.h"
#include "core/memory.h"
#include "core/native.h"

#define EXPORTED __attribute__((visibility("default")))

/* Flags are numbered and never freed: an aggregate, which DuckDB binds without a callback, gets the number of its operation. */
enum { MOST_OPERATIONS = 4096 };
static cancellation flags[MOST_OPERATIONS];
static atomic_uint next_flag;

static _Thread_local cancellation *current;       /* of the query that this thread binds */
static _Thread_local const cancellation *running; /* of the function that this thread runs */

void begin_cancellable(const cancellation *of) { running = of; }
void end_cancellable(void) { running = NULL; }
void end_if_cancelled(void) {
    if (is_cancelled(running))
        end_with_error("OPERATION_CANCELED");
}

cancellation *share_cancellation(cancellation *of) {
    if (of)
        atomic_fetch_add_explicit(&of->owners, 1, memory_order_relaxed);
    return of;
}

cancellation *share_current_cancellation(void) { return share_cancellation(current); }

void release_cancellation(void *of) {
    cancellation *left = of;
    if (left)
        atomic_fetch_sub_explicit(&left->owners, 1, memory_order_acq_rel);
}

const cancellation *numbered_cancellation(int16_t number) {
    return number > 0 && number <= MOST_OPERATIONS ? &flags[number - 1] : NULL;
}

/* NULL if all flags have owners: the operation then ends between two chunks of rows, as DuckDB itself does. */
EXPORTED cancellation *twinspark_new_cancellation(void) {
    for (unsigned tried = 0; tried < MOST_OPERATIONS; tried++) {
        cancellation *flag = &flags[atomic_fetch_add_explicit(&next_flag, 1, memory_order_relaxed) % MOST_OPERATIONS];
        int nobody = 0;
        if (atomic_compare_exchange_strong(&flag->owners, &nobody, 1)) {
            atomic_store(&flag->requested, false);
            return flag;
        }
    }
    return NULL;
}

/* Returns the previous flag, for the caller to restore it. */
EXPORTED cancellation *twinspark_use_cancellation(cancellation *of) {
    cancellation *before = current;
    current = of;
    return before;
}

EXPORTED void twinspark_cancel(cancellation *of) {
    if (of)
        atomic_store_explicit(&of->requested, true, memory_order_relaxed);
}

EXPORTED void twinspark_release_cancellation(cancellation *of) { release_cancellation(of); }

/* spark_operation(): the number of the operation that a statement is planned for, 0 outside of one; what aggregates that can
 * be long take as their last argument. The number is the operation's own while it runs, and may be another's after it. */
static void operation_rows(native_call *call) {
    for (idx_t row = 0; row < call->rows; row++)
        RESULT(call, int16_t)[row] = (int16_t)(call->cancel ? call->cancel - flags + 1 : 0);
}

const native_function operation_functions[] = {{"spark_operation", ">s", operation_rows, NULL}, {NULL}};
