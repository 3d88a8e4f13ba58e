static void accelerations_tree(const double *c, const struct mbs_state *s, const struct mbs_accelerations *out,
	double *w)
{
	double *f = w + REST_W, *more = f + COORDS, *M = more + COORDS, *space = M + REST_M + 1;
	const struct inner in = enter(c, s, 0, space);
	struct mbs_dynamics rest = { .M = M, .f = f, .zdot = out->zdot };
	double *a = ACCELERATIONS(out->a, in.a);
	space += INNER;
#if CONSTRAINTS
	double *G = space, *gamma = G + G_COUNT;
	rest.G = G, rest.gamma = gamma;
	space = gamma + CONSTRAINTS;
#endif
	scalar *x = (scalar *)(space + BIND_SPACE);
	rest_dynamics(c, s, &rest, w);
#if ROTORS
	for (int i = 0; i < COORDS; i++)
		more[i] = 0.0;
	for (int i = 0; i < REST_M; i++)
		more[rest_M_coord[i]] = M[i];
#endif
#if LAWS
	laws_forces(c, s, f, ROTORS ? more : 0);
#endif
#if LINKED
	enter_links(c, &in);
#endif
	sweep_accelerations(LINK_ROWS(&in), LINK_Q(&in), LINK_V(&in), FORCES_IN(&in, f, in.f),
		ROTORS_IN(more, in.f + BODIES), a, x);
	LEAVE_ACCELERATIONS(&in, a, out->a);
	out->unsafe[0] = 0.0;
#if MASSLESS
	out->unsafe[0] = 1.0;           /* M may be singular but for the constraints, which pivots show with rounding errors */
#endif
	for (int i = 1; i <= LINKS; i++)
		if (!(x[SLOTS*i + DI] > 0.0 && x[SLOTS*i + DI] < 1e300))
			out->unsafe[0] = 1.0;
#if BOUND
	if (bind_rows(&in, G, gamma, a, out, x, space))
		out->unsafe[0] = 1.0;
#endif
#if BALLS
	bind_lengths(&in, G, f, out->lambda, out->lambda);
#endif
}
