/* SPDX-License-Identifier: GPL-3.0-or-later
 * The table of units, reading them, and arithmetic of dimensions. */
#include "model/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const base_name[DIM_BASES] = {"m", "kg", "s", "A", "K"};

/* name, exponents of m kg s A K, SI units in one as num/den; factor, if not 0, multiplies that. */
static const struct named_unit {
    const char *name;
    int8_t e[DIM_BASES];
    int64_t num, den;
    double factor;
    bool prefixed;          /* takes n u m c k M G */
    int8_t angle;           /* exponent of the radian */
} named[] = {
    {"m", {1, 0, 0, 0, 0}, 1, 1, 0, true, 0},
    {"kg", {0, 1, 0, 0, 0}, 1, 1, 0, false, 0},
    {"s", {0, 0, 1, 0, 0}, 1, 1, 0, true, 0},
    {"A", {0, 0, 0, 1, 0}, 1, 1, 0, true, 0},
    {"K", {0, 0, 0, 0, 1}, 1, 1, 0, false, 0},
    {"N", {1, 1, -2, 0, 0}, 1, 1, 0, true, 0},
    {"J", {2, 1, -2, 0, 0}, 1, 1, 0, true, 0},
    {"W", {2, 1, -3, 0, 0}, 1, 1, 0, true, 0},
    {"Pa", {-1, 1, -2, 0, 0}, 1, 1, 0, true, 0},
    {"Hz", {0, 0, -1, 0, 0}, 1, 1, 0, true, 0},
    {"C", {0, 0, 1, 1, 0}, 1, 1, 0, true, 0},
    {"V", {2, 1, -3, -1, 0}, 1, 1, 0, true, 0},
    {"Ohm", {2, 1, -3, -2, 0}, 1, 1, 0, true, 0},
    {"H", {2, 1, -2, -2, 0}, 1, 1, 0, true, 0},
    {"F", {-2, -1, 4, 2, 0}, 1, 1, 0, true, 0},
    {"Wb", {2, 1, -2, -1, 0}, 1, 1, 0, true, 0},
    {"T", {0, 1, -2, -1, 0}, 1, 1, 0, true, 0},
    {"rad", {0}, 1, 1, 0, true, 1},
    {"g", {0, 1, 0, 0, 0}, 1, 1000, 0, true, 0},
    {"l", {3, 0, 0, 0, 0}, 1, 1000, 0, true, 0},
    {"min", {0, 0, 1, 0, 0}, 60, 1, 0, false, 0},
    {"h", {0, 0, 1, 0, 0}, 3600, 1, 0, false, 0},
    {"bar", {-1, 1, -2, 0, 0}, 100000, 1, 0, true, 0},
    {"deg", {0}, 1, 180, M_PI, false, 1},
    {"rpm", {0, 0, -1, 0, 0}, 1, 30, M_PI, false, 1},
};
static const struct { char letter; int64_t num, den; } prefix[] = {
    {'n', 1, 1000000000}, {'u', 1, 1000000}, {'m', 1, 1000},          {'c', 1, 100},
    {'k', 1000, 1},       {'M', 1000000, 1}, {'G', 1000000000, 1},
};
enum { UNITS = sizeof named / sizeof *named, PREFIXES = sizeof prefix / sizeof *prefix };

static struct dim dim_of(const int8_t e[DIM_BASES])
{
    struct dim d = DIM_PURE;
    for (int i = 0; i < DIM_BASES; i++)
        d.exponent[i] = (int16_t)(e[i] * DIM_PARTS);
    return d;
}

struct dim dim_joule(void)
{
    return dim_of((const int8_t[]){2, 1, -2, 0, 0});
}

struct dim dim_second(void)
{
    return dim_of((const int8_t[]){0, 0, 1, 0, 0});
}

struct dim dim_angle(void)
{
    return (struct dim){.kind = DIM_KNOWN, .angle = DIM_PARTS};
}

static struct dim dim_named(const struct named_unit *u)
{
    struct dim d = dim_of(u->e);
    d.angle = (int16_t)(u->angle * DIM_PARTS);
    return d;
}

/* --- arithmetic of dimensions ---------------------------------------------------------------------- */

bool dim_equal(struct dim a, struct dim b)
{
    return a.kind == DIM_KNOWN && b.kind == DIM_KNOWN && !memcmp(a.exponent, b.exponent, sizeof a.exponent);
}

bool dim_agrees(struct dim a, struct dim b)
{
    return a.kind != DIM_KNOWN || b.kind != DIM_KNOWN || dim_equal(a, b);
}

bool dim_is_pure(struct dim d)
{
    return dim_agrees(d, DIM_PURE);
}

struct dim dim_common(struct dim a, struct dim b)
{
    struct dim d = a.kind == DIM_KNOWN ? a : b.kind == DIM_KNOWN ? b : a.kind == DIM_ANY ? a : b;
    d.angle = a.angle ? a.angle : b.angle;      /* an arc over a radius, added to an angle, is one */
    return d;
}

/* a * b^sign; exponents too large to keep make the dimension unknown. */
static struct dim dim_combine(struct dim a, struct dim b, int sign)
{
    if (a.kind == DIM_ANY || b.kind == DIM_ANY)
        return DIM_OF_ANY;
    int angle = a.angle + sign * b.angle;
    struct dim d = {.kind = DIM_KNOWN, .angle = (int16_t)(abs(angle) <= INT16_MAX ? angle : 0)};
    if ((a.kind == DIM_NUMBER && dim_is_pure(b)) || (b.kind == DIM_NUMBER && dim_is_pure(a)))
        d.kind = DIM_NUMBER;
    for (int i = 0; i < DIM_BASES; i++) {
        int e = a.exponent[i] + sign * b.exponent[i];
        if (e > INT16_MAX || e < INT16_MIN)
            return DIM_OF_ANY;
        d.exponent[i] = (int16_t)e;
    }
    return d;
}

struct dim dim_mul(struct dim a, struct dim b)
{
    return dim_combine(a, b, 1);
}

struct dim dim_div(struct dim a, struct dim b)
{
    return dim_combine(a, b, -1);
}

struct dim dim_pow(struct dim a, const struct number *power)
{
    double angle = a.angle * power->value;
    a.angle = (int16_t)(fabs(angle) <= INT16_MAX ? lrint(angle) : 0);
    for (int i = 0; i < DIM_BASES; i++) {
        double e = a.exponent[i] * power->value;
        if (fabs(e - rint(e)) > 1e-9 || fabs(e) > INT16_MAX)
            return DIM_OF_ANY;
        a.exponent[i] = (int16_t)lrint(e);
    }
    return a;
}

/* --- text ------------------------------------------------------------------------------------------ */

static const char *exponent_text(int twelfths, struct arena *arena)
{
    int num = abs(twelfths), den = DIM_PARTS;
    for (int k = 2; k <= 3; k++)
        while (num % k == 0 && den % k == 0) {
            num /= k;
            den /= k;
        }
    return den > 1 ? arena_printf(arena, "^(%d/%d)", num, den) : num > 1 ? arena_printf(arena, "^%d", num) : "";
}

static const char *base_text(struct dim d, struct arena *arena)
{
    static const int order[DIM_BASES] = {1, 0, 2, 3, 4};    /* kg first, as usual */
    const char *text = "";
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int k = 0; k < DIM_BASES; k++) {
            int i = order[k], e = d.exponent[i] * sign;
            if (e <= 0)
                continue;
            const char *join = sign > 0 ? (*text ? "*" : "") : (*text ? "/" : "1/");
            text = arena_printf(arena, "%s%s%s%s", text, join, base_name[i], exponent_text(e, arena));
        }
    return text;
}

/* A named unit of SI.  1/s has none: Hz counts cycles, and a rate is rarely that. */
static const char *derived_name(struct dim d)
{
    for (int i = 0; i < UNITS; i++)
        if (named[i].num == 1 && named[i].den == 1 && strcmp(named[i].name, "Hz") && dim_equal(d, dim_of(named[i].e)))
            return named[i].name;
    return NULL;
}

/* Does d contain nothing but seconds? */
static bool is_of_time(struct dim d)
{
    d.exponent[2] = 0;
    return dim_equal(d, DIM_PURE);
}

const char *dim_unit(struct dim d, struct arena *arena)
{
    if (d.kind == DIM_ANY)
        return "";
    d.kind = DIM_KNOWN;         /* a number times an angle is an angle for the eye */
    if (d.angle == DIM_PARTS && is_of_time(d)) {
        const char *rest = base_text(d, arena);
        return !*rest ? "rad" : d.exponent[2] < 0 ? arena_printf(arena, "rad%s", rest + 1) : arena_printf(arena, "rad*%s", rest);
    }
    if (dim_equal(d, DIM_PURE))
        return "";
    if (abs(d.angle) == DIM_PARTS && dim_equal(d, dim_joule()))
        return "N*m";
    const char *name = derived_name(d);
    return name ? name : base_text(d, arena);
}

const char *dim_show(struct dim d, struct arena *arena)
{
    if (d.kind == DIM_ANY)
        return "of no known unit";
    if (d.kind == DIM_NUMBER || dim_equal(d, DIM_PURE))
        return "a pure number";
    const char *name = dim_unit(d, arena), *base = base_text(d, arena);
    return strcmp(name, base) && !is_of_time(d) ? arena_printf(arena, "%s = %s", name, base) : name;
}

/* --- reading ---------------------------------------------------------------------------------------- */

static struct number scale_of(int64_t num, int64_t den, double factor)
{
    bool exact = factor == 0;
    return (struct number){exact, exact ? num : 0, exact ? den : 1, (double)num / (double)den * (exact ? 1 : factor)};
}

static bool fits(int64_t a, int64_t b)
{
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static struct number scale_mul(struct number a, struct number b, bool divide)
{
    int64_t bn = divide ? b.den : b.num, bd = divide ? b.num : b.den;
    if (a.exact && b.exact && fits(a.num, bn) && fits(a.den, bd)) {
        int64_t g = common_divisor(a.num * bn, a.den * bd);
        return scale_of(a.num * bn / g, a.den * bd / g, 0);
    }
    double v = divide ? a.value / b.value : a.value * b.value;
    return (struct number){false, 0, 1, v};
}

static bool unit_find(const char *name, struct unit *u)
{
    for (int i = 0; i < UNITS; i++)
        if (!strcmp(named[i].name, name)) {
            *u = (struct unit){dim_named(&named[i]), scale_of(named[i].num, named[i].den, named[i].factor), ""};
            return true;
        }
    for (int i = 0; i < UNITS; i++)
        for (int p = 0; p < PREFIXES; p++)
            if (named[i].prefixed && name[0] == prefix[p].letter && !strcmp(named[i].name, name + 1)) {
                struct number s = scale_of(named[i].num, named[i].den, named[i].factor);
                *u = (struct unit){dim_named(&named[i]), scale_mul(s, scale_of(prefix[p].num, prefix[p].den, 0), false), ""};
                return true;
            }
    return false;
}

static struct unit unit_none(void)
{
    return (struct unit){DIM_OF_ANY, scale_of(1, 1, 0), ""};
}

static bool unit_factor(struct compilation *c, const struct ast_expr *e, struct unit *u);

/* e^n with a whole or rational n. */
static bool unit_power(struct compilation *c, const struct ast_expr *e, struct unit *u)
{
    const struct ast_expr *p = e->arg[1];
    int sign = 1;
    if (p->kind == AST_NEG) {
        sign = -1;
        p = p->arg[0];
    }
    double den = 1, num = p->value;
    if (p->kind == AST_DIV && p->arg[0]->kind == AST_NUMBER && p->arg[1]->kind == AST_NUMBER) {
        num = p->arg[0]->value;
        den = p->arg[1]->value;
    } else if (p->kind != AST_NUMBER) {
        den = 0;
    }
    double twelfths = den != 0 ? num / den * DIM_PARTS : NAN;
    if (!(fabs(twelfths) <= 20 * DIM_PARTS && fabs(twelfths - rint(twelfths)) < 1e-9)) {
        diag_error(&c->diags, e->arg[1]->span, "the exponent of a unit is a small number such as 2 or (1/2)");
        return false;
    }
    struct number power = {false, 0, 1, sign * num / den};
    struct unit base;
    if (!unit_factor(c, e->arg[0], &base))
        return false;
    u->dim = dim_pow(base.dim, &power);
    u->scale = scale_of(1, 1, 0);
    if (base.scale.value != 1)
        u->scale = (struct number){false, 0, 1, pow(base.scale.value, power.value)};
    for (int k = 0; base.scale.exact && den == 1 && k < num; k++)
        u->scale = k == 0 && sign > 0 ? base.scale : scale_mul(k ? u->scale : scale_of(1, 1, 0), base.scale, sign < 0);
    return true;
}

static bool unit_factor(struct compilation *c, const struct ast_expr *e, struct unit *u)
{
    if (e->kind == AST_NAME) {
        if (unit_find(e->text, u))
            return true;
        struct suggestion near;
        suggest_init(&near, e->text);
        for (int i = 0; i < UNITS; i++)
            suggest_offer(&near, named[i].name);
        diag_error(&c->diags, e->span, "'%s' is no unit%s", e->text, suggest_text(&near, &c->arena));
        return false;
    }
    if (e->kind == AST_NUMBER && e->value == 1) {
        *u = (struct unit){DIM_PURE, scale_of(1, 1, 0), ""};
        return true;
    }
    if (e->kind == AST_POW)
        return unit_power(c, e, u);
    if (e->kind == AST_MUL || e->kind == AST_DIV) {
        struct unit right;
        const struct ast_expr *spine[64];
        int n = 0;
        for (; n < 64 && (e->kind == AST_MUL || e->kind == AST_DIV); e = e->arg[0])
            spine[n++] = e;
        if (!unit_factor(c, e, u))
            return false;
        while (n-- > 0) {
            if (!unit_factor(c, spine[n]->arg[1], &right))
                return false;
            bool divide = spine[n]->kind == AST_DIV;
            u->dim = divide ? dim_div(u->dim, right.dim) : dim_mul(u->dim, right.dim);
            u->scale = scale_mul(u->scale, right.scale, divide);
        }
        return true;
    }
    diag_error(&c->diags, e->span, "a unit is a product such as kg*m^2/s");
    return false;
}

/* The unit as written, without blanks. */
static const char *unit_text(struct compilation *c, const struct ast_expr *e)
{
    unsigned n = e->span.end - e->span.begin, k = 0;
    char *text = arena_alloc(&c->arena, n + 1);
    for (unsigned i = 0; i < n; i++) {
        char ch = e->span.source->text[e->span.begin + i];
        if (ch == '#')
            break;
        if (ch > ' ')
            text[k++] = ch;
    }
    return text;
}

/* N*m/rad is what others write N*m: either times an angle is a torque, times two an energy. */
static bool is_torque_by_angle(struct dim d)
{
    struct dim joule = dim_joule();
    joule.exponent[2] = d.exponent[2];          /* with any power of seconds: a damping */
    return d.angle == -DIM_PARTS && dim_equal(d, joule);
}

struct unit unit_read(struct compilation *c, const struct ast_expr *e)
{
    struct unit u;
    if (!e || !unit_factor(c, e, &u))
        return unit_none();
    if (is_torque_by_angle(u.dim))
        u.dim.angle = 0;
    u.text = unit_text(c, e);
    return u;
}

struct dim dim_of_text(const char *text)
{
    struct dim d = DIM_PURE;
    for (bool divide = false; *text; text += *text != 0) {
        char name[16];
        struct unit u;
        size_t n = strcspn(text, "*/^");
        memcpy(name, text, n);
        name[n] = 0;
        text += n;
        int power = 1;
        if (*text == '^') {
            power = text[1] - '0';
            text += 2;
        }
        if (!unit_find(name, &u))
            abort();        /* our own tables have no other units */
        for (; power; power--)
            d = divide ? dim_div(d, u.dim) : dim_mul(d, u.dim);
        divide = *text == '/';
    }
    return d;
}
