// The pictures of a head's value map: the two thin matrices and their product, where a row meets a column, with the singular
// values beside them; and the sum of all heads' ways beside Concat W_O. Functions from data to a Figure; screen and files use the
// same functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// A cell of V_down [d_in, d_v], of V_up [d_v, d_out], or of their product [d_in, d_out]; nothing: no cell.
struct ValueMapPlace {
  enum Matrix { nothing, down, up, map } matrix = nothing;
  std::int64_t row = 0, column = 0;
  bool operator==(const ValueMapPlace&) const = default;
};

struct ValueMapInput {
  std::string title;
  std::int64_t d_in = 0, d_v = 0, d_out = 0;
  Tensor down, up, map;                     // map is empty if it would be too large to draw
  std::vector<double> values;               // the head's singular values, descending
  std::vector<std::vector<double>> others;  // the singular values of the other heads
  std::vector<double> full;                 // those of a full-rank map of the same norm; empty: none, or not computed yet
  std::int64_t rank = 0;
  double effective_rank = 0;
  std::int64_t numbers = 0, full_numbers = 0;  // in both thin matrices, and in a full-rank map
  std::string note;
  ValueMapPlace hot;
  std::uint64_t key = 0;  // unique for these numbers
};
// Exactly `width` x `height` points. The plot of singular values is tagged {Tag::column, 0}. data: "value down" [dimension in,
// value dimension], "value up", "value map", "singular values" [number].
// value_map_picture(input, 900, 480, theme, measure) shows the three matrices and the plot.
Figure value_map_picture(const ValueMapInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
// The cell at a point of a figure that value_map_picture() made of `input` in the same size.
// value_map_place(input, 900, 480, {-1, -1}) gives ValueMapPlace::nothing.
ValueMapPlace value_map_place(const ValueMapInput& input, float width, float height, Point at);
// The index of the singular value at a point of the plot; -1 outside of the plot.
// singular_value_at(input, 900, 480, {-1, -1}) gives -1.
std::int64_t singular_value_at(const ValueMapInput& input, float width, float height, Point at);

struct ValueSumInput {
  std::vector<std::string> labels;        // the rows' tokens
  Tensor by_head, concat, difference;     // f32 [rows, d_model]
  std::string by_head_words, good_words;  // words above the first map, and the result of the comparison
  std::int64_t heads = 0;
  float largest = 1, largest_difference = 0;  // ends of the scales
  bool good = true;
  std::string note;
  std::int64_t hot = -1;  // index of the highlighted row; -1: none
  std::uint64_t key = 0;
};
// Exactly `width` x `height` points. Cells of the three maps are tagged {Tag::cell_area, kValueSumMap * index of the map, 0},
// names {Tag::row, row}. data: "sum over heads", "concat", "difference" [token, dimension].
// value_sum_picture(input, 900, 480, theme, measure) shows the three maps.
Figure value_sum_picture(const ValueSumInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
inline constexpr std::int64_t kValueSumMap = 1 << 24;

}  // namespace headlight::figures
