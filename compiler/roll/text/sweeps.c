
/* --- sweeps over all bodies --- */
static void sweep_velocities(const double *c, const scalar *q, const scalar *v, struct state *x)
{
	ground(&x[0], c + GRAVITY);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		const struct constants *b = constants_of(c, t->row);
		EACH_CLASS(t->class, angle_step, b, SIGNED(t, q[t->coord]), &x[i]);
		EACH_CLASS(t->class, velocity_step, b, SIGNED(t, v[t->coord]), &x[i], &x[t->parent]);
	}
}
/* r = M a - f, of the bodies alone. */
static void sweep_forces(const double *c, const scalar *q, const scalar *v, const scalar *a, scalar *r, struct state *x)
{
	sweep_velocities(c, q, v, x);
	ground_accelerates(&x[0], c + GRAVITY);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		EACH_CLASS(t->class, inverse_step, constants_of(c, t->row), a ? SIGNED(t, a[t->coord]) : K(0.0), &x[i],
			&x[t->parent]);
	}
	for (int i = BODIES; i >= 1; i--) {
		const struct body *t = &tree[i];
		scalar e = K(0.0);
		EACH_CLASS(t->class, e = force_step, constants_of(c, t->row), &x[i], &x[t->parent]);
		r[t->coord] = SIGNED(t, e);
	}
}
/* E[0] += kinetic, E[1] += potential energy */
static void sweep_energies(const double *c, const scalar *q, const scalar *v, double *E, struct state *x)
{
	sweep_velocities(c, q, v, x);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		EACH_CLASS(t->class, pose_step, constants_of(c, t->row), &x[i], &x[t->parent]);
		energy_step(constants_of(c, t->row), &x[i], c + GRAVITY, &E[0], &E[1]);
	}
}
#if POINTS
static void sweep_poses(const double *c, const scalar *q, struct state *x)
{
	ground(&x[0], c + GRAVITY);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		EACH_CLASS(t->class, angle_step, constants_of(c, t->row), SIGNED(t, q[t->coord]), &x[i]);
		EACH_CLASS(t->class, pose_step, constants_of(c, t->row), &x[i], &x[t->parent]);
	}
}
#endif
