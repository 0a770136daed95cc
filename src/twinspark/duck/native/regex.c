/* Matches Java's regular expressions: find_regex walks the nodes that regex_read.c made, backtracking in Java's order.
 *
 * What Java does and others do not: an iteration of a group that took nothing ends its loop (Pattern.Loop); `$` stands
 * before a last line end; \b knows letters of all scripts, so beside a character beyond ASCII only Spark can tell. */
#include "regex.h"
#include "utf8.h"

enum { MOST_STEPS = 20000000, MOST_DEPTH = 6000 };

typedef struct {
    const regex *pattern;
    const char *bytes;
    uint32_t length, region, accepted;
    uint32_t open[MOST_GROUPS], began[MOST_LOOPS];
    int32_t count[MOST_LOOPS];
    span *groups;
    int64_t steps;
    int depth;
    bool elsewhere;
} matcher;

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

static bool walk(matcher *m, int at, uint32_t i);

static uint32_t ascii_lower(uint32_t c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; }

/* The bytes of the character at i that the node takes, 0 for none. */
static uint32_t taken(matcher *m, const regex_node *node, uint32_t i) {
    if (i >= m->length)
        return 0;
    uint32_t c = character_at(m->bytes + i);
    bool fits = node->kind == NODE_CHARACTER
                    ? c == node->code || (node->flag && c < 128 && ascii_lower(c) == ascii_lower(node->code))
                    : set_holds(m->pattern, node->set, c, &m->elsewhere);
    return fits ? character_bytes((unsigned char)m->bytes[i]) : 0;
}

static uint32_t character_before(matcher *m, uint32_t i) {
    do
        i--;
    while ((m->bytes[i] & 0xC0) == 0x80);
    return i;
}

static bool repeat_set(matcher *m, const regex_node *node, uint32_t i) {
    regex_node one = {.kind = NODE_SET, .set = node->set};
    uint32_t begin = i, bytes;
    int32_t count = 0;
    for (; count < node->least; count++, i += bytes)
        if (!(bytes = taken(m, &one, i)))
            return false;
    if (node->how == LAZY) {
        for (; !walk(m, node->next, i); count++, i += bytes)
            if (m->elsewhere || count >= node->most || !(bytes = taken(m, &one, i)))
                return false;
        return true;
    }
    begin = i;
    for (; count < node->most && (bytes = taken(m, &one, i)); count++)
        i += bytes;
    if (node->how == POSSESSIVE)
        return walk(m, node->next, i);
    for (;; i = character_before(m, i)) {
        if (walk(m, node->next, i))
            return true;
        if (i == begin || m->elsewhere)
            return false;
    }
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
    m->elsewhere |= c > 127;
    return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool at_word_edge(matcher *m, uint32_t i) {
    bool left = i > m->region && is_word(m, character_before(m, i)), right = i < m->length && is_word(m, i);
    return left != right;
}

static bool back_reference(matcher *m, const regex_node *node, uint32_t i) {
    span group = m->groups[node->group];
    if (group.start == UINT32_MAX)
        return false;
    uint32_t length = group.end - group.start;
    if (m->length - i < length)
        return false;
    for (uint32_t k = 0; k < length; k++) {
        unsigned char a = (unsigned char)m->bytes[group.start + k], b = (unsigned char)m->bytes[i + k];
        if (a != b && !(node->flag && a < 128 && b < 128 && ascii_lower(a) == ascii_lower(b)))
            return false;
    }
    return walk(m, node->next, i + length);
}

/* An iteration that took nothing ends the loop, whatever the count. */
static bool loop(matcher *m, const regex_node *node, uint32_t i) {
    int k = node->loop;
    int32_t count = m->count[k];
    uint32_t began = m->began[k];
    if (count > 0 && i == began)
        return walk(m, node->next, i);
    bool more = count < node->most;
    if (node->how == LAZY && count >= node->least) {
        if (walk(m, node->next, i))
            return true;
        if (m->elsewhere)
            return false;
    }
    if (more) {
        m->count[k] = count + 1;
        m->began[k] = i;
        if (walk(m, node->body, i))
            return true;
        m->count[k] = count;
        m->began[k] = began;
        if (m->elsewhere)
            return false;
    }
    return node->how != LAZY && count >= node->least && walk(m, node->next, i);
}

static bool start_loop(matcher *m, const regex_node *node, uint32_t i) {
    int k = node->loop;
    int32_t count = m->count[k];
    uint32_t began = m->began[k];
    m->count[k] = 0;
    m->began[k] = UINT32_MAX;
    if (walk(m, node->next, i))
        return true;
    m->count[k] = count;
    m->began[k] = began;
    return false;
}

static bool close_group(matcher *m, const regex_node *node, uint32_t i) {
    span saved = m->groups[node->group];
    m->groups[node->group] = (span){m->open[node->group], i};
    if (walk(m, node->next, i))
        return true;
    m->groups[node->group] = saved;
    return false;
}

static bool open_group(matcher *m, const regex_node *node, uint32_t i) {
    uint32_t saved = m->open[node->group];
    m->open[node->group] = i;
    if (walk(m, node->next, i))
        return true;
    m->open[node->group] = saved;
    return false;
}

/* What it captured stays, even where the match goes on elsewhere: as in Java. */
static bool ahead(matcher *m, const regex_node *node, uint32_t i) {
    bool found = walk(m, node->body, i);
    return !m->elsewhere && found != node->flag && walk(m, node->next, i);
}

/* What lies behind has one length, counted in characters. */
static bool behind(matcher *m, const regex_node *node, uint32_t i) {
    uint32_t begin = i;
    bool found = true;
    for (int32_t k = 0; k < node->least && found; k++) {
        found = begin > m->region;
        begin = found ? character_before(m, begin) : begin;
    }
    found = found && walk(m, node->body, begin) && m->accepted == i;
    return !m->elsewhere && found != node->flag && walk(m, node->next, i);
}

static bool walk_node(matcher *m, const regex_node *node, uint32_t i) {
    uint32_t bytes;
    switch (node->kind) {
    case NODE_ACCEPT: m->accepted = i; return true;
    case NODE_REPEAT_SET: return repeat_set(m, node, i);
    case NODE_BRANCH: return walk(m, node->body, i) || (!m->elsewhere && walk(m, node->next, i));
    case NODE_OPEN: return open_group(m, node, i);
    case NODE_CLOSE: return close_group(m, node, i);
    case NODE_LOOP_START: return start_loop(m, node, i);
    case NODE_LOOP: return loop(m, node, i);
    case NODE_BEGIN: return i == m->region && walk(m, node->next, i);
    case NODE_CARET: return at_caret(m, i) && walk(m, node->next, i);
    case NODE_DOLLAR: return at_dollar(m, i, node->flag) && walk(m, node->next, i);
    case NODE_END: return i == m->length && walk(m, node->next, i);
    case NODE_WORD_EDGE: return at_word_edge(m, i) != node->flag && !m->elsewhere && walk(m, node->next, i);
    case NODE_BACK_REFERENCE: return back_reference(m, node, i);
    case NODE_AHEAD: return ahead(m, node, i);
    case NODE_BEHIND: return behind(m, node, i);
    case NODE_ATOMIC: return walk(m, node->body, i) && walk(m, node->next, m->accepted);
    default: return (bytes = taken(m, node, i)) && walk(m, node->next, i + bytes);
    }
}

/* Single characters follow one another without a call. */
static bool walk(matcher *m, int at, uint32_t i) {
    const regex_node *node = &m->pattern->node[at];
    uint32_t bytes;
    while (node->kind == NODE_SET || node->kind == NODE_CHARACTER) {
        if (!(bytes = taken(m, node, i)) || m->elsewhere)
            return false;
        i += bytes;
        node = &m->pattern->node[node->next];
    }
    if (m->elsewhere || ++m->steps > MOST_STEPS || m->depth > MOST_DEPTH) {
        m->elsewhere = true;
        return false;
    }
    m->depth++;
    bool found = walk_node(m, node, i);
    m->depth--;
    return found && !m->elsewhere;
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

/* Of what is neither characters nor choices nor groups, all characters may be the first. */
static void note_first_of(regex *pattern, int at, int depth) {
    static const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
    const regex_node *node = &pattern->node[at];
    if (depth > 200) {
        add_first(pattern, all);
        return;
    }
    switch (node->kind) {
    case NODE_SET: add_first(pattern, pattern->set[node->set].ascii); break;
    case NODE_CHARACTER: (node->flag ? add_either_case : add_character)(pattern, node->code); break;
    case NODE_REPEAT_SET:
        add_first(pattern, pattern->set[node->set].ascii);
        if (!node->least)
            note_first_of(pattern, node->next, depth + 1);
        break;
    case NODE_BRANCH: note_first_of(pattern, node->body, depth + 1); /* fall through */
    case NODE_OPEN:
    case NODE_CLOSE: note_first_of(pattern, node->next, depth + 1); break;
    default: add_first(pattern, all);
    }
}

void note_first(regex *pattern) {
    pattern->first[0] = pattern->first[1] = 0;
    note_first_of(pattern, pattern->start, 0);
}

/* The next character that a match may begin with, or the end. Of those beyond ASCII the walk itself tells. */
static inline uint32_t next_start(const regex *pattern, text value, uint32_t i) {
    for (; i < value.length; i++) {
        unsigned char c = (unsigned char)value.bytes[i];
        if (c < 128 ? pattern->first[c >> 6] >> (c & 63) & 1 : c >= 0xC0)
            break;
    }
    return i;
}

enum match_outcome find_regex(const regex *pattern, text value, uint32_t from, uint32_t region, span *groups) {
    matcher m; /* what belongs to groups and loops is set when they begin */
    m.pattern = pattern;
    m.bytes = value.bytes;
    m.length = value.length;
    m.region = region;
    m.groups = groups;
    m.steps = m.depth = 0;
    m.elsewhere = false;
    for (int g = 0; g <= pattern->groups; g++)
        groups[g] = (span){UINT32_MAX, UINT32_MAX};
    for (uint32_t i = next_start(pattern, value, from); i <= value.length; i = next_start(pattern, value, i + 1)) {
        bool found = walk(&m, pattern->start, i);
        if (m.elsewhere)
            return MATCH_ELSEWHERE;
        if (found) {
            groups[0] = (span){i, m.accepted};
            return MATCH;
        }
    }
    return NO_MATCH;
}
