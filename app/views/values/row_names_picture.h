// What maps with a token's numbers in each row share: the names beside the rows, the map with the end of its scale, the words
// below.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/compose.h"

namespace headlight::figures {

// Names the rows of a map whose first row begins at y = at.y, each `pitch` points high; the names end at x = at.x, which is also
// their most width. Where they do not all fit, every n-th is named, and the figure says so. `hot`: the lit row, or -1.
// add_row_names(pen, labels, 12, -1, {80, 76}, 20)
void add_row_names(const Composer& pen, const std::vector<std::string>& labels, std::int64_t rows, std::int64_t hot, Point at,
                   float pitch);

// The width that the names take beside maps in a picture of this width, their gap included.
float row_names_width(const std::vector<std::string>& labels, float width, const TextMeasure& measure);

struct SignedMap {
  const Tensor& values;  // [token, dimension]
  float largest;         // the scale is from -largest to largest
  Box box;
  std::uint64_t key;
  Tag tag;
  std::int64_t hot;  // the lit row, or -1
};
// Adds the map, and below it the end of its scale and what its columns are.
void add_signed_map(const Composer& pen, const SignedMap& map);

// The last line: what rows, columns and colours are, from x = left on, and at the right end, x = width, the note.
void add_map_words(const Composer& pen, const std::string& note, float left, float width, float y);

}  // namespace headlight::figures
