/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forward dynamics of several states at once (mbsc --batch=N): the statements of accelerations() once more, with vectors of N doubles in place of
 * numbers, in the vector types of gcc and clang.  Parameters differ from lane to lane as states do, and what a lane gives depends on this lane alone.
 *
 * Sine and cosine have no branches, so that the compiler shares what those of one angle have in common.  x = n pi/2 + r, where pi/2 is the sum of three
 * parts, the first two of 37 bits, whose products with |n| < 2^16 are exact: r is known to twice the precision (the method of W. J. Cody and W. Waite,
 * Software Manual for the Elementary Functions, 1980).  Then r + r^3 S(r^2) and 1 - r^2/2 + r^4 C(r^2) on |r| <= pi/4, best polynomials
 * with relative errors of 2^-58 and 2^-64, corrected to first order for the low part of r.  An angle beyond 1e5 gives NaN. */
#include "emit/code.h"
#include "emit/parts.h"

#include <string.h>

static const char helpers[] =
    "static const lanes no_lanes;\n"
    "#define ALL(x) _Generic((x), lanes: (x), default: no_lanes + (x))\n"
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
    "\tconst lane_bits not = c == no_lanes;\n"
    "\treturn (lanes)((not & (lane_bits)y) | (~not & (lane_bits)x));\n"
    "}\n"
    "#define LOGIC(name, is) static MBS_INLINE lanes name(lanes x, lanes y) \\\n"
    "\t{ return (lanes)((is) & (lane_bits)(no_lanes + 1)); }\n"
    "LOGIC(is_less, x < y)\n"
    "LOGIC(is_at_most, x <= y)\n"
    "LOGIC(is_equal, x == y)\n"
    "LOGIC(and_lanes, (x != no_lanes) & (y != no_lanes))\n"
    "LOGIC(or_lanes, (x != no_lanes) | (y != no_lanes))\n"
    "#undef LOGIC\n"
    "\n"
    "/* x = n pi/2 + r + low: the quarter n in the lowest bits of `quarter`; NaN beyond 1e5 */\n"
    "struct lane_turn { lanes r, low; lane_bits quarter; };\n"
    "#define LANE_SIGN (-0x7fffffffffffffffLL - 1)\n"
    "static MBS_INLINE struct lane_turn turn_lanes(lanes x)\n"
    "{\n"
    "\tconst lanes count = x*0x1.45f306dc9c883p-1 + 0x1.8p52, n = count - 0x1.8p52;\n"
    "\tconst lanes first = x - n*0x1.921fb5444p0, second = n*0x1.68c234c4cp-39, near = first - second;\n"
    "\tconst lanes rest = n*0x1.98a2e03707345p-77 - ((first - near) - second), r = near - rest;\n"
    "\tconst lane_bits far = ~((x <= 1e5) & (x >= -1e5));\n"
    "\treturn (struct lane_turn){ (lanes)((lane_bits)r | far), (near - r) - rest, (lane_bits)count };\n"
    "}\n"
    "static MBS_INLINE lanes small_sin(lanes r, lanes low)\n"
    "{\n"
    "\tconst lanes z = r*r, cube = z*r;\n"
    "\tconst lanes s = 0x1.111111110f802p-7 + z*(-0x1.a01a019c01d5cp-13 + z*(0x1.71de35697b479p-19 +\n"
    "\t\tz*(-0x1.ae5e5aae5594fp-26 + z*0x1.5d8f8c09d2f71p-33)));\n"
    "\treturn r - ((z*(0.5*low - cube*s) - low) + cube*0x1.5555555555549p-3);\n"
    "}\n"
    "static MBS_INLINE lanes small_cos(lanes r, lanes low)\n"
    "{\n"
    "\tconst lanes z = r*r, half = 0.5*z, head = 1 - half;\n"
    "\tconst lanes c = 0x1.555555555554bp-5 + z*(-0x1.6c16c16c150fbp-10 + z*(0x1.a01a019ca46bap-16 +\n"
    "\t\tz*(-0x1.27e4f7ffe9922p-22 + z*(0x1.1ee9e4d65c6a1p-29 - z*0x1.8faad2bad8394p-37))));\n"
    "\treturn head + (((1 - head) - half) + (z*z*c - r*low));\n"
    "}\n"
    "/* Which of the two it is, and its sign. */\n"
    "static MBS_INLINE lanes sin_lanes(lanes x)\n"
    "{\n"
    "\tconst struct lane_turn t = turn_lanes(x);\n"
    "\tconst lane_bits even = (t.quarter & 1) == 0, sign = t.quarter << 62 & LANE_SIGN;\n"
    "\treturn (lanes)(((even & (lane_bits)small_sin(t.r, t.low)) | (~even & (lane_bits)small_cos(t.r, t.low))) ^ sign);\n"
    "}\n"
    "static MBS_INLINE lanes cos_lanes(lanes x)\n"
    "{\n"
    "\tconst struct lane_turn t = turn_lanes(x);\n"
    "\tconst lane_bits even = (t.quarter & 1) == 0, sign = (t.quarter << 62 & LANE_SIGN) ^ t.quarter << 63;\n"
    "\treturn (lanes)(((even & (lane_bits)small_cos(t.r, t.low)) | (~even & (lane_bits)small_sin(t.r, t.low))) ^ sign);\n"
    "}\n";

/* As for long functions of one state (emit.c), from the first of these on. */
static const char scheduled[] =
    "#pragma GCC push_options\n#pragma GCC optimize (\"schedule-insns\", \"sched-pressure\")\n";

/* Names at file level. */
static const char *const own[] = {
    "LANES", "LANE_SIGN", "ALL", "lanes", "lane_bits", "lane_turn", "no_lanes", "each", "each2", "choose", "is_less", "is_at_most", "is_equal", "and_lanes", "or_lanes", "LOGIC",
    "turn_lanes", "small_sin", "small_cos", "sin_lanes", "cos_lanes", "batch", "accelerations_batch", "dynamics_batch", "constraints_batch",
};

const char *lanes_clash(const struct model *m)
{
    for (int i = 0; i < m->ext.n; i++)
        for (unsigned k = 0; k < sizeof own / sizeof *own; k++)
            if (!strcmp(own[k], m->ext.at[i]->name))
                return own[k];
    return NULL;
}

void emit_keep_lanes_names(struct emitter *e)
{
    if (!program_find(e->programs, PROGRAM_LANES, FUNCTION_accelerations))
        return;
    for (unsigned k = 0; k < sizeof own / sizeof *own; k++)
        scope_keep(&e->file, own[k]);
    emit_keep_locals(e, helpers);
    emit_keep_locals(e, "c x out w s to");
}

/* The types of one function, and how it is called with arrays of numbers. */
static void emit_lanes_function(struct emitter *e, const struct program *program)
{
    const struct abi_function *f = &abi_function[program->index];
    struct cw_list list;
    cw_list_begin(&list, e->out, arena_printf(&e->arena, "struct lanes_%s { lanes ", f->name), "; };");
    for (int a = 0; a < f->parts; a++)
        cw_list_item(&list, "*%s", abi_quantity[f->part[a].id].name);
    cw_list_end(&list);
    emit_program(e, program, emit_function_name(e, program));
    cw_line(e->out, "static void %s_batch(const double *c, const struct mbs_batch_state *x, const struct mbs_%s *out, double *w)", f->name, f->name);
    cw_line(e->out, "{");
    cw_line(e->out, "\tconst struct lanes_state s = { (const lanes *)x->t, (const lanes *)x->q, (const lanes *)x->v, (const lanes *)x->z, (const lanes *)x->u };");
    cw_list_begin(&list, e->out, arena_printf(&e->arena, "\tconst struct lanes_%s to = { ", f->name), " };");
    for (int a = 0; a < f->parts; a++)
        cw_list_item(&list, "(lanes *)out->%s", abi_quantity[f->part[a].id].name);
    cw_list_end(&list);
    cw_line(e->out, "\t%s((const lanes *)c, &s, &to, (lanes *)w);", emit_function_name(e, program));
    cw_line(e->out, "}");
}

/* Functions of lanes stand side by side in the list: the first brings what they share, the last what the model has of them. */
void emit_lanes(struct emitter *e, const struct program *program)
{
    const struct programs *p = e->programs;
    if (program == p->list.at || program[-1].kind != PROGRAM_LANES) {
        cw_line(e->out, "/* --- Forward dynamics of %d states at once: vector i of an array has entry i of all states. --- */", p->lanes);
        cw_line(e->out, "enum { LANES = %d };", p->lanes);
        cw_line(e->out, "typedef double lanes __attribute__((vector_size(%d), may_alias));", 8 * p->lanes);
        cw_line(e->out, "typedef long long lane_bits __attribute__((vector_size(%d), may_alias));", 8 * p->lanes);
        cw_line(e->out, "struct lanes_state { const lanes *t, *q, *v, *z, *u; };");
        emit_for_gcc(e, scheduled);
        cw_put(e->out, helpers, sizeof helpers - 1);
    }
    emit_lanes_function(e, program);
    if (program + 1 < p->list.at + p->list.n && program[1].kind == PROGRAM_LANES)
        return;
    emit_for_gcc(e, "#pragma GCC pop_options\n");
    int workspace = 0;
    struct cw_list list;
    for (int k = 0; k < p->list.n; k++)
        if (p->list.at[k].kind == PROGRAM_LANES && p->list.at[k].workspace > workspace)
            workspace = p->list.at[k].workspace;
    cw_list_begin(&list, e->out, "static const struct mbs_batch batch = { ", " };");
    cw_list_item(&list, ".lanes = LANES, .nw = %d", workspace * p->lanes);
    for (int k = 0; k < p->list.n; k++)
        if (p->list.at[k].kind == PROGRAM_LANES)
            cw_list_item(&list, ".%s = %s_batch", abi_function[p->list.at[k].index].name, abi_function[p->list.at[k].index].name);
    cw_list_end(&list);
    cw_line(e->out, "%s", "");
}
