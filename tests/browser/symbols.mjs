// SPDX-License-Identifier: GPL-3.0-or-later
// Where a report draws joints and elements, against the kinematics by hand: symbols.mbs has driven mechanisms whose places follow
// from the time.  Two places of the ground give scale and origin of the screen.  Pixels: 16-bit steps of points and a run with
// rtol 1e-8 leave less than a tenth.  Speaks TAP.  Usage: node symbols.mjs BROWSER PAGE.html
import { finish, ok, openBrowser } from "./browser.mjs";

const [program, file] = process.argv.slice(2), browser = await openBrowser(program), page = await browser.openPage("file://" + file, { width: 1200, height: 900, still: true });
const to = 2, l = 0.4;
for (const part of [0, 0.31, 0.77]) {
  await page.value(`(() => { const s = document.getElementById("scrub"); s.value = ${1000 * part}; s.dispatchEvent(new Event("input")); })()`);
  const drawn = await page.value(`document.getElementById("view").drawn()`), t = part * to;
  const find = (name, kind) => drawn.find(s => s.name === name && (!kind || s.kind === kind));
  const a = find("A").at[0], b = find("L").at[0], scale = (b[0] - a[0]) / 2.6, screen = p => [a[0] + scale * p[0], a[1] - scale * p[1]];
  ok(scale > 50 && Math.abs(b[1] - a[1] + 0.2 * scale) < 0.1, `t = ${t}: equal scales along x and y`, [a, b]);
  const at = (name, kind, n, want) => {
    const s = find(name, kind), got = s && s.at[n], w = screen(want);
    ok(got && Math.hypot(got[0] - w[0], got[1] - w[1]) < 0.1 && Math.hypot(...w) > 0, `t = ${t}: ${kind} ${name}, place ${n + 1}`, [got, w]);
  };
  const along = (name, kind, n, want) => {
    const s = find(name, kind), v = s && s.vectors[n];
    ok(v && Math.hypot(v[0] - want[0], v[1] - want[1], v[2] - (want[2] || 0)) < 1e-4 * Math.hypot(1, ...want), `t = ${t}: ${kind} ${name}, vector ${n + 1}`, [v, want]);
  };
  const E = [0.2 * Math.cos(3 * t), 0.2 * Math.sin(3 * t)], x = E[0] + Math.sqrt(0.36 - E[1] * E[1]), phi = 0.5 * Math.sin(2 * t);
  const bob = [1.4 + l * Math.sin(phi), 0.9 - l * Math.cos(phi)];
  at("A", "revolute", 0, [0, 0]);
  at("B", "revolute", 0, E);
  at("Y", "prismatic", 0, [E[0], 0.5]);
  at("Y", "prismatic", 1, [0, 0.5]);
  along("Y", "prismatic", 0, [1, 0]);
  at("S", "slot", 0, E);
  at("S", "slot", 1, [E[0], 0.5]);
  along("S", "slot", 0, [0, 1]);
  at("R", "prismatic", 0, [x, 0]);
  at("C", "revolute", 0, [x, 0]);
  at("L", "fixed", 0, [2.6, 0.2]);
  at("M", "drive", 0, [0, 0]);
  at("T", "turn_spring", 0, [1.4, 0.9]);
  at("T", "turn_damper", 0, [1.4, 0.9]);
  at("Fr", "friction", 0, [1.4, 0.9]);
  at("S1", "spring", 0, bob);
  at("S1", "spring", 1, [2, 0.7]);
  at("S1", "damper", 0, bob);
  at("Bu", "bushing", 1, [0.8, -0.2]);
  at("Fo", "force", 0, bob);
  along("Fo", "force", 0, [2 * Math.cos(3 * t), 1]);
  at("Q", "torque", 0, [1.4, 0.2]);
  along("Q", "torque", 0, [0, 0, 0.2 * Math.sin(2 * t)]);
  at("Ro", "rotor", 0, [1.4, 0.2]);
  at("G", "gear", 0, [1.4, 0.2]);
  at("G", "gear", 1, [2, 0.2]);
  along("G", "gear", 2, [-2, 1, 1]);
  along("Z", "gear", 2, [0.1, 1, 0]);
  at("Co", "contact", 1, [0.6, -0.5]);
  along("Co", "contact", 0, [0, 1]);
  at("tip", "point", 0, [1.4 + l / 2 * Math.sin(phi), 0.9 - l / 2 * Math.cos(phi)]);
  along("wheel", "circle", 0, [0.15, 0].map((_, k, v) => v[0] * (k ? Math.sin(angle()) : Math.cos(angle()))));
  function angle() { const v = find("wheel", "circle").vectors[0]; return Math.atan2(v[1], v[0]); }      /* its radius: that of a disc with this inertia */
  along("L.reaction", "force", 0, [0, 9.81]);      /* a stand of one kilogram, a wheel of two that only turns */
  at("L.reaction", "force", 0, [2.6, 0.2]);
  along("W.reaction", "force", 0, [0, 19.62]);
  along("Y.reaction", "force", 0, [0, 9.81 + 0]);
  along("L.moment", "torque", 0, [0, 0, 0]);
  const turn = (p, o, a) => [o[0] + p[0] * Math.cos(a) - p[1] * Math.sin(a), o[1] + p[0] * Math.sin(a) + p[1] * Math.cos(a)];
  [[0, 0], [0.2, 0], [0.1, 0.05], [0, 0.1]].forEach((p, k) => at("fin", "plate", k, turn(p, [0, 0], 3 * t)));
  at("disc", "wheel", 0, bob);
  along("disc", "wheel", 0, turn([0.05, 0], [0, 0], phi));
  along("disc", "wheel", 3, [0.8, 0, 0]);
  along("cog", "toothed", 1, turn([0, 0.03], [0, 0], phi));
  along("cog", "toothed", 3, [24, 0, 0]);
  ok(!find("F"), `t = ${t}: a free joint is nothing to see`);
  ok(find("ghost") && find("bent", "line"), `t = ${t}: hidden shapes keep their places`);
  /* the pixels: a pin is filled with its own colour, unless the arrow of its reaction lies upon it */
  const press = part => page.value(`document.getElementById("reactions").getAttribute("aria-pressed") === "${part}" || document.getElementById("reactions").click()`);
  await press(false);
  const pin = await page.value(`(() => { const v = document.getElementById("view"), k = v.width / v.getBoundingClientRect().width, p = v.drawn().find(s => s.name === "B").at[0], d = v.getContext("2d").getImageData(Math.round(k * p[0]), Math.round(k * p[1]), 1, 1).data; return [...d]; })()`);
  ok(pin.join() === "255,255,255,255", `t = ${t}: the pin at B is painted there`, pin);
  await press(true);
  const arrow = await page.value(`(() => { const v = document.getElementById("view"), k = v.width / v.getBoundingClientRect().width, p = v.drawn().find(s => s.name === "L.reaction").at[0], d = v.getContext("2d").getImageData(Math.round(k * p[0]), Math.round(k * (p[1] - 12)), 1, 1).data; return [...d]; })()`);
  ok(arrow[0] > arrow[1] + 40 && arrow[2] > arrow[1], `t = ${t}: the reaction at L points upwards from there`, arrow);
}
/* the drawing that is saved has its pins where the canvas has them */
const pins = await page.value(`(() => { const v = document.getElementById("view"), r = v.getBoundingClientRect(), text = v.saved.svg(1.54, r.width, r.height);
  const arcs = [...text.matchAll(/<path d="M([-\d.]+) ([-\d.]+)A([\d.]+) /g)].map(m => [m[1] - m[3], Number(m[2])]);
  return v.drawn().filter(s => s.kind === "revolute").map(s => ({ name: s.name, off: Math.min(...arcs.map(a => Math.hypot(a[0] - s.at[0][0], a[1] - s.at[0][1]))) })); })()`);
ok(pins.length >= 6 && pins.every(p => p.off < 0.03), "the SVG has the pins at their places", pins);
const table = await page.value(`document.getElementById("view").saved.csv().split("\\r\\n")`), wide = await page.value(`[...document.querySelectorAll(".plot:not([hidden]) .legend button")].length`);
ok(table[0].startsWith("t [s],") && table[0].split(",").length === wide + 1 && table.length === 1002 && Number(table[1000].split(",")[0]) === 2, "what is plotted, as CSV", [table[0], table.length, wide]);
/* names do not lie upon each other */
await page.value(`document.getElementById("names").click()`);
const crossing = await page.value(`document.getElementById("view").labels().filter((a, i, all) => all.some((b, j) => j > i && a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1)).length`);
const labels = await page.value(`document.getElementById("view").labels().length`);
ok(labels > 12 && crossing === 0, "names are apart", [labels, crossing]);
if (process.env.MBS_PICTURES) await page.picture(process.env.MBS_PICTURES + "/symbols.png");
ok(page.errors.length === 0, "no error in the console", page.errors);
await page.close();
await browser.close();
finish();
