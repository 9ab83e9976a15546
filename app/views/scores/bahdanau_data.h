// One step of Bahdanau's decoder, for a page of the Scores view.
#pragma once

#include "app/views/scores/bahdanau_picture.h"
#include "app/views/scores/data.h"

namespace headlight::views::scored {

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
// The number at a place; s_{i-1} is a number of the step before. Its formula is empty where the step has no such number.
BahdanauNumber number_at(const Context& context, const AttentionChoice& choice, const BahdanauStep& step,
                         const figures::SheetPlace& place);

}  // namespace headlight::views::scored
