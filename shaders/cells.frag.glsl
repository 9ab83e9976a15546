#version 330 core
// Draws a matrix as cells: each texel is (value, share of it that is visible). If a cell is smaller than a pixel, the pixel shows
// the largest or the mean of its visible values. A share of 2, 3 or 4 marks a cell of -inf, +inf or NaN, which any pixel shows
// before all others.
uniform sampler2D values;
uniform sampler2D colormap;   // 256 x 1
uniform vec2 cells;           // columns, rows, in texels: the last texel may be part of a block
uniform vec2 from;            // the first column and row of the window, in texels
uniform vec2 low_high;
uniform vec2 gap;             // per axis, pixels: 0 while cells are small
uniform vec4 box;             // x, y, width, height in framebuffer pixels
uniform vec4 masked;          // background of the hatching
uniform vec4 hatch;
uniform float hatch_period;   // pixels
uniform float hatch_width;
uniform int mean;             // 0: max, 1: mean
uniform int magnitude;        // for a signed map, max means the largest magnitude
uniform float alpha;
uniform vec3 non_finite[3];   // the colours of -inf, +inf, NaN
in vec2 place;
out vec4 colour;

void main() {
  ivec2 size = textureSize(values, 0);  // columns, rows
  vec2 cell_pixels = box.zw / cells;
  vec2 here = from + place * cells;
  if (any(greaterThan(gap, vec2(0.0)))) {
    vec2 in_cell = fract(here) * cell_pixels;
    if (in_cell.x >= cell_pixels.x - gap.x || in_cell.y >= cell_pixels.y - gap.y) discard;
  }
  vec2 half_pixel = 0.5 / cell_pixels;
  ivec2 first = clamp(ivec2(floor(here)), ivec2(0), size - 1), last = first;
  if (cell_pixels.x < 1.0) {
    first.x = clamp(int(floor(here.x - half_pixel.x)), 0, size.x - 1);
    last.x = clamp(int(ceil(here.x + half_pixel.x)) - 1, first.x, size.x - 1);
  }
  if (cell_pixels.y < 1.0) {
    first.y = clamp(int(floor(here.y - half_pixel.y)), 0, size.y - 1);
    last.y = clamp(int(ceil(here.y + half_pixel.y)) - 1, first.y, size.y - 1);
  }
  float sum = 0.0, weight = 0.0, best = 0.0, mark = 0.0;
  bool any_visible = false;
  for (int y = first.y; y <= last.y; ++y)
    for (int x = first.x; x <= last.x; ++x) {
      vec2 texel = texelFetch(values, ivec2(x, y), 0).rg;
      if (texel.g <= 0.0) continue;
      if (texel.g > 1.5) {
        mark = max(mark, texel.g);
        continue;
      }
      sum += texel.r * texel.g;
      weight += texel.g;
      bool larger = magnitude == 1 ? abs(texel.r) > abs(best) : texel.r > best;
      if (!any_visible || larger) best = texel.r;
      any_visible = true;
    }
  if (mark > 1.5) {
    colour = vec4(non_finite[int(mark + 0.5) - 2], alpha);
    return;
  }
  if (!any_visible) {
    // Lines from lower left to upper right. The pattern covers the whole framebuffer, so that it continues across neighbouring
    // cells.
    float d = mod(gl_FragCoord.x - gl_FragCoord.y, hatch_period);
    float line = clamp(hatch_width - abs(d - 0.5 * hatch_period), 0.0, 1.0);
    colour = mix(masked, hatch, line * hatch.a);
    colour.a = max(masked.a, line * hatch.a) * alpha;
    return;
  }
  float value = mean == 1 ? sum / weight : best;
  float t = clamp((value - low_high.x) / (low_high.y - low_high.x), 0.0, 1.0);
  vec4 mapped = texelFetch(colormap, ivec2(int(t * 255.0 + 0.5), 0), 0);
  colour = vec4(mapped.rgb, mapped.a * alpha);
}
