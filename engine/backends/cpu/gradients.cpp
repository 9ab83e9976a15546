#include <algorithm>
#include <array>

#include "engine/backends/base/checks.h"
#include "engine/backends/cpu/attention_gradient.h"
#include "engine/backends/cpu/bfloat16_products.h"
#include "engine/backends/cpu/cpu_gradients.h"
#include "engine/backends/cpu/move_heads.h"
#include "engine/backends/cpu/products.h"
#include "engine/backends/cpu/scratch.h"
#include "engine/core/parallel.h"
#include "engine/operations/activation.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/cross_entropy.h"
#include "engine/operations/dropout.h"
#include "engine/operations/gather.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/multiply.h"
#include "engine/operations/rms_norm.h"
#include "engine/operations/split_heads.h"
#include "engine/operations/transpose.h"

namespace headlight::backends::cpu {
namespace {

const float* real(const Buffer& buffer) { return buffer.host.data<float>(); }
std::int64_t grain_of(std::int64_t row_size) { return std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, row_size)); }
Status finished(bool done) { return done ? Status{} : Status{cancelled()}; }

// Columns that one task sums over all rows.
constexpr std::int64_t kColumns = 128;
// Rows whose contributions to dgamma and dbeta are summed before they join the others.
constexpr std::int64_t kRowsOfPart = 64;

// One for all plans of a thread: turned inputs are as large as the inputs, and a training has a hundred plans.
Scratch& workspace() {
  thread_local Scratch scratch;
  return scratch;
}

class Gradients {
 public:
  Gradients(const Kernels& kernels, const Bfloat16Kernels* rounding, const Gradient& op, GradientState& state,
            std::span<const Buffer> in, std::span<Buffer> out, const CancelToken& cancel)
      : kernels_(kernels), rounding_(rounding), more_(*kernels.gradients), state_(state), cancel_(cancel) {
    const std::vector<bool> wanted = op.wanted.empty() ? inputs_with_gradient(op.of) : op.wanted;
    in_ = in.first(wanted.size());
    out_ = in.subspan(wanted.size(), in.size() - wanted.size() - 1);
    dy_ = real(in.back());
    std::size_t next = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i]) d_[i] = out[next++].host.data<float>();
  }

  Status compute(const Linear& op);
  Status compute(const Gather& op);
  Status compute(const Add& op);
  Status compute(const CrossEntropy& op);
  Status compute(const Rotary& op);
  Status compute(const Attention& op) {
    AttentionGradientArrays a;
    a.q = real(in_[0]);
    a.k = real(in_[1]);
    a.v = real(in_[2]);
    if (op.has_mask) {
      a.keep = in_[3].host.data<std::uint8_t>();
      a.mask_shape = in_[3].shape();
    }
    if (op.dropout > 0) a.counter = in_.back().host.data<std::int32_t>()[0];
    a.weights = real(out_.back());
    a.dcontext = dy_;
    a.dq = d_[0];
    a.dk = d_[1];
    a.dv = d_[2];
    return finished(attention_gradient(kernels_, op, a, workspace(), cancel_));
  }
  Status compute(const LayerNorm& op) { return norm(op.rows, op.d, op.epsilon, true, op.bias ? d_[2] : nullptr); }
  Status compute(const RmsNorm& op) { return norm(op.rows, op.d, op.epsilon, false, nullptr); }
  Status compute(const Activate& op) {
    const float* x = real(in_[0]);
    const float* const slopes = op.keep_slope ? real(out_[1]) : nullptr;
    return by_numbers(op.rows * op.columns, [&](std::int64_t begin, std::int64_t end) {
      if (!d_[0]) return;
      if (slopes) return kernels_.multiply_each(dy_ + begin, slopes + begin, end - begin, d_[0] + begin);
      kernels_.activate_gradient(static_cast<Activation>(op.activation), x + begin, dy_ + begin, end - begin, d_[0] + begin);
    });
  }
  Status compute(const Multiply& op) {
    const float* a = real(in_[0]);
    const float* b = real(in_[1]);
    return by_numbers(op.rows * op.columns, [&](std::int64_t begin, std::int64_t end) {
      if (d_[0]) kernels_.multiply_each(dy_ + begin, b + begin, end - begin, d_[0] + begin);
      if (d_[1]) kernels_.multiply_each(dy_ + begin, a + begin, end - begin, d_[1] + begin);
    });
  }
  Status compute(const Dropout& op) {
    const Draws draws(op.rate, op.seed, in_[1].host.data<std::int32_t>()[0]);
    const auto factor = static_cast<float>(1 / (1 - op.rate));
    return by_numbers(op.rows * op.columns, [&](std::int64_t begin, std::int64_t end) {
      if (d_[0]) more_.drop(dy_ + begin, end - begin, begin, draws.key(), draws.threshold(), factor, d_[0] + begin);
    });
  }
  Status compute(const Transpose& op) {
    const auto turn = [&](std::int64_t begin, std::int64_t end) {
      more_.transpose(dy_ + begin, op.columns, end - begin, op.rows, d_[0] + begin * op.columns, op.columns);
    };
    return d_[0] ? finished(parallel_for(op.rows, std::max<std::int64_t>(16, grain_of(op.columns)), turn, cancel_)) : Status{};
  }
  Status compute(const SplitHeads& op) {
    return d_[0] ? finished(move_heads(op.batch, op.length, op.heads, op.d_k, false, dy_, d_[0], cancel_)) : Status{};
  }
  Status compute(const MergeHeads& op) {
    return d_[0] ? finished(move_heads(op.batch, op.length, op.heads, op.d_k, true, dy_, d_[0], cancel_)) : Status{};
  }

 private:
  template <class Body>
  Status by_numbers(std::int64_t count, const Body& body) {
    return finished(parallel_for(count, 32768, body, cancel_));
  }
  Status norm(std::int64_t rows, std::int64_t d, double epsilon, bool centred, float* dbeta);
  // y [columns] = sum over rows of x [rows, columns]
  bool sum_rows(const float* x, std::int64_t rows, std::int64_t columns, float* y);

  // dx and dW of a product, with rounded operands.
  bool rounded(const Linear& op) const;

  const Kernels& kernels_;
  const Bfloat16Kernels* const rounding_;
  const GradientKernels& more_;
  GradientState& state_;
  const CancelToken& cancel_;
  std::span<const Buffer> in_, out_;
  const float* dy_ = nullptr;
  std::array<float*, 8> d_{};
};

bool Gradients::sum_rows(const float* x, std::int64_t rows, std::int64_t columns, float* y) {
  const std::int64_t blocks = (columns + kColumns - 1) / kColumns;
  return parallel_for(
      blocks, grain_of(rows * kColumns),
      [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t first = begin * kColumns, count = std::min(columns, end * kColumns) - first;
        more_.sum_rows(x + first, rows, count, columns, y + first);
      },
      cancel_);
}

bool Gradients::rounded(const Linear& op) const {
  const Operand x{real(in_[0]), op.inner, true}, w{real(in_[1]), op.columns, true}, dy{dy_, op.columns, false};
  const RoundedProduct by_x{op.rows, op.columns, op.inner, dy, w, nullptr, d_[0], op.inner};
  const RoundedProduct by_w{op.inner, op.rows, op.columns, x, dy, nullptr, d_[1], op.columns};
  return (!d_[0] || multiply(*rounding_, by_x, cancel_)) && (!d_[1] || multiply(*rounding_, by_w, cancel_));
}

Status Gradients::compute(const Linear& op) {
  if (rounding_) return finished(rounded(op) && (!op.bias || !d_[2] || sum_rows(dy_, op.rows, op.columns, d_[2])));
  const float* const x = real(in_[0]);
  const float* const w = real(in_[1]);
  std::array<Product, 2> products;
  std::size_t count = 0;
  if (d_[0]) {  // dx = dy W^T
    Product& p = products[count++];
    p = {op.rows, op.columns, op.inner, dy_, op.columns, w, op.columns, true, nullptr, cpu::Activation::none, d_[0], op.inner};
  }
  if (d_[1]) {  // dW = x^T dy
    // A line more a row: at a stride of a power of two all rows of a tile would want the same few places of the cache.
    const std::int64_t stride = op.rows + 16;
    float* const turned = workspace().floats(op.inner * stride);
    const auto turn = [&](std::int64_t begin, std::int64_t end) {
      more_.transpose(x + begin, op.rows, end - begin, op.inner, turned + begin * stride, stride);
    };
    if (!parallel_for(op.inner, std::max<std::int64_t>(16, grain_of(op.rows)), turn, cancel_)) return cancelled();
    Product& p = products[count++];
    p = {op.inner, op.rows,   op.columns, turned, stride, dy_, op.columns, false, nullptr, cpu::Activation::none,
         d_[1],    op.columns};
  }
  if (!multiply(kernels_, std::span(products).first(count), cancel_)) return cancelled();
  return finished(!op.bias || !d_[2] || sum_rows(dy_, op.rows, op.columns, d_[2]));
}

Status Gradients::compute(const Gather& op) {
  if (!d_[0]) return {};
  const std::span<const std::int32_t> ids = in_[1].host.values<std::int32_t>();
  HL_TRY(check_ids(ids, op.table_rows, 0, "gather"));
  // Each task owns some columns of the whole table, so that no row is added to by two.
  const std::int64_t width = std::min<std::int64_t>(op.d, 64);
  return finished(parallel_for((op.d + width - 1) / width, 1,
                               [&](std::int64_t begin, std::int64_t end) {
                                 const std::int64_t first = begin * width, count = std::min(op.d, end * width) - first;
                                 for (std::int64_t row = 0; row < op.table_rows; ++row)
                                   std::fill_n(d_[0] + row * op.d + first, count, 0.0f);
                                 for (std::int64_t row = 0; row < op.rows; ++row)
                                   more_.accumulate(dy_ + row * op.d + first, count,
                                                    d_[0] + ids[static_cast<std::size_t>(row)] * op.d + first);
                               },
                               cancel_));
}

Status Gradients::compute(const Add& op) {
  const auto copy = [&](float* to) {
    return by_numbers(op.outer * op.inner,
                      [&](std::int64_t begin, std::int64_t end) { std::copy(dy_ + begin, dy_ + end, to + begin); });
  };
  if (d_[0]) HL_TRY(copy(d_[0]));
  if (!d_[1]) return {};
  return op.b_repeats ? finished(sum_rows(dy_, op.outer, op.inner, d_[1])) : copy(d_[1]);
}

Status Gradients::norm(std::int64_t rows, std::int64_t d, double epsilon, bool centred, float* dbeta) {
  const std::int64_t parts = (rows + kRowsOfPart - 1) / kRowsOfPart;
  float* const partial = workspace().floats(2 * parts * d);
  const float* const x = real(in_[0]);
  const float* const gamma = real(in_[1]);
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      float* const dgamma = partial + 2 * i * d;
      std::fill_n(dgamma, 2 * d, 0.0f);
      const std::int64_t r = i * kRowsOfPart;
      more_.norm(x + r * d, gamma, dy_ + r * d, std::min(rows - r, kRowsOfPart), d, static_cast<float>(epsilon), centred,
                 d_[0] ? d_[0] + r * d : nullptr, d_[1] ? dgamma : nullptr, dbeta ? dgamma + d : nullptr);
    }
  };
  if (!parallel_for(parts, 1, part, cancel_)) return cancelled();
  if (d_[1]) std::fill_n(d_[1], d, 0.0f);
  if (dbeta) std::fill_n(dbeta, d, 0.0f);
  for (std::int64_t i = 0; i < parts; ++i) {
    if (d_[1]) more_.accumulate(partial + 2 * i * d, d, d_[1]);
    if (dbeta) more_.accumulate(partial + (2 * i + 1) * d, d, dbeta);
  }
  return {};
}

Status Gradients::compute(const CrossEntropy& op) {
  HL_TRY(check_labels(in_[1].host, op.classes));
  if (!d_[0]) return {};
  const float* const x = real(in_[0]);
  const float* const log_sum = real(out_[1]);
  const std::int32_t* const labels = in_[1].host.data<std::int32_t>();
  return finished(parallel_for(
      op.rows, grain_of(op.classes),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r)
          more_.cross_entropy_gradient(x + r * op.classes, op.classes, labels[r], static_cast<float>(op.smoothing), log_sum[r],
                                       dy_[r], d_[0] + r * op.classes);
      },
      cancel_));
}

Status Gradients::compute(const Rotary& op) {
  if (!d_[0]) return {};
  if (state_.turns.empty()) state_.turns = turns_of(op);
  const std::int64_t half = op.pairs();
  return finished(parallel_for(
      op.rows, grain_of(op.d_k),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const Turn* turn = state_.turns.data() + r % op.length * half;
          const float* dy = dy_ + r * op.d_k;
          float* dx = d_[0] + r * op.d_k;
          std::copy(dy + 2 * half, dy + op.d_k, dx + 2 * half);
          for (std::int64_t i = 0; i < half; ++i) {
            const std::int64_t a = op.halves ? i : 2 * i, b = op.halves ? i + half : 2 * i + 1;
            dx[a] = dy[a] * turn[i].cosine + dy[b] * turn[i].sine;
            dx[b] = dy[b] * turn[i].cosine - dy[a] * turn[i].sine;
          }
        }
      },
      cancel_));
}

}  // namespace

bool supports_gradient(const Operation& of) {
  if (const auto* linear = of.get_if<Linear>()) return linear->activation == ActivationKind::none;
  if (const auto* attention = of.get_if<Attention>())
    return attention->keep_weights && !attention->additive && attention->score_cap == 0;
  return visit<Gather, Add, Multiply, Activate, LayerNorm, RmsNorm, Rotary, SplitHeads, MergeHeads, CrossEntropy, Dropout,
               Transpose>(of, [](const auto&) {});
}

Status gradient(const Kernels& kernels, const Bfloat16Kernels* rounding, const Gradient& op, GradientState& state,
                std::span<const Buffer> in, std::span<Buffer> out, const CancelToken& cancel) {
  if (cancel.cancelled()) return cancelled();
  Gradients all(kernels, rounding, op, state, in, out, cancel);
  Status status;
  visit<Linear, Attention, Gather, Add, Multiply, Activate, LayerNorm, RmsNorm, Rotary, SplitHeads, MergeHeads, CrossEntropy,
        Dropout, Transpose>(op.of, [&](const auto& of) { status = all.compute(of); });
  return status;
}

}  // namespace headlight::backends::cpu
