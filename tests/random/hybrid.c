/* SPDX-License-Identifier: GPL-3.0-or-later
 * What hits, sticks, rolls and happens in a random mechanism: one-sided elements, wheels, discrete states and events. */
#include "workshop.h"

#include <stdlib.h>
#include <string.h>

static const char *law(struct chance *c)
{
    static const char *const laws[] = {"", ", restitution = 0.4", ", restitution = 0.3, law = poisson"};
    return laws[pick(c, 3)];
}

/* A joint with one coordinate; NULL: there is none. */
static const char *joint(struct workshop *w, bool *turns)
{
    const struct names *on = w->turning.n && (one_in(&w->d->chance, 2) || !w->sliding.n) ? &w->turning : &w->sliding;
    *turns = on == &w->turning;
    return on->n ? on->at[pick(&w->d->chance, on->n)] : NULL;
}

static void hard_contact(struct workshop *w, int k, int i)
{
    struct chance *c = &w->d->chance;
    const char *plane = w->spatial ? "ground @ [0, 0.1, -2], normal = [0, 0.6, 0.8]" : "ground @ [0.1, -2], normal = [0.6, 0.8]";
    const char *rub = one_in(c, 2) ? ", friction = 0.3" : "";
    switch (pick(c, 3)) {
    case 0:
        say(&w->d->model, "contact E%d: between B%d.P and %s%s%s%s\n", k, i, plane, law(c), rub, one_in(c, 2) ? ", radius = 0.1" : "");
        break;
    case 1:
        if (w->n > 1)
            say(&w->d->model, "contact E%d: between B1 and B2.P, radius = 0.02, radius2 = 0.03%s%s\n", k, law(c), rub);
        break;
    default:
        if (w->body[i - 1].shaped)
            say(&w->d->model, "contact E%d: between B%d and %s%s%s, shaped = true\n", k, i, plane, law(c), rub);
        break;
    }
}

void oneway(struct workshop *w, int k)
{
    struct chance *c = &w->d->chance;
    struct text *t = &w->d->model;
    int i = 1 + pick(c, w->n);
    bool turns;
    const char *on = joint(w, &turns);
    w->hits = true;
    switch (pick(c, 8)) {
    case 0:
        if (on)
            say(t, "limit E%d: on %s, lower = -2.5, upper = %.3g%s\n", k, on, number(c, 2.1, 3), law(c));
        break;
    case 1:
        say(t, "rope E%d: between ", k);
        two_places(w, t);
        say(t, ", length = %.3g%s\n", number(c, 6, 9), law(c));
        break;
    case 2: case 3:
        hard_contact(w, k, i);
        break;
    case 4:
        if (on)
            say(t, "clutch E%d: on %s%s\n", k, on, one_in(c, 2) ? ", backward = true" : "");
        break;
    case 5:
        if (on)
            say(t, "ratchet E%d: on %s, pitch = 0.4, tooth = -9%s\n", k, on, law(c));
        break;
    case 6:
        if (on)
            say(t, "friction E%d: on %s, coefficient = 0.2%s%s\n", k, on, turns ? ", radius = 0.05" : "", one_in(c, 2) ? ", slip = 0.1" : "");
        break;
    default:
        if (on)
            say(t, "friction E%d: on %s, %s\n", k, on, turns ? "moment = 0.4" : "force = 0.4");
        break;
    }
}

/* The plane is where the wheel touches it at the start. */
void rolling(struct workshop *w)
{
    struct chance *c = &w->d->chance;
    double at[3], r = number(c, 0.1, 0.4);
    int i = pick(c, w->n), rows = w->spatial ? 3 : 2;
    if (!one_in(c, 3) || !w->body[i].known || w->freedom - rows < 1)
        return;
    world(w, i, w->body[i].P, at);
    at[w->spatial ? 2 : 1] -= r;
    say(&w->d->model, "wheel W: between B%d.P and ground @ ", i + 1);
    vector(w, &w->d->model, at);
    say(&w->d->model, w->spatial ? ", normal = [0, 0, 1], axis = [0, 1, 0], radius = %.17g\n" : ", normal = [0, 1], radius = %.17g\n", r);
    w->freedom -= rows;
    w->constrained += rows;
}

void events(struct workshop *w)
{
    struct chance *c = &w->d->chance;
    struct text *t = &w->d->model;
    if (!one_in(c, 5))
        return;
    say(t, "discrete count = 0, level = %.3g\n", number(c, 0.1, 1));
    say(t, "when high: B1.P[2] > 0.3 and count < 4 { count = count + 1, level = -level }\n");
    if (one_in(c, 2))
        say(t, "every 0.2 { level = floor(count/2) + mod(count, 3) }\n");
    if (one_in(c, 2))
        /* with time, since a body may turn about its centre of mass alone: a condition that never changes is refused */
        say(t, "when level == 0.05 { record }\nwhen far: norm(B1.com) > 50 [m] + 1 [m/s]*t { stop \"far\" }\n");
    say(t, w->spatial ? "force F: on B1.P = scale*level*[1, 0.5, count]\n" : "force F: on B1.P = scale*level*[1, count]\n");
}
