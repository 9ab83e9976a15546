#include "app/views/values/row_names_picture.h"

#include "app/figures/base/labels.h"

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

}  // namespace headlight::figures
