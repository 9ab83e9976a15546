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
    int hue = -1;  // of the sentence's token that it is; -1: it does not stand there
  };
  std::vector<Row> rows;
  std::int64_t hot = -1;
  float row_height = 28;
  std::string title;  // above, in files
};
// `width` points wide; rows are tagged {Tag::row, number}. data: "cosine" [token].
Figure neighbour_list(const NeighboursInput& input, float width, const Theme& theme, const TextMeasure& measure);

struct DifferencesInput {
  std::string first, second;
  double first_length = 0, second_length = 0;
  double cosine = 0;
  std::string title;
};
// Two arrows from one point: their lengths and the angle between them are true, the plane is the one they span. data: "cosine",
// "length" [difference].
Figure difference_arrows(const DifferencesInput& input, float width, float height, const Theme& theme,
                         const TextMeasure& measure);

}  // namespace headlight::figures
