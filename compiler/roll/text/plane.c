/* --- recursions over the bodies of a tree in a plane ---------------------------------------------------------------
 * Index 0 is the ground; parents come first.  Vectors are in the working axes of a body.  V = (w, u): angular velocity,
 * velocity of the origin; A likewise; F = (n, f): moment about the origin, force. */
struct vec { scalar x, y; };
struct constants {      /* of a body: cosine and sine of its placement, place in the parent's axes, mass,
	mass*centre, moment about the origin, angle of its placement */
	double c0, s0, at[2], m, h[2], J, angle;
};
struct state {
	scalar c, s, x, y;      /* child to parent: turn and shift */
	scalar w, ux, uy;       /* V, then A */
	scalar bx, by;          /* V x S v; it has no angular part */
	scalar n, fx, fy;       /* forces */
	scalar J, hx, hy, m;    /* composite; or (hx, hy) the place of the origin */
	scalar d, e;            /* cosine and sine to space */
};
struct pair { scalar w; struct vec u; };

static MBS_INLINE struct vec turn(const struct state *x, struct vec v)  /* child to parent */
{
	return (struct vec){ x->c*v.x - x->s*v.y, x->s*v.x + x->c*v.y };
}
static MBS_INLINE struct vec turn_back(const struct state *x, struct vec v)
{
	return (struct vec){ x->c*v.x + x->s*v.y, x->c*v.y - x->s*v.x };
}
static MBS_INLINE void angle_step(JOINT, scalar q, struct state *x)
{
	if (kind == SLIDE) {
		x->c = K(b->c0), x->s = K(b->s0);
		x->x = b->at[0] + (k == 0 ? b->c0 : -b->s0)*q;
		x->y = b->at[1] + (k == 0 ? b->s0 : b->c0)*q;
		return;
	}
	x->c = MBS_COS(q), x->s = MBS_SIN(q);
	x->x = K(b->at[0]), x->y = K(b->at[1]);
	if (placed) {
		scalar c = x->c;
		x->c = b->c0*c - b->s0*x->s;
		x->s = b->s0*c + b->c0*x->s;
	}
}
static MBS_INLINE struct pair to_child(const struct state *x, const struct state *p)
{
	return (struct pair){ p->w, turn_back(x, (struct vec){ p->ux - p->w*x->y, p->uy + p->w*x->x }) };
}
static MBS_INLINE void add_joint(const int kind, const int k, struct pair *v, scalar r)
{
	if (kind == TURN)
		v->w += r;
	else if (k == 0)
		v->u.x += r;
	else
		v->u.y += r;
}
static MBS_INLINE scalar along_joint(const int kind, const int k, struct pair F)
{
	return kind == TURN ? F.w : k == 0 ? F.u.x : F.u.y;
}
static MBS_INLINE void force_to_parent(const struct state *x, struct pair F, struct state *p)
{
	struct vec f = turn(x, F.u);
	p->n += F.w + x->x*f.y - x->y*f.x;
	p->fx += f.x, p->fy += f.y;
}
static MBS_INLINE void velocity_step(JOINT, scalar v, struct state *x, const struct state *p)
{
	struct pair V = to_child(x, p);
	(void)placed, (void)b;
	add_joint(kind, k, &V, v);
	x->w = V.w, x->ux = V.u.x, x->uy = V.u.y;
	if (kind == TURN)
		x->bx = V.u.y*v, x->by = -V.u.x*v;
	else if (k == 0)
		x->bx = K(0.0), x->by = V.w*v;
	else
		x->bx = -V.w*v, x->by = K(0.0);
}
static MBS_INLINE struct pair momentum(const struct constants *b, scalar w, scalar x, scalar y)
{
	return (struct pair){ b->J*w + b->h[0]*y - b->h[1]*x, { b->m*x - w*b->h[1], b->m*y + w*b->h[0] } };
}
static MBS_INLINE struct pair gyroscopic(const struct constants *b, const struct state *x)
{
	struct pair L = momentum(b, x->w, x->ux, x->uy);
	return (struct pair){ x->ux*L.u.y - x->uy*L.u.x, { -x->w*L.u.y, x->w*L.u.x } };
}

/* --- inverse dynamics: forces of the joints (Luh, Walker, Paul 1980) --- */
static MBS_INLINE void inverse_step(JOINT, scalar a, struct state *x, const struct state *p)
{
	struct pair G = gyroscopic(b, x), A = to_child(x, p), F;
	(void)placed;
	A.u.x += x->bx, A.u.y += x->by;
	add_joint(kind, k, &A, a);
	F = momentum(b, A.w, A.u.x, A.u.y);
	x->w = A.w, x->ux = A.u.x, x->uy = A.u.y;
	x->n = F.w + G.w, x->fx = F.u.x + G.u.x, x->fy = F.u.y + G.u.y;
}
static MBS_INLINE scalar force_step(JOINT, const struct state *x, struct state *p)
{
	struct pair F = { x->n, { x->fx, x->fy } };
	(void)placed, (void)b;
	force_to_parent(x, F, p);
	return along_joint(kind, k, F);
}

/* --- composite bodies: the mass matrix (Walker, Orin 1982) --- */
static MBS_INLINE void composite_step(JOINT, struct state *x, struct state *p)
{
	struct vec h = turn(x, (struct vec){ x->hx, x->hy });
	scalar m = x->m;
	(void)kind, (void)k, (void)placed, (void)b;
	p->J += x->J + 2.0*(x->x*h.x + x->y*h.y) + m*(x->x*x->x + x->y*x->y);
	p->hx += h.x + m*x->x, p->hy += h.y + m*x->y;
	p->m += m;
}
static MBS_INLINE void column_step(JOINT, struct state *x)
{
	(void)placed, (void)b;
	if (kind == TURN)
		x->n = x->J, x->fx = -x->hy, x->fy = x->hx;
	else if (k == 0)
		x->n = -x->hy, x->fx = x->m, x->fy = K(0.0);
	else
		x->n = x->hx, x->fx = K(0.0), x->fy = x->m;
}

/* --- where bodies are: (d, e) cosine and sine to space, (hx, hy) the place of the origin --- */
static MBS_INLINE void pose_step(JOINT, struct state *x, const struct state *p)
{
	(void)kind, (void)k, (void)placed, (void)b;
	x->hx = p->hx + p->d*x->x - p->e*x->y;
	x->hy = p->hy + p->e*x->x + p->d*x->y;
	x->d = p->d*x->c - p->e*x->s;
	x->e = p->e*x->c + p->d*x->s;
}
static MBS_INLINE void energy_step(const struct constants *b, const struct state *x, const double *g, scalar *T,
	scalar *U)
{
	struct pair L = momentum(b, x->w, x->ux, x->uy);
	*T += 0.5*(x->w*L.w + x->ux*L.u.x + x->uy*L.u.y);
	*U -= g[0]*(b->m*x->hx + x->d*b->h[0] - x->e*b->h[1]) + g[1]*(b->m*x->hy + x->e*b->h[0] + x->d*b->h[1]);
}
static MBS_INLINE void ground(struct state *x, const double *g)
{
	*x = (struct state){ .d = K(1.0) };
	(void)g;
}
static MBS_INLINE void ground_accelerates(struct state *x, const double *g)
{
	x->ux = K(-g[0]), x->uy = K(-g[1]);
}
static MBS_INLINE void no_inertia(struct state *x)
{
	x->J = x->hx = x->hy = x->m = K(0.0);
}
static MBS_INLINE void own_inertia(const struct constants *b, struct state *x)
{
	x->J = K(b->J), x->hx = K(b->h[0]), x->hy = K(b->h[1]), x->m = K(b->m);
}
static MBS_INLINE void no_force(struct state *x)
{
	x->n = x->fx = x->fy = K(0.0);
}
static MBS_INLINE void point_step(const struct state *x, int body, const double *p, double *xyz)
{
	x += body;
	xyz[0] = x->hx + x->d*p[0] - x->e*p[1];
	xyz[1] = x->hy + x->e*p[0] + x->d*p[1];
	xyz[2] = 0.0;
}
