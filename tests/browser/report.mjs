// SPDX-License-Identifier: GPL-3.0-or-later
// Reports in a real browser: they move, scrubbing moves the plots' time line, nothing complains, nothing is loaded from
// elsewhere.  Speaks TAP.  Usage: node report.mjs BROWSER PAGE.html...  With MBS_PICTURES set, PNG files go there.
import { finish, ok, openBrowser } from "./browser.mjs";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { inflateSync } from "node:zlib";

const [program, ...pages] = process.argv.slice(2);
const browser = await openBrowser(program);
const clock = `document.getElementById("clock").textContent`;
const picture = `document.getElementById("view").toDataURL() + (document.getElementById("solid") ? document.getElementById("solid").toDataURL() : "")`;
const lines = `[...document.querySelectorAll(".plot:not([hidden])[data-cells='1']")].map(p => Number(p.dataset.line))`;
const middle = selector => `(() => { const r = document.querySelector("${selector}").getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`;

async function until(page, expression, wanted) {
  for (let i = 0; i < 100; i++) {
    if (wanted(await page.value(expression))) return true;
    await page.sleep(50);
  }
  return false;
}

async function moving(page, name) {
  const t = await page.value(clock), p = await page.value(picture);
  ok(await until(page, clock, c => c !== t), name + ": the animation advances by itself");
  ok(await until(page, picture, c => c !== p), name + ": and the picture with it");
  await page.key(" ", "Space", 32);
  const still = await page.value(clock);
  await page.sleep(200);
  ok(await page.value(clock) === still, name + ": the space bar holds it");
}
async function scrubbing(page, name) {
  const before = await page.value(lines), [x, y, w, h] = await page.value(middle("#scrub"));
  await page.mouse("mousePressed", x + 0.75 * w, y + h / 2);
  await page.mouse("mouseReleased", x + 0.75 * w, y + h / 2);
  const after = await page.value(lines);
  ok(after.length > 0 && after.every((v, i) => v > 0 && v !== before[i]) && after.every(v => Math.abs(v - after[0]) < 0.5), name + ": scrubbing moves the time line of all plots alike", [before, after]);
  const whole = ".plot:not([hidden])[data-cells='1'] .over", several = ".plot:not([hidden]):not([data-cells='1']) .over";
  await page.value(`document.querySelector("${whole}").scrollIntoView({ block: "center" })`);
  const [px, py, pw, ph] = await page.value(middle(whole));
  await page.mouse("mousePressed", px + 0.4 * pw, py + ph / 2);
  await page.mouse("mouseReleased", px + 0.4 * pw, py + ph / 2);
  const clicked = await page.value(lines);
  ok(clicked.every(v => Math.abs(v - 0.4 * pw) < 2), name + ": a click in a plot sets the time", [clicked, 0.4 * pw]);
  if (name !== "chain") return;
  /* 32 angles: a small plot each; a click in the second one at the middle of its axis (46 pixels of labels before it, 8 behind) */
  const cells = await page.value(`Number(document.querySelector("${several}").closest(".plot").dataset.cells)`);
  await page.value(`document.querySelector("${several}").scrollIntoView()`);
  const [sx, sy, sw] = await page.value(middle(several)), cols = Math.floor(sw / 190), cw = sw / cols, at = sx + cw + 46 + (cw - 54) / 2;
  await page.mouse("mousePressed", at, sy + 40);
  await page.mouse("mouseReleased", at, sy + 40);
  ok(cells === 32 && Math.abs(Number(await page.value(`document.getElementById("scrub").value`)) - 500) < 10, name + ": more than eight curves are small plots, which set the time as well", [cells, cols, await page.value(`document.getElementById("scrub").value`)]);
}
async function keyboard(page, name) {
  await page.key("End", "End", 35);
  const end = await page.value(clock);
  await page.key("Home", "Home", 36);
  const home = await page.value(clock);
  await page.key("ArrowRight", "ArrowRight", 39);
  const one = Number(await page.value(`document.getElementById("scrub").value`));
  ok(/t = 0\.?0* s/.test(home) && end !== home && one > 0 && one < 5, name + ": Home, End and arrows set the time", [home, end, one]);
  await page.key("+", "Equal", 187);
  const curves = `document.querySelector(".plot:not([hidden]) .base").toDataURL()`, zoomed = await page.value(curves);
  await page.key("0", "Digit0", 48);
  ok(zoomed !== await page.value(curves), name + ": + and 0 zoom the time axis");
}
async function contents(page, name) {
  ok(await page.value(`document.querySelectorAll("#panel-run dt").length`) > 8, name + ": the table of the run is there");
  ok((await page.value(`document.querySelector("#panel-model pre").textContent`)).includes("model "), name + ": the text of the model is there");
  ok(await page.value(`document.querySelectorAll("#panel-equations math, #panel-equations .long").length`) > 1 && await page.value(`document.querySelectorAll("#panel-equations code").length`) === 0, name + ": the equations are set");
  ok(await page.value(`[...document.querySelectorAll("button, input, select, canvas")].every(e => e.textContent.trim() || e.getAttribute("aria-label") || e.closest("label") || e.getAttribute("aria-hidden") || e.classList.contains("base"))`), name + ": every control has a label");
}

for (const file of pages) {
  const name = basename(file, ".html"), size = statSync(file).size, url = "file://" + file;
  ok(size < 2000000, name + ": 2000 samples in less than 2 MB", size);
  let page = await browser.openPage(url);
  await moving(page, name);
  await scrubbing(page, name);
  await keyboard(page, name);
  await contents(page, name);
  if (await page.value(`JSON.parse(document.getElementById("data").textContent).spatial`)) {
    const before = await page.value(picture), [x, y, w, h] = await page.value(middle("#view"));
    await page.mouse("mousePressed", x + w / 2, y + h / 2);
    await page.mouse("mouseMoved", x + w / 2 + 60, y + h / 2 + 20);
    await page.mouse("mouseReleased", x + w / 2 + 60, y + h / 2 + 20);
    ok(before !== await page.value(picture), name + ": dragging turns it");
  }
  await page.value(`(() => { const s = document.getElementById("scrub"); s.value = 300; s.dispatchEvent(new Event("input")); })()`);
  if (process.env.MBS_PICTURES) await page.picture(process.env.MBS_PICTURES + "/" + name + ".png");
  ok(page.errors.length === 0, name + ": no error in the console", page.errors);
  ok(page.requests.every(r => r === url), name + ": nothing is loaded from elsewhere", page.requests);
  await page.close();
  page = await browser.openPage(url, { width: 360, height: 740, mobile: true, dark: true, still: true });
  ok(await page.value(`document.documentElement.scrollWidth <= 360`), name + ": fits the width of a phone");
  const still = await page.value(clock);
  await page.sleep(150);
  ok(await page.value(clock) === still, name + ": stands still for those who asked for less motion");
  ok(await page.value(`getComputedStyle(document.body).backgroundColor`) === "rgb(16, 19, 25)", name + ": dark where dark is preferred");
  if (process.env.MBS_PICTURES) await page.picture(process.env.MBS_PICTURES + "/" + name + "-phone.png");
  ok(page.errors.length === 0, name + ": no error on a phone", page.errors);
  await page.close();
}
/* What the page gives away, through its own menu: the contents of each file, and that printed circles stay round. */
async function saves(file) {
  const page = await browser.openPage("file://" + file, { width: 900, height: 800, still: true });
  await page.value(`(() => { window.kept = []; URL.createObjectURL = b => { window.kept.push(b); return "about:blank#"; }; const click = HTMLAnchorElement.prototype.click; HTMLAnchorElement.prototype.click = function () { if (this.download) window.called = this.download; else click.call(this); }; })()`);
  const choose = async what => {
    await page.value(`(() => { window.kept.length = 0; const s = [...document.querySelectorAll("#scene-tools select")].find(s => [...s.options].some(o => o.textContent.includes("${what}"))); s.value = [...s.options].find(o => o.textContent.includes("${what}")).value; s.dispatchEvent(new Event("change")); })()`);
    for (let i = 0; i < 400 && !(await page.value(`window.kept.length`)); i++) await page.sleep(50);
    return page.value(`(async () => { const b = window.kept[0]; if (!b) return null; const x = new Uint8Array(await b.arrayBuffer()); return { name: window.called, type: b.type, size: x.length, head: [...x.slice(0, 16)], text: x.length < 3e6 && /csv|svg/.test(b.type) ? new TextDecoder().decode(x) : "" }; })()`);
  };
  const png = await choose("PNG");
  const image = await page.value(`(async () => { const i = await createImageBitmap(window.kept[0]), c = document.createElement("canvas"); c.width = i.width; c.height = i.height; const x = c.getContext("2d"); x.drawImage(i, 0, 0); const r = document.getElementById("view").getBoundingClientRect(), d = x.getImageData(0, 0, i.width, i.height).data, seen = new Set(); for (let k = 0; k < d.length; k += 404) seen.add(d[k] << 16 | d[k + 1] << 8 | d[k + 2]); return [i.width / r.width, i.height / r.height, seen.size]; })()`);
  ok(png && png.name.endsWith(".png") && png.head.slice(1, 4).join() === "80,78,71" && Math.abs(image[0] - 2) < 0.01 && Math.abs(image[1] - 2) < 0.01 && image[2] > 10, "PNG: the scene at twice the resolution", [png, image]);
  const svg = await choose("SVG");
  ok(svg && svg.name.endsWith(".svg") && await page.value(`(t => { const d = new DOMParser().parseFromString(t, "image/svg+xml"); return !d.querySelector("parsererror") && d.querySelectorAll("path, circle, line, text").length > 10; })(${JSON.stringify(svg ? svg.text : "")})`), "SVG: a drawing that reads as one");
  const csv = await choose("CSV"), rows = csv ? csv.text.trim().split("\r\n") : [], shown = await page.value(`[...document.querySelectorAll(".plot:not([hidden]) .legend button[aria-pressed=true]")].length`);
  ok(rows.length === 2001 && rows[0].startsWith("t [s],") && rows.every(r => r.split(",").length === shown + 1), "CSV: a column for each curve that is shown, a row for each sample", [rows.length, rows[0], shown]);
  await page.value(`(() => { const s = document.getElementById("speed"); s.value = [...s.options].reduce((a, b) => Math.abs(Math.log(b.value / 0.02)) < Math.abs(Math.log(a.value / 0.02)) ? b : a).value; s.dispatchEvent(new Event("change")); })()`);       /* 0.03 s in one or two */
  const film = await choose("WebM");
  ok(film && film.name.endsWith(".webm") && film.head.slice(0, 4).join() === "26,69,223,163" && film.size > 2000, "WebM: a film", film && [film.name, film.size, film.head]);
  /* Printed, on a sheet that is narrower than the window: canvases arrive as curves, and no map of the PDF may stretch one direction more than the other. */
  const text = await page.print(), stretched = [];
  let curves = 0;
  for (const m of text.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)) {
    let body = "";
    try { body = inflateSync(Buffer.from(m[1], "latin1")).toString("latin1"); } catch { continue; }
    curves += (body.match(/ c\n/g) || []).length;
    for (const k of body.matchAll(/([-\d.]+) 0 0 ([-\d.]+) [-\d.]+ [-\d.]+ cm\n(?!\/X\d+ Do)/g)) if (Math.abs(Math.abs(Number(k[1]) / Number(k[2])) - 1) > 0.01) stretched.push(k[0]);
  }
  ok(curves > 20 && !stretched.length, "printed circles stay round", [curves, stretched]);
  ok(page.errors.length === 0, "no error in the console", page.errors);
  await page.close();
}
await saves(pages[0]);

/* A page of `mbs watch` shows the model as it was saved last. */
if (process.env.MBS_WATCH) {
  const model = process.env.MBS_WATCH + "/pendulum.mbs", title = `document.getElementById("title") && document.getElementById("title").textContent`;
  const page = await browser.openPage("file://" + process.env.MBS_WATCH + "/pendulum.html");
  await page.sleep(1200);
  writeFileSync(model, readFileSync(model, "utf8").replace("Mathematical pendulum", "Changed pendulum"));
  let seen = "";
  for (let i = 0; i < 100 && seen !== "Changed pendulum"; i++) {
    await page.sleep(200);
    try { seen = await page.value(title); } catch { seen = ""; }     /* while it loads */
  }
  ok(seen === "Changed pendulum", "watch: the page loads itself again after a change", seen);
  const good = readFileSync(model, "utf8"), says = `(document.getElementById("watch-says") || { textContent: "" }).textContent`;
  const shows = async wanted => { for (let i = 0; i < 100; i++) { await page.sleep(200); try { seen = await page.value(says); } catch { seen = "loading"; } if (wanted(seen)) return true; } return false; };
  writeFileSync(model, good + "kinetic nonsense\n");
  ok(await shows(t => /pendulum\.mbs:\d+:\d+: error: .*nonsense[\s\S]*\^/.test(t)), "watch: an error is shown in the page, with its place and caret", seen);
  ok(await page.value(title) === "Changed pendulum", "watch: above the last good run");
  writeFileSync(model, good);
  ok(await shows(t => t === ""), "watch: and is gone when it is mended", seen);
  ok(page.errors.length === 0, "watch: no error in the console", page.errors);
  await page.close();
}
await browser.close();
finish();
