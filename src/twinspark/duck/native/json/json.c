/* Reads JSON token by token as Jackson's ReaderBasedJsonParser does with single quotes and raw control characters allowed. */
#include "json/json.h"
#include "core/utf8.h"

enum { MOST_DOUBLED = 1 << 28 }; /* larger buffers are not doubled */

void grow_buffer(buffer *into, size_t length) {
    size_t needed = checked_size(into->length, 1, length);
    size_t size = needed < MOST_DOUBLED ? 2 * needed + 64 : needed + needed / 4;
    into->bytes = reallocate(into->bytes, size, 1);
    into->size = size;
}

void open_json(json_reader *reader, text value) {
    reader->at = value.bytes;
    reader->end = value.bytes + value.length;
    reader->token = NO_TOKEN;
    reader->problem = NO_PROBLEM;
    reader->depth = 0;
    reader->need_comma = false;
}

void close_json(json_reader *reader) {
    release(reader->unescaped.bytes);
    release(reader->scopes);
}

static enum json_token refuse(json_reader *reader, enum json_problem problem) {
    if (!reader->problem) {
        reader->problem = problem;
        reader->after_name = reader->token == FIELD_NAME;
    }
    return reader->token = NO_TOKEN;
}

/* In loops over characters the position is a local variable: storing it to the reader for each would be the main cost. */
static inline void skip_blanks(json_reader *reader) {
    const char *at = reader->at, *end = reader->end;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    reader->at = at;
}

static enum json_token open_scope(json_reader *reader, char bracket) {
    if (reader->depth >= DEEPEST)
        return refuse(reader, FALLS_BACK);
    if (reader->depth == reader->scopes_size)
        reader->scopes = make_room(reader->scopes, &reader->scopes_size, reader->depth + 32, 1);
    reader->scopes[reader->depth++] = bracket;
    reader->need_comma = false;
    reader->at++;
    return reader->token = bracket == '[' ? START_ARRAY : START_OBJECT;
}

static enum json_token close_scope(json_reader *reader, char bracket) {
    if (!reader->depth || reader->scopes[reader->depth - 1] != (bracket == ']' ? '[' : '{'))
        return refuse(reader, MALFORMED);
    reader->depth--;
    reader->need_comma = true;
    reader->at++;
    return reader->token = bracket == ']' ? END_ARRAY : END_OBJECT;
}

/* --- strings --- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    char letter = c | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static int32_t hex_escape(json_reader *reader) {
    int32_t value = 0;
    for (int i = 0; i < 4; i++, reader->at++) {
        int digit = reader->at < reader->end ? hex_digit(*reader->at) : -1;
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* After \u. A lone surrogate cannot be represented in UTF-8. */
static bool add_escaped_character(json_reader *reader) {
    char bytes[4];
    int32_t c = hex_escape(reader);
    if (c >= 0xD800 && c < 0xDC00 && reader->end - reader->at >= 6 && reader->at[0] == '\\' && reader->at[1] == 'u') {
        reader->at += 2;
        int32_t low = hex_escape(reader);
        c = low < 0 ? -1 : low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00) : 0xD800;
    }
    if (c < 0 || (c >= 0xD800 && c < 0xE000)) {
        refuse(reader, c < 0 ? MALFORMED : FALLS_BACK);
        return false;
    }
    add_bytes(&reader->unescaped, bytes, write_character(bytes, (uint32_t)c));
    return true;
}

static bool add_escape(json_reader *reader) {
    if (++reader->at == reader->end)
        return refuse(reader, MALFORMED), false;
    char c = *reader->at++;
    switch (c) {
    case 'b': add_byte(&reader->unescaped, '\b'); return true;
    case 't': add_byte(&reader->unescaped, '\t'); return true;
    case 'n': add_byte(&reader->unescaped, '\n'); return true;
    case 'f': add_byte(&reader->unescaped, '\f'); return true;
    case 'r': add_byte(&reader->unescaped, '\r'); return true;
    case '"':
    case '/':
    case '\\': add_byte(&reader->unescaped, c); return true;
    case '\'':
        if (reader->double_quotes)
            return refuse(reader, MALFORMED), false;
        add_byte(&reader->unescaped, c);
        return true;
    case 'u': return add_escaped_character(reader);
    default: return refuse(reader, MALFORMED), false;
    }
}

static bool is_quote(const json_reader *reader, char c) { return c == '"' || (c == '\'' && !reader->double_quotes); }

/* A string without escapes is not copied; from the first escape on it is. */
static bool read_string(json_reader *reader) {
    char quote = *reader->at++;
    unsigned char least = reader->no_controls ? 0x20 : 0;
    bool copied = false;
    while (reader->at < reader->end) {
        const char *start = reader->at, *at = past_plain(start, reader->end, quote, least);
        reader->at = at;
        if (at == reader->end)
            break;
        if ((unsigned char)*at < least)
            return refuse(reader, MALFORMED), false;
        if (*at == quote && !copied) {
            reader->string = (text){start, (uint32_t)(at - start)};
            reader->at++;
            return true;
        }
        if (!copied)
            reader->unescaped.length = 0;
        copied = true;
        add_bytes(&reader->unescaped, start, (size_t)(at - start));
        if (*at == quote) {
            reader->string = (text){reader->unescaped.bytes, (uint32_t)reader->unescaped.length};
            reader->at++;
            return true;
        }
        if (!add_escape(reader))
            return false;
    }
    refuse(reader, MALFORMED);
    return false;
}

/* --- numbers and literals --- */

static bool is_digit(const json_reader *reader, const char *at) { return at < reader->end && *at >= '0' && *at <= '9'; }

static const char *past_digits(const json_reader *reader, const char *at) {
    const char *end = reader->end;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* The end of a number that starts at `at`; NULL when it is none. No leading zeros, digits around the point. */
const char *past_number(const json_reader *reader, const char *at, bool *fraction) {
    at += *at == '-';
    if (!is_digit(reader, at) || (*at == '0' && is_digit(reader, at + 1) && !reader->leading_zeros))
        return NULL;
    at = past_digits(reader, at);
    *fraction = false;
    if (at < reader->end && *at == '.') {
        *fraction = true;
        if (!is_digit(reader, ++at))
            return NULL;
        at = past_digits(reader, at);
    }
    if (at < reader->end && (*at == 'e' || *at == 'E')) {
        *fraction = true;
        at++;
        at += at < reader->end && (*at == '+' || *at == '-');
        if (!is_digit(reader, at))
            return NULL;
        at = past_digits(reader, at);
    }
    return at;
}

/* At the root a number ends with a blank or the text. */
static bool ends_at_root(const json_reader *reader, const char *at) {
    return reader->depth || at == reader->end || *at == ' ' || *at == '\t' || *at == '\n' || *at == '\r';
}

static bool starts_with(const json_reader *reader, const char *word) {
    size_t length = strlen(word);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, word, length) == 0;
}

/* Whether a word of this length is not the beginning of a longer one (Character.isJavaIdentifierPart). */
static bool word_ends(json_reader *reader, size_t length) {
    const char *next = reader->at + length;
    if (next == reader->end)
        return true;
    unsigned char c = (unsigned char)*next;
    if (c >= 0x80)
        return refuse(reader, FALLS_BACK), false;
    return !((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == 0x7F);
}

static enum json_token read_word(json_reader *reader, const char *word, enum json_token token) {
    size_t length = strlen(word);
    if (!starts_with(reader, word) || !word_ends(reader, length))
        return refuse(reader, MALFORMED);
    reader->raw = (text){reader->at, (uint32_t)length};
    reader->at += length;
    reader->need_comma = true;
    return reader->token = token;
}

static enum json_token read_number(json_reader *reader) {
    bool fraction;
    const char *start = reader->at, *end = past_number(reader, start, &fraction);
    if (!end && reader->non_numeric && starts_with(reader, "-I"))
        return read_word(reader, starts_with(reader, "-IN") ? "-INF" : "-Infinity", VALUE_FLOAT);
    if (!end || !ends_at_root(reader, end))
        return refuse(reader, MALFORMED);
    if (end - start > LONGEST_NUMBER)
        return refuse(reader, FALLS_BACK);
    reader->raw = (text){start, (uint32_t)(end - start)};
    reader->at = end;
    reader->need_comma = true;
    return reader->token = fraction ? VALUE_FLOAT : VALUE_INT;
}

static enum json_token read_odd_value(json_reader *reader) {
    if (reader->non_numeric && *reader->at == 'N')
        return read_word(reader, "NaN", VALUE_FLOAT);
    if (reader->non_numeric && *reader->at == 'I')
        return read_word(reader, "Infinity", VALUE_FLOAT);
    if (reader->non_numeric && starts_with(reader, "+I"))
        return read_word(reader, starts_with(reader, "+IN") ? "+INF" : "+Infinity", VALUE_FLOAT);
    return refuse(reader, MALFORMED);
}

static enum json_token read_value(json_reader *reader) {
    if (reader->at == reader->end)
        return refuse(reader, MALFORMED);
    switch (*reader->at) {
    case '"':
    case '\'':
        if (!is_quote(reader, *reader->at))
            return refuse(reader, MALFORMED);
        if (!read_string(reader))
            return NO_TOKEN;
        reader->need_comma = true;
        return reader->token = VALUE_STRING;
    case '{':
    case '[': return open_scope(reader, *reader->at);
    case 't': return read_word(reader, "true", VALUE_TRUE);
    case 'f': return read_word(reader, "false", VALUE_FALSE);
    case 'n': return read_word(reader, "null", VALUE_NULL);
    case '-': return read_number(reader);
    default: return is_digit(reader, reader->at) ? read_number(reader) : read_odd_value(reader);
    }
}

/* CharTypes.getInputCodeLatin1JsNames of Jackson; beyond ASCII Java's character tables define which characters are allowed in a name. */
static bool is_open_name(unsigned char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c && strchr("_$@#*-+", c));
}

static bool read_open_name(json_reader *reader) {
    const char *start = reader->at;
    while (reader->at < reader->end && is_open_name((unsigned char)*reader->at))
        reader->at++;
    bool wide = reader->at < reader->end && (unsigned char)*reader->at >= 0x7F;
    if (wide || reader->at == start)
        return refuse(reader, wide ? FALLS_BACK : MALFORMED), false;
    reader->string = (text){start, (uint32_t)(reader->at - start)};
    return true;
}

static enum json_token read_name(json_reader *reader) {
    bool quoted = reader->at < reader->end && is_quote(reader, *reader->at);
    if (!quoted && !reader->open_names)
        return refuse(reader, MALFORMED);
    if (!(quoted ? read_string(reader) : read_open_name(reader)))
        return NO_TOKEN;
    if (reader->string.length > LONGEST_NAME)
        return refuse(reader, FALLS_BACK);
    skip_blanks(reader);
    if (reader->at == reader->end || *reader->at != ':')
        return refuse(reader, MALFORMED);
    reader->at++;
    return reader->token = FIELD_NAME;
}

enum json_token next_token(json_reader *reader) {
    if (reader->problem)
        return NO_TOKEN;
    stay_cancellable(&reader->work, 32);
    skip_blanks(reader);
    if (reader->token == FIELD_NAME)
        return read_value(reader);
    if (reader->at == reader->end)
        return reader->depth ? refuse(reader, MALFORMED) : (reader->token = NO_TOKEN);
    if (*reader->at == ']' || *reader->at == '}')
        return close_scope(reader, *reader->at);
    if (reader->depth && reader->need_comma) {
        if (*reader->at++ != ',')
            return refuse(reader, MALFORMED);
        skip_blanks(reader);
    }
    return reader->depth && reader->scopes[reader->depth - 1] == '{' ? read_name(reader) : read_value(reader);
}
