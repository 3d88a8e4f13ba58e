static void sweep_mass(const struct inner *in, double *M, struct state *x)
{
	const double *c = in->c;
	for (int i = 0; i < M_COLPTR[COORDS]; i++)
		M[i] = 0.0;
	ground(&x[0], c + GRAVITY);
	no_inertia(&x[0]);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i];
		const struct constants *b = constants_of(c, t->row);
		EACH_CLASS(t->class, angle_step, b, SIGNED(t, in->q[t->coord]), &x[i]);
		own_inertia(b, &x[i]);
	}
	for (int i = BODIES; i >= 1; i--)
		EACH_CLASS(tree[i].class, composite_step, constants_of(c, tree[i].row), &x[i], &x[tree[i].parent]);
	for (int i = 1; i <= BODIES; i++) {
		const struct body *t = &tree[i], *u;
		EACH_CLASS(t->class, column_step, constants_of(c, t->row), &x[i]);
		for (int j = i; j; j = u->parent) {
			double e = 0.0;
			u = &tree[j];
			no_force(&x[u->parent]);
			EACH_CLASS(u->class, e = force_step, constants_of(c, u->row), &x[j], &x[u->parent]);
			put_mass(in, M, t->coord, u->coord, SIGNED(t, SIGNED(u, e)));
		}
	}
	put_more_mass(in, M);
}
