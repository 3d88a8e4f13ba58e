// SPDX-License-Identifier: GPL-3.0-or-later
// Pages of studies: what the pointer reads, which case a click finds and whether its command line gives it again, ranges, narrow screens, print.  Speaks TAP.
// Usage: node study.mjs BROWSER DIRECTORY MBS
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { finish, ok, openBrowser } from "./browser.mjs";

const [program, dir, mbs] = process.argv.slice(2), browser = await openBrowser(program);
const open = (name, more) => browser.openPage("file://" + dir + "/" + name + ".html", { width: 1200, height: 1000, still: true, ...more });
const table = file => { const [head, ...rows] = readFileSync(dir + "/" + file, "utf8").trim().split(/\r?\n/).map(r => r.split(",")); const names = head.map(n => n.replace(/ \[.*/, "")); return rows.map(r => Object.fromEntries(names.map((n, i) => [n, Number(r[i])]))); };
const rows = table("cases.csv");

/* ---- a sweep ---- */
let p = await open("sweep");
ok(await p.value("window.broken === undefined") && await p.value(`document.querySelector("h1").textContent.includes("<script>")`), "a title is text, whatever it says");
ok(await p.value(`document.querySelectorAll("figure.row").length`) === 2 && await p.value(`document.querySelectorAll("g.panel").length`) === 4, "a row of panels for each measure");
const panel = (x, y) => `[...document.querySelectorAll("g.panel")].find(g => g.dataset.x === "${x}" && g.dataset.y === "${y}")`;
await p.value(`${panel(0, 0)}.scrollIntoView({ block: "center" })`);
/* where a point of a panel is on the screen, from the numbers that the panel itself carries */
const place = async (i, j, x, y) => p.value(`(() => { const g = ${panel(i, j)}, [l, r, t, b] = g.dataset.box.split(" ").map(Number), [x0, x1, y0, y1] = g.dataset.range.split(" ").map(Number), s = g.ownerSVGElement, R = s.getBoundingClientRect(), k = R.width / s.viewBox.baseVal.width;
  return [R.left + k * (l + (${x} - x0) / (x1 - x0) * (r - l)), R.top + k * (b - (${y} - y0) / (y1 - y0) * (b - t))]; })()`);
/* a case that has no neighbour within some pixels: the one with the least measure, at an edge */
const far = rows.reduce((a, r) => r["min(x)"] < a["min(x)"] ? r : a), at = await place(0, 0, far.l, far["min(x)"]);
await p.mouse("mouseMoved", ...at, { buttons: 0 });
ok(new RegExp("^case " + far.case + "\\n").test(await p.value(`document.getElementById("tip").textContent`)), "the pointer names the case", await p.value(`document.getElementById("tip").textContent`));
await p.mouse("mousePressed", ...at);
await p.mouse("mouseReleased", ...at);
const line = await p.value(`document.querySelector("#chosen pre").lastChild.data`);
ok(await p.value(`document.getElementById("chosen").dataset.case`) === String(far.case) && line.startsWith("mbs run swing.mbs "), "a click shows its command line", line);
execFileSync(mbs, [...line.split(" ").slice(1), "-q", "-o", "again.csv"], { cwd: dir });
ok(Math.min(...table("again.csv").map(r => r.x)) === far["min(x)"], "which gives the case again, to the last bit");
const [a, b] = [await place(0, 0, 0.45, far["min(x)"]), await place(0, 0, 0.5, far["min(x)"])];
await p.mouse("mousePressed", ...a);
await p.mouse("mouseMoved", (a[0] + b[0]) / 2, a[1]);
await p.mouse("mouseMoved", ...b);
await p.mouse("mouseReleased", ...b);
const inside = rows.filter(r => r.l >= 0.45 && r.l <= 0.5).length, count = Number(await p.value(`document.getElementById("chosen").dataset.count`));
ok(Math.abs(count - inside) <= 2, "a range has the cases that are in it (two may lie within the pixel at its ends)", { count, inside });
ok(await p.value(`[...document.querySelectorAll(".picked")].every(e => e.getAttribute("d").split("M").length - 1 === ${count})`), "which light up in every panel");
await p.key("Escape", "Escape", 27);
ok(await p.value(`document.getElementById("chosen").hidden && !document.querySelector(".picked")`), "Escape puts it away");
await p.value(`document.querySelector("#pick button").click()`);
ok(await p.value(`document.querySelector('figure.row[data-measure="0"]').hidden && !document.querySelector('figure.row[data-measure="1"]').hidden`), "a measure can be hidden");
await p.value(`document.querySelector("svg.fan").scrollIntoView({ block: "center" })`);
const fan = await p.value(`(r => [r.left + r.width / 2, r.top + r.height / 2])(document.querySelector("svg.fan").getBoundingClientRect())`);
await p.mouse("mouseMoved", ...fan, { buttons: 0 });
const read = await p.value(`document.getElementById("tip").textContent`);
ok(["least", "5 %", "median", "95 %", "most"].every(w => read.includes(w + ": ")), "the pointer reads the fan", read);
ok(p.errors.length === 0 && p.requests.every(r => r.startsWith("file://")), "no error in the console, nothing asked of a network", [p.errors, p.requests]);
const print = await p.print();
ok(print.startsWith("%PDF"), "it can be printed");
await p.close();

p = await open("cells");
ok(await p.value(`document.querySelectorAll("path.hex").length`) > 3 && await p.value(`document.querySelectorAll("path.dots").length`) === 0, "many cases are cells");
await p.value(`${panel(0, 0)}.scrollIntoView({ block: "center" })`);
const middle = await p.value(`(r => [r.left + r.width / 2, r.top + r.height / 2])(${panel(0, 0)}.querySelector(".h5").getBoundingClientRect())`);
await p.mouse("mousePressed", ...middle);
await p.mouse("mouseReleased", ...middle);
ok(!(await p.value(`document.getElementById("chosen").hidden`)), "of which some can be clicked");
ok(p.errors.length === 0, "no error in the console", p.errors);
await p.close();

/* ---- the others; narrow, dark ---- */
for (const name of ["sweep", "fit", "optimize"])
  for (const [look, more] of [["light", {}], ["dark", { dark: true }], ["phone", { width: 390, height: 780, mobile: true }]]) {
    p = await open(name, more);
    ok(await p.value("document.documentElement.scrollWidth <= innerWidth + 1"), name + ", " + look + ": nothing lies beyond the edge", await p.value("[document.documentElement.scrollWidth, innerWidth]"));
    ok(await p.value(`[...document.querySelectorAll("svg.chart")].every(s => s.getBoundingClientRect().width > 100)`) && p.errors.length === 0, name + ", " + look + ": charts are there, no error", p.errors);
    if (look === "dark") ok(await p.value(`getComputedStyle(document.body).backgroundColor`) === "rgb(16, 19, 25)", name + ": is dark");
    await p.close();
  }
p = await open("fit");
await p.value(`document.querySelector("#beside svg").scrollIntoView({ block: "center" })`);
const beside = await p.value(`(r => [r.left + r.width / 2, r.top + r.height / 2])(document.querySelector("#beside svg").getBoundingClientRect())`);
await p.mouse("mouseMoved", ...beside, { buttons: 0 });
ok(/model: .*\nmeasured: /.test(await p.value(`document.getElementById("tip").textContent`)), "sample and model at the pointer", await p.value(`document.getElementById("tip").textContent`));
await p.close();
await browser.close();
finish();
