/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of rolled and mixed files: bodies, joints, laws, constants, where the entries of matrices are. */
#include "emit/rolled.h"

#include <string.h>

void emit_ints(struct emitter *e, const char *name, int n, const int *at)
{
    struct cw_list list;
    cw_list_begin(&list, e->out, arena_printf(&e->arena, "static const int %s[] = { ", name), " };");
    for (int k = 0; k < n;) {
        int run = 1;
        while (run < 64 && k + run < n && at[k + run] == at[k] + run)
            run++;
        int whole = 64;
        while (whole > run)
            whole /= 2;
        if (whole >= 4)
            cw_list_item(&list, "FROM%d(%d)", whole, at[k]);
        for (int i = 0; whole < 4 && i < whole; i++)
            cw_list_item(&list, "%d", at[k + i]);
        k += whole;
    }
    cw_list_end(&list);
}

/* The table, and a step for each class. */
void emit_laws(struct emitter *e, const struct roll_laws *l)
{
    struct cw_list list;
    if (!l->n)
        return;
    cw_line(e->out, "#define LAWS %d", l->n);
    cw_line(e->out, "/* Laws of single coordinates: coordinate, constants, class. */");
    cw_list_begin(&list, e->out, "static const struct law { int coord, constants; signed char class; } laws[] = { ", " };");
    for (int k = 0; k < l->n; k++)
        cw_list_item(&list, "{%d,%d,%d}", l->law[k].coord, l->law[k].constants, l->law[k].class);
    cw_list_end(&list);
    cw_line(e->out, "static MBS_INLINE struct law_values law_of(const double *c, const struct mbs_state *s, const struct law *l)");
    cw_line(e->out, "{");
    e->out->indent++;
    cw_line(e->out, "struct law_values law = { 0 };");
    cw_line(e->out, "const double *k = c + LAW_CONSTANTS + l->constants;");
    cw_line(e->out, "switch (l->class) {");
    for (int k = 0; k < l->class.n; k++) {
        const char *x = "s->q[l->coord], s->v ? s->v[l->coord] : 0.0";
        for (int i = 0; i < l->class.at[k].constants; i++)
            x = arena_printf(&e->arena, "%s, k[%d]", x, i);
        cw_line(e->out, "%s %d: %s(c, s, (const double[]){ %s }, &law); break;", "case", k, program_find(e->programs, PROGRAM_LAW, k)->name, x);
    }
    cw_line(e->out, "}");
    cw_line(e->out, "return law;");
    e->out->indent--;
    cw_line(e->out, "}");
}

/* Axes like the parent's: most rows begin so. */
static bool begins_as_unit(const struct emitter *e, const struct roll *r, int k)
{
    const struct pool *p = e->model->pool;
    bool unit = !r->plane && k >= 4 && k < 4 + r->rows * r->width && (k - 4) % r->width == 0;
    for (int i = 0; i < 9 && unit; i++)
        unit = roll_constant(r, k + i) == (i % 4 ? p->zero : p->one);
    return unit;
}

void emit_numbers(struct emitter *e, const struct roll *r)
{
    const struct pool *p = e->model->pool;
    struct cw_list list;
    if (!r->plane)
        cw_line(e->out, "#define UNIT 1, 0, 0, 0, 1, 0, 0, 0, 1");
    cw_list_begin(&list, e->out, "static const double numbers[] = { ", " };");
    for (int k = 0; k < roll_constants(r); k++) {
        if (begins_as_unit(e, r, k)) {
            cw_list_text(&list, "UNIT", strlen("UNIT"));
            k += 8;
            continue;
        }
        Expr x = roll_constant(r, k);
        double value = expr_is_num(p, x) ? expr_value(p, x) : 0;
        const char *text = c_number(&e->arena, value), *tail = strstr(text, ".0");
        cw_list_text(&list, text, tail && !tail[2] ? (size_t)(tail - text) : strlen(text));       /* 1 for 1.0 */
    }
    cw_list_end(&list);
}

/* 1: it has one child, 2: it is the only child. */
static int only_child(const struct roll_body *body, int i)
{
    int parent = body[i].parent;
    return (body[i].children == 1) + 2*(!parent || body[parent].children == 1);
}

typedef void write_body(struct emitter *, const struct roll *, struct cw_list *, const struct roll_body *body, int i);

/* The bodies, and those of the accelerations, if they are others. */
static void emit_body_tables(struct emitter *e, const struct roll *r, write_body *write)
{
    for (int links = 0; links < 1 + r->linked; links++) {
        struct cw_list list;
        if (links)
            cw_line(e->out, "/* The same for accelerations, with columns that are given in place of the turns of joints. */");
        else if (r->stepped && !r->linked)
            cw_line(e->out, "#define links tree");
        cw_list_begin(&list, e->out, arena_printf(&e->arena, "static const struct body %s[] = { {0}, ", links ? "links" : "tree"), " };");
        for (int i = 1; i <= (links ? r->links : r->n); i++)
            write(e, r, &list, links ? r->link : r->body, i);
        cw_list_end(&list);
    }
}

static void write_stepped(struct emitter *e, const struct roll *r, struct cw_list *list, const struct roll_body *body, int i)
{
    const struct roll_body *b = &body[i];
    (void)e;
    cw_list_item(list, "{%d,%d,%d,%d,%d%s}", b->parent, b->coord, b->row, b->class, only_child(body, i), !r->negative ? "" : b->negative ? ",-1" : ",1");
}

void emit_tree(struct emitter *e, const struct roll *r)
{
    cw_line(e->out, "/* The bodies: parent, coordinate, row of constants, class of joint, whether there is one child (1) and whether it is the only child (2)%s. */",
            r->negative ? ", sign of the coordinate" : "");
    cw_line(e->out, "struct body { int parent, coord, row; signed char class, only%s; };", r->negative ? ", sign" : "");
    emit_body_tables(e, r, write_stepped);
}

static void write_mixed(struct emitter *e, const struct roll *r, struct cw_list *list, const struct roll_body *body, int i)
{
    const struct roll_body *b = &body[i];
    const struct roll_class *c = &r->class[b->class];
    const char *steps = r->stepped ? arena_printf(&e->arena, ",%d,%d", b->class, only_child(body, i)) : "";
    int up = b->parent ? b->parent - 1 : roll_lane_count(r);
    cw_list_item(list, "{%d,%d,%d,%d,%d,%d,%d,%d%s}", b->parent, up, b->coord, b->row, c->kind, c->axis, b->negative ? -1 : 1, b->first, steps);
}

/* Those of mixed files. */
void emit_bodies_of_mixed(struct emitter *e, const struct roll *r)
{
    bool in_order = true;
    for (int i = 1; i <= r->n; i++)
        in_order = in_order && r->body[i].coord == i - 1;
    cw_line(e->out, "enum { TURN, SLIDE, SCREW };");
    cw_line(e->out, "/* The bodies: parent, its lane, coordinate, row of constants, joint: kind, axis, sign; whether it is the first that turns%s. */",
            r->stepped ? "; class of joint, whether there is one child (1) and whether it is the only child (2)" : "");
    cw_line(e->out, "struct body { short parent, up, coord, row; signed char kind, axis, sign, first%s; };", r->stepped ? ", class, only" : "");
    emit_body_tables(e, r, write_mixed);
    cw_line(e->out, "#define COORD(lane) (%s)", in_order ? "lane" : "tree[(lane) + 1].coord");
}

static void emit_balls(struct emitter *e, const struct roll *r)
{
    struct cw_list list;
    if (!r->ball.n)
        return;
    cw_line(e->out, "#define BALLS %d", r->ball.n);
    cw_line(e->out, "enum { BALL_J = PLACES + %d };", 3 * r->places);
    cw_line(e->out, "/* Balls: their first coordinate, the first of their turns%s, row of constants, constraint on the length; sign. */",
            r->linked ? ", among the links, too" : "");
    cw_list_begin(&list, e->out, arena_printf(&e->arena, "static const struct ball { int coord, turn%s, row, norm, sign; } balls[] = { ", r->linked ? ", link" : ""),
                  " };");
    for (int k = 0; k < r->ball.n; k++) {
        const struct roll_ball *b = &r->ball.at[k];
        const char *link = r->linked ? arena_printf(&e->arena, ",%d", b->link - 1) : "";
        cw_list_item(&list, "{%d,%d%s,%d,%d,%d}", b->coord, b->body - 1, link, b->row, b->norm, b->reversed ? -1 : 1);
    }
    cw_list_end(&list);
}

static void emit_joints(struct emitter *e, const struct roll *r)
{
    struct cw_list list;
    if (!r->joint.n)
        return;
    cw_line(e->out, "#define JOINTS %d", r->joint.n);
    cw_line(e->out, "/* Joints: their first coordinate and how many, the first of their turns and how many, class of functions%s. */",
            r->linked && r->plane ? "; the row of their column" : r->linked ? "; axes of the turns, the first row of their columns" : "");
    cw_list_begin(&list, e->out,
                  arena_printf(&e->arena, "static const struct joint { int coord, coords, turn, turns, class%s; } joints[] = { ",
                                        r->linked && r->plane ? ", row" : r->linked ? ", axis[4], row" : ""), " };");
    for (int k = 0; k < r->joint.n; k++) {
        const struct roll_joint *j = &r->joint.at[k];
        const struct roll_joint_class *c = &r->joint_class.at[j->class];
        const char *columns = "";
        for (int i = 0; i < ROLL_JOINT_TURNS && r->linked && !r->plane; i++)
            columns = arena_printf(&e->arena, "%s%s%d%s", columns, i ? "," : ",{", i < c->turns ? r->class[r->body[j->body + i].class].axis : 0,
                                   i == ROLL_JOINT_TURNS - 1 ? "}" : "");
        columns = r->linked ? arena_printf(&e->arena, "%s,%d", columns, j->row) : "";
        cw_list_item(&list, "{%d,%d,%d,%d,%d%s}", j->coord, c->coords, j->body - 1, c->turns, j->class, columns);
    }
    cw_list_end(&list);
    cw_line(e->out, "static const double still_joint[2] = { 0.0, 0.0 };");
    cw_line(e->out, "static void joint_of(const double *c, const struct mbs_state *s, const struct joint *t, const double *v,");
    cw_line(e->out, "\tstruct joint_values *to)");
    cw_line(e->out, "{");
    e->out->indent++;
    cw_line(e->out, "const int last = t->coords - 1;");
    cw_line(e->out, "const double *q = s->q + t->coord, x[4] = { q[0], q[last], v[0], v[last] };");
    cw_line(e->out, "*to = (struct joint_values){ { 0.0 }, { { 0.0 } }, { { { 0.0 } } }, { { 0.0 } } };");
    cw_line(e->out, "switch (t->class) {");
    for (int k = 0; k < r->joint_class.n; k++)
        cw_line(e->out, "%s %d: %s(c, s, x, to); break;", "case", k, program_find(e->programs, PROGRAM_JOINT, k)->name);
    cw_line(e->out, "}");
    e->out->indent--;
    cw_line(e->out, "}");
}

/* Coordinates of the loops. */
void emit_inner(struct emitter *e, const struct roll *r)
{
    if (!r->inner)
        return;
    cw_line(e->out, "enum { COORDS = %d };", r->coords);
    cw_line(e->out, "/* Of the bodies' coordinates those of the model, or -1 less 3*ball + (0, 1, 2), 3*balls + 4*joint + (0 to 3). */");
    emit_ints(e, "outer", r->n, r->outer);
    if (r->linked)
        emit_ints(e, "link_outer", r->links, r->link_outer);
    else if (r->stepped)
        cw_line(e->out, "#define link_outer outer");
    emit_balls(e, r);
    emit_joints(e, r);
}

void emit_points(struct emitter *e, const struct roll *r)
{
    struct cw_list list;
    if (!r->point.n)
        return;
    cw_line(e->out, "#define POINTS %d", r->point.n);
    int *at = ARENA_NEW(&e->arena, int, r->point.n);
    cw_list_begin(&list, e->out, "static const struct { int body, place; } points[] = { ", " };");
    for (int i = 0; i < r->point.n; i++) {
        cw_list_item(&list, "{%d,%d}", r->point.at[i].body, r->point.at[i].place);
        at[i] = r->point.at[i].at;
    }
    cw_list_end(&list);
    emit_ints(e, "point_at", r->point.n, at);
}

void emit_classes(struct emitter *e, const struct roll *r)
{
    static const char *const kind[] = {[ROLL_TURN] = "TURN", [ROLL_SLIDE] = "SLIDE", [ROLL_SCREW] = "SCREW"};
    cw_line(e->out, "/* A step for the class of a joint: its kind, its axis, whether its axes are turned against the parent's. */");
    cw_line(e->out, "enum { TURN, SLIDE, SCREW };");
    cw_line(e->out, "#define JOINT const int kind, const int k, const int placed, const struct constants *b");
    cw_line(e->out, "#define EACH_CLASS(class, call, ...) switch (class) { \\");
    for (int k = 0; k < r->classes; k++) {
        const struct roll_class *c = &r->class[k];
        bool before = c->kind == ROLL_COLUMN;
        for (int i = 0; i < k; i++)
            before |= roll_is_alike(&r->class[i], c);
        if (before)
            continue;
        const char *cases = "";
        for (int i = k; i < r->classes; i++)
            if (roll_is_alike(&r->class[i], c))
                cases = arena_printf(&e->arena, "%scase %d: ", cases, i);
        cw_line(e->out, "\t%scall(%s, %d, %d, __VA_ARGS__); break; \\", cases, kind[c->kind], c->axis, c->placed);
    }
    cw_line(e->out, "\t}");
}

void emit_each_step(struct emitter *e, const struct roll *r)
{
    cw_line(e->out, "#define EACH_STEP(class, call, ...) switch (class) { \\");
    for (int k = 0; k < r->classes; k++)
        if (r->class[k].stepped)
            cw_line(e->out, "\t%s %d: call##_%d(__VA_ARGS__); break; \\", "case", k, k);
    cw_line(e->out, "\t}");
}

/* Where the entries of the rest's matrices are: their coordinates, and their places in those of the model. */
static void emit_rest(struct emitter *e, const struct roll *r, enum eq_id id)
{
    const struct eq_array *a = &e->eq->array[id];
    const int *colptr = id == EQ_M ? r->M_colptr : r->r_colptr, *rowidx = id == EQ_M ? r->M_rowidx : r->r_rowidx;
    int *coord = ARENA_NEW(&e->arena, int, a->nnz + 1), *at = ARENA_NEW(&e->arena, int, a->nnz + 1);
    for (int j = 0; j < a->cols; j++)
        for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
            coord[k] = a->rowidx[k];
            for (at[k] = r->matrices ? colptr[j] : 0; r->matrices && rowidx[at[k]] != a->rowidx[k];)
                at[k]++;
        }
    if (r->newton || (r->stepped && id == EQ_M && roll_has_rotors(r, e->eq)))      /* for rotors, and for Newton's matrices */
        emit_ints(e, arena_printf(&e->arena, "rest_%s_coord", a->name), a->nnz ? a->nnz : 1, coord);
    if (r->matrices)
        emit_ints(e, arena_printf(&e->arena, "rest_%s_at", a->name), a->nnz ? a->nnz : 1, at);
}

void emit_matrices(struct emitter *e, const struct roll *r)
{
    if (r->matrices) {
        emit_ints(e, "M_COLPTR", r->coords + 1, r->M_colptr);
        emit_ints(e, "M_ROWIDX", r->M_colptr[r->coords], r->M_rowidx);
        emit_ints(e, "R_COLPTR", r->coords + 1, r->r_colptr);
        emit_ints(e, "R_ROWIDX", r->r_colptr[r->coords], r->r_rowidx);
    }
    if (r->matrices || r->newton || e->eq->array[EQ_M].nnz || r->laws.kinetic)
        emit_rest(e, r, EQ_M);
    if (r->matrices || r->newton) {
        emit_rest(e, r, EQ_rq);
        emit_rest(e, r, EQ_rv);
    }
}

/* Numbers that bind() of the text needs. */
int emit_bind_space(const struct roll *r)
{
    return r->constraints ? r->bound * (2 * r->links + r->bound + 1) + r->coords : 0;
}

/* Rows and coordinates of the entries of G. */
void emit_rows(struct emitter *e, const struct roll *r)
{
    const struct eq_array *G = &e->eq->array[EQ_G];
    int *coord = ARENA_NEW(&e->arena, int, G->nnz + 1);
    cw_line(e->out, "enum { BIND_SPACE = %d };", emit_bind_space(r));
    if (r->constraints)
        cw_line(e->out, "enum { CONSTRAINTS = %d, G_COUNT = %d };", r->constraints, G->nnz);
    if (!r->bound)
        return;
    cw_line(e->out, "enum { BOUND = %d };", r->bound);
    emit_ints(e, "bound_row", r->bound, r->bound_row);
    for (int j = 0; j < G->cols; j++)
        for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++)
            coord[k] = j;
    emit_ints(e, "G_row", G->nnz ? G->nnz : 1, G->nnz ? G->rowidx : (int[]){0});
    emit_ints(e, "G_coord", G->nnz ? G->nnz : 1, coord);
}
