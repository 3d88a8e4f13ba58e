/* SPDX-License-Identifier: 0BSD
   Equations as a book prints them: expressions in the model's language become MathML, which browsers set themselves.
   What does not read as an expression stays text. */
const greek = { alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", zeta: "ζ", eta: "η", theta: "θ", iota: "ι", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν",
  xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", chi: "χ", psi: "ψ", omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Xi: "Ξ", Pi: "Π",
  Sigma: "Σ", Phi: "Φ", Psi: "Ψ", Omega: "Ω" };

function m(tag, ...children) {
  const e = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
  e.append(...children);
  return e;
}
/* phi1 -> φ with index 1, q[2]' -> q with index 2 and a dot */
function nameMath(name, index, primes) {
  const part = /^([A-Za-z]+?)_?(\d+)?$/.exec(name), stem = part ? part[1] : name, subs = [];
  if (part && part[2]) subs.push(part[2]);
  if (index) subs.push(index);
  let e = m("mi", greek[stem] || stem.replace(/_/g, " "));
  if (primes) e = m("mover", e, m("mo", primes > 1 ? "¨" : "˙"));
  return subs.length ? m("msub", e, m("mtext", subs.join(","))) : e;
}
function thinSpace() {
  const e = m("mspace");
  e.setAttribute("width", "0.17em");
  return e;
}
function mathTokens(s) {
  const out = [], re = /\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z_][A-Za-z_0-9.]*)|(<=|>=|==|!=|.))/gy;
  for (let x; (x = re.exec(s)) && x[0].trim();) out.push(x[1] ? { n: x[1] } : x[2] ? { w: x[2] } : { o: x[3] });
  return out;
}
/* Precedence climbing; each rule returns a MathML element and whether it is a sum (which needs brackets in a product). */
function mathOf(text) {
  const t = mathTokens(text);
  let i = 0;
  const peek = o => t[i] && t[i].o === o, take = o => { if (!peek(o)) throw new Error("expected " + o); i++; };
  const fenced = e => m("mrow", m("mo", "("), e, m("mo", ")"));
  const bare = x => x.sum ? fenced(x.e) : x.e;
  function primary() {
    const k = t[i++];
    if (!k) throw new Error("end");
    if (k.n !== undefined) return { e: /e/i.test(k.n) ? m("mrow", m("mn", k.n.split(/e/i)[0]), m("mo", "·"), m("msup", m("mn", "10"), m("mn", String(Number(k.n.split(/e/i)[1]))))) : m("mn", k.n) };
    if (k.o === "(") { const x = sum(); take(")"); return x; }
    if (k.w === undefined) throw new Error("operator");
    if (peek("(")) return call(k.w);
    let index = "", primes = 0;
    while (peek("[") || peek(".") && t[i + 1] && t[i + 1].w) {
      if (peek(".")) { index += (index ? " " : "") + t[i + 1].w; i += 2; continue; }
      for (i++; !peek("]"); i++) { if (!t[i]) throw new Error("end"); index += t[i].n || t[i].w || t[i].o; }
      i++;
    }
    while (peek("'")) { primes++; i++; }
    return { e: nameMath(k.w, index, primes) };
  }
  function call(name) {
    const args = [];
    take("(");
    do args.push(relation()); while (peek(",") && ++i);
    take(")");
    if (name === "sqrt") return { e: m("msqrt", args[0].e) };
    if (name === "abs") return { e: m("mrow", m("mo", "|"), args[0].e, m("mo", "|")) };
    const inner = args.flatMap((a, k) => k ? [m("mo", ","), a.e] : [a.e]), short = args.length === 1 && args[0].e.tagName !== "mrow" && /^(sin|cos|tan)$/.test(name);
    return { e: m("mrow", m("mi", name), ...(short ? [thinSpace(), ...inner] : [m("mo", "("), ...inner, m("mo", ")")])), call: true };
  }
  function power() {
    const base = primary();
    if (!peek("^")) return base;
    i++;
    const minus = peek("-") && ++i, up = power();
    const exponent = minus ? m("mrow", m("mo", "−"), up.e) : up.e;
    return { e: m("msup", base.sum || base.call || base.product ? fenced(base.e) : base.e, exponent) };
  }
  function product() {
    let x;
    if (peek("-")) { i++; const y = product(); return { e: m("mrow", m("mo", "−"), bare(y)), product: true }; }
    x = power();
    while (peek("*") || peek("/")) {
      const divide = t[i++].o === "/", y = peek("-") ? product() : power();
      if (divide) x = { e: m("mfrac", x.e, y.e), product: true };
      else x = { e: m("mrow", bare(x), thinSpace(), bare(y)), product: true };
    }
    return x;
  }
  function sum() {
    let x = product();
    while (peek("+") || peek("-")) {
      const o = t[i++].o === "-" ? "−" : "+", y = product();
      x = { e: m("mrow", x.e, m("mo", o), y.sum ? fenced(y.e) : y.e), sum: true };
    }
    return x;
  }
  function relation() {
    let x = sum();
    while (t[i] && ["<", "<=", ">", ">=", "==", "!="].includes(t[i].o)) { const o = t[i++].o; x = { e: m("mrow", x.e, m("mo", o), sum().e), sum: true }; }
    return x;
  }
  const x = relation();
  if (i < t.length) throw new Error("rest");
  return x.e;
}
function equationRow(name, value) {
  const k = /^([A-Za-z]+)\[(.*)\]$/.exec(name), head = k ? m("msub", m("mi", greek[k[1]] || k[1]), m("mtext", k[2].split(", ").map(w => greek[w] || w).join(", "))) : m("mi", name);
  if (typeof value === "number")
    return make("div", { class: "equation long" }, name + ": " + value + " characters, too long to print here; mbsc --dump=equations writes it");
  try {
    const math = m("math", m("mrow", head, m("mo", "="), mathOf(value)));
    math.setAttribute("display", "block");
    return make("div", { class: "equation" }, math);
  } catch (e) {
    return make("div", { class: "equation" }, make("code", {}, name + " = " + value));
  }
}
function equationPanel() {
  const panel = make("div", { class: "equations" });
  for (const g of D.equations) {
    panel.append(make("h3", {}, g.title));
    for (const [name, value] of g.list) panel.append(equationRow(name, value));
  }
  return panel;
}
