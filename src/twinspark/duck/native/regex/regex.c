/* Matches Java's regular expressions: find_regex walks the nodes that regex_read.c made, backtracking in Java's order.
 *
 * What Java does and others do not: an iteration of a group that took nothing ends its loop (Pattern.Loop); `$` matches
 * before a last line end; \b uses letters of all scripts, so next to a character beyond ASCII it falls back to Spark. */
#include "regex/regex.h"
#include "core/utf8.h"

/* Java's matcher calls itself; this one keeps its way back in frames of its own, so a text of any length costs the thread
 * no more stack than they. If they are full, Java would be near its StackOverflowError, and past MOST_STEPS it may be faster
 * (it memoizes positions inside loops): both fall back to Spark (docs/decisions/regular-expressions.md). */
enum { MOST_STEPS = 20000000, MOST_FRAMES = 8000, REMEMBERED_RUNS = 8 };
enum { STEPS_BEFORE_MEMORY = 20000, MOST_REMEMBERED = 1 << 26 }; /* of (branch, position), a bit each: 8 MB */

/* What is tried, or put back, when the way taken since has failed. */
enum frame_kind {
    OTHER_BRANCH,  /* the second way of a branch */
    BOTH_FAILED,   /* of a branch: remembered */
    FEWER,         /* a greedy run gives back one character; a: where it began, b: where it ended */
    MORE,          /* a lazy run takes one more; a: where it began, b: its count */
    LOOP_SKIPPED,  /* a lazy loop was left; a: count, b: where the iteration began */
    LOOP_ENTERED,  /* an iteration was begun; a, b: as above, from before */
    OLD_LOOP,      /* of the loop around: a, b as above */
    OLD_OPEN, OLD_GROUP,
    LOOK           /* the inside of (?=) (?!) (?<=) (?<!) (?>) failed; a: the frame of the LOOK around */
};
typedef struct { uint8_t kind; int16_t node; uint32_t i, a, b; } frame;

/* A run of one set whose every rest failed: another start inside it fails too. */
typedef struct { int16_t node; uint32_t low, high; } failed_run;

typedef struct {
    const regex *pattern;
    const char *bytes;
    uint32_t length, region, accepted, frames, look;
    uint64_t work;
    uint32_t open[MOST_GROUPS], began[MOST_LOOPS];
    int32_t count[MOST_LOOPS];
    span *groups;
    int64_t steps;
    enum match_outcome ended; /* NO_MATCH while it goes on */
    failed_run run[REMEMBERED_RUNS];
    uint64_t *failed_branches; /* NULL until many steps were made */
    frame frame[MOST_FRAMES];
} matcher;

enum { NO_LOOK = UINT32_MAX, NO_NODE = -1 };

static bool end(matcher *m, enum match_outcome how) {
    m->ended = how;
    return false;
}

bool set_holds(const regex *pattern, int set, uint32_t c, bool *unknown) {
    const character_set *of = &pattern->set[set];
    if (c < 128)
        return of->ascii[c >> 6] >> (c & 63) & 1;
    *unknown |= of->unknown;
    for (int i = 0; i < of->ranges; i++)
        if (c >= pattern->range[of->first_range + i][0] && c <= pattern->range[of->first_range + i][1])
            return !of->others;
    return of->others;
}

static uint32_t ascii_lower(uint32_t c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; }

/* The bytes of the character at i that the node takes, 0 for none. */
static uint32_t taken(matcher *m, const regex_node *node, uint32_t i) {
    if (i >= m->length)
        return 0;
    uint32_t c = character_at(m->bytes + i);
    bool unknown = false;
    bool fits = node->kind == NODE_CHARACTER
                    ? c == node->code || (node->flag && c < 128 && ascii_lower(c) == ascii_lower(node->code))
                    : set_holds(m->pattern, node->set, c, &unknown);
    if (unknown)
        end(m, MATCH_FALLS_BACK);
    return fits && !unknown ? character_bytes((unsigned char)m->bytes[i]) : 0;
}

static uint32_t character_before(matcher *m, uint32_t i) {
    do
        i--;
    while ((m->bytes[i] & 0xC0) == 0x80);
    return i;
}

/* Whether nothing has ended the search; tested for every character and every step. */
static inline bool goes_on(matcher *m) {
    stay_cancellable(&m->work, 4);
    return m->ended == NO_MATCH;
}

static bool push(matcher *m, frame pushed) {
    if (m->frames == MOST_FRAMES)
        return end(m, MATCH_TOO_DEEP);
    m->frame[m->frames++] = pushed;
    return true;
}

/* --- runs of one set --- */

static failed_run *remembered_run(matcher *m, int16_t node) { return &m->run[(uint16_t)node % REMEMBERED_RUNS]; }

/* Only if a failure does not depend on the text before, and if only the text ends the run. */
static bool remembers(const matcher *m, const regex_node *node) { return m->pattern->plain && node->most == INT32_MAX; }

static void remember_run(matcher *m, int16_t at, uint32_t low, uint32_t high) {
    if (remembers(m, &m->pattern->node[at]))
        *remembered_run(m, at) = (failed_run){at, low, high};
}

static bool known_run(matcher *m, int16_t at, uint32_t i) {
    const failed_run *known = remembered_run(m, at);
    return known->node == at && i >= known->low && i <= known->high;
}

/* The most characters first. Of a run whose end was tried before only the beginning is new. */
static bool take_run(matcher *m, const regex_node *node, int16_t at, uint32_t *i, int32_t count) {
    uint32_t begin = *i, bytes;
    const failed_run *known = remembered_run(m, at);
    bool old = known->node == at && remembers(m, node);
    for (; count < node->most && goes_on(m) && !(old && *i == known->low) && (bytes = taken(m, node, *i)); count++)
        *i += bytes;
    uint32_t high = *i;
    if (old && *i == known->low) {
        if (*i == begin)
            return false;
        high = known->high;
        *i = character_before(m, *i);
    }
    return m->ended == NO_MATCH && (*i == begin || node->how == POSSESSIVE || push(m, (frame){FEWER, at, *i, begin, high}));
}

static bool repeat_set(matcher *m, const regex_node *node, int16_t at, uint32_t *i) {
    uint32_t bytes;
    for (int32_t count = 0; count < node->least; count++, *i += bytes)
        if (!goes_on(m) || !(bytes = taken(m, node, *i)))
            return false;
    if (node->how != POSSESSIVE && remembers(m, node) && known_run(m, at, *i))
        return false;
    if (node->how == LAZY)
        return push(m, (frame){MORE, at, *i, *i, (uint32_t)node->least});
    return take_run(m, node, at, i, node->least);
}

/* The run gives back characters until the next node can take one. */
static bool give_back(matcher *m, frame *of, uint32_t *i) {
    const regex_node *after = &m->pattern->node[m->pattern->node[of->node].next];
    bool simple = after->kind == NODE_SET || after->kind == NODE_CHARACTER;
    while (of->i > of->a && goes_on(m)) {
        of->i = character_before(m, of->i);
        if (!simple || taken(m, after, of->i)) {
            *i = of->i;
            return true;
        }
    }
    if (m->ended == NO_MATCH)
        remember_run(m, of->node, of->a, of->b);
    return false;
}

static bool take_one_more(matcher *m, frame *of, uint32_t *i) {
    const regex_node *node = &m->pattern->node[of->node];
    uint32_t bytes = 0;
    bool known = remembers(m, node) && known_run(m, of->node, of->i);
    if (!known && (of->b >= (uint32_t)node->most || !(bytes = taken(m, node, of->i)))) {
        remember_run(m, of->node, of->a, of->i);
        return false;
    }
    *i = of->i += bytes;
    of->b++;
    return !known;
}

static bool is_line_end(uint32_t c) { return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029; }

/* Before the end, before a last line end; with many lines before every one, but not inside \r\n (Pattern.Dollar). */
static bool at_dollar(matcher *m, uint32_t i, bool many) {
    if (i == m->length)
        return true;
    uint32_t c = character_at(m->bytes + i), after = i + character_bytes((unsigned char)m->bytes[i]);
    if (!is_line_end(c) || (c == '\n' && i > 0 && m->bytes[i - 1] == '\r'))
        return false;
    if (c == '\r' && after < m->length && m->bytes[after] == '\n')
        after++;
    return many || after == m->length;
}

static bool at_caret(matcher *m, uint32_t i) {
    if (i > m->region) {
        uint32_t c = character_at(m->bytes + character_before(m, i));
        if (!is_line_end(c) || (c == '\r' && i < m->length && m->bytes[i] == '\n'))
            return false;
    }
    return i != m->length;
}

static bool is_word(matcher *m, uint32_t i) {
    uint32_t c = character_at(m->bytes + i);
    if (c > 127)
        end(m, MATCH_FALLS_BACK);
    return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool at_word_edge(matcher *m, uint32_t i) {
    bool left = i > m->region && is_word(m, character_before(m, i)), right = i < m->length && is_word(m, i);
    return left != right;
}

static bool back_reference(matcher *m, const regex_node *node, uint32_t *i) {
    span group = m->groups[node->group];
    if (group.start == UINT32_MAX)
        return false;
    uint32_t length = group.end - group.start;
    if (m->length - *i < length)
        return false;
    for (uint32_t k = 0; k < length; k++) {
        unsigned char a = (unsigned char)m->bytes[group.start + k], b = (unsigned char)m->bytes[*i + k];
        if (a != b && !(node->flag && a < 128 && b < 128 && ascii_lower(a) == ascii_lower(b)))
            return false;
    }
    m->work += length;
    *i += length;
    return true;
}

/* --- loops --- */

static bool start_loop(matcher *m, const regex_node *node, int16_t at) {
    int k = node->loop;
    if (!push(m, (frame){OLD_LOOP, at, 0, (uint32_t)m->count[k], m->began[k]}))
        return false;
    m->count[k] = 0;
    m->began[k] = UINT32_MAX;
    return true;
}

static bool enter_loop(matcher *m, const regex_node *node, int16_t *at, uint32_t i, frame before) {
    if ((int32_t)before.a >= node->most || !push(m, before))
        return false;
    m->count[node->loop] = (int32_t)before.a + 1;
    m->began[node->loop] = i;
    *at = node->body;
    return true;
}

/* An iteration that took nothing ends the loop, whatever the count. */
static bool loop(matcher *m, const regex_node *node, int16_t *at, uint32_t i) {
    int32_t count = m->count[node->loop];
    uint32_t began = m->began[node->loop];
    frame before = {LOOP_ENTERED, *at, i, (uint32_t)count, began};
    bool enough = count >= node->least, stays = count > 0 && i == began;
    if (stays || (node->how == LAZY && enough)) {
        before.kind = LOOP_SKIPPED;
        *at = node->next;
        return stays || push(m, before);
    }
    if (enter_loop(m, node, at, i, before))
        return true;
    *at = node->next;
    return enough && m->ended == NO_MATCH;
}

static void restore_loop(matcher *m, const frame *from) {
    int k = m->pattern->node[from->node].loop;
    m->count[k] = (int32_t)from->a;
    m->began[k] = from->b;
}

/* --- groups and lookarounds --- */

static bool close_group(matcher *m, const regex_node *node, int16_t at, uint32_t i) {
    span *group = &m->groups[node->group];
    if (!push(m, (frame){OLD_GROUP, at, 0, group->start, group->end}))
        return false;
    *group = (span){m->open[node->group], i};
    return true;
}

static bool open_group(matcher *m, const regex_node *node, int16_t at, uint32_t i) {
    if (!push(m, (frame){OLD_OPEN, at, 0, m->open[node->group], 0}))
        return false;
    m->open[node->group] = i;
    return true;
}

static bool look(matcher *m, const regex_node *node, int16_t *at, uint32_t i) {
    if (!push(m, (frame){LOOK, *at, i, m->look, 0}))
        return false;
    m->look = m->frames - 1;
    *at = node->body;
    return true;
}

/* A lookbehind has a fixed length in characters; if fewer are available, it fails. */
static bool look_behind(matcher *m, const regex_node *node, int16_t *at, uint32_t *i) {
    uint32_t begin = *i;
    for (int32_t k = 0; k < node->least; k++) {
        if (begin <= m->region || !goes_on(m)) {
            *at = node->next;
            return node->flag && m->ended == NO_MATCH;
        }
        begin = character_before(m, begin);
    }
    if (!look(m, node, at, *i))
        return false;
    *i = begin;
    return true;
}

/* The lookaround has matched: its alternatives are discarded. What it captured stays, even if the match continues at
 * another position: as in Java. */
static bool looked(matcher *m, int16_t *at, uint32_t *i) {
    frame from = m->frame[m->frames = m->look];
    const regex_node *node = &m->pattern->node[from.node];
    bool found = node->kind != NODE_BEHIND || *i == from.i;
    m->look = from.a;
    *at = node->next;
    if (node->kind != NODE_ATOMIC)
        *i = from.i;
    return found != node->flag;
}

/* --- branches --- */

/* Allocated late: few texts need it. */
static void begin_to_remember(matcher *m) {
    uint64_t bits = (uint64_t)m->pattern->branches * ((uint64_t)m->length + 1);
    if (m->pattern->plain && bits && bits <= MOST_REMEMBERED)
        m->failed_branches = allocate_zeroed(bits / 64 + 1, 8);
}

static uint64_t branch_bit(const matcher *m, int at, uint32_t i) {
    return (uint64_t)m->pattern->node[at].group * ((uint64_t)m->length + 1) + i;
}

static bool branch(matcher *m, const regex_node *node, int16_t *at, uint32_t i) {
    uint64_t place = branch_bit(m, *at, i);
    if (m->failed_branches && bit(m->failed_branches, place))
        return false;
    if (m->failed_branches && !push(m, (frame){BOTH_FAILED, *at, i, 0, 0}))
        return false;
    if (!push(m, (frame){OTHER_BRANCH, *at, i, 0, 0}))
        return false;
    *at = node->body;
    return true;
}

/* --- the walk --- */

static bool passes(matcher *m, const regex_node *node, uint32_t i) {
    switch (node->kind) {
    case NODE_BEGIN: return i == m->region;
    case NODE_CARET: return at_caret(m, i);
    case NODE_DOLLAR: return at_dollar(m, i, node->flag);
    case NODE_END: return i == m->length;
    default: return at_word_edge(m, i) != node->flag && m->ended == NO_MATCH;
    }
}

/* One node further; false where it does not match here. */
static bool step(matcher *m, int16_t *at, uint32_t *i) {
    int16_t here = *at;
    const regex_node *node = &m->pattern->node[here];
    uint32_t bytes;
    *at = node->next;
    switch (node->kind) {
    case NODE_SET:
    case NODE_CHARACTER: bytes = taken(m, node, *i); *i += bytes; return bytes;
    case NODE_ACCEPT: return looked(m, at, i);
    case NODE_REPEAT_SET: return repeat_set(m, node, here, i);
    case NODE_BRANCH: *at = here; return branch(m, node, at, *i);
    case NODE_OPEN: return open_group(m, node, here, *i);
    case NODE_CLOSE: return close_group(m, node, here, *i);
    case NODE_LOOP_START: return start_loop(m, node, here);
    case NODE_LOOP: *at = here; return loop(m, node, at, *i);
    case NODE_BACK_REFERENCE: return back_reference(m, node, i);
    case NODE_AHEAD:
    case NODE_ATOMIC: *at = here; return look(m, node, at, *i);
    case NODE_BEHIND: *at = here; return look_behind(m, node, at, i);
    default: return passes(m, node, *i);
    }
}

/* Puts back what the frame holds; true where it knows another way. Runs stay until they have none. */
static bool resume(matcher *m, int16_t *at, uint32_t *i) {
    frame *of = &m->frame[m->frames - 1];
    const regex_node *node = &m->pattern->node[of->node];
    *i = of->i;
    *at = node->next;
    bool stays = (of->kind == FEWER && give_back(m, of, i)) || (of->kind == MORE && take_one_more(m, of, i));
    if (stays)
        return true;
    frame gone = *of;
    m->frames--;
    switch (gone.kind) {
    case OTHER_BRANCH: return true;
    case BOTH_FAILED: m->failed_branches[branch_bit(m, gone.node, gone.i) / 64] |= 1ULL << branch_bit(m, gone.node, gone.i) % 64; return false;
    case LOOP_SKIPPED: *at = gone.node; gone.kind = LOOP_ENTERED; return enter_loop(m, node, at, gone.i, gone);
    case LOOP_ENTERED: restore_loop(m, &gone); return node->how != LAZY && (int32_t)gone.a >= node->least;
    case OLD_LOOP: restore_loop(m, &gone); return false;
    case OLD_OPEN: m->open[node->group] = gone.a; return false;
    case OLD_GROUP: m->groups[node->group] = (span){gone.a, gone.b}; return false;
    case LOOK: m->look = gone.a; return node->flag;
    default: return false;
    }
}

/* Back to the last way that was not tried; false when there is none. */
static bool back(matcher *m, int16_t *at, uint32_t *i) {
    while (m->frames && goes_on(m))
        if (resume(m, at, i))
            return m->ended == NO_MATCH;
    return false;
}

static bool is_whole_match(const matcher *m, int at) {
    return m->pattern->node[at].kind == NODE_ACCEPT && m->look == NO_LOOK;
}

static bool match_at(matcher *m, uint32_t i) {
    int16_t at = (int16_t)m->pattern->start;
    m->frames = 0;
    m->look = NO_LOOK;
    while (!is_whole_match(m, at)) {
        uint8_t kind = m->pattern->node[at].kind;
        if (kind != NODE_SET && kind != NODE_CHARACTER && ++m->steps > STEPS_BEFORE_MEMORY) {
            if (m->steps == STEPS_BEFORE_MEMORY + 1)
                begin_to_remember(m);
            if (m->steps > MOST_STEPS)
                return end(m, MATCH_TOO_LONG);
        }
        if ((!goes_on(m) || !step(m, &at, &i)) && !back(m, &at, &i))
            return false;
    }
    m->accepted = i;
    return true;
}

/* --- where a match may begin --- */

static void add_first(regex *pattern, const uint64_t ascii[2]) {
    pattern->first[0] |= ascii[0];
    pattern->first[1] |= ascii[1];
}

static void add_character(regex *pattern, uint32_t code) {
    if (code < 128)
        pattern->first[code >> 6] |= 1ULL << (code & 63);
}

static void add_either_case(regex *pattern, uint32_t code) {
    bool letter = (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
    add_character(pattern, code);
    if (letter)
        add_character(pattern, code ^ 0x20);
}

/* Of what is neither characters nor choices nor groups, all characters may be the first. Every node is seen once. */
static void note_first_of(regex *pattern, int at, bool *seen) {
    static const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
    for (; !seen[at]; at = pattern->node[at].next) {
        const regex_node *node = &pattern->node[at];
        seen[at] = true;
        switch (node->kind) {
        case NODE_SET: add_first(pattern, pattern->set[node->set].ascii); return;
        case NODE_CHARACTER: (node->flag ? add_either_case : add_character)(pattern, node->code); return;
        case NODE_REPEAT_SET:
            add_first(pattern, pattern->set[node->set].ascii);
            if (node->least)
                return;
            break;
        case NODE_BRANCH: note_first_of(pattern, node->body, seen); break;
        case NODE_OPEN:
        case NODE_CLOSE: break;
        default: add_first(pattern, all); return;
        }
    }
}

/* Whether a node fails at a position whatever was matched before: then failures may be remembered. Not where a group is
 * referred to, where iterations are counted, or where what a look captured stays after it failed. */
static bool is_plain(const regex *pattern) {
    bool plain = !pattern->loops;
    for (int i = 0; i < pattern->nodes && plain; i++) {
        const regex_node *node = &pattern->node[i];
        bool looks = node->kind == NODE_AHEAD || node->kind == NODE_BEHIND || node->kind == NODE_ATOMIC;
        plain = node->kind != NODE_BACK_REFERENCE && !(looks && pattern->groups && pattern->node[node->body].kind != NODE_ACCEPT);
    }
    return plain;
}

static void number_branches(regex *pattern) {
    pattern->branches = 0;
    for (int i = 0; i < pattern->nodes; i++)
        if (pattern->node[i].kind == NODE_BRANCH)
            pattern->node[i].group = (int16_t)pattern->branches++;
}

void prepare_regex(regex *pattern) {
    bool seen[MOST_NODES] = {false};
    pattern->first[0] = pattern->first[1] = 0;
    note_first_of(pattern, pattern->start, seen);
    pattern->plain = is_plain(pattern);
    number_branches(pattern);
}

/* The next character that a match may begin with, or the end. Characters beyond ASCII are decided by the match itself. */
static inline uint32_t next_start(const regex *pattern, text value, uint32_t i) {
    for (; i < value.length; i++) {
        unsigned char c = (unsigned char)value.bytes[i];
        if (c < 128 ? pattern->first[c >> 6] >> (c & 63) & 1 : c >= 0xC0)
            break;
    }
    return i;
}

static enum match_outcome search_from(matcher *m, text value, uint32_t from) {
    for (uint32_t i = next_start(m->pattern, value, from); i <= value.length; i = next_start(m->pattern, value, i + 1)) {
        if (match_at(m, i)) {
            m->groups[0] = (span){i, m->accepted};
            return MATCH;
        }
        if (m->ended != NO_MATCH)
            return m->ended;
    }
    return NO_MATCH;
}

enum match_outcome find_regex(const regex *pattern, text value, uint32_t from, uint32_t region, span *groups) {
    matcher m; /* what belongs to groups and loops is set when they begin */
    m.pattern = pattern;
    m.bytes = value.bytes;
    m.length = value.length;
    m.region = region;
    m.groups = groups;
    m.steps = 0;
    m.work = 0;
    m.ended = NO_MATCH;
    m.failed_branches = NULL;
    for (int k = 0; k < REMEMBERED_RUNS; k++)
        m.run[k].node = NO_NODE;
    for (int g = 0; g <= pattern->groups; g++)
        groups[g] = (span){UINT32_MAX, UINT32_MAX};
    enum match_outcome found = search_from(&m, value, from);
    if (m.failed_branches)
        release(m.failed_branches);
    return found;
}
