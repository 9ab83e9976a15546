#include "app/figures/base/compose.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "app/figures/base/non_finite.h"

namespace headlight::figures {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Appends `word` to the lines, cut into pieces that fit.
void cut_long(std::string word, float width, float size, Font font, const TextMeasure& measure, std::vector<std::string>& lines) {
  while (measure.width(word, size, font) > width) {
    std::size_t keep = word.size();
    while (keep > 1 && (keep == word.size() || continues_character(word[keep]) ||
                        measure.width(std::string_view(word).substr(0, keep), size, font) > width))
      --keep;
    while (keep < word.size() && continues_character(word[keep])) ++keep;  // at least one whole character per line
    if (keep >= word.size()) break;
    lines.push_back(word.substr(0, keep));
    word.erase(0, keep);
  }
  lines.push_back(std::move(word));
}

}  // namespace

Text text_at(std::string words, Point at, float size, Font font, Color color) {
  Text text;
  text.text = std::move(words);
  text.at = at;
  text.size = size;
  text.font = font;
  text.color = color;
  return text;
}

void Composer::text(float x, float y, std::string words, float size, Font font, Color color, Align horizontal, float max_width,
                    Tag tag) const {
  Text item = text_at(std::move(words), {x, y}, size, font, color);
  item.horizontal = horizontal;
  item.max_width = max_width;
  item.tag = tag;
  figure.items.emplace_back(std::move(item));
}

void Composer::box(Box box, Color fill, Color stroke, float line, float radius, Tag tag) const {
  figure.items.emplace_back(Rectangle{box, fill, stroke, line, radius, tag});
}

void Composer::heading(const std::string& title, const std::string& quiet, float size) const {
  constexpr float kQuiet = 13, kBetween = 16;
  text(0, 11, title, size, Font::words_bold, theme.text, Align::start, figure.width);
  const float wide = measure.width(title, size, Font::words_bold) + kBetween + measure.width(quiet, kQuiet, Font::words);
  if (!quiet.empty() && wide < figure.width) text(figure.width, 12, quiet, kQuiet, Font::words, theme.secondary, Align::end);
}

void Composer::line(Point from, Point to, Color color, float width) const {
  figure.items.emplace_back(Line{from, to, color, width});
}

void Composer::bar(Box track, double share, Color color) const {
  // The corners are only slightly rounded, so that even short bars have the length of their number.
  const float round = track.h < 6 ? track.h / 2 : 3;
  if (const NonFinite kind = non_finite(share); kind != NonFinite::none)
    return box(track, color_of(kind), {0, 0, 0, 0}, 0, round, {Tag::gap, static_cast<std::int64_t>(kind), 1});
  box(track, theme.raised, {0, 0, 0, 0}, 0, round);
  const float filled = track.w * static_cast<float>(share < 0 ? 0 : share > 1 ? 1 : share);
  if (filled < 0.5f) return;
  const float wide = filled < 1 ? 1 : filled;
  box({track.x, track.y, wide, track.h}, color, {0, 0, 0, 0}, 0, wide < 2 * round ? wide / 2 : round);
}

void add_cells(Figure& figure, Cells cells, const Theme& theme) {
  const Colormap* map = colormaps().find(cells.colormap);
  if (map && map->is_signed) {
    const float edge = cells.gap > 0 ? cells.gap : 1;
    const Box& box = cells.box;
    figure.items.emplace_back(
        Rectangle{{box.x - edge, box.y - edge, box.w + 2 * edge, box.h + 2 * edge}, theme.line, {0, 0, 0, 0}, 0, 0, {}});
  }
  figure.items.emplace_back(std::move(cells));
}

void moved(Item& item, float dx, float dy) {
  const auto shift = [&](Point& p) {
    p.x += dx;
    p.y += dy;
  };
  std::visit(
      [&](auto& one) {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, Line>) {
          shift(one.from);
          shift(one.to);
        } else if constexpr (std::is_same_v<T, Curve>) {
          for (Point* p : {&one.from, &one.control1, &one.control2, &one.to}) shift(*p);
        } else if constexpr (std::is_same_v<T, Disc>) {
          shift(one.centre);
        } else if constexpr (std::is_same_v<T, Polygon>) {
          for (Point& p : one.points) shift(p);
        } else if constexpr (std::is_same_v<T, Text>) {
          shift(one.at);
        } else {
          one.box.x += dx;
          one.box.y += dy;
        }
      },
      item);
}

std::vector<std::string> wrap(std::string_view words, float width, float size, Font font, const TextMeasure& measure) {
  if (measure.width(words, size, font) <= width) return {std::string(words)};
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t space = std::min(words.find(' ', at), words.size());
    const std::string word(words.substr(at, space - at));
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && measure.width(longer, size, font) > width) {
      lines.push_back(std::move(line));
      line = word;
    } else {
      line = longer;
    }
    if (measure.width(line, size, font) > width) {
      cut_long(std::move(line), width, size, font, measure, lines);
      line = std::move(lines.back());
      lines.pop_back();
    }
    at = space + 1;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

namespace {

struct Mover {
  float dx, dy;
  void point(Point& p) const {
    p.x += dx;
    p.y += dy;
  }
  void box(Box& b) const {
    b.x += dx;
    b.y += dy;
  }
  void operator()(Rectangle& r) const { box(r.box); }
  void operator()(Line& l) const {
    point(l.from);
    point(l.to);
  }
  void operator()(Curve& c) const {
    for (Point* p : {&c.from, &c.control1, &c.control2, &c.to}) point(*p);
  }
  void operator()(Disc& d) const { point(d.centre); }
  void operator()(Polygon& p) const {
    for (Point& corner : p.points) point(corner);
  }
  void operator()(Text& t) const { point(t.at); }
  void operator()(Cells& c) const { box(c.box); }
  void operator()(ColorBar& b) const { box(b.box); }
  void operator()(Photo& p) const { box(p.box); }
};

}  // namespace

std::string first_that_fits(const std::vector<std::string>& texts, float width, float size, Font font,
                            const TextMeasure& measure) {
  for (const std::string& text : texts)
    if (measure.width(text, size, font) <= width) return text;
  return {};
}

void move(Figure& figure, float dx, float dy) {
  for (Item& item : figure.items) std::visit(Mover{dx, dy}, item);
}

Figure scaled(Figure figure, float factor) {
  const auto point = [&](Point& p) { p = {p.x * factor, p.y * factor}; };
  const auto box = [&](Box& b) { b = {b.x * factor, b.y * factor, b.w * factor, b.h * factor}; };
  for (Item& item : figure.items)
    std::visit(
        [&](auto& one) {
          using T = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<T, Line>) {
            point(one.from);
            point(one.to);
            one.width *= factor;
          } else if constexpr (std::is_same_v<T, Curve>) {
            for (Point* p : {&one.from, &one.control1, &one.control2, &one.to}) point(*p);
            one.width *= factor;
          } else if constexpr (std::is_same_v<T, Disc>) {
            point(one.centre);
            one.radius *= factor;
          } else if constexpr (std::is_same_v<T, Polygon>) {
            for (Point& p : one.points) point(p);
            one.line *= factor;
          } else if constexpr (std::is_same_v<T, Text>) {
            point(one.at);
            one.size *= factor;
            one.max_width *= factor;
          } else {
            box(one.box);
            if constexpr (std::is_same_v<T, Rectangle>) {
              one.line *= factor;
              one.radius *= factor;
            }
          }
        },
        item);
  figure.width *= factor;
  figure.height *= factor;
  return figure;
}

Figure framed(Figure figure, const std::string& title, float margin, const Theme& theme) {
  constexpr float kTitle = 18, kTitleRoom = 38;
  const float above = title.empty() ? 0 : kTitleRoom;
  move(figure, margin, margin + above);
  figure.width += 2 * margin;
  figure.height += 2 * margin + above;
  figure.background = theme.background;
  if (!title.empty()) {
    Text heading;
    heading.text = title;
    heading.at = {margin, margin + kTitle / 2};
    heading.size = kTitle;
    heading.font = Font::words_bold;
    heading.color = theme.text;
    heading.max_width = figure.width - 2 * margin;
    heading.tag = kTitleTag;
    figure.items.emplace_back(std::move(heading));
  }
  return figure;
}

}  // namespace headlight::figures
