/* N = s0 rq + s1 rv + s2 M is the derivative of inverse dynamics along (s0, s1, s2) x.  Changes of V and A pass from
 * parent to child,
 * (dV, dA) = T (dV, dA)_p + sigma x, changes of F from child to parent; dF = P (dV, dA) + p is eliminated tip to
 * root as the
 * articulated inertia is, which is its special case s = (0, 0, 1). */
struct NAME(link) {
	struct frame f;
	double S[D], Sv[D];
	number sigma[2*D], y[D], g[2*D], d;
};
static MBS_INLINE void NAME(pass)(const struct NAME(link) *l, const number *p, number *s)      /* T */
{
	number k[D];
	NAME(to_child)(&l->f, p, s);
	NAME(to_child)(&l->f, p + D, s + D);
	NAME(cross_motion)(s, l->Sv, k);
	for (int j = 0; j < D; j++)
		s[D + j] += k[j];
}
static int NAME(factor)(const double *c, const struct mbs_state *state, const number *shift, const double *rest,
	struct NAME(link) *l, double *w)
{
	struct state *x = (struct state *)w;
	struct line *line = (struct line *)(x + BODIES + 1);
	number (*P)[D][2*D] = (number (*)[D][2*D])(line + BODIES + 1);    /* rows of dF */
	const struct inner in = enter(c, state, 1, 0);
	sweep_lines(&in, line, x);
	for (int i = 0; i <= BODIES; i++)
		for (int j = 0; j < D; j++)
			for (int k = 0; k < 2*D; k++)
				P[i][j][k] = 0.0;
	for (int i = BODIES; i >= 1; i--) {
		const struct body *t = &tree[i];
		const struct constants *b = constants_of(c, t->row);
		const struct line *n = &line[i];
		struct NAME(link) *at = &l[i - 1];
		number own = 0.0, sv[D], ks[D];
		at->f = n->f;
		for (int k = 0; k < 2*D; k++) {
			double unit[2*D] = { 0 }, F[D];
			unit[k] = 1.0;
			force_change(b, n, unit, F);
			for (int j = 0; j < D; j++)
				P[i][j][k] += F[j];
		}
		for (int j = 0; j < D; j++) {
			at->S[j] = n->S[j];
			at->Sv[j] = n->Sv[j];
			at->sigma[j] = sv[j] = shift[0]*n->VS[j] + shift[1]*n->S[j];
		}
		NAME(cross_motion)(sv, at->Sv, ks);
		for (int j = 0; j < D; j++)
			at->sigma[D + j] = ks[j] + shift[0]*n->AS[j] + shift[1]*n->VS[j] + shift[2]*n->S[j];
		/* y = P sigma + s0 S x* F; g = S'P T; D = S'P sigma */
		for (int j = 0; j < D; j++) {
			number sum = 0.0;
			for (int k = 0; k < 2*D; k++)
				sum += P[i][j][k]*at->sigma[k];
			own += at->S[j]*sum;
			at->y[j] = sum + shift[0]*n->FS[j];
		}
		for (int j = 0; j < D; j++) {           /* P := P T */
			number k[D];
			NAME(cross_force)(at->Sv, P[i][j] + D, k);
			for (int m = 0; m < D; m++)
				P[i][j][m] += k[m];
			NAME(to_parent)(&at->f, P[i][j]);
			NAME(to_parent)(&at->f, P[i][j] + D);
		}
		own += shift[0]*rest[t->coord] + shift[1]*rest[BODIES + t->coord] + shift[2]*rest[2*BODIES + t->coord];
		if (own == 0.0)
			return 1 + t->coord;
		at->d = 1.0/own;
		for (int k = 0; k < 2*D; k++) {
			number sum = 0.0, column[D];
			for (int j = 0; j < D; j++)
				sum += at->S[j]*P[i][j][k];
			at->g[k] = sum*at->d;
			for (int j = 0; j < D; j++)
				column[j] = P[i][j][k] - at->y[j]*at->g[k];
			NAME(to_parent)(&at->f, column);
			for (int j = 0; j < D; j++)
				P[t->parent][j][k] += column[j];
		}
	}
	return 0;
}
static void NAME(substitute)(const struct NAME(link) *l, number *b, number (*s)[2*D])
{
	for (int i = 0; i <= BODIES; i++)
		for (int k = 0; k < 2*D; k++)
			s[i][k] = 0.0;
	for (int i = BODIES; i >= 1; i--) {             /* p in s[i][0..D) */
		const struct body *t = &tree[i];
		const struct NAME(link) *at = &l[i - 1];
		number e = SIGNED(t, b[t->coord]), F[D];
		for (int j = 0; j < D; j++)
			e -= at->S[j]*s[i][j];
		e *= at->d;
		b[t->coord] = e;
		for (int j = 0; j < D; j++)
			F[j] = s[i][j] + at->y[j]*e;
		NAME(to_parent)(&at->f, F);
		for (int j = 0; j < D; j++)
			s[t->parent][j] += F[j];
	}
	for (int k = 0; k < D; k++)
		s[0][k] = 0.0;
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		const struct NAME(link) *at = &l[i - 1];
		number e = b[t->coord];
		for (int k = 0; k < 2*D; k++)
			e -= at->g[k]*s[t->parent][k];
		b[t->coord] = SIGNED(t, e);
		NAME(pass)(at, s[t->parent], s[i]);
		for (int k = 0; k < 2*D; k++)
			s[i][k] += at->sigma[k]*e;
	}
}
