// The walk-through as a picture: the boxes with their small pictures, the arrows, and the values on their way into the lit box.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/figures/tokens/chip_rows.h"
#include "app/figures/walk/walk_layout.h"

namespace headlight::figures {

// A step's values as a small picture.
struct WalkPicture {
  enum class Side { other, queries, keys };  // what a row or a column of it stands for
  Tensor values;                             // f32 [rows, columns], reduced where there are many
  Tensor mask;                               // u8 of the same shape or empty
  double largest = 0;                        // |value| over visible cells of what it was made from
  std::uint64_t key = 0;                     // of its texture
  std::uint64_t bytes() const { return values.bytes() + mask.bytes(); }
  std::int64_t full_rows = 0, full_columns = 0;
  // Of so many rows and columns one cell is shown: of a pattern the value of largest magnitude, of vectors the first.
  std::int64_t row_block = 1, column_block = 1;
  Side rows = Side::other, columns = Side::other;
  std::int64_t head_from = -1, head_to = -1;  // the selected head's columns, where all heads stand side by side; -1: none do
};

struct WalkInput {
  std::vector<std::shared_ptr<const WalkPicture>> pictures;  // by box; null: none, or still being made
  std::vector<std::string> captions;                         // by box; empty: the step's operation
  std::string colormap = "viridis";                          // of weights; everything else is signed
  float weight_high = 1;                                     // the upper end of its range
  std::string text;                                          // the sentence
  std::vector<Chip> chips;                                   // as many as could ever fit
  std::size_t tokens = 0;                                    // there are; 0: as many as chips
  int lit = 0;                                               // the box of the current stop that is chosen
  float progress = 1;                                        // 0..1 of the motion into the lit boxes
  int hovered = -1;
  std::int64_t hot_query = -1, hot_key = -1;  // lit in every picture that has them
};

// As large as the layout.
Figure walk_figure(const WalkGraph& graph, const WalkLayout& layout, const WalkInput& input, const Theme& theme,
                   const TextMeasure& measure);

// Where the cells of a picture are drawn inside `inner`: patterns stay near square, vectors fill the width.
Box walk_cells(const WalkPicture& picture, const Box& inner);

// The cells of box `i`, with map and range: weights from 0 to weight_high, everything else symmetric about 0.
Cells walk_cells_of(const WalkGraph& graph, const WalkInput& input, int i, const Box& box);

// The stops as dots on a line, with their labels; each dot's area is tagged token (a = stop).
Figure walk_dots(const WalkGraph& graph, int stop, int hovered, float width, float height, const Theme& theme,
                 const TextMeasure& measure);

}  // namespace headlight::figures
