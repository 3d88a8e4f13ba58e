
/* --- constraints: a = a0 - X lambda with M a0 = f, M X = G', and S lambda = G a0 + gamma with S = G X --------------- */
/* M a = f with the inertias that sweep_accelerations() has eliminated; no velocities, no gravity. */
static void sweep_solve(const double *c, const scalar *f, scalar *a, scalar *x)
{
	scalar several[SLOTS] = { 0 };
	ground_rests(x);
	for (int i = 1; i <= BODIES; i++)
		for (int k = PASSED; k < INERTIA && !(tree[i].only & 1); k++)
			x[SLOTS*i + k] = K(0.0);
	for (int i = BODIES; i >= 1; i--) {
		const struct body *t = &tree[i];
		scalar *y = x + SLOTS*i, *p = x + SLOTS*t->parent;
		y[FORCE] = SIGNED(t, f[t->coord]);
		EACH_STEP(t->class, step_more_forces, (const double *)constants_of(c, t->row), y, t->only & 2 ? p : several);
		for (int k = PASSED; k < INERTIA && !(t->only & 2); k++)
			p[k] += several[k];
	}
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		scalar *y = x + SLOTS*i;
		EACH_STEP(t->class, step_more_accelerations, (const double *)constants_of(c, t->row), x + SLOTS*t->parent, y);
		a[t->coord] = SIGNED(t, y[ACC]);
	}
}
/* S lambda = b by L D L', the lower triangle of S becoming L; gives whether a pivot has lost seven digits. */
static int solve_rows(double *S, double *b)
{
	enum { N = CONSTRAINTS };
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
/* From a0 to a; w: CONSTRAINTS*(BODIES + CONSTRAINTS) + BODIES. */
static int bind(const double *c, const double *G, const double *gamma, double *a, double *lambda, scalar *x, double *w)
{
	enum { N = CONSTRAINTS };
	double *X = w, *S = X + N*BODIES, *f = S + N*N;
	for (int r = 0; r < N; r++) {
		for (int i = 0; i < BODIES; i++)
			f[i] = 0.0;
		for (int k = 0; k < G_COUNT; k++)
			if (G_row[k] == r)
				f[G_coord[k]] = G[k];
		sweep_solve(c, f, X + r*BODIES, x);
		lambda[r] = gamma[r];
		for (int i = 0; i < N; i++)
			S[r*N + i] = 0.0;
	}
	for (int k = 0; k < G_COUNT; k++) {
		lambda[G_row[k]] += G[k]*a[G_coord[k]];
		for (int r = 0; r <= G_row[k]; r++)
			S[G_row[k]*N + r] += G[k]*X[r*BODIES + G_coord[k]];
	}
	int lost = solve_rows(S, lambda);
	for (int r = 0; r < N; r++)
		for (int i = 0; i < BODIES; i++)
			a[i] -= X[r*BODIES + i]*lambda[r];
	return lost;
}
