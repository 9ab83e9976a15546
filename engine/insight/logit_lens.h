// The logit lens (nostalgebraist 2020): the final norm and the output matrix are applied to the residual stream after every
// layer, as if the model ended there. It shows the layer at which a prediction appears.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/backends/base/stored_matrix.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// Row 0 is the stream before the first layer (the embedding), row n the stream behind layer n - 1; the last row is the prediction
// of the model itself. L layers, N positions, V tokens.
struct LogitLens {
  Tensor token;        // i32 [L + 1, N]: the most probable token
  Tensor probability;  // f32 [L + 1, N]: its probability
  Tensor normed;       // f32 [L + 1, N, d_model]: the stream behind the final norm
  Tensor log_sum;      // f64 [L + 1, N]: ln sum_t exp(logit[t])
  Tensor matrix;       // f32 [d_model, V]: the output matrix; empty where it stays as its file stores it
  std::shared_ptr<const backends::StoredMatrix> stored;
  double cap = 0;  // OutputParts::cap

  std::int64_t rows() const { return token.dim(0); }
  std::int64_t positions() const { return token.dim(1); }
  std::int64_t vocabulary() const { return stored ? stored->columns() : matrix.dim(1); }
  // Any token's numbers at one row and position. logit(2, 5, 262): token 262 behind the sixth token after two layers.
  double logit(std::int64_t row, std::int64_t position, std::int32_t token) const;
  double log_probability(std::int64_t row, std::int64_t position, std::int32_t token) const;
  // The logits of all tokens [V] there. They take as long as the output matrix takes to read: tens of milliseconds.
  std::vector<double> logits(std::int64_t row, std::int64_t position) const;
  std::uint64_t bytes() const;  // without the matrix, which the process shares
};

// The first `positions` tokens of one sentence are read. `backend` computes the products. Errors: the model has no logits
// (not_found), the trace's and the backend's own, cancelled.
// logit_lens(*trace, 0, 12, backend, cancel): every layer's predictions behind the first twelve tokens.
Result<LogitLens> logit_lens(const Trace& trace, std::int64_t batch, std::int64_t positions, backends::Backend& backend,
                             const CancelToken& cancel);

}  // namespace headlight
