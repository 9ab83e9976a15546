// How the tokens stand along the axes of a matrix: level where they fit, else on two lines, else tilted. With few tokens none is
// left out as long as there is any such way.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// Up to this many labels of an axis are all shown if they fit in any style; of more, every k-th may be.
inline constexpr std::int64_t kAllNamed = 32;

// One style of setting the labels of an axis.
struct LabelStyle {
  enum Kind { level, staggered, tilted } kind = level;  // staggered: rows in two columns, columns on two lines
  float size = 15;                                      // points
  float degrees = 0;                                    // of tilted labels, counter-clockwise
  bool may_skip = false;                                // the last resort: labels that do not fit are left out
  bool solid = false;                                   // level rows as close as their letters allow
};

// The labels of the shown part of one axis, measured at one size.
struct MeasuredLabels {
  float size = 0, line = 0, most = 0;  // most: as in the axis
  float widest = 0;                    // of all, in points
  std::vector<float> widths;           // of each; empty for more than kAllNamed
};

// One axis of a matrix: its shown part and its labels.
struct LabelAxis {
  std::int64_t first = 0, count = 0, hot = -1;
  const std::vector<std::string>* labels = nullptr;
  bool tokens = false;       // false: the labels are numbers
  float most = 1e6f;         // no label is wider; longer ones get an ellipsis
  float most_tilted = 1e6f;  // likewise of tilted ones, which take height
  LabelStyle style;
  MeasuredLabels measured;  // in that style

  std::string label(std::int64_t i) const { return tokens ? (*labels)[static_cast<std::size_t>(i)] : std::to_string(i); }
  bool all_named() const { return tokens && count <= kAllNamed; }
};

// The room that labels take beside the rows, or above the columns, in points.
float row_label_room(const LabelAxis& rows);
float column_label_room(const LabelAxis& columns);
// How far the last column's label extends to the right of its column's middle, in points.
float column_label_lean(const LabelAxis& columns);
// Whether all labels fit, or some may be left out, at this distance of neighbours in points.
bool rows_fit(const LabelAxis& rows, float pitch);
bool columns_fit(const LabelAxis& columns, float pitch);

// Tries the styles, the best first, until `fits` accepts one: it lays the matrix out with the styles and measures that it finds
// in the axes. The last ones that are tried leave labels out, and are always accepted. `rows` and `columns` keep what was chosen.
void choose_label_styles(LabelAxis& rows, LabelAxis& columns, const TextMeasure& measure, const std::function<bool()>& fits);

// The colour of a label.
using LabelColor = std::function<Color(std::int64_t)>;
// Adds the labels of the rows, ending at `right`, and of the columns, ending above `top`; `start`: the edge of the first cell.
// The items are tagged as rows and columns. The latter returns how far right they reach.
void add_row_labels(Figure& figure, const LabelAxis& rows, float right, float start, float pitch, const LabelColor& color,
                    Color hairline);
float add_column_labels(Figure& figure, const LabelAxis& columns, float start, float top, float pitch, const LabelColor& color,
                        Color hairline, const TextMeasure& measure);
// The labels that are shown at this distance of neighbours: all, or every k-th.
std::vector<std::int64_t> shown_labels(const LabelAxis& axis, float pitch, bool are_rows);

}  // namespace headlight::figures
