// The pictures of the Counting view: the table of matrices, the bands of a model's layers, and what the model weighs and costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/insight/parameter_count.h"
#include "engine/text/grouped_number.h"

namespace headlight::figures {

// "9.0 GiB", in units of 1024.
std::string weight_words(double bytes);
// The hue of a line of the table, the same in all three pictures.
Color counted_color(const CountedMatrix& line, const Theme& theme);

struct CountingInput {
  ModelSizes sizes;
  ParameterCount count;
  std::string line;      // id of the selected line; empty: none
  double bytes = 2;      // of a number
  double tokens = 2048;  // the length of the text
  bool low = false;      // the room is low: lines stand closer
};

// "GPT-3 has 175,181,291,520 parameters in 27,938 matrices", then a line a kind of matrix: one head, times the heads a layer,
// times the layers the model. As high as its lines; a narrow one leaves out the shapes. Lines are tagged {Tag::row, number}.
// data: "parameters" [matrix, rows / columns / head / layer / model / matrices].
Figure counting_table(const CountingInput& input, float width, const Theme& theme, const TextMeasure& measure);

// A column is a layer, an area is a number of parameters: attention above, feed-forward below, embeddings at the sides. Bands are
// tagged as the table's lines are.
Figure parameter_bands(const CountingInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// What the weights, the key-value cache and one layer's maps take at `tokens`, what the next word costs, and what a value map of
// full rank would have. As high as its lines.
Figure counting_costs(const CountingInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
