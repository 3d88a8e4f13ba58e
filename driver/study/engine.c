/* SPDX-License-Identifier: GPL-3.0-or-later
 * The module that speaks MPI: beside the program, as in the tree that it was built in, or where it was installed. */
#define _GNU_SOURCE     /* memrchr */
#include "config.h"
#include "study/engine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int engine_ranks(void)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    if (!size)
        size = getenv("PMI_SIZE");
    if (!size && getenv("PMIX_RANK"))
        size = getenv("SLURM_STEP_NUM_TASKS");
    int n = size ? atoi(size) : 1;
    return n > 1 ? n : 1;
}

const struct engine *engine_open(char why[512])
{
    char path[4096 + sizeof ENGINE_MODULE];
    ssize_t n = readlink("/proc/self/exe", path, 4096);
    char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
    void *module = NULL;
    if (slash) {
        strcpy(slash + 1, ENGINE_MODULE);
        module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    if (!module)
        module = dlopen(MBS_LIBDIR "/" ENGINE_MODULE, RTLD_NOW | RTLD_GLOBAL);
    if (!module) {
        snprintf(why, 512, "%d processes were started beside each other, but this build of mbs has no MPI (%.200s); --shard auto makes a part of the study in each",
                 engine_ranks(), dlerror());
        return NULL;
    }
    const struct engine *(*entry)(void);
    *(void **)&entry = dlsym(module, ENGINE_ENTRY);
    const struct engine *e = entry ? entry() : NULL;
    if (!e)
        snprintf(why, 512, "MPI does not start");
    return e;
}
