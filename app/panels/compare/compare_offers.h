// The Compare tab before anything is pinned: what pinning is for, and four changes to begin with, each shown as the present
// pattern beside the one that it would make.
#pragma once

#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

void draw_compare_offers(Context& context, const ui::Look& look);

}  // namespace headlight::panels
