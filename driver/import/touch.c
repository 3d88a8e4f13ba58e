/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Contacts of what moves with planes that stand: a sphere is one, a capsule two, a box has eight corners.  What has no such points (cylinders,
 * ellipsoids, meshes), and what two moving things do to each other, is not carried over. */
#include "config.h"
#include "import/robot.h"

#include <string.h>

/* The places of a solid that can touch a plane first, in its own axes; 0: they are not so few. */
static int points_of(const struct robot_shape *s, double at[8][3], double *radius)
{
    memset(at, 0, 8 * sizeof *at);
    *radius = s->kind == ROBOT_BOX ? 0 : s->size[0];
    switch (s->kind) {
    case ROBOT_SPHERE: return 1;
    case ROBOT_CAPSULE:
        at[0][2] = -s->size[1] / 2;
        at[1][2] = s->size[1] / 2;
        return 2;
    case ROBOT_BOX:
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 3; k++)
                at[i][k] = (i >> k & 1 ? 1 : -1) * s->size[k] / 2;
        return 8;
    case ROBOT_CYLINDER:
    case ROBOT_ELLIPSOID:
    case ROBOT_MESH: break;
    }
    return 0;
}

static void contacts_add(struct robot *r, const struct robot_solid *s, const struct robot_solid *plane, double friction)
{
    double at[8][3], radius;
    int n = points_of(&s->shape, at, &radius);
    const double up[3] = {0, 0, 1};
    for (int i = 0; i < n; i++) {
        struct robot_contact c = {.name = s->name, .line = s->line, .link = s->link, .plane = plane->link, .radius = radius, .friction = friction};
        struct pose point = pose_at(at[i][0], at[i][1], at[i][2]), place = pose_mul(&s->shape.pose, &point);
        pose_tidy(&place);
        memcpy(c.at, place.at, sizeof c.at);
        memcpy(c.point, plane->shape.pose.at, sizeof c.point);
        pose_rotate(&plane->shape.pose, up, c.normal);
        VEC_PUSH(r->contact, c);
    }
}

/* What moves against the world. */
static bool *moving(struct robot *r)
{
    bool *moves = arena_alloc(r->arena, (size_t)r->link.n + 1);
    for (int i = 0; i < r->order.n; i++) {
        int l = r->order.at[i], k = r->link.at[l].joint;
        moves[l] = k < 0 ? r->floating : moves[r->joint.at[k].parent] || r->joint.at[k].kind != ROBOT_FIXED;
    }
    return moves;
}

static bool meet(const struct robot *r, int a, int b, double *friction)
{
    const struct robot_solid *s = &r->solid.at[a], *p = &r->solid.at[b];
    for (int i = 0; i < r->pair.n; i++)
        if ((r->pair.at[i].a == a && r->pair.at[i].b == b) || (r->pair.at[i].a == b && r->pair.at[i].b == a)) {
            *friction = r->pair.at[i].friction;
            return true;
        }
    for (int i = 0; i < r->apart.n; i++)
        if ((r->apart.at[i].a == s->link && r->apart.at[i].b == p->link) || (r->apart.at[i].a == p->link && r->apart.at[i].b == s->link))
            return false;
    const struct robot_solid *rules = s->priority > p->priority ? s : s->priority < p->priority ? p : NULL;
    bool smooth = rules ? rules->smooth : s->smooth && p->smooth;
    *friction = smooth ? 0 : rules ? rules->friction : (s->friction > p->friction) != r->least_friction ? s->friction : p->friction;
    return (s->type & p->affinity) || (p->type & s->affinity);
}

void robot_touch(struct robot *r)
{
    enum { MOST = 4000000 };    /* pairs to look at */
    bool *moves = moving(r);
    int few = 0, others = 0, line = 0;
    double planes = 0;
    for (int a = 0; a < r->solid.n; a++)
        planes += r->solid.at[a].plane;
    if (planes * r->solid.n * (1 + r->pair.n + r->apart.n) > MOST) {
        robot_lose(r, &r->lost, r->link.at[0].line, "contacts of %d solids with %g planes: these are too many pairs", r->solid.n, planes);
        return;
    }
    for (int b = 0; b < r->solid.n; b++)
        for (int a = 0; a < r->solid.n && r->solid.at[b].plane && !moves[r->solid.at[b].link]; a++) {
            const struct robot_solid *s = &r->solid.at[a];
            double friction, at[8][3], radius;
            if (s->plane || !moves[s->link] || !meet(r, a, b, &friction))
                continue;
            bool can = points_of(&s->shape, at, &radius) > 0;
            few += can;
            line = r->solid.at[b].line;
            if (r->contacts && can)
                contacts_add(r, s, &r->solid.at[b], friction);
            else if (r->contacts)
                robot_lose(r, &r->link.at[s->link].lost, s->line, "the contact of '%s' with a plane: which of its points touch first is not among a few", s->name);
        }
    for (int a = 0; a < r->solid.n; a++)
        others += !r->solid.at[a].plane && (r->solid.at[a].type || r->solid.at[a].affinity);
    if (few && !r->contacts)
        robot_lose(r, &r->lost, line, "contacts of %d solid%s with planes (--contacts writes them)", few, few == 1 ? "" : "s");
    if (others > 1)
        robot_lose(r, &r->lost, r->link.at[0].line, "contacts of %d solids with each other", others);
}
