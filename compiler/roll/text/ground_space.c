static MBS_INLINE void ground_falls(scalar *x, const double *g)
{
	x[AX] = K(-g[0]), x[AY] = K(-g[1]), x[AZ] = K(-g[2]);
}
#if BOUND
static MBS_INLINE void ground_rests(scalar *x)
{
	x[DWX] = x[DWY] = x[DWZ] = x[AX] = x[AY] = x[AZ] = K(0.0);
}
#endif
