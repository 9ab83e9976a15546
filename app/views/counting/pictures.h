// The pictures of the Counting view: the table of matrices, the bands of a model's layers, and the model's memory and costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/insight/parameter_count.h"
#include "engine/text/grouped_number.h"

namespace headlight::views::counting {

using figures::Color;
using figures::Figure;
using figures::TextMeasure;
using figures::Theme;

// A number of bytes in units of 1024: weight_words(1536) gives "1.5 KiB".
std::string weight_words(double bytes);
// The hue of a line of the table, the same in all three pictures. counted_color(count.lines[0], theme) is that of the first line.
Color counted_color(const CountedMatrix& line, const Theme& theme);

struct CountingInput {
  ModelSizes sizes;
  ParameterCount count;
  std::string line;      // id of the selected line; empty: none
  double bytes = 2;      // bytes per number
  double tokens = 2048;  // the length of the text
};

// "GPT-3 has 175,181,291,520 parameters in 27,938 matrices", then a line for each kind of matrix: the numbers of one head, of a
// layer (times the heads) and of the model (times the layers). Its lines stand as close as the height asks for; height 0: as
// high as it is. A narrow table leaves out the shapes. Lines are tagged {Tag::row, index}. data: "parameters" [matrix, rows /
// columns / head / layer / model / matrices]. counting_table(input, 900, 0, theme, measure) shows a line for each of
// input.count.lines.
Figure counting_table(const CountingInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
struct Heights {
  float least = 0, wished = 0;
};
Heights counting_table_heights(const CountingInput& input, float width, const TextMeasure& measure);

// A column is a layer, an area is a number of parameters: attention above, feed-forward below, embeddings at the sides. Exactly
// `width` x `height` points. Bands are tagged as the lines of counting_table(). parameter_bands(input, 900, 240, theme, measure)
// draws all layers.
Figure parameter_bands(const CountingInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// The bytes of the weights, of the key-value cache and of one layer's maps for input.tokens tokens, the operations for the next
// word, and the parameters of value maps of full rank. As high as its lines. counting_costs(input, 480, theme, measure) is 480
// points wide.
Figure counting_costs(const CountingInput& input, float width, const Theme& theme, const TextMeasure& measure);

// A line for each length of text, doubled from line to line: the bytes of the cache and of one layer's maps, and the operations
// for the next word. Its lines stand as close as the height asks for; height 0: as high as it is. data: "lengths" [length, tokens
// / cache / maps / next word]. counting_lengths(input, 600, 0, theme, measure) has twelve lines.
Figure counting_lengths(const CountingInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
inline constexpr Heights kLengthsHeights{30 + 12 * 24, 30 + 12 * 36};

}  // namespace headlight::views::counting
