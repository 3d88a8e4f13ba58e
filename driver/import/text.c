/* SPDX-License-Identifier: GPL-3.0-or-later
 * Numbers, vectors, places and coordinates in the language. */
#include "config.h"
#include "import/robot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *number_text(const struct robot *r, double x)
{
    struct arena *arena = r->arena;
    char text[40];
    if (parameter_of(x) >= 0 && parameter_of(x) < r->parameter.n)
        return r->parameter.at[parameter_of(x)].id;
    if (x == 0)
        return "0";
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    char *e = strchr(text, 'e');        /* 1e-05 is 1e-5 */
    if (e && e[2] == '0')
        memmove(e + 2, e + 3, strlen(e + 3) + 1);
    return arena_strndup(arena, text, strlen(text));
}

const char *angle_text(const struct robot *r, double x)
{
    struct arena *arena = r->arena;
    for (int part = 1; part <= 6; part++) {
        double n = rint(x * part / M_PI);
        if (part == 5 || n == 0 || fabs(x - n * M_PI / part) > 4e-16 * fabs(x))
            continue;
        const char *sign = n < 0 ? "-" : "", *times = fabs(n) == 1 ? "" : arena_printf(arena, "%g*", fabs(n));
        return part == 1 ? arena_printf(arena, "%s%spi", sign, times) : arena_printf(arena, "%s%spi/%d", sign, times, part);
    }
    return number_text(r, x);
}

const char *vector_text(const struct robot *r, int n, const double *x)
{
    struct arena *a = r->arena;
    const char *text = number_text(r, x[0]);
    for (int i = 1; i < n; i++)
        text = arena_printf(a, "%s, %s", text, number_text(r, x[i]));
    return arena_printf(a, "[%s]", text);
}

/* at([x, y, z], z = a, y = b) */
const char *frame_text(const struct robot *r, const struct pose *p)
{
    struct arena *a = r->arena;
    const char *text = arena_printf(a, "at(%s", vector_text(r, 3, p->at));
    for (int i = 0; i < p->turns; i++)
        text = arena_printf(a, "%s, %c = %s", text, "xyz"[p->turn[i].axis], angle_text(r, p->turn[i].angle));
    return arena_printf(a, "%s)", text);
}

const char *robot_place(const struct robot *r, int link)
{
    const struct robot_link *l = &r->link.at[link];
    return l->merged < 0 ? l->id : arena_printf(r->arena, "%s.%s", r->link.at[l->merged].id, l->frame);
}

/* K, K.F, K @ [x, y, z], K @ at([x, y, z], z = a) */
const char *place_text(const struct robot *r, int link, const struct pose *p)
{
    const char *k = robot_place(r, link);
    if (pose_is_identity(p))
        return k;
    return arena_printf(r->arena, "%s @ %s", k, p->turns ? frame_text(r, p) : vector_text(r, 3, p->at));
}

const char *robot_coordinate(const struct robot *r, int joint, int i)
{
    static const char *const part[ROBOT_JOINT_KINDS][7] = {
        [ROBOT_REVOLUTE] = {"angle"},
        [ROBOT_PRISMATIC] = {"distance"},
        [ROBOT_SCREW] = {"angle"},
        [ROBOT_PLANAR] = {"x", "y", "angle"},
        [ROBOT_UNIVERSAL] = {"angle1", "angle2"},
        [ROBOT_CYLINDRICAL] = {"angle", "distance"},
        [ROBOT_SPHERICAL] = {"e0", "e1", "e2", "e3"},
        [ROBOT_FREE] = {"x", "y", "z", "e0", "e1", "e2", "e3"},
    };
    const struct robot_joint *j = &r->joint.at[joint];
    return arena_printf(r->arena, "%s.%s", j->id, part[j->kind][i]);
}
