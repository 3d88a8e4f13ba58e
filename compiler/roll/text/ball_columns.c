
#if BALLS
/* --- columns of Euler parameters ------------------------------------------------------------------------------------
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
#endif
/* A column of the model from one of the loops; `own`: what is more in n rows that begin at `first`. */
static void put_outer(const struct inner *in, const double *column, int col, int first, int n, const double *own,
	double *to, double *w)
{
	for (int i = 0; i < COORDS; i++)
		w[i] = 0.0;
	leave(in, column, 1, w);
	for (int i = 0; i < n; i++)
		w[first + i] += own[i];
	for (int i = R_COLPTR[col]; i < R_COLPTR[col + 1]; i++)
		to[i] = w[R_ROWIDX[i]];
}
/* Of turns of the loops, by angle, rate and second derivative: the column of a change of all of them. */
static void add_up(int turns, const double *const part[3], const double *y, const double *rate, const double *second,
	double *column)
{
	for (int i = 0; i < BODIES; i++) {
		column[i] = 0.0;
		for (int j = 0, at = i; j < turns; j++, at += BODIES)
			column[i] += part[0][at]*y[j] + part[1][at]*rate[j] + part[2][at]*second[j];
	}
}
#if BALLS
/* What e_k changes in B' r and in the force of J, beside the motion. */
static void own_change(const struct inner *in, int b, int k, int by, const double *r, double *own)
{
	const double *e = in->s->q + balls[b].coord, *d = in->s->v + balls[b].coord, *dd = in->s->a + balls[b].coord;
	double n = dot4(e, e), J = in->c[BALL_J + b], one[4] = { 0 }, L[3][4];
	one[k] = 1;
	ball_map(one, balls[b].sign, L);
	for (int i = 0; i < 4; i++) {
		own[i] = by ? 8*J*d[k]*e[i] : 4*J*dd[k]*e[i] + (i == k ? ball_stretch(in, b) : 0.0);
		for (int j = 0; j < 3 && !by; j++)
			own[i] += 2/n*(L[j][i] - e[k]*in->B[b][j][i])*r[j];
	}
}
/* Columns of a ball, from nine of the loops: by angle, rate and second derivative of its three turns, which the
 * moments r move. */
static void put_ball(const struct inner *in, int b, const double *const part[3], const double r[3], double *rq,
	double *rv, double *w)
{
	double *column = w, *sum = column + BODIES;
	for (int k = 0; k < 8; k++) {
		struct change o = change_of(in, b, k%4, k/4);
		double own[4];
		add_up(3, part, o.y, o.rate, o.second, column);
		/* moments about the axes of the turns to those about the axes of the body */
		column[balls[b].turn] += o.y[2]*r[1] - o.y[1]*r[2];
		column[balls[b].turn + 1] -= o.y[2]*r[0];
		own_change(in, b, k%4, k/4, r, own);
		put_outer(in, column, balls[b].coord + k%4, balls[b].coord, 4, own, k/4 ? rv : rq, sum);
	}
}
#endif
#if JOINTS
/* Columns of a joint along coordinate k: its angles change by J, or rates by J along q'; r moves the turns. */
static void put_joint(const struct inner *in, int j, const double *const part[3], const double *r, double *rq,
	double *rv, double *w)
{
	const struct joint *t = &joints[j];
	const struct joint_values *x = &in->joint[j];
	const double *v = in->s->v + t->coord, *a = in->s->a + t->coord;
	for (int k = 0; k < t->coords; k++) {
		double y[4] = { 0 }, rate[4] = { 0 }, second[4] = { 0 }, none[4] = { 0 }, twice[4], own[2] = { 0 };
		for (int i = 0; i < t->turns; i++) {
			y[i] = x->J[i][k];
			second[i] = x->G[i][k];
			for (int l = 0; l < t->coords; l++) {
				rate[i] += x->H[i][k][l]*v[l];
				second[i] += x->H[i][k][l]*a[l];
				own[l] += x->H[i][k][l]*r[i];
			}
			twice[i] = 2*rate[i];
		}
		add_up(t->turns, part, y, rate, second, w);
		put_outer(in, w, t->coord + k, t->coord, t->coords, own, rq, w + BODIES);
		add_up(t->turns, part, none, y, twice, w);
		put_outer(in, w, t->coord + k, 0, 0, 0, rv, w + BODIES);
	}
}
#endif
