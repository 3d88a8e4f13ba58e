// SPDX-License-Identifier: GPL-3.0-or-later
// `mbs report --live`: the page's own runs against those of `mbs run` with a hundredth of the tolerance, at the given parameters and at others.  Speaks TAP.
// Usage: node live.mjs BROWSER TOLERANCE PAGE.html NAME=VALUE,... RUN.csv CHANGED.csv ...
import { readFileSync } from "node:fs";
import { finish, ok, openBrowser } from "./browser.mjs";

const table = file => {
  const [head, ...rows] = readFileSync(file, "utf8").trim().split("\r\n").map(l => l.split(","));
  return { head: head.map(h => h.replace(/ \[.*/, "")), last: rows[rows.length - 1].map(Number), n: rows.length };
};
const [program, tolerance, ...rest] = process.argv.slice(2), browser = await openBrowser(program);
for (let i = 0; i + 3 < rest.length; i += 4) {
  const [file, set, plain, changed] = rest.slice(i, i + 4), name = file.split("/").pop(), page = await browser.openPage("file://" + file, { still: true });
  for (const [what, csv, values] of [["as given", plain, ""], ["with " + set, changed, set]]) {
    const r = await page.value(`(() => { const live = document.getElementById("view").live, data = JSON.parse(document.getElementById("data").textContent), given = new Map(data.again.given);
      for (const pair of ${JSON.stringify(values)}.split(",").filter(p => p)) { const [n, v] = pair.split("="); given.set(data.params.findIndex(p => p.name === n), Number(v)); }
      const began = performance.now(), r = live.integrate(given, new Map(), new Map());
      if (r.why) return r;
      const row = r.rows[r.rows.length - 1];
      return { ms: performance.now() - began, q: Object.fromEntries(data.again.coord.map((n, k) => [n, row.q[k]])), y: Object.fromEntries(data.again.output.map((n, k) => [n, row.y[k]])), energy: [...row.energy] }; })()`);
    const t = table(csv), off = r.why ? [r.why] : t.head.map((h, k) => [h, h in r.q ? r.q[h] : h in r.y ? r.y[h] : h === "kinetic" ? r.energy[0] : h === "potential" ? r.energy[1] : NaN, t.last[k]]).filter(([, a]) => !Number.isNaN(a));
    const worst = r.why ? Infinity : Math.max(...off.map(([, a, b]) => Math.abs(a - b) / (1 + Math.abs(b))));
    ok(worst <= Number(tolerance) && off.length >= Object.keys(r.q || {}).length, `${name} ${what}: the page ends where mbs run does, within ${tolerance}`, [worst, off.filter(([, a, b]) => Math.abs(a - b) > Number(tolerance) * (1 + Math.abs(b))).slice(0, 5)]);
  }
  /* a slider moves: the curves and the drawing are those of the new run */
  const moved = await page.value(`(async () => { const v = document.getElementById("view"), rows = [...document.querySelectorAll(".slider")], pair = ${JSON.stringify(set)}.split(",")[0].split("=");
    const row = rows.find(r => r.querySelector("input").getAttribute("aria-label") === pair[0]), number = row.querySelector("input[type=number]");
    const legend = () => [...document.querySelectorAll(".legend b")].map(b => b.textContent).join(), before = legend();
    document.getElementById("scrub").value = 1000; document.getElementById("scrub").dispatchEvent(new Event("input"));
    const at = legend();
    number.value = pair[1]; number.dispatchEvent(new Event("change"));
    for (let i = 0; i < 100 && !document.getElementById("again-says").textContent; i++) await new Promise(yes => setTimeout(yes, 50));
    return { says: document.getElementById("again-says").textContent, changed: legend() !== at }; })()`);
  ok(/^Run again in/.test(moved.says) && moved.changed, `${name}: a slider runs it again and the page shows it`, moved);
  ok(page.errors.length === 0, `${name}: no error in the console`, page.errors);
  if (i === 0)
    ok(await page.value(`new Promise(yes => { document.addEventListener("securitypolicyviolation", e => yes(e.effectiveDirective));
      fetch("http://127.0.0.1:9/").catch(() => 0); setTimeout(() => yes("nothing"), 3000); })`) === "connect-src", `${name}: the page may not connect to anything`);
  await page.close();
}
await browser.close();
finish();
