// Sets the labels along the axes of a matrix: level where they fit, else on two lines, else tilted, else smaller. If an axis has
// few tokens, no label is left out as long as one of these styles fits all labels.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// An axis of up to this many tokens shows all labels if any style fits them; a longer axis may show every k-th label.
inline constexpr std::int64_t kAllNamed = 40;
// The least size of a label, in points: on the screen, and in a file, where 4.5 points are 3.4 pt of print. With it 40 labels fit
// beside a map that has 60 % of a column of 84 mm.
inline constexpr float kLeastOnScreen = 12, kLeastInFiles = 4.5f;

inline constexpr std::int64_t kMostTriedInFiles = 192;

// One style of setting the labels of an axis.
struct LabelStyle {
  enum Kind { level, staggered, tilted } kind = level;  // staggered: rows in two columns, columns on two lines
  float size = 15;                                      // points
  float degrees = 0;                                    // angle of tilted labels, counter-clockwise
  bool may_skip = false;                                // the last resort: labels that do not fit are left out
  bool solid = false;                                   // lines may be as close as their letters allow
};

// The labels of the shown part of one axis, measured at one size.
struct MeasuredLabels {
  float size = 0, line = 0, most = 0;  // size and height of a line, in points; most: as in LabelAxis
  float widest = 0;                    // width of the widest label, in points
  bool cut = false;                    // a label is wider than `most`, so it gets an ellipsis
  std::vector<float> widths;           // width of each label, in points; empty for more than kAllNamed labels
};

// One axis of a matrix: its shown part and its labels.
struct LabelAxis {
  std::int64_t first = 0, count = 0, hot = -1;
  const std::vector<std::string>* labels = nullptr;
  bool tokens = false;           // false: the labels are numbers
  float most = 1e6f;             // the largest width of a label, in points; a longer label gets an ellipsis
  float most_tilted = 1e6f;      // the largest width of a tilted label, which takes height
  float least = kLeastOnScreen;  // the least size of a label, in points
  LabelStyle style;
  MeasuredLabels measured;  // the labels in `style`
  // What choose_label_styles() has measured; empty again when `labels`, `first` or `count` change.
  std::vector<MeasuredLabels> known;
  std::int64_t widest = -1;  // the widest label of more than kAllNamed

  std::string label(std::int64_t i) const { return tokens ? (*labels)[static_cast<std::size_t>(i)] : std::to_string(i); }
  bool all_named() const { return tokens && count <= kAllNamed; }
  // Whether smaller labels are tried before some are left out: in files also of longer axes.
  bool tries_all() const { return tokens && count <= (least < kLeastOnScreen ? kMostTriedInFiles : kAllNamed); }
};

// The room that labels take beside the rows, or above the columns, in points.
float row_label_room(const LabelAxis& rows);
float column_label_room(const LabelAxis& columns);
// How far the last column's label extends to the right of its column's middle, in points.
float column_label_lean(const LabelAxis& columns);
// Whether the labels fit if neighbours are `pitch` points apart. Labels always fit if the style may skip some.
// rows_fit(rows, 40) is true for level labels of 15 points; rows_fit(rows, 2) is false unless rows.style.may_skip is set.
bool rows_fit(const LabelAxis& rows, float pitch);
bool columns_fit(const LabelAxis& columns, float pitch);

// Sets the styles of both axes: tries the styles, the best first and smaller ones after these, until `fits` accepts a pair.
// Both axes have one least size. `fits` lays out the matrix with the styles and measures that stand in `rows` and `columns`. The
// last styles leave labels out, and the last pair stays even if `fits` refuses it. choose_label_styles(rows, columns, measure,
// [&] { return rows_fit(rows, 20)
// && columns_fit(columns, 40); }) for cells of 40 x 20.
void choose_label_styles(LabelAxis& rows, LabelAxis& columns, const TextMeasure& measure, const std::function<bool()>& fits);

// The colour of the label with this index.
using LabelColor = std::function<Color(std::int64_t)>;
// Adds the labels of the rows, which end at x = `right`, or the labels of the columns, which end above y = `top`. `start` is the
// y of the first row's edge or the x of the first column's, `pitch` the side of a cell, all in points; thin lines in `hairline`
// lead to the labels of a second line. The labels are tagged Tag::row and Tag::column. add_column_labels() returns the x of the
// labels' right end.
// add_row_labels(figure, rows, 80, 40, 20, color, line): the first level label ends at x = 80 with its middle at y = 50.
void add_row_labels(Figure& figure, const LabelAxis& rows, float right, float start, float pitch, const LabelColor& color,
                    Color hairline);
float add_column_labels(Figure& figure, const LabelAxis& columns, float start, float top, float pitch, const LabelColor& color,
                        Color hairline, const TextMeasure& measure);
// The indices of the labels that are shown if neighbours are `pitch` points apart: all, or every k-th.
// shown_labels(axis, 20, true) of 8 tokens with may_skip unset gives all 8 indices.
std::vector<std::int64_t> shown_labels(const LabelAxis& axis, float pitch, bool are_rows);

}  // namespace headlight::figures
