/* SPDX-License-Identifier: GPL-3.0-or-later
 * Names: a table of them, and legal, unique ones for the model. */
#include "config.h"
#include "import/robot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static unsigned hash(const char *s)
{
    unsigned h = 2166136261u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static int slot_of(const struct name_index *t, const char *name)
{
    unsigned i = hash(name) & (unsigned)(t->size - 1);
    while (t->slot[i].name && strcmp(t->slot[i].name, name))
        i = (i + 1) & (unsigned)(t->size - 1);
    return (int)i;
}

int *index_put(struct name_index *t, const char *name)
{
    if (2 * (t->n + 1) > t->size) {
        struct name_index more = {.size = t->size ? 2 * t->size : 64};
        more.slot = mem_grow(NULL, (size_t)more.size, sizeof *more.slot);
        memset(more.slot, 0, (size_t)more.size * sizeof *more.slot);
        for (int i = 0; i < t->size; i++)
            if (t->slot[i].name)
                more.slot[slot_of(&more, t->slot[i].name)] = t->slot[i];
        more.n = t->n;
        free(t->slot);
        *t = more;
    }
    int i = slot_of(t, name);
    if (!t->slot[i].name) {
        t->slot[i].name = name;
        t->slot[i].value = -1;
        t->n++;
    }
    return &t->slot[i].value;
}

int index_get(const struct name_index *t, const char *name)
{
    int i = t->size ? slot_of(t, name) : 0;
    return t->size && t->slot[i].name ? t->slot[i].value : -1;
}

void index_free(struct name_index *t)
{
    free(t->slot);
    *t = (struct name_index){0};
}

/* Letters, digits and _, no digit first; what the language has taken gets a _ at its end. */
const char *robot_legal(struct robot *r, const char *name)
{
    static const char *const taken[] = {"and", "or", "not", "t", "pi", "true", "false", "ground", "in"};
    enum { LONGEST = 150 };
    if (!strcmp(name, "$ground"))       /* of SD/FAST */
        return "world";
    size_t n = strlen(name);
    char *s = arena_strndup(r->arena, name, n > LONGEST ? LONGEST : n);
    for (char *c = s; *c; c++)
        if (!(isalnum((unsigned char)*c) && (unsigned char)*c < 128) && *c != '_')
            *c = '_';
    if (!*s)
        return "unnamed";
    if (isdigit((unsigned char)*s))
        return arena_printf(r->arena, "_%s", s);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!strcmp(s, taken[i]))
            return arena_printf(r->arena, "%s_", s);
    return s;
}

/* The next free one of name, name_suffix, name_2, name_3, ... */
static const char *unique(struct robot *r, struct name_index *used, const char *name, const char *suffix)
{
    const char *try = name;
    int *count = index_put(used, name);
    if (*count < 0) {
        *count = 1;
        return name;
    }
    if (*suffix) {
        try = arena_printf(r->arena, "%s_%s", name, suffix);
        int *other = index_put(used, try);
        if (*other < 0) {
            *other = 1;
            return try;
        }
    }
    for (int n = *index_put(used, name) + 1;; n++) {
        try = arena_printf(r->arena, "%s_%d", name, n);
        if (*index_put(used, try) < 0)
            break;
    }
    *index_put(used, try) = 1;
    *index_put(used, name) = atoi(strrchr(try, '_') + 1);
    return try;
}

/* A new name: if only characters have become _, the old one says it all. */
static void note(struct robot *r, const char *what, const char *name, const char *id, const char *place)
{
    bool same = strlen(name) == strlen(id);
    for (size_t i = 0; same && id[i]; i++)
        same = (id[i] == name[i] || id[i] == '_') && (unsigned char)name[i] > ' ';
    if (same)
        lines_add(r, &r->underscored, "%s", name);
    else
        lines_add(r, &r->renamed, "%s '%s' is %s", what, name, place);
}

static const char *give(struct robot *r, struct name_index *used, const char *name, const char *suffix, const char *what)
{
    const char *id = unique(r, used, robot_legal(r, name), suffix);
    if (strcmp(id, name))
        note(r, what, name, id, id);
    return id;
}

/* Frames of a body have a scope of their own, where the members of a body are taken. */
static void name_frames(struct robot *r)
{
    static const char *const member[] = {"com", "origin", "omega", "omega_body", "angle", "rotation", "x", "y", "z"};
    struct name_index used = {0};
    for (int i = 0; i < r->link.n + r->frame.n; i++) {
        struct robot_frame *f = i < r->link.n ? NULL : &r->frame.at[i - r->link.n];
        struct robot_link *l = f ? NULL : &r->link.at[i];
        struct pose none = pose_identity();
        if (l && l->merged < 0)
            continue;
        const char *name = f ? f->name : l->name, *body = r->link.at[f ? robot_body_of(r, f->link, &none) : l->merged].id;
        for (size_t m = 0; m < sizeof member / sizeof *member; m++)
            *index_put(&used, arena_printf(r->arena, "%s.%s", body, member[m])) = 1;
        const char *key = arena_printf(r->arena, "%s.%s", body, robot_legal(r, name));
        const char *id = strrchr(unique(r, &used, key, ""), '.') + 1;
        if (strcmp(id, name))
            note(r, f ? "frame" : "link", name, id, arena_printf(r->arena, "%s.%s", body, id));
        if (f)
            f->id = id;
        else
            l->frame = id;
    }
    index_free(&used);
}

const char *robot_new_name(struct robot *r, const char *name, const char *suffix)
{
    return unique(r, &r->used, *suffix ? arena_printf(r->arena, "%s_%s", name, suffix) : name, "");
}

void robot_names(struct robot *r)
{
    r->id = robot_legal(r, r->name);
    if (*r->id == '_')          /* it names a file and a C symbol */
        r->id = arena_printf(r->arena, "robot%s", r->id);
    for (int i = 0; i < r->link.n; i++)
        if (r->link.at[i].merged < 0)
            r->link.at[i].id = give(r, &r->used, r->link.at[i].name, "link", "link");
    for (int i = 0; i < r->joint.n; i++) {
        const struct robot_joint *j = &r->joint.at[i];
        if (!(j->kind == ROBOT_FIXED && !j->loop && r->link.at[j->child].merged >= 0))
            r->joint.at[i].id = give(r, &r->used, j->name, "joint", "joint");
    }
    for (int i = 0; i < r->parameter.n; i++)
        r->parameter.at[i].id = unique(r, &r->used, robot_legal(r, r->parameter.at[i].name), "");
    r->base = robot_new_name(r, "root", "");
    for (int i = 0; i < r->gear.n; i++)
        r->gear.at[i].id = unique(r, &r->used, robot_legal(r, r->gear.at[i].name), "gear");
    for (int i = 0; i < r->law.n; i++)
        r->law.at[i].id = give(r, &r->used, r->law.at[i].name, "law", "constraint");
    for (int i = 0; i < r->tendon.n; i++)
        r->tendon.at[i].id = give(r, &r->used, r->tendon.at[i].name, "tendon", "tendon");
    for (int i = 0; i < r->actuator.n; i++)
        r->actuator.at[i].id = give(r, &r->used, r->actuator.at[i].name, "motor", "actuator");
    name_frames(r);
}

/* Dots and brackets stay: arm.link[2] is a name in XML. */
void robot_export_names(struct robot *r)
{
    r->id = r->name;
    for (int i = 0; i < r->link.n; i++)
        r->link.at[i].id = unique(r, &r->used, r->link.at[i].name, "link");
    for (int i = 0; i < r->frame.n; i++)
        r->frame.at[i].id = unique(r, &r->used, r->frame.at[i].name, "frame");
    struct name_index joints = {0};
    for (int i = 0; i < r->joint.n; i++)
        r->joint.at[i].id = unique(r, &joints, r->joint.at[i].name, "");
    index_free(&joints);
}
