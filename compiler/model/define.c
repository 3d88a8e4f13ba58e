/* SPDX-License-Identifier: GPL-3.0-or-later
 * Second pass: the queued statements become the model's constraints, rates, energies, forces, start
 * values and outputs. */
#include "model/mechanism.h"
#include "model/part.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAY_START = DEP(SYM_PARAM),
    MAY_CONSTRAIN = DEP(SYM_PARAM) | DEP(SYM_TIME) | DEP(SYM_Q) | DEP(SYM_V),
    MAY_KINETIC = MAY_CONSTRAIN,
    MAY_POTENTIAL = DEP(SYM_PARAM) | DEP(SYM_TIME) | DEP(SYM_Q) | DEP(SYM_Z) | DEP(SYM_U),
    MAY_ACT = MAY_CONSTRAIN | DEP(SYM_Z) | DEP(SYM_U)
};

/* name.x, .y, .z for two or three elements, name[i] for more, name[i,j] for matrices. */
static const char *element_name(struct check *k, const char *name, const struct value *v, int i)
{
    const char *text = name;
    if (v->rank == 1 && v->rows >= 2 && v->rows <= 3)
        text = arena_printf(k->arena, "%s.%c", name, "xyz"[i]);
    else if (v->rank == 1)
        text = arena_printf(k->arena, "%s[%d]", name, i + 1);
    else if (v->rank == 2)
        text = arena_printf(k->arena, "%s[%d,%d]", name, i / v->cols + 1, i % v->cols + 1);
    return name_of(&k->c->names, text);
}

/* The name of a constraint or an output: plain or indexed; inside a component with its prefix. */
static const char *declared_name(struct check *k, struct scope *s, const struct ast_expr *e)
{
    const struct ast_expr *base = e;
    while (base->kind == AST_INDEX)
        base = base->arg[0];
    if (base->kind == AST_MEMBER) {
        diag_error(k->diags, e->span, "a name that is declared has no '.'");
        return NULL;
    }
    const char *name = eval_name(k, s, e);
    return name ? full_name(k, s, name) : NULL;
}

/* --- constraints ----------------------------------------------------------------------------------------- */

/* left - right; a vector may be set to the scalar 0. */
static struct value difference(struct check *k, struct scope *s, const struct ast_item *item)
{
    struct value left = eval(k, s, item->target), right = eval(k, s, item->value);
    if (!left.at || !right.at)
        return VALUE_NONE;
    if (left.truth || right.truth) {
        diag_error(k->diags, item->span, "a constraint sets numbers equal, not conditions");
        return VALUE_NONE;
    }
    if (!value_allows(k, s, item->target, &left, MAY_CONSTRAIN, "a constraint") ||
        !value_allows(k, s, item->value, &right, MAY_CONSTRAIN, "a constraint"))
        return VALUE_NONE;
    if (right.rank == 0 && left.rank && right.at[0].e == k->pool->zero)
        return left;
    if (!value_same_shape(&left, &right)) {
        diag_error(k->diags, item->span, "the sides of a constraint must have one shape: left is %s, right is %s",
                   shape_show(&left, k->arena), shape_show(&right, k->arena));
        return VALUE_NONE;
    }
    return value_add(k, item->span, left, right, true);
}

/* Decides what the row is; a velocity may occur linearly only. */
static bool row_check(struct check *k, struct diff *by_v, const struct ast_stmt *stmt, struct constraint_row *row)
{
    struct pool *p = k->pool;
    struct span at = stmt->item.at[0].span;
    row->holonomic = !(expr_deps(p, row->g) & DEP(SYM_V));
    if (row->holonomic) {
        if (!(expr_deps(p, row->g) & DEP(SYM_Q)))
            diag_error(k->diags, at, "the constraint '%s' contains no coordinate", row->name);
        return expr_deps(p, row->g) & DEP(SYM_Q);
    }
    struct gradient d = diff_gradient(by_v, row->g);
    for (int i = 0; i < d.n; i++)
        if (expr_deps(p, d.d[i]) & DEP(SYM_V)) {
            diag_error(k->diags, at, "a constraint on velocities must be linear in them; '%s' is not", row->name);
            return false;
        }
    return true;
}

static void define_constraint(struct check *k, struct diff *by_v, const struct pending *p)
{
    const struct ast_stmt *stmt = p->stmt;
    const struct ast_item *item = &stmt->item.at[0];
    if (!stmt->name) {
        diag_error(k->diags, stmt->word_span, "a constraint needs a name: constraint NAME: left = right");
        return;
    }
    const char *name = declared_name(k, p->scope, stmt->name);
    if (item->relation == '~')
        diag_error(k->diags, item->span, "a constraint is written with '='");
    for (int i = 0; name && i < k->groups.n; i++)
        if (k->groups.at[i].name == name) {
            diag_error(k->diags, stmt->name->span, "two constraints have the name '%s'", name);
            diag_note(k->diags, k->groups.at[i].span, "the first is here");
            return;
        }
    struct value v = difference(k, p->scope, item);
    if (!name)
        return;
    struct constraint_group g = {.name = name, .span = stmt->name->span, .rank = v.rank, .rows = v.rows,
                                 .cols = v.cols};
    if (v.at)
        g.at = arena_alloc(k->arena, (size_t)(v.rows * v.cols) * sizeof *g.at);
    for (int i = 0; i < v.rows * v.cols; i++) {
        g.at[i] = (struct constraint_row){.g = v.at[i].e, .dim = v.at[i].dim, .name = element_name(k, name, &v, i)};
        if (!row_check(k, by_v, stmt, &g.at[i])) {
            g.rows = 0;     /* faulty: the name is known all the same */
            g.at = NULL;
            break;
        }
    }
    VEC_PUSH(k->groups, g);
}

/* Parts whose ends do not move against each other: what they demand holds or does not, whatever the motion.  A row that is zero beside others is let be: it is
 * a wheel's that the other joints guide. */
static void check_rows(struct check *k, const struct constraint_group *g)
{
    const struct constraint_row *dead = NULL;
    bool alive = false, zero = true;
    for (int i = 0; i < g->rows * g->cols; i++) {
        if (expr_deps(k->pool, g->at[i].g) & (DEP(SYM_Q) | DEP(SYM_V))) {
            alive = true;
            continue;
        }
        if (!dead || (zero && g->at[i].g != k->pool->zero))
            dead = &g->at[i];
        zero = zero && g->at[i].g == k->pool->zero;
    }
    if (dead && !(alive && zero))
        diag_error(k->diags, g->span, "nothing that moves changes '%s'", dead->name);
}

static void push_rows(struct check *k, bool holonomic)
{
    struct model *m = k->m;
    for (int i = 0; i < k->groups.n; i++) {
        struct constraint_group *g = &k->groups.at[i];
        for (int j = 0; j < g->rows * g->cols; j++) {
            struct constraint_row *r = &g->at[j];
            if (r->holonomic != holonomic)
                continue;
            r->row = m->constraint.n;
            struct model_constraint c = {.name = r->name, .unit = dim_unit(r->dim, k->arena), .span = g->span,
                                         .g = r->g};
            c.lambda = expr_sym(k->pool, SYM_LAMBDA, r->row, arena_printf(k->arena, "lambda(%s)", r->name));
            c.mu = expr_sym(k->pool, SYM_MU, r->row, arena_printf(k->arena, "mu(%s)", r->name));
            VEC_PUSH(m->constraint, c);
        }
    }
}

static void define_constraints(struct check *k)
{
    struct diff *by_v = diff_new(k->pool, DEP(SYM_V));
    for (int i = 0; i < k->queue.n && !diag_full(k->diags); i++) {
        int before = k->diags->errors;
        const struct ast_stmt *stmt = k->queue.at[i].stmt;
        if (stmt->word == STMT_CONSTRAINT && stmt->item.at[0].target)
            define_constraint(k, by_v, &k->queue.at[i]);
        else if (stmt->word == STMT_CONSTRAINT)
            define_inequality(k, &k->queue.at[i]);
        note_turn(k, k->queue.at[i].scope, before);
    }
    diff_free(by_v);
    for (int i = 0; i < k->groups.n; i++)
        check_rows(k, &k->groups.at[i]);
    push_rows(k, true);
    k->m->holonomic = k->m->constraint.n;
    push_rows(k, false);
    k->multipliers = true;
}

/* --- states ------------------------------------------------------------------------------------------------ */

/* The symbol behind a scalar, if it is of this kind: its index, else -1. */
static int symbol_index(const struct check *k, Expr e, enum sym_kind kind)
{
    if (expr_op(k->pool, e) != EXPR_SYM || expr_symbol(k->pool, e)->kind != kind)
        return -1;
    return expr_symbol(k->pool, e)->index;
}

/* Finds the states an equation belongs to, without looking at its right side. */
static void register_equation(struct check *k, const struct pending *p)
{
    const struct ast_item *item = &p->stmt->item.at[0];
    const struct ast_expr *target = item->target;
    if (target->kind != AST_PRIME) {
        diag_error(k->diags, target->span, "an equation states the rate of a state: z' = ...; to name an expression write: let %s = ...",
                   ast_show(k->arena, target));
        return;
    }
    struct value z = eval(k, p->scope, target->arg[0]);
    for (int i = 0; z.at && i < z.rows * z.cols; i++) {
        int index = symbol_index(k, z.at[i].e, SYM_Z);
        if (index < 0) {
            diag_error(k->diags, target->arg[0]->span, "'%s' is not a state%s", ast_show(k->arena, target->arg[0]),
                       expr_deps(k->pool, z.at[i].e) & DEP(SYM_Q)
                           ? "; the motion of coordinates follows from energies and forces" : "");
            return;
        }
        if (k->state_equation.at[index] >= 0) {
            diag_error(k->diags, item->span, "a second equation for the state '%s'", k->m->state.at[index].name);
            diag_note(k->diags, k->equations.at[k->state_equation.at[index]].span, "the first is here");
            return;
        }
        k->state_equation.at[index] = k->equations.n;
    }
    if (z.at)
        VEC_PUSH(k->equations, ((struct state_equation){target->arg[0], item->value, p->scope, item->span, NOT_YET}));
}

static void evaluate_equation(struct check *k, int number)
{
    struct state_equation e = k->equations.at[number];
    struct value z = eval(k, e.scope, e.target), rate = eval(k, e.scope, e.value);
    if (!z.at || !rate.at)
        return;
    if (!value_same_shape(&z, &rate) || rate.truth) {
        diag_error(k->diags, e.span, "the rate must have the shape of the state: left is %s, right is %s",
                   shape_show(&z, k->arena), shape_show(&rate, k->arena));
        return;
    }
    if (!value_allows(k, e.scope, e.value, &rate, MAY_REACT, "the rate of a state"))
        return;
    for (int i = 0; i < z.rows * z.cols; i++) {
        struct dim want = k->has_units ? dim_div(z.at[i].dim, dim_second()) : DIM_OF_ANY;
        if (!dim_agrees(rate.at[i].dim, want)) {
            diag_error(k->diags, e.value->span, "this rate must be in %s, but it is %s", dim_show(want, k->arena),
                       dim_show(rate.at[i].dim, k->arena));
            note_number(k, e.value, want, rate.at[i].dim);
            return;
        }
        k->m->state.at[symbol_index(k, z.at[i].e, SYM_Z)].rate = rate.at[i].e;
    }
}

/* A state that nobody has declared, and the name of its own: it is among the results already. */
static bool is_shown(struct check *k, const char *name, const struct value *v)
{
    for (int i = 0; i < k->m->state.n; i++)
        if (v->rows * v->cols == 1 && v->at[0].e == k->m->state.at[i].sym && !strcmp(name, k->m->state.at[i].name))
            return k->state_equation.at[i] >= 0 && !k->equations.at[k->state_equation.at[i]].value;
    return false;
}

Expr state_rate(struct check *k, struct span from, int state)
{
    int number = k->state_equation.at[state];
    if (number < 0)
        return 0;       /* reported where equations are collected */
    if (k->equations.at[number].progress == ACTIVE) {
        diag_error(k->diags, from, "the rate of the state '%s' depends on itself", k->m->state.at[state].name);
        return 0;
    }
    if (k->equations.at[number].progress == NOT_YET) {
        k->equations.at[number].progress = ACTIVE;
        evaluate_equation(k, number);
        k->equations.at[number].progress = DONE;
    }
    return k->m->state.at[state].rate;
}

static void define_states(struct check *k)
{
    for (int i = 0; i < k->queue.n; i++)
        if (k->queue.at[i].stmt->word == STMT_EQUATION)
            register_equation(k, &k->queue.at[i]);
    for (int i = 0; i < k->m->state.n; i++)
        if (k->state_equation.at[i] < 0)
            diag_error(k->diags, k->m->state.at[i].span, "the state '%s' has no equation: %s' = ...",
                       k->m->state.at[i].name,
                       k->m->state.at[i].name);
}

/* --- energies and forces ------------------------------------------------------------------------------------ */

static void define_energy(struct check *k, const struct pending *p)
{
    struct model *m = k->m;
    const struct ast_expr *e = p->stmt->item.at[0].value;
    bool kinetic = p->stmt->word == STMT_KINETIC, potential = p->stmt->word == STMT_POTENTIAL;
    const char *what = kinetic ? "a kinetic energy" : potential ? "a potential energy" : "a dissipation";
    struct value v = eval_scalar(k, p->scope, e, what);
    struct dim want = k->has_units ? dim_joule() : DIM_OF_ANY;
    if (!kinetic && !potential && k->has_units)
        want = dim_div(want, dim_second());
    if (!value_allows(k, p->scope, e, &v, kinetic ? MAY_KINETIC : potential ? MAY_POTENTIAL : MAY_ACT, what) ||
        !value_fits(k, e, &v, want, what))
        return;
    struct model_term term = {e->span, v.at[0].e, TERM_STATED};
    if (kinetic)
        VEC_PUSH(m->kinetic, term);
    else if (potential)
        VEC_PUSH(m->potential, term);
    else
        VEC_PUSH(m->dissipation, term);
}

static void define_force(struct check *k, const struct pending *p)
{
    if (p->stmt->name) {
        mech_force(k, p);
        return;
    }
    for (int n = 0; n < p->stmt->item.n; n++) {
        const struct ast_item *item = &p->stmt->item.at[n];
        struct value q = eval(k, p->scope, item->target), f = eval(k, p->scope, item->value);
        if (item->relation == '~')
            diag_error(k->diags, item->span, "a force is written with '='");
        if (!q.at || !f.at)
            continue;
        if (!value_same_shape(&q, &f) || f.truth) {
            diag_error(k->diags, item->span, "the force must have the shape of the coordinate: left is %s, right is %s",
                       shape_show(&q, k->arena), shape_show(&f, k->arena));
            continue;
        }
        if (!value_allows(k, p->scope, item->value, &f, MAY_ACT, "a force"))
            continue;
        for (int i = 0; i < q.rows * q.cols; i++) {
            int index = symbol_index(k, q.at[i].e, SYM_Q);
            struct dim want = k->has_units ? dim_div(dim_joule(), q.at[i].dim) : DIM_OF_ANY;
            if (index < 0) {
                diag_error(k->diags, item->target->span, "a force acts on a coordinate; '%s' is none",
                           ast_show(k->arena, item->target));
                break;
            }
            if (!dim_agrees(f.at[i].dim, want)) {
                diag_error(k->diags, item->value->span, "the force on '%s' must be in %s, but it is %s",
                           k->m->coord.at[index].name,
                           dim_show(want, k->arena), dim_show(f.at[i].dim, k->arena));
                note_number(k, item->value, want, f.at[i].dim);
                break;
            }
            VEC_PUSH(k->m->force, ((struct model_force){item->span, index, f.at[i].e}));
        }
    }
}

/* --- start values --------------------------------------------------------------------------------------------- */

/* A start value of an expression: a condition, kept or guessed. */
static bool init_condition(struct check *k, const struct ast_item *item, const char *name, struct scalar target, struct scalar value)
{
    unsigned deps = expr_deps(k->pool, target.e);
    bool motion = !(deps & ~(unsigned)MAY_CONSTRAIN) && deps & (DEP(SYM_Q) | DEP(SYM_V));
    if (!motion) {
        const char *hint = deps == DEP(SYM_Z) ? "; that of a state stands in its declaration" : "";
        diag_error(k->diags, item->target->span, "a start value is given to coordinates, velocities and what follows from them%s", hint);
        return false;
    }
    condition_add(k, item, name, expr_sub(k->pool, target.e, value.e), target.dim);
    return true;
}

static bool init_one(struct check *k, const struct ast_item *item, const char *name, struct scalar target, struct scalar value)
{
    int q = symbol_index(k, target.e, SYM_Q), v = symbol_index(k, target.e, SYM_V), index = q >= 0 ? q : v;
    if (index < 0)
        return init_condition(k, item, name, target, value);
    struct span *said = q >= 0 ? &k->coords.at[index].q : &k->coords.at[index].v;
    struct model_coord *c = &k->m->coord.at[index];
    if (said->source) {
        diag_error(k->diags, item->span, "'%s%s' has a start value already", c->name, q >= 0 ? "" : "'");
        diag_note(k->diags, *said, "the first is here");
        return false;
    }
    *said = item->span;
    enum init_kind kind = item->relation == '~' ? INIT_GUESS : INIT_FIXED;
    if (q >= 0) {
        c->q0 = value.e;
        c->q_init = kind;
    } else {
        c->v0 = value.e;
        c->v_init = kind;
    }
    return true;
}

/* rod.angle', x[3]; an expression as it is written. */
static const char *target_name(struct check *k, struct scope *s, const struct ast_expr *e)
{
    const struct ast_expr *base = e->kind == AST_PRIME ? e->arg[0] : e;
    bool named = base->kind == AST_NAME || base->kind == AST_INDEX || base->kind == AST_MEMBER;
    const char *name = named ? eval_name(k, s, base) : NULL;
    if (name)
        return name_of(&k->c->names, arena_printf(k->arena, "%s%s", full_name(k, s, name), e == base ? "" : "'"));
    return name_of(&k->c->names, ast_show(k->arena, e));
}

static void define_init(struct check *k, const struct pending *p)
{
    for (int n = 0; n < p->stmt->item.n; n++) {
        const struct ast_item *item = &p->stmt->item.at[n];
        if (mech_pose(k, p->scope, item) || mech_start(k, p->scope, item))
            continue;
        struct value target = eval(k, p->scope, item->target), value = eval(k, p->scope, item->value);
        if (!target.at || !value.at)
            continue;
        if ((value.rank && !value_same_shape(&target, &value)) || value.truth) {
            diag_error(k->diags, item->span, "the start value must fit: left is %s, right is %s",
                       shape_show(&target, k->arena),
                       shape_show(&value, k->arena));
            continue;
        }
        if (!value_allows(k, p->scope, item->value, &value, MAY_START, "a start value"))
            continue;
        for (int i = 0; i < target.rows * target.cols; i++) {
            struct scalar x = value.at[value.rank ? i : 0];
            if (!dim_agrees(x.dim, target.at[i].dim)) {
                diag_error(k->diags, item->value->span, "this start value must be in %s, but it is %s",
                           dim_show(target.at[i].dim, k->arena), dim_show(x.dim, k->arena));
                note_number(k, item->value, target.at[i].dim, x.dim);
                break;
            }
            if (!init_one(k, item, element_name(k, target_name(k, p->scope, item->target), &target, i), target.at[i], x))
                break;
        }
    }
}

/* --- outputs ---------------------------------------------------------------------------------------------------- */

/* Result columns: coordinates, states, inputs and outputs share their names. */
static bool output_is_new(struct check *k, const char *name, struct span at)
{
    for (int i = 0; i < k->outputs.n; i++)
        if (k->outputs.at[i].name == name) {
            diag_error(k->diags, at, "the name '%s' of an output is taken", name);
            diag_note(k->diags, k->outputs.at[i].span, "by this declaration");
            return false;
        }
    VEC_PUSH(k->outputs, ((struct output_note){name, at}));
    return true;
}

static void outputs_begin(struct check *k)
{
    for (int i = 0; i < k->m->coord.n; i++)
        VEC_PUSH(k->outputs, ((struct output_note){k->m->coord.at[i].name, k->m->coord.at[i].span}));
    for (int i = 0; i < k->m->state.n; i++)
        VEC_PUSH(k->outputs, ((struct output_note){k->m->state.at[i].name, k->m->state.at[i].span}));
    for (int i = 0; i < k->m->input.n; i++)
        VEC_PUSH(k->outputs, ((struct output_note){k->m->input.at[i].name, k->m->input.at[i].span}));
}

static void define_output(struct check *k, const struct pending *p)
{
    for (int n = 0; n < p->stmt->item.n; n++) {
        const struct ast_item *item = &p->stmt->item.at[n];
        const struct ast_expr *e = item->value ? item->value : item->target;
        const char *name = item->value ? declared_name(k, p->scope, item->target)
            : eval_name(k, p->scope, item->target);
        struct unit unit = unit_read(k->c, item->unit);
        struct value v = eval(k, p->scope, e);
        if (!name || !v.at || is_shown(k, name, &v))
            continue;
        if (item->unit && !value_fits(k, e, &v, unit.dim, "this output"))
            continue;
        for (int i = 0; i < v.rows * v.cols; i++) {
            bool scaled = v.at[i].dim.kind == DIM_KNOWN && unit.scale.value != 1;
            struct model_output y = {.name = element_name(k, name, &v, i), .span = item->span};
            y.unit = item->unit ? unit.text : dim_unit(v.at[i].dim, k->arena);
            y.value = scaled ? expr_div(k->pool, v.at[i].e, expr_number(k->pool, unit.scale)) : v.at[i].e;
            if (!output_is_new(k, y.name, item->target->span))
                break;
            VEC_PUSH(k->m->output, y);
        }
    }
}

/* Discrete states are results like others, unless an output has the name. */
static void show_discrete(struct check *k)
{
    for (int i = 0; i < k->m->param.n; i++) {
        const struct model_param *d = &k->m->param.at[i];
        bool taken = !d->discrete;
        for (int j = 0; !taken && j < k->outputs.n; j++)
            taken = k->outputs.at[j].name == d->name;
        if (!taken)
            VEC_PUSH(k->m->output, ((struct model_output){d->name, d->unit, d->span, d->sym}));
    }
}

/* J.reaction and J.moment of every joint of the model, as outputs that nobody has asked for by name. */
static void show_reactions(struct check *k)
{
    for (int j = 0; j < k->mech->joint.n && !diag_full(k->diags); j++) {
        const struct mech_joint *joint = &k->mech->joint.at[j];
        for (int moment = 0; moment < 2 && joint->stmt && joint->kind->symbol != MBS_SHAPES; moment++) {
            struct value v = mech_reaction(k, joint->span, j, moment);
            const char *name = arena_printf(k->arena, "%s.%s", joint->name, mech_joint_quantity(moment));
            for (int i = 0; i < v.rows; i++) {
                struct model_output y = {element_name(k, name, &v, i), !k->has_units ? "" : moment ? "N*m" : "N", joint->span, v.at[i].e};
                bool taken = false;
                for (int o = 0; o < k->outputs.n; o++)
                    taken = taken || k->outputs.at[o].name == y.name;
                if (!taken)
                    VEC_PUSH(k->m->output, y);
            }
        }
    }
}

/* --- simulate ----------------------------------------------------------------------------------------------------- */

/* The members of the experiment that the settings are, in the order of parts.def. */
static const struct setting { const char *name; bool word; size_t at; } settings[] = {
#define PART(NAME, noun, form)
#define CLAUSE(name, shape, unit, turning, otherwise, help)
#define SETTING(name, shape, unit, otherwise, help) {#name, CLAUSE_##shape == CLAUSE_WORD, offsetof(struct model_experiment, name)},
#include "model/parts.def"
};

static void simulate_set(const struct reading *r, const struct setting *s)
{
    struct check *k = r->k;
    const struct ast_expr *e = read_value(r, s->name);
    char *to = (char *)&k->m->experiment + s->at;
    Expr x;
    if (!e)
        return;
    if (s->word && e->kind != AST_NAME && e->kind != AST_STRING)
        diag_error(k->diags, e->span, "'%s' takes a name", s->name);
    else if (s->word)
        *(const char **)to = e->text;
    else if (read_scalar(r, s->name, &x))
        *(double *)to = expr_value(k->pool, x);
}

static void define_simulate(struct check *k, const struct pending *p)
{
    if (k->simulate_stmt) {
        diag_error(k->diags, p->stmt->span, "a second simulate statement");
        diag_note(k->diags, k->simulate_stmt->span, "the first is here");
        return;
    }
    k->simulate_stmt = p->stmt;
    struct reading r;
    reading_begin(&r, k, p->scope, p->stmt, 0);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        simulate_set(&r, &settings[i]);
    const struct model_experiment *x = &k->m->experiment;
    if ((isnan(x->from) ? 0 : x->from) >= x->to)
        diag_error(k->diags, p->stmt->span, "the simulation ends before it begins");
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void define_statement(struct check *k, const struct pending *p)
{
    switch (p->stmt->word) {
    case STMT_KINETIC: case STMT_POTENTIAL: case STMT_DISSIPATION:
        define_energy(k, p);
        break;
    case STMT_FORCE:
        define_force(k, p);
        break;
    case STMT_INIT:
        define_init(k, p);
        break;
    case STMT_OUTPUT:
        define_output(k, p);
        break;
    case STMT_SIMULATE:
        define_simulate(k, p);
        break;
    case STMT_WHEN: case STMT_EVERY:
        define_event(k, p);
        break;
    case STMT_CONSTRAINT: case STMT_EQUATION: case STMT_DRAW:
        break;      /* by others */
    default:
        abort();    /* declare.c put it into the queue */
    }
}

static void define_let(struct check *k, struct entry *e)
{
    entry_evaluate(k, e);
    for (int i = 0; e->value.at && i < e->value.rows * e->value.cols; i++)
        VEC_PUSH(k->m->let, ((struct model_let){element_name(k, full_name(k, e->scope, e->name), &e->value, i), e->value.at[i].e}));
}

void define_all(struct check *k)
{
    k->ready = !k->mech->body.n;
    mech_build(k);
    if (k->stopped)
        return;
    define_states(k);
    define_constraints(k);
    mech_seat_forces(k);
    for (int i = 0; i < k->m->state.n; i++)
        state_rate(k, k->m->state.at[i].span, i);
    for (int i = 0; i < k->lets.n && !k->stopped && !diag_full(k->diags); i++)
        define_let(k, k->lets.at[i]);
    outputs_begin(k);
    for (int i = 0; i < k->queue.n && !k->stopped && !diag_full(k->diags); i++) {
        int before = k->diags->errors;
        define_statement(k, &k->queue.at[i]);
        note_turn(k, k->queue.at[i].scope, before);
    }
    show_discrete(k);
    if (k->c->options.reactions)
        show_reactions(k);
    mech_finish(k);
    mech_told(k);
    define_drawing(k);
    if (k->c->options.handles && !k->diags->errors)
        handle_points(k);
    if (!k->diags->errors)
        unknown_resolve(k);
    if (k->c->options.handles && !k->diags->errors)
        handle_start(k);
}
