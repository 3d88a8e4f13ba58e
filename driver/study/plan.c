/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plans.  Every distribution is used through the inverse of its distribution function, so that one number of (0, 1) a factor and a
 * case is all that a sampling has to give: a hash of (seed, case, factor) for random ones; a Latin hypercube takes its stratum from
 * a permutation that is computed where it is asked for (a Feistel network, walked until it falls into the range), so that
 * a million cases need no table; Sobol's sequence is GSL's, turned by a random vector (Cranley and Patterson). */
#include "config.h"
#include "study/plan.h"
#include "settings.h"
#include "study/normal.h"

#ifdef HAVE_GSL
#include <gsl/gsl_qrng.h>
#endif
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const sampling_words[] = {"grid", "list", "random", "latin", "sobol", "indices", NULL};
enum { CASES_MOST = 1000000000, SOBOL_MOST = 40 };

static bool refuse(struct plan *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct plan *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(p->why, sizeof p->why, fmt, ap);
    va_end(ap);
    return false;
}

/* ---- spreads ---- */

/* Up to `most` numbers between separators; how many, -1 if something else stands there. */
static int numbers_read(const char *text, const char *end, char separator, double *x, int most)
{
    int n = 0;
    while (text <= end) {
        const char *stop = memchr(text, separator, (size_t)(end - text));
        char word[64];
        size_t length = (size_t)((stop ? stop : end) - text);
        if (n == most || length >= sizeof word)
            return -1;
        memcpy(word, text, length);
        word[length] = 0;
        if (!number_read(word, &x[n++]))
            return -1;
        text += length + 1;
    }
    return n;
}

static bool values_range(struct spread *s, double from, double to, double count)
{
    if (!(count >= 1 && count <= 1e6 && count == floor(count)) || !isfinite((to - from) * count))
        return false;
    s->values = (int)count;
    if (!(s->value = malloc((size_t)s->values * sizeof *s->value)))
        return false;
    for (int i = 0; i < s->values; i++)
        s->value[i] = s->values == 1 ? from : i == s->values - 1 ? to : from + (to - from) * i / (s->values - 1);
    return true;
}

static bool values_list(struct spread *s, const char *text)
{
    int most = 1;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    if (!(s->value = malloc((size_t)most * sizeof *s->value)))
        return false;
    s->values = numbers_read(text, text + strlen(text), ',', s->value, most);
    return s->values == most;
}

/* NAME(x, y, ...) */
static bool spread_named(struct spread *s, const char *text)
{
    static const struct { const char *name; enum spread_kind kind; int n; } known[] = {
        {"uniform", SPREAD_UNIFORM, 2}, {"normal", SPREAD_NORMAL, 2}, {"lognormal", SPREAD_LOGNORMAL, 2}, {"triangle", SPREAD_TRIANGLE, 3}};
    size_t length = strcspn(text, "("), whole = strlen(text);
    double x[3] = {0};
    if (text[length] != '(' || text[whole - 1] != ')')
        return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && !strncmp(text, known[i].name, length)) {
            if (numbers_read(text + length + 1, text + whole - 1, ',', x, 3) != known[i].n)
                return false;
            *s = (struct spread){.kind = known[i].kind, .a = x[0], .b = x[1], .c = x[2]};
            return true;
        }
    return false;
}

/* [MEAN]+-DEVIATION[%] */
static bool spread_around(struct spread *s, const char *text, const char *sign, double value)
{
    char word[64];
    size_t length = strlen(sign + 2);
    double mean = value, deviation;
    bool percent = length && sign[1 + length] == '%';
    if (sign > text && numbers_read(text, sign, '\n', &mean, 1) != 1)
        return false;
    if (length - percent >= sizeof word)
        return false;
    memcpy(word, sign + 2, length - percent);
    word[length - percent] = 0;
    if (!number_read(word, &deviation))
        return false;
    *s = (struct spread){.kind = SPREAD_NORMAL, .a = mean, .b = percent ? fabs(mean) * deviation / 100 : deviation};
    return true;
}

static bool spread_good(const struct spread *s)
{
    switch (s->kind) {
    case SPREAD_VALUES:
        return s->values > 0;
    case SPREAD_UNIFORM:
        return s->a <= s->b && isfinite(s->b - s->a);
    case SPREAD_NORMAL:
    case SPREAD_LOGNORMAL:
        return s->b >= 0;
    case SPREAD_TRIANGLE:
        return s->a <= s->b && s->b <= s->c && isfinite(s->c - s->a);
    }
    return false;
}

static bool spread_read(struct spread *s, const char *text, double value)
{
    const char *dots = strstr(text, ".."), *around = strstr(text, "+-");
    double x[3];
    *s = (struct spread){.kind = SPREAD_VALUES};
    if (strchr(text, '('))
        return spread_named(s, text) && spread_good(s);
    if (around)
        return spread_around(s, text, around, value) && spread_good(s);
    if (dots) {
        s->kind = SPREAD_UNIFORM;
        return numbers_read(text, dots, '\n', &s->a, 1) == 1 && numbers_read(dots + 2, text + strlen(text), '\n', &s->b, 1) == 1 && spread_good(s);
    }
    if (strchr(text, ':'))
        return numbers_read(text, text + strlen(text), ':', x, 3) == 3 && values_range(s, x[0], x[1], x[2]);
    return values_list(s, text) && spread_good(s);
}

static bool is_normal(const struct spread *s) { return s->kind == SPREAD_NORMAL || s->kind == SPREAD_LOGNORMAL; }

/* x deviations from the mean */
static double spread_normal(const struct spread *s, double x)
{
    return s->kind == SPREAD_NORMAL ? s->a + s->b * x : exp(s->a + s->b * x);
}

/* The value below which the part u of all values is. */
static double spread_at(const struct spread *s, double u)
{
    switch (s->kind) {
    case SPREAD_VALUES: {
        int k = (int)(u * s->values);
        return s->value[k < s->values ? k : s->values - 1];
    }
    case SPREAD_UNIFORM:
        return s->a + u * (s->b - s->a);
    case SPREAD_NORMAL:
    case SPREAD_LOGNORMAL:
        return spread_normal(s, normal_quantile(u));
    case SPREAD_TRIANGLE: {
        double width = s->c - s->a, left = s->b - s->a;
        if (!(width > 0))
            return s->a;
        return u * width < left ? s->a + sqrt(u * width * left) : s->c - sqrt((1 - u) * width * (s->c - s->b));
    }
    }
    return NAN;
}

/* ---- numbers of (0, 1) ---- */

static uint64_t mix(uint64_t x)         /* splitmix64 (Steele, Lea, Flood 2014) */
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}
static uint64_t hash_case(uint64_t seed, uint64_t i) { return mix(mix(seed) ^ i); }         /* what all factors of a case share */
static uint64_t hash(uint64_t seed, uint64_t i, uint64_t k) { return mix(hash_case(seed, i) ^ k); }
static double unit(uint64_t h) { return ((double)(h >> 11) + 0.5) * 0x1p-53; }

double plan_random(uint64_t seed, uint64_t i, uint64_t k) { return unit(hash(seed, i, k)); }

/* A permutation of 0 .. n-1 for each key. */
static uint64_t permuted(uint64_t i, uint64_t n, uint64_t key)
{
    int half = 1;
    while ((uint64_t)1 << 2 * half < n)
        half++;
    uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t next = left ^ (hash(key, round, right) & mask);
            left = right;
            right = next;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}

static void sobol_point(struct plan *p, long i)
{
#ifdef HAVE_GSL
    if (p->sobol_at > i + 1) {
        gsl_qrng_init(p->sobol);
        p->sobol_at = 0;
    }
    for (; p->sobol_at <= i; p->sobol_at++)
        gsl_qrng_get(p->sobol, p->point);
#else
    (void)p, (void)i;                   /* open_sobol() has refused */
#endif
}
static double shifted(const struct plan *p, int k)
{
    double u = p->point[k] + unit(hash(p->seed, 0x536f626f6cu, (uint64_t)k));
    u -= floor(u);
    return u > 0 ? u : 0x1p-54;
}

/* The number of factor k (of the second set from `factors` on) at point i, whose hash is known. */
static inline double number_at(struct plan *p, long i, uint64_t shared, int k)
{
    double random = unit(mix(shared ^ (uint64_t)k));
    if (p->sobol)
        return shifted(p, k);
    if (p->sampling == SAMPLING_LATIN)
        return ((double)permuted((uint64_t)i, (uint64_t)p->cases, hash(p->seed, 1, (uint64_t)k)) + random) / (double)p->cases;
    return random;
}

/* Factors with a normal distribution, whose quantiles are found together. */
struct normals {
    int n, factor[32];
    double u[32];
};

static void settle(const struct plan *p, struct normals *d, double *x)
{
    normal_quantiles(d->n, d->u);
    for (int j = 0; j < d->n; j++)
        x[d->factor[j]] = spread_normal(&p->factor[d->factor[j]].spread, d->u[j]);
    d->n = 0;
}

void plan_case(struct plan *p, long i, double *x)
{
    struct normals normals;
    int n = p->factors;
    long point = p->sampling == SAMPLING_INDICES ? i / (n + 2) : i, part = p->sampling == SAMPLING_INDICES ? i % (n + 2) : 0;
    uint64_t shared = hash_case(p->seed, (uint64_t)point);
    normals.n = 0;
    if (p->sobol)
        sobol_point(p, point);
    for (int k = n - 1; k >= 0; k--) {
        const struct spread *s = &p->factor[k].spread;
        bool second = part == 1 || part == k + 2;
        if (p->sampling == SAMPLING_GRID) {
            x[k] = s->value[i % s->values];     /* the last factor runs fastest */
            i /= s->values;
        } else if (p->sampling == SAMPLING_LIST) {
            x[k] = csv_get(&p->list, (int)i, p->column[k]);
        } else if (is_normal(s)) {
            normals.factor[normals.n] = k;
            normals.u[normals.n++] = number_at(p, point, shared, second ? n + k : k);
            if (normals.n == sizeof normals.u / sizeof *normals.u)
                settle(p, &normals, x);
        } else {
            x[k] = spread_at(s, number_at(p, point, shared, second ? n + k : k));
        }
    }
    settle(p, &normals, x);
}

/* ---- reading a plan ---- */

static bool add_factor(struct plan *p, const struct mbs_model *m, int param, const char *text, double value)
{
    struct factor *f = &p->factor[p->factors];
    *f = (struct factor){.param = param, .name = m->param[param].name};
    for (int i = 0; i < p->factors; i++)
        if (p->factor[i].param == param)
            return refuse(p, "the parameter %s varies twice", f->name);
    p->factors++;
    if (!text)
        return true;
    return spread_read(&f->spread, text, value)
           || refuse(p, "--vary %s=%.200s: after the name come values (1,2,5), FROM:TO:COUNT, FROM..TO, MEAN+-DEVIATION (+-1%% about the model's value), "
                        "uniform(FROM,TO), normal(MEAN,DEVIATION), lognormal(MEAN,DEVIATION) or triangle(FROM,PEAK,TO)", f->name, text);
}

static int param_find(const struct mbs_model *m, const char *name, size_t length)
{
    for (int i = 0; i < m->np; i++)
        if (strlen(m->param[i].name) == length && !strncmp(m->param[i].name, name, length))
            return i;
    return -1;
}

/* A parameter that the model itself calls uncertain. */
static bool add_own(struct plan *p, const struct mbs_model *m, int k, double value)
{
    char text[80];
    snprintf(text, sizeof text, "normal(%.17g,%.17g)", value, m->deviation[k]);
    return add_factor(p, m, k, text, value);
}

/* NAME=SPREAD; NAME alone: as the model says, and so do all that it calls uncertain where nothing is named; * stands for every parameter that is not zero and not named elsewhere. */
static bool read_vary(struct plan *p, const struct mbs_model *m, const double *value, const struct plan_request *r)
{
    const char *all = NULL;
    for (int i = 0; i < r->nvary; i++) {
        const char *text = r->vary[i], *eq = strchr(text, '=');
        if (!eq) {              /* as the model says */
            int k = param_find(m, text, strlen(text));
            if (k < 0 || !m->deviation || !(m->deviation[k] > 0))
                return refuse(p, k < 0 ? "--vary needs NAME=VALUES, not '%.200s'" : "the model gives no deviation of '%.200s': --vary NAME=VALUES", text);
            if (!add_own(p, m, k, value[k]))
                return false;
            continue;
        }
        if (eq == text + 1 && *text == '*') {
            all = eq + 1;
            continue;
        }
        int k = param_find(m, text, (size_t)(eq - text));
        if (k < 0)
            return refuse(p, "the model has no parameter '%.*s' (`mbs info` lists them)", (int)(eq - text < 100 ? eq - text : 100), text);
        if (!add_factor(p, m, k, eq + 1, value[k]))
            return false;
    }
    for (int k = 0; !r->nvary && m->deviation && k < m->np; k++)
        if (m->deviation[k] > 0 && !add_own(p, m, k, value[k]))
            return false;
    int named = p->factors;
    for (int k = 0; all && k < m->np; k++) {
        bool taken = value[k] == 0;
        for (int i = 0; i < named; i++)
            taken = taken || p->factor[i].param == k;
        if (!taken && !add_factor(p, m, k, all, value[k]))
            return false;
    }
    return true;
}

static bool read_list(struct plan *p, const struct mbs_model *m, const char *path)
{
    if (!csv_read(&p->list, path))
        return refuse(p, "%s", p->list.why);
    if (!(p->column = calloc((size_t)p->list.columns + 1, sizeof *p->column)))
        return refuse(p, "out of memory");
    for (int j = 0; j < p->list.columns; j++) {
        int k = param_find(m, p->list.name[j], csv_name_length(p->list.name[j]));
        if (k < 0)
            return refuse(p, "%.200s: the model has no parameter '%.100s'", path, p->list.name[j]);
        p->column[p->factors] = j;
        if (!add_factor(p, m, k, NULL, 0))
            return false;
        for (int i = 0; i < p->list.rows; i++)
            if (!isfinite(csv_get(&p->list, i, j)))
                return refuse(p, "%.200s: row %d has no number for %.100s", path, i + 1, p->list.name[j]);
    }
    p->cases = p->list.rows;
    return p->cases > 0 || refuse(p, "%.200s has no rows", path);
}

static bool read_sampling(struct plan *p, const struct plan_request *r)
{
    bool values = true;
    for (int i = 0; i < p->factors; i++)
        values = values && p->factor[i].spread.kind == SPREAD_VALUES;
    p->sampling = values ? SAMPLING_GRID : SAMPLING_RANDOM;
    if (r->sampling) {
        int k = 0;
        while (sampling_words[k] && strcmp(sampling_words[k], r->sampling))
            k++;
        if (!sampling_words[k] || k == SAMPLING_LIST)
            return refuse(p, "--sampling is grid, random, latin, sobol or indices, not '%.100s'", r->sampling);
        p->sampling = (enum sampling)k;
    }
    if (p->sampling != SAMPLING_GRID)
        return r->cases > 0 || refuse(p, "how many? --cases N says how many values are drawn");
    if (!values)
        return refuse(p, "a grid needs values for each parameter: NAME=1,2,5 or NAME=FROM:TO:COUNT");
    if (r->cases > 0)
        return refuse(p, "the number of cases of a grid follows from its values; --cases is for --sampling random, latin, sobol or indices");
    return true;
}

static bool count_cases(struct plan *p, const struct plan_request *r)
{
    double cases = p->sampling == SAMPLING_GRID ? 1 : (double)r->cases;
    for (int i = 0; i < p->factors && p->sampling == SAMPLING_GRID; i++)
        cases *= p->factor[i].spread.values;
    if (p->sampling == SAMPLING_INDICES)
        cases *= p->factors + 2;
    if (cases > CASES_MOST)
        return refuse(p, "%.3g cases are more than a study may have (%d)", cases, CASES_MOST);
    p->cases = (long)cases;
    return true;
}

static bool open_sobol(struct plan *p)
{
    int dimensions = p->sampling == SAMPLING_INDICES ? 2 * p->factors : p->factors;
    if (p->sampling == SAMPLING_INDICES && dimensions > SOBOL_MOST)
        return true;            /* then its points are random */
    if (dimensions > SOBOL_MOST)
        return refuse(p, "Sobol's sequence has %d dimensions at most, the plan %d: --sampling latin takes any number", SOBOL_MOST, dimensions);
#ifdef HAVE_GSL
    p->sobol = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)dimensions);
    return p->sobol || refuse(p, "out of memory");
#else
    return refuse(p, "this mbs was built without the GNU Scientific Library, which has Sobol's sequence: --sampling latin does without");
#endif
}

bool plan_init(struct plan *p, const struct mbs_model *m, const double *value, const struct plan_request *r)
{
    *p = (struct plan){.seed = r->seed, .factor = calloc((size_t)m->np + 1, sizeof(struct factor)), .point = calloc(2 * (size_t)m->np + 1, sizeof(double))};
    if (!p->factor || !p->point)
        return refuse(p, "out of memory");
    if (r->list && (r->nvary || r->sampling || r->cases > 0))
        return refuse(p, "a list of cases has its values and their number: --list goes without --vary, --sampling and --cases");
    if (r->list) {
        p->sampling = SAMPLING_LIST;
        return read_list(p, m, r->list);
    }
    if (!read_vary(p, m, value, r))
        return false;
    if (!p->factors)
        return refuse(p, "what varies? --vary NAME=VALUES, --vary NAME=FROM..TO, --vary NAME=+-1%%, --list FILE.csv, or in the model `param l = 0.3 +- 0.01`");
    if (!read_sampling(p, r) || !count_cases(p, r))
        return false;
    return (p->sampling != SAMPLING_SOBOL && p->sampling != SAMPLING_INDICES) || open_sobol(p);
}

void plan_fini(struct plan *p)
{
    for (int i = 0; i < p->factors; i++)
        free(p->factor[i].spread.value);
#ifdef HAVE_GSL
    if (p->sobol)
        gsl_qrng_free(p->sobol);
#endif
    csv_free(&p->list);
    free(p->column);
    free(p->factor);
    free(p->point);
    *p = (struct plan){0};
}
