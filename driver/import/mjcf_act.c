/* SPDX-License-Identifier: GPL-3.0-or-later
 * MJCF: equality constraints as loops and gears, tendons, actuators, keyframes. */
#include "config.h"
#include "import/mjcf.h"

#include <stdlib.h>
#include <string.h>

static int body_link(const struct mjcf *c, const char *name, struct pose *world)
{
    int k = name ? index_get(&c->bodies, name) : -2;
    *world = pose_identity();
    if (k == -2)
        return 0;
    if (k < 0)
        return -1;
    *world = c->body.at[k].world;
    return c->body.at[k].link;
}

/* --- equality ------------------------------------------------------------------------------------------------------------ */

/* connect and weld between sites: their frames coincide. */
static bool read_sites(struct mjcf *c, const struct xml *x, struct robot_joint *j)
{
    const char *name[2] = {xml_get(x, "site1"), xml_get(x, "site2")};
    for (int i = 0; i < 2; i++) {
        int k = name[i] ? index_get(&c->sites, name[i]) : -1;
        if (k < 0)
            return robot_fail(c->r, x->file, x->line, "<%s> names a site '%s' that is not there", x->name, name[i] ? name[i] : "");
        *(i ? &j->child : &j->parent) = c->r->frame.at[k].link;
        *(i ? &j->b : &j->a) = c->r->frame.at[k].pose;
    }
    return true;
}

static bool read_loop(struct mjcf *c, const struct xml *x, bool weld)
{
    struct robot *r = c->r;
    struct robot_joint j = {.loop = true, .kind = weld ? ROBOT_FIXED : ROBOT_SPHERICAL, .line = x->line, .axis = {0, 0, 1}, .axis2 = {1, 0, 0}};
    struct pose one, two;
    double anchor[3] = {0}, relpose[7] = {0};
    const char *b1 = mjcf_get(c, NULL, x, "body1"), *b2 = mjcf_get(c, NULL, x, "body2");
    j.a = j.b = pose_identity();
    j.name = mjcf_name(c, x, weld ? "weld" : "connect");
    if (xml_get(x, "site1")) {
        if (!read_sites(c, x, &j))
            return false;
    } else {
        j.parent = body_link(c, b1, &one);
        j.child = body_link(c, b2, &two);
        if (!b1 || j.parent < 0 || j.child < 0)
            return robot_fail(r, x->file, x->line, "<%s> names a body that is not there", x->name);
        if (!mjcf_numbers(c, NULL, x, "anchor", 3, anchor) || !mjcf_numbers(c, NULL, x, "relpose", 7, relpose))
            return false;
        struct pose back = pose_inverse(&two), there = pose_mul(&back, &one);
        if (!weld) {            /* the point of body 1, where it is on body 2 at the start */
            memcpy(j.a.at, anchor, sizeof anchor);
            pose_apply(&there, anchor, j.b.at);
            pose_tidy(&j.b);
        } else if (relpose[3] == 0 && relpose[4] == 0 && relpose[5] == 0 && relpose[6] == 0) {
            j.b = there;
        } else {
            memcpy(j.a.at, relpose, sizeof anchor);
            pose_quaternion(&j.a, relpose + 3);
        }
    }
    if (j.parent == j.child)
        return robot_fail(r, x->file, x->line, "<%s> holds a body to itself", x->name);
    struct robot_joint *made = robot_joint_add(r, j.name, x->line);
    *made = j;
    return true;
}

/* joint1 - ref1 = polynomial of (joint2 - ref2): exactly our coordinates. */
static bool read_joint_law(struct mjcf *c, const struct xml *x)
{
    struct robot *r = c->r;
    const char *one = read_name(r, x, "joint1"), *two = xml_get(x, "joint2"), *poly = mjcf_get(c, NULL, x, "polycoef");
    double k[5] = {0, 1, 0, 0, 0};
    int a = robot_joint_find(r, one), b = robot_joint_find(r, two);
    if (!one || (poly && read_some(r, x, "polycoef", poly, 5, k) < 0))
        return false;
    if (a < 0 || (two && b < 0))
        return robot_fail(r, x->file, x->line, "<joint> names a joint that is not there");
    if (robot_joint_coords(r->joint.at[a].kind) != 1 || (two && robot_joint_coords(r->joint.at[b].kind) != 1) || a == b)
        return robot_fail(r, x->file, x->line, "<joint> connects two joints with one coordinate each");
    const char *name = mjcf_name(c, x, "law");
    if (two && k[2] == 0 && k[3] == 0 && k[4] == 0)
        VEC_PUSH(r->gear, ((struct robot_gear){.name = name, .line = x->line, .joint = a, .other = b, .ratio = k[1], .offset = k[0]}));
    else
        VEC_PUSH(r->law, ((struct robot_law){.name = name, .line = x->line, .joint = a, .other = two ? b : -1, .c = {k[0], k[1], k[2], k[3], k[4]}}));
    return true;
}

static bool read_equality(struct mjcf *c, const struct xml *root)
{
    struct robot *r = c->r;
    XML_EACH(e, root, "equality")
        for (struct xml *x = e->child; x; x = x->next) {
            if (!x->name)
                continue;
            bool connect = !strcmp(x->name, "connect"), weld = !strcmp(x->name, "weld"), joint = !strcmp(x->name, "joint");
            if (mjcf_is(c, NULL, x, "active", "false") || !(connect || weld || joint))
                robot_lose(r, &r->lost, x->line, "the %s<%s> %s", connect || weld || joint ? "inactive " : "", x->name, xml_get(x, "name") ? xml_get(x, "name") : "");
            else if (joint ? !read_joint_law(c, x) : !read_loop(c, x, weld))
                return false;
        }
    return !r->error;
}

/* --- tendons --------------------------------------------------------------------------------------------------------------- */

static bool read_fixed(struct mjcf *c, const struct xml *x, struct robot_tendon *t)
{
    struct robot *r = c->r;
    XML_EACH(k, x, "joint") {
        const char *name = read_name(r, k, "joint");
        int joint = robot_joint_find(r, name);
        double factor = 1;
        if (!name || !read_attribute(r, k, "coef", 1, &factor))
            return false;
        if (joint < 0)
            return robot_fail(r, k->file, k->line, "the tendon '%s' names a joint '%s' that is not there", t->name, name);
        if (robot_joint_coords(r->joint.at[joint].kind) != 1 || t->terms == 16)
            return robot_fail(r, k->file, k->line, "the tendon '%s' takes up to 16 joints with one coordinate each", t->name);
        for (int i = 0; i < c->joint.n; i++)
            if (c->joint.at[i].joint == joint)
                t->offset += factor * c->joint.at[i].ref;
        t->term[t->terms].joint = joint;
        t->term[t->terms++].factor = factor;
    }
    return t->terms || robot_fail(r, x->file, x->line, "the tendon '%s' has no joint", t->name);
}

/* Through sites in a straight line; pulleys and obstacles are not read. */
static bool read_spatial(struct mjcf *c, const struct xml *x, struct robot_tendon *t, bool *good)
{
    *good = true;
    for (struct xml *k = x->child; k; k = k->next) {
        if (!k->name)
            continue;
        const char *name = xml_get(k, "site");
        int site = !strcmp(k->name, "site") && name ? index_get(&c->sites, name) : -1;
        if (strcmp(k->name, "site") || t->sites == 16) {
            *good = false;
            return true;
        }
        if (site < 0)
            return robot_fail(c->r, k->file, k->line, "the tendon '%s' names a site that is not there", t->name);
        t->frame[t->sites++] = site;
    }
    return t->sites >= 2 || robot_fail(c->r, x->file, x->line, "the tendon '%s' needs two sites", t->name);
}

/* Length at the start, for the rest length that is not given. */
static double length_at_start(struct mjcf *c, const struct robot_tendon *t)
{
    double sum = t->offset, last[3] = {0};
    for (int i = 0; i < t->sites; i++) {
        const struct robot_frame *f = &c->r->frame.at[t->frame[i]];
        struct pose world = pose_identity();
        double at[3], d = 0;
        for (int b = 0; b < c->body.n; b++)
            if (c->body.at[b].link == f->link)
                world = c->body.at[b].world;
        pose_apply(&world, f->pose.at, at);
        for (int k = 0; k < 3; k++)
            d += (at[k] - last[k]) * (at[k] - last[k]);
        sum += i ? __builtin_sqrt(d) : 0;
        memcpy(last, at, sizeof last);
    }
    return sum;
}

static bool read_tendon(struct mjcf *c, const struct xml *x)
{
    struct robot *r = c->r;
    struct robot_tendon t = {.name = mjcf_name(c, x, "tendon"), .line = x->line};
    const char *tag = x->name, *rest;
    double length[2] = {-1, -1}, friction = 0, armature = 0;
    bool good = true;
    struct xml as = *x;
    as.name = "tendon";         /* the word of its defaults */
    if (!strcmp(tag, "fixed") ? !read_fixed(c, x, &t) : !read_spatial(c, x, &t, &good))
        return false;
    if (!good) {
        robot_lose(r, &r->lost, x->line, "the tendon '%s': it goes over pulleys or around obstacles", t.name);
        return true;
    }
    if (!mjcf_numbers(c, NULL, &as, "stiffness", 1, &t.stiffness) || !mjcf_numbers(c, NULL, &as, "damping", 1, &t.damping) ||
        !mjcf_numbers(c, NULL, &as, "frictionloss", 1, &friction) || !mjcf_numbers(c, NULL, &as, "armature", 1, &armature))
        return false;
    int given = 0;
    if ((rest = mjcf_get(c, NULL, &as, "springlength")) && (given = read_some(r, x, "springlength", rest, 2, length)) < 0)
        return false;
    t.low = length[0];
    t.high = given == 2 ? length[1] : length[0];
    if (t.low < 0)
        t.low = t.high = length_at_start(c, &t);
    if (friction != 0)
        robot_lose(r, &r->lost, x->line, "dry friction of the tendon '%s'", t.name);
    t.armature = armature;
    if (mjcf_get(c, NULL, &as, "range"))
        robot_lose(r, &r->lost, x->line, "limits of the tendon '%s'", t.name);
    *index_put(&c->tendons, t.name) = r->tendon.n;
    VEC_PUSH(r->tendon, t);
    return true;
}

/* --- actuators -------------------------------------------------------------------------------------------------------------- */

static bool actuator_law(struct mjcf *c, const struct xml *x, struct robot_actuator *u, bool *good)
{
    double kp = 1, kv = 0, time = 0, gain[10] = {1}, bias[10] = {0}, dyn[10] = {1}, area = 1, diameter = 0;
    const char *text, *tag = x->name;
    *good = true;
    u->gain = 1;
    if (!strcmp(tag, "motor"))
        return true;
    if (!strcmp(tag, "position") || !strcmp(tag, "intvelocity")) {
        if (!mjcf_numbers(c, NULL, x, "kp", 1, &kp) || !mjcf_numbers(c, NULL, x, "kv", 1, &kv) || !mjcf_numbers(c, NULL, x, "timeconst", 1, &time))
            return false;
        u->gain = kp;
        u->bias[1] = -kp;
        u->bias[2] = -kv;
        u->dynamics = !strcmp(tag, "intvelocity") ? ROBOT_INTEGRATOR : time > 0 ? ROBOT_FILTER : ROBOT_DIRECT;
        u->time = time;
        *good = !mjcf_get(c, NULL, x, "dampratio");
        return true;
    }
    if (!strcmp(tag, "velocity")) {
        kv = 1;
        if (!mjcf_numbers(c, NULL, x, "kv", 1, &kv))
            return false;
        u->gain = kv;
        u->bias[2] = -kv;
        return true;
    }
    if (!strcmp(tag, "cylinder")) {
        double b[3] = {0};
        time = 1;
        if (!mjcf_numbers(c, NULL, x, "timeconst", 1, &time) || !mjcf_numbers(c, NULL, x, "area", 1, &area) || !mjcf_numbers(c, NULL, x, "diameter", 1, &diameter) ||
            !mjcf_numbers(c, NULL, x, "bias", 3, b))
            return false;
        u->gain = diameter > 0 ? 3.14159265358979323846 * diameter * diameter / 4 : area;
        memcpy(u->bias, b, sizeof b);
        u->dynamics = time > 0 ? ROBOT_FILTER : ROBOT_DIRECT;
        u->time = time;
        return true;
    }
    if (strcmp(tag, "general")) {
        *good = false;
        return true;
    }
    if ((text = mjcf_get(c, NULL, x, "gainprm")) && read_some(c->r, x, "gainprm", text, 10, gain) < 0)
        return false;
    if ((text = mjcf_get(c, NULL, x, "biasprm")) && read_some(c->r, x, "biasprm", text, 10, bias) < 0)
        return false;
    if ((text = mjcf_get(c, NULL, x, "dynprm")) && read_some(c->r, x, "dynprm", text, 10, dyn) < 0)
        return false;
    const char *gt = mjcf_get(c, NULL, x, "gaintype"), *bt = mjcf_get(c, NULL, x, "biastype"), *dt = mjcf_get(c, NULL, x, "dyntype");
    u->gain = gain[0];
    *good = (!gt || !strcmp(gt, "fixed") || (!strcmp(gt, "affine") && gain[1] == 0 && gain[2] == 0)) && (!bt || !strcmp(bt, "none") || !strcmp(bt, "affine")) &&
            (!dt || !strcmp(dt, "none") || !strcmp(dt, "integrator") || !strcmp(dt, "filter") || !strcmp(dt, "filterexact"));
    if (bt && !strcmp(bt, "affine"))
        memcpy(u->bias, bias, sizeof u->bias);
    u->dynamics = !dt || !strcmp(dt, "none") ? ROBOT_DIRECT : !strcmp(dt, "integrator") ? ROBOT_INTEGRATOR : ROBOT_FILTER;
    u->time = dyn[0];
    return true;
}

static bool read_actuator(struct mjcf *c, const struct xml *x)
{
    struct robot *r = c->r;
    struct robot_actuator u = {.name = mjcf_name(c, x, "actuator"), .line = x->line, .joint = -1, .tendon = -1, .frame = -1, .gear = 1};
    const char *joint = mjcf_get(c, NULL, x, "joint"), *inparent = mjcf_get(c, NULL, x, "jointinparent"), *tendon = mjcf_get(c, NULL, x, "tendon"),
               *site = mjcf_get(c, NULL, x, "site"), *text = mjcf_get(c, NULL, x, "gear");
    bool good;
    double gear[6] = {1};
    if (r->error || (text && read_some(r, x, "gear", text, 6, gear) < 0) || !actuator_law(c, x, &u, &good))
        return false;
    joint = joint ? joint : inparent;
    u.gear = gear[0];
    u.joint = robot_joint_find(r, joint);
    u.tendon = tendon ? index_get(&c->tendons, tendon) : -1;
    u.frame = site ? index_get(&c->sites, site) : -1;
    if (joint && u.joint < 0)
        return robot_fail(r, x->file, x->line, "the actuator '%s' acts on a joint '%s' that is not there", u.name, joint);
    if (site && u.frame < 0)
        return robot_fail(r, x->file, x->line, "the actuator '%s' acts on a site '%s' that is not there", u.name, site);
    if (u.joint >= 0 && robot_joint_coords(r->joint.at[u.joint].kind) != 1)
        good = false;
    if (u.frame >= 0) {
        memcpy(u.wrench, gear, sizeof gear);
        u.gear = 1;
        good = good && !mjcf_get(c, NULL, x, "refsite") && u.bias[0] == 0 && u.bias[1] == 0 && u.bias[2] == 0;
    }
    if (!good || (u.joint < 0 && u.tendon < 0 && u.frame < 0)) {
        robot_lose(r, &r->lost, x->line, "the actuator '%s' (<%s>)", u.name, x->name);
        return true;
    }
    for (int i = 0; i < c->joint.n && u.joint >= 0; i++)
        if (c->joint.at[i].joint == u.joint)
            u.bias[0] += u.bias[1] * u.gear * c->joint.at[i].ref;
    if (u.tendon >= 0)
        good = r->tendon.at[u.tendon].terms > 0;
    if (!good) {
        robot_lose(r, &r->lost, x->line, "the actuator '%s' (<%s>) on a tendon through space", u.name, x->name);
        return true;
    }
    if (mjcf_get(c, NULL, x, "ctrlrange") || mjcf_get(c, NULL, x, "forcerange"))
        robot_lose(r, &r->lost, x->line, "ranges of the actuator '%s'", u.name);
    VEC_PUSH(r->actuator, u);
    return true;
}

/* --- keyframes --------------------------------------------------------------------------------------------------------------- */

static bool read_key(struct mjcf *c, const struct xml *x)
{
    struct robot *r = c->r;
    const char *qpos = xml_get(x, "qpos"), *qvel = xml_get(x, "qvel");
    double *q = mem_grow(NULL, 14 * (size_t)c->joint.n + 2, sizeof *q), *v = q + 7 * c->joint.n;
    int n = qpos ? read_some(r, x, "qpos", qpos, 7 * c->joint.n + 1, q) : 0, nq = 0, nv = 0;
    int m = qvel && n >= 0 ? read_some(r, x, "qvel", qvel, 7 * c->joint.n + 1, v) : 0;
    bool good = n >= 0 && m >= 0;
    for (int i = 0; i < c->joint.n; i++)
        nq += robot_joint_coords(r->joint.at[c->joint.at[i].joint].kind);
    if (good && n && n != nq)
        good = robot_fail(r, x->file, x->line, "'qpos' of <key> has %d numbers, the model has %d", n, nq);
    for (int i = 0, at = 0; good && n && i < c->joint.n; i++) {
        struct robot_joint *j = &r->joint.at[c->joint.at[i].joint];
        int k = robot_joint_coords(j->kind);
        j->started = true;
        for (int d = 0; d < k; d++)
            j->start[d] = q[at + d] - (k == 1 ? c->joint.at[i].ref : 0);
        if (k == 1 && m == n)
            j->speed[0] = v[at];
        at += k;
        nv += k;
    }
    if (good && m)
        for (int i = 0; i < m; i++)
            if (v[i] != 0 && m != n) {
                robot_lose(r, &r->lost, x->line, "velocities of the keyframe");
                break;
            }
    free(q);
    return good;
}

bool mjcf_couple(struct mjcf *c, const struct xml *root)
{
    struct robot *r = c->r;
    bool first = true;
    if (!read_equality(c, root))
        return false;
    XML_EACH(t, root, "tendon")
        for (struct xml *x = t->child; x; x = x->next)
            if (x->name && !read_tendon(c, x))
                return false;
    XML_EACH(t, root, "actuator")
        for (struct xml *x = t->child; x; x = x->next)
            if (x->name && !read_actuator(c, x))
                return false;
    XML_EACH(t, root, "keyframe")
        for (struct xml *x = xml_child(t, "key"); x; x = xml_next(x, "key")) {
            if (first && !read_key(c, x))
                return false;
            if (!first)
                robot_lose(r, &r->lost, x->line, "the keyframe '%s': the first one gives the start", xml_get(x, "name") ? xml_get(x, "name") : "");
            first = false;
        }
    return !r->error;
}
