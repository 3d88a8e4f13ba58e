/* Matrices of the loops are whole, by columns; M below its diagonal at first.  `w`: a column of them, one of the
 * model's. */
struct matrices { double *M, *rq, *rv, *w; };
enum { M_CELLS = BODIES*BODIES, R_CELLS = M_CELLS, MATRIX_SPACE = 3*M_CELLS + 2*BODIES + COORDS + 16 };
static MBS_INLINE struct matrices matrices_of(double *space)
{
	return (struct matrices){ space + 2*M_CELLS + 8, space, space + M_CELLS + 4, space + 3*M_CELLS + BODIES + 16 };
}
/* A column of B' M B, and of the inertia J of a ball (-1: of none). */
static void put_mass_column(const struct inner *in, const double *column, int col, int ball, double *w, double *M)
{
	for (int i = 0; i < COORDS; i++)
		w[i] = 0.0;
	leave(in, column, 1, w);
#if BALLS
	for (int i = 0; i < 4 && ball >= 0; i++) {
		int first = balls[ball].coord;
		w[first + i] += 4*in->c[BALL_J + ball]*in->s->q[col]*in->s->q[first + i];
	}
#endif
	(void)ball;
	for (int i = M_COLPTR[col]; i < M_COLPTR[col + 1]; i++)
		M[i] = w[M_ROWIDX[i]];
}
static void leave_mass(const struct inner *in, const struct matrices *loops, double *M)
{
	double *column = loops->w;
	for (int j = 0; j < BODIES; j++)
		for (int i = 0; i < j; i++)
			loops->M[j*BODIES + i] = loops->M[i*BODIES + j];
	for (int k = 0; k < BODIES; k++)
		if (outer[k] >= 0)
			put_mass_column(in, loops->M + k*BODIES, outer[k], -1, column + BODIES, M);
#if BALLS
	for (int b = 0; b < BALLS; b++)
		for (int k = 0; k < 4; k++) {
			const double *turn = loops->M + balls[b].turn*BODIES;
			const double x = in->B[b][0][k], y = in->B[b][1][k], z = in->B[b][2][k];
			for (int i = 0; i < BODIES; i++)
				column[i] = x*turn[i] + y*turn[BODIES + i] + z*turn[2*BODIES + i];
			put_mass_column(in, column, balls[b].coord + k, b, column + BODIES, M);
		}
#endif
#if JOINTS
	for (const struct joint *t = joints; t < joints + JOINTS; t++)
		for (int k = 0; k < t->coords; k++) {
			const double *turn = loops->M + t->turn*BODIES;
			for (int i = 0; i < BODIES; i++) {
				column[i] = 0.0;
				for (int l = 0; l < t->turns; l++)
					column[i] += in->joint[t - joints].J[l][k]*turn[l*BODIES + i];
			}
			put_mass_column(in, column, t->coord + k, -1, column + BODIES, M);
		}
#endif
}
/* Behind leave_mass(), which has made M whole. */
static void leave_columns(const struct inner *in, const struct matrices *loops, const double *r, double *rq,
	double *rv)
{
	for (int k = 0; k < BODIES; k++)
		if (outer[k] >= 0) {
			put_outer(in, loops->rq + k*BODIES, outer[k], 0, 0, 0, rq, loops->w);
			put_outer(in, loops->rv + k*BODIES, outer[k], 0, 0, 0, rv, loops->w);
		}
#if BALLS
	for (int b = 0; b < BALLS; b++) {
		const int at = balls[b].turn*BODIES;
		const double *const part[3] = { loops->rq + at, loops->rv + at, loops->M + at };
		put_ball(in, b, part, r + balls[b].turn, rq, rv, loops->w);
	}
#endif
#if JOINTS
	for (int j = 0; j < JOINTS; j++) {
		const int at = joints[j].turn*BODIES;
		const double *const part[3] = { loops->rq + at, loops->rv + at, loops->M + at };
		put_joint(in, j, part, r + joints[j].turn, rq, rv, loops->w);
	}
#endif
}
static void put_matrices(const struct inner *in, struct state *x, double *M, double *rq, double *rv, double *w)
{
	const struct matrices loops = matrices_of(w);
	put_rows(x, runs, runs + RUNS, loops.M, rq ? loops.rq : 0, loops.rv);
	leave_mass(in, &loops, M);
	if (rq)
		leave_columns(in, &loops, x->r, rq, rv);
}
