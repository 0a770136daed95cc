/* A subset of XPath 1.0: child and descendant steps, attributes, texts, positions and equalities in brackets, sum and count.
 *
 * SQL spelling: spark_xpath_list(xml, path), spark_xpath_string(xml, path), spark_xpath_boolean(xml, path), spark_xpath_number(xml, path).
 * functions/documents/xpath.py lets only paths of this part through; documents that are not simple fall back to Spark. */
#include "core/values.h"
#include "xml/xml.h"
#include <math.h>

typedef struct { uint32_t *nodes; size_t count, room; } node_set;

static void add_found(node_set *set, uint32_t node) {
    if (set->count == set->room)
        set->nodes = make_room(set->nodes, &set->room, set->count + 64, sizeof *set->nodes);
    set->nodes[set->count++] = node;
}

static int by_order(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* Document order, each node once. */
static void settle(node_set *set) {
    size_t kept = 0;
    if (set->count)
        qsort(set->nodes, set->count, sizeof *set->nodes, by_order);
    for (size_t i = 0; i < set->count; i++)
        if (!kept || set->nodes[kept - 1] != set->nodes[i])
            set->nodes[kept++] = set->nodes[i];
    set->count = kept;
}

/* --- string values --- */

static void add_texts(const xml_document *d, uint32_t node, buffer *out) {
    uint64_t done = 0;
    for (uint32_t i = node + 1; i < d->nodes[node].end; i++) {
        stay_cancellable(&done, 8);
        if (d->nodes[i].kind == XML_TEXT)
            add_bytes(out, value_of(d, i).bytes, d->nodes[i].length);
    }
}

static void add_string_value(const xml_document *d, uint32_t node, buffer *out) {
    const xml_node *n = &d->nodes[node];
    if (n->kind == XML_ATTRIBUTE || n->kind == XML_TEXT)
        add_bytes(out, value_of(d, node).bytes, n->length);
    else
        add_texts(d, node, out);
}

static bool has_value(const xml_document *d, uint32_t node, text wanted) {
    buffer value = {0};
    add_string_value(d, node, &value);
    bool equal = value.length == wanted.length && (!value.length || memcmp(value.bytes, wanted.bytes, wanted.length) == 0);
    release(value.bytes);
    return equal;
}

/* --- steps --- */

/* One step of a path: name, *, @name or text(). */
typedef struct { text test; bool attribute, words, descendants; } path_step;

static bool name_is(const xml_node *node, text test) {
    return (test.length == 1 && test.bytes[0] == '*') || (node->name.length == test.length && memcmp(node->name.bytes, test.bytes, test.length) == 0);
}

static bool fits(const xml_node *node, const path_step *step) {
    if (step->words)
        return node->kind == XML_TEXT;
    return node->kind == (step->attribute ? XML_ATTRIBUTE : XML_ELEMENT) && name_is(node, step->test);
}

static void add_children(const xml_document *d, uint32_t parent, const path_step *step, node_set *found) {
    if (d->nodes[parent].kind == XML_ATTRIBUTE || d->nodes[parent].kind == XML_TEXT)
        return;
    uint64_t done = 0;
    for (uint32_t i = parent + 1; i < d->nodes[parent].end; i = d->nodes[i].end) {
        stay_cancellable(&done, 8);
        if (fits(&d->nodes[i], step))
            add_found(found, i);
    }
}

static const char *name_end(const char *at, const char *end) {
    while (at < end && *at != '/' && *at != '[' && *at != ']' && *at != '=' && *at != ')')
        at++;
    return at;
}

static const char *read_step(const char *at, const char *end, path_step *step) {
    bool attribute = at < end && *at == '@';
    at += attribute;
    const char *stop = name_end(at, end);
    if (stop < end && *stop == ')' && stop - at == 5 && memcmp(at, "text(", 5) == 0)
        stop = at + 6;
    text test = {at, (uint32_t)(stop - at)};
    *step = (path_step){test, attribute, test.length == 6 && memcmp(at, "text()", 6) == 0, step->descendants};
    return stop;
}

/* A path that is none, or not a plain one. */
static _Noreturn void refuse_path(void) { end_fall_back("XPATH", "the path"); }

/* [3], [@id='x'] or [name='x']; position 0 means one of the others. */
typedef struct { size_t position; path_step step; text wanted; } predicate;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *read_position(const char *at, const char *end, predicate *into) {
    while (at < end && is_digit(*at) && into->position <= UINT32_MAX)
        into->position = 10 * into->position + (size_t)(*at++ - '0');
    return into->position ? at : end;
}

static const char *read_equality(const char *at, const char *end, predicate *into) {
    at = read_step(at, end, &into->step);
    if (end - at < 3 || at[0] != '=' || (at[1] != '\'' && at[1] != '"'))
        return end;
    const char *from = at + 2, *close = memchr(from, at[1], (size_t)(end - from));
    if (!close)
        return end;
    into->wanted = (text){from, (uint32_t)(close - from)};
    return close + 1;
}

/* Returns the position after the closing bracket. */
static const char *read_predicate(const char *at, const char *end, predicate *into) {
    *into = (predicate){0};
    at = at < end && is_digit(*at) ? read_position(at, end, into) : read_equality(at, end, into);
    if (at == end || *at != ']')
        refuse_path();
    return at + 1;
}

static bool has_equal_child(const xml_document *d, uint32_t node, const predicate *test) {
    node_set inner = {0};
    bool equal = false;
    add_children(d, node, &test->step, &inner);
    for (size_t i = 0; i < inner.count && !equal; i++)
        equal = has_value(d, inner.nodes[i], test->wanted);
    release(inner.nodes);
    return equal;
}

/* What is left of the nodes found from `first` on. */
static void apply_predicate(const xml_document *d, const predicate *test, node_set *found, size_t first) {
    size_t kept = first;
    if (test->position) {
        if (test->position <= found->count - first)
            found->nodes[kept++] = found->nodes[first + test->position - 1];
    } else {
        uint64_t done = 0;
        for (size_t i = first; i < found->count; i++) {
            stay_cancellable(&done, 8 * (uint64_t)(d->nodes[found->nodes[i]].end - found->nodes[i]));
            if (has_equal_child(d, found->nodes[i], test))
                found->nodes[kept++] = found->nodes[i];
        }
    }
    found->count = kept;
}

static void step_from(const xml_document *d, uint32_t parent, const char *at, const char *end, const path_step *step, node_set *found) {
    size_t first = found->count;
    predicate test;
    add_children(d, parent, step, found);
    while (at < end && *at == '[') {
        at = read_predicate(at + 1, end, &test);
        apply_predicate(d, &test, found, first);
    }
}

static const char *past_predicates(const char *at, const char *end) {
    predicate test;
    while (at < end && *at == '[')
        at = read_predicate(at + 1, end, &test);
    return at;
}

/* `//` looks from every node inside, but for attributes. */
static node_set stepped(const xml_document *d, const node_set *from, const char *predicates, const char *end, const path_step *step) {
    node_set found = {0};
    uint64_t done = 0;
    for (size_t i = 0; i < from->count; i++) {
        uint32_t node = from->nodes[i], last = step->descendants ? d->nodes[node].end : node + 1;
        for (uint32_t at = node; at < last; at++) {
            stay_cancellable(&done, 16);
            if (at == node || d->nodes[at].kind != XML_ATTRIBUTE)
                step_from(d, at, predicates, end, step, &found);
        }
    }
    settle(&found);
    return found;
}

static node_set find(const xml_document *d, const char *at, const char *end) {
    node_set now = {0};
    add_found(&now, 0);
    while (at < end) {
        path_step step = {.descendants = end - at > 1 && at[0] == '/' && at[1] == '/'};
        at += step.descendants ? 2 : *at == '/';
        const char *predicates = read_step(at, end, &step);
        node_set next = stepped(d, &now, predicates, end, &step);
        if (predicates == at)
            refuse_path(); /* nothing was read: it would go on for ever */
        at = past_predicates(predicates, end);
        release(now.nodes);
        now = next;
    }
    return now;
}

/* --- results --- */

typedef struct { xml_document document; node_set found; buffer string; } evaluation;

/* False: NULL (an empty document), or an error is set. */
static bool evaluate(native_call *call, idx_t row, evaluation *task, text path) {
    text xml = argument_text(call, 0, row);
    if (!xml.length || !path.length)
        return set_null(call, row), false;
    if (!read_xml(&task->document, xml)) {
        fall_back(call, "XPATH", "the document");
        return false;
    }
    release(task->found.nodes);
    task->found = find(&task->document, path.bytes, path.bytes + path.length);
    return true;
}

static void close_evaluation(evaluation *task) {
    close_xml(&task->document);
    release(task->found.nodes);
    release(task->string.bytes);
}

static void string_rows(native_call *call) {
    evaluation task = {0};
    EACH_ROW(call, row) if (evaluate(call, row, &task, argument_text(call, 1, row))) {
        task.string.length = 0;
        if (task.found.count)
            add_string_value(&task.document, task.found.nodes[0], &task.string);
        set_text(call, row, task.string.bytes ? task.string.bytes : "", task.string.length);
    }
    close_evaluation(&task);
}

static void boolean_rows(native_call *call) {
    evaluation task = {0};
    EACH_ROW(call, row) if (evaluate(call, row, &task, argument_text(call, 1, row))) RESULT(call, bool)[row] = task.found.count > 0;
    close_evaluation(&task);
}

/* XPath's numbers: an optional minus, digits and a point, blanks around. */
static bool is_ascii_blank(char c) { return c == 0x20 || c == 9 || c == 10 || c == 13; }

static double number_of(const xml_document *d, uint32_t node, buffer *string) {
    string->length = 0;
    add_string_value(d, node, string);
    size_t from = 0, to = string->length, digits = 0, points = 0;
    while (from < to && is_ascii_blank(string->bytes[from]))
        from++;
    while (to > from && is_ascii_blank(string->bytes[to - 1]))
        to--;
    for (size_t i = from + (from < to && string->bytes[from] == '-'); i < to; i++) {
        if (string->bytes[i] == '.')
            points++;
        else if (string->bytes[i] >= '0' && string->bytes[i] <= '9')
            digits++;
        else
            return NAN;
    }
    if (!digits || points > 1)
        return NAN;
    add_byte(string, 0);
    string->bytes[to] = 0;
    return strtod(string->bytes + from, NULL);
}

static void number_rows(native_call *call) {
    evaluation task = {0};
    EACH_ROW(call, row) {
        text path = argument_text(call, 1, row);
        bool sum = path.length > 4 && memcmp(path.bytes, "sum(", 4) == 0, count = path.length > 6 && memcmp(path.bytes, "count(", 6) == 0;
        uint32_t cut = sum ? 4 : count ? 6 : 0;
        if (!evaluate(call, row, &task, (text){path.bytes + cut, path.length - cut - (cut > 0)}))
            continue;
        double result = count ? (double)task.found.count : sum ? 0 : NAN;
        for (size_t i = 0; !count && i < task.found.count && (sum || i == 0); i++)
            result = (sum ? result : 0) + number_of(&task.document, task.found.nodes[i], &task.string);
        RESULT(call, double)[row] = result;
    }
    close_evaluation(&task);
}

static void add_value(position_writer *list, const xml_document *d, uint32_t node) {
    bool element = d->nodes[node].kind == XML_ELEMENT || d->nodes[node].kind == XML_ROOT; /* org.w3c.dom.Node.getNodeValue is null */
    add_string(list, element ? (text){0} : value_of(d, node), element);
}

static void list_rows(native_call *call) {
    evaluation task = {0};
    position_writer list = {call};
    for (idx_t row = 0; row < call->rows; row++)
        RESULT(call, list_entry)[row] = (list_entry){0, 0};
    EACH_ROW(call, row) if (evaluate(call, row, &task, argument_text(call, 1, row))) {
        begin_list(&list, row);
        for (size_t i = 0; i < task.found.count; i++)
            add_value(&list, &task.document, task.found.nodes[i]);
        end_list(&list, row);
    }
    finish_positions(&list);
    close_evaluation(&task);
}

const native_function xpath_functions[] = {
    {"spark_xpath_list", "vv>[v", list_rows, NULL},
    {"spark_xpath_string", "vv>v", string_rows, NULL},
    {"spark_xpath_boolean", "vv>b", boolean_rows, NULL},
    {"spark_xpath_number", "vv>d", number_rows, NULL},
    {NULL},
};
