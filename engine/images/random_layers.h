// What patch_attention.h and caption_attention.h compute with matrices of random weights, in double.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::images {

// f64 [rows, columns]: standard normal numbers divided by sqrt(rows), chosen by `name` and the seed.
// random_matrix(0, "patches.wq", 64, 64) is the same [64, 64] in every run.
Tensor random_matrix(std::uint64_t seed, std::string_view name, std::int64_t rows, std::int64_t columns);
// x [n, m] times w [m, d]: [n, d] with the axes `rows` and d_model. After a cancellation, which the caller must check, some rows
// are zeros. times(norm, wq, "patch", cancel) has the axes [patch, d_model].
Tensor times(const Tensor& x, const Tensor& w, const char* rows, const CancelToken& cancel);
// operations::LayerNorm with gamma 1 and beta 0. Error: cancelled.
Result<Tensor> layer_norm(const Tensor& x, const CancelToken& cancel);
// scores = q k^T / sqrt(d / heads) for each head, which owns d / heads columns of q [query, d] and k [key, d]; weights = softmax
// of the scores' rows. Both are [head, query, key]. attend(q, k, 4, cancel) gives four heads.
struct Attended {
  Tensor scores, weights;
};
Attended attend(const Tensor& q, const Tensor& k, std::int64_t heads, const CancelToken& cancel);

}  // namespace headlight::images
