/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tapes of a generated file.
 *
 * Functions (mbs/model.def says what each gives) are fused by use: what an integrator asks for together is one tape, in which a sine is
 * computed once.  What it may leave out is a section of its own. */
#include "program/programs.h"
#include "roll/roll.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_PER_PIECE = 1200, ENTRIES_APART = 8 };
enum { ROWS_OF_FORWARD = 3600 };        /* the only long program of a mixed file: what pieces hand on to each other is a fifth of its text */

/* --- the list ----------------------------------------------------------------------------------------- */

static struct program *push(struct programs *p, enum program_kind kind, int index, const char *name, struct tape *t)
{
    struct program new = { .kind = kind, .index = index, .name = name, .tape = t, .cost = t->cost, .workspace = t->slots };
    VEC_PUSH(p->list, new);
    return &p->list.at[p->list.n - 1];
}

static int by_kind(const void *a, const void *b)
{
    const struct program *x = a, *y = b;
    return x->kind != y->kind ? (int)x->kind - (int)y->kind : x->index - y->index;
}

const struct program *program_find(const struct programs *p, enum program_kind kind, int index)
{
    for (int k = 0; k < p->list.n; k++)
        if (p->list.at[k].kind == kind && p->list.at[k].index == index)
            return &p->list.at[k];
    return NULL;
}

bool program_is_member(const struct program *p)
{
    switch (p->kind) {
    case PROGRAM_DEFAULTS: case PROGRAM_SETUP: case PROGRAM_INITIAL: case PROGRAM_FUNCTION: case PROGRAM_FACTOR: case PROGRAM_SOLVE:
        return true;
    case PROGRAM_DEFAULT: case PROGRAM_BODIES: case PROGRAM_LAW: case PROGRAM_JOINT: case PROGRAM_STEP: case PROGRAM_POSITION: case PROGRAM_PART:
    case PROGRAM_COLUMNS: case PROGRAM_PRODUCT: case PROGRAM_LANES: case PROGRAM_KINDS:
        break;
    }
    return false;
}

const char *program_array(const struct programs *p, const struct program *x, int k)
{
    static const char *const initial[] = { "q", "v", "z", "u" };
    switch (x->kind) {
    case PROGRAM_DEFAULT: case PROGRAM_DEFAULTS: return "p";
    case PROGRAM_SETUP: return "c";
    case PROGRAM_BODIES: return "to";
    case PROGRAM_LAW: return "law";
    case PROGRAM_JOINT: return "joint";
    case PROGRAM_STEP: return k ? "to" : "x";
    case PROGRAM_INITIAL: return initial[k];
    case PROGRAM_POSITION: return "position";
    case PROGRAM_PART: return abi_quantity[x->index].name;
    case PROGRAM_COLUMNS: return abi_quantity[p->eq->columns->at[k].matrix].name;
    case PROGRAM_PRODUCT: return "y";
    case PROGRAM_LANES:
    case PROGRAM_FUNCTION: return p->by_products && x->index == FUNCTION_residual ? "r" : abi_quantity[abi_function[x->index].part[k].id].name;
    case PROGRAM_FACTOR: return "l";
    case PROGRAM_SOLVE: return "x";
    case PROGRAM_KINDS: break;
    }
    return "";
}

/* --- columns ------------------------------------------------------------------------------------------ */

bool column_is_in(enum eq_id id, enum column_set set)
{
    return set == COLUMNS_MASS ? id == EQ_M : set == COLUMNS_MU ? id == EQ_gmuq : id != EQ_gmuq;
}

enum abi_function_id column_function(enum column_set set)
{
    return set == COLUMNS_MASS ? FUNCTION_dynamics : FUNCTION_jacobian;
}

struct column_layout column_layout(const struct programs *p, const struct program *x)
{
    struct column_layout l = { .seeds = x->tape->slots };
    l.end = l.seeds + 2 * p->eq->model->coord.n;
    for (int a = 0; a < p->eq->columns->n; a++)
        if (column_is_in(p->eq->columns->at[a].matrix, (enum column_set)x->index)) {
            l.column[a] = l.end;
            l.end += p->eq->columns->at[a].rows;
        }
    return l;
}

struct outputs {
    struct tape_output *at;
    int n, cap;
};

/* The tape of these outputs, which are freed. */
static struct tape *build(struct programs *p, struct outputs *out, int rows_per_piece)
{
    struct tape *t = tape_build(p->eq->model->pool, &p->hoist, out->n, out->at, rows_per_piece);
    free(out->at);
    return t;
}

static void build_columns(struct programs *p, enum column_set set, int rows_per_piece)
{
    static const char *const name[COLUMN_SETS] = { "dynamics_columns", "jacobian_columns", "jacobian_mu" };
    const struct eq_columns *c = p->eq->columns;
    struct outputs out = {0};
    int entries = 0;
    for (int a = 0; c && a < c->n; a++)
        for (int i = 0; column_is_in(c->at[a].matrix, set) && i < c->at[a].rows; i++) {
            VEC_PUSH(out, ((struct tape_output){ .value = c->at[a].value[i], .array = a, .index = i, .section = 1 + c->at[a].by_v }));
            entries += !i ? p->eq->array[c->at[a].matrix].nnz : 0;
        }
    if (!entries) {
        free(out.at);
        return;
    }
    struct program *x = push(p, PROGRAM_COLUMNS, set, name[set], build(p, &out, rows_per_piece));
    x->workspace = column_layout(p, x).end;
}

/* --- functions of the ABI ------------------------------------------------------------------------------ */

static void push_array(struct outputs *out, const struct eq_array *e, int array, int section)
{
    for (int k = 0; k < e->nnz && !e->by_columns; k++)
        VEC_PUSH(*out, ((struct tape_output){ .value = e->value[k], .array = array, .index = k, .section = section }));
}

/* Around the function of the bodies there is that of the rest. */
static const char *function_name(struct programs *p, int function)
{
    const char *name = abi_function[function].name;
    return p->eq->roll && roll_has(p->eq->roll, (enum abi_function_id)function) ? arena_printf(&p->arena, "rest_%s", name) : name;
}

/* What a function computes itself. */
static void push_function(struct programs *p, const struct abi_function *f, const bool *apart, struct outputs *out)
{
    for (int a = 0; a < f->parts; a++)
        if (!apart[f->part[a].id] && !(f->part[a].id == EQ_gav && p->gav_is_twice_gvq))
            push_array(out, &p->eq->array[f->part[a].id], a, f->part[a].group);
}

/* d(G a + gamma)/dv is twice d(G v)/dq for constraints of q alone: a loop instead of statements. */
static bool is_twice(const struct equations *eq, enum eq_id id, enum eq_id half)
{
    const struct eq_array *a = &eq->array[id], *b = &eq->array[half];
    struct pool *pool = eq->model->pool;
    if (!a->nnz || a->nnz != b->nnz || a->by_columns)
        return false;
    for (int k = 0; k < a->nnz; k++)
        if (a->rowidx[k] != b->rowidx[k] || a->value[k] != expr_mul(pool, pool->two, b->value[k]))
            return false;
    return !memcmp(a->colptr, b->colptr, ((size_t)a->cols + 1) * sizeof *a->colptr);
}

/* Is it made of expressions?  A file without points or conditions of the start has no function for them. */
static bool has_tape(const struct programs *p, int function)
{
    const struct model *m = p->eq->model;
    return function == FUNCTION_residual     ? !p->by_products
           : function == FUNCTION_points     ? m->point.n > 0
           : function == FUNCTION_conditions ? m->condition.n > 0
           : function == FUNCTION_contacts   ? m->contact.n > 0
           : function == FUNCTION_guards     ? m->event.n > 0
           : function == FUNCTION_jumps      ? m->jump.n > 0
           : function == FUNCTION_power      ? p->eq->array[EQ_power].value[0] != m->pool->zero
           : function == FUNCTION_accelerations ? p->eq->accelerations
           : function == FUNCTION_sensitivity ? m->sensitives > 0 : true;
}

/* The functions that compute an array, as bits. */
static unsigned functions_of(const struct programs *p, enum eq_id id)
{
    unsigned all = 0;
    for (int k = 0; k < FUNCTION_COUNT; k++)
        if (has_tape(p, k) && abi_part((enum abi_function_id)k, id) >= 0)
            all |= 1u << k;
    return all;
}

/* An array that several functions compute is a function of its own if that is shorter and costs nothing: C compilers
 * find what it has in common with the rest of the function it is inlined into, but not below calls that may set errno. */
static bool stands_apart(const struct programs *p, enum eq_id id)
{
    const struct eq_array *e = &p->eq->array[id];
    int count = 0;
    for (unsigned all = functions_of(p, id); all; all &= all - 1)
        count++;
    return (count - 1) * e->nnz >= ENTRIES_APART && joint_is_pure(p->eq->model->pool, e->nnz, e->value);
}

static const char *part_name(enum eq_id id)
{
    static const char *const name[EQ_COUNT] = {
        [EQ_M] = "mass_matrix", [EQ_G] = "constraint_matrix", [EQ_g] = "constraint_values", [EQ_gt] = "constraint_rates",
        [EQ_zdot] = "state_rates",
    };
    return name[id] ? name[id] : abi_quantity[id].name;
}

_Static_assert((int)FUNCTION_COUNT <= (int)JOINT_FUNCTIONS, "joint.h counts the costs of fewer functions");

/* All functions optimised together; false if that would be long. */
static bool build_joint(struct programs *p)
{
    struct outputs out[EQ_COUNT + FUNCTION_COUNT] = {{0}};
    struct joint_part part[EQ_COUNT + FUNCTION_COUNT];
    struct { enum program_kind kind; int index; } what[EQ_COUNT + FUNCTION_COUNT];
    bool apart[EQ_COUNT] = {0}, any = false;
    const unsigned often = 1u << FUNCTION_dynamics | 1u << FUNCTION_residual | 1u << FUNCTION_jacobian;
    struct joint joint;
    int n = 0;
    if (p->eq->columns)
        return false;
    for (int k = 0; k < EQ_COUNT; k++)
        if ((apart[k] = stands_apart(p, (enum eq_id)k))) {
            any = true;
            what[n].kind = PROGRAM_PART, what[n].index = k;
            push_array(&out[n], &p->eq->array[k], 0, 0);
            part[n] = (struct joint_part){ out[n].n, out[n].at, functions_of(p, (enum eq_id)k) };
            n++;
        }
    for (int k = 0; k < FUNCTION_COUNT; k++)
        if (has_tape(p, k)) {
            what[n].kind = PROGRAM_FUNCTION, what[n].index = k;
            push_function(p, &abi_function[k], apart, &out[n]);
            part[n] = (struct joint_part){ out[n].n, out[n].at, 1u << k };
            n++;
        }
    bool good = joint_build(&joint, p->eq->model->pool, &p->hoist, n, part, often, any, ROWS_PER_PIECE);
    for (int k = 0; k < n; k++) {
        free(out[k].at);
        if (!good)
            continue;
        bool function = what[k].kind == PROGRAM_FUNCTION;
        const char *name = function ? function_name(p, what[k].index) : part_name((enum eq_id)what[k].index);
        struct program *x = push(p, what[k].kind, what[k].index, name, joint.tape[k]);
        if (function)
            x->cost = joint.cost[what[k].index];
        joint.tape[k] = NULL;
    }
    if (good) {
        if (joint.position)
            push(p, PROGRAM_POSITION, 0, "position", joint.position);
        joint.position = NULL;
        joint_free(&joint);
    } else {                    /* without the constants that were made in vain */
        hoist_fini(&p->hoist);
        hoist_init(&p->hoist, p->eq->model->pool, p->eq->model->param.n);
    }
    return good;
}

static void build_apart(struct programs *p, int rows_per_piece)
{
    for (int k = 0; k < FUNCTION_COUNT; k++)
        if (has_tape(p, k)) {
            struct outputs out = {0};
            push_function(p, &abi_function[k], (const bool[EQ_COUNT]){0}, &out);
            push(p, PROGRAM_FUNCTION, k, function_name(p, k), build(p, &out, rows_per_piece));
        }
}

/* The cost of a part of a program, as a tape of its own. */
static double part_cost(struct programs *p, int n, const enum eq_id *id)
{
    struct { Expr *at; int n, cap; } e = {0};
    for (int k = 0; k < n; k++)
        for (int j = 0; j < p->eq->array[id[k]].nnz; j++)
            VEC_PUSH(e, p->eq->array[id[k]].value[j]);
    double cost = expr_cost(p->eq->model->pool, p->hoist.params, e.n, e.at);
    free(e.at);
    return cost;
}

/* The residual by products, unless a program for r alone is cheaper than M, f and G together with them. */
static void choose_residual(struct programs *p)
{
    static const enum eq_id direct[] = { EQ_r }, parts[] = { EQ_M, EQ_f, EQ_G };
    struct products x;
    bool beside = p->eq->roll && p->eq->roll->inverse;      /* M and f are those of the rest */
    if (p->eq->columns || beside || !products_init(&x, p->eq))
        return;
    double cost = p->eq->residual_cost > 0 ? p->eq->residual_cost : part_cost(p, 1, direct);
    if (part_cost(p, 3, parts) + x.flops > cost) {
        products_fini(&x);
        return;
    }
    p->by_products = true;
    p->product_flops = x.flops;
    if (p->eq->model->constraint.n) {
        push(p, PROGRAM_PRODUCT, 0, "G_times", x.forward);
        push(p, PROGRAM_PRODUCT, 1, "Gt_times", x.transposed);
        x.forward = x.transposed = NULL;
    }
    push(p, PROGRAM_FUNCTION, FUNCTION_residual, function_name(p, FUNCTION_residual), x.rest);
    x.rest = NULL;
    products_fini(&x);
}

/* --- parameters and start values ------------------------------------------------------------------------ */

int program_starts(const struct programs *p, int array)
{
    const struct model *m = p->eq->model;
    return array < 2 ? m->coord.n : array == 2 ? m->state.n : m->input.n;
}

Expr program_start(const struct programs *p, int array, int k)
{
    const struct model *m = p->eq->model;
    return array == 0 ? m->coord.at[k].q0 : array == 1 ? m->coord.at[k].v0 : array == 2 ? m->state.at[k].z0 : m->input.at[k].value;
}

bool program_start_is_table(const struct programs *p, int array)
{
    enum { MOST_STATEMENTS = 100 };
    const struct pool *pool = p->eq->model->pool;
    int numbers = 0;
    for (int k = 0; k < program_starts(p, array); k++) {
        Expr e = program_start(p, array, k);
        numbers += expr_is_num(pool, e) && e != pool->zero;
    }
    return numbers > MOST_STATEMENTS && !p->whole;
}

static void build_initial(struct programs *p)
{
    struct outputs out = {0};
    for (int a = 0; a < 4; a++) {
        bool table = program_start_is_table(p, a);
        for (int k = 0; k < program_starts(p, a); k++)
            if (!(table && expr_is_num(p->eq->model->pool, program_start(p, a, k))))
                VEC_PUSH(out, ((struct tape_output){ .value = program_start(p, a, k), .array = a, .index = k }));
    }
    push(p, PROGRAM_INITIAL, 0, "initial", build(p, &out, 0));
}

/* A default may use parameters that the caller has given, so each has a program of its own, in order. */
static void build_defaults(struct programs *p)
{
    const struct model *m = p->eq->model;
    for (int k = 0; k < m->param.n; k++)
        if (!expr_is_num(m->pool, m->param.at[k].value)) {
            struct tape_output out = { .value = m->param.at[k].value, .index = k };
            const char *name = arena_printf(&p->arena, "default_%s", m->param.at[k].name);
            push(p, PROGRAM_DEFAULT, k, name, tape_build(m->pool, NULL, 1, &out, 0));
        }
    push(p, PROGRAM_DEFAULTS, 0, "defaults", tape_build(m->pool, NULL, 0, NULL, 0));
}

static void build_bodies(struct programs *p)
{
    const struct roll *r = p->eq->roll;
    struct outputs out = {0};
    for (int k = 0; k < roll_constants(r); k++)
        if (!expr_is_num(p->eq->model->pool, roll_constant(r, k)))
            VEC_PUSH(out, ((struct tape_output){ .value = roll_constant(r, k), .index = k }));
    push(p, PROGRAM_BODIES, 0, "body_constants", build(p, &out, 0));
    for (int k = 0; k < r->laws.class.n; k++) {
        struct outputs law = {0};
        for (int i = 0; i < LAW_OUTS; i++)
            VEC_PUSH(law, ((struct tape_output){ .value = r->laws.class.at[k].out[i], .index = i }));
        push(p, PROGRAM_LAW, k, arena_printf(&p->arena, "law_%d", k), build(p, &law, 0));
    }
    for (int k = 0; k < r->joint_class.n; k++) {
        struct outputs joint = {0};
        for (int i = 0; i < ROLL_JOINT_VALUES; i++)
            if (r->joint_class.at[k].value[i] != p->eq->model->pool->zero)
                VEC_PUSH(joint, ((struct tape_output){ .value = r->joint_class.at[k].value[i], .index = i }));
        push(p, PROGRAM_JOINT, k, arena_printf(&p->arena, "joint_%d", k), build(p, &joint, 0));
    }
    for (int k = 0; r->step && k < r->steps * r->classes; k++) {
        static const char *const name[ROLL_STEPS] = {"step_velocities", "step_forces", "step_accelerations", "step_more_forces", "step_more_accelerations"};
        const struct roll_step *s = &r->step[k];
        if (!r->class[k / r->steps].stepped)
            continue;
        struct outputs step = {0};
        for (int i = 0; i < s->n; i++) {
            bool passed = roll_passes_on(r, k) && i >= s->own;
            VEC_PUSH(step, ((struct tape_output){ .value = s->out[i].value, .array = passed, .index = s->out[i].slot }));
        }
        push(p, PROGRAM_STEP, k, arena_printf(&p->arena, "%s_%d", name[k % r->steps], k / r->steps), build(p, &step, 0));
    }
}

static void build_solver(struct programs *p)
{
    if (!(p->saddle = saddle_new(p->eq)))
        return;
    push(p, PROGRAM_FACTOR, 0, "factor", p->saddle->factor);
    push(p, PROGRAM_SOLVE, 0, "solve", p->saddle->solve);
    p->saddle->factor = p->saddle->solve = NULL;
}

static bool calls(const struct tape *t)
{
    for (int k = 0; k < t->rows; k++)
        if (t->row[k].op == TAPE_CALL)
            return true;
    return false;
}

static void build_lanes_of(struct programs *p, enum abi_function_id id, int last_group, int rows)
{
    const struct abi_function *f = &abi_function[id];
    struct outputs out = {0};
    for (int a = 0; a < f->parts; a++)
        if (f->part[a].group <= last_group)
            push_array(&out, &p->eq->array[f->part[a].id], a, f->part[a].group);
    struct tape *tape = build(p, &out, rows);
    if (id != FUNCTION_accelerations && calls(tape))    /* there are none in lanes (lanes_fit() in compile.c says so of accelerations) */
        tape_free(tape);
    else
        push(p, PROGRAM_LANES, id, arena_printf(&p->arena, "%s_lanes", f->name), tape);
}

/* Accelerations; and where there are constraints and matrices as statements, what half-explicit methods, projections and the watch over the rank need. */
static void build_lanes(struct programs *p, int rows)
{
    enum { UP_TO_GAMMA = 1, ALL = 9 };          /* groups of model.def */
    build_lanes_of(p, FUNCTION_accelerations, ALL, rows);
    if (p->eq->roll || p->eq->columns || !p->eq->model->constraint.n)
        return;
    build_lanes_of(p, FUNCTION_dynamics, UP_TO_GAMMA, rows);
    build_lanes_of(p, FUNCTION_constraints, ALL, rows);
}

void programs_init(struct programs *p, const struct equations *eq, bool solver, int rows_per_piece, int lanes)
{
    int rows = rows_per_piece ? rows_per_piece : ROWS_PER_PIECE;
    memset(p, 0, sizeof *p);
    p->eq = eq;
    p->whole = rows_per_piece == PROGRAMS_WHOLE;
    hoist_init(&p->hoist, eq->model->pool, eq->model->param.n);
    if (!p->whole)
        choose_residual(p);
    p->gav_is_twice_gvq = !p->whole && is_twice(eq, EQ_gav, EQ_gvq);
    if (rows_per_piece || !build_joint(p))
        build_apart(p, !rows_per_piece && eq->roll && eq->roll->mixed ? ROWS_OF_FORWARD : rows);
    for (int k = 0; k < COLUMN_SETS; k++)
        build_columns(p, (enum column_set)k, rows);
    if (lanes && eq->accelerations)
        build_lanes(p, rows_per_piece ? rows_per_piece : ROWS_OF_FORWARD);
    p->lanes = lanes;
    build_initial(p);
    build_defaults(p);
    if (eq->roll)
        build_bodies(p);
    if (solver && !eq->columns && !eq->roll)
        build_solver(p);
    push(p, PROGRAM_SETUP, 0, eq->roll ? "rest_setup" : "setup", tape_build_setup(&p->hoist, 0));     /* last: it computes what the others have hoisted */
    qsort(p->list.at, (size_t)p->list.n, sizeof *p->list.at, by_kind);
    struct program *jacobian = (struct program *)program_find(p, PROGRAM_FUNCTION, FUNCTION_jacobian);
    if (p->gav_is_twice_gvq)
        jacobian->cost.mul += eq->array[EQ_gav].nnz;
}

void programs_fini(struct programs *p)
{
    for (int k = 0; k < p->list.n; k++)
        tape_free(p->list.at[k].tape);
    free(p->list.at);
    saddle_free(p->saddle);
    hoist_fini(&p->hoist);
    arena_free(&p->arena);
}
