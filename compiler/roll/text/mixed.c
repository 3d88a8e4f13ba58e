
/* --- sweeps that are the same in a plane and in space --- */
static void sweep_energies(const double *c, const double *q, const double *v, double *E, struct state *x)
{
	sweep_velocities(c, q, v, x);
	for (int i = 0; i < BODIES; i++)
		energy_step(x, i, c + GRAVITY, E);
}
static MBS_INLINE void forces_out(struct state *x, double *r)
{
	for (int i = 0; i < BODIES; i++)
		r[tree[i + 1].coord] = x->r[i];
}
#if RESIDUAL
/* r = M a - f, of the bodies alone. */
static void sweep_forces(const double *c, const double *q, const double *v, const double *a, double *r, struct state *x)
{
	sweep_motion(c, q, v, a, x);
	sweep_back(x, 0, 0);
	forces_out(x, r);
}
#endif
/* Four rows at a time: those that are too many are written again by the next ones.  Without rq: M alone. */
static void put_rows(struct state *x, double *M, double *rq, double *rv)
{
#if CROSSED
	double *other = M + M_CELLS;
#endif
	for (const struct run *t = runs; t < runs + RUNS; t++) {
		int col = t->col, first = t->first, n = t->n;
#if HOLES
		if (t->kind == MASS_HOLE) {
			for (int i = 0; i < n; i++)
				*M++ = 0.0;
			continue;
		}
		if (t->kind == HOLE) {
			for (int i = 0; i < n && rq; i++)
				*rq++ = *rv++ = 0.0;
			continue;
		}
#endif
#if CROSSED
		if (t->kind == MASS) {
			rows_of_mass(x->F1, col, x->S, first, n, M);
			M += n;
			continue;
		}
		if (t->kind == ASIDE && rq)
			rows_behind(x, col, first, n, rq, rv, other);
#endif
		if (t->kind == BEHIND) {
			if (rq)
				rows_behind(x, col, first, n, rq, rv, M);
			else
				rows_of_mass(x->S, col, x->F1, first, n, M);
			M += n;
		} else if (t->kind == BEFORE && rq) {
			rows_before(x, col, first, n, rq, rv);
		}
		if (rq)
			rq += n, rv += n;
	}
}

/* --- what the functions want of the bodies: r at zero acceleration and M; M, rq and rv --- */
static void sweep_dynamics(const struct inner *in, double *r, double *M, double *w)
{
	struct state *x = (struct state *)(w + MATRIX_SPACE);
	const struct matrices loops = matrices_of(w);
	sweep_motion(in->c, in->q, in->v, in->a, x);
	sweep_back(x, 1, 0);
	forces_out(x, r);
	momenta_of_columns(x);
	put_rows(x, loops.M, 0, 0);
	leave_mass(in, &loops, M);
}
static void sweep_matrices(const struct inner *in, double *M, double *rq, double *rv, double *w)
{
	struct state *x = (struct state *)(w + MATRIX_SPACE);
	const struct matrices loops = matrices_of(w);
	sweep_motion(in->c, in->q, in->v, in->a, x);
	sweep_back(x, 1, 1);
	forces_of_columns(x);
	put_rows(x, loops.M, loops.rq, loops.rv);
	leave_mass(in, &loops, M);
	leave_columns(in, &loops, x->r, rq, rv);
}
