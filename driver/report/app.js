/* SPDX-License-Identifier: 0BSD
   Putting it together: the clock, the controls, the keyboard, the papers below. */
const now = { t: T0, playing: false, loop: true, speed: 1, stamp: 0, frames: 0 };
const icons = {
  play: "M7 4.5v15l12.5-7.5z", pause: "M6.5 4.5h4v15h-4zM13.5 4.5h4v15h-4z", start: "M5 5h2.6v14H5zM20 5v14L8.6 12z",
  back: "M16.5 5v14L7.5 12z", on: "M7.5 5v14l9-7z", loop: "M7 7h9.5V3.6L21.4 8.5l-4.9 4.9V10H8.5v4H5.5V8.5A1.5 1.5 0 0 1 7 7zm10 10H7.5v3.4L2.6 15.5l4.9-4.9V14h8v-2.2l3-3v6.7A1.5 1.5 0 0 1 17 17z"
};
function icon(button, name) {
  const ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg"), p = document.createElementNS(ns, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  p.setAttribute("d", icons[name]);
  svg.append(p);
  button.replaceChildren(svg);
}

/* ---- time ---- */
const clockDigits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10((T1 - T0) || 1))));
function setTime(t) {
  now.t = Math.min(T1, Math.max(T0, t));
  drawScene(now.t, now.playing);
  plots.forEach(p => p.mark(now.t, now.playing));
  const s = byId("scrub");
  s.value = T1 > T0 ? 1000 * (now.t - T0) / (T1 - T0) : 0;
  if (!now.playing) s.setAttribute("aria-valuetext", show(now.t, 6) + " seconds");
  if (now.playing && now.frames++ % 3) return;  /* text costs more than it tells at sixty times a second */
  byId("clock").firstChild.data = "t = " + now.t.toFixed(clockDigits).replace("-", "−") + " s";
}
function frame(stamp) {
  if (!now.playing) return;
  const dt = Math.max(0, Math.min(0.1, (stamp - now.stamp) / 1000)) * now.speed;
  now.stamp = stamp;
  if (now.next) { now.next(dt).then(on => { if (on) requestAnimationFrame(frame); else pause(); }); return; }
  let t = now.t + dt;
  if (t >= T1) {
    if (now.loop && T1 > T0) t = T0 + (t - T1) % (T1 - T0);
    else { setTime(T1); return pause(); }
  }
  setTime(t);
  requestAnimationFrame(frame);
}
function play() {
  if (now.playing || T1 <= T0) return;
  if (now.t >= T1 && !now.next) now.t = T0;
  now.playing = true;
  now.stamp = performance.now();
  icon(byId("play"), "pause");
  byId("play").setAttribute("aria-label", "Pause");
  requestAnimationFrame(frame);
}
function pause() {
  if (!now.playing) return;
  now.playing = false;
  icon(byId("play"), "play");
  byId("play").setAttribute("aria-label", "Play");
  setTime(now.t);       /* a still picture may take its time, and shows what frames leave out */
}
function step(k) {
  pause();
  if (now.next && k > 0 && now.t >= T1) now.next(k / 60 * now.speed);
  else setTime(T[Math.min(N - 1, Math.max(0, nearestSample(now.t) + k))]);
}
function toStart() { if (now.restart) now.restart(); else setTime(T0); }
/* Speeds in the 1-2-5 series, and the one that shows the whole run in about eight seconds if real time would not. */
function speeds() {
  const select = byId("speed"), list = [], want = (T1 - T0) / 8 || 1;
  for (let e = -6; e <= 4; e++) for (const m of [1, 2, 5]) list.push(m * Math.pow(10, e));
  let start = list.reduce((a, b) => Math.abs(Math.log(b / want)) < Math.abs(Math.log(a / want)) ? b : a);
  if (T1 - T0 >= 3 && T1 - T0 <= 25) start = 1;
  for (const v of list.filter(v => v >= start / 60 && v <= start * 60 || v === 1)) {
    const n = v >= 1 ? v + "×" : "1/" + Math.round(1 / v) + "×";
    select.append(make("option", { value: v }, n));
  }
  select.value = start;
  now.speed = start;
  select.addEventListener("change", () => setSpeed(Number(select.value)));
}
function setSpeed(v) {
  now.speed = v;
  byId("speed").value = v;
  byId("clock").lastChild.textContent = v === 1 ? "real time" : v < 1 ? "slowed down " + show(1 / v, 3) + " times" : "sped up " + show(v, 3) + " times";
}
function nextSpeed(k) {
  const o = byId("speed").options, i = byId("speed").selectedIndex + k;
  if (i >= 0 && i < o.length) setSpeed(Number(o[i].value));
}

/* ---- the scene's controls ---- */
function sceneTools() {
  const tools = byId("scene-tools");
  if (!points.length) { byId("traces").hidden = true; return; }
  if (spatial)
    for (const [name, yaw, pitch] of [["Front", -Math.PI / 2, 0], ["Side", 0, 0], ["Top", -Math.PI / 2, Math.PI / 2], ["Oblique", -0.9, 0.42]])
      tools.append(make("button", { type: "button", onclick: () => { camera.yaw = yaw; camera.pitch = pitch; drawScene(now.t); } }, name));
  tools.append(make("button", { type: "button", id: "names", "aria-pressed": "false", onclick: toggleNames }, "Names"));
  if (shapes.some(s => (s.kind === "force" || s.kind === "torque") && !s.reaction))
    tools.append(make("button", { type: "button", id: "forces", "aria-pressed": "true", onclick: () => toggleArrows("forces") }, "Forces"));
  if (hasReactions)
    tools.append(make("button", { type: "button", id: "reactions", "aria-pressed": "true", onclick: () => toggleArrows("reactions") }, "Reactions"));
  if (tracers.length) {
    const follow = make("select", { id: "follow", "aria-label": "Follow" }, make("option", { value: "" }, "Whole"));
    for (const e of tracers.slice(0, 200)) follow.append(make("option", { value: e.point }, "Follow " + e.name));
    follow.value = camera.follow === undefined ? "" : String(camera.follow);
    follow.addEventListener("change", () => { cameraFollow(follow.value === "" ? undefined : Number(follow.value)); drawScene(now.t); });
    tools.append(follow);
  }
  tools.append(make("button", { type: "button", id: "fit", onclick: fit }, "Fit"), saveMenu());
  const chips = byId("trace-chips");
  for (const e of tracers) {
    e.chip = make("button", { type: "button", class: "chip", onclick: () => { e.on = !e.on; traceChips(); drawScene(now.t); } }, e.name);
    chips.append(e.chip);
  }
  traceChips();
  byId("traces").hidden = !tracers.length;
}
function traceChips() {
  const on = tracers.filter(e => e.on);
  tracers.forEach(e => e.chip.setAttribute("aria-pressed", e.on));
  byId("trace-count").textContent = on.length ? "· " + on.slice(0, 4).map(e => e.name).join(", ") + (on.length > 4 ? ", …" : "") : "· none";
}
function toggleNames() {
  scene.names = !scene.names;
  byId("names").setAttribute("aria-pressed", scene.names);
  drawScene(now.t);
}
function toggleArrows(which) {
  scene[which] = !scene[which];
  byId(which).setAttribute("aria-pressed", scene[which]);
  drawScene(now.t);
}
function fit() { cameraFit(); drawScene(now.t); }
function zoomScene(f, x, y) {
  if (!spatial) {
    const s = camera.scale, wx = camera.mid[0] + (x - camera.w / 2) / s, wy = camera.mid[1] - (y - camera.h / 2 - 6) / s;
    camera.mid[0] = wx - (x - camera.w / 2) / (s * f);
    camera.mid[1] = wy + (y - camera.h / 2 - 6) / (s * f);
  }
  camera.scale *= f;
  camera.fitted = false;
  drawScene(now.t);
}
function moveScene(dx, dy, turn) {
  const s = camera.scale;
  if (spatial && turn) {
    camera.yaw -= dx * 0.008;
    camera.pitch = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, camera.pitch + dy * 0.008));
  } else if (spatial) {
    const a = axes();
    for (let k = 0; k < 3; k++) camera.mid[k] -= (dx * a.right[k] - dy * a.up[k]) / s;
    camera.fitted = false;
  } else {
    camera.mid[0] -= dx / s;
    camera.mid[1] += dy / s;
    camera.fitted = false;
  }
  drawScene(now.t);
}
function turnScene(yaw, pitch) { if (spatial) moveScene(-yaw / 0.008, pitch / 0.008, true); else moveScene(-120 * yaw, 120 * pitch, false); }
function sceneListen() {
  const v = scene.canvas, fingers = new Map();
  let moved = 0, pulling = -1;
  const place = e => { const r = v.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
  v.addEventListener("pointerdown", e => { v.setPointerCapture(e.pointerId); fingers.set(e.pointerId, place(e)); moved = 0; v.classList.add("holding"); if (scene.grab && fingers.size === 1 && !e.shiftKey && scene.grab(place(e))) pulling = e.pointerId; });
  v.addEventListener("pointermove", e => {
    const old = fingers.get(e.pointerId);
    if (!old) return;
    const p = place(e);
    if (pulling === e.pointerId) {
      fingers.set(e.pointerId, p);
      scene.pullTo(p);
    } else if (fingers.size === 2) {
      const [a, b] = [...fingers.values()], d0 = Math.hypot(a[0] - b[0], a[1] - b[1]);
      fingers.set(e.pointerId, p);
      const [c, d] = [...fingers.values()];
      zoomScene(Math.hypot(c[0] - d[0], c[1] - d[1]) / Math.max(1, d0), (c[0] + d[0]) / 2, (c[1] + d[1]) / 2);
      moveScene((p[0] - old[0]) / 2, (p[1] - old[1]) / 2, false);
    } else {
      fingers.set(e.pointerId, p);
      moveScene(p[0] - old[0], p[1] - old[1], !e.shiftKey);
    }
    moved += Math.abs(p[0] - old[0]) + Math.abs(p[1] - old[1]);
  });
  const end = e => {
    if (pulling === e.pointerId) { pulling = -1; scene.letGo(); }
    if (fingers.delete(e.pointerId) && moved < 4 && e.type === "pointerup") traceNear(place(e));
    if (!fingers.size) v.classList.remove("holding");
  };
  v.addEventListener("pointerup", end);
  v.addEventListener("pointercancel", end);
  v.addEventListener("wheel", e => { e.preventDefault(); zoomScene(Math.exp(-e.deltaY * 0.0015), ...place(e)); }, { passive: false });
  v.addEventListener("dblclick", fit);
}
function traceNear(p) {
  const project = projector();
  let best = null, near = 16;
  for (const e of tracers) {
    const q = project(...pointAt(e.point, now.t)), d = Math.hypot(q[0] - p[0], q[1] - p[1]);
    if (d < near) { near = d; best = e; }
  }
  if (best) { best.on = !best.on; traceChips(); drawScene(now.t); }
}

/* ---- the papers: run table, parameters, model, equations ---- */
function highlighted(text) {
  const pre = make("pre", { tabindex: "0" }), words = new Set(D.words || []);
  const part = /(#.*)|("(?:[^"\\]|\\.)*"?)|(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z_][A-Za-z_0-9]*)|([^#"\dA-Za-z_]+)/g;
  text.replace(/\n$/, "").split("\n").forEach((line, i) => {
    const row = make("span", { id: "line-" + (i + 1) }, make("span", { class: "n", "aria-hidden": "true" }, String(i + 1)));
    for (const m of line.matchAll(part)) {
      const kind = m[1] ? "c" : m[2] ? "s" : m[3] ? "d" : m[4] && words.has(m[4]) && /^[\s{]*$|[{}]\s*$/.test(line.slice(0, m.index)) ? "w" : "";
      row.append(kind ? make("span", { class: kind }, m[0]) : m[0]);
    }
    pre.append(row, "\n");
  });
  return pre;
}
function paramTable() {
  const rows = D.params.map(p => make("tr", {}, make("td", {}, p.name), make("td", { class: "num" }, show(p.value, 12)), make("td", {}, unitText(p.unit)), make("td", {}, p.changed ? "set for this run" : "")));
  return make("div", { class: "wide-scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...["Parameter", "Value", "Unit", ""].map(h => make("th", { scope: "col" }, h)))), make("tbody", {}, ...rows)));
}
function papers() {
  const list = [["Run", make("dl", { class: "facts" }, ...D.table.map(([k, v]) => make("div", {}, make("dt", {}, k), make("dd", {}, v))))]];
  if (happenings.length) list.push(["Events", happeningTable()]);
  if (D.params.length) list.push(["Parameters", paramTable()]);
  if (D.text) list.push(["Model", highlighted(D.text)]);
  if (D.equations.length) list.push(["Equations", equationPanel()]);
  const tabs = byId("tabs"), panels = byId("panels"), buttons = [];
  list.forEach(([name, content], i) => {
    const id = name.toLowerCase(), panel = make("div", { class: "card panel", role: "tabpanel", id: "panel-" + id, "aria-labelledby": "tab-" + id }, content);
    const tab = make("button", { type: "button", role: "tab", id: "tab-" + id, "aria-controls": "panel-" + id, onclick: () => choose(i) }, name);
    buttons.push([tab, panel]);
    tabs.append(tab);
    panels.append(panel);
  });
  function choose(k) {
    buttons.forEach(([tab, panel], i) => { tab.setAttribute("aria-selected", i === k); tab.tabIndex = i === k ? 0 : -1; panel.hidden = i !== k; });
  }
  tabs.addEventListener("keydown", e => {
    const k = buttons.findIndex(b => b[0] === document.activeElement), d = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
    if (k < 0 || !d) return;
    e.stopPropagation();
    e.preventDefault();
    const j = (k + d + buttons.length) % buttons.length;
    choose(j);
    buttons[j][0].focus();
  });
  choose(0);
}

/* ---- plots ---- */
function plotList() {
  const list = byId("plot-list"), chips = byId("plot-chips");
  for (const g of D.groups) {
    const p = new Plot(g);
    plots.push(p);
    list.append(p.root);
    p.root.hidden = !p.shown;
    const chip = make("button", { type: "button", class: "chip", "aria-pressed": p.shown, onclick: () => {
      p.shown = !p.shown;
      p.root.hidden = !p.shown;
      chip.setAttribute("aria-pressed", p.shown);
      p.paint();
    } }, g.title);
    if (g.tag) chip.append(make("small", {}, " " + unitText(g.tag)));
    chips.append(chip);
  }
}
function repaint() {
  readTheme();
  drawScene(now.t);
  paintTimeLine();
  plots.forEach(p => p.paint());
}

/* ---- keyboard and start ---- */
function keys(e) {
  const tag = e.target.tagName;
  if (e.altKey || e.ctrlKey || e.metaKey || byId("help").open || tag === "SELECT") return;
  if (e.key === " " && (tag === "BUTTON" || tag === "SUMMARY")) return;
  const far = Math.max(1, Math.round(N / 50)), act = {
    " ": () => now.playing ? pause() : play(), ArrowLeft: () => step(e.shiftKey ? -far : -1), ArrowRight: () => step(e.shiftKey ? far : 1),
    Home: () => { pause(); toStart(); }, End: () => { pause(); setTime(T1); }, ArrowUp: () => nextSpeed(1), ArrowDown: () => nextSpeed(-1),
    a: () => turnScene(-0.12, 0), d: () => turnScene(0.12, 0), w: () => turnScene(0, 0.12), s: () => turnScene(0, -0.12), q: () => zoomScene(1 / 1.15, camera.w / 2, camera.h / 2), e: () => zoomScene(1.15, camera.w / 2, camera.h / 2),
    "+": () => zoomSpan(0.6, now.t), "-": () => zoomSpan(1 / 0.6, now.t), "0": () => setSpan(T0, T1), f: fit, n: toggleNames, l: toggleLoop, "?": () => byId("help").showModal()
  }[e.key.length === 1 ? e.key.toLowerCase() : e.key];
  if (!act) return;
  if ((e.key === "ArrowUp" || e.key === "ArrowDown") && document.activeElement !== document.body && document.activeElement !== byId("scrub")) return;
  e.preventDefault();
  act();
}
function toggleLoop() {
  now.loop = !now.loop;
  byId("loop").setAttribute("aria-pressed", now.loop);
}
function start() {
  byId("title").textContent = D.title || D.name;
  byId("subtitle").textContent = D.subtitle;
  byId("footer").textContent = D.footer;
  byId("clock").append("", make("small"));
  readTheme();
  const wide = box.hi[0] - box.lo[0], high = box.hi[1] - box.lo[1];     /* a flat mechanism gets a flat stage */
  if (!spatial && points.length) byId("scene").style.setProperty("--shape", Math.max(0.45, Math.min(1.2, 0.14 + high / (wide || 1e-30))));
  [["to-start", "start"], ["step-back", "back"], ["play", "play"], ["step-on", "on"], ["loop", "loop"]].forEach(([id, name]) => icon(byId(id), name));
  byId("play").addEventListener("click", () => now.playing ? pause() : play());
  byId("to-start").addEventListener("click", toStart);
  byId("step-back").addEventListener("click", () => step(-1));
  byId("step-on").addEventListener("click", () => step(1));
  byId("loop").addEventListener("click", toggleLoop);
  byId("scrub").addEventListener("input", e => { const part = Number(e.target.value) / 1000; pause(); setTime(T0 + (T1 - T0) * part); });
  byId("zoom-in").addEventListener("click", () => zoomSpan(0.5, now.t));
  byId("zoom-out").addEventListener("click", () => zoomSpan(2, now.t));
  byId("zoom-all").addEventListener("click", () => setSpan(T0, T1));
  byId("help-open").addEventListener("click", () => byId("help").showModal());
  document.addEventListener("keydown", keys);
  speeds();
  if (spatial) startSpace(); else byId("solid").remove();
  if (filmAsked()) return;
  sceneTools();
  sceneListen();
  timeLine();
  plotList();
  againTools();
  papers();
  themeButton(repaint);
  setSpeed(now.speed);
  new ResizeObserver(repaint).observe(byId("scene"));
  new ResizeObserver(repaint).observe(byId("plot-list"));
  addEventListener("beforeprint", repaint);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  repaint();
  setTime(T0);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
}
start();
