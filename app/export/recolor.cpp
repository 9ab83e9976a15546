#include "app/export/recolor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace headlight::figures {
namespace {

constexpr std::array kRoles{&Theme::background,    &Theme::panel,       &Theme::raised, &Theme::line,
                            &Theme::text,          &Theme::secondary,   &Theme::faint,  &Theme::selected,
                            &Theme::info,          &Theme::good,        &Theme::wrong,  &Theme::signed_low,
                            &Theme::signed_middle, &Theme::signed_high, &Theme::masked, &Theme::masked_hatch};

bool same(Color a, Color b) {
  constexpr float kStep = 0.5f / 255;
  return std::abs(a.r - b.r) < kStep && std::abs(a.g - b.g) < kStep && std::abs(a.b - b.b) < kStep;
}

bool is_ink(Color c) { return same(c, {0, 0, 0, 1}) || same(c, {1, 1, 1, 1}); }

class Recolor {
 public:
  Recolor(const Theme& from, const Theme& to, const Figure& figure) : from_(from), to_(to) {
    for (const Item& item : figure.items) {
      const auto* cells = std::get_if<Cells>(&item);
      if (cells && cells->rows > 0 && cells->columns > 0 && !cells->values.empty()) cells_.push_back(*cells);
    }
  }

  void color(Color& c) const {
    if (c.a <= 0) return;
    const auto become = [&](Color next) { c = {next.r, next.g, next.b, c.a}; };
    for (const auto role : kRoles)
      if (same(c, from_.*role)) return become(to_.*role);
    for (std::size_t i = 0; i < from_.hues.size(); ++i)
      if (same(c, from_.hues[i])) return become(to_.hues[i]);
    // Ink on one of these backgrounds, such as the letters on an amber chip.
    if (is_ink(c) && last_fill_.a > 0.5f) become(ink_on(last_fill_));
  }
  void operator()(Rectangle& r) {
    color(r.fill);
    color(r.stroke);
    if (r.fill.a > 0) last_fill_ = r.fill;
  }
  void operator()(Line& l) const { color(l.color); }
  void operator()(Curve& c) const { color(c.color); }
  void operator()(Disc& d) const { color(d.fill); }
  void operator()(Polygon& p) const {
    color(p.fill);
    color(p.stroke);
  }
  void operator()(Text& t) const {
    if (is_ink(t.color))
      if (const Color* ground = ground_of(t.at)) {
        const Color ink = ink_on(*ground);
        t.color = {ink.r, ink.g, ink.b, t.color.a};
        return;
      }
    color(t.color);
  }
  void operator()(Cells&) const {}
  void operator()(ColorBar&) const {}
  void operator()(Photo&) const {}

 private:
  // The colour, in the new theme, of the cell under a point; null: there is none.
  const Color* ground_of(Point at) const {
    for (const Cells& cells : cells_) {
      if (!cells.box.contains(at)) continue;
      const auto row = static_cast<std::int64_t>((at.y - cells.box.y) / cells.box.h * static_cast<float>(cells.rows));
      const auto column = static_cast<std::int64_t>((at.x - cells.box.x) / cells.box.w * static_cast<float>(cells.columns));
      const Colormap* map = colormaps().find(cells.colormap);
      if (!map) return nullptr;
      const float value =
          static_cast<float>(cells.values.at({cells.from_row + std::clamp<std::int64_t>(row, 0, cells.rows - 1),
                                              cells.from_column + std::clamp<std::int64_t>(column, 0, cells.columns - 1)}));
      const float range = cells.high > cells.low ? cells.high - cells.low : 1;
      ground_ = map->at((value - cells.low) / range, to_);
      return &ground_;
    }
    return nullptr;
  }

  const Theme &from_, &to_;
  std::vector<Cells> cells_;
  Color last_fill_{0, 0, 0, 0};
  mutable Color ground_;
};

}  // namespace

Figure recolored(Figure figure, const Theme& from, const Theme& to) {
  if (from.id == to.id) return figure;
  Recolor recolor(from, to, figure);
  recolor.color(figure.background);
  for (Item& item : figure.items) std::visit(recolor, item);
  return figure;
}

}  // namespace headlight::figures
