/* SPDX-License-Identifier: 0BSD
   Drawing of the mechanism on a canvas: each kind of shape, the grid behind it, traces, names.  Widths are in
   pixels, derived from the size of the view, so that a mechanism of millimetres looks like one of metres. */
const shapes = D.shapes || [];
const solidKinds = { box: 1, ellipsoid: 1, cylinder: 1, capsule: 1 };
const bodies = shapes.filter(s => s.kind === "body" || s.kind === "line" || s.kind === "circle" || s.kind === "sphere" || s.kind === "point" || s.kind in solidKinds);
bodies.forEach((s, i) => { s.order = i; });
/* A damper beside a spring between the same points: both step aside. */
for (const s of shapes)
  if (s.kind === "damper" || s.kind === "spring") {
    const other = s.kind === "damper" ? "spring" : "damper";
    const twin = shapes.some(r => r.kind === other && samePlace(r.at[0], s.at[0]) && samePlace(r.at[1], s.at[1]));
    s.aside = twin ? (s.kind === "damper" ? -1 : 1) : 0;
  }
/* In space a joint is drawn after the bodies that it holds. */
for (const s of shapes)
  if (s.kind === "joint" || s.kind === "point")
    s.held = new Set(shapes.filter(r => (r.kind === "body" || r.kind === "line" || r.kind === "circle") && r.at.some(i => samePlace(i, s.at[0]))));
/* A joint or a spring that ends at a fixed place shows that it is held there. */
const anchors = (function () {
  const found = [], still = i => [points[i].x, points[i].y, points[i].z].every(col => { for (const v of col) if (Math.abs(v - col[0]) > 1e-6 * box.size) return false; return true; });
  if (spatial || shapes.some(s => s.kind === "ground")) return found;
  for (const s of shapes)
    if (s.kind === "joint" || s.kind === "spring" || s.kind === "damper")
      for (const i of s.at) if (still(i) && !found.some(j => samePlace(i, j))) found.push(i);
  return found;
})();
function samePlace(i, j) {
  if (i === j) return true;
  const a = points[i], b = points[j], k = N >> 1, e = 1e-4 * box.size;
  return [0, k, N - 1].every(n => Math.abs(a.x[n] - b.x[n]) + Math.abs(a.y[n] - b.y[n]) + Math.abs(a.z[n] - b.z[n]) < e);
}

/* Points that can be traced: one entry for each place, called by its most telling shape. */
const tracers = (function () {
  const rank = { point: 0, joint: 1, body: 2, sphere: 3, circle: 3, box: 3, ellipsoid: 3, cylinder: 3, capsule: 3, line: 4, spring: 5, damper: 6, ground: 9 }, found = new Map();
  for (const s of shapes)
    s.at.forEach((i, k) => {
      const p = points[i], span = col => { let a = Infinity, b = -Infinity; for (const v of col) { if (v < a) a = v; if (v > b) b = v; } return b - a; };
      if (s.kind === "ground" || s.kind === "mesh" || (s.kind === "joint" || s.kind in solidKinds) && k || Math.max(span(p.x), span(p.y), span(p.z)) < 1e-3 * box.size) return;
      if (s.kind === "circle" && k === 2) return;
      const name = s.at.length > 1 && s.kind !== "joint" ? s.name + (s.kind === "body" || s.kind === "line" ? " · " + (k + 1) : k ? " · rim" : "") : s.name;
      for (const [j, e] of found)
        if (samePlace(i, j)) { if (rank[s.kind] < e.rank) { e.rank = rank[s.kind]; e.name = name; } return; }
      found.set(i, { point: i, name, rank: rank[s.kind], on: false });
    });
  return [...found.values()];
})();
(function () {      /* the point that travels furthest is traced from the start */
  let best = null, most = 0;
  for (const e of tracers) {
    const p = points[e.point];
    let way = 0;
    for (let i = 1; i < N; i++) way += Math.hypot(p.x[i] - p.x[i - 1], p.y[i] - p.y[i - 1], p.z[i] - p.z[i - 1]) || 0;
    if (e.rank !== 3 && way > most) { most = way; best = e; }
  }
  if (best) best.on = true;
})();

const scene = { names: false, canvas: byId("view") };

function path(c, list, closed) {
  c.beginPath();
  list.forEach((p, i) => i ? c.lineTo(p[0], p[1]) : c.moveTo(p[0], p[1]));
  if (closed) c.closePath();
}
function disc(c, p, r, fill, stroke, width) {
  c.beginPath();
  c.arc(p[0], p[1], r, 0, 2 * Math.PI);
  if (fill) { c.fillStyle = fill; c.fill(); }
  if (stroke) { c.strokeStyle = stroke; c.lineWidth = width || 1.6; c.stroke(); }
}
function tint(colour, alpha) { return "color-mix(in srgb, " + colour + " " + Math.round(alpha * 100) + "%, transparent)"; }

function drawBody(c, s, p, u) {
  const colour = seriesColour(s.order % 8, 8);
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
function mixed(colour, part) { return "color-mix(in srgb, " + colour + " " + Math.round(part * 100) + "%, " + theme.card + ")"; }

function drawLine(c, s, p, u) {
  const colour = seriesColour(s.order % 8, 8);
  c.lineJoin = c.lineCap = "round";
  path(c, p);
  c.lineWidth = Math.max(2.5, 0.85 * u);
  c.strokeStyle = colour;
  c.stroke();
}
function frameOf(a, b) {
  const dx = b[0] - a[0], dy = b[1] - a[1], l = Math.hypot(dx, dy) || 1e-9;
  return { l, e: [dx / l, dy / l], n: [-dy / l, dx / l] };
}
function drawSpring(c, s, p, u) {
  const f = frameOf(p[0], p[1]), turns = 9, end = Math.min(0.12 * f.l, 2 * u), side = s.aside * 1.8 * u, r = 1.25 * u;
  const at = (x, y) => [p[0][0] + f.e[0] * x + f.n[0] * y, p[0][1] + f.e[1] * x + f.n[1] * y];
  const list = [p[0]];
  if (side) list.push(at(0, side));
  list.push(at(end, side));
  for (let i = 0; i < 2 * turns; i++) list.push(at(end + (f.l - 2 * end) * (i + 0.5) / (2 * turns), side + (i % 2 ? -r : r)));
  list.push(at(f.l - end, side));
  if (side) list.push(at(f.l, side));
  list.push(p[1]);
  c.lineJoin = c.lineCap = "round";
  path(c, list);
  c.lineWidth = 2;
  c.strokeStyle = theme.steel;
  c.stroke();
}
function drawDamper(c, s, p, u) {
  const f = frameOf(p[0], p[1]), side = s.aside * 1.8 * u, r = 1.05 * u, a = 0.32 * f.l, b = 0.68 * f.l;
  const at = (x, y) => [p[0][0] + f.e[0] * x + f.n[0] * (y + side), p[0][1] + f.e[1] * x + f.n[1] * (y + side)];
  c.lineJoin = c.lineCap = "round";
  c.strokeStyle = theme.steel;
  c.lineWidth = 2;
  const stroke = list => { path(c, list); c.stroke(); };
  stroke([p[0], at(0, 0), at(a, 0)]);
  stroke([at(b, r), at(a, r), at(a, -r), at(b, -r)]);
  stroke([p[1], at(f.l, 0), at(0.5 * f.l, 0)]);
  c.lineWidth = 3;
  stroke([at(0.5 * f.l, 0.75 * r), at(0.5 * f.l, -0.75 * r)]);
}
function drawJoint(c, s, p, u) {
  const r = Math.max(3, 0.62 * u);
  if (p.length > 1) {       /* an axis in space: a pin */
    const f = frameOf(p[0], p[1]), l = Math.min(f.l, 2.4 * u), e = [f.e[0] * l / 2, f.e[1] * l / 2];
    c.lineCap = "round";
    c.strokeStyle = theme.steel;
    c.lineWidth = 0.9 * u;
    path(c, [[p[0][0] - e[0], p[0][1] - e[1]], [p[0][0] + e[0], p[0][1] + e[1]]]);
    c.stroke();
  }
  disc(c, p[0], r, theme.joint, theme.steel, 1.8);
}
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
function hatch(c, a, b, u, lines) {
  const f = frameOf(a, b), g = 0.9 * u, down = f.n[1] > 1e-6 || Math.abs(f.n[1]) <= 1e-6 && f.n[0] < 0 ? 1 : -1;
  c.lineWidth = 2;
  path(c, [a, b]);
  c.stroke();
  if (!lines) return;
  c.lineWidth = 1;
  c.beginPath();
  for (let x = 0.5 * g; x < f.l; x += g) {
    const q = [a[0] + f.e[0] * x, a[1] + f.e[1] * x];
    c.moveTo(q[0], q[1]);
    c.lineTo(q[0] - 0.7 * g * f.e[0] + down * g * f.n[0], q[1] - 0.7 * g * f.e[1] + down * g * f.n[1]);
  }
  c.stroke();
}
/* Centre and two points of the rim: the circle in their plane, with two spokes so that it is seen to turn. */
function drawCircle(c, s, at, project) {
  const [o, a, b] = at, A = a.map((v, k) => v - o[k]), B = b.map((v, k) => v - o[k]);
  const aa = A[0] * A[0] + A[1] * A[1] + A[2] * A[2], ab = A[0] * B[0] + A[1] * B[1] + A[2] * B[2];
  const W = B.map((v, k) => v - A[k] * ab / aa), r = Math.sqrt(aa), wl = Math.hypot(W[0], W[1], W[2]) || 1, list = [];
  const rim = (C, S) => project(o[0] + C * A[0] + S * r * W[0] / wl, o[1] + C * A[1] + S * r * W[1] / wl, o[2] + C * A[2] + S * r * W[2] / wl);
  for (let i = 0; i < 64; i++) list.push(rim(Math.cos(i * Math.PI / 32), Math.sin(i * Math.PI / 32)));
  const colour = seriesColour(s.order % 8, 8);
  path(c, list, true);
  c.fillStyle = tint(colour, 0.2);
  c.fill();
  c.strokeStyle = colour;
  c.lineWidth = 2.4;
  c.stroke();
  c.lineWidth = 1.2;
  path(c, [rim(1, 0), rim(-1, 0)]);
  c.stroke();
  path(c, [rim(0, 1), rim(0, -1)]);
  c.stroke();
}
function drawSphere(c, s, at, project) {
  const o = project(...at[0]), r = Math.hypot(at[1][0] - at[0][0], at[1][1] - at[0][1], at[1][2] - at[0][2]) * o[3];
  const colour = seriesColour(s.order % 8, 8), g = c.createRadialGradient(o[0] - 0.35 * r, o[1] - 0.4 * r, 0.1 * r, o[0], o[1], r);
  g.addColorStop(0, "color-mix(in srgb, " + colour + " 35%, white)");
  g.addColorStop(1, colour);
  disc(c, o, Math.max(r, 1), g, colour, 1.2);
  const q = project(...at[1]);
  if (q[2] >= o[2]) disc(c, q, Math.max(1.5, 0.08 * r), theme.joint, null);
}

/* Solids: faces of a unit shape, which the centre and three half axes carry into space; flat shading, back faces left out. */
const unitFaces = (function () {
  const ring = (n, r, z) => Array.from({ length: n }, (_, i) => [r * Math.cos(2 * Math.PI * i / n), r * Math.sin(2 * Math.PI * i / n), z]);
  const band = (a, b) => a.map((p, i) => [p, a[(i + 1) % a.length], b[(i + 1) % a.length], b[i]]);
  const n = 16, m = 4, low = ring(n, 1, -1), high = ring(n, 1, 1), dome = (up, at) => {
    const rows = [];
    for (let k = 0; k <= m; k++) rows.push(ring(n, Math.cos(k * Math.PI / 2 / m), Math.sin(k * Math.PI / 2 / m)));
    return rows.slice(1).flatMap((r, k) => up ? band(rows[k], r) : band(r.map(p => [p[0], p[1], -p[2]]), rows[k].map(p => [p[0], p[1], -p[2]]))).map(f => f.map(p => [p[0], p[1], p[2], at]));
  };
  const quad = (s, k) => { const a = (k + 1) % 3, b = (k + 2) % 3, p = (u, v) => { const q = [0, 0, 0]; q[k] = s; q[a] = u; q[b] = v; return q; };
    const f = [p(-1, -1), p(1, -1), p(1, 1), p(-1, 1)]; return s > 0 ? f : f.reverse(); };
  return {
    box: [0, 1, 2].flatMap(k => [quad(1, k), quad(-1, k)]),
    cylinder: band(low, high).concat([high, low.slice().reverse()]),
    ellipsoid: dome(true, 0).concat(dome(false, 0)),
    capsule: band(low, high).concat(dome(true, 1), dome(false, -1)),
  };
})();
function solidFaces(s, at) {
  const [o, ...e] = at, x = e.map(p => p.map((v, k) => v - o[k])), radius = Math.hypot(...x[0]), length = Math.hypot(...x[2]);
  const round = s.kind === "capsule" && length > 0 ? radius / length : 1;        /* a dome is as high as it is wide, beyond the end */
  return unitFaces[s.kind].map(f => f.map(p => {
    const z = s.kind === "capsule" && p.length > 3 ? p[3] + round * p[2] : p[2];
    return o.map((v, k) => v + p[0] * x[0][k] + p[1] * x[1][k] + z * x[2][k]);
  }));
}
function drawFace(c, s, face, project) {
  const p = face.map(q => project(...q)), u = face[1].map((v, k) => v - face[0][k]), w = face[2].map((v, k) => v - face[0][k]);
  let area = 0;
  p.forEach((q, i) => { const r = p[(i + 1) % p.length]; area += q[0] * r[1] - r[0] * q[1]; });
  if (area >= 0) return;        /* seen from behind */
  const n = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]], l = Math.hypot(...n) || 1, a = axes();
  const light = 0.5 * Math.max(0, (n[0] * a.eye[0] + n[1] * a.eye[1] + n[2] * a.eye[2]) / l) + 0.35 * Math.max(0, n[2] / l);
  c.fillStyle = c.strokeStyle = "color-mix(in srgb, " + seriesColour(s.order % 8, 8) + " " + Math.round(75 - 55 * light) + "%, " + (light > 0.3 ? "white" : "#445") + ")";
  c.lineWidth = 0.7;
  path(c, p, true);
  c.fill();
  c.stroke();
}

function niceLength(x) {
  const p = Math.pow(10, Math.floor(Math.log10(x))), f = x / p;
  return (f < 2 ? 1 : f < 5 ? 2 : 5) * p;
}
function lengthText(x) {
  if (D.lengthUnit !== "m") return show(x, 3);
  return x >= 1 ? show(x, 3) + " m" : x >= 1e-3 ? show(x * 1e3, 3) + " mm" : show(x * 1e6, 3) + " µm";
}
function drawGrid(c, project) {
  const s = camera.scale, step = niceLength(Math.min(camera.w, camera.h) / 5 / s);
  c.lineWidth = 1;
  if (!spatial) {
    const x0 = camera.mid[0] - camera.w / 2 / s, x1 = camera.mid[0] + camera.w / 2 / s, y0 = camera.mid[1] - camera.h / 2 / s, y1 = camera.mid[1] + camera.h / 2 / s;
    for (const [lo, hi, vertical] of [[x0, x1, true], [y0, y1, false]])
      for (let k = Math.ceil(lo / step); k * step <= hi; k++) {
        const p = project(vertical ? k * step : 0, vertical ? 0 : k * step, 0);
        c.strokeStyle = k ? theme.grid : theme["grid-strong"];
        path(c, vertical ? [[Math.round(p[0]) + 0.5, 0], [Math.round(p[0]) + 0.5, camera.h]] : [[0, Math.round(p[1]) + 0.5], [camera.w, Math.round(p[1]) + 0.5]]);
        c.stroke();
      }
  } else {
    const z = box.lo[2], r = step * Math.ceil(0.75 * box.size / step), gx = step * Math.round(box.mid[0] / step), gy = step * Math.round(box.mid[1] / step);
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
}
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
  let k = 0;
  for (const e of tracers) {
    if (!e.on) continue;
    const colour = seriesColour(k++ % 8, 8), p = points[e.point], now = sampleAt(t), all = [];
    for (let i = 0; i < N; i++) if (isFinite(p.x[i])) all.push(project(p.x[i], p.y[i], p.z[i]));
    c.lineJoin = "round";
    c.lineWidth = 1;
    c.strokeStyle = tint(colour, 0.28);
    path(c, all);
    c.stroke();
    const past = all.slice(0, now + 1);
    past.push(project(...pointAt(e.point, t)));
    c.lineWidth = 2;
    c.strokeStyle = tint(colour, 0.85);
    path(c, past);
    c.stroke();
  }
}
function drawNames(c, project, t) {
  const seen = [];
  c.font = "600 12px system-ui, sans-serif";
  c.textAlign = "left";
  for (const s of shapes) {
    let p;
    if (s.kind === "body" && s.at.length > 1 || s.kind === "line" || s.kind === "spring" || s.kind === "damper") {
      const q = s.at.map(i => project(...pointAt(i, t)));
      p = [q.reduce((a, v) => a + v[0], 0) / q.length, q.reduce((a, v) => a + v[1], 0) / q.length];
    } else if (s.kind !== "ground") p = project(...pointAt(s.at[0], t));
    if (!p || seen.some(q => Math.hypot(q[0] - p[0], q[1] - p[1]) < 14)) continue;
    seen.push(p);
    c.lineWidth = 3.5;
    c.lineJoin = "round";
    c.strokeStyle = theme.card;
    c.strokeText(s.name, p[0] + 9, p[1] - 8);
    c.fillStyle = theme.ink;
    c.fillText(s.name, p[0] + 9, p[1] - 8);
  }
}
function drawScene(t) {
  const { c, w, h } = fitCanvas(scene.canvas);
  if (w !== camera.w || h !== camera.h) { camera.w = w; camera.h = h; if (camera.fitted) cameraFit(); }
  if (!points.length) {
    c.fillStyle = theme.soft;
    c.font = "14px system-ui, sans-serif";
    c.textAlign = "center";
    c.fillText("This model has nothing to draw: give it points with `draw`.", w / 2, h / 2);
    return;
  }
  const project = projector(), zoom = Math.pow(camera.scale / camera.fit, 0.6);
  const u = Math.max(3, Math.min(30, (0.0105 * Math.min(w, h) + 2) * zoom * Math.min(1, 1.4 / Math.sqrt(1 + bodies.length / 10))));
  drawGrid(c, project);
  if (spatial) drawTriad(c);
  const layer = { ground: 0, spring: 2, damper: 2, body: 3, circle: 3, sphere: 3, line: 4, joint: 6, point: 7 }, list = [];
  for (const s of shapes) {
    if (s.kind === "mesh") continue;
    const at = s.at.map(i => pointAt(i, t)), p = at.map(q => project(...q));
    if (p.some(q => !isFinite(q[0]) || !isFinite(q[1]))) continue;
    if (s.kind in solidKinds) {         /* each face finds its own place among the others */
      for (const face of solidFaces(s, at))
        list.push({ s, at, p, face, depth: face.reduce((a, q) => a + project(...q)[2], 0) / face.length, layer: 3 });
      continue;
    }
    list.push({ s, at, p, depth: p.reduce((a, q) => a + q[2], 0) / p.length, layer: layer[s.kind] });
  }
  if (spatial) {
    c.lineJoin = c.lineCap = "round";
    c.fillStyle = c.strokeStyle = tint(theme.ink, 0.07);
    for (const e of list)
      if (e.s.kind === "body" || e.s.kind === "line") {
        const flat = e.at.map(q => project(q[0], q[1], box.lo[2]));
        path(c, e.s.kind === "body" ? hull(flat) : flat, e.s.kind === "body" && flat.length > 2);
        c.lineWidth = 1.6 * u;
        if (flat.length > 2 && e.s.kind === "body") c.fill();
        c.stroke();
      }
    for (const e of list)
      if (e.s.held)
        for (const b of list) if (e.s.held.has(b.s)) e.depth = Math.max(e.depth, b.depth + 1e-6 * box.size);
    list.sort((a, b) => a.depth - b.depth);
  } else list.sort((a, b) => a.layer - b.layer || a.s.order - b.s.order || 0);
  for (const i of anchors) drawGround(c, null, [project(...pointAt(i, t))], u);
  let traced = false;
  for (const { s, at, p, face, layer: l } of list) {
    if (!spatial && l > 4 && !traced) { drawTraces(c, project, t); traced = true; }
    if (face) drawFace(c, s, face, project);
    else if (s.kind === "body") drawBody(c, s, p, u);
    else if (s.kind === "line") drawLine(c, s, p, u);
    else if (s.kind === "joint") drawJoint(c, s, p, u);
    else if (s.kind === "spring") drawSpring(c, s, p, u);
    else if (s.kind === "damper") drawDamper(c, s, p, u);
    else if (s.kind === "circle") drawCircle(c, s, at, project);
    else if (s.kind === "sphere") drawSphere(c, s, at, project);
    else if (s.kind === "ground") drawGround(c, s, p, u);
    else disc(c, p[0], Math.max(4, 0.95 * u), seriesColour(s.order % 8, 8), theme.card, 1.5);
  }
  if (!traced) drawTraces(c, project, t);
  if (scene.names) drawNames(c, project, t);
}
