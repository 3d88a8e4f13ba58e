# SPDX-License-Identifier: GPL-3.0-or-later
# RADAU5 and DASPK through R's deSolve, with the compiled model of desolve.c:
#
#     Rscript desolve.R MODEL.so START REFERENCE FORM SOLVER OUT TOLERANCE...
#
# SOLVER is radau or daspk (FORM index3, index2, index1, ggl), or radau-ode (FORM index1).  daspk-loose: the multipliers with a
# large absolute tolerance instead of deSolve's scaling by the index of a variable.  Lines "tolerance,scd,ms,steps,f,jac,remark"
# go to OUT.  ms is the processor time of a call without what the same call takes for a vanishing interval: R's checks of arguments
# and results are not the integrator's.
suppressMessages(library(deSolve))
arg <- commandArgs(trailingOnly = TRUE)
dyn.load(arg[1])
dll <- sub("\\.so$", "", basename(arg[1]))
form <- arg[4]; solver <- arg[5]; out <- arg[6]; tolerances <- arg[-(1:6)]
most <- as.integer(Sys.getenv("RUNS", "20"))

opened <- .C("peer_open", arg[2], arg[3], form, sizes = integer(5), end = double(1))
stopifnot(opened$sizes[1] == 1)
n <- opened$sizes[2]; m <- opened$sizes[3]; order <- opened$sizes[4]; full <- opened$sizes[5]
start <- .C("peer_start", implicit = double(order), derivative = double(order), full = double(full))
clock <- function() .C("peer_clock", double(1))[[1]]
count <- function() .C("peer_count", integer(2))[[1]]

# How many variables are of index 1, 2 and 3.
indices <- function(size) switch(form, index3 = c(n, n, size - 2*n), index1 = c(size, 0, 0), c(2*n, size - 2*n, 0))

integrate <- function(tolerance, to) {
    times <- c(0, to)
    if (solver == "radau-ode")
        radau(start$full[1:(2*n)], times, "peer_ode", NULL, rtol = tolerance, atol = tolerance, jacfunc = "peer_ode_jacobian",
              jactype = "fullusr", maxsteps = 100000, dllname = dll, initfunc = NULL)
    else if (solver == "radau")
        radau(start$full, times, "peer_full", NULL, nind = indices(full), rtol = tolerance, atol = tolerance,
              jacfunc = "peer_full_jacobian", jactype = "fullusr", mass = matrix(c(rep(1, 2*n), rep(0, full - 2*n)), nrow = 1),
              massup = 0, massdown = 0, maxsteps = 100000, dllname = dll, initfunc = NULL)
    else {
        loose <- solver == "daspk-loose"
        daspk(start$implicit, times, parms = NULL, dy = start$derivative, res = "peer_residual", jacres = "peer_iteration",
              jactype = "fullusr", nind = if (loose) c(order, 0, 0) else indices(order), rtol = tolerance,
              atol = if (loose) c(rep(tolerance, 2*n), rep(1e10, order - 2*n)) else tolerance,
              maxsteps = 100000, dllname = dll, initfunc = NULL)
    }
}

# The call, its warnings instead of printing them, and its processor time.
timed <- function(tolerance, to) {
    said <- character(0)
    count()
    begin <- clock()
    result <- tryCatch(withCallingHandlers(integrate(tolerance, to), warning = function(w) {
        said <<- c(said, conditionMessage(w))
        invokeRestart("muffleWarning")
    }), error = function(e) { said <<- c(said, conditionMessage(e)); NULL })
    list(ms = 1e3*(clock() - begin), result = result, said = said, count = count())
}

for (text in tolerances) {
    tolerance <- as.numeric(text)
    call <- min(sapply(1:3, function(i) timed(tolerance, 1e-9*opened$end)$ms))
    ms <- Inf; spent <- 0; runs <- 0
    while (runs < 1 || (spent < 50 && runs < most)) {
        run <- timed(tolerance, opened$end)
        ms <- min(ms, run$ms); spent <- spent + run$ms; runs <- runs + 1
        last <- run$result
        good <- !is.null(last) && nrow(last) == 2 && last[2, 1] == opened$end && all(is.finite(last[2, ])) && length(run$said) == 0
        if (!good)
            break
    }
    if (good) {
        y <- unname(last[2, -1])
        at <- if (solver == "radau") 3*n else 2*n
        lambda <- if (solver == "radau-ode") double(m) else y[at + 1:m]
        scd <- .C("peer_scd", y[1:n], y[n + 1:n], lambda, as.integer(solver != "radau-ode"), scd = double(1))$scd
        steps <- attr(last, "istate")[2]
        line <- sprintf("%s,%.3f,%.4f,%d,%d,%d,", text, scd, max(ms - call, 1e-3), steps, run$count[1], run$count[2])
    } else {
        why <- gsub("[,\n]+", ";", paste(c(run$said, "no result")[1], collapse = " "))
        line <- sprintf("%s,,,,%d,%d,failed: %s", text, run$count[1], run$count[2], why)
    }
    cat(line, "\n", sep = "", file = out, append = TRUE)
}
