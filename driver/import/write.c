/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A robot as the text of a model: what a person would write.  Body by body, each with the joint that leads to it and what acts
 * there; comments of the source and what was not carried over stand where they belong. */
#include "config.h"
#include "import/robot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers and places ------------------------------------------------------------------------------------------- */

const char *number_text(const struct robot *r, double x)
{
    struct arena *arena = r->arena;
    char text[40];
    if (parameter_of(x) >= 0 && parameter_of(x) < r->parameter.n)
        return r->parameter.at[parameter_of(x)].id;
    if (x == 0)
        return "0";
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    char *e = strchr(text, 'e');        /* 1e-05 is 1e-5 */
    if (e && e[2] == '0')
        memmove(e + 2, e + 3, strlen(e + 3) + 1);
    return arena_strndup(arena, text, strlen(text));
}

const char *angle_text(const struct robot *r, double x)
{
    struct arena *arena = r->arena;
    for (int part = 1; part <= 6; part++) {
        double n = rint(x * part / M_PI);
        if (part == 5 || n == 0 || fabs(x - n * M_PI / part) > 4e-16 * fabs(x))
            continue;
        const char *sign = n < 0 ? "-" : "", *times = fabs(n) == 1 ? "" : arena_printf(arena, "%g*", fabs(n));
        return part == 1 ? arena_printf(arena, "%s%spi", sign, times) : arena_printf(arena, "%s%spi/%d", sign, times, part);
    }
    return number_text(r, x);
}

static const char *vector(const struct robot *r, int n, const double *x)
{
    struct arena *a = r->arena;
    const char *text = number_text(r, x[0]);
    for (int i = 1; i < n; i++)
        text = arena_printf(a, "%s, %s", text, number_text(r, x[i]));
    return arena_printf(a, "[%s]", text);
}

/* at([x, y, z], z = a, y = b) */
static const char *frame_text(const struct robot *r, const struct pose *p)
{
    struct arena *a = r->arena;
    const char *text = arena_printf(a, "at(%s", vector(r, 3, p->at));
    for (int i = 0; i < p->turns; i++)
        text = arena_printf(a, "%s, %c = %s", text, "xyz"[p->turn[i].axis], angle_text(r, p->turn[i].angle));
    return arena_printf(a, "%s)", text);
}

const char *robot_place(const struct robot *r, int link)
{
    const struct robot_link *l = &r->link.at[link];
    return l->merged < 0 ? l->id : arena_printf(r->arena, "%s.%s", r->link.at[l->merged].id, l->frame);
}

/* K, K.F, K @ [x, y, z], K @ at([x, y, z], z = a) */
static const char *place(const struct robot *r, int link, const struct pose *p)
{
    const char *k = robot_place(r, link);
    if (pose_is_identity(p))
        return k;
    return arena_printf(r->arena, "%s @ %s", k, p->turns ? frame_text(r, p) : vector(r, 3, p->at));
}

const char *robot_coordinate(const struct robot *r, int joint, int i)
{
    static const char *const part[ROBOT_JOINT_KINDS][7] = {
        [ROBOT_REVOLUTE] = {"angle"},
        [ROBOT_PRISMATIC] = {"distance"},
        [ROBOT_SCREW] = {"angle"},
        [ROBOT_PLANAR] = {"x", "y", "angle"},
        [ROBOT_UNIVERSAL] = {"angle1", "angle2"},
        [ROBOT_CYLINDRICAL] = {"angle", "distance"},
        [ROBOT_SPHERICAL] = {"e0", "e1", "e2", "e3"},
        [ROBOT_FREE] = {"x", "y", "z", "e0", "e1", "e2", "e3"},
    };
    const struct robot_joint *j = &r->joint.at[joint];
    return arena_printf(r->arena, "%s.%s", j->id, part[j->kind][i]);
}

/* --- comments ----------------------------------------------------------------------------------------------------- */

static void comment(FILE *f, const char *indent, const char *before, const char *text)
{
    while (text) {
        const char *end = strchr(text, '\n');
        size_t n = end ? (size_t)(end - text) : strlen(text);
        while (n && (text[n - 1] == ' ' || text[n - 1] == '\r' || text[n - 1] == '\t'))
            n--;
        if (n) {
            fprintf(f, "%s# %s", indent, before);
            for (size_t i = 0; i < n; i++)
                putc((unsigned char)text[i] < 0x20 && text[i] != '\t' ? ' ' : text[i], f);
            putc('\n', f);
        }
        text = end ? end + 1 : NULL;
    }
}

static void comments(FILE *f, const char *indent, const struct robot_lines *lines)
{
    for (int i = 0; i < lines->n; i++)
        comment(f, indent, "", lines->at[i]);
}

static void losses(FILE *f, const char *indent, const struct robot_lines *lines)
{
    for (int i = 0; i < lines->n; i++)
        comment(f, indent, "not carried over: ", lines->at[i]);
}

/* Several entries a line, as long as they are short. */
static void listed(FILE *f, struct arena *a, const char *head, const struct robot_lines *lines)
{
    enum { WIDE = 130 };
    const char *line = NULL;
    if (lines->n)
        fprintf(f, "# %s\n", head);
    for (int i = 0; i < lines->n; i++) {
        if (line && strlen(line) + strlen(lines->at[i]) > WIDE) {
            comment(f, "", "  ", line);
            line = NULL;
        }
        line = arena_printf(a, "%s%s%s", line ? line : "", lines->at[i], i + 1 < lines->n ? ", " : "");
    }
    if (line)
        comment(f, "", "  ", line);
}

/* --- parameters for what repeats ------------------------------------------------------------------------------------ */

struct repeat {
    const char *what;           /* damping */
    const char *unit;
    double value;
    int count;
    const char *first;          /* a name for the parameter */
    const char *name;           /* of the parameter, NULL: written as a number */
};
struct writer {
    struct robot *r;
    struct arena *a;
    FILE *f;
    struct { struct repeat *at; int n, cap; } repeat;
    const char *slip[2];        /* parameters of smoothed dry friction, turning and sliding */
};

static struct repeat *repeat_of(struct writer *w, const char *what, const char *unit, double value)
{
    for (int i = 0; i < w->repeat.n; i++) {
        struct repeat *x = &w->repeat.at[i];
        if (x->value == value && !strcmp(x->what, what) && !strcmp(x->unit, unit))
            return x;
    }
    enum { MOST = 500 };        /* different values: none of them is common then */
    if (w->repeat.n >= MOST)
        return NULL;
    VEC_PUSH(w->repeat, ((struct repeat){what, unit, value, 0, NULL, NULL}));
    return &w->repeat.at[w->repeat.n - 1];
}

static void count(struct writer *w, const char *what, const char *unit, double value, const char *name)
{
    struct repeat *x = value != 0 ? repeat_of(w, what, unit, value) : NULL;
    if (!x)
        return;
    if (++x->count == 1)
        x->first = name;
    else if (x->count == 2)
        x->name = robot_new_name(w->r, x->first, "");
}

static const char *value_of(struct writer *w, const char *what, const char *unit, double value)
{
    struct repeat *x = repeat_of(w, what, unit, value);
    return x && x->name ? x->name : number_text(w->r, value);
}

static bool slides(enum robot_joint_kind kind) { return kind == ROBOT_PRISMATIC; }
static const char *damping_unit(const struct robot_joint *j) { return slides(j->kind) ? "N*s/m" : "N*m*s/rad"; }
static const char *stiffness_unit(const struct robot_joint *j) { return slides(j->kind) ? "N/m" : "N*m/rad"; }
static const char *friction_unit(const struct robot_joint *j) { return slides(j->kind) ? "N" : "N*m"; }
static const char *rotor_unit(const struct robot_joint *j) { return slides(j->kind) ? "kg" : "kg*m^2"; }

static void parameters(struct writer *w)
{
    struct robot *r = w->r;
    for (int i = 0; i < r->order.n; i++) {
        const struct robot_link *l = &r->link.at[r->order.at[i]];
        if (l->merged < 0)
            count(w, "mass", "kg", l->mass, arena_printf(w->a, "mass_%s", l->id));
    }
    for (int i = 0; i < r->joint.n; i++) {
        const struct robot_joint *j = &r->joint.at[i];
        count(w, "damping", damping_unit(j), j->damping, "damping");
        count(w, "friction", friction_unit(j), j->friction, "dry");
        count(w, "rotor", rotor_unit(j), j->armature, "rotor_inertia");
        count(w, "stiffness", stiffness_unit(j), j->stiffness, "stiffness");
        if (j->friction != 0 && robot_joint_coords(j->kind) == 1 && !w->slip[slides(j->kind)])
            w->slip[slides(j->kind)] = robot_new_name(r, slides(j->kind) ? "slip_speed" : "slip_rate", "");
    }
    if (r->parameter.n)
        fputs("\n# values that the source leaves open\n", w->f);
    for (int i = 0; i < r->parameter.n; i++)
        fprintf(w->f, "param %s = %s\n", r->parameter.at[i].id, number_text(r, r->parameter.at[i].value));
    bool any = w->slip[0] || w->slip[1];
    for (int i = 0; i < w->repeat.n; i++)
        any = any || w->repeat.at[i].name;
    if (!any)
        return;
    fputs("\n# what several parts share\n", w->f);
    for (int i = 0; i < w->repeat.n; i++) {
        const struct repeat *x = &w->repeat.at[i];
        if (x->name)
            fprintf(w->f, "param %s: %s = %s\n", x->name, x->unit, number_text(w->r, x->value));
    }
    if (w->slip[0])
        fprintf(w->f, "param %s: rad/s = 0.01    # dry friction is smoothed below this rate\n", w->slip[0]);
    if (w->slip[1])
        fprintf(w->f, "param %s: m/s = 0.001    # dry friction is smoothed below this speed\n", w->slip[1]);
}

/* --- bodies --------------------------------------------------------------------------------------------------------- */

static void inertia(struct writer *w, const struct robot_link *l)
{
    double J[6];
    moments_turn(&l->inertial, l->J, J);
    if (J[0] == 0 && J[1] == 0 && J[2] == 0 && J[3] == 0 && J[4] == 0 && J[5] == 0)
        return;
    if (J[3] == 0 && J[4] == 0 && J[5] == 0) {
        fprintf(w->f, "    inertia = %s\n", vector(w->r, 3, J));
        return;
    }
    const double row[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
    fprintf(w->f, "    inertia = [%s,\n               %s,\n               %s]\n", vector(w->r, 3, row[0]), vector(w->r, 3, row[1]), vector(w->r, 3, row[2]));
}

static void point_line(struct writer *w, const char *id, const struct pose *p, const char *remark)
{
    if (p->turns)
        fprintf(w->f, "    frame %s = %s", id, frame_text(w->r, p));
    else
        fprintf(w->f, "    point %s = %s", id, vector(w->r, 3, p->at));
    fprintf(w->f, "%s%s\n", *remark ? "  # " : "", remark);
}

/* Frames of a body, sorted by body beforehand: first[body] -> next[...]; links come before named frames. */
struct frames {
    int *first, *next;
};

static void frames_sort(struct writer *w, struct frames *s)
{
    const struct robot *r = w->r;
    int n = r->link.n + r->frame.n;
    s->first = mem_grow(NULL, (size_t)n + (size_t)r->link.n + 1, sizeof *s->first);
    s->next = s->first + r->link.n;
    for (int i = 0; i < r->link.n; i++)
        s->first[i] = -1;
    for (int i = n - 1; i >= 0; i--) {
        struct pose none = pose_identity();
        int body = i < r->link.n ? r->link.at[i].merged : robot_body_of(r, r->frame.at[i - r->link.n].link, &none);
        if (body < 0)
            continue;
        s->next[i] = s->first[body];
        s->first[body] = i;
    }
}

static void body(struct writer *w, int link, const struct frames *frames)
{
    struct robot *r = w->r;
    const struct robot_link *l = &r->link.at[link];
    bool heavy = l->mass != 0, turns = false;
    for (int i = 0; i < 6; i++)
        turns = turns || l->J[i] != 0;
    putc('\n', w->f);
    comments(w->f, "", &l->comment);
    if (!heavy && !turns && frames->first[link] < 0) {
        fprintf(w->f, "body %s\n", l->id);
        losses(w->f, "", &l->lost);
        return;
    }
    fprintf(w->f, "body %s {\n", l->id);
    if (heavy)
        fprintf(w->f, "    mass = %s\n", value_of(w, "mass", "kg", l->mass));
    if (heavy && (l->inertial.at[0] != 0 || l->inertial.at[1] != 0 || l->inertial.at[2] != 0))
        fprintf(w->f, "    com = %s\n", vector(w->r, 3, l->inertial.at));
    inertia(w, l);
    for (int i = frames->first[link]; i >= 0; i = frames->next[i]) {
        if (i < r->link.n) {
            const struct robot_link *m = &r->link.at[i];
            comments(w->f, "    ", &m->comment);
            comments(w->f, "    ", &r->joint.at[m->joint].comment);
            point_line(w, m->frame, &m->in_body, arena_printf(w->a, "held by %s", r->joint.at[m->joint].name));
            losses(w->f, "    ", &m->lost);
            losses(w->f, "    ", &r->joint.at[m->joint].lost);
        } else {
            struct robot_frame *x = &r->frame.at[i - r->link.n];
            struct pose p = x->pose;
            robot_body_of(r, x->link, &p);
            point_line(w, x->id, &p, "");
        }
    }
    losses(w->f, "    ", &l->lost);
    fputs("}\n", w->f);
}

/* --- joints and what acts on them ------------------------------------------------------------------------------------- */

static bool has_axis(enum robot_joint_kind kind)
{
    return kind == ROBOT_REVOLUTE || kind == ROBOT_PRISMATIC || kind == ROBOT_PLANAR || kind == ROBOT_SCREW || kind == ROBOT_CYLINDRICAL ||
           kind == ROBOT_UNIVERSAL;
}

static const char *body_id(const struct robot *r, int link)
{
    struct pose none = pose_identity();
    return r->link.at[robot_body_of(r, link, &none)].id;
}

/* Velocities between the two links of a joint that turns in every way, as damping and rotors need them. */
static const char *relative(struct writer *w, const struct robot_joint *j, const char *what)
{
    struct pose none = pose_identity();
    const char *child = body_id(w->r, j->child), *parent = body_id(w->r, j->parent);
    bool ground = w->r->link.at[robot_body_of(w->r, j->parent, &none)].joint < 0 && !w->r->floating;
    return ground ? arena_printf(w->a, "%s.%s", child, what) : arena_printf(w->a, "%s.%s - %s.%s", child, what, parent, what);
}

static void ball_elements(struct writer *w, const struct robot_joint *j)
{
    const char *spin = relative(w, j, "omega"), *child = body_id(w->r, j->child);
    bool free_joint = j->kind == ROBOT_FREE;
    const char *d = number_text(w->r, j->damping), *a = number_text(w->r, j->armature);
    if (j->damping != 0)
        fprintf(w->f, "dissipation %s [N*m*s/rad]*norm2(%s)/2\n", d, spin);
    if (j->damping != 0 && free_joint)
        fprintf(w->f, "dissipation %s [N*s/m]*norm2(%s.origin')/2\n", d, child);
    if (j->armature != 0)
        fprintf(w->f, "kinetic %s [kg*m^2]*norm2(%s)/2\n", a, spin);
    if (j->armature != 0 && free_joint)
        fprintf(w->f, "kinetic %s [kg]*norm2(%s.origin')/2\n", a, child);
}

static void joint_elements(struct writer *w, int number)
{
    struct robot *r = w->r;
    const struct robot_joint *j = &r->joint.at[number];
    int n = robot_joint_coords(j->kind);
    if (j->kind == ROBOT_SPHERICAL || j->kind == ROBOT_FREE) {
        ball_elements(w, j);
        return;
    }
    for (int i = 0; i < n; i++) {
        const char *on = n == 1 ? j->id : robot_coordinate(r, number, i), *tail = n == 1 ? "" : arena_printf(w->a, "_%d", i + 1);
        bool slide = slides(j->kind);
        if (j->armature != 0)
            fprintf(w->f, "rotor %s: on %s, %s = %s\n", robot_new_name(r, j->id, arena_printf(w->a, "rotor%s", tail)), on, slide ? "mass" : "inertia",
                    value_of(w, "rotor", rotor_unit(j), j->armature));
        if (j->stiffness != 0) {
            fprintf(w->f, "spring %s: on %s, stiffness = %s", robot_new_name(r, j->id, arena_printf(w->a, "spring%s", tail)), on,
                    value_of(w, "stiffness", stiffness_unit(j), j->stiffness));
            if (j->rest != 0)
                fprintf(w->f, ", %s = %s", slide ? "distance" : "angle", slide ? number_text(w->r, j->rest) : angle_text(w->r, j->rest));
            putc('\n', w->f);
        }
        if (j->damping != 0)
            fprintf(w->f, "damper %s: on %s, damping = %s\n", robot_new_name(r, j->id, arena_printf(w->a, "damper%s", tail)), on,
                    value_of(w, "damping", damping_unit(j), j->damping));
        if (j->friction != 0 && n == 1)
            fprintf(w->f, "friction %s: on %s, %s = %s, slip = %s\n", robot_new_name(r, j->id, "friction"), on, slide ? "force" : "moment",
                    value_of(w, "friction", friction_unit(j), j->friction), w->slip[slide]);
    }
}

static const char *reach(struct writer *w, const struct robot_joint *j, double x) { return slides(j->kind) ? number_text(w->r, x) : angle_text(w->r, x); }

static void limit(struct writer *w, const struct robot_joint *j)
{
    fprintf(w->f, "limit %s: on %s", robot_new_name(w->r, j->id, "limit"), j->id);
    if (!isinf(j->lower))
        fprintf(w->f, ", lower = %s", reach(w, j, j->lower));
    if (!isinf(j->upper))
        fprintf(w->f, ", upper = %s", reach(w, j, j->upper));
    putc('\n', w->f);
}

static void joint(struct writer *w, int number)
{
    struct robot *r = w->r;
    const struct robot_joint *j = &r->joint.at[number];
    comments(w->f, "", &j->comment);
    fprintf(w->f, "%sjoint %s: %s(%s, %s)", j->loop ? "cut " : "", j->id, robot_kind_name[j->kind], place(r, j->parent, &j->a),
            place(r, j->child, &j->b));
    if (has_axis(j->kind))
        fprintf(w->f, " axis %s", vector(w->r, 3, j->axis));
    if (j->kind == ROBOT_UNIVERSAL)
        fprintf(w->f, ", axis2 %s", vector(w->r, 3, j->axis2));
    if (j->kind == ROBOT_SCREW)
        fprintf(w->f, ", pitch = %s", number_text(w->r, j->pitch));
    putc('\n', w->f);
    losses(w->f, "", &j->lost);
    if (!j->loop)
        joint_elements(w, number);
    if (j->limited)
        limit(w, j);
    if (j->driven) {
        const char *at = robot_new_name(w->r, j->id, "start"), *rate = robot_new_name(w->r, j->id, "rate"), *m = slides(j->kind) ? "m" : "rad";
        fprintf(w->f, "# prescribed: put the motion in the place of this one\nparam %s: %s = 0, %s: %s/s = 0\n", at, m, rate, m);
        fprintf(w->f, "drive %s: on %s = %s + %s*t\n", robot_new_name(w->r, j->id, "drive"), j->id, at, rate);
    }
}

/* --- shapes ----------------------------------------------------------------------------------------------------------- */

/* What may stand in a string: ASCII without control characters and quotes; the rest becomes _. */
static const char *string_text(struct arena *arena, const char *text)
{
    char *s = arena_strndup(arena, text, strlen(text));
    for (char *c = s; *c; c++)
        if (*c < 0x20 || *c > 0x7e || *c == '"')
            *c = '_';
    return s;
}

/* , colour = "#rrggbb", opacity = a */
static const char *look(struct writer *w, const struct robot_shape *s)
{
    int byte[3];
    if (!s->coloured)
        return "";
    for (int i = 0; i < 3; i++)
        byte[i] = (int)rint(255 * fmin(1, fmax(0, s->rgba[i])));
    const char *colour = arena_printf(w->a, ", colour = \"#%02x%02x%02x\"", (unsigned)byte[0], (unsigned)byte[1], (unsigned)byte[2]);
    return s->rgba[3] <= 0 ? ", hidden = true" : s->rgba[3] >= 1 ? colour : arena_printf(w->a, "%s, opacity = %s", colour, number_text(w->r, s->rgba[3]));
}

static void shapes(struct writer *w, int link)
{
    struct robot *r = w->r;
    const struct robot_link *l = &r->link.at[link];
    for (int i = 0; i < l->shape.n; i++) {
        const struct robot_shape *s = &l->shape.at[i];
        const char *at = place(r, link, &s->pose), *name = robot_new_name(r, l->merged < 0 ? l->id : l->frame, "shape");
        fprintf(w->f, "draw %s: ", name);
        switch (s->kind) {
        case ROBOT_BOX: fprintf(w->f, "box(%s, %s)", at, vector(w->r, 3, s->size)); break;
        case ROBOT_ELLIPSOID: fprintf(w->f, "ellipsoid(%s, %s)", at, vector(w->r, 3, s->size)); break;
        case ROBOT_SPHERE: fprintf(w->f, "sphere(%s @ %s, %s)", robot_place(r, link), vector(w->r, 3, s->pose.at), number_text(w->r, s->size[0])); break;
        case ROBOT_CYLINDER:
        case ROBOT_CAPSULE:
            fprintf(w->f, "%s(%s, %s, %s)", s->kind == ROBOT_CAPSULE ? "capsule" : "cylinder", at, number_text(w->r, s->size[0]), number_text(w->r, s->size[1]));
            break;
        case ROBOT_MESH:
            fprintf(w->f, "mesh(%s, \"%s\"", at, string_text(w->a, s->file));
            if (s->size[0] != 1 || s->size[1] != 1 || s->size[2] != 1)
                fprintf(w->f, ", %s", vector(w->r, 3, s->size));
            putc(')', w->f);
            break;
        }
        fprintf(w->f, "%s\n", look(w, s));
    }
}

/* --- gears, laws, tendons, actuators ---------------------------------------------------------------------------------- */

/* A number in a power of the metre. */
static const char *with_metres(struct writer *w, double x, int power)
{
    const char *number = number_text(w->r, x);
    return power == 0 ? number : power == 1 ? arena_printf(w->a, "%s [m]", number) : power == -1 ? arena_printf(w->a, "%s [1/m]", number)
           : power > 0 ? arena_printf(w->a, "%s [m^%d]", number, power) : arena_printf(w->a, "%s [1/m^%d]", number, -power);
}

static void couplings(struct writer *w)
{
    struct robot *r = w->r;
    if (r->gear.n + r->law.n)
        putc('\n', w->f);
    for (int i = 0; i < r->gear.n; i++) {
        const struct robot_gear *g = &r->gear.at[i];
        fprintf(w->f, "gear %s: between %s and %s, ratio = %s", g->id, r->joint.at[g->other].id, r->joint.at[g->joint].id, number_text(w->r, g->ratio));
        if (g->offset != 0)
            fprintf(w->f, ", offset = %s", number_text(w->r, g->offset));
        putc('\n', w->f);
    }
    for (int i = 0; i < r->law.n; i++) {
        const struct robot_law *l = &r->law.at[i];
        const char *text = l->c[0] != 0 ? number_text(w->r, l->c[0]) : "";
        for (int k = 1; k < 5 && l->other >= 0; k++)
            if (l->c[k] != 0) {
                const char *q = robot_coordinate(r, l->other, 0), *minus = l->c[k] < 0 ? "-" : "", *sign = !*text ? minus : l->c[k] < 0 ? " - " : " + ";
                int metres = slides(r->joint.at[l->joint].kind) - k * slides(r->joint.at[l->other].kind);
                text = arena_printf(w->a, "%s%s%s*%s", text, sign, with_metres(w, fabs(l->c[k]), metres), k == 1 ? q : arena_printf(w->a, "%s^%d", q, k));
            }
        fprintf(w->f, "constraint %s: %s = %s\n", l->id, robot_coordinate(r, l->joint, 0), *text ? text : "0");
    }
}

/* The contact law has a stiffness that lets the robot stand a millimetre deep on one foot, rounded to one digit. */
static void contacts(struct writer *w)
{
    struct robot *r = w->r;
    double weight = 0, g = sqrt(r->gravity[0] * r->gravity[0] + r->gravity[1] * r->gravity[1] + r->gravity[2] * r->gravity[2]);
    if (!r->contact.n)
        return;
    for (int i = 0; i < r->link.n; i++)
        weight += (isnan(r->link.at[i].mass) ? 1 : r->link.at[i].mass) * (g > 0 ? g : 9.81);
    double stiffness = weight > 0 ? weight / 1e-3 : 1e4, power = pow(10, floor(log10(stiffness)));
    const char *c = robot_new_name(r, "contact_stiffness", ""), *d = robot_new_name(r, "contact_damping", ""), *slip = robot_new_name(r, "contact_slip", "");
    fprintf(w->f, "\n# contacts with planes: a force law, whose numbers are ours (the source has none, or those of another law)\n");
    fprintf(w->f, "param %s: N/m = %s\nparam %s: s/m = 1\n", c, number_text(r, rint(stiffness / power) * power), d);
    const char *mu = NULL;
    for (int i = 1; i < r->contact.n && r->contact.at[i].friction == r->contact.at[0].friction; i++)
        mu = i + 1 == r->contact.n && r->contact.at[0].friction > 0 ? robot_new_name(r, "contact_friction", "") : NULL;
    if (mu)
        fprintf(w->f, "param %s = %s\n", mu, number_text(r, r->contact.at[0].friction));
    fprintf(w->f, "param %s: m/s = 0.01    # friction is built up over this speed\n", slip);
    for (int i = 0; i < r->contact.n; i++) {
        const struct robot_contact *x = &r->contact.at[i];
        struct pose at = pose_at(x->at[0], x->at[1], x->at[2]), on = pose_at(x->point[0], x->point[1], x->point[2]);
        fprintf(w->f, "contact %s: between %s and %s, normal = %s, stiffness = %s, damping = %s", robot_new_name(r, robot_legal(r, x->name), "contact"), place(r, x->link, &at),
                place(r, x->plane, &on), vector(r, 3, x->normal), c, d);
        if (x->radius > 0)
            fprintf(w->f, ", radius = %s", number_text(r, x->radius));
        if (x->friction > 0)
            fprintf(w->f, ", friction = %s, slip = %s", mu ? mu : number_text(r, x->friction), slip);
        putc('\n', w->f);
    }
}

/* factor*coordinate + ... */
static const char *combination(struct writer *w, const struct robot_tendon *t)
{
    const char *text = "";
    int sliding = 0;
    for (int n = 0; n < t->terms; n++)
        sliding += slides(w->r->joint.at[t->term[n].joint].kind);
    for (int n = 0; n < t->terms; n++) {
        double c = t->term[n].factor;
        bool mixed = sliding && sliding < t->terms && slides(w->r->joint.at[t->term[n].joint].kind);    /* angles and lengths: a number */
        const char *q = robot_coordinate(w->r, t->term[n].joint, 0), *sign = n ? c < 0 ? " - " : " + " : c < 0 ? "-" : "";
        text = fabs(c) == 1 && !mixed ? arena_printf(w->a, "%s%s%s", text, sign, q)
                                      : arena_printf(w->a, "%s%s%s*%s", text, sign, with_metres(w, fabs(c), mixed ? -1 : 0), q);
    }
    return t->offset == 0 ? text : arena_printf(w->a, "%s %c %s", text, t->offset < 0 ? '-' : '+', number_text(w->r, fabs(t->offset)));
}

static const char *way(struct writer *w, const struct robot_tendon *t)
{
    const char *text = "", *last = NULL;
    for (int n = 0; n < t->sites; n++) {
        const struct robot_frame *f = &w->r->frame.at[t->frame[n]];
        const char *at = arena_printf(w->a, "%s.%s", body_id(w->r, f->link), f->id);
        if (last)
            text = arena_printf(w->a, "%s%snorm(%s - %s)", text, *text ? " + " : "", at, last);
        last = at;
    }
    return text;
}

static void tendons(struct writer *w)
{
    struct robot *r = w->r;
    for (int i = 0; i < r->tendon.n; i++) {
        const struct robot_tendon *t = &r->tendon.at[i];
        fprintf(w->f, "\nlet %s = %s\n", t->id, t->terms ? combination(w, t) : way(w, t));
        if (t->stiffness != 0) {
            const char *k = robot_new_name(r, t->id, "stiffness");
            fprintf(w->f, "param %s = %s\n", k, number_text(w->r, t->stiffness));
            if (t->low == t->high)
                fprintf(w->f, "potential %s*(%s - %s)^2/2\n", k, t->id, number_text(w->r, t->low));
            else
                fprintf(w->f, "potential %s*(max(%s - %s, 0)^2 + max(%s - %s, 0)^2)/2\n", k, t->id, number_text(w->r, t->high), number_text(w->r, t->low), t->id);
        }
        if (t->damping != 0) {
            const char *d = robot_new_name(r, t->id, "damping");
            fprintf(w->f, "param %s = %s\ndissipation %s*%s'^2/2\n", d, number_text(w->r, t->damping), d, t->id);
        }
        if (t->armature != 0) {
            const char *d = robot_new_name(r, t->id, "inertia");
            fprintf(w->f, "param %s = %s\nkinetic %s*%s'^2/2\n", d, number_text(w->r, t->armature), d, t->id);
        }
    }
}

/* Between two bounds, if there are any. */
static const char *bounded(struct writer *w, const char *text, const double range[2])
{
    return range[0] > range[1] ? text : arena_printf(w->a, "min(max(%s, %s), %s)", text, number_text(w->r, range[0]), number_text(w->r, range[1]));
}

/* A force and a moment on a frame, along its axes. */
static void thruster(struct writer *w, const struct robot_actuator *u, const char *act)
{
    struct robot *r = w->r;
    const struct robot_frame *x = &r->frame.at[u->frame];
    double f[3], m[3];
    struct pose p = x->pose;
    int body = robot_body_of(r, x->link, &p);
    bool limited = u->force[0] <= u->force[1];
    pose_rotate(&p, u->wrench, f);
    pose_rotate(&p, u->wrench + 3, m);
    for (int i = 0; i < 3 && !limited; i++)
        f[i] *= u->gain, m[i] *= u->gain;
    if (limited)
        act = bounded(w, u->gain == 1 ? act : arena_printf(w->a, "%s*%s", number_text(r, u->gain), act), u->force);
    if (f[0] != 0 || f[1] != 0 || f[2] != 0)
        fprintf(w->f, "force %s: on %s.%s = %s*%s, axes body\n", robot_new_name(r, u->id, "force"), r->link.at[body].id, x->id, act, vector(w->r, 3, f));
    if (m[0] != 0 || m[1] != 0 || m[2] != 0)
        fprintf(w->f, "torque %s: on %s = %s*%s, axes body\n", robot_new_name(r, u->id, "torque"), r->link.at[body].id, act, vector(w->r, 3, m));
}

static const char *activation(struct writer *w, const struct robot_actuator *u)
{
    fprintf(w->f, "\ninput %s = %s\n", u->id, number_text(w->r, u->start));
    const char *in = bounded(w, u->id, u->control);
    if (u->dynamics == ROBOT_DIRECT)
        return in;
    const char *act = robot_new_name(w->r, u->id, "activation");
    fprintf(w->f, "state %s = %s\n", act, number_text(w->r, u->activation));
    if (u->dynamics == ROBOT_INTEGRATOR)
        fprintf(w->f, "%s' = %s\n", act, in);
    else {
        const char *time = robot_new_name(w->r, u->id, "time");
        fprintf(w->f, "param %s: s = %s\n%s' = (%s - %s)/%s\n", time, number_text(w->r, u->time), act, in, act, time);
    }
    return act;
}

/* + c*q, or nothing */
static const char *plus(struct writer *w, const char *text, double c, const char *q)
{
    const char *sign = *text ? c < 0 ? " - " : " + " : c < 0 ? "-" : "";
    return c == 0 ? text : arena_printf(w->a, "%s%s%s*%s", text, sign, number_text(w->r, fabs(c)), q);
}

/* The force along a joint or a tendon by input, place and speed. */
static const char *servo(struct writer *w, const struct robot_actuator *u, const struct robot_joint *j, const char *q, const char *act)
{
    struct robot *r = w->r;
    const char *kp = NULL, *kv = NULL;
    double g = u->gear, k = g * u->gain, p = -g * g * u->bias[1], d = -g * g * u->bias[2], b = g * u->bias[0];
    if (p != 0)
        fprintf(w->f, "param %s%s%s = %s\n", kp = robot_new_name(r, u->id, "kp"), j ? ": " : "", j ? stiffness_unit(j) : "", number_text(r, p));
    if (d != 0)
        fprintf(w->f, "param %s%s%s = %s\n", kv = robot_new_name(r, u->id, "kv"), j ? ": " : "", j ? damping_unit(j) : "", number_text(r, d));
    const char *in = k == 1 ? act : arena_printf(w->a, "%s*%s", number_text(r, k), act);
    if (u->vary[0] != 0 || u->vary[1] != 0) {
        const char *gain = plus(w, plus(w, k == 0 ? "" : number_text(r, k), g * g * u->vary[0], q), g * g * u->vary[1], arena_printf(w->a, "%s'", q));
        in = arena_printf(w->a, "(%s)*%s", gain, act);
    }
    const char *text = kp && k == p ? arena_printf(w->a, "%s*(%s - %s)", kp, act, q) : kp ? arena_printf(w->a, "%s - %s*%s", in, kp, q) : in;
    if (kv && !kp && k == d)
        text = arena_printf(w->a, "%s*(%s - %s')", kv, act, q);
    else if (kv)
        text = arena_printf(w->a, "%s - %s*%s'", text, kv, q);
    if (b != 0)
        text = arena_printf(w->a, "%s %c %s", text, b < 0 ? '-' : '+', number_text(r, fabs(b)));
    double force[2] = {g * (g < 0 ? u->force[1] : u->force[0]), g * (g < 0 ? u->force[0] : u->force[1])};
    text = u->force[0] > u->force[1] ? text : bounded(w, text, force);
    return bounded(w, text, u->effect);
}

/* Along the straight parts of a tendon: what lengthens it pushes its ends apart. */
static void pull_apart(struct writer *w, const struct robot_actuator *u, const struct robot_tendon *t, const char *pull)
{
    struct robot *r = w->r;
    const char *last = NULL;
    for (int n = 0; n < t->sites; n++) {
        const struct robot_frame *f = &r->frame.at[t->frame[n]];
        const char *at = arena_printf(w->a, "%s.%s", body_id(r, f->link), f->id);
        for (int end = 0; end < 2 && last; end++)
            fprintf(w->f, "force %s: on %s = %s%s*(%s - %s)/norm(%s - %s)\n", robot_new_name(r, u->id, "pull"), end ? at : last, end ? "" : "-", pull, at, last, at, last);
        last = at;
    }
}

static void actuators(struct writer *w)
{
    struct robot *r = w->r;
    for (int i = 0; i < r->actuator.n; i++) {
        const struct robot_actuator *u = &r->actuator.at[i];
        const char *act = activation(w, u);
        if (u->frame >= 0) {
            thruster(w, u, act);
            continue;
        }
        const struct robot_joint *j = u->joint >= 0 ? &r->joint.at[u->joint] : NULL;
        const struct robot_tendon *t = u->tendon >= 0 ? &r->tendon.at[u->tendon] : NULL;
        const char *text = servo(w, u, j, j ? robot_coordinate(r, u->joint, 0) : t->id, act);
        if (j) {
            fprintf(w->f, "torque %s: on %s = %s\n", robot_new_name(r, u->id, slides(j->kind) ? "force" : "torque"), j->id, text);
            continue;
        }
        const char *pull = robot_new_name(r, u->id, "force");
        fprintf(w->f, "let %s = %s\n", pull, text);
        for (int n = 0; n < t->terms; n++)
            fprintf(w->f, "torque %s: on %s = %s*%s\n", robot_new_name(r, u->id, "torque"), r->joint.at[t->term[n].joint].id, number_text(w->r, t->term[n].factor), pull);
        pull_apart(w, u, t, pull);
    }
}

static void starts(struct writer *w)
{
    struct robot *r = w->r;
    bool loops = false, any = false;
    for (int i = 0; i < r->joint.n; i++)
        loops = loops || r->joint.at[i].loop;
    loops = loops || r->gear.n || r->law.n;
    for (int i = 0; i < r->joint.n; i++) {
        const struct robot_joint *j = &r->joint.at[i];
        for (int k = 0; k < robot_joint_coords(j->kind) && j->started && !j->loop; k++) {
            if (!any)
                putc('\n', w->f);
            any = true;
            fprintf(w->f, "init %s %c %s\n", robot_coordinate(r, i, k), loops ? '~' : '=', number_text(w->r, j->start[k]));
            if (j->speed[k] != 0)
                fprintf(w->f, "init %s' %c %s\n", robot_coordinate(r, i, k), loops ? '~' : '=', number_text(w->r, j->speed[k]));
        }
    }
}

static void outputs(struct writer *w)
{
    struct robot *r = w->r;
    fputs("\n# places and axes of all links\n", w->f);
    for (int i = 0; i < r->link.n; i++) {
        const char *k = robot_place(r, i);
        bool merged = r->link.at[i].merged >= 0;
        fprintf(w->f, "output place_%d = %s%s\n", i, k, merged ? "" : ".origin");
        fprintf(w->f, "output axes_%d = concat(%s.rotation[1], %s.rotation[2], %s.rotation[3])\n", i, k, k, k);
    }
}

static void title(struct writer *w)
{
    const struct robot *r = w->r;
    fprintf(w->f, "model %s \"", r->id);
    for (const char *s = r->name; *s; s++)
        if (*s != '"' && (unsigned char)*s >= 0x20 && (unsigned char)*s < 0x7f)
            putc(*s, w->f);
    fputs("\"\n", w->f);
    fprintf(w->f, "# imported from %s (%s)\n", r->file, r->format);
    comments(w->f, "", &r->comment);
    if (r->losses)
        fprintf(w->f, "# %d thing%s of the source %s not carried over: look for \"not carried over\"\n", r->losses, r->losses == 1 ? "" : "s",
                r->losses == 1 ? "is" : "are");
    losses(w->f, "", &r->lost);
    listed(w->f, w->a, "names with _ in the place of other characters:", &r->underscored);
    listed(w->f, w->a, "names that changed:", &r->renamed);
    listed(w->f, w->a, "angles that were taken for fractions of pi:", &r->snapped);
}

void robot_write(struct robot *r, FILE *f, bool poses)
{
    struct writer w = {.r = r, .a = r->arena, .f = f};
    struct frames frames;
    title(&w);
    fprintf(f, "spatial\ngravity %s\n", vector(r, 3, r->gravity));
    parameters(&w);
    frames_sort(&w, &frames);
    for (int i = 0; i < r->order.n; i++) {
        const struct robot_link *l = &r->link.at[r->order.at[i]];
        if (l->merged >= 0)
            continue;
        body(&w, r->order.at[i], &frames);
        if (l->joint >= 0)
            joint(&w, l->joint);
        else
            fprintf(f, "joint %s: %s(ground, %s)\n", r->base, r->floating ? "free" : "fixed", l->id);
        if (l->gravcomp != 0 && l->mass != 0) {
            double up[3] = {-l->gravcomp * l->mass * r->gravity[0], -l->gravcomp * l->mass * r->gravity[1], -l->gravcomp * l->mass * r->gravity[2]};
            fprintf(f, "force %s: on %s @ %s = %s\n", robot_new_name(r, l->id, "support"), l->id, vector(r, 3, l->inertial.at), vector(r, 3, up));
        }
        shapes(&w, r->order.at[i]);
        for (int k = frames.first[r->order.at[i]]; k >= 0; k = frames.next[k])
            if (k < r->link.n)
                shapes(&w, k);
    }
    bool any = false;
    for (int i = 0; i < r->joint.n; i++)
        if (r->joint.at[i].loop) {
            if (!any)
                fputs("\n# closed loops\n", f);
            any = true;
            joint(&w, i);
        }
    couplings(&w);
    contacts(&w);
    tendons(&w);
    actuators(&w);
    starts(&w);
    if (poses)
        outputs(&w);
    free(frames.first);
    free(w.repeat.at);
}
