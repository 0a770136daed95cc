/* String functions under the collation UTF8_LCASE, and trimming under UTF8_BINARY_RTRIM: Spark's CollationAwareUTF8String, whose
 * steps are followed one by one, also where they are odd.
 *
 * SQL spelling: spark_lcase_key(s) is what is compared and grouped by; spark_lcase_find(s, part, from): a place from zero, or -1;
 * spark_lcase_starts(s, part), spark_lcase_ends(s, part), spark_lcase_replace(s, search, replacement),
 * spark_lcase_substring_index(s, delimiter, count), spark_lcase_split_part(s, delimiter, n), spark_lcase_translate(s, from, to),
 * spark_collation_trim(s, characters, how): how is the sum of 1 (from the left), 2 (from the right), 4 (lower-case letters are
 * compared), 8 (spaces at the end stay, unless they are among the characters). */
#include "core/java_hash.h"
#include "text/letters.h"

enum { NOT_FOUND = -1, NONE = -1, GUESSED_AT_MOST = 1 << 20 };
typedef struct { uint32_t *points; int32_t count; scratch memory; } letters;

/* Places are counted in 32 bits, and a character may become two. */
static void check_length(text value) {
    if (value.length > MOST_VALUE_BYTES / 2)
        end_out_of_memory(4 * (size_t)value.length);
}

static void read_letters(letters *into, text value) {
    check_length(value);
    into->points = (uint32_t *)room(&into->memory, 4 * ((size_t)value.length + 1));
    into->count = 0;
    for (uint32_t i = 0; i < value.length; i += character_bytes((unsigned char)value.bytes[i]))
        into->points[into->count++] = character_at(value.bytes + i);
}

static int32_t add_small(uint32_t *points, int32_t count, uint32_t c) {
    uint32_t small = small_letter(c);
    points[count] = small == SMALL_I_AND_DOT ? SMALL_I : small;
    if (small == SMALL_I_AND_DOT)
        points[++count] = DOT_ABOVE;
    return count + 1;
}

static void read_small_letters(letters *into, text value) {
    check_length(value);
    into->points = (uint32_t *)room(&into->memory, 4 * (2 * (size_t)value.length + 2));
    into->count = 0;
    for (uint32_t i = 0; i < value.length; i += character_bytes((unsigned char)value.bytes[i]))
        into->count = add_small(into->points, into->count, character_at(value.bytes + i));
}

/* Bytes of a text's characters from `start` on, before `end`. */
static size_t write_letters(char *at, const letters *value, int32_t start, int32_t end) {
    size_t length = 0;
    for (int32_t i = start; i < end; i++)
        length += write_character(at + length, value->points[i]);
    return length;
}

/* How many characters match, or NOT_FOUND: lowercaseMatchLengthFrom. */
static int32_t match_from(const letters *target, const letters *pattern, int32_t start) {
    int32_t at = start, used = 0;
    int64_t waiting = NONE;
    if (start < 0 || start > target->count)
        return NOT_FOUND;
    while ((at < target->count || waiting != NONE) && used < pattern->count) {
        uint32_t c;
        if (waiting != NONE) {
            c = (uint32_t)waiting;
            waiting = NONE;
        } else if ((c = small_letter(target->points[at++])) == SMALL_I_AND_DOT) {
            c = SMALL_I;
            waiting = DOT_ABOVE;
        }
        if (c != pattern->points[used++])
            return NOT_FOUND;
    }
    return used < pattern->count || waiting != NONE ? NOT_FOUND : at - start;
}

/* The same backwards: lowercaseMatchLengthUntil. */
static int32_t match_until(const letters *target, const letters *pattern, int32_t end) {
    int32_t at = end, left = pattern->count;
    int64_t waiting = NONE;
    while ((at > 0 || waiting != NONE) && left > 0) {
        uint32_t c;
        if (waiting != NONE) {
            c = (uint32_t)waiting;
            waiting = NONE;
        } else if ((c = small_letter(target->points[--at])) == SMALL_I_AND_DOT) {
            c = DOT_ABOVE;
            waiting = SMALL_I;
        }
        if (c != pattern->points[--left])
            return NOT_FOUND;
    }
    return left > 0 || waiting != NONE ? NOT_FOUND : end - at;
}

static int32_t find(const letters *target, const letters *pattern, int32_t start) {
    uint64_t done = 0;
    for (int32_t i = start < 0 ? 0 : start; i <= target->count; i++, stay_cancellable(&done, (uint64_t)pattern->count))
        if (match_from(target, pattern, i) != NOT_FOUND)
            return i;
    return NOT_FOUND;
}

static int32_t find_last(const letters *target, const letters *pattern, int32_t end) {
    uint64_t done = 0;
    for (int32_t i = end; i >= 0; i--, stay_cancellable(&done, (uint64_t)pattern->count))
        if (match_until(target, pattern, i) != NOT_FOUND)
            return i;
    return NOT_FOUND;
}

/* --- keys and places --- */

static void key_rows(native_call *call) {
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        char *into = room_for_text(call, 3 * (size_t)value.length + 16);
        uint32_t points[2];
        size_t length = 0;
        for (uint32_t i = 0; i < value.length; i += character_bytes((unsigned char)value.bytes[i])) {
            int32_t count = add_small(points, 0, character_at(value.bytes + i));
            for (int32_t k = 0; k < count; k++)
                length += write_character(into + length, points[k]);
        }
        set_written(call, row, length);
    }
}

typedef struct { letters target, pattern; } search;

static void read_search(search *both, native_call *call, idx_t row) {
    read_letters(&both->target, argument_text(call, 0, row));
    read_small_letters(&both->pattern, argument_text(call, 1, row));
}

static void end_search(search *both) {
    release(both->target.memory.bytes);
    release(both->pattern.memory.bytes);
}

static void find_rows(native_call *call) {
    search both = {0};
    EACH_ROW(call, row) {
        read_search(&both, call, row);
        RESULT(call, int32_t)[row] = find(&both.target, &both.pattern, ARGUMENT(call, int32_t, 2)[row]);
    }
    end_search(&both);
}

static void starts_rows(native_call *call) {
    search both = {0};
    EACH_ROW(call, row) {
        read_search(&both, call, row);
        RESULT(call, bool)[row] = match_from(&both.target, &both.pattern, 0) != NOT_FOUND;
    }
    end_search(&both);
}

static void ends_rows(native_call *call) {
    search both = {0};
    EACH_ROW(call, row) {
        read_search(&both, call, row);
        RESULT(call, bool)[row] = match_until(&both.target, &both.pattern, both.target.count) != NOT_FOUND;
    }
    end_search(&both);
}

/* --- parts --- */

static size_t write_replaced(char *into, const search *both, text replacement) {
    int32_t start = 0, end;
    size_t length = 0;
    while ((end = find(&both->target, &both->pattern, start)) != NOT_FOUND) {
        length += write_letters(into + length, &both->target, start, end);
        memcpy(into + length, replacement.bytes, replacement.length);
        length += replacement.length;
        start = end + match_from(&both->target, &both->pattern, end);
    }
    return length + write_letters(into + length, &both->target, start, both->target.count);
}

/* How long the result can be at most: every character may match; where that is much, the matches are counted. */
static size_t most_replaced(const search *both, text value, text replacement) {
    size_t most = checked_size((size_t)both->target.count, replacement.length, (size_t)value.length + 16);
    if (most < GUESSED_AT_MOST)
        return most;
    size_t matches = 0;
    for (int32_t at = 0; (at = find(&both->target, &both->pattern, at)) != NOT_FOUND; matches++)
        at += match_from(&both->target, &both->pattern, at);
    return checked_size(matches, replacement.length, (size_t)value.length + 16);
}

static void replace_rows(native_call *call) {
    search both = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), replacement = argument_text(call, 2, row);
        if (!value.length || !argument_text(call, 1, row).length) {
            set_text(call, row, value.bytes, value.length);
            continue;
        }
        read_search(&both, call, row);
        size_t most = most_replaced(&both, value, replacement);
        set_written(call, row, write_replaced(room_for_text(call, most), &both, replacement));
    }
    end_search(&both);
}

/* The characters before the last counted delimiter for count > 0, else those after it: lowercaseSubStringIndex. */
static void kept_by_index(const search *both, int32_t count, int32_t *start, int32_t *end) {
    int32_t place = count > 0 ? NOT_FOUND : both->target.count + 1;
    for (int64_t left = count > 0 ? count : -(int64_t)count; left > 0; left--) {
        bool past = count < 0 && place == 0; /* then nothing is searched */
        place = past        ? NOT_FOUND
                : count > 0 ? find(&both->target, &both->pattern, place + 1)
                            : find_last(&both->target, &both->pattern, place - 1);
        if (place == NOT_FOUND)
            return;
    }
    *(count > 0 ? end : start) = place;
}

static void substring_index_rows(native_call *call) {
    search both = {0};
    EACH_ROW(call, row) {
        int32_t count = ARGUMENT(call, int32_t, 2)[row];
        read_search(&both, call, row);
        if (!both.pattern.count || !count) {
            set_text(call, row, "", 0);
            continue;
        }
        int32_t start = 0, end = both.target.count;
        kept_by_index(&both, count, &start, &end);
        char *into = room_for_text(call, argument_text(call, 0, row).length + 16);
        set_written(call, row, write_letters(into, &both.target, start, end));
    }
    end_search(&both);
}

/* The place of part n, counted from one, and where it ends; how many parts there are. An empty delimiter parts nothing. */
static int32_t part_at(const search *both, int32_t n, int32_t *start, int32_t *end) {
    int32_t from = 0, parts = 0, next;
    bool whole = !both->pattern.count || !both->target.count;
    do {
        next = whole ? NOT_FOUND : find(&both->target, &both->pattern, from);
        if (++parts == n) {
            *start = from;
            *end = next == NOT_FOUND ? both->target.count : next;
        }
        if (next != NOT_FOUND)
            from = next + match_from(&both->target, &both->pattern, next);
    } while (next != NOT_FOUND);
    return parts;
}

static void split_part_rows(native_call *call) {
    search both = {0};
    EACH_ROW(call, row) {
        int32_t n = ARGUMENT(call, int32_t, 2)[row], start = 0, end = 0;
        read_search(&both, call, row);
        int32_t parts = part_at(&both, n, &start, &end);
        if (n < 0 && n >= -parts)
            part_at(&both, parts + n + 1, &start, &end);
        char *into = room_for_text(call, argument_text(call, 0, row).length + 16);
        set_written(call, row, write_letters(into, &both.target, start, end));
    }
    end_search(&both);
}

/* --- translate --- */

typedef struct { uint32_t from, to; bool dropped; uint32_t bucket; } translation;
typedef struct { translation *items; int32_t count; scratch memory; } dictionary;

/* Which of 'a' and 'A' comes first is decided by the iteration order of Java's HashMap. */
static uint32_t bucket_of(uint32_t c, uint32_t table) {
    uint32_t hash = java_hash_with(0, c);
    return (hash ^ hash >> 16) & (table - 1);
}

static const translation *known(const dictionary *words, uint32_t from, int32_t count) {
    for (int32_t i = 0; i < count; i++)
        if (words->items[i].from == from)
            return &words->items[i];
    return NULL;
}

static void read_dictionary(dictionary *words, const letters *from, const letters *to) {
    words->items = (translation *)room(&words->memory, sizeof(translation) * ((size_t)from->count + 1));
    words->count = 0;
    for (int32_t i = 0; i < from->count; i++)
        if (!known(words, from->points[i], words->count))
            words->items[words->count++] =
                (translation){from->points[i], i < to->count ? to->points[i] : 0, i >= to->count || !to->points[i], 0};
    uint32_t table = 16;
    while ((uint32_t)words->count > table / 4 * 3)
        table *= 2;
    for (int32_t i = 0; i < words->count; i++)
        words->items[i].bucket = bucket_of(words->items[i].from, table);
}

static const translation *small_known(const dictionary *words, uint32_t small) {
    const translation *found = NULL;
    for (int32_t i = 0; i < words->count; i++)
        if (small_letter(words->items[i].from) == small && (!found || words->items[i].bucket < found->bucket))
            found = &words->items[i];
    return found;
}

static size_t write_point(char *at, uint32_t c) {
    if (c != SMALL_I_AND_DOT)
        return write_character(at, c);
    uint32_t first = write_character(at, SMALL_I);
    return first + write_character(at + first, DOT_ABOVE);
}

static size_t write_translated(char *into, const letters *input, const dictionary *words) {
    bool pairs = small_known(words, SMALL_I_AND_DOT) != NULL;
    int64_t waiting = NONE;
    size_t length = 0;
    for (int32_t at = 0; at < input->count;) {
        uint32_t c = waiting != NONE ? (uint32_t)waiting : input->points[at++];
        waiting = NONE;
        if (pairs && c == SMALL_I && at < input->count) {
            uint32_t next = input->points[at++];
            if (next == DOT_ABOVE)
                c = SMALL_I_AND_DOT;
            else
                waiting = next;
        }
        const translation *found = small_known(words, c == SMALL_I_AND_DOT ? c : small_letter(c));
        if (!found)
            length += write_point(into + length, c);
        else if (!found->dropped)
            length += write_character(into + length, found->to);
    }
    return waiting == NONE ? length : length + write_character(into + length, (uint32_t)waiting);
}

static void translate_rows(native_call *call) {
    letters input = {0}, from = {0}, to = {0};
    dictionary words = {0};
    EACH_ROW(call, row) {
        read_letters(&input, argument_text(call, 0, row));
        read_letters(&from, argument_text(call, 1, row));
        read_letters(&to, argument_text(call, 2, row));
        read_dictionary(&words, &from, &to);
        char *into = room_for_text(call, 4 * (size_t)input.count + 16);
        set_written(call, row, write_translated(into, &input, &words));
    }
    release(input.memory.bytes);
    release(from.memory.bytes);
    release(to.memory.bytes);
    release(words.memory.bytes);
}

/* --- trim --- */

enum { LEFT = 1, RIGHT = 2, SMALL = 4, KEEPS_SPACES = 8 };

static uint32_t folded(uint32_t c, int how) { return how & SMALL ? small_letter(c) : c; }

static bool among(const letters *characters, uint32_t c) {
    for (int32_t i = 0; i < characters->count; i++)
        if (characters->points[i] == c)
            return true;
    return false;
}

/* Of the characters in the order in which they are met, how many go. `first` and `second` are the two characters that
 * together are SMALL_I_AND_DOT, as they are met. What waits when the text ends is not looked at. */
static int32_t trimmed(const letters *source, const letters *characters, int how, int32_t from, int step, int32_t most,
                       uint32_t first, uint32_t second) {
    bool pairs = (how & SMALL) && among(characters, SMALL_I_AND_DOT);
    int32_t gone = 0, read = 0;
    int64_t waiting = NONE;
    while (read < most) {
        uint32_t c = waiting != NONE ? (uint32_t)waiting : folded(source->points[from + step * read++], how);
        waiting = NONE;
        if (pairs && c == first && read < most) {
            uint32_t next = folded(source->points[from + step * read++], how);
            if (next == second) {
                gone += 2;
            } else if (among(characters, c)) {
                gone++;
                waiting = next;
            } else {
                break;
            }
        } else if (among(characters, c)) {
            gone++;
        } else {
            break;
        }
    }
    return gone;
}

static int32_t spaces_at_end(const letters *source) {
    int32_t count = 0;
    while (count < source->count && source->points[source->count - 1 - count] == ' ')
        count++;
    return count;
}

static void read_trimmed_characters(letters *into, text value, int how) {
    read_letters(into, value);
    for (int32_t i = 0; i < into->count; i++)
        into->points[i] = folded(into->points[i], how);
}

static void trim_rows(native_call *call) {
    letters source = {0}, characters = {0};
    EACH_ROW(call, row) {
        int how = ARGUMENT(call, int32_t, 2)[row];
        text value = argument_text(call, 0, row);
        read_letters(&source, value);
        read_trimmed_characters(&characters, argument_text(call, 1, row), how);
        int32_t start = 0, end = source.count, behind = source.count;
        if (how & LEFT)
            start = trimmed(&source, &characters, how, 0, 1, source.count, SMALL_I, DOT_ABOVE);
        if (how & RIGHT) {
            int32_t spaces = how & KEEPS_SPACES && !among(&characters, ' ') ? spaces_at_end(&source) : 0;
            behind = end = spaces < source.count - start ? source.count - spaces : start;
            end -= trimmed(&source, &characters, how, end - 1, -1, end - start, DOT_ABOVE, SMALL_I);
        }
        char *into = room_for_text(call, value.length + 16);
        size_t length = write_letters(into, &source, start, end);
        set_written(call, row, length + write_letters(into + length, &source, behind, source.count));
    }
    release(source.memory.bytes);
    release(characters.memory.bytes);
}

const native_function collation_functions[] = {
    {"spark_lcase_key", "v>v", key_rows, NULL},
    {"spark_lcase_find", "vvi>i", find_rows, NULL},
    {"spark_lcase_starts", "vv>b", starts_rows, NULL},
    {"spark_lcase_ends", "vv>b", ends_rows, NULL},
    {"spark_lcase_replace", "vvv>v", replace_rows, NULL},
    {"spark_lcase_substring_index", "vvi>v", substring_index_rows, NULL},
    {"spark_lcase_split_part", "vvi>v", split_part_rows, NULL},
    {"spark_lcase_translate", "vvv>v", translate_rows, NULL},
    {"spark_collation_trim", "vvi>v", trim_rows, NULL},
    {NULL}};
