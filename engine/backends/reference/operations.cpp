#include "engine/backends/reference/operations.h"

#include <algorithm>
#include <cmath>

namespace headlight::backends::reference {
namespace {

double activate(ActivationKind kind, double x) {
  switch (kind) {
    case ActivationKind::none: return x;
    case ActivationKind::relu: return x < 0 ? 0 : x;
    case ActivationKind::gelu: return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case ActivationKind::tanh: return std::tanh(x);
  }
  return x;
}

}  // namespace

bool linear(const Linear& op, const double* x, const double* w, const double* bias, double* y, const CancelToken& cancel) {
  for (std::int64_t row = 0; row < op.rows; ++row) {
    if (cancel.cancelled()) return false;
    double* out = y + row * op.columns;
    // y[column] = sum over i of x[i] W[i, column]; i outside, so that the inner loop walks along rows of W.
    std::fill(out, out + op.columns, 0.0);
    for (std::int64_t i = 0; i < op.inner; ++i) {
      const double xi = x[row * op.inner + i];
      for (std::int64_t column = 0; column < op.columns; ++column) out[column] += xi * w[i * op.columns + column];
    }
    for (std::int64_t column = 0; column < op.columns; ++column) {
      out[column] = activate(op.activation, out[column] + (bias ? bias[column] : 0.0));
    }
  }
  return true;
}

bool gather(const Gather& op, const double* table, const std::int32_t* ids, double* y, const CancelToken& cancel) {
  for (std::int64_t row = 0; row < op.rows; ++row) {
    if (cancel.cancelled()) return false;
    for (std::int64_t i = 0; i < op.d; ++i) y[row * op.d + i] = table[ids[row] * op.d + i];
  }
  return true;
}

bool add(const Add& op, const double* a, const double* b, double* y, const CancelToken& cancel) {
  for (std::int64_t outer = 0; outer < op.outer; ++outer) {
    if (cancel.cancelled()) return false;
    const double* from = op.b_repeats ? b : b + outer * op.inner;
    for (std::int64_t i = 0; i < op.inner; ++i) y[outer * op.inner + i] = a[outer * op.inner + i] + from[i];
  }
  return true;
}

bool layer_norm(const LayerNorm& op, const double* x, const double* gamma, const double* beta, double* y,
                const CancelToken& cancel) {
  const auto d = static_cast<double>(op.d);
  for (std::int64_t row = 0; row < op.rows; ++row) {
    if (cancel.cancelled()) return false;
    const double* in = x + row * op.d;
    double mean = 0;
    for (std::int64_t i = 0; i < op.d && !op.rms; ++i) mean += in[i] / d;  // RMSNorm leaves the mean where it is
    double variance = 0;
    for (std::int64_t i = 0; i < op.d; ++i) variance += (in[i] - mean) * (in[i] - mean) / d;
    const double deviation = std::sqrt(variance + op.epsilon);
    for (std::int64_t i = 0; i < op.d; ++i) y[row * op.d + i] = gamma[i] * (in[i] - mean) / deviation + (op.rms ? 0.0 : beta[i]);
  }
  return true;
}

bool split_heads(const SplitHeads& op, const double* x, double* y, const CancelToken& cancel) {
  for (std::int64_t b = 0; b < op.batch; ++b) {
    if (cancel.cancelled()) return false;
    for (std::int64_t h = 0; h < op.heads; ++h) {
      for (std::int64_t t = 0; t < op.length; ++t) {
        for (std::int64_t i = 0; i < op.d_k; ++i) {
          // Head h owns columns h*d_k .. (h+1)*d_k of row t.
          y[((b * op.heads + h) * op.length + t) * op.d_k + i] = x[((b * op.length + t) * op.heads + h) * op.d_k + i];
        }
      }
    }
  }
  return true;
}

bool merge_heads(const MergeHeads& op, const double* x, double* y, const CancelToken& cancel) {
  for (std::int64_t b = 0; b < op.batch; ++b) {
    if (cancel.cancelled()) return false;
    for (std::int64_t h = 0; h < op.heads; ++h) {
      for (std::int64_t t = 0; t < op.length; ++t) {
        for (std::int64_t i = 0; i < op.d_k; ++i) {
          y[((b * op.length + t) * op.heads + h) * op.d_k + i] = x[((b * op.heads + h) * op.length + t) * op.d_k + i];
        }
      }
    }
  }
  return true;
}

}  // namespace headlight::backends::reference
