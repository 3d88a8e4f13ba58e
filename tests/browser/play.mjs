// SPDX-License-Identifier: GPL-3.0-or-later
// `mbs play` as a user has it: which body the mouse takes hold of and where, that it comes along, and the controls.  Speaks TAP.
// Usage: node play.mjs BROWSER MBS PLANE.mbs SPACE.mbs PENDULUM.mbs
import { spawn } from "node:child_process";
import { finish, ok, openBrowser } from "./browser.mjs";

const [program, mbs, plane, space, pendulum] = process.argv.slice(2), browser = await openBrowser(program);
async function playing(model) {
  const child = spawn(mbs, ["play", "-q", model], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  const url = await new Promise((yes, no) => {
    child.once("exit", () => no(new Error("mbs play " + model + " has ended")));
    child.stdout.on("data", d => { text += d; if (text.includes("\n")) yes(text.trim()); });
  });
  const page = await browser.openPage(url, { width: 1200, height: 900, still: true });       /* it stands until it is told to run */
  const until = async (expression, what) => { for (let i = 0; i < 200; i++) { if (await page.value(expression)) return true; await page.sleep(50); } ok(false, "in ten seconds: " + what); return false; };
  await until(`document.getElementById("view").pull !== undefined`, "the page");
  await page.sleep(200);
  const [left, top] = await page.value(`(r => [r.left, r.top])(document.getElementById("view").getBoundingClientRect())`);
  return { page, until, left, top, child,
    drawn: async name => (await page.value(`document.getElementById("view").drawn()`)).find(d => d.name === name),
    pull: () => page.value(`(p => ({ handle: p.handle, place: p.place, to: p.to, held: p.held, force: p.force }))(document.getElementById("view").pull)`),
    time: () => page.value(`Number(document.getElementById("clock").firstChild.data.match(/t = (\\S+)/)[1].replace("−", "-"))`),
    end: async () => { const gone = new Promise(yes => child.once("exit", yes)); await page.close(); child.kill("SIGINT"); return gone; } };
}
const near = (a, b, e) => a && Math.hypot(...a.map((v, k) => v - b[k])) < e;

/* ---- a plane: pixels of the picture are 1/scale of a metre; 0.01 m is two of them */
let p = await playing(plane), d = await p.drawn("right");
ok(await p.time() === 0 && near(d.places[0], [1, 0, 0], 1e-6), "it stands at its start", d);
const at = (x, y) => { const [a, , c] = d.at, [A, , C] = d.places; return [p.left + a[0] + (c[0] - a[0]) * (x - A[0]) / (C[0] - A[0]), p.top + a[1] + (c[1] - a[1]) * (y - A[1]) / (C[1] - A[1])]; };
await p.page.mouse("mousePressed", ...at(0.7, 0.2));
await p.page.mouse("mouseReleased", ...at(0.7, 0.2));
ok((await p.pull()).handle === -1 && await p.time() === 0, "between the plates there is nothing to hold");
await p.page.value(`document.getElementById("fit").click()`);
await p.page.mouse("mousePressed", ...at(1.3, 0.3));
ok((await p.pull()).handle === 1 && near((await p.pull()).place, [1.3, 0.3, 0], 0.01), "the mouse holds the right plate where it points", await p.pull());
await p.page.mouse("mouseMoved", ...at(1.2, 0.6));
await p.until(`(p => p.held && Math.hypot(p.held[0] - p.to[0], p.held[1] - p.to[1]) < 0.005)(document.getElementById("view").pull)`, "the place held comes to the cursor");
ok(near((await p.pull()).held, [1.2, 0.6, 0], 0.02), "where the mouse is", await p.pull());
d = await p.drawn("left");
ok(near(d.places[0], [0, 0, 0], 1e-9), "the left plate has not moved", d.places);
await p.page.mouse("mouseReleased", 0, 0);
await p.until(`document.getElementById("view").pull.held === null`, "it is let go");
await p.page.value(`document.getElementById("play").click()`);
await p.page.sleep(300);
const t = await p.time();
await p.page.sleep(300);
ok(t > 0 && await p.time() === t, "pause", t);
await p.page.value(`document.getElementById("to-start").click()`);
await p.until(`/t = 0\\.?0* s/.test(document.getElementById("clock").firstChild.data)`, "reset");
d = await p.drawn("right");
ok(near(d.places[0], [1, 0, 0], 1e-6), "reset puts it back", d.places);
const slide = (name, value) => p.page.value(`(() => { const n = [...document.querySelectorAll(".slider input[type=number]")].find(i => i.getAttribute("aria-label") === ${JSON.stringify(name + ", number")}); if (!n) return false; n.value = ${value}; n.dispatchEvent(new Event("change")); return true; })()`);
ok(await slide("far", 1.5), "a slider for a parameter");
await p.until(`Math.abs(document.getElementById("view").drawn().find(d => d.name === "right").places[0][0] - 1.5) < 1e-6`, "the plate starts where the parameter says");
ok(await slide("R.x(0)", 0.8), "a slider for a start value");
await p.until(`Math.abs(document.getElementById("view").drawn().find(d => d.name === "right").places[0][0] - 0.8) < 1e-6`, "and where its own says");
ok(p.page.errors.length === 0, "no error in the console", p.page.errors);
ok(p.page.requests.every(r => r.startsWith("http://127.0.0.1:")), "nothing is asked of another machine", p.page.requests);
ok(await p.end() === 0, "Ctrl-C ends it");

/* ---- space: what is in front is held, at its face */
p = await playing(space);
await p.page.value(`[...document.querySelectorAll("#scene-tools button")].find(b => b.textContent === "Front").click()`);
d = await p.drawn("near");
const f = await p.drawn("far");
await p.page.mouse("mousePressed", p.left + d.at[0][0], p.top + d.at[0][1]);
let held = await p.pull();
ok(held.handle === 0 && near(held.place, [0, -0.55, 0], 0.01), "the box in front is held at its face", held);
await p.page.mouse("mouseReleased", 0, 0);
await p.page.mouse("mousePressed", p.left + f.at[0][0], p.top + f.at[0][1]);
held = await p.pull();
ok(held.handle === 1 && Math.abs(held.place[1] - 0.45) < 0.01, "the other one where nothing hides it", held);
await p.page.mouse("mouseReleased", 0, 0);
ok(p.page.errors.length === 0, "no error in the console", p.page.errors);
await p.end();

/* ---- a model from energies has no bodies: the points that it shows */
p = await playing(pendulum);
const tip = (await p.page.value(`document.getElementById("view").drawn()`)).find(s => ["point", "line", "body"].includes(s.kind)), last = tip.at.length - 1;
await p.page.mouse("mousePressed", p.left + tip.at[last][0], p.top + tip.at[last][1]);
held = await p.pull();
ok(held.handle === 0 && near(held.place, tip.places[last], 1e-6), "the mass of a pendulum from energies", [held, tip]);
await p.page.mouse("mouseReleased", 0, 0);
ok(p.page.errors.length === 0, "no error in the console", p.page.errors);
await p.end();
await browser.close();
finish();
