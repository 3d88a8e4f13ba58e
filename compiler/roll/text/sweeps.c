
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
/* M a = f, of the bodies alone; `more` is added to the diagonal of M. */
static void sweep_accelerations(const double *c, const scalar *q, const scalar *v, const scalar *f,
	const scalar *more, scalar *a, struct state *x)
{
	(void)more;
	ground(&x[0], c + GRAVITY);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		const struct constants *b = constants_of(c, t->row);
		EACH_CLASS(t->class, angle_step, b, SIGNED(t, q[t->coord]), &x[i]);
		EACH_CLASS(t->class, velocity_step, b, SIGNED(t, v[t->coord]), &x[i], &x[t->parent]);
		bias_step(b, &x[i]);
		no_inertia(&x[i]);
	}
	for (int i = BODIES; i >= 1; i--) {
		const struct body *t = &tree[i];
		EACH_CLASS(t->class, articulated_step, constants_of(c, t->row), SIGNED(t, f[t->coord]), ROTORS
			? more[t->coord]
			: K(0.0), &x[i], &x[t->parent]);
	}
	ground_accelerates(&x[0], c + GRAVITY);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		scalar r = K(0.0);
		EACH_CLASS(t->class, r = acceleration_step, constants_of(c, t->row), &x[i], &x[t->parent]);
		a[t->coord] = SIGNED(t, r);
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
