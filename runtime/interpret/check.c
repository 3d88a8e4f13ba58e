/* SPDX-License-Identifier: MIT
 *
 * Whether a descriptor that was read is one: what the library follows without looking once more (patterns, events, contacts, numbers of
 * parameters and points) stays within what the descriptor itself says is there. */
#include "interpret/interpret.h"

#include <stdlib.h>

#define COUNT_COORD m->nq
#define COUNT_CONSTRAINT (m->ng + m->nh)
#define COUNT_HOLONOMIC m->ng
#define COUNT_STATE m->nz
#define COUNT_INPUT m->nu
#define COUNT_PARAM m->nsensitive
#define COUNT_OUTPUT m->ny
#define COUNT_POINT (3 * m->npoint)
#define COUNT_CONDITION m->ns
#define COUNT_TOUCH m->ntouch
#define COUNT_LAW (2 * m->ncontact)
#define COUNT_EVENT m->nevent
#define COUNT_JUMP m->njump
#define COUNT_ENERGY 2
#define COUNT_ONE 1

struct shape_of {
    const char *name;
    const struct mbs_pattern *pattern;  /* NULL: a vector */
    int rows, columns, lower;
};

#define IN_ONE(name) NULL
#define IN_COORD(name) &m->name
#define IN_STATE IN_COORD
#define IN_INPUT IN_COORD
#define IN_PARAM IN_COORD
#define IN_CONSTRAINT IN_COORD
enum { FORM_FULL, FORM_LOWER };

static struct shape_of shape_of(const struct mbs_model *m, enum mbs_quantity_id id)
{
    const struct shape_of all[] = {
#define QUANTITY(name, rows, columns, of, by, form) [MBS_QUANTITY_##name] = { #name, IN_##columns(name), COUNT_##rows, COUNT_##columns, FORM_##form },
#define FUNCTION(name, argument, form, reads, gives)
#include "mbs/model.def"
#undef QUANTITY
#undef FUNCTION
    };
    return all[id];
}

int mbs_quantity_length(const struct mbs_model *m, enum mbs_quantity_id id)
{
    struct shape_of s = shape_of(m, id);

    return s.pattern ? s.pattern->nnz : s.rows;
}

/* Columns in order, no entry twice, of a symmetric matrix the lower triangle. */
static int in_order(const struct mbs_pattern *p, int lower)
{
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if ((k > p->colptr[j] && p->rowidx[k] <= p->rowidx[k - 1]) || (lower && p->rowidx[k] < j))
                return 0;
    return p->colptr[0] == 0 && p->colptr[p->cols] == p->nnz;
}

static const char *wrong_pattern(const struct mbs_model *m)
{
    for (int id = 0; id < MBS_QUANTITIES; id++) {
        struct shape_of s = shape_of(m, (enum mbs_quantity_id)id);
        if (s.pattern && s.pattern->colptr && (s.pattern->rows != s.rows || s.pattern->cols != s.columns || !in_order(s.pattern, s.lower)))
            return s.name;
    }
    /* what a function gives has a pattern, unless it has no entries */
#define QUANTITY(name, rows, columns, of, by, form)
#define GIVES(quantity, group) || missing(m, MBS_QUANTITY_##quantity)
#define FUNCTION(name, argument, form, reads, gives)                                                                  \
    if (m->name && (0 gives))                                                                                         \
        return #name;
#define missing(m, id) (shape_of(m, id).pattern && !shape_of(m, id).pattern->colptr && shape_of(m, id).rows > 0 && shape_of(m, id).columns > 0)
#include "mbs/model.def"
#undef missing
#undef FUNCTION
#undef GIVES
#undef QUANTITY
    return NULL;
}

static int within(int first, int count, int all) { return first >= 0 && count >= 0 && first <= all && count <= all - first; }

static int events_fit(const struct mbs_model *m)
{
    const int most[] = { [MBS_JUMP_Q] = m->nq, [MBS_JUMP_V] = m->nq, [MBS_JUMP_Z] = m->nz, [MBS_JUMP_P] = m->np };

    for (int i = 0; i < m->nevent; i++)
        if (m->when[i].kind < 0 || m->when[i].kind > MBS_WHEN_HOLDS || !within(m->when[i].first, m->when[i].count, m->njump))
            return 0;
    for (int i = 0; i < m->njump; i++)
        if (m->target[i].kind < 0 || m->target[i].kind > MBS_JUMP_P || m->target[i].index < 0 || m->target[i].index >= most[m->target[i].kind])
            return 0;
    return (m->nevent == 0 || m->guards) && (m->njump == 0 || m->jumps);
}

/* Rows of a body among others, in a plane and in space; 0: there is none. */
static int solid_rows(int solid, int space)
{
    static const int rows[][2] = { [MBS_SOLID_BALL] = { 4, 7 }, [MBS_SOLID_BOX] = { 5, 9 }, [MBS_SOLID_CAPSULE] = { 0, 11 }, [MBS_SOLID_PLANE] = { 5, 9 } };

    return solid < 0 || solid > MBS_SOLID_PLANE ? 0 : rows[solid][space];
}

static int contacts_fit(const struct mbs_model *m)
{
    int plane = 0, space = 0;

    for (int i = 0; i < m->ncontact; i++) {
        const struct mbs_contact *c = &m->pair[i];
        if (c->kind < 0 || c->kind > MBS_CONTACT_BODY || c->rows < 1 || !within(c->first, c->rows, m->ntouch))
            return 0;
        if (c->kind != MBS_CONTACT_BODY && c->rows > (c->kind == MBS_CONTACT_FRICTION ? 2 : 3))
            return 0;
        if (c->kind == MBS_CONTACT_BODY) {
            plane |= c->rows == solid_rows(c->solid, 0);
            space |= c->rows == solid_rows(c->solid, 1);
            if (c->rows != solid_rows(c->solid, 0) && c->rows != solid_rows(c->solid, 1))
                return 0;
        }
    }
    return !(plane && space) && (m->ncontact == 0 || m->contacts);
}

static int pictures_fit(const struct mbs_model *m)
{
    for (int i = 0; i < m->nshape; i++)
        if (m->shape[i].kind < 0 || m->shape[i].kind >= MBS_SHAPES || !within(m->shape[i].first, m->shape[i].count, m->npoint))
            return 0;
    for (int i = 0; m->place && i < m->npoint; i++)
        if (m->place[i] < -1 || m->place[i] >= m->nbody)
            return 0;
    return m->npoint == 0 || m->points;
}

static int start_fits(const struct mbs_model *m)
{
    for (int i = 0; i < m->nq; i++)
        if (m->q_init[i] > MBS_INIT_FIXED || m->v_init[i] > MBS_INIT_FIXED)
            return 0;
    for (int i = 0; m->s_init && i < m->ns; i++)
        if (m->s_init[i] > MBS_INIT_FIXED)
            return 0;
    return m->nsq <= m->ns && (m->ns == 0 || m->conditions);
}

static int parameters_fit(const struct mbs_model *m)
{
    for (int i = 0; i < m->nsensitive; i++)
        if (m->sensitive[i] < 0 || m->sensitive[i] >= m->np)
            return 0;
    return m->nsensitive == 0 || m->sensitivity;
}

const char *mbs_descriptor_wrong(const struct mbs_model *m)
{
    const char *pattern = wrong_pattern(m);

    return pattern ? pattern : !events_fit(m) ? "when" : !contacts_fit(m) ? "contact" : !pictures_fit(m) ? "shape" : !start_fits(m) ? "init" :
           !parameters_fit(m) ? "sensitive" : NULL;
}
