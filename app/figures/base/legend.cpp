#include "app/figures/base/legend.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kLegendSize = 13, kLegendBar = 10, kLegendSwatch = 20, kLegendMark = 12, kLegendGap = 8, kLeastLegendBar = 160;
constexpr Tag kLegendTag{Tag::none, 0, 0, Part::legend};

float line(const TextMeasure& measure) { return measure.line_height(kLegendSize, Font::words) + 4; }

struct Piece {
  enum Mark { none, hatching, head, non_finite } mark = none;
  std::string text;
  float indent = 0, width = 0;  // indent: room for the swatch
  int hue = 0;
  bool goes_on = false;  // continues the line before, which was too long
  Part part = Part::legend;
  NonFinite kind = NonFinite::none;
  bool gaps = false;  // a count of gaps, not of cells
};

float discs_wide(const Legend& legend, const TextMeasure& measure) {
  float width = 0;
  for (const auto& disc : legend.discs)
    width += legend.disc_room * std::sqrt(disc.first) + 6 + measure.width(disc.second, kLegendSize, Font::mono) + 2 * kLegendGap;
  return width;
}

// Whether the words of the discs have room beside them; else they stand below.
bool words_beside(const Legend& legend, float most, const TextMeasure& measure) {
  return most <= 0 || discs_wide(legend, measure) + measure.width(legend.range_words, kLegendSize, Font::words) <= most + 1;
}

// In lines at most `most` wide; 0: of any width.
std::vector<Piece> pieces(const Legend& legend, float most, const TextMeasure& measure) {
  std::vector<Piece> list;
  if (!legend.discs.empty() && !legend.range_words.empty() && !words_beside(legend, most, measure))
    list.push_back({Piece::none, legend.range_words, 0, 0, 0, false, Part::caption});
  for (const Legend::Head& head : legend.heads) list.push_back({Piece::head, head.name, kLegendMark + kLegendGap, 0, head.hue});
  for (NonFiniteCount::Line& line : legend.non_finite.lines(legend.brief))
    list.push_back(
        {Piece::non_finite, std::move(line.words), kLegendSwatch + kLegendGap, 0, 0, false, Part::legend, line.kind, false});
  for (NonFiniteCount::Line& line : legend.gaps.lines(legend.brief))
    list.push_back(
        {Piece::non_finite, std::move(line.words), kLegendSwatch + kLegendGap, 0, 0, false, Part::legend, line.kind, true});
  if (legend.masked)
    list.push_back({Piece::hatching,
                    !legend.masked_words.empty() ? legend.masked_words
                    : legend.brief               ? tr("masked")
                                                 : tr("masked: query may not see it"),
                    kLegendSwatch + kLegendGap, 0, 0});
  for (const std::string& note : legend.notes)
    if (!note.empty()) list.push_back({Piece::none, note, 0, 0, 0, false, note == legend.origin ? Part::note : Part::caption});
  std::vector<Piece> lines;
  for (const Piece& p : list) {
    const float room = most > 0 ? std::max(40.0f, most - p.indent) : std::numeric_limits<float>::max();
    Piece line = p;
    for (std::string& words : wrap(p.text, room, kLegendSize, Font::words, measure)) {
      line.width = line.indent + measure.width(words, kLegendSize, Font::words);
      line.text = std::move(words);
      lines.push_back(line);
      line.goes_on = true;
    }
  }
  return lines;
}

// Arranges pieces side by side while they fit, else on new lines: for each piece its line and x.
struct PiecePlace {
  int row = 0;
  float x = 0;
};
std::vector<PiecePlace> flow(const std::vector<Piece>& list, float width) {
  std::vector<PiecePlace> places;
  int row = 0;
  float x = 0;
  for (const Piece& p : list) {
    if (p.goes_on || (x > 0 && x + p.width > width)) {
      ++row;
      x = 0;
    }
    places.push_back({row, x});
    x += p.width + 3 * kLegendGap;
  }
  return places;
}

std::string low_end(const Legend& legend) { return legend.low_words.empty() ? range_number(legend.low) : legend.low_words; }
std::string high_end(const Legend& legend) { return legend.high_words.empty() ? range_number(legend.high) : legend.high_words; }

float disc_row(const Legend& legend, const TextMeasure& measure) { return std::max(legend.disc_room, line(measure)) + 4; }

float bar_needs(const Legend& legend, const TextMeasure& measure) {
  if (!legend.discs.empty())
    return measure.width(legend.range_words, kLegendSize, Font::words) + kLegendGap + discs_wide(legend, measure);
  // The words are centred between the two ends.
  const float ends =
      std::max(measure.width(low_end(legend), kLegendSize, Font::mono), measure.width(high_end(legend), kLegendSize, Font::mono));
  const float words =
      legend.range_words.empty() ? 0 : measure.width(legend.range_words, kLegendSize, Font::words) + 2 * kLegendGap;
  return std::max(kLeastLegendBar, words + 2 * ends + 2);
}

// The colour bar with its ends, and its words below.
void add_bar(Figure& figure, const Legend& legend, float x, float y, float width, float bar, const Theme& theme,
             const TextMeasure& measure) {
  const float row = line(measure);
  bar = std::min(std::max(bar, bar_needs(legend, measure)), width);
  ColorBar colours;
  colours.box = {x, y, bar, kLegendBar};
  colours.colormap = legend.colormap;
  colours.tag.part = Part::legend;
  figure.add(colours);
  y += kLegendBar + 4;
  const auto text = [&](std::string s, float at, Font font, Align align, float most, Part part) {
    Text t;
    t.tag.part = part;
    t.text = std::move(s);
    t.at = {at, y + row / 2};
    t.size = kLegendSize;
    t.font = font;
    t.color = theme.secondary;
    t.horizontal = align;
    t.max_width = most;
    figure.add(std::move(t));
  };
  const std::string low = low_end(legend), high = high_end(legend);
  text(low, x, Font::mono, Align::start, 0, Part::legend);
  text(high, x + bar, Font::mono, Align::end, 0, Part::legend);
  const float ends = std::max(measure.width(low, kLegendSize, Font::mono), measure.width(high, kLegendSize, Font::mono));
  if (legend.range_words.empty()) return;
  // In "weight, each query by its largest, viridis" the name of the colour map is left out first.
  const float room = std::max(1.0f, bar - 2 * ends - kLegendGap);
  std::string words = legend.range_words;
  const std::string map = ", " + legend.colormap;
  if (words.ends_with(map) && measure.width(words, kLegendSize, Font::words) > room) words.resize(words.size() - map.size());
  text(std::move(words), x + bar / 2, Font::words, Align::middle, room, Part::caption);
}

}  // namespace

float legend_width(const Legend& legend, float most, const TextMeasure& measure) {
  float width = bar_needs(legend, measure);
  for (const Piece& p : pieces(legend, 0, measure)) width = std::max(width, p.width);
  return std::min(width, most);
}

float legend_height(const Legend& legend, float width, const TextMeasure& measure) {
  const auto list = pieces(legend, width, measure);
  const int rows = list.empty() ? 0 : flow(list, width).back().row + 1;
  const float scale = legend.colormap.empty() && legend.discs.empty() ? 0
                      : legend.discs.empty()                          ? kLegendBar + 4 + line(measure)
                                                                      : disc_row(legend, measure);
  return scale + line(measure) * static_cast<float>(rows) + (rows > 0 ? 2.0f : 0.0f);
}

void add_legend(Figure& figure, const Legend& legend, float x, float y, float width, float bar, const Theme& theme,
                const TextMeasure& measure) {
  const float row = line(measure);
  const auto text = [&](std::string s, Point at, Font font, Color color, float most, Part part) {
    Text t = text_at(std::move(s), at, kLegendSize, font, color);
    t.tag.part = part;
    t.max_width = most;
    figure.add(std::move(t));
  };
  if (!legend.discs.empty()) {
    const float high = disc_row(legend, measure), middle = y + high / 2 - 2;
    float left = x;
    for (const auto& [share, words] : legend.discs) {
      const float across = legend.disc_room * std::sqrt(share), wide = measure.width(words, kLegendSize, Font::mono);
      if (left + across + 6 + wide > x + width) break;
      figure.add(Disc{{left + across / 2, middle}, across / 2, legend.disc_color, kLegendTag});
      text(words, {left + across + 6, middle}, Font::mono, theme.secondary, 0, Part::legend);
      left += across + 6 + wide + 2 * kLegendGap;
    }
    if (words_beside(legend, width, measure))
      text(legend.range_words, {left, middle}, Font::words, theme.secondary, width - (left - x), Part::caption);
    y += high;
  } else if (!legend.colormap.empty()) {
    add_bar(figure, legend, x, y, width, bar, theme, measure);
    y += kLegendBar + 4 + row;
  }
  y += 2;
  const auto list = pieces(legend, width, measure);
  const auto places = flow(list, width);
  const auto hues = static_cast<int>(theme.hues.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const float left = x + places[i].x, middle = y + row * (static_cast<float>(places[i].row) + 0.5f);
    const bool counted = list[i].mark == Piece::non_finite;
    const Tag tag =
        counted ? Tag{Tag::non_finite, static_cast<std::int64_t>(list[i].kind), list[i].gaps ? 1 : 0, Part::legend} : kLegendTag;
    if ((list[i].mark == Piece::hatching || counted) && !list[i].goes_on) {
      const Box box{left, middle - 7, kLegendSwatch, 14};
      Cells swatch = counted ? cell_of(list[i].kind, box) : hatched(box);
      swatch.tag = tag;
      figure.add(std::move(swatch));
    }
    if (list[i].mark == Piece::head && !list[i].goes_on) {
      Rectangle mark;
      mark.box = {left, middle - kLegendMark / 2, kLegendMark, kLegendMark};
      mark.fill = theme.hues[static_cast<std::size_t>(((list[i].hue % hues) + hues) % hues)];
      mark.radius = 3;
      mark.tag = kLegendTag;
      figure.add(mark);
    }
    Text words = text_at(list[i].text, {left + list[i].indent, middle}, kLegendSize, Font::words,
                         list[i].mark == Piece::none ? theme.faint : theme.secondary);
    words.max_width = std::max(1.0f, width - places[i].x - list[i].indent);
    words.tag = counted ? tag : Tag{Tag::none, 0, 0, list[i].part};
    figure.add(std::move(words));
  }
}

Figure legend_figure(const Legend& legend, float left, float bar, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  // As far right as asked for, if the words still fit there.
  left = std::max(0.0f, std::min(left, width - legend_width(legend, width, measure)));
  figure.width = width;
  figure.height = legend_height(legend, width - left, measure);
  add_legend(figure, legend, left, 0, width - left, bar, theme, measure);
  return figure;
}

Figure with_counted_cells(Figure figure, const Theme& theme, const TextMeasure& measure) {
  const NonFiniteParts parts = non_finite_in(figure);
  Legend legend;
  if (!parts.counts_them) legend.non_finite = parts.cells;
  legend.gaps = parts.gaps;
  if (!legend.non_finite.any() && !legend.gaps.any()) return figure;
  constexpr float kMargin = 8;
  const float width = std::max(40.0f, figure.width - 2 * kMargin);
  add_legend(figure, legend, kMargin, figure.height, width, 0, theme, measure);
  figure.height += legend_height(legend, width, measure) + kMargin;
  add_remarks(figure, legend.non_finite);
  add_remarks(figure, legend.gaps);
  return figure;
}

Cells cell_of(NonFinite kind, Box box) {
  Cells cells = hatched(box);
  cells.mask = {};
  cells.values.data<float>()[0] = value_of(kind);
  cells.key = 0x6e756d626572 + static_cast<std::uint64_t>(kind);
  return cells;
}

Cells hatched(Box box) {
  Cells cells;
  cells.box = box;
  cells.rows = cells.columns = 1;
  cells.values = Tensor(DType::f32, {1, 1});
  cells.mask = Tensor(DType::u8, {1, 1});
  cells.gap = 0;
  cells.key = 0x68617463686564;  // the same texture for every legend
  return cells;
}

}  // namespace headlight::figures
