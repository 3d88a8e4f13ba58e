/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a model file to a loaded model, through a cache.
 *
 * An entry is two files: KEY.so and KEY.dep.  KEY hashes the program itself, the C compiler, the options, the
 * place and the text of the model; KEY.dep lists the files that the model reads with their hashes and that of
 * the shared object, so that an entry which does not fit to the last byte is not used but made anew.  Both are
 * written under another name in the same directory and renamed, the list last: two runs at once may both
 * build, and either result is whole.  Without a cache directory that can be written the build happens in the
 * directory for temporary files and nothing is kept. */
#include "config.h"
#include "build.h"
#include "cc.h"
#include "mbs/mbs.h"
#include "sha256.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CACHE_ENTRIES = 256 };

struct workshop {
    char cache[PATH_ROOM];              /* "" if there is none */
    char work[PATH_ROOM + 32];          /* private directory of this build */
    int lock;                           /* descriptor of it */
    char key[65];
};

void build_say(const char *fmt, ...)
{
    va_list ap;
    fputs("mbs: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    putc('\n', stderr);
}

/* ---- the key ---- */

static void hash_words(struct sha256 *h, const char *what, const char *const *word, int n)
{
    sha256_text(h, what);
    for (int i = 0; i < n; i++)
        sha256_text(h, word[i]);
}

static bool make_key(char key[65], const char *path, const char *text, size_t length, const struct build_options *o)
{
    struct sha256 h;
    struct stat st;
    char number[128], *real = realpath(path, NULL);
    sha256_init(&h);
    sha256_text(&h, PACKAGE_VERSION);
    /* the program itself: another build of the same version may write other code */
    if (stat("/proc/self/exe", &st) == 0) {
        snprintf(number, sizeof number, "%lld %lld %ld", (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
        sha256_text(&h, number);
    }
    sha256_text(&h, build_compiler());
    sha256_text(&h, real ? real : path);
    free(real);
    sha256_add(&h, text, length);
    sha256_text(&h, o->optimize ? o->optimize : "");
    hash_words(&h, "define", o->front.define, o->front.defines);
    hash_words(&h, "include", o->front.include, o->front.includes);
    if (o->front.reactions)
        hash_words(&h, "reactions", NULL, 0);
    if (o->front.handles)
        hash_words(&h, "handles", NULL, 0);
    hash_words(&h, "way", &o->way, o->way != NULL);
    hash_words(&h, "sensitivity", &o->sensitivity, o->sensitivity != NULL);
    snprintf(number, sizeof number, "batch %d %s", o->batch, cc_vectors(o->batch));
    sha256_text(&h, number);
    sha256_text(&h, "with");
    for (int i = 0; i < o->withs; i++) {
        size_t n;
        char *code = file_read(o->with[i], &n);
        if (!code) {
            build_say("cannot read %s: %s", o->with[i], file_why());
            return false;
        }
        sha256_text(&h, o->with[i]);
        sha256_add(&h, code, n);
        free(code);
    }
    sha256_hex(&h, key);
    return true;
}

static bool hash_file(const char *path, char hex[65])
{
    struct sha256 h;
    size_t n;
    char *text = file_read(path, &n);
    if (!text)
        return false;
    sha256_init(&h);
    sha256_add(&h, text, n);
    sha256_hex(&h, hex);
    free(text);
    return true;
}

/* ---- the cache directory ---- */

static bool make_directories(char *path)
{
    for (char *s = path + 1; *s; s++)
        if (*s == '/') {
            *s = 0;
            bool bad = mkdir(path, 0777) != 0 && errno != EEXIST;
            *s = '/';
            if (bad)
                return false;
        }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* Whoever can write to the cache can have us run their code.  As ssh does with its keys: the directory is ours and
 * nobody else writes to it; those above it are ours or root's and nobody else can rename what is in them. */
static bool is_private(const char *path, bool above, char *why, size_t size)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        snprintf(why, size, "%s", strerror(errno));
        return false;
    }
    bool own = st.st_uid == geteuid() || (above && st.st_uid == 0);
    bool open = st.st_mode & 022 && !(above && st.st_mode & S_ISVTX) && !(above && !(st.st_mode & 02) && st.st_gid == getegid());
    if (own && !open)
        return true;
    snprintf(why, size, own ? "others can write to %.300s" : "%.300s belongs to another user", path);
    return false;
}

static bool is_trusted(const char *cache, char *why, size_t size)
{
    char *real = realpath(cache, NULL);
    bool good = real != NULL;
    if (!good)
        snprintf(why, size, "%s", strerror(errno));
    for (bool above = false; good; above = true) {
        good = is_private(*real ? real : "/", above, why, size);
        char *slash = strrchr(real, '/');
        if (!slash)
            break;
        *slash = 0;
    }
    free(real);
    return good;
}

static void find_cache(char *cache, bool quiet)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char why[400];
    int n = 0;
    if (xdg && *xdg == '/')     /* a relative one is to be ignored, says the XDG specification */
        n = snprintf(cache, PATH_ROOM, "%s/mbs", xdg);
    else if (home && *home == '/')
        n = snprintf(cache, PATH_ROOM, "%s/.cache/mbs", home);
    else
        *cache = 0;
    if (n >= PATH_ROOM - 200)
        *cache = 0;
    if (*cache && make_directories(cache) && !is_trusted(cache, why, sizeof why)) {
        if (!quiet)
            build_say("note: the cache %s is not used, since %s; nothing will be kept for the next run", cache, why);
        *cache = 0;
    }
}

struct entry {
    char name[80];
    time_t used;
};
static int entry_order(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}
/* A directory of ours with all that is in it; what it contains has no directories but mbs/. */
static void remove_directory(const char *path)
{
    char file[PATH_ROOM + 400];
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || lstat(file, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode) && !strcmp(e->d_name, "mbs"))
            remove_directory(file);
        else
            unlink(file);
    }
    if (d)
        closedir(d);
    rmdir(path);
}

/* Removes what killed builds left: a living one holds a lock on its directory. */
static void sweep(const char *dir, const char *stem)
{
    DIR *d = opendir(dir);
    char path[PATH_ROOM + 300];
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (strncmp(e->d_name, stem, strlen(stem)))
            continue;
        int fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
            remove_directory(path);
        close(fd);
    }
    if (d)
        closedir(d);
}

/* Keeps the directory from growing for ever: beyond CACHE_ENTRIES the entries that were not used for the
 * longest time go. */
static void prune(const char *cache)
{
    DIR *d = opendir(cache);
    struct entry *list = calloc(CACHE_ENTRIES * 4, sizeof *list);
    int n = 0;
    char path[PATH_ROOM + 300];
    for (struct dirent *e; d && list && (e = readdir(d));) {
        struct stat st;
        size_t length = strlen(e->d_name);
        snprintf(path, sizeof path, "%s/%s", cache, e->d_name);
        if (stat(path, &st) != 0)
            continue;
        if (length == 67 && !strcmp(e->d_name + 64, ".so") && n < CACHE_ENTRIES * 4) {
            memcpy(list[n].name, e->d_name, 64);
            list[n++].used = st.st_mtime;
        }
    }
    if (n > CACHE_ENTRIES) {
        qsort(list, (size_t)n, sizeof *list, entry_order);
        for (int i = 0; i < n - CACHE_ENTRIES * 3 / 4; i++) {
            snprintf(path, sizeof path, "%s/%s.dep", cache, list[i].name);
            unlink(path);
            snprintf(path, sizeof path, "%s/%s.so", cache, list[i].name);
            unlink(path);
        }
    }
    free(list);
    if (d)
        closedir(d);
}

/* A new directory STEM.XXXXXX, locked while it is ours. */
static bool make_directory(struct workshop *p, const char *dir, const char *stem)
{
    struct stat st;
    sweep(dir, stem);
    for (int i = 0; i < 100; i++) {
        snprintf(p->work, sizeof p->work, "%.4000s/%s.XXXXXX", dir, stem);
        if (!mkdtemp(p->work))
            return false;
        p->lock = open(p->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        /* between the two calls another one may have taken it for a remnant */
        if (p->lock >= 0 && (flock(p->lock, LOCK_EX | LOCK_NB) != 0 || (fstat(p->lock, &st) == 0 && st.st_nlink > 0)))
            return true;
        if (p->lock >= 0)
            close(p->lock);
    }
    return false;
}

static void leave_work(struct workshop *p)
{
    remove_directory(p->work);
    close(p->lock);
}

/* A private directory to build in: beside the cache, so that a result can be renamed into it, or elsewhere. */
static bool make_work(struct workshop *p, bool quiet)
{
    const char *tmp = getenv("TMPDIR");
    if (*p->cache) {
        if (make_directory(p, p->cache, "build"))
            return true;
        if (!quiet)
            build_say("note: the cache %s cannot be written (%s); nothing will be kept for the next run", p->cache, strerror(errno));
        *p->cache = 0;
    }
    if (make_directory(p, tmp && *tmp ? tmp : "/tmp", "mbs-build"))
        return true;
    build_say("cannot create a directory to build in, %s: %s", p->work, strerror(errno));
    return false;
}

/* ---- loading ---- */

bool build_open(struct build *b, const char *object, const char *symbol, const char *path)
{
    *b = (struct build){0};
    b->handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!b->handle) {
        build_say("cannot load the compiled model: %s", dlerror());
        return false;
    }
    b->model = dlsym(b->handle, symbol);
    if (b->model && b->model->abi == MBS_ABI)
        return true;
    if (b->model)
        build_say("%s was generated for another version of mbs (interface %d, this one is %d)", path, b->model->abi, MBS_ABI);
    else
        build_say("%s defines no model: there is no '%s' in it", path, symbol);
    build_close(b);
    return false;
}

/* Reads KEY.dep; true if every file it names is unchanged. */
static bool entry_valid(const struct workshop *p, char symbol[256])
{
    char path[PATH_ROOM + 80], so[PATH_ROOM + 80], hex[65], found[65], name[PATH_ROOM];
    bool whole = false, good = true;
    snprintf(path, sizeof path, "%s/%s.dep", p->cache, p->key);
    snprintf(so, sizeof so, "%s/%s.so", p->cache, p->key);
    struct stat st;
    if (stat(so, &st) != 0 || st.st_uid != geteuid() || st.st_mode & 022)
        return false;
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    char line[PATH_ROOM + 128];
    while (good && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (!strcmp(line, "end"))
            whole = true;
        else if (sscanf(line, "model %255s", symbol) == 1)
            continue;
        else if (sscanf(line, "so %64s", hex) == 1)
            good = hash_file(so, found) && !strcmp(hex, found);
        else if (sscanf(line, "dep %64s %4095[^\n]", hex, name) == 2)
            good = hash_file(name, found) && !strcmp(hex, found);
        else
            good = false;
    }
    fclose(f);
    return good && whole;
}

/* ---- building ---- */

bool build_write(const char *dir, const char *name, const char *text, size_t length)
{
    char path[PATH_ROOM + 64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(text, 1, length, f) == length;
    if (f && fclose(f) != 0)
        good = false;
    if (!good)
        build_say("cannot write %s: %s", path, strerror(errno));
    return good;
}

static bool write_header(const char *work)
{
    char path[PATH_ROOM + 64];
    snprintf(path, sizeof path, "%s/mbs", work);
    if (mkdir(path, 0700) != 0) {
        build_say("cannot create %s: %s", path, strerror(errno));
        return false;
    }
    size_t n;
    char *text = generate_header(&n);
    bool good = text && build_write(work, "mbs/model.h", text, n);
    free(text);
    return good;
}

/* Moves the new entry into the cache; the object first, the list that vouches for it last. */
static bool keep(const struct workshop *p, const struct generated *g)
{
    char object[PATH_ROOM + 64], to[PATH_ROOM + 80], list[PATH_ROOM + 64], hex[65];
    snprintf(object, sizeof object, "%s/model.so", p->work);
    snprintf(list, sizeof list, "%s/model.dep", p->work);
    FILE *f = fopen(list, "w");
    if (!f || !hash_file(object, hex)) {
        if (f)
            fclose(f);
        return false;
    }
    fprintf(f, "model %s\nso %s\n", g->symbol, hex);
    bool good = true;
    for (int i = 0; i < g->deps && good; i++) {
        good = !strchr(g->dep[i], '\n') && hash_file(g->dep[i], hex);
        if (good)
            fprintf(f, "dep %s %s\n", hex, g->dep[i]);
    }
    fputs("end\n", f);
    if (fclose(f) != 0 || !good)
        return false;
    snprintf(to, sizeof to, "%s/%s.so", p->cache, p->key);
    if (chmod(object, 0700) != 0 || rename(object, to) != 0)
        return false;
    snprintf(to, sizeof to, "%s/%s.dep", p->cache, p->key);
    return rename(list, to) == 0;
}

/* A model file is not trusted: the code of its extern functions comes from the user or not at all. */
static bool externs_given(const struct generated *g, const char *path, const struct build_options *o)
{
    if (!g->externs || o->withs)
        return true;
    fprintf(stderr, "mbs: %s calls", path);
    for (int i = 0; i < g->externs; i++)
        fprintf(stderr, "%s '%s'", i == 0 ? g->externs > 1 ? " the C functions" : " the C function" : ",", g->ext[i]);
    fprintf(stderr, ": give %s code with --with FILE.c\n", g->externs > 1 ? "their" : "its");
    return false;
}

/* What a user's file includes from its own directory is not in the key: such a build is not kept. */
static bool with_includes(const struct build_options *o)
{
    bool any = false;
    for (int i = 0; i < o->withs && !any; i++) {
        char *text = file_read(o->with[i], NULL);
        for (const char *s = text; s && !any && (s = strchr(s, '#')); s++)
            any = !strncmp(s + 1 + strspn(s + 1, " \t"), "include", 7) && strcspn(s, "\"") < strcspn(s, "<\n");
        free(text);
    }
    return any;
}

static bool build_anew(struct build *b, struct workshop *p, const char *path, const struct build_options *o)
{
    struct generated g;
    char object[PATH_ROOM + 80];
    bool good = generate_c(&g, path, o);
    if (!good)
        return false;
    if (!externs_given(&g, path, o) || !make_work(p, o->quiet)) {
        generated_fini(&g);
        return false;
    }
    good = write_header(p->work) && build_write(p->work, "model.c", g.text, g.length) && cc_model(p->work, &g, path, o);
    if (good) {
        snprintf(object, sizeof object, "%s/model.so", p->work);
        if (*p->cache && !with_includes(o) && keep(p, &g)) {
            snprintf(object, sizeof object, "%s/%s.so", p->cache, p->key);
            prune(p->cache);
        }
        good = build_open(b, object, g.symbol, path);
    }
    leave_work(p);
    generated_fini(&g);
    return good;
}

static bool build_interpreted(struct build *b, const char *path, const struct build_options *o)
{
    struct generated g;
    struct mbs_message why;
    if (!generate_tapes(&g, path, o))
        return false;
    bool good = mbs_interpret(&b->model, g.text, g.length, &why) == MBS_OK;
    if (!good)
        build_say("cannot interpret %s: %s", path, why.text);
    generated_fini(&g);
    return good;
}

bool build_model(struct build *b, const char *path, const struct build_options *o)
{
    struct workshop p;
    char symbol[256] = "", object[PATH_ROOM + 80];
    size_t length;
    *b = (struct build){0};
    if (o->interpret)
        return build_interpreted(b, path, o);
    char *text = model_read(path, &length);
    if (!text) {
        build_say("cannot read %s: %s", path, file_why());
        return false;
    }
    bool good = make_key(p.key, path, text, length, o);
    free(text);
    if (!good)
        return false;
    find_cache(p.cache, o->quiet);
    if (*p.cache && entry_valid(&p, symbol)) {
        snprintf(object, sizeof object, "%s/%s.so", p.cache, p.key);
        utimensat(-1, object, NULL, 0);
        good = build_open(b, object, symbol, path);
        b->cached = good;
        return good;
    }
    return build_anew(b, &p, path, o);
}

void build_close(struct build *b)
{
    if (b->handle)
        dlclose(b->handle);
    else
        mbs_interpret_free(b->model);
    *b = (struct build){0};
}
