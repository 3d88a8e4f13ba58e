/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs fmu`: the parts of a Functional Mock-up Unit (design 0017). */
#ifndef DRIVER_FMU_H
#define DRIVER_FMU_H
#include "output_jacobian.h"
#include "session.h"
#include "sha256.h"
#include "zip.h"
#include "base/arena.h"

struct fmu_binary {
    const char *target;         /* "" this machine */
    const char *path;           /* in the zip file */
    char *data;
    size_t size;
};
/* An output that is a coordinate or a velocity. */
struct fmu_motion {
    char by;                    /* q v, or 0: something else */
    int index;
};
struct fmu_parts {
    const struct settings *settings;
    const struct manual *manual;
    struct arena arena;
    int version;                /* 2 or 3 */
    const char *name;           /* of the model, and of the binary */
    char *model_c, *table_c;    /* the model and its tables as C */
    char *tapes;                /* ... and as tapes; NULL: it calls functions in C */
    size_t tapes_length;
    int method;                 /* the model's own, if an FMU carries it, else -1 */
    int coords, params;
    const char *carried[12];    /* names of the methods in it, NULL behind the last */
    bool is_long;               /* as C: size counts for more than speed */
    bool stiff;                 /* at its start, so that "auto" is radau */
    bool events;                /* `when`, `every` or contacts: so is theirs */
    bool contacts;              /* one-sided constraints or friction: their part of the core is needed */
    bool bodies_touch;          /* each any other: "auto" is moreau */
    struct output_jacobian jacobian;
    struct fmu_motion *motion;  /* of each output */
    unsigned char *follows;     /* parameters whose default follows from others and that --set does not give */
    char token[40];
    struct fmu_binary binary[8];
    int binaries;
};

/* fmu_build.c: C text, binaries; what goes wrong is said on standard error */
bool fmu_generate(struct fmu_parts *);
bool fmu_compile(struct fmu_parts *);
/* fmu_sources.c: the C files of sources/, one after the other; NULL after the last.  The first FMU_OWN_SOURCES are the model and its tables, then come those
 * of --with, then the core. */
enum { FMU_OWN_SOURCES = 2 };
const char *fmu_source(struct fmu_parts *, int k);
typedef bool Put_source(void *to, const char *name, const char *text, size_t size);
bool fmu_write_sources(struct fmu_parts *, Put_source *, void *to);
void fmu_add_sources(struct fmu_parts *, struct zip *);
void fmu_hash_core(struct sha256 *);
/* fmu_icon.c */
void fmu_add_icon(struct zip *, const struct fmu_parts *, struct session *);
/* fmu_xml.c: modelDescription.xml, the manifest of FMI-LS-DAE, terminalsAndIcons.xml, sources/buildDescription.xml */
void fmu_description(FILE *, struct fmu_parts *, struct session *);
bool fmu_offers_exchange(const struct session *);
void fmu_dae_manifest(FILE *, struct fmu_parts *, struct session *);
bool fmu_has_terminals(struct fmu_parts *, struct session *);
void fmu_terminals(FILE *, struct fmu_parts *, struct session *);
void fmu_build_description(FILE *, struct fmu_parts *);
#endif
