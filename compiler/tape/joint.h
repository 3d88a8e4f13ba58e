/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tapes of several functions that belong together.
 *
 * All are optimised as one graph, so that what two functions share has the same form in both: the same decision which
 * sines are called, the same subexpressions.  Of that, what depends on q and t alone and is wanted by two or more parts
 * can be written once: it becomes a member of the position, a tape of its own that every function runs first (inlined,
 * so that the C compiler drops what one does not use).  In the other tapes members are symbols of kind TAPE_SHARED.
 *
 * A part is what becomes one C function: a function of the ABI, or a matrix that several of them compute.
 */
#ifndef TAPE_JOINT_H
#define TAPE_JOINT_H
#include "tape/tape.h"

struct joint_part {
    int n;
    const struct tape_output *out;
    unsigned functions;         /* those of the ABI in which it is computed, as bits */
};
enum { JOINT_FUNCTIONS = 16 };    /* at most; those called often are among the first USERS of graph.h */

struct joint {
    struct tape **tape;         /* by part */
    struct tape *position;      /* outputs: array 0, index: member; value: the sine or cosine that it is, or 0.  NULL: none */
    int parts;
    struct tape_cost cost[JOINT_FUNCTIONS];     /* of each function, with all that it shares */
};

/* Does the value of e come without calls that C may not leave out or repeat: square roots, most functions, extern ones? */
bool joint_is_pure(const struct pool *, int n, const Expr *e);

/* False if a tape would be longer than `most` rows.  `often`: functions whose time matters, as bits: each gets the sines it
 * would call alone, and the first one the tape it would have alone.  `always`: a position however little it saves. */
bool joint_build(struct joint *, struct pool *, struct hoist *, int parts, const struct joint_part *, unsigned often, bool always,
                 int most);
void joint_free(struct joint *);
#endif
