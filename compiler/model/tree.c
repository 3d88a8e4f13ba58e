/* SPDX-License-Identifier: GPL-3.0-or-later
 * Inertias in moved axes, and which of their numbers a joint does not feel. */
#include "model/tree.h"

struct tree_inertia inertia_zero(struct pool *p)
{
    struct tree_inertia i = {p->zero, vec_zero(p), {{{0}}}};
    for (int k = 0; k < 9; k++)
        i.E.m[k / 3][k % 3] = p->zero;
    return i;
}

struct tree_inertia inertia_add(struct pool *p, const struct tree_inertia *a, const struct tree_inertia *b)
{
    struct tree_inertia sum = {expr_add(p, a->m, b->m), vec_add(p, a->h, b->h), a->E};
    for (int k = 0; k < 9; k++)
        sum.E.m[k / 3][k % 3] = expr_add(p, a->E.m[k / 3][k % 3], b->E.m[k / 3][k % 3]);
    return sum;
}

struct tree_inertia inertia_shift(struct pool *p, const struct tree_inertia *a, struct vec d)
{
    struct tree_inertia r = {a->m, vec_add(p, a->h, vec_scale(p, a->m, d)), a->E};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.E.m[i][j] = expr_sum(p, 3, (Expr[]){a->E.m[i][j], expr_mul(p, a->h.x[i], d.x[j]), expr_mul(p, d.x[i], r.h.x[j])});
    for (int i = 0; i < 3; i++)     /* symmetric to the last bit */
        for (int j = 0; j < i; j++)
            r.E.m[i][j] = r.E.m[j][i];
    return r;
}

struct tree_inertia inertia_turn(struct pool *p, const struct mat *R, const struct tree_inertia *a)
{
    struct mat t, RE = mat_mul(p, R, &a->E);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t.m[i][j] = R->m[j][i];
    struct tree_inertia r = {a->m, mat_apply(p, R, a->h), mat_mul(p, &RE, &t)};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            r.E.m[i][j] = r.E.m[j][i];
    return r;
}

bool inertia_is_zero(const struct pool *p, const struct tree_inertia *a)
{
    bool zero = a->m == p->zero;
    for (int k = 0; k < 3; k++)
        zero = zero && a->h.x[k] == p->zero;
    for (int k = 0; k < 9; k++)
        zero = zero && a->E.m[k / 3][k % 3] == p->zero;
    return zero;
}

/* --- every expression, once --------------------------------------------------------------------------------------- */

struct visit {
    void (*f)(void *user, Expr *);
    void *user;
};

static void visit_vec(const struct visit *x, struct vec *v)
{
    for (int k = 0; k < 3; k++)
        x->f(x->user, &v->x[k]);
}

static void visit_mat(const struct visit *x, struct mat *m)
{
    for (int k = 0; k < 9; k++)
        x->f(x->user, &m->m[k / 3][k % 3]);
}

static void visit_inertia(const struct visit *x, struct tree_inertia *i)
{
    x->f(x->user, &i->m);
    visit_vec(x, &i->h);
    visit_mat(x, &i->E);
}

static void visit_flex(const struct visit *x, struct tree_flex *f, int n)
{
    for (int j = 0; j < n; j++) {
        visit_vec(x, &f->h[j]);
        visit_vec(x, &f->k[j]);
        visit_mat(x, &f->E[j]);
    }
    for (int j = 0; j < n * n; j++) {
        visit_vec(x, &f->hh[j]);
        visit_vec(x, &f->kk[j]);
        visit_mat(x, &f->EE[j]);
        x->f(x->user, &f->mass[j]);
    }
    visit_vec(x, &f->h0);
    visit_vec(x, &f->bent_h);
    visit_mat(x, &f->bent_E);
}

static void visit_body(const struct visit *x, struct tree_body *b)
{
    x->f(x->user, &b->angle);
    x->f(x->user, &b->pitch);
    x->f(x->user, &b->scale);
    visit_mat(x, &b->place);
    visit_vec(x, &b->at);
    visit_mat(x, &b->R);
    visit_vec(x, &b->s);
    for (int c = 0; c < b->columns; c++) {
        visit_vec(x, &b->column[c].w);
        visit_vec(x, &b->column[c].u);
        x->f(x->user, &b->column[c].rate);
        x->f(x->user, &b->column[c].drift);
        for (int i = 0; i < b->coords; i++)
            x->f(x->user, &b->map[c * b->coords + i]);
        if (b->shift)
            visit_vec(x, &b->shift[c]);
    }
    for (int k = 0; k < b->turns; k++) {
        x->f(x->user, &b->turn[k].angle);
        visit_vec(x, &b->turn[k].at);
    }
    if (b->flex)
        visit_flex(x, b->flex, b->columns);
    visit_vec(x, &b->bias_w);
    visit_vec(x, &b->bias_u);
    visit_inertia(x, &b->own);
    visit_inertia(x, &b->inertia);
}

void tree_each(struct tree *t, void (*f)(void *user, Expr *), void *user)
{
    const struct visit x = {f, user};
    for (int i = 0; i < t->n; i++)
        visit_body(&x, &t->at[i]);
    for (int i = 0; i < t->places; i++) {
        visit_mat(&x, &t->place[i].R);
        visit_vec(&x, &t->place[i].o);
    }
    visit_vec(&x, &t->g);
    f(user, &t->potential0);
    f(user, &t->potential_fixed);
}

static void body_copy(struct arena *a, struct tree_body *b)
{
    size_t n = (size_t)b->columns, pairs = n * n;
#define COPY(list, count) list = arena_copy(a, list, (count) * sizeof *(list))
    COPY(b->coord, (size_t)b->coords);
    COPY(b->column, n);
    COPY(b->map, n * (size_t)b->coords);
    COPY(b->turn, (size_t)b->turns);
    if (!b->flex)
        return;
    COPY(b->shift, n);
    COPY(b->flex, 1);
    COPY(b->flex->h, n);
    COPY(b->flex->k, n);
    COPY(b->flex->E, n);
    COPY(b->flex->hh, pairs);
    COPY(b->flex->kk, pairs);
    COPY(b->flex->EE, pairs);
    COPY(b->flex->mass, pairs);
#undef COPY
}

struct tree *tree_copy(struct arena *a, const struct tree *from)
{
    struct tree *t = arena_copy(a, from, sizeof *from);
    t->at = arena_copy(a, from->at, (size_t)from->n * sizeof *from->at);
    t->place = arena_copy(a, from->place, (size_t)from->places * sizeof *from->place);
    for (int i = 0; i < t->n; i++)
        body_copy(a, &t->at[i]);
    return t;
}

bool tree_has_massless(const struct pool *p, const struct tree *t)
{
    for (int i = 0; i < t->places; i++)
        if (t->place[i].body >= 0 && inertia_is_zero(p, &t->at[t->place[i].body].own))
            return true;
    return false;
}
