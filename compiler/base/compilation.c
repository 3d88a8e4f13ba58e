/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compilation.h"

void compilation_init(struct compilation *c, const struct front_options *options)
{
    *c = (struct compilation){0};
    c->sources.arena = &c->arena;
    c->names.arena = &c->arena;
    diags_init(&c->diags, &c->arena);
    if (options)
        c->options = *options;
}

void compilation_fini(struct compilation *c)
{
    diags_fini(&c->diags);
    names_fini(&c->names);
    sources_fini(&c->sources);
    arena_free(&c->arena);
}
