/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * XML of strangers, as a small tree of our own: elements with attributes, text and comments, each with its line.
 *
 * libxml2 reads it as a stream, without network, document types, entities of the file's own, or other files.  Size, depth and the
 * number of nodes are limited, so that a hostile file costs little. */
#ifndef IMPORT_XML_H
#define IMPORT_XML_H
#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct xml_attribute {
    const char *name, *value;
    struct xml_attribute *next;
    bool read;                  /* someone asked for it */
};
struct xml {
    const char *name;           /* NULL: a comment, its text in `text` */
    const char *text;           /* of the element itself, or NULL */
    const char *file;
    size_t length, room;        /* of the text */
    int line;
    bool read;                  /* someone looked at this element */
    struct xml_attribute *attribute;
    struct xml *parent, *child, *last, *next;
};

/* The root element, NULL if the text is no XML that is accepted; *why says so, with file and line. */
struct xml *xml_read(struct arena *, const char *file, const char *text, size_t size, const char **why);

struct xml *xml_child(const struct xml *, const char *name);            /* first of the name, or NULL */
struct xml *xml_next(const struct xml *, const char *name);             /* next sibling of the name */
#define XML_EACH(c, parent, name) for (struct xml *c = xml_child(parent, name); c; c = xml_next(c, name))
const char *xml_get(const struct xml *, const char *attribute);         /* NULL if absent */
const char *xml_text(struct arena *, const struct xml *);               /* without blanks around; "" if none */
#endif
