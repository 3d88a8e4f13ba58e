/* Into the bodies' slots. */
static void sweep_sines(const scalar *angle, scalar *x)
{
#if OWN_SINES
	for (int i = 0; i <= LINKS; i += 32) {
		const int n = i + 32 <= LINKS ? 32 : LINKS + 1 - i;
		double cosine[32], sine[32];
		mbs_sines(n, angle + i, cosine, sine);
		for (int k = 0; k < n; k++)
			x[SLOTS*(i + k) + CO] = cosine[k], x[SLOTS*(i + k) + SI] = sine[k];
	}
#else
	for (int i = 0; i <= LINKS; i++)
		x[SLOTS*i + CO] = MBS_COS(angle[i]), x[SLOTS*i + SI] = MBS_SIN(angle[i]);
#endif
}
