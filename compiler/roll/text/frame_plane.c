
/* --- the same for linear systems: vectors of D numbers, angular part first --- */
enum { D = 3 };
struct frame { double c, s, x, y; };    /* child to parent */
static MBS_INLINE void frame_step(JOINT, const struct state *x, struct frame *f, double *S)
{
	(void)placed, (void)b;
	*f = (struct frame){ x->c, x->s, x->x, x->y };
	S[0] = kind == TURN ? 1.0 : 0.0;
	S[1] = kind == SLIDE && k == 0 ? 1.0 : 0.0;
	S[2] = kind == SLIDE && k == 1 ? 1.0 : 0.0;
}
static MBS_INLINE void motion_of(const struct state *x, double *v)
{
	v[0] = x->w, v[1] = x->ux, v[2] = x->uy;
}
static MBS_INLINE void force_of(const struct state *x, double *f)
{
	f[0] = x->n, f[1] = x->fx, f[2] = x->fy;
}
static MBS_INLINE void inertia_times(const struct constants *b, const double *v, double *l)
{
	struct pair p = momentum(b, v[0], v[1], v[2]);
	l[0] = p.w, l[1] = p.u.x, l[2] = p.u.y;
}
