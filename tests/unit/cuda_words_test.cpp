// Index-based attention from its tables to the result in one launch, on the emulated module, against plain loops in double.
#include <gtest/gtest.h>

#include <algorithm>
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

struct CudaWordsSizes {
  std::int64_t words, heads, length, vocabulary, d_k;
  std::int32_t pad;
};

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

struct WordCase {
  explicit WordCase(const CudaWordsSizes& s, double spread = 1) : sizes(s), width(s.vocabulary + s.length) {
    const Rng rng(3, "words");
    std::uint64_t draw = 0;
    table.resize(at(s.heads * width * width));
    for (float& x : table) x = static_cast<float>(spread * rng.normal(0, draw++));
    values.resize(at(width * s.heads * s.d_k));
    for (float& x : values) x = static_cast<float>(rng.normal(0, draw++));
    for (std::int64_t i = 0; i < s.words * s.length; ++i)
      ids.push_back(static_cast<std::int32_t>((i * 7 + i / 5) % s.vocabulary));
    if (s.pad >= 0)  // the second word is only padding
      for (std::int64_t j = 0; j < s.length && s.words > 1; ++j) ids[at(s.length + j)] = s.pad;
    score.assign(at(s.words * s.heads * s.length), -1.0f);
    result.assign(at(s.words * s.heads * s.d_k), -1.0f);
  }
  PoolCall call(Precision precision) {
    PoolCall c{};
    c.words = sizes.words;
    c.heads = sizes.heads;
    c.length = sizes.length;
    c.vocabulary = sizes.vocabulary;
    c.ids = ids.data();
    c.table = table.data();
    c.scale = 0.3f;
    c.pad = sizes.pad;
    c.score = score.data();
    c.precision = precision;
    c.d_k = sizes.d_k;
    c.values = values.data();
    c.result = result.data();
    return c;
  }
  // Scores and result of one word and head in double, by the plain formula: softmax of each query, their mean, the weighted sum
  // of the values.
  void expect(std::int64_t w, std::int64_t h, std::vector<double>* scores, std::vector<double>* results) const {
    const std::int64_t l = sizes.length, n = sizes.vocabulary;
    const float* const t = table.data() + h * width * width;
    const std::int32_t* const id = ids.data() + w * l;
    scores->assign(at(l), 0);
    int queries = 0;
    for (std::int64_t i = 0; i < l; ++i) {
      if (id[i] == sizes.pad) continue;
      ++queries;
      std::vector<double> x(at(l), -std::numeric_limits<double>::infinity());
      double most = x[0], total = 0;
      for (std::int64_t j = 0; j < l; ++j) {
        if (id[j] == sizes.pad) continue;
        x[at(j)] = 0.3 * (double{t[id[i] * width + id[j]]} + t[id[i] * width + n + j] + t[(n + i) * width + id[j]] +
                          t[(n + i) * width + n + j]);
        most = std::max(most, x[at(j)]);
      }
      for (double& cell : x) total += cell = std::exp(cell - most);
      for (std::int64_t j = 0; j < l; ++j) (*scores)[at(j)] += x[at(j)] / total;
    }
    results->assign(at(sizes.d_k), 0);
    for (std::int64_t j = 0; j < l && queries > 0; ++j) {
      (*scores)[at(j)] /= queries;
      for (std::int64_t d = 0; d < sizes.d_k; ++d) {
        const std::int64_t column = h * sizes.d_k + d, across = sizes.heads * sizes.d_k;
        (*results)[at(d)] +=
            (*scores)[at(j)] * (double{values[at(id[j] * across + column)]} + values[at((n + j) * across + column)]);
      }
    }
  }
  struct Errors {
    double score = 0, result = 0;
  };
  Errors largest_errors() const {
    Errors largest;
    const auto meet = [](double& most, double error) {
      if (!(error <= most)) most = error;  // NaN too
    };
    std::vector<double> scores, results;
    for (std::int64_t w = 0; w < sizes.words; ++w)
      for (std::int64_t h = 0; h < sizes.heads; ++h) {
        expect(w, h, &scores, &results);
        for (std::int64_t j = 0; j < sizes.length; ++j)
          meet(largest.score, std::abs(score[at((w * sizes.heads + h) * sizes.length + j)] - scores[at(j)]));
        for (std::int64_t d = 0; d < sizes.d_k; ++d)
          meet(largest.result, std::abs(result[at((w * sizes.heads + h) * sizes.d_k + d)] - results[at(d)]));
      }
    return largest;
  }

  CudaWordsSizes sizes;
  std::int64_t width;
  std::vector<float> table, values, score, result;
  std::vector<std::int32_t> ids;
};

class CudaWords : public testing::Test {
 protected:
  void SetUp() override { open(132); }
  void TearDown() override {
    emulation::module().close(session_);
    emulation::set_multiprocessors(4);
    emulation::set_backwards(false);
  }
  void open(int multiprocessors) {
    if (session_) emulation::module().close(session_);
    emulation::set_multiprocessors(multiprocessors);
    Info info{};
    session_ = emulation::module().open(0, &info);
    ASSERT_NE(session_, nullptr);
  }
  void make(const PoolCall& call) {
    ASSERT_TRUE(emulation::module().pools_to_result(session_, call));
    ASSERT_TRUE(emulation::module().pool(session_, call)) << said_by(emulation::module());
    ASSERT_TRUE(emulation::module().wait(session_)) << said_by(emulation::module());
  }

  Session* session_ = nullptr;
};

constexpr CudaWordsSizes kWordCases[] = {
    {20, 1, 32, 64, 512, -1},  // the notebook's layer, fewer words
    {5, 2, 8, 9, 36, 0},       // padding, two heads, a table of odd size
    {1, 1, 1, 1, 4, -1},       // the smallest
    {18, 1, 33, 20, 128, 3},   // more keys than lanes, one query in a chunk of its own
    {3, 1, 70, 12, 200, -1},   // three keys per lane
    {17, 3, 5, 30, 64, 2},
};

TEST_F(CudaWords, AgreesWithDouble) {
  for (const bool backwards : {false, true}) {
    emulation::set_backwards(backwards);
    for (const CudaWordsSizes& sizes : kWordCases) {
      SCOPED_TRACE("words " + std::to_string(sizes.words) + ", length " + std::to_string(sizes.length));
      WordCase exact(sizes), tf32(sizes), bf16(sizes);
      make(exact.call(kFloat32));
      EXPECT_LT(exact.largest_errors().score, 1e-6);
      EXPECT_LT(exact.largest_errors().result, 3e-6);
      make(tf32.call(kTensorFloat32));
      EXPECT_EQ(tf32.score, exact.score) << "look-up and softmax stay in float32";
      EXPECT_LT(tf32.largest_errors().result, 5e-3);
      make(bf16.call(kBrainFloat16));
      EXPECT_LT(bf16.largest_errors().score, 2e-2);
      EXPECT_LT(bf16.largest_errors().result, 8e-2);
      if (sizes.words > 1 && sizes.pad >= 0) {
        EXPECT_EQ(exact.result[at(sizes.heads * sizes.d_k)], 0.0f) << "a word of padding alone";
      }
    }
  }
}

// With one multiprocessor for all words, e^ of the table is worth computing; a table of large numbers must not overflow.
TEST_F(CudaWords, ExponentialsOfTheTableGiveTheSame) {
  constexpr CudaWordsSizes kMany{200, 1, 16, 40, 32, 1};
  WordCase few(kMany), many(kMany);
  make(few.call(kFloat32));
  open(1);
  make(many.call(kFloat32));
  EXPECT_NE(many.score, few.score) << "another way to the same numbers";
  EXPECT_LT(many.largest_errors().score, 1e-6);
  EXPECT_LT(many.largest_errors().result, 3e-6);
  WordCase large(kMany, 300);
  make(large.call(kFloat32));
  EXPECT_LT(large.largest_errors().score, 1e-5) << "scores of hundreds: the largest one is subtracted";
}

// HEADLIGHT_CUDA_ISDPA selects a method, to compare their times.
TEST_F(CudaWords, AWayIsChosenByName) {
  constexpr CudaWordsSizes kFew{4, 1, 8, 30, 32, 1};
  const auto score_by = [&](const char* way) {
    setenv("HEADLIGHT_CUDA_ISDPA", way, 1);
    WordCase c(kFew);
    make(c.call(kFloat32));
    EXPECT_LT(c.largest_errors().result, 3e-6);
    return c.score;
  };
  EXPECT_NE(score_by("exponentials"), score_by("scores"));
  setenv("HEADLIGHT_CUDA_ISDPA", "steps", 1);
  WordCase c(kFew);
  EXPECT_FALSE(emulation::module().pools_to_result(session_, c.call(kFloat32)));
  unsetenv("HEADLIGHT_CUDA_ISDPA");
}

TEST_F(CudaWords, AWordWithoutASymbolDoesNotMeetItsNaN) {
  for (const Precision precision : {kFloat32, kTensorFloat32, kBrainFloat16}) {
    WordCase c({4, 1, 3, 10, 64, -1});
    for (std::int64_t i = 0; i < 12; ++i) c.ids[at(i)] = static_cast<std::int32_t>(i % 3);
    c.ids[4] = 7;  // only in the second word
    for (std::int64_t d = 0; d < 64; ++d) c.values[at(7 * 64 + d)] = d % 2 ? std::numeric_limits<float>::quiet_NaN() : 1.0f;
    make(c.call(precision));
    for (std::int64_t w = 0; w < 4; ++w)
      for (std::int64_t d = 0; d < 64; ++d)
        EXPECT_EQ(std::isnan(c.result[at(w * 64 + d)]), w == 1 && d % 2 == 1) << w << ", " << d;
  }
}

TEST_F(CudaWords, TablesTooLargeAndOtherOutputsAreLeftToOtherKernels) {
  const auto done = [&](const CudaWordsSizes& s, Precision precision) {
    WordCase c(s);
    return emulation::module().pools_to_result(session_, c.call(precision));
  };
  EXPECT_TRUE(done({4, 1, 32, 140, 512, -1}, kTensorFloat32)) << "118 KiB of table";
  EXPECT_FALSE(done({4, 1, 32, 240, 512, -1}, kTensorFloat32)) << "290 KiB";
  EXPECT_TRUE(done({4, 1, 32, 200, 256, -1}, kBrainFloat16)) << "two bytes a number";
  EXPECT_FALSE(done({4, 1, 129, 4, 64, -1}, kFloat32)) << "longer words";
  EXPECT_FALSE(done({4, 1, 8, 4, 33, -1}, kFloat32)) << "columns that no four divide";
  WordCase c({4, 1, 8, 4, 64, -1});
  PoolCall call = c.call(kFloat32);
  std::vector<float> qk(4 * 8 * 8);
  call.qk = qk.data();
  EXPECT_FALSE(emulation::module().pools_to_result(session_, call));
}

}  // namespace
}  // namespace headlight::backends::cuda
