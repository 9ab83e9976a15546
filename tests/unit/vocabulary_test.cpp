// The table of a vocabulary's pieces, and the table of their texts by which long lists of ids are decoded.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/text/normalizers/normalizer.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/models/vocabulary.h"
#include "engine/tokenizers/tokenizer.h"
#include "support/parity_data.h"

namespace headlight::tokenizers {
namespace {

TEST(Vocabulary, FindsEveryPieceWhileItGrows) {
  Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.find("a"), -1);
  for (std::int32_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(vocabulary.add("piece " + std::to_string(i)), i);
    EXPECT_EQ(vocabulary.add("piece 0"), 0);
  }
  vocabulary.add_at("far", 9000);  // the ids between stand for nothing
  vocabulary.add_at("between", 7000);
  vocabulary.add_at("taken", 7000);
  vocabulary.add_at("piece 3", 8000);
  EXPECT_EQ(vocabulary.size(), 9001);
  for (std::int32_t i = 0; i < 5000; ++i) EXPECT_EQ(vocabulary.find("piece " + std::to_string(i)), i);
  EXPECT_EQ(vocabulary.find("far"), 9000);
  EXPECT_EQ(vocabulary.find("between"), 7000);
  EXPECT_EQ(vocabulary.find("taken"), -1);
  EXPECT_EQ(vocabulary.find("piece 5000"), -1);
  EXPECT_EQ(vocabulary.piece(8000), "");
  const Vocabulary copy = vocabulary;
  EXPECT_EQ(copy.find("piece 4999"), 4999);
}

// SentencePiece adds up single-precision scores over a whole text, and begins anew beyond 100,000. "Polixenes" is cut in either
// of two ways by what stands before it: encode() adds up the whole text, encode_ids() looks words up and only follows the sum.
TEST(RunningSums, WordsThatAreLookedUpAreCutAsInTheWholeText) {
  if (test::parity_data().empty()) GTEST_SKIP() << "HEADLIGHT_PARITY_DATA is not set";
  const auto tokenizer = open((test::parity_data() / "sentencepiece/t5_base_spiece.model").string());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  std::string text;
  for (int i = 0; i < 6000; ++i) text += i % 50 ? "Polixenes " : "GLOUCESTER:  \xE4\xBD\xA0 caf\xC3\xA9 1,000\n ";
  const auto whole = (*tokenizer)->encode(text);
  const auto ids = (*tokenizer)->encode_ids(text);
  ASSERT_TRUE(whole.ok() && ids.ok());
  std::vector<std::int32_t> of_whole;
  for (const Token& token : *whole) of_whole.push_back(token.id);
  EXPECT_EQ(*ids, of_whole);
  // Which way is taken changes with the sum, as the library's does: 484 words one way, then 483 the other.
  std::string words;
  for (int i = 0; i < 1000; ++i) words += i ? " Polixenes" : "Polixenes";
  const auto many = (*tokenizer)->encode_ids(words);
  ASSERT_TRUE(many.ok());
  const std::size_t first = (*tokenizer)->encode_ids("Polixenes")->size();
  EXPECT_EQ(first, 5u);
  EXPECT_EQ(many->size(), 484 * 5u + 483 * 4u + 33 * 5u);
}

// The decoders write the beginning of a text and what has special tokens; the rest of a long list comes from a table.
TEST(Decoding, ALongListGivesTheTextOfTheDecoders) {
  std::vector<std::string> names = bundled_names();
  if (!test::parity_data().empty())
    for (const char* name : {"tokenizer-json/gpt2.json", "tokenizer-json/bert-base-uncased.json", "tokenizer-json/t5-small.json",
                             "tokenizer-json/phi-3-mini.json", "sentencepiece/t5_base_spiece.model",
                             "sentencepiece/test_model.model", "user-cases/clip_style_end_of_word.json"})
      names.push_back((test::parity_data() / name).string());
  for (const std::string& name : names) {
    const auto tokenizer = open(name);
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
    std::mt19937 draw(7);
    for (int round = 0; round < 20; ++round) {
      std::vector<std::int32_t> ids;
      while (ids.size() < 300) {
        const auto id = static_cast<std::int32_t>(draw() % static_cast<unsigned>((*tokenizer)->vocabulary_size()));
        if ((*tokenizer)->decode({id}) == (*tokenizer)->decode({id}, true)) ids.push_back(id);
      }
      EXPECT_EQ((*tokenizer)->decode(ids), (*tokenizer)->decode(ids, true)) << name;
    }
  }
}

TEST(SpaceIdeographs, AreThoseOfTheLibrary) {
  const auto stages = text::make_normalizers({{"space_ideographs", {}}});
  ASSERT_TRUE(stages.ok());
  EXPECT_EQ(text::normalize("a\u4e00b", *stages).text(), "a \u4e00 b");
  EXPECT_EQ(text::normalize("a\U0002B820b", *stages).text(), "a\U0002B820b");
  EXPECT_EQ(text::normalize("a\U0002B920b", *stages).text(), "a \U0002B920 b");
}

TEST(StripAccents, MarksAreThoseOfTheLibrary) {
  const auto stages = text::make_normalizers({{"strip_accents", {}}});
  ASSERT_TRUE(stages.ok()) << stages.error().sentence();
  EXPECT_EQ(text::normalize("a\u0301b\u1734c", *stages).text(), "abc");
  EXPECT_EQ(text::normalize("a\U000111C9b", *stages).text(), "a\U000111C9b") << "it was punctuation in Unicode 8";
  const auto all = text::make_normalizers({{"strip_accents", {{"marks", std::string("all")}}}});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(text::normalize("a\u0301b\u1cf2c\u0903", *all).text(), "abc");
  EXPECT_EQ(text::normalize("a\u1acab", *all).text(), "a\u1acab") << "it came with Unicode 14";
}

}  // namespace
}  // namespace headlight::tokenizers
