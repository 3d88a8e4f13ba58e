/* What the rest adds to the diagonals of rq, rv and M, one after the other. */
static double *rest_diagonals(const double *c, const struct mbs_state *s, double *w)
{
	double *M = w + REST_W, *rq = M + REST_M, *rv = rq + REST_RQ, *sum = rv + REST_RV;
	struct mbs_jacobian rest = { .M = M, .rq = rq, .rv = rv };
	rest_jacobian(c, s, &rest, w);
	for (int i = 0; i < 3*BODIES; i++)
		sum[i] = 0.0;
	for (int i = 0; i < REST_RQ; i++)
		sum[rest_rq_coord[i]] = rq[i];
	for (int i = 0; i < REST_RV; i++)
		sum[BODIES + rest_rv_coord[i]] = rv[i];
	for (int i = 0; i < REST_M; i++)
		sum[2*BODIES + rest_M_coord[i]] = M[i];
#if LAWS
	for (int i = 0; i < LAWS; i++) {
		const struct law_values law = law_of(c, s, &laws[i]);
		double *at = sum + laws[i].coord;
		at[0] -= law.fq, at[BODIES] -= law.fv, at[2*BODIES] += law.m;
	}
#endif
	return sum;
}
static int newton_tree(const double *c, const struct mbs_state *s, int parts, const double *shift, double *l, double *w)
{
	double *rest = rest_diagonals(c, s, w), *x = rest + 3*BODIES;
	if (parts == 2)
		return factor_complex(c, s, (const double complex *)shift, rest, (struct link_complex *)l, x);
	return factor_real(c, s, shift, rest, (struct link_real *)l, x);
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
/* The derivative of inverse dynamics along (s0, s1, s2) y. */
static void newton_times_tree(const double *c, const struct mbs_state *state, const double *shift, double *y, double *w)
{
	double *rest = rest_diagonals(c, state, w);
	struct state *x = (struct state *)(rest + 3*BODIES);
	struct line *line = (struct line *)(x + BODIES + 1);
	double (*s)[2*D] = (double (*)[2*D])(line + BODIES + 1), (*F)[D] = (double (*)[D])(s + BODIES + 1);
	const struct inner in = enter(c, state, 1, 0);
	sweep_lines(&in, line, x);
	for (int k = 0; k < 2*D; k++)
		s[0][k] = 0.0;
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		const struct line *l = &line[i];
		double e = SIGNED(t, y[t->coord]), k[D];
		to_child_real(&l->f, s[t->parent], s[i]);
		to_child_real(&l->f, s[t->parent] + D, s[i] + D);
		for (int j = 0; j < D; j++)
			s[i][j] += e*(shift[0]*l->VS[j] + shift[1]*l->S[j]);
		cross_motion_real(s[i], l->Sv, k);
		for (int j = 0; j < D; j++)
			s[i][D + j] += k[j] + e*(shift[0]*l->AS[j] + shift[1]*l->VS[j] + shift[2]*l->S[j]);
		force_change(constants_of(c, t->row), l, s[i], F[i]);
	}
	for (int i = BODIES; i >= 1; i--) {
		const struct body *t = &tree[i];
		const struct line *l = &line[i];
		double e = SIGNED(t, y[t->coord]), sum = 0.0;
		double own = shift[0]*rest[t->coord] + shift[1]*rest[BODIES + t->coord] + shift[2]*rest[2*BODIES
			+ t->coord];
		for (int j = 0; j < D; j++) {
			sum += l->S[j]*F[i][j];
			F[i][j] += shift[0]*e*l->FS[j];
		}
		y[t->coord] = SIGNED(t, sum + own*e);
		to_parent_real(&l->f, F[i]);
		for (int j = 0; j < D && t->parent; j++)
			F[t->parent][j] += F[i][j];
	}
}
