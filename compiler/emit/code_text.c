/* SPDX-License-Identifier: GPL-3.0-or-later
 * The text of one row of a tape as a C expression, from the texts of its operands. */
#include "emit/code_row.h"

#include <string.h>

/* In parentheses, where sums are written without the spaces around their signs.  Before another sign they stay: C reads
 * a--b as a decrement. */
static const char *parenthesise(struct code *e, const char *text)
{
    char *out = arena_alloc(e->arena, strlen(text) + 3), *at = out;
    *at++ = '(';
    for (; *text; text++) {
        bool sign = text[0] == ' ' && (text[1] == '+' || text[1] == '-') && text[2] == ' ' && text[3] != '+' && text[3] != '-';
        *at++ = sign ? text[1] : *text;
        text += sign ? 2 : 0;
    }
    *at++ = ')';
    return out;
}

static const char *wrap(struct code *e, int row, enum binding least)
{
    const struct code_row *r = &e->row[row];
    return r->binding >= least ? r->text : parenthesise(e, r->text);
}

static void set(struct code_row *r, enum binding binding, const char *text)
{
    r->binding = binding;
    r->text = text;
}

/* A text and how it binds. */
struct term {
    const char *text;
    enum binding binding;
};

/* left + right or left - right.  A minus that leads the right side turns the sign before it: x - -a*b is x + a*b, the
 * same number, because rounding is symmetric.  `right` binds at least as tightly as a product. */
static const char *sum(struct code *e, const char *left, bool minus, const char *right)
{
    bool turned = right[0] == '-';
    return arena_printf(e->arena, "%s %c %s", left, minus != turned ? '-' : '+', right + turned);
}

static bool is_sum(const struct code *e, int row)
{
    enum tape_op op = e->tape->row[row].op;
    return !e->row[row].named && (op == TAPE_ADD || op == TAPE_SUB);
}

/* The negative of a row.  What is written in place takes the sign inside: -(a - b) is b - a. */
static struct term negative(struct code *e, int row)
{
    const struct tape_row *t = &e->tape->row[row];
    const struct code_row *r = &e->row[row];
    if (!r->named && t->op == TAPE_NUM && r->text[0] == '-')
        return (struct term){ r->text + 1, BIND_PRIMARY };
    if (!r->named && t->op == TAPE_NEG)
        return (struct term){ e->row[t->a].text, e->row[t->a].binding };
    if (is_sum(e, row)) {
        const char *right = wrap(e, t->b, BIND_PRODUCT);
        bool minus = t->op == TAPE_ADD;
        if (!e->row[t->b].named && e->tape->row[t->b].op == TAPE_NEG)
            return (struct term){ NULL, BIND_SUM };
        if (!minus && !is_sum(e, t->a))
            return (struct term){ sum(e, wrap(e, t->b, BIND_SUM), true, wrap(e, t->a, BIND_PRODUCT)), BIND_SUM };
        struct term left = negative(e, t->a);
        if (!left.text)
            return left;
        return (struct term){ sum(e, left.text, minus, right), BIND_SUM };
    }
    if (!r->named && t->op == TAPE_MUL && is_sum(e, t->b)) {
        struct term inner = negative(e, t->b);
        if (inner.text && inner.text[0] != '-')
            return (struct term){
                arena_printf(e->arena, "%s*%s", wrap(e, t->a, BIND_PRODUCT), parenthesise(e, inner.text)), BIND_PRODUCT};
    }
    if (r->text[0] == '-')
        return (struct term){ arena_printf(e->arena, "-%s", parenthesise(e, r->text)), BIND_UNARY };
    return (struct term){arena_printf(e->arena, "-%s", wrap(e, row, BIND_PRODUCT)),
                         r->binding == BIND_PRODUCT ? BIND_PRODUCT : BIND_UNARY};
}

/* The text of what a row negates that is written in place with a leading minus; NULL for any other row. */
static const char *negated(struct code *e, int row)
{
    const struct tape_row *t = &e->tape->row[row];
    if (e->row[row].named || e->row[row].text[0] != '-')
        return NULL;
    if (t->op == TAPE_NEG)
        return wrap(e, t->a, BIND_PRODUCT);
    return e->row[row].binding >= BIND_PRODUCT ? e->row[row].text + 1 : NULL;
}

static void text_sum(struct code *e, const struct tape_row *t, struct code_row *r)
{
    bool minus = t->op == TAPE_SUB;
    const char *right = negated(e, t->b);
    if (right)
        minus = !minus;
    else
        right = wrap(e, t->b, BIND_PRODUCT);
    /* -a + b reads better as b - a and is the same number. */
    const char *left = !minus && right[0] != '-' ? negated(e, t->a) : NULL;
    set(r, BIND_SUM, left ? sum(e, right, true, left) : sum(e, wrap(e, t->a, BIND_SUM), minus, right));
}

static void text_neg(struct code *e, const struct tape_row *t, struct code_row *r)
{
    struct term minus = negative(e, t->a);
    if (minus.text)
        set(r, minus.binding, minus.text);
    else
        set(r, BIND_UNARY, arena_printf(e->arena, "-%s", parenthesise(e, e->row[t->a].text)));
}

/* As a condition of C. */
static const char *text_truth(struct code *e, int row, enum binding least)
{
    if (e->row[row].truth && !e->row[row].named)
        return wrap(e, row, least);
    return arena_printf(e->arena, least > BIND_COMPARE ? "(%s != 0)" : "%s != 0", wrap(e, row, BIND_SUM));
}

/* Functions of lanes, by the helpers of emit/lanes.c: sine, cosine and root at once, others one after the other; truth is 1 or 0. */
static void text_lanes(struct code *e, const struct tape_row *t, struct code_row *r)
{
    const char *a = e->row[t->a].text, *b = t->b >= 0 ? e->row[t->b].text : "0.0", *name = op_info[t->fn].c, *own = NULL;
    enum expr_op fn = (enum expr_op)t->fn;
    own = fn == EXPR_LT ? "is_less" : fn == EXPR_LE ? "is_at_most" : fn == EXPR_EQ ? "is_equal" : fn == EXPR_AND ? "and_lanes" : fn == EXPR_OR ? "or_lanes" : NULL;
    if (fn == EXPR_IF)
        set(r, BIND_PRIMARY, arena_printf(e->arena, "choose(ALL(%s), ALL(%s), ALL(%s))", a, b, e->row[t->c].text));
    else if (fn == EXPR_NOT)
        set(r, BIND_PRIMARY, arena_printf(e->arena, "is_equal(ALL(%s), no_lanes)", a));
    else if (own)
        set(r, BIND_PRIMARY, arena_printf(e->arena, "%s(ALL(%s), ALL(%s))", own, a, b));
    else if (fn == EXPR_SIN || fn == EXPR_COS)
        set(r, BIND_PRIMARY, arena_printf(e->arena, "%s_lanes(ALL(%s))", name, a));
    else if (t->b >= 0)
        set(r, BIND_PRIMARY, arena_printf(e->arena, "each2(%s, ALL(%s), ALL(%s))", name, a, b));
    else
        set(r, BIND_PRIMARY, arena_printf(e->arena, "each(%s, ALL(%s))", name, a));
}

static void text_function(struct code *e, const struct tape_row *t, struct code_row *r)
{
    const char *name = op_info[t->fn].c;
    struct arena *arena = e->arena;
    if (e->lanes) {
        text_lanes(e, t, r);
        return;
    }
    if (r->gathered) {
        set(r, BIND_PRIMARY, r->gathered);
        return;
    }
    switch ((enum expr_op)t->fn) {
#define COMPARE(sign) arena_printf(arena, "%s " sign " %s", wrap(e, t->a, BIND_SUM), wrap(e, t->b, BIND_SUM))
    case EXPR_LT: set(r, BIND_COMPARE, COMPARE("<")), r->truth = true; return;
    case EXPR_LE: set(r, BIND_COMPARE, COMPARE("<=")), r->truth = true; return;
    case EXPR_EQ: set(r, BIND_COMPARE, COMPARE("==")), r->truth = true; return;
#undef COMPARE
    case EXPR_AND:
        set(r, BIND_AND,
            arena_printf(arena, "%s && %s", text_truth(e, t->a, BIND_COMPARE), text_truth(e, t->b, BIND_COMPARE)));
        r->truth = true;
        return;
    case EXPR_OR:
        set(r, BIND_OR,
            arena_printf(arena, "%s || %s", text_truth(e, t->a, BIND_COMPARE), text_truth(e, t->b, BIND_COMPARE)));
        r->truth = true;
        return;
    case EXPR_NOT:
        set(r, BIND_UNARY, arena_printf(arena, "!%s", text_truth(e, t->a, BIND_UNARY)));
        r->truth = true;
        return;
    case EXPR_IF:
        set(r, BIND_CHOICE,
            arena_printf(arena, "%s ? %s : %s", text_truth(e, t->a, BIND_COMPARE), wrap(e, t->b, BIND_OR),
                         wrap(e, t->c, BIND_OR)));
        return;
#include "expr/function_cases.inc"
    case EXPR_POW: case EXPR_NUM: case EXPR_SYM: case EXPR_ADD: case EXPR_MUL: case EXPR_CALL: case EXPR_HOLD:
        break;
    }
    set(r, BIND_PRIMARY, t->b >= 0 ? arena_printf(arena, "%s(%s, %s)", name, e->row[t->a].text, e->row[t->b].text)
                                   : arena_printf(arena, "%s(%s)", name, e->row[t->a].text));
}

static void text_call(struct code *e, const struct tape_row *t, struct code_row *r)
{
    const char *text = e->call(e->user, t->fn);
    int at[4], n = code_operands(t, at);
    /* The C name may carry leading arguments: "spline(&f, 1, " or "f_1(". */
    for (int k = 0; k < n; k++)
        text = arena_printf(e->arena, "%s%s%s", text, k ? ", " : "", e->row[at[k]].text);
    set(r, BIND_PRIMARY, arena_printf(e->arena, "%s)", text));
}

static void text_leaf(struct code *e, const struct tape_row *t, struct code_row *r)
{
    if (t->op == TAPE_NUM) {
        const char *text = c_number(e->arena, e->tape->num[t->a]);
        set(r, text[0] == '-' ? BIND_UNARY : BIND_PRIMARY, text);
        return;
    }
    if (t->op == TAPE_CONST) {
        set(r, BIND_PRIMARY, arena_printf(e->arena, "%s[%s]", e->c_name, e->constant[t->a]));
        return;
    }
    const struct code_symbols *s = &e->symbols[t->a];
    int index = t->b;
    if (t->a == SYM_TIME)
        set(r, BIND_PRIMARY, e->time);
    else if (s->local)
        set(r, BIND_PRIMARY, s->local[index]);
    else if (s->index && !(e->tape->rows > LONG_TAPE && (t->a == SYM_Q || t->a == SYM_V)))
        set(r, BIND_PRIMARY, arena_printf(e->arena, "%s[%s]", s->array, s->index[index]));
    else
        set(r, BIND_PRIMARY, arena_printf(e->arena, "%s[%d]", s->array, index));
}

void code_text(struct code *e, int k)
{
    const struct tape_row *t = &e->tape->row[k];
    struct code_row *r = &e->row[k];
    switch (t->op) {
    case TAPE_NUM: case TAPE_SYM: case TAPE_CONST: text_leaf(e, t, r); return;
    case TAPE_ADD: case TAPE_SUB: text_sum(e, t, r); return;
    case TAPE_MUL: case TAPE_DIV:
        set(r, BIND_PRODUCT,
            arena_printf(e->arena, "%s%c%s", wrap(e, t->a, BIND_PRODUCT), t->op == TAPE_MUL ? '*' : '/',
                         wrap(e, t->b, BIND_PRIMARY)));
        return;
    case TAPE_NEG: text_neg(e, t, r); return;
    case TAPE_SQRT: set(r, BIND_PRIMARY, arena_printf(e->arena, e->lanes ? "each(sqrt, ALL(%s))" : "sqrt(%s)", e->row[t->a].text)); return;
    case TAPE_FN: text_function(e, t, r); return;
    case TAPE_CALL: text_call(e, t, r); return;
    }
}
