#include "app/views/tokens/language_picture.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kLegendHigh = 44, kScaleHigh = 24, kLeastLine = 17, kMostLine = 26, kHint = 22;
constexpr double kMostUnknown = 0.1;

Color color_of(const Theme& theme, int hue) {
  return hue < 0 ? theme.secondary : theme.hues[static_cast<std::size_t>(hue) % theme.hues.size()];
}

struct TimesScale {
  double low = 0.5, high = 2;
  float left = 0, right = 0;
  float at(double times) const {
    const double share = std::log(std::max(times, 1e-3) / low) / std::log(high / low);
    return left + static_cast<float>(share) * (right - left);
  }
};

Data data_of(const LanguagePlot& input) {
  Data data{
      "tokens",
      Tensor(DType::f32, {static_cast<std::int64_t>(input.languages.size()), static_cast<std::int64_t>(input.series.size()), 3}),
      {"language", "tokenizer", "of it"},
      {input.languages, {}, {"tokens", "times", "unknown"}}};
  float* out = data.values.data<float>();
  for (std::size_t l = 0; l < input.languages.size(); ++l)
    for (const auto& series : input.series) {
      *out++ = static_cast<float>(series.tokens[l]);
      *out++ = static_cast<float>(series.times[l]);
      *out++ = static_cast<float>(series.unknown[l]);
    }
  for (const auto& series : input.series) data.labels[1].push_back(series.name);
  return data;
}

void add_heading(const Composer& pen, const std::string& words, const std::string& right, float width) {
  const std::string heading = first_that_fits({words, ""}, width, 13, Font::words, pen.measure);
  const float left = width - pen.measure.width(heading, 13, Font::words) - 12;
  pen.text(0, 9, heading, 13, Font::words, pen.theme.secondary);
  pen.text(width, 9, first_that_fits({right, ""}, left, 13, Font::words, pen.measure), 13, Font::words, pen.theme.secondary,
           Align::end);
}

}  // namespace

Figure language_plot(const LanguagePlot& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.title = tr("how many more tokens each language needs");
  if (!input.languages.empty() && !input.series.empty()) figure.data.push_back(data_of(input));
  const Composer pen{figure, theme, measure};
  // The legend, in as many lines as it needs.
  float x = 0, y = 0;
  for (std::size_t s = 0; s < input.series.size(); ++s) {
    const auto& series = input.series[s];
    const float room =
        std::max(measure.width(series.name, 14, Font::words_bold), measure.width(series.note, 12, Font::words)) + 40;
    if (x > 0 && x + room > width) {
      x = 0;
      y += kLegendHigh;
    }
    const bool sorted = static_cast<std::int64_t>(s) == input.sorted_by;
    pen.box({x, y, room - 8, kLegendHigh - 4}, {0, 0, 0, 0}, {}, 0, 4, {Tag::column, static_cast<std::int64_t>(s), 0});
    add_mark(figure, series.mark, {x + 8, y + 12}, 6, color_of(theme, series.hue), theme.background);
    pen.text(x + 22, y + 12, series.name, 14, sorted ? Font::words_bold : Font::words, sorted ? theme.selected : theme.text);
    pen.text(x + 22, y + 30, series.note, 12, Font::words, theme.secondary);
    x += room;
  }
  y += kLegendHigh;
  float names = 0, scripts = 0;
  for (std::size_t l = 0; l < input.languages.size(); ++l) {
    names = std::max(names, measure.width(input.languages[l], 14, Font::words));
    scripts = std::max(scripts, measure.width(input.scripts[l], 13, Font::words));
  }
  names = std::min(names + 14, 150.0f);
  if (width < 620) scripts = 0;  // when room is short
  const float lane = 64, lane_left = names + (scripts > 0 ? scripts + 14 : 0);
  bool any_unknown = false;
  double least = 0.8, most = 2.2;
  for (const auto& series : input.series)
    for (std::size_t l = 0; l < input.languages.size(); ++l) {
      if (series.unknown[l] > kMostUnknown) {
        any_unknown = true;
        continue;
      }
      if (series.times[l] <= 0) continue;
      least = std::min(least, series.times[l]);
      most = std::max(most, series.times[l]);
    }
  const TimesScale scale{0.92 * least, 1.08 * most, lane_left + lane + 14, width - 12};
  const auto lines = static_cast<float>(input.languages.size());
  const float pitch = std::clamp((height - y - kScaleHigh - kHint) / std::max(1.0f, lines), kLeastLine, kMostLine);
  const float top = y + kScaleHigh, bottom = top + pitch * lines;
  if (any_unknown) pen.text(lane_left + lane / 2, y + 10, tr("unknown"), 12, Font::words, theme.secondary, Align::middle);
  for (double tick = std::exp2(std::ceil(std::log2(scale.low))); tick <= scale.high; tick *= 2) {
    const float at = scale.at(tick);
    char words[32];
    std::snprintf(words, sizeof words, tick < 1 ? "%.2g×" : "%.0f×", tick);
    pen.text(at, y + 10, tick == 1 ? input.base : words, 12, Font::words, tick == 1 ? theme.text : theme.secondary,
             Align::middle);
    pen.line({at, top}, {at, bottom}, tick == 1 ? theme.secondary : theme.line);
  }
  for (std::size_t line = 0; line < input.order.size(); ++line) {
    const std::size_t l = input.order[line];
    const float middle = top + (static_cast<float>(line) + 0.5f) * pitch;
    const bool hot = static_cast<std::int64_t>(l) == input.hot;
    pen.box({0, middle - pitch / 2, width, pitch}, hot ? with_alpha(theme.selected, 0.10f) : Color{0, 0, 0, 0},
            hot ? theme.selected : Color{0, 0, 0, 0}, hot ? 1.0f : 0.0f, 4, {Tag::row, static_cast<std::int64_t>(l), 0});
    pen.text(4, middle, input.languages[l], 14, hot ? Font::words_bold : Font::words, hot ? theme.selected : theme.text,
             Align::start, names - 6);
    if (scripts > 0) pen.text(names, middle, input.scripts[l], 13, Font::words, theme.secondary, Align::start, scripts + 12);
    double low = 1e9, high = 0;
    float free = lane_left;
    for (const auto& series : input.series) {
      if (series.unknown[l] > kMostUnknown) {
        if (free + 14 > lane_left + lane) continue;
        pen.box({free, middle - 7, 14, 14}, theme.raised, theme.line, 1, 3);
        add_mark(figure, series.mark, {free + 7, middle}, 4, color_of(theme, series.hue), theme.background);
        free += 16;
      } else if (series.times[l] > 0) {
        low = std::min(low, series.times[l]);
        high = std::max(high, series.times[l]);
      }
    }
    if (high > low) pen.line({scale.at(low), middle}, {scale.at(high), middle}, with_alpha(theme.secondary, 0.45f), 1.5f);
    // Rings last: they stay visible around what lies below.
    for (const bool rings : {false, true})
      for (const auto& series : input.series)
        if ((series.mark == Mark::ring) == rings && series.times[l] > 0 && series.unknown[l] <= kMostUnknown)
          add_mark(figure, series.mark, {scale.at(series.times[l]), middle}, series.mark == Mark::ring ? 6.5f : 4.5f,
                   color_of(theme, series.hue), theme.background);
  }
  if (any_unknown)
    pen.text(0, bottom + 12,
             first_that_fits(
                 {tr("In the lane \"unknown\": more than a tenth of the tokens say nothing, so the language only looks cheap."),
                  tr("\"unknown\": more than a tenth of the tokens say nothing.")},
                 width, 12, Font::words, measure),
             12, Font::words, theme.secondary);
  figure.height = bottom + kHint;
  return figure;
}

namespace {

// The room of the rows' names and the marks before them.
template <class Row>
float language_names_width(const std::vector<Row>& rows, float width, const TextMeasure& measure) {
  float names = 60;
  for (const Row& row : rows) names = std::max(names, measure.width(row.name, 13, Font::words) + 24);
  return std::min(names, 0.3f * width);
}

}  // namespace

Figure language_cuts(const LanguageCuts& input, float width, const Theme& theme, const TextMeasure& measure) {
  constexpr float kCutHigh = 32, kCutChip = 26;
  Figure figure;
  figure.width = width;
  const Composer pen{figure, theme, measure};
  add_heading(pen, input.heading, input.right, width);
  const float names = language_names_width(input.rows, width, measure);
  const float counts = 36, left = names + counts, room = width - left;
  const auto at = [&](std::int64_t byte) {
    return left + room * static_cast<float>(byte) / static_cast<float>(std::max<std::int64_t>(1, input.bytes));
  };
  float y = 26;
  for (const auto& row : input.rows) {
    const Color color = color_of(theme, row.hue);
    if (row.hue >= 0) add_mark(figure, row.mark, {7, y + kCutChip / 2}, 5, color, theme.background);
    const float indent = row.hue >= 0 ? 20.0f : 0.0f;
    pen.text(indent, y + kCutChip / 2, row.name, 13, Font::words, theme.text, Align::start, names - indent);
    pen.text(left - 8, y + kCutChip / 2, row.count, 13, Font::mono, theme.text, Align::end);
    for (std::size_t p = 0; p < row.pieces.size(); ++p) {
      const auto& piece = row.pieces[p];
      if (piece.end <= piece.start) continue;
      // Pieces that stand for the same letter share its room.
      std::size_t first = p, last = p + 1;
      while (first > 0 && row.pieces[first - 1].start == piece.start && row.pieces[first - 1].end == piece.end) --first;
      while (last < row.pieces.size() && row.pieces[last].start == piece.start && row.pieces[last].end == piece.end) ++last;
      const float each = (at(piece.end) - at(piece.start)) / static_cast<float>(last - first);
      const Box box{at(piece.start) + each * static_cast<float>(p - first) + 0.5f, y, std::max(1.0f, each - 1), kCutChip};
      pen.box(box, row.hue < 0 ? theme.raised : with_alpha(color, 0.18f), row.hue < 0 ? theme.line : color, 1,
              std::min(4.0f, box.w / 3));
      pen.text(box.x + box.w / 2, y + kCutChip / 2, first_that_fits({piece.text, ""}, box.w - 2, 14, Font::mono, measure), 14,
               Font::mono, theme.text, Align::middle);
    }
    y += kCutHigh;
  }
  figure.height = y;
  return figure;
}

Figure language_fits(const LanguageFits& input, float width, const Theme& theme, const TextMeasure& measure) {
  constexpr float kFitHigh = 24, kFitCell = 14;
  Figure figure;
  figure.width = width;
  const Composer pen{figure, theme, measure};
  add_heading(pen, input.heading, input.right, width);
  const float names = language_names_width(input.rows, width, measure);
  const float left = names + 36, each = (width - left) / static_cast<float>(std::max<std::int64_t>(1, input.texts));
  float y = 26;
  for (const auto& row : input.rows) {
    const Color color = color_of(theme, row.hue);
    if (row.hue >= 0) add_mark(figure, row.mark, {7, y + kFitHigh / 2}, 5, color, theme.background);
    const float indent = row.hue >= 0 ? 20.0f : 0.0f;
    pen.text(indent, y + kFitHigh / 2, row.name, 13, Font::words, theme.text, Align::start, names - indent);
    pen.text(left - 8, y + kFitHigh / 2, std::to_string(row.fits), 13, Font::mono, theme.text, Align::end);
    for (std::int64_t i = 0; i < input.texts; ++i)
      pen.box({left + each * static_cast<float>(i) + 0.5f, y + (kFitHigh - kFitCell) / 2, std::max(1.0f, each - 1.5f), kFitCell},
              i < row.fits ? color : theme.raised, {}, 0, 2);
    pen.box({left + each * static_cast<float>(row.base) - 1, y + 1, 2, kFitHigh - 2}, theme.text);
    y += kFitHigh;
  }
  figure.height = y + 2;
  return figure;
}

}  // namespace headlight::figures
