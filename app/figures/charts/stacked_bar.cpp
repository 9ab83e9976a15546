#include "app/figures/charts/stacked_bar.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/non_finite.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kStackedBarTitle = 16, kStackedBarSmall = 13, kStackedBarToken = 15, kStackedBarHigh = 25, kStackedBarGap = 8,
                kStackedBarLeast = 2.5f;

Color bar_part_color(const Theme& theme, int hue) {
  const auto count = static_cast<int>(theme.hues.size());
  return theme.hues[static_cast<std::size_t>(((hue % count) + count) % count)];
}

}  // namespace

Figure stacked_bar(const StackedBarInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, std::max(width, 160.0f), 0, theme);
  const Composer pen{figure, theme, measure};

  float y = 0;
  if (!input.title.empty()) {
    const float line = measure.line_height(kStackedBarTitle, Font::words_bold);
    pen.text(0, line / 2, input.title, kStackedBarTitle, Font::words_bold, theme.text, Align::start, figure.width);
    y += line + 8;
  }

  float names = 0, totals = 0;  // the widths of the widest
  for (const auto& bar : input.bars) {
    names = std::max(names, measure.width(bar.label, kStackedBarSmall, Font::words));
    totals = std::max(totals, measure.width(bar.total, kStackedBarSmall, Font::mono));
  }
  // If there is little room, the names are above their bars.
  const bool above = names + totals + 24 > 0.5f * figure.width;
  const float left = above ? 0 : names + 12;
  const float room = figure.width - (above ? 0 : totals + 12) - left;
  const float line = measure.line_height(kStackedBarSmall, Font::words);

  for (const auto& bar : input.bars) {
    if (above) {
      pen.text(0, y + line / 2, bar.label, kStackedBarSmall, Font::words, theme.secondary, Align::start,
               std::max(1.0f, figure.width - totals - 8));
      pen.text(figure.width, y + line / 2, bar.total, kStackedBarSmall, Font::mono, theme.text, Align::end);
      y += line + 2;
    } else {
      pen.text(0, y + kStackedBarHigh / 2, bar.label, kStackedBarSmall, Font::words, theme.secondary);
      pen.text(figure.width, y + kStackedBarHigh / 2, bar.total, kStackedBarSmall, Font::mono, theme.text, Align::end);
    }
    double all = 0, below_zero = 0;
    for (const double value : bar.values) {
      if (!std::isfinite(value)) continue;
      all += std::abs(value);
      if (value < 0) below_zero -= value;
    }
    pen.box({left, y, room, kStackedBarHigh}, theme.raised, {0, 0, 0, 0}, 0, 3);
    if (all > 0) {
      // Values below 0 go to the left of the zero line, the others to its right.
      const float zero = left + room * static_cast<float>(below_zero / all);
      float next = zero, back = zero, rest = 0, rest_back = 0;
      int hidden = 0;
      for (std::size_t i = 0; i < bar.values.size() && i < input.parts.size(); ++i) {
        const double value = std::isfinite(bar.values[i]) ? bar.values[i] : 0;
        const float wide = room * static_cast<float>(std::abs(value) / all);
        if (wide < kStackedBarLeast) {
          (value < 0 ? rest_back : rest) += wide;
          hidden += value != 0;
          continue;
        }
        const Box box{value < 0 ? back - wide : next, y, std::max(1.0f, wide - 1), kStackedBarHigh};
        (value < 0 ? back : next) += value < 0 ? -wide : wide;
        const auto& part = input.parts[i];
        const Color fill = bar_part_color(theme, part.hue);
        const bool hot = part.index == input.hot;
        pen.box(box, fill, hot ? theme.text : Color{0, 0, 0, 0}, hot ? 3.0f : 0.0f, 2, {Tag::column, part.index, 0});
        if (measure.width(part.label, kStackedBarToken, Font::mono) + 8 <= box.w)
          pen.text(box.x + box.w / 2, y + kStackedBarHigh / 2, part.label, kStackedBarToken, Font::mono, ink_on(fill),
                   Align::middle, box.w, {Tag::column, part.index, 0});
      }
      if (rest > 0.5f) pen.box({next, y, rest, kStackedBarHigh}, theme.faint, {0, 0, 0, 0}, 0, 2);
      if (rest_back > 0.5f) pen.box({back - rest_back, y, rest_back, kStackedBarHigh}, theme.faint, {0, 0, 0, 0}, 0, 2);
      const std::string words = fill(input.rest_words, {std::to_string(hidden)});
      if (rest > measure.width(words, kStackedBarSmall, Font::words) + 8)
        pen.text(next + rest / 2, y + kStackedBarHigh / 2, words, kStackedBarSmall, Font::words, ink_on(theme.faint),
                 Align::middle);
      if (below_zero > 0) pen.line({zero - 0.5f, y - 3}, {zero - 0.5f, y + kStackedBarHigh + 3}, theme.text, 2);
    }
    NonFiniteCount count;
    for (const double value : bar.values) count.add(value);
    const auto lines = count.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const float wide = room / static_cast<float>(lines.size());
      figure.add(gap_mark(lines[i].kind, {left + static_cast<float>(i) * wide, y + kStackedBarHigh - 4, wide, 4},
                          count.of(lines[i].kind)));
    }
    y += kStackedBarHigh + kStackedBarGap;
  }
  if (!input.bars.empty()) y -= kStackedBarGap;

  if (!input.note.empty()) {
    y += 6;
    for (const std::string& words : wrap(input.note, figure.width, kStackedBarSmall, Font::words, measure)) {
      pen.text(0, y + line / 2, words, kStackedBarSmall, Font::words, theme.secondary, Align::start, 0, kNoteTag);
      y += line + 1;
    }
  }
  figure.height = std::max(1.0f, std::ceil(y + 2));

  if (input.parts.empty() || input.bars.empty()) return figure;
  Data data;
  data.name = input.title.empty() ? "contributions" : input.title;
  data.axes = {"measure", "key"};
  data.values = Tensor(DType::f64, {static_cast<std::int64_t>(input.bars.size()), static_cast<std::int64_t>(input.parts.size())});
  data.labels.resize(2);
  for (const auto& part : input.parts) data.labels[1].push_back(part.label);
  for (std::size_t b = 0; b < input.bars.size(); ++b) {
    data.labels[0].push_back(input.bars[b].label);
    for (std::size_t i = 0; i < input.parts.size() && i < input.bars[b].values.size(); ++i)
      data.values.data<double>()[b * input.parts.size() + i] = input.bars[b].values[i];
  }
  figure.data.push_back(std::move(data));
  return figure;
}

}  // namespace headlight::figures
