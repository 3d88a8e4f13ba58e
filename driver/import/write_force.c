/* SPDX-License-Identifier: GPL-3.0-or-later
 * A robot as the text of a model, what pulls: couplings of joints, contacts, tendons, actuators. */
#include "config.h"
#include "import/write.h"

#include <math.h>
#include <string.h>

const char *body_id(const struct robot *r, int link)
{
    struct pose none = pose_identity();
    return r->link.at[robot_body_of(r, link, &none)].id;
}

/* A number in a power of the metre. */
static const char *with_metres(struct writer *w, double x, int power)
{
    const char *number = number_text(w->r, x);
    return power == 0 ? number : power == 1 ? arena_printf(w->a, "%s [m]", number) : power == -1 ? arena_printf(w->a, "%s [1/m]", number)
           : power > 0 ? arena_printf(w->a, "%s [m^%d]", number, power) : arena_printf(w->a, "%s [1/m^%d]", number, -power);
}

void write_couplings(struct writer *w)
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
void write_contacts(struct writer *w)
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
        fprintf(w->f, "contact %s: between %s and %s, normal = %s, stiffness = %s, damping = %s", robot_new_name(r, robot_legal(r, x->name), "contact"), place_text(r, x->link, &at),
                place_text(r, x->plane, &on), vector_text(r, 3, x->normal), c, d);
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

void write_tendons(struct writer *w)
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
        fprintf(w->f, "force %s: on %s.%s = %s*%s, axes body\n", robot_new_name(r, u->id, "force"), r->link.at[body].id, x->id, act, vector_text(w->r, 3, f));
    if (m[0] != 0 || m[1] != 0 || m[2] != 0)
        fprintf(w->f, "torque %s: on %s = %s*%s, axes body\n", robot_new_name(r, u->id, "torque"), r->link.at[body].id, act, vector_text(w->r, 3, m));
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

void write_actuators(struct writer *w)
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
