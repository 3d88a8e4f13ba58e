/* SPDX-License-Identifier: GPL-3.0-or-later
 * XML by libxml2's stream reader, kept as a small tree. */
#include "config.h"
#include "import/xml.h"

#include <string.h>

const char *xml_get(const struct xml *x, const char *attribute)
{
    for (struct xml_attribute *a = x ? x->attribute : NULL; a; a = a->next)
        if (!strcmp(a->name, attribute)) {
            a->read = true;
            return a->value;
        }
    return NULL;
}

static struct xml *find(struct xml *x, const char *name)
{
    while (x && (!x->name || strcmp(x->name, name)))
        x = x->next;
    if (x)
        x->read = true;
    return x;
}
struct xml *xml_child(const struct xml *x, const char *name) { return x ? find(x->child, name) : NULL; }
struct xml *xml_next(const struct xml *x, const char *name) { return find(x->next, name); }

const char *xml_text(struct arena *arena, const struct xml *x)
{
    const char *blanks = " \t\r\n", *s = x && x->text ? x->text : "";
    s += strspn(s, blanks);
    size_t n = strlen(s);
    while (n && strchr(blanks, s[n - 1]))
        n--;
    return arena_strndup(arena, s, n);
}

#ifdef HAVE_LIBXML2
#include <libxml/xmlreader.h>

enum { DEPTH = 200, NODES = 200000, SIZE = 32 << 20 };

struct reading {
    struct arena *arena;
    const char *file;
    const char *why;
    int nodes;
};

static void on_error(void *user, xmlErrorPtr e)
{
    struct reading *r = user;
    if (r->why || e->level < XML_ERR_ERROR || e->domain == XML_FROM_NAMESPACE)
        return;
    const char *m = e->message ? e->message : "not understood";
    int n = (int)strcspn(m, "\n");
    r->why = arena_printf(r->arena, "%s:%d: error: this is no XML: %.*s", r->file, e->line, n > 300 ? 300 : n, m);
}

/* libxml2 may go on without what it had no memory for; with these it does not come back from there. */
static void *memory_take(size_t size) { return mem_grow(NULL, size, 1); }
static void *memory_grow(void *old, size_t size) { return mem_grow(old, size, 1); }
static char *memory_copy(const char *s) { return strcpy(mem_grow(NULL, strlen(s) + 1, 1), s); }

static void node_add(struct xml *parent, struct xml *x)
{
    x->parent = parent;
    if (parent->last)
        parent->last->next = x;
    else
        parent->child = x;
    parent->last = x;
}

static struct xml *node_make(struct reading *r, xmlTextReaderPtr reader)
{
    struct xml *x = ARENA_NEW(r->arena, struct xml, 1);
    x->file = r->file;
    xmlNodePtr at = xmlTextReaderCurrentNode(reader);
    x->line = at ? (int)xmlGetLineNo(at) : xmlTextReaderGetParserLineNumber(reader);
    return x;
}

static const char *keep(struct reading *r, const xmlChar *s)
{
    return s ? arena_strndup(r->arena, (const char *)s, strlen((const char *)s)) : "";
}

static struct xml *element(struct reading *r, xmlTextReaderPtr reader)
{
    struct xml *x = node_make(r, reader);
    struct xml_attribute **end = &x->attribute;
    x->name = keep(r, xmlTextReaderConstName(reader));
    while (xmlTextReaderMoveToNextAttribute(reader) == 1) {
        struct xml_attribute *a = ARENA_NEW(r->arena, struct xml_attribute, 1);
        a->name = keep(r, xmlTextReaderConstName(reader));
        a->value = keep(r, xmlTextReaderConstValue(reader));
        *end = a;
        end = &a->next;
        r->nodes++;
    }
    xmlTextReaderMoveToElement(reader);
    return x;
}

/* Text comes in pieces, comments between them. */
static void text_add(struct reading *r, struct xml *x, const char *s)
{
    size_t n = s ? strlen(s) : 0;
    if (x->length + n + 1 > x->room) {
        char *more = arena_alloc(r->arena, x->room = 2 * (x->length + n) + 16);
        memcpy(more, x->text ? x->text : "", x->length);
        x->text = more;
    }
    memcpy((char *)x->text + x->length, s ? s : "", n + 1);
    x->length += n;
}

/* Builds below `top` until the text ends. */
static void build(struct reading *r, xmlTextReaderPtr reader, struct xml *top)
{
    struct xml *at = top;
    int depth = 0, more;
    while (!r->why && (more = xmlTextReaderRead(reader)) == 1) {
        int type = xmlTextReaderNodeType(reader);
        if (++r->nodes > NODES) {
            r->why = arena_printf(r->arena, "%s: error: more than %d elements and attributes are not read", r->file, NODES);
        } else if (type == XML_READER_TYPE_ELEMENT) {
            struct xml *x = element(r, reader);
            node_add(at, x);
            if (!xmlTextReaderIsEmptyElement(reader)) {
                at = x;
                if (++depth > DEPTH)
                    r->why = arena_printf(r->arena, "%s:%d: error: elements are nested more than %d deep", r->file, x->line, DEPTH);
            }
        } else if (type == XML_READER_TYPE_END_ELEMENT) {
            at = at->parent ? at->parent : at;
            depth--;
        } else if (type == XML_READER_TYPE_COMMENT) {
            struct xml *x = node_make(r, reader);
            x->text = keep(r, xmlTextReaderConstValue(reader));
            node_add(at, x);
        } else if (type == XML_READER_TYPE_TEXT || type == XML_READER_TYPE_CDATA) {
            text_add(r, at, (const char *)xmlTextReaderConstValue(reader));
        } else if (type == XML_READER_TYPE_DOCUMENT_TYPE || type == XML_READER_TYPE_ENTITY_REFERENCE) {
            r->why = arena_printf(r->arena, "%s: error: document types and entities are refused", r->file);
        }
    }
}

/* A document type could declare entities; it is refused before anything is expanded. */
static bool has_doctype(const char *text, size_t size)
{
    for (const char *s = text, *end = text + size; (s = memchr(s, '<', (size_t)(end - s))) != NULL; s++) {
        if (end - s >= 4 && !memcmp(s, "<!--", 4)) {
            const char *close = memmem(s + 4, (size_t)(end - s - 4), "-->", 3);
            if (!close)
                return false;
            s = close;
        } else if (end - s >= 9 && !memcmp(s, "<!DOCTYPE", 9)) {
            return true;
        }
    }
    return false;
}

struct xml *xml_read(struct arena *arena, const char *file, const char *text, size_t size, const char **why)
{
    struct reading r = {.arena = arena, .file = file};
    struct xml *top = ARENA_NEW(arena, struct xml, 1);
    *why = NULL;
    top->file = file;
    if (size > SIZE)
        *why = arena_printf(arena, "%s: error: a file of more than %d MB is not read", file, SIZE >> 20);
    else if (memchr(text, 0, size))
        *why = arena_printf(arena, "%s: error: this is no XML in UTF-8: it contains NUL bytes", file);
    else if (has_doctype(text, size))
        *why = arena_printf(arena, "%s: error: document types and entities are refused; take the line <!DOCTYPE ...> out", file);
    if (*why)
        return NULL;
    xmlMemSetup(free, memory_take, memory_grow, memory_copy);
    xmlTextReaderPtr reader = xmlReaderForMemory(text, (int)size, NULL, NULL, XML_PARSE_NONET | XML_PARSE_COMPACT);
    if (!reader) {
        *why = arena_printf(arena, "%s: error: out of memory", file);
        return NULL;
    }
    xmlTextReaderSetStructuredErrorHandler(reader, (xmlStructuredErrorFunc)on_error, &r);
    build(&r, reader, top);
    xmlFreeTextReader(reader);
    *why = r.why;
    if (r.why)
        return NULL;
    for (struct xml *x = top->child; x; x = x->next)
        if (x->name)
            return x;
    *why = arena_printf(arena, "%s: error: there is no element in this file", file);
    return NULL;
}
#else
struct xml *xml_read(struct arena *arena, const char *file, const char *text, size_t size, const char **why)
{
    (void)text;
    (void)size;
    *why = arena_printf(arena, "%s: error: mbs was built without libxml2, which reads URDF, MJCF and SDFormat: install libxml2-dev, configure and build again", file);
    return NULL;
}
#endif
