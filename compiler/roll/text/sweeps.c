
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
/* M a = f of the bodies; `more` is added to the diagonal of M.  What an only child passes on goes to its parent, what
 * several do is added. */
static void sweep_accelerations(const double *c, const scalar *q, const scalar *v, const scalar *f,
	const scalar *more, scalar *a, scalar *x)
{
	scalar several[SLOTS] = { 0 }, *angle = x + SLOTS*(BODIES + 1);
	(void)more;
	for (int i = 0; i < SLOTS; i++)
		x[i] = K(0.0);
	angle[0] = K(0.0);
	for (int k = 0; k < 8; k++)
		angle[BODIES + 1 + k] = K(0.0);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		scalar *y = x + SLOTS*i;
		y[ANGLE] = SIGNED(t, q[t->coord]), y[RATE] = SIGNED(t, v[t->coord]);
		EACH_STEP(t->class, angle[i] = step_angle, ROW(t), angle[t->parent], y[ANGLE]);
	}
	sweep_sines(angle, x);
	ground_falls(x, c + GRAVITY);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		scalar *y = x + SLOTS*i;
		EACH_STEP(t->class, step_velocities, ROW(t), x + SLOTS*t->parent, y);
		if (!(t->only & 1))
			for (int k = PASSED; k < SLOTS; k++)
				y[k] = K(0.0);
	}
	for (int i = BODIES; i >= 1; i--) {
		const struct body *t = &tree[i];
		scalar *y = x + SLOTS*i, *p = x + SLOTS*t->parent;
		y[FORCE] = SIGNED(t, f[t->coord]);
		if (ROTORS)
			y[MORE] = more[t->coord];
		EACH_STEP(t->class, step_forces, ROW(t), y, t->only & 2 ? p : several);
		if (!(t->only & 2))
			for (int k = PASSED; k < SLOTS; k++)
				p[k] += several[k];
	}
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		scalar *y = x + SLOTS*i;
		EACH_STEP(t->class, step_accelerations, ROW(t), x + SLOTS*t->parent, y);
		a[t->coord] = SIGNED(t, y[ACC]);
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
