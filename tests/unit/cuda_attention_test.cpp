// Compares the fast attention kernels with the plain one, launch by launch, on the emulated module: tails of every tile, wide
// heads, and that the intended kernel really ran.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/backends/cuda/runtime/gpu.h"
#include "engine/core/rng.h"
#include "gpu/emulation/emulated_module.h"

namespace headlight::backends::cuda {
namespace {

struct Sizes {
  std::int64_t batch, heads, kv_heads, queries, keys, d_k, d_v;
};

std::vector<float> draw(const char* name, std::int64_t count) {
  const Rng rng(11, name);
  std::vector<float> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(rng.normal(0, i));
  return x;
}

struct Outputs {
  std::vector<float> context, weights, masked;
};

struct Mask {
  enum Kind { none, keep, bias } kind = keep;
  float fill = -INFINITY;
};

class CudaAttention : public testing::TestWithParam<Sizes> {
 protected:
  Outputs attend(const Sizes& s, Precision precision, bool simple, bool maps = true, bool workspace = false,
                 const Mask& mask = {}) {
    Info info{};
    Session* const session = emulation::module().open(0, &info);
    EXPECT_NE(session, nullptr);
    const auto q = draw("q", s.batch * s.heads * s.queries * s.d_k), k = draw("k", s.batch * s.kv_heads * s.keys * s.d_k),
               v = draw("v", s.batch * s.kv_heads * s.keys * s.d_v);
    std::vector<std::uint8_t> keep(static_cast<std::size_t>(s.queries * s.keys));
    for (std::int64_t i = 0; i < s.queries; ++i)  // row 2 may attend to nothing
      for (std::int64_t j = 0; j < s.keys; ++j) keep[static_cast<std::size_t>(i * s.keys + j)] = i != 2 && (i + 2 * j) % 5 != 0;
    const std::vector<float> bias = draw("bias", s.heads * s.queries * s.keys);
    Outputs out;
    out.context.assign(static_cast<std::size_t>(s.batch * s.heads * s.queries * s.d_v), NAN);
    out.weights.assign(static_cast<std::size_t>(s.batch * s.heads * s.queries * s.keys), NAN);
    out.masked = out.weights;
    AttentionCall c{};
    c.batch = s.batch;
    c.heads = s.heads;
    c.kv_heads = s.kv_heads;
    c.queries = s.queries;
    c.keys = s.keys;
    c.d_k = s.d_k;
    c.d_v = s.d_v;
    c.scale = 1 / std::sqrt(static_cast<float>(s.d_k));
    c.inverse_temperature = 0.8f;
    c.fill = mask.fill;
    c.q = q.data();
    c.k = k.data();
    c.v = v.data();
    if (mask.kind == Mask::keep) c.keep = keep.data();
    if (mask.kind == Mask::bias) {
      c.bias = bias.data();
      c.mask_step[1] = s.queries * s.keys;
    }
    c.mask_step[2] = s.keys;
    c.mask_step[3] = 1;
    // Filled with NaN, which must not appear in any result.
    std::vector<std::uint32_t> memory(
        workspace ? static_cast<std::size_t>(2 * s.batch * s.kv_heads * ((s.keys + 63) / 64 * 64)) * 64 : 0, 0xffffffffu);
    c.workspace = workspace ? memory.data() : nullptr;
    c.context = out.context.data();
    if (maps) {
      c.weights = out.weights.data();
      if (!workspace) c.masked = out.masked.data();
    }
    c.precision = precision;
    c.simple = simple;
    EXPECT_TRUE(emulation::module().attention(session, c)) << said_by(emulation::module());
    kernel_ = emulation::module().kernel(session);
    emulation::module().close(session);
    return out;
  }
  // The largest difference, relative to the largest value; -inf must meet -inf. NaN (an unwritten cell) counts as infinitely
  // wrong.
  static double apart(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = 0, most = 1e-30;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::isinf(a[i]) && a[i] == b[i]) continue;
      const double difference = std::abs(static_cast<double>(a[i]) - b[i]);
      if (!(difference < INFINITY)) return INFINITY;
      largest = std::max(largest, difference);
      most = std::max(most, std::abs(static_cast<double>(b[i])));
    }
    return largest / most;
  }
  std::string kernel_;  // of the last attend()
};

TEST_P(CudaAttention, FastKernelsAgreeWithThePlainOne) {
  const Sizes s = GetParam();
  const Outputs plain = attend(s, kFloat32, true);
  EXPECT_EQ(kernel_, "attention_simple");
  for (const bool backwards : {false, true}) {
    emulation::set_backwards(backwards);
    const Outputs tiled = attend(s, kFloat32, false);
    EXPECT_LE(apart(tiled.context, plain.context), 5e-6);
    EXPECT_LE(apart(tiled.weights, plain.weights), 5e-6);
    EXPECT_LE(apart(tiled.masked, plain.masked), 5e-6);
    const Outputs fused = attend(s, kFloat32, false, false);
    EXPECT_LE(apart(fused.context, plain.context), 5e-6) << "without maps";
    // tf32 operands have errors of 2^-11, bf16 of 2^-8.
    for (const auto& [precision, limit] : {std::pair{kTensorFloat32, 4e-3}, {kBrainFloat16, 3e-2}}) {
      const Outputs rounded = attend(s, precision, false);
      EXPECT_LE(apart(rounded.context, plain.context), limit) << precision;
      EXPECT_LE(apart(rounded.weights, plain.weights), limit) << precision;
      EXPECT_LE(apart(rounded.masked, plain.masked), limit) << precision;
      const Outputs no_maps = attend(s, precision, false, false);
      EXPECT_LE(apart(no_maps.context, plain.context), limit) << precision << ", without maps";
      const bool is_tensor_kernel = s.d_k <= 128 && s.d_v <= 128 && s.keys > 8;
      EXPECT_EQ(kernel_ == "attention_tensor", s.d_k <= 128 && s.d_v <= 128) << kernel_;
      if (is_tensor_kernel) {
        EXPECT_GT(apart(rounded.context, plain.context), 1e-6) << "rounded operands show";
      }
    }
  }
  emulation::set_backwards(false);
}

TEST_P(CudaAttention, RowsOfFoursAreReadAsTheyAre) {
  const Sizes s = GetParam();
  const bool by_fours = s.d_k % 4 == 0 && s.d_v % 4 == 0 && s.d_k <= 64 && s.d_v <= 64;
  for (const Mask mask : {Mask{Mask::keep, -1e9f}, Mask{Mask::bias, -INFINITY}, Mask{Mask::none, 0}})
    for (const bool maps : {false, true}) {
      const Outputs plain = attend(s, kFloat32, true, maps, true, mask), made = attend(s, kFloat32, false, maps, true, mask);
      EXPECT_LE(apart(made.context, plain.context), 5e-6) << "mask " << mask.kind;
      if (maps) {
        EXPECT_LE(apart(made.weights, plain.weights), 5e-6) << "mask " << mask.kind;
      }
      EXPECT_EQ(kernel_ == "attention_fused", by_fours) << kernel_;
    }
}

// Keys and values rounded to tiles by a launch before: with a workspace, and nothing kept but the weights.
TEST_P(CudaAttention, RoundedTilesAgreeWithThePlainKernel) {
  const Sizes s = GetParam();
  const bool narrow = s.d_k <= 64 && s.d_v <= 64;
  ::setenv("HEADLIGHT_CUDA_ATTENTION", "tensor", 1);
  for (const Mask mask : {Mask{Mask::keep, -INFINITY}, Mask{Mask::keep, -1e9f}, Mask{Mask::bias, -INFINITY}, Mask{Mask::none, 0}})
    for (const bool maps : {false, true}) {
      const Outputs plain = attend(s, kFloat32, true, maps, false, mask);
      for (const auto& [precision, limit] : {std::pair{kTensorFloat32, 4e-3}, {kBrainFloat16, 3e-2}})
        for (const bool backwards : {false, true}) {
          emulation::set_backwards(backwards);
          const Outputs made = attend(s, precision, false, maps, true, mask);
          emulation::set_backwards(false);
          EXPECT_LE(apart(made.context, plain.context), limit) << precision << ", mask " << mask.kind << ", fill " << mask.fill;
          if (maps) {
            EXPECT_LE(apart(made.weights, plain.weights), limit) << precision << ", mask " << mask.kind << ", fill " << mask.fill;
          }
          EXPECT_EQ(kernel_ == "attention_rounded", narrow) << kernel_;
        }
    }
  ::unsetenv("HEADLIGHT_CUDA_ATTENTION");
}

// Hopper's warpgroup products, of a call with a workspace that keeps nothing.
TEST_P(CudaAttention, ProductsOfWarpgroupsAgreeWithThePlainKernel) {
  // Four tiles of keys and of values, two of queries, and space to align them.
  constexpr std::size_t kShared = (4 * 2 + 2) * 64 * 128 + 1024;
  const Sizes s = GetParam();
  ::setenv("HEADLIGHT_CUDA_ATTENTION", "warpgroup", 1);  // for short texts, too
  for (const Mask mask :
       {Mask{Mask::keep, -INFINITY}, Mask{Mask::keep, -1e9f}, Mask{Mask::bias, -INFINITY}, Mask{Mask::none, 0}}) {
    const Outputs plain = attend(s, kFloat32, true, false, false, mask);
    for (const bool backwards : {false, true}) {
      emulation::set_backwards(backwards);
      const Outputs made = attend(s, kBrainFloat16, false, false, true, mask);
      EXPECT_LE(apart(made.context, plain.context), 3e-2) << "mask " << mask.kind << ", fill " << mask.fill;
      EXPECT_EQ(emulation::last_shared() == kShared, s.d_k <= 64 && s.d_v <= 64);
      EXPECT_EQ(kernel_ == "attention_warpgroup", s.d_k <= 64 && s.d_v <= 64) << kernel_;
    }
    emulation::set_backwards(false);
  }
  attend(s, kBrainFloat16, false, true, true);
  EXPECT_NE(emulation::last_shared(), kShared) << "it keeps no maps";
  attend(s, kTensorFloat32, false, false, true);
  EXPECT_NE(emulation::last_shared(), kShared) << "nor is it for tf32";
  ::unsetenv("HEADLIGHT_CUDA_ATTENTION");
  attend(s, kBrainFloat16, false, false, true);
  EXPECT_NE(emulation::last_shared(), kShared) << "short texts take small blocks";
}

TEST(CudaAttentionWorkspace, IsWantedForRoundedKeysAndValues) {
  Info info{};
  Session* const session = emulation::module().open(0, &info);
  ASSERT_NE(session, nullptr);
  AttentionCall c{};
  c.batch = 1;
  c.heads = 12;
  c.kv_heads = 4;
  c.queries = c.keys = 4090;
  c.d_k = c.d_v = 64;
  c.precision = kBrainFloat16;
  const auto wanted = [&] { return emulation::module().attention_workspace(session, c); };
  EXPECT_EQ(wanted(), std::size_t{2} * 4 * 4096 * 64 * 2) << "keys and values of every key head, to the next 64, in two bytes";
  float kept = 0;
  c.weights = &kept;
  EXPECT_EQ(wanted(), std::size_t{2} * 4 * 4096 * 64 * 2);
  c.scores = &kept;
  EXPECT_EQ(wanted(), 0u) << "the kernel that keeps scores reads keys and values as they are";
  c.scores = nullptr;
  c.precision = kTensorFloat32;
  EXPECT_EQ(wanted(), std::size_t{2} * 4 * 4096 * 64 * 4);
  c.d_v = 65;
  EXPECT_EQ(wanted(), 0u);
  c.d_v = 64;
  c.precision = kFloat32;
  EXPECT_EQ(wanted(), 0u);
  emulation::module().close(session);
}

std::string name_of_sizes(const testing::TestParamInfo<Sizes>& info) {
  const Sizes& s = info.param;
  return std::to_string(s.heads) + "x" + std::to_string(s.queries) + "x" + std::to_string(s.keys) + "x" + std::to_string(s.d_k) +
         "x" + std::to_string(s.d_v);
}

INSTANTIATE_TEST_SUITE_P(Sizes, CudaAttention,
                         testing::Values(Sizes{1, 1, 1, 1, 1, 1, 1}, Sizes{2, 2, 2, 5, 9, 7, 3}, Sizes{1, 2, 1, 64, 64, 64, 64},
                                         Sizes{1, 1, 1, 65, 63, 33, 31}, Sizes{1, 4, 2, 70, 130, 50, 50},
                                         Sizes{1, 1, 1, 3, 128, 128, 128}, Sizes{1, 1, 1, 66, 67, 96, 100},
                                         Sizes{1, 1, 1, 4, 10, 129, 20}, Sizes{1, 1, 1, 4, 10, 512, 512},
                                         Sizes{1, 4, 2, 37, 300, 32, 20}, Sizes{1, 1, 1, 33, 513, 64, 64},
                                         Sizes{2, 1, 1, 5, 256, 16, 4}, Sizes{1, 1, 1, 3, 1500, 48, 64},
                                         Sizes{1, 1, 1, 3, 1600, 64, 64}, Sizes{1, 1, 1, 2, 260, 20, 64}),
                         name_of_sizes);

}  // namespace
}  // namespace headlight::backends::cuda
