/* a x b */
static MBS_INLINE void NAME(cross_motion)(const number *a, const double *b, number *o)
{
	for (int i = 0; i < 3; i++) {
		int j = (i + 1) % 3, k = (i + 2) % 3;
		o[i] = a[j]*b[k] - a[k]*b[j];
		o[3 + i] = a[j]*b[3 + k] - a[k]*b[3 + j] + a[3 + j]*b[k] - a[3 + k]*b[j];
	}
}
/* a x* F */
static MBS_INLINE void NAME(cross_force)(const double *a, const number *F, number *o)
{
	for (int i = 0; i < 3; i++) {
		int j = (i + 1) % 3, k = (i + 2) % 3;
		o[i] = a[j]*F[k] - a[k]*F[j] + a[3 + j]*F[3 + k] - a[3 + k]*F[3 + j];
		o[3 + i] = a[j]*F[3 + k] - a[k]*F[3 + j];
	}
}
static MBS_INLINE void NAME(to_parent)(const struct frame *f, number *F)
{
	number n[3], g[3];
	for (int i = 0; i < 3; i++) {
		n[i] = f->E[3*i]*F[0] + f->E[3*i + 1]*F[1] + f->E[3*i + 2]*F[2];
		g[i] = f->E[3*i]*F[3] + f->E[3*i + 1]*F[4] + f->E[3*i + 2]*F[5];
	}
	for (int i = 0; i < 3; i++) {
		int j = (i + 1) % 3, k = (i + 2) % 3;
		F[i] = n[i] + f->r[j]*g[k] - f->r[k]*g[j];
		F[3 + i] = g[i];
	}
}
static MBS_INLINE void NAME(to_child)(const struct frame *f, const number *p, number *v)
{
	number u[3];
	for (int i = 0; i < 3; i++) {
		int j = (i + 1) % 3, k = (i + 2) % 3;
		u[i] = p[3 + i] + p[j]*f->r[k] - p[k]*f->r[j];
	}
	for (int i = 0; i < 3; i++) {
		v[i] = f->E[i]*p[0] + f->E[3 + i]*p[1] + f->E[6 + i]*p[2];
		v[3 + i] = f->E[i]*u[0] + f->E[3 + i]*u[1] + f->E[6 + i]*u[2];
	}
}
