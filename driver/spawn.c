/* SPDX-License-Identifier: GPL-3.0-or-later
 * Programs and files outside: running one without a shell, reading one. */
#include "config.h"
#include "build.h"
#include "interrupt.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What would change the meaning of C that is compiled, or write files of its own: out of the environment.  Temporary
 * files go to the directory of the log, which is removed. */
static bool is_meddling(const char *entry)
{
    static const char *const names[] = {
        "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH",
        "GCC_COMPARE_DEBUG", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "CCC_OVERRIDE_OPTIONS", "CCC_ADD_ARGS", "LD_RUN_PATH",
        "LDEMULATION", "COLLECT_GCC_OPTIONS", "COLLECT_NO_DEMANGLE", "TMPDIR", "TMP", "TEMP",
    };
    size_t n = strcspn(entry, "=");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && !strncmp(entry, names[i], n))
            return true;
    return false;
}

static void environment_free(char **list)
{
    free(list ? list[0] : NULL);
    free(list);
}

static char **compiler_environment(const char *log)
{
    int n = 0;
    while (environ[n])
        n++;
    char **list = calloc((size_t)n + 2, sizeof *list), *slash = log ? strrchr(log, '/') : NULL;
    if (!list || asprintf(&list[0], "TMPDIR=%.*s", slash ? (int)(slash - log) : 4, slash ? log : "/tmp") < 0) {
        free(list);
        return NULL;
    }
    for (int i = 0, k = 1; i < n; i++)
        if (!is_meddling(environ[i]))
            list[k++] = environ[i];
    return list;
}

/* Its exit status, or 128 + signal; it gets the signal that we get. */
static int await(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
        if (*interrupt_flag())
            kill(pid, SIGTERM);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int build_spawn(const char *const *argv, const char *log)
{
    posix_spawn_file_actions_t files;
    pid_t pid;
    int code;
    if ((code = posix_spawn_file_actions_init(&files)) != 0)
        return errno = code, -1;
    code = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (log && !code)
        code = posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (log && !code)
        code = posix_spawn_file_actions_adddup2(&files, 1, 2);
    interrupt_hold();
    char **clean = compiler_environment(log);
    if (!code)
        code = clean ? posix_spawnp(&pid, argv[0], &files, NULL, (char *const *)argv, clean) : ENOMEM;
    posix_spawn_file_actions_destroy(&files);
    environment_free(clean);
    int status = code ? -1 : await(pid);
    interrupt_release();
    if (code)
        errno = code;
    return status;
}

/* A file, or what the user handed over as a descriptor; a pipe or a device of another name could keep us for ever. */
static FILE *open_regular(const char *path)
{
    struct stat st;
    bool handed = !strcmp(path, "/dev/stdin") || !strncmp(path, "/dev/fd/", 8);
    int fd = open(path, O_RDONLY | O_CLOEXEC | (handed ? 0 : O_NONBLOCK));
    if (fd >= 0 && !handed && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
        close(fd);
        return errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL, NULL;
    }
    return fd < 0 ? NULL : fdopen(fd, "rb");
}

const char *file_why(void)
{
    return errno == EINVAL ? "it is no regular file" : errno == EFBIG ? "it is too large" : strerror(errno);
}

char *file_read_most(const char *path, size_t *length, size_t most)
{
    FILE *f = open_regular(path);
    char *text = NULL;
    size_t n = 0, cap = 0, got;
    if (!f)
        return NULL;
    do {
        if (cap - n < 4096) {
            char *more = realloc(text, cap = cap ? 2 * cap : 65536);
            if (!more) {
                free(text);
                fclose(f);
                return errno = ENOMEM, NULL;
            }
            text = more;
        }
        got = fread(text + n, 1, cap - n - 1, f);
        n += got;
    } while (got && n <= most);
    if (ferror(f) || n > most) {
        int code = n > most ? EFBIG : errno;
        free(text);
        fclose(f);
        return errno = code, NULL;
    }
    fclose(f);
    text[n] = 0;
    if (length)
        *length = n;
    return text;
}

char *file_read(const char *path, size_t *length) { return file_read_most(path, length, FILE_LARGEST); }
char *model_read(const char *path, size_t *length) { return file_read_most(path, length, SOURCE_LARGEST); }

const char *build_compiler(void)
{
    const char *cc = getenv("CC");
    return cc && *cc ? cc : MBS_CC;
}

void *build_load(const char *const *arguments, char **log)
{
    const char *dir = getenv("TMPDIR");
    char name[4096], object[4200], text[4200];
    const char *argv[64];
    int n = 0;
    void *handle = NULL;
    *log = NULL;
    snprintf(name, sizeof name, "%s/mbs-load.XXXXXX", dir && *dir ? dir : "/tmp");
    if (!mkdtemp(name))
        return NULL;
    snprintf(object, sizeof object, "%s/code.so", name);
    snprintf(text, sizeof text, "%s/log", name);
    for (int i = 0; arguments[i] && n < 58; i++)        /* first the compiler, which may be several words */
        argv[n++] = arguments[i];
    argv[n++] = "-shared";
    argv[n++] = "-fPIC";
    argv[n++] = "-o";
    argv[n++] = object;
    argv[n] = NULL;
    int status = build_spawn(argv, text);
    if (status == 0 && !(handle = dlopen(object, RTLD_NOW | RTLD_LOCAL)))
        *log = strdup(dlerror());
    if (status != 0) {
        int code = errno;
        *log = status < 0 ? NULL : file_read(text, NULL);
        if (status < 0 && (*log = malloc(4300)))
            snprintf(*log, 4300, "%s: %s", argv[0], strerror(code));
    }
    unlink(object);
    unlink(text);
    rmdir(name);
    return handle;
}
