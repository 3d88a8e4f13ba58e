/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which quantities each function computes, and the tapes for them.
 *
 * Functions are fused by use: what an integrator asks for together is one tape, in which a sine is
 * computed once.  What it may leave out is a section of its own. */
#include "program/programs.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_PER_PIECE = 1200, ENTRIES_APART = 8 };

#define END { -1, 0 }
const struct program_spec program_spec[PROGRAM_COUNT] = {
    [PROGRAM_DYNAMICS] = { "dynamics", "const struct mbs_dynamics *", "out",
        { { EQ_M, 0 }, { EQ_f, 0 }, { EQ_G, 0 }, { EQ_zdot, 0 }, { EQ_gamma, 1 }, { EQ_g, 2 }, { EQ_gt, 3 }, END } },
    [PROGRAM_CONSTRAINTS] = { "constraints", "const struct mbs_constraints *", "out",
        { { EQ_g, 0 }, { EQ_G, 0 }, { EQ_gt, 1 }, END } },
    [PROGRAM_RESIDUAL] = { "residual", "const struct mbs_residual *", "out",
        { { EQ_r, 0 }, { EQ_zdot, 0 }, { EQ_g, 1 }, { EQ_gv, 2 }, { EQ_ga, 3 }, { EQ_Gtmu, 4 }, END } },
    [PROGRAM_JACOBIAN] = { "jacobian", "const struct mbs_jacobian *", "out",
        { { EQ_rq, 0 }, { EQ_rv, 0 }, { EQ_M, 0 }, { EQ_G, 0 }, { EQ_rz, 0 }, { EQ_zq, 0 }, { EQ_zv, 0 }, { EQ_zz, 0 },
          { EQ_gvq, 1 }, { EQ_gaq, 2 }, { EQ_gav, 2 }, { EQ_gmuq, 3 }, { EQ_ru, 4 }, { EQ_zu, 4 }, END } },
    [PROGRAM_ENERGY] = { "energy", "double *", "E", { { EQ_energy, 0 }, END } },
    [PROGRAM_OUTPUTS] = { "outputs", "double *", "y", { { EQ_y, 0 }, END } },
    [PROGRAM_POINTS] = { "points", "double *", "xyz", { { EQ_xyz, 0 }, END } },
};

bool column_is_in(enum eq_id id, int set)
{
    return set == COLUMNS_MASS ? id == EQ_M : set == COLUMNS_MU ? id == EQ_gmuq : id != EQ_gmuq;
}

static struct tape *build_columns(struct programs *p, int set, int rows_per_piece)
{
    const struct eq_columns *c = p->eq->columns;
    struct { struct tape_output *at; int n, cap; } out = {0};
    for (int a = 0; c && a < c->n; a++)
        for (int i = 0; column_is_in(c->at[a].matrix, set) && i < c->at[a].rows; i++)
            VEC_PUSH(out, ((struct tape_output){ .value = c->at[a].value[i], .array = a, .index = i, .section = 1 + c->at[a].by_v }));
    struct tape *t = out.n ? tape_build(p->eq->model->pool, &p->hoist, out.n, out.at, rows_per_piece) : NULL;
    free(out.at);
    return t;
}

struct outputs {
    struct tape_output *at;
    int n, cap;
};

static void push_array(struct outputs *out, const struct eq_array *e, int array, int section)
{
    for (int k = 0; k < e->nnz && !e->by_columns; k++)
        VEC_PUSH(*out, ((struct tape_output){ .value = e->value[k], .array = array, .index = k, .section = section }));
}

/* What a function computes itself. */
static void push_program(struct programs *p, const struct program_spec *spec, const bool *apart, struct outputs *out)
{
    for (int a = 0; spec->part[a].id >= 0; a++)
        if (!apart[spec->part[a].id] && !(spec->part[a].id == EQ_gav && p->gav_is_twice_gvq))
            push_array(out, &p->eq->array[spec->part[a].id], a, spec->part[a].section);
}

static struct tape *build(struct programs *p, const struct program_spec *spec, int rows_per_piece)
{
    struct outputs out = {0};
    push_program(p, spec, (const bool[EQ_COUNT]){0}, &out);
    struct tape *t = tape_build(p->eq->model->pool, &p->hoist, out.n, out.at, rows_per_piece);
    free(out.at);
    return t;
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

static bool has_tape(const struct programs *p, int program)
{
    return program != PROGRAM_RESIDUAL || !p->products;
}

/* The functions that compute an array, as bits. */
static unsigned functions_of(const struct programs *p, enum eq_id id)
{
    unsigned all = 0;
    for (int k = 0; k < PROGRAM_COUNT; k++)
        for (int a = 0; has_tape(p, k) && program_spec[k].part[a].id >= 0; a++)
            if (program_spec[k].part[a].id == (int)id)
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

static bool build_joint(struct programs *p)
{
    struct outputs out[EQ_COUNT + PROGRAM_COUNT] = {{0}};
    struct joint_part part[EQ_COUNT + PROGRAM_COUNT];
    struct tape **place[EQ_COUNT + PROGRAM_COUNT];
    bool apart[EQ_COUNT] = {0}, any = false;
    const unsigned often = 1u << PROGRAM_DYNAMICS | 1u << PROGRAM_RESIDUAL | 1u << PROGRAM_JACOBIAN;
    struct joint joint;
    int n = 0;
    if (p->eq->columns)
        return false;
    for (int k = 0; k < EQ_COUNT; k++)
        if ((apart[k] = stands_apart(p, (enum eq_id)k))) {
            any = true;
            place[n] = &p->part[k];
            push_array(&out[n], &p->eq->array[k], 0, 0);
            part[n] = (struct joint_part){ out[n].n, out[n].at, functions_of(p, (enum eq_id)k) };
            n++;
        }
    for (int k = 0; k < PROGRAM_COUNT; k++)
        if (has_tape(p, k)) {
            place[n] = &p->tape[k];
            push_program(p, &program_spec[k], apart, &out[n]);
            part[n] = (struct joint_part){ out[n].n, out[n].at, 1u << k };
            n++;
        }
    bool good = joint_build(&joint, p->eq->model->pool, &p->hoist, n, part, often, any, ROWS_PER_PIECE);
    for (int k = 0; k < n; k++) {
        if (good) {
            *place[k] = joint.tape[k];
            joint.tape[k] = NULL;
        }
        free(out[k].at);
    }
    if (good) {
        memcpy(p->cost, joint.cost, sizeof p->cost);
        p->position = joint.position;
        joint.position = NULL;
        joint_free(&joint);
    } else {                    /* without the constants that were made in vain */
        hoist_fini(&p->hoist);
        hoist_init(&p->hoist, p->eq->model->pool, p->eq->model->param.n);
    }
    return good;
}

/* The cost of a part of a program, as a tape of its own. */
static double part_cost(struct programs *p, int n, const enum eq_id *id)
{
    struct { Expr *at; int n, cap; } e = {0};
    for (int k = 0; k < n; k++)
        for (int j = 0; j < p->eq->array[id[k]].nnz; j++)
            VEC_PUSH(e, p->eq->array[id[k]].value[j]);
    double cost = expr_cost(p->eq->model->pool, &p->hoist, e.n, e.at);
    free(e.at);
    return cost;
}

/* The residual by products, unless a program for r alone is cheaper than M, f and G together with them. */
static void choose_residual(struct programs *p)
{
    static const enum eq_id direct[] = { EQ_r }, parts[] = { EQ_M, EQ_f, EQ_G };
    p->products = p->eq->columns ? NULL : products_new(p->eq);
    if (!p->products)
        return;
    double cost = p->eq->residual_cost > 0 ? p->eq->residual_cost : part_cost(p, 1, direct);
    if (part_cost(p, 3, parts) + p->products->flops > cost) {
        products_free(p->products);
        p->products = NULL;
    }
}

/* Start values of q, v, z and u: arrays 0 to 3. */
static struct tape *build_initial(struct programs *p)
{
    const struct model *m = p->eq->model;
    struct { struct tape_output *at; int n, cap; } out = {0};
#define START(list, member, number)                                                                        \
    for (int k = 0; k < m->list.n; k++)                                                                    \
        VEC_PUSH(out, ((struct tape_output){ .value = m->list.at[k].member, .array = number, .index = k }))
    START(coord, q0, 0);
    START(coord, v0, 1);
    START(state, z0, 2);
    START(input, value, 3);
#undef START
    struct tape *t = tape_build(m->pool, &p->hoist, out.n, out.at, 0);
    free(out.at);
    return t;
}

void programs_init(struct programs *p, const struct equations *eq, bool solver, int rows_per_piece)
{
    memset(p, 0, sizeof *p);
    p->eq = eq;
    hoist_init(&p->hoist, eq->model->pool, eq->model->param.n);
    choose_residual(p);
    p->gav_is_twice_gvq = is_twice(eq, EQ_gav, EQ_gvq);
    if (rows_per_piece || !build_joint(p))
        for (int k = 0; k < PROGRAM_COUNT; k++)
            p->tape[k] = has_tape(p, k) ? build(p, &program_spec[k], rows_per_piece ? rows_per_piece : ROWS_PER_PIECE) : NULL,
            p->cost[k] = p->tape[k] ? p->tape[k]->cost : (struct tape_cost){0};
    if (p->gav_is_twice_gvq)
        p->cost[PROGRAM_JACOBIAN].mul += eq->array[EQ_gav].nnz;
    for (int k = 0; k < COLUMN_SETS; k++)
        p->columns[k] = build_columns(p, k, rows_per_piece ? rows_per_piece : ROWS_PER_PIECE);
    p->initial = build_initial(p);
    p->setup = tape_build_setup(&p->hoist, 0);
    p->saddle = solver && !eq->columns ? saddle_new(eq) : NULL;
}

void programs_fini(struct programs *p)
{
    for (int k = 0; k < PROGRAM_COUNT; k++)
        tape_free(p->tape[k]);
    for (int k = 0; k < COLUMN_SETS; k++)
        tape_free(p->columns[k]);
    for (int k = 0; k < EQ_COUNT; k++)
        tape_free(p->part[k]);
    tape_free(p->position);
    tape_free(p->initial);
    tape_free(p->setup);
    products_free(p->products);
    saddle_free(p->saddle);
    hoist_fini(&p->hoist);
}
