/* SPDX-License-Identifier: 0BSD
   The pages of studies are drawn when they are written; here is what the pointer asks for: values on curves, the cases of a sweep, which measures are shown. */
document.documentElement.classList.add("js");
const tip = byId("tip");
function tell(x, y, text) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const half = tip.offsetWidth / 2 + 4;
  tip.style.left = Math.min(innerWidth - half, Math.max(half, x)) + "px";
  tip.style.top = Math.max(tip.offsetHeight * 1.4, y) + "px";
}
const numbers = text => text.split(" ").map(Number);
/* The frame of a chart: its element, its box in pixels of the picture, the ranges of its axes, and the way there and back. */
function frameOf(e) {
  const [left, right, top, bottom] = numbers(e.dataset.box), [x0, x1, y0, y1] = numbers(e.dataset.range), svg = e.ownerSVGElement || e, log = e.dataset.log === "1";
  return {
    left, right, top, bottom, svg,
    px: x => left + (x - x0) / (x1 - x0) * (right - left), py: y => bottom - (y - y0) / (y1 - y0) * (bottom - top),
    x: px => x0 + (px - left) / (right - left) * (x1 - x0), y: py => { const v = y0 + (bottom - py) / (bottom - top) * (y1 - y0); return log ? Math.pow(10, v) : v; },
    place: ev => { const r = svg.getBoundingClientRect(), b = svg.viewBox.baseVal; return [(ev.clientX - r.left) * b.width / r.width, (ev.clientY - r.top) * b.height / r.height]; },
    page: (px, py) => { const r = svg.getBoundingClientRect(), b = svg.viewBox.baseVal; return [r.left + px * r.width / b.width, r.top + py * r.height / b.height]; }
  };
}
function shape(tag, attributes, parent) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  parent.append(e);
  return e;
}

/* ---- curves: what they are at the pointer, read from their paths ---- */
function pointsOf(path) {
  const out = [], re = /[ML]([-\d.]+) ([-\d.]+)/g, d = path.getAttribute("d");
  for (let m; (m = re.exec(d));) out.push([Number(m[1]), Number(m[2])]);
  return out;
}
function listenCurves(svg) {
  const f = frameOf(svg), curves = [...svg.querySelectorAll("path[data-name]")].map(p => ({ name: p.dataset.name, at: pointsOf(p), dots: /h0/.test(p.getAttribute("d")) })).filter(c => c.at.length);
  const line = shape("path", { class: "cursor-line" }, svg);
  const free = svg.classList.contains("plane");         /* y over x that is no function of it: the nearest point counts */
  svg.addEventListener("pointermove", ev => {
    const [x, y] = f.place(ev);
    if (x < f.left - 4 || x > f.right + 4 || y < f.top - 12 || y > f.bottom + 12) { line.setAttribute("d", ""); return tell(); }
    const nearest = (c, u) => ({ c, p: c.at.reduce((b, p) => { const d = free ? Math.hypot(p[0] - u, p[1] - y) : Math.abs(p[0] - u); return d < b.d ? { d, p } : b; }, { d: 1e9, p: null }) });
    /* samples are few: one that is near is meant */
    const closest = list => list.map(c => nearest(c, x)).reduce((b, n) => b && b.p.d <= n.p.d ? b : n, null), sample = closest(curves.filter(c => c.dots));
    const best = !free && sample && sample.p.d < 14 ? sample : closest(curves);
    if (!best || best.p.d > 40) return tell();
    const at = best.p.p, shown = free ? [best] : curves.map(c => nearest(c, at[0])).filter(n => n.p.d < 3);
    line.setAttribute("d", free ? "M" + at[0] + " " + (at[1] - 5) + "v10M" + (at[0] - 5) + " " + at[1] + "h10" : "M" + at[0] + " " + f.top + "V" + f.bottom);
    tell(...f.page(at[0], free ? at[1] : f.top + 8), show(f.x(at[0]), 4) + (free ? "" : "\n") + shown.map(n => (free ? ", " : n.c.name + ": ") + show(f.y(n.p.p[1]), 4)).join("\n") + (free ? "  " + best.c.name : ""));
  });
  svg.addEventListener("pointerleave", () => { line.setAttribute("d", ""); tell(); });
}

/* ---- a line that can be copied ---- */
function copyButton(pre) {
  const text = pre.textContent, b = make("button", { type: "button", onclick: () => {
    const done = () => { b.textContent = "copied"; setTimeout(() => { b.textContent = "copy"; }, 1500); };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => {}); else { getSelection().selectAllChildren(pre); done(); }
  } }, "copy");
  pre.prepend(b);
}

/* ---- the cases of a sweep ---- */
function quoted(word) { return /^[A-Za-z0-9_=.,:/%+-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'"; }
function quantile(sorted, part) {
  const at = part * (sorted.length - 1), k = Math.floor(at);
  return k + 1 < sorted.length ? sorted[k] + (at - k) * (sorted[k + 1] - sorted[k]) : sorted[sorted.length - 1];
}
function startCases() {
  const factors = D.factors.map(c => ({ ...c, data: columnOf(c.data) })), measures = D.measures.map(c => ({ ...c, data: columnOf(c.data) })), number = columnOf(D.case);
  const panels = [...document.querySelectorAll("g.panel")].map(g => ({ g, f: frameOf(g), x: factors[g.dataset.x], y: measures[g.dataset.y] })), chosen = byId("chosen");
  if (!panels.length) return;
  const commandOf = i => D.command + factors.map(c => " --set " + quoted(c.name + "=" + c.data[i])).join("");
  const valueText = (c, i) => c.name + " = " + show(c.data[i], 5) + (c.unit ? " " + unitText(c.unit) : "");
  function nearest(p, x, y) {
    let best = -1, near = 15;
    for (let i = 0; i < D.n; i++) {
      const d = Math.hypot(p.f.px(p.x.data[i]) - x, p.f.py(p.y.data[i]) - y);
      if (d < near) { near = d; best = i; }
    }
    return best;
  }
  const clear = () => { document.querySelectorAll(".picked, .brush, .spot").forEach(e => e.remove()); document.body.classList.remove("selecting"); chosen.hidden = true; };
  const closeButton = () => make("button", { type: "button", class: "ghost", onclick: clear }, "close");
  function showCase(i) {
    clear();
    for (const p of panels) {
      const y = p.y.data[i];
      if (isFinite(y)) shape("circle", { class: "spot", cx: p.f.px(p.x.data[i]), cy: p.f.py(y), r: 5 }, p.g);
    }
    const pre = make("pre", { class: "command" }, commandOf(i));
    copyButton(pre);
    chosen.replaceChildren(make("p", {}, make("b", {}, "Case " + number[i]), " · " + measures.map(m => valueText(m, i)).join(" · ") + " ", closeButton()), pre);
    chosen.dataset.case = number[i];
    chosen.hidden = false;
  }
  function showRange(p, lo, hi) {
    clear();
    const inside = [];
    for (let i = 0; i < D.n; i++) if (p.x.data[i] >= lo && p.x.data[i] <= hi) inside.push(i);
    document.body.classList.add("selecting");
    for (const q of panels) {
      if (q.x === p.x) shape("rect", { class: "brush", x: q.f.px(lo), y: q.f.top, width: q.f.px(hi) - q.f.px(lo), height: q.f.bottom - q.f.top }, q.g);
      const d = inside.map(i => [q.f.px(q.x.data[i]), q.f.py(q.y.data[i])]).filter(([, y]) => y >= q.f.top - 1 && y <= q.f.bottom + 1);
      shape("path", { class: "picked", d: d.map(([x, y]) => "M" + x.toFixed(1) + " " + y.toFixed(1) + "h0").join("") }, q.g);
    }
    const lines = measures.map(m => {
      const v = inside.map(i => m.data[i]).filter(isFinite).sort((a, b) => a - b);
      return v.length ? m.name + ": median " + show(quantile(v, 0.5), 4) + ", 5 to 95 % " + show(quantile(v, 0.05), 4) + " to " + show(quantile(v, 0.95), 4) + (m.unit ? " " + unitText(m.unit) : "") : "";
    }).filter(Boolean);
    chosen.replaceChildren(make("p", {}, make("b", {}, p.x.name + " from " + show(lo, 4) + " to " + show(hi, 4) + (p.x.unit ? " " + unitText(p.x.unit) : "")),
      " · " + inside.length + " of the " + D.n + " cases that this page carries ", closeButton()), ...lines.map(t => make("p", {}, t)));
    chosen.dataset.count = inside.length;
    chosen.hidden = false;
  }
  for (const p of panels) {
    let from = null, brush = null;
    p.g.addEventListener("pointerdown", ev => { from = p.f.place(ev); p.g.setPointerCapture(ev.pointerId); });
    p.g.addEventListener("pointermove", ev => {
      const [x, y] = p.f.place(ev);
      if (from && Math.abs(x - from[0]) > 4) {
        const a = Math.max(p.f.left, Math.min(x, from[0])), b = Math.min(p.f.right, Math.max(x, from[0]));
        brush = brush || shape("rect", { class: "brush", y: p.f.top, height: p.f.bottom - p.f.top }, p.g);
        brush.setAttribute("x", a);
        brush.setAttribute("width", Math.max(0, b - a));
        return tell();
      }
      const i = nearest(p, x, y);
      if (i < 0) return tell();
      tell(...p.f.page(p.f.px(p.x.data[i]), p.f.py(p.y.data[i])), "case " + number[i] + "\n" + valueText(p.x, i) + "\n" + valueText(p.y, i));
    });
    p.g.addEventListener("pointerup", ev => {
      const [x, y] = p.f.place(ev), start = from;
      from = null;
      if (brush) { brush.remove(); brush = null; }
      if (!start) return;
      if (Math.abs(x - start[0]) > 4) return showRange(p, p.f.x(Math.max(p.f.left, Math.min(x, start[0]))), p.f.x(Math.min(p.f.right, Math.max(x, start[0]))));
      const i = nearest(p, x, y);
      if (i >= 0) showCase(i); else clear();
    });
    p.g.addEventListener("pointercancel", () => { from = null; if (brush) { brush.remove(); brush = null; } });
    p.g.addEventListener("pointerleave", () => tell());
  }
  addEventListener("keydown", ev => { if (ev.key === "Escape") clear(); });
}
/* Which measures are shown: their histograms, rows of scatter plots and parts of the variance. */
function startPick() {
  const bar = byId("pick");
  if (!bar) return;
  D.measures.forEach((m, j) => {
    const cards = [...document.querySelectorAll("#outputs figure, #indices figure")].filter(e => e.dataset.measure === String(j)).concat([...document.querySelectorAll("figure.row")].filter(e => e.dataset.measure === String(j)));
    bar.append(make("button", { type: "button", class: "chip", "aria-pressed": "true", onclick: ev => {
      const on = ev.currentTarget.getAttribute("aria-pressed") !== "true";
      ev.currentTarget.setAttribute("aria-pressed", on);
      cards.forEach(e => { e.hidden = !on; });
    } }, m.name));
  });
}

themeButton(() => {});
document.querySelectorAll("svg.reads").forEach(listenCurves);
document.querySelectorAll("pre.command").forEach(copyButton);
if (D.factors) { startCases(); startPick(); }
