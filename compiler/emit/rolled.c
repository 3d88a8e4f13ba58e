/* SPDX-License-Identifier: GPL-3.0-or-later
 * Rolled code (roll/roll.h): the tables (rolled_tables.c), and around them text that is the same for all models. */
#include "base/cwords.h"
#include "emit/rolled.h"
#include "roll/text.h"

#include <ctype.h>
#include <string.h>

bool emit_has_fixed_name(const struct emitter *e, const struct program *p)
{
    const struct roll *r = e->eq->roll;
    return r && (p->kind == PROGRAM_BODIES || p->kind == PROGRAM_STEP || p->kind == PROGRAM_LAW || p->kind == PROGRAM_JOINT || p->kind == PROGRAM_SETUP
                 || (p->kind == PROGRAM_FUNCTION && roll_has(r, (enum abi_function_id)p->index)));
}

/* --- runs of entries of a mixed file ------------------------------------------------------------------------------------------------ */

/* With coordinates of their own the loops have whole matrices of their own. */
static bool has_entry(const struct roll *r, bool lower, int row, int col)
{
    const int *colptr = lower ? r->M_colptr : r->r_colptr, *rowidx = lower ? r->M_rowidx : r->r_rowidx;
    int low = r->inner ? 0 : colptr[col], high = r->inner ? 0 : colptr[col + 1];
    while (low < high && rowidx[low] != row)
        low++;
    return r->inner || low < high;
}

/* What is to be written into the entries of a row: products of bodies before that of the column; of this one or one behind it, into M, too, or not; of
 * one before it, into M alone; zeros, into rq and rv, into M. */
enum run_kind { RUN_BEFORE, RUN_BEHIND, RUN_MASS, RUN_ASIDE, RUN_HOLE, RUN_MASS_HOLE, RUN_NONE };
struct run {
    enum run_kind kind, mass;
    int first, n;
};

static struct run run_of(const struct roll *r, const int *to, int row, int col, int body)
{
    bool in_r = has_entry(r, false, row, col), in_M = has_entry(r, true, row, col), lower = row >= col;
    struct run x = {RUN_NONE, in_M ? RUN_MASS_HOLE : RUN_NONE, body - 1, 1};
    if (to[body] == RUN_BEHIND) {
        x.kind = lower ? RUN_BEHIND : RUN_ASIDE;
        x.mass = lower ? RUN_NONE : x.mass;
    } else if (to[body] == RUN_BEFORE) {
        x.kind = RUN_BEFORE;
        x.mass = lower ? RUN_MASS : x.mass;
    } else if (in_r) {
        x.kind = RUN_HOLE;
    }
    return x;
}

/* Of all bodies: are they before one, or it or behind it? */
static void relate(const struct roll *r, int body, int *to)
{
    for (int i = 1; i <= r->n; i++)
        to[i] = i == body || (r->body[i].parent && to[r->body[i].parent] == RUN_BEHIND) ? RUN_BEHIND : RUN_NONE;
    for (int i = r->body[body].parent; i; i = r->body[i].parent)
        to[i] = RUN_BEFORE;
}

/* Which kinds there are, as bits. */
static unsigned run_kinds(struct emitter *e, const struct roll *r)
{
    int *body = ARENA_NEW(&e->arena, int, r->n + 1), *to = ARENA_NEW(&e->arena, int, r->n + 1);
    unsigned kinds = 0;
    for (int i = 1; i <= r->n; i++)
        body[r->body[i].coord] = i;
    for (int col = 0; col < r->n; col++) {
        relate(r, body[col], to);
        for (int row = 0; row < r->n; row++) {
            struct run x = run_of(r, to, row, col, body[row]);
            kinds |= 1u << x.kind | 1u << x.mass;
        }
    }
    return kinds;
}

static bool has_slides(const struct roll *r)
{
    for (int k = 0; k < r->classes; k++)
        if (r->class[k].kind == ROLL_SLIDE)
            return true;
    return false;
}

/* --- text ------------------------------------------------------------------------------------------------------------------------ */

/* What the text asks for behind #if: all of these words. */
static bool condition_holds(struct emitter *e, const char *line)
{
    const struct roll *r = e->eq->roll;
    unsigned kinds = r->mixed ? run_kinds(e, r) : 0;
    const struct { const char *name; bool holds; } known[] = {
        {"LAWS", r->laws.n > 0}, {"MATRICES", r->matrices}, {"POINTS", r->point.n > 0}, {"BALLS", r->ball.n > 0}, {"JOINTS", r->joint.n > 0}, {"BOUND", r->bound > 0},
        {"CONSTRAINTS", r->constraints > 0}, {"ROTORS", roll_has_rotors(r, e->eq)}, {"RESIDUAL", roll_has(r, FUNCTION_residual)},
        {"OWN_SINES", !e->options->scalar}, {"MIXED", r->mixed}, {"PLANE", r->plane}, {"SLIDES", has_slides(r)}, {"STEPPED", r->stepped},
        {"LINKED", r->linked}, {"MASSLESS", r->massless}, {"OWN_ROWS", r->ball.n || r->linked},
        {"HOLES", kinds & (1u << RUN_HOLE | 1u << RUN_MASS_HOLE)}, {"CROSSED", kinds & (1u << RUN_ASIDE | 1u << RUN_MASS)},
    };
    const char *end = strchr(line, '\n');
    size_t n;
    for (const char *s = line + strlen("#if"); (s = c_word(s, &n)) && s < end; s += n) {
        unsigned k = 0;
        while (strncmp(s, known[k].name, n) || known[k].name[n])
            k++;
        if (!known[k].holds)
            return false;
    }
    return true;
}

/* Fixed text; of its parts between #if and #endif those that the model needs, so that a reader finds nothing else. */
static void put_text(struct emitter *e, const char *s)
{
    bool shown[8] = {true};
    int depth = 0;
    while (*s) {
        size_t n = strcspn(s, "\n");
        n += s[n] == '\n';
        if (!strncmp(s, "#if", 3)) {
            bool holds = shown[depth] && condition_holds(e, s);
            shown[++depth] = holds;
        } else if (!strncmp(s, "#else", 5)) {
            shown[depth] = shown[depth - 1] && !shown[depth];
        } else if (!strncmp(s, "#endif", 6)) {
            depth--;
        } else if (shown[depth]) {
            cw_put(e->out, s, n);
        }
        s += n;
    }
}

/* --- constants ------------------------------------------------------------------------------------------------------------------- */

/* Those that depend on parameters: from c to the bodies' part of it. */
void emit_bodies(struct emitter *e, const struct program *program)
{
    struct code code;
    struct code_array array = {.local = "to"};
    emit_code_init(e, &code, program);
    code.array = &array;
    code.arrays = 1;
    cw_line(e->out, "static void body_constants(const double *%s, double *to)", e->c);
    cw_line(e->out, "{");
    e->out->indent++;
    code_begin(&code);
    code_body(&code);
    code_end(&code);
    cw_line(e->out, "(void)%s, (void)to;", e->c);
    emit_close(e);
}

/* A function of local symbols x that writes members of a struct. */
static void emit_values(struct emitter *e, const struct program *program, const char *local, const char *const *member, const char *type)
{
    struct code code;
    struct c_scope scope;
    scope_init(&scope, &e->file, &e->arena);
    scope_keep(&scope, "x");
    emit_code_init(e, &code, program);
    struct code_array array = {.local = arena_printf(&e->arena, "(*%s)", local), .member = member};
    code.file = &scope;
    code.array = &array;
    code.arrays = 1;
    code.symbols[SYM_LOCAL] = (struct code_symbols){"x", NULL, NULL, NULL, true};
    cw_line(e->out, "static MBS_INLINE void %s(const double *%s, const struct mbs_state *%s, const double *x, struct %s *%s)",
            emit_function_name(e, program), e->c, e->s, type, local);
    cw_line(e->out, "{");
    e->out->indent++;
    code_begin(&code);
    code_body(&code);
    code_end(&code);
    cw_line(e->out, "(void)%s, (void)%s, (void)x;", e->c, e->s);
    emit_close(e);
    scope_fini(&scope);
}

static const char law_values[] = "struct law_values { double E, f, fq, fv, m; };\n";

/* x: the coordinate, its velocity, the constants of the law. */
void emit_law(struct emitter *e, const struct program *program)
{
    static const char *const member[LAW_OUTS] = {"E", "f", "fq", "fv", "m"};
    if (!program->index)
        put_text(e, law_values);
    emit_values(e, program, "law", member, "law_values");
}

static const char joint_values[] = "/* A joint as a row of turns: angles, their derivatives by its coordinates, the second ones, those of v'H v. */\n"
                                   "struct joint_values { double angle[4], J[4][2], H[4][2][2], G[4][2]; };\n";

/* x: the coordinates, their velocities. */
void emit_joint(struct emitter *e, const struct program *program)
{
    const char *member[ROLL_JOINT_VALUES];
    for (int i = 0; i < ROLL_JOINT_TURNS; i++) {
        member[i] = arena_printf(&e->arena, "angle[%d]", i);
        for (int k = 0; k < ROLL_JOINT_COORDS; k++) {
            int at = ROLL_JOINT_COORDS * i + k;
            member[ROLL_JOINT_J + at] = arena_printf(&e->arena, "J[%d][%d]", i, k);
            member[ROLL_JOINT_G + at] = arena_printf(&e->arena, "G[%d][%d]", i, k);
            for (int l = 0; l < ROLL_JOINT_COORDS; l++)
                member[ROLL_JOINT_H + ROLL_JOINT_COORDS * at + l] = arena_printf(&e->arena, "H[%d][%d][%d]", i, k, l);
        }
    }
    if (!program->index)
        put_text(e, joint_values);
    emit_values(e, program, "joint", member, "joint_values");
}

/* --- steps of the accelerations ------------------------------------------------------------------------------------------------------ */

/* The type that the recursions compute with. */
static void emit_scalars(struct emitter *e)
{
    put_text(e, "typedef double scalar;\n#define K(x) (x)\n#define MBS_SIN(x) sin(x)\n#define MBS_COS(x) cos(x)\n\n");
}

/* Steps store dozens of numbers in a row; gcc packs them into vectors first, which takes longer than it saves.  And a body waits for the one before it: what
 * does not is to stand between. */
void emit_rolled_head(struct emitter *e)
{
    if (e->eq->roll && e->eq->roll->stepped)
        emit_for_gcc(e, "#pragma GCC optimize (\"no-tree-slp-vectorize\", \"unroll-loops\", \"schedule-insns\", "
                        "\"sched-pressure\", \"rename-registers\")\n");
}

static const char *const *slot_names(struct emitter *e, const struct roll *r)
{
    const char **name = ARENA_NEW(&e->arena, const char *, r->slots + 1);
    for (int k = 0; k < ROLL_SLOTS; k++)
        if (r->slot[k] >= 0)
            name[r->slot[k]] = roll_slot_name(k);
    return name;
}

static void emit_slots(struct emitter *e, const struct roll *r)
{
    const char *const *name = slot_names(e, r);
    struct cw_list list;
    emit_scalars(e);
    cw_line(e->out, "/* --- Accelerations by articulated bodies (Featherstone 1983): steps across a joint, for each class of joints, in working axes.");
    cw_line(e->out, " *     A body has these slots: coordinate, velocity, force and rotor of its joint, cosine and sine; angular velocity; B, its");
    if (r->plane)
        cw_line(e->out, " *     acceleration while those of all joints are zero, all in axes of the ground; where it is from its parent (S); its acceleration (DW, A) beside B;");
    else
        cw_line(e->out, " *     acceleration while parent and joint keep theirs; its acceleration (DW, A);");
    cw_line(e->out, " *     U = I S/D, 1/D, y/D, the joint's acceleration; and what its");
    cw_line(e->out, " *     children pass on: force (N, F) and inertia [J H; H' M].  x is the body, p its parent, k the row of its constants. --- */");
    cw_list_begin(&list, e->out, "enum { ", " };");
    for (int k = 0; k < r->slots; k++)
        cw_list_item(&list, "%s", name[k]);
    cw_list_item(&list, "SLOTS");
    cw_list_item(&list, "PASSED = %s", name[r->passed]);
    cw_list_item(&list, "INERTIA = %s", name[r->inertia]);
    cw_list_end(&list);
}

/* What the steps are given: the row of constants; the slots of the body, of its parent; where its parent finds what is passed on. */
static const char angle_parameters[] = "const double *k, scalar before, scalar angle";
static const char passing_parameters[] = "const double *restrict k, scalar *restrict x, scalar *restrict to";
static const char reading_parameters[] = "const double *restrict k, const scalar *restrict p, scalar *restrict x";

/* Of what cosine and sine are wanted: the joint's angle, in a plane the sum of all up to here. */
static void emit_angle(struct emitter *e, const struct roll *r, int class)
{
    const struct roll_class *c = &r->class[class];
    bool turns = c->kind == ROLL_TURN || c->kind == ROLL_SCREW, placed = r->plane && c->sign[ROLL_PLANE_TURN] != 0;
    cw_line(e->out, "static MBS_INLINE scalar step_angle_%d(%s)", class, angle_parameters);
    cw_line(e->out, "{");
    cw_line(e->out, "\t(void)k, (void)before, (void)angle;");
    if (r->plane)
        cw_line(e->out, "\treturn before%s%s;", turns ? " + angle" : "", placed ? arena_printf(&e->arena, " + k[%d]", ROLL_PLANE_TURN) : "");
    else
        cw_line(e->out, "\treturn %s;", turns ? "angle" : "K(0.0)");
    cw_line(e->out, "}");
}

static int first_step(const struct roll *r)
{
    int class = 0;
    while (!r->class[class].stepped)
        class++;
    return r->steps * class;
}

void emit_step(struct emitter *e, const struct program *program)
{
    const struct roll *r = e->eq->roll;
    bool forces = roll_passes_on(r, program->index);
    const char *parameters = forces ? passing_parameters : reading_parameters;
    size_t n;
    const char *const *name = slot_names(e, r);
    struct code_array array[2] = {{.local = "x", .index = name}, {.local = "to", .index = name}};
    struct code code;
    struct c_scope scope;
    if (program->index == first_step(r))
        emit_slots(e, r);
    if (program->index % r->steps == 0)
        emit_angle(e, r, program->index / r->steps);
    scope_init(&scope, &e->file, &e->arena);
    for (const char *word = parameters; (word = c_word(word, &n)); word += n)
        scope_keep(&scope, arena_printf(&e->arena, "%.*s", (int)n, word));
    emit_code_init(e, &code, program);
    code.file = &scope;
    code.array = array;
    code.arrays = 2;
    code.scalar = "scalar";
    code.symbols[SYM_LOCAL] = (struct code_symbols){"x", NULL, name, NULL, true};
    code.symbols[SYM_Q] = (struct code_symbols){"p", NULL, name, NULL, true};
    code.symbols[SYM_V] = (struct code_symbols){"k", NULL, NULL, NULL, true};
    cw_line(e->out, "static MBS_INLINE void %s(%s)", emit_function_name(e, program), parameters);
    cw_line(e->out, "{");
    e->out->indent++;
    code_begin(&code);
    code_body(&code);
    code_end(&code);
    cw_line(e->out, "(void)k%s;", forces ? "" : ", (void)p");
    emit_close(e);
    scope_fini(&scope);
}

/* Numbers in turn are written as runs: columns of chains are full. */
static const char runs[] = "#define FROM4(k) k, k + 1, k + 2, k + 3\n"
                           "#define FROM8(k) FROM4(k), FROM4(k + 4)\n"
                           "#define FROM16(k) FROM8(k), FROM8(k + 8)\n"
                           "#define FROM32(k) FROM16(k), FROM16(k + 16)\n"
                           "#define FROM64(k) FROM32(k), FROM32(k + 32)\n";

static int bound_space(const struct emitter *e, const struct roll *r)
{
    return r->constraints ? e->eq->array[EQ_G].nnz + r->constraints + emit_bind_space(r) : 0;
}

static int rest_workspace(const struct programs *p)
{
    int most = 0;
    for (int k = 0; k < p->list.n; k++)
        most = p->list.at[k].workspace > most ? p->list.at[k].workspace : most;
    return most;
}

static void emit_sizes(struct emitter *e, const struct roll *r)
{
    put_text(e, runs);
    const struct eq_array *a = e->eq->array;
    int at = e->model->param.n + e->programs->hoist.value.n;
    cw_line(e->out, "enum { BODIES = %d, GRAVITY = %d, ROWS = %d, PLACES = %d, NUMBERS = %d, CONSTANTS = %d };", r->n, at, at + 4, at + 4 + r->rows * r->width,
            roll_constants(r), roll_constants(r) + roll_lanes(r));
    if (r->mixed)
        cw_line(e->out, "enum { WIDTH = %d, STRIDE = %d, GROUND = WIDTH, LANES_AT = GRAVITY + NUMBERS };", roll_lane_count(r), roll_stride(r));
    cw_line(e->out, "enum { REST_W = %d, REST_M = %d, REST_RQ = %d, REST_RV = %d };", rest_workspace(e->programs), a[EQ_M].nnz, a[EQ_rq].nnz, a[EQ_rv].nnz);
    if (r->laws.n)
        cw_line(e->out, "enum { LAW_CONSTANTS = %d };", at + roll_constants(r) - r->laws.constants);
    if (r->stepped) {
        cw_line(e->out, "#define ROTORS %d", roll_has_rotors(r, e->eq));
        cw_line(e->out, "enum { LINKS = %d };", r->links);
        cw_line(e->out, "#define SIGNED(body, x) (%s)", r->negative ? "(body)->sign < 0 ? -(x) : (x)" : "(void)(body), (x)");
    }
}

static void emit_constants_of(struct emitter *e)
{
    cw_line(e->out, "static MBS_INLINE const struct constants *constants_of(const double *c, int row)");
    cw_line(e->out, "{");
    cw_line(e->out, "\treturn (const struct constants *)(c + ROWS) + row;");
    cw_line(e->out, "}");
    if (e->eq->roll->stepped)
        cw_line(e->out, "#define ROW(t) (const double *)constants_of(c, t->row)");
}

/* Accelerations by steps. */
static void emit_forward(struct emitter *e, const struct roll *r)
{
    put_text(e, r->plane ? text_ground_plane : text_ground_space);
    put_text(e, r->inner ? text_ball_forces : text_plain_forces);
    put_text(e, text_slot_sines);
    put_text(e, text_sweep_accelerations);
    put_text(e, r->constraints ? text_bound : "");
}

/* --- mixed files: loops in common axes ------------------------------------------------------------------------------------------- */

/* The list of runs: how many; entries of M, and of rq and rv, so far; the same before the first that writes beyond the end of an array, four rows at a
 * time. */
struct run_list {
    struct cw_list list;
    int n, M, r, safe, safe_M, safe_r;
    bool beyond;
};

static void put_run(struct run_list *to, const struct roll *r, enum run_kind kind, const struct run *x, int col)
{
    bool in_M = kind == RUN_BEHIND || kind == RUN_MASS || kind == RUN_MASS_HOLE, in_r = kind != RUN_MASS && kind != RUN_MASS_HOLE;
    int n = kind == RUN_HOLE || kind == RUN_MASS_HOLE ? x->n : (x->n + 3) / 4 * 4;
    if (kind == RUN_NONE)
        return;
    cw_list_item(&to->list, "{%d,%d,%d,%d}", kind, col, x->first, x->n);
    to->beyond |= (in_M && to->M + n > r->M_colptr[r->coords]) || (in_r && to->r + n > r->r_colptr[r->coords]);
    to->n++;
    to->M += in_M ? x->n : 0;
    to->r += in_r ? x->n : 0;
    if (!to->beyond)
        to->safe = to->n, to->safe_M = to->M, to->safe_r = to->r;
}

static void put_runs(struct run_list *to, const struct roll *r, const struct run *x, int col)
{
    put_run(to, r, x->kind, x, col);
    put_run(to, r, x->mass, x, col);
}

/* The entries of all columns, one after the other, in runs of bodies that follow each other. */
static void emit_runs(struct emitter *e, const struct roll *r)
{
    int *body = ARENA_NEW(&e->arena, int, r->n + 1), *to = ARENA_NEW(&e->arena, int, r->n + 1);
    struct run_list all = {.n = 0};
    for (int i = 1; i <= r->n; i++)
        body[r->body[i].coord] = i;
    cw_line(e->out, "/* Entries of rq, rv and M in turn (put_rows()): kind, column, first row, how many. */");
    cw_list_begin(&all.list, e->out, "static const struct run { signed char kind; short col, first, n; } runs[] = { ", " };");
    for (int col = 0; col < r->n; col++) {
        struct run last = {RUN_NONE, RUN_NONE, 0, 0};
        relate(r, body[col], to);
        for (int row = 0; row < r->n; row++) {
            struct run x = run_of(r, to, row, col, body[row]);
            if (x.kind == last.kind && x.mass == last.mass && (x.first == last.first + last.n || to[body[row]] == RUN_NONE)) {
                last.n++;
                continue;
            }
            put_runs(&all, r, &last, body[col] - 1);
            last = x;
        }
        put_runs(&all, r, &last, body[col] - 1);
    }
    cw_list_end(&all.list);
    cw_line(e->out, "enum { RUNS = %d, BEFORE = 0, BEHIND, MASS, ASIDE, HOLE, MASS_HOLE };", all.n);
    if (r->inner)
        return;
    cw_line(e->out, "/* Runs, and their entries, before the first that is written beyond the end of an array, four rows at a time. */");
    cw_line(e->out, "enum { SAFE = %d, M_SAFE = %d, R_SAFE = %d };", all.safe, all.safe_M, all.safe_r);
}

static void emit_mixed(struct emitter *e, const struct roll *r)
{
    emit_sizes(e, r);
    emit_bodies_of_mixed(e, r);
    emit_inner(e, r);
    emit_points(e, r);
    emit_numbers(e, r);
    emit_matrices(e, r);
    cw_line(e->out, "enum { M_COUNT = %d, R_COUNT = %d };", r->M_colptr[r->coords], r->r_colptr[r->coords]);
    emit_runs(e, r);
    if (r->stepped) {
        emit_rows(e, r);
        emit_each_step(e, r);
    }
    cw_line(e->out, "struct constants { double %s%s; };", r->plane ? "c0, s0, at[2], m, h[2], J, angle" : "place[9], at[3], pitch, m, h[3], E[6]",
            r->stepped && !r->plane ? ", J[6]" : "");
    emit_constants_of(e);
    if (r->stepped)             /* beside the steps, see emit_rolled_head() */
        emit_for_gcc(e, "#pragma GCC push_options\n#pragma GCC optimize (\"tree-slp-vectorize\")\n");
    put_text(e, text_lane_sines);
    put_text(e, text_common_rows);
    put_text(e, r->plane ? text_common_plane : text_common_space);
    put_text(e, text_common);
    put_text(e, r->inner ? text_balls : text_plain);
    put_text(e, r->inner ? text_ball_columns : text_mixed_plain);
    put_text(e, r->inner ? text_mixed_balls : "");
    put_text(e, text_mixed);
    if (r->stepped) {
        emit_for_gcc(e, "#pragma GCC pop_options\n");
        emit_forward(e, r);
    }
    put_text(e, text_functions);
    put_text(e, r->stepped ? text_accelerations : "");
    cw_line(e->out, "enum { WORKSPACE = %d + REST_W + REST_M + REST_RQ + REST_RV + INNER + MATRIX_SPACE + BODIES + 1", r->stepped ? bound_space(e, r) : 0);
    if (r->stepped)
        cw_line(e->out, "\t+ 2*COORDS + 8 + (BODIES + 1)*(SLOTS + 1)*(int)(sizeof(scalar)/sizeof(double))");
    cw_line(e->out, "\t+ (int)(sizeof(struct state)/sizeof(double)) };");
    cw_line(e->out, "%s", "");
}

static void emit_rolled(struct emitter *e, const struct roll *r)
{
    if (r->mixed) {
        emit_mixed(e, r);
        return;
    }
    emit_sizes(e, r);
    emit_tree(e, r);
    emit_inner(e, r);
    emit_points(e, r);
    emit_numbers(e, r);
    emit_laws(e, &r->laws);
    emit_matrices(e, r);
    emit_rows(e, r);
    emit_classes(e, r);
    emit_each_step(e, r);
    put_text(e, r->plane ? text_plane : text_space);
    emit_constants_of(e);
    put_text(e, r->inner ? text_balls : text_plain);
    emit_forward(e, r);
    put_text(e, text_sweeps);
    if (r->matrices || r->newton) {
        put_text(e, r->plane ? text_frame_plane : text_frame_space);
        put_text(e, "#define number double\n#define NAME(x) x##_real\n");
        put_text(e, r->plane ? text_number_plane : text_number_space);
        put_text(e, text_lines);
    }
    if (r->matrices) {
        put_text(e, text_matrices);
        put_text(e, r->inner ? text_ball_columns : text_columns);
        put_text(e, r->inner ? text_ball_sweeps : "");
        put_text(e, text_mass);
    }
    put_text(e, text_rolled);
    put_text(e, text_functions);
    put_text(e, text_accelerations);
    if (r->newton) {
        put_text(e, "\n/* --- Newton matrices, real and complex --- */\n");
        put_text(e, text_newton);
        put_text(e, "#undef number\n#undef NAME\n#include <complex.h>\n#undef I\n#define number double complex\n#define NAME(x) x##_complex\n");
        put_text(e, r->plane ? text_number_plane : text_number_space);
        put_text(e, text_newton);
        put_text(e, text_solver);
    }
    /* what the largest function needs */
    cw_line(e->out, "enum { STATE = sizeof(struct state) > (SLOTS + 1)*sizeof(scalar) ? sizeof(struct state) : (SLOTS + 1)*sizeof(scalar) };");
    cw_line(e->out, "enum { WORKSPACE = %d + REST_W + 8 + 16*(int)(sizeof(scalar)/sizeof(double)) + REST_M + REST_RQ + REST_RV + INNER + 4*COORDS", bound_space(e, r));
    cw_line(e->out, "\t+ %d*BODIES + (BODIES + 1)*(int)((STATE%s)/sizeof(double)) };", r->inner ? 13 : 1,
            r->newton     ? " + sizeof(struct line) + 2*D*D*sizeof(double complex)"
            : r->matrices ? " + sizeof(struct line) + (3*D + 1)*sizeof(double)"
                          : "");
    cw_line(e->out, "%s", "");
}

/* --- names ----------------------------------------------------------------------------------------------------------------------- */

/* Names in the scope of the file: the words outside of all braces and parentheses, those of enumerations, and what is #defined. */
static void keep_file_names(struct emitter *e, const char *s)
{
    int braces = 0, parentheses = 0;
    bool listed = false;        /* within an enumeration */
    size_t n;
    while (*s) {
        const char *word = s;
        if (!strncmp(s, "/*", 2)) {
            s = strstr(s, "*/") + 2;
            continue;
        }
        bool macro = !strncmp(s, "#define ", 8);
        if (macro)
            word = s += 8;
        for (n = 0; isalnum((unsigned char)s[n]) || s[n] == '_';)
            n++;
        if (n && !isdigit((unsigned char)*s) && (macro || (!parentheses && (!braces || listed)))) {
            const char *name = arena_printf(&e->arena, "%.*s", (int)n, word);
            listed |= !strcmp(name, "enum");
            scope_keep(&e->file, name);
        }
        for (s += n; macro && *s && *s != '\n'; s++)    /* what it stands for, on all its lines */
            s += s[0] == '\\' && s[1] == '\n';
        if (!n) {
            braces += (*s == '{') - (*s == '}');
            parentheses += (*s == '(') - (*s == ')');
            listed = listed && *s != ';';
            s++;
        }
    }
}

static void keep_names(struct emitter *e, const struct cwriter *out)
{
    keep_file_names(e, out->text);
    emit_keep_locals(e, out->text);
}

void emit_keep_rolled_names(struct emitter *e)
{
    const struct roll *r = e->eq->roll;
    struct cwriter *out = e->out, steps = {0};
    if (!r)
        return;
    e->out = &e->rolled;
    emit_rolled(e, r);
    keep_names(e, &e->rolled);
    e->out = &steps;
    if (r->laws.n)
        put_text(e, law_values);
    if (r->joint.n)
        put_text(e, joint_values);
    if (r->stepped)
        emit_slots(e, r);
    for (int k = 0; r->stepped && k < r->classes; k++)
        emit_angle(e, r, k);
    if (steps.n)
        keep_names(e, &steps);
    emit_keep_locals(e, passing_parameters);
    emit_keep_locals(e, reading_parameters);
    cw_free(&steps);
    e->out = out;
}

/* --- the descriptor ---------------------------------------------------------------------------------------------------------------- */

/* Its members. */
void emit_rolled_members(struct emitter *e)
{
    const struct roll *r = e->eq->roll;
    struct cw_list list;
    if (r->newton)
        cw_line(e->out, ".nn = BODIES*(int)(sizeof(struct link_real)/sizeof(double)) + (BODIES + 1)*2*D,");
    for (int k = 0; k < 3; k++) {
        static const char *const name[] = {"M", "rq", "rv"};
        const int *colptr = k ? r->r_colptr : r->M_colptr;
        if (r->matrices)
            cw_line(e->out, ".%s = { %d, %d, %d, %s_COLPTR, %s_ROWIDX },", name[k], r->coords, r->coords, colptr[r->coords], k ? "R" : "M", k ? "R" : "M");
        else
            cw_line(e->out, ".%s = { %d, %d, 0, 0, 0 },", name[k], r->coords, r->coords);
    }
    cw_list_begin(&list, e->out, "", ",");
    cw_list_item(&list, ".setup = setup_tree");
    for (int k = 0; k < FUNCTION_COUNT; k++)
        if (roll_has(r, (enum abi_function_id)k))
            cw_list_item(&list, ".%s = %s_tree", abi_function[k].name, abi_function[k].name);
    if (r->stepped)
        cw_list_item(&list, ".accelerations = accelerations_tree");
    if (r->newton)
        cw_list_item(&list, ".newton = newton_tree, .newton_solve = newton_solve_tree, .newton_times = newton_times_tree");
    cw_list_end(&list);
}
