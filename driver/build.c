/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a model file to a loaded model, through a cache.
 *
 * An entry is two files: KEY.so and KEY.dep.  KEY hashes the program itself, the C compiler, the options, the
 * place and the text of the model; KEY.dep lists the names of files that the model asks for with the hashes of what
 * was read (also that nothing was there, and a later directory gave the file) and that of the shared object, so that an
 * entry which does not fit to the last byte is not used but made anew.  Both are written under another name in the same
 * directory and renamed, the list last: several runs at once may all build, and each result is whole.  What was built is
 * loaded before it is filed, and what is taken from the cache is looked at again when it is loaded: whatever others
 * remove, replace or clean meanwhile, a run gets its own code.  A cache never makes a run fail: where it cannot be
 * written, vanishes or has a full disk the build happens in the directory for temporary files and nothing is kept. */
#include "config.h"
#include "build.h"
#include "cc.h"
#include "interrupt.h"
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

/* What a model includes is looked for beside the name that it was given, which may be a link to a file elsewhere. */
static void hash_place(struct sha256 *h, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *dir = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup("."), *real = dir ? realpath(dir, NULL) : NULL;
    sha256_text(h, real ? real : "");
    sha256_text(h, slash ? slash + 1 : path);
    free(real);
    free(dir);
}

/* The name of the file that cannot be read (errno says why), or NULL. */
static const char *make_key(char key[65], const char *path, const struct build_options *o)
{
    size_t length;
    char *text = model_read(path, &length);
    if (!text)
        return path;
    struct sha256 h;
    struct stat st;
    char number[128];
    sha256_init(&h);
    sha256_text(&h, PACKAGE_VERSION);
    /* the program itself: another build of the same version may write other code */
    if (stat("/proc/self/exe", &st) == 0) {
        snprintf(number, sizeof number, "%lld %lld %ld", (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
        sha256_text(&h, number);
    }
    sha256_text(&h, build_compiler());
    hash_place(&h, path);
    sha256_add(&h, text, length);
    free(text);
    sha256_text(&h, o->optimize ? o->optimize : "");
    hash_words(&h, "define", o->front.define, o->front.defines);
    sha256_text(&h, "include");
    for (int i = 0; i < o->front.includes; i++) {
        char *real = realpath(o->front.include[i], NULL);       /* which is another one in another directory */
        sha256_text(&h, real ? real : "");
        sha256_text(&h, o->front.include[i]);
        free(real);
    }
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
        if (!code)
            return o->with[i];
        sha256_text(&h, o->with[i]);
        sha256_add(&h, code, n);
        free(code);
    }
    sha256_hex(&h, key);
    return NULL;
}

static void hash_bytes(const char *text, size_t n, char hex[65])
{
    struct sha256 h;
    sha256_init(&h);
    sha256_add(&h, text, n);
    sha256_hex(&h, hex);
}

static bool hash_file(const char *path, char hex[65])
{
    size_t n;
    char *text = file_read(path, &n);
    if (!text)
        return false;
    hash_bytes(text, n, hex);
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
    if (*cache && !make_directories(cache)) {
        if (!quiet)
            build_say("note: the cache %s cannot be written (%s); nothing will be kept for the next run", cache, strerror(errno));
        *cache = 0;
    } else if (*cache && !is_trusted(cache, why, sizeof why)) {
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
    struct stat st, now;
    sweep(dir, stem);
    for (int i = 0; i < 100; i++) {
        snprintf(p->work, sizeof p->work, "%.4000s/%s.XXXXXX", dir, stem);
        if (!mkdtemp(p->work))
            return false;
        p->lock = open(p->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        /* between the two calls another one may have taken it for a remnant: it holds the lock, or has removed it (a file system without locks has neither) */
        if (p->lock >= 0 && (flock(p->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && fstat(p->lock, &st) == 0 && stat(p->work, &now) == 0
            && st.st_ino == now.st_ino && st.st_dev == now.st_dev)
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

static bool object_open(struct build *b, const char *object, const char *symbol)
{
    *b = (struct build){.handle = dlopen(object, RTLD_NOW | RTLD_LOCAL)};
    if (b->handle)
        b->model = dlsym(b->handle, symbol);
    if (b->model && b->model->abi == MBS_ABI)
        return true;
    if (b->handle)
        dlclose(b->handle);
    *b = (struct build){0};
    return false;
}

bool build_open(struct build *b, const char *object, const char *symbol, const char *path)
{
    if (object_open(b, object, symbol))
        return true;
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    const struct mbs_model *m = handle ? dlsym(handle, symbol) : NULL;
    if (!handle)
        build_say("cannot load the compiled model: %s", dlerror());
    else if (m)
        build_say("%s was generated for another version of mbs (interface %d, this one is %d)", path, m->abi, MBS_ABI);
    else
        build_say("%s defines no model: there is no '%s' in it", path, symbol);
    if (handle)
        dlclose(handle);
    return false;
}

/* Reads KEY.dep; true if every file it names is unchanged, and none has come where there was none.  The object's hash. */
static bool entry_valid(const struct workshop *p, char symbol[256], char object[65])
{
    char path[PATH_ROOM + 80], so[PATH_ROOM + 80], hex[65], found[65], name[PATH_ROOM];
    *object = 0;
    bool whole = false, good = true;
    snprintf(path, sizeof path, "%s/%s.dep", p->cache, p->key);
    snprintf(so, sizeof so, "%s/%s.so", p->cache, p->key);
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
            good = hash_file(so, object) && !strcmp(hex, object);
        else if (sscanf(line, "dep %64s %4095[^\n]", hex, name) == 2)
            good = !strcmp(hex, "-") ? access(name, R_OK) != 0 : hash_file(name, found) && !strcmp(hex, found);
        else
            good = false;
    }
    fclose(f);
    return good && whole && *object;
}

/* Takes the entry if it fits.  The file is held open: as long as its name leads to it, it is what was looked at and what was loaded. */
static bool entry_open(struct build *b, const struct workshop *p)
{
    char so[PATH_ROOM + 80], symbol[256] = "", hash[65];
    struct stat held, now;
    snprintf(so, sizeof so, "%s/%s.so", p->cache, p->key);
    int fd = open(so, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && fstat(fd, &held) == 0 && held.st_uid == geteuid() && !(held.st_mode & 022) && entry_valid(p, symbol, hash) && object_open(b, so, symbol);
    if (good && (stat(so, &now) != 0 || now.st_ino != held.st_ino || now.st_dev != held.st_dev)) {
        build_close(b);
        good = false;
    }
    if (good) {
        memcpy(b->hash, hash, sizeof b->hash);
        utimensat(-1, so, NULL, 0);
    }
    if (fd >= 0)
        close(fd);
    return b->cached = good;
}

/* ---- building ---- */

bool build_write(const char *dir, const char *name, const char *text, size_t length, bool tell)
{
    char path[PATH_ROOM + 64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(text, 1, length, f) == length;
    if (f && fclose(f) != 0)
        good = false;
    if (!good && tell)
        build_say("cannot write %s: %s", path, strerror(errno));
    return good;
}

static bool write_header(const char *work, bool tell)
{
    char path[PATH_ROOM + 64];
    snprintf(path, sizeof path, "%s/mbs", work);
    if (mkdir(path, 0700) != 0) {
        if (tell)
            build_say("cannot create %s: %s", path, strerror(errno));
        return false;
    }
    size_t n;
    char *text = generate_header(&n);
    bool good = text && build_write(work, "mbs/model.h", text, n, tell);
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
        good = !strchr(g->dep[i].path, '\n') && strlen(g->dep[i].path) < PATH_ROOM && strncmp(g->dep[i].path, "/dev/", 5);
        if (good)
            fprintf(f, "dep %s %s\n", g->dep[i].hash, g->dep[i].path);
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

/* A file of the user that was changed while the compiler read it: what was built is of no known text. */
static bool key_holds(const struct workshop *p, const char *path, const struct build_options *o)
{
    char key[65];
    return !make_key(key, path, o) && !strcmp(key, p->key);
}

/* Compiles in the directory of work and loads what came of it; then it is filed: from there others may remove or replace it. */
static bool build_here(struct build *b, const struct workshop *p, const struct generated *g, const char *path, const struct build_options *o, bool tell)
{
    char object[PATH_ROOM + 80];
    snprintf(object, sizeof object, "%s/model.so", p->work);
    if (!write_header(p->work, tell) || !build_write(p->work, "model.c", g->text, g->length, tell) || !cc_model(p->work, g, path, o, tell)
        || !(tell ? build_open(b, object, g->symbol, path) : object_open(b, object, g->symbol)))
        return false;
    if (!hash_file(object, b->hash)) {
        if (tell)
            build_say("cannot read %s: %s", object, file_why());
        build_close(b);
        return false;
    }
    if (*p->cache && !with_includes(o) && key_holds(p, path, o) && keep(p, g))
        prune(p->cache);
    return true;
}

/* What fails in the cache is tried elsewhere before it is called a fault: others clean it, its disk is full. */
static bool build_anew(struct build *b, struct workshop *p, const char *path, const struct build_options *o)
{
    struct generated g;
    if (!generate_c(&g, path, o))
        return false;
    bool good = externs_given(&g, path, o) && make_work(p, o->quiet), first = *p->cache;
    if (good) {
        good = build_here(b, p, &g, path, o, !first);
        leave_work(p);
        if (!good && first && !*interrupt_flag()) {
            *p->cache = 0;
            if ((good = make_work(p, o->quiet))) {
                good = build_here(b, p, &g, path, o, true);
                leave_work(p);
            }
            if (good && !o->quiet)
                build_say("note: nothing could be built in the cache (its disk is full, or it was cleaned); nothing was kept for the next run");
        }
    }
    generated_fini(&g);
    return good;
}

/* Models of the same directory whose name is like the one that is not there. */
static void say_unread(const char *path)
{
    const char *why = file_why(), *slash = strrchr(path, '/');
    struct arena arena = {0};
    struct suggestion near;
    size_t n = strlen(path);
    char *dir = errno != ENOENT ? NULL : slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup("./");
    DIR *d = dir ? opendir(dir) : NULL;
    suggest_init(&near, n > 4 && !strcmp(path + n - 4, ".mbs") ? path : arena_printf(&arena, "%s.mbs", path));
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t length = strlen(e->d_name);
        if (length > 4 && !strcmp(e->d_name + length - 4, ".mbs"))
            suggest_offer(&near, arena_printf(&arena, "%s%s", slash ? dir : "", e->d_name));
    }
    build_say("cannot read %s: %s%s", path, why, suggest_text(&near, &arena));
    if (d)
        closedir(d);
    free(dir);
    arena_free(&arena);
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
    hash_bytes(g.text, g.length, b->hash);
    generated_fini(&g);
    return good;
}

bool build_model(struct build *b, const char *path, const struct build_options *o)
{
    struct workshop p;
    *b = (struct build){0};
    if (o->interpret)
        return build_interpreted(b, path, o);
    const char *unread = make_key(p.key, path, o);
    if (unread) {
        say_unread(unread);
        return false;
    }
    find_cache(p.cache, o->quiet);
    return (*p.cache && entry_open(b, &p)) || build_anew(b, &p, path, o);
}

void build_close(struct build *b)
{
    if (b->handle)
        dlclose(b->handle);
    else
        mbs_interpret_free(b->model);
    *b = (struct build){0};
}
