// The names of the rows in the Heads pictures: the token that a query has read or, in cross-attention, the token that it writes.
#pragma once

#include <string>
#include <vector>

#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"

namespace headlight::views::heads {

// Whether each query of this attention also writes a token: the target's next token, predicted from the tokens before it.
bool writes_words(const AttentionChoice& choice);
// Whether the rows are named by written words: ViewState::row_word is "written", and the attention writes words.
// names_written(context, choice) is false for self-attention.
bool names_written(const Context& context, const AttentionChoice& choice);
// A name for each query: row_labels(), or the same moved on by one token. The last query is then named by the model's best guess,
// or by "…" if there is none.
// query_names(context, choice) gives {"Le", "chat", "."} if the target is "<s> Le chat" and the model continues with ".".
std::vector<std::string> query_names(const Context& context, const AttentionChoice& choice);

// The words that the large pictures show in place of tokens; null: they show tokens, as pictures of scores and of q and k do.
const AttentionWords* shown_words(const ViewState& view, const AttentionChoice& choice);
// The names of what the large pictures show: of words, else query_names() and column_labels().
std::vector<std::string> shown_queries(const Context& context, const AttentionChoice& choice);
std::vector<std::string> shown_keys(const Context& context, const AttentionChoice& choice);

}  // namespace headlight::views::heads
