/* Matrices of the loops are those of the model. */
struct matrices { double *M, *rq, *rv; };
enum { M_CELLS = M_COUNT, R_CELLS = R_COUNT, MATRIX_SPACE = 0 };
static MBS_INLINE struct matrices matrices_of(double *M, double *rq, double *rv, double *space)
{
	(void)space;
	return (struct matrices){ M, rq, rv };
}
#define leave_mass(in, loops, M)
#define leave_columns(in, loops, x, rq, rv)
