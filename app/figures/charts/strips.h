// Vectors as strips of coloured cells under each other, each with its name, so that a sum of them can be followed by eye: in
// one column, or in two (a vector, what it is multiplied with, the product), with a rule above a sum.
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
    int hue = -1;              // a mark in this hue beside the label; -1: none
    bool token = false;        // the label is a token: 15 pt, monospaced
    std::vector<float> left;   // empty: nothing stands there
    std::string middle;        // between the two columns: "× .42"
    std::vector<float> right;  // empty: nothing stands there
    std::string end;           // behind them: "|ΔE| = 1.2"
    bool sum = false;          // a rule above it, its label bold
    std::int64_t index = -1;   // of its tags
  };
  std::vector<Row> rows;
  std::string title, left_title, right_title;
  std::string axis;                           // under the strips: "dimension of v, 0..31"
  float left_range = 1, right_range = 1;      // colours go from -range to range
  std::string left_words, right_words, note;  // what the colours mean, beside the bars
  std::string data_name = "vectors";
  std::int64_t hot = -1;  // the index of the row that is lit
  float row_height = 22;
};
// `width` points wide, as high as its rows need. data: the left column's vectors and the right column's, [row, dimension].
// Tags: labels {Tag::row, index}; strips are Cells {Tag::cell_area} whose hit gives the place in `rows` as row and the dimension
// as column, the right column's dimensions from kRightStrips on.
inline constexpr std::int64_t kRightStrips = 1 << 24;
Figure strips(const StripsInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
