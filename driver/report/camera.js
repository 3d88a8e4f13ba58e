/* SPDX-License-Identifier: 0BSD
   Points of the drawing and how they reach the screen.  A plane mechanism is seen along -z with y up; a spatial one
   by an orbiting eye with z up and perspective.  Of a shape's points the first `places` are places, the others vectors:
   axes, half axes of solids, forces. */
const points = (D.points || []).map(p => ({ x: columnOf(p[0]), y: columnOf(p[1]), z: columnOf(p[2]) }));
const spatial = !!D.spatial;
const shapes = D.shapes || [];
const bodyNames = D.bodies || [];
const solidKinds = { box: 1, ellipsoid: 1, cylinder: 1, capsule: 1, mesh: 1, wheel: 1, toothed: 1 };
/* Reactions, where the run has them: arrows at the joints' places on their second bodies, from the columns J.reaction.x and J.moment. */
(function () {
  const series = new Map(D.groups.flatMap(g => g.key.startsWith("reaction") ? g.series.map(s => [s.name, s.data]) : [])), none = new Float64Array(N);
  const column = name => series.has(name) ? columnOf(series.get(name)) : none;
  for (const s of shapes.slice()) {
    const place = s.kind === "distance" ? 1 : 0, add = (kind, x, y, z) => {
      points.push({ x, y, z });
      shapes.push({ name: s.name + (kind === "force" ? ".reaction" : ".moment"), kind, places: 1, at: [s.at[place], points.length - 1], on: [s.on[place], -1], reaction: true, of: kind === "force" ? ["x", "y", "z"].map(k => s.name + ".reaction." + k) : series.has(s.name + ".moment") ? ["", "", s.name + ".moment"] : ["x", "y", "z"].map(k => s.name + ".moment." + k) });
    };
    if (series.has(s.name + ".reaction.x")) add("force", ...["x", "y", "z"].map(k => column(s.name + ".reaction." + k)));
    if (series.has(s.name + ".moment")) add("torque", none, none, column(s.name + ".moment"));
    if (series.has(s.name + ".moment.x")) add("torque", ...["x", "y", "z"].map(k => column(s.name + ".moment." + k)));
  }
})();
for (const s of shapes) s.fixed = s.at.slice(0, s.places);

function pointAt(i, t) {
  const p = points[i];
  return [valueAt(p.x, t), valueAt(p.y, t), valueAt(p.z, t)];
}
/* How far a shape reaches from its place n along an axis of space, at sample i. */
function reachOf(s, i, k, n) {
  if (s.kind === "gear") return gearRadius(s, i, n || 0);
  if (n) return 0;
  const part = j => { const p = points[s.at[j]]; return [p.x, p.y, p.z][k][i]; }, len = j => { const p = points[s.at[j]]; return Math.hypot(p.x[i], p.y[i], p.z[i]); };
  if (s.kind === "sphere") return len(1);
  if (s.kind === "circle") return Math.hypot(part(1), part(2));
  if (s.kind === "mesh") {
    const m = (D.meshes || {})[s.file];
    return m ? Math.max(...[0, 1, 2].map(d => Math.max(Math.abs(m.lo[d]), Math.abs(m.lo[d] + 65535 * m.step[d])) * len(1 + d))) : 0;
  }
  if (s.kind === "capsule") return len(1) + Math.abs(part(3));
  return s.kind in solidKinds ? Math.abs(part(1)) + Math.abs(part(2)) + Math.abs(part(3)) : 0;
}
/* Of two wheels in a gear the one at place n; belts and racks stay within what else there is to see. */
function gearRadius(s, i, n) {
  const [a, b] = s.at.map(j => points[j]), ratio = points[s.at[4]].x[i], k = Math.abs(ratio) || 1, d = Math.hypot(a.x[i] - b.x[i], a.y[i] - b.y[i], a.z[i] - b.z[i]);
  return ratio < 0 && points[s.at[4]].y[i] && points[s.at[4]].z[i] ? d * (n ? 1 : k) / (1 + k) : 0;
}
/* The box that holds every place at every time; with a point to follow, seen from there and without what stands still. */
function boxOf(follow) {
  const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity], step = Math.max(1, Math.floor(N / 400));
  for (const s of shapes)
    s.fixed.forEach((j, n) => {
      const p = points[j], cols = [p.x, p.y, p.z];
      if (follow !== undefined && s.on[n] === 0) return;
      for (let i = 0; i < N; i += step)
        for (let k = 0; k < (spatial ? 3 : 2); k++) {
          const f = follow === undefined ? 0 : [points[follow].x, points[follow].y, points[follow].z][k][i], v = cols[k][i] - f;
          if (!isFinite(v)) continue;
          const r = reachOf(s, i, k, n);
          if (v - r < lo[k]) lo[k] = v - r;
          if (v + r > hi[k]) hi[k] = v + r;
        }
    });
  for (let k = 0; k < 3; k++) if (!(hi[k] >= lo[k])) lo[k] = hi[k] = 0;
  const size = Math.max(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]) || 1;
  return { lo, hi, size, mid: lo.map((v, k) => (v + hi[k]) / 2), diagonal: Math.hypot(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]) || 1 };
}
const whole = boxOf();
let box = whole;

const camera = { mid: box.mid.slice(), shift: [0, 0, 0], yaw: -0.9, pitch: 0.42, scale: 1, w: 1, h: 1, fitted: true, follow: undefined };

function cameraFit() {
  const pad = Math.max(34, Math.min(46, 0.12 * Math.min(camera.w, camera.h)) + 10);      /* at least the height of the scale below */
  camera.mid = box.mid.slice();
  const w = camera.w - 2 * pad, h = camera.h - 2 * pad - 14;
  if (spatial) {
    camera.scale = fitScale(w / 2, h / 2);
  } else {
    const dx = box.hi[0] - box.lo[0], dy = box.hi[1] - box.lo[1], s = box.size;
    camera.scale = Math.min(w / Math.max(dx, 0.05 * s), h / Math.max(dy, 0.05 * s));
  }
  camera.fit = camera.scale;
  camera.fitted = true;
}
/* The scale at which every place, at every time, is within w and h of the middle, as the eye stands now. */
function fitScale(w, h) {
  const a = axes(), far = 2.6 * box.diagonal, step = Math.max(1, Math.floor(N / 60)), f = camera.follow === undefined ? null : points[camera.follow];
  let most = 1e-9 * box.diagonal;
  for (const s of shapes)
    s.fixed.forEach((j, n) => {
      const p = points[j];
      if (f && s.on[n] === 0) return;
      for (let i = 0; i < N; i += step) {
        const X = [p.x[i], p.y[i], p.z[i]].map((v, k) => v - box.mid[k] - (f ? [f.x, f.y, f.z][k][i] : 0));
        const k = far / Math.max(0.2 * far, far - (a.eye[0] * X[0] + a.eye[1] * X[1] + a.eye[2] * X[2])), r = 0.8 * Math.max(reachOf(s, i, 0, n), reachOf(s, i, 1, n), reachOf(s, i, 2, n));
        const x = k * (Math.abs(a.right[0] * X[0] + a.right[1] * X[1]) + r), y = k * (Math.abs(a.up[0] * X[0] + a.up[1] * X[1] + a.up[2] * X[2]) + r);
        most = Math.max(most, x, y * w / h) || most;
      }
    });
  return Math.min(w / most, 6 * Math.min(w, h) / box.diagonal);
}
function cameraFollow(point) {
  camera.follow = point;
  box = point === undefined ? whole : boxOf(point);
  cameraFit();
}
/* Where the followed point is: the view's middle goes with it. */
function cameraMove(t) { camera.shift = camera.follow === undefined ? [0, 0, 0] : pointAt(camera.follow, t); }
function axes() {
  const cy = Math.cos(camera.yaw), sy = Math.sin(camera.yaw), cp = Math.cos(camera.pitch), sp = Math.sin(camera.pitch);
  return { right: [-sy, cy, 0], up: [-sp * cy, -sp * sy, cp], eye: [cp * cy, cp * sy, sp] };
}
function eyeDistance() { return 2.6 * box.diagonal * Math.min(1, 4 * camera.fit / camera.scale); }
/* Screen x, y, depth towards the eye and local scale. */
function projector() {
  const m = camera.mid.map((v, k) => v + camera.shift[k]), s = camera.scale, cx = camera.w / 2, cy = camera.h / 2 + (spatial ? 0 : 6);
  if (!spatial) return (x, y, z) => [cx + s * (x - m[0]), cy - s * (y - m[1]), z, s];
  const a = axes(), far = eyeDistance();
  return (x, y, z) => {
    const X = x - m[0], Y = y - m[1], Z = z - m[2];
    const depth = a.eye[0] * X + a.eye[1] * Y + a.eye[2] * Z, k = s * far / Math.max(0.05 * far, far - depth);
    return [cx + k * (a.right[0] * X + a.right[1] * Y), cy - k * (a.up[0] * X + a.up[1] * Y + a.up[2] * Z), depth, k];
  };
}
/* The place on the screen, at a depth that projector() gave, in space. */
function unproject(px, py, depth) {
  const m = camera.mid.map((v, k) => v + camera.shift[k]), s = camera.scale, x = px - camera.w / 2, y = camera.h / 2 - py;
  if (!spatial) return [m[0] + x / s, m[1] + (y + 6) / s, depth];
  const a = axes(), far = eyeDistance(), k = s * far / Math.max(0.05 * far, far - depth);
  return m.map((v, i) => v + (x * a.right[i] + y * a.up[i]) / k + depth * a.eye[i]);
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
