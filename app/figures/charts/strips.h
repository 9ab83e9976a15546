// Vectors as strips of coloured cells below each other, each with its name, so that one can follow a sum of vectors. One column,
// or two (a vector, its factor, the product), with a line above a sum.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct StripsInput {
  struct Row {
    std::string label;
    int hue = -1;              // marks the label with this hue; -1: no mark
    bool token = false;        // the label is a token: 15 pt, monospaced
    std::vector<float> left;   // empty: nothing on the left
    std::string middle;        // between the two columns: "× .42"
    std::vector<float> right;  // empty: nothing on the right
    std::string end;           // behind the strips: "|ΔE| = 1.2"
    bool sum = false;          // the row has a line above and a bold label
    std::int64_t index = -1;   // for the row's tags
  };
  std::vector<Row> rows;
  std::string title, left_title, right_title;
  std::string axis;                           // stands under the strips: "dimension of v, 0..31"
  float left_range = 1, right_range = 1;      // colours go from -range to range
  std::string left_words, right_words, note;  // the meaning of the colours, beside the bars
  std::string data_name = "vectors";
  std::int64_t hot = -1;  // the index of the highlighted row
  float row_height = 22;
};
// `width` points wide, at least 200, and as high as its rows need. data: the vectors of the left and of the right column, [row,
// dimension]. Tags: labels {Tag::row, index}; strips are Cells {Tag::cell_area}, whose row is the place in `rows` and whose
// column is the dimension. Dimensions of the right column count from kRightStrips. strips(input, 640, theme, measure) shows
// input.rows.
inline constexpr std::int64_t kRightStrips = 1 << 24;
Figure strips(const StripsInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
