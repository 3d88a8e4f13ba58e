/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `mbs video`: the scene of a report as a film or a picture, without anybody looking at it.
 *
 * The painters are those of the page (report/), and a browser without a window runs them: chromium opens the page with #film=..., the page paints
 * all pictures at once and puts them into its text, and chromium prints that (--dump-dom).  ffmpeg makes films of them.  A rasteriser of
 * our own would be a second set of painters, which would have to look the same, and a second renderer for space. */
#include "config.h"
#include "base/out.h"
#include "commands.h"
#include "interrupt.h"
#include "report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

const struct manual manual_video = {
    "video", "MODEL.mbs [options] [-o FILE.mp4]", FOR_VIDEO,
    "Runs a model and films it, as its report shows it: .mp4, .webm or .gif by the name of -o; .png and .svg are pictures at one time (--at, the\n"
    "start). Films need chromium and ffmpeg, pictures chromium. Without -o the name is that of the model with .mp4. A run that takes 3 to 25\n"
    "seconds is shown at its own speed, others in eight seconds, unless --speed says otherwise.",
    "  mbs video swing.mbs                         writes swing.mp4\n"
    "  mbs video squeezer.mbs --speed 0.005 -o squeezer.gif\n"
    "  mbs video swing.mbs --at 0.5 --width 800 --height 600 --scale 2 -o swing.png\n"
    "  mbs video swing.mbs --at 0.5 -o swing.svg\n",
    1, 1};

#define WORK_NAME "mbs-video."
enum { FPS = 30, MOST_FRAMES = 6000, PATH_MOST = 4096 };

/* What is to be made. */
static const struct format {
    const char *ending, *image; /* of the pictures */
    bool film;
    const char *more[8];        /* arguments of ffmpeg */
} formats[] = {
    {".mp4", "jpeg", true, {"-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart", NULL}},
    {".webm", "jpeg", true, {"-b:v", "3M", NULL}},
    {".gif", "png", true, {"-vf", "split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=bayer:bayer_scale=4", NULL}},
    {".png", "png", false, {NULL}},
    {".svg", "svg", false, {NULL}},
};

struct video {
    const struct settings *set;
    const struct format *format;
    char *path;                 /* of the result */
    char work[PATH_MOST];       /* a private directory */
    const char *at;             /* time of a picture */
    int frames;                 /* as the page counts them */
};

static const struct format *format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(dot, formats[i].ending))
            return &formats[i];
    complain(&manual_video, "%s: the name must end in .mp4, .webm, .gif, .png or .svg", path);
    return NULL;
}

static double rate_of(const struct video *v) { return v->set->fps > 0 ? v->set->fps : FPS; }

static void work_file(const struct video *v, char *to, size_t size, const char *name) { snprintf(to, size, "%s/%s", v->work, name); }

/* Chromium prints the page with the pictures in it into the file dom. */
static bool paint(const struct video *v)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"};
    char profile[PATH_MOST + 32], url[PATH_MOST + 256], dom[PATH_MOST + 32];
    work_file(v, profile, sizeof profile, "profile");
    memmove(profile + strlen("--user-data-dir="), profile, strlen(profile) + 1);
    memcpy(profile, "--user-data-dir=", strlen("--user-data-dir="));
    work_file(v, dom, sizeof dom, "dom");
    snprintf(url, sizeof url, "file://%s/page.html#film=%.0f,%.0f,%.4g,%s,%s,%.6g,%.17g,%.4g%s%s", v->work, v->set->width > 0 ? v->set->width : 960,
             v->set->height > 0 ? v->set->height : 720, v->set->scale > 0 ? v->set->scale : 1, v->format->image, v->format->film ? "film" : v->at, rate_of(v),
             v->set->speed > 0 ? v->set->speed : 0, v->set->symbols > 0 ? v->set->symbols : 1, v->set->dark ? ",dark" : "", v->set->no_traces ? ",bare" : "");
    const char *argv[] = {NULL, "--headless", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run",
                          "--disable-background-networking", "--disable-component-update", "--disable-sync", "--log-level=3", "--timeout=600000", profile, "--dump-dom", url,
                          geteuid() == 0 ? "--no-sandbox" : NULL, NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        argv[0] = names[i];
        int status = build_spawn(argv, dom);
        if (status >= 0) {
            if (status)
                complain(&manual_video, "%s ended with status %d", names[i], status);
            return status == 0;
        }
        if (errno != ENOENT) {
            complain(&manual_video, "%s: %s", names[i], strerror(errno));
            return false;
        }
    }
    complain(&manual_video, "no chromium to paint with (Debian: apt-get install chromium); `mbs report` writes a page that saves pictures and films itself");
    return false;
}

static int digit64(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Base64 up to a ';', in place; the number of bytes, -1: it is none. */
static long decode(char *text)
{
    unsigned bits = 0;
    int have = 0;
    long n = 0;
    char *at = text;
    for (; *at && *at != ';' && *at != '='; at++) {
        int d = digit64((unsigned char)*at);
        if (d < 0)
            return -1;
        bits = bits << 6 | (unsigned)d;
        have += 6;
        if (have >= 8) {
            have -= 8;
            text[n++] = (char)(bits >> have & 0xff);
        }
    }
    return *at ? n : -1;
}

static bool write_file(const char *path, const char *bytes, long n)
{
    struct out out;
    if (!out_open(&out, path) || fwrite(bytes, 1, (size_t)n, out.f) != (size_t)n) {
        complain(&manual_video, "%s: %s", path, *out.why ? out.why : strerror(errno));
        out_discard(&out);
        return false;
    }
    bool good = out_close(&out);
    if (!good)
        complain(&manual_video, "%s", out.why);
    return good;
}

/* The pictures from the text of the page: the one to the result, several to files with numbers.  Each mark begins a line: what the model brings along
 * (its title is in the text too) never does. */
static bool collect(struct video *v)
{
    static const char mark[] = "\nmbs-picture:", sum[] = "\nmbs-pictures:";
    char name[PATH_MOST + 32];
    work_file(v, name, sizeof name, "dom");
    char *text = file_read(name, NULL), *first = text ? strstr(text, sum) : NULL;
    int n = 0;
    v->frames = first ? atoi(first + strlen(sum)) : 0;
    if (v->frames > MOST_FRAMES) {
        complain(&manual_video, "the film would have %d pictures; at most %d are made: take a larger --speed, a smaller --fps or an earlier --to", v->frames, MOST_FRAMES);
        free(text);
        return false;
    }
    for (const char *at = first; at && (at = strstr(at, mark)); at++)
        n++;
    bool good = n > 0 && n == v->frames;
    if (!good)
        complain(&manual_video, "%d of %d pictures came from the browser; it may have run out of memory: take a smaller --width, --fps or --scale", n, v->frames);
    char *at = first;
    for (int i = 0; i < n && good; i++) {
        at = strstr(at, mark) + strlen(mark);
        char *end = strchr(at, ';');
        long size = decode(at);
        snprintf(name, sizeof name, "%s/%05d.%s", v->work, i, v->format->image);
        good = size > 0 && end && write_file(v->format->film ? name : v->path, at, size);
        if (size <= 0 || !end)
            complain(&manual_video, "picture %d of the browser is none", i + 1);
        at = end;
    }
    free(text);
    return good;
}

static bool encode(const struct video *v)
{
    char input[PATH_MOST + 32], output[PATH_MOST + 32], log[PATH_MOST + 32], rate[32];
    const char *argv[32] = {"ffmpeg", "-y", "-loglevel", "error", "-framerate", rate, "-i", input};
    int n = 8;
    snprintf(rate, sizeof rate, "%g", rate_of(v));
    snprintf(input, sizeof input, "%s/%%05d.%s", v->work, v->format->image);
    snprintf(output, sizeof output, "%s/film%s", v->work, v->format->ending);
    work_file(v, log, sizeof log, "log");
    for (int i = 0; v->format->more[i]; i++)
        argv[n++] = v->format->more[i];
    argv[n++] = output;
    argv[n] = NULL;
    int status = build_spawn(argv, log);
    size_t size = 0;
    char *said = status > 0 ? file_read(log, NULL) : NULL, *film = status ? NULL : file_read(output, &size);
    if (status < 0)
        complain(&manual_video, errno == ENOENT ? "no ffmpeg to make films with (Debian: apt-get install ffmpeg); .png and .svg do without" : "ffmpeg: %s", strerror(errno));
    else if (!film)
        complain(&manual_video, "ffmpeg ended with status %d%s%s", status, said && *said ? ":\n" : "", said ? said : "");
    bool good = film && write_file(v->path, film, (long)size);
    free(said);
    free(film);
    return good;
}

/* The private directory with all that is in it; chromium leaves directories in its profile. */
static void remove_all(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        char below[PATH_MOST + 300];
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        snprintf(below, sizeof below, "%s/%s", path, e->d_name);
        if (unlink(below) != 0 && (errno == EISDIR || errno == EPERM))
            remove_all(below);
    }
    if (d)
        closedir(d);
    rmdir(path);
}

/* A directory is locked as long as the program lives that made it.  What a killed one has left is removed by the next: whatever it was killed by, and also where
 * the numbers of processes mean nothing, in containers that share their temporary files. */
static int lock_directory(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat s;
    if (fd >= 0 && fstat(fd, &s) == 0 && s.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void remove_abandoned(const char *dir)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[PATH_MOST + 300];
        if (strncmp(e->d_name, WORK_NAME, strlen(WORK_NAME)) != 0)
            continue;
        snprintf(path, sizeof path, "%.3000s/%s", dir, e->d_name);
        int fd = lock_directory(path);
        if (fd < 0)
            continue;
        remove_all(path);
        close(fd);
    }
    if (d)
        closedir(d);
}

/* A new one, locked: its descriptor, -1 after an error.  Another run that looks between the two steps takes it for abandoned. */
static int make_work(struct video *v, const char *dir)
{
    for (int attempt = 0; attempt < 5; attempt++) {
        snprintf(v->work, sizeof v->work, "%.3000s/" WORK_NAME "XXXXXX", dir);
        if (!mkdtemp(v->work))
            return -1;
        int fd = lock_directory(v->work);
        if (fd >= 0 && access(v->work, F_OK) == 0)
            return fd;
        if (fd >= 0)
            close(fd);
    }
    errno = EAGAIN;
    return -1;
}

static bool make(struct video *v)
{
    const char *dir = getenv("TMPDIR");
    char page[PATH_MOST + 32], real[PATH_MOST];
    double time;
    v->at = v->set->at.n ? v->set->at.at[0] : "-1e300";
    if (!number_read(v->at, &time)) {
        complain(&manual_video, "--at %s: write a time in seconds", v->at);
        return false;
    }
    if (!dir || !*dir)
        dir = "/tmp";
    remove_abandoned(dir);
    int lock = make_work(v, dir);
    if (lock < 0) {
        complain(&manual_video, "%s: %s", v->work, strerror(errno));
        return false;
    }
    if (realpath(v->work, real))
        memcpy(v->work, real, strlen(real) + 1);
    work_file(v, page, sizeof page, "page.html");
    struct settings set = *v->set;
    set.quiet = true;           /* the page is not what was asked for */
    bool good = report_apart(&set, &manual_video, page, NULL) && paint(v) && collect(v) && (!v->format->film || encode(v));
    remove_all(v->work);
    close(lock);
    return good;
}

int cmd_video(int argc, char **argv)
{
    struct settings set;
    int status;
    if (!settings_parse(&set, &manual_video, argc, argv, &status))
        return status;
    interrupt_watch();
    struct video v = {.set = &set, .path = output_name(&set, &manual_video, ".mp4")};
    v.format = v.path ? format_of(v.path) : NULL;
    status = !v.path ? EXIT_FAILED : !v.format ? EXIT_USAGE : make(&v) ? EXIT_OK : EXIT_FAILED;
    if (status == EXIT_OK && !set.quiet)
        fprintf(stderr, "mbs video: %s: %d picture%s\n", v.path, v.frames, v.frames == 1 ? "" : "s");
    free(v.path);
    settings_free(&set);
    return status;
}
