/* SPDX-License-Identifier: GPL-3.0-or-later
 * study/engine.h by MPI.  One thread of a process calls it. */
#include "study/engine.h"

#include <mpi.h>
#include <stdlib.h>
#include <time.h>

const struct engine *mbs_engine(void);

enum { POSTED = 512 };
static MPI_Request posted[POSTED];
static int count;

static void engine_sent(void)
{
    int done;
    while (count > 0 && MPI_Testall(count, posted, &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !done)       /* MPI_Waitall would keep a processor busy until all is received */
        nanosleep(&(struct timespec){0, 500000}, NULL);
    count = 0;
}

static void engine_post(int to, const void *data, size_t bytes)
{
    if (count == POSTED)
        engine_sent();
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD, &posted[count++]);
}

static void engine_send(int to, const void *data, size_t bytes)
{
    engine_post(to, data, bytes);
    engine_sent();
}

static long engine_arrived(int *from)
{
    MPI_Status s;
    int there, bytes;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &s);
    if (!there)
        return -1;
    MPI_Get_count(&s, MPI_BYTE, &bytes);
    *from = s.MPI_SOURCE;
    return bytes;
}

static void engine_receive(int from, void *to, size_t bytes)
{
    MPI_Recv(to, (int)bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static bool engine_agree(bool mine)
{
    int in = mine, all = 0;
    MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

static void engine_wait(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void engine_close(void)
{
    MPI_Finalize();
}

static void engine_abort(void)
{
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* All connections that will be needed are made now: a process that has loaded a model opens no others (driver/contain.c), nor does it read the memory
 * of its neighbours, which Open MPI would do for long messages. */
const struct engine *mbs_engine(void)
{
    static struct engine e = {.post = engine_post, .sent = engine_sent, .arrived = engine_arrived, .receive = engine_receive, .agree = engine_agree, .wait = engine_wait,
                              .close = engine_close, .abort = engine_abort};
    int given;
    char byte = 0;
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    setenv("OMPI_MCA_btl_sm_use_cma", "0", 0);
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS || given < MPI_THREAD_FUNNELED)
        return NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &e.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &e.ranks);
    for (int i = 1; i < e.ranks; i++) {
        if (e.rank == 0)
            engine_receive(i, &byte, 1), engine_send(i, &byte, 1);
        else if (e.rank == i)
            engine_send(0, &byte, 1), engine_receive(0, &byte, 1);
    }
    engine_agree(true);
    engine_wait();
    return &e;
}
