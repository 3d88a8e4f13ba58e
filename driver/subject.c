/* SPDX-License-Identifier: GPL-3.0-or-later
 * A model from both sides, for comparisons. */
#include "config.h"
#include "compare.h"

#include <stdio.h>
#include <string.h>

bool subject_load(struct subject *s, const char *path, const struct build_options *o)
{
    struct compile_options options = {.front = o->front};
    memset(s, 0, sizeof *s);
    s->compiled = compile_file(path, &options, COMPILE_EQUATIONS);
    if (!s->compiled->good) {
        fputs(compile_messages(s->compiled), stderr);
        return false;
    }
    if (!build_model(&s->build, path, o))
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
