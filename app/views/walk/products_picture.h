// The picture of Q times Kᵀ for all heads: a block for each head and sentence, the row and the column that meet in one score, and
// the same products computed by a loop over the heads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct HeadProductsInput {
  enum Which { of_q = 0, of_k = 1, of_scores = 2 };  // the three grids
  struct Block {
    std::int64_t sentence = 0, head = 0;
    // f32: q [L, d_k], kᵀ [d_k, M], scores [L, M], each reduced by query_block, key_block and d_block
    std::array<Tensor, 3> cells;
    std::uint64_t key = 0;
  };
  std::vector<Block> blocks;  // row by row
  int columns = 1;
  bool by_sentence = false;  // a row of blocks is a sentence, a column is a head; false: all blocks are heads of one sentence
  std::array<std::string, 3> shapes;  // "[20, 4, 10, 50]"
  std::array<double, 3> largest{};    // |value| in each grid
  // Queries, keys and dimensions per cell. A cell shows the first of its values.
  std::int64_t query_block = 1, key_block = 1, d_block = 1;
  std::string note;                           // the origin of the numbers
  int chosen = 0;                             // the block that is written out
  std::int64_t query = -1, key = -1, d = -1;  // lit in the chosen block; d: only if the mouse is over a number of q or kᵀ

  // The row of q and the column of kᵀ that meet in the score, and its name: "scores[head 2, fluffy, blue]".
  std::string score_name, query_label, key_label;
  std::vector<double> q, k;
  double score = 0;

  // The result of a loop over the heads, per head: the largest difference from the model's own result. Empty: `loop_words` gives
  // the reason.
  std::vector<double> difference;
  std::string loop_words;
};

// A number in powers of ten: tiny_number(1.9e-6) gives "1.9e-6".
std::string tiny_number(double value);

// The number of rows of blocks that fit into a picture `height` points high, at least 1.
int head_products_rows(float height);

// The cells of the three grids are tagged cell_area with a = head_products_tag(). A hit's row counts on from a, so
// head_products_place() finds the block, the grid and the row in a hit's row.
// head_products_place(head_products_tag(2, HeadProductsInput::of_k) + 5) gives block 2, which of_k, row 5.
struct HeadProductsPlace {
  int block = 0, which = 0;
  std::int64_t row = 0;
};
std::int64_t head_products_tag(int block, int which);
HeadProductsPlace head_products_place(std::int64_t row);

// Exactly `width` x `height` points. head_products(input, 900, 600, theme, measure) shows input.blocks in input.columns columns.
Figure head_products(const HeadProductsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
