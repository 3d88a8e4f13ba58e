/* SPDX-License-Identifier: MIT
 *
 * mbs/mbs.h: the public interface of libmbs, which integrates the models that mbsc compiles.
 *
 *     struct mbs_options opt;
 *     struct mbs_sim *sim;
 *     mbs_options_init(&opt, &pendulum_model);
 *     if (mbs_new(&sim, &pendulum_model, NULL, &opt, NULL) == MBS_OK && mbs_assemble(sim, 0) == MBS_OK)
 *         mbs_advance(sim, 10.0);
 *     ... mbs_state(sim), mbs_message(sim), mbs_statistics(sim) ...
 *     mbs_free(sim);
 *
 * Conventions:
 * - A function that can fail returns a status: 0 is success; > 0 means that the run ended before its
 *   goal in good order and may be continued; < 0 is a failure.  mbs_message() says in words what
 *   happened, where, and which coordinate or constraint is concerned.
 * - What cannot be meant (NULL where something is needed, NaN, times out of order, ...) is answered with MBS_BAD_ARGUMENT
 *   and a sentence, and changes nothing.
 * - Whatever happened, mbs_state() holds the last accepted state, and results that were handed out stay valid.
 * - There is no global state: two simulations may run in two threads.  One simulation belongs to one
 *   thread at a time.
 * - Memory is allocated by mbs_new() and by the analyses, not while stepping; large linear systems (KLU) allocate
 *   when new pivots have to be chosen.
 * - Nothing is printed, nothing exits.
 */
#ifndef MBS_MBS_H
#define MBS_MBS_H

#include "mbs/model.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined __GNUC__ && !defined MBS_HIDDEN
#pragma GCC visibility push(default)    /* what libmbs.so offers; an FMU offers its own interface only */
#endif

enum mbs_status {
    MBS_OK = 0,
    /* ended early in good order; the same call goes on from here */
    MBS_EVENT = 1,          /* an event of kind MBS_EVENT_STOP, or one of the model that stops */
    MBS_CANCELLED = 2,      /* the cancel flag was set or a callback asked to stop */
    MBS_MAX_STEPS = 3,      /* max_steps steps were taken by this call */
    /* the end was reached, but the energy is off by more than 50 tolerances or positions by more than 100: the message says by how much, and what would do */
    MBS_DOUBTFUL = 4,
    /* failures */
    MBS_NO_MEMORY = -1,
    MBS_BAD_ARGUMENT = -2,  /* unknown method, formulation, negative tolerance or mass, wrong ABI, ... */
    MBS_UNAVAILABLE = -3,   /* the method needs a library this build lacks, or does not fit the model */
    MBS_NAN = -4,           /* the model returned NaN or infinity and smaller steps did not help */
    MBS_SINGULAR = -5,      /* M is singular on the motions that the constraints allow */
    MBS_INCONSISTENT = -6,  /* the constraints cannot be met (assembly, projection, start) */
    MBS_UNDERFLOW = -7,     /* the step became too small for the precision of t */
    MBS_NO_CONVERGENCE = -8,/* Newton iterations failed at a fixed step, or an analysis did not converge */
    MBS_ENDLESS = -10,      /* events of the model happen without end */
    MBS_DRIFT = -9          /* the witness: constraints or energy have left what the tolerances promise */
};

/* One short English phrase for a status. */
const char *mbs_status_text(int status);

struct mbs_message {
    int status;
    double t;               /* where it happened, NaN if that means nothing */
    int coord, constraint;  /* indices into model->coord, model->constraint; -1: none */
    char text[400];         /* one sentence, names as in the model */
};

/* A model from the text that `mbsc --tapes` writes, for machines without a C compiler: its functions are interpreted.  At most 64 of them
 * can be open at the same time. */
int mbs_interpret(const struct mbs_model **model, const char *text, unsigned long length, struct mbs_message *why);
void mbs_interpret_free(const struct mbs_model *model);

enum mbs_form {
    MBS_INDEX3,             /* g(q,t) = 0 */
    MBS_INDEX2,             /* G v + gt = 0 */
    MBS_INDEX1,             /* G a + gamma = 0 */
    MBS_GGL,                /* stabilized index 2: both g and G v + gt = 0, q' = v - G' mu (Gear, Gupta, Leimkuhler) */
    MBS_BAUMGARTE,          /* G a + gamma + 2 alpha (G v + gt) + beta^2 g = 0 */
    MBS_PROJECTED,          /* index 1, q and v projected onto the constraints after each step */
    MBS_FORMS
};
/* "index3", "index2", "index1", "ggl", "baumgarte", "projected" */
const char *mbs_form_name(enum mbs_form form);

struct mbs_options {
    const char *method;         /* name of a method, "auto" */
    const char *formulation;    /* name of a formulation, "auto": the method's own choice */
    double rtol, atol;          /* error per step, relative and absolute */
    const double *atol_y;       /* NULL, or one atol for each of q, v, z (2 nq + nz values) */
    double h0;                  /* first step; 0: estimated */
    double hmin, hmax;          /* 0: none */
    double step;                /* > 0: fixed step without error control */
    long max_steps;             /* of one call of mbs_run or mbs_advance */
    int project;                /* 1 or 0: project q, v after each step or not; -1: as the formulation says */
    double rho;                 /* genalpha: spectral radius at infinity, 0..1 */
    double alpha;               /* hht: -1/3..0 */
    double baumgarte_alpha, baumgarte_beta; /* 1/s; 0: 0.2 / largest step so far */
    int order_min, order_max;   /* methods of variable order, composition methods; 0: the method's own */
    const char *iteration;      /* genalpha, hht: "index2", "cs", "cm"; NULL or "auto": the method's own */
    const double *breaks;       /* ascending times of known discontinuities: steps end there, then restart */
    int nbreaks;
    int witness;                /* 0: none; 1: a run whose constraints or energy leave what the tolerances promise ends with MBS_DRIFT; 2, the default:
                                 * and one that is doubtful at its end with MBS_DOUBTFUL */
    int motion_steps;           /* 1: errors of derivatives by parameters are left out of the step control */
    void (*input)(void *user, double t, double *u);  /* u(t); NULL: the constant values of mbs_set_inputs */
    void *input_user;
};
/* Defaults, overridden by the experiment of the model (model may be NULL). */
void mbs_options_init(struct mbs_options *opt, const struct mbs_model *model);

struct mbs_statistics {
    long steps, accepted, rejected;     /* steps = accepted + rejected */
    long f;                             /* evaluations of dynamics or residual */
    long jac, lu, solves;               /* Jacobians, factorisations (saddle point and Newton), solutions */
    long newton, newton_failures;       /* iterations, attempts that did not converge */
    long projections, constraints;      /* projections and evaluations of g and G alone */
    long rank_drops;                    /* factorisations that found dependent constraint rows */
    long events, restarts;
    double h_first, h_last, h_min, h_max;       /* accepted steps */
    /* of time stepping: bounces, sweeps of Gauss-Seidel, and the largest certificate of a step relative to the velocities in question */
    long impacts, sweeps;
    double residual;
};

struct mbs_sim;

/* params: np values or NULL for the defaults.  msg may be NULL; it is filled on failure, when *sim is NULL. */
int mbs_new(struct mbs_sim **sim, const struct mbs_model *model, const double *params,
            const struct mbs_options *opt, struct mbs_message *msg);
/* As mbs_new() in the place of *sim, an old simulation of which nothing but memory and what was found out about the model is used again, or NULL; for many
 * short runs.  What the new one gives does not depend on the old one. */
int mbs_renew(struct mbs_sim **sim, const struct mbs_model *model, const double *params, const struct mbs_options *opt, struct mbs_message *msg);
void mbs_free(struct mbs_sim *sim);

/* The methods this library knows, in order; NULL after the last.  needs: the missing library, or NULL. */
struct mbs_method_info {
    const char *name, *summary, *needs;
    unsigned forms;             /* bits 1u << enum mbs_form */
    enum mbs_form form_default;
    int adaptive, fixed;        /* can control the step; can take a fixed step */
    int stepping;               /* steps over impacts without events, at order 1 across them */
};
const struct mbs_method_info *mbs_method_list(int i, struct mbs_method_info *info);

/* ---- state ---- */

/* The state as of now; pointers stay valid until mbs_free, contents change with each call. */
const struct mbs_state *mbs_state(const struct mbs_sim *sim);
/* Outputs (ny values) and energy (T, U) at the state as of now. */
int mbs_outputs(struct mbs_sim *sim, double *y);
int mbs_energy(struct mbs_sim *sim, double energy[2]);
/* Sets q, v, z (NULL: unchanged) and t.  The next call starts there; call mbs_assemble or mbs_consistent first
 * unless the state is known to be consistent (a and lambda are then solved for at the start). */
int mbs_set_state(struct mbs_sim *sim, double t, const double *q, const double *v, const double *z);
/* Forward dynamics at any t and x = (q, v, z), with the inputs as they are: accelerations, multipliers (NULL: not wanted) and rates of z (NULL
 * if there are none).  The state of the simulation does not change. */
int mbs_forward(struct mbs_sim *sim, double t, const double *x, double *a, double *lambda, double *zdot);
/* Constant inputs (nu values), effective from now on; a running integration restarts. */
int mbs_set_inputs(struct mbs_sim *sim, const double *u);
int mbs_set_parameters(struct mbs_sim *sim, const double *params);
/* The parameters as of now, which events of the model may have changed (discrete states), and the block c of the model's functions for
 * them.  They stay valid until mbs_free, contents change. */
const double *mbs_parameters(const struct mbs_sim *sim);
const double *mbs_constants(const struct mbs_sim *sim);
/* |g| and |G v + gt|, largest entries, and where. */
struct mbs_violation {
    double position, velocity;
    int position_row, velocity_row;     /* -1: none */
};
int mbs_violation(struct mbs_sim *sim, struct mbs_violation *out);

/* ---- consistent start ---- */

/* From the model's init at time t0: fixed values are kept, guesses move by weighted least change;
 * positions, velocities, then accelerations and multipliers. */
int mbs_assemble(struct mbs_sim *sim, double t0);
/* The same from the state as of now, every coordinate being a guess. */
int mbs_consistent(struct mbs_sim *sim);
/* Positions at t0 that meet the constraints and fixed start values, found from other guesses: the one that mbs_assemble takes
 * first, the others by their distance.  What whole turns and the sign of Euler parameters make of one position is one.  Each is as
 * near to the guesses as the remaining freedom lets it come.  The state as of now becomes that of mbs_assemble. */
struct mbs_assemblies {
    int count, nq;
    int starts;             /* how many guesses were tried ... */
    int lost;               /* ... and how many of them led nowhere */
    double *q;              /* count x nq */
    double *distance;       /* count: root of the weighted squares of the change from the guesses */
};
int mbs_assemblies(struct mbs_sim *sim, double t0, int starts, struct mbs_assemblies *out);
void mbs_assemblies_free(struct mbs_assemblies *out);
/* Rank of G and freedom at the state as of now.  redundant[i] (ng + nh bytes, may be NULL) is not zero for rows that do not count. */
enum mbs_row_rank {
    MBS_ROW_COUNTS,
    MBS_ROW_FOLLOWS,        /* it depends on earlier ones */
    MBS_ROW_VANISHES        /* it is zero there, but not beside it: a singular position */
};
struct mbs_rank {
    int rank, freedom;
    double condition;       /* 1 / smallest sine of the angle between an independent row and those before it */
};
int mbs_rank(struct mbs_sim *sim, struct mbs_rank *out, unsigned char *redundant);

/* ---- integration ---- */

enum mbs_event_action {
    MBS_EVENT_RECORD,       /* the callback sees it, the integration goes on undisturbed */
    MBS_EVENT_RESTART,      /* the force law changes there: the integrator restarts behind it */
    MBS_EVENT_STOP          /* mbs_run returns MBS_EVENT at the event */
};
/* A zero crossing of output number `output`: rising (+1), falling (-1) or both (0). */
struct mbs_event {
    int output, direction;
    enum mbs_event_action action;
};

/* An event of the model has happened, or something at a contact. */
struct mbs_happening {
    double t;
    int event;                          /* index into model->event and model->when; -1: it is at a contact */
    const struct mbs_state *before, *after;     /* of the members q, v, z; of contacts at one instant the first has the change */
    int contact;                        /* index into model->contact; -1 */
    const char *what;                   /* at a contact: impact, touches, leaves, sticks, slides; else NULL */
    double impulse;                     /* of an impact, along the normal */
};

struct mbs_run {
    double to;                      /* end; reached exactly.  Smaller than now: backwards, where the method can */
    const double *times;            /* outputs at these times (in the direction of integration), by dense output ... */
    int ntimes;
    double every;                   /* ... or at each multiple of every after the start; both unset: each step */
    /* Called at the times above and, where these are not a list, at the start, at the end, where an event stops the run, and before and
     * after an event of the model that records; at other times never twice.  At the instant of an event, but for
     * rounding, x is what it was before; at the start, behind the events there.
     * x with a, lambda and y (ny outputs); non-zero stops with MBS_CANCELLED.  NULL: no output. */
    int (*output)(void *user, const struct mbs_state *x, const double *y);
    /* After each accepted step; non-zero stops with MBS_CANCELLED.  May be NULL. */
    int (*progress)(void *user, double t, const struct mbs_statistics *stat);
    /* An event of index i was found at x.  May be NULL.  It may call mbs_set_state(sim, ...), as an impact
     * does, if the action is MBS_EVENT_RESTART. */
    int (*event)(void *user, struct mbs_sim *sim, int i, const struct mbs_state *x);
    /* Events of the model (`when`, `every`) happen by themselves; this is told of each.  Non-zero stops with MBS_CANCELLED.  May be NULL. */
    int (*happened)(void *user, struct mbs_sim *sim, const struct mbs_happening *what);
    void *user;
    const struct mbs_event *events;
    int nevents;
    const volatile int *cancel;     /* polled before each step; set it non-zero from a signal handler or thread */
};
void mbs_run_init(struct mbs_run *run, const struct mbs_model *model);
int mbs_run(struct mbs_sim *sim, const struct mbs_run *run);
/* mbs_run to t without output. */
int mbs_advance(struct mbs_sim *sim, double t);

/* Many runs of one model, several at a time in one thread: a model made with `mbsc --batch=N` computes N states at once, which explicit methods use,
 * each simulation with its own parameters, times and steps; with other methods, and without --batch, they run one after the other or in turns.
 * What a run gives does not depend on those beside it, nor on N; it differs from mbs_run() by rounding errors. */
struct mbs_feed {
    void *user;
    /* The next simulation, ready to run, and its run, which is initialised.  It stays in this lane, 0 to N - 1, until done() says that it ended,
     * with the status of mbs_run().  NULL: there is none now; asked again as long as other lanes have one, and the end if none has. */
    struct mbs_sim *(*next)(void *user, int lane, struct mbs_run *run);
    void (*done)(void *user, int lane, struct mbs_sim *sim, int status);
};
int mbs_run_batch(const struct mbs_model *model, const struct mbs_feed *feed);

/* Derivatives of the motion by parameters, for models made with `mbsc --sensitivity=...`.  To be called after mbs_assemble (and, with
 * equilibrium = 1, after mbs_equilibrium), whose result is differentiated, too; from then on every run carries them along,
 * in the step control too, by the tolerances of the motion (motion_steps of struct mbs_options: not).
 *  In the function `output` of a run they are those at x->t, after it those at the last output.
 * Events of the model are differentiated with their times, their assignments and impacts (the saltation matrix); contacts that stay closed end it, as do
 * events of a run that change the motion. */
struct mbs_derivatives {
    double t;
    int count;                          /* parameters ... */
    const int *param;                   /* ... and which */
    double *q, *v, *a;                  /* count x nq */
    double *lambda, *z, *y;             /* count x (ng + nh), nz, ny */
    double error;                       /* largest error of a step as a part of the tolerance, estimated */
    long steps;
};
int mbs_derivatives_begin(struct mbs_sim *sim, int equilibrium);
const struct mbs_derivatives *mbs_derivatives(const struct mbs_sim *sim);

/* Gradients of scalar costs by the same parameters, backwards: their price does not depend on the number of parameters.  begin() stands where
 * mbs_derivatives_begin() would; the run then keeps what the way back needs, in at most so many bytes (0: 256 MiB), beyond which it keeps
 * checkpoints and integrates the motion between them again, by the same steps (but methods of other libraries, which start anew there).  After
 * the run mbs_adjoint() gives d(cost)/d(param), costs x nsensitive, of costs known by their derivatives by the results:
 * weights[cost][row][i] for each row that the run has put out (without an output function there are none) and i over q, v, z and the outputs.
 * check (or NULL): for each cost by how much the gradient differs from a derivative along one direction of all parameters, which is integrated
 * forward beside the run and controls its steps as it does for mbs_derivatives(), relative; rounding errors if all is well. */
struct mbs_adjoint {
    long rows, steps;
    int checkpoints;
    double error;                       /* as in struct mbs_derivatives */
};
int mbs_adjoint_begin(struct mbs_sim *sim, int equilibrium, size_t memory);
int mbs_adjoint(struct mbs_sim *sim, int costs, const double *weights, double *gradient, double *check);
const struct mbs_adjoint *mbs_adjoint_seen(const struct mbs_sim *sim);

/* What the runs since the state was set are held against (struct mbs_options, witness). */
struct mbs_witness {
    double position, velocity;          /* largest |g| and |G v + gt| at the ends of steps ... */
    int position_row, velocity_row;     /* ... and where; -1: none */
    int balanced;                       /* the power of all that acts is known, and nothing has changed the state since then from outside */
    int conserves;                      /* it is zero: T + U is constant */
    double work;                        /* its integral ... */
    double jumps;                       /* ... and what events have changed T + U by: impacts, switches ... */
    double drift, drift_allowed;        /* ... from which its change differs by so much at most, and what the tolerances allow since the last event */
    double scale;                       /* largest T + range of U + work */
    double peak;                        /* the largest velocity over its mean if it is allowed errors beyond 100 times those of the mean, else 0 ... */
    int peak_coord;                     /* ... and whose it is; such errors stay for the rest of the run */
    double excess;                      /* drift over what tolerances make of the scale if that is beyond 50, else 0: the motion is off, too (MBS_DOUBTFUL) */
    double loose;                       /* index 3: errors of a step in velocities over their tolerance if beyond 100, else 0; index 2 or GGL count them */
    double strayed;                     /* violation of a position over what tolerances of coordinates make of it if beyond 100, else 0 (MBS_DOUBTFUL) */
    double used;                        /* largest of all as a part of what is allowed; above 1: MBS_DRIFT */
};
const struct mbs_witness *mbs_witness(const struct mbs_sim *sim);

/* Singular positions, in which constraints depend on each other for a moment, that the runs since the state was set have passed. */
enum { MBS_PASSAGES = 8 };
struct mbs_passages {
    int count;                          /* how many; the first MBS_PASSAGES are described: */
    double t[MBS_PASSAGES];
    char rows[MBS_PASSAGES][120];       /* names of the rows that depend on each other there */
    int redundant;                      /* rows that depend on others everywhere and were left out; multipliers are those of least norm */
    int stepped;                        /* contacts met without end, and "auto" has gone on by time stepping ... */
    double stepped_from, step;          /* ... from this time on, with this step */
};
const struct mbs_passages *mbs_passages(const struct mbs_sim *sim);

const struct mbs_message *mbs_message(const struct mbs_sim *sim);
const struct mbs_statistics *mbs_statistics(const struct mbs_sim *sim);
/* What "auto" became. */
const char *mbs_method(const struct mbs_sim *sim);
enum mbs_form mbs_formulation(const struct mbs_sim *sim);

/* ---- analyses at the state as of now ---- */

/* Static equilibrium near the state as of now: v = 0, forces balanced, constraints met. */
int mbs_equilibrium(struct mbs_sim *sim);

/* A steady motion near the state as of now: all that is not cyclic is at rest or turns at constant speed.  Speeds given
 * by `init x' = ...` are kept. */
int mbs_steady(struct mbs_sim *sim);

/* What the state as of now is: at rest; on a steady motion, at constant speeds along cyclic coordinates, on which nothing
 * else depends, or along a symmetry of the model; neither, so that a linearisation holds at this instant only. */
enum mbs_motion { MBS_AT_REST, MBS_STEADY, MBS_UNSTEADY };

/* The motion linearised about the state as of now in minimal coordinates x = (y, w, z): some of the coordinates, some of the
 * velocities, the states.  Matrices are dense, row-major. */
struct mbs_linearization {
    int nx, nqi, nvi, nz;   /* nx = nqi + nvi + nz */
    int nu, ny;             /* inputs, outputs */
    double *A, *B, *C, *D;  /* dx' = A dx + B du, dy = C dx + D du: nx x nx, nx x nu, ny x nx, ny x nu */
    double *rate;           /* x' at the state */
    double *dq, *dv;        /* nq x nx: the change of all coordinates and velocities with x */
    int *q, *v;             /* the coordinates y, and those whose velocities are w */
    int *cyclic;            /* nx: 1 where nothing but cyclic coordinates depends on it */
    enum mbs_motion motion;
    int restless;           /* MBS_UNSTEADY: a state that keeps it from being steady, else -1 */
    int timed;              /* MBS_UNSTEADY: time itself changes the rates */
    /* A motion along a symmetry of the model, that coordinates do not show (Euler parameters, coordinates of several bodies): x is taken in the
     * frame that moves along, in which A is constant; A + frame is the derivative in coordinates that do not move.  Else zero. */
    double *frame;          /* nx x nx */
    double *neutral;        /* nx x nneutral: basis of the changes along cyclic coordinates or symmetries, which last */
    int nneutral;
    int by_symmetry;        /* 1: along a symmetry, 0: along cyclic coordinates */
};
int mbs_linearize(struct mbs_sim *sim, struct mbs_linearization *x);
void mbs_linearization_free(struct mbs_linearization *x);

/* H = C (i omega - A)^-1 B + D at omega rad/s: ny complex pairs for each of the nu inputs.  Infinite at a pole. */
int mbs_frequency_response(const struct mbs_linearization *x, double omega, double *H);

/* The same without a choice of coordinates: E dx' = A dx + B du in x = (q, v, z, lambda), with the constraints on
 * velocities as the last rows.  n = 2 nq + nz + ng + nh. */
struct mbs_descriptor {
    int n, nu;
    double *E, *A, *B;
};
int mbs_descriptor(struct mbs_sim *sim, struct mbs_descriptor *d);
void mbs_descriptor_free(struct mbs_descriptor *d);

/* Eigenvalues of the motion linearised about the state as of now. */
struct mbs_modes {
    int count;              /* eigenvalues s = re + i im; conjugate pairs stand together, im > 0 first */
    int nq;
    double *re, *im;
    double *frequency;      /* |s| / (2 pi), Hz */
    double *damping;        /* -re / |s| */
    double *shape;          /* count x nq complex pairs: coordinates, largest component 1 */
    enum mbs_motion motion;
    int restless;           /* MBS_UNSTEADY: a coordinate that keeps it from being steady; -1: none or a state z */
    int timed;              /* MBS_UNSTEADY: time itself does */
    int by_symmetry;        /* MBS_STEADY: along a symmetry of the model rather than cyclic coordinates */
};
int mbs_modes(struct mbs_sim *sim, struct mbs_modes *modes);
void mbs_modes_free(struct mbs_modes *modes);

#if defined __GNUC__ && !defined MBS_HIDDEN
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
