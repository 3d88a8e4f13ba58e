/* SPDX-License-Identifier: 0BSD
 *
 * bushing: Body on a nonlinear bushing, guided along a circle
 * Made by mbsc X from bushing.mbs.  This file carries no obligation: use it as you like.
 *
 *   coordinates  x, y, theta
 *   constraints  circle
 *
 *   operations       + -       *       /    sqrt sin,cos   other
 *   dynamics           9      16       0       0       2       0
 *   constraints        2       4       0       0       0       0
 *   residual          17      27       0       0       2       0
 *   jacobian           8      20       0       0       2       0
 *   energy             8      13       0       0       2       0
 *   points             3       2       0       0       2       0
 *   setup              0      12       1       0       0       0
 *   factor             1       4       3       0       0       0
 *   solve              4       8       0       0       0       0
 */
#include "mbs/model.h"
#include <math.h>

enum { x, y, theta };
enum { circle };
enum { mass, inertia, grav, a, radius, eps };

static void defaults(double *p, const unsigned char *given)
{
	static const double value[] = { 1.0, 1.0, 1.0, 0.5, 1.0, 1e-05 };
	for (int i = 0; i < 6; i++)
		if (!given || !given[i])
			p[i] = value[i];
}

static void setup(const double *restrict p, double *restrict c)
{
	for (int i = 0; i < 6; i++)
		c[i] = p[i];
	c[6] = p[radius]*p[radius];
	double t1 = 1.0/p[eps], t2 = t1*t1, t3 = c[7] = p[inertia]*t2, t4 = c[8] = p[mass]*t2,
		t5 = c[9] = p[a]*t4;
	c[10] = p[mass]*p[grav];
	c[11] = 0.1*t3;
	c[12] = p[a]*t5;
	c[13] = p[mass]*0.5;
	c[14] = p[inertia]*0.5;
	c[15] = 0.5*t4;
	c[16] = 0.05*t3;
}

static void initial(const double *c, double *q, double *v, double *z, double *u)
{
	q[0] = 0.8;
	q[1] = 0.6;
	q[2] = v[0] = v[1] = v[2] = 0.0;
	(void)c, (void)q, (void)v, (void)z, (void)u;
}

static void dynamics(const double *restrict c, const struct mbs_state *s, const struct mbs_dynamics *out,
	double *restrict w)
{
	const double *q = s->q;
	double *M = out->M, *f = out->f, *G = out->G;
	double cos_theta = cos(q[theta]), sin_theta = sin(q[theta]), t1 = q[x] - c[a]*(cos_theta+1.0);
	f[0] = -t1*c[8];
	double t2 = q[y] - sin_theta*c[a];
	f[1] = c[10] - t2*c[8];
	f[2] = c[9]*(cos_theta*t2-sin_theta*t1) - c[11]*q[theta];
	G[0] = q[x]*2.0;
	G[1] = q[y]*2.0;
	M[0] = M[1] = c[mass];
	M[2] = c[inertia];
	if (out->gamma) {
		const double *v = s->v;
		double *gamma_ = out->gamma;
		gamma_[0] = v[x]*v[x]*2.0 + v[y]*v[y]*2.0;
	}
	if (out->g) {
		double *g = out->g;
		g[0] = q[x]*q[x] + q[y]*q[y] - c[6];
	}
	if (out->gt) {
		double *gt = out->gt;
		gt[0] = 0.0;
	}
	(void)w;
}

static void constraints(const double *restrict c, const struct mbs_state *s, const struct mbs_constraints
	*out, double *restrict w)
{
	const double *q = s->q;
	double *g = out->g, *G = out->G;
	g[0] = q[x]*q[x] + q[y]*q[y] - c[6];
	G[0] = q[x]*2.0;
	G[1] = q[y]*2.0;
	if (out->gt) {
		double *gt = out->gt;
		gt[0] = 0.0;
	}
	(void)w;
}

static void residual(const double *restrict c, const struct mbs_state *s, const struct mbs_residual *out,
	double *restrict w)
{
	const double *q = s->q, *v = s->v, *a_ = s->a, *lambda = s->lambda;
	double *r = out->r;
	double cos_theta = cos(q[theta]), sin_theta = sin(q[theta]), t1 = q[x] - c[a]*(cos_theta+1.0),
		t2 = q[x]*2.0;
	r[0] = t1*c[8] + a_[x]*c[mass] + lambda[circle]*t2;
	double t3 = q[y] - sin_theta*c[a], t4 = q[y]*2.0;
	r[1] = t3*c[8] + a_[y]*c[mass] - c[10] + lambda[circle]*t4;
	r[2] = a_[theta]*c[inertia] + c[11]*q[theta] - c[9]*(cos_theta*t3-sin_theta*t1);
	if (out->g) {
		double *g = out->g;
		g[0] = q[x]*q[x] + q[y]*q[y] - c[6];
	}
	if (out->gv) {
		double *gv = out->gv;
		gv[0] = v[x]*t2 + v[y]*t4;
	}
	if (out->ga) {
		double *ga = out->ga;
		ga[0] = v[x]*v[x]*2.0 + v[y]*v[y]*2.0 + a_[x]*t2 + a_[y]*t4;
	}
	if (out->Gtmu) {
		const double *mu = s->mu;
		double *Gtmu = out->Gtmu;
		Gtmu[0] = mu[circle]*t2;
		Gtmu[1] = mu[circle]*t4;
		Gtmu[2] = 0.0;
	}
	(void)w;
}

static void jacobian(const double *restrict c, const struct mbs_state *s, const struct mbs_jacobian *out,
	double *restrict w)
{
	const double *q = s->q, *v = s->v, *lambda = s->lambda;
	double *rq = out->rq, *M = out->M, *G = out->G;
	double sin_theta = sin(q[theta]), cos_theta = cos(q[theta]);
	rq[0] = rq[2] = c[8] + lambda[circle]*2.0;
	rq[1] = rq[4] = sin_theta*c[9];
	rq[3] = rq[5] = -cos_theta*c[9];
	rq[6] = c[11] + sin_theta*((q[y]-sin_theta*c[a])*c[9]+sin_theta*c[12]) +
		cos_theta*(cos_theta*c[12]+(q[x]-c[a]*(cos_theta+1.0))*c[9]);
	G[0] = q[x]*2.0;
	G[1] = q[y]*2.0;
	M[0] = M[1] = c[mass];
	M[2] = c[inertia];
	if (out->gvq) {
		double *gvq = out->gvq;
		gvq[0] = v[x]*2.0;
		gvq[1] = v[y]*2.0;
	}
	if (out->gaq) {
		const double *a_ = s->a;
		double *gaq = out->gaq, *gav = out->gav;
		gaq[0] = a_[x]*2.0;
		gaq[1] = a_[y]*2.0;
		gav[0] = v[x]*4.0;
		gav[1] = v[y]*4.0;
	}
	if (out->gmuq) {
		const double *mu = s->mu;
		double *gmuq = out->gmuq;
		gmuq[0] = gmuq[1] = mu[circle]*2.0;
	}
	(void)w;
}

static void energy(const double *restrict c, const struct mbs_state *s, double *E, double *restrict w)
{
	const double *q = s->q, *v = s->v;
	double cos_theta = cos(q[theta]), sin_theta = sin(q[theta]);
	E[0] = c[13]*(v[x]*v[x]+v[y]*v[y]) + c[14]*v[theta]*v[theta];
	double t1 = q[x] - c[a]*(cos_theta+1.0), t2 = q[y] - sin_theta*c[a];
	E[1] = c[15]*(t1*t1+t2*t2) - q[y]*c[10] + c[16]*q[theta]*q[theta];
	(void)w;
}

static void outputs(const double *restrict c, const struct mbs_state *s, double *y_, double *restrict w)
{
	(void)c, (void)s, (void)y_, (void)w;
}

static void points(const double *restrict c, const struct mbs_state *s, double *xyz, double *restrict w)
{
	const double *q = s->q;
	double cos_theta = cos(q[theta]), sin_theta = sin(q[theta]);
	xyz[0] = c[a]*(cos_theta+1.0) - q[x];
	xyz[1] = sin_theta*c[a] - q[y];
	xyz[2] = 0.0;
	(void)w;
}

static int factor(const double *restrict M, const double *restrict G, double *restrict l)
{
	if (!(M[0] > 0)) return 1;
	if (!(M[0] > 0)) return 2;
	if (!(M[2] > 0)) return 3;
	double t1 = l[0] = 1.0/M[0];
	l[1] = 1.0/M[2];
	double t2 = l[2] = G[0]*t1, t3 = l[3] = G[1]*t1, t4 = G[0]*t2 + G[1]*t3;
	if (!(t4 > 0)) return 4;
	l[4] = 1.0/t4;
	return 0;
}

static void solve(const double *restrict l, double *restrict x_)
{
	const double b0 = x_[0], b1 = x_[1], b2 = x_[2], b3 = x_[3];
	double t1 = x_[3] = (b0*l[2]+b1*l[3]-b3)*l[4];
	x_[0] = b0*l[0] - l[2]*t1;
	x_[1] = b1*l[0] - l[3]*t1;
	x_[2] = b2*l[1];
}

static const struct mbs_name param_names[] = { { "mass", "kg", 9 }, { "inertia", "kg*m^2", 9 },
	{ "grav", "m/s^2", 9 }, { "a", "m", 10 }, { "radius", "m", 10 }, { "eps", "s", 10 } };
static const struct mbs_name coord_names[] = { { "x", "m", 12 }, { "y", "m", 12 }, { "theta", "rad", 12 } };
static const struct mbs_name constraint_names[] = { { "circle", "m^2", 21 } };
static const struct mbs_shape shapes[] = { { "f", 0, 0, 1 } };

static const int i0[] = { 0, 1, 2, 3 };
static const int i1[] = { 0, 1, 2, 2 };
static const int i2[] = { 0, 0 };
static const int i3[] = { 0, 2, 4, 7 };
static const int i4[] = { 0, 2, 1, 2, 0, 1, 2 };
static const int i5[] = { 0, 0, 0, 0 };

extern const struct mbs_model bushing_model;
const struct mbs_model bushing_model = {
	.abi = MBS_ABI,
	.name = "bushing",
	.title = "Body on a nonlinear bushing, guided along a circle",
	.source = "bushing.mbs",
	.nq = 3, .nz = 0, .nu = 0, .ny = 0, .np = 6, .ng = 1, .nh = 0, .nc = 17, .nw = 0, .nl = 5,
	.coord = coord_names,
	.param = param_names,
	.constraint = constraint_names,
	.nshape = 1, .npoint = 1, .shape = shapes,
	.q_init = (const unsigned char[]){ 2, 2, 2 },
	.v_init = (const unsigned char[]){ 2, 2, 2 },
	.M = { 3, 3, 3, i0, i0 },
	.G = { 1, 3, 2, i1, i2 },
	.rq = { 3, 3, 7, i3, i4 },
	.rv = { 3, 3, 0, i5, i0 },
	.rz = { 3, 0, 0, i0, i0 },
	.ru = { 3, 0, 0, i0, i0 },
	.zq = { 0, 3, 0, i5, i0 },
	.zv = { 0, 3, 0, i5, i0 },
	.zz = { 0, 0, 0, i0, i0 },
	.zu = { 0, 0, 0, i0, i0 },
	.gvq = { 1, 3, 2, i1, i2 },
	.gaq = { 1, 3, 2, i1, i2 },
	.gav = { 1, 3, 2, i1, i2 },
	.gmuq = { 3, 3, 2, i1, i0 },
	.experiment = { NAN, 0.0012566370614359175, NAN, NAN, 2.513274122871835e-06, NAN, "genalpha", 0 },
	.defaults = defaults, .setup = setup, .initial = initial,
	.dynamics = dynamics, .constraints = constraints, .residual = residual, .jacobian = jacobian,
		.energy = energy, .outputs = outputs, .points = points,
	.factor = factor, .solve = solve,
};
