/* SPDX-License-Identifier: 0BSD
   A small renderer for solids: WebGL 2, one directional light with a shadow map, a sky that lights from above, instances of a few
   unit shapes and of meshes, loose triangles, traces as ribbons, a floor with a grid.  It knows nothing of mechanisms: space.js
   says each frame what there is.  Everything is blended into a transparent canvas below the one with the names. */
function makeRenderer(canvas) {
  /* Without a graphics processor every pixel and every corner costs: no smoothing of edges, a coarser shadow. */
  const probe = document.createElement("canvas").getContext("webgl2"), info = probe && probe.getExtension("WEBGL_debug_renderer_info");
  if (!probe) return null;
  const soft = /swiftshader|llvmpipe|software|basic render/i.test(info ? probe.getParameter(info.UNMASKED_RENDERER_WEBGL) : "");
  const gl = canvas.getContext("webgl2", { antialias: !soft, alpha: true, premultipliedAlpha: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const common = `#version 300 es
precision highp float; precision highp int; precision highp sampler2DShadow;
uniform mat4 view, shade; uniform vec3 light, eye, sky, earth; uniform sampler2DShadow shadow;
`;
  const lit = `
float seen(vec4 s) {
  vec3 p = s.xyz / s.w * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  vec2 d = vec2(0.7 / float(textureSize(shadow, 0).x)); float z = p.z - 0.0016, sum = 0.0;
  for (int i = 0; i < 4; i++) sum += texture(shadow, vec3(p.xy + d * vec2(float(i & 1) * 2.0 - 1.0, float(i >> 1) * 2.0 - 1.0), z));
  return sum / 4.0;
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
  /* Instances: the images of the three axes and the origin, and a colour.  A normal goes with the cofactors. */
  const solidVertex = `
layout(location = 0) in vec3 point; layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 ax; layout(location = 3) in vec3 ay; layout(location = 4) in vec3 az; layout(location = 5) in vec3 origin; layout(location = 6) in vec4 tone;
out vec3 n, at; out vec4 colour, s;
void main() {
  at = origin + point.x * ax + point.y * ay + point.z * az;
  vec3 a = cross(ay, az), b = cross(az, ax), c = cross(ax, ay);
  n = (normal.x * a + normal.y * b + normal.z * c) * (dot(ax, a) < 0.0 ? -1.0 : 1.0);
  colour = tone; s = shade * vec4(at, 1.0); gl_Position = view * vec4(at, 1.0);
}`;
  const solidFragment = `
in vec3 n, at; in vec4 colour, s; out vec4 o;
void main() { o = vec4(shine(colour.rgb, normalize(n), at, seen(s)) * colour.a, colour.a); }`;
  const solid = program(solidVertex, lit + solidFragment);
  const depth = program(solidVertex.replace("gl_Position = view", "gl_Position = shade"), "in vec3 n, at; in vec4 colour, s; void main() {}");
  const floor = program(`
layout(location = 0) in vec3 point; uniform vec4 where; out vec3 at; out vec4 s;
void main() { at = vec3(where.xy + where.w * point.xy, where.z); s = shade * vec4(at, 1.0); gl_Position = view * vec4(at, 1.0); }`, lit + `
in vec3 at; in vec4 s; uniform vec4 where; uniform float step_; uniform vec4 line, ground; out vec4 o;
void main() {
  vec2 g = abs(fract(at.xy / step_ - 0.5) - 0.5) / max(fwidth(at.xy / step_), vec2(1e-6));
  float mark = 1.0 - min(min(g.x, g.y), 1.0), fade = 1.0 - smoothstep(0.35, 1.0, length(at.xy - where.xy) / where.w), dark = 1.0 - seen(s);
  vec4 c = mix(vec4(ground.rgb, ground.a), vec4(line.rgb, line.a), mark);
  c = mix(c, vec4(0.0, 0.0, 0.0, max(c.a, 0.34)), dark * (1.0 - 0.5 * mark));
  o = vec4(c.rgb * c.a, c.a) * fade;
}`);
  const ribbon = program(`
layout(location = 0) in vec2 corner; layout(location = 1) in vec3 a; layout(location = 2) in vec3 b; uniform vec3 size;
void main() {
  vec4 p = view * vec4(a, 1.0), q = view * vec4(b, 1.0); vec2 d = (q.xy / q.w - p.xy / p.w) * size.xy, e = length(d) > 1e-6 ? normalize(d) : vec2(1.0, 0.0);
  vec4 r = corner.x < 0.5 ? p : q;
  r.xy += (vec2(-e.y, e.x) * corner.y + e * (corner.x - 0.5) * 0.6) * size.z / size.xy * r.w;
  r.z -= 2e-4 * r.w; gl_Position = r;
}`, "uniform vec4 tone; out vec4 o; void main() { o = vec4(tone.rgb * tone.a, tone.a); }");

  const buffer = (data, use) => { const b = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, b); gl.bufferData(gl.ARRAY_BUFFER, data, use || gl.STATIC_DRAW); return b; };
  const STRIDE = 16;
  /* A shape from triangles: points and normals, three by three. */
  function shape(list) {
    const vao = gl.createVertexArray(), instances = gl.createBuffer();
    gl.bindVertexArray(vao);
    buffer(list instanceof Float32Array ? list : new Float32Array(list));
    for (const [k, off] of [[0, 0], [1, 12]]) { gl.enableVertexAttribArray(k); gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 24, off); }
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    for (let k = 0; k < 5; k++) { gl.enableVertexAttribArray(2 + k); gl.vertexAttribPointer(2 + k, k < 4 ? 3 : 4, gl.FLOAT, false, 4 * STRIDE, 12 * k); gl.vertexAttribDivisor(2 + k, 1); }
    gl.bindVertexArray(null);
    return { vao, instances, count: list.length / 6, list, data: new Float32Array(64 * STRIDE), n: 0, clear: [] };
  }
  function roundShape(profile, n) {            /* of revolution about z: [radius, z, normal r, normal z] pairs of rings */
    const out = [], at = (p, i) => { const a = 2 * Math.PI * i / n, c = Math.cos(a), s = Math.sin(a); return [p[0] * c, p[0] * s, p[1], p[2] * c, p[2] * s, p[3]]; };
    for (const [p, q] of profile)
      for (let i = 0; i < n; i++) {
        const A = at(p, i), B = at(p, i + 1), C = at(q, i + 1), E = at(q, i);
        out.push(...A, ...B, ...C, ...A, ...C, ...E);
      }
    return out;
  }
  function boxShape() {
    const out = [];
    for (let k = 0; k < 3; k++)
      for (const s of [1, -1]) {
        const p = (u, v) => { const q = [0, 0, 0]; q[k] = s; q[(k + 1) % 3] = u * s; q[(k + 2) % 3] = v; return q; }, n = [0, 0, 0];
        n[k] = s;
        const f = [p(-1, -1), p(1, -1), p(1, 1), p(-1, 1)];
        for (const i of [0, 1, 2, 0, 2, 3]) out.push(...f[i], ...n);
      }
    return out;
  }
  const ball = [], rings = 10;
  for (let i = 0; i < rings; i++) {
    const f = k => { const a = Math.PI * (k / rings - 0.5); return [Math.cos(a), Math.sin(a), Math.cos(a), Math.sin(a)]; };
    ball.push([f(i), f(i + 1)]);
  }
  const shapes = {
    box: shape(boxShape()), sphere: shape(roundShape(ball, 20)),
    cylinder: shape(roundShape([[[1, -1, 1, 0], [1, 1, 1, 0]], [[0, -1, 0, -1], [1, -1, 0, -1]], [[1, 1, 0, 1], [0, 1, 0, 1]]], 24)),
    dot: shape(roundShape(ball.filter((_, i) => i % 2 === 0).map(([p], i, all) => [p, i + 1 < all.length ? all[i + 1][0] : ball[rings - 1][1]]), 8)),      /* small ones */
    pin: shape(roundShape([[[1, -1, 1, 0], [1, 1, 1, 0]], [[0, -1, 0, -1], [1, -1, 0, -1]], [[1, 1, 0, 1], [0, 1, 0, 1]]], 10)),
    bar: shape(roundShape([[[1, -1, 1, 0], [1, 1, 1, 0]]], 5)),
    tube: shape(roundShape([[[1, -1, 1, 0], [1, 1, 1, 0]]], 8)),        /* without ends: springs and sticks */
    cone: shape(roundShape([[[1, 0, 0.7, 0.7], [0, 1, 0.7, 0.7]], [[0, 0, 0, -1], [1, 0, 0, -1]]], 20))
  };
  const loose = shape(new Float32Array(6));     /* triangles that change each frame */
  loose.points = gl.createBuffer();
  gl.bindVertexArray(loose.vao);
  gl.bindBuffer(gl.ARRAY_BUFFER, loose.points);
  for (const [k, off] of [[0, 0], [1, 12]]) gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 40, off);
  gl.vertexAttribDivisor(6, 0);
  gl.vertexAttribPointer(6, 4, gl.FLOAT, false, 40, 24);
  for (let k = 2; k < 6; k++) gl.disableVertexAttribArray(k);
  gl.bindVertexArray(null);
  let looseData = new Float32Array(4096), looseCount = 0;

  const square = gl.createVertexArray();
  gl.bindVertexArray(square);
  buffer(new Float32Array([-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0]));
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 0);
  const corners = buffer(new Float32Array([0, -1, 0, 1, 1, -1, 1, 1])), ribbons = new Map();

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

  function put(s, x, y, z, o, colour) {
    if ((s.n + 1) * STRIDE > s.data.length) { const more = new Float32Array(2 * s.data.length); more.set(s.data); s.data = more; }
    const d = s.data, n = STRIDE * s.n++;
    for (let k = 0; k < 3; k++) { d[n + k] = x[k]; d[n + 3 + k] = y[k]; d[n + 6 + k] = z[k]; d[n + 9 + k] = o[k]; d[n + 12 + k] = colour[k]; }
    d[n + 15] = colour[3];
  }
  /* An instance of a shape; what can be seen through comes last, from far to near. */
  function add(name, x, y, z, o, colour) {
    const s = shapes[name];
    if (colour[3] < 1) s.clear.push([x, y, z, o, colour]);
    else put(s, x, y, z, o, colour);
  }
  function triangle(a, b, c, n, colour) {
    if (looseCount * 10 + 30 > looseData.length) { const more = new Float32Array(2 * looseData.length); more.set(looseData); looseData = more; }
    for (const p of [a, b, c]) looseData.set([p[0], p[1], p[2], n[0], n[1], n[2], colour[0], colour[1], colour[2], colour[3]], 10 * looseCount++);
  }
  function drawShapes(shaders) {
    gl.useProgram(shaders.p);
    for (const s of Object.values(shapes)) {
      if (!s.n) continue;
      gl.bindVertexArray(s.vao);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, s.count, s.n);
    }
    if (looseCount) {
      gl.bindVertexArray(loose.vao);
      gl.vertexAttrib3f(2, 1, 0, 0);
      gl.vertexAttrib3f(3, 0, 1, 0);
      gl.vertexAttrib3f(4, 0, 0, 1);
      gl.vertexAttrib3f(5, 0, 0, 0);
      gl.drawArrays(gl.TRIANGLES, 0, looseCount);
    }
  }
  function drawClear(eye, shaders) {
    gl.useProgram(shaders.p);
    const far = e => Math.hypot(e[3][0] - eye[0], e[3][1] - eye[1], e[3][2] - eye[2]), all = [];
    for (const s of Object.values(shapes)) { for (const e of s.clear) all.push([far(e), s, e]); s.clear = []; }
    all.sort((a, b) => b[0] - a[0]);
    gl.depthMask(false);
    for (const [, s, e] of all) {
      s.n = 0;
      put(s, ...e);
      gl.bindVertexArray(s.vao);
      gl.bindBuffer(gl.ARRAY_BUFFER, s.instances);
      gl.bufferData(gl.ARRAY_BUFFER, s.data.subarray(0, STRIDE), gl.DYNAMIC_DRAW);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, s.count, 1);
    }
    gl.depthMask(true);
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
    for (const s of Object.values(shapes)) {
      if (!s.n) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, s.instances);
      gl.bufferData(gl.ARRAY_BUFFER, s.data.subarray(0, s.n * STRIDE), gl.DYNAMIC_DRAW);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, loose.points);
    gl.bufferData(gl.ARRAY_BUFFER, looseData.subarray(0, 10 * looseCount), gl.DYNAMIC_DRAW);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.viewport(0, 0, MAP, MAP);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2.5, 6);
    setUniforms(depth, f);
    drawShapes(depth);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.bindTexture(gl.TEXTURE_2D, map);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    setUniforms(solid, f);
    drawShapes(solid);
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
    drawClear(f.eye, (setUniforms(solid, f), solid));
    for (const s of Object.values(shapes)) s.n = 0;
    looseCount = 0;
  }
  function drawRibbon(t) {
    let r = ribbons.get(t.key);
    if (!r) {
      r = { vao: gl.createVertexArray() };
      gl.bindVertexArray(r.vao);
      gl.bindBuffer(gl.ARRAY_BUFFER, corners);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 8, 0);
      r.buffer = buffer(t.data);
      for (const k of [1, 2]) { gl.enableVertexAttribArray(k); gl.vertexAttribDivisor(k, 1); }
      ribbons.set(t.key, r);
    }
    if (t.count <= 0) return;
    gl.bindVertexArray(r.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, r.buffer);
    for (const k of [1, 2]) gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 12, 12 * (t.from + k - 1));
    gl.uniform3f(ribbon.at("size"), canvas.width / 2, canvas.height / 2, t.width);
    gl.uniform4fv(ribbon.at("tone"), t.tone);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, t.count);
  }
  return { soft, add, triangle, draw, corners: name => shapes[name].list, mesh: (name, list) => { shapes[name] = shape(list); }, lost: () => gl.isContextLost() };
}
