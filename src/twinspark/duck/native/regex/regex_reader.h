/* Shared declarations of the pattern compiler: its state, and fragments of the compiled pattern. */
#pragma once
#include "regex/regex.h"
#include "core/utf8.h"
#include <stdlib.h>

#define DIGITS "0123456789"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LOWER "abcdefghijklmnopqrstuvwxyz"

enum { MOST_ENDS = 64, MOST_LENGTH = 1000000, NONE = -1 }; /* MOST_LENGTH: of what is repeated a fixed number of times */
enum { IGNORE_CASE = 1, DOT_ALL = 2, MANY_LINES = 4 };

/* length: in characters when it is fixed, NONE when it is not. certain: Java calls it deterministic. */
typedef struct {
    int first;
    int16_t ends[MOST_ENDS]; /* nodes whose `next` is open */
    int end_count, length, captures;
    bool empty, certain, own; /* own: it is one capturing group and nothing else */
} piece;

typedef struct { regex *into; text given; uint32_t at; int flags, depth; bool failed, quoting, named; uint32_t closed; } reader;

static inline bool refuse(reader *r) {
    r->failed = true;
    return false;
}

static inline int add_node(reader *r, regex_node node) {
    if (r->into->nodes == MOST_NODES) {
        refuse(r);
        return 0;
    }
    node.next = NONE;
    r->into->node[r->into->nodes] = node;
    return r->into->nodes++;
}

static inline void link_to(reader *r, const piece *of, int target) {
    for (int i = 0; i < of->end_count; i++)
        r->into->node[of->ends[i]].next = (int16_t)target;
}

static inline void add_end(reader *r, piece *of, int node) {
    if (of->end_count == MOST_ENDS)
        refuse(r);
    else
        of->ends[of->end_count++] = (int16_t)node;
}

static inline void take_ends(reader *r, piece *of, const piece *from) {
    for (int i = 0; i < from->end_count; i++)
        add_end(r, of, from->ends[i]);
}

static inline piece single(reader *r, regex_node node, int length, bool empty) {
    piece made = {.length = length, .empty = empty, .certain = true};
    made.first = add_node(r, node);
    add_end(r, &made, made.first);
    return made;
}

static inline bool more(const reader *r) { return r->at < r->given.length; }
static inline char peek(const reader *r) { return more(r) ? r->given.bytes[r->at] : 0; }
static inline char peek_at(const reader *r, uint32_t ahead) { return r->at + ahead < r->given.length ? r->given.bytes[r->at + ahead] : 0; }
static inline bool skip(reader *r, const char *word) {
    size_t length = strlen(word);
    if (r->given.length - r->at < length || memcmp(r->given.bytes + r->at, word, length))
        return false;
    r->at += (uint32_t)length;
    return true;
}
static inline uint32_t next_character(reader *r) {
    uint32_t c = character_at(r->given.bytes + r->at);
    r->at += character_bytes((unsigned char)r->given.bytes[r->at]);
    return c;
}

/* regex_sets.c: sets of characters, by name or in brackets, and escapes of single characters. */
int new_regex_set(reader *r);
void add_regex_range(reader *r, int set, uint32_t low, uint32_t high);
void negate_regex_set(reader *r, int set);
bool is_set_letter(char c);
bool add_named_set(reader *r, int set);
bool read_character_escape(reader *r, uint32_t *code);
bool read_bracket(reader *r, int *made);

/* regex_repeat.c: the quantifier after an atom. */
piece quantified_piece(reader *r, piece atom);
