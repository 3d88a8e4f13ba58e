
/* --- recursions in common axes: those of the ground, at an origin that moves along with the first turning body of a
 * branch.  Forces and inertias of bodies are then added as they are, and S' F is a product of six numbers with six,
 * whatever the joint is. --- */
struct vec { scalar x, y, z; };
struct pair { struct vec w, u; };       /* a motion: angular, linear; a force: moment, force */
struct sym { scalar xx, yy, zz, xy, xz, yz; };
struct state {
	/* axes of the body as columns, its origin from that of the common axes, and this one's place */
	struct vec R[3], o, origin;
	struct pair S, V, A;            /* S: the joint's motion at rate 1 */
	struct pair VS, AS;             /* V x S, and A x S + V x (V x S) */
	/* mass; sum m x, sum m x x', x from the common origin; with velocities y: sum m y, sum m y x' by columns */
	scalar m;
	struct vec h;
	struct sym E;
	struct vec p, K[3];
	struct pair F;                  /* what moves it */
};
static MBS_INLINE struct vec vec(scalar x, scalar y, scalar z)
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
static MBS_INLINE struct vec times(scalar r, struct vec a)
{
	return vec(r*a.x, r*a.y, r*a.z);
}
static MBS_INLINE scalar dot(struct vec a, struct vec b)
{
	return a.x*b.x + a.y*b.y + a.z*b.z;
}
static MBS_INLINE struct vec cross(struct vec a, struct vec b)
{
	return vec(a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x);
}
static MBS_INLINE scalar product(struct pair a, struct pair b)
{
	return dot(a.w, b.w) + dot(a.u, b.u);
}
static MBS_INLINE struct pair more(struct pair a, scalar r, struct pair b)
{
	return (struct pair){ add(a.w, times(r, b.w)), add(a.u, times(r, b.u)) };
}
/* V x S of a motion. */
static MBS_INLINE struct pair moved(struct pair V, struct pair S)
{
	return (struct pair){ cross(V.w, S.w), add(cross(V.w, S.u), cross(V.u, S.w)) };
}
/* r[0] a.x + r[1] a.y + r[2] a.z */
static MBS_INLINE struct vec combined(const struct vec *r, struct vec a)
{
	return vec(r[0].x*a.x + r[1].x*a.y + r[2].x*a.z, r[0].y*a.x + r[1].y*a.y + r[2].y*a.z,
		r[0].z*a.x + r[1].z*a.y + r[2].z*a.z);
}
static MBS_INLINE struct vec sym_times(struct sym E, struct vec a)
{
	return vec(E.xx*a.x + E.xy*a.y + E.xz*a.z, E.xy*a.x + E.yy*a.y + E.yz*a.z, E.xz*a.x + E.yz*a.y + E.zz*a.z);
}
/* I S: the tensor of inertia is tr E - E. */
static MBS_INLINE struct pair inertia_times(const struct state *x, struct pair S)
{
	scalar t = x->E.xx + x->E.yy + x->E.zz;
	return (struct pair){ add(sub(times(t, S.w), sym_times(x->E, S.w)), cross(x->h, S.u)),
		add(times(x->m, S.u), cross(S.w, x->h)) };
}
/* (tr K - K) d, (tr K - K') d */
static MBS_INLINE struct vec couple(const struct vec *K, struct vec d)
{
	return sub(times(K[0].x + K[1].y + K[2].z, d), combined(K, d));
}
static MBS_INLINE struct vec couple_back(const struct vec *K, struct vec d)
{
	return sub(times(K[0].x + K[1].y + K[2].z, d), vec(dot(K[0], d), dot(K[1], d), dot(K[2], d)));
}

static MBS_INLINE void pose_step(const struct body *t, const struct constants *b, scalar q, struct state *x,
	const struct state *p)
{
	static const signed char next[] = { 1, 2, 0, 1 };
	struct vec d = combined(p->R, vec(K(b->at[0]), K(b->at[1]), K(b->at[2])));
	int k = t->axis, i = next[k], j = next[i];
	for (int n = 0; n < 3; n++)
		x->R[n] = t->placed ? combined(p->R, vec(K(b->place[n]), K(b->place[3 + n]), K(b->place[6 + n])))
			: p->R[n];
	struct vec e = t->sign < 0 ? times(K(-1.0), x->R[k]) : x->R[k];
	if (t->kind != TURN)
		d = add(d, times(t->kind == SLIDE ? q : b->pitch*q, e));
	if (t->first) {
		x->origin = add(p->origin, d);
		x->o = vec(K(0.0), K(0.0), K(0.0));
	} else {
		x->origin = p->origin;
		x->o = add(p->o, d);
	}
	if (t->kind == SLIDE) {
		x->S = (struct pair){ vec(K(0.0), K(0.0), K(0.0)), e };
		return;
	}
	scalar c = MBS_COS(q), s = t->sign < 0 ? -MBS_SIN(q) : MBS_SIN(q);
	struct vec a = x->R[i], h = x->R[j];
	x->R[i] = add(times(c, a), times(s, h));
	x->R[j] = sub(times(c, h), times(s, a));
	x->S = (struct pair){ e, cross(x->o, e) };
	if (t->kind == SCREW)
		x->S.u = add(x->S.u, times(K(b->pitch), e));
}
/* Inertia and momentum of the body alone. */
static MBS_INLINE void inertia_step(const struct body *t, const struct constants *b, struct state *x)
{
	struct vec r[3], o = x->o, h = vec(K(0.0), K(0.0), K(0.0));
	x->m = K(b->m);
	if (t->massless) {
		x->h = x->p = x->K[0] = x->K[1] = x->K[2] = h;
		x->E = (struct sym){ K(0.0), K(0.0), K(0.0), K(0.0), K(0.0), K(0.0) };
		return;
	}
	for (int n = 0; n < 3; n++)     /* columns of R E, with E = xx xy xz yy yz zz */
		r[n] = combined(x->R, vec(K(b->E[n]), K(b->E[n ? 2 + n : 1]), K(b->E[n ? 3 + n : 2])));
	h = combined(x->R, vec(K(b->h[0]), K(b->h[1]), K(b->h[2])));
	x->h = add(h, times(x->m, o));
#define ENTRY(i, j) (r[0].i*x->R[0].j + r[1].i*x->R[1].j + r[2].i*x->R[2].j + h.i*o.j + o.i*x->h.j)
	x->E = (struct sym){ ENTRY(x, x), ENTRY(y, y), ENTRY(z, z), ENTRY(x, y), ENTRY(x, z), ENTRY(y, z) };
#undef ENTRY
	struct vec w = x->V.w, u = x->V.u;
	x->p = add(times(x->m, u), cross(w, x->h));
	x->K[0] = add(times(x->h.x, u), cross(w, vec(x->E.xx, x->E.xy, x->E.xz)));
	x->K[1] = add(times(x->h.y, u), cross(w, vec(x->E.xy, x->E.yy, x->E.yz)));
	x->K[2] = add(times(x->h.z, u), cross(w, vec(x->E.xz, x->E.yz, x->E.zz)));
}
static MBS_INLINE void force_step(const struct body *t, struct state *x)
{
	if (t->massless) {
		x->F = (struct pair){ x->h, x->h };
		return;
	}
	struct pair F = inertia_times(x, x->A);
	x->F = (struct pair){ add(F.w, couple(x->K, x->V.w)), add(F.u, cross(x->V.w, x->p)) };
}
static MBS_INLINE void add_inertia(struct state *p, const struct state *x)
{
	p->m += x->m;
	p->h = add(p->h, x->h);
	p->E.xx += x->E.xx, p->E.yy += x->E.yy, p->E.zz += x->E.zz;
	p->E.xy += x->E.xy, p->E.xz += x->E.xz, p->E.yz += x->E.yz;
}

static MBS_INLINE void velocity_step(const struct constants *b, const struct body *t, scalar v, struct state *x,
	const struct state *p)
{
	x->VS = moved(p->V, x->S);
	x->V = more(p->V, v, x->S);
	inertia_step(t, b, x);
}

/* --- sweeps over all bodies --- */
static MBS_INLINE void ground(const double *c, struct state *x)
{
	*x = (struct state){ .R = { { K(1.0), K(0.0), K(0.0) }, { K(0.0), K(1.0), K(0.0) },
		{ K(0.0), K(0.0), K(1.0) } },
		.A.u = { K(-c[GRAVITY]), K(-c[GRAVITY + 1]), K(-c[GRAVITY + 2]) } };
}
/* Velocities, inertias and momenta. */
static void sweep_velocities(const double *c, const scalar *q, const scalar *v, struct state *x)
{
	ground(c, x);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		pose_step(t, constants_of(c, t->row), q[t->coord], &x[i], &x[t->parent]);
		velocity_step(constants_of(c, t->row), t, v[t->coord], &x[i], &x[t->parent]);
	}
}
/* Accelerations and forces, too; without those of the coordinates where `a` is 0. */
static void sweep_motion(const double *c, const scalar *q, const scalar *v, const scalar *a, struct state *x)
{
	ground(c, x);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		pose_step(t, constants_of(c, t->row), q[t->coord], &x[i], &x[t->parent]);
		velocity_step(constants_of(c, t->row), t, v[t->coord], &x[i], &x[t->parent]);
		x[i].A = more(x[t->parent].A, v[t->coord], x[i].VS);
		if (a)
			x[i].A = more(x[i].A, a[t->coord], x[i].S);
		force_step(t, &x[i]);
	}
}
/* r and, if asked, M of the bodies alone: entries of a body with those before it. */
static void sweep_back(struct state *x, scalar *r, scalar *M)
{
	int n = 0;
	for (int i = BODIES; i >= 1; i--) {
		struct state *p = &x[tree[i].parent];
		r[tree[i].coord] = product(x[i].S, x[i].F);
		if (M) {
			struct pair F = inertia_times(&x[i], x[i].S);
			for (int j = i; j; j = tree[j].parent)
				M[ENTRY_OF(n++, i, j).M] = product(F, x[j].S);
			add_inertia(p, &x[i]);
		}
		p->F = more(p->F, K(1.0), x[i].F);
	}
}
#if RESIDUAL
/* r = M a - f, of the bodies alone. */
static void sweep_forces(const double *c, const scalar *q, const scalar *v, const scalar *a, scalar *r, struct state *x)
{
	sweep_motion(c, q, v, a, x);
	sweep_back(x, r, 0);
}
#endif
/* rq, rv and M (Carpentier, Mansard 2018; Singh, Russell, Wensing 2022): what a column of a body needs, against the
 * columns of those before it. */
static void sweep_jacobian(const double *c, const scalar *q, const scalar *v, const scalar *a, scalar *rq, scalar *rv,
	scalar *M, struct state *x)
{
	int n = 0;
	sweep_motion(c, q, v, a, x);
	for (int i = 1; i <= BODIES; i++)
		x[i].AS = more(moved(x[i].A, x[i].S), K(1.0), moved(x[i].V, x[i].VS));
	for (int i = BODIES; i >= 1; i--) {
		const struct pair S = x[i].S, VS = x[i].VS, F = x[i].F;
		struct state *p = &x[tree[i].parent];
		struct pair F1 = inertia_times(&x[i], S), F3 = inertia_times(&x[i], x[i].AS);
		struct pair F4 = inertia_times(&x[i], VS);
		struct vec F2 = add(couple_back(x[i].K, S.w), cross(x[i].p, S.u));
		F3.w = add(add(F3.w, times(K(2.0), couple(x[i].K, VS.w))), add(cross(S.w, F.w), cross(S.u, F.u)));
		F3.u = add(add(F3.u, times(K(2.0), cross(VS.w, x[i].p))), cross(S.w, F.u));
		F4.w = times(K(2.0), add(F4.w, couple(x[i].K, S.w)));
		F4.u = times(K(2.0), add(F4.u, cross(S.w, x[i].p)));
		F2 = times(K(2.0), F2);
		for (int j = i; j; j = tree[j].parent) {
			const struct state *y = &x[j];
			const struct entry e = ENTRY_OF(n++, i, j);
			if (j != i) {
				rq[e.back] = product(F3, y->S);
				rv[e.back] = product(F4, y->S);
			}
			M[e.M] = product(F1, y->S);
			rq[e.at] = dot(F2, y->VS.w) + product(F1, y->AS);
			rv[e.at] = dot(F2, y->S.w) + 2.0*product(F1, y->VS);
		}
		add_inertia(p, &x[i]);
		p->p = add(p->p, x[i].p);
		for (int k = 0; k < 3; k++)
			p->K[k] = add(p->K[k], x[i].K[k]);
		p->F = more(p->F, K(1.0), F);
	}
}
/* E[0] += kinetic, E[1] += potential energy */
static void sweep_energies(const double *c, const scalar *q, const scalar *v, double *E, struct state *x)
{
	sweep_velocities(c, q, v, x);
	for (int i = 1; i <= BODIES; i++) {
		const struct vec *k = x[i].K, L = vec(k[1].z - k[2].y, k[2].x - k[0].z, k[0].y - k[1].x);
		E[0] += 0.5*(dot(x[i].V.u, x[i].p) + dot(x[i].V.w, L));
		E[1] += dot(x[0].A.u, add(x[i].h, times(x[i].m, x[i].origin)));
	}
}
#if POINTS
static void sweep_poses(const double *c, const scalar *q, struct state *x)
{
	ground(c, x);
	for (int i = 1; i <= BODIES; i++)
		pose_step(&tree[i], constants_of(c, tree[i].row), q[tree[i].coord], &x[i], &x[tree[i].parent]);
}
static MBS_INLINE void point_step(const struct state *x, const double *p, double *xyz)
{
	struct vec r = add(add(x->origin, x->o), combined(x->R, vec(p[0], p[1], p[2])));
	xyz[0] = r.x, xyz[1] = r.y, xyz[2] = r.z;
}
#endif
