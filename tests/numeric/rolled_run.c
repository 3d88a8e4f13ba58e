/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rolled models in the library: chains with stiff springs in their joints, integrated along the tree.
 *
 * At 20 links every method takes one step of fixed length with rolled code (accelerations(), newton()) and with that of the tree or of the
 * energies, whose matrices have entries.  Both solve the same equations, so that positions agree to rounding: 1e-12 of the
 * motion within the step times what stiff springs amplify, or where an iteration ends to its tolerance.  A run with error control
 * that takes the same steps and iterations agrees to 1e-8, a hundredth of what the tolerance allows a step; where rounding has turned a decision on order or
 * step, to thirty times the tolerance, what `mbs bench accuracy` calls suspicious.
 *
 * At 300 links there are no entries: the energy is kept, methods and analyses that need matrices say so, and no step allocates. */
#include "compile.h"
#include "../tap.h"

#include "mbs/mbs.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static long allocations;
void *malloc(size_t n)
{
    allocations++;
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t size)
{
    allocations++;
    return __libc_calloc(n, size);
}
void *realloc(void *old, size_t n)
{
    allocations++;
    return __libc_realloc(old, n);
}
#else
static long allocations;
#endif

enum { SMALL = 20, LARGE = 300 };

struct text {
    char *at;
    size_t n;
};
static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    t->n += (size_t)vsprintf(t->at + t->n, format, ap);
    va_end(ap);
}

/* Links of a metre, every fourth on the third before it; springs of 1e5 N m with damping, or none. */
static void chain_text(struct text *t, int n, bool spatial, bool stiff)
{
    t->n = 0;
    add(t, "model chain\n%s\nparam k: N*m/rad = 1e5\n", spatial ? "spatial\ngravity [0, 0, -9.81]" : "planar\ngravity [0, -9.81]");
    for (int i = 0; i < n; i++) {
        int parent = i % 4 == 3 ? i - 3 : i - 1;
        char from[32] = "ground";
        if (i)
            snprintf(from, sizeof from, "link%d.tip", parent);
        if (spatial)
            add(t, "body link%d { mass = 1, com = [0.5, 0, 0], inertia = [0.01, 0.1, 0.1], point tip = [1, 0, 0] }\n", i);
        else
            add(t, "body link%d { mass = 1, com = [0.5, 0], inertia = 0.1, point tip = [1, 0] }\n", i);
        add(t, "joint j%d: revolute(%s, link%d)%s\n", i, from, i, !spatial ? "" : i % 2 ? " axis [0, 0, 1]" : " axis [0, 1, 0]");
        if (stiff)
            add(t, "spring s%d: on j%d, stiffness = k, angle = 0, damping = 1\n", i, i);
        add(t, "init j%d.angle = %.3f\n", i, 0.01 * (i % 7));
    }
}

struct made {
    void *handle;
    const struct mbs_model *m;
};

static struct made make(const struct text *t, enum derive_way way, const char *dir)
{
    struct made x = {0};
    char path[256], so[256], command[1024];
    const char *cc = getenv("CC"), *src = getenv("top_srcdir");
    struct compile *c = compile_memory("chain.mbs", t->at, t->n, &(struct compile_options){.way = way}, COMPILE_TEXT);
    size_t length;
    const char *text = compile_text(c, &length);
    snprintf(path, sizeof path, "%s/model%d.c", dir, (int)way);
    snprintf(so, sizeof so, "%s/model%d.so", dir, (int)way);
    FILE *f = c->good ? fopen(path, "w") : NULL;
    if (!c->good)
        printf("# %s", compile_messages(c));
    bool good = f && fwrite(text, 1, length, f) == length;
    if (f)
        good &= fclose(f) == 0;
    compile_free(c);
    snprintf(command, sizeof command, "%s -O0 -w -shared -fPIC -I%s/runtime -o %s %s -lm", cc ? cc : "cc", src ? src : ".", so, path);
    if (good && system(command) == 0 && (x.handle = dlopen(so, RTLD_NOW)))
        *(const void **)&x.m = dlsym(x.handle, "chain_model");
    return x;
}

static struct mbs_sim *open_sim(const struct mbs_model *m, const char *method, double step, struct mbs_message *msg)
{
    struct mbs_options opt;
    struct mbs_sim *sim = NULL;
    mbs_options_init(&opt, NULL);
    opt.method = method;
    opt.step = step;
    opt.rtol = opt.atol = 1e-6;
    if (mbs_new(&sim, m, NULL, &opt, msg) || mbs_assemble(sim, 0)) {
        mbs_free(sim);
        return NULL;
    }
    return sim;
}

/* The largest difference of q and v, v counted with the time. */
static double apart(const struct mbs_sim *a, const struct mbs_sim *b, int n, double time)
{
    double d = 0;
    for (int i = 0; i < n; i++) {
        double dq = fabs(mbs_state(a)->q[i] - mbs_state(b)->q[i]), dv = time * fabs(mbs_state(a)->v[i] - mbs_state(b)->v[i]);
        d = dq > d || dq != dq ? dq : d;
        d = dv > d || dv != dv ? dv : d;
    }
    return d;
}

/* The same decisions: steps, and how often was factored and iterated. */
static bool same_work(const struct mbs_statistics *a, const struct mbs_statistics *b)
{
    return a->accepted == b->accepted && a->rejected == b->rejected && a->lu == b->lu && a->newton == b->newton;
}

static void test_same(const struct made *a, const struct made *b, const char *what)
{
    static const char *const method[] = {"dopri5", "dop853", "halfexplicit", "radau5", "radau", "genalpha", "hht"};
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
        struct mbs_sim *x = open_sim(a->m, method[k], 1e-3, NULL), *y = open_sim(b->m, method[k], 1e-3, NULL);
        int status = x && y ? mbs_advance(x, 1e-3) | mbs_advance(y, 1e-3) : -1;
        double d = status ? NAN : apart(x, y, SMALL, 1e-3);
        ok(d <= 1e-12 && (k < 3 || mbs_statistics(y)->jac > 0), "%s, %s: one step differs by %.2g", what, method[k], d);
        mbs_free(x);
        mbs_free(y);
        x = open_sim(a->m, method[k], 0, NULL), y = open_sim(b->m, method[k], 0, NULL);
        status = x && y ? mbs_advance(x, 0.1) | mbs_advance(y, 0.1) : -1;
        d = status ? NAN : apart(x, y, SMALL, 0.1);
        bool same = !status && same_work(mbs_statistics(x), mbs_statistics(y));
        ok(d <= (same ? 1e-8 : 3e-5), "%s, %s: %ld and %ld steps, the end differs by %.2g", what,
           method[k], status ? 0 : mbs_statistics(x)->accepted, status ? 0 : mbs_statistics(y)->accepted, d);
        mbs_free(x);
        mbs_free(y);
    }
}

static double energy(struct mbs_sim *sim)
{
    double E[2] = {NAN, NAN};
    mbs_energy(sim, E);
    return E[0] + E[1];
}

/* Without entries: 5e-6 of the height of the chain's weight is what methods of tolerance 1e-6 keep here; most do a hundred times better. */
static void test_large(const struct made *a, const char *what)
{
    static const char *const method[] = {"dopri5", "dop853", "radau5", "radau", "genalpha", "hht"}, *const refused[] = {"ida", "rattle"};
    struct mbs_message msg;
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
        struct mbs_sim *sim = open_sim(a->m, method[k], 0, &msg);
        double before = sim ? energy(sim) : 0, after;
        int status = sim ? mbs_advance(sim, 0.01) : -1;
        long counted = allocations;
        status |= status ? 0 : mbs_advance(sim, 0.1);
        counted = allocations - counted;
        after = sim ? energy(sim) : 0;
        ok(status == 0 && fabs(after - before) <= 5e-6 * 9.81 * LARGE * LARGE / 4. && counted == 0 && mbs_witness(sim)->conserves,
           "%s, %s: the energy changes by %.2g J, %ld allocations in %ld steps", what, method[k], after - before, counted,
           status ? 0 : mbs_statistics(sim)->accepted);
        mbs_free(sim);
    }
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        struct mbs_options opt;
        struct mbs_sim *sim;
        mbs_options_init(&opt, NULL);
        opt.method = refused[k];
        opt.step = k == 1 ? 1e-3 : 0;
        ok(mbs_new(&sim, a->m, NULL, &opt, &msg) == MBS_UNAVAILABLE && (strstr(msg.text, "needs matrices") || strstr(msg.text, "SUNDIALS")),
           "%s, %s: %s", what, refused[k], msg.text);
    }
    struct mbs_sim *sim = open_sim(a->m, "dopri5", 0, NULL);
    struct mbs_modes modes;
    struct mbs_linearization linear;
    ok(mbs_modes(sim, &modes) == MBS_UNAVAILABLE, "%s: %s", what, mbs_message(sim)->text);
    ok(mbs_linearize(sim, &linear) == MBS_UNAVAILABLE, "%s: %s", what, mbs_message(sim)->text);
    ok(mbs_equilibrium(sim) == MBS_UNAVAILABLE, "%s: %s", what, mbs_message(sim)->text);
    mbs_free(sim);
}

int main(void)
{
    char dir[] = "/tmp/mbs-rolled-run-XXXXXX", command[64];
    struct text t = {calloc(LARGE, 512), 0};
    if (!t.at || !mkdtemp(dir))
        return 1;
    for (int spatial = 0; spatial < 2; spatial++) {
        const char *what = spatial ? "space" : "plane";
        chain_text(&t, SMALL, spatial, true);
        struct made a = make(&t, WAY_TREE, dir), b = make(&t, WAY_ROLLED, dir);
        ok(a.m && b.m && !a.m->newton && b.m->newton && b.m->M.colptr, "%s: two ways", what);
        if (a.m && b.m)
            test_same(&a, &b, what);
        if (a.handle)
            dlclose(a.handle);
        if (b.handle)
            dlclose(b.handle);
    }
    chain_text(&t, LARGE, true, false);
    struct made large = make(&t, WAY_ROLLED, dir);
    ok(large.m && !large.m->M.colptr, "space: %d links have no entries", LARGE);
    if (large.m)
        test_large(&large, "space");
    if (large.handle)
        dlclose(large.handle);
    free(t.at);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) ? 1 : tap_done();
}
