// The Compare tab before anything is pinned: the purpose of pinning, and four suggested changes, each shown as the present
// pattern beside the changed one.
#pragma once

#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

void draw_compare_offers(Context& context, const ui::Look& look);

}  // namespace headlight::panels
