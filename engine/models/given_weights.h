// Weights of which the document gives some in numbers; the other weights come from the model's own source.
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

// `own` itself if `given` is empty. Rows of "embedding" are found by the pieces of `tokenizer`, and rows of "target_embedding" by
// the pieces of `target_tokenizer`. Errors (usage): a piece that the vocabulary lacks, a matrix or row that is given twice.
// with_given(seeded_weights(0), document.matrices, *tokenizer, *tokenizer): drawn weights, but for the given ones.
Result<std::shared_ptr<const Weights>> with_given(std::shared_ptr<const Weights> own, const std::vector<GivenMatrix>& given,
                                                  const tokenizers::Tokenizer& tokenizer,
                                                  const tokenizers::Tokenizer& target_tokenizer);

// Checks that each given matrix is a parameter of the plan and has its shape. Errors (usage), naming the matrix: the model has no
// parameter of this name, or of this shape.
// check_given(plan, document.matrices) refuses a 3 x 3 matrix "layer.0.wq" in a model of d_model 4.
Status check_given(const ModelPlan& plan, const std::vector<GivenMatrix>& given);

// Sets the origin of each step from the numbers that it is computed from: random if any of them was drawn, otherwise given, from
// a file or trained. `ids` and `target_ids` are the tokens of the texts; only these rows of an embedding table count.
// mark_origins(plan, *weights, ids, {}) of a sandbox whose parameters are all given marks its steps as given.
void mark_origins(ModelPlan& plan, const Weights& weights, std::span<const std::int32_t> ids,
                  std::span<const std::int32_t> target_ids);

}  // namespace headlight::models
