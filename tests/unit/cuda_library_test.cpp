// Products by cuBLASLt, with a stand-in for it: layouts, epilogues, rounding, and our own kernel where the library refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/backends/cuda/runtime/gpu.h"
#include "engine/core/rng.h"
#include "gpu/emulation/with_library.h"

namespace headlight::backends::cuda {
namespace {

// cublasStatus_t and cudaError_t, by their numbers.
constexpr int kAllocFailed = 3, kInvalidValue = 7, kArchMismatch = 8, kExecutionFailed = 13, kInternalError = 14,
              kNotSupported = 15;
constexpr int kOutOfMemoryStatus = 2, kIllegalAddress = 700;

std::vector<float> normal(const std::string& name, std::int64_t count) {
  const Rng rng(11, name);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(rng.normal(0, i));
  return values;
}

struct ProductSizes {
  std::int64_t rows, inner, columns;
  int matrices = 1;
  std::int64_t batches = 1;
  bool transposed = false, bias = true;
  int activation = 0;
};

double activated(int activation, double x) {
  switch (activation) {
    case 1: return x < 0 ? 0 : x;
    case 2: return x / 2 * std::erfc(-x / std::sqrt(2.0));
    case 3: return std::tanh(x);
    default: return x;
  }
}

// A call with its arrays; `shift` numbers before the last b put it out of alignment.
struct Call {
  explicit Call(const ProductSizes& s, Precision precision = kFloat32, std::int64_t shift = 0) : sizes(s), last_shift(shift) {
    a = normal("a", s.batches * s.rows * s.inner);
    bias = normal("bias", s.columns);
    for (int m = 0; m < s.matrices; ++m) {
      b.push_back(normal("b" + std::to_string(m), s.batches * s.inner * s.columns + shift));
      c.emplace_back(static_cast<std::size_t>(s.batches * s.rows * s.columns), NAN);
    }
    p.rows = p.split = s.rows;
    p.inner = p.a_row = s.inner;
    p.columns = p.c_row = s.columns;
    p.a = a.data();
    p.transposed = s.transposed;
    p.b_row = s.transposed ? s.inner : s.columns;
    p.bias = s.bias ? bias.data() : nullptr;
    p.activation = s.activation;
    p.matrices = s.matrices;
    for (int m = 0; m < s.matrices; ++m) {
      p.b[m] = values_of(m);
      p.c[m] = c[static_cast<std::size_t>(m)].data();
    }
    p.batch[0] = 1;
    p.batch[1] = s.batches;
    p.a_step[1] = s.rows * s.inner;
    p.b_step[1] = s.inner * s.columns;
    p.c_step[1] = s.rows * s.columns;
    p.precision = precision;
  }
  const float* values_of(int matrix) const {
    return b[static_cast<std::size_t>(matrix)].data() + (matrix + 1 == sizes.matrices ? last_shift : 0);
  }
  double largest_error() const {
    double largest = 0;
    for (int m = 0; m < sizes.matrices; ++m)
      for (std::int64_t z = 0; z < sizes.batches; ++z)
        for (std::int64_t i = 0; i < sizes.rows; ++i)
          for (std::int64_t j = 0; j < sizes.columns; ++j) {
            double sum = sizes.bias ? double{bias[static_cast<std::size_t>(j)]} : 0;
            const float* const right = values_of(m) + z * sizes.inner * sizes.columns;
            for (std::int64_t k = 0; k < sizes.inner; ++k)
              sum += double{a[static_cast<std::size_t>((z * sizes.rows + i) * sizes.inner + k)]} *
                     double{right[sizes.transposed ? j * sizes.inner + k : k * sizes.columns + j]};
            const double made =
                c[static_cast<std::size_t>(m)][static_cast<std::size_t>((z * sizes.rows + i) * sizes.columns + j)];
            const double error = std::abs(made - activated(sizes.activation, sum));
            if (!(error <= largest)) largest = error;  // NaN too
          }
    return largest;
  }
  ProductSizes sizes;
  std::int64_t last_shift;
  std::vector<float> a, bias;
  std::vector<std::vector<float>> b, c;
  ProductCall p{};
};

class CudaLibrary : public testing::Test {
 protected:
  void SetUp() override {
    emulation::set_devices(1);
    emulation::set_memory(std::uint64_t{1} << 30);
    before_ = emulation::live_allocations();
    objects_ = emulation::live_library_objects();
    Info info{};
    session_ = emulation::module().open(0, &info);
    ASSERT_NE(session_, nullptr);
    EXPECT_EQ(info.products, 130000);
  }
  void TearDown() override {
    emulation::module().close(session_);
    EXPECT_EQ(emulation::live_allocations(), before_) << "leaked";
    EXPECT_EQ(emulation::live_library_objects(), objects_) << "leaked";
  }
  bool make(const Call& call) { return emulation::module().product(session_, call.p) && emulation::module().wait(session_); }
  // The number of multiplications that the library was given for the call.
  std::int64_t by_library(const Call& call) {
    const std::int64_t before = emulation::library_products();
    EXPECT_TRUE(make(call)) << said_by(emulation::module());
    return emulation::library_products() - before;
  }

  const emulation::WithLibrary library_;
  Session* session_ = nullptr;
  std::int64_t before_ = 0;
  std::int64_t objects_ = 0;
};

constexpr double kExact = 2e-5;  // sums of up to 40 products of normal numbers

TEST_F(CudaLibrary, LayoutsAndEpiloguesAreThoseOfTheCall) {
  for (const ProductSizes& sizes : {ProductSizes{5, 7, 3}, ProductSizes{33, 40, 17, 1, 1, true}, ProductSizes{8, 16, 4, 3},
                                    ProductSizes{6, 5, 9, 1, 4, false, false}, ProductSizes{6, 5, 9, 1, 4, true, false},
                                    ProductSizes{1, 1, 1, 1, 1, false, false}}) {
    for (const int activation : {0, 1, 2, 3}) {
      ProductSizes s = sizes;
      s.activation = activation;
      const Call call(s);
      const bool has_no_epilogue = activation > 1 && (s.matrices > 1 || s.batches > 1);
      EXPECT_EQ(by_library(call), has_no_epilogue ? 0 : s.matrices) << "rows " << s.rows << ", activation " << activation;
      EXPECT_LT(call.largest_error(), kExact) << "rows " << s.rows << ", activation " << activation;
    }
  }
}

TEST_F(CudaLibrary, PrecisionsRoundTheOperands) {
  const ProductSizes s{33, 40, 17};
  const Call exact(s), tf32(s, kTensorFloat32), bf16(s, kBrainFloat16);
  EXPECT_EQ(by_library(exact) + by_library(tf32) + by_library(bf16), 3);
  EXPECT_LT(exact.largest_error(), kExact);
  EXPECT_GT(tf32.largest_error(), kExact);
  EXPECT_LT(tf32.largest_error(), 2e-2);
  EXPECT_GT(bf16.largest_error(), tf32.largest_error());
  EXPECT_LT(bf16.largest_error(), 2e-1);
}

TEST_F(CudaLibrary, WhatItHasNoAlgorithmForTheOwnKernelDoes) {
  emulation::refuse_products(kNotSupported, 0, 0);
  const Call call({33, 40, 17, 3});
  EXPECT_EQ(by_library(call), 0);
  EXPECT_LT(call.largest_error(), kExact);
}

TEST_F(CudaLibrary, WhatItRefusesToMultiplyTheOwnKernelDoesAndItIsNotAskedAgain) {
  std::int64_t rows = 3;
  for (const int status : {kNotSupported, kInvalidValue, kArchMismatch, kAllocFailed, kInternalError}) {
    Call call({++rows, 8, 5, 2});
    emulation::refuse_products(0, status, status == kAllocFailed ? kOutOfMemoryStatus : 0);
    EXPECT_EQ(by_library(call), 0);
    EXPECT_LT(call.largest_error(), kExact) << "status " << status;
    emulation::refuse_products(0, 0, 0);
    for (auto& matrix : call.c) std::fill(matrix.begin(), matrix.end(), NAN);
    EXPECT_EQ(by_library(call), 0) << "status " << status;
    EXPECT_LT(call.largest_error(), kExact);
  }
}

TEST_F(CudaLibrary, AnErrorOfTheGpuIsNoRefusal) {
  emulation::refuse_products(0, kExecutionFailed, 0);
  EXPECT_FALSE(make(Call({4, 8, 5})));
  EXPECT_EQ(emulation::module().failure(), kOther);
  for (const int status : {kExecutionFailed, kInternalError}) {
    emulation::refuse_products(0, status, kIllegalAddress);
    EXPECT_FALSE(make(Call({4, 8, 5})));
    EXPECT_EQ(emulation::module().failure(), kLost);
  }
}

// Algorithms for all three are chosen before the first is multiplied: none is left out because its alignment differs from the
// first.
TEST_F(CudaLibrary, OneMatrixOfAnotherAlignmentGivesAllToTheOwnKernel) {
  emulation::set_least_alignment(8);
  const ProductSizes s{12, 16, 8, 3};
  const Call aligned(s), shifted(s, kFloat32, 1);
  EXPECT_EQ(by_library(aligned), 3);
  EXPECT_LT(aligned.largest_error(), kExact);
  EXPECT_EQ(by_library(shifted), 0);
  EXPECT_LT(shifted.largest_error(), kExact);
}

TEST_F(CudaLibrary, AddressesOfOtherAlignmentsAreChosenForAnew) {
  const ProductSizes s{12, 16, 8};
  for (const std::int64_t shift : {0, 1, 2, 3}) {
    const Call call(s, kFloat32, shift);
    EXPECT_EQ(by_library(call), 1);
    EXPECT_LT(call.largest_error(), kExact);
  }
}

TEST_F(CudaLibrary, MoreBatchesThanAGridHoldsAreTheOwnKernels) {
  const Call most({1, 2, 1, 1, 65535, false, false}), more({1, 2, 1, 1, 65536, false, false});
  EXPECT_EQ(by_library(most), 1);
  EXPECT_LT(most.largest_error(), kExact);
  emulation::module().fail_call(2, false);  // the launch, which follows selecting the device: so many blocks would take long here
  const std::int64_t before = emulation::library_products(), launches = emulation::launches();
  EXPECT_FALSE(make(more));
  emulation::module().fail_call(0, false);
  EXPECT_EQ(emulation::library_products(), before);
  EXPECT_EQ(emulation::launches(), launches);
}

TEST_F(CudaLibrary, SmallProductsAreTheOwnKernelsUnlessAskedFor) {
  ::unsetenv("HEADLIGHT_CUDA_PRODUCTS");
  Info info{};
  Session* session = emulation::module().open(0, &info);
  std::swap(session, session_);
  EXPECT_EQ(by_library(Call({32, 32, 32})), 0);
  const Call large({520, 128, 520});
  EXPECT_EQ(by_library(large), 1);
  EXPECT_LT(large.largest_error(), 1e-4);
  std::swap(session, session_);
  emulation::module().close(session);
}

}  // namespace
}  // namespace headlight::backends::cuda
