// What the Embeddings view computes in the background: the table, sums of words in it, and their nearest tokens.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/panels/shared/panel.h"
#include "engine/insight/embedding_space.h"

namespace headlight::panels {

// The embedding table of the trace's model.
struct SharedSpace {
  std::string key;  // of all that depends on it; the same after an edit of the sentence
  std::shared_ptr<const EmbeddingSpace> space;
};
// Without a space: it is not ready, or `error` says why there is none.
SharedSpace space_of(const Context& context, std::string* error);
bool shows_targets(const Context& context);

struct AnsweredSum {
  EmbeddingSum sum;
  std::vector<EmbeddingNeighbour> nearest;
  std::int32_t counterpart = -1;  // of a sum that is_analogy(): counterpart_of() it; -1: there is none
};
// Null: not ready, or `error` says what is wrong with the text.
std::shared_ptr<const AnsweredSum> answer_of(const Context& context, const SharedSpace& shared, const std::string& text,
                                             std::string* error);
using Neighbours = std::vector<EmbeddingNeighbour>;
std::shared_ptr<const Neighbours> neighbours_of(const Context& context, const SharedSpace& shared, std::int32_t token);
// The two sums of the fields; where both are empty, the two differences of the calculator's sum and its best answer. Null:
// neither.
std::shared_ptr<const EmbeddingComparison> comparison_of(const Context& context, const SharedSpace& shared, std::string* error);

// The sentence whose tokens can be chosen, and which of them is; `follows_chips`: that of the chip under the mouse counts first.
const Sentence* chosen_sentence(const Context& context);
std::int64_t chosen_token(const Context& context, const Sentence& sentence, bool follows_chips);

}  // namespace headlight::panels
