#include "engine/attention/long_texts/partial.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/parallel.h"
#include "engine/operations/attention.h"

namespace headlight::long_texts {
namespace {

// One row of a piece: `weights` are its softmax, so that the largest is exp(score) / sum, and the logarithm of the sum follows
// from that score. `sum` and `log` are what was seen before.
template <class Real>
void put_together(const Real* weights, const Real* scores, std::int64_t keys, const Real* piece, std::int64_t d, Real* sum,
                  Real& log) {
  const Real* const at = std::max_element(weights, weights + keys);
  if (*at <= 0) return;  // nothing of this piece may be seen
  const Real own = scores[at - weights] - std::log(*at);
  if (std::isinf(log)) {
    std::copy_n(piece, d, sum);
    log = own;
    return;
  }
  const Real largest = std::max(log, own), before = std::exp(log - largest), now = std::exp(own - largest), all = before + now;
  for (std::int64_t c = 0; c < d; ++c) sum[c] = (sum[c] * before + piece[c] * now) / all;
  log = largest + std::log(all);
}

}  // namespace

Result<Pieces> Pieces::make(backends::Backend& backend, const Task& task, std::int64_t parts, std::int64_t rows,
                            std::int64_t keys) {
  operations::Attention op;
  op.batch = parts;
  op.heads = 1;
  op.queries = rows;
  op.keys = keys;
  op.d_k = op.d_v = task.d;
  op.scale = task.scale;
  op.has_mask = true;
  op.keep_masked = op.keep_weights = true;
  HL_ASSIGN(Call call, Call::make(backend, op));
  Pieces pieces(std::move(call));
  pieces.rows_ = parts * rows;
  pieces.keys_ = keys;
  pieces.d_ = task.d;
  pieces.sum_ = Tensor(backend.dtype(), {pieces.rows_, task.d});
  pieces.log_ = Tensor(backend.dtype(), {pieces.rows_});
  return pieces;
}

void Pieces::begin() {
  (void)for_real(sum_.dtype(), [&]<class Real>(Real) -> Status {
    std::fill_n(sum_.data<Real>(), sum_.count(), Real(0));
    std::fill_n(log_.data<Real>(), log_.count(), -std::numeric_limits<Real>::infinity());
    return {};
  });
}

Status Pieces::add(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const CancelToken& cancel) {
  HL_TRY(call_.run({q, k, v, mask}, cancel));
  return for_real(sum_.dtype(), [&]<class Real>(Real) -> Status {
    const Real *piece = call_.out(0).data<Real>(), *scores = call_.out(1).data<Real>(), *weights = call_.out(2).data<Real>();
    const bool done = parallel_for(
        rows_, 64,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i)
            put_together(weights + i * keys_, scores + i * keys_, keys_, piece + i * d_, d_, sum_.data<Real>() + i * d_,
                         log_.data<Real>()[i]);
        },
        cancel);
    return done ? Status{} : cancelled();
  });
}

void Pieces::end(Tensor& out) const { std::copy_n(sum_.raw(), out.bytes(), out.raw()); }

}  // namespace headlight::long_texts
