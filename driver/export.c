/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs export`: a tree of rigid bodies for other engines and viewers. */
#include "config.h"
#include "commands.h"
#include "export_code.h"
#include "compile.h"
#include "import/export.h"
#include "base/out.h"

#include <stdlib.h>
#include <string.h>

const struct manual manual_export = {
    "export", "MODEL.mbs --urdf | --mjcf | --casadi | --octave [options]", FOR_EXPORT,
    "Writes the bodies and joints of a model as URDF or as MJCF (MuJoCo), with the values that its parameters have: trees of rigid\n"
    "bodies with turning, sliding, ball (MJCF) and free joints, rotors (MJCF) and dampers on them. Points of bodies, drawings and what\n"
    "the format cannot hold stay behind. Links stand in axes in which the joint's axis is a coordinate axis; the model's own axes of a body are a frame on it.\n"
    "--casadi writes any model that does not depend on time as C that casadi.external() loads: residual, constraints, outputs, with sparse Jacobians.\n"
    "--octave writes any model as a MEX file in C: xdot = NAME(t, x) for lsode and ode45, and M, f, G, residual, Jacobians by NAME('dynamics', ...).\n"
    "Both are functions of the state: a model with events, contacts, limits or dry friction is refused, unless --smooth asks for the equations without them.",
    "  mbs export arm.mbs --urdf                 writes arm.urdf\n"
    "  mbs export arm.mbs --mjcf -o scene.xml\n"
    "  mbs export arm.mbs --mjcf -D n=7 -o -     to standard output, with another option of the model\n"
    "  mbs export fourbar.mbs --casadi           writes fourbar_casadi.c\n"
    "  mbs export cart.mbs --octave              writes cart_mex.c, for mkoctfile --mex -o cart cart_mex.c\n",
    1, 1};

bool export_smooth(const struct settings *set, const struct manual *manual, const struct model *m)
{
    if (set->smooth || (!m->event.n && !m->contact.n))
        return true;
    bool contact = m->contact.n > 0;
    complain(manual, "%s has %s ('%s'%s), for which a function of the state has no place: --smooth writes the equations without them", set->files.at[0],
             contact ? "contacts, limits or friction" : "events", contact ? m->contact.at[0].name : m->event.at[0].name,
             m->contact.n + m->event.n > 1 ? " is the first" : "");
    return false;
}

static bool is_spatial(const struct ast *ast)
{
    for (int i = 0; i < ast->block.n; i++)
        if (ast->block.at[i]->word == STMT_SPATIAL)
            return true;
    return false;
}

static int write_robot(struct robot *r, const struct settings *set)
{
    char *text = NULL;
    size_t size = 0;
    struct out out;
    FILE *f = stream_open(&text, &size);
    int status = EXIT_FAILED;
    const char *path = set->output ? set->output : arena_printf(r->arena, "%s.%s", r->id, set->urdf ? "urdf" : "xml");
    bool good = f && (set->urdf ? write_urdf(r, f) : write_mjcf(r, f));
    if (!f || !stream_close(f)) {
        complain(&manual_export, "out of memory");
    } else if (!good) {
        complain(&manual_export, "%s", r->error);
    } else if (out_text(&out, path, text, size)) {
        status = EXIT_OK;
    } else {
        complain(&manual_export, "%s", out.why);
    }
    free(text);
    if (status == EXIT_OK && !set->quiet)
        fprintf(strcmp(path, "-") ? stdout : stderr, "%s is written: %d links, %d joints; %d not carried over\n", path, r->link.n, r->joint.n, r->losses);
    return status;
}

int cmd_export(int argc, char **argv)
{
    struct settings set;
    struct arena arena = {0};
    struct robot r = {.arena = &arena};
    struct compile_options options = {0};
    int status;
    if (!settings_parse(&set, &manual_export, argc, argv, &status))
        return status;
    if (set.casadi + set.octave == 1 && !set.urdf && !set.mjcf && !(set.octave && set.set.n)) {
        status = set.casadi ? export_casadi(&set, &manual_export) : export_octave(&set, &manual_export);
        settings_free(&set);
        return status;
    }
    if (set.urdf == set.mjcf || set.set.n || set.smooth) {
        complain(&manual_export, set.set.n ? "--set is for --casadi" : set.smooth ? "--smooth is for --casadi and --octave" : "say --urdf, --mjcf, --casadi or --octave");
        settings_free(&set);
        return EXIT_USAGE;
    }
    status = EXIT_FAILED;
    r.path = set.files.at[0];
    r.file = strrchr(r.path, '/') ? strrchr(r.path, '/') + 1 : r.path;
    r.format = "mbs";
    r.log = set.quiet ? NULL : stderr;
    options.front = settings_front(&set);
    struct compile *c = compile_file(r.path, &options, COMPILE_MODEL);
    fputs(compile_messages(c), stderr);
    if (c->good) {
        r.name = c->model->name;
        if (!is_spatial(c->ast))
            complain(&manual_export, "%s is no mechanism in space", r.file);
        else if (!robot_of_model(&r, c))
            complain(&manual_export, "%s", r.error);
        else {
            robot_export_names(&r);
            status = write_robot(&r, &set);
        }
    }
    compile_free(c);
    robot_free(&r);
    arena_free(&arena);
    settings_free(&set);
    return status;
}
