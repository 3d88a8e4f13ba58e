struct vec { double x, y; };
struct pair { double w; struct vec u; };        /* a motion: turning, linear; a force: moment, force */
/* Constants: angle of the placement, place; turn and slide of the joint at rate 1; mass of the body and all behind it;
 * of the body mass, mass*centre, moment about its origin. */
struct lanes { row place, at[2], turn, slide[2], all, m, h[2], J; };
struct state {
	row q, v, a, angle, co, si;     /* of the body's axes in the common ones */
	row o[2], origin[2];            /* from the common origin; this one's place */
	row S[3], V[3], A[3];           /* S: the joint's motion at rate 1 */
	row VS[2], AS[2];               /* V x S, and A x S + V x (V x S), which do not turn */
	row F[3];                       /* what moves it */
	/* mass of the body and what is behind it; moment and sum m x (x from the common origin); with velocities y sum
	 * m x.y and m y */
	row m, I[3], P[3];
	row F1[3], F2, F3[3], F4[3], r;
};
static const struct vec nowhere = { 0.0, 0.0 };
static const struct pair still = { 0.0, { 0.0, 0.0 } };
static MBS_INLINE struct vec add(struct vec a, struct vec b)
{
	return (struct vec){ a.x + b.x, a.y + b.y };
}
static MBS_INLINE struct vec times(double r, struct vec a)
{
	return (struct vec){ r*a.x, r*a.y };
}
static MBS_INLINE double dot(struct vec a, struct vec b)
{
	return a.x*b.x + a.y*b.y;
}
static MBS_INLINE double cross(struct vec a, struct vec b)
{
	return a.x*b.y - a.y*b.x;
}
/* w x a, of a turning w. */
static MBS_INLINE struct vec swept(double w, struct vec a)
{
	return (struct vec){ -w*a.y, w*a.x };
}
static MBS_INLINE struct vec get(row *a, int i)
{
	return (struct vec){ a[0][i], a[1][i] };
}
static MBS_INLINE void put(row *a, int i, struct vec b)
{
	a[0][i] = b.x, a[1][i] = b.y;
}
static MBS_INLINE struct pair get_pair(row *a, int i)
{
	return (struct pair){ a[0][i], get(a + 1, i) };
}
static MBS_INLINE void put_pair(row *a, int i, struct pair b)
{
	a[0][i] = b.w;
	put(a + 1, i, b.u);
}
static MBS_INLINE struct pair plus(struct pair a, struct pair b)
{
	return (struct pair){ a.w + b.w, add(a.u, b.u) };
}
static MBS_INLINE struct pair against_gravity(const double *g)
{
	return (struct pair){ 0.0, { -g[0], -g[1] } };
}
/* V x S of a motion: V.w x S.u - S.w x V.u; no turn. */
static MBS_INLINE struct vec moved(struct pair V, struct pair S)
{
	return add(swept(V.w, S.u), swept(-S.w, V.u));
}
/* From the axes of a body to the common ones. */
static MBS_INLINE struct vec turned(struct state *x, int i, struct vec a)
{
	return (struct vec){ x->co[i]*a.x - x->si[i]*a.y, x->si[i]*a.x + x->co[i]*a.y };
}
static MBS_INLINE struct pair inertia_times(struct state *x, int i, struct pair S)
{
	struct vec h = get(x->I + 1, i);
	return (struct pair){ x->I[0][i]*S.w + cross(h, S.u), add(times(x->m[i], S.u), swept(S.w, h)) };
}

/* --- constants of the lanes --- */
static void make_lanes(double *c)
{
	struct lanes *l = LANES_OF(c);
	for (int i = LANES_AT; i < GRAVITY + CONSTANTS; i++)
		c[i] = 0.0;
	for (int i = BODIES - 1; i >= 0; i--) {
		const struct body *t = &tree[i + 1];
		const struct constants *b = constants_of(c, t->row);
		l->place[i] = b->angle;
		l->at[0][i] = b->at[0], l->at[1][i] = b->at[1];
		if (t->kind == SLIDE)
			l->slide[t->axis][i] = t->sign;
		else
			l->turn[i] = t->sign;
		l->m[i] = b->m;
		l->h[0][i] = b->h[0], l->h[1][i] = b->h[1];
		l->J[i] = b->J;
		l->all[i] += b->m;
		l->all[PARENT(i)] += l->all[i];
	}
}

/* --- sweeps over all bodies --- */
/* Angles are sums along the way from ground. */
static void sweep_angles(struct lanes *restrict l, struct state *restrict x)
{
	double sum = 0.0;
	EACH_LANE
		x->angle[i] = l->place[i] + l->turn[i]*x->q[i];
	x->angle[GROUND] = 0.0;
	for (int i = 0; i < BODIES; i++) {
		int p = PARENT(i);
		if (p != i - 1)
			sum = x->angle[p];
		x->angle[i] = sum += x->angle[i];
	}
	sines_of(x->angle, x->co, x->si);
	x->co[GROUND] = 1.0, x->si[GROUND] = 0.0;
}
static void sweep_poses(const double *restrict c, const double *q, struct state *restrict x)
{
	struct lanes *l = LANES_OF(c);
	struct vec o = nowhere, origin = nowhere;
	for (int i = 0; i < BODIES; i++)
		x->q[i] = q[COORD(i)];
	for (int i = BODIES; i < WIDTH; i++) {  /* nobody's */
		x->q[i] = x->v[i] = 0.0;
		put(x->o, i, nowhere);
	}
	sweep_angles(l, x);
#if SLIDES
	EACH_LANE
		put(x->S + 1, i, turned(x, i, get(l->slide, i)));
#endif
	put(x->o, GROUND, nowhere);
	put(x->origin, GROUND, nowhere);
	for (int i = 0; i < BODIES; i++) {
		int p = PARENT(i);
		struct vec d = turned(x, p, get(l->at, i));
		if (p != i - 1)
			o = get(x->o, p), origin = get(x->origin, p);
#if SLIDES
		d = add(d, times(x->q[i], get(x->S + 1, i)));
#endif
		if (tree[i + 1].first)
			origin = add(origin, d);
		else
			o = add(o, d);
		put(x->o, i, o);
		put(x->origin, i, origin);
	}
}
/* S, and S v. */
static void joint_motions(struct lanes *restrict l, struct state *restrict x)
{
	EACH_LANE {
		struct pair S = { l->turn[i], swept(-l->turn[i], get(x->o, i)) };
#if SLIDES
		S.u = add(S.u, get(x->S + 1, i));
#endif
		put_pair(x->S, i, S);
		put_pair(x->V, i, (struct pair){ x->v[i]*S.w, times(x->v[i], S.u) });
	}
}
static void own_inertias(struct lanes *restrict l, struct state *restrict x)
{
	EACH_LANE {
		struct vec o = get(x->o, i), g = turned(x, i, get(l->h, i)), h = add(g, times(l->m[i], o));
		struct pair V = get_pair(x->V, i);
		x->m[i] = l->all[i];
		put_pair(x->I, i, (struct pair){ l->J[i] + dot(o, add(g, h)), h });
		put_pair(x->P, i, (struct pair){ dot(h, V.u), add(times(l->m[i], V.u), swept(V.w, h)) });
	}
}
/* V x S, and what a joint adds to the acceleration. */
static void joint_accelerations(struct state *restrict x)
{
	EACH_LANE {
		struct pair S = get_pair(x->S, i);
		struct vec B = moved(get_pair(x->V, i), S);
		put(x->VS, i, B);
		put_pair(x->A, i, (struct pair){ x->a[i]*S.w, add(times(x->v[i], B), times(x->a[i], S.u)) });
	}
}
static void own_forces(struct lanes *restrict l, struct state *restrict x)
{
	EACH_LANE {
		struct pair V = get_pair(x->V, i), A = get_pair(x->A, i), I = get_pair(x->I, i), P = get_pair(x->P, i);
		struct vec f = add(swept(A.w, I.u), swept(V.w, P.u));
		put_pair(x->F, i, (struct pair){ I.w*A.w + cross(I.u, A.u) + P.w*V.w, add(times(l->m[i], A.u), f) });
	}
}
static void sum_from_tips(row *a)
{
	struct pair sum = still;
	for (int i = BODIES - 1; i >= 0; i--) {
		int p = PARENT(i);
		sum = plus(sum, get_pair(a, i));
		put_pair(a, i, sum);
		if (p != i - 1) {
			put_pair(a, p, plus(sum, get_pair(a, p)));
			sum = still;
		}
	}
}
/* Sums of what is behind a body: of forces, of inertias, of momenta. */
static MBS_INLINE void sum_branches(struct state *x, const int inertias, const int momenta)
{
	sum_from_tips(x->F);
	if (inertias)
		sum_from_tips(x->I);
	if (momenta)
		sum_from_tips(x->P);
}
static MBS_INLINE double product2(row *a, int i, row *b, int j)
{
	return a[0][i]*b[0][j] + a[1][i]*b[1][j];
}
static MBS_INLINE double product(row *a, int i, row *b, int j)
{
	return a[0][i]*b[0][j] + product2(a + 1, i, b + 1, j);
}
/* Carpentier, Mansard 2018; Singh, Russell, Wensing 2022: in a plane V x S and what follows of it do not turn, and F2,
 * a couple, does no work on them. */
static void forces_of_columns(struct state *restrict x)
{
	EACH_LANE {
		struct pair S = get_pair(x->S, i), A = get_pair(x->A, i);
		struct vec B = get(x->VS, i), C = add(moved(A, S), swept(x->V[0][i], B));
		struct vec h = get(x->I + 1, i), p = get(x->P + 1, i), f = get(x->F + 1, i);
		double m = x->m[i], k = x->P[0][i];
		x->F2[i] = 2.0*(k*S.w + cross(p, S.u));
		put_pair(x->F3, i, (struct pair){ cross(h, C) + cross(S.u, f), add(times(m, C), swept(S.w, f)) });
		put_pair(x->F4, i, (struct pair){ 2.0*(k*S.w + cross(h, B)), times(2.0, add(times(m, B), swept(S.w, p))) });
		put(x->AS, i, C);
		put(x->VS, i, times(2.0, B));
	}
}
/* Rows of a column, four at a time: of its own body and of those behind it. */
static void rows_behind(struct state *restrict x, int col, int first, int n, double *restrict rq,
	double *restrict rv, double *restrict M)
{
	FOUR_ROWS {
		M[i] = product(x->S, col, x->F1, first + i);
		rq[i] = product2(x->AS, col, x->F1 + 1, first + i);
		rv[i] = x->S[0][col]*x->F2[first + i] + product2(x->VS, col, x->F1 + 1, first + i);
	}
}
/* E[0] += kinetic, E[1] += potential energy */
static MBS_INLINE void energy_step(const struct lanes *l, struct state *x, int i, const double *g, double *E)
{
	struct pair V = get_pair(x->V, i), I = get_pair(x->I, i);
	struct vec s = add(I.u, times(l->m[i], get(x->origin, i)));
	E[0] += 0.5*(dot(V.u, get(x->P + 1, i)) + V.w*(I.w*V.w + cross(I.u, V.u)));
	E[1] -= g[0]*s.x + g[1]*s.y;
}
#if POINTS
static void point_step(struct state *x, int body, const double *p, double *xyz)
{
	int i = body ? body - 1 : GROUND;
	struct vec r = add(add(get(x->origin, i), get(x->o, i)), turned(x, i, (struct vec){ p[0], p[1] }));
	xyz[0] = r.x, xyz[1] = r.y, xyz[2] = 0.0;
}
#endif
