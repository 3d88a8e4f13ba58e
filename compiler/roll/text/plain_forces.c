#define LINK_ROWS(in) (in)->c
#define LINK_Q(in) (in)->q
#define LINK_V(in) (in)->v
#define FORCES_IN(in, f, to) (f)
#define ROTORS_IN(f, to) (f)
#define ACCELERATIONS(a, inner) (a)
#define LEAVE_ACCELERATIONS(in, a, to)
