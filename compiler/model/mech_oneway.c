/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What turns or slides one way only: a clutch is a rate that stays above 0, a ratchet a distance from the last tooth that does; the tooth is a
 * discrete state, and passing the next one an event. */
#include "model/element.h"

#include "mbs/model.h"

/* The coordinate that may only grow, and its rate; *at: where it is. */
static bool forward(struct reading *x, Expr *q, Expr *v, bool *length, struct where *at)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    struct where w[2];
    Expr other, rate;
    bool of_length;
    if (!mech_item(x->stmt, "between")) {
        if (!element_where(x, w) || !element_motion(x, w, q, v, length))
            return false;
    } else {
        if (mech_item(x->stmt, "on")) {
            diag_error(k->diags, x->stmt->span, "a %s acts 'on' a joint or 'between' two", x->noun);
            return false;
        }
        if (!element_pair(x, w) || !element_motion(x, &w[0], &other, &rate, &of_length) || !element_motion(x, &w[1], q, v, length))
            return false;
        if (of_length != *length) {
            diag_error(k->diags, x->stmt->span, "a %s acts between two joints that turn or two that slide", x->noun);
            return false;
        }
        *q = expr_sub(p, *q, other);
        *v = expr_sub(p, *v, rate);
    }
    *at = w[mech_item(x->stmt, "between") != NULL];
    if (read_truth(x, "backward")) {
        *q = expr_neg(p, *q);
        *v = expr_neg(p, *v);
    }
    return true;
}

/* clutch C: on J     clutch C: between J1 and J2: the second is not slower than the first */
void mech_clutch(struct reading *x)
{
    struct check *k = x->k;
    Expr q, v;
    bool length;
    struct where at;
    if (!forward(x, &q, &v, &length, &at))
        return;
    const struct model_contact c = {.name = element_name(x), .span = x->stmt->span, .kind = CONTACT_RATE, .restitution = k->pool->zero,
                                    .friction = k->pool->zero};
    contact_add(k, &c, v, 0, NULL, dim_of_text(length ? "m/s" : "rad/s"));
    mech_draw_spot_on(k, c.name, at.joint);
    mech_draw_on(k, c.name, MBS_SHAPE_CLUTCH, MBS_SHAPE_CLUTCH, at.joint, at.slot);
    mech_tells(k, c.name, "rate", v, dim_of_text(length ? "m/s" : "rad/s"));
}

static const char *tooth_name(struct check *k, const char *ratchet)
{
    return name_of(&k->c->names, arena_printf(k->arena, "%s.tooth", ratchet));
}

void mech_teeth(struct check *k)
{
    for (int i = 0; i < k->mech->element.n; i++) {
        const struct pending *it = &k->mech->element.at[i];
        const char *name = it->stmt->word == STMT_RATCHET ? eval_name(k, it->scope, it->stmt->name) : NULL;
        if (name)
            discrete_add(k, tooth_name(k, full_name(k, it->scope, name)), it->stmt->span, k->pool->zero);
    }
}

/* The discrete state that counts the teeth; it starts from `first`. */
static Expr tooth_start(struct check *k, const char *name, Expr first)
{
    struct model_param *d = k->m->param.at;
    while (d->name != name)
        d++;
    d->value = first;
    return d->sym;
}

/* ratchet R: on J, pitch = a, tooth = n, restitution = e: the coordinate is not below tooth*pitch; R.click, where it reaches the next one, counts
 * on.  What lies teeth ahead at the start clicks there. */
void mech_ratchet(struct reading *x)
{
    struct check *k = x->k;
    struct pool *p = k->pool;
    Expr q, v, pitch, first, e;
    bool length, poisson;
    struct where at;
    if (!forward(x, &q, &v, &length, &at) || !read_scalar(x, "pitch", &pitch) || !read_scalar(x, "tooth", &first) || !read_scalar(x, "restitution", &e) ||
        !read_law(x, &poisson))
        return;
    const char *name = element_name(x), *counted = tooth_name(k, name);
    Expr tooth = tooth_start(k, counted, first), next = expr_add(p, tooth, p->one);
    const struct model_contact c = {.name = name, .span = x->stmt->span, .kind = CONTACT_GAP, .restitution = e, .friction = p->zero,
                                    .poisson = poisson};
    contact_add(k, &c, expr_sub(p, q, expr_mul(p, tooth, pitch)), 0, NULL, dim_of_text(length ? "m" : "rad"));
    const struct model_event click = {.name = name_of(&k->c->names, arena_printf(k->arena, "%s.click", name)), .unit = "", .span = x->stmt->span,
                                      .kind = EVENT_HOLDS, .guard = expr_sub(p, q, expr_mul(p, next, pitch)), .first = k->m->jump.n, .count = 1};
    /* floor(q/pitch) may round to the tooth before at the very instant */
    Expr reached = expr_fn2(p, EXPR_MAX, next, expr_fn1(p, EXPR_FLOOR, expr_div(p, q, pitch)));
    VEC_PUSH(k->m->jump, ((struct model_jump){.name = counted, .unit = "", .span = x->stmt->span, .kind = JUMP_P,
                                              .index = expr_symbol(p, tooth)->index, .value = reached}));
    VEC_PUSH(k->m->event, click);
    mech_draw_spot_on(k, name, at.joint);
    mech_draw_on(k, name, MBS_SHAPE_RATCHET, MBS_SHAPE_RATCHET, at.joint, at.slot);
    mech_tells(k, name, "tooth", tooth, DIM_PURE);
}
