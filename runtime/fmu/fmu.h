/* SPDX-License-Identifier: MIT
 *
 * fmu.h: one instance of a model for the Functional Mock-up Interface, whatever its version.
 *
 * Value references count one list: time, q, v, z, the rates of q, v, z, u, y, kinetic and potential energy, lambda, parameters, event
 * indicators; then what DAE mode adds: its switch, accelerations, and residuals: of the motion, of the constraints on the levels of acceleration,
 * velocity and position.
 * The states of Model Exchange are (q, v, z) in this order.  The compiled model has more outputs than the interface: behind the ny
 * that the user declared stand the entries of their Jacobian, which fmu_model.c describes. */
#ifndef MBS_FMU_H
#define MBS_FMU_H

#include "analysis/linear.h"

#include <stddef.h>

/* fmu_model.c, written with the model */
struct fmu_entry {
    int output;             /* row */
    char by;                /* 'q' 'v' 'a' 'l' 'z' 'u' */
    int index;
};
extern const struct mbs_model *const fmu_model;
extern const int fmu_outputs;                   /* of the interface */
extern const struct fmu_entry fmu_entry[];      /* entry k is output fmu_outputs + k of the model */
extern const int fmu_entries;
extern const double fmu_params[];               /* parameters as `mbs fmu --set` left them ... */
extern const unsigned char fmu_given[];         /* ... and which of them do not follow from others */
extern const char fmu_token[];
extern const char fmu_method[];                 /* what "auto" is for this model; "": let it choose */

/* First value reference of each block, and one past the last. */
struct fmu_blocks {
    unsigned time, q, v, z, dq, dv, dz, u, y, energy, lambda, param, guard, dae, acceleration, r, ga, gv, g, end;
};

enum fmu_mode { FMU_SET_UP, FMU_INITIALIZE, FMU_EVENT, FMU_CONTINUOUS, FMU_STEP, FMU_ENDED };
enum fmu_log { FMU_LOG_WARNING, FMU_LOG_ERROR };

struct fmu {
    const struct mbs_model *model;
    struct mbs_sim *sim;
    struct mbs_linear lin;
    struct fmu_blocks at;
    enum fmu_mode mode;
    int co_simulation;
    int nx;                     /* states */
    int guards;                 /* event indicators: one for each `when`, none for `every` */
    double t, t_start, rtol;
    double *x;                  /* q, v, z */
    double *start;              /* ... as modelDescription.xml has them: assembled with default parameters */
    double *u, *u_before;       /* inputs; at the last communication point */
    double *u_rate;             /* nu x FMU_ORDERS derivatives of inputs from t on */
    int u_moves;                /* some rate is not zero */
    double *rate;               /* v, a, zdot */
    double *lambda, *y;         /* y with the Jacobian of outputs behind it */
    double energy[2];
    double *param;
    double *guard;              /* nevent: guards as the model has them */
    unsigned char *given, *x_set;       /* parameters that were set; start values that were set */
    int stale;                  /* rates and lambda ... */
    int stale_y, stale_r;       /* ... and outputs, residuals do not belong to t, x, u */
    int dae;                    /* in Continuous-Time Mode accelerations and multipliers are the importer's, who makes the residuals vanish */
    double *residual;           /* r n, ga m, gv m, g m, zdot: n + 3 m + nz */
    int assembled;
    int factored;               /* the Jacobian and the factors belong to t, x, u */
    int moved;                  /* the projection has changed the states */
    int stopped;                /* Co-Simulation: an event of the model has ended it */
    int doubtful, warned;       /* ... the witness doubts the motion; the last step has said so */
    double *seed, *rhs;         /* fmu_seeds(): directions; n + m */
    double *projected;          /* 2 n */
    unsigned char *kind;        /* 2 n */
    void *block;
    void (*log)(void *user, enum fmu_log, const char *text);
    void *user;
};
enum { FMU_ORDERS = 3 };

struct fmu *fmu_new(int co_simulation, void (*log)(void *, enum fmu_log, const char *), void *user);
void fmu_free(struct fmu *);
int fmu_reset(struct fmu *);            /* all of these: 0 is success, else the reason was logged */

int fmu_start_at(struct fmu *, double t, double rtol);  /* rtol 0: the model's own */
int fmu_initialize(struct fmu *);                       /* end of the initialisation */
int fmu_get(struct fmu *, size_t n, const unsigned *reference, double *value);
int fmu_set(struct fmu *, size_t n, const unsigned *reference, const double *value);
int fmu_set_input_rate(struct fmu *, unsigned reference, int order, double value);
void fmu_set_time(struct fmu *, double t);
void fmu_set_states(struct fmu *, const double *x);
int fmu_rates(struct fmu *);            /* makes f->rate and f->lambda fresh */
int fmu_complete_step(struct fmu *);    /* projects; f->moved says whether states changed */
int fmu_step(struct fmu *, double t, double h);         /* from t, where it is, to t + h, or to the event that sets f->stopped */
/* Model Exchange: one indicator for each guard, which changes its sign where the event is to happen; then what is due happens.  *ends: an
 * event ends the simulation; *next: the time of the next `every`, infinite if there is none. */
int fmu_indicators(struct fmu *, double *z);
int fmu_event(struct fmu *, int *ends, double *next);
int fmu_in_dae(const struct fmu *);
int fmu_set_dae(struct fmu *, int on);
int fmu_continuous(struct fmu *);       /* into Continuous-Time Mode */
/* jv = (d unknown / d known) dv, and its transpose */
int fmu_directional(struct fmu *, size_t nz, const unsigned *unknown, size_t nv, const unsigned *known, const double *dv, double *jv);
int fmu_adjoint(struct fmu *, size_t nz, const unsigned *unknown, size_t nv, const unsigned *known, const double *dz, double *jv);

/* between the files */
int fmu_complain(struct fmu *, const char *fmt, ...);
int fmu_outputs_of(struct fmu *);       /* makes f->y and the energies fresh */
struct mbs_state fmu_state_of(struct fmu *);
size_t fmu_seeds(const struct fmu *);

/* The state as doubles. */
size_t fmu_state_size(const struct fmu *);
void fmu_state_get(const struct fmu *, double *);
int fmu_state_set(struct fmu *, const double *);
#endif
