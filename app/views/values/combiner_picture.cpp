#include "app/views/values/combiner_picture.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "app/views/values/row_names_picture.h"

namespace headlight::figures {
namespace {

constexpr float kCombinerTitle = 30, kCombinerLine = 20, kCombinerFoot = 46, kCombinerGap = 36, kMostRow = 40;

// The words above a way's map: what it costs, in lines of this width.
std::vector<std::string> cost_lines(const CombinerInput::Way& way, float wide, const TextMeasure& measure) {
  std::vector<std::string> lines;
  for (const std::string& fact : way.facts)
    for (std::string& line : wrap(fact, wide, 14, Font::words, measure)) lines.push_back(std::move(line));
  return lines;
}

// Title, formula and facts of one way, above its map.
void add_words(const Composer& pen, const CombinerInput::Way& way, float x, float wide) {
  const Theme& theme = pen.theme;
  float y = kCombinerTitle + 12;
  pen.text(x, y, way.title, 15, Font::words_bold, theme.text, Align::start, wide, kAxisTag);
  y += 22;
  pen.text(x, y, way.formula, 14, Font::mono, theme.text, Align::start, wide);
  y += 22;
  for (const std::string& line : cost_lines(way, wide, pen.measure)) {
    pen.text(x, y, line, 14, Font::words, theme.secondary, Align::start, wide);
    y += kCombinerLine;
  }
}

}  // namespace

Figure combiner_picture(const CombinerInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(tr("Two ways to make the heads one"), width, height, theme);
  const Composer pen{figure, theme, measure};
  pen.text(0, 10, figure.title, 16, Font::words_bold, theme.text, Align::start, width, kTitleTag);
  const std::int64_t rows = input.ways[0].output.dim(0);
  const float names = row_names_width(input.labels, width, measure);
  const float wide = std::max(20.0f, (width - names - kCombinerGap) / 2);
  std::size_t most = 0;
  for (const CombinerInput::Way& way : input.ways) most = std::max(most, cost_lines(way, wide, measure).size());
  const float head = kCombinerTitle + 64 + static_cast<float>(most) * kCombinerLine;
  const std::vector<std::string> said = wrap(input.below, width - names, 14, Font::words, measure);
  const float foot = kCombinerFoot + static_cast<float>(said.size()) * kCombinerLine;
  const float pitch = std::clamp((height - head - foot) / static_cast<float>(rows), 0.5f, kMostRow);
  const float below = head + pitch * static_cast<float>(rows);
  add_row_names(pen, input.labels, rows, input.hot, {names - 10, head}, pitch);
  for (std::size_t i = 0; i < input.ways.size(); ++i) {
    const CombinerInput::Way& way = input.ways[i];
    const float x = names + static_cast<float>(i) * (wide + kCombinerGap);
    add_words(pen, way, x, wide);
    add_signed_map(pen, {.values = way.output,
                         .largest = way.largest,
                         .box = {x, head, wide, below - head},
                         .key = input.key * 4 + i,
                         .tag = {Tag::cell_area, static_cast<std::int64_t>(i) * kCombinerMap, 0},
                         .hot = input.hot});
    figure.data.push_back({way.name, way.output, {"token", "dimension"}, {input.labels, {}}});
  }
  float y = below + 34;
  for (const std::string& line : said) {
    pen.text(names, y, line, 14, Font::words, theme.text, Align::start, width - names);
    y += kCombinerLine;
  }
  add_map_words(pen, input.note, names, width, y);
  return figure;
}

}  // namespace headlight::figures
