
/* --- sweeps that are the same in a plane and in space --- */
/* Motions of bodies from those of joints: sums along the way from ground. */
static void sum_from_ground(row *a)
{
	struct pair sum = still;
	for (int i = 0; i < BODIES; i++) {
		int p = PARENT(i);
		if (p != i - 1)
			sum = get_pair(a, p);
		sum = plus(sum, get_pair(a, i));
		put_pair(a, i, sum);
	}
}
/* Inertias, momenta, too. */
static void sweep_velocities(const double *restrict c, const double *q, const double *v, struct state *restrict x)
{
	struct lanes *l = LANES_OF(c);
	sweep_poses(c, q, x);
	for (int i = 0; i < BODIES; i++)
		x->v[i] = v[COORD(i)];
	joint_motions(l, x);
	put_pair(x->V, GROUND, still);
	sum_from_ground(x->V);
	own_inertias(l, x);
}
/* Accelerations and forces, too; without those of the coordinates where `a` is 0. */
static void sweep_motion(const double *restrict c, const double *q, const double *v, const double *a,
	struct state *restrict x)
{
	sweep_velocities(c, q, v, x);
	EACH_LANE
		x->a[i] = 0.0;
	for (int i = 0; i < BODIES && a; i++)
		x->a[i] = a[COORD(i)];
	joint_accelerations(x);
	put_pair(x->A, GROUND, against_gravity(c + GRAVITY));
	sum_from_ground(x->A);
	own_forces(LANES_OF(c), x);
}
/* Sums of what is behind a body, and r = S' F. */
static MBS_INLINE void sweep_back(struct state *x, const int inertias, const int momenta)
{
	sum_branches(x, inertias, momenta);
	EACH_LANE
		x->r[i] = product(x->S, i, x->F, i);
}
static void sweep_energies(const double *c, const double *q, const double *v, double *E, struct state *x)
{
	sweep_velocities(c, q, v, x);
	for (int i = 0; i < BODIES; i++)
		energy_step(LANES_OF(c), x, i, c + GRAVITY, E);
}
static MBS_INLINE void forces_out(struct state *x, double *r)
{
	for (int i = 0; i < BODIES; i++)
		r[COORD(i)] = x->r[i];
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
static void momenta_of_columns(struct state *x)
{
	EACH_LANE
		put_pair(x->F1, i, inertia_times(x, i, get_pair(x->S, i)));
}
/* Rows of a column: of bodies before its own; of M alone. */
static void rows_before(struct state *restrict x, int col, int first, int n, double *restrict rq,
	double *restrict rv)
{
	FOUR_ROWS {
		rq[i] = product(x->F3, col, x->S, first + i);
		rv[i] = product(x->F4, col, x->S, first + i);
	}
}
static void rows_of_mass(row *restrict a, int col, row *restrict b, int first, int n, double *restrict M)
{
	FOUR_ROWS
		M[i] = product(a, col, b, first + i);
}
/* Four rows at a time: those that are too many are written again by the next ones.  Without rq: M alone. */
static void put_rows(struct state *x, const struct run *from, const struct run *to, double *M, double *rq, double *rv)
{
	for (const struct run *t = from; t < to; t++) {
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
			rows_behind(x, col, first, n, rq, rv, x->angle);        /* M has them by symmetry */
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
