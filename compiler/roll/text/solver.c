static int newton_tree(const double *c, const struct mbs_state *s, int parts, const double *shift, double *l, double *w)
{
	double *M = w + REST_W, *rq = M + REST_M, *rv = rq + REST_RQ, *sum = rv + REST_RV, *x = sum + 3*BODIES;
	struct mbs_jacobian rest = { .M = M, .rq = rq, .rv = rv };
	REST_JACOBIAN(c, s, &rest, w);
	for (int i = 0; i < 3*BODIES; i++)
		sum[i] = 0.0;
	for (int i = 0; i < REST_RQ; i++)
		sum[rest_rq_coord[i]] = rq[i];
	for (int i = 0; i < REST_RV; i++)
		sum[BODIES + rest_rv_coord[i]] = rv[i];
	for (int i = 0; i < REST_M; i++)
		sum[2*BODIES + rest_M_coord[i]] = M[i];
	if (parts == 2)
		return factor_complex(c, s, (const double complex *)shift, sum, sum + BODIES, sum + 2*BODIES, (struct link_complex *)l, x);
	return factor_real(c, s, shift, sum, sum + BODIES, sum + 2*BODIES, (struct link_real *)l, x);
}
static void newton_solve_tree(int parts, double *l, double *x)
{
	if (parts == 2) {
		struct link_complex *at = (struct link_complex *)l;
		substitute_complex(at, (double complex *)x, (double complex (*)[2*D])(at + BODIES));
	} else {
		struct link_real *at = (struct link_real *)l;
		substitute_real(at, x, (double (*)[2*D])(at + BODIES));
	}
}
