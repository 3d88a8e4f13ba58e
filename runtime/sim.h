/* SPDX-License-Identifier: MIT
 *
 * sim.h: the inside of a simulation, shared by simulate.c, options.c, event.c and the analyses. */
#ifndef MBS_SIM_H
#define MBS_SIM_H

#include "methods/method.h"

/* The account of the energy since it was begun (witness.c). */
enum { MBS_ENDS = 5 };
struct mbs_account {
    double begin;                       /* T + U there ... */
    double past;                        /* ... and by how much it had changed before by work */
    double left;                        /* T + U where an event ends it, if ... */
    int has_left;                       /* ... one does */
    double work, turnover, looked;      /* W, sum of |W| of the steps, and that at the last look */
    double largest_work, low, high;     /* |W|; least and largest U */
    double absolute;                    /* largest change of T that absolute tolerances of velocities allow */
    double t[MBS_ENDS], P[MBS_ENDS];    /* the last ends of steps, the newest first, and the power there ... */
    int ends;                           /* ... and how many they are */
    int anew;                           /* it must be begun anew: the work since then is not known */
};

struct mbs_sim {
    const struct mbs_model *model;
    struct mbs_options opt;             /* resolved; its strings live in the tables or below */
    char iteration[16];
    struct mbs_problem p;
    struct mbs_stepper s;
    struct mbs_statistics stat;
    struct mbs_message msg;
    struct mbs_state view;              /* what mbs_state() shows ... */
    double *told_a, *told_lambda;       /* ... with these at the end of a run, where the method's own are worse ... */
    int told;                           /* ... and this is set */
    struct mbs_point dense;             /* interpolated point */
    double *params;
    double *y, *y_old, *y_probe;        /* outputs: at the new point, at the old one, while locating an event */
    signed char *side;                  /* sign of each output at the last point, 0 while it is exactly zero */
    int fresh_accelerations;            /* a and lambda belong to t, q, v */
    int started;                        /* the method may go on without start() */
    int own_state;                      /* q, v come from an integration, not from the user */
    int running;                        /* inside mbs_run: callbacks may not start another run ... */
    int may_change;                     /* ... but that of an event which restarts may set state, inputs, parameters */
    double event_from;                  /* events of the last step up to here are dealt with */
    void *block, *method_block;
    size_t block_size, method_size, self_size;
    int method_open;
    struct mbs_witness witness;
    double *witness_work;               /* 6 m */
    double *witness_start;              /* violations g, G v + gt where it began: 2 m */
    double witness_t0;                  /* where the state was set ... */
    long witness_steps, witness_looked; /* ... and the steps since then, in all and at the last look at the energy */
    struct mbs_account account;
    struct mbs_rush {                   /* a velocity is far above its mean: every step is held against the energy (witness.c) */
        int tries;                      /* how often the step under way was taken back */
        struct mbs_point from;          /* begin of that step ... */
        double energy;                  /* ... and T + U there */
        double off, noise;              /* by which the last try changed it; what rounding has been seen to change */
    } rush;
    struct mbs_hybrid *hybrid;          /* hybrid/hybrid.h; NULL: the model has no events */
    double event_to;                    /* the last step counts up to here */
    struct mbs_watch *watch;            /* the rank of the constraints; NULL: not watched */
    struct mbs_passages passages;
    int by_passage;                     /* the last step was one of a passage */
    struct mbs_derive *derive;          /* derivatives by parameters, NULL: none */
    int automatic;                      /* the method was chosen by "auto" and may be changed ... */
    int automatic_form;                 /* ... and so was the formulation */
};

/* border.c: 0 or MBS_BAD_ARGUMENT with a message */
int mbs_border_idle(struct mbs_sim *sim, const char *call);
int mbs_border_result(struct mbs_sim *sim, const void *out, const char *call);
int mbs_border_gaps(struct mbs_sim *sim, const char *call);             /* MBS_UNAVAILABLE: the model has one-sided constraints other than of a distance */
int mbs_border_smooth(struct mbs_sim *sim, const char *call);           /* or one of them is closed at the point at hand */
int mbs_border_time(struct mbs_sim *sim, double t, const char *what);
int mbs_border_values(struct mbs_sim *sim, const char *what, const struct mbs_name *names, const double *x, int n);
int mbs_border_run(struct mbs_sim *sim, const struct mbs_run *in);
int mbs_border_model(struct mbs_sim *sim);
int mbs_border_matrices(struct mbs_sim *sim, const char *call);         /* MBS_UNAVAILABLE for large trees */
/* options.c: values first, method and formulation when the model is set up ("auto" looks at it) */
int mbs_options_check(struct mbs_sim *sim, const struct mbs_options *opt);
int mbs_options_resolve(struct mbs_sim *sim, const struct mbs_method **method, enum mbs_form *form);
/* Can the method integrate this model with the options as of now?  Else a message says why not. */
int mbs_options_fit(struct mbs_sim *sim, const struct mbs_method *m);
const struct mbs_method *mbs_method_find(const char *name);
/* choose.c: what "auto" becomes */
const char *mbs_choose_method(struct mbs_sim *sim);
/* A zero is between a and b, where a function is fa and fb; the last place that was looked at became a (-1) or b (1). */
struct mbs_bracket {
    double a, fa, b, fb;
    int last;
};
/* The function is f at t, on b's side or on a's: regula falsi with the Illinois halving of the end that stays. */
static inline void mbs_bracket_take(struct mbs_bracket *k, double t, double f, int on_side_of_b)
{
    double *stays = on_side_of_b ? &k->fa : &k->fb;
    int now = on_side_of_b ? 1 : -1;

    *(on_side_of_b ? &k->b : &k->a) = t;
    *(on_side_of_b ? &k->fb : &k->fa) = f;
    if (k->last == now)
        *stays *= 0.5;
    k->last = now;
}

/* simulate.c: accelerations and multipliers at sim->s.x; the point at t of the last step, complete */
int mbs_sim_complete(struct mbs_sim *sim);
int mbs_sim_dense(struct mbs_sim *sim, double t, struct mbs_point *out);
/* a and lambda of (q, v) in place of those of the method, where these are worse: 1 if they were. */
int mbs_sim_refine(struct mbs_sim *sim, double t, const double *y, double *a, double *lambda);
/* q, v and z at least; what else it gave as a method's dense() says */
int mbs_sim_dense_motion(struct mbs_sim *sim, double t, struct mbs_point *out);
/* Another method from here on; the run must be started anew.  On failure all stays as it is. */
int mbs_sim_switch(struct mbs_sim *sim, const char *method);
/* Its method is of no use any more. */
void mbs_sim_close(struct mbs_sim *sim);
/* hybrid/when.c: discrete states as they start */
void mbs_hybrid_rewind(struct mbs_sim *sim);
/* hybrid/contact.c: what it allocated */
void mbs_touch_free(struct mbs_sim *sim);
/* modes.c: as mbs_modes() without a look at what motion it is, for all who want no more than the size of eigenvalues */
int mbs_modes_instant(struct mbs_sim *sim, struct mbs_modes *modes);
/* assembly.c: as mbs_assemble, from the state as of now and with these kinds of start values (enum mbs_init), without its
 * conditions */
int mbs_assemble_from(struct mbs_sim *sim, const unsigned char *q_init, const unsigned char *v_init);
/* assembly.c: start values of the model; the inputs stay as mbs_set_inputs() has set them */
int mbs_sim_initial(struct mbs_sim *sim, double *q, double *v, double *z);
void mbs_sim_outputs(struct mbs_sim *sim, const struct mbs_point *x, double *y);
/* derivatives.c: to t, within the last step; output: all that mbs_derivatives() shows */
int mbs_derive_to(struct mbs_sim *sim, double t, int output);
void mbs_derive_end(struct mbs_sim *sim);
/* derive_event.c: what the events that are due at s.x make of them; to be called before these happen */
int mbs_derive_event(struct mbs_sim *sim);
/* adjoint.c: a run begins, has ended; a place between two steps, where a checkpoint may be made; another method takes the place of the old one, 1: which is
 * still needed and not to be closed */
struct mbs_running;
int mbs_derive_run(const struct mbs_running *r);
void mbs_derive_leave(const struct mbs_running *r);
int mbs_derive_checkpoint(const struct mbs_running *r);
int mbs_derive_adopt(struct mbs_sim *sim, const struct mbs_sim *old);
/* witness.c: 0, MBS_INCONSISTENT or MBS_DRIFT; contradiction: 0 or MBS_INCONSISTENT */
void mbs_witness_reset(struct mbs_sim *sim, int goes_on);
void mbs_witness_leave(struct mbs_sim *sim);
void mbs_witness_restart(struct mbs_sim *sim);
int mbs_witness_step(struct mbs_sim *sim);
int mbs_witness_end(struct mbs_sim *sim, int status);
/* In a rush: before a step, and behind it; 1: it was taken back, and the method is to start anew with half of it */
void mbs_witness_rush(struct mbs_sim *sim);
int mbs_witness_rushed(struct mbs_sim *sim);
int mbs_witness_constraints(struct mbs_sim *sim);
int mbs_witness_contradiction(struct mbs_sim *sim);
/* watch.c: set-up; where a run begins: the rows that depend on others everywhere are left out from here on */
int mbs_watch_new(struct mbs_sim *sim);
void mbs_watch_free(struct mbs_sim *sim);
int mbs_watch_start(struct mbs_sim *sim);
/* The multipliers of x become those of least norm among all that give the same forces. */
void mbs_watch_shares(struct mbs_sim *sim, struct mbs_point *x);
/* run.c: is `a`, which may be infinite or NaN, the instant b but for rounding?  Times of rows and of samples are sums from the start on. */
int mbs_same_time(const struct mbs_sim *sim, double a, double b);
/* event.c: 1 if an event lies in the last step; then *t_event is just behind the first one and *which its number */
int mbs_event_find(struct mbs_sim *sim, const struct mbs_run *run, double *t_event, int *which);
void mbs_event_reset(struct mbs_sim *sim, const double *y);

#endif
