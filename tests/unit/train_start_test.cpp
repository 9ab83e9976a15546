// A training that begins with the weights of a model, and a model with learned positions through all that reads one.
#include "engine/train/start.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/pipeline/predict.h"
#include "support/tiny_model.h"

namespace headlight::train {
namespace {

using tests::tiny_model;
using tests::TinyModel;

// A configuration whose model is `tiny`.
Config train_start_config_of(const TinyModel& tiny) {
  Config config;
  config.task = tiny.model.task == ModelTask::encoder_decoder ? Task::pairs : Task::text;
  config.model = tiny.model.document;
  config.tied = tiny.model.tied;
  config.length = tiny.model.length;
  config.start = tiny.name();
  return config;
}

std::unique_ptr<Learner> learner_of(const TinyModel& tiny, const Config& config) {
  Vocabularies vocabularies;
  vocabularies.text = vocabularies.target = models::tokens_of(*tiny.tokenizer);
  vocabularies.target_table = tiny.target_tokenizer != nullptr;
  if (vocabularies.target_table) vocabularies.target = models::tokens_of(*tiny.target_tokenizer);
  auto made = Learner::make(config, vocabularies, *backends::open("reference"));
  EXPECT_TRUE(made.ok()) << made.error().sentence();
  return std::move(made).value();
}

Tensor tensor_of(const std::vector<std::vector<std::int32_t>>& rows, std::int64_t length, std::int32_t fill) {
  Tensor t(DType::i32, {static_cast<std::int64_t>(rows.size()), length}, {"batch", "position"}, true);
  std::fill_n(t.data<std::int32_t>(), t.count(), fill);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), t.data<std::int32_t>() + static_cast<std::int64_t>(i) * length);
  return t;
}

// What a training computes of a model that it starts from is what a reader of the model's folder computes.
TEST(TrainStart, TheLossIsThatOfTheModelItStartsFrom) {
  for (const char* position : {"rotary", "learned", "alibi"})
    for (const ModelTask task : {ModelTask::decoder, ModelTask::encoder_decoder}) {
      SCOPED_TRACE(std::string(position) + " " + name_of(task));
      const TinyModel tiny = tiny_model(std::string("start-") + position + name_of(task), task,
                                        [&](StoredModel& model) { model.document.position = position; });
      ASSERT_TRUE(tiny.write().ok());
      const Config config = train_start_config_of(tiny);
      const auto start = open_start(config, "/nowhere", "t.json");
      ASSERT_TRUE(start.ok()) << start.error().sentence();
      const auto learner = learner_of(tiny, config);
      const Status taken = take_weights(**start, *learner, {});
      ASSERT_TRUE(taken.ok()) << taken.error().sentence();
      for (const Trained& one : learner->parameters())
        EXPECT_EQ(difference(one.value, *find(tiny.parameters, one.spec.name)).max_abs, 0) << one.spec.name;
      EXPECT_EQ(learner->steps(), 0);

      const bool two = task == ModelTask::encoder_decoder;
      const std::vector<std::vector<std::int32_t>> sources = {{101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112},
                                                              {101, 120, 119, 3}};
      const std::vector<std::vector<std::int32_t>> targets = {{2, 101, 114, 3}, {2, 105, 111, 114, 115}};
      Batch batch;
      batch.ids = tensor_of(sources, 12, 0);
      batch.lengths = {12, 4};
      if (two) {
        batch.targets = tensor_of(targets, 5, 0);
        batch.target_lengths = {4, 5};
      }
      const auto& read = two ? targets : sources;
      std::vector<std::vector<std::int32_t>> labels;
      for (const auto& row : read) labels.emplace_back(row.begin() + 1, row.end());
      batch.labels = tensor_of(labels, two ? 5 : 12, -1).reshaped({two ? 10 : 24});
      const auto loss = learner->evaluate(batch, {});
      ASSERT_TRUE(loss.ok()) << loss.error().sentence();

      auto predictor = Predictor::open(*start, *backends::open("reference"));
      ASSERT_TRUE(predictor.ok()) << predictor.error().sentence();
      const auto logits = two ? predictor->logits(sources, targets, {}) : predictor->logits(sources, {}, {});
      ASSERT_TRUE(logits.ok()) << logits.error().sentence();
      double nats = 0;
      for (std::size_t row = 0; row < labels.size(); ++row)
        for (std::size_t i = 0; i < labels[row].size(); ++i)
          nats -=
              log_probability(scores_at(*logits, static_cast<std::int64_t>(row), static_cast<std::int64_t>(i)), labels[row][i]);
      EXPECT_NEAR(loss->sum, nats, 1e-9 * nats);
    }
}

TEST(TrainStart, AnotherModelIsRefusedByWhatDiffers) {
  const TinyModel tiny = tiny_model("start-other", ModelTask::decoder, [](StoredModel& m) { m.document.position = "learned"; });
  ASSERT_TRUE(tiny.write().ok());
  const auto said = [&](const std::function<void(Config&)>& change) {
    Config config = train_start_config_of(tiny);
    change(config);
    const auto start = open_start(config, "/nowhere", "t.json");
    return start.ok() ? std::string() : start.error().sentence();
  };
  const auto differs = [&](const std::string& key, const std::string& is, const std::string& asked) {
    return "t.json: start: '" + key + "' is " + is + " in the model '" + tiny.name() + "' and " + asked +
           " in this training; give the model's own, or start from another one";
  };
  EXPECT_EQ(said([](Config&) {}), "");
  EXPECT_EQ(said([](Config& c) { c.model.heads = 4; }), differs("heads", "2", "4"));
  EXPECT_EQ(said([](Config& c) { c.model.d_ff = 0; }), differs("d_ff", "24", "64"));
  EXPECT_EQ(said([](Config& c) { c.model.position = "rotary"; }), differs("position", "learned", "rotary"));
  EXPECT_EQ(said([](Config& c) { c.tied = false; }), differs("tied", "true", "false"));
  EXPECT_EQ(said([](Config& c) { c.length = 16; }), differs("length", "12", "16"));
  EXPECT_EQ(said([](Config& c) { c.task = Task::masked; }), differs("task", "decoder", "encoder"));
  EXPECT_NE(said([](Config& c) { c.start = "none"; }).find("there is no model '/nowhere/none'"), std::string::npos);
}

// A folder is looked for beside the configuration.
TEST(TrainStart, AFolderIsBesideTheConfiguration) {
  const TinyModel tiny = tiny_model("start-beside");
  ASSERT_TRUE(tiny.write().ok());
  Config config = train_start_config_of(tiny);
  config.start = tiny.folder.filename().string();
  const auto start = open_start(config, tiny.folder.parent_path().string(), "t.json");
  ASSERT_TRUE(start.ok()) << start.error().sentence();
  DataPlaces places;
  ASSERT_TRUE(take_vocabulary(**start, config, places).ok());
  EXPECT_EQ(places.tokenizer->vocabulary_size(), tiny.model.vocabulary);
  EXPECT_FALSE(places.target_tokenizer);
  config.task = Task::repeat;  // its own symbols
  DataPlaces own;
  ASSERT_TRUE(take_vocabulary(**start, config, own).ok());
  EXPECT_FALSE(own.tokenizer);
  const auto data = open_data(config, own);
  ASSERT_TRUE(data.ok()) << data.error().sentence();
  const Status other = check_vocabulary(**start, **data, "t.json");
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().sentence().find("a vocabulary of " + std::to_string(tiny.model.vocabulary) + " pieces, and this"),
            std::string::npos)
      << other.error().sentence();
}

}  // namespace
}  // namespace headlight::train
