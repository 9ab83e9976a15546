#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/long_texts/long_figures.h"
#include "app/text/language.h"
#include "engine/core/sorting.h"
#include "engine/text/grouped_number.h"

namespace headlight::figures {
namespace {

constexpr float kCostSmall = 13, kCostTitle = 16, kCostLeast = 13, kCostPitch = 18;

std::string cost_tick(double value, bool seconds) {
  if (seconds) {
    char text[24];
    const double unit = value < 0.999e-3 ? 1e6 : value < 0.999 ? 1e3 : 1;
    std::snprintf(text, sizeof text, "%.0f %s", value * unit, unit > 1e4 ? "µs" : unit > 1 ? "ms" : "s");
    return text;
  }
  static const char* const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  for (const char digit : std::to_string(std::lround(std::log10(value)))) text += raised[digit - '0'];
  return text;
}

std::string exponent_words(double exponent) {
  char text[24];
  if (!std::isfinite(exponent)) return {};
  std::snprintf(text, sizeof text, "%.2f", exponent);
  return text;
}

}  // namespace

Figure long_costs(const LongCostsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, height, theme);
  const Composer pen{figure, theme, measure};
  const bool seconds = input.of == LongCostsInput::Of::seconds;
  const auto known = [](double value) { return std::isfinite(value) && value > 0; };
  double x_low = 64, x_high = 8192;
  if (!input.lengths.empty()) {
    x_low = input.lengths.front();
    x_high = std::max(input.lengths.back(), x_low * 2);
  }
  double low = 0, high = 0;
  for (const auto& line : input.lines)
    for (const double value : line.y) {
      if (!known(value)) continue;
      low = low > 0 ? std::min(low, value) : value;
      high = std::max(high, value);
    }
  if (low <= 0) low = seconds ? 1e-5 : 1e4, high = 100 * low;
  const double y_low = std::pow(10.0, std::floor(std::log10(low) + 1e-9));
  double y_high = std::pow(10.0, std::ceil(std::log10(high) - 1e-9));
  if (y_high <= y_low) y_high = 10 * y_low;

  float ticks = 0;
  for (double value = y_low; value <= y_high * 1.01; value *= 10)
    ticks = std::max(ticks, measure.width(cost_tick(value, seconds), kCostSmall, Font::mono));
  float top = 2;
  if (!input.title.empty()) top += 22;
  if (!input.note.empty()) top += 18 * static_cast<float>(wrap(input.note, width, kCostSmall, Font::words, measure).size());
  top += 28;         // the name of the y axis
  float widest = 0;  // of the names at the lines' ends
  for (const auto& line : input.lines) widest = std::max(widest, measure.width(line.label, kCostSmall, Font::words));
  for (const auto& guide : input.guides) widest = std::max(widest, measure.width(guide.label, kCostSmall, Font::mono));
  const float numbers = input.lines.empty() ? 0 : measure.width("0.00", kCostSmall, Font::mono);
  const Box plot{ticks + 10, top, std::max(60.0f, width - (ticks + 10) - (18 + widest + 10 + numbers) - 2),
                 std::max(60.0f, height - top - 42)};
  const auto x = [&](double tokens) {
    const double share = std::log(tokens / x_low) / std::log(x_high / x_low);
    return plot.x + static_cast<float>(std::clamp(share, 0.0, 1.0)) * plot.w;
  };
  const auto y = [&](double value) {
    const double share = std::log(value / y_low) / std::log(y_high / y_low);
    return plot.y + plot.h - static_cast<float>(std::clamp(share, 0.0, 1.0)) * plot.h;
  };

  float heading = 10;
  if (!input.title.empty()) {
    pen.text(0, heading, input.title, kCostTitle, Font::words_bold, theme.text, Align::start, width, kTitleTag);
    heading += 22;
  }
  for (const std::string& line : wrap(input.note, width, kCostSmall, Font::words, measure)) {
    if (input.note.empty()) break;
    pen.text(0, heading, line, kCostSmall, Font::words, theme.secondary, Align::start, width, kNoteTag);
    heading += 18;
  }
  pen.text(0, plot.y - 19, input.y_axis, kCostSmall, Font::words, theme.secondary, Align::start, plot.x + plot.w, kAxisTag);

  double every = 10;
  while (std::log(y_high / y_low) / std::log(every) * 16 > static_cast<double>(plot.h)) every *= 10;
  for (double value = y_low; value <= y_high * 1.01; value *= every) {
    pen.line({plot.x, y(value)}, {plot.x + plot.w, y(value)}, theme.line, 1);
    pen.text(plot.x - 8, y(value), cost_tick(value, seconds), kCostSmall, Font::mono, theme.secondary, Align::end);
  }
  float free_from = -1e6f;
  const float below = plot.y + plot.h + 12;
  for (const double length : input.lengths) {
    const std::string words = text::grouped_number(std::llround(length));
    const float wide = measure.width(words, kCostSmall, Font::mono);
    float middle = x(length);
    pen.line({middle, plot.y + plot.h}, {middle, plot.y + plot.h + 4}, theme.line, 1);
    middle = std::min(middle, plot.x + plot.w + 14 - wide / 2);  // the names of the lines begin behind it
    if (middle - wide / 2 < free_from) continue;
    pen.text(middle, below, words, kCostSmall, Font::mono, theme.secondary, Align::middle);
    free_from = middle + wide / 2 + 6;
  }
  pen.text(plot.x + plot.w, below + 18, input.x_axis, kCostSmall, Font::words, theme.secondary, Align::end, plot.w, kAxisTag);

  const auto draw_line = [&](const std::vector<double>& values, Color color, float thick, bool dashed, bool dots) {
    Point before{};
    bool open = false;
    for (std::size_t i = 0; i < values.size() && i < input.lengths.size(); ++i) {
      if (!known(values[i])) {
        open = false;
        continue;
      }
      const Point here{x(input.lengths[i]), y(values[i])};
      const bool inside = values[i] >= y_low * 0.999 && values[i] <= y_high * 1.001;
      if (open && !dashed) pen.line(before, here, color, thick);
      if (open && dashed && inside) {
        const float length = std::hypot(here.x - before.x, here.y - before.y);
        const auto on = [&](float where) {
          return Point{before.x + (here.x - before.x) * where / length, before.y + (here.y - before.y) * where / length};
        };
        for (float from = 0; from < length; from += 8) pen.line(on(from), on(std::min(length, from + 4)), color, thick);
      }
      if (dots) figure.add(Disc{here, thick + 1.5f, color, {}});
      before = here;
      open = !dashed || inside;
    }
  };
  for (const auto& guide : input.guides) draw_line(guide.y, with_alpha(theme.secondary, 0.7f), 1, true, false);
  const auto color_of = [&](const LongCostsInput::Line& line) {
    return line.selected ? theme.selected : method_group_color(line.group, theme);
  };
  for (const bool selected : {false, true})
    for (const auto& line : input.lines)
      if (line.selected == selected) draw_line(line.y, color_of(line), selected ? 2.5f : 1.25f, false, true);

  // Names at the lines' ends, moved apart so that none covers another.
  struct Name {
    std::string words, number;
    float at = 0, from = 0;
    Color color;
    std::int64_t line = -1;
    bool mono = false;
  };
  std::vector<Name> names;
  const auto end_of = [&](const std::vector<double>& values) {
    for (std::size_t i = values.size(); i-- > 0;)
      if (known(values[i])) return y(values[i]);
    return -1.0f;
  };
  for (std::size_t i = 0; i < input.lines.size(); ++i)
    if (const float at = end_of(input.lines[i].y); at >= 0)
      names.push_back({input.lines[i].label, exponent_words(input.lines[i].exponent), at, at, color_of(input.lines[i]),
                       static_cast<std::int64_t>(i), false});
  const float lowest = plot.y + plot.h + 8;
  // In a low chart the guides have no names.
  const bool room = (lowest - plot.y + 8) / static_cast<float>(names.size() + input.guides.size() + 1) >= kCostLeast;
  for (const auto& guide : input.guides)
    if (const float at = end_of(guide.y); room && at >= 0) names.push_back({guide.label, "", at, at, theme.secondary, -1, true});
  if (!names.empty()) {
    sort_stably(names, [](const Name& a, const Name& b) { return a.from < b.from; });
    const float pitch = std::clamp((lowest - plot.y + 8) / static_cast<float>(names.size()), kCostLeast, kCostPitch);
    for (std::size_t i = 1; i < names.size(); ++i) names[i].at = std::max(names[i].at, names[i - 1].at + pitch);
    names.back().at = std::min(names.back().at, lowest);
    for (std::size_t i = names.size() - 1; i-- > 0;) names[i].at = std::min(names[i].at, names[i + 1].at - pitch);
  }
  const float right = plot.x + plot.w;
  for (const Name& name : names) {
    pen.line({right + 2, name.from}, {right + 14, name.at}, with_alpha(name.color, 0.6f), 1);
    pen.text(right + 18, name.at, name.words, kCostSmall, name.mono ? Font::mono : Font::words, name.color, Align::start, 0,
             {Tag::link, name.line, 0});
    if (!name.number.empty())
      pen.text(figure.width - 2, name.at, name.number, kCostSmall, Font::mono, name.color, Align::end, 0,
               {Tag::link, name.line, 0});
  }

  // Where one is, and where the lines cross.
  const float bottom = plot.y + plot.h, here = x(std::clamp(input.tokens, x_low, x_high)), crossing = x(input.crossing);
  const bool crosses = input.crossing > x_low && input.crossing < x_high;
  if (input.tokens >= x_low && input.tokens <= x_high) pen.line({here, plot.y}, {here, bottom}, theme.selected, 1.5f);
  for (float from = plot.y; crosses && from < bottom; from += 6)
    pen.line({crossing, from}, {crossing, std::min(bottom, from + 3)}, theme.selected, 1);
  const auto draw_words_at = [&](float at, float middle, const std::string& words) {
    const float wide = measure.width(words, kCostSmall, Font::words);
    if (words.empty() || wide + 8 > plot.w) return;
    const bool fits_right = at + 8 + wide <= right, fits_left = at - 8 - wide >= plot.x;
    if (!fits_right && !fits_left) return;
    const float from = fits_right ? at + 8 : at - 8 - wide;
    pen.box({from - 3, middle - 9, wide + 6, 18}, with_alpha(theme.background, 0.85f), {0, 0, 0, 0}, 0, 3);
    pen.text(from, middle, words, kCostSmall, Font::words, theme.selected);
  };
  if (input.tokens > 0) draw_words_at(here, plot.y + 10, input.here);
  if (crosses) draw_words_at(crossing, bottom - 12, input.crossing_words);

  std::vector<double> values;
  std::vector<std::string> ids, lengths;
  for (const auto& line : input.lines) {
    ids.push_back(line.id);
    for (std::size_t i = 0; i < input.lengths.size(); ++i)
      values.push_back(i < line.y.size() ? line.y[i] : std::numeric_limits<double>::quiet_NaN());
  }
  for (const double length : input.lengths) lengths.push_back(std::to_string(std::llround(length)));
  if (!values.empty())
    figure.data.push_back({seconds                                 ? "seconds"
                           : input.of == LongCostsInput::Of::bytes ? "bytes"
                                                                   : "operations",
                           Tensor::of(values, {static_cast<std::int64_t>(ids.size()), static_cast<std::int64_t>(lengths.size())}),
                           {"method", "length"},
                           {ids, lengths}});
  return figure;
}

Figure speech_table(float width, const Theme& theme, const TextMeasure& measure) {
  constexpr float kLine = 22;
  struct Row {
    const char* name;
    const char* numbers[4];
  };
  const char* const heads[] = {"Bi-LSTM", "softmax", "LSH-4", tr("linear")};
  const Row rows[] = {{tr("phoneme error rate, %"), {"10.94", "5.12", "9.33", "8.08"}},
                      {tr("seconds an epoch"), {"1,047", "2,711", "2,250", "824"}}};
  Figure figure = begin_picture(tr("An example: speech"), width, 0, theme);
  const Composer pen{figure, theme, measure};
  float names = measure.width(figure.title, kCostSmall, Font::words);
  for (const Row& row : rows) names = std::max(names, measure.width(row.name, kCostSmall, Font::words));
  names += 4;  // at small scales letters are a little wider than measured
  const float column = std::max(50.0f, (width - names - 8) / 4);
  float y = kLine / 2;
  pen.text(0, y, figure.title, kCostSmall, Font::words, theme.secondary, Align::start, names);
  for (int i = 0; i < 4; ++i)
    pen.text(std::min(width, names + 8 + column * static_cast<float>(i + 1)), y, heads[i], kCostSmall, Font::words,
             theme.secondary, Align::end);
  for (const Row& row : rows) {
    y += kLine;
    pen.line({0, y - kLine / 2}, {width, y - kLine / 2}, theme.line, 1);
    pen.text(0, y, row.name, kCostSmall, Font::words, theme.secondary, Align::start, names);
    for (int i = 0; i < 4; ++i)
      pen.text(std::min(width, names + 8 + column * static_cast<float>(i + 1)), y, row.numbers[i], kCostSmall, Font::mono,
               theme.text, Align::end);
  }
  figure.height = y + kLine / 2;
  Tensor numbers = Tensor::of(std::vector<double>{10.94, 5.12, 9.33, 8.08, 1047, 2711, 2250, 824}, {2, 4});
  figure.data.push_back({"speech",
                         std::move(numbers),
                         {"measure", "model"},
                         {{"phoneme error rate, %", "seconds an epoch"}, {"Bi-LSTM", "softmax", "LSH-4", "linear"}}});
  return figure;
}

}  // namespace headlight::figures
