// A map of the sizes at which one method is faster than another: a cost model over two sizes, measured points on top, and the
// line on which both methods take the same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct WinMapInput {
  std::vector<std::int64_t> across, up;         // sizes of the columns, from the left, and of the rows, from below
  std::vector<double> model;                    // [up, across]: speed-up according to the cost model; > 1: the subject is faster
  std::vector<double> measured;                 // [up, across]: measured speed-up; 0: not measured
  std::string across_label, up_label;           // "words in the batch, W"
  std::int64_t hot = -1;                        // up * across.size() + across
  std::int64_t here_across = -1, here_up = -1;  // the cell of the sizes that the user chose elsewhere; -1: none
  std::string note;
};
// A measured cell has the colour of its measurement and a dot; other cells have the model's colour. The cells are tagged
// cell_area, a = b = 0, with rows from the top. data: model and measured [up, across], NaN where not measured.
// win_map(input, 480, 400, theme, measure) draws input.across.size() x input.up.size() cells.
Figure win_map(const WinMapInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
inline constexpr double kMostWin = 32;  // the ends of the colours: 32 times as fast, and 1/32

}  // namespace headlight::figures
