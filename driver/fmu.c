/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs fmu`: a model as a Functional Mock-up Unit. */
#include "config.h"
#include "fmu.h"
#include "commands.h"
#include "interrupt.h"
#include "report.h"
#include "base/out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct manual manual_fmu = {
    "fmu", "MODEL.mbs [options] [-o MODEL.fmu]", FOR_FMU,
    "Writes a Functional Mock-up Unit: the model as a file that simulation tools and Python's FMPy load, for Model Exchange (their\n"
    "integrator; constraints by the index-1 form with projection) and for Co-Simulation (ours, as `simulate { ... }` says). It needs libc\n"
    "and libm only, has directional derivatives, its own sources and a report as documentation. For FMI 3.0 it has a DAE mode as well (FMI-LS-DAE):\n"
    "residuals, with accelerations and multipliers as algebraic variables. --set changes start values of parameters.",
    "  mbs fmu pendulum.mbs                            writes pendulum.fmu for FMI 2.0\n"
    "  mbs fmu pendulum.mbs --fmi 3 -o p3.fmu          for FMI 3.0, with adjoint derivatives\n"
    "  mbs fmu crank.mbs --targets win64,mac-arm64     for other machines as well (pip install ziglang)\n",
    1, 1};

enum { SAMPLES = 60, LARGEST = 290000 };      /* bytes with the report */

static char *file_name(const struct settings *set)
{
    const char *file = set->files.at[0], *slash = strrchr(file, '/'), *dot;
    if (set->output)
        return strdup(set->output);
    file = slash ? slash + 1 : file;
    dot = strrchr(file, '.');
    size_t n = dot ? (size_t)(dot - file) : strlen(file);
    char *name = malloc(n + 5);
    if (name)
        snprintf(name, n + 5, "%.*s.fmu", (int)n, file);
    return name;
}

static void escaped(FILE *f, const char *s)
{
    for (; *s; s++)
        if (*s == '<' || *s == '&')
            fputs(*s == '<' ? "&lt;" : "&amp;", f);
        else
            putc(*s, f);
}

/* A page with the text of the model. */
static char *short_page(const struct fmu_parts *p, size_t *size)
{
    char *page = NULL, *text = model_read(p->settings->files.at[0], NULL);
    FILE *f = stream_open(&page, size);
    if (f) {
        fprintf(f, "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>%s</title></head><body><h1>%s</h1>\n<pre>", p->name, p->name);
        escaped(f, text ? text : "");
        fputs("</pre>\n<p>Made by mbs " PACKAGE_VERSION ".</p></body></html>\n", f);
    }
    free(text);
    return f && stream_close(f) ? page : NULL;
}

/* A report, by way of a file; NULL: that could not be made or read, which has been said, or memory is out. */
static char *report_text(struct session *s, const struct fmu_parts *p, const char *path, size_t *size, bool *no_memory)
{
    char *name, *text = NULL;
    if (asprintf(&name, "%s.html", path) < 0) {
        *no_memory = true;
        return NULL;
    }
    if (report_write(s, name, NULL) && !(text = file_read(name, size)))
        complain(p->manual, "cannot read %s: %s; the page of the FMU is short", name, file_why());
    unlink(name);
    free(name);
    return text;
}

/* The report of a run, if there is one and it does not make the file too large; else the text of the model. */
static void add_documentation(struct zip *z, struct session *s, const struct fmu_parts *p, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    if (!isnan(s->to) && s->to != s->from)
        text = report_text(s, p, path, &size, &z->failed);
    static const char place[] = "documentation/index.html";
    if (!text || !zip_add_within(z, place, text, size, LARGEST)) {
        free(text);
        text = short_page(p, &size);
        if (text)
            zip_add(z, place, text, size, false);
    }
    z->failed = z->failed || !text;
    free(text);
}

static void add_text(struct zip *z, const char *name, struct fmu_parts *p, struct session *s, void (*write)(FILE *, struct fmu_parts *, struct session *))
{
    char *text = NULL;
    size_t size;
    FILE *f = stream_open(&text, &size);
    if (f)
        write(f, p, s);
    if (f && stream_close(f))
        zip_add(z, name, text, size, false);
    else
        z->failed = true;
    free(text);
}
static void build_description(FILE *f, struct fmu_parts *p, struct session *s)
{
    (void)s;
    fmu_build_description(f, p);
}

static bool write_fmu(struct fmu_parts *p, struct session *s, const char *path)
{
    struct out out;
    struct zip z;
    if (!out_open(&out, path)) {
        complain(p->manual, "%s", out.why);
        return false;
    }
    zip_begin(&z, out.f);
    add_text(&z, "modelDescription.xml", p, s, fmu_description);
    if (p->version == 3 && fmu_offers_exchange(s))
        add_text(&z, "extra/org.fmi-standard.fmi-ls-dae/fmi-ls-manifest.xml", p, s, fmu_dae_manifest);
    if (fmu_has_terminals(p, s))
        add_text(&z, "terminalsAndIcons/terminalsAndIcons.xml", p, s, fmu_terminals);
    for (int i = 0; i < p->binaries; i++)
        zip_add(&z, p->binary[i].path, p->binary[i].data, p->binary[i].size, true);
    fmu_add_sources(p, &z);
    if (p->version == 3)
        add_text(&z, "sources/buildDescription.xml", p, s, build_description);
    fmu_add_icon(&z, p, s);
    add_documentation(&z, s, p, path);
    if (!zip_end(&z)) {
        complain(p->manual, "cannot write %s: no room on the disk or in memory", path);
        out_discard(&out);
        return false;
    }
    if (!out_close(&out)) {
        complain(p->manual, "%s", out.why);
        return false;
    }
    return true;
}

static int make(struct fmu_parts *p, struct settings *set, const char *path)
{
    struct session s;
    int contacts = 0;
    if (set->fmi && strcmp(set->fmi, "2") && strcmp(set->fmi, "2.0") && strcmp(set->fmi, "3") && strcmp(set->fmi, "3.0")) {
        complain(p->manual, "--fmi is 2 or 3, not '%s'", set->fmi);
        return EXIT_USAGE;
    }
    p->version = set->fmi && *set->fmi == '3' ? 3 : 2;
    /* the C compiler first: when the model has been loaded no other program may be started */
    if (!fmu_generate(p) || !fmu_compile(p))
        return EXIT_FAILED;
    set->samples = SAMPLES;
    bool quiet = set->quiet;
    set->quiet = true;
    const char *output = set->output;
    set->output = path;         /* where files may be written */
    bool good = session_open(&s, set, p->manual);
    if (good) {
        contacts = s.model->ncontact;
        good = write_fmu(p, &s, path);
        session_close(&s);
    }
    set->output = output;
    if (good && !quiet)
        printf("%s is written: FMI %d.0, %s\n", path, p->version, contacts ? "Co-Simulation (which bodies touch, stick and slide cannot be told from outside: a model with contacts has no Model Exchange)" : "Model Exchange and Co-Simulation");
    return good ? EXIT_OK : EXIT_FAILED;
}

int cmd_fmu(int argc, char **argv)
{
    struct settings set;
    struct fmu_parts p = {.settings = &set, .manual = &manual_fmu};
    int status;
    if (!settings_parse(&set, &manual_fmu, argc, argv, &status))
        return status;
    interrupt_watch();
    char *path = file_name(&set);
    if (!path)
        complain(&manual_fmu, "out of memory");
    status = path ? make(&p, &set, path) : EXIT_FAILED;
    for (int i = 0; i < p.binaries; i++)
        free(p.binary[i].data);
    free(p.model_c);
    free(p.tapes);
    free(p.table_c);
    free(path);
    arena_free(&p.arena);
    settings_free(&set);
    return status;
}
