/* Spark's NumericHistogram: values merged into bins for each task, and the tasks' bins merged again.
 *
 * SQL spelling: spark_numeric_histogram(values, their tasks, bins) -> list of alternating x and y. Values come in the order of their tasks.
 * Which of equally near bins are merged is drawn from java.util.Random with a fixed seed in each task. */
#include "core/native.h"
#include <math.h>
#include <stdlib.h>

typedef struct { double x, y; } histogram_bin;
typedef struct { histogram_bin *bins; int used, most; uint64_t seed; } histogram;
typedef struct { uint64_t offset, length; } list_entry;

static const uint64_t MULTIPLIER = 0x5DEECE66DULL, SEED_MASK = (1ULL << 48) - 1;

static void open_histogram(histogram *made, int most, uint64_t room) {
    *made = (histogram){allocate_zeroed(checked_size(room, 1, 1), sizeof(histogram_bin)), 0, most, (31183 ^ MULTIPLIER) & SEED_MASK};
}

static uint64_t next_bits(histogram *of, int bits) {
    of->seed = (of->seed * MULTIPLIER + 0xB) & SEED_MASK;
    return of->seed >> (48 - bits);
}

static double next_double(histogram *of) {
    uint64_t high = next_bits(of, 26);
    return (double)((high << 27) + next_bits(of, 27)) * 0x1p-53;
}

static int nearest_pair(histogram *of) {
    double least = of->bins[1].x - of->bins[0].x;
    int found = 0, equal = 1;
    for (int i = 1; i < of->used - 1; i++) {
        double apart = of->bins[i + 1].x - of->bins[i].x;
        if (apart < least) {
            least = apart;
            found = i;
            equal = 1;
        } else if (apart == least && next_double(of) <= 1.0 / ++equal) {
            found = i;
        }
    }
    return found;
}

static void trim(histogram *of) {
    while (of->used > of->most) {
        int at = nearest_pair(of);
        histogram_bin *one = &of->bins[at], other = of->bins[at + 1];
        double height = one->y + other.y;
        one->x *= one->y / height;
        one->x += other.x / height * other.y;
        one->y = height;
        of->used--;
        memmove(one + 1, one + 2, (size_t)(of->used - at - 1) * sizeof *one);
    }
}

static void add_value(histogram *to, double value) {
    int bin = 0;
    for (int from = 0, until = to->used; from < until;) {
        bin = (from + until) / 2;
        if (to->bins[bin].x > value)
            until = bin;
        else if (to->bins[bin].x < value)
            from = ++bin;
        else
            break;
    }
    if (bin < to->used && to->bins[bin].x == value) {
        to->bins[bin].y++;
        return;
    }
    memmove(to->bins + bin + 1, to->bins + bin, (size_t)(to->used - bin) * sizeof *to->bins);
    to->bins[bin] = (histogram_bin){value, 1};
    to->used++;
    trim(to);
}

/* Double.compare: -0.0 is before 0.0; there are no NaNs. */
static bool is_before(double a, double b) { return a < b || (a == b && signbit(a) && !signbit(b)); }

/* The bins of the other come after equal ones, as in a stable sort. */
static void merge(histogram *into, const histogram *other) {
    for (int i = 0; i < other->used; i++) {
        int at = into->used++;
        for (; at > 0 && is_before(other->bins[i].x, into->bins[at - 1].x); at--)
            into->bins[at] = into->bins[at - 1];
        into->bins[at] = other->bins[i];
    }
    trim(into);
}

static const void *items_of(native_call *call, idx_t argument) {
    return duckdb_vector_get_data(duckdb_list_vector_get_child(duckdb_data_chunk_get_vector(call->chunk, argument)));
}

static void set_bins(native_call *call, idx_t row, const histogram *found) {
    idx_t at = duckdb_list_vector_get_size(call->result), length = 2 * (idx_t)found->used;
    duckdb_list_vector_reserve(call->result, at + length);
    duckdb_list_vector_set_size(call->result, at + length);
    RESULT(call, list_entry)[row] = (list_entry){at, length};
    double *out = (double *)duckdb_vector_get_data(duckdb_list_vector_get_child(call->result)) + at;
    memcpy(out, found->bins, (size_t)found->used * sizeof *found->bins);
}

static void histogram_rows(native_call *call) {
    EACH_ROW(call, row) {
        list_entry entry = ARGUMENT(call, list_entry, 0)[row], other = ARGUMENT(call, list_entry, 1)[row];
        const double *values = (const double *)items_of(call, 0) + entry.offset;
        const int64_t *tasks = (const int64_t *)items_of(call, 1) + other.offset;
        int most = ARGUMENT(call, int32_t, 2)[row];
        if (most < 1 || other.length != entry.length || entry.length > INT32_MAX) {
            misuse(call, "twinspark: a histogram has bins, and each of its values a task");
            return;
        }
        histogram whole, task;
        open_histogram(&whole, most, entry.length);
        for (uint64_t i = 0; i < entry.length;) {
            open_histogram(&task, most, entry.length);
            int64_t number = tasks[i];
            for (; i < entry.length && tasks[i] == number; i++)
                add_value(&task, values[i]);
            merge(&whole, &task);
            release(task.bins);
        }
        set_bins(call, row, &whole);
        release(whole.bins);
    }
}

const native_function histogram_functions[] = {{"spark_numeric_histogram", "[d[li>[d", histogram_rows, NULL}, {NULL}};
