/* SPDX-License-Identifier: MIT
 *
 * Pairs of bodies that come near each other, by sweeping along x, and where they touch. */
#include "methods/crowd.h"
#include "mbs/mbs.h"
#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mbs_crowd_solid {
    int contact, kind;
    double x[3];
    double c, s;                /* of the angle, in a plane */
    const double *size;         /* rows behind the pose */
    double r;                   /* of a ball or capsule */
    const struct mbs_crowd_solid *begin;        /* of a box: where the step begins */
};

void mbs_crowd_layout(struct mbs_crowd *c, const struct mbs_model *o, struct mbs_work *w)
{
    int bodies = 0, planes = 0;

    for (int i = 0; i < o->ncontact; i++)
        if (o->pair[i].kind == MBS_CONTACT_BODY)
            *(o->pair[i].solid == MBS_SOLID_PLANE ? &planes : &bodies) += 1;
    c->body = mbs_work_ints(w, (size_t)bodies + 1);
    c->plane = mbs_work_ints(w, (size_t)planes + 1);
    c->reach = mbs_work_doubles(w, (size_t)o->ncontact + 1);
    c->solid = mbs_work_bytes(w, ((size_t)o->ncontact + 1) * sizeof *c->solid);
    c->began = mbs_work_bytes(w, ((size_t)o->ncontact + 1) * sizeof *c->began);
    c->low = mbs_work_doubles(w, (size_t)o->ncontact + 1);
    c->high = mbs_work_doubles(w, (size_t)o->ncontact + 1);
    c->bodies = c->planes = 0;
    c->space = 2;
    for (int i = 0; c->body && i < o->ncontact; i++)
        if (o->pair[i].kind == MBS_CONTACT_BODY) {
            int plane = o->pair[i].solid == MBS_SOLID_PLANE, least = o->pair[i].solid == MBS_SOLID_BALL ? 4 : 5;
            c->space = o->pair[i].rows > least ? 3 : 2;
            if (plane)
                c->plane[c->planes++] = i;
            else
                c->body[c->bodies++] = i;
        }
}

void mbs_crowd_free(struct mbs_crowd *c)
{
    free(c->at);
    c->at = NULL;
    c->n = c->room = 0;
}

static void meet(struct mbs_crowd *c, int a, int b, int feature, double gap, const double *n, const double *at)
{
    if (c->n == c->room) {
        int room = c->room ? 2 * c->room : 64;
        struct mbs_meeting *more = realloc(c->at, (size_t)room * sizeof *more);
        if (!more) {
            c->full = 1;
            return;
        }
        c->at = more;
        c->room = room;
    }
    c->at[c->n++] = (struct mbs_meeting){ a, b, feature, gap, { n[0], n[1], n[2] }, { at[0], at[1], at[2] } };
}

/* ---- solids ---- */

static struct mbs_crowd_solid solid_of(const struct mbs_crowd *c, const struct mbs_model *o, int i, const double *dist)
{
    const double *d = dist + o->pair[i].first;
    struct mbs_crowd_solid s = { .contact = i, .kind = o->pair[i].solid, .x = { d[0], d[1], c->space == 3 ? d[2] : 0 } };

    s.size = d + (c->space == 3 ? 6 : 3);
    s.r = s.kind == MBS_SOLID_BALL ? s.size[0] : s.kind == MBS_SOLID_CAPSULE ? s.size[4] : 0;
    s.c = 1;
    if (s.kind == MBS_SOLID_BOX) {
        s.c = cos(d[2]);
        s.s = sin(d[2]);
    }
    return s;
}

double mbs_crowd_size(const struct mbs_model *o, int i, const double *dist)
{
    const struct mbs_contact *pair = &o->pair[i];
    const double *end = dist + pair->first + pair->rows;

    return pair->solid == MBS_SOLID_PLANE ? HUGE_VAL : pair->solid == MBS_SOLID_BOX ? fmin(end[-1], end[-2]) : end[-1];
}

/* How far it reaches from its centre along x. */
static double extent(const struct mbs_crowd_solid *s)
{
    switch ((enum mbs_solid)s->kind) {
    case MBS_SOLID_BOX: return fabs(s->c) * s->size[0] + fabs(s->s) * s->size[1];
    case MBS_SOLID_CAPSULE: return fabs(s->size[0]) * s->size[3] + s->r;
    case MBS_SOLID_BALL: return s->r;
    case MBS_SOLID_PLANE: break;
    }
    return 0;
}

static void corner(const struct mbs_crowd_solid *s, int k, double out[3])
{
    double x = (k == 1 || k == 2 ? 1 : -1) * s->size[0], y = (k >= 2 ? 1 : -1) * s->size[1];   /* against the clock */

    out[0] = s->x[0] + s->c * x - s->s * y;
    out[1] = s->x[1] + s->s * x + s->c * y;
    out[2] = 0;
}

static void end_of(const struct mbs_crowd_solid *s, double side, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = s->x[i] + (s->kind == MBS_SOLID_CAPSULE ? side * s->size[3] * s->size[i] : 0);
}

/* ---- meetings ---- */

static void with_plane(struct mbs_crowd *c, const struct mbs_crowd_solid *a, const struct mbs_crowd_solid *b, double reach)
{
    const double *n = b->size;
    double up[3] = { n[0], n[1], c->space == 3 ? n[2] : 0 }, at[3];
    int places = a->kind == MBS_SOLID_BOX ? 4 : a->kind == MBS_SOLID_CAPSULE ? 2 : 1;

    for (int k = 0; k < places; k++) {
        double gap = -a->r;
        if (a->kind == MBS_SOLID_BOX)
            corner(a, k, at);
        else
            end_of(a, k ? -1 : 1, at);
        for (int i = 0; i < 3; i++)
            gap += (at[i] - b->x[i]) * up[i];
        for (int i = 0; i < 3; i++)
            at[i] -= (gap + a->r) * up[i];
        if (gap < reach)
            meet(c, a->contact, b->contact, k, gap, up, at);
    }
}

/* Two balls about these points. */
static void points_meet(struct mbs_crowd *c, const struct mbs_crowd_solid *a, const double *p, const struct mbs_crowd_solid *b, const double *q, int feature,
                        double reach)
{
    double n[3], at[3], d = 0;

    for (int i = 0; i < 3; i++)
        d += (p[i] - q[i]) * (p[i] - q[i]);
    d = sqrt(d);
    if (d - a->r - b->r >= reach)
        return;
    for (int i = 0; i < 3; i++) {
        n[i] = d > 0 ? (p[i] - q[i]) / d : i == 1;
        at[i] = q[i] + b->r * n[i];
    }
    meet(c, a->contact, b->contact, feature, d - a->r - b->r, n, at);
}

/* The disc a and the box b. */
static void disc_and_box(struct mbs_crowd *c, const struct mbs_crowd_solid *a, const struct mbs_crowd_solid *b, double reach)
{
    double dx = a->x[0] - b->x[0], dy = a->x[1] - b->x[1], p[2] = { b->c * dx + b->s * dy, -b->s * dx + b->c * dy };
    double q[2] = { fmin(fmax(p[0], -b->size[0]), b->size[0]), fmin(fmax(p[1], -b->size[1]), b->size[1]) };
    double d = hypot(p[0] - q[0], p[1] - q[1]), m[2], gap;

    if (d > 0) {
        m[0] = (p[0] - q[0]) / d;
        m[1] = (p[1] - q[1]) / d;
        gap = d - a->r;
    } else {                    /* the centre is inside: out by the nearest face */
        int k = b->size[0] - fabs(p[0]) < b->size[1] - fabs(p[1]) ? 0 : 1;
        double side = p[k] < 0 ? -1 : 1;
        m[k] = side;
        m[1 - k] = 0;
        gap = -(b->size[k] - fabs(p[k])) - a->r;
        q[k] = side * b->size[k];
    }
    if (gap < reach)
        meet(c, a->contact, b->contact, 0, gap, (double[]){ b->c * m[0] - b->s * m[1], b->s * m[0] + b->c * m[1], 0 },
             (double[]){ b->x[0] + b->c * q[0] - b->s * q[1], b->x[1] + b->s * q[0] + b->c * q[1], 0 });
}

/* Face k of a box: its normal, and how far the other box stays off it. */
static double separation(const struct mbs_crowd_solid *face, int k, const struct mbs_crowd_solid *other, double n[2])
{
    double x = k == 1 ? 1 : k == 3 ? -1 : 0, y = k == 2 ? 1 : k == 0 ? -1 : 0, least = HUGE_VAL, p[3];

    n[0] = face->c * x - face->s * y;
    n[1] = face->s * x + face->c * y;
    for (int i = 0; i < 4; i++) {
        corner(other, i, p);
        least = fmin(least, (p[0] - face->x[0]) * n[0] + (p[1] - face->x[1]) * n[1]);
    }
    return least - (k % 2 ? face->size[0] : face->size[1]);
}

/* The face that keeps two boxes apart most: 0 to 3 are those of b, 4 to 7 of a.  *best: by how much. */
static int facing(const struct mbs_crowd_solid *a, const struct mbs_crowd_solid *b, double *best)
{
    int which = 0;

    *best = -HUGE_VAL;
    for (int k = 0; k < 8; k++) {
        double m[2], s = separation(k < 4 ? b : a, k % 4, k < 4 ? a : b, m);
        if (s > *best + (k < 4 ? 0 : 1e-9 * (fabs(*best) + b->size[0]))) {
            *best = s;
            which = k;
        }
    }
    return which;
}

/* Two boxes: the face that keeps them apart where the step begins, and the edge of the other one that looks at it, cut to its length.  In the middle of
 * the step corners that meet at some speed overlap, and another face may look nearest: to leave by that one they would pass through each other. */
static void boxes(struct mbs_crowd *c, const struct mbs_crowd_solid *a, const struct mbs_crowd_solid *b, double reach)
{
    double best, n[2], m[2], edge[2][3], least = HUGE_VAL;
    int which = facing(a->begin, b->begin, &best), look = 0;
    const struct mbs_crowd_solid *face = which < 4 ? b : a, *other = which < 4 ? a : b;

    if (separation(face, which % 4, other, n) >= reach)
        return;
    for (int k = 0; k < 4; k++) {
        separation(other, k, face, m);
        if (m[0] * n[0] + m[1] * n[1] < least) {
            least = m[0] * n[0] + m[1] * n[1];
            look = k;
        }
    }
    corner(other, look, edge[0]);               /* face k runs from corner k to the next */
    corner(other, (look + 1) % 4, edge[1]);
    /* along the face, as far as it goes, and what both may move in a step */
    double t[2] = { -n[1], n[0] }, half = (which % 2 ? face->size[1] : face->size[0]) + (best > 0 ? reach : 0), s[2];
    for (int i = 0; i < 2; i++)
        s[i] = (edge[i][0] - face->x[0]) * t[0] + (edge[i][1] - face->x[1]) * t[1];
    for (int i = 0; i < 2; i++) {
        double to = fmin(fmax(s[i], -half), half), part = s[1] != s[0] ? (to - s[i]) / (s[1 - i] - s[i]) : 0, p[2], d;
        if (part < 0 || part > 1)
            continue;
        for (int j = 0; j < 2; j++)
            p[j] = edge[i][j] + part * (edge[1 - i][j] - edge[i][j]);
        d = (p[0] - face->x[0]) * n[0] + (p[1] - face->x[1]) * n[1] - (which % 2 ? face->size[0] : face->size[1]);
        if (d < reach) {
            double sign = which >= 4 ? -1 : 1;          /* from b to a */
            meet(c, a->contact, b->contact, 8 * (which + 1) + i, d, (double[]){ sign * n[0], sign * n[1], 0 }, (double[]){ p[0], p[1], 0 });
        }
    }
}

static double clamp(double x) { return fmin(fmax(x, -1), 1); }

/* The place of a capsule's axis nearest to p, from -1 to 1. */
static double nearest(const struct mbs_crowd_solid *s, const double *p)
{
    double along = 0;

    if (s->kind != MBS_SOLID_CAPSULE || !(s->size[3] > 0))
        return 0;
    for (int i = 0; i < 3; i++)
        along += (p[i] - s->x[i]) * s->size[i];
    return clamp(along / s->size[3]);
}

/* Balls and capsules: the nearest points of their axes; two where these are nearly parallel. */
static void round_ones(struct mbs_crowd *c, const struct mbs_crowd_solid *a, const struct mbs_crowd_solid *b, double reach)
{
    double p[3], q[3], cosine = 0;
    int both = a->kind == MBS_SOLID_CAPSULE && b->kind == MBS_SOLID_CAPSULE;

    for (int i = 0; both && i < 3; i++)
        cosine += a->size[i] * b->size[i];
    if (both && fabs(cosine) > 0.999) {
        for (int k = 0; k < 4; k++) {           /* ends that look at the other's inside */
            const struct mbs_crowd_solid *e = k < 2 ? a : b, *f = k < 2 ? b : a;
            end_of(e, k % 2 ? -1 : 1, p);
            double s = nearest(f, p);
            if (fabs(s) == 1 && k >= 2)
                continue;
            end_of(f, s, q);
            points_meet(c, a, k < 2 ? p : q, b, k < 2 ? q : p, 1 + k, reach);
        }
        return;
    }
    double s = nearest(a, b->x);
    for (int iter = 0; iter < (both ? 60 : 1); iter++) {       /* alternating projections of convex sets */
        double old = s;
        end_of(a, s, p);
        end_of(b, nearest(b, p), q);
        s = nearest(a, q);
        if (fabs(s - old) < 1e-15)
            break;
    }
    end_of(a, s, p);
    end_of(b, nearest(b, p), q);
    points_meet(c, a, p, b, q, 0, reach);
}

static void pair_meets(struct mbs_crowd *c, const struct mbs_crowd_solid *a, const struct mbs_crowd_solid *b)
{
    double reach = c->reach[a->contact] + c->reach[b->contact];

    if (b->kind == MBS_SOLID_PLANE)
        with_plane(c, a, b, reach);
    else if (a->kind == MBS_SOLID_BOX && b->kind == MBS_SOLID_BOX)
        boxes(c, a, b, reach);
    else if (a->kind == MBS_SOLID_BOX)
        disc_and_box(c, b, a, reach);
    else if (b->kind == MBS_SOLID_BOX)
        disc_and_box(c, a, b, reach);
    else
        round_ones(c, a, b, reach);
}

/* All of them as they are at these rows; low and high: how far they reach along x in this step. */
static void place_all(struct mbs_crowd *c, const struct mbs_model *o, const double *dist, const double *begin)
{
    for (int i = 0; i < c->planes; i++)
        c->solid[c->plane[i]] = solid_of(c, o, c->plane[i], dist);
    for (int i = 0; i < c->bodies; i++) {
        int k = c->body[i];
        struct mbs_crowd_solid *s = &c->solid[k];
        *s = solid_of(c, o, k, dist);
        if (s->kind == MBS_SOLID_BOX) {
            c->began[k] = solid_of(c, o, k, begin);
            s->begin = &c->began[k];
        }
        c->low[k] = s->x[0] - extent(s) - c->reach[k];
        c->high[k] = s->x[0] + extent(s) + c->reach[k];
    }
}

int mbs_crowd_meet(struct mbs_crowd *c, const struct mbs_model *o, const double *dist, const double *begin, const double *law)
{
    int n = c->bodies;

    c->n = c->full = 0;
    place_all(c, o, dist, begin);
    for (int i = 1; i < n; i++)         /* nearly in order from the last time */
        for (int j = i; j > 0 && c->low[c->body[j - 1]] > c->low[c->body[j]]; j--) {
            int swap = c->body[j];
            c->body[j] = c->body[j - 1];
            c->body[j - 1] = swap;
        }
    for (int i = 0; i < n; i++) {
        int a = c->body[i];
        for (int k = 0; k < c->planes; k++)
            pair_meets(c, &c->solid[a], &c->solid[c->plane[k]]);
        for (int j = i + 1; j < n && c->low[c->body[j]] < c->high[a] && law[2 * a] >= 0; j++) {
            int b = c->body[j], first = a < b;  /* a pair goes by one name */
            pair_meets(c, &c->solid[first ? a : b], &c->solid[first ? b : a]);
        }
    }
    return c->full ? MBS_NO_MEMORY : 0;
}
