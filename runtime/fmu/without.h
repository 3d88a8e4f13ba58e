/* SPDX-License-Identifier: MIT
 *
 * without.h: what an FMU leaves out of the core, as functions that do nothing.  Included by fmu_model.c, which is written with the model and
 * says what it has. */
#include "hybrid/hybrid.h"

/* derivatives of runs by parameters */
int mbs_derive_to(struct mbs_sim *sim, double t, int output) { return (void)sim, (void)t, (void)output, 0; }
void mbs_derive_end(struct mbs_sim *sim) { (void)sim; }
int mbs_derive_run(const struct mbs_running *r) { return (void)r, 0; }
void mbs_derive_leave(const struct mbs_running *r) { (void)r; }
int mbs_derive_checkpoint(const struct mbs_running *r) { return (void)r, 0; }
int mbs_derive_adopt(struct mbs_sim *sim, const struct mbs_sim *old) { return (void)sim, (void)old, 0; }
int mbs_derive_event(struct mbs_sim *sim) { return (void)sim, 0; }

/* eigenvalues, by which "auto" would find a stiff model at its start: mbs fmu has looked (fmu_method) */
int mbs_modes_instant(struct mbs_sim *sim, struct mbs_modes *modes) { return (void)sim, (void)modes, MBS_UNAVAILABLE; }
void mbs_modes_free(struct mbs_modes *modes) { (void)modes; }

#ifndef FMU_EVENTS
void mbs_hybrid_layout(struct mbs_sim *sim, struct mbs_work *w) { (void)sim, (void)w; }
void mbs_hybrid_parameters(struct mbs_sim *sim) { (void)sim; }
void mbs_hybrid_rewind(struct mbs_sim *sim) { (void)sim; }
void mbs_hybrid_start(struct mbs_sim *sim) { (void)sim; }
double mbs_hybrid_stop(const struct mbs_sim *sim) { return (void)sim, 0; }
int mbs_hybrid_find(struct mbs_sim *sim, double *t, int *due) { return (void)sim, (void)t, *due = 0; }
int mbs_hybrid_records(struct mbs_sim *sim) { return (void)sim, 0; }
int mbs_hybrid_happen(struct mbs_sim *sim, const struct mbs_run *run, int *stop) { return (void)sim, (void)run, *stop = -1, 0; }
#endif

#ifndef FMU_CONTACTS
void mbs_touch_layout(struct mbs_sim *sim, struct mbs_work *w) { (void)sim, (void)w; }
void mbs_touch_free(struct mbs_sim *sim) { (void)sim; }
int mbs_touch_begin(struct mbs_sim *sim) { return (void)sim, 0; }
int mbs_touch_resolve(struct mbs_sim *sim, int *hit) { return (void)sim, *hit = 0; }
void mbs_touch_guards(struct mbs_sim *sim, const struct mbs_point *x, double *h, double *hdot) { (void)sim, (void)x, (void)h, (void)hdot; }
double mbs_touch_power(const struct mbs_problem *p) { return (void)p, 0; }
double mbs_touch_drift(struct mbs_sim *sim) { return (void)sim, 0; }
int mbs_touch_inside(const struct mbs_sim *sim, int i) { return (void)sim, (void)i, 0; }
void mbs_touch_straighten(struct mbs_sim *sim) { (void)sim; }
void mbs_touch_turn(struct mbs_sim *sim) { (void)sim; }
int mbs_touch_forces(struct mbs_problem *p, double t, const double *y, double *a, double *lambda)
{
    return (void)p, (void)t, (void)y, (void)a, (void)lambda, 0;
}
#endif
