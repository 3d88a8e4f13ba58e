/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     start A.so B.so SYMBOL
 *
 * compares two compiled models of one mechanism where they start: outputs of the same name must agree.  Outputs hold
 * positions, velocities and accelerations of all bodies, so that start values, constraints and equations of motion are compared
 * at once, in coordinates that have nothing in common.  Accelerations are solutions of a linear system whose condition may
 * be some 1e5 where a mechanism is stretched: 1e-8 of the largest output.
 * Then both run for a twentieth of a second, by events and impacts where there are any, and must end alike: 1e-6 of the largest output at a tolerance
 * of 1e-9, since a hundred steps and an impact or two multiply errors.  What one side refuses the other must refuse.
 * In a singular position accelerations are not determined: where they differ and both sides refuse to run, nothing can be said.
 * Exit status 0: the same; 1: not; 77: neither can be assembled, or run. */
#include "mbs/mbs.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side {
    const struct mbs_model *model;
    struct mbs_sim *sim;
    double *y;
    bool good;
};

static bool side_open(struct side *s, const char *path, const char *symbol)
{
    struct mbs_options opt;
    struct mbs_message message = {0};
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle || !(s->model = dlsym(handle, symbol))) {
        printf("%s: %s\n", path, dlerror());
        return false;
    }
    mbs_options_init(&opt, s->model);
    opt.rtol = opt.atol = 1e-9;
    s->y = calloc((size_t)s->model->ny + 1, sizeof *s->y);
    if (!s->y || mbs_new(&s->sim, s->model, NULL, &opt, &message) != MBS_OK) {
        printf("%s: %s\n", path, message.text);
        return false;
    }
    s->good = mbs_assemble(s->sim, 0) == MBS_OK && mbs_outputs(s->sim, s->y) == MBS_OK;
    if (!s->good)
        printf("%s: %s\n", path, mbs_message(s->sim)->text);
    return true;
}

/* How many outputs of the same name differ by more than `part` of the largest; -1: there are none. */
static int compare(const struct side *a, const struct side *b, double part)
{
    double largest = 1;
    int compared = 0, wrong = 0;
    for (int i = 0; i < a->model->ny; i++)
        largest = fmax(largest, fmax(fabs(a->y[i]), fabs(b->y[i])));
    for (int i = 0; i < a->model->ny; i++)
        for (int j = 0; j < b->model->ny; j++)
            if (!strcmp(a->model->output[i].name, b->model->output[j].name)) {
                compared++;
                if (!(fabs(a->y[i] - b->y[j]) <= part * largest)) {
                    printf("%s: %.17g and %.17g\n", a->model->output[i].name, a->y[i], b->y[j]);
                    wrong++;
                }
            }
    return compared ? wrong : -1;
}

static bool runs(struct side *s)
{
    bool good = mbs_run(s->sim, &(struct mbs_run){ .to = 0.05 }) >= 0 && mbs_outputs(s->sim, s->y) == MBS_OK;
    if (!good)
        printf("run: %s\n", mbs_message(s->sim)->text);
    return good;
}

int main(int argc, char **argv)
{
    struct side a = {0}, b = {0};
    if (argc != 4 || !side_open(&a, argv[1], argv[3]) || !side_open(&b, argv[2], argv[3]))
        return 2;
    if (!a.good && !b.good)
        return 77;
    if (a.good != b.good)
        return 1;
    int wrong = compare(&a, &b, 1e-8);
    bool left = runs(&a), right = runs(&b);
    if (!left && !right)
        return 77;
    if (wrong < 0)
        puts("nothing to compare");
    if (wrong || left != right)
        return 1;
    if (compare(&a, &b, 1e-6)) {
        puts("after the run");
        return 1;
    }
    return 0;
}
