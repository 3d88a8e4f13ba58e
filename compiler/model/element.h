/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the functions of force elements (mech_force.c, mech_contact.c, ...) share (mech_element.c): where one acts, how it is read, what it does. */
#ifndef MODEL_ELEMENT_H
#define MODEL_ELEMENT_H
#include "model/part.h"

enum { MAY_ACT = DEP(SYM_PARAM) | DEP(SYM_TIME) | DEP(SYM_Q) | DEP(SYM_V) | DEP(SYM_Z) | DEP(SYM_U) };

/* Between two places, or on a joint's coordinate. */
struct where {
    bool on_joint;
    struct mech_end a, b;
    int joint, slot;
};

/* Generalized forces of n forces by the power they have along n velocities, which are linear in v. */
void element_apply(struct check *, struct span, int n, const Expr *force, const Expr *velocity);
/* What acts on places and bodies becomes generalized forces together, in the end: one sweep from the tips to the root for all of it, not one each. */
void element_apply_all(struct check *);
/* Of these clauses only `right` has a meaning here. */
bool element_only(struct reading *, const char *right, const char *a, const char *b, const char *c);
/* J.angle or the name of a coordinate; a joint with one coordinate may go by its own name. */
bool element_slot(struct check *, struct scope *, const struct ast_expr *, int *joint, int *slot);
bool element_where(struct reading *, struct where *);
/* Two places that joints hold together have no line between them: false after an error. */
bool element_has_line(struct reading *, const struct where *);
/* between J1 and J2: two joints with one coordinate each, or coordinates. */
bool element_pair(struct reading *, struct where w[2]);
/* The coordinate of a joint and its rate. */
bool element_motion(struct reading *, const struct where *, Expr *q, Expr *dq, bool *length);
/* The same for what needs the rate only: *q is 0 where it is not known. */
bool element_rate(struct reading *, const struct where *, Expr *q, Expr *dq, bool *length);
const char *element_name(struct reading *);
/* Its length or angle, the rate of that, its force and power as quantities of the model. */
void element_tell(struct reading *, const struct where *, bool length, Expr q, Expr dq, Expr force);

/* mech_contact.c */
void mech_friction(struct reading *);
void mech_limit(struct reading *);
void mech_rope(struct reading *);
void mech_contact(struct reading *);
/* mech_oneway.c */
void mech_clutch(struct reading *);
void mech_ratchet(struct reading *);
/* mech_wheel.c */
void mech_wheel(struct reading *);
#endif
