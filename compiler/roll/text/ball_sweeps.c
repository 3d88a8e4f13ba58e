static void sweep_columns(const struct inner *in, double *rq, double *rv, const struct line *l, double *w)
{
	double *part = w, *column = part + 12*BODIES, *sum = column + BODIES, *more = sum + COORDS;
	for (int k = 1; k <= BODIES; k++)
		for (int by = 0; by < 2 && outer[k - 1] >= 0; by++) {
			sweep_column(in->c, k, by, column, l, more);
			put_outer(in, column, outer[k - 1], 0, 0, 0, by ? rv : rq, sum);
		}
#if BALLS
	for (int b = 0; b < BALLS; b++) {
		const struct line *turn = l + balls[b].turn + 1;
		for (int j = 0; j < 9; j++)
			sweep_column(in->c, balls[b].turn + 1 + j%3, j/3, part + j*BODIES, l, more);
		put_ball(in, b, (const double *const[]){ part, part + 3*BODIES, part + 6*BODIES },
			(const double[]){ turn[0].r, turn[1].r, turn[2].r }, rq, rv, column);
	}
#endif
#if JOINTS
	for (int k = 0; k < JOINTS; k++) {
		const int first = joints[k].turn, n = joints[k].turns;
		double r[4];
		for (int i = 0; i < n; i++) {
			r[i] = l[first + i + 1].r;
			for (int by = 0; by < 3; by++)
				sweep_column(in->c, first + i + 1, by, part + (n*by + i)*BODIES, l, more);
		}
		put_joint(in, k, (const double *const[]){ part, part + n*BODIES, part + 2*n*BODIES }, r, rq, rv, column);
	}
#endif
}
/* The coordinates of the model that one of the loops belongs to, and its rates by theirs. */
static int outer_of(const struct inner *in, int i, int *first, const double **factor)
{
	static const double one = 1;
	int k = -1 - outer[i];
	*first = outer[i], *factor = &one;
	if (k < 0)
		return 1;
#if BALLS
	if (k < 3*BALLS) {
		*first = balls[k/3].coord, *factor = in->B[k/3][k%3];
		return 4;
	}
	k -= 3*BALLS;
#endif
#if JOINTS
	*first = joints[k/4].coord, *factor = in->joint[k/4].J[k%4];
	return joints[k/4].coords;
#else
	return 0;
#endif
}
static void put_mass(const struct inner *in, double *M, int i, int j, double e)
{
	for (int pass = 0; pass < (i == j ? 1 : 2); pass++) {
		const double *f, *g;
		int a, b, n = outer_of(in, pass ? j : i, &a, &f), m = outer_of(in, pass ? i : j, &b, &g);
		for (int c = 0; c < m; c++) {
			int row = a > b + c ? a : b + c;
			for (double *to = M + entry(M_COLPTR, M_ROWIDX, row, b + c); row < a + n; row++)
				*to++ += e*f[row - a]*g[c];
		}
	}
}
#if BALLS
/* Of the inertias J. */
static void put_more_mass(const struct inner *in, double *M)
{
	for (int b = 0; b < BALLS; b++)
		for (int k = 0; k < 16; k++) {
			int row = balls[b].coord + k/4, col = balls[b].coord + k%4;
			const double *e = in->s->q + balls[b].coord;
			if (row >= col)
				M[entry(M_COLPTR, M_ROWIDX, row, col)] += 4*in->c[BALL_J + b]*e[k/4]*e[k%4];
		}
}
#else
#define put_more_mass(in, M)
#endif
