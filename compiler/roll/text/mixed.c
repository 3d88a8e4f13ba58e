
/* --- what the functions want of the bodies: r at zero acceleration and M; M, rq and rv --- */
static void sweep_dynamics(const struct inner *in, double *r, double *M, double *w)
{
	struct state *x = (struct state *)(w + MATRIX_SPACE);
	const struct matrices loops = matrices_of(M, 0, 0, w);
	sweep_motion(in->c, in->q, in->v, in->a, x);
	for (int i = 0; i < M_CELLS; i++)
		loops.M[i] = 0.0;
	sweep_back(x, r, loops.M);
	leave_mass(in, &loops, M);
}
static void sweep_matrices(const struct inner *in, double *M, double *rq, double *rv, double *w)
{
	struct state *x = (struct state *)(w + MATRIX_SPACE);
	const struct matrices loops = matrices_of(M, rq, rv, w);
	for (int i = 0; i < M_CELLS; i++)
		loops.M[i] = 0.0;
	for (int i = 0; i < R_CELLS; i++)
		loops.rq[i] = loops.rv[i] = 0.0;
	sweep_jacobian(in->c, in->q, in->v, in->a, loops.rq, loops.rv, loops.M, x);
	leave_mass(in, &loops, M);
	leave_columns(in, &loops, x, rq, rv);
}
