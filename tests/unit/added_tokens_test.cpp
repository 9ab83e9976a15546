// Special and added tokens that a text names, and the stages of tokenizer.json, against the library `tokenizers`.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/document/document.h"
#include "engine/text/byte_alphabet.h"
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/patterns/pattern.h"
#include "engine/text/splitters/splitter.h"
#include "engine/tokenizers/files/headlight_file.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/models/piece_trie.h"
#include "engine/tokenizers/tokenizer.h"
#include "support/parity_data.h"
#include "test_data.h"

namespace headlight::tokenizers {
namespace {

using Ids = std::vector<std::int32_t>;

Ids added_tokens_ids(const Result<std::vector<Token>>& tokens) {
  EXPECT_TRUE(tokens.ok());
  Ids ids;
  if (tokens)
    for (const Token& token : *tokens) ids.push_back(token.id);
  return ids;
}
Ids added_tokens_encode(const Tokenizer& tokenizer, const std::string& text) { return added_tokens_ids(tokenizer.encode(text)); }
Ids added_tokens_list(const Json& json) {
  Ids ids;
  for (const Json& id : json.elements()) ids.push_back(static_cast<std::int32_t>(id.integer()));
  return ids;
}

class AddedTokensFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("headlight_added_" + std::to_string(::getpid()) + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::shared_ptr<const Tokenizer> opened(const std::string& path) const {
    const auto made = open(path);
    EXPECT_TRUE(made.ok()) << made.error().sentence();
    return made ? *made : nullptr;
  }
  std::filesystem::path folder_;
};

// tests/parity/make_stages_fixture.py.
TEST_F(AddedTokensFolder, EveryStageGivesTheIdsAndTextsOfTheLibrary) {
  const Json fixture = *Json::parse(test::read_bytes(HEADLIGHT_TEST_DATA "/tokenizers/stages.json"));
  ASSERT_GE(fixture["tokenizers"].size(), 50u);
  int number = 0;
  for (const Json& one : fixture["tokenizers"].elements()) {
    SCOPED_TRACE(one["name"].string());
    std::filesystem::create_directories(folder_ / std::to_string(number));
    const auto tokenizer = opened(write(std::to_string(number++) + "/tokenizer.json", one["tokenizer"].dump()));
    ASSERT_TRUE(tokenizer);
    EXPECT_TRUE(tokenizer->notes().empty() || one["tokenizer"]["added_tokens"].size() > 0);
    const std::string json = to_json(*tokenizer);
    const auto again = tokenizer_from_json(json, "here");
    ASSERT_TRUE(again.ok()) << again.error().sentence();
    EXPECT_EQ(to_json(**again), json);
    for (const Json& row : one["cases"].elements()) {
      const std::string& text = row["text"].string();
      const Ids ids = added_tokens_list(row["ids"]);
      EXPECT_EQ(added_tokens_encode(*tokenizer, text), ids) << text;
      EXPECT_EQ(added_tokens_encode(*tokenizer->as_plain(), text), added_tokens_list(row["plain"])) << text;
      EXPECT_EQ(added_tokens_encode(**again, text), ids) << text;
      if (!row["decoded"].is_string()) continue;
      EXPECT_EQ(tokenizer->decode(ids), row["decoded"].string()) << text;
      EXPECT_EQ(tokenizer->decode(ids, true), row["special"].string()) << text;
    }
  }
}

// Each of these files gives the library's ids, or is refused by the name of what cannot be read.
TEST(AddedTokens, UserCasesGiveTheLibrarysIds) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  const auto folder = test::parity_data() / "user-cases";
  const Json expected = *Json::parse(test::read_bytes(folder / "expected-ids.json"));
  int compared = 0;
  for (const auto& [name, cases] : expected["cases"].members()) {
    SCOPED_TRACE(name);
    const auto tokenizer = open((folder / name).string());
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
    for (const Json& one : cases.elements()) {
      EXPECT_EQ(added_tokens_encode(**tokenizer, one[std::size_t{0}].string()), added_tokens_list(one[std::size_t{1}]))
          << one[std::size_t{0}].string();
      ++compared;
    }
  }
  EXPECT_EQ(compared, 260);
}

// Of two added tokens that are one text after normalising, the special one counts, else the first, as tokenizers 0.22.1 has it.
TEST_F(AddedTokensFolder, OfTwoTokensThatNormaliseAlikeTheSpecialOneCountsElseTheFirst) {
  const auto file = [](const std::string& first, const std::string& second) {
    const std::string flags = R"(, "single_word": false, "lstrip": false, "rstrip": false, "normalized": true, "special": )";
    return R"({"added_tokens": [{"id": 4, "content": "Foo")" + flags + first + R"(}, {"id": 5, "content": "FOO")" + flags +
           second +
           R"(}], "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null,
              "decoder": null, "model": {"type": "WordLevel", "unk_token": "[UNK]",
              "vocab": {"[UNK]": 0, "a": 1, "b": 2, "x": 3, "Foo": 4, "FOO": 5}}})";
  };
  struct Case {
    const char *first, *second;
    std::int32_t id;
  };
  for (const Case& one : {Case{"false", "false", 4}, {"true", "false", 4}, {"false", "true", 5}, {"true", "true", 4}}) {
    SCOPED_TRACE(std::string(one.first) + " " + one.second);
    const auto tokenizer = opened(write("tokenizer.json", file(one.first, one.second)));
    ASSERT_TRUE(tokenizer);
    for (const char* text : {"a foo b", "a Foo b", "a FOO b"})
      EXPECT_EQ(added_tokens_encode(*tokenizer, text), (Ids{1, one.id, 2})) << text;
  }
}

// The model says which token is the unknown one, not the name of an added token (tokenizers 0.22.1 and 0.23.3).
TEST_F(AddedTokensFolder, TheUnknownTokenIsTheModels) {
  const auto file = [](const std::string& unknown) {
    const std::string flags =
        R"(, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true})";
    return R"({"added_tokens": [{"id": 0, "content": "<unk>")" + flags + R"(, {"id": 1, "content": "[UNK]")" + flags +
           R"(], "normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
              "model": {"type": "BPE", "dropout": null, "unk_token": )" +
           unknown + R"(, "continuing_subword_prefix": null, "end_of_word_suffix": null, "fuse_unk": false,
              "byte_fallback": false, "vocab": {"<unk>": 0, "[UNK]": 1, "a": 2, "b": 3, "ab": 4}, "merges": ["a b"]}})";
  };
  EXPECT_EQ(added_tokens_encode(*opened(write("none.json", file("null"))), "ab x b"), (Ids{4, 3})) << "left out";
  EXPECT_EQ(added_tokens_encode(*opened(write("first.json", file("\"<unk>\""))), "ab x b"), (Ids{4, 0, 3}));
  EXPECT_EQ(added_tokens_encode(*opened(write("second.json", file("\"[UNK]\""))), "ab x b"), (Ids{4, 1, 3}));
}

TEST(AddedTokens, OfPublishedTokenizersAreFoundInATextAndReadAsTextWherePlain) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  struct Case {
    const char *file, *text;
    Ids ids;
    const char* plain;  // the pieces
  };
  const std::vector<Case> cases = {
      {"tokenizer-json/bert-base-uncased.json", "the [MASK] cat", {1996, 103, 4937}, "the [ mask ] cat"},
      {"bert-vocab/bert-base-uncased-vocab.txt", "the [MASK] cat", {1996, 103, 4937}, "the [ mask ] cat"},
      {"tokenizer-json/roberta-base.json", "x <mask> y", {1178, 50264, 1423}, "x Ġ< mask > Ġy"},
      {"tokenizer-json/gpt2.json", "a<|endoftext|>b", {64, 50256, 65}, "a < | end of text | > b"},
      {"gpt2-bpe", "a<|endoftext|>b", {64, 50256, 65}, "a < | end of text | > b"},
      {"tiktoken/gpt2.tiktoken", "a<|endoftext|>b", {64, 50256, 65}, "a < | end of text | > b"},
      {"tiktoken/cl100k_base.tiktoken", "a<|endofprompt|>b", {64, 100276, 65}, "a < | end of prompt | > b"},
      {"tokenizer-json/phi-3-mini.json", "a<|end|>  b", {263, 32007, 289}, "▁a < | end | > ▁ ▁b"}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.file);
    const auto tokenizer = open((test::parity_data() / one.file).string());
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
    const auto tokens = (*tokenizer)->encode(one.text);
    EXPECT_EQ(added_tokens_ids(tokens), one.ids);
    ASSERT_EQ(tokens->size(), 3u);
    EXPECT_TRUE((*tokens)[1].added);
    EXPECT_FALSE((*tokens)[0].added);
    std::string pieces;
    const auto plain = (*tokenizer)->as_plain()->encode(one.text);
    for (const Token& token : *plain) pieces += (pieces.empty() ? "" : " ") + token.piece;
    EXPECT_EQ(pieces, one.plain);
  }
  const auto bert = open((test::parity_data() / "bert-vocab/bert-base-uncased-vocab.txt").string());
  EXPECT_EQ((*bert)->decode({101, 1996, 103, 4937, 1012, 102}), "the cat.");
  EXPECT_EQ((*bert)->decode({101, 1996, 103, 4937, 1012, 102}, true), "[CLS] the [MASK] cat. [SEP]");
}

// A vocabulary of words between spaces, with further members of the file.
std::string words_file(const std::string& added, const std::string& more = "") {
  return R"({"added_tokens":[)" + added + R"(],"pre_tokenizer":{"type":"WhitespaceSplit"},)" + more +
         R"("model":{"type":"WordLevel","unk_token":"[UNK]","vocab":{"[UNK]":0,"a":1,"b":2,"[MASK]":3}}})";
}

TEST_F(AddedTokensFolder, KeepTheirBytesAndTheSpacesThatTheyTakeAlong) {
  const auto tokenizer = opened(write("tokenizer.json", words_file(R"({"id":4,"content":"<l>","lstrip":true,"special":true},
      {"id":5,"content":"<r>","rstrip":true,"special":true})")));
  ASSERT_TRUE(tokenizer);
  const auto tokens = tokenizer->encode("a  <l>b<r>\t <l> a");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(*tokens, (std::vector<Token>{{1, "a", 0, 1},
                                         {4, "<l>", 1, 6, true},
                                         {2, "b", 6, 7},
                                         {5, "<r>", 7, 12, true},
                                         {4, "<l>", 12, 15, true},
                                         {1, "a", 16, 17}}));
  const auto measured = measure(*tokenizer, "[UNK] zz", *tokenizer->encode("[UNK] zz"));
  EXPECT_EQ(measured.unknown, 2);  // here [UNK] is a word as any other
}

TEST_F(AddedTokensFolder, ALongTextIsCutInPartsWithTheSameTokens) {
  const std::string added = R"({"id":4,"content":"<x>","special":true},{"id":5,"content":"a b","normalized":true},
      {"id":6,"content":"  ","normalized":true})";
  const auto tokenizer = opened(write("tokenizer.json", words_file(added)));
  ASSERT_TRUE(tokenizer);
  std::string text;
  Ids expected;
  for (int i = 0; i < 60000; ++i) {
    text += "a b  b<x>";
    expected.insert(expected.end(), {5, 6, 2, 4});
  }
  EXPECT_EQ(added_tokens_encode(*tokenizer, text), expected);
  Ids parts;
  ASSERT_TRUE(tokenizer
                  ->encode_parts(text,
                                 [&](const std::vector<Token>& part) {
                                   for (const Token& token : part) parts.push_back(token.id);
                                   return Status();
                                 })
                  .ok());
  EXPECT_EQ(parts, expected);
}

TEST_F(AddedTokensFolder, FilesBesideTheTokenizerAddTheirs) {
  write("tokenizer_config.json", R"({"added_tokens_decoder":{"4":{"content":"<c>","lstrip":true,"special":true},
      "3":{"content":"[MASK]","special":true}},"pad_token":"<p>","add_bos_token":true})");
  write("special_tokens_map.json",
        R"({"mask_token":"[MASK]","additional_special_tokens":["<m>",{"content":"<o>","rstrip":true}]})");
  write("added_tokens.json", R"({"<j>":7,"<m>":6})");
  const auto tokenizer = opened(write("tokenizer.json", words_file("")));
  ASSERT_TRUE(tokenizer);
  // The next ids behind the vocabulary, in the order of the files.
  EXPECT_EQ(added_tokens_encode(*tokenizer, "a <c>[MASK]<m><j><o> b<p>"), (Ids{1, 4, 3, 6, 7, 8, 2, 9}));
  EXPECT_EQ(tokenizer->decode({1, 4, 3, 6, 2}), "a b");
  EXPECT_EQ(tokenizer->decode({1, 7}), "a <j>") << "added_tokens.json does not call it special";
  EXPECT_EQ(tokenizer->special(Role::mask), 3);
  // The tokenizer's own file counts before the others.
  std::filesystem::create_directories(folder_ / "own");
  write("own/tokenizer_config.json", R"({"added_tokens_decoder":{"4":{"content":"<c>","lstrip":true,"special":true}}})");
  const auto own = opened(write("own/tokenizer.json", words_file(R"({"id":4,"content":"<c>","special":true})")));
  EXPECT_EQ((*own->encode("a <c>"))[1].start, 2);
}

TEST_F(AddedTokensFolder, OldFoldersKnowTheirs) {
  write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\n");
  const auto bert = opened(folder_.string());
  ASSERT_TRUE(bert);
  EXPECT_EQ(added_tokens_encode(*bert, "the[MASK]cat [SEP]"), (Ids{5, 4, 6, 3}));
  EXPECT_EQ(added_tokens_encode(*bert->as_plain(), "the[MASK]"), (Ids{5, 1, 1, 1}));
  std::filesystem::remove(folder_ / "vocab.txt");
  Json vocabulary = Json::object();
  std::int64_t id = 0;
  for (int byte = 0; byte < 256; ++byte) vocabulary[text::byte_piece(static_cast<unsigned char>(byte))] = id++;
  for (const char* piece : {"<s>", "<mask>", "<|endoftext|>", "Ġa"}) vocabulary[piece] = id++;
  write("vocab.json", vocabulary.dump());
  write("merges.txt", "Ġ a\n");
  const auto gpt2 = opened(folder_.string());
  ASSERT_TRUE(gpt2);
  EXPECT_EQ(added_tokens_encode(*gpt2, "x <mask> a<|endoftext|>"), (Ids{'x', 257, 259, 258}));
  EXPECT_EQ(added_tokens_encode(*gpt2, "a"), (Ids{'a'}));
  // add_prefix_space: the first word is cut like the others, and so is one behind an added token.
  write("tokenizer_config.json", R"({"add_prefix_space": true})");
  std::filesystem::rename(folder_ / "vocab.json", folder_ / "encoder.json");
  const auto spaced = opened(folder_.string());
  ASSERT_TRUE(spaced);
  EXPECT_EQ(added_tokens_encode(*spaced, "a<s>a"), (Ids{259, 256, 259}));
}

TEST_F(AddedTokensFolder, AddPrefixSpaceBesideATokenizerJsonIsFollowed) {
  Json vocabulary = Json::object();
  std::int64_t id = 0;
  for (int byte = 0; byte < 256; ++byte) vocabulary[text::byte_piece(static_cast<unsigned char>(byte))] = id++;
  vocabulary["Ġa"] = id;
  const std::string file = R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"decoder":{"type":"ByteLevel"},
      "model":{"type":"BPE","merges":["Ġ a"],"vocab":)" +
                           vocabulary.dump() + "}}";
  EXPECT_EQ(added_tokens_encode(*opened(write("tokenizer.json", file)), "a"), (Ids{'a'}));
  std::filesystem::create_directories(folder_ / "b");
  write("b/tokenizer_config.json", R"({"add_prefix_space":true})");
  EXPECT_EQ(added_tokens_encode(*opened(write("b/tokenizer.json", file)), "a"), (Ids{256}));
}

TEST_F(AddedTokensFolder, WhatAFileAsksForAndIsNotDoneIsSaid) {
  const auto tokenizer =
      opened(write("tokenizer.json", words_file(R"({"id":77,"content":"<x>","special":true})",
                                                R"("truncation":{"max_length":128},"padding":{"strategy":{"Fixed":128}},)")));
  ASSERT_TRUE(tokenizer);
  std::vector<std::string> notes;
  for (const Message& note : tokenizer->notes()) notes.push_back(note.english());
  EXPECT_EQ(notes, (std::vector<std::string>{"the file gives '<x>' the id 77; as in the library tokenizers it is 4",
                                             "the file cuts texts off after 128 tokens (truncation); here no text is cut off",
                                             "the file fills texts up to 128 tokens (padding); here none is filled up"}));
  EXPECT_EQ(tokenizer->as_plain()->notes().size(), 3u);
}

TEST_F(AddedTokensFolder, ADocumentReadsThemAsTextWhereItSaysSo) {
  Document document;
  document.tokenizer = write("tokenizer.json", words_file(R"({"id":3,"content":"[MASK]","special":true})"));
  EXPECT_EQ(to_json(document).find("\"plain\""), std::string::npos) << "left out where it is off";
  EXPECT_EQ(added_tokens_encode(**open_tokenizer(document), "a[MASK]"), (Ids{1, 3}));
  document.plain = true;
  EXPECT_EQ(added_tokens_encode(**open_tokenizer(document), "a[MASK]"), (Ids{0}));
  EXPECT_EQ(*open_tokenizer(document), *open_tokenizer(document)) << "one object";
  const auto again = document_from_json(to_json(document), "here");
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->plain);
  EXPECT_FALSE(*again == Document());
  document.tokenizer = "bpe";
  EXPECT_EQ(*open_tokenizer(document), *open("bpe")) << "it has no such tokens";
}

TEST(Patterns, DivideATextAndSayWhatTheyCannotRead) {
  const auto pattern = text::Pattern::of("\\s+");
  ASSERT_TRUE(pattern.ok());
  const auto stretches = pattern->stretches("a\xFF \u0085b ");
  EXPECT_EQ(stretches, (std::vector<text::Stretch>{{{0, 2}, false}, {{2, 5}, true}, {{5, 6}, false}, {{6, 7}, true}}));
  EXPECT_TRUE(pattern->stretches("").empty());
  EXPECT_TRUE(text::Pattern::of("[^\\s\\w]")->stretches("\u180e").front().match) << "no space since Unicode 6.3";
  for (const char* strange : {"\\y*", "\\Y+", "(?y{w})\\y", "(a\\Kb)", "a\\Kb|c", "a\\K+", "\\G*", "(?=a\\K)b",
                              "(?<x>a)\\Kb\\g<x>", "(", "[a", "[[:nothing:]]", "(?s)a", "\\p{Nothing}"})
    EXPECT_FALSE(text::Pattern::of(strange).ok()) << strange;
  EXPECT_TRUE(text::Pattern::of(std::string(60, '[') + "a" + std::string(60, ']')).ok() == false) << "it ends";
  // A hostile pattern ends.
  const std::string many(40, 'a');
  const auto hostile = text::Pattern::of("(a+)+$");
  ASSERT_TRUE(hostile.ok());
  EXPECT_FALSE(hostile->stretches(many + "!").empty());
}

// With every match replaced by a hyphen, as tokenizers 0.23.3 replaces it, which searches by Oniguruma.
TEST(Patterns, MatchWhatOnigurumaMatches) {
  const auto replaced = [](const char* expression, const std::string& text) {
    const auto pattern = text::Pattern::of(expression);
    if (!pattern.ok()) return "refused: " + std::string(expression);
    std::string made;
    for (const text::Stretch& one : pattern->stretches(text))
      made += one.match ? "-"
                        : text.substr(static_cast<std::size_t>(one.span.start),
                                      static_cast<std::size_t>(one.span.end - one.span.start));
    return made;
  };
  const struct {
    const char *expression, *text, *replaced;
  } cases[] = {{"x*", "axxb", "-a-b-"},
               {"\\b", "ab cd", "-ab- -cd-"},
               {"(?m).", "a\nb", "---"},
               {"a(?i)b|c", "aB C c ab", "- C c -"},
               {"a{,2}b", "aaab", "a-"},
               {"a{2}?", "aaaa a", "-- -a-"},
               {"a{1,3}+b", "aaaab", "-"},
               {"\\p{L}{1,2}+x", "abcx", "-"},
               {"\\Qa.b\\E", "Qa.bE a.b", "- a.b"},
               {"[]a]", "a]b", "--b"},
               {"[^a&&b]", "abc", "---"},
               {"[^a-c&&b-d]", "abcde", "-bc--"},
               {"[a&&]", "ab", "ab"},
               {"[a-z&&[^aeiou]]+", "strange", "-a-e"},
               {"[\\p{Lu}\\p{L}&&[^\\p{Han}]]+", "aA東b", "-東-"},
               {"[[:^alpha:]]", "a1", "a-"},
               {"[\\h]", "g1f", "g--"},
               {"[^\\S\\n]", "a \nb", "a-\nb"},
               {"\\pL", "pLa", "-a"},
               {"^", "a\nb\n", "-a\n-b\n"},
               {"$", "a\nb\n", "a-\nb-\n-"},
               {"a++b", "aab", "-"},
               {"[\\u4e00-\\u9fff]", "a東", "a-"},
               {"\\p{Han}", "東、", "-、"},
               {"\\p{Letter}", "a1", "-1"},
               {"\\w", "a\u200db²", "-\u200d--"},
               {"[\\w]", "a\u200db²", "-\u200d-²"},
               {"\\b", "कि", "-कि-"},
               {"\\p{L}", "\U0002EBF0", "-"},        // of Unicode 15.1
               {"\\p{S}", "\U0001FAE8", "-"},        // of Unicode 15
               {"\U0001FAE8", "a\U0001FAE8", "a-"},  // and by itself
               {"\\Ga", "aab a", "--b a"},
               {"(?<=\\G)a", "aaba", "--ba"},
               {"\\G", "ab", "-a-b-"},
               {"a\\Kb", "abb ab", "a-b a-"},
               {"a+\\K", "aab", "aa-b"},
               {"\\y", "e\u0301x", "-e\u0301-x-"},
               {"\\Y.", "e\u0301xy", "e-xy"},
               {"\\Y", "🇩🇪🇫🇷👩\u200d👧\r\n", "🇩-🇪🇫-🇷👩-\u200d-👧\r-\n"},
               {"(?#nothing)a", "ab", "-b"}};
  for (const auto& one : cases) EXPECT_EQ(replaced(one.expression, one.text), one.replaced) << one.expression;
}

TEST(PieceTries, FindEveryPieceThatATextBeginsWith) {
  const std::vector<std::pair<std::string_view, std::int32_t>> few{{"a", 3}, {"ab", 5}, {"abcdef", 7},
                                                                   {"b", 1}, {"ab", 6}, {"", 9}};
  const PieceTrie trie(few);
  std::vector<std::pair<std::size_t, std::int32_t>> found;
  const auto put = [&](std::size_t length, std::int32_t id) { found.emplace_back(length, id); };
  EXPECT_EQ(trie.each_prefix("abcdxx", put), 4u);
  EXPECT_EQ(found, (std::vector<std::pair<std::size_t, std::int32_t>>{{1, 3}, {2, 6}})) << "of two equal texts the later counts";
  EXPECT_EQ(trie.longest("abcdefg").id, 7);
  EXPECT_EQ(trie.longest("abcde").id, 6);
  EXPECT_EQ(trie.longest("c").id, -1);
  EXPECT_EQ(PieceTrie().longest("a").length, 0u);
  // Many texts of few letters, one by one.
  std::vector<std::string> texts;
  std::uint32_t number = 1;
  const auto next = [&] { return (number = number * 1664525u + 1013904223u) >> 24; };
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::uint32_t left = 1 + next() % 7; left > 0; --left)
      text += static_cast<char>(next() % 5 == 0 ? 0x80 + next() % 64 : 'a' + next() % 4);
    texts.push_back(text);
  }
  std::vector<std::pair<std::string_view, std::int32_t>> all;
  std::map<std::string, std::int32_t> ids;
  for (std::size_t i = 0; i < 2000; ++i) all.emplace_back(texts[i], ids[texts[i]] = static_cast<std::int32_t>(i));
  const PieceTrie many(all);
  for (const std::string& text : texts) {
    std::vector<std::pair<std::size_t, std::int32_t>> wanted;
    for (std::size_t length = 1; length <= text.size(); ++length)
      if (const auto known = ids.find(text.substr(0, length)); known != ids.end()) wanted.emplace_back(length, known->second);
    found.clear();
    many.each_prefix(text, put);
    EXPECT_EQ(found, wanted) << text;
  }
}

// A template's special tokens may have spaces, colons and dollars in their names, as tokenizers 0.23.3 writes them.
TEST_F(AddedTokensFolder, ATemplateNamesAnyToken) {
  const auto tokenizer = opened(write("tokenizer.json", R"({"added_tokens":[
      {"id":2,"content":" a b","special":true},{"id":3,"content":"$A:1","special":true},{"id":4,"content":"\\:","special":true}],
    "normalizer":null,"pre_tokenizer":{"type":"Whitespace"},"decoder":null,
    "post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":" a b","type_id":0}},
      {"SpecialToken":{"id":"$A:1","type_id":2}},{"Sequence":{"id":"A","type_id":1}},{"SpecialToken":{"id":"\\:","type_id":3}}],
      "pair":[{"Sequence":{"id":"A","type_id":0}},{"Sequence":{"id":"B","type_id":1}}],
      "special_tokens":{" a b":{"id":" a b","ids":[2],"tokens":[" a b"]},"$A:1":{"id":"$A:1","ids":[3],"tokens":["$A:1"]},
      "\\:":{"id":"\\:","ids":[4],"tokens":["\\:"]}}},
    "model":{"type":"WordLevel","unk_token":"[UNK]","vocab":{"[UNK]":0,"x":1}}})"));
  ASSERT_TRUE(tokenizer);
  const auto encoding = tokenizer->encode_single("x");
  ASSERT_TRUE(encoding.ok());
  Ids ids;
  for (const Token& token : encoding->tokens) ids.push_back(token.id);
  EXPECT_EQ(ids, (Ids{2, 3, 1, 4}));
  EXPECT_EQ(encoding->types, (std::vector<std::int32_t>{0, 2, 1, 3}));
}

// tokenizers 0.23.3: behind a byte that the vocabulary lacks places are those of the letters that stand for bytes.
TEST_F(AddedTokensFolder, WhereAVocabularyLacksBytesPlacesAreTheLibrarys) {
  const auto tokenizer =
      opened(write("tokenizer.json", R"({"added_tokens":[],"normalizer":null,"post_processor":null,"decoder":null,
    "pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":false},
    "model":{"type":"BPE","vocab":{"a":0,"Ã":1,"b":2},"merges":[]}})"));
  ASSERT_TRUE(tokenizer);
  const auto places = [&](const char* text) {
    std::vector<std::pair<std::int64_t, std::int64_t>> made;
    const auto tokens = tokenizer->encode(text);
    if (tokens)
      for (const Token& token : *tokens) made.emplace_back(token.start, token.end);
    return made;
  };
  using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(places("éab"), (Places{{0, 1}, {1, 2}, {1, 2}})) << "all of them are the first character";
  EXPECT_EQ(places("ab"), (Places{{0, 1}, {1, 2}}));
}

// tokenizers 0.23.3: every byte has a letter of its own, and inside a word, where letters begin with ##, only b has.
TEST_F(AddedTokensFolder, WhatAPrefixLeavesUnknownIsTheUnknownToken) {
  std::string vocabulary = R"({"<unk>":0,"a":1,"##b":2,"ab":3)";
  for (int byte = 0, id = 4; byte < 256; ++byte)
    if (byte != 'a')
      vocabulary += "," + Json(text::byte_piece(static_cast<unsigned char>(byte))).dump() + ":" + std::to_string(id++);
  const auto ids = [&](const char* joins, const char* text) {
    const auto tokenizer =
        opened(write("tokenizer.json", R"({"added_tokens":[],"normalizer":null,"post_processor":null,"decoder":null,
    "pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":false},
    "model":{"type":"BPE","unk_token":"<unk>","continuing_subword_prefix":"##","merges":[["a","##b"]],"fuse_unk":)" +
                                           std::string(joins) + R"(,"vocab":)" + vocabulary + "}}}"));
    return tokenizer ? added_tokens_encode(*tokenizer, text) : Ids{};
  };
  EXPECT_EQ(ids("true", "abab"), (Ids{3, 0, 2}));
  EXPECT_EQ(ids("true", "axxb"), (Ids{1, 0, 2}));
  EXPECT_EQ(ids("false", "aéb"), (Ids{1, 0, 0, 2}));
}

// tokenizers 0.23.3: a space before the text's first token may be one that was put there, others are left out of a token's place.
TEST_F(AddedTokensFolder, PlacesInPartsOfATextAreThoseInTheWholeText) {
  const auto tokenizer = opened(write("tokenizer.json", R"({"normalizer":null,"decoder":{"type":"ByteFallback"},
    "added_tokens":[{"id":0,"content":"[Y]","special":true,"lstrip":true},{"id":4,"content":"Ġ","special":true}],
    "pre_tokenizer":{"type":"WhitespaceSplit"},
    "post_processor":{"type":"RobertaProcessing","sep":["[Y]",0],"cls":["[Y]",0],"trim_offsets":true,"add_prefix_space":true},
    "model":{"type":"WordLevel","vocab":{"[Y]":0,"a":1,"<0xc3>":2,"<0xA9>":3},"unk_token":"a"}})"));
  ASSERT_TRUE(tokenizer);
  std::vector<Token> parts;
  const Status done = tokenizer->encode_parts("a [Y]a [Y]Ġ", [&](const std::vector<Token>& part) -> Status {
    parts.insert(parts.end(), part.begin(), part.end());
    return {};
  });
  ASSERT_TRUE(done);
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (const Token& token : parts) places.emplace_back(token.start, token.end);
  EXPECT_EQ(places, (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1}, {2, 5}, {5, 6}, {7, 10}, {12, 12}}));
  EXPECT_EQ(parts, *tokenizer->encode("a [Y]a [Y]Ġ"));
  EXPECT_EQ(tokenizer->decode({2, 3}), "é") << "bytes in small letters are bytes, too";
}

// The forms of the library tokenizers are those of Unicode 9.
TEST(UnicodeForms, LeaveAloneWhatCameLater) {
  const auto forms = [](const char* id, const char* text) {
    const auto made = text::make_normalizers({{id, {}}});
    return text::normalize(text, *made).text();
  };
  EXPECT_EQ(forms("nfkc", "\uA7F2\u32FF\U00010781"), "\uA7F2\u32FF\U00010781");
  EXPECT_EQ(forms("nfd", "a\u0301\u07FD\u0316"), "a\u0301\u07FD\u0316") << "a mark without an order stops the ordering";
  EXPECT_EQ(forms("nfd", "a\u0301\u0316"), "a\u0316\u0301");
  EXPECT_EQ(forms("lowercase", "\u1C89\uA7CB\U00010D50"), "\u1C8A\u0264\U00010D70") << "letters of Unicode 16";
}

TEST(Punctuations, AreThoseOfBert) {
  const auto words = [](const char* matches, const char* text) {
    const auto made = text::make_splitters({{"punctuation", {{"matches", std::string(matches)}}}});
    const text::Split split = text::split(text::Normalized(text), *made);
    std::vector<std::string> all;
    for (const text::Span& word : split.words)
      all.push_back(
          split.text.text().substr(static_cast<std::size_t>(word.start), static_cast<std::size_t>(word.end - word.start)));
    return all;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(words("isolated", "a.,b\u061D"), (Words{"a", ".", ",", "b\u061D"})) << "U+061D came after Unicode 8";
  EXPECT_EQ(words("removed", "a.,b"), (Words{"a", "b"}));
  EXPECT_EQ(words("with_previous", "a.,b"), (Words{"a.", ",", "b"}));
  EXPECT_EQ(words("contiguous", "a.,b"), (Words{"a", ".,", "b"}));
}

}  // namespace
}  // namespace headlight::tokenizers
