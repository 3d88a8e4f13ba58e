
/* --- the same for linear systems: vectors of D numbers, angular part first --- */
enum { D = 6 };
struct frame { double E[9], r[3]; };    /* child to parent */
static MBS_INLINE void frame_step(JOINT, const struct state *x, struct frame *f, double *S)
{
	struct state one, all;
	ground(&one, b->at);
	for (int i = 0; i < 3; i++)
		one.n[i] = 0.0;
	all = *x;
	pose_step(kind, k, placed, b, &all, &one);
	for (int i = 0; i < 9; i++)
		f->E[i] = all.H[i];
	for (int i = 0; i < 3; i++)
		f->r[i] = all.n[i];
	for (int i = 0; i < D; i++)
		S[i] = 0.0;
	S[kind == SLIDE ? 3 + k : k] = 1.0;
	if (kind == SCREW)
		S[3 + k] = b->pitch;
}
static MBS_INLINE void motion_of(const struct state *x, double *v)
{
	for (int i = 0; i < 3; i++)
		v[i] = x->w[i], v[3 + i] = x->u[i];
}
static MBS_INLINE void force_of(const struct state *x, double *f)
{
	for (int i = 0; i < 3; i++)
		f[i] = x->n[i], f[3 + i] = x->f[i];
}
static MBS_INLINE void inertia_times(const struct constants *b, const double *v, double *l)
{
	const double *h = b->h, *J = b->J;
	l[0] = J[0]*v[0] + J[3]*v[1] + J[4]*v[2] + h[1]*v[5] - h[2]*v[4];
	l[1] = J[3]*v[0] + J[1]*v[1] + J[5]*v[2] + h[2]*v[3] - h[0]*v[5];
	l[2] = J[4]*v[0] + J[5]*v[1] + J[2]*v[2] + h[0]*v[4] - h[1]*v[3];
	l[3] = b->m*v[3] + v[1]*h[2] - v[2]*h[1];
	l[4] = b->m*v[4] + v[2]*h[0] - v[0]*h[2];
	l[5] = b->m*v[5] + v[0]*h[1] - v[1]*h[0];
}
