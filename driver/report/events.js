/* SPDX-License-Identifier: 0BSD
   What happens beside the smooth motion: marks on the time line and in the plots, sparks where bodies hit, names of events as they pass, and a
   list of them all. */
const happenings = (D.events || []).map(([t, name, what, impulse, at, changes]) => ({ t, name, what, impulse, at, changes, kind: what === "impact" ? "impact" : what ? "contact" : "event" }));
const hardest = happenings.reduce((a, h) => Math.max(a, h.impulse), 0);
const markColour = { impact: () => theme.cursor, contact: () => theme.series[0], event: () => theme.series[2] };

/* The events of a span of time, by bisection. */
function happeningsFrom(lo, hi) {
  let a = 0, b = happenings.length;
  while (a < b) { const m = (a + b) >> 1; if (happenings[m].t < lo) a = m + 1; else b = m; }
  const from = a;
  while (a < happenings.length && happenings[a].t <= hi) a++;
  return happenings.slice(from, a);
}
function happeningText(h) {
  const impulse = h.impulse > 0 ? ", impulse " + show(h.impulse, 4) : "";
  return "t = " + show(h.t, 8) + " s: " + h.name + (h.what ? " " + h.what : "") + impulse;
}

/* ---- the time line ---- */
const line = { canvas: null, left: 0, width: 1 };
function timeLine() {
  if (!happenings.length) return;
  line.canvas = make("canvas", { id: "marks", class: "marks", role: "img", "aria-label": happenings.length + " events on the time line" });
  const scrub = byId("scrub"), both = make("div", { class: "line" });
  scrub.replaceWith(both);
  both.append(scrub, line.canvas);
  line.canvas.addEventListener("click", e => { const h = markNear(e); if (h) { pause(); setTime(h.t); } });
  line.canvas.addEventListener("pointermove", e => { const h = markNear(e); line.canvas.title = h ? happeningText(h) : ""; });
}
function lineX(t) { return line.left + (T1 > T0 ? (t - T0) / (T1 - T0) : 0) * line.width; }
function markNear(e) {
  const x = e.clientX - line.canvas.getBoundingClientRect().left;
  let best = null, near = 8;
  for (const h of happenings) { const d = Math.abs(lineX(h.t) - x); if (d < near) { near = d; best = h; } }
  return best;
}
function paintTimeLine() {
  if (!line.canvas) return;
  const { c, w, h } = fitCanvas(line.canvas);
  line.left = 8;
  line.width = w - 16;         /* as the thumb of the slider goes */
  for (const kind of ["event", "contact", "impact"]) {
    c.fillStyle = markColour[kind]();
    for (const e of happenings)
      if (e.kind === kind) {
        const high = kind === "impact" ? h * (0.4 + 0.6 * Math.sqrt(e.impulse / (hardest || 1))) : 0.55 * h;
        c.fillRect(Math.round(lineX(e.t)) - 0.75, h - high, 1.5, high);
      }
  }
}

/* ---- in a plot: small marks on its time axis ---- */
function paintMarks(plot, c) {
  for (const e of happeningsFrom(span.lo, span.hi)) {
    const x = plot.x(e.t), y = plot.h - plot.bottom;
    c.fillStyle = markColour[e.kind]();
    path(c, [[x, y - 7], [x - 2.6, y], [x + 2.6, y]], true);
    c.fill();
  }
}

/* ---- on the stage ---- */
/* What has happened in the last moments of the time shown: a part of a second as the film runs, and at least a few samples. */
function moment() { return Math.max(0.35 * now.speed, 3 * (T1 - T0) / Math.max(1, N - 1)); }
function drawSpark(c, at, age, size, colour) {
  const r = size * (0.35 + 0.65 * Math.sqrt(age)), rays = 9;
  c.globalAlpha = Math.max(0, 1 - age);
  for (let k = 0; k < rays; k++) {
    const a = 2 * Math.PI * (k + 0.35) / rays, inner = r * (0.15 + 0.6 * age), outer = r * (k % 2 ? 1 : 0.72);
    strokeLine(c, [[at[0] + inner * Math.cos(a), at[1] + inner * Math.sin(a)], [at[0] + outer * Math.cos(a), at[1] + outer * Math.sin(a)]], 2, colour);
  }
  disc(c, at, Math.max(1, 0.22 * size * (1 - age)), colour, null);
  c.globalAlpha = 1;
}
function drawRing(c, at, age, size, colour) {
  c.globalAlpha = Math.max(0, 0.9 * (1 - age));
  c.beginPath();
  c.arc(at[0], at[1], size * (0.2 + 0.8 * age), 0, 2 * Math.PI);
  c.strokeStyle = colour;
  c.lineWidth = 2;
  c.stroke();
  c.globalAlpha = 1;
}
function drawHappenings(c, project, t) {
  if (!happenings.length) return;
  const length = moment(), told = [], big = 0.07 * Math.min(camera.w, camera.h);
  for (const e of happeningsFrom(t - length, t)) {
    const age = (t - e.t) / length;
    if (e.kind === "event" && !told.includes(e.name)) told.push(e.name);
    if (!e.at) continue;
    const at = project(...e.at);
    if (!isFinite(at[0]) || !isFinite(at[1])) continue;
    if (e.kind === "impact") drawSpark(c, at, age, big * (0.35 + 0.65 * Math.sqrt(e.impulse / (hardest || 1))), markColour.impact());
    else drawRing(c, at, age, 0.45 * big, markColour.contact());
  }
  c.font = "600 13px system-ui, sans-serif";
  c.textAlign = "center";
  told.slice(-3).forEach((name, i) => {
    c.lineWidth = 4;
    c.lineJoin = "round";
    c.strokeStyle = theme.card;
    c.strokeText(name, camera.w / 2, camera.h - 18 - 17 * i);
    c.fillStyle = markColour.event();
    c.fillText(name, camera.w / 2, camera.h - 18 - 17 * i);
  });
}

/* ---- the list ---- */
function happeningTable() {
  const most = 500, rows = happenings.slice(0, most).map(h => make("tr", { class: "jump", tabindex: "0", onclick: () => { pause(); setTime(h.t); }, onkeydown: e => { if (e.key === "Enter") { pause(); setTime(h.t); } } },
    make("td", { class: "num" }, show(h.t, 9)), make("td", {}, h.name), make("td", {}, h.what), make("td", { class: "num" }, h.impulse > 0 ? show(h.impulse, 6) : ""),
    make("td", {}, h.changes.map(([n, a, b]) => n + ": " + show(a, 5) + " → " + show(b, 5)).join(", "))));
  const all = make("div", { class: "wide-scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...["t / s", "Event", "", "Impulse", "Before → after"].map(h => make("th", { scope: "col" }, h)))), make("tbody", {}, ...rows)));
  if (D.happened > rows.length) all.append(make("p", {}, "The first " + rows.length + " of " + D.happened + "; mbs run -o NAME.csv writes all to NAME.events.csv."));
  return all;
}
