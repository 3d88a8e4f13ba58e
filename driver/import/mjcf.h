/* SPDX-License-Identifier: GPL-3.0-or-later
 * Inside the reader of MJCF: settings, default classes, what was numbered on the way. */
#ifndef IMPORT_MJCF_H
#define IMPORT_MJCF_H
#include "import/read.h"
#include "mesh.h"

struct mjcf_class {
    const char *name;
    const struct xml *node;
    int parent;                 /* among the classes, -1: none */
};
/* Where a reader is: the default class, and the frame of <frame> elements inside the body. */
struct mjcf_place {
    const char *childclass;
    struct pose frame;
    int link, body;             /* of the body; its number */
    bool moves;                 /* it, or a body that it hangs on */
};
struct mjcf_body {
    int link, parent;           /* the body that it hangs on, -1: the world */
    struct pose world;          /* with all joints at their reference */
};
struct mjcf_joint {             /* in the order of qpos */
    int joint, body;            /* of the robot; the body that it moves */
    double ref;
    double range[2];            /* in the numbers of the source; the first above the second: none */
    double force[2];            /* of all actuators together, likewise */
    bool carries;               /* that range counts what 'gravcomp' carries, too */
    double soft[2];             /* springdamper: time constant and damping ratio; 0: none */
    int rate;                   /* its first one, among all */
};
struct mjcf_mesh {              /* of the assets */
    const struct xml *x;
    const char *file;           /* relative to the main file, or NULL */
    double scale[3];
    struct pose pose;           /* of the scaled corners */
    bool skew;                  /* turned before scales that differ */
    bool loaded, good;
    struct mesh_solid solid;    /* if good; else */
    const char *why;
};
struct mjcf {
    struct robot *r;
    double degree;              /* radians of an angle's unit */
    const char *eulerseq;
    enum { FROM_GEOM_AUTO, FROM_GEOM_NEVER, FROM_GEOM_ALWAYS } from_geom;
    bool balance, autolimits;
    double bound_mass, bound_inertia, total_mass, group[2];
    bool gravity;
    const char *meshdir;
    bool strip;                 /* paths from the names of files */
    struct { struct mjcf_class *at; int n, cap; } class;
    struct { struct mjcf_body *at; int n, cap; } body;
    struct { struct mjcf_joint *at; int n, cap; } joint;
    struct name_index classes, bodies, sites, tendons, meshes, materials;
    struct { const struct xml **at; int n, cap; } material;
    struct { struct mjcf_mesh *at; int n, cap; } mesh;
    struct { int *at; int n, cap; } actuator;   /* of the file: which one of the robot, -1: not carried over */
    bool found;                 /* the mass matrix in the reference position was looked for; L of L L', or NULL: */
    double *factor;
    int rates;
    struct name_index geoms;    /* -> solids */
    int unnamed;
};

/* An attribute, its own or by default class. */
const char *mjcf_get(struct mjcf *, const struct mjcf_place *, const struct xml *, const char *name);
bool mjcf_numbers(struct mjcf *, const struct mjcf_place *, const struct xml *, const char *name, int n, double *out);
bool mjcf_is(struct mjcf *, const struct mjcf_place *, const struct xml *, const char *name, const char *value);
bool mjcf_class_has(struct mjcf *, const struct xml *, const char *tag);       /* its default class, or one around it */
/* Whether a range counts: as the flag says, or, where it says nothing, if there is one. */
bool mjcf_limited(struct mjcf *, const struct mjcf_place *, const struct xml *, const char *flag, const char *range);
/* pos and one of quat, axisangle, xyaxes, zaxis, euler. */
bool mjcf_pose(struct mjcf *, const struct mjcf_place *, const struct xml *, struct pose *);
const char *mjcf_name(struct mjcf *, const struct xml *, const char *what);

bool mjcf_mesh_add(struct mjcf *, const struct xml *);          /* mjcf_mesh.c: an asset */
/* Mass, centre and moments in the axes of the geom, of a given mass (or below zero: by density); false: ->why says why. */
bool mjcf_mesh_mass(struct mjcf *, int mesh, double mass, double density, double *out, double centre[3], double J[6]);
bool mjcf_inertia(struct mjcf *);                               /* mjcf_inertia.c: whether there is a mass matrix in the reference position */
/* J M^-1 J' of a row with these factors at these rates; 0: it is not known. */
double mjcf_mobility(const struct mjcf *, int terms, const int *rate, const double *factor);
void mjcf_soften(struct mjcf *);                                /* springdamper as stiffness and damping */
bool mjcf_repeat(struct mjcf *, struct xml *root);              /* mjcf_repeat.c: <replicate> */
bool mjcf_world(struct mjcf *, const struct xml *root);         /* mjcf_body.c */
bool mjcf_couple(struct mjcf *, const struct xml *root);        /* mjcf_act.c: equality, tendons, actuators, keys */
#endif
