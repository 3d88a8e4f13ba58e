/* SPDX-License-Identifier: 0BSD
   The result: decoding of the columns, interpolation, numbers as text.
   A column is a plain number (constant), or {k, lo, s, b}: base64 of little-endian values, k = "d" doubles, "f" floats,
   "w" 16-bit and "t" 24-bit steps of size s above lo, whose largest code means "no value". */
const D = JSON.parse(document.getElementById("data").textContent);

function bytesOf(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}
/* What is nearer to zero than half a step was zero. */
function stepped(c, w) { const x = c.lo + c.s * w; return Math.abs(x) <= 0.5 * c.s ? 0 : x; }
function columnOf(c) {
  if (typeof c === "number" || c === null) return new Float64Array(D.n).fill(c === null ? NaN : c);
  const b = bytesOf(c.b), v = new DataView(b.buffer), out = new Float64Array(D.n);
  for (let i = 0; i < D.n; i++) {
    if (c.k === "d") out[i] = v.getFloat64(8 * i, true);
    else if (c.k === "f") out[i] = v.getFloat32(4 * i, true);
    else if (c.k === "w") { const w = v.getUint16(2 * i, true); out[i] = w === 65535 ? NaN : stepped(c, w); }
    else { const w = b[3 * i] | b[3 * i + 1] << 8 | b[3 * i + 2] << 16; out[i] = w === 16777215 ? NaN : stepped(c, w); }
  }
  return out;
}
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

function show(x, digits) {
  if (!isFinite(x)) return "–";
  if (x === 0) return "0";
  const a = Math.abs(x), d = digits || 5;
  let s = a >= 1e-3 && a < 1e6 ? Number(x.toPrecision(d)).toString() : x.toExponential(d - 2);
  if (s.includes("e")) s = s.replace(/\.?0+e/, "e").replace("e+", "e");
  return s.replace("-", "−").replace("e-", "e−");
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

/* kg*m^2/s -> kg·m²/s */
function unitText(u) {
  return (u || "").replace(/\^(-?\d)/g, (_, d) => d.replace("-", "⁻").replace(/\d/, k => "⁰¹²³⁴⁵⁶⁷⁸⁹"[k])).replace(/\*/g, "·");
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
function make(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const k in attributes || {}) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), attributes[k]);
    else e.setAttribute(k, attributes[k]);
  }
  e.append(...children);
  return e;
}
function byId(id) { return document.getElementById(id); }
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
