/* SPDX-License-Identifier: 0BSD
 *
 * stiff_pendulum: Pendulum on a stiff spring
 * Made by mbsc X from stiff_pendulum.mbs.  It carries no obligation: use it as you like.
 *
 *   coordinates  x, y
 *   outputs      r
 *
 *   M a = f - G' lambda, g = 0; r = M a - f + G' lambda; see mbs/model.h for the rest.
 *   Operations: sums and products, quotients and roots, sines and cosines, other functions.
 *
 *   defaults           parameters p that are not given
 *   setup              constants c from the parameters                    3   1   0   0
 *   initial            start values
 *   dynamics           M, f                                               8   2   0   0
 *   residual           r; if asked Gtmu                               dynamics + 4
 *   jacobian           rq, M                                             17   3   0   0
 *   energy             energy                                            12   1   0   0
 *   outputs            y                                                  3   1   0   0
 *   points             xyz                                                0   0   0   0
 */
#include "mbs/model.h"
#include <math.h>

enum { x, y };
enum { mass, length, grav, eps2 };
enum { mass_grav = 4, mass_per_eps2, half_mass, half_mass_per_eps2 };

static void defaults(double *p, const unsigned char *given)
{
	static const double value[] = { 1.0, 1.0, 1.0, 0.001 };
	for (int i = 0; i < 4; i++)
		if (!given || !given[i])
			p[i] = value[i];
}

static void setup(const double *restrict p, double *restrict c)
{
	for (int i = 0; i < 4; i++)
		c[i] = p[i];
	c[mass_grav] = p[mass]*p[grav];
	double t1 = c[mass_per_eps2] = p[mass]/p[eps2];
	c[half_mass] = p[mass]*0.5;
	c[half_mass_per_eps2] = t1*0.5;
}

static void initial(const double *c, double *q, double *v, double *z, double *u)
{
	q[x] = 0.9;
	q[y] = 0.0;
	v[x] = 0.0;
	v[y] = 0.0;
	(void)c, (void)q, (void)v, (void)z, (void)u;
}

static void dynamics(const double *restrict c, const struct mbs_state *s, const struct mbs_dynamics *out,
	double *w)
{
	const double *q = s->q;
	double *M = out->M, *f = out->f;
	M[0] = c[mass];		/* M[x, x] */
	M[1] = c[mass];		/* M[y, y] */
	double t1 = sqrt(q[x]*q[x] + q[y]*q[y]), t2 = (t1-c[length])*c[mass_per_eps2]/t1;
	f[x] = -q[x]*t2;
	f[y] = c[mass_grav] - q[y]*t2;
	(void)w;
}

static void constraints(const double *restrict c, const struct mbs_state *s, const struct mbs_constraints
	*out, double *w)
{
	(void)c, (void)s, (void)out, (void)w;
}

static void residual(const double *restrict c, const struct mbs_state *s, const struct mbs_residual *out,
	double *w)
{
	double M[2], f[2];
	const struct mbs_dynamics d = { .M = M, .f = f, .zdot = out->zdot, .g = out->g };
	dynamics(c, s, &d, w);
	const double *a = s->a;
	double *r = out->r;
	r[x] = M[0]*a[x] - f[x];
	r[y] = M[0]*a[y] - f[y];
	if (out->Gtmu)
		for (int i = 0; i < 2; i++)
			out->Gtmu[i] = 0.0;
}

static void jacobian(const double *restrict c, const struct mbs_state *s, const struct mbs_jacobian *out,
	double *w)
{
	const double *q = s->q;
	double *rq = out->rq, *M = out->M;
	double t1 = q[x]*q[x], t2 = q[y]*q[y], t3 = t1 + t2, t4 = sqrt(t3), t5 = 1.0/t4,
		t6 = (t4-c[length])*t5, t7 = 1.0/t3 - t5*t5*t6;
	rq[0] = c[mass_per_eps2]*(t6+t1*t7); /* rq[x, x] */
	rq[1] = q[x]*q[y]*c[mass_per_eps2]*t7; /* rq[y, x] */
	rq[2] = rq[1];		/* rq[x, y] */
	rq[3] = c[mass_per_eps2]*(t6+t2*t7); /* rq[y, y] */
	M[0] = c[mass];		/* M[x, x] */
	M[1] = c[mass];		/* M[y, y] */
	(void)w;
}

static void energy(const double *restrict c, const struct mbs_state *s, double *E, double *w)
{
	const double *q = s->q, *v = s->v;
	E[0] = c[half_mass]*(v[x]*v[x]+v[y]*v[y]); /* T */
	double t1 = sqrt(q[x]*q[x] + q[y]*q[y]) - c[length];
	E[1] = c[half_mass_per_eps2]*t1*t1 - q[y]*c[mass_grav]; /* U */
	(void)w;
}

static void outputs(const double *restrict c, const struct mbs_state *s, double *y_, double *w)
{
	const double *q = s->q;
	y_[0] = sqrt(q[x]*q[x] + q[y]*q[y]); /* r */
	(void)c, (void)w;
}

static void points(const double *restrict c, const struct mbs_state *s, double *xyz, double *w)
{
	const double *q = s->q;
	xyz[0] = xyz[1] = xyz[2] = xyz[5] = xyz[8] = xyz[9] = xyz[10] = xyz[11] = 0.0;
	xyz[3] = xyz[6] = q[x];
	xyz[4] = xyz[7] = q[y];
	(void)c, (void)w;
}

static const struct mbs_name param_names[] = { {"mass", "kg", 6}, {"length", "m", 6}, {"grav", "m/s^2", 6},
	{"eps2", "s^2", 7} };
static const struct mbs_name coord_names[] = { {"x", "m", 9}, {"y", "m", 9} };
static const struct mbs_name output_names[] = { {"r", "m", 16} };
static const struct mbs_shape shapes[] = { {"spring",4,0,2,0,0,0,0}, {"mass",0,2,1,0,0,0,0},
	{"O",3,3,1,0,0,0,0} };

static const int i0[] = { 0, 1, 2 };
static const int i1[] = { 0, 0, 0 };
static const int i2[] = { 0, 2, 4 };
static const int i3[] = { 0, 1, 0, 1 };

extern const struct mbs_model stiff_pendulum_model;
const struct mbs_model stiff_pendulum_model = {
	.abi = MBS_ABI,
	.name = "stiff_pendulum",
	.title = "Pendulum on a stiff spring",
	.source = "stiff_pendulum.mbs",
	.nq = 2, .ny = 1, .np = 4, .nc = 8, .conserves = 1, .nw = 0,
	.coord = coord_names,
	.output = output_names,
	.param = param_names,
	.nshape = 3, .npoint = 4, .shape = shapes,
	.q_init = (const unsigned char[]){ 2, 2 },
	.v_init = (const unsigned char[]){ 2, 2 },
	.M = { 2, 2, 2, i0, i0 },
	.G = { 0, 2, 0, i1, i0 },
	.rq = { 2, 2, 4, i2, i3 },
	.rv = { 2, 2, 0, i1, i0 },
	.gmuq = { 2, 2, 0, i1, i0 },
	.experiment = { NAN, 5.0, NAN, NAN, 0.001, NAN, "genalpha", 0 },
	.defaults = defaults, .setup = setup, .initial = initial, .dynamics = dynamics,
		.constraints = constraints, .residual = residual, .jacobian = jacobian, .energy = energy,
		.outputs = outputs, .points = points,
};
