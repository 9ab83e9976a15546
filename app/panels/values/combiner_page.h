// The page of the Values view that makes a layer's heads one in two ways: the 2-D stack beside Concat W_O, over the user's text.
#pragma once

#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

void draw_combiners(Context& context, const ui::Look& look, const AttentionChoice& choice);

// For files; without items where nothing is ready or there is an error.
figures::Figure combiners_figure(const Context& context, const AttentionChoice& choice, float width);

}  // namespace headlight::panels
