// The picture of the masks as arrays: each mask in the shape that it is made in, and broadcast to the shape of the scores (batch,
// head, query, key).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/tensor.h"

namespace headlight::figures {

// The matrices that stand for a mask, at most 128 cells a side (a block may attend if any of its cells may). made: one per
// sentence of the mask itself. broadcast: one per sentence of the scores. Sentences beyond the fourth are left out.
struct MaskThumbs {
  std::vector<Tensor> made, broadcast;  // u8
};
// mask_thumbs(mask, {3, 6, 10, 10}) of a mask [1, 1, 10, 10] gives one matrix as made and three broadcast ones, each [10, 10].
MaskThumbs mask_thumbs(const Tensor& mask, const Shape& scores);

struct MaskShapesInput {
  struct Layer {
    std::string joint;  // "AND", "OR": written before the mask's name; empty for the first mask
    std::string name, words;
    Tensor mask;  // u8 of rank 4; each size is the scores' size or 1
    MaskThumbs thumbs;
    bool result = false;  // the layer is all masks together
  };
  std::vector<Layer> layers;
  Shape scores;  // [batch, head, query, key]
  std::string title;
  std::string made = "as it is made", broadcast = "broadcast to the scores";
  std::string batch_word = "sentence", heads_words;  // "the same for 6 heads"
  std::vector<std::string> notes;                    // the rule in words, the sites; each note on its own line, wrapped
  std::uint64_t key = 0;
  bool with_data = true;
};

// `width` points wide, as high as needed; pictures shrink to the width. Sentences beyond the fourth are counted, not drawn.
// mask_shapes(input, 640, theme, measure) shows input.layers below each other.
Figure mask_shapes(const MaskShapesInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
