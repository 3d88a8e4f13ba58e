/* SPDX-License-Identifier: GPL-3.0-or-later
 * Runs a command and says what it took: "SECONDS MEGABYTES", processor time and largest memory, on file descriptor 3. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        close(3);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    int status = 1;
    struct rusage u;
    if (child < 0 || wait4(child, &status, 0, &u) < 0)
        return 1;
    FILE *f = fdopen(3, "w");
    if (f)
        fprintf(f, "%.3f %.0f\n", (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec),
                (double)u.ru_maxrss / 1024);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
