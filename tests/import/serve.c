/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs import` for many files: reads lines "FILE<tab>RESULT<tab>MESSAGES" and answers each with the exit status (128 + the signal), the
 * processor time in seconds and the memory in kB of a child of its own, which costs a fork instead of a program. */
#include "config.h"
#include "commands.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int child(char *file, char *result, const char *messages)
{
    char command[] = "import", quiet[] = "-q", contacts[] = "--contacts", to[] = "-o", *argv[] = {command, quiet, contacts, file, to, result, NULL};
    struct rlimit five = {5, 5};
    int fd = open(messages, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    setrlimit(RLIMIT_CPU, &five);
    if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
        return 99;
    return cmd_import(6, argv);
}

int main(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        char *file = strtok(line, "\t\n"), *result = strtok(NULL, "\t\n"), *messages = strtok(NULL, "\t\n");
        struct rusage use;
        int status;
        if (!messages)
            return 2;
        pid_t pid = fork();
        if (pid == 0)
            exit(child(file, result, messages));
        if (pid < 0 || wait4(pid, &status, 0, &use) != pid)
            return 2;
        printf("%d %.6f %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
               (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + 1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec), use.ru_maxrss);
        fflush(stdout);
    }
    return 0;
}
