// Small models trained on the CUDA backend, over the emulated module: their losses are those of the plain loops, no operation of
// them runs on the host, and equal trainings give equal bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "engine/backends/backends.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/backends/cuda/load_module.h"
#include "engine/core/rng.h"
#include "engine/train/learner.h"
#include "gpu/emulation/emulated_module.h"

namespace headlight::train {
namespace {

using backends::Backend;
using backends::Buffer;
namespace cuda = backends::cuda;

// Passes everything on, and notes which operations were prepared, and for which the plain loops ran on the host.
class Watched : public Backend {
 public:
  explicit Watched(std::shared_ptr<Backend> inner) : inner_(std::move(inner)) {}
  std::vector<std::string> prepared, on_host;

  backends::Device device() const override { return inner_->device(); }
  DType dtype() const override { return inner_->dtype(); }
  bool supports(const backends::OpDesc& desc) const override { return inner_->supports(desc); }
  Result<Buffer> allocate(DType dtype, Shape shape, Axes axes) override {
    return inner_->allocate(dtype, std::move(shape), std::move(axes));
  }
  Result<Buffer> upload(const Tensor& tensor) override { return inner_->upload(tensor); }
  Result<Tensor> download(const Buffer& buffer) override { return inner_->download(buffer); }
  Result<std::vector<Tensor>> download_all(std::span<const Buffer> buffers) override { return inner_->download_all(buffers); }
  Result<std::unique_ptr<backends::Plan>> prepare(const backends::OpDesc& desc) override {
    auto plan = inner_->prepare(desc);
    prepared.push_back(desc.id());
    if (plan.ok()) ids_[plan->get()] = desc.id();
    return plan;
  }
  Status execute(backends::Plan& plan, std::span<const Buffer> in, std::span<Buffer> out, const CancelToken& cancel) override {
    const std::uint64_t before = operations::plain_runs();
    const Status status = inner_->execute(plan, in, out, cancel);
    if (operations::plain_runs() > before) on_host.push_back(ids_[&plan]);
    return status;
  }
  std::string precision() const override { return inner_->precision(); }
  bool computes_later() const override { return inner_->computes_later(); }
  void drop_unused() override { inner_->drop_unused(); }

 private:
  std::shared_ptr<Backend> inner_;
  std::map<const backends::Plan*, std::string> ids_;
};

constexpr std::int64_t kSymbols = 23, kTargetSymbols = 19, kSteps = 7;
Vocabularies of_text() { return {{kSymbols, -1, ""}, {kSymbols, -1, ""}, false}; }
Vocabularies of_pairs() { return {{kSymbols, 0, ""}, {kTargetSymbols, 0, ""}, true}; }

// LayerNorm, GELU, a trained table of positions, an output matrix that is the embedding's, and dropout everywhere.
Config with_dropout() {
  Config config;
  Document& m = config.model;
  m.d_model = 16;
  m.d_ff = 24;
  m.heads = 4;
  m.layers = 2;
  m.position = "learned";
  m.final_norm = true;
  m.activation = "gelu";
  m.masks = {Choice{"causal", {}}};
  config.length = 12;
  config.steps = kSteps;
  config.warmup = 1;
  config.learning_rate = config.least_learning_rate = 1e-2;
  config.dropout = 0.1;
  return config;
}

// RMSNorm, rotary positions and a gated feed-forward part without biases.
Config gated() {
  Config config = with_dropout();
  config.dropout = 0;
  Document& m = config.model;
  m.position = "rotary";
  m.norm_kind = "rms";
  m.gated = true;
  m.activation = "silu";
  m.bias = false;
  return config;
}

// LayerNorm without biases, and a bias of the scores beside the mask.
Config with_alibi() {
  Config config = with_dropout();
  config.model.position = "alibi";
  config.model.bias = false;
  config.model.activation = "gelu_tanh";
  return config;
}

// An encoder and a decoder, rows of different lengths, labels that are smoothed and some that are none.
Config of_two_texts() {
  Config config = with_dropout();
  config.task = Task::pairs;
  config.tied = false;
  config.label_smoothing = 0.1;
  Document& m = config.model;
  m.position = "sinusoidal";
  m.activation = "relu";
  m.masks = {Choice{"causal", {}}, Choice{"padding", {}}};
  return config;
}

Tensor symbols(const char* name, std::int64_t step, Shape shape, std::int64_t below) {
  const Rng rng(static_cast<std::uint64_t>(step), name);
  Tensor t(DType::i32, std::move(shape), {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i)
    t.data<std::int32_t>()[i] =
        static_cast<std::int32_t>(1 + rng.uniform(0, static_cast<std::uint64_t>(i)) * static_cast<double>(below - 1));
  return t;
}

Batch cuda_training_batch_of(const Config& config, std::int64_t step) {
  constexpr std::int64_t kRows = 3, kLength = 9, kTargetLength = 7;
  const bool pairs = config.task == Task::pairs;
  Batch batch;
  batch.ids = symbols("ids", step, {kRows, kLength}, kSymbols);
  batch.lengths.assign(kRows, kLength);
  if (pairs) {
    batch.targets = symbols("targets", step, {kRows, kTargetLength}, kTargetSymbols);
    batch.lengths = {kLength, kLength - 4, kLength - 1};
    batch.target_lengths = {kTargetLength - 2, kTargetLength, kTargetLength};
    for (std::int64_t row = 0; row < kRows; ++row)
      for (std::int64_t i = batch.lengths[static_cast<std::size_t>(row)]; i < kLength; ++i)
        batch.ids.data<std::int32_t>()[row * kLength + i] = 0;
  }
  const std::int64_t labels = kRows * (pairs ? kTargetLength : kLength);
  batch.labels = symbols("labels", step, {labels}, pairs ? kTargetSymbols : kSymbols);
  for (std::int64_t i = 4; i < labels; i += 5) batch.labels.data<std::int32_t>()[i] = -1;
  const auto all = batch.labels.values<std::int32_t>();
  batch.labelled = std::count_if(all.begin(), all.end(), [](std::int32_t label) { return label >= 0; });
  return batch;
}

// The losses of the steps.
std::vector<double> losses_of(const Config& config, const Vocabularies& vocabularies, const std::shared_ptr<Backend>& backend) {
  const auto made = Learner::make(config, vocabularies, backend);
  EXPECT_TRUE(made.ok()) << made.error().sentence();
  std::vector<double> losses;
  for (std::int64_t step = 0; made.ok() && step < kSteps; ++step) {
    const Batch batch = cuda_training_batch_of(config, step % 2);
    const auto done = (*made)->step(std::span(&batch, 1), {});
    EXPECT_TRUE(done.ok()) << done.error().sentence();
    if (!done.ok()) break;
    losses.push_back(done->loss);
  }
  return losses;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted, double tolerance) {
  ASSERT_EQ(found.size(), static_cast<std::size_t>(kSteps));
  ASSERT_EQ(wanted.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], tolerance * wanted[i]) << "step " << i + 1;
  EXPECT_LT(wanted.back(), wanted.front()) << "it did not learn";
}

struct Training {
  const char* name;
  Config (*config)();
  Vocabularies (*vocabularies)();
};
class CudaTraining : public testing::TestWithParam<Training> {
 protected:
  void SetUp() override {
    emulation::set_backwards(false);
    emulation::set_memory(std::uint64_t{1} << 30);
  }
  static std::shared_ptr<Watched> emulated(cuda::Precision precision = cuda::kFloat32) {
    auto backend = cuda::make_backend(emulation::module(), 0, precision);
    EXPECT_TRUE(backend.ok()) << backend.error().sentence();
    return std::make_shared<Watched>(std::move(backend).value());
  }
  static std::vector<double> losses_on(const std::shared_ptr<Backend>& backend) {
    return losses_of(GetParam().config(), GetParam().vocabularies(), backend);
  }
  static std::vector<double> losses_on(const char* id) {
    const auto backend = backends::open(id);
    EXPECT_TRUE(backend.ok());
    return losses_on(*backend);
  }
};

TEST_P(CudaTraining, LossesAreThoseOfTheReferenceAndNothingRunsOnTheHost) {
  const std::shared_ptr<Watched> device = emulated();
  const std::vector<double> losses = losses_on(device);
  // Float32 sums of some hundred products, through six updates of the weights.
  expect_near(losses, losses_on("reference"), 1e-5);
  expect_near(losses, losses_on("cpu"), 1e-5);
  EXPECT_EQ(device->on_host, std::vector<std::string>{});
  EXPECT_GT(std::count(device->prepared.begin(), device->prepared.end(), "gradient"), 20);
}

TEST_P(CudaTraining, EqualTrainingsGiveEqualBits) {
  const std::vector<double> forwards = losses_on(emulated());
  EXPECT_EQ(losses_on(emulated()), forwards);
  emulation::set_backwards(true);  // a block's threads from the last to the first: no order of threads shows
  EXPECT_EQ(losses_on(emulated()), forwards);
  emulation::set_backwards(false);
}

// Held and replayed work gives what single launches give.
TEST_P(CudaTraining, RecordedStepsGiveTheSameBits) {
  const auto losses = [] {
    const auto backend = cuda::make_backend(emulation::module(), 0, cuda::kFloat32);
    EXPECT_TRUE(backend.ok());
    const std::vector<double> all = losses_on(*backend);
    const cuda::RecordingCounts counts = cuda::recording_counts(**backend);
    return std::pair(all, counts.replayed);
  };
  const auto [recorded, replayed] = losses();
  setenv("HEADLIGHT_CUDA_GRAPHS", "off", 1);
  const auto [single, none] = losses();
  unsetenv("HEADLIGHT_CUDA_GRAPHS");
  EXPECT_EQ(recorded, single);
  EXPECT_GE(replayed, static_cast<std::uint64_t>(kSteps)) << "of two runs a step, forward and backward";
  EXPECT_EQ(none, 0U);
}

// Products rounded to 10 and 7 bits of mantissa.
TEST_P(CudaTraining, RoundedProductsLearnAlike) {
  const std::vector<double> wanted = losses_on("reference");
  expect_near(losses_on(emulated(cuda::kTensorFloat32)), wanted, 2e-3);
  expect_near(losses_on(emulated(cuda::kBrainFloat16)), wanted, 2e-2);
}

// The same on a real GPU, if there is one.
TEST_P(CudaTraining, OnTheGpuLossesAreThoseOfTheReference) {
  const auto loaded = cuda::loaded_module();
  if (!loaded) GTEST_SKIP() << loaded.error().sentence();
  if ((*loaded)->count() < 1) GTEST_SKIP() << said_by(**loaded);
  const auto backend = cuda::make_backend(**loaded, 0, cuda::kFloat32);
  ASSERT_TRUE(backend.ok()) << backend.error().sentence();
  const std::vector<double> losses = losses_on(*backend);
  expect_near(losses, losses_on("reference"), 1e-5);
  EXPECT_EQ(losses_on(*backend), losses);
}

INSTANTIATE_TEST_SUITE_P(Models, CudaTraining,
                         testing::Values(Training{"dropout", with_dropout, of_text}, Training{"gated", gated, of_text},
                                         Training{"alibi", with_alibi, of_text}, Training{"two_texts", of_two_texts, of_pairs}),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace headlight::train
