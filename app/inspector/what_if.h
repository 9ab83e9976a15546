// "What if": the selected head taken out, scaled or given equal weights, and the effect on the next word. It replaces the
// inspector.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/views/base/context.h"
#include "engine/insight/head_effects.h"
#include "engine/insight/prediction_change.h"

namespace headlight::views {

// Draws the switches of the selected head, the words before and now, and the map of all heads. The values are computed in the
// background.
void draw_what_if(Context& context);

// The shown values; null while they are being computed, and if the model predicts nothing.
// shown_effects(context, token) has the change of this token's probability for each head.
std::shared_ptr<const PredictionChange> shown_change(const Context& context);
std::shared_ptr<const HeadEffects> shown_effects(const Context& context, std::int32_t token);

// The same pictures for a file; a figure without items if the model predicts nothing.
// what_if_map_figure(context, 400, 300) is 400 points wide.
figures::Figure what_if_words_figure(const Context& context, float width, float height);
figures::Figure what_if_map_figure(const Context& context, float width, float height);

}  // namespace headlight::views
