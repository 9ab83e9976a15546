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
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/utf8.h"
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

// Both ways to normalise by the table of T5's file.
TEST(Charsmaps, RewriteAsTheyApply) {
  if (test::parity_data().empty()) GTEST_SKIP() << "HEADLIGHT_PARITY_DATA is not set";
  const Json file = *Json::parse(test::read_bytes(test::parity_data() / "tokenizer-json/t5-small.json"));
  const auto stages =
      text::make_normalizers({{"precompiled", {{"charsmap", file["normalizer"]["precompiled_charsmap"].string()}}}});
  ASSERT_TRUE(stages.ok());
  for (const char* bytes :
       {"", "a", "plain words", "\uFB01x e\u0301e\u0301\u0323 \u00BD", "\u6771\u4EAC\u3000\uFF21\u30AB\u3099", "a\xFF\uFB01\xC3",
        "\u1100\u1161\u11A8\u2460", "\U0001F468\u200D\U0001F469 \u2026\r\n", "=\u0338!\u0338"}) {
    std::string rewritten = bytes;
    stages->front()->rewrite(rewritten);
    EXPECT_EQ(rewritten, text::normalize(bytes, *stages).text()) << bytes;
  }
  // Every character alone and before a mark.
  for (char32_t c = 1; c < 0x30000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    const std::string text = text::to_utf8(c) + "\u0301" + text::to_utf8(c);
    std::string rewritten = text;
    stages->front()->rewrite(rewritten);
    ASSERT_EQ(rewritten, text::normalize(text, *stages).text()) << static_cast<std::uint32_t>(c);
  }
}

// Whitespace, signs and broken bytes at every place of words that are normalised.
TEST(WordParts, HaveTheIdsOfAllStagesBesideOtherScripts) {
  if (test::parity_data().empty()) GTEST_SKIP() << "HEADLIGHT_PARITY_DATA is not set";
  const auto tokenizer = open((test::parity_data() / "tokenizer-json/t5-small.json").string());
  ASSERT_TRUE(tokenizer.ok());
  const std::vector<std::string> parts = {"\u6771",       "\u00A0", "\u3000", "\u2581",   "\u2009", "\u205F", "\u1680",
                                          "\x85",         "\u0085", "\xE2",   "\xE3\x80", "a",      " ",      "\uFB01",
                                          "\u0938\u093F", "\u0600", "\u0301", "\u3042",   "\xC2",   "\u2026", "\x01"};
  for (const std::string& one : parts)
    for (const std::string& two : parts)
      for (const std::string& three : parts) {
        expect_same_ids(**tokenizer, one + two + "\u00E9" + three + "x", "t5-small.json");
        if (::testing::Test::HasFatalFailure()) return;
      }
}

TEST(WordParts, OfAUnigramModelHaveABoundedLength) {
  const auto opened = [](std::size_t size) {
    const fs::path file = test::process_folder() / "long.json";
    std::ofstream(file)
        << R"({"added_tokens": [], "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1], [")"
        << std::string(size, 'a') << R"(", -2]]}})";
    return open(file.string());
  };
  EXPECT_TRUE(opened(4096).ok());
  const auto refused = opened(4097);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("the piece 2 has 4097 bytes, and those of a unigram model have 4096 at most"),
            std::string::npos)
      << refused.error().sentence();
}

}  // namespace
}  // namespace headlight::tokenizers
