/* SPDX-License-Identifier: 0BSD
   The symbols of joints and elements on a canvas.  A painter gets the context, the shape, x = { P: places on the screen, W: places,
   V: vectors, project } and the unit u of widths in pixels.  Symbols keep their size on the screen, rails and planes are as long
   as what moves along them needs. */
function path(c, list, closed) {
  c.beginPath();
  list.forEach((p, i) => i ? c.lineTo(p[0], p[1]) : c.moveTo(p[0], p[1]));
  if (closed) c.closePath();
}
function disc(c, p, r, fill, stroke, width) {
  c.beginPath();
  c.arc(p[0], p[1], r, 0, 2 * Math.PI);
  if (fill) { c.fillStyle = fill; c.fill(); }
  if (stroke) { c.strokeStyle = stroke; c.lineWidth = width || 1.6; c.stroke(); }
}
function tint(colour, alpha) { return "color-mix(in srgb, " + colour + " " + Math.round(alpha * 100) + "%, transparent)"; }
function mixed(colour, part) { return "color-mix(in srgb, " + colour + " " + Math.round(part * 100) + "%, " + theme.card + ")"; }
function frameOf(a, b) {
  const dx = b[0] - a[0], dy = b[1] - a[1], l = Math.hypot(dx, dy) || 1e-9;
  return { l, e: [dx / l, dy / l], n: [-dy / l, dx / l] };
}
/* Direction on the screen of a vector at a place. */
function heading(x, place, v) {
  const l = Math.hypot(...v) || 1, w = x.W[place], k = 0.02 * box.size / l, q = x.project(w[0] + k * v[0], w[1] + k * v[1], w[2] + k * v[2]);
  return frameOf(x.P[place], q);
}
/* Points in a frame on the screen: along e by a, across by b (pixels). */
function local(o, f) { return (a, b) => [o[0] + f.e[0] * a + f.n[0] * b, o[1] + f.e[1] * a + f.n[1] * b]; }
function strokeLine(c, list, width, colour, closed) {
  c.lineJoin = c.lineCap = "round";
  path(c, list, closed);
  c.lineWidth = width;
  c.strokeStyle = colour || theme.steel;
  c.stroke();
}
function fillShape(c, list, fill, stroke, width) {
  path(c, list, true);
  c.fillStyle = fill;
  c.fill();
  c.lineWidth = width || 1.8;
  c.strokeStyle = stroke || theme.steel;
  c.lineJoin = "round";
  c.stroke();
}
function arrowHead(c, tip, f, size, colour) {
  const at = local(tip, f);
  path(c, [tip, at(-size, 0.45 * size), at(-0.75 * size, 0), at(-size, -0.45 * size)], true);
  c.fillStyle = colour;
  c.fill();
}
function hatch(c, a, b, u, lines, side) {
  const f = frameOf(a, b), g = 0.9 * u, down = side || (f.n[1] > 1e-6 || Math.abs(f.n[1]) <= 1e-6 && f.n[0] < 0 ? 1 : -1);
  c.strokeStyle = theme.ground;
  c.lineCap = "round";
  c.lineWidth = 2;
  path(c, [a, b]);
  c.stroke();
  if (!lines) return;
  c.lineWidth = 1;
  c.beginPath();
  for (let x = 0.5 * g; x < f.l; x += g) {
    const q = [a[0] + f.e[0] * x, a[1] + f.e[1] * x];
    c.moveTo(q[0], q[1]);
    c.lineTo(q[0] - 0.7 * g * f.e[0] + down * g * f.n[0], q[1] - 0.7 * g * f.e[1] + down * g * f.n[1]);
  }
  c.stroke();
}
/* At sample i: how far the first place of a shape is from the second along, and across, the vector there. */
const along = {
  travel: (s, i) => { const [b, a, v] = s.at.map(j => points[j]); return (b.x[i] - a.x[i]) * v.x[i] + (b.y[i] - a.y[i]) * v.y[i] + (b.z[i] - a.z[i]) * v.z[i]; },
  spread: (s, i) => { const [b, a, v] = s.at.map(j => points[j]); return -(b.x[i] - a.x[i]) * v.y[i] + (b.y[i] - a.y[i]) * v.x[i]; },
};
function reached(s, way) {
  let lo = 0, hi = 0;
  for (let i = 0; i < N; i++) { const d = way(s, i); if (d < lo) lo = d; if (d > hi) hi = d; }
  return [lo, hi];
}
/* The way of the first place along the axis at the second, over the whole run: [least, most], in lengths. */
function travelOf(s) {
  if (s.travel) return s.travel;
  return s.travel = reached(s, along.travel);
}
/* The same across a normal, for the plane of a contact: least and most of the way along the tangent. */
function spreadOf(s) {
  if (s.spread) return s.spread;
  return s.spread = reached(s, along.spread);
}
function railEnds(x, s, more) {
  const [lo, hi] = travelOf(s), v = x.V[0], w = x.W[1], at = d => x.project(w[0] + d * v[0], w[1] + d * v[1], w[2] + d * v[2]);
  const a = at(lo), b = at(hi), f = heading(x, 1, v);
  return [[a[0] - more * f.e[0], a[1] - more * f.e[1]], [b[0] + more * f.e[0], b[1] + more * f.e[1]], f];
}
function turnArrow(c, o, r, from, sweep, colour, width) {
  c.beginPath();
  c.arc(o[0], o[1], r, -from, -(from + sweep), sweep > 0);
  c.strokeStyle = colour;
  c.lineWidth = width;
  c.stroke();
  const a = from + sweep, tip = [o[0] + r * Math.cos(a), o[1] - r * Math.sin(a)], d = sweep > 0 ? 1 : -1;
  const e = [-Math.sin(a) * d, -Math.cos(a) * d];
  arrowHead(c, [tip[0] + 4 * e[0], tip[1] + 4 * e[1]], { e, n: [-e[1], e[0]] }, 9, colour);
}
function letter(c, o, r, text) {
  disc(c, o, r, theme.card, theme.accent, 1.8);
  c.fillStyle = theme.accent;
  c.font = "700 " + Math.round(1.25 * r) + "px system-ui, sans-serif";
  c.textAlign = "center";
  c.textBaseline = "middle";
  c.fillText(text, o[0], o[1] + 0.5);
  c.textBaseline = "alphabetic";
}

function arrowColour(s) { return s.reaction ? theme.reaction : theme.force; }

const symbols = {
  revolute(c, s, x, u) {
    if (x.V.length) strokeLine(c, (f => [local(x.P[0], f)(-1.2 * u, 0), local(x.P[0], f)(1.2 * u, 0)])(heading(x, 0, x.V[0])), 0.9 * u);
    disc(c, x.P[0], Math.max(3, 0.62 * u), theme.joint, theme.steel, 1.8);
  },
  spherical(c, s, x, u) {
    disc(c, x.P[0], Math.max(3.5, 0.8 * u), theme.joint, theme.steel, 1.8);
    disc(c, x.P[0], Math.max(1.5, 0.35 * u), theme.steel);
  },
  universal(c, s, x, u) {
    for (const v of x.V) { const f = heading(x, 0, v), at = local(x.P[0], f); strokeLine(c, [at(-1.2 * u, 0), at(1.2 * u, 0)], 0.7 * u); }
    disc(c, x.P[0], Math.max(2, 0.4 * u), theme.joint, theme.steel, 1.4);
  },
  constant_velocity(c, s, x, u) {
    symbols.spherical(c, s, x, u);
    for (const v of x.V) { const f = heading(x, 0, v), at = local(x.P[0], f); strokeLine(c, [at(0.8 * u, 0), at(1.8 * u, 0)], 2); }
  },
  fixed(c, s, x, u) {
    const r = Math.max(3, 0.6 * u), p = x.P[0];
    fillShape(c, [[p[0] - r, p[1] - r], [p[0] + r, p[1] - r], [p[0] + r, p[1] + r], [p[0] - r, p[1] + r]], theme.steel, theme.steel);
    strokeLine(c, [[p[0] - r, p[1] - r], [p[0] + r, p[1] + r]], 1.4, theme.joint);
    strokeLine(c, [[p[0] - r, p[1] + r], [p[0] + r, p[1] - r]], 1.4, theme.joint);
  },
  prismatic(c, s, x, u) {
    const at = local(x.P[0], heading(x, 1, x.V[0])), a = 1.7 * u, b = 0.95 * u;
    fillShape(c, [at(-a, -b), at(a, -b), at(a, b), at(-a, b)], mixed(theme.steel, 0.25));
    strokeLine(c, [at(-a, 0), at(a, 0)], 1.2);
  },
  cylindrical(c, s, x, u) {
    const at = local(x.P[0], heading(x, 1, x.V[0])), a = 1.5 * u, b = 0.8 * u;
    fillShape(c, [at(-a, -b), at(a, -b), at(a, b), at(-a, b)], mixed(theme.steel, 0.25));
    strokeLine(c, [at(-a - 0.6 * u, 0), at(a + 0.6 * u, 0)], 1.4);
  },
  screw(c, s, x, u) {
    symbols.cylindrical(c, s, x, u);
    const at = local(x.P[0], heading(x, 1, x.V[0]));
    for (let k = -2; k <= 2; k++) strokeLine(c, [at((k - 0.3) * 0.55 * u, -0.8 * u), at((k + 0.3) * 0.55 * u, 0.8 * u)], 1.3);
  },
  slot(c, s, x, u) { disc(c, x.P[0], Math.max(3, 0.62 * u), theme.joint, theme.steel, 1.8); },
  point_on_line(c, s, x, u) { symbols.spherical(c, s, x, u); },
  planar(c, s, x, u) {
    const p = x.P[0], r = 1.4 * u;
    fillShape(c, [[p[0] - r, p[1] + 0.4 * r], [p[0] + 0.6 * r, p[1] + 0.4 * r], [p[0] + r, p[1] - 0.4 * r], [p[0] - 0.6 * r, p[1] - 0.4 * r]], mixed(theme.steel, 0.25));
  },
  distance(c, s, x, u) {
    strokeLine(c, x.P, Math.max(2, 0.5 * u));
    for (const p of x.P) disc(c, p, Math.max(2.5, 0.5 * u), theme.joint, theme.steel, 1.6);
  },
  spring(c, s, x, u) {
    const p = x.P, f = frameOf(p[0], p[1]), turns = 9, end = Math.min(0.12 * f.l, 2 * u), side = s.aside * 1.8 * u, r = 1.25 * u, at = local(p[0], f), list = [p[0]];
    if (side) list.push(at(0, side));
    list.push(at(end, side));
    for (let i = 0; i < 2 * turns; i++) list.push(at(end + (f.l - 2 * end) * (i + 0.5) / (2 * turns), side + (i % 2 ? -r : r)));
    list.push(at(f.l - end, side));
    if (side) list.push(at(f.l, side));
    list.push(p[1]);
    strokeLine(c, list, 2, colourOf(s, theme.steel));
  },
  damper(c, s, x, u) {
    const p = x.P, f = frameOf(p[0], p[1]), side = s.aside * 1.8 * u, r = 1.05 * u, a = 0.32 * f.l, b = 0.68 * f.l, o = local(p[0], f), at = (k, y) => o(k, y + side), colour = colourOf(s, theme.steel);
    strokeLine(c, [p[0], at(0, 0), at(a, 0)], 2, colour);
    strokeLine(c, [at(b, r), at(a, r), at(a, -r), at(b, -r)], 2, colour);
    strokeLine(c, [p[1], at(f.l, 0), at(0.5 * f.l, 0)], 2, colour);
    strokeLine(c, [at(0.5 * f.l, 0.75 * r), at(0.5 * f.l, -0.75 * r)], 3, colour);
  },
  turn_spring(c, s, x, u) {
    const list = [], o = x.P[0];
    for (let a = 0; a <= 5 * Math.PI; a += 0.25) { const r = 0.7 * u + 0.11 * u * a; list.push([o[0] + r * Math.cos(a), o[1] - r * Math.sin(a)]); }
    strokeLine(c, list, 1.6);
  },
  turn_damper(c, s, x, u) {
    const o = x.P[0], r = 2.5 * u;
    c.beginPath();
    c.arc(o[0], o[1], r, Math.PI * 1.15, Math.PI * 1.85);
    c.lineWidth = 2;
    c.strokeStyle = theme.steel;
    c.stroke();
    strokeLine(c, [[o[0], o[1] - 0.6 * u], [o[0], o[1] - r + 0.6 * u]], 2);
    strokeLine(c, [[o[0] - 0.7 * u, o[1] - r + 0.6 * u], [o[0] + 0.7 * u, o[1] - r + 0.6 * u]], 3);
  },
  bushing(c, s, x, u) {
    if (Math.hypot(x.P[0][0] - x.P[1][0], x.P[0][1] - x.P[1][1]) > 3 * u) strokeLine(c, x.P, 1.4);
    disc(c, x.P[0], 1.5 * u, mixed(theme.ink, 0.35), theme.steel, 2);
    disc(c, x.P[1], 0.7 * u, theme.joint, theme.steel, 1.8);
  },
  friction(c, s, x, u) {
    const o = x.P[0], r = 1.35 * u;
    c.lineWidth = 0.7 * u;
    c.strokeStyle = tint(theme.warn, 0.8);
    for (const a of [0.25, 1.25]) { c.beginPath(); c.arc(o[0], o[1], r, a * Math.PI, (a + 0.5) * Math.PI); c.stroke(); }
  },
  /* Stops: bars at the ends of an arc, or across the way. */
  limit(c, s, x, u) {
    const o = x.P[0], r = 2.6 * u;
    if (x.V.length && !spatial) { const at = local(o, heading(x, 0, x.V[0])); for (const k of [-3.4, 3.4]) strokeLine(c, [at(k * u, -1.7 * u), at(k * u, 1.7 * u)], 3.2); return; }
    c.beginPath();
    c.arc(o[0], o[1], r, 1.2 * Math.PI, 1.8 * Math.PI);
    c.lineWidth = 1.4;
    c.strokeStyle = theme.steel;
    c.stroke();
    for (const a of [1.2, 1.8]) strokeLine(c, [[o[0] + (r - 0.8 * u) * Math.cos(a * Math.PI), o[1] + (r - 0.8 * u) * Math.sin(a * Math.PI)], [o[0] + (r + 0.8 * u) * Math.cos(a * Math.PI), o[1] + (r + 0.8 * u) * Math.sin(a * Math.PI)]], 3.2);
  },
  /* One way only: the sign of a valve, an arrow against a bar, on a ring or beside the way. */
  clutch(c, s, x, u) {
    const turns = !x.V.length || spatial, f = turns ? { e: [1, 0], n: [0, -1] } : heading(x, 0, x.V[0]), at = local(turns ? [x.P[0][0], x.P[0][1] - 1.9 * u] : local(x.P[0], f)(0, 2.4 * u), f);
    if (turns) disc(c, x.P[0], 1.9 * u, null, theme.steel, 1.8);
    fillShape(c, [at(0.8 * u, 0), at(-0.8 * u, 0.8 * u), at(-0.8 * u, -0.8 * u)], theme.steel, theme.steel, 1);
    strokeLine(c, [at(0.95 * u, 0.9 * u), at(0.95 * u, -0.9 * u)], 2.2);
  },
  /* Saw teeth and a pawl. */
  ratchet(c, s, x, u) {
    const o = x.P[0], teeth = [], n = 10;
    if (x.V.length && !spatial) {
      const at = local(o, heading(x, 0, x.V[0]));
      for (let i = -4; i < 4; i++) teeth.push(at(i * u, 2 * u), at((i + 1) * u, 2.8 * u));
      strokeLine(c, teeth, 1.8);
      strokeLine(c, [at(0, 2 * u), at(-1.6 * u, 0.9 * u)], 2.2);
      return;
    }
    for (let i = 0; i < n; i++) for (const [r, k] of [[1.6, 0], [2.3, 0.95]]) { const a = 2 * Math.PI * (i + k) / n; teeth.push([o[0] + r * u * Math.cos(a), o[1] - r * u * Math.sin(a)]); }
    strokeLine(c, teeth, 1.6, null, true);
    strokeLine(c, [[o[0] + 0.4 * u, o[1] - 1.9 * u], [o[0] + 2 * u, o[1] - 3 * u]], 2.4);
    disc(c, [o[0] + 2 * u, o[1] - 3 * u], 0.5 * u, theme.joint, theme.steel, 1.4);
  },
  rotor(c, s, x, u) {
    disc(c, x.P[0], 1.7 * u, null, theme.steel, 0.5 * u);
    disc(c, x.P[0], 1.1 * u, null, theme.steel, 1);
  },
  drive(c, s, x, u) {
    const o = x.P[0];
    turnArrow(c, o, 2.3 * u, 0.35, 1.9, theme.accent, 2);
    letter(c, [o[0] - 2.1 * u, o[1] - 2.1 * u], Math.max(7, 1.15 * u), "M");
  },
  drive_along(c, s, x, u) {
    const f = heading(x, 0, x.V[0]), at = local(x.P[0], f), tip = at(3.4 * u, -2.1 * u);
    strokeLine(c, [at(0.6 * u, -2.1 * u), at(3 * u, -2.1 * u)], 2, theme.accent);
    arrowHead(c, tip, f, 9, theme.accent);
    letter(c, at(-0.6 * u, -2.1 * u), Math.max(7, 1.15 * u), "M");
  },
  gear(c, s, x, u) {
    const [ratio, turn1, turn2] = x.V[2], colour = theme.soft, [p, q] = x.P;
    const ring = (o, r) => { c.setLineDash([3, 2.5]); disc(c, o, r, null, colour, 3); c.setLineDash([]); disc(c, o, Math.max(1, r - 2.5), tint(colour, 0.1), colour, 0.8); };
    if (turn1 && turn2) {
      const d = Math.hypot(p[0] - q[0], p[1] - q[1]), k = Math.abs(ratio) || 1;
      if (d < 2) return ring(p, 2.2 * u), ring(p, 3.1 * u);
      const r1 = ratio < 0 ? d * k / (1 + k) : 0.36 * d * 2 * k / (1 + k), r2 = r1 / k;
      ring(p, r1);
      ring(q, r2);
      if (ratio > 0) {          /* turning alike: a belt */
        const f = frameOf(p, q), b = Math.acos(Math.max(-1, Math.min(1, (r1 - r2) / f.l)));
        for (const sign of [1, -1]) {
          const e = [Math.cos(b) * f.e[0] + sign * Math.sin(b) * f.n[0], Math.cos(b) * f.e[1] + sign * Math.sin(b) * f.n[1]];
          strokeLine(c, [[p[0] + r1 * e[0], p[1] + r1 * e[1]], [q[0] + r2 * e[0], q[1] + r2 * e[1]]], 2, colour);
        }
      }
    } else if (turn1 || turn2) {        /* pinion and rack: metres a radian is the radius */
      const o = turn1 ? p : q, r = Math.abs(turn1 ? ratio : 1 / ratio) * (o[3] || camera.scale), f = heading(x, turn1 ? 1 : 0, x.V[turn1 ? 1 : 0]), side = (f.n[1] > 0 ? 1 : -1) * r;
      ring(o, r);
      const at = local([o[0] + f.n[0] * side, o[1] + f.n[1] * side], f);
      strokeLine(c, [at(-2.5 * r, 0), at(2.5 * r, 0)], 2, colour);
      for (let k = -2.5 * r; k <= 2.5 * r; k += 5) strokeLine(c, [at(k, 0), at(k, Math.sign(side) * -3)], 1.2, colour);
    } else strokeLine(c, [p, q], 1.2, colour);
  },
  contact() { },        /* the ball is a circle of its own, the plane is drawn behind everything */
  force(c, s, x, u) {
    const l = Math.hypot(...x.V[0]);
    if (!isShown(s) || !(l > 0)) return;
    const f = heading(x, 0, x.V[0]), size = scene.forceScale * l, tip = local(x.P[0], f)(size + 8, 0), colour = colourOf(s, arrowColour(s));
    strokeLine(c, [x.P[0], local(x.P[0], f)(size, 0)], 2.6, colour);
    arrowHead(c, tip, f, 11, colour);
  },
  torque(c, s, x, u) {
    const l = spatial ? Math.hypot(...x.V[0]) : x.V[0][2];
    if (!isShown(s) || !l) return;
    turnArrow(c, x.P[0], 2.6 * u, 2.4, Math.sign(l) * (0.5 + 3.6 * Math.abs(l) * scene.torqueScale), colourOf(s, arrowColour(s)), 2.4);
  },
  joint(c, s, x, u) { symbols.revolute(c, s, x, u); },
};

/* What lies behind the bodies: rails, slots, planes, with hatching where they belong to the ground. */
const under = {
  prismatic(c, s, x, u) {
    const [a, b, f] = railEnds(x, s, 2.6 * u), held = s.on[1] === 0, side = f.n[1] > 1e-6 || Math.abs(f.n[1]) <= 1e-6 && f.n[0] < 0 ? 1 : -1;
    if (!held || spatial) return strokeLine(c, [a, b], 2, theme.ground);
    const o = [side * f.n[0] * 0.95 * u, side * f.n[1] * 0.95 * u];
    hatch(c, [a[0] + o[0], a[1] + o[1]], [b[0] + o[0], b[1] + o[1]], u, 1, side);
  },
  cylindrical(c, s, x, u) { const [a, b] = railEnds(x, s, 2.6 * u); strokeLine(c, [a, b], 2.4, theme.ground); },
  screw(c, s, x, u) { under.cylindrical(c, s, x, u); },
  point_on_line(c, s, x, u) { under.cylindrical(c, s, x, u); },
  slot(c, s, x, u) {
    const [a, b, f] = railEnds(x, s, 0.3 * u), r = 1.05 * u, turn = Math.atan2(f.e[1], f.e[0]);
    c.beginPath();
    c.arc(b[0], b[1], r, turn - Math.PI / 2, turn + Math.PI / 2);
    c.arc(a[0], a[1], r, turn + Math.PI / 2, turn + 1.5 * Math.PI);
    c.closePath();
    c.fillStyle = mixed(theme.ground, 0.12);
    c.fill();
    c.strokeStyle = theme.ground;
    c.lineWidth = 1.8;
    c.stroke();
    if (s.on[1] === 0 && !spatial) { const at = local(a, frameOf(a, b)), l = frameOf(a, b).l; hatch(c, at(-r, f.n[1] > 0 ? r : -r), at(l + r, f.n[1] > 0 ? r : -r), u, 1); }
  },
  contact(c, s, x, u) {
    if (spatial) return;
    const [lo, hi] = spreadOf(s), v = x.V[0], w = x.W[1], k = 0.12 * (hi - lo) + 4 * u / camera.scale, at = d => x.project(w[0] - d * v[1], w[1] + d * v[0], 0);
    const f = heading(x, 1, v), a = at(lo - k), b = at(hi + k), g = frameOf(a, b), side = g.n[0] * f.e[0] + g.n[1] * f.e[1] > 0 ? -1 : 1;
    hatch(c, a, b, u, 1, side);
  },
};
