/* SPDX-License-Identifier: GPL-3.0-or-later
 * Places and axes: turns about coordinate axes, and the matrices they make. */
#include "config.h"
#include "import/robot.h"

#include <math.h>
#include <string.h>

struct pose pose_identity(void)
{
    return (struct pose){.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

struct pose pose_at(double x, double y, double z)
{
    struct pose p = pose_identity();
    p.at[0] = x, p.at[1] = y, p.at[2] = z;
    return p;
}

static void matrix_mul(double a[3][3], double b[3][3], double out[3][3])
{
    double c[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
    memcpy(out, c, sizeof c);
}

static void turn_matrix(int axis, double angle, double R[3][3])
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double c = cos(angle), s = sin(angle);
    double quarter = angle / (M_PI / 2);
    if (fabs(quarter - rint(quarter)) < 4e-16 * fmax(1, fabs(quarter))) {       /* right angles are exact */
        int n = ((int)fmod(rint(quarter), 4) + 4) % 4;
        c = n == 0 ? 1 : n == 2 ? -1 : 0;
        s = n == 1 ? 1 : n == 3 ? -1 : 0;
    }
    memset(R, 0, 9 * sizeof(double));
    R[axis][axis] = 1;
    R[i][i] = R[j][j] = c;
    R[j][i] = s;
    R[i][j] = -s;
}

static void rebuild(struct pose *p)
{
    struct pose fresh = pose_identity();
    double T[3][3];
    memcpy(p->R, fresh.R, sizeof p->R);
    for (int i = 0; i < p->turns; i++) {
        turn_matrix(p->turn[i].axis, p->turn[i].angle, T);
        matrix_mul(p->R, T, p->R);
    }
}

/* The turns z, y, x that give R, found one after the other and undone, so that they are exact also where the middle one is a right
 * angle; a single turn if one is enough. */
void pose_matrix(struct pose *p, double R[3][3])
{
    double M[3][3], T[3][3], angle[3];
    p->turns = 0;
    for (int axis = 0; axis < 3; axis++) {
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        if (fabs(R[axis][axis] - 1) < 1e-15 && fabs(R[axis][i]) + fabs(R[axis][j]) + fabs(R[i][axis]) + fabs(R[j][axis]) < 1e-15) {
            double a = atan2(R[j][i], R[i][i]);
            if (a != 0)
                pose_turn(p, axis, a);
            rebuild(p);
            return;
        }
    }
    memcpy(M, R, sizeof M);
    for (int k = 0; k < 3; k++) {
        int axis = 2 - k;
        angle[k] = axis == 2 ? (hypot(M[1][0], M[0][0]) > 1e-12 ? atan2(M[1][0], M[0][0]) : 0)
                   : axis == 1 ? atan2(-M[2][0], M[0][0]) : atan2(M[2][1], M[1][1]);
        turn_matrix(axis, -angle[k], T);
        matrix_mul(T, M, M);
    }
    for (int k = 0; k < 3; k++)
        if (fabs(angle[k]) > 1e-15)
            pose_turn(p, 2 - k, angle[k]);
    rebuild(p);
}

void pose_turn(struct pose *p, int axis, double angle)
{
    if (angle == 0)
        return;
    if (p->turns == 3) {
        double T[3][3], R[3][3];
        turn_matrix(axis, angle, T);
        matrix_mul(p->R, T, R);
        pose_matrix(p, R);
        return;
    }
    p->turn[p->turns].axis = axis;
    p->turn[p->turns++].angle = angle;
    rebuild(p);
}

void pose_turn_fixed(struct pose *p, int axis, double angle)
{
    struct pose first = pose_identity(), then = pose_identity();
    if (angle == 0)
        return;
    if (p->turns == 3) {
        double T[3][3];
        turn_matrix(axis, angle, T);
        matrix_mul(T, p->R, T);
        pose_matrix(p, T);
        return;
    }
    pose_turn(&first, axis, angle);
    for (int i = 0; i < p->turns; i++)
        pose_turn(&first, p->turn[i].axis, p->turn[i].angle);
    memcpy(then.at, p->at, sizeof then.at);
    memcpy(first.at, p->at, sizeof first.at);
    *p = first;
}

void pose_quaternion(struct pose *p, const double q[4])
{
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
    int zeros = (q[1] == 0) + (q[2] == 0) + (q[3] == 0);
    p->turns = 0;
    if (zeros >= 2) {           /* about one axis: the angle itself */
        int axis = q[1] != 0 ? 0 : q[2] != 0 ? 1 : 2;
        double a = 2 * atan2(axis == 0 ? x : axis == 1 ? y : z, w);
        if (a > M_PI)
            a -= 2 * M_PI;
        if (a <= -M_PI)
            a += 2 * M_PI;
        pose_turn(p, axis, a);
        rebuild(p);
        return;
    }
    double R[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    pose_matrix(p, R);
}

void pose_rotate(const struct pose *p, const double in[3], double out[3])
{
    double v[3];
    for (int i = 0; i < 3; i++)
        v[i] = p->R[i][0] * in[0] + p->R[i][1] * in[1] + p->R[i][2] * in[2];
    memcpy(out, v, sizeof v);
}

void pose_apply(const struct pose *p, const double in[3], double out[3])
{
    pose_rotate(p, in, out);
    for (int i = 0; i < 3; i++)
        out[i] += p->at[i];
}

/* Turns are kept as they are written where they can be: only one of the two turns, or three in all. */
struct pose pose_mul(const struct pose *a, const struct pose *b)
{
    struct pose p = *a;
    double R[3][3];
    pose_apply(a, b->at, p.at);
    if (a->turns + b->turns <= 3) {
        for (int i = 0; i < b->turns; i++)
            if (p.turns && p.turn[p.turns - 1].axis == b->turn[i].axis) {
                p.turn[p.turns - 1].angle += b->turn[i].angle;
                if (p.turn[p.turns - 1].angle == 0)
                    p.turns--;
            } else {
                pose_turn(&p, b->turn[i].axis, b->turn[i].angle);
            }
        rebuild(&p);
        return p;
    }
    matrix_mul((double(*)[3])a->R, (double(*)[3])b->R, R);
    pose_matrix(&p, R);
    return p;
}

struct pose pose_inverse(const struct pose *a)
{
    struct pose p = pose_identity();
    for (int i = a->turns - 1; i >= 0; i--)
        pose_turn(&p, a->turn[i].axis, -a->turn[i].angle);
    pose_rotate(&p, a->at, p.at);
    for (int i = 0; i < 3; i++)
        p.at[i] = p.at[i] == 0 ? 0 : -p.at[i];
    return p;
}

void pose_tidy(struct pose *p)
{
    for (int i = 0; i < 3; i++)
        if (fabs(p->at[i]) < 1e3) {
            p->at[i] = rint(p->at[i] * 1e14) / 1e14;
            p->at[i] = p->at[i] == 0 ? 0 : p->at[i];
        }
    for (int i = 0; i < p->turns; i++) {
        double angle = rint(p->turn[i].angle * 1e14) / 1e14, part = p->turn[i].angle / (M_PI / 12);
        if (fabs(part - rint(part)) > 1e-12)    /* fractions of pi stay what they are */
            p->turn[i].angle = angle;
    }
    rebuild(p);
}

bool pose_is_identity(const struct pose *p)
{
    return !p->turns && p->at[0] == 0 && p->at[1] == 0 && p->at[2] == 0;
}

void moments_turn(const struct pose *p, const double J[6], double out[6])
{
    double A[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}}, B[3][3], T[3][3];
    if (!p->turns) {
        memmove(out, J, 6 * sizeof *out);
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T[i][j] = p->R[j][i];
    matrix_mul((double(*)[3])p->R, A, B);
    matrix_mul(B, T, B);
    out[0] = B[0][0], out[1] = B[1][1], out[2] = B[2][2];
    out[3] = (B[0][1] + B[1][0]) / 2, out[4] = (B[0][2] + B[2][0]) / 2, out[5] = (B[1][2] + B[2][1]) / 2;
}

void moments_shift(double J[6], double m, const double d[3])
{
    double dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int i = 0; i < 3; i++)
        J[i] += m * (dd - d[i] * d[i]);
    J[3] -= m * d[0] * d[1];
    J[4] -= m * d[0] * d[2];
    J[5] -= m * d[1] * d[2];
}

bool pose_z_to(struct pose *p, const double v[3])
{
    double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(n > 0))
        return false;
    double z[3] = {v[0] / n, v[1] / n, v[2] / n}, s = hypot(z[0], z[1]), half = atan2(s, z[2]) / 2;
    double q[4] = {cos(half), s > 1e-14 ? -z[1] / s * sin(half) : sin(half), s > 1e-14 ? z[0] / s * sin(half) : 0, 0};
    pose_quaternion(p, q);
    return true;
}
