/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which quantities each kind of statement may contain.  The sets follow the ABI: M, G and gt are
 * functions of q and t, so energies of motion and constraints may not contain states or inputs; forces
 * and potentials may.  A coordinate without kinetic energy makes M singular; that is legal together with
 * constraints and only worth a warning. */
#include "derive/derive.h"

static const unsigned POSITION = DEP(SYM_PARAM) | DEP(SYM_TIME) | DEP(SYM_Q);
static const unsigned SIGNALS = DEP(SYM_Z) | DEP(SYM_U);

static const char *const kind_noun[SYM_KINDS] = {
    [SYM_PARAM] = "a parameter",      [SYM_TIME] = "the time",      [SYM_Q] = "a coordinate",
    [SYM_V] = "a velocity",           [SYM_A] = "an acceleration",  [SYM_LAMBDA] = "a multiplier",
    [SYM_MU] = "a second multiplier", [SYM_Z] = "a state",          [SYM_U] = "an input",
    [SYM_LOCAL] = "a formal argument"
};

/* The first symbol below e of a kind outside `allowed`. */
static Expr find_symbol(const struct pool *p, Expr e, unsigned allowed)
{
    while (expr_op(p, e) != EXPR_SYM) {
        Expr next = 0;
        for (int k = 0; k < expr_args(p, e) && !next; k++)
            if (expr_deps(p, expr_arg(p, e, k)) & ~allowed)
                next = expr_arg(p, e, k);
        if (!next)
            return 0;
        e = next;
    }
    return e;
}

static bool check_deps(const struct model *m, struct diags *d, struct span span, Expr e, unsigned allowed,
                       const char *what)
{
    if (!(expr_deps(m->pool, e) & ~allowed))
        return true;
    Expr sym = find_symbol(m->pool, e, allowed);
    if (sym)
        diag_error(d, span, "%s may not depend on %s: '%s'", what, kind_noun[expr_symbol(m->pool, sym)->kind],
                   expr_symbol(m->pool, sym)->name);
    else
        diag_error(d, span, "%s depends on what it may not", what);
    return false;
}

static bool check_constraint(const struct model *m, struct diags *d, int k)
{
    const struct model_constraint *c = &m->constraint.at[k];
    if (k < m->holonomic)
        return check_deps(m, d, c->span, c->g, POSITION, "a constraint");
    if (!check_deps(m, d, c->span, c->g, POSITION | DEP(SYM_V), "a constraint"))
        return false;
    struct diff *by_v = diff_new(m->pool, DEP(SYM_V));
    struct gradient row = diff_gradient(by_v, c->g);
    bool linear = true;
    for (int j = 0; j < row.n && linear; j++)
        linear = !(expr_deps(m->pool, row.d[j]) & DEP(SYM_V));
    diff_free(by_v);
    if (!linear)
        diag_error(d, c->span, "the constraint '%s' is not linear in the velocities", c->name);
    return linear;
}

bool derive_check(const struct model *m, struct diags *d)
{
    const unsigned motion = POSITION | DEP(SYM_V), all = motion | SIGNALS | DEP(SYM_A) | DEP(SYM_LAMBDA);
    bool good = true;
    for (int k = 0; k < m->kinetic.n; k++)
        good &= check_deps(m, d, m->kinetic.at[k].span, m->kinetic.at[k].value, motion, "a kinetic energy");
    for (int k = 0; k < m->potential.n; k++)
        good &= check_deps(m, d, m->potential.at[k].span, m->potential.at[k].value, POSITION | SIGNALS, "a potential");
    for (int k = 0; k < m->dissipation.n; k++)
        good &=
            check_deps(m, d, m->dissipation.at[k].span, m->dissipation.at[k].value, motion | SIGNALS, "a dissipation");
    for (int k = 0; k < m->force.n; k++)
        good &= check_deps(m, d, m->force.at[k].span, m->force.at[k].value, motion | SIGNALS, "a force");
    for (int k = 0; k < m->state.n; k++)
        good &= check_deps(m, d, m->state.at[k].span, m->state.at[k].rate, all, "the rate of a state");
    for (int k = 0; k < m->output.n; k++)
        good &= check_deps(m, d, m->output.at[k].span, m->output.at[k].value, all, "an output");
    for (int k = 0; k < 3 * m->point.n; k++)
        good &= !m->point.at[k / 3].x[0] || check_deps(m, d, SPAN_NONE, m->point.at[k / 3].x[k % 3], motion | SIGNALS, "a drawn point");
    for (int k = 0; k < m->condition.n; k++)
        good &= check_deps(m, d, m->condition.at[k].span, m->condition.at[k].value, k < m->condition_q ? POSITION : motion, "a start condition");
    for (int k = 0; k < m->touch.n; k++)
        good &= check_deps(m, d, m->touch.at[k].span, m->touch.at[k].value, m->touch.at[k].holonomic ? POSITION : motion, "a contact");
    for (int k = 0; k < m->contact.n; k++) {
        good &= check_deps(m, d, m->contact.at[k].span, m->contact.at[k].restitution, DEP(SYM_PARAM), "a restitution");
        good &= check_deps(m, d, m->contact.at[k].span, m->contact.at[k].friction, motion | SIGNALS | DEP(SYM_LAMBDA), "friction");
    }
    for (int k = 0; k < m->event.n; k++)
        good &= check_deps(m, d, m->event.at[k].span, m->event.at[k].guard, m->event.at[k].kind == EVENT_EVERY ? DEP(SYM_PARAM) : all, "an event");
    for (int k = 0; k < m->jump.n; k++)
        good &= check_deps(m, d, m->jump.at[k].span, m->jump.at[k].value, all, "an assignment");
    for (int k = 0; k < m->constraint.n; k++)
        good &= check_constraint(m, d, k);
    return good;
}
