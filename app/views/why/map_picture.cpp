#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/why/pictures.h"

namespace headlight::figures {

Figure ringed_map(const RingedMapInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  constexpr float kSmall = 12, kNumber = 44;
  Figure figure = begin_picture(input.title, width, height, theme);
  const Composer pen{figure, theme, measure};
  const auto rows = static_cast<std::int64_t>(input.rows.size()), columns = static_cast<std::int64_t>(input.columns.size());
  if (rows == 0 || columns == 0) return figure;
  float name = 0;
  for (const std::string& row : input.rows) name = std::max(name, measure.width(row, kSmall, Font::mono));
  name = std::min(name, width * 0.3f) + 8;
  const float foot = 18;
  const float cell = std::min((width - name - kNumber) / static_cast<float>(columns), (height - foot) / static_cast<float>(rows));
  const Box box{name, 0, cell * static_cast<float>(columns), cell * static_cast<float>(rows)};
  Cells cells;
  cells.box = box;
  cells.rows = rows;
  cells.columns = columns;
  cells.values = input.weights;
  cells.mask = input.mask;
  cells.colormap = input.colormap;
  cells.key = input.key;
  cells.tag = {Tag::cell_area};
  add_cells(figure, std::move(cells), theme);
  for (const std::int64_t row : ticks(0, rows, cell, 13, input.row))
    pen.text(name - 6, box.y + cell * (static_cast<float>(row) + 0.5f), input.rows[static_cast<std::size_t>(row)], kSmall,
             Font::mono, row == input.row ? theme.selected : theme.text, Align::end, name - 8, {Tag::row, row, 0, Part::axis});
  const float x = box.x + cell * static_cast<float>(input.column), y = box.y + cell * static_cast<float>(input.row);
  pen.box({x - 2, y - 2, cell + 4, cell + 4}, {0, 0, 0, 0}, theme.background, 5, 3);
  pen.box({x - 2, y - 2, cell + 4, cell + 4}, {0, 0, 0, 0}, theme.selected, 2.5f, 3);
  pen.text(box.x + box.w + 6, y + cell / 2, cell_number(static_cast<double>(input.weights.at({input.row, input.column}))), 14,
           Font::mono, theme.selected);
  const std::string axes = first_that_fits(
      {fill(tr("row = query (looks), column = key; ringed: {}"), {input.columns[static_cast<std::size_t>(input.column)]}),
       tr("row = query, column = key")},
      width, kSmall, Font::words, measure);
  pen.text(0, box.y + box.h + 11, axes, kSmall, Font::words, theme.secondary, Align::start, width, kAxisTag);
  figure.height = box.h + foot + 2;
  figure.data.push_back({"weights", input.weights, {"query", "key"}, {input.rows, input.columns}});
  return figure;
}

}  // namespace headlight::figures
