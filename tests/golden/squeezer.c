/* SPDX-License-Identifier: 0BSD
 *
 * squeezer: Andrews' squeezing mechanism
 * Made by mbsc X from squeezer.mbs.  This file carries no obligation: use it as you like.
 *
 *   coordinates  beta, Theta, gamma, Phi, delta, Omega, epsilon
 *   outputs      Fx, Fy, stretch
 *   constraints  loopB.x, loopB.y, loopA4.x, loopA4.y, loopA6.x, loopA6.y
 *
 *   operations       + -       *       /    sqrt sin,cos   other
 *   dynamics          56      82       1       1      14       0
 *   constraints       19      14       0       0      14       0
 *   residual          72      69       0       0       0       0
 *   jacobian         124     229       2       1      14       0
 *   energy            22      32       0       1       5       0
 *   outputs            9      10       0       1       6       0
 *   points            19      20       0       0      10       0
 *   setup             36      49       0       0       0       0
 *   factor            60      79      13       0       0       0
 *   solve             72      73       0       0       0       0
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
	c[42] = p[xb] - p[xc];
	c[43] = p[yb] - p[yc];
	c[44] = p[da]*p[rr]*p[m2];
	double t1 = p[da]*p[da], t2 = p[m2]*t1;
	c[45] = p[I2] + t2;
	double t3 = p[e] - p[ea], t4 = p[m4]*t3;
	c[46] = p[zt]*t4;
	double t5 = t3*t4;
	c[47] = p[I4] + t5;
	double t6 = p[zf] - p[fa], t7 = p[m6]*t6;
	c[48] = p[u]*t7;
	double t8 = t6*t7;
	c[49] = p[I6] + t8;
	double t9 = p[m1]*(p[ra]*p[ra]), t10 = c[56] = p[I1] + t9, t11 = p[m2]*(p[rr]*p[rr]+t1),
		t12 = c[57] = p[I2] + t11;
	c[50] = t10 + t12;
	double t13 = p[m4]*(t3*t3+p[zt]*p[zt]), t14 = c[58] = p[I4] + t13,
		t15 = p[m5]*(p[tb]*p[tb]+p[ta]*p[ta]), t16 = c[59] = p[I5] + t15;
	c[51] = t14 + t16;
	double t17 = p[m6]*(t6*t6+p[u]*p[u]), t18 = c[60] = p[I6] + t17,
		t19 = p[m7]*(p[ub]*p[ub]+p[ua]*p[ua]), t20 = c[61] = p[I7] + t19;
	c[52] = t18 + t20;
	c[53] = p[sd]*p[c0];
	c[54] = p[sc]*p[c0];
	double t21 = p[m3]*(p[sb]*p[sb]+p[sa]*p[sa]);
	c[55] = p[I3] + t21;
	double t22 = p[I2]*0.5;
	c[62] = t22 + p[I1]*0.5 + 0.5*t9 + t11*0.5;
	c[63] = p[I3]*0.5 + 0.5*t21;
	double t23 = p[I4]*0.5;
	c[64] = t23 + p[I5]*0.5 + 0.5*t13 + 0.5*t15;
	double t24 = p[I6]*0.5;
	c[65] = t24 + p[I7]*0.5 + 0.5*t17 + 0.5*t19;
	c[66] = t22 + 0.5*t2;
	c[67] = t23 + 0.5*t5;
	c[68] = t24 + 0.5*t8;
	c[69] = p[c0]*0.5;
}

static void initial(const double *c, double *q, double *v, double *z, double *u_)
{
	q[0] = -0.06;
	q[5] = -0.22;
	q[1] = v[0] = v[1] = v[2] = v[3] = v[4] = v[5] = v[6] = 0.0;
	q[2] = 0.45;
	q[3] = 0.22;
	q[4] = 0.49;
	q[6] = 1.23;
	(void)c, (void)q, (void)v, (void)z, (void)u_;
}

static void dynamics(const double *restrict c, const struct mbs_state *s, const struct mbs_dynamics *out,
	double *restrict w)
{
	const double *q = s->q, *v = s->v;
	double *M = out->M, *f = out->f, *G = out->G;
	double cos_Theta = cos(q[Theta]), sin_Theta = sin(q[Theta]), sin_Phi = sin(q[Phi]),
		cos_Phi = cos(q[Phi]), sin_Omega = sin(q[Omega]), cos_Omega = cos(q[Omega]),
		sin_gamma_ = sin(q[gamma_]), cos_gamma_ = cos(q[gamma_]), sin_beta = sin(q[beta]),
		cos_beta = cos(q[beta]), sin_delta = sin(q[delta]), cos_delta = cos(q[delta]),
		sin_epsilon = sin(q[epsilon]), cos_epsilon = cos(q[epsilon]), t1 = cos_Theta*c[44];
	M[0] = c[50] - t1*2.0;
	M[1] = c[45] - t1;
	double t2 = sin_Phi*c[46];
	M[5] = t2 + c[47];
	M[6] = c[51] + t2*2.0;
	double t3 = sin_Omega*c[48];
	M[8] = c[49] - t3;
	M[9] = c[52] - 2.0*t3;
	double t4 = sin_Theta*c[44];
	f[0] = c[mom] - v[Theta]*(v[Theta]+v[beta]*2.0)*t4;
	double t5 = v[beta]*v[beta];
	f[1] = t5*t4;
	double t6 = cos_gamma_*c[sc] - sin_gamma_*c[sd] - c[43],
		t7 = sin_gamma_*c[sc] + cos_gamma_*c[sd] + c[42], t8 = sqrt(t7*t7 + t6*t6),
		t9 = (t8-c[l0])/t8;
	f[2] = sin_gamma_*((t6*c[54]+t7*c[53])*t9) + cos_gamma_*((t6*c[53]-t7*c[54])*t9);
	double t10 = v[delta]*v[delta], t11 = cos_Phi*c[46];
	f[3] = t10*t11;
	f[4] = -v[Phi]*(v[Phi]+v[delta]*2.0)*t11;
	double t12 = v[epsilon]*v[epsilon], t13 = cos_Omega*c[48];
	f[5] = -t12*t13;
	f[6] = v[Omega]*(v[Omega]+v[epsilon]*2.0)*t13;
	double t14 = sin_beta*c[rr],
		t15 = G[6] = G[8] = G[10] = (cos_beta*sin_Theta+sin_beta*cos_Theta)*c[d], t16 = t14 - t15;
	G[0] = G[2] = G[4] = -t16;
	double t17 = cos_beta*c[rr],
		t18 = G[7] = G[9] = G[11] = (sin_beta*sin_Theta-cos_beta*cos_Theta)*c[d],
		t19 = G[1] = G[3] = G[5] = t17 + t18, t20 = cos_gamma_*c[ss];
	G[12] = -t20;
	double t21 = sin_gamma_*c[ss];
	G[13] = -t21;
	double t22 = G[14] = (sin_Phi*sin_delta-cos_Phi*cos_delta)*c[e],
		t23 = (cos_Phi*sin_delta+sin_Phi*cos_delta)*c[e];
	G[15] = -t23;
	double t24 = sin_delta*c[zt], t25 = G[16] = t24 + t22, t26 = cos_delta*c[zt], t27 = t26 + t23;
	G[17] = -t27;
	double t28 = G[18] = (cos_Omega*sin_epsilon+sin_Omega*cos_epsilon)*c[zf],
		t29 = G[19] = (sin_Omega*sin_epsilon-cos_Omega*cos_epsilon)*c[zf], t30 = cos_epsilon*c[u],
		t31 = t30 - t28;
	G[20] = -t31;
	double t32 = sin_epsilon*c[u], t33 = t32 - t29;
	G[21] = -t33;
	M[2] = c[45];
	M[3] = c[55];
	M[4] = c[47];
	M[7] = c[49];
	if (out->gamma) {
		double *gamma_2 = out->gamma;
		double t34 = v[gamma_]*v[gamma_], t35 = v[beta] + v[Theta], t36 = t35*t35,
			t37 = t17*t5 + t18*t36;
		gamma_2[0] = t21*t34 - t37;
		double t38 = t14*t5 - t15*t36;
		gamma_2[1] = -t20*t34 - t38;
		double t39 = v[Phi] + v[delta], t40 = t39*t39;
		gamma_2[2] = t26*t10 - t37 + t23*t40;
		gamma_2[3] = t24*t10 - t38 + t22*t40;
		double t41 = v[Omega] + v[epsilon], t42 = t41*t41;
		gamma_2[4] = t32*t12 - t29*t42 - t37;
		gamma_2[5] = t28*t42 - t30*t12 - t38;
	}
	if (out->g) {
		double *g = out->g;
		g[0] = t19 - t21 - c[xb];
		g[1] = t20 - c[yb] + t16;
		double t43 = t19 - c[xa];
		g[2] = t43 - t27;
		double t44 = c[ya] - t16;
		g[3] = -t25 - t44;
		g[4] = t43 - t33;
		g[5] = t31 - t44;
	}
	if (out->gt) {
		double *gt = out->gt;
		gt[0] = gt[1] = gt[2] = gt[3] = gt[4] = gt[5] = 0.0;
	}
	(void)w;
}

static void constraints(const double *restrict c, const struct mbs_state *s, const struct mbs_constraints
	*out, double *restrict w)
{
	const double *q = s->q;
	double *g = out->g, *G = out->G;
	double cos_beta = cos(q[beta]), sin_beta = sin(q[beta]), t1 = q[beta] + q[Theta],
		cos_beta_Theta = cos(t1), sin_beta_Theta = sin(t1), sin_gamma_ = sin(q[gamma_]),
		cos_gamma_ = cos(q[gamma_]), cos_delta = cos(q[delta]), sin_delta = sin(q[delta]),
		t2 = q[delta] + q[Phi], sin_delta_Phi = sin(t2), cos_delta_Phi = cos(t2),
		sin_epsilon = sin(q[epsilon]), cos_epsilon = cos(q[epsilon]), t3 = q[epsilon] + q[Omega],
		cos_epsilon_Omega = cos(t3), sin_epsilon_Omega = sin(t3), t4 = cos_beta_Theta*c[d],
		t5 = G[1] = G[3] = G[5] = cos_beta*c[rr] - t4, t6 = sin_gamma_*c[ss];
	g[0] = t5 - t6 - c[xb];
	double t7 = cos_gamma_*c[ss], t8 = G[6] = G[8] = G[10] = sin_beta_Theta*c[d],
		t9 = sin_beta*c[rr] - t8;
	g[1] = t7 - c[yb] + t9;
	double t10 = sin_delta_Phi*c[e], t11 = cos_delta*c[zt] + t10, t12 = t5 - c[xa];
	g[2] = t12 - t11;
	double t13 = cos_delta_Phi*c[e], t14 = G[16] = sin_delta*c[zt] - t13, t15 = c[ya] - t9;
	g[3] = -t14 - t15;
	double t16 = cos_epsilon_Omega*c[zf], t17 = sin_epsilon*c[u] + t16;
	g[4] = t12 - t17;
	double t18 = G[18] = sin_epsilon_Omega*c[zf], t19 = cos_epsilon*c[u] - t18;
	g[5] = t19 - t15;
	G[0] = G[2] = G[4] = -t9;
	G[7] = G[9] = G[11] = -t4;
	G[12] = -t7;
	G[13] = -t6;
	G[14] = -t13;
	G[15] = -t10;
	G[17] = -t11;
	G[19] = -t16;
	G[20] = -t19;
	G[21] = -t17;
	if (out->gt) {
		double *gt = out->gt;
		gt[0] = gt[1] = gt[2] = gt[3] = gt[4] = gt[5] = 0.0;
	}
	(void)w;
}

static void residual(const double *restrict c, const struct mbs_state *s, const struct mbs_residual *out,
	double *restrict w)
{
	double M[10], f[7], G[22], gt[6], gamma_2[6];
	const struct mbs_dynamics d_ = { .M = M, .f = f, .G = G, .gt = out->gv ? gt : 0, .gamma = out->ga ?
		gamma_2 : 0, .zdot = out->zdot, .g = out->g };
	dynamics(c, s, &d_, w);
	const double *a = s->a, *lambda = s->lambda;
	double *r = out->r;
	double t1 = lambda[loopB_x] + lambda[loopA4_x] + lambda[loopA6_x],
		t2 = lambda[loopB_y] + lambda[loopA4_y] + lambda[loopA6_y];
	r[0] = M[0]*a[beta] + M[1]*a[Theta] - f[0] + t1*G[0] + t2*G[1];
	r[1] = a[beta]*M[1] + a[Theta]*M[2] - f[1] + t1*G[6] + t2*G[7];
	r[2] = M[3]*a[gamma_] - f[2] + lambda[loopB_x]*G[12] + lambda[loopB_y]*G[13];
	r[3] = M[4]*a[Phi] + M[5]*a[delta] - f[3] + lambda[loopA4_x]*G[14] + lambda[loopA4_y]*G[15];
	r[4] = a[Phi]*M[5] + a[delta]*M[6] - f[4] + lambda[loopA4_x]*G[16] + lambda[loopA4_y]*G[17];
	r[5] = M[7]*a[Omega] + M[8]*a[epsilon] - f[5] + lambda[loopA6_x]*G[18] + lambda[loopA6_y]*G[19];
	r[6] = a[Omega]*M[8] + a[epsilon]*M[9] - f[6] + lambda[loopA6_x]*G[20] + lambda[loopA6_y]*G[21];
	if (out->gv) {
		const double *v = s->v;
		double *gv = out->gv;
		double t3 = v[beta]*G[0] + v[Theta]*G[6], t4 = v[beta]*G[1] + v[Theta]*G[7];
		gv[0] = t3 + v[gamma_]*G[12];
		gv[1] = t4 + v[gamma_]*G[13];
		gv[2] = t3 + v[Phi]*G[14] + v[delta]*G[16];
		gv[3] = t4 + v[Phi]*G[15] + v[delta]*G[17];
		gv[4] = t3 + v[Omega]*G[18] + v[epsilon]*G[20];
		gv[5] = t4 + v[Omega]*G[19] + v[epsilon]*G[21];
	}
	if (out->ga) {
		double *ga = out->ga;
		double t5 = a[beta]*G[0] + a[Theta]*G[6], t6 = a[beta]*G[1] + a[Theta]*G[7];
		ga[0] = t5 + a[gamma_]*G[12] + gamma_2[0];
		ga[1] = t6 + a[gamma_]*G[13] + gamma_2[1];
		ga[2] = t5 + a[Phi]*G[14] + a[delta]*G[16] + gamma_2[2];
		ga[3] = t6 + a[Phi]*G[15] + a[delta]*G[17] + gamma_2[3];
		ga[4] = t5 + a[Omega]*G[18] + a[epsilon]*G[20] + gamma_2[4];
		ga[5] = t6 + a[Omega]*G[19] + a[epsilon]*G[21] + gamma_2[5];
	}
	if (out->Gtmu) {
		const double *mu = s->mu;
		double *Gtmu = out->Gtmu;
		double t7 = mu[loopB_x] + mu[loopA4_x] + mu[loopA6_x],
			t8 = mu[loopB_y] + mu[loopA4_y] + mu[loopA6_y];
		Gtmu[0] = t7*G[0] + t8*G[1];
		Gtmu[1] = t7*G[6] + t8*G[7];
		Gtmu[2] = mu[loopB_x]*G[12] + mu[loopB_y]*G[13];
		Gtmu[3] = mu[loopA4_x]*G[14] + mu[loopA4_y]*G[15];
		Gtmu[4] = mu[loopA4_x]*G[16] + mu[loopA4_y]*G[17];
		Gtmu[5] = mu[loopA6_x]*G[18] + mu[loopA6_y]*G[19];
		Gtmu[6] = mu[loopA6_x]*G[20] + mu[loopA6_y]*G[21];
	}
}

static void jacobian(const double *restrict c, const struct mbs_state *s, const struct mbs_jacobian *out,
	double *restrict w)
{
	const double *q = s->q, *v = s->v, *a = s->a, *lambda = s->lambda;
	double *rq = out->rq, *rv = out->rv, *M = out->M, *G = out->G;
	double sin_beta = sin(q[beta]), cos_beta = cos(q[beta]), sin_Theta = sin(q[Theta]),
		cos_Theta = cos(q[Theta]), sin_gamma_ = sin(q[gamma_]), cos_gamma_ = cos(q[gamma_]),
		sin_Phi = sin(q[Phi]), cos_Phi = cos(q[Phi]), sin_delta = sin(q[delta]),
		cos_delta = cos(q[delta]), cos_Omega = cos(q[Omega]), sin_Omega = sin(q[Omega]),
		sin_epsilon = sin(q[epsilon]), cos_epsilon = cos(q[epsilon]),
		t1 = lambda[loopB_y] + lambda[loopA4_y] + lambda[loopA6_y],
		t2 = lambda[loopB_x] + lambda[loopA4_x] + lambda[loopA6_x],
		t3 = cos_beta*sin_Theta + sin_beta*cos_Theta, t4 = sin_beta*sin_Theta - cos_beta*cos_Theta,
		t5 = rq[1] = c[d]*(t3*t1-t4*t2);
	rq[0] = t5 - c[rr]*(sin_beta*t1+cos_beta*t2);
	double t6 = v[beta]*2.0;
	rq[2] = t5 + c[44]*(cos_Theta*v[Theta]*(v[Theta]+t6)+sin_Theta*(a[Theta]+a[beta]*2.0));
	double t7 = v[beta]*v[beta];
	rq[3] = t5 - c[44]*(cos_Theta*t7-sin_Theta*a[beta]);
	double t8 = cos_gamma_*c[sc] - sin_gamma_*c[sd], t9 = t8 - c[43],
		t10 = sin_gamma_*c[sc] + cos_gamma_*c[sd], t11 = c[42] + t10, t12 = t9*c[53] - t11*c[54],
		t13 = t11*t11 + t9*t9, t14 = sqrt(t13), t15 = 1.0/t14, t16 = (t14-c[l0])*t15, t17 = t15*t15,
		t18 = t9*c[54] + t11*c[53], t19 = t11*t8 - t9*t10, t20 = t18*t19, t21 = 1.0/t13,
		t22 = sin_gamma_*(t12*t16+((c[54]*t10-c[53]*t8+t17*t20)*t16-t21*t20)+c[ss]*lambda[loopB_x]),
		t23 = t12*t19,
		t24 = cos_gamma_*(t18*t16-((c[53]*t10+c[54]*t8+t17*t23)*t16-t21*t23)+c[ss]*lambda[loopB_y]);
	rq[4] = t22 - t24;
	double t25 = sin_Phi*sin_delta - cos_Phi*cos_delta, t26 = cos_Phi*sin_delta + sin_Phi*cos_delta,
		t27 = rq[7] = c[e]*(t25*lambda[loopA4_y]+t26*lambda[loopA4_x]), t28 = v[delta]*v[delta];
	rq[5] = t27 + c[46]*(sin_Phi*t28+cos_Phi*a[delta]);
	double t29 = v[delta]*2.0;
	rq[6] = t27 - c[46]*(sin_Phi*v[Phi]*(v[Phi]+t29)-cos_Phi*(a[Phi]+a[delta]*2.0));
	rq[8] = t27 + c[zt]*(sin_delta*lambda[loopA4_y]+cos_delta*lambda[loopA4_x]);
	double t30 = cos_Omega*sin_epsilon + sin_Omega*cos_epsilon,
		t31 = sin_Omega*sin_epsilon - cos_Omega*cos_epsilon,
		t32 = rq[11] = c[zf]*(t30*lambda[loopA6_y]-t31*lambda[loopA6_x]),
		t33 = v[epsilon]*v[epsilon];
	rq[9] = t32 - c[48]*(sin_Omega*t33+cos_Omega*a[epsilon]);
	double t34 = v[epsilon]*2.0;
	rq[10] = t32 + c[48]*(sin_Omega*v[Omega]*(v[Omega]+t34)-cos_Omega*(a[Omega]+a[epsilon]*2.0));
	rq[12] = t32 - c[u]*(cos_epsilon*lambda[loopA6_y]-sin_epsilon*lambda[loopA6_x]);
	double t35 = v[Theta]*2.0, t36 = sin_Theta*c[44];
	rv[0] = t35*t36;
	rv[1] = -t6*t36;
	rv[2] = (t6+t35)*t36;
	double t37 = v[Phi]*2.0, t38 = cos_Phi*c[46];
	rv[3] = (t29+t37)*t38;
	rv[4] = -t29*t38;
	rv[5] = t37*t38;
	double t39 = v[Omega]*2.0, t40 = cos_Omega*c[48];
	rv[6] = -(t34+t39)*t40;
	rv[7] = t34*t40;
	rv[8] = -t39*t40;
	double t41 = cos_Theta*c[44];
	M[0] = c[50] - t41*2.0;
	M[1] = c[45] - t41;
	double t42 = sin_Phi*c[46];
	M[5] = t42 + c[47];
	M[6] = c[51] + t42*2.0;
	double t43 = sin_Omega*c[48];
	M[8] = c[49] - t43;
	M[9] = c[52] - t43*2.0;
	double t44 = G[6] = G[8] = G[10] = t3*c[d];
	G[0] = G[2] = G[4] = t44 - sin_beta*c[rr];
	double t45 = G[7] = G[9] = G[11] = t4*c[d];
	G[1] = G[3] = G[5] = cos_beta*c[rr] + t45;
	G[12] = -cos_gamma_*c[ss];
	G[13] = -sin_gamma_*c[ss];
	double t46 = G[14] = t25*c[e], t47 = t26*c[e];
	G[15] = -t47;
	G[16] = sin_delta*c[zt] + t46;
	G[17] = -cos_delta*c[zt] - t47;
	double t48 = G[18] = t30*c[zf], t49 = G[19] = t31*c[zf];
	G[20] = t48 - cos_epsilon*c[u];
	G[21] = t49 - sin_epsilon*c[u];
	double t50 = v[beta]*c[rr], t51 = cos_beta*t50, t52 = v[beta] + v[Theta], t53 = c[d]*t52,
		t54 = t4*t53, t55 = sin_beta*t50, t56 = t3*t53, t57 = v[gamma_]*c[ss], t58 = sin_gamma_*t57,
		t59 = cos_gamma_*t57, t60 = v[Phi] + v[delta], t61 = c[e]*t60, t62 = t26*t61, t63 = t25*t61,
		t64 = v[delta]*c[zt], t65 = cos_delta*t64, t66 = sin_delta*t64, t67 = v[Omega] + v[epsilon],
		t68 = c[zf]*t67, t69 = t31*t68, t70 = t30*t68, t71 = v[epsilon]*c[u], t72 = sin_epsilon*t71,
		t73 = cos_epsilon*t71;
	M[2] = c[45];
	M[3] = c[55];
	M[4] = c[47];
	M[7] = c[49];
	if (out->gvq) {
		double *gvq = out->gvq;
		gvq[0] = gvq[2] = gvq[4] = -t51 - t54;
		gvq[1] = gvq[3] = gvq[5] = t56 - t55;
		gvq[6] = gvq[8] = gvq[10] = -t54;
		gvq[13] = -t59;
		gvq[16] = t65 + t62;
		gvq[17] = t66 + t63;
		gvq[18] = -t69;
		gvq[20] = t72 - t69;
		gvq[21] = t70 - t73;
		gvq[7] = gvq[9] = gvq[11] = t56;
		gvq[12] = t58;
		gvq[14] = t62;
		gvq[15] = t63;
		gvq[19] = t70;
	}
	if (out->gaq) {
		double *gaq = out->gaq, *gav = out->gav;
		double t74 = t52*t52, t75 = a[beta] + a[Theta], t76 = c[d]*(t3*t74+t4*t75);
		gaq[0] = gaq[2] = gaq[4] = c[rr]*(sin_beta*t7-cos_beta*a[beta]) - t76;
		double t77 = c[d]*(t4*t74-t3*t75);
		gaq[1] = gaq[3] = gaq[5] = -t77 - c[rr]*(cos_beta*t7+sin_beta*a[beta]);
		gaq[6] = gaq[8] = gaq[10] = -t76;
		gaq[7] = gaq[9] = gaq[11] = -t77;
		double t78 = v[gamma_]*v[gamma_];
		gaq[12] = c[ss]*(cos_gamma_*t78+sin_gamma_*a[gamma_]);
		gaq[13] = c[ss]*(sin_gamma_*t78-cos_gamma_*a[gamma_]);
		double t79 = t60*t60, t80 = a[Phi] + a[delta], t81 = c[e]*(t25*t79-t26*t80);
		gaq[14] = -t81;
		double t82 = gaq[15] = c[e]*(t26*t79+t25*t80);
		gaq[16] = -t81 - c[zt]*(sin_delta*t28-cos_delta*a[delta]);
		gaq[17] = t82 + c[zt]*(cos_delta*t28+sin_delta*a[delta]);
		double t83 = t67*t67, t84 = a[Omega] + a[epsilon], t85 = c[zf]*(t30*t83+t31*t84);
		gaq[18] = -t85;
		double t86 = c[zf]*(t31*t83-t30*t84);
		gaq[19] = -t86;
		gaq[20] = c[u]*(cos_epsilon*t33+sin_epsilon*a[epsilon]) - t85;
		gaq[21] = c[u]*(sin_epsilon*t33-cos_epsilon*a[epsilon]) - t86;
		double t87 = 2.0*t54;
		gav[0] = gav[2] = gav[4] = -t87 - t51*2.0;
		double t88 = gav[7] = gav[9] = gav[11] = 2.0*t56;
		gav[1] = gav[3] = gav[5] = t88 - 2.0*t55;
		gav[6] = gav[8] = gav[10] = -t87;
		gav[12] = 2.0*t58;
		gav[13] = -2.0*t59;
		double t89 = gav[14] = 2.0*t62, t90 = gav[15] = 2.0*t63;
		gav[16] = t89 + t65*2.0;
		gav[17] = t90 + t66*2.0;
		double t91 = 2.0*t69;
		gav[18] = -t91;
		double t92 = gav[19] = 2.0*t70;
		gav[20] = t72*2.0 - t91;
		gav[21] = t92 - t73*2.0;
	}
	if (out->gmuq) {
		const double *mu = s->mu;
		double *gmuq = out->gmuq;
		double t93 = mu[loopB_y] + mu[loopA4_y] + mu[loopA6_y],
			t94 = mu[loopB_x] + mu[loopA4_x] + mu[loopA6_x],
			t95 = gmuq[1] = gmuq[2] = gmuq[3] = c[d]*(t3*t93-t4*t94);
		gmuq[0] = t95 - c[rr]*(sin_beta*t93+cos_beta*t94);
		gmuq[4] = c[ss]*(sin_gamma_*mu[loopB_x]-cos_gamma_*mu[loopB_y]);
		double t96 = gmuq[5] = gmuq[6] = gmuq[7] = c[e]*(t25*mu[loopA4_y]+t26*mu[loopA4_x]);
		gmuq[8] = t96 + c[zt]*(sin_delta*mu[loopA4_y]+cos_delta*mu[loopA4_x]);
		double t97 = gmuq[9] = gmuq[10] = gmuq[11] = c[zf]*(t30*mu[loopA6_y]-t31*mu[loopA6_x]);
		gmuq[12] = t97 - c[u]*(cos_epsilon*mu[loopA6_y]-sin_epsilon*mu[loopA6_x]);
	}
	(void)w;
}

static void energy(const double *restrict c, const struct mbs_state *s, double *E, double *restrict w)
{
	const double *q = s->q, *v = s->v;
	double cos_Theta = cos(q[Theta]), sin_Phi = sin(q[Phi]), sin_Omega = sin(q[Omega]),
		sin_gamma_ = sin(q[gamma_]), cos_gamma_ = cos(q[gamma_]);
	double t1 = v[gamma_]*v[gamma_]*c[63] + v[Theta]*v[Theta]*c[66] + v[Phi]*v[Phi]*c[67] +
		v[Omega]*v[Omega]*c[68];
	double t2 = t1 + v[beta]*(v[beta]*c[62]+v[Theta]*c[45]-cos_Theta*c[44]*(v[beta]+v[Theta])) +
		v[delta]*(v[delta]*c[64]+v[Phi]*c[47]+sin_Phi*c[46]*(v[Phi]+v[delta]));
	E[0] = t2 + v[epsilon]*(v[epsilon]*c[65]+v[Omega]*c[49]-sin_Omega*c[48]*(v[Omega]+v[epsilon]));
	double t3 = sin_gamma_*c[sc] + cos_gamma_*c[sd] + c[42],
		t4 = cos_gamma_*c[sc] - sin_gamma_*c[sd] - c[43], t5 = sqrt(t3*t3 + t4*t4) - c[l0];
	E[1] = c[69]*t5*t5 - q[beta]*c[mom];
	(void)w;
}

static void outputs(const double *restrict c, const struct mbs_state *s, double *y, double *restrict w)
{
	const double *q = s->q;
	double cos_beta = cos(q[beta]), sin_beta = sin(q[beta]), t1 = q[beta] + q[Theta],
		cos_beta_Theta = cos(t1), sin_beta_Theta = sin(t1), sin_gamma_ = sin(q[gamma_]),
		cos_gamma_ = cos(q[gamma_]);
	y[0] = cos_beta*c[rr] - cos_beta_Theta*c[d];
	y[1] = sin_beta*c[rr] - sin_beta_Theta*c[d];
	double t2 = sin_gamma_*c[sc] + cos_gamma_*c[sd] + c[42],
		t3 = cos_gamma_*c[sc] - sin_gamma_*c[sd] - c[43];
	y[2] = sqrt(t2*t2 + t3*t3) - c[l0];
	(void)w;
}

static void points(const double *restrict c, const struct mbs_state *s, double *xyz, double *restrict w)
{
	const double *q = s->q;
	double cos_beta = cos(q[beta]), sin_beta = sin(q[beta]), t1 = q[beta] + q[Theta],
		cos_beta_Theta = cos(t1), sin_beta_Theta = sin(t1), sin_gamma_ = sin(q[gamma_]),
		cos_gamma_ = cos(q[gamma_]), cos_delta = cos(q[delta]), sin_delta = sin(q[delta]),
		sin_epsilon = sin(q[epsilon]), cos_epsilon = cos(q[epsilon]),
		t2 = xyz[3] = xyz[6] = xyz[66] = cos_beta*c[rr],
		t3 = xyz[4] = xyz[7] = xyz[67] = sin_beta*c[rr];
	xyz[9] = xyz[15] = xyz[21] = xyz[36] = xyz[69] = t2 - cos_beta_Theta*c[d];
	xyz[10] = xyz[16] = xyz[22] = xyz[37] = xyz[70] = t3 - sin_beta_Theta*c[d];
	xyz[18] = xyz[51] = sin_gamma_*c[sc] + cos_gamma_*c[sd] + c[xb];
	xyz[19] = xyz[52] = sin_gamma_*c[sd] - cos_gamma_*c[sc] + c[yb];
	xyz[24] = xyz[30] = xyz[72] = cos_delta*c[zt] + c[xa];
	xyz[25] = xyz[31] = xyz[73] = sin_delta*c[zt] + c[ya];
	xyz[33] = c[xa] + cos_delta*c[ta] - sin_delta*c[tb];
	xyz[34] = c[ya] + sin_delta*c[ta] + cos_delta*c[tb];
	xyz[39] = xyz[45] = xyz[75] = c[xa] + sin_epsilon*c[u];
	xyz[40] = xyz[46] = xyz[76] = c[ya] - cos_epsilon*c[u];
	xyz[48] = c[xa] + sin_epsilon*c[ua] - cos_epsilon*c[ub];
	xyz[49] = c[ya] - cos_epsilon*c[ua] - sin_epsilon*c[ub];
	xyz[0] = xyz[1] = xyz[2] = xyz[5] = xyz[8] = xyz[11] = xyz[14] = xyz[17] = xyz[20] = 0.0;
	xyz[23] = xyz[26] = xyz[29] = xyz[32] = xyz[35] = xyz[38] = xyz[41] = xyz[44] = xyz[47] = 0.0;
	xyz[50] = xyz[53] = xyz[56] = xyz[57] = xyz[58] = xyz[59] = xyz[62] = xyz[65] = xyz[68] = 0.0;
	xyz[71] = xyz[74] = xyz[77] = 0.0;
	xyz[12] = xyz[63] = c[xb];
	xyz[13] = xyz[64] = c[yb];
	xyz[27] = xyz[42] = xyz[60] = c[xa];
	xyz[28] = xyz[43] = xyz[61] = c[ya];
	xyz[54] = c[xc];
	xyz[55] = c[yc];
	(void)w;
}

static int factor(const double *restrict M, const double *restrict G, double *restrict l)
{
	if (!(M[3] > 0)) return 3;
	if (!(M[0] > 0)) return 1;
	if (!(M[4] > 0)) return 4;
	if (!(M[7] > 0)) return 6;
	double t1 = l[3] = 1.0/M[3], t2 = l[0] = 1.0/M[0], t3 = l[1] = M[1]*t2, t4 = M[2] - M[1]*t3;
	if (!(t4 > 1e-7*M[2])) return 2;
	double t5 = l[2] = 1.0/t4, t6 = l[4] = 1.0/M[4], t7 = l[5] = M[5]*t6, t8 = M[6] - M[5]*t7;
	if (!(t8 > 1e-7*M[6])) return 5;
	double t9 = l[6] = 1.0/t8, t10 = l[7] = 1.0/M[7], t11 = l[8] = M[8]*t10, t12 = M[9] - M[8]*t11;
	if (!(t12 > 1e-7*M[9])) return 7;
	double t13 = l[9] = 1.0/t12, t14 = l[14] = G[12]*t1, t15 = l[10] = G[0]*t2, t16 = G[6] - G[0]*t3,
		t17 = l[12] = t5*t16, t18 = l[15] = G[13]*t1, t19 = l[11] = G[1]*t2, t20 = G[7] - G[1]*t3,
		t21 = l[13] = t5*t20, t22 = l[16] = G[14]*t6, t23 = G[16] - G[14]*t7, t24 = l[18] = t9*t23,
		t25 = l[17] = G[15]*t6, t26 = G[17] - G[15]*t7, t27 = l[19] = t9*t26,
		t28 = l[20] = G[18]*t10, t29 = G[20] - G[18]*t11, t30 = l[22] = t13*t29,
		t31 = l[21] = G[19]*t10, t32 = G[21] - G[19]*t11, t33 = l[23] = t13*t32,
		t34 = G[0]*t15 + t16*t17, t35 = t34 + G[12]*t14;
	if (!(t35 > 0)) return 8;
	double t36 = G[0]*t19 + t16*t21, t37 = t36 + G[12]*t18, t38 = G[1]*t19 + t20*t21,
		t39 = t38 + G[13]*t18, t40 = t34 + G[14]*t22 + t23*t24, t41 = t38 + G[15]*t25 + t26*t27,
		t42 = t34 + G[18]*t28 + t29*t30, t43 = t38 + G[19]*t31 + t32*t33, t44 = l[24] = 1.0/t35,
		t45 = l[25] = t37*t44, t46 = l[27] = t34*t44, t47 = l[30] = t36*t44, t48 = t39 - t37*t45;
	if (!(t48 > 1e-7*t39)) return 9;
	double t49 = t36 - t37*t46, t50 = t38 - t37*t47, t51 = t34*t46, t52 = t34*t47, t53 = t36*t47,
		t54 = l[26] = 1.0/t48, t55 = l[28] = t49*t54, t56 = l[31] = t50*t54, t57 = t49*t55,
		t58 = t40 - t51 - t57;
	if (!(t58 > 1e-7*t40)) return 10;
	double t59 = t49*t56, t60 = t36 + G[14]*t25 + t23*t27 - t52 - t59, t61 = t34 - t51 - t57,
		t62 = t36 - t52 - t59, t63 = t50*t56, t64 = l[29] = 1.0/t58, t65 = l[32] = t60*t64,
		t66 = l[34] = t61*t64, t67 = l[37] = t62*t64, t68 = t41 - t53 - t63 - t60*t65;
	if (!(t68 > 1e-7*t41)) return 11;
	double t69 = t36 - t36*t46 - t50*t55 - t60*t66, t70 = t38 - t53 - t63 - t60*t67,
		t71 = l[33] = 1.0/t68, t72 = l[35] = t69*t71, t73 = l[38] = t70*t71,
		t74 = t42 - t51 - t57 - t61*t66 - t69*t72;
	if (!(t74 > 1e-7*t42)) return 12;
	double t75 = t36 + G[18]*t31 + t29*t33 - t52 - t59 - t61*t67 - t69*t73, t76 = l[36] = 1.0/t74,
		t77 = l[39] = t75*t76, t78 = t43 - t53 - t63 - t62*t67 - t70*t73 - t75*t77;
	if (!(t78 > 1e-7*t43)) return 13;
	l[40] = 1.0/t78;
	return 0;
}

static void solve(const double *restrict l, double *restrict x)
{
	const double b0 = x[0], b1 = x[1], b2 = x[2], b3 = x[3], b4 = x[4], b5 = x[5], b6 = x[6], b7 = x[7],
		b8 = x[8], b9 = x[9], b10 = x[10], b11 = x[11], b12 = x[12];
	double t1 = b1 - b0*l[1], t2 = b4 - b3*l[5], t3 = b6 - b5*l[8], t4 = b0*l[10] + t1*l[12],
		t5 = t4 + b2*l[14] - b7, t6 = b0*l[11] + t1*l[13], t7 = t6 + b2*l[15] - b8 - t5*l[25],
		t8 = t5*l[27], t9 = t5*l[30], t10 = t7*l[28], t11 = t4 + b3*l[16] + t2*l[18] - b9 - t8 - t10,
		t12 = t7*l[31], t13 = t6 + b3*l[17] + t2*l[19] - b10 - t9 - t12 - t11*l[32],
		t14 = t4 + b5*l[20] + t3*l[22] - b11 - t8 - t10 - t11*l[34] - t13*l[35],
		t15 = x[12] = (t6+b5*l[21]+t3*l[23]-b12-t9-t12-t11*l[37]-t13*l[38]-t14*l[39])*l[40],
		t16 = x[11] = t14*l[36] - l[39]*t15, t17 = x[10] = t13*l[33] - l[38]*t15 - l[35]*t16,
		t18 = x[9] = t11*l[29] - l[37]*t15 - l[34]*t16 - l[32]*t17,
		t19 = x[8] = t7*l[26] - l[31]*t15 - l[28]*t16 - l[31]*t17 - l[28]*t18,
		t20 = x[7] = t5*l[24] - l[30]*t15 - l[27]*t16 - l[30]*t17 - l[27]*t18 - l[25]*t19,
		t21 = t20 + t18 + t16, t22 = t19 + t17 + t15, t23 = x[1] = t1*l[2] - l[12]*t21 - l[13]*t22;
	x[2] = b2*l[3] - l[14]*t20 - l[15]*t19;
	double t24 = x[4] = t2*l[6] - l[18]*t18 - l[19]*t17, t25 = x[6] = t3*l[9] - l[22]*t16 - l[23]*t15;
	x[5] = b5*l[7] - l[20]*t16 - l[21]*t15 - l[8]*t25;
	x[3] = b3*l[4] - l[16]*t18 - l[17]*t17 - l[5]*t24;
	x[0] = b0*l[0] - l[10]*t21 - l[11]*t22 - l[1]*t23;
}

static const struct mbs_name param_names[] = { { "xa", "m", 10 }, { "ya", "m", 10 }, { "xb", "m", 11 },
	{ "yb", "m", 11 }, { "xc", "m", 12 }, { "yc", "m", 12 }, { "d", "m", 15 }, { "da", "m", 15 },
	{ "e", "m", 15 }, { "ea", "m", 15 }, { "rr", "m", 16 }, { "ra", "m", 16 }, { "ss", "m", 16 },
	{ "sa", "m", 16 }, { "sb", "m", 16 }, { "sc", "m", 17 }, { "sd", "m", 17 }, { "zt", "m", 17 },
	{ "ta", "m", 17 }, { "tb", "m", 17 }, { "u", "m", 18 }, { "ua", "m", 18 }, { "ub", "m", 18 },
	{ "zf", "m", 18 }, { "fa", "m", 18 }, { "m1", "kg", 21 }, { "I1", "kg*m^2", 21 },
	{ "m2", "kg", 22 }, { "I2", "kg*m^2", 22 }, { "m3", "kg", 23 }, { "I3", "kg*m^2", 23 },
	{ "m4", "kg", 24 }, { "I4", "kg*m^2", 24 }, { "m5", "kg", 25 }, { "I5", "kg*m^2", 25 },
	{ "m6", "kg", 26 }, { "I6", "kg*m^2", 26 }, { "m7", "kg", 27 }, { "I7", "kg*m^2", 27 },
	{ "mom", "N*m", 30 }, { "c0", "N/m", 30 }, { "l0", "m", 30 } };
static const struct mbs_name coord_names[] = { { "beta", "rad", 32 }, { "Theta", "rad", 32 },
	{ "gamma", "rad", 32 }, { "Phi", "rad", 32 }, { "delta", "rad", 32 }, { "Omega", "rad", 32 },
	{ "epsilon", "rad", 32 } };
static const struct mbs_name output_names[] = { { "Fx", "m", 64 }, { "Fy", "m", 65 },
	{ "stretch", "m", 66 } };
static const struct mbs_name constraint_names[] = { { "loopB.x", "m", 56 }, { "loopB.y", "m", 56 },
	{ "loopA4.x", "m", 57 }, { "loopA4.y", "m", 57 }, { "loopA6.x", "m", 58 }, { "loopA6.y", "m", 58 } };
static const struct mbs_shape shapes[] = { { "K1", 2, 0, 2 }, { "K2", 2, 2, 2 }, { "K3", 2, 4, 3 },
	{ "K4", 2, 7, 2 }, { "K5", 2, 9, 3 }, { "K6", 2, 12, 2 }, { "K7", 2, 14, 3 }, { "S", 4, 17, 2 },
	{ "O", 3, 19, 1 }, { "A", 3, 20, 1 }, { "B", 3, 21, 1 }, { "E", 3, 22, 1 }, { "F", 3, 23, 1 },
	{ "H", 3, 24, 1 }, { "J", 3, 25, 1 } };

static const int i0[] = { 0, 2, 3, 4, 6, 7, 9, 10 };
static const int i1[] = { 0, 1, 1, 2, 3, 4, 4, 5, 6, 6 };
static const int i2[] = { 0, 6, 12, 14, 16, 18, 20, 22 };
static const int i3[] = { 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5 };
static const int i4[] = { 0, 2, 4, 5, 7, 9, 11, 13 };
static const int i5[] = { 0, 1, 0, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6 };
static const int i6[] = { 0, 2, 3, 3, 4, 6, 7, 9 };
static const int i7[] = { 0, 1, 0, 4, 3, 4, 6, 5, 6 };
static const int i8[] = { 0, 0, 0, 0, 0, 0, 0, 0 };

extern const struct mbs_model squeezer_model;
const struct mbs_model squeezer_model = {
	.abi = MBS_ABI,
	.name = "squeezer",
	.title = "Andrews' squeezing mechanism",
	.source = "squeezer.mbs",
	.nq = 7, .nz = 0, .nu = 0, .ny = 3, .np = 42, .ng = 6, .nh = 0, .nc = 70, .nw = 0, .nl = 41,
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
	.rz = { 7, 0, 0, i0, i0 },
	.ru = { 7, 0, 0, i0, i0 },
	.zq = { 0, 7, 0, i8, i0 },
	.zv = { 0, 7, 0, i8, i0 },
	.zz = { 0, 0, 0, i0, i0 },
	.zu = { 0, 0, 0, i0, i0 },
	.gvq = { 6, 7, 22, i2, i3 },
	.gaq = { 6, 7, 22, i2, i3 },
	.gav = { 6, 7, 22, i2, i3 },
	.gmuq = { 7, 7, 13, i4, i5 },
	.experiment = { NAN, 0.03, 1e-07, NAN, NAN, NAN, "radau5", 0 },
	.defaults = defaults, .setup = setup, .initial = initial,
	.dynamics = dynamics, .constraints = constraints, .residual = residual, .jacobian = jacobian,
		.energy = energy, .outputs = outputs, .points = points,
	.factor = factor, .solve = solve,
};
