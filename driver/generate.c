/* SPDX-License-Identifier: GPL-3.0-or-later
 * The C text of a model, by the passes of mbsc. */
#include "config.h"
#include "generate.h"
#include "base/out.h"
#include "build.h"
#include "compile.h"
#include "header_file.h"
#include "sha256.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *generate_header(size_t *length)
{
    size_t n = 0;
    for (const char *const *l = model_h; *l; l++)
        n += strlen(*l);
    char *text = malloc(n + 1), *at = text;
    if (!text)
        return NULL;
    for (const char *const *l = model_h; *l; l++)
        at = stpcpy(at, *l);
    *length = n;
    return text;
}

/* The name after `const struct mbs_model` in C text. */
static bool find_symbol(struct generated *g)
{
    static const char before[] = "const struct mbs_model ";
    for (const char *s = g->text; (s = strstr(s, before)); s += sizeof before - 1) {
        size_t n = strspn(s + sizeof before - 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        const char *name = s + sizeof before - 1;
        if (n > 6 && n < sizeof g->symbol && !strncmp(name + n - 6, "_model", 6)) {
            memcpy(g->symbol, name, n);
            g->symbol[n] = 0;
            return true;
        }
    }
    return false;
}

/* The functions that the generated file takes from outside.  Each gets a name of ours for the linker, which is then
 * tied to the user's code alone (cc.c): never to what the C library or this process may happen to have under it. */
static bool take_externs(struct generated *g)
{
    static const char before[] = "\nextern double ";
    size_t n = 0, size;
    char *text = NULL;
    for (const char *s = g->text; (s = strstr(s, before)); s++)
        n++;
    if (!n)
        return true;
    if (!(g->ext = calloc(n, sizeof *g->ext)))
        return false;
    FILE *f = stream_open(&text, &size);
    if (!f)
        return false;
    const char *done = g->text;
    for (const char *s = done; (s = strstr(s, before));) {
        const char *name = s + sizeof before - 1, *end = strchr(name, ';');
        int length = (int)strcspn(name, "(");
        if (!end || !(g->ext[g->externs] = strndup(name, (size_t)length)))
            break;
        g->externs++;
        fprintf(f, "%.*s __asm__(\"" EXTERN_PREFIX "%.*s\")", (int)(end - done), done, length, name);
        done = s = end;
    }
    fputs(done, f);
    if (!stream_close(f) || (size_t)g->externs != n) {
        free(text);
        return false;
    }
    free(g->text);
    g->text = text;
    g->length = size;
    return true;
}

static bool take_c(struct generated *g, const char *path)
{
    g->text = model_read(path, &g->length);
    if (!g->text) {
        fprintf(stderr, "mbs: cannot read %s: %s\n", path, file_why());
        return false;
    }
    g->statements = strstr(g->text, "\nstatic const struct body tree[]") ? 0 : g->length;
    if (find_symbol(g))
        return true;
    fprintf(stderr, "mbs: %s defines no model: it is not a C file that mbsc wrote\n", path);
    return false;
}

static bool add_dependency(struct generated *g, const char *path, const char *text, size_t length)
{
    struct dependency *d = &g->dep[g->deps];
    char *here = *path == '/' ? strdup("") : getcwd(NULL, 0);
    if (!here || asprintf(&d->path, *path == '/' ? "%s%s" : "%s/%s", here, path) < 0) {
        free(here);
        return false;
    }
    free(here);
    strcpy(d->hash, "-");
    if (text) {
        struct sha256 h;
        sha256_init(&h);
        sha256_add(&h, text, length);
        sha256_hex(&h, d->hash);
    }
    g->deps++;
    return true;
}

/* All that was asked for, with what was read: a file that has changed since is seen. */
static bool take_sources(struct generated *g, const struct compile *c)
{
    const struct sources *s = &c->base.sources;
    g->dep = calloc((size_t)s->asked.n + 1, sizeof *g->dep);
    for (int i = 0; g->dep && i < s->asked.n; i++) {
        const struct source *f = s->asked.at[i].found;
        if (!add_dependency(g, s->asked.at[i].path, f ? f->text : NULL, f ? f->length : 0))
            return false;
    }
    return g->dep != NULL;
}

bool way_given(const char *name, enum derive_way *way)
{
    *way = WAY_CHEAPEST;
    if (!name || derive_way_find(name, way))
        return true;
    fprintf(stderr, "mbs: --way is cheapest, energies, tree, mixed or rolled, not '%s'\n", name);
    return false;
}

/* Rolled code is a text of one length beside what its tapes have, a line a row. */
static size_t statement_length(const struct compile *c, size_t length)
{
    enum { LINE = 40 };
    size_t rows = 0;
    if (!c->equations->roll)
        return length;
    for (int k = 0; k < c->programs->list.n; k++)
        rows += (size_t)c->programs->list.at[k].tape->rows;
    return LINE * rows;
}

static bool compile_text_of(struct generated *g, const char *path, const struct build_options *o, bool tapes)
{
    struct compile_options options = {.front = o->front, .solver = true, .sensitivity = o->sensitivity, .lanes = o->batch, .tapes = tapes};
    if (!way_given(o->way, &options.way))
        return false;
    struct compile *c = compile_file(path, &options, COMPILE_TEXT);
    bool good = c->good;
    if (!good || !o->told)
        fputs(compile_messages(c), stderr);
    if (good) {
        const char *text = compile_text(c, &g->length);
        g->text = malloc(g->length + 1);
        if (g->text) {
            memcpy(g->text, text, g->length);
            g->text[g->length] = 0;
        }
        good = g->text && take_externs(g) && take_sources(g, c) && find_symbol(g);
        g->statements = statement_length(c, g->length);
        if (!good)
            fputs("mbs: out of memory\n", stderr);
    }
    compile_free(c);
    return good;
}

bool generate_c(struct generated *g, const char *path, const struct build_options *o)
{
    size_t n = strlen(path);
    *g = (struct generated){0};
    bool good = n > 2 && !strcmp(path + n - 2, ".c") ? take_c(g, path) : compile_text_of(g, path, o, false);
    if (!good)
        generated_fini(g);
    return good;
}

bool generate_tapes(struct generated *g, const char *path, const struct build_options *o)
{
    *g = (struct generated){0};
    bool good = compile_text_of(g, path, o, true);
    if (!good)
        generated_fini(g);
    return good;
}

void generated_fini(struct generated *g)
{
    for (int i = 0; i < g->deps; i++)
        free(g->dep[i].path);
    for (int i = 0; i < g->externs; i++)
        free(g->ext[i]);
    free(g->dep);
    free(g->ext);
    free(g->text);
    *g = (struct generated){0};
}
