/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A robot as the text of a model: what a person would write.  Body by body, each with the joint that leads to it and what acts
 * there; comments of the source and what was not carried over stand where they belong. */
#include "config.h"
#include "import/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        fprintf(w->f, "    inertia = %s\n", vector_text(w->r, 3, J));
        return;
    }
    const double row[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
    fprintf(w->f, "    inertia = [%s,\n               %s,\n               %s]\n", vector_text(w->r, 3, row[0]), vector_text(w->r, 3, row[1]), vector_text(w->r, 3, row[2]));
}

static void point_line(struct writer *w, const char *id, const struct pose *p, const char *remark)
{
    if (p->turns)
        fprintf(w->f, "    frame %s = %s", id, frame_text(w->r, p));
    else
        fprintf(w->f, "    point %s = %s", id, vector_text(w->r, 3, p->at));
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
        fprintf(w->f, "    com = %s\n", vector_text(w->r, 3, l->inertial.at));
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
    fprintf(w->f, "%sjoint %s: %s(%s, %s)", j->loop ? "cut " : "", j->id, robot_kind_name[j->kind], place_text(r, j->parent, &j->a),
            place_text(r, j->child, &j->b));
    if (has_axis(j->kind))
        fprintf(w->f, " axis %s", vector_text(w->r, 3, j->axis));
    if (j->kind == ROBOT_UNIVERSAL)
        fprintf(w->f, ", axis2 %s", vector_text(w->r, 3, j->axis2));
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
        const char *at = place_text(r, link, &s->pose), *name = robot_new_name(r, l->merged < 0 ? l->id : l->frame, "shape");
        fprintf(w->f, "draw %s: ", name);
        switch (s->kind) {
        case ROBOT_BOX: fprintf(w->f, "box(%s, %s)", at, vector_text(w->r, 3, s->size)); break;
        case ROBOT_ELLIPSOID: fprintf(w->f, "ellipsoid(%s, %s)", at, vector_text(w->r, 3, s->size)); break;
        case ROBOT_SPHERE: fprintf(w->f, "sphere(%s @ %s, %s)", robot_place(r, link), vector_text(w->r, 3, s->pose.at), number_text(w->r, s->size[0])); break;
        case ROBOT_CYLINDER:
        case ROBOT_CAPSULE:
            fprintf(w->f, "%s(%s, %s, %s)", s->kind == ROBOT_CAPSULE ? "capsule" : "cylinder", at, number_text(w->r, s->size[0]), number_text(w->r, s->size[1]));
            break;
        case ROBOT_MESH:
            fprintf(w->f, "mesh(%s, \"%s\"", at, string_text(w->a, s->file));
            if (s->size[0] != 1 || s->size[1] != 1 || s->size[2] != 1)
                fprintf(w->f, ", %s", vector_text(w->r, 3, s->size));
            putc(')', w->f);
            break;
        }
        fprintf(w->f, "%s\n", look(w, s));
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
    fprintf(f, "spatial\ngravity %s\n", vector_text(r, 3, r->gravity));
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
            fprintf(f, "force %s: on %s @ %s = %s\n", robot_new_name(r, l->id, "support"), l->id, vector_text(r, 3, l->inertial.at), vector_text(r, 3, up));
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
    write_couplings(&w);
    write_contacts(&w);
    write_tendons(&w);
    write_actuators(&w);
    starts(&w);
    if (poses)
        outputs(&w);
    free(frames.first);
    free(w.repeat.at);
}
