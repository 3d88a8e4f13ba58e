// SPDX-License-Identifier: GPL-3.0-or-later
// How many frames a second a page shows while it plays, and what one costs: processor time of all of the browser's processes by its frames, which
// the load of the machine changes little.  Usage: node frames.mjs BROWSER PAGE.html [SECONDS]
import { readdirSync, readFileSync } from "node:fs";
import { openBrowser } from "./browser.mjs";

const [program, file, seconds = 10] = process.argv.slice(2), browser = await openBrowser(program), page = await browser.openPage("file://" + file);
/* user and system time of every process below ours, in seconds, by its kind */
function used() {
  const parent = new Map(), time = new Map(), kind = new Map();
  for (const pid of readdirSync("/proc").filter(p => /^\d+$/.test(p)))
    try {
      const f = readFileSync("/proc/" + pid + "/stat", "utf8").replace(/^.*\) /, "").split(" ");
      parent.set(pid, f[1]);
      time.set(pid, (Number(f[11]) + Number(f[12])) / 100);
      kind.set(pid, (/--type=([a-z-]+)/.exec(readFileSync("/proc/" + pid + "/cmdline", "utf8")) || [, "browser"])[1]);
    } catch { /* it has ended */ }
  const ours = pid => { for (let p = pid; p && p !== "0"; p = parent.get(p)) if (p === String(process.pid)) return pid !== String(process.pid); return false; }, out = {};
  for (const pid of parent.keys()) if (ours(pid)) out[kind.get(pid)] = (out[kind.get(pid)] || 0) + time.get(pid);
  return out;
}
await page.sleep(3000);                 /* shaders, and the choice of the resolution */
const before = used(), began = await page.value(`(window.frames2 = 0, (function count() { window.frames2++; requestAnimationFrame(count); })(), performance.now())`);
await page.sleep(1000 * seconds);
const [n, ms] = await page.value(`[window.frames2, performance.now()]`), after = used(), size = await page.value(`(c => c.width + " x " + c.height)(document.getElementById("solid") || document.getElementById("view"))`);
const cost = Object.keys(after).map(k => [k, 1000 * (after[k] - (before[k] || 0)) / n]).filter(([, v]) => v >= 0.05).sort((a, b) => b[1] - a[1]);
console.log(`${(1000 * n / (ms - began)).toFixed(1)} frames a second at ${size} pixels; processor time a frame: ${cost.map(([k, v]) => v.toFixed(1) + " ms " + k).join(", ")}, together ${cost.reduce((a, [, v]) => a + v, 0).toFixed(1)} ms`);
await browser.close();
