/* SPDX-License-Identifier: GPL-3.0-or-later
 * MJCF: equality constraints as loops and gears, tendons, actuators, keyframes. */
#include "config.h"
#include "import/mjcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Joints and bodies stand in the order of those of the robot. */
static const struct mjcf_joint *joint_of(const struct mjcf *c, int joint)
{
    int from = 0, to = c->joint.n;
    while (from < to) {
        int middle = (from + to) / 2;
        if (c->joint.at[middle].joint < joint)
            from = middle + 1;
        else
            to = middle;
    }
    return from < c->joint.n && c->joint.at[from].joint == joint ? &c->joint.at[from] : NULL;
}

static struct pose world_of(const struct mjcf *c, int link)
{
    int from = 0, to = c->body.n;
    while (from < to) {
        int middle = (from + to) / 2;
        if (c->body.at[middle].link < link)
            from = middle + 1;
        else
            to = middle;
    }
    return from < c->body.n && c->body.at[from].link == link ? c->body.at[from].world : pose_identity();
}

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
        const struct mjcf_joint *j = joint_of(c, joint);
        t->offset += j ? factor * j->ref : 0;
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
        struct pose world = world_of(c, f->link);
        double at[3], d = 0;
        pose_apply(&world, f->pose.at, at);
        for (int k = 0; k < 3; k++)
            d += (at[k] - last[k]) * (at[k] - last[k]);
        sum += i ? sqrt(d) : 0;
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


static bool actuator_law(struct mjcf *c, const struct xml *x, struct robot_actuator *u, double *ratio, bool *good)
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
        /* one of the two counts: what the element says, whatever its class says */
        return (xml_get(x, "kv") && !xml_get(x, "dampratio")) || mjcf_numbers(c, NULL, x, "dampratio", 1, ratio);
    }
    if (!strcmp(tag, "damper")) {
        kv = 1;
        u->gain = 0;
        bool is = mjcf_numbers(c, NULL, x, "kv", 1, &kv);
        u->vary[1] = -kv;
        return is;
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
        u->gain = diameter > 0 ? M_PI * diameter * diameter / 4 : area;
        memcpy(u->bias, b, sizeof b);
        u->dynamics = time > 0 ? ROBOT_FILTER : ROBOT_DIRECT;
        u->time = time;
        return true;
    }
    if (strcmp(tag, "general") || mjcf_class_has(c, x, "muscle")) {
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
    bool affine = gt && !strcmp(gt, "affine");
    *good = (!gt || !strcmp(gt, "fixed") || affine) && (!bt || !strcmp(bt, "none") || !strcmp(bt, "affine")) &&
            (!dt || !strcmp(dt, "none") || !strcmp(dt, "integrator") || !strcmp(dt, "filter") || !strcmp(dt, "filterexact"));
    if (affine)
        memcpy(u->vary, gain + 1, sizeof u->vary);
    if (bt && !strcmp(bt, "affine"))
        memcpy(u->bias, bias, sizeof u->bias);
    if (u->bias[1] == -u->gain && u->bias[2] > 0) {     /* of what looks like a servo */
        *ratio = u->bias[2];
        u->bias[2] = 0;
    }
    u->dynamics = !dt || !strcmp(dt, "none") ? ROBOT_DIRECT : !strcmp(dt, "integrator") ? ROBOT_INTEGRATOR : ROBOT_FILTER;
    u->time = dyn[0];
    return true;
}

/* Ranges of the input, of the force, and of what all actuators do to the joint together, where this one is alone. */
static bool actuator_ranges(struct mjcf *c, const struct xml *x, struct robot_actuator *u)
{
    struct robot *r = c->r;
    double inherit = 0;
    const struct mjcf_joint *j = joint_of(c, u->joint);
    if (!mjcf_numbers(c, NULL, x, "inheritrange", 1, &inherit) ||
        (mjcf_limited(c, NULL, x, "ctrllimited", "ctrlrange") && !mjcf_numbers(c, NULL, x, "ctrlrange", 2, u->control)) ||
        (mjcf_limited(c, NULL, x, "forcelimited", "forcerange") && !mjcf_numbers(c, NULL, x, "forcerange", 2, u->force)))
        return false;
    if (inherit > 0 && j && j->range[0] < j->range[1] && !strcmp(x->name, "position")) {
        double mean = (j->range[0] + j->range[1]) / 2, half = (j->range[1] - j->range[0]) / 2 * inherit;
        u->control[0] = mean - half, u->control[1] = mean + half;
    } else if (inherit > 0) {
        robot_lose(r, &r->lost, x->line, "the range that the actuator '%s' inherits", u->name);
    }
    if (mjcf_limited(c, NULL, x, "actlimited", "actrange"))
        robot_lose(r, &r->lost, x->line, "the range of the activation of '%s'", u->name);
    return true;
}

/* The damping of a servo from its ratio: 2 ratio sqrt(kp m), m = 1/(J M^-1 J') what it moves in the reference position (MuJoCo 4; before, a sum of
 * diagonal elements). */
static bool actuator_damping(struct mjcf *c, struct robot_actuator *u, double ratio)
{
    const struct robot_tendon *t = u->tendon >= 0 ? &c->r->tendon.at[u->tendon] : NULL;
    double factor[16];
    int rate[16], n = t ? t->terms : 1;
    if (u->frame >= 0 || n == 0 || !mjcf_inertia(c))
        return false;
    for (int i = 0; i < n; i++) {
        const struct mjcf_joint *j = joint_of(c, t ? t->term[i].joint : u->joint);
        if (!j)
            return false;
        rate[i] = j->rate;
        factor[i] = u->gear * (t ? t->term[i].factor : 1);
    }
    double mobility = mjcf_mobility(c, n, rate, factor);
    u->bias[2] = mobility > 0 ? -2 * ratio * sqrt(u->gain / mobility) : 0;
    return mobility > 0 && u->gain >= 0;
}

/* What bounds the sum of all actuators on a joint bounds the only one. */
static void joint_ranges(struct mjcf *c)
{
    struct robot *r = c->r;
    int *on = arena_alloc(r->arena, 2 * ((size_t)r->joint.n + 1) * sizeof *on), *which = on + r->joint.n + 1;
    bool anywhere = false;      /* what pulls through space may move every joint */
    for (int k = 0; k < r->actuator.n; k++) {
        const struct robot_actuator *u = &r->actuator.at[k];
        const struct robot_tendon *t = u->tendon >= 0 ? &r->tendon.at[u->tendon] : NULL;
        anywhere = anywhere || u->frame >= 0 || (t && t->sites);
        if (u->joint >= 0) {
            on[u->joint]++;
            which[u->joint] = k;
        }
        for (int n = 0; t && n < t->terms; n++)
            on[t->term[n].joint] += 2;
    }
    for (int i = 0; i < c->joint.n; i++) {
        const struct mjcf_joint *j = &c->joint.at[i];
        struct robot_joint *to = &r->joint.at[j->joint];
        if (j->force[0] > j->force[1])
            continue;
        if (on[j->joint] == 1 && !anywhere && !j->carries)
            memcpy(r->actuator.at[which[j->joint]].effect, j->force, sizeof j->force);
        else if (on[j->joint] || anywhere)
            robot_lose(r, &to->lost, to->line, "the range of all actuators of '%s' together", to->name);
    }
}

static bool read_actuator(struct mjcf *c, const struct xml *x)
{
    struct robot *r = c->r;
    struct robot_actuator u = robot_actuator(mjcf_name(c, x, "actuator"), x->line);
    double ratio = 0;
    const char *joint = mjcf_get(c, NULL, x, "joint"), *inparent = mjcf_get(c, NULL, x, "jointinparent"), *tendon = mjcf_get(c, NULL, x, "tendon"),
               *site = mjcf_get(c, NULL, x, "site"), *text = mjcf_get(c, NULL, x, "gear");
    bool good;
    double gear[6] = {1};
    if (r->error || (text && read_some(r, x, "gear", text, 6, gear) < 0) || !actuator_law(c, x, &u, &ratio, &good))
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
        good = good && !mjcf_get(c, NULL, x, "refsite") && u.bias[0] == 0 && u.bias[1] == 0 && u.bias[2] == 0 && u.vary[0] == 0 && u.vary[1] == 0;
    }
    if (!good || (u.joint < 0 && u.tendon < 0 && u.frame < 0)) {
        robot_lose(r, &r->lost, x->line, "the actuator '%s' (<%s>)", u.name, x->name);
        return true;
    }
    const struct mjcf_joint *j = joint_of(c, u.joint);
    if (j) {
        u.bias[0] += u.bias[1] * u.gear * j->ref;
        u.gain += u.vary[0] * u.gear * j->ref;
    }
    if (ratio > 0 && !actuator_damping(c, &u, ratio)) {
        robot_lose(r, &r->lost, x->line, "the actuator '%s' (<%s>): there is no mass that its damping ratio could mean", u.name, x->name);
        return true;
    }
    if (!actuator_ranges(c, x, &u))
        return false;
    VEC_PUSH(r->actuator, u);
    return true;
}

/* --- keyframes --------------------------------------------------------------------------------------------------------------- */

/* All numbers of an attribute, `most` of them; NULL if it is absent, or after an error. */
static double *key_numbers(struct mjcf *c, const struct xml *x, const char *name, int most)
{
    const char *text = xml_get(x, name);
    double *v = text ? arena_alloc(c->r->arena, ((size_t)most + 1) * sizeof *v) : NULL;
    int n = v ? read_some(c->r, x, name, text, most + 1, v) : 0;
    if (v && n >= 0 && n != most)
        robot_fail(c->r, x->file, x->line, "'%s' of <key> has %d numbers, the model has %d", name, n, most);
    return c->r->error ? NULL : v;
}

/* Rates of Euler parameters from the turn in body axes. */
static void euler_rates(const double e[4], const double w[3], double out[4])
{
    out[0] = (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]) / 2;
    out[1] = (e[0] * w[0] - e[3] * w[1] + e[2] * w[2]) / 2;
    out[2] = (e[3] * w[0] + e[0] * w[1] - e[1] * w[2]) / 2;
    out[3] = (-e[2] * w[0] + e[1] * w[1] + e[0] * w[2]) / 2;
}

static void key_joint(struct mjcf *c, const struct mjcf_joint *as, const double *q, const double *v)
{
    struct robot_joint *j = &c->r->joint.at[as->joint];
    int k = robot_joint_coords(j->kind), turn = k - 4;
    double *e = k > 1 ? j->start + turn : j->start, length = 1;
    for (int d = 0; d < k && q; d++)
        j->start[d] = q[d] - (k == 1 ? as->ref : 0);
    if (k > 1 && q)
        length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (int d = 0; k > 1 && q && d < 4; d++)
        e[d] = length > 0 ? e[d] / length : d == 0;     /* four zeros stand for no turn */
    if (k > 1 && !q && !j->started)
        e[0] = 1;
    j->started = j->started || q || v;
    if (v && k == 1)
        j->speed[0] = v[0];
    if (v && k > 1) {
        memcpy(j->speed, v, (size_t)turn * sizeof *v);
        euler_rates(e, v + turn, j->speed + turn);
    }
}

static bool read_key(struct mjcf *c, const struct xml *x)
{
    struct robot *r = c->r;
    int nq = 0, nv = 0, na = 0;
    bool known = true;
    for (int i = 0; i < c->joint.n; i++) {
        int k = robot_joint_coords(r->joint.at[c->joint.at[i].joint].kind);
        nq += k;
        nv += k > 1 ? k - 1 : k;
    }
    for (int i = 0; i < c->actuator.n; i++) {
        known = known && c->actuator.at[i] >= 0;
        na += known && r->actuator.at[c->actuator.at[i]].dynamics != ROBOT_DIRECT;
    }
    const double *q = key_numbers(c, x, "qpos", nq), *v = key_numbers(c, x, "qvel", nv), *u = key_numbers(c, x, "ctrl", c->actuator.n);
    const double *z = known ? key_numbers(c, x, "act", na) : NULL;
    if (!known && xml_get(x, "act"))
        robot_lose(r, &r->lost, x->line, "activations of the keyframe: there are actuators that are not carried over");
    for (int i = 0; i < c->joint.n && !r->error && (q || v); i++) {
        int k = robot_joint_coords(r->joint.at[c->joint.at[i].joint].kind);
        key_joint(c, &c->joint.at[i], q, v);
        q += q ? k : 0;
        v += v ? k > 1 ? k - 1 : k : 0;
    }
    for (int i = 0; i < c->actuator.n && !r->error; i++) {
        struct robot_actuator *a = c->actuator.at[i] >= 0 ? &r->actuator.at[c->actuator.at[i]] : NULL;
        if (a && u)
            a->start = u[i];
        if (a && z && a->dynamics != ROBOT_DIRECT)
            a->activation = *z++;
    }
    return !r->error;
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
            if (x->name) {
                int before = r->actuator.n;
                if (!read_actuator(c, x))
                    return false;
                VEC_PUSH(c->actuator, r->actuator.n > before ? before : -1);
            }
    joint_ranges(c);
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
