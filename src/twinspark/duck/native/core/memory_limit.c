/* The memory limit of the extension: DuckDB's C API cannot count its memory against `memory_limit`, so it is half of that in
 * addition, set when the extension is loaded (docs/contribute/native.md).
 *
 * SQL spelling: spark_memory_limit(current_setting('memory_limit')) -> the bytes that are allowed now, for the whole process;
 * spark_memory_in_use(0) -> the bytes that are held now. */
#include "core/native.h"
#include <stdlib.h>

static double unit_bytes(const char *unit) {
    static const struct { const char *name; double bytes; } units[] = {
        {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].name, unit))
            return units[i].bytes;
    return 1;
}

/* DuckDB's forms of sizes: "18.8 GiB", "0 bytes", "134217728B". */
static uint64_t bytes_named(const char *words) {
    char *unit;
    double number = strtod(words, &unit);
    while (*unit == ' ')
        unit++;
    double bytes = number * unit_bytes(unit);
    return bytes > 0 && bytes < 0x1p62 ? (uint64_t)bytes : UINT64_MAX;
}

static void limit_rows(native_call *call) {
    EACH_ROW(call, row) {
        char *words = copy_text(argument_text(call, 0, row));
        uint64_t bytes = bytes_named(words) / 2;
        release(words);
        set_memory_limit(bytes);
        RESULT(call, int64_t)[row] = (int64_t)bytes;
    }
}

static void in_use_rows(native_call *call) {
    EACH_ROW(call, row) RESULT(call, int64_t)[row] = (int64_t)memory_in_use();
}

const native_function memory_functions[] = {
    {"spark_memory_limit", "v>l", limit_rows, NULL}, {"spark_memory_in_use", "i>l", in_use_rows, NULL}, {NULL}};
