/* Parses simple XML documents; others fall back to Spark, whose Java parser decides. */
#include "xml/xml.h"
#include "core/utf8.h"

static bool starts(const xml_document *d, const char *word) {
    size_t length = strlen(word);
    return (size_t)(d->finish - d->at) >= length && memcmp(d->at, word, length) == 0;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

static bool skip_blanks(xml_document *d) {
    const char *from = d->at;
    while (d->at < d->finish && is_blank(*d->at))
        d->at++;
    return d->at > from;
}

static bool name_start(char c) { return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_'; }
static bool name_part(char c) { return name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

static bool read_name(xml_document *d, text *name) {
    const char *from = d->at;
    if (d->at == d->finish || !name_start(*d->at))
        return false;
    while (d->at < d->finish && name_part(*d->at))
        d->at++;
    *name = (text){from, (uint32_t)(d->at - from)};
    return !(name->length >= 3 && (from[0] | 0x20) == 'x' && (from[1] | 0x20) == 'm' && (from[2] | 0x20) == 'l');
}

static uint32_t add_node(xml_document *d, enum xml_kind kind, uint32_t parent, text name) {
    if (d->count == d->room) {
        d->room = d->room ? 2 * d->room : 64;
        d->nodes = reallocate(d->nodes, d->room, sizeof *d->nodes);
    }
    d->nodes[d->count] = (xml_node){kind, parent, d->count + 1, name, d->values.length, 0};
    return d->count++;
}

static bool is_character(uint32_t c) {
    return c == 9 || c == 10 || (c >= 0x20 && c < 0xD800) || (c >= 0xE000 && c < 0xFFFE) || (c >= 0x10000 && c < 0x110000);
}

static bool read_number(xml_document *d, uint32_t *c) {
    uint32_t base = 10;
    const char *end = memchr(d->at, ';', (size_t)(d->finish - d->at));
    if (d->at < d->finish && *d->at == 'x') {
        base = 16;
        d->at++;
    }
    if (!end || end == d->at || end - d->at > 6)
        return false;
    for (*c = 0; d->at < end; d->at++) {
        char digit = *d->at, letter = digit | 0x20;
        uint32_t value = digit >= '0' && digit <= '9' ? (uint32_t)(digit - '0') : letter >= 'a' && letter <= 'f' ? (uint32_t)(letter - 'a' + 10) : 99;
        if (value >= base)
            return false;
        *c = *c * base + value;
    }
    d->at++;
    return is_character(*c);
}

/* After &. */
static bool read_reference(xml_document *d) {
    static const struct { const char *word; char c; } known[] = {{"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}, {"quot;", '"'}, {"apos;", '\''}};
    char bytes[4];
    uint32_t c;
    for (size_t i = 0; i < 5; i++)
        if (starts(d, known[i].word)) {
            add_byte(&d->values, known[i].c);
            d->at += strlen(known[i].word);
            return true;
        }
    if (d->at == d->finish || *d->at++ != '#' || !read_number(d, &c))
        return false;
    add_bytes(&d->values, bytes, write_character(bytes, c));
    return true;
}

/* Until `stop` (a quote, or < for a text); blanks in attributes are spaces. */
static bool read_characters(xml_document *d, char stop, bool attribute) {
    while (d->at < d->finish && *d->at != stop) {
        char c = *d->at++;
        if (c == '&') {
            if (!read_reference(d))
                return false;
        } else if ((attribute && c == '<') || (!attribute && c == '>' && d->values.length >= 2 && memcmp(d->values.bytes + d->values.length - 2, "]]", 2) == 0) ||
                   ((unsigned char)c < 0x20 && !is_blank(c)) || ((unsigned char)c == 0xEF && d->finish - d->at >= 2 && (unsigned char)d->at[0] == 0xBF && (unsigned char)d->at[1] >= 0xBE))
            return false;
        else
            add_byte(&d->values, attribute && is_blank(c) ? ' ' : c);
    }
    return true;
}

static bool read_text(xml_document *d, uint32_t parent) {
    uint32_t node = add_node(d, XML_TEXT, parent, (text){0});
    if (!read_characters(d, '<', false))
        return false;
    d->nodes[node].length = d->values.length - d->nodes[node].from;
    return true;
}

static bool is_repeated(const xml_document *d, uint32_t element, text name) {
    for (uint32_t i = element + 1; i < d->count; i++)
        if (d->nodes[i].name.length == name.length && memcmp(d->nodes[i].name.bytes, name.bytes, name.length) == 0)
            return true;
    return false;
}

static bool read_attribute(xml_document *d, uint32_t element) {
    text name;
    if (!read_name(d, &name) || is_repeated(d, element, name))
        return false;
    skip_blanks(d);
    if (d->at == d->finish || *d->at++ != '=')
        return false;
    skip_blanks(d);
    if (d->at == d->finish || (*d->at != '"' && *d->at != '\''))
        return false;
    char quote = *d->at++;
    uint32_t node = add_node(d, XML_ATTRIBUTE, element, name);
    if (!read_characters(d, quote, true) || d->at++ == d->finish)
        return false;
    d->nodes[node].length = d->values.length - d->nodes[node].from;
    return true;
}

/* At <!--. */
static bool skip_comment(xml_document *d) {
    d->at += 4;
    const char *end = memmem(d->at, (size_t)(d->finish - d->at), "--", 2);
    if (!end || d->finish - end < 3 || end[2] != '>')
        return false;
    for (; d->at < end; d->at++)
        if ((unsigned char)*d->at < 0x20 && !is_blank(*d->at))
            return false;
    d->at = end + 3;
    return true;
}

static bool read_element(xml_document *d, uint32_t parent, int depth);

static bool read_content(xml_document *d, uint32_t element, int depth) {
    uint64_t done = 0;
    while (d->at < d->finish && !starts(d, "</")) {
        stay_cancellable(&done, 64);
        bool fine = *d->at != '<'        ? read_text(d, element)
                    : starts(d, "<!--") ? skip_comment(d)
                                        : read_element(d, element, depth + 1);
        if (!fine)
            return false;
    }
    return true;
}

static bool read_end(xml_document *d, text name) {
    text closing;
    d->at += 2;
    if (d->at > d->finish || !read_name(d, &closing) || closing.length != name.length || memcmp(closing.bytes, name.bytes, name.length) != 0)
        return false;
    skip_blanks(d);
    return d->at < d->finish && *d->at++ == '>';
}

static bool read_element(xml_document *d, uint32_t parent, int depth) {
    text name;
    if (depth > 500 || d->at == d->finish || *d->at++ != '<' || !read_name(d, &name))
        return false;
    uint32_t element = add_node(d, XML_ELEMENT, parent, name);
    while (skip_blanks(d) && d->at < d->finish && *d->at != '/' && *d->at != '>')
        if (!read_attribute(d, element))
            return false;
    bool fine = true;
    if (starts(d, "/>"))
        d->at += 2;
    else
        fine = d->at < d->finish && *d->at++ == '>' && read_content(d, element, depth) && read_end(d, name);
    d->nodes[element].end = d->count;
    return fine;
}

static bool skip_around(xml_document *d) {
    do
        skip_blanks(d);
    while (starts(d, "<!--") && skip_comment(d));
    return !starts(d, "<!--");
}

static void skip_declaration(xml_document *d) {
    static const char *const known[] = {"<?xml version=\"1.0\"?>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<?xml version='1.0'?>", "<?xml version='1.0' encoding='UTF-8'?>"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (starts(d, known[i])) {
            d->at += strlen(known[i]);
            return;
        }
}

bool read_xml(xml_document *d, text xml) {
    d->at = xml.bytes;
    d->finish = xml.bytes + xml.length;
    d->count = 0;
    d->values.length = 0;
    if (memchr(xml.bytes, '\r', xml.length) || memchr(xml.bytes, 0, xml.length))
        return false;
    add_node(d, XML_ROOT, 0, (text){0});
    skip_declaration(d);
    bool fine = skip_around(d) && read_element(d, 0, 0) && skip_around(d) && d->at == d->finish;
    d->nodes[0].end = d->count;
    return fine;
}

void close_xml(xml_document *d) {
    release(d->nodes);
    release(d->values.bytes);
}
