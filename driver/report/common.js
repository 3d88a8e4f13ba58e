/* SPDX-License-Identifier: 0BSD
   What all pages have in common: decoding of columns, numbers and units as text, elements, the choice of colours.
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

function show(x, digits) {
  if (!isFinite(x)) return "–";
  if (x === 0) return "0";
  const a = Math.abs(x), d = digits || 5;
  let s = a >= 1e-3 && a < 1e6 ? Number(x.toPrecision(d)).toString() : x.toExponential(d - 2);
  if (s.includes("e")) s = s.replace(/\.?0+e/, "e").replace("e+", "e");
  return s.replace("-", "−").replace("e-", "e−");
}
/* kg*m^2/s -> kg·m²/s */
function unitText(u) {
  return (u || "").replace(/\^(-?\d)/g, (_, d) => d.replace("-", "⁻").replace(/\d/, k => "⁰¹²³⁴⁵⁶⁷⁸⁹"[k])).replace(/\*/g, "·");
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
/* Automatic, light, dark; then what must be painted again is. */
function themeButton(then) {
  const b = byId("theme"), list = ["Auto", "Light", "Dark"];
  let k = 0;
  b.addEventListener("click", () => {
    k = (k + 1) % 3;
    b.textContent = list[k];
    if (k) document.documentElement.dataset.theme = list[k].toLowerCase(); else delete document.documentElement.dataset.theme;
    then();
  });
}
