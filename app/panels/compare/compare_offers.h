// The Compare tab before anything is pinned: the purpose of pinning, and four suggested changes, each with the present pattern
// beside the changed one.
#pragma once

#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// draw_compare_offers(context, look) draws the cards at ImGui's cursor; a click on a card pins the present state and makes its
// change.
void draw_compare_offers(Context& context, const ui::Look& look);

}  // namespace headlight::panels
