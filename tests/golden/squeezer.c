/* SPDX-License-Identifier: 0BSD
 *
 * squeezer: Andrews' squeezing mechanism
 * Made by mbsc X from squeezer.mbs.  This file carries no obligation: use it as you like.
 *
 *   coordinates  beta, Theta, gamma, Phi, delta, Omega, epsilon
 *   outputs      Fx, Fy, stretch
 *   constraints  loopB.x, loopB.y, loopA4.x, loopA4.y, loopA6.x, loopA6.y
 *   operations   setup 62 0 0 0, dynamics 138 2 14 0, constraints 48 0 14 0, residual dynamics + 58,
 *                jacobian 305 3 14 0, energy 54 1 5 0, outputs 24 1 6 0, points 44 0 10 0
 *                (sums and products, quotients and roots, sines and cosines, other functions)
 */
#include "mbs/model.h"
#include <math.h>

enum { beta, Theta, gamma_, Phi, delta, Omega, epsilon };
enum { loopB_x, loopB_y, loopA4_x, loopA4_y, loopA6_x, loopA6_y };
enum { xa, ya, xb, yb, xc, yc, d, da, e, ea, rr, ra, ss, sa, sb, sc, sd, zt, ta, tb, u, ua, ub, zf, fa, m1,
	I1, m2, I2, m3, I3, m4, I4, m5, I5, m6, I6, m7, I7, mom, c0, l0 };

static void defaults(double *p, const unsigned char *given)
{
	static const double value[] = { -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072, 0.028, 0.0115,
		0.02, 0.01421, 0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02, 0.04, 0.02308,
		0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.01421, 0.04325, 2.194e-06, 0.00365, 4.41e-07,
		0.02373, 5.255e-06, 0.00706, 5.667e-07, 0.0705, 1.169e-05, 0.00706, 5.667e-07, 0.05498,
		1.912e-05, 0.033, 4530.0, 0.07785 };
	for (int i = 0; i < 42; i++)
		if (!given || !given[i])
			p[i] = value[i];
}

static void setup(const double *restrict p, double *restrict c)
{
	for (int i = 0; i < 42; i++)
		c[i] = p[i];
	double t1 = p[da]*p[da], t2 = c[42] = p[I2] + p[m2]*t1;
	c[43] = p[da]*p[rr]*p[m2];
	double t3 = p[e] - p[ea], t4 = p[m4]*t3, t5 = c[44] = p[I4] + t3*t4;
	c[45] = p[zt]*t4;
	double t6 = p[zf] - p[fa], t7 = p[m6]*t6, t8 = c[46] = p[I6] + t6*t7;
	c[47] = p[u]*t7;
	double t9 = c[48] = p[I1] + p[I2] + p[ra]*p[ra]*p[m1] + p[m2]*(p[rr]*p[rr]+t1),
		t10 = c[49] = p[I4] + p[I5] + p[m4]*(t3*t3+p[zt]*p[zt]) + p[m5]*(p[tb]*p[tb]+p[ta]*p[ta]),
		t11 = c[50] = p[I6] + p[I7] + p[m6]*(t6*t6+p[u]*p[u]) + p[m7]*(p[ub]*p[ub]+p[ua]*p[ua]);
	c[51] = p[xb] - p[xc];
	c[52] = p[yb] - p[yc];
	c[53] = p[sc]*p[c0];
	c[54] = p[sd]*p[c0];
	c[55] = 0.5*t9;
	double t12 = c[62] = p[I3] + p[m3]*(p[sb]*p[sb]+p[sa]*p[sa]);
	c[56] = 0.5*t12;
	c[57] = 0.5*t10;
	c[58] = 0.5*t11;
	c[59] = t2*0.5;
	c[60] = 0.5*t5;
	c[61] = 0.5*t8;
	c[63] = p[c0]*0.5;
}

static void initial(const double *c, double *q, double *v, double *z, double *u_)
{
	for (int i = 0; i < 7; i++)
		v[i] = 0.0;
	q[0] = -0.06;
	q[5] = -0.22;
	q[1] = 0.0;
	q[2] = 0.45;
	q[3] = 0.22;
	q[4] = 0.49;
	q[6] = 1.23;
	(void)c, (void)q, (void)v, (void)z, (void)u_;
}

/* What several functions need of q and t.  Each inlines position() and keeps what it uses. */
struct position { double x1, x2, x3, sin_Theta, x5, x6, x7, x8, x9, x10, cos_gamma_, x12, sin_gamma_, x14,
	sin_delta, cos_Phi, cos_delta, x18, x19, x20, x21, x22, x23, cos_Omega, sin_epsilon, cos_epsilon,
	x27, x28, x29, x30, x31, x32, x33, x34, x35, x36, x37, x38, x39; };

static MBS_INLINE struct position position(const double *restrict c, const struct mbs_state *s)
{
	struct position k;
	const double *q = s->q;
	double cos_Theta = cos(q[Theta]);
	k.sin_Theta = sin(q[Theta]);
	double sin_Phi = sin(q[Phi]);
	k.cos_Phi = cos(q[Phi]);
	double sin_Omega = sin(q[Omega]);
	k.cos_Omega = cos(q[Omega]);
	double cos_beta = cos(q[beta]), sin_beta = sin(q[beta]);
	k.cos_gamma_ = cos(q[gamma_]), k.sin_gamma_ = sin(q[gamma_]), k.sin_delta = sin(q[delta]),
		k.cos_delta = cos(q[delta]), k.sin_epsilon = sin(q[epsilon]),
		k.cos_epsilon = cos(q[epsilon]), k.x1 = cos_Theta*c[43], k.x2 = sin_Phi*c[45],
		k.x3 = sin_Omega*c[47], k.x5 = (cos_beta*k.sin_Theta+sin_beta*cos_Theta)*c[d],
		k.x6 = sin_beta*c[rr], k.x7 = k.x5 - k.x6, k.x8 = cos_beta*c[rr],
		k.x9 = (sin_beta*k.sin_Theta-cos_beta*cos_Theta)*c[d], k.x10 = k.x8 + k.x9,
		k.x12 = k.cos_gamma_*c[ss], k.x14 = k.sin_gamma_*c[ss],
		k.x18 = (sin_Phi*k.sin_delta-k.cos_Phi*k.cos_delta)*c[e],
		k.x19 = (k.cos_Phi*k.sin_delta+sin_Phi*k.cos_delta)*c[e], k.x20 = k.sin_delta*c[zt],
		k.x21 = k.x18 + k.x20, k.x22 = k.cos_delta*c[zt], k.x23 = k.x19 + k.x22,
		k.x27 = (k.cos_Omega*k.sin_epsilon+sin_Omega*k.cos_epsilon)*c[zf],
		k.x28 = (sin_Omega*k.sin_epsilon-k.cos_Omega*k.cos_epsilon)*c[zf],
		k.x29 = k.cos_epsilon*c[u], k.x30 = k.x27 - k.x29, k.x31 = k.sin_epsilon*c[u],
		k.x32 = k.x28 - k.x31, k.x33 = k.sin_gamma_*c[sd], k.x34 = k.cos_gamma_*c[sc],
		k.x35 = k.sin_gamma_*c[sc], k.x36 = k.cos_gamma_*c[sd];
	double t1 = c[52] + (k.x33-k.x34), t2 = c[51] + (k.x35+k.x36);
	k.x37 = t1*c[53] - t2*c[54], k.x38 = t2*t2 + t1*t1, k.x39 = t1*c[54] + t2*c[53];
	return k;
}

static MBS_INLINE void mass_matrix(const double *restrict c, const struct position k, double *restrict M)
{
	M[0] = c[48] - k.x1*2.0;
	M[1] = c[42] - k.x1;
	M[5] = c[44] + k.x2;
	M[6] = c[49] + k.x2*2.0;
	M[8] = c[46] - k.x3;
	M[9] = c[50] - k.x3*2.0;
	M[2] = c[42];
	M[3] = c[62];
	M[4] = c[44];
	M[7] = c[46];
}

static MBS_INLINE void constraint_matrix(const struct position k, double *restrict G)
{
	G[12] = -k.x12;
	G[13] = -k.x14;
	G[15] = -k.x19;
	G[17] = -k.x23;
	G[0] = G[2] = G[4] = k.x7;
	G[1] = G[3] = G[5] = k.x10;
	G[6] = G[8] = G[10] = k.x5;
	G[7] = G[9] = G[11] = k.x9;
	G[14] = k.x18;
	G[16] = k.x21;
	G[18] = k.x27;
	G[19] = k.x28;
	G[20] = k.x30;
	G[21] = k.x32;
}

static MBS_INLINE void G_times(const double *G, const double *x, double *y)
{
	double t1 = x[0]*G[0] + x[1]*G[6], t2 = x[0]*G[1] + x[1]*G[7];
	y[0] = t1 + x[2]*G[12];
	y[1] = t2 + x[2]*G[13];
	y[2] = t1 + x[3]*G[14] + x[4]*G[16];
	y[3] = t2 + x[3]*G[15] + x[4]*G[17];
	y[4] = t1 + x[5]*G[18] + x[6]*G[20];
	y[5] = t2 + x[5]*G[19] + x[6]*G[21];
}

static MBS_INLINE void Gt_times(const double *G, const double *x, double *y)
{
	double t1 = x[0] + x[2] + x[4], t2 = x[1] + x[3] + x[5];
	y[0] = t1*G[0] + t2*G[1];
	y[1] = t1*G[6] + t2*G[7];
	y[2] = x[0]*G[12] + x[1]*G[13];
	y[3] = x[2]*G[14] + x[3]*G[15];
	y[4] = x[2]*G[16] + x[3]*G[17];
	y[5] = x[4]*G[18] + x[5]*G[19];
	y[6] = x[4]*G[20] + x[5]*G[21];
}

static void dynamics(const double *restrict c, const struct mbs_state *s, const struct mbs_dynamics *out,
	double *w)
{
	const struct position k = position(c, s);
	mass_matrix(c, k, out->M);
	constraint_matrix(k, out->G);
	const double *v = s->v;
	double *f = out->f;
	double t1 = k.sin_Theta*c[43];
	f[0] = c[mom] - v[Theta]*(v[Theta]+2.0*v[beta])*t1;
	double t2 = v[beta]*v[beta];
	f[1] = t2*t1;
	double t3 = sqrt(k.x38), t4 = (c[l0]-t3)/t3;
	f[2] = k.sin_gamma_*(k.x37*t4) + k.cos_gamma_*(k.x39*t4);
	double t5 = v[delta]*v[delta], t6 = k.cos_Phi*c[45];
	f[3] = t5*t6;
	f[4] = -v[Phi]*(v[Phi]+2.0*v[delta])*t6;
	double t7 = v[epsilon]*v[epsilon], t8 = k.cos_Omega*c[47];
	f[5] = -t7*t8;
	f[6] = v[Omega]*(v[Omega]+2.0*v[epsilon])*t8;
	if (out->gamma) {
		double *gamma_2 = out->gamma;
		double t9 = v[gamma_]*v[gamma_], t10 = v[beta] + v[Theta], t11 = t10*t10,
			t12 = k.x8*t2 + k.x9*t11;
		gamma_2[0] = k.x14*t9 - t12;
		double t13 = k.x6*t2 - k.x5*t11;
		gamma_2[1] = -k.x12*t9 - t13;
		double t14 = v[Phi] + v[delta], t15 = t14*t14;
		gamma_2[2] = k.x22*t5 - t12 + k.x19*t15;
		gamma_2[3] = k.x20*t5 - t13 + k.x18*t15;
		double t16 = v[Omega] + v[epsilon], t17 = t16*t16;
		gamma_2[4] = k.x31*t7 - k.x28*t17 - t12;
		gamma_2[5] = k.x27*t17 - k.x29*t7 - t13;
	}
	if (out->g) {
		double *g = out->g;
		g[0] = k.x10 - k.x14 - c[xb];
		g[1] = k.x12 - k.x7 - c[yb];
		double t18 = k.x10 - c[xa];
		g[2] = t18 - k.x23;
		double t19 = k.x7 + c[ya];
		g[3] = -k.x21 - t19;
		g[4] = k.x32 + t18;
		g[5] = -k.x30 - t19;
	}
	if (out->gt) {
		double *gt = out->gt;
		for (int i = 0; i < 6; i++)
			gt[i] = 0.0;
	}
	(void)w;
}

static void constraints(const double *restrict c, const struct mbs_state *s, const struct mbs_constraints
	*out, double *w)
{
	const struct position k = position(c, s);
	constraint_matrix(k, out->G);
	double *g = out->g;
	g[0] = k.x10 - k.x14 - c[xb];
	g[1] = k.x12 - k.x7 - c[yb];
	double t1 = k.x10 - c[xa];
	g[2] = t1 - k.x23;
	double t2 = k.x7 + c[ya];
	g[3] = -k.x21 - t2;
	g[4] = k.x32 + t1;
	g[5] = -k.x30 - t2;
	if (out->gt) {
		double *gt = out->gt;
		for (int i = 0; i < 6; i++)
			gt[i] = 0.0;
	}
	(void)w;
}

static void residual(const double *restrict c, const struct mbs_state *s, const struct mbs_residual *out,
	double *w)
{
	double M[10], f[7], G[22], gamma_2[6];
	const struct mbs_dynamics d_ = { .M = M, .f = f, .G = G, .gamma = out->ga ? gamma_2 : 0, .zdot =
		out->zdot, .g = out->g };
	dynamics(c, s, &d_, w);
	Gt_times(G, s->lambda, out->r);
	const double *a = s->a;
	double *r = out->r;
	r[0] = M[0]*a[beta] + M[1]*a[Theta] - f[0] + r[0];
	r[1] = a[beta]*M[1] + a[Theta]*M[2] - f[1] + r[1];
	r[2] = M[3]*a[gamma_] - f[2] + r[2];
	r[3] = M[4]*a[Phi] + M[5]*a[delta] - f[3] + r[3];
	r[4] = a[Phi]*M[5] + a[delta]*M[6] - f[4] + r[4];
	r[5] = M[7]*a[Omega] + M[8]*a[epsilon] - f[5] + r[5];
	r[6] = a[Omega]*M[8] + a[epsilon]*M[9] - f[6] + r[6];
	if (out->gv)
		G_times(G, s->v, out->gv);
	if (out->ga) {
		G_times(G, s->a, out->ga);
		for (int i = 0; i < 6; i++)
			out->ga[i] += gamma_2[i];
	}
	if (out->Gtmu)
		Gt_times(G, s->mu, out->Gtmu);
}

static void jacobian(const double *restrict c, const struct mbs_state *s, const struct mbs_jacobian *out,
	double *w)
{
	const struct position k = position(c, s);
	mass_matrix(c, k, out->M);
	constraint_matrix(k, out->G);
	const double *v = s->v, *a = s->a, *lambda = s->lambda;
	double *rq = out->rq, *rv = out->rv;
	double t1 = lambda[loopB_y] + lambda[loopA4_y] + lambda[loopA6_y],
		t2 = lambda[loopB_x] + lambda[loopA4_x] + lambda[loopA6_x];
	rq[0] = k.x7*t1 - k.x10*t2;
	double t3 = rq[1] = k.x5*t1 - k.x9*t2, t4 = k.sin_Theta*c[43], t5 = 2.0*v[beta];
	rq[2] = (a[Theta]+2.0*a[beta])*t4 + k.x1*v[Theta]*(v[Theta]+t5) + t3;
	double t6 = v[beta]*v[beta];
	rq[3] = t3 + a[beta]*t4 - k.x1*t6;
	double t7 = sqrt(k.x38), t8 = 1.0/t7, t9 = (c[l0]-t7)*t8, t10 = k.x35 + k.x36, t11 = k.x33 - k.x34,
		t12 = t8*t8, t13 = (c[51]+t10)*t11 - (c[52]+t11)*t10, t14 = k.x37*t13, t15 = 1.0/k.x38,
		t16 = k.x39*t13;
	double t17 = k.x12*lambda[loopB_y] - k.x14*lambda[loopB_x] -
		k.sin_gamma_*(k.x39*t9-((c[53]*t10+c[54]*t11+t12*t14)*t9+t15*t14));
	rq[4] = -t17 - k.cos_gamma_*(k.x37*t9+((c[54]*t10-c[53]*t11+t12*t16)*t9+t15*t16));
	double t18 = v[delta]*v[delta], t19 = k.cos_Phi*c[45],
		t20 = rq[7] = k.x18*lambda[loopA4_y] + k.x19*lambda[loopA4_x];
	rq[5] = k.x2*t18 + a[delta]*t19 + t20;
	double t21 = 2.0*v[delta];
	rq[6] = t20 + (a[Phi]+2.0*a[delta])*t19 - k.x2*v[Phi]*(v[Phi]+t21);
	rq[8] = k.x23*lambda[loopA4_x] + k.x21*lambda[loopA4_y];
	double t22 = v[epsilon]*v[epsilon], t23 = k.cos_Omega*c[47],
		t24 = rq[11] = k.x27*lambda[loopA6_y] - k.x28*lambda[loopA6_x];
	rq[9] = -k.x3*t22 - a[epsilon]*t23 + t24;
	double t25 = 2.0*v[epsilon];
	rq[10] = t24 - (a[Omega]+2.0*a[epsilon])*t23 + k.x3*v[Omega]*(v[Omega]+t25);
	rq[12] = k.x30*lambda[loopA6_y] - k.x32*lambda[loopA6_x];
	double t26 = 2.0*v[Theta];
	rv[0] = t26*t4;
	rv[1] = -t5*t4;
	rv[2] = (t5+t26)*t4;
	double t27 = 2.0*v[Phi];
	rv[3] = (t21+t27)*t19;
	rv[4] = -t21*t19;
	rv[5] = t27*t19;
	double t28 = 2.0*v[Omega];
	rv[6] = -(t25+t28)*t23;
	rv[7] = t25*t23;
	rv[8] = -t28*t23;
	double t29 = v[beta] + v[Theta], t30 = k.x9*t29, t31 = k.x5*t29, t32 = k.x14*v[gamma_],
		t33 = k.x12*v[gamma_], t34 = v[Phi] + v[delta], t35 = k.x19*t34, t36 = k.x18*t34,
		t37 = v[Omega] + v[epsilon], t38 = k.x28*t37, t39 = k.x27*t37;
	if (out->gvq || out->gav) {
		double *gvq = out->gvq ? out->gvq : out->gav;
		gvq[0] = gvq[2] = gvq[4] = -t30 - k.x8*v[beta];
		gvq[1] = gvq[3] = gvq[5] = t31 - k.x6*v[beta];
		gvq[6] = gvq[8] = gvq[10] = -t30;
		gvq[13] = -t33;
		gvq[16] = t35 + k.x22*v[delta];
		gvq[17] = t36 + k.x20*v[delta];
		gvq[18] = -t38;
		gvq[20] = k.x31*v[epsilon] - t38;
		gvq[21] = t39 - k.x29*v[epsilon];
		gvq[7] = gvq[9] = gvq[11] = t31;
		gvq[12] = t32;
		gvq[14] = t35;
		gvq[15] = t36;
		gvq[19] = t39;
	}
	if (out->gaq) {
		double *gaq = out->gaq;
		double t40 = a[beta] + a[Theta], t41 = t29*t31 + k.x9*t40;
		gaq[0] = gaq[2] = gaq[4] = k.x6*t6 - t41 - k.x8*a[beta];
		double t42 = t29*t30 - k.x5*t40;
		gaq[1] = gaq[3] = gaq[5] = -t42 - k.x8*t6 - k.x6*a[beta];
		gaq[6] = gaq[8] = gaq[10] = -t41;
		gaq[7] = gaq[9] = gaq[11] = -t42;
		gaq[12] = v[gamma_]*t33 + k.x14*a[gamma_];
		gaq[13] = v[gamma_]*t32 - k.x12*a[gamma_];
		double t43 = a[Phi] + a[delta], t44 = t34*t36 - k.x19*t43;
		gaq[14] = -t44;
		double t45 = gaq[15] = t34*t35 + k.x18*t43;
		gaq[16] = -t44 - k.x20*t18 + k.x22*a[delta];
		gaq[17] = t45 + k.x22*t18 + k.x20*a[delta];
		double t46 = a[Omega] + a[epsilon], t47 = t37*t39 + k.x28*t46;
		gaq[18] = -t47;
		double t48 = t37*t38 - k.x27*t46;
		gaq[19] = -t48;
		gaq[20] = k.x29*t22 - t47 + k.x31*a[epsilon];
		gaq[21] = k.x31*t22 - t48 - k.x29*a[epsilon];
	}
	if (out->gmuq) {
		const double *mu = s->mu;
		double *gmuq = out->gmuq;
		double t49 = mu[loopB_y] + mu[loopA4_y] + mu[loopA6_y],
			t50 = mu[loopB_x] + mu[loopA4_x] + mu[loopA6_x];
		gmuq[0] = k.x7*t49 - k.x10*t50;
		gmuq[1] = gmuq[2] = gmuq[3] = k.x5*t49 - k.x9*t50;
		gmuq[4] = k.x14*mu[loopB_x] - k.x12*mu[loopB_y];
		gmuq[5] = gmuq[6] = gmuq[7] = k.x18*mu[loopA4_y] + k.x19*mu[loopA4_x];
		gmuq[8] = k.x23*mu[loopA4_x] + k.x21*mu[loopA4_y];
		gmuq[9] = gmuq[10] = gmuq[11] = k.x27*mu[loopA6_y] - k.x28*mu[loopA6_x];
		gmuq[12] = k.x30*mu[loopA6_y] - k.x32*mu[loopA6_x];
	}
	if (out->gaq)
		for (int i = 0; i < 22; i++)
			out->gav[i] = 2.0*(out->gvq ? out->gvq : out->gav)[i];
	(void)w;
}

static void energy(const double *restrict c, const struct mbs_state *s, double *E, double *w)
{
	const struct position k = position(c, s);
	const double *q = s->q, *v = s->v;
	double t1 = v[gamma_]*v[gamma_]*c[56] + v[Theta]*v[Theta]*c[59] + v[Phi]*v[Phi]*c[60] +
		v[Omega]*v[Omega]*c[61];
	double t2 = t1 + v[beta]*(v[beta]*c[55]+c[42]*v[Theta]-k.x1*(v[beta]+v[Theta])) +
		v[delta]*(v[delta]*c[57]+c[44]*v[Phi]+k.x2*(v[Phi]+v[delta]));
	E[0] = t2 + v[epsilon]*(v[epsilon]*c[58]+c[46]*v[Omega]-k.x3*(v[Omega]+v[epsilon]));
	double t3 = c[l0] - sqrt(k.x38);
	E[1] = c[63]*t3*t3 - q[beta]*c[mom];
	(void)w;
}

static void outputs(const double *restrict c, const struct mbs_state *s, double *y, double *w)
{
	const struct position k = position(c, s);
	y[1] = -k.x7;
	y[2] = sqrt(k.x38) - c[l0];
	y[0] = k.x10;
	(void)w;
}

static void points(const double *restrict c, const struct mbs_state *s, double *xyz, double *w)
{
	const struct position k = position(c, s);
	for (int i = 0; i < 78; i++)
		xyz[i] = 0.0;
	xyz[10] = xyz[16] = xyz[22] = xyz[37] = xyz[70] = -k.x7;
	xyz[18] = xyz[51] = c[xb] + k.x35 + k.x36;
	xyz[19] = xyz[52] = c[yb] + k.x33 - k.x34;
	xyz[24] = xyz[30] = xyz[72] = k.x22 + c[xa];
	xyz[25] = xyz[31] = xyz[73] = k.x20 + c[ya];
	xyz[33] = c[xa] + k.cos_delta*c[ta] - k.sin_delta*c[tb];
	xyz[34] = c[ya] + k.cos_delta*c[tb] + k.sin_delta*c[ta];
	xyz[39] = xyz[45] = xyz[75] = k.x31 + c[xa];
	xyz[40] = xyz[46] = xyz[76] = c[ya] - k.x29;
	xyz[48] = c[xa] + k.sin_epsilon*c[ua] - k.cos_epsilon*c[ub];
	xyz[49] = c[ya] - k.sin_epsilon*c[ub] - k.cos_epsilon*c[ua];
	xyz[3] = xyz[6] = xyz[66] = k.x8;
	xyz[4] = xyz[7] = xyz[67] = k.x6;
	xyz[9] = xyz[15] = xyz[21] = xyz[36] = xyz[69] = k.x10;
	xyz[12] = xyz[63] = c[xb];
	xyz[13] = xyz[64] = c[yb];
	xyz[27] = xyz[42] = xyz[60] = c[xa];
	xyz[28] = xyz[43] = xyz[61] = c[ya];
	xyz[54] = c[xc];
	xyz[55] = c[yc];
	(void)w;
}

static const struct mbs_name param_names[] = { {"xa", "m", 10}, {"ya", "m", 10}, {"xb", "m", 11},
	{"yb", "m", 11}, {"xc", "m", 12}, {"yc", "m", 12}, {"d", "m", 15}, {"da", "m", 15}, {"e", "m", 15},
	{"ea", "m", 15}, {"rr", "m", 16}, {"ra", "m", 16}, {"ss", "m", 16}, {"sa", "m", 16},
	{"sb", "m", 16}, {"sc", "m", 17}, {"sd", "m", 17}, {"zt", "m", 17}, {"ta", "m", 17},
	{"tb", "m", 17}, {"u", "m", 18}, {"ua", "m", 18}, {"ub", "m", 18}, {"zf", "m", 18},
	{"fa", "m", 18}, {"m1", "kg", 21}, {"I1", "kg*m^2", 21}, {"m2", "kg", 22}, {"I2", "kg*m^2", 22},
	{"m3", "kg", 23}, {"I3", "kg*m^2", 23}, {"m4", "kg", 24}, {"I4", "kg*m^2", 24}, {"m5", "kg", 25},
	{"I5", "kg*m^2", 25}, {"m6", "kg", 26}, {"I6", "kg*m^2", 26}, {"m7", "kg", 27},
	{"I7", "kg*m^2", 27}, {"mom", "N*m", 30}, {"c0", "N/m", 30}, {"l0", "m", 30} };
static const struct mbs_name coord_names[] = { {"beta", "rad", 32}, {"Theta", "rad", 32},
	{"gamma", "rad", 32}, {"Phi", "rad", 32}, {"delta", "rad", 32}, {"Omega", "rad", 32},
	{"epsilon", "rad", 32} };
static const struct mbs_name output_names[] = { {"Fx", "m", 64}, {"Fy", "m", 65}, {"stretch", "m", 66} };
static const struct mbs_name constraint_names[] = { {"loopB.x", "m", 56}, {"loopB.y", "m", 56},
	{"loopA4.x", "m", 57}, {"loopA4.y", "m", 57}, {"loopA6.x", "m", 58}, {"loopA6.y", "m", 58} };
static const struct mbs_shape shapes[] = { {"K1", 2, 0, 2, 0}, {"K2", 2, 2, 2, 0}, {"K3", 2, 4, 3, 0},
	{"K4", 2, 7, 2, 0}, {"K5", 2, 9, 3, 0}, {"K6", 2, 12, 2, 0}, {"K7", 2, 14, 3, 0},
	{"S", 4, 17, 2, 0}, {"O", 3, 19, 1, 0}, {"A", 3, 20, 1, 0}, {"B", 3, 21, 1, 0}, {"E", 3, 22, 1, 0},
	{"F", 3, 23, 1, 0}, {"H", 3, 24, 1, 0}, {"J", 3, 25, 1, 0} };

static const int i0[] = { 0, 2, 3, 4, 6, 7, 9, 10 };
static const int i1[] = { 0, 1, 1, 2, 3, 4, 4, 5, 6, 6 };
static const int i2[] = { 0, 6, 12, 14, 16, 18, 20, 22 };
static const int i3[] = { 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5 };
static const int i4[] = { 0, 2, 4, 5, 7, 9, 11, 13 };
static const int i5[] = { 0, 1, 0, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6 };
static const int i6[] = { 0, 2, 3, 3, 4, 6, 7, 9 };
static const int i7[] = { 0, 1, 0, 4, 3, 4, 6, 5, 6 };

extern const struct mbs_model squeezer_model;
const struct mbs_model squeezer_model = {
	.abi = MBS_ABI,
	.name = "squeezer",
	.title = "Andrews' squeezing mechanism",
	.source = "squeezer.mbs",
	.nq = 7, .nz = 0, .nu = 0, .ny = 3, .np = 42, .ng = 6, .nh = 0, .nc = 64, .nw = 0, .nl = 0,
	.coord = coord_names,
	.output = output_names,
	.param = param_names,
	.constraint = constraint_names,
	.nshape = 15, .npoint = 26, .shape = shapes,
	.q_init = (const unsigned char[]){ 1, 2, 1, 1, 1, 1, 1 },
	.v_init = (const unsigned char[]){ 0, 0, 0, 0, 0, 0, 0 },
	.M = { 7, 7, 10, i0, i1 },
	.G = { 6, 7, 22, i2, i3 },
	.rq = { 7, 7, 13, i4, i5 },
	.rv = { 7, 7, 9, i6, i7 },
	.gvq = { 6, 7, 22, i2, i3 },
	.gaq = { 6, 7, 22, i2, i3 },
	.gav = { 6, 7, 22, i2, i3 },
	.gmuq = { 7, 7, 13, i4, i5 },
	.experiment = { NAN, 0.03, 1e-07, NAN, NAN, NAN, "radau5", 0 },
	.defaults = defaults, .setup = setup, .initial = initial, .dynamics = dynamics,
		.constraints = constraints, .residual = residual, .jacobian = jacobian, .energy = energy,
		.outputs = outputs, .points = points,
};
