/* SPDX-License-Identifier: 0BSD
   A small renderer for solids: WebGL 2, one directional light with a shadow map, a sky that lights from above, many of a few
   unit shapes and of meshes, loose triangles, traces as ribbons, a floor with a grid.  It knows nothing of mechanisms: space.js
   says each frame what there is.  Everything is blended into a transparent canvas below the one with the names.

   A call of WebGL draws up to 256 of a shape: its buffer holds that many copies, each corner knows the number of its copy and finds the
   place of it in a block of uniforms.  (Instanced drawing would say it shorter, but is one draw an instance where no graphics
   processor is.)  Round shapes have as many sides as their size on the screen asks for. */
function makeRenderer(canvas) {
  /* Without a graphics processor every pixel and every corner costs: no smoothing of edges, a coarser shadow. */
  const probe = document.createElement("canvas").getContext("webgl2"), info = probe && probe.getExtension("WEBGL_debug_renderer_info");
  if (!probe) return null;
  const soft = /swiftshader|llvmpipe|software|basic render/i.test(info ? probe.getParameter(info.UNMASKED_RENDERER_WEBGL) : "");
  const gl = canvas.getContext("webgl2", { antialias: !soft, alpha: true, premultipliedAlpha: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const common = `#version 300 es
precision highp float; precision highp int; precision highp sampler2DShadow;
#define TAPS ${soft ? 1 : 4}
uniform mat4 view, shade; uniform vec3 light, eye, sky, earth; uniform sampler2DShadow shadow;
`;
  const lit = `
float seen(vec3 at) {
  vec3 p = (shade * vec4(at, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  vec2 d = vec2(0.7 / float(textureSize(shadow, 0).x)); float z = p.z - 0.0016, sum = 0.0;
  if (TAPS == 1) return texture(shadow, vec3(p.xy, z));
  for (int i = 0; i < TAPS; i++) sum += texture(shadow, vec3(p.xy + d * vec2(float(i & 1) * 2.0 - 1.0, float(i >> 1) * 2.0 - 1.0), z));
  return sum / float(TAPS);
}
vec3 shine(vec3 colour, vec3 n, vec3 at, float sun) {
  vec3 v = normalize(eye - at), h = normalize(light + v);
  if (dot(n, v) < 0.0) n = -n;
  float front = max(dot(n, light), 0.0) * sun;
  vec3 ambient = mix(earth, sky, n.z * 0.5 + 0.5);
  return colour * (ambient + 0.62 * front) + vec3(0.16 * pow(max(dot(n, h), 0.0), 42.0) * front);
}`;
  function program(vertex, fragment) {
    const p = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const s = gl.createShader(kind);
      gl.shaderSource(s, common + text);
      gl.compileShader(s);
      if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
      gl.attachShader(p, s);
    }
    gl.linkProgram(p);
    if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(p));
    const found = {};
    return { p, at: name => name in found ? found[name] : found[name] = gl.getUniformLocation(p, name) };
  }
  /* Where a solid is: images of the three axes and of the origin, column by column, and a colour.  A normal goes with the cofactors. */
  const placed = `
layout(location = 0) in vec3 point; layout(location = 1) in vec3 normal; layout(location = 2) in float copy;
layout(std140) uniform Places { vec4 rows[1024]; };
`, loosely = `
layout(location = 0) in vec3 at_; layout(location = 1) in vec3 normal; layout(location = 2) in vec4 tone;
`, stage = "out vec3 n, at; flat out vec4 colour;\nvoid main() {", end = "gl_Position = view * vec4(at, 1.0); }";
  const here = "int k = 4 * int(copy); vec4 x = rows[k], y = rows[k + 1], z = rows[k + 2]; vec3 p = vec3(x.w, y.w, z.w) + point.x * x.xyz + point.y * y.xyz + point.z * z.xyz;";
  const solidVertex = placed + stage + here + `
  vec3 a = cross(y.xyz, z.xyz), b = cross(z.xyz, x.xyz), c = cross(x.xyz, y.xyz);
  at = p; n = (normal.x * a + normal.y * b + normal.z * c) * (dot(x.xyz, a) < 0.0 ? -1.0 : 1.0); colour = rows[k + 3];` + end;
  const solidFragment = lit + `
in vec3 n, at; flat in vec4 colour; out vec4 o;
void main() { o = vec4(shine(colour.rgb, normalize(n), at, seen(at)) * colour.a, colour.a); }`;
  const solid = program(solidVertex, solidFragment), solidDepth = program(placed + "void main() {" + here + "gl_Position = shade * vec4(p, 1.0); }", "void main() {}");
  const loose = program(loosely + stage + "at = at_; n = normal; colour = tone;" + end, solidFragment), looseDepth = program(loosely + "void main() { gl_Position = shade * vec4(at_, 1.0); }", "void main() {}");
  const floor = program(`
layout(location = 0) in vec3 point; uniform vec4 where; out vec3 at;
void main() { at = vec3(where.xy + where.w * point.xy, where.z); gl_Position = view * vec4(at, 1.0); }`, lit + `
in vec3 at; uniform vec4 where; uniform float step_; uniform vec4 line, ground; out vec4 o;
void main() {
  vec2 g = abs(fract(at.xy / step_ - 0.5) - 0.5) / max(fwidth(at.xy / step_), vec2(1e-6));
  float mark = 1.0 - min(min(g.x, g.y), 1.0), fade = 1.0 - smoothstep(0.35, 1.0, length(at.xy - where.xy) / where.w), dark = 1.0 - seen(at);
  vec4 c = mix(vec4(ground.rgb, ground.a), vec4(line.rgb, line.a), mark);
  c = mix(c, vec4(0.0, 0.0, 0.0, max(c.a, 0.34)), dark * (1.0 - 0.5 * mark));
  o = vec4(c.rgb * c.a, c.a) * fade;
}`);
  const ribbon = program(`
layout(location = 0) in vec3 before; layout(location = 1) in vec3 here; layout(location = 2) in vec3 after; uniform vec3 size;
void main() {
  vec4 p = view * vec4(before, 1.0), r = view * vec4(here, 1.0), q = view * vec4(after, 1.0); vec2 d = (q.xy / q.w - p.xy / p.w) * size.xy, e = length(d) > 1e-6 ? normalize(d) : vec2(1.0, 0.0);
  r.xy += vec2(-e.y, e.x) * (float(gl_VertexID & 1) * 2.0 - 1.0) * size.z / size.xy * r.w;
  r.z -= 2e-4 * r.w; gl_Position = r;
}`, "uniform vec4 tone; out vec4 o; void main() { o = vec4(tone.rgb * tone.a, tone.a); }");

  const buffer = (data, use) => { const b = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, b); gl.bufferData(gl.ARRAY_BUFFER, data, use || gl.STATIC_DRAW); return b; };
  const STRIDE = 16, MOST = 256, PACE = 4;       /* floats a place; places a block; where a block may begin, in places */
  /* A shape from corners (points and normals) and triangles (numbers of corners).  The unit shapes are their own image in x = 0 and turn the front of all
     triangles outwards, so that those behind need not be drawn; of meshes nothing is known. */
  function shape({ corners, triangles }, unit) { return { corners, triangles, unit, copies: 0, vao: null, data: new Float32Array(16 * STRIDE), n: 0 }; }
  /* As many copies as are wanted now, up to what a block and numbers of 16 bits can tell apart. */
  function enough(s) {
    const m = s.corners.length / 6, wide = m > 65536, most = wide ? 1 : Math.min(MOST, Math.floor(65536 / m));
    if (s.copies >= Math.min(s.n, most)) return;
    while (s.copies < Math.min(s.n, most)) s.copies = Math.min(most, Math.max(1, 2 * s.copies));
    const v = new Float32Array(7 * m * s.copies), e = new (wide ? Uint32Array : Uint16Array)(s.triangles.length * s.copies);
    for (let k = 0, at = 0; k < s.copies; k++) {
      for (let i = 0; i < m; i++, at += 7) { for (let j = 0; j < 6; j++) v[at + j] = s.corners[6 * i + j]; v[at + 6] = k; }
      for (let i = 0; i < s.triangles.length; i++) e[k * s.triangles.length + i] = s.triangles[i] + k * m;
    }
    if (s.vao) { gl.deleteVertexArray(s.vao); s.buffers.forEach(b => gl.deleteBuffer(b)); }
    s.vao = gl.createVertexArray();
    s.type = wide ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT;
    gl.bindVertexArray(s.vao);
    s.buffers = [buffer(v), gl.createBuffer()];
    [3, 3, 1].forEach((size, k) => { gl.enableVertexAttribArray(k); gl.vertexAttribPointer(k, size, gl.FLOAT, false, 28, 12 * k); });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, s.buffers[1]);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, e, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }
  /* A polygon of n corners as large as the unit circle: what is thin stays as thin as it is. */
  const grown = n => Math.sqrt(2 * Math.PI / n / Math.sin(2 * Math.PI / n));
  /* Of revolution about z, with n sides: strips between rings [radius, z, normal r, normal z], and plane ends [z, normal z]. */
  function revolved(n, strips, ends) {
    const corners = [], triangles = [], more = grown(n);
    const ring = ([r, z, a, b]) => {
      for (let i = 0; i < n; i++) { const c = Math.cos(2 * Math.PI * i / n), s = Math.sin(2 * Math.PI * i / n); corners.push(more * r * c, more * r * s, z, a * c, a * s, b); }
      return corners.length / 6 - n;
    };
    for (const strip of strips)
      strip.map(ring).forEach((q, k, all) => {
        for (let i = 0, p = all[k - 1]; k && i < n; i++) {
          const j = (i + 1) % n;
          if (strip[k - 1][0]) triangles.push(p + i, p + j, q + j);
          if (strip[k][0]) triangles.push(p + i, q + j, q + i);
        }
      });
    for (const [z, b] of ends) { const first = ring([1, z, 0, b]); for (let i = 1; i < n - 1; i++) triangles.push(first, first + i + (b < 0), first + i + (b > 0)); }
    return { corners, triangles };
  }
  function boxShape() {
    const corners = [], triangles = [];
    for (let k = 0; k < 3; k++)
      for (const s of [1, -1]) {
        for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) { const q = [0, 0, 0, 0, 0, 0]; q[k] = q[3 + k] = s; q[(k + 1) % 3] = u * s; q[(k + 2) % 3] = v; corners.push(...q); }
        triangles.push(...[4, 3, 2, 4, 2, 1].map(i => corners.length / 6 - i));
      }
    return { corners, triangles };
  }
  const side = [[1, -1, 1, 0], [1, 1, 1, 0]], ballRing = a => [Math.cos(a), Math.sin(a), Math.cos(a), Math.sin(a)];
  const round = {
    sphere: n => revolved(n, [Array.from({ length: n / 2 + 1 }, (_, k) => k === 0 || k === n / 2 ? [0, k ? 1 : -1, 0, k ? 1 : -1] : ballRing(Math.PI * (2 * k / n - 0.5)))], []),
    cylinder: n => revolved(n, [side], [[-1, -1], [1, 1]]),
    tube: n => revolved(n, [side], []),         /* without ends: springs and sticks */
    cone: n => revolved(n, [[[1, 0, 0.7, 0.7], [0, 1, 0.7, 0.7]]], [[0, -1]])
  };
  /* So many sides that a circle and its polygon are less than a part of a pixel apart. */
  const sides = [4, 6, 10, 16, 24, 40], shapes = { box: shape(boxShape(), true) }, apart = soft ? 0.5 : 0.1, far = sides.map(n => apart / (1 - Math.cos(Math.PI / n)));
  for (const name in round) sides.forEach((n, k) => { shapes[name + k] = shape(round[name](n), true); });
  const levelOf = pixels => { let k = 0; while (k < sides.length - 1 && pixels > far[k]) k++; return k; };
  const looseBuffer = gl.createBuffer(), looseArray = gl.createVertexArray();     /* triangles that change each frame */
  gl.bindVertexArray(looseArray);
  gl.bindBuffer(gl.ARRAY_BUFFER, looseBuffer);
  [3, 3, 4].forEach((size, k) => { gl.enableVertexAttribArray(k); gl.vertexAttribPointer(k, size, gl.FLOAT, false, 40, 12 * k); });
  gl.bindVertexArray(null);
  let looseData = new Float32Array(4096), looseCount = 0;

  const square = gl.createVertexArray();
  gl.bindVertexArray(square);
  buffer(new Float32Array([-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0]));
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 0);
  const ribbons = new Map();

  const MAP = soft ? 512 : 2048, map = gl.createTexture(), target = gl.createFramebuffer();
  gl.bindTexture(gl.TEXTURE_2D, map);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, MAP, MAP);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, map, 0);
  gl.drawBuffers([gl.NONE]);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);

  /* All places of a frame, in one buffer of uniforms; calls draw runs of them. */
  const places = gl.createBuffer();
  let packed = new Float32Array(MOST * STRIDE), view = null, clear = [];
  function put(d, n, s, x, y, z, o, colour) {
    const mirrored = s.unit && x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) + x[2] * (y[0] * z[1] - y[1] * z[0]) < 0;
    for (let k = 0; k < 3; k++) { d[n + k] = mirrored ? -x[k] : x[k]; d[n + 4 + k] = y[k]; d[n + 8 + k] = z[k]; d[n + 3 + 4 * k] = o[k]; d[n + 12 + k] = colour[k]; }
    d[n + 15] = colour[3];
  }
  /* A frame begins: from here on it is known how large things are. */
  function begin(matrix) { view = matrix; }
  /* Pixels of a unit of length at a place. */
  function pixels(o) {
    const w = view[3] * o[0] + view[7] * o[1] + view[11] * o[2] + view[15];
    return Math.hypot(view[0], view[4], view[8]) * canvas.width / 2 / Math.max(w, 1e-3);
  }
  /* One of a shape; what can be seen through comes last, from far to near. */
  function add(name, x, y, z, o, colour) {
    const s = shapes[name] || shapes[name + levelOf(Math.max(Math.hypot(x[0], x[1], x[2]), Math.hypot(y[0], y[1], y[2])) * pixels(o))];
    if (colour[3] < 1) { clear.push([s, x, y, z, o, colour]); return; }
    if ((s.n + 1) * STRIDE > s.data.length) { const more = new Float32Array(2 * s.data.length); more.set(s.data); s.data = more; }
    put(s.data, STRIDE * s.n++, s, x, y, z, o, colour);
  }
  /* The runs of the opaque and of the others, all of them in the buffer. */
  function pack() {
    const runs = [], behind = [];
    let at = 0;
    const room = n => {
      at = PACE * Math.ceil(at / PACE);
      const first = at;
      at += n;
      if ((at + MOST) * STRIDE > packed.length) { const more = new Float32Array(2 * (at + MOST) * STRIDE); more.set(packed); packed = more; }
      return first;
    };
    for (const s of Object.values(shapes))
      if (s.n) {
        enough(s);
        for (let k = 0; k < s.n; k += s.copies) {
          const n = Math.min(s.copies, s.n - k), first = room(n);
          packed.set(s.data.subarray(k * STRIDE, (k + n) * STRIDE), first * STRIDE);
          runs.push({ s, first, n });
        }
      }
    const w = ([, , , , o]) => view[3] * o[0] + view[7] * o[1] + view[11] * o[2];
    clear.sort((a, b) => w(b) - w(a));
    for (const e of clear) {
      const s = e[0];
      let r = behind[behind.length - 1];
      s.n = 1;
      if (r && r.s === s && r.n < s.copies) { room(r.first + ++r.n - at); } else { enough(s); behind.push(r = { s, first: room(1), n: 1 }); }
      put(packed, (r.first + r.n - 1) * STRIDE, ...e);
    }
    gl.bindBuffer(gl.UNIFORM_BUFFER, places);
    gl.bufferData(gl.UNIFORM_BUFFER, packed.subarray(0, (at + MOST) * STRIDE), gl.DYNAMIC_DRAW);
    for (const s of Object.values(shapes)) s.n = 0;
    clear = [];
    return { runs, behind };
  }
  function triangle(a, b, c, n, colour) {
    if (looseCount * 10 + 30 > looseData.length) { const more = new Float32Array(2 * looseData.length); more.set(looseData); looseData = more; }
    for (const p of [a, b, c]) looseData.set([p[0], p[1], p[2], n[0], n[1], n[2], colour[0], colour[1], colour[2], colour[3]], 10 * looseCount++);
  }
  function drawRuns(runs, front) {
    for (const { s, first, n } of runs) {
      if (front && s.unit) gl.enable(gl.CULL_FACE); else gl.disable(gl.CULL_FACE);
      gl.bindBufferRange(gl.UNIFORM_BUFFER, 0, places, 4 * STRIDE * first, 4 * STRIDE * MOST);
      gl.bindVertexArray(s.vao);
      gl.drawElements(gl.TRIANGLES, n * s.triangles.length, s.type, 0);
    }
    gl.disable(gl.CULL_FACE);
  }
  function drawLoose(shaders, f) {
    if (!looseCount) return;
    setUniforms(shaders, f);
    gl.bindVertexArray(looseArray);
    gl.drawArrays(gl.TRIANGLES, 0, looseCount);
  }
  function setUniforms(shaders, f) {
    gl.useProgram(shaders.p);
    gl.uniformMatrix4fv(shaders.at("view"), false, f.view);
    gl.uniformMatrix4fv(shaders.at("shade"), false, f.shade);
    for (const k of ["light", "eye", "sky", "earth"]) gl.uniform3fv(shaders.at(k), f[k]);
    gl.uniform1i(shaders.at("shadow"), 0);
  }
  /* f: view and shade (matrices by columns), light, eye, sky, earth, floor {where, step, line, ground}, traces [{key, data, from, count, width, tone}] */
  function draw(f) {
    const { runs, behind } = pack();
    gl.bindBuffer(gl.ARRAY_BUFFER, looseBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, looseData.subarray(0, 10 * looseCount), gl.DYNAMIC_DRAW);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.viewport(0, 0, MAP, MAP);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2.5, 6);
    setUniforms(solidDepth, f);
    drawRuns(runs, true);
    drawLoose(looseDepth, f);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.bindTexture(gl.TEXTURE_2D, map);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    setUniforms(solid, f);
    drawRuns(runs, true);
    drawLoose(loose, f);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    setUniforms(floor, f);
    gl.uniform4fv(floor.at("where"), f.floor.where);
    gl.uniform1f(floor.at("step_"), f.floor.step);
    gl.uniform4fv(floor.at("line"), f.floor.line);
    gl.uniform4fv(floor.at("ground"), f.floor.ground);
    gl.bindVertexArray(square);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    setUniforms(ribbon, f);
    for (const t of f.traces) drawRibbon(t);
    setUniforms(solid, f);
    gl.depthMask(false);
    drawRuns(behind, false);
    gl.depthMask(true);
    looseCount = 0;
  }
  /* A strip along points from..from + count; each is in the buffer twice, for both sides, and the first and the last once more. */
  function drawRibbon(t) {
    let r = ribbons.get(t.key);
    if (!r) {
      r = { vao: gl.createVertexArray(), buffer: gl.createBuffer(), data: null };
      gl.bindVertexArray(r.vao);
      gl.bindBuffer(gl.ARRAY_BUFFER, r.buffer);
      for (let k = 0; k < 3; k++) { gl.enableVertexAttribArray(k); gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 12, 24 * k); }
      ribbons.set(t.key, r);
    }
    if (r.data !== t.data) {
      const n = t.data.length / 3, twice = new Float32Array(6 * (n + 2));
      for (let i = 0; i < n + 2; i++) { const p = 3 * Math.min(n - 1, Math.max(0, i - 1)); for (let k = 0; k < 3; k++) twice[6 * i + k] = twice[6 * i + 3 + k] = t.data[p + k]; }
      gl.bindBuffer(gl.ARRAY_BUFFER, r.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, twice, gl.DYNAMIC_DRAW);
      r.data = t.data;
    }
    if (t.count <= 0) return;
    gl.bindVertexArray(r.vao);
    gl.uniform3f(ribbon.at("size"), canvas.width / 2, canvas.height / 2, t.width);
    gl.uniform4fv(ribbon.at("tone"), t.tone);
    gl.drawArrays(gl.TRIANGLE_STRIP, 2 * t.from, 2 * (t.count + 1));
  }
  /* Triangles of a unit shape, three corners after the other. */
  function trianglesOf(name) {
    const { corners, triangles } = shapes[name] || shapes[name + 3], at = i => Array.from(corners.slice(6 * i, 6 * i + 3)), out = [];
    for (let i = 0; i < triangles.length; i += 3) out.push([at(triangles[i]), at(triangles[i + 1]), at(triangles[i + 2])]);
    return out;
  }
  return { soft, begin, pixels, add, triangle, draw, trianglesOf, mesh: (name, corners) => { shapes[name] = shape({ corners, triangles: Uint32Array.from({ length: corners.length / 6 }, (_, i) => i) }); }, lost: () => gl.isContextLost() };
}
