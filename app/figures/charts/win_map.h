// Where one method is faster than another: a map over two sizes that shows a cost model, measured points on top of it, and the
// line where both take the same time.
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
  std::vector<double> measured;                 // the same, measured; 0: not measured
  std::string across_label, up_label;           // "words in the batch, W"
  std::int64_t hot = -1;                        // up * across.size() + across
  std::int64_t here_across = -1, here_up = -1;  // the cell of the sizes that are chosen elsewhere
  std::string note;
};
// A measured cell has its own colour and a dot; other cells have the model's. Tagged cell_area, a = b = 0, rows from the top.
// data: model and measured [up, across], NaN where not measured.
Figure win_map(const WinMapInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
inline constexpr double kMostWin = 32;  // the ends of its colours: 32 times as fast, 1/32

}  // namespace headlight::figures
