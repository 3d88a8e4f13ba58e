/* SPDX-License-Identifier: 0BSD
   `mbs play`: the program that sent this page integrates the model.  The columns are a window of the last N states: each answer shifts them by one.  A body
   that the mouse holds is pulled by a spring from the place held to the cursor, which the program adds. */

/* The shape of a body under a place of the screen, and where on it: what the painters draw there. */
function pickAt(p) {
  const project = projector(), list = [];
  for (const s of shapes) if (s.kind in bodyKinds && s.on[0] !== 0 && !(s.clear >= 1)) list.push({ s, x: shapeAt(s, T1, project) });
  if (scene.solid) {
    const from = unproject(...p, 0.9 * eyeDistance()), to = unproject(...p, -whole.diagonal);
    return scene.meets(list, from, v3.sub(to, from));
  }
  const size = 9, half = 4, canvas = make("canvas", { width: size, height: size }), c = canvas.getContext("2d", { willReadFrequently: true });
  c.translate(half - p[0], half - p[1]);
  for (const { s, x } of list.reverse()) {
    drawShape(c, s, x, symbolUnit());
    if (c.getImageData(0, 0, size, size).data.some((v, i) => i % 4 === 3 && v > 40)) return { s, at: unproject(...p, x.P[0][2]) };
  }
  return null;
}

function againTools() {
  const P = D.play, given = new Map(D.again.given), pull = { handle: -1, place: null, to: null, depth: 0, held: null, force: null };
  let first = null, busy = Promise.resolve(), painted = 0;
  const rowOf = x => {
    const part = (a, b) => x.subarray(P[a], P[b]);
    return { t: x[0], q: part("q", "v"), v: part("v", "a"), a: part("a", "lambda"), lambda: part("lambda", "z"), z: part("z", "u"), u: part("u", "y"), y: part("y", "energy"),
      energy: part("energy", "violation"), violation: part("violation", "xyz"), xyz: part("xyz", "width"), held: x.subarray(P.width, P.width + 3), force: x.subarray(P.width + 3, P.width + 6) };
  };
  /* One request after the other. */
  function ask(what, body) {
    const next = busy.then(async () => {
      const r = await fetch(what, { method: "POST", body: JSON.stringify(body) });
      if (!r.ok) throw new Error(r.status + " " + r.statusText);
      const says = r.headers.get("Mbs-Says") || "";
      again.say(says, says && says !== "slower than the clock");
      return { row: rowOf(new Float64Array(await r.arrayBuffer())), says };
    });
    busy = next.catch(() => {});
    return next.catch(e => { again.say("mbs play does not answer (" + e.message + "): has it ended?", true); return null; });
  }
  const columns = () => [T, ...plots.flatMap(p => p.series.map(s => s.data)), ...points.flatMap(p => [p.x, p.y, p.z])];
  /* A rail grows with what slides on it. */
  function widen(s, way) { for (const key of ["travel", "spread"]) if (s[key]) { const d = way[key](s, N - 1); s[key] = [Math.min(s[key][0], d), Math.max(s[key][1], d)]; } }
  function show(r, fresh) {
    if (fresh) {
      first = r;
      for (let n = 0; n < N - 1; n++) T[n] = r.t - (N - 1 - n) / 60 * now.speed;
      again.fill(N - 1, r, first);
      for (const p of plots) for (const s of p.series) s.data.fill(NaN, 0, N - 1);
      for (const p of points) for (const k of ["x", "y", "z"]) p[k].fill(p[k][N - 1]);
    } else {
      for (const c of columns()) c.copyWithin(0, 1);
      again.fill(N - 1, r, first);
    }
    T[N - 1] = r.t;
    T0 = T[0];
    T1 = r.t;
    sampled.t = NaN;
    pull.held = isFinite(r.held[0]) ? [...r.held] : null;
    pull.force = [...r.force];
    tracers.forEach(e => { e.data = null; });
    for (const s of shapes) { s.most = undefined; widen(s, along); }
    const time = performance.now(), far = time - painted > 120 || fresh || !now.playing;
    if (far) { painted = time; setSpan(Math.max(T0, Math.min(first.t, T1 - 5 * now.speed)), T1); paintTimeLine(); }
    setTime(T1);
  }
  const grip = () => pull.handle < 0 ? null : { handle: pull.handle, place: pull.place, to: pull.to };
  now.next = async dt => {
    const r = await ask("step", { dt, pace: now.speed, pull: grip() });
    if (!r) return false;
    const stands = dt > 0 && !(r.row.t > T1);
    if (dt > 0) show(r.row, false);
    return !stands && (!r.says || r.says === "slower than the clock");
  };
  now.restart = async () => { const r = await ask("reset", {}); if (r) show(r.row, true); };
  let waiting = false;
  const set = () => {
    if (waiting) return;
    waiting = true;
    busy.then(async () => {
      waiting = false;
      const r = await ask("set", { given: [...given] });
      if (r) show(r.row, r.row.t <= first.t);
    });
  };
  again.sliders(given, set);
  again.onReset(set);

  /* ---- the hand ---- */
  const handleOf = (s, at) => {
    if (s.on[0] > 0) { const k = P.handles.findIndex(h => h[1] === s.on[0]); if (k >= 0) return { k, at }; }
    let best = null, near = Infinity;
    P.handles.forEach(([, body, point], k) => {
      const w = pointAt(D.where[point], T1), d = Math.hypot(w[0] - at[0], w[1] - at[1], w[2] - at[2]);
      if (!body && s.fixed.some(i => samePlace(i, D.where[point])) && d < near) { near = d; best = { k, at: w }; }
    });
    return best;
  };
  scene.grab = p => {
    if (now.t < T1) setTime(T1);
    const hit = pickAt(p), h = hit && handleOf(hit.s, hit.at);
    if (!h) return false;
    pull.handle = h.k;
    pull.place = h.at;
    pull.depth = projector()(...h.at)[2];
    scene.pullTo(p);
    play();
    return true;
  };
  scene.pullTo = p => { pull.to = unproject(p[0], p[1], pull.depth); };
  scene.letGo = () => { pull.handle = -1; };
  scene.after = (c, project) => {
    if (pull.handle < 0 || !pull.held) return;
    const a = project(...pull.held), b = project(...pull.to);
    strokeLine(c, [a, b], 2, theme.cursor);
    disc(c, a, 4, theme.cursor, theme.card, 1.5);
    disc(c, b, 3, theme.card, theme.cursor, 1.5);
  };
  scene.canvas.pull = pull;             /* for those who look by program, as `drawn` */
  scene.canvas.ask = ask;
  byId("loop").remove();
  byId("to-start").setAttribute("aria-label", "Reset");
  now.restart();
}
