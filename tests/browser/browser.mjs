// SPDX-License-Identifier: GPL-3.0-or-later
// A headless chromium at the end of two pipes (--remote-debugging-pipe), without any library: messages of the
// DevTools protocol are JSON texts that end with a NUL.  Collects console errors, failed requests and exceptions.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/* TAP, as tests/tap.sh has it for the others. */
let count = 0, bad = 0;
export function ok(good, what, more) {
  count++;
  if (!good) bad++;
  console.log((good ? "ok " : "not ok ") + count + " - " + what);
  if (!good && more !== undefined) console.log("# " + JSON.stringify(more));
}
export function finish() {
  console.log("1.." + count);
  process.exit(bad ? 1 : 0);
}

export async function openBrowser(program) {
  const profile = mkdtempSync(join(tmpdir(), "mbs-browser-"));
  const child = spawn(program, ["--headless=new", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-pipe", "--hide-scrollbars",
    "--no-first-run", "--disable-background-networking", "--user-data-dir=" + profile, "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const waiting = new Map(), listeners = [];
  let last = 0, rest = "";
  child.stdio[4].setEncoding("utf8");
  child.stdio[4].on("data", text => {
    rest += text;
    for (let end; (end = rest.indexOf("\0")) >= 0;) {
      const m = JSON.parse(rest.slice(0, end));
      rest = rest.slice(end + 1);
      if (m.id) {
        const w = waiting.get(m.id);
        waiting.delete(m.id);
        if (m.error) w.no(new Error(m.error.message)); else w.yes(m.result);
      } else listeners.forEach(f => f(m));
    }
  });
  const send = (method, params, sessionId) => new Promise((yes, no) => {
    const id = ++last;
    waiting.set(id, { yes, no });
    child.stdio[3].write(JSON.stringify({ id, method, params: params || {}, sessionId }) + "\0");
  });
  async function openPage(url, { width = 1280, height = 860, scale = 1, mobile = false, dark = false, still = false } = {}) {
    const { targetId } = await send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
    const on = (method, params) => send(method, params, sessionId);
    const errors = [], requests = [];
    listeners.push(m => {
      if (m.sessionId !== sessionId) return;
      if (m.method === "Runtime.exceptionThrown") errors.push(m.params.exceptionDetails.exception?.description || m.params.exceptionDetails.text);
      if (m.method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(m.params.type)) errors.push(m.params.args.map(a => a.value ?? a.description).join(" "));
      if (m.method === "Log.entryAdded" && m.params.entry.level === "error") errors.push(m.params.entry.text);
      if (m.method === "Network.requestWillBeSent") requests.push(m.params.request.url);
    });
    await on("Page.enable");
    await on("Runtime.enable");
    await on("Log.enable");
    await on("Network.enable");
    await on("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile });
    await on("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }, { name: "prefers-reduced-motion", value: still ? "reduce" : "no-preference" }] });
    const loaded = new Promise(yes => listeners.push(m => { if (m.sessionId === sessionId && m.method === "Page.loadEventFired") yes(); }));
    await on("Page.navigate", { url });
    await loaded;
    const value = async expression => {
      const r = await on("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
      if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception?.description || r.exceptionDetails.text);
      return r.result.value;
    };
    const sleep = ms => new Promise(yes => setTimeout(yes, ms));
    return {
      errors, requests, value, sleep,
      key: async (key, code, keyCode) => {
        const p = { key, code: code || key, windowsVirtualKeyCode: keyCode, text: key.length === 1 ? key : undefined };
        await on("Input.dispatchKeyEvent", { type: "keyDown", ...p });
        await on("Input.dispatchKeyEvent", { type: "keyUp", ...p });
      },
      mouse: async (type, x, y, more) => on("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: type === "mouseReleased" ? 0 : 1, clickCount: 1, ...more }),
      picture: async (file, full) => {
        const r = await on("Page.captureScreenshot", { format: "png", captureBeyondViewport: !!full });
        writeFileSync(file, Buffer.from(r.data, "base64"));
      },
      print: async () => Buffer.from((await on("Page.printToPDF", { printBackground: true, paperWidth: 5, paperHeight: 7 })).data, "base64").toString("latin1"),
      size: async (w, h, s, m) => on("Emulation.setDeviceMetricsOverride", { width: w, height: h, deviceScaleFactor: s || 1, mobile: !!m }),
      close: async () => { await send("Target.closeTarget", { targetId }); }
    };
  }
  async function close() {
    const gone = new Promise(yes => child.once("exit", yes));
    try { await send("Browser.close"); } catch { child.kill(); }
    await gone;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
  return { openPage, close, ended: new Promise(yes => child.once("exit", yes)) };
}
