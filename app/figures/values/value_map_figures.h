// The pictures of a head's value map: the two thin matrices and their product, where a row meets a column, with the singular
// values beside them; and the sum of all heads' ways beside Concat W_O. Functions from data to a Figure; screen and files use the
// same ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// Whose cell it is: of V_down [d_in, d_v], V_up [d_v, d_out], or their product [d_in, d_out]; nothing: none is meant.
struct ValueMapPlace {
  enum Matrix { nothing, down, up, map } matrix = nothing;
  std::int64_t row = 0, column = 0;
};

struct ValueMapInput {
  std::string title;
  std::int64_t d_in = 0, d_v = 0, d_out = 0;
  Tensor down, up, map;                     // map is empty where it would be too large to draw
  std::vector<double> values;               // the head's singular values, descending
  std::vector<std::vector<double>> others;  // of the other heads
  std::vector<double> full;                 // of a full-rank map of the same norm; empty: not there, or not ready
  std::int64_t rank = 0;
  double effective_rank = 0;
  std::int64_t numbers = 0, full_numbers = 0;  // in both thin matrices, and in a full-rank map
  std::string note;
  ValueMapPlace hot;
  std::uint64_t key = 0;  // unique for these numbers
};
// Exactly `width` x `height` points. The plot of singular values is tagged {Tag::column, 0}, the matrices' cells as places.
// data: "value down" [dimension in, value dimension], "value up", "value map", "singular values" [number].
Figure value_map_picture(const ValueMapInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
// The cell at a point of such a figure.
ValueMapPlace value_map_place(const ValueMapInput& input, float width, float height, Point at);
// The singular value, counted from 0, at a point of the plot; -1: beside it.
std::int64_t singular_value_at(const ValueMapInput& input, float width, float height, Point at);

struct ValueSumInput {
  std::vector<std::string> labels;        // of the rows, a token each
  Tensor by_head, concat, difference;     // f32 [rows, d_model]
  std::string by_head_words, good_words;  // above the first; and what the comparison says
  std::int64_t heads = 0;
  float largest = 1, largest_difference = 0;  // ends of the scales
  bool good = true;
  std::string note;
  std::int64_t hot = -1;  // a row
  std::uint64_t key = 0;
};
// Exactly `width` x `height` points. Cells of the three maps are tagged {Tag::cell_area, kValueSumMap * number, 0}, names
// {Tag::row, row}. data: "sum over heads", "concat", "difference" [token, dimension].
Figure value_sum_picture(const ValueSumInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
inline constexpr std::int64_t kValueSumMap = 1 << 24;

}  // namespace headlight::figures
