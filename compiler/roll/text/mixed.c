
/* --- what the functions want of the bodies: r at zero acceleration and M; M, rq and rv --- */
static void sweep_dynamics(const struct inner *in, double *r, double *M, double *w)
{
	struct state *x = (struct state *)(w + MATRIX_SPACE);
	sweep_motion(in->c, in->q, in->v, in->a, x);
	sweep_back(x, 1, 0);
	forces_out(x, r);
	momenta_of_columns(x);
	put_matrices(in, x, M, 0, 0, w);
}
static void sweep_matrices(const struct inner *in, double *M, double *rq, double *rv, double *w)
{
	struct state *x = (struct state *)(w + MATRIX_SPACE);
	sweep_motion(in->c, in->q, in->v, in->a, x);
	sweep_back(x, 1, 1);
	momenta_of_columns(x);
	forces_of_columns(x);
	put_matrices(in, x, M, rq, rv, w);
}
