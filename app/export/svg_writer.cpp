#include "app/export/svg_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/export/cell_colors.h"
#include "app/export/figure_text.h"
#include "app/export/png_writer.h"
#include "engine/core/base64.h"
#include "engine/text/markup.h"

namespace headlight::figures {
namespace {

// If a figure has more cells than this, they are written as images: a rectangle for each would make the file slow to open.
constexpr std::int64_t kMostSvgRectangles = 20000;
constexpr std::int64_t kMostSvgImageSide = 4096;

// At most three decimals, without trailing zeros.
std::string number(double x) {
  char text[48];
  std::snprintf(text, sizeof text, "%.3f", x);
  std::string s = text;
  while (s.back() == '0') s.pop_back();
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}
std::string number(float x) { return number(static_cast<double>(x)); }

std::string hex(Color c) {
  const auto channel = [](float x) { return static_cast<unsigned>(std::lround(std::clamp(x, 0.0f, 1.0f) * 255)); };
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", channel(c.r), channel(c.g), channel(c.b));
  return text;
}

// Writes the two characters that JSON allows and XML forbids as JSON escapes.
std::string xml_safe_json(const std::string& json) {
  std::string out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json.compare(i, 3, "\xef\xbf\xbe") == 0 || json.compare(i, 3, "\xef\xbf\xbf") == 0) {
      out += json[i + 2] == '\xbe' ? "\\ufffe" : "\\uffff";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

class Writer {
 public:
  Writer(const Theme& theme, std::int64_t rectangles_left, std::string family)
      : theme_(theme), family_(std::move(family)), text_(family_), rectangles_left_(rectangles_left) {}

  std::string definitions, body;
  Status status;

  void operator()(const Rectangle& r) {
    if (r.fill.a <= 0 && (r.stroke.a <= 0 || r.line <= 0)) return;
    body += "<rect" + box(r.box);
    if (r.radius > 0) body += " rx=\"" + number(std::min({r.radius, r.box.w / 2, r.box.h / 2})) + "\"";
    body += r.fill.a > 0 ? paint("fill", r.fill) : " fill=\"none\"";
    if (r.stroke.a > 0 && r.line > 0) body += paint("stroke", r.stroke) + " stroke-width=\"" + number(r.line) + "\"";
    body += "/>\n";
  }
  void operator()(const Line& l) {
    body += "<line x1=\"" + number(l.from.x) + "\" y1=\"" + number(l.from.y) + "\" x2=\"" + number(l.to.x) + "\" y2=\"" +
            number(l.to.y) + "\"" + paint("stroke", l.color) + " stroke-width=\"" + number(l.width) + "\"/>\n";
  }
  void operator()(const Curve& c) {
    const auto point = [](Point p) { return number(p.x) + " " + number(p.y); };
    body += "<path d=\"M" + point(c.from) + " C" + point(c.control1) + " " + point(c.control2) + " " + point(c.to) +
            "\" fill=\"none\"" + paint("stroke", c.color) + " stroke-width=\"" + number(c.width) + "\"/>\n";
  }
  void operator()(const Disc& d) {
    body += "<circle cx=\"" + number(d.centre.x) + "\" cy=\"" + number(d.centre.y) + "\" r=\"" + number(d.radius) + "\"" +
            paint("fill", d.fill) + "/>\n";
  }
  void operator()(const Polygon& g) {
    if (g.points.size() < 3 || (g.fill.a <= 0 && (g.stroke.a <= 0 || g.line <= 0))) return;
    body += "<polygon points=\"";
    for (std::size_t i = 0; i < g.points.size(); ++i)
      body += (i ? " " : "") + number(g.points[i].x) + "," + number(g.points[i].y);
    body += "\"";
    body += g.fill.a > 0 ? paint("fill", g.fill) : " fill=\"none\"";
    if (g.stroke.a > 0 && g.line > 0) body += paint("stroke", g.stroke) + " stroke-width=\"" + number(g.line) + "\"";
    body += "/>\n";
  }
  void operator()(const Text& t) {
    const std::string shown = text_.fitted(t.text, t.size, t.font, t.max_width);
    if (shown.empty()) return;
    const float up = t.vertical == Align::start ? 0.0f : t.vertical == Align::middle ? 0.5f : 1.0f;
    const float baseline = t.at.y - up * text_.line_height(t.size, t.font) + text_.ascent(t.size, t.font);
    body += "<text x=\"" + number(t.at.x) + "\" y=\"" + number(baseline) + "\" font-family=\"" + css_families(t.font, family_) +
            "\" font-size=\"" + number(t.size) + "\"";
    if (t.font == Font::words_bold) body += " font-weight=\"600\"";
    if (t.horizontal != Align::start) body += t.horizontal == Align::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
    body += paint("fill", t.color);
    if (t.rotation != 0)
      body += " transform=\"rotate(" + number(-t.rotation) + " " + number(t.at.x) + " " + number(t.at.y) + ")\"";
    body += ">" + text::escaped_markup(shown) + "</text>\n";
  }
  void operator()(const ColorBar& bar) {
    const Colormap* map = colormaps().find(bar.colormap);
    if (!map) return;
    const std::string id = "bar" + std::to_string(++bars_);
    definitions += "<linearGradient id=\"" + id + "\"" +
                   (bar.vertical ? " x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\"" : " x1=\"0\" y1=\"0\" x2=\"1\" y2=\"0\"") + ">";
    for (int i = 0; i <= 64; ++i)
      definitions +=
          "<stop offset=\"" + number(i / 64.0) + "\" stop-color=\"" + hex(map->at(static_cast<float>(i) / 64, theme_)) + "\"/>";
    definitions += "</linearGradient>\n";
    body += "<rect" + box(bar.box) + " fill=\"url(#" + id + ")\"/>\n";
  }
  void operator()(const Photo& photo) {
    if (photo.rgba.empty()) return;
    Pixels pixels;
    pixels.width = static_cast<int>(photo.rgba.dim(1));
    pixels.height = static_cast<int>(photo.rgba.dim(0));
    const std::uint8_t* in = photo.rgba.data<std::uint8_t>();
    pixels.rgba.assign(in, in + photo.rgba.count());
    add_image(photo.box, pixels, photo.smooth);
  }
  void operator()(const Cells& cells) {
    if (cells.rows < 1 || cells.columns < 1 || cells.values.empty() || cells.box.w <= 0 || cells.box.h <= 0) return;
    const bool masked = has_masked(cells);
    if (masked && !has_hatch_) {
      has_hatch_ = true;
      const std::string p = number(kHatchPeriod);
      // Lines where x + y is a multiple of the period: the diagonal of the tile and the corners of its neighbours' lines.
      const float h = kHatchPeriod;
      definitions += "<pattern id=\"masked\" patternUnits=\"userSpaceOnUse\" width=\"" + p + "\" height=\"" + p +
                     "\"><rect width=\"" + p + "\" height=\"" + p + "\" fill=\"" + hex(theme_.masked) + "\"/><path d=\"M" +
                     number(-h / 2) + " " + number(h / 2) + " L" + number(h / 2) + " " + number(-h / 2) + " M0 " + p + " L" + p +
                     " 0 M" + number(h / 2) + " " + number(1.5f * h) + " L" + number(1.5f * h) + " " + number(h / 2) +
                     "\" stroke=\"" + hex(theme_.masked_hatch) + "\" stroke-width=\"" + number(kHatchWidth) + "\"/></pattern>\n";
    }
    const bool gap = has_gap(cells);
    if (cells.rows * cells.columns <= rectangles_left_) {
      rectangles_left_ -= cells.rows * cells.columns;
      as_rectangles(cells, gap ? cells.gap : 0);
    } else {
      as_image(cells, gap, masked);
    }
  }

 private:
  static std::string box(Box b) {
    return " x=\"" + number(b.x) + "\" y=\"" + number(b.y) + "\" width=\"" + number(b.w) + "\" height=\"" + number(b.h) + "\"";
  }
  static std::string paint(const char* what, Color c) {
    std::string s = std::string(" ") + what + "=\"" + hex(c) + "\"";
    if (c.a < 1) s += std::string(" ") + what + "-opacity=\"" + number(c.a) + "\"";
    return s;
  }

  void as_rectangles(const Cells& cells, float gap) {
    const CellColors colors = colors_of(cells, theme_, cells.rows, cells.columns);
    const float w = cells.box.w / static_cast<float>(cells.columns), h = cells.box.h / static_cast<float>(cells.rows);
    // Without gaps, edges are aligned to pixels so that the background does not show between the cells.
    body += gap > 0 ? "<g>\n" : "<g shape-rendering=\"crispEdges\">\n";
    for (std::int64_t r = 0; r < cells.rows; ++r) {
      for (std::int64_t c = 0; c < cells.columns; ++c) {
        const Color& color = colors.at(r, c);
        const Box place{cells.box.x + static_cast<float>(c) * w, cells.box.y + static_cast<float>(r) * h,
                        w - (c + 1 < cells.columns ? gap : 0), h - (r + 1 < cells.rows ? gap : 0)};
        body += "<rect" + box(place) + " fill=\"" + (color.a > 0 ? hex(color) : "url(#masked)") + "\"/>\n";
      }
    }
    body += "</g>\n";
  }

  void add_image(Box place, const Pixels& pixels, bool smooth) {
    Result<std::string> png = encode_png(pixels, {});
    if (!png.ok()) {
      status = png.error();
      return;
    }
    body += "<image" + box(place) + " preserveAspectRatio=\"none\" " +
            (smooth ? "" : "image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\" ") +
            "xlink:href=\"data:image/png;base64," + to_base64(*png) + "\"/>\n";
  }
  void as_image(const Cells& cells, bool gap, bool masked) {
    const CellColors colors = colors_of(cells, theme_, kMostSvgImageSide, kMostSvgImageSide);
    Pixels pixels;
    pixels.width = static_cast<int>(colors.columns);
    pixels.height = static_cast<int>(colors.rows);
    pixels.rgba.reserve(colors.colors.size() * 4);
    for (const Color& c : colors.colors)
      for (const float x : {c.r, c.g, c.b, c.a})
        pixels.rgba.push_back(static_cast<std::uint8_t>(std::lround(std::clamp(x, 0.0f, 1.0f) * 255)));
    if (masked) body += "<rect" + box(cells.box) + " fill=\"url(#masked)\"/>\n";
    add_image(cells.box, pixels, false);
    if (!gap) return;
    const float w = cells.box.w / static_cast<float>(cells.columns), h = cells.box.h / static_cast<float>(cells.rows);
    body += "<g fill=\"" + hex(theme_.background) + "\">\n";
    for (std::int64_t c = 1; c < cells.columns; ++c) {
      body += "<rect" + box({cells.box.x + static_cast<float>(c) * w - cells.gap, cells.box.y, cells.gap, cells.box.h}) + "/>\n";
    }
    for (std::int64_t r = 1; r < cells.rows; ++r) {
      body += "<rect" + box({cells.box.x, cells.box.y + static_cast<float>(r) * h - cells.gap, cells.box.w, cells.gap}) + "/>\n";
    }
    body += "</g>\n";
  }

  const Theme& theme_;
  std::string family_;
  FigureText text_;
  std::int64_t rectangles_left_;
  int bars_ = 0;
  bool has_hatch_ = false;
};

// A side of the file, of this many points, in the unit that was chosen: "84mm".
std::string side(float points, Length::Unit unit) {
  const double one = Length{unit, 1}.points();
  return number(static_cast<double>(points) / one) + name_of(unit);
}

}  // namespace

Result<std::string> svg_of(const Figure& figure, const Theme& theme, const std::string& document, Length::Unit unit) {
  Writer writer(theme, kMostSvgRectangles, figure.family);
  for (const Item& item : figure.items) std::visit(writer, item);
  HL_TRY(writer.status);
  const std::string w = number(figure.width), h = number(figure.height);
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"" +
      side(figure.width, unit) + "\" height=\"" + side(figure.height, unit) + "\" viewBox=\"0 0 " + w + " " + h +
      "\" xml:space=\"preserve\">\n";
  if (!figure.title.empty()) out += "<title>" + text::escaped_markup(printable(figure.title)) + "</title>\n";
  if (!document.empty()) {
    out += "<metadata><headlight:document xmlns:headlight=\"urn:headlight:document\">" +
           text::escaped_markup(xml_safe_json(document)) + "</headlight:document></metadata>\n";
  }
  if (!writer.definitions.empty()) out += "<defs>\n" + writer.definitions + "</defs>\n";
  if (figure.background.a > 0)
    out += "<rect width=\"" + w + "\" height=\"" + h + "\" fill=\"" + hex(figure.background) + "\"/>\n";
  return out + writer.body + "</svg>\n";
}

}  // namespace headlight::figures
