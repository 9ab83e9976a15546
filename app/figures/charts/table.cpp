#include "app/figures/charts/table.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/non_finite.h"

namespace headlight::figures {
namespace {

constexpr float kTableTitle = 16, kTableSmall = 13, kTableToken = 15, kTableRowHigh = 26, kTableGap = 18;

Font font_of(const TableInput::Column& column) { return column.token || column.number ? Font::mono : Font::words; }
float size_of(const TableInput::Column& column) { return column.token ? kTableToken : 14; }

Color ink_of(const Theme& theme, TableInput::Tone tone) {
  switch (tone) {
    case TableInput::Tone::quiet: return theme.secondary;
    case TableInput::Tone::good: return theme.good;
    case TableInput::Tone::wrong: return theme.wrong;
    default: return theme.text;
  }
}

}  // namespace

Figure table(const TableInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  const std::size_t n = input.columns.size();
  figure.width = std::max(width, 120.0f);
  figure.background = theme.background;
  figure.title = input.title;
  const float small = measure.line_height(kTableSmall, Font::words);
  float y = 0;
  if (!input.title.empty()) {
    const float line = measure.line_height(kTableTitle, Font::words_bold);
    pen.text(0, y + line / 2, input.title, kTableTitle, Font::words_bold, theme.text, Align::start, figure.width);
    y += line + 4;
  }

  // Each column is as wide as its widest text; if that is too much, all columns but those of numbers get narrower.
  std::vector<float> wide(n, 0);
  float fixed = 0, soft = 0;
  for (std::size_t c = 0; c < n; ++c) {
    const auto& column = input.columns[c];
    wide[c] = measure.width(column.title, kTableSmall, Font::words);
    for (const auto& row : input.rows)
      if (c < row.size()) wide[c] = std::max(wide[c], measure.width(row[c].text, size_of(column), font_of(column)));
    wide[c] = wide[c] * 1.04f + 2;  // a file's renderer may space letters slightly wider than the screen
    (column.number ? fixed : soft) += wide[c];
  }
  const float room = figure.width - kTableGap * static_cast<float>(n > 0 ? n - 1 : 0);
  if (fixed + soft > room) {
    const float scale = soft > 0 ? std::max(0.15f, (room - fixed) / soft) : 1;
    for (std::size_t c = 0; c < n; ++c)
      if (!input.columns[c].number) wide[c] *= std::min(1.0f, scale);
  }
  std::vector<float> left(n, 0);
  for (std::size_t c = 1; c < n; ++c) left[c] = left[c - 1] + wide[c - 1] + kTableGap;
  const float right = n ? left[n - 1] + wide[n - 1] : figure.width;

  if (std::any_of(input.columns.begin(), input.columns.end(), [](const auto& c) { return !c.title.empty(); })) {
    for (std::size_t c = 0; c < n; ++c) {
      const bool end = input.columns[c].number;
      pen.text(end ? left[c] + wide[c] : left[c], y + small / 2, input.columns[c].title, kTableSmall, Font::words,
               theme.secondary, end ? Align::end : Align::start, wide[c]);
    }
    y += small + 4;
    pen.line({0, y}, {right, y}, theme.line);
    y += 2;
  }

  for (std::size_t r = 0; r < input.rows.size(); ++r) {
    const bool hot = static_cast<std::int64_t>(r) == input.hot;
    pen.box({-0.0f, y, right, kTableRowHigh}, hot ? theme.raised : Color{0, 0, 0, 0}, {0, 0, 0, 0}, 0, 4,
            {Tag::row, static_cast<std::int64_t>(r), 0});
    for (std::size_t c = 0; c < n && c < input.rows[r].size(); ++c) {
      const auto& cell = input.rows[r][c];
      const auto& column = input.columns[c];
      if (const NonFinite kind = non_finite(cell.bar); kind != NonFinite::none)
        figure.add(gap_mark(kind, {left[c], y + kTableRowHigh - 4, wide[c], 3}));
      if (cell.bar != 0 && std::isfinite(cell.bar)) {
        const float share = static_cast<float>(std::clamp(std::abs(cell.bar), 0.0, 1.0));
        pen.box({left[c] + wide[c] * (1 - share), y + kTableRowHigh - 4, wide[c] * share, 3},
                cell.bar < 0 ? theme.signed_low : theme.signed_high, {0, 0, 0, 0}, 0, 1.5f);
      }
      pen.text(column.number ? left[c] + wide[c] : left[c], y + kTableRowHigh / 2 - (cell.bar != 0 ? 1.0f : 0.0f), cell.text,
               size_of(column), font_of(column), hot && column.token ? theme.selected : ink_of(theme, cell.tone),
               column.number ? Align::end : Align::start, wide[c]);
    }
    y += kTableRowHigh;
  }

  if (!input.note.empty()) {
    y += 4;
    for (const std::string& words : wrap(input.note, figure.width, kTableSmall, Font::words, measure)) {
      pen.text(0, y + small / 2, words, kTableSmall, Font::words, theme.secondary, Align::start, 0, kNoteTag);
      y += small + 1;
    }
  }
  figure.height = std::max(1.0f, std::ceil(y + 2));

  Data data;
  data.name = input.title.empty() ? "table" : input.title;
  data.axes = {"row", "column"};
  data.labels.resize(2);
  std::vector<double> numbers;
  for (std::size_t c = 0; c < n; ++c)
    if (input.columns[c].number) data.labels[1].push_back(input.columns[c].title);
  for (const auto& row : input.rows) {
    std::string name;
    for (std::size_t c = 0; c < n && c < row.size(); ++c) {
      if (input.columns[c].number)
        numbers.push_back(row[c].value);
      else
        name += (name.empty() ? "" : " ") + row[c].text;
    }
    data.labels[0].push_back(std::move(name));
  }
  const auto rows = static_cast<std::int64_t>(input.rows.size()), columns = static_cast<std::int64_t>(data.labels[1].size());
  if (rows > 0 && columns > 0 && static_cast<std::int64_t>(numbers.size()) == rows * columns) {
    data.values = Tensor::of(numbers, {rows, columns});
    figure.data.push_back(std::move(data));
  }
  return figure;
}

}  // namespace headlight::figures
