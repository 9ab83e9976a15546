#include "app/views/tokens/cost_picture.h"

#include <algorithm>

#include "app/figures/base/compose.h"

namespace headlight::figures {
namespace {

constexpr float kCostHead = 56, kCostRow = 38, kCostTitle = 22;

}  // namespace

void add_mark(Figure& figure, Mark mark, Point at, float radius, Color color, Color ground, Tag tag) {
  const Box around{at.x - radius, at.y - radius, 2 * radius, 2 * radius};
  switch (mark) {
    case Mark::disc: figure.add(Disc{at, radius, color, tag}); break;
    case Mark::ring: figure.add(Rectangle{around, {ground.r, ground.g, ground.b, 0}, color, 2, radius, tag}); break;
    case Mark::square:
      figure.add(Rectangle{{around.x + 1, around.y + 1, around.w - 2, around.h - 2}, color, {}, 0, 1, tag});
      break;
    case Mark::tick: figure.add(Rectangle{{at.x - 1, around.y, 2, around.h}, color, {}, 0, 0, tag}); break;
  }
}

Figure cost_table(const CostTable& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.title = input.title;
  const Composer pen{figure, theme, measure};
  float y = 0;
  if (!input.title.empty()) {
    pen.text(0, 9, first_that_fits({input.title, ""}, width, 13, Font::words, measure), 13, Font::words, theme.secondary);
    const float left = width - measure.width(input.title, 13, Font::words) - 12;
    pen.text(width, 9, first_that_fits({input.legend, ""}, left, 13, Font::words, measure), 13, Font::words, theme.secondary,
             Align::end);
    y += kCostTitle;
  }
  float names = 60;
  for (const auto& row : input.rows)
    names = std::max({names, measure.width(row.name, 14, Font::words) + 30, measure.width(row.note, 12, Font::words) + 30});
  float needs = 64;
  for (const auto& column : input.columns)
    needs =
        std::max({needs, measure.width(column.first, 13, Font::words) + 12, measure.width(column.second, 12, Font::words) + 12});
  names = std::min(names, 0.45f * width);
  // Where there is no room for all columns, the last ones go.
  const auto fit = static_cast<std::size_t>(std::max(1.0f, (width - names) / needs));
  const std::size_t columns = std::min(input.columns.size(), fit);
  const float each = (width - names) / static_cast<float>(std::max<std::size_t>(1, columns)), gap = 14;
  const auto right = [&](std::size_t column) { return names + each * static_cast<float>(column + 1); };
  for (std::size_t c = 0; c < columns; ++c) {
    pen.text(right(c), y + 14, input.columns[c].first, 13, Font::words, theme.text, Align::end, each - 4);
    pen.text(right(c), y + 31, input.columns[c].second, 12, Font::words, theme.secondary, Align::end, each - 4);
  }
  y += kCostHead - 8;
  std::vector<double> most(columns, 0);
  for (const auto& row : input.rows)
    for (std::size_t c = 0; c < row.cells.size() && c < most.size(); ++c)
      most[c] = std::max({most[c], row.cells[c].value, row.cells[c].beside});
  for (std::size_t r = 0; r < input.rows.size(); ++r) {
    const auto& row = input.rows[r];
    if (r == input.plain && r > 0) pen.line({0, y - 1}, {width, y - 1}, theme.line);
    const Color color = row.hue < 0 ? theme.secondary : theme.hues[static_cast<std::size_t>(row.hue) % theme.hues.size()];
    pen.box({0, y, width, kCostRow - 2}, row.hot ? with_alpha(theme.selected, 0.10f) : Color{0, 0, 0, 0}, {}, 0, 4,
            {Tag::row, static_cast<std::int64_t>(r), 0});
    if (row.hue >= 0) add_mark(figure, row.mark, {7, y + 12}, 5, color, theme.background);
    const float left = row.hue >= 0 ? 20.0f : 0.0f;
    pen.text(left, y + 12, row.name, 14, Font::words, row.hot ? theme.selected : theme.text, Align::start, names - left - 4);
    pen.text(left, y + 28, row.note, 12, Font::words, theme.secondary, Align::start, names - left - 4);
    for (std::size_t c = 0; c < row.cells.size() && c < most.size(); ++c) {
      const auto& cell = row.cells[c];
      pen.text(right(c), y + 12, cell.text, 14, Font::mono,
               cell.wrong   ? theme.wrong
               : cell.quiet ? theme.secondary
                            : theme.text,
               Align::end, each - 4);
      const Box track{right(c) - each + gap, y + 25, each - gap, 4};
      pen.bar(track, most[c] > 0 ? cell.value / most[c] : 0, cell.wrong ? theme.wrong : color);
      if (cell.beside >= 0 && most[c] > 0)
        pen.box({track.x + static_cast<float>(cell.beside / most[c]) * (track.w - 2), track.y - 3, 2, 10}, theme.text);
    }
    y += kCostRow;
  }
  figure.height = y + 2;
  Data data{"costs",
            Tensor(DType::f32, {static_cast<std::int64_t>(input.rows.size()), static_cast<std::int64_t>(input.columns.size())}),
            {"tokenizer", "column"},
            {{}, {}}};
  for (const auto& column : input.columns) data.labels[1].push_back(column.first);
  for (std::size_t r = 0; r < input.rows.size(); ++r) {
    data.labels[0].push_back(input.rows[r].name);
    for (std::size_t c = 0; c < input.columns.size(); ++c)
      data.values.data<float>()[r * input.columns.size() + c] =
          c < input.rows[r].cells.size() ? static_cast<float>(input.rows[r].cells[c].value) : 0;
  }
  figure.data.push_back(std::move(data));
  return figure;
}

}  // namespace headlight::figures
