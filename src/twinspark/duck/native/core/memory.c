/* Blocks of memory with their size in front, counted for the whole process; blocks that a call did not release are released at its end. */
#include "core/memory.h"
#include "core/marker.h"
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header of every block. Blocks of a call are linked in its ring, others in none. */
typedef struct block_head {
    struct block_head *previous, *next;
    size_t size;
    size_t reserved; /* what follows is aligned for every type */
} block_head;

typedef struct {
    block_head ring;
    sigjmp_buf way_out;
    enum block_owner owner;
} guard;

/* Every allocation reads these two: with glibc they are in the static TLS space that it reserves for libraries loaded later. */
#ifdef __GLIBC__
#define NEAR_THREAD __attribute__((tls_model("initial-exec")))
#else
#define NEAR_THREAD
#endif
static _Thread_local guard *current NEAR_THREAD;
static _Thread_local int64_t uncounted NEAR_THREAD; /* bytes not yet added to `in_use`; zero between calls */
static _Thread_local char message_of_end[256];
static _Atomic int64_t in_use;
static _Atomic int64_t limit = INT64_MAX;

enum { COUNT_AT_LEAST = 1 << 20 };

/* --- counting --- */

void set_memory_limit(uint64_t bytes) { atomic_store(&limit, bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes); }

uint64_t memory_in_use(void) {
    int64_t bytes = atomic_load(&in_use);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static int64_t count_now(void) {
    int64_t more = uncounted;
    uncounted = 0;
    return more ? atomic_fetch_add(&in_use, more) + more : atomic_load(&in_use);
}

/* An atomic addition for each small block would be expensive: inside a call they are counted in steps of a MiB. */
static int64_t count_some(void) {
    if (current && uncounted < COUNT_AT_LEAST && uncounted > -COUNT_AT_LEAST)
        return atomic_load_explicit(&in_use, memory_order_relaxed) + uncounted;
    return count_now();
}

/* False when that is more than the limit. */
static bool count_bytes(int64_t more) {
    uncounted += more;
    return count_some() <= atomic_load_explicit(&limit, memory_order_relaxed) || more <= 0;
}

/* --- ends --- */

const char *ended_with(void) { return message_of_end; }

_Noreturn void end_call(const char *message) {
    snprintf(message_of_end, sizeof message_of_end, "%s", message);
    if (!current) {
        fprintf(stderr, "twinspark: %s\n", message); /* nothing of ours allocates outside run_guarded */
        abort();
    }
    siglongjmp(current->way_out, 1);
}

_Noreturn void end_with_error(const char *error) {
    char message[256];
    snprintf(message, sizeof message, "%s%s", error_mark(), error);
    end_call(message);
}

_Noreturn void end_fall_back(const char *code, const char *detail) {
    char error[192];
    snprintf(error, sizeof error, "FALL_BACK|code=%s|detail=%s", code, detail);
    end_with_error(error);
}

_Noreturn void end_out_of_memory(size_t requested) {
    char error[128];
    snprintf(error, sizeof error, "UNABLE_TO_ACQUIRE_MEMORY|requestedBytes=%zu|receivedBytes=0", requested);
    end_with_error(error);
}

static void leave(guard *left) {
    while (left->ring.next != &left->ring)
        release(left->ring.next + 1);
    current = NULL;
    count_now();
}

bool run_guarded(void (*work)(void *), void *argument, enum block_owner owner) {
    guard here __attribute__((cleanup(leave))); /* also when DuckDB throws through us: built with -fexceptions */
    here.owner = owner;
    here.ring.previous = here.ring.next = &here.ring;
    current = &here;
    if (sigsetjmp(here.way_out, 0))
        return false;
    work(argument);
    return true;
}

/* --- blocks --- */

size_t checked_size(size_t count, size_t size, size_t extra) {
    size_t product, sum;
    if (__builtin_mul_overflow(count, size, &product) || __builtin_add_overflow(product, extra, &sum) ||
        sum > PTRDIFF_MAX - sizeof(block_head))
        end_out_of_memory(SIZE_MAX);
    return sum;
}

static void join_ring(block_head *head) {
    head->next = current->ring.next;
    head->previous = &current->ring;
    head->next->previous = head;
    current->ring.next = head;
}

static void *keep_block(block_head *head, size_t size, bool temporary) {
    if (!head) {
        count_bytes(-(int64_t)size);
        end_out_of_memory(size);
    }
    head->size = size;
    head->previous = head->next = NULL;
    if (temporary)
        join_ring(head);
    return head + 1;
}

static void count_block(size_t size) {
    if (count_bytes((int64_t)size))
        return;
    count_bytes(-(int64_t)size);
    end_out_of_memory(size);
}

static void *new_block(size_t count, size_t size, bool zeroed, bool temporary) {
    size_t bytes = checked_size(count, size, 0), whole = bytes + sizeof(block_head);
    count_block(bytes);
    return keep_block(zeroed ? calloc(1, whole) : malloc(whole), bytes, temporary);
}

static bool in_call(void) { return current && current->owner == OWNED_BY_CALL; }

void *allocate(size_t count, size_t size) { return new_block(count, size, false, in_call()); }
void *allocate_zeroed(size_t count, size_t size) { return new_block(count, size, true, in_call()); }
void *allocate_temporary(size_t count, size_t size) { return new_block(count, size, false, current != NULL); }
void *allocate_lasting(size_t count, size_t size) { return new_block(count, size, false, false); }

static void leave_ring(block_head *head) {
    if (!head->next)
        return;
    head->next->previous = head->previous;
    head->previous->next = head->next;
}

void *reallocate(void *block, size_t count, size_t size) {
    if (!block)
        return allocate(count, size);
    block_head *head = (block_head *)block - 1;
    size_t bytes = checked_size(count, size, 0), old = head->size;
    count_block(bytes);
    block_head *moved = realloc(head, bytes + sizeof *head);
    if (!moved) {
        count_bytes(-(int64_t)bytes);
        end_out_of_memory(bytes);
    }
    moved->size = bytes;
    count_bytes(-(int64_t)old);
    if (moved->next)
        moved->next->previous = moved->previous->next = moved;
    return moved + 1;
}

void *make_room(void *block, size_t *room, size_t needed, size_t size) {
    if (needed <= *room)
        return block;
    size_t more = *room > needed / 2 ? checked_size(*room, 2, 0) : needed;
    block = reallocate(block, more, size);
    *room = more;
    return block;
}

void release(void *block) {
    if (!block)
        return;
    block_head *head = (block_head *)block - 1;
    count_bytes(-(int64_t)head->size);
    leave_ring(head);
    free(head);
}
