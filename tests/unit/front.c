/* SPDX-License-Identifier: GPL-3.0-or-later
 * From text to the checked model: values, derivatives, units, control statements, tables.  Most cases
 * look at the dump of the model, which shows every expression in canonical form. */
#include "../tap.h"
#include "model/check.h"

#include <stdlib.h>
#include <string.h>

static const char *const *define;
static int defines;

struct run {
    struct compilation c;
    struct pool *pool;
    struct model m;
    bool good;
};

static void run_begin(struct run *r, const char *text)
{
    struct front_options o = {.define = define, .defines = defines};
    compilation_init(&r->c, &o);
    r->pool = pool_new();
    r->good = model_check(&r->c, ast_read(&r->c, source_text(&r->c.sources, "t", text, strlen(text))), r->pool, &r->m);
}

static void run_end(struct run *r)
{
    pool_free(r->pool);
    compilation_fini(&r->c);
}

/* The model's dump, or its messages. */
static char *dump(const char *text)
{
    struct run r;
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    run_begin(&r, text);
    if (r.good)
        dump_model(out, &r.m);
    fputs(diags_render(&r.c.diags), out);
    fclose(out);
    run_end(&r);
    return got;
}

static void has(const char *text, const char *want, const char *what)
{
    char *got = dump(text);
    if (!ok(strstr(got, want) != NULL, "%s", what))
        printf("# got:\n%s\n# without:\n%s\n", got, want);
    free(got);
}

static void lacks(const char *text, const char *unwanted, const char *what)
{
    char *got = dump(text);
    if (!ok(!strstr(got, unwanted), "%s", what))
        printf("# got:\n%s\n# with:\n%s\n", got, unwanted);
    free(got);
}

#define MODEL "model m\ncoord x, y\nkinetic x'^2/2 + y'^2/2\n"

static void values(void)
{
    has(MODEL "output a = [[1, 2], [3, 4]]*[5, 6]\n", "output a.x = 17\noutput a.y = 39\n", "matrix times vector");
    has(MODEL "let A = [[1, 2], [3, 4]]\noutput a = (A*transpose(A))[2, 1]\n", "output a = 11\n", "matrix times matrix");
    has(MODEL "output a = dot([1, 2, 3], [4, 5, 6])\n", "output a = 32\n", "dot");
    has(MODEL "output a = cross([1, 0, 0], [0, 1, 0])\n", "output a.x = 0\noutput a.y = 0\noutput a.z = 1\n", "cross");
    has(MODEL "output a = cross([1, 2], [3, 4])\n", "output a = -2\n", "cross in the plane");
    has(MODEL "output a = norm([3, 4]) + norm2([1, 2])\n", "output a = 10\n", "norm");
    has(MODEL "output a = sum([1, 2, 3]) + size([1, 2, 3, 4])\n", "output a = 10\n", "sum, size");
    has(MODEL "output a = diag([1, 2])[2]\n", "output a.x = 0\noutput a.y = 2\n", "diag and a row");
    has(MODEL "output a = outer([1, 2], [3, 4])\n", "output a[2,1] = 6\n", "outer");
    has(MODEL "output a = concat(1, [2, 3], 4)\n", "output a[4] = 4\n", "concat");
    has(MODEL "output a = identity(2)*[x, y]\n", "output a.x = x\noutput a.y = y\n", "identity");
    has(MODEL "output a = if(2 > 1 and not 1 == 2, 5, 6)\n", "output a = 5\n", "conditions fold");
    has(MODEL "output a = max(1, 3, 2) - min(4, 2)\n", "output a = 1\n", "min, max");
    has(MODEL "output a = 1/3 + 1/6\n", "output a = 1/2\n", "exact fractions");
    has(MODEL "output a = 2^3^2 - -2^2\n", "output a = 516\n", "powers");
    has(MODEL "function f(u, v) = u + 2*v\noutput a = f(x, f(1, y))\n", "output a = x + 4*y + 2\n", "functions");
    has(MODEL "function f(u) = dot(u, u)\noutput a = f([x, 2])\n", "output a = x^2 + 4\n", "functions of vectors");
}

static void derivatives(void)
{
    has(MODEL "let P = [x*t, x^2]\noutput a = P'\n", "output a.x = x + t*x'\noutput a.y = 2*x*x'\n", "total derivative");
    has(MODEL "output a = (x^2)''\n", "output a = 2*x'^2 + 2*x*x''\n", "twice");
    has(MODEL "output b = a'\nlet a = 3*y\n", "output b = 3*y'\n", "a let further down");
    has("model m\ncoord q[3]\nkinetic norm2(q')/2\noutput a = q'[2] + q[2]'\n", "output a = 2*q[2]'\n", "vectors of coordinates");
    has(MODEL "state z = 1\nz' = -z\nlet a = z^2\noutput b = a'\n", "output b = -2*z^2\n", "through a state");
    has(MODEL "state z, w\nz' = w\nw' = z' + x\noutput b = w''\n", "output b = x + x' + w\n", "rates of states use each other");
}

static void statements(void)
{
    has(MODEL "constraint v: x' = y\nconstraint h: [x, y] = [1, 2]\noutput f = lambda(v), g = lambda(h)\n",
        "constraint h.x    0 = x - 1\nconstraint h.y    0 = y - 2\nconstraint on velocities v    0 = x' - y\n", "holonomic rows come first");
    has(MODEL "constraint v: x' = y\nconstraint h: [x, y] = [1, 2]\noutput f = lambda(v), g = lambda(h.y)\n",
        "output f = lambda(v)\noutput g = lambda(h.y)\n", "multipliers by name");
    has("model m\ncoord q[4]\nkinetic norm2(q')\nconstraint c: q = 0\n", "constraint c[4]    0 = q[4]\n", "names of longer vectors");
    has(MODEL "init [x, y] ~ [1, 2], x' = 3\n", "coord x    start ~ 1, velocity = 3\ncoord y    start ~ 2, velocity free 0\n", "init");
    has(MODEL "force [x, y] = [1, t]\nforce x = 2\n", "force x = 1\nforce y = t\nforce x = 2\n", "force");
    has(MODEL "for i in 1..3 { let c[i] = i*x }\nfor i in 1..2 {\n let s = c[i + 1]\n potential s^2\n}\n",
        "potential 4*x^2\npotential 9*x^2\n", "for, families, local names");
    has(MODEL "for i in 2..1 { potential 1 }\n", "kinetic", "an empty range");
    has(MODEL "option o = false\nif o { potential x } else if 1 < 2 { potential 2*x } else { potential 3*x }\n",
        "potential 2*x\n", "if, else if");
    has(MODEL "param k[2] = [1, 2], l[2] = 3\npotential dot(k, l)\n", "param k[2] = 2\nparam l[1] = 3\nparam l[2] = 3\n", "vectors of parameters");
    has(MODEL "param a = 2, b = 3*a\npotential b\n", "param b = 3*a\n", "defaults use earlier ones");
    has(MODEL "simulate { to = 2*pi, solver = radau5, rtol = 1e-6 }\n", "simulate to = 6.283185307179586\n", "simulate");
    has(MODEL "extern f(a, b)\npotential f(x, y)\n", "extern f\n", "extern");
    has("model m\ncoord x\nlet E = 1, I1 = 2, S = 3, d = E*I1*S\nkinetic d*x'^2\n", "kinetic 6*x'^2\n", "names like units");
}

static void options(void)
{
    static const char *const given[] = {"n=3", "on"};
    const char *text = MODEL "option n = 1, on = false\nif on { potential n*x }\n";
    lacks(text, "potential", "options have defaults");
    define = given;
    defines = 2;
    has(text, "potential 3*x\n", "and are set from outside");
    define = (const char *const[]){"nn=3"};
    defines = 1;
    has(text, "error: -D nn=3: the model has no option 'nn'", "an unknown one");
    define = (const char *const[]){"on=3"};
    has(text, "error: -D on=3: the option 'on' is true or false", "a wrong value");
    defines = 0;
}

/* A number without a unit takes the unit that is needed where it stands alone or only pure numbers multiply it, and is a
 * pure factor elsewhere, whatever its value; a name without a unit fits everywhere; a unit may be written behind a number. */
static void numbers(void)
{
#define UNITS "model m\nparam m: kg = 1\ncoord x: m, phi: rad\nkinetic m*x'^2/2 + 1 [kg*m^2]*phi'^2/2\n"
    static const char *const number[] = {"0.5", "0.51", "9.81", "10", "1", "5", "0.7", "1e3", "1/2", "pi"};
    char text[500], what[100];
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        const char *x = number[i];
        const struct { const char *line; bool good; } c[] = {
            {"const r = %s\npotential m*9.81 [m/s^2]*r\n", true}, {"let r = %s\npotential m*9.81 [m/s^2]*r\n", true},
            {"param r = %s\npotential m*9.81 [m/s^2]*r\n", true}, {"potential m*(%s)*x\n", false},
            {"force x = sin((%s)*t)\n", false}, {"force x = sin(t) + %s\n", false}, {"force x = %s\n", true},
            {"force x = (%s)*sin(phi) + m*x''/(1 [kg])\n", false}, {"force x = (%s)*sin(phi)\n", true},
            {"force x = -(%s)*x'\n", false}, {"output a: m = x + %s\n", true}, {"init x = %s\n", true},
            {"potential m*x*norm([%s, 0])\n", false}};
        for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
            int n = snprintf(text, sizeof text, "%s", UNITS);
            snprintf(text + n, sizeof text - (size_t)n, c[k].line, x);
            snprintf(what, sizeof what, "%s with %s", c[k].good ? "fits" : "does not fit", x);
            (c[k].good ? lacks : has)(text, "error", what);
        }
    }
    has(UNITS "potential m*10 [m/s^2]*x\n", "potential 10*m*x\n", "a number with its unit");
    has(UNITS "force phi = sin(2.5 [rad/s]*t)*3 [N*mm]\n", "force phi = 3*sin(2.5*t)/1000\n", "also in another unit than that of SI");
    has(UNITS "potential 1 [J]*sin(30 [deg])*phi\n", "potential 0.49999999999999994*phi\n", "degrees");
    has(UNITS "potential m*3 [m/s]*x\n", "must be in J = kg*m^2/s^2, but it is kg*m^2/s", "the unit is checked");
    has(UNITS "potential m*9.81*x\n", "if this number is a quantity, write its unit: 9.81 [m/s^2]", "the cure is said");
    has(UNITS "force x = sin(0.7*t)\n", "if this number is a quantity, write its unit: 0.7 [rad/s]", "the cure for an angle");
    has(UNITS "force x = sin(t)\n", "a factor in rad/s makes it one: 1 [rad/s]", "the cure without a number");
    has(UNITS "force x = 3 [1]\n", "must be in N = kg*m/s^2, but it is a pure number", "a number that is said to be pure");
    has(UNITS "for i in 1..2 [m] { force x = 1 }\n", "must be a whole number", "no lengths of loops");
    has("model m\nparam m = 1\ncoord x\nkinetic m*x'^2/2\nforce x = 2 [N] + sin(t)\n", "the argument of sin", "a unit of a number is a unit of the model");
}

/* Units of outputs that say none. */
static void labels(void)
{
    static const struct { const char *value, *unit; } c[] = {
        {"phi'", "rad/s"}, {"phi", "rad"}, {"2*phi''", "rad/s^2"}, {"phi'^2", "1/s^2"}, {"l*phi'", "m/s"}, {"x/l + phi", "rad"},
        {"atan2(x, l)", "rad"}, {"m*l^2*phi''", "N*m"}, {"m*l^2*phi'^2", "J"}, {"m*x''", "N"}, {"x'/x", "1/s"}, {"1 [rpm]", "rad/s"},
        {"phi*t", "rad*s"}, {"1 [Hz]", "1/s"}, {"lambda(turn)", "N*m"}, {"lambda(slide)", "N"},
        {"3 [N*m/rad]*phi", "N*m"}, {"3 [N*m]*phi", "N*m"}, {"3 [N*m/rad]*phi^2/2", "J"}, {"3 [N*m*s/rad]*phi'", "N*m"}, {"m*x'^2/2", "J"}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        char text[400], want[100];
        snprintf(text, sizeof text, "%sparam l: m = 1\nconstraint turn: phi = 0\nconstraint slide: x = 0\noutput a = %s\n", UNITS, c[i].value);
        snprintf(want, sizeof want, "output a: %s = ", c[i].unit);
        has(text, want, c[i].value);
    }
}

static void units(void)
{
    const char *base = "model m\nparam l: mm = 7, k: m = 2*l, a: deg = 30, w: rpm = 60, M: t = 1\n";
    has(base, "'t' is no unit", "no tonne, t is the time");
    base = "model m\ncoord x: m\nparam l: mm = 7, j: m = 2*l, k: mm = j, a: deg = 30, m1: g = 5\nkinetic m1*x'^2/2\n"
           "output b = l, c: mm = j, d = a, e: cm = x\n";
    has(base, "param l: mm = 7\nparam j: m = l/500\nparam k: mm = 1000*j\n", "values convert between units");
    has(base, "kinetic x'^2*m1/2000\n", "quantities are in SI units inside");
    has(base, "output b: m = l/1000\noutput c: mm = 1000*j\noutput d: rad = 0.017453292519943295*a\noutput e: cm = 100*x\n", "outputs in theirs");
    has("model m\ncoord x: m\nparam c: N/mm = 2, m: kg = 1\nkinetic m*x'^2/2\npotential c*x^2/2\n", "potential 500*x^2*c\n", "quotients of units");
    has("model m\ncoord x: m\nparam A: mm^2 = 2, p: bar = 3, m: kg = 1\nkinetic m*x'^2/2\nforce x = A*p\n", "force x = A*p/10\n", "powers of units");
    numbers();
    labels();
    has("model m\ncoord phi\nkinetic phi'^2/2\npotential 1 - cos(phi) + sin(t)\n", "potential", "without units nothing is checked");
    has("model m\ncoord x: m\nlet D: N/m = [[1, 0], [0, 2.5]]\nparam m: kg = 1\nkinetic m*x'^2/2\npotential D[2, 2]*x^2/2\n",
        "potential 1.25*x^2\n", "bare numbers take the unit of a let");
}

static void components(void)
{
    const char *text = "model m\ncomponent c(l: m = 1, m: g = 500) {\n coord x: m\n kinetic m*x'^2/2\n constraint r: x = l\n"
                       " output f = lambda(r)\n}\nuse A: c(l = 2)\nuse B: c(m = 250)\noutput g = lambda(B.r)\n";
    has(text, "constraint A.r: m    0 = A.x - 2\nconstraint B.r: m    0 = B.x - 1\n", "what a component declares has its name before it");
    has(text, "kinetic A.x'^2/4\nkinetic B.x'^2/8\n", "arguments take their units");
    has(text, "output A.f: N = lambda(A.r)\noutput B.f: N = lambda(B.r)\noutput g: N = lambda(B.r)\n", "multipliers inside and outside");
}

/* Coordinates of joints with an index: in expressions, start values and elements, in both kinds of coordinates, and from
 * outside of a component. */
static void indexed_coordinates(void)
{
    static const char *const kind[2] = {"", "coordinates absolute\n"};
    static const char text[] = "component arm {\n body K { mass = 1, inertia = 1 }\n joint J: revolute(ground, K) angle phi[1]\n"
                               " let c[1] = 3*phi[1]\n}\nuse A: arm()\n"
                               "for i in 1..2 {\n body K[i] { mass = 1, inertia = 1 }\n joint J[i]: revolute(ground, K[i]) angle phi[i]\n"
                               " spring S[i]: on phi[i], stiffness = 2*i\n init phi[i] = i, phi[i]' = 2*i\n}\n"
                               "torque T: on A.phi[1] = phi[1]'\ninit A.phi[1] = 0.5\noutput a = phi[2]', b = A.phi[1]', c = A.c[1]\n";
    char model[1000];
    for (int i = 0; i < 2; i++) {
        snprintf(model, sizeof model, "model m\nplanar\n%s%s", kind[i], text);
        has(model, i ? "potential K[1].angle^2\npotential 2*K[2].angle^2\n" : "potential phi[1]^2\npotential 2*phi[2]^2\n",
            "a spring on an indexed coordinate");
        has(model, i ? "force A.K.angle = K[1].angle'\n" : "force A.phi[1] = phi[1]'\n", "a torque on one of a component");
        has(model, i ? "output a = K[2].angle'\noutput b = A.K.angle'\noutput c = 3*A.K.angle\n"
                     : "output a = phi[2]'\noutput b = A.phi[1]'\noutput c = 3*A.phi[1]\n", "indexed coordinates in expressions");
    }
    has(model, "coord K[2].angle    start ~ 2, velocity ~ 4\n", "their start values");
    snprintf(model, sizeof model, "model m\nplanar\n%soutput d = phi[3]\n", text);
    has(model, "'phi[3]' is not declared", "an index that there is not");
    snprintf(model, sizeof model, "model m\nplanar\n%soutput d = phi\n", text);
    has(model, "'phi' needs an index", "a family is no vector");
    has("model m\nplanar\ncoord phi[2]\nbody K { mass = 1 }\njoint J: revolute(ground, K) angle phi[1]\n", "'phi' is declared already, without an index",
        "a name that is taken");
}

/* A clamped spline through points of a cubic is the cubic: m = 6 x.  1e-12: rounding of a few operations
 * on numbers near 1. */
static void tables(void)
{
    struct run r;
    run_begin(&r, MODEL "table f(u) = [[-1, -1], [0, 0], [0.5, 0.125], [2, 8], [3, 27]] clamped(3, 27)\npotential f(x)\n");
    if (ok(r.good && r.m.table.n == 1, "a table is read"))
        for (int i = 0; i < r.m.table.at[0]->n; i++)
            near(r.m.table.at[0]->m[i], 6 * r.m.table.at[0]->x[i], 1e-12, "second derivative of a cubic");
    run_end(&r);
    run_begin(&r, MODEL "table f(u) = [[0, 1], [1, 3], [2, 5]]\npotential f(x)\n");
    for (int i = 0; r.m.table.n && i < 3; i++)
        near(r.m.table.at[0]->m[i], 0.0, 1e-15, "second derivative of a line");
    run_end(&r);
    run_begin(&r, MODEL "table f(u: mm): N = [[0, 1], [1, 3], [2, 7]]\nforce x = f(x)\n");
    if (ok(r.good, "a table with units"))
        near(r.m.table.at[0]->x[1], 1e-3, 1e-18, "is kept in SI units");
    run_end(&r);
}

int main(void)
{
    values();
    derivatives();
    statements();
    options();
    units();
    components();
    indexed_coordinates();
    tables();
    return tap_done();
}
