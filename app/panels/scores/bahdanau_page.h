// The page of the Scores view that shows one step of Bahdanau's decoder with every number.
#pragma once

#include "app/figures/scores/bahdanau_sheet.h"
#include "app/panels/scores/scores_data.h"

namespace headlight::panels {

// The number that was clicked; quantity -1: none yet.
struct BahdanauHeld {
  figures::SheetPlace shown;
};
// The step that writes the asking token: of the second text where there is one, else of the first once more. Without items: there
// is no text, or it is too long.
figures::SheetInput sheet_input(const Context& context, const AttentionChoice& choice, std::int64_t query);
// How many steps there are.
std::int64_t steps_of(const Context& context, const AttentionChoice& choice);
void draw_bahdanau(Context& context, const ui::Look& look, const AttentionChoice& choice, std::int64_t query, float width,
                   float height);

}  // namespace headlight::panels
