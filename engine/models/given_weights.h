// Weights of which some are given in numbers by the document; the others come from the model's own source.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/document/given_matrix.h"
#include "engine/models/plan.h"
#include "engine/models/weights.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::models {

// `own` itself where nothing is given. Rows of "embedding" are found by the pieces of `tokenizer`, those of "target_embedding" by
// those of `target_tokenizer`. Errors (usage): a piece that the vocabulary lacks, a matrix or row that is given twice.
Result<std::shared_ptr<const Weights>> with_given(std::shared_ptr<const Weights> own, const std::vector<GivenMatrix>& given,
                                                  const tokenizers::Tokenizer& tokenizer,
                                                  const tokenizers::Tokenizer& target_tokenizer);

// Each given matrix is one of the plan's, and of its shape. Errors (usage), naming the matrix: the model has none of that name,
// or of another shape.
Status check_given(const ModelPlan& plan, const std::vector<GivenMatrix>& given);

// Sets the origin of each step to that of the numbers behind it: random where one of them was drawn, otherwise given, from a file
// or trained. `ids` and `target_ids` are the tokens of the texts: of an embedding table only their rows count.
void mark_origins(ModelPlan& plan, const Weights& weights, std::span<const std::int32_t> ids,
                  std::span<const std::int32_t> target_ids);

}  // namespace headlight::models
