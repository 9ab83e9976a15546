// Q's grid of heads times Kᵀ's: a block for each head and sentence, the row and the column that meet in one score, and the same
// as a loop over the heads.
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
    std::array<Tensor, 3> cells;  // f32: q [L, d_k], kᵀ [d_k, M], scores [L, M], each reduced by the blocks below
    std::uint64_t key = 0;
  };
  std::vector<Block> blocks;  // row by row
  int columns = 1;
  bool by_sentence = false;  // a row of blocks is a sentence, a column a head; else the heads of one sentence
  std::string shapes[3];     // "[20, 4, 10, 50]"
  double largest[3] = {};    // |value| in each grid
  std::int64_t query_block = 1, key_block = 1, d_block = 1;  // how many rows and columns a cell stands for; it shows the first
  std::string note;                                          // where the numbers come from
  int chosen = 0;                                            // the block that is written out
  std::int64_t query = -1, key = -1, d = -1;  // what is lit in it; d: only where a number of q or kᵀ is pointed at

  // The row of q and the column of kᵀ that meet in the score, and its name: "scores[head 2, fluffy, blue]".
  std::string score_name, query_label, key_label;
  std::vector<double> q, k;
  double score = 0;

  // The same as a loop over the heads.
  std::vector<double> difference;  // of each head, from the model's own; empty: `loop_words` says why
  std::string loop_words;
};

// "1.9e-6"
std::string tiny_number(double value);

// How many rows of blocks fit into a picture so high.
int head_products_rows(float height);

// The cells of the three grids are tagged cell_area: the tag's a is head_products_tag(), which a hit's row counts on from.
struct HeadProductsPlace {
  int block = 0, which = 0;
  std::int64_t row = 0;
};
std::int64_t head_products_tag(int block, int which);
HeadProductsPlace head_products_place(std::int64_t row);

Figure head_products(const HeadProductsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
