/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The icon of an FMU: the mechanism at its start as a small PNG in grey (ISO/IEC 15948; its data are stored, the zip file packs them).
 * A model without a drawing shows a pendulum. */
#include "config.h"
#include "fmu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 96, BORDER = 8 };

struct picture {
    double x0, y0, scale;               /* of the model, of the lower left corner */
    unsigned char at[SIDE][SIDE];
};

/* In space as the report first looks at it: from the front, the right and above. */
static void project(const double *xyz, bool space, double *x, double *y)
{
    *x = space ? 0.8 * xyz[0] + 0.6 * xyz[1] : xyz[0];
    *y = space ? 0.9 * xyz[2] - 0.25 * xyz[0] + 0.35 * xyz[1] : xyz[1];
}

static void line(struct picture *p, double x0, double y0, double x1, double y1, double width)
{
    double dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            double x = i + 0.5 - x0, y = SIDE - j - 0.5 - y0, s = length2 > 0 ? (x * dx + y * dy) / length2 : 0;
            s = s < 0 ? 0 : s > 1 ? 1 : s;
            double cover = width / 2 + 0.5 - hypot(x - s * dx, y - s * dy);
            double dark = 255 * (1 - (cover < 0 ? 0 : cover > 1 ? 1 : cover));
            if (dark < p->at[j][i])
                p->at[j][i] = (unsigned char)dark;
        }
}

/* Is it drawn through the places of its points?  Of others the first point is. */
static bool is_line(int kind)
{
    return kind == MBS_SHAPE_LINE || kind == MBS_SHAPE_BODY || kind == MBS_SHAPE_SPRING || kind == MBS_SHAPE_DAMPER || kind == MBS_SHAPE_GROUND ||
           kind == MBS_SHAPE_DISTANCE;
}

/* Points that belong to the picture, x and y each; how many. */
static int places(const struct mbs_model *m, const double *xyz, bool space, double *xy)
{
    int n = 0;
    for (int k = 0; k < m->nshape; k++)
        for (int i = 0; i < (is_line(m->shape[k].kind) ? m->shape[k].count : 1); i++, n++)
            project(xyz + 3 * (m->shape[k].first + i), space, &xy[2 * n], &xy[2 * n + 1]);
    return n;
}

static void fit(struct picture *p, const double *xy, int n)
{
    double x1 = xy[0], y1 = xy[1];
    p->x0 = x1;
    p->y0 = y1;
    for (int i = 0; i < n; i++) {
        p->x0 = fmin(p->x0, xy[2 * i]);
        p->y0 = fmin(p->y0, xy[2 * i + 1]);
        x1 = fmax(x1, xy[2 * i]);
        y1 = fmax(y1, xy[2 * i + 1]);
    }
    double size = fmax(fmax(x1 - p->x0, y1 - p->y0), 1e-300), room = SIDE - 2 * BORDER;
    p->scale = room / size;
    p->x0 -= (BORDER + (room - (x1 - p->x0) * p->scale) / 2) / p->scale;
    p->y0 -= (BORDER + (room - (y1 - p->y0) * p->scale) / 2) / p->scale;
}

static void draw(struct picture *p, const struct mbs_model *m, const double *xy)
{
    for (int k = 0; k < m->nshape; k++) {
        int kind = m->shape[k].kind, count = is_line(kind) ? m->shape[k].count : 1;
#define X(i) ((xy[2 * (i)] - p->x0) * p->scale)
#define Y(i) ((xy[2 * (i) + 1] - p->y0) * p->scale)
        if (count == 1)
            line(p, X(0), Y(0), X(0), Y(0), 6);
        for (int i = 0; i + 1 < count; i++)
            line(p, X(i), Y(i), X(i + 1), Y(i + 1), kind == MBS_SHAPE_BODY || kind == MBS_SHAPE_LINE ? 3 : 1.5);
        if (kind == MBS_SHAPE_BODY && count > 2)
            line(p, X(count - 1), Y(count - 1), X(0), Y(0), 3);
#undef X
#undef Y
        xy += 2 * count;
    }
}

static bool picture_of(struct picture *p, struct session *s)
{
    const struct mbs_model *m = s->model;
    double *xyz = calloc(3 * (size_t)m->npoint + 3, sizeof *xyz), *xy = calloc(2 * ((size_t)m->npoint + (size_t)m->nshape) + 2, sizeof *xy);
    bool good = xyz && xy, space = false;
    int n = 0;
    memset(p->at, 255, sizeof p->at);
    if (good && m->nshape && m->points) {
        m->points(s->c, mbs_state(s->sim), xyz, s->w);
        for (int i = 0; i < m->npoint; i++)
            space = space || xyz[3 * i + 2] != 0;
        n = places(m, xyz, space, xy);
    }
    for (int i = 0; i < 2 * n; i++)
        n = isfinite(xy[i]) ? n : 0;
    if (n) {
        fit(p, xy, n);
        draw(p, m, xy);
    } else {
        line(p, 48, 84, 68, 26, 3);
        line(p, 68, 26, 68, 26, 14);
        line(p, 24, 84, 72, 84, 2);
    }
    free(xyz);
    free(xy);
    return good;
}

/* ---- PNG ---- */

struct bytes {
    unsigned char at[SIDE * (SIDE + 1) + 400];
    size_t n;
};
static void put32(struct bytes *b, uint32_t x)
{
    for (int k = 24; k >= 0; k -= 8)
        b->at[b->n++] = (unsigned char)(x >> k);
}
/* A chunk whose data stand behind its head. */
static void chunk_end(struct bytes *b, size_t start)
{
    uint32_t size = (uint32_t)(b->n - start - 8);
    for (int k = 0; k < 4; k++)
        b->at[start + (size_t)k] = (unsigned char)(size >> (24 - 8 * k));
    put32(b, zip_crc(0, b->at + start + 4, size + 4));
}
static size_t chunk_begin(struct bytes *b, const char *name)
{
    size_t start = b->n;
    put32(b, 0);
    memcpy(b->at + b->n, name, 4);
    b->n += 4;
    return start;
}

static void encode(struct bytes *b, const struct picture *p)
{
    static const unsigned char head[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    enum { RAW = SIDE * (SIDE + 1) };
    uint32_t s1 = 1, s2 = 0;
    memcpy(b->at, head, sizeof head);
    b->n = sizeof head;
    size_t chunk = chunk_begin(b, "IHDR");
    put32(b, SIDE);
    put32(b, SIDE);
    memcpy(b->at + b->n, "\x08\0\0\0\0", 5);            /* 8 bits of grey */
    b->n += 5;
    chunk_end(b, chunk);
    chunk = chunk_begin(b, "IDAT");
    const unsigned char block[] = {0x78, 0x01, 1, RAW & 255, RAW >> 8, ~RAW & 255, ~RAW >> 8 & 255};   /* one block, stored */
    memcpy(b->at + b->n, block, sizeof block);
    b->n += sizeof block;
    for (int j = 0; j < SIDE; j++)
        for (int i = -1; i < SIDE; i++) {
            unsigned char c = i < 0 ? 0 : p->at[j][i];
            b->at[b->n++] = c;
            s1 = (s1 + c) % 65521;
            s2 = (s2 + s1) % 65521;
        }
    put32(b, s2 << 16 | s1);
    chunk_end(b, chunk);
    chunk_end(b, chunk_begin(b, "IEND"));
}

void fmu_add_icon(struct zip *z, const struct fmu_parts *p, struct session *s)
{
    struct picture *picture = calloc(1, sizeof *picture);
    struct bytes *png = calloc(1, sizeof *png);
    if (picture && png && picture_of(picture, s)) {
        encode(png, picture);
        zip_add(z, p->version == 2 ? "model.png" : "terminalsAndIcons/icon.png", png->at, png->n, false);
    } else {
        z->failed = true;
    }
    free(picture);
    free(png);
}
