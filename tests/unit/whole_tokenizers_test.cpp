// Tokenizers of every kind of file: unigram models, SentencePiece's models, the library's offsets, what is saved for the library,
// the fast way to ids, and the two splitters written by hand against the regular expressions that they stand for.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/tokenizers/files/hugging_face_writer.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/tokenizers/training/training.h"
#include "support/parity_data.h"
#include "test_data.h"
#include "tests/support/process_folder.h"

namespace headlight::tokenizers {
namespace {

namespace fs = std::filesystem;

std::vector<std::int32_t> ids_with_places(const std::vector<Token>& tokens) {
  std::vector<std::int32_t> ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

class WholeTokenizers : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::process_folder() / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& bytes) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

std::vector<std::string> stress_texts() {
  std::vector<std::string> texts{
      "", "a fluffy blue creature roamed the verdant forest", "I'll  don't WE'VE\n\n x1234567,  \t\r\n…!? naïve e\u0301 İ ﬁ①",
      "東京は夜の七時。\nКак дела? \u3000مرحبا 👩‍👩‍👧 🇩🇪 \x7f\x01",
      "a.b,c;d  [MASK] </s> <|endoftext|>\n.\n.\n x\r\ny"};
  if (test::parity_data().empty()) return texts;
  std::istringstream lines(test::read_bytes(test::parity_data() / "udhr/article1.tsv"));
  for (std::string line; std::getline(lines, line);) texts.push_back(line.substr(line.rfind('\t') + 1));
  return texts;
}

Json small_unigram() {
  return *Json::parse(R"({"added_tokens": [], "normalizer": null, "post_processor": null, "decoder": {"type": "Metaspace",
    "replacement": "▁", "prepend_scheme": "always", "split": true}, "pre_tokenizer": {"type": "Metaspace", "replacement": "▁",
    "prepend_scheme": "always", "split": true}, "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": false, "vocab":
    [["<unk>", 0.0], ["▁", -3.0], ["a", -2.0], ["b", -2.5], ["ab", -3.5], ["▁a", -4.0], ["▁ab", -6.0], ["abab", -9.5]]}})");
}

TEST_F(WholeTokenizers, UnigramTakesTheBestSum) {
  const auto tokenizer = open(write("a/tokenizer.json", small_unigram().dump()));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  const auto tokens = (*tokenizer)->encode("abab bxyb");
  ASSERT_TRUE(tokens.ok());
  // ▁ab (-6) ab (-3.5) against ▁ (-3) ab ab, and ▁a b ab (-10): the sums are -9.5, -10 and -10. What is unknown is one token.
  EXPECT_EQ(ids_with_places(*tokens), (std::vector<std::int32_t>{6, 4, 1, 3, 0, 3}));
  EXPECT_EQ((*tokens)[4].start, 6);
  EXPECT_EQ((*tokens)[4].end, 8);
  EXPECT_EQ((*tokenizer)->decode({6, 4, 1, 3}), "abab b");
}

TEST_F(WholeTokenizers, UnigramFallsBackToBytesOfTheWholeStretch) {
  Json json = small_unigram();
  Json& vocab = json["model"]["vocab"];
  char name[8];
  for (int byte = 0; byte < 256; ++byte) {
    std::snprintf(name, sizeof name, "<0x%02X>", byte);
    vocab.push_back(Json::array({name, -20.0}));
  }
  json["model"]["byte_fallback"] = true;
  const auto tokenizer = open(write("a/tokenizer.json", json.dump()));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  const auto tokens = (*tokenizer)->encode("aéx");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(ids_with_places(*tokens), (std::vector<std::int32_t>{5, 8 + 0xC3, 8 + 0xA9, 8 + 'x'}));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ((*tokens)[i].start, 1) << "all stand for the unknown stretch";
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ((*tokens)[i].end, 4);
}

TEST_F(WholeTokenizers, AModelWithoutAnUnknownTokenSaysWhatItLacks) {
  Json json = small_unigram();
  json["model"]["unk_id"] = nullptr;
  const auto tokenizer = open(write("a/tokenizer.json", json.dump()));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  EXPECT_TRUE((*tokenizer)->encode("ab").ok());
  const auto refused = (*tokenizer)->encode("ax");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().what, "the vocabulary has no piece for 'x', and no unknown token");
  json["model"]["unk_id"] = 99;
  EXPECT_NE(
      open(write("b/tokenizer.json", json.dump())).error().sentence().find("model.unk_id: the unknown token's id is none of 8"),
      std::string::npos);
}

// Texts of all scripts, spaces, emoji and controls, with the ids of each file's own library (whole_tokenizers.py --fixture).
TEST_F(WholeTokenizers, RandomTextsHaveTheIdsOfTheLibraries) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  const auto fixture = Json::parse(test::read_bytes(HEADLIGHT_TEST_DATA "/tokenizers/random.json"));
  ASSERT_TRUE(fixture.ok());
  const Json& texts = (*fixture)["texts"];
  ASSERT_GE(texts.size(), 100u);
  for (const auto& [path, rows] : fixture->members()) {
    if (path == "texts" || path == "versions") continue;
    const auto tokenizer = open((test::parity_data() / path).string());
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
    ASSERT_EQ(rows.size(), texts.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<std::int32_t> expected;
      for (const Json& id : rows[i].elements()) expected.push_back(static_cast<std::int32_t>(id.integer()));
      const auto tokens = (*tokenizer)->encode(texts[i].string());
      const auto ids = (*tokenizer)->encode_ids(texts[i].string());
      ASSERT_TRUE(tokens.ok() && ids.ok());
      EXPECT_EQ(ids_with_places(*tokens), expected) << path << ": " << texts[i].string();
      EXPECT_EQ(*ids, expected) << path << ": " << texts[i].string();
    }
  }
}

TEST_F(WholeTokenizers, T5GivesTheIdsOfTransformersJs) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  const auto tokenizer = open((test::parity_data() / "tokenizer-json/t5-small.json").string());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  const auto file = Json::parse(test::read_bytes(test::parity_data() / "token-expected/transformers.js/t5.json"));
  ASSERT_TRUE(file.ok());
  int compared = 0;
  for (const auto& [name, expected] : (*file)["Xenova/t5-small"].members()) {
    const auto made = (*tokenizer)->encode_single(expected["text"].string());
    ASSERT_TRUE(made.ok());
    std::vector<std::int32_t> ids;
    for (const Json& id : expected["ids"].elements()) ids.push_back(static_cast<std::int32_t>(id.integer()));
    EXPECT_EQ(ids_with_places(made->tokens), ids) << name;
    ++compared;
  }
  EXPECT_GE(compared, 20);
}

// The ids that sentencepiece 0.2.3 gives.
TEST_F(WholeTokenizers, SentencePieceModelsOpenByThemselves) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  const auto tokenizer = open((test::parity_data() / "sentencepiece/test_model.model").string());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  const auto tokens = (*tokenizer)->encode("  Hello   world,\thow ﬁne 日本 ");
  ASSERT_TRUE(tokens.ok());
  ASSERT_GE(tokens->size(), 5u);
  EXPECT_EQ((*tokens)[0].piece, "▁He");
  EXPECT_EQ((*tokens)[0].start, 2);
  EXPECT_EQ((*tokens)[3].piece, "▁world");
  EXPECT_EQ((*tokens)[3].start, 7) << "the spaces before a word are its own";
  EXPECT_EQ((*tokenizer)->decode(ids_with_places(*tokens)), "Hello world, \u2047 how fine  \u2047 ");
}

// sentencepiece 0.2.3: without tokens for bytes "<0x0A>" is a piece like others.
TEST_F(WholeTokenizers, ASentencePieceModelWithoutByteTokensReadsTheirNamesAsText) {
  const auto field = [](int number, const std::string& bytes) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
  };
  std::string model;
  for (const auto& [piece, type] : {std::pair<std::string, char>{"<unk>", 2}, {"▁", 1}, {"<0x0A>", 1}, {"a", 1}})
    model += field(1, field(1, piece) + std::string("\x15\0\0\x80\xBF", 5) + "\x18" + type);  // the score -1
  const auto opened = open(write("tiny.model", model + field(2, "\x18\x01")));
  ASSERT_TRUE(opened.ok()) << opened.error().sentence();
  EXPECT_EQ(*(*opened)->encode_ids("a <0x0A>"), (std::vector<std::int32_t>{1, 3, 1, 2}));
  EXPECT_EQ((*opened)->decode({3, 2}), "a<0x0A>");
}

TEST_F(WholeTokenizers, IdsAloneAreThoseOfTheTokens) {
  std::vector<std::string> names{"characters", "words", "bpe", "wordpiece"};
  if (const fs::path data = test::parity_data(); !data.empty())
    for (const char* file : {"tokenizer-json/t5-small.json", "tokenizer-json/bert-base-uncased.json", "tokenizer-json/gpt2.json",
                             "tokenizer-json/phi-3-mini.json", "tiktoken/cl100k_base.tiktoken", "user-cases/qwen2_style.json",
                             "user-cases/llama2_metaspace_first.json", "sentencepiece/test_model.model"})
      names.push_back((data / file).string());
  for (const std::string& name : names) {
    const auto tokenizer = open(name);
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
    std::string all;
    for (const std::string& text : stress_texts()) {
      const auto tokens = (*tokenizer)->encode(text);
      const auto ids = (*tokenizer)->encode_ids(text);
      ASSERT_TRUE(tokens.ok() && ids.ok()) << name;
      ASSERT_EQ(*ids, ids_with_places(*tokens)) << name << ": " << text;
      all += text + "\n";
    }
    // Again, with all words known, and as one text, which is cut into parts.
    ASSERT_EQ(*(*tokenizer)->encode_ids(all), ids_with_places(*(*tokenizer)->encode(all))) << name;
    ASSERT_EQ(*(*tokenizer)->encode_ids(all), ids_with_places(*(*tokenizer)->encode(all))) << name;
  }
}

TEST_F(WholeTokenizers, TheSplittersByHandAreTheirPatterns) {
  constexpr std::pair<const char*, const char*> kPatterns[] = {
      {"gpt2", R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"},
      {"cl100k",
       R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}};
  for (const auto& [id, expression] : kPatterns) {
    const auto by_hand = text::make_splitters({{id, {}}});
    const auto oracle = text::make_splitters({{"pattern", {{"expression", std::string(expression)}}}});
    ASSERT_TRUE(by_hand.ok() && oracle.ok());
    for (const std::string& text : stress_texts())
      ASSERT_EQ(text::split(text::Normalized(text), *by_hand).words, text::split(text::Normalized(text), *oracle).words) << text;
  }
}

TEST_F(WholeTokenizers, WhatIsSavedForTheLibraryReadsTextsTheSame) {
  for (const std::string kind : {"characters", "words", "bpe", "wordpiece"}) {
    const auto tokenizer = open(kind);
    ASSERT_TRUE(tokenizer.ok());
    ASSERT_TRUE(save_hugging_face(**tokenizer, folder_ / kind).ok());
    const auto again = open((folder_ / kind / "tokenizer.json").string());
    ASSERT_TRUE(again.ok()) << again.error().sentence();
    for (const std::string text : {"a fluffy blue creature", "It's 東京, isn't it?", "x  y\n\nz", "k\u0489\r\nका\u200Dक"})
      EXPECT_EQ(*(*again)->encode_ids(text), *(*tokenizer)->encode_ids(text)) << kind << ": " << text;
  }
  EXPECT_TRUE(fs::exists(folder_ / "bpe/merges.txt"));
  EXPECT_TRUE(fs::exists(folder_ / "wordpiece/vocab.txt"));
}

// The merges that tokenizers 0.23.3 finds in this text, with ids that begin at the alphabet.
TEST_F(WholeTokenizers, TrainingAsTheLibraryDoesBreaksTiesByIds) {
  TrainingOptions options;
  options.vocabulary_size = 4 + 256 + 20;
  options.as_library = true;
  const Entry* const bpe = registry().find("bpe");
  std::vector<WordCount> words;
  for (const char* line :
       {"hug hug hug pug pun pun bun hugs abab abab aaaa banana bananas and the bands", "the cat sat on the mat the hat sat"}) {
    const auto counted = bpe->count_words(line, options, {});
    ASSERT_TRUE(counted.ok());
    for (const WordCount& word : *counted) {
      const auto known = std::find_if(words.begin(), words.end(), [&](const WordCount& one) { return one.word == word.word; });
      if (known == words.end())
        words.push_back(word);
      else
        known->count += word.count;
    }
  }
  const auto training = bpe->train(words, options, {});
  ASSERT_TRUE(training.ok()) << training.error().sentence();
  const Merges expected{{"a", "n"},  {"a", "t"},  {"u", "g"},   {"a", "b"},  {"h", "e"},   {"h", "ug"},    {"t", "he"},
                        {"Ġ", "b"},  {"a", "a"},  {"u", "n"},   {"Ġ", "p"},  {"Ġ", "hug"}, {"Ġ", "the"},   {"Ġb", "an"},
                        {"s", "at"}, {"Ġ", "ab"}, {"Ġ", "sat"}, {"an", "a"}, {"Ġp", "un"}, {"Ġban", "ana"}};
  EXPECT_EQ(training->tokenizer->plan().merges, expected);
}

TEST_F(WholeTokenizers, RanksSayTheirPatternBehindAColon) {
  std::string lines;
  constexpr const char* kBase64[] = {"YQ==", "Yg==", "IA=="};  // a, b, a space
  for (int i = 0; i < 3; ++i) lines += std::string(kBase64[i]) + " " + std::to_string(i) + "\n";
  const std::string file = write("mine.tiktoken", lines);
  const auto tokenizer = open(file + ":o200k");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  EXPECT_EQ(*(*tokenizer)->encode_ids("ab a"), (std::vector<std::int32_t>{0, 1, 2, 0}));
  EXPECT_FALSE(open(file + ":other").ok());
}

}  // namespace
}  // namespace headlight::tokenizers
