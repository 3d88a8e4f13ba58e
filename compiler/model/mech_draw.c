/* SPDX-License-Identifier: GPL-3.0-or-later
 * What there is to see of a mechanism, without a word in the model: bodies by their points, joints. */
#include "model/mechanism.h"

#include "mbs/model.h"

static void add_point(struct check *k, int body, struct vec local)
{
    struct vec at = motion_point(k->pool, &k->mech->body.at[body].motion, local);
    struct model_point pt = {{at.x[0], at.x[1], at.x[2]}, 1 + body, local};
    VEC_PUSH(k->m->point, pt);
}

static void add_shape(struct check *k, const char *name, int kind, int first)
{
    struct model_shape s = {name, kind, first, k->m->point.n - first, NULL};
    if (s.count)
        VEC_PUSH(k->m->shape, s);
}

/* A body: where its joints are, its points, its centre of mass if there is nothing else. */
static void draw_body(struct check *k, int b)
{
    const struct mechanism *m = k->mech;
    const struct mech_body *body = &m->body.at[b];
    struct pool *p = k->pool;
    int first = k->m->point.n;
    for (int i = 0; i < m->joint.n; i++) {
        const struct mech_joint *j = &m->joint.at[i];
        if (j->a.body == b || j->b.body == b)
            add_point(k, b, j->a.body == b ? j->a.at : j->b.at);
    }
    for (int i = 0; i < body->point.n; i++)
        add_point(k, b, body->point.at[i].at);
    if (body->mass != p->zero)
        add_point(k, b, body->com);
    add_shape(k, body->name, MBS_SHAPE_BODY, first);
}

static void draw_joint(struct check *k, const struct mech_joint *j)
{
    int first = k->m->point.n;
    if (!joint_coords(j) && j->tree)
        return;
    add_point(k, j->a.body, j->a.at);
    add_shape(k, j->name, MBS_SHAPE_JOINT, first);
}

void mech_draw(struct check *k)
{
    bool *solid = ARENA_NEW(k->arena, bool, k->mech->body.n);   /* given a solid by the model: that is how the body looks */
    for (int i = 0; i < k->queue.n; i++)
        if (k->queue.at[i].stmt->word == STMT_DRAW) {
            int b = draw_solid_body(k, &k->queue.at[i]);
            if (b >= 0)
                solid[b] = true;
        }
    for (int b = 1; b < k->mech->body.n; b++)
        if (!k->mech->body.at[b].beam && !solid[b])     /* beams draw themselves, bent */
            draw_body(k, b);
    for (int i = 0; i < k->mech->joint.n; i++) {
        const struct mech_joint *j = &k->mech->joint.at[i];
        if (!solid[j->a.body] && !solid[j->b.body])
            draw_joint(k, j);
    }
}
