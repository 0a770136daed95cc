/* Quantifiers of Java's regular expressions: greedy, reluctant and possessive. */
#include "regex/regex_reader.h"

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
        int set = new_regex_set(r), saved = r->flags;
        r->flags = node->flag ? IGNORE_CASE : 0;
        add_regex_range(r, set, node->code, node->code);
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
    int64_t length = (int64_t)of.length * by.least;
    if (length > MOST_LENGTH)
        refuse(r);
    int16_t k = (int16_t)r->into->loops++;
    int loop = add_node(r, (regex_node){.kind = NODE_LOOP, .loop = k, .how = by.how, .least = by.least, .most = by.most, .body = (int16_t)of.first});
    int start = add_node(r, (regex_node){.kind = NODE_LOOP_START, .loop = k});
    r->into->node[start].next = (int16_t)loop;
    link_to(r, &of, loop);
    piece made = {.first = start, .captures = of.captures, .empty = of.empty || by.least == 0};
    made.length = of.length >= 0 && by.least == by.most ? (int)length : NONE;
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

piece quantified_piece(reader *r, piece atom) {
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
