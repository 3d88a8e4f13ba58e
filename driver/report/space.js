/* SPDX-License-Identifier: 0BSD
   A mechanism in space as solids: bodies, symbols of joints and elements, traces, floor.  Sizes of symbols are fractions U of the size
   of the mechanism.  gl.js draws them. */
const v3 = {
  add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]], sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]], scale: (k, a) => [k * a[0], k * a[1], k * a[2]],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2], cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  unit: a => { const l = Math.hypot(a[0], a[1], a[2]); return l > 1e-300 ? [a[0] / l, a[1] / l, a[2] / l] : [0, 0, 1]; },
  along: (a, k, e) => [a[0] + k * e[0], a[1] + k * e[1], a[2] + k * e[2]]
};
/* Two directions across a unit vector. */
function across(e) {
  const k = Math.abs(e[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], n = v3.unit(v3.cross(k, e));
  return [n, v3.cross(e, n)];
}
const rgbCache = new Map();
/* A CSS colour as four numbers. */
function rgb(text, alpha) {
  let c = rgbCache.get(text);
  if (!c) {
    const ctx = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    ctx.fillStyle = text;
    ctx.fillRect(0, 0, 1, 1);
    c = [...ctx.getImageData(0, 0, 1, 1).data].slice(0, 3).map(v => v / 255);
    rgbCache.set(text, c);
  }
  return [c[0], c[1], c[2], alpha === undefined ? 1 : alpha];
}

function startSpace() {
  const canvas = byId("solid");
  let r = null;
  try { r = spatial && points.length ? makeRenderer(canvas) : null; } catch (e) { r = null; }
  if (!r) { canvas.remove(); return; }
  let sink = r;         /* where painters put solids: on the screen, or into the way of a ray */
  let U = 1, quality = r.soft ? 0.7 : 1, slow = 0, stamp = 0;
  const unit = () => scene.large * 0.0105 * box.diagonal * Math.min(1, 1.4 / Math.sqrt(1 + bodies.length / 10));
  for (const [name, m] of Object.entries(D.meshes || {})) r.mesh("mesh:" + name, meshTriangles(m));

  /* A body that shows its mesh shows nothing else by itself. */
  const clad = new Set(shapes.filter(s => s.kind === "mesh" && D.meshes && D.meshes[s.file] && s.on[0] > 0).map(s => s.on[0]));
  for (const s of shapes) if (clad.has(s.on[0]) && s.kind !== "mesh" && (s.name === bodyNames[s.on[0]] || s.kind in symbols && s.kind !== "force" && s.kind !== "torque")) s.clear = 1;
  const large = (o, size) => size * r.pixels(o) > 2;        /* details of symbols that are smaller than that, in pixels, are left out */
  const rod = (a, b, radius, colour, kind) => {
    const d = v3.sub(b, a), l = Math.hypot(...d);
    if (!(l > 1e-12 * box.size)) return;
    const e = v3.scale(1 / l, d), [n, m] = across(e);
    sink.add(kind || "cylinder", v3.scale(radius, n), v3.scale(radius, m), v3.scale(l / 2, e), v3.along(a, l / 2, e), colour);
  };
  const ball = (o, radius, colour) => sink.add("sphere", [radius, 0, 0], [0, radius, 0], [0, 0, radius], o, colour);
  const stick = (a, b, radius, colour) => { rod(a, b, radius, colour, "tube"); if (large(a, radius)) { ball(a, radius, colour); ball(b, radius, colour); } };
  const pin = (o, axis, radius, half, colour) => { const e = v3.unit(axis); rod(v3.along(o, -half, e), v3.along(o, half, e), radius, colour); };
  const block = (o, axis, a, b, c, colour) => { const e = v3.unit(axis), [n, m] = across(e); sink.add("box", v3.scale(a, e), v3.scale(b, n), v3.scale(c, m), o, colour); };
  const arrow = (o, v, length, colour, heads) => {
    const e = v3.unit(v), [n, m] = across(e), head = 2.4 * U;
    rod(o, v3.along(o, length, e), 0.42 * U, colour);
    for (let k = 0; k < heads; k++) sink.add("cone", v3.scale(1.15 * U, n), v3.scale(1.15 * U, m), v3.scale(head, e), v3.along(o, length - k * 1.6 * U, e), colour);
  };
  const rail = (s, x, radius, colour) => {
    const [lo, hi] = travelOf(s), e = v3.unit(x.V[0]);
    rod(v3.along(x.W[1], lo - 3 * U, e), v3.along(x.W[1], hi + 3 * U, e), radius, colour);
  };
  const helix = (a, b, radius, wire, turns, colour) => {
    const d = v3.sub(b, a), l = Math.hypot(...d), e = v3.unit(d), [n, m] = across(e), steps = 12 * turns;
    let last = a;
    for (let i = 0; i <= steps; i++) {
      const q = 2 * Math.PI * turns * i / steps, k = 0.08 * l + 0.84 * l * i / steps;
      const p = v3.add(v3.along(a, k, e), v3.add(v3.scale(radius * Math.cos(q), n), v3.scale(radius * Math.sin(q), m)));
      rod(last, p, wire, colour, "tube");
      last = p;
    }
    rod(last, b, wire, colour, "tube");
  };
  /* Faces of the hull of a body's points, by the first sample: they turn with it. */
  function facesOf(s) {
    if (s.faces) return s.faces;
    const p = s.fixed.map(i => [points[i].x[0], points[i].y[0], points[i].z[0]]), n = p.length, e = 1e-6 * box.size, faces = [], seen = new Set();
    for (let i = 0; i < n && n <= 40; i++) for (let j = i + 1; j < n; j++) for (let k = j + 1; k < n; k++) {
      const m = v3.cross(v3.sub(p[j], p[i]), v3.sub(p[k], p[i])), l = Math.hypot(...m);
      if (l < e * e) continue;
      const nn = v3.scale(1 / l, m), side = p.map(q => v3.dot(nn, v3.sub(q, p[i])));
      if (side.some(d => d > e) && side.some(d => d < -e)) continue;
      const flat = side.map((d, q) => Math.abs(d) <= e ? q : -1).filter(q => q >= 0), key = flat.join();
      if (seen.has(key)) continue;
      seen.add(key);
      const [a, b] = across(nn), mid = v3.scale(1 / flat.length, flat.reduce((t, q) => v3.add(t, p[q]), [0, 0, 0]));
      const turn = q => { const d = v3.sub(p[q], mid); return Math.atan2(v3.dot(d, b), v3.dot(d, a)); };
      faces.push(flat.sort((q, w) => turn(q) - turn(w)));
    }
    return s.faces = faces;
  }
  function body(s, x, colour) {
    const p = x.W, thin = k => Math.min(1.05 * U, 0.16 * k);
    if (p.length === 1) return ball(p[0], 1.5 * U, colour);
    if (p.length === 2) return stick(p[0], p[1], thin(Math.hypot(...v3.sub(p[1], p[0]))), colour);
    const faces = facesOf(s), edges = new Set();
    for (const f of faces) {
      const n = v3.unit(v3.cross(v3.sub(p[f[1]], p[f[0]]), v3.sub(p[f[2]], p[f[0]])));
      for (let i = 2; i < f.length; i++) sink.triangle(p[f[0]], p[f[i - 1]], p[f[i]], n, colour);
      f.forEach((a, i) => { const b = f[(i + 1) % f.length]; edges.add(Math.min(a, b) + "," + Math.max(a, b)); });
    }
    if (!faces.length) {        /* all in one line */
      const d = v3.unit(v3.sub(p.reduce((a, q) => Math.hypot(...v3.sub(q, p[0])) > Math.hypot(...v3.sub(a, p[0])) ? q : a), p[0])), along = p.map(q => v3.dot(v3.sub(q, p[0]), d));
      const a = p[along.indexOf(Math.min(...along))], b = p[along.indexOf(Math.max(...along))];
      return stick(a, b, thin(Math.hypot(...v3.sub(b, a))), colour);
    }
    for (const e of edges) { const [a, b] = e.split(","); stick(p[a], p[b], faces.length === 1 ? 0.6 * U : 0.3 * U, colour); }
  }
  const least = (v, size) => { const l = Math.hypot(...v); return l < size ? v3.scale(size, l > 0 ? v3.scale(1 / l, v) : [0, 0, 1]) : v; };
  /* A half axis of no length is given one, across the two others. */
  function halves(V) {
    const small = V.map(v => Math.hypot(...v)), most = Math.max(...small), k = small.indexOf(Math.min(...small));
    if (small[k] > 0.02 * most) return V;
    const out = V.slice();
    out[k] = v3.scale(Math.max(0.02 * most, 1e-9 * box.size), v3.unit(v3.cross(V[(k + 1) % 3], V[(k + 2) % 3])));
    return out;
  }
  const paint = {
    body: (s, x, c) => body(s, x, c),
    line: (s, x, c) => { for (let i = 1; i < x.W.length; i++) stick(x.W[i - 1], x.W[i], 0.55 * U, c); },
    ground: (s, x) => { const c = rgb(theme.ground); if (x.W.length === 1) block(x.W[0], [0, 0, 1], 1.4 * U, 1.4 * U, 1.4 * U, c); for (let i = 1; i < x.W.length; i++) stick(x.W[i - 1], x.W[i], 0.6 * U, c); },
    point: (s, x, c) => ball(x.W[0], 1.2 * U, c),
    sphere: (s, x, c) => { const q = Math.hypot(...x.V[0]); ball(x.W[0], q, c); ball(v3.add(x.W[0], v3.scale(0.97, x.V[0])), 0.1 * q, rgb(theme.joint, c[3])); },
    circle: (s, x, c) => {
      const [a, b] = x.V, e = v3.unit(v3.cross(a, b)), q = Math.hypot(...a), [n, m] = [v3.unit(a), v3.cross(e, v3.unit(a))], h = Math.min(0.6 * U, 0.08 * q);
      sink.add("cylinder", v3.scale(q, n), v3.scale(q, m), v3.scale(h, e), x.W[0], c);
      sink.add("box", v3.scale(0.96 * q, n), v3.scale(0.04 * q, m), v3.scale(1.25 * h, e), x.W[0], rgb(theme.joint, c[3]));
    },
    box: (s, x, c) => { const V = halves(x.V); sink.add("box", ...V, x.W[0], c); },
    ellipsoid: (s, x, c) => sink.add("sphere", ...halves(x.V), x.W[0], c),
    cylinder: (s, x, c) => {
      const V = halves(x.V), mark = rgb(theme.joint, c[3]);
      sink.add("cylinder", ...V, x.W[0], c);
      sink.add("box", v3.scale(0.9, V[0]), v3.scale(0.05, V[1]), v3.scale(1.01, V[2]), x.W[0], mark);      /* seen to turn */
    },
    capsule: (s, x, c) => { const q = Math.hypot(...x.V[0]), a = v3.sub(x.W[0], x.V[2]), b = v3.add(x.W[0], x.V[2]); rod(a, b, q, c); ball(a, q, c); ball(b, q, c); },
    wheel: (s, x, c) => {
      const [A, B, Z] = halves(x.V.slice(0, 3)), inner = x.V[3][0], mid = (1 + inner) / 2, hub = Math.min(0.16, 0.5 * inner), q = Math.hypot(...A), n = 32, h = Math.max(Math.hypot(...Z), 0.02 * q);
      const e = v3.unit(v3.cross(A, B)), at = (r, a) => v3.add(x.W[0], v3.add(v3.scale(r * Math.cos(a), A), v3.scale(r * Math.sin(a), B)));
      for (let i = 0; i < n; i++) {
        const a = 2 * Math.PI * i / n, out = v3.add(v3.scale(Math.cos(a), A), v3.scale(Math.sin(a), B)), along = v3.cross(e, v3.unit(out));
        sink.add("box", v3.scale((1 - inner) / 2, out), v3.scale(1.03 * q * Math.tan(Math.PI / n), along), v3.scale(h, e), at(mid, a), c);
      }
      for (let k = 0; k < 6; k++) rod(at(hub, k * Math.PI / 3), at(inner, k * Math.PI / 3), Math.max(0.02 * q, 0.1 * h), c, "tube");
      sink.add("cylinder", v3.scale(hub, A), v3.scale(hub, B), v3.scale(1.15 * h, e), x.W[0], c);
    },
    toothed: (s, x, c) => {
      const [A, B, Z] = halves(x.V.slice(0, 3)), n = Math.max(4, Math.round(x.V[3][0])), m = 2 / n, q = Math.hypot(...A), e = v3.unit(v3.cross(A, B)), h = Math.max(Math.hypot(...Z), 0.02 * q);
      sink.add("cylinder", v3.scale(1 - 1.25 * m, A), v3.scale(1 - 1.25 * m, B), v3.scale(h, e), x.W[0], c);
      for (let i = 0; i < n; i++) {
        const a = 2 * Math.PI * i / n, out = v3.add(v3.scale(Math.cos(a), A), v3.scale(Math.sin(a), B));
        sink.add("box", v3.scale(1.3 * m, out), v3.scale(0.22 * 2 * Math.PI / n * q, v3.cross(e, v3.unit(out))), v3.scale(h, e), v3.add(x.W[0], v3.scale(1 - 0.3 * m, out)), c);
      }
      sink.add("box", v3.scale(0.7, A), v3.scale(0.04, B), v3.scale(1.02 * h, e), x.W[0], rgb(theme.joint, c[3]));
    },
    plate: (s, x, c) => {
      const p = x.W, z = Math.hypot(...x.V[0]) ? x.V[0] : v3.scale(0.15 * U, v3.unit(v3.cross(v3.sub(p[1], p[0]), v3.sub(p[2], p[0]))));
      const up = p.map(q => v3.add(q, z)), down = p.map(q => v3.sub(q, z)), e = v3.unit(z);
      for (const [i, j, k] of earsOf(s)) { sink.triangle(up[i], up[j], up[k], e, c); sink.triangle(down[i], down[j], down[k], v3.scale(-1, e), c); }
      p.forEach((q, i) => {
        const k = (i + 1) % p.length, n = v3.unit(v3.cross(v3.sub(p[k], q), z));
        sink.triangle(up[i], down[i], down[k], n, c);
        sink.triangle(up[i], down[k], up[k], n, c);
      });
    },
    mesh: (s, x, c) => { if (D.meshes && D.meshes[s.file]) sink.add("mesh:" + s.file, ...x.V, x.W[0], c); },
    revolute: (s, x, c, k) => { if (x.V.length) { pin(x.W[0], x.V[0], 1.25 * U, 1.7 * U, k); if (large(x.W[0], 0.6 * U)) pin(x.W[0], x.V[0], 0.6 * U, 2.2 * U, rgb(theme.joint)); } else ball(x.W[0], 1.3 * U, k); },
    spherical: (s, x, c, k) => ball(x.W[0], 1.55 * U, k),
    universal: (s, x, c, k) => { for (const v of x.V) pin(x.W[0], v, 0.6 * U, 2.2 * U, k); ball(x.W[0], 0.9 * U, k); },
    constant_velocity: (s, x, c, k) => { ball(x.W[0], 1.5 * U, k); for (const v of x.V) pin(x.W[0], v, 0.5 * U, 2.4 * U, k); },
    fixed: (s, x, c, k) => block(x.W[0], [0, 0, 1], 1.1 * U, 1.1 * U, 1.1 * U, k),
    prismatic: (s, x, c, k) => { rail(s, x, 0.4 * U, rgb(theme.ground)); block(x.W[0], x.V[0], 2.2 * U, 1.25 * U, 1.25 * U, k); },
    cylindrical: (s, x, c, k) => { rail(s, x, 0.5 * U, rgb(theme.ground)); pin(x.W[0], x.V[0], 1.3 * U, 2.1 * U, k); },
    screw: (s, x, c, k) => { paint.cylindrical(s, x, c, k); const e = v3.unit(x.V[0]); for (let i = -2; i <= 2; i++) pin(v3.along(x.W[0], 0.9 * i * U, e), e, 1.55 * U, 0.18 * U, k); },
    point_on_line: (s, x, c, k) => { rail(s, x, 0.4 * U, rgb(theme.ground)); ball(x.W[0], 1.5 * U, k); },
    slot: (s, x, c, k) => paint.point_on_line(s, x, c, k),
    planar: (s, x, c, k) => block(x.W[0], x.V[0], 0.2 * U, 3.2 * U, 3.2 * U, k),
    distance: (s, x, c, k) => { rod(x.W[0], x.W[1], 0.45 * U, k, "tube"); for (const p of x.W) ball(p, 0.9 * U, k); },
    joint: (s, x, c, k) => paint.revolute(s, x, c, k),
    spring: (s, x, c, k) => helix(x.W[0], x.W[1], 1.5 * U, 0.28 * U, 9, s.colour ? c : k),
    damper: (s, x, c, k) => { const [a, b] = x.W, m = v3.scale(0.5, v3.add(a, b)), q = v3.add(a, v3.scale(0.7, v3.sub(b, a))); rod(a, m, 0.4 * U, k, "tube"); rod(v3.add(a, v3.scale(0.35, v3.sub(b, a))), q, 1.0 * U, k); rod(q, b, 0.4 * U, k, "tube"); },
    turn_spring: (s, x, c, k) => { const e = v3.unit(x.V[0] || [0, 0, 1]); helix(v3.along(x.W[0], -2 * U, e), v3.along(x.W[0], 2 * U, e), 2 * U, 0.25 * U, 4, k); },
    turn_damper: (s, x, c, k) => pin(x.W[0], x.V[0] || [0, 0, 1], 2.1 * U, 0.7 * U, [k[0], k[1], k[2], 0.55]),
    bushing: (s, x, c, k) => { ball(x.W[0], 1.9 * U, [0.2, 0.22, 0.26, 0.6]); ball(x.W[1], 0.9 * U, k); },
    friction: (s, x) => pin(x.W[0], x.V[0] || [0, 0, 1], 1.9 * U, 0.3 * U, rgb(theme.force)),
    limit: (s, x, c, k) => { const e = v3.unit(x.V[0] || [0, 0, 1]), [n, m] = across(e); for (const a of [-0.9, 0.9]) { const d = v3.add(v3.scale(Math.cos(a), n), v3.scale(Math.sin(a), m)); block(v3.along(x.W[0], 2.7 * U, d), d, 0.9 * U, 0.35 * U, 0.35 * U, k); } },
    clutch: (s, x, c, k) => { const e = v3.unit(x.V[0] || [0, 0, 1]), [n, m] = across(e), o = v3.along(x.W[0], 2 * U, n); pin(x.W[0], e, 2 * U, 0.35 * U, [k[0], k[1], k[2], 0.55]); sink.add("cone", v3.scale(0.8 * U, n), v3.scale(0.8 * U, e), v3.scale(1.6 * U, m), v3.along(o, 0.8 * U, m), k); block(v3.along(o, 1 * U, m), m, 0.15 * U, 0.9 * U, 0.9 * U, k); },
    ratchet: (s, x, c, k) => {
      const e = v3.unit(x.V[0] || [0, 0, 1]), [n, m] = across(e);
      pin(x.W[0], e, 1.8 * U, 0.4 * U, k);
      for (let i = 0; i < 10; i++) { const a = 2 * Math.PI * i / 10, d = v3.add(v3.scale(Math.cos(a), n), v3.scale(Math.sin(a), m)), t = v3.cross(e, d); block(v3.along(v3.along(x.W[0], 1.95 * U, d), -0.2 * U, t), v3.unit(v3.add(d, v3.scale(0.6, t))), 0.45 * U, 0.2 * U, 0.4 * U, k); }
    },
    rotor: (s, x, c, k) => pin(x.W[0], x.V[0] || [0, 0, 1], 2.5 * U, 0.5 * U, k),
    drive: (s, x) => { const e = v3.unit(x.V[0] || [0, 0, 1]); pin(v3.along(x.W[0], 3.2 * U, e), e, 1.9 * U, 1.6 * U, rgb(theme.accent)); pin(v3.along(x.W[0], 3.2 * U, e), e, 1.2 * U, 2 * U, rgb(theme.accent)); },
    drive_along: (s, x) => arrow(v3.along(x.W[0], 2.4 * U, v3.unit(x.V[0])), x.V[0], 2 * U, rgb(theme.accent), 1),
    gear: (s, x, c, k) => {
      const [a, b] = x.W, d = Math.hypot(...v3.sub(b, a)), ratio = x.V[2][0], q = Math.abs(ratio) || 1, parallel = Math.abs(v3.dot(v3.unit(x.V[0]), v3.unit(x.V[1]))) > 0.999;
      if (!(x.V[2][1] && x.V[2][2]) || d < 1e-9 * box.size || !parallel) { pin(a, x.V[0], 2.4 * U, 0.4 * U, k); if (d > U) pin(b, x.V[1], 2.4 * U, 0.4 * U, k); return; }
      const r1 = ratio < 0 ? d * q / (1 + q) : 0.72 * d * q / (1 + q);
      pin(a, x.V[0], r1, 0.4 * U, [k[0], k[1], k[2], 0.5]);
      pin(b, x.V[1], r1 / q, 0.4 * U, [k[0], k[1], k[2], 0.5]);
    },
    contact: (s, x) => {
      const e = v3.unit(x.V[0]);
      if (s.on[1] === 0 && e[2] > 0.9999 && Math.abs(x.W[1][2] - floorHeight()) < 0.02 * box.size) return;        /* the floor is that plane */
      const [n, m] = across(e), foot = v3.along(x.W[0], -v3.dot(v3.sub(x.W[0], x.W[1]), e), e), size = 0.22 * box.diagonal;
      sink.add("box", v3.scale(size, n), v3.scale(size, m), v3.scale(0.02 * U, e), foot, rgb(theme.ground, 0.3));
    },
    force: (s, x, c) => { const l = Math.hypot(...x.V[0]); if (isShown(s) && l > 0) arrow(x.W[0], x.V[0], 0.22 * box.diagonal * l / scene.mostForce, s.colour ? c : rgb(arrowColour(s)), 1); },
    torque: (s, x, c) => { const l = Math.hypot(...x.V[0]); if (isShown(s) && l > 0) arrow(x.W[0], x.V[0], 0.03 * box.diagonal + 0.14 * box.diagonal * l / scene.mostTorque, s.colour ? c : rgb(arrowColour(s)), 2); },
  };
  /* By columns: clip x and y as projector() has them, depth between near and far. */
  function viewMatrix() {
    const a = axes(), m = camera.mid.map((v, k) => v + camera.shift[k]), far = eyeDistance(), s = camera.scale, kx = 2 * s / camera.w, ky = 2 * s / camera.h;
    const zn = 0.05 * far, zf = far + 8 * whole.diagonal, A = (zf + zn) / (zf - zn) / far, B = -2 * zf * zn / (zf - zn) / far;
    const rows = [a.right.map(v => kx * v), a.up.map(v => ky * v), a.eye.map(v => -A * v), a.eye.map(v => -v / far)], last = [0, 0, A * far + B, 1];
    const out = new Float32Array(16);
    for (let i = 0; i < 4; i++) { for (let k = 0; k < 3; k++) out[4 * k + i] = rows[i][k]; out[12 + i] = last[i] - v3.dot(rows[i], m); }
    return { view: out, eye: v3.along(m, far, a.eye), m };
  }
  function shadeMatrix(light, m) {
    const [n, q] = across(light), s = 1 / (0.75 * box.diagonal), out = new Float32Array(16), c = camera.follow === undefined ? box.mid : m;
    const rows = [v3.scale(s, n), v3.scale(s, q), v3.scale(-0.5 * s, light)];
    for (let i = 0; i < 3; i++) { for (let k = 0; k < 3; k++) out[4 * k + i] = rows[i][k]; out[12 + i] = -v3.dot(rows[i], c); }
    out[15] = 1;
    return out;
  }
  function traceList(t) {
    const list = [], i1 = sampleAt(t);
    for (const e of tracers) {
      if (!e.on) continue;
      if (!e.data) {
        const p = points[e.point];
        e.data = new Float32Array(3 * N);
        for (let i = 0; i < N; i++) e.data.set([p.x[i], p.y[i], p.z[i]], 3 * i);
      }
      const colour = colourOf(e.shape, e.shape.kind in bodyKinds ? undefined : seriesColour(bodyNames.length % 8, 8)), from = e.coarse ? Math.max(0, i1 - 40) : 0;
      const k = canvas.width / camera.w;
      if (!e.coarse) list.push({ key: e.point, data: e.data, from: 0, count: N - 1, width: 0.7 * k, tone: rgb(colour, 0.35) });
      const past = { key: e.point, data: e.data, from, count: i1 - from, width: 1.4 * k, tone: rgb(colour, 0.95) };
      list.push(past, { ...past, key: "now " + e.point, data: new Float32Array([...e.data.subarray(3 * i1, 3 * i1 + 3), ...pointAt(e.point, t)]), from: 0, count: 1 });
    }
    return list;
  }
  /* Fewer pixels where the machine is slow: only while frames follow each other. */
  function pace() {
    const time = performance.now(), d = time - stamp;
    stamp = time;
    if (!now.playing || d > 2000) return;       /* the page was out of sight */
    slow = 0.9 * slow + 0.1 * d;
    if (slow > 19 && quality > 0.5) { quality = Math.max(0.5, 0.8 * quality); slow = 14; }
  }
  scene.quality = () => quality;
  /* The first of these shapes that a ray from o along d meets, and where. */
  scene.meets = (list, o, d) => {
    let best = null, near = Infinity, s = null;
    const test = (p, q, w, o, d) => {           /* the ray's parameter at a triangle (Moeller and Trumbore) */
      const a = v3.sub(q, p), b = v3.sub(w, p), h = v3.cross(d, b), det = v3.dot(a, h), c = v3.sub(o, p), u = v3.dot(c, h) / det, n = v3.cross(c, a), v = v3.dot(d, n) / det, t = v3.dot(b, n) / det;
      if (det !== 0 && u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < near) { near = t; best = s; }
    };
    sink = {
      add: (kind, a, b, c, at) => {             /* the ray in the axes of the unit shape */
        const n = [v3.cross(b, c), v3.cross(c, a), v3.cross(a, b)], det = v3.dot(a, n[0]), inside = v => n.map(k => v3.dot(k, v) / det), O = inside(v3.sub(o, at)), E = inside(d);
        for (const [p, q, w] of r.trianglesOf(kind)) test(p, q, w, O, E);
      },
      triangle: (p, q, w) => test(p, q, w, o, d),
    };
    for (const e of list) { s = e.s; paint[s.kind](s, e.x, [0, 0, 0, 1], [0, 0, 0, 1]); }
    sink = r;
    return best && { s: best, at: v3.along(o, near, d) };
  };
  scene.solid = (t, list) => {
    pace();
    const k = Math.min(2, window.devicePixelRatio || 1) * (now.playing ? quality : r.soft ? 2 : 1), w = Math.max(1, Math.round(camera.w * k)), h = Math.max(1, Math.round(camera.h * k));
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    U = unit();
    const steel = rgb(theme.steel), dark = parseInt(theme.card.slice(1, 3), 16) < 128;
    const { view, eye, m } = viewMatrix();
    r.begin(view);
    for (const { s, x } of list) paint[s.kind](s, x, rgb(colourOf(s), 1 - (s.clear || 0)), s.colour ? rgb(colourOf(s)) : steel);
    const light = v3.unit([0.35, -0.45, 0.85]), wide = 1.6 * box.diagonal;
    r.draw({ view, eye, light, shade: shadeMatrix(light, m), sky: dark ? [0.55, 0.57, 0.6] : [0.7, 0.71, 0.73], earth: dark ? [0.26, 0.25, 0.24] : [0.44, 0.43, 0.42], traces: traceList(t),
      floor: { where: [m[0], m[1], floorHeight() - 0.002 * box.size, wide], step: gridStep(), line: rgb(theme.ground, 0.4), ground: rgb(theme.ground, 0.07) } });
  };
}
/* A polygon as triangles, by cutting ears; its corners are in one plane, those of the first sample say how. */
function earsOf(s) {
  if (s.ears) return s.ears;
  const p = s.fixed.map(i => [points[i].x[0], points[i].y[0], points[i].z[0]]), n = p.length, out = [];
  let normal = [0, 0, 0];
  for (let i = 0; i < n; i++) normal = v3.add(normal, v3.cross(v3.sub(p[i], p[0]), v3.sub(p[(i + 1) % n], p[0])));
  const turn = (a, b, c) => v3.dot(normal, v3.cross(v3.sub(p[b], p[a]), v3.sub(p[c], p[a])));
  let left = [...p.keys()];
  while (left.length > 3) {
    const m = left.length, k = left.findIndex((b, i) => {
      const a = left[(i + m - 1) % m], c = left[(i + 1) % m];
      return turn(a, b, c) > 0 && !left.some(q => q !== a && q !== b && q !== c && turn(a, b, q) > 0 && turn(b, c, q) > 0 && turn(c, a, q) > 0);
    });
    const i = k < 0 ? 0 : k;
    out.push([left[(i + m - 1) % m], left[i], left[(i + 1) % m]]);
    left = left.filter((_, j) => j !== i);
  }
  out.push(left);
  return s.ears = out;
}
/* Triangles of a mesh with the normals of its faces, from corners in 16 bits and indices. */
function meshTriangles(m) {
  const v = new DataView(bytesOf(m.corners).buffer), f = bytesOf(m.triangles), i = new DataView(f.buffer), n = f.length / 3 / m.bytes, out = new Float32Array(18 * n);
  const corner = k => [0, 1, 2].map(d => m.lo[d] + m.step[d] * v.getUint16(6 * k + 2 * d, true));
  for (let t = 0; t < n; t++) {
    const p = [0, 1, 2].map(k => corner(m.bytes === 2 ? i.getUint16(6 * t + 2 * k, true) : i.getUint32(12 * t + 4 * k, true))), e = v3.unit(v3.cross(v3.sub(p[1], p[0]), v3.sub(p[2], p[0])));
    p.forEach((q, k) => out.set([...q, ...e], 18 * t + 6 * k));
  }
  return out;
}
