/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "output_jacobian.h"
#include "expr/expr.h"

#include <string.h>

void output_jacobian_add(struct output_jacobian *j, struct model *m, struct arena *arena)
{
    static const struct { enum sym_kind kind; char by; } kinds[] = {{SYM_Q, 'q'}, {SYM_V, 'v'}, {SYM_A, 'a'}, {SYM_LAMBDA, 'l'}, {SYM_Z, 'z'}, {SYM_U, 'u'}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    unsigned set = 0;
    int total = m->output.n;
    for (int k = 0; k < KINDS; k++)
        set |= DEP(kinds[k].kind);
    struct diff *d = diff_new(m->pool, set);
    *j = (struct output_jacobian){.outputs = m->output.n};
    for (int i = 0; i < j->outputs; i++)
        total += diff_gradient(d, m->output.at[i].value).n;
    struct model_output *all = ARENA_NEW(m->arena, struct model_output, total + 1);
    j->entry = ARENA_NEW(arena, struct output_entry, total + 1);
    memcpy(all, m->output.at, (size_t)j->outputs * sizeof *all);
    for (int i = 0; i < j->outputs; i++) {
        struct gradient g = diff_gradient(d, m->output.at[i].value);
        for (int k = 0; k < g.n; k++) {
            const struct symbol *s = expr_symbol(m->pool, g.var[k]);
            struct output_entry *e = &j->entry[j->entries];
            *e = (struct output_entry){i, 0, s->index};
            for (int c = 0; c < KINDS; c++)
                if (kinds[c].kind == s->kind)
                    e->by = kinds[c].by;
            all[j->outputs + j->entries++] =
                (struct model_output){arena_printf(m->arena, "d%d_d%c%d", i, e->by, s->index), "", m->output.at[i].span, g.d[k]};
        }
    }
    diff_free(d);
    m->output.at = all;
    m->output.n = m->output.cap = total;
}
