/* SPDX-License-Identifier: 0BSD
 *
 * mbs/model.h: what a compiled model offers to whoever integrates it.
 *
 * mbsc turns NAME.mbs into one C file that defines `const struct mbs_model NAME_model`.  The model is
 *
 *     M(q,t) a = f(q,v,z,u,t) - G(q,t)' lambda,      q' = v,  v' = a,  z' = zdot(q,v,z,u,t)
 *     0 = g(q,t)                                     holonomic rows      0 .. ng-1
 *     0 = G(q,t) v + gt(q,t)                         all rows            0 .. ng+nh-1
 *
 * A holonomic row has G = dg/dq and gt = dg/dt.  A non-holonomic row (they come after the holonomic
 * ones) has no g; G and gt are the coefficients of its velocity form.  For all rows the accelerations
 * satisfy  G a + gamma = 0,  with  gamma = gqq(v,v) + 2 Gt v + gtt  on the holonomic rows.
 *
 * Conventions of every function:
 * - `c` is the block that setup() filled from the parameters; the model itself has no other state, so
 *   all functions are reentrant.
 * - Inputs stand in a struct mbs_state; a function reads only the members its comment names.
 * - Outputs stand in a struct of pointers.  Members marked "optional" may be NULL and then are not
 *   computed; the others must point to arrays of the stated length (they may be NULL if the length is 0).
 * - Sparse matrices are written as their non-zeros in the order of their pattern.
 * - `w` is workspace of nw doubles, private to the call.
 * - Nothing is allocated, printed or kept.  A state outside the domain of an expression gives NaN.
 */
#ifndef MBS_MODEL_H
#define MBS_MODEL_H

#define MBS_ABI 14

/* What functions of a generated file share is written once and inlined into each of them. */
#ifdef __GNUC__
#define MBS_INLINE inline __attribute__((always_inline))
#else
#define MBS_INLINE inline
#endif

/* Compressed columns, row indices ascending within a column.  colptr has cols+1 entries.  All zero for a matrix without rows
 * or columns, other than G. */
struct mbs_pattern {
    int rows, cols, nnz;
    const int *colptr, *rowidx;
};

struct mbs_name {
    const char *name;   /* as written in the model: beta, q[2], loopA4.y */
    const char *unit;   /* "" where none was given */
    int line;           /* line of the model file that declares it */
};

/* How a start value was given: `init x ~ 1` may be moved by assembly, `init x = 1` may not,
 * and a coordinate without init moves most freely (from 0). */
enum mbs_init { MBS_INIT_FREE, MBS_INIT_GUESS, MBS_INIT_FIXED };

struct mbs_state {
    double t;
    const double *q, *v, *a;        /* nq each */
    const double *lambda, *mu;      /* ng+nh each */
    const double *z, *u;            /* nz, nu */
};

/* reads t q v z u */
struct mbs_dynamics {
    double *M;          /* lower triangle, pattern M */
    double *f;          /* nq */
    double *G;          /* pattern G */
    double *zdot;       /* nz */
    double *gamma;      /* ng+nh, optional */
    double *g;          /* ng, optional */
    double *gt;         /* ng+nh, optional */
};

/* reads t q */
struct mbs_constraints {
    double *g;          /* ng */
    double *G;          /* pattern G */
    double *gt;         /* ng+nh, optional */
};

/* reads t q v a lambda z u; mu only for Gtmu */
struct mbs_residual {
    double *r;          /* nq:    M a - f + G' lambda */
    double *zdot;       /* nz */
    double *g;          /* ng,    optional: position level */
    double *gv;         /* ng+nh, optional: velocity level      G v + gt */
    double *ga;         /* ng+nh, optional: acceleration level  G a + gamma */
    double *Gtmu;       /* nq,    optional: G' mu */
};

/* reads t q v a lambda z u; mu only for gmuq */
struct mbs_jacobian {
    double *rq, *rv;    /* dr/dq, dr/dv: patterns rq, rv (full, not only a triangle) */
    double *M, *G;      /* dr/da (lower triangle), dr/dlambda = G' */
    double *rz;         /* dr/dz */
    double *zq, *zv, *zz;       /* derivatives of zdot */
    double *gvq;        /* optional: d(G v + gt)/dq */
    double *gaq, *gav;  /* optional, together: d(G a + gamma)/dq and /dv */
    double *gmuq;       /* optional: d(G' mu)/dq */
    double *ru, *zu;    /* optional, together: derivatives with respect to the inputs */
};

/* reads t q v.  Conditions of the start beside the constraints, from `init EXPRESSION = value`: 0 = s(q, v, t); or, from
 * `init EXPRESSION ~ value` (s_init), guesses: s as small as the rest allows.  The first nsq rows have no velocities and
 * S = ds/dq; the others are linear in the velocities and have S = ds/dv. */
struct mbs_conditions {
    double *s;          /* ns */
    double *S;          /* pattern S */
};

/* reads t q v z u */
struct mbs_accelerations {
    double *a;          /* nq:    the solution of  M a + G' lambda = f,  G a + gamma = 0 */
    double *lambda;     /* ng+nh */
    double *zdot;       /* nz */
    double *unsafe;     /* 1:     not 0 if a pivot is not safely positive; then a and lambda are not to be used */
};

/* Forward dynamics of several states at once.  Entry i of state l of an array, of constants and parameters too, stands at [i*lanes + l]; arrays are
 * aligned to 8*lanes bytes.  A state whose `unsafe` is not 0 or whose `a` is not finite (angles beyond 1e5 are not taken here) is to be
 * computed by itself.  What a state gives does not depend on the others. */
struct mbs_batch_state {
    const double *t, *q, *v, *z, *u;
};
struct mbs_batch {
    int lanes;          /* how many */
    int nw;             /* doubles in w */
    void (*accelerations)(const double *c, const struct mbs_batch_state *x, const struct mbs_accelerations *out, double *w);
    /* M, f, G, zdot and, if asked for, gamma; g, G and, if asked for, gt, which read t and q.  NULL: there are no constraints, or no statements for these. */
    void (*dynamics)(const double *c, const struct mbs_batch_state *x, const struct mbs_dynamics *out, double *w);
    void (*constraints)(const double *c, const struct mbs_batch_state *x, const struct mbs_constraints *out, double *w);
};

/* reads t q v a lambda z u.  Guards of the events: the condition of event k holds where h[k] > 0; of `every` it is the period. */
struct mbs_guards {
    double *h;          /* nevent */
    double *hdot;       /* nevent, optional: rate along the motion; 0 where it is not known */
};

/* What happens: `when` the guard becomes positive (of HOLDS: or is so at the start) or (a == b) changes its sign, or `every` period, from the
 * start on.  The values of the assignments jump[first .. first+count-1] are those of the state before the event. */
enum mbs_when_kind { MBS_WHEN_RISES, MBS_WHEN_CROSSES, MBS_WHEN_EVERY, MBS_WHEN_HOLDS };
struct mbs_when {
    int kind;           /* enum mbs_when_kind */
    int first, count;
    int record, stop;   /* add rows of results before and after it; end the run */
    const char *message;        /* or NULL */
};
/* What an assignment sets: a coordinate, its velocity, a state, a discrete state (a parameter that events change). */
enum mbs_jump_kind { MBS_JUMP_Q, MBS_JUMP_V, MBS_JUMP_Z, MBS_JUMP_P };
struct mbs_jump {
    int kind;           /* enum mbs_jump_kind */
    int index;
};

/* reads t q v a lambda z u.  Derivatives by the parameters of model->sensitive, each with all that is a formula of it. */
struct mbs_sensitivity {
    double *rp;         /* dr/dp */
    double *zp;         /* of zdot */
    double *gp, *gvp;   /* of g, and of G v + gt */
    double *gap;        /* optional: of G a + gamma */
    double *yq, *yv, *ya, *yl, *yz, *yp;        /* optional, together: of the outputs by q, v, a, lambda, z, p */
};

/* reads t q v lambda z u.  Rows of contacts: the relative velocities W v + wt, whose rates are W a + wgamma.  Of a contact the first row is the
 * normal one, along which the bodies come apart; then come tangents. */
struct mbs_contacts {
    double *dist;       /* ntouch: distance along normal rows that have one, else 0 */
    double *W;          /* pattern W */
    double *wt, *wgamma;        /* ntouch */
    double *law;        /* 2 ncontact: restitution and coefficient of friction; of friction alone the speed over which it is built up (0: it truly
                         * sticks) and the force it can bear, which may follow from lambda */
};
/* gap >= 0; rate >= 0, as in a clutch; friction that nothing presses, without a normal row; a body that may touch all others, see below */
enum mbs_contact_kind { MBS_CONTACT_GAP, MBS_CONTACT_RATE, MBS_CONTACT_FRICTION, MBS_CONTACT_BODY };
/* The rows of a body among others are its pose: in a plane x, y and angle, in space x, y, z and the components of its angular velocity, all along
 * the axes of space, with their rates in W.  Rows of constants follow: radius of a disc or sphere; half widths of a box; of a plane the
 * normal, of a capsule the axis, both in space axes; behind the axis half its length and the radius.  A negative restitution: it touches
 * planes only. */
enum mbs_solid { MBS_SOLID_BALL, MBS_SOLID_BOX, MBS_SOLID_CAPSULE, MBS_SOLID_PLANE };
struct mbs_contact {
    int kind;           /* enum mbs_contact_kind */
    int first, rows;
    int solid;          /* enum mbs_solid */
    int poisson;        /* the restitution is that of impulses, else (Newton) of velocities */
    int reacts;         /* friction alone: the force it can bear follows from lambda */
};

/* What there is to see: shapes over points in space (z = 0 in a plane model), whose positions follow
 * from the state.  A shape uses points first .. first+count-1.  An axis, a normal or a force is told by
 * a point beyond the place it belongs to, by one unit of length or of force; such points are no places. */
enum mbs_shape_kind {
    MBS_SHAPE_POINT,    /* 1 point */
    MBS_SHAPE_LINE,     /* polyline through its points: a rod, a rail, a bent beam */
    MBS_SHAPE_BODY,     /* a rigid body: hull of its points */
    MBS_SHAPE_JOINT,    /* 1 point, or 2: point and a point along the axis */
    MBS_SHAPE_SPRING,   /* between 2 points */
    MBS_SHAPE_DAMPER,   /* between 2 points */
    MBS_SHAPE_CIRCLE,   /* 3 points: centre and two on the rim, not in line with the centre */
    MBS_SHAPE_SPHERE,   /* 2 points: centre and one on the surface */
    MBS_SHAPE_GROUND,   /* as LINE, fixed */
    /* solids, 4 points each: their centre, and from there along their axes x, y, z ... */
    MBS_SHAPE_BOX,      /* to the middle of a face */
    MBS_SHAPE_ELLIPSOID,        /* to the surface */
    MBS_SHAPE_CYLINDER, /* to the surface, z to the end */
    MBS_SHAPE_CAPSULE,  /* to the surface, z to the centre of the round end */
    MBS_SHAPE_MESH,     /* by one unit of the file */
    /* symbols of joints: the place on body a, in space the axis there ... */
    MBS_SHAPE_REVOLUTE,
    MBS_SHAPE_UNIVERSAL,        /* ... and the axis on b */
    MBS_SHAPE_CONSTANT_VELOCITY,
    MBS_SHAPE_SPHERICAL,        /* the place only */
    MBS_SHAPE_FIXED,
    /* the place on b, that on a, the axis on a */
    MBS_SHAPE_PRISMATIC,
    MBS_SHAPE_SLOT,
    MBS_SHAPE_CYLINDRICAL,
    MBS_SHAPE_SCREW,
    MBS_SHAPE_POINT_ON_LINE,
    MBS_SHAPE_PLANAR,
    MBS_SHAPE_DISTANCE, /* the places on a and b */
    /* symbols of elements */
    MBS_SHAPE_TURN_SPRING,      /* place, axis: about a joint that turns */
    MBS_SHAPE_TURN_DAMPER,
    MBS_SHAPE_BUSHING,  /* 2 places */
    MBS_SHAPE_FRICTION, /* place, axis */
    MBS_SHAPE_ROTOR,    /* place, axis */
    MBS_SHAPE_DRIVE,    /* place on b, axis it turns about */
    MBS_SHAPE_DRIVE_ALONG,      /* place on b, axis it slides along */
    MBS_SHAPE_GEAR,     /* the places of the two joints, their axes, [ratio, 1 if the first turns, 1 if the second does] */
    MBS_SHAPE_CONTACT,  /* the place above the plane, the place on it, its normal */
    MBS_SHAPE_FORCE,    /* place, and beyond it by the force */
    MBS_SHAPE_TORQUE,   /* place, and beyond it by the torque (in a plane along z) */
    /* more solids: centre, along x and y to the rim, along z to the end (in a plane the centre again), then numbers ... */
    MBS_SHAPE_WHEEL,    /* [inner radius over radius, 0, 0] */
    MBS_SHAPE_TOOTHED,  /* [number of teeth, 0, 0] */
    MBS_SHAPE_PLATE,    /* the corners of a polygon in order, and from the first of them to the face (in a plane the first again) */
    MBS_SHAPE_SPOT,     /* 1 point: where the contact of this name touches; shown when something happens there */
    MBS_SHAPE_LIMIT,    /* place, axis: stops of a joint */
    MBS_SHAPE_CLUTCH,   /* place, axis: turns or slides one way only */
    MBS_SHAPE_RATCHET,  /* the same, with teeth */
    MBS_SHAPE_HANDLE,   /* what can be pulled at: a place, or the origin of a body and from there by one unit along its axes; not shown */
    MBS_SHAPES
};
struct mbs_shape {
    const char *name;
    int kind;           /* enum mbs_shape_kind */
    int first, count;
    const char *file;   /* of a mesh, beside the model file; else NULL */
    const char *colour; /* "red", "#rrggbb"; NULL: that of its body */
    double clear;       /* 0: opaque, 1: hidden */
    double factor;      /* displacements are drawn so many times as large; 0 or 1: as they are */
};

/* The experiment of `simulate { ... }`; NaN or NULL where the model says nothing. */
struct mbs_experiment {
    double from, to, rtol, atol, step, every;
    const char *solver, *formulation;
};

struct mbs_model {
    int abi;                                /* MBS_ABI */
    const char *name, *title, *source;      /* source: file name of the model, without directory */

    int nq, nz, nu, ny, np;                 /* coordinates, states, inputs, outputs, parameters */
    int ng, nh;                             /* holonomic and non-holonomic constraint rows */
    int ns, nsq;                            /* start conditions; those on positions */
    int nshape, npoint, nbody;              /* drawing */
    int nevent, njump;                      /* events and their assignments */
    int ncontact, ntouch;                   /* one-sided constraints and friction, and their rows */
    int nc, nw, nl;                         /* doubles in c, in w, and in the factors of factor() */

    int nsensitive;                         /* parameters by which derivatives are given */
    int conserves;                          /* 1: T + U is constant along every motion */

    const struct mbs_name *coord, *state, *input, *output, *param, *constraint, *condition;
    const struct mbs_name *event, *jump;
    const struct mbs_when *when;            /* nevent */
    const struct mbs_jump *target;          /* njump */
    const struct mbs_name *contact, *touch; /* ncontact, ntouch */
    const struct mbs_contact *pair;         /* ncontact */
    const unsigned char *discrete;          /* np: 1 where events change it; NULL: none */
    const double *deviation;                /* np: standard deviations of the defaults, 0 where they are exact; NULL: all are */
    const int *sensitive;                   /* indices of the parameters by which derivatives are given */
    const unsigned char *q_init, *v_init;   /* enum mbs_init a coordinate */
    const unsigned char *s_init;            /* MBS_INIT_GUESS or MBS_INIT_FIXED a condition; NULL: all are kept */

    struct mbs_pattern M, G, rq, rv, rz, ru, zq, zv, zz, zu, gvq, gaq, gav, gmuq, S, rp, zp, gp, gvp, gap, yq, yv, ya, yl, yz, yp, W;
    struct mbs_experiment experiment;
    const struct mbs_shape *shape;
    const char *const *body;                /* names of bodies; body[0] is the ground */
    const int *place;                       /* npoint: the body that a point moves with, -1: none or not known */

    /* Default parameters; those with given[i] != 0 keep the value found in p (a later default may
     * depend on them).  given may be NULL. */
    void (*defaults)(double *p, const unsigned char *given);
    void (*setup)(const double *p, double *c);
    /* Start values of q, v, z and default values of u. */
    void (*initial)(const double *c, double *q, double *v, double *z, double *u);

    void (*dynamics)(const double *c, const struct mbs_state *x, const struct mbs_dynamics *out, double *w);
    void (*constraints)(const double *c, const struct mbs_state *x, const struct mbs_constraints *out, double *w);
    void (*residual)(const double *c, const struct mbs_state *x, const struct mbs_residual *out, double *w);
    void (*jacobian)(const double *c, const struct mbs_state *x, const struct mbs_jacobian *out, double *w);
    /* reads t q v z u: energy[0] = T, energy[1] = U */
    void (*energy)(const double *c, const struct mbs_state *x, double energy[2], double *w);
    /* reads everything but mu */
    void (*outputs)(const double *c, const struct mbs_state *x, double *y, double *w);

    /* reads t q v z u: xyz[3*npoint], the points of the drawing */
    void (*points)(const double *c, const struct mbs_state *x, double *xyz, double *w);

    void (*conditions)(const double *c, const struct mbs_state *x, const struct mbs_conditions *out, double *w);      /* NULL if ns = 0 */

    /* Forward dynamics in one call, on request where it is not long, else NULL. */
    void (*accelerations)(const double *c, const struct mbs_state *x, const struct mbs_accelerations *out, double *w);

    void (*guards)(const double *c, const struct mbs_state *x, const struct mbs_guards *out, double *w);     /* NULL if nevent = 0 */
    /* reads what guards() reads: the values of all assignments */
    void (*jumps)(const double *c, const struct mbs_state *x, double *jump, double *w);       /* NULL if njump = 0 */

    /* Derivatives by parameters, on request, else NULL. */
    void (*sensitivity)(const double *c, const struct mbs_state *x, const struct mbs_sensitivity *out, double *w);
    void (*contacts)(const double *c, const struct mbs_state *x, const struct mbs_contacts *out, double *w);  /* NULL if ncontact = 0 */

    /* reads t q v a lambda z u: the rate of T + U along the motion, which is the power of forces, dampers, inputs and of constraints and energies
     * that time changes.  NULL where it is zero (conserves) or not known. */
    void (*power)(const double *c, const struct mbs_state *x, double *power, double *w);

    /* Straight-line solver for [M G'; G 0], emitted for small models on request, else NULL.  factor() returns 0,
     * or k > 0 if the k-th pivot (first the nq of M, then the rows of G) is not safely positive; then
     * the caller takes a pivoting solver.  solve() overwrites x = (rhs of length nq, rhs of length
     * ng+nh) with the solution. */
    int (*factor)(const double *M, const double *G, double *l);
    void (*solve)(const double *l, double *x);

    /* Newton matrices N = s[0] rq + s[1] rv + s[2] M of a large tree, factored along it without their entries, else NULL.  newton() reads what
     * jacobian() reads; parts is 1, or 2 for complex numbers (real and imaginary part) in s, l and x; l has parts*nn doubles.
     * It returns 0, or k > 0 if the k-th pivot vanishes.  newton_solve() overwrites x with N^-1 x; it writes into l, too.  newton_times()
     * overwrites y with N y, for real s.  A model without constraints and states z that has one of the three has all.
     * Where nq is large M, rq and rv have no entries at all (nnz = 0, colptr NULL): accelerations() and these are what there is. */
    int nn;
    int (*newton)(const double *c, const struct mbs_state *x, int parts, const double *s, double *l, double *w);
    void (*newton_solve)(int parts, double *l, double *x);
    void (*newton_times)(const double *c, const struct mbs_state *x, const double *s, double *y, double *w);

    const struct mbs_batch *batch;          /* on request, else NULL */
};

/* --- sines --- */
#ifdef MBS_SINES        /* a generated file asks for it, after <math.h> */
/* Cosines and sines of n angles, in vectors of four; there is room for the next multiple of four.  An angle is reduced by
 * the nearest multiple k of pi/2, in three parts (Cody, Waite 1980), to y + e; polynomials of least largest error (Remez);
 * k says which is which, and the signs.  Within 2.2e-16.  Angles beyond a million are left to the library, all of them
 * where arithmetic is not that of doubles. */
static void mbs_sines(int n, const double *angle, double *restrict cosine, double *restrict sine)
{
    union bits { double number; unsigned long long bits; };
#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__ || (defined __FLT_EVAL_METHOD__ && __FLT_EVAL_METHOD__ != 0)
    const double most = -1.0;
#else
    const double most = 1e12;
#endif
    double rest[4] = { 0.0 };
    for (; n > 0; n -= 4, angle += 4, cosine += 4, sine += 4) {
        unsigned long long far = 0;
        for (int i = 0; n < 4 && i < n; i++)
            rest[i] = angle[i];
        const double *from = n < 4 ? rest : angle;
        for (int i = 0; i < 4; i++) {
            double x = from[i], rounded = x*0x1.45f306dc9c883p-1 + 0x1.8p52, k = rounded - 0x1.8p52;
            double r = x - k*0x1.921fb544p0, s = k*0x1.0b4611a6p-34, y = r - s;
            double e = ((r - y) - s) - k*0x1.3198a2e037073p-69, z = y*y;
            double si = y + (y*z*(-0.16666666666666632 + z*(0.008333333333322418
                + z*(-0.0001984126982981238 + z*(2.7557313693572725e-06 + z*(-2.5050758384384424e-08
                + z*1.58968117993603e-10))))) + e*(1.0 - 0.5*z));
            double half = 0.5*z, top = 1.0 - half;
            double co = top + (((1.0 - top) - half) + (z*z*(0.0416666666666666 + z*(-0.0013888888888874131
                + z*(2.4801587289487012e-05 + z*(-2.7557314353789016e-07 + z*(2.0875723479025636e-09
                + z*-1.1359658844212943e-11))))) - y*e));
            union bits turns = { rounded }, a = { si }, b = { co }, below = { most - x*x };
            unsigned long long turn = turns.bits, odd = 0ull - (turn & 1), swap = (a.bits ^ b.bits) & odd;
            a.bits ^= swap ^ (turn & 2) << 62;
            b.bits ^= swap ^ ((turn + 1) & 2) << 62;
            sine[i] = a.number;
            cosine[i] = b.number;
            far |= below.bits;
        }
        for (int i = 0; far >> 63 && i < 4; i++)
            if (from[i]*from[i] > most)
                cosine[i] = cos(from[i]), sine[i] = sin(from[i]);
    }
}
#endif
/* --- end of sines --- */

/* --- for callers --- */
/* A sparse matrix as a dense one, entry (i, j) in dense[j*rows + i].  `symmetric`: nz is a lower triangle. */
static inline void mbs_dense(const struct mbs_pattern *p, const double *nz, double *dense, int symmetric)
{
    for (int k = 0; k < p->rows * p->cols; k++)
        dense[k] = 0;
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            dense[j * p->rows + p->rowidx[k]] = nz[k];
            if (symmetric)
                dense[p->rowidx[k] * p->rows + j] = nz[k];
        }
}
/* --- end --- */

#endif
