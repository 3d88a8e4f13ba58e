/* SPDX-License-Identifier: GPL-3.0-or-later
 * Still pictures of mechanisms. */
#include "config.h"
#include "study/drawing.h"

#include <math.h>
#include <stdlib.h>

enum { TRACES_MOST = 8 };

/* How a shape is drawn here; what is missing (symbols of elements, arrows, solids in space) is for the report. */
enum look { LOOK_NONE, LOOK_BODY, LOOK_LINE, LOOK_GROUND, LOOK_PIN, LOOK_POINT };
static enum look look_of(const struct mbs_shape *s)
{
    switch (s->kind) {
    case MBS_SHAPE_BODY:
        return LOOK_BODY;
    case MBS_SHAPE_LINE:
    case MBS_SHAPE_SPRING:
    case MBS_SHAPE_DAMPER:
    case MBS_SHAPE_DISTANCE:
        return LOOK_LINE;
    case MBS_SHAPE_GROUND:
        return LOOK_GROUND;
    case MBS_SHAPE_JOINT:
    case MBS_SHAPE_REVOLUTE:
    case MBS_SHAPE_SPHERICAL:
    case MBS_SHAPE_UNIVERSAL:
        return LOOK_PIN;
    case MBS_SHAPE_POINT:
        return LOOK_POINT;
    default:
        return LOOK_NONE;
    }
}
/* How many of its points are places. */
static int places_of(const struct mbs_shape *s) { return look_of(s) == LOOK_PIN ? 1 : s->count; }

bool drawing_possible(const struct mbs_model *m)
{
    for (int i = 0; i < m->nshape; i++)
        if (look_of(&m->shape[i]) == LOOK_BODY || look_of(&m->shape[i]) == LOOK_LINE)
            return true;
    return false;
}

static void project(const struct frame *f, const double *p, double *x, double *y)
{
    const double turn = 0.6, tilt = 0.45;       /* round z, and from above */
    *x = f->spatial ? p[0] * cos(turn) - p[1] * sin(turn) : p[0];
    *y = f->spatial ? p[2] * cos(tilt) + (p[0] * sin(turn) + p[1] * cos(turn)) * sin(tilt) : p[1];
}
static const double *place(const struct mbs_model *m, const struct curves *c, int row, int point)
{
    return c->xyz + ((size_t)row * (size_t)m->npoint + (size_t)point) * 3;
}

static void reach(struct frame *f, const struct mbs_model *m, const struct curves *c, bool flat_only)
{
    for (int i = 0; i < m->nshape; i++)
        for (int k = 0; look_of(&m->shape[i]) != LOOK_NONE && k < places_of(&m->shape[i]); k++)
            for (int r = 0; r < c->n; r++) {
                const double *p = place(m, c, r, m->shape[i].first + k);
                double x, y;
                if (!isfinite(p[0] + p[1] + p[2]))
                    continue;
                if (flat_only) {
                    f->spatial = f->spatial || fabs(p[2]) > 1e-9;
                    continue;
                }
                project(f, p, &x, &y);
                f->x0 = fmin(f->x0, x), f->x1 = fmax(f->x1, x);
                f->y0 = fmin(f->y0, y), f->y1 = fmax(f->y1, y);
            }
}
void frame_add(struct frame *f, const struct mbs_model *m, const struct curves *c)
{
    if (!c->n)
        return;
    reach(f, m, c, true);
    reach(f, m, c, false);
}

/* ---- one picture ---- */

struct pen {
    struct chart c;
    const struct mbs_model *m;
    const struct curves *run;
    const struct frame *frame;
};
static void to(const struct pen *p, char how, int row, int point)
{
    double x, y;
    project(p->frame, place(p->m, p->run, row, point), &x, &y);
    fprintf(p->c.f, "%c%.1f %.1f", how, chart_x(&p->c, x), chart_y(&p->c, y));
}

struct corner {
    double x, y;
};
static int by_place(const void *a, const void *b)
{
    const struct corner *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}
static double turn(struct corner a, struct corner b, struct corner c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/* The convex hull of a body's points at the start (Andrew's monotone chain). */
static bool draw_hull(const struct pen *p, const struct mbs_shape *s)
{
    size_t n = (size_t)s->count, m = 0;
    struct corner *at = malloc(3 * (n + 1) * sizeof *at), *hull = at + n;
    if (!at)
        return false;
    for (size_t i = 0; i < n; i++) {
        project(p->frame, place(p->m, p->run, 0, s->first + (int)i), &at[i].x, &at[i].y);
        at[i] = (struct corner){chart_x(&p->c, at[i].x), chart_y(&p->c, at[i].y)};
    }
    qsort(at, n, sizeof *at, by_place);
    for (int side = 0; side < 2; side++) {
        size_t least = m + (side ? 1 : 2);
        for (size_t k = side; k < n; k++) {
            struct corner c = at[side ? n - 1 - k : k];
            while (m >= least && turn(hull[m - 2], hull[m - 1], c) <= 0)
                m--;
            hull[m++] = c;
        }
    }
    fputs("<path class=\"steel plate\" d=\"", p->c.f);
    for (size_t i = 0; i < m; i++)
        fprintf(p->c.f, "%c%.1f %.1f", i ? 'L' : 'M', hull[i].x, hull[i].y);
    fputs("Z\"/>\n", p->c.f);
    free(at);
    return true;
}

static bool draw_shape(const struct pen *p, const struct mbs_shape *s)
{
    static const char *const class[] = {[LOOK_BODY] = "steel", [LOOK_LINE] = "steel", [LOOK_GROUND] = "ground"};
    enum look look = look_of(s);
    double x, y;
    switch (look) {
    case LOOK_NONE:
        return true;
    case LOOK_BODY:
        if (s->count > 2)
            return draw_hull(p, s);
        /* fall through */
    case LOOK_LINE:
    case LOOK_GROUND:
        if (look == LOOK_GROUND && s->count == 1) {
            project(p->frame, place(p->m, p->run, 0, s->first), &x, &y);
            fprintf(p->c.f, "<path class=\"ground\" d=\"M%.1f %.1fl-8 12h16z\"/>\n", chart_x(&p->c, x), chart_y(&p->c, y));
            return true;
        }
        fprintf(p->c.f, "<path class=\"%s\" d=\"", class[look]);
        for (int k = 0; k < s->count; k++)
            to(p, k ? 'L' : 'M', 0, s->first + k);
        fputs("\"/>\n", p->c.f);
        return true;
    case LOOK_PIN:
        project(p->frame, place(p->m, p->run, 0, s->first), &x, &y);
        fprintf(p->c.f, "<circle class=\"pin\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\"/>\n", chart_x(&p->c, x), chart_y(&p->c, y));
        return true;
    case LOOK_POINT:
        project(p->frame, place(p->m, p->run, 0, s->first), &x, &y);
        fprintf(p->c.f, "<path class=\"given\" d=\"M%.1f %.1fl8 8m0-8l-8 8\"><title>", chart_x(&p->c, x) - 4, chart_y(&p->c, y) - 4);
        html_text(p->c.f, s->name);
        fputs("</title></path>\n", p->c.f);
        return true;
    }
    return true;
}

/* Do two points go together, or does one (twice the same) stay where it is? */
static bool together(const struct pen *p, int a, int b, int step, double size)
{
    for (int r = 0; r < p->run->n; r++)
        for (int d = 0; d < 3; d++)
            if (!(fabs(place(p->m, p->run, r, a)[d] - place(p->m, p->run, step ? 0 : r, b)[d]) <= 1e-4 * size))
                return false;
    return true;
}

static bool draw_traces(const struct pen *p, double size)
{
    int drawn[TRACES_MOST], n = 0;
    double *x = malloc(2 * ((size_t)p->run->n + 1) * sizeof *x), *y = x + p->run->n;
    if (!x)
        return false;
    for (int i = 0; i < p->m->nshape; i++) {
        const struct mbs_shape *s = &p->m->shape[i];
        bool traced = look_of(s) == LOOK_BODY || look_of(s) == LOOK_LINE || look_of(s) == LOOK_POINT;
        for (int k = 0; traced && k < s->count && n < TRACES_MOST; k++) {
            bool known = together(p, s->first + k, s->first + k, 1, size);
            for (int j = 0; j < n; j++)
                known = known || together(p, s->first + k, drawn[j], 0, size);
            if (known)
                continue;
            char class[24];
            snprintf(class, sizeof class, "trace c%d", n);
            drawn[n++] = s->first + k;
            for (int r = 0; r < p->run->n; r++)
                project(p->frame, place(p->m, p->run, r, s->first + k), &x[r], &y[r]);
            chart_line(&p->c, class, s->name, x, y, p->run->n, 1);
        }
    }
    free(x);
    return true;
}

bool drawing_write(FILE *f, const struct mbs_model *m, const struct curves *run, const struct frame *frame, const char *label)
{
    double wide = frame->x1 - frame->x0, high = frame->y1 - frame->y0, size = fmax(wide, high);
    struct pen p = {.m = m, .run = run, .frame = frame,
                    .c = {.w = 420, .left = 14, .right = 14, .top = 14, .bottom = 14, .x0 = frame->x0 - 0.06 * size, .x1 = frame->x1 + 0.06 * size, .y0 = frame->y0 - 0.06 * size,
                          .y1 = frame->y1 + 0.06 * size}};
    if (!run->n || !(size > 0))
        return true;
    p.c.h = fmin(460, fmax(180, 28 + 392 * (p.c.y1 - p.c.y0) / (p.c.x1 - p.c.x0)));
    /* one scale for both axes */
    double sx = (p.c.x1 - p.c.x0) / (p.c.w - 28), sy = (p.c.y1 - p.c.y0) / (p.c.h - 28), s = fmax(sx, sy), ax = (s * (p.c.w - 28) - (p.c.x1 - p.c.x0)) / 2, ay = (s * (p.c.h - 28) - (p.c.y1 - p.c.y0)) / 2;
    p.c.x0 -= ax, p.c.x1 += ax, p.c.y0 -= ay, p.c.y1 += ay;
    chart_begin(&p.c, f, "plane reads", label);
    bool good = draw_traces(&p, size);
    for (enum look look = LOOK_BODY; look <= LOOK_POINT; look++)        /* pins above what they join */
        for (int i = 0; i < m->nshape; i++)
            if (look_of(&m->shape[i]) == look)
                good = draw_shape(&p, &m->shape[i]) && good;
    chart_end(&p.c);
    return good;
}
