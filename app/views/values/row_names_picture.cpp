#include "app/views/values/row_names_picture.h"

#include <algorithm>
#include <utility>

#include "app/figures/base/labels.h"
#include "app/text/language.h"

namespace headlight::figures {

void add_row_names(const Composer& pen, const std::vector<std::string>& labels, std::int64_t rows, std::int64_t hot, Point at,
                   float pitch) {
  const float size = row_name_size(pitch);
  const std::vector<std::int64_t> named = ticks(0, rows, pitch, kNameLine * size, hot);
  pen.figure.hidden_labels = rows - static_cast<std::int64_t>(named.size());
  if (pen.figure.hidden_labels > 0) pen.figure.remarks.push_back(shown_words(named.size() < 2 ? rows : named[1] - named[0]));
  for (const std::int64_t row : named) {
    if (static_cast<std::size_t>(row) >= labels.size()) continue;
    const bool lit = row == hot;
    pen.text(at.x, at.y + (static_cast<float>(row) + 0.5f) * pitch, labels[static_cast<std::size_t>(row)], size,
             lit ? Font::words_bold : Font::words, lit ? pen.theme.selected : pen.theme.text, Align::end, at.x,
             {Tag::row, row, 0, Part::axis});
  }
}

float row_names_width(const std::vector<std::string>& labels, float width, const TextMeasure& measure) {
  float names = 0;
  for (const std::string& label : labels) names = std::max(names, measure.width(label, 14, Font::words));
  return std::min(names, 0.2f * width) + 14;
}

void add_signed_map(const Composer& pen, const SignedMap& map) {
  const Theme& theme = pen.theme;
  const auto& [x, y, wide, high] = map.box;
  Cells cells;
  cells.rows = map.values.dim(0);
  cells.columns = map.values.dim(1);
  cells.box = map.box;
  cells.values = map.values;
  cells.colormap = "signed";
  cells.high = map.largest > 0 ? map.largest : 1;
  cells.low = -cells.high;
  cells.gap = 0;
  cells.key = map.key;
  cells.tag = map.tag;
  add_cells(pen.figure, std::move(cells), theme);
  const std::string end = "±" + (map.largest > 0 ? range_number(map.largest) : std::string("0"));
  pen.text(x, y + high + 13, end, 13, Font::mono, theme.secondary, Align::start, 0, kAxisTag);
  pen.text(x + wide, y + high + 13,
           first_that_fits({fill(tr("dimension 0 to {}"), {std::to_string(map.values.dim(1) - 1)})},
                           wide - pen.measure.width(end, 13, Font::mono) - 12, 13, Font::words, pen.measure),
           13, Font::words, theme.secondary, Align::end, 0, kAxisTag);
  if (map.hot < 0 || map.hot >= map.values.dim(0)) return;
  const float pitch = high / static_cast<float>(map.values.dim(0));
  pen.box({x, y + static_cast<float>(map.hot) * pitch, wide, std::max(2.0f, pitch)}, {0, 0, 0, 0}, theme.selected, 1.5f);
}

void add_map_words(const Composer& pen, const std::string& note, float left, float width, float y) {
  const float noted = note.empty() ? 0 : pen.measure.width(note, 13, Font::words) + 16;
  pen.text(
      left, y,
      first_that_fits({tr("row = token, column = dimension; blue below 0, orange above"), tr("row = token, column = dimension")},
                      width - left - noted, 13, Font::words, pen.measure),
      13, Font::words, pen.theme.secondary, Align::start, 0, {Tag::none, 0, 0, Part::caption});
  pen.text(width, y, note, 13, Font::words, pen.theme.secondary, Align::end, 0, kNoteTag);
}

}  // namespace headlight::figures
