// The effect of the positions on a head's pattern: its weights with positions, without them, and the difference.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"

namespace headlight::views {

// The effect on one head in one sentence: f32 [queries, keys], transposed if the view shows keys as rows.
struct PositionEffect {
  Tensor with, without, difference;  // difference = with - without
  double largest = 0;                // of |difference|
  double mean_moved = 0;             // the share 0..1 of a row's weight that positions move, mean over the sentence's queries
  double most_moved = 0;             // the largest of these shares
  std::int64_t most_at = -1;         // the query of the largest share
  std::uint64_t key = 0;
};
// Computed in the background: the document runs once more without its positions, or with positions if it has none. Null until
// then, and after an error, whose sentence is in `error`.
// position_effect(context, choice, &error)->difference is with - without.
std::shared_ptr<const PositionEffect> position_effect(const Context& context, const AttentionChoice& choice, std::string* error);

// All three maps, or the difference alone if not `all`. A figure without items while it is being computed.
// position_effect_figure(context, 900, 300, true) has the three maps side by side in 900 x 300 points.
figures::Figure position_effect_figure(const Context& context, float width, float height, bool all);
void draw_position_effect(Context& context, const ui::Look& look, float width, float height, bool all);

}  // namespace headlight::views
