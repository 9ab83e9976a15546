#include "app/figures/charts/strips.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/legend.h"

namespace headlight::figures {
namespace {

constexpr float kStripsTitle = 16, kStripsSmall = 13, kStripsToken = 15, kStripsGap = 10, kBetweenStrips = 2;

// The key is a hash (FNV-1a) of the numbers themselves, so different numbers never share a texture.
std::uint64_t key_of(const Tensor& values) {
  std::uint64_t hash = 14695981039346656037ull ^ static_cast<std::uint64_t>(values.dim(0));
  for (const float v : values.values<float>()) hash = (hash ^ std::bit_cast<std::uint32_t>(v)) * 1099511628211ull;
  return hash;
}

struct Columns {
  float labels = 0, left = 0, left_wide = 0, middle = 0, right = 0, right_wide = 0, end = 0;
};
Columns columns_of(const StripsInput& input, float width, const TextMeasure& measure) {
  Columns c;
  float middle = 0, end = 0;
  bool two = false;
  for (const auto& row : input.rows) {
    const Font font = row.token ? Font::mono : row.sum ? Font::words_bold : Font::words;
    c.labels = std::max(c.labels, measure.width(row.label, row.token ? kStripsToken : kStripsSmall, font) + 9);
    // If the left column is empty, its room is used for words.
    if (!row.left.empty()) middle = std::max(middle, measure.width(row.middle, kStripsSmall, Font::mono));
    end = std::max(end, measure.width(row.end, kStripsSmall, Font::mono));
    two |= !row.right.empty();
  }
  c.labels = std::min(c.labels, 0.26f * width);
  c.left = c.labels + kStripsGap;
  const float rest = width - c.left - (end > 0 ? end + kStripsGap : 0);
  if (!two) {
    c.left_wide = std::max(20.0f, rest);
  } else {
    c.left_wide = std::max(20.0f, (rest - middle - 2 * kStripsGap) / 2);
    c.middle = c.left + c.left_wide + kStripsGap + middle;
    c.right = c.middle + kStripsGap;
    c.right_wide = c.left_wide;
  }
  c.end = width;
  return c;
}

// Rows `first`..`last` of one column as one matrix of cells.
void add_cells(Figure& figure, const StripsInput& input, bool right, std::size_t first, std::size_t last, Box box, float range) {
  const auto& of = [&](std::size_t i) -> const std::vector<float>& { return right ? input.rows[i].right : input.rows[i].left; };
  Cells cells;
  cells.rows = static_cast<std::int64_t>(last - first);
  cells.columns = static_cast<std::int64_t>(of(first).size());
  cells.values = Tensor(DType::f32, {cells.rows, cells.columns}, {}, true);
  float* to = cells.values.data<float>();
  for (std::size_t i = first; i < last; ++i) to = std::copy(of(i).begin(), of(i).end(), to);
  cells.box = box;
  cells.colormap = "signed";
  cells.high = range > 0 ? range : 1;
  cells.low = -cells.high;
  cells.gap = 1;
  cells.key = key_of(cells.values);
  cells.tag = {Tag::cell_area, static_cast<std::int64_t>(first), right ? kRightStrips : 0};
  figure.add(std::move(cells));
}

}  // namespace

Figure strips(const StripsInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, std::max(width, 200.0f), 0, theme);
  const Composer pen{figure, theme, measure};
  const Columns c = columns_of(input, figure.width, measure);
  const bool two = c.right_wide > 0;  // there are strips on the right as well
  const float small = measure.line_height(kStripsSmall, Font::words);

  float y = 0;
  if (!input.title.empty()) {
    const float line = measure.line_height(kStripsTitle, Font::words_bold);
    pen.text(0, y + line / 2, input.title, kStripsTitle, Font::words_bold, theme.text, Align::start, figure.width);
    y += line + 6;
  }
  if (!input.left_title.empty() || !input.right_title.empty()) {
    pen.text(c.left, y + small / 2, input.left_title, kStripsSmall, Font::words, theme.secondary, Align::start, c.left_wide);
    if (two)
      pen.text(c.right, y + small / 2, input.right_title, kStripsSmall, Font::words, theme.secondary, Align::start, c.right_wide);
    y += small + 4;
  }

  // The top of each row; a sum has extra space above it.
  std::vector<float> tops;
  for (std::size_t i = 0; i < input.rows.size(); ++i) {
    if (input.rows[i].sum && i > 0) y += 8;
    tops.push_back(y);
    y += input.row_height;
  }

  for (const bool right : {false, true}) {
    if (right && !two) break;
    const auto& of = [&](std::size_t i) -> const std::vector<float>& { return right ? input.rows[i].right : input.rows[i].left; };
    for (std::size_t i = 0; i < input.rows.size();) {
      if (of(i).empty()) {
        ++i;
        continue;
      }
      // Consecutive strips of the same length are drawn as one matrix.
      std::size_t last = i + 1;
      while (last < input.rows.size() && !input.rows[last].sum && of(last).size() == of(i).size()) ++last;
      const float at = right ? c.right : c.left, wide = right ? c.right_wide : c.left_wide;
      add_cells(figure, input, right, i, last,
                {at, tops[i] + kBetweenStrips / 2, wide, input.row_height * static_cast<float>(last - i) - kBetweenStrips},
                right ? input.right_range : input.left_range);
      i = last;
    }
  }

  for (std::size_t i = 0; i < input.rows.size(); ++i) {
    const auto& row = input.rows[i];
    const float middle = tops[i] + input.row_height / 2;
    const bool hot = row.index >= 0 && row.index == input.hot;
    if (row.sum && i > 0) {
      const float from = two && row.left.empty() ? c.right : c.left;
      pen.line({from, tops[i] - 4}, {two ? c.right + c.right_wide : c.left + c.left_wide, tops[i] - 4}, theme.secondary, 1);
    }
    const Font font = row.token ? Font::mono : row.sum ? Font::words_bold : Font::words;
    pen.text(c.labels - (row.hue >= 0 ? 8.0f : 0.0f), middle, row.label, row.token ? kStripsToken : kStripsSmall, font,
             hot                    ? theme.selected
             : row.token || row.sum ? theme.text
                                    : theme.secondary,
             Align::end, c.labels - (row.hue >= 0 ? 8.0f : 0.0f), {Tag::row, row.index, 0});
    if (row.hue >= 0)
      pen.box({c.labels - 3, tops[i] + 3, 3, input.row_height - 6},
              theme.hues[static_cast<std::size_t>(row.hue) % theme.hues.size()], {0, 0, 0, 0}, 0, 1);
    if (!row.middle.empty())
      pen.text(c.middle, middle, row.middle, kStripsSmall, Font::mono, hot ? theme.selected : theme.text, Align::end, 0,
               {Tag::row, row.index, 0});
    if (!row.end.empty()) pen.text(c.end, middle, row.end, kStripsSmall, Font::mono, theme.text, Align::end);
    if (hot) {
      if (!row.left.empty()) pen.box({c.left, tops[i], c.left_wide, input.row_height}, {0, 0, 0, 0}, theme.selected, 1.5f, 2);
      if (!row.right.empty()) pen.box({c.right, tops[i], c.right_wide, input.row_height}, {0, 0, 0, 0}, theme.selected, 1.5f, 2);
    }
  }

  if (!input.axis.empty()) {
    for (const std::string& line : wrap(input.axis, c.left_wide, kStripsSmall, Font::words, measure)) {
      pen.text(c.left, y + 3 + small / 2, line, kStripsSmall, Font::words, theme.secondary);
      if (two) pen.text(c.right, y + 3 + small / 2, line, kStripsSmall, Font::words, theme.secondary);
      y += small + 2;
    }
    y += 4;
  }
  y += 4;

  float lowest = y;
  // What the colours of one side mean, `wide` points from `at`.
  const auto legend = [&](float at, float wide, float range, const std::string& words, const std::string& note) {
    Legend l;
    l.colormap = "signed";
    l.high = range > 0 ? range : 1;
    l.low = -l.high;
    l.range_words = words;
    l.notes = wrap(note, wide, kStripsSmall, Font::words, measure);
    // Too long to fit between the ends, so it goes below.
    if (legend_width(l, 4 * wide, measure) > wide) {
      std::vector<std::string> lines = wrap(words, wide, kStripsSmall, Font::words, measure);
      l.notes.insert(l.notes.begin(), lines.begin(), lines.end());
      l.range_words.clear();
    }
    add_legend(figure, l, at, y, wide, std::min(wide, 260.0f), theme, measure);
    lowest = std::max(lowest, y + legend_height(l, wide, measure));
  };
  if (!input.left_words.empty()) legend(c.left, c.left_wide, input.left_range, input.left_words, input.note);
  if (two && !input.right_words.empty()) legend(c.right, c.right_wide, input.right_range, input.right_words, "");
  figure.height = std::ceil(lowest + 2);

  for (const bool right : {false, true}) {
    std::size_t length = 0;
    for (const auto& row : input.rows) length = std::max(length, (right ? row.right : row.left).size());
    Data data;
    data.name = input.data_name + (right ? " weighted" : "");
    data.axes = {"row", "dimension"};
    data.labels.resize(2);
    std::vector<float> all;
    for (const auto& row : input.rows) {
      const auto& vector = right ? row.right : row.left;
      if (vector.empty() || vector.size() != length) continue;
      data.labels[0].push_back(row.label);
      all.insert(all.end(), vector.begin(), vector.end());
    }
    if (all.empty()) continue;
    data.values = Tensor::of(all, {static_cast<std::int64_t>(data.labels[0].size()), static_cast<std::int64_t>(length)});
    figure.data.push_back(std::move(data));
  }
  return figure;
}

}  // namespace headlight::figures
