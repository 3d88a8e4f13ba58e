/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs new`: a model to start from, which runs as it is. */
#include "config.h"
#include "commands.h"
#include "base/out.h"

#include <string.h>
#include <unistd.h>

const struct manual manual_new = {
    "new", "NAME [options]", FOR_NEW,
    "Writes NAME.mbs, a small model that runs: a pendulum on a moving block, with comments that say what each line is for.\n"
    "It is made of bodies and joints, with --energies of coordinates and energies. Change it to your mechanism.",
    "  mbs new swing\n"
    "  mbs new swing2 --energies\n"
    "  mbs new swing --title \"A swing in the garden\" && mbs report swing.mbs\n",
    1, 1};

static const char *const bodies[] = {
    "# A block on a rail, held by a spring, and a pendulum that hangs from it.\n",
    "# Run:      mbs run %s.mbs -o %s.csv      then: mbs plot %s.csv x phi\n",
    "# See:      mbs report %s.mbs             then open %s.html\n",
    "# Language: man 5 mbs\n",
    "planar\n",
    "gravity [0, -9.81]\n",
    "\n",
    "param M: kg = 2, m: kg = 1                  # masses of block and pendulum\n",
    "param l: m = 0.5                            # length of the pendulum\n",
    "param k: N/m = 80, d: N*s/m = 0.5           # spring and damper at the block\n",
    "const h: m = 0.06, wall: m = -0.7\n",
    "\n",
    "# a body: its mass, its inertia about the centre of mass, where that is, and points that joints can use\n",
    "body block { mass = M, point side = [-2*h, 0] }\n",
    "body rod { mass = m, inertia = m*l^2/12, com = [0, -l/2], point tip = [0, -l] }\n",
    "\n",
    "# a joint to a new body brings a coordinate, any other one closes a loop\n",
    "joint rail: prismatic(ground, block) axis [1, 0], distance x\n",
    "joint pin: revolute(block, rod) angle phi\n",
    "\n",
    "spring S: between block.side and ground @ [wall, 0], stiffness = k, length = -wall - 2*h\n",
    "damper D: between block.side and ground @ [wall, 0], damping = d\n",
    "\n",
    "init x = 0, phi = pi/3                      # starts at rest\n",
    "output height: m = rod.tip[2]\n",
    "\n",
    "# the report draws bodies, joints and springs by itself; this adds to it\n",
    "draw stop: ground([wall, -h], [wall, 3*h])\n",
    "draw box: body([x - 2*h, -h/2], [x + 2*h, -h/2], [x + 2*h, h], [x - 2*h, h])\n",
    "\n",
    "simulate { to = 10, rtol = 1e-8 }\n",
    NULL,
};
static const char *const energies[] = {
    "# A block on a rail, held by a spring, and a pendulum that hangs from it.\n",
    "# Run:      mbs run %s.mbs -o %s.csv      then: mbs plot %s.csv x phi\n",
    "# See:      mbs report %s.mbs             then open %s.html\n",
    "# Language: man 5 mbs\n",
    "\n",
    "param M: kg = 2, m: kg = 1              # masses of block and pendulum\n",
    "param l: m = 0.5                        # length of the pendulum\n",
    "param k: N/m = 80, d: N*s/m = 0.5       # spring and damper at the block\n",
    "param grav: m/s^2 = 9.81\n",
    "\n",
    "coord x: m, phi: rad                    # position of the block, angle of the pendulum\n",
    "\n",
    "let B = [x, 0]                          # where the block is\n",
    "let P = B + l*[sin(phi), -cos(phi)]     # where the pendulum's mass is; P' is its velocity\n",
    "\n",
    "kinetic M*norm2(B')/2 + m*norm2(P')/2\n",
    "potential m*grav*P[2] + k*x^2/2\n",
    "dissipation d*x'^2/2\n",
    "\n",
    "init x = 0, phi = pi/3                  # starts at rest\n",
    "\n",
    "output height: m = P[2]\n",
    "\n",
    "# what the report shows\n",
    "const h: m = 0.06, wall: m = -0.7\n",
    "draw rail: ground([wall, -h], [-wall, -h])\n",
    "draw stop: ground([wall, -h], [wall, 3*h])\n",
    "draw block: body(B + [-2*h, -h/2], B + [2*h, -h/2], B + [2*h, h], B + [-2*h, h])\n",
    "draw S: spring([wall, 0], B + [-2*h, 0])\n",
    "draw D: damper([wall, 0], B + [-2*h, 0])\n",
    "draw rod: body(B, P)\n",
    "draw J: joint(B)\n",
    "draw mass: point(P)\n",
    "\n",
    "simulate { to = 10, rtol = 1e-8 }\n",
    NULL,
};

static bool name_good(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", digits[] = "0123456789";
    if (!*s || !strchr(letters, *s))
        return false;
    for (; *s; s++)
        if (!strchr(letters, *s) && !strchr(digits, *s))
            return false;
    return true;
}

static void write_model(FILE *f, const char *name, const char *title, const char *const *lines)
{
    fprintf(f, "model %s \"", name);
    for (const char *s = title; *s; s++)
        if (*s != '"' && (unsigned char)*s >= 0x20)
            putc(*s, f);
    fputs("\"\n", f);
    for (; *lines; lines++)
        for (const char *s = *lines; *s; s++)
            if (s[0] == '%' && s[1] == 's')
                fputs(name, f), s++;
            else
                putc(*s, f);
}

int cmd_new(int argc, char **argv)
{
    struct settings set;
    struct out out;
    char path[4096];
    int status;
    if (!settings_parse(&set, &manual_new, argc, argv, &status))
        return status;
    char file[4080];
    snprintf(file, sizeof file, "%s", set.files.at[0]);
    size_t n = strlen(file);
    if (n > 4 && !strcmp(file + n - 4, ".mbs"))
        file[n - 4] = 0;
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    snprintf(path, sizeof path, "%s.mbs", file);
    status = EXIT_FAILED;
    if (!name_good(name)) {
        complain(&manual_new, "'%s' is no name for a model: letters, digits and _ make one, a letter first", name);
        status = EXIT_USAGE;
    } else if (!set.force && access(path, F_OK) == 0) {
        complain(&manual_new, "%s exists already; --force replaces it", path);
    } else if (!out_open(&out, path)) {
        complain(&manual_new, "%s", out.why);
        out_discard(&out);
    } else {
        write_model(out.f, name, set.title ? set.title : "A pendulum on a moving block", set.energies ? energies : bodies);
        if (!out_close(&out))
            complain(&manual_new, "%s", out.why);
        else
            status = EXIT_OK;
        if (status == EXIT_OK && !set.quiet)
            printf("%s is written. See it move:\n  mbs report %s\n", path, path);
    }
    settings_free(&set);
    return status;
}
