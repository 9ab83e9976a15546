#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/figures/counting/counting_figures.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kCostsHead = 16, kWords = 14, kLine = 25;

// "349.1 GFLOP"
std::string operations(double flops) {
  const char* const units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"};
  std::size_t unit = 0;
  for (; flops >= 1000 && unit + 1 < std::size(units); ++unit) flops /= 1000;
  char text[48];
  std::snprintf(text, sizeof text, "%.1f %s", flops, units[unit]);
  return text;
}

}  // namespace

Figure counting_costs(const CountingInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.background = theme.background;
  figure.title = fill(tr("What {} weighs and costs"), {input.sizes.label});
  const Composer pen{figure, theme, measure};
  float y = 0;
  const auto title = [&](const std::string& words) {
    pen.line({0, y}, {width, y}, theme.line, 1);
    pen.text(0, y + 22, words, kCostsHead, Font::words_bold, theme.text, Align::start, width);
    y += 42;
  };
  const auto line = [&](const std::string& name, double bytes, Color color) {
    pen.box({0, y + 5, 10, 10}, color, {0, 0, 0, 0}, 0, 2);
    pen.text(18, y + 10, name, kWords, Font::words, theme.text);
    pen.text(width, y + 10, weight_words(bytes), kWords, Font::mono, theme.text, Align::end);
    y += kLine;
  };
  const auto bar = [&](const std::string& name, double flops, double most, Color color) {
    pen.text(0, y + 8, name, 13, Font::words, theme.text);
    pen.text(width, y + 8, operations(flops), 13, Font::mono, theme.text, Align::end);
    pen.bar({0, y + 20, width, 8}, most > 0 ? flops / most : 0, color);
    y += 40;
  };
  const auto paragraph = [&](const std::string& words) {
    for (const std::string& one : wrap(words, width, 13, Font::words, measure)) {
      pen.text(0, y + 9, one, 13, Font::words, theme.secondary);
      y += 19;
    }
    y += 6;
  };

  const ModelSizes& sizes = input.sizes;
  const double weights = input.bytes * static_cast<double>(input.count.total);
  const double cache = cache_bytes(sizes, input.tokens, input.bytes), maps = map_bytes(sizes, input.tokens, input.bytes);
  const std::string tokens = text::grouped_number(std::llround(input.tokens));
  pen.text(0, y + 9, fill(tr("at {} tokens"), {tokens}), 13, Font::words, theme.selected, Align::start, width);
  y += 24;
  line(tr("weights"), weights, theme.hues[9]);
  if (cache > 0) line(tr("key-value cache"), cache, theme.hues[1]);
  line(tr("one layer's maps"), maps, theme.hues[4]);
  if (cache > 0) {
    const double equal = equal_length(sizes);
    paragraph(fill(tr("cache and maps are equal at {} tokens: {}"),
                   {text::grouped_number(std::llround(equal)), weight_words(cache_bytes(sizes, equal, input.bytes))}));
  }
  y += 8;

  title(tr("Cost of the next word"));
  const double through = matrix_flops(sizes), back = look_back_flops(sizes, input.tokens);
  bar(tr("through the matrices"), through, std::max(through, back), theme.secondary);
  bar(fill(tr("looking back at {} tokens"), {tokens}), back, std::max(through, back), theme.info);
  y += 4;

  title(tr("Why a value is two thin maps"));
  const auto d = static_cast<double>(sizes.d_model), k = static_cast<double>(sizes.d_k);
  const float side = std::min(84.0f, width * 0.3f), thin = std::max(1.5f, side * static_cast<float>(std::min(1.0, k / d)));
  const Color hue = theme.hues[4];
  pen.box({0, y, side, side}, with_alpha(hue, 0.35f), hue, 1);
  pen.text(side + 14, y + side / 2, tr("or"), kWords, Font::words, theme.secondary);
  const float x = side + 44;
  pen.box({x, y, thin, side}, hue);
  pen.text(x + thin + 10, y + side / 2, "×", kWords, Font::mono, theme.secondary);
  pen.box({x + thin + 28, y + side / 2 - thin / 2, side, thin}, hue);
  y += side + 14;
  const double full = d * d, two = 2 * d * k;
  char times[32];
  std::snprintf(times, sizeof times, "%.3g", full / two);
  paragraph(fill(tr("A value map of full rank would have {} numbers a head, instead of {}: {} times as many."),
                 {text::grouped_number(std::llround(full)), text::grouped_number(std::llround(two)), times}));
  figure.height = y;

  const std::vector<double> values = {input.tokens, weights, cache, maps, through, back};
  figure.data.push_back({"costs",
                         Tensor::of(values, {6}),
                         {"of it"},
                         {{"tokens", "weight bytes", "cache bytes", "map bytes", "matrix flops", "look-back flops"}}});
  return figure;
}

}  // namespace headlight::figures
