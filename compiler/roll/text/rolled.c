
/* --- what the functions want of the bodies: r at zero acceleration and M; M, rq and rv --- */
static void sweep_dynamics(const struct inner *in, double *r, double *M, double *w)
{
	struct state *x = (struct state *)w;
	sweep_forces(in->c, in->q, in->v, in->a, r, x);
#if MATRICES
	sweep_mass(in, M, x);
#endif
	(void)M;
}
#if MATRICES
static void sweep_matrices(const struct inner *in, double *M, double *rq, double *rv, double *w)
{
	struct state *x = (struct state *)w;
	struct line *l = (struct line *)(x + BODIES + 1);
	sweep_mass(in, M, x);
	sweep_lines(in, l, x);
	sweep_columns(in, rq, rv, l, (double *)(l + BODIES + 1));
}
#endif
