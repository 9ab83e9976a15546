// Compares every backend with plain loops in double, on every operation.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>

#include "conformance/cases.h"
#include "engine/backends/backends.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/gather.h"
#include "engine/operations/gradient.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/operations.h"
#include "engine/operations/split_heads.h"
#include "gpu/emulation/emulated_module.h"

namespace headlight::conformance {
namespace {

using namespace backends;

struct Tolerance {
  double nmse, max_abs;  // max_abs is relative to the largest value
};
// Operands with 10 bits of mantissa have errors of 2^-11 = 5e-4 each (of 2^-10 if a library truncates), with 7 bits of 2^-8 =
// 4e-3. In a sum of many products these errors partly cancel; attention's softmax takes e^ of such a sum; index-based attention
// is a chain of products with a softmax inside, with about eight such errors. A gradient is a product of what products gave: its
// numbers may be three times as far off as those of its operation. Operations without matrix products are float32 in every
// precision.
Tolerance tolerance_of(const Backend& backend, const OpDesc& desc) {
  if (const auto* const gradient = desc.get_if<Gradient>()) {
    const Tolerance of = tolerance_of(backend, gradient->of);
    return backend.precision().starts_with("float") ? of : Tolerance{9 * of.nmse, 3 * of.max_abs};
  }
  const bool linear = (desc.get_if<Linear>() != nullptr), attention = (desc.get_if<Attention>() != nullptr);
  if (linear || attention || (desc.get_if<Isdpa>() != nullptr)) {
    if (backend.precision() == "tf32")
      return linear ? Tolerance{1e-6, 8e-3} : (attention ? Tolerance{1e-6, 3e-3} : Tolerance{3e-5, 2e-2});
    if (backend.precision() == "bf16")
      return linear ? Tolerance{2e-5, 6e-2} : (attention ? Tolerance{6e-5, 2e-2} : Tolerance{1e-3, 1.5e-1});
  }
  // Sums of up to 1,025 float32 products have a relative error of about 1e-6; a hundred times its square is allowed.
  return {1e-10, 3e-5};
}

struct Range {
  double least = 0, most = 0;
  bool finite = true;
};
Range range_of(const Tensor& t) {
  Range r{INFINITY, -INFINITY};
  const Tensor x = t.as(DType::f64);
  for (const double v : x.values<double>()) {
    if (!std::isfinite(v)) {
      r.finite = false;
      continue;
    }
    r.least = std::min(r.least, v);
    r.most = std::max(r.most, v);
  }
  return r;
}

// Rows sum to 1, or are all 0 if nothing may be attended to; masked weights are exactly 0.
void check_weights(const Attention& op, const std::vector<Tensor>& inputs, const Tensor& weights) {
  const bool masks = op.has_mask;
  const Tensor mask = masks ? inputs[op.additive ? 4 : 3].broadcast_to({op.batch, op.heads, op.queries, op.keys}) : Tensor();
  for (std::int64_t b = 0; b < op.batch; ++b) {
    for (std::int64_t h = 0; h < op.heads; ++h) {
      for (std::int64_t i = 0; i < op.queries; ++i) {
        double sum = 0;
        bool all_zero = true;
        bool any_allowed = !masks;
        for (std::int64_t j = 0; j < op.keys; ++j) any_allowed = any_allowed || mask.at({b, h, i, j}) != 0;
        for (std::int64_t j = 0; j < op.keys; ++j) {
          const double w = weights.at({b, h, i, j});
          sum += w;
          all_zero = all_zero && w == 0;
          if (masks && mask.at({b, h, i, j}) == 0 && (any_allowed || op.fill == MaskFill::minus_infinity)) {
            ASSERT_EQ(w, 0.0) << "masked weight at " << b << ' ' << h << ' ' << i << ' ' << j;
          }
          if (!any_allowed && op.fill == MaskFill::minus_1e9) {
            ASSERT_NEAR(w, 1.0 / static_cast<double>(op.keys), 1e-6);
          }
        }
        if (!any_allowed && op.fill == MaskFill::minus_infinity) {
          ASSERT_TRUE(all_zero);
        } else if (!all_zero || !op.has_bias) {
          ASSERT_NEAR(sum, 1.0, 1e-5) << "row " << b << ' ' << h << ' ' << i;  // float32 rounding of up to 1,025 weights
        }
      }
    }
  }
}

class Conformance : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

// The operation's cases on the backend against the reference; `after` is told of each that agreed.
void agree(Backend& backend, const operations::Kind& operation, const std::function<void(const Case&)>& after = {}) {
  const auto reference = backends::open("reference");
  ASSERT_TRUE(reference.ok());
  const std::vector<Case> cases = cases_of(operation);
  ASSERT_FALSE(cases.empty());
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ASSERT_EQ(&c.desc.kind(), &operation);
    const Tolerance tolerance = tolerance_of(backend, c.desc);
    // Scores in the thousands: one rounding of an operand moves them by more than e.
    const bool rounded = backend.precision().ends_with("16") || backend.precision() == "tf32";
    if (rounded && c.name.ends_with("attention, large scores")) continue;
    const auto expected = compute(**reference, c.desc, c.inputs);
    ASSERT_TRUE(expected.ok()) << expected.error().sentence();
    const std::uint64_t plain_before = operations::plain_runs();
    const auto actual = compute(backend, c.desc, c.inputs);
    ASSERT_TRUE(actual.ok()) << actual.error().sentence();
    // Where a backend claims a way of its own, the plain loops must not have run; elsewhere they must have.
    const bool ran_plain = operations::plain_runs() > plain_before;
    ASSERT_EQ(ran_plain, !backend.supports(c.desc) || backend.device().id == "reference");
    ASSERT_EQ(actual->size(), expected->size());
    for (std::size_t i = 0; i < expected->size(); ++i) {
      SCOPED_TRACE("output " + std::to_string(i));
      const Tensor& e = (*expected)[i];
      ASSERT_EQ((*actual)[i].dtype(), backend.dtype());
      const Range range = range_of(e);
      if (!c.has_nan && e.count() > 2) {
        ASSERT_LT(range.least, range.most) << "the reference is degenerate";
      }
      ASSERT_EQ((*actual)[i].axes(), e.axes());
      const Difference d = difference((*actual)[i], e);
      ASSERT_TRUE(d.same_shape);
      ASSERT_FALSE(d.nan_mismatch);
      ASSERT_LE(d.nmse, tolerance.nmse);
      ASSERT_LE(d.max_abs, tolerance.max_abs * std::max(1.0, std::max(std::abs(range.least), std::abs(range.most))));
    }
    if (const auto* attention = c.desc.get_if<Attention>(); attention && attention->keep_weights && !c.has_nan) {
      check_weights(*attention, c.inputs, actual->back());
    }
    if (after) after(c);
  }
}

TEST_P(Conformance, AgreesWithReference) {
  const auto& [environment, operation] = GetParam();
  const auto backend = open(environment);
  if (!backend) GTEST_SKIP() << backend.error().sentence();
  agree(**backend, *operations::find_kind(operation));
}

TEST(EmulatedWarpgroups, AgreeOnAttention) {
  ::setenv("HEADLIGHT_CUDA_ATTENTION", "warpgroup", 1);  // for short texts, too
  const auto backend = cuda::make_backend(emulation::module(), 0, cuda::kBrainFloat16);
  ASSERT_TRUE(backend.ok());
  int served = 0, others = 0;
  agree(**backend, operations::kind_of<Attention>(), [&](const Case& c) {
    const auto& op = *c.desc.get_if<Attention>();
    // With dropout the weights are needed, too, and the context is a product of them.
    const bool keeps = op.keep_scores || op.keep_scaled || op.keep_masked || op.keep_weights || op.dropout > 0;
    const bool is_served = cuda::kernel_of(**backend) == "attention_warpgroup";
    EXPECT_EQ(is_served, !keeps && op.d_k <= 64 && op.d_v <= 64) << c.name;
    ++(is_served ? served : others);
  });
  ::unsetenv("HEADLIGHT_CUDA_ATTENTION");
  EXPECT_GE(served, 3);
  EXPECT_GE(others, 3);
}

std::vector<std::string> operation_ids() {
  std::vector<std::string> ids;
  for (const operations::Kind* kind : operations::kinds()) ids.push_back(kind->id);
  return ids;
}

std::string test_name(const testing::TestParamInfo<std::tuple<std::string, std::string>>& info) {
  std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance,
                         testing::Combine(testing::ValuesIn(environments()), testing::ValuesIn(operation_ids())), test_name);

}  // namespace
}  // namespace headlight::conformance
