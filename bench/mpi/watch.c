/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What passes between the processes of a sweep, seen from outside: loaded before the MPI library (LD_PRELOAD), it takes the calls that
 * driver/mpi/module.c makes, by the profiling interface of MPI.  At the end process 0 writes into the file $WATCH.0
 *
 *     SECONDS PROCESSOR LOOKS MESSAGES BYTES RECORDS TAKING GRANTS GRANTING
 *
 * from its first look for messages to the last one that came: time on the wall, processor time of the thread that serves the others; messages, what was in
 * them, and the processor time from having seen one to looking for the next; grants, and the processor time from sending one to looking for messages again.
 * Each other process writes into $WATCH.RANK, of the grants that it asked for,
 *
 *     COUNT MEDIAN NINETIETH MOST
 *
 * the time from sending the wish to having the grant. */
#define _POSIX_C_SOURCE 199309L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1 << 20 };
enum { NOTHING, TAKING, GRANTING, KINDS };
static FILE *out;
static int rank = -1, at, drained;      /* what process 0 is at since `since`; messages have come, and perhaps more */
static double asked, begun, last, processor_begun, processor_last, since, spent[KINDS], *trip;
static long trips, looks, messages, bytes, records, grants;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void turn_to(int what)
{
    if (at == what)
        return;
    double now = seconds(CLOCK_THREAD_CPUTIME_ID);
    spent[at] += now - since;
    since = now;
    at = what;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int status = PMPI_Init_thread(argc, argv, required, provided);
    const char *where = getenv("WATCH");
    char name[4096];
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    trip = malloc(MOST * sizeof *trip);
    snprintf(name, sizeof name, "%s.%d", where ? where : "watch", rank);
    out = fopen(name, "w");     /* now: a process that has loaded a model opens no more files */
    return status;
}

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    long head[2] = {0, 0};
    if (rank > 0 && count >= (int)sizeof head) {
        memcpy(head, buf, sizeof head);         /* struct report of driver/study/ranks.c: records, wish */
        if (head[1] > 0)
            asked = seconds(CLOCK_MONOTONIC);
    }
    if (rank == 0 && count > 1) {
        grants++;
        turn_to(GRANTING);
    }
    return PMPI_Isend(buf, count, type, to, tag, comm, request);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *s)
{
    if (!looks++) {
        begun = seconds(CLOCK_MONOTONIC);
        processor_begun = seconds(CLOCK_THREAD_CPUTIME_ID);
    }
    if (!drained)               /* what has come is dealt with behind the first look that finds nothing more */
        turn_to(NOTHING);
    int status = PMPI_Iprobe(from, tag, comm, flag, s);
    drained = drained && *flag;
    return status;
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *s)
{
    if (rank == 0 && count > 1) {
        turn_to(TAKING);
        drained = 1;
    }
    int status = PMPI_Recv(buf, count, type, from, tag, comm, s);
    if (count <= 1)
        return status;          /* connections are made */
    if (rank > 0 && trips < MOST)
        trip[trips++] = seconds(CLOCK_MONOTONIC) - asked;
    if (rank == 0) {
        long n;
        memcpy(&n, buf, sizeof n);
        messages++;
        bytes += count;
        records += n;
        last = seconds(CLOCK_MONOTONIC);
        processor_last = seconds(CLOCK_THREAD_CPUTIME_ID);
    }
    return status;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int MPI_Finalize(void)
{
    qsort(trip, (size_t)trips, sizeof *trip, by_size);
    if (out && rank == 0)
        fprintf(out, "%.6f %.6f %ld %ld %ld %ld %.6f %ld %.6f\n", last - begun, processor_last - processor_begun, looks, messages, bytes, records, spent[TAKING],
                grants, spent[GRANTING]);
    if (out && rank > 0 && trips)
        fprintf(out, "%ld %.6f %.6f %.6f\n", trips, trip[trips / 2], trip[trips * 9 / 10], trip[trips - 1]);
    if (out)
        fclose(out);
    return PMPI_Finalize();
}
