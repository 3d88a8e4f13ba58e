/* SPDX-License-Identifier: 0BSD
 *
 * crank: Slider crank with elastic connecting rod
 * Made by mbsc X from crank.mbs.  It carries no obligation: use it as you like.
 *
 *   coordinates  phi1, phi2, x3, q[1], q[2], q[3], q[4]
 *   outputs      midpoint
 *   constraints  height, slider, drive
 *
 *   M a = f - G' lambda, g = 0; r = M a - f + G' lambda; see mbs/model.h for the rest.
 *   Operations: sums and products, quotients and roots, sines and cosines, other functions.
 *
 *   defaults           parameters p that are not given
 *   setup              constants c from the parameters                   50   1   0   0
 *   initial            start values
 *   position           what several functions need of q and t
 *   mass_matrix        M
 *   constraint_matrix  G
 *   G_times            y = G x
 *   Gt_times           y = G' x
 *   dynamics           M, f, G; if asked gamma, g, gt                   220   0   4   0
 *   constraints        g, G; if asked gt                                 10   0   4   0
 *   residual           r; if asked g, gv, ga, Gtmu                    dynamics + 65
 *   jacobian           rq, rv, M, G; if asked gvq, gaq, gav, gmuq       387   0   4   0
 *   energy             energy                                           117   0   4   0
 *   outputs            y                                                  0   0   0   0
 *   points             xyz                                               93   0   4   0
 *   power              power                                              1   0   0   0
 */
#include "mbs/model.h"
#include <math.h>

enum { phi1, phi2, x3, q_1, q_2, q_3, q_4 };
enum { height, slider, drive };
enum { l1, l2, m1, m2, m3, J1, J2, h, d, rho, E, Omega, grav };
enum { l1_l2_h_d_rho = 13, l2_h_d_rho, l2_pow2_h_d_rho, l1_l2_m2, l2_h_d, l2_m2_grav, rho_grav,
	l1_grav_etc, l2_h_d_rho_grav, h3_d_E_per_l2_pow3, h_d_E_per_l2, l1_m1_plus_twice_m2, l2_m2,
	half_J1_plus_l1_pow2_m2, J1_plus_l1_pow2_m2, half_l2_h_d_rho, l2_h_d_rho_x8, twice_l2_h_d_rho,
	constant, constant_, constant_2, constant_3, half_l1_grav_etc, constant_4, constant_5, constant_6,
	l2_pow2_h_d_rho_by3, half_l1_l2_m2, l2_h_d_rho_grav_x2_by3, l2_h_d_rho_grav_by6,
	l2_pow2_h_d_rho_by24, h_d_E_per_l2_x16_by3, h_d_E_per_l2_x8_by3, l2_pow2_h_d_rho_by6,
	h_d_E_per_l2_x7_by3, l2_pow2_h_d_rho_x2_by3, half_m3, half_J2, twice_rho, half_grav,
	l2_m2_grav_x3_by4 };

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
	double t1 = p[h]*p[d], t2 = c[l2_h_d] = p[l2]*t1, t3 = c[l2_h_d_rho] = p[rho]*t2;
	c[l1_l2_h_d_rho] = p[l1]*t3;
	double t4 = c[l2_pow2_h_d_rho] = p[l2]*t3, t5 = c[l2_m2] = p[l2]*p[m2], t6 = c[l1_l2_m2] = p[l1]*t5,
		t7 = c[l2_m2_grav] = p[grav]*t5;
	c[rho_grav] = p[rho]*p[grav];
	double t8 = c[l1_m1_plus_twice_m2] = p[l1]*(p[m1]+p[m2]*2.0);
	c[l1_grav_etc] = p[grav]*t8;
	double t9 = c[l2_h_d_rho_grav] = p[grav]*t3, t10 = 1.0/p[l2], t11 = c[h_d_E_per_l2] = t1*(p[E]*t10),
		t12 = c[h3_d_E_per_l2_pow3] = t10*t10*(t11*(p[h]*p[h])),
		t13 = c[J1_plus_l1_pow2_m2] = p[J1] + p[l1]*p[l1]*p[m2];
	c[half_J1_plus_l1_pow2_m2] = 0.5*t13;
	c[half_l2_h_d_rho] = 0.5*t3;
	c[l2_h_d_rho_x8] = 8.0*t3;
	c[twice_l2_h_d_rho] = 2.0*t3;
	c[constant] = 0.31830988148145367*t4;
	c[constant_] = 0.15915494074072684*t4;
	c[constant_2] = 0.15915494074072684*t3;
	c[constant_3] = 0.5160245280617674*t3;
	double t14 = c[half_grav] = p[grav]*0.5;
	c[half_l1_grav_etc] = t8*t14;
	c[constant_4] = 4.058712366251392*t12;
	c[constant_5] = 0.6366197629629073*t9;
	c[constant_6] = 64.93939786002227*t12;
	c[l2_pow2_h_d_rho_by3] = 0.3333333333333333*t4;
	c[half_l1_l2_m2] = 0.5*t6;
	c[l2_h_d_rho_grav_x2_by3] = 0.6666666666666666*t9;
	c[l2_h_d_rho_grav_by6] = 0.16666666666666666*t9;
	c[l2_pow2_h_d_rho_by24] = 0.041666666666666664*t4;
	c[h_d_E_per_l2_x16_by3] = 5.333333333333333*t11;
	c[h_d_E_per_l2_x8_by3] = 2.6666666666666665*t11;
	c[l2_pow2_h_d_rho_by6] = 0.16666666666666666*t4;
	c[h_d_E_per_l2_x7_by3] = 2.3333333333333335*t11;
	c[l2_pow2_h_d_rho_x2_by3] = 0.6666666666666666*t4;
	c[half_m3] = p[m3]*0.5;
	c[half_J2] = p[J2]*0.5;
	c[twice_rho] = p[rho]*2.0;
	c[l2_m2_grav_x3_by4] = 0.75*t7;
}

static void initial(const double *c, double *q, double *v, double *z, double *u)
{
	q[phi1] = 0.0;
	q[phi2] = 0.0;
	q[x3] = 0.450016933;
	q[q_1] = 0.0;
	q[q_2] = 0.0;
	q[q_3] = 1.03339863e-05;
	q[q_4] = 1.69327969e-05;
	v[phi1] = 150.0;
	v[phi2] = -74.99576703969453;
	v[x3] = -2.68938671997904e-06;
	v[q_1] = 0.444896112581599;
	v[q_2] = 0.00463433931923867;
	v[q_3] = -1.78591076000055e-06;
	v[q_4] = v[x3];
	(void)c, (void)q, (void)v, (void)z, (void)u;
}

/* What several functions need of q and t.  Each inlines position() and keeps what it uses. */
struct position { double cos_phi1, sin_phi2, sin_phi1, cos_phi2, x5, x6, x7, x8, x9, x10, x11,
	l1_cos_phi1, l1_sin_phi1, x14, x15, x16, x17, x18, x19, x20; };

static MBS_INLINE struct position position(const double *restrict c, const struct mbs_state *s)
{
	struct position k;
	const double *q = s->q;
	k.cos_phi1 = cos(q[phi1]);
	k.sin_phi1 = sin(q[phi1]);
	k.sin_phi2 = sin(q[phi2]);
	k.cos_phi2 = cos(q[phi2]);
	k.x5 = k.cos_phi1*k.sin_phi2 - k.sin_phi1*k.cos_phi2;
	k.x6 = k.x5*c[l1_l2_h_d_rho];
	k.x7 = q[q_1]*0.6366197629629073;
	k.x8 = k.sin_phi1*k.sin_phi2 + k.cos_phi1*k.cos_phi2;
	double t1 = c[half_l1_l2_m2] +
		c[l1_l2_h_d_rho]*(q[q_3]*0.6666666666666666+q[q_4]*0.16666666666666666);
	k.x9 = k.x6*k.x7 - k.x8*t1;
	k.x10 = k.x8*c[l1_l2_h_d_rho];
	k.x11 = q[q_4]*2.0;
	k.l1_cos_phi1 = k.cos_phi1*c[l1];
	k.l1_sin_phi1 = k.sin_phi1*c[l1];
	double t2 = q[q_4] + c[l2];
	k.x14 = k.cos_phi2*t2;
	k.x15 = k.sin_phi2*t2;
	k.x16 = c[l2_h_d]*(q[q_3]+q[q_4]*0.25);
	k.x17 = c[l2_m2_grav_x3_by4] + k.x16*c[rho_grav];
	k.x18 = k.x10*k.x7 + k.x5*t1;
	k.x19 = q[q_3] - q[q_4]*0.5;
	k.x20 = q[q_3] - q[q_4]*0.875;
	return k;
}

static MBS_INLINE void mass_matrix(const double *restrict c, const struct mbs_state *s, const struct position
	k, double *restrict M)
{
	const double *q = s->q;
	M[0] = c[J1_plus_l1_pow2_m2]; /* M[phi1, phi1] */
	M[1] = -k.x9;		/* M[phi2, phi1] */
	M[2] = 0.6366197629629073*k.x10; /* M[q[1], phi1] */
	M[3] = 0.6666666666666666*k.x6; /* M[q[3], phi1] */
	M[4] = 0.16666666666666666*k.x6; /* M[q[4], phi1] */
	double t1 =
		c[l2_h_d_rho]*(q[q_1]*(q[q_1]*0.5)+q[q_2]*(q[q_2]*0.5)+q[q_4]*k.x11+q[q_3]*(q[q_3]*
		8.0+k.x11));
	/* M[phi2, phi2] */
	M[5] = c[J2] + t1 + c[l2_pow2_h_d_rho]*(q[q_3]*0.6666666666666666+q[q_4]*0.3333333333333333);
	/* M[q[1], phi2] */
	M[6] = c[constant] + c[l2_h_d_rho]*(q[q_3]*0.5160245280617674+q[q_4]*0.060297617450569996);
	M[7] = -c[constant_] - c[constant_2]*q[q_4]; /* M[q[2], phi2] */
	M[8] = -c[constant_3]*q[q_1]; /* M[q[3], phi2] */
	M[9] = c[l2_h_d_rho]*(q[q_2]*0.15915494074072684-q[q_1]*0.060297617450569996); /* M[q[4], phi2] */
	M[10] = c[m3];		/* M[x3, x3] */
	M[11] = c[half_l2_h_d_rho]; /* M[q[1], q[1]] */
	M[12] = c[half_l2_h_d_rho]; /* M[q[2], q[2]] */
	M[13] = c[l2_h_d_rho_x8]; /* M[q[3], q[3]] */
	M[14] = c[l2_h_d_rho];	/* M[q[4], q[3]] */
	M[15] = c[twice_l2_h_d_rho]; /* M[q[4], q[4]] */
}

static MBS_INLINE void constraint_matrix(const struct position k, double *restrict G)
{
	G[0] = k.l1_cos_phi1;	/* G[height, phi1] */
	G[1] = k.l1_sin_phi1;	/* G[slider, phi1] */
	G[2] = 1.0;		/* G[drive, phi1] */
	G[3] = k.x14;		/* G[height, phi2] */
	G[4] = k.x15;		/* G[slider, phi2] */
	G[5] = 1.0;		/* G[slider, x3] */
	G[6] = k.sin_phi2;	/* G[height, q[4]] */
	G[7] = -k.cos_phi2;	/* G[slider, q[4]] */
}

static MBS_INLINE void G_times(const double *G, const double *x, double *y)
{
	y[height] = x[phi1]*G[0] + x[phi2]*G[3] + x[q_4]*G[6];
	y[slider] = x[phi1]*G[1] + x[phi2]*G[4] + G[2]*x[x3] + x[q_4]*G[7];
	y[drive] = x[phi1]*G[2];
}

static MBS_INLINE void Gt_times(const double *G, const double *x, double *y)
{
	y[phi1] = x[height]*G[0] + x[slider]*G[1] + x[drive]*G[2];
	y[phi2] = x[height]*G[3] + x[slider]*G[4];
	y[x3] = x[slider]*G[2];
	y[q_1] = 0.0;
	y[q_2] = 0.0;
	y[q_3] = 0.0;
	y[q_4] = x[height]*G[6] + x[slider]*G[7];
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
	double t9 = v[phi2]*(c[l1_l2_h_d_rho]*t8+c[l1_l2_m2]*(0.5*v[phi1]-0.5*t1)) +
		c[l1_l2_h_d_rho]*v[q_1]*t3;
	double t10 = c[half_l1_grav_etc]*k.cos_phi1 + (v[phi2]*(t5-q[q_1]*t3)+t5*(v[phi1]-t1))*k.x10 -
		k.x5*t9;
	f[phi1] = -t10;
	double t11 = k.sin_phi2*c[l2_h_d_rho_grav], t12 = 2.0*v[q_4];
	double t13 = q[q_1]*v[q_1] + q[q_2]*v[q_2] + q[q_3]*(v[q_3]*16.0+t12) +
		q[q_4]*(2.0*v[q_3]+v[q_4]*4.0);
	double t14 = v[phi1]*k.x18;
	double t15 = k.cos_phi2*0.6666666666666666*k.x17 - t11*k.x7 +
		v[phi2]*(c[l2_h_d_rho]*t13+c[l2_pow2_h_d_rho]*(t4+0.3333333333333333*v[q_4])+t14);
	f[phi2] = -t15 - t1*t14;
	f[x3] = 0.0;
	double t16 = c[l2_h_d_rho]*v[phi2];
	double t17 = c[constant_4]*q[q_1] + c[constant_5]*k.cos_phi2 -
		(v[phi2]*(q[q_1]*0.5)-v[q_3]*1.0320490561235347-v[q_4]*0.12059523490113999)*t16;
	f[q_1] = -t17 - v[phi1]*(t2+0.6366197629629073*v[phi2])*k.x6;
	f[q_2] = (v[phi2]*(q[q_2]*0.5)+0.31830988148145367*v[q_4])*t16 - c[constant_6]*q[q_2];
	double t18 = v[phi1]*k.x10;
	double t19 =
		c[h_d_E_per_l2]*(q[q_3]*2.6666666666666665-q[q_4]*1.3333333333333333+k.x19*
		2.6666666666666665);
	double t20 = v[phi2]*c[l2_pow2_h_d_rho_by3] +
		c[l2_h_d_rho]*(v[q_1]*1.0320490561235347+v[phi2]*(q[q_4]+q[q_3]*8.0));
	f[q_3] = (t6+0.6666666666666666*v[phi2])*t18 - 0.6666666666666666*t11 - t19 + v[phi2]*t20;
	double t21 = 0.16666666666666666*v[phi2];
	double t22 =
		c[h_d_E_per_l2]*(q[q_3]*1.3333333333333333-q[q_4]*1.1666666666666667+k.x20*
		1.3333333333333333);
	double t23 =
		c[l2_h_d_rho]*(v[q_1]*0.12059523490113999-0.31830988148145367*v[q_2]+v[phi2]*(q[q_3]+k.x11));
	f[q_4] = (t7+t21)*t18 - 0.16666666666666666*t11 + t22 + v[phi2]*(c[l2_pow2_h_d_rho]*t21+t23);
	if (out->gamma) {
		double *gamma_ = out->gamma;
		double t24 = v[phi1]*v[phi1];
		gamma_[height] = v[phi2]*(k.cos_phi2*t12-k.x15*v[phi2]) - k.l1_sin_phi1*t24;
		gamma_[slider] = k.l1_cos_phi1*t24 + v[phi2]*(k.sin_phi2*t12+k.x14*v[phi2]);
		gamma_[drive] = 0.0;
	}
	if (out->g) {
		const double t = s->t;
		double *g = out->g;
		g[height] = k.l1_sin_phi1 + k.x15;
		g[slider] = -k.l1_cos_phi1 - k.x14 + q[x3];
		g[drive] = q[phi1] - t*c[Omega];
	}
	if (out->gt) {
		double *gt = out->gt;
		gt[height] = 0.0;
		gt[slider] = 0.0;
		gt[drive] = -c[Omega];
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
	g[height] = k.l1_sin_phi1 + k.x15;
	g[slider] = -k.l1_cos_phi1 - k.x14 + q[x3];
	g[drive] = q[phi1] - t*c[Omega];
	if (out->gt) {
		double *gt = out->gt;
		gt[height] = 0.0;
		gt[slider] = 0.0;
		gt[drive] = -c[Omega];
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
	r[phi1] = M[0]*a[phi1] + M[1]*a[phi2] + M[2]*a[q_1] + M[3]*a[q_3] + M[4]*a[q_4] - f[phi1] + r[phi1];
	double t1 = a[phi1]*M[1] + a[phi2]*M[5] + a[q_1]*M[6] + M[7]*a[q_2] + a[q_3]*M[8] + a[q_4]*M[9] -
		f[phi2];
	r[phi2] = t1 + r[phi2];
	r[x3] = M[10]*a[x3] + r[x3];
	r[q_1] = a[phi1]*M[2] + a[phi2]*M[6] + a[q_1]*M[11] - f[q_1];
	r[q_2] = a[phi2]*M[7] + a[q_2]*M[11] - f[q_2];
	r[q_3] = a[phi1]*M[3] + a[phi2]*M[8] + a[q_3]*M[13] + a[q_4]*M[14] - f[q_3];
	r[q_4] = a[phi1]*M[4] + a[phi2]*M[9] + a[q_3]*M[14] + a[q_4]*M[15] - f[q_4] + r[q_4];
	if (out->gv) {
		G_times(G, s->v, out->gv);
		out->gv[drive] += gt[drive];
	}
	if (out->ga) {
		G_times(G, s->a, out->ga);
		out->ga[height] += gamma_[height];
		out->ga[slider] += gamma_[slider];
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
		t13 = t11 - t12,
		t14 = c[l1_l2_h_d_rho]*(0.6366197629629073*v[q_1]+q[q_3]*t10+q[q_4]*t13) + c[half_l1_l2_m2]*t7,
		t15 = (v[phi2]*(t6-q[q_1]*t4)+t6*t7)*k.x6 + k.x8*(c[l1_l2_h_d_rho]*v[q_1]*t4+v[phi2]*t14),
		t16 = k.x5*0.6366197629629073;
	double t17 =
		c[l1_l2_h_d_rho]*(a[q_1]*t16-k.x8*(0.6666666666666666*a[q_3]+0.16666666666666666*a[q_4]));
	double t18 = k.x18*a[phi2] + t17;
	double t19 = c[half_l1_grav_etc]*k.sin_phi1 - t15 - k.l1_cos_phi1*lambda[slider] +
		k.l1_sin_phi1*lambda[height];
	rq[0] = t18 - t19;	/* rq[phi1, phi1] */
	double t20 = 0.6666666666666666*v[phi2], t21 = t9 + t20, t22 = 0.16666666666666666*v[phi2],
		t23 = t12 + t22, t24 = 0.6366197629629073*v[phi2], t25 = t3 + t24;
	double t26 = k.x8*(c[l1_l2_h_d_rho]*(q[q_3]*t21+q[q_4]*t23)+c[half_l1_l2_m2]*(v[phi2]+t2)) -
		q[q_1]*t25*k.x6;
	double t27 = k.x18*a[phi1] - v[phi1]*t26;
	rq[1] = t27;		/* rq[phi2, phi1] */
	double t28 = c[l1_l2_h_d_rho]*(a[phi1]*t16-k.x8*v[phi1]*t25);
	rq[2] = t28;		/* rq[q[1], phi1] */
	double t29 = k.x8*0.6666666666666666, t30 = k.x5*v[phi1],
		t31 = c[l1_l2_h_d_rho]*(a[phi1]*t29+t21*t30);
	rq[3] = -t31;		/* rq[q[3], phi1] */
	double t32 = k.x8*0.16666666666666666, t33 = c[l1_l2_h_d_rho]*(a[phi1]*t32+t23*t30);
	rq[4] = -t33;		/* rq[q[4], phi1] */
	rq[5] = -t15 - t18;	/* rq[phi1, phi2] */
	double t34 = q[q_4] + c[l2];
	double t35 = t27 + k.sin_phi2*(0.6666666666666666*k.x17+t34*lambda[height]) -
		k.cos_phi2*(t34*lambda[slider]-c[l2_h_d_rho_grav]*k.x7);
	rq[6] = -t35;		/* rq[phi2, phi2] */
	double t36 = c[constant_5]*k.sin_phi2 + t28;
	rq[7] = -t36;		/* rq[q[1], phi2] */
	double t37 = t31 + c[l2_h_d_rho_grav_x2_by3]*k.cos_phi2;
	rq[8] = t37;		/* rq[q[3], phi2] */
	double t38 = k.cos_phi2*(lambda[height]+c[l2_h_d_rho_grav_by6]) + (t33+k.sin_phi2*lambda[slider]);
	rq[9] = t38;		/* rq[q[4], phi2] */
	rq[10] = -c[l1_l2_h_d_rho]*(a[phi2]*t16+k.x8*v[phi2]*t4); /* rq[phi1, q[1]] */
	double t39 = 0.5160245280617674*a[q_3] + 0.060297617450569996*a[q_4] - v[phi2]*v[q_1] -
		q[q_1]*a[phi2];
	rq[11] = -c[l2_h_d_rho]*t39 - t36; /* rq[phi2, q[1]] */
	double t40 = c[l2_h_d_rho]*v[phi2], t41 = v[phi2]*t40, t42 = 0.5*t41;
	rq[12] = c[constant_4] - t42; /* rq[q[1], q[1]] */
	double t43 = c[l2_h_d_rho]*a[phi2], t44 = 0.5160245280617674*t43;
	rq[13] = -t44;		/* rq[q[3], q[1]] */
	double t45 = 0.060297617450569996*t43;
	rq[14] = -t45;		/* rq[q[4], q[1]] */
	/* rq[phi2, q[2]] */
	rq[15] = c[l2_h_d_rho]*(0.15915494074072684*a[q_4]+v[phi2]*v[q_2]+q[q_2]*a[phi2]);
	rq[16] = c[constant_6] - t42; /* rq[q[2], q[2]] */
	double t46 = 0.15915494074072684*t43;
	rq[17] = t46;		/* rq[q[4], q[2]] */
	double t47 = k.x5*v[phi2];
	rq[18] = c[l1_l2_h_d_rho]*(a[phi2]*t29-t10*t47); /* rq[phi1, q[3]] */
	double t48 = 2.0*v[q_4], t49 = v[q_3]*16.0 + t48;
	/* rq[phi2, q[3]] */
	rq[19] = t37 + 16.0*a[phi2]*(c[l2_pow2_h_d_rho_by24]+c[l2_h_d_rho]*(q[q_3]+q[q_4]*0.125)) +
		c[l2_h_d_rho]*(0.5160245280617674*a[q_1]+v[phi2]*t49);
	rq[20] = t44;		/* rq[q[1], q[3]] */
	rq[21] = c[h_d_E_per_l2_x16_by3] - 8.0*t41; /* rq[q[3], q[3]] */
	rq[22] = -c[h_d_E_per_l2_x8_by3] - t41; /* rq[q[4], q[3]] */
	rq[23] = c[l1_l2_h_d_rho]*(a[phi2]*t32-t13*t47); /* rq[phi1, q[4]] */
	double t50 = 2.0*v[q_3] + v[q_4]*4.0;
	double t51 = 2.0*a[phi2]*(c[l2_pow2_h_d_rho_by6]+c[l2_h_d_rho]*(q[q_3]+k.x11)) +
		c[l2_h_d_rho]*(0.060297617450569996*a[q_1]-0.15915494074072684*a[q_2]+v[phi2]*t50);
	rq[24] = t51 + t38;	/* rq[phi2, q[4]] */
	rq[25] = t45;		/* rq[q[1], q[4]] */
	rq[26] = -t46;		/* rq[q[2], q[4]] */
	rq[27] = rq[22];	/* rq[q[3], q[4]] */
	rq[28] = c[h_d_E_per_l2_x7_by3] - 2.0*t41; /* rq[q[4], q[4]] */
	double t52 = t8 + t21, t53 = t11 + t23, t54 = v[phi1] + v[phi2], t55 = t1 + t25;
	/* rv[phi2, phi1] */
	rv[0] = k.x5*(c[l1_l2_h_d_rho]*(q[q_3]*t52+q[q_4]*t53)+c[half_l1_l2_m2]*(t2+t54)) + q[q_1]*t55*k.x10;
	rv[1] = t55*k.x6;	/* rv[q[1], phi1] */
	rv[2] = -t52*k.x10;	/* rv[q[3], phi1] */
	rv[3] = -t53*k.x10;	/* rv[q[4], phi1] */
	double t56 = t10 + t20, t57 = t13 + t22, t58 = 0.3333333333333333*v[q_4], t59 = t4 + t24;
	double t60 = k.x5*(v[q_1]*1.2732395259258147+q[q_3]*t56+q[q_4]*t57) -
		k.x8*(t58+v[q_3]*1.3333333333333333-q[q_1]*t59);
	rv[4] = -c[l1_l2_h_d_rho]*t60 - k.x5*c[half_l1_l2_m2]*(t54-t2); /* rv[phi1, phi2] */
	/* rv[phi2, phi2] */
	rv[5] = c[l2_h_d_rho]*(q[q_1]*v[q_1]+q[q_2]*v[q_2]+q[q_3]*t49+q[q_4]*t50) +
		c[l2_pow2_h_d_rho]*(t5+t58);
	/* rv[q[1], phi2] */
	rv[6] = c[l2_h_d_rho]*(v[q_3]*1.0320490561235347+v[q_4]*0.12059523490113999-q[q_1]*v[phi2]);
	rv[7] = -c[l2_h_d_rho]*(0.31830988148145367*v[q_4]+q[q_2]*v[phi2]); /* rv[q[2], phi2] */
	double t61 = k.x11 + q[q_3]*16.0;
	double t62 = v[phi2]*c[l2_pow2_h_d_rho_x2_by3] +
		c[l2_h_d_rho]*(v[q_1]*1.0320490561235347+v[phi2]*t61);
	rv[8] = -t62;		/* rv[q[3], phi2] */
	double t63 = q[q_3]*2.0 + q[q_4]*4.0;
	double t64 = v[phi2]*c[l2_pow2_h_d_rho_by3] +
		c[l2_h_d_rho]*(v[q_1]*0.12059523490113999-0.31830988148145367*v[q_2]+v[phi2]*t63);
	rv[9] = -t64;		/* rv[q[4], phi2] */
	rv[10] = -t59*k.x6;	/* rv[phi1, q[1]] */
	rv[11] = q[q_1]*t40;	/* rv[phi2, q[1]] */
	double t65 = 1.0320490561235347*t40;
	rv[12] = -t65;		/* rv[q[3], q[1]] */
	double t66 = 0.12059523490113999*t40;
	rv[13] = -t66;		/* rv[q[4], q[1]] */
	rv[14] = q[q_2]*t40;	/* rv[phi2, q[2]] */
	double t67 = 0.31830988148145367*t40;
	rv[15] = t67;		/* rv[q[4], q[2]] */
	rv[16] = t56*k.x10;	/* rv[phi1, q[3]] */
	rv[17] = v[phi2]*(c[l2_pow2_h_d_rho_x2_by3]+c[l2_h_d_rho]*t61); /* rv[phi2, q[3]] */
	rv[18] = t65;		/* rv[q[1], q[3]] */
	rv[19] = t57*k.x10;	/* rv[phi1, q[4]] */
	rv[20] = v[phi2]*(c[l2_pow2_h_d_rho_by3]+c[l2_h_d_rho]*t63); /* rv[phi2, q[4]] */
	rv[21] = t66;		/* rv[q[1], q[4]] */
	rv[22] = -t67;		/* rv[q[2], q[4]] */
	double t68 = k.l1_sin_phi1*v[phi1], t69 = k.l1_cos_phi1*v[phi1];
	if (out->gvq || out->gav) {
		double *gvq = out->gvq ? out->gvq : out->gav;
		gvq[0] = -t68;	/* gvq[height, phi1] */
		gvq[1] = t69;	/* gvq[slider, phi1] */
		gvq[2] = k.cos_phi2*v[q_4] - k.x15*v[phi2]; /* gvq[height, phi2] */
		gvq[3] = k.x14*v[phi2] + k.sin_phi2*v[q_4]; /* gvq[slider, phi2] */
		gvq[4] = k.cos_phi2*v[phi2]; /* gvq[height, q[4]] */
		gvq[5] = k.sin_phi2*v[phi2]; /* gvq[slider, q[4]] */
	}
	if (out->gaq) {
		double *gaq = out->gaq;
		gaq[0] = -v[phi1]*t69 - k.l1_sin_phi1*a[phi1]; /* gaq[height, phi1] */
		gaq[1] = k.l1_cos_phi1*a[phi1] - v[phi1]*t68; /* gaq[slider, phi1] */
		double t70 = v[phi2]*t48 + t34*a[phi2], t71 = v[phi2]*v[phi2], t72 = a[q_4] - t34*t71;
		gaq[2] = k.cos_phi2*t72 - k.sin_phi2*t70; /* gaq[height, phi2] */
		gaq[3] = k.sin_phi2*t72 + k.cos_phi2*t70; /* gaq[slider, phi2] */
		gaq[4] = k.cos_phi2*a[phi2] - k.sin_phi2*t71; /* gaq[height, q[4]] */
		gaq[5] = k.cos_phi2*t71 + k.sin_phi2*a[phi2]; /* gaq[slider, q[4]] */
	}
	if (out->gmuq) {
		const double *mu = s->mu;
		double *gmuq = out->gmuq;
		gmuq[0] = k.l1_cos_phi1*mu[slider] - k.l1_sin_phi1*mu[height]; /* gmuq[phi1, phi1] */
		gmuq[1] = t34*(k.cos_phi2*mu[slider]-k.sin_phi2*mu[height]); /* gmuq[phi2, phi2] */
		gmuq[2] = k.sin_phi2*mu[slider] + k.cos_phi2*mu[height]; /* gmuq[q[4], phi2] */
		gmuq[3] = gmuq[2]; /* gmuq[phi2, q[4]] */
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
	double t5 = c[half_J2] + c[l2_pow2_h_d_rho]*(q[q_4]*0.16666666666666666+q[q_3]*0.3333333333333333),
		t6 = c[constant]*v[q_1] - c[constant_]*v[q_2] + c[l2_h_d_rho]*t4 - k.x9*v[phi1] + v[phi2]*t5;
	double t7 =
		c[l2_h_d_rho]*(v[q_1]*v[q_1]*0.25+v[q_2]*v[q_2]*0.25+v[q_4]*v[q_4]+v[q_3]*(v[q_4]+v[q_3]*
		4.0));
	double t8 = k.x8*0.6366197629629073*v[q_1] +
		k.x5*(0.6666666666666666*v[q_3]+0.16666666666666666*v[q_4]);
	/* T */
	E_[0] = c[half_m3]*v[x3]*v[x3] + v[phi2]*t6 + t7 +
		v[phi1]*(v[phi1]*c[half_J1_plus_l1_pow2_m2]+c[l1_l2_h_d_rho]*t8);
	double t9 = k.sin_phi1*c[l1_m1_plus_twice_m2] + k.sin_phi2*c[l2_m2] +
		c[twice_rho]*(k.sin_phi2*0.6666666666666666*k.x16+k.cos_phi2*c[l2_h_d]*k.x7);
	double t10 = q[q_3]*2.6666666666666665*(k.x19*c[h_d_E_per_l2]) -
		q[q_4]*1.3333333333333333*(k.x20*c[h_d_E_per_l2]);
	/* U */
	E_[1] = t10 + c[half_grav]*t9 + c[h3_d_E_per_l2_pow3]*(2.029356183125696*t1+32.469698930011134*t2);
	(void)w;
}

static void outputs(const double *restrict c, const struct mbs_state *s, double *y, double *w)
{
	const double *q = s->q;
	y[0] = q[q_1];		/* midpoint */
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
	xyz[15] = k.l1_cos_phi1 + k.x14*0.125 - k.sin_phi2*t1;
	xyz[16] = k.l1_sin_phi1 + k.x15*0.125 + k.cos_phi2*t1;
	double t2 = q[q_1]*14.142135787815809 + q[q_2]*19.999999999999996;
	xyz[18] = k.l1_cos_phi1 + k.x14*0.25 - k.sin_phi2*t2;
	xyz[19] = k.l1_sin_phi1 + k.x15*0.25 + k.cos_phi2*t2;
	double t3 = q[q_1]*18.477590783428862 + q[q_2]*14.142135131476365;
	xyz[21] = k.l1_cos_phi1 + k.x14*0.375 - k.sin_phi2*t3;
	xyz[22] = k.l1_sin_phi1 + k.x15*0.375 + k.cos_phi2*t3;
	double t4 = q[q_1]*19.999999999999996 - q[q_2]*9.282041333256964e-07;
	xyz[24] = k.l1_cos_phi1 + k.x14*0.5 - k.sin_phi2*t4;
	xyz[25] = k.l1_sin_phi1 + k.x15*0.5 + k.cos_phi2*t4;
	double t5 = q[q_1]*18.477590428220513 - q[q_2]*14.142136444155224;
	xyz[27] = k.l1_cos_phi1 + k.x14*0.625 - k.sin_phi2*t5;
	xyz[28] = k.l1_sin_phi1 + k.x15*0.625 + k.cos_phi2*t5;
	double t6 = q[q_1]*14.142135131476365 - q[q_2]*19.99999999999995;
	xyz[30] = k.l1_cos_phi1 + k.x14*0.75 - k.sin_phi2*t6;
	xyz[31] = k.l1_sin_phi1 + k.x15*0.75 + k.cos_phi2*t6;
	double t7 = q[q_1]*7.65366789694659 - q[q_2]*14.142134475136892;
	xyz[33] = k.l1_cos_phi1 + k.x14*0.875 - k.sin_phi2*t7;
	xyz[34] = k.l1_sin_phi1 + k.x15*0.875 + k.cos_phi2*t7;
	double t8 = q[q_1]*9.282041333256964e-07 - q[q_2]*1.856408266651391e-06;
	xyz[36] = k.l1_cos_phi1 + k.x14 + k.sin_phi2*t8;
	xyz[37] = k.l1_sin_phi1 + k.x15 - k.cos_phi2*t8;
	xyz[39] = xyz[48] = q[x3] - 0.025;
	xyz[40] = xyz[43] = -0.015;
	xyz[42] = xyz[45] = q[x3] + 0.025;
	xyz[0] = 0.1;
	xyz[3] = 0.5;
	xyz[9] = xyz[12] = xyz[54] = k.l1_cos_phi1;
	xyz[10] = xyz[13] = xyz[55] = k.l1_sin_phi1;
	xyz[46] = xyz[49] = 0.015;
	xyz[57] = q[x3];
	(void)w;
}

static void power(const double *restrict c, const struct mbs_state *s, double *P, double *w)
{
	const double *lambda = s->lambda;
	P[0] = -c[Omega]*lambda[drive]; /* power */
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
static const struct mbs_shape shapes[] = { {"rail",8,0,2,0,0,0,0}, {"crank",2,2,2,0,0,0,0},
	{"rod",1,4,9,0,0,0,20}, {"block",2,13,4,0,0,0,0}, {"O",3,17,1,0,0,0,0}, {"A",3,18,1,0,0,0,0},
	{"B",3,19,1,0,0,0,0} };

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
	.nq = 7, .ny = 1, .np = 13, .ng = 3, .nc = 54, .nw = 0,
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
		.outputs = outputs, .points = points, .power = power,
};
