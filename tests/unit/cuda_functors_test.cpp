// The arithmetic of the CUDA kernels, cell by cell, against double and against indices counted one by one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "engine/backends/cuda/runtime/functors.h"
#include "engine/core/rng.h"
#include "engine/operations/activation.h"
#include "engine/operations/dropout.h"

namespace headlight::backends::cuda {
namespace {

TEST(CudaFunctors, ActivationsAreThoseOfTheReference) {
  for (int i = -400; i <= 400; ++i) {
    const double x = i * 0.03;
    const auto f = static_cast<float>(x);
    const double exact = static_cast<double>(f);
    EXPECT_EQ(activate(0, f), f);
    EXPECT_EQ(activate(1, f), f < 0 ? 0.0f : f);
    const double gelu = 0.5 * exact * std::erfc(-exact / std::sqrt(2.0));
    EXPECT_NEAR(activate(2, f), gelu, 2e-6 * std::max(1e-3, std::abs(gelu)) + 1e-12);
    EXPECT_NEAR(activate(3, f), std::tanh(exact), 2e-7);
  }
}

// Every activation and its slope, from one tail to the other.
TEST(CudaFunctors, SlopesAreThoseOfTheReference) {
  for (const operations::Activation& one : operations::activations()) {
    const int kind = static_cast<int>(one.kind);
    for (int i = -400; i <= 400; ++i) {
      const auto x = static_cast<float>(i * 0.03);
      SCOPED_TRACE(one.id + " of " + std::to_string(x));
      const double value = operations::activate(one.kind, static_cast<double>(x)),
                   slope = operations::slope(one.kind, static_cast<double>(x));
      EXPECT_NEAR(activate_any(kind, x), value, 1e-6 * std::max(1.0, std::abs(value)));
      EXPECT_NEAR(activation_slope(kind, x), slope, 2e-6);
    }
  }
}

// Bit by bit: a training drops the same numbers on every device.
TEST(CudaFunctors, DropoutDrawsAsTheHostDoes) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{0x123456789abcdef0}})
    for (const std::int32_t counter : {0, 1, 1000000, 2147483647, -5})
      for (const double rate : {0.0, 0.1, 0.5, 0.999}) {
        const operations::Draws draws(rate, seed, counter);
        ASSERT_EQ(draw_key(seed, counter), draws.key());
        for (std::int64_t at = 0; at < 2000; ++at) ASSERT_EQ(is_kept(draws.key(), draws.threshold(), at), draws.kept(at));
        const std::int64_t far = (std::int64_t{1} << 32) + 17;
        ASSERT_EQ(is_kept(draws.key(), draws.threshold(), far), draws.kept(far));
      }
}

// The softmax of a row in parts of any size, corrected as its maximum grows, has the sum and weights of the whole row.
TEST(CudaFunctors, SoftmaxByPartsIsSoftmax) {
  const Rng rng(7, "softmax");
  for (const std::size_t count : {1U, 31U, 64U, 65U, 200U}) {
    for (const std::size_t part : {1U, 7U, 32U, 64U}) {
      const float inverse_temperature = 0.5f;
      std::vector<float> x(count);
      double largest = -INFINITY, sum = 0;
      for (std::size_t i = 0; i < count; ++i) {
        x[i] = static_cast<float>(20 * rng.normal(0, i));
        largest = std::max(largest, static_cast<double>(x[i]));
      }
      for (const float value : x) sum += std::exp((static_cast<double>(value) - largest) * 0.5);
      RowState row = empty_row();
      for (std::size_t first = 0; first < count; first += part) {
        RowState here = empty_row();
        for (std::size_t i = first; i < std::min(count, first + part); ++i) here.m = std::fmax(here.m, x[i]);
        for (std::size_t i = first; i < std::min(count, first + part); ++i)
          here.total += weight_of(x[i], here.m, inverse_temperature);
        row = merged(row, here, inverse_temperature);
      }
      EXPECT_EQ(row.m, static_cast<float>(largest));
      EXPECT_NEAR(row.total, sum, 1e-5 * sum);
    }
  }
}

TEST(CudaFunctors, RowsWithNothingToAttendToWeighZero) {
  const float none = minus_infinity();
  EXPECT_EQ(weight_of(none, none, 1.0f), 0.0f);
  EXPECT_TRUE(std::isnan(weight_of(NAN, none, 1.0f)));
  EXPECT_TRUE(std::isnan(weight_of(NAN, 1.0f, 1.0f)));
  EXPECT_EQ(weight_of(none, 3.0f, 1.0f), 0.0f);
  EXPECT_EQ(correction_of(none, 2.0f, 1.0f), 1.0f);
  EXPECT_EQ(inverse_of(0.0f), 0.0f);
  EXPECT_EQ(inverse_of(4.0f), 0.25f);
  const RowState both = merged(empty_row(), empty_row(), 1.0f);
  EXPECT_EQ(both.m, none);
  EXPECT_EQ(both.total, 0.0f);
  const RowState one = merged(empty_row(), {2.0f, 3.0f}, 1.0f);
  EXPECT_EQ(one.m, 2.0f);
  EXPECT_EQ(one.total, 3.0f);
}

TEST(CudaFunctors, MasksFillOrAdd) {
  const std::uint8_t keep[] = {0, 1};
  const float bias[] = {-2.0f, 0.5f};
  EXPECT_EQ(masked_score(3.0f, keep, nullptr, 0, -1e9f), -1e9f);
  EXPECT_EQ(masked_score(3.0f, keep, nullptr, 1, -1e9f), 3.0f);
  EXPECT_EQ(masked_score(3.0f, nullptr, bias, 0, -1e9f), 1.0f);
  EXPECT_EQ(masked_score(3.0f, nullptr, nullptr, 0, -1e9f), 3.0f);
  const std::int64_t steps[] = {120, 0, 10, 1};  // one mask for all heads
  EXPECT_EQ(mask_cell(steps, 2, 5, 3, 4), 240 + 30 + 4);
}

// [batch, length, heads, d_k] to [batch, heads, length, d_k]; every place is used once.
TEST(CudaFunctors, HeadsMoveApart) {
  const std::int64_t batch = 2, length = 5, heads = 3, d_k = 4;
  std::vector<bool> taken(static_cast<std::size_t>(batch * length * heads * d_k), false);
  std::int64_t i = 0;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t at = 0; at < length; ++at)
      for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t k = 0; k < d_k; ++k, ++i) {
          const std::int64_t to = apart_index(i, length, heads, d_k);
          EXPECT_EQ(to, ((b * heads + h) * length + at) * d_k + k);
          EXPECT_FALSE(taken[static_cast<std::size_t>(to)]);
          taken[static_cast<std::size_t>(to)] = true;
        }
  // Beyond 2^31 elements.
  const std::int64_t large = std::int64_t{3} << 31;
  EXPECT_EQ(apart_index(large, 1, 1, 1), large);
}

TEST(CudaFunctors, TilesCoverTheTail) {
  EXPECT_EQ(tiles_of(1, 64), 1);
  EXPECT_EQ(tiles_of(64, 64), 1);
  EXPECT_EQ(tiles_of(65, 64), 2);
  EXPECT_EQ(tiles_of(std::int64_t{1} << 40, 64), std::int64_t{1} << 34);
}

// Layer normalisation as a warp computes it, in two passes over the row.
TEST(CudaFunctors, LayerNormRow) {
  const float x[] = {101.0f, 99.5f, 100.25f, 102.0f};
  const double mean = 100.6875;
  double variance = 0;
  for (const float value : x) variance += (value - mean) * (value - mean) / 4;
  for (const float value : x) {
    const double expected = 2.0 * (value - mean) / std::sqrt(variance + 1e-5) + 0.5;
    const auto deviation = static_cast<float>(std::sqrt(variance + 1e-5));
    EXPECT_NEAR(normalised(value, static_cast<float>(mean), deviation, 2.0f, 0.5f), expected, 1e-5);
  }
}

TEST(CudaFunctors, FourTermsOfACell) {
  const std::int64_t n = 3, l = 2, width = n + l;
  std::vector<float> table(static_cast<std::size_t>(width * width));
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i);
  const Terms t = terms_of(table.data(), width, n, 2, 0, 1, 1);  // symbols 2 and 1 at positions 0 and 1
  EXPECT_EQ(t.mm, 2 * 5 + 1);
  EXPECT_EQ(t.mp, 2 * 5 + 3 + 1);
  EXPECT_EQ(t.pm, 3 * 5 + 1);
  EXPECT_EQ(t.pp, 3 * 5 + 3 + 1);
  EXPECT_EQ(sum_of(t), t.mm + t.mp + t.pm + t.pp);
}

}  // namespace
}  // namespace headlight::backends::cuda
