/* The loops count coordinates as the model does. */
struct inner { const double *c, *q, *v, *a; };
enum { INNER = 0, COORDS = BODIES };
static MBS_INLINE struct inner enter(const double *c, const struct mbs_state *s, int accelerates, double *w)
{
	(void)w;
	return (struct inner){ c, s->q, s->v, accelerates ? s->a : 0 };
}
#define leave_forces(in, r, sign, to) for (int i = 0; i < BODIES; i++) (to)[i] += sign*(r)[i]
#define BALL_ENERGY(in) 0.0
