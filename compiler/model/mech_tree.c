/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The spanning tree: breadth first from ground, joints in the order of the file, so that every body has the
 * shortest way to ground and the result does not depend on anything but the file.
 *
 * A `distance` joint is a rod without mass that people put between bodies which joints hold already.  It is taken into the tree
 * where a body has no other way to ground only: as a road it would bring coordinates that nobody thinks in, and start values of
 * the joints that people mean would be those of a loop.
 */
#include "model/mechanism.h"

#include <stdlib.h>
#include <string.h>

/* Joints at each body, as one array of lists. */
static void joints_at_bodies(struct check *k)
{
    struct mechanism *m = k->mech;
    int *first = ARENA_NEW(k->arena, int, m->body.n + 2), *list = ARENA_NEW(k->arena, int, 2 * m->joint.n + 1);
    for (int i = 0; i < m->joint.n; i++) {
        first[m->joint.at[i].a.body + 2]++;
        first[m->joint.at[i].b.body + 2]++;
    }
    for (int b = 2; b < m->body.n + 2; b++)
        first[b] += first[b - 1];
    for (int i = 0; i < m->joint.n; i++) {
        list[first[m->joint.at[i].a.body + 1]++] = i;
        list[first[m->joint.at[i].b.body + 1]++] = i;
    }
    m->joints.first = first;
    m->joints.list = list;
}

/* Goes on from body b by its joint number n; false: there is nothing new there. */
static bool tree_grow(struct mechanism *m, int b, int n)
{
    struct mech_joint *j = &m->joint.at[n];
    int other = j->a.body == b ? j->b.body : j->a.body;
    struct mech_body *child = &m->body.at[other];
    if (j->cut || child->depth >= 0)
        return false;
    j->tree = true;
    j->reversed = j->a.body != b;
    child->joint = n;
    child->parent = b;
    child->depth = m->body.at[b].depth + 1;
    VEC_PUSH(m->order, other);
    return true;
}

static bool is_rod(const struct mechanism *m, int joint)
{
    return !strcmp(m->joint.at[joint].kind->name, "distance");
}

/* The first rod that leads to a body not reached yet, from body number *from of the order on: those before have none. */
static bool tree_by_rod(struct mechanism *m, int *from)
{
    for (; *from < m->order.n; ++*from) {
        int b = m->order.at[*from];
        for (int n = m->joints.first[b]; n < m->joints.first[b + 1]; n++)
            if (is_rod(m, m->joints.list[n]) && tree_grow(m, b, m->joints.list[n]))
                return true;
    }
    return false;
}

void mech_tree(struct check *k)
{
    struct mechanism *m = k->mech;
    int done = 0, rods = 0;
    joints_at_bodies(k);
    m->body.at[0].depth = 0;
    VEC_PUSH(m->order, 0);
    do {
        for (; done < m->order.n; done++) {
            int b = m->order.at[done];
            for (int n = m->joints.first[b]; n < m->joints.first[b + 1]; n++)
                if (!is_rod(m, m->joints.list[n]))
                    tree_grow(m, b, m->joints.list[n]);
        }
    } while (tree_by_rod(m, &rods));
    for (int b = 1; b < m->body.n; b++)
        if (m->body.at[b].depth < 0) {
            bool lonely = m->joints.first[b] == m->joints.first[b + 1];
            diag_error(k->diags, m->body.at[b].span, "the body '%s' is connected with %s", m->body.at[b].name,
                       lonely ? "nothing" : "other bodies, but not with ground");
            diag_note(k->diags, m->body.at[b].span, "a body that moves freely is connected by: joint NAME: free(ground, %s)", m->body.at[b].name);
            if (!lonely)
                return;     /* the others of this island would say the same */
        }
}
