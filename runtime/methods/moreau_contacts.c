/* SPDX-License-Identifier: MIT
 *
 * Which contacts may close in a step: one-sided constraints of the model, and bodies of a crowd that come near each other. */
#include "methods/moreau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SLOP = 5e-4;        /* part of its size by which a body of a crowd may overlap another at the start */
static const double BEYOND = 1e-8;      /* a bound that drives reach is passed by as much at most, m or rad or 1/s */
static const double LONG = 4;           /* a bounce that would last fewer steps is none */

/* ---- memory ---- */

static int by_key(const void *a, const void *b)
{
    long long x = ((const struct mbs_memory *)a)->key, y = ((const struct mbs_memory *)b)->key;

    return (x > y) - (x < y);
}

static const struct mbs_memory *recall(const struct mbs_moreau *e, long long key)
{
    const struct mbs_memory want = { .key = key };

    return e->memories ? bsearch(&want, e->memory, (size_t)e->memories, sizeof *e->memory, by_key) : NULL;
}

static int note(struct mbs_moreau *e, long long key)
{
    if (mbs_grow(&e->fresh, e->freshes + 1, &e->room_fresh, sizeof *e->fresh))
        return MBS_NO_MEMORY;
    e->fresh[e->freshes++] = (struct mbs_memory){ .key = key };
    return 0;
}

/* ---- demands ---- */

static int demand(struct mbs_moreau *e, struct mbs_demand what)
{
    if (mbs_grow(&e->demand, e->cone.contacts, &e->room_demand, sizeof *e->demand))
        return MBS_NO_MEMORY;
    e->demand[e->cone.contacts - 1] = what;
    return 0;
}

/* What a gap asks for.  gap: at the geometry of the span; u, u_free: its rate before and without impulses.
 *
 * The gap at the begin of the step is taken as that of the middle minus half a step of its rate there, so that the gap at the end,
 * gap + h u+, is right to second order; and where it is not positive no more is asked than that it does not close further: to push
 * overlapping bodies apart would raise them, and the energy. */
static struct mbs_demand of_gap(const struct mbs_span *span, double gap, double u, double u_free, double restitution)
{
    double begin = span->ahead ? gap - span->h / 2 * u : gap, pull = u - u_free;
    int bounces = restitution > 0 && -u > LONG * fmax(pull, 0) && -u > 1e-12;

    return (struct mbs_demand){
        .floor = span->ahead ? -fmax(begin, 0) / span->h : 0,
        .bounce = bounces ? -restitution * u : -HUGE_VAL,
        .meets = span->ahead ? begin + span->h * fmin(u, u_free) <= 0 : 1,
    };
}

/* ---- one-sided constraints of the model ---- */

static int far(const struct mbs_span *span, double gap, double u, double u_free)
{
    return span->ahead ? gap + 2 * span->h * (fmin(u, u_free) - fabs(u - u_free)) > 0 : gap > 0;
}

/* Do drives or other constraints take one-sided constraint i beyond its bound, where no impulse can hinder them?  Steps end a little beyond it even
 * where they turn back in time. */
static int overrun(struct mbs_stepper *s, const struct mbs_span *span, int i)
{
    const struct mbs_moreau *e = s->self;
    const struct mbs_contact *pair = &s->p->model->pair[i];
    double gap = e->out.dist[pair->first], u = e->rate[pair->first];

    if (pair->kind == MBS_CONTACT_GAP ? gap >= -2 * span->h * fabs(u) - BEYOND : u >= -BEYOND)
        return 0;
    return mbs_fail(s->msg, MBS_INCONSISTENT, span->t, -1, -1, MBS_OVERRUN, s->p->model->contact[i].name, span->t);
}

static int constraint_add(struct mbs_stepper *s, const struct mbs_span *span, int i)
{
    struct mbs_moreau *e = s->self;
    const struct mbs_contact *pair = &s->p->model->pair[i];
    int f = pair->first, normal = pair->kind != MBS_CONTACT_FRICTION, status;
    double gap = e->out.dist[f], u = e->rate[f], free = e->moved[f], bound = e->out.law[2 * i + 1] * (normal ? 1 : span->h);
    const struct mbs_memory *was = recall(e, -1 - i);

    if (pair->kind == MBS_CONTACT_GAP && !(e->wider[i] > 0) && far(span, gap, u, free))
        return 0;
    if (normal && (status = mbs_moreau_locked(s, f)))
        return status > 0 ? overrun(s, span, i) : status;
    if ((status = mbs_cone_contact(&e->cone, normal, pair->rows - normal, bound, i)) || (status = note(e, -1 - i)))
        return status;
    status = demand(e, pair->kind == MBS_CONTACT_GAP ? of_gap(span, gap, u, free, e->out.law[2 * i]) : (struct mbs_demand){ 0, -HUGE_VAL, 1 });
    for (int r = 0; r < pair->rows && status == 0; r++)
        status = mbs_moreau_row(s, was ? was->P[r] : 0, 1, &(struct mbs_part){ f + r, 1 });
    return status;
}

/* ---- bodies of a crowd ---- */

/* The velocity along d of a body at a place, by the rows of its pose. */
static int pose_parts(const struct mbs_moreau *e, const struct mbs_model *o, int body, const double *at, const double *d, double sign, struct mbs_part *part)
{
    int f = o->pair[body].first, n = 0;
    const double *x = e->out.dist + f;
    double r[3] = { at[0] - x[0], at[1] - x[1], e->crowd.space == 3 ? at[2] - x[2] : 0 };

    for (int i = 0; i < e->crowd.space; i++)
        part[n++] = (struct mbs_part){ f + i, sign * d[i] };
    if (e->crowd.space == 2) {
        part[n++] = (struct mbs_part){ f + 2, sign * (r[0] * d[1] - r[1] * d[0]) };
        return n;
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        part[n++] = (struct mbs_part){ f + 3 + i, sign * (r[j] * d[k] - r[k] * d[j]) };
    }
    return n;
}

/* The normal, and one direction across it in a plane, two in space. */
static void directions(int space, const double n[3], double d[3][3])
{
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    double size = 0;

    memcpy(d[0], n, sizeof d[0]);
    if (space == 2) {
        memcpy(d[1], (double[]){ -n[1], n[0], 0 }, sizeof d[1]);
        return;
    }
    least = fabs(n[2]) < fabs(n[least]) ? 2 : least;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        d[1][i] = n[j] * (k == least) - n[k] * (j == least);
        size += d[1][i] * d[1][i];
    }
    for (int i = 0; i < 3; i++)
        d[1][i] /= sqrt(size);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        d[2][i] = n[j] * d[1][k] - n[k] * d[1][j];
    }
}

static double size3(int space, const double *x)
{
    return space == 2 ? hypot(x[0], x[1]) : sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* The largest velocity of a point of it. */
static double speed_of(const struct mbs_moreau *e, const struct mbs_model *o, int body, const double *rows)
{
    const struct mbs_contact *pair = &o->pair[body];
    const double *u = rows + pair->first, *end = e->out.dist + pair->first + pair->rows;
    double far = pair->solid == MBS_SOLID_BOX ? hypot(end[-1], end[-2]) : pair->solid == MBS_SOLID_CAPSULE ? end[-1] + end[-2] : end[-1];

    if (pair->solid == MBS_SOLID_PLANE)
        return size3(e->crowd.space, u);
    return size3(e->crowd.space, u) + far * (e->crowd.space == 2 ? fabs(u[2]) : size3(3, u + 3));
}

static int meeting_add(struct mbs_stepper *s, const struct mbs_span *span, const struct mbs_meeting *m)
{
    struct mbs_moreau *e = s->self;
    const struct mbs_model *o = s->p->model;
    const double *law = e->out.law + 2 * (o->pair[m->b].solid == MBS_SOLID_PLANE ? m->b : m->a);
    int tangents = law[1] > 0 ? e->crowd.space - 1 : 0, status;
    long long key = ((long long)(m->a + 1) * (o->ncontact + 1) + m->b + 1) * 128 + m->feature;
    const struct mbs_memory *was = recall(e, key);
    double d[3][3];

    directions(e->crowd.space, m->n, d);
    if ((status = mbs_cone_contact(&e->cone, 1, tangents, law[1], (int)(e->crowd.at - m) - 1)) || (status = note(e, key)))
        return status;
    memcpy(e->fresh[e->freshes - 1].P, m->n, sizeof m->n);      /* kept until the impulses are known */
    for (int r = 0; r < 1 + tangents && status == 0; r++) {
        struct mbs_part part[12];
        double P = 0;
        int n = pose_parts(e, o, m->a, m->at, d[r], 1, part);
        n += pose_parts(e, o, m->b, m->at, d[r], -1, part + n);
        if (r == 0)
            status = demand(e, of_gap(span, m->gap, mbs_moreau_along(e->rate, n, part), mbs_moreau_along(e->moved, n, part), law[0]));
        for (int k = 0; was && k < 3; k++)
            P += was->P[k] * d[r][k];
        if (status == 0)
            status = mbs_moreau_row(s, P, n, part);
    }
    return status;
}

static int crowd_add(struct mbs_stepper *s, const struct mbs_span *span)
{
    struct mbs_moreau *e = s->self;
    const struct mbs_model *o = s->p->model;
    int status;

    if (e->crowd.bodies == 0)
        return 0;
    for (int i = 0; i < o->ncontact; i++)
        if (o->pair[i].kind == MBS_CONTACT_BODY)
            e->crowd.reach[i] = span->ahead ? fmax(span->h * (speed_of(e, o, i, e->rate) + speed_of(e, o, i, e->moved)), e->wider[i]) : 0;
    for (int r = 0; r < o->ntouch; r++)
        e->begin[r] = e->out.dist[r] - (span->ahead ? span->h / 2 * e->rate[r] : 0);
    status = mbs_crowd_meet(&e->crowd, o, e->out.dist, e->begin, e->out.law);
    for (int i = 0; i < e->crowd.n && status == 0; i++)
        status = meeting_add(s, span, &e->crowd.at[i]);
    return status;
}

/* ---- all ---- */

int mbs_moreau_contacts(struct mbs_stepper *s, const struct mbs_span *span)
{
    struct mbs_moreau *e = s->self;
    struct mbs_problem *p = s->p;
    const struct mbs_model *o = p->model;
    struct mbs_state x = { .t = span->t, .q = span->q, .v = span->before, .z = span->z, .u = p->u };
    int status;

    e->freshes = 0;
    if ((status = mbs_cone_begin(&e->cone, p->n)))
        return status;
    memset(e->cone.dv, 0, (size_t)p->n * sizeof *e->cone.dv);
    if (o->ncontact == 0)
        return 0;
    mbs_moreau_rows_begin(e, o);
    mbs_inputs_at(p, span->t);
    o->contacts(p->c, &x, &e->out, p->w);
    memcpy(e->rate, e->out.wt, (size_t)o->ntouch * sizeof *e->rate);
    memcpy(e->moved, e->out.wt, (size_t)o->ntouch * sizeof *e->rate);
    mbs_csc_mul(&o->W, e->out.W, 1, span->before, e->rate);
    mbs_csc_mul(&o->W, e->out.W, 1, span->moving, e->moved);
    for (int i = 0; i < o->ncontact && status == 0; i++)
        if (o->pair[i].kind != MBS_CONTACT_BODY)
            status = constraint_add(s, span, i);
    return status ? status : crowd_add(s, span);
}

/* Which of the problem's contacts is this constraint?  They stand in its order; *from: where to go on. */
static int stands(const struct mbs_moreau *e, int i, int *from)
{
    while (*from < e->cone.contacts && e->cone.at[*from].name >= 0 && e->cone.at[*from].name < i)
        ++*from;
    return *from < e->cone.contacts && e->cone.at[*from].name == i;
}

int mbs_moreau_missed(struct mbs_stepper *s, const struct mbs_span *span)
{
    struct mbs_moreau *e = s->self;
    const struct mbs_model *o = s->p->model;
    int missed = 0, from = 0;

    if (!span->ahead)
        return 0;
    mbs_csc_mul(&o->W, e->out.W, 1, e->cone.dv, e->moved);      /* now the rates after the step */
    for (int i = 0; i < o->ncontact; i++) {
        int f = o->pair[i].first;
        double way = 0;
        if (o->pair[i].kind == MBS_CONTACT_BODY) {
            way = span->h * (speed_of(e, o, i, e->moved) + speed_of(e, o, i, e->rate) / 2);
            way = way > e->crowd.reach[i] * (1 + 1e-9) ? way : 0;
        } else if (o->pair[i].kind == MBS_CONTACT_GAP && !stands(e, i, &from)) {
            way = e->out.dist[f] + span->h * (e->moved[f] - e->rate[f] / 2) < 0;
        }
        missed |= way > e->wider[i];
        e->wider[i] = fmax(e->wider[i], way);
    }
    return missed;
}

void mbs_moreau_forget(struct mbs_stepper *s)
{
    struct mbs_moreau *e = s->self;

    memset(e->wider, 0, (size_t)s->p->model->ncontact * sizeof *e->wider);
}

int mbs_moreau_apart(struct mbs_stepper *s)
{
    struct mbs_moreau *e = s->self;
    const struct mbs_model *o = s->p->model;
    struct mbs_state x = mbs_point_state(&s->x, s->p);
    int status;

    o->contacts(s->p->c, &x, &e->out, s->p->w);
    for (int i = 0; i < o->ncontact; i++)
        if (o->pair[i].kind == MBS_CONTACT_GAP && e->out.dist[o->pair[i].first] < -BEYOND)
            return mbs_fail(s->msg, MBS_INCONSISTENT, s->x.t, -1, -1, "at the start the one-sided constraint %s is violated by %.3g", o->contact[i].name,
                            -e->out.dist[o->pair[i].first]);
    memset(e->crowd.reach, 0, (size_t)o->ncontact * sizeof *e->crowd.reach);
    if ((status = mbs_crowd_meet(&e->crowd, o, e->out.dist, e->out.dist, e->out.law)))
        return mbs_fail(s->msg, status, s->x.t, -1, -1, "out of memory for contacts at t = %.9g", s->x.t);
    for (int i = 0; i < e->crowd.n; i++) {
        const struct mbs_meeting *m = &e->crowd.at[i];
        if (m->gap < -SLOP * fmin(mbs_crowd_size(o, m->a, e->out.dist), mbs_crowd_size(o, m->b, e->out.dist)))
            return mbs_fail(s->msg, MBS_INCONSISTENT, s->x.t, -1, -1, "at the start %s and %s overlap by %.3g", o->contact[m->a].name,
                            o->contact[m->b].name, -m->gap);
    }
    return 0;
}

void mbs_moreau_remember(struct mbs_moreau *e)
{
    for (int i = 0; i < e->cone.contacts; i++) {
        const struct mbs_cone_contact *k = &e->cone.at[i];
        struct mbs_memory *m = &e->fresh[i];
        const double *P = e->cone.P + k->first;
        double d[3][3];
        if (m->key < 0) {
            memcpy(m->P, P, (size_t)(k->normal + k->tangents) * sizeof *P);
            continue;
        }
        directions(e->crowd.space, m->P, d);    /* of a meeting: as a vector in space */
        for (int c = 0; c < 3; c++)
            m->P[c] = P[0] * d[0][c] + (k->tangents > 0 ? P[1] * d[1][c] : 0) + (k->tangents > 1 ? P[2] * d[2][c] : 0);
    }
    if (e->freshes > 1)
        qsort(e->fresh, (size_t)e->freshes, sizeof *e->fresh, by_key);
    struct mbs_memory *swap = e->memory;
    int room = e->room_memory;
    e->memory = e->fresh;
    e->memories = e->freshes;
    e->room_memory = e->room_fresh;
    e->fresh = swap;
    e->room_fresh = room;
}
