#include "app/figures/charts/loss_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/non_finite.h"
#include "app/figures/charts/curves.h"
#include "engine/core/one_nan.h"

namespace headlight::figures {
namespace {

constexpr float kLossTitle = 17, kLossSmall = 13, kLabel = 15, kThick = 3, kThin = 1.25f, kLossSwatch = 22;

std::string two_decimals(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", one_nan(value));
  return text;
}

double last_step(const LossChartInput& input) { return input.steps.empty() ? 1 : std::max(1.0, input.steps.back()); }

Color run_color(std::size_t run, const Theme& theme) { return run == 0 ? theme.selected : theme.info; }

}  // namespace

Figure loss_chart(const LossChartInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, std::max(width, 240.0f), std::max(height, 120.0f), theme);
  const Composer pen{figure, theme, measure};
  const float small = measure.line_height(kLossSmall, Font::words);

  if (!input.title.empty()) pen.text(0, 12, input.title, kLossTitle, Font::words_bold, theme.text);
  const float heading = input.title.empty() ? 0 : 28, middle_of_legend = heading + small / 2 + 1;
  float legend = figure.width - kLossRight;  // its left end
  const auto entry = [&](const std::string& words, Color color, float line) {
    if (words.empty()) return;
    legend -= measure.width(words, kLossSmall, Font::words);
    pen.text(legend, middle_of_legend, words, kLossSmall, Font::words, theme.secondary);
    legend -= kLossSwatch + 6;
    pen.line({legend, middle_of_legend}, {legend + kLossSwatch, middle_of_legend}, color, line);
    legend -= 18;
  };
  entry(input.training_words, theme.secondary, kThin);
  entry(input.held_out_words, theme.secondary, kThick);
  pen.text(0, middle_of_legend, input.y_axis, kLossSmall, Font::words, theme.secondary, Align::start,
           std::max(40.0f, legend - 8));
  const float top = heading + small + 12, bottom = figure.height - 2 * small - 10;
  const float left = kLossLeft, right = figure.width - kLossRight;

  double highest = 0;
  const auto take = [&](double loss) {
    if (std::isfinite(loss)) highest = std::max(highest, loss);
  };
  for (const auto& run : input.runs) {
    for (const double loss : run.held_out) take(loss);
    for (const double loss : run.training) take(loss);
  }
  for (const auto& level : input.levels) take(level.loss);
  const double most = highest > 0 ? 1.08 * highest : 1;  // the loss at the upper edge
  const auto x_of = [&](double step) { return left + static_cast<float>(step / last_step(input)) * (right - left); };
  const auto y_of = [&](double loss) {
    return std::clamp(bottom - static_cast<float>(loss / most) * (bottom - top), top, bottom);
  };

  for (const double tick : round_ticks(0, most, std::max(3, static_cast<int>((bottom - top) / 44)))) {
    pen.line({left, y_of(tick)}, {right, y_of(tick)}, with_alpha(theme.line, tick == 0 ? 1.0f : 0.6f));
    pen.text(left - 10, y_of(tick), range_number(tick), kLossSmall, Font::mono, theme.secondary, Align::end);
  }
  float free = -1e9f;
  for (const double tick : round_ticks(0, last_step(input), std::max(2, static_cast<int>((right - left) / 90)))) {
    if (tick != std::round(tick)) continue;
    const std::string number = text::grouped_number(static_cast<std::int64_t>(tick));
    const float half = measure.width(number, kLossSmall, Font::mono) / 2, centre = std::min(x_of(tick), figure.width - half - 2);
    if (centre - half < free) continue;
    pen.line({x_of(tick), bottom}, {x_of(tick), bottom + 4}, theme.line);
    pen.text(centre, bottom + 5 + small / 2, number, kLossSmall, Font::mono, theme.secondary, Align::middle);
    free = centre + half + 8;
  }
  pen.text((left + right) / 2, bottom + 6 + 1.5f * small, input.x_axis, kLossSmall, Font::words, theme.secondary, Align::middle,
           right - left);

  for (const auto& level : input.levels) {
    const float y = y_of(level.loss);
    for (float x = left; x < right; x += 9) pen.line({x, y}, {std::min(x + 3, right), y}, theme.secondary, 1.5f);
  }

  const auto draw_curve = [&](const std::vector<double>& losses, Color color, float line) {
    const std::size_t count = std::min(losses.size(), input.steps.size());
    for (std::size_t i = 1; i < count; ++i) {
      if (!std::isfinite(losses[i - 1]) || !std::isfinite(losses[i])) continue;
      pen.line({x_of(input.steps[i - 1]), y_of(losses[i - 1])}, {x_of(input.steps[i]), y_of(losses[i])}, color, line);
    }
    if (count == 1 && std::isfinite(losses[0])) figure.add(Disc{{x_of(input.steps[0]), y_of(losses[0])}, line + 1, color, {}});
  };
  // What is no number has no height: a mark at its step, in one lane a curve.
  const float lane = (bottom - top) / static_cast<float>(std::max<std::size_t>(1, 2 * input.runs.size()));
  const auto mark_gaps = [&](const std::vector<double>& losses, float from, Color color) {
    for (std::size_t i = 0; i < std::min(losses.size(), input.steps.size()); ++i)
      if (const NonFinite kind = non_finite(losses[i]); kind != NonFinite::none) {
        const float x = x_of(input.steps[i]);
        figure.add(gap_mark(kind, {x - 1, from, 2, lane}));
        figure.add(Disc{{x, from + lane / 2}, 3, color, {}});
      }
  };
  for (std::size_t r = 0; r < input.runs.size(); ++r) {
    mark_gaps(input.runs[r].held_out, top + 2 * lane * static_cast<float>(r), run_color(r, theme));
    mark_gaps(input.runs[r].training, top + lane * static_cast<float>(2 * r + 1), with_alpha(run_color(r, theme), 0.55f));
  }
  // The run in hand lies above the one it is compared with.
  for (std::size_t r = input.runs.size(); r-- > 0;) {
    draw_curve(input.runs[r].training, with_alpha(run_color(r, theme), 0.55f), kThin);
    draw_curve(input.runs[r].held_out, run_color(r, theme), kThick);
  }

  // Whether a held-out curve passes through a box that ends at the right edge.
  const auto is_crossed = [&](float middle, float line, float wide) {
    for (const auto& run : input.runs)
      for (std::size_t i = 1; i < std::min(run.held_out.size(), input.steps.size()); ++i) {
        if (x_of(input.steps[i]) < right - 18 - wide || !std::isfinite(run.held_out[i])) continue;
        const auto [low, high] = std::minmax({y_of(run.held_out[i - 1]), y_of(run.held_out[i])});
        if (high > middle - line / 2 && low < middle + line / 2) return true;
      }
    return false;
  };
  std::vector<Box> taken;  // by words at the right edge
  // Whether a line of words that reaches to `to` has no others above or below it.
  const auto is_free = [&](float middle, float line, float to) {
    return middle - line / 2 >= top - 8 && middle + line / 2 <= bottom + 2 && std::ranges::none_of(taken, [&](const Box& one) {
             return to > one.x && middle + line / 2 > one.y && middle - line / 2 < one.y + one.h;
           });
  };
  // Words at the right edge, near `y`: where no others stand, and if there is such a place, no curve. Left out where there is no
  // room.
  const auto label = [&](float y, const std::string& words, float size, Font font, Color color) {
    const float line = measure.line_height(size, font), wide = std::min(right - left - 24, measure.width(words, size, font));
    for (const bool over_curves : {false, true})
      for (const float away : {-0.7f, 0.7f, -1.6f, 1.6f, -2.5f, 2.5f}) {
        const float middle = y + away * line;
        if (!is_free(middle, line, right) || (!over_curves && is_crossed(middle, line - 4, wide))) continue;
        taken.push_back({right - 18 - wide, middle - line / 2, wide + 8, line});
        pen.box(taken.back(), with_alpha(theme.background, 0.72f), {}, 0, 4);
        pen.text(right - 14, middle, words, size, font, color, Align::end, wide + 2);
        return;
      }
  };
  for (std::size_t r = 0; r < input.runs.size(); ++r) {
    const auto& run = input.runs[r];
    if (run.held_out.size() < 2 || !std::isfinite(run.held_out.back())) continue;
    const std::string words = (run.label.empty() ? "" : run.label + "  ") + two_decimals(run.held_out.back());
    label(y_of(run.held_out.back()), words, kLabel, Font::words_bold, run_color(r, theme));
  }
  for (const auto& level : input.levels) label(y_of(level.loss), level.words, kLossSmall, Font::words, theme.secondary);

  // The step that is shown, with each run's loss there.
  if (const auto at = static_cast<std::size_t>(input.shown); input.shown >= 0 && at < input.steps.size()) {
    const float x = x_of(input.steps[at]);
    pen.line({x, top}, {x, bottom}, theme.selected, 1.5f);
    const bool at_end = x > right - 110;  // where the words at the right edge stand
    float before = -1e9f;
    for (std::size_t r = 0; r < input.runs.size(); ++r) {
      const auto& losses = input.runs[r].held_out;
      if (at >= losses.size() || !std::isfinite(losses[at])) continue;
      const float y = y_of(losses[at]);
      figure.add(Disc{{x, y}, 6.5f, theme.background, {}});
      figure.add(Disc{{x, y}, 5, run_color(r, theme), {}});
      if (at_end || std::abs(y - before) < 20) continue;
      before = y;
      const std::string number = two_decimals(losses[at]);
      const float wide = measure.width(number, kLabel, Font::mono);
      float middle = std::max(top + 8, y - 14);
      if (!is_free(middle, 20, x + wide + 16)) middle = y + 14;
      if (!is_free(middle, 20, x + wide + 16)) continue;
      pen.box({x + 8, middle - 9, wide + 8, 18}, with_alpha(theme.background, 0.72f), {}, 0, 4);
      pen.text(x + 12, middle, number, kLabel, Font::mono, run_color(r, theme));
    }
  }

  const std::size_t count = input.steps.size();
  std::vector<const std::vector<double>*> rows;
  std::vector<std::vector<double>> levels;
  Data data;
  data.name = "loss";
  data.axes = {"curve", "step"};
  data.labels.resize(2);
  for (const auto& run : input.runs) {
    const std::string lead = run.label.empty() ? "" : run.label + ", ";
    rows.push_back(&run.held_out);
    data.labels[0].push_back(lead + input.held_out_words);
    rows.push_back(&run.training);
    data.labels[0].push_back(lead + input.training_words);
  }
  for (const auto& level : input.levels) levels.emplace_back(count, level.loss);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    rows.push_back(&levels[i]);
    data.labels[0].push_back(input.levels[i].words);
  }
  if (!rows.empty() && count > 0) {
    data.values = Tensor(DType::f64, {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(count)});
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t i = 0; i < count; ++i)
        data.values.data<double>()[r * count + i] = i < rows[r]->size() ? (*rows[r])[i] : std::nan("");
    for (const double step : input.steps) data.labels[1].push_back(std::to_string(static_cast<std::int64_t>(step)));
    figure.data.push_back(std::move(data));
  }

  // For the mouse: the plot's area.
  pen.box({left, top, right - left, bottom - top}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::column, 0, 0});
  return figure;
}

std::int64_t loss_point_at(const Figure& figure, const LossChartInput& input, Point at) {
  if (input.steps.empty() || figure.items.empty()) return -1;
  const auto* const area = std::get_if<Rectangle>(&figure.items.back());
  if (!area || area->tag.kind != Tag::column) return -1;
  constexpr float kReach = 8;  // points beyond the ends in which the mouse still finds the first and the last step
  const Box& box = area->box;
  if (at.x < box.x - kReach || at.x > box.x + box.w + kReach || at.y < box.y - kReach || at.y > box.y + box.h + kReach) return -1;
  const double wanted = static_cast<double>((at.x - box.x) / box.w) * last_step(input);
  const auto nearest = std::min_element(input.steps.begin(), input.steps.end(),
                                        [&](double a, double b) { return std::abs(a - wanted) < std::abs(b - wanted); });
  return nearest - input.steps.begin();
}

}  // namespace headlight::figures
