/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The binaries of an FMU: the model with the Jacobian of its outputs as C, tables about it, and the core of the runtime, which the
 * program carries as text.  For this machine the compiled core is taken, if it lies where it was built or installed. */
#include "config.h"
#include "fmu.h"
#include "cc.h"
#include "compile.h"
#include "mbs/mbs.h"
#include "params.h"
#include "sha256.h"
#include "base/out.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONG_MODEL = 100000 };

/* ---- C text ---- */

/* Behind the outputs their derivatives by everything; drawings are not needed. */
static void add_jacobian(struct model *m, void *user)
{
    struct fmu_parts *p = user;
    m->shape.n = m->point.n = 0;
    output_jacobian_add(&p->jacobian, m, &p->arena);
    p->coords = m->coord.n;
    p->motion = ARENA_NEW(&p->arena, struct fmu_motion, p->jacobian.outputs + 1);
    for (int i = 0; i < p->jacobian.outputs; i++) {
        Expr value = m->output.at[i].value;
        const struct symbol *s = expr_op(m->pool, value) == EXPR_SYM ? expr_symbol(m->pool, value) : NULL;
        if (s && (s->kind == SYM_Q || s->kind == SYM_V))
            p->motion[i] = (struct fmu_motion){s->kind == SYM_Q ? 'q' : 'v', s->index};
    }
}

/* The methods that an FMU may carry. */
static const char *const methods[] = {"dop853", "dopri5", "radau", "radau5", "genalpha", "hht", "halfexplicit", "rattle", "moreau", "nsalpha"};
enum { METHODS = sizeof methods / sizeof *methods };

static int method_named(const char *name)
{
    for (int i = 0; name && i < METHODS; i++)
        if (!strcmp(methods[i], name))
            return i;
    return -1;
}

/* The model's own method, or what "auto" is for it; that may leave an explicit one for radau when the motion becomes stiff, which a long
 * model does without. */
static bool carries(const struct fmu_parts *p, int method)
{
    const char *name = methods[method];
    if (p->method >= 0)
        return method == p->method;
    if (p->stiff)
        return !strcmp(name, "radau");
    if (p->bodies_touch)
        return !strcmp(name, "moreau");
    return !strcmp(name, "dop853") || !strcmp(name, "dopri5") || (!strcmp(name, "radau") && !p->contacts && !p->is_long);
}

/* Values of --set by the index of the parameter; false: said why. */
static bool set_values(struct fmu_parts *p, const struct model *m, double *value, unsigned char *given)
{
    const struct list *set = &p->settings->set;
    struct mbs_name *names = ARENA_NEW(&p->arena, struct mbs_name, m->param.n + 1);
    for (int i = 0; i < m->param.n; i++)
        names[i] = (struct mbs_name){m->param.at[i].name, m->param.at[i].unit, 0};
    const struct mbs_model listed = {.np = m->param.n, .param = names};
    char why[512];
    if (p->settings->params && !params_read(p->settings->params, &listed, value, given, why, sizeof why)) {
        complain(p->manual, "%s", why);
        return false;
    }
    for (int i = 0; i < set->n; i++) {
        const char *eq = strchr(set->at[i], '=');
        double x;
        if (!eq || !number_read(eq + 1, &x)) {
            complain(p->manual, "--set needs NAME=NUMBER, not '%s'", set->at[i]);
            return false;
        }
        int k = session_find(p->manual, "parameter", set->at[i], (size_t)(eq - set->at[i]), names, m->param.n);
        if (k < 0)
            return false;
        value[k] = x;
        given[k] = 1;
    }
    return true;
}

static bool write_tables(struct fmu_parts *p, const struct model *m)
{
    size_t size;
    double *value = ARENA_NEW(&p->arena, double, m->param.n + 1);
    unsigned char *given = ARENA_NEW(&p->arena, unsigned char, m->param.n + 1);
    if (!set_values(p, m, value, given))
        return false;
    p->params = m->param.n;
    p->contacts = m->contact.n > 0;
    p->events = m->event.n > 0 || p->contacts;
    for (int i = 0; i < m->contact.n; i++)
        p->bodies_touch = p->bodies_touch || m->contact.at[i].kind == CONTACT_BODY;
    p->follows = ARENA_NEW(&p->arena, unsigned char, m->param.n + 1);
    for (int i = 0; i < m->param.n; i++)
        p->follows[i] = !given[i] && expr_deps(m->pool, m->param.at[i].value) & DEP(SYM_PARAM);
    FILE *f = stream_open(&p->table_c, &size);
    if (!f)
        return complain(p->manual, "out of memory"), false;
    fprintf(f, "/* SPDX-License-Identifier: 0BSD\n * What the interface knows of the model. */\n%s#define CORE 0\n#include \"core.inc\"\n\n"
               "extern const struct mbs_model %s_model;\nconst struct mbs_model *const fmu_model = &%s_model;\nconst int fmu_outputs = %d, fmu_entries = %d;\n"
               "const char fmu_token[] = \"%s\";\nconst char fmu_method[] = \"%s\";\nconst struct fmu_entry fmu_entry[] = {\n", p->contacts ? "#define FMU_EVENTS\n#define FMU_CONTACTS\n" : p->events ? "#define FMU_EVENTS\n" : "", p->name, p->name, p->jacobian.outputs, p->jacobian.entries, p->token, p->stiff ? "radau" : "");
    for (int k = 0; k < p->jacobian.entries; k++) {
        const struct output_entry *e = &p->jacobian.entry[k];
        fprintf(f, "\t{%d, '%c', %d},\n", e->output, e->by, e->index);
    }
    fprintf(f, "\t{0, 0, 0}\n};\nconst double fmu_params[] = {");
    for (int i = 0; i < m->param.n; i++)
        fprintf(f, "%s%.17g", i ? ", " : "", value[i]);
    fprintf(f, "%s};\nconst unsigned char fmu_given[] = {", m->param.n ? "" : "0");
    for (int i = 0; i < m->param.n; i++)
        fprintf(f, "%s%d", i ? ", " : "", given[i]);
    fprintf(f, "%s};\n\n", m->param.n ? "" : "0");
    for (int i = 0, n = 0; i < METHODS; i++)
        if (carries(p, i))
            p->carried[n++] = methods[i];
    for (int i = 0; p->carried[i]; i++)
        fprintf(f, "extern const struct mbs_method mbs_method_%s;\n", p->carried[i]);
    fputs("const struct mbs_method *const mbs_methods[] = {\n", f);
    for (int i = 0; p->carried[i]; i++)
        fprintf(f, "\t&mbs_method_%s,\n", p->carried[i]);
    fputs("\tNULL\n};\n", f);
    return stream_close(f) || (complain(p->manual, "out of memory"), false);
}

/* {8-4-4-4-12} of a hash of all that the binary is made of. */
static void make_token(struct fmu_parts *p)
{
    struct sha256 h;
    char x[65];
    sha256_init(&h);
    sha256_text(&h, PACKAGE_VERSION);
    sha256_text(&h, p->model_c);
    for (int i = 0; i < p->settings->set.n; i++)
        sha256_text(&h, p->settings->set.at[i]);
    char *file = p->settings->params ? file_read(p->settings->params, NULL) : NULL;
    sha256_text(&h, file ? file : "");
    free(file);
    fmu_hash_core(&h);
    sha256_hex(&h, x);
    snprintf(p->token, sizeof p->token, "{%.8s-%.4s-%.4s-%.4s-%.12s}", x, x + 8, x + 12, x + 16, x + 20);
}

/* The model as tapes: no code of it may run before the C compiler has done its work. */
static void make_tapes(struct fmu_parts *p)
{
    const struct settings *set = p->settings;
    struct compile_options o = {.front = {.define = set->define.at, .defines = set->define.n, .include = set->include.at, .includes = set->include.n}, .tapes = true};
    struct compile *c = compile_file(set->files.at[0], &o, COMPILE_TEXT);
    if (c->good) {
        const char *text = compile_text(c, &p->tapes_length);
        p->tapes = memcpy(mem_grow(NULL, p->tapes_length + 1, 1), text, p->tapes_length);
    }
    if (!c->ast && !c->no_memory)       /* it was read before: not a word of the model is at fault */
        complain(p->manual, "%s could not be read again; the FMU does not list what depends on what", set->files.at[0]);
    bool ended = c->no_memory;
    compile_free(c);
    if (ended)
        mem_ended();
}

/* What "auto" makes of the model.  An FMU has no eigenvalues to find out. */
static bool starts_stiff(const struct fmu_parts *p)
{
    const struct mbs_model *m = NULL;
    struct mbs_options opt;
    struct mbs_sim *sim;
    bool stiff = false;
    int status = p->tapes ? mbs_interpret(&m, p->tapes, p->tapes_length, NULL) : MBS_OK;
    if (m) {
        mbs_options_init(&opt, m);
        if ((status = mbs_new(&sim, m, NULL, &opt, NULL)) == MBS_OK) {
            stiff = !strcmp(mbs_method(sim), "radau");
            mbs_free(sim);
        }
        mbs_interpret_free(m);
    }
    if (status == MBS_NO_MEMORY)
        mem_ended();
    return stiff;
}

/* Takes the comments out of generated C, but for the first, which has the licence. */
static void drop_comments(char *text)
{
    char *to = strstr(text, "*/"), *from = to;
    bool quoted = false;
    while (from && *from) {
        if (*from == '"' && from[-1] != '\\')
            quoted = !quoted;
        const char *end = !quoted && from[0] == '/' && from[1] == '*' ? strstr(from + 2, "*/") : NULL;
        if (end)
            from = text + (end + 2 - text);
        else
            *to++ = *from++;
    }
    if (to)
        *to = 0;
}

bool fmu_generate(struct fmu_parts *p)
{
    const struct settings *set = p->settings;
    struct compile_options o = {.front = settings_front(set), .solver = true, .extend = add_jacobian, .user = p};
    if (!way_given(set->way, &o.way))
        return false;
    struct compile *c = compile_file(set->files.at[0], &o, COMPILE_TEXT);
    size_t length = 0;
    if (c->good && (compile_text(c, &length), length > LONG_MODEL)) {
        /* the core solves as well, by less code */
        compile_free(c);
        p->is_long = true;
        o.solver = false;
        c = compile_file(set->files.at[0], &o, COMPILE_TEXT);
    }
    fputs(compile_messages(c), stderr);
    bool good = c->good;
    if (good && c->model->ext.n && !set->with.n) {
        complain(p->manual, "%s calls the C function '%s': give its code with --with FILE.c", set->files.at[0], c->model->ext.at[0]->name);
        good = false;
    }
    if (good) {
        p->name = arena_printf(&p->arena, "%s", c->model->name);
        const char *text = compile_text(c, NULL);
        p->model_c = strcpy(mem_grow(NULL, strlen(text) + 1, 1), text);
        if (p->is_long)
            drop_comments(p->model_c);
        make_token(p);
        const char *solver = c->model->experiment.solver;
        p->method = method_named(solver);
        if (solver && strcmp(solver, "auto") && p->method < 0 && !set->quiet)
            complain(p->manual, "note: the solver %s is not carried by FMUs; Co-Simulation chooses one itself", solver);
        if (!c->model->ext.n)
            make_tapes(p);
        p->stiff = (!solver || !strcmp(solver, "auto") || p->method < 0) && starts_stiff(p);
        good = write_tables(p, c->model);
    }
    compile_free(c);
    return good;
}

/* ---- files ---- */

static bool put_below(void *work, const char *name, const char *text, size_t size)
{
    char path[PATH_ROOM + 300];
    const char *slash = strchr(name, '/');
    if (slash) {
        snprintf(path, sizeof path, "%s/%.*s", (const char *)work, (int)(slash - name), name);
        mkdir(path, 0700);
    }
    return build_write(work, name, text, size, true);
}

/* All sources below `work`. */
static bool unpack(struct fmu_parts *p, char *work)
{
    static const char exports[] = "{ global: fmi2*; fmi3*; local: *; };\n";
    return fmu_write_sources(p, put_below, work) && build_write(work, "exports", exports, sizeof exports - 1, true);
}

static void remove_all(const char *path)
{
    DIR *d = opendir(path);
    char file[PATH_ROOM + 600];
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(file, sizeof file, "%.4400s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && unlink(file) != 0)
            remove_all(file);
    }
    if (d)
        closedir(d);
    rmdir(path);
}

/* ---- binaries ---- */

struct target {
    const char *name, *zig, *fmi2, *fmi3, *end;
};
static const struct target targets[] = {
    {"linux64", "x86_64-linux-gnu.2.17", "linux64", "x86_64-linux", "so"},
    {"linux-arm64", "aarch64-linux-gnu.2.17", "aarch64-linux", "aarch64-linux", "so"},
    {"win64", "x86_64-windows-gnu", "win64", "x86_64-windows", "dll"},
    {"mac64", "x86_64-macos", "darwin64", "x86_64-darwin", "dylib"},
    {"mac-arm64", "aarch64-macos", "aarch64-darwin", "aarch64-darwin", "dylib"},
};

static const struct target *host(void)
{
#if defined __x86_64__
    return &targets[0];
#elif defined __aarch64__
    return &targets[1];
#else
    return NULL;
#endif
}

/* The compiled core beside the program or where it was installed; NULL: none. */
static const char *core_archive(struct arena *arena)
{
    char self[PATH_ROOM];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = 0;
        *strrchr(self, '/') = 0;
        const char *beside = arena_printf(arena, "%s/libmbscore.a", self), *lib = arena_printf(arena, "%s/../lib/mbs/libmbscore.a", self);
        if (access(beside, R_OK) == 0)
            return beside;
        if (access(lib, R_OK) == 0)
            return lib;
    }
    return access(MBS_LIBDIR "/libmbscore.a", R_OK) == 0 ? MBS_LIBDIR "/libmbscore.a" : NULL;
}

struct command_line {
    const char *at[128];
    int n;
};
static void word(struct command_line *w, const char *text)
{
    if (w->n < (int)(sizeof w->at / sizeof *w->at) - 1)
        w->at[w->n++] = text;
    w->at[w->n] = NULL;
}
static void words(struct command_line *w, struct arena *arena, const char *text)
{
    for (const char *s = text; *(s += strspn(s, " \t"));) {
        size_t n = strcspn(s, " \t");
        word(w, arena_strndup(arena, s, n));
        s += n;
    }
}

static bool compile_for(struct fmu_parts *p, const char *work, const struct target *t, bool zig)
{
    struct command_line w = {.n = 0};
    const char *archive = zig ? NULL : core_archive(&p->arena), *log = arena_printf(&p->arena, "%s/log", work);
    const char *object = arena_printf(&p->arena, "%s/binary.%s", work, t->end);
    if (zig) {
        words(&w, &p->arena, "python3 -m ziglang cc -target");
        word(&w, t->zig);
    } else {
        words(&w, &p->arena, build_compiler());
    }
    /* long models for size: the file has a limit, and what is as long as this is no faster by -O2 */
    words(&w, &p->arena, p->is_long ? "-Os -fno-schedule-insns2 -fira-algorithm=priority" : "-O2");
    words(&w, &p->arena, "-std=gnu11 -shared -fvisibility=hidden -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -DMBS_HIDDEN -w -s");
    if (strcmp(t->end, "dll"))
        word(&w, "-fPIC");
    words(&w, &p->arena, !strcmp(t->end, "so") ? "-Wl,--gc-sections -Wl,-z,defs -Wl,-Bsymbolic -Wl,--build-id=none" : "");
    if (!strcmp(t->end, "so")) {
        word(&w, "-Xlinker");
        word(&w, arena_printf(&p->arena, "--version-script=%s/exports", work));
    }
    word(&w, arena_printf(&p->arena, "-I%s", work));
    word(&w, "-o");
    word(&w, object);
    for (int k = 0; fmu_source(p, k); k++) {
        int with = k - FMU_OWN_SOURCES;
        if (with >= 0 && with < p->settings->with.n)        /* where it is: it may include what lies beside it */
            word(&w, arena_printf(&p->arena, *p->settings->with.at[with] == '-' || *p->settings->with.at[with] == '@' ? "./%s" : "%s", p->settings->with.at[with]));
        else if (with < 0 || !archive)
            word(&w, arena_printf(&p->arena, "%s/%s", work, fmu_source(p, k)));
    }
    if (archive)
        word(&w, archive);
    word(&w, "-lm");
    int status = build_spawn(w.at, log);
    if (status) {
        char *text = file_read(log, NULL);
        complain(p->manual, zig ? "ziglang cannot compile for %s (pip install ziglang):\n%s" : "the C compiler cannot compile the FMU for %s:\n%s", t->name,
                 text && *text ? text : strerror(errno));
        free(text);
        return false;
    }
    struct fmu_binary *b = &p->binary[p->binaries++];
    b->target = t->name;
    b->path = arena_printf(&p->arena, "binaries/%s/%s.%s", p->version == 2 ? t->fmi2 : t->fmi3, p->name, t->end);
    b->data = file_read(object, &b->size);
    if (!b->data)
        complain(p->manual, "cannot read %s: %s", object, file_why());
    return b->data != NULL;
}

static bool compile_others(struct fmu_parts *p, const char *work)
{
    for (const char *s = p->settings->targets; s && *s;) {
        size_t n = strcspn(s, ",");
        const struct target *t = NULL;
        for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
            if (strlen(targets[i].name) == n && !strncmp(targets[i].name, s, n))
                t = &targets[i];
        if (!t) {
            complain(p->manual, "there is no target '%.*s': linux64, linux-arm64, win64, mac64 and mac-arm64 are known", (int)n, s);
            return false;
        }
        if (t != host() && !compile_for(p, work, t, true))
            return false;
        s += n + (s[n] == ',');
    }
    return true;
}

bool fmu_compile(struct fmu_parts *p)
{
    char work[PATH_ROOM];
    const char *tmp = getenv("TMPDIR");
    snprintf(work, sizeof work, "%.4000s/mbs-fmu.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!host()) {
        complain(p->manual, "FMUs are known for x86-64 and arm64 only");
        return false;
    }
    if (!mkdtemp(work)) {
        complain(p->manual, "cannot create %s: %s", work, strerror(errno));
        return false;
    }
    bool good = unpack(p, work) || (complain(p->manual, "cannot write the sources to %s: %s", work, strerror(errno)), false);
    good = good && compile_for(p, work, host(), false) && compile_others(p, work);
    remove_all(work);
    return good;
}
