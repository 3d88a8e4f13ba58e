/* The turns feel L f/2. */
static double *forces_in(const struct inner *in, const double *f, double *to)
{
	for (int i = 0; i < BODIES; i++)
		to[i] = outer[i] < 0 ? 0.0 : f[outer[i]];
	for (int b = 0; b < BALLS; b++) {
		const double *e = in->s->q + balls[b].coord;
		for (int i = 0; i < 3; i++)
			to[balls[b].turn + i] = dot4(e, e)/4*dot4(in->B[b][i], f + balls[b].coord);
	}
	return to;
}
static double *rotors_in(const double *f, double *to)
{
	for (int i = 0; i < BODIES; i++)
		to[i] = outer[i] < 0 ? 0.0 : f[outer[i]];
	return to;
}
/* e'' = L'(w' - g w)/2 - e (e'.e')/(e.e): on the unit sphere */
static void leave_accelerations(const struct inner *in, const double *a, double *to)
{
	for (int i = 0; i < BODIES; i++)
		if (outer[i] >= 0)
			to[outer[i]] = a[i];
	for (int b = 0; b < BALLS; b++) {
		const double *e = in->s->q + balls[b].coord, *d = in->s->v + balls[b].coord, *w = in->v + balls[b].turn;
		const double (*B)[4] = (const double (*)[4])in->B[b];
		double x[3], n = dot4(e, e);
		for (int i = 0; i < 3; i++)
			x[i] = a[balls[b].turn + i] - ball_growth(e, d)*w[i];
		turns_add(w, 1, x);
		for (int k = 0; k < 4; k++)
			to[balls[b].coord + k] = n/4*(B[0][k]*x[0] + B[1][k]*x[1] + B[2][k]*x[2]) - e[k]*dot4(d, d)/n;
	}
}
#define FORCES_IN(in, f, to) forces_in(in, f, to)
#define ROTORS_IN(f, to) rotors_in(f, to)
#define ACCELERATIONS(a, inner) (inner)
#define LEAVE_ACCELERATIONS(in, a, to) leave_accelerations(in, a, to)
