/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A robot as every format describes it: links with ten inertia numbers, joints between frames on them, loops, gears,
 * actuators, tendons, named frames, shapes, start values.  Readers fill it, writers write it; none of them knows another.
 *
 * The root link stands on the ground, or floats.  A joint connects a frame on `parent` with a frame on `child`; with all
 * its coordinates zero the two frames coincide.  A joint with `loop` closes a loop, the others make a tree. */
#ifndef IMPORT_ROBOT_H
#define IMPORT_ROBOT_H
#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

/* A place and axes there: turned by angles about its own axes, one after the other. */
struct pose {
    double at[3];
    int turns;
    struct { int axis; double angle; } turn[3];
    double R[3][3];             /* the turns, as a matrix */
};

enum robot_joint_kind {
    ROBOT_FIXED, ROBOT_REVOLUTE, ROBOT_PRISMATIC, ROBOT_SPHERICAL, ROBOT_FREE, ROBOT_PLANAR, ROBOT_UNIVERSAL, ROBOT_SCREW, ROBOT_CYLINDRICAL,
    ROBOT_JOINT_KINDS
};
enum robot_shape_kind { ROBOT_BOX, ROBOT_SPHERE, ROBOT_CYLINDER, ROBOT_CAPSULE, ROBOT_ELLIPSOID, ROBOT_MESH };

struct robot_lines {            /* of a comment, or of what is not carried over */
    const char **at;
    int n, cap;
};
struct robot_shape {
    enum robot_shape_kind kind;
    struct pose pose;
    double size[3];             /* box: full lengths; sphere: radius; cylinder, capsule: radius, length between the ends; ellipsoid: half axes */
    const char *file;           /* of a mesh, relative to the imported file */
    bool coloured;
    double rgba[4];             /* from 0 to 1 */
};
struct robot_link {
    const char *name;           /* in the source */
    const char *id;             /* in the model: legal and unique */
    int line;
    struct robot_lines comment, lost;
    double mass, J[6];          /* xx yy zz xy xz yz about the centre of mass, in the axes of `inertial` */
    struct pose inertial;
    double gravcomp;            /* part of its weight that is carried */
    struct { struct robot_shape *at; int n, cap; } shape;
    int joint;                  /* to its parent in the tree, -1: none */
    int merged;                 /* into this link, as a frame there; -1: a body of its own */
    struct pose in_body;        /* where, if merged */
    const char *frame;          /* name there, if merged */
};
struct robot_joint {
    const char *name, *id;
    int line;
    struct robot_lines comment, lost;
    enum robot_joint_kind kind;
    int parent, child;          /* links */
    struct pose a, b;           /* frames on parent and child */
    double axis[3], axis2[3];
    double pitch;               /* metres a radian */
    double damping, friction, stiffness, rest, armature;
    double start[7], speed[7];  /* of the coordinates */
    bool started;
    bool loop;
    bool driven;                /* its motion is prescribed */
    bool limited;
    double lower, upper;        /* if limited; infinite: no end on this side */
    double effort, velocity;    /* 0: none */
    const char *from, *to;      /* ids of the frames, or NULL */
};
/* joint = ratio*other + offset */
struct robot_gear {
    const char *name, *id;
    int line, joint, other;
    double ratio, offset;
};
/* u -> force on the joint: gear*((gain + vary[0]*gear*q + vary[1]*gear*v)*u + bias[0] + bias[1]*gear*q + bias[2]*gear*v); with a time constant or
 * an integrator, an activation stands for u. */
struct robot_actuator {
    const char *name, *id;
    int line;
    int joint, tendon, frame;   /* one of them, the others -1 */
    double wrench[6];           /* on a frame: force and moment, in its axes */
    double gear, gain, vary[2], bias[3];
    double control[2], force[2], effect[2];     /* ranges of u, of the force before the gear, and of that on the joint; the first above the second: none */
    enum { ROBOT_DIRECT, ROBOT_INTEGRATOR, ROBOT_FILTER } dynamics;
    double time;
    double start, activation;   /* values of the input and the activation */
};
/* A spring over joints, its length the sum of factor * coordinate and an offset; or along straight lines through frames. */
struct robot_tendon {
    const char *name, *id;
    int line;
    struct { int joint; double factor; } term[16];
    int terms;
    double offset;
    int frame[16], sites;
    double stiffness, damping, armature, low, high;     /* no force between the lengths low and high */
};
struct robot_parameter {
    const char *name, *id;
    double value;
};
struct robot_frame {            /* a site, a named frame */
    const char *name, *id;
    int line, link;
    struct pose pose;
};
/* What touches others: two do if a bit of the type of one is in the affinity of the other. */
struct robot_solid {
    const char *name;
    int line, link;
    struct robot_shape shape;
    bool plane;                 /* z of the shape's pose is its normal */
    unsigned type, affinity;
    double friction;
    bool smooth;                /* it has no friction, unless the other has */
    int priority;               /* whose friction counts; the larger one if they are equal */
};
/* A point, or a sphere about it, above a plane. */
struct robot_contact {
    const char *name;
    int line, link, plane;      /* links */
    double at[3], radius, point[3], normal[3], friction;
};
/* coordinate = polynomial of another coordinate, or of nothing */
struct robot_law {
    const char *name, *id;
    int line, joint, other;     /* other -1: constant */
    double c[5];
};

/* Name -> number, for names of all kinds. */
struct name_index {
    struct { const char *name; int value; } *slot;
    int n, size;
};

struct robot {
    struct arena *arena;
    const char *name, *id, *format;
    const char *path, *file;    /* of the source: as given, and without directories */
    const char *const *dirs;    /* where else files may lie: -I */
    int ndirs;
    int meshes, meshes_found;   /* that are named, and of them those that can be read */
    const char *mesh_dir;       /* a directory where one of the others is, NULL: none was seen */
    struct robot_lines comment, lost;
    double gravity[3];
    bool floating;              /* the root is free */
    int root;
    const char *base;           /* id of the joint that holds the root */
    struct { struct robot_link *at; int n, cap; } link;
    struct { struct robot_joint *at; int n, cap; } joint;
    struct { struct robot_gear *at; int n, cap; } gear;
    struct { struct robot_actuator *at; int n, cap; } actuator;
    struct { struct robot_tendon *at; int n, cap; } tendon;
    struct { struct robot_frame *at; int n, cap; } frame;
    struct { struct robot_law *at; int n, cap; } law;
    struct { struct robot_parameter *at; int n, cap; } parameter;
    struct { struct robot_solid *at; int n, cap; } solid;
    struct { struct robot_contact *at; int n, cap; } contact;
    struct { struct { int a, b; double friction; } *at; int n, cap; } pair;     /* solids that touch, whatever their bits */
    struct { struct { int a, b; } *at; int n, cap; } apart;                     /* links that do not */
    struct { int *at; int n, cap; } order;      /* links, parents first */
    struct name_index links, joints;
    struct name_index used;          /* names of the model */
    struct robot_lines renamed, underscored, snapped;   /* underscored: only by _ in the place of other characters */
    FILE *log;                  /* for messages, NULL: none */
    int losses;                 /* lines of all `lost` */
    const char *error;          /* the first one: FILE:LINE: error: ... */
    bool keep_angles;           /* --no-snap */
    bool no_limits;             /* --no-limits: stops of joints are comments */
    bool contacts;              /* --contacts: with planes */
    bool least_friction;        /* of two that touch; else the largest */
};

/* --- robot.c --- */
void robot_free(struct robot *);
struct robot_link *robot_link_add(struct robot *, const char *name, int line);
struct robot_joint *robot_joint_add(struct robot *, const char *name, int line);
int robot_link_find(const struct robot *, const char *name);    /* -1 */
int robot_joint_find(const struct robot *, const char *name);
/* Stops of a joint; an end of 1e15 or more is none. */
void robot_limit(struct robot *, struct robot_joint *, int line, double lower, double upper);
/* Bounds that nothing here obeys: the effort of a joint without a motor, all speeds. */
void robot_lose_bounds(struct robot *);
/* An actuator that nothing bounds. */
struct robot_actuator robot_actuator(const char *name, int line);
/* Joints start between their stops: where nothing is given in the middle, if zero is beyond them. */
void robot_start(struct robot *);
/* Keeps the first error; always false. */
bool robot_fail(struct robot *, const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void lines_add(struct robot *, struct robot_lines *, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What is not carried over: a comment at its place, and a message. */
void robot_lose(struct robot *, struct robot_lines *, int line, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A number that is written as a parameter: a NaN that carries its index, so that it can stand where a number stands (but not be computed
 * with).  parameter_of: its index, -1 for an ordinary number. */
double robot_parameter(struct robot *, const char *name, double value);
int parameter_of(double);
/* Finds the root and the order of the tree that the joints make; false after an error: a cycle, two parents, two roots. */
bool robot_tree(struct robot *);
/* Angles that mean a fraction of pi become it, and are listed. */
void robot_snap(struct robot *);
void robot_snap_pose(struct robot *, struct pose *, const char *of, const char *name);
/* Links without mass that are fixed to another one become frames on it. */
void robot_merge(struct robot *);
/* Body and pose there of what is at `pose` on a link. */
int robot_body_of(const struct robot *, int link, struct pose *);
int robot_joint_coords(enum robot_joint_kind);
extern const char *const robot_kind_name[ROBOT_JOINT_KINDS];
bool angle_snap(double *angle);         /* to the nearest multiple of pi/4 or pi/6 within 1e-4; false: none is near */

/* --- touch.c --- */
/* Contacts of what moves with planes that stand. */
void robot_touch(struct robot *);

/* --- names.c --- */
/* Legal and unique names for everything; what was renamed is listed. */
void robot_names(struct robot *);
/* The same for other formats: names of the model, unique. */
void robot_export_names(struct robot *);
const char *robot_legal(struct robot *, const char *name);      /* as the language allows it */
/* A new name of the model: NAME_suffix, with a number if that is taken. */
const char *robot_new_name(struct robot *, const char *name, const char *suffix);
int *index_put(struct name_index *, const char *name);       /* its value, -1 for a new name */
int index_get(const struct name_index *, const char *name);  /* -1: unknown */
void index_free(struct name_index *);

/* --- write.c --- */
void robot_write(struct robot *, FILE *, bool poses);

/* --- text.c --- */
/* A link in the model's language: K, or K.F if it was merged. */
const char *robot_place(const struct robot *, int link);
/* The name of coordinate i of a joint: J.angle. */
const char *robot_coordinate(const struct robot *, int joint, int i);
/* The shortest number that reads back as x; an angle that is a fraction of pi as such. */
const char *number_text(const struct robot *, double x);
const char *angle_text(const struct robot *, double x);
const char *vector_text(const struct robot *, int n, const double *x);
const char *frame_text(const struct robot *, const struct pose *);              /* at([x, y, z], z = a, y = b) */
const char *place_text(const struct robot *, int link, const struct pose *);    /* K, K.F, K @ [x, y, z], K @ at([x, y, z], z = a) */

/* --- pose.c --- */
struct pose pose_identity(void);
struct pose pose_at(double x, double y, double z);
void pose_turn(struct pose *, int axis, double angle);          /* about its own axis, after what is there */
void pose_turn_fixed(struct pose *, int axis, double angle);    /* about the axis of its parent */
void pose_matrix(struct pose *, double R[3][3]);                /* sets the turns that give R */
void pose_quaternion(struct pose *, const double wxyz[4]);      /* of any length but zero */
bool pose_z_to(struct pose *, const double z[3]);               /* turns z into a direction by the shortest way; false: it has no length */
struct pose pose_mul(const struct pose *, const struct pose *);
/* A place that was computed, without the last digit: 0.09 instead of 0.08999999999999997. */
void pose_tidy(struct pose *);
struct pose pose_inverse(const struct pose *);
void pose_apply(const struct pose *, const double in[3], double out[3]);
void pose_rotate(const struct pose *, const double in[3], double out[3]);
bool pose_is_identity(const struct pose *);
/* J (xx yy zz xy xz yz) given in the axes of the pose, in those of its parent. */
void moments_turn(const struct pose *, const double J[6], double out[6]);
void moments_shift(double J[6], double mass, const double d[3]);        /* from the centre of mass to a point d away */
#endif
