
/* --- cosines and sines of all angles ---
 * Eight at a time in vectors: reduced by the nearest multiple k of pi/2, in three parts (Cody, Waite 1980), to y + e;
 * polynomials of least largest error (Remez); k says which is which, and the signs.  Within 2.2e-16.  Angles beyond a
 * million are left to the library. */
#if OWN_SINES
union bits { double number; unsigned long long bits; };
static void eight_sines(const double *restrict angle, double *restrict cosine, double *restrict sine)
{
	unsigned long long far = 0;
	for (int i = 0; i < 8; i++) {
		double x = angle[i], rounded = x*0x1.45f306dc9c883p-1 + 0x1.8p52, k = rounded - 0x1.8p52;
		double r = x - k*0x1.921fb544p0, s = k*0x1.0b4611a6p-34, y = r - s;
		double e = ((r - y) - s) - k*0x1.3198a2e037073p-69, z = y*y;
		double si = y + (y*z*(-0.16666666666666632 + z*(0.008333333333322418 + z*(-0.0001984126982981238
			+ z*(2.7557313693572725e-06 + z*(-2.5050758384384424e-08
			+ z*1.58968117993603e-10))))) + e*(1.0 - 0.5*z));
		double half = 0.5*z, rest = 1.0 - half;
		double co = rest + (((1.0 - rest) - half) + (z*z*(0.0416666666666666 + z*(-0.0013888888888874131
			+ z*(2.4801587289487012e-05 + z*(-2.7557314353789016e-07 + z*(2.0875723479025636e-09
			+ z*-1.1359658844212943e-11))))) - y*e));
		union bits turns = { rounded }, a = { si }, b = { co }, below = { 1e12 - x*x };
		unsigned long long n = turns.bits, odd = 0ull - (n & 1), swap = (a.bits ^ b.bits) & odd;
		a.bits ^= swap ^ (n & 2) << 62;
		b.bits ^= swap ^ ((n + 1) & 2) << 62;
		sine[i] = a.number;
		cosine[i] = b.number;
		far |= below.bits;
	}
	for (int i = 0; far >> 63 && i < 8; i++)
		if (angle[i]*angle[i] > 1e12)
			cosine[i] = cos(angle[i]), sine[i] = sin(angle[i]);
}
#endif
