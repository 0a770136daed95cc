/* Sets of characters in Java's regular expressions: by letter, by property, in brackets; and escapes of single characters. */
#include "regex/regex_reader.h"

int new_regex_set(reader *r) {
    if (r->into->sets == MOST_SETS) {
        refuse(r);
        return 0;
    }
    r->into->set[r->into->sets] = (character_set){.first_range = (uint16_t)r->into->ranges};
    return r->into->sets++;
}

void add_regex_range(reader *r, int set, uint32_t low, uint32_t high) {
    character_set *into = &r->into->set[set];
    for (uint32_t c = low; c <= high && c < 128; c++) {
        into->ascii[c >> 6] |= 1ULL << (c & 63);
        if (r->flags & IGNORE_CASE && (c | 0x20) >= 'a' && (c | 0x20) <= 'z')
            into->ascii[(c ^ 0x20) >> 6] |= 1ULL << ((c ^ 0x20) & 63);
    }
    if (high < 128)
        return;
    if (r->into->ranges == MOST_RANGES)
        refuse(r);
    else {
        uint32_t *range = r->into->range[r->into->ranges++];
        range[0] = low < 128 ? 128 : low;
        range[1] = high;
        into->ranges++;
    }
}

void negate_regex_set(reader *r, int set) {
    character_set *of = &r->into->set[set];
    of->ascii[0] = ~of->ascii[0];
    of->ascii[1] = ~of->ascii[1];
    of->others = !of->others;
}

/* Adds what a set of its own holds to another; false when that cannot be said with ranges. */
static bool add_negated(reader *r, int set, const char *members) {
    bool has[128] = {false};
    for (; *members; members++)
        has[(unsigned char)*members] = true;
    int saved = r->flags;
    r->flags &= ~IGNORE_CASE;
    for (uint32_t c = 0; c < 128; c++)
        if (!has[c])
            add_regex_range(r, set, c, c);
    add_regex_range(r, set, 128, 0x10FFFF);
    r->flags = saved;
    return true;
}

#define SPACES " \t\n\x0B\f\r"
#define MARKS "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

static const char *named_set(char letter) {
    switch (letter) {
    case 'd': return DIGITS;
    case 'w': return DIGITS UPPER LOWER "_";
    case 's': return SPACES;
    default: return NULL;
    }
}

/* POSIX names are of ASCII; the categories of Unicode are known here for ASCII only. */
static const struct { const char *name, *members; bool unicode; } properties[] = {
    {"Lower", LOWER, false}, {"Upper", UPPER, false}, {"Alpha", UPPER LOWER, false}, {"Digit", DIGITS, false},
    {"Alnum", DIGITS UPPER LOWER, false}, {"Punct", MARKS, false}, {"Graph", DIGITS UPPER LOWER MARKS, false},
    {"Print", DIGITS UPPER LOWER MARKS " ", false}, {"Blank", " \t", false}, {"XDigit", DIGITS "abcdefABCDEF", false},
    {"Space", SPACES, false}, {"L", UPPER LOWER, true}, {"Lu", UPPER, true}, {"Ll", LOWER, true}, {"N", DIGITS, true},
    {"Nd", DIGITS, true}, {"IsAlphabetic", UPPER LOWER, true}, {"IsDigit", DIGITS, true}, {"IsL", UPPER LOWER, true},
    {"P", "!\"#%&'()*,-./:;?@[\\]_{}", true}, {"IsPunctuation", "!\"#%&'()*,-./:;?@[\\]_{}", true}, {"S", "$+<=>^`|~", true},
    {"Z", " ", true}, {"Zs", " ", true}, {"IsUppercase", UPPER, true}, {"IsLowercase", LOWER, true}};

static bool add_members(reader *r, int set, const char *members, bool negated, bool unicode) {
    character_set *into = &r->into->set[set];
    if (unicode)
        into->unknown = true;
    if (negated)
        return add_negated(r, set, members);
    int saved = r->flags;
    r->flags &= ~IGNORE_CASE;
    for (; *members; members++)
        add_regex_range(r, set, (unsigned char)*members, (unsigned char)*members);
    r->flags = saved;
    return true;
}

static bool read_property(reader *r, int set, bool negated) {
    char name[24];
    size_t length = 0;
    if (!more(r))
        return refuse(r);
    if (peek(r) != '{') {
        name[length++] = r->given.bytes[r->at++];
    } else {
        for (r->at++; more(r) && peek(r) != '}'; r->at++)
            if (length < sizeof name - 1)
                name[length++] = peek(r);
        if (!skip(r, "}"))
            return refuse(r);
    }
    name[length] = 0;
    if (r->flags & IGNORE_CASE)
        return refuse(r); /* upper and lower then mean both, for some names */
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (!strcmp(name, properties[i].name))
            return add_members(r, set, properties[i].members, negated, properties[i].unicode);
    return refuse(r);
}

static bool add_blanks(reader *r, int set, char letter, bool negated) {
    static const uint32_t across[][2] = {{' ', ' '}, {'\t', '\t'}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x180E, 0x180E},
                                         {0x2000, 0x200A}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
    static const uint32_t down[][2] = {{'\n', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}};
    if (negated || r->flags & IGNORE_CASE)
        return refuse(r);
    const uint32_t(*of)[2] = letter == 'h' ? across : down;
    for (size_t i = 0; i < (letter == 'h' ? 9 : 3); i++)
        add_regex_range(r, set, of[i][0], of[i][1]);
    return true;
}

/* \d \W \p{Alpha} \h ...: true if the letter after the backslash is a character class, which is added. */
bool is_set_letter(char c) { return c && strchr("dwsDWSpPhvHV", c); }
bool add_named_set(reader *r, int set) {
    char letter = r->given.bytes[r->at++], small = letter | 0x20;
    bool negated = letter != small;
    if (small == 'p')
        return read_property(r, set, negated);
    if (small == 'h' || small == 'v')
        return add_blanks(r, set, small, negated);
    return add_members(r, set, named_set(small), negated, false);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(reader *r, int digits, uint32_t *code) {
    *code = 0;
    for (int i = 0; i < digits; i++) {
        int value = hex_digit(peek(r));
        if (!more(r) || value < 0)
            return refuse(r);
        *code = *code * 16 + (uint32_t)value;
        r->at++;
    }
    return *code < 0xD800 || *code > 0xDFFF ? true : refuse(r);
}

/* After a backslash: the character that the escape represents. */
bool read_character_escape(reader *r, uint32_t *code) {
    if (!more(r))
        return refuse(r);
    uint32_t c = next_character(r);
    switch (c) {
    case 't': *code = '\t'; return true;
    case 'n': *code = '\n'; return true;
    case 'r': *code = '\r'; return true;
    case 'f': *code = '\f'; return true;
    case 'a': *code = 7; return true;
    case 'e': *code = 27; return true;
    case 'x': return peek(r) == '{' ? refuse(r) : read_hex(r, 2, code);
    case 'u': return read_hex(r, 4, code);
    default: break;
    }
    if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
        return refuse(r);
    *code = c;
    return true;
}

/* --- brackets: Pattern.clazz without unions and intersections --- */

static bool read_member(reader *r, int set) {
    uint32_t low, high;
    if (peek(r) == '\\') {
        r->at++;
        if (is_set_letter(peek(r)))
            return add_named_set(r, set);
        if (peek(r) == 'Q' || !read_character_escape(r, &low))
            return refuse(r);
    } else
        low = next_character(r);
    high = low;
    if (peek(r) == '-' && r->at + 1 < r->given.length && peek_at(r, 1) != ']') {
        r->at++;
        if (peek(r) == '[')
            return refuse(r);
        if (peek(r) == '\\') {
            r->at++;
            if (is_set_letter(peek(r)) || peek(r) == 'Q' || !read_character_escape(r, &high))
                return refuse(r);
        } else
            high = next_character(r);
        if (high < low)
            return refuse(r);
    }
    add_regex_range(r, set, low, high);
    return !r->failed;
}

bool read_bracket(reader *r, int *made) {
    int set = *made = new_regex_set(r);
    bool negated = skip(r, "^");
    if (peek(r) == ']' || peek(r) == '^')
        return refuse(r);
    while (!r->failed && peek(r) != ']') {
        if (!more(r) || peek(r) == '[' || (peek(r) == '&' && peek_at(r, 1) == '&'))
            return refuse(r);
        read_member(r, set);
    }
    r->at++;
    if (negated)
        negate_regex_set(r, set);
    return !r->failed;
}
