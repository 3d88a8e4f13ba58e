/* Of all lanes. */
static void sines_of(const double *angle, double *cosine, double *sine)
{
#if OWN_SINES
	mbs_sines(WIDTH, angle, cosine, sine);
#else
	for (int i = 0; i < WIDTH; i++)
		cosine[i] = cos(angle[i]), sine[i] = sin(angle[i]);
#endif
}
