// The fast way to ids of unigram models, which looks parts of words up, against the one that reads a text whole.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/text/charsmaps/charsmap.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/models/joints.h"
#include "engine/tokenizers/tokenizer.h"
#include "support/parity_data.h"
#include "test_data.h"
#include "tests/support/process_folder.h"

namespace headlight::tokenizers {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFragments[] = {
    " ",    " ",    " ",          " ",        "  ",     "\n",  "\r\n", "\t",        "\n    ",     "\v",        "\xC2\xA0",
    "the",  "self", "return",     "foo",      "Bar",    "x",   "_",    ".",         ",",          "(",         ")",
    "()",   "{",    "}",          "{}",       "~",      "<",   "->",   "=",         "==",         "\"",        "'",
    "'s",   "12",   "1,000",      "/",        "\\",     "^",   "`",    "qx",        "\u2581",     "\u2581a",   "a\u2581",
    "é",    "e",    "\u0301",     "\u200B",   "\u3000", "ﬁ",   "①",    "東京",      "Как дела",   "\xFF",      "\xE2\x96",
    "\x01", "\x7F", "Polixenes ", "naïve, ",  "…",      "(a)", "ab",   "abab",      "ab.ab",      "a.b,ab;ab", "😀",
    "¨",    "0x1F", "::",         "operator", "std::",  "+",   "#",    "__init__(", "i < n; ++i", "[0]",       "%s"};

std::string random_text(std::mt19937& draw, std::uint32_t most) {
  std::string text;
  for (auto left = draw() % most + 1; left > 0; --left) text += kFragments[draw() % std::size(kFragments)];
  return text;
}

void expect_same_ids(const Tokenizer& tokenizer, const std::string& text, const std::string& name) {
  const auto tokens = tokenizer.encode(text);
  const auto ids = tokenizer.encode_ids(text);
  ASSERT_TRUE(tokens.ok() && ids.ok()) << name;
  std::vector<std::int32_t> wanted;
  for (const Token& token : *tokens) wanted.push_back(token.id);
  ASSERT_EQ(*ids, wanted) << name << ": " << text;
}

// Texts one by one, and a long one, whose sum of scores goes beyond the limit.
void expect_same_ids_of_random_texts(const Tokenizer& tokenizer, const std::string& name) {
  std::mt19937 draw(11);
  for (int round = 0; round < 600; ++round) {
    expect_same_ids(tokenizer, random_text(draw, 30), name);
    if (::testing::Test::HasFatalFailure()) return;
  }
  for (const char* text : {"a\u2581\u00A0 (", "\u2581\u3000 e", "a\u2581 \u00A0"}) expect_same_ids(tokenizer, text, name);
  expect_same_ids(tokenizer, random_text(draw, 80'000), name);
  expect_same_ids(tokenizer, std::string(20'000, 'a') + ".ab" + std::string(9'000, '{') + " ab", name);
}

// The scores -0.1 and -0.2 are together not quite -0.3, and behind other scores they may be: "ab" is cut by what stands before.
std::string tied_unigram(const std::string& splitters) {
  return R"({"added_tokens": [], "normalizer": {"type": "NFC"}, "post_processor": null, "decoder": null, "pre_tokenizer": )" +
         splitters + R"(, "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": false, "vocab":
    [["<unk>", 0.0], ["▁", -3.7], ["a", -0.1], ["b", -0.2], ["ab", -0.3], ["▁a", -4.1], [".", -1.3], [",", -0.7], ["x", -2.9],
     ["abab", -0.6], [";", -1.1], ["the", -0.9], ["e", -5.3]]}})";
}

TEST(WordParts, HaveTheIdsOfTheWholeText) {
  if (test::parity_data().empty()) GTEST_SKIP() << "HEADLIGHT_PARITY_DATA is not set";
  for (const char* name :
       {"sentencepiece/t5_base_spiece.model", "sentencepiece/test_model.model", "tokenizer-json/t5-small.json"}) {
    const auto tokenizer = open((test::parity_data() / name).string());
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
    expect_same_ids_of_random_texts(**tokenizer, name);
  }
}

TEST(WordParts, WhoseWaysAreTiedAreReadInTheirWord) {
  const fs::path folder = test::process_folder() / "word_parts";
  fs::create_directories(folder);
  for (const char* splitters : {R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}]})",
                                R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true})"}) {
    const std::string file = (folder / "tokenizer.json").string();
    std::ofstream(file, std::ios::binary) << tied_unigram(splitters);
    const auto tokenizer = open(file);
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
    expect_same_ids_of_random_texts(**tokenizer, splitters);
  }
  fs::remove_all(folder);
}

TEST(WordParts, EndWhereNoPieceLiesAcross) {
  Joints joints;
  joints.add("ab.");
  joints.add('x', '\xFF');
  EXPECT_TRUE(joints.join('a', 'b'));
  EXPECT_TRUE(joints.join('b', '.'));
  EXPECT_TRUE(joints.join('x', '\xFF'));
  EXPECT_FALSE(joints.join('b', 'a'));
  EXPECT_FALSE(joints.join('.', 'a'));
  EXPECT_FALSE(joints.join('x', '?'));
}

TEST(Charsmaps, SayWhichCharactersStandAlone) {
  EXPECT_EQ(text::Charsmap().standing_alone(" e"), " e") << "an empty table replaces nothing";
  if (test::parity_data().empty()) GTEST_SKIP() << "HEADLIGHT_PARITY_DATA is not set";
  const Json file = *Json::parse(test::read_bytes(test::parity_data() / "tokenizer-json/t5-small.json"));
  const auto map = text::Charsmap::of_base64(file["normalizer"]["precompiled_charsmap"].string());
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map->standing_alone(" \t\n\re=!"), " \t\n\r!") << "e and = are joined with marks";
  EXPECT_TRUE(map->longest("e\u0301").has_value());
  EXPECT_FALSE(map->makes("\u2581"));
  EXPECT_TRUE(map->makes("fi"));
}

}  // namespace
}  // namespace headlight::tokenizers
