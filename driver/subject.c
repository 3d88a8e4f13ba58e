/* SPDX-License-Identifier: GPL-3.0-or-later
 * A model from both sides, for comparisons. */
#include "config.h"
#include "commands.h"
#include "compare.h"
#include "generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool compile(struct subject *s, const char *path, const struct build_options *o, bool fold)
{
    struct compile_options options = {.front = o->front, .fold_params = fold, .solver = true};
    if (!way_given(o->way, &options.way))
        return false;
    s->compiled = compile_file(path, &options, COMPILE_EQUATIONS);
    if (!s->compiled->good)
        fputs(compile_messages(s->compiled), stderr);
    return s->compiled->good;
}

/* Code that was built elsewhere may have its parameters baked in; otherwise it must be of this model. */
static bool open_object(struct subject *s, const char *path, const char *object, const struct build_options *o)
{
    char symbol[256], *real = realpath(object, NULL);
    snprintf(symbol, sizeof symbol, "%s_model", s->compiled->model->name);
    bool good = build_open(&s->build, real ? real : object, symbol, object);
    free(real);
    if (!good)
        return false;
    const struct mbs_model *m = s->build.model;
    if (m->np < s->compiled->model->param.n) {         /* discrete states are kept */
        compile_free(s->compiled);
        if (!compile(s, path, o, true))
            return false;
    }
    const struct model *want = s->compiled->model;
    if (m->nq == want->coord.n && m->np == want->param.n && m->nz == want->state.n && m->nu == want->input.n &&
        m->ny == want->output.n && m->ng + m->nh == want->constraint.n && m->ng == want->holonomic)
        return true;
    complain(&manual_compare, "%s is not the code of %s: its coordinates, parameters or constraints are others", object, path);
    return false;
}

bool subject_load(struct subject *s, const char *path, const char *object, const struct build_options *o)
{
    memset(s, 0, sizeof *s);
    if (!compile(s, path, o, false))
        return false;
    if (!(object ? open_object(s, path, object, o) : build_model(&s->build, path, o)))
        return false;
    s->model = s->build.model;
    return true;
}

void subject_unload(struct subject *s)
{
    if (s->compiled)
        compile_free(s->compiled);
    build_close(&s->build);
    memset(s, 0, sizeof *s);
}
