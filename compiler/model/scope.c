/* SPDX-License-Identifier: GPL-3.0-or-later
 * Names: scopes as hash tables that also keep the order of declaration.  Names are interned, so the
 * pointer is hashed only to find the place; order never depends on it. */
#include "model/front.h"

#include <stdlib.h>
#include <string.h>

struct scope *scope_new(struct check *k, struct scope *parent)
{
    struct scope *s = ARENA_NEW(k->arena, struct scope, 1);
    s->parent = parent;
    return s;
}

static unsigned slot_of(const struct scope *s, const char *name)
{
    unsigned at = name_hash(name, strlen(name)) & (s->size - 1);
    while (s->table[at] && s->table[at]->name != name)
        at = (at + 1) & (s->size - 1);
    return at;
}

struct entry *scope_find_here(const struct scope *s, const char *name)
{
    return s->size ? s->table[slot_of(s, name)] : NULL;
}

struct entry *scope_find(const struct scope *s, const char *name)
{
    for (; s; s = s->parent) {
        struct entry *e = scope_find_here(s, name);
        if (e)
            return e;
    }
    return NULL;
}

static void scope_rehash(struct check *k, struct scope *s)
{
    s->size = s->size ? 2 * s->size : 8;
    s->table = ARENA_NEW(k->arena, struct entry *, s->size);
    for (struct entry *e = s->first; e; e = e->next)
        s->table[slot_of(s, e->name)] = e;
}

bool is_builtin_constant(const char *name)
{
    return !strcmp(name, "pi") || !strcmp(name, "t") || !strcmp(name, "true") || !strcmp(name, "false");
}

struct entry *scope_declare(struct check *k, struct scope *s, const char *name, struct span span, enum ast_word word,
                            enum entry_kind kind)
{
    struct entry *old = scope_find_here(s, name);
    if (old) {
        diag_error(k->diags, span, "'%s' is declared twice", name);
        diag_note(k->diags, old->span, "the first declaration is here");
        return NULL;
    }
    if (is_builtin_constant(name)) {
        diag_error(k->diags, span, "'%s' has a fixed meaning and cannot be declared", name);
        return NULL;
    }
    if (2 * s->n >= s->size)
        scope_rehash(k, s);
    struct entry *e = ARENA_NEW(k->arena, struct entry, 1);
    *e = (struct entry){.name = name, .kind = kind, .word = word, .span = span, .scope = s};
    s->table[slot_of(s, name)] = e;
    s->n++;
    if (s->last)
        s->last->next = e;
    else
        s->first = e;
    s->last = e;
    return e;
}

/* --- names in blocks that an `if` leaves out count as used ------------------------------------------ */

static void mark_expr(struct scope *s, const struct ast_expr *e)
{
    for (; e; e = e->n ? e->arg[0] : NULL) {
        if (e->kind == AST_NAME || e->kind == AST_CALL) {
            struct entry *found = scope_find(s, e->text);
            if (found)
                found->used = true;
        }
        for (int i = 1; i < e->n; i++)
            mark_expr(s, e->arg[i]);
    }
}

static void mark_items(struct scope *s, const struct ast_items *items)
{
    for (int i = 0; i < items->n; i++) {
        if (items->at[i].target)
            mark_expr(s, items->at[i].target);
        if (items->at[i].value)
            mark_expr(s, items->at[i].value);
    }
}

void scope_mark_used(struct check *k, struct scope *s, const struct ast_block *b)
{
    for (int i = 0; b && i < b->n; i++) {
        mark_items(s, &b->at[i]->item);
        mark_items(s, &b->at[i]->args);
        mark_items(s, &b->at[i]->attrs);
        scope_mark_used(k, s, b->at[i]->body);
        scope_mark_used(k, s, b->at[i]->otherwise);
    }
}

/* --- the scope of the model ---------------------------------------------------------------------------- */

struct scope *scope_of_model(const struct check *k, struct scope *s)
{
    for (; s; s = s->parent)
        if (s->prefix)
            return s;
    return k->file;
}

const char *full_name(struct check *k, const struct scope *s, const char *name)
{
    for (; s; s = s->parent)
        if (s->prefix)
            return name_of(&k->c->names, arena_printf(k->arena, "%s.%s", s->prefix, name));
    return name;
}

void note_turn(struct check *k, const struct scope *s, int errors_before)
{
    const char *text = "";
    struct span at = SPAN_NONE;
    if (k->diags->errors == errors_before || k->stopped)
        return;
    for (; s; s = s->parent) {
        const struct entry *e = s->first;
        if (!e || e->word != STMT_FOR || e->kind != ENTRY_VALUE || !e->value.at)
            continue;
        text = arena_printf(k->arena, "%s = %g%s%s", e->name, expr_value(k->pool, e->value.at[0].e), *text ? ", " : "",
                            text);
        at = e->span;
    }
    if (*text)
        diag_note(k->diags, at, "in the turn with %s", text);
}

/* --- used components ---------------------------------------------------------------------------------- */

static int use_slot(const struct check *k, const char *prefix)
{
    unsigned at = name_hash(prefix, strlen(prefix)) & (unsigned)(k->uses.cap - 1);
    while (k->uses.at[at] && k->uses.at[at]->prefix != prefix)
        at = (at + 1) & (unsigned)(k->uses.cap - 1);
    return (int)at;
}

struct scope *use_at(const struct check *k, const char *prefix)
{
    return k->uses.n ? k->uses.at[use_slot(k, prefix)] : NULL;
}

void use_add(struct check *k, struct scope *s)
{
    if (2 * (k->uses.n + 1) > k->uses.cap) {
        struct scope **old = k->uses.at;
        int n = k->uses.cap;
        k->uses.cap = n ? 2 * n : 64;
        k->uses.at = mem_grow(NULL, (size_t)k->uses.cap, sizeof *k->uses.at);
        memset(k->uses.at, 0, (size_t)k->uses.cap * sizeof *k->uses.at);
        for (int i = 0; i < n; i++)
            if (old[i])
                k->uses.at[use_slot(k, old[i]->prefix)] = old[i];
        free(old);
    }
    k->uses.at[use_slot(k, s->prefix)] = s;
    k->uses.n++;
}
