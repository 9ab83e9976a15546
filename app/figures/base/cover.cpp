#include "app/figures/base/cover.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "app/figures/base/compose.h"
#include "app/figures/base/shown_parts.h"

namespace headlight::figures {
namespace {

constexpr float kNameBar = 3.2f;          // ems: the bar in place of any name
constexpr float kThumbnailRing = 6;       // points around the small pictures, where the chosen one's ring is
constexpr float kTrack = 26;              // points: a rectangle this high may be the track of a bar
constexpr float kLeastSolid = 0.3f;       // a fill with less alpha lights something, and is no data
constexpr std::string_view kMinus = "−";  // U+2212

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
// Of a letter beyond ASCII, any byte.
bool is_beyond(char c) { return static_cast<unsigned char>(c) >= 0x80; }

// The length of the number that begins at `at`; `measured`: it is written with a fraction, an exponent or a percent sign.
std::size_t number_at(std::string_view text, std::size_t at, bool& measured) {
  measured = false;
  std::size_t end = at;
  const auto digits = [&] {
    while (end < text.size() && is_digit(text[end])) ++end;
  };
  digits();
  while (end + 1 < text.size() && (text[end] == '.' || text[end] == ',') && is_digit(text[end + 1])) {
    measured |= text[end] == '.';
    ++end;
    digits();
  }
  if (end == at) return 0;
  if (end + 1 < text.size() && text[end] == 'e' &&
      (is_digit(text[end + 1]) ||
       (end + 2 < text.size() && (text[end + 1] == '-' || text[end + 1] == '+') && is_digit(text[end + 2])))) {
    measured = true;
    end += is_digit(text[end + 1]) ? 1 : 2;
    digits();
  }
  std::size_t sign = end;
  if (sign < text.size() && text[sign] == ' ') ++sign;
  if (sign < text.size() && text[sign] == '%') {
    measured = true;
    end = sign + 1;
  }
  return end - at;
}

bool is_number(std::string_view text) {
  bool digit = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      digit = true;
    } else if (text.substr(i, kMinus.size()) == kMinus) {
      i += kMinus.size() - 1;
    } else if (text[i] == 'e' && i > 0 && is_digit(text[i - 1])) {
      continue;
    } else if (std::string_view(" .,+-%<>~/").find(text[i]) == std::string_view::npos) {
      return false;
    }
  }
  return digit;
}
bool is_whole(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

// Every share, percentage and measured value becomes "?"; counts and the numbers of layers and heads stay.
std::string without_numbers(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool inside = at > 0 && (is_letter(text[at - 1]) || is_digit(text[at - 1]));
    bool measured = false;
    const std::size_t length = inside ? 0 : number_at(text, at, measured);
    if (length == 0 || !measured) {
      const std::size_t step = std::max<std::size_t>(1, length);
      out += text.substr(at, step);
      at += step;
      continue;
    }
    // Its sign would tell half of it.
    if (!out.empty() && (out.back() == '-' || out.back() == '+') &&
        (out.size() == 1 || std::string_view(" (=,[").find(out[out.size() - 2]) != std::string_view::npos))
      out.pop_back();
    else if (out.size() >= kMinus.size() && std::string_view(out).substr(out.size() - kMinus.size()) == kMinus)
      out.resize(out.size() - kMinus.size());
    out += '?';
    at += length;
  }
  return out;
}

// Whether a sentence says a word: a word of Latin letters as a whole word, one of other scripts anywhere. A single letter is no
// word of which a sentence could be recognised.
bool says(std::string_view sentence, std::string_view word) {
  const bool latin = std::none_of(word.begin(), word.end(), is_beyond);
  if (word.empty() || (latin && word.size() < 2)) return false;
  for (std::size_t at = sentence.find(word); at != std::string_view::npos; at = sentence.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const auto apart = [&](std::size_t i) { return i >= sentence.size() || !(is_letter(sentence[i]) || is_digit(sentence[i])); };
    if (!latin || ((at == 0 || apart(at - 1)) && apart(end))) return true;
  }
  return false;
}
bool says_one(std::string_view sentence, const std::set<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return says(sentence, word); });
}

bool is_quiet(const Color& c, const Theme& theme) {
  const auto same = [&](const Color& other) { return c.r == other.r && c.g == other.g && c.b == other.b; };
  return c.a < 0.02f || same(theme.background) || same(theme.panel) || same(theme.raised) || same(theme.line) ||
         same(theme.text) || same(theme.secondary) || same(theme.faint);
}

Tag tag_of(const Item& item) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.tag; })
          return one.tag;
        else
          return Tag{};
      },
      item);
}

Box around(const Box& a, const Box& b) {
  if (a.w <= 0 && a.h <= 0) return b;
  const float left = std::min(a.x, b.x), top = std::min(a.y, b.y);
  return {left, top, std::max(a.x + a.w, b.x + b.w) - left, std::max(a.y + a.h, b.y + b.h) - top};
}
bool meet(const Box& a, const Box& b) { return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h; }

// Covers one figure.
class Covering {
 public:
  Covering(const Figure& figure, const Cover& cover, const Theme& theme, const TextMeasure& measure)
      : figure_(figure), cover_(cover), theme_(theme), measure_(measure) {}

  CoveredFigure made() {
    CoveredFigure out;
    out.figure.width = figure_.width;
    out.figure.height = figure_.height;
    out.figure.background = figure_.background;
    out.figure.title = figure_.title;
    if (cover_.hides == Hides::picture) find_lids(out.lids);
    if (cover_.hides == Hides::head) find_thumbnails(out.lids);
    const bool has_cells = std::any_of(figure_.items.begin(), figure_.items.end(), [](const Item& i) { return is_picture(i); });
    for (const Item& item : figure_.items) {
      if (part_of(item, figure_) != Part::legend) {
        const Box box = bounds(item);
        const Point middle{box.x + box.w / 2, box.y + box.h / 2};
        if (std::any_of(out.lids.begin(), out.lids.end(), [&](const Box& lid) { return lid.contains(middle); })) continue;
        if (cover_.hides == Hides::picture && has_cells && is_datum(item, true)) continue;
        // Numbers of layers and heads beside the small pictures, and bars in a role's hue.
        if (cover_.hides == Hides::head && !out.lids.empty() && std::holds_alternative<Text>(item)) continue;
        if (cover_.hides == Hides::head && !has_cells && is_datum(item, false)) continue;
      }
      if (const auto* text = std::get_if<Text>(&item))
        add(out.figure, *text);
      else
        out.figure.items.push_back(item);
    }
    for (const Box& lid : out.lids) add_lid(out.figure, lid);
    return out;
  }

 private:
  static bool is_picture(const Item& item) {
    return (std::holds_alternative<Cells>(item) || std::holds_alternative<Photo>(item)) && tag_of(item).part != Part::legend &&
           tag_of(item).kind != Tag::non_finite;
  }
  Box bounds(const Item& item) const { return seen_box(item, measure_); }

  // Whether an item shows data by its size or place, and not by the colours of cells. `tagged`: only those that say so.
  bool is_datum(const Item& item, bool tagged) const {
    const Tag tag = tag_of(item);
    const bool says_so = tag.kind == Tag::bar || tag.kind == Tag::cell || tag.kind == Tag::link || tag.kind == Tag::cell_area ||
                         tag.kind == Tag::gap;
    if (const auto* curve = std::get_if<Curve>(&item)) return says_so || (!tagged && !is_quiet(curve->color, theme_));
    if (const auto* disc = std::get_if<Disc>(&item)) return says_so || (!tagged && !is_quiet(disc->fill, theme_));
    if (const auto* area = std::get_if<Polygon>(&item))
      return says_so || (!tagged && (!is_quiet(area->fill, theme_) || !is_quiet(area->stroke, theme_)));
    if (const auto* line = std::get_if<Line>(&item)) return !tagged && !is_quiet(line->color, theme_);
    if (const auto* box = std::get_if<Rectangle>(&item))
      return says_so || (!tagged && tag.kind == Tag::none && box->fill.a >= kLeastSolid && !is_quiet(box->fill, theme_));
    return false;
  }

  // The cells of a map; of a picture without cells, all that shows data.
  void find_lids(std::vector<Box>& lids) const {
    for (const Item& item : figure_.items)
      if (is_picture(item)) lids.push_back(bounds(item));
    if (!lids.empty()) return;
    Box all;
    for (const Item& item : figure_.items)
      if (part_of(item, figure_) != Part::legend && is_datum(item, false)) all = around(all, bounds(item));
    if (all.w < 4 || all.h < 4) return;
    const Box found = all;
    for (const Item& item : figure_.items)  // the empty part of a bar's track would tell the rest
      if (const auto* box = std::get_if<Rectangle>(&item);
          box && box->tag.kind == Tag::none && box->box.h <= kTrack && box->fill.a > 0 && meet(box->box, found))
        all = around(all, box->box);
    lids.push_back(all);
  }
  void find_thumbnails(std::vector<Box>& lids) const {
    Box all;
    for (const Item& item : figure_.items)
      if (tag_of(item).kind == Tag::thumbnail) {
        const auto* place = std::get_if<Rectangle>(&item);  // one that only answers the mouse has a place, too
        all = around(all, place ? place->box : bounds(item));
      }
    if (all.w <= 0 || all.h <= 0) return;
    lids.push_back({all.x - kThumbnailRing, all.y - kThumbnailRing, all.w + 2 * kThumbnailRing, all.h + 2 * kThumbnailRing});
  }

  void add_lid(Figure& figure, const Box& box) const {
    Rectangle lid;
    lid.box = box;
    lid.fill = theme_.raised;
    lid.stroke = theme_.line;
    lid.line = 1;
    lid.radius = 4;
    figure.add(lid);
    const float room = std::min(box.w, box.h);
    if (room < 18) return;
    Text mark = text_at("?", {box.x + box.w / 2, box.y + box.h / 2}, std::clamp(0.4f * room, 12.0f, 64.0f), Font::words_bold,
                        theme_.secondary);
    mark.horizontal = Align::middle;
    figure.add(std::move(mark));
  }

  // A bar in place of a text, as wide as `wide` points.
  void add_bar(Figure& figure, const Text& text, float wide) const {
    const float high = std::min(measure_.line_height(text.size, text.font), text.size) * 0.8f;
    const auto share = [](Align align) { return align == Align::start ? 0.0f : align == Align::middle ? 0.5f : 1.0f; };
    const float line = measure_.line_height(text.size, text.font);
    const float x = -share(text.horizontal) * wide, y = -share(text.vertical) * line + (line - high) / 2;
    const float angle = text.rotation * 3.14159265f / 180, c = std::cos(angle), s = std::sin(angle);
    Polygon bar;
    for (const Point p : {Point{x, y}, {x + wide, y}, {x + wide, y + high}, {x, y + high}})
      bar.points.push_back({text.at.x + p.x * c + p.y * s, text.at.y - p.x * s + p.y * c});
    bar.fill = with_alpha(theme_.secondary, 0.4f);
    figure.add(std::move(bar));
  }

  void add(Figure& figure, const Text& text) const {
    const Part part = part_of(text, figure_);
    const bool legend = part == Part::legend, sentence = text.font != Font::mono;
    // A whole number is a count, a rank or the number of a layer, unless it stands in a cell or at a bar.
    const bool measured = part == Part::number || text.tag.kind == Tag::cell || text.tag.kind == Tag::bar;
    const bool number = is_number(text.text) && (measured || !is_whole(text.text));
    const bool names_a_place = text.tag.kind == Tag::row || text.tag.kind == Tag::column || text.tag.kind == Tag::token;
    const auto bar = [&](bool name) {
      float wide = kNameBar * text.size;
      if (!name || sentence) wide = measure_.width(text.text, text.size, text.font);
      add_bar(figure, text, text.max_width > 0 ? std::min(wide, text.max_width) : wide);
    };
    const auto as_number = [&] {
      Text shown = text;
      if (number && part != Part::axis)
        shown.text = "?";
      else if (!number)
        shown.text = without_numbers(text.text);
      figure.add(std::move(shown));
    };
    if (legend && cover_.hides != Hides::head && cover_.hides != Hides::predictions) return figure.add(text);
    switch (cover_.hides) {
      case Hides::nothing: return figure.add(text);
      case Hides::numbers: return as_number();
      case Hides::picture:
        if (sentence && part != Part::axis && (is_name(text) || says_one(text.text, cover_.names))) return bar(is_name(text));
        return as_number();
      case Hides::names:
        if (!is_number(text.text) && (names_a_place || is_name(text))) return bar(true);
        if (says_one(text.text, cover_.names)) return bar(false);
        return figure.add(text);
      case Hides::predictions:
        if (part == Part::predicted || (sentence && part != Part::axis)) return bar(part == Part::predicted);
        return figure.add(text);
      case Hides::head:
        if (part == Part::title || (sentence && part != Part::axis && part != Part::legend && part != Part::note))
          return bar(false);
        return figure.add(text);
    }
  }
  // A text that is a token and nothing else.
  bool is_name(const Text& text) const {
    const std::string bare = bare_name(text.text);
    return (bare.size() > 1 || text.font != Font::words) && cover_.names.contains(bare);
  }

  const Figure& figure_;
  const Cover& cover_;
  const Theme& theme_;
  const TextMeasure& measure_;
};

}  // namespace

std::string bare_name(std::string_view label) {
  const auto drop_front = [&](std::string_view mark) {
    if (!label.starts_with(mark) || label.size() == mark.size()) return false;
    label.remove_prefix(mark.size());
    return true;
  };
  const auto drop_back = [&](std::string_view mark) {
    if (!label.ends_with(mark) || label.size() == mark.size()) return false;
    label.remove_suffix(mark.size());
    return true;
  };
  const auto any = [](auto drop, std::initializer_list<std::string_view> marks) {
    return std::any_of(marks.begin(), marks.end(), drop);
  };
  while (any(drop_front, {" ", "·", "Ġ", "▁", "##", "“", "\""})) continue;
  while (any(drop_back, {" ", ",", ".", ":", ";", "”", "\"", "₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"})) continue;
  return std::string(label);
}

std::optional<std::string> covered(std::string_view sentence, const Cover& cover) {
  switch (cover.hides) {
    case Hides::nothing: break;
    case Hides::numbers: return without_numbers(sentence);
    case Hides::picture:
      if (says_one(sentence, cover.names)) return std::nullopt;
      return without_numbers(sentence);
    case Hides::names:
      if (says_one(sentence, cover.names)) return std::nullopt;
      break;
    case Hides::predictions:
    case Hides::head: return std::nullopt;
  }
  return std::string(sentence);
}

CoveredFigure covered(const Figure& figure, const Cover& cover, const Theme& theme, const TextMeasure& measure) {
  return Covering(figure, cover, theme, measure).made();
}

}  // namespace headlight::figures
