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

// The picture while it is laid out.
struct OneHotDrawing {
  const OneHotInput& input;
  const Theme& theme;
  const TextMeasure& measure;
  Figure figure;
  Composer pen{figure, theme, measure};
  float id = 0, token = 0, bit = 0, table = 0;  // where the columns begin
  std::size_t columns = 0;

  bool all_columns() const { return static_cast<std::int64_t>(columns) == input.dimensions; }
  bool is_gap_before(std::size_t i) const {
    const std::int64_t before = i == 0 ? -1 : input.rows[i - 1].id;
    return input.rows[i].id != before + 1;
  }

  void lay_out(float width) {
    float names = 60, ids = 40;
    for (const auto& row : input.rows) {
      names = std::max(names, measure.width(row.token, kHotText, Font::mono));
      ids = std::max(ids, measure.width(text::grouped_number(row.id), kHotText, Font::mono));
    }
    names = std::min(names, 0.2f * width);
    id = ids;
    token = ids + 14;
    bit = token + names + 34;
    table = bit + 56;
    std::size_t most = input.rows.empty() ? 0 : input.rows.front().numbers.size();
    columns = std::min<std::size_t>(most, static_cast<std::size_t>(std::max(1.0f, (width - table - 28) / kHotCell)));
  }

  void draw_gap(float y) {
    const Color color = theme.secondary;
    pen.text(id, y, "⋮", kHotText, Font::mono, color, Align::end);
    pen.text(bit, y, "0", kHotSmall, Font::mono, color, Align::middle);
    pen.text(table + 0.5f * kHotCell, y, "⋮", kHotText, Font::mono, color, Align::middle);
  }

  void draw_numbers(std::size_t i, float middle, Color color) {
    const auto& row = input.rows[i];
    for (std::size_t c = 0; c < columns; ++c)
      pen.text(table + kHotCell * static_cast<float>(c + 1) - 8, middle, cell_number(row.numbers[c]), kHotText, Font::mono, color,
               Align::end, 0, {Tag::cell, static_cast<std::int64_t>(i), static_cast<std::int64_t>(c)});
    if (!all_columns())
      pen.text(table + kHotCell * static_cast<float>(columns) + 12, middle, "…", kHotText, Font::mono, theme.secondary);
  }

  void draw_row(std::size_t i, float y) {
    const bool hot = i == input.chosen;
    const float middle = y + kHotRow / 2;
    const Tag tag{Tag::row, static_cast<std::int64_t>(i), 0};
    pen.box({0, y + 1, figure.width, kHotRow - 2}, hot ? with_alpha(theme.selected, 0.16f) : Color{0, 0, 0, 0},
            hot ? theme.selected : Color{0, 0, 0, 0}, hot ? 1.0f : 0.0f, 6, tag);
    const Color color = hot ? theme.selected : theme.secondary;
    pen.text(id, middle, text::grouped_number(input.rows[i].id), kHotText, Font::mono, color, Align::end, 0, tag);
    pen.text(token, middle, input.rows[i].token, kHotText, Font::mono, hot ? theme.selected : theme.text, Align::start,
             bit - token - 28, tag);
    pen.text(bit, middle, hot ? "1" : "0", kHotText + 2, Font::mono, color, Align::middle, 0, tag);
    draw_numbers(i, middle, hot ? theme.text : theme.secondary);
  }

  void draw() {
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
    for (std::size_t i = 0; i < input.rows.size(); ++i) {
      if (is_gap_before(i)) {
        draw_gap(y + 11);
        y += 22;
      }
      draw_row(i, y);
      y += kHotRow;
    }
    if (!input.rows.empty() && input.rows.back().id + 1 < input.vocabulary) {
      draw_gap(y + 11);
      y += 22;
    }
    pen.text(table - 24, (top + y) / 2, "×", 20, Font::words, theme.text, Align::middle);
    y += 8;
    pen.line({0, y}, {figure.width, y}, theme.line);
    y += 8;
    const float middle = y + kHotRow / 2;
    const std::string row = text::grouped_number(input.rows[input.chosen].id);
    pen.text(0, middle,
             first_that_fits({fill(tr("= 1 × row {}, 0 × every other row"), {row}), fill(tr("= 1 × row {}, 0 × the rest"), {row}),
                              fill(tr("= 1 × row {}"), {row})},
                             table - 8, kHotText, Font::words_bold, measure),
             kHotText, Font::words_bold, theme.text);
    draw_numbers(input.chosen, middle, theme.selected);
    figure.height = y + kHotRow + 4;
  }
};

}  // namespace

Figure one_hot_product(const OneHotInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  OneHotDrawing drawing{input, theme, measure, begin_picture(input.title, width, 60, theme)};
  if (input.rows.empty() || input.chosen >= input.rows.size()) return drawing.figure;
  drawing.lay_out(width);
  drawing.draw();
  std::vector<float> row;
  for (const double value : input.rows[input.chosen].numbers) row.push_back(static_cast<float>(value));
  drawing.figure.data.push_back({"row", Tensor::of(row, {static_cast<std::int64_t>(row.size())}), {"dimension"}, {{}}});
  return drawing.figure;
}

}  // namespace headlight::figures
