#include "app/export/pager.h"

#include <algorithm>

#include "app/text/language.h"
#include "engine/core/sorting.h"

namespace headlight::figures {
namespace {

struct MarkSpan {
  float top = 0, bottom = 0;
};

// The vertical extent of an item on the page.
struct Reach {
  const TextMeasure& measure;
  MarkSpan operator()(const Rectangle& r) const { return {r.box.y, r.box.y + r.box.h}; }
  MarkSpan operator()(const Line& l) const { return {std::min(l.from.y, l.to.y), std::max(l.from.y, l.to.y)}; }
  MarkSpan operator()(const Curve& c) const {
    const auto [low, high] = std::minmax({c.from.y, c.control1.y, c.control2.y, c.to.y});
    return {low, high};
  }
  MarkSpan operator()(const Disc& d) const { return {d.centre.y - d.radius, d.centre.y + d.radius}; }
  MarkSpan operator()(const Polygon& p) const {
    MarkSpan span{p.points.empty() ? 0 : p.points[0].y, p.points.empty() ? 0 : p.points[0].y};
    for (const Point& corner : p.points) span = {std::min(span.top, corner.y), std::max(span.bottom, corner.y)};
    return span;
  }
  MarkSpan operator()(const Text& t) const {
    const float height = measure.line_height(t.size, t.font);
    const float up = t.vertical == Align::start ? 0.0f : t.vertical == Align::middle ? 0.5f : 1.0f;
    if (t.rotation != 0) {
      const float reach = std::max(height, measure.width(t.text, t.size, t.font));
      return {t.at.y - reach, t.at.y + reach};
    }
    return {t.at.y - up * height, t.at.y + (1 - up) * height};
  }
  MarkSpan operator()(const Cells& c) const { return {c.box.y, c.box.y + c.box.h}; }
  MarkSpan operator()(const ColorBar& b) const { return {b.box.y, b.box.y + b.box.h}; }
  MarkSpan operator()(const Photo& p) const { return {p.box.y, p.box.y + p.box.h}; }
};

// The lowest cut at or above `most` that divides no item; 0 if there is none.
float cut_above(const Figure& figure, float most, const TextMeasure& measure) {
  std::vector<MarkSpan> spans;
  for (const Item& item : figure.items) spans.push_back(std::visit(Reach{measure}, item));
  sort_stably(spans, [](const MarkSpan& a, const MarkSpan& b) { return a.top < b.top; });
  float cut = 0, reached = 0;
  for (const MarkSpan& span : spans) {
    if (span.top > most) break;
    if (span.top >= reached) cut = span.top;
    reached = std::max(reached, span.bottom);
  }
  return reached <= most ? most : cut;
}

}  // namespace

void Pager::new_page() {
  Figure page;
  page.width = kWidth;
  page.height = kHeight;
  page.background = theme_.background;
  pages_.push_back(std::move(page));
  y_ = kMargin;
}

void Pager::heading(const std::string& words, float with) {
  if (room() < with + 48) new_page();
  if (y_ > kMargin) y_ += 22;
  Composer{pages_.back(), theme_, measure_}.text(kMargin, y_ + 12, words, 18, Font::words_bold, theme_.text, Align::start,
                                                 kInner);
  y_ += 34;
}

void Pager::words(const std::string& text, float size, Font font, Color color, float indent) {
  const float line = size * 1.45f;
  for (const std::string& part : wrap(text, kInner - indent, size, font, measure_)) {
    if (room() < line) new_page();
    Composer{pages_.back(), theme_, measure_}.text(kMargin + indent, y_ + line / 2, part, size, font, color);
    y_ += line;
  }
}

void Pager::entry(const std::string& name, const std::string& value) {
  constexpr float kNames = 190, kSize = 13, kLine = 20;
  std::vector<std::string> lines = wrap(value, kInner - kNames, kSize, Font::words, measure_);
  if (lines.empty()) lines.emplace_back();
  if (room() < kLine * std::min<float>(3, static_cast<float>(lines.size()))) new_page();
  Composer{pages_.back(), theme_, measure_}.text(kMargin, y_ + kLine / 2, name, kSize, Font::words, theme_.secondary,
                                                 Align::start, kNames - 12);
  for (const std::string& line : lines) {
    if (room() < kLine) new_page();
    Composer{pages_.back(), theme_, measure_}.text(kMargin + kNames, y_ + kLine / 2, line, kSize, Font::words, theme_.text);
    y_ += kLine;
  }
}

void Pager::rule() {
  Composer{pages_.back(), theme_, measure_}.line({kMargin, y_ + 8}, {kMargin + kInner, y_ + 8}, theme_.line);
  y_ += 20;
}

void Pager::place(Figure figure) {
  move(figure, kMargin, y_);
  y_ += figure.height;
  auto& items = pages_.back().items;
  items.insert(items.end(), std::make_move_iterator(figure.items.begin()), std::make_move_iterator(figure.items.end()));
}

void Pager::figure(Figure figure) {
  const float page = kHeight - 2 * kMargin - kFooter;
  if (figure.height > room() && figure.height <= page) new_page();
  while (figure.height > room()) {
    const float cut = cut_above(figure, room(), measure_);
    if (cut <= 0) {
      if (y_ <= kMargin) break;  // an item is higher than a page: it overlaps the foot
      new_page();
      continue;
    }
    Figure top, rest;
    const float middle = cut - 0.01f;
    for (Item& item : figure.items)
      (std::visit(Reach{measure_}, item).top < middle ? top : rest).items.push_back(std::move(item));
    top.height = cut;
    place(std::move(top));
    new_page();
    rest.height = figure.height - cut;
    move(rest, 0, -cut);
    figure = std::move(rest);
  }
  place(std::move(figure));
}

std::vector<Figure> Pager::finish(const std::string& title) {
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    const Composer pen{pages_[i], theme_, measure_};
    const float y = kHeight - kMargin / 2 - 8;
    pen.line({kMargin, y - 14}, {kMargin + kInner, y - 14}, theme_.line);
    pen.text(kMargin, y, title, 12, Font::words, theme_.secondary, Align::start, kInner - 90);
    pen.text(kMargin + kInner, y, fill(tr("page {} of {}"), {std::to_string(i + 1), std::to_string(pages_.size())}), 12,
             Font::words, theme_.secondary, Align::end);
    pages_[i].title = title;
  }
  return std::move(pages_);
}

}  // namespace headlight::figures
