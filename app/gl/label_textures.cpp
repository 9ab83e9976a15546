#include "app/gl/label_textures.h"

#include <pango/pangocairo.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "app/gl/shaping.h"

namespace headlight::gl {
namespace {

template <auto free_it>
struct Deleter {
  template <class T>
  void operator()(T* p) const {
    free_it(p);
  }
};
using Surface = std::unique_ptr<cairo_surface_t, Deleter<cairo_surface_destroy>>;
using Cairo = std::unique_ptr<cairo_t, Deleter<cairo_destroy>>;
using Layout = std::unique_ptr<PangoLayout, Deleter<g_object_unref>>;
using Description = std::unique_ptr<PangoFontDescription, Deleter<pango_font_description_free>>;

Layout layout_of(cairo_t* cairo, const std::string& text, int em_pixels, figures::Font font) {
  Layout layout(pango_cairo_create_layout(cairo));
  const Description description(pango_font_description_from_string(
      font == figures::Font::mono ? "JetBrains Mono,Noto Sans Mono,monospace" : "Inter,Noto Sans,sans-serif"));
  if (font == figures::Font::words_bold) pango_font_description_set_weight(description.get(), PANGO_WEIGHT_SEMIBOLD);
  pango_font_description_set_absolute_size(description.get(), static_cast<double>(em_pixels) * PANGO_SCALE);
  pango_layout_set_font_description(layout.get(), description.get());
  pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
  pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
  return layout;
}

// Cairo's premultiplied native-endian ARGB to straight RGBA bytes.
std::vector<std::uint8_t> straight(const unsigned char* data, int stride, int width, int height) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
  std::size_t at = 0;
  for (int y = 0; y < height; ++y) {
    const auto* row = reinterpret_cast<const std::uint32_t*>(data + static_cast<std::ptrdiff_t>(y) * stride);
    for (int x = 0; x < width; ++x) {
      const std::uint32_t p = row[x], a = p >> 24;
      const auto channel = [&](int shift) {
        return static_cast<std::uint8_t>(a ? std::min(255u, ((p >> shift) & 255u) * 255u / a) : 255u);
      };
      out[at++] = channel(16);
      out[at++] = channel(8);
      out[at++] = channel(0);
      out[at++] = static_cast<std::uint8_t>(a);
    }
  }
  return out;
}

}  // namespace

const Label& Labels::get(std::string_view text, int em_pixels, figures::Font font, bool has_gl) {
  std::string key = std::to_string(em_pixels) + (font == figures::Font::mono ? 'm' : font == figures::Font::words ? 'w' : 'b');
  key += text;
  if (auto found = labels_.find(key); found != labels_.end() && (found->second.texture.id() || !has_gl)) {
    found->second.last_frame = frame_;
    return found->second;
  }
  const std::string valid = valid_utf8(text);
  Label label;
  label.last_frame = frame_;
  const Surface scratch(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 1, 1));
  const Cairo scratch_cairo(cairo_create(scratch.get()));
  const Layout measured = layout_of(scratch_cairo.get(), valid, em_pixels, font);
  PangoRectangle line;
  pango_layout_get_extents(measured.get(), nullptr, &line);
  label.width = static_cast<float>(line.width) / PANGO_SCALE;
  label.height = static_cast<float>(line.height) / PANGO_SCALE;
  label.baseline = static_cast<float>(pango_layout_get_baseline(measured.get())) / PANGO_SCALE;
  if (has_gl) {
    label.pad = std::max(2, em_pixels / 3);
    const int width = std::clamp(static_cast<int>(std::ceil(label.width)) + 2 * label.pad, 1, 8192);
    const int height = std::clamp(static_cast<int>(std::ceil(label.height)) + 2 * label.pad, 1, 2048);
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height));
    const Cairo cairo(cairo_create(surface.get()));
    cairo_set_source_rgba(cairo.get(), 1, 1, 1, 1);
    cairo_move_to(cairo.get(), label.pad, label.pad);
    const Layout layout = layout_of(cairo.get(), valid, em_pixels, font);
    pango_cairo_show_layout(cairo.get(), layout.get());
    cairo_surface_flush(surface.get());
    const auto pixels =
        straight(cairo_image_surface_get_data(surface.get()), cairo_image_surface_get_stride(surface.get()), width, height);
    if (auto texture = Texture::make(width, height, Texture::Format::rgba8, pixels.data(), true); texture.ok())
      label.texture = std::move(texture).value();
  }
  return labels_[key] = std::move(label);
}

void Labels::trim() {
  std::erase_if(labels_, [this](const auto& item) { return item.second.last_frame + 600 < frame_; });
  if (labels_.size() > 2000) std::erase_if(labels_, [this](const auto& item) { return item.second.last_frame < frame_; });
}

void Labels::clear() { labels_.clear(); }

std::uint64_t Labels::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [key, label] : labels_) sum += label.texture.bytes();
  return sum;
}

}  // namespace headlight::gl
