// The page of the Values view that combines a layer's heads in two ways over the user's text: the 2-D stack beside Concat W_O.
#pragma once

#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// draw_combiners(context, look, choice) draws the page of choice.site's layer at ImGui's cursor.
void draw_combiners(Context& context, const ui::Look& look, const AttentionChoice& choice);

// The page for files; a figure without items while nothing is ready, and after an error.
// combiners_figure(context, choice, 900) is 900 points wide.
figures::Figure combiners_figure(const Context& context, const AttentionChoice& choice, float width);

}  // namespace headlight::panels
