/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random mechanisms: a tree of bodies with joints of every kind, joints that close loops, force elements.
 *
 * In a plane the places of all bodies at the start are known here, so that loops can be closed where bodies are.  In
 * space a mechanism with loops starts with all joint coordinates zero, where all axes are parallel and places add up.
 * Start values are given for joint coordinates, in relative and in absolute coordinates alike: both must then have the same
 * accelerations.  Velocities are given where no constraint can contradict them. */
#include "workshop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void vector(const struct workshop *w, struct text *t, const double *x)
{
    if (w->spatial)
        say(t, "[%.17g, %.17g, %.17g]", x[0], x[1], x[2]);
    else
        say(t, "[%.17g, %.17g]", x[0], x[1]);
}

static void random_vector(struct workshop *w, double *x, double size)
{
    for (int i = 0; i < 3; i++)
        x[i] = number(&w->d->chance, -size, size);
}

/* Body axes to space axes, in a plane. */
static void turned(const struct part *b, const double *x, double *y)
{
    double c = cos(b->turn), s = sin(b->turn);
    y[0] = c * x[0] - s * x[1];
    y[1] = s * x[0] + c * x[1];
    y[2] = x[2];
}

static const struct part ground = {.known = true};
const struct part *part_of(const struct workshop *w, int i)
{
    return i < 0 ? &ground : &w->body[i];
}

void world(const struct workshop *w, int i, const double *local, double *x)
{
    turned(part_of(w, i), local, x);
    for (int k = 0; k < 3; k++)
        x[k] += part_of(w, i)->r[k];
}

/* A random place on a body: its text and where it is in the body's axes. */
static void place(struct workshop *w, int i, struct text *t, double *local)
{
    memset(local, 0, 3 * sizeof *local);
    if (i >= 0 && one_in(&w->d->chance, 3)) {
        memcpy(local, w->body[i].P, 3 * sizeof *local);
        say(t, "B%d.P", i + 1);
        return;
    }
    if (i < 0)
        say(t, "ground");
    else
        say(t, "B%d", i + 1);
    if (one_in(&w->d->chance, 3))
        return;
    random_vector(w, local, 1);
    if (!w->spatial)
        local[2] = 0;
    say(t, " @ ");
    vector(w, t, local);
}

/* What contacts of shapes touch; mass and inertia are given besides.  In a plane all touch each other, in space the first touches the first three. */
static void shape(struct workshop *w, struct part *b, struct text *t)
{
    static const char *const plane[] = {"disc(radius = 0.2)", "box(0.3, 0.2)"};
    static const char *const space[] = {"sphere(0.2)", "box(0.3, 0.2, 0.1)", "capsule(0.1, 0.3)", "cylinder(0.2, 0.1)", "wheel(0.2, 0.1, 0.05)"};
    b->shaped = one_in(&w->d->chance, 2);
    b->shape = b->shaped ? pick(&w->d->chance, w->spatial ? 5 : 2) : -1;
    if (b->shaped)
        say(t, ", shape = %s", w->spatial ? space[b->shape] : plane[b->shape]);
}

static void write_body(struct workshop *w, int i)
{
    struct chance *c = &w->d->chance;
    struct text *t = &w->d->model;
    double com[3];
    random_vector(w, com, 0.5);
    random_vector(w, w->body[i].P, 1);
    if (!w->spatial)
        w->body[i].P[2] = 0;
    say(t, "body B%d { mass = %.3g, ", i + 1, number(c, 0.3, 3));
    double a = number(c, 0.4, 1), b = number(c, 0.4, 1), s = number(c, 0.2, 0.9);
    if (!w->spatial)
        say(t, "inertia = %.3g, ", a);
    else if (one_in(c, 2))
        say(t, "inertia = [%.3g, %.3g, %.3g], ", a, b, (a + b) / 2);
    else
        say(t, "inertia = [[%.3g, %.3g, 0.02], [%.3g, %.3g, -0.03], [0.02, -0.03, %.3g]], ", a + 1, a / 5, a / 5, b + 1, s + 1);
    if (!one_in(c, 4)) {
        say(t, "com = ");
        vector(w, t, com);
        say(t, ", ");
    }
    else if (one_in(c, 3))
        say(t, "about = origin, ");
    say(t, "point P = ");
    vector(w, t, w->body[i].P);
    shape(w, &w->body[i], t);
    say(t, " }\n");
}

/* --- joints of the tree --- */
static double coordinate(struct workshop *w, const char *name, double from, double to, double rate)
{
    double x = w->spatial && w->loops ? 0 : number(&w->d->chance, from, to);
    say(&w->init, "init %s %c %.17g\n", name, w->loops ? '~' : '=', x);
    say(&w->speed, "init %s' = %.3g\n", name, rate * number(&w->d->chance, -2, 2));
    w->freedom++;
    return x;
}

/* Where its two ends stay together in every position, a damper between them must be refused. */
static void write_joint(struct workshop *w, int i, const char *kind, const char *a, const char *b)
{
    static const char *const holds[] = {"revolute", "fixed", "universal", "spherical", "constant_velocity"};
    say(&w->d->model, "joint J%d: %s(%s, %s)", i + 1, kind, a, b);
    if (strcmp(kind, "free"))
        name_add(&w->loaded, "J%d", i + 1);
    for (size_t k = 0; k < sizeof holds / sizeof *holds; k++)
        if (!strcmp(kind, holds[k]))
            say(&w->d->held, "damper refused%d: between %s and %s, damping = 1\n", i + 1, a, b);
}

static void join_planar(struct workshop *w, int i, int parent)
{
    static const char *const kinds[] = {"revolute", "revolute", "revolute", "prismatic", "prismatic", "slot", "distance", "free", "fixed"};
    struct chance *c = &w->d->chance;
    struct text *t = &w->d->model, A = {0}, B = {0};
    struct part *b = &w->body[i];
    const struct part *p = part_of(w, parent);
    double la[3], lb[3], at[3], axis[3] = {0}, step[3] = {0}, s = 0;
    const char *kind = kinds[pick(c, i == 0 ? 8 : 9)];      /* the first is not fixed: something moves */
    char name[64];
    place(w, parent, &A, la);
    place(w, i, &B, lb);
    write_joint(w, i, kind, A.s, B.s);
    free(A.s);
    free(B.s);
    b->turn = p->turn;
    b->known = p->known;
    if (!strcmp(kind, "prismatic") || !strcmp(kind, "slot")) {
        double angle = number(c, -3, 3);
        axis[0] = cos(angle), axis[1] = sin(angle);
        say(t, " axis [%.17g, %.17g]", axis[0], axis[1]);
        if (one_in(c, 2)) {
            say(t, " distance s%d", i + 1);
            snprintf(name, sizeof name, "s%d", i + 1);
        } else
            snprintf(name, sizeof name, "J%d.distance", i + 1);
        s = coordinate(w, name, -1, 1, 1);
        name_add(&w->sliding, !strcmp(kind, "slot") ? "J%d.distance" : "J%d", i + 1);
    }
    if (!strcmp(kind, "revolute") || !strcmp(kind, "slot")) {
        snprintf(name, sizeof name, "J%d.angle", i + 1);
        if (!strcmp(kind, "revolute") && one_in(c, 2)) {
            say(t, " angle phi%d", i + 1);
            snprintf(name, sizeof name, "phi%d", i + 1);
        }
        w->start[w->turning.n] = coordinate(w, name, -2, 2, 1);
        b->turn += w->start[w->turning.n];
        name_add(&w->turning, !strcmp(kind, "slot") ? "J%d.angle" : "J%d", i + 1);
        name_add(&w->d->coord, "%s", name);
    }
    if (!strcmp(kind, "distance")) {
        say(t, " length = %.3g", number(c, 0.5, 1.5));
        snprintf(name, sizeof name, "J%d.rod", i + 1);
        coordinate(w, name, -2, 2, 1);
        snprintf(name, sizeof name, "J%d.angle", i + 1);
        coordinate(w, name, -2, 2, 1);
        b->known = false;
    }
    if (!strcmp(kind, "free")) {
        static const char *const part[] = {"x", "y", "angle"};
        double x[3];
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "J%d.%s", i + 1, part[k]);
            x[k] = coordinate(w, name, -1, 1, 1);
        }
        step[0] = x[0], step[1] = x[1];
        b->turn += x[2];
    }
    say(t, "\n");
    for (int k = 0; k < 2; k++)
        la[k] += s * axis[k] + step[k];
    world(w, parent, la, at);
    turned(b, lb, step);
    for (int k = 0; k < 2; k++)
        b->r[k] = at[k] - step[k];
}

static void orientation(struct workshop *w, int i, bool angles)
{
    static const char *const part[2][3] = {{"e1", "e2", "e3"}, {"angle1", "angle2", "angle3"}};
    char name[64];
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "J%d.%s", i + 1, part[angles][k]);
        coordinate(w, name, angles ? 0.3 : -0.4, angles ? 1.2 : 0.4, angles ? 1 : 0.5);
    }
}

static void join_spatial(struct workshop *w, int i, int parent)
{
    static const struct { const char *kind, *coord; } kinds[] = {
        {"revolute", "angle"}, {"revolute", "angle"}, {"prismatic", "distance"}, {"cylindrical", "angle distance"},
        {"universal", "angle1 angle2"}, {"spherical", "orientation"}, {"planar", "x y angle"}, {"screw", "angle"},
        {"point_on_line", "distance orientation"}, {"constant_velocity", "e1 e2"}, {"free", "x y z orientation"},
        {"distance", "longitude latitude orientation"}, {"fixed", ""}, {"spherical", "orientation"}};
    static const char *const axes[] = {"[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]", "[1, 2, 2]", "[0.6, 0, -0.8]"};
    struct chance *c = &w->d->chance;
    struct text *t = &w->d->model, A = {0}, B = {0};
    double la[3], lb[3], at[3];
    int k = pick(c, (int)(sizeof kinds / sizeof *kinds));
    const char *kind = kinds[k].kind;
    while ((w->loops && !strcmp(kind, "distance")) || (i == 0 && !strcmp(kind, "fixed")))
        kind = kinds[k = pick(c, (int)(sizeof kinds / sizeof *kinds))].kind;
    place(w, parent, &A, la);
    place(w, i, &B, lb);
    write_joint(w, i, kind, A.s, B.s);
    free(A.s);
    free(B.s);
    bool angles = strstr(kinds[k].coord, "orientation") && !w->loops && one_in(c, 3);
    if (!strcmp(kind, "universal"))
        say(t, " axis [0, 1, 0], axis2 [1, 0, 0]");
    else if (strcmp(kind, "spherical") && strcmp(kind, "free") && strcmp(kind, "fixed") && strcmp(kind, "distance"))
        say(t, " axis %s", axes[pick(c, 5)]);
    if (!strcmp(kind, "screw"))
        say(t, ", pitch = %.3g", number(c, 0.05, 0.3));
    if (!strcmp(kind, "distance"))
        say(t, " length = %.3g", number(c, 0.5, 1.5));
    if (angles)
        say(t, " angles %s", one_in(c, 2) ? "zxz" : "xyz");
    say(t, "\n");
    char words[64], name[64];
    snprintf(words, sizeof words, "%s", kinds[k].coord);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        snprintf(name, sizeof name, "J%d.%s", i + 1, word);
        if (!strcmp(word, "orientation"))
            orientation(w, i, angles);
        else if (word[0] == 'e')
            coordinate(w, name, -0.4, 0.4, 0.5);
        else
            w->start[w->turning.n] = coordinate(w, name, -1, 1, 1);
        if (!w->bare && !strcmp(word, "angle") && strcmp(kind, "planar")) {
            name_add(&w->turning, "%s", name);
            name_add(&w->d->coord, "%s", name);
        }
        if (!w->bare && !strcmp(word, "distance"))
            name_add(&w->sliding, "%s", name);
    }
    world(w, parent, la, at);
    for (int j = 0; j < 3; j++)
        w->body[i].r[j] = at[j] - lb[j];
    w->body[i].known = w->loops;
}

/* --- joints that close loops, where the bodies are --- */
static void close_loop(struct workshop *w, int k)
{
    struct chance *c = &w->d->chance;
    struct text *t = &w->d->model, A = {0};
    int i = pick(c, w->n), j = pick(c, w->n + 1) - 1, kind = pick(c, 3);
    int brings = kind == 0 ? (w->spatial ? 3 : 2) : 1;
    if (i == j || !w->body[i].known || !part_of(w, j)->known || w->freedom - brings < 1)
        return;
    double local[3], at[3], other[3], back[3];
    place(w, i, &A, local);
    world(w, i, local, at);
    if (kind == 2)
        at[0] += 0.7, at[1] -= 0.4;
    for (int m = 0; m < 3; m++)
        back[m] = at[m] - part_of(w, j)->r[m];
    struct part turn = {.turn = -part_of(w, j)->turn};
    turned(&turn, back, other);
    if (kind == 0)
        say(t, "cut joint L%d: %s(%s, ", k, w->spatial ? "spherical" : "revolute", A.s);
    else if (kind == 1 && !w->spatial)
        say(t, "cut joint L%d: slot(%s, ", k, A.s);
    else
        say(t, "cut joint L%d: distance(%s, ", k, A.s);
    free(A.s);
    if (j < 0)
        say(t, "ground @ ");
    else
        say(t, "B%d @ ", j + 1);
    if (kind == 1 && w->spatial) {      /* a length must not be zero */
        other[2] += 0.5;
        vector(w, t, other);
        say(t, ") length = 0.5\n");
    } else {
        vector(w, t, other);
        say(t, kind == 0 ? ")\n" : kind == 1 ? ") axis [1, 1/2]\n" : ") length = %.17g\n", sqrt(0.7 * 0.7 + 0.4 * 0.4));
    }
    w->freedom -= brings;
    w->constrained += brings;
}

/* --- elements --- */
static bool are_held(const struct workshop *w, const char *a, const char *b)
{
    char *pair = format("between %s and %s,", a, b);
    bool found = w->d->held.s && strstr(w->d->held.s, pair);
    free(pair);
    return found;
}

/* Not the two places that a joint holds together: an element between them has no direction, and is refused. */
void two_places(struct workshop *w, struct text *t)
{
    double local[3];
    int i = pick(&w->d->chance, w->n), j = pick(&w->d->chance, w->n + 1) - 1;
    struct text A = {0}, B = {0};
    place(w, i, &A, local);
    place(w, j == i ? -1 : j, &B, local);
    bool joined = are_held(w, A.s, B.s) || are_held(w, B.s, A.s);
    say(t, "%s and %s", A.s, joined ? w->spatial ? "ground @ [2, 1, 3]" : "ground @ [2, 3]" : B.s);
    free(A.s);
    free(B.s);
}

static void value(struct workshop *w, struct text *t)
{
    char *f = formula(w->d, 2, WITH_Q | WITH_P);
    say(t, "scale*%s", f);
    free(f);
}

/* Do the shapes of two bodies have a law of contact? */
static bool may_meet(const struct workshop *w, const struct part *a, const struct part *b)
{
    if (!a->shaped || !b->shaped)
        return false;
    return !w->spatial || (a->shape == 0 && b->shape < 3) || (b->shape == 0 && a->shape < 3);
}

/* A point or ball on a plane, a shape on it, or two shapes.  They may overlap by a metre: friction that is built up over a small speed would make
 * accelerations of errors a thousand times as large as those of velocities, and nothing could be compared after a run. */
static void soft_contact(struct workshop *w, int k, int i)
{
    struct chance *c = &w->d->chance;
    struct text *t = &w->d->model;
    int other = pick(c, w->n);
    bool shaped = w->body[i - 1].shaped && !one_in(c, 4), both = shaped && other != i - 1 && may_meet(w, &w->body[i - 1], &w->body[other]);
    say(t, "contact E%d: between B%d%s and ", k, i, shaped ? "" : ".P");
    if (both)
        say(t, "B%d", other + 1);
    else
        say(t, w->spatial ? "ground @ [0, 0.1, -0.2], normal = [0, 0.6, 0.8]" : "ground @ [0.1, -0.2], normal = [0.6, 0.8]");
    say(t, ", stiffness = 100%s%s%s\n", shaped ? ", shaped = true" : one_in(c, 2) ? ", radius = 0.3" : "",
        one_in(c, 2) ? ", exponent = 2, damping = 0.3" : "", one_in(c, 2) ? ", friction = 0.3, slip = 0.5" : "");
}

static void element(struct workshop *w, int k)
{
    struct chance *c = &w->d->chance;
    struct text *t = &w->d->model;
    const struct names *turning = &w->turning, *sliding = &w->sliding;
    int i = 1 + pick(c, w->n);
    w->d->corners = true;
    switch (pick(c, 30)) {
    case 0: case 1:
        say(t, "spring E%d: between ", k);
        two_places(w, t);
        say(t, ", stiffness = %.3g, length = %.3g%s\n", number(c, 1, 50), number(c, 0.1, 2), one_in(c, 2) ? ", damping = 0.3" : "");
        break;
    case 2:
        if (turning->n)
            say(t, "spring E%d: on %s, stiffness = %.3g, angle = %.2g\n", k, turning->at[pick(c, turning->n)], number(c, 1, 50), number(c, -1, 1));
        break;
    case 3:
        if (sliding->n)
            say(t, "spring E%d: on %s, stiffness = %.3g, distance = %.2g, damping = 1.5\n", k, sliding->at[pick(c, sliding->n)],
                number(c, 1, 50), number(c, -1, 1));
        break;
    case 4:
        say(t, "damper E%d: between ", k);
        two_places(w, t);
        say(t, ", damping = %.3g\n", number(c, 0.1, 5));
        break;
    case 5:
        if (turning->n)
            say(t, "damper E%d: on %s, damping = cd\n", k, turning->at[pick(c, turning->n)]);
        break;
    case 6:
        say(t, "bushing E%d: between ", k);
        two_places(w, t);
        if (w->spatial)
            say(t, ", stiffness = [10, 20, 30, 4, 5, 6], damping = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]\n");
        else
            say(t, ", stiffness = [%.3g, 20, 3], damping = [0.1, 0.2, %.3g]\n", number(c, 1, 50), number(c, 0.1, 2));
        break;
    case 7: case 8:
        if (turning->n) {
            say(t, "torque E%d: on %s = ", k, turning->at[pick(c, turning->n)]);
            value(w, t);
            say(t, "\n");
        }
        break;
    case 9:
        say(t, w->spatial ? "torque E%d: on B%d = scale*[1, sin(om*t), 0.5]%s\n" : "torque E%d: on B%d = scale*sin(om*t)%s\n", k, i,
            w->spatial && one_in(c, 2) ? " axes body" : "");
        break;
    case 10: case 11:
        say(t, "force E%d: on B%d.P = [", k, i);
        value(w, t);
        say(t, ", ");
        value(w, t);
        say(t, "%s]%s\n", w->spatial ? ", 2.5" : "", one_in(c, 2) ? " axes body" : "");
        break;
    case 12: {
        bool turns = turning->n && one_in(c, 2);
        const struct names *on = turns ? turning : sliding;
        if (on->n)
            say(t, "friction E%d: on %s, %s = 0.6, slip = 0.1%s%s\n", k, on->at[pick(c, on->n)], turns ? "moment" : "force",
                one_in(c, 2) ? ", static = 0.9, stribeck = 0.5" : "", one_in(c, 2) ? ", damping = 0.2" : "");
        break;
    }
    case 13:
        soft_contact(w, k, i);
        break;
    case 14:
        if (w->d->coord.n)
            say(t, "potential scale*cos(%s)\n", w->d->coord.at[pick(c, w->d->coord.n)]);
        break;
    case 15:
        say(t, "let T%d = B%d.P\npotential scale*T%d[2]\n", k, i, k);
        break;
    case 16: {
        bool turns = turning->n && one_in(c, 2);
        const struct names *on = turns ? turning : sliding;
        if (on->n)
            say(t, "rotor E%d: on %s, %s = 0.3\n", k, on->at[pick(c, on->n)], turns ? "inertia" : "mass");
        break;
    }
    default:
        oneway(w, k);
        break;
    }
}

/* Gears and drives are constraints, met where the joints start, at rest: other velocities would be chosen by what is near in one kind of coordinates. */
static void couple(struct workshop *w)
{
    struct chance *c = &w->d->chance;
    struct text *t = &w->d->model;
    int i = pick(c, w->turning.n);
    double ratio = number(c, 0.5, 2);
    if (!w->turning.n || w->freedom < 2)
        return;
    if (w->turning.n > 1 && one_in(c, 2))
        say(t, "gear G1: between %s and %s, ratio = %.17g, offset = %.17g\n", w->turning.at[0], w->turning.at[1], ratio, w->start[1] - ratio * w->start[0]);
    else
        say(t, "drive G1: on %s = %.17g + 0.3*(1 - cos(om*t))\n", w->turning.at[i], w->start[i]);
    w->constrained++;
    w->freedom--;
}

static void outputs(struct workshop *w)
{
    struct text *t = &w->d->model;
    for (int i = 1; i <= w->n; i++)
        say(t, "output p%d = B%d.com\noutput v%d = B%d.com'\noutput a%d = B%d.com''\noutput w%d = B%d.omega\noutput dw%d = B%d.omega'\n", i, i, i, i, i,
            i, i, i, i, i);
    if (w->loaded.n && !w->hits && one_in(&w->d->chance, 4))
        say(t, "output held = %s.reaction\n", w->loaded.at[pick(&w->d->chance, w->loaded.n)]);
}

/* Beams of every kind: modes or elements, linear or not, small or any deflections, in a plane and in space. */
static void elastic(struct workshop *w)
{
    static const char *const plane[] = {"modes = 1", "modes = 2, axial = true", "modes = 1, axial = true, coupling = true", "modes = 2, stiffening = false",
                                        "elements = 1", "elements = 2, stiffening = false", "elements = 1, exact = true"};
    static const char *const space[] = {"elements = 1", "elements = 1, stiffening = false", "elements = 1, exact = true"};
    struct chance *c = &w->d->chance;
    struct text *t = &w->d->model;
    if (w->absolute || !one_in(c, 6) || (w->spatial && w->n > 1))
        return;
    say(t, "beam rod { length = 0.8, density = 2000, youngs = 2e9, %swidth = 0.02, height = 0.03, %s%s }\n", w->spatial ? "shear = 8e8, " : "",
        w->spatial ? space[pick(c, 3)] : plane[pick(c, 7)], one_in(c, 3) ? ", damping = 0.001" : "");
    say(t, w->spatial ? "joint R: revolute(B1.P, rod.start) axis [0, 1, 0] angle bent\n" : "joint R: revolute(B1.P, rod.start) angle bent\n");
    if (one_in(c, 3))
        say(t, w->spatial ? "force pull: on rod.tip = [1, 0.2*sin(om*t), -0.5]\n" : "force pull: on rod.tip = [1, 0.2*sin(om*t)]\n");
    w->d->absolute.n = 0;
}

static void component(struct workshop *w)
{
    struct chance *c = &w->d->chance;
    struct text *t = &w->d->model;
    static const char *const inside[] = {"", "", "    limit stop: on pin, lower = -2, upper = 2, restitution = 0.3\n",
                                         "    contact floor: between bar.tip and ground @ [0, -2], normal = [0, 1], restitution = 0.5, friction = 0.2\n",
                                         "    discrete n = 0\n    when down: swing < -1 { n = n + 1 }\n    torque push: on pin = 0.1*n\n"};
    if (w->spatial || !one_in(c, 6))
        return;
    say(t, "component pendulum(l: m = 1, m: kg = 1) {\n    body bar { mass = m, inertia = m*l^2/12, com = [l/2, 0], point tip = [l, 0] }\n"
        "    joint pin: revolute(ground @ [3, l], bar) angle swing\n%s}\n"
        "use left: pendulum(l = %.3g)\nuse right: pendulum(m = 2)\nspring between_them: between left.bar.tip and right.bar.tip, stiffness = 5, length = 0.1\n"
        "init left.swing = 0.3, right.swing = -0.4, left.swing' = 1, right.swing' = 0\noutput la = left.bar.tip''\n",
        inside[pick(c, 5)], number(c, 0.5, 2));
}

void mechanism_write(struct draft *d, bool spatial)
{
    struct chance *c = &d->chance;
    struct workshop w = {.d = d, .spatial = spatial};
    struct text *t = &d->model;
    w.n = spatial ? 1 + pick(c, one_in(c, 6) ? 3 : 2) : 1 + pick(c, one_in(c, 6) ? 5 : 3);
    w.loops = w.n > 1 && one_in(c, 2);
    w.absolute = one_in(c, 3);
    w.bare = spatial && (w.absolute || one_in(c, 2));
    say(t, "%s\ncoordinates %s\n", spatial ? "spatial" : "planar", w.absolute ? "absolute" : "relative");
    if (!w.absolute && (w.bare || !spatial))
        say(&d->absolute, "coordinates relative\n");
    say(t, spatial ? "gravity [0.3, 0, -9.81]\n" : "gravity [0.2, -9.81]\n");
    say(t, "param scale = %.3g, om: rad/s = %.3g, cd: N*m*s = 0.7\n", number(c, 0.5, 5), number(c, 1, 5));
    name_add(&d->param, "scale");
    for (int i = 0; i < w.n; i++)
        write_body(&w, i);
    for (int i = 0; i < w.n; i++) {
        int parent = i > 0 && !one_in(c, 4) ? (one_in(c, 3) ? pick(c, i) : i - 1) : -1;
        if (spatial)
            join_spatial(&w, i, parent);
        else
            join_planar(&w, i, parent);
    }
    for (int k = 1, n = w.loops ? 1 + pick(c, 2) : 0; k <= n; k++)
        close_loop(&w, k);
    elastic(&w);
    component(&w);
    for (int k = 1, n = pick(c, 6); k <= n; k++)
        element(&w, k);
    if (one_in(c, 4))
        soft_contact(&w, 9, 1 + pick(c, w.n));
    if (one_in(c, 3))
        couple(&w);
    rolling(&w);
    events(&w);
    say(t, "%s", w.init.s ? w.init.s : "");
    if (!w.constrained && !w.loops)
        say(t, "%s", w.speed.s ? w.speed.s : "");
    outputs(&w);
    free(w.init.s);
    free(w.speed.s);
}

void chain_write(struct draft *d)
{
    struct chance *c = &d->chance;
    struct text *t = &d->model;
    bool spatial = one_in(c, 3);
    say(t, "option n = %d\n%s\n%s", spatial ? 6 + pick(c, 3) : 18 + pick(c, 12), spatial ? "spatial" : "planar",
        one_in(c, 4) && !spatial ? "coordinates absolute\n" : "");      /* in space its torques would have no angles */
    say(t, spatial ? "gravity [0, 0, -9.81]\n" : "gravity [0, -9.81]\n");
    say(t, "param cd = 0.2, k = max(cd, %.3g)\ntable soft(s) = [[-4, -2], [-1, -0.3], [0, 0], [1, 0.4], [4, 3]]\nfor i in 1..n {\n", number(c, 0.5, 2));
    if (spatial)
        say(t, "    body link[i] { mass = 1, inertia = [0.1, 0.2, 0.15], com = [1/2, 0, 0], point tip = [1, 0, 0.1] }\n");
    else
        say(t, "    body link[i] { mass = 1, inertia = 1/12, com = [1/2, 0.1], point tip = [1, 0] }\n");
    const char *axis = spatial ? (one_in(c, 2) ? " axis [0, 1, 0]" : " axis [1, 2, 2]") : "";
    say(t, "    if i == 1 { joint J[i]: revolute(ground, link[i])%s } else { joint J[i]: revolute(link[i-1].tip, link[i])%s }\n", axis, axis);
    static const char *const law[] = {"abs(J[i].angle)*J[i].angle", "soft(J[i].angle)", "tanh(k*J[i].angle)", "max(J[i].angle, 0.1)", "sign(J[i].angle)*exp(-k)"};
    say(t, "    torque T[i]: on J[i] = -cd*J[i].angle' - k*%s\n    init J[i].angle = %.3g/i\n}\noutput tip = link[n].tip\noutput acc = link[n].tip''\n",
        law[pick(c, 5)], number(c, 0.2, 1));
}
