#include "app/views/index/pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

float largest_size(const Tensor& t) {
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

Cells weight_cells(Box box, const Tensor& values, float most, std::uint64_t key) {
  Cells cells = signed_cells(box, values, most, key);
  cells.colormap = "viridis";
  cells.low = 0;
  return cells;
}

std::vector<std::string> numbers(std::int64_t count) {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(std::to_string(i));
  return out;
}

std::string in_digits(int digits, double value) {
  char text[24];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

struct Square {
  const char* title;
  bool rows_are_symbols, columns_are_symbols;
};
constexpr Square kSquares[] = {{"content · content", true, true},
                               {"content · position", true, false},
                               {"position · content", false, true},
                               {"position · position", false, false},
                               {"QKᵀ", true, true},
                               {"softmax(QKᵀ/√d)", true, true}};

}  // namespace

Figure index_terms(const IndexTermsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  constexpr float kLabel = 13, kTitle = 26, kTitleLine = 18, kBelow = 22, kOperator = 30, kFoot = 24, kMargin = 8;
  Figure figure;
  const Composer pen{figure, theme, measure};
  const std::int64_t l = input.sum.dim(0);
  const std::vector<std::string> places = numbers(l);
  const bool weighs = input.weights.rank() == 2;
  const int count = weighs ? 6 : 5;
  const std::span<const Square> squares = std::span(kSquares).first(static_cast<std::size_t>(count));
  figure.title = tr("QKᵀ from four looked-up terms");

  float label_room = 0;
  for (const std::string& label : input.labels) label_room = std::max(label_room, measure.width(label, kLabel, Font::mono));
  for (const std::string& label : places) label_room = std::max(label_room, measure.width(label, kLabel, Font::mono));
  label_room += 8;
  // Below the weights a row with their mean.
  const float mean_high = weighs ? 16 : 0, mean_room = weighs ? mean_high + 5 : 0;
  // One row of all squares, or two rows of at most three.
  const auto width_for = [&](int in_line) {
    return (width - 2 * kMargin - static_cast<float>(in_line) * label_room - static_cast<float>(in_line - 1) * kOperator) /
           static_cast<float>(in_line);
  };
  // Titles take two lines if a square is too narrow for one.
  const auto title_for = [&](int in_line) {
    std::size_t most = 1;
    for (const Square& square : squares)
      most = std::max(most, wrap(tr(square.title), width_for(in_line) + label_room, 15, Font::words, measure).size());
    return kTitle + kTitleLine * static_cast<float>(most - 1);
  };
  const float most_weight = weighs ? largest_size(input.weights) : 1;
  float range = largest_size(input.sum);
  for (const Tensor& term : input.terms) range = std::max(range, largest_size(term));
  // The scales at the foot, and what is said beside them or, if there is no room, below them, in as many lines as needed.
  const std::string ends[] = {in_digits(3, -static_cast<double>(range)), in_digits(3, static_cast<double>(range))};
  const std::string least_weight = std::string(tr("weight")) + " 0", high_weight = in_digits(2, static_cast<double>(most_weight));
  const float weights_from = kMargin + label_room + 250 + measure.width(ends[1], kLabel, Font::mono);
  const float bar_from = weights_from + 14 + measure.width(least_weight, kLabel, Font::words) + 8;
  const float scales_end = weighs ? bar_from + 98 + measure.width(high_weight, kLabel, Font::mono) + 14 : weights_from;
  const std::string words =
      std::string(tr("row = query, column = key; what adds up is on one scale")) + (input.note.empty() ? "" : "; " + input.note);
  const bool below = scales_end + measure.width(words, kLabel, Font::words) > width - kMargin;
  const float words_from = below ? kMargin : scales_end;
  const std::vector<std::string> said = wrap(words, width - words_from - kMargin, kLabel, Font::words, measure);
  const float foot_high =
      kFoot + (below ? kTitleLine + 2 : 0) + kTitleLine * static_cast<float>(std::max<std::size_t>(1, said.size()) - 1);
  const auto side_for = [&](int in_line, int lines) {
    const float between = 8.0f * static_cast<float>(lines - 1);
    const float by_height = (height - foot_high - between - mean_room) / static_cast<float>(lines) - title_for(in_line) - kBelow;
    return std::min(width_for(in_line), by_height);
  };
  const bool two_lines = side_for(3, 2) > side_for(count, 1);
  const int columns = two_lines ? 3 : count;
  const float title_high = title_for(columns);
  const float side = std::max(40.0f, std::min(two_lines ? side_for(3, 2) : side_for(count, 1), 26.0f * static_cast<float>(l)));
  // If the height determines the size, the squares are far enough apart for whole titles.
  float slot = side;
  for (const Square& square : squares) slot = std::max(slot, measure.width(tr(square.title), 15, Font::words) + 12 - label_room);
  slot = std::max(side, std::min(slot, width_for(columns)));
  const float cell = side / static_cast<float>(l);
  // A word is read letter by letter: letters first become smaller, and only then every second one is shown, so that they do not
  // touch.
  const bool every = cell >= 11;
  const float letter = cell >= 13 ? kLabel : 12;

  // Each picture of these values has its own key, masked or not.
  const auto key_of = [&](int picture) {
    return input.key * 16 + static_cast<std::uint64_t>(picture) + (input.mask_padding && picture >= 4 ? 8 : 0);
  };
  // 0: a cell that padding leaves out.
  const auto padding_mask = [&](bool weights) {
    Tensor mask(DType::u8, {l, l}, {}, true);
    for (std::int64_t r = 0; r < l; ++r)
      for (std::int64_t c = 0; c < l; ++c) {
        // Queries that are padding have weights, too; only the mean ignores them.
        const bool leaves = weights && input.padding[static_cast<std::size_t>(r)];
        mask.data<std::uint8_t>()[r * l + c] = input.padding[static_cast<std::size_t>(c)] || leaves ? 0 : 1;
      }
    return mask;
  };
  for (int i = 0; i < count; ++i) {
    const float x =
        kMargin + static_cast<float>(i % columns) * (label_room + slot + kOperator) + label_room + std::round((slot - side) / 2);
    const int line = i / columns;
    const float y = title_high + static_cast<float>(line) * (title_high + side + kBelow + 8);
    const Square& square = kSquares[i];
    const std::vector<std::string> title = wrap(tr(square.title), slot + label_room, 15, Font::words, measure);
    for (std::size_t k = 0; k < title.size(); ++k)
      pen.text(x + side / 2, y - kTitle / 2 - kTitleLine * static_cast<float>(title.size() - 1 - k), title[k], 15,
               i >= 4 ? Font::words_bold : Font::words, i >= 4 ? theme.selected : theme.text, Align::middle);
    // Drawn behind the cells, so that the gaps between them are visible even if numbers are 0, as all of padding's are: those
    // cells have the page's colour.
    pen.box({x, y, side, side}, theme.line);
    const Tensor& values = i < 4 ? input.terms[i] : i == 4 ? input.sum : input.weights;
    Cells cells = i < 5 ? signed_cells({x, y, side, side}, values, range, key_of(i))
                        : weight_cells({x, y, side, side}, values, most_weight, key_of(i));
    if (i >= 4 && input.mask_padding) cells.mask = padding_mask(i == 5);
    figure.add(std::move(cells));
    if (i == 5) {  // the mean of the weights, as a row of its own below them
      const Box strip{x, y + side + 5, side, mean_high};
      pen.box(strip, theme.line);
      Cells mean = weight_cells(strip, input.pooled.reshaped({1, l}), most_weight, key_of(6));
      mean.tag = {Tag::cell_area, l, 0};
      if (input.mask_padding) {
        mean.mask = Tensor(DType::u8, {1, l}, {}, true);
        for (std::int64_t c = 0; c < l; ++c)
          mean.mask.data<std::uint8_t>()[c] = input.padding[static_cast<std::size_t>(c)] ? 0 : 1;
      }
      figure.add(std::move(mean));
      pen.box({x - 1, strip.y - 1, side + 2, strip.h + 2}, {0, 0, 0, 0}, theme.line, 1);
      pen.text(x - 6, strip.y + strip.h / 2, tr("mean"), kLabel, Font::words, theme.selected, Align::end);
    }
    pen.box({x - 1, y - 1, side + 2, side + 2}, {0, 0, 0, 0}, theme.line, 1);

    // The letters or places along a square, and its lit cell.
    for (std::int64_t k = 0; k < l; ++k) {
      if (!every && k % 2 == 1) continue;
      const auto at = static_cast<std::size_t>(k);
      const float middle = (static_cast<float>(k) + 0.5f) * cell;
      pen.text(x - 6, y + middle, kSquares[i].rows_are_symbols ? input.labels[at] : places[at], letter, Font::mono,
               k == input.hot_row ? theme.selected : theme.secondary, Align::end);
      pen.text(x + middle, y + side + (i == 5 ? mean_room : 0) + 11,
               kSquares[i].columns_are_symbols ? input.labels[at] : places[at], letter, Font::mono,
               k == input.hot_column ? theme.selected : theme.secondary, Align::middle);
    }
    if (input.hot_row >= 0 && input.hot_column >= 0 && input.hot_row < l && input.hot_column < l)
      pen.box({x + static_cast<float>(input.hot_column) * cell - 1, y + static_cast<float>(input.hot_row) * cell - 1, cell + 2,
               cell + 2},
              {0, 0, 0, 0}, theme.selected, 3);

    if (i + 1 < count)
      pen.text(x + side + (slot - side) / 2 + kOperator / 2 + (i % columns == columns - 1 ? 0 : label_room / 2 - 4), y + side / 2,
               i == 4   ? "→"
               : i == 3 ? "="
                        : "+",
               20, Font::words_bold, theme.selected, Align::middle);
    Data data;
    static constexpr const char* kNames[] = {"mm", "mp", "pm", "pp", "QK", "weights"};
    data.name = kNames[i];
    data.values = values;
    data.axes = {"query", "key"};
    data.labels = {input.labels, input.labels};
    figure.data.push_back(std::move(data));
  }

  if (weighs) {
    Data data;
    data.name = "pooled";
    data.values = input.pooled;
    data.axes = {"key"};
    data.labels = {input.labels};
    figure.data.push_back(std::move(data));
  }
  const float foot = (two_lines ? 2.0f : 1.0f) * (title_high + side + kBelow) + (two_lines ? 8.0f : 0.0f) + mean_room + 12;
  figure.width = width;
  figure.height = foot + 12;

  // One scale for the terms and their sum, and one for the weights.
  ColorBar bar;
  bar.box = {kMargin + label_room + 70, foot - 5, 160, 10};
  bar.colormap = "signed";
  figure.add(std::move(bar));
  pen.text(kMargin + label_room + 62, foot, ends[0], kLabel, Font::mono, theme.secondary, Align::end);
  pen.text(kMargin + label_room + 238, foot, ends[1], kLabel, Font::mono, theme.secondary);
  if (weighs) {
    pen.text(weights_from + 14, foot, least_weight, kLabel, Font::words, theme.secondary);
    ColorBar weight_bar;
    weight_bar.box = {bar_from, foot - 5, 90, 10};
    figure.add(std::move(weight_bar));
    pen.text(bar_from + 98, foot, high_weight, kLabel, Font::mono, theme.secondary);
  }
  float at = foot + (below ? kTitleLine + 2 : 0);
  for (const std::string& line : said) {
    pen.text(words_from, at, line, kLabel, Font::words, theme.secondary);
    figure.height = at + 12;
    at += kTitleLine;
  }
  return figure;
}

namespace {

// One axis of the table: symbols, a gap, positions. A position gets more room than a symbol, so that all four blocks are
// readable.
struct TableAxis {
  float from = 0, symbols = 0, gap = 0, positions = 0;  // points
  std::int64_t n = 0, l = 0;
  float size_of(std::int64_t i) const { return i < n ? symbols / static_cast<float>(n) : positions / static_cast<float>(l); }
  float begin_of(std::int64_t i) const {
    return i < n ? from + static_cast<float>(i) * size_of(i) : from + symbols + gap + static_cast<float>(i - n) * size_of(i);
  }
  float middle_of(std::int64_t i) const { return begin_of(i) + size_of(i) / 2; }
};

TableAxis table_axis(float from, float room, float gap, std::int64_t n, std::int64_t l) {
  const float even = static_cast<float>(l) / static_cast<float>(n + l);
  const float positions = (room - gap) * std::clamp(even, 0.3f, 0.7f);
  return {from, room - gap - positions, gap, positions, n, l};
}

// Runs of true values, as [begin, end).
std::vector<std::pair<std::int64_t, std::int64_t>> runs_of(const std::vector<bool>& flags, std::int64_t begin, std::int64_t end) {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  for (std::int64_t at = begin; at < end;) {
    std::int64_t to = at + 1;
    while (to < end && flags[static_cast<std::size_t>(to)] == flags[static_cast<std::size_t>(at)]) ++to;
    runs.emplace_back(at, to);
    at = to;
  }
  return runs;
}

// Places labels near `wanted` (ascending), at least `apart` from each other and within [least, most].
std::vector<float> spread(std::vector<float> wanted, float apart, float least, float most) {
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = std::max(wanted[i], i == 0 ? least : wanted[i - 1] + apart);
  for (std::size_t i = wanted.size(); i-- > 0;)
    wanted[i] = std::min(wanted[i], i + 1 == wanted.size() ? most : wanted[i + 1] - apart);
  return wanted;
}

}  // namespace

Figure lookup_table(const LookupTableInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  constexpr float kTitle = 22, kLetters = 18, kMargin = 8, kSmall = 13, kLine = 18, kEdge = 6, kGap = 14;
  Figure figure;
  const Composer pen{figure, theme, measure};
  const std::int64_t n = input.symbols, size = input.table.dim(0), l = size - n;
  figure.title = tr("The table that scores are looked up in");

  float label_room = measure.width(std::to_string(l - 1), kSmall, Font::mono);
  for (const std::string& label : input.labels) label_room = std::max(label_room, measure.width(label, kSmall, Font::mono));
  const std::vector<std::string> note = wrap(input.note, width - 2 * kMargin, kSmall, Font::words, measure);
  const float left = kMargin + label_room + 6 + kEdge, top = kTitle + kLetters;
  const float below = 6 + kLine * static_cast<float>(note.size());
  const float high = std::max(150.0f, height - top - below);
  const float wide = std::max(150.0f, std::min(width - left - kMargin, 2.4f * high));
  const TableAxis across = table_axis(left, wide, kGap, n, l), down = table_axis(top, high, kTitle, n, l);

  // Symbols, then places: whether this word looks them up.
  std::vector<bool> used(static_cast<std::size_t>(size), false);
  for (std::size_t i = 0; i < input.ids.size(); ++i)
    used[static_cast<std::size_t>(input.ids[i])] = used[static_cast<std::size_t>(n) + i] = true;
  const auto is_used = [&](std::int64_t i) { return used[static_cast<std::size_t>(i)]; };

  const float range = largest_size(input.table);
  const Color veil = with_alpha(theme.background, 0.62f), band = with_alpha(theme.selected, 0.2f);
  struct Block {
    const char *name, *term;
    bool row_symbols, column_symbols;
  };
  const Block blocks[] = {{tr("symbol · symbol"), "MM", true, true},
                          {tr("symbol · position"), "MP", true, false},
                          {tr("position · symbol"), "PM", false, true},
                          {tr("position · position"), "PP", false, false}};
  for (const Block& block : blocks) {
    const std::int64_t row0 = block.row_symbols ? 0 : n, row1 = block.row_symbols ? n : size;
    const std::int64_t column0 = block.column_symbols ? 0 : n, column1 = block.column_symbols ? n : size;
    const Box box{across.begin_of(column0), down.begin_of(row0), block.column_symbols ? across.symbols : across.positions,
                  block.row_symbols ? down.symbols : down.positions};
    // The name and, if there is room, the term and its size.
    const std::string name = block.name;
    const std::string full =
        name + "  " + block.term + " " + std::to_string(row1 - row0) + "×" + std::to_string(column1 - column0);
    const float name_y = block.row_symbols ? kTitle / 2 : box.y - kTitle / 2;
    const auto fits = [&](const std::string& words) { return measure.width(words, kSmall, Font::words) <= box.w + kGap - 8; };
    pen.text(box.x, name_y,
             fits(full)                       ? full
             : fits(name + "  " + block.term) ? name + "  " + block.term
                                              : name,
             kSmall, Font::words, theme.text);
    Cells cells = signed_cells(box, input.table, range, input.key);
    cells.rows = row1 - row0;
    cells.columns = column1 - column0;
    cells.from_row = row0;
    cells.from_column = column0;
    cells.tag = {Tag::cell_area, row0, column0};
    cells.gap = 0;
    figure.add(std::move(cells));
    // A veil covers the cells that are not looked up. Rows and columns that are looked up are bands, unless all rows or columns
    // are.
    const auto rows = runs_of(used, row0, row1), columns = runs_of(used, column0, column1);
    for (const auto& [r0, r1] : rows)
      for (const auto& [c0, c1] : columns) {
        if (is_used(r0) && is_used(c0)) continue;
        const Box part{across.begin_of(c0), down.begin_of(r0), static_cast<float>(c1 - c0) * across.size_of(c0),
                       static_cast<float>(r1 - r0) * down.size_of(r0)};
        pen.box(part, veil);
        if ((is_used(r0) && rows.size() > 1) || (is_used(c0) && columns.size() > 1)) pen.box(part, band);
      }
    pen.box({box.x - 1, box.y - 1, box.w + 2, box.h + 2}, {0, 0, 0, 0}, theme.line, 1);
  }

  // At the edges: the symbols and positions of these rows and columns.
  std::vector<std::int64_t> symbols;
  for (std::int64_t i = 0; i < n; ++i)
    if (is_used(i)) symbols.push_back(i);
  const auto label_of = [&](std::int64_t symbol) {
    for (std::size_t i = 0; i < input.ids.size() && i < input.labels.size(); ++i)
      if (input.ids[i] == symbol) return input.labels[i];
    return std::to_string(symbol);
  };
  for (const bool rows : {true, false}) {
    const TableAxis& axis = rows ? down : across;
    const auto mark = [&](std::int64_t i) {
      const float at = axis.begin_of(i), thick = std::max(2.0f, axis.size_of(i));
      pen.box(rows ? Box{left - kEdge, at, kEdge - 2, thick} : Box{at, top - kEdge, thick, kEdge - 2}, theme.selected);
    };
    const auto letter = [&](float at, std::string words) {
      if (rows)
        pen.text(left - kEdge - 5, at, std::move(words), kSmall, Font::mono, theme.selected, Align::end);
      else
        pen.text(at, top - kEdge - 7, std::move(words), kSmall, Font::mono, theme.selected, Align::middle);
    };
    std::vector<float> wanted;
    for (const std::int64_t i : symbols) {
      mark(i);
      wanted.push_back(axis.middle_of(i));
    }
    const float apart = rows ? 14.0f : label_room + 3, half = apart / 2;
    wanted = spread(wanted, apart, axis.from + half - 4, axis.from + axis.symbols - half + 4);
    for (std::size_t i = 0; i < symbols.size(); ++i) letter(wanted[i], label_of(symbols[i]));
    const auto step = static_cast<std::int64_t>(std::ceil(apart / axis.size_of(n)));
    for (std::int64_t i = 0; i < l; ++i) {
      mark(n + i);
      if (i % step == 0) letter(axis.middle_of(n + i), std::to_string(i));
    }
  }

  // The four numbers that the lit score is looked up in.
  if (input.hot_row >= 0 && input.hot_column >= 0 && input.hot_row < l && input.hot_column < l) {
    const std::int64_t rows[] = {input.ids[static_cast<std::size_t>(input.hot_row)], n + input.hot_row};
    const std::int64_t columns[] = {input.ids[static_cast<std::size_t>(input.hot_column)], n + input.hot_column};
    for (const std::int64_t r : rows)
      for (const std::int64_t c : columns) {
        const float w = std::max(9.0f, across.size_of(c) + 4), h = std::max(9.0f, down.size_of(r) + 4);
        pen.box({across.middle_of(c) - w / 2, down.middle_of(r) - h / 2, w, h}, {0, 0, 0, 0}, theme.selected, 2);
      }
  }

  float y = top + high + 6 + kLine / 2;
  for (const std::string& line : note) {
    pen.text(kMargin, y, line, kSmall, Font::words, theme.secondary);
    y += kLine;
  }

  figure.width = width;
  figure.height = top + high + below + 2;
  Data data;
  data.name = "table";
  data.values = input.table;
  data.axes = {"query", "key"};
  data.labels = {{}, {}};
  figure.data.push_back(std::move(data));
  return figure;
}

}  // namespace headlight::figures
