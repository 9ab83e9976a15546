// Our tokenizers against published ones: ids of the PyPI package `tokenizers` for our vocabularies (a committed fixture, made by
// tests/parity/make_tokenizer_fixture.py), and GPT-2's own vocabulary against published expectations.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"
#include "support/parity_data.h"
#include "test_data.h"

namespace headlight::tokenizers {
namespace {

std::vector<std::int32_t> tokenizer_parity_ids_of(const Tokenizer& tokenizer, const std::string& text) {
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
      EXPECT_EQ(tokenizer_parity_ids_of(**tokenizer, text), ids_in(row)) << kind << ": " << text;
    }
  }
}

class Gpt2 : public ::testing::Test {
 protected:
  void SetUp() override {
    HEADLIGHT_NEEDS_PARITY_DATA();
    const auto made = open((test::parity_data() / "gpt2-bpe").string());
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    tokenizer_ = *made;
    ASSERT_EQ(tokenizer_->vocabulary_size(), 50257);
  }
  std::shared_ptr<const Tokenizer> tokenizer_;
};

TEST_F(Gpt2, IdsAndTextsOfTransformersJsCases) {
  const auto file = Json::parse(test::read_bytes(test::parity_data() / "token-expected/transformers.js/gpt2.json"));
  ASSERT_TRUE(file.ok()) << file.error().sentence();
  const Json& cases = (*file)["Xenova/gpt2"];
  int compared = 0;
  for (const auto& [name, expected] : cases.members()) {
    const std::string text = expected["text"].string();
    const auto ids = ids_in(expected);
    EXPECT_EQ(tokenizer_parity_ids_of(*tokenizer_, text), ids) << name;
    EXPECT_EQ(tokenizer_->decode(ids), text) << name;
    ++compared;
  }
  EXPECT_GE(compared, 20);
}

}  // namespace
}  // namespace headlight::tokenizers
