/* Java's regular expressions (java.util.regex): compiled to nodes and matched by backtracking, as in Java. */
#pragma once
#include "core/native.h"

enum { MOST_NODES = 600, MOST_SETS = 160, MOST_RANGES = 900, MOST_GROUPS = 32, MOST_LOOPS = 40 };

/* Characters of ASCII in a bitmap, the others in ranges; `unknown`: which of the others belong only Java's tables say. */
typedef struct { uint64_t ascii[2]; uint16_t first_range, ranges; bool others, unknown; } character_set;

typedef struct regex_node {
    uint8_t kind, how; /* how: greedy, lazy or possessive */
    bool flag;         /* case ignored; many lines; negated */
    int16_t set, group, loop, body, next;
    int32_t least, most;
    uint32_t code;
} regex_node;

typedef struct regex {
    int nodes, sets, ranges, groups, loops, branches, start;
    bool may_be_empty, plain; /* plain: a node's failure at a position does not depend on what was matched before */
    uint64_t first[2]; /* characters of ASCII that a match may begin with */
    regex_node node[MOST_NODES];
    character_set set[MOST_SETS];
    uint32_t range[MOST_RANGES][2];
} regex;

/* False if the pattern is invalid or not supported: the plan falls back to Spark. */
bool read_regex(text pattern, regex *into);

/* FALLS_BACK: needs Java's character tables; too long, too deep: a limit of this matcher was reached. */
enum match_outcome { NO_MATCH, MATCH, MATCH_FALLS_BACK, MATCH_TOO_LONG, MATCH_TOO_DEEP };
typedef struct { uint32_t start, end; } span; /* of bytes; UINT32_MAX: the group took no part */

/* The first match that begins at `from` or later. Groups hold MOST_GROUPS spans, the whole match first; the text begins
 * for the pattern (`^`, `\b`, lookbehind) at `region`. */
enum match_outcome find_regex(const regex *pattern, text value, uint32_t from, uint32_t region, span *groups);

/* To be called once a pattern is read. */
void prepare_regex(regex *pattern);

bool set_holds(const regex *pattern, int set, uint32_t c, bool *unknown);

enum node_kind {
    NODE_ACCEPT, NODE_SET, NODE_CHARACTER, NODE_REPEAT_SET, NODE_BRANCH, NODE_OPEN, NODE_CLOSE, NODE_LOOP_START, NODE_LOOP,
    NODE_BEGIN, NODE_CARET, NODE_DOLLAR, NODE_END, NODE_WORD_EDGE, NODE_BACK_REFERENCE, NODE_AHEAD, NODE_BEHIND, NODE_ATOMIC
};
enum quantifier_kind { GREEDY, LAZY, POSSESSIVE };
