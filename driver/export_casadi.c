/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs export --casadi`: C that casadi.external() loads.  Two functions of the model with its default parameters (or --set),
 *
 *     NAME_residual(q, v, a, lambda, z, u) -> (r, zdot, g, gv, ga)       r = M a - f + G' lambda; all levels of the constraints
 *     NAME_outputs(q, v, a, lambda, z, u)  -> (y)
 *
 * and jac_NAME_residual, jac_NAME_outputs, by CasADi's convention for Jacobians: a sparse block for each output and input, exact.  CasADi makes forward and
 * reverse derivatives from it.  Time is no argument: the model must not depend on it. */
#include "config.h"
#include "export_code.h"
#include "commands.h"
#include "compile.h"
#include "output_jacobian.h"
#include "base/out.h"

#include <stdlib.h>
#include <string.h>

enum { INPUTS = 6, OUTPUTS = 5 };
static const char *const input_name[INPUTS] = {"q", "v", "a", "lambda", "z", "u"};
static const char *const output_name[OUTPUTS] = {"r", "zdot", "g", "gv", "ga"};

/* A block of the Jacobian: a quantity of the ABI, its transpose, or its first rows. */
struct block {
    enum eq_id id;
    enum { ABSENT, PLAIN, TRANSPOSED, SYMMETRIC, HEAD } how;
};
static const struct block block[OUTPUTS][INPUTS] = {
    {{EQ_rq, PLAIN}, {EQ_rv, PLAIN}, {EQ_M, SYMMETRIC}, {EQ_G, TRANSPOSED}, {EQ_rz, PLAIN}, {EQ_ru, PLAIN}},
    {{EQ_zq, PLAIN}, {EQ_zv, PLAIN}, {EQ_M, ABSENT}, {EQ_M, ABSENT}, {EQ_zz, PLAIN}, {EQ_zu, PLAIN}},
    {{EQ_G, HEAD}, {EQ_M, ABSENT}, {EQ_M, ABSENT}, {EQ_M, ABSENT}, {EQ_M, ABSENT}, {EQ_M, ABSENT}},
    {{EQ_gvq, PLAIN}, {EQ_G, PLAIN}, {EQ_M, ABSENT}, {EQ_M, ABSENT}, {EQ_M, ABSENT}, {EQ_M, ABSENT}},
    {{EQ_gaq, PLAIN}, {EQ_gav, PLAIN}, {EQ_G, PLAIN}, {EQ_M, ABSENT}, {EQ_M, ABSENT}, {EQ_M, ABSENT}},
};

struct places {                 /* entries (row, col) from value `from` */
    struct { int row, col, from; } *at;
    int n;
};

static int by_column(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[1] != y[1] ? x[1] - y[1] : x[0] - y[0];
}

static struct places places_of(const struct equations *eq, const struct block *b, int rows, struct arena *arena)
{
    const struct eq_array *a = &eq->array[b->id];
    struct places p = {0};
    if (b->how == ABSENT)
        return p;
    p.at = arena_alloc(arena, (size_t)(2 * a->nnz + 1) * sizeof *p.at);
    for (int j = 0; a->colptr && j < a->cols; j++)
        for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
            int i = a->rowidx[k];
            bool flip = b->how == TRANSPOSED;
            if (b->how == HEAD && i >= rows)
                continue;
            p.at[p.n].row = flip ? j : i, p.at[p.n].col = flip ? i : j, p.at[p.n++].from = k;
            if (b->how == SYMMETRIC && i != j)
                p.at[p.n].row = j, p.at[p.n].col = i, p.at[p.n++].from = k;
        }
    qsort(p.at, (size_t)p.n, sizeof *p.at, by_column);
    return p;
}

static void sparsity(FILE *f, const char *name, int rows, int cols, const struct places *p)
{
    fprintf(f, "static const long long %s[] = {%d, %d, 0", name, rows, cols);
    for (int j = 0, k = 0; j < cols; j++) {
        while (k < p->n && p->at[k].col == j)
            k++;
        fprintf(f, ", %d", k);
    }
    for (int k = 0; k < p->n; k++)
        fprintf(f, ", %d", p->at[k].row);
    fputs("};\n", f);
}
static void dense(FILE *f, const char *name, int rows)
{
    fprintf(f, "static const long long %s[] = {%d, 1, 1};\n", name, rows);         /* CasADi's short form of a full pattern */
}

static void interface(FILE *f, const char *name, int n_in, const char *const *in, const char *const *sp_in, int n_out, const char *const *out, const char *const *sp_out,
                      const char *work)
{
    const struct { const char *what; int n; const char *const *list; const char *type; bool quoted; } lists[] = {
        {"name_in", n_in, in, "const char *", true}, {"name_out", n_out, out, "const char *", true},
        {"sparsity_in", n_in, sp_in, "const long long *", false}, {"sparsity_out", n_out, sp_out, "const long long *", false}};
    fprintf(f, "EXPORT long long %s_n_in(void) { return %d; }\nEXPORT long long %s_n_out(void) { return %d; }\n", name, n_in, name, n_out);
    for (int l = 0; l < 4; l++) {
        fprintf(f, "EXPORT %s%s_%s(long long i)\n{\n\tstatic %sconst list[] = {", lists[l].type, name, lists[l].what, lists[l].type);
        for (int k = 0; k < lists[l].n; k++)
            fprintf(f, lists[l].quoted ? "%s\"%s\"" : "%s%s", k ? ", " : "", lists[l].list[k]);
        fprintf(f, "};\n\treturn i >= 0 && i < %d ? list[i] : 0;\n}\n", lists[l].n);
    }
    fprintf(f, "EXPORT int %s_work(long long *arg, long long *res, long long *iw, long long *w)\n{\n"
               "\tif (arg) *arg = %d;\n\tif (res) *res = %d;\n\tif (iw) *iw = 0;\n\tif (w) *w = %s;\n\treturn 0;\n}\n\n", name, n_in, n_out, work);
}

static const char prologue[] =
    "\n/* ---- for casadi.external() ---- */\n\n"
    "#ifdef _WIN32\n#define EXPORT __declspec(dllexport)\n#else\n#define EXPORT __attribute__((visibility(\"default\")))\n#endif\n\n"
    "static const double zero[SIZE + 1];\n\n"
    "static struct mbs_state state_of(const double **arg)\n{\n"
    "\tstruct mbs_state s = {0, zero, zero, zero, zero, zero, zero, zero};\n"
    "\tif (arg[0]) s.q = arg[0];\n\tif (arg[1]) s.v = arg[1];\n\tif (arg[2]) s.a = arg[2];\n\tif (arg[3]) s.lambda = arg[3];\n"
    "\tif (arg[4]) s.z = arg[4];\n\tif (arg[5]) s.u = arg[5];\n\treturn s;\n}\n\n"
    "/* The constants of the model at the front of w, computed anew: there is no state between two calls. */\n"
    "static double *constants(double *w)\n{\n\tdouble p[PARAMS + 1] = {VALUES 0};\n\tstatic const unsigned char given[PARAMS + 1] = {GIVEN 0};\n"
    "\tMODEL.defaults(p, given);\n\tMODEL.setup(p, w);\n\treturn w + MODEL.nc;\n}\n\n";

static int rows_of(const struct model *m, int output)
{
    const int rows[OUTPUTS] = {m->coord.n, m->state.n, m->holonomic, m->constraint.n, m->constraint.n};
    return rows[output];
}
static int columns_of(const struct model *m, int input)
{
    const int cols[INPUTS] = {m->coord.n, m->coord.n, m->coord.n, m->constraint.n, m->state.n, m->input.n};
    return cols[input];
}

/* Member of struct mbs_jacobian and where it stands behind constants and workspace. */
static void write_residual(FILE *f, const struct compile *c, struct arena *arena)
{
    const struct model *m = c->model;
    const char *name = arena_printf(arena, "%s_residual", m->name), *jac = arena_printf(arena, "jac_%s_residual", m->name);
    const char *sp_in[INPUTS + OUTPUTS], *sp_out[OUTPUTS], *sp_jac[OUTPUTS * INPUTS], *in[INPUTS + OUTPUTS], *jac_name[OUTPUTS * INPUTS];
    for (int i = 0; i < INPUTS; i++)
        dense(f, sp_in[i] = arena_printf(arena, "sp_in_%s", input_name[i]), columns_of(m, i)), in[i] = input_name[i];
    for (int o = 0; o < OUTPUTS; o++) {
        dense(f, sp_out[o] = arena_printf(arena, "sp_out_%s", output_name[o]), rows_of(m, o));
        sp_in[INPUTS + o] = sp_out[o];
        in[INPUTS + o] = arena_printf(arena, "out_%s", output_name[o]);
    }
    fprintf(f, "\nEXPORT int %s(const double **arg, double **res, long long *iw, double *w, int mem)\n{\n"
               "\tstruct mbs_state s = state_of(arg);\n\tdouble *work = constants(w), r[SIZE + 1], zdot[SIZE + 1];\n"
               "\tconst struct mbs_residual out = {res[0] ? res[0] : r, res[1] ? res[1] : zdot, res[2], res[3], res[4], 0};\n"
               "\t(void)iw, (void)mem;\n\tMODEL.residual(w, &s, &out, work);\n\treturn 0;\n}\n", name);
    interface(f, name, INPUTS, in, sp_in, OUTPUTS, output_name, sp_out, "MODEL.nc + MODEL.nw");
    /* the Jacobian: all members of struct mbs_jacobian in w, then each block from there */
    static const enum eq_id ids[] = {EQ_rq, EQ_rv, EQ_M, EQ_G, EQ_rz, EQ_zq, EQ_zv, EQ_zz, EQ_gvq, EQ_gaq, EQ_gav, EQ_ru, EQ_zu};
    enum { IDS = sizeof ids / sizeof *ids };
    int at[EQ_COUNT] = {0}, total = 0;
    for (int k = 0; k < IDS; k++) {
        at[ids[k]] = total;
        total += c->equations->array[ids[k]].nnz + 1;
    }
    struct places p[OUTPUTS][INPUTS];
    for (int o = 0; o < OUTPUTS; o++)
        for (int i = 0; i < INPUTS; i++) {
            int k = o * INPUTS + i;
            p[o][i] = places_of(c->equations, &block[o][i], rows_of(m, o), arena);
            sp_jac[k] = arena_printf(arena, "sp_jac_%s_%s", output_name[o], input_name[i]);
            jac_name[k] = arena_printf(arena, "jac_%s_%s", output_name[o], input_name[i]);
            sparsity(f, sp_jac[k], rows_of(m, o), columns_of(m, i), &p[o][i]);
            fprintf(f, "static const int from_%s_%s[] = {", output_name[o], input_name[i]);
            for (int e = 0; e < p[o][i].n; e++)
                fprintf(f, "%d, ", at[block[o][i].id] + p[o][i].at[e].from);
            fputs("0};\n", f);
        }
    fprintf(f, "\nEXPORT int %s(const double **arg, double **res, long long *iw, double *w, int mem)\n{\n"
               "\tstruct mbs_state s = state_of(arg);\n\tdouble *work = constants(w), *x = work + MODEL.nw;\n\tstruct mbs_jacobian out = {0};\n"
               "\tstatic const struct { const int *from; int n; } block[] = {\n", jac);
    for (int o = 0; o < OUTPUTS; o++)
        for (int i = 0; i < INPUTS; i++)
            fprintf(f, "\t\t{from_%s_%s, %d},\n", output_name[o], input_name[i], p[o][i].n);
    fputs("\t};\n\t(void)iw, (void)mem;\n", f);
    for (int k = 0; k < IDS; k++)
        fprintf(f, "\tout.%s = x + %d;\n", c->equations->array[ids[k]].name, at[ids[k]]);
    fprintf(f, "\tMODEL.jacobian(w, &s, &out, work);\n\tfor (int k = 0; k < %d; k++)\n\t\tfor (int e = 0; res[k] && e < block[k].n; e++)\n"
               "\t\t\tres[k][e] = x[block[k].from[e]];\n\treturn 0;\n}\n", OUTPUTS * INPUTS);
    interface(f, jac, INPUTS + OUTPUTS, in, sp_in, OUTPUTS * INPUTS, jac_name, sp_jac, arena_printf(arena, "MODEL.nc + MODEL.nw + %d", total));
}

/* Entries of the Jacobian of the outputs by one of the inputs; `from` counts all outputs of the compiled model. */
static struct places output_places(const struct output_jacobian *j, char by, struct arena *arena)
{
    struct places p = {.at = arena_alloc(arena, (size_t)(j->entries + 1) * sizeof *p.at)};
    for (int k = 0; k < j->entries; k++)
        if (j->entry[k].by == by)
            p.at[p.n].row = j->entry[k].output, p.at[p.n].col = j->entry[k].index, p.at[p.n++].from = j->outputs + k;
    qsort(p.at, (size_t)p.n, sizeof *p.at, by_column);
    return p;
}

/* Both compute all outputs of the compiled model behind constants and workspace, and take theirs. */
static void write_outputs(FILE *f, const struct model *m, const struct output_jacobian *j, struct arena *arena)
{
    const char *name = arena_printf(arena, "%s_outputs", m->name), *jac = arena_printf(arena, "jac_%s_outputs", m->name), *y[] = {"y"}, *sp_y[] = {"sp_out_y"};
    const char *sp_in[INPUTS + 1], *in[INPUTS + 1], *sp_jac[INPUTS], *jac_name[INPUTS], *size = "MODEL.nc + MODEL.nw + MODEL.ny";
    dense(f, "sp_out_y", j->outputs);
    for (int i = 0; i < INPUTS; i++) {
        struct places p = output_places(j, input_name[i][0], arena);
        sp_in[i] = arena_printf(arena, "sp_in_%s", input_name[i]);
        in[i] = input_name[i];
        sparsity(f, sp_jac[i] = arena_printf(arena, "sp_jac_y_%s", input_name[i]), j->outputs, columns_of(m, i), &p);
        jac_name[i] = arena_printf(arena, "jac_y_%s", input_name[i]);
        fprintf(f, "static const int from_y_%s[] = {", input_name[i]);
        for (int e = 0; e < p.n; e++)
            fprintf(f, "%d, ", p.at[e].from);
        fputs("-1};\n", f);
    }
    sp_in[INPUTS] = "sp_out_y";
    in[INPUTS] = "out_y";
    fprintf(f, "\nstatic const double *all_outputs(const double **arg, double *w)\n{\n\tstruct mbs_state s = state_of(arg);\n\tdouble *work = constants(w), *y = work + MODEL.nw;\n"
               "\tif (MODEL.ny)\n\t\tMODEL.outputs(w, &s, y, work);\n\treturn y;\n}\n"
               "\nEXPORT int %s(const double **arg, double **res, long long *iw, double *w, int mem)\n{\n\tconst double *y = all_outputs(arg, w);\n\t(void)iw, (void)mem;\n"
               "\tfor (int i = 0; res[0] && i < %d; i++)\n\t\tres[0][i] = y[i];\n\treturn 0;\n}\n", name, j->outputs);
    interface(f, name, INPUTS, in, sp_in, 1, y, sp_y, size);
    fprintf(f, "\nEXPORT int %s(const double **arg, double **res, long long *iw, double *w, int mem)\n{\n\tconst double *y = all_outputs(arg, w);\n"
               "\tstatic const int *const block[] = {", jac);
    for (int i = 0; i < INPUTS; i++)
        fprintf(f, "%sfrom_y_%s", i ? ", " : "", input_name[i]);
    fprintf(f, "};\n\t(void)iw, (void)mem;\n\tfor (int k = 0; k < %d; k++)\n\t\tfor (int e = 0; res[k] && block[k][e] >= 0; e++)\n\t\t\tres[k][e] = y[block[k][e]];\n"
               "\treturn 0;\n}\n", INPUTS);
    interface(f, jac, INPUTS + 1, in, sp_in, INPUTS, jac_name, sp_jac, size);
}

/* Does anything that is exported depend on time? */
static bool depends_on_time(const struct compile *c)
{
    static const enum eq_id ids[] = {EQ_r, EQ_zdot, EQ_g, EQ_gv, EQ_ga, EQ_y};
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++)
        for (int i = 0; i < c->equations->array[ids[k]].nnz; i++)
            if (expr_deps(c->pool, c->equations->array[ids[k]].value[i]) & DEP(SYM_TIME))
                return true;
    return false;
}

static void replace_all(FILE *f, const char *text, const char *const (*with)[2])
{
    while (*text) {
        int k = 0;
        while (with[k][0] && strncmp(text, with[k][0], strlen(with[k][0])))
            k++;
        if (with[k][0]) {
            fputs(with[k][1], f);
            text += strlen(with[k][0]);
        } else {
            putc(*text++, f);
        }
    }
}

static const char *numbers(struct arena *arena, int n, const double *x, const unsigned char *given)
{
    const char *text = "";
    for (int i = 0; i < n; i++)
        text = x ? arena_printf(arena, "%s%.17g, ", text, x[i]) : arena_printf(arena, "%s%d, ", text, given[i]);
    return text;
}

static bool read_set(const struct settings *set, const struct manual *manual, const struct model *m, double *value, unsigned char *given)
{
    for (int i = 0; i < set->set.n; i++) {
        const char *text = set->set.at[i], *eq = strchr(text, '=');
        int k = 0;
        while (eq && k < m->param.n && (strlen(m->param.at[k].name) != (size_t)(eq - text) || strncmp(text, m->param.at[k].name, (size_t)(eq - text))))
            k++;
        if (!eq || k == m->param.n || !number_read(eq + 1, &value[k])) {
            complain(manual, "--set needs NAME=NUMBER with a parameter of the model, not '%s'", text);
            return false;
        }
        given[k] = 1;
    }
    return true;
}

static bool write_all(FILE *f, const struct settings *set, const struct manual *manual, const struct compile *c, const struct output_jacobian *jacobian)
{
    struct arena arena = {0};
    const struct model *m = c->model;
    int size = m->coord.n + m->constraint.n + m->state.n + m->input.n;
    double *value = ARENA_NEW(&arena, double, m->param.n + 1);
    unsigned char *given = ARENA_NEW(&arena, unsigned char, m->param.n + 1);
    bool good = read_set(set, manual, m, value, given);
    if (good) {
        size_t text_size;
        char *text = NULL;
        const char *const with[][2] = {{"MODEL", arena_printf(&arena, "%s_model", m->name)}, {"SIZE", arena_printf(&arena, "%d", size)},
                                       {"PARAMS", arena_printf(&arena, "%d", m->param.n)}, {"VALUES", numbers(&arena, m->param.n, value, NULL)},
                                       {"GIVEN", numbers(&arena, m->param.n, NULL, given)}, {NULL, NULL}};
        fputs(compile_text(c, NULL), f);
        replace_all(f, prologue, with);
        FILE *body = stream_open(&text, &text_size);
        if (body) {
            write_residual(body, c, &arena);
            write_outputs(body, m, jacobian, &arena);
        }
        good = body && stream_close(body);
        if (good)
            replace_all(f, text, with);
        else
            complain(manual, "out of memory");
        free(text);
    }
    arena_free(&arena);
    return good;
}

static int write_file(const struct settings *set, const struct manual *manual, const char *name, const char *text, size_t size)
{
    char *path;
    struct out out;
    int status = EXIT_FAILED;
    if (asprintf(&path, "%s%s", set->output ? set->output : name, set->output ? "" : "_casadi.c") < 0) {
        complain(manual, "out of memory");
        return status;
    }
    if (out_open(&out, path)) {
        fwrite(text, 1, size, out.f);
        status = out_close(&out) ? EXIT_OK : EXIT_FAILED;
    }
    if (status != EXIT_OK)
        complain(manual, "%s", out.why);
    else if (!set->quiet && strcmp(path, "-"))
        printf("%s is written: cc -O2 -fPIC -shared %s -o %s.so -lm; casadi.external(\"%s_residual\", \"./%s.so\")\n", path, path, name, name, name);
    free(path);
    return status;
}

struct extension {
    struct output_jacobian jacobian;
    struct arena arena;
};
static void extend(struct model *m, void *user)
{
    struct extension *x = user;
    output_jacobian_add(&x->jacobian, m, &x->arena);
}

int export_casadi(const struct settings *set, const struct manual *manual)
{
    struct extension x = {0};
    struct compile_options o = {.front = settings_front(set), .standalone = true, .entries = true, .extend = extend, .user = &x};
    struct compile *c = compile_file(set->files.at[0], &o, COMPILE_TEXT);
    char *text = NULL;
    size_t size;
    int status = EXIT_FAILED;
    fputs(compile_messages(c), stderr);
    if (!c->good || !export_smooth(set, manual, c->model)) {
        compile_free(c);
        arena_free(&x.arena);
        return status;
    }
    bool by_time = depends_on_time(c), good = false;
    FILE *f = by_time ? NULL : stream_open(&text, &size);
    if (by_time)
        complain(manual, "%s depends on time, which CasADi's functions do not have as an argument: give it a state, `state s = 0: s' = 1`", set->files.at[0]);
    else if (!f)
        complain(manual, "out of memory");
    else
        good = write_all(f, set, manual, c, &x.jacobian);
    if (f && !stream_close(f) && good) {
        complain(manual, "out of memory");
        good = false;
    }
    if (good)
        status = write_file(set, manual, c->model->name, text, size);
    free(text);
    compile_free(c);
    arena_free(&x.arena);
    return status;
}
