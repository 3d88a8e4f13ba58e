/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * radau5 and radau on the squeezer and the slider crank of the Test Set for IVP Solvers, all formulations, as compiled
 * models, against 128-bit end states.  scd is -log10 of the largest relative error over the coordinates (crank: and the
 * multipliers).  Asked of each run: it has the scd recorded here within 0.2, so that nothing drifts unnoticed; runs
 * where changes of order and hidden vibrations amplify roundings (`loose') are not more than 0.4 behind; and, where the
 * Fortran code RADAU5 of E. Hairer & G. Wanner was measured on the same problem and formulation, neither is more than
 * 0.3 behind that. */
#include "radau_runs.h"

static const double tols[6] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10};

struct row {
    const char *method, *form;
    int loose;
    double scd[6];  /* recorded, for tols[] */
    double peer[6]; /* RADAU5; 0: not measured */
};

#include "radau_record.h"

static void check_rows(const struct mbs_model *m, const struct row *rows, int count, double to, const double *q0,
                       const double *end)
{
    for (int i = 0; i < count; i++) {
        const struct row *r = &rows[i];
        for (int k = 0; k < 6; k++) {
            struct outcome o = run_to(m, r->method, r->form, tols[k], to, q0, end);
            printf("# %s %s %s %.0e: scd %.2f mescd %.2f steps %ld accepted %ld f %ld jac %ld lu %ld\n", m->name,
                   r->method, r->form, tols[k], o.scd, o.mescd, o.stat.steps, o.stat.accepted, o.stat.f, o.stat.jac,
                   o.stat.lu);
            double high = r->loose ? 9 : 0.2, low = r->loose ? 0.4 : 0.2;
            ok(o.status == 0 && o.scd >= r->scd[k] - low && o.scd <= r->scd[k] + high,
               "%s %s %s %.0e: scd %.2f, recorded %.2f%s%s", m->name, r->method, r->form, tols[k], o.scd, r->scd[k],
               o.status ? ": " : "", o.status ? o.msg.text : "");
            if (r->peer[k] != 0)
                ok(o.scd >= r->peer[k] - 0.3, "%s %s %s %.0e: scd %.2f, RADAU5 %.2f", m->name, r->method, r->form,
                   tols[k], o.scd, r->peer[k]);
        }
    }
}

static void check_squeezer(void)
{
    struct generated s;
    double end[27];
    struct outcome o;

    if (!LOAD(&s, "models/squeezer", NULL) ||
        !ok(data_read("squeezer.txt", 1, end, 27) == 27, "reference of the squeezer"))
        return;
    check_rows(s.m, squeezer_rows, sizeof squeezer_rows / sizeof *squeezer_rows, 0.03, squeezer_start, end);
    /* The reference is of exact decimal constants, those of a program are rounded to double: 1e-12 at the end. */
    o = run_to(s.m, "radau", "index2", 1e-14, 0.03, squeezer_start, end);
    ok(o.scd > 11, "squeezer, radau at the tightest tolerance, index 2: scd %.2f", o.scd);
    o = run_to(s.m, "radau", "ggl", 1e-14, 0.03, squeezer_start, end);
    ok(o.scd > 11, "squeezer, radau at the tightest tolerance, stabilized: scd %.2f", o.scd);
    /* lengths are 0.1 m, velocities 10 m/s, and eps of them what evaluation leaves; Newton errors are 1e-4 of 1e-12 */
    ok(o.vio.position < 1e-15 && o.vio.velocity < 1e-12, "and the constraints hold: %.1e, %.1e", o.vio.position,
       o.vio.velocity);
    generated_free(&s);
}

/* Linear and nonlinear, damped or not, both starts: every form at every tolerance. */
static void check_variants(void)
{
    static const struct {
        const char *define, *file;
    } variant[] = {
        {"nonlinear_beam=true", "crank_nonlinear.txt"},
        {"damped=true", "crank_damped.txt"},
        {"nonlinear_beam=true damped=true", "crank_nonlinear_damped.txt"},
        {"rigid_start=true", "crank_rigid.txt"},
        {"rigid_start=true nonlinear_beam=true", "crank_rigid_nonlinear.txt"},
        {"rigid_start=true damped=true", "crank_rigid_damped.txt"},
        {"rigid_start=true nonlinear_beam=true damped=true", "crank_rigid_nonlinear_damped.txt"},
    };
    static const char *const method[] = {"radau5", "radau"}, *const form[] = {"index3", "index2", "index1", "ggl"};

    for (size_t v = 0; v < sizeof variant / sizeof *variant; v++) {
        struct generated s;
        double end[24];
        if (!LOAD(&s, "models/crank", variant[v].define) ||
            !ok(data_read(variant[v].file, 1, end, 24) == 24, "%s", variant[v].file))
            continue;
        for (int i = 0; i < 2; i++)
            for (int f = 0; f < 4; f++) {
                int good = 1;
                double scd[6];
                for (int k = 0; k < 6; k++) {
                    struct outcome o = run_to(s.m, method[i], form[f], tols[k], 0.1, NULL, end);
                    scd[k] = o.scd;
                    if (o.status)
                        printf("# %s %s %.0e: %s\n", method[i], form[f], tols[k], o.msg.text);
                    good = good && o.status == 0;
                }
                ok(good, "crank %s, %s %s: scd %.2f %.2f %.2f %.2f %.2f %.2f", variant[v].define, method[i], form[f],
                   scd[0], scd[1], scd[2], scd[3], scd[4], scd[5]);
                /* more digits for more effort; the index-3 form counts velocities with h and does not resolve
                 * vibrations */
                if (f > 0)
                    ok(scd[5] > 3.5, "crank %s, %s %s: scd %.2f at 1e-10", variant[v].define, method[i], form[f],
                       scd[5]);
            }
        generated_free(&s);
    }
}

static void check_crank(void)
{
    struct generated s;
    double end[24], start[7];

    if (!LOAD(&s, "models/crank", NULL) || !ok(data_read("crank.txt", 1, end, 24) == 24, "reference of the crank"))
        return;
    check_rows(s.m, crank_rows, sizeof crank_rows / sizeof *crank_rows, 0.1, NULL, end);
    /* The start of the test set violates a position constraint by 2e-10, and a formulation that heeds positions moves
     * x3 and, through the elastic rod, sets off a vibration: 5 digits at most.  From a clean start: as index 2. */
    if (ok(data_read("crank_projected.txt", 2, start, 7) == 7 && data_read("crank_projected.txt", 1, end, 24) == 24,
           "clean start")) {
        struct outcome o = run_to(s.m, "radau", "ggl", 1e-10, 0.1, start, end);
        ok(o.scd > 6, "crank, stabilized, from a start on the constraints: scd %.2f", o.scd);
        o = run_to(s.m, "radau", "index1", 1e-14, 0.1, start, end);
        ok(o.scd > 8.5, "crank, index 1, 1e-14: scd %.2f", o.scd);
    }
    generated_free(&s);
}

int main(void)
{
    check_squeezer();
    check_crank();
    check_variants();
    return tap_done();
}
