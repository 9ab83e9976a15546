// The masks as arrays: each in the shape it is made in, and broadcast to the shape of the scores (batch, head, query, key).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/tensor.h"

namespace headlight::figures {

// The matrices that stand for a mask, at most 128 cells a side (a block may attend if any of its cells may). As made: one per
// sentence, or a single row of keys. Broadcast: one per sentence. Sentences beyond the fourth are left out.
struct MaskThumbs {
  std::vector<Tensor> made, broadcast;  // u8
};
MaskThumbs mask_thumbs(const Tensor& mask, const Shape& scores);

struct MaskShapesInput {
  struct Layer {
    std::string joint;  // "AND", "OR": written before its name; empty for the first
    std::string name, words;
    Tensor mask;  // u8 of rank 4; each size is the scores' size or 1
    MaskThumbs thumbs;
    bool result = false;  // all masks together
  };
  std::vector<Layer> layers;
  Shape scores;  // [batch, head, query, key]
  std::string title;
  std::string made = "as it is made", broadcast = "broadcast to the scores";
  std::string batch_word = "sentence", heads_words;  // "the same for 6 heads"
  std::vector<std::string> notes;                    // the rule in words, the sites; each on its own line, wrapped
  std::uint64_t key = 0;
  bool with_data = true;
};

// As high as needed; pictures shrink to the width. Sentences beyond the fourth are counted, not drawn.
Figure mask_shapes(const MaskShapesInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
