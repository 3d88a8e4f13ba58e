/* Of all lanes. */
static void sines_of(const double *angle, double *cosine, double *sine)
{
#if OWN_SINES
	for (int i = 0; i < WIDTH; i += 8)
		eight_sines(angle + i, cosine + i, sine + i);
#else
	for (int i = 0; i < WIDTH; i++)
		cosine[i] = cos(angle[i]), sine[i] = sin(angle[i]);
#endif
}
