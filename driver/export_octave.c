/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs export --octave`: the model in C with a mexFunction, which Octave and MATLAB compile and call (driver/text/octave_mex.c says how). */
#include "config.h"
#include "export_code.h"
#include "commands.h"
#include "compile.h"
#include "octave_file.h"
#include "base/out.h"

#include <stdlib.h>
#include <string.h>

int export_octave(const struct settings *set, const struct manual *manual)
{
    struct compile_options o = {.front = settings_front(set), .standalone = true, .entries = true};
    struct compile *c = compile_file(set->files.at[0], &o, COMPILE_TEXT);
    struct out out;
    int status = EXIT_FAILED;
    char *path = NULL;
    fputs(compile_messages(c), stderr);
    if (c->good && asprintf(&path, "%s%s", set->output ? set->output : c->model->name, set->output ? "" : "_mex.c") < 0)
        path = NULL;
    if (c->good && c->model->ext.n)
        complain(manual, "%s calls the C function '%s', whose code a file for Octave cannot bring along", set->files.at[0], c->model->ext.at[0]->name);
    else if (c->good && !path)
        complain(manual, "out of memory");
    else if (c->good && export_smooth(set, manual, c->model)) {
        bool good = out_open(&out, path);
        if (good) {
            fputs(compile_text(c, NULL), out.f);
            fprintf(out.f, "\n#define MODEL %s_model\n", c->model->name);
            for (const char *const *l = octave_mex_c; *l; l++)
                fputs(*l, out.f);
            good = out_close(&out);
        }
        if (!good)
            complain(manual, "%s", out.why);
        else if (!set->quiet && strcmp(path, "-"))
            printf("%s is written: mkoctfile --mex -o %s %s; then %s(t, x), %s('names'), ... in Octave\n", path, c->model->name, path, c->model->name,
                   c->model->name);
        status = good ? EXIT_OK : EXIT_FAILED;
    }
    free(path);
    compile_free(c);
    return status;
}
