/* SPDX-License-Identifier: GPL-3.0-or-later
 * Files that a model names: included ones and tables. */
#include "model/front.h"

#include <string.h>

const struct source *file_find(struct check *k, const struct ast_expr *e)
{
    const char *from = e->span.source->path, *slash = strrchr(from, '/');
    const char *why = NULL, *ignored = NULL, *path = e->text;
    if (!*path || path[0] == '/' || strchr(path, '\\')) {
        diag_error(k->diags, e->span, "a path is relative to the model file and uses '/'");
        return NULL;
    }
    if (slash)
        path = arena_printf(k->arena, "%.*s%s", (int)(slash + 1 - from), from, path);
    if (!source_allowed(&k->c->sources, path, k->c->options.include, k->c->options.includes)) {
        diag_error(k->diags, e->span, "'%s' is outside the directory of the model; -I DIR allows more", e->text);
        return NULL;
    }
    const struct source *f = source_load(&k->c->sources, path, &why);
    for (int i = 0; !f && i < k->c->options.includes; i++) {
        path = arena_printf(k->arena, "%s/%s", k->c->options.include[i], e->text);
        if (source_allowed(&k->c->sources, path, k->c->options.include, k->c->options.includes))
            f = source_load(&k->c->sources, path, &ignored);
    }
    if (!f)
        diag_error(k->diags, e->span, "cannot read '%s': %s", e->text, why);
    return f;
}
