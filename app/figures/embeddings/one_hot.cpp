#include "app/figures/embeddings/one_hot.h"

#include <algorithm>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "engine/text/grouped_number.h"

namespace headlight::figures {
namespace {

constexpr float kHotText = 15, kHotSmall = 13, kHotRow = 32, kHotCell = 66;

}  // namespace

Figure one_hot_product(const OneHotInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, 60, theme);
  if (input.rows.empty() || input.chosen >= input.rows.size()) return figure;
  const Composer pen{figure, theme, measure};
  // Where the columns begin, and how many of the table's numbers have room.
  float names = 60, id = 40;
  for (const auto& row : input.rows) {
    names = std::max(names, measure.width(row.token, kHotText, Font::mono));
    id = std::max(id, measure.width(text::grouped_number(row.id), kHotText, Font::mono));
  }
  names = std::min(names, 0.2f * width);
  const float token = id + 14, bit = token + names + 34, table = bit + 56;
  const std::size_t columns = std::min<std::size_t>(input.rows.front().numbers.size(),
                                                    static_cast<std::size_t>(std::max(1.0f, (width - table - 28) / kHotCell)));
  const auto draw_numbers = [&](std::size_t i, float middle, Color color) {
    for (std::size_t c = 0; c < columns; ++c)
      pen.text(table + kHotCell * static_cast<float>(c + 1) - 8, middle, cell_number(input.rows[i].numbers[c]), kHotText,
               Font::mono, color, Align::end, 0, {Tag::cell, static_cast<std::int64_t>(i), static_cast<std::int64_t>(c)});
    if (static_cast<std::int64_t>(columns) != input.dimensions)
      pen.text(table + kHotCell * static_cast<float>(columns) + 12, middle, "…", kHotText, Font::mono, theme.secondary);
  };

  float y = 0;
  if (!input.title.empty()) {
    pen.text(0, 12, input.title, 17, Font::words_bold, theme.text, Align::start, figure.width);
    y = 34;
  }
  pen.text(id, y + 9, tr("id"), kHotSmall, Font::words, theme.secondary, Align::end);
  pen.text(token, y + 9, tr("token"), kHotSmall, Font::words, theme.secondary);
  pen.text(bit, y + 9, tr("one-hot"), kHotSmall, Font::words, theme.secondary, Align::middle);
  pen.text(
      table + 6, y + 9,
      fill(tr("embedding table W [{}, {}]"), {text::grouped_number(input.vocabulary), text::grouped_number(input.dimensions)}),
      kHotSmall, Font::words, theme.secondary, Align::start, figure.width - table - 6);
  y += 24;
  const float top = y;
  const auto draw_gap = [&] {  // for the rows in between
    pen.text(id, y + 11, "⋮", kHotText, Font::mono, theme.secondary, Align::end);
    pen.text(bit, y + 11, "0", kHotSmall, Font::mono, theme.secondary, Align::middle);
    pen.text(table + 0.5f * kHotCell, y + 11, "⋮", kHotText, Font::mono, theme.secondary, Align::middle);
    y += 22;
  };
  for (std::size_t i = 0; i < input.rows.size(); ++i) {
    const auto& row = input.rows[i];
    if (row.id != (i == 0 ? 0 : input.rows[i - 1].id + 1)) draw_gap();
    const bool hot = i == input.chosen;
    const float middle = y + kHotRow / 2;
    const Tag tag{Tag::row, static_cast<std::int64_t>(i), 0};
    pen.box({0, y + 1, figure.width, kHotRow - 2}, hot ? with_alpha(theme.selected, 0.16f) : Color{0, 0, 0, 0},
            hot ? theme.selected : Color{0, 0, 0, 0}, hot ? 1.0f : 0.0f, 6, tag);
    const Color color = hot ? theme.selected : theme.secondary;
    pen.text(id, middle, text::grouped_number(row.id), kHotText, Font::mono, color, Align::end, 0, tag);
    pen.text(token, middle, row.token, kHotText, Font::mono, hot ? theme.selected : theme.text, Align::start, bit - token - 28,
             tag);
    pen.text(bit, middle, hot ? "1" : "0", kHotText + 2, Font::mono, color, Align::middle, 0, tag);
    draw_numbers(i, middle, hot ? theme.text : theme.secondary);
    y += kHotRow;
  }
  if (input.rows.back().id + 1 < input.vocabulary) draw_gap();
  pen.text(table - 24, (top + y) / 2, "×", 20, Font::words, theme.text, Align::middle);
  y += 8;
  pen.line({0, y}, {figure.width, y}, theme.line);
  y += 8;

  const float middle = y + kHotRow / 2;
  const auto& chosen = input.rows[input.chosen];
  const std::string number = text::grouped_number(chosen.id);
  pen.text(0, middle,
           first_that_fits({fill(tr("= 1 × row {}, 0 × every other row"), {number}),
                            fill(tr("= 1 × row {}, 0 × the rest"), {number}), fill(tr("= 1 × row {}"), {number})},
                           table - 8, kHotText, Font::words_bold, measure),
           kHotText, Font::words_bold, theme.text);
  draw_numbers(input.chosen, middle, theme.selected);
  figure.height = y + kHotRow + 4;

  std::vector<float> row;
  for (const double value : chosen.numbers) row.push_back(static_cast<float>(value));
  figure.data.push_back({"row", Tensor::of(row, {static_cast<std::int64_t>(row.size())}), {"dimension"}, {{}}});
  return figure;
}

}  // namespace headlight::figures
