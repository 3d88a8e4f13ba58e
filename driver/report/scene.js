/* SPDX-License-Identifier: 0BSD
   The mechanism on its stage: bodies, symbols, traces, names, grid.  Widths are in pixels, derived from the size of the view, so
   that a mechanism of millimetres looks like one of metres.  In space the bodies are drawn by gl.js below this canvas, which
   then has traces, names and the frame only; without WebGL everything is drawn here, in the order of depth. */
const scene = { names: false, forces: true, reactions: true, large: 1, canvas: byId("view"), t: T0, labels: [], solid: null };
const colours = { red: "#d13b3b", orange: "#e07b1a", yellow: "#d8b400", green: "#2f9e44", blue: "#2f6fd0", purple: "#8450c8", brown: "#8a5a3c", pink: "#d6599b", black: "#222428", white: "#f4f5f7", grey: "#8a919c" };
const bodyKinds = { body: 1, line: 1, circle: 1, sphere: 1, point: 1, plate: 1, ...solidKinds };
const bodies = shapes.filter(s => s.kind in bodyKinds);
bodies.forEach((s, i) => { s.order = i; });
/* What belongs to one body has one colour. */
function colourOf(s, otherwise) {
  if (s.colour) return colours[s.colour] || s.colour;
  if (otherwise) return otherwise;
  const k = s.on[0] > 0 ? s.on[0] - 1 : bodyNames.length + (s.order || 0);
  return s.on[0] === 0 ? theme.ground : seriesColour(k % 8, 8);
}
function samePlace(i, j) {
  if (i === j) return true;
  const a = points[i], b = points[j], k = N >> 1, e = 1e-4 * whole.size;
  return [0, k, N - 1].every(n => Math.abs(a.x[n] - b.x[n]) + Math.abs(a.y[n] - b.y[n]) + Math.abs(a.z[n] - b.z[n]) < e);
}
function stands(i) { return [points[i].x, points[i].y, points[i].z].every(col => { for (const v of col) if (Math.abs(v - col[0]) > 1e-6 * whole.size) return false; return true; }); }
/* A damper beside a spring between the same points: both step aside. */
for (const s of shapes)
  if (s.kind === "damper" || s.kind === "spring") {
    const other = s.kind === "damper" ? "spring" : "damper";
    const twin = shapes.some(r => r.kind === other && samePlace(r.at[0], s.at[0]) && samePlace(r.at[1], s.at[1]));
    s.aside = twin ? (s.kind === "damper" ? -1 : 1) : 0;
  }
/* In space a joint is drawn after the bodies that it holds. */
for (const s of shapes)
  if (s.kind in symbols || s.kind === "point")
    s.held = new Set(shapes.filter(r => (r.kind === "body" || r.kind === "line" || r.kind === "circle") && r.fixed.some(i => samePlace(i, s.at[0]))));
/* A joint or a spring that ends on the ground shows that it is held there, unless the model draws the ground there itself. */
const anchors = (function () {
  const found = [], kinds = { joint: 1, revolute: 1, fixed: 1, spherical: 1, distance: 1, spring: 1, damper: 1, bushing: 1 };
  const near = (p, a, b) => {
    const dx = b[0] - a[0], dy = b[1] - a[1], l2 = dx * dx + dy * dy, k = l2 ? Math.max(0, Math.min(1, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / l2)) : 0;
    return Math.hypot(p[0] - a[0] - k * dx, p[1] - a[1] - k * dy) < 1e-3 * whole.size;
  };
  const drawn = i => shapes.some(s => s.kind === "ground" && s.at.some((j, k) => near(pointAt(i, T0), pointAt(s.at[Math.max(0, k - 1)], T0), pointAt(j, T0))));
  if (spatial) return found;
  for (const s of shapes)
    if (s.kind in kinds)
      s.fixed.forEach((i, k) => { if ((s.on[k] === 0 || s.on[k] < 0 && stands(i)) && !drawn(i) && !found.some(j => samePlace(i, j))) found.push(i); });
  return found;
})();

/* Points that can be traced: one entry for each place, called by its most telling shape. */
const tracers = (function () {
  const rank = { point: 0, revolute: 1, joint: 1, spherical: 1, universal: 1, body: 2, sphere: 3, circle: 3, box: 3, ellipsoid: 3, cylinder: 3, capsule: 3, wheel: 3, toothed: 3, plate: 2, line: 4, prismatic: 4, slot: 4, distance: 5, spring: 5, damper: 6 }, found = new Map();
  for (const s of shapes)
    s.fixed.forEach((i, k) => {
      const p = points[i], span = col => { let a = Infinity, b = -Infinity; for (const v of col) { if (v < a) a = v; if (v > b) b = v; } return b - a; };
      if (!(s.kind in rank) || Math.max(span(p.x), span(p.y), span(p.z)) < 1e-3 * whole.size) return;
      const name = s.fixed.length > 1 && (s.kind === "body" || s.kind === "line") ? s.name + " · " + (k + 1) : s.name;
      for (const [j, e] of found)
        if (samePlace(i, j)) { if (rank[s.kind] < e.rank) { e.rank = rank[s.kind]; e.name = name; } if (s.on[k] > 0 && s.kind in bodyKinds && !(e.shape.kind in bodyKinds)) { e.shape = s; } return; }
      found.set(i, { point: i, name, rank: rank[s.kind], on: false, shape: s });
    });
  return [...found.values()];
})();
(function () {      /* the point that travels furthest is traced from the start */
  let best = null, most = 0;
  for (const e of tracers) {
    const p = points[e.point];
    let way = 0, turn = 0, n = 0;
    for (let i = 1; i < N; i++) way += Math.hypot(p.x[i] - p.x[i - 1], p.y[i] - p.y[i - 1], p.z[i] - p.z[i - 1]) || 0;
    for (let i = 2; i < N; i++) {
      const a = [p.x[i - 1] - p.x[i - 2], p.y[i - 1] - p.y[i - 2], p.z[i - 1] - p.z[i - 2]], b = [p.x[i] - p.x[i - 1], p.y[i] - p.y[i - 1], p.z[i] - p.z[i - 1]];
      const la = Math.hypot(...a), lb = Math.hypot(...b);
      if (la * lb > 0) { turn += Math.acos(Math.max(-1, Math.min(1, (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / la / lb))); n++; }
    }
    e.coarse = n > 0 && turn / n > 0.45;         /* too few samples for a curve: a tail is shown, not a ball of wool */
    const round = e.rank === 3 && way > 0 && e.shape.kind !== "circle";
    if (!round && way > most * (e.rank === 3 ? 1.5 : 1)) { most = way; best = e; }
  }
  if (best) best.on = true;
})();
/* A mechanism that goes far away is followed: where its own size is a small part of its way. */
(function () {
  if (!tracers.length) return;
  let own = 0;
  for (let n = 0; n <= 20; n++) {
    const t = T0 + (T1 - T0) * n / 20, lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
    for (const e of tracers) pointAt(e.point, t).forEach((v, k) => { lo[k] = Math.min(lo[k], v); hi[k] = Math.max(hi[k], v); });
    own = Math.max(own, hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]);
  }
  for (const s of shapes) if (s.kind === "circle" || s.kind === "sphere" || s.kind in solidKinds) own = Math.max(own, 2 * Math.max(...[0, 1, 2].map(k => reachOf(s, 0, k))));
  if (own > 0 && whole.size > 5 * own) cameraFollow(tracers[0].point);
})();
/* Forces and torques have one scale each, so that they can be compared: reactions too, while they are shown. */
function arrowScales() {
  const size = s => { const p = points[s.at[1]]; let m = 0; for (let i = 0; i < N; i++) m = Math.max(m, Math.hypot(p.x[i], p.y[i], p.z[i]) || 0); return m; };
  const most = kind => Math.max(0, ...shapes.filter(s => s.kind === kind && isShown(s)).map(s => s.most ??= size(s)));
  scene.mostForce = most("force");
  scene.mostTorque = most("torque");
}
function isShown(arrow) { return arrow.reaction ? scene.reactions : scene.forces; }
const hasReactions = shapes.some(s => s.reaction);

function drawBody(c, s, p, u) {
  const colour = colourOf(s);
  c.lineJoin = c.lineCap = "round";
  const h = p.length > 2 ? hull(p) : p;
  if (h.length === 1) return disc(c, h[0], 1.5 * u, mixed(colour, 0.35), colour, 1.6);
  for (const [width, style] of [[2.2 * u, colour], [2.2 * u - 3.2, mixed(colour, 0.3)]]) {
    path(c, h, h.length > 2);
    c.lineWidth = width;
    c.strokeStyle = c.fillStyle = style;
    if (h.length > 2) c.fill();
    c.stroke();
  }
}
function drawLine(c, s, p, u) { strokeLine(c, p, Math.max(2.5, 0.85 * u), colourOf(s)); }
function drawGround(c, s, p, u) {
  c.strokeStyle = theme.ground;
  c.lineCap = "round";
  if (p.length === 1) {
    const [x, y] = p[0], w = 1.5 * u, h = 2.1 * u;
    path(c, [[x, y], [x - w, y + h], [x + w, y + h]], true);
    c.fillStyle = tint(theme.ground, 0.18);
    c.fill();
    c.lineWidth = 1.6;
    c.stroke();
    hatch(c, [x - 1.5 * w, y + h], [x + 1.5 * w, y + h], u, 1);
    return;
  }
  for (let i = 1; i < p.length; i++) hatch(c, p[i - 1], p[i], u, spatial ? 0 : 1);
}
/* Centre and two radii: the circle in their plane, with two spokes so that it is seen to turn. */
function drawCircle(c, s, x) {
  const o = x.W[0], [A, B] = x.V, aa = A[0] * A[0] + A[1] * A[1] + A[2] * A[2], ab = A[0] * B[0] + A[1] * B[1] + A[2] * B[2];
  const W = B.map((v, k) => v - A[k] * ab / (aa || 1)), r = Math.sqrt(aa), wl = Math.hypot(...W) || 1, list = [];
  const rim = (C, S) => x.project(o[0] + C * A[0] + S * r * W[0] / wl, o[1] + C * A[1] + S * r * W[1] / wl, o[2] + C * A[2] + S * r * W[2] / wl);
  for (let i = 0; i < 64; i++) list.push(rim(Math.cos(i * Math.PI / 32), Math.sin(i * Math.PI / 32)));
  const colour = colourOf(s);
  path(c, list, true);
  c.fillStyle = tint(colour, 0.2);
  c.fill();
  c.strokeStyle = colour;
  c.lineWidth = 2.4;
  c.stroke();
  strokeLine(c, [rim(1, 0), rim(-1, 0)], 1.2, colour);
  strokeLine(c, [rim(0, 1), rim(0, -1)], 1.2, colour);
}
/* A point of the plane of a wheel or gear, by its radius over that of the rim and its angle. */
function rimOf(x) {
  const o = x.W[0], [A, B] = x.V;
  return (r, a) => x.project(...[0, 1, 2].map(k => o[k] + r * (Math.cos(a) * A[k] + Math.sin(a) * B[k])));
}
function ringPath(c, at, r) {
  for (let i = 0; i <= 64; i++) { const p = at(r, i * Math.PI / 32); if (i) c.lineTo(p[0], p[1]); else c.moveTo(p[0], p[1]); }
  c.closePath();
}
function drawWheel(c, s, x) {
  const at = rimOf(x), inner = x.V[3][0], colour = colourOf(s), hub = Math.min(0.16, 0.5 * inner);
  for (let k = 0; k < 6; k++) strokeLine(c, [at(hub, k * Math.PI / 3), at(inner, k * Math.PI / 3)], 2, colour);
  for (const [outer, hole] of [[1, inner], [hub, 0]]) {
    c.beginPath();
    ringPath(c, at, outer);
    if (hole) ringPath(c, at, hole);
    c.fillStyle = mixed(colour, 0.35);
    c.fill("evenodd");
    c.strokeStyle = colour;
    c.lineWidth = 1.8;
    c.stroke();
  }
}
/* Teeth of a gear reach from 0.9 or more of the pitch radius beyond it by one module, 2/teeth. */
function toothProfile(teeth) {
  const n = Math.max(4, Math.round(teeth)), m = 2 / n, list = [];
  for (let i = 0; i < n; i++) for (const [r, a] of [[1 - 1.25 * m, -0.3], [1 + m, -0.13], [1 + m, 0.13], [1 - 1.25 * m, 0.3]]) list.push([r, (i + a) * 2 * Math.PI / n]);
  return list;
}
function drawToothed(c, s, x) {
  const at = rimOf(x), colour = colourOf(s);
  fillShape(c, toothProfile(x.V[3][0]).map(([r, a]) => at(r, a)), mixed(colour, 0.3), colour);
  strokeLine(c, [at(0.14, 0), at(0.75, 0)], 1.6, colour);      /* seen to turn */
  disc(c, at(0, 0), Math.max(2, 0.12 * Math.hypot(at(1, 0)[0] - at(0, 0)[0], at(1, 0)[1] - at(0, 0)[1])), theme.card, colour, 1.4);
}
function drawPlate(c, s, x) { fillShape(c, x.P, mixed(colourOf(s), 0.3), colourOf(s), 2.2); }
function drawSphere(c, s, x) {
  const o = x.P[0], r = Math.hypot(...x.V[0]) * o[3], colour = colourOf(s), g = c.createRadialGradient(o[0] - 0.35 * r, o[1] - 0.4 * r, 0.1 * r, o[0], o[1], r);
  g.addColorStop(0, "color-mix(in srgb, " + colour + " 35%, white)");
  g.addColorStop(1, colour);
  disc(c, o, Math.max(r, 1), g, colour, 1.2);
  const w = x.W[0], v = x.V[0], q = x.project(w[0] + v[0], w[1] + v[1], w[2] + v[2]);
  if (q[2] >= o[2]) disc(c, q, Math.max(1.5, 0.08 * r), theme.joint, null);
}
/* Without WebGL a solid is the outline of its corners. */
function drawSolid(c, s, x) {
  const w = x.W[0], list = [];
  for (let n = 0; n < 8; n++) list.push(x.project(...w.map((v, k) => v + (n & 1 ? 1 : -1) * x.V[0][k] + (n & 2 ? 1 : -1) * x.V[1][k] + (n & 4 ? 1 : -1) * x.V[2][k])));
  fillShape(c, hull(list), mixed(colourOf(s), 0.4), colourOf(s));
}

function niceLength(x) {
  const p = Math.pow(10, Math.floor(Math.log10(x))), f = x / p;
  return (f < 2 ? 1 : f < 5 ? 2 : 5) * p;
}
function lengthText(x) {
  if (D.lengthUnit !== "m") return show(x, 3) + (x === 1 ? " unit of length" : " units of length");
  return x >= 1 ? show(x, 3) + " m" : x >= 1e-3 ? show(x * 1e3, 3) + " mm" : show(x * 1e6, 3) + " µm";
}
function gridStep() { return niceLength(Math.min(camera.w, camera.h) / 5 / camera.scale); }
function drawGrid(c, project) {
  const s = camera.scale, step = gridStep(), m = camera.mid.map((v, k) => v + camera.shift[k]);
  c.lineWidth = 1;
  if (!spatial) {
    const x0 = m[0] - camera.w / 2 / s, x1 = m[0] + camera.w / 2 / s, y0 = m[1] - camera.h / 2 / s, y1 = m[1] + camera.h / 2 / s;
    for (const [lo, hi, vertical] of [[x0, x1, true], [y0, y1, false]])
      for (let k = Math.ceil(lo / step); k * step <= hi; k++) {
        const p = project(vertical ? k * step : 0, vertical ? 0 : k * step, 0);
        c.strokeStyle = k ? theme.grid : theme["grid-strong"];
        path(c, vertical ? [[Math.round(p[0]) + 0.5, 0], [Math.round(p[0]) + 0.5, camera.h]] : [[0, Math.round(p[1]) + 0.5], [camera.w, Math.round(p[1]) + 0.5]]);
        c.stroke();
      }
  } else if (!scene.solid) {
    const z = floorHeight(), r = step * Math.ceil(0.75 * box.size / step), gx = step * Math.round(m[0] / step), gy = step * Math.round(m[1] / step);
    c.strokeStyle = theme["grid-strong"];
    for (let k = -r; k <= r + 1e-9 * r; k += step)
      for (const line of [[gx + k, gy - r, gx + k, gy + r], [gx - r, gy + k, gx + r, gy + k]]) {
        path(c, [project(line[0], line[1], z), project(line[2], line[3], z)]);
        c.stroke();
      }
  }
  c.fillStyle = theme.soft;
  c.strokeStyle = theme.soft;
  c.lineWidth = 1.5;
  const x = 16, y = camera.h - 16, w = step * s;
  path(c, [[x, y - 4], [x, y], [x + w, y], [x + w, y - 4]]);
  c.stroke();
  c.font = "12px system-ui, sans-serif";
  c.textAlign = "left";
  c.fillText(lengthText(step), x + 4, y - 6);
  shapes.filter(s => s.factor).forEach((s, i) => c.fillText(s.name + ": displacements × " + show(s.factor, 4), x + 4, y - 24 - 16 * i));
}
function floorHeight() { return whole.lo[2]; }
function drawTriad(c) {
  const a = axes(), o = [camera.w - 42, camera.h - 38], l = 24;
  [["x", 0, theme.series[1]], ["y", 1, theme.series[2]], ["z", 2, theme.series[0]]].sort((p, q) => a.eye[p[1]] - a.eye[q[1]]).forEach(([name, k, colour]) => {
    const e = [o[0] + l * a.right[k], o[1] - l * a.up[k]];
    c.strokeStyle = c.fillStyle = colour;
    c.lineWidth = 2;
    path(c, [o, e]);
    c.stroke();
    c.font = "600 12px system-ui, sans-serif";
    c.textAlign = "center";
    c.fillText(name, o[0] + 1.38 * (e[0] - o[0]), o[1] + 1.38 * (e[1] - o[1]) + 4);
  });
}
function drawTraces(c, project, t) {
  for (const e of tracers) {
    if (!e.on) continue;
    const colour = colourOf(e.shape, e.shape.kind in bodyKinds ? undefined : seriesColour(bodyNames.length % 8, 8)), p = points[e.point], i1 = sampleAt(t), all = [];
    const from = e.coarse ? Math.max(0, i1 - 40) : 0, to = e.coarse ? i1 : N - 1;
    for (let i = from; i <= to; i++) if (isFinite(p.x[i])) all.push(project(p.x[i], p.y[i], p.z[i]));
    c.lineJoin = "round";
    if (!e.coarse) strokeLine(c, all, 1, tint(colour, 0.28));
    const past = all.slice(0, i1 + 1 - from);
    past.push(project(...pointAt(e.point, t)));
    if (!e.coarse) strokeLine(c, past, 2, tint(colour, 0.85));
    else for (let i = 1; i < past.length; i++) strokeLine(c, [past[i - 1], past[i]], 1.6, tint(colour, 0.75 * i / past.length));
  }
}
/* A name goes to the first of eight places around its point where no other one is. */
function drawNames(c, project, t) {
  const taken = [];
  c.font = "600 12px system-ui, sans-serif";
  c.textAlign = "left";
  for (const s of shapes) {
    let p;
    if (s.clear >= 1) continue;
    if (s.kind === "body" && s.at.length > 1 || s.kind === "line" || s.kind === "spring" || s.kind === "damper" || s.kind === "distance") {
      const q = s.fixed.map(i => project(...pointAt(i, t)));
      p = [q.reduce((a, v) => a + v[0], 0) / q.length, q.reduce((a, v) => a + v[1], 0) / q.length];
    } else if (s.kind !== "ground") p = project(...pointAt(s.at[0], t));
    if (!p || !isFinite(p[0]) || taken.some(r => r.name === s.name)) continue;
    const w = c.measureText(s.name).width, r = 9;
    for (const [dx, dy] of [[r, -r], [r, r + 9], [-r - w, -r], [-r - w, r + 9], [-w / 2, -r - 5], [-w / 2, r + 14], [r + 5, 4], [-r - 5 - w, 4]]) {
      const box = { name: s.name, x0: p[0] + dx - 2, x1: p[0] + dx + w + 2, y0: p[1] + dy - 12, y1: p[1] + dy + 3 };
      if (box.x0 < 0 || box.x1 > camera.w || box.y0 < 0 || box.y1 > camera.h || taken.some(q => q.x0 < box.x1 && box.x0 < q.x1 && q.y0 < box.y1 && box.y0 < q.y1)) continue;
      taken.push(box);
      c.lineWidth = 3.5;
      c.lineJoin = "round";
      c.strokeStyle = theme.card;
      c.strokeText(s.name, p[0] + dx, p[1] + dy);
      c.fillStyle = theme.ink;
      c.fillText(s.name, p[0] + dx, p[1] + dy);
      break;
    }
  }
  scene.labels = taken;
}
/* Places and vectors of a shape at a time. */
function placesAt(s, t) {
  const W = [], V = [];
  for (let k = 0; k < s.at.length; k++) (k < s.places ? W : V).push(pointAt(s.at[k], t));
  return { W, V };
}
/* And its places on the screen. */
function shapeAt(s, t, project) {
  const { W, V } = placesAt(s, t);
  return { W, V, P: W.map(q => project(...q)), project };
}
function drawShape(c, s, x, u) {
  if (s.clear > 0) c.globalAlpha = 1 - s.clear;
  if (s.kind === "body") drawBody(c, s, x.P, u);
  else if (s.kind === "line") drawLine(c, s, x.P, u);
  else if (s.kind === "circle") drawCircle(c, s, x);
  else if (s.kind === "sphere") drawSphere(c, s, x);
  else if (s.kind === "wheel") drawWheel(c, s, x);
  else if (s.kind === "toothed") drawToothed(c, s, x);
  else if (s.kind === "plate") drawPlate(c, s, x);
  else if (s.kind === "ground") drawGround(c, s, x.P, u);
  else if (s.kind === "point") disc(c, x.P[0], Math.max(4, 0.95 * u), colourOf(s), theme.card, 1.5);
  else if (s.kind in solidKinds) drawSolid(c, s, x);
  else symbols[s.kind](c, s, x, u);
  c.globalAlpha = 1;
}
function symbolUnit() {
  const zoom = Math.pow(camera.scale / camera.fit, 0.6);
  return scene.large * Math.max(3, Math.min(30, (0.0105 * Math.min(camera.w, camera.h) + 2) * zoom * Math.min(1, 1.4 / Math.sqrt(1 + bodies.length / 10))));
}
/* A frame of an animation changes nothing but the time: above solids the canvas stays as it is, unless it shows what moves. */
function drawScene(t, frame) {
  if (frame && scene.solid && !scene.names && !scene.after && !happenings.length) return paintSolids(t);
  const { c, w, h } = fitCanvas(scene.canvas, frame);
  paintScene(c, w, h, t);
}
function paintSolids(t) {
  const list = [];
  cameraMove(t);
  scene.t = t;
  for (const s of shapes) {
    if (s.clear >= 1) continue;
    const x = placesAt(s, t);
    if (x.W.every(q => isFinite(q[0]) && isFinite(q[1]) && isFinite(q[2]))) list.push({ s, x });
  }
  scene.solid(t, list);
}
/* On any canvas, or what looks like one. */
function paintScene(c, w, h, t) {
  if (w !== camera.w || h !== camera.h) { camera.w = w; camera.h = h; if (camera.fitted) cameraFit(); }
  if (!points.length) {
    c.fillStyle = theme.soft;
    c.font = "14px system-ui, sans-serif";
    c.textAlign = "center";
    c.fillText("This model has nothing to draw: give it points with `draw`.", w / 2, h / 2);
    return;
  }
  cameraMove(t);
  const project = projector(), u = symbolUnit();
  arrowScales();
  scene.forceScale = scene.mostForce ? 0.2 * Math.min(w, h) / scene.mostForce : 0;
  scene.torqueScale = scene.mostTorque ? 1 / scene.mostTorque : 0;
  drawGrid(c, project);
  if (spatial) drawTriad(c);
  const layer = { ground: 0, gear: 1, spring: 2, damper: 2, distance: 2, body: 3, circle: 3, sphere: 3, wheel: 3, toothed: 3, plate: 3, line: 4, prismatic: 5, point: 7, force: 8, torque: 8, drive: 8, drive_along: 8 };
  scene.t = t;
  if (scene.solid) paintSolids(t);
  else {
    const list = [];
    for (const s of shapes) {
      const x = shapeAt(s, t, project);
      if (x.P.some(q => !isFinite(q[0]) || !isFinite(q[1]))) continue;
      if (!(s.clear >= 1)) list.push({ s, x, depth: x.P.reduce((a, q) => a + q[2], 0) / x.P.length, layer: layer[s.kind] ?? 6 });
    }
    if (spatial) {
      for (const e of list)
        if (e.s.held)
          for (const b of list) if (e.s.held.has(b.s)) e.depth = Math.max(e.depth, b.depth + 1e-6 * box.size);
      list.sort((a, b) => a.depth - b.depth);
    } else list.sort((a, b) => a.layer - b.layer || a.s.order - b.s.order || 0);
    const carried = s => !spatial && s.on[1] > 0, behind = which => { for (const { s, x } of list) if (under[s.kind] && carried(s) === which) under[s.kind](c, s, x, u); };
    behind(false);
    for (const i of anchors) drawGround(c, null, [project(...pointAt(i, t))], u);
    let traced = false, rails = false;
    for (const { s, x, layer: l } of list) {
      if (!spatial && l > 3 && !rails) { behind(true); rails = true; }         /* a slot in a body is seen on it */
      if (!spatial && l > 4 && !traced) { drawTraces(c, project, t); traced = true; }
      drawShape(c, s, x, u);
    }
    if (!traced) drawTraces(c, project, t);
  }
  drawHappenings(c, project, t);
  if (scene.after) scene.after(c, project);
  if (scene.names) drawNames(c, project, t);
}
/* For those who look at the page by program: what was drawn last, and where on the canvas (in its pixels). */
scene.canvas.drawn = () => {
  const project = projector();
  return shapes.map(s => ({ name: s.name, kind: s.kind, ...(x => ({ at: x.P.map(q => [q[0], q[1]]), places: x.W, vectors: x.V }))(shapeAt(s, scene.t, project)) }));
};
scene.canvas.labels = () => scene.labels;
