#include "app/views/walk/notes_picture.h"

#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kNotesTitle = 18, kNotesWords = 15, kNotesFormula = 14, kNotesSmall = 13;

}  // namespace

Figure walk_notes(const WalkNotes& notes, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  figure.width = width;
  // The words from `at` on in lines that are `wide`; returns where they end.
  const auto lines = [&](float x, float at, float wide, const std::string& words, float size, Font font, Color color) {
    const float high = measure.line_height(size, font) + 1;
    for (const std::string& line : wrap(words, wide, size, font, measure)) {
      pen.text(x, at + high / 2, line, size, font, color);
      at += high;
    }
    return at;
  };

  constexpr float kBetween = 32, kIn = 12;
  const bool beside = width >= 640 && (!notes.rows.empty() || notes.broadcast || notes.losses || !notes.candidates.rows.empty());
  const float column = beside ? (width - kBetween) * 0.52f : width;
  float y = lines(0, 0, column, notes.title, kNotesTitle, Font::words_bold, theme.selected) + 5;
  y = lines(0, y, column, notes.words, kNotesWords, Font::words, theme.text) + 7;
  if (!notes.ends.empty()) y = lines(0, y - 3, column, notes.ends, kNotesWords, Font::words, theme.text) + 7;
  if (!notes.formula.empty()) y = lines(0, y, column, notes.formula, kNotesFormula, Font::mono, theme.text) + 4;
  if (!notes.shape.empty()) y = lines(0, y, column, notes.shape, kNotesSmall, Font::mono, theme.secondary) + 4;
  if (!notes.chain.empty()) y = lines(0, y, column, notes.chain, kNotesSmall, Font::mono, theme.text) + 4;
  for (const std::string& one : notes.said) {  // a line at its left tells it from the words of the step itself
    const float end = lines(kIn, y + 2, column - kIn, one, kNotesSmall, Font::words, theme.info);
    pen.box({0, y + 2, 2.5f, end - y - 3}, theme.info);
    y = end + 4;
  }

  const auto put = [&](Figure picture, float x, float top) {
    for (Item& item : picture.items) {
      moved(item, x, top);
      figure.items.push_back(std::move(item));
    }
  };
  // The pictures and the rows, which stand beside the words or below them.
  const auto second = [&](float x, float at, float wide) {
    if (notes.broadcast) {
      Figure picture = broadcast(*notes.broadcast, wide, std::clamp(wide * 0.165f, 44.0f, 60.0f), theme, measure);
      const float high = picture.height + 2;
      put(std::move(picture), x, at + 2);
      at += high;
    }
    if (notes.losses) {
      Figure picture = walk_losses(*notes.losses, wide, theme, measure);
      const float high = picture.height + 6;
      put(std::move(picture), x, at + 4);
      at += high;
    }
    if (!notes.candidates.rows.empty()) {
      const std::size_t most = std::min<std::size_t>(8, notes.candidates.rows.size());
      const float high = notes.candidates.single ? 54 : candidates_height(most, measure);
      add_candidates(figure, notes.candidates, {x, at + 4, wide, high}, theme, measure);
      at += high + 10;
    }
    if (notes.rows.empty()) return at;
    if (!notes.rows_title.empty()) at = lines(x, at + 2, wide, notes.rows_title, kNotesSmall, Font::words, theme.secondary) + 3;
    const float high = measure.line_height(kNotesSmall, Font::mono) + 2;
    // As many numbers as fit, in columns common to all rows.
    float widest = 0;
    for (const WalkNotes::Row& row : notes.rows)
      for (const std::string& value : row.values) widest = std::max(widest, measure.width(value, kNotesSmall, Font::mono));
    const float pitch = std::max(widest + 9, 40.0f), dots = measure.width("…", kNotesSmall, Font::mono);
    for (const WalkNotes::Row& row : notes.rows) {
      const Color color = row.result ? theme.selected : theme.text;
      const float shape = measure.width(row.shape, kNotesSmall, Font::mono);
      pen.text(x, at + high / 2, (row.result ? "= " : "") + row.name, kNotesSmall, Font::words,
               row.result ? theme.text : theme.secondary, Align::start, std::max(20.0f, wide - shape - 8));
      pen.text(x + wide, at + high / 2, row.shape, kNotesSmall, Font::mono, theme.secondary, Align::end);
      at += high;
      auto fits = static_cast<std::size_t>(std::max(1.0f, (wide + 10) / pitch));
      bool more = row.more;
      if (row.values.size() > fits || more) {
        more = true;
        fits = static_cast<std::size_t>(std::max(1.0f, (wide - dots - 1) / pitch));
      }
      for (std::size_t k = 0; k < std::min(fits, row.values.size()); ++k)
        pen.text(x + static_cast<float>(k) * pitch + widest, at + high / 2, row.values[k], kNotesSmall, Font::mono, color,
                 Align::end);
      if (more) pen.text(x + wide, at + high / 2, "…", kNotesSmall, Font::mono, theme.secondary, Align::end);
      at += high + 5;
    }
    return at;
  };
  const float right = beside ? second(column + kBetween, 0, width - column - kBetween) : 0;
  if (!beside) y = second(0, y + 4, width);
  y += 2;
  for (const std::string& one : notes.remarks) y = lines(0, y, column, one, kNotesSmall, Font::words, theme.secondary) + 1;
  figure.height = std::max(y, right);
  return figure;
}

}  // namespace headlight::figures
