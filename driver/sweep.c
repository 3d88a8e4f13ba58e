/* SPDX-License-Identifier: GPL-3.0-or-later
 * `mbs sweep`: one model, many cases. */
#include "config.h"
#include "commands.h"
#include "interrupt.h"
#include "json.h"
#include "row.h"
#include "sha256.h"
#include "study/page.h"
#include "study/page_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct manual manual_sweep = {
    "sweep", "MODEL.mbs --vary NAME=VALUES ... [options]", FOR_SWEEP,
    "Runs a model for many values of its parameters, on all processors, and writes a row a case: its status, its parameters, what\n"
    "was measured. Values: 1,2,5; FROM:TO:COUNT; FROM..TO (uniform); MEAN+-DEVIATION, +-1% about the model's own value (normal);\n"
    "uniform(A,B), normal(M,S), lognormal(M,S), triangle(A,PEAK,B). NAME * stands for all parameters. Values make a grid; drawn ones\n"
    "need --cases. A study that was stopped, or killed, goes on where it was when the same command is given again; its results do not\n"
    "depend on the number of workers. --shard I/N runs a part of it on another machine, --merge joins the parts. --page writes a page\n"
    "about the study: histograms, scatter plots, fans of curves, which parameter matters, extreme cases.",
    "  mbs sweep swing.mbs --vary l=0.2:0.6:41 --measure 'max(phi)' -o lengths.csv\n"
    "  mbs sweep crank.mbs --vary 'm1=+-2%' --vary 'm2=+-2%' --cases 10000 --sampling sobol -o tolerances.h5\n"
    "  mbs sweep crank.mbs --vary m1=0.3..0.5 --vary m2=0.05..0.1 --cases 512 --sampling indices   # which one matters?\n"
    "  mbs sweep arm.mbs --list cases.csv --measure 'curve(tip)' --every 0.1 -o curves.csv\n"
    "  mbs sweep swing.mbs --vary 'l=+-10%' --cases 500 --measure 'max(x)' --measure 'curve(x)' --every 0.05 --page swing.html\n"
    "  mbs sweep arm.mbs --list cases.csv -o all.csv --shard 3/8      # the third of eight parts: all.csv.3of8\n"
    "  mpirun -n 64 mbs sweep arm.mbs --list cases.csv -o all.csv     # 64 processes, cases as they ask for them; needs MPI\n"
    "  srun -n 64 mbs sweep arm.mbs --list cases.csv -o all.csv --shard auto -q        # a part each process, without MPI\n"
    "  mbs sweep arm.mbs --list cases.csv -o all.csv --merge          # all.csv from the eight parts\n",
    1, 1};

/* ---- what a study is ---- */

/* Whatever the numbers depend on, so that a journal is not continued by another study. */
static void identity(char hex[65], const struct study *s)
{
    const struct session *n = s->session;
    const struct settings *set = n->settings;
    const struct mbs_options *o = &n->options;
    struct sha256 h;
    sha256_init(&h);
    sha256_text(&h, n->build.hash);
    sha256_text(&h, n->model->name);
    sha256_add(&h, n->params, (size_t)n->model->np * sizeof *n->params);
    const struct list *lists[] = {&set->set, &set->input, &set->vary, &set->measure, &set->event};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (int k = 0; k < lists[i]->n; k++)
            sha256_text(&h, lists[i]->at[k]);
    for (int i = 0; i < n->tables; i++) {
        sha256_add(&h, n->table[i].t, (size_t)n->table[i].n * sizeof(double));
        sha256_add(&h, n->table[i].u, (size_t)n->table[i].n * sizeof(double));
    }
    if (s->plan.sampling == SAMPLING_LIST)
        sha256_add(&h, s->plan.list.at, (size_t)s->plan.list.rows * (size_t)s->plan.list.columns * sizeof(double));
    sha256_text(&h, o->method);
    sha256_text(&h, o->formulation);
    const double number[] = {n->from, n->to, n->every, o->rtol, o->atol, o->step, o->rho, o->alpha, (double)o->max_steps, o->witness,
                             (double)s->plan.seed, (double)s->plan.cases, s->plan.sampling, set->at_equilibrium, set->batch > 0};
    sha256_add(&h, number, sizeof number);
    sha256_hex(&h, hex);
}

/* A place and how many there are, from the environment; false: it has none. */
static bool from_environment(const char *place, const char *first, const char *count, int *i, int *n)
{
    const char *a = getenv(place), *b = getenv(count), *c = first ? getenv(first) : "0";
    *i = a && c ? atoi(a) - atoi(c) : 0;
    *n = b ? atoi(b) : 1;
    return a && b && c && *i >= 0 && *i < *n;
}

/* What started this process says which part it is: mpirun (Open MPI, or what speaks PMI), srun, and the tasks of an array of Slurm, each of which may
 * start several.  *ranks: how many processes run beside each other. */
static bool shard_from_engine(struct journal_head *h, int *ranks)
{
    int rank, task, tasks;
    bool engine = from_environment("OMPI_COMM_WORLD_RANK", NULL, "OMPI_COMM_WORLD_SIZE", &rank, ranks) || from_environment("PMI_RANK", NULL, "PMI_SIZE", &rank, ranks)
                  || from_environment("SLURM_PROCID", NULL, "SLURM_NTASKS", &rank, ranks);
    if (!engine)
        rank = 0, *ranks = 1;
    bool array = from_environment("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT", &task, &tasks);
    if (!array)
        task = 0, tasks = 1;
    h->shard = task * *ranks + rank;
    h->shards = tasks * *ranks;
    return (engine || array) && h->shards <= 1000000;
}

static bool read_shard(const char *text, struct journal_head *h, int *ranks)
{
    char rest;
    *ranks = 1;
    if (!text)
        return true;
    if (!strcmp(text, "auto"))
        return shard_from_engine(h, ranks);
    if (sscanf(text, "%d/%d%c", &h->shard, &h->shards, &rest) != 2 || h->shards < 1 || h->shards > 1000000 || h->shard < 1 || h->shard > h->shards)
        return false;
    h->shard--;
    return true;
}

static bool part_path(char *path, size_t size, const char *output, const struct journal_head *h, bool shard)
{
    int n = shard ? snprintf(path, size, "%s.%dof%d", output, h->shard + 1, h->shards) : snprintf(path, size, "%s.part", output);
    return n > 0 && (size_t)n < size;
}

/* ---- results ---- */

static bool table_columns(struct columns *c, const struct study *s)
{
    size_t most = (size_t)(study_width(s) + 1);
    *c = (struct columns){.name = calloc(most, sizeof(char *)), .unit = calloc(most, sizeof(char *))};
    if (!c->name || !c->unit)
        return false;
    for (int i = 0; i < (int)most; i++) {
        int factor = i - 2, measure = i - 2 - s->plan.factors;
        const char *name = i == 0 ? "case" : i == 1 ? "status" : measure < 0 ? s->plan.factor[factor].name : s->measures.name[measure];
        const char *unit = i < 2 ? "" : measure < 0 ? s->session->model->param[s->plan.factor[factor].param].unit : s->measures.unit[measure];
        c->name[i] = strdup(name);
        c->unit[i] = strdup(unit);
        c->lost = c->lost || !c->name[i] || !c->unit[i];
        c->n++;
    }
    return !c->lost;
}

/* The table from the journals of all shards, in the order of the cases. */
static bool write_table(struct study *s, struct journal *journal, int journals, const char *output, char why[512])
{
    struct columns c;
    struct sink sink;
    long cases = journal->head.cases;
    double *row = malloc(((size_t)study_width(s) + 1) * sizeof *row);
    bool good = table_columns(&c, s) && row;
    if (!good) {
        snprintf(why, 512, "out of memory");
    } else if (!(good = sink_open(&sink, output, &c, s->session->model, cases))) {
        memcpy(why, sink.why, 512);
    } else {
        for (long i = 0; i < cases && good; i++) {
            struct journal *j = &journal[i % journals];
            row[0] = (double)(i + 1);
            if (!(good = journal_get(j, i / journals, 1, row + 1)))
                memcpy(why, j->why, 512);
            else if (!(good = sink_row(&sink, row)))
                memcpy(why, sink.why, 512);
        }
        if (!good)
            sink_discard(&sink);
        else if (!(good = sink_close(&sink)))
            memcpy(why, sink.why, 512);
    }
    free(row);
    columns_fini(&c);
    return good;
}

static void print_head(FILE *f, const struct study *s, const struct summary *u)
{
    const struct session *n = s->session;
    char time[32], processes[40] = "";
    if (s->engine)
        snprintf(processes, sizeof processes, " in each of %d processes", s->engine->ranks);
    fprintf(f, "%s%s%s\n", n->model->name, n->model->title && *n->model->title ? ": " : "", n->model->title ? n->model->title : "");
    fprintf(f, "  cases         %ld, %s over %d parameter%s; %ld failed\n", u->cases, sampling_words[s->plan.sampling], s->plan.factors,
            s->plan.factors == 1 ? "" : "s", u->failed);
    if (s->failed.count)
        fprintf(f, "  first failure case %ld: %s\n", s->failed.first + 1, s->failed.why);
    if (u->doubtful) {
        fprintf(f, "  doubtful      %ld, not in the statistics: case%s", u->doubtful, u->doubtful == 1 ? "" : "s");
        for (int i = 0; i < u->doubtful && i < LISTED; i++)
            fprintf(f, "%s %ld", i ? "," : "", u->doubtful_case[i]);
        fputs(u->doubtful > LISTED ? ", ...\n" : "\n", f);
    }
    if (s->seconds > 0 && s->ran)
        fprintf(f, "  time          %s a case, %.1f %% beside it, %d worker%s%s\n", seconds_text(s->seconds / (double)s->ran, time),
                100 * s->beside / s->seconds, s->workers, s->workers == 1 ? "" : "s", processes);
}

/* *whole: the page that was asked for is there. */
static int report(struct study *s, const char *output, bool *whole)
{
    struct summary u;
    const struct settings *set = s->session->settings;
    FILE *f = output && !strcmp(output, "-") ? stderr : stdout;
    int status = EXIT_FAILED;
    *whole = false;
    if (!summary_init(&u, s)) {
        complain(s->session->manual, "%s", u.why);
    } else {
        status = u.failed == u.cases ? EXIT_FAILED : u.failed + u.doubtful == u.cases ? EXIT_DOUBTFUL : EXIT_OK;
        if (set->json) {
            fputs("{\n  \"model\": ", f);
            json_string(f, s->session->model->name);
            summary_json(f, &u, s);
            fputs("\n}\n", f);
        } else if (!set->quiet) {
            print_head(f, s, &u);
            summary_print(f, &u, s);
            if (output)
                fprintf(f, "  written       %s\n", output);
        }
        *whole = !set->page || page_sweep(s, &u);
        if (status == EXIT_FAILED)
            complain(s->session->manual, "every case failed; the first: %s", s->failed.why);
        if (u.doubtful)
            complain(s->session->manual, "%ld of %ld cases are doubtful (status %d) and left out of the statistics; the first, case %ld%s%s", u.doubtful, u.cases,
                     MBS_DOUBTFUL, u.doubtful_case[0], s->doubtful.count ? ": " : "", s->doubtful.why);
        status = *whole ? status : EXIT_FAILED;
    }
    summary_fini(&u);
    return status;
}

/* ---- running, joining ---- */

/* A pipe or a device has no place beside it for a journal. */
static bool is_file(const char *path)
{
    struct stat st;
    return strcmp(path, "-") && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

static int run_study(struct study *s, const struct journal_head *head)
{
    const struct settings *set = s->session->settings;
    const struct manual *manual = s->session->manual;
    const char *output = set->output;
    char path[4096], why[512];
    bool done, whole, file = output && is_file(output), shard = set->shard != NULL;
    if (shard && set->page)
        return complain(manual, "a part of a study has no page: --page with --merge"), EXIT_USAGE;
    if (shard && !file)
        return complain(manual, "a part of a study needs a file: -o FILE with --shard"), EXIT_USAGE;
    if (output && !sink_takes(output, why))     /* before a million cases are run, not behind them */
        return complain(manual, "%s", why), EXIT_USAGE;
    if (file && !part_path(path, sizeof path, output, head, shard))
        return complain(manual, "the name %.100s... is too long", output), EXIT_USAGE;
    if (!journal_open(&s->journal, file ? path : NULL, head))
        return complain(manual, "%s", s->journal.why), EXIT_FAILED;
    if (s->journal.records && !set->quiet)
        fprintf(stderr, "mbs sweep: %ld of %ld cases are in %s, going on\n", s->journal.records, journal_whole(head), path);
    long before = s->journal.records;
    s->began = processor_seconds();
    if (!study_run(s, &done))
        return complain(manual, "%s", s->journal.why), EXIT_FAILED;
    if (!done) {
        complain(manual, "interrupted after %ld of %ld cases%s%s%s", s->journal.records, journal_whole(head), file ? "; they are in " : "", file ? path : "",
                 file ? ", the same command goes on" : "");
        return EXIT_FAILED;
    }
    if (output && !shard && !write_table(s, &s->journal, 1, output, why))
        return complain(manual, "%s", why), EXIT_FAILED;
    s->ran = s->journal.records - before;
    s->beside = processor_seconds() - s->began + s->others - s->seconds;
    int status = report(s, shard ? path : output, &whole);
    journal_close(&s->journal, !shard && whole);        /* what it lacks can be had again at once */
    return status;
}

/* Another process than the first has nothing but its workers. */
static int help_study(struct study *s, const struct journal_head *head)
{
    bool done;
    s->journal.head = *head;
    s->began = processor_seconds();
    return study_run(s, &done) && done ? EXIT_OK : EXIT_FAILED;
}

/* Puts the records of all parts behind each other in one journal in memory order, as if one run had made them. */
static int merge_parts(struct study *s, struct journal_head *head)
{
    const struct settings *set = s->session->settings;
    const struct manual *manual = s->session->manual;
    char path[4096], why[512];
    int parts = 0, status = EXIT_FAILED;
    bool whole = false;
    if (!set->output || !strcmp(set->output, "-"))
        return complain(manual, "--merge needs the -o FILE that the parts were made with"), EXIT_USAGE;
    for (int n = 1; n <= 1000000 && !parts; n++) {       /* the first part tells how many there are */
        struct journal_head first = {.shard = 0, .shards = n};
        if (n <= head->cases && part_path(path, sizeof path, set->output, &first, true) && access(path, R_OK) == 0)
            parts = n;
    }
    if (!parts)
        return complain(manual, "there is no %s.1of... to merge: --shard 1/N makes it", set->output), EXIT_FAILED;
    struct journal *j = calloc((size_t)parts, sizeof *j);
    double *row = malloc((size_t)head->width * sizeof *row);
    bool good = j && row && journal_open(&s->journal, NULL, head);
    for (int i = 0; good && i < parts; i++) {
        struct journal_head part = {.shard = i, .shards = parts};
        part_path(path, sizeof path, set->output, &part, true);
        if (!(good = journal_read(&j[i], path)))
            complain(manual, "%s", j[i].why);
        else if (!(good = !strcmp(j[i].head.identity, head->identity) && j[i].head.width == head->width && j[i].head.shard == i && j[i].head.shards == parts))
            complain(manual, "%s is of another study (another model, plan or option)", path);
        else if (!(good = j[i].records == journal_whole(&j[i].head)))
            complain(manual, "%s has %ld of %ld cases: --shard %d/%d goes on with it", path, j[i].records, journal_whole(&j[i].head), i + 1, parts);
    }
    for (long k = 0; good && k < head->cases; k++)
        if (!(good = journal_get(&j[k % parts], k / parts, 1, row) && journal_add(&s->journal, row)))
            complain(manual, "%s", *s->journal.why ? s->journal.why : j[k % parts].why);
    if (good && !(good = write_table(s, &s->journal, 1, set->output, why)))
        complain(manual, "%s", why);
    if (good)
        status = report(s, set->output, &whole);
    for (int i = 0; j && i < parts; i++)
        journal_close(&j[i], whole);
    journal_close(&s->journal, false);
    free(j);
    free(row);
    return status;
}

/* What --batch asks for must be there: nothing slower in its place without a word. */
static bool batch_fits(const struct session *s)
{
    const char *method = mbs_method(s->sim);
    if (s->settings->batch <= 0)
        return true;
    if (!s->model->batch)
        complain(s->manual, "--batch needs a model in vectors: it is for .mbs files that the C compiler translates, not for --interpret or C files made without mbsc --batch");
    else if ((strcmp(method, "dop853") && strcmp(method, "dopri5") && strcmp(method, "halfexplicit")) || mbs_formulation(s->sim) == MBS_BAUMGARTE)
        complain(s->manual, "--batch is for the explicit methods dop853 and dopri5 (index1, projected) and for halfexplicit, not for %s %s: give --solver", method,
                 mbs_form_name(mbs_formulation(s->sim)));
    else if (!strcmp(method, "halfexplicit") && s->model->ng + s->model->nh && !s->model->batch->dynamics)
        complain(s->manual, "halfexplicit has no batches of this model, whose matrices are loops or call functions in C: --solver dop853 has");
    else if (!strcmp(method, "halfexplicit") && s->model->nq + s->model->ng + s->model->nh > 64)
        complain(s->manual, "halfexplicit has batches of up to 64 coordinates and constraints, the model has %d: --solver dop853 has",
                 s->model->nq + s->model->ng + s->model->nh);
    else
        return true;
    return false;
}

/* Process 0 speaks for all: what is wrong with a command is wrong for each of them. */
static bool everybody(const struct engine *e, bool good)
{
    return e ? e->agree(good) : good;
}

static int sweep(struct session *session, const struct engine *engine)
{
    const struct settings *set = session->settings;
    struct study s = {.session = session, .engine = engine, .workers = 1};
    struct journal_head head = {.shards = 1};
    struct plan_request request = {set->vary.at, set->vary.n, set->list, set->sampling, set->cases, set->seed > 0 ? (uint64_t)set->seed : 1};
    int status = EXIT_USAGE, ranks;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    bool placed = read_shard(set->shard, &head, &ranks), ready = false;
    if (!session_span(session) || !batch_fits(session) || ((!engine || !engine->rank) && !page_ready(session)))
        return everybody(engine, false), EXIT_USAGE;
    ranks = engine ? engine->ranks : ranks;
    /* where an engine starts several processes, it has given each of them its processor */
    s.workers = set->jobs > 0 ? (int)fmin((double)set->jobs, 1024) : processors > 0 && ranks == 1 ? (int)processors : 1;
    if (!placed && !strcmp(set->shard, "auto"))
        complain(session->manual, "--shard auto: neither mpirun nor srun nor an array of Slurm has started this (no OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_...)");
    else if (!placed)
        complain(session->manual, "--shard is I/N, the part I of 1 to N, or auto, not '%s'", set->shard);
    else if (!plan_init(&s.plan, session->model, session->params, &request))
        complain(session->manual, "%s", s.plan.why);
    else if (!measures_init(&s.measures, session, set->measure.at, set->measure.n))
        complain(session->manual, "%s", s.measures.why);
    else {
        head.width = study_width(&s);
        head.cases = s.plan.cases;
        identity(head.identity, &s);
        if (head.shard >= head.cases)
            complain(session->manual, "there are %ld cases, fewer than parts", head.cases);
        else
            ready = true;
    }
    if (everybody(engine, ready))
        status = set->merge ? merge_parts(&s, &head) : engine && engine->rank ? help_study(&s, &head) : run_study(&s, &head);
    journal_close(&s.journal, false);
    measures_fini(&s.measures);
    plan_fini(&s.plan);
    return status;
}

/* The engine that has started this process among others; false: it is there, but cannot be spoken to.  Only the first one speaks. */
static bool join_others(const struct settings *set, const struct engine **engine)
{
    char why[512];
    *engine = NULL;
    if (set->shard || set->merge || engine_ranks() == 1)
        return true;
    if (!(*engine = engine_open(why)))
        return complain(&manual_sweep, "%s", why), false;
    if ((*engine)->rank && (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout)))
        (*engine)->abort();
    return true;
}

int cmd_sweep(int argc, char **argv)
{
    struct settings set;
    struct session s;
    const struct engine *engine;
    int status;
    if (!settings_parse(&set, &manual_sweep, argc, argv, &status))
        return status;
    interrupt_watch();
    status = EXIT_FAILED;
    if (join_others(&set, &engine)) {
        set.among_others = engine != NULL;
        if (engine && engine->rank)
            engine->wait();                     /* until the first one has compiled the model */
        bool open = session_open(&s, &set, &manual_sweep);
        if (engine && !engine->rank)
            engine->wait();
        if (everybody(engine, open))
            status = sweep(&s, engine);
        if (open)
            session_close(&s);
        if (engine)
            engine->close();
    }
    settings_free(&set);
    return status;
}
