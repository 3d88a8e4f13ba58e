/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SD/FAST system descriptions: keyword = values.
 *
 *     gravity = 0 0 -9.81
 *     body = link  inb = $ground  joint = pin        a body seen a second time closes a loop
 *         mass = 2?  inertia = 1 1 0.5
 *         inbtojoint = 0 0 0   bodytojoint = 0 0 0.3  pin = 0 1 0   prescribed = 0
 *
 * The axes of all bodies are parallel in the reference position, the origin of a body is its centre of mass, and places of the joint
 * are from there.  A number followed by ? may be set at run time: a parameter.  Joints of several axes act one axis after the other. */
#include "config.h"
#include "import/read.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 16, PINS = 6 };

struct word {
    const char *text;
    int line;
    bool key;                   /* followed by = */
};
struct item {                   /* one body statement */
    const char *body, *inb, *joint, *name;
    int line;
    double mass, inertia[9], bodyto[3], inbto[3], pin[PINS][3], prescribed[PINS];
    int inertias, pins, prescribes;
};
struct sdfast {
    struct robot *r;
    struct { struct word *at; int n, cap; } word;
    int at;
};

static const struct kind {
    const char *name;
    enum robot_joint_kind kind; /* as a joint that closes a loop */
    const char *axes;           /* t: along a pin, r: about one; "" for the others; as a chain in the tree */
    int pins;
    bool loop;
} kinds[] = {
    {"pin", ROBOT_REVOLUTE, "r", 1, true},      {"sliding", ROBOT_PRISMATIC, "t", 1, true}, {"slider", ROBOT_PRISMATIC, "t", 1, true},
    {"weld", ROBOT_FIXED, "", 0, true},         {"ball", ROBOT_SPHERICAL, "", 0, true},     {"sixdof", ROBOT_FREE, "", 0, false},
    {"free", ROBOT_FREE, "", 0, false},         {"ujoint", ROBOT_UNIVERSAL, "rr", 2, true}, {"gimbal", ROBOT_SPHERICAL, "rrr", 3, true},
    {"cylinder", ROBOT_CYLINDRICAL, "tr", 1, true}, {"planar", ROBOT_PLANAR, "ttr", 3, true}, {"bushing", ROBOT_FREE, "tttrrr", 3, false},
    {"bearing", ROBOT_FREE, "trrr", 3, false},
};

static bool same(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
    return *a == *b;
}

static void tokenize(struct sdfast *s, const char *t, size_t n)
{
    int line = 1;
    for (const char *end = t + n; t < end;) {
        if (*t == '\n')
            line++;
        if (*t == '#') {
            const char *from = t + 1;
            while (t < end && *t != '\n')
                t++;
            char *note = arena_strndup(s->r->arena, from, (size_t)(t - from));
            for (char *c = note; *c; c++)
                *c = (unsigned char)*c >= 0x80 ? '?' : *c;
            lines_add(s->r, &s->r->comment, "%s", note + strspn(note, " \t#"));
        } else if (*t == '=') {
            if (s->word.n)
                s->word.at[s->word.n - 1].key = true;
            t++;
        } else if (isspace((unsigned char)*t) || *t == ',') {
            t++;
        } else {
            const char *from = t;
            while (t < end && !isspace((unsigned char)*t) && *t != '=' && *t != '#' && *t != ',')
                t++;
            VEC_PUSH(s->word, ((struct word){arena_strndup(s->r->arena, from, (size_t)(t - from)), line, false}));
        }
    }
}

/* A number; with ? a parameter of that value, or of 1 if there is none. */
static bool number(struct sdfast *s, const struct word *w, const char *body, const char *key, int i, double *out)
{
    struct robot *r = s->r;
    char *end;
    double x = strtod(w->text, &end);
    bool hex = strchr(w->text, 'x') || strchr(w->text, 'X'), open = *end == '?' && !end[1];
    if (hex || (end == w->text && !open) || (*end && !open) || !isfinite(x) || fabs(x) > 1e100)
        return robot_fail(r, r->file, w->line, "'%s' of '%s' is no number: \"%.60s\"", key, body, w->text);
    if (end == w->text) {
        robot_lose(r, &r->lost, w->line, "'%s' of '%s' is to be given at run time; 1 stands for it", key, body);
        x = 1;
    }
    *out = open ? robot_parameter(r, arena_printf(r->arena, i ? "%s_%s_%d" : "%s_%s", body, key, i), x) : x;
    return true;
}

static int numbers(struct sdfast *s, const char *body, const char *key, int most, double *out)
{
    int n = 0;
    for (; s->at < s->word.n && !s->word.at[s->at].key; s->at++, n++) {
        if (n == most) {
            robot_fail(s->r, s->r->file, s->word.at[s->at].line, "'%s' of '%s' takes %d number%s", key, body, most, most == 1 ? "" : "s");
            return -1;
        }
        if (!number(s, &s->word.at[s->at], body, key, most > 1 ? n + 1 : 0, &out[n]))
            return -1;
    }
    return n;
}

static const char *value(struct sdfast *s, const char *key, int line)
{
    if (s->at < s->word.n && !s->word.at[s->at].key)
        return s->word.at[s->at++].text;
    robot_fail(s->r, s->r->file, line, "'%s' needs a name", key);
    return NULL;
}

static bool exactly(struct sdfast *s, const char *body, const char *key, int line, int n, double *out)
{
    int found = numbers(s, body, key, n, out);
    if (found >= 0 && found != n)
        robot_fail(s->r, s->r->file, line, "'%s' of '%s' takes %d number%s", key, body, n, n == 1 ? "" : "s");
    return found == n;
}

static bool read_item(struct sdfast *s, struct item *x)
{
    while (s->at < s->word.n && !same(s->word.at[s->at].text, "body")) {
        const struct word *w = &s->word.at[s->at++];
        bool good = true;
        if (!w->key)
            return robot_fail(s->r, s->r->file, w->line, "'%.60s' stands where a keyword is expected", w->text);
        if (same(w->text, "inb"))
            good = (x->inb = value(s, "inb", w->line)) != NULL;
        else if (same(w->text, "joint")) {
            good = (x->joint = value(s, "joint", w->line)) != NULL;
            if (good && s->at < s->word.n && !s->word.at[s->at].key)
                x->name = s->word.at[s->at++].text;
        } else if (same(w->text, "mass"))
            good = exactly(s, x->body, "mass", w->line, 1, &x->mass);
        else if (same(w->text, "inertia"))
            good = (x->inertias = numbers(s, x->body, "inertia", 9, x->inertia)) >= 0;
        else if (same(w->text, "bodytojoint"))
            good = exactly(s, x->body, "bodytojoint", w->line, 3, x->bodyto);
        else if (same(w->text, "inbtojoint"))
            good = exactly(s, x->body, "inbtojoint", w->line, 3, x->inbto);
        else if (same(w->text, "pin") || same(w->text, "inbpin")) {
            if (x->pins == PINS)
                return robot_fail(s->r, s->r->file, w->line, "'%s' has more than %d pins", x->body, PINS);
            good = exactly(s, x->body, "pin", w->line, 3, x->pin[x->pins]);
            x->pins++;
        } else if (same(w->text, "prescribed"))
            good = (x->prescribes = numbers(s, x->body, "prescribed", PINS, x->prescribed)) >= 0;
        else {
            robot_lose(s->r, &s->r->lost, w->line, "'%s' of '%s'", w->text, x->body);
            while (s->at < s->word.n && !s->word.at[s->at].key)
                s->at++;
        }
        if (!good)
            return false;
    }
    return true;
}

static bool give_inertia(struct sdfast *s, const struct item *x, struct robot_link *l)
{
    const double *J = x->inertia;
    l->mass = x->mass;
    if (x->inertias == 3)
        memcpy(l->J, J, 3 * sizeof *J);
    else if (x->inertias == 9)
        l->J[0] = J[0], l->J[1] = J[4], l->J[2] = J[8], l->J[3] = J[1], l->J[4] = J[2], l->J[5] = J[5];
    else if (x->inertias)
        return robot_fail(s->r, s->r->file, x->line, "the inertia of '%s' takes 3 or 9 numbers", x->body);
    return !(l->mass < 0) || robot_fail(s->r, s->r->file, x->line, "the mass of '%s' is negative", x->body);
}

static void drive(struct sdfast *s, const struct item *x, int i, struct robot_joint *j)
{
    double p = i < x->prescribes ? x->prescribed[i] : 0;
    if (isnan(p))
        robot_lose(s->r, &j->lost, x->line, "motion of '%s' that may be prescribed at run time", j->name);
    j->driven = p == 1;
}

static bool add_joint(struct sdfast *s, const struct item *x, int link, int inb, bool loop)
{
    struct robot *r = s->r;
    const struct kind *k = NULL;
    const char *name = x->name ? x->name : arena_printf(r->arena, "%s_joint", x->body);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (same(kinds[i].name, x->joint))
            k = &kinds[i];
    if (!k || (loop && !k->loop))
        return robot_fail(r, r->file, x->line, "'%s' has a joint of the %s type '%s'", x->body, k ? "here useless" : "unknown", x->joint);
    int axes = loop ? 0 : (int)strlen(k->axes), from = inb;
    double standard[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (x->pins < k->pins && !(x->pins == 0 && k->pins == 3))
        return robot_fail(r, r->file, x->line, "the joint of '%s' needs %d pin%s", x->body, k->pins, k->pins == 1 ? "" : "s");
    for (int i = 0; i < x->pins; i++)
        if (x->pin[i][0] == 0 && x->pin[i][1] == 0 && x->pin[i][2] == 0)
            return robot_fail(r, r->file, x->line, "a pin of '%s' has no length", x->body);
        else if (isnan(x->pin[i][0] + x->pin[i][1] + x->pin[i][2]))
            return robot_fail(r, r->file, x->line, "a pin of '%s' is to be given at run time, but an axis is fixed in a model", x->body);
    for (int i = 0; i < (axes ? axes : 1); i++) {
        int to = i + 1 < axes ? r->link.n : link;
        if (i + 1 < axes)
            robot_link_add(r, arena_printf(r->arena, "%s_%d", x->body, i + 1), x->line);
        struct robot_joint *j = robot_joint_add(r, axes > 1 ? arena_printf(r->arena, "%s_%d", name, i + 1) : name, x->line);
        /* which pin: each axis its own, but a cylinder has one, and slides and turns of six share three */
        int pin = k->pins == 1 ? 0 : axes == 6 ? i % 3 : axes == 4 ? (i ? i - 1 : 0) : i;
        j->kind = axes ? k->axes[i] == 't' ? ROBOT_PRISMATIC : ROBOT_REVOLUTE : k->kind;
        j->parent = from;
        j->child = to;
        j->loop = loop;
        if (loop && k->kind == ROBOT_PLANAR)    /* the turn is about the normal */
            pin = 2;
        memcpy(j->axis, x->pins ? x->pin[pin] : standard[pin], sizeof j->axis);
        if (loop && k->kind == ROBOT_UNIVERSAL)
            memcpy(j->axis2, x->pin[1], sizeof j->axis2);
        if (i == 0)
            memcpy(j->a.at, x->inbto, sizeof x->inbto);
        if (to == link)
            memcpy(j->b.at, x->bodyto, sizeof x->bodyto);
        if (!loop)
            drive(s, x, i, j);
        from = to;
    }
    return true;
}

static bool add_body(struct sdfast *s, const struct item *x)
{
    struct robot *r = s->r;
    if (!x->inb || !x->joint)
        return robot_fail(r, r->file, x->line, "the body '%s' needs 'inb = ...' and 'joint = ...'", x->body);
    int inb = same(x->inb, "$ground") ? 0 : robot_link_find(r, x->inb), link = robot_link_find(r, x->body);
    if (inb < 0)
        return robot_fail(r, r->file, x->line, "the body '%s' hangs on '%s', which is not there (yet)", x->body, x->inb);
    if (inb == link)
        return robot_fail(r, r->file, x->line, "the body '%s' hangs on itself", x->body);
    if (link >= 0)
        return add_joint(s, x, link, inb, true);
    link = r->link.n;
    return give_inertia(s, x, robot_link_add(r, x->body, x->line)) && add_joint(s, x, link, inb, false);
}

bool read_sdfast(struct robot *r, const char *text, size_t size)
{
    struct sdfast s = {.r = r};
    const char *dot = strrchr(r->file, '.');
    bool good = true;
    r->name = arena_strndup(r->arena, r->file, dot && dot != r->file ? (size_t)(dot - r->file) : strlen(r->file));
    r->gravity[0] = r->gravity[1] = r->gravity[2] = 0;
    robot_link_add(r, "$ground", 1);
    if (memchr(text, 0, size))
        return robot_fail(r, r->file, 1, "this is no text: it contains NUL bytes");
    tokenize(&s, text, size);
    while (good && s.at < s.word.n) {
        const struct word *w = &s.word.at[s.at++];
        if (!w->key) {
            good = robot_fail(r, r->file, w->line, "'%.60s' stands where a keyword is expected", w->text);
        } else if (same(w->text, "body")) {
            struct item x = {.line = w->line};
            good = (x.body = value(&s, "body", w->line)) != NULL && read_item(&s, &x) && add_body(&s, &x);
        } else if (same(w->text, "gravity")) {
            good = exactly(&s, "system", "gravity", w->line, 3, r->gravity);
        } else {
            if (!same(w->text, "language") && !same(w->text, "prefix"))
                robot_lose(r, &r->lost, w->line, "'%s'", w->text);
            while (s.at < s.word.n && !s.word.at[s.at].key)
                s.at++;
        }
    }
    free(s.word.at);
    if (good && r->link.n == 1)
        good = robot_fail(r, r->file, 1, "there is no body in this file");
    return good;
}
