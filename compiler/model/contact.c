/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One-sided constraints: constraint floor: y >= 0, restitution = 0.5, friction = 0.3, along = x'.
 * With a coordinate it is a distance that stays positive, with velocities, in which it must be linear, a rate that does (a clutch). */
#include "model/part.h"

#include <string.h>

enum { MAY_CONSTRAIN = DEP(SYM_PARAM) | DEP(SYM_TIME) | DEP(SYM_Q) | DEP(SYM_V) };

static void row_add(struct check *k, const struct model_contact *c, const char *name, Expr value, bool holonomic, struct dim dim)
{
    const char *unit = k->has_units ? dim_unit(dim, k->arena) : "";
    VEC_PUSH(k->m->touch, ((struct model_touch){name, unit, c->span, holonomic, value}));
}

void contact_add(struct check *k, const struct model_contact *c, Expr normal, int tangents, const Expr *tangent, struct dim dim)
{
    struct model_contact new = *c;
    for (int i = 0; i < k->m->contact.n; i++)
        if (k->m->contact.at[i].name == c->name) {
            diag_error(k->diags, c->span, "two contacts have the name '%s'", c->name);
            diag_note(k->diags, k->m->contact.at[i].span, "the first is here");
            return;
        }
    new.unit = "";
    new.first = k->m->touch.n;
    if (normal)
        row_add(k, c, c->name, normal, c->kind == CONTACT_GAP, dim);
    for (int i = 0; i < tangents; i++)
        row_add(k, c, name_of(&k->c->names, arena_printf(k->arena, tangents > 1 ? "%s.along%d" : "%s.along", c->name, i + 1)), tangent[i], false,
                dim.kind == DIM_KNOWN ? dim_div(dim, dim_second()) : dim);
    new.rows = k->m->touch.n - new.first;
    VEC_PUSH(k->m->contact, new);
}

void pose_add(struct check *k, const struct model_contact *c, const struct pose_row *row)
{
    struct model_contact new = *c;
    new.unit = "";
    new.first = k->m->touch.n;
    for (; row->name; row++)
        row_add(k, c, name_of(&k->c->names, arena_printf(k->arena, "%s.%s", c->name, row->name)), row->value, row->position, dim_of_text(row->unit));
    new.rows = k->m->touch.n - new.first;
    VEC_PUSH(k->m->contact, new);
}

/* The scalar velocity behind 'along'; 0 after an error. */
static Expr along_of(struct reading *r, const struct ast_expr *e)
{
    struct check *k = r->k;
    struct value v = eval_scalar(k, r->scope, e, "the sliding velocity");
    if (!value_allows(k, r->scope, e, &v, MAY_CONSTRAIN, "a sliding velocity"))
        return 0;
    if (!(expr_deps(k->pool, v.at[0].e) & DEP(SYM_V)) || !is_linear_in_velocities(k, v.at[0].e)) {
        diag_error(k->diags, e->span, "a sliding velocity is linear in velocities");
        return 0;
    }
    return v.at[0].e;
}

void define_inequality(struct check *k, const struct pending *p)
{
    const struct ast_stmt *stmt = p->stmt;
    const struct ast_expr *e = stmt->item.at[0].value, *along;
    const char *name = eval_name(k, p->scope, stmt->name);
    struct reading r = {.k = k, .scope = p->scope, .stmt = stmt, .part = part_find(STMT_CONSTRAINT), .allowed = DEP(SYM_PARAM)};
    struct words w = {.n = 0};
    Expr slide = 0;
    r.noun = r.part->noun;
    words_add(&w, "restitution");
    words_add(&w, "law");
    words_add(&w, "friction");
    words_add(&w, "along");
    bool more = e->kind == AST_GE || e->kind == AST_GT, less = e->kind == AST_LE || e->kind == AST_LT;
    if (!more && !less) {
        diag_error(k->diags, e->span, "a constraint sets two sides equal, a = b, or keeps one above the other, a >= b");
        return;
    }
    struct value truth = eval(k, p->scope, e), a = eval(k, p->scope, e->arg[0]), b = eval(k, p->scope, e->arg[1]);
    if (!name || !truth.at || !a.at || !b.at || !words_check(k, stmt, 1, r.noun, &w) || !value_allows(k, p->scope, e, &truth, MAY_CONSTRAIN, "a constraint"))
        return;
    Expr gap = more ? expr_sub(k->pool, a.at[0].e, b.at[0].e) : expr_sub(k->pool, b.at[0].e, a.at[0].e);
    unsigned deps = expr_deps(k->pool, gap);
    struct model_contact c = {.name = name_of(&k->c->names, full_name(k, p->scope, name)), .span = stmt->name->span,
                              .kind = deps & DEP(SYM_V) ? CONTACT_RATE : CONTACT_GAP};
    if (!(deps & (DEP(SYM_Q) | DEP(SYM_V)))) {
        diag_error(k->diags, e->span, "the constraint '%s' contains no coordinate", c.name);
        return;
    }
    if (c.kind == CONTACT_RATE && !is_linear_in_velocities(k, gap)) {
        diag_error(k->diags, e->span, "a constraint on velocities must be linear in them; '%s' is not", c.name);
        return;
    }
    if (!read_scalar(&r, "restitution", &c.restitution) || !read_scalar(&r, "friction", &c.friction) || !read_law(&r, &c.poisson))
        return;
    if ((along = read_value(&r, "along")) && !(slide = along_of(&r, along)))
        return;
    if (!along != !read_value(&r, "friction")) {
        diag_error(k->diags, stmt->span, "friction needs the velocity it acts against: friction = mu, along = x'");
        return;
    }
    contact_add(k, &c, gap, along != NULL, &slide, a.at[0].dim.kind == DIM_KNOWN ? a.at[0].dim : b.at[0].dim);
}
