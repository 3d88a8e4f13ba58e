/* Rows go into the matrices of the model at once; but for the last runs, some of which would be written beyond the
 * ends, four rows at a time: those go through `w`. */
enum { M_REST = M_COUNT - M_SAFE, R_REST = R_COUNT - R_SAFE, MATRIX_SPACE = M_REST + 2*R_REST + 12 };
static void put_matrices(const struct inner *in, struct state *x, double *M, double *rq, double *rv, double *w)
{
	double *rest_rq = w + M_REST + 4, *rest_rv = rest_rq + R_REST + 4;
	(void)in;
	put_rows(x, runs, runs + SAFE, M, rq, rv);
	put_rows(x, runs + SAFE, runs + RUNS, w, rq ? rest_rq : 0, rest_rv);
	for (int i = 0; i < M_REST; i++)
		M[M_SAFE + i] = w[i];
	for (int i = 0; i < R_REST && rq; i++)
		rq[R_SAFE + i] = rest_rq[i], rv[R_SAFE + i] = rest_rv[i];
}
