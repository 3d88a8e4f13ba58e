// SPDX-License-Identifier: GPL-3.0-or-later
// Solids and symbols of a mechanism in space: their places against the kinematics by hand (space.mbs), and that the WebGL picture has
// them where the names above it think they are.  Lengths: 16-bit steps of ranges of about 2.  Speaks TAP.
// Usage: node space.mjs BROWSER PAGE.html CROWD.html
import { finish, ok, openBrowser } from "./browser.mjs";
import { statSync } from "node:fs";

const [program, file, crowd] = process.argv.slice(2), browser = await openBrowser(program), page = await browser.openPage("file://" + file, { width: 1200, height: 900, still: true });
const gl = await page.value(`!!document.createElement("canvas").getContext("webgl2")`);
if (!gl) {
  console.log("1..0 # SKIP this browser has no WebGL 2");
  await browser.close();
  process.exit(0);
}
ok(await page.value(`!!document.getElementById("solid")`), "solids are drawn by WebGL");
const near = (a, b) => a && Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) < 2e-4;
/* colour at a place of the canvas in its CSS pixels: of the solids below the names */
const pixel = p => page.value(`(() => { const s = document.getElementById("solid"), k = s.width / s.getBoundingClientRect().width, c = document.createElement("canvas"); c.width = s.width; c.height = s.height; const x = c.getContext("2d"); x.drawImage(s, 0, 0); return [...x.getImageData(Math.round(k * ${p[0]}), Math.round(k * ${p[1]}), 1, 1).data]; })()`);
for (const part of [0, 0.4, 0.85]) {
  const t = 2 * part, c = Math.cos(2 * t), s = Math.sin(2 * t);
  await page.value(`(() => { const s = document.getElementById("scrub"); s.value = ${1000 * part}; s.dispatchEvent(new Event("input")); })()`);
  const drawn = await page.value(`document.getElementById("view").drawn()`), find = (name, kind) => drawn.find(d => d.name === name && d.kind === kind);
  const at = (name, kind, n, want) => ok(near(find(name, kind)?.places[n], want), `t = ${t}: ${kind} ${name}, place ${n + 1}`, [find(name, kind)?.places[n], want]);
  const along = (name, kind, n, want) => ok(near(find(name, kind)?.vectors[n], want), `t = ${t}: ${kind} ${name}, vector ${n + 1}`, [find(name, kind)?.vectors[n], want]);
  at("A", "revolute", 0, [0, 0, 0]);
  at("roller", "wheel", 0, [0.5, -0.5, 0]);
  at("cog", "toothed", 0, [0.8, -0.5, 0]);
  along("A", "revolute", 0, [0, 0, 1]);
  at("W", "revolute", 0, [0.3 * c, 0.3 * s, 0]);
  at("wheel", "cylinder", 0, [0.3 * c, 0.3 * s, 0]);
  along("wheel", "cylinder", 2, [0, 0, 0]);
  ok(Math.abs(Math.hypot(...find("wheel", "cylinder").vectors[0]) - 0.1) < 1e-4, `t = ${t}: the wheel has the radius of its inertia`);
  const d = 0.2 * Math.sin(3 * t), way = [0, 0.5 + 0.6 * d, 0.8 * d];
  at("box", "box", 0, [0, way[1], way[2] + 0.1]);
  along("box", "box", 1, [0, 0.1, 0]);
  at("M", "drive", 0, [0.8, 0, 0.05 * 4 * t]);
  at("N", "screw", 1, [0.8, 0, 0]);
  along("N", "screw", 0, [0, 0, 1]);
  at("C", "cylindrical", 0, [-0.5 + 0.1 * t, 0, 0]);
  along("C", "cylindrical", 0, [1, 0, 0]);
  at("U", "universal", 0, [0.5, 0.6, 0.2]);
  along("U", "universal", 1, [Math.cos(0.3 * t), Math.sin(0.3 * t), 0]);
  at("F", "force", 0, [0.3 * c, 0.3 * s, 0]);
  along("F", "force", 0, [0, 3, 4]);
  at("shell", "mesh", 0, [0.8, 0, 0.2 * t]);
  at("ball", "sphere", 0, [0.8, 0.6, 0.2]);
  /* in the picture: the ball, the green mesh in the middle of its corners */
  const ball = await pixel(find("ball", "sphere").at[0]), corner = await pixel([6, 6]);
  ok(ball[3] === 255 && ball.join() !== corner.join(), `t = ${t}: the ball is in the picture`, [ball, corner]);
}
const before = await page.value(`document.getElementById("view").drawn().find(d => d.name === "ball").at[0]`);
await page.key("d", "KeyD", 68);
const after = await page.value(`document.getElementById("view").drawn().find(d => d.name === "ball").at[0]`), there = await pixel(after);
ok(Math.hypot(before[0] - after[0], before[1] - after[1]) > 3 && there[3] === 255, "a key goes round, and the picture with it", [before, after, there]);
await page.value(`(() => { const f = document.getElementById("follow"); f.value = [...f.options].find(o => /W$/.test(o.text)).value; f.dispatchEvent(new Event("change")); })()`);
const kept = [];
for (const part of [0.1, 0.6]) {
  await page.value(`(() => { const s = document.getElementById("scrub"); s.value = ${1000 * part}; s.dispatchEvent(new Event("input")); })()`);
  kept.push(await page.value(`document.getElementById("view").drawn().find(d => d.name === "W").at[0]`));
}
ok(Math.hypot(kept[0][0] - kept[1][0], kept[0][1] - kept[1][1]) < 0.5, "a point that is followed stays where it is on the screen", kept);
if (process.env.MBS_PICTURES) await page.picture(process.env.MBS_PICTURES + "/space.png");
ok(page.errors.length === 0, "no error in the console", page.errors);
ok(page.requests.every(r => r === "file://" + file), "nothing is loaded from elsewhere", page.requests);
await page.close();
const many = await browser.openPage("file://" + crowd, { still: true });
ok(statSync(crowd).size < 3000000, "300 bodies in space take less than 3 MB", statSync(crowd).size);
ok(await many.value(`document.getElementById("view").drawn().length`) >= 600 && many.errors.length === 0, "and are drawn", many.errors);
/* What a frame costs where there is no graphics processor: calls, and corners of triangles.  A still picture at twice the pixels of the screen: 86 triangles a body, 120 allowed. */
const [calls, corners] = await many.value(`(() => {
  let calls = 0, corners = 0;
  const g = WebGL2RenderingContext.prototype, kept = {};
  for (const [name, k] of [["drawElements", 1], ["drawArrays", 2], ["drawArraysInstanced", 2], ["drawElementsInstanced", 1]]) {
    kept[name] = g[name];
    g[name] = function (...a) { calls += /Inst/.test(name) ? a[a.length - 1] : 1; corners += a[k] * (/Inst/.test(name) ? a[a.length - 1] : 1); return kept[name].apply(this, a); };
  }
  const s = document.getElementById("scrub");
  s.value = 500;
  s.dispatchEvent(new Event("input"));
  Object.assign(g, kept);
  return [calls, corners];
})()`);
ok(calls >= 4 && calls <= 40 && corners / 3 / 2 >= 600 && corners / 3 / 2 <= 120 * 300, "by few calls of WebGL, with as many triangles as their size on the screen asks for", [calls, corners]);
await many.close();
await browser.close();
finish();
