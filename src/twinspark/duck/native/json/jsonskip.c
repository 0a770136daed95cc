/* Skips values that are not needed in a JSON text, checked as strictly as if they were read, with a fast path for plain values. */
#include "json/json.h"

static inline const char *past_white(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

static const char *past_word(const char *at, const char *end, const char *word, size_t length) {
    const char *next = at + length;
    bool whole = (size_t)(end - at) > length && !memcmp(at, word, length);
    return whole && *next && strchr(",]} \n\r\t", *next) ? next : NULL;
}

/* The position after a plain value; NULL if it is not plain, or no value. */
static const char *past_plain_value(const json_reader *reader, const char *at, unsigned char least) {
    const char *end = reader->end, *close;
    bool fraction;
    switch (*at) {
    case '"':
        close = past_plain(at + 1, end, '"', least);
        return close < end && *close == '"' ? close + 1 : NULL;
    case 't': return past_word(at, end, "true", 4);
    case 'f': return past_word(at, end, "false", 5);
    case 'n': return past_word(at, end, "null", 4);
    default:
        if (*at != '-' && (*at < '0' || *at > '9'))
            return NULL;
        close = past_number(reader, at, &fraction);
        return close && close - at <= LONGEST_NUMBER ? close : NULL;
    }
}

static const char *past_plain_name(const json_reader *reader, const char *at, unsigned char least) {
    const char *end = reader->end, *close = *at == '"' ? past_plain(at + 1, end, '"', least) : end;
    if (close == end || *close != '"' || close - at > LONGEST_NAME)
        return NULL;
    close = past_white(close + 1, end);
    return close < end && *close == ':' ? past_white(close + 1, end) : NULL;
}

/* Where the value of the next member begins, after the comma and the name. */
static inline const char *value_of_member(const json_reader *reader, const char *at, char scope, bool comma, unsigned char least) {
    if (comma && *at != ',')
        return NULL;
    at = comma ? past_white(at + 1, reader->end) : at;
    if (at < reader->end && scope == '{')
        at = past_plain_name(reader, at, least);
    return at < reader->end ? at : NULL;
}

/* Values that are not plain (escapes, other quotes, unusual literals, errors) are read by next_token from the comma before. */
static void skip_plain(json_reader *reader, size_t outside) {
    const char *at = reader->at, *end = reader->end;
    unsigned char least = reader->no_controls ? 0x20 : 0;
    size_t depth = reader->depth;
    bool comma = reader->need_comma;
    enum json_token token = reader->token;
    uint64_t done = 0;
    while (depth > outside && (at = past_white(at, end)) < end) {
        stay_cancellable(&done, 8);
        char scope = reader->scopes[depth - 1];
        if (*at == (scope == '{' ? '}' : ']')) {
            depth--;
            comma = true;
            at++;
            token = scope == '{' ? END_OBJECT : END_ARRAY;
            continue;
        }
        const char *value = value_of_member(reader, at, scope, comma, least);
        bool opens = value && (*value == '{' || *value == '[');
        if (!value || (opens && (depth >= DEEPEST || depth == reader->scopes_size)))
            break;
        const char *next = opens ? value + 1 : past_plain_value(reader, value, least);
        if (!next)
            break;
        if (opens)
            reader->scopes[depth++] = *value;
        comma = !opens;
        token = opens ? (*value == '{' ? START_OBJECT : START_ARRAY) : VALUE_NULL;
        at = next;
    }
    reader->at = at;
    reader->depth = depth;
    reader->need_comma = comma;
    reader->token = token;
}

void skip_out(json_reader *reader, size_t outside) {
    if (reader->token != FIELD_NAME && !reader->problem)
        skip_plain(reader, outside);
    while (reader->depth > outside && !reader->problem)
        next_token(reader);
}

void skip_children(json_reader *reader) {
    if (reader->token == START_OBJECT || reader->token == START_ARRAY)
        skip_out(reader, reader->depth - 1);
}

void skip_value(json_reader *reader) {
    const char *at = past_white(reader->at, reader->end);
    const char *next = at < reader->end ? past_plain_value(reader, at, reader->no_controls ? 0x20 : 0) : NULL;
    if (!next) {
        next_token(reader);
        skip_children(reader);
        return;
    }
    reader->at = next;
    reader->need_comma = true;
    reader->token = VALUE_NULL;
}
