/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forward dynamics of several states at once (mbsc --lanes=N): the statements of accelerations() once more, with vectors of N doubles in place of
 * numbers, in the vector types of gcc and clang.  Constants are the same for all lanes. */
#include "emit/code.h"
#include "emit/parts.h"

static const char helpers[] =
    "static const lanes no_lanes;\n"
    "static MBS_INLINE lanes each(double (*f)(double), lanes x)\n"
    "{\n"
    "\tfor (int i = 0; i < LANES; i++)\n"
    "\t\tx[i] = f(x[i]);\n"
    "\treturn x;\n"
    "}\n"
    "static MBS_INLINE lanes each2(double (*f)(double, double), lanes x, lanes y)\n"
    "{\n"
    "\tfor (int i = 0; i < LANES; i++)\n"
    "\t\tx[i] = f(x[i], y[i]);\n"
    "\treturn x;\n"
    "}\n"
    "static MBS_INLINE lanes choose(lanes c, lanes x, lanes y)\n"
    "{\n"
    "\tfor (int i = 0; i < LANES; i++)\n"
    "\t\tx[i] = c[i] != 0 ? x[i] : y[i];\n"
    "\treturn x;\n"
    "}\n"
    "#define LOGIC(name, is) static MBS_INLINE lanes name(lanes x, lanes y) \\\n"
    "\t{ lanes r; for (int i = 0; i < LANES; i++) r[i] = (is); return r; }\n"
    "LOGIC(is_less, x[i] < y[i])\n"
    "LOGIC(is_at_most, x[i] <= y[i])\n"
    "LOGIC(is_equal, x[i] == y[i])\n"
    "LOGIC(and_lanes, x[i] != 0 && y[i] != 0)\n"
    "LOGIC(or_lanes, x[i] != 0 || y[i] != 0)\n"
    "#undef LOGIC\n";

void emit_keep_lanes_names(struct emitter *e)
{
    static const char *const own[] = {"LANES", "lanes", "no_lanes", "each", "each2", "choose", "is_less", "is_at_most", "is_equal", "and_lanes", "or_lanes", "LOGIC"};
    if (!program_find(e->programs, PROGRAM_LANES, FUNCTION_accelerations))
        return;
    for (unsigned k = 0; k < sizeof own / sizeof *own; k++)
        scope_keep(&e->file, own[k]);
    scope_keep(&e->file, arena_printf(&e->arena, "%s_lanes", e->model->name));
}

void emit_lanes(struct emitter *e, const struct program *program)
{
    const char *model = e->model->name;
    cw_line(e->out, "/* --- Forward dynamics of %d states at once: vector i of an array has entry i of all states. `c` is from setup(),", e->programs->lanes);
    cw_line(e->out, " *     `w` has %d vectors. A program that calls it repeats the declarations of `lanes` and of", program->workspace);
    cw_line(e->out, " *     %s_lanes() below. --- */", model);
    cw_line(e->out, "enum { LANES = %d };", e->programs->lanes);
    cw_line(e->out, "typedef double lanes __attribute__((vector_size(%d)));", 8 * e->programs->lanes);
    cw_line(e->out, "struct lanes_state { lanes t; const lanes *q, *v, *z, *u; };");
    cw_line(e->out, "struct lanes_accelerations { lanes *a, *lambda, *zdot, *unsafe; };");
    cw_put(e->out, helpers, sizeof helpers - 1);
    emit_program(e, program, emit_function_name(e, program));
    for (int k = 0; k < 2; k++) {       /* declared, defined */
        cw_line(e->out, "void %s_lanes(const double *c, lanes t, const lanes *q, const lanes *v, const lanes *z,", model);
        cw_line(e->out, "\tconst lanes *u, lanes *a, lanes *lambda, lanes *zdot, lanes *unsafe, lanes *w)%s", k ? "" : ";");
    }
    cw_line(e->out, "{");
    cw_line(e->out, "\tconst struct lanes_state x = { t, q, v, z, u };");
    cw_line(e->out, "\tconst struct lanes_accelerations out = { a, lambda, zdot, unsafe };");
    cw_line(e->out, "\t%s(c, &x, &out, w);", emit_function_name(e, program));
    cw_line(e->out, "}");
    cw_line(e->out, "%s", "");
}
