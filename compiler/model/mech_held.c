/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Places that joints hold together in every position.  A force along the line between two such places has no direction.
 *
 * A joint maps a place on one of its bodies to the place on the other that stays with it: any place if it is fixed, one on the axis
 * if it turns about that, its own point if it turns otherwise, none if it slides.  From the first place on these maps are followed over all
 * joints, those that close loops too, whatever the coordinates of the model are.  All is done in numbers, with the default
 * parameters and with others beside them: what coincides for one set of values only is not held.
 */
#include "model/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 2 };      /* of parameters */
static const double ROUNDING = 1e-11;

/* A place on a body: the expressions `at`, which may move on a flexible body, and what is added to them, for each set of parameters. */
struct spot {
    int body;
    struct vec at;
    double off[SETS][3];
};

struct search {
    struct check *k;
    const double *params[SETS];
    struct { struct spot *at; int n, cap; } spot;     /* at most one on each body */
};

static double number(const struct search *s, int set, Expr e)
{
    double x;
    struct eval_env env = {.val = {[SYM_PARAM] = s->params[set]}};
    if (expr_deps(s->k->pool, e) & ~(unsigned)DEP(SYM_PARAM))
        return NAN;
    expr_eval(s->k->pool, &env, 1, &e, &x);
    return x;
}

/* What separates two places of a body, zero if it is rounding. */
static void apart(const struct search *s, const struct spot *a, const struct vec *b, int set, double d[3])
{
    for (int i = 0; i < 3; i++) {
        bool same = a->at.x[i] == b->x[i];
        double x = same ? 0 : number(s, set, a->at.x[i]), y = same ? 0 : number(s, set, b->x[i]), off = a->off[set][i];
        d[i] = x - y + off;
        if (fabs(d[i]) <= ROUNDING * (fabs(x) + fabs(y) + fabs(off)))
            d[i] = 0;
    }
}

static void turn(double angle, int axis, double x[3])
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double y = cos(angle) * x[i] - sin(angle) * x[j];
    x[j] = sin(angle) * x[i] + cos(angle) * x[j];
    x[i] = y;
}

static void matrix(const struct search *s, int set, const struct mat *B, bool back, double x[3])
{
    double y[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            y[i] += number(s, set, back ? B->m[j][i] : B->m[i][j]) * x[j];
    memcpy(x, y, sizeof y);
}

/* From the axes of an end to those of its body, or back. */
static void rotate(const struct search *s, int set, const struct rotation *r, bool back, double x[3])
{
    if (back && !r->plain)
        matrix(s, set, &r->B, true, x);
    if (r->axis >= 0)
        turn(back ? -number(s, set, r->angle) : number(s, set, r->angle), r->axis, x);
    if (!back && !r->plain)
        matrix(s, set, &r->B, false, x);
}

/* Does the joint keep a place that lies by d from its point, in its axes? */
static bool joint_keeps(const struct search *s, int set, const struct mech_joint *j, const double d[3])
{
    bool point = d[0] == 0 && d[1] == 0 && d[2] == 0;
    int turns = 0;
    double axis[3] = {0}, size = 0, off = 0;
    for (const struct joint_step *t = j->kind->step; t < j->kind->step + JOINT_STEPS && t->motion != STEP_NONE; t++)
        switch (t->motion) {
        case STEP_NONE:
            break;
        case STEP_SLIDE: case STEP_SCREW: case STEP_SHIFT:
            return false;
        case STEP_ORIENTATION: case STEP_ROTATION:
            return point;
        case STEP_TURN:
            if (turns++)
                return point;
            for (int i = 0; i < 3; i++)
                axis[i] = number(s, set, joint_step_axis(s->k->pool, j, t).x[i]);
        }
    for (int i = 0; i < 3 && turns; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        double x = axis[a] * d[b] - axis[b] * d[a];
        off += x * x;
        size += d[i] * d[i];
    }
    return off <= ROUNDING * ROUNDING * size;
}

/* The place on the other body of the joint that stays with this one. */
static bool joint_maps(const struct search *s, const struct mech_joint *j, const struct spot *from, struct spot *to)
{
    const struct mech_end *here = from->body == j->a.body ? &j->a : &j->b, *there = here == &j->a ? &j->b : &j->a;
    *to = (struct spot){.body = there->body, .at = there->at};
    for (int set = 0; set < SETS; set++) {
        double *d = to->off[set];
        apart(s, from, &here->at, set, d);
        bool point = d[0] == 0 && d[1] == 0 && d[2] == 0;
        if (!point)
            rotate(s, set, &here->frame, true, d);
        if (!joint_keeps(s, set, j, d))
            return false;
        if (!point)
            rotate(s, set, &there->frame, false, d);
    }
    return true;
}

static bool is_spot(const struct search *s, const struct spot *p, const struct mech_end *end)
{
    double d[3];
    for (int set = 0; set < SETS; set++) {
        apart(s, p, &end->at, set, d);
        if (!(d[0] == 0 && d[1] == 0 && d[2] == 0))
            return false;
    }
    return true;
}

static bool is_new(const struct search *s, int body)
{
    for (int i = 0; i < s->spot.n; i++)
        if (s->spot.at[i].body == body)
            return false;
    return true;
}

/* Other values beside the defaults; a parameter that is computed from others stays so. */
static const double *other_params(struct check *k)
{
    int n = k->m->param.n;
    double *p = ARENA_NEW(k->arena, double, n + 1), x = 0.5;
    struct eval_env env = {.val = {[SYM_PARAM] = p}};
    for (int i = 0; i < n; i++) {
        expr_eval(k->pool, &env, 1, &k->m->param.at[i].value, &p[i]);
        x += 0.6180339887498949;
        x -= x >= 1;
        if (!(expr_deps(k->pool, k->m->param.at[i].value) & DEP(SYM_PARAM)))
            p[i] += (p[i] == 0 ? 1 : p[i]) * 0.1 * (0.5 + x);
    }
    return p;
}

const struct mech_joint *mech_held(struct check *k, const struct mech_end *a, const struct mech_end *b)
{
    struct mechanism *m = k->mech;
    struct search s = {.k = k};
    const struct mech_joint *by = NULL;
    if (!m->others)
        m->others = other_params(k);
    s.params[0] = m->defaults;
    s.params[1] = m->others;
    VEC_PUSH(s.spot, ((struct spot){.body = a->body, .at = a->at}));
    for (int i = 0; i < s.spot.n && !by; i++) {
        const struct spot from = s.spot.at[i];
        for (int n = m->joints.first[from.body]; n < m->joints.first[from.body + 1] && !by; n++) {
            const struct mech_joint *j = &m->joint.at[m->joints.list[n]];
            struct spot to;
            if (!is_new(&s, j->a.body == from.body ? j->b.body : j->a.body) || !joint_maps(&s, j, &from, &to))
                continue;
            if (to.body == b->body && is_spot(&s, &to, b))
                by = j;
            VEC_PUSH(s.spot, to);
        }
    }
    free(s.spot.at);
    return by;
}
