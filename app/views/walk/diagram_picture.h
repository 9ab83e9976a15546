// The walk-through as a picture: the boxes with their small pictures, the arrows, and the values that move into the lit box.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/figures/tokens/chip_rows.h"
#include "app/views/walk/candidates_picture.h"
#include "app/views/walk/layout_picture.h"

namespace headlight::figures {

// A step's values as a small picture.
struct WalkPicture {
  enum class Side { other, queries, keys };  // the meaning of the rows or columns
  Tensor values;                             // f32 [rows, columns], reduced if there are many
  Tensor mask;                               // u8 of the same shape or empty
  double largest = 0;                        // |value| over visible cells of the unreduced values
  CellCounts counts;                         // of the visible unreduced values
  std::uint64_t key = 0;                     // key of the picture's texture
  std::uint64_t bytes() const { return values.bytes() + mask.bytes(); }
  std::int64_t full_rows = 0, full_columns = 0;
  // Rows and columns per shown cell. A cell of a pattern shows the value of largest magnitude, a cell of vectors the first value.
  std::int64_t row_block = 1, column_block = 1;
  Side rows = Side::other, columns = Side::other;
  std::int64_t head_from = -1, head_to = -1;  // the selected head's columns, if all heads are side by side; -1: they are not
};

struct WalkInput {
  std::vector<std::shared_ptr<const WalkPicture>> pictures;       // by box; null: none, or not ready yet
  std::vector<std::shared_ptr<const WalkCandidates>> candidates;  // by box, in place of a picture; null: none
  std::vector<std::string> captions;                              // by box; empty: the step's operation
  std::vector<std::string> shapes;                                // by box; empty: the shape of the shown step
  std::string colormap = "viridis";                               // for weights; all other steps have the signed map
  float weight_high = 1;                                          // the upper end of the weights' range
  std::string text;                                               // the sentence
  std::vector<Chip> chips;                                        // the first tokens, as many as could fit
  std::size_t tokens = 0;                                         // number of all tokens; 0: as many as chips
  int lit = 0;                                                    // the chosen box of the current stop
  float progress = 1;                                             // 0..1: progress of the motion into the lit boxes
  int hovered = -1;
  std::int64_t hot_query = -1, hot_key = -1;  // highlighted in every picture that has queries or keys
};

// The boxes, pictures and arrows of `graph`; the figure has the size of `layout`.
// walk_figure(graph, walk_layout(graph, 1200, 640, measure), input, theme, measure) gives a figure of 1200 x 640 points or more.
Figure walk_figure(const WalkGraph& graph, const WalkLayout& layout, const WalkInput& input, const Theme& theme,
                   const TextMeasure& measure);

// The part of `inner` in which the cells of a picture are drawn: cells of patterns stay nearly square, vectors fill the width.
// walk_cells(picture, {0, 0, 200, 100}) of a pattern [10, 10] gives {0, 0, 200, 100}; no cell is over 34 points high.
Box walk_cells(const WalkPicture& picture, const Box& inner);

// The cells of box `i`, with map and range: weights go from 0 to weight_high, all other steps are symmetric about 0.
// walk_cells_of(graph, input, 7, box) gives the cells of input.pictures[7], drawn in `box`.
Cells walk_cells_of(const WalkGraph& graph, const WalkInput& input, int i, const Box& box);

// The stops as dots on a line, with their labels, exactly `width` x `height` points; each dot's area is tagged token (a = stop).
// walk_dots(graph, 3, -1, 900, 48, theme, measure) lights the line up to stop 3.
Figure walk_dots(const WalkGraph& graph, int stop, int hovered, float width, float height, const Theme& theme,
                 const TextMeasure& measure);

}  // namespace headlight::figures
