// Gradients of whole models and a training of 200 steps against PyTorch: tests/data/training, by
// tests/parity/make_gradient_fixture.py.
#include "engine/train/learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/backends/backends.h"
#include "engine/core/npy.h"
#include "engine/core/rng.h"
#include "engine/train/batch_parts.h"
#include "test_data.h"

namespace headlight::train {
namespace {

NamedTensors fixture(const char* name) {
  auto arrays = read_npz(std::string(HEADLIGHT_TEST_DATA "/training/") + name);
  EXPECT_TRUE(arrays.ok()) << arrays.error().sentence();
  return std::move(arrays).value();
}

const Tensor& array(const NamedTensors& arrays, const std::string& name) {
  for (const auto& [key, value] : arrays)
    if (key == name) return value;
  ADD_FAILURE() << "no array " << name;
  static const Tensor none;
  return none;
}

std::vector<std::int64_t> whole(const Tensor& t) {
  const auto values = t.values<std::int32_t>();
  return {values.begin(), values.end()};
}

std::int64_t labelled(const Tensor& labels) {
  const auto values = labels.values<std::int32_t>();
  return std::count_if(values.begin(), values.end(), [](std::int32_t label) { return label >= 0; });
}

Config decoder() {
  Config config;
  Document& m = config.model;
  m.d_model = 16;
  m.d_ff = 24;
  m.heads = 4;
  m.layers = 2;
  m.position = "rotary";
  m.norm_kind = "rms";
  m.final_norm = true;
  m.gated = true;
  m.activation = "silu";
  m.bias = false;
  m.masks = {Choice{"causal", {}}};
  config.steps = 200;
  config.warmup = 20;
  config.learning_rate = 1e-2;
  config.least_learning_rate = 1e-3;
  return config;
}

Config encoder_decoder() {
  Config config;
  config.task = Task::pairs;
  config.tied = false;
  config.label_smoothing = 0.1;
  Document& m = config.model;
  m.d_model = 16;
  m.d_ff = 24;
  m.heads = 2;
  m.layers = 2;
  m.position = "sinusoidal";
  m.final_norm = true;
  m.activation = "relu";
  m.masks = {Choice{"causal", {}}, Choice{"padding", {}}};
  return config;
}

std::unique_ptr<Learner> learner(const Config& config, const Vocabularies& vocabularies, const NamedTensors& arrays,
                                 const std::string& backend) {
  auto opened = backends::open(backend);
  EXPECT_TRUE(opened.ok());
  auto made = Learner::make(config, vocabularies, *opened);
  EXPECT_TRUE(made.ok()) << made.error().sentence();
  for (Trained& one : (*made)->parameters()) {
    const Tensor& given = array(arrays, one.spec.name);
    EXPECT_EQ(given.shape(), one.spec.shape) << one.spec.name;
    one.value = given;
  }
  return std::move(*made);
}

Vocabularies of_decoder() { return {{23, -1, ""}, {23, -1, ""}, false}; }
Vocabularies of_encoder_decoder() { return {{19, 0, ""}, {21, 0, ""}, true}; }

Batch batch_of(const NamedTensors& arrays) {
  Batch batch;
  batch.ids = array(arrays, "ids");
  batch.labels = array(arrays, "labels");
  batch.labelled = labelled(batch.labels);
  batch.lengths.assign(static_cast<std::size_t>(batch.ids.dim(0)), batch.ids.dim(1));
  for (const auto& [name, value] : arrays) {
    if (name == "targets") batch.targets = value;
    if (name == "lengths") batch.lengths = whole(value);
    if (name == "target_lengths") batch.target_lengths = whole(value);
  }
  return batch;
}

// Every parameter's gradient, relative to its length.
void expect_gradients(Learner& learner, const NamedTensors& arrays, double tolerance) {
  const Batch batch = batch_of(arrays);
  const auto gradients = learner.gradients(batch, {});
  ASSERT_TRUE(gradients.ok()) << gradients.error().sentence();
  std::size_t in_fixture = 0;
  for (const auto& [name, value] : arrays) in_fixture += name.starts_with("grad.");
  ASSERT_EQ(in_fixture, learner.parameters().size());
  for (std::size_t i = 0; i < gradients->size(); ++i) {
    const std::string name = learner.parameters()[i].spec.name.substr(std::string("parameters.").size());
    const Tensor wanted = array(arrays, "grad." + name).as(DType::f64);
    ASSERT_EQ((*gradients)[i].shape(), wanted.shape()) << name;
    double error = 0, size = 0;
    for (std::int64_t k = 0; k < wanted.count(); ++k) {
      const double w = wanted.data<double>()[k], difference = (*gradients)[i].data<double>()[k] - w;
      error += difference * difference;
      size += w * w;
    }
    ASSERT_GT(size, 0) << name;
    // A key's bias adds the same to all scores of a row, so the loss does not depend on it: its gradient is what rounding leaves.
    if (std::sqrt(size) > 1e-6) {
      EXPECT_LE(std::sqrt(error / size), tolerance) << name;
    } else {
      EXPECT_LE(std::sqrt(error), tolerance) << name;
    }
  }
}

TEST(Learner, GradientsOfADecoderAreThoseOfPyTorch) {
  const NamedTensors arrays = fixture("decoder.npz");
  for (const char* backend : {"reference", "cpu"}) {
    SCOPED_TRACE(backend);
    expect_gradients(*learner(decoder(), of_decoder(), arrays, backend), arrays, 1e-5);
  }
}

TEST(Learner, GradientsOfAnEncoderDecoderAreThoseOfPyTorch) {
  const NamedTensors arrays = fixture("encoder_decoder.npz");
  for (const char* backend : {"reference", "cpu"}) {
    SCOPED_TRACE(backend);
    expect_gradients(*learner(encoder_decoder(), of_encoder_decoder(), arrays, backend), arrays, 1e-5);
  }
}

// Every kind of positions: rotary and sinusoidal ones above, none, tables that are parameters themselves, and ALiBi. A learned
// table has more rows than the texts have tokens, and some of the encoder-decoder's rows are filled up.
TEST(Learner, GradientsWithOtherPositionsAreThoseOfPyTorch) {
  Config learned = decoder();
  learned.model.layers = 1;
  learned.model.position = "learned";
  learned.length = 12;
  Config alibi = learned;
  alibi.model.position = "alibi";
  Config none = learned;
  none.model.position = "none";
  Config two = encoder_decoder();
  two.model.layers = 1;
  two.model.position = "learned";
  two.length = 10;
  struct Case {
    const char* file;
    const Config& config;
    Vocabularies vocabularies;
  };
  for (const Case& one :
       {Case{"decoder_learned.npz", learned, of_decoder()}, Case{"decoder_alibi.npz", alibi, of_decoder()},
        Case{"decoder_none.npz", none, of_decoder()}, Case{"encoder_decoder_learned.npz", two, of_encoder_decoder()}}) {
    const NamedTensors arrays = fixture(one.file);
    for (const char* backend : {"reference", "cpu"}) {
      SCOPED_TRACE(std::string(one.file) + " " + backend);
      expect_gradients(*learner(one.config, one.vocabularies, arrays, backend), arrays, 1e-5);
    }
  }
}

// Rows of the table that no token stands at have no gradient.
TEST(Learner, PlacesBehindTheTextsAreNotTrained) {
  const NamedTensors arrays = fixture("encoder_decoder_learned.npz");
  Config config = encoder_decoder();
  config.model.layers = 1;
  config.model.position = "learned";
  config.length = 10;
  const auto made = learner(config, of_encoder_decoder(), arrays, "reference");
  const auto gradients = made->gradients(batch_of(arrays), {});
  ASSERT_TRUE(gradients.ok()) << gradients.error().sentence();
  for (std::size_t i = 0; i < gradients->size(); ++i) {
    const std::string& name = made->parameters()[i].spec.name;
    if (!name.ends_with("position")) continue;
    const std::int64_t longest = name == "parameters.encoder.position" ? 7 : 8;
    for (std::int64_t row = 0; row < 10; ++row) {
      double size = 0;
      for (std::int64_t c = 0; c < 16; ++c) size += std::abs((*gradients)[i].at({row, c}));
      EXPECT_EQ(size > 0, row < longest) << name << " row " << row;
    }
  }
}

TEST(Learner, TwoHundredStepsGoAsInPyTorch) {
  const NamedTensors arrays = fixture("decoder.npz");
  const auto made = learner(decoder(), of_decoder(), arrays, "cpu");
  const Tensor &ids = array(arrays, "batches.ids"), &labels = array(arrays, "batches.labels"), &losses = array(arrays, "losses");
  ASSERT_EQ(losses.count(), 200);
  double furthest = 0;
  for (std::int64_t step = 0; step < 200; ++step) {
    Batch batch;
    batch.ids = ids.select(0, step).compact();
    batch.labels = labels.select(0, step).compact();
    batch.labelled = labelled(batch.labels);
    batch.lengths.assign(static_cast<std::size_t>(batch.ids.dim(0)), batch.ids.dim(1));
    const auto done = made->step(std::span(&batch, 1), {});
    ASSERT_TRUE(done.ok()) << done.error().sentence();
    furthest = std::max(furthest, std::abs(done->loss - losses.at({step})));
    ASSERT_LE(std::abs(done->loss - losses.at({step})), 1e-3) << "step " << step + 1;
  }
  EXPECT_LT(losses.at({199}), 0.3 * losses.at({0}));  // it did learn
  RecordProperty("furthest", std::to_string(furthest));
}

// Rows of a language in which each of 64 symbols is followed by one of four with probabilities 1/2, 1/4, 1/8 and 1/8: nobody
// predicts it with less than 1.21 nats a symbol.
Batch random_text(std::uint64_t step, std::int64_t rows = 16) {
  constexpr std::int64_t kLength = 32;
  const Rng rng(step, "learner_test");
  Batch batch;
  batch.ids = Tensor(DType::i32, {rows, kLength}, {"batch", "position"}, true);
  batch.labels = Tensor(DType::i32, {rows * kLength}, {}, true);
  batch.lengths.assign(static_cast<std::size_t>(rows), kLength);
  batch.labelled = rows * kLength;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int32_t symbol = static_cast<std::int32_t>(row * 4 % 64);
    for (std::int64_t i = 0; i < kLength; ++i) {
      batch.ids.data<std::int32_t>()[row * kLength + i] = symbol;
      const double drawn = rng.uniform(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(i));
      const std::int32_t next = drawn < 0.5 ? 0 : drawn < 0.75 ? 1 : drawn < 0.875 ? 2 : 3;
      symbol = (symbol * 29 + 7 + 13 * next) % 64;
      batch.labels.data<std::int32_t>()[row * kLength + i] = symbol;
    }
  }
  return batch;
}

// Means over 20 steps, so that single batches do not count.
TEST(Learner, WithBfloat16ProductsTheLossStaysWithinOnePercent) {
  Config config = decoder();
  config.model.d_model = 64;
  config.model.d_ff = 128;
  const Vocabularies vocabularies{{64, -1, ""}, {64, -1, ""}, false};
  const auto opened = backends::open("cpu");
  ASSERT_TRUE(opened.ok());
  const auto plain = Learner::make(config, vocabularies, *opened);
  config.products = "bfloat16";
  const auto rounding = Learner::make(config, vocabularies, *opened);
  ASSERT_TRUE(plain.ok() && rounding.ok());
  if ((*rounding)->backend().precision() != "bf16") GTEST_SKIP() << "this processor has no AVX512-BF16";
  double sum = 0, rounded_sum = 0, last = 0;
  for (std::uint64_t step = 1; step <= 200; ++step) {
    const Batch batch = random_text(step);
    const auto one = (*plain)->step(std::span(&batch, 1), {}), other = (*rounding)->step(std::span(&batch, 1), {});
    ASSERT_TRUE(one.ok() && other.ok());
    EXPECT_NE(one->loss, other->loss) << "the products were not rounded";
    sum += one->loss;
    rounded_sum += other->loss;
    if (step % 20 != 0) continue;
    EXPECT_NEAR(rounded_sum, sum, 0.01 * sum) << "steps " << step - 19 << " to " << step;
    last = sum / 20;
    sum = rounded_sum = 0;
  }
  EXPECT_LT(last, 1.5) << "it did not learn";
}

// Two batches, one after the other, give the gradient of both as one.
TEST(Learner, AccumulatedBatchesAreOneBatch) {
  const NamedTensors arrays = fixture("decoder.npz");
  const auto one = learner(decoder(), of_decoder(), arrays, "cpu"), two = learner(decoder(), of_decoder(), arrays, "cpu");
  const Batch whole_batch = batch_of(arrays);
  std::vector<Batch> halves(2);
  for (std::int64_t i = 0; i < 2; ++i) {
    Batch& half = halves[static_cast<std::size_t>(i)];
    half.ids = whole_batch.ids.slice(0, 2 * i, 2 * i + 2).compact();
    half.labels = whole_batch.labels.reshaped({4, 12}).slice(0, 2 * i, 2 * i + 2).compact().reshaped({24});
    half.labelled = labelled(half.labels);
    half.lengths = {12, 12};
  }
  const auto a = one->step(std::span(&whole_batch, 1), {}), b = two->step(halves, {});
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NEAR(a->loss, b->loss, 1e-6);
  EXPECT_NEAR(a->gradient_norm, b->gradient_norm, 1e-5 * a->gradient_norm);
}

// The reference takes a batch through the model whole.
void expect_parts_to_be_the_whole(const Config& config, const Vocabularies& vocabularies, const Batch& batch) {
  const auto cpu = backends::open("cpu"), reference = backends::open("reference");
  ASSERT_TRUE(cpu.ok() && reference.ok());
  const auto parts = Learner::make(config, vocabularies, *cpu), whole = Learner::make(config, vocabularies, *reference);
  ASSERT_TRUE(parts.ok() && whole.ok());
  ASSERT_GT(parts_of(batch, config.model.d_model, (*parts)->count()), 1);
  for (int step = 0; step < 2; ++step) {  // the second one finds its arrays there
    const auto a = (*parts)->step(std::span(&batch, 1), {}), b = (*whole)->step(std::span(&batch, 1), {});
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_NEAR(a->loss, b->loss, 1e-5);
    EXPECT_NEAR(a->gradient_norm, b->gradient_norm, 1e-4 * b->gradient_norm);
  }
  for (std::size_t i = 0; i < (*parts)->parameters().size(); ++i) {
    const Trained &a = (*parts)->parameters()[i], &b = (*whole)->parameters()[i];
    // Where a gradient is next to nothing, the first steps of AdamW go by its sign.
    if (a.spec.name.ends_with("bk")) continue;
    EXPECT_LT(difference(a.value, b.value.as(DType::f32)).mean_abs, 1e-4) << a.spec.name;
  }
}

TEST(Learner, PartsOfABatchGiveTheStepOfTheWhole) {
  Config config = decoder();
  config.model.d_model = 64;
  config.model.d_ff = 128;
  config.learning_rate = config.least_learning_rate = 1e-3;
  expect_parts_to_be_the_whole(config, {{64, -1, ""}, {64, -1, ""}, false}, random_text(1, 41));
}

// Rows of unequal lengths, some of whose labels are none.
TEST(Learner, PartsOfABatchOfPairsGiveTheStepOfTheWhole) {
  Config config = encoder_decoder();
  config.model.d_model = 64;
  config.model.d_ff = 96;
  config.model.layers = 1;
  config.learning_rate = config.least_learning_rate = 1e-3;
  constexpr std::int64_t kRows = 33, kLength = 24;
  Batch batch;
  batch.ids = Tensor(DType::i32, {kRows, kLength}, {"batch", "position"});
  batch.targets = Tensor(DType::i32, {kRows, kLength}, {"batch", "position"});
  batch.labels = Tensor(DType::i32, {kRows * kLength}, {}, true);
  std::fill_n(batch.labels.data<std::int32_t>(), batch.labels.count(), -1);
  for (std::int64_t row = 0; row < kRows; ++row) {
    batch.lengths.push_back(3 + row * 5 % 22);
    batch.target_lengths.push_back(2 + row * 7 % 23);
    for (std::int64_t i = 0; i < batch.lengths.back(); ++i)
      batch.ids.data<std::int32_t>()[row * kLength + i] = static_cast<std::int32_t>(1 + (row * 3 + i * 5) % 18);
    for (std::int64_t i = 0; i < batch.target_lengths.back(); ++i) {
      batch.targets.data<std::int32_t>()[row * kLength + i] = static_cast<std::int32_t>(1 + (row + i * 7) % 20);
      batch.labels.data<std::int32_t>()[row * kLength + i] = static_cast<std::int32_t>(1 + (row + i * 7 + 7) % 20);
    }
  }
  batch.labelled = labelled(batch.labels);
  expect_parts_to_be_the_whole(config, of_encoder_decoder(), batch);
}

TEST(Learner, PartsOfABatchAreAllOfItsRows) {
  const Batch batch = random_text(2, 41);
  for (const std::int64_t parts : {1, 2, 3, 41}) {
    std::int64_t rows = 0, labels = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      const Batch some = part_of(batch, part, parts);
      ASSERT_EQ(some.labels.count(), some.ids.count());
      for (std::int64_t row = 0; row < some.ids.dim(0); ++row)
        for (std::int64_t i = 0; i < 32; ++i) {
          EXPECT_EQ(some.ids.at({row, i}), batch.ids.at({rows + row, i}));
          EXPECT_EQ(some.labels.at({row * 32 + i}), batch.labels.at({(rows + row) * 32 + i}));
        }
      EXPECT_EQ(static_cast<std::int64_t>(some.lengths.size()), some.ids.dim(0));
      rows += some.ids.dim(0);
      labels += some.labelled;
    }
    EXPECT_EQ(rows, 41) << parts;
    EXPECT_EQ(labels, batch.labelled) << parts;
  }
  EXPECT_EQ(parts_of(batch, 64, 1 << 24), 1) << "a large model's operations are shared themselves";
  EXPECT_EQ(parts_of(random_text(2, 1), 64, 1000), 1) << "a row is not cut";
}

TEST(Learner, DropoutChangesEachStepAndNotTheEvaluation) {
  const NamedTensors arrays = fixture("decoder.npz");
  Config config = decoder();
  config.dropout = 0.2;
  config.learning_rate = config.least_learning_rate = 0;
  config.decay = 0;
  const auto made = learner(config, of_decoder(), arrays, "cpu"), same = learner(config, of_decoder(), arrays, "cpu");
  const auto plain = learner(decoder(), of_decoder(), arrays, "cpu");
  const Batch batch = batch_of(arrays);
  const auto first = made->step(std::span(&batch, 1), {}), second = made->step(std::span(&batch, 1), {});
  const auto again = same->step(std::span(&batch, 1), {});
  ASSERT_TRUE(first.ok() && second.ok() && again.ok());
  EXPECT_EQ(first->loss, again->loss);
  EXPECT_NE(first->loss, second->loss);
  const auto with = made->evaluate(batch, {}), without = plain->evaluate(batch, {});
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_EQ(with->sum, without->sum);
}

// Sums are made in one order, whatever the number of threads: what a step gives is the same bit for bit.
TEST(Learner, ALossThatIsNoNumberIsSaidAndChangesNothing) {
  const NamedTensors arrays = fixture("decoder.npz");
  const auto made = learner(decoder(), of_decoder(), arrays, "cpu");
  made->parameters()[0].value = Tensor(DType::f32, made->parameters()[0].spec.shape);
  std::fill_n(made->parameters()[0].value.data<float>(), made->parameters()[0].value.count(), NAN);
  const Tensor before = made->parameters()[1].value;
  const Batch batch = batch_of(arrays);
  const auto done = made->step(std::span(&batch, 1), {});
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().sentence().find("no finite number"), std::string::npos);
  EXPECT_EQ(made->steps(), 0);
  EXPECT_EQ(difference(before, made->parameters()[1].value).max_abs, 0);
}

TEST(Learner, NoMaskedOrUnlabelledBatchIsLearntFrom) {
  const NamedTensors arrays = fixture("decoder.npz");
  const auto made = learner(decoder(), of_decoder(), arrays, "cpu");
  Batch batch = batch_of(arrays);
  batch.labels = Tensor::of(std::vector<std::int32_t>(static_cast<std::size_t>(batch.labels.count()), -1), batch.labels.shape());
  batch.labelled = 0;
  EXPECT_FALSE(made->step(std::span(&batch, 1), {}).ok());
}

}  // namespace
}  // namespace headlight::train
