// The pages of the Values view that show everything that is added to one token's vector.
#pragma once

#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// Draws the ledger and, where there is room, the grid of the chosen head beside it. If `only_grid`, the grid has the whole width.
// draw_ledger(context, look, choice, 2, false) is the ledger of token 2.
void draw_ledger(Context& context, const ui::Look& look, const AttentionChoice& choice, std::int64_t query, bool only_grid);
// Draws the choices below the view's bar: the grid's number of dimensions, and one scale for all vectors.
// draw_ledger_choices(context, look) stores them in view.values.
void draw_ledger_choices(Context& context, const ui::Look& look);

// The pages for files; a figure without items while nothing is ready, and after an error.
// ledger_figure(context, choice, 2, 900) is the ledger of token 2, 900 points wide.
figures::Figure ledger_figure(const Context& context, const AttentionChoice& choice, std::int64_t query, float width);
figures::Figure grid_figure(const Context& context, const AttentionChoice& choice, std::int64_t query, float width);

}  // namespace headlight::panels
