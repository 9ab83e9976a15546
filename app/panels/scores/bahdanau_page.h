// The page of the Scores view that shows one step of Bahdanau's decoder with every number.
#pragma once

#include "app/figures/scores/bahdanau_sheet.h"
#include "app/panels/scores/scores_data.h"

namespace headlight::panels {

// The number that was clicked; its quantity is -1 before the first click.
struct BahdanauHeld {
  figures::SheetPlace shown;
};
// The step that writes the asking token of the second text, or of the first text if there is no second one. Without items if
// there is no text, or if it is too long.
// sheet_input(context, choice, 2) is the step that writes the third token.
figures::SheetInput sheet_input(const Context& context, const AttentionChoice& choice, std::int64_t query);
// The number of steps; a step for each token that is written.
// steps_of(context, choice) is the upper bound of `query` in sheet_input().
std::int64_t steps_of(const Context& context, const AttentionChoice& choice);
// Draws the page at ImGui's cursor in `width` x `height` points.
// draw_bahdanau(context, look, choice, 2, 900, 500) draws the third step.
void draw_bahdanau(Context& context, const ui::Look& look, const AttentionChoice& choice, std::int64_t query, float width,
                   float height);

}  // namespace headlight::panels
