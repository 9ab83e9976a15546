// A layer's heads of full width made one in two ways, side by side: the 2-D stack, and concatenation with W_O.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct CombinerInput {
  struct Way {
    std::string title, formula;
    std::vector<std::string> facts;  // a line each: shapes, counted numbers, time
    Tensor output;                   // f32 [rows, d_model]
    float largest = 1;               // end of its colour scale
    std::string name;                // of its data: "stack2d"
  };
  std::array<Way, 2> ways;
  std::vector<std::string> labels;  // of the rows, a token each
  std::string below;                // what holds of both
  std::string note;                 // where the numbers come from
  std::int64_t hot = -1;            // a row
  std::uint64_t key = 0;            // unique for these numbers
};
// Exactly `width` x `height` points. Cells of the two maps are tagged {Tag::cell_area, kCombinerMap * number, 0}, names
// {Tag::row, row}. data: each way's output [token, dimension].
Figure combiner_picture(const CombinerInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
inline constexpr std::int64_t kCombinerMap = 1 << 24;

}  // namespace headlight::figures
