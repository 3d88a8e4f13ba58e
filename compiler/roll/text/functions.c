
/* --- the functions of the model: the bodies, and what the model says beside them (rest_...) --- */
static void setup_tree(const double *restrict p, double *restrict c)
{
	REST_SETUP(p, c);
	for (int i = 0; i < CONSTANTS; i++)
		c[GRAVITY + i] = numbers[i];
	body_constants(c, c + GRAVITY);
}
#if LAWS
/* f += forces of the laws; M, if it is not 0, += inertias, counted by coordinates. */
static void laws_forces(const double *c, const struct mbs_state *s, double *f, double *M)
{
	for (int i = 0; i < LAWS; i++) {
		const struct law_values law = law_of(c, s, &laws[i]);
		f[laws[i].coord] += law.f;
		if (M)
			M[laws[i].coord] += law.m;
	}
}
#endif
static void dynamics_tree(const double *c, const struct mbs_state *s, const struct mbs_dynamics *out, double *w)
{
	double *r = w + REST_W, *M = r + BODIES, *space = M + REST_M + 1;
	struct state *x = (struct state *)(space + INNER);
	struct mbs_dynamics rest = *out;
	const struct inner in = enter(c, s, 0, space);
	rest.M = M;
	REST_DYNAMICS(c, s, &rest, w);
#if LAWS
	laws_forces(c, s, out->f, 0);
#endif
	sweep_forces(in.c, in.q, in.v, in.a, r, x);
	leave_forces(&in, r, -1, out->f);
#if MATRICES
	sweep_mass(&in, out->M, x);
	for (int i = 0; i < REST_M; i++)
		out->M[rest_M_at[i]] += M[i];
#if LAWS && ROTORS
	for (int i = 0; i < LAWS; i++)
		out->M[M_COLPTR[laws[i].coord]] += law_of(c, s, &laws[i]).m;
#endif
#endif
}
static void accelerations_tree(const double *c, const struct mbs_state *s, const struct mbs_accelerations *out,
	double *w)
{
	double *f = w + REST_W, *more = f + COORDS, *M = more + COORDS, *space = M + REST_M + 1;
	const struct inner in = enter(c, s, 0, space);
	struct mbs_dynamics rest = { .M = M, .f = f, .zdot = out->zdot };
	double *a = ACCELERATIONS(out->a, in.a);
	space += INNER;
#if CONSTRAINTS
	double *G = space, *gamma = G + G_COUNT;
	rest.G = G, rest.gamma = gamma;
	space = gamma + CONSTRAINTS;
#endif
	scalar *x = (scalar *)(space + BIND_SPACE);
	REST_DYNAMICS(c, s, &rest, w);
#if ROTORS
	for (int i = 0; i < COORDS; i++)
		more[i] = 0.0;
	for (int i = 0; i < REST_M; i++)
		more[rest_M_coord[i]] = M[i];
#endif
#if LAWS
	laws_forces(c, s, f, ROTORS ? more : 0);
#endif
	sweep_accelerations(in.c, in.q, in.v, FORCES_IN(&in, f, in.f), ROTORS_IN(more, in.f + BODIES), a, x);
	LEAVE_ACCELERATIONS(&in, a, out->a);
	out->unsafe[0] = 0.0;
	for (int i = 1; i <= BODIES; i++)
		if (!(x[SLOTS*i + DI] > 0.0 && x[SLOTS*i + DI] < 1e300))
			out->unsafe[0] = 1.0;
#if BOUND
	if (bind_rows(&in, G, gamma, a, out, x, space))
		out->unsafe[0] = 1.0;
#endif
#if BALLS
	bind_lengths(&in, G, f, out->lambda, out->lambda);
#endif
}
static void residual_tree(const double *c, const struct mbs_state *s, const struct mbs_residual *out, double *w)
{
	double *r = w + REST_W, *space = r + BODIES;
	const struct inner in = enter(c, s, 1, space);
	REST_RESIDUAL(c, s, out, w);
	sweep_forces(in.c, in.q, in.v, in.a, r, (struct state *)(space + INNER));
	leave_forces(&in, r, 1, out->r);
#if LAWS
	for (int i = 0; i < LAWS; i++) {
		const struct law_values law = law_of(c, s, &laws[i]);
		out->r[laws[i].coord] += law.m*s->a[laws[i].coord] - law.f;
	}
#endif
}
static void jacobian_tree(const double *c, const struct mbs_state *s, const struct mbs_jacobian *out, double *w)
{
	double *M = w + REST_W, *rq = M + REST_M, *rv = rq + REST_RQ;
	struct mbs_jacobian rest = *out;
	rest.M = M, rest.rq = rq, rest.rv = rv;
	REST_JACOBIAN(c, s, &rest, w);
#if MATRICES
	double *space = rv + REST_RV + 1;
	const struct inner in = enter(c, s, 1, space);
	struct state *x = (struct state *)(space + INNER);
	struct line *l = (struct line *)(x + BODIES + 1);
	sweep_mass(&in, out->M, x);
	sweep_lines(&in, l, x);
	sweep_columns(&in, out->rq, out->rv, l, (double *)(l + BODIES + 1));
	for (int i = 0; i < REST_M; i++)
		out->M[rest_M_at[i]] += M[i];
	for (int i = 0; i < REST_RQ; i++)
		out->rq[rest_rq_at[i]] += rq[i];
	for (int i = 0; i < REST_RV; i++)
		out->rv[rest_rv_at[i]] += rv[i];
#if LAWS
	for (int i = 0; i < LAWS; i++) {
		const struct law_values law = law_of(c, s, &laws[i]);
		int k = laws[i].coord, at = entry(R_COLPTR, R_ROWIDX, k, k);
		out->rq[at] -= law.fq, out->rv[at] -= law.fv, out->M[M_COLPTR[k]] += law.m;
	}
#endif
#endif
}
static void energy_tree(const double *c, const struct mbs_state *s, double *E, double *w)
{
	struct state *x = (struct state *)(w + REST_W + INNER);
	const struct inner in = enter(c, s, 0, w + REST_W);
	REST_ENERGY(c, s, E, w);
	sweep_velocities(in.c, in.q, in.v, x);
	E[0] += BALL_ENERGY(&in);
	E[1] += c[GRAVITY + 3];
#if LAWS
	for (int i = 0; i < LAWS; i++) {
		const struct law_values law = law_of(c, s, &laws[i]);
		E[law.m != 0.0 ? 0 : 1] += law.E;       /* of inertia, or potential */
	}
#endif
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		EACH_CLASS(t->class, pose_step, constants_of(in.c, t->row), &x[i], &x[t->parent]);
		energy_step(constants_of(c, t->row), &x[i], c + GRAVITY, &E[0], &E[1]);
	}
}
#if POINTS
static void points_tree(const double *c, const struct mbs_state *s, double *xyz, double *w)
{
	struct state *x = (struct state *)(w + REST_W + INNER);
	const struct inner in = enter(c, s, 0, w + REST_W);
	REST_POINTS(c, s, xyz, w);
	ground(&x[0], c + GRAVITY);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		EACH_CLASS(t->class, angle_step, constants_of(c, t->row), SIGNED(t, in.q[t->coord]), &x[i]);
		EACH_CLASS(t->class, pose_step, constants_of(in.c, t->row), &x[i], &x[t->parent]);
	}
	for (int i = 0; i < POINTS; i++)
		point_step(&x[points[i].body], c + PLACES + 3*points[i].place, xyz + 3*point_at[i]);
}
#endif
