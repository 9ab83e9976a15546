#include "app/figures/legend.h"

#include <algorithm>

#include "app/figures/labels.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kSize = 13, kBar = 10, kSwatch = 20, kGap = 8, kLeastBar = 160;
constexpr const char* kMaskedWords = tr_later("masked: query may not see it");

float line(const TextMeasure& measure) { return measure.line_height(kSize, Font::words) + 4; }

struct Piece {
  std::string text;
  float indent = 0, width = 0;  // indent: of the swatch
};

std::vector<Piece> pieces(const Legend& legend, const TextMeasure& measure) {
  std::vector<Piece> list;
  if (legend.masked) list.push_back({tr(kMaskedWords), kSwatch + kGap, 0});
  for (const std::string& note : legend.notes)
    if (!note.empty()) list.push_back({note, 0, 0});
  for (Piece& p : list) p.width = p.indent + measure.width(p.text, kSize, Font::words);
  return list;
}

// Pieces beside each other while they fit, else on lines of their own: for each, its line and x.
struct Place {
  int row = 0;
  float x = 0;
};
std::vector<Place> flow(const std::vector<Piece>& list, float width) {
  std::vector<Place> places;
  int row = 0;
  float x = 0;
  for (const Piece& p : list) {
    if (x > 0 && x + p.width > width) {
      ++row;
      x = 0;
    }
    places.push_back({row, x});
    x += p.width + 3 * kGap;
  }
  return places;
}

float bar_needs(const Legend& legend, const TextMeasure& measure) {
  // The words stand centred between the two ends.
  const float ends = std::max(measure.width(range_number(legend.low), kSize, Font::mono),
                              measure.width(range_number(legend.high), kSize, Font::mono));
  const float words = legend.range_words.empty() ? 0 : measure.width(legend.range_words, kSize, Font::words) + 2 * kGap;
  return std::max(kLeastBar, words + 2 * ends + 2);
}

}  // namespace

float legend_width(const Legend& legend, float most, const TextMeasure& measure) {
  float width = bar_needs(legend, measure);
  for (const Piece& p : pieces(legend, measure)) width = std::max(width, p.width);
  return std::min(width, most);
}

float legend_height(const Legend& legend, float width, const TextMeasure& measure) {
  const auto list = pieces(legend, measure);
  const int rows = list.empty() ? 0 : flow(list, width).back().row + 1;
  return kBar + 4 + line(measure) * static_cast<float>(1 + rows) + (rows > 0 ? 2.0f : 0.0f);
}

void add_legend(Figure& figure, const Legend& legend, float x, float y, float width, float bar, const Theme& theme,
                const TextMeasure& measure) {
  const float row = line(measure);
  bar = std::min(std::max(bar, bar_needs(legend, measure)), width);
  ColorBar colours;
  colours.box = {x, y, bar, kBar};
  colours.colormap = legend.colormap;
  figure.add(colours);
  const auto text = [&](std::string s, Point at, Font font, Color color, Align align, float most) {
    Text t;
    t.text = std::move(s);
    t.at = at;
    t.size = kSize;
    t.font = font;
    t.color = color;
    t.horizontal = align;
    t.max_width = most;
    figure.add(std::move(t));
  };
  y += kBar + 4;
  const std::string low = range_number(legend.low), high = range_number(legend.high);
  text(low, {x, y + row / 2}, Font::mono, theme.secondary, Align::start, 0);
  text(high, {x + bar, y + row / 2}, Font::mono, theme.secondary, Align::end, 0);
  const float ends = std::max(measure.width(low, kSize, Font::mono), measure.width(high, kSize, Font::mono));
  if (!legend.range_words.empty()) {
    text(legend.range_words, {x + bar / 2, y + row / 2}, Font::words, theme.secondary, Align::middle,
         std::max(1.0f, bar - 2 * ends - kGap));
  }
  y += row + 2;
  const auto list = pieces(legend, measure);
  const auto places = flow(list, width);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const float left = x + places[i].x, middle = y + row * (static_cast<float>(places[i].row) + 0.5f);
    if (list[i].indent > 0) figure.add(hatched({left, middle - 7, kSwatch, 14}));
    text(list[i].text, {left + list[i].indent, middle}, Font::words, list[i].indent > 0 ? theme.secondary : theme.faint,
         Align::start, std::max(1.0f, width - places[i].x - list[i].indent));
  }
}

Cells hatched(Box box) {
  Cells cells;
  cells.box = box;
  cells.rows = cells.columns = 1;
  cells.values = Tensor(DType::f32, {1, 1});
  cells.mask = Tensor(DType::u8, {1, 1});
  cells.gap = 0;
  cells.key = 0x68617463686564;  // the same texture everywhere
  return cells;
}

}  // namespace headlight::figures
