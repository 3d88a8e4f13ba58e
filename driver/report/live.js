/* SPDX-License-Identifier: 0BSD
   The model itself in the page (`mbs report --live`): its programs, as mbsc writes them for the interpreter, become JavaScript functions; a small integrator
   runs them again when a slider moves.  Dormand and Prince's method of order 5 (Hairer, Norsett, Wanner, Solving ODEs I, table II.5.2) with steps that meet
   every sample, so that nothing is interpolated; constraints at acceleration level, and after every step positions and velocities are
   brought back onto them in the norm of the masses. */
const live = (function () {
  if (!D.live) return null;
  const L = D.live, lists = {};
  /* lists begin a line; titles and names of the model, which may look like one, never do */
  for (const m of L.tapes.matchAll(/^static const (?:int|double|char \*const) (\w+)\[\] = \{([^}]*)\}/gm))
    lists[m[1]] = JSON.parse("[" + m[2].replace(/[\n\t]/g, " ").replace(/\bNAN\b/g, "null").replace(/\bINFINITY\b/g, "1e999") + "]");
  const { nq, nz, nu, ny, np, nc, ng, nh, npoint } = L, nl = ng + nh, sign = x => (x > 0) - (x < 0);
  const column = n => new Float64Array(n);

  /* Error function: series near zero, continued fraction beyond (Abramowitz and Stegun 7.1.5, 7.1.14). */
  function erf(x) {
    const a = Math.abs(x);
    if (a < 2.5) { let t = a, s = a; for (let n = 1; Math.abs(t) > 1e-17 * s; n++) { t *= -a * a / n; s += t / (2 * n + 1); } return sign(x) * 2 / Math.sqrt(Math.PI) * s; }
    let f = 0;
    for (let k = 60; k > 0; k--) f = k / 2 / (a + f);
    return sign(x) * (1 - Math.exp(-a * a) / Math.sqrt(Math.PI) / (a + f));
  }
  /* Cubic between its knots, straight beyond them, as in generated C. */
  function spline(k, order, x) {
    const t = lists["table_" + k], n = t.length / 3, at = Math.min(Math.max(x, t[0]), t[n - 1]);
    let i = 0, j = n - 1;
    while (j - i > 1) { const mid = (i + j) >> 1; if (at < t[mid]) j = mid; else i = mid; }
    const h = t[j] - t[i], a = (t[j] - at) / h, b = (at - t[i]) / h, mi = t[2 * n + i], mj = t[2 * n + j];
    const slope = (t[n + j] - t[n + i]) / h + ((3 * b * b - 1) * mj - (3 * a * a - 1) * mi) * h / 6;
    if (order === 0) return a * t[n + i] + b * t[n + j] + ((a * a - 1) * a * mi + (b * b - 1) * b * mj) * h * h / 6 + slope * (x - at);
    if (order === 1) return slope;
    if (order > 3 || x < t[0] || x > t[n - 1]) return 0;
    return order === 2 ? a * mi + b * mj : (mj - mi) / h;
  }
  const two = s => (a, b) => "(w" + a + s + "w" + b + ")", call = f => (a, b) => f + "(w" + a + (b >= 0 ? ",w" + b : "") + ")", truth = s => (a, b) => "(w" + a + s + "w" + b + "?1:0)";
  const write = {
    constant: a => "c[" + a + "]", p: a => "p[" + a + "]", t: () => "x.t", q: a => "x.q[" + a + "]", v: a => "x.v[" + a + "]", a: a => "x.a[" + a + "]", lambda: a => "x.lambda[" + a + "]", z: a => "x.z[" + a + "]",
    u: a => "x.u[" + a + "]", mu: () => "NaN", "+": two("+"), "-": two("-"), "*": two("*"), "/": two("/"), neg: a => "(-w" + a + ")", sqrt: call("Math.sqrt"), "^": call("Math.pow"), if: (a, b, c) => "(w" + a + "!==0?w" + b + ":w" + c + ")",
    spline: (a, b, c) => "spline(" + b + "," + c + ",w" + a + ")", erf: call("erf"), sign: call("sign"), "<": truth("<"), "<=": truth("<="), "==": truth("==="),
    and: (a, b) => "(w" + a + "!==0&&w" + b + "!==0?1:0)", or: (a, b) => "(w" + a + "!==0||w" + b + "!==0?1:0)", not: a => "(w" + a + "===0?1:0)",
    min: (a, b) => "(w" + a + "<=w" + b + "?w" + a + ":w" + b + ")", max: (a, b) => "(w" + b + "<=w" + a + "?w" + a + ":w" + b + ")",
  };
  for (const f of ["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "exp", "log", "abs", "floor"]) write[f] = call("Math." + f);
  /* A program as a function of constants, parameters and state that fills its arrays. */
  function program(name) {
    const rows = lists[name + "_rows"] || [], outs = lists[name + "_outs"] || [], numbers = lists[name + "_numbers"] || [], code = [];
    for (let i = 0; i < rows.length; i += 4) {
      const [op, a, b, c] = rows.slice(i, i + 4), word = lists.operators[op], value = numbers[a] === null ? NaN : numbers[a];
      code.push("const w" + i / 4 + "=" + (word === "number" ? value < 0 || Object.is(value, -0) ? "(" + (Object.is(value, -0) ? "-0" : value) + ")" : value : write[word](a, b, c)) + ";");
    }
    for (let i = 0; i < outs.length; i += 4) code.push("o[" + outs[i] + "][" + outs[i + 1] + "]=w" + outs[i + 3] + ";");
    return new Function("erf", "spline", "sign", "return function(c,p,x,o){\"use strict\";" + code.join("") + "}")(erf, spline, sign);
  }
  const run = Object.fromEntries(["setup", "initial", "dynamics", "constraints", "energy", "outputs", "points"].map(n => [n, program(n)]));
  const defaults = (lists.default_programs || []).map(n => ({ k: lists[n + "_outs"][1], run: program(n) }));

  /* Values of the parameters: those given, the others from their defaults, which may depend on them. */
  function parameters(given) {
    const p = Float64Array.from(lists.default_values || [], v => v === null ? NaN : v);
    for (const [k, v] of given) p[k] = v;
    for (const d of defaults) if (!given.has(d.k)) d.run(null, p, null, [p]);
    return p;
  }

  /* Full pivoting; what has no pivot left, as a redundant constraint, gets zero. */
  const N2 = nq + nl, A = column(N2 * N2), B = column(N2), M = column(L.M.rowidx.length), G = column(L.G.rowidx.length);
  function solve(n, b) {
    const row = [...Array(n).keys()], col = row.slice();
    let rank = n, first = 0;
    for (let k = 0; k < n; k++) {
      let most = 0, pi = k, pj = k;
      for (let i = k; i < n; i++) for (let j = k; j < n; j++) { const v = Math.abs(A[row[i] * n + col[j]]); if (v > most) { most = v; pi = i; pj = j; } }
      if (k === 0) first = most;
      if (!(most > 1e-13 * first)) { rank = k; break; }
      [row[k], row[pi]] = [row[pi], row[k]];
      [col[k], col[pj]] = [col[pj], col[k]];
      const base = row[k] * n, piv = A[base + col[k]];
      for (let i = k + 1; i < n; i++) {
        const f = A[row[i] * n + col[k]] / piv;
        if (f === 0) continue;
        for (let j = k + 1; j < n; j++) A[row[i] * n + col[j]] -= f * A[base + col[j]];
        b[row[i]] -= f * b[row[k]];
      }
    }
    const x = column(n);
    for (let k = rank - 1; k >= 0; k--) {
      let s = b[row[k]];
      for (let j = k + 1; j < rank; j++) s -= A[row[k] * n + col[j]] * x[col[j]];
      x[col[k]] = s / A[row[k] * n + col[k]];
    }
    return x;
  }
  /* [H G'; G 0]: H is the mass matrix, or the identity without the coordinates that are held. */
  function saddle(held) {
    A.fill(0);
    for (let j = 0; j < nq; j++) {
      if (held) A[j * N2 + j] = 1;
      else for (let k = L.M.colptr[j]; k < L.M.colptr[j + 1]; k++) A[L.M.rowidx[k] * N2 + j] = A[j * N2 + L.M.rowidx[k]] = M[k];
      for (let k = L.G.colptr[j]; k < L.G.colptr[j + 1]; k++) if (!held || !held[j]) A[(nq + L.G.rowidx[k]) * N2 + j] = A[j * N2 + nq + L.G.rowidx[k]] = G[k];
    }
  }
  const f = column(nq), zdot = column(nz), gamma = column(nl), g = column(ng), gt = column(nl), dynamicsOut = [M, f, G, zdot, gamma, g, gt], constraintsOut = [g, G, gt];
  function accelerate(c, x) {
    run.dynamics(c, null, x, dynamicsOut);
    saddle(null);
    B.set(f, 0);
    for (let i = 0; i < nl; i++) B[nq + i] = -gamma[i];
    const s = solve(N2, B);
    x.a.set(s.subarray(0, nq));
    x.lambda.set(s.subarray(nq));
  }
  const largest = list => list.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
  /* Onto the constraints; held: which coordinates stay (at the start), else the masses decide.  False: they cannot be met. */
  function project(c, x, heldQ, heldV) {
    if (!nl) return true;
    let last = Infinity;
    for (let turn = 0; turn < 40 && ng; turn++) {
      if (heldQ) run.constraints(c, null, x, constraintsOut); else run.dynamics(c, null, x, dynamicsOut);
      const now = largest(g);
      if (now < 1e-13 || now >= 0.5 * last && now < 1e-9) break;
      if (!isFinite(now) || turn === 39) return false;
      last = now;
      saddle(heldQ);
      B.fill(0);
      for (let i = 0; i < ng; i++) B[nq + i] = -g[i];
      for (let i = ng; i < nl; i++) for (let j = 0; j < nq; j++) A[(nq + i) * N2 + j] = A[j * N2 + nq + i] = 0;
      const s = solve(N2, B);
      for (let i = 0; i < nq; i++) if (!heldQ || !heldQ[i]) x.q[i] += s[i];
    }
    if (heldQ) run.constraints(c, null, x, constraintsOut); else run.dynamics(c, null, x, dynamicsOut);
    saddle(heldV);
    B.fill(0);
    for (let i = 0; i < nl; i++) B[nq + i] = -gt[i];
    for (let j = 0; j < nq; j++) for (let k = L.G.colptr[j]; k < L.G.colptr[j + 1]; k++) B[nq + L.G.rowidx[k]] -= G[k] * x.v[j];
    const s = solve(N2, B);
    for (let i = 0; i < nq; i++) if (!heldV || !heldV[i]) x.v[i] += s[i];
    return true;
  }

  const C = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1], E = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];
  const K = [[], [1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9], [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656], [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]];
  const ny2 = 2 * nq + nz, stage = C.map(() => column(ny2)), y1 = column(ny2), y0 = column(ny2);
  const put = (x, y) => { x.q.set(y.subarray(0, nq)); x.v.set(y.subarray(nq, 2 * nq)); x.z.set(y.subarray(2 * nq)); };
  const take = (x, y) => { y.set(x.q, 0); y.set(x.v, nq); y.set(x.z, 2 * nq); };
  function slope(c, x, out) { accelerate(c, x); out.set(x.v, 0); out.set(x.a, nq); out.set(zdot, 2 * nq); }
  /* From x.t to `to`; the step that is left over, 0 where steps become too small or too many. */
  function advance(c, x, to, h, tol, budget) {
    take(x, y0);
    slope(c, x, stage[0]);
    while (to - x.t > 1e-14 * Math.max(Math.abs(to), 1e-300)) {
      const t = x.t, d = Math.min(h, to - t);
      for (let s = 1; s < 7; s++) {
        for (let i = 0; i < ny2; i++) { let v = 0; for (let k = 0; k < s; k++) v += K[s][k] * stage[k][i]; y1[i] = y0[i] + d * v; }
        put(x, y1);
        x.t = t + C[s] * d;
        slope(c, x, stage[s]);
      }
      let err = 0;
      for (let i = 0; i < ny2; i++) {
        let e = 0;
        for (let s = 0; s < 7; s++) e += E[s] * stage[s][i];
        err = Math.max(err, Math.abs(d * e) / (tol.atol + tol.rtol * Math.max(Math.abs(y0[i]), Math.abs(y1[i]))));
      }
      if (!(++budget.steps < budget.most)) return 0;
      const factor = err > 0 ? Math.min(4, Math.max(0.2, 0.9 * Math.pow(err, -0.2))) : 4;
      if (err <= 1) {
        x.t = t + d;
        if (!project(c, x)) return 0;
        take(x, y0);
        if (nl) slope(c, x, stage[0]); else stage[0].set(stage[6]);
        if (d === h || factor < 1) h = d * factor;
      } else {
        h = d * (isFinite(factor) ? Math.min(factor, 0.9) : 0.2);
        x.t = t;
        put(x, y0);
        if (!(h > 1e-12 * Math.max(1e-300, Math.abs(to - T0)))) return 0;
      }
    }
    x.t = to;
    return h;
  }
  /* One run: given parameters (Map of numbers), start values (Maps); rows of all samples, or a sentence saying why not. */
  function integrate(given, q0, v0) {
    const p = parameters(given), c = column(Math.max(nc, np) + 1), x = { t: T0, q: column(nq), v: column(nq), a: column(nq), lambda: column(nl), z: column(nz), u: column(nu) };
    c.set(p);
    run.setup(c, p, null, [c]);
    run.initial(c, p, null, [x.q, x.v, x.z, x.u]);
    x.u.set(L.u);
    const held = kind => L[kind].map(k => k === 2), fixedQ = held("qInit"), fixedV = held("vInit");
    if (nl) for (let i = 0; i < nq; i++) { if (!fixedQ[i]) x.q[i] = L.q0[i]; if (!fixedV[i]) x.v[i] = L.v0[i]; }
    for (const [k, v] of q0) { x.q[k] = v; fixedQ[k] = true; }
    for (const [k, v] of v0) { x.v[k] = v; fixedV[k] = true; }
    if (!project(c, x, fixedQ, fixedV)) return { why: "With these values the mechanism cannot be put together." };
    const all = [], tol = { rtol: 0.1 * L.rtol, atol: 0.1 * L.atol }, budget = { steps: 0, most: 200000 }, began = performance.now();
    let h = (T1 - T0) / 1000;
    for (let n = 0; n < N; n++) {
      if (n) h = advance(c, x, T[n], h, tol, budget);
      if (!h || performance.now() - began > 20000) return { why: "These equations are too stiff, or too many, for the page: see `mbs run` or `mbs play`." };
      accelerate(c, x);
      const row = { q: x.q.slice(), v: x.v.slice(), a: x.a.slice(), lambda: x.lambda.slice(), z: x.z.slice(), y: column(ny), energy: column(2), xyz: column(3 * npoint) };
      if (!row.q.every(isFinite)) return { why: "The run leaves the numbers at t = " + show(T[n]) + "." };
      run.energy(c, null, x, [row.energy]);
      run.outputs(c, null, x, [row.y]);
      run.points(c, null, x, [row.xyz]);
      all.push(row);
    }
    return { rows: all, p, start: all[0] };
  }

  return { integrate, parameters, L };
})();

/* Sliders for parameters and start values; a run again after each move. */
function againTools() {
  if (!live) { byId("again").remove(); return; }
  const L = live.L, given = new Map(D.again.given), q0 = new Map(), v0 = new Map();
  let asked = false;
  const run = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      const began = performance.now(), r = live.integrate(given, q0, v0);
      again.say(r.why || "Run again in " + Math.round(performance.now() - began) + " ms.", !!r.why);
      if (!r.rows) return;
      r.rows.forEach((row, n) => again.fill(n, row, r.rows[0]));
      again.changed();
    });
  };
  again.sliders(given, run);
  D.again.coord.forEach((name, k) => {
    const unit = L.coordUnit[k], far = unit === "rad" ? Math.PI : Math.max(2 * Math.abs(L.q0[k]), whole.size / 2), fast = Math.max(10, Math.abs(L.v0[k]));
    if (L.qInit[k] !== 0 || !L.ng) again.slider(name + "(0)", unit, L.q0[k], L.q0[k] - far, L.q0[k] + far, x => { q0.set(k, x); run(); }, () => q0.delete(k));
    if (L.vInit[k] !== 0 || !L.ng) again.slider(name + "′(0)", unit ? unit + "/s" : "", L.v0[k], L.v0[k] - fast, L.v0[k] + fast, x => { v0.set(k, x); run(); }, () => v0.delete(k));
  });
  again.onReset(run);
  scene.canvas.live = live;
}
