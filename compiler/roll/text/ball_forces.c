#if LINKED
#if PLANE
/* In a plane a joint is a rod, which turns by its angle and back: place, column and what is more in the acceleration of
 * its end are constants of the links, for this state. */
static void joint_columns(const struct inner *in, const double *c, int j)
{
	const struct joint *t = &joints[j];
	const struct joint_values *x = &in->joint[j];
	const struct constants *from = constants_of(c, t->row);
	struct constants *to = (struct constants *)constants_of(in->own, t->row);
	const double *at = constants_of(c, tree[t->turn + 2].row)->at, co = cos(x->angle[0]), si = sin(x->angle[0]);
	const double dx = co*at[0] - si*at[1], dy = si*at[0] + co*at[1];
	const double v = in->s->v[t->coord], rate = x->J[0][0]*v, growth = x->H[0][0][0]*v*v;
	double *column = (double *)constants_of(in->own, t->row + 1);
	column[0] = -x->J[0][0]*dy, column[1] = x->J[0][0]*dx;
	column[2] = -growth*dy - rate*rate*dx, column[3] = growth*dx - rate*rate*dy;
	to->at[0] = from->at[0] + from->c0*dx - from->s0*dy, to->at[1] = from->at[1] + from->s0*dx + from->c0*dy;
}
#else
/* The columns of a joint are what its turns do together: with the place of its end they are constants of the links, for
 * this state.  R = (e), s, w: the end as its beginning sees it; dw, a: its acceleration without second derivatives; W,
 * U: its columns. */
static void joint_columns(const struct inner *in, const double *c, int j)
{
	const struct joint *t = &joints[j];
	const struct joint_values *x = &in->joint[j];
	const double *rate = in->v + t->turn, *v = in->s->v + t->coord;
	struct vec e[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, none = { 0, 0, 0 };
	struct vec s = none, w = none, dw = none, a = none, W[2] = { none, none }, U[2] = { none, none };
	for (int i = 0; i < t->turns; i++) {
		if (i > 0) {
			const double *at = constants_of(c, tree[t->turn + i + 1].row)->at;
			struct vec d = add(add(times(at[0], e[0]), times(at[1], e[1])), times(at[2], e[2]));
			s = add(s, d);
			a = add(a, add(cross(dw, d), cross(w, cross(w, d))));
			U[0] = add(U[0], cross(W[0], d)), U[1] = add(U[1], cross(W[1], d));
		}
		const int k = t->axis[i], y = (k + 1)%3, z = (k + 2)%3;
		const double growth = x->H[i][0][0]*v[0]*v[0]
			+ (t->coords > 1 ? 2*x->H[i][0][1]*v[0]*v[1] + x->H[i][1][1]*v[1]*v[1] : 0.0);
		dw = add(dw, add(times(rate[i], cross(w, e[k])), times(growth, e[k])));
		w = add(w, times(rate[i], e[k]));
		W[0] = add(W[0], times(x->J[i][0], e[k])), W[1] = add(W[1], times(x->J[i][1], e[k]));
		const struct vec b = e[y];
		const double co = cos(x->angle[i]), si = sin(x->angle[i]);
		e[y] = add(times(co, b), times(si, e[z]));
		e[z] = add(times(co, e[z]), times(-si, b));
	}
	if (t->coords > 1) {            /* the second column stands behind the first one, and has these by itself */
		dw = add(dw, times(-v[0]*v[1], cross(W[0], W[1])));
		a = add(a, times(-2*v[0]*v[1], cross(W[0], U[1])));
	}
	const struct constants *from = constants_of(c, t->row);
	struct constants *to = (struct constants *)constants_of(in->own, t->row);
	for (int i = 0; i < 3; i++) {
		const struct vec side = { from->place[3*i], from->place[3*i + 1], from->place[3*i + 2] };
		for (int k = 0; k < 3; k++) {
			to->place[3*i + k] = dot(side, e[k]);
			for (int n = 0; n < t->coords; n++) {
				double *column = (double *)constants_of(in->own, t->row + 2*n + 1);
				column[k] = dot(e[k], W[n]), column[3 + k] = dot(e[k], U[n]);
				column[6 + k] = n ? 0.0 : dot(e[k], dw), column[9 + k] = n ? 0.0 : dot(e[k], a);
			}
		}
		to->at[i] = from->at[i] + dot(side, s);
	}
}
#endif
static void enter_links(const double *c, const struct inner *in)
{
#if BALLS
#else
	copied(PLACES, c, in->own);
#endif
	for (int j = 0; j < JOINTS; j++)
		joint_columns(in, c, j);
	for (int i = 0; i < LINKS; i++) {
		in->link_q[i] = link_outer[i] < 0 ? 0.0 : in->s->q[link_outer[i]];
		in->link_v[i] = link_outer[i] < 0 ? 0.0 : in->s->v[link_outer[i]];
	}
#if BALLS
	for (int b = 0; b < BALLS; b++)
		for (int i = 0; i < 3; i++)
			in->link_v[balls[b].link + i] = in->v[balls[b].turn + i];
#endif
}
#define LINK_ROWS(in) (in)->own
#define LINK_Q(in) (in)->link_q
#define LINK_V(in) (in)->link_v
#define LINK_OF(ball) (ball).link
#else
#define LINK_ROWS(in) (in)->c
#define LINK_Q(in) (in)->q
#define LINK_V(in) (in)->v
#define LINK_OF(ball) (ball).turn
#endif
/* The turns of a ball feel L f/2. */
static double *forces_in(const struct inner *in, const double *f, double *to)
{
	for (int i = 0; i < LINKS; i++)
		to[i] = link_outer[i] < 0 ? 0.0 : f[link_outer[i]];
#if BALLS
	for (int b = 0; b < BALLS; b++) {
		const double *e = in->s->q + balls[b].coord;
		for (int i = 0; i < 3; i++)
			to[LINK_OF(balls[b]) + i] = dot4(e, e)/4*dot4(in->B[b][i], f + balls[b].coord);
	}
#endif
	(void)in;
	return to;
}
static double *rotors_in(const double *f, double *to)
{
	for (int i = 0; i < LINKS; i++)
		to[i] = link_outer[i] < 0 ? 0.0 : f[link_outer[i]];
	return to;
}
/* Of a ball: e'' = L'(w' - g w)/2 - e (e'.e')/(e.e), on the unit sphere. */
static void leave_accelerations(const struct inner *in, const double *a, double *to)
{
	for (int i = 0; i < LINKS; i++)
		if (link_outer[i] >= 0)
			to[link_outer[i]] = a[i];
#if BALLS
	for (int b = 0; b < BALLS; b++) {
		const double *e = in->s->q + balls[b].coord, *d = in->s->v + balls[b].coord, *w = in->v + balls[b].turn;
		const double (*B)[4] = (const double (*)[4])in->B[b];
		double x[3], n = dot4(e, e);
		for (int i = 0; i < 3; i++)
			x[i] = a[LINK_OF(balls[b]) + i] - ball_growth(e, d)*w[i];
		turns_add(w, 1, x);
		for (int k = 0; k < 4; k++)
			to[balls[b].coord + k] = n/4*(B[0][k]*x[0] + B[1][k]*x[1] + B[2][k]*x[2]) - e[k]*dot4(d, d)/n;
	}
#endif
	(void)in;
}
#define FORCES_IN(in, f, to) forces_in(in, f, to)
#define ROTORS_IN(f, to) rotors_in(f, to)
#define ACCELERATIONS(a, inner) (inner)
#define LEAVE_ACCELERATIONS(in, a, to) leave_accelerations(in, a, to)
