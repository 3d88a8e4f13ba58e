/* Matrices of the loops are those of the model, with room for four rows at a time behind them. */
struct matrices { double *M, *rq, *rv; };
enum { M_CELLS = M_COUNT, R_CELLS = R_COUNT, MATRIX_SPACE = M_CELLS + 2*R_CELLS + BODIES + 16 };
static MBS_INLINE struct matrices matrices_of(double *space)
{
	return (struct matrices){ space + 2*R_CELLS + 8, space, space + R_CELLS + 4 };
}
static void leave_cells(int n, const double *restrict from, double *restrict to)
{
	for (int i = 0; i < n; i++)
		to[i] = from[i];
}
#define leave_mass(in, loops, M) leave_cells(M_CELLS, (loops)->M, M)
#define leave_columns(in, loops, r, rq, rv) leave_cells(R_CELLS, (loops)->rq, rq), leave_cells(R_CELLS, (loops)->rv, rv)
