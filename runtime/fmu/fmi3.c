/* SPDX-License-Identifier: MIT
 *
 * The functions of the Functional Mock-up Interface 3.0 over an instance of fmu.h (FMI specification 3.0.1, sections 2.2, 3, 4). */
#include "fmu/fmu.h"

#include <stdbool.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef double fmi3Float64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef void (*fmi3LogMessage)(fmi3InstanceEnvironment, fmi3Status, fmi3String category, fmi3String message);
typedef void (*fmi3IntermediateUpdate)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean *, fmi3Float64 *);

#ifdef _WIN32
#define FMI __declspec(dllexport)
#else
#define FMI __attribute__((visibility("default")))
#endif

struct instance {
    struct fmu *fmu;
    fmi3LogMessage log;
    fmi3InstanceEnvironment environment;
    bool event_mode_used, may_return_early, configuring;
};

static void on_log(void *user, enum fmu_log level, const char *text)
{
    struct instance *i = user;

    if (i->log)
        i->log(i->environment, level == FMU_LOG_ERROR ? fmi3Error : fmi3Warning, level == FMU_LOG_ERROR ? "logStatusError" : "logStatusWarning", text);
}
static fmi3Status status_of(int failed) { return failed ? fmi3Error : fmi3OK; }
static struct fmu *fmu_of(fmi3Instance c) { return ((struct instance *)c)->fmu; }

FMI const char *fmi3GetVersion(void) { return "3.0"; }
FMI fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String category[])
{
    (void)c, (void)on, (void)n, (void)category;         /* nothing but warnings and errors is ever logged */
    return fmi3OK;
}

FMI void fmi3FreeInstance(fmi3Instance c)
{
    struct instance *i = c;

    if (!i)
        return;
    fmu_free(i->fmu);
    free(i);
}

static fmi3Instance instantiate(fmi3String token, int co_simulation, fmi3InstanceEnvironment environment, fmi3LogMessage log)
{
    struct instance *i = calloc(1, sizeof *i);

    if (!i)
        return NULL;
    i->log = log;
    i->environment = environment;
    if (!token || strcmp(token, fmu_token))
        on_log(i, FMU_LOG_ERROR, "the instantiation token is not that of this binary: modelDescription.xml belongs to another one");
    else
        i->fmu = fmu_new(co_simulation, on_log, i);
    if (i->fmu)
        return i;
    fmi3FreeInstance(i);
    return NULL;
}
FMI fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
                                              fmi3InstanceEnvironment environment, fmi3LogMessage log)
{
    (void)name, (void)resources, (void)visible, (void)logging;
    return instantiate(token, 0, environment, log);
}
FMI fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
                                             fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed, const fmi3ValueReference intermediate[],
                                             size_t n, fmi3InstanceEnvironment environment, fmi3LogMessage log, fmi3IntermediateUpdate update)
{
    struct instance *i = instantiate(token, 1, environment, log);

    (void)name, (void)resources, (void)visible, (void)logging, (void)intermediate, (void)n, (void)update;
    if (i) {
        i->event_mode_used = event_mode_used;
        i->may_return_early = early_return_allowed;
    }
    return i;
}
FMI fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
                                                   fmi3InstanceEnvironment environment, fmi3LogMessage log, void (*clock)(void), void (*lock)(void),
                                                   void (*unlock)(void))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock, (void)unlock;
    if (log)
        log(environment, fmi3Error, "logStatusError", "this FMU has no clocks: Scheduled Execution is not offered");
    return NULL;
}

FMI fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean has_stop,
                                           fmi3Float64 stop)
{
    (void)has_stop, (void)stop;
    if (fmu_start_at(fmu_of(c), start, has_tolerance ? tolerance : 0))
        return fmi3Error;
    fmu_of(c)->mode = FMU_INITIALIZE;
    return fmi3OK;
}
FMI fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    struct instance *i = c;

    if (fmu_initialize(i->fmu))
        return fmi3Error;
    i->fmu->mode = i->fmu->co_simulation && !i->event_mode_used ? FMU_STEP : FMU_EVENT;
    return fmi3OK;
}
#define MODE(name, to)                                                                                               \
    FMI fmi3Status fmi3##name(fmi3Instance c)                                                                         \
    {                                                                                                                \
        fmu_of(c)->mode = to;                                                                                        \
        return fmi3OK;                                                                                               \
    }
MODE(EnterEventMode, FMU_EVENT)
MODE(EnterStepMode, FMU_STEP)
MODE(Terminate, FMU_ENDED)
FMI fmi3Status fmi3Reset(fmi3Instance c)
{
    ((struct instance *)c)->configuring = false;
    return status_of(fmu_reset(fmu_of(c)));
}
FMI fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { return status_of(fmu_continuous(fmu_of(c))); }
/* The one structural parameter is the switch to DAE mode. */
FMI fmi3Status fmi3EnterConfigurationMode(fmi3Instance c)
{
    struct instance *i = c;

    if (i->fmu->mode != FMU_SET_UP && i->fmu->mode != FMU_EVENT)
        return fmi3Error;
    i->configuring = true;
    return fmi3OK;
}
FMI fmi3Status fmi3ExitConfigurationMode(fmi3Instance c)
{
    struct instance *i = c;

    i->configuring = false;
    return fmi3OK;
}
FMI fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Boolean value[], size_t nvalues)
{
    for (size_t k = 0; k < n && nvalues == n; k++) {
        if (r[k] != fmu_of(c)->at.dae)
            return fmi3Error;
        value[k] = fmu_of(c)->dae;
    }
    return status_of(nvalues != n);
}
FMI fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Boolean value[], size_t nvalues)
{
    struct instance *i = c;

    for (size_t k = 0; k < n && nvalues == n; k++) {
        if (r[k] != i->fmu->at.dae)
            return fmi3Error;
        if (!i->configuring)
            return fmu_complain(i->fmu, "DAE mode is switched in Configuration Mode"), fmi3Error;
        if (fmu_set_dae(i->fmu, value[k]))
            return fmi3Error;
    }
    return status_of(nvalues != n);
}

FMI fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 value[], size_t nvalues)
{
    return status_of(nvalues != n || fmu_get(fmu_of(c), n, r, value));
}
FMI fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Float64 value[], size_t nvalues)
{
    return status_of(nvalues != n || fmu_set(fmu_of(c), n, r, value));
}
/* All other variables are Float64. */
#define NONE(type, name)                                                                                             \
    FMI fmi3Status fmi3Get##name(fmi3Instance c, const fmi3ValueReference r[], size_t n, type value[], size_t nvalues) \
    {                                                                                                                \
        (void)c, (void)r, (void)value, (void)nvalues;                                                                \
        return status_of(n > 0);                                                                                     \
    }                                                                                                                \
    FMI fmi3Status fmi3Set##name(fmi3Instance c, const fmi3ValueReference r[], size_t n, const type value[], size_t nvalues) \
    {                                                                                                                \
        (void)c, (void)r, (void)value, (void)nvalues;                                                                \
        return status_of(n > 0);                                                                                     \
    }
NONE(float, Float32)
NONE(int8_t, Int8)
NONE(uint8_t, UInt8)
NONE(int16_t, Int16)
NONE(uint16_t, UInt16)
NONE(int32_t, Int32)
NONE(uint32_t, UInt32)
NONE(int64_t, Int64)
NONE(uint64_t, UInt64)
NONE(fmi3String, String)
FMI fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference r[], size_t n, size_t sizes[], const uint8_t *values[], size_t nvalues)
{
    (void)c, (void)r, (void)sizes, (void)values, (void)nvalues;
    return status_of(n > 0);
}
FMI fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference r[], size_t n, const size_t sizes[], const uint8_t *const values[], size_t nvalues)
{
    (void)c, (void)r, (void)sizes, (void)values, (void)nvalues;
    return status_of(n > 0);
}
FMI fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Boolean value[])
{
    (void)c, (void)r, (void)value;
    return status_of(n > 0);
}
FMI fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Boolean value[])
{
    (void)c, (void)r, (void)value;
    return status_of(n > 0);
}
/* Dependencies do not change: those of modelDescription.xml hold. */
FMI fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference r, size_t *n)
{
    (void)c, (void)r, (void)n;
    return fmi3Error;
}
FMI fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference dependent, size_t element[], fmi3ValueReference independent[],
                                           size_t element2[], int kind[], size_t n)
{
    (void)c, (void)dependent, (void)element, (void)independent, (void)element2, (void)kind, (void)n;
    return fmi3Error;
}
#define CLOCK(name, ...)                                                                                             \
    FMI fmi3Status fmi3##name(fmi3Instance c, const fmi3ValueReference r[], size_t n, __VA_ARGS__)
CLOCK(GetIntervalDecimal, fmi3Float64 interval[], int qualifier[]) { (void)c, (void)r, (void)interval, (void)qualifier; return status_of(n > 0); }
CLOCK(GetIntervalFraction, uint64_t counter[], uint64_t resolution[], int qualifier[])
{
    (void)c, (void)r, (void)counter, (void)resolution, (void)qualifier;
    return status_of(n > 0);
}
CLOCK(GetShiftDecimal, fmi3Float64 shift[]) { (void)c, (void)r, (void)shift; return status_of(n > 0); }
CLOCK(GetShiftFraction, uint64_t counter[], uint64_t resolution[]) { (void)c, (void)r, (void)counter, (void)resolution; return status_of(n > 0); }
CLOCK(SetIntervalDecimal, const fmi3Float64 interval[]) { (void)c, (void)r, (void)interval; return status_of(n > 0); }
CLOCK(SetIntervalFraction, const uint64_t counter[], const uint64_t resolution[])
{
    (void)c, (void)r, (void)counter, (void)resolution;
    return status_of(n > 0);
}
CLOCK(SetShiftDecimal, const fmi3Float64 shift[]) { (void)c, (void)r, (void)shift; return status_of(n > 0); }
CLOCK(SetShiftFraction, const uint64_t counter[], const uint64_t resolution[]) { (void)c, (void)r, (void)counter, (void)resolution; return status_of(n > 0); }
FMI fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 t)
{
    (void)c, (void)clock, (void)t;
    return fmi3Error;
}

FMI fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    if (!*state)
        *state = malloc(fmu_state_size(fmu_of(c)) * sizeof(double));
    if (!*state)
        return fmi3Error;
    fmu_state_get(fmu_of(c), *state);
    return fmi3OK;
}
FMI fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) { return status_of(fmu_state_set(fmu_of(c), state)); }
FMI fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi3OK;
}
FMI fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    (void)state;
    *size = fmu_state_size(fmu_of(c)) * sizeof(double);
    return fmi3OK;
}
FMI fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, uint8_t bytes[], size_t size)
{
    if (size < fmu_state_size(fmu_of(c)) * sizeof(double))
        return fmi3Error;
    memcpy(bytes, state, fmu_state_size(fmu_of(c)) * sizeof(double));
    return fmi3OK;
}
FMI fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const uint8_t bytes[], size_t size, fmi3FMUState *state)
{
    if (size != fmu_state_size(fmu_of(c)) * sizeof(double))
        return fmi3Error;
    if (!*state)
        *state = malloc(size);
    if (!*state)
        return fmi3Error;
    memcpy(*state, bytes, size);
    return fmi3OK;
}
FMI fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknown[], size_t nz, const fmi3ValueReference known[], size_t nv,
                                            const fmi3Float64 seed[], size_t nseed, fmi3Float64 value[], size_t nvalue)
{
    return status_of(nseed != nv || nvalue != nz || fmu_directional(fmu_of(c), nz, unknown, nv, known, seed, value));
}
FMI fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknown[], size_t nz, const fmi3ValueReference known[], size_t nv,
                                        const fmi3Float64 seed[], size_t nseed, fmi3Float64 value[], size_t nvalue)
{
    return status_of(nseed != nz || nvalue != nv || fmu_adjoint(fmu_of(c), nz, unknown, nv, known, seed, value));
}

/* ---- Model Exchange ---- */

FMI fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}
FMI fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *needs_update, fmi3Boolean *terminate, fmi3Boolean *nominals_changed,
                                        fmi3Boolean *states_changed, fmi3Boolean *next_event_defined, fmi3Float64 *next_event)
{
    int ends = 0;
    double next = HUGE_VAL;

    *needs_update = *nominals_changed = false;
    if (!fmu_of(c)->co_simulation && fmu_event(fmu_of(c), &ends, &next))
        return fmi3Error;
    *terminate = ends;
    *next_event_defined = next < HUGE_VAL;
    *next_event = *next_event_defined ? next : 0;
    *states_changed = fmu_of(c)->moved;
    fmu_of(c)->moved = 0;
    return fmi3OK;
}
FMI fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean final, fmi3Boolean *enter_event_mode, fmi3Boolean *terminate)
{
    (void)final;
    *enter_event_mode = *terminate = false;
    if (fmu_complete_step(fmu_of(c)))
        return fmi3Error;
    *enter_event_mode = fmu_of(c)->moved;
    return fmi3OK;
}
FMI fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t)
{
    fmu_set_time(fmu_of(c), t);
    return fmi3OK;
}
FMI fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n)
{
    if (n != (size_t)fmu_of(c)->nx)
        return fmi3Error;
    fmu_set_states(fmu_of(c), x);
    return fmi3OK;
}
FMI fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    if (n != (size_t)fmu_of(c)->nx)
        return fmi3Error;
    memcpy(x, fmu_of(c)->x, n * sizeof *x);
    return fmi3OK;
}
FMI fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 rate[], size_t n)
{
    if (n != (size_t)fmu_of(c)->nx)
        return fmi3Error;
    if (fmu_rates(fmu_of(c)))
        return fmi3Discard;             /* a smaller step may help */
    memcpy(rate, fmu_of(c)->rate, n * sizeof *rate);
    return fmi3OK;
}
FMI fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 indicator[], size_t n)
{
    return status_of(n != (size_t)fmu_of(c)->guards || fmu_indicators(fmu_of(c), indicator));
}
FMI fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    return fmi3OK;
}
FMI fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n)
{
    *n = (size_t)fmu_of(c)->guards;
    return fmi3OK;
}
FMI fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n)
{
    *n = (size_t)fmu_of(c)->nx;
    return fmi3OK;
}

/* ---- Co-Simulation ---- */

FMI fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference r[], size_t n, const int32_t order[], fmi3Float64 value[], size_t nvalues)
{
    (void)c, (void)r, (void)order, (void)value, (void)nvalues;
    return status_of(n > 0);
}
FMI fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean final, fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early,
                          fmi3Float64 *last)
{
    int failed = fmu_step(fmu_of(c), t, h);

    (void)final;
    *event = false;
    *terminate = fmu_of(c)->stopped;
    *early = *terminate && ((struct instance *)c)->may_return_early && fmu_of(c)->t < t + h;
    *last = fmu_of(c)->t;
    return failed ? fmi3Error : fmu_of(c)->warned ? fmi3Warning : fmi3OK;
}
