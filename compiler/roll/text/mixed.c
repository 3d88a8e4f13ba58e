
/* --- the functions of the model: the bodies, and what the model says beside them (rest_...) --- */
static void setup_tree(const double *restrict p, double *restrict c)
{
	REST_SETUP(p, c);
	for (int i = 0; i < CONSTANTS; i++)
		c[GRAVITY + i] = numbers[i];
	body_constants(c, c + GRAVITY);
}
static void dynamics_tree(const double *c, const struct mbs_state *s, const struct mbs_dynamics *out, double *w)
{
	double *r = w + REST_W, *M = r + BODIES, *space = M + REST_M;
	struct state *x = (struct state *)(space + INNER + MATRIX_SPACE);
	struct mbs_dynamics rest = *out;
	const struct inner in = enter(c, s, 0, space);
	const struct matrices loops = matrices_of(out->M, 0, 0, space + INNER);
	rest.M = M;
	REST_DYNAMICS(c, s, &rest, w);
	sweep_forces(in.c, in.q, in.v, in.a, x);
	for (int i = 0; i < M_CELLS; i++)
		loops.M[i] = 0.0;
	sweep_back(x, r, loops.M);
	leave_forces(&in, r, -1, out->f);
	leave_mass(&in, &loops, out->M);
	for (int i = 0; i < REST_M; i++)
		out->M[rest_M_at[i]] += M[i];
}
static void residual_tree(const double *c, const struct mbs_state *s, const struct mbs_residual *out, double *w)
{
	double *r = w + REST_W, *space = r + BODIES;
	struct state *x = (struct state *)(space + INNER);
	const struct inner in = enter(c, s, 1, space);
	REST_RESIDUAL(c, s, out, w);
	sweep_forces(in.c, in.q, in.v, in.a, x);
	sweep_back(x, r, 0);
	leave_forces(&in, r, 1, out->r);
}
static void jacobian_tree(const double *c, const struct mbs_state *s, const struct mbs_jacobian *out, double *w)
{
	double *M = w + REST_W, *rq = M + REST_M, *rv = rq + REST_RQ, *space = rv + REST_RV;
	struct state *x = (struct state *)(space + INNER + MATRIX_SPACE);
	struct mbs_jacobian rest = *out;
	const struct inner in = enter(c, s, 1, space);
	const struct matrices loops = matrices_of(out->M, out->rq, out->rv, space + INNER);
	rest.M = M, rest.rq = rq, rest.rv = rv;
	REST_JACOBIAN(c, s, &rest, w);
	for (int i = 0; i < M_CELLS; i++)
		loops.M[i] = 0.0;
	for (int i = 0; i < R_CELLS; i++)
		loops.rq[i] = loops.rv[i] = 0.0;
	sweep_jacobian(in.c, in.q, in.v, in.a, loops.rq, loops.rv, loops.M, x);
	leave_mass(&in, &loops, out->M);
	leave_columns(&in, &loops, x, out->rq, out->rv);
	for (int i = 0; i < REST_M; i++)
		out->M[rest_M_at[i]] += M[i];
	for (int i = 0; i < REST_RQ; i++)
		out->rq[rest_rq_at[i]] += rq[i];
	for (int i = 0; i < REST_RV; i++)
		out->rv[rest_rv_at[i]] += rv[i];
}
static void energy_tree(const double *c, const struct mbs_state *s, double *E, double *w)
{
	struct state *x = (struct state *)(w + REST_W + INNER);
	const struct inner in = enter(c, s, 0, w + REST_W);
	REST_ENERGY(c, s, E, w);
	sweep_velocities(in.c, in.q, in.v, x);
	E[0] += BALL_ENERGY(&in);
	E[1] += c[GRAVITY + 3];
	for (int i = 1; i <= BODIES; i++) {
		const struct vec *k = x[i].K, L = vec(k[1].z - k[2].y, k[2].x - k[0].z, k[0].y - k[1].x);
		E[0] += 0.5*(dot(x[i].V.u, x[i].p) + dot(x[i].V.w, L));
		E[1] += dot(x[0].A.u, add(x[i].h, times(x[i].m, x[i].origin)));
	}
}
#if POINTS
static void points_tree(const double *c, const struct mbs_state *s, double *xyz, double *w)
{
	struct state *x = (struct state *)(w + REST_W + INNER);
	const struct inner in = enter(c, s, 0, w + REST_W);
	REST_POINTS(c, s, xyz, w);
	ground(c, x);
	for (int i = 1; i <= BODIES; i++)
		pose_step(&tree[i], constants_of(in.c, tree[i].row), in.q[tree[i].coord], &x[i], &x[tree[i].parent]);
	for (int i = 0; i < POINTS; i++) {
		const struct state *b = &x[points[i].body];
		const double *p = c + PLACES + 3*points[i].place;
		struct vec r = add(add(b->origin, b->o), combined(b->R, vec(p[0], p[1], p[2])));
		xyz[3*point_at[i]] = r.x, xyz[3*point_at[i] + 1] = r.y, xyz[3*point_at[i] + 2] = r.z;
	}
}
#endif
