/* SPDX-License-Identifier: GPL-3.0-or-later
 * The DAE alpha-method itself: spectral radius and order. */
#include "config.h"
#include "alpha.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The step for q'' = -w^2 q on (z q, h v, h^2 a), z = (h w)^2, with the sign before phi_n in (4.2). */
static void test_equation(double am, double af, double z, double sign, double A[3][3])
{
    double gamma = 0.5 - am + af, beta = (1 - am + af) * (1 - am + af) / 4, bh = beta * (1 - af) / (1 - am), gh = gamma * (1 - af) / (1 - am);
    for (int j = 0; j < 3; j++) {
        double q = j == 0 ? 1 / z : 0, v = j == 1, a = j == 2, phi = -z * q;
        double qn = (q + v + (0.5 - beta / (1 - am)) * a + sign * beta * af / (1 - am) * phi) / (1 + bh * z);
        A[0][j] = z * qn;
        A[1][j] = v + (1 - gamma / (1 - am)) * a + sign * gamma * af / (1 - am) * phi - gh * z * qn;
        A[2][j] = (-(1 - af) * z * qn + af * phi - am * a) / (1 - am);
    }
}

/* By powers: the matrix is squared 20 times, scaled. */
static double spectral_radius(const double A[3][3])
{
    double P[3][3], Q[3][3], size = 0, scale;
    memcpy(P, A, sizeof P);
    for (int k = 0; k < 20; k++) {
        scale = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                scale = fmax(scale, fabs(P[i][j]));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                Q[i][j] = 0;
                for (int l = 0; l < 3; l++)
                    Q[i][j] += P[i][l] / scale * (P[l][j] / scale);
            }
        size = 2 * (size + log(scale));
        memcpy(P, Q, sizeof P);
    }
    scale = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            scale = fmax(scale, fabs(P[i][j]));
    return exp((size + log(scale)) / 1048576);
}

static double radius(double am, double af, double z, double sign)
{
    double A[3][3];
    test_equation(am, af, z, sign, A);
    return spectral_radius(A);
}

/* Generalized alpha (4.1), (4.2) and HHT (1.3) on the test equation.  The eigenvalue at infinity is threefold or nearly so, and h omega finite:
 * it is found to 1e-3. */
void alpha_stability(struct bench *b)
{
    static const char *const printed[] = {"0", "0.5", "0.75", "1"};
    char what[96], text[96], remark[160];
    double worst = 0;
    for (int i = 0; i < COUNT(printed); i++) {
        double rho = strtod(printed[i], NULL), am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1);
        snprintf(what, sizeof what, "generalized alpha, rho = %s: spectral radius for h omega to infinity", printed[i]);
        snprintf(remark, sizeof remark, "with plus signs in (4.2), to 1e-3; with minus signs, as printed: %.3f; for h omega to 0: %.4f",
                 radius(am, af, 1e10, -1), radius(am, af, 1e-6, 1));
        claim_number(b, what, printed[i], radius(am, af, 1e10, 1), 1e-3, remark);
        for (int k = -24; k <= 40; k++)
            worst = fmax(worst, radius(am, af, pow(10, k / 4.0), 1));
    }
    snprintf(text, sizeof text, "spectral radius at most %.4f", worst);
    claim_text(b, "generalized alpha: A-stable", "yes", text, worst < 1 + 1e-4 ? AGREES : DIFFERS, "rho as above, h omega from 1e-3 to 1e5");
    /* HHT: am = 0, af = -alpha */
    snprintf(text, sizeof text, "%.3f", radius(0, 0.3, 1e10, 1));
    snprintf(remark, sizeof remark, "it is (1 + alpha)/(1 - alpha) = %.3f; an eigenvalue above 1 would be unstable", 0.7 / 1.3);
    claim_text(b, "HHT, alpha = -0.3: largest eigenvalue (1 - alpha)/(1 + alpha), proof of theorem 3.1", "1.857", text, DIFFERS, remark);
    snprintf(text, sizeof text, "%.3f; at -1/3: %.3f", radius(0, 0.3, 1e10, 1), radius(0, 1.0 / 3, 1e10, 1));
    claim_text(b, "HHT: dissipation is maximum at alpha", "-0.3", text,
               radius(0, 1.0 / 3, 1e10, 1) < radius(0, 0.3, 1e10, 1) - 1e-3 ? DIFFERS : AGREES,
               "spectral radius for h omega to infinity: least at -1/3");
    snprintf(text, sizeof text, "%.3f", radius(0, 0, 1e10, 1));
    claim_text(b, "HHT: dissipation is zero at alpha", "0", text, fabs(radius(0, 0, 1e10, 1) - 1) < 1e-3 ? AGREES : DIFFERS,
               "spectral radius for h omega to infinity");
}

/* "second-order methods"; theorem 3.1 for q, v and lambda.  On Andrews' squeezer, rho = 0.75, from the errors at t = 0.03 with 2400 and
 * 4800 steps. */
void alpha_order(struct bench *b)
{
    static const struct {
        const char *what, *published;
        double least;
    } claim[] = {{"order of q: \"second-order\", theorem 3.1: h^2", "2", 2},
                 {"order of v, theorem 3.1: h", "1 or more", 1},
                 {"order of lambda, proof of theorem 3.1: h", "1 or more", 1}};
    struct build build;
    struct reference r;
    struct trial_end end;
    double error[2][3] = {{0}};
    if (library_model(b, &build, "squeezer", NULL) && reference_read(&r, "squeezer.txt", 7, 0)) {
        const int nq = build.model->nq, from[] = {0, nq, 3 * nq}, to[] = {nq, 2 * nq, r.n};
        for (int i = 0; i < 2; i++)
            if (trial_run(&(struct trial){.model = build.model,
                                          .method = "genalpha",
                                          .rtol = 1e-10,
                                          .rho = 0.75,
                                          .alpha = NAN,
                                          .step = build.model->experiment.to / (2400 << i)},
                          0, &end))
                for (int k = 0; k < 3; k++)
                    for (int j = from[k]; j < to[k]; j++)
                        error[i][k] = fmax(error[i][k], fabs(end.y[j] - r.exact[j]));
        for (int k = 0; k < 3; k++) {
            double order = log2(error[0][k] / error[1][k]);
            char text[32];
            snprintf(text, sizeof text, "%.2f", order);
            claim_text(b, claim[k].what, claim[k].published, text, order > claim[k].least - 0.15 ? AGREES : DIFFERS,
                       "Andrews' squeezer, rho = 0.75, 2400 and 4800 steps; to 0.15");
        }
    }
    build_close(&build);
}
