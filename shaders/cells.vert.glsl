#version 330 core
// One box of cells as two triangles, without buffers: the vertex number gives the corner.
uniform vec4 box;       // x, y, width, height in framebuffer pixels, y down
uniform vec2 viewport;  // framebuffer size
out vec2 place;         // 0..1 over the box
void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
  place = corner;
  vec2 p = (box.xy + corner * box.zw) / viewport;
  gl_Position = vec4(p.x * 2.0 - 1.0, 1.0 - p.y * 2.0, 0.0, 1.0);
}
