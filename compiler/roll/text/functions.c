
/* --- the functions of the model: the bodies, and what the model says beside them (rest_...) --- */
static void setup_tree(const double *restrict p, double *restrict c)
{
	rest_setup(p, c);
	for (int i = 0; i < NUMBERS; i++)
		c[GRAVITY + i] = numbers[i];
	body_constants(c, c + GRAVITY);
#if MIXED
	make_lanes(c);
#endif
}
#if MATRICES
static MBS_INLINE void add_entries(int n, const int *at, const double *from, double *to)
{
	for (int i = 0; i < n; i++)
		to[at[i]] += from[i];
}
#endif
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
	struct mbs_dynamics rest = *out;
	const struct inner in = enter(c, s, 0, space);
	rest.M = M;
	rest_dynamics(c, s, &rest, w);
#if LAWS
	laws_forces(c, s, out->f, 0);
#endif
	sweep_dynamics(&in, r, out->M, space + INNER);
	leave_forces(&in, r, -1, out->f);
#if MATRICES
	add_entries(REST_M, rest_M_at, M, out->M);
#if LAWS && ROTORS
	for (int i = 0; i < LAWS; i++)
		out->M[M_COLPTR[laws[i].coord]] += law_of(c, s, &laws[i]).m;
#endif
#endif
}
#if RESIDUAL
static void residual_tree(const double *c, const struct mbs_state *s, const struct mbs_residual *out, double *w)
{
	double *r = w + REST_W, *space = r + BODIES;
	const struct inner in = enter(c, s, 1, space);
	rest_residual(c, s, out, w);
	sweep_forces(in.c, in.q, in.v, in.a, r, (struct state *)(space + INNER));
	leave_forces(&in, r, 1, out->r);
#if LAWS
	for (int i = 0; i < LAWS; i++) {
		const struct law_values law = law_of(c, s, &laws[i]);
		out->r[laws[i].coord] += law.m*s->a[laws[i].coord] - law.f;
	}
#endif
}
#endif
static void jacobian_tree(const double *c, const struct mbs_state *s, const struct mbs_jacobian *out, double *w)
{
	double *M = w + REST_W, *rq = M + REST_M, *rv = rq + REST_RQ;
	struct mbs_jacobian rest = *out;
	rest.M = M, rest.rq = rq, rest.rv = rv;
	rest_jacobian(c, s, &rest, w);
#if MATRICES
	double *space = rv + REST_RV + 1;
	const struct inner in = enter(c, s, 1, space);
	sweep_matrices(&in, out->M, out->rq, out->rv, space + INNER);
	add_entries(REST_M, rest_M_at, M, out->M);
	add_entries(REST_RQ, rest_rq_at, rq, out->rq);
	add_entries(REST_RV, rest_rv_at, rv, out->rv);
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
	const struct inner in = enter(c, s, 0, w + REST_W);
	rest_energy(c, s, E, w);
	E[0] += BALL_ENERGY(&in);
	E[1] += c[GRAVITY + 3];
#if LAWS
	for (int i = 0; i < LAWS; i++) {
		const struct law_values law = law_of(c, s, &laws[i]);
		E[law.m != 0.0 ? 0 : 1] += law.E;       /* of inertia, or potential */
	}
#endif
	sweep_energies(in.c, in.q, in.v, E, (struct state *)(w + REST_W + INNER));
}
#if POINTS
static void points_tree(const double *c, const struct mbs_state *s, double *xyz, double *w)
{
	struct state *x = (struct state *)(w + REST_W + INNER);
	const struct inner in = enter(c, s, 0, w + REST_W);
	rest_points(c, s, xyz, w);
	sweep_poses(in.c, in.q, x);
	for (int i = 0; i < POINTS; i++)
		point_step(x, points[i].body, c + PLACES + 3*points[i].place, xyz + 3*point_at[i]);
}
#endif
