#include "app/views/values/ledger_plane_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "engine/core/sorting.h"

namespace headlight::figures {
namespace {

using Vector = std::vector<float>;
constexpr float kPlaneName = 13;
constexpr std::size_t kNamed = 7;

double along(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

// Without its part along the unit vector `u`, at length 1; empty: nothing is left.
Vector across(const Vector& a, const Vector& u) {
  Vector rest = a;
  const double part = along(a, u);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= static_cast<float>(part * static_cast<double>(u[i]));
  const double length = std::sqrt(along(rest, rest));
  if (!(length > 1e-5 * std::sqrt(along(a, a)) + 1e-12)) return {};
  for (float& x : rest) x = static_cast<float>(static_cast<double>(x) / length);
  return rest;
}

bool is_added(const LedgerInput::Row& row) { return row.sign == "+"; }

}  // namespace

LedgerPlane ledger_plane_of(const LedgerInput& input) {
  LedgerPlane plane;
  const auto& rows = input.rows;
  if (rows.size() < 2 || !rows.back().total) return plane;
  // E before: the first total but sums of parts. A row that takes something away has no place in a chain.
  const auto before = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row.total && row.sign != "Σ"; });
  if (before == rows.end() || before + 1 == rows.end()) return plane;
  if (std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.sign == "−"; })) return plane;
  const auto from = static_cast<std::size_t>(before - rows.begin());
  const Vector u = across(rows[from].vector, Vector(rows[from].vector.size(), 0));
  if (u.empty()) return plane;
  Vector v = across(rows.back().vector, u);
  if (v.empty()) {
    std::size_t longest = from;
    for (std::size_t i = from + 1; i < rows.size(); ++i)
      if (is_added(rows[i]) && (longest == from || rows[i].length > rows[longest].length)) longest = i;
    if (longest != from) v = across(rows[longest].vector, u);
  }
  if (v.empty()) return plane;
  const auto arrow = [&](std::size_t row, double x, double y, bool total) {
    plane.arrows.push_back({row, x, y, x + along(rows[row].vector, u), y + along(rows[row].vector, v), total});
  };
  arrow(from, 0, 0, true);
  double x = plane.arrows.front().x1, y = plane.arrows.front().y1, inside = 0, whole = 0;
  for (std::size_t i = from + 1; i + 1 < rows.size(); ++i) {
    if (!is_added(rows[i])) continue;
    arrow(i, x, y, false);
    const PlaneArrow& last = plane.arrows.back();
    inside += (last.x1 - x) * (last.x1 - x) + (last.y1 - y) * (last.y1 - y);
    whole += along(rows[i].vector, rows[i].vector);
    x = last.x1;
    y = last.y1;
  }
  if (plane.arrows.size() < 2) {
    plane.arrows.clear();
    return plane;
  }
  arrow(rows.size() - 1, 0, 0, true);
  plane.share = whole > 0 ? inside / whole : 1;
  return plane;
}

Figure ledger_plane(const LedgerInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.height = height;
  figure.title = tr("The sum as arrows");
  const Composer pen{figure, theme, measure};
  const LedgerPlane plane = ledger_plane_of(input);
  if (plane.arrows.empty()) {
    pen.text(0, 12, tr("Here nothing is added to what was there, so there is no chain of arrows."), 14, Font::words,
             theme.secondary, Align::start, width);
    return figure;
  }
  char share[16];
  std::snprintf(share, sizeof share, "%.0f %%", 100 * plane.share);
  const float text_line = measure.line_height(kPlaneName, Font::words);
  const std::vector<std::string> words = wrap(
      fill(tr("The plane of E before and E after, which lie in it whole. {} of what is added lies in it, too; what each arrow "
              "loses beside it, the others take back."),
           {share}),
      width, kPlaneName, Font::words, measure);
  const float note = text_line * static_cast<float>(words.size()) + 8;
  double low_x = 0, high_x = 0, low_y = 0, high_y = 0;
  for (const PlaneArrow& a : plane.arrows) {
    low_x = std::min({low_x, a.x0, a.x1});
    high_x = std::max({high_x, a.x0, a.x1});
    low_y = std::min({low_y, a.y0, a.y1});
    high_y = std::max({high_y, a.y0, a.y1});
  }
  const float margin = 28, room_w = width - 2 * margin, room_h = height - 2 * margin - note;
  const double wide = std::max(high_x - low_x, 1e-9), high = std::max(high_y - low_y, 1e-9);
  const double unit = std::min(static_cast<double>(room_w) / wide, static_cast<double>(room_h) / high);
  const float left = margin + (room_w - static_cast<float>(wide * unit)) / 2;
  const float top = margin + (room_h - static_cast<float>(high * unit)) / 2;
  const auto at = [&](double x, double y) {
    return Point{left + static_cast<float>((x - low_x) * unit), top + static_cast<float>((high_y - y) * unit)};
  };
  figure.add(Disc{at(0, 0), 3.5f, theme.secondary, {}});
  const auto color_of_arrow = [&](const PlaneArrow& a) {
    const LedgerInput::Row& row = input.rows[a.row];
    if (a.total) return a.row + 1 == input.rows.size() ? theme.selected : theme.text;
    return row.hue >= 0 ? theme.hues[static_cast<std::size_t>(row.hue) % theme.hues.size()] : theme.info;
  };
  const auto draw = [&](const PlaneArrow& a) {
    const Point from = at(a.x0, a.y0), to = at(a.x1, a.y1);
    const float length = std::hypot(to.x - from.x, to.y - from.y), line = a.total ? 2.4f : 1.8f;
    const Color color = color_of_arrow(a);
    const bool lit = static_cast<std::int64_t>(a.row) == input.current || static_cast<std::int64_t>(a.row) == input.hot;
    pen.line(from, to, a.total ? with_alpha(color, 0.75f) : color, lit ? line + 1.4f : line);
    if (length > 5) {
      const float dx = (to.x - from.x) / length, dy = (to.y - from.y) / length, head = std::min(9.0f, length * 0.6f);
      Polygon tip;
      tip.points = {to,
                    {to.x - dx * head - dy * head * 0.5f, to.y - dy * head + dx * head * 0.5f},
                    {to.x - dx * head + dy * head * 0.5f, to.y - dy * head - dx * head * 0.5f}};
      tip.fill = color;
      figure.add(std::move(tip));
    }
    pen.box({std::min(from.x, to.x) - 4, std::min(from.y, to.y) - 4, std::abs(to.x - from.x) + 8, std::abs(to.y - from.y) + 8},
            {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::row, static_cast<std::int64_t>(a.row), 0});
  };
  for (const bool total : {true, false})
    for (const PlaneArrow& a : plane.arrows)
      if (a.total == total) draw(a);
  // Names beside the arrows: the totals, then the longest; none over another, nor over an arrow.
  std::vector<std::size_t> order(plane.arrows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto length_of = [&](std::size_t i) {
    const PlaneArrow& a = plane.arrows[i];
    return (a.total ? 1e6 : 0) + std::hypot(a.x1 - a.x0, a.y1 - a.y0);
  };
  sort_stably(order, [&](std::size_t a, std::size_t b) { return length_of(a) > length_of(b); });
  const auto is_crossed = [&](const Box& box) {
    constexpr int kSteps = 128;
    return std::any_of(plane.arrows.begin(), plane.arrows.end(), [&](const PlaneArrow& a) {
      for (int i = 0; i <= kSteps; ++i) {
        const double share = static_cast<double>(i) / kSteps;
        const Point p = at(a.x0 + share * (a.x1 - a.x0), a.y0 + share * (a.y1 - a.y0));
        if (p.x > box.x && p.x < box.x + box.w && p.y > box.y && p.y < box.y + box.h) return true;
      }
      return false;
    });
  };
  const auto overlap = [](const Box& one, const Box& other) {
    return one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;
  };
  std::vector<Box> taken;
  for (std::size_t n = 0; n < std::min(order.size(), kNamed + 2); ++n) {
    const PlaneArrow& a = plane.arrows[order[n]];
    const std::string& name = input.rows[a.row].name;
    const float w = measure.width(name, kPlaneName, Font::words);
    const Point from = at(a.x0, a.y0), to = at(a.x1, a.y1);
    const float length = std::max(1.0f, std::hypot(to.x - from.x, to.y - from.y));
    const float nx = -(to.y - from.y) / length, ny = (to.x - from.x) / length;
    const float away = std::abs(nx) * (w / 2 + 4) + std::abs(ny) * text_line / 2 + 5;
    const auto place = [&](float share, float side) {
      const float x = from.x + share * (to.x - from.x) + side * away * nx,
                  y = from.y + share * (to.y - from.y) + side * away * ny;
      const Box box{x - w / 2 - 2, y - text_line / 2, w + 4, text_line};
      if (box.x < 0 || box.x + box.w > width || box.y < 0 || box.y + box.h > height - note || is_crossed(box)) return false;
      if (std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return overlap(box, other); })) return false;
      taken.push_back(box);
      pen.text(box.x + 2, y, name, kPlaneName, Font::words, color_of_arrow(a));
      return true;
    };
    bool done = false;
    for (const float share : {0.5f, 0.75f, 0.25f, 1.0f})
      for (const float side : {-1.0f, 1.0f}) done = done || place(share, side);
  }
  float y = height - note + 8 + text_line / 2;
  for (const std::string& one : words) {
    pen.text(0, y, one, kPlaneName, Font::words, theme.secondary, Align::start, width, kNoteTag);
    y += text_line;
  }
  std::vector<double> numbers;
  for (const PlaneArrow& a : plane.arrows) numbers.insert(numbers.end(), {a.x0, a.y0, a.x1, a.y1});
  figure.data.push_back(
      {"arrows", Tensor::of(numbers, {static_cast<std::int64_t>(plane.arrows.size()), 4}), {"arrow", "end"}, {}});
  return figure;
}

}  // namespace headlight::figures
