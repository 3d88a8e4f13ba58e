/* SPDX-License-Identifier: 0BSD
 *
 * pendulum: Mathematical pendulum
 * Made by mbsc X from pendulum.mbs.  It carries no obligation: use it as you like.
 *
 *   coordinates  phi
 *
 *   M a = f - G' lambda, g = 0; r = M a - f + G' lambda; see mbs/model.h for the rest.
 *   Operations: sums and products, quotients and roots, sines and cosines, other functions.
 *
 *   defaults           parameters p that are not given
 *   setup              constants c from the parameters                    4   0   0   0
 *   initial            start values
 *   dynamics           M, f                                               1   0   1   0
 *   residual           r; if asked Gtmu                               dynamics + 2
 *   jacobian           rq, M                                              1   0   1   0
 *   energy             energy                                             3   0   1   0
 *   points             xyz                                                2   0   2   0
 */
#include "mbs/model.h"
#include <math.h>

enum { phi };
enum { l, m, grav };
enum { l_m_grav = 3, l2_m, half_l2_m };

static void defaults(double *p, const unsigned char *given)
{
	static const double value[] = { 1.0, 1.0, 9.81 };
	for (int i = 0; i < 3; i++)
		if (!given || !given[i])
			p[i] = value[i];
}

static void setup(const double *restrict p, double *restrict c)
{
	for (int i = 0; i < 3; i++)
		c[i] = p[i];
	double t1 = p[l]*p[m];
	c[l_m_grav] = p[grav]*t1;
	double t2 = c[l2_m] = p[l]*t1;
	c[half_l2_m] = 0.5*t2;
}

static void initial(const double *c, double *q, double *v, double *z, double *u)
{
	q[phi] = 1.0471975511965976;
	v[phi] = 0.0;
	(void)c, (void)q, (void)v, (void)z, (void)u;
}

static void dynamics(const double *restrict c, const struct mbs_state *s, const struct mbs_dynamics *out,
	double *w)
{
	const double *q = s->q;
	double *M = out->M, *f = out->f;
	double sin_phi = sin(q[phi]);
	M[0] = c[l2_m];		/* M[phi, phi] */
	f[phi] = -sin_phi*c[l_m_grav];
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
	double M[1], f[1];
	const struct mbs_dynamics d = { .M = M, .f = f, .zdot = out->zdot, .g = out->g };
	dynamics(c, s, &d, w);
	const double *a = s->a;
	double *r = out->r;
	r[phi] = M[0]*a[phi] - f[phi];
	if (out->Gtmu)
		for (int i = 0; i < 1; i++)
			out->Gtmu[i] = 0.0;
}

static void jacobian(const double *restrict c, const struct mbs_state *s, const struct mbs_jacobian *out,
	double *w)
{
	const double *q = s->q;
	double *rq = out->rq, *M = out->M;
	double cos_phi = cos(q[phi]);
	rq[0] = cos_phi*c[l_m_grav]; /* rq[phi, phi] */
	M[0] = c[l2_m];		/* M[phi, phi] */
	(void)w;
}

static void energy(const double *restrict c, const struct mbs_state *s, double *E, double *w)
{
	const double *q = s->q, *v = s->v;
	double cos_phi = cos(q[phi]);
	E[0] = c[half_l2_m]*v[phi]*v[phi]; /* T */
	E[1] = -cos_phi*c[l_m_grav]; /* U */
	(void)w;
}

static void outputs(const double *restrict c, const struct mbs_state *s, double *y, double *w)
{
	(void)c, (void)s, (void)y, (void)w;
}

static void points(const double *restrict c, const struct mbs_state *s, double *xyz, double *w)
{
	const double *q = s->q;
	double sin_phi = sin(q[phi]), cos_phi = cos(q[phi]);
	xyz[3] = sin_phi*c[l];
	xyz[4] = -cos_phi*c[l];
	xyz[0] = xyz[1] = xyz[2] = xyz[5] = 0.0;
	(void)w;
}

static const struct mbs_name param_names[] = { {"l", "m", 4}, {"m", "kg", 4}, {"grav", "m/s^2", 4} };
static const struct mbs_name coord_names[] = { {"phi", "rad", 5} };
static const struct mbs_shape shapes[] = { {"rod",2,0,2,0,0,0,0} };

static const int i0[] = { 0, 1 };
static const int i1[] = { 0, 0 };

extern const struct mbs_model pendulum_model;
const struct mbs_model pendulum_model = {
	.abi = MBS_ABI,
	.name = "pendulum",
	.title = "Mathematical pendulum",
	.source = "pendulum.mbs",
	.nq = 1, .np = 3, .nc = 6, .conserves = 1, .nw = 0,
	.coord = coord_names,
	.param = param_names,
	.nshape = 1, .npoint = 2, .shape = shapes,
	.q_init = (const unsigned char[]){ 2 },
	.v_init = (const unsigned char[]){ 0 },
	.M = { 1, 1, 1, i0, i0 },
	.G = { 0, 1, 0, i1, i0 },
	.rq = { 1, 1, 1, i0, i0 },
	.rv = { 1, 1, 0, i1, i0 },
	.gmuq = { 1, 1, 0, i1, i0 },
	.experiment = { NAN, 10.0, NAN, NAN, NAN, NAN, 0, 0 },
	.defaults = defaults, .setup = setup, .initial = initial, .dynamics = dynamics,
		.constraints = constraints, .residual = residual, .jacobian = jacobian, .energy = energy,
		.outputs = outputs, .points = points,
};
