
/* --- columns of Euler parameters ----------------------------------------------------------------------------------------
 * Along a change of e the three turns change by angles y = B de; their rates X and second derivatives A by what keeps
 * w = B e' and w' in axes that turn along. */
struct change { double y[3], rate[3], second[3]; };
static struct change change_of(const struct inner *in, int b, int k, int by)
{
	const double *e = in->s->q + balls[b].coord, *d = in->s->v + balls[b].coord, *dd = in->s->a + balls[b].coord;
	const double *X = in->v + balls[b].turn, *A = in->a + balls[b].turn;
	double n = dot4(e, e), g = ball_growth(e, d), one[4] = { 0 }, L[3][4], w[3], s[3];
	struct change o = { { 0 }, { 0 }, { 0 } };
	one[k] = 1;
	ball_map(one, balls[b].sign, L);
	for (int i = 0; i < 3; i++) {
		const double *B = in->B[b][i];
		if (by) {               /* of e' */
			w[i] = B[k];
			s[i] = g*w[i] - 2*e[k]/n*X[i];
			continue;
		}
		o.y[i] = B[k];
		w[i] = 2/n*(dot4(L[i], d) - e[k]*X[i]);
		s[i] = 2/n*(dot4(L[i], dd) - e[k]*dot4(B, dd)) + g*w[i] - 2/n*(d[k] + g*e[k])*X[i];
	}
	double *r = o.rate, y = o.y[1], z = o.y[2];
	r[0] = w[0] - z*X[1], r[1] = w[1] + z*X[0], r[2] = w[2] - y*X[0];
	o.second[0] = s[0] - z*A[1] + (z*X[2] + y*X[1])*X[0] - r[2]*X[1] - X[2]*r[1];
	o.second[1] = s[1] + z*A[0] + r[2]*X[0] + X[2]*r[0] + z*X[2]*X[1];
	o.second[2] = s[2] - y*A[0] - r[1]*X[0] - X[1]*r[0];
	return o;
}
/* A column of the model from one of the loops; `own`: what is more in the rows of the ball that begin at `first`. */
static void put_outer(const struct inner *in, const double *column, int col, int first, const double *own, double *to,
	double *w)
{
	for (int i = 0; i < COORDS; i++)
		w[i] = 0.0;
	leave(in, column, 1, w);
	for (int i = 0; i < 4 && own; i++)
		w[first + i] += own[i];
	for (int i = R_COLPTR[col]; i < R_COLPTR[col + 1]; i++)
		to[i] = w[R_ROWIDX[i]];
}
/* What e_k changes in B' r and in the force of J, beside the motion. */
static void own_change(const struct inner *in, int b, int k, int by, const struct line *l, double *own)
{
	const double *e = in->s->q + balls[b].coord, *d = in->s->v + balls[b].coord, *dd = in->s->a + balls[b].coord;
	double n = dot4(e, e), J = in->c[BALL_J + b], one[4] = { 0 }, L[3][4];
	one[k] = 1;
	ball_map(one, balls[b].sign, L);
	for (int i = 0; i < 4; i++) {
		own[i] = by ? 8*J*d[k]*e[i] : 4*J*dd[k]*e[i] + (i == k ? ball_stretch(in, b) : 0.0);
		for (int j = 0; j < 3 && !by; j++)
			own[i] += 2/n*(L[j][i] - e[k]*in->B[b][j][i])*l[balls[b].turn + 1 + j].r;
	}
}
static void sweep_columns(const struct inner *in, double *rq, double *rv, const struct line *l, double *w)
{
	double *part = w, *column = part + 9*BODIES, *sum = column + BODIES, *more = sum + COORDS;
	for (int k = 1; k <= BODIES; k++)
		for (int by = 0; by < 2 && outer[k - 1] >= 0; by++) {
			sweep_column(in->c, k, by, column, l, more);
			put_outer(in, column, outer[k - 1], 0, 0, by ? rv : rq, sum);
		}
	for (int b = 0; b < BALLS; b++) {
		for (int j = 0; j < 9; j++)
			sweep_column(in->c, balls[b].turn + 1 + j%3, j/3, part + j*BODIES, l, more);
		for (int k = 0; k < 8; k++) {
			struct change o = change_of(in, b, k%4, k/4);
			double own[4];
			for (int i = 0; i < BODIES; i++) {
				column[i] = 0.0;
				for (int j = 0; j < 9; j++)
					column[i] += part[j*BODIES + i]*(j < 3 ? o.y[j] : j < 6 ? o.rate[j - 3] : o.second[j - 6]);
			}
			/* moments about the axes of the turns to those about the axes of the body */
			const struct line *r = l + balls[b].turn + 1;
			column[balls[b].turn] += o.y[2]*r[1].r - o.y[1]*r[2].r;
			column[balls[b].turn + 1] -= o.y[2]*r[0].r;
			own_change(in, b, k%4, k/4, l, own);
			put_outer(in, column, balls[b].coord + k%4, balls[b].coord, own, k/4 ? rv : rq, sum);
		}
	}
}
/* The coordinates of the model that one of the loops belongs to, and its rates by theirs. */
static int outer_of(const struct inner *in, int i, int *first, const double **factor)
{
	static const double one = 1;
	int k = -1 - outer[i];
	*first = k < 0 ? outer[i] : balls[k/3].coord;
	*factor = k < 0 ? &one : in->B[k/3][k%3];
	return k < 0 ? 1 : 4;
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
/* Of the inertias J. */
static void put_more_mass(const struct inner *in, double *M)
{
	for (int b = 0; b < BALLS; b++)
		for (int k = 0; k < 16; k++) {
			const double *e = in->s->q + balls[b].coord;
			if (k/4 >= k%4)
				M[entry(M_COLPTR, M_ROWIDX, balls[b].coord + k/4, balls[b].coord + k%4)] += 4*in->c[BALL_J + b]*e[k/4]*e[k%4];
		}
}
