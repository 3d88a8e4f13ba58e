
/* M a = f of the bodies; `more` is added to the diagonal of M.  What an only child passes on goes to its parent, what
 * several do is added. */
static void sweep_accelerations(const double *c, const scalar *q, const scalar *v, const scalar *f,
	const scalar *more, scalar *a, scalar *x)
{
	scalar several[SLOTS] = { 0 }, *angle = x + SLOTS*(LINKS + 1);
	(void)more;
	for (int i = 0; i < SLOTS; i++)
		x[i] = K(0.0);
	angle[0] = K(0.0);
	for (int k = 0; k < 8; k++)
		angle[LINKS + 1 + k] = K(0.0);
	for (int i = 1; i <= LINKS; i++) {
		const struct body *t = &links[i];
		scalar *y = x + SLOTS*i;
		y[ANGLE] = SIGNED(t, q[t->coord]), y[RATE] = SIGNED(t, v[t->coord]);
		EACH_STEP(t->class, angle[i] = step_angle, ROW(t), angle[t->parent], y[ANGLE]);
	}
	sweep_sines(angle, x);
	ground_falls(x, c + GRAVITY);
	for (int i = 1; i <= LINKS; i++) {
		const struct body *t = &links[i];
		scalar *y = x + SLOTS*i;
		EACH_STEP(t->class, step_velocities, ROW(t), x + SLOTS*t->parent, y);
		if (!(t->only & 1))
			for (int k = PASSED; k < SLOTS; k++)
				y[k] = K(0.0);
	}
	for (int i = LINKS; i >= 1; i--) {
		const struct body *t = &links[i];
		scalar *y = x + SLOTS*i, *p = x + SLOTS*t->parent;
		y[FORCE] = SIGNED(t, f[t->coord]);
		if (ROTORS)
			y[MORE] = more[t->coord];
		EACH_STEP(t->class, step_forces, ROW(t), y, t->only & 2 ? p : several);
		if (!(t->only & 2))
			for (int k = PASSED; k < SLOTS; k++)
				p[k] += several[k];
	}
	for (int i = 1; i <= LINKS; i++) {
		const struct body *t = &links[i];
		scalar *y = x + SLOTS*i;
		EACH_STEP(t->class, step_accelerations, ROW(t), x + SLOTS*t->parent, y);
		a[t->coord] = SIGNED(t, y[ACC]);
	}
}
