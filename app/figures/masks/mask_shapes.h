// The masks as arrays: each at the shape it is made in, and broadcast to the shape of the scores (batch, head, query, key).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/tensor.h"

namespace headlight::figures {

// The matrices that a mask is drawn as, at most 128 cells a side (a block may attend if any cell of it may): as it is made, one a
// sentence, or a single row of the keys; and broadcast, one a sentence. Sentences beyond the fourth are left out.
struct MaskThumbs {
  std::vector<Tensor> made, broadcast;  // u8
};
MaskThumbs mask_thumbs(const Tensor& mask, const Shape& scores);

struct MaskShapesInput {
  struct Layer {
    std::string joint;  // "AND", "OR": before its name; empty for the first
    std::string name, words;
    Tensor mask;  // u8 of rank 4, each size the scores' or 1
    MaskThumbs thumbs;
    bool result = false;  // all of them together
  };
  std::vector<Layer> layers;
  Shape scores;  // [batch, head, query, key]
  std::string title;
  std::string made = "as it is made", broadcast = "broadcast to the scores";
  std::string batch_word = "sentence", heads_words;  // "the same for 6 heads"
  std::vector<std::string> notes;                    // the rule in words, sites; a line each, wrapped
  std::uint64_t key = 0;
  bool with_data = true;
};

// Takes the height it needs; pictures shrink to the width. Sentences beyond the fourth are counted, not drawn.
Figure mask_shapes(const MaskShapesInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
