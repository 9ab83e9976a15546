#include "app/figures/index_terms.h"

#include <algorithm>
#include <cmath>

#include "app/figures/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

float largest(const Tensor& t) {
  float most = 0;
  for (std::int64_t i = 0; i < t.count(); ++i) most = std::max(most, std::abs(t.data<float>()[i]));
  return most;
}

Cells signed_cells(Box box, const Tensor& values, float range, std::uint64_t key) {
  Cells cells;
  cells.box = box;
  cells.rows = values.dim(0);
  cells.columns = values.dim(1);
  cells.values = values;
  cells.colormap = "signed";
  cells.high = range > 0 ? range : 1;
  cells.low = -cells.high;
  cells.key = key;
  cells.tag = {Tag::cell_area, 0, 0};
  return cells;
}

std::vector<std::string> numbers(std::int64_t count) {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(std::to_string(i));
  return out;
}

struct Square {
  const char* title;
  bool rows_are_symbols, columns_are_symbols;
};
constexpr Square kSquares[] = {{"content · content", true, true},
                               {"content · position", true, false},
                               {"position · content", false, true},
                               {"position · position", false, false},
                               {"QKᵀ", true, true}};

}  // namespace

Figure index_terms(const IndexTermsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.title = tr("QKᵀ from four looked-up terms");
  const Composer pen{figure, theme, measure};
  const std::int64_t l = input.sum.dim(0);
  const std::vector<std::string> places = numbers(l);
  constexpr float kLabel = 13, kTitle = 26, kTitleLine = 18, kBelow = 22, kOperator = 30, kFoot = 24, kMargin = 8;
  float label_room = 0;
  for (const std::string& label : input.labels) label_room = std::max(label_room, measure.width(label, kLabel, Font::mono));
  for (const std::string& label : places) label_room = std::max(label_room, measure.width(label, kLabel, Font::mono));
  label_room += 8;
  // One line of five, or three and two.
  const auto width_for = [&](int columns) {
    return (width - 2 * kMargin - static_cast<float>(columns) * label_room - static_cast<float>(columns - 1) * kOperator) /
           static_cast<float>(columns);
  };
  // Titles stand in two lines where a square has no room for one.
  const auto title_for = [&](int columns) {
    std::size_t most = 1;
    for (const Square& square : kSquares)
      most = std::max(most, wrap(tr(square.title), width_for(columns) + label_room, 15, Font::words, measure).size());
    return kTitle + kTitleLine * static_cast<float>(most - 1);
  };
  const auto side_for = [&](int columns, int lines) {
    const float by_height = (height - kFoot) / static_cast<float>(lines) - title_for(columns) - kBelow;
    return std::min(width_for(columns), by_height);
  };
  const bool two_lines = side_for(3, 2) > side_for(5, 1);
  const int columns = two_lines ? 3 : 5;
  const float title_high = title_for(columns);
  const float side = std::max(40.0f, std::min(two_lines ? side_for(3, 2) : side_for(5, 1), 26.0f * static_cast<float>(l)));
  // Where the height sets the size, the squares stand apart so far that their titles are whole.
  float slot = side;
  for (const Square& square : kSquares) slot = std::max(slot, measure.width(tr(square.title), 15, Font::words) + 12 - label_room);
  slot = std::max(side, std::min(slot, width_for(columns)));
  float range = largest(input.sum);
  for (const Tensor& term : input.terms) range = std::max(range, largest(term));
  const float cell = side / static_cast<float>(l);
  // A word is read letter by letter: smaller letters first, and only then every second one, so that none touch.
  const bool every = cell >= 11;
  const float letter = cell >= 13 ? kLabel : 12;

  for (int i = 0; i < 5; ++i) {
    const float x =
        kMargin + static_cast<float>(i % columns) * (label_room + slot + kOperator) + label_room + std::round((slot - side) / 2);
    const int line = i / columns;
    const float y = title_high + static_cast<float>(line) * (title_high + side + kBelow + 8);
    const Square& square = kSquares[i];
    const std::vector<std::string> title = wrap(tr(square.title), slot + label_room, 15, Font::words, measure);
    for (std::size_t k = 0; k < title.size(); ++k)
      pen.text(x + side / 2, y - kTitle / 2 - kTitleLine * static_cast<float>(title.size() - 1 - k), title[k], 15,
               i == 4 ? Font::words_bold : Font::words, i == 4 ? theme.selected : theme.text, Align::middle);
    // Behind the cells, so that the gaps between them are seen even where numbers are 0, as padding's all are: these have the
    // colour of the page.
    pen.box({x, y, side, side}, theme.line);
    Cells cells = signed_cells({x, y, side, side}, i < 4 ? input.terms[i] : input.sum, range,
                               input.key * 8 + static_cast<std::uint64_t>(i));
    if (i == 4 && input.mask_padding) {
      Tensor mask(DType::u8, {l, l}, {}, true);
      for (std::int64_t r = 0; r < l; ++r)
        for (std::int64_t c = 0; c < l; ++c)
          mask.data<std::uint8_t>()[r * l + c] = input.padding[static_cast<std::size_t>(c)] ? 0 : 1;
      cells.mask = std::move(mask);
      cells.key = input.key * 8 + 6;
    }
    figure.add(std::move(cells));
    pen.box({x - 1, y - 1, side + 2, side + 2}, {0, 0, 0, 0}, theme.line, 1);
    for (std::int64_t k = 0; k < l; ++k) {
      if (!every && k % 2 == 1) continue;
      const auto at = static_cast<std::size_t>(k);
      const float middle = (static_cast<float>(k) + 0.5f) * cell;
      pen.text(x - 6, y + middle, square.rows_are_symbols ? input.labels[at] : places[at], letter, Font::mono,
               k == input.hot_row ? theme.selected : theme.secondary, Align::end);
      pen.text(x + middle, y + side + 11, square.columns_are_symbols ? input.labels[at] : places[at], letter, Font::mono,
               k == input.hot_column ? theme.selected : theme.secondary, Align::middle);
    }
    if (input.hot_row >= 0 && input.hot_column >= 0 && input.hot_row < l && input.hot_column < l)
      pen.box({x + static_cast<float>(input.hot_column) * cell - 1, y + static_cast<float>(input.hot_row) * cell - 1, cell + 2,
               cell + 2},
              {0, 0, 0, 0}, theme.selected, 3);
    if (i < 4)
      pen.text(x + side + (slot - side) / 2 + kOperator / 2 + (i % columns == columns - 1 ? 0 : label_room / 2 - 4), y + side / 2,
               i == 3 ? "=" : "+", 20, Font::words_bold, theme.selected, Align::middle);
    Data data;
    static constexpr const char* kNames[] = {"mm", "mp", "pm", "pp", "QK"};
    data.name = kNames[i];
    data.values = i < 4 ? input.terms[i] : input.sum;
    data.axes = {"query", "key"};
    data.labels = {input.labels, input.labels};
    figure.data.push_back(std::move(data));
  }
  const int lines = two_lines ? 2 : 1;
  const float foot = static_cast<float>(lines) * (title_high + side + kBelow) + (two_lines ? 8.0f : 0.0f) + 12;
  figure.width = width;
  figure.height = foot + 12;
  // The scale, once for all five.
  ColorBar bar;
  bar.box = {kMargin + label_room + 70, foot - 5, 160, 10};
  bar.colormap = "signed";
  figure.add(std::move(bar));
  char ends[2][24];
  std::snprintf(ends[0], sizeof ends[0], "%.3g", -static_cast<double>(range));
  std::snprintf(ends[1], sizeof ends[1], "%.3g", static_cast<double>(range));
  pen.text(kMargin + label_room + 62, foot, ends[0], kLabel, Font::mono, theme.secondary, Align::end);
  pen.text(kMargin + label_room + 238, foot, ends[1], kLabel, Font::mono, theme.secondary);
  // Beside the scale, or below it in as many lines as it takes.
  float from = kMargin + label_room + 250 + measure.width(ends[1], kLabel, Font::mono), at = foot;
  const std::string words =
      std::string(tr("row = query, column = key; all on one scale")) + (input.note.empty() ? "" : "; " + input.note);
  if (from + measure.width(words, kLabel, Font::words) > width - kMargin) {
    from = kMargin;
    at += kTitleLine + 2;
  }
  for (const std::string& line : wrap(words, width - from - kMargin, kLabel, Font::words, measure)) {
    pen.text(from, at, line, kLabel, Font::words, theme.secondary);
    figure.height = at + 12;
    at += kTitleLine;
  }
  return figure;
}

Figure lookup_table(const LookupTableInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.title = tr("The table that scores are looked up in");
  const Composer pen{figure, theme, measure};
  const std::int64_t n = input.symbols, size = input.table.dim(0);
  constexpr float kTop = 44, kLeft = 32, kEdge = 8, kMargin = 8;
  const std::string key_words = tr("key: symbols"), query_words = tr("query: symbols"), positions = tr("positions");
  const float positions_wide = measure.width(positions, 13, Font::words) + 8;
  const float least =
      std::max(measure.width(key_words, 13, Font::words), measure.width(query_words, 13, Font::words)) + positions_wide;
  const float side = std::max(least, std::min(width - kLeft - 2 * kMargin, height - kTop - 54));
  const float x = kMargin + kLeft, y = kTop, cell = side / static_cast<float>(size);
  Cells cells = signed_cells({x, y, side, side}, input.table, largest(input.table), input.key);
  cells.gap = 0;
  figure.add(std::move(cells));
  // Four fields: symbols before n, positions after.
  const float split = static_cast<float>(n) * cell;
  // In the middle of its part; few positions beside many symbols have no room for their name, which then ends at the corner.
  const auto along = [&](const std::string& words, bool down, bool first) {
    const float wide = measure.width(words, 13, Font::words), part = first ? split : side - split;
    const bool fits = first ? split / 2 + wide / 2 <= side - (positions_wide <= side - split ? 0 : positions_wide) : wide <= part;
    const float to = fits ? (first ? split / 2 : (split + side) / 2) : first ? 0 : side;
    Text label;
    label.text = words;
    label.at = down ? Point{x - 22, y + to} : Point{x + to, y - 22};
    label.size = 13;
    label.color = theme.secondary;
    // Turned, a text runs upwards.
    label.horizontal = fits ? Align::middle : first == down ? Align::end : Align::start;
    if (down) label.rotation = 90;
    figure.add(std::move(label));
  };
  along(key_words, false, true);
  along(positions, false, false);
  along(query_words, true, true);
  along(positions, true, false);
  // Which rows and columns this word uses: marks at the edges; the others stand behind a veil, so that what is looked up is what
  // is bright.
  const float mark = std::max(2.0f, cell);
  std::vector<bool> is_used(static_cast<std::size_t>(size), false);
  for (std::size_t i = 0; i < input.ids.size(); ++i)
    is_used[static_cast<std::size_t>(input.ids[i])] = is_used[static_cast<std::size_t>(n) + i] = true;
  const Color veil = with_alpha(theme.background, 0.62f);
  for (std::int64_t row = 0; row < size;) {
    const bool used = is_used[static_cast<std::size_t>(row)];
    std::int64_t end = row + 1;
    while (end < size && is_used[static_cast<std::size_t>(end)] == used) ++end;
    if (!used) {
      const float at = static_cast<float>(row) * cell, run = static_cast<float>(end - row) * cell;
      pen.box({x, y + at, side, run}, veil);
      // Columns between the veiled rows, so that no cell is veiled twice.
      for (std::int64_t r = 0; r < size;) {
        std::int64_t last = r + 1;
        while (last < size && is_used[static_cast<std::size_t>(last)] == is_used[static_cast<std::size_t>(r)]) ++last;
        if (is_used[static_cast<std::size_t>(r)])
          pen.box({x + at, y + static_cast<float>(r) * cell, run, static_cast<float>(last - r) * cell}, veil);
        r = last;
      }
    }
    row = end;
  }
  pen.line({x + split, y}, {x + split, y + side}, theme.text);
  pen.line({x, y + split}, {x + side, y + split}, theme.text);
  for (std::int64_t row = 0; row < size; ++row) {
    if (!is_used[static_cast<std::size_t>(row)]) continue;
    const float at = static_cast<float>(row) * cell;
    pen.box({x - kEdge - 1, y + at, kEdge - 2, mark}, theme.selected);
    pen.box({x + at, y - kEdge - 1, mark, kEdge - 2}, theme.selected);
  }
  const auto l = static_cast<std::int64_t>(input.ids.size());
  if (input.hot_row >= 0 && input.hot_column >= 0 && input.hot_row < l && input.hot_column < l) {
    const std::int64_t rows[] = {input.ids[static_cast<std::size_t>(input.hot_row)], n + input.hot_row};
    const std::int64_t columns[] = {input.ids[static_cast<std::size_t>(input.hot_column)], n + input.hot_column};
    for (const std::int64_t r : rows)
      for (const std::int64_t c : columns) {
        const float box = std::max(9.0f, cell + 4);
        pen.box(
            {x + (static_cast<float>(c) + 0.5f) * cell - box / 2, y + (static_cast<float>(r) + 0.5f) * cell - box / 2, box, box},
            {0, 0, 0, 0}, theme.selected, 2);
      }
  }
  float below = y + side + 18;
  for (const std::string& line : wrap(input.note, width - x - kMargin, 13, Font::words, measure)) {
    pen.text(x, below, line, 13, Font::words, theme.secondary);
    below += 18;
  }
  figure.width = width;
  figure.height = below;
  Data data;
  data.name = "table";
  data.values = input.table;
  data.axes = {"query", "key"};
  data.labels = {{}, {}};
  figure.data.push_back(std::move(data));
  return figure;
}

}  // namespace headlight::figures
