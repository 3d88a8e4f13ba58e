// SPDX-License-Identifier: GPL-3.0-or-later
// Screenshots of reports at twice the resolution: light, dark, on a phone.  Usage: node screenshots.mjs BROWSER DIRECTORY NAME=PAGE.html@PART ...
// PART of the run is shown.  Ends with 1 if a page says anything on its console or is larger than it may be.
import { readFileSync, statSync } from "node:fs";
import { openBrowser } from "../tests/browser/browser.mjs";
const [program, to, ...list] = process.argv.slice(2), browser = await openBrowser(program);
let bad = 0;
for (const entry of list) {
  const [, name, file, part] = /^([^=]*)=(.*)@(.*)$/.exec(entry);
  for (const [look, more] of [["light", {}], ["dark", { dark: true }], ["phone", { width: 390, height: 780, mobile: true }]]) {
    const page = await browser.openPage("file://" + file, { width: 1160, height: 720, scale: 2, still: true, ...more });
    await page.value(`(() => { const s = document.getElementById("scrub"); s.value = ${1000 * Number(part)}; s.dispatchEvent(new Event("input")); })()`);
    await page.sleep(400);
    await page.picture(to + "/" + name + "-" + look + ".png");
    if (page.errors.length) { bad++; console.log(name, look, page.errors); }
    await page.close();
  }
  const size = statSync(file).size, solid = /"spatial":true/.test(readFileSync(file, "utf8"));
  console.log(name + ": " + size + " bytes" + (solid ? ", in space" : ""));
  if (size > (solid ? 3e6 : 2e6)) bad++;
}
await browser.close();
process.exit(bad ? 1 : 0);
