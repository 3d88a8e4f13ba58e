/* SPDX-License-Identifier: GPL-3.0-or-later
 * Between the readers of meshes: they give NULL, or what is wrong. */
#ifndef DRIVER_MESH_DAE_H
#define DRIVER_MESH_DAE_H
#include "mesh.h"

const char *mesh_read_dae(struct mesh *, const char *text, size_t size);
const char *mesh_corner(struct mesh *, const float at[3]);
const char *mesh_triangle(struct mesh *, int a, int b, int c);
bool mesh_number(const char **s, const char *end, float *out);         /* the next number of a list */
#endif
