// Index-based attention (S1, S2, S3): both methods against each other and against double; kept tables; padding.
#include <gtest/gtest.h>

#include <cmath>

#include "conformance/cases.h"
#include "engine/backends/backends.h"
#include "engine/bench/benches.h"
#include "engine/operations/isdpa.h"

namespace headlight::conformance {
namespace {

using namespace backends;

Isdpa isdpa_keeping_all(Isdpa op) {
  op.keep_q = op.keep_k = op.keep_v = op.keep_terms = op.keep_qk = op.keep_score = op.keep_result = true;
  return op;
}

Isdpa small(Isdpa::Method method) {
  Isdpa op;
  op.words = 7;
  op.length = 8;
  op.vocabulary = 27;
  op.d = 24;
  op.method = method;
  return isdpa_keeping_all(op);
}

// In double both methods differ only by rounding, and the four terms add up to Q K^T.
TEST(IsdpaReference, BothWaysAreOneFormula) {
  const auto reference = backends::open("reference");
  for (const bool separate : {false, true}) {
    Isdpa op = small(Isdpa::Method::index);
    op.separate_position_weights = separate;
    op.pad_index = 0;
    const std::vector<Tensor> inputs = inputs_for(op, "two ways");
    const auto index = compute(**reference, op, inputs);
    op.method = Isdpa::Method::direct;
    const auto direct = compute(**reference, op, inputs);
    ASSERT_TRUE(index.ok() && direct.ok());
    for (std::size_t i = 0; i < index->size(); ++i) {
      const Difference d = difference((*index)[i], (*direct)[i]);
      EXPECT_LE(d.nmse, 1e-26) << "output " << i;  // (1e-13)^2: sums of 24 products in double
      EXPECT_FALSE(d.nan_mismatch);
    }
    const Tensor& qk = (*index)[7];
    for (std::int64_t i = 0; i < qk.count(); ++i) {
      double terms = 0;
      for (std::size_t t = 3; t < 7; ++t) terms += (*index)[t].data<double>()[i];
      ASSERT_NEAR(terms, qk.data<double>()[i], 1e-12 * std::max(1.0, std::abs(terms)));
    }
  }
}

// The same with several heads and with every query's output kept.
TEST(IsdpaReference, BothWaysAreOneFormulaWithHeads) {
  const auto reference = backends::open("reference");
  for (const bool pooled : {true, false}) {
    Isdpa op = small(Isdpa::Method::index);
    op.heads = 3;
    op.pooled = pooled;
    op.pad_index = 0;
    const std::vector<Tensor> inputs = inputs_for(op, "two ways, heads");
    const auto index = compute(**reference, op, inputs);
    op.method = Isdpa::Method::direct;
    const auto direct = compute(**reference, op, inputs);
    ASSERT_TRUE(index.ok() && direct.ok());
    for (std::size_t i = 0; i < index->size(); ++i)
      EXPECT_LE(difference((*index)[i], (*direct)[i]).nmse, 1e-26) << "output " << i;
  }
}

// Separate position weights that equal the content weights change nothing; other weights do.
TEST(IsdpaReference, SeparatePositionWeights) {
  const auto reference = backends::open("reference");
  Isdpa op = small(Isdpa::Method::index);
  std::vector<Tensor> inputs = inputs_for(op, "separate");
  const auto shared = compute(**reference, op, inputs);
  op.separate_position_weights = true;
  inputs.insert(inputs.begin() + 5, {inputs[2], inputs[3], inputs[4]});
  const auto same = compute(**reference, op, inputs);
  inputs[5] = normal("another PWQ", {24, 24});
  const auto other = compute(**reference, op, inputs);
  ASSERT_TRUE(shared.ok() && same.ok() && other.ok());
  EXPECT_EQ(difference(shared->back(), same->back()).max_abs, 0);
  EXPECT_GT(difference(shared->back(), other->back()).max_abs, 1e-3);
}

// The notebook's example word and its padding: masked keys weigh exactly 0, and padding queries are not in the mean.
TEST(IsdpaReference, PaddingIsMasked) {
  const auto reference = backends::open("reference");
  Isdpa op = small(Isdpa::Method::index);
  op.words = 2;
  op.pad_index = 0;
  std::vector<Tensor> inputs = inputs_for(op, "apple");
  const std::vector<std::int32_t> apple{1, 16, 16, 12, 5, 0, 0, 0};
  std::copy(apple.begin(), apple.end(), inputs.back().data<std::int32_t>());
  std::fill_n(inputs.back().data<std::int32_t>() + 8, 8, 0);  // a word of padding only
  const auto masked = compute(**reference, op, inputs);
  op.pad_index = -1;
  const auto unmasked = compute(**reference, op, inputs);
  ASSERT_TRUE(masked.ok() && unmasked.ok());
  const Tensor& score = (*masked)[8];
  double sum = 0;
  for (std::int64_t j = 0; j < 5; ++j) sum += score.at({0, j});
  EXPECT_NEAR(sum, 1, 1e-12);
  for (std::int64_t j = 5; j < 8; ++j) EXPECT_EQ(score.at({0, j}), 0);
  for (std::int64_t j = 0; j < 8; ++j) EXPECT_EQ(score.at({1, j}), 0);
  for (std::int64_t j = 0; j < 24; ++j) EXPECT_EQ((*masked)[9].at({1, j}), 0);
  EXPECT_GT((*unmasked)[8].at({0, 6}), 0);  // "padding with zeros alone does not keep softmax unaffected"
}

// The notebook's sizes on the CPU: the errors against double have the size that it prints (2.2e-7 for Q, 6.4e-6 for QK^T and V).
TEST(IsdpaNotebook, ErrorsAreOfTheNotebooksOrder) {
  const auto cpu = backends::open("cpu");
  const auto reference = backends::open("reference");
  ASSERT_TRUE(cpu.ok() && reference.ok());
  bench::Request sizes;
  sizes.backend = *cpu;
  std::vector<Tensor> inputs = bench::notebook_inputs(sizes, 1);
  Isdpa op;
  op.words = sizes.words;
  op.length = sizes.length;
  op.vocabulary = sizes.vocab;
  op.d = sizes.d;
  op.keep_q = op.keep_qk = op.keep_score = op.keep_result = true;
  const auto index = compute(**cpu, op, inputs);
  op.method = Isdpa::Method::direct;
  const auto direct = compute(**cpu, op, inputs);
  // Words do not depend on each other, so only the first eight are computed in double.
  op.words = 8;
  inputs.back() = inputs.back().slice(0, 0, 8);
  const auto expected = compute(**reference, op, inputs);
  ASSERT_TRUE(index.ok() && direct.ok() && expected.ok());
  // mean absolute: five times what the notebook prints; for score and result less
  const double limits[] = {1e-6, 3e-5, 1e-7, 1e-6};
  for (std::size_t i = 0; i < 4; ++i) {
    for (const auto& way : {*index, *direct}) {
      const bench::ErrorFigures e = bench::errors_of(way[i], (*expected)[i]);
      EXPECT_LE(e.mean_abs, limits[i]) << "output " << i;
      EXPECT_GT(e.mean_abs, 0) << "output " << i;
    }
    EXPECT_LE(difference((*index)[i], (*direct)[i]).mean_abs, limits[i]) << "output " << i;
  }
}

// Cached tables are used for other words, and made again if a weight is another buffer.
class IsdpaCached : public testing::TestWithParam<Isdpa::Method> {};

TEST_P(IsdpaCached, FollowsItsInputs) {
  const auto cpu = backends::open("cpu");
  ASSERT_TRUE(cpu.ok());
  Isdpa op = small(GetParam());
  if (Isdpa::is_shortcut(op.method)) op.keep_q = op.keep_k = op.keep_v = op.keep_terms = false;
  op.cached = true;
  const auto plan = (*cpu)->prepare(op);
  ASSERT_TRUE(plan.ok());
  const auto s = signature(op, DType::f32);
  std::vector<Buffer> in, out;
  for (const Tensor& t : inputs_for(op, "cached")) in.push_back(*(*cpu)->upload(t));
  for (std::size_t i = 0; i < s->outputs.size(); ++i)
    out.push_back(*(*cpu)->allocate(DType::f32, s->outputs[i], s->output_axes[i]));
  const auto agrees = [&] {
    ASSERT_TRUE((*cpu)->execute(**plan, in, out, {}).ok());
    Isdpa fresh = op;
    fresh.cached = false;
    const auto expected = (*cpu)->apply(fresh, in);
    ASSERT_TRUE(expected.ok());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Difference d = difference(out[i].host, (*expected)[i].host);
      ASSERT_LE(d.nmse, 1e-10);
    }
  };
  agrees();
  in.back() = *(*cpu)->upload(uniform_ids("other words", {7, 8}, 27));
  agrees();
  in[3] = *(*cpu)->upload(normal("another WK", {24, 24}));
  agrees();
  in[0] = *(*cpu)->upload(normal("another F", {27, 24}));
  agrees();
}
INSTANTIATE_TEST_SUITE_P(Methods, IsdpaCached,
                         testing::Values(Isdpa::Method::index, Isdpa::Method::direct, Isdpa::Method::direct_pooled,
                                         Isdpa::Method::direct_folded, Isdpa::Method::direct_distinct,
                                         Isdpa::Method::direct_distinct_folded, Isdpa::Method::direct_attention));

// Tables of exponentials are kept, too, and made again if needed: for another weight, and for scores that become too large for
// them.
TEST(IsdpaCachedResult, FollowsItsInputs) {
  const auto cpu = backends::open("cpu");
  const auto reference = backends::open("reference");
  ASSERT_TRUE(cpu.ok() && reference.ok());
  Isdpa op = small(Isdpa::Method::index);
  op.keep_q = op.keep_k = op.keep_v = op.keep_terms = op.keep_qk = false;
  op.pad_index = 0;
  op.cached = true;
  op.words = 20;
  const auto plan = (*cpu)->prepare(op);
  ASSERT_TRUE(plan.ok());
  std::vector<Tensor> inputs = inputs_for(op, "cached result");
  std::vector<Buffer> in, out;
  for (const Tensor& t : inputs) in.push_back(*(*cpu)->upload(t));
  const auto s = signature(op, DType::f32);
  for (std::size_t i = 0; i < s->outputs.size(); ++i)
    out.push_back(*(*cpu)->allocate(DType::f32, s->outputs[i], s->output_axes[i]));
  const auto change = [&](std::size_t i, Tensor t) {
    inputs[i] = std::move(t);
    in[i] = *(*cpu)->upload(inputs[i]);
  };
  const auto agrees = [&] {
    ASSERT_TRUE((*cpu)->execute(**plan, in, out, {}).ok());
    const auto expected = compute(**reference, op, inputs);
    ASSERT_TRUE(expected.ok());
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_LE(difference(out[i].host, (*expected)[i]).nmse, 1e-9);
  };
  for (std::size_t w = 2; w < 4; ++w) change(w, normal("weight" + std::to_string(w), {24, 24}, 0.2));
  agrees();
  agrees();
  change(inputs.size() - 1, uniform_ids("other words", {20, 8}, 27));
  agrees();
  change(3, normal("larger WK", {24, 24}, 4));
  agrees();
  agrees();
  change(3, normal("smaller WK", {24, 24}, 0.1));
  agrees();
}

}  // namespace
}  // namespace headlight::conformance
