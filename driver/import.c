/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs import`: a robot in another format as a model. */
#include "config.h"
#include "build.h"
#include "commands.h"
#include "compile.h"
#include "import/read.h"
#include "base/out.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

const struct manual manual_import = {
    "import", "FILE [options]", FOR_IMPORT,
    "Writes NAME.mbs from a robot in URDF, MJCF (MuJoCo), SDFormat (Gazebo) or SD/FAST (.sd), which the file's contents decide.\n"
    "The model is text to read, change and keep. Names are kept as far as the language allows, angles such as 1.5708 become\n"
    "pi/2 (and are listed), links without mass become named frames. What cannot be carried over is said, and stands as a comment\n"
    "at its place.",
    "  mbs import ur5.urdf                       writes ur5.mbs\n"
    "  mbs import --free anymal.urdf -o dog.mbs  the root floats\n"
    "  mbs import humanoid.xml && mbs report humanoid.mbs\n"
    "  mbs import --no-snap -q arm.sdf -o -      to standard output, angles as they are\n",
    1, 1};

static bool read_any(struct robot *r, const char *text, size_t size)
{
    const char *dot = strrchr(r->path, '.'), *why;
    if (dot && !strcmp(dot, ".sd")) {
        r->format = "SD/FAST";
        return read_sdfast(r, text, size);
    }
    if (dot && !strcmp(dot, ".xacro"))
        return robot_fail(r, r->file, 0, "this is a xacro file; expand it first:  xacro %s > robot.urdf", r->path);
    struct xml *root = xml_read(r->arena, r->file, text, size, &why);
    if (!root) {
        r->error = why;
        return false;
    }
    static const struct { const char *root, *format; bool (*read)(struct robot *, struct xml *); } formats[] = {
        {"robot", "URDF", read_urdf}, {"mujoco", "MJCF", read_mjcf}, {"mujocoinclude", "MJCF", read_mjcf}, {"sdf", "SDFormat", read_sdf},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(root->name, formats[i].root)) {
            r->format = formats[i].format;
            return formats[i].read(r, root);
        }
    return robot_fail(r, r->file, root->line, "<%s> starts no robot: URDF starts with <robot>, MJCF with <mujoco>, SDFormat with <sdf>", root->name);
}

static void write_lines(FILE *f, const struct robot_lines *lines)
{
    putc('[', f);
    for (int i = 0; i < lines->n; i++) {
        fputs(i ? ", " : "", f);
        json_string(f, lines->at[i]);
    }
    putc(']', f);
}

/* Names of the source and of the model, for programs. */
static void write_json(const struct robot *r, FILE *f)
{
    fprintf(f, "{\"name\": ");
    json_string(f, r->id);
    fprintf(f, ", \"base\": ");
    json_string(f, r->base);
    fprintf(f, ", \"floating\": %s,\n \"links\": [", r->floating ? "true" : "false");
    for (int i = 0; i < r->link.n; i++) {
        fprintf(f, "%s\n  {\"source\": ", i ? "," : "");
        json_string(f, r->link.at[i].name);
        fprintf(f, ", \"place\": ");
        json_string(f, robot_place(r, i));
        double J[6];
        const struct robot_link *l = &r->link.at[i];
        moments_turn(&l->inertial, l->J, J);
        fprintf(f, ", \"mass\": ");
        json_number(f, l->mass);
        for (int k = 0; k < 9; k++) {
            fputs(k == 0 ? ", \"com\": [" : k == 3 ? "], \"inertia\": [" : ", ", f);
            json_number(f, k < 3 ? l->inertial.at[k] : J[k - 3]);
        }
        fputs("]}", f);
    }
    fprintf(f, "],\n \"joints\": [");
    bool any = false;
    for (int i = 0; i < r->joint.n; i++) {
        const struct robot_joint *j = &r->joint.at[i];
        if (!j->id)
            continue;
        fprintf(f, "%s\n  {\"source\": ", any ? "," : "");
        any = true;
        json_string(f, j->name);
        fprintf(f, ", \"name\": ");
        json_string(f, j->id);
        fprintf(f, ", \"kind\": \"%s\", \"loop\": %s, \"damping\": %.17g, \"friction\": %.17g, \"stiffness\": %.17g, \"rest\": %.17g, \"armature\": %.17g, \"pitch\": %.17g, \"lost\": ",
                robot_kind_name[j->kind], j->loop ? "true" : "false", j->damping, j->friction, j->stiffness, j->rest, j->armature, j->pitch);
        write_lines(f, &j->lost);
        putc('}', f);
    }
    fprintf(f, "],\n \"actuators\": [");
    for (int i = 0; i < r->actuator.n; i++) {
        fprintf(f, "%s\n  {\"source\": ", i ? "," : "");
        json_string(f, r->actuator.at[i].name);
        fprintf(f, ", \"name\": ");
        json_string(f, r->actuator.at[i].id);
        fprintf(f, ", \"line\": %d}", r->actuator.at[i].line);
    }
    fprintf(f, "],\n \"lost\": ");
    write_lines(f, &r->lost);
    fprintf(f, ",\n \"not_carried_over\": %d, \"renamed\": %d, \"snapped\": %d}\n", r->losses, r->renamed.n + r->underscored.n, r->snapped.n);
}

/* A model that does not compile would be our fault, or that of the data: say so at once. */
static bool is_model(const char *path, const char *text, size_t size)
{
    struct compile *c = compile_memory(path, text, size, NULL, COMPILE_AST);
    bool good = c->good;
    if (!good)
        fputs(compile_messages(c), stderr);
    compile_free(c);
    return good;
}

static int coords_of(const struct robot *r)
{
    int coords = r->floating ? 7 : 0;
    for (int i = 0; i < r->link.n; i++)
        coords += r->link.at[i].joint >= 0 ? robot_joint_coords(r->joint.at[r->link.at[i].joint].kind) : 0;
    return coords;
}

static bool moves(struct robot *r)
{
    return coords_of(r) || robot_fail(r, r->file, 0, "nothing moves here: no joint has a coordinate (--free lets the root float)");
}

static int write_model(struct robot *r, const struct settings *set)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = stream_open(&text, &size);
    int status = EXIT_FAILED, bodies = 0;
    struct out out;
    const char *path = set->output ? set->output : arena_printf(r->arena, "%s.mbs", r->id);
    if (f)
        robot_write(r, f, set->poses);
    if (!f || !stream_close(f)) {
        complain(&manual_import, "out of memory");
        free(text);
        return EXIT_FAILED;
    }
    for (int i = 0; i < r->link.n; i++)
        bodies += r->link.at[i].merged < 0;
    if (!is_model(path, text, size)) {
        complain(&manual_import, "the result is no model, which is a fault of mbs");
    } else if (out_text(&out, path, text, size)) {
        status = EXIT_OK;
    } else {
        complain(&manual_import, "%s", out.why);
    }
    free(text);
    FILE *say = !strcmp(path, "-") ? stderr : stdout;
    if (status == EXIT_OK && set->json)
        write_json(r, say);
    else if (status == EXIT_OK && !set->quiet)
        fprintf(say, "%s is written: %d bodies, %d coordinates; %d not carried over, %d renamed, %d angles taken for fractions of pi\n",
                !strcmp(path, "-") ? "the model" : path, bodies, coords_of(r), r->losses, r->renamed.n + r->underscored.n, r->snapped.n);
    if (status == EXIT_OK && !set->quiet && !set->json && r->mesh_dir)
        fprintf(say, "%d meshes lie elsewhere; the report shows them with  -I %s\n", r->meshes - r->meshes_found, r->mesh_dir);
    return status;
}

int cmd_import(int argc, char **argv)
{
    struct settings set;
    struct arena arena = {0};
    struct robot r = {.arena = &arena, .gravity = {0, 0, -9.81}};
    const char *why;
    size_t size;
    int status;
    if (!settings_parse(&set, &manual_import, argc, argv, &status))
        return status;
    status = EXIT_FAILED;
    r.path = set.files.at[0];
    r.file = strrchr(r.path, '/') ? strrchr(r.path, '/') + 1 : r.path;
    r.format = "robot";
    r.name = "robot";
    r.keep_angles = set.no_snap;
    r.no_limits = set.no_limits;
    r.contacts = set.contacts;
    r.dirs = set.include.at;
    r.ndirs = set.include.n;
    r.log = set.quiet || set.json ? NULL : stderr;
    char *text = read_whole(r.path, &size, &why);
    if (!text) {
        complain(&manual_import, "cannot read %s: %s", r.path, why);
    } else if (read_any(&r, text, size) && robot_tree(&r) && (r.floating = r.floating || set.free_base, moves(&r))) {
        robot_touch(&r);
        robot_snap(&r);
        robot_merge(&r);
        robot_start(&r);
        robot_names(&r);
        status = write_model(&r, &set);
    } else {
        fprintf(stderr, "%s\n", r.error);
        complain(&manual_import, "nothing is written");
    }
    free(text);
    robot_free(&r);
    arena_free(&arena);
    settings_free(&set);
    return status;
}
