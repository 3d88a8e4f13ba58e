// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of the pages of studies, for doc/studies.md.  Usage: node studies.mjs BROWSER DIRECTORY, where sweep.html, indices.html, fit.html and optimize.html are.
// Ends with 1 if a page says anything on its console.
import { openBrowser } from "../tests/browser/browser.mjs";
const [program, to] = process.argv.slice(2), browser = await openBrowser(program);
let bad = 0;
/* from which section on, and how much of it */
for (const [name, from, width, height] of [["sweep", "outputs", 1080, 1290], ["indices", "indices", 1080, 270], ["fit", "estimates", 1080, 620], ["optimize", "mechanism", 1080, 1000]]) {
  const page = await browser.openPage("file://" + to + "/" + name + ".html", { width, height, still: true });
  await page.value(`window.scrollTo(0, document.getElementById(${JSON.stringify(from)}).getBoundingClientRect().top + window.scrollY - 14)`);
  await page.sleep(200);
  await page.picture(to + "/page_" + name + ".png");
  if (page.errors.length) { bad++; console.log(name, page.errors); }
  await page.close();
}
await browser.close();
process.exit(bad ? 1 : 0);
