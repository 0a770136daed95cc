/* Reads Java's regular expressions into the nodes of regex.h; what is not read here goes to Spark.
 *
 * A piece is a chain of nodes that still wants to know what comes next: `link` fills in its open ends. */
#include "regex.h"
#include "utf8.h"

enum { MOST_ENDS = 64, NONE = -1 };
enum { IGNORE_CASE = 1, DOT_ALL = 2, MANY_LINES = 4 };

/* length: in characters when it is fixed, NONE when it is not. certain: Java calls it deterministic. */
typedef struct {
    int first;
    int16_t ends[MOST_ENDS]; /* nodes whose `next` is open */
    int end_count, length, captures;
    bool empty, certain, own; /* own: it is one capturing group and nothing else */
} piece;

typedef struct { regex *into; text given; uint32_t at; int flags, depth; bool failed, quoting, named; uint32_t closed; } reader;

static bool refuse(reader *r) {
    r->failed = true;
    return false;
}

static int add_node(reader *r, regex_node node) {
    if (r->into->nodes == MOST_NODES) {
        refuse(r);
        return 0;
    }
    node.next = NONE;
    r->into->node[r->into->nodes] = node;
    return r->into->nodes++;
}

static void link_to(reader *r, const piece *of, int target) {
    for (int i = 0; i < of->end_count; i++)
        r->into->node[of->ends[i]].next = (int16_t)target;
}

static void add_end(reader *r, piece *of, int node) {
    if (of->end_count == MOST_ENDS)
        refuse(r);
    else
        of->ends[of->end_count++] = (int16_t)node;
}

static void take_ends(reader *r, piece *of, const piece *from) {
    for (int i = 0; i < from->end_count; i++)
        add_end(r, of, from->ends[i]);
}

static piece single(reader *r, regex_node node, int length, bool empty) {
    piece made = {.length = length, .empty = empty, .certain = true};
    made.first = add_node(r, node);
    add_end(r, &made, made.first);
    return made;
}

/* --- characters and sets --- */

static bool more(const reader *r) { return r->at < r->given.length; }
static char peek(const reader *r) { return more(r) ? r->given.bytes[r->at] : 0; }
static char peek_at(const reader *r, uint32_t ahead) { return r->at + ahead < r->given.length ? r->given.bytes[r->at + ahead] : 0; }
static bool skip(reader *r, const char *word) {
    size_t length = strlen(word);
    if (r->given.length - r->at < length || memcmp(r->given.bytes + r->at, word, length))
        return false;
    r->at += (uint32_t)length;
    return true;
}
static uint32_t next_character(reader *r) {
    uint32_t c = character_at(r->given.bytes + r->at);
    r->at += character_bytes((unsigned char)r->given.bytes[r->at]);
    return c;
}

static int new_set(reader *r) {
    if (r->into->sets == MOST_SETS) {
        refuse(r);
        return 0;
    }
    r->into->set[r->into->sets] = (character_set){.first_range = (uint16_t)r->into->ranges};
    return r->into->sets++;
}

static void add_range(reader *r, int set, uint32_t low, uint32_t high) {
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

static void negate(reader *r, int set) {
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
            add_range(r, set, c, c);
    add_range(r, set, 128, 0x10FFFF);
    r->flags = saved;
    return true;
}

#define DIGITS "0123456789"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LOWER "abcdefghijklmnopqrstuvwxyz"
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
        add_range(r, set, (unsigned char)*members, (unsigned char)*members);
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
        add_range(r, set, of[i][0], of[i][1]);
    return true;
}

/* \d \W \p{Alpha} \h ...: true when the letter behind the backslash names a set, which is added. */
static bool is_set_letter(char c) { return c && strchr("dwsDWSpPhvHV", c); }
static bool add_named(reader *r, int set) {
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

/* A backslash was read; the character that the escape stands for. */
static bool read_escape(reader *r, uint32_t *code) {
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
            return add_named(r, set);
        if (peek(r) == 'Q' || !read_escape(r, &low))
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
            if (is_set_letter(peek(r)) || peek(r) == 'Q' || !read_escape(r, &high))
                return refuse(r);
        } else
            high = next_character(r);
        if (high < low)
            return refuse(r);
    }
    add_range(r, set, low, high);
    return !r->failed;
}

static bool read_bracket(reader *r, int *made) {
    int set = *made = new_set(r);
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
        negate(r, set);
    return !r->failed;
}

/* --- atoms --- */

static piece alternatives(reader *r);

static piece set_piece(reader *r, int set) { return single(r, (regex_node){.kind = NODE_SET, .set = (int16_t)set}, 1, false); }

static piece character_piece(reader *r, uint32_t c) {
    return single(r, (regex_node){.kind = NODE_CHARACTER, .code = c, .flag = r->flags & IGNORE_CASE}, 1, false);
}

static piece dot(reader *r) {
    int set = new_set(r);
    if (!(r->flags & DOT_ALL)) {
        int saved = r->flags;
        r->flags = 0;
        add_range(r, set, '\n', '\n');
        add_range(r, set, '\r', '\r');
        add_range(r, set, 0x85, 0x85);
        add_range(r, set, 0x2028, 0x2029);
        r->flags = saved;
    }
    negate(r, set);
    return set_piece(r, set);
}

static piece back_reference(reader *r) {
    int number = peek(r) - '0';
    r->at++;
    if (number > r->into->groups || !(r->closed >> number & 1) || (peek(r) >= '0' && peek(r) <= '9'))
        refuse(r);
    piece made = single(r, (regex_node){.kind = NODE_BACK_REFERENCE, .group = (int16_t)number, .flag = r->flags & IGNORE_CASE}, NONE, true);
    return made;
}

static piece anchor(reader *r, uint8_t kind, bool flag) { return single(r, (regex_node){.kind = kind, .flag = flag}, 0, true); }

static piece escaped(reader *r) {
    uint32_t code = 0;
    char c = peek(r);
    if (c >= '1' && c <= '9')
        return back_reference(r);
    if (is_set_letter(c)) {
        int set = new_set(r);
        add_named(r, set);
        return set_piece(r, set);
    }
    switch (c) {
    case 'A': r->at++; return anchor(r, NODE_BEGIN, false);
    case 'Z': r->at++; return anchor(r, NODE_DOLLAR, false);
    case 'z': r->at++; return anchor(r, NODE_END, false);
    case 'b': r->at++; return anchor(r, NODE_WORD_EDGE, peek(r) == '{' ? refuse(r) : false);
    case 'B': r->at++; return anchor(r, NODE_WORD_EDGE, true);
    default: break;
    }
    read_escape(r, &code);
    return character_piece(r, code);
}

static piece closed_group(reader *r, piece inside, int group) {
    int open = add_node(r, (regex_node){.kind = NODE_OPEN, .group = (int16_t)group});
    int close = add_node(r, (regex_node){.kind = NODE_CLOSE, .group = (int16_t)group});
    r->into->node[open].next = (int16_t)inside.first;
    link_to(r, &inside, close);
    piece made = inside;
    made.first = open;
    made.end_count = 0;
    made.captures++;
    made.own = true;
    add_end(r, &made, close);
    r->closed |= 1u << group;
    return made;
}

/* (?=..) (?!..) (?<=..) (?<!..) (?>..): the inside ends by itself. */
static piece around(reader *r, uint8_t kind, bool negated) {
    piece inside = alternatives(r);
    link_to(r, &inside, add_node(r, (regex_node){.kind = NODE_ACCEPT}));
    bool behind = kind == NODE_BEHIND;
    if (behind && (inside.length < 0 || inside.captures))
        refuse(r);
    regex_node node = {.kind = kind, .flag = negated, .body = (int16_t)inside.first, .least = behind ? inside.length : 0};
    piece made = single(r, node, kind == NODE_ATOMIC ? inside.length : 0, kind == NODE_ATOMIC ? inside.empty : true);
    made.captures = inside.captures;
    made.certain = inside.certain;
    return made;
}

static bool read_flags(reader *r) {
    bool on = true;
    for (; more(r) && peek(r) != ')' && peek(r) != ':'; r->at++) {
        char c = peek(r);
        int flag = c == 'i' ? IGNORE_CASE : c == 's' ? DOT_ALL : c == 'm' ? MANY_LINES : 0;
        if (c == '-' && on)
            on = false;
        else if (!flag)
            return refuse(r);
        else
            r->flags = on ? r->flags | flag : r->flags & ~flag;
    }
    return more(r) ? true : refuse(r);
}

static bool skip_name(reader *r) {
    char c = peek(r) | 0x20;
    if (c < 'a' || c > 'z' || r->named)
        return refuse(r); /* two groups may not have one name */
    r->named = true;
    for (; more(r) && peek(r) != '>'; r->at++)
        if (!strchr(DIGITS UPPER LOWER, peek(r)))
            return refuse(r);
    return skip(r, ">") ? true : refuse(r);
}

static piece capturing(reader *r) {
    int group = ++r->into->groups;
    if (group >= MOST_GROUPS) {
        refuse(r);
        return (piece){0};
    }
    return closed_group(r, alternatives(r), group);
}

static piece plain_group(reader *r) {
    piece made = alternatives(r);
    made.own = false;
    return made;
}

static piece group_inside(reader *r) {
    if (peek(r) != '?')
        return capturing(r);
    r->at++;
    if (skip(r, ":"))
        return plain_group(r);
    if (skip(r, "="))
        return around(r, NODE_AHEAD, false);
    if (skip(r, "!"))
        return around(r, NODE_AHEAD, true);
    if (skip(r, "<="))
        return around(r, NODE_BEHIND, false);
    if (skip(r, "<!"))
        return around(r, NODE_BEHIND, true);
    if (skip(r, ">"))
        return around(r, NODE_ATOMIC, false);
    if (skip(r, "<") && skip_name(r))
        return capturing(r);
    if (!r->failed && read_flags(r) && skip(r, ":"))
        return plain_group(r);
    refuse(r);
    return (piece){0};
}

static piece group(reader *r) {
    int saved = r->flags;
    piece made = {0};
    if (++r->depth > 60)
        refuse(r);
    else
        made = group_inside(r);
    r->depth--;
    if (!r->failed && !skip(r, ")"))
        refuse(r);
    r->flags = saved;
    return made;
}

/* --- quantifiers --- */

typedef struct { int32_t least, most; uint8_t how; } quantifier;

static bool read_count(reader *r, int32_t *value) {
    if (peek(r) < '0' || peek(r) > '9')
        return false;
    int64_t count = 0;
    for (; peek(r) >= '0' && peek(r) <= '9' && more(r); r->at++)
        count = count > 100000 ? count : count * 10 + peek(r) - '0';
    *value = (int32_t)count;
    return count <= 100000 ? true : refuse(r);
}

static bool read_counts(reader *r, quantifier *into) {
    if (!read_count(r, &into->least))
        return refuse(r);
    into->most = into->least;
    if (skip(r, ",")) {
        into->most = INT32_MAX;
        if (peek(r) != '}' && !read_count(r, &into->most))
            return refuse(r);
    }
    return skip(r, "}") && into->most >= into->least ? true : refuse(r);
}

static bool read_quantifier(reader *r, quantifier *into) {
    *into = (quantifier){0, INT32_MAX, GREEDY};
    if (skip(r, "+"))
        into->least = 1;
    else if (skip(r, "?"))
        into->most = 1;
    else if (skip(r, "{"))
        read_counts(r, into);
    else if (!skip(r, "*"))
        return false;
    if (skip(r, "?"))
        into->how = LAZY;
    else if (skip(r, "+"))
        into->how = POSSESSIVE;
    return !r->failed;
}

static piece repeated_character(reader *r, piece atom, quantifier by) {
    regex_node *node = &r->into->node[atom.first];
    if (node->kind == NODE_CHARACTER) {
        int set = new_set(r), saved = r->flags;
        r->flags = node->flag ? IGNORE_CASE : 0;
        add_range(r, set, node->code, node->code);
        r->flags = saved;
        node->set = (int16_t)set;
    }
    node->kind = NODE_REPEAT_SET;
    node->least = by.least;
    node->most = by.most;
    node->how = by.how;
    atom.empty = by.least == 0;
    atom.length = by.least == by.most ? by.least : NONE;
    atom.certain = by.least == by.most;
    return atom;
}

/* Java makes `?` of a group a choice between it and nothing. */
static piece optional(reader *r, piece of, uint8_t how) {
    int branch = add_node(r, (regex_node){.kind = NODE_BRANCH});
    piece made = of;
    made.empty = true;
    made.certain = made.own = false;
    made.length = NONE;
    made.first = branch;
    if (how == GREEDY) {
        r->into->node[branch].body = (int16_t)of.first;
        add_end(r, &made, branch); /* its `next` is the way round */
        return made;
    }
    /* lazily: first the way round, a node that takes nothing */
    int nothing = add_node(r, (regex_node){.kind = NODE_AHEAD, .body = 0});
    r->into->node[nothing].body = (int16_t)add_node(r, (regex_node){.kind = NODE_ACCEPT});
    r->into->node[branch].body = (int16_t)nothing;
    r->into->node[branch].next = (int16_t)of.first;
    add_end(r, &made, nothing);
    return made;
}

/* Java repeats a deterministic group in a way of its own (GroupCurly), that forgets to restore groups inside it. */
static piece repeated_group(reader *r, piece of, quantifier by) {
    if (r->into->loops == MOST_LOOPS || (of.certain && (of.empty || of.captures > (of.own ? 1 : 0)))) {
        refuse(r);
        return of;
    }
    int16_t k = (int16_t)r->into->loops++;
    int loop = add_node(r, (regex_node){.kind = NODE_LOOP, .loop = k, .how = by.how, .least = by.least, .most = by.most, .body = (int16_t)of.first});
    int start = add_node(r, (regex_node){.kind = NODE_LOOP_START, .loop = k});
    r->into->node[start].next = (int16_t)loop;
    link_to(r, &of, loop);
    piece made = {.first = start, .captures = of.captures, .empty = of.empty || by.least == 0};
    made.length = of.length >= 0 && by.least == by.most ? of.length * by.least : NONE;
    made.certain = of.certain && by.least == by.most;
    add_end(r, &made, loop);
    return made;
}

static piece possessive(reader *r, piece of, quantifier by) {
    if (by.least > 1 || of.empty || of.captures)
        refuse(r);
    by.how = GREEDY;
    piece inside = by.most == 1 && !by.least ? optional(r, of, GREEDY) : repeated_group(r, of, by);
    link_to(r, &inside, add_node(r, (regex_node){.kind = NODE_ACCEPT}));
    piece made = single(r, (regex_node){.kind = NODE_ATOMIC, .body = (int16_t)inside.first}, NONE, inside.empty);
    made.captures = inside.captures;
    made.certain = false;
    return made;
}

static piece quantified(reader *r, piece atom) {
    quantifier by;
    if (r->failed || !read_quantifier(r, &by))
        return atom;
    char next = peek(r);
    if (more(r) && (next == '*' || next == '+' || next == '?' || next == '{'))
        refuse(r);
    uint8_t kind = r->into->node[atom.first].kind;
    if (kind == NODE_SET || kind == NODE_CHARACTER)
        if (atom.end_count == 1 && atom.ends[0] == atom.first)
            return repeated_character(r, atom, by);
    if (kind == NODE_BACK_REFERENCE || (atom.length == 0 && atom.empty))
        refuse(r);
    if (by.how == POSSESSIVE)
        return possessive(r, atom, by);
    if (by.least == 0 && by.most == 1)
        return optional(r, atom, by.how);
    return repeated_group(r, atom, by);
}

/* --- sequences --- */

static piece atom(reader *r) {
    uint32_t c = next_character(r);
    if (r->quoting)
        return character_piece(r, c);
    int set;
    switch (c) {
    case '(': return group(r);
    case '[': read_bracket(r, &set); return set_piece(r, set);
    case '.': return dot(r);
    case '\\': return escaped(r);
    case '^': return anchor(r, r->flags & MANY_LINES ? NODE_CARET : NODE_BEGIN, false);
    case '$': return anchor(r, NODE_DOLLAR, r->flags & MANY_LINES);
    case '*': case '+': case '?': case '{': refuse(r); return (piece){0};
    default: return character_piece(r, c);
    }
}

static piece joined(reader *r, piece left, piece right) {
    link_to(r, &left, right.first);
    piece made = right;
    made.first = left.first;
    made.own = false;
    made.length = left.length >= 0 && right.length >= 0 ? left.length + right.length : NONE;
    made.captures = left.captures + right.captures;
    made.empty = left.empty && right.empty;
    made.certain = left.certain && right.certain;
    return made;
}

/* (?i) alone changes the flags up to the end of the group it stands in. */
static bool bare_flags(reader *r) {
    uint32_t saved = r->at;
    int flags = r->flags;
    if (skip(r, "(?") && (peek(r) == 'i' || peek(r) == 's' || peek(r) == 'm' || peek(r) == '-')) {
        if (read_flags(r) && skip(r, ")"))
            return true;
        r->failed = false;
    }
    r->at = saved;
    r->flags = flags;
    return false;
}

static piece nothing(reader *r) {
    int node = add_node(r, (regex_node){.kind = NODE_AHEAD});
    r->into->node[node].body = (int16_t)add_node(r, (regex_node){.kind = NODE_ACCEPT});
    piece made = {.first = node, .empty = true, .certain = true};
    add_end(r, &made, node);
    return made;
}

static piece sequence(reader *r) {
    piece made = {.first = NONE};
    while (!r->failed && more(r) && (r->quoting || (peek(r) != '|' && peek(r) != ')'))) {
        if (!r->quoting && bare_flags(r))
            continue;
        if (!r->quoting && skip(r, "\\Q")) {
            r->quoting = true;
            continue;
        }
        if (r->quoting && skip(r, "\\E")) {
            r->quoting = false;
            continue;
        }
        piece next = atom(r);
        if (!r->quoting)
            next = quantified(r, next);
        else if (skip(r, "\\E")) {
            r->quoting = false;
            next = quantified(r, next);
        }
        if (!r->failed)
            made = made.first == NONE ? next : joined(r, made, next);
    }
    return made.first == NONE ? nothing(r) : made;
}

static piece alternatives(reader *r) {
    piece made = sequence(r);
    while (!r->failed && skip(r, "|")) {
        piece other = sequence(r);
        int branch = add_node(r, (regex_node){.kind = NODE_BRANCH, .body = (int16_t)made.first});
        r->into->node[branch].next = (int16_t)other.first;
        made.first = branch;
        made.length = made.length == other.length ? made.length : NONE;
        made.captures += other.captures;
        made.empty |= other.empty;
        made.certain = made.own = false;
        take_ends(r, &made, &other);
    }
    return made;
}

bool read_regex(text pattern, regex *into) {
    into->nodes = into->sets = into->ranges = into->groups = into->loops = 0;
    reader r = {.into = into, .given = pattern};
    if (memchr(pattern.bytes, 0, pattern.length))
        return false;
    piece whole = alternatives(&r);
    if (r.failed || more(&r))
        return false;
    link_to(&r, &whole, add_node(&r, (regex_node){.kind = NODE_ACCEPT}));
    into->start = whole.first;
    into->may_be_empty = whole.empty;
    return !r.failed;
}
