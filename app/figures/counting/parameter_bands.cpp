#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/figures/counting/counting_figures.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

using Kind = CountedMatrix::Part;

constexpr float kTop = 30, kBottom = 22, kNames = 150, kLeastNames = 520;
constexpr std::int64_t kMostColumns = 240;  // more layers are drawn as one block

struct Column {
  std::int64_t attentions = 1;  // two in a decoder that looks at an encoder
  double numbers = 0;
};

double of_layer(const ParameterCount& count, const Column& column) {
  double sum = 0;
  for (const CountedMatrix& m : count.lines)
    if (m.part != Kind::embedding)
      sum += static_cast<double>(m.a_layer) * (m.part == Kind::attention ? static_cast<double>(column.attentions) : 1.0);
  return sum;
}

std::vector<Column> layers_of(const CountingInput& input) {
  std::vector<Column> columns(static_cast<std::size_t>(input.sizes.encoder_layers));
  columns.resize(columns.size() + static_cast<std::size_t>(input.sizes.layers), {input.sizes.encoder_layers > 0 ? 2 : 1, 0});
  for (Column& column : columns) column.numbers = of_layer(input.count, column);
  return columns;
}

// One layer's lines from top to bottom, each as high as its share.
void draw_layer(const CountingInput& input, const Column& column, Box box, float gap, const Composer& pen) {
  float y = box.y;
  for (std::size_t i = 0; i < input.count.lines.size(); ++i) {
    const CountedMatrix& m = input.count.lines[i];
    if (m.part == Kind::embedding || column.numbers <= 0) continue;
    const double numbers =
        static_cast<double>(m.a_layer) * (m.part == Kind::attention ? static_cast<double>(column.attentions) : 1.0);
    const auto high = static_cast<float>(numbers / column.numbers) * box.h;
    const bool selected = m.id == input.line;
    pen.box({box.x, y, std::max(0.5f, box.w - gap), std::max(0.5f, high - gap)},
            with_alpha(counted_color(m, pen.theme), input.line.empty() || selected ? 0.9f : 0.55f), {0, 0, 0, 0}, 0, 0,
            {Tag::row, static_cast<std::int64_t>(i), 0});
    y += high;
  }
}

void draw_names(const CountingInput& input, float high, const Composer& pen) {
  const double total = static_cast<double>(std::max<std::int64_t>(1, input.count.total));
  const double layers = static_cast<double>(std::max<std::int64_t>(1, input.count.attention + input.count.feed_forward));
  const bool low = high < 94;  // there is no room for two blocks of three lines
  const float block = low ? 36 : 54, apart = low ? 40 : 62;
  const auto put = [&](const char* name, std::int64_t numbers, float y) {
    char share[16];
    std::snprintf(share, sizeof share, "%.1f%%", 100 * static_cast<double>(numbers) / total);
    pen.text(0, y + 9, name, 15, Font::words_bold, pen.theme.text, Align::start, kNames - 10);
    if (!low) pen.text(0, y + 28, text::grouped_number(numbers), 13, Font::mono, pen.theme.secondary, Align::start, kNames - 10);
    pen.text(0, y + block - 8, share, 14, Font::mono, pen.theme.text);
  };
  put(tr("attention"), input.count.attention, kTop);
  if (input.count.feed_forward == 0) return;
  const float below = kTop + high * static_cast<float>(static_cast<double>(input.count.attention) / layers);
  put(tr("feed-forward"), input.count.feed_forward,
      std::clamp(below, kTop + apart, std::max(kTop + apart, kTop + high + kBottom - block)));
}

}  // namespace

Figure parameter_bands(const CountingInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.height = height;
  figure.background = theme.background;
  const ParameterCount& c = input.count;
  const double total = static_cast<double>(std::max<std::int64_t>(1, c.total));
  char share[16];
  std::snprintf(share, sizeof share, "%.1f", 100 * static_cast<double>(c.attention) / total);
  figure.title = fill(tr("Attention is {} % of it"), {share});
  const Composer pen{figure, theme, measure};
  pen.text(0, 10, figure.title, 16, Font::words_bold, theme.text);
  const std::string how = tr("a column is a layer, an area is a number of parameters");
  if (measure.width(how, 13, Font::words) + measure.width(figure.title, 16, Font::words_bold) + 24 < width)
    pen.text(width, 10, how, 13, Font::words, theme.secondary, Align::end);
  const float high = std::max(20.0f, height - kTop - kBottom), names = width >= kLeastNames ? kNames : 0;
  if (names > 0) draw_names(input, high, pen);
  const std::vector<Column> layers = layers_of(input);
  const double in_layers = static_cast<double>(c.attention + c.feed_forward);
  const float room = width - names;
  float x = names;
  const auto draw_side = [&](bool out) {
    for (std::size_t i = 0; i < c.lines.size(); ++i) {
      const CountedMatrix& m = c.lines[i];
      if (m.part != Kind::embedding || (m.id == "unembedding") != out) continue;
      const float wide = std::max(1.5f, room * static_cast<float>(static_cast<double>(m.numbers) / total));
      pen.box({x, kTop, std::max(1.0f, wide - 1), high}, counted_color(m, theme), {0, 0, 0, 0}, 0, 0,
              {Tag::row, static_cast<std::int64_t>(i), 0});
      x += wide;
    }
  };
  draw_side(false);
  const float first = x;
  const float wide = room * static_cast<float>(in_layers / total);
  if (static_cast<std::int64_t>(layers.size()) > kMostColumns) {
    Column all = layers.back();
    draw_layer(input, all, {x, kTop, wide, high}, 0, pen);
    x += wide;
  } else {
    for (const Column& column : layers) {
      const float each = wide * static_cast<float>(column.numbers / std::max(in_layers, 1.0));
      draw_layer(input, column, {x, kTop, each, high}, each > 3 ? 1.0f : 0.0f, pen);
      x += each;
    }
  }
  const float last = x;
  draw_side(true);
  const std::string span = fill(tr("layers 0 to {}"), {text::grouped_number(static_cast<std::int64_t>(layers.size()) - 1)});
  const float wide_span = measure.width(span, 13, Font::words), y = kTop + high + 12;
  const float middle =
      std::clamp((first + last) / 2, names + wide_span / 2, std::max(names + wide_span / 2, width - wide_span / 2));
  pen.text(middle, y, span, 13, Font::words, theme.secondary, Align::middle);
  const float half = wide_span / 2 + 12;
  const std::string in = tr("embedding"), out = tr("unembedding");
  if (names + measure.width(in, 13, Font::words) < middle - half) pen.text(names, y, in, 13, Font::words, theme.secondary);
  if (!input.sizes.shared && width - measure.width(out, 13, Font::words) > middle + half)
    pen.text(width, y, out, 13, Font::words, theme.secondary, Align::end);
  return figure;
}

}  // namespace headlight::figures
