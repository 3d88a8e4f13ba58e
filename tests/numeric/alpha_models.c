/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The models of alpha_models.h. */
#include "alpha_models.h"
#include "hand_generic.h"

HAND_TABLES(11)
HAND_ROWS(11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)

static const unsigned char all_fixed[12] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 };
static const struct mbs_name coord_xy[] = { { "x", "m", 1 }, { "y", "m", 1 }, { "theta", "rad", 1 } };
/* lower triangle of a full or a diagonal matrix of order 2 and 3 */
static const int diagonal_col[] = { 0, 1, 2, 3 }, diagonal_row[] = { 0, 1, 2 };
static const int lower2_col[] = { 0, 2, 3 }, lower2_row[] = { 0, 1, 1 };

static void setup_none(const double *p, double *c)
{
    (void)p, (void)c;
}

/* ---- stiff pendulum ---- */

#define stiff_M_INIT { 2, 2, 2, diagonal_col, diagonal_row }
#define stiff_G_INIT HAND_FULL(0, 2)
static const struct mbs_pattern stiff_M = stiff_M_INIT, stiff_G = stiff_G_INIT;

static void stiff_core(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o)
{
    cx r = csqrt(q[0] * q[0] + q[1] * q[1]), k = 1e3 * (r - 1) / r;

    (void)c, (void)t, (void)v, (void)z;
    o->M[0][0] = o->M[1][1] = 1;
    o->f[0] = -k * q[0];
    o->f[1] = -k * q[1] + 1;
}

static void stiff_initial(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)z, (void)u;
    q[0] = 0.9;
    q[1] = v[0] = v[1] = 0;
}

static void stiff_energy(const double *c, const struct mbs_state *x, double e[2], double *w)
{
    double r = hypot(x->q[0], x->q[1]);

    (void)c, (void)w;
    e[0] = (x->v[0] * x->v[0] + x->v[1] * x->v[1]) / 2;
    e[1] = 1e3 * (r - 1) * (r - 1) / 2 - x->q[1];
}

#define stiff_setup setup_none
HAND_FUNCTIONS(stiff, stiff_core, 2, 0, 0, 0)
const struct mbs_model alpha_stiff_pendulum = {
    HAND_COMMON(stiff, 2, 0, 0, 0, 0),
    .coord = coord_xy,
    .q_init = all_fixed,
    .v_init = all_fixed,
    .dynamics = stiff_dynamics,
    .energy = stiff_energy,
};

/* ---- bushing ---- */

#define bushing_M_INIT { 3, 3, 3, diagonal_col, diagonal_row }
#define bushing_G_INIT HAND_FULL(1, 3)
static const struct mbs_pattern bushing_M = bushing_M_INIT, bushing_G = bushing_G_INIT;
static const struct mbs_name bushing_constraint[] = { { "circle", "", 2 } };

static void bushing_core(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o)
{
    cx cs = ccos(q[2]), sn = csin(q[2]), fx = 0.5 - q[0] + 0.5 * cs, fy = -q[1] + 0.5 * sn;
    double k = 1e10;

    (void)c, (void)t, (void)z;
    o->M[0][0] = o->M[1][1] = o->M[2][2] = 1;
    o->f[0] = k * fx;
    o->f[1] = k * fy + 1;
    o->f[2] = -k * q[2] / 10 - k / 2 * (cs * fy - sn * fx);
    o->g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    o->G[0][0] = 2 * q[0];
    o->G[0][1] = 2 * q[1];
    o->gamma[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
}

static void bushing_initial(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)z, (void)u;
    q[0] = 0.8;
    q[1] = 0.6;
    q[2] = v[0] = v[1] = v[2] = 0;
}

static void bushing_energy(const double *c, const struct mbs_state *x, double e[2], double *w)
{
    const double *q = x->q, *v = x->v;
    double fx = 0.5 - q[0] + 0.5 * cos(q[2]), fy = -q[1] + 0.5 * sin(q[2]);

    (void)c, (void)w;
    e[0] = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
    e[1] = 1e10 * ((fx * fx + fy * fy) / 2 + q[2] * q[2] / 20) - q[1];
}

#define bushing_setup setup_none
HAND_FUNCTIONS(bushing, bushing_core, 3, 1, 0, 0)
const struct mbs_model alpha_bushing = {
    HAND_COMMON(bushing, 3, 1, 1, 0, 0),
    .coord = coord_xy,
    .constraint = bushing_constraint,
    .q_init = all_fixed,
    .v_init = all_fixed,
    .dynamics = bushing_dynamics,
    .energy = bushing_energy,
};

/* ---- slider crank with a rod of four beam elements ---- */

/* phi1, phi2, x3, then (w, w') of four nodes; data of the test set's slider crank.  c = (M_b, K_b, c_b, d_b, E). */
enum { BEAM = 8, MB = 0, KB = 64, CB = 128, DB = 136, NC = 144 };
static const double l1 = 0.15, l2 = 0.30, m2 = 0.151104, m3 = 0.075552, J1 = 0.002727, thick = 0.008, rho = 7870;

static const struct mbs_name fe_coord[] = {
    { "phi1", "rad", 1 }, { "phi2", "rad", 1 }, { "x3", "m", 1 },  { "w1", "m", 1 },  { "s1", "rad", 1 }, { "w2", "m", 1 },
    { "s2", "rad", 1 },   { "w3", "m", 1 },     { "s3", "rad", 1 }, { "w4", "m", 1 }, { "s4", "rad", 1 }
};
static const struct mbs_name fe_constraint[] = { { "height", "", 2 }, { "slider", "", 3 } };
static const struct mbs_name fe_param[] = { { "E", "N/m^2", 1 } };
static const int lower11_col[] = { 0, 11, 21, 30, 38, 45, 51, 56, 60, 63, 65, 66 };
static const int lower11_row[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 3, 4, 5, 6, 7, 8, 9, 10, 3, 4, 5,
                                   6, 7, 8, 9, 10, 4, 5, 6, 7, 8, 9, 10, 5, 6, 7, 8, 9, 10, 6, 7, 8, 9, 10, 7, 8, 9, 10, 8, 9, 10, 9, 10, 10 };
#define fe_M_INIT { 11, 11, 66, lower11_col, lower11_row }
#define fe_G_INIT HAND_FULL(2, 11)
static const struct mbs_pattern fe_M = fe_M_INIT, fe_G = fe_G_INIT;

static void fe_defaults(double *p, const unsigned char *given)
{
    if (!given || !given[0])
        p[0] = 2e11;
}

/* Cubic Hermite elements on (w, w'): mass, stiffness, integrals of N and of x N. */
static void fe_setup(const double *p, double *c)
{
    static const double mass[4][4] = { { 156, 22, 54, -13 }, { 22, 4, 13, -3 }, { 54, 13, 156, -22 }, { -13, -3, -22, 4 } };
    static const double stiff[4][4] = { { 12, 6, -12, 6 }, { 6, 4, -6, 2 }, { -12, -6, 12, -6 }, { 6, 2, -6, 4 } };
    static const double n0[4] = { 1. / 2, 1. / 12, 1. / 2, -1. / 12 }, n1[4] = { 3. / 20, 1. / 30, 7. / 20, -1. / 20 };
    double l = l2 / 4, line = rho * thick * thick, EI = p[0] * thick * thick * thick * thick / 12;

    memset(c, 0, NC * sizeof *c);
    for (int el = 0; el < 4; el++)
        for (int i = 0; i < 4; i++) {
            int gi = 2 * el + i - 2;
            double li = i % 2 ? l : 1;
            if (gi < 0)
                continue;
            c[CB + gi] += line * l * li * n0[i];
            c[DB + gi] += line * l * li * (l * n1[i] + el * l * n0[i]);
            for (int j = 0; j < 4; j++) {
                int gj = 2 * el + j - 2;
                double lj = j % 2 ? l : 1;
                if (gj < 0)
                    continue;
                c[MB + gi * BEAM + gj] += line * l / 420 * li * lj * mass[i][j];
                c[KB + gi * BEAM + gj] += EI / (l * l * l) * li * lj * stiff[i][j];
            }
        }
}

static void fe_core(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o)
{
    const cx *e = q + 3, *ed = v + 3;
    cx D = q[0] - q[1], s = csin(D), k = ccos(D), Dd = v[0] - v[1], half = m2 * l2 / 2, J2 = m2 * l2 * l2 / 3;
    cx ce = 0, ced = 0, eMe = 0, eMed = 0, Me[BEAM] = { 0 }, S, Sd, Td;

    (void)z;
    for (int i = 0; i < BEAM; i++) {
        ce += c[CB + i] * e[i];
        ced += c[CB + i] * ed[i];
        for (int j = 0; j < BEAM; j++) {
            Me[i] += c[MB + i * BEAM + j] * e[j];
            o->f[3 + i] -= c[KB + i * BEAM + j] * e[j];
            o->M[3 + i][3 + j] = c[MB + i * BEAM + j];
        }
        eMe += e[i] * Me[i];
        eMed += ed[i] * Me[i];
    }
    S = s * ce + half * k;
    Sd = (k * ce - half * s) * Dd + s * ced;
    Td = l1 * v[0] * v[1] * (k * ce - half * s) - l1 * v[0] * s * ced;          /* dT/dphi1 = -dT/dphi2 */
    o->M[0][0] = J1 + m2 * l1 * l1;
    o->M[0][1] = o->M[1][0] = l1 * S;
    o->M[1][1] = J2 + eMe;
    o->M[2][2] = m3;
    o->f[0] = Td - l1 * Sd * v[1] + l1 * s * Dd * ced + (creal(t) <= 0.3 ? 0.2 : 0);
    o->f[1] = -Td - 2 * eMed * v[1] - l1 * Sd * v[0];
    for (int i = 0; i < BEAM; i++) {
        o->M[0][3 + i] = o->M[3 + i][0] = l1 * k * c[CB + i];
        o->M[1][3 + i] = o->M[3 + i][1] = c[DB + i];
        o->f[3 + i] += Me[i] * v[1] * v[1] + l1 * v[0] * v[1] * s * c[CB + i] + l1 * s * Dd * v[0] * c[CB + i];
    }
    cx s1 = csin(q[0]), c1 = ccos(q[0]), s2 = csin(q[1]), c2 = ccos(q[1]), w = q[9], wd = v[9];
    o->g[0] = l1 * s1 + l2 * s2 + w * c2;
    o->g[1] = q[2] - l1 * c1 - l2 * c2 + w * s2;
    o->G[0][0] = l1 * c1;
    o->G[0][1] = l2 * c2 - w * s2;
    o->G[0][9] = c2;
    o->G[1][0] = l1 * s1;
    o->G[1][1] = l2 * s2 + w * c2;
    o->G[1][2] = 1;
    o->G[1][9] = s2;
    o->gamma[0] = -l1 * s1 * v[0] * v[0] - (l2 * s2 + w * c2) * v[1] * v[1] - 2 * s2 * v[1] * wd;
    o->gamma[1] = l1 * c1 * v[0] * v[0] + (l2 * c2 - w * s2) * v[1] * v[1] + 2 * c2 * v[1] * wd;
}

static void fe_initial(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)z, (void)u;
    memset(q, 0, 11 * sizeof *q);
    memset(v, 0, 11 * sizeof *v);
    q[2] = l1 + l2;
}

static void fe_energy(const double *c, const struct mbs_state *x, double e[2], double *w)
{
    struct hand_core k = { 0 };
    cx q[11], v[11], z[1] = { 0 };

    (void)w;
    hand_lift(x->q, 11, q);
    hand_lift(x->v, 11, v);
    fe_core(c, 0, q, v, z, &k);
    e[0] = e[1] = 0;
    for (int i = 0; i < 11; i++)
        for (int j = 0; j < 11; j++)
            e[0] += creal(v[i] * k.M[i][j] * v[j]) / 2;
    for (int i = 0; i < BEAM; i++)
        for (int j = 0; j < BEAM; j++)
            e[1] += x->q[3 + i] * c[KB + i * BEAM + j] * x->q[3 + j] / 2;
}

HAND_FUNCTIONS(fe, fe_core, 11, 2, 0, 0)
const struct mbs_model alpha_crank_fe = {
    HAND_COMMON(fe, 11, 2, 2, 0, 0),
    .nc = NC,
    .np = 1,
    .param = fe_param,
    .defaults = fe_defaults,
    .coord = fe_coord,
    .constraint = fe_constraint,
    .q_init = all_fixed,
    .v_init = all_fixed,
    .dynamics = fe_dynamics,
    .energy = fe_energy,
};

/* ---- four-bar linkage ---- */

/* Point masses of 1 kg at the ends of a crank of 1 m and a coupler of 2 m, whose end stays 1.5 m from (2, 0). */
static const struct mbs_name linkage_coord[] = { { "phi", "rad", 1 }, { "psi", "rad", 1 } };
static const struct mbs_name linkage_constraint[] = { { "rocker", "", 2 } };
#define linkage_M_INIT { 2, 2, 3, lower2_col, lower2_row }
#define linkage_G_INIT HAND_FULL(1, 2)
static const struct mbs_pattern linkage_M = linkage_M_INIT, linkage_G = linkage_G_INIT;

static void linkage_core(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o)
{
    cx c1 = ccos(q[0]), s1 = csin(q[0]), c12 = 2 * ccos(q[0] + q[1]), s12 = 2 * csin(q[0] + q[1]), h = 2 * csin(q[1]), k = 2 * ccos(q[1]);
    cx x = c1 + c12 - 2, y = s1 + s12, w = v[0] + v[1];
    cx xd = -s1 * v[0] - s12 * w, yd = c1 * v[0] + c12 * w;

    (void)c, (void)t, (void)z;
    o->M[0][0] = 2 + 4 + 2 * k;
    o->M[0][1] = o->M[1][0] = 4 + k;
    o->M[1][1] = 4;
    o->f[0] = h * (2 * v[0] * v[1] + v[1] * v[1]) - 9.81 * (2 * c1 + c12);
    o->f[1] = -h * v[0] * v[0] - 9.81 * c12;
    o->g[0] = (x * x + y * y - 2.25) / 2;
    o->G[0][0] = x * (-s1 - s12) + y * (c1 + c12);
    o->G[0][1] = -x * s12 + y * c12;
    o->gamma[0] = xd * xd + yd * yd + x * (-c1 * v[0] * v[0] - c12 * w * w) + y * (-s1 * v[0] * v[0] - s12 * w * w);
}

/* crank upright (phi = pi/2), coupler towards the right, at rest */
static void linkage_initial(const double *c, double *q, double *v, double *z, double *u)
{
    double d = sqrt(5), base = atan2(-1, 2), inner = acos((d * d + 4 - 2.25) / (4 * d));

    (void)c, (void)z, (void)u;
    q[0] = M_PI / 2;
    q[1] = base + inner - q[0];
    v[0] = v[1] = 0;
}

static void linkage_energy(const double *c, const struct mbs_state *x, double e[2], double *w)
{
    double k = 2 * cos(x->q[1]), a = x->v[0], b = x->v[1];

    (void)c, (void)w;
    e[0] = ((6 + 2 * k) * a * a + 2 * (4 + k) * a * b + 4 * b * b) / 2;
    e[1] = 9.81 * (2 * sin(x->q[0]) + 2 * sin(x->q[0] + x->q[1]));
}

#define linkage_setup setup_none
HAND_FUNCTIONS(linkage, linkage_core, 2, 1, 0, 0)
const struct mbs_model alpha_linkage = {
    HAND_COMMON(linkage, 2, 1, 1, 0, 0),
    .coord = linkage_coord,
    .constraint = linkage_constraint,
    .q_init = all_fixed,
    .v_init = all_fixed,
    .dynamics = linkage_dynamics,
    .energy = linkage_energy,
};

/* ---- redundant, rheonomic ---- */

static const struct mbs_name redundant_constraint[] = { { "rod", "", 2 }, { "again", "", 3 } };
#define redundant_M_INIT { 2, 2, 2, diagonal_col, diagonal_row }
#define redundant_G_INIT HAND_FULL(2, 2)
static const struct mbs_pattern redundant_M = redundant_M_INIT, redundant_G = redundant_G_INIT;

static void redundant_core(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o)
{
    cx l = 1 + t / 5;

    (void)c, (void)z;
    o->M[0][0] = o->M[1][1] = 1;
    o->f[1] = -9.81;
    for (int i = 0; i < 2; i++) {
        double k = i + 1;
        o->g[i] = k * (q[0] * q[0] + q[1] * q[1] - l * l) / 2;
        o->G[i][0] = k * q[0];
        o->G[i][1] = k * q[1];
        o->gt[i] = -k * l / 5;
        o->gamma[i] = k * (v[0] * v[0] + v[1] * v[1] - 1. / 25);
    }
}

static void redundant_initial(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)z, (void)u;
    q[0] = 1;
    v[0] = 0.2;
    q[1] = v[1] = 0;
}

#define redundant_setup setup_none
HAND_FUNCTIONS(redundant, redundant_core, 2, 2, 0, 0)
const struct mbs_model alpha_redundant = {
    HAND_COMMON(redundant, 2, 2, 2, 0, 0),
    .coord = coord_xy,
    .constraint = redundant_constraint,
    .q_init = all_fixed,
    .v_init = all_fixed,
    .dynamics = redundant_dynamics,
    .energy = stiff_energy,
};

/* ---- sleigh ---- */

static const struct mbs_name sleigh_constraint[] = { { "blade", "", 2 } };
static const struct mbs_name sleigh_state[] = { { "lag", "", 3 } };
#define sleigh_M_INIT { 3, 3, 3, diagonal_col, diagonal_row }
#define sleigh_G_INIT HAND_FULL(1, 3)
static const struct mbs_pattern sleigh_M = sleigh_M_INIT, sleigh_G = sleigh_G_INIT;

static void sleigh_core(const double *c, cx t, const cx *q, const cx *v, const cx *z, struct hand_core *o)
{
    cx cs = ccos(q[2]), sn = csin(q[2]);

    (void)c, (void)t;
    o->M[0][0] = o->M[1][1] = 1;
    o->M[2][2] = 0.5;
    o->f[0] = 1 - z[0] / 2;
    o->f[2] = 0.3;
    o->zdot[0] = q[0] + v[1] - z[0];
    o->G[0][0] = -sn;
    o->G[0][1] = cs;
    o->gamma[0] = -v[2] * (cs * v[0] + sn * v[1]);
}

static void sleigh_initial(const double *c, double *q, double *v, double *z, double *u)
{
    (void)c, (void)u;
    q[0] = q[1] = q[2] = z[0] = v[1] = 0;
    v[0] = v[2] = 1;
}

#define sleigh_setup setup_none
HAND_FUNCTIONS(sleigh, sleigh_core, 3, 0, 1, 1)
const struct mbs_model alpha_sleigh = {
    HAND_COMMON(sleigh, 3, 1, 0, 1, 1),
    .coord = coord_xy,
    .constraint = sleigh_constraint,
    .state = sleigh_state,
    .q_init = all_fixed,
    .v_init = all_fixed,
    .dynamics = sleigh_dynamics,
    .energy = stiff_energy,
};
