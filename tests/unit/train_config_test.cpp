// The configuration of a training: what it says, what it refuses, and what a checkpoint compares.
#include "engine/train/config.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/core/files.h"
#include "engine/core/nearest_name.h"
#include "engine/core/rng.h"
#include "engine/train/config_keys.h"
#include "test_data.h"

namespace headlight::train {
namespace {

// A small configuration with other members, as ", \"batch\": 3", in place of its own or besides.
std::string with(const std::string& more) {
  Json json = *Json::parse(R"({"task": "text", "corpus": ["a.txt"], "model": {"d_model": 64, "heads": 4, "layers": 2}})");
  if (!more.empty()) json.update(*Json::parse("{" + more.substr(1) + "}"));
  return json.dump();
}

std::string sentence_of(const std::string& text) {
  const auto config = config_from_json(text, "t.json");
  return config.ok() ? "" : config.error().sentence();
}

TEST(TrainConfig, ReadsACommentedFileAndKeepsDefaults) {
  const auto config = config_from_json(R"({
    // what is learnt
    "name": "small", "task": "text", /* from
    two places */ "corpus": ["stories/*.txt", {"files": "p.tsv", "column": 1, "shuffled": true}],
    "tokenizer": {"kind": "words", "size": 500},
    "model": {"d_model": 64, "heads": 4, "layers": 2, "norm_kind": "rms", "position": "rotary", "final_norm": true},
    "length": 32, "learning_rate": 2e-3, "seed": 7
  })",
                                       "t.json");
  ASSERT_TRUE(config.ok()) << config.error().sentence();
  EXPECT_EQ(config->name, "small");
  EXPECT_EQ(config->task, Task::text);
  ASSERT_EQ(config->corpus.size(), 2u);
  EXPECT_EQ(config->corpus[0].files, "stories/*.txt");
  EXPECT_EQ(config->corpus[0].column, 0);
  EXPECT_EQ(config->corpus[1].column, 1);
  EXPECT_TRUE(config->corpus[1].shuffled);
  EXPECT_EQ(config->tokenizer.kind, "words");
  EXPECT_EQ(config->tokenizer.size, 500);
  EXPECT_EQ(config->model.position, "rotary");
  EXPECT_EQ(config->model.masks, (std::vector<Choice>{{"causal", {}}}));
  EXPECT_EQ(config->length, 32);
  EXPECT_EQ(config->batch, 16);
  EXPECT_EQ(config->learning_rate, 2e-3);
  EXPECT_EQ(config->seed, 7u);
  EXPECT_TRUE(config->tied);
}

TEST(TrainConfig, MasksFollowTheTask) {
  const auto masked =
      config_from_json(R"({"task": "masked", "corpus": ["a.txt"], "model": {"d_model": 64, "heads": 4, "layers": 2}})", "t.json");
  ASSERT_TRUE(masked.ok()) << masked.error().sentence();
  EXPECT_EQ(masked->model.masks, (std::vector<Choice>{{"padding", {}}}));
  const auto pairs =
      config_from_json(R"({"task": "pairs", "corpus": ["a.tsv"], "model": {"d_model": 64, "heads": 4, "layers": 2}})", "t.json");
  ASSERT_TRUE(pairs.ok()) << pairs.error().sentence();
  EXPECT_EQ(pairs->model.masks, (std::vector<Choice>{{"causal", {}}, {"padding", {}}}));
}

TEST(TrainConfig, RefusesWhatIsWrongWithASentence) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {with(R"(, "batchs": 3)"), "t.json: there is no key 'batchs'; 'batch' may be meant; known are name, "},
      {with(R"(, "zzzzzzzzzz": 3)"), "t.json: there is no key 'zzzzzzzzzz'; known are name, "},
      {with(R"(, "batch": "3")"), "t.json: 'batch' has the wrong type; give a whole number"},
      {with(R"(, "batch": 2.5)"), "t.json: 'batch' has the wrong type; give a whole number"},
      {with(R"(, "batch": 0)"), "t.json: batch: '0' is out of range; give a whole number from 1 to 65536"},
      {with(R"(, "products": "float16")"), "t.json: products: 'float16' is not known; give one of float32, bfloat16"},
      {with(R"(, "steps": -4)"), "t.json: steps: '-4' is out of range"},
      {with(R"(, "steps": 18446744073709551615)"), "t.json: steps: '-1' is out of range"},
      {with(R"(, "learning_rate": 100)"), "t.json: learning_rate: '100' is out of range"},
      {with(R"(, "learning_rate": 1e-5)"), "t.json: the least learning rate is above the learning rate"},
      {with(R"(, "steps": 50)"), "t.json: the warm-up of 100 steps is longer than the training of 50"},
      {with(R"(, "batch": 65536, "length": 512)"), "t.json: a batch of 65536 rows of 512 tokens is larger than 1048576 tokens"},
      {with(R"(, "tokenizer": {"kind": "bpf"})"), "t.json: tokenizer: kind: 'bpf' is not known; give one of characters, words"},
      {with(R"(, "tokenizer": {"sise": 3})"), "t.json: tokenizer: there is no key 'sise'; 'size' may be meant"},
      {with(R"(, "tokenizer": {"size": 0})"), "t.json: tokenizer: a vocabulary of 0 pieces is of no use with bpe"},
      {with(R"(, "tokenizer": {"whole": "a"})"), "t.json: tokenizer: 'whole' has the wrong type; give a list of words"},
      {with(R"(, "tokenizer": {"kind": "words", "whole": ["a"]})"), "t.json: tokenizer: 'whole' has no meaning for words"},
      {with(R"(, "target_tokenizer": {})"), "t.json: 'target_tokenizer' has no meaning for the task 'text'"},
      {with(R"(, "start": "stories", "tokenizer": {})"), "t.json: 'tokenizer' has no meaning beside 'start'"},
      {with(R"(, "start": 3)"), "t.json: 'start' has the wrong type; give a text"},
      {with(R"(, "repeat": {})"), "t.json: 'repeat' has no meaning for the task 'text'"},
      {with(R"(, "grammar": {"file": "g.txt"})"), "t.json: both a corpus and a grammar are named"},
      {with(R"(, "corpus": "a.txt")"), "t.json: 'corpus' has the wrong type; give a list of files"},
      {with(R"(, "corpus": [{"column": 1}])"), "t.json: 'corpus' names no files"},
      {with(R"(, "corpus": [])"), "t.json: no data are named"},
      {with(R"(, "model": {"d_model": 65, "heads": 4})"),
       "t.json: model heads: d_model 65 cannot be divided among 4 heads; give a number of heads that divides d_model"},
      {with(R"(, "model": {"d_modell": 65})"), "t.json: model: there is no key 'd_modell'; 'd_model' may be meant"},
      {with(R"(, "model": {"texts": ["x"]})"), "t.json: model: there is no key 'texts'"},
      {with(R"(, "model": {"layers": "two"})"), "t.json: model: 'layers' has the wrong type; give a whole number"},
      {with(R"(, "model": {"masks": []})"), "t.json: model masks: a model that sees the next token learns nothing"},
      {with(R"(, "model": 3)"), "t.json: 'model' has the wrong type; give an object"},
      {R"({"corpus": ["a"], "model": {}})", "t.json: 'task' is missing"},
      {R"({"task": "text", "corpus": ["a"]})", "t.json: 'model' is missing"},
      {R"({"task": "dance"})", "t.json: task: 'dance' is not known; give one of text, pairs, masked, repeat"},
      {R"({"task": "pairs", "corpus": [{"files": "a", "column": 2}], "model": {}})",
       "t.json: corpus: pairs are lines of two columns"},
      {R"({"task": "masked", "corpus": ["a"], "model": {"masks": ["causal"]}})",
       "t.json: model masks: a model that fills in masked tokens reads both sides"},
      {R"({"task": "pairs", "corpus": ["a"], "model": {"masks": ["causal"]}})",
       "t.json: model masks: rows of different lengths are filled up"},
      {R"({"task": "repeat", "model": {}, "repeat": {"shortest": 9, "longest": 8}})",
       "t.json: repeat: the shortest segment is longer than the longest"},
      {R"({"task": "repeat", "model": {}, "length": 20, "repeat": {"longest": 12}})",
       "t.json: repeat: a segment of 12 symbols does not fit twice into a row of 20"},
      {R"({"task": "text", "task": "pairs"})", "t.json: 'task' stands twice in one object"},
      {"[]", "t.json: this is no configuration of a training"},
      {"{", "t.json: this is not JSON from line 1"},
      {"// nothing", "t.json: this is not JSON"},
  };
  for (const auto& [text, begins] : cases) {
    const std::string sentence = sentence_of(text);
    EXPECT_EQ(sentence.substr(0, begins.size()), begins) << text << "\n" << sentence;
  }
}

TEST(TrainConfig, ACheckpointOfAnotherTrainingIsRefusedByItsKey) {
  const auto config = config_from_json(with(""), "t.json");
  ASSERT_TRUE(config.ok()) << config.error().sentence();
  // Through its text, as a checkpoint keeps it.
  const auto saved = Json::parse(what_determines(*config).dump());
  ASSERT_TRUE(saved.ok());
  EXPECT_TRUE(check_same_training(*saved, *config, "c").ok());

  Config other = *config;
  other.name = "other";
  other.evaluate_every = 7;
  other.checkpoint_every = 9;
  EXPECT_TRUE(check_same_training(*saved, other, "c").ok());
  other.learning_rate = 5e-4;
  const Status changed = check_same_training(*saved, other, "c");
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.error().sentence(),
            "c: it belongs to another training: 'learning_rate' is 0.001 there and 0.0005 here; give the configuration it was "
            "begun with, or another folder");
  other = *config;
  other.model.heads = 8;
  EXPECT_NE(check_same_training(*saved, other, "c").error().sentence().find("'model.heads' is \"4\" there and \"8\" here"),
            std::string::npos);
  other = *config;
  other.corpus.push_back({"b.txt"});
  EXPECT_NE(check_same_training(*saved, other, "c").error().sentence().find("'corpus'"), std::string::npos);
  EXPECT_FALSE(check_same_training(Json(3), *config, "c").ok());
  EXPECT_FALSE(check_same_training(Json::object(), *config, "c").ok());
}

TEST(TrainConfig, ChangedBytesAreReadOrRefusedWithASentence) {
  const std::string good = with(R"(, "tokenizer": {"kind": "words", "size": 500}, "learning_rate": 2e-3, "seed": 7)") + "// a";
  const Rng rng(1, "changes");
  int refused = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    std::string text = good;
    for (std::uint64_t change = 0; change <= i % 3; ++change) {
      const std::size_t at = rng.bits(i, 2 * change) % text.size();
      const std::uint64_t drawn = rng.bits(i, 2 * change + 1);
      if (drawn % 3 == 0) {
        text.erase(at, 1 + (drawn >> 8) % 5);
      } else {
        text[at] = drawn % 3 == 1 ? R"({}[]",:019e-/* truefalsn)"[(drawn >> 8) % 24] : static_cast<char>(drawn >> 8);
      }
    }
    const auto config = config_from_json(text, "t.json");
    if (config.ok()) {
      EXPECT_TRUE(check_same_training(what_determines(*config), *config, "c").ok()) << text;
    } else {
      ++refused;
      EXPECT_FALSE(config.error().what.empty());
      EXPECT_TRUE(config.error().where.english().starts_with("t.json")) << text;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 3000);
}

TEST(TrainConfig, TheBundledConfigurationsAreRead) {
  const auto assets = assets_folder();
  ASSERT_TRUE(assets.ok());
  int read = 0;
  for (const auto& folder : std::filesystem::directory_iterator(*assets / "models")) {
    if (!folder.is_directory()) continue;
    const auto config = read_config((folder.path() / "train.json").string());
    EXPECT_TRUE(config.ok()) << config.error().sentence();
    if (config.ok()) {
      EXPECT_EQ(config->name, folder.path().filename().string());
    }
    ++read;
  }
  EXPECT_GE(read, 6);
}

TEST(TrainConfig, TheDocumentationNamesEveryKey) {
  const auto text = read_file(std::filesystem::path(HEADLIGHT_TEST_DATA) / ".." / ".." / "docs" / "training.md");
  ASSERT_TRUE(text.ok()) << text.error().sentence();
  std::vector<std::string> keys = {"corpus", "grammar", "repeat", "tokenizer", "target_tokenizer", "model", "whole"};
  const auto add = [&](const std::vector<std::string>& names) { keys.insert(keys.end(), names.begin(), names.end()); };
  add(names_of(config_keys()));
  add(names_of(corpus_keys()));
  add(names_of(grammar_keys()));
  add(names_of(repeat_keys()));
  add(names_of(vocabulary_keys()));
  for (const std::string& key : keys) EXPECT_NE(text->find("`" + key + "`"), std::string::npos) << key;
}

TEST(TrainConfig, AMissingFileIsNamed) {
  const auto config = read_config("/no/such/train.json");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().where, "/no/such/train.json");
}

TEST(NearestName, IsTheOneWithTheFewestEdits) {
  const std::vector<std::string> names = {"heads", "layers", "d_model"};
  EXPECT_EQ(nearest_name("head", names), "heads");
  EXPECT_EQ(nearest_name("laeyrs", names), "layers");
  EXPECT_EQ(nearest_name("model", names), "d_model");
  EXPECT_EQ(nearest_name("vocabulary", names), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'x'), names), "");
}

}  // namespace
}  // namespace headlight::train
