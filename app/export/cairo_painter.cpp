#include "app/export/cairo_painter.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "app/export/cell_colors.h"
#include "app/export/figure_text.h"

namespace headlight::figures {
namespace {

constexpr std::int64_t kMostRectangles = 20000;  // more cells than this are drawn as one image
constexpr std::int64_t kMostImageSide = 4096;    // of a matrix inside a PDF

double share(Align align) { return align == Align::start ? 0.0 : align == Align::middle ? 0.5 : 1.0; }

// Cairo's premultiplied ARGB.
std::uint32_t premultiplied(Color c) {
  const auto channel = [&](float x) { return static_cast<std::uint32_t>(std::lround(std::clamp(x * c.a, 0.0f, 1.0f) * 255)); };
  return static_cast<std::uint32_t>(std::lround(std::clamp(c.a, 0.0f, 1.0f) * 255)) << 24 | channel(c.r) << 16 |
         channel(c.g) << 8 | channel(c.b);
}

Color over(Color top, Color below) {
  return {top.r * top.a + below.r * (1 - top.a), top.g * top.a + below.g * (1 - top.a), top.b * top.a + below.b * (1 - top.a), 1};
}

struct Image {
  Image(int width, int height) : surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height), cairo_surface_destroy) {
    if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) return;
    cairo_surface_flush(surface.get());
    data = cairo_image_surface_get_data(surface.get());
    stride = cairo_image_surface_get_stride(surface.get());
  }
  std::uint32_t* row(int y) const { return reinterpret_cast<std::uint32_t*>(data + static_cast<std::ptrdiff_t>(y) * stride); }
  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface;
  unsigned char* data = nullptr;
  int stride = 0;
};

class Painter {
 public:
  Painter(cairo_t* cairo, const Theme& theme, double scale, const std::string& family)
      : c_(cairo), theme_(theme), scale_(scale), text_(family) {}

  void operator()(const Rectangle& r) {
    if (r.fill.a > 0) {
      path(r.box, static_cast<double>(r.radius));
      color(r.fill);
      cairo_fill(c_);
    }
    if (r.stroke.a > 0 && r.line > 0) {
      path(r.box, static_cast<double>(r.radius));
      color(r.stroke);
      cairo_set_line_width(c_, static_cast<double>(r.line));
      cairo_stroke(c_);
    }
  }
  void operator()(const Line& l) {
    cairo_move_to(c_, static_cast<double>(l.from.x), static_cast<double>(l.from.y));
    cairo_line_to(c_, static_cast<double>(l.to.x), static_cast<double>(l.to.y));
    color(l.color);
    cairo_set_line_width(c_, static_cast<double>(l.width));
    cairo_stroke(c_);
  }
  void operator()(const Curve& k) {
    const auto d = [](float x) { return static_cast<double>(x); };
    cairo_move_to(c_, d(k.from.x), d(k.from.y));
    cairo_curve_to(c_, d(k.control1.x), d(k.control1.y), d(k.control2.x), d(k.control2.y), d(k.to.x), d(k.to.y));
    color(k.color);
    cairo_set_line_width(c_, d(k.width));
    cairo_stroke(c_);
  }
  void operator()(const Disc& d) {
    cairo_new_sub_path(c_);
    cairo_arc(c_, static_cast<double>(d.centre.x), static_cast<double>(d.centre.y), static_cast<double>(d.radius), 0, 2 * M_PI);
    color(d.fill);
    cairo_fill(c_);
  }
  void operator()(const Polygon& g) {
    if (g.points.size() < 3) return;
    const auto path = [&] {
      cairo_new_path(c_);
      for (const Point& p : g.points) cairo_line_to(c_, static_cast<double>(p.x), static_cast<double>(p.y));
      cairo_close_path(c_);
    };
    if (g.fill.a > 0) {
      path();
      color(g.fill);
      cairo_fill(c_);
    }
    if (g.stroke.a > 0 && g.line > 0) {
      path();
      color(g.stroke);
      cairo_set_line_width(c_, static_cast<double>(g.line));
      cairo_stroke(c_);
    }
  }
  void operator()(const Text& t) {
    const std::string shown = text_.fitted(t.text, t.size, t.font, t.max_width);
    const double w = static_cast<double>(text_.width(shown, t.size, t.font)),
                 h = static_cast<double>(text_.line_height(t.size, t.font));
    cairo_save(c_);
    cairo_translate(c_, static_cast<double>(t.at.x), static_cast<double>(t.at.y));
    if (t.rotation != 0) cairo_rotate(c_, -static_cast<double>(t.rotation) * M_PI / 180);
    color(t.color);
    text_.draw(c_, shown, t.size, t.font, -share(t.horizontal) * w,
               static_cast<double>(text_.ascent(t.size, t.font)) - share(t.vertical) * h);
    cairo_restore(c_);
  }
  void operator()(const ColorBar& bar) {
    const Colormap* map = colormaps().find(bar.colormap);
    if (!map) return;
    const auto d = [](float x) { return static_cast<double>(x); };
    const std::unique_ptr<cairo_pattern_t, void (*)(cairo_pattern_t*)> gradient(
        bar.vertical ? cairo_pattern_create_linear(0, d(bar.box.y + bar.box.h), 0, d(bar.box.y))
                     : cairo_pattern_create_linear(d(bar.box.x), 0, d(bar.box.x + bar.box.w), 0),
        cairo_pattern_destroy);
    for (int i = 0; i <= 64; ++i) {
      const Color k = map->at(static_cast<float>(i) / 64, theme_);
      cairo_pattern_add_color_stop_rgb(gradient.get(), i / 64.0, d(k.r), d(k.g), d(k.b));
    }
    path(bar.box, 0);
    cairo_set_source(c_, gradient.get());
    cairo_fill(c_);
  }
  void operator()(const Photo& photo) {
    if (photo.rgba.empty() || photo.box.w <= 0 || photo.box.h <= 0) return;
    const auto width = static_cast<int>(photo.rgba.dim(1)), height = static_cast<int>(photo.rgba.dim(0));
    const Image image(width, height);
    if (!image.data) return;
    const std::uint8_t* in = photo.rgba.data<std::uint8_t>();
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x, in += 4) {
        const auto channel = [&](int c) { return static_cast<float>(in[c]) / 255; };
        image.row(y)[x] = premultiplied({channel(0), channel(1), channel(2), channel(3)});
      }
    cairo_surface_mark_dirty(image.surface.get());
    cairo_save(c_);
    cairo_translate(c_, static_cast<double>(photo.box.x), static_cast<double>(photo.box.y));
    cairo_scale(c_, static_cast<double>(photo.box.w) / width, static_cast<double>(photo.box.h) / height);
    cairo_set_source_surface(c_, image.surface.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(c_), photo.smooth ? CAIRO_FILTER_GOOD : CAIRO_FILTER_NEAREST);
    // The edges are not blended with what lies beyond the picture.
    cairo_pattern_set_extend(cairo_get_source(c_), CAIRO_EXTEND_PAD);
    cairo_rectangle(c_, 0, 0, width, height);
    cairo_fill(c_);
    cairo_restore(c_);
  }
  void operator()(const Cells& cells) {
    if (cells.rows < 1 || cells.columns < 1 || cells.values.empty() || cells.box.w <= 0 || cells.box.h <= 0) return;
    if (scale_ > 0) {
      on_pixels(cells);
    } else {
      as_vectors(cells);
    }
  }

 private:
  void color(Color c) {
    cairo_set_source_rgba(c_, static_cast<double>(c.r), static_cast<double>(c.g), static_cast<double>(c.b),
                          static_cast<double>(c.a));
  }
  void path(Box b, double radius) {
    const double x = static_cast<double>(b.x), y = static_cast<double>(b.y), w = static_cast<double>(b.w),
                 h = static_cast<double>(b.h);
    radius = std::min({radius, w / 2, h / 2});
    if (radius <= 0) return cairo_rectangle(c_, x, y, w, h);
    cairo_new_sub_path(c_);
    cairo_arc(c_, x + w - radius, y + radius, radius, -M_PI / 2, 0);
    cairo_arc(c_, x + w - radius, y + h - radius, radius, 0, M_PI / 2);
    cairo_arc(c_, x + radius, y + h - radius, radius, M_PI / 2, M_PI);
    cairo_arc(c_, x + radius, y + radius, radius, M_PI, 3 * M_PI / 2);
    cairo_close_path(c_);
  }

  // The cell (or block) that each pixel along a side shows; -1 in a gap.
  static std::vector<std::int64_t> places(int pixels, std::int64_t count, int gap) {
    std::vector<std::int64_t> place(static_cast<std::size_t>(pixels), -1);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto edge = [&](std::int64_t k) { return std::lround(static_cast<double>(k) * pixels / static_cast<double>(count)); };
      const long end = edge(i + 1) - (i + 1 < count ? gap : 0);
      for (long p = edge(i); p < end; ++p) place[static_cast<std::size_t>(p)] = i;
    }
    return place;
  }

  void on_pixels(const Cells& cells) {
    const auto at = [&](float v) { return static_cast<int>(std::lround(static_cast<double>(v) * scale_)); };
    const int x0 = at(cells.box.x), y0 = at(cells.box.y);
    const int width = std::max(1, at(cells.box.x + cells.box.w) - x0), height = std::max(1, at(cells.box.y + cells.box.h) - y0);
    const CellColors colors = colors_of(cells, theme_, height, width);
    const int gap = has_gap(cells) ? std::max(1, static_cast<int>(std::lround(static_cast<double>(cells.gap) * scale_))) : 0;
    const auto columns = places(width, colors.columns, gap), rows = places(height, colors.rows, gap);
    const Image image(width, height);
    if (!image.data) return;
    const double period = static_cast<double>(kHatchPeriod) * scale_, half = static_cast<double>(kHatchWidth) * scale_ / 2;
    for (int y = 0; y < height; ++y) {
      std::uint32_t* out = image.row(y);
      const std::int64_t r = rows[static_cast<std::size_t>(y)];
      for (int x = 0; x < width; ++x) {
        const std::int64_t k = columns[static_cast<std::size_t>(x)];
        if (r < 0 || k < 0) {
          out[x] = 0;
          continue;
        }
        const Color& cell = colors.at(r, k);
        if (cell.a >= 1) {
          out[x] = premultiplied(cell);
          continue;
        }
        // The distance to the nearest line's middle, measured across the line.
        const double along = std::fmod(x + y + 1.0, period), distance = std::min(along, period - along) / std::sqrt(2.0);
        Color hatch = theme_.masked_hatch;
        hatch.a = static_cast<float>(std::clamp(half + 0.5 - distance, 0.0, 1.0));
        out[x] = premultiplied(over(cell, over(hatch, theme_.masked)));
      }
    }
    cairo_surface_mark_dirty(image.surface.get());
    cairo_save(c_);
    cairo_identity_matrix(c_);
    cairo_set_source_surface(c_, image.surface.get(), x0, y0);
    cairo_pattern_set_filter(cairo_get_source(c_), CAIRO_FILTER_NEAREST);
    cairo_paint(c_);
    cairo_restore(c_);
  }

  void hatch(Box box) {
    // Hatches the area of the current path.
    color(theme_.masked);
    cairo_fill_preserve(c_);
    cairo_save(c_);
    cairo_clip(c_);
    const double x = static_cast<double>(box.x), y = static_cast<double>(box.y), w = static_cast<double>(box.w),
                 h = static_cast<double>(box.h);
    for (double sum = static_cast<double>(kHatchPeriod); sum < w + h; sum += static_cast<double>(kHatchPeriod)) {
      cairo_move_to(c_, x + sum, y);
      cairo_line_to(c_, x + sum - h, y + h);
    }
    color(theme_.masked_hatch);
    cairo_set_line_width(c_, static_cast<double>(kHatchWidth));
    cairo_stroke(c_);
    cairo_restore(c_);
  }

  void as_vectors(const Cells& cells) {
    const bool gap = has_gap(cells), masked = has_masked(cells);
    const double w = static_cast<double>(cells.box.w) / static_cast<double>(cells.columns),
                 h = static_cast<double>(cells.box.h) / static_cast<double>(cells.rows);
    const double x = static_cast<double>(cells.box.x), y = static_cast<double>(cells.box.y),
                 space = gap ? static_cast<double>(cells.gap) : 0;
    const bool single = cells.rows == 1 && cells.columns == 1;
    if ((gap || single) && cells.rows * cells.columns <= kMostRectangles) {
      const CellColors colors = colors_of(cells, theme_, cells.rows, cells.columns);
      const auto rectangle = [&](std::int64_t r, std::int64_t k) {
        cairo_rectangle(c_, x + static_cast<double>(k) * w, y + static_cast<double>(r) * h,
                        w - (k + 1 < cells.columns ? space : 0), h - (r + 1 < cells.rows ? space : 0));
      };
      for (std::int64_t r = 0; r < cells.rows; ++r) {
        for (std::int64_t k = 0; k < cells.columns; ++k) {
          if (colors.at(r, k).a <= 0) continue;
          rectangle(r, k);
          color(colors.at(r, k));
          cairo_fill(c_);
        }
      }
      if (!masked) return;
      cairo_new_path(c_);
      for (std::int64_t r = 0; r < cells.rows; ++r)
        for (std::int64_t k = 0; k < cells.columns; ++k)
          if (colors.at(r, k).a <= 0) rectangle(r, k);
      hatch(cells.box);
      return;
    }
    // One image, transparent where masked, over a hatched background: rectangles without gaps would show seams.
    const CellColors colors = colors_of(cells, theme_, kMostImageSide, kMostImageSide);
    if (masked) {
      path(cells.box, 0);
      hatch(cells.box);
    }
    const Image image(static_cast<int>(colors.columns), static_cast<int>(colors.rows));
    if (!image.data) return;
    for (std::int64_t r = 0; r < colors.rows; ++r)
      for (std::int64_t k = 0; k < colors.columns; ++k) image.row(static_cast<int>(r))[k] = premultiplied(colors.at(r, k));
    cairo_surface_mark_dirty(image.surface.get());
    cairo_save(c_);
    cairo_translate(c_, x, y);
    cairo_scale(c_, static_cast<double>(cells.box.w) / static_cast<double>(colors.columns),
                static_cast<double>(cells.box.h) / static_cast<double>(colors.rows));
    cairo_set_source_surface(c_, image.surface.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(c_), CAIRO_FILTER_NEAREST);
    cairo_paint(c_);
    cairo_restore(c_);
    if (!gap) return;
    for (std::int64_t k = 1; k < cells.columns; ++k)
      cairo_rectangle(c_, x + static_cast<double>(k) * w - space, y, space, static_cast<double>(cells.box.h));
    for (std::int64_t r = 1; r < cells.rows; ++r)
      cairo_rectangle(c_, x, y + static_cast<double>(r) * h - space, static_cast<double>(cells.box.w), space);
    color(theme_.background);
    cairo_fill(c_);
  }

  cairo_t* c_;
  const Theme& theme_;
  double scale_;
  FigureText text_;
};

}  // namespace

void paint(cairo_t* cairo, const Figure& figure, const Theme& theme, double pixels_per_point) {
  const Color& b = figure.background;
  if (b.a > 0) {
    cairo_set_source_rgba(cairo, static_cast<double>(b.r), static_cast<double>(b.g), static_cast<double>(b.b),
                          static_cast<double>(b.a));
    cairo_paint(cairo);
  }
  Painter painter(cairo, theme, pixels_per_point, figure.family);
  for (const Item& item : figure.items) std::visit(painter, item);
}

Error cairo_error(cairo_status_t status) {
  const ErrorKind kind = status == CAIRO_STATUS_NO_MEMORY ? ErrorKind::too_large : ErrorKind::internal;
  return failure(kind, "the picture could not be drawn: {}", cairo_status_to_string(status)).mend("make it smaller");
}

}  // namespace headlight::figures
