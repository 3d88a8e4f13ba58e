/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nodes are made in the compilation's arena.  Depth is bounded here, so that every later pass may walk
 * the tree recursively: a chain a + b - c + ... is as deep as its deepest operand (walkers follow its
 * left spine in a loop), everything else is one deeper than its operands.
 */
#include "syntax/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ast_expr *expr_new(struct scanner *s, enum ast_kind kind, struct span all, struct span at)
{
    struct ast_expr *e = ARENA_NEW(&s->c->arena, struct ast_expr, 1);
    e->kind = kind;
    e->span = all;
    e->at = at;
    return e;
}

/* The operands come in; too deep a node is reported and cut off. */
static struct ast_expr *expr_adopt(struct scanner *s, struct ast_expr *e, int n, const struct ast_expr *const *arg)
{
    e->n = n;
    e->arg = arena_copy(&s->c->arena, arg, (size_t)n * sizeof *arg);
    for (int i = 0; i < n; i++) {
        int d = arg[i]->depth + !(i == 0 && ast_is_chain(e, arg[i]));
        if (d > e->depth)
            e->depth = d;
    }
    if (e->depth > AST_DEEPEST) {
        diag_error(&s->c->diags, e->span, "this expression is nested too deeply");
        e->kind = AST_NUMBER;
        e->text = "0";
        e->n = e->depth = 0;
    }
    return e;
}

/* Operators of one precedence; parentheses set the depth of a group apart. */
static int chain_level(enum ast_kind kind)
{
    switch (kind) {
    case AST_ADD: case AST_SUB: return 1;
    case AST_MUL: case AST_DIV: return 2;
    case AST_AND: return 3;
    case AST_OR: return 4;
    default: return 0;
    }
}

bool ast_is_chain(const struct ast_expr *e, const struct ast_expr *left)
{
    return chain_level(e->kind) && chain_level(e->kind) == chain_level(left->kind);
}

struct ast_expr *build_leaf(struct scanner *s, enum ast_kind kind, const char *text, struct span at)
{
    struct ast_expr *e = expr_new(s, kind, at, at);
    e->text = text;
    return e;
}

struct ast_expr *build_number(struct scanner *s, const char *text, struct span at)
{
    struct ast_expr *e = build_leaf(s, AST_NUMBER, text, at);
    e->value = strtod(text, NULL);
    return e;
}

struct ast_expr *build_unit(struct scanner *s, struct ast_expr *e)
{
    s->out->has_units = true;
    return e;
}

struct ast_expr *build_unary(struct scanner *s, enum ast_kind kind, struct ast_expr *a, struct span all, struct span at)
{
    const struct ast_expr *arg[] = {a};
    return expr_adopt(s, expr_new(s, kind, all, at), 1, arg);
}

struct ast_expr *build_binary(struct scanner *s, enum ast_kind kind, struct ast_expr *a, struct ast_expr *b,
                              struct span at)
{
    const struct ast_expr *arg[] = {a, b};
    return expr_adopt(s, expr_new(s, kind, span_join(a->span, b->span), at), 2, arg);
}

struct ast_expr *build_call(struct scanner *s, const char *name, struct span at, struct expr_list args, struct span all)
{
    struct ast_expr *e = expr_new(s, AST_CALL, all, at);
    e->text = name;
    return expr_adopt(s, e, args.n, args.at);
}

struct ast_expr *build_index(struct scanner *s, struct ast_expr *a, struct expr_list index, struct span all,
                             struct span at)
{
    struct expr_list arg = exprs_push(s, (struct expr_list){0}, a);
    for (int i = 0; i < index.n; i++)
        arg = exprs_push(s, arg, index.at[i]);
    return expr_adopt(s, expr_new(s, AST_INDEX, all, at), arg.n, arg.at);
}

struct ast_expr *build_member(struct scanner *s, struct ast_expr *a, const char *name, struct span at, struct span all)
{
    struct ast_expr *e = expr_new(s, AST_MEMBER, all, at);
    const struct ast_expr *arg[] = {a};
    e->text = name;
    s->out->asks_reactions = s->out->asks_reactions || !strcmp(name, "reaction") || !strcmp(name, "moment");
    return expr_adopt(s, e, 1, arg);
}

struct ast_expr *build_vector(struct scanner *s, struct expr_list items, struct span all)
{
    return expr_adopt(s, expr_new(s, AST_VECTOR, all, all), items.n, items.at);
}

/* A group counts one level, so that (((a + b) + c) + d) is bounded although it looks like a chain. */
struct ast_expr *build_group(struct scanner *s, struct ast_expr *e, struct span all)
{
    struct ast_expr *g = ARENA_NEW(&s->c->arena, struct ast_expr, 1);
    *g = *e;
    g->span = all;
    if (++g->depth > AST_DEEPEST) {
        diag_error(&s->c->diags, all, "this expression is nested too deeply");
        return build_leaf(s, AST_NUMBER, "0", all);
    }
    return g;
}

struct ast_expr *build_name(struct scanner *s, struct ast_expr *e)
{
    const struct ast_expr *p = e;
    while (p->kind == AST_INDEX || p->kind == AST_MEMBER)
        p = p->arg[0];
    if (p->kind != AST_NAME)
        diag_error(&s->c->diags, e->span, "a name must stand before the ':'");
    return e;
}

/* --- lists ----------------------------------------------------------------------------------------- */

/* Room for one more; the old copy stays behind in the arena, at most as much again in all. */
static void *list_room(struct scanner *s, void *at, int n, int *cap, size_t size)
{
    if (n < *cap)
        return at;
    *cap = *cap ? 2 * *cap : 4;
    void *room = arena_alloc(&s->c->arena, (size_t)*cap * size);
    return n ? memcpy(room, at, (size_t)n * size) : room;
}

struct expr_list exprs_push(struct scanner *s, struct expr_list l, const struct ast_expr *e)
{
    l.at = list_room(s, l.at, l.n, &l.cap, sizeof *l.at);
    l.at[l.n++] = e;
    return l;
}

struct item_list items_push(struct scanner *s, struct item_list l, struct ast_item item)
{
    if (!item.span.source)
        return l;
    l.at = list_room(s, l.at, l.n, &l.cap, sizeof *l.at);
    l.at[l.n++] = item;
    return l;
}

struct stmt_list stmts_push(struct scanner *s, struct stmt_list l, const struct ast_stmt *stmt)
{
    if (!stmt)
        return l;
    l.at = list_room(s, l.at, l.n, &l.cap, sizeof *l.at);
    l.at[l.n++] = stmt;
    return l;
}

struct ast_items items_done(struct item_list l)
{
    return (struct ast_items){l.at, l.n};
}

struct ast_items build_one(struct scanner *s, struct ast_item item)
{
    return items_done(items_push(s, (struct item_list){0}, item));
}

struct ast_items build_value(struct scanner *s, const struct ast_expr *e)
{
    return build_one(s, (struct ast_item){.span = e->span, .value = e});
}

struct ast_items build_pair(struct scanner *s, const struct ast_expr *a, const struct ast_expr *b)
{
    struct item_list l = items_push(s, (struct item_list){0}, (struct ast_item){.span = a->span, .value = a});
    return items_done(items_push(s, l, (struct ast_item){.span = b->span, .value = b}));
}

struct ast_items build_first(struct scanner *s, const struct ast_expr *e, struct item_list clauses)
{
    struct item_list l = items_push(s, (struct item_list){0}, (struct ast_item){.span = e->span, .value = e});
    for (int i = 0; i < clauses.n; i++)
        l = items_push(s, l, clauses.at[i]);
    return items_done(l);
}

/* --- statements ------------------------------------------------------------------------------------ */

struct ast_stmt *build_stmt(struct scanner *s, struct word word, struct span span)
{
    struct ast_stmt *stmt = ARENA_NEW(&s->c->arena, struct ast_stmt, 1);
    stmt->word = word.word;
    stmt->word_span = word.span;
    stmt->span = span;
    return stmt;
}

struct ast_stmt *build_part(struct scanner *s, struct word word, struct span span, const struct ast_expr *name)
{
    struct ast_stmt *stmt = build_stmt(s, word, span);
    stmt->name = name;
    return stmt;
}

struct ast_stmt *build_func(struct scanner *s, struct word word, struct span span, const char *name,
                            struct span name_span, struct item_list args, const struct ast_expr *unit)
{
    struct ast_stmt *stmt = build_part(s, word, span, build_leaf(s, AST_NAME, name, name_span));
    stmt->args = items_done(args);
    stmt->has_args = true;
    stmt->unit = unit;
    return stmt;
}

struct ast_stmt *build_equation(struct scanner *s, struct span span, const struct ast_expr *target,
                                const struct ast_expr *value)
{
    struct ast_stmt *stmt = build_stmt(s, (struct word){STMT_EQUATION, target->span}, span);
    stmt->item = build_one(s, (struct ast_item){.span = span, .target = target, .relation = '=', .value = value});
    return stmt;
}

static int block_depth(const struct ast_block *b)
{
    return b ? b->depth : 0;
}

static int stmt_depth(const struct ast_stmt *stmt)
{
    int a = block_depth(stmt->body), b = block_depth(stmt->otherwise);
    return a > b ? a : b;
}

struct ast_block *build_block(struct scanner *s, struct stmt_list l, struct span span)
{
    struct ast_block *b = ARENA_NEW(&s->c->arena, struct ast_block, 1);
    b->at = l.at;
    b->n = l.n;
    for (int i = 0; i < l.n; i++)
        if (stmt_depth(l.at[i]) >= b->depth)
            b->depth = stmt_depth(l.at[i]) + 1;
    if (b->depth > AST_DEEPEST) {
        span.end = span.begin + 1;
        diag_error(&s->c->diags, span, "blocks are nested too deeply");
        b->n = b->depth = 0;
    }
    return b;
}
