/* SPDX-License-Identifier: 0BSD
   The result: interpolation, ticks, colours. */
const T = columnOf(D.time), N = D.n;
let T0 = T[0], T1 = T[N - 1];           /* `mbs play` moves them */

/* Largest i with T[i] <= t, so that t lies between samples i and i + 1. */
const sampled = { t: NaN, i: 0 };       /* asked for again and again within a frame */
function sampleAt(t) {
  if (t !== sampled.t) { sampled.i = findSample(t); sampled.t = t; }
  return sampled.i;
}
function findSample(t) {
  let a = 0, b = N - 1;
  while (b - a > 1) { const m = (a + b) >> 1; if (T[m] <= t) a = m; else b = m; }
  return N > 1 && t >= T[b] ? b : a;
}
function valueAt(col, t) {
  const i = sampleAt(t);
  if (i >= N - 1 || t <= T[i]) return col[i];
  const w = (t - T[i]) / (T[i + 1] - T[i]);
  return col[i] + w * (col[i + 1] - col[i]);
}
function nearestSample(t) {
  const i = sampleAt(t);
  return i < N - 1 && t - T[i] > T[i + 1] - t ? i + 1 : i;
}

/* Ticks at round values, about n of them. */
function ticks(lo, hi, n) {
  const raw = (hi - lo) / n, p = Math.pow(10, Math.floor(Math.log10(raw))), f = raw / p;
  const step = (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10) * p, out = [];
  if (!(step > 0) || !isFinite(step)) return { step: 1, at: [] };
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; k++) out.push(k * step);
  return { step, at: out };
}
function tickText(x, step) {
  if (Math.abs(x) < 1e-9 * step) return "0";
  const e = Math.max(Math.abs(x), step);
  if (e >= 1e5 || e < 1e-3) return show(x, Math.max(2, Math.ceil(Math.log10(Math.abs(x) / step)) + 2));
  return x.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))).replace("-", "−");
}

function css(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
let theme = {};
function readTheme() {
  for (const k of ["card", "line", "ink", "soft", "faint", "accent", "grid", "grid-strong", "joint", "steel", "ground", "cursor", "bg"])
    theme[k] = css("--" + k);
  theme.force = theme.warn = theme.cursor;
  theme.reaction = css("--c4");
  theme.series = [];
  for (let i = 0; i < 8; i++) theme.series.push(css("--c" + i));
}
/* Eight colours, then the same ones lighter and darker by turns would not tell curves apart: long lists
   run through the hues instead, in order, so that neighbours in a chain look alike. */
function seriesColour(i, n) {
  if (n <= 8) return theme.series[i];
  const dark = parseInt(theme.card.slice(1, 3), 16) < 128;
  return "hsl(" + Math.round(215 + 300 * i / n) % 360 + " 65% " + (dark ? 66 : 44) + "%)";
}
/* A canvas in device pixels, cleared; drawing stays in CSS pixels.  To ask for its size costs a layout of the page: frames take the one found last. */
function fitCanvas(canvas, frame) {
  if (!frame || !canvas.fitted) {
    const r = canvas.getBoundingClientRect(), k = window.devicePixelRatio || 1, w = Math.max(1, Math.round(r.width * k)), h = Math.max(1, Math.round(r.height * k));
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    canvas.fitted = { c: canvas.getContext("2d"), w: r.width, h: r.height, k };
  }
  const { c, w, h, k } = canvas.fitted;
  c.setTransform(k, 0, 0, k, 0, 0);
  c.clearRect(0, 0, w, h);
  return canvas.fitted;
}
