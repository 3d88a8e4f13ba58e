/* SPDX-License-Identifier: 0BSD
 *
 * everything: All at once: * / ?!/ %s %n | / * / / end|
 * Made by mbsc X from everything.mbs.  It carries no obligation: use it as you like.
 *
 *   coordinates  x, y, q, int
 *   states       z, v
 *   inputs       u
 *   outputs      power
 *   constraints  hinge, roll
 *
 *   M a = f - G' lambda, g = 0; r = M a - f + G' lambda; see mbs/model.h for the rest.
 *   Operations: sums and products, quotients and roots, sines and cosines, other functions.
 *
 *   defaults           parameters p that are not given
 *   setup              constants c from the parameters                   14   0   0   0
 *   initial            start values
 *   position           what several functions need of q and t
 *   constraint_matrix  G
 *   dynamics           M, f, G, zdot; if asked gamma, g, gt             128   8   6  32
 *   constraints        g, G; if asked gt                                 13   0   4   0
 *   residual           r, zdot; if asked g, gv, ga, Gtmu                194   8   6  32
 *   jacobian           rq, rv, M, G, rz, zq, zv, zz; if asked gvq, gaq, gav, gmuq, ru, zu   244  10   6  39
 *   energy             energy                                            50   1   2  11
 *   outputs            y                                                  2   0   0   0
 *   power              power                                             29   0   1  19
 */
#include "mbs/model.h"
#include <math.h>

static double mbs_sign(double x) { return (double)((x > 0) - (x < 0)); }
static double mbs_min(double x, double y) { return x < y ? x : y; }
static double mbs_max(double x, double y) { return x > y ? x : y; }
/* Cubic spline: k holds the n knots, then the values, then the second derivatives; straight beyond its ends.
	*/
static double mbs_spline(const double *k, int n, int order, double x)
{
	const double *y = k + n, *m = y + n, at = x < k[0] ? k[0] : x > k[n - 1] ? k[n - 1] : x;
	int i = 0, j = n - 1;
	while (j - i > 1) {
		const int mid = (i + j)/2;
		if (at < k[mid])
			j = mid;
		else
			i = mid;
	}
	const double h = k[j] - k[i], a = (k[j] - at)/h, b = (at - k[i])/h;
	const double slope = (y[j] - y[i])/h + ((3*b*b - 1)*m[j] - (3*a*a - 1)*m[i])*h/6;
	if (order == 0)
		return a*y[i] + b*y[j] + ((a*a - 1)*a*m[i] + (b*b - 1)*b*m[j])*h*h/6 + slope*(x - at);
	if (order == 1)
		return slope;
	if (order > 3 || x < k[0] || x > k[n - 1])
		return x - x;
	return order == 2 ? a*m[i] + b*m[j] : (m[j] - m[i])/h;
}
/* tab */
static const double table_0[] = { -2.0, -1.0, 0.0, 1.0, 2.0, 1.0, 0.5, 0.2, 0.7, 2.0, 0.0,
	0.06428571428571433, 0.9428571428571428, 0.9642857142857144, 0.0 };
extern double outside(double);
extern double outside_1(double);
extern double outside_11(double);

enum { x, y, q, int_ };
enum { hinge, roll };
enum { z, v };
enum { u };
enum { c, s, w, out, p, gamma_, sin_x, double_, t1, om };
enum { c_out = 10, sin_x_double_, s_out, out_p, double__by5, out_by7, double__by3, gamma__by8,
	double__by125, twice_sin_x_double_, double__x2_by9, twice_w, half_out, half_p };

static void default_w(double *p_)
{
	p_[w] = 1.0 + p_[c]*p_[s];
}

static void default_p(double *p_)
{
	p_[p] = p_[w]*p_[w];
}

static void defaults(double *p_, const unsigned char *given)
{
	static const double value[] = { 1.25, 0.5, 0.0, 2.0, 0.0, 0.3, 0.7, 1.5, 0.25, 1.1 };
	for (int i = 0; i < 10; i++)
		if (!given || !given[i])
			p_[i] = value[i];
	if (!given || !given[w])
		default_w(p_);
	if (!given || !given[p])
		default_p(p_);
}

static void setup(const double *restrict p_, double *restrict c_)
{
	for (int i = 0; i < 10; i++)
		c_[i] = p_[i];
	c_[c_out] = p_[c]*p_[out];
	double t2 = c_[sin_x_double_] = p_[sin_x]*p_[double_];
	c_[s_out] = p_[s]*p_[out];
	c_[out_p] = p_[out]*p_[p];
	c_[double__by5] = p_[double_]*0.2;
	c_[out_by7] = p_[out]*0.14285714285714285;
	c_[double__by3] = p_[double_]*0.3333333333333333;
	c_[gamma__by8] = p_[gamma_]*0.125;
	c_[double__by125] = p_[double_]*0.008;
	c_[twice_sin_x_double_] = t2*2.0;
	c_[double__x2_by9] = p_[double_]*0.2222222222222222;
	c_[twice_w] = p_[w]*2.0;
	c_[half_out] = p_[out]*0.5;
	c_[half_p] = p_[p]*0.5;
}

static void initial(const double *c_, double *q_, double *v_, double *z_, double *u_)
{
	q_[x] = 0.1;
	q_[y] = 0.2;
	q_[q] = 0.3;
	q_[int_] = 0.0;
	v_[x] = 0.0;
	v_[y] = 0.0;
	v_[q] = 0.0;
	v_[int_] = c_[c];
	z_[z] = 0.1;
	z_[v] = 0.0;
	u_[u] = 0.5;
	(void)c_, (void)q_, (void)v_, (void)z_, (void)u_;
}

/* What several functions need of q and t.  Each inlines position() and keeps what it uses. */
struct position { double cos_q, sin_q, sin_q_int, cos_q_int, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14,
	x15, x16, x17, x18, x19, x20, x21, x22, x23, x24, x25, x26; };

static MBS_INLINE struct position position(const double *restrict c_, const struct mbs_state *s_)
{
	struct position k;
	const double t = s_->t, *q_ = s_->q;
	k.cos_q = cos(q_[q]);
	k.sin_q = sin(q_[q]);
	double t2 = q_[q] + q_[int_];
	k.sin_q_int = sin(t2);
	k.cos_q_int = cos(t2);
	double t3 = t*c_[om];
	k.x16 = cos(t3);
	k.x22 = sin(t3);
	k.x5 = k.sin_q*2.0;
	k.x6 = 1.0 - k.sin_q*k.x5;
	k.x7 = 2.5 - k.x6*0.5;
	k.x8 = 0.2 < q_[x] && !(q_[y] < 0.0);
	k.x9 = mbs_sign(q_[y]);
	k.x10 = q_[x]*q_[x];
	k.x11 = 1.0 + k.x10;
	double t4 = q_[q]*q_[q];
	k.x12 = k.x11 + t4;
	double t5 = q_[y]*q_[y];
	k.x13 = t5 + 1.5;
	k.x14 = q_[x]*0.3333333333333333;
	k.x15 = 1.0 - k.x10*0.0625;
	k.x17 = k.cos_q*k.x5;
	k.x18 = 1.0 - t5*0.04;
	k.x19 = 1.0 - q_[x];
	k.x20 = 2.0 + t5;
	k.x21 = c_[c_out]/k.x20;
	k.x23 = 1.0/(1.0+t4);
	k.x24 = q_[x] <= 0.0 || 0.5 < q_[y];
	k.x25 = q_[int_]*0.3333333333333333;
	k.x26 = tanh(q_[x]);
	return k;
}

static MBS_INLINE void constraint_matrix(const struct mbs_state *s_, const struct position k, double *restrict
	G)
{
	const double *q_ = s_->q;
	G[0] = k.cos_q;		/* G[hinge, x] */
	G[1] = k.sin_q;		/* G[roll, x] */
	G[2] = k.sin_q_int;	/* G[hinge, y] */
	G[3] = -k.cos_q;	/* G[roll, y] */
	double t2 = k.cos_q_int*q_[y];
	G[4] = t2 - k.sin_q*q_[x]; /* G[hinge, q] */
	G[5] = t2;		/* G[hinge, int] */
	G[6] = q_[y]*0.1;	/* G[roll, int] */
}

static void dynamics(const double *restrict c_, const struct mbs_state *s_, const struct mbs_dynamics *out_,
	double *w_)
{
	const struct position k = position(c_, s_);
	constraint_matrix(s_, k, out_->G);
	const double t = s_->t, *q_ = s_->q, *v_ = s_->v, *z_ = s_->z, *u_ = s_->u;
	double *M = out_->M, *f = out_->f, *zdot = out_->zdot;
	M[0] = k.x7;		/* M[x, x] */
	M[1] = k.x7;		/* M[y, y] */
	M[2] = 1.0 + c_[gamma_]*(cosh(q_[x])*0.25); /* M[q, q] */
	M[3] = c_[out];		/* M[int, int] */
	double t2 = 1.0/sqrt(k.x12),
		t3 = v_[x] + pow(k.x13, q_[x])*log(k.x13) + 0.3333333333333333*cosh(k.x14) + 0.25/sqrt(k.x15),
		t4 = sinh(q_[x])*(v_[q]*c_[gamma_]), t5 = k.x17*v_[x];
	double t6 = (k.x8 != 0 ? -q_[x]*u_[u] : z_[z]*k.x9) - mbs_spline(table_0, 5, 1, q_[x])*c_[s_out] -
		q_[x]*(c_[out]*(t2-2.0*exp(-k.x10)));
	f[x] = t6 - c_[double_]*t3 + v_[q]*(k.x16+0.125*t4-t5);
	double t7 = mbs_max(0.0, v_[y]), t8 = k.x17*v_[y];
	double t9 = (0.0 <= v_[y] ? 0.0 : mbs_min(0.0, v_[y])) + (v_[y] <= 0.0 ? 0.0 : t7*t7*c_[w]) +
		v_[q]*t8;
	double t10 = t9 - c_[double__by5]/sqrt(k.x18) + c_[out_by7]*outside_1(q_[y]) +
		2.0*q_[y]*(q_[x]*c_[double_]*pow(k.x13, -k.x19)+k.x21);
	f[y] = -t10;
	double t11 = fabs(v_[q]),
		t12 = c_[om]*k.x22*q_[x] + v_[y]*0.5*t8 - k.x23*c_[sin_x_double_] - t11*t11*mbs_sign(v_[q]);
	f[q] = t12 - q_[q]*c_[out]*t2 - v_[x]*(k.x16+0.25*t4-0.5*t5);
	double t13 = tan(k.x25);
	f[int_] = (k.x24 != 0 ? z_[z]*c_[t1] : z_[v]*outside(q_[x])) - q_[int_]*c_[out_p] -
		c_[double__by3]*(1.0+t13*t13);
	zdot[z] = z_[v] - z_[z] + u_[u]*k.x26;
	zdot[v] = atan2(v_[y], k.x11) - z_[v]*fabs(z_[z]);
	double t14 = k.cos_q*q_[x], t15 = k.sin_q_int*q_[y];
	if (out_->gamma) {
		double *gamma_2 = out_->gamma;
		double t16 = v_[q] + v_[int_];
		gamma_2[hinge] = -0.4 - v_[q]*(v_[x]*k.x5+v_[q]*t14) + t16*(k.cos_q_int*(2.0*v_[y])-t15*t16);
		gamma_2[roll] = k.cos_q*v_[x]*v_[q] - 0.3 + v_[y]*(v_[int_]*0.1+k.sin_q*v_[q]);
	}
	if (out_->g) {
		double *g = out_->g;
		g[hinge] = t14 + t15 - t*t*0.2;
	}
	if (out_->gt) {
		double *gt = out_->gt;
		gt[hinge] = -t*0.4;
		gt[roll] = -t*0.3;
	}
	(void)w_;
}

static void constraints(const double *restrict c_, const struct mbs_state *s_, const struct mbs_constraints
	*out_, double *w_)
{
	const struct position k = position(c_, s_);
	constraint_matrix(s_, k, out_->G);
	const double t = s_->t, *q_ = s_->q;
	double *g = out_->g;
	g[hinge] = k.cos_q*q_[x] + k.sin_q_int*q_[y] - t*t*0.2;
	if (out_->gt) {
		double *gt = out_->gt;
		gt[hinge] = -t*0.4;
		gt[roll] = -t*0.3;
	}
	(void)w_;
}

static void residual(const double *restrict c_, const struct mbs_state *s_, const struct mbs_residual *out_,
	double *w_)
{
	const struct position k = position(c_, s_);
	const double t = s_->t, *q_ = s_->q, *v_ = s_->v, *a = s_->a, *lambda = s_->lambda, *z_ = s_->z,
		*u_ = s_->u;
	double *r = out_->r, *zdot = out_->zdot;
	double t2 = 1.0/sqrt(k.x12),
		t3 = v_[x] + pow(k.x13, q_[x])*log(k.x13) + 0.3333333333333333*cosh(k.x14) + 0.25/sqrt(k.x15),
		t4 = sinh(q_[x])*(v_[q]*c_[gamma_]), t5 = k.x17*v_[x];
	double t6 = (k.x8 != 0 ? -q_[x]*u_[u] : z_[z]*k.x9) - mbs_spline(table_0, 5, 1, q_[x])*c_[s_out] -
		q_[x]*(c_[out]*(t2-2.0*exp(-k.x10)));
	double t7 = t6 - c_[double_]*t3 + v_[q]*(k.x16+0.125*t4-t5) - k.cos_q*lambda[hinge] -
		k.sin_q*lambda[roll];
	r[x] = a[x]*k.x7 - t7;
	double t8 = mbs_max(0.0, v_[y]), t9 = k.x17*v_[y];
	double t10 = (0.0 <= v_[y] ? 0.0 : mbs_min(0.0, v_[y])) + (v_[y] <= 0.0 ? 0.0 : t8*t8*c_[w]) +
		v_[q]*t9;
	double t11 = t10 - c_[double__by5]/sqrt(k.x18) + c_[out_by7]*outside_1(q_[y]) +
		2.0*q_[y]*(q_[x]*c_[double_]*pow(k.x13, -k.x19)+k.x21);
	r[y] = t11 + k.sin_q_int*lambda[hinge] - k.cos_q*lambda[roll] + a[y]*k.x7;
	double t12 = fabs(v_[q]), t13 = k.cos_q_int*q_[y];
	double t14 = v_[y]*0.5*t9 - k.x23*c_[sin_x_double_] - t12*t12*mbs_sign(v_[q]) - q_[q]*c_[out]*t2 -
		v_[x]*(k.x16+0.25*t4-0.5*t5);
	double t15 = t14 - lambda[hinge]*t13 + q_[x]*(c_[om]*k.x22+k.sin_q*lambda[hinge]) -
		a[q]*(1.0+c_[gamma_]*(cosh(q_[x])*0.25));
	r[q] = -t15;
	double t16 = tan(k.x25);
	double t17 = (k.x24 != 0 ? z_[z]*c_[t1] : z_[v]*outside(q_[x])) - q_[int_]*c_[out_p] -
		c_[double__by3]*(1.0+t16*t16);
	r[int_] = a[int_]*c_[out] - t17 + q_[y]*(k.cos_q_int*lambda[hinge]+0.1*lambda[roll]);
	zdot[z] = z_[v] - z_[z] + u_[u]*k.x26;
	zdot[v] = atan2(v_[y], k.x11) - z_[v]*fabs(z_[z]);
	double t18 = k.sin_q*q_[x], t19 = v_[q] + v_[int_], t20 = q_[y]*0.1;
	if (out_->g) {
		double *g = out_->g;
		g[hinge] = k.cos_q*q_[x] + k.sin_q_int*q_[y] - t*t*0.2;
	}
	if (out_->gv) {
		double *gv = out_->gv;
		gv[hinge] = k.cos_q*v_[x] - t*0.4 - v_[q]*t18 + k.sin_q_int*v_[y] + t13*t19;
		gv[roll] = k.sin_q*v_[x] - t*0.3 - k.cos_q*v_[y] + v_[int_]*t20;
	}
	if (out_->ga) {
		double *ga = out_->ga;
		double t21 = v_[x]*v_[q];
		double t22 = 0.4 + k.sin_q*(2.0*t21+q_[x]*a[q]) - k.cos_q*(a[x]-q_[x]*(v_[q]*v_[q])) -
			k.sin_q_int*(a[y]-q_[y]*(t19*t19));
		ga[hinge] = k.cos_q_int*(t19*(2.0*v_[y])+q_[y]*(a[q]+a[int_])) - t22;
		double t23 = 0.3 - v_[y]*v_[int_]*0.1 - a[int_]*t20 - k.sin_q*(a[x]+v_[y]*v_[q]) +
			k.cos_q*(a[y]-t21);
		ga[roll] = -t23;
	}
	if (out_->Gtmu) {
		const double *mu = s_->mu;
		double *Gtmu = out_->Gtmu;
		Gtmu[x] = k.cos_q*mu[hinge] + k.sin_q*mu[roll];
		Gtmu[y] = k.sin_q_int*mu[hinge] - k.cos_q*mu[roll];
		Gtmu[q] = mu[hinge]*(t13-t18);
		Gtmu[int_] = q_[y]*(k.cos_q_int*mu[hinge]+0.1*mu[roll]);
	}
	(void)w_;
}

static void jacobian(const double *restrict c_, const struct mbs_state *s_, const struct mbs_jacobian *out_,
	double *w_)
{
	const struct position k = position(c_, s_);
	constraint_matrix(s_, k, out_->G);
	const double *q_ = s_->q, *v_ = s_->v, *a = s_->a, *lambda = s_->lambda, *z_ = s_->z, *u_ = s_->u;
	double *rq = out_->rq, *rv = out_->rv, *M = out_->M, *rz = out_->rz, *zq = out_->zq, *zv = out_->zv,
		*zz = out_->zz;
	double t2 = 1.0/sqrt(k.x12), t3 = exp(-k.x10), t4 = cosh(q_[x]), t5 = v_[q]*v_[q], t6 = t2*t2,
		t7 = t2*t6, t8 = q_[x]*c_[out], t9 = pow(k.x13, q_[x]), t10 = log(k.x13),
		t11 = 1.0/sqrt(k.x15);
	double t12 = c_[out]*(t2-2.0*t3) - (k.x8 != 0 ? -u_[u] : 0.0) - c_[gamma__by8]*t4*t5 +
		c_[s_out]*mbs_spline(table_0, 5, 2, q_[x]);
	/* rq[x, x] */
	rq[0] = t12 + q_[x]*((t3*4.0-t7)*t8) +
		c_[double_]*(sinh(k.x14)*0.1111111111111111+t9*t10*t10+q_[x]*t11*t11*t11*0.015625);
	double t13 = pow(k.x13, -k.x19), t14 = c_[double_]*t13;
	rq[1] = 2.0*q_[y]*((1.0+q_[x]*t10)*t14); /* rq[y, x] */
	double t15 = v_[x]*v_[q], t16 = t4*0.25, t17 = sinh(q_[x]), t18 = 0.25*t17,
		t19 = k.sin_q*lambda[hinge] + q_[q]*t8*t7;
	rq[2] = c_[gamma_]*(t15*t16+a[q]*t18) - c_[om]*k.x22 - t19; /* rq[q, x] */
	rq[3] = -(k.x24 != 0 ? 0.0 : z_[v]*outside_1(q_[x])); /* rq[int, x] */
	double t20 = 2.0*q_[x];
	rq[4] = q_[y]*c_[double_]*(t13*t10*t20+2.0*t9/k.x13); /* rq[x, y] */
	double t21 = 1.0/sqrt(k.x18);
	double t22 = 4.0*(q_[y]*(q_[x]*c_[double_]*k.x19*pow(k.x13, q_[x]-2.0)+k.x21/k.x20)) +
		c_[double__by125]*t21*t21*t21;
	rq[5] = t20*t14 + 2.0*k.x21 + c_[out_by7]*outside_11(q_[y]) - q_[y]*t22; /* rq[y, y] */
	double t23 = k.cos_q_int*lambda[hinge];
	rq[6] = t23;		/* rq[q, y] */
	rq[7] = t23 + 0.1*lambda[roll]; /* rq[int, y] */
	double t24 = 2.0*t15;
	rq[8] = k.cos_q*lambda[roll] + k.x6*t24 + k.x17*a[x] - t19; /* rq[x, q] */
	double t25 = 2.0*v_[y];
	rq[9] = k.sin_q*lambda[roll] + t23 + k.x6*v_[q]*t25 + k.x17*a[y]; /* rq[y, q] */
	double t26 = v_[y]*v_[y], t27 = k.cos_q*q_[x], t28 = k.sin_q_int*q_[y], t29 = t27 + t28;
	double t30 = c_[twice_sin_x_double_]*q_[q]*k.x23*k.x23 - c_[out]*t2*(1.0-q_[q]*q_[q]*t6) +
		k.x6*(v_[x]*v_[x]+t26);
	rq[10] = -t30 - lambda[hinge]*t29; /* rq[q, q] */
	double t31 = t28*lambda[hinge];
	rq[11] = -t31;		/* rq[int, q] */
	rq[12] = t23;		/* rq[y, int] */
	rq[13] = rq[11];	/* rq[q, int] */
	double t32 = tan(k.x25);
	rq[14] = c_[out_p] - t31 + c_[double__x2_by9]*t32*(1.0+t32*t32); /* rq[int, int] */
	double t33 = k.x17*v_[q];
	rv[0] = c_[double_] + t33; /* rv[x, x] */
	double t34 = k.x16 + 0.25*(t17*(v_[q]*c_[gamma_])) - k.x17*v_[x];
	rv[1] = t34;		/* rv[q, x] */
	double t35 = 0.0 <= v_[y], t36 = v_[y] <= 0.0;
	/* rv[y, y] */
	rv[2] = t33 + (t35 != 0 ? 0.0 : (t35 != 0 ? 0.0 : 1.0)) + (t36 != 0 ? 0.0 : c_[twice_w]*mbs_max(0.0,
		v_[y])*(t36 != 0 ? 0.0 : 1.0));
	double t37 = k.x17*v_[y];
	rv[3] = -t37;		/* rv[q, y] */
	rv[4] = -t34;		/* rv[x, q] */
	rv[5] = t37;		/* rv[y, q] */
	double t38 = mbs_sign(v_[q]);
	rv[6] = v_[x]*c_[gamma_]*t18 + 2.0*fabs(v_[q])*t38*t38; /* rv[q, q] */
	M[0] = k.x7;		/* M[x, x] */
	M[1] = k.x7;		/* M[y, y] */
	M[2] = 1.0 + c_[gamma_]*t16; /* M[q, q] */
	M[3] = c_[out];		/* M[int, int] */
	rz[0] = -(k.x8 != 0 ? 0.0 : k.x9); /* rz[x, z] */
	rz[1] = -(k.x24 != 0 ? c_[t1] : 0.0); /* rz[int, z] */
	rz[2] = -(k.x24 != 0 ? 0.0 : outside(q_[x])); /* rz[int, v] */
	zq[0] = u_[u]*(1.0-k.x26*k.x26); /* zq[z, x] */
	double t39 = 1.0/(t26+k.x11*k.x11);
	zq[1] = -v_[y]*t39*t20;	/* zq[v, x] */
	zv[0] = k.x11*t39;	/* zv[v, y] */
	zz[0] = -1.0;		/* zz[z, z] */
	zz[1] = -z_[v]*mbs_sign(z_[z]); /* zz[v, z] */
	zz[2] = 1.0;		/* zz[z, v] */
	zz[3] = -fabs(z_[z]);	/* zz[v, v] */
	double t40 = k.sin_q*v_[q], t41 = v_[q] + v_[int_], t42 = k.cos_q_int*t41, t43 = v_[int_]*0.1,
		t44 = t28*t41, t45 = k.cos_q*v_[x] + k.sin_q*v_[y];
	if (out_->gvq) {
		double *gvq = out_->gvq;
		gvq[0] = -t40;	/* gvq[hinge, x] */
		gvq[1] = t42;	/* gvq[hinge, y] */
		gvq[2] = t43;	/* gvq[roll, y] */
		double t46 = t44 - k.cos_q_int*v_[y];
		gvq[3] = -k.sin_q*v_[x] - v_[q]*t27 - t46; /* gvq[hinge, q] */
		gvq[4] = t45;	/* gvq[roll, q] */
		gvq[5] = -t46;	/* gvq[hinge, int] */
	}
	if (out_->gaq) {
		double *gaq = out_->gaq, *gav = out_->gav;
		double t47 = k.cos_q*v_[q];
		gaq[0] = -v_[q]*t47 - k.sin_q*a[q]; /* gaq[hinge, x] */
		double t48 = t41*t41, t49 = a[q] + a[int_];
		gaq[1] = k.cos_q_int*t49 - k.sin_q_int*t48; /* gaq[hinge, y] */
		gaq[2] = a[int_]*0.1; /* gaq[roll, y] */
		double t50 = k.sin_q_int*(t41*t25+q_[y]*t49) - k.cos_q_int*(a[y]-q_[y]*t48);
		gaq[3] = k.sin_q*(q_[x]*t5-a[x]) - k.cos_q*(t24+q_[x]*a[q]) - t50; /* gaq[hinge, q] */
		gaq[4] = k.sin_q*(a[y]-t15) + k.cos_q*(a[x]+v_[y]*v_[q]); /* gaq[roll, q] */
		gaq[5] = -t50;	/* gaq[hinge, int] */
		gav[0] = -v_[q]*k.x5; /* gav[hinge, x] */
		gav[1] = t47;	/* gav[roll, x] */
		gav[2] = 2.0*t42; /* gav[hinge, y] */
		gav[3] = t43 + t40; /* gav[roll, y] */
		double t51 = k.cos_q_int*t25 - 2.0*t44;
		gav[4] = -v_[x]*k.x5 - t47*t20 + t51; /* gav[hinge, q] */
		gav[5] = t45;	/* gav[roll, q] */
		gav[6] = t51;	/* gav[hinge, int] */
		gav[7] = v_[y]*0.1; /* gav[roll, int] */
	}
	if (out_->gmuq) {
		const double *mu = s_->mu;
		double *gmuq = out_->gmuq;
		double t52 = k.sin_q*mu[hinge];
		gmuq[0] = -t52;	/* gmuq[q, x] */
		double t53 = k.cos_q_int*mu[hinge];
		gmuq[1] = t53;	/* gmuq[q, y] */
		gmuq[2] = t53 + 0.1*mu[roll]; /* gmuq[int, y] */
		gmuq[3] = k.cos_q*mu[roll] - t52; /* gmuq[x, q] */
		gmuq[4] = k.sin_q*mu[roll] + t53; /* gmuq[y, q] */
		gmuq[5] = -mu[hinge]*t29; /* gmuq[q, q] */
		gmuq[6] = -t28*mu[hinge]; /* gmuq[int, q] */
		gmuq[7] = t53;	/* gmuq[y, int] */
		gmuq[8] = gmuq[6]; /* gmuq[q, int] */
		gmuq[9] = gmuq[8]; /* gmuq[int, int] */
	}
	if (out_->ru) {
		double *ru = out_->ru, *zu = out_->zu;
		ru[0] = -(k.x8 != 0 ? -q_[x] : 0.0); /* ru[x, u] */
		zu[0] = k.x26;	/* zu[z, u] */
	}
	(void)w_;
}

static void energy(const double *restrict c_, const struct mbs_state *s_, double *E, double *w_)
{
	const struct position k = position(c_, s_);
	const double *q_ = s_->q, *v_ = s_->v;
	double t2 = c_[half_out]*v_[int_]*v_[int_] +
		v_[q]*(k.x16*q_[x]+v_[q]*(0.5+c_[gamma__by8]*cosh(q_[x])));
	E[0] = t2 + (1.25-k.x6*0.25)*(v_[x]*v_[x]+v_[y]*v_[y]); /* T */
	double t3 = exp(-k.x10) + sqrt(k.x12) + log(k.x20)*c_[c] + mbs_spline(table_0, 5, 0, q_[x])*c_[s];
	double t4 = asin(q_[x]*0.25) + acos(q_[y]*0.2) + sinh(k.x14) + tan(k.x25) + pow(k.x13, q_[x]) +
		atan(q_[q])*c_[sin_x];
	/* U */
	E[1] = (t3+outside(q_[y])*0.14285714285714285+c_[half_p]*q_[int_]*q_[int_])*c_[out] + t4*c_[double_];
	(void)w_;
}

static void outputs(const double *restrict c_, const struct mbs_state *s_, double *y_, double *w_)
{
	const double *v_ = s_->v, *a = s_->a, *u_ = s_->u;
	y_[0] = a[x] + v_[x]*u_[u]; /* power */
	(void)c_, (void)w_;
}

static void power(const double *restrict c_, const struct mbs_state *s_, double *P, double *w_)
{
	const struct position k = position(c_, s_);
	const double t = s_->t, *q_ = s_->q, *v_ = s_->v, *a = s_->a, *lambda = s_->lambda, *z_ = s_->z,
		*u_ = s_->u;
	double t2 = mbs_max(0.0, v_[y]),
		t3 = v_[y]*((0.0 <= v_[y] ? 0.0 : mbs_min(0.0, v_[y]))+(v_[y] <= 0.0 ? 0.0 : t2*t2*c_[w])),
		t4 = fabs(v_[q]);
	double t5 = t3 + v_[q]*t4*t4*mbs_sign(v_[q]) - v_[int_]*(k.x24 != 0 ? z_[z]*c_[t1] :
		z_[v]*outside(q_[x]));
	double t6 = t5 - k.x16*q_[x]*a[q] - v_[x]*((k.x8 != 0 ? -q_[x]*u_[u] :
		z_[z]*k.x9)-v_[x]*c_[double_]+k.x16*v_[q]);
	P[0] = -t6 - t*(lambda[hinge]*0.4+0.3*lambda[roll]); /* power */
	(void)w_;
}

static const struct mbs_name param_names[] = { {"c", "", 4}, {"s", "", 4}, {"w", "", 4}, {"out", "", 4},
	{"p", "", 4}, {"gamma", "", 4}, {"sin_x", "", 4}, {"double", "", 4}, {"t1", "", 4},
	{"om", "rad/s", 4} };
static const struct mbs_name coord_names[] = { {"x", "", 5}, {"y", "", 5}, {"q", "", 5}, {"int", "", 5} };
static const struct mbs_name state_names[] = { {"z", "", 7}, {"v", "", 7} };
static const struct mbs_name input_names[] = { {"u", "", 6} };
static const struct mbs_name output_names[] = { {"power", "", 21} };
static const struct mbs_name constraint_names[] = { {"hinge", "s^2", 18}, {"roll", "s", 19} };

static const int i0[] = { 0, 1, 2, 3, 4 };
static const int i1[] = { 0, 2, 4, 5, 7 };
static const int i2[] = { 0, 1, 0, 1, 0, 0, 1 };
static const int i3[] = { 0, 4, 8, 12, 15 };
static const int i4[] = { 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3 };
static const int i5[] = { 0, 2, 4, 7, 7 };
static const int i6[] = { 0, 2, 1, 2, 0, 1, 2 };
static const int i7[] = { 0, 2, 3 };
static const int i8[] = { 0, 3, 3 };
static const int i9[] = { 0, 2, 2, 2, 2 };
static const int i10[] = { 0, 0, 1, 1, 1 };
static const int i11[] = { 1 };
static const int i12[] = { 0, 1, 3, 5, 6 };
static const int i13[] = { 0, 0, 1, 0, 1, 0 };
static const int i14[] = { 0, 2, 4, 6, 8 };
static const int i15[] = { 0, 1, 0, 1, 0, 1, 0, 1 };
static const int i16[] = { 0, 1, 3, 7, 10 };
static const int i17[] = { 2, 2, 3, 0, 1, 2, 3, 1, 2, 3 };

extern const struct mbs_model everything_model;
const struct mbs_model everything_model = {
	.abi = MBS_ABI,
	.name = "everything",
	.title = "All at once: */ \?\?/ %s %n \\ /* // end\\",
	.source = "everything.mbs",
	.nq = 4, .nz = 2, .nu = 1, .ny = 1, .np = 10, .ng = 1, .nh = 1, .nc = 24, .nw = 0,
	.coord = coord_names,
	.state = state_names,
	.input = input_names,
	.output = output_names,
	.param = param_names,
	.constraint = constraint_names,
	.q_init = (const unsigned char[]){ 2, 2, 1, 0 },
	.v_init = (const unsigned char[]){ 0, 0, 0, 2 },
	.M = { 4, 4, 4, i0, i0 },
	.G = { 2, 4, 7, i1, i2 },
	.rq = { 4, 4, 15, i3, i4 },
	.rv = { 4, 4, 7, i5, i6 },
	.rz = { 4, 2, 3, i7, i8 },
	.ru = { 4, 1, 1, i0, i0 },
	.zq = { 2, 4, 2, i9, i0 },
	.zv = { 2, 4, 1, i10, i11 },
	.zz = { 2, 2, 4, i1, i2 },
	.zu = { 2, 1, 1, i0, i0 },
	.gvq = { 2, 4, 6, i12, i13 },
	.gaq = { 2, 4, 6, i12, i13 },
	.gav = { 2, 4, 8, i14, i15 },
	.gmuq = { 4, 4, 10, i16, i17 },
	.experiment = { NAN, 1.0, NAN, NAN, NAN, NAN, 0, 0 },
	.defaults = defaults, .setup = setup, .initial = initial, .dynamics = dynamics,
		.constraints = constraints, .residual = residual, .jacobian = jacobian, .energy = energy,
		.outputs = outputs, .power = power,
};
