/* SPDX-License-Identifier: GPL-3.0-or-later
 * From syntax to values: names, indices, operators, calls of functions, tables and extern functions. */
#include "model/front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *entry_what(const struct entry *e)
{
    switch (e->word) {
    case STMT_PARAM: return "a parameter";
    case STMT_CONST: return "a constant";
    case STMT_OPTION: return "an option";
    case STMT_COORD: return "a coordinate";
    case STMT_STATE: return "a state";
    case STMT_INPUT: return "an input";
    case STMT_FUNCTION: return "a function";
    case STMT_TABLE: return "a table";
    case STMT_EXTERN: return "an extern function";
    default: return "a name";
    }
}

/* Where a name is declared anywhere in the block; for names used too early. */
static bool find_declaration(const struct ast_block *b, const char *name, struct span *at)
{
    for (int i = 0; b && i < b->n; i++) {
        const struct ast_stmt *s = b->at[i];
        for (int j = 0; s->word >= STMT_PARAM && s->word <= STMT_INPUT && j < s->item.n; j++) {
            const struct ast_expr *t = s->item.at[j].target;
            t = t->kind == AST_INDEX ? t->arg[0] : t;
            *at = t->span;
            if (t->kind == AST_NAME && t->text == name)
                return true;
        }
        if (find_declaration(s->body, name, at) || find_declaration(s->otherwise, name, at))
            return true;
    }
    return false;
}

static void unknown_name(struct check *k, const struct scope *s, const struct ast_expr *e)
{
    struct suggestion near;
    struct span later;
    if (diag_said(k->diags, e->at))
        return;
    if (find_declaration(k->tree, e->text, &later) && later.source == e->at.source && later.begin > e->at.begin) {
        diag_error(k->diags, e->at, "'%s' is used before it is declared", e->text);
        diag_note(k->diags, later, "the declaration is here");
        return;
    }
    suggest_init(&near, e->text);
    for (; s; s = s->parent)
        for (const struct entry *x = s->first; x; x = x->next)
            suggest_offer(&near, x->name);
    if (e->kind == AST_CALL)
        builtin_suggest(&near);
    const char *hint = note_name(e->text);
    diag_error(k->diags, e->at, "'%s' is not declared%s%s", e->text, hint ? "; " : "", hint ? hint : suggest_text(&near, k->arena));
}

void entry_evaluate(struct check *k, struct entry *e)
{
    if (e->kind != ENTRY_LET || e->progress != NOT_YET)
        return;
    e->progress = ACTIVE;
    int before = k->diags->errors;
    struct value v = eval(k, e->scope, e->item->value);
    e->value = value_of_name(k, value_in_unit(k, e->item->unit, v, e->item->value, "this"));
    note_turn(k, e->scope, before);
    e->progress = DONE;
}

struct value eval_entry(struct check *k, struct entry *e, struct span span)
{
    e->used = true;
    switch (e->kind) {
    case ENTRY_VALUE:
        return e->value;
    case ENTRY_LET:
        if (e->progress == ACTIVE) {
            diag_error(k->diags, span, "'%s' is defined by itself", e->name);
            diag_note(k->diags, e->span, "its definition is here");
            return VALUE_NONE;
        }
        entry_evaluate(k, e);
        return e->value;
    case ENTRY_FAMILY:
        diag_error(k->diags, span, "'%s' needs an index", e->name);
        break;
    case ENTRY_FUNCTION: case ENTRY_CALL:
        diag_error(k->diags, span, "'%s' is %s and needs arguments in parentheses", e->name, entry_what(e));
        break;
    case ENTRY_JOINT:
        return k->up->coordinate(k, span, e->part, e->slot);
    case ENTRY_COMPONENT:
        diag_error(k->diags, span, "'%s' is a component; it is used by: use NAME: %s(...)", e->name, e->name);
        break;
    }
    return VALUE_NONE;
}

static struct value eval_constant(struct check *k, const struct ast_expr *e)
{
    if (!strcmp(e->text, "pi"))
        return value_scalar(k, expr_double(k->pool, M_PI), DIM_OF_NUMBER);
    if (!strcmp(e->text, "t"))
        return value_scalar(k, k->m->time, k->has_units ? dim_second() : DIM_OF_ANY);
    return value_truth(k, !strcmp(e->text, "true") ? k->pool->one : k->pool->zero);
}

static struct value eval_reference(struct check *k, struct scope *s, const struct ast_expr *e)
{
    if (is_builtin_constant(e->text))
        return eval_constant(k, e);
    struct entry *found = scope_find(s, e->text);
    if (found)
        return eval_entry(k, found, e->span);
    if (is_builtin_function(e->text))
        diag_error(k->diags, e->at, "'%s' is a function and needs arguments in parentheses", e->text);
    else if (!k->up->no_value(k, s, e))
        unknown_name(k, s, e);
    return VALUE_NONE;
}

bool eval_integer(struct check *k, struct scope *s, const struct ast_expr *e, const char *what, int64_t low,
                  int64_t high,
                  int64_t *n)
{
    struct value v = eval(k, s, e);
    if (!v.at)
        return false;
    if (!value_integer(k, &v, n) || !dim_is_pure(v.at[0].dim)) {
        diag_error(k->diags, e->span, "%s must be a whole number known at compile time", what);
        return false;
    }
    if (*n < low || *n > high) {
        diag_error(k->diags, e->span, "%s is %lld, outside %lld..%lld", what, (long long)*n, (long long)low,
                   (long long)high);
        return false;
    }
    return true;
}

const char *eval_name(struct check *k, struct scope *s, const struct ast_expr *e)
{
    if (e->kind == AST_NAME)
        return e->text;
    if (e->kind != AST_INDEX && e->kind != AST_MEMBER) {
        diag_error(k->diags, e->span, "a name is expected here");
        return NULL;
    }
    const char *text = eval_name(k, s, e->arg[0]);
    if (!text)
        return NULL;
    if (e->kind == AST_MEMBER)
        return name_of(&k->c->names, arena_printf(k->arena, "%s.%s", text, e->text));
    for (int i = 1; i < e->n; i++) {
        int64_t n;
        if (!eval_integer(k, s, e->arg[i], "an index", -INT32_MAX, INT32_MAX, &n))
            return NULL;
        text = arena_printf(k->arena, "%s%c%lld", text, i == 1 ? '[' : ',', (long long)n);
    }
    return name_of(&k->c->names, arena_printf(k->arena, "%s]", text));
}

/* v[i] or v[i, j]: an element, or a row of a matrix. */
static struct value index_value(struct check *k, struct scope *s, const struct ast_expr *e, struct value v)
{
    if (v.rank < e->n - 1 || v.truth) {
        static const char *const most[] = {"no index", "one index", "at most two indices"};
        diag_error(k->diags, e->span, "%s has %s", shape_show(&v, k->arena), most[v.rank]);
        return VALUE_NONE;
    }
    for (int i = 1; i < e->n; i++) {
        int64_t n;
        if (!eval_integer(k, s, e->arg[i], "an index", INT32_MIN, INT32_MAX, &n))
            return VALUE_NONE;
        if (n < 1 || n > v.rows) {
            diag_error(k->diags, e->arg[i]->span, "index %lld is outside 1..%d", (long long)n, v.rows);
            return VALUE_NONE;
        }
        v.at += (n - 1) * v.cols;
        v = v.rank == 2 ? (struct value){1, v.cols, 1, false, v.at} : (struct value){0, 1, 1, false, v.at};
    }
    return v;
}

/* Coordinates of flexible bodies have names such as rod.q[2]. */
static bool find_coordinate(struct check *k, struct scope *s, const struct ast_expr *e, struct value *v)
{
    const char *name = eval_name(k, s, e), *full = name ? full_name(k, s, name) : NULL;
    for (int i = 0; name && i < k->m->coord.n; i++)
        if (k->m->coord.at[i].name == name || k->m->coord.at[i].name == full) {
            *v = value_scalar(k, k->m->coord.at[i].q, k->coords.at[i].dim);
            return true;
        }
    *v = VALUE_NONE;
    return !name;
}

/* The scope of a used component, as seen from s: inside a component its own come first. */
static struct scope *use_find(struct check *k, const struct scope *s, const char *name)
{
    for (; s; s = s->parent) {
        if (!s->prefix && s->parent)
            continue;
        const char *full = s->prefix ? name_of(&k->c->names, arena_printf(k->arena, "%s.%s", s->prefix, name)) : name;
        struct scope *use = use_at(k, full);
        if (use)
            return use;
    }
    return NULL;
}

struct entry *entry_find(struct check *k, struct scope *s, const struct ast_expr *e)
{
    if (e->kind == AST_NAME)
        return scope_find(s, e->text);
    if (e->kind == AST_MEMBER) {
        const char *owner = k->uses.n ? eval_name(k, s, e->arg[0]) : NULL;
        const struct scope *use = owner ? use_find(k, s, owner) : NULL;
        return use ? scope_find_here(use, e->text) : NULL;
    }
    const struct entry *family = e->kind == AST_INDEX ? entry_find(k, s, e->arg[0]) : NULL;
    if (!family || family->kind != ENTRY_FAMILY)
        return NULL;
    const char *name = eval_name(k, s, e), *base = eval_name(k, s, e->arg[0]);
    /* arm.phi[1] is known as phi[1] in the scope of arm */
    return name ? scope_find_here(family->scope, name_of(&k->c->names, name + strlen(base) - strlen(family->name))) : NULL;
}

static struct value eval_index(struct check *k, struct scope *s, const struct ast_expr *e)
{
    const struct ast_expr *base = e->arg[0];
    struct entry *member = entry_find(k, s, e), *family = member ? NULL : entry_find(k, s, base);
    if (member)
        return eval_entry(k, member, e->span);
    if (family && family->kind == ENTRY_FAMILY) {
        const char *name = eval_name(k, s, e);
        if (name) {
            diag_error(k->diags, e->span, "'%s' is not declared", name);
            diag_note(k->diags, family->span, "members of '%s' are declared one by one, from here on; a vector is declared without an index", family->name);
        }
        return VALUE_NONE;
    }
    struct value v;
    if (base->kind == AST_MEMBER && find_coordinate(k, s, e, &v))
        return v;
    v = eval(k, s, base);
    return v.at ? index_value(k, s, e, v) : VALUE_NONE;
}

/* --- operators --------------------------------------------------------------------------------------- */

/* A sum or comparison failed: a number without a unit may be the reason. */
static void note_sum(struct check *k, const struct ast_expr *e, const struct value *a, const struct value *b)
{
    bool fault = a->at && b->at && !a->rank && !b->rank && !dim_agrees(a->at[0].dim, b->at[0].dim), below;
    if (fault && bare_factor(e->arg[1], &below))
        note_number(k, e->arg[1], a->at[0].dim, b->at[0].dim);
    else if (fault)
        note_number(k, e->arg[0], b->at[0].dim, a->at[0].dim);
}

static struct value compare(struct check *k, const struct ast_expr *e, struct value a, struct value b)
{
    struct pool *p = k->pool;
    if (!a.at || !b.at)
        return VALUE_NONE;
    bool equality = e->kind == AST_EQ || e->kind == AST_NE;
    if (a.rank || b.rank || a.truth != b.truth || (a.truth && !equality)) {
        diag_error(k->diags, e->span, "%s cannot be compared with %s", shape_show(&a, k->arena),
                   shape_show(&b, k->arena));
        return VALUE_NONE;
    }
    if (!dim_agrees(a.at[0].dim, b.at[0].dim)) {
        diag_error(k->diags, e->span, "units do not agree: left is %s, right is %s", dim_show(a.at[0].dim, k->arena),
                   dim_show(b.at[0].dim, k->arena));
        note_sum(k, e, &a, &b);
        return VALUE_NONE;
    }
    Expr x = a.at[0].e, y = b.at[0].e;
    switch (e->kind) {
    case AST_LT: return value_truth(k, expr_fn2(p, EXPR_LT, x, y));
    case AST_GT: return value_truth(k, expr_fn2(p, EXPR_LT, y, x));
    case AST_LE: return value_truth(k, expr_fn2(p, EXPR_LE, x, y));
    case AST_GE: return value_truth(k, expr_fn2(p, EXPR_LE, y, x));
    case AST_EQ: return value_truth(k, expr_fn2(p, EXPR_EQ, x, y));
    default: return value_truth(k, expr_fn1(p, EXPR_NOT, expr_fn2(p, EXPR_EQ, x, y)));
    }
}

static bool is_truth(struct check *k, const struct ast_expr *e, const struct value *v)
{
    if (v->at && !v->truth)
        diag_error(k->diags, e->span, "a condition is expected here, not %s", shape_show(v, k->arena));
    return v->at && v->truth;
}

static struct value combine(struct check *k, const struct ast_expr *e, const struct ast_expr *left, struct value a,
                            struct value b)
{
    switch (e->kind) {
    case AST_ADD: case AST_SUB: {
        struct value v = value_add(k, e->span, a, b, e->kind == AST_SUB);
        return v.at ? v : (note_sum(k, e, &a, &b), v);
    }
    case AST_MUL: return value_mul(k, e->span, a, b);
    case AST_DIV: return value_div(k, e->span, a, b);
    case AST_POW: return value_pow(k, e->span, a, b);
    case AST_AND: case AST_OR: {
        bool good = is_truth(k, left, &a);
        good = is_truth(k, e->arg[1], &b) && good;
        return good ? value_truth(k, expr_fn2(k->pool, e->kind == AST_AND ? EXPR_AND : EXPR_OR, a.at[0].e, b.at[0].e))
                    : VALUE_NONE;
    }
    default: return compare(k, e, a, b);
    }
}

/* A chain of operators of one precedence, from its leftmost operand on. */
static struct value eval_binary(struct check *k, struct scope *s, const struct ast_expr *e)
{
    struct { const struct ast_expr **at; int n, cap; } spine = {0};
    for (;; e = e->arg[0]) {
        VEC_PUSH(spine, e);
        if (!ast_is_chain(e, e->arg[0]))
            break;
    }
    struct value v = eval(k, s, e->arg[0]);
    for (int i = spine.n; i-- > 0;)
        v = combine(k, spine.at[i], spine.at[i]->arg[0], v, eval(k, s, spine.at[i]->arg[1]));
    free(spine.at);
    return v;
}

static struct value eval_number(struct check *k, const struct ast_expr *e)
{
    size_t digits = strspn(e->text, "0123456789");
    Expr x = !e->text[digits] && digits <= 18 ? expr_int(k->pool, strtoll(e->text, NULL, 10)) : expr_double(k->pool, e->value);
    if (!e->unit)
        return value_scalar(k, x, e->value == 0 ? DIM_OF_ANY : DIM_OF_NUMBER);
    struct unit unit = unit_read(k->c, e->unit);
    return value_scalar(k, expr_mul(k->pool, x, expr_number(k->pool, unit.scale)), unit.dim);
}

/* [a, b] of scalars is a vector, of vectors a matrix with these rows. */
static struct value eval_vector(struct check *k, struct scope *s, const struct ast_expr *e)
{
    struct value v = VALUE_NONE, first = VALUE_NONE;
    bool good = true;
    for (int i = 0; i < e->n; i++) {
        struct value x = eval(k, s, e->arg[i]);
        if (!x.at) {
            good = false;
            continue;
        }
        if (x.rank > 1 || x.truth) {
            diag_error(k->diags, e->arg[i]->span, "%s cannot be an element of a vector", shape_show(&x, k->arena));
            good = false;
        } else if (first.at && !value_same_shape(&first, &x)) {
            diag_error(k->diags, e->arg[i]->span, "the elements of a vector must have one shape: this is %s, the first is %s",
                       shape_show(&x, k->arena), shape_show(&first, k->arena));
            good = false;
        } else if (!first.at) {
            first = x;
            v = value_new(k, e->span, x.rank + 1, e->n, x.rows);
        }
        if (good && v.at)
            memcpy(v.at + i * v.cols, x.at, (size_t)v.cols * sizeof *v.at);
    }
    return good ? v : VALUE_NONE;
}

/* --- calls ------------------------------------------------------------------------------------------- */

static bool argument_count(struct check *k, const struct ast_expr *e, const struct entry *f)
{
    int want = f->stmt->args.n;
    if (e->n == want)
        return true;
    diag_error(k->diags, e->span, "'%s' takes %d argument%s, not %d", f->name, want, want == 1 ? "" : "s", e->n);
    diag_note(k->diags, f->span, "it is declared here");
    return false;
}

/* The argument's value, of the unit its declaration asks for. */
static struct value eval_argument(struct check *k, struct scope *s, const struct ast_expr *arg,
                                  const struct ast_item *formal)
{
    if (arg->kind == AST_NAMED) {
        diag_error(k->diags, arg->span, "arguments of a function have no names");
        return VALUE_NONE;
    }
    return value_in_unit(k, formal->unit, eval(k, s, arg), arg, "this argument");
}

/* A function is inlined: its body is evaluated with the arguments in place of their names. */
static struct value call_function(struct check *k, struct scope *s, const struct ast_expr *e, struct entry *f)
{
    if (f->progress == ACTIVE) {
        diag_error(k->diags, e->span, "'%s' calls itself; functions are inlined and cannot be recursive", f->name);
        diag_note(k->diags, f->span, "it is declared here");
        return VALUE_NONE;
    }
    struct scope *inner = scope_new(k, f->scope);
    bool good = argument_count(k, e, f) && check_work(k, e->span, CHECK_TURN);
    for (int i = 0; good && i < e->n; i++) {
        const struct ast_item *formal = &f->stmt->args.at[i];
        struct entry *x = scope_declare(k, inner, formal->target->text, formal->span, STMT_FUNCTION, ENTRY_VALUE);
        if (x)
            x->value = eval_argument(k, s, e->arg[i], formal);
        good = x && x->value.at;
    }
    if (!good)
        return VALUE_NONE;
    f->progress = ACTIVE;
    int before = k->diags->errors;
    struct value v = eval(k, inner, f->stmt->item.at[0].value);
    f->progress = NOT_YET;
    if (k->diags->errors > before && !k->stopped)
        diag_note(k->diags, e->span, "in this call of '%s'", f->name);
    return value_in_unit(k, f->stmt->unit, v, e, "the result");
}

static struct value call_outside(struct check *k, struct scope *s, const struct ast_expr *e, struct entry *f)
{
    if (!argument_count(k, e, f))
        return VALUE_NONE;
    Expr arg[FN_ARGS];
    bool good = true;
    for (int i = 0; i < e->n; i++) {
        struct value v = eval_argument(k, s, e->arg[i], &f->stmt->args.at[i]);
        if (v.at && (v.rank || v.truth)) {
            diag_error(k->diags, e->arg[i]->span, "an argument of '%s' is a scalar, this is %s", f->name,
                       shape_show(&v, k->arena));
            v.at = NULL;
        }
        good = good && v.at;
        if (v.at)
            arg[i] = v.at[0].e;
    }
    struct unit unit = unit_read(k->c, f->stmt->unit);
    return good ? value_scalar(k, expr_call(k->pool, f->fn, arg), unit.dim) : VALUE_NONE;
}

static struct value call_builtin(struct check *k, struct scope *s, const struct ast_expr *e)
{
    if (!builtin_takes(k, e))
        return VALUE_NONE;
    if (!strcmp(e->text, "lambda")) {
        const char *name = eval_name(k, s, e->arg[0]);
        return name ? builtin_lambda(k, s, e, name) : VALUE_NONE;
    }
    struct value *arg = ARENA_NEW(k->arena, struct value, e->n);
    bool good = true;
    for (int i = 0; i < e->n; i++) {
        arg[i] = eval(k, s, e->arg[i]);
        good = good && arg[i].at;
    }
    return good ? builtin_run(k, e, arg) : VALUE_NONE;
}

static struct value eval_call(struct check *k, struct scope *s, const struct ast_expr *e)
{
    struct entry *f = scope_find(s, e->text);
    if (f && (f->kind == ENTRY_FUNCTION || f->kind == ENTRY_CALL)) {
        f->used = true;
        return f->kind == ENTRY_FUNCTION ? call_function(k, s, e, f) : call_outside(k, s, e, f);
    }
    if (is_builtin_function(e->text))
        return call_builtin(k, s, e);
    if (f) {
        diag_error(k->diags, e->at, "'%s' is %s, not a function; a product needs '*'", e->text, entry_what(f));
        diag_note(k->diags, f->span, "it is declared here");
    } else {
        unknown_name(k, s, e);
    }
    return VALUE_NONE;
}

static struct value eval_one(struct check *k, struct scope *s, const struct ast_expr *e)
{
    switch (e->kind) {
    case AST_NUMBER:
        return eval_number(k, e);
    case AST_NAME:
        return eval_reference(k, s, e);
    case AST_NEG: {
        struct value v = eval(k, s, e->arg[0]);
        if (v.at && v.truth) {
            diag_error(k->diags, e->span, "a condition has no sign; 'not' negates it");
            return VALUE_NONE;
        }
        return value_neg(k, v);
    }
    case AST_NOT: {
        struct value v = eval(k, s, e->arg[0]);
        return is_truth(k, e->arg[0], &v) ? value_truth(k, expr_fn1(k->pool, EXPR_NOT, v.at[0].e)) : VALUE_NONE;
    }
    case AST_ADD: case AST_SUB: case AST_MUL: case AST_DIV: case AST_POW: case AST_LT: case AST_LE: case AST_GT: case AST_GE:
    case AST_EQ: case AST_NE: case AST_AND: case AST_OR:
        return eval_binary(k, s, e);
    case AST_PRIME:
        return value_prime(k, e->span, eval(k, s, e->arg[0]));
    case AST_CALL:
        return eval_call(k, s, e);
    case AST_INDEX:
        return eval_index(k, s, e);
    case AST_VECTOR:
        return eval_vector(k, s, e);
    case AST_STRING:
        diag_error(k->diags, e->span, "a string has no value here");
        return VALUE_NONE;
    case AST_MEMBER:
        return k->up->member(k, s, e);
    case AST_AT:
        return k->up->place(k, s, e);
    case AST_NAMED: case AST_KINDS:
        break;
    }
    diag_error(k->diags, e->span, "this is no value");
    return VALUE_NONE;
}

struct value eval(struct check *k, struct scope *s, const struct ast_expr *e)
{
    if (!check_work(k, e->span, 1))
        return VALUE_NONE;
    if (k->depth >= CHECK_DEEPEST) {
        diag_error(k->diags, e->span, "definitions are nested too deeply here");
        k->stopped = true;
        return VALUE_NONE;
    }
    k->depth++;
    struct value v = eval_one(k, s, e);
    k->depth--;
    return v;
}

struct value eval_scalar(struct check *k, struct scope *s, const struct ast_expr *e, const char *what)
{
    struct value v = eval(k, s, e);
    if (v.at && (v.rank || v.truth)) {
        diag_error(k->diags, e->span, "%s must be a scalar, this is %s", what, shape_show(&v, k->arena));
        return VALUE_NONE;
    }
    return v;
}

bool eval_condition(struct check *k, struct scope *s, const struct ast_expr *e, bool *yes)
{
    struct value v = eval(k, s, e);
    if (!is_truth(k, e, &v))
        return false;
    if (!expr_is_num(k->pool, v.at[0].e)) {
        diag_error(k->diags, e->span, "this condition must be known at compile time; it may use options and constants");
        return false;
    }
    *yes = expr_value(k->pool, v.at[0].e) != 0;
    return true;
}

/* --- what a value may be ------------------------------------------------------------------------------ */

bool value_fits(struct check *k, const struct ast_expr *e, const struct value *v, struct dim dim, const char *what)
{
    for (int i = 0; v->at && i < v->rows * v->cols; i++)
        if (!dim_agrees(v->at[i].dim, dim)) {
            diag_error(k->diags, e->span, "%s must be %s%s, but it is %s", what, dim_is_pure(dim) ? "" : "in ",
                       dim_show(dim, k->arena), dim_show(v->at[i].dim, k->arena));
            note_number(k, v->rank && e->kind == AST_VECTOR && v->cols == 1 ? e->arg[i] : e, dim, v->at[i].dim);
            return false;
        }
    return v->at != NULL;
}

struct value value_of_name(struct check *k, struct value v)
{
    struct value out = v;
    bool copied = false;
    for (int i = 0; v.at && !v.truth && i < v.rows * v.cols; i++)
        if (v.at[i].dim.kind == DIM_NUMBER) {
            if (!copied)
                out.at = arena_copy(k->arena, v.at, (size_t)(v.rows * v.cols) * sizeof *v.at);
            copied = true;
            out.at[i].dim.kind = DIM_ANY;
        }
    return out;
}

struct value value_in_unit(struct check *k, const struct ast_expr *e, struct value v, const struct ast_expr *from,
                           const char *what)
{
    struct unit unit = unit_read(k->c, e);
    if (!v.at || !e)
        return v;
    if (v.truth) {
        diag_error(k->diags, e->span, "a condition has no unit");
        return VALUE_NONE;
    }
    if (!value_fits(k, from, &v, unit.dim, what))
        return VALUE_NONE;
    struct value out = value_new(k, from->span, v.rank, v.rows, v.cols);
    for (int i = 0; out.at && i < v.rows * v.cols; i++) {
        bool bare = v.at[i].dim.kind != DIM_KNOWN;
        out.at[i].e = bare ? expr_mul(k->pool, v.at[i].e, expr_number(k->pool, unit.scale)) : v.at[i].e;
        out.at[i].dim = unit.dim;
    }
    return out;
}

static const char *kind_text(unsigned deps)
{
    static const struct { enum sym_kind kind; const char *text; } name[] = {
        {SYM_A, "an acceleration"}, {SYM_LAMBDA, "a multiplier"}, {SYM_U, "an input"}, {SYM_Z, "a state"},
        {SYM_V, "a velocity"}, {SYM_Q, "a coordinate"}, {SYM_TIME, "the time"}, {SYM_PARAM, "a parameter"},
    };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (deps & DEP(name[i].kind))
            return name[i].text;
    return "this";
}

static unsigned kinds_in(struct check *k, struct scope *s, const struct ast_expr *e)
{
    unsigned kinds = 0;
    struct value v = eval(k, s, e);
    for (int j = 0; v.at && j < v.rows * v.cols; j++)
        kinds |= expr_deps(k->pool, v.at[j].e);
    return kinds;
}

struct operands { const struct ast_expr **at; int n, cap; };

/* The operands of e from left to right, of a whole chain if it is one. */
static struct operands operands_of(const struct ast_expr *e)
{
    struct operands o = {0};
    if (e->kind == AST_PRIME || e->kind == AST_INDEX || e->kind == AST_MEMBER || (e->kind == AST_CALL && !strcmp(e->text, "lambda")))
        return o;       /* these are to blame as a whole */
    for (; e->n; e = e->arg[0]) {
        for (int i = e->n; i-- > 1;)
            VEC_PUSH(o, e->arg[i]);
        if (!ast_is_chain(e, e->arg[0])) {
            VEC_PUSH(o, e->arg[0]);
            break;
        }
    }
    for (int i = 0; i < o.n / 2; i++) {
        const struct ast_expr *swap = o.at[i];
        o.at[i] = o.at[o.n - 1 - i];
        o.at[o.n - 1 - i] = swap;
    }
    return o;
}

/* The first and smallest piece of e whose value contains one of the kinds; *kinds becomes those it has. */
static const struct ast_expr *find_culprit(struct check *k, struct scope *s, const struct ast_expr *e, unsigned *kinds)
{
    for (;;) {
        const struct ast_expr *inner = NULL;
        struct operands o = operands_of(e);
        for (int i = 0; !inner && i < o.n; i++) {
            unsigned found = kinds_in(k, s, o.at[i]) & *kinds;
            if (found) {
                inner = o.at[i];
                *kinds = found;
            }
        }
        free(o.at);
        if (!inner)
            return e;
        e = inner;
    }
}

bool value_allows(struct check *k, struct scope *s, const struct ast_expr *e, const struct value *v, unsigned allowed,
                  const char *where)
{
    unsigned deps = 0;
    for (int i = 0; v->at && i < v->rows * v->cols; i++)
        deps |= expr_deps(k->pool, v->at[i].e);
    if (!(deps & ~allowed))
        return v->at != NULL;
    unsigned bad = deps & ~allowed;
    const struct ast_expr *at = find_culprit(k, s, e, &bad);
    diag_error(k->diags, at->span, "%s must not occur in %s", kind_text(bad), where);
    return false;
}
