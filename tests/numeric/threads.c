/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two integrations in two threads give bit by bit what each gives alone, for every method.  Nothing that belongs to the
 * whole process is touched: GSL's error handler, the one such thing within reach, is counted here. */
#include "../tap.h"
#include "hand_models.h"

#include <gsl/gsl_errno.h>
#include <pthread.h>
#include <string.h>

struct job {
    const char *method;
    int adaptive;
    const struct mbs_model *model;
    double q[7], v[7], lambda[6];
    int status;
};

static void *work(void *user)
{
    struct job *j = user;
    struct mbs_options opt;
    struct mbs_sim *sim;
    const struct mbs_state *x;

    mbs_options_init(&opt, NULL);
    opt.method = j->method;
    opt.step = j->adaptive ? 0 : 1e-5;
    memset(j->q, 0, sizeof j->q);
    j->status = mbs_new(&sim, j->model, NULL, &opt, NULL);
    if (j->status)
        return NULL;
    j->status = mbs_assemble(sim, 0);
    j->status = j->status ? j->status : mbs_advance(sim, 0.005);
    x = mbs_state(sim);
    memcpy(j->q, x->q, (size_t)j->model->nq * sizeof *j->q);
    memcpy(j->v, x->v, (size_t)j->model->nq * sizeof *j->v);
    memcpy(j->lambda, x->lambda, (size_t)j->model->ng * sizeof *j->lambda);
    mbs_free(sim);
    return NULL;
}

static int same(const struct job *a, const struct job *b)
{
    return a->status == 0 && b->status == 0 && memcmp(a->q, b->q, sizeof a->q) == 0 && memcmp(a->v, b->v, sizeof a->v) == 0 &&
           memcmp(a->lambda, b->lambda, sizeof a->lambda) == 0;
}

/* In place of GSL's own. */
static int switched;

gsl_error_handler_t *gsl_set_error_handler(gsl_error_handler_t *handler)
{
    (void)handler;
    __atomic_add_fetch(&switched, 1, __ATOMIC_RELAXED);
    return NULL;
}

gsl_error_handler_t *gsl_set_error_handler_off(void)
{
    return gsl_set_error_handler(NULL);
}

static void *modes_work(void *user)
{
    struct mbs_options opt;
    struct mbs_sim *sim;
    struct mbs_modes modes;
    double *sum = user;

    mbs_options_init(&opt, NULL);
    for (int round = 0; round < 20; round++) {
        *sum = NAN;
        if (mbs_new(&sim, &hand_squeezer, NULL, &opt, NULL))
            return NULL;
        if (mbs_assemble(sim, 0) == 0 && mbs_modes(sim, &modes) == 0) {
            *sum = 0;
            for (int i = 0; i < modes.count; i++)
                *sum += modes.re[i] + modes.im[i] * modes.im[i];
            mbs_modes_free(&modes);
        }
        mbs_free(sim);
    }
    return NULL;
}

static void test_modes(void)
{
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    double sum[THREADS], alone;
    int good = 0;

    modes_work(&alone);
    for (int k = 0; k < THREADS; k++)
        pthread_create(&thread[k], NULL, modes_work, &sum[k]);
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        good += sum[k] == alone;
    }
    ok(good == THREADS, "modes in %d threads, the same bits", THREADS);
}

int main(void)
{
    struct mbs_method_info info;

    for (int i = 0; mbs_method_list(i, &info); i++) {
        struct job alone[2] = { { .method = info.name, .adaptive = info.adaptive, .model = &hand_squeezer },
                                { .method = info.name, .adaptive = info.adaptive, .model = &hand_pendulum } };
        struct job both[2] = { alone[0], alone[1] };
        pthread_t thread[2];
        if (info.needs)
            continue;
        work(&alone[0]);
        work(&alone[1]);
        for (int k = 0; k < 2; k++)
            pthread_create(&thread[k], NULL, work, &both[k]);
        for (int k = 0; k < 2; k++)
            pthread_join(thread[k], NULL);
        ok(same(&alone[0], &both[0]) && same(&alone[1], &both[1]), "%s: two threads, the same bits", info.name);
    }
    test_modes();
    ok(switched == 0, "GSL's error handler was switched %d times", switched);
    return tap_done();
}
