// The same document on two devices, the GPU's kernels emulated.
#include "engine/insight/device_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/backends/backends.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "gpu/emulation/emulated_module.h"

namespace headlight {
namespace {

Document sentence() {
  Document d;
  d.texts = {"a blue one"};
  d.tokenizer = "characters";
  d.d_model = 16;
  d.heads = 2;
  d.layers = 1;
  d.masks = {Choice{"causal", {}}};
  return d;
}

OpenBackend with_emulated_gpu() {
  emulation::set_devices(1);
  emulation::set_memory(std::uint64_t{1} << 30);
  return [](std::string_view id) -> Result<std::shared_ptr<backends::Backend>> {
    namespace cuda = backends::cuda;
    if (!id.starts_with("cuda")) return backends::open(id);
    return cuda::make_backend(emulation::module(), 0, id.ends_with("bf16") ? cuda::kBrainFloat16 : cuda::kFloat32);
  };
}

TEST(DeviceComparison, EveryStepOfFloatsIsComparedAndRoundingShows) {
  const auto f32 = compare_devices(sentence(), {"cuda", "reference"}, {2, 1, 10}, {}, {}, with_emulated_gpu());
  const auto bf16 = compare_devices(sentence(), {"cuda:bf16", "reference"}, {2, 1, 10}, {}, {}, with_emulated_gpu());
  ASSERT_TRUE(f32.ok() && bf16.ok());
  EXPECT_EQ(f32->devices[0].precision, "float32");
  EXPECT_EQ(bf16->devices[0].precision, "bf16");
  EXPECT_GE(f32->devices[0].seconds.size(), 1U);
  EXPECT_EQ(f32->left_out, 0);
  std::set<std::string> names;
  for (const StepDifference& step : f32->steps) {
    names.insert(step.step);
    EXPECT_FALSE(step.one_is_not_a_number) << step.step;
    EXPECT_LE(step.relative, 1e-5) << step.step;  // float32's 6e-8, times about a hundred
  }
  for (const char* step : {"embedding", "layer.0.q", "layer.0.masked_scores", "layer.0.weights", "layer.0.mlp_residual"})
    EXPECT_TRUE(names.contains(step)) << step;
  EXPECT_FALSE(names.contains("tokens"));
  ASSERT_TRUE(f32->worst() && bf16->worst());
  EXPECT_GT(f32->worst()->relative, 0);
  EXPECT_GT(bf16->worst()->relative, 20 * f32->worst()->relative) << "products of 8 bits of mantissa";
}

TEST(DeviceComparison, ADeviceWithItselfIsTheSame) {
  const auto same = compare_devices(sentence(), {"cpu", "cpu"}, {1, 0, 10}, {});
  ASSERT_TRUE(same.ok());
  ASSERT_TRUE(same->worst());
  EXPECT_EQ(same->worst()->relative, 0);
  EXPECT_EQ(same->devices[0].seconds.size(), 1U);
}

TEST(DeviceComparison, CancelsAndNamesTheDeviceThatFailed) {
  CancelSource source;
  int told = 0;
  const auto stopped = compare_devices(sentence(), {"cpu", "reference"}, {}, source.token(), [&](const std::string&, int, int) {
    if (++told == 2) source.cancel();
  });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  emulation::set_memory(6000);
  const OpenBackend open = with_emulated_gpu();
  emulation::set_memory(6000);
  Document fresh = sentence();
  fresh.seed = 99;  // weights of its own
  const auto full = compare_devices(fresh, {"cpu", "cuda"}, {}, {}, {}, open);
  emulation::set_memory(std::uint64_t{1} << 30);
  ASSERT_FALSE(full.ok());
  EXPECT_NE(full.error().sentence().find("cuda"), std::string::npos) << full.error().sentence();
  EXPECT_NE(full.error().sentence().find("memory is full"), std::string::npos) << full.error().sentence();
}

TEST(DeviceComparison, MediansOfEvenAndOddCounts) {
  EXPECT_EQ((DeviceRuns{"", "", "", {}}).median(), 0);
  EXPECT_EQ((DeviceRuns{"", "", "", {3, 1, 2}}).median(), 2);
  EXPECT_EQ((DeviceRuns{"", "", "", {4, 1, 2, 3}}).median(), 2.5);
}

}  // namespace
}  // namespace headlight
