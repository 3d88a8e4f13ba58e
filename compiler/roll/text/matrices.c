
/* --- matrices with entries for every pair of a body and one before it --- */
static int entry(const int *colptr, const int *rowidx, int row, int col)
{
	int low = colptr[col], high = colptr[col + 1] - 1;
	while (low < high) {
		int mid = (low + high)/2;
		if (rowidx[mid] < row)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
/* A column of rq (`by` 0), rv (1) or M (2): the change of inverse dynamics along one coordinate.  Of the bodies before
 * k F alone changes. */
static void sweep_column(const double *c, int k, int by, double *column, const struct line *l, double *w)
{
	double (*s)[2*D] = (double (*)[2*D])w, (*F)[D] = (double (*)[D])(s + BODIES + 1);
	double *moves = (double *)(F + BODIES + 1), one = SIGNED(&tree[k], 1.0);
	for (int i = 0; i <= BODIES; i++) {
		moves[i] = 0.0;
		for (int j = 0; j < D; j++)
			F[i][j] = 0.0;
	}
	moves[k] = 1.0;
	for (int j = 0; j < D; j++)
		s[k][j] = one*(by == 0 ? l[k].VS[j] : by == 1 ? l[k].S[j] : 0.0);
	cross_motion_real(s[k], l[k].Sv, s[k] + D);
	for (int j = 0; j < D; j++)
		s[k][D + j] += one*(by == 0 ? l[k].AS[j] : by == 1 ? l[k].VS[j] : l[k].S[j]);
	for (int i = k; i <= BODIES; i++) {
		int p = tree[i].parent;
		if (i > k) {
			double a[D];
			if ((moves[i] = moves[p]) == 0.0)
				continue;
			to_child_real(&l[i].f, s[p], s[i]);
			to_child_real(&l[i].f, s[p] + D, s[i] + D);
			cross_motion_real(s[i], l[i].Sv, a);
			for (int j = 0; j < D; j++)
				s[i][D + j] += a[j];
		}
		force_change(constants_of(c, tree[i].row), &l[i], s[i], F[i]);
	}
	for (int i = k; i; i = tree[i].parent)
		moves[i] = 1.0;
	for (int i = BODIES; i >= 1; i--) {
		double e = 0.0;
		column[tree[i].coord] = 0.0;
		if (moves[i] == 0.0)
			continue;
		for (int j = 0; j < D; j++) {
			e += l[i].S[j]*F[i][j];
			F[i][j] += i == k && !by ? one*l[i].FS[j] : 0.0;
		}
		column[tree[i].coord] = SIGNED(&tree[i], e);
		to_parent_real(&l[i].f, F[i]);
		for (int j = 0; j < D; j++)
			F[tree[i].parent][j] += F[i][j];
	}
}
