/* SPDX-License-Identifier: 0BSD
 *
 * crank: Slider crank with elastic connecting rod
 * Made by mbsc X from crank.mbs.  This file carries no obligation: use it as you like.
 *
 *   coordinates  phi1, phi2, x3, q[1], q[2], q[3], q[4]
 *   outputs      midpoint
 *   constraints  height, slider, drive
 *   operations   setup 50 1 0 0, dynamics 220 0 4 0, constraints 10 0 4 0, residual dynamics + 65,
 *                jacobian 387 0 4 0, energy 117 0 4 0, outputs 0 0 0 0, points 93 0 4 0
 *                (sums and products, quotients and roots, sines and cosines, other functions)
 */
#include "mbs/model.h"
#include <math.h>

enum { phi1, phi2, x3, q_1, q_2, q_3, q_4 };
enum { height, slider, drive };
enum { l1, l2, m1, m2, m3, J1, J2, h, d, rho, E, Omega, grav };

static void defaults(double *p, const unsigned char *given)
{
	static const double value[] = { 0.15, 0.3, 0.36, 0.151104, 0.075552, 0.002727, 0.0045339259, 0.008,
		0.008, 7870.0, 200000000000.0, 150.0, 0.0 };
	for (int i = 0; i < 13; i++)
		if (!given || !given[i])
			p[i] = value[i];
}

static void setup(const double *restrict p, double *restrict c)
{
	for (int i = 0; i < 13; i++)
		c[i] = p[i];
	double t1 = p[h]*p[d], t2 = c[17] = p[l2]*t1, t3 = c[14] = p[rho]*t2;
	c[13] = p[l1]*t3;
	double t4 = c[15] = p[l2]*t3, t5 = c[25] = p[l2]*p[m2], t6 = c[16] = p[l1]*t5,
		t7 = c[18] = p[grav]*t5;
	c[19] = p[rho]*p[grav];
	double t8 = c[24] = p[l1]*(p[m1]+p[m2]*2.0);
	c[20] = p[grav]*t8;
	double t9 = c[21] = p[grav]*t3, t10 = 1.0/p[l2], t11 = c[23] = t1*(p[E]*t10),
		t12 = c[22] = t10*t10*(t11*(p[h]*p[h])), t13 = c[27] = p[J1] + p[l1]*p[l1]*p[m2];
	c[26] = 0.5*t13;
	c[28] = 0.5*t3;
	c[29] = 8.0*t3;
	c[30] = 2.0*t3;
	c[31] = 0.31830988148145367*t4;
	c[32] = 0.15915494074072684*t4;
	c[33] = 0.15915494074072684*t3;
	c[34] = 0.5160245280617674*t3;
	double t14 = c[52] = p[grav]*0.5;
	c[35] = t8*t14;
	c[36] = 4.058712366251392*t12;
	c[37] = 0.6366197629629073*t9;
	c[38] = 64.93939786002227*t12;
	c[39] = 0.3333333333333333*t4;
	c[40] = 0.5*t6;
	c[41] = 0.6666666666666666*t9;
	c[42] = 0.16666666666666666*t9;
	c[43] = 0.041666666666666664*t4;
	c[44] = 5.333333333333333*t11;
	c[45] = 2.6666666666666665*t11;
	c[46] = 0.16666666666666666*t4;
	c[47] = 2.3333333333333335*t11;
	c[48] = 0.6666666666666666*t4;
	c[49] = p[m3]*0.5;
	c[50] = p[J2]*0.5;
	c[51] = p[rho]*2.0;
	c[53] = 0.75*t7;
}

static void initial(const double *c, double *q, double *v, double *z, double *u)
{
	v[1] = -74.99576703969453;
	v[2] = v[6] = -2.68938671997904e-06;
	v[5] = -1.78591076000055e-06;
	q[0] = q[1] = q[3] = q[4] = 0.0;
	q[2] = 0.450016933;
	q[5] = 1.03339863e-05;
	q[6] = 1.69327969e-05;
	v[0] = 150.0;
	v[3] = 0.444896112581599;
	v[4] = 0.00463433931923867;
	(void)c, (void)q, (void)v, (void)z, (void)u;
}

/* What several functions need of q and t.  Each inlines position() and keeps what it uses. */
struct position { double cos_phi1, sin_phi2, sin_phi1, cos_phi2, x5, x6, x7, x8, x9, x10, x11, x12, x13,
	x14, x15, x16, x17, x18, x19, x20; };

static MBS_INLINE struct position position(const double *restrict c, const struct mbs_state *s)
{
	struct position k;
	const double *q = s->q;
	k.cos_phi1 = cos(q[phi1]), k.sin_phi1 = sin(q[phi1]), k.sin_phi2 = sin(q[phi2]),
		k.cos_phi2 = cos(q[phi2]), k.x5 = k.cos_phi1*k.sin_phi2 - k.sin_phi1*k.cos_phi2,
		k.x6 = k.x5*c[13], k.x7 = q[q_1]*0.6366197629629073,
		k.x8 = k.sin_phi1*k.sin_phi2 + k.cos_phi1*k.cos_phi2;
	double t1 = c[40] + c[13]*(q[q_3]*0.6666666666666666+q[q_4]*0.16666666666666666);
	k.x9 = k.x6*k.x7 - k.x8*t1, k.x10 = k.x8*c[13], k.x11 = q[q_4]*2.0, k.x12 = k.cos_phi1*c[l1],
		k.x13 = k.sin_phi1*c[l1];
	double t2 = q[q_4] + c[l2];
	k.x14 = k.cos_phi2*t2, k.x15 = k.sin_phi2*t2, k.x16 = c[17]*(q[q_3]+q[q_4]*0.25),
		k.x17 = c[53] + k.x16*c[19], k.x18 = k.x10*k.x7 + k.x5*t1, k.x19 = q[q_3] - q[q_4]*0.5,
		k.x20 = q[q_3] - q[q_4]*0.875;
	return k;
}

static MBS_INLINE void mass_matrix(const double *restrict c, const struct mbs_state *s, const struct position
	k, double *restrict M)
{
	const double *q = s->q;
	M[1] = -k.x9;
	M[2] = 0.6366197629629073*k.x10;
	M[3] = 0.6666666666666666*k.x6;
	M[4] = 0.16666666666666666*k.x6;
	double t1 = c[14]*(q[q_1]*(q[q_1]*0.5)+q[q_2]*(q[q_2]*0.5)+q[q_4]*k.x11+q[q_3]*(q[q_3]*8.0+k.x11));
	M[5] = c[J2] + t1 + c[15]*(q[q_3]*0.6666666666666666+q[q_4]*0.3333333333333333);
	M[6] = c[31] + c[14]*(q[q_3]*0.5160245280617674+q[q_4]*0.060297617450569996);
	M[7] = -c[32] - c[33]*q[q_4];
	M[8] = -c[34]*q[q_1];
	M[9] = c[14]*(q[q_2]*0.15915494074072684-q[q_1]*0.060297617450569996);
	M[0] = c[27];
	M[10] = c[m3];
	M[11] = M[12] = c[28];
	M[13] = c[29];
	M[14] = c[14];
	M[15] = c[30];
}

static MBS_INLINE void constraint_matrix(const struct position k, double *restrict G)
{
	G[7] = -k.cos_phi2;
	G[0] = k.x12;
	G[1] = k.x13;
	G[2] = G[5] = 1.0;
	G[3] = k.x14;
	G[4] = k.x15;
	G[6] = k.sin_phi2;
}

static MBS_INLINE void G_times(const double *G, const double *x, double *y)
{
	y[2] = x[0]*G[2];
	y[0] = x[0]*G[0] + x[1]*G[3] + x[6]*G[6];
	y[1] = x[0]*G[1] + x[1]*G[4] + G[2]*x[2] + x[6]*G[7];
}

static MBS_INLINE void Gt_times(const double *G, const double *x, double *y)
{
	y[0] = x[0]*G[0] + x[1]*G[1] + x[2]*G[2];
	y[1] = x[0]*G[3] + x[1]*G[4];
	y[2] = x[1]*G[2];
	y[6] = x[0]*G[6] + x[1]*G[7];
	y[3] = y[4] = y[5] = 0.0;
}

static void dynamics(const double *restrict c, const struct mbs_state *s, const struct mbs_dynamics *out,
	double *w)
{
	const struct position k = position(c, s);
	mass_matrix(c, s, k, out->M);
	constraint_matrix(k, out->G);
	const double *q = s->q, *v = s->v;
	double *f = out->f;
	double t1 = v[phi1] - v[phi2], t2 = 0.6366197629629073*t1, t3 = 0.6366197629629073*v[phi1] - t2,
		t4 = 0.6666666666666666*v[q_3], t5 = t4 + 0.16666666666666666*v[q_4],
		t6 = 0.6666666666666666*t1, t7 = 0.16666666666666666*t1;
	double t8 = 0.6366197629629073*v[q_1] + q[q_3]*(0.6666666666666666*v[phi1]-t6) +
		q[q_4]*(0.16666666666666666*v[phi1]-t7);
	double t9 = c[35]*k.cos_phi1 + (v[phi2]*(t5-q[q_1]*t3)+t5*(v[phi1]-t1))*k.x10 -
		k.x5*(v[phi2]*(c[13]*t8+c[16]*(0.5*v[phi1]-0.5*t1))+c[13]*v[q_1]*t3);
	f[0] = -t9;
	double t10 = k.sin_phi2*c[21], t11 = 2.0*v[q_4];
	double t12 = q[q_1]*v[q_1] + q[q_2]*v[q_2] + q[q_3]*(v[q_3]*16.0+t11) +
		q[q_4]*(2.0*v[q_3]+v[q_4]*4.0);
	double t13 = v[phi1]*k.x18;
	double t14 = k.cos_phi2*0.6666666666666666*k.x17 - t10*k.x7 +
		v[phi2]*(c[14]*t12+c[15]*(t4+0.3333333333333333*v[q_4])+t13);
	f[1] = -t14 - t1*t13;
	double t15 = c[14]*v[phi2];
	double t16 = c[36]*q[q_1] + c[37]*k.cos_phi2 -
		(v[phi2]*(q[q_1]*0.5)-v[q_3]*1.0320490561235347-v[q_4]*0.12059523490113999)*t15;
	f[3] = -t16 - v[phi1]*(t2+0.6366197629629073*v[phi2])*k.x6;
	f[4] = (v[phi2]*(q[q_2]*0.5)+0.31830988148145367*v[q_4])*t15 - c[38]*q[q_2];
	double t17 = v[phi1]*k.x10,
		t18 = v[phi2]*(v[phi2]*c[39]+c[14]*(v[q_1]*1.0320490561235347+v[phi2]*(q[q_4]+q[q_3]*8.0)));
	double t19 = 0.6666666666666666*t10 - (t6+0.6666666666666666*v[phi2])*t17 +
		c[23]*(q[q_3]*2.6666666666666665-q[q_4]*1.3333333333333333+k.x19*2.6666666666666665);
	f[5] = t18 - t19;
	double t20 = 0.16666666666666666*v[phi2];
	double t21 = c[15]*t20 +
		c[14]*(v[q_1]*0.12059523490113999-0.31830988148145367*v[q_2]+v[phi2]*(q[q_3]+k.x11));
	double t22 = 0.16666666666666666*t10 - (t7+t20)*t17 -
		c[23]*(q[q_3]*1.3333333333333333-q[q_4]*1.1666666666666667+k.x20*1.3333333333333333);
	f[6] = v[phi2]*t21 - t22;
	f[2] = 0.0;
	if (out->gamma) {
		double *gamma_ = out->gamma;
		double t23 = v[phi1]*v[phi1];
		gamma_[0] = v[phi2]*(k.cos_phi2*t11-k.x15*v[phi2]) - k.x13*t23;
		gamma_[1] = k.x12*t23 + v[phi2]*(k.sin_phi2*t11+k.x14*v[phi2]);
		gamma_[2] = 0.0;
	}
	if (out->g) {
		const double t = s->t;
		double *g = out->g;
		g[0] = k.x13 + k.x15;
		g[1] = -k.x12 - k.x14 + q[x3];
		g[2] = q[phi1] - t*c[Omega];
	}
	if (out->gt) {
		double *gt = out->gt;
		gt[2] = -c[Omega];
		gt[0] = gt[1] = 0.0;
	}
	(void)w;
}

static void constraints(const double *restrict c, const struct mbs_state *s, const struct mbs_constraints
	*out, double *w)
{
	const struct position k = position(c, s);
	constraint_matrix(k, out->G);
	const double t = s->t, *q = s->q;
	double *g = out->g;
	g[0] = k.x13 + k.x15;
	g[1] = -k.x12 - k.x14 + q[x3];
	g[2] = q[phi1] - t*c[Omega];
	if (out->gt) {
		double *gt = out->gt;
		gt[2] = -c[Omega];
		gt[0] = gt[1] = 0.0;
	}
	(void)w;
}

static void residual(const double *restrict c, const struct mbs_state *s, const struct mbs_residual *out,
	double *w)
{
	double M[16], f[7], G[8], gt[3], gamma_[3];
	const struct mbs_dynamics d_ = { .M = M, .f = f, .G = G, .gt = out->gv ? gt : 0, .gamma = out->ga ?
		gamma_ : 0, .zdot = out->zdot, .g = out->g };
	dynamics(c, s, &d_, w);
	Gt_times(G, s->lambda, out->r);
	const double *a = s->a;
	double *r = out->r;
	r[0] = M[0]*a[phi1] + M[1]*a[phi2] + M[2]*a[q_1] + M[3]*a[q_3] + M[4]*a[q_4] - f[0] + r[0];
	double t1 = a[phi1]*M[1] + a[phi2]*M[5] + a[q_1]*M[6] + M[7]*a[q_2] + a[q_3]*M[8] + a[q_4]*M[9] -
		f[1];
	r[1] = t1 + r[1];
	r[2] = M[10]*a[x3] + r[2];
	r[3] = a[phi1]*M[2] + a[phi2]*M[6] + a[q_1]*M[11] - f[3];
	r[4] = a[phi2]*M[7] + a[q_2]*M[11] - f[4];
	r[5] = a[phi1]*M[3] + a[phi2]*M[8] + a[q_3]*M[13] + a[q_4]*M[14] - f[5];
	r[6] = a[phi1]*M[4] + a[phi2]*M[9] + a[q_3]*M[14] + a[q_4]*M[15] - f[6] + r[6];
	if (out->gv) {
		G_times(G, s->v, out->gv);
		out->gv[2] += gt[2];
	}
	if (out->ga) {
		G_times(G, s->a, out->ga);
		out->ga[0] += gamma_[0];
		out->ga[1] += gamma_[1];
	}
	if (out->Gtmu)
		Gt_times(G, s->mu, out->Gtmu);
}

static void jacobian(const double *restrict c, const struct mbs_state *s, const struct mbs_jacobian *out,
	double *w)
{
	const struct position k = position(c, s);
	mass_matrix(c, s, k, out->M);
	constraint_matrix(k, out->G);
	const double *q = s->q, *v = s->v, *a = s->a, *lambda = s->lambda;
	double *rq = out->rq, *rv = out->rv;
	double t1 = 0.6366197629629073*v[phi1], t2 = v[phi1] - v[phi2], t3 = 0.6366197629629073*t2,
		t4 = t1 - t3, t5 = 0.6666666666666666*v[q_3], t6 = t5 + 0.16666666666666666*v[q_4],
		t7 = v[phi1] - t2, t8 = 0.6666666666666666*v[phi1], t9 = 0.6666666666666666*t2,
		t10 = t8 - t9, t11 = 0.16666666666666666*v[phi1], t12 = 0.16666666666666666*t2,
		t13 = t11 - t12;
	double t14 = c[13]*v[q_1]*t4 +
		v[phi2]*(c[13]*(0.6366197629629073*v[q_1]+q[q_3]*t10+q[q_4]*t13)+c[40]*t7);
	double t15 = (v[phi2]*(t6-q[q_1]*t4)+t6*t7)*k.x6 + k.x8*t14, t16 = k.x5*0.6366197629629073;
	double t17 = k.x18*a[phi2] +
		c[13]*(a[q_1]*t16-k.x8*(0.6666666666666666*a[q_3]+0.16666666666666666*a[q_4]));
	rq[0] = t15 - c[35]*k.sin_phi1 + k.x12*lambda[slider] - k.x13*lambda[height] + t17;
	double t18 = 0.6666666666666666*v[phi2], t19 = t9 + t18, t20 = 0.16666666666666666*v[phi2],
		t21 = t12 + t20, t22 = 0.6366197629629073*v[phi2], t23 = t3 + t22;
	double t24 = rq[1] = k.x18*a[phi1] -
		v[phi1]*(k.x8*(c[13]*(q[q_3]*t19+q[q_4]*t21)+c[40]*(v[phi2]+t2))-q[q_1]*t23*k.x6);
	double t25 = rq[2] = c[13]*(a[phi1]*t16-k.x8*v[phi1]*t23), t26 = k.x8*0.6666666666666666,
		t27 = k.x5*v[phi1], t28 = c[13]*(a[phi1]*t26+t19*t27);
	rq[3] = -t28;
	double t29 = k.x8*0.16666666666666666, t30 = c[13]*(a[phi1]*t29+t21*t27);
	rq[4] = -t30;
	rq[5] = -t15 - t17;
	double t31 = q[q_4] + c[l2];
	double t32 = t24 + k.sin_phi2*(0.6666666666666666*k.x17+t31*lambda[height]) -
		k.cos_phi2*(t31*lambda[slider]-c[21]*k.x7);
	rq[6] = -t32;
	double t33 = c[37]*k.sin_phi2 + t25;
	rq[7] = -t33;
	double t34 = rq[8] = t28 + c[41]*k.cos_phi2,
		t35 = rq[9] = k.cos_phi2*(lambda[height]+c[42]) + (t30+k.sin_phi2*lambda[slider]);
	rq[10] = -c[13]*(a[phi2]*t16+k.x8*v[phi2]*t4);
	double t36 = 0.5160245280617674*a[q_3] + 0.060297617450569996*a[q_4] - v[phi2]*v[q_1] -
		q[q_1]*a[phi2];
	rq[11] = -c[14]*t36 - t33;
	double t37 = c[14]*v[phi2], t38 = v[phi2]*t37, t39 = 0.5*t38;
	rq[12] = c[36] - t39;
	double t40 = c[14]*a[phi2], t41 = rq[20] = 0.5160245280617674*t40;
	rq[13] = -t41;
	double t42 = rq[25] = 0.060297617450569996*t40;
	rq[14] = -t42;
	rq[15] = c[14]*(0.15915494074072684*a[q_4]+v[phi2]*v[q_2]+q[q_2]*a[phi2]);
	rq[16] = c[38] - t39;
	double t43 = rq[17] = 0.15915494074072684*t40, t44 = k.x5*v[phi2];
	rq[18] = c[13]*(a[phi2]*t26-t10*t44);
	double t45 = 2.0*v[q_4], t46 = v[q_3]*16.0 + t45;
	rq[19] = t34 + 16.0*a[phi2]*(c[43]+c[14]*(q[q_3]+q[q_4]*0.125)) +
		c[14]*(0.5160245280617674*a[q_1]+v[phi2]*t46);
	rq[21] = c[44] - 8.0*t38;
	rq[22] = rq[27] = -c[45] - t38;
	rq[23] = c[13]*(a[phi2]*t29-t13*t44);
	double t47 = 2.0*v[q_3] + v[q_4]*4.0;
	double t48 = 2.0*a[phi2]*(c[46]+c[14]*(q[q_3]+k.x11)) +
		c[14]*(0.060297617450569996*a[q_1]-0.15915494074072684*a[q_2]+v[phi2]*t47);
	rq[24] = t48 + t35;
	rq[26] = -t43;
	rq[28] = c[47] - 2.0*t38;
	double t49 = t8 + t19, t50 = t11 + t21, t51 = v[phi1] + v[phi2], t52 = t1 + t23;
	rv[0] = k.x5*(c[13]*(q[q_3]*t49+q[q_4]*t50)+c[40]*(t2+t51)) + q[q_1]*t52*k.x10;
	rv[1] = t52*k.x6;
	rv[2] = -t49*k.x10;
	rv[3] = -t50*k.x10;
	double t53 = t10 + t18, t54 = t13 + t20, t55 = 0.3333333333333333*v[q_4], t56 = t4 + t22;
	double t57 = k.x5*(v[q_1]*1.2732395259258147+q[q_3]*t53+q[q_4]*t54) -
		k.x8*(t55+v[q_3]*1.3333333333333333-q[q_1]*t56);
	rv[4] = -c[13]*t57 - k.x5*c[40]*(t51-t2);
	rv[5] = c[14]*(q[q_1]*v[q_1]+q[q_2]*v[q_2]+q[q_3]*t46+q[q_4]*t47) + c[15]*(t5+t55);
	rv[6] = c[14]*(v[q_3]*1.0320490561235347+v[q_4]*0.12059523490113999-q[q_1]*v[phi2]);
	rv[7] = -c[14]*(0.31830988148145367*v[q_4]+q[q_2]*v[phi2]);
	double t58 = k.x11 + q[q_3]*16.0;
	rv[8] = -v[phi2]*c[48] - c[14]*(v[q_1]*1.0320490561235347+v[phi2]*t58);
	double t59 = q[q_3]*2.0 + q[q_4]*4.0;
	double t60 = v[phi2]*c[39] +
		c[14]*(v[q_1]*0.12059523490113999-0.31830988148145367*v[q_2]+v[phi2]*t59);
	rv[9] = -t60;
	rv[10] = -t56*k.x6;
	rv[11] = q[q_1]*t37;
	double t61 = rv[18] = 1.0320490561235347*t37;
	rv[12] = -t61;
	double t62 = rv[21] = 0.12059523490113999*t37;
	rv[13] = -t62;
	rv[14] = q[q_2]*t37;
	double t63 = rv[15] = 0.31830988148145367*t37;
	rv[16] = t53*k.x10;
	rv[17] = v[phi2]*(c[48]+c[14]*t58);
	rv[19] = t54*k.x10;
	rv[20] = v[phi2]*(c[39]+c[14]*t59);
	rv[22] = -t63;
	double t64 = k.x13*v[phi1], t65 = k.x12*v[phi1];
	if (out->gvq || out->gav) {
		double *gvq = out->gvq ? out->gvq : out->gav;
		gvq[0] = -t64;
		gvq[2] = k.cos_phi2*v[q_4] - k.x15*v[phi2];
		gvq[3] = k.x14*v[phi2] + k.sin_phi2*v[q_4];
		gvq[4] = k.cos_phi2*v[phi2];
		gvq[5] = k.sin_phi2*v[phi2];
		gvq[1] = t65;
	}
	if (out->gaq) {
		double *gaq = out->gaq;
		gaq[0] = -v[phi1]*t65 - k.x13*a[phi1];
		gaq[1] = k.x12*a[phi1] - v[phi1]*t64;
		double t66 = v[phi2]*t45 + t31*a[phi2], t67 = v[phi2]*v[phi2], t68 = a[q_4] - t31*t67;
		gaq[2] = k.cos_phi2*t68 - k.sin_phi2*t66;
		gaq[3] = k.sin_phi2*t68 + k.cos_phi2*t66;
		gaq[4] = k.cos_phi2*a[phi2] - k.sin_phi2*t67;
		gaq[5] = k.cos_phi2*t67 + k.sin_phi2*a[phi2];
	}
	if (out->gmuq) {
		const double *mu = s->mu;
		double *gmuq = out->gmuq;
		gmuq[0] = k.x12*mu[slider] - k.x13*mu[height];
		gmuq[1] = t31*(k.cos_phi2*mu[slider]-k.sin_phi2*mu[height]);
		gmuq[2] = gmuq[3] = k.sin_phi2*mu[slider] + k.cos_phi2*mu[height];
	}
	if (out->gaq)
		for (int i = 0; i < 6; i++)
			out->gav[i] = 2.0*(out->gvq ? out->gvq : out->gav)[i];
	(void)w;
}

static void energy(const double *restrict c, const struct mbs_state *s, double *E_, double *w)
{
	const struct position k = position(c, s);
	const double *q = s->q, *v = s->v;
	double t1 = q[q_1]*q[q_1], t2 = q[q_2]*q[q_2];
	double t3 = q[q_2]*0.15915494074072684*v[q_4] + q[q_3]*0.5160245280617674*v[q_1] +
		v[phi2]*(0.25*t1+0.25*t2+q[q_4]*q[q_4]+q[q_3]*(q[q_4]+q[q_3]*4.0));
	double t4 = t3 - q[q_1]*(0.5160245280617674*v[q_3]+0.060297617450569996*v[q_4]) +
		q[q_4]*(0.060297617450569996*v[q_1]-0.15915494074072684*v[q_2]);
	double t5 = c[31]*v[q_1] - c[32]*v[q_2] + c[14]*t4 - k.x9*v[phi1] +
		v[phi2]*(c[50]+c[15]*(q[q_4]*0.16666666666666666+q[q_3]*0.3333333333333333));
	double t6 = c[14]*(v[q_1]*v[q_1]*0.25+v[q_2]*v[q_2]*0.25+v[q_4]*v[q_4]+v[q_3]*(v[q_4]+v[q_3]*4.0));
	double t7 = k.x8*0.6366197629629073*v[q_1] +
		k.x5*(0.6666666666666666*v[q_3]+0.16666666666666666*v[q_4]);
	E_[0] = c[49]*v[x3]*v[x3] + v[phi2]*t5 + t6 + v[phi1]*(v[phi1]*c[26]+c[13]*t7);
	double t8 = k.sin_phi1*c[24] + k.sin_phi2*c[25] +
		c[51]*(k.sin_phi2*0.6666666666666666*k.x16+k.cos_phi2*c[17]*k.x7);
	double t9 = q[q_3]*2.6666666666666665*(k.x19*c[23]) - q[q_4]*1.3333333333333333*(k.x20*c[23]) +
		c[52]*t8;
	E_[1] = t9 + c[22]*(2.029356183125696*t1+32.469698930011134*t2);
	(void)w;
}

static void outputs(const double *restrict c, const struct mbs_state *s, double *y, double *w)
{
	const double *q = s->q;
	y[0] = q[q_1];
	(void)c, (void)w;
}

static void points(const double *restrict c, const struct mbs_state *s, double *xyz, double *w)
{
	const struct position k = position(c, s);
	const double *q = s->q;
	for (int i = 0; i < 60; i++)
		xyz[i] = 0.0;
	xyz[1] = xyz[4] = -0.02;
	double t1 = q[q_1]*7.653668754495396 + q[q_2]*14.142135787815809;
	xyz[15] = k.x12 + k.x14*0.125 - k.sin_phi2*t1;
	xyz[16] = k.x13 + k.x15*0.125 + k.cos_phi2*t1;
	double t2 = q[q_1]*14.142135787815809 + q[q_2]*19.999999999999996;
	xyz[18] = k.x12 + k.x14*0.25 - k.sin_phi2*t2;
	xyz[19] = k.x13 + k.x15*0.25 + k.cos_phi2*t2;
	double t3 = q[q_1]*18.477590783428862 + q[q_2]*14.142135131476365;
	xyz[21] = k.x12 + k.x14*0.375 - k.sin_phi2*t3;
	xyz[22] = k.x13 + k.x15*0.375 + k.cos_phi2*t3;
	double t4 = q[q_1]*19.999999999999996 - q[q_2]*9.282041333256964e-07;
	xyz[24] = k.x12 + k.x14*0.5 - k.sin_phi2*t4;
	xyz[25] = k.x13 + k.x15*0.5 + k.cos_phi2*t4;
	double t5 = q[q_1]*18.477590428220513 - q[q_2]*14.142136444155224;
	xyz[27] = k.x12 + k.x14*0.625 - k.sin_phi2*t5;
	xyz[28] = k.x13 + k.x15*0.625 + k.cos_phi2*t5;
	double t6 = q[q_1]*14.142135131476365 - q[q_2]*19.99999999999995;
	xyz[30] = k.x12 + k.x14*0.75 - k.sin_phi2*t6;
	xyz[31] = k.x13 + k.x15*0.75 + k.cos_phi2*t6;
	double t7 = q[q_1]*7.65366789694659 - q[q_2]*14.142134475136892;
	xyz[33] = k.x12 + k.x14*0.875 - k.sin_phi2*t7;
	xyz[34] = k.x13 + k.x15*0.875 + k.cos_phi2*t7;
	double t8 = q[q_1]*9.282041333256964e-07 - q[q_2]*1.856408266651391e-06;
	xyz[36] = k.x12 + k.x14 + k.sin_phi2*t8;
	xyz[37] = k.x13 + k.x15 - k.cos_phi2*t8;
	xyz[39] = xyz[48] = q[x3] - 0.025;
	xyz[40] = xyz[43] = -0.015;
	xyz[42] = xyz[45] = q[x3] + 0.025;
	xyz[0] = 0.1;
	xyz[3] = 0.5;
	xyz[9] = xyz[12] = xyz[54] = k.x12;
	xyz[10] = xyz[13] = xyz[55] = k.x13;
	xyz[46] = xyz[49] = 0.015;
	xyz[57] = q[x3];
	(void)w;
}

static const struct mbs_name param_names[] = { {"l1", "m", 16}, {"l2", "m", 16}, {"m1", "kg", 17},
	{"m2", "kg", 17}, {"m3", "kg", 17}, {"J1", "kg*m^2", 18}, {"J2", "kg*m^2", 18}, {"h", "m", 19},
	{"d", "m", 19}, {"rho", "kg/m^3", 19}, {"E", "N/m^2", 19}, {"Omega", "rad/s", 20},
	{"grav", "m/s^2", 20} };
static const struct mbs_name coord_names[] = { {"phi1", "rad", 22}, {"phi2", "rad", 22}, {"x3", "m", 22},
	{"q[1]", "m", 22}, {"q[2]", "m", 22}, {"q[3]", "m", 22}, {"q[4]", "m", 22} };
static const struct mbs_name output_names[] = { {"midpoint", "m", 73} };
static const struct mbs_name constraint_names[] = { {"height", "m", 57}, {"slider", "m", 58},
	{"drive", "rad", 59} };
static const struct mbs_shape shapes[] = { {"rail", 8, 0, 2, 0}, {"crank", 2, 2, 2, 0},
	{"rod", 1, 4, 9, 0}, {"block", 2, 13, 4, 0}, {"O", 3, 17, 1, 0}, {"A", 3, 18, 1, 0},
	{"B", 3, 19, 1, 0} };

static const int i0[] = { 0, 5, 10, 11, 12, 13, 15, 16 };
static const int i1[] = { 0, 1, 3, 5, 6, 1, 3, 4, 5, 6, 2, 3, 4, 5, 6, 6 };
static const int i2[] = { 0, 3, 5, 6, 6, 6, 6, 8 };
static const int i3[] = { 0, 1, 2, 0, 1, 1, 0, 1 };
static const int i4[] = { 0, 5, 10, 10, 15, 18, 23, 29 };
static const int i5[] = { 0, 1, 3, 5, 6, 0, 1, 3, 5, 6, 0, 1, 3, 5, 6, 1, 4, 6, 0, 1, 3, 5, 6, 0, 1, 3, 4,
	5, 6 };
static const int i6[] = { 0, 4, 10, 10, 14, 16, 19, 23 };
static const int i7[] = { 1, 3, 5, 6, 0, 1, 3, 4, 5, 6, 0, 1, 5, 6, 1, 6, 0, 1, 3, 0, 1, 3, 4 };
static const int i8[] = { 0, 2, 4, 4, 4, 4, 4, 6 };
static const int i9[] = { 0, 1, 0, 1, 0, 1 };
static const int i10[] = { 0, 1, 3, 3, 3, 3, 3, 4 };
static const int i11[] = { 0, 1, 6, 1 };

extern const struct mbs_model crank_model;
const struct mbs_model crank_model = {
	.abi = MBS_ABI,
	.name = "crank",
	.title = "Slider crank with elastic connecting rod",
	.source = "crank.mbs",
	.nq = 7, .nz = 0, .nu = 0, .ny = 1, .np = 13, .ng = 3, .nh = 0, .nc = 54, .nw = 0, .nl = 0,
	.coord = coord_names,
	.output = output_names,
	.param = param_names,
	.constraint = constraint_names,
	.nshape = 7, .npoint = 20, .shape = shapes,
	.q_init = (const unsigned char[]){ 2, 2, 2, 2, 2, 2, 2 },
	.v_init = (const unsigned char[]){ 2, 2, 2, 2, 2, 2, 2 },
	.M = { 7, 7, 16, i0, i1 },
	.G = { 3, 7, 8, i2, i3 },
	.rq = { 7, 7, 29, i4, i5 },
	.rv = { 7, 7, 23, i6, i7 },
	.gvq = { 3, 7, 6, i8, i9 },
	.gaq = { 3, 7, 6, i8, i9 },
	.gav = { 3, 7, 6, i8, i9 },
	.gmuq = { 7, 7, 4, i10, i11 },
	.experiment = { NAN, 0.1, 1e-08, NAN, NAN, NAN, "radau5", "index2" },
	.defaults = defaults, .setup = setup, .initial = initial, .dynamics = dynamics,
		.constraints = constraints, .residual = residual, .jacobian = jacobian, .energy = energy,
		.outputs = outputs, .points = points,
};
