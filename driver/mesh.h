/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Triangles from the files that robots are drawn with: STL (binary and text), OBJ, DAE (Collada), MSH (MuJoCo's old format).
 *
 * A file is data of strangers: its size, the number of corners and triangles, and the numbers themselves are checked, and a file is only
 * looked for below directories that the user named. */
#ifndef DRIVER_MESH_H
#define DRIVER_MESH_H
#include <stdbool.h>
#include <stddef.h>

enum { MESH_MOST = 2000000 };           /* corners, and triangles */

struct mesh {
    struct { float (*at)[3]; int n, cap; } corner;      /* each place once in STL, as written in the others */
    struct { int (*at)[3]; int n, cap; } triangle;      /* counterclockwise, seen from outside */
    int first;                  /* OBJ: triangles of the first object, which stand first */
    bool warped;                /* OBJ: a face of more than four corners is not plane; how it is cut is a choice */
};

/* Reads the file by its ending.  What fails is said in *why (of the caller, to be freed), and the mesh is empty. */
bool mesh_read(struct mesh *, const char *path, char **why);
bool mesh_parse(struct mesh *, const char *name, const char *text, size_t size, char **why);
void mesh_free(struct mesh *);

/* The file `name` of a model, from the directory of the model file or one of `dirs`, and below one of them, links resolved; its path, to be
 * freed, or NULL if it is not there or lies outside. */
char *mesh_find(const char *model, const char *const *dirs, int n, const char *name);

/* At most so many triangles, for drawing: corners that share a cell of a grid become one. */
void mesh_thin(struct mesh *, int most);

/* A body of unit density, its corners multiplied by `scale`, along the axes of the file. */
enum mesh_body {
    MESH_EXACT,         /* what a closed surface encloses */
    MESH_PYRAMIDS,      /* pyramids over its middle, also those that lie outside: for surfaces that are not closed, as MuJoCo counts them */
    MESH_SHELL          /* of unit density by area */
};
struct mesh_solid {
    double volume;              /* or area */
    double centre[3];
    double moments[6];          /* xx yy zz xy xz yz about the centre */
};
bool mesh_solid(const struct mesh *, const double scale[3], enum mesh_body, struct mesh_solid *);      /* false: it encloses nothing */
#endif
