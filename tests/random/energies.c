/* SPDX-License-Identifier: GPL-3.0-or-later
 * Random models from energies.  The mass matrix is positive definite: every coordinate has a mass of its own besides
 * the points that move with several.  Every constraint can be solved for a coordinate of its own, on which it depends
 * almost linearly, so that states on the constraints can be found. */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void line(struct draft *d, const char *fmt, char *a, char *b)
{
    struct text *t = &d->model;
    const char *at = fmt;
    for (; *at; at++) {
        if (*at == '$')
            say(t, "%s", a);
        else if (*at == '@')
            say(t, "%s", b);
        else
            say(t, "%c", *at);
    }
    say(t, "\n");
    free(a);
    free(b);
}

static void parameters(struct draft *d)
{
    struct chance *c = &d->chance;
    for (int i = 1, n = pick(c, 5); i <= n; i++) {
        if (i > 1 && one_in(c, 3))
            say(&d->model, "param p%d = %s(p%d, %.3g)\n", i, one_in(c, 2) ? "max" : "min", i - 1, number(c, 0.5, 2));
        else if (one_in(c, 6))
            say(&d->model, "param p%d = sqrt(1 + abs(%.3g))^3\n", i, number(c, -1, 1));
        else
            say(&d->model, "param p%d = %.3g\n", i, number(c, 0.3, 2));
        name_add(&d->param, "p%d", i);
    }
    if (one_in(c, 3)) {
        say(&d->model, "param k[2] = [%.3g, %.3g]\n", number(c, 0.3, 2), number(c, 0.3, 2));
        name_add(&d->param, "k[1]");
        name_add(&d->param, "k[2]");
    }
    if (one_in(c, 3)) {
        say(&d->model, "const e = %d/%d\n", 1 + pick(c, 5), 2 + pick(c, 5));
        name_add(&d->param, "e");
    }
}

static void coordinates(struct draft *d)
{
    struct chance *c = &d->chance;
    int n = 1 + pick(c, 4);
    for (int i = 1; i <= n; i++) {
        say(&d->model, "coord x%d\n", i);
        name_add(&d->coord, "x%d", i);
    }
    if (one_in(c, 3)) {
        int m = 2 + pick(c, 2);
        say(&d->model, "coord y[%d]\n", m);
        for (int i = 1; i <= m; i++)
            name_add(&d->coord, "y[%d]", i);
    }
}

static void functions(struct draft *d)
{
    struct chance *c = &d->chance;
    if (one_in(c, 3)) {
        say(&d->model, "function bump(s) = 1/(1 + (s - %.2g)^2)\n", number(c, -1, 1));
        name_add(&d->smooth, "bump");
    }
    if (one_in(c, 4)) {
        say(&d->model, "table curve(s) = [[-2, %.2g], [-1, %.2g], [0.5, %.2g], [1.5, %.2g], [3, %.2g]]%s\n", number(c, -1, 1),
            number(c, -1, 1), number(c, -1, 1), number(c, -1, 1), number(c, -1, 1), one_in(c, 2) ? " clamped(0.3, -0.2)" : "");
        name_add(&d->rough, "curve");
    }
    if (one_in(c, 5)) {
        say(&d->csv, "s, value\n");
        for (int i = -3; i <= 3; i++)
            say(&d->csv, "%.2g, %.3g\n", i + number(c, -0.3, 0.3), number(c, -1, 1));
        say(&d->model, "table file(s) \"table.csv\"\n");
        name_add(&d->rough, "file");
    }
}

/* An extern function has derivatives by all orders that may be asked for: C of s -> sin(a s) + s^2/3. */
static void externs(struct draft *d)
{
    struct chance *c = &d->chance;
    double a = number(c, 0.4, 1.5);
    if (!one_in(c, 6))
        return;
    say(&d->model, "extern outside(s)\n");
    name_add(&d->smooth, "outside");
    static const char *const order[] = {"", "_1", "_11", "_111", "_1111"};
    say(&d->code, "#include <math.h>\n");
    for (int k = 0; k < 5; k++) {
        say(&d->code, "double outside%s(double s);\ndouble outside%s(double s) { return ", order[k], order[k]);
        for (int j = 0; j < k; j++)
            say(&d->code, "%.17g*", a);
        say(&d->code, "%s%s(%.17g*s)", k % 4 >= 2 ? "-" : "", k % 2 ? "cos" : "sin", a);
        say(&d->code, "%s; }\n", k == 0 ? " + s*s/3" : k == 1 ? " + 2*s/3" : k == 2 ? " + 2.0/3 + 0*s" : "");
    }
    say(&d->inlined, "function outside(s) = sin(%.17g*s) + s^2/3\n", a);
}

static void states(struct draft *d)
{
    struct chance *c = &d->chance;
    int inputs = one_in(c, 3) ? 1 + pick(c, 2) : 0, n = one_in(c, 3) ? 1 + pick(c, 2) : 0;
    for (int i = 1; i <= inputs; i++) {
        say(&d->model, "input u%d = %.2g\n", i, number(c, -1, 1));
        name_add(&d->input, "u%d", i);
    }
    for (int i = 1; i <= n; i++) {
        say(&d->model, "state z%d = %.2g\n", i, number(c, -1, 1));
        name_add(&d->state, "z%d", i);
    }
    d->corners = true;
    for (int i = 1; i <= n; i++)
        line(d, "$' = -$ + @", format("z%d", i), formula(d, 3, ~0u));
}

static const char *coord(struct draft *d)
{
    return d->coord.at[pick(&d->chance, d->coord.n)];
}

static void kinetic(struct draft *d)
{
    struct chance *c = &d->chance;
    d->corners = false;
    for (int i = 0; i < d->coord.n; i++)
        say(&d->model, "kinetic %.3g*%s'^2/2\n", number(c, 0.5, 2), d->coord.at[i]);
    for (int k = 1, n = pick(c, 3); k <= n; k++) {
        unsigned with = WITH_Q | WITH_P | (one_in(c, 4) ? WITH_T : 0);
        say(&d->model, "let P%d = [%s + ", k, coord(d));
        line(d, "$, @]", formula(d, 2, with), formula(d, 2, with));
        say(&d->model, "kinetic %.3g*norm2(P%d')/2\n", number(c, 0.3, 1.5), k);
        if (one_in(c, 3))
            say(&d->model, "potential %.3g*P%d[2]\n", number(c, 1, 9), k);
    }
    if (one_in(c, 3))
        line(d, "kinetic $*@'^2", formula(d, 0, WITH_P), format("%s", coord(d)));
    if (one_in(c, 3))
        line(d, "kinetic $*@'", formula(d, 2, WITH_Q | WITH_P | WITH_T), format("%s", coord(d)));
    if (one_in(c, 6))
        line(d, "kinetic $", formula(d, 2, WITH_Q | WITH_P | WITH_T), NULL);
}

static void forces(struct draft *d)
{
    struct chance *c = &d->chance;
    d->corners = true;
    for (int k = 0, n = 1 + pick(c, 3); k < n; k++)
        line(d, "potential $", formula(d, 3, ~(unsigned)WITH_V), NULL);
    if (one_in(c, 2))
        line(d, "dissipation $*@'^2/2", format("(1.1 + sin(%s))", coord(d)), format("%s", coord(d)));
    if (one_in(c, 4))
        say(&d->model, "dissipation sqrt(1 + %s'^2)*%.2g + abs(%s')^3/3\n", coord(d), number(c, 0.1, 1), coord(d));
    for (int k = 0, n = pick(c, 3); k < n; k++)
        line(d, "force $ = @", format("%s", coord(d)), formula(d, 3, ~0u));
    if (one_in(c, 5) && d->coord.n > 1)
        say(&d->model, "force [%s, %s] = [%.2g*t, -%s]\n", d->coord.at[0], d->coord.at[1], number(c, -2, 2), d->coord.at[0]);
}

static void constraints(struct draft *d)
{
    struct chance *c = &d->chance;
    int n = pick(c, d->coord.n);
    d->corners = false;
    for (int k = 1; k <= n && k <= 3; k++) {
        const char *own = d->coord.at[d->coord.n - k], *t = one_in(c, 3) ? "+ 0.3*sin(t)" : "";
        if (one_in(c, 3))
            say(&d->model, "constraint h%d: %s' + 0.2*sin(%s)*%s' = 0.3*%s%s\n", k, own, coord(d), d->coord.at[0], d->coord.at[0], t);
        else {
            char *f = formula(d, 2, WITH_Q | WITH_P);
            say(&d->model, "constraint g%d: %s + 0.1*sin(%s) = 0.2 %s\n", k, own, f, t);
            free(f);
        }
    }
    if (one_in(c, 4) && d->coord.n > 2)
        say(&d->model, "constraint v: [%s, %s] - 0.2*[sin(%s), cos(%s)] = 0\n", d->coord.at[0], d->coord.at[1], d->coord.at[2], d->coord.at[2]);
}

/* A family of masses on springs in a loop, as people write chains. */
static void family(struct draft *d)
{
    struct chance *c = &d->chance;
    int n = 2 + pick(c, 4);
    if (!one_in(c, 5))
        return;
    say(&d->model, "option n = %d\ncoord w[n]\nparam cw = %.3g\nfor i in 1..n {\n    if i == 1 { let s[i] = w[1] } else { let s[i] = w[i] - w[i-1] }\n"
        "    kinetic %.3g*w[i]'^2/2\n    potential cw*s[i]^2/2 + 0.1*cos(s[i])\n    dissipation 0.1*s[i]'^2/2\n}\n",
        n, number(c, 1, 9), number(c, 0.5, 2));
}

static void component(struct draft *d)
{
    struct chance *c = &d->chance;
    if (!one_in(c, 5))
        return;
    say(&d->model, "component ball(m = %.2g, k = 3) {\n    coord r\n    kinetic m*r'^2*(1 + r^2)/2\n    potential k*r^2/2 + cos(r + t)\n}\n"
        "use a: ball(m = 2)\nuse b: ball(k = %.2g)\npotential (a.r - b.r)^4\n", number(c, 0.5, 2), number(c, 1, 5));
    name_add(&d->coord, "a.r");
}

static void outputs(struct draft *d)
{
    struct chance *c = &d->chance;
    d->corners = true;
    for (int k = 1, n = pick(c, 3); k <= n; k++)
        line(d, "output $ = @", format("o%d", k), formula(d, 3, ~0u));
    if (one_in(c, 2))
        say(&d->model, "output acc = %s''\n", coord(d));
    if (one_in(c, 3))
        say(&d->model, "output pair = [%s, t*%s']\n", coord(d), coord(d));
    for (int i = 0; i < d->coord.n; i++) {
        if (one_in(c, 2))
            say(&d->model, "init %s %c %.3g\n", d->coord.at[i], one_in(c, 3) ? '=' : '~', number(c, -1, 1));
        if (one_in(c, 3))
            say(&d->model, "init %s' ~ %.3g\n", d->coord.at[i], number(c, -1, 1));
    }
}

void energies_write(struct draft *d)
{
    parameters(d);
    coordinates(d);
    component(d);
    functions(d);
    externs(d);
    family(d);
    states(d);
    kinetic(d);
    forces(d);
    constraints(d);
    outputs(d);
}
