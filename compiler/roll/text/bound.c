
/* --- constraints: a = a0 - X lambda with M a0 = f, M X = G', and S lambda = G a0 + gamma with S = G X ------------- */
#if BOUND
/* M a = f with the inertias that sweep_accelerations() has eliminated; no velocities, no gravity. */
static void sweep_solve(const double *c, const scalar *f, scalar *a, scalar *x)
{
	scalar several[SLOTS] = { 0 };
	ground_rests(x);
	for (int i = 1; i <= LINKS; i++)
		for (int k = PASSED; k < INERTIA && !(links[i].only & 1); k++)
			x[SLOTS*i + k] = K(0.0);
	for (int i = LINKS; i >= 1; i--) {
		const struct body *t = &links[i];
		scalar *y = x + SLOTS*i, *p = x + SLOTS*t->parent;
		y[FORCE] = SIGNED(t, f[t->coord]);
		EACH_STEP(t->class, step_more_forces, ROW(t), y, t->only & 2 ? p : several);
		for (int k = PASSED; k < INERTIA && !(t->only & 2); k++)
			p[k] += several[k];
	}
	for (int i = 1; i <= LINKS; i++) {
		const struct body *t = &links[i];
		scalar *y = x + SLOTS*i;
		EACH_STEP(t->class, step_more_accelerations, ROW(t), x + SLOTS*t->parent, y);
		a[t->coord] = SIGNED(t, y[ACC]);
	}
}
/* S lambda = b by L D L', the lower triangle of S becoming L; gives whether a pivot has lost seven digits. */
static int solve_rows(double *S, double *b)
{
	enum { N = BOUND };
	int lost = 0;
	for (int k = 0; k < N; k++) {
		double *row = S + k*N, pivot = row[k];
		for (int i = 0; i < k; i++) {           /* row[i] = L_ki D_i, then L_ki */
			for (int j = 0; j < i; j++)
				row[i] -= row[j]*S[i*N + j]*S[j*N + j];
			row[i] /= S[i*N + i];
		}
		for (int i = 0; i < k; i++) {
			row[k] -= row[i]*row[i]*S[i*N + i];
			b[k] -= row[i]*b[i];
		}
		lost |= !(row[k] > 1e-7*pivot);
	}
	for (int k = N - 1; k >= 0; k--) {
		b[k] /= S[k*N + k];
		for (int i = k + 1; i < N; i++)
			b[k] -= S[i*N + k]*b[i];
	}
	return lost;
}
/* From a0 to a. */
static int bind_rows(const struct inner *in, const double *G, const double *gamma, double *a,
	const struct mbs_accelerations *out, scalar *x, double *w)
{
	enum { N = BOUND };
	double *X = w, *row = X + N*LINKS, *S = row + N*LINKS, *b = S + N*N, *f = b + N;
	for (int r = 0; r < N; r++) {
		double *to = row + r*LINKS;
		for (int i = 0; i < COORDS; i++)
			f[i] = 0.0;
		b[r] = gamma[bound_row[r]];
		for (int k = 0; k < G_COUNT; k++)
			if (G_row[k] == bound_row[r])
				f[G_coord[k]] = G[k], b[r] += G[k]*out->a[G_coord[k]];
		const double *inner = FORCES_IN(in, f, to);
		for (int i = 0; i < LINKS; i++)
			to[i] = inner[i];
		sweep_solve(LINK_ROWS(in), to, X + r*LINKS, x);
		for (int i = 0; i <= r; i++) {
			S[r*N + i] = 0.0;
			for (int k = 0; k < LINKS; k++)
				S[r*N + i] += to[k]*X[i*LINKS + k];
		}
	}
	int lost = solve_rows(S, b);
	for (int r = 0; r < N; r++) {
		out->lambda[bound_row[r]] = b[r];
		for (int i = 0; i < LINKS; i++)
			a[i] -= X[r*LINKS + i]*b[r];
	}
	LEAVE_ACCELERATIONS(in, a, out->a);
	return lost;
}
#endif
#if BALLS
/* Rows that keep Euler parameters at unit length hold already: what is left of the forces Q along e multiplies them. */
static void bind_lengths(const struct inner *in, const double *G, const double *Q, const double *lambda, double *to)
{
	for (int b = 0; b < BALLS; b++) {
		const double *e = in->s->q + balls[b].coord;
		to[balls[b].norm] = dot4(e, Q + balls[b].coord)/dot4(e, e);
	}
#if BOUND
	for (int k = 0; k < G_COUNT; k++)
		for (int r = 0; r < BOUND; r++)
			for (int b = 0; b < BALLS && G_row[k] == bound_row[r]; b++) {
				const double *e = in->s->q + balls[b].coord;
				int i = G_coord[k] - balls[b].coord;
				if (i >= 0 && i < 4)
					to[balls[b].norm] -= e[i]*G[k]*lambda[bound_row[r]]/dot4(e, e);
			}
#endif
	(void)G, (void)lambda;
}
#endif
