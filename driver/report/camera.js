/* SPDX-License-Identifier: 0BSD
   Points of the drawing and how they reach the screen.  A plane mechanism is seen along -z with y up; a spatial one
   by an orbiting eye with z up and a mild perspective. */
const points = (D.points || []).map(p => ({ x: columnOf(p[0]), y: columnOf(p[1]), z: columnOf(p[2]) }));
const spatial = !!D.spatial;

/* The box that holds every point at every time. */
const box = (function () {
  const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
  const apart = new Set();              /* the axes of a mesh are no places */
  for (const s of D.shapes || []) if (s.kind === "mesh") s.at.slice(1).forEach(i => apart.add(i));
  for (const s of D.shapes || []) if (s.kind !== "mesh") s.at.forEach(i => apart.delete(i));
  for (const p of points.filter((_, i) => !apart.has(i)))
    [p.x, p.y, p.z].forEach((col, k) => { for (const v of col) if (isFinite(v)) { if (v < lo[k]) lo[k] = v; if (v > hi[k]) hi[k] = v; } });
  for (const s of D.shapes || [])       /* what reaches beyond its points */
    if (s.kind === "circle" || s.kind === "sphere") {
      const a = points[s.at[0]], b = points[s.at[1]];
      const r = Math.hypot(a.x[0] - b.x[0], a.y[0] - b.y[0], a.z[0] - b.z[0]);
      [a.x, a.y, a.z].forEach((col, k) => {
        if (k === 2 && !spatial) return;
        for (const v of col) { if (v - r < lo[k]) lo[k] = v - r; if (v + r > hi[k]) hi[k] = v + r; }
      });
    }
  for (let k = 0; k < 3; k++) if (!(hi[k] >= lo[k])) lo[k] = hi[k] = 0;
  const size = Math.max(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]) || 1;
  return { lo, hi, size, mid: lo.map((v, k) => (v + hi[k]) / 2) };
})();

const camera = { mid: box.mid.slice(), yaw: -0.9, pitch: 0.42, scale: 1, w: 1, h: 1, fitted: true };

function cameraFit() {
  const pad = Math.min(46, 0.12 * Math.min(camera.w, camera.h)) + 10;
  camera.mid = box.mid.slice();
  const w = camera.w - 2 * pad, h = camera.h - 2 * pad - 14;
  if (spatial) {
    const d = Math.hypot(box.hi[0] - box.lo[0], box.hi[1] - box.lo[1], box.hi[2] - box.lo[2]) || 1;
    camera.scale = 1.08 * Math.min(w, h) / d;
  } else {
    const dx = box.hi[0] - box.lo[0], dy = box.hi[1] - box.lo[1], s = box.size;
    camera.scale = Math.min(w / Math.max(dx, 0.05 * s), h / Math.max(dy, 0.05 * s));
  }
  camera.fit = camera.scale;
  camera.fitted = true;
}
function axes() {
  const cy = Math.cos(camera.yaw), sy = Math.sin(camera.yaw), cp = Math.cos(camera.pitch), sp = Math.sin(camera.pitch);
  return { right: [-sy, cy, 0], up: [-sp * cy, -sp * sy, cp], eye: [cp * cy, cp * sy, sp] };
}
/* Screen x, y, depth towards the eye and local scale. */
function projector() {
  const m = camera.mid, s = camera.scale, cx = camera.w / 2, cy = camera.h / 2 + (spatial ? 0 : 6);
  if (!spatial) return (x, y, z) => [cx + s * (x - m[0]), cy - s * (y - m[1]), z, s];
  const a = axes(), far = 3.2 * (Math.hypot(box.hi[0] - box.lo[0], box.hi[1] - box.lo[1], box.hi[2] - box.lo[2]) || 1);
  return (x, y, z) => {
    const X = x - m[0], Y = y - m[1], Z = z - m[2];
    const depth = a.eye[0] * X + a.eye[1] * Y + a.eye[2] * Z, k = s * far / Math.max(0.2 * far, far - depth);
    return [cx + k * (a.right[0] * X + a.right[1] * Y), cy - k * (a.up[0] * X + a.up[1] * Y + a.up[2] * Z), depth, k];
  };
}
function pointAt(i, t) {
  const p = points[i];
  return [valueAt(p.x, t), valueAt(p.y, t), valueAt(p.z, t)];
}
/* Outline of projected points, counter-clockwise (monotone chain). */
function hull(list) {
  const p = list.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]), out = [];
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  if (p.length < 3) return p;
  for (let pass = 0; pass < 2; pass++) {
    const base = out.length;
    for (const q of pass ? p.reverse() : p) {
      while (out.length >= base + 2 && turn(out[out.length - 2], out[out.length - 1], q) <= 0) out.pop();
      out.push(q);
    }
    out.pop();
  }
  return out;
}
