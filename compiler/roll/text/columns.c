static void sweep_columns(const struct inner *in, double *rq, double *rv, const struct line *l, double *w)
{
	for (int k = 1; k <= BODIES; k++)
		for (int by = 0; by < 2; by++) {
			sweep_column(in->c, k, by, w, l, w + BODIES);
			for (int i = R_COLPTR[tree[k].coord]; i < R_COLPTR[tree[k].coord + 1]; i++)
				(by ? rv : rq)[i] = w[R_ROWIDX[i]];
		}
}
static void put_mass(const struct inner *in, double *M, int i, int j, double e)
{
	(void)in;
	M[i > j ? entry(M_COLPTR, M_ROWIDX, i, j) : entry(M_COLPTR, M_ROWIDX, j, i)] = e;
}
#define put_more_mass(in, M)
