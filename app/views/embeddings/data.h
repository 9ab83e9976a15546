// The values that the Embeddings view computes in the background: the table, sums of words in it, and their nearest tokens.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/base/context.h"
#include "app/views/embeddings/state.h"
#include "engine/insight/embedding_space.h"

namespace headlight::views::word_vectors {

// The embedding table of the trace's model.
struct SharedSpace {
  DerivedKey key;  // names everything that follows from the table; an edit of the sentence does not change it
  std::shared_ptr<const EmbeddingSpace> space;
};
// Without a space while it is being read, and after an error, whose sentence is in `error`.
// space_of(context, &error).space is the embedding table of the trace's model.
SharedSpace space_of(const Context& context, std::string* error);
// Whether the chosen sentence is one of the second texts.
bool shows_targets(const Context& context);

struct AnsweredSum {
  EmbeddingSum sum;
  std::vector<EmbeddingNeighbour> nearest;
  std::int32_t counterpart = -1;  // counterpart_of() a sum that is_analogy(); -1: there is none
};
// Null while it is being computed, or if the text is wrong; `error` then says why.
// answer_of(context, shared, "king - man + woman", &error)->nearest lists the tokens nearest to this sum.
std::shared_ptr<const AnsweredSum> answer_of(const Context& context, const SharedSpace& shared, const std::string& text,
                                             std::string* error);
// The sum that the calculator shows: the view's or, if it has none, one of the known analogies that holds in this table.
struct AskedSum {
  std::string text;    // empty: still being looked for, or none holds
  bool found = false;  // it was found by the search, and holds
  bool none = false;   // the search is over, and none of the known ones holds
};
// asked_sum(context, shared).text is "she - he + his" in the bundled model stories while the field is empty.
AskedSum asked_sum(const Context& context, const SharedSpace& shared);
using Neighbours = std::vector<EmbeddingNeighbour>;
// neighbours_of(context, shared, token) lists the tokens nearest to `token`; null while they are being computed.
std::shared_ptr<const Neighbours> neighbours_of(const Context& context, const SharedSpace& shared, std::int32_t token);
// The comparison of the two sums in the fields. If both fields are empty, the two differences of the calculator's sum and its
// best answer. Null if there is neither.
// comparison_of(context, shared, &error) compares "king - man" with "queen - woman" for the analogy above.
std::shared_ptr<const EmbeddingComparison> comparison_of(const Context& context, const SharedSpace& shared, std::string* error);

// The sentence whose tokens can be chosen, and the index of the chosen token. If `follows_chips`, the chip under the mouse comes
// first.
// chosen_token(context, sentence, false) is the view's token, or the last one if the view names none.
const Sentence* chosen_sentence(const Context& context);
std::int64_t chosen_token(const Context& context, const Sentence& sentence, bool follows_chips);

}  // namespace headlight::views::word_vectors
