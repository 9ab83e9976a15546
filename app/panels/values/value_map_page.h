// The pages of the Values view about a head's value map and about Concat W_O as the sum of all heads' contributions.
#pragma once

#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// Draws one head's map or, if `all_heads`, the sum over all heads.
// draw_value_map(context, look, choice, false) draws the map of choice.head.
void draw_value_map(Context& context, const ui::Look& look, const AttentionChoice& choice, bool all_heads);

// The pages for files; a figure without items while nothing is ready, and after an error.
// value_map_figure(context, choice, 900) is 900 points wide.
figures::Figure value_map_figure(const Context& context, const AttentionChoice& choice, float width);
figures::Figure value_sum_figure(const Context& context, const AttentionChoice& choice, float width);

}  // namespace headlight::panels
