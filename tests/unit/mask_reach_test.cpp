// Attention whose mask lets the CPU leave products out: causal, with keys that nobody looks at, and with rows that see nothing.
#include "engine/backends/cpu/mask_reach.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/backends/backends.h"
#include "engine/core/rng.h"
#include "engine/operations/gradient.h"
#include "engine/operations/operations.h"

namespace headlight::backends {
namespace {

Tensor drawn(const char* name, const Shape& shape) {
  const Rng rng(11, name);
  Tensor t(DType::f32, shape, {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i)
    t.data<float>()[i] = static_cast<float>(rng.normal(0, static_cast<std::uint64_t>(i)));
  return t;
}

// Causal; the second text ends 20 keys earlier; query 7 of it may look at nothing.
Tensor mask_of(std::int64_t queries, std::int64_t keys) {
  Tensor mask(DType::u8, {2, 1, queries, keys}, {}, true);
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t i = 0; i < queries; ++i)
      for (std::int64_t j = 0; j < keys; ++j)
        mask.data<std::uint8_t>()[(b * queries + i) * keys + j] = j <= i && (b == 0 || (j < keys - 20 && i != 7)) ? 1 : 0;
  return mask;
}

Attention masked_attention(std::int64_t queries, std::int64_t keys) {
  Attention op{2, 4, queries, keys, 20, 36};
  op.kv_heads = 2;
  op.scale = 0.3;
  op.has_mask = op.keep_weights = true;
  return op;
}

std::vector<Buffer> inputs_of(Backend& backend, const Attention& op) {
  return {*backend.upload(drawn("q", {2, 4, op.queries, op.d_k})), *backend.upload(drawn("k", {2, 2, op.keys, op.d_k})),
          *backend.upload(drawn("v", {2, 2, op.keys, op.d_v})), *backend.upload(mask_of(op.queries, op.keys))};
}

TEST(MaskReach, IsTheLastKeyThatARowMayLookAt) {
  const Attention op = masked_attention(50, 61);
  const Tensor mask = mask_of(50, 61);
  const cpu::MaskReach reach(op, mask.data<std::uint8_t>(), mask.shape());
  ASSERT_TRUE(reach.ends_early());
  EXPECT_EQ(reach.of(0, 3, 0), 1);
  EXPECT_EQ(reach.of(0, 3, 49), 50);
  EXPECT_EQ(reach.of(1, 0, 49), 41);
  EXPECT_EQ(reach.of(1, 0, 7), 61) << "a row that sees nothing is computed whole";
  EXPECT_EQ(reach.of_rows(0, 0, 10, 5), 15);
  Attention replaced = op;
  replaced.fill = operations::MaskFill::minus_1e9;
  EXPECT_FALSE(cpu::MaskReach(replaced, mask.data<std::uint8_t>(), mask.shape()).ends_early());
  EXPECT_EQ(cpu::MaskReach(op, nullptr, {}).of_rows(0, 0, 10, 5), 61);
}

TEST(MaskReach, WeightsAndContextAreTheSameBitsAsWhereAllIsComputed) {
  const std::shared_ptr<Backend> backend = *open("cpu");
  for (const auto& [queries, keys] : {std::pair<std::int64_t, std::int64_t>{131, 140}, {140, 131}, {5, 3}}) {
    Attention op = masked_attention(queries, keys);
    const std::vector<Buffer> in = inputs_of(*backend, op);
    const auto some = backend->apply(op, in);
    op.keep_scores = true;
    const auto all = backend->apply(op, in);
    ASSERT_TRUE(some.ok() && all.ok());
    EXPECT_EQ(difference((*some)[0].host, (*all)[0].host).max_abs, 0);
    EXPECT_EQ(difference((*some)[1].host, (*all)[2].host).max_abs, 0);
  }
}

TEST(MaskReach, GradientsAreThoseOfThePlainLoops) {
  const std::shared_ptr<Backend> backend = *open("cpu"), reference = *open("reference");
  for (const double dropout : {0.0, 0.2})
    for (const auto& [queries, keys] : {std::pair<std::int64_t, std::int64_t>{131, 140}, {140, 131}}) {
      SCOPED_TRACE(to_string(Shape{queries, keys}));
      Attention op = masked_attention(queries, keys);
      op.dropout = dropout;
      op.dropout_seed = 5;
      std::vector<Buffer> in = inputs_of(*backend, op), exact_in = inputs_of(*reference, op);
      for (auto* all : {&in, &exact_in}) {
        Backend& own = all == &in ? *backend : *reference;
        if (dropout > 0) all->push_back(*own.upload(Tensor::of<std::int32_t>({9}, {1})));
        const auto out = own.apply(op, *all);
        ASSERT_TRUE(out.ok()) << out.error().sentence();
        all->insert(all->end(), out->begin(), out->end());
        all->push_back(*own.upload(drawn("dy", {2, 4, queries, op.d_v})));
      }
      const auto got = backend->apply(operations::Gradient{op, {}}, in);
      const auto exact = reference->apply(operations::Gradient{op, {}}, exact_in);
      ASSERT_TRUE(got.ok() && exact.ok());
      ASSERT_EQ(got->size(), 3u);
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_LT(difference((*got)[i].host, (*exact)[i].host).max_abs, 2e-4) << "by input " << i;
    }
}

}  // namespace
}  // namespace headlight::backends
