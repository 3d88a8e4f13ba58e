/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sources of an FMU.  The core of the runtime, which the program carries as text (core_files.h, written by core.awk), is taken as far as it is reached
 * from the interface and the methods of this FMU by way of the functions that are used; fmu/without.h stands for what the model does not need.
 *
 *   model.c, mbs/model.h    the model
 *   fmu_model.c             tables about it, with the interface
 *   core1.c, core2.c ...    the units of the core: #define CORE 1, #include "core.inc"
 *   core.inc                all headers of the core, then its C files, each for its unit: one text, so that what they have in common is packed once */
#include "config.h"
#include "fmu.h"
#include "core_files.h"
#include "base/out.h"

#include <stdlib.h>
#include <string.h>

enum { CORE_FILES = sizeof core_file / sizeof *core_file, CORE_SYMBOLS = sizeof core_symbol / sizeof *core_symbol };
static const char model_header[] = "mbs/model.h", without_header[] = "fmu/without.h";

static int file_named(const char *name, size_t n)
{
    for (int i = 0; i < CORE_FILES; i++)
        if (strlen(core_file[i].name) == n && !strncmp(core_file[i].name, name, n))
            return i;
    return -1;
}

/* ---- what is carried ---- */

static bool is_replaced(const struct fmu_parts *p, const struct core_symbol *s)
{
    return s->without == ALWAYS || (s->without == EVENTS && !p->events) || (s->without == CONTACTS && !p->contacts);
}

static void reach(const struct fmu_parts *p, int file, bool *needed)
{
    if (needed[file])
        return;
    needed[file] = true;
    for (const short *s = core_file[file].uses; *s >= 0; s++)
        if (!is_replaced(p, &core_symbol[*s]))
            reach(p, core_symbol[*s].file, needed);
}

/* The C files of the core. */
static void mark_parts(const struct fmu_parts *p, bool *needed)
{
    static const char method[] = "mbs_method_";
    const char *interface = p->version == 2 ? "fmu/fmi2.c" : "fmu/fmi3.c";
    memset(needed, 0, CORE_FILES * sizeof *needed);
    reach(p, file_named(interface, strlen(interface)), needed);
    for (int k = 0; k < CORE_SYMBOLS; k++)
        for (int i = 0; p->carried[i]; i++)
            if (!strncmp(core_symbol[k].name, method, sizeof method - 1) && !strcmp(core_symbol[k].name + sizeof method - 1, p->carried[i]))
                reach(p, core_symbol[k].file, needed);
}

static bool has_unit(const bool *needed, int unit)
{
    for (int i = 0; i < CORE_FILES; i++)
        if (needed[i] && core_file[i].unit == unit)
            return true;
    return false;
}

static const char *base_name(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

const char *fmu_source(struct fmu_parts *p, int k)
{
    bool needed[CORE_FILES];
    if (k < FMU_OWN_SOURCES)
        return k == 0 ? "model.c" : "fmu_model.c";
    k -= FMU_OWN_SOURCES;
    if (k < p->settings->with.n)
        return arena_printf(&p->arena, "with%d/%s", k + 1, base_name(p->settings->with.at[k]));
    k -= p->settings->with.n;
    mark_parts(p, needed);
    for (int unit = 1; unit < CORE_UNITS; unit++)
        if (has_unit(needed, unit) && k-- == 0)
            return arena_printf(&p->arena, "core%d.c", unit);
    return NULL;
}

/* ---- text ---- */

/* The header of the core that a line includes; -1: none. */
static int included(const char *line)
{
    static const char include[] = "#include \"";
    const char *name = line + sizeof include - 1;
    return strncmp(line, include, sizeof include - 1) ? -1 : file_named(name, strcspn(name, "\""));
}

/* Without what it includes of ours, which stands before it. */
static void put_lines(FILE *f, int file)
{
    for (const char *const *line = core_file[file].line; *line; line++)
        if (included(*line) < 0 && strncmp(*line, "/* SPDX", 7))
            fputs(*line, f);
}

static void put_headers(FILE *f, int file, bool *done)
{
    for (const char *const *line = core_file[file].line; *line; line++) {
        int header = included(*line);
        if (header < 0 || done[header])
            continue;
        done[header] = true;
        put_headers(f, header, done);
        put_lines(f, header);
    }
}

static void put_core(FILE *f, const struct fmu_parts *p)
{
    bool needed[CORE_FILES], done[CORE_FILES] = {false};
    int model = file_named(model_header, strlen(model_header)), without = file_named(without_header, strlen(without_header));
    mark_parts(p, needed);
    done[model] = true;         /* stays a file: model.c needs it as well */
    fprintf(f, "/* SPDX-License-Identifier: MIT */\n#include \"%s\"\n", model_header);
    for (int i = 0; i < CORE_FILES; i++)
        if (needed[i])
            put_headers(f, i, done);
    put_headers(f, without, done);
    for (int i = 0; i < CORE_FILES; i++)
        if (needed[i]) {
            fprintf(f, "#if CORE == %d\n", core_file[i].unit);
            put_lines(f, i);
            fputs("#endif\n", f);
        }
    fputs("#if CORE == 0\n", f);
    put_lines(f, without);
    fputs("#endif\n", f);
}

static bool put_text(FILE *f, char **text, size_t *size, Put_source *put, void *to, const char *name)
{
    bool good = f && stream_close(f) && put(to, name, *text, *size);
    free(*text);
    return good;
}

static bool put_file(int file, Put_source *put, void *to, const char *name)
{
    char *text = NULL;
    size_t size;
    FILE *f = stream_open(&text, &size);
    for (const char *const *line = core_file[file].line; f && *line; line++)
        fputs(*line, f);
    return put_text(f, &text, &size, put, to, name);
}

static bool put_unit(int unit, Put_source *put, void *to, const char *name)
{
    char text[100];
    snprintf(text, sizeof text, "/* SPDX-License-Identifier: MIT */\n#define CORE %d\n#include \"core.inc\"\n", unit);
    return put(to, name, text, strlen(text));
}

bool fmu_write_sources(struct fmu_parts *p, Put_source *put, void *to)
{
    char *core = NULL;
    const char *name;
    size_t size;
    FILE *f = stream_open(&core, &size);
    if (f)
        put_core(f, p);
    bool good = put_text(f, &core, &size, put, to, "core.inc") && put_file(file_named(model_header, strlen(model_header)), put, to, model_header) &&
                put(to, "model.c", p->model_c, strlen(p->model_c)) && put(to, "fmu_model.c", p->table_c, strlen(p->table_c));
    for (int k = FMU_OWN_SOURCES; good && (name = fmu_source(p, k)); k++) {
        int with = k - FMU_OWN_SOURCES, unit;
        if (with < p->settings->with.n) {
            char *text = file_read(p->settings->with.at[with], &size);
            good = text && put(to, name, text, size);
            free(text);
        } else {
            good = sscanf(name, "core%d", &unit) == 1 && put_unit(unit, put, to, name);
        }
    }
    return good;
}

static bool put_zipped(void *zip, const char *name, const char *text, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "sources/%.280s", name);
    zip_add(zip, path, text, size, false);
    return true;
}
static bool put_licence(void *zip, const char *name, const char *text, size_t size)
{
    zip_add(zip, name, text, size, false);
    return true;
}

void fmu_add_sources(struct fmu_parts *p, struct zip *z)
{
    static const char licence[] = "LICENSE.MIT";
    if (!fmu_write_sources(p, put_zipped, z) || !put_file(file_named(licence, strlen(licence)), put_licence, z, "documentation/licenses/license.txt"))
        z->failed = true;
}

void fmu_hash_core(struct sha256 *h)
{
    for (int i = 0; i < CORE_FILES; i++)
        for (const char *const *l = core_file[i].line; *l; l++)
            sha256_text(h, *l);
}
