/* SPDX-License-Identifier: GPL-3.0-or-later
 * J. Yen, L. Petzold, S. Raha, A time integration algorithm for flexible mechanism dynamics: the DAE alpha-method, Comput. Methods Appl.
 * Mech. Engrg. 158 (1998) 341-355.  Here the document and the search for largest steps; a file for each section. */
#include "config.h"
#include "alpha.h"

/* ---- largest steps ---- */

struct reach alpha_reach(struct bench *b, const struct trial *like, double T, double tolerance, int by, int most)
{
    struct reach r = {0};
    struct trial t = *like;
    t.rtol = t.atol = 1e3 * tolerance;
    t.to = T;
    for (int n = by; n <= most && !bench_stopped(b); n += by) {
        struct trial_end end;
        t.step = T / n;
        if (!trial_run(&t, 0, &end)) {
            r.from = 0;
            continue;
        }
        r.first = r.first ? r.first : n;
        if (!r.from) {
            r.from = n;
            r.newton = (double)end.stat.newton / (double)end.stat.steps;
        }
    }
    return r;
}

const char *reach_text(const struct reach *r, const char *T, char text[64])
{
    if (!r->from)
        snprintf(text, 64, "none");
    else if (r->first < r->from)
        snprintf(text, 64, "%s/%d (single ones from %s/%d)", T, r->from, T, r->first);
    else
        snprintf(text, 64, "%s/%d", T, r->from);
    return text;
}

/* ---- all ---- */

static void misprints(struct bench *b)
{
    fputs("\n### The method\n\nMisprints:\n\n| place | correct | shown |\n| --- | --- | --- |\n"
          "| (4.2a, b) | plus signs before the phi_n terms | spectral radius below |\n"
          "| below (4.2) | rho is the spectral radius for h omega to infinity, not to 0 | spectral radius below |\n"
          "| proof of theorem 3.1 | the eigenvalues of HHT at infinity are (1 + alpha)/(1 - alpha), not the inverse | spectral radius below |\n"
          "| below (3.4) | a_n = (1 + alpha) phi_n - alpha phi_(n-1) | (3.1) |\n"
          "| definition of s | (G Y)^-T, not (G Y)^-1 | r + G' s = 0 in the coordinates Y is (G Y)' s = -Y' r |\n"
          "| Remark 3.1 | the rows of P are not orthonormal in general | the P of the bushing is not |\n"
          "| (2.4b), (3.3c) | + dg/dt for constraints that depend on time | derivative of g(q, t) = 0 |\n"
          "| (4.3d) | gravity acts along +y | the formula itself |\n"
          "| (4.4c) | -theta/(10 eps^2) - (cos(theta) fy - sin(theta) fx)/(2 eps^2) | energy of the exact motion, section 4.2 below |\n"
          "| P of the bushing | rows (-y/x, 1, 0) and (0, 0, 1) | P G' = 0 |\n"
          "| (4.5) | Y = {phi1, phi2} is singular at the initial state; Y = {phi2, x3} is not | the matrix to be inverted has a row of zeros at "
          "phi1 = phi2 = q = 0 |\n",
          b->md);
    alpha_stability(b);
    alpha_order(b);
    claims_write(b);
}

static void alpha(struct bench *b)
{
    bench_plan(b, 12 + 27 + 6);
    fputs("\nAll by genalpha of libmbs, which is this method with the misprints corrected: stabilized index 2 (ggl), iteration `index2`, or `cm` "
          "for the modified coordinate split. Both solve the same equations, and their converged solutions coincide.\n",
          b->md);
    misprints(b);
    alpha_pendulum(b);
    if (!bench_stopped(b))
        alpha_bushing(b);
    if (!bench_stopped(b))
        alpha_crank(b);
    fputs("\n### What does not reproduce and why\n\nTable 1 and table 2. The stabilized index-2 form and the CM iteration have the same solution, "
          "so that the damping of a converged solution cannot depend on the iteration, as table 1 and Fig. 12 have it; and the energies of table 1 "
          "are not those of the method with the parameters that the paper states, by either sign of its torque. The largest steps depend on the "
          "limits, the start and the test of an iteration that the paper does not describe: ours takes up to 60 corrections, renews its matrix "
          "where it contracts badly, and leaves the multipliers out of the test in both iterations, while the paper's index-2 iteration has to "
          "include them (section 3.1), which may be where its factor of two comes from. The largest eigenvalue of the slider crank needs a Young's "
          "modulus a hundred times smaller than that of the slider crank whose data the paper refers to. In the text: the bounds of the pendulum's "
          "frequency lack a factor, x has two cycles for each of y, and HHT damps most at alpha = -1/3, with the inverse of the printed "
          "eigenvalue.\n",
          b->md);
}

const struct document document_alpha = {"alpha", "The DAE alpha-method",
                                        "J. Yen, L. Petzold, S. Raha, *A time integration algorithm for flexible mechanism dynamics: The DAE "
                                        "alpha-method*, Comput. Methods Appl. Mech. Engrg. 158 (1998) 341-355.",
                                        alpha};
