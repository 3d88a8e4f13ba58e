
/* What the change of inverse dynamics with the state is made of, a body: V, (X V_p) x S = V x S, (X A_p) x S, I V,
 * S x* F, r = S' F. */
struct line {
	struct frame f;
	double S[D], Sv[D], V[D], VS[D], AS[D], L[D], FS[D], r;
};
static void sweep_lines(const struct inner *in, struct line *l, struct state *x)
{
	const double *c = in->c;
	sweep_velocities(c, in->q, in->v, x);
	for (int i = 1; i <= BODIES; i++)
		motion_of(&x[i], l[i].V);
	ground_accelerates(&x[0], c + GRAVITY);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		const struct constants *b = constants_of(c, t->row);
		double rate = SIGNED(t, in->v[t->coord]), acceleration = SIGNED(t, in->a[t->coord]), A[D], B[D];
		EACH_CLASS(t->class, inverse_step, b, acceleration, &x[i], &x[t->parent]);
		EACH_CLASS(t->class, frame_step, b, &x[i], &l[i].f, l[i].S);
		for (int j = 0; j < D; j++)
			l[i].Sv[j] = l[i].S[j]*rate;
		motion_of(&x[i], A);
		cross_motion_real(l[i].V, l[i].S, l[i].VS);
		cross_motion_real(l[i].V, l[i].Sv, B);
		for (int j = 0; j < D; j++)
			A[j] -= l[i].S[j]*acceleration + B[j];
		cross_motion_real(A, l[i].S, l[i].AS);
		inertia_times(b, l[i].V, l[i].L);
	}
	for (int i = BODIES; i >= 1; i--) {
		const struct body *t = &tree[i];
		double F[D];
		force_of(&x[i], F);
		cross_force_real(l[i].S, F, l[i].FS);
		EACH_CLASS(t->class, l[i].r = force_step, constants_of(c, t->row), &x[i], &x[t->parent]);
	}
}
/* The change of F of a body for changes s = (dV, dA) of its motion. */
static void force_change(const struct constants *b, const struct line *l, const double *s, double *F)
{
	double a[D], m[D], o[D];
	inertia_times(b, s + D, F);
	inertia_times(b, s, m);
	cross_force_real(s, l->L, a);
	cross_force_real(l->V, m, o);
	for (int j = 0; j < D; j++)
		F[j] += a[j] + o[j];
}
