// How the rows of the Heads pictures are named: by the token that a query has read, or, in cross-attention, by the one that it
// writes.
#pragma once

#include <string>
#include <vector>

#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"

namespace headlight::panels {

// Whether each query of this attention also writes a token: the target's, which the model predicts from what stands before it.
bool writes_words(const AttentionChoice& choice);
// The names are those of written words: HeadsView::row_word is "written", and the attention is of that kind.
bool names_written(const Context& context, const AttentionChoice& choice);
// A name for each query: row_labels(), or moved on by one token; the last query's is the model's best guess, "…" where it has
// none.
std::vector<std::string> query_names(const Context& context, const AttentionChoice& choice);

}  // namespace headlight::panels
