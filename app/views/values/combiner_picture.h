// Two ways to join a layer's heads of full width, side by side: the 2-D stack, and concatenation with W_O.
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
    std::vector<std::string> facts;  // lines of text: shapes, counted numbers, time
    Tensor output;                   // f32 [rows, d_model]
    float largest = 1;               // end of the output's colour scale
    std::string name;                // name of the output in the data: "stack2d"
  };
  std::array<Way, 2> ways;
  std::vector<std::string> labels;  // the rows' tokens
  std::string below;                // words that hold for both ways
  std::string note;                 // the origin of the numbers
  std::int64_t hot = -1;            // index of the highlighted row; -1: none
  std::uint64_t key = 0;            // unique for these numbers
};
// Exactly `width` x `height` points. Cells of the two maps are tagged {Tag::cell_area, kCombinerMap * index of the way, 0}, names
// {Tag::row, row}. data: each way's output [token, dimension].
// combiner_picture(input, 900, 480, theme, measure) shows both outputs side by side.
Figure combiner_picture(const CombinerInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
inline constexpr std::int64_t kCombinerMap = 1 << 24;

}  // namespace headlight::figures
