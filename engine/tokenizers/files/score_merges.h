// SentencePiece's BPE as merges: it joins the neighbours whose piece has the best score, so the merges are all ways to make a
// piece of two others, by scores.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/tokenizers/models/model.h"

namespace headlight::tokenizers {

struct ScoreMerges {
  Merges merges;
  std::string tied;  // how many behind each other have one score: "3 1 2", as the model "bpe" takes it
};
// is_text: whether an id is a piece that merges. No number counts as the worst score, and a missing one as 0.
// Of the pieces a 0, b 0, ab -1 and the scores as said, the one merge is a b.
ScoreMerges merges_by_scores(const Vocabulary& vocabulary, const std::vector<double>& scores,
                             const std::function<bool(std::int32_t)>& is_text);

}  // namespace headlight::tokenizers
