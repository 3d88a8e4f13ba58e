
/* --- The loops count coordinates as they do bodies: balls and joints are rows of turns to them. --- */
#if BALLS
/* --- Euler parameters e.  To the loops a ball joint is three turns, about x, y and z, by angles that are zero: R(e) is
 * part of the placement, in a copy of the constants.  The body turns with w = B e', B = 2 L(e)/(e.e), and the rates of
 * the three turns are w.  With inertia J that keeps M regular, 2 J (e.e')^2 is part of the kinetic energy. --- */
#endif
struct inner {
	const double *c;
	double *q, *v, *a, *f;
#if BALLS
	double (*B)[3][4];
#endif
#if JOINTS
	struct joint_values *joint;
#endif
#if OWN_ROWS
	double *own;                    /* a copy of c */
#endif
#if LINKED
	double *link_q, *link_v;
#endif
	const struct mbs_state *s;
	int accelerates;
};
#if OWN_ROWS
static double *copied(int n, const double *restrict from, double *restrict to)
{
	for (int i = 0; i < n; i++)
		to[i] = from[i];
	return to;
}
#endif
#if BALLS
static double dot4(const double *a, const double *b)
{
	return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3];
}
/* L; of the inverse turn where the joint is passed from b to a */
static void ball_map(const double *e, int sign, double L[3][4])
{
	for (int i = 0; i < 3; i++) {
		int j = (i + 1)%3, k = (i + 2)%3;
		L[i][0] = -sign*e[1 + i], L[i][1 + i] = sign*e[0], L[i][1 + j] = e[1 + k], L[i][1 + k] = -e[1 + j];
	}
}
/* place*R(e) */
static void ball_place(const double *e, int sign, const double *place, double *to)
{
	double u[3] = { sign*e[1], sign*e[2], sign*e[3] }, R[9], n = 1/dot4(e, e);
	for (int i = 0; i < 3; i++) {
		int j = (i + 1)%3, k = (i + 2)%3;
		R[4*i] = (e[0]*e[0] + u[i]*u[i] - u[j]*u[j] - u[k]*u[k])*n;
		R[3*i + j] = 2*(u[i]*u[j] - e[0]*u[k])*n;
		R[3*i + k] = 2*(u[i]*u[k] + e[0]*u[j])*n;
	}
	for (int i = 0; i < 9; i++)
		to[i] = place[i/3*3]*R[i%3] + place[i/3*3 + 1]*R[3 + i%3] + place[i/3*3 + 2]*R[6 + i%3];
}
/* w' = B e'' + g w; what a row of turns about x, y and z adds to its second derivatives */
static double ball_growth(const double *e, const double *d)
{
	return -2*dot4(e, d)/dot4(e, e);
}
static void turns_add(const double *w, double sign, double *a)
{
	a[0] += sign*w[1]*w[2], a[1] -= sign*w[0]*w[2], a[2] += sign*w[0]*w[1];
}
static void enter_balls(const double *c, double *copy, const struct inner *in)
{
	const struct mbs_state *s = in->s;
	for (int b = 0; b < BALLS; b++) {
		const struct ball *t = &balls[b];
		const double *e = s->q + t->coord, *d = s->v ? s->v + t->coord : 0;
		double n = dot4(e, e), *w = in->v + t->turn, *a = in->a + t->turn;
		ball_place(e, t->sign, constants_of(c, t->row)->place, (double *)constants_of(copy, t->row)->place);
		ball_map(e, t->sign, in->B[b]);
		for (int i = 0; i < 12; i++)
			in->B[b][i/4][i%4] *= 2/n;
		for (int i = 0; i < 3 && d; i++) {
			w[i] = dot4(in->B[b][i], d);
			a[i] = ball_growth(e, d)*w[i] + (in->accelerates ? dot4(in->B[b][i], s->a + t->coord) : 0.0);
		}
		turns_add(w, -1, a);
	}
}
#endif
#if JOINTS
/* --- Joints given by functions of their coordinates: rows of turns by angles A(q).  Rates are J q', second derivatives
 * J q'' + q'H q', forces on the model's coordinates J'r. --- */
static void enter_joints(const double *c, const struct inner *in)
{
	const struct mbs_state *s = in->s;
	for (int j = 0; j < JOINTS; j++) {
		const struct joint *t = &joints[j];
		struct joint_values *to = &in->joint[j];
		const double *v = s->v ? s->v + t->coord : still_joint, *a = in->accelerates ? s->a + t->coord : still_joint;
		joint_of(c, s, t, v, to);
		for (int i = 0; i < t->turns; i++) {
			double rate = 0.0, second = 0.0;
			for (int k = 0; k < t->coords; k++) {
				rate += to->J[i][k]*v[k];
				second += to->J[i][k]*a[k];
				for (int l = 0; l < t->coords; l++)
					second += to->H[i][k][l]*v[k]*v[l];
			}
			in->q[t->turn + i] = to->angle[i], in->v[t->turn + i] = rate, in->a[t->turn + i] = second;
		}
	}
}
#endif
enum { INNER = 5*BODIES
#if OWN_ROWS
	+ GRAVITY + CONSTANTS
#endif
#if LINKED
	+ 2*LINKS
#endif
#if BALLS
	+ 12*BALLS
#endif
#if JOINTS
	+ JOINTS*(int)(sizeof(struct joint_values)/sizeof(double))
#endif
};
static struct inner enter(const double *c, const struct mbs_state *s, int accelerates, double *space)
{
	double *q = space;
	struct inner in = { .c = c, .q = q, .v = q + BODIES, .a = q + 2*BODIES, .f = q + 3*BODIES, .s = s,
		.accelerates = accelerates };
	space += 5*BODIES;
#if OWN_ROWS
	in.own = space;
	space += GRAVITY + CONSTANTS;
#endif
#if LINKED
	in.link_q = space, in.link_v = space + LINKS;
	space += 2*LINKS;
#endif
	for (int i = 0; i < BODIES; i++) {
		int k = outer[i];
		in.q[i] = k < 0 ? 0.0 : s->q[k];
		in.v[i] = k < 0 || !s->v ? 0.0 : s->v[k];
		in.a[i] = k < 0 || !accelerates ? 0.0 : s->a[k];
	}
#if BALLS
	in.B = (double (*)[3][4])space;
	space += 12*BALLS;
	in.c = copied(GRAVITY + CONSTANTS, c, in.own);
	enter_balls(c, in.own, &in);
#endif
#if JOINTS
	in.joint = (struct joint_values *)space;
	enter_joints(c, &in);
#endif
	return in;
}
/* Forces on the coordinates of the loops to those of the model: the model's are linear in them. */
static void leave(const struct inner *in, const double *r, double sign, double *to)
{
	for (int i = 0; i < BODIES; i++)
		if (outer[i] >= 0)
			to[outer[i]] += sign*r[i];
#if BALLS
	for (int b = 0; b < BALLS; b++)
		for (int i = 0; i < 12; i++)
			to[balls[b].coord + i%4] += sign*in->B[b][i/4][i%4]*r[balls[b].turn + i/4];
#endif
#if JOINTS
	for (const struct joint *t = joints; t < joints + JOINTS; t++)
		for (int i = 0; i < t->turns; i++)
			for (int k = 0; k < t->coords; k++)
				to[t->coord + k] += sign*in->joint[t - joints].J[i][k]*r[t->turn + i];
#endif
}
#if BALLS
/* 4 J (e'.e' + e.e''), which times e is the force of the inertia J */
static double ball_stretch(const struct inner *in, int b)
{
	const double *e = in->s->q + balls[b].coord, *d = in->s->v + balls[b].coord;
	return 4*in->c[BALL_J + b]*(dot4(d, d) + (in->accelerates ? dot4(e, in->s->a + balls[b].coord) : 0.0));
}
static void leave_forces(const struct inner *in, const double *r, double sign, double *to)
{
	leave(in, r, sign, to);
	for (int b = 0; b < BALLS; b++)
		for (int i = 0; i < 4; i++)
			to[balls[b].coord + i] += sign*ball_stretch(in, b)*in->s->q[balls[b].coord + i];
}
static double ball_energy(const struct inner *in)
{
	double sum = 0.0;
	for (int b = 0; b < BALLS; b++) {
		double rate = dot4(in->s->q + balls[b].coord, in->s->v + balls[b].coord);
		sum += 2*in->c[BALL_J + b]*rate*rate;
	}
	return sum;
}
#define BALL_ENERGY(in) ball_energy(in)
#else
#define leave_forces(in, r, sign, to) leave(in, r, sign, to)
#define BALL_ENERGY(in) 0.0
#endif
