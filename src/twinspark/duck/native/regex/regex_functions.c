/* LIKE, rlike, regexp_* and split with Java's regular expressions; patterns may differ in every row.
 *
 * SQL spelling: spark_rlike(s, p), spark_regexp_extract(s, p, group), spark_regexp_extract_all(s, p, group) -> list,
 * spark_regexp_count(s, p), spark_regexp_instr(s, p), spark_regexp_replace(s, p, replacement, position),
 * spark_split(s, p, limit) -> list, spark_like(s, p, escape). Patterns that regex_read.c does not read go to Spark. */
#include "regex/regex.h"
#include "core/utf8.h"
#include <stdio.h>

typedef struct { regex *compiled; text last; bool readable; span groups[MOST_GROUPS]; } session;

static bool same_text(text left, text right) {
    return left.bytes && left.length == right.length && !memcmp(left.bytes, right.bytes, left.length);
}

/* What ended the search other than an answer. */
static void end_search(native_call *call, enum match_outcome how) {
    if (how == MATCH_FALLS_BACK)
        fall_back(call, "REGEX", "a pattern that only Java reads");
    if (how == MATCH_TOO_LONG)
        fall_back(call, "REGEX_LIMIT", "it backtracked more than 20 million times in one text");
    if (how == MATCH_TOO_DEEP)
        fall_back(call, "REGEX_LIMIT", "it kept more than 8000 alternatives open in one text");
}

/* The row's pattern, compiled when it is not the last row's. */
static bool ready(native_call *call, session *with, text pattern) {
    if (!with->compiled)
        with->compiled = allocate(1, sizeof *with->compiled);
    if (!same_text(with->last, pattern)) {
        with->readable = read_regex(pattern, with->compiled);
        with->last = pattern;
    }
    if (!with->readable)
        end_search(call, MATCH_FALLS_BACK);
    return with->readable;
}

static bool has_wide(text value) {
    for (uint32_t i = 0; i < value.length; i++)
        if ((unsigned char)value.bytes[i] >= 0xF0)
            return true;
    return false;
}

/* Matcher.find again and again. After an empty match Java moves on by half of a character beyond U+FFFF: Spark's then. */
typedef struct { uint32_t from, region; bool first, wide; } search;

static search start_search(session *with, text value, uint32_t region) {
    return (search){region, region, true, with->compiled->may_be_empty && has_wide(value)};
}

static bool next_match(native_call *call, session *with, text value, search *at) {
    if (at->wide || at->from > value.length) {
        if (at->wide)
            end_search(call, MATCH_FALLS_BACK);
        return false;
    }
    enum match_outcome found = find_regex(with->compiled, value, at->from, at->region, with->groups);
    end_search(call, found);
    if (found != MATCH)
        return false;
    span whole = with->groups[0];
    at->from = whole.end;
    if (whole.start == whole.end)
        at->from += whole.end < value.length ? character_bytes((unsigned char)value.bytes[whole.end]) : 1;
    return true;
}

static void rlike_rows(native_call *call) {
    session with = {0};
    EACH_ROW(call, row) {
        if (!ready(call, &with, argument_text(call, 1, row)))
            continue;
        enum match_outcome found = find_regex(with.compiled, argument_text(call, 0, row), 0, 0, with.groups);
        end_search(call, found);
        RESULT(call, bool)[row] = found == MATCH;
    }
    release(with.compiled);
}

static void instr_rows(native_call *call) {
    session with = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        if (!ready(call, &with, argument_text(call, 1, row)))
            continue;
        search at = start_search(&with, value, 0);
        bool found = next_match(call, &with, value, &at);
        RESULT(call, int32_t)[row] = found ? (int32_t)count_characters((text){value.bytes, with.groups[0].start}) + 1 : 0;
    }
    release(with.compiled);
}

static void count_rows(native_call *call) {
    session with = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row);
        if (!ready(call, &with, argument_text(call, 1, row)))
            continue;
        search at = start_search(&with, value, 0);
        int32_t count = 0;
        while (next_match(call, &with, value, &at))
            count++;
        RESULT(call, int32_t)[row] = count;
    }
    release(with.compiled);
}

static void no_such_group(native_call *call, int there, int32_t group) {
    char count[16], index[16];
    snprintf(count, sizeof count, "%d", there);
    snprintf(index, sizeof index, "%d", group);
    spark_error(call, "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX", "parameter", "`idx`", "functionName", call->function->extra,
                "groupCount", count, "groupIndex", index, NULL);
}

/* A group that took no part is the empty text; one that is not there is an error, once something matches. */
static bool group_text(native_call *call, session *with, text value, int32_t group, text *found) {
    if (group < 0 || group > with->compiled->groups) {
        no_such_group(call, with->compiled->groups, group);
        return false;
    }
    span of = with->groups[group];
    *found = of.start == UINT32_MAX ? (text){"", 0} : (text){value.bytes + of.start, of.end - of.start};
    return true;
}

static void extract_rows(native_call *call) {
    session with = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), found = {"", 0};
        if (!ready(call, &with, argument_text(call, 1, row)))
            continue;
        search at = start_search(&with, value, 0);
        if (next_match(call, &with, value, &at) && !group_text(call, &with, value, ARGUMENT(call, int32_t, 2)[row], &found))
            continue;
        if (!call->failed)
            set_text(call, row, found.bytes, found.length);
    }
    release(with.compiled);
}

/* --- lists --- */

typedef struct { uint64_t offset, length; } list_entry;

static void append_text(native_call *call, idx_t row, text value) {
    list_entry *entry = &RESULT(call, list_entry)[row];
    idx_t at = entry->offset + entry->length++;
    duckdb_list_vector_reserve(call->result, at + 1);
    duckdb_list_vector_set_size(call->result, at + 1);
    duckdb_unsafe_vector_assign_string_element_len(duckdb_list_vector_get_child(call->result), at, value.bytes, value.length);
}

static void open_list(native_call *call, idx_t row) {
    RESULT(call, list_entry)[row] = (list_entry){duckdb_list_vector_get_size(call->result), 0};
}

static void extract_all_rows(native_call *call) {
    session with = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), found;
        if (!ready(call, &with, argument_text(call, 1, row)))
            continue;
        open_list(call, row);
        search at = start_search(&with, value, 0);
        while (next_match(call, &with, value, &at) && group_text(call, &with, value, ARGUMENT(call, int32_t, 2)[row], &found))
            append_text(call, row, found);
    }
    release(with.compiled);
}

/* The empty pattern gives the characters, the last with all the rest (UTF8String.split). */
static void split_characters(native_call *call, idx_t row, text value, int32_t limit) {
    uint32_t at = 0;
    for (int32_t count = 1; at < value.length; count++) {
        uint32_t bytes = character_bytes((unsigned char)value.bytes[at]);
        bool last = count == limit;
        append_text(call, row, (text){value.bytes + at, last ? value.length - at : bytes});
        at = last ? value.length : at + bytes;
    }
}

/* String.split: a match of nothing at the beginning makes no first part; a limit of 0 is none (Spark). */
static void split_matches(native_call *call, session *with, idx_t row, text value, int32_t limit) {
    search at = start_search(with, value, 0);
    uint32_t index = 0;
    bool limited = limit > 0, any = false;
    int32_t parts = 0;
    while ((!limited || parts < limit - 1) && next_match(call, with, value, &at)) {
        span whole = with->groups[0];
        if (whole.end == 0)
            continue;
        append_text(call, row, (text){value.bytes + index, whole.start - index});
        index = whole.end;
        parts++;
        any = true;
    }
    append_text(call, row, any ? (text){value.bytes + index, value.length - index} : value);
}

static void split_rows(native_call *call) {
    session with = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), pattern = argument_text(call, 1, row);
        int32_t limit = ARGUMENT(call, int32_t, 2)[row];
        open_list(call, row);
        if (!pattern.length && value.length)
            split_characters(call, row, value, limit);
        else if (ready(call, &with, pattern))
            split_matches(call, &with, row, value, limit);
    }
    release(with.compiled);
}

/* --- replacement --- */

typedef struct { char *bytes; size_t length, size; bool full; } buffer; /* full: there was no memory for more */

static void append_bytes(buffer *into, const char *bytes, size_t length) {
    if (into->full)
        return;
    if (into->length + length > into->size) {
        size_t size = 2 * (into->length + length) + 64;
        into->full = !has_room(2 * size); /* DuckDB copies it once more */
        if (into->full)
            return;
        into->size = size;
        into->bytes = reallocate(into->bytes, size, 1);
    }
    if (length)
        memcpy(into->bytes + into->length, bytes, length);
    into->length += length;
}

/* $12 is group 12 where there is one, else group 1 and a 2 (Matcher.appendExpandedReplacement). Returns bytes read, 0: an error. */
static uint32_t append_group(session *with, text value, text given, uint32_t at, buffer *into) {
    uint32_t end = at;
    int32_t group = 0;
    while (end < given.length && given.bytes[end] >= '0' && given.bytes[end] <= '9') {
        int32_t longer = group * 10 + given.bytes[end] - '0';
        if (longer > with->compiled->groups)
            break;
        group = longer;
        end++;
    }
    span of = with->groups[group];
    if (end > at && of.start != UINT32_MAX)
        append_bytes(into, value.bytes + of.start, of.end - of.start);
    return end - at;
}

static bool append_replacement(session *with, text value, text given, buffer *into) {
    for (uint32_t i = 0; i < given.length;) {
        char c = given.bytes[i++];
        if (c == '\\' && i == given.length)
            return false;
        if (c == '$') {
            uint32_t read = append_group(with, value, given, i, into);
            if (!read)
                return false;
            i += read;
        } else
            append_bytes(into, c == '\\' ? &given.bytes[i++] : &c, 1);
    }
    return true;
}

static uint32_t byte_of_position(text value, int32_t position) {
    uint32_t at = 0;
    for (int32_t i = 1; i < position && at < value.length; i++)
        at += character_bytes((unsigned char)value.bytes[at]);
    return at;
}

static void replace_rows(native_call *call) {
    session with = {0};
    buffer into = {0};
    EACH_ROW(call, row) {
        text value = argument_text(call, 0, row), given = argument_text(call, 2, row);
        if (!ready(call, &with, argument_text(call, 1, row)))
            continue;
        int32_t position = ARGUMENT(call, int32_t, 3)[row];
        uint32_t region = byte_of_position(value, position), index = 0;
        if (position > 1 && region == value.length) {
            set_text(call, row, value.bytes, value.length);
            continue;
        }
        into.length = 0;
        search at = start_search(&with, value, region);
        while (next_match(call, &with, value, &at)) {
            append_bytes(&into, value.bytes + index, with.groups[0].start - index);
            index = with.groups[0].end;
            if (!append_replacement(&with, value, given, &into))
                fall_back(call, "REGEX", "a replacement that Java rejects");
            if (call->failed || into.full)
                break;
        }
        append_bytes(&into, value.bytes + index, value.length - index);
        if (into.full)
            out_of_memory(call, 2 * into.size);
        if (!call->failed)
            set_text(call, row, into.bytes ? into.bytes : "", into.length);
    }
    release(into.bytes);
    release(with.compiled);
}

/* --- LIKE --- */

/* The escape character is allowed only before %, _ and itself (StringUtils.escapeLikeRegex); else `wrong` is the
 * character after it, empty at the end. */
static bool well_escaped(text pattern, uint32_t escape, text *wrong) {
    for (uint32_t i = 0; i < pattern.length; i += character_bytes((unsigned char)pattern.bytes[i])) {
        if (character_at(pattern.bytes + i) != escape)
            continue;
        i += character_bytes((unsigned char)pattern.bytes[i]);
        *wrong = (text){pattern.bytes + i, 0};
        if (i >= pattern.length)
            return false;
        uint32_t c = character_at(pattern.bytes + i);
        wrong->length = character_bytes((unsigned char)pattern.bytes[i]);
        if (c != '%' && c != '_' && c != escape)
            return false;
    }
    return true;
}

/* Greedy with one backtracking position: the last %. */
static bool is_like(text value, text pattern, uint32_t escape) {
    uint32_t v = 0, p = 0, back_value = 0, back_pattern = UINT32_MAX;
    uint64_t done = 0;
    while (v < value.length || p < pattern.length) {
        stay_cancellable(&done, 4);
        uint32_t c = p < pattern.length ? character_at(pattern.bytes + p) : 0, width = p < pattern.length ? character_bytes((unsigned char)pattern.bytes[p]) : 0;
        bool literal = width && c == escape;
        if (literal) {
            c = character_at(pattern.bytes + p + width);
            width += character_bytes((unsigned char)pattern.bytes[p + width]);
        }
        if (width && !literal && c == '%') {
            back_pattern = p += width;
            back_value = v;
            continue;
        }
        if (width && v < value.length && ((!literal && c == '_') || character_at(value.bytes + v) == c)) {
            p += width;
            v += character_bytes((unsigned char)value.bytes[v]);
            continue;
        }
        if (back_pattern == UINT32_MAX || back_value >= value.length)
            return false;
        p = back_pattern;
        v = back_value += character_bytes((unsigned char)value.bytes[back_value]);
    }
    return true;
}

/* As Spark writes a literal: backslashes and quotes are escaped by a backslash. */
static void refuse_pattern(native_call *call, text pattern, text wrong) {
    char shown[512] = "'", character[8];
    uint32_t at = 1;
    for (uint32_t i = 0; i < pattern.length && at < sizeof shown - 4; i++) {
        if (pattern.bytes[i] == '\\' || pattern.bytes[i] == '\'')
            shown[at++] = '\\';
        shown[at++] = pattern.bytes[i];
    }
    strcpy(shown + at, "'");
    snprintf(character, sizeof character, "'%.*s'", (int)wrong.length, wrong.bytes);
    bool told = pattern.length < 200 && (!wrong.length || (*wrong.bytes != '\'' && *wrong.bytes != '\\'));
    if (!told)
        fall_back(call, "REGEX", "LIKE with an escape that Spark rejects");
    else if (wrong.length)
        spark_error(call, "INVALID_FORMAT.ESC_IN_THE_MIDDLE", "format", shown, "char", character, NULL);
    else
        spark_error(call, "INVALID_FORMAT.ESC_AT_THE_END", "format", shown, NULL);
}

static void like_rows(native_call *call) {
    EACH_ROW(call, row) {
        text wrong;
        text pattern = argument_text(call, 1, row), escape = argument_text(call, 2, row);
        uint32_t mark = escape.length ? character_at(escape.bytes) : 0;
        if (well_escaped(pattern, mark, &wrong))
            RESULT(call, bool)[row] = is_like(argument_text(call, 0, row), pattern, mark);
        else
            refuse_pattern(call, pattern, wrong);
    }
}

const native_function regex_functions[] = {
    {"spark_rlike", "vv>b", rlike_rows, NULL},
    {"spark_regexp_extract", "vvi>v", extract_rows, "`regexp_extract`"},
    {"spark_regexp_extract_all", "vvi>[v", extract_all_rows, "`regexp_extract_all`"},
    {"spark_regexp_count", "vv>i", count_rows, NULL},
    {"spark_regexp_instr", "vv>i", instr_rows, NULL},
    {"spark_regexp_replace", "vvvi>v", replace_rows, NULL},
    {"spark_split", "vvi>[v", split_rows, NULL},
    {"spark_like", "vvv>b", like_rows, NULL},
    {NULL}};
