// Our tokenizers against published ones: ids of the PyPI package `tokenizers` for our vocabularies (a committed fixture, made by
// tests/parity/make_tokenizer_fixture.py), and GPT-2's own vocabulary against published expectations.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/tokenizer.h"
#include "support/parity_data.h"
#include "test_data.h"

namespace headlight::tokenizers {
namespace {

std::vector<std::int32_t> ids_of(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::int32_t> ids;
  const auto tokens = tokenizer.encode(text);
  EXPECT_TRUE(tokens.ok());
  if (tokens.ok()) {
    for (const Token& token : *tokens) ids.push_back(token.id);
  }
  return ids;
}

std::vector<std::int32_t> ids_in(const Json& row) {
  std::vector<std::int32_t> ids;
  for (const Json& id : row["ids"].elements()) ids.push_back(static_cast<std::int32_t>(id.integer()));
  return ids;
}

TEST(TokenizerParity, SameIdsAsThePublishedPackageForOurVocabularies) {
  const Json fixture = *Json::parse(test::read_bytes(HEADLIGHT_TEST_DATA "/tokenizers/published.json"));
  for (const std::string kind : {"bpe", "wordpiece"}) {
    const auto tokenizer = open(kind);
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
    ASSERT_GT(fixture[kind].size(), 10u);
    for (const Json& row : fixture[kind].elements()) {
      const std::string text = row["text"].string();
      EXPECT_EQ(ids_of(**tokenizer, text), ids_in(row)) << kind << ": " << text;
    }
  }
}

class Gpt2 : public ::testing::Test {
 protected:
  void SetUp() override {
    HEADLIGHT_NEEDS_PARITY_DATA();
    const auto folder = test::parity_data() / "gpt2-bpe";
    const Json encoder = *Json::parse(test::read_bytes(folder / "encoder.json"));
    std::vector<std::string> pieces(encoder.size());
    for (const auto& [piece, id] : encoder.members()) pieces.at(static_cast<std::size_t>(id.integer())) = piece;
    Merges merges;
    std::istringstream lines(test::read_bytes(folder / "vocab.bpe"));
    std::string line;
    std::getline(lines, line);  // "#version: 0.2"
    while (std::getline(lines, line))
      if (const std::size_t space = line.find(' '); space != std::string::npos)
        merges.emplace_back(line.substr(0, space), line.substr(space + 1));
    auto vocabulary = Vocabulary::of(std::move(pieces), folder.string());
    ASSERT_TRUE(vocabulary.ok()) << vocabulary.error().sentence();
    const auto made = Tokenizer::make(plan_of("bpe", std::move(vocabulary).value(), merges), folder.string());
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    tokenizer_ = *made;
    ASSERT_EQ(tokenizer_->vocabulary_size(), 50257);
  }
  std::shared_ptr<const Tokenizer> tokenizer_;
};

TEST_F(Gpt2, IdsOfLlamaCppsCases) {
  const auto folder = test::parity_data() / "token-expected/llama.cpp";
  const std::string input = test::read_bytes(folder / "ggml-vocab-gpt-2.gguf.inp");
  std::istringstream outputs(test::read_bytes(folder / "ggml-vocab-gpt-2.gguf.out"));
  const std::string divider = "\n__ggml_vocab_test__\n";
  int cases = 0;
  for (std::size_t begin = 0; begin < input.size(); ++cases) {
    std::size_t end = input.find(divider, begin);
    if (end == std::string::npos) end = input.size();
    const std::string text = input.substr(begin, end - begin);
    std::string line;
    ASSERT_TRUE(std::getline(outputs, line));
    std::vector<std::int32_t> expected;
    std::istringstream numbers(line);
    for (std::int32_t id = 0; numbers >> id;) expected.push_back(id);
    EXPECT_EQ(ids_of(*tokenizer_, text), expected) << text;
    begin = end + divider.size();
  }
  EXPECT_EQ(cases, 46);
}

TEST_F(Gpt2, IdsAndTextsOfTransformersJsCases) {
  const auto file = Json::parse(test::read_bytes(test::parity_data() / "token-expected/transformers.js/gpt2.json"));
  ASSERT_TRUE(file.ok()) << file.error().sentence();
  const Json& cases = (*file)["Xenova/gpt2"];
  int compared = 0;
  for (const auto& [name, expected] : cases.members()) {
    const std::string text = expected["text"].string();
    if (text.find("<|endoftext|>") != std::string::npos) continue;  // theirs recognises special tokens inside a text
    const auto ids = ids_in(expected);
    EXPECT_EQ(ids_of(*tokenizer_, text), ids) << name;
    EXPECT_EQ(tokenizer_->decode(ids), text) << name;
    ++compared;
  }
  EXPECT_GE(compared, 20);
}

}  // namespace
}  // namespace headlight::tokenizers
