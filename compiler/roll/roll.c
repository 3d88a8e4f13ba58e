/* SPDX-License-Identifier: GPL-3.0-or-later
 * The tables of rolled code: bodies, classes, rows of constants, points, patterns.  All are linear in the number of bodies (and of entries,
 * where there are matrices). */
#include "roll/roll.h"
#include "base/cwords.h"
#include "roll/text.h"
#include "tree/recursion.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Of M, for which matrices are written: their patterns are text; with constraints, whose solvers want them. */
enum { MOST_ENTRIES = 8000, MOST_ENTRIES_BOUND = 200000 };
/* Coordinates, in space and in a plane: below, statements are cheaper in all; above, they are long, and digits are lost. */
enum { LEAST_MIXED = 13, LEAST_MIXED_PLANE = 20, MOST_MIXED = 48 };
/* Operations that statements may take where bodies repeat each other, some 60 kB of C: of all functions, of the accelerations beside loops; in a plane,
 * where loops are shorter, of these and the residual, which is tried below so many coordinates. */
enum { WORTH_ALL = 2900, WORTH_FORWARD = 3600, WORTH_PLANE = 4500, LEAST_LOOPS_PLANE = 28 };

/* Pairs of a coordinate and itself or one before it, or more than `most`. */
static int count_pairs(const struct tree *t, int most)
{
    int *depth = mem_grow(NULL, (size_t)t->n + 1, sizeof *depth), sum = 0;
    for (int i = 0; i < t->n && sum <= most; i++) {
        depth[i] = t->at[i].parent < 0 ? 0 : depth[t->at[i].parent];
        for (int k = 0; k < t->at[i].coords; k++)
            sum += ++depth[i];
    }
    free(depth);
    return sum;
}

static int count_coords(const struct tree *t)
{
    int sum = 0;
    for (int i = 0; i < t->n; i++)
        sum += t->at[i].coords;
    return sum;
}

static bool is_bound(const struct model *m)
{
    return m->constraint.n || m->contact.n;
}

static bool has_joints(const struct tree *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->at[i].kind == TREE_GENERAL)
            return true;
    return false;
}

/* Newton matrices along the tree are neither for constraints nor for rows of turns that have coordinates in common. */
static bool needs_matrices(const struct model *m)
{
    return is_bound(m) || has_joints(m->tree);
}

bool roll_has_matrices(const struct model *m)
{
    return needs_matrices(m) || count_pairs(m->tree, MOST_ENTRIES) <= MOST_ENTRIES;
}

double roll_statements(const struct tree *t)
{
    return (double)STATEMENTS_A_PAIR * count_pairs(t, INT_MAX/2);
}

bool roll_is_shorter(const struct model *m)
{
    return m->tree && roll_statements(m->tree) > STATEMENTS_MOST;
}

/* The constraint that keeps the length of its Euler parameters; -1: there is none. */
static int norm_row(const struct model *m, const struct tree_body *b)
{
    struct pool *p = m->pool;
    Expr square[4];
    for (int i = 0; i < 4; i++)
        square[i] = expr_powi(p, m->coord.at[b->coord[i]].q, 2);
    Expr g = expr_mul(p, p->half, expr_sub(p, expr_sum(p, 4, square), p->one));
    for (int k = 0; k < m->holonomic; k++)
        if (m->constraint.at[k].g == g)
            return k;
    return -1;
}

const char *roll_refuses(const struct model *m, bool mixed)
{
    const struct tree *t = m->tree;
    if (!t)
        return "it has no tree of bodies in relative coordinates";
    if (count_coords(t) != m->coord.n)
        return "it has coordinates that are not those of joints";
    for (int i = 0; i < t->n; i++)
        switch (t->at[i].kind) {
        case TREE_TURN: case TREE_SLIDE: case TREE_SCREW: case TREE_GENERAL: break;
        case TREE_BALL:
            if (norm_row(m, &t->at[i]) < 0)
                return "nothing keeps the length of its Euler parameters";
            break;
        case TREE_FLEX: return "it has a beam that bends in a floating frame (with 'exact' it is made of rigid segments)";
        }
    if (!mixed && needs_matrices(m) && count_pairs(t, MOST_ENTRIES_BOUND) > MOST_ENTRIES_BOUND)
        return is_bound(m) ? "it has constraints, whose solvers want M by entries, and there are too many of them"
                           : "it has distance or constant-velocity joints, with which M is wanted by entries, and there are too many of them";
    return NULL;
}

/* A function, macro or array of the text. */
static bool text_has(const char *name)
{
    size_t n, length = strlen(name);
    for (int k = 0; roll_text[k]; k++)
        for (const char *s = roll_text[k]; (s = c_word(s, &n)); s += n)
            if (n == length && (s[n] == '(' || s[n] == '[') && !memcmp(s, name, n))
                return true;
    return false;
}

const char *roll_clash(const struct model *m)
{
    for (int k = 0; k < m->ext.n; k++)
        if (text_has(m->ext.at[k]->name))
            return m->ext.at[k]->name;
    return NULL;
}

static bool is_diagonal(const struct eq_array *a)
{
    for (int j = 0; j < a->cols; j++)
        for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
            if (a->rowidx[k] != j)
                return false;
    return true;
}

const char *roll_refuses_rest(const struct equations *eq, bool mixed, const struct roll_laws *laws)
{
    const struct tree *t = eq->model->tree;
    const struct eq_array *M = &eq->array[EQ_M];
    bool *has = mem_zeros((size_t)eq->model->coord.n + 1, sizeof *has), on_balls = false;
    for (int j = 0; j < M->cols; j++)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++)
            has[j] = has[M->rowidx[k]] = true;
    for (int k = 0; k < laws->n; k++)
        has[laws->law[k].coord] |= laws->class.at[laws->law[k].class].kind == LAW_KINETIC;
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < t->at[i].coords && t->at[i].kind == TREE_BALL; k++)
            on_balls |= has[t->at[i].coord[k]];
    free(has);
    return !mixed && !is_diagonal(M) ? "its kinetic energy beside the bodies couples coordinates" : on_balls ? "Euler parameters have kinetic energy beside the bodies" : NULL;
}

/* --- rows that are equal are one -------------------------------------------------------------------------------------------- */

struct rows {
    int width, n, cap;
    Expr *at;
    int *table, size;           /* open addressing, 1 + row */
};

static unsigned row_hash(const Expr *e, int width)
{
    unsigned h = 2166136261u;
    for (int i = 0; i < width; i++)
        h = (h ^ (unsigned)e[i]) * 16777619u;
    return h ^ h >> 15;
}

static void rows_grow(struct rows *r)
{
    free(r->table);
    r->size = r->size ? 2 * r->size : 64;
    r->table = mem_grow(NULL, (size_t)r->size, sizeof *r->table);
    memset(r->table, 0, (size_t)r->size * sizeof *r->table);
    for (int i = 0; i < r->n; i++) {
        unsigned h = row_hash(r->at + i * r->width, r->width) & (unsigned)(r->size - 1);
        while (r->table[h])
            h = (h + 1) & (unsigned)(r->size - 1);
        r->table[h] = 1 + i;
    }
}

static int rows_put(struct rows *r, const Expr *e)
{
    if (2 * r->n >= r->size)
        rows_grow(r);
    unsigned h = row_hash(e, r->width) & (unsigned)(r->size - 1);
    for (; r->table[h]; h = (h + 1) & (unsigned)(r->size - 1))
        if (!memcmp(r->at + (r->table[h] - 1) * r->width, e, (size_t)r->width * sizeof *e))
            return r->table[h] - 1;
    if (r->n == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 16;
        r->at = mem_grow(r->at, (size_t)r->cap * (size_t)r->width, sizeof *r->at);
    }
    memcpy(r->at + r->n * r->width, e, (size_t)r->width * sizeof *e);
    r->table[h] = ++r->n;
    return r->n - 1;
}

static Expr *rows_finish(struct rows *r, struct arena *arena)
{
    Expr *copy = arena_copy(arena, r->at, (size_t)r->n * (size_t)r->width * sizeof *copy);
    free(r->at);
    free(r->table);
    return copy;
}

/* --- bodies ----------------------------------------------------------------------------------------------------------------- */

static bool is_identity(const struct pool *p, const struct mat *m)
{
    for (int k = 0; k < 9; k++)
        if (m->m[k / 3][k % 3] != (k % 4 ? p->zero : p->one))
            return false;
    return true;
}

/* Coordinates of the largest of the trees that stand on ground: bodies by the dozen, each free by itself, are short as statements. */
static int largest_tree(const struct tree *t)
{
    int most = 0;
    for (int root = 0; root < t->n; root++) {
        int coords = 0;
        for (int i = root; i < t->n; i++) {
            int up = i;
            while (up > root)
                up = t->at[up].parent;
            coords += up == root ? t->at[i].coords : 0;
        }
        most = t->at[root].parent < 0 && coords > most ? coords : most;
    }
    return most;
}

bool roll_mixed_fits(const struct model *m)
{
    if (m->coord.n < LEAST_MIXED || m->coord.n > MOST_MIXED || roll_refuses(m, true))
        return false;
    int least = !tree_is_plane(m->pool, m->tree) ? LEAST_MIXED : roll_may_shorten(m) ? LEAST_LOOPS_PLANE : LEAST_MIXED_PLANE;
    return largest_tree(m->tree) >= least;
}

bool roll_is_alike(const struct roll_class *a, const struct roll_class *b)
{
    return a->kind == b->kind && a->axis == b->axis && a->placed == b->placed;
}

/* Which constants of the row are numbers that the steps need not read: zeros, and ones in a placement (`ones`: so many numbers at its beginning). */
static void read_signs(const struct pool *p, const struct roll *r, const Expr *row, struct roll_class *c)
{
    int ones = r->plane ? 2 : 9;
    for (int k = 0; k < r->width; k++)
        c->sign[k] = row[k] == p->zero ? 0 : k < ones && row[k] == p->one ? 1 : k < ones && row[k] == p->minus_one ? -1 : ROLL_ANY;
}

/* `fine`: by their numbers, too, if it has steps; else those that have joint and axis in common are one, and what differs is read.  -1: too many. */
static int class_of(struct roll *r, const struct roll_class *c, bool fine)
{
    enum { MOST_FINE = 6 };
    int count = 0;
    for (int k = 0; k < r->classes; k++) {
        struct roll_class *known = &r->class[k];
        bool same = !memcmp(known->sign, c->sign, sizeof c->sign), both = known->stepped && c->stepped;
        count += known->stepped && known->kind != ROLL_COLUMN;
        if (!roll_is_alike(known, c) || (fine && both && !same))
            continue;
        if (c->stepped && !both)
            *known = *c;
        for (int i = 0; i < (int)sizeof known->sign && both; i++)
            known->sign[i] = known->sign[i] == c->sign[i] ? c->sign[i] : ROLL_ANY;
        return k;
    }
    if (r->classes == ROLL_CLASSES || (fine && c->stepped && c->kind != ROLL_COLUMN && count == MOST_FINE))
        return -1;
    r->class[r->classes] = *c;
    return r->classes++;
}

static void body_row(struct pool *p, const struct roll *r, const struct tree_body *b, Expr *e)
{
    const struct mat *E = &b->own.E;
    Expr J[3];
    int n = 0;
    for (int i = 0; i < 3; i++)
        J[i] = expr_add(p, E->m[(i + 1) % 3][(i + 1) % 3], E->m[(i + 2) % 3][(i + 2) % 3]);
    if (r->plane) {
        Expr turn = expr_fn2(p, EXPR_ATAN2, b->place.m[1][0], b->place.m[0][0]);
        const Expr row[ROLL_PLANE_ROW] = {b->place.m[0][0], b->place.m[1][0], b->at.x[0], b->at.x[1], b->own.m, b->own.h.x[0], b->own.h.x[1], J[2], turn};
        memcpy(e, row, sizeof row);
        return;
    }
    for (int k = 0; k < 9; k++)
        e[n++] = b->place.m[k / 3][k % 3];
    for (int k = 0; k < 3; k++)
        e[n++] = b->at.x[k];
    e[n++] = b->pitch;
    e[n++] = b->own.m;
    for (int k = 0; k < 3; k++)
        e[n++] = b->own.h.x[k];
    for (int k = 0; k < 6 && r->mixed; k++)
        e[n++] = E->m[k < 3 ? 0 : k / 5 + 1][k < 3 ? k : k == 3 ? 1 : 2];
    if (r->mixed && r->width != ROLL_BOTH_ROW)
        return;
    for (int k = 0; k < 3; k++)
        e[n++] = J[k];
    e[n++] = expr_neg(p, E->m[0][1]);
    e[n++] = expr_neg(p, E->m[0][2]);
    e[n++] = expr_neg(p, E->m[1][2]);
}

/* Do many bodies repeat one before them on the way to ground: is it a chain of links that differ in numbers only?  A robot is not, not even if its legs
 * are alike. */
static bool repeats_itself(const struct model *m)
{
    const struct tree *t = m->tree;
    const struct roll r = {.mixed = true, .width = ROLL_SPACE_ROW};
    struct roll_class *class = mem_zeros((size_t)t->n + 1, sizeof *class);
    int bodies = 0, repeated = 0;
    for (int i = 0; i < t->n; i++) {
        const struct tree_body *b = &t->at[i];
        Expr row[ROLL_SPACE_ROW];
        body_row(m->pool, &r, b, row);
        read_signs(m->pool, &r, row, &class[i]);
        if (inertia_is_zero(m->pool, &b->own))
            continue;
        int j = b->parent;
        while (j >= 0 && (t->at[j].kind != b->kind || t->at[j].axis != b->axis || memcmp(class[j].sign, class[i].sign, sizeof class[j].sign)))
            j = t->at[j].parent;
        bodies++;
        repeated += j >= 0;
    }
    free(class);
    return 10 * repeated > 4 * bodies;
}

bool roll_may_shorten(const struct model *m)
{
    return m->tree && !is_bound(m) && m->coord.n <= MOST_MIXED && 2 * largest_tree(m->tree) >= m->coord.n && repeats_itself(m);
}

bool roll_is_long(const struct equations *whole, const struct equations *rest)
{
    return equations_cost(whole) - equations_cost(rest) > WORTH_ALL;
}

static double array_cost(const struct equations *eq, enum eq_id id)
{
    const struct eq_array *a = &eq->array[id];
    return expr_cost(eq->model->pool, eq->model->param.n, a->nnz, a->value);
}

/* Text of a mixed file in a plane that is neither loops nor statements of the bodies, in operations: what the model says beside them, in several functions, and
 * constants that set-up computes of parameters. */
static double text_beside(const struct equations *rest)
{
    enum { FORCE = 25, CONSTANT = 16 };
    const struct model *m = rest->model;
    const struct roll plane = {.plane = true};
    int varied = 0;
    for (int i = 0; i < m->tree->n; i++) {
        Expr row[ROLL_PLANE_ROW];
        body_row(m->pool, &plane, &m->tree->at[i], row);
        for (int k = 0; k < ROLL_PLANE_ROW; k++)
            varied += (expr_deps(m->pool, row[k]) & DEP(SYM_PARAM)) != 0;
    }
    return FORCE * array_cost(rest, EQ_f) + CONSTANT * varied;
}

bool roll_is_long_inverse(const struct equations *whole, const struct equations *rest)
{
    double forward = rest->accelerations ? array_cost(rest, EQ_a) : 0;
    return rest->model->coord.n >= LEAST_MIXED_PLANE && array_cost(whole, EQ_r) + forward + text_beside(rest) > WORTH_PLANE;
}

bool roll_is_long_forward(const struct equations *eq)
{
    const struct model *m = eq->model;
    double cost = eq->accelerations ? array_cost(eq, EQ_a) : 0;
    if (cost <= WORTH_FORWARD || !repeats_itself(m))
        return false;
    return !tree_is_plane(m->pool, m->tree) || cost + text_beside(eq) > WORTH_PLANE;
}

/* --- rows of bodies --- */

struct body_maker {
    struct roll *r;
    struct pool *p;
    const struct model *m;
    struct rows rows;
    struct { Expr *at; int n, cap; } own;       /* rows of balls, which nobody shares */
    int *last, *last_link;      /* the row of each body of the tree, among the links */
    int up;                     /* the link that the next one hangs on */
    bool fine, good;
};

static void set_class(struct body_maker *x, struct roll_body *b, const struct roll_class *c)
{
    int class = class_of(x->r, c, x->fine);
    x->good = x->good && class >= 0;
    b->class = x->good ? class : 0;
}

static void put_link(struct body_maker *x, struct roll_body b, int outer)
{
    struct roll *r = x->r;
    b.parent = x->up;
    b.coord = r->links;
    r->link[x->up].children++;
    r->link_outer[r->links] = outer;
    r->link[++r->links] = b;
    x->up = r->links;
}

static void put_body(struct body_maker *x, struct roll_body b, const struct roll_class *c)
{
    struct roll *r = x->r;
    set_class(x, &b, c);
    struct roll_body *parent = &r->body[b.parent];
    parent->children++;
    b.first = !b.parent || (parent->first && r->class[parent->class].kind == ROLL_SLIDE);
    r->negative |= b.negative;
    r->body[++r->n] = b;
}

static void make_plain(struct body_maker *x, const struct tree_body *b, int parent)
{
    struct roll *r = x->r;
    Expr e[ROLL_BOTH_ROW];
    enum roll_kind kind = b->kind == TREE_TURN ? ROLL_TURN : b->kind == TREE_SLIDE ? ROLL_SLIDE : ROLL_SCREW;
    struct roll_class c = {.kind = kind, .axis = b->axis, .stepped = r->stepped, .placed = !is_identity(x->p, &b->place)};
    body_row(x->p, r, b, e);
    if (r->stepped)
        read_signs(x->p, r, e, &c);
    r->outer[r->n] = b->coord[0];
    put_body(x, (struct roll_body){.parent = parent, .coord = b->coord[0], .row = rows_put(&x->rows, e), .negative = tree_map(b, 0, 0) != x->p->one,
                                   .massless = inertia_is_zero(x->p, &b->own)}, &c);
    if (r->linked)
        put_link(x, r->body[r->n], b->coord[0]);
}

static int put_own(struct body_maker *x, const Expr *e)
{
    for (int k = 0; k < x->r->width; k++)
        VEC_PUSH(x->own, e[k]);
    return x->own.n / x->r->width - 1;
}

/* J of the kinetic energy 2 J (e.e')^2 that its Euler parameters have beside the body's. */
static Expr ball_inertia(const struct model *m, const struct tree_body *b)
{
    struct pool *p = m->pool;
    Expr rate[4];
    for (int i = 0; i < 4; i++)
        rate[i] = expr_mul(p, m->coord.at[b->coord[i]].q, m->coord.at[b->coord[i]].v);
    Expr T = expr_mul(p, p->two, expr_powi(p, expr_sum(p, 4, rate), 2));
    for (int k = 0; k < m->kinetic.n; k++) {
        Expr J = m->kinetic.at[k].origin == TERM_NORM ? expr_div(p, m->kinetic.at[k].value, T) : T;
        if (!(expr_deps(p, J) & (DEP(SYM_Q) | DEP(SYM_V))))
            return J;
    }
    return p->zero;
}

/* One of a row of turns; `row.row` below 0: constants that nobody shares. */
static void put_turn(struct body_maker *x, const struct tree_body *turn, struct roll_body row, bool stepped)
{
    struct roll *r = x->r;
    struct roll_class c = {.kind = ROLL_TURN, .axis = turn->axis, .stepped = stepped, .placed = row.row < 0 || !is_identity(x->p, &turn->place)};
    Expr e[ROLL_BOTH_ROW];
    body_row(x->p, r, turn, e);
    if (r->stepped)
        read_signs(x->p, r, e, &c);
    if (row.row < 0) {
        memset(c.sign, ROLL_ANY, 9);            /* R(e) is in it */
        row.row = -1 - put_own(x, e);
    } else {
        row.row = rows_put(&x->rows, e);
    }
    put_body(x, row, &c);
}

static void make_ball(struct body_maker *x, const struct tree_body *b, int parent)
{
    struct roll *r = x->r;
    struct pool *p = x->p;
    struct roll_ball ball = {.body = r->n + 1, .coord = b->coord[0], .norm = norm_row(x->m, b), .reversed = b->reversed, .inertia = ball_inertia(x->m, b)};
    for (int axis = 0; axis < 3; axis++) {
        struct tree_body turn = {.kind = TREE_TURN, .axis = axis, .place = axis ? mat_identity(p) : b->place, .at = axis ? vec_zero(p) : b->at,
                                 .pitch = p->zero, .own = axis == 2 ? b->own : inertia_zero(p)};
        r->outer[r->n] = -1 - 3 * r->ball.n - axis;
        put_turn(x, &turn, (struct roll_body){.parent = axis ? r->n : parent, .coord = r->n, .row = axis - 1, .massless = axis < 2}, r->stepped);
        if (!axis)
            ball.row = -1 - r->body[r->n].row;
        if (r->linked)
            put_link(x, r->body[r->n], -1);
        if (!axis)
            ball.link = r->linked ? r->links : r->n;
    }
    VEC_PUSH(r->ball, ball);
}

/* A column a coordinate: place and shift of the whole joint are in the first one's row, its velocity terms beside its column. */
static void make_columns(struct body_maker *x, const struct tree_body *b)
{
    struct roll *r = x->r;
    struct pool *p = x->p;
    for (int k = 0; k < b->columns; k++) {
        struct tree_body body = {.place = k ? mat_identity(p) : b->place, .at = k ? vec_zero(p) : b->at, .pitch = p->zero,
                                 .own = k == b->columns - 1 ? b->own : inertia_zero(p)};
        struct roll_class c = {.kind = ROLL_COLUMN, .stepped = true, .placed = !k};
        Expr e[ROLL_BOTH_ROW], more[ROLL_BOTH_ROW];
        for (int i = 0; i < ROLL_BOTH_ROW; i++)
            more[i] = p->zero;
        body_row(p, r, &body, e);
        read_signs(p, r, e, &c);
        for (int i = 0; i < ROLL_COLUMN_ROW_PLANE && r->plane; i++) {
            c.sign[2 + i % 2] = ROLL_ANY;       /* the place */
            c.sign[r->width + i] = ROLL_ANY;
        }
        for (int i = 0; i < ROLL_COLUMN_ROW && !r->plane; i++) {
            const struct tree_column *S = &b->column[k];
            Expr column = (i < 3 ? S->w.x : S->u.x)[i % 3];
            if (!k)
                c.sign[i] = ROLL_ANY;
            c.sign[r->width + i] = (i < 6 && column == p->zero) || (i >= 6 && k) ? 0 : ROLL_ANY;
        }
        struct roll_body link = {.row = -1 - put_own(x, e)};
        put_own(x, more);
        set_class(x, &link, &c);
        put_link(x, link, b->coord[k]);
    }
}

static void make_joint(struct body_maker *x, const struct tree_body *b, int parent)
{
    struct roll *r = x->r;
    struct pool *p = x->p;
    struct roll_joint joint = {.body = r->n + 1, .coord = b->coord[0], .class = roll_joint_class(r, x->m, b), .row = x->own.n / r->width};
    VEC_PUSH(r->joint, joint);
    if (r->linked)
        make_columns(x, b);
    for (int k = 0; k < b->turns; k++) {
        bool first = k == 0, last = k == b->turns - 1;
        struct tree_body turn = {.kind = TREE_TURN, .axis = b->turn[k].axis, .place = first ? b->place : mat_identity(p), .at = first ? b->at : b->turn[k].at,
                                 .pitch = p->zero, .own = last ? b->own : inertia_zero(p)};
        put_turn(x, &turn, (struct roll_body){.parent = first ? parent : r->n, .coord = r->n, .massless = !last || inertia_is_zero(p, &b->own)}, false);
    }
}

/* Rows of balls come behind the others; coordinates of the loops are counted as bodies are. */
static void finish_balls(struct body_maker *x, struct arena *arena)
{
    struct roll *r = x->r;
    r->row = ARENA_NEW(arena, Expr, x->rows.n * r->width + x->own.n + 1);
    memcpy(r->row, x->rows.at, (size_t)(x->rows.n * r->width) * sizeof *r->row);
    if (x->own.n)
        memcpy(r->row + x->rows.n * r->width, x->own.at, (size_t)x->own.n * sizeof *r->row);
    r->rows = x->rows.n + x->own.n / r->width;
    for (int i = 1; i <= r->n; i++) {
        if (r->body[i].row < 0)
            r->body[i].row = x->rows.n - 1 - r->body[i].row;
        if (r->inner)
            r->body[i].coord = i - 1;
    }
    for (int k = 0; k < r->joint.n; k++)
        for (int i = 0; i < r->joint_class.at[r->joint.at[k].class].turns; i++)
            r->outer[r->joint.at[k].body - 1 + i] = -1 - 3 * r->ball.n - ROLL_JOINT_TURNS * k - i;
    for (int i = 1; i <= r->links && r->linked; i++)
        if (r->link[i].row < 0)
            r->link[i].row = x->rows.n - 1 - r->link[i].row;
    for (int k = 0; k < r->ball.n; k++)
        r->ball.at[k].row += x->rows.n;
    for (int k = 0; k < r->joint.n; k++)
        r->joint.at[k].row += x->rows.n;
    if (!r->linked) {
        r->links = r->n;
        r->link = r->body;
        r->link_outer = r->outer;
    }
#define KEEP(list) kept = arena_copy(arena, list.at, (size_t)list.n * sizeof *list.at), free(list.at), list.at = kept
    void *kept;
    KEEP(r->ball);
    KEEP(r->joint);
    KEEP(r->joint_class);
#undef KEEP
    free(x->rows.at);
    free(x->rows.table);
    free(x->own.at);
}

/* Whether the classes are few enough. */
static bool make_bodies(struct roll *r, const struct model *m, bool fine, struct arena *arena)
{
    const struct tree *t = m->tree;
    struct body_maker x = {.r = r, .p = m->pool, .m = m, .rows = {.width = r->width}, .fine = fine, .good = true};
    int bodies = tree_columns(t);
    r->inner = false;
    for (int i = 0; i < t->n; i++) {
        bodies += t->at[i].turns;
        r->inner |= t->at[i].kind == TREE_BALL || t->at[i].kind == TREE_GENERAL;
    }
    x.last = ARENA_NEW(arena, int, t->n + 1);
    x.last_link = ARENA_NEW(arena, int, t->n + 1);
    r->linked = r->stepped && has_joints(t);
    r->links = 0;
    r->link = ARENA_NEW(arena, struct roll_body, bodies + 1);
    r->link_outer = ARENA_NEW(arena, int, bodies + 1);
    r->body = ARENA_NEW(arena, struct roll_body, bodies + 1);
    r->outer = ARENA_NEW(arena, int, bodies + 1);
    r->at_body = x.last;
    memset(&r->ball, 0, sizeof r->ball);
    memset(&r->joint, 0, sizeof r->joint);
    memset(&r->joint_class, 0, sizeof r->joint_class);
    r->classes = r->n = 0;
    for (int i = 0; i < t->n; i++) {
        const struct tree_body *b = &t->at[i];
        x.up = b->parent < 0 ? 0 : x.last_link[b->parent];
        (b->kind == TREE_BALL ? make_ball : b->kind == TREE_GENERAL ? make_joint : make_plain)(&x, b, b->parent < 0 ? 0 : x.last[b->parent]);
        x.last[i] = r->n;
        x.last_link[i] = x.up;
    }
    finish_balls(&x, arena);
    return x.good;
}

/* Points on bodies: where they are in working axes. */
static void make_points(struct roll *r, const struct model *m, struct arena *arena)
{
    struct pool *p = m->pool;
    struct rows rows = {.width = 3};
    for (int k = 0; k < m->point.n; k++) {
        const struct model_point *x = &m->point.at[k];
        if (!x->place)
            continue;
        const struct tree_place *at = &m->tree->place[x->place - 1];
        struct vec v = mat_apply_transposed(p, &at->R, vec_sub(p, x->local, at->o));
        VEC_PUSH(r->point, ((struct roll_point){k, at->body < 0 ? 0 : r->at_body[at->body], rows_put(&rows, v.x)}));
    }
    r->places = rows.n;
    r->place = rows_finish(&rows, arena);
}

/* --- patterns ---------------------------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The coordinates of the model that a body has: those of a ball or a joint stand at the first of its turns. */
static int coords_of(const struct roll *r, int i, int *first)
{
    *first = r->outer[i - 1];
    if (*first >= 0)
        return 1;
    int turn = -1 - *first, more = turn - 3 * r->ball.n;
    if (more < 0) {
        *first = r->ball.at[turn / 3].coord;
        return turn % 3 ? 0 : 4;
    }
    const struct roll_joint *j = &r->joint.at[more / ROLL_JOINT_TURNS];
    *first = j->coord;
    return more % ROLL_JOINT_TURNS ? 0 : r->joint_class.at[j->class].coords;
}

/* Pairs of a coordinate and one before it in the tree, and what the rest has; `lower`: a triangle. */
static void make_pattern(const struct roll *r, const struct equations *eq, bool lower, struct arena *arena, int **colptr, int **rowidx)
{
    static const enum eq_id rest[2][2] = {{EQ_rq, EQ_rv}, {EQ_M, EQ_M}};
    struct { int *at; int n, cap; } *column = mem_zeros((size_t)r->coords + 1, sizeof *column);
    int entries = 0;
    for (int i = 1; i <= r->n; i++)
        for (int j = i; j; j = r->body[j].parent) {
            int first[2], n = coords_of(r, i, &first[0]), m = coords_of(r, j, &first[1]);
            for (int k = 0; k < n * m; k++) {
                int a = first[0] + k / m, b = first[1] + k % m;
                VEC_PUSH(column[a < b ? a : b], a < b ? b : a);
                if (!lower && a != b)
                    VEC_PUSH(column[a < b ? b : a], a < b ? a : b);
            }
        }
    for (int k = 0; k < 2; k++) {
        const struct eq_array *a = &eq->array[rest[lower][k]];
        for (int j = 0; j < a->cols; j++)
            for (int i = a->colptr[j]; i < a->colptr[j + 1]; i++)
                VEC_PUSH(column[j], a->rowidx[i]);
    }
    for (int j = 0; j < r->coords; j++) {
        int n = 0;
        qsort(column[j].at, (size_t)column[j].n, sizeof *column[j].at, by_number);
        for (int i = 0; i < column[j].n; i++)
            if (!i || column[j].at[i] != column[j].at[i - 1])
                column[j].at[n++] = column[j].at[i];
        entries += column[j].n = n;
    }
    *colptr = ARENA_NEW(arena, int, r->coords + 1);
    *rowidx = ARENA_NEW(arena, int, entries + 1);
    for (int j = 0; j < r->coords; j++) {
        (*colptr)[j + 1] = (*colptr)[j] + column[j].n;
        memcpy(*rowidx + (*colptr)[j], column[j].at, (size_t)column[j].n * sizeof **rowidx);
        free(column[j].at);
    }
    free(column);
}

bool roll_has_rotors(const struct roll *r, const struct equations *eq)
{
    return eq->array[EQ_M].nnz > 0 || r->laws.kinetic;
}

/* The rows of G that accelerations() binds: those of Euler parameters hold by themselves. */
static void choose_bound(struct roll *r, struct arena *arena)
{
    bool *norm = ARENA_NEW(arena, bool, r->constraints + 1);
    for (int k = 0; k < r->ball.n; k++)
        norm[r->ball.at[k].norm] = true;
    r->bound_row = ARENA_NEW(arena, int, r->constraints + 1);
    for (int k = 0; k < r->constraints; k++)
        if (!norm[k])
            r->bound_row[r->bound++] = k;
}

struct roll *roll_new(const struct equations *eq, unsigned style, const struct roll_laws *laws, struct arena *arena)
{
    bool mixed = style & ROLL_MIXED, stepped = !mixed || style & ROLL_STEPPED;
    const struct model *m = eq->model;
    const struct tree *t = m->tree;
    struct roll *r = ARENA_NEW(arena, struct roll, 1);
    *r = (struct roll){.mixed = mixed, .stepped = stepped, .inverse = style & ROLL_INVERSE, .plane = tree_is_plane(m->pool, t), .coords = m->coord.n,
                       .potential = t->potential_fixed, .laws = *laws};
    r->width = r->plane ? ROLL_PLANE_ROW : mixed && stepped ? ROLL_BOTH_ROW : ROLL_SPACE_ROW;
    memcpy(r->g, t->g.x, sizeof r->g);
    if (!stepped || !make_bodies(r, m, true, arena))
        make_bodies(r, m, false, arena);
    r->constraints = m->constraint.n;
    choose_bound(r, arena);
    r->massless = r->bound && tree_has_massless(m->pool, t);
    r->steps = !stepped ? 0 : r->bound ? ROLL_STEPS : ROLL_STEPS_FREE;
    if (stepped)
        roll_make_steps(r, m->pool, roll_has_rotors(r, eq), arena);
    make_points(r, m, arena);
    r->newton = !mixed && !m->state.n && !needs_matrices(m) && !eq->coupled && is_diagonal(&eq->array[EQ_rq]) && is_diagonal(&eq->array[EQ_rv]);
    r->matrices = mixed || roll_has_matrices(m);
    if (r->matrices) {
        make_pattern(r, eq, true, arena, &r->M_colptr, &r->M_rowidx);
        make_pattern(r, eq, false, arena, &r->r_colptr, &r->r_rowidx);
    }
    return r;
}

int roll_constants(const struct roll *r)
{
    return 4 + r->rows * r->width + 3 * r->places + r->ball.n + r->laws.constants;
}

/* Vectors of four; behind them one lane of the ground, and sines are made by eight. */
int roll_lane_count(const struct roll *r)
{
    return (r->n + 3) / 4 * 4;
}

int roll_stride(const struct roll *r)
{
    return (roll_lane_count(r) + 8) / 8 * 8;
}

int roll_lanes(const struct roll *r)
{
    enum { SPACE_LANES = 24, PLANE_LANES = 11 };
    return !r->mixed ? 0 : (r->plane ? PLANE_LANES : SPACE_LANES) * roll_stride(r);
}

Expr roll_constant(const struct roll *r, int k)
{
    if (k < 4)
        return k < 3 ? r->g[k] : r->potential;
    k -= 4;
    if (k < r->rows * r->width)
        return r->row[k];
    k -= r->rows * r->width;
    if (k < 3 * r->places)
        return r->place[k];
    k -= 3 * r->places;
    return k < r->ball.n ? r->ball.at[k].inertia : r->laws.constant[k - r->ball.n];
}

int roll_entries(const struct roll *r, enum eq_id id)
{
    return id == EQ_M ? (r->matrices ? r->M_colptr[r->coords] : 0) : id == EQ_rq || id == EQ_rv ? (r->matrices ? r->r_colptr[r->coords] : 0) : -1;
}

bool roll_has(const struct roll *r, enum abi_function_id id)
{
    return id == FUNCTION_dynamics || (id == FUNCTION_residual && !r->inverse) || id == FUNCTION_jacobian || id == FUNCTION_energy
           || (id == FUNCTION_points && r->point.n > 0);
}
