// The effect of the masks on one head's weights: the same document computed again without any mask, and the difference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/masks/mask_pictures.h"
#include "app/panels/masks/mask_edit.h"
#include "app/panels/shared/attention_choice.h"

namespace headlight::panels {

// The masked weights of the chosen head and sentence, transposed if the view says so.
struct MaskedWeights {
  Tensor values, mask;  // f32, u8 [rows, columns]; masked cells are 0, mask empty: nothing masked
  std::uint64_t key = 0;
};
// null: not ready yet
std::shared_ptr<const MaskedWeights> masked_weights(const Context& context, const AttentionChoice& choice);

struct MaskEffect {
  Tensor before, difference;     // f32 [rows, columns] as shown; difference = with masks - without
  double largest = 0;            // |difference|
  std::vector<double> moved;     // per query: half the sum over keys of |difference|, the share of its weight that moved
  double mean_moved = 0;         // over the sentence's own queries
  std::int64_t most_moved = -1;  // the query whose weight moved most
  std::uint64_t before_key = 0, difference_key = 0;
};
struct MaskEffectAnswer {
  std::shared_ptr<const MaskEffect> value;  // null: still being computed, or an error
  std::string error;
};
// Computed in the background if it takes more than a moment; only for one document at a time, so that typing does not accumulate
// traces.
MaskEffectAnswer mask_effect(const Context& context, const AttentionChoice& choice);

// For the chosen sentence and attention; null while it is being counted (long texts).
std::shared_ptr<const MaskCount> mask_count(const Context& context, const AttentionChoice& choice);
// The edge of the mask, as shown; null for long texts.
std::shared_ptr<const std::vector<figures::CellEdge>> mask_boundary(const Context& context, const AttentionChoice& choice);

}  // namespace headlight::panels
