// Products of the CPU backend on every instruction set this processor has: against double, in every form of B, and the packed
// weights that are kept between runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "engine/backends/cpu/levels.h"
#include "engine/backends/cpu/packed_weights.h"
#include "engine/backends/cpu/products.h"
#include "engine/core/rng.h"
#include "engine/operations/linear.h"

namespace headlight::backends {
namespace {

using cpu::Product;

std::vector<float> products_drawn(std::int64_t count, const char* name) {
  const Rng rng(5, name);
  std::vector<float> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(rng.normal(0, i));
  return x;
}

struct Sizes {
  std::int64_t rows, inner, columns;
};
// One row, one panel, a bit more and less than whole tiles, several row tiles, an inner size beyond a block, rows 4 KiB apart.
const std::vector<Sizes> kProductsSizes{{1, 1, 1},       {1, 300, 70},  {3, 5, 31},       {12, 16, 32},
                                        {13, 17, 33},    {32, 768, 96}, {50, 64, 100},    {97, 1100, 40},
                                        {130, 2048, 65}, {600, 33, 48}, {1030, 520, 130}, {52, 1024, 520}};

// A, B, B transposed and the bias of one size, and the exact sums.
struct Given {
  explicit Given(const Sizes& s) : sizes(s) {
    a = products_drawn(s.rows * s.inner, "a");
    b = products_drawn(s.inner * s.columns, "b");
    bias = products_drawn(s.columns, "bias");
    turned.resize(b.size());
    for (std::int64_t k = 0; k < s.inner; ++k)
      for (std::int64_t j = 0; j < s.columns; ++j) turned[at(j * s.inner + k)] = b[at(k * s.columns + j)];
    exact.assign(at(s.rows * s.columns), 0);
    for (std::int64_t r = 0; r < s.rows; ++r)
      for (std::int64_t k = 0; k < s.inner; ++k)
        for (std::int64_t j = 0; j < s.columns; ++j)
          exact[at(r * s.columns + j)] += static_cast<double>(a[at(r * s.inner + k)]) * b[at(k * s.columns + j)];
    for (std::size_t i = 0; i < exact.size(); ++i) exact[i] += bias[i % at(s.columns)];
  }
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  Product product(std::vector<float>& c) const {
    c.assign(exact.size(), -7.0f);
    return {.rows = sizes.rows,
            .inner = sizes.inner,
            .columns = sizes.columns,
            .a = a.data(),
            .lda = sizes.inner,
            .b = b.data(),
            .ldb = sizes.columns,
            .bias = bias.data(),
            .c = c.data(),
            .ldc = sizes.columns};
  }
  Sizes sizes;
  std::vector<float> a, b, turned, bias;
  std::vector<double> exact;
};

TEST(Products, AreExactToRoundingAndTheSameBitsInEveryFormOfB) {
  for (const Sizes& s : kProductsSizes) {
    const Given given(s);
    for (const cpu::Level& level : cpu::levels()) {
      const std::string what = level.id + " " + to_string(Shape{s.rows, s.inner, s.columns});
      std::vector<float> plain, turned, kept, alone;
      Product p = given.product(plain);
      ASSERT_TRUE(cpu::multiply(*level.kernels, std::span(&p, 1), {}));
      // Partial sums grow like sqrt(k), and each addition rounds one by half a unit of 6e-8: together about 5e-8 inner, and the
      // largest of thousands of sums some times that. A summand too many or too few is off by 1.
      const double most = 1e-6 + 4e-7 * static_cast<double>(s.inner);
      for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(plain[i], given.exact[i], most) << what << " at " << i;

      p = given.product(turned);
      p.b = given.turned.data();
      p.ldb = s.inner;
      p.b_transposed = true;
      ASSERT_TRUE(cpu::multiply(*level.kernels, std::span(&p, 1), {}));
      EXPECT_EQ(plain, turned) << what;

      std::vector<float> packed(Given::at(cpu::packed_size(*level.kernels, s.inner, s.columns)));
      ASSERT_TRUE(cpu::pack(*level.kernels, given.b.data(), s.columns, false, s.inner, s.columns, packed.data(), {}));
      p = given.product(kept);
      p.b = nullptr;
      p.packed = packed.data();
      ASSERT_TRUE(cpu::multiply(*level.kernels, std::span(&p, 1), {}));
      EXPECT_EQ(plain, kept) << what;

      // The same on one thread.
      std::vector<float> no_bias(Given::at(s.columns), 0.0f), expected;
      p = given.product(expected);
      p.bias = no_bias.data();
      ASSERT_TRUE(cpu::multiply(*level.kernels, std::span(&p, 1), {}));
      alone.assign(plain.size(), -7.0f);
      cpu::multiply_packed(*level.kernels, s.rows, s.inner, s.columns, given.a.data(), s.inner, packed.data(), alone.data(),
                           s.columns);
      EXPECT_EQ(expected, alone) << what;
    }
  }
}

// A as it lies or turned, C written or added to; a number more in each row of C, which stays as it was.
TEST(Products, SmallOnesAreTheSameBitsWithoutPacking) {
  for (const Sizes& s : {Sizes{1, 1, 1}, {3, 5, 31}, {8, 32, 16}, {13, 17, 33}, {32, 32, 16}, {33, 7, 48}, {64, 64, 64}}) {
    const Given given(s);
    std::vector<float> turned(given.a.size());
    for (std::int64_t r = 0; r < s.rows; ++r)
      for (std::int64_t k = 0; k < s.inner; ++k) turned[Given::at(k * s.rows + r)] = given.a[Given::at(r * s.inner + k)];
    for (const cpu::Level& level : cpu::levels()) {
      const std::string what = level.id + " " + to_string(Shape{s.rows, s.inner, s.columns});
      std::vector<float> packed(Given::at(cpu::packed_size(*level.kernels, s.inner, s.columns))), expected(given.exact.size());
      cpu::pack(*level.kernels, given.b.data(), s.columns, false, s.inner, s.columns, packed.data());
      cpu::multiply_packed(*level.kernels, s.rows, s.inner, s.columns, given.a.data(), s.inner, packed.data(), expected.data(),
                           s.columns);
      for (const bool turns : {false, true}) {
        const std::int64_t ldc = s.columns + 1;
        std::vector<float> c(Given::at(s.rows * ldc), 77.0f);
        const auto product = [&](bool more) {
          level.kernels->multiply_small(s.rows, s.inner, s.columns, turns ? turned.data() : given.a.data(), turns ? 1 : s.inner,
                                        turns ? s.rows : 1, given.b.data(), s.columns, more, c.data(), ldc);
        };
        product(false);
        for (std::int64_t r = 0; r < s.rows; ++r) {
          for (std::int64_t j = 0; j < s.columns; ++j)
            ASSERT_EQ(c[Given::at(r * ldc + j)], expected[Given::at(r * s.columns + j)])
                << what << " row " << r << " column " << j;
          ASSERT_EQ(c[Given::at(r * ldc + s.columns)], 77.0f) << what;
        }
        product(true);
        for (std::int64_t r = 0; r < s.rows; ++r)
          for (std::int64_t j = 0; j < s.columns; ++j)
            ASSERT_NEAR(c[Given::at(r * ldc + j)], 2 * expected[Given::at(r * s.columns + j)], 1e-4) << what;
      }
    }
  }
}

TEST(Products, RowsOfWiderArraysAndSeveralAtOnce) {
  const Sizes s{45, 130, 70};
  const Given given(s);
  constexpr std::int64_t kPad = 5;
  for (const cpu::Level& level : cpu::levels()) {
    const auto widened = [&](const std::vector<float>& x, std::int64_t rows, std::int64_t columns) {
      std::vector<float> y(Given::at(rows * (columns + kPad)), 1e30f);
      for (std::int64_t r = 0; r < rows; ++r)
        std::copy_n(&x[Given::at(r * columns)], columns, &y[Given::at(r * (columns + kPad))]);
      return y;
    };
    std::vector<float> plain, first, second;
    const Product p = given.product(plain);
    ASSERT_TRUE(cpu::multiply(*level.kernels, std::span(&p, 1), {}));
    const std::vector<float> a = widened(given.a, s.rows, s.inner), b = widened(given.b, s.inner, s.columns);
    Product both[2] = {given.product(first), given.product(second)};
    std::vector<float> c(Given::at(s.rows * (s.columns + kPad)), -7.0f);
    both[1].a = a.data();
    both[1].lda = s.inner + kPad;
    both[1].b = b.data();
    both[1].ldb = s.columns + kPad;
    both[1].c = c.data();
    both[1].ldc = s.columns + kPad;
    ASSERT_TRUE(cpu::multiply(*level.kernels, both, {}));
    EXPECT_EQ(first, plain) << level.id;
    for (std::int64_t r = 0; r < s.rows; ++r) {
      for (std::int64_t j = 0; j < s.columns + kPad; ++j) {
        const float expected = j < s.columns ? plain[Given::at(r * s.columns + j)] : -7.0f;
        ASSERT_EQ(c[Given::at(r * (s.columns + kPad) + j)], expected) << level.id << " row " << r << " column " << j;
      }
    }
  }
}

TEST(Products, ACancelledOneSaysSo) {
  const Given given({40, 64, 100});
  CancelSource source;
  source.cancel();
  const CancelToken cancel = source.token();
  for (const cpu::Level& level : cpu::levels()) {
    std::vector<float> c, packed(Given::at(cpu::packed_size(*level.kernels, 64, 100)));
    const Product p = given.product(c);
    EXPECT_FALSE(cpu::multiply(*level.kernels, std::span(&p, 1), cancel));
    EXPECT_FALSE(cpu::pack(*level.kernels, given.b.data(), 100, false, 64, 100, packed.data(), cancel));
  }
}

Tensor matrix(std::int64_t rows, std::int64_t columns, float first) {
  Tensor t(DType::f32, {rows, columns}, {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i) t.data<float>()[i] = first + static_cast<float>(i % 13);
  return t;
}

TEST(PackedWeights, AreMadeAtTheSecondSightAndGoWithTheMatrix) {
  for (const cpu::Level& level : cpu::levels()) {
    cpu::PackedWeights kept(*level.kernels, 1 << 20);
    Tensor w = matrix(70, 100, 1);
    EXPECT_EQ(kept.find(w, {}), nullptr) << "a run that happens once";
    EXPECT_EQ(kept.bytes(), 0u);
    const auto packed = kept.find(w, {});
    ASSERT_NE(packed, nullptr);
    EXPECT_EQ(kept.find(w, {}), packed);
    const auto size = cpu::packed_size(*level.kernels, 70, 100);
    EXPECT_EQ(kept.bytes(), static_cast<std::uint64_t>(size) * sizeof(float));
    std::vector<float> expected(static_cast<std::size_t>(size));
    cpu::pack(*level.kernels, w.data<float>(), 100, false, 70, 100, expected.data());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), packed.get())) << level.id;

    EXPECT_EQ(kept.find(w.reshaped({100, 70}), {}), nullptr) << "another matrix in the same memory";
    EXPECT_EQ(kept.bytes(), 0u);
    EXPECT_NE(kept.find(w.reshaped({100, 70}), {}), nullptr);
    EXPECT_GT(kept.bytes(), 0u);
    w = Tensor();
    EXPECT_EQ(kept.find(matrix(80, 80, 2), {}), nullptr);
    EXPECT_EQ(kept.bytes(), 0u) << "the released matrix's copy goes when the next one is asked for";
    EXPECT_EQ(packed.get()[0], 1.0f) << "who still computes with it may";
    EXPECT_EQ(kept.find(matrix(4, 4, 1), {}), nullptr);
    const Tensor small = matrix(4, 4, 1);
    kept.find(small, {});
    EXPECT_EQ(kept.find(small, {}), nullptr) << "too small to gain";
  }
}

TEST(PackedWeights, StayWithinTheirBoundAndMakeRoomForWhatIsUsed) {
  const cpu::Kernels& kernels = *cpu::levels().back().kernels;
  const auto each = static_cast<std::uint64_t>(cpu::packed_size(kernels, 64, 96)) * sizeof(float);
  cpu::PackedWeights kept(kernels, 2 * each);
  const std::vector<Tensor> all{matrix(64, 96, 1), matrix(64, 96, 2), matrix(64, 96, 3)};
  for (int round = 0; round < 5; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool found = kept.find(all[i], {}) != nullptr;
      EXPECT_EQ(found, round > 0 && i < 2) << "the first two stay: to drop them in turns would pack all of them always";
      EXPECT_LE(kept.bytes(), 2 * each);
    }
  bool found = false;
  for (int call = 0; call < 200; ++call) found = kept.find(all[2], {}) != nullptr;
  EXPECT_TRUE(found) << "the others have not been asked for in a long time";
  EXPECT_LE(kept.bytes(), 2 * each);
  EXPECT_EQ(kept.find(matrix(512, 512, 0), {}), nullptr) << "larger than all there is";
}

TEST(PackedWeights, ThreadsMayAskForTheSameMatrix) {
  const cpu::Kernels& kernels = *cpu::levels().back().kernels;
  cpu::PackedWeights kept(kernels, 1 << 24);
  const std::vector<Tensor> all{matrix(64, 96, 1), matrix(96, 64, 2), matrix(128, 128, 3)};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        const Tensor& w = all[static_cast<std::size_t>(i) % all.size()];
        const auto packed = kept.find(w, {});
        if (!packed) continue;
        EXPECT_EQ(packed.get()[0], w.data<float>()[0]);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(kept.bytes(), 0u);
}

// A run with other weights never uses the packed ones of an earlier run, also where the new ones lie in the same memory.
TEST(PackedWeights, OtherWeightsAtTheSameAddressAreOtherWeights) {
  for (const cpu::Level& level : cpu::levels()) {
    const std::shared_ptr<Backend> backend = *cpu::make(level.id);
    const Linear op{.rows = 3, .inner = 130, .columns = 200, .fixed_weights = true};
    const Tensor x = matrix(3, 130, -4);
    int same_address = 0;
    const std::byte* before = nullptr;
    for (int weights = 0; weights < 8; ++weights) {
      const Tensor w = matrix(130, 200, static_cast<float>(weights));
      same_address += w.raw() == before ? 1 : 0;
      before = w.raw();
      std::vector<Tensor> all{x, w};
      Tensor expected(DType::f32, {3, 200}, {}, true);
      ASSERT_TRUE(operations::compute(op, all, std::span(&expected, 1), {}).ok());
      for (int run = 0; run < 3; ++run) {
        const std::vector<Buffer> in{*backend->upload(x), *backend->upload(w)};
        const auto y = backend->apply(op, in);
        ASSERT_TRUE(y.ok()) << y.error().sentence();
        EXPECT_LT(difference((*y)[0].host, expected).max_abs, 1e-2) << level.id << " weights " << weights << " run " << run;
      }
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_GT(same_address, 0) << "the pool gives released memory out again, which is the case to be tested";
#endif
  }
}

}  // namespace
}  // namespace headlight::backends
