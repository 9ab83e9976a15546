#include "app/views/index/pictures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

// -1 .. 1: from 32 times slower to 32 times faster.
float shade(double win) { return win > 0 ? static_cast<float>(std::clamp(std::log(win) / std::log(kMostWin), -1.0, 1.0)) : 0.0f; }

}  // namespace

Figure win_map(const WinMapInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  constexpr float kTop = 8, kAxis = 22;
  Figure figure;
  const Composer pen{figure, theme, measure};
  const auto columns = static_cast<std::int64_t>(input.across.size()), rows = static_cast<std::int64_t>(input.up.size());
  figure.title = tr("Where ISDPA wins");

  float ticks = 0;
  for (const std::int64_t size : input.up) ticks = std::max(ticks, measure.width(std::to_string(size), 13, Font::mono));
  const float left = kAxis + ticks + 12;  // of the cells
  const std::vector<std::string> note = wrap(input.note, width - left - 8, 13, Font::words, measure);
  const float below_cells = 48 + 18 * static_cast<float>(note.size());
  // Cells may be wider than high, so that a low room is filled.
  const float cell_h = std::max(8.0f, (height - kTop - below_cells) / static_cast<float>(rows));
  const float cell_w = std::max(8.0f, std::min((width - left - 8) / static_cast<float>(columns), 2.6f * cell_h));
  const float h = cell_h * static_cast<float>(rows);

  const Colormap* map = colormaps().find("signed");
  const auto win_at = [&](std::int64_t up, std::int64_t across) {
    const auto i = static_cast<std::size_t>(up * columns + across);
    return input.measured[i] > 0 ? input.measured[i] : input.model[i];
  };
  for (std::int64_t up = 0; up < rows; ++up) {
    for (std::int64_t across = 0; across < columns; ++across) {
      const float x = left + static_cast<float>(across) * cell_w, y = kTop + h - static_cast<float>(up + 1) * cell_h;
      const float at = (shade(win_at(up, across)) + 1) / 2;
      const Color color = map->at(at, theme);
      pen.box({x, y, cell_w - 1.5f, cell_h - 1.5f}, color, {0, 0, 0, 0}, 0, 3, {Tag::cell_area, up, across});
      const auto i = static_cast<std::size_t>(up * columns + across);
      if (input.measured[i] > 0) {
        Disc dot;
        dot.centre = {x + cell_w / 2 - 0.75f, y + cell_h / 2 - 0.75f};
        dot.radius = std::clamp(std::min(cell_w, cell_h) * 0.12f, 2.0f, 4.0f);
        dot.fill = ink_on(color);
        figure.add(std::move(dot));
      }
      if (static_cast<std::int64_t>(i) == input.hot)
        pen.box({x - 1, y - 1, cell_w + 0.5f, cell_h + 0.5f}, {0, 0, 0, 0}, theme.selected, 3, 3);
      if (across == input.here_across && up == input.here_up)
        pen.box({x, y, cell_w - 1.5f, cell_h - 1.5f}, {0, 0, 0, 0}, theme.text, 2, 3);
    }
  }

  // The break-even line: between neighbours on different sides of 1.
  for (std::int64_t up = 0; up < rows; ++up) {
    for (std::int64_t across = 0; across < columns; ++across) {
      const bool wins = win_at(up, across) >= 1;
      const float x = left + static_cast<float>(across) * cell_w - 0.75f,
                  y = kTop + h - static_cast<float>(up + 1) * cell_h - 0.75f;
      if (across + 1 < columns && (win_at(up, across + 1) >= 1) != wins)
        pen.line({x + cell_w, y}, {x + cell_w, y + cell_h}, theme.text, 2.5f);
      if (up + 1 < rows && (win_at(up + 1, across) >= 1) != wins) pen.line({x, y}, {x + cell_w, y}, theme.text, 2.5f);
    }
  }

  // The sizes along both axes, and the name of the one that runs up.
  const std::int64_t step_x = cell_w >= 44 ? 1 : 2, step_y = cell_h >= 18 ? 1 : 2;
  for (std::int64_t across = 0; across < columns; across += step_x)
    pen.text(left + (static_cast<float>(across) + 0.5f) * cell_w, kTop + h + 14,
             std::to_string(input.across[static_cast<std::size_t>(across)]), 13, Font::mono, theme.secondary, Align::middle);
  for (std::int64_t up = 0; up < rows; up += step_y)
    pen.text(left - 8, kTop + h - (static_cast<float>(up) + 0.5f) * cell_h,
             std::to_string(input.up[static_cast<std::size_t>(up)]), 13, Font::mono, theme.secondary, Align::end);
  Text up_label;
  // Along a low map only the letter of the size, which is at the end of its name.
  const std::size_t comma = input.up_label.rfind(", ");
  const bool whole = comma == std::string::npos || measure.width(input.up_label, 13, Font::words) <= h;
  up_label.text = whole ? input.up_label : input.up_label.substr(comma + 2);
  up_label.at = {10, kTop + h / 2};
  up_label.size = 13;
  up_label.color = theme.secondary;
  up_label.horizontal = Align::middle;
  up_label.rotation = 90;
  figure.add(std::move(up_label));

  // In one line: the name of the horizontal axis, and the colours in words.
  const float line_y = kTop + h + 34;
  const std::string loses = tr("loses 32×"), wins = tr("wins 32×");
  const float loses_w = measure.width(loses, 13, Font::words), wins_w = measure.width(wins, 13, Font::words);
  const float label_w = measure.width(input.across_label, 13, Font::words);
  pen.text(left, line_y, input.across_label, 13, Font::words, theme.secondary);
  const float room = width - 8 - left - label_w - 24 - loses_w - wins_w - 16;
  const float bar_w = std::clamp(room, 24.0f, 140.0f), right = width - 8;
  ColorBar bar;
  bar.box = {right - wins_w - 8 - bar_w, line_y - 5, bar_w, 10};
  bar.colormap = "signed";
  pen.text(bar.box.x - 8, line_y, loses, 13, Font::words, theme.secondary, Align::end);
  pen.text(right, line_y, wins, 13, Font::words, theme.secondary, Align::end);
  figure.add(std::move(bar));
  float note_y = line_y + 20;
  for (const std::string& line : note) {
    pen.text(left, note_y, line, 13, Font::words, theme.secondary);
    note_y += 18;
  }
  figure.width = width;
  figure.height = kTop + h + below_cells;

  for (const bool measured : {false, true}) {
    Data data;
    data.name = measured ? "measured" : "model";
    data.axes = {"up", "across"};
    data.values = Tensor(DType::f64, {rows, columns}, {}, true);
    const auto& from_values = measured ? input.measured : input.model;
    // Cells that were not measured are NaN.
    std::transform(from_values.begin(), from_values.end(), data.values.data<double>(),
                   [](double win) { return win > 0 ? win : std::numeric_limits<double>::quiet_NaN(); });
    data.labels.resize(2);
    for (const std::int64_t size : input.up) data.labels[0].push_back(std::to_string(size));
    for (const std::int64_t size : input.across) data.labels[1].push_back(std::to_string(size));
    figure.data.push_back(std::move(data));
  }
  return figure;
}

}  // namespace headlight::figures
