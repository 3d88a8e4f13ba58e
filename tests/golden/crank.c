/* SPDX-License-Identifier: 0BSD
 *
 * crank: Slider crank with elastic connecting rod
 * Made by mbsc X from crank.mbs.  This file carries no obligation: use it as you like.
 *
 *   coordinates  phi1, phi2, x3, q[1], q[2], q[3], q[4]
 *   outputs      midpoint
 *   constraints  height, slider, drive
 *
 *   operations       + -       *       /    sqrt sin,cos   other
 *   dynamics          80     133       0       0       4       0
 *   constraints        5       5       0       0       4       0
 *   residual          49      57       0       0       0       0
 *   jacobian         138     257       0       0       4       0
 *   energy            41      76       0       0       4       0
 *   outputs            0       0       0       0       0       0
 *   points            43      50       0       0       4       0
 *   setup              3      52       1       0       0       0
 *   factor            50      86       9       0       0       0
 *   solve             50      60       0       0       0       0
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
	double t1 = c[49] = p[l2]*p[m2];
	c[13] = p[l1]*t1;
	double t2 = p[h]*p[d], t3 = c[15] = p[l2]*t2, t4 = c[14] = p[rho]*t3, t5 = 1.0/p[l2],
		t6 = c[17] = t2*(p[E]*t5), t7 = c[16] = t5*t5*(t6*(p[h]*p[h])), t8 = c[18] = p[l2]*t4;
	c[19] = p[l1]*t4;
	double t9 = c[20] = p[grav]*t4;
	c[21] = p[rho]*p[grav];
	double t10 = c[22] = p[grav]*t1, t11 = p[m1] + p[m2]*2.0, t12 = c[48] = p[l1]*t11;
	c[23] = p[grav]*t12;
	double t13 = p[l1]*p[m2];
	c[24] = p[J1] + p[l1]*t13;
	c[25] = 0.5*t4;
	c[26] = 8.0*t4;
	c[27] = 2.0*t4;
	double t14 = p[l1]*0.5;
	c[28] = t1*t14;
	c[29] = 0.31830988148145367*t8;
	c[30] = 0.15915494074072684*t8;
	c[31] = 0.15915494074072684*t4;
	c[32] = 0.5160245280617674*t4;
	c[33] = p[grav]*t11*t14;
	c[34] = 0.75*t10;
	c[35] = 4.058712366251392*t7;
	c[36] = 0.6366197629629073*t9;
	c[37] = 64.93939786002227*t7;
	c[38] = 1.0320490561235347*t4;
	c[39] = 0.3333333333333333*t8;
	c[40] = 0.6666666666666666*t9;
	c[41] = 0.16666666666666666*t9;
	c[42] = 0.041666666666666664*t8;
	c[43] = 5.333333333333333*t6;
	c[44] = 2.6666666666666665*t6;
	c[45] = 0.16666666666666666*t8;
	c[46] = 2.3333333333333335*t6;
	c[47] = 0.6666666666666666*t8;
	c[50] = p[J1]*0.5 + t14*t13;
	c[51] = p[m3]*0.5;
	c[52] = p[J2]*0.5;
	c[53] = p[rho]*2.0;
	c[54] = p[grav]*0.5;
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

static void dynamics(const double *restrict c, const struct mbs_state *s, const struct mbs_dynamics *out,
	double *restrict w)
{
	const double *q = s->q, *v = s->v;
	double *M = out->M, *f = out->f, *G = out->G;
	double cos_phi1 = cos(q[phi1]), sin_phi1 = sin(q[phi1]), sin_phi2 = G[6] = sin(q[phi2]),
		cos_phi2 = cos(q[phi2]), t1 = cos_phi1*sin_phi2 - sin_phi1*cos_phi2, t2 = t1*c[19],
		t3 = q[q_1]*0.6366197629629073, t4 = sin_phi1*sin_phi2 + cos_phi1*cos_phi2,
		t5 = q[q_3]*0.6666666666666666, t6 = t5 + q[q_4]*0.16666666666666666, t7 = c[28] + c[19]*t6;
	M[1] = t4*t7 - t2*t3;
	double t8 = t4*c[19];
	M[2] = t8*0.6366197629629073;
	M[3] = t2*0.6666666666666666;
	M[4] = t2*0.16666666666666666;
	double t9 = q[q_4]*2.0, t10 = q[q_3]*8.0;
	M[5] = c[J2] + c[14]*(q[q_1]*q[q_1]*0.5+q[q_2]*q[q_2]*0.5+q[q_4]*t9+q[q_3]*(t10+t9)) +
		c[18]*(t5+q[q_4]*0.3333333333333333);
	M[6] = c[29] + c[14]*(q[q_3]*0.5160245280617674+q[q_4]*0.060297617450569996);
	M[7] = -c[30] - c[31]*q[q_4];
	M[8] = -c[32]*q[q_1];
	M[9] = c[14]*(q[q_2]*0.15915494074072684-q[q_1]*0.060297617450569996);
	double t11 = v[phi1] - v[phi2], t12 = t11*0.6366197629629073, t13 = v[phi1]*0.6366197629629073 - t12,
		t14 = v[q_3]*0.6666666666666666, t15 = t14 + v[q_4]*0.16666666666666666, t16 = v[phi1] - t11;
	double t17 = v[phi2]*(c[19]*(v[q_1]*0.6366197629629073+t6*t16)+c[13]*(v[phi1]*0.5-t11*0.5)) +
		v[q_1]*c[19]*t13;
	f[0] = -c[33]*cos_phi1 - t8*(v[phi2]*(t15-q[q_1]*t13)+t15*t16) + t1*t17;
	double t18 = sin_phi2*c[20], t19 = v[q_4]*2.0;
	double t20 = q[q_1]*v[q_1] + q[q_2]*v[q_2] + q[q_3]*(v[q_3]*16.0+t19) +
		q[q_4]*(v[q_3]*2.0+v[q_4]*4.0);
	double t21 = v[phi1]*(t8*t3+t1*t7);
	double t22 = cos_phi2*0.6666666666666666*(c[15]*(q[q_3]+q[q_4]*0.25)*c[21]+c[34]) - t18*t3 +
		v[phi2]*(c[14]*t20+t21+c[18]*(t14+v[q_4]*0.3333333333333333));
	f[1] = -t22 - t11*t21;
	double t23 = v[phi2]*0.5, t24 = v[phi2]*c[14];
	double t25 = c[35]*q[q_1] + c[36]*cos_phi2 -
		(q[q_1]*t23-v[q_3]*1.0320490561235347-v[q_4]*0.12059523490113999)*t24;
	f[3] = -t25 - v[phi1]*t2*(t12+v[phi2]*0.6366197629629073);
	f[4] = (q[q_2]*t23+v[q_4]*0.31830988148145367)*t24 - c[37]*q[q_2];
	double t26 = v[phi1]*t8, t27 = 0.6666666666666666*t26;
	double t28 = q[q_3]*2.6666666666666665 - q[q_4]*1.3333333333333333 +
		(q[q_3]-q[q_4]*0.5)*2.6666666666666665;
	double t29 = 0.6666666666666666*t18 - t11*t27 -
		v[phi2]*(t27+c[38]*v[q_1]+v[phi2]*(c[39]+c[14]*(q[q_4]+t10)));
	f[5] = -t29 - c[17]*t28;
	double t30 = v[phi2]*0.16666666666666666;
	double t31 = q[q_3]*1.3333333333333333 - q[q_4]*1.1666666666666667 +
		(q[q_3]-q[q_4]*0.875)*1.3333333333333333;
	double t32 = c[18]*t30 +
		c[14]*(v[q_1]*0.12059523490113999-v[q_2]*0.31830988148145367+v[phi2]*(q[q_3]+t9));
	double t33 = 0.16666666666666666*t18 - (t30+t11*0.16666666666666666)*t26 - c[17]*t31 - v[phi2]*t32;
	f[6] = -t33;
	double t34 = G[0] = cos_phi1*c[l1], t35 = G[1] = sin_phi1*c[l1], t36 = q[q_4] + c[l2],
		t37 = G[3] = cos_phi2*t36, t38 = G[4] = sin_phi2*t36;
	G[7] = -cos_phi2;
	M[0] = c[24];
	M[10] = c[m3];
	M[11] = M[12] = c[25];
	M[13] = c[26];
	M[14] = c[14];
	M[15] = c[27];
	f[2] = 0.0;
	G[2] = G[5] = 1.0;
	if (out->gamma) {
		double *gamma_ = out->gamma;
		double t39 = v[phi1]*v[phi1];
		gamma_[0] = v[phi2]*(cos_phi2*t19-v[phi2]*t38) - t35*t39;
		gamma_[1] = t34*t39 + v[phi2]*(sin_phi2*t19+v[phi2]*t37);
		gamma_[2] = 0.0;
	}
	if (out->g) {
		const double t = s->t;
		double *g = out->g;
		g[0] = t35 + t38;
		g[1] = q[x3] - t34 - t37;
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
	*out, double *restrict w)
{
	const double t = s->t, *q = s->q;
	double *g = out->g, *G = out->G;
	double sin_phi1 = sin(q[phi1]), cos_phi1 = cos(q[phi1]), sin_phi2 = G[6] = sin(q[phi2]),
		cos_phi2 = cos(q[phi2]), t1 = G[1] = sin_phi1*c[l1], t2 = q[q_4] + c[l2],
		t3 = G[4] = sin_phi2*t2;
	g[0] = t1 + t3;
	double t4 = G[0] = cos_phi1*c[l1], t5 = G[3] = cos_phi2*t2;
	g[1] = q[x3] - t4 - t5;
	g[2] = q[phi1] - t*c[Omega];
	G[7] = -cos_phi2;
	G[2] = G[5] = 1.0;
	if (out->gt) {
		double *gt = out->gt;
		gt[2] = -c[Omega];
		gt[0] = gt[1] = 0.0;
	}
	(void)w;
}

static void residual(const double *restrict c, const struct mbs_state *s, const struct mbs_residual *out,
	double *restrict w)
{
	double M[16], f[7], G[8], gt[3], gamma_[3];
	const struct mbs_dynamics d_ = { .M = M, .f = f, .G = G, .gt = out->gv ? gt : 0, .gamma = out->ga ?
		gamma_ : 0, .zdot = out->zdot, .g = out->g };
	dynamics(c, s, &d_, w);
	const double *a = s->a, *lambda = s->lambda;
	double *r = out->r;
	double t1 = M[0]*a[phi1] + M[1]*a[phi2] + M[2]*a[q_1] + M[3]*a[q_3] + M[4]*a[q_4] - f[0] +
		lambda[height]*G[0];
	r[0] = t1 + lambda[slider]*G[1] + lambda[drive]*G[2];
	double t2 = a[phi1]*M[1] + a[phi2]*M[5] + a[q_1]*M[6] + M[7]*a[q_2] + a[q_3]*M[8] + a[q_4]*M[9] -
		f[1];
	r[1] = t2 + lambda[height]*G[3] + lambda[slider]*G[4];
	r[2] = M[10]*a[x3] + lambda[slider]*G[2];
	r[3] = a[phi1]*M[2] + a[phi2]*M[6] + a[q_1]*M[11] - f[3];
	r[4] = a[phi2]*M[7] + a[q_2]*M[11] - f[4];
	r[5] = a[phi1]*M[3] + a[phi2]*M[8] + a[q_3]*M[13] + a[q_4]*M[14] - f[5];
	double t3 = a[phi1]*M[4] + a[phi2]*M[9] + a[q_3]*M[14] + a[q_4]*M[15] - f[6] + lambda[height]*G[6];
	r[6] = t3 + lambda[slider]*G[7];
	if (out->gv) {
		const double *v = s->v;
		double *gv = out->gv;
		gv[0] = v[phi1]*G[0] + v[phi2]*G[3] + v[q_4]*G[6];
		gv[1] = v[phi1]*G[1] + v[phi2]*G[4] + G[2]*v[x3] + v[q_4]*G[7];
		gv[2] = v[phi1]*G[2] + gt[2];
	}
	if (out->ga) {
		double *ga = out->ga;
		ga[2] = a[phi1]*G[2];
		ga[0] = a[phi1]*G[0] + a[phi2]*G[3] + a[q_4]*G[6] + gamma_[0];
		ga[1] = a[phi1]*G[1] + a[phi2]*G[4] + G[2]*a[x3] + a[q_4]*G[7] + gamma_[1];
	}
	if (out->Gtmu) {
		const double *mu = s->mu;
		double *Gtmu = out->Gtmu;
		Gtmu[0] = mu[height]*G[0] + mu[slider]*G[1] + mu[drive]*G[2];
		Gtmu[1] = mu[height]*G[3] + mu[slider]*G[4];
		Gtmu[2] = mu[slider]*G[2];
		Gtmu[6] = mu[height]*G[6] + mu[slider]*G[7];
		Gtmu[3] = Gtmu[4] = Gtmu[5] = 0.0;
	}
}

static void jacobian(const double *restrict c, const struct mbs_state *s, const struct mbs_jacobian *out,
	double *restrict w)
{
	const double *q = s->q, *v = s->v, *a = s->a, *lambda = s->lambda;
	double *rq = out->rq, *rv = out->rv, *M = out->M, *G = out->G;
	double sin_phi1 = sin(q[phi1]), cos_phi1 = cos(q[phi1]), sin_phi2 = G[6] = sin(q[phi2]),
		cos_phi2 = cos(q[phi2]), t1 = cos_phi1*sin_phi2 - sin_phi1*cos_phi2, t2 = t1*c[19],
		t3 = v[phi1]*0.6366197629629073, t4 = v[phi1] - v[phi2], t5 = t4*0.6366197629629073,
		t6 = t3 - t5, t7 = v[q_3]*0.6666666666666666, t8 = t7 + v[q_4]*0.16666666666666666,
		t9 = v[phi1] - t4, t10 = sin_phi1*sin_phi2 + cos_phi1*cos_phi2,
		t11 = q[q_3]*0.6666666666666666, t12 = t11 + q[q_4]*0.16666666666666666, t13 = v[phi1]*0.5,
		t14 = t4*0.5, t15 = t13 - t14;
	double t16 = t2*(v[phi2]*(t8-q[q_1]*t6)+t8*t9) +
		t10*(v[phi2]*(c[19]*(v[q_1]*0.6366197629629073+t12*t9)+c[13]*t15)+v[q_1]*c[19]*t6);
	double t17 = t10*c[19], t18 = q[q_1]*0.6366197629629073, t19 = c[19]*t12, t20 = c[28] + t19,
		t21 = t17*t18 + t1*t20, t22 = t1*0.6366197629629073;
	double t23 = a[phi2]*t21 +
		c[19]*(a[q_1]*t22-t10*(a[q_3]*0.6666666666666666+a[q_4]*0.16666666666666666));
	rq[0] = t16 - c[33]*sin_phi1 + c[l1]*(cos_phi1*lambda[slider]-sin_phi1*lambda[height]) + t23;
	double t24 = v[phi2]*0.5, t25 = t14 + t24, t26 = v[phi2]*0.6366197629629073, t27 = t5 + t26,
		t28 = rq[1] = a[phi1]*t21 - v[phi1]*(t10*(t19*(v[phi2]+t4)+c[13]*t25)-q[q_1]*t2*t27),
		t29 = rq[2] = c[19]*(a[phi1]*t22-t10*v[phi1]*t27), t30 = t10*a[phi1],
		t31 = v[phi2]*0.6666666666666666, t32 = t4*0.6666666666666666, t33 = t1*v[phi1],
		t34 = c[19]*(0.6666666666666666*t30+(t31+t32)*t33);
	rq[3] = -t34;
	double t35 = v[phi2]*0.16666666666666666, t36 = t4*0.16666666666666666,
		t37 = c[19]*(0.16666666666666666*t30+(t35+t36)*t33);
	rq[4] = -t37;
	rq[5] = -t16 - t23;
	double t38 = q[q_4] + c[l2];
	double t39 =
		sin_phi2*(0.6666666666666666*(c[15]*(q[q_3]+q[q_4]*0.25)*c[21]+c[34])+t38*lambda[height]);
	rq[6] = -t28 - t39 + cos_phi2*(t38*lambda[slider]-c[20]*t18);
	double t40 = c[36]*sin_phi2 + t29;
	rq[7] = -t40;
	double t41 = rq[8] = t34 + c[40]*cos_phi2,
		t42 = rq[9] = cos_phi2*(lambda[height]+c[41]) + (sin_phi2*lambda[slider]+t37);
	rq[10] = -c[19]*(a[phi2]*t22+t10*v[phi2]*t6);
	double t43 = a[q_3]*0.5160245280617674 + a[q_4]*0.060297617450569996 - v[phi2]*v[q_1] -
		a[phi2]*q[q_1];
	rq[11] = -c[14]*t43 - t40;
	double t44 = v[phi2]*c[14], t45 = v[phi2]*t44, t46 = 0.5*t45;
	rq[12] = c[35] - t46;
	double t47 = a[phi2]*c[14], t48 = rq[20] = 0.5160245280617674*t47;
	rq[13] = -t48;
	double t49 = rq[25] = 0.060297617450569996*t47;
	rq[14] = -t49;
	rq[15] = c[14]*(a[q_4]*0.15915494074072684+v[phi2]*v[q_2]+a[phi2]*q[q_2]);
	rq[16] = c[37] - t46;
	double t50 = rq[17] = 0.15915494074072684*t47, t51 = t10*a[phi2], t52 = v[phi1]*0.6666666666666666,
		t53 = t1*v[phi2];
	rq[18] = c[19]*(0.6666666666666666*t51-(t52-t32)*t53);
	double t54 = v[q_4]*2.0, t55 = v[q_3]*16.0 + t54;
	rq[19] = t41 + a[phi2]*(c[42]+c[14]*(q[q_3]+q[q_4]*0.125))*16.0 +
		c[14]*(a[q_1]*0.5160245280617674+v[phi2]*t55);
	rq[21] = c[43] - 8.0*t45;
	rq[22] = rq[27] = -t45 - c[44];
	double t56 = v[phi1]*0.16666666666666666;
	rq[23] = c[19]*(0.16666666666666666*t51-(t56-t36)*t53);
	double t57 = q[q_4]*2.0, t58 = v[q_3]*2.0 + v[q_4]*4.0;
	double t59 = a[phi2]*2.0*(c[45]+c[14]*(q[q_3]+t57)) +
		c[14]*(a[q_1]*0.060297617450569996-a[q_2]*0.15915494074072684+v[phi2]*t58);
	rq[24] = t59 + t42;
	rq[26] = -t50;
	double t60 = v[phi2]*2.0;
	rq[28] = c[46] - t44*t60;
	double t61 = t31 + t52, t62 = t32 + t61, t63 = t35 + t56, t64 = t36 + t63, t65 = t3 + t27;
	rv[0] = t1*(c[19]*(q[q_3]*t62+q[q_4]*t64)+c[13]*(t13+t25)) + q[q_1]*t17*t65;
	rv[1] = t2*t65;
	rv[2] = -t17*t62;
	rv[3] = -t17*t64;
	double t66 = t61 - t32, t67 = t63 - t36, t68 = v[q_4]*0.3333333333333333, t69 = t6 + t26;
	double t70 = t1*(v[q_1]*1.2732395259258147+q[q_3]*t66+q[q_4]*t67) -
		t10*(v[q_3]*1.3333333333333333+t68-q[q_1]*t69);
	rv[4] = -c[19]*t70 - t1*c[13]*(t15+t24);
	rv[5] = c[14]*(q[q_1]*v[q_1]+q[q_2]*v[q_2]+q[q_3]*t55+q[q_4]*t58) + c[18]*(t7+t68);
	rv[6] = c[14]*(v[q_3]*1.0320490561235347+v[q_4]*0.12059523490113999-v[phi2]*q[q_1]);
	rv[7] = -c[14]*(v[q_4]*0.31830988148145367+v[phi2]*q[q_2]);
	double t71 = rv[17] = v[phi2]*(c[47]+c[14]*(t57+q[q_3]*16.0));
	rv[8] = -t71 - c[38]*v[q_1];
	double t72 = q[q_3]*2.0 + q[q_4]*4.0;
	double t73 = v[phi2]*c[39] +
		c[14]*(v[q_1]*0.12059523490113999-v[q_2]*0.31830988148145367+v[phi2]*t72);
	rv[9] = -t73;
	rv[10] = -t2*t69;
	rv[11] = q[q_1]*t44;
	double t74 = rv[18] = t44*1.0320490561235347;
	rv[12] = -t74;
	double t75 = rv[21] = t44*0.12059523490113999;
	rv[13] = -t75;
	rv[14] = q[q_2]*t44;
	double t76 = rv[15] = t44*0.31830988148145367;
	rv[16] = t17*t66;
	rv[19] = t17*t67;
	rv[20] = v[phi2]*(c[39]+c[14]*t72);
	rv[22] = -t76;
	M[1] = t10*t20 - t2*t18;
	M[2] = t17*0.6366197629629073;
	M[3] = t2*0.6666666666666666;
	M[4] = 0.16666666666666666*t2;
	double t77 = c[J2] + c[14]*(q[q_1]*q[q_1]*0.5+q[q_2]*q[q_2]*0.5+q[q_4]*t57+q[q_3]*(t57+q[q_3]*8.0));
	M[5] = t77 + c[18]*(t11+q[q_4]*0.3333333333333333);
	M[6] = c[29] + c[14]*(q[q_3]*0.5160245280617674+q[q_4]*0.060297617450569996);
	M[7] = -c[30] - c[31]*q[q_4];
	M[8] = -c[32]*q[q_1];
	M[9] = c[14]*(q[q_2]*0.15915494074072684-q[q_1]*0.060297617450569996);
	G[0] = cos_phi1*c[l1];
	G[1] = sin_phi1*c[l1];
	double t78 = G[3] = cos_phi2*t38, t79 = G[4] = sin_phi2*t38;
	G[7] = -cos_phi2;
	double t80 = v[phi1]*c[l1], t81 = sin_phi1*t80, t82 = cos_phi1*t80, t83 = sin_phi2*v[phi2],
		t84 = cos_phi2*v[phi2];
	M[0] = c[24];
	M[10] = c[m3];
	M[11] = M[12] = c[25];
	M[13] = c[26];
	M[14] = c[14];
	M[15] = c[27];
	G[2] = G[5] = 1.0;
	if (out->gvq) {
		double *gvq = out->gvq;
		gvq[0] = -t81;
		gvq[2] = cos_phi2*v[q_4] - t38*t83;
		gvq[3] = sin_phi2*v[q_4] + t38*t84;
		gvq[1] = t82;
		gvq[4] = t84;
		gvq[5] = t83;
	}
	if (out->gaq) {
		double *gaq = out->gaq, *gav = out->gav;
		double t85 = v[phi1]*v[phi1];
		gaq[0] = -c[l1]*(cos_phi1*t85+sin_phi1*a[phi1]);
		gaq[1] = c[l1]*(cos_phi1*a[phi1]-sin_phi1*t85);
		double t86 = v[q_4]*t60 + a[phi2]*t38, t87 = a[q_4] - v[phi2]*v[phi2]*t38;
		gaq[2] = cos_phi2*t87 - sin_phi2*t86;
		gaq[3] = sin_phi2*t87 + cos_phi2*t86;
		gaq[4] = cos_phi2*a[phi2] - v[phi2]*t83;
		gaq[5] = v[phi2]*t84 + sin_phi2*a[phi2];
		gav[0] = -2.0*t81;
		gav[1] = 2.0*t82;
		gav[2] = cos_phi2*t54 - t79*t60;
		gav[3] = sin_phi2*t54 + t78*t60;
		gav[4] = cos_phi2*t60;
		gav[5] = sin_phi2*t60;
	}
	if (out->gmuq) {
		const double *mu = s->mu;
		double *gmuq = out->gmuq;
		gmuq[0] = c[l1]*(cos_phi1*mu[slider]-sin_phi1*mu[height]);
		gmuq[1] = t38*(cos_phi2*mu[slider]-sin_phi2*mu[height]);
		gmuq[2] = gmuq[3] = sin_phi2*mu[slider] + cos_phi2*mu[height];
	}
	(void)w;
}

static void energy(const double *restrict c, const struct mbs_state *s, double *E_, double *restrict w)
{
	const double *q = s->q, *v = s->v;
	double cos_phi1 = cos(q[phi1]), sin_phi1 = sin(q[phi1]), sin_phi2 = sin(q[phi2]),
		cos_phi2 = cos(q[phi2]), t1 = v[q_2]*0.15915494074072684, t2 = q[q_1]*q[q_1],
		t3 = q[q_2]*q[q_2];
	double t4 = q[q_2]*v[q_4]*0.15915494074072684 - q[q_4]*t1 +
		v[phi2]*(0.25*t2+0.25*t3+q[q_4]*q[q_4]+q[q_3]*(q[q_4]+q[q_3]*4.0));
	double t5 = t4 - q[q_1]*(v[q_3]*0.5160245280617674+v[q_4]*0.060297617450569996) +
		v[q_1]*(q[q_3]*0.5160245280617674+q[q_4]*0.060297617450569996);
	double t6 = q[q_4]*0.16666666666666666, t7 = cos_phi1*sin_phi2 - sin_phi1*cos_phi2,
		t8 = q[q_1]*0.6366197629629073, t9 = sin_phi1*sin_phi2 + cos_phi1*cos_phi2;
	double t10 = c[52]*v[phi2] + c[14]*t5 +
		c[18]*(v[q_1]*0.31830988148145367-t1+v[phi2]*(t6+q[q_3]*0.3333333333333333));
	double t11 = c[14]*(v[q_1]*v[q_1]*0.25+v[q_2]*v[q_2]*0.25+v[q_4]*v[q_4]+v[q_3]*(v[q_4]+v[q_3]*4.0));
	double t12 = t9*v[q_1]*0.6366197629629073 + t7*(v[q_3]*0.6666666666666666+v[q_4]*0.16666666666666666);
	double t13 = c[51]*v[x3]*v[x3] +
		v[phi2]*(t10-v[phi1]*(t7*c[19]*t8-t9*(c[28]+c[19]*(q[q_3]*0.6666666666666666+t6))));
	E_[0] = t13 + t11 + v[phi1]*(v[phi1]*c[50]+c[19]*t12);
	double t14 = sin_phi1*c[48] + sin_phi2*c[49] +
		c[53]*(sin_phi2*(c[15]*(q[q_3]+q[q_4]*0.25))*0.6666666666666666+cos_phi2*c[15]*t8);
	double t15 = q[q_3]*(c[17]*(q[q_3]-q[q_4]*0.5))*2.6666666666666665 -
		q[q_4]*(c[17]*(q[q_3]-q[q_4]*0.875))*1.3333333333333333;
	E_[1] = t15 + c[54]*t14 + c[16]*(2.029356183125696*t2+32.469698930011134*t3);
	(void)w;
}

static void outputs(const double *restrict c, const struct mbs_state *s, double *y, double *restrict w)
{
	const double *q = s->q;
	y[0] = q[q_1];
	(void)c, (void)w;
}

static void points(const double *restrict c, const struct mbs_state *s, double *xyz, double *restrict w)
{
	const double *q = s->q;
	double cos_phi1 = cos(q[phi1]), sin_phi1 = sin(q[phi1]), sin_phi2 = sin(q[phi2]),
		cos_phi2 = cos(q[phi2]);
	xyz[1] = xyz[4] = -0.02;
	double t1 = xyz[9] = xyz[12] = xyz[54] = cos_phi1*c[l1],
		t2 = xyz[10] = xyz[13] = xyz[55] = sin_phi1*c[l1],
		t3 = q[q_1]*7.653668754495396 + q[q_2]*14.142135787815809, t4 = q[q_4] + c[l2],
		t5 = cos_phi2*t4;
	xyz[15] = t1 - sin_phi2*t3 + t5*0.125;
	double t6 = sin_phi2*t4;
	xyz[16] = t2 + cos_phi2*t3 + t6*0.125;
	double t7 = q[q_1]*14.142135787815809 + q[q_2]*19.999999999999996;
	xyz[18] = t1 - sin_phi2*t7 + t5*0.25;
	xyz[19] = t2 + cos_phi2*t7 + t6*0.25;
	double t8 = q[q_1]*18.477590783428862 + q[q_2]*14.142135131476365;
	xyz[21] = t1 - sin_phi2*t8 + t5*0.375;
	xyz[22] = t2 + cos_phi2*t8 + t6*0.375;
	double t9 = q[q_1]*19.999999999999996 - q[q_2]*9.282041333256964e-07;
	xyz[24] = t1 - sin_phi2*t9 + t5*0.5;
	xyz[25] = t2 + cos_phi2*t9 + t6*0.5;
	double t10 = q[q_1]*18.477590428220513 - q[q_2]*14.142136444155224;
	xyz[27] = t1 - sin_phi2*t10 + t5*0.625;
	xyz[28] = t2 + cos_phi2*t10 + t6*0.625;
	double t11 = q[q_1]*14.142135131476365 - q[q_2]*19.99999999999995;
	xyz[30] = t1 - sin_phi2*t11 + t5*0.75;
	xyz[31] = t2 + cos_phi2*t11 + t6*0.75;
	double t12 = q[q_1]*7.65366789694659 - q[q_2]*14.142134475136892;
	xyz[33] = t1 - sin_phi2*t12 + t5*0.875;
	xyz[34] = t2 + cos_phi2*t12 + t6*0.875;
	double t13 = q[q_1]*9.282041333256964e-07 - q[q_2]*1.856408266651391e-06;
	xyz[36] = t1 + t5 + sin_phi2*t13;
	xyz[37] = t2 + t6 - cos_phi2*t13;
	xyz[39] = xyz[48] = q[x3] - 0.025;
	xyz[40] = xyz[43] = -0.015;
	xyz[42] = xyz[45] = q[x3] + 0.025;
	xyz[0] = 0.1;
	xyz[2] = xyz[5] = xyz[6] = xyz[7] = xyz[8] = xyz[11] = xyz[14] = xyz[17] = xyz[20] = 0.0;
	xyz[23] = xyz[26] = xyz[29] = xyz[32] = xyz[35] = xyz[38] = xyz[41] = xyz[44] = xyz[47] = 0.0;
	xyz[50] = xyz[51] = xyz[52] = xyz[53] = xyz[56] = xyz[58] = xyz[59] = 0.0;
	xyz[3] = 0.5;
	xyz[46] = xyz[49] = 0.015;
	xyz[57] = q[x3];
	(void)w;
}

static int factor(const double *restrict M, const double *restrict G, double *restrict l)
{
	if (!(M[10] > 0)) return 3;
	if (!(M[11] > 0)) return 5;
	if (!(M[11] > 0)) return 4;
	double t1 = l[3] = 1.0/M[10], t2 = l[6] = 1.0/M[11], t3 = l[7] = M[7]*t2, t4 = l[4] = M[2]*t2,
		t5 = l[5] = M[6]*t2, t6 = M[0] - M[2]*t4;
	if (!(t6 > 1e-7*M[0])) return 1;
	double t7 = M[1] - M[2]*t5, t8 = l[0] = 1.0/t6, t9 = l[1] = t7*t8, t10 = l[8] = M[3]*t8,
		t11 = l[11] = M[4]*t8, t12 = M[5] - M[7]*t3 - M[6]*t5 - t7*t9;
	if (!(t12 > 1e-7*M[5])) return 2;
	double t13 = M[8] - t7*t10, t14 = M[9] - t7*t11, t15 = l[2] = 1.0/t12, t16 = l[9] = t13*t15,
		t17 = l[12] = t14*t15, t18 = M[13] - M[3]*t10 - t13*t16;
	if (!(t18 > 1e-7*M[13])) return 6;
	double t19 = M[14] - M[3]*t11 - t13*t17, t20 = l[10] = 1.0/t18, t21 = l[13] = t19*t20,
		t22 = M[15] - M[4]*t11 - t14*t17 - t19*t21;
	if (!(t22 > 1e-7*M[15])) return 7;
	double t23 = l[14] = 1.0/t22, t24 = l[15] = G[0]*t8, t25 = G[3] - G[0]*t9, t26 = l[18] = t15*t25,
		t27 = -G[0]*t10 - t16*t25, t28 = l[22] = t20*t27, t29 = G[6] - G[0]*t11 - t17*t25 - t21*t27,
		t30 = l[25] = t23*t29, t31 = l[21] = G[2]*t1, t32 = l[16] = G[1]*t8, t33 = G[4] - G[1]*t9,
		t34 = l[19] = t15*t33, t35 = -G[1]*t10 - t16*t33, t36 = l[23] = t20*t35,
		t37 = G[7] - G[1]*t11 - t17*t33 - t21*t35, t38 = l[26] = t23*t37, t39 = l[17] = G[2]*t8,
		t40 = -G[2]*t9, t41 = l[20] = t15*t40, t42 = -G[2]*t10 - t16*t40, t43 = l[24] = t20*t42,
		t44 = -G[2]*t11 - t17*t40 - t21*t42, t45 = l[27] = t23*t44,
		t46 = G[0]*t24 + t25*t26 + t27*t28 + t29*t30;
	if (!(t46 > 0)) return 8;
	double t47 = G[0]*t32 + t25*t34 + t27*t36 + t29*t38,
		t48 = G[1]*t32 + t33*t34 + t35*t36 + t37*t38 + G[2]*t31,
		t49 = G[0]*t39 + t25*t41 + t27*t43 + t29*t45, t50 = G[2]*t39 + t40*t41 + t42*t43 + t44*t45,
		t51 = l[28] = 1.0/t46, t52 = l[29] = t47*t51, t53 = l[31] = t49*t51, t54 = t48 - t47*t52;
	if (!(t54 > 1e-7*t48)) return 9;
	double t55 = G[1]*t39 + t33*t41 + t35*t43 + t37*t45 - t47*t53, t56 = l[30] = 1.0/t54,
		t57 = l[32] = t55*t56, t58 = t50 - t49*t53 - t55*t57;
	if (!(t58 > 1e-7*t50)) return 10;
	l[33] = 1.0/t58;
	return 0;
}

static void solve(const double *restrict l, double *restrict x)
{
	const double b0 = x[0], b1 = x[1], b2 = x[2], b3 = x[3], b4 = x[4], b5 = x[5], b6 = x[6], b7 = x[7],
		b8 = x[8], b9 = x[9];
	double t1 = b0 - b3*l[4], t2 = b1 - b4*l[7] - b3*l[5] - t1*l[1], t3 = b5 - t1*l[8] - t2*l[9],
		t4 = b6 - t1*l[11] - t2*l[12] - t3*l[13],
		t5 = t1*l[15] + t2*l[18] + t3*l[22] + t4*l[25] - b7,
		t6 = t1*l[16] + t2*l[19] + t3*l[23] + t4*l[26] + b2*l[21] - b8 - t5*l[29],
		t7 = x[9] = (t1*l[17]+t2*l[20]+t3*l[24]+t4*l[27]-b9-t5*l[31]-t6*l[32])*l[33],
		t8 = x[8] = t6*l[30] - l[32]*t7, t9 = x[7] = t5*l[28] - l[31]*t7 - l[29]*t8;
	x[2] = b2*l[3] - l[21]*t8;
	double t10 = x[6] = t4*l[14] - l[25]*t9 - l[26]*t8 - l[27]*t7,
		t11 = x[5] = t3*l[10] - l[22]*t9 - l[23]*t8 - l[24]*t7 - l[13]*t10,
		t12 = x[1] = t2*l[2] - l[18]*t9 - l[19]*t8 - l[20]*t7 - l[12]*t10 - l[9]*t11,
		t13 = x[0] = t1*l[0] - l[15]*t9 - l[16]*t8 - l[17]*t7 - l[11]*t10 - l[8]*t11 - l[1]*t12;
	x[3] = b3*l[6] - l[5]*t12 - l[4]*t13;
	x[4] = b4*l[6] - l[7]*t12;
}

static const struct mbs_name param_names[] = { { "l1", "m", 16 }, { "l2", "m", 16 }, { "m1", "kg", 17 },
	{ "m2", "kg", 17 }, { "m3", "kg", 17 }, { "J1", "kg*m^2", 18 }, { "J2", "kg*m^2", 18 },
	{ "h", "m", 19 }, { "d", "m", 19 }, { "rho", "kg/m^3", 19 }, { "E", "N/m^2", 19 },
	{ "Omega", "rad/s", 20 }, { "grav", "m/s^2", 20 } };
static const struct mbs_name coord_names[] = { { "phi1", "rad", 22 }, { "phi2", "rad", 22 },
	{ "x3", "m", 22 }, { "q[1]", "m", 22 }, { "q[2]", "m", 22 }, { "q[3]", "m", 22 },
	{ "q[4]", "m", 22 } };
static const struct mbs_name output_names[] = { { "midpoint", "m", 73 } };
static const struct mbs_name constraint_names[] = { { "height", "m", 57 }, { "slider", "m", 58 },
	{ "drive", "", 59 } };
static const struct mbs_shape shapes[] = { { "rail", 8, 0, 2 }, { "crank", 2, 2, 2 }, { "rod", 1, 4, 9 },
	{ "block", 2, 13, 4 }, { "O", 3, 17, 1 }, { "A", 3, 18, 1 }, { "B", 3, 19, 1 } };

static const int i0[] = { 0, 5, 10, 11, 12, 13, 15, 16 };
static const int i1[] = { 0, 1, 3, 5, 6, 1, 3, 4, 5, 6, 2, 3, 4, 5, 6, 6 };
static const int i2[] = { 0, 3, 5, 6, 6, 6, 6, 8 };
static const int i3[] = { 0, 1, 2, 0, 1, 1, 0, 1 };
static const int i4[] = { 0, 5, 10, 10, 15, 18, 23, 29 };
static const int i5[] = { 0, 1, 3, 5, 6, 0, 1, 3, 5, 6, 0, 1, 3, 5, 6, 1, 4, 6, 0, 1, 3, 5, 6, 0, 1, 3, 4,
	5, 6 };
static const int i6[] = { 0, 4, 10, 10, 14, 16, 19, 23 };
static const int i7[] = { 1, 3, 5, 6, 0, 1, 3, 4, 5, 6, 0, 1, 5, 6, 1, 6, 0, 1, 3, 0, 1, 3, 4 };
static const int i8[] = { 0, 0, 0, 0, 0, 0, 0, 0 };
static const int i9[] = { 0, 2, 4, 4, 4, 4, 4, 6 };
static const int i10[] = { 0, 1, 0, 1, 0, 1 };
static const int i11[] = { 0, 1, 3, 3, 3, 3, 3, 4 };
static const int i12[] = { 0, 1, 6, 1 };

extern const struct mbs_model crank_model;
const struct mbs_model crank_model = {
	.abi = MBS_ABI,
	.name = "crank",
	.title = "Slider crank with elastic connecting rod",
	.source = "crank.mbs",
	.nq = 7, .nz = 0, .nu = 0, .ny = 1, .np = 13, .ng = 3, .nh = 0, .nc = 55, .nw = 0, .nl = 34,
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
	.rz = { 7, 0, 0, i0, i0 },
	.ru = { 7, 0, 0, i0, i0 },
	.zq = { 0, 7, 0, i8, i0 },
	.zv = { 0, 7, 0, i8, i0 },
	.zz = { 0, 0, 0, i0, i0 },
	.zu = { 0, 0, 0, i0, i0 },
	.gvq = { 3, 7, 6, i9, i10 },
	.gaq = { 3, 7, 6, i9, i10 },
	.gav = { 3, 7, 6, i9, i10 },
	.gmuq = { 7, 7, 4, i11, i12 },
	.experiment = { NAN, 0.1, 1e-08, NAN, NAN, NAN, "radau5", "index2" },
	.defaults = defaults, .setup = setup, .initial = initial,
	.dynamics = dynamics, .constraints = constraints, .residual = residual, .jacobian = jacobian,
		.energy = energy, .outputs = outputs, .points = points,
	.factor = factor, .solve = solve,
};
