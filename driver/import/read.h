/* SPDX-License-Identifier: GPL-3.0-or-later
 * What the readers of all formats share: numbers in attributes and text, comments, files beside the file. */
#ifndef IMPORT_READ_H
#define IMPORT_READ_H
#include "import/robot.h"
#include "import/xml.h"

/* Whole numbers and decimals in a text, separated by blanks; exactly n of them, none infinite.  `what` is named in the message. */
bool read_numbers(struct robot *, const struct xml *, const char *what, const char *text, int n, double *out);
/* Up to `most` numbers; returns how many, -1 after an error. */
int read_some(struct robot *, const struct xml *, const char *what, const char *text, int most, double *out);
/* An attribute of n numbers; untouched if it is absent. */
bool read_attribute(struct robot *, const struct xml *, const char *name, int n, double *out);
/* A quantity of n numbers: an attribute (URDF) or the text of a child element (SDFormat); untouched if it is absent. */
bool read_field(struct robot *, const struct xml *, const char *name, int n, double *out);
/* How a format places a part of a link. */
typedef bool read_pose_fn(struct robot *, const struct xml *part, struct pose *);
/* Mass, centre and moments of a link's <inertial>; `standard` is what a mass or a moment is that is not given there. */
bool read_inertial(struct robot *, const struct xml *link, struct robot_link *, double standard, read_pose_fn *);
/* The shapes of a link's <visual> elements; of <collision> what can touch. */
bool read_looks(struct robot *, const struct xml *link, struct robot_link *, read_pose_fn *);
/* A name that must be there. */
const char *read_name(struct robot *, const struct xml *, const char *attribute);
/* The comments among the children before `to` (NULL: all) after `from` (NULL: from the start). */
void read_comments(struct robot *, const struct xml *parent, const struct xml *to, struct robot_lines *);
/* Comments inside an element, at any depth. */
void read_comments_inside(struct robot *, const struct xml *, struct robot_lines *);
/* Child elements that nobody looked at. */
void read_rest(struct robot *, const struct xml *, const char *where, struct robot_lines *);

/* A file below the directory of the main one; NULL with an error if it is elsewhere or cannot be read. */
char *read_file_beside(struct robot *, const struct xml *from, const char *path, size_t *size);
bool read_is_beside(const struct robot *, const char *path);    /* whether there is such a file */
/* A file or directory that is named from, and lies below, the directory of the main file or one of -I; NULL: there is none. */
const char *read_find(struct robot *, const char *path);
/* The whole file, at most 32 MB. */
char *read_whole(const char *path, size_t *size, const char **why);

bool read_urdf(struct robot *, struct xml *root);
bool read_mjcf(struct robot *, struct xml *root);
bool read_sdf(struct robot *, struct xml *root);
bool read_sdfast(struct robot *, const char *text, size_t size);
#endif
