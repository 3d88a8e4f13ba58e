struct vec { double x, y, z; };
struct pair { struct vec w, u; };       /* a motion: angular, linear; a force: moment, force */
/* A body's axes are renamed so that the joint's is z.  Constants: placement by columns, place; turn and shift of the
 * joint at rate 1; mass, mass*centre, sum m x x'. */
struct lanes { row P[9], at[3], turn, shift, m, h[3], E[6]; };
struct state {
	row q, v, a, angle, co, si;
	row C[9];                       /* axes of the body in those of the parent, as columns */
	row R[9], o[3], origin[3];      /* in the common ones; from the common origin; this one's place */
	row S[6], V[6], A[6];           /* S: the joint's motion at rate 1 */
	row VS[6], AS[6];               /* V x S, and A x S + V x (V x S) */
	row F[6];                       /* what moves it */
	/* mass, sum m x, m x x' (x from the common origin), with velocities y m y, m y x' by columns */
	row m, h[3], E[6], p[3], K[9];
	row F1[6], F2[3], F3[6], F4[6], r;
};
static const struct pair still = { { 0.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0 } };
static MBS_INLINE struct vec vec(double x, double y, double z)
{
	return (struct vec){ x, y, z };
}
static MBS_INLINE struct vec add(struct vec a, struct vec b)
{
	return vec(a.x + b.x, a.y + b.y, a.z + b.z);
}
static MBS_INLINE struct vec sub(struct vec a, struct vec b)
{
	return vec(a.x - b.x, a.y - b.y, a.z - b.z);
}
static MBS_INLINE struct vec times(double r, struct vec a)
{
	return vec(r*a.x, r*a.y, r*a.z);
}
static MBS_INLINE double dot(struct vec a, struct vec b)
{
	return a.x*b.x + a.y*b.y + a.z*b.z;
}
static MBS_INLINE struct vec cross(struct vec a, struct vec b)
{
	return vec(a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x);
}
static MBS_INLINE struct vec get(row *a, int i)
{
	return vec(a[0][i], a[1][i], a[2][i]);
}
static MBS_INLINE void put(row *a, int i, struct vec b)
{
	a[0][i] = b.x, a[1][i] = b.y, a[2][i] = b.z;
}
static MBS_INLINE struct pair get_pair(row *a, int i)
{
	return (struct pair){ get(a, i), get(a + 3, i) };
}
static MBS_INLINE void put_pair(row *a, int i, struct pair b)
{
	put(a, i, b.w);
	put(a + 3, i, b.u);
}
static MBS_INLINE struct pair plus(struct pair a, struct pair b)
{
	return (struct pair){ add(a.w, b.w), add(a.u, b.u) };
}
static MBS_INLINE struct pair scaled(double r, struct pair a)
{
	return (struct pair){ times(r, a.w), times(r, a.u) };
}
static MBS_INLINE struct pair against_gravity(const double *g)
{
	return (struct pair){ still.w, vec(-g[0], -g[1], -g[2]) };
}
/* V x S of a motion. */
static MBS_INLINE struct pair moved(struct pair V, struct pair S)
{
	return (struct pair){ cross(V.w, S.w), add(cross(V.w, S.u), cross(V.u, S.w)) };
}
/* Columns r times a. */
static MBS_INLINE struct vec combined(row *r, int i, struct vec a)
{
	return vec(r[0][i]*a.x + r[3][i]*a.y + r[6][i]*a.z, r[1][i]*a.x + r[4][i]*a.y + r[7][i]*a.z,
		r[2][i]*a.x + r[5][i]*a.y + r[8][i]*a.z);
}
/* I S: the tensor of inertia is tr E - E, E = xx xy xz yy yz zz. */
static MBS_INLINE struct pair inertia_times(struct state *x, int i, struct pair S)
{
	row *E = x->E;
	struct vec h = get(x->h, i), w = S.w;
	struct vec J = vec((E[3][i] + E[5][i])*w.x - E[1][i]*w.y - E[2][i]*w.z,
		(E[0][i] + E[5][i])*w.y - E[1][i]*w.x - E[4][i]*w.z,
		(E[0][i] + E[3][i])*w.z - E[2][i]*w.x - E[4][i]*w.y);
	return (struct pair){ add(J, cross(h, S.u)), add(times(x->m[i], S.u), cross(w, h)) };
}
/* (tr K - K) d */
static MBS_INLINE struct vec couple(row *K, int i, struct vec d)
{
	return sub(times(K[0][i] + K[4][i] + K[8][i], d), combined(K, i, d));
}

/* --- constants of the lanes --- */
/* Axes are renamed. */
static MBS_INLINE int axis_of(int body, int n)
{
	return body ? (tree[body].axis + 1 + n)%3 : n;
}
static void put_place(row *P, int i, const double *place)
{
	for (int k = 0; k < 9; k++)
		P[k][i] = place[3*axis_of(tree[i + 1].parent, k%3) + axis_of(i + 1, k/3)];
}
static void make_lanes(double *c)
{
	static const signed char at[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };
	struct lanes *l = (struct lanes *)(c + LANES_AT);
	for (int i = LANES_AT; i < GRAVITY + CONSTANTS; i++)
		c[i] = 0.0;
	for (int i = 0; i < BODIES; i++) {
		const struct body *t = &tree[i + 1];
		const struct constants *b = constants_of(c, t->row);
		put_place(l->P, i, b->place);
		for (int k = 0; k < 3; k++) {
			l->at[k][i] = b->at[axis_of(t->parent, k)];
			l->h[k][i] = b->h[axis_of(i + 1, k)];
			for (int j = k; j < 3; j++)
				l->E[at[k][j]][i] = b->E[at[axis_of(i + 1, k)][axis_of(i + 1, j)]];
		}
		l->turn[i] = t->kind == SLIDE ? 0 : t->sign;
		l->shift[i] = t->sign*(t->kind == SLIDE ? 1.0 : b->pitch);
		l->m[i] = b->m;
	}
}

/* --- sweeps over all bodies --- */
static void turn_axes(struct lanes *restrict l, struct state *restrict x)
{
	EACH_LANE {
		struct vec a = get(l->P, i), b = get(l->P + 3, i);
		put(x->C, i, add(times(x->co[i], a), times(x->si[i], b)));
		put(x->C + 3, i, sub(times(x->co[i], b), times(x->si[i], a)));
		put(x->C + 6, i, get(l->P + 6, i));
	}
}
static void sweep_poses(const double *restrict c, const double *q, struct state *restrict x)
{
	struct lanes *l = LANES_OF(c);
	for (int i = 0; i < BODIES; i++)
		x->q[i] = q[COORD(i)];
	for (int i = BODIES; i < WIDTH; i++) {  /* nobody's */
		x->q[i] = x->v[i] = 0.0;
		for (int k = 0; k < 9; k += 3)
			put(x->R + k, i, still.w);
		put(x->o, i, still.w);
	}
	EACH_LANE
		x->angle[i] = l->turn[i]*x->q[i];
	sines_of(x->angle, x->co, x->si);
	turn_axes(l, x);
#if BALLS
	for (int b = 0; b < BALLS; b++)
		put_place(x->C, balls[b].turn, constants_of(c, balls[b].row)->place);
#endif
	for (int k = 0; k < 9; k++)
		x->R[k][GROUND] = k%4 ? 0.0 : 1.0;
	put(x->o, GROUND, still.w);
	put(x->origin, GROUND, still.w);
	for (int i = 0; i < BODIES; i++) {
		int p = PARENT(i);
		put(x->R, i, combined(x->R, p, get(x->C, i)));
		put(x->R + 3, i, combined(x->R, p, get(x->C + 3, i)));
		struct vec e = combined(x->R, p, get(x->C + 6, i));
		put(x->R + 6, i, e);
		struct vec d = add(combined(x->R, p, get(l->at, i)), times(l->shift[i]*x->q[i], e));
		int first = tree[i + 1].first;
		put(x->o, i, first ? still.w : add(get(x->o, p), d));
		put(x->origin, i, first ? add(get(x->origin, p), d) : get(x->origin, p));
	}
}
static void own_inertias(struct lanes *restrict l, struct state *restrict x)
{
	EACH_LANE {
		struct vec o = get(x->o, i), g = combined(x->R, i, get(l->h, i)), h = add(g, times(l->m[i], o));
		struct vec a = get(x->R, i), b = get(x->R + 3, i), e = get(x->R + 6, i);
		struct vec r = combined(x->R, i, vec(l->E[0][i], l->E[1][i], l->E[2][i]));      /* columns of R E */
		struct vec s = combined(x->R, i, vec(l->E[1][i], l->E[3][i], l->E[4][i]));
		struct vec t = combined(x->R, i, vec(l->E[2][i], l->E[4][i], l->E[5][i]));
#define ENTRY(i, j) (r.i*a.j + s.i*b.j + t.i*e.j + g.i*o.j + o.i*h.j)
		double xx = ENTRY(x, x), xy = ENTRY(x, y), xz = ENTRY(x, z);
		double yy = ENTRY(y, y), yz = ENTRY(y, z), zz = ENTRY(z, z);
#undef ENTRY
		x->m[i] = l->m[i];
		put(x->h, i, h);
		put(x->E, i, vec(xx, xy, xz));
		put(x->E + 3, i, vec(yy, yz, zz));
		struct vec w = get(x->V, i), u = get(x->V + 3, i);
		put(x->p, i, add(times(l->m[i], u), cross(w, h)));
		put(x->K, i, add(times(h.x, u), cross(w, vec(xx, xy, xz))));
		put(x->K + 3, i, add(times(h.y, u), cross(w, vec(xy, yy, yz))));
		put(x->K + 6, i, add(times(h.z, u), cross(w, vec(xz, yz, zz))));
	}
}
/* S, and S v. */
static void joint_motions(struct lanes *restrict l, struct state *restrict x)
{
	EACH_LANE {
		struct vec e = get(x->R + 6, i), w = times(l->turn[i], e);
		struct pair S = { w, add(cross(get(x->o, i), w), times(l->shift[i], e)) };
		put_pair(x->S, i, S);
		put_pair(x->V, i, scaled(x->v[i], S));
	}
}
/* V x S, and what a joint adds to the acceleration. */
static void joint_accelerations(struct state *restrict x)
{
	EACH_LANE {
		struct pair S = get_pair(x->S, i), B = moved(get_pair(x->V, i), S);
		put_pair(x->VS, i, B);
		put_pair(x->A, i, plus(scaled(x->v[i], B), scaled(x->a[i], S)));
	}
}
static void own_forces(struct lanes *restrict l, struct state *restrict x)
{
	EACH_LANE {
		struct pair F = inertia_times(x, i, get_pair(x->A, i));
		struct vec w = get(x->V, i);
		put(x->F, i, add(F.w, couple(x->K, i, w)));
		put(x->F + 3, i, add(F.u, cross(w, get(x->p, i))));
	}
	(void)l;
}
/* Sums of what is behind a body: of forces, of inertias, of momenta. */
#define UP(a) x->a[p] += x->a[i]
#define UP3(a, k) (UP(a[k]), UP(a[k + 1]), UP(a[k + 2]))
static MBS_INLINE void sum_branches(struct state *x, const int inertias, const int momenta)
{
	for (int i = BODIES - 1; i >= 0; i--) {
		int p = PARENT(i);
		UP3(F, 0), UP3(F, 3);
		if (inertias)
			UP(m), UP3(h, 0), UP3(E, 0), UP3(E, 3);
		if (momenta)
			UP3(p, 0), UP3(K, 0), UP3(K, 3), UP3(K, 6);
	}
}
static MBS_INLINE double product(row *a, int i, row *b, int j)
{
	return a[0][i]*b[0][j] + a[1][i]*b[1][j] + a[2][i]*b[2][j]
		+ a[3][i]*b[3][j] + a[4][i]*b[4][j] + a[5][i]*b[5][j];
}
static MBS_INLINE double product3(row *a, int i, row *b, int j)
{
	return a[0][i]*b[0][j] + a[1][i]*b[1][j] + a[2][i]*b[2][j];
}
/* Carpentier, Mansard 2018; Singh, Russell, Wensing 2022 */
static void forces_of_columns(struct state *x)
{
	EACH_LANE {
		struct vec w = get(x->S, i), u = get(x->S + 3, i), p = get(x->p, i);
		struct pair I = inertia_times(x, i, get_pair(x->VS, i));
		struct vec k = vec(dot(get(x->K, i), w), dot(get(x->K + 3, i), w), dot(get(x->K + 6, i), w));
		k = sub(times(x->K[0][i] + x->K[4][i] + x->K[8][i], w), k);
		put(x->F2, i, times(2.0, add(k, cross(p, u))));
		put(x->F4, i, times(2.0, add(I.w, couple(x->K, i, w))));
		put(x->F4 + 3, i, times(2.0, add(I.u, cross(w, p))));
	}
	EACH_LANE {
		struct pair B = get_pair(x->VS, i), S = get_pair(x->S, i), F = get_pair(x->F, i);
		struct pair a = moved(get_pair(x->A, i), S), b = moved(get_pair(x->V, i), B);
		struct pair AS = { add(a.w, b.w), add(a.u, b.u) }, I = inertia_times(x, i, AS);
		put_pair(x->AS, i, AS);
		I.w = add(add(I.w, times(2.0, couple(x->K, i, B.w))), add(cross(S.w, F.w), cross(S.u, F.u)));
		I.u = add(add(I.u, times(2.0, cross(B.w, get(x->p, i)))), cross(S.w, F.u));
		put_pair(x->F3, i, I);
		put_pair(x->VS, i, (struct pair){ B.w, times(2.0, B.u) });
		put(x->C, i, times(2.0, B.w));
	}
}
/* Rows of a column, four at a time: of its own body and of those behind it. */
static void rows_behind(struct state *restrict x, int col, int first, int n, double *restrict rq,
	double *restrict rv, double *restrict M)
{
	FOUR_ROWS {
		M[i] = product(x->S, col, x->F1, first + i);
		rq[i] = product3(x->VS, col, x->F2, first + i) + product(x->AS, col, x->F1, first + i);
		rv[i] = product3(x->S, col, x->F2, first + i) + product3(x->C, col, x->F1, first + i)
			+ product3(x->VS + 3, col, x->F1 + 3, first + i);
	}
}
/* E[0] += kinetic, E[1] += potential energy */
static MBS_INLINE void energy_step(const struct lanes *l, struct state *x, int i, const double *g, double *E)
{
	row *k = x->K;
	struct vec L = vec(k[5][i] - k[7][i], k[6][i] - k[2][i], k[1][i] - k[3][i]), h = get(x->h, i);
	E[0] += 0.5*(dot(get(x->V + 3, i), get(x->p, i)) + dot(get(x->V, i), L));
	E[1] -= dot(vec(g[0], g[1], g[2]), add(h, times(l->m[i], get(x->origin, i))));
}
#if POINTS
static void point_step(struct state *x, int body, const double *p, double *xyz)
{
	int i = body ? body - 1 : GROUND;
	struct vec r = combined(x->R, i, vec(p[axis_of(body, 0)], p[axis_of(body, 1)], p[axis_of(body, 2)]));
	r = add(add(get(x->origin, i), get(x->o, i)), r);
	xyz[0] = r.x, xyz[1] = r.y, xyz[2] = r.z;
}
#endif
