/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs as HDF5 files: each column one extendible dataset of doubles in chunks, named as in the model, its unit in
 * the attribute "unit"; model and title are attributes of the file.  Rows are collected and handed over a chunk at a
 * time, so that memory stays constant. */
#include "config.h"
#include "build.h"
#include "csv.h"
#include "interrupt.h"
#include "sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef HAVE_HDF5
#include <hdf5.h>

/* Rows that are written at once; with many to come longer pieces, which take half of the time.  Columns a power of two apart would push each other out of the
 * cache. */
enum { ROWS = 1024, LONG_ROWS = 8192, MANY = 65536, WIDE = 512, APART = 8 };

struct hdf5_file {
    hid_t file, *set;
    int n, held;
    char *path;
    hsize_t rows, most;         /* written; at once */
    double *buffer;             /* n x (most + APART), a column after the other */
    struct out out;             /* the file's name and its renaming; HDF5 opens it by that name */
};

static bool attribute(hid_t to, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), a = -1;
    bool good = type >= 0 && space >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0
                && (a = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT)) >= 0 && H5Awrite(a, type, text) >= 0;
    if (a >= 0)
        good = H5Aclose(a) >= 0 && good;
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return good;
}

static hid_t dataset(hid_t file, hsize_t chunk, const char *name, const char *unit)
{
    hsize_t none = 0, any = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &none, &any), how = H5Pcreate(H5P_DATASET_CREATE), set = -1;
    if (space >= 0 && how >= 0 && H5Pset_chunk(how, 1, &chunk) >= 0 && H5Pset_obj_track_times(how, false) >= 0)   /* the same bytes each time */
        set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (set >= 0 && !attribute(set, "unit", unit)) {
        H5Dclose(set);
        set = -1;
    }
    if (how >= 0)
        H5Pclose(how);
    if (space >= 0)
        H5Sclose(space);
    return set;
}

static bool fail(char why[512], const struct hdf5_file *h)
{
    snprintf(why, 512, "cannot write %.300s as HDF5%s%s", h->path, errno ? ": " : "", errno ? strerror(errno) : "");
    return false;
}

/* Our own lock on the file is enough (out.h). */
static hid_t create(const char *path)
{
    hid_t how = H5Pcreate(H5P_FILE_ACCESS), made = H5Pcreate(H5P_FILE_CREATE);
    if (how >= 0)
        H5Pset_file_locking(how, false, true);
    if (made >= 0)              /* columns stay in their order */
        H5Pset_link_creation_order(made, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    hid_t file = how >= 0 && made >= 0 ? H5Fcreate(path, H5F_ACC_TRUNC, made, how) : -1;
    if (how >= 0)
        H5Pclose(how);
    if (made >= 0)
        H5Pclose(made);
    return file;
}

struct hdf5_file *hdf5_open(const char *path, const struct columns *c, const struct mbs_model *m, long rows, char why[512])
{
    struct hdf5_file *h = calloc(1, sizeof *h);
    if (h) {
        h->file = -1;
        h->most = rows > MANY && c->n < WIDE ? LONG_ROWS : ROWS;
    }
    if (!h || !(h->path = strdup(path)) || !(h->set = calloc((size_t)c->n, sizeof *h->set))
        || !(h->buffer = malloc((size_t)c->n * (h->most + APART) * sizeof(double)))) {
        snprintf(why, 512, "out of memory");
        hdf5_close(h, false, (char[512]){0});
        return NULL;
    }
    /* What it cannot write it would try again, and crash, when the program ends. */
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (!out_open(&h->out, path)) {
        memcpy(why, h->out.why, sizeof h->out.why);
        hdf5_close(h, false, (char[512]){0});
        return NULL;
    }
    if (h->out.temp)
        interrupt_cover(h->out.temp);
    errno = 0;
    bool good = (h->file = create(h->out.temp ? h->out.temp : path)) >= 0;
    for (int i = 0; i < c->n && good; i++, h->n++)
        good = (h->set[i] = dataset(h->file, h->most, c->name[i], c->unit[i])) >= 0;
    if (good)
        good = attribute(h->file, "model", m->name) && attribute(h->file, "title", m->title ? m->title : "");
    if (good)
        return h;
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
               && H5Dwrite(h->set[i], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, h->buffer + (size_t)i * (h->most + APART)) >= 0;
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
        h->buffer[(size_t)i * (h->most + APART) + (size_t)h->held] = x[i];
    errno = 0;
    return (hsize_t)++h->held < h->most || flush(h) || fail(why, h);
}

static bool write_column(hid_t group, hid_t space, const struct hdf5_column *c)
{
    hid_t type = c->text ? H5Tcopy(H5T_C_S1) : H5T_NATIVE_DOUBLE, stored = c->text ? type : H5T_IEEE_F64LE, set = -1;
    bool good = type >= 0 && (!c->text || (H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0));
    good = good && (set = H5Dcreate2(group, c->name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) >= 0 &&
           H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->text ? (const void *)c->text : c->number) >= 0;
    if (set >= 0)
        good = H5Dclose(set) >= 0 && good;
    if (c->text && type >= 0)
        H5Tclose(type);
    return good;
}

bool hdf5_group(struct hdf5_file *h, const char *name, const struct hdf5_column *column, int columns, long rows, char why[512])
{
    hsize_t count = (hsize_t)rows;
    errno = 0;
    hid_t group = H5Gcreate2(h->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, &count, NULL);
    bool good = group >= 0 && space >= 0;
    for (int i = 0; i < columns && good; i++)
        good = write_column(group, space, &column[i]);
    if (space >= 0)
        H5Sclose(space);
    if (group >= 0)
        good = H5Gclose(group) >= 0 && good;
    return good || fail(why, h);
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
    if (!good && keep)
        fail(why, h);
    if (h->out.temp)
        interrupt_uncover(h->out.temp);
    if (good && keep && !out_close(&h->out)) {
        memcpy(why, h->out.why, sizeof h->out.why);
        good = false;
    }
    out_discard(&h->out);
    free(h->set);
    free(h->buffer);
    free(h->path);
    free(h);
    return good;
}
/* ---- reading ---- */

/* The name as a CSV file has it: "phi [rad]". */
static char *column_name(hid_t set, const char *name)
{
    char unit[128] = "";
    hid_t a = H5Aexists(set, "unit") > 0 ? H5Aopen(set, "unit", H5P_DEFAULT) : -1, type = a >= 0 ? H5Aget_type(a) : -1;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) && H5Tget_size(type) < sizeof unit)
        H5Aread(a, type, unit);
    if (type >= 0)
        H5Tclose(type);
    if (a >= 0)
        H5Aclose(a);
    size_t room = strlen(name) + strlen(unit) + 4;
    char *text = malloc(room);
    if (text)
        snprintf(text, room, *unit ? "%s [%s]" : "%s", name, unit);
    return text;
}

/* A list of numbers becomes a column: *x.  False: it is none, or has another length than the others. */
static bool column_take(hid_t set, struct csv *c, double **x)
{
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    hsize_t n = 0;
    bool fits = space >= 0 && type >= 0 && H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &n, NULL) == 1 &&
                (H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_INTEGER) && n < 1u << 30 && (!c->columns || (int)n == c->rows);
    *x = fits ? malloc(((size_t)n + 1) * sizeof **x) : NULL;
    fits = *x && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *x) >= 0;
    if (!fits) {
        free(*x);
        *x = NULL;
    } else
        c->rows = (int)n;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    return fits;
}

/* As they were written, where the file knows that. */
static H5_index_t order_of(hid_t root)
{
    unsigned flags = 0;
    hid_t how = H5Gget_create_plist(root);
    if (how >= 0) {
        H5Pget_link_creation_order(how, &flags);
        H5Pclose(how);
    }
    return flags & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

static bool read_columns(struct csv *c, hid_t root, double **x, int most)
{
    for (int i = 0; i < most; i++) {
        char name[512];
        ssize_t length = H5Lget_name_by_idx(root, ".", order_of(root), H5_ITER_INC, (hsize_t)i, name, sizeof name, H5P_DEFAULT);
        hid_t set = length > 0 && length < (ssize_t)sizeof name ? H5Dopen2(root, name, H5P_DEFAULT) : -1;
        if (set < 0)
            continue;
        if (column_take(set, c, &x[c->columns])) {
            c->name[c->columns] = column_name(set, name);
            c->columns++;
        }
        H5Dclose(set);
        if (c->columns && !c->name[c->columns - 1])
            return false;
    }
    return true;
}

/* The columns side by side, as rows. */
static bool make_rows(struct csv *c, double *const *x)
{
    if (!(c->at = malloc(((size_t)c->rows * (size_t)c->columns + 1) * sizeof *c->at)))
        return false;
    for (int r = 0; r < c->rows; r++)
        for (int k = 0; k < c->columns; k++)
            c->at[(size_t)r * (size_t)c->columns + (size_t)k] = x[k][r];
    return true;
}

bool hdf5_read(struct csv *c, const char *path)
{
    H5G_info_t info;
    struct stat st;
    *c = (struct csv){0};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    bool regular = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    hid_t how = H5Pcreate(H5P_FILE_ACCESS), file = -1, root = -1;
    if (how >= 0) {
        H5Pset_file_locking(how, false, true);
        file = regular ? H5Fopen(path, H5F_ACC_RDONLY, how) : -1;
        H5Pclose(how);
    }
    bool open = file >= 0 && (root = H5Gopen2(file, "/", H5P_DEFAULT)) >= 0 && H5Gget_info(root, &info) >= 0 && info.nlinks < 1u << 20;
    int most = open ? (int)info.nlinks : 0;
    double **x = calloc((size_t)most + 1, sizeof *x);
    c->name = calloc((size_t)most + 1, sizeof *c->name);
    bool good = open && x && c->name && read_columns(c, root, x, most) && make_rows(c, x);
    if (!open)
        snprintf(c->why, sizeof c->why, "cannot read %.300s: %s", path, regular ? "it is no HDF5 file" : file_why());
    else if (!good)
        snprintf(c->why, sizeof c->why, "out of memory while reading %.300s", path);
    for (int i = 0; x && i < most; i++)
        free(x[i]);
    free(x);
    if (root >= 0)
        H5Gclose(root);
    if (file >= 0)
        H5Fclose(file);
    if (!good)
        csv_free(c);
    return good;
}
#else
bool hdf5_read(struct csv *c, const char *path)
{
    *c = (struct csv){0};
    snprintf(c->why, sizeof c->why, "cannot read %.300s: this mbs was built without HDF5 (Debian: libhdf5-dev)", path);
    return false;
}
struct hdf5_file *hdf5_open(const char *path, const struct columns *c, const struct mbs_model *m, long rows, char why[512])
{
    (void)c, (void)m, (void)rows;
    snprintf(why, 512, "cannot write %s: this mbs was built without HDF5 (Debian: libhdf5-dev); a name that ends in .csv gives CSV", path);
    return NULL;
}
bool hdf5_row(struct hdf5_file *h, const double *x, char why[512])
{
    (void)h, (void)x, (void)why;
    return false;
}
bool hdf5_group(struct hdf5_file *h, const char *name, const struct hdf5_column *column, int columns, long rows, char why[512])
{
    (void)h, (void)name, (void)column, (void)columns, (void)rows, (void)why;
    return false;
}
bool hdf5_close(struct hdf5_file *h, bool keep, char why[512])
{
    (void)h, (void)keep, (void)why;
    return false;
}
#endif
