/* upper, lower and initcap with ICU's full case mappings, as Spark has them (the tables are recorded from Spark).
 *
 * SQL spelling: spark_upper(s), spark_lower(s), spark_initcap(s); spark_ilike(s, part, ends): whether lower(s) equals the
 * part; ends is 1 if other text may come before it, 2 if after it, 3 for both. */
#include "text/letters.h"
#include "text/case_tables.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
typedef struct { const case_run *runs; size_t run_count; const long_case *longer; size_t long_count; } case_map;
static const case_map to_upper = {upper_runs, COUNT(upper_runs), upper_long, COUNT(upper_long)},
                      to_lower = {lower_runs, COUNT(lower_runs), lower_long, COUNT(lower_long)},
                      to_title = {title_runs, COUNT(title_runs), title_long, COUNT(title_long)};

static const long_case *long_mapping(const case_map *map, uint32_t c) {
    size_t low = 0, high = map->long_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (map->longer[middle].code < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low < map->long_count && map->longer[low].code == c ? &map->longer[low] : NULL;
}

static uint32_t short_mapping(const case_map *map, uint32_t c) {
    size_t low = 0, high = map->run_count; /* the first run that ends at c or later; runs with step 2 may interleave */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (map->runs[middle].first > c)
            high = middle;
        else
            low = middle + 1;
    }
    for (size_t i = low; i-- > 0 && i + 3 >= low;) {
        const case_run *run = &map->runs[i];
        if (c <= run->last && (c - run->first) % (uint32_t)run->step == 0)
            return (uint32_t)((int32_t)c + run->difference);
    }
    return c;
}

static char *append_mapped(char *at, const case_map *map, uint32_t c) {
    const long_case *longer = long_mapping(map, c);
    if (!longer)
        return at + write_character(at, short_mapping(map, c));
    for (int i = 0; i < 3 && longer->mapped[i]; i++)
        at += write_character(at, longer->mapped[i]);
    return at;
}

static bool within(const case_span *spans, size_t count, uint32_t c) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (spans[middle].last < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && spans[low].first <= c;
}

static bool cased(uint32_t c) {
    if (c < 0x80)
        return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    return within(cased_spans, COUNT(cased_spans), c);
}
static bool ignorable(uint32_t c) {
    if (c < 0x80)
        return c == '\'' || c == '.' || c == ':' || c == '^' || c == '`';
    return within(ignorable_spans, COUNT(ignorable_spans), c);
}

enum { CAPITAL_SIGMA = 0x3A3, SMALL_SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2 };

static bool letter_follows(const char *at, const char *end) {
    for (; at < end; at += character_bytes((unsigned char)*at)) {
        uint32_t c = character_at(at);
        if (!ignorable(c))
            return cased(c);
    }
    return false;
}

/* Three times the bytes and a little are enough for every mapping. */
static size_t mapped_size(text value) { return 3 * (size_t)value.length + 16; }

/* Eight characters at once: the high bit of a byte says whether it is one of the 26 letters. */
static inline uint64_t other_case(uint64_t word, char first) {
    const uint64_t ones = 0x0101010101010101ULL;
    uint64_t from = word + ones * (0x80 - (uint64_t)first), past = word + ones * (0x80 - (uint64_t)first - 26);
    return word ^ ((from & ~past & 0x80 * ones) >> 2);
}

/* False where the text is not all ASCII. */
static bool ascii_case(text value, char *into, bool upper) {
    char first = upper ? 'a' : 'A';
    uint64_t word, all = 0;
    uint32_t i = 0;
    for (; i + 8 <= value.length; i += 8) {
        memcpy(&word, value.bytes + i, 8);
        all |= word;
        word = other_case(word & 0x7F7F7F7F7F7F7F7FULL, first);
        memcpy(into + i, &word, 8);
    }
    for (; i < value.length; i++) {
        char c = value.bytes[i];
        all |= (unsigned char)c;
        into[i] = (unsigned char)(c - first) < 26 ? (char)(c ^ 0x20) : c;
    }
    return !(all & 0x8080808080808080ULL);
}

static size_t upper_text(text value, char *into) {
    char *at = into;
    for (uint32_t i = 0; i < value.length;) {
        unsigned char byte = (unsigned char)value.bytes[i];
        if (byte < 0x80)
            *at++ = (char)((unsigned)byte - 'a' < 26u ? byte ^ 0x20 : byte);
        else
            at = append_mapped(at, &to_upper, character_at(value.bytes + i));
        i += character_bytes(byte);
    }
    return (size_t)(at - into);
}

/* initcap: the first character of the text and those after an ASCII space are title-cased, the others lower-cased. */
static size_t lower_text(text value, char *into, bool capitals) {
    char *at = into;
    const char *end = value.bytes + value.length;
    bool first = true, letter_before = false;
    for (const char *from = value.bytes; from < end;) {
        uint32_t c = character_at(from);
        from += character_bytes((unsigned char)*from);
        if (capitals && first)
            at = c < 0x80 ? at + write_character(at, c - 'a' < 26u ? c ^ 0x20 : c) : append_mapped(at, &to_title, c);
        else if (c < 0x80)
            *at++ = (char)(c - 'A' < 26u ? c ^ 0x20 : c);
        else if (c == CAPITAL_SIGMA)
            at += write_character(at, letter_before && !letter_follows(from, end) ? FINAL_SIGMA : SMALL_SIGMA);
        else
            at = append_mapped(at, &to_lower, c);
        first = c == ' ';
        if (!ignorable(c))
            letter_before = cased(c);
    }
    return (size_t)(at - into);
}

static void case_rows(native_call *call, char kind) {
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        char *into = room_for_text(call, mapped_size(value));
        size_t length = value.length;
        if (kind == 't' || !ascii_case(value, into, kind == 'u'))
            length = kind == 'u' ? upper_text(value, into) : lower_text(value, into, kind == 't');
        set_written(call, row, length);
    }
}
static void upper_rows(native_call *call) { case_rows(call, 'u'); }
static void lower_rows(native_call *call) { case_rows(call, 'l'); }
static void title_rows(native_call *call) { case_rows(call, 't'); }

/* The lower-case text in scratch memory. */
static text small_letters(text value, scratch *memory) {
    char *into = room(memory, mapped_size(value));
    return (text){into, (uint32_t)(ascii_case(value, into, false) ? value.length : lower_text(value, into, false))};
}

static bool holds_inside(text value, text part) {
    const char *at = value.bytes, *last = at + value.length - part.length;
    for (; at <= last && (at = memchr(at, part.bytes[0], (size_t)(last - at + 1))); at++)
        if (!memcmp(at, part.bytes, part.length))
            return true;
    return false;
}

static bool holds(text value, text part, int ends) {
    if (value.length < part.length)
        return false;
    if (ends == 3)
        return holds_inside(value, part);
    if (!ends && value.length != part.length)
        return false;
    return !memcmp(value.bytes + (ends == 1 ? value.length - part.length : 0), part.bytes, part.length);
}

static void ilike_rows(native_call *call) {
    scratch memory = {0};
    EACH_ROW(call, row) {
        text value = small_letters(argument_text(call, 0, row), &memory);
        RESULT(call, bool)[row] = holds(value, argument_text(call, 1, row), ARGUMENT(call, int32_t, 2)[row]);
    }
    release(memory.bytes);
}

/* One character at a time, without context: CollationAwareUTF8String.getLowercaseCodePoint. */
uint32_t small_letter(uint32_t c) {
    if (c < 0x80)
        return c - 'A' < 26u ? c ^ 0x20 : c;
    return c == CAPITAL_I_WITH_DOT ? SMALL_I_AND_DOT : c == FINAL_SIGMA ? SMALL_SIGMA : short_mapping(&to_lower, c);
}

const native_function unicode_functions[] = {
    {"spark_upper", "v>v", upper_rows, NULL},
    {"spark_lower", "v>v", lower_rows, NULL},
    {"spark_initcap", "v>v", title_rows, NULL},
    {"spark_ilike", "vvi>b", ilike_rows, NULL},
    {NULL}};
