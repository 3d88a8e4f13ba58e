
/* --- recursions in common axes: those of the ground, at an origin that moves along with the first turning body of a
 * branch.  Every number has a row with a lane a body. --- */
typedef double row[STRIDE];
#define EACH_LANE for (int i = 0; i < WIDTH; i++)
#define FOUR_ROWS for (int k = 0; k < n; k += 4) for (int i = k; i < k + 4; i++)
#define LANES_OF(c) ((struct lanes *)((c) + LANES_AT))
#define PARENT(i) (tree[(i) + 1].up)
