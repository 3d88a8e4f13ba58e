/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tree of a compiled mechanism as a robot: each elementary joint leads to a link in working axes (model/tree.h), the body of the
 * model is a frame on it, unless its axes are the working ones.  Three slides and a ball without mass between them are a free joint.
 * Rotors and dampers on single coordinates are found in the energies: I v^2/2 and d v^2/2. */
#include "config.h"
#include "import/export.h"

#include "compile.h"
#include "expr/expr.h"
#include "model/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct from {
    struct robot *r;
    const struct compile *c;
    const struct tree *tree;
    int *link;                  /* of each tree body; -1: within a free joint */
    double *q, *v, *param;      /* coordinates and velocities for trials, parameters as the model gives them */
};

static double number(const struct from *s, Expr e)
{
    double out;
    struct eval_env env = {.val = {[SYM_V] = s->v, [SYM_PARAM] = s->param}};
    if (expr_deps(s->c->pool, e) & ~(DEP(SYM_V) | DEP(SYM_PARAM)))
        return NAN;
    expr_eval(s->c->pool, &env, 1, &e, &out);
    return out;
}

static double gap_at(const struct from *s, Expr gap)
{
    double out;
    struct eval_env env = {.val = {[SYM_Q] = s->q, [SYM_PARAM] = s->param}};
    expr_eval(s->c->pool, &env, 1, &gap, &out);
    return out;
}

/* Whether a gap is a coordinate less a number (slope 1), or the other way round (-1): which coordinate, and the number.  Tried at a place where
 * nothing vanishes by chance. */
static int single_coordinate(const struct from *s, Expr gap, double *slope, double *end)
{
    int n = s->c->model->coord.n, found = -1;
    if (expr_deps(s->c->pool, gap) & ~(DEP(SYM_Q) | DEP(SYM_PARAM)))
        return -1;
    for (int i = 0; i < n; i++)
        s->q[i] = 0.3 + 0.7 * sin(i + 1);
    double here = gap_at(s, gap);
    for (int i = 0; i < n; i++) {
        double was = s->q[i];
        s->q[i] = was + 1;
        double one = gap_at(s, gap) - here;
        s->q[i] = was + 3;
        double three = gap_at(s, gap) - here;
        s->q[i] = was;
        if (one == 0 && three == 0)
            continue;
        if (found >= 0 || !(fabs(fabs(one) - 1) < 1e-12) || !(fabs(three - 3 * one) < 1e-12))
            return -1;
        found = i;
        *slope = one > 0 ? 1 : -1;
    }
    if (found >= 0) {
        s->q[found] = 0;
        *end = -*slope * gap_at(s, gap);
    }
    return found;
}

/* Stops of joints.  What else is one-sided stays behind. */
static void find_limits(struct from *s)
{
    const struct model *m = s->c->model;
    struct robot *r = s->r;
    int lost = 0;
    for (int k = 0; k < m->contact.n; k++) {
        double slope, end;
        int at = m->contact.at[k].kind == CONTACT_GAP ? single_coordinate(s, m->touch.at[m->contact.at[k].first].value, &slope, &end) : -1;
        struct robot_joint *j = NULL;
        for (int i = 0; i < s->tree->n && at >= 0; i++)
            if (s->tree->at[i].coords == 1 && s->tree->at[i].coord[0] == at && s->link[i] >= 0)
                j = &r->joint.at[r->link.at[s->link[i]].joint];
        if (!j) {
            lost++;
            continue;
        }
        if (!j->limited)
            j->lower = -INFINITY, j->upper = INFINITY;
        j->limited = true;
        *(slope > 0 ? &j->lower : &j->upper) = end;
    }
    if (lost)
        robot_lose(r, &r->lost, 0, "%d one-sided constraints and frictions beside stops of joints", lost);
}

static struct pose placed(const struct from *s, const struct mat *place, const struct vec *at)
{
    struct pose p = pose_identity();
    double R[3][3];
    for (int i = 0; i < 3; i++) {
        p.at[i] = number(s, at->x[i]);
        for (int j = 0; j < 3; j++)
            R[i][j] = number(s, place->m[i][j]);
    }
    pose_matrix(&p, R);
    return p;
}

static void give_inertia(const struct from *s, const struct tree_inertia *in, struct robot_link *l)
{
    double E[6], h[3];
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; i++)
        E[i] = number(s, in->E.m[row[i]][col[i]]);
    l->mass = number(s, in->m);
    for (int i = 0; i < 3; i++)
        h[i] = number(s, in->h.x[i]);
    double trace = E[0] + E[1] + E[2];
    for (int i = 0; i < 6; i++)
        l->J[i] = i < 3 ? trace - E[i] : -E[i];
    if (l->mass > 0) {
        l->inertial = pose_at(h[0] / l->mass, h[1] / l->mass, h[2] / l->mass);
        moments_shift(l->J, -l->mass, l->inertial.at);
    }
    for (int i = 0; i < 6; i++)         /* what is left of a difference */
        l->J[i] = fabs(l->J[i]) < 1e-15 * fabs(trace) ? 0 : l->J[i];
}

static bool is_plain(const struct pose *p) { return pose_is_identity(p); }

/* Body i ends a free joint: three slides along x, y, z of one frame, and a ball. */
static bool ends_free(const struct from *s, int i)
{
    const struct tree *t = s->tree;
    if (t->at[i].kind != TREE_BALL)
        return false;
    for (int k = 2, b = t->at[i].parent; k >= 0; k--, b = t->at[b].parent) {
        if (b < 0 || t->at[b].kind != TREE_SLIDE || t->at[b].axis != k || number(s, t->at[b].own.m) != 0)
            return false;
        struct pose p = placed(s, &t->at[b].place, &t->at[b].at);
        if (k > 0 && !is_plain(&p))
            return false;
    }
    struct pose own = placed(s, &t->at[i].place, &t->at[i].at);
    return is_plain(&own);
}

static const char *coord_name(const struct from *s, int i)
{
    const char *name = s->c->model->coord.at[i].name, *dot = strrchr(name, '.');
    return dot ? arena_strndup(s->r->arena, name, (size_t)(dot - name)) : arena_printf(s->r->arena, "%s", name);
}

static void find_starts(const struct from *s, const struct tree_body *b, struct robot_joint *j, int at)
{
    for (int k = 0; k < b->coords; k++) {
        double x = number(s, s->c->model->coord.at[b->coord[k]].q0);
        j->start[at + k] = isfinite(x) ? x : 0;
    }
    j->started = true;
}

static bool add_link(struct from *s, int i, int from)
{
    struct robot *r = s->r;
    const struct tree_body *b = &s->tree->at[i];
    static const enum robot_joint_kind kinds[] = {[TREE_TURN] = ROBOT_REVOLUTE, [TREE_SLIDE] = ROBOT_PRISMATIC, [TREE_SCREW] = ROBOT_SCREW, [TREE_BALL] = ROBOT_SPHERICAL};
    bool ends = from >= 0;
    if (b->kind == TREE_FLEX)
        return robot_fail(r, r->file, 0, "the beam '%s' bends in a floating frame, which other formats do not have", b->name);
    if (b->kind == TREE_GENERAL || b->kind == TREE_SCREW)
        return robot_fail(r, r->file, 0, "the body '%s' hangs on a joint that other formats do not have", b->name);
    struct robot_link *l = robot_link_add(r, b->name, 0);
    give_inertia(s, &b->own, l);
    s->link[i] = r->link.n - 1;
    const struct tree_body *first = ends ? &s->tree->at[from] : b;
    struct robot_joint *j = robot_joint_add(r, coord_name(s, b->coord[0]), 0);
    j->kind = ends ? ROBOT_FREE : kinds[b->kind];
    j->parent = first->parent < 0 ? 0 : s->link[first->parent];
    j->child = s->link[i];
    j->a = placed(s, &first->place, &first->at);
    double sign = b->kind == TREE_BALL ? 1 : number(s, tree_map(b, 0, 0));
    for (int k = 0; k < 3; k++)
        j->axis[k] = k == b->axis ? sign : 0;
    find_starts(s, b, j, ends ? 3 : 0);
    if (ends) {
        for (int k = 0, at = from; k < 3; k++) {
            find_starts(s, &s->tree->at[at], j, k);
            for (int n = at + 1; n <= i; n++)
                if (s->tree->at[n].parent == at) {
                    at = n;
                    break;
                }
        }
    }
    if (isnan(sign) || (b->kind != TREE_BALL && fabs(sign) != 1))
        return robot_fail(r, r->file, 0, "the joint of '%s' depends on its coordinate in a way that other formats do not have", b->name);
    return true;
}

static bool is_norm(const char *name)
{
    size_t n = strlen(name);
    return n > 5 && !strcmp(name + n - 5, ".norm");
}

/* A quadratic form of single velocities: twice its value at 1 is the constant of each. */
static bool single_squares(struct from *s, Expr e, double *constant)
{
    int n = s->c->model->coord.n;
    double all = 0, sum = 0;
    if (expr_deps(s->c->pool, e) & ~(DEP(SYM_V) | DEP(SYM_PARAM)))
        return false;
    for (int i = 0; i < n; i++)
        s->v[i] = 1;
    all = number(s, e);
    for (int i = 0; i < n; i++)
        s->v[i] = 0;
    for (int i = 0; i < n; i++) {
        s->v[i] = 1;
        double one = number(s, e);
        s->v[i] = 2;
        double two = number(s, e);
        s->v[i] = 0;
        if (!isfinite(one) || fabs(two - 4 * one) > 1e-12 * fabs(two))
            return false;
        constant[i] = 2 * one;
        sum += one;
    }
    return fabs(sum - all) <= 1e-12 * fabs(all);
}

static void find_constants(struct from *s)
{
    const struct model *m = s->c->model;
    struct robot *r = s->r;
    double *k = mem_grow(NULL, (size_t)m->coord.n + 1, sizeof *k);
    int lost = 0;
    for (int pass = 0; pass < 2; pass++) {
        int n = pass ? m->dissipation.n : m->kinetic.n;
        for (int t = 0; t < n; t++) {
            const struct model_term *term = pass ? &m->dissipation.at[t] : &m->kinetic.at[t];
            if (term->origin != TERM_STATED)
                continue;
            if (!single_squares(s, term->value, k)) {
                lost++;
                continue;
            }
            for (int i = 0; i < s->tree->n; i++) {
                const struct tree_body *b = &s->tree->at[i];
                if (b->coords == 1 && s->link[i] >= 0) {
                    struct robot_joint *j = &r->joint.at[r->link.at[s->link[i]].joint];
                    *(pass ? &j->damping : &j->armature) += k[b->coord[0]];
                } else
                    for (int c = 0; c < b->coords; c++)
                        lost += k[b->coord[c]] != 0 && pass;
            }
        }
    }
    free(k);
    for (int i = 0; i < m->potential.n; i++)
        lost += m->potential.at[i].origin == TERM_STATED;
    lost += m->force.n;
    if (lost)
        robot_lose(r, &r->lost, 0, "%d forces and energies beside weight, rotors and dampers of joints", lost);
    if (m->state.n + m->input.n)
        robot_lose(r, &r->lost, 0, "%d states and inputs", m->state.n + m->input.n);
}

bool robot_of_model(struct robot *r, const struct compile *c)
{
    const struct tree *t = c->model->tree;
    struct from s = {.r = r, .c = c, .tree = t};
    bool good = true;
    if (!t)
        return robot_fail(r, r->file, 0, "this is no tree of rigid bodies in relative coordinates");
    if (t->loops)
        return robot_fail(r, r->file, 0, "%d joint%s a loop, and other formats know trees only", t->loops, t->loops == 1 ? " closes" : "s close");
    s.link = mem_grow(NULL, (size_t)t->n + 1, sizeof *s.link);
    s.v = mem_grow(NULL, 2 * ((size_t)c->model->coord.n + 1), sizeof *s.v);
    memset(s.v, 0, 2 * ((size_t)c->model->coord.n + 1) * sizeof *s.v);
    s.q = s.v + c->model->coord.n + 1;
    s.param = mem_grow(NULL, (size_t)c->model->param.n + 1, sizeof *s.param);
    for (int i = 0; i < c->model->param.n; i++)
        s.param[i] = number(&s, c->model->param.at[i].value);
    for (int k = 0; k < 3; k++)
        r->gravity[k] = number(&s, t->g.x[k]);
    robot_link_add(r, "world", 0);
    bool *within = arena_alloc(r->arena, (size_t)t->n + 1);
    int *from = arena_alloc(r->arena, ((size_t)t->n + 1) * sizeof *from);
    for (int i = 0; i < t->n; i++) {
        from[i] = -1;
        if (ends_free(&s, i)) {
            int b = i;
            for (int k = 0; k < 3; k++)
                within[b = t->at[b].parent] = true;
            from[i] = b;
        }
    }
    for (int i = 0; i < t->n && good; i++) {
        s.link[i] = -1;
        if (!within[i])
            good = add_link(&s, i, from[i]);
    }
    good = good && robot_tree(r);
    if (good)
        find_constants(&s);
    if (good)
        find_limits(&s);
    /* a link has the name of the first body in its axes; the other bodies on it are frames */
    const char **first = arena_alloc(r->arena, ((size_t)r->link.n + 1) * sizeof *first);
    bool *named = arena_alloc(r->arena, (size_t)r->link.n + 1);
    for (int i = 1; i < t->places && good; i++) {
        const struct tree_place *p = &t->place[i];
        int link = p->body < 0 ? 0 : s.link[p->body];
        struct pose there = placed(&s, &p->R, &p->o), pose = pose_inverse(&there);
        pose_tidy(&pose);
        if (link == 0 && is_plain(&pose))
            continue;
        if (link > 0 && !first[link])
            first[link] = p->name;
        if (link > 0 && is_plain(&pose) && !named[link]) {
            named[link] = true;
            r->link.at[link].name = p->name;
        } else {
            VEC_PUSH(r->frame, ((struct robot_frame){.name = p->name, .link = link < 0 ? 0 : link, .pose = pose}));
        }
    }
    for (int i = 1; i < r->link.n && good; i++)
        if (!named[i])
            r->link.at[i].name = arena_printf(r->arena, "%s_axes", first[i] ? first[i] : r->link.at[i].name);
    int rows = 0;
    for (int i = 0; i < c->model->constraint.n; i++) {
        rows += !is_norm(c->model->constraint.at[i].name);
    }
    if (good && rows)
        robot_lose(r, &r->lost, 0, "%d constraints", rows);
    free(s.link);
    free(s.v);
    free(s.param);
    return good;
}
