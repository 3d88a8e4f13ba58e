/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs as HDF5 files: each column one extendible dataset of doubles in chunks, named as in the model, its unit in
 * the attribute "unit"; model and title are attributes of the file.  Rows are collected and handed over ROWS at a
 * time, so that memory stays constant. */
#include "config.h"
#include "interrupt.h"
#include "sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_HDF5
#include <hdf5.h>

enum { ROWS = 1024 };

struct hdf5_file {
    hid_t file, *set;
    int n, held;
    hsize_t rows;
    double *buffer;             /* n x ROWS, a column after the other */
    char *path, *temp;
};

static void attribute(hid_t to, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t a = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (a >= 0) {
        H5Awrite(a, type, text);
        H5Aclose(a);
    }
    H5Sclose(space);
    H5Tclose(type);
}

static hid_t dataset(hid_t file, const char *name, const char *unit)
{
    hsize_t none = 0, any = H5S_UNLIMITED, chunk = ROWS;
    hid_t space = H5Screate_simple(1, &none, &any), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 1, &chunk);
    hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (set >= 0)
        attribute(set, "unit", unit);
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

static bool fail(char why[512], const struct hdf5_file *h)
{
    snprintf(why, 512, "cannot write %s as HDF5%s%s", h->path, errno ? ": " : "", errno ? strerror(errno) : "");
    return false;
}

struct hdf5_file *hdf5_open(const char *path, const struct columns *c, const struct mbs_model *m, char why[512])
{
    struct hdf5_file *h = calloc(1, sizeof *h);
    size_t room = strlen(path) + 16;
    if (!h || !(h->path = strdup(path)) || !(h->temp = malloc(room)) || !(h->set = calloc((size_t)c->n, sizeof *h->set))
        || !(h->buffer = malloc((size_t)c->n * ROWS * sizeof(double)))) {
        snprintf(why, 512, "out of memory");
        hdf5_close(h, false, (char[512]){0});
        return NULL;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    h->file = -1;
    snprintf(h->temp, room, "%s.XXXXXX", path);
    int fd = mkstemp(h->temp);
    bool good = fd >= 0;
    if (good) {
        close(fd);
        interrupt_cover(h->temp);
        good = (h->file = H5Fcreate(h->temp, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) >= 0;
    } else {
        *h->temp = 0;
    }
    for (int i = 0; i < c->n && good; i++, h->n++)
        good = (h->set[i] = dataset(h->file, c->name[i], c->unit[i])) >= 0;
    if (good) {
        attribute(h->file, "model", m->name);
        attribute(h->file, "title", m->title ? m->title : "");
        return h;
    }
    fail(why, h);
    hdf5_close(h, false, (char[512]){0});
    return NULL;
}

static bool flush(struct hdf5_file *h)
{
    hsize_t count = (hsize_t)h->held, start = h->rows, size = start + count;
    if (!count)
        return true;
    hid_t memory = H5Screate_simple(1, &count, NULL);
    bool good = memory >= 0;
    for (int i = 0; i < h->n && good; i++) {
        good = H5Dset_extent(h->set[i], &size) >= 0;
        hid_t space = good ? H5Dget_space(h->set[i]) : -1;
        good = good && space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0
               && H5Dwrite(h->set[i], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, h->buffer + (size_t)i * ROWS) >= 0;
        if (space >= 0)
            H5Sclose(space);
    }
    if (memory >= 0)
        H5Sclose(memory);
    h->rows = size;
    h->held = 0;
    return good;
}

bool hdf5_row(struct hdf5_file *h, const double *x, char why[512])
{
    for (int i = 0; i < h->n; i++)
        h->buffer[(size_t)i * ROWS + (size_t)h->held] = x[i];
    errno = 0;
    return ++h->held < ROWS || flush(h) || fail(why, h);
}

bool hdf5_close(struct hdf5_file *h, bool keep, char why[512])
{
    if (!h)
        return true;
    errno = 0;
    bool good = !keep || flush(h);
    for (int i = 0; i < h->n; i++)
        good = H5Dclose(h->set[i]) >= 0 && good;
    if (h->file >= 0)
        good = H5Fclose(h->file) >= 0 && good;
    if (h->temp && *h->temp) {
        good = good && (!keep || rename(h->temp, h->path) == 0);
        if (!keep || !good)
            unlink(h->temp);
        interrupt_uncover(h->temp);
    }
    if (!good)
        fail(why, h);
    free(h->set);
    free(h->buffer);
    free(h->path);
    free(h->temp);
    free(h);
    return good;
}
#else
struct hdf5_file *hdf5_open(const char *path, const struct columns *c, const struct mbs_model *m, char why[512])
{
    (void)c, (void)m;
    snprintf(why, 512, "cannot write %s: this mbs was built without HDF5 (Debian: libhdf5-dev); a name that ends in .csv gives CSV", path);
    return NULL;
}
bool hdf5_row(struct hdf5_file *h, const double *x, char why[512])
{
    (void)h, (void)x, (void)why;
    return false;
}
bool hdf5_close(struct hdf5_file *h, bool keep, char why[512])
{
    (void)h, (void)keep, (void)why;
    return false;
}
#endif
