/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory: no method allocates while stepping, and an allocation that fails while a simulation is set up leads to
 * MBS_NO_MEMORY and leaves nothing behind.  malloc and its kin are replaced here by counting ones on top of glibc's. */
#include "../tap.h"
#include "hand_models.h"

#include <stdlib.h>
#include <string.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTING 1
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static long allocations, balance, fail_at = -1;

static int refuse(void)
{
    allocations++;
    return fail_at >= 0 && allocations > fail_at;
}

void *malloc(size_t n)
{
    void *p = refuse() ? NULL : __libc_malloc(n);
    balance += p != NULL;
    return p;
}

void *calloc(size_t n, size_t size)
{
    void *p = refuse() ? NULL : __libc_calloc(n, size);
    balance += p != NULL;
    return p;
}

void *realloc(void *old, size_t n)
{
    void *p = refuse() ? NULL : __libc_realloc(old, n);
    balance += p != NULL && old == NULL;
    return p;
}

void free(void *p)
{
    balance -= p != NULL;
    __libc_free(p);
}
#else
static long allocations, balance, fail_at;
#endif

static void options(struct mbs_options *opt, const struct mbs_method_info *info, double step)
{
    mbs_options_init(opt, NULL);
    opt->method = info->name;
    opt->step = info->adaptive ? 0 : step;
    opt->hmax = info->adaptive ? step : 0;
}

/* 10 000 steps of at most 1/2048 s, after a few to warm up */
static void test_stepping(const struct mbs_method_info *info)
{
    struct mbs_options opt;
    struct mbs_sim *sim;
    long before, during;
    int status;

    options(&opt, info, 1. / 2048);
    if (mbs_new(&sim, &hand_pendulum, NULL, &opt, NULL))
        return;
    status = mbs_assemble(sim, 0);
    status = status ? status : mbs_advance(sim, 0.01);
    before = allocations;
    status = status ? status : mbs_advance(sim, 5);
    during = allocations - before;
    ok(status == 0 && mbs_statistics(sim)->accepted >= 10000 && during == 0, "%s: %ld steps, %ld allocations %s", info->name, mbs_statistics(sim)->accepted, during,
       mbs_message(sim)->text);
    mbs_free(sim);
}

#ifdef COUNTING
/* Every allocation of mbs_new fails in turn, with all after it. */
static void test_setup(const struct mbs_method_info *info, const struct mbs_model *model)
{
    struct mbs_options opt;
    struct mbs_sim *sim = NULL;
    struct mbs_message msg = { 0 };
    int tries, wrong = 0;
    long start;

    options(&opt, info, 1. / 256);
    for (tries = 0; tries < 1000; tries++) {
        int status;
        start = balance;
        allocations = 0;
        fail_at = tries;
        status = mbs_new(&sim, model, NULL, &opt, &msg);
        fail_at = -1;
        if (status == 0)
            break;
        wrong += status != MBS_NO_MEMORY || sim || balance != start || !strstr(msg.text, model->name);
    }
    start = balance;
    mbs_free(sim);
    ok(sim && tries > 2 && wrong == 0, "%s, %s: %d allocations at set-up, each may fail", info->name, model->name, tries);
}

static void test_analyses(void)
{
    struct mbs_method_info info;
    struct mbs_options opt;
    struct mbs_sim *sim;
    struct mbs_modes modes;
    struct mbs_rank rank;
    int refused = 0, wrong = 0, done = 0;

    mbs_method_list(0, &info);
    options(&opt, &info, 0.01);
    mbs_new(&sim, &hand_pendulum, NULL, &opt, NULL);
    for (int tries = 0; tries < 100 && done < 3; tries++) {
        long start = balance;
        int status[3];
        done = 0;
        for (int k = 0; k < 3; k++) {
            allocations = 0;
            fail_at = tries;
            status[k] = k == 0 ? mbs_assemble(sim, 0) : k == 1 ? mbs_rank(sim, &rank, NULL) : mbs_equilibrium(sim);
            fail_at = -1;
            done += status[k] == 0;
            refused += status[k] == MBS_NO_MEMORY;
            wrong += status[k] != 0 && status[k] != MBS_NO_MEMORY;
        }
        wrong += balance != start;
    }
    ok(done == 3 && refused > 3 && wrong == 0, "analyses: %d refusals, %d wrong", refused, wrong);
    ok(mbs_modes(sim, &modes) == 0, "modes");
    mbs_modes_free(&modes);
    mbs_free(sim);
}
#endif

int main(void)
{
    struct mbs_method_info info;

#ifndef COUNTING
    (void)balance, (void)fail_at;
    skip(1, "allocations cannot be counted here");
#else
    setvbuf(stdout, malloc(4096), _IOLBF, 4096);
    for (int i = 0; mbs_method_list(i, &info); i++) {
        if (info.needs)
            continue;
        test_stepping(&info);
        /* GSL and SUNDIALS do not survive failures within their own constructors; gsl.c and ida.c make sure before
         * that there is enough memory, which does not help against refusals one by one */
        if (strncmp(info.name, "gsl-", 4) == 0 || strcmp(info.name, "ida") == 0)
            continue;
        test_setup(&info, &hand_pendulum);
        test_setup(&info, &hand_squeezer);
    }
    test_analyses();
#endif
    return tap_done();
}
