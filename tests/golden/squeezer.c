/* SPDX-License-Identifier: 0BSD
 *
 * squeezer: Andrews' squeezing mechanism
 * Made by mbsc X from squeezer.mbs.  It carries no obligation: use it as you like.
 *
 *   coordinates  beta, Theta, gamma, Phi, delta, Omega, epsilon
 *   outputs      Fx, Fy, stretch
 *   constraints  loopB.x, loopB.y, loopA4.x, loopA4.y, loopA6.x, loopA6.y
 *
 *   M a = f - G' lambda, g = 0; r = M a - f + G' lambda; see mbs/model.h for the rest.
 *   Operations: sums and products, quotients and roots, sines and cosines, other functions.
 *
 *   defaults           parameters p that are not given
 *   setup              constants c from the parameters                   62   0   0   0
 *   initial            start values
 *   position           what several functions need of q and t
 *   mass_matrix        M
 *   constraint_matrix  G
 *   G_times            y = G x
 *   Gt_times           y = G' x
 *   dynamics           M, f, G; if asked gamma, g, gt                   138   2  14   0
 *   constraints        g, G; if asked gt                                 48   0  14   0
 *   residual           r; if asked g, gv, ga, Gtmu                    dynamics + 58
 *   jacobian           rq, rv, M, G; if asked gvq, gaq, gav, gmuq       305   3  14   0
 *   energy             energy                                            54   1   5   0
 *   outputs            y                                                 24   1   6   0
 *   points             xyz                                               44   0  10   0
 */
#include <math.h>
#define MBS_SINES
#include "mbs/model.h"

enum { beta, Theta, gamma_, Phi, delta, Omega, epsilon };
enum { loopB_x, loopB_y, loopA4_x, loopA4_y, loopA6_x, loopA6_y };
enum { xa, ya, xb, yb, xc, yc, d, da, e, ea, rr, ra, ss, sa, sb, sc, sd, zt, ta, tb, u, ua, ub, zf, fa, m1,
	I1, m2, I2, m3, I3, m4, I4, m5, I5, m6, I6, m7, I7, mom, c0, l0 };
enum { I2_plus_da2_m2 = 42, da_rr_m2, I4_etc, zt_m4_e_minus_ea, I6_etc, u_m6_zf_minus_fa, I1_plus_I2_etc,
	I4_plus_I5_etc, I6_plus_I7_etc, xb_minus_xc, yb_minus_yc, sc_c0, sd_c0, half_I1_plus_I2_etc,
	half_I3_etc, half_I4_plus_I5_etc, half_I6_plus_I7_etc, half_I2_plus_da2_m2, half_I4_etc,
	half_I6_etc, I3_etc, half_c0 };

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
	double t1 = p[da]*p[da], t2 = c[I2_plus_da2_m2] = p[I2] + p[m2]*t1;
	c[da_rr_m2] = p[da]*p[rr]*p[m2];
	double t3 = p[e] - p[ea], t4 = p[m4]*t3, t5 = c[I4_etc] = p[I4] + t3*t4;
	c[zt_m4_e_minus_ea] = p[zt]*t4;
	double t6 = p[zf] - p[fa], t7 = p[m6]*t6, t8 = c[I6_etc] = p[I6] + t6*t7;
	c[u_m6_zf_minus_fa] = p[u]*t7;
	double t9 = c[I1_plus_I2_etc] = p[I1] + p[I2] + p[ra]*p[ra]*p[m1] + p[m2]*(p[rr]*p[rr]+t1);
	double t10 = c[I4_plus_I5_etc] = p[I4] + p[I5] + p[m4]*(t3*t3+p[zt]*p[zt]) +
		p[m5]*(p[tb]*p[tb]+p[ta]*p[ta]);
	double t11 = c[I6_plus_I7_etc] = p[I6] + p[I7] + p[m6]*(t6*t6+p[u]*p[u]) +
		p[m7]*(p[ub]*p[ub]+p[ua]*p[ua]);
	c[xb_minus_xc] = p[xb] - p[xc];
	c[yb_minus_yc] = p[yb] - p[yc];
	c[sc_c0] = p[sc]*p[c0];
	c[sd_c0] = p[sd]*p[c0];
	c[half_I1_plus_I2_etc] = 0.5*t9;
	double t12 = c[I3_etc] = p[I3] + p[m3]*(p[sb]*p[sb]+p[sa]*p[sa]);
	c[half_I3_etc] = 0.5*t12;
	c[half_I4_plus_I5_etc] = 0.5*t10;
	c[half_I6_plus_I7_etc] = 0.5*t11;
	c[half_I2_plus_da2_m2] = t2*0.5;
	c[half_I4_etc] = 0.5*t5;
	c[half_I6_etc] = 0.5*t8;
	c[half_c0] = p[c0]*0.5;
}

static void initial(const double *c, double *q, double *v, double *z, double *u_)
{
	for (int i = 0; i < 7; i++)
		v[i] = 0.0;
	q[beta] = -0.06;
	q[Theta] = 0.0;
	q[gamma_] = 0.45;
	q[Phi] = 0.22;
	q[delta] = 0.49;
	q[Omega] = -0.22;
	q[epsilon] = 1.23;
	(void)c, (void)q, (void)v, (void)z, (void)u_;
}

/* What several functions need of q and t.  Each inlines position() and keeps what it uses. */
struct position { double x1, x2, x3, sin_Theta, x5, rr_sin_beta, x7, rr_cos_beta, x9, F_x, cos_gamma,
	ss_cos_gamma, sin_gamma, ss_sin_gamma, sin_delta, cos_Phi, cos_delta, x18, x19, zt_sin_delta, x21,
	zt_cos_delta, x23, cos_Omega, sin_epsilon, cos_epsilon, x27, x28, u_cos_epsilon, x30,
	u_sin_epsilon, x32, sd_sin_gamma, sc_cos_gamma, sc_sin_gamma, sd_cos_gamma, x37, x38, x39; };

static MBS_INLINE struct position position(const double *restrict c, const struct mbs_state *s)
{
	struct position k;
	const double *q = s->q;
	double cosine[8], sine[8];
	mbs_sines(7, q, cosine, sine);
	double cos_Theta = cosine[1];
	k.sin_Theta = sine[1];
	double sin_Phi = sine[3];
	k.cos_Phi = cosine[3];
	double sin_Omega = sine[5];
	k.cos_Omega = cosine[5];
	double cos_beta = cosine[0], sin_beta = sine[0];
	k.cos_gamma = cosine[2];
	k.sin_gamma = sine[2];
	k.sin_delta = sine[4];
	k.cos_delta = cosine[4];
	k.sin_epsilon = sine[6];
	k.cos_epsilon = cosine[6];
	k.x1 = cos_Theta*c[da_rr_m2];
	k.x2 = sin_Phi*c[zt_m4_e_minus_ea];
	k.x3 = sin_Omega*c[u_m6_zf_minus_fa];
	k.x5 = (cos_beta*k.sin_Theta+sin_beta*cos_Theta)*c[d];
	k.rr_sin_beta = sin_beta*c[rr];
	k.x7 = k.x5 - k.rr_sin_beta;
	k.rr_cos_beta = cos_beta*c[rr];
	k.x9 = (sin_beta*k.sin_Theta-cos_beta*cos_Theta)*c[d];
	k.F_x = k.rr_cos_beta + k.x9;
	k.ss_cos_gamma = k.cos_gamma*c[ss];
	k.ss_sin_gamma = k.sin_gamma*c[ss];
	k.x18 = (sin_Phi*k.sin_delta-k.cos_Phi*k.cos_delta)*c[e];
	k.x19 = (k.cos_Phi*k.sin_delta+sin_Phi*k.cos_delta)*c[e];
	k.zt_sin_delta = k.sin_delta*c[zt];
	k.x21 = k.x18 + k.zt_sin_delta;
	k.zt_cos_delta = k.cos_delta*c[zt];
	k.x23 = k.x19 + k.zt_cos_delta;
	k.x27 = (k.cos_Omega*k.sin_epsilon+sin_Omega*k.cos_epsilon)*c[zf];
	k.x28 = (sin_Omega*k.sin_epsilon-k.cos_Omega*k.cos_epsilon)*c[zf];
	k.u_cos_epsilon = k.cos_epsilon*c[u];
	k.x30 = k.x27 - k.u_cos_epsilon;
	k.u_sin_epsilon = k.sin_epsilon*c[u];
	k.x32 = k.x28 - k.u_sin_epsilon;
	k.sd_sin_gamma = k.sin_gamma*c[sd];
	k.sc_cos_gamma = k.cos_gamma*c[sc];
	k.sc_sin_gamma = k.sin_gamma*c[sc];
	k.sd_cos_gamma = k.cos_gamma*c[sd];
	double t1 = c[yb_minus_yc] + (k.sd_sin_gamma-k.sc_cos_gamma),
		t2 = c[xb_minus_xc] + (k.sc_sin_gamma+k.sd_cos_gamma);
	k.x37 = t1*c[sc_c0] - t2*c[sd_c0];
	k.x38 = t2*t2 + t1*t1;
	k.x39 = t1*c[sd_c0] + t2*c[sc_c0];
	return k;
}

static MBS_INLINE void mass_matrix(const double *restrict c, const struct position k, double *restrict M)
{
	M[0] = c[I1_plus_I2_etc] - k.x1*2.0; /* M[beta, beta] */
	M[1] = c[I2_plus_da2_m2] - k.x1; /* M[Theta, beta] */
	M[2] = c[I2_plus_da2_m2]; /* M[Theta, Theta] */
	M[3] = c[I3_etc];	/* M[gamma, gamma] */
	M[4] = c[I4_etc];	/* M[Phi, Phi] */
	M[5] = c[I4_etc] + k.x2; /* M[delta, Phi] */
	M[6] = c[I4_plus_I5_etc] + k.x2*2.0; /* M[delta, delta] */
	M[7] = c[I6_etc];	/* M[Omega, Omega] */
	M[8] = c[I6_etc] - k.x3; /* M[epsilon, Omega] */
	M[9] = c[I6_plus_I7_etc] - k.x3*2.0; /* M[epsilon, epsilon] */
}

static MBS_INLINE void constraint_matrix(const struct position k, double *restrict G)
{
	G[0] = k.x7;		/* G[loopB.x, beta] */
	G[1] = k.F_x;		/* G[loopB.y, beta] */
	G[2] = k.x7;		/* G[loopA4.x, beta] */
	G[3] = k.F_x;		/* G[loopA4.y, beta] */
	G[4] = k.x7;		/* G[loopA6.x, beta] */
	G[5] = k.F_x;		/* G[loopA6.y, beta] */
	G[6] = k.x5;		/* G[loopB.x, Theta] */
	G[7] = k.x9;		/* G[loopB.y, Theta] */
	G[8] = k.x5;		/* G[loopA4.x, Theta] */
	G[9] = k.x9;		/* G[loopA4.y, Theta] */
	G[10] = k.x5;		/* G[loopA6.x, Theta] */
	G[11] = k.x9;		/* G[loopA6.y, Theta] */
	G[12] = -k.ss_cos_gamma; /* G[loopB.x, gamma] */
	G[13] = -k.ss_sin_gamma; /* G[loopB.y, gamma] */
	G[14] = k.x18;		/* G[loopA4.x, Phi] */
	G[15] = -k.x19;		/* G[loopA4.y, Phi] */
	G[16] = k.x21;		/* G[loopA4.x, delta] */
	G[17] = -k.x23;		/* G[loopA4.y, delta] */
	G[18] = k.x27;		/* G[loopA6.x, Omega] */
	G[19] = k.x28;		/* G[loopA6.y, Omega] */
	G[20] = k.x30;		/* G[loopA6.x, epsilon] */
	G[21] = k.x32;		/* G[loopA6.y, epsilon] */
}

static MBS_INLINE void G_times(const double *G, const double *x, double *y)
{
	double t1 = x[beta]*G[0] + x[Theta]*G[6], t2 = x[beta]*G[1] + x[Theta]*G[7];
	y[loopB_x] = t1 + x[gamma_]*G[12];
	y[loopB_y] = t2 + x[gamma_]*G[13];
	y[loopA4_x] = t1 + x[Phi]*G[14] + x[delta]*G[16];
	y[loopA4_y] = t2 + x[Phi]*G[15] + x[delta]*G[17];
	y[loopA6_x] = t1 + x[Omega]*G[18] + x[epsilon]*G[20];
	y[loopA6_y] = t2 + x[Omega]*G[19] + x[epsilon]*G[21];
}

static MBS_INLINE void Gt_times(const double *G, const double *x, double *y)
{
	double t1 = x[loopB_x] + x[loopA4_x] + x[loopA6_x], t2 = x[loopB_y] + x[loopA4_y] + x[loopA6_y];
	y[beta] = t1*G[0] + t2*G[1];
	y[Theta] = t1*G[6] + t2*G[7];
	y[gamma_] = x[loopB_x]*G[12] + x[loopB_y]*G[13];
	y[Phi] = x[loopA4_x]*G[14] + x[loopA4_y]*G[15];
	y[delta] = x[loopA4_x]*G[16] + x[loopA4_y]*G[17];
	y[Omega] = x[loopA6_x]*G[18] + x[loopA6_y]*G[19];
	y[epsilon] = x[loopA6_x]*G[20] + x[loopA6_y]*G[21];
}

static void dynamics(const double *restrict c, const struct mbs_state *s, const struct mbs_dynamics *out,
	double *w)
{
	const struct position k = position(c, s);
	mass_matrix(c, k, out->M);
	constraint_matrix(k, out->G);
	const double *v = s->v;
	double *f = out->f;
	double t1 = k.sin_Theta*c[da_rr_m2];
	f[beta] = c[mom] - v[Theta]*(v[Theta]+2.0*v[beta])*t1;
	double t2 = v[beta]*v[beta];
	f[Theta] = t2*t1;
	double t3 = sqrt(k.x38), t4 = (c[l0]-t3)/t3;
	f[gamma_] = k.sin_gamma*(k.x37*t4) + k.cos_gamma*(k.x39*t4);
	double t5 = v[delta]*v[delta], t6 = k.cos_Phi*c[zt_m4_e_minus_ea];
	f[Phi] = t5*t6;
	f[delta] = -v[Phi]*(v[Phi]+2.0*v[delta])*t6;
	double t7 = v[epsilon]*v[epsilon], t8 = k.cos_Omega*c[u_m6_zf_minus_fa];
	f[Omega] = -t7*t8;
	f[epsilon] = v[Omega]*(v[Omega]+2.0*v[epsilon])*t8;
	if (out->gamma) {
		double *gamma_2 = out->gamma;
		double t9 = v[gamma_]*v[gamma_], t10 = v[beta] + v[Theta], t11 = t10*t10,
			t12 = k.rr_cos_beta*t2 + k.x9*t11;
		gamma_2[loopB_x] = k.ss_sin_gamma*t9 - t12;
		double t13 = k.rr_sin_beta*t2 - k.x5*t11;
		gamma_2[loopB_y] = -k.ss_cos_gamma*t9 - t13;
		double t14 = v[Phi] + v[delta], t15 = t14*t14;
		gamma_2[loopA4_x] = k.zt_cos_delta*t5 - t12 + k.x19*t15;
		gamma_2[loopA4_y] = k.zt_sin_delta*t5 - t13 + k.x18*t15;
		double t16 = v[Omega] + v[epsilon], t17 = t16*t16;
		gamma_2[loopA6_x] = k.u_sin_epsilon*t7 - k.x28*t17 - t12;
		gamma_2[loopA6_y] = k.x27*t17 - k.u_cos_epsilon*t7 - t13;
	}
	if (out->g) {
		double *g = out->g;
		g[loopB_x] = k.F_x - k.ss_sin_gamma - c[xb];
		g[loopB_y] = k.ss_cos_gamma - k.x7 - c[yb];
		double t18 = k.F_x - c[xa];
		g[loopA4_x] = t18 - k.x23;
		double t19 = k.x7 + c[ya];
		g[loopA4_y] = -k.x21 - t19;
		g[loopA6_x] = k.x32 + t18;
		g[loopA6_y] = -k.x30 - t19;
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
	g[loopB_x] = k.F_x - k.ss_sin_gamma - c[xb];
	g[loopB_y] = k.ss_cos_gamma - k.x7 - c[yb];
	double t1 = k.F_x - c[xa];
	g[loopA4_x] = t1 - k.x23;
	double t2 = k.x7 + c[ya];
	g[loopA4_y] = -k.x21 - t2;
	g[loopA6_x] = k.x32 + t1;
	g[loopA6_y] = -k.x30 - t2;
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
	r[beta] = M[0]*a[beta] + M[1]*a[Theta] - f[beta] + r[beta];
	r[Theta] = a[beta]*M[1] + a[Theta]*M[2] - f[Theta] + r[Theta];
	r[gamma_] = M[3]*a[gamma_] - f[gamma_] + r[gamma_];
	r[Phi] = M[4]*a[Phi] + M[5]*a[delta] - f[Phi] + r[Phi];
	r[delta] = a[Phi]*M[5] + a[delta]*M[6] - f[delta] + r[delta];
	r[Omega] = M[7]*a[Omega] + M[8]*a[epsilon] - f[Omega] + r[Omega];
	r[epsilon] = a[Omega]*M[8] + a[epsilon]*M[9] - f[epsilon] + r[epsilon];
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
	rq[0] = k.x7*t1 - k.F_x*t2; /* rq[beta, beta] */
	double t3 = k.x5*t1 - k.x9*t2;
	rq[1] = t3;		/* rq[Theta, beta] */
	double t4 = k.sin_Theta*c[da_rr_m2], t5 = 2.0*v[beta];
	rq[2] = (a[Theta]+2.0*a[beta])*t4 + k.x1*v[Theta]*(v[Theta]+t5) + t3; /* rq[beta, Theta] */
	double t6 = v[beta]*v[beta];
	rq[3] = t3 + a[beta]*t4 - k.x1*t6; /* rq[Theta, Theta] */
	double t7 = sqrt(k.x38), t8 = 1.0/t7, t9 = (c[l0]-t7)*t8, t10 = k.sc_sin_gamma + k.sd_cos_gamma,
		t11 = k.sd_sin_gamma - k.sc_cos_gamma, t12 = t8*t8,
		t13 = (c[xb_minus_xc]+t10)*t11 - (c[yb_minus_yc]+t11)*t10, t14 = k.x37*t13, t15 = 1.0/k.x38,
		t16 = k.x39*t13;
	double t17 = k.ss_cos_gamma*lambda[loopB_y] - k.ss_sin_gamma*lambda[loopB_x] -
		k.sin_gamma*(k.x39*t9-((c[sc_c0]*t10+c[sd_c0]*t11+t12*t14)*t9+t15*t14));
	/* rq[gamma, gamma] */
	rq[4] = -t17 - k.cos_gamma*(k.x37*t9+((c[sd_c0]*t10-c[sc_c0]*t11+t12*t16)*t9+t15*t16));
	double t18 = v[delta]*v[delta], t19 = k.cos_Phi*c[zt_m4_e_minus_ea],
		t20 = k.x18*lambda[loopA4_y] + k.x19*lambda[loopA4_x];
	rq[5] = k.x2*t18 + a[delta]*t19 + t20; /* rq[Phi, Phi] */
	double t21 = 2.0*v[delta];
	rq[6] = t20 + (a[Phi]+2.0*a[delta])*t19 - k.x2*v[Phi]*(v[Phi]+t21); /* rq[delta, Phi] */
	rq[7] = t20;		/* rq[Phi, delta] */
	rq[8] = k.x23*lambda[loopA4_x] + k.x21*lambda[loopA4_y]; /* rq[delta, delta] */
	double t22 = v[epsilon]*v[epsilon], t23 = k.cos_Omega*c[u_m6_zf_minus_fa],
		t24 = k.x27*lambda[loopA6_y] - k.x28*lambda[loopA6_x];
	rq[9] = -k.x3*t22 - a[epsilon]*t23 + t24; /* rq[Omega, Omega] */
	double t25 = 2.0*v[epsilon];
	rq[10] = t24 - (a[Omega]+2.0*a[epsilon])*t23 + k.x3*v[Omega]*(v[Omega]+t25); /* rq[epsilon, Omega] */
	rq[11] = t24;		/* rq[Omega, epsilon] */
	rq[12] = k.x30*lambda[loopA6_y] - k.x32*lambda[loopA6_x]; /* rq[epsilon, epsilon] */
	double t26 = 2.0*v[Theta];
	rv[0] = t26*t4;		/* rv[beta, beta] */
	rv[1] = -t5*t4;		/* rv[Theta, beta] */
	rv[2] = (t5+t26)*t4;	/* rv[beta, Theta] */
	double t27 = 2.0*v[Phi];
	rv[3] = (t21+t27)*t19;	/* rv[delta, Phi] */
	rv[4] = -t21*t19;	/* rv[Phi, delta] */
	rv[5] = t27*t19;	/* rv[delta, delta] */
	double t28 = 2.0*v[Omega];
	rv[6] = -(t25+t28)*t23;	/* rv[epsilon, Omega] */
	rv[7] = t25*t23;	/* rv[Omega, epsilon] */
	rv[8] = -t28*t23;	/* rv[epsilon, epsilon] */
	double t29 = v[beta] + v[Theta], t30 = k.x9*t29, t31 = k.x5*t29, t32 = k.ss_sin_gamma*v[gamma_],
		t33 = k.ss_cos_gamma*v[gamma_], t34 = v[Phi] + v[delta], t35 = k.x19*t34, t36 = k.x18*t34,
		t37 = v[Omega] + v[epsilon], t38 = k.x28*t37, t39 = k.x27*t37;
	if (out->gvq || out->gav) {
		double *gvq = out->gvq ? out->gvq : out->gav;
		gvq[0] = -t30 - k.rr_cos_beta*v[beta]; /* gvq[loopB.x, beta] */
		gvq[1] = t31 - k.rr_sin_beta*v[beta]; /* gvq[loopB.y, beta] */
		gvq[2] = gvq[0]; /* gvq[loopA4.x, beta] */
		gvq[3] = gvq[1]; /* gvq[loopA4.y, beta] */
		gvq[4] = gvq[2]; /* gvq[loopA6.x, beta] */
		gvq[5] = gvq[3]; /* gvq[loopA6.y, beta] */
		gvq[6] = -t30;	/* gvq[loopB.x, Theta] */
		gvq[7] = t31;	/* gvq[loopB.y, Theta] */
		gvq[8] = gvq[6]; /* gvq[loopA4.x, Theta] */
		gvq[9] = t31;	/* gvq[loopA4.y, Theta] */
		gvq[10] = gvq[8]; /* gvq[loopA6.x, Theta] */
		gvq[11] = t31;	/* gvq[loopA6.y, Theta] */
		gvq[12] = t32;	/* gvq[loopB.x, gamma] */
		gvq[13] = -t33;	/* gvq[loopB.y, gamma] */
		gvq[14] = t35;	/* gvq[loopA4.x, Phi] */
		gvq[15] = t36;	/* gvq[loopA4.y, Phi] */
		gvq[16] = t35 + k.zt_cos_delta*v[delta]; /* gvq[loopA4.x, delta] */
		gvq[17] = t36 + k.zt_sin_delta*v[delta]; /* gvq[loopA4.y, delta] */
		gvq[18] = -t38;	/* gvq[loopA6.x, Omega] */
		gvq[19] = t39;	/* gvq[loopA6.y, Omega] */
		gvq[20] = k.u_sin_epsilon*v[epsilon] - t38; /* gvq[loopA6.x, epsilon] */
		gvq[21] = t39 - k.u_cos_epsilon*v[epsilon]; /* gvq[loopA6.y, epsilon] */
	}
	if (out->gaq) {
		double *gaq = out->gaq;
		double t40 = a[beta] + a[Theta], t41 = t29*t31 + k.x9*t40;
		gaq[0] = k.rr_sin_beta*t6 - t41 - k.rr_cos_beta*a[beta]; /* gaq[loopB.x, beta] */
		double t42 = t29*t30 - k.x5*t40;
		gaq[1] = -t42 - k.rr_cos_beta*t6 - k.rr_sin_beta*a[beta]; /* gaq[loopB.y, beta] */
		gaq[2] = gaq[0]; /* gaq[loopA4.x, beta] */
		gaq[3] = gaq[1]; /* gaq[loopA4.y, beta] */
		gaq[4] = gaq[2]; /* gaq[loopA6.x, beta] */
		gaq[5] = gaq[3]; /* gaq[loopA6.y, beta] */
		gaq[6] = -t41;	/* gaq[loopB.x, Theta] */
		gaq[7] = -t42;	/* gaq[loopB.y, Theta] */
		gaq[8] = gaq[6]; /* gaq[loopA4.x, Theta] */
		gaq[9] = gaq[7]; /* gaq[loopA4.y, Theta] */
		gaq[10] = gaq[8]; /* gaq[loopA6.x, Theta] */
		gaq[11] = gaq[9]; /* gaq[loopA6.y, Theta] */
		gaq[12] = v[gamma_]*t33 + k.ss_sin_gamma*a[gamma_]; /* gaq[loopB.x, gamma] */
		gaq[13] = v[gamma_]*t32 - k.ss_cos_gamma*a[gamma_]; /* gaq[loopB.y, gamma] */
		double t43 = a[Phi] + a[delta], t44 = t34*t36 - k.x19*t43;
		gaq[14] = -t44;	/* gaq[loopA4.x, Phi] */
		double t45 = t34*t35 + k.x18*t43;
		gaq[15] = t45;	/* gaq[loopA4.y, Phi] */
		gaq[16] = -t44 - k.zt_sin_delta*t18 + k.zt_cos_delta*a[delta]; /* gaq[loopA4.x, delta] */
		gaq[17] = t45 + k.zt_cos_delta*t18 + k.zt_sin_delta*a[delta]; /* gaq[loopA4.y, delta] */
		double t46 = a[Omega] + a[epsilon], t47 = t37*t39 + k.x28*t46;
		gaq[18] = -t47;	/* gaq[loopA6.x, Omega] */
		double t48 = t37*t38 - k.x27*t46;
		gaq[19] = -t48;	/* gaq[loopA6.y, Omega] */
		/* gaq[loopA6.x, epsilon] */
		gaq[20] = k.u_cos_epsilon*t22 - t47 + k.u_sin_epsilon*a[epsilon];
		/* gaq[loopA6.y, epsilon] */
		gaq[21] = k.u_sin_epsilon*t22 - t48 - k.u_cos_epsilon*a[epsilon];
	}
	if (out->gmuq) {
		const double *mu = s->mu;
		double *gmuq = out->gmuq;
		double t49 = mu[loopB_y] + mu[loopA4_y] + mu[loopA6_y],
			t50 = mu[loopB_x] + mu[loopA4_x] + mu[loopA6_x];
		gmuq[0] = k.x7*t49 - k.F_x*t50; /* gmuq[beta, beta] */
		gmuq[1] = k.x5*t49 - k.x9*t50; /* gmuq[Theta, beta] */
		gmuq[2] = gmuq[1]; /* gmuq[beta, Theta] */
		gmuq[3] = gmuq[2]; /* gmuq[Theta, Theta] */
		gmuq[4] = k.ss_sin_gamma*mu[loopB_x] - k.ss_cos_gamma*mu[loopB_y]; /* gmuq[gamma, gamma] */
		gmuq[5] = k.x18*mu[loopA4_y] + k.x19*mu[loopA4_x]; /* gmuq[Phi, Phi] */
		gmuq[6] = gmuq[5]; /* gmuq[delta, Phi] */
		gmuq[7] = gmuq[6]; /* gmuq[Phi, delta] */
		gmuq[8] = k.x23*mu[loopA4_x] + k.x21*mu[loopA4_y]; /* gmuq[delta, delta] */
		gmuq[9] = k.x27*mu[loopA6_y] - k.x28*mu[loopA6_x]; /* gmuq[Omega, Omega] */
		gmuq[10] = gmuq[9]; /* gmuq[epsilon, Omega] */
		gmuq[11] = gmuq[10]; /* gmuq[Omega, epsilon] */
		gmuq[12] = k.x30*mu[loopA6_y] - k.x32*mu[loopA6_x]; /* gmuq[epsilon, epsilon] */
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
	double t1 = v[beta]*c[half_I1_plus_I2_etc] + c[I2_plus_da2_m2]*v[Theta] - k.x1*(v[beta]+v[Theta]);
	double t2 =
		v[epsilon]*(v[epsilon]*c[half_I6_plus_I7_etc]+c[I6_etc]*v[Omega]-k.x3*(v[Omega]+v[epsilon]));
	double t3 = v[gamma_]*v[gamma_]*c[half_I3_etc] + v[Theta]*v[Theta]*c[half_I2_plus_da2_m2] +
		v[Phi]*v[Phi]*c[half_I4_etc];
	double t4 = t3 + v[Omega]*v[Omega]*c[half_I6_etc] + v[beta]*t1 +
		v[delta]*(v[delta]*c[half_I4_plus_I5_etc]+c[I4_etc]*v[Phi]+k.x2*(v[Phi]+v[delta]));
	E[0] = t4 + t2;		/* T */
	double t5 = c[l0] - sqrt(k.x38);
	E[1] = c[half_c0]*t5*t5 - q[beta]*c[mom]; /* U */
	(void)w;
}

static void outputs(const double *restrict c, const struct mbs_state *s, double *y, double *w)
{
	const struct position k = position(c, s);
	y[0] = k.F_x;		/* Fx */
	y[1] = -k.x7;		/* Fy */
	y[2] = sqrt(k.x38) - c[l0]; /* stretch */
	(void)w;
}

static void points(const double *restrict c, const struct mbs_state *s, double *xyz, double *w)
{
	const struct position k = position(c, s);
	for (int i = 0; i < 78; i++)
		xyz[i] = 0.0;
	xyz[10] = xyz[16] = xyz[22] = xyz[37] = xyz[70] = -k.x7;
	xyz[18] = xyz[51] = c[xb] + k.sc_sin_gamma + k.sd_cos_gamma;
	xyz[19] = xyz[52] = c[yb] + k.sd_sin_gamma - k.sc_cos_gamma;
	xyz[24] = xyz[30] = xyz[72] = k.zt_cos_delta + c[xa];
	xyz[25] = xyz[31] = xyz[73] = k.zt_sin_delta + c[ya];
	xyz[33] = c[xa] + k.cos_delta*c[ta] - k.sin_delta*c[tb];
	xyz[34] = c[ya] + k.cos_delta*c[tb] + k.sin_delta*c[ta];
	xyz[39] = xyz[45] = xyz[75] = k.u_sin_epsilon + c[xa];
	xyz[40] = xyz[46] = xyz[76] = c[ya] - k.u_cos_epsilon;
	xyz[48] = c[xa] + k.sin_epsilon*c[ua] - k.cos_epsilon*c[ub];
	xyz[49] = c[ya] - k.sin_epsilon*c[ub] - k.cos_epsilon*c[ua];
	xyz[3] = xyz[6] = xyz[66] = k.rr_cos_beta;
	xyz[4] = xyz[7] = xyz[67] = k.rr_sin_beta;
	xyz[9] = xyz[15] = xyz[21] = xyz[36] = xyz[69] = k.F_x;
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
static const struct mbs_shape shapes[] = { {"K1",2,0,2,0,0,0,0}, {"K2",2,2,2,0,0,0,0},
	{"K3",2,4,3,0,0,0,0}, {"K4",2,7,2,0,0,0,0}, {"K5",2,9,3,0,0,0,0}, {"K6",2,12,2,0,0,0,0},
	{"K7",2,14,3,0,0,0,0}, {"S",4,17,2,0,0,0,0}, {"O",3,19,1,0,0,0,0}, {"A",3,20,1,0,0,0,0},
	{"B",3,21,1,0,0,0,0}, {"E",3,22,1,0,0,0,0}, {"F",3,23,1,0,0,0,0}, {"H",3,24,1,0,0,0,0},
	{"J",3,25,1,0,0,0,0} };

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
	.nq = 7, .ny = 3, .np = 42, .ng = 6, .nc = 64, .conserves = 1, .nw = 0,
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
