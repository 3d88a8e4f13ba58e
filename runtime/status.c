/* SPDX-License-Identifier: MIT
 *
 * Statuses in words, names of the formulations, and the one place where messages are written. */
#include "methods/method.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *mbs_status_text(int status)
{
    switch (status) {
    case MBS_OK:
        return "success";
    case MBS_EVENT:
        return "stopped at an event";
    case MBS_CANCELLED:
        return "cancelled";
    case MBS_MAX_STEPS:
        return "maximum number of steps reached";
    case MBS_DOUBTFUL:
        return "the results are doubtful";
    case MBS_NO_MEMORY:
        return "out of memory";
    case MBS_BAD_ARGUMENT:
        return "bad argument";
    case MBS_UNAVAILABLE:
        return "method not available";
    case MBS_NAN:
        return "the model returned a value that is not finite";
    case MBS_SINGULAR:
        return "singular mass matrix";
    case MBS_INCONSISTENT:
        return "constraints cannot be met";
    case MBS_UNDERFLOW:
        return "step size underflow";
    case MBS_ENDLESS:
        return "events without end";
    case MBS_DRIFT:
        return "constraints or energy have left what the tolerances promise";
    case MBS_NO_CONVERGENCE:
        return "no convergence";
    default:
        return "unknown status";
    }
}

const char *mbs_form_name(enum mbs_form form)
{
    static const char *const name[MBS_FORMS] = { "index3", "index2", "index1", "ggl", "baumgarte", "projected" };

    return (unsigned)form < MBS_FORMS ? name[form] : "unknown";
}

void mbs_clear(struct mbs_message *msg, double t)
{
    msg->status = 0;
    msg->t = t;
    msg->coord = msg->constraint = -1;
    msg->text[0] = '\0';
}

int mbs_fail(struct mbs_message *msg, int status, double t, int coord, int constraint, const char *fmt, ...)
{
    va_list ap;

    if (msg) {
        msg->status = status;
        msg->t = t;
        msg->coord = coord;
        msg->constraint = constraint;
        va_start(ap, fmt);
        vsnprintf(msg->text, sizeof msg->text, fmt, ap);
        va_end(ap);
    }
    return status;
}
