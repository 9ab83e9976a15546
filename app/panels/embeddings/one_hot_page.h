// The Embeddings view's page on what an embedding is: a one-hot vector times the table is a look-up of one row.
#pragma once

#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// draw_one_hot(context, look, 900, 500) draws the page; one_hot_figure(context, 900, 500) is the same for a file.
void draw_one_hot(Context& context, const ui::Look& look, float width, float height);
figures::Figure one_hot_figure(const Context& context, float width, float height);  // without items if there is no table

}  // namespace headlight::panels
