/* A small XML document: elements, attributes and texts, in the order of the document. */
#pragma once
#include "json/json.h"

enum xml_kind { XML_ROOT, XML_ELEMENT, XML_ATTRIBUTE, XML_TEXT };

/* Nodes are in one array, in document order; `end` is the index after the last descendant. */
typedef struct {
    enum xml_kind kind;
    uint32_t parent, end;
    text name;          /* of elements and attributes, in the document itself */
    size_t from, length; /* the value of attributes and texts, in `values` */
} xml_node;

typedef struct {
    const char *at, *finish;
    xml_node *nodes;
    uint32_t count, room;
    buffer values;
} xml_document;

/* False: malformed, or with features that need Java's parser (DTDs, namespaces, CDATA, processing instructions, carriage returns). */
bool read_xml(xml_document *document, text xml);
void close_xml(xml_document *document);
static inline text value_of(const xml_document *document, uint32_t node) {
    return (text){document->values.bytes + document->nodes[node].from, (uint32_t)document->nodes[node].length};
}
