/* SPDX-License-Identifier: MIT
 *
 * radau.h: what the files of the Radau IIA methods share.
 *
 * Stages are kept as their derivatives.  With the coefficients a_ij of the method and the step h,
 *     V_i = v0 + h sum a_ij A_j,    Q_i = q0 + h sum a_ij P_j,    Z_i = z0 + h sum a_ij D_j
 * where A_j are the accelerations, P_j = V_j (stabilized index 2: V_j - G' mu_j) and D_j = z'.  These
 * relations hold in every iterate, so that only the accelerations, the multipliers, D and (stabilized) P are
 * unknowns.  With T^-1 A^-1 T block diagonal the Newton systems fall apart into one real and (s-1)/2 complex ones;
 * radau_linear.c shows their form.
 *
 * HW: E. Hairer & G. Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996, sections IV.8 and VII.7.
 * HW99: the same, Stiff differential equations solved by Radau methods, J. Comput. Appl. Math. 111 (1999) 93-111. */
#ifndef MBS_RADAU_H
#define MBS_RADAU_H

#include "linalg/bundle.h"
#include "linalg/product.h"
#include "methods/method.h"

enum { RADAU_STAGES = 7, RADAU_PAIRS = 3, RADAU_SYSTEMS = RADAU_PAIRS + 1, RADAU_BLOCKS = 18 };

struct radau_table {
    int s;
    double gamma;                                 /* real eigenvalue of A^-1 */
    double alpha[RADAU_PAIRS], beta[RADAU_PAIRS]; /* complex ones, alpha + i beta, beta > 0 */
    double c[RADAU_STAGES];
    double A[RADAU_STAGES * RADAU_STAGES]; /* row by row, s x s */
    double T[RADAU_STAGES * RADAU_STAGES], TI[RADAU_STAGES * RADAU_STAGES];
    double d[RADAU_STAGES]; /* error estimator: sum d_i (k_i - k_0) */
    double w[RADAU_STAGES]; /* barycentric weights of the nodes c */
};
/* 3, 5 or 7 stages: orders 5, 9, 13.  NULL for others. */
const struct radau_table *mbs_radau_table(int stages);

/* The stages of one step, one after the other: Q[i * n + j].  P is V itself except in the stabilized form. */
struct radau_stages {
    const struct radau_table *tab;
    double t, h; /* begin and length of the step */
    double *y0;  /* (q, v, z) at its begin */
    double *Q, *V, *A, *L, *Mu, *P, *Z, *D;
};

/* A complex number for each system. */
struct radau_lanes {
    double re[4], im[4];
};

/* A part of the Newton matrices: coef * c^-power * val on a pattern. */
struct radau_block {
    const struct mbs_pattern *p;
    int order; /* of the identity, if p is NULL */
    int row, col;
    enum mbs_block kind;
    const double *val;
    double coef;
    int power;
    int count, *dst, *src; /* its places in the bundle and the numbers of the values there */
    int id[RADAU_SYSTEMS]; /* its numbers in the matrices */
};

struct radau {
    const struct radau_table *tab;
    int smin, smax;
    int ggl, nmu, N; /* nmu = ng if stabilized, else 0; order of the systems */
    struct radau_block block[RADAU_BLOCKS];
    int blocks, *places;
    struct radau_block *dependent; /* the diagonal of dependent rows */
    struct radau_block *baumgarte; /* the first of the three blocks of that form */
    int L;                         /* pairs of lanes: 1 for three stages, else 2 */
    struct mbs_bundle bundle;
    struct mbs_matrix *mat[RADAU_SYSTEMS];
    int bundled;                   /* which of the two holds the factors */
    int singular;                  /* factorisations in a row, at most 5, that the bundle could not do */
    struct radau_lanes c[3], u[4]; /* powers of c and of 1/c */
    double *lane;                  /* one right-hand side of one system */
    int tree;                      /* factors along a tree (model.h) take the place of both; */
    double *link[RADAU_SYSTEMS];   /* they are here, and */
    struct mbs_point at;           /* this is where they were made */
    struct mbs_jacobian jac;
    struct mbs_product mg, dg, gg; /* stabilized: M Gh', rv Gh', G Gh' */
    struct mbs_pattern Gh;
    double *gh;
    int *gh_from; /* number in G of each entry of Gh, and the pattern of Gh */
    struct radau_stages cur, last;
    int have_last; /* last holds an accepted step, which predicts the next */

    double *R, *C, *Cg, *E;    /* of the stages: r, constraints, g (stabilized), what lacks in q' = P */
    double *F;                 /* z' */
    int drops;                 /* number of dependent rows, which are left out */
    double *diagonal;          /* 1 for those, of lambda and then of mu */
    double *B, *B1;            /* right-hand sides and solutions of the systems, in lanes */
    double *d0;                /* z' at the begin of the step */
    double *mu, *zero, *tmp;   /* mu of one stage, all m rows; zeros; 3 ny values */
    double *err, *b1, *b2, *b; /* error estimate: (q, v, z), a, lambda; its right-hand sides */
    double *sc, *sca, *scl;    /* reciprocal tolerances of (q, v, z), a, lambda, with the powers of h */
    double along;              /* index 3: error of the velocities along the constraints over the tolerance */
    int count;                 /* number of variables in the mean of the norms */
    double *mul;               /* coefficient matrices of the kernels: T^-1, h A, T for the s in use */

    double rtol, atol, factor; /* tolerances in effect; their ratio to those asked for */
    double kappa, kappa_least; /* Newton: the error allowed, as a part of the tolerance; what rounding leaves */
    int newton_max;
    double eta;   /* theta / (1 - theta) of the last convergent iteration */
    double theta; /* its contraction */
    int iterations;
    double shrink;     /* step factor that a failed iteration proposes */
    double h_factored; /* the step and ... */
    int s_factored;    /* ... stages of the factors; 0: none */
    int place;         /* which stage gives the Jacobian: 0 middle, 1 last, 2 first */
    int keep;          /* Jacobian and factors serve the next step if it has the same length */

    double err_acc, h_acc; /* Gustafsson: the last accepted step */
    int first, rejected;   /* no step accepted yet; the last attempt was rejected */
    double states;         /* the error of (q, v, z) alone in the last attempt, ... */
    double h_tried, tried; /* ... and in the one before, with its step; 0: there is none to compare with */
    enum { SMOOTH, SUSPECT, ROUGH } rough; /* does the error of this step fall with the step as it does where the motion is smooth? */
    int since_change;      /* steps since the order changed */
};

/* radau_linear.c */
void mbs_radau_linear_layout(struct mbs_stepper *s, struct mbs_work *w);
int mbs_radau_linear_open(struct mbs_stepper *s);
void mbs_radau_linear_close(struct mbs_stepper *s);
int mbs_radau_linear_resume(struct mbs_stepper *s);
int mbs_radau_jacobian(struct mbs_stepper *s, struct mbs_state *x);
int mbs_radau_factor(struct mbs_stepper *s, double h);
void mbs_radau_newton_solve(struct mbs_stepper *s);
void mbs_radau_error_solve(struct mbs_stepper *s, double *b1, double *b2, double *b, double *e);

void mbs_radau_linear_start(struct mbs_stepper *s, int again);

/* mbs_radau_newton.c */
void mbs_radau_use_stages(struct mbs_stepper *s, int stages);
void mbs_radau_predict(struct mbs_stepper *s, double h);
int mbs_radau_newton(struct mbs_stepper *s);
double mbs_radau_error(struct mbs_stepper *s);
void mbs_radau_scales(struct mbs_stepper *s, double h);

#endif
