/* SPDX-License-Identifier: 0BSD
   Plots over time.  Curves are painted once on one canvas; the time line and what the pointer asks for lie on a
   second one above it.  All plots share the time axis `span`.  More than eight curves cannot be told apart: then each has a small plot
   of its own, all on one scale, side by side on the same canvas. */
const span = { lo: T0, hi: T1 > T0 ? T1 : T0 + 1 };
const plots = [];

class Plot {
  constructor(group) {
    this.group = group;
    this.series = group.series.map((s, i) => ({ name: s.name, unit: s.unit, data: columnOf(s.data), on: i < 64, i }));
    this.own = false;
    this.multiples = this.series.length > 8;
    if (this.multiples) { this.series.forEach((s, i) => { s.on = i < 48; }); this.own = !group.log && this.differs(); }
    this.shown = group.shown;
    this.build();
  }
  build() {
    const g = this.group;
    this.base = make("canvas", { class: "base" });
    this.over = make("canvas", { class: "over", role: "img", "aria-label": "Plot of " + g.title + ": " + this.series.map(s => s.name).join(", ") });
    this.tip = make("div", { class: "tip", hidden: "" });
    this.area = make("div", { class: "plot-area" }, this.base, this.over, this.tip);
    this.legend = make("div", { class: "legend" });
    for (const s of this.series) {
      s.swatch = make("i");
      s.value = make("b");
      s.button = make("button", { type: "button", "aria-pressed": "true", title: "Click: hide or show. Double click: only this one.",
        onclick: () => { s.on = !s.on; this.paint(); }, ondblclick: () => { this.series.forEach(r => { r.on = r === s; }); this.paint(); } },
        s.swatch, s.name, s.value);
      this.legend.append(s.button);
    }
    const head = make("div", { class: "plot-head" }, make("h2", {}, g.title, make("span", {}, g.unit ? "  " + unitText(g.unit) : "")));
    if (!g.log && this.series.length > 1)
      head.append(make("button", { type: "button", "aria-pressed": this.own, title: "Every curve to its own scale",
        onclick: e => { this.own = !this.own; e.currentTarget.setAttribute("aria-pressed", this.own); this.paint(); } }, "own scales"));
    this.root = make("div", { class: "card plot" }, head, this.area, this.legend);
    this.root.dataset.plot = g.key;
    this.seen = true;
    new IntersectionObserver(list => { this.seen = list[list.length - 1].isIntersecting; if (this.seen) this.mark(now.t); }).observe(this.area);
    this.listen();
  }
  /* Is most of the curves flat on the scale of all?  Then each has its own. */
  differs() {
    const all = this.range(null), part = this.series.filter(s => s.on).map(s => this.range(s)).filter(r => r.hi - r.lo < 0.1 * (all.hi - all.lo));
    return 2 * part.length > this.series.filter(s => s.on).length;
  }
  /* Range of one or all shown series within the span; what moves a hundred-thousandth of what others do stands still. */
  range(only) {
    let lo = Infinity, hi = -Infinity;
    const a = sampleAt(span.lo), b = Math.min(N - 1, sampleAt(span.hi) + 1);
    for (const s of this.series) {
      if (only ? s !== only : !s.on) continue;
      for (let i = a; i <= b; i++) {
        const v = this.map(s.data[i]);
        if (isFinite(v)) { if (v < lo) lo = v; if (v > hi) hi = v; }
      }
    }
    if (!(hi >= lo)) { lo = 0; hi = 1; }
    if (only && this.axis && !this.group.log) { const least = 1e-5 * (this.axis.hi - this.axis.lo) - (hi - lo); if (least > 0) { lo -= least / 2; hi += least / 2; } }
    if (this.group.log) return { lo: Math.floor(lo - 0.05), hi: Math.max(Math.ceil(hi + 0.05), Math.floor(lo) + 1) };
    /* what changes in the sixth digit only is shown as the constant that it is meant to be */
    if (hi - lo <= 1e-5 * Math.max(Math.abs(hi), Math.abs(lo))) { const d = Math.abs(hi) * 0.1 || 1; lo -= d; hi += d; }
    const pad = 0.06 * (hi - lo);
    return { lo: lo - pad, hi: hi + pad };
  }
  map(v) { return this.group.log ? Math.log10(Math.max(Math.abs(v), 1e-18)) : v; }
  x(t) { return this.left + (t - span.lo) / (span.hi - span.lo) * (this.w - this.left - this.right); }
  time(x) { return span.lo + (x - this.left) / (this.w - this.left - this.right) * (span.hi - span.lo); }
  y(v, r) { return this.h - this.bottom - (v - r.lo) / (r.hi - r.lo) * (this.h - this.bottom - this.top); }
  paint() {
    if (!this.shown) return;
    this.layCells();
    const { c, w, h } = fitCanvas(this.base);
    this.cw = w / this.cols;
    this.ch = h / this.rows;
    this.axis = this.range(null);
    for (const s of this.series) {
      s.colour = this.multiples ? theme.series[0] : seriesColour(s.i, this.series.length);
      s.range = this.own ? this.range(s) : this.axis;
      s.swatch.style.background = s.colour;
      s.button.setAttribute("aria-pressed", s.on);
    }
    this.eachCell(c, list => {
      if (this.multiples) this.axis = list[0].range;
      this.paintAxes(c);
      paintMarks(this, c);
      if (this.multiples) { c.fillStyle = theme.soft; c.textAlign = "left"; c.fillText(list[0].name, this.left, 12); }
      c.beginPath();
      c.rect(this.left, this.top - 2, this.w - this.left - this.right, this.h - this.top - this.bottom + 4);
      c.clip();
      for (const s of list) this.paintCurve(c, s);
    });
    this.mark(now.t);
  }
  /* How many small plots there are, and how they lie. */
  layCells() {
    const shown = this.series.filter(s => s.on), n = this.multiples ? Math.max(1, shown.length) : 1, wide = this.area.getBoundingClientRect().width || 600;
    this.cells = this.multiples ? shown.map(s => [s]) : [shown];
    this.cols = this.multiples ? Math.min(n, Math.max(1, Math.floor(wide / 190))) : 1;
    this.rows = Math.ceil(n / this.cols);
    this.area.style.height = this.multiples ? 96 * this.rows + "px" : "";
    this.root.dataset.cells = this.multiples ? this.cells.length : 1;
  }
  /* Paints in the frame of each plot in turn. */
  eachCell(c, paint) {
    Object.assign(this, this.multiples ? { left: 46, right: 8, top: 18, bottom: 20 } : { left: 62, right: 8, top: 8, bottom: 24 }, { w: this.cw, h: this.ch });
    this.cells.forEach((list, k) => {
      c.save();
      c.translate(k % this.cols * this.cw, Math.floor(k / this.cols) * this.ch);
      paint(list);
      c.restore();
    });
  }
  /* The plot below a place of the canvas, and the place in it. */
  cellAt(x, y) {
    const col = Math.min(this.cols - 1, Math.max(0, Math.floor(x / this.cw))), row = Math.min(this.rows - 1, Math.max(0, Math.floor(y / this.ch)));
    return { list: this.cells[row * this.cols + col] || [], x: x - col * this.cw, y: y - row * this.ch, dx: col * this.cw, dy: row * this.ch };
  }
  paintCurve(c, s) {
    const a = sampleAt(span.lo), b = Math.min(N - 1, sampleAt(span.hi) + 1);
    c.beginPath();
    let pen = false;
    for (let i = a; i <= b; i++) {
      const v = this.map(s.data[i]);
      if (!isFinite(v)) { pen = false; continue; }
      if (pen) c.lineTo(this.x(T[i]), this.y(v, s.range)); else c.moveTo(this.x(T[i]), this.y(v, s.range));
      pen = true;
    }
    c.strokeStyle = s.colour;
    c.lineWidth = this.series.length > 12 ? 1.2 : 1.8;
    c.lineJoin = "round";
    c.stroke();
  }
  paintAxes(c) {
    const { w, h, left, right, top, bottom, axis } = this;
    c.font = "11.5px system-ui, sans-serif";
    c.lineWidth = 1;
    c.fillStyle = theme.faint;
    const tx = ticks(span.lo, span.hi, Math.max(2, (w - left) / 95));
    c.textAlign = "center";
    for (const t of tx.at) {
      const x = Math.round(this.x(t)) + 0.5;
      c.strokeStyle = theme.grid;
      path(c, [[x, top], [x, h - bottom]]);
      c.stroke();
      if (x < w - 46) c.fillText(tickText(t, tx.step), x, h - (this.multiples ? 5 : 8));
    }
    c.textAlign = "right";
    c.fillText("t / s", w - right, h - (this.multiples ? 5 : 8));
    const named = !this.own || this.multiples, ty = this.group.log ? { step: 1, at: logTicks(axis) } : ticks(axis.lo, axis.hi, Math.max(2, h / 46));
    for (const v of ty.at) {
      const y = Math.round(this.y(v, axis)) + 0.5;
      c.strokeStyle = !this.group.log && Math.abs(v) < 1e-9 * ty.step && named ? theme["grid-strong"] : theme.grid;
      path(c, [[left, y], [w - right, y]]);
      c.stroke();
      if (named) c.fillText(this.group.log ? "1e" + (v < 0 ? "−" : "") + Math.abs(v) : tickText(v, ty.step), left - 7, y + 4);
    }
  }
  /* The time line, dots on the curves, values in the legend.  A frame of an animation paints only what is in sight, when the line has moved by a pixel. */
  mark(t, frame) {
    if (!this.shown || !this.w || frame && !this.seen) return;
    const x = this.x(t), inside = t >= span.lo - 1e-12 && t <= span.hi + 1e-12, pixel = Math.round(x * (window.devicePixelRatio || 1));
    this.root.dataset.line = inside ? x.toFixed(2) : "";
    if (!frame || pixel !== this.pixel) this.markLine(t, x, inside, frame);
    this.pixel = pixel;
    /* nobody reads numbers faster */
    if (frame && (this.turn = (this.turn || 0) + 1) % (this.series.length > 12 ? 12 : 5)) return;
    for (const s of this.series) s.value.textContent = show(valueAt(s.data, t));
  }
  markLine(t, x, inside, frame) {
    const { c } = fitCanvas(this.over, frame);
    this.eachCell(c, list => {
      if (this.drag && this.drag.zoom) {
        c.fillStyle = tint(theme.accent, 0.15);
        c.fillRect(Math.min(this.drag.x0, this.drag.x1), this.top, Math.abs(this.drag.x1 - this.drag.x0), this.h - this.top - this.bottom);
      }
      if (!inside) return;
      c.strokeStyle = theme.cursor;
      c.lineWidth = 1.5;
      path(c, [[x, this.top], [x, this.h - this.bottom]]);
      c.stroke();
      for (const s of list) {
        const y = this.y(this.map(valueAt(s.data, t)), s.range);
        if (isFinite(y) && y > this.top - 2 && y < this.h - this.bottom + 2) disc(c, [x, y], this.multiples ? 2.4 : 3.2, s.colour, theme.card, 1.2);
      }
    });
  }
  listen() {
    const o = this.over, where = e => { const r = o.getBoundingClientRect(); return this.cellAt(e.clientX - r.left, e.clientY - r.top); }, place = e => where(e).x, fingers = new Map();
    let pinch = null;
    o.addEventListener("pointerdown", e => {
      o.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, place(e));
      if (fingers.size === 2) { pinch = { x: [...fingers.values()], lo: span.lo, hi: span.hi }; this.drag = null; return; }
      this.drag = { zoom: e.shiftKey, x0: place(e), x1: place(e) };
      if (!e.shiftKey) { pause(); setTime(this.time(place(e))); }
    });
    o.addEventListener("pointermove", e => {
      if (fingers.has(e.pointerId)) fingers.set(e.pointerId, place(e));
      if (pinch && fingers.size === 2) return this.pinchTo(pinch, [...fingers.values()]);
      if (this.drag) {
        this.drag.x1 = place(e);
        if (this.drag.zoom) this.mark(now.t); else setTime(this.time(this.drag.x1));
      } else if (e.pointerType === "mouse") this.hint(where(e));
    });
    const end = e => {
      fingers.delete(e.pointerId);
      if (fingers.size < 2) pinch = null;
      const d = this.drag;
      this.drag = null;
      if (d && d.zoom && Math.abs(d.x1 - d.x0) > 6) setSpan(this.time(Math.min(d.x0, d.x1)), this.time(Math.max(d.x0, d.x1)));
      else if (d) this.mark(now.t);
    };
    o.addEventListener("pointerup", end);
    o.addEventListener("pointercancel", end);
    o.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    o.addEventListener("dblclick", () => setSpan(T0, T1));
    o.addEventListener("wheel", e => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      zoomSpan(Math.exp(e.deltaY * 0.004), this.time(place(e)));
    }, { passive: false });
  }
  pinchTo(p, x) {
    const w = this.w - this.left - this.right, f = Math.max(0.02, Math.abs(p.x[1] - p.x[0]) / Math.max(8, Math.abs(x[1] - x[0])));
    const mid0 = (p.x[0] + p.x[1]) / 2, mid1 = (x[0] + x[1]) / 2, len = (p.hi - p.lo) * f;
    const anchor = p.lo + (mid0 - this.left) / w * (p.hi - p.lo), lo = anchor - (mid1 - this.left) / w * len;
    setSpan(lo, lo + len);
  }
  /* The curve nearest to the pointer and its value there. */
  hint({ list, x, y, dx, dy }) {
    const t = this.time(x), i = nearestSample(Math.min(span.hi, Math.max(span.lo, t)));
    let best = null, near = 40;
    for (const s of list) {
      const d = Math.abs(this.y(this.map(s.data[i]), s.range) - y);
      if (d < near) { near = d; best = s; }
    }
    this.tip.hidden = !best || x < this.left;
    if (!best) return;
    this.tip.textContent = best.name + " = " + show(best.data[i], 7) + (best.unit ? " " + unitText(best.unit) : "") + "   t = " + show(T[i], 6);
    const half = this.tip.offsetWidth / 2;
    this.tip.style.left = Math.min(this.cols * this.cw - half, Math.max(half, dx + this.x(T[i]))) + "px";
    this.tip.style.top = dy + Math.max(26, this.y(this.map(best.data[i]), best.range)) + "px";
  }
}
function logTicks(r) {
  const out = [], step = Math.max(1, Math.round((r.hi - r.lo) / 4));
  for (let v = Math.ceil(r.lo / step) * step; v <= r.hi; v += step) out.push(v);
  return out;
}
function setSpan(lo, hi) {
  const all = T1 - T0 || 1, len = Math.min(all, Math.max(hi - lo, 1e-6 * all));
  lo = Math.min(Math.max(lo, T0), T0 + all - len);
  span.lo = lo;
  span.hi = lo + len;
  plots.forEach(p => p.paint());
}
function zoomSpan(factor, about) {
  const a = Math.min(span.hi, Math.max(span.lo, about));
  setSpan(a - (a - span.lo) * factor, a + (span.hi - a) * factor);
}
