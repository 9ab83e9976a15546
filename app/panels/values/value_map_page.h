// The pages of the Values view that show a head's value map, and that the heads' ways add up to Concat W_O.
#pragma once

#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// `all_heads`: the sum of all heads' ways in place of one head's map.
void draw_value_map(Context& context, const ui::Look& look, const AttentionChoice& choice, bool all_heads);

// For files; without items where nothing is ready or there is an error.
figures::Figure value_map_figure(const Context& context, const AttentionChoice& choice, float width);
figures::Figure value_sum_figure(const Context& context, const AttentionChoice& choice, float width);

}  // namespace headlight::panels
