/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the readers of parts share: finding bodies and joints, clauses, places on bodies, vectors. */
#include "model/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- looking things up -------------------------------------------------------------------------------------- */

/* The name as seen from a scope: inside a component its parts come first. */
static int find_named(struct check *k, struct scope *s, const char *name, int (*find)(const struct check *, const char *))
{
    for (; s; s = s->parent) {
        if (!s->prefix)
            continue;
        int found = find(k, name_of(&k->c->names, arena_printf(k->arena, "%s.%s", s->prefix, name)));
        if (found >= 0)
            return found;
    }
    return find(k, name);
}

static int *part_slot(const struct mechanism *m, const char *name)
{
    unsigned at = name_hash(name, strlen(name)) & (unsigned)(m->named_size - 1);
    while (m->named_table[at] && m->named.at[m->named_table[at] - 1].name != name)
        at = (at + 1) & (unsigned)(m->named_size - 1);
    return &m->named_table[at];
}

struct mech_name *mech_find_part(const struct check *k, const char *name)
{
    int part = k->mech->named_size ? *part_slot(k->mech, name) : 0;
    return part ? &k->mech->named.at[part - 1] : NULL;
}

void mech_add_part(struct check *k, struct mech_name part)
{
    struct mechanism *m = k->mech;
    VEC_PUSH(m->named, part);
    if (2 * m->named.n <= m->named_size) {
        *part_slot(m, part.name) = m->named.n;
        return;
    }
    free(m->named_table);
    m->named_size = m->named_size ? 2 * m->named_size : 64;
    m->named_table = mem_grow(NULL, (size_t)m->named_size, sizeof *m->named_table);
    memset(m->named_table, 0, (size_t)m->named_size * sizeof *m->named_table);
    for (int i = 0; i < m->named.n; i++)
        *part_slot(m, m->named.at[i].name) = i + 1;
}

int mech_find_body(const struct check *k, const char *name)
{
    const struct mech_name *part = mech_find_part(k, name);
    return part ? part->body : -1;
}

int mech_find_joint(const struct check *k, const char *name)
{
    const struct mech_name *part = mech_find_part(k, name);
    return part ? part->joint : -1;
}

int mech_body_seen(struct check *k, struct scope *s, const char *name)
{
    return find_named(k, s, name, mech_find_body);
}

int mech_joint_seen(struct check *k, struct scope *s, const char *name)
{
    return find_named(k, s, name, mech_find_joint);
}

bool mech_slot_find(struct check *k, struct scope *s, const struct ast_expr *e, int *joint, int *slot)
{
    bool name = e->kind == AST_NAME || e->kind == AST_INDEX || e->kind == AST_MEMBER;
    const struct entry *x = name ? entry_find(k, s, e) : NULL;
    if (x && x->kind == ENTRY_JOINT) {
        *joint = x->part;
        *slot = x->slot;
        return true;
    }
    const char *owner = e->kind == AST_MEMBER ? eval_name(k, s, e->arg[0]) : NULL;
    *joint = owner ? mech_joint_seen(k, s, owner) : -1;
    for (int i = 0; *joint >= 0 && i < joint_coords(&k->mech->joint.at[*joint]); i++)
        if (!strcmp(joint_coord_part(&k->mech->joint.at[*joint], i), e->text)) {
            *slot = i;
            return true;
        }
    return false;
}

const struct ast_item *mech_item(const struct ast_stmt *stmt, const char *name)
{
    const struct ast_items *list[2] = {&stmt->item, &stmt->attrs};
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < list[l]->n; i++) {
            const struct ast_item *it = &list[l]->at[i];
            if (it->word ? !strcmp(it->word, name) : it->target && it->target->kind == AST_NAME && !strcmp(it->target->text, name))
                return it;
        }
    return NULL;
}

struct dim mech_dim(const struct check *k, int m, int kg, int s)
{
    struct dim d = {.kind = k->has_units ? DIM_KNOWN : DIM_ANY};
    d.exponent[0] = (int16_t)(m * DIM_PARTS);
    d.exponent[1] = (int16_t)(kg * DIM_PARTS);
    d.exponent[2] = (int16_t)(s * DIM_PARTS);
    return d;
}

struct dim mech_length_or_angle(const struct check *k, bool length)
{
    return length ? mech_dim(k, 1, 0, 0) : dim_of_angle(k);
}

struct dim joint_coord_dim(const struct check *k, const struct mech_joint *j, int i)
{
    bool euler = (j->kind->orientation >= 0 && i >= j->kind->orientation && !j->sequence) || joint_coord_part(j, i)[0] == 'e';
    return euler ? dim_pure(k) : mech_length_or_angle(k, joint_coord_is_length(j, i));
}

bool mech_vector(struct check *k, struct scope *s, const struct ast_expr *e, struct dim dim, unsigned allowed, const char *what,
                 struct vec *out)
{
    int want = k->mech->spatial ? 3 : 2;
    struct value v = eval(k, s, e);
    *out = vec_zero(k->pool);
    if (!v.at)
        return false;
    if (v.rank != 1 || v.rows != want) {
        diag_error(k->diags, e->span, "%s must be a vector of %d, but it is %s", what, want, shape_show(&v, k->arena));
        return false;
    }
    if (!value_allows(k, s, e, &v, allowed, what) || !value_fits(k, e, &v, dim, what))
        return false;
    for (int i = 0; i < want; i++)
        out->x[i] = v.at[i].e;
    return true;
}

const struct mech_point *mech_point_find(const struct mech_body *b, const char *name)
{
    for (int i = 0; i < b->point.n; i++)
        if (b->point.at[i].name == name)
            return &b->point.at[i];
    return NULL;
}

static void unknown_point(struct check *k, const struct mech_body *b, const struct ast_expr *e)
{
    struct suggestion near;
    suggest_init(&near, e->text);
    for (int i = 0; i < b->point.n; i++)
        suggest_offer(&near, b->point.at[i].name);
    diag_error(k->diags, e->at, "'%s' has no point '%s'%s", b->name, e->text, suggest_text(&near, k->arena));
    if (b->stmt)
        diag_note(k->diags, b->span, "the body is declared here");
}

static void unknown_body(struct check *k, const struct ast_expr *e)
{
    struct suggestion near;
    if (diag_said(k->diags, e->span))
        return;
    const char *name = ast_show(k->arena, e);
    suggest_init(&near, name);
    for (int i = 0; i < k->mech->body.n; i++)
        suggest_offer(&near, k->mech->body.at[i].name);
    diag_error(k->diags, e->span, "there is no body '%s'%s", name, suggest_text(&near, k->arena));
}

/* The ground is where it is, but places on it may be led by hand: they may depend on time. */
static unsigned may_place(int body) { return DEP(SYM_PARAM) | (body == 0 ? DEP(SYM_TIME) : 0); }

static Expr by_time(struct check *k, Expr e) { return expr_deps(k->pool, e) & DEP(SYM_TIME) ? expr_diff(k->pool, e, k->m->time) : k->pool->zero; }

bool mech_is_led(const struct pool *p, const struct mech_end *e)
{
    for (int i = 0; i < 3; i++)
        if (e->rate.x[i] != p->zero || e->turn.x[i] != p->zero)
            return true;
    return false;
}

bool mech_place_read(struct check *k, struct scope *s, int body, const struct ast_expr *e, const char *what, struct vec *at, struct vec *rate)
{
    if (!mech_vector(k, s, e, mech_dim(k, 1, 0, 0), may_place(body), what, at))
        return false;
    for (int i = 0; i < 3; i++)
        rate->x[i] = by_time(k, at->x[i]);
    return true;
}

/* at([x, y, z], z = a, x = b): a place and axes there, turned by angles about given axes, one after the other. */
bool mech_at_read(struct check *k, struct scope *s, int body, const struct ast_expr *e, struct mech_at *out)
{
    struct pool *p = k->pool;
    *out = (struct mech_at){.frame = rotation_identity(p), .turn = vec_zero(p)};
    if (!mech_place_read(k, s, body, e->arg[0], "the origin of a frame", &out->at, &out->rate))
        return false;
    for (int i = 1; i < e->n; i++) {
        const struct ast_expr *turn = e->arg[i];
        if (turn->kind != AST_NAMED || strlen(turn->text) != 1 || turn->text[0] < (k->mech->spatial ? 'x' : 'z') || turn->text[0] > 'z') {
            diag_error(k->diags, turn->span, "a turn of a frame is written: %sz = angle", k->mech->spatial ? "x = angle, y = angle or " : "");
            return false;
        }
        struct value v = eval_scalar(k, s, turn->arg[0], "the angle of a frame");
        if (!value_allows(k, s, turn->arg[0], &v, may_place(body), "the angle of a frame") ||
            !value_fits(k, turn->arg[0], &v, DIM_PURE, "the angle of a frame"))
            return false;
        int axis = turn->text[0] - 'x';
        struct rotation r = rotation_turn(p, axis, v.at[0].e);
        out->turn = vec_add(p, out->turn, rotation_apply(p, &out->frame, vec_scale(p, by_time(k, v.at[0].e), vec_unit(p, axis))));
        out->frame = rotation_mul(p, &out->frame, &r);
    }
    return true;
}

bool mech_is_at(const struct ast_expr *e)
{
    return e->kind == AST_CALL && !strcmp(e->text, "at") && e->n >= 1;
}

bool mech_end_read(struct check *k, struct scope *s, const struct ast_expr *e, struct mech_end *end)
{
    *end = (struct mech_end){.body = -1, .at = vec_zero(k->pool), .rate = vec_zero(k->pool), .turn = vec_zero(k->pool),
                              .frame = rotation_identity(k->pool), .span = e->span, .off = vec_zero(k->pool), .axes = rotation_identity(k->pool)};
    if (e->kind == AST_AT) {
        struct pool *p = k->pool;
        struct mech_at on = {.frame = rotation_identity(p), .turn = vec_zero(p)};
        if (!mech_end_read(k, s, e->arg[0], end) ||
            !(mech_is_at(e->arg[1]) ? mech_at_read(k, s, end->body, e->arg[1], &on)
                                    : mech_place_read(k, s, end->body, e->arg[1], "the place of a point", &on.at, &on.rate)))
            return false;
        struct vec off = rotation_apply(p, &end->frame, on.at);
        end->at = vec_add(p, end->at, off);
        end->rate = vec_add(p, vec_add(p, end->rate, vec_cross(p, end->turn, off)), rotation_apply(p, &end->frame, on.rate));
        end->turn = vec_add(p, end->turn, rotation_apply(p, &end->frame, on.turn));
        end->frame = rotation_mul(p, &end->frame, &on.frame);
        end->off = vec_add(p, end->off, rotation_apply(p, &end->axes, on.at));
        end->axes = rotation_mul(p, &end->axes, &on.frame);
        end->span = e->span;
        return true;
    }
    if (e->kind != AST_NAME && e->kind != AST_INDEX && e->kind != AST_MEMBER) {
        diag_error(k->diags, e->span, "a body, a point of a body (K.P) or a place on one (K @ [x, y]) is expected here");
        return false;
    }
    const char *name = eval_name(k, s, e);
    if (!name)
        return false;
    end->body = mech_body_seen(k, s, name);
    if (end->body >= 0)
        return true;
    const char *owner = e->kind == AST_MEMBER ? eval_name(k, s, e->arg[0]) : NULL;
    int body = owner ? mech_body_seen(k, s, owner) : -1;
    if (body < 0) {
        unknown_body(k, e->kind == AST_MEMBER ? e->arg[0] : e);
        return false;
    }
    const struct mech_point *pt = mech_point_find(&k->mech->body.at[body], e->text);
    bool flexible = k->mech->body.at[body].beam || k->mech->body.at[body].rod;
    if (!pt && ((!strcmp(e->text, "com") && !flexible) || !strcmp(e->text, "origin"))) {
        end->body = body;
        if (e->text[0] == 'c')
            end->at = k->mech->body.at[body].com;
        return true;
    }
    if (!pt) {
        unknown_point(k, &k->mech->body.at[body], e);
        return false;
    }
    end->body = pt->on ? pt->on : body;
    end->at = pt->at;
    end->rate = pt->rate;
    end->frame = pt->frame;
    end->turn = pt->turn;
    end->flexed = k->mech->body.at[body].beam && mech_is_led(k->pool, end);
    return true;
}

double mech_default(struct check *k, Expr e)
{
    double out;
    struct eval_env env = {.val = {[SYM_PARAM] = k->mech->defaults}};
    if (expr_is_num(k->pool, e))        /* without the tables of an evaluation, which are as long as the pool */
        return expr_value(k->pool, e);
    if (expr_deps(k->pool, e) & ~DEP(SYM_PARAM))
        return NAN;
    expr_eval(k->pool, &env, 1, &e, &out);
    return out;
}

void mech_defaults(struct check *k)
{
    int n = k->m->param.n;
    double *p = ARENA_NEW(k->arena, double, n + k->virtual.n + 1);     /* virtual displacements are zero */
    struct eval_env env = {.val = {[SYM_PARAM] = p}};
    for (int i = 0; i < n; i++)
        expr_eval(k->pool, &env, 1, &k->m->param.at[i].value, &p[i]);
    k->mech->defaults = p;
}
