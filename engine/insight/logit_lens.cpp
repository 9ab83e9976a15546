#include "engine/insight/logit_lens.h"

#include <algorithm>
#include <cmath>

#include "engine/document/stored_model.h"
#include "engine/insight/backend_product.h"
#include "engine/insight/output_parts.h"
#include "engine/models/stored_models.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/rms_norm.h"
#include "engine/operations/soft_cap.h"

namespace headlight {
namespace {

// At most so many rows of logits are held at once.
constexpr std::int64_t kRowsAtOnce = 256;

// The parameters as the backend reads them.
struct Parameters {
  backends::Buffer matrix, gamma, beta;
  std::int64_t d = 0, vocabulary = 0;
};

Result<backends::Buffer> uploaded(const Trace& trace, const std::string& name, backends::Backend& backend,
                                  const CancelToken& cancel) {
  HL_ASSIGN(const Tensor values, trace.values(name, cancel));
  return backend.upload(values);
}

// The output matrix. A published model's is large, and the products of some backends read it as its file stores it.
Result<backends::Buffer> output_of(const Trace& trace, const std::string& name, backends::Backend& backend,
                                   const CancelToken& cancel) {
  const auto model = trace.stored_model();
  if (model && is_published(*model) && trace.document().matrices.empty() && backends::reads_stored(backend))
    return models::output_matrix(*model, name, backend, cancel);
  return uploaded(trace, name, backend, cancel);
}

Result<Parameters> parameters_of(const Trace& trace, const OutputParts& parts, backends::Backend& backend,
                                 const CancelToken& cancel) {
  Parameters made;
  HL_ASSIGN(made.matrix, output_of(trace, parts.matrix, backend, cancel));
  made.d = made.matrix.shape()[0];
  made.vocabulary = made.matrix.shape()[1];
  if (!parts.gamma.empty()) {
    HL_ASSIGN(made.gamma, uploaded(trace, parts.gamma, backend, cancel));
  }
  if (!parts.beta.empty()) {
    HL_ASSIGN(made.beta, uploaded(trace, parts.beta, backend, cancel));
  }
  return made;
}

Result<backends::Buffer> normed(const OutputParts& parts, const Parameters& parameters, const backends::Buffer& x,
                                backends::Backend& backend, const CancelToken& cancel) {
  if (parts.norm.empty()) return x;
  const std::int64_t rows = x.shape()[0];
  std::vector<backends::Buffer> in = {x, parameters.gamma};
  backends::OpDesc norm = operations::RmsNorm{rows, parameters.d, parts.epsilon};
  if (!parts.rms) {
    norm = operations::LayerNorm{rows, parameters.d, parts.epsilon, !parts.beta.empty()};
    if (!parts.beta.empty()) in.push_back(parameters.beta);
  }
  HL_ASSIGN(const std::vector<backends::Buffer> out, backend.apply(norm, in, cancel));
  return out.front();
}

// The best of each row of `logits` [rows, V], written behind place `at` of the lens.
void take_best(const Tensor& logits, std::int64_t at, LogitLens& lens) {
  const std::int64_t tokens = logits.dim(1);
  const float* row = logits.data<float>();
  for (std::int64_t i = 0; i < logits.dim(0); ++i, row += tokens) {
    const float* const best = std::max_element(row, row + tokens);
    const auto largest = static_cast<double>(*best);
    double sum = 0;
    for (std::int64_t t = 0; t < tokens; ++t) sum += std::exp(static_cast<double>(row[t]) - largest);
    lens.token.data<std::int32_t>()[at + i] = static_cast<std::int32_t>(best - row);
    lens.probability.data<float>()[at + i] = static_cast<float>(1 / sum);
    lens.log_sum.data<double>()[at + i] = largest + std::log(sum);
  }
}

}  // namespace

double LogitLens::logit(std::int64_t row, std::int64_t position, std::int32_t of) const {
  const std::int64_t d = normed.dim(2), step = stored ? 1 : vocabulary();
  const float* const x = normed.data<float>() + (row * positions() + position) * d;
  std::vector<float> column(static_cast<std::size_t>(stored ? d : 0));
  if (stored) stored->widen(of, 1, column.data());
  const float* const w = stored ? column.data() : matrix.data<float>() + of;
  double sum = 0;
  for (std::int64_t c = 0; c < d; ++c) sum += static_cast<double>(x[c]) * static_cast<double>(w[c * step]);
  return cap > 0 ? cap * std::tanh(sum / cap) : sum;
}

std::vector<double> LogitLens::logits(std::int64_t row, std::int64_t position) const {
  std::vector<double> all(static_cast<std::size_t>(vocabulary()), 0.0);
  if (stored) {  // token by token, as it lies
    for (std::size_t of = 0; of < all.size(); ++of) all[of] = logit(row, position, static_cast<std::int32_t>(of));
    return all;
  }
  const std::int64_t d = normed.dim(2);
  const float* const x = normed.data<float>() + (row * positions() + position) * d;
  const float* w = matrix.data<float>();
  for (std::int64_t c = 0; c < d; ++c, w += all.size())
    for (std::size_t of = 0; of < all.size(); ++of) all[of] += static_cast<double>(x[c]) * static_cast<double>(w[of]);
  if (cap > 0)
    for (double& one : all) one = cap * std::tanh(one / cap);
  return all;
}

double LogitLens::log_probability(std::int64_t row, std::int64_t position, std::int32_t of) const {
  return logit(row, position, of) - log_sum.at({row, position});
}

std::uint64_t LogitLens::bytes() const {
  return sizeof *this + token.bytes() + probability.bytes() + normed.bytes() + log_sum.bytes();
}

Result<LogitLens> logit_lens(const Trace& trace, std::int64_t batch, std::int64_t positions, backends::Backend& backend,
                             const CancelToken& cancel) {
  HL_ASSIGN(const OutputParts parts, output_parts(trace));
  HL_ASSIGN(const Parameters parameters, parameters_of(trace, parts, backend, cancel));
  const auto rows = static_cast<std::int64_t>(parts.stream.size());
  LogitLens lens;
  lens.token = Tensor(DType::i32, {rows, positions}, {"layer", "position"});
  lens.probability = Tensor(DType::f32, {rows, positions}, {"layer", "position"});
  lens.log_sum = Tensor(DType::f64, {rows, positions}, {"layer", "position"});
  lens.normed = Tensor(DType::f32, {rows, positions, parameters.d}, {"layer", "position", "d_model"});
  if (backends::stored_matrix_of(parameters.matrix) && backends::reads_stored(backend)) {
    lens.stored = std::static_pointer_cast<const backends::StoredMatrix>(parameters.matrix.device);
  } else {
    HL_ASSIGN(const Tensor matrix, trace.values(parts.matrix, cancel));
    lens.matrix = matrix.as(DType::f32).compact();
  }
  lens.cap = parts.cap;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t first = 0; first < positions; first += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, positions - first);
      Trace::Tile tile;
      tile.batch = batch;
      tile.row = first;
      tile.rows = count;
      HL_ASSIGN(const Tensor stream, trace.tile(parts.stream[static_cast<std::size_t>(row)], tile));
      HL_ASSIGN(const backends::Buffer raw, backend.upload(stream));
      HL_ASSIGN(const backends::Buffer x, normed(parts, parameters, raw, backend, cancel));
      HL_ASSIGN(backends::Buffer product, backend_product(backend, x, parameters.matrix, cancel));
      if (parts.cap > 0) {
        const std::vector<backends::Buffer> in = {product};
        HL_ASSIGN(const auto bent, backend.apply(operations::SoftCap{count, parameters.vocabulary, parts.cap}, in, cancel));
        product = bent.front();
      }
      HL_ASSIGN(const Tensor logits, backend.download(product));
      HL_ASSIGN(const Tensor vectors, backend.download(x));
      const Tensor plain = vectors.as(DType::f32).compact();
      std::copy_n(plain.data<float>(), plain.count(), lens.normed.data<float>() + (row * positions + first) * parameters.d);
      take_best(logits.as(DType::f32).compact(), row * positions + first, lens);
    }
  return lens;
}

}  // namespace headlight
