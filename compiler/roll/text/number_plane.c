/* a x b */
static MBS_INLINE void NAME(cross_motion)(const number *a, const double *b, number *o)
{
	o[0] = 0.0;
	o[1] = a[2]*b[0] - a[0]*b[2];
	o[2] = a[0]*b[1] - a[1]*b[0];
}
/* a x* F */
static MBS_INLINE void NAME(cross_force)(const double *a, const number *F, number *o)
{
	o[0] = a[1]*F[2] - a[2]*F[1];
	o[1] = -a[0]*F[2];
	o[2] = a[0]*F[1];
}
static MBS_INLINE void NAME(to_parent)(const struct frame *f, number *F)
{
	number x = f->c*F[1] - f->s*F[2], y = f->s*F[1] + f->c*F[2];
	F[0] += f->x*y - f->y*x;
	F[1] = x, F[2] = y;
}
static MBS_INLINE void NAME(to_child)(const struct frame *f, const number *p, number *v)
{
	number x = p[1] - p[0]*f->y, y = p[2] + p[0]*f->x;
	v[0] = p[0];
	v[1] = f->c*x + f->s*y, v[2] = f->c*y - f->s*x;
}
