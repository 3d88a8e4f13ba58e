#define FORCES_IN(in, f, to) (f)
#define ROTORS_IN(f, to) (f)
#define ACCELERATIONS(a, inner) (a)
#define LEAVE_ACCELERATIONS(in, a, to)
