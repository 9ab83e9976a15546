// What the positions do to a head's pattern: its weights with them, without them, and the difference.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"

namespace headlight::panels {

// Of one head and sentence: f32 [queries, keys], or turned where the view shows keys as rows.
struct PositionEffect {
  Tensor with, without, difference;  // difference = with - without
  double largest = 0;                // of |difference|
  double mean_moved = 0;             // what share of a row's weight goes elsewhere, 0..1: the mean over the sentence's queries
  double most_moved = 0;             // ... and the largest of them
  std::int64_t most_at = -1;         // its query
  std::uint64_t key = 0;
};
// Computed in the background: the document runs once more, with the positions left out (or, where the document leaves them out,
// with them). Null until then; `error`, if there is one, is a sentence.
std::shared_ptr<const PositionEffect> position_effect(const Context& context, const AttentionChoice& choice, std::string* error);

// All three maps, or the difference alone. Empty while it is being computed.
figures::Figure position_effect_figure(const Context& context, float width, float height, bool all);
void draw_position_effect(Context& context, const ui::Look& look, float width, float height, bool all);

}  // namespace headlight::panels
