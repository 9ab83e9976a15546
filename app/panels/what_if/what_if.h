// "What if": the selected head taken out, scaled or made uniform, and what that does to the next word. Shown in place of the
// inspector.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/panels/shared/panel.h"
#include "engine/insight/head_effects.h"
#include "engine/insight/prediction_change.h"

namespace headlight::panels {

// The switches of the selected head, the words before and now, and the map of all heads. Computed in the background lane.
void draw_what_if(Context& context);

// What it shows; null where that is still being computed, or where nothing is predicted.
std::shared_ptr<const PredictionChange> shown_change(const Context& context);
std::shared_ptr<const HeadEffects> shown_effects(const Context& context, std::int32_t token);

// The same for a file; without items where nothing is predicted.
figures::Figure what_if_words_figure(const Context& context, float width, float height);
figures::Figure what_if_map_figure(const Context& context, float width, float height);

}  // namespace headlight::panels
