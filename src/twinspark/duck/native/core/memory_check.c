/* Checks, before a large value is built, whether there is memory for it: DuckDB does not count strings and lists under
 * construction against its memory limit, and the kernel would kill the process.
 *
 * SQL spelling: spark_room(count, bytes) returns the count, or fails with OUT_OF_MEMORY if there is no memory for the bytes of
 * all rows of the vector; spark_process_memory(bytes) sets the limit of the process (0: none).
 * The count is passed through, so that DuckDB cannot build the value (not even in constant folding) without the check.
 * spark_room_unfolded is the same but volatile, for lists: what is computed from its count is not folded. A folded list is one Value of
 * DuckDB for each element, of 100 bytes and more, copied by every function around it, and no interrupt ends the folding. */
#include "core/native.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static const uint64_t SMALL = 16 << 20; /* never checked: the limit leaves more than that free */
static const uint64_t PART = 4;         /* the values of one vector may take a quarter of the limit */
static _Atomic uint64_t limit;

/* Address space and resident memory in bytes; zeros if the system does not report them. */
typedef struct { uint64_t size, resident; } memory_use;
static memory_use used_memory(void) {
    char line[128] = {0};
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, line, sizeof line - 1);
    if (file >= 0)
        close(file);
    if (length <= 0)
        return (memory_use){0, 0};
    char *rest;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), size = strtoull(line, &rest, 10), resident = strtoull(rest, NULL, 10);
    return (memory_use){size * page, resident * page};
}

static bool is_free(uint64_t bytes) {
    uint64_t most = atomic_load(&limit);
    memory_use used = used_memory();
    struct rlimit address;
    if (!getrlimit(RLIMIT_AS, &address) && address.rlim_cur != RLIM_INFINITY && used.size + bytes > address.rlim_cur)
        return false;
    return !most || used.resident + bytes <= most - most / 10;
}

bool has_room(uint64_t bytes) {
    uint64_t most = atomic_load(&limit);
    if (bytes <= SMALL)
        return true;
    if (most && bytes > most / PART)
        return false;
    if (is_free(bytes))
        return true;
#ifdef __GLIBC__
    malloc_trim(0); /* what was freed before may still be the process's */
#endif
    return is_free(bytes);
}

void out_of_memory(native_call *call, uint64_t bytes) {
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)bytes);
    spark_error(call, "OUT_OF_MEMORY", "bytes", number, NULL);
}

bool check_room(native_call *call, uint64_t bytes) {
    if (has_room(bytes))
        return true;
    out_of_memory(call, bytes);
    return false;
}

static void room_rows(native_call *call) {
    uint64_t bytes = 0;
    EACH_ROW(call, row) {
        int64_t each = ARGUMENT(call, int64_t, 1)[row];
        bytes += each > 0 ? (uint64_t)each : 0;
        RESULT(call, int64_t)[row] = ARGUMENT(call, int64_t, 0)[row];
        if (bytes > (uint64_t)INT64_MAX)
            break;
    }
    check_room(call, bytes);
}

static void limit_rows(native_call *call) {
    EACH_ROW(call, row) {
        atomic_store(&limit, (uint64_t)ARGUMENT(call, int64_t, 0)[row]);
        RESULT(call, bool)[row] = true;
    }
}

const native_function room_functions[] = {
    {"spark_room", "ll>l", room_rows, NULL}, {"spark_room_unfolded", "!ll>l", room_rows, NULL}, {"spark_process_memory", "l>b", limit_rows, NULL}, {NULL}};
