#include "app/figures/base/axis_labels.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"

namespace headlight::figures {
namespace {

constexpr float kTight = 0.85f;                        // lines may be this close, because letters are lower than the line
constexpr float kUpright = 0.8f;                       // ... of upright labels, the last way before some are left out
constexpr float kSolid = 0.75f;                        // ... of solid rows: the letters of one line just miss those of the next
constexpr float kApart = 6, kBetweenLabelColumns = 8;  // between labels of one line; between two columns of row labels
constexpr float kAbove = 5;                            // from the lowest line of labels to the cells
constexpr float kLeastForToken = 20;                   // rows that are lower have smaller labels
// Measuring thousands of labels would take longer than the picture, so of more than this many only a sample is measured.
constexpr std::int64_t kMeasured = 192;

constexpr LabelStyle kRowStyles[] = {{LabelStyle::level, 15, 0, false},     {LabelStyle::level, 13, 0, false},
                                     {LabelStyle::level, 12, 0, false},     {LabelStyle::staggered, 13, 0, false},
                                     {LabelStyle::staggered, 12, 0, false}, {LabelStyle::level, 12, 0, false, true}};
constexpr LabelStyle kColumnStyles[] = {
    {LabelStyle::level, 15, 0, false},     {LabelStyle::level, 13, 0, false},   {LabelStyle::staggered, 15, 0, false},
    {LabelStyle::staggered, 13, 0, false}, {LabelStyle::tilted, 15, 40, false}, {LabelStyle::tilted, 13, 40, false},
    {LabelStyle::tilted, 13, 55, false},   {LabelStyle::tilted, 13, 70, false}, {LabelStyle::tilted, 12, 90, false}};
// Of axes with many labels, or numbers.
constexpr LabelStyle kManyRows[] = {{LabelStyle::level, 15, 0, false}, {LabelStyle::level, 13, 0, true}};
constexpr LabelStyle kManyColumns[] = {
    {LabelStyle::level, 15, 0, false}, {LabelStyle::tilted, 15, 40, false}, {LabelStyle::tilted, 13, 40, true}};
// Of axes whose labels must be smaller, down to LabelAxis::least.
constexpr float kSmallLabels[] = {11, 10, 9, 8, 7, 6, 5, kLeastInFiles};
constexpr LabelStyle small_row(float size) { return {LabelStyle::level, size, 0, false, true}; }
constexpr LabelStyle small_column(float size) { return {LabelStyle::tilted, size, 90, false, true}; }
constexpr LabelStyle kNumbers[] = {{LabelStyle::level, 13, 0, true}};
constexpr LabelStyle kLastRow[] = {{LabelStyle::level, 13, 0, true}};
constexpr LabelStyle kLastColumn[] = {{LabelStyle::tilted, 13, 40, true}};
// In a file, where as many as can be read in print are better than few large ones.
constexpr float kLastInFiles = 8;

float radians(float degrees) { return degrees * 3.14159265f / 180; }

// The widest label is the widest at every size, so that the others of a long axis are measured once.
MeasuredLabels measured_at(LabelAxis& axis, float size, float most, const TextMeasure& measure) {
  MeasuredLabels m;
  m.size = size;
  m.most = most;
  m.line = measure.line_height(size, Font::mono);
  if (!axis.tokens) {
    if (axis.count > 0) m.widest = measure.width(std::to_string(axis.first + axis.count - 1), size, Font::mono);
    m.cut = m.widest > most;
    m.widest = std::min(m.widest, most);
    return m;
  }
  const std::int64_t step = std::max<std::int64_t>(1, axis.count / kMeasured);
  const auto take = [&](std::int64_t i) {
    const float whole = measure.width(axis.label(i), size, Font::mono);
    if (whole > m.widest && axis.count > kAllNamed) axis.widest = i;
    m.widest = std::max(m.widest, whole);
    if (axis.count <= kAllNamed) m.widths.push_back(std::min(whole, most));
  };
  if (axis.widest >= 0) {
    take(axis.widest);
  } else {
    for (std::int64_t i = axis.first; i < axis.first + axis.count; i += step) take(i);
  }
  m.cut = m.widest > most;
  m.widest = std::min(m.widest, most);
  // The sample may have missed the widest label: adds some room; longer labels get an ellipsis.
  if (step > 1) m.widest = std::min(1.25f * m.widest, most);
  return m;
}

std::span<const LabelStyle> row_styles(const LabelAxis& rows) {
  if (!rows.tokens) return kNumbers;
  if (rows.tries_all()) return kRowStyles;
  return kManyRows;
}
std::span<const LabelStyle> column_styles(const LabelAxis& columns) {
  if (!columns.tokens) return kNumbers;
  if (columns.tries_all()) return kColumnStyles;
  return kManyColumns;
}

// A label of the second line, or column, and how far it is moved away from the cells.
bool is_second(const LabelAxis& axis, std::int64_t i) {
  return axis.style.kind == LabelStyle::staggered && (i - axis.first) % 2 == 1;
}

// The distance that a label needs to its neighbour, where labels may be left out.
float needed(const LabelAxis& axis, bool are_rows) {
  if (are_rows) return axis.measured.line * (axis.style.solid ? kSolid : 1);
  const float close = axis.style.solid ? kSolid : axis.style.degrees >= 90 ? kUpright : kTight;
  return axis.style.kind == LabelStyle::tilted ? axis.measured.line * close / std::sin(radians(axis.style.degrees))
                                               : axis.measured.widest + kBetweenLabelColumns;
}

// Every k-th label, k as small as can be, and the lit one without its neighbours: the places of tokens need not be easy to count.
std::vector<std::int64_t> every(const LabelAxis& axis, float pitch, float need) {
  if (!(pitch > 0)) return {};
  const auto step = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(need / pitch - 0.001f)));
  const bool lit = axis.hot >= axis.first && axis.hot < axis.first + axis.count;
  std::vector<std::int64_t> shown;
  for (std::int64_t i = (axis.first + step - 1) / step * step; i < axis.first + axis.count; i += step)
    if (!lit || std::abs(i - axis.hot) >= step) shown.push_back(i);
  if (lit) shown.insert(std::lower_bound(shown.begin(), shown.end(), axis.hot), axis.hot);
  return shown;
}

void add_hairline(Figure& figure, Box box, Color color) {
  Rectangle line;
  line.box = box;
  line.fill = color;
  figure.add(line);
}

}  // namespace

float row_label_room(const LabelAxis& rows) {
  return rows.style.kind == LabelStyle::staggered ? 2 * rows.measured.widest + kBetweenLabelColumns : rows.measured.widest;
}

float column_label_room(const LabelAxis& columns) {
  const MeasuredLabels& m = columns.measured;
  switch (columns.style.kind) {
    case LabelStyle::staggered: return m.line * (1 + kTight) + 8;
    case LabelStyle::tilted: return turned(m.widest, m.line, columns.style.degrees).h + 4;
    default: return m.line + 8;
  }
}

float column_label_lean(const LabelAxis& columns) {
  const MeasuredLabels& m = columns.measured;
  if (columns.style.kind == LabelStyle::tilted) return std::max(0.0f, turned(m.widest, m.line, columns.style.degrees).w - 4);
  return columns.all_named() && !m.widths.empty() ? m.widths.back() / 2 : 0;
}

bool rows_fit(const LabelAxis& rows, float pitch) {
  if (rows.style.may_skip) return true;
  if (rows.style.kind == LabelStyle::staggered) return rows.measured.line * kTight <= 2 * pitch;
  if (rows.style.size > 13 && pitch < kLeastForToken) return false;
  return rows.measured.line * (rows.style.solid ? kSolid : kTight) <= pitch;
}

bool columns_fit(const LabelAxis& columns, float pitch) {
  if (columns.style.may_skip) return true;
  const MeasuredLabels& m = columns.measured;
  if (columns.style.kind == LabelStyle::tilted || m.widths.empty()) return needed(columns, false) <= pitch;
  const std::vector<float>& w = m.widths;
  const std::size_t n = w.size(), step = columns.style.kind == LabelStyle::staggered ? 2 : 1;
  for (std::size_t i = 0; i + step < n; ++i)
    if ((w[i] + w[i + step]) / 2 + kApart > static_cast<float>(step) * pitch) return false;
  // The hairlines of the upper line pass between the labels of the lower one.
  if (step == 2)
    for (std::size_t i = 0; i < n; i += 2)
      if (n > 1 && w[i] / 2 + kApart / 2 > pitch) return false;
  return true;
}

void choose_label_styles(LabelAxis& rows, LabelAxis& columns, const TextMeasure& measure, const std::function<bool()>& fits) {
  const auto set = [&](LabelAxis& axis, const LabelStyle& style) {
    axis.style = style;
    const float most = style.kind == LabelStyle::tilted ? std::min(axis.most, axis.most_tilted) : axis.most;
    auto at = std::find_if(axis.known.begin(), axis.known.end(),
                           [&](const MeasuredLabels& m) { return m.size == style.size && m.most == most; });
    if (at == axis.known.end()) at = axis.known.insert(at, measured_at(axis, style.size, most, measure));
    axis.measured = *at;
  };
  const auto found = [&](std::span<const LabelStyle> row_list, std::span<const LabelStyle> column_list) {
    for (const LabelStyle& column : column_list) {
      set(columns, column);
      for (const LabelStyle& row : row_list) {
        set(rows, row);
        if (fits()) return true;
      }
    }
    return false;
  };
  if (found(row_styles(rows), column_styles(columns))) return;
  // Smaller labels along either axis or both, each size with all larger ones along the other axis.
  std::vector<LabelStyle> row_list(row_styles(rows).begin(), row_styles(rows).end()),
      column_list(column_styles(columns).begin(), column_styles(columns).end());
  std::vector<float> sizes;
  for (const float size : kSmallLabels)
    if (size > rows.least) sizes.push_back(size);
  if (rows.least < kLeastOnScreen) sizes.push_back(rows.least);
  for (const float size : sizes) {
    const LabelStyle row[] = {small_row(size)}, column[] = {small_column(size)};
    if (rows.tries_all()) {
      if (found(row, column_list)) return;
      row_list.push_back(row[0]);
    }
    if (columns.tries_all()) {
      if (found(row_list, column)) return;
      column_list.push_back(column[0]);
    }
  }
  const bool file = rows.least < kLeastOnScreen;
  const float last = std::max(kLastInFiles, rows.least);
  const LabelStyle row_in_file[] = {{LabelStyle::level, last, 0, true, true}},
                   column_in_file[] = {{LabelStyle::tilted, last, 90, true, true}};
  const std::span<const LabelStyle> last_row = !rows.tokens ? kNumbers
                                               : file       ? std::span<const LabelStyle>(row_in_file)
                                                            : kLastRow,
                                    last_column = !columns.tokens ? kNumbers
                                                  : file          ? std::span<const LabelStyle>(column_in_file)
                                                                  : kLastColumn;
  if (columns.tokens && found(row_list, last_column)) return;
  if (rows.tokens && found(last_row, column_list)) return;
  (void)found(last_row, last_column);
}

std::vector<std::int64_t> shown_labels(const LabelAxis& axis, float pitch, bool are_rows) {
  if (axis.tokens && axis.style.may_skip) return every(axis, pitch, needed(axis, are_rows));
  if (axis.style.may_skip || !axis.tries_all()) return ticks(axis.first, axis.count, pitch, needed(axis, are_rows), axis.hot);
  std::vector<std::int64_t> all(static_cast<std::size_t>(axis.count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = axis.first + static_cast<std::int64_t>(i);
  return all;
}

void add_row_labels(Figure& figure, const LabelAxis& rows, float right, float start, float pitch, const LabelColor& color,
                    Color hairline) {
  for (const std::int64_t i : shown_labels(rows, pitch, true)) {
    const float y = start + (static_cast<float>(i - rows.first) + 0.5f) * pitch;
    const bool second = is_second(rows, i);
    const float end = second ? right - rows.measured.widest - kBetweenLabelColumns : right;
    if (second) add_hairline(figure, {end + 3, y - 0.5f, right - end - 3, 1}, hairline);
    Text t = text_at(rows.label(i), {end, y}, rows.style.size, Font::mono, color(i));
    t.horizontal = Align::end;
    t.max_width = rows.measured.widest + 1;
    t.tag = {Tag::row, i, 0};
    figure.add(std::move(t));
  }
}

float add_column_labels(Figure& figure, const LabelAxis& columns, float start, float top, float pitch, const LabelColor& color,
                        Color hairline, const TextMeasure& measure) {
  const MeasuredLabels& m = columns.measured;
  const float angle = radians(columns.style.degrees), sine = std::sin(angle), cosine = std::cos(angle);
  float reach = 0;
  for (const std::int64_t i : shown_labels(columns, pitch, false)) {
    const float x = start + (static_cast<float>(i - columns.first) + 0.5f) * pitch;
    Text t = text_at(columns.label(i), {x, top - kAbove}, columns.style.size, Font::mono, color(i));
    t.max_width = m.widest + 1;
    if (columns.style.kind == LabelStyle::tilted) {
      t.rotation = columns.style.degrees;
      // The lower corner of the line is 6 points above the cells.
      t.at = {x - 5.2f * cosine, top - 6 - m.line / 2 * cosine};
      reach = std::max(reach, t.at.x + std::min(m.widest, measure.width(t.text, t.size, t.font)) * cosine + m.line / 2 * sine);
    } else {
      t.horizontal = Align::middle;
      t.vertical = Align::end;
      if (!columns.tokens) t.max_width = 0;
      if (is_second(columns, i)) {
        t.at.y -= m.line * kTight;
        add_hairline(figure, {x - 0.5f, t.at.y - 1, 1, top - kAbove - t.at.y}, hairline);
      }
      reach = std::max(reach, x + std::min(m.widest, measure.width(t.text, t.size, t.font)) / 2);
    }
    t.tag = {Tag::column, i, 0};
    figure.add(std::move(t));
  }
  return reach;
}

}  // namespace headlight::figures
