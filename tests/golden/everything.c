/* SPDX-License-Identifier: 0BSD
 *
 * everything: All at once: * / ?!/ %s %n | / * / / end|
 * Made by mbsc X from everything.mbs.  This file carries no obligation: use it as you like.
 *
 *   coordinates  x, y, q, int
 *   states       z, v
 *   inputs       u
 *   outputs      power
 *   constraints  hinge, roll
 *
 *   operations       + -       *       /    sqrt sin,cos   other
 *   dynamics          52      75       5       3       6      32
 *   constraints        4       9       0       0       4       0
 *   residual          82     110       5       3       6      32
 *   jacobian          83     160       7       3       6      39
 *   energy            21      27       0       1       2      11
 *   outputs            1       1       0       0       0       0
 *   setup              0      15       0       0       0       0
 *   factor             8      19       5       0       0       0
 *   solve             16      22       0       0       0       0
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

static void defaults(double *p_, const unsigned char *given)
{
	static const double value[] = { 1.25, 0.5, 0.0, 2.0, 0.0, 0.3, 0.7, 1.5, 0.25, 1.1 };
	for (int i = 0; i < 10; i++)
		if (!given || !given[i])
			p_[i] = value[i];
	if (!given || !given[2]) {
		p_[2] = p_[c]*p_[s] + 1.0;
	}
	if (!given || !given[4]) {
		p_[4] = p_[w]*p_[w];
	}
}

static void setup(const double *restrict p_, double *restrict c_)
{
	for (int i = 0; i < 10; i++)
		c_[i] = p_[i];
	double t2 = c_[10] = p_[sin_x]*p_[double_];
	c_[11] = p_[out]*p_[p];
	c_[12] = p_[s]*p_[out];
	c_[13] = p_[c]*p_[out];
	c_[14] = p_[gamma_]*0.25;
	c_[15] = p_[double_]*0.2;
	c_[16] = p_[out]*0.14285714285714285;
	c_[17] = p_[double_]*0.3333333333333333;
	c_[18] = p_[gamma_]*0.125;
	c_[19] = p_[double_]*0.008;
	c_[20] = t2*2.0;
	c_[21] = p_[double_]*0.2222222222222222;
	c_[22] = p_[w]*2.0;
	c_[23] = p_[out]*0.5;
	c_[24] = p_[p]*0.5;
}

static void initial(const double *c_, double *q_, double *v_, double *z_, double *u_)
{
	q_[0] = z_[0] = 0.1;
	q_[1] = 0.2;
	q_[2] = 0.3;
	q_[3] = v_[0] = v_[1] = v_[2] = z_[1] = 0.0;
	v_[3] = c_[c];
	u_[0] = 0.5;
	(void)c_, (void)q_, (void)v_, (void)z_, (void)u_;
}

static void dynamics(const double *restrict c_, const struct mbs_state *s_, const struct mbs_dynamics *out_,
	double *restrict w_)
{
	const double t = s_->t, *q_ = s_->q, *v_ = s_->v, *z_ = s_->z, *u_ = s_->u;
	double *M = out_->M, *f = out_->f, *G = out_->G, *zdot = out_->zdot;
	double sin_q = G[1] = sin(q_[q]), cos_q = G[0] = cos(q_[q]), t2 = t*c_[om], t3 = cos(t2),
		t4 = sin(t2), t5 = q_[q] + q_[int_], sin_q_int_ = G[2] = sin(t5), cos_q_int_ = cos(t5),
		t6 = sin_q*2.0;
	M[0] = M[1] = 2.5 - (1.0-sin_q*t6)*0.5;
	M[2] = 1.0 + c_[14]*cosh(q_[x]);
	double t7 = q_[x]*q_[x], t8 = 1.0 + t7, t9 = q_[q]*q_[q], t10 = 1.0/sqrt(t8 + t9), t11 = q_[y]*q_[y],
		t12 = t11 + 1.5;
	double t13 = v_[x] + pow(t12, q_[x])*log(t12) + 0.3333333333333333*cosh(q_[x]*0.3333333333333333) +
		0.25/sqrt(1.0 - t7*0.0625);
	double t14 = sinh(q_[x])*(v_[q]*c_[gamma_]), t15 = cos_q*t6, t16 = t15*v_[x];
	double t17 = ((0.2 < q_[x] && !(q_[y] < 0.0)) ? -q_[x]*u_[u] : z_[z]*mbs_sign(q_[y])) -
		mbs_spline(table_0, 5, 1, q_[x])*c_[12];
	f[0] = t17 - q_[x]*(c_[out]*(t10-2.0*exp(-t7))) - c_[double_]*t13 + v_[q]*(t3+0.125*t14-t16);
	double t18 = t15*v_[y], t19 = mbs_max(0.0, v_[y]);
	double t20 = v_[q]*t18 + (0.0 <= v_[y] ? 0.0 : mbs_min(0.0, v_[y])) + (v_[y] <= 0.0 ? 0.0 :
		t19*t19*c_[w]);
	double t21 = t20 - c_[15]/sqrt(1.0 - t11*0.04) + c_[16]*outside_1(q_[y]) + 2.0*q_[y]*(q_[x]*pow(t12,
		q_[x]-1.0)*c_[double_]+c_[13]/(2.0+t11));
	f[1] = -t21;
	double t22 = fabs(v_[q]);
	double t23 = c_[om]*t4*q_[x] - c_[10]/(1.0+t9) - q_[q]*c_[out]*t10 - t22*t22*mbs_sign(v_[q]) +
		v_[y]*0.5*t18;
	f[2] = t23 - v_[x]*(t3+0.25*t14-0.5*t16);
	double t24 = tan(q_[int_]*0.3333333333333333),
		t25 = ((q_[x] <= 0.0 || 0.5 < q_[y]) ? z_[z]*c_[t1] : z_[v]*outside(q_[x])) - q_[int_]*c_[11];
	f[3] = t25 - c_[17]*(1.0+t24*t24);
	G[3] = -cos_q;
	double t26 = G[5] = cos_q_int_*q_[y];
	G[4] = t26 - sin_q*q_[x];
	G[6] = q_[y]*0.1;
	zdot[0] = z_[v] - z_[z] + u_[u]*tanh(q_[x]);
	zdot[1] = atan2(v_[y], t8) - z_[v]*fabs(z_[z]);
	double t27 = cos_q*q_[x], t28 = sin_q_int_*q_[y];
	M[3] = c_[out];
	if (out_->gamma) {
		double *gamma_2 = out_->gamma;
		double t29 = v_[q] + v_[int_];
		gamma_2[0] = -0.4 - v_[q]*(v_[x]*t6+v_[q]*t27) + t29*(cos_q_int_*2.0*v_[y]-t28*t29);
		gamma_2[1] = cos_q*v_[x]*v_[q] - 0.3 + v_[y]*(sin_q*v_[q]+v_[int_]*0.1);
	}
	if (out_->g) {
		double *g = out_->g;
		g[0] = t27 + t28 - t*t*0.2;
	}
	if (out_->gt) {
		double *gt = out_->gt;
		gt[0] = -t*0.4;
		gt[1] = -t*0.3;
	}
	(void)w_;
}

static void constraints(const double *restrict c_, const struct mbs_state *s_, const struct mbs_constraints
	*out_, double *restrict w_)
{
	const double t = s_->t, *q_ = s_->q;
	double *g = out_->g, *G = out_->G;
	double cos_q = G[0] = cos(q_[q]), sin_q = G[1] = sin(q_[q]), t2 = q_[q] + q_[int_],
		sin_q_int_ = G[2] = sin(t2), cos_q_int_ = cos(t2);
	g[0] = cos_q*q_[x] + sin_q_int_*q_[y] - t*t*0.2;
	G[3] = -cos_q;
	double t3 = G[5] = cos_q_int_*q_[y];
	G[4] = t3 - sin_q*q_[x];
	G[6] = q_[y]*0.1;
	if (out_->gt) {
		double *gt = out_->gt;
		gt[0] = -t*0.4;
		gt[1] = -t*0.3;
	}
	(void)c_, (void)w_;
}

static void residual(const double *restrict c_, const struct mbs_state *s_, const struct mbs_residual *out_,
	double *restrict w_)
{
	const double t = s_->t, *q_ = s_->q, *v_ = s_->v, *a = s_->a, *lambda = s_->lambda, *z_ = s_->z,
		*u_ = s_->u;
	double *r = out_->r, *zdot = out_->zdot;
	double cos_q = cos(q_[q]), sin_q = sin(q_[q]), t2 = t*c_[om], t3 = cos(t2), t4 = sin(t2),
		t5 = q_[q] + q_[int_], sin_q_int_ = sin(t5), cos_q_int_ = cos(t5), t6 = q_[x]*q_[x],
		t7 = 1.0 + t6, t8 = q_[q]*q_[q], t9 = 1.0/sqrt(t7 + t8), t10 = q_[y]*q_[y], t11 = t10 + 1.5;
	double t12 = v_[x] + pow(t11, q_[x])*log(t11) + 0.3333333333333333*cosh(q_[x]*0.3333333333333333) +
		0.25/sqrt(1.0 - t6*0.0625);
	double t13 = v_[q]*sinh(q_[x]), t14 = sin_q*2.0, t15 = cos_q*t14, t16 = t15*v_[x],
		t17 = 2.5 - (1.0-sin_q*t14)*0.5;
	double t18 = ((0.2 < q_[x] && !(q_[y] < 0.0)) ? -q_[x]*u_[u] : z_[z]*mbs_sign(q_[y])) -
		mbs_spline(table_0, 5, 1, q_[x])*c_[12];
	double t19 = t18 - q_[x]*(c_[out]*(t9-2.0*exp(-t6))) - cos_q*lambda[hinge] - sin_q*lambda[roll] -
		c_[double_]*t12;
	r[0] = -t19 - v_[q]*(t3+c_[18]*t13-t16) + a[x]*t17;
	double t20 = t15*v_[y], t21 = mbs_max(0.0, v_[y]);
	double t22 = v_[q]*t20 + (0.0 <= v_[y] ? 0.0 : mbs_min(0.0, v_[y])) + (v_[y] <= 0.0 ? 0.0 :
		t21*t21*c_[w]);
	double t23 = t22 + sin_q_int_*lambda[hinge] - cos_q*lambda[roll] - c_[15]/sqrt(1.0 - t10*0.04) +
		c_[16]*outside_1(q_[y]);
	r[1] = t23 + 2.0*q_[y]*(q_[x]*pow(t11, q_[x]-1.0)*c_[double_]+c_[13]/(2.0+t10)) + a[y]*t17;
	double t24 = fabs(v_[q]), t25 = cos_q_int_*q_[y];
	double t26 = c_[10]/(1.0+t8) + q_[q]*c_[out]*t9 + t24*t24*mbs_sign(v_[q]) + lambda[hinge]*t25 -
		v_[y]*0.5*t20;
	r[2] = t26 + v_[x]*(t3+t13*c_[14]-0.5*t16) - q_[x]*(c_[om]*t4+sin_q*lambda[hinge]) +
		a[q]*(1.0+cosh(q_[x])*c_[14]);
	double t27 = tan(q_[int_]*0.3333333333333333),
		t28 = ((q_[x] <= 0.0 || 0.5 < q_[y]) ? z_[z]*c_[t1] : z_[v]*outside(q_[x])) - q_[int_]*c_[11];
	double t29 = t28 - a[int_]*c_[out] - c_[17]*(1.0+t27*t27) -
		q_[y]*(cos_q_int_*lambda[hinge]+0.1*lambda[roll]);
	r[3] = -t29;
	zdot[0] = z_[v] - z_[z] + u_[u]*tanh(q_[x]);
	zdot[1] = atan2(v_[y], t7) - z_[v]*fabs(z_[z]);
	double t30 = sin_q*q_[x], t31 = v_[q] + v_[int_], t32 = q_[y]*0.1;
	if (out_->g) {
		double *g = out_->g;
		g[0] = cos_q*q_[x] + sin_q_int_*q_[y] - t*t*0.2;
	}
	if (out_->gv) {
		double *gv = out_->gv;
		gv[0] = cos_q*v_[x] - v_[q]*t30 + sin_q_int_*v_[y] + t31*t25 - t*0.4;
		gv[1] = sin_q*v_[x] - cos_q*v_[y] - t*0.3 + v_[int_]*t32;
	}
	if (out_->ga) {
		double *ga = out_->ga;
		double t33 = v_[x]*v_[q];
		double t34 = 0.4 + sin_q*(2.0*t33+q_[x]*a[q]) - cos_q*(a[x]-q_[x]*v_[q]*v_[q]) -
			sin_q_int_*(a[y]-q_[y]*t31*t31);
		ga[0] = cos_q_int_*(2.0*v_[y]*t31+q_[y]*(a[q]+a[int_])) - t34;
		ga[1] = v_[y]*v_[int_]*0.1 - 0.3 + a[int_]*t32 + sin_q*(a[x]+v_[y]*v_[q]) - cos_q*(a[y]-t33);
	}
	if (out_->Gtmu) {
		const double *mu = s_->mu;
		double *Gtmu = out_->Gtmu;
		Gtmu[0] = cos_q*mu[hinge] + sin_q*mu[roll];
		Gtmu[1] = sin_q_int_*mu[hinge] - cos_q*mu[roll];
		Gtmu[2] = mu[hinge]*(t25-t30);
		Gtmu[3] = q_[y]*(cos_q_int_*mu[hinge]+0.1*mu[roll]);
	}
	(void)w_;
}

static void jacobian(const double *restrict c_, const struct mbs_state *s_, const struct mbs_jacobian *out_,
	double *restrict w_)
{
	const double t = s_->t, *q_ = s_->q, *v_ = s_->v, *a = s_->a, *lambda = s_->lambda, *z_ = s_->z,
		*u_ = s_->u;
	double *rq = out_->rq, *rv = out_->rv, *M = out_->M, *G = out_->G, *rz = out_->rz, *zq = out_->zq,
		*zv = out_->zv, *zz = out_->zz;
	double t2 = t*c_[om], t3 = sin(t2), t4 = cos(t2), sin_q = G[1] = sin(q_[q]),
		cos_q = G[0] = cos(q_[q]), t5 = q_[q] + q_[int_], cos_q_int_ = cos(t5),
		sin_q_int_ = G[2] = sin(t5), t6 = 0.2 < q_[x] && !(q_[y] < 0.0), t7 = q_[x]*q_[x],
		t8 = exp(-t7), t9 = 1.0 + t7, t10 = q_[q]*q_[q], t11 = 1.0/sqrt(t9 + t10), t12 = t11*t11,
		t13 = t11*t12, t14 = q_[x]*c_[out], t15 = cosh(q_[x]), t16 = v_[q]*v_[q], t17 = q_[y]*q_[y],
		t18 = t17 + 1.5, t19 = pow(t18, q_[x]), t20 = log(t18), t21 = 1.0/sqrt(1.0 - t7*0.0625);
	double t22 = sinh(q_[x]*0.3333333333333333)*0.1111111111111111 + t19*t20*t20 +
		q_[x]*t21*t21*t21*0.015625;
	double t23 = (t6 != 0 ? -u_[u] : 0.0) - mbs_spline(table_0, 5, 2, q_[x])*c_[12] -
		q_[x]*((t8*4.0-t13)*t14);
	rq[0] = -t23 - c_[18]*t15*t16 + c_[double_]*t22 + c_[out]*(t11-2.0*t8);
	double t24 = 1.0 - q_[x], t25 = pow(t18, -t24), t26 = t25*c_[double_];
	rq[1] = 2.0*q_[y]*(t26*(1.0+q_[x]*t20));
	double t27 = v_[x]*v_[q], t28 = sinh(q_[x]), t29 = q_[q]*t14*t13 + sin_q*lambda[hinge];
	rq[2] = c_[gamma_]*(t15*0.25*t27+a[q]*0.25*t28) - c_[om]*t3 - t29;
	double t30 = q_[x] <= 0.0 || 0.5 < q_[y];
	rq[3] = -(t30 != 0 ? 0.0 : z_[v]*outside_1(q_[x]));
	double t31 = 2.0*q_[x];
	rq[4] = q_[y]*c_[double_]*(t25*t20*t31+2.0*t19/t18);
	double t32 = 1.0/(2.0+t17), t33 = t32*c_[13], t34 = 1.0/sqrt(1.0 - t17*0.04);
	double t35 = q_[y]*(4.0*(q_[y]*(q_[x]*t24*c_[double_]*pow(t18,
		q_[x]-2.0)+t32*t33))+c_[19]*t34*t34*t34);
	rq[5] = t26*t31 + 2.0*t33 + c_[16]*outside_11(q_[y]) - t35;
	double t36 = rq[6] = rq[12] = cos_q_int_*lambda[hinge];
	rq[7] = t36 + 0.1*lambda[roll];
	double t37 = sin_q*2.0, t38 = cos_q*t37, t39 = 1.0 - sin_q*t37, t40 = 2.0*v_[q], t41 = t39*t40;
	rq[8] = cos_q*lambda[roll] + t38*a[x] + v_[x]*t41 - t29;
	rq[9] = sin_q*lambda[roll] + t36 + t38*a[y] + v_[y]*t41;
	double t42 = 1.0/(1.0+t10), t43 = v_[y]*v_[y], t44 = sin_q_int_*q_[y], t45 = cos_q*q_[x],
		t46 = t44 + t45;
	double t47 = c_[20]*q_[q]*t42*t42 - t11*c_[out]*(1.0-t10*t12) + t39*(t43+v_[x]*v_[x]) +
		lambda[hinge]*t46;
	rq[10] = -t47;
	double t48 = lambda[hinge]*t44;
	rq[11] = rq[13] = -t48;
	double t49 = tan(q_[int_]*0.3333333333333333);
	rq[14] = c_[11] - t48 + c_[21]*t49*(1.0+t49*t49);
	double t50 = t38*v_[q];
	rv[0] = t50 + c_[double_];
	double t51 = t28*c_[14], t52 = rv[1] = t4 - t38*v_[x] + v_[q]*t51, t53 = 0.0 <= v_[y],
		t54 = v_[y] <= 0.0;
	rv[2] = t50 + (t53 != 0 ? 0.0 : (t53 != 0 ? 0.0 : 1.0)) + (t54 != 0 ? 0.0 : c_[22]*mbs_max(0.0,
		v_[y])*(t54 != 0 ? 0.0 : 1.0));
	double t55 = rv[5] = t38*v_[y];
	rv[3] = -t55;
	rv[4] = -t52;
	double t56 = mbs_sign(v_[q]);
	rv[6] = v_[x]*t51 + 2.0*fabs(v_[q])*t56*t56;
	M[0] = M[1] = 2.5 - t39*0.5;
	M[2] = 1.0 + t15*c_[14];
	G[3] = -cos_q;
	double t57 = G[5] = cos_q_int_*q_[y];
	G[4] = t57 - sin_q*q_[x];
	G[6] = q_[y]*0.1;
	rz[0] = -(t6 != 0 ? 0.0 : mbs_sign(q_[y]));
	rz[1] = -(t30 != 0 ? c_[t1] : 0.0);
	rz[2] = -(t30 != 0 ? 0.0 : outside(q_[x]));
	double t58 = tanh(q_[x]);
	zq[0] = u_[u]*(1.0-t58*t58);
	double t59 = 1.0/(t43+t9*t9);
	zq[1] = -v_[y]*t59*t31;
	zv[0] = t9*t59;
	zz[0] = -1.0;
	zz[1] = -z_[v]*mbs_sign(z_[z]);
	zz[3] = -fabs(z_[z]);
	double t60 = sin_q*v_[q], t61 = v_[q] + v_[int_], t62 = v_[int_]*0.1, t63 = cos_q_int_*v_[y],
		t64 = cos_q*v_[x] + sin_q*v_[y];
	M[3] = c_[out];
	zz[2] = 1.0;
	if (out_->gvq) {
		double *gvq = out_->gvq;
		gvq[0] = -t60;
		gvq[1] = cos_q_int_*t61;
		double t65 = gvq[5] = t63 - t61*t44;
		gvq[3] = -sin_q*v_[x] - v_[q]*t45 + t65;
		gvq[2] = t62;
		gvq[4] = t64;
	}
	if (out_->gaq) {
		double *gaq = out_->gaq, *gav = out_->gav;
		gaq[0] = -cos_q*t16 - sin_q*a[q];
		double t66 = t61*t61, t67 = a[q] + a[int_];
		gaq[1] = cos_q_int_*t67 - sin_q_int_*t66;
		gaq[2] = a[int_]*0.1;
		double t68 = 2.0*t61, t69 = sin_q_int_*(v_[y]*t68+q_[y]*t67) - cos_q_int_*(a[y]-q_[y]*t66);
		gaq[3] = sin_q*(q_[x]*t16-a[x]) - cos_q*(v_[x]*t40+q_[x]*a[q]) - t69;
		gaq[4] = sin_q*(a[y]-t27) + cos_q*(a[x]+v_[y]*v_[q]);
		gaq[5] = -t69;
		gav[0] = -sin_q*t40;
		gav[1] = cos_q*v_[q];
		gav[2] = cos_q_int_*t68;
		gav[3] = t62 + t60;
		double t70 = gav[6] = 2.0*t63 - t44*t68;
		gav[4] = -v_[x]*t37 - t45*t40 + t70;
		gav[7] = v_[y]*0.1;
		gav[5] = t64;
	}
	if (out_->gmuq) {
		const double *mu = s_->mu;
		double *gmuq = out_->gmuq;
		double t71 = sin_q*mu[hinge];
		gmuq[0] = -t71;
		double t72 = gmuq[1] = gmuq[7] = cos_q_int_*mu[hinge];
		gmuq[2] = t72 + 0.1*mu[roll];
		gmuq[3] = cos_q*mu[roll] - t71;
		gmuq[4] = sin_q*mu[roll] + t72;
		gmuq[5] = -mu[hinge]*t46;
		gmuq[6] = gmuq[8] = gmuq[9] = -mu[hinge]*t44;
	}
	if (out_->ru) {
		double *ru = out_->ru, *zu = out_->zu;
		ru[0] = -(t6 != 0 ? -q_[x] : 0.0);
		zu[0] = t58;
	}
	(void)w_;
}

static void energy(const double *restrict c_, const struct mbs_state *s_, double *E, double *restrict w_)
{
	const double t = s_->t, *q_ = s_->q, *v_ = s_->v;
	double t2 = cos(t*c_[om]), t3 = cos(q_[q]*2.0);
	E[0] = c_[23]*v_[int_]*v_[int_] + v_[q]*(t2*q_[x]+v_[q]*(0.5+c_[18]*cosh(q_[x]))) +
		(1.25-t3*0.25)*(v_[x]*v_[x]+v_[y]*v_[y]);
	double t4 = q_[x]*q_[x], t5 = q_[y]*q_[y];
	double t6 = exp(-t4) + log(2.0 + t5)*c_[c] + sqrt(t4 + 1.0 + q_[q]*q_[q]) + mbs_spline(table_0, 5, 0,
		q_[x])*c_[s];
	double t7 = asin(q_[x]*0.25) + acos(q_[y]*0.2) + atan(q_[q])*c_[sin_x] +
		sinh(q_[x]*0.3333333333333333);
	E[1] = c_[out]*(t6+outside(q_[y])*0.14285714285714285+c_[24]*q_[int_]*q_[int_]) +
		(t7+tan(q_[int_]*0.3333333333333333)+pow(t5+1.5, q_[x]))*c_[double_];
	(void)w_;
}

static void outputs(const double *restrict c_, const struct mbs_state *s_, double *y_, double *restrict w_)
{
	const double *v_ = s_->v, *a = s_->a, *u_ = s_->u;
	y_[0] = a[x] + v_[x]*u_[u];
	(void)c_, (void)w_;
}

static int factor(const double *restrict M, const double *restrict G, double *restrict l)
{
	if (!(M[0] > 0)) return 1;
	if (!(M[0] > 0)) return 2;
	if (!(M[2] > 0)) return 3;
	if (!(M[3] > 0)) return 4;
	double t2 = l[0] = 1.0/M[0], t3 = l[1] = 1.0/M[2], t4 = l[2] = 1.0/M[3], t5 = l[3] = G[0]*t2,
		t6 = l[5] = G[2]*t2, t7 = l[7] = G[4]*t3, t8 = l[8] = G[5]*t4, t9 = l[4] = G[1]*t2,
		t10 = l[6] = G[3]*t2, t11 = l[9] = G[6]*t4, t12 = G[0]*t5 + G[2]*t6 + G[5]*t8 + G[4]*t7;
	if (!(t12 > 0)) return 5;
	double t13 = G[0]*t9 + G[2]*t10 + G[5]*t11, t14 = G[1]*t9 + G[3]*t10 + G[6]*t11,
		t15 = l[10] = 1.0/t12, t16 = l[11] = t13*t15, t17 = t14 - t13*t16;
	if (!(t17 > 1e-7*t14)) return 6;
	l[12] = 1.0/t17;
	return 0;
}

static void solve(const double *restrict l, double *restrict x_)
{
	const double b0 = x_[0], b1 = x_[1], b2 = x_[2], b3 = x_[3], b4 = x_[4], b5 = x_[5];
	double t2 = b0*l[3] + b1*l[5] + b3*l[8] + b2*l[7] - b4,
		t3 = x_[5] = (b0*l[4]+b1*l[6]+b3*l[9]-b5-t2*l[11])*l[12], t4 = x_[4] = t2*l[10] - l[11]*t3;
	x_[0] = b0*l[0] - l[3]*t4 - l[4]*t3;
	x_[1] = b1*l[0] - l[5]*t4 - l[6]*t3;
	x_[2] = b2*l[1] - l[7]*t4;
	x_[3] = b3*l[2] - l[8]*t4 - l[9]*t3;
}

static const struct mbs_name param_names[] = { { "c", "", 4 }, { "s", "", 4 }, { "w", "", 4 },
	{ "out", "", 4 }, { "p", "", 4 }, { "gamma", "", 4 }, { "sin_x", "", 4 }, { "double", "", 4 },
	{ "t1", "", 4 }, { "om", "rad/s", 4 } };
static const struct mbs_name coord_names[] = { { "x", "", 5 }, { "y", "", 5 }, { "q", "", 5 },
	{ "int", "", 5 } };
static const struct mbs_name state_names[] = { { "z", "", 7 }, { "v", "", 7 } };
static const struct mbs_name input_names[] = { { "u", "", 6 } };
static const struct mbs_name output_names[] = { { "power", "", 21 } };
static const struct mbs_name constraint_names[] = { { "hinge", "", 18 }, { "roll", "", 19 } };

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
	.nq = 4, .nz = 2, .nu = 1, .ny = 1, .np = 10, .ng = 1, .nh = 1, .nc = 25, .nw = 0, .nl = 13,
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
	.defaults = defaults, .setup = setup, .initial = initial,
	.dynamics = dynamics, .constraints = constraints, .residual = residual, .jacobian = jacobian,
		.energy = energy, .outputs = outputs,
	.factor = factor, .solve = solve,
};
