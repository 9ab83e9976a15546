// The pictures of the Embeddings view: a list of the nearest tokens, and two differences in the plane that they span.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct NeighboursInput {
  struct Row {
    std::string token;
    double cosine = 0;
    int hue = -1;  // hue of this token in the sentence; -1: the sentence does not have this token
  };
  std::vector<Row> rows;
  std::int64_t hot = -1;
  float row_height = 28;
  std::string title;  // stands above, in files
};
// `width` points wide; rows are tagged {Tag::row, index}. data: "cosine" [token].
// neighbour_list(input, 360, theme, measure) shows one line for each of input.rows.
Figure neighbour_list(const NeighboursInput& input, float width, const Theme& theme, const TextMeasure& measure);

struct DifferencesInput {
  std::string first, second;
  double first_length = 0, second_length = 0;
  double cosine = 0;
  std::string title;
};
// Two arrows from one point in the plane that they span: the lengths and the angle between the arrows are true. data: "cosine",
// "length" [difference]. difference_arrows(input, 360, 240, theme, measure) draws both arrows.
Figure difference_arrows(const DifferencesInput& input, float width, float height, const Theme& theme,
                         const TextMeasure& measure);

}  // namespace headlight::figures
