/* Into the bodies' slots; there are angles up to the next multiple of eight. */
static void sweep_sines(const scalar *angle, scalar *x)
{
#if OWN_SINES
	for (int i = 0; i <= BODIES; i += 8) {
		double cosine[8], sine[8];
		mbs_sines(8, angle + i, cosine, sine);
		for (int k = 0; k < 8 && i + k <= BODIES; k++)
			x[SLOTS*(i + k) + CO] = cosine[k], x[SLOTS*(i + k) + SI] = sine[k];
	}
#else
	for (int i = 0; i <= BODIES; i++)
		x[SLOTS*i + CO] = MBS_COS(angle[i]), x[SLOTS*i + SI] = MBS_SIN(angle[i]);
#endif
}
