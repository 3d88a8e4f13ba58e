/* SPDX-License-Identifier: 0BSD
 *
 * stiff_pendulum: Pendulum on a stiff spring
 * Made by mbsc X from stiff_pendulum.mbs.  This file carries no obligation: use it as you like.
 *
 *   coordinates  x, y
 *   outputs      r
 *   operations   setup 3 1 0 0, dynamics 8 2 0 0, constraints 0 0 0 0, residual dynamics + 4,
 *                jacobian 17 3 0 0, energy 12 1 0 0, outputs 3 1 0 0
 *                (sums and products, quotients and roots, sines and cosines, other functions)
 */
#include "mbs/model.h"
#include <math.h>

enum { x, y };
enum { mass, length, grav, eps2 };

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
	c[4] = p[mass]*p[grav];
	double t1 = c[5] = p[mass]/p[eps2];
	c[6] = p[mass]*0.5;
	c[7] = t1*0.5;
}

static void initial(const double *c, double *q, double *v, double *z, double *u)
{
	q[0] = 0.9;
	q[1] = v[0] = v[1] = 0.0;
	(void)c, (void)q, (void)v, (void)z, (void)u;
}

static void dynamics(const double *restrict c, const struct mbs_state *s, const struct mbs_dynamics *out,
	double *w)
{
	const double *q = s->q;
	double *M = out->M, *f = out->f;
	double t1 = sqrt(q[x]*q[x] + q[y]*q[y]), t2 = (t1-c[length])*c[5]/t1;
	f[0] = -q[x]*t2;
	f[1] = c[4] - q[y]*t2;
	M[0] = M[1] = c[mass];
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
	r[0] = M[0]*a[x] - f[0];
	r[1] = M[0]*a[y] - f[1];
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
	rq[0] = c[5]*(t6+t1*t7);
	rq[1] = rq[2] = q[x]*q[y]*c[5]*t7;
	rq[3] = c[5]*(t6+t2*t7);
	M[0] = M[1] = c[mass];
	(void)w;
}

static void energy(const double *restrict c, const struct mbs_state *s, double *E, double *w)
{
	const double *q = s->q, *v = s->v;
	E[0] = c[6]*(v[x]*v[x]+v[y]*v[y]);
	double t1 = sqrt(q[x]*q[x] + q[y]*q[y]) - c[length];
	E[1] = c[7]*t1*t1 - q[y]*c[4];
	(void)w;
}

static void outputs(const double *restrict c, const struct mbs_state *s, double *y_, double *w)
{
	const double *q = s->q;
	y_[0] = sqrt(q[x]*q[x] + q[y]*q[y]);
	(void)c, (void)w;
}

static const struct mbs_name param_names[] = { {"mass", "kg", 6}, {"length", "m", 6}, {"grav", "m/s^2", 6},
	{"eps2", "s^2", 7} };
static const struct mbs_name coord_names[] = { {"x", "m", 9}, {"y", "m", 9} };
static const struct mbs_name output_names[] = { {"r", "m", 16} };

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
	.nq = 2, .nz = 0, .nu = 0, .ny = 1, .np = 4, .ng = 0, .nh = 0, .nc = 8, .nw = 0, .nl = 0,
	.coord = coord_names,
	.output = output_names,
	.param = param_names,
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
		.outputs = outputs,
};
