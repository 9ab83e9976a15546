// The logit lens and the table of where a token looks, which share their columns.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/next_word/pictures.h"
#include "app/views/next_word/titled_picture.h"

namespace headlight::figures {
namespace {

constexpr float kLensMapToken = 14, kLensSmall = 13, kLensLeft = 48, kLensRight = 86, kLeastLensColumn = 58,
                kMostLensColumn = 120;

// Twelve points where a word has no room in thirteen or fourteen.
float size_for(const std::string& word, float size, float room, const TextMeasure& measure) {
  return measure.width(word, size, Font::mono) <= room ? size : 12;
}

struct LensColumns {
  float left = kLensLeft, cell = kLeastLensColumn, right = 0;
};
LensColumns lens_columns(std::int64_t count, float width) {
  LensColumns c;
  c.cell =
      std::clamp((width - kLensLeft - kLensRight) / static_cast<float>(std::max<std::int64_t>(1, count)), 20.0f, kMostLensColumn);
  c.right = kLensLeft + c.cell * static_cast<float>(count) + 12;
  return c;
}

void draw_column_names(const std::vector<std::string>& names, std::int64_t first, std::int64_t count, std::int64_t current,
                       const LensColumns& c, float y, const Composer& pen) {
  for (std::int64_t i = first; i < first + count; ++i) {
    const std::string& name = names[static_cast<std::size_t>(i)];
    pen.text(c.left + (static_cast<float>(i - first) + 0.5f) * c.cell, y, name,
             size_for(name, kLensMapToken, c.cell - 4, pen.measure), Font::mono,
             i == current ? pen.theme.selected : pen.theme.text, Align::middle, c.cell - 4);
  }
}

void add_lens_data(Figure& figure, const LensInput& input) {
  figure.data.push_back({"lens", input.probability, {"layer", "position"}, {{}, input.positions}});
  std::vector<float> tracked(input.chance.begin(), input.chance.end());
  const auto rows = static_cast<std::int64_t>(tracked.size());
  if (rows > 0) figure.data.push_back({"tracked", Tensor::of(tracked, {rows}), {"layer"}, {{}}});
}

std::string with_sign(double value) {
  if (std::isnan(value)) return "nan";  // not "+nan"
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f", value);
  return text;
}

// The cells, the words in them, and the current one's ring.
void draw_lens_cells(const LensInput& input, const LensColumns& c, float top, const Composer& pen) {
  const auto rows = static_cast<std::int64_t>(input.words.size());
  Cells cells;
  cells.rows = rows;
  cells.columns = input.count;
  cells.values = input.probability;
  cells.from_column = input.first;
  cells.box = {c.left, top, c.cell * static_cast<float>(input.count), input.row_height * static_cast<float>(rows)};
  cells.colormap = input.colormap;
  cells.key = input.key;
  cells.tag = {Tag::cell_area, 0, input.first};
  add_cells(pen.figure, std::move(cells), pen.theme);
  const Colormap* const map = colormaps().find(input.colormap);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = input.first; i < input.first + input.count; ++i) {
      const auto p = static_cast<float>(input.probability.at({row, i}));
      const Color behind = map ? map->at(std::clamp(p, 0.0f, 1.0f), pen.theme) : pen.theme.panel;
      const std::string& word = input.words[static_cast<std::size_t>(row)][static_cast<std::size_t>(i)];
      pen.text(c.left + (static_cast<float>(i - input.first) + 0.5f) * c.cell,
               top + (static_cast<float>(row) + 0.5f) * input.row_height, word,
               size_for(word, kLensSmall, c.cell - 6, pen.measure), Font::mono, ink_on(behind), Align::middle, c.cell - 6,
               {Tag::none, 0, 0, Part::predicted});
    }
  if (input.current >= input.first && input.current < input.first + input.count)
    pen.box({c.left + static_cast<float>(input.current - input.first) * c.cell,
             top + static_cast<float>(input.source < 0 ? rows - 1 : input.source) * input.row_height, c.cell, input.row_height},
            {0, 0, 0, 0}, pen.theme.selected, 2, 3);
}

}  // namespace

ShownColumns shown_columns(std::int64_t positions, std::int64_t current, float width) {
  ShownColumns shown;
  const auto fit = static_cast<std::int64_t>(std::max(1.0f, std::floor((width - kLensLeft - kLensRight) / kLeastLensColumn)));
  shown.count = std::min(positions, fit);
  shown.first = std::clamp<std::int64_t>(current - shown.count + 2, 0, positions - shown.count);
  return shown;
}

Figure lens_map(const LensInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  const LensColumns c = lens_columns(input.count, width);
  float y = begin_titled(figure, input.title, width, theme, pen);
  pen.text(0, y + 10, tr("layers"), kLensSmall, Font::words, theme.secondary, Align::start, kLensLeft - 4);
  draw_column_names(input.positions, input.first, input.count, input.current, c, y + 10, pen);
  if (!input.tracked.empty())
    pen.text(c.right + kLensRight - 14, y + 10, input.tracked, kLensMapToken, Font::mono, theme.selected, Align::end,
             kLensRight - 16, {Tag::none, 0, 0, Part::predicted});
  const float top = y + 24;
  draw_lens_cells(input, c, top, pen);
  for (std::size_t row = 0; row < input.words.size(); ++row) {
    const float middle = top + (static_cast<float>(row) + 0.5f) * input.row_height;
    pen.text(kLensLeft - 12, middle, std::to_string(row), kLensSmall, Font::mono, theme.secondary, Align::end);
    if (input.tracked.empty() || row >= input.chance.size()) continue;
    pen.bar({c.right, middle - 3, 34, 6}, input.chance[row], theme.info);
    pen.text(c.right + kLensRight - 14, middle, cell_number(input.chance[row]), kLensSmall, Font::mono, theme.text, Align::end);
  }
  y = top + input.row_height * static_cast<float>(input.words.size()) + 8;
  const std::string words = tr("probability of the word shown");
  const float bar = std::clamp(width - kLensLeft - 30 - measure.width(words, kLensSmall, Font::words), 40.0f, 140.0f);
  pen.text(kLensLeft - 12, y + 8, "0", kLensSmall, Font::mono, theme.secondary, Align::end);
  figure.add(ColorBar{{kLensLeft, y + 4, bar, 8}, input.colormap, false});
  pen.text(kLensLeft + bar + 8, y + 8, "1", kLensSmall, Font::mono, theme.secondary);
  pen.text(kLensLeft + bar + 26, y + 8, words, kLensSmall, Font::words, theme.secondary, Align::start,
           width - kLensLeft - bar - 26);
  figure.height = y + 20;
  add_lens_data(figure, input);
  return figure;
}

Figure looks_table(const LooksInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  constexpr float kRow = kLooksRow;
  Figure figure;
  const Composer pen{figure, theme, measure};
  const LensColumns c = lens_columns(input.count, width);
  float y = begin_titled(figure, input.title, width, theme, pen);
  draw_column_names(input.tokens, input.first, input.count, input.current, c, y + 10, pen);
  const float push = kLensRight - 14, middle_of_push = c.right + push / 2;
  pen.text(c.right + push, y + 10, input.push_title, kLensSmall, Font::words, theme.secondary, Align::end, push);
  y += kLooksNames;
  std::vector<float> weights, pushes;
  std::vector<std::string> names;
  for (std::size_t n = 0; n < input.rows.size(); ++n) {
    const LooksInput::Row& row = input.rows[n];
    const Tag tag{Tag::row, static_cast<std::int64_t>(n), 0};
    const bool hot = static_cast<std::int64_t>(n) == input.hot;
    pen.line({0, y}, {c.right + push, y}, theme.line);
    pen.box({0, y + 1, c.right + push, kRow - 1}, hot ? theme.raised : Color{0, 0, 0, 0}, {0, 0, 0, 0}, 0, 4, tag);
    pen.text(0, y + kRow / 2, row.name, kLensSmall, Font::mono, hot ? theme.selected : theme.text, Align::start, kLensLeft - 4,
             tag);
    for (std::int64_t i = input.first; i < input.first + input.count; ++i) {
      const double w = row.weights[static_cast<std::size_t>(i)];
      const float x = c.left + static_cast<float>(i - input.first) * c.cell + 4;
      pen.text(x, y + 11, cell_number(w), kLensSmall, Font::mono, w >= 0.1 ? theme.text : theme.secondary, Align::start, 0, tag);
      pen.bar({x, y + 22, c.cell - 10, 6}, w, theme.info);
    }
    pen.text(c.right + push, y + 11, with_sign(row.push), kLensSmall, Font::mono, theme.text, Align::end, 0, tag);
    const auto share = static_cast<float>(input.largest > 0 ? std::clamp(row.push / input.largest, -1.0, 1.0) : 0);
    const float half = push / 2 - 2, wide = std::abs(share) * half;
    pen.box({share < 0 ? middle_of_push - wide : middle_of_push, y + 22, wide, 6},
            share < 0 ? theme.signed_low : theme.signed_high);
    pen.line({middle_of_push, y + 20}, {middle_of_push, y + 30}, theme.secondary);
    y += kRow;
    for (const double w : row.weights) weights.push_back(static_cast<float>(w));
    pushes.push_back(static_cast<float>(row.push));
    names.push_back(row.name);
  }
  figure.height = y + kLooksBelow;
  const auto heads = static_cast<std::int64_t>(names.size()), tokens = static_cast<std::int64_t>(input.tokens.size());
  figure.data.push_back({"weights", Tensor::of(weights, {heads, tokens}), {"head", "token"}, {names, input.tokens}});
  figure.data.push_back({"push", Tensor::of(pushes, {heads}), {"head"}, {names}});
  return figure;
}

}  // namespace headlight::figures
