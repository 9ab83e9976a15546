// The small operations that patches and captions are made of, as plain loops in double over matrices of random weights.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/cancel.h"
#include "engine/core/tensor.h"

namespace headlight::images {

// f64 [rows, columns], normal, divided by sqrt(rows); `name` and the seed choose the numbers.
Tensor random_matrix(std::uint64_t seed, std::string_view name, std::int64_t rows, std::int64_t columns);
// x [n, m] times w [m, d], whose axes are then `rows` and d_model. After a cancellation rows are zeros: look at the token.
Tensor times(const Tensor& x, const Tensor& w, const char* rows, const CancelToken& cancel);
// Every row less its mean, divided by the root of its variance + 1e-5 (Ba et al. 2016, gamma 1, beta 0).
Tensor layer_norm(const Tensor& x);
// softmax(q k^T / sqrt(d / heads)) for each head, which owns d / heads columns: scores and weights [head, query, key].
struct Attended {
  Tensor scores, weights;
};
Attended attend(const Tensor& q, const Tensor& k, std::int64_t heads, const CancelToken& cancel);

}  // namespace headlight::images
