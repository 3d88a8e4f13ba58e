/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * <replicate> of MJCF: copies of what is inside, each placed in the frame of the one before by `offset` and `euler`, with a number at the end of
 * all names; what names something inside (actuators, tendons, equalities, contacts, sensors) is copied with it.  All is done on the XML, inner ones
 * first, so that the readers see frames and bodies only. */
#include "config.h"
#include "import/mjcf.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 200000, MOST_LOOKS = 1000000 };      /* elements that are made, and looked at */

struct repeat {
    struct mjcf *c;
    struct xml *root;
    int nodes, looks;           /* that were made, and looked at */
};
struct copying {                /* one copy */
    struct repeat *s;
    const struct name_index *names;     /* that get the ending, as "what name" */
    const char *ending;
};

/* What an attribute names, NULL: nothing; joint1 is a joint. */
static const char *names_a(const char *attribute)
{
    static const char *const what[][2] = {
        {"joint", "joint"}, {"joint1", "joint"}, {"joint2", "joint"}, {"jointinparent", "joint"}, {"body", "body"},   {"body1", "body"},       {"body2", "body"},       {"site", "site"},
        {"site1", "site"},  {"site2", "site"},   {"refsite", "site"}, {"sidesite", "site"},       {"geom", "geom"},   {"geom1", "geom"},       {"geom2", "geom"},       {"tendon", "tendon"},
        {"tendon1", "tendon"}, {"tendon2", "tendon"}, {"actuator", "actuator"}, {"slidersite", "site"}, {"cranksite", "site"}};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++)
        if (!strcmp(what[i][0], attribute))
            return what[i][1];
    return NULL;
}

static const char *key_of(struct repeat *s, const char *what, const char *name) { return arena_printf(s->c->r->arena, "%s %s", what, name); }

/* The kind of name that an element has. */
static const char *kind_of(const struct xml *x)
{
    const char *section = x->parent && x->parent->name ? x->parent->name : "";
    return !strcmp(section, "tendon") || !strcmp(section, "actuator") ? section : !strcmp(x->name, "freejoint") ? "joint" : x->name;
}

static void collect(struct repeat *s, const struct xml *x, struct name_index *names)
{
    for (; x && s->looks <= MOST_LOOKS; x = x->next, s->looks++)
        if (x->name) {
            if (xml_get(x, "name"))
                *index_put(names, key_of(s, kind_of(x), xml_get(x, "name"))) = 1;
            collect(s, x->child, names);
        }
}

static bool refers(struct repeat *s, const struct xml *x, const struct name_index *names)
{
    if (++s->looks > MOST_LOOKS)
        return false;
    for (const struct xml_attribute *a = x->attribute; a; a = a->next)
        if (names_a(a->name) && index_get(names, key_of(s, names_a(a->name), a->value)) >= 0)
            return true;
    for (const struct xml *k = x->child; k; k = k->next)
        if (k->name && refers(s, k, names))
            return true;
    return false;
}

static void attribute_add(struct repeat *s, struct xml *x, const char *name, const char *value)
{
    struct xml_attribute *a = arena_alloc(s->c->r->arena, sizeof *a);
    *a = (struct xml_attribute){.name = name, .value = value, .next = x->attribute};
    x->attribute = a;
}

static void child_add(struct xml *parent, struct xml *x)
{
    x->parent = parent;
    x->next = NULL;
    if (parent->last)
        parent->last->next = x;
    else
        parent->child = x;
    parent->last = x;
}

static struct xml *copy(const struct copying *k, const struct xml *x, struct xml *parent)
{
    struct repeat *s = k->s;
    struct xml *new = arena_alloc(s->c->r->arena, sizeof *new);
    *new = *x;
    new->child = new->last = NULL;
    new->attribute = NULL;
    new->read = false;
    s->nodes++;
    for (const struct xml_attribute *a = x->attribute; a; a = a->next) {
        bool ends = !strcmp(a->name, "name") || (names_a(a->name) && index_get(k->names, key_of(s, names_a(a->name), a->value)) >= 0);
        attribute_add(s, new, a->name, ends ? arena_printf(s->c->r->arena, "%s%s", a->value, k->ending) : a->value);
    }
    child_add(parent, new);
    for (const struct xml *c = x->child; c && s->nodes <= MOST_NODES; c = c->next)
        copy(k, c, new);
    return new;
}

/* The elements of a section that name what is copied are copied, too, behind the others. */
static void copy_section(struct repeat *s, struct xml *section, struct name_index *names, int count, const char *const *ending)
{
    struct xml held = {0}, *next;
    struct xml *all = section->child;
    section->child = section->last = NULL;
    for (struct xml *x = all; x; x = next) {
        next = x->next;
        child_add(x->name && refers(s, x, names) ? &held : section, x);
        x->parent = section;
    }
    for (struct xml *x = held.child; x; x = x->next)
        if (xml_get(x, "name"))
            *index_put(names, key_of(s, kind_of(x), xml_get(x, "name"))) = 1;
    for (int i = 0; i < count && held.child; i++)
        for (struct xml *x = held.child; x && s->nodes <= MOST_NODES; x = x->next)
            copy(&(struct copying){.s = s, .names = names, .ending = ending[i]}, x, section);
}

static bool repeat_one(struct repeat *s, struct xml *x)
{
    struct robot *r = s->c->r;
    static const char *const sections[] = {"tendon", "equality", "contact", "actuator", "sensor"};
    struct xml turn = {.name = "frame", .file = x->file, .line = x->line}, made = {0}, *inside = x->child;
    struct pose step = pose_identity(), at = pose_identity();
    struct name_index names = {0};
    double count = 0;
    const char *sep = xml_get(x, "sep") ? xml_get(x, "sep") : "";
    if (xml_get(x, "euler"))
        attribute_add(s, &turn, "euler", xml_get(x, "euler"));
    if (xml_get(x, "offset"))
        attribute_add(s, &turn, "pos", xml_get(x, "offset"));
    if (!read_name(r, x, "count") || !read_attribute(r, x, "count", 1, &count) || !mjcf_pose(s->c, NULL, &turn, &step))
        return false;
    if (!(count >= 1) || count > MOST_NODES)
        return robot_fail(r, x->file, x->line, "'count' of <replicate> is no number of copies");
    int n = (int)count, digits = snprintf(NULL, 0, "%d", n - 1);
    const char **ending = arena_alloc(r->arena, (size_t)n * sizeof *ending);
    collect(s, inside, &names);
    for (int i = 0; i < n && s->nodes <= MOST_NODES; i++) {
        struct xml *frame = arena_alloc(r->arena, sizeof *frame);
        double R[3][3];
        ending[i] = arena_printf(r->arena, "%s%0*d", sep, digits, i);
        *frame = (struct xml){.name = "frame", .file = x->file, .line = x->line};
        attribute_add(s, frame, "pos", arena_printf(r->arena, "%.17g %.17g %.17g", at.at[0], at.at[1], at.at[2]));
        memcpy(R, at.R, sizeof R);
        attribute_add(s, frame, "xyaxes", arena_printf(r->arena, "%.17g %.17g %.17g %.17g %.17g %.17g", R[0][0], R[1][0], R[2][0], R[0][1], R[1][1], R[2][1]));
        if (xml_get(x, "childclass"))
            attribute_add(s, frame, "childclass", xml_get(x, "childclass"));
        child_add(&made, frame);
        for (const struct xml *k = inside; k && s->nodes <= MOST_NODES; k = k->next)
            copy(&(struct copying){.s = s, .names = &names, .ending = ending[i]}, k, frame);
        at = pose_mul(&at, &step);
    }
    for (size_t i = 0; i < sizeof sections / sizeof *sections && s->nodes <= MOST_NODES; i++)
        XML_EACH(k, s->root, sections[i])
            copy_section(s, k, &names, n, ending);
    index_free(&names);
    if (s->nodes > MOST_NODES || s->looks > MOST_LOOKS)
        return robot_fail(r, x->file, x->line, "<replicate> gives more than %d elements, or there are too many", MOST_NODES);
    /* a frame stands in its place, with all of them inside */
    *x = (struct xml){.name = "frame", .file = x->file, .line = x->line, .parent = x->parent, .next = x->next, .child = made.child, .last = made.last};
    for (struct xml *k = x->child; k; k = k->next)
        k->parent = x;
    return true;
}

static bool repeat_inside(struct repeat *s, struct xml *x)
{
    for (struct xml *k = x->child; k; k = k->next)
        if (k->name && (!repeat_inside(s, k) || (!strcmp(k->name, "replicate") && !repeat_one(s, k))))
            return false;
    return true;
}

bool mjcf_repeat(struct mjcf *c, struct xml *root)
{
    struct repeat s = {.c = c, .root = root};
    XML_EACH(w, root, "worldbody")
        if (!repeat_inside(&s, w))
            return false;
    return true;
}
