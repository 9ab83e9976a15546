// The effect of the masks on one head's weights: the same document computed again without any mask, and the difference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/masks/mask_pictures.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/mask_edit.h"

namespace headlight::views::masked {

// The masked weights of the chosen head and sentence, transposed if the view says so.
struct MaskedWeights {
  Tensor values, mask;  // f32, with 0 in masked cells; u8; both [rows, columns], and `mask` is empty if nothing is masked
  std::uint64_t key = 0;
};
// Null while they are being made.
// masked_weights(context, choice)->values is [keys, queries] if the view is transposed.
std::shared_ptr<const MaskedWeights> masked_weights(const Context& context, const AttentionChoice& choice);

struct MaskEffect {
  Tensor before, difference;     // f32 [rows, columns] as shown; difference = with masks - without masks
  double largest = 0;            // the largest |difference|
  std::vector<double> moved;     // per query: the share of its weight that moved, half the sum over keys of |difference|
  double mean_moved = 0;         // over the sentence's own queries
  std::int64_t most_moved = -1;  // the query whose weight moved most
  std::uint64_t before_key = 0, difference_key = 0;
};
struct MaskEffectAnswer {
  std::shared_ptr<const MaskEffect> value;  // null: still being computed, or an error
  std::string error;
};
// Computed in the background if it takes more than a moment, for one document at a time, so that typing does not accumulate
// traces.
// mask_effect(context, choice).value->before has the weights without any mask.
MaskEffectAnswer mask_effect(const Context& context, const AttentionChoice& choice);

// The counts for the chosen sentence and attention; null while they are being made (long texts).
// mask_count(context, choice)->masked is the number of forbidden cells.
std::shared_ptr<const MaskCount> mask_count(const Context& context, const AttentionChoice& choice);
// The edges between allowed and forbidden cells, as shown; null for long texts.
// mask_boundary(context, choice) is drawn over the weights.
std::shared_ptr<const std::vector<figures::CellEdge>> mask_boundary(const Context& context, const AttentionChoice& choice);

}  // namespace headlight::views::masked
