/* parse_url: parses a URL as java.net.URI does (RFC 2396 with Java's deviations); also returns the value of one query key.
 *
 * SQL spelling: spark_parse_url(url, part), spark_parse_url(url, part, key); the same with _try gives NULL where the first
 * raises INVALID_URL. Characters beyond ASCII and IPv6 addresses go to Spark. */
#include "regex/regex.h"
#include "core/utf8.h"

#define ALPHA "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"
#define UNRESERVED ALPHA DIGITS "_-!.~'()*"

/* The sets of characters, each a bit of a table that is filled from these letters when the extension is loaded. */
#define SETS(_)                                                                                                        \
    _(LETTER, ALPHA) _(DIGIT, DIGITS) _(HEX, DIGITS "abcdefABCDEF") _(ADDRESS, DIGITS ".") _(NAME, ALPHA DIGITS)       \
    _(LABEL, ALPHA DIGITS "-") _(SCHEME, ALPHA DIGITS "+-.") _(USER_INFO, UNRESERVED ";:&=+$,")                        \
    _(REGISTRY_NAME, UNRESERVED "$,;:@&=+") _(SERVER, UNRESERVED ";:&=+$,.:@[]%")                                      \
    _(URI_CHARACTER, UNRESERVED ";/?:@&=+$,[]") _(PATH_CHARACTER, UNRESERVED ":@&=+$,;/") _(AT_SIGN, "@")              \
    _(HASH, "#") _(QUERY_BEGIN, "?#") _(PATH_BEGIN, "/?#") _(SCHEME_END, "/?#:")
#define SET_NUMBER(name, letters) name,
#define SET_LETTERS(name, letters) letters,
enum set { SETS(SET_NUMBER) SET_COUNT };
static uint32_t sets_of[256];

__attribute__((constructor)) static void fill_sets(void) {
    static const char *const letters[] = {SETS(SET_LETTERS)};
    for (int set = 0; set < SET_COUNT; set++)
        for (const char *at = letters[set]; *at; at++)
            sets_of[(unsigned char)*at] |= 1u << set;
}

enum uri_state { READ, MALFORMED, FALLS_BACK };
typedef struct { uint32_t start, end; bool there; } part;
typedef struct { const char *bytes; enum uri_state state; part scheme, authority, user, host, path, query, fragment; } uri;

static void found(part *of, uint32_t start, uint32_t end) { *of = (part){start, end, true}; }
static uint32_t malformed(uri *of, uint32_t at) {
    if (of->state == READ)
        of->state = MALFORMED;
    return at;
}
static inline bool is_in(char c, enum set set) { return sets_of[(unsigned char)c] >> set & 1; }
static bool is_hex(char c) { return is_in(c, HEX); }

/* Up to the first character that is not of the set; `escapes`: %41 is, and a malformed escape is an error at once. */
static uint32_t scan(uri *of, uint32_t at, uint32_t end, enum set set, bool escapes) {
    for (; at < end; at++) {
        if (is_in(of->bytes[at], set))
            continue;
        if (!escapes || of->bytes[at] != '%')
            break;
        if (at + 3 > end || !is_hex(of->bytes[at + 1]) || !is_hex(of->bytes[at + 2]))
            return malformed(of, at);
        at += 2;
    }
    return at;
}

static uint32_t until(const uri *of, uint32_t at, uint32_t end, enum set stops) {
    while (at < end && !is_in(of->bytes[at], stops))
        at++;
    return at;
}

static void check(uri *of, uint32_t at, uint32_t end, enum set set, bool escapes) {
    if (scan(of, at, end, set, escapes) < end)
        malformed(of, at);
}

/* Four bytes with points; 0: none. */
static uint32_t scan_address(const uri *of, uint32_t at, uint32_t end) {
    uint32_t last = at;
    while (last < end && is_in(of->bytes[last], ADDRESS))
        last++;
    for (int i = 0; i < 4; i++) {
        uint32_t begin = at, value = 0;
        for (; at < last && of->bytes[at] != '.'; at++)
            value = value > 100000 ? value : value * 10 + (uint32_t)(of->bytes[at] - '0');
        if (at == begin || value > 255)
            return 0;
        if (i < 3 && (at == last || of->bytes[at++] != '.'))
            return 0;
    }
    return at == last && (at == end || of->bytes[at] == ':') ? at : 0;
}

/* Labels of letters, digits and inner dashes; of several the last begins with a letter. 0: none. */
static uint32_t scan_host(uri *of, uint32_t start, uint32_t end) {
    uint32_t at = start, last = UINT32_MAX;
    while (at < end) {
        uint32_t next = scan(of, at, end, NAME, false);
        if (next == at)
            break;
        last = at;
        at = scan(of, next, end, LABEL, false);
        if (of->bytes[at - 1] == '-')
            return 0;
        if (at == end || of->bytes[at] != '.')
            break;
        at++;
    }
    if (last == UINT32_MAX || (at < end && of->bytes[at] != ':') || (last > start && !is_in(of->bytes[last], LETTER)))
        return 0;
    return at;
}

static bool read_server(uri *of, uint32_t at, uint32_t end) {
    uint32_t sign = until(of, at, end, AT_SIGN);
    if (sign < end) {
        if (scan(of, at, sign, USER_INFO, true) < sign || of->state != READ)
            return false;
        found(&of->user, at, sign);
        at = sign + 1;
    }
    if (at < end && of->bytes[at] == '[') {
        of->state = FALLS_BACK;
        return false;
    }
    uint32_t host = scan_address(of, at, end);
    host = host ? host : scan_host(of, at, end);
    if (!host)
        return false;
    found(&of->host, at, host);
    if (host == end)
        return true;
    uint64_t port = 0;
    for (at = host + 1; at < end; at++) {
        if (!is_in(of->bytes[at], DIGIT))
            return false;
        port = port > INT32_MAX ? port : port * 10 + (uint64_t)(of->bytes[at] - '0');
    }
    return port <= INT32_MAX;
}

/* A server where it reads as one, else a name of some registry. */
static void read_authority(uri *of, uint32_t at, uint32_t end) {
    bool server = scan(of, at, end, SERVER, false) == end, registry = scan(of, at, end, REGISTRY_NAME, true) == end;
    found(&of->authority, at, end);
    if (of->state != READ || (server && read_server(of, at, end)))
        return;
    of->user.there = of->host.there = false;
    if (!registry)
        malformed(of, at);
}

static uint32_t read_hierarchy(uri *of, uint32_t at, uint32_t end) {
    if (at + 2 <= end && of->bytes[at] == '/' && of->bytes[at + 1] == '/') {
        uint32_t begin = at + 2;
        at = until(of, begin, end, PATH_BEGIN);
        if (at > begin)
            read_authority(of, begin, at);
        else if (at == end)
            return malformed(of, end);
    }
    uint32_t path = until(of, at, end, QUERY_BEGIN);
    check(of, at, path, PATH_CHARACTER, true);
    found(&of->path, at, path);
    if (path == end || of->bytes[path] != '?')
        return path;
    uint32_t query = until(of, path + 1, end, HASH);
    check(of, path + 1, query, URI_CHARACTER, true);
    found(&of->query, path + 1, query);
    return query;
}

/* No path when what follows the scheme does not begin with a slash. */
static uint32_t read_scheme(uri *of, uint32_t colon, uint32_t end) {
    if (!colon || !is_in(of->bytes[0], LETTER))
        return malformed(of, end);
    check(of, 1, colon, SCHEME, false);
    found(&of->scheme, 0, colon);
    if (colon + 1 < end && of->bytes[colon + 1] == '/')
        return read_hierarchy(of, colon + 1, end);
    uint32_t stop = until(of, colon + 1, end, HASH);
    if (stop == colon + 1)
        return malformed(of, end);
    check(of, colon + 1, stop, URI_CHARACTER, true);
    return stop;
}

static void read_uri(uri *of, text given) {
    *of = (uri){.bytes = given.bytes};
    if (!is_ascii(given) || memchr(given.bytes, 0, given.length)) {
        of->state = FALLS_BACK;
        return;
    }
    uint32_t end = given.length, colon = until(of, 0, end, SCHEME_END);
    bool scheme = colon < end && given.bytes[colon] == ':';
    uint32_t at = scheme ? read_scheme(of, colon, end) : read_hierarchy(of, 0, end);
    if (at < end) {
        check(of, at + 1, end, URI_CHARACTER, true);
        found(&of->fragment, at + 1, end);
    }
}

static bool is_word(text value, const char *word) { return value.length == strlen(word) && !memcmp(value.bytes, word, value.length); }

static part part_of(const uri *of, text name) {
    if (is_word(name, "HOST")) return of->host;
    if (is_word(name, "PATH")) return of->path;
    if (is_word(name, "QUERY")) return of->query;
    if (is_word(name, "REF")) return of->fragment;
    if (is_word(name, "PROTOCOL")) return of->scheme;
    if (is_word(name, "AUTHORITY")) return of->authority;
    if (is_word(name, "USERINFO")) return of->user;
    if (is_word(name, "FILE") && of->path.there)
        return (part){of->path.start, of->query.there ? of->query.end : of->path.end, true};
    return (part){0};
}

/* The key is read as a regular expression, and the second group counts (ParseUrlEvaluator). */
static void set_value_of_key(native_call *call, idx_t row, text query, text key, regex *compiled) {
    span groups[MOST_GROUPS];
    char *pattern = allocate((size_t)key.length + 16, 1);
    uint32_t length = 5;
    memcpy(pattern, "(&|^)", 5);
    memcpy(pattern + length, key.bytes, key.length);
    memcpy(pattern + length + key.length, "=([^&]*)", 8);
    length += key.length + 8;
    bool readable = read_regex((text){pattern, length}, compiled);
    enum match_outcome found = readable ? find_regex(compiled, query, 0, 0, groups) : MATCH_FALLS_BACK;
    release(pattern);
    if (found != MATCH && found != NO_MATCH)
        fall_back(call, "REGEX", "parse_url with a key that contains a pattern");
    else if (found == NO_MATCH || groups[2].start == UINT32_MAX)
        set_null(call, row);
    else
        set_text(call, row, query.bytes + groups[2].start, groups[2].end - groups[2].start);
}

static void refuse_url(native_call *call, idx_t row, const uri *of, text given) {
    if (of->state == FALLS_BACK)
        fall_back(call, "FUNCTION_ROW_VALUE", "parse_url of a URL outside ASCII or with an IPv6 address");
    else if (call->function->extra)
        spark_error_text(call, "INVALID_URL", "url", given, NULL);
    else
        set_null(call, row);
}

static void parse_rows(native_call *call) {
    bool keyed = call->arguments == 3;
    regex *compiled = keyed ? allocate(1, sizeof *compiled) : NULL;
    EACH_ROW(call, row) {
        text given = argument_text(call, 0, row), name = argument_text(call, 1, row);
        uri read;
        if (keyed && !is_word(name, "QUERY")) {
            set_null(call, row);
            continue;
        }
        read_uri(&read, given);
        if (read.state != READ) {
            refuse_url(call, row, &read, given);
            continue;
        }
        part asked = part_of(&read, name);
        text value = {given.bytes + asked.start, asked.end - asked.start};
        if (!asked.there)
            set_null(call, row);
        else if (keyed)
            set_value_of_key(call, row, value, argument_text(call, 2, row), compiled);
        else
            set_text(call, row, value.bytes, value.length);
    }
    release(compiled);
}

const native_function url_functions[] = {
    {"spark_parse_url", "vv>v", parse_rows, ""},
    {"spark_parse_url", "vvv>v", parse_rows, ""},
    {"spark_parse_url_try", "vv>v", parse_rows, NULL},
    {"spark_parse_url_try", "vvv>v", parse_rows, NULL},
    {NULL}};
