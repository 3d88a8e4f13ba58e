/* SPDX-License-Identifier: MIT
 *
 * The functions of the Functional Mock-up Interface 2.0 over an instance of fmu.h (FMI specification 2.0.4, sections 2.1, 3.2, 4.2). */
#include "fmu/fmu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void *fmi2Component;
typedef void *fmi2FMUstate;
typedef unsigned fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef struct {
    void (*logger)(void *environment, fmi2String instance, fmi2Status, fmi2String category, fmi2String message, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*step_finished)(void *, fmi2Status);
    void *environment;
} fmi2CallbackFunctions;
typedef struct {
    fmi2Boolean new_discrete_states_needed, terminate_simulation, nominals_of_continuous_states_changed, values_of_continuous_states_changed,
        next_event_time_defined;
    fmi2Real next_event_time;
} fmi2EventInfo;

#ifdef _WIN32
#define FMI __declspec(dllexport)
#else
#define FMI __attribute__((visibility("default")))
#endif

struct instance {
    struct fmu *fmu;
    fmi2CallbackFunctions call;
    char *name;
};

static void on_log(void *user, enum fmu_log level, const char *text)
{
    struct instance *i = user;

    if (i->call.logger)
        i->call.logger(i->call.environment, i->name, level == FMU_LOG_ERROR ? fmi2Error : fmi2Warning,
                       level == FMU_LOG_ERROR ? "logStatusError" : "logStatusWarning", "%s", text);
}
static fmi2Status status_of(int failed) { return failed ? fmi2Error : fmi2OK; }
static struct fmu *fmu_of(fmi2Component c) { return ((struct instance *)c)->fmu; }

FMI const char *fmi2GetTypesPlatform(void) { return "default"; }
FMI const char *fmi2GetVersion(void) { return "2.0"; }
FMI fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String category[])
{
    (void)c, (void)on, (void)n, (void)category;         /* nothing but warnings and errors is ever logged */
    return fmi2OK;
}

FMI void fmi2FreeInstance(fmi2Component c)
{
    struct instance *i = c;

    if (!i)
        return;
    fmu_free(i->fmu);
    free(i->name);
    free(i);
}

FMI fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions *call,
                                  fmi2Boolean visible, fmi2Boolean logging)
{
    struct instance *i = calloc(1, sizeof *i);

    (void)resources, (void)visible, (void)logging;
    if (!i)
        return NULL;
    if (call)
        i->call = *call;
    i->name = malloc(strlen(name ? name : "") + 1);
    if (i->name)
        strcpy(i->name, name ? name : "");
    if (!guid || strcmp(guid, fmu_token))
        on_log(i, FMU_LOG_ERROR, "the GUID is not that of this binary: modelDescription.xml belongs to another one");
    else
        i->fmu = fmu_new(type == fmi2CoSimulation, on_log, i);
    if (i->name && i->fmu)
        return i;
    fmi2FreeInstance(i);
    return NULL;
}

FMI fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    (void)has_stop, (void)stop;
    return status_of(fmu_start_at(fmu_of(c), start, has_tolerance ? tolerance : 0));
}
FMI fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    fmu_of(c)->mode = FMU_INITIALIZE;
    return fmi2OK;
}
FMI fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    struct fmu *f = fmu_of(c);

    if (fmu_initialize(f))
        return fmi2Error;
    f->mode = f->co_simulation ? FMU_STEP : FMU_EVENT;
    return fmi2OK;
}
FMI fmi2Status fmi2Terminate(fmi2Component c)
{
    fmu_of(c)->mode = FMU_ENDED;
    return fmi2OK;
}
FMI fmi2Status fmi2Reset(fmi2Component c) { return status_of(fmu_reset(fmu_of(c))); }

FMI fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real value[]) { return status_of(fmu_get(fmu_of(c), n, r, value)); }
FMI fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real value[])
{
    return status_of(fmu_set(fmu_of(c), n, r, value));
}

/* All variables are real. */
#define NONE(type, name)                                                                                             \
    FMI fmi2Status fmi2Get##name(fmi2Component c, const fmi2ValueReference r[], size_t n, type value[])               \
    {                                                                                                                \
        (void)c, (void)r, (void)value;                                                                               \
        return status_of(n > 0);                                                                                     \
    }                                                                                                                \
    FMI fmi2Status fmi2Set##name(fmi2Component c, const fmi2ValueReference r[], size_t n, const type value[])         \
    {                                                                                                                \
        (void)c, (void)r, (void)value;                                                                               \
        return status_of(n > 0);                                                                                     \
    }
NONE(fmi2Integer, Integer)
NONE(fmi2Boolean, Boolean)
NONE(fmi2String, String)

FMI fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    if (!*state)
        *state = malloc(fmu_state_size(fmu_of(c)) * sizeof(double));
    if (!*state)
        return fmi2Error;
    fmu_state_get(fmu_of(c), *state);
    return fmi2OK;
}
FMI fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) { return status_of(fmu_state_set(fmu_of(c), state)); }
FMI fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}
FMI fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)state;
    *size = fmu_state_size(fmu_of(c)) * sizeof(double);
    return fmi2OK;
}
FMI fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    if (size < fmu_state_size(fmu_of(c)) * sizeof(double))
        return fmi2Error;
    memcpy(bytes, state, fmu_state_size(fmu_of(c)) * sizeof(double));
    return fmi2OK;
}
FMI fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    if (size != fmu_state_size(fmu_of(c)) * sizeof(double))
        return fmi2Error;
    if (!*state)
        *state = malloc(size);
    if (!*state)
        return fmi2Error;
    memcpy(*state, bytes, size);
    return fmi2OK;
}
FMI fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t nz, const fmi2ValueReference known[], size_t nv,
                                            const fmi2Real dv[], fmi2Real jv[])
{
    return status_of(fmu_directional(fmu_of(c), nz, unknown, nv, known, dv, jv));
}

/* ---- Model Exchange ---- */

FMI fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    fmu_of(c)->mode = FMU_EVENT;
    return fmi2OK;
}
FMI fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    int ends;
    double next;

    memset(info, 0, sizeof *info);
    if (fmu_event(fmu_of(c), &ends, &next))
        return fmi2Error;
    info->terminate_simulation = ends;
    info->next_event_time_defined = next < HUGE_VAL;
    info->next_event_time = info->next_event_time_defined ? next : 0;
    info->values_of_continuous_states_changed = fmu_of(c)->moved;
    fmu_of(c)->moved = 0;
    return fmi2OK;
}
FMI fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    fmu_of(c)->mode = FMU_CONTINUOUS;
    return fmi2OK;
}
FMI fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean final, fmi2Boolean *enter_event_mode, fmi2Boolean *terminate)
{
    (void)final;
    *enter_event_mode = *terminate = 0;
    if (fmu_complete_step(fmu_of(c)))
        return fmi2Error;
    *enter_event_mode = fmu_of(c)->moved;
    return fmi2OK;
}
FMI fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t)
{
    fmu_set_time(fmu_of(c), t);
    return fmi2OK;
}
FMI fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    if (n != (size_t)fmu_of(c)->nx)
        return fmi2Error;
    fmu_set_states(fmu_of(c), x);
    return fmi2OK;
}
FMI fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    if (n != (size_t)fmu_of(c)->nx)
        return fmi2Error;
    memcpy(x, fmu_of(c)->x, n * sizeof *x);
    return fmi2OK;
}
FMI fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real rate[], size_t n)
{
    if (n != (size_t)fmu_of(c)->nx)
        return fmi2Error;
    if (fmu_rates(fmu_of(c)))
        return fmi2Discard;             /* a smaller step may help */
    memcpy(rate, fmu_of(c)->rate, n * sizeof *rate);
    return fmi2OK;
}
FMI fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicator[], size_t n)
{
    return status_of(n != (size_t)fmu_of(c)->guards || fmu_indicators(fmu_of(c), indicator));
}
FMI fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    return fmi2OK;
}

/* ---- Co-Simulation ---- */

FMI fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer order[], const fmi2Real value[])
{
    for (size_t k = 0; k < n; k++)
        if (fmu_set_input_rate(fmu_of(c), r[k], order[k], value[k]))
            return fmi2Error;
    return fmi2OK;
}
FMI fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer order[], fmi2Real value[])
{
    (void)c, (void)r, (void)order, (void)value;
    return status_of(n > 0);
}
FMI fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean final)
{
    (void)final;
    if (fmu_step(fmu_of(c), t, h))
        return fmi2Error;
    return fmu_of(c)->stopped ? fmi2Discard : fmu_of(c)->warned ? fmi2Warning : fmi2OK;     /* GetBooleanStatus tells why, GetRealStatus when */
}
FMI fmi2Status fmi2CancelStep(fmi2Component c)
{
    (void)c;
    return fmi2Error;
}
FMI fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}
FMI fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    if (kind != fmi2LastSuccessfulTime)
        return fmi2Discard;
    *value = fmu_of(c)->t;
    return fmi2OK;
}
FMI fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}
FMI fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (kind != fmi2Terminated)
        return fmi2Discard;
    *value = fmu_of(c)->stopped;
    return fmi2OK;
}
FMI fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}
