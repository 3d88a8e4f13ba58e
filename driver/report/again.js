/* SPDX-License-Identifier: 0BSD
   The columns of the page filled anew, by its own integrator (live.js) or from `mbs play` (play.js), and the sliders for both. */
const again = (function () {
  const A = D.again, list = byId("again-list"), says = byId("again-says");
  const names = { q: A.coord, v: A.coord, a: A.coord, z: A.state, u: A.input, y: A.output, reaction: A.output, lambda: A.constraint }, block = { reaction: "y" };
  const indexOf = (s, key) => s.index ??= names[key].indexOf(s.name);
  /* What a curve shows of a row {q, v, a, lambda, z, u, y, energy, violation, xyz}; `first` is the row of the start. */
  function valueOf(key, s, r, first) {
    const total = x => x.energy[0] + x.energy[1];
    if (key in names) return (r[block[key] || key] || [])[indexOf(s, key)] ?? NaN;
    if (key === "energy") return s.name === "kinetic" ? r.energy[0] : s.name === "potential" ? r.energy[1] : total(r);
    if (key === "drift") return total(r) - total(first);
    return r.violation ? r.violation[s.name === "position" ? 0 : 1] : NaN;
  }
  /* Sample n of every curve, point and reaction. */
  function fill(n, r, first) {
    for (const plot of plots) {
      const key = plot.group.key.split("-")[0];
      for (const s of plot.series) s.data[n] = valueOf(key, s, r, first);
    }
    D.where.forEach((to, i) => {
      const p = points[to], o = D.origin[i], at = k => r.xyz[3 * i + k] - (o >= 0 && o !== i ? r.xyz[3 * o + k] : 0);
      p.x[n] = at(0); p.y[n] = at(1); p.z[n] = at(2);
    });
    for (const s of shapes)
      if (s.reaction) {
        const p = points[s.at[1]], part = s.parts ??= s.of.map(name => A.output.indexOf(name)), at = k => part[k] < 0 ? 0 : r.y[part[k]];
        p.x[n] = at(0); p.y[n] = at(1); p.z[n] = at(2);
      }
  }
  /* After a whole run: what was found out from the old one is found out again. */
  function changed() {
    for (const s of shapes) { s.travel = s.spread = s.faces = s.most = undefined; }
    tracers.forEach(e => { e.data = null; });
    Object.assign(whole, boxOf());
    if (camera.follow === undefined) box = whole; else box = boxOf(camera.follow);
    if (camera.fitted) cameraFit();
    repaint();
  }
  function slider(name, unit, value, lo, hi, set, reset) {
    const range = make("input", { type: "range", min: lo, max: hi, step: "any", value, "aria-label": name }), number = make("input", { type: "number", step: "any", value, "aria-label": name + ", number" });
    const take = x => { if (!isFinite(x)) return; set(x); range.value = x; if (document.activeElement !== number) number.value = Number(x.toPrecision(6)); };
    range.addEventListener("input", () => take(Number(range.value)));
    number.addEventListener("change", () => take(Number(number.value)));
    const row = make("div", { class: "slider" }, make("span", {}, name, make("small", {}, unit ? " " + unitText(unit) : "")), range, number);
    row.reset = () => { reset(); range.value = number.value = value; };
    list.append(row);
  }
  const spanOf = p => {
    const v = p.value, start = p.name.endsWith("(0)");
    if (start && p.unit === "rad") return [v - Math.PI, v + Math.PI];
    if (start) return [v - Math.max(Math.abs(v), whole.size / 2), v + Math.max(Math.abs(v), whole.size / 2)];
    return v === 0 ? [-1, 1] : v > 0 ? [0, 2 * v] : [2 * v, 0];
  };
  function sliders(given, then) {
    const before = new Map(A.given);
    D.params.forEach((p, k) => {
      if (!p.discrete) slider(p.name, p.unit, p.value, ...spanOf(p), x => { given.set(k, x); then(); }, () => { given.delete(k); if (before.has(k)) given.set(k, before.get(k)); });
    });
  }
  return {
    fill, changed, slider, sliders,
    say: (text, bad) => { says.textContent = text; says.classList.toggle("bad", !!bad); },
    onReset: then => byId("again-reset").addEventListener("click", () => { [...list.children].forEach(r => r.reset()); then(); }),
  };
})();
