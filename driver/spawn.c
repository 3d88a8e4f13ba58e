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
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int build_spawn(const char *const *argv, const char *log)
{
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status, code;
    if ((code = posix_spawn_file_actions_init(&files)) != 0)
        return errno = code, -1;
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (log) {
        posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        posix_spawn_file_actions_adddup2(&files, 1, 2);
    }
    code = posix_spawnp(&pid, argv[0], &files, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (code)
        return errno = code, -1;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
        if (*interrupt_flag())
            kill(pid, SIGTERM);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

char *file_read(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
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
    } while (got);
    if (ferror(f)) {
        int code = errno;
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
    for (int i = 0; arguments[i] && n < 58; i++) {
        argv[n++] = arguments[i];
        if (i == 0) {
            argv[n++] = "-shared";
            argv[n++] = "-fPIC";
            argv[n++] = "-o";
            argv[n++] = object;
        }
    }
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
