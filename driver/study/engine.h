/* SPDX-License-Identifier: GPL-3.0-or-later
 * Several processes at one study, started by mpirun or srun.  What speaks MPI is a module of its own (driver/mpi), loaded where such an engine has
 * started the process, so that no other command pays for it, and no build needs it.  Messages go between process 0 and the others only. */
#ifndef STUDY_ENGINE_H
#define STUDY_ENGINE_H
#include <stdbool.h>
#include <stddef.h>

struct engine {
    int rank, ranks;
    void (*post)(int to, const void *data, size_t bytes);       /* a message begins its way; the data stay as they are until */
    void (*sent)(void);                 /* all that were posted are on it */
    long (*arrived)(int *from);         /* bytes of a message that waits to be received, and whose it is; -1: none */
    void (*receive)(int from, void *to, size_t bytes);
    bool (*agree)(bool);                /* is it true of all? */
    void (*wait)(void);                 /* for all */
    void (*close)(void);
    void (*abort)(void);                /* all of them, at once */
};
/* How many processes an engine says that it has started beside each other; 1: none. */
int engine_ranks(void);
/* NULL: why */
const struct engine *engine_open(char why[512]);

#define ENGINE_ENTRY "mbs_engine"       /* of the module: const struct engine *(*)(void), NULL if MPI does not start */
#define ENGINE_MODULE "mbs-mpi.so"
#endif
