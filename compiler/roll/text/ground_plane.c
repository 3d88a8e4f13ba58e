static MBS_INLINE void ground_falls(scalar *x, const double *g)
{
	x[BX] = K(-g[0]), x[BY] = K(-g[1]);
}
#if BOUND
static MBS_INLINE void ground_rests(scalar *x)
{
	x[DWZ] = x[AX] = x[AY] = K(0.0);
}
#endif
