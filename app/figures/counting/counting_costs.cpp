#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/figures/counting/counting_figures.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kHead = 16, kWords = 14, kLine = 25;

// "349.1 GFLOP"
std::string operations(double flops) {
  const char* const units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"};
  std::size_t unit = 0;
  for (; flops >= 1000 && unit + 1 < std::size(units); ++unit) flops /= 1000;
  char text[48];
  std::snprintf(text, sizeof text, "%.1f %s", flops, units[unit]);
  return text;
}

class Costs {
 public:
  Costs(const CountingInput& input, float width, const Composer& pen) : input_(input), width_(width), pen_(pen) {}

  void weights() {
    const double tokens = input_.tokens, bytes = input_.bytes;
    note(fill(tr("at {} tokens"), {text::grouped_number(std::llround(tokens))}), pen_.theme.selected);
    line(tr("weights"), weight_words(bytes * static_cast<double>(input_.count.total)), pen_.theme.hues[9]);
    const double cache = cache_bytes(input_.sizes, tokens, bytes);
    if (cache > 0) line(tr("key-value cache"), weight_words(cache), pen_.theme.hues[1]);
    line(tr("one layer's maps"), weight_words(map_bytes(input_.sizes, tokens, bytes)), pen_.theme.hues[4]);
    if (cache > 0) {
      const double equal = equal_length(input_.sizes);
      paragraph(fill(tr("cache and maps are equal at {} tokens: {}"),
                     {text::grouped_number(std::llround(equal)), weight_words(cache_bytes(input_.sizes, equal, bytes))}));
    }
  }

  void next_word() {
    title(tr("Cost of the next word"));
    const double through = matrix_flops(input_.sizes), back = look_back_flops(input_.sizes, input_.tokens);
    bar(tr("through the matrices"), through, std::max(through, back), pen_.theme.secondary);
    bar(fill(tr("looking back at {} tokens"), {text::grouped_number(std::llround(input_.tokens))}), back, std::max(through, back),
        pen_.theme.info);
  }

  void value_map() {
    const ModelSizes& s = input_.sizes;
    title(tr("Why a value is two thin maps"));
    const auto d = static_cast<double>(s.d_model), k = static_cast<double>(s.d_k);
    const float side = std::min(84.0f, width_ * 0.3f), thin = std::max(1.5f, side * static_cast<float>(std::min(1.0, k / d)));
    const Color hue = pen_.theme.hues[4];
    pen_.box({0, y_, side, side}, with_alpha(hue, 0.35f), hue, 1);
    pen_.text(side + 14, y_ + side / 2, tr("or"), kWords, Font::words, pen_.theme.secondary);
    const float x = side + 44;
    pen_.box({x, y_, thin, side}, hue);
    pen_.text(x + thin + 10, y_ + side / 2, "×", kWords, Font::mono, pen_.theme.secondary);
    pen_.box({x + thin + 28, y_ + side / 2 - thin / 2, side, thin}, hue);
    y_ += side + 14;
    const double full = d * d, two = 2 * d * k;
    char times[32];
    std::snprintf(times, sizeof times, "%.3g", full / two);
    paragraph(fill(tr("A value map of full rank would have {} numbers a head, instead of {}: {} times as many."),
                   {text::grouped_number(std::llround(full)), text::grouped_number(std::llround(two)), times}));
  }

  void space(float points) { y_ += points; }
  float height() const { return y_; }

 private:
  void title(const std::string& words) {
    pen_.line({0, y_}, {width_, y_}, pen_.theme.line, 1);
    pen_.text(0, y_ + 22, words, kHead, Font::words_bold, pen_.theme.text, Align::start, width_);
    y_ += 42;
  }
  void note(const std::string& words, Color color) {
    pen_.text(0, y_ + 9, words, 13, Font::words, color, Align::start, width_);
    y_ += 24;
  }
  void line(const std::string& name, const std::string& value, Color color) {
    pen_.box({0, y_ + 5, 10, 10}, color, {0, 0, 0, 0}, 0, 2);
    pen_.text(18, y_ + 10, name, kWords, Font::words, pen_.theme.text);
    pen_.text(width_, y_ + 10, value, kWords, Font::mono, pen_.theme.text, Align::end);
    y_ += kLine;
  }
  void bar(const std::string& name, double value, double most, Color color) {
    pen_.text(0, y_ + 8, name, 13, Font::words, pen_.theme.text);
    pen_.text(width_, y_ + 8, operations(value), 13, Font::mono, pen_.theme.text, Align::end);
    pen_.bar({0, y_ + 20, width_, 8}, most > 0 ? value / most : 0, color);
    y_ += 40;
  }
  void paragraph(const std::string& words) {
    for (const std::string& one : wrap(words, width_, 13, Font::words, pen_.measure)) {
      pen_.text(0, y_ + 9, one, 13, Font::words, pen_.theme.secondary);
      y_ += 19;
    }
    y_ += 6;
  }

  const CountingInput& input_;
  float width_, y_ = 0;
  const Composer& pen_;
};

}  // namespace

Figure counting_costs(const CountingInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.background = theme.background;
  figure.title = fill(tr("What {} weighs and costs"), {input.sizes.label});
  const Composer pen{figure, theme, measure};
  Costs costs(input, width, pen);
  costs.weights();
  costs.space(8);
  costs.next_word();
  costs.space(4);
  costs.value_map();
  figure.height = costs.height();
  const std::vector<double> values = {input.tokens,
                                      input.bytes * static_cast<double>(input.count.total),
                                      cache_bytes(input.sizes, input.tokens, input.bytes),
                                      map_bytes(input.sizes, input.tokens, input.bytes),
                                      matrix_flops(input.sizes),
                                      look_back_flops(input.sizes, input.tokens)};
  figure.data.push_back({"costs",
                         Tensor::of(values, {6}),
                         {"of it"},
                         {{"tokens", "weight bytes", "cache bytes", "map bytes", "matrix flops", "look-back flops"}}});
  return figure;
}

}  // namespace headlight::figures
