/* --- recursions over the bodies of a tree in space ----------------------------------------------------------------
 * Index 0 is the ground; parents come first.  Vectors are in the working axes of a body, in which the axis of its joint
 * is a coordinate axis.  Within a step they are turned so that it is z (get, put): that costs nothing once the step is
 * inlined with a known axis.  V = (w, u): angular velocity, velocity of the origin; A likewise; F = (n, f): moment
 * about the origin, force. */
struct vec { scalar x, y, z; };
struct sym { scalar xx, yy, zz, xy, xz, yz; };
struct mat { scalar xx, xy, xz, yx, yy, yz, zx, zy, zz; };
/* of a body: placement in the parent's axes, pitch of a screw, mass, mass*centre, moments about the origin */
struct constants {
	double place[9], at[3], pitch, m, h[3], J[6];
};
struct state {
	scalar c, s, z;         /* of the joint's angle; shift along the axis */
	scalar w[3], u[3];      /* V, then A */
	scalar bw[3], bu[3];    /* V x S v */
	scalar n[3], f[3];      /* forces */
	scalar J[6], H[9], m;   /* composite: moments, H[0..2] = h, mass; or H a rotation */
};

static MBS_INLINE struct vec get(const scalar *p, int k)
{
	return (struct vec){ p[(k + 1) % 3], p[(k + 2) % 3], p[k] };
}
static MBS_INLINE struct vec get_constant(const double *p, int k)
{
	return (struct vec){ K(p[(k + 1) % 3]), K(p[(k + 2) % 3]), K(p[k]) };
}
static MBS_INLINE void put(scalar *p, int k, struct vec v)
{
	p[(k + 1) % 3] = v.x, p[(k + 2) % 3] = v.y, p[k] = v.z;
}
static MBS_INLINE void put_more(scalar *p, int k, struct vec v)
{
	p[(k + 1) % 3] += v.x, p[(k + 2) % 3] += v.y, p[k] += v.z;
}
/* xx yy zz xy xz yz */
static MBS_INLINE int at_sym(int i, int j)
{
	return i == j ? i : i + j + 2;
}
static MBS_INLINE struct sym get_sym(const scalar *p, int k)
{
	int x = (k + 1) % 3, y = (k + 2) % 3;
	return (struct sym){ p[x], p[y], p[k], p[at_sym(x, y)], p[at_sym(x, k)], p[at_sym(y, k)] };
}
static MBS_INLINE void put_sym_more(scalar *p, int k, struct sym a)
{
	int x = (k + 1) % 3, y = (k + 2) % 3;
	p[x] += a.xx, p[y] += a.yy, p[k] += a.zz;
	p[at_sym(x, y)] += a.xy, p[at_sym(x, k)] += a.xz, p[at_sym(y, k)] += a.yz;
}
static MBS_INLINE struct vec add(struct vec a, struct vec b)
{
	return (struct vec){ a.x + b.x, a.y + b.y, a.z + b.z };
}
static MBS_INLINE struct vec times(scalar s, struct vec a)
{
	return (struct vec){ s*a.x, s*a.y, s*a.z };
}
static MBS_INLINE struct vec cross(struct vec a, struct vec b)
{
	return (struct vec){ a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x };
}
static MBS_INLINE scalar dot(struct vec a, struct vec b)
{
	return a.x*b.x + a.y*b.y + a.z*b.z;
}
static MBS_INLINE struct vec sym_times(struct sym a, struct vec v)
{
	return (struct vec){ a.xx*v.x + a.xy*v.y + a.xz*v.z, a.xy*v.x + a.yy*v.y + a.yz*v.z,
		a.xz*v.x + a.yz*v.y + a.zz*v.z };
}
static MBS_INLINE struct vec mat_times(struct mat a, struct vec v)
{
	return (struct vec){ a.xx*v.x + a.xy*v.y + a.xz*v.z, a.yx*v.x + a.yy*v.y + a.yz*v.z,
		a.zx*v.x + a.zy*v.y + a.zz*v.z };
}
static MBS_INLINE struct vec mat_back(struct mat a, struct vec v)
{
	return (struct vec){ a.xx*v.x + a.yx*v.y + a.zx*v.z, a.xy*v.x + a.yy*v.y + a.zy*v.z,
		a.xz*v.x + a.yz*v.y + a.zz*v.z };
}
static MBS_INLINE struct mat mat_mul(struct mat a, struct mat b)
{
	struct vec x = mat_back(b, (struct vec){ a.xx, a.xy, a.xz }), y = mat_back(b, (struct vec){ a.yx, a.yy, a.yz }),
		z = mat_back(b, (struct vec){ a.zx, a.zy, a.zz });
	return (struct mat){ x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z };
}
/* place: child to parent, in their own axes */
static MBS_INLINE struct mat get_place(const struct constants *b)
{
	const double *p = b->place;
	return (struct mat){ K(p[0]), K(p[1]), K(p[2]), K(p[3]), K(p[4]), K(p[5]), K(p[6]), K(p[7]), K(p[8]) };
}
/* From axes in which the joint's axis is z to those of the body, and back. */
static MBS_INLINE struct vec plain(struct vec v, int k)
{
	scalar p[3];
	put(p, k, v);
	return (struct vec){ p[0], p[1], p[2] };
}
static MBS_INLINE struct vec fitted(struct vec v, int k)
{
	scalar p[3] = { v.x, v.y, v.z };
	return get(p, k);
}
static MBS_INLINE struct vec turn(scalar c, scalar s, struct vec v)     /* child to parent, about z */
{
	return (struct vec){ c*v.x - s*v.y, s*v.x + c*v.y, v.z };
}
static MBS_INLINE struct vec turn_back(scalar c, scalar s, struct vec v)
{
	return (struct vec){ c*v.x + s*v.y, c*v.y - s*v.x, v.z };
}
static MBS_INLINE struct vec get_h(const struct constants *b, int k)
{
	return get_constant(b->h, k);
}
static MBS_INLINE struct sym get_J(const struct constants *b, int k)
{
	int x = (k + 1) % 3, y = (k + 2) % 3;
	const double *p = b->J;
	return (struct sym){ K(p[x]), K(p[y]), K(p[k]), K(p[at_sym(x, y)]), K(p[at_sym(x, k)]), K(p[at_sym(y, k)]) };
}

/* A motion (w, u) of the parent, seen from the child, in axes in which the joint's axis is z. */
struct pair { struct vec w, u; };
static MBS_INLINE struct pair to_child(JOINT, const struct state *x, const struct state *p)
{
	struct pair v;
	if (placed) {
		struct mat R = get_place(b);
		struct vec u, w = (struct vec){ p->w[0], p->w[1], p->w[2] };
		u = add((struct vec){ p->u[0], p->u[1], p->u[2] }, cross(w, (struct vec){ K(b->at[0]), K(b->at[1]),
			K(b->at[2]) }));
		v.w = fitted(mat_back(R, w), k);
		v.u = fitted(mat_back(R, u), k);
	} else {
		v.w = get(p->w, k);
		v.u = add(get(p->u, k), cross(v.w, get_constant(b->at, k)));
	}
	if (kind != TURN) {
		v.u.x += v.w.y*x->z;
		v.u.y -= v.w.x*x->z;
	}
	if (kind != SLIDE) {
		v.w = turn_back(x->c, x->s, v.w);
		v.u = turn_back(x->c, x->s, v.u);
	}
	return v;
}
/* A force of the child, in such axes, added to those of the parent. */
static MBS_INLINE void force_to_parent(JOINT, const struct state *x, struct pair F, struct state *p)
{
	if (kind != SLIDE) {
		F.w = turn(x->c, x->s, F.w);
		F.u = turn(x->c, x->s, F.u);
	}
	if (kind != TURN) {
		F.w.x -= x->z*F.u.y;
		F.w.y += x->z*F.u.x;
	}
	if (placed) {
		struct mat R = get_place(b);
		struct vec f = mat_times(R, plain(F.u, k));
		struct vec n = add(mat_times(R, plain(F.w, k)), cross((struct vec){ K(b->at[0]), K(b->at[1]),
			K(b->at[2]) }, f));
		p->n[0] += n.x, p->n[1] += n.y, p->n[2] += n.z;
		p->f[0] += f.x, p->f[1] += f.y, p->f[2] += f.z;
	} else {
		put_more(p->n, k, add(F.w, cross(get_constant(b->at, k), F.u)));
		put_more(p->f, k, F.u);
	}
}
/* The joint's motion S r. */
static MBS_INLINE void add_joint(const int kind, const struct constants *b, struct pair *v, scalar r)
{
	if (kind == SLIDE)
		v->u.z += r;
	else
		v->w.z += r;
	if (kind == SCREW)
		v->u.z += b->pitch*r;
}
/* S'F */
static MBS_INLINE scalar along_joint(const int kind, const struct constants *b, struct pair F)
{
	return kind == SLIDE ? F.u.z : kind == TURN ? F.w.z : F.w.z + b->pitch*F.u.z;
}
static MBS_INLINE void angle_step(JOINT, scalar q, struct state *x)
{
	(void)k, (void)placed;
	if (kind != SLIDE) {
		x->c = MBS_COS(q);
		x->s = MBS_SIN(q);
	}
	if (kind != TURN)
		x->z = kind == SLIDE ? q : b->pitch*q;
}
static MBS_INLINE void velocity_step(JOINT, scalar v, struct state *x, const struct state *p)
{
	struct pair V = to_child(kind, k, placed, b, x, p);
	struct pair B = { { K(0.0), K(0.0), K(0.0) }, { K(0.0), K(0.0), K(0.0) } };
	add_joint(kind, b, &V, v);
	if (kind != SLIDE) {
		B.w.x = V.w.y*v, B.w.y = -V.w.x*v;
		B.u.x = V.u.y*v, B.u.y = -V.u.x*v;
	}
	if (kind != TURN) {
		scalar s = kind == SLIDE ? v : b->pitch*v;
		B.u.x += V.w.y*s, B.u.y -= V.w.x*s;
	}
	put(x->w, k, V.w);
	put(x->u, k, V.u);
	put(x->bw, k, B.w);
	put(x->bu, k, B.u);
}
/* I V */
static MBS_INLINE struct pair momentum(const struct constants *b, int k, struct pair V)
{
	struct vec h = get_h(b, k);
	struct pair L = { add(sym_times(get_J(b, k), V.w), cross(h, V.u)), add(times(K(b->m), V.u), cross(V.w, h)) };
	return L;
}
/* V x* I V */
static MBS_INLINE struct pair gyroscopic(const struct constants *b, int k, struct pair V)
{
	struct pair L = momentum(b, k, V);
	struct pair F = { add(cross(V.w, L.w), cross(V.u, L.u)), cross(V.w, L.u) };
	return F;
}

static MBS_INLINE struct sym turn_sym(scalar c, scalar s, struct sym a)
{
	scalar cc = c*c, cs = c*s, xx = cc*(a.xx - a.yy) + a.yy - (cs + cs)*a.xy;
	scalar xy = cs*(a.xx - a.yy) + (cc + cc - 1.0)*a.xy;
	return (struct sym){ xx, a.xx + a.yy - xx, a.zz, xy, c*a.xz - s*a.yz, s*a.xz + c*a.yz };
}
static MBS_INLINE struct sym full_turn_sym(struct mat R, struct sym a)
{
	struct mat t = mat_mul(R, (struct mat){ a.xx, a.xy, a.xz, a.xy, a.yy, a.yz, a.xz, a.yz, a.zz });
	struct vec x = { t.xx, t.xy, t.xz }, y = { t.yx, t.yy, t.yz }, z = { t.zx, t.zy, t.zz };
	struct vec rx = { R.xx, R.xy, R.xz }, ry = { R.yx, R.yy, R.yz }, rz = { R.zx, R.zy, R.zz };
	return (struct sym){ dot(x, rx), dot(y, ry), dot(z, rz), dot(x, ry), dot(x, rz), dot(y, rz) };
}
/* The origin moves by -r: H + [r] M, J - H [r] + [r] (H + [r] M)'. */
static MBS_INLINE void shift(struct vec r, struct sym *J, struct mat *H, struct sym M)
{
	struct mat h = *H;
	struct vec z = { r.x*M.xy - r.y*M.xx, r.x*M.yy - r.y*M.xy, r.x*M.yz - r.y*M.xz };
	H->xx += r.y*M.xz - r.z*M.xy, H->xy += r.y*M.yz - r.z*M.yy, H->xz += r.y*M.zz - r.z*M.yz;
	H->yx += r.z*M.xx - r.x*M.xz, H->yy += r.z*M.xy - r.x*M.yz, H->yz += r.z*M.xz - r.x*M.zz;
	H->zx += z.x, H->zy += z.y, H->zz += z.z;
	/* J_ij + (r x h_i)_j + (r x H_j)_i, rows h of the old, H of the new */
	J->xx += r.y*(h.xz + H->xz) - r.z*(h.xy + H->xy);
	J->yy += r.z*(h.yx + H->yx) - r.x*(h.yz + H->yz);
	J->xy += r.z*h.xx - r.x*h.xz + r.y*H->yz - r.z*H->yy;
	scalar zz = r.x*H->zy - r.y*H->zx, xz = r.x*h.xy - r.y*h.xx + r.y*H->zz - r.z*H->zy;
	scalar yz = r.x*h.yy - r.y*h.yx + r.z*H->zx - r.x*H->zz;
	J->zz += zz + r.x*h.zy - r.y*h.zx, J->xz += xz, J->yz += yz;
}
/* --- inverse dynamics: forces of the joints (Luh, Walker, Paul 1980) --- */
static MBS_INLINE void inverse_step(JOINT, scalar a, struct state *x, const struct state *p)
{
	struct pair V = { get(x->w, k), get(x->u, k) }, G = gyroscopic(b, k, V), A = to_child(kind, k, placed, b, x,
		p), F;
	A.w = add(A.w, get(x->bw, k));
	A.u = add(A.u, get(x->bu, k));
	add_joint(kind, b, &A, a);
	F = momentum(b, k, A);
	put(x->w, k, A.w);
	put(x->u, k, A.u);
	put(x->n, k, add(F.w, G.w));
	put(x->f, k, add(F.u, G.u));
}
static MBS_INLINE scalar force_step(JOINT, const struct state *x, struct state *p)
{
	struct pair F = { get(x->n, k), get(x->f, k) };
	force_to_parent(kind, k, placed, b, x, F, p);
	return along_joint(kind, b, F);
}

/* --- composite bodies: the mass matrix (Walker, Orin 1982) --- */
static MBS_INLINE void composite_step(JOINT, struct state *x, struct state *p)
{
	struct sym J = get_sym(x->J, k), M = { 0 };
	struct vec h = get(x->H, k);
	struct mat H = { 0 };
	if (kind != SLIDE) {
		J = turn_sym(x->c, x->s, J);
		h = turn(x->c, x->s, h);
	}
	scalar m = x->m;
	M.xx = M.yy = M.zz = m;
	struct vec r = { K(0.0), K(0.0), kind == TURN ? K(0.0) : x->z };
	if (!placed)
		r = add(r, get_constant(b->at, k));
	for (int i = 0; i < 1 + placed; i++) {
		if (i) {
			struct mat R = get_place(b);
			scalar j[6] = { 0 };
			put_sym_more(j, k, J);
			J = full_turn_sym(R, (struct sym){ j[0], j[1], j[2], j[3], j[4], j[5] });
			h = mat_times(R, plain(h, k));
			r = (struct vec){ K(b->at[0]), K(b->at[1]), K(b->at[2]) };
		}
		H = (struct mat){ K(0.0), -h.z, h.y, h.z, K(0.0), -h.x, -h.y, h.x, K(0.0) };
		shift(r, &J, &H, M);
		h = (struct vec){ h.x + m*r.x, h.y + m*r.y, h.z + m*r.z };
	}
	if (placed) {
		p->J[0] += J.xx, p->J[1] += J.yy, p->J[2] += J.zz, p->J[3] += J.xy, p->J[4] += J.xz, p->J[5] += J.yz;
		p->H[0] += h.x, p->H[1] += h.y, p->H[2] += h.z;
	} else {
		put_sym_more(p->J, k, J);
		put_more(p->H, k, h);
	}
	p->m += m;
}
/* F = Ic S of the joint. */
static MBS_INLINE void column_step(JOINT, struct state *x)
{
	struct sym J = get_sym(x->J, k);
	struct vec h = get(x->H, k);
	struct pair S = { { K(0.0), K(0.0), K(0.0) }, { K(0.0), K(0.0), K(0.0) } };
	(void)placed;
	add_joint(kind, b, &S, K(1.0));
	put(x->n, k, add(sym_times(J, S.w), cross(h, S.u)));
	put(x->f, k, add(times(x->m, S.u), cross(S.w, h)));
}

/* --- where bodies are: H is the rotation to space, n the place of the origin --- */
static MBS_INLINE void pose_step(JOINT, struct state *x, const struct state *p)
{
	const scalar *R = p->H;
	struct mat E = { R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8] };
	struct vec o = mat_times(E, (struct vec){ K(b->at[0]), K(b->at[1]), K(b->at[2]) });
	if (placed)
		E = mat_mul(E, get_place(b));
	scalar e[9] = { E.xx, E.xy, E.xz, E.yx, E.yy, E.yz, E.zx, E.zy, E.zz };
	for (int i = 0; i < 3; i++) {
		scalar s = kind == TURN ? K(0.0) : x->z*e[3*i + k];
		x->n[i] = p->n[i] + (i == 0 ? o.x : i == 1 ? o.y : o.z) + s;
		int c1 = 3*i + (k + 1) % 3, c2 = 3*i + (k + 2) % 3;
		scalar e1 = e[c1], e2 = e[c2];
		if (kind != SLIDE) {
			e[c1] = x->c*e1 + x->s*e2;
			e[c2] = x->c*e2 - x->s*e1;
		}
	}
	for (int i = 0; i < 9; i++)
		x->H[i] = e[i];
}
static MBS_INLINE void energy_step(const struct constants *b, const struct state *x, const double *g, scalar *T,
	scalar *U)
{
	struct pair V = { get(x->w, 2), get(x->u, 2) }, L = momentum(b, 2, V);
	*T += 0.5*(dot(V.w, L.w) + dot(V.u, L.u));
	for (int i = 0; i < 3; i++)
		*U -= g[i]*(b->m*x->n[i] + b->h[0]*x->H[3*i] + b->h[1]*x->H[3*i + 1] + b->h[2]*x->H[3*i + 2]);
}
static MBS_INLINE void ground(struct state *x, const double *g)
{
	*x = (struct state){ .H = { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 } };
	(void)g;
}
static MBS_INLINE void ground_accelerates(struct state *x, const double *g)
{
	for (int i = 0; i < 3; i++)
		x->u[i] = K(-g[i]);
}
static MBS_INLINE void no_inertia(struct state *x)
{
	for (int i = 0; i < 6; i++)
		x->J[i] = K(0.0);
	x->H[0] = x->H[1] = x->H[2] = x->m = K(0.0);
}
static MBS_INLINE void own_inertia(const struct constants *b, struct state *x)
{
	for (int i = 0; i < 6; i++)
		x->J[i] = K(b->J[i]);
	for (int i = 0; i < 3; i++)
		x->H[i] = K(b->h[i]);
	x->m = K(b->m);
}
static MBS_INLINE void no_force(struct state *x)
{
	for (int i = 0; i < 3; i++)
		x->n[i] = x->f[i] = K(0.0);
}
static MBS_INLINE void point_step(const struct state *x, int body, const double *p, double *xyz)
{
	x += body;
	for (int i = 0; i < 3; i++)
		xyz[i] = x->n[i] + x->H[3*i]*p[0] + x->H[3*i + 1]*p[1] + x->H[3*i + 2]*p[2];
}
