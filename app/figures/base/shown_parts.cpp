#include "app/figures/base/shown_parts.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/figures/base/compose.h"
#include "engine/core/sorting.h"

namespace headlight::figures {
namespace {

// The box around points, which grows with each.
struct Bounds {
  float left = 0, top = 0, right = 0, bottom = 0;
  bool any = false;

  void add(Point p) {
    left = any ? std::min(left, p.x) : p.x;
    top = any ? std::min(top, p.y) : p.y;
    right = any ? std::max(right, p.x) : p.x;
    bottom = any ? std::max(bottom, p.y) : p.y;
    any = true;
  }
  void add(Box b) {
    add(Point{b.x, b.y});
    add(Point{b.x + b.w, b.y + b.h});
  }
  void add(const Bounds& other) {
    if (!other.any) return;
    add(Point{other.left, other.top});
    add(Point{other.right, other.bottom});
  }
};

float share_of(Align align) { return align == Align::start ? 0.0f : align == Align::middle ? 0.5f : 1.0f; }

// What an item covers; nothing of items that only answer the mouse.
struct Covered {
  const TextMeasure& measure;

  Bounds operator()(const Rectangle& r) const {
    Bounds b;
    if (r.fill.a > 0 || (r.stroke.a > 0 && r.line > 0)) b.add(r.box);
    return b;
  }
  Bounds operator()(const Line& l) const {
    Bounds b;
    b.add(l.from);
    b.add(l.to);
    return b;
  }
  Bounds operator()(const Curve& c) const {  // it stays between its four points
    Bounds b;
    for (const Point p : {c.from, c.control1, c.control2, c.to}) b.add(p);
    return b;
  }
  Bounds operator()(const Disc& d) const {
    Bounds b;
    b.add(Box{d.centre.x - d.radius, d.centre.y - d.radius, 2 * d.radius, 2 * d.radius});
    return b;
  }
  Bounds operator()(const Polygon& p) const {
    Bounds b;
    for (const Point corner : p.points) b.add(corner);
    return b;
  }
  Bounds operator()(const Text& t) const {
    Bounds b;
    if (t.text.empty()) return b;
    float wide = measure.width(t.text, t.size, t.font);
    if (t.max_width > 0) wide = std::min(wide, t.max_width);
    const float high = measure.line_height(t.size, t.font);
    const float x = -share_of(t.horizontal) * wide, y = -share_of(t.vertical) * high;
    const float angle = t.rotation * 3.14159265f / 180, c = std::cos(angle), s = std::sin(angle);
    for (const Point p : {Point{x, y}, {x + wide, y}, {x, y + high}, {x + wide, y + high}})
      b.add(Point{t.at.x + p.x * c + p.y * s, t.at.y - p.x * s + p.y * c});
    return b;
  }
  Bounds operator()(const Cells& c) const {
    Bounds b;
    if (c.rows > 0 && c.columns > 0) b.add(c.box);
    return b;
  }
  Bounds operator()(const ColorBar& bar) const {
    Bounds b;
    b.add(bar.box);
    return b;
  }
  Bounds operator()(const Photo& photo) const {
    Bounds b;
    b.add(photo.box);
    return b;
  }
};

bool is_shown(Part part, const ShownParts& shown) {
  switch (part) {
    case Part::title: return shown.title;
    case Part::axis: return shown.axes;
    case Part::number: return shown.numbers;
    case Part::legend: return shown.legend;
    case Part::caption: return shown.caption;
    case Part::note: return shown.note;
    case Part::picture:
    case Part::predicted: break;
  }
  return true;
}

using Interval = std::pair<float, float>;  // from top to bottom

std::vector<Interval> merged(std::vector<Interval> list) {
  sort_stably(list);
  std::vector<Interval> out;
  for (const Interval& one : list) {
    if (!out.empty() && one.first <= out.back().second)
      out.back().second = std::max(out.back().second, one.second);
    else
      out.push_back(one);
  }
  return out;
}

// The parts of the removed lines that nothing else stands in.
std::vector<Interval> freed(const std::vector<Interval>& removed, const std::vector<Interval>& kept) {
  std::vector<Interval> out;
  for (Interval line : removed) {
    for (const Interval& item : kept) {
      if (item.second <= line.first || item.first >= line.second) continue;
      if (item.first > line.first) out.emplace_back(line.first, item.first);
      line.first = std::max(line.first, item.second);
      if (line.first >= line.second) break;
    }
    if (line.first < line.second) out.push_back(line);
  }
  return out;
}

float freed_above(const std::vector<Interval>& lines, float y) {
  float sum = 0;
  for (const Interval& line : lines) sum += std::clamp(y - line.first, 0.0f, line.second - line.first);
  return sum;
}

float top_of(const Item& item, const Bounds& covered) {
  if (covered.any) return covered.top;
  const auto* hit = std::get_if<Rectangle>(&item);
  return hit ? hit->box.y : 0;
}

}  // namespace

Part part_of(const Item& item, const Figure& figure) {
  return std::visit(
      [&](const auto& one) {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, Line>) {
          return Part::picture;
        } else {
          if constexpr (std::is_same_v<T, Text>)
            if (one.tag.part == Part::picture && one.font == Font::words_bold && !figure.title.empty() &&
                one.text == figure.title)
              return Part::title;
          return one.tag.part;
        }
      },
      item);
}

Box seen_box(const Item& item, const TextMeasure& measure) {
  const Bounds b = std::visit(Covered{measure}, item);
  return {b.left, b.top, b.right - b.left, b.bottom - b.top};
}

Box seen_box(const Figure& figure, const TextMeasure& measure) {
  Bounds all;
  for (const Item& item : figure.items) all.add(std::visit(Covered{measure}, item));
  return {all.left, all.top, all.right - all.left, all.bottom - all.top};
}

Figure with_parts(Figure figure, const ShownParts& shown, const TextMeasure& measure) {
  if (shown == ShownParts()) return figure;
  const Box before = seen_box(figure, measure);
  std::vector<Item> items;
  std::vector<Bounds> covered;
  std::vector<Interval> removed, kept;
  for (Item& item : figure.items) {
    const Bounds b = std::visit(Covered{measure}, item);
    if (!is_shown(part_of(item, figure), shown)) {
      if (b.any) removed.emplace_back(b.top, b.bottom);
      continue;
    }
    if (b.any) kept.emplace_back(b.top, b.bottom);
    covered.push_back(b);
    items.push_back(std::move(item));
  }
  figure.items = std::move(items);
  if (removed.empty()) return figure;
  const std::vector<Interval> lines = freed(merged(std::move(removed)), merged(std::move(kept)));
  for (std::size_t i = 0; i < figure.items.size(); ++i)
    moved(figure.items[i], 0, -freed_above(lines, top_of(figure.items[i], covered[i])));
  const Box after = seen_box(figure, measure);
  const float right = figure.width - before.x - before.w, below = figure.height - before.y - before.h;
  move(figure, before.x - after.x, before.y - after.y);
  figure.width = before.x + after.w + std::max(0.0f, right);
  figure.height = before.y + after.h + std::max(0.0f, below);
  return figure;
}

Figure with_heading(Figure figure, const std::string& words, const Theme& theme, const TextMeasure& measure) {
  if (words.empty()) return figure;
  constexpr float kSize = 18, kBelow = 6;
  const Box seen = seen_box(figure, measure);
  const float margin = std::max(4.0f, seen.y), line = measure.line_height(kSize, Font::words_bold);
  const float wide = figure.width - 2 * seen.x;
  const std::vector<std::string> lines = wrap(words, std::max(40.0f, wide), kSize, Font::words_bold, measure);
  const float room = line * static_cast<float>(lines.size()) + kBelow;
  move(figure, 0, room);
  figure.height += room;
  float y = margin + line / 2;
  for (const std::string& one : lines) {
    Text t = text_at(one, {seen.x, y}, kSize, Font::words_bold, theme.text);
    t.tag = kTitleTag;
    figure.add(std::move(t));
    y += line;
  }
  return figure;
}

Figure with_caption(Figure figure, const std::string& words, const Theme& theme, const TextMeasure& measure) {
  if (words.empty()) return figure;
  constexpr float kSize = 13, kAbove = 4;
  const Box seen = seen_box(figure, measure);
  const float margin = figure.height - seen.y - seen.h, line = measure.line_height(kSize, Font::words) + 2;
  const std::vector<std::string> lines = wrap(words, std::max(40.0f, figure.width - 2 * seen.x), kSize, Font::words, measure);
  float y = seen.y + seen.h + kAbove + line / 2;
  for (const std::string& one : lines) {
    Text t = text_at(one, {seen.x, y}, kSize, Font::words, theme.secondary);
    t.tag.part = Part::caption;
    figure.add(std::move(t));
    y += line;
  }
  figure.height = y - line / 2 + margin;
  return figure;
}

}  // namespace headlight::figures
