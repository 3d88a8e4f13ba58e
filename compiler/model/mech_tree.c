/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The spanning tree: breadth first from ground, joints in the order of the file, so that every body has the
 * shortest way to ground and the result does not depend on anything but the file.
 */
#include "model/mechanism.h"

#include <stdlib.h>

/* Joints at each body, as one array of lists. */
struct incidence {
    int *first, *list;      /* joints list[first[b] .. first[b+1]) */
};

static struct incidence incidence_make(struct check *k)
{
    const struct mechanism *m = k->mech;
    struct incidence x = {ARENA_NEW(k->arena, int, m->body.n + 2), ARENA_NEW(k->arena, int, 2 * m->joint.n + 1)};
    for (int i = 0; i < m->joint.n; i++) {
        x.first[m->joint.at[i].a.body + 2]++;
        x.first[m->joint.at[i].b.body + 2]++;
    }
    for (int b = 2; b < m->body.n + 2; b++)
        x.first[b] += x.first[b - 1];
    for (int i = 0; i < m->joint.n; i++) {
        x.list[x.first[m->joint.at[i].a.body + 1]++] = i;
        x.list[x.first[m->joint.at[i].b.body + 1]++] = i;
    }
    return x;
}

void mech_tree(struct check *k)
{
    struct mechanism *m = k->mech;
    struct incidence x = incidence_make(k);
    m->body.at[0].depth = 0;
    VEC_PUSH(m->order, 0);
    for (int done = 0; done < m->order.n; done++) {
        int b = m->order.at[done];
        for (int n = x.first[b]; n < x.first[b + 1]; n++) {
            struct mech_joint *j = &m->joint.at[x.list[n]];
            int other = j->a.body == b ? j->b.body : j->a.body;
            if (j->cut || m->body.at[other].depth >= 0)
                continue;
            struct mech_body *child = &m->body.at[other];
            j->tree = true;
            j->reversed = j->a.body != b;
            child->joint = x.list[n];
            child->parent = b;
            child->depth = m->body.at[b].depth + 1;
            VEC_PUSH(m->order, other);
        }
    }
    for (int b = 1; b < m->body.n; b++)
        if (m->body.at[b].depth < 0) {
            bool lonely = x.first[b] == x.first[b + 1];
            diag_error(k->diags, m->body.at[b].span, "the body '%s' is connected with %s", m->body.at[b].name,
                       lonely ? "nothing" : "other bodies, but not with ground");
            diag_note(k->diags, m->body.at[b].span, "a body that moves freely is connected by: joint NAME: free(ground, %s)", m->body.at[b].name);
            if (!lonely)
                return;     /* the others of this island would say the same */
        }
}
