/* Compiles Java's regular expressions to the nodes of regex.h; unsupported patterns fall back to Spark.
 *
 * A piece is a chain of nodes whose continuation is not known yet: `link` sets its open ends. */
#include "regex/regex_reader.h"

/* --- atoms --- */

static piece alternatives(reader *r);

static piece set_piece(reader *r, int set) { return single(r, (regex_node){.kind = NODE_SET, .set = (int16_t)set}, 1, false); }

static piece character_piece(reader *r, uint32_t c) {
    return single(r, (regex_node){.kind = NODE_CHARACTER, .code = c, .flag = r->flags & IGNORE_CASE}, 1, false);
}

static piece dot(reader *r) {
    int set = new_regex_set(r);
    if (!(r->flags & DOT_ALL)) {
        int saved = r->flags;
        r->flags = 0;
        add_regex_range(r, set, '\n', '\n');
        add_regex_range(r, set, '\r', '\r');
        add_regex_range(r, set, 0x85, 0x85);
        add_regex_range(r, set, 0x2028, 0x2029);
        r->flags = saved;
    }
    negate_regex_set(r, set);
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
        int set = new_regex_set(r);
        add_named_set(r, set);
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
    read_character_escape(r, &code);
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

/* (?i) alone changes the flags up to the end of the enclosing group. */
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
            next = quantified_piece(r, next);
        else if (skip(r, "\\E")) {
            r->quoting = false;
            next = quantified_piece(r, next);
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
    if (r.failed)
        return false;
    prepare_regex(into);
    return true;
}
