// The CPU backend: uses the widest instruction set the processor has, keeps each plan's workspace, and divides rows among
// threads.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backends/base/attention_arrays.h"
#include "engine/backends/base/checks.h"
#include "engine/backends/base/host_backend.h"
#include "engine/backends/base/host_fallback.h"
#include "engine/backends/base/isdpa_arrays.h"
#include "engine/backends/base/stored_matrix.h"
#include "engine/backends/cpu/bfloat16_products.h"
#include "engine/backends/cpu/cpu_attention.h"
#include "engine/backends/cpu/cpu_gradients.h"
#include "engine/backends/cpu/levels.h"
#include "engine/backends/cpu/move_heads.h"
#include "engine/backends/cpu/packed_weights.h"
#include "engine/backends/cpu/products.h"
#include "engine/backends/cpu/split_kernels.h"
#include "engine/core/parallel.h"
#include "engine/operations/activation.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/cross_entropy.h"
#include "engine/operations/dropout.h"
#include "engine/operations/gather.h"
#include "engine/operations/gradient.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/multiply.h"
#include "engine/operations/rms_norm.h"
#include "engine/operations/rotary.h"
#include "engine/operations/scale.h"
#include "engine/operations/soft_cap.h"
#include "engine/operations/softmax.h"
#include "engine/operations/split_heads.h"
#include "engine/operations/transpose.h"
#include "engine/operations/unit_rows.h"

namespace headlight::backends {
namespace cpu {

std::vector<Level> levels() {
  std::vector<Level> found{{"baseline", &baseline::kernels()}};
#if defined(HEADLIGHT_X86_KERNELS)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
    found.push_back({"avx2", &avx2::kernels()});
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd")) {
      found.push_back({"avx512", &avx512::kernels()});
      if (const Kernels* const with_tiles = amx::kernels()) found.push_back({"amx", with_tiles});
    }
  }
#endif
  return found;
}

const Kernels& widest_kernels() {
  static const Kernels& widest = *levels().back().kernels;
  return widest;
}

const Bfloat16Kernels* bfloat16_kernels() {
#if defined(HEADLIGHT_X86_KERNELS)
  if (levels().back().kernels->panel == avx512::kernels().panel && __builtin_cpu_supports("avx512bf16"))
    return &avx512_bf16::kernels();
#endif
  return nullptr;
}

}  // namespace cpu

namespace {

struct CpuPlan : Plan {
  explicit CpuPlan(OpDesc d) : desc(std::move(d)) {}
  OpDesc desc;
  CheckedBuffers checked;
  cpu::Scratch workspace;
  cpu::IsdpaState isdpa;
  std::vector<Buffer> remembered;       // F, P and the weights that the cached tables were made from
  std::vector<operations::Turn> turns;  // of rotary positions: [length, d_k / 2]
  cpu::GradientState gradient;
};

using In = std::span<const Buffer>;
using Out = std::span<Buffer>;

const float* real(const Buffer& buffer) { return buffer.host.data<float>(); }
float* real(Buffer& buffer) { return buffer.host.data<float>(); }
std::span<const std::int32_t> ids(const Buffer& buffer) { return buffer.host.values<std::int32_t>(); }
Status finished(bool done) { return done ? Status{} : Status{cancelled()}; }

// Rows per range, so that a range is worth handing to a thread: about 32 Ki floats.
std::int64_t grain_of(std::int64_t row_size) { return std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, row_size)); }

// Bytes of packed weights: as much as the process keeps of weights themselves (models::kCacheBytes), a quarter of the memory of
// small machines.
std::uint64_t most_packed() {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  const std::uint64_t memory = physical_memory();
  return memory > 0 ? std::min(kMost, memory / 4) : kMost;
}

class CpuBackend : public HostBackend {
 public:
  // `rounding`: of products whose operands are rounded; null where nothing is.
  explicit CpuBackend(const cpu::Kernels& kernels, const cpu::Bfloat16Kernels* rounding = nullptr)
      : HostBackend(DType::f32), kernels_(kernels), rounding_(rounding), packed_(kernels, most_packed()) {}

  Device device() const override {
    const int threads = thread_count();
    std::string label = "CPU, " + std::to_string(threads) + (threads == 1 ? " thread, " : " threads, ") + kernels_.label;
    if (rounding_) label += ", products in " + precision();
    return {"cpu", std::move(label), true, {}};
  }
  std::string precision() const override { return rounding_ ? "bf16" : HostBackend::precision(); }

  // Interventions, the mean of a loss and repeated rows are little work beside the products around them: they have no kernels
  // here and are computed by the plain loops.
  bool supports(const OpDesc& desc) const override {
    if (const auto* gradient = desc.get_if<Gradient>()) return cpu::supports_gradient(gradient->of);
    if (const auto* attention = desc.get_if<Attention>()) return !(attention->additive && attention->side_by_side);
    return visit<Linear, Gather, Add, Multiply, Scale, SoftCap, Activate, LayerNorm, RmsNorm, UnitRows, Rotary, SplitHeads,
                 MergeHeads, Attention, Isdpa, Softmax, Transpose, CrossEntropy, Dropout>(desc, [](const auto&) {});
  }

  Result<std::unique_ptr<Plan>> prepare(const OpDesc& desc) override {
    if (!supports(desc)) return prepare_on_host(desc, dtype());
    HL_ASSIGN([[maybe_unused]] const Signature s, signature(desc, dtype()));
    return std::unique_ptr<Plan>(std::make_unique<CpuPlan>(desc));
  }

  Status execute(Plan& plan, In in, Out out, const CancelToken& cancel) override {
    if (is_host_plan(plan)) return execute_on_host(*this, plan, in, out, cancel);
    auto& own = static_cast<CpuPlan&>(plan);
    HL_TRY(own.checked.check(own.desc, in, out, dtype()));
    try {
      Status status;
      visit<Linear, Gather, Add, Multiply, Scale, SoftCap, Activate, LayerNorm, RmsNorm, UnitRows, Rotary, SplitHeads, MergeHeads,
            Attention, Isdpa, Softmax, Transpose, CrossEntropy, Dropout, Gradient>(
          own.desc, [&](const auto& op) { status = compute(op, own, in, out, cancel); });
      return status;
    } catch (const std::bad_alloc&) {
      return failure(ErrorKind::too_large, "no memory for the workspace").at(own.desc.id()).mend("use smaller sizes");
    }
  }

 private:
  Status compute(const Linear& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    if (rounding_ && op.activation == ActivationKind::none) {
      const cpu::RoundedProduct product{op.rows,
                                        op.inner,
                                        op.columns,
                                        {real(in[0]), op.inner, false},
                                        {real(in[1]), op.columns, false},
                                        op.bias ? real(in[2]) : nullptr,
                                        real(out[0]),
                                        op.columns};
      return finished(cpu::multiply(*rounding_, product, cancel));
    }
    std::shared_ptr<const float> packed;
    const StoredMatrix* const stored = stored_matrix_of(in[1]);
    if (op.fixed_weights && stored && stored->worth_packing() && op.rows > kernels_.stored_rows) {
      packed = packed_.find(std::static_pointer_cast<const StoredMatrix>(in[1].device), cancel);
    } else if (op.fixed_weights && !stored) {
      packed = packed_.find(in[1].host, cancel);
    }
    const cpu::Product product{.rows = op.rows,
                               .inner = op.inner,
                               .columns = op.columns,
                               .a = real(in[0]),
                               .lda = op.inner,
                               .b = real(in[1]),
                               .ldb = op.columns,
                               .bias = op.bias ? real(in[2]) : nullptr,
                               .activation = static_cast<cpu::Activation>(op.activation),
                               .c = real(out[0]),
                               .ldc = op.columns,
                               .packed = packed.get(),
                               .stored = stored};
    return finished(cpu::multiply(kernels_, std::span(&product, 1), cancel));
  }

  Status compute(const Gather& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    const auto rows = ids(in[1]);
    HL_TRY(check_ids(rows, op.table_rows, 0, "gather"));
    const float* table = real(in[0]);
    float* y = real(out[0]);
    return finished(parallel_for(
        op.rows, grain_of(op.d),
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t r = begin; r < end; ++r)
            std::copy_n(table + rows[static_cast<std::size_t>(r)] * op.d, op.d, y + r * op.d);
        },
        cancel));
  }

  Status compute(const Add& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    const float* a = real(in[0]);
    const float* b = real(in[1]);
    float* y = real(out[0]);
    return finished(parallel_for(
        op.outer, grain_of(op.inner),
        [&](std::int64_t begin, std::int64_t end) {
          const std::int64_t first = begin * op.inner;
          if (!op.b_repeats) return kernels_.add(a + first, b + first, (end - begin) * op.inner, y + first);
          for (std::int64_t r = begin; r < end; ++r) kernels_.add(a + r * op.inner, b, op.inner, y + r * op.inner);
        },
        cancel));
  }

  Status normalise(std::int64_t rows, std::int64_t d, double epsilon, const float* x, const float* gamma, const float* beta,
                   float* y, const CancelToken& cancel) {
    return finished(parallel_for(
        rows, grain_of(d),
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t r = begin; r < end; ++r)
            kernels_.layer_norm(x + r * d, gamma, beta, d, static_cast<float>(epsilon), y + r * d);
        },
        cancel));
  }
  Status compute(const LayerNorm& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    // The kernel without a beta is RMSNorm's, so a LayerNorm without one shifts by zeros.
    std::vector<float> zeros;
    if (!op.bias) zeros.assign(static_cast<std::size_t>(op.d), 0.0f);
    const float* beta = op.bias ? real(in[2]) : zeros.data();
    return normalise(op.rows, op.d, op.epsilon, real(in[0]), real(in[1]), beta, real(out[0]), cancel);
  }
  Status compute(const RmsNorm& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    return normalise(op.rows, op.d, op.epsilon, real(in[0]), real(in[1]), nullptr, real(out[0]), cancel);
  }

  // Rows by threads: `row(x, y)` computes each of `width` numbers.
  template <class Row>
  Status by_rows(std::int64_t rows, std::int64_t width, In in, Out out, const CancelToken& cancel, Row row) {
    const float* x = real(in[0]);
    float* y = real(out[0]);
    return finished(parallel_for(
        rows, grain_of(width),
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t r = begin; r < end; ++r) row(r, x + r * width, y + r * width);
        },
        cancel));
  }
  Status compute(const Multiply& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    const float* b = real(in[1]);
    return by_rows(op.rows, op.columns, in, out, cancel, [&](std::int64_t r, const float* x, float* y) {
      kernels_.multiply_each(x, b + r * op.columns, op.columns, y);
    });
  }
  Status compute(const Activate& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    float* const slopes = op.keep_slope ? out[1].host.data<float>() : nullptr;
    return by_rows(op.rows, op.columns, in, out, cancel, [&](std::int64_t row, const float* x, float* y) {
      const auto activation = static_cast<cpu::Activation>(op.activation);
      if (slopes)
        kernels_.activate_with_slope(activation, x, op.columns, y, slopes + row * op.columns);
      else
        kernels_.activate(activation, x, op.columns, y);
    });
  }
  Status compute(const UnitRows& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    return by_rows(op.rows, op.d, in, out, cancel, [&](std::int64_t, const float* x, float* y) {
      float square = 0;
      for (std::int64_t i = 0; i < op.d; ++i) square += x[i] * x[i];
      const float length = std::max(std::sqrt(square), static_cast<float>(op.epsilon));
      for (std::int64_t i = 0; i < op.d; ++i) y[i] = x[i] / length;
    });
  }
  Status compute(const Rotary& op, CpuPlan& plan, In in, Out out, const CancelToken& cancel) {
    // Cosine and sine of every position and pair are made once a plan.
    if (plan.turns.empty()) plan.turns = turns_of(op);
    const std::int64_t half = op.pairs();
    return by_rows(op.rows, op.d_k, in, out, cancel, [&](std::int64_t r, const float* x, float* y) {
      const Turn* turn = plan.turns.data() + r % op.length * half;
      std::copy(x + 2 * half, x + op.d_k, y + 2 * half);
      for (std::int64_t i = 0; i < half; ++i) {
        const std::int64_t a = op.halves ? i : 2 * i, b = op.halves ? i + half : 2 * i + 1;
        y[a] = x[a] * turn[i].cosine - x[b] * turn[i].sine;
        y[b] = x[a] * turn[i].sine + x[b] * turn[i].cosine;
      }
    });
  }

  Status compute(const Scale& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    const auto factor = static_cast<float>(op.factor);
    return by_rows(op.rows, op.columns, in, out, cancel,
                   [&](std::int64_t, const float* x, float* y) { kernels_.scale(x, op.columns, factor, y); });
  }
  Status compute(const SoftCap& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    return by_rows(op.rows, op.columns, in, out, cancel, [&](std::int64_t, const float* x, float* y) {
      cpu::cap_row(kernels_, x, op.columns, 1, static_cast<float>(op.cap), y);
    });
  }

  Status compute(const SplitHeads& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    return finished(cpu::move_heads(op.batch, op.length, op.heads, op.d_k, true, real(in[0]), real(out[0]), cancel));
  }
  Status compute(const MergeHeads& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    return finished(cpu::move_heads(op.batch, op.length, op.heads, op.d_k, false, real(in[0]), real(out[0]), cancel));
  }

  Status compute(const Attention& op, CpuPlan& plan, In in, Out out, const CancelToken& cancel) {
    auto a = attention_arrays<cpu::AttentionArrays>(op, in, out, [](auto& buffer) { return real(buffer); });
    if (op.dropout > 0) a.counter = ids(in.back())[0];
    return finished(cpu::attention(kernels_, op, a, plan.workspace, cancel));
  }

  Status compute(const Softmax& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    return by_rows(op.rows, op.columns, in, out, cancel, [&](std::int64_t, const float* x, float* y) {
      kernels_.softmax(x, op.columns, static_cast<float>(1 / op.temperature), y);
    });
  }
  Status compute(const Transpose& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    const float* x = real(in[0]);
    float* y = real(out[0]);
    const std::int64_t grain = std::max<std::int64_t>(16, grain_of(op.rows));
    return finished(parallel_for(
        op.columns, grain,
        [&](std::int64_t begin, std::int64_t end) {
          kernels_.gradients->transpose(x + begin, op.rows, end - begin, op.columns, y + begin * op.rows, op.rows);
        },
        cancel));
  }
  Status compute(const CrossEntropy& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    HL_TRY(check_labels(in[1].host, op.classes));
    const float* x = real(in[0]);
    const auto labels = ids(in[1]);
    float* loss = real(out[0]);
    float* log_sum = real(out[1]);
    return finished(parallel_for(
        op.rows, grain_of(op.classes),
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t r = begin; r < end; ++r)
            kernels_.gradients->cross_entropy(x + r * op.classes, op.classes, labels[static_cast<std::size_t>(r)],
                                              static_cast<float>(op.smoothing), loss + r, log_sum + r);
        },
        cancel));
  }
  Status compute(const Dropout& op, CpuPlan&, In in, Out out, const CancelToken& cancel) {
    const Draws draws(op.rate, op.seed, ids(in[1])[0]);
    const auto factor = static_cast<float>(1 / (1 - op.rate));
    return by_rows(op.rows, op.columns, in, out, cancel, [&](std::int64_t r, const float* x, float* y) {
      kernels_.gradients->drop(x, op.columns, r * op.columns, draws.key(), draws.threshold(), factor, y);
    });
  }
  Status compute(const Gradient& op, CpuPlan& plan, In in, Out out, const CancelToken& cancel) {
    return cpu::gradient(kernels_, rounding_, op, plan.gradient, in, out, cancel);
  }

  Status compute(const Isdpa& op, CpuPlan& plan, In in, Out out, const CancelToken& cancel) {
    const Buffer& index = in[in.size() - 1];
    HL_TRY(check_ids(ids(index), op.vocabulary, op.length, "isdpa"));
    const auto a = isdpa_arrays<cpu::IsdpaArrays>(op, in, out, ids(index).data(), [](auto& buffer) { return real(buffer); });

    // The remembered buffers are held, so an equal address means the same buffer and equal values (buffers are written once).
    const In tables_from = in.first(in.size() - 1);
    const bool same =
        op.cached && std::equal(tables_from.begin(), tables_from.end(), plan.remembered.begin(), plan.remembered.end(),
                                [](const Buffer& x, const Buffer& y) { return x.host.raw() == y.host.raw(); });
    plan.remembered.clear();
    HL_TRY(plan.isdpa.run(kernels_, op, a, same, cancel));
    if (op.cached) plan.remembered.assign(tables_from.begin(), tables_from.end());
    return {};
  }

  const cpu::Kernels& kernels_;
  const cpu::Bfloat16Kernels* rounding_;
  cpu::PackedWeights packed_;
};

}  // namespace

Result<std::shared_ptr<Backend>> cpu::make(std::string_view level) {
  std::string known;
  for (const Level& one : levels()) {
    if (one.id == level) return std::shared_ptr<Backend>(std::make_shared<CpuBackend>(*one.kernels));
    known += (known.empty() ? "" : ", ") + one.id;
  }
  return invalid("this processor has no '{}'", level).at("HEADLIGHT_CPU_LEVEL").mend("it has {}", known);
}

Result<std::shared_ptr<Backend>> make_cpu() {
  if (const char* asked = std::getenv("HEADLIGHT_CPU_LEVEL"); asked && *asked) return cpu::make(asked);
  return cpu::make(cpu::levels().back().id);
}

std::shared_ptr<Backend> make_rounding_cpu() {
  const cpu::Bfloat16Kernels* const rounding = cpu::bfloat16_kernels();
  const char* const asked = std::getenv("HEADLIGHT_CPU_LEVEL");
  const bool narrower = asked && *asked && std::string_view(asked) != "avx512" && cpu::levels().back().id != asked;
  return rounding && !narrower ? std::make_shared<CpuBackend>(cpu::widest_kernels(), rounding) : nullptr;
}

}  // namespace headlight::backends
