/* SPDX-License-Identifier: 0BSD
 *
 * bushing: Body on a nonlinear bushing, guided along a circle
 * Made by mbsc X from bushing.mbs.  It carries no obligation: use it as you like.
 *
 *   coordinates  x, y, theta
 *   constraints  circle
 *
 *   M a = f - G' lambda, g = 0; r = M a - f + G' lambda; see mbs/model.h for the rest.
 *   Operations: sums and products, quotients and roots, sines and cosines, other functions.
 *
 *   defaults           parameters p that are not given
 *   setup              constants c from the parameters                   12   1   0   0
 *   initial            start values
 *   position           what several functions need of q and t
 *   dynamics           M, f, G; if asked gamma, g, gt                    25   0   2   0
 *   constraints        g, G; if asked gt                                  6   0   0   0
 *   residual           r; if asked g, gv, ga, Gtmu                       44   0   2   0
 *   jacobian           rq, M, G; if asked gvq, gaq, gav, gmuq            28   0   2   0
 *   energy             energy                                            21   0   2   0
 *   points             xyz                                                5   0   2   0
 */
#include "mbs/model.h"
#include <math.h>

enum { x, y, theta };
enum { circle };
enum { mass, inertia, grav, a, radius, eps };
enum { radius2 = 6, mass_grav, mass_per_eps2, inertia_per_eps2, mass_a_per_eps2, mass_a2_per_eps2,
	inertia_per_eps2_by10, half_mass, half_inertia, half_mass_per_eps2, inertia_per_eps2_by20 };

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
	c[radius2] = p[radius]*p[radius];
	c[mass_grav] = p[mass]*p[grav];
	double t1 = 1.0/p[eps], t2 = t1*t1, t3 = c[mass_per_eps2] = p[mass]*t2,
		t4 = c[inertia_per_eps2] = p[inertia]*t2, t5 = c[mass_a_per_eps2] = p[a]*t3;
	c[mass_a2_per_eps2] = p[a]*t5;
	c[inertia_per_eps2_by10] = 0.1*t4;
	c[half_mass] = p[mass]*0.5;
	c[half_inertia] = p[inertia]*0.5;
	c[half_mass_per_eps2] = 0.5*t3;
	c[inertia_per_eps2_by20] = 0.05*t4;
}

static void initial(const double *c, double *q, double *v, double *z, double *u)
{
	for (int i = 0; i < 3; i++)
		v[i] = 0.0;
	q[x] = 0.8;
	q[y] = 0.6;
	q[theta] = 0.0;
	(void)c, (void)q, (void)v, (void)z, (void)u;
}

/* What several functions need of q and t.  Each inlines position() and keeps what it uses. */
struct position { double cos_theta, x2, sin_theta, x4, x5, x6, x7, x8; };

static MBS_INLINE struct position position(const double *restrict c, const struct mbs_state *s)
{
	struct position k;
	const double *q = s->q;
	k.cos_theta = cos(q[theta]);
	k.sin_theta = sin(q[theta]);
	k.x2 = q[x] - c[a]*(k.cos_theta+1.0);
	k.x4 = q[y] - k.sin_theta*c[a];
	k.x5 = c[inertia_per_eps2_by10]*q[theta];
	k.x6 = c[mass_a_per_eps2]*(k.cos_theta*k.x4-k.sin_theta*k.x2);
	k.x7 = q[x]*2.0;
	k.x8 = q[y]*2.0;
	return k;
}

static void dynamics(const double *restrict c, const struct mbs_state *s, const struct mbs_dynamics *out,
	double *w)
{
	const struct position k = position(c, s);
	double *M = out->M, *f = out->f, *G = out->G;
	M[0] = c[mass];		/* M[x, x] */
	M[1] = c[mass];		/* M[y, y] */
	M[2] = c[inertia];	/* M[theta, theta] */
	f[x] = -k.x2*c[mass_per_eps2];
	f[y] = c[mass_grav] - k.x4*c[mass_per_eps2];
	f[theta] = k.x6 - k.x5;
	G[0] = k.x7;		/* G[circle, x] */
	G[1] = k.x8;		/* G[circle, y] */
	if (out->gamma) {
		const double *v = s->v;
		double *gamma_ = out->gamma;
		gamma_[circle] = v[x]*v[x]*2.0 + v[y]*v[y]*2.0;
	}
	if (out->g) {
		const double *q = s->q;
		double *g = out->g;
		g[circle] = q[x]*q[x] - c[radius2] + q[y]*q[y];
	}
	if (out->gt) {
		double *gt = out->gt;
		gt[circle] = 0.0;
	}
	(void)w;
}

static void constraints(const double *restrict c, const struct mbs_state *s, const struct mbs_constraints
	*out, double *w)
{
	const struct position k = position(c, s);
	const double *q = s->q;
	double *g = out->g, *G = out->G;
	g[circle] = q[x]*q[x] - c[radius2] + q[y]*q[y];
	G[0] = k.x7;		/* G[circle, x] */
	G[1] = k.x8;		/* G[circle, y] */
	if (out->gt) {
		double *gt = out->gt;
		gt[circle] = 0.0;
	}
	(void)w;
}

static void residual(const double *restrict c, const struct mbs_state *s, const struct mbs_residual *out,
	double *w)
{
	const struct position k = position(c, s);
	const double *v = s->v, *a_ = s->a, *lambda = s->lambda;
	double *r = out->r;
	r[x] = k.x2*c[mass_per_eps2] + a_[x]*c[mass] + lambda[circle]*k.x7;
	r[y] = k.x4*c[mass_per_eps2] - c[mass_grav] + a_[y]*c[mass] + lambda[circle]*k.x8;
	r[theta] = k.x5 - k.x6 + a_[theta]*c[inertia];
	if (out->g) {
		const double *q = s->q;
		double *g = out->g;
		g[circle] = q[x]*q[x] - c[radius2] + q[y]*q[y];
	}
	if (out->gv) {
		double *gv = out->gv;
		gv[circle] = v[x]*k.x7 + v[y]*k.x8;
	}
	if (out->ga) {
		double *ga = out->ga;
		ga[circle] = v[x]*v[x]*2.0 + v[y]*v[y]*2.0 + a_[x]*k.x7 + a_[y]*k.x8;
	}
	if (out->Gtmu) {
		const double *mu = s->mu;
		double *Gtmu = out->Gtmu;
		Gtmu[x] = mu[circle]*k.x7;
		Gtmu[y] = mu[circle]*k.x8;
		Gtmu[theta] = 0.0;
	}
	(void)w;
}

static void jacobian(const double *restrict c, const struct mbs_state *s, const struct mbs_jacobian *out,
	double *w)
{
	const struct position k = position(c, s);
	const double *lambda = s->lambda;
	double *rq = out->rq, *M = out->M, *G = out->G;
	rq[0] = c[mass_per_eps2] + lambda[circle]*2.0; /* rq[x, x] */
	rq[1] = k.sin_theta*c[mass_a_per_eps2]; /* rq[theta, x] */
	rq[2] = rq[0];		/* rq[y, y] */
	rq[3] = -k.cos_theta*c[mass_a_per_eps2]; /* rq[theta, y] */
	rq[4] = rq[1];		/* rq[x, theta] */
	rq[5] = rq[3];		/* rq[y, theta] */
	double t1 = c[inertia_per_eps2_by10] +
		k.sin_theta*(k.x4*c[mass_a_per_eps2]+k.sin_theta*c[mass_a2_per_eps2]);
	/* rq[theta, theta] */
	rq[6] = t1 + k.cos_theta*(k.cos_theta*c[mass_a2_per_eps2]+k.x2*c[mass_a_per_eps2]);
	M[0] = c[mass];		/* M[x, x] */
	M[1] = c[mass];		/* M[y, y] */
	M[2] = c[inertia];	/* M[theta, theta] */
	G[0] = k.x7;		/* G[circle, x] */
	G[1] = k.x8;		/* G[circle, y] */
	if (out->gvq || out->gav) {
		const double *v = s->v;
		double *gvq = out->gvq ? out->gvq : out->gav;
		gvq[0] = v[x]*2.0; /* gvq[circle, x] */
		gvq[1] = v[y]*2.0; /* gvq[circle, y] */
	}
	if (out->gaq) {
		const double *a_ = s->a;
		double *gaq = out->gaq;
		gaq[0] = a_[x]*2.0; /* gaq[circle, x] */
		gaq[1] = a_[y]*2.0; /* gaq[circle, y] */
	}
	if (out->gmuq) {
		const double *mu = s->mu;
		double *gmuq = out->gmuq;
		gmuq[0] = mu[circle]*2.0; /* gmuq[x, x] */
		gmuq[1] = gmuq[0]; /* gmuq[y, y] */
	}
	if (out->gaq)
		for (int i = 0; i < 2; i++)
			out->gav[i] = 2.0*(out->gvq ? out->gvq : out->gav)[i];
	(void)w;
}

static void energy(const double *restrict c, const struct mbs_state *s, double *E, double *w)
{
	const struct position k = position(c, s);
	const double *q = s->q, *v = s->v;
	E[0] = c[half_mass]*(v[x]*v[x]+v[y]*v[y]) + c[half_inertia]*v[theta]*v[theta]; /* T */
	double t1 = q[y]*c[mass_grav] - c[half_mass_per_eps2]*(k.x2*k.x2+k.x4*k.x4) -
		c[inertia_per_eps2_by20]*q[theta]*q[theta];
	E[1] = -t1;		/* U */
	(void)w;
}

static void outputs(const double *restrict c, const struct mbs_state *s, double *y_, double *w)
{
	(void)c, (void)s, (void)y_, (void)w;
}

static void points(const double *restrict c, const struct mbs_state *s, double *xyz, double *w)
{
	const struct position k = position(c, s);
	xyz[0] = -k.x2;
	xyz[1] = -k.x4;
	xyz[2] = 0.0;
	(void)w;
}

static const struct mbs_name param_names[] = { {"mass", "kg", 9}, {"inertia", "kg*m^2", 9},
	{"grav", "m/s^2", 9}, {"a", "m", 10}, {"radius", "m", 10}, {"eps", "s", 10} };
static const struct mbs_name coord_names[] = { {"x", "m", 12}, {"y", "m", 12}, {"theta", "rad", 12} };
static const struct mbs_name constraint_names[] = { {"circle", "m^2", 21} };
static const struct mbs_shape shapes[] = { {"f",0,0,1,0,0,0,0} };

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
	.nq = 3, .np = 6, .ng = 1, .nc = 17, .conserves = 1, .nw = 0,
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
	.gvq = { 1, 3, 2, i1, i2 },
	.gaq = { 1, 3, 2, i1, i2 },
	.gav = { 1, 3, 2, i1, i2 },
	.gmuq = { 3, 3, 2, i1, i0 },
	.experiment = { NAN, 0.0012566370614359175, NAN, NAN, 2.513274122871835e-06, NAN, "genalpha", 0 },
	.defaults = defaults, .setup = setup, .initial = initial, .dynamics = dynamics,
		.constraints = constraints, .residual = residual, .jacobian = jacobian, .energy = energy,
		.outputs = outputs, .points = points,
};
