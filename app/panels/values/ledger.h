// The pages of the Values view that show all that is added to one token's vector.
#pragma once

#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// The ledger and, where there is room, the grid of the chosen head beside it; `only_grid`: the grid in the whole width.
void draw_ledger(Context& context, const ui::Look& look, const AttentionChoice& choice, std::int64_t query, bool only_grid);
// Below the bar of the view: how many dimensions the grid has, and whether all vectors have one scale.
void draw_ledger_choices(Context& context, const ui::Look& look);

// For files; without items where nothing is ready or there is an error.
figures::Figure ledger_figure(const Context& context, const AttentionChoice& choice, std::int64_t query, float width);
figures::Figure grid_figure(const Context& context, const AttentionChoice& choice, std::int64_t query, float width);

}  // namespace headlight::panels
