// Letters that are copied, reversed, sorted, counted or spelt; what a plateau is; a training that is driven step by step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "engine/backends/backends.h"
#include "engine/document/stored_model.h"
#include "engine/train/live_training.h"
#include "engine/train/training_run.h"
#include "tests/support/process_folder.h"

namespace headlight::train {
namespace {

Config config_of(const std::string& task, const std::string& letters, std::int64_t length = 12) {
  const auto config =
      config_from_json("{\"task\": \"" + task + "\", \"letters\": " + letters + ", \"length\": " + std::to_string(length) +
                           ", \"batch\": 8, \"warmup\": 5, \"steps\": 100, \"learning_rate\": 3e-3, \"model\": "
                           "{\"d_model\": 16, \"heads\": 2, \"layers\": 2, \"position\": \"learned\"}}",
                       "t.json");
  EXPECT_TRUE(config.ok()) << config.error().sentence();
  return config.ok() ? *config : Config();
}

// The rows of a batch as texts, without what fills them up.
std::vector<std::string> rows_of(const Data& data, const Batch& batch) {
  std::vector<std::string> rows;
  const std::int64_t length = batch.ids.dim(1);
  for (std::int64_t r = 0; r < batch.ids.dim(0); ++r) {
    std::string row;
    for (std::int64_t i = 0; i < length; ++i) {
      const std::string piece = data.tokenizer()->piece(batch.ids.data<std::int32_t>()[r * length + i]);
      if (piece.size() == 1) row += piece;
    }
    rows.push_back(row);
  }
  return rows;
}

std::string answered(const std::string& task, std::string letters) {
  if (task == "reverse") std::reverse(letters.begin(), letters.end());
  if (task == "sort") std::sort(letters.begin(), letters.end());
  if (task != "majority") return letters;
  std::map<char, int> counts;
  for (const char one : letters) ++counts[one];
  return std::string(
      1, std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first);
}

TEST(LetterData, EveryRowHasItsAnswerAndEveryLetterOfTheAnswerIsAskedFor) {
  for (const std::string task : {"copy", "reverse", "sort", "majority"}) {
    const Config config = config_of(task, "{\"symbols\": 5, \"shortest\": 2, \"longest\": 5}");
    const auto data = open_data(config, {});
    ASSERT_TRUE(data.ok()) << data.error().sentence();
    const Batch batch = (*data)->training(3);
    const std::vector<std::string> rows = rows_of(**data, batch);
    std::int64_t asked = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::size_t becomes = rows[r].find('=');
      ASSERT_NE(becomes, std::string::npos) << task;
      EXPECT_GE(becomes, 2u);
      EXPECT_LE(becomes, 5u);
      EXPECT_EQ(rows[r].substr(becomes + 1), answered(task, rows[r].substr(0, becomes))) << task << " " << rows[r];
      std::string labels;
      for (std::int64_t i = 0; i < 12; ++i)
        if (const std::int32_t label = batch.labels.data<std::int32_t>()[static_cast<std::int64_t>(r) * 12 + i]; label >= 0)
          labels += (*data)->tokenizer()->piece(label);
      EXPECT_EQ(labels, rows[r].substr(becomes + 1));
      asked += static_cast<std::int64_t>(labels.size());
    }
    EXPECT_EQ(batch.labelled, asked);
    EXPECT_EQ(rows, rows_of(**data, (*data)->training(3))) << "a batch depends on its number alone";
    EXPECT_NE(rows, rows_of(**data, (*data)->training(4)));
    EXPECT_NE(rows, rows_of(**data, (*data)->held_out(3)));
  }
}

TEST(LetterData, AWordIsSpeltAgainAndAgainFromAnyOfItsLetters) {
  const auto data = open_data(config_of("spell", "{\"word\": \"hello\"}"), {});
  ASSERT_TRUE(data.ok()) << data.error().sentence();
  std::map<char, int> begins;
  for (std::int64_t b = 0; b < 4; ++b)
    for (const std::string& row : rows_of(**data, (*data)->training(b))) {
      EXPECT_NE(std::string("hellohellohellohello").find(row), std::string::npos) << row;
      ++begins[row[0]];
    }
  EXPECT_EQ(begins.size(), 4u) << "h, e, l and o";
}

TEST(LetterData, WhatDoesNotFitIsSaid) {
  const auto said = [](const std::string& json) {
    const auto config = config_from_json(json, "t.json");
    return config.ok() ? std::string() : config.error().sentence();
  };
  const std::string model = "\"model\": {\"d_model\": 16, \"heads\": 2, \"layers\": 1}}";
  EXPECT_NE(said("{\"task\": \"copy\", \"length\": 12, \"letters\": {\"longest\": 6}, " + model).find("do not fit"),
            std::string::npos);
  EXPECT_NE(said("{\"task\": \"sort\", \"letters\": {\"shortest\": 9}, " + model).find("fewest letters"), std::string::npos);
  EXPECT_NE(said("{\"task\": \"spell\", \"letters\": {\"word\": \"é\"}, " + model).find("from a to z"), std::string::npos);
  EXPECT_NE(said("{\"task\": \"repeat\", \"letters\": {}, " + model).find("no meaning"), std::string::npos);
  EXPECT_NE(said("{\"task\": \"copy\", \"letters\": {\"symbols\": 27}, " + model).find("symbols"), std::string::npos);
}

TEST(Plateaus, OfAWordAreTheEntropiesOfItsLetters) {
  const Config config = config_of("spell", "{\"word\": \"hello\"}", 10);
  const auto data = open_data(config, {});
  ASSERT_TRUE(data.ok());
  const auto all = plateaus(config, **data, {});
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 3u);
  EXPECT_NEAR((*all)[0].loss, std::log(4), 1e-12);
  EXPECT_NEAR((*all)[1].loss, -0.6 * std::log(0.2) - 0.4 * std::log(0.4), 0.01);  // three letters once, l twice
  EXPECT_NEAR((*all)[2].loss, 0.4 * std::log(2), 0.01);                           // behind l either l or o
}

TEST(Plateaus, OfARepeatedSegmentCountWhatStoodInTheRow) {
  const auto config = config_from_json(
      R"({"task": "repeat", "repeat": {"symbols": 64, "shortest": 8, "longest": 8}, "length": 16, "batch": 16,
          "model": {"d_model": 16, "heads": 2, "layers": 1}})",
      "t.json");
  ASSERT_TRUE(config.ok());
  const auto data = open_data(*config, {});
  const auto all = plateaus(*config, **data, {});
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 2u);
  EXPECT_NEAR((*all)[0].loss, std::log(64), 1e-12);
  // Eight draws of 64 have few doubles, so about ln 8; a little more where the second pass has begun and counts are uneven.
  EXPECT_NEAR((*all)[1].loss, std::log(8), 0.25);
}

TEST(LiveTraining, LearnsKeepsItsPastAndIsSaved) {
  auto made = LiveTraining::make(config_of("spell", "{\"word\": \"hello\"}"), {}, *backends::open("cpu"), {});
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  LiveTraining& training = **made;
  const NamedTensors before = training.parameters();
  const auto ids = training.ids_of("h e l l o h e l");
  ASSERT_EQ(ids.size(), 8u);
  EXPECT_TRUE(training.ids_of("h a l l o").empty()) << "a letter it does not know";
  const auto first = training.read(before, ids, {});
  ASSERT_TRUE(first.ok()) << first.error().sentence();
  const double began = *training.held_out({});
  for (int i = 0; i < 150; ++i) ASSERT_TRUE(training.step({}).ok());
  EXPECT_LT(*training.held_out({}), 0.5 * began);
  const auto again = training.read(before, ids, {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->right, first->right) << "what was kept says what it said";
  const auto now = training.read(training.parameters(), ids, {});
  ASSERT_TRUE(now.ok());
  EXPECT_GT(now->right[5], first->right[5]);
  ASSERT_EQ(now->weights.size(), 2u);
  EXPECT_EQ(now->weights[0].shape(), (Shape{2, 8, 8}));
  for (std::int64_t row = 0; row < 8; ++row) {
    double sum = 0;
    for (std::int64_t column = 0; column < 8; ++column) {
      const double weight = static_cast<double>(now->weights[1].data<float>()[64 + row * 8 + column]);
      if (column > row) {
        EXPECT_EQ(weight, 0) << "the future is masked";
      }
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  const auto folder = test::process_folder() / "live-training";
  ASSERT_TRUE(save_parameters(folder, training.config(), training.data(), training.parameters()).ok());
  const auto stored = open_stored_model(folder.string());
  ASSERT_TRUE(stored.ok()) << stored.error().sentence();
  EXPECT_EQ((*stored)->document.layers, 2);
}

TEST(LiveTraining, TheLearningRateChangesWhileItRuns) {
  auto made = LiveTraining::make(config_of("copy", "{\"longest\": 5}"), {}, *backends::open("cpu"), {});
  ASSERT_TRUE(made.ok());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE((*made)->step({}).ok());
  (*made)->set_rate(1e-30);
  const NamedTensors before = (*made)->parameters();
  ASSERT_TRUE((*made)->step({}).ok());
  const NamedTensors after = (*made)->parameters();
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(before[i].second.values<float>()[0], after[i].second.values<float>()[0]);
}

TEST(LiveTraining, TooLargeASizeIsRefusedBeforeItIsAllocated) {
  Config config = config_of("copy", "{\"longest\": 5}");
  config.batch = 60000;
  config.model.d_model = 64;
  const auto made = LiveTraining::make(config, {}, *backends::open("cpu"), {});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().kind, ErrorKind::too_large);
}

}  // namespace
}  // namespace headlight::train
