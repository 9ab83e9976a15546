// The kernel for products of few tiles alone, on the emulated module: divided among clusters, on the tensor cores, several
// matrices as one, rows from two arrays, batches with two strides.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "engine/backends/cuda/runtime/gpu.h"
#include "engine/core/rng.h"
#include "gpu/emulation/emulated_module.h"

namespace headlight::backends::cuda {
namespace {

std::vector<float> product_normal(const std::string& name, std::int64_t count) {
  const Rng rng(7, name);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(rng.normal(0, i));
  return values;
}

struct CudaProductSizes {
  std::int64_t rows, inner, columns;
  int matrices;
  std::int64_t split;  // rows of the first array
  bool transposed;
  std::int64_t outer, heads;
};

// Every array of a case, and the products in double.
struct Case {
  explicit Case(const CudaProductSizes& s) : sizes(s) {
    const std::int64_t batches = s.outer * s.heads;
    a = product_normal("a", batches * s.rows * s.inner);
    for (int m = 0; m < s.matrices; ++m) {
      b.push_back(product_normal("b" + std::to_string(m), batches * s.inner * s.columns));
      c.emplace_back(static_cast<std::size_t>(batches * s.rows * s.columns), -1.0f);
    }
    bias = product_normal("bias", s.columns);
  }
  ProductCall call(Precision precision) {
    ProductCall p{};
    p.rows = sizes.rows;
    p.inner = sizes.inner;
    p.columns = sizes.columns;
    p.a = a.data();
    p.split = sizes.split;
    p.a2 = sizes.split < sizes.rows ? a.data() + sizes.split * sizes.inner : nullptr;
    p.a_row = sizes.inner;
    p.transposed = sizes.transposed;
    p.b_row = sizes.transposed ? sizes.inner : sizes.columns;
    p.c_row = sizes.columns;
    p.matrices = sizes.matrices;
    for (int m = 0; m < sizes.matrices; ++m) {
      p.b[m] = b[static_cast<std::size_t>(m)].data();
      p.c[m] = c[static_cast<std::size_t>(m)].data();
    }
    p.bias = bias.data();
    p.activation = 1;
    p.batch[0] = sizes.outer;
    p.batch[1] = sizes.heads;
    const std::int64_t steps[] = {sizes.heads, 1};
    for (int i = 0; i < 2; ++i) {
      p.a_step[i] = steps[i] * sizes.rows * sizes.inner;
      p.b_step[i] = steps[i] * sizes.inner * sizes.columns;
      p.c_step[i] = steps[i] * sizes.rows * sizes.columns;
    }
    p.precision = precision;
    return p;
  }
  double expected(int matrix, std::int64_t batch, std::int64_t row, std::int64_t column) const {
    double sum = bias[static_cast<std::size_t>(column)];
    for (std::int64_t k = 0; k < sizes.inner; ++k) {
      const auto at_a = (batch * sizes.rows + row) * sizes.inner + k;
      const auto at_b =
          batch * sizes.inner * sizes.columns + (sizes.transposed ? column * sizes.inner + k : k * sizes.columns + column);
      sum +=
          double{a[static_cast<std::size_t>(at_a)]} * double{b[static_cast<std::size_t>(matrix)][static_cast<std::size_t>(at_b)]};
    }
    return sum > 0 ? sum : 0;
  }
  double largest_error() const {
    double largest = 0;
    for (int m = 0; m < sizes.matrices; ++m)
      for (std::int64_t batch = 0; batch < sizes.outer * sizes.heads; ++batch)
        for (std::int64_t row = 0; row < sizes.rows; ++row)
          for (std::int64_t column = 0; column < sizes.columns; ++column) {
            const float made =
                c[static_cast<std::size_t>(m)][static_cast<std::size_t>((batch * sizes.rows + row) * sizes.columns + column)];
            const double error = std::abs(made - expected(m, batch, row, column));
            if (!(error <= largest)) largest = error;  // NaN too
          }
    return largest / std::sqrt(static_cast<double>(sizes.inner));
  }

  CudaProductSizes sizes;
  std::vector<float> a, bias;
  std::vector<std::vector<float>> b, c;
};

class CudaProduct : public testing::Test {
 protected:
  void SetUp() override {
    emulation::set_multiprocessors(132);
    Info info{};
    session_ = emulation::module().open(0, &info);
    ASSERT_NE(session_, nullptr);
  }
  void TearDown() override {
    emulation::module().close(session_);
    emulation::set_multiprocessors(4);
    emulation::set_backwards(false);
  }
  void make(const ProductCall& call) {
    ASSERT_TRUE(emulation::module().product(session_, call) && emulation::module().wait(session_))
        << said_by(emulation::module());
  }

  Session* session_ = nullptr;
};

constexpr CudaProductSizes kCases[] = {
    {96, 512, 96, 3, 64, false, 1, 1},  // index-based attention's projections, narrower
    {96, 512, 96, 1, 96, true, 1, 1},   // its table
    {96, 64, 96, 1, 96, true, 1, 8},    // the same for eight heads
    {33, 132, 36, 2, 7, false, 1, 1},   // sizes that nothing divides
    {1, 4, 4, 1, 1, false, 1, 1},       // the smallest
    {32, 64, 32, 1, 32, true, 3, 2},    // scores of words and heads
    {130, 260, 68, 1, 130, false, 1, 1},
};

TEST_F(CudaProduct, AgreesWithDouble) {
  for (const bool backwards : {false, true}) {
    emulation::set_backwards(backwards);
    for (const CudaProductSizes& sizes : kCases) {
      SCOPED_TRACE("rows " + std::to_string(sizes.rows) + ", inner " + std::to_string(sizes.inner));
      Case exact(sizes), tf32(sizes), bf16(sizes);
      make(exact.call(kFloat32));
      EXPECT_LT(exact.largest_error(), 2e-6);
      make(tf32.call(kTensorFloat32));
      EXPECT_LT(tf32.largest_error(), 4e-3);
      EXPECT_GT(tf32.largest_error(), exact.largest_error()) << "rounded: it ran on the tensor cores";
      make(bf16.call(kBrainFloat16));
      EXPECT_LT(bf16.largest_error(), 3e-2);
      EXPECT_GT(bf16.largest_error(), tf32.largest_error());
    }
  }
}

TEST_F(CudaProduct, IsSplitOverAClusterWhereTilesAreFew) {
  Case projections(kCases[0]);
  make(projections.call(kFloat32));
  EXPECT_EQ(emulation::last_cluster(), 8) << "three tiles of 96 x 96, 512 to add up";
  Case short_one({96, 128, 96, 1, 96, false, 1, 1});
  make(short_one.call(kFloat32));
  EXPECT_EQ(emulation::last_cluster(), 2) << "128 to add up are two blocks' parts";
  Case many({32, 512, 32, 1, 32, true, 20, 8});
  make(many.call(kTensorFloat32));
  EXPECT_EQ(emulation::last_cluster(), 1) << "160 tiles fill 132 multiprocessors";
}

// Shares are added in the order of the ranks, not in the order in which they are ready.
TEST_F(CudaProduct, GivesTheSameNumbersInEitherOrderOfThreads) {
  Case forwards(kCases[0]), backwards(kCases[0]);
  make(forwards.call(kFloat32));
  emulation::set_backwards(true);
  make(backwards.call(kFloat32));
  EXPECT_EQ(forwards.c, backwards.c);
}

TEST_F(CudaProduct, AZeroMeetsNoNaNWhereItMustNot) {
  for (const Precision precision : {kFloat32, kTensorFloat32, kBrainFloat16}) {
    Case with({20, 96, 64, 1, 20, false, 1, 1});
    constexpr std::size_t kPoisoned = 11, kInner = 96, kColumns = 64;
    for (std::size_t row = 0; row < 20; ++row)
      if (row != 3) with.a[row * kInner + kPoisoned] = 0.0f;
    for (std::size_t column = 0; column < kColumns; column += 2)
      with.b[0][kPoisoned * kColumns + column] = std::numeric_limits<float>::quiet_NaN();
    ProductCall call = with.call(precision);
    call.skip_zeros = true;
    call.activation = 0;
    make(call);
    for (std::size_t row = 0; row < 20; ++row)
      for (std::size_t column = 0; column < kColumns; ++column)
        EXPECT_EQ(std::isnan(with.c[0][row * kColumns + column]), row == 3 && column % 2 == 0) << row << ", " << column;
  }
}

// HEADLIGHT_CUDA_PRODUCTS selects a kernel, to compare their times.
TEST_F(CudaProduct, ThePlainKernelIsChosenByName) {
  Case split(kCases[0]), plain(kCases[0]);
  make(split.call(kFloat32));
  setenv("HEADLIGHT_CUDA_PRODUCTS", "plain", 1);
  make(plain.call(kFloat32));
  unsetenv("HEADLIGHT_CUDA_PRODUCTS");
  EXPECT_EQ(emulation::last_cluster(), 1);
  EXPECT_LT(plain.largest_error(), 5e-6);
  EXPECT_NE(plain.c, split.c) << "sums in another order";
}

// Arrays that are not aligned to four numbers use the plain kernel.
TEST_F(CudaProduct, UnalignedArraysAreDoneAsWell) {
  Case odd({50, 33, 10, 1, 50, false, 1, 1});
  make(odd.call(kTensorFloat32));
  EXPECT_LT(odd.largest_error(), 2e-6) << "in float32";
}

}  // namespace
}  // namespace headlight::backends::cuda
