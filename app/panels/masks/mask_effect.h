// What the masks do to one head's weights: the same document computed once more without any mask, and the difference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/masks/mask_pictures.h"
#include "app/panels/masks/mask_edit.h"
#include "app/panels/shared/attention_choice.h"

namespace headlight::panels {

// The weights under the masks, of the chosen head and sentence, transposed as the view says.
struct MaskedWeights {
  Tensor values, mask;  // f32, u8 [rows, columns]; masked cells are 0, mask empty: nothing masked
  std::uint64_t key = 0;
};
std::shared_ptr<const MaskedWeights> masked_weights(const Context& context, const AttentionChoice& choice);  // null: being made

struct MaskEffect {
  Tensor before, difference;     // f32 [rows, columns] as shown; the difference is with masks - without
  double largest = 0;            // |difference|
  std::vector<double> moved;     // of each query: half the sum over keys of |difference|, the share of its weight that moved
  double mean_moved = 0;         // over the sentence's own queries
  std::int64_t most_moved = -1;  // which of them moved most
  std::uint64_t before_key = 0, difference_key = 0;
};
struct MaskEffectAnswer {
  std::shared_ptr<const MaskEffect> value;  // null: still being computed, or an error
  std::string error;
};
// Computed in the background where it costs more than a moment; of one document at a time, so that typing does not pile up
// traces.
MaskEffectAnswer mask_effect(const Context& context, const AttentionChoice& choice);

// Of the chosen sentence and attention; null while it is being counted (long texts).
std::shared_ptr<const MaskCount> mask_count(const Context& context, const AttentionChoice& choice);
// Where the mask ends, as shown; null for long texts.
std::shared_ptr<const std::vector<figures::CellEdge>> mask_boundary(const Context& context, const AttentionChoice& choice);

}  // namespace headlight::panels
