/* SPDX-License-Identifier: 0BSD
   Out of the page: the scene as PNG, SVG and film, what is plotted as CSV.  `mbs video` opens the page with #film=... and takes the pictures from
   the text that stands in it then. */

/* Any CSS colour as rgb() and an opacity, which every reader of SVG understands. */
const plainColours = new Map();
function plainColour(text) {
  let p = plainColours.get(text);
  if (!p) {
    const c = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    c.fillStyle = text;
    c.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = c.getImageData(0, 0, 1, 1).data;
    plainColours.set(text, p = { colour: "rgb(" + [r, g, b].join() + ")", opacity: a / 255 });
  }
  return p;
}
const inMarkup = text => text.replace(/[&<>"]/g, k => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[k]);

/* What the painters use of a canvas, written down as SVG. */
class SvgPen {
  constructor(w, h) {
    this.w = w;
    this.h = h;
    this.out = [];
    this.defs = [];
    this.d = "";
    this.dash = [];
    Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, lineJoin: "miter", lineCap: "butt", globalAlpha: 1, font: "12px sans-serif", textAlign: "left", textBaseline: "alphabetic" });
    this.measure = document.createElement("canvas").getContext("2d");
  }
  number(x) { return String(Math.round(100 * x) / 100); }
  beginPath() { this.d = ""; }
  moveTo(x, y) { this.d += "M" + this.number(x) + " " + this.number(y); }
  lineTo(x, y) { this.d += (this.d ? "L" : "M") + this.number(x) + " " + this.number(y); }
  closePath() { this.d += "Z"; }
  arc(x, y, r, from, to, back) {
    const at = a => this.number(x + r * Math.cos(a)) + " " + this.number(y + r * Math.sin(a)), full = 2 * Math.PI;
    let sweep = back ? from - to : to - from;
    if (Math.abs(sweep) >= full - 1e-9) sweep = full; else sweep = (sweep % full + full) % full;
    const n = Math.max(1, Math.ceil(sweep / 3)), flag = back ? 0 : 1;
    this.d += (this.d && !this.d.endsWith("Z") ? "L" : "M") + at(from);
    for (let i = 1; i <= n; i++) this.d += "A" + this.number(r) + " " + this.number(r) + " 0 0 " + flag + " " + at(from + (back ? -1 : 1) * sweep * i / n);
  }
  paint(style, what) {
    if (style instanceof SvgShade) return what + '="url(#' + style.id + ')"';
    const p = plainColour(style), alpha = p.opacity * this.globalAlpha;
    return what + '="' + p.colour + '"' + (alpha < 0.999 ? " " + what + '-opacity="' + this.number(alpha) + '"' : "");
  }
  pen() {
    return this.paint(this.strokeStyle, "stroke") + ' stroke-width="' + this.number(this.lineWidth) + '" stroke-linejoin="' + this.lineJoin + '" stroke-linecap="' + this.lineCap + '"' +
      (this.dash.length ? ' stroke-dasharray="' + this.dash.join(" ") + '"' : "");
  }
  fill(rule) { if (this.d) this.out.push('<path d="' + this.d + '" ' + this.paint(this.fillStyle, "fill") + (rule === "evenodd" ? ' fill-rule="evenodd"' : "") + "/>"); }
  stroke() { if (this.d) this.out.push('<path d="' + this.d + '" fill="none" ' + this.pen() + "/>"); }
  setLineDash(list) { this.dash = list; }
  measureText(text) { this.measure.font = this.font; return this.measure.measureText(text); }
  letters(text, x, y, how) {
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign] || "start", m = /(?:(\d+) )?([\d.]+)px (.*)/.exec(this.font) || [0, "", "12", "sans-serif"];
    const low = this.textBaseline === "middle" ? ' dominant-baseline="central"' : "", weight = m[1] ? ' font-weight="' + m[1] + '"' : "";
    this.out.push('<text x="' + this.number(x) + '" y="' + this.number(y) + '" text-anchor="' + anchor + '" font-size="' + m[2] + '"' + weight + ' font-family="' + inMarkup(m[3]) + '"' + low + " " + how + ">" + inMarkup(text) + "</text>");
  }
  fillText(text, x, y) { this.letters(text, x, y, this.paint(this.fillStyle, "fill")); }
  strokeText(text, x, y) { this.letters(text, x, y, 'fill="none" ' + this.pen()); }
  createRadialGradient(x0, y0, r0, x1, y1, r1) {
    const shade = new SvgShade("shade" + this.defs.length, '<radialGradient id="shade' + this.defs.length + '" gradientUnits="userSpaceOnUse" cx="' + this.number(x1) + '" cy="' + this.number(y1) + '" r="' + this.number(r1) +
      '" fx="' + this.number(x0) + '" fy="' + this.number(y0) + '">');
    this.defs.push(shade);
    return shade;
  }
  text() {
    const back = plainColour(theme.card).colour, defs = this.defs.length ? "<defs>" + this.defs.map(s => s.head + s.stops.join("") + "</radialGradient>").join("") + "</defs>" : "";
    return '<svg xmlns="http://www.w3.org/2000/svg" width="' + this.w + '" height="' + this.h + '" viewBox="0 0 ' + this.w + " " + this.h + '">' + defs +
      '<rect width="' + this.w + '" height="' + this.h + '" fill="' + back + '"/>\n' + this.out.join("\n") + "\n</svg>\n";
  }
}
class SvgShade {
  constructor(id, head) { this.id = id; this.head = head; this.stops = []; }
  addColorStop(at, colour) { const p = plainColour(colour); this.stops.push('<stop offset="' + at + '" stop-color="' + p.colour + '"/>'); }
}

/* The scene as SVG; in space by the painters for canvases, since a drawing has no pixels to take. */
function sceneSvg(t, w, h) {
  const pen = new SvgPen(w, h), solid = scene.solid;
  scene.solid = null;
  paintScene(pen, w, h, t);
  scene.solid = solid;
  return pen.text();
}
/* The scene as a picture of w times h, k device pixels each. */
const film = { over: document.createElement("canvas"), out: document.createElement("canvas") };
function scenePicture(t, w, h, k) {
  for (const canvas of [film.over, film.out]) { canvas.width = Math.round(w * k); canvas.height = Math.round(h * k); }
  const c = film.over.getContext("2d"), o = film.out.getContext("2d");
  c.setTransform(k, 0, 0, k, 0, 0);
  paintScene(c, w, h, t);
  o.fillStyle = css("--scene-1");       /* one colour, which files keep in few bytes */
  o.fillRect(0, 0, w * k, h * k);
  if (scene.solid) o.drawImage(byId("solid"), 0, 0, w * k, h * k);
  o.drawImage(film.over, 0, 0);
  return film.out;
}
/* What is plotted: the curves that are shown, of the plots that are shown. */
function plottedCsv() {
  const field = text => /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  const list = plots.filter(p => p.shown).flatMap(p => p.series.filter(s => s.on)), rows = [["t [s]", ...list.map(s => s.name + (s.unit ? " [" + s.unit + "]" : ""))].map(field).join(",")];
  for (let i = 0; i < N; i++) rows.push([T[i], ...list.map(s => s.data[i])].map(v => isFinite(v) ? String(v) : "").join(","));
  return rows.join("\r\n") + "\r\n";
}
function save(name, type, content) {
  const a = make("a", { download: (D.name || "mbs") + name, href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })) });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}
/* A film of one run at the speed that is set. */
function saveFilm(done) {
  const r = scene.canvas.getBoundingClientRect(), k = Math.min(2, window.devicePixelRatio || 1), stream = scenePicture(T0, r.width, r.height, k).captureStream(30);
  const recorder = new MediaRecorder(stream, { mimeType: "video/webm" }), parts = [];
  let began = 0;
  recorder.ondataavailable = e => parts.push(e.data);
  recorder.onstop = () => { save(".webm", "video/webm", new Blob(parts, { type: "video/webm" })); done(); };
  const next = stamp => {
    began = began || stamp;
    const t = T0 + now.speed * (stamp - began) / 1000;
    scenePicture(Math.min(t, T1), r.width, r.height, k);
    if (t < T1) requestAnimationFrame(next); else recorder.stop();
  };
  pause();
  recorder.start();
  requestAnimationFrame(next);
}
const saving = {
  "Picture (PNG)": () => { const r = scene.canvas.getBoundingClientRect(); scenePicture(now.t, r.width, r.height, 2).toBlob(b => { save(".png", "image/png", b); drawScene(now.t); }); },
  "Drawing (SVG)": () => { const r = scene.canvas.getBoundingClientRect(); save(".svg", "image/svg+xml", sceneSvg(now.t, Math.round(r.width), Math.round(r.height))); drawScene(now.t); },
  "Film (WebM)": () => saveFilm(() => drawScene(now.t)),
  "Plotted curves (CSV)": () => save(".csv", "text/csv", plottedCsv()),
};
function saveMenu() {
  const menu = make("select", { id: "save", "aria-label": "Save" }, make("option", { value: "" }, "Save …"));
  for (const name in saving) if (name !== "Film (WebM)" || window.MediaRecorder) menu.append(make("option", { value: name }, name));
  menu.addEventListener("change", () => { const f = saving[menu.value]; menu.value = ""; if (f) f(); });
  return menu;
}
scene.canvas.saved = { svg: sceneSvg, picture: (t, w, h, k) => scenePicture(t, w, h, k).toDataURL("image/png"), csv: plottedCsv };

/* #film=WIDTH,HEIGHT,SCALE,TYPE,AT,FPS,SPEED,SYMBOLS[,dark][,bare]: one picture at a time or, with the word film in place of the time, those of the run, a line of
   base64 each, for `mbs video`.  Speed 0: its own where that takes 3 to 25 seconds, else eight seconds. */
function filmAsked() {
  const m = /^#film=(.*)/.exec(location.hash), most = 6000;
  if (!m) return false;
  const [w, h, k, type, at, fps, speed, large, ...more] = m[1].split(",").map(v => isFinite(v) ? Number(v) : v), length = T1 - T0, list = [];
  const pace = speed > 0 ? speed : length >= 3 && length <= 25 ? 1 : length / 8, count = at === "film" ? Math.ceil(length / pace * fps) + 1 || 1 : 1;
  document.documentElement.dataset.theme = more.includes("dark") ? "dark" : "light";
  scene.large = large || 1;
  if (more.includes("bare")) tracers.forEach(e => { e.on = false; });
  readTheme();
  for (let i = 0; i < count && count <= most; i++) {
    const t = at !== "film" ? Math.min(T1, Math.max(T0, at)) : Math.min(T1, T0 + i * pace / fps);
    list.push(type === "svg" ? btoa(Array.from(new TextEncoder().encode(sceneSvg(t, w, h)), b => String.fromCharCode(b)).join("")) : scenePicture(t, w, h, k).toDataURL("image/" + type, 0.93).split(",")[1]);
  }
  document.body.replaceChildren(make("pre", {}, "\nmbs-pictures:" + count + ";" + list.map(text => "\nmbs-picture:" + text + ";").join("") + "\nmbs-end\n"));
  return true;
}
