#define ROWS_OF_LINKS c
#define LINK_Q q
#define LINK_V v
#define FORCES_IN(in, f, to) (f)
#define ROTORS_IN(f, to) (f)
#define ACCELERATIONS(a, inner) (a)
#define LEAVE_ACCELERATIONS(in, a, to)
