/* SPDX-License-Identifier: GPL-3.0-or-later
 * 100 instances of the squeezer's FMU (FMI 2.0, Co-Simulation) in 8 threads, every other of which had another life before it was reset:
 * all end at the same state. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { void *log, *allocate, *release, *finished, *user; } callbacks;
void *fmi2Instantiate(const char *, int, const char *, const char *, const callbacks *, int, int);
int fmi2SetupExperiment(void *, int, double, double, int, double);
int fmi2EnterInitializationMode(void *);
int fmi2ExitInitializationMode(void *);
int fmi2DoStep(void *, double, double, int);
int fmi2GetReal(void *, const unsigned *, size_t, double *);
int fmi2SetReal(void *, const unsigned *, size_t, const double *);
int fmi2Reset(void *);
void fmi2FreeInstance(void *);

enum { THREADS = 8, INSTANCES = 100 };
static double end[INSTANCES];
static const callbacks none;

/* A start elsewhere, given by the second coordinate, and a step; then all of it is forgotten. */
static int earlier_life(void *c)
{
    const unsigned second = 2;
    const double there = 0.05;
    return fmi2SetReal(c, &second, 1, &there) || fmi2SetupExperiment(c, 0, 0, 0, 0, 0) || fmi2EnterInitializationMode(c) || fmi2ExitInitializationMode(c) ||
           fmi2DoStep(c, 0, 1e-4, 0) || fmi2Reset(c);
}

static void *work(void *arg)
{
    for (int i = (int)(size_t)arg; i < INSTANCES; i += THREADS) {
        const unsigned first = 1;
        const double start = -0.05;     /* the other coordinates follow: a start value that was not forgotten would contradict it */
        void *c = fmi2Instantiate("x", 1, "@TOKEN@", "", &none, 0, 0);
        if (!c || (i % 2 && earlier_life(c)) || fmi2SetReal(c, &first, 1, &start) || fmi2SetupExperiment(c, 0, 0, 0, 0, 0) || fmi2EnterInitializationMode(c) || fmi2ExitInitializationMode(c))
            return NULL;
        for (int k = 0; k < 3; k++)
            if (fmi2DoStep(c, k * 1e-4, 1e-4, 0))
                return NULL;
        fmi2GetReal(c, &first, 1, &end[i]);
        fmi2FreeInstance(c);
    }
    return NULL;
}

/* Any argument: prints where the motion ends. */
int main(int argc, char **argv)
{
    (void)argv;
    pthread_t t[THREADS];
    for (size_t k = 0; k < THREADS; k++)
        pthread_create(&t[k], NULL, work, (void *)k);
    for (int k = 0; k < THREADS; k++)
        pthread_join(t[k], NULL);
    for (int i = 0; i < INSTANCES; i++)
        if (end[i] != end[0] || end[i] == 0)
            return printf("instance %d ends at %.17g, the first at %.17g\n", i, end[i], end[0]), 1;
    if (argc > 1)
        printf("%.17g\n", end[0]);
    return 0;
}
