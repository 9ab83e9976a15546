// The stages of a tokenizer one by one: alignment through normalisers and splitters, special tokens as data, post-processors,
// pairs with type ids, and files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/core/files.h"
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/splitters/splitter.h"
#include "engine/tokenizers/files/headlight_file.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/files/trained.h"
#include "engine/tokenizers/kinds.h"
#include "tests/support/process_folder.h"

namespace headlight::tokenizers {
namespace {

using TokenizerPtr = std::shared_ptr<const Tokenizer>;
using Pieces = std::vector<std::string>;

TokenizerPtr tokenizer_stages_opened(const std::string& name) {
  const auto tokenizer = open(name);
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  return tokenizer.ok() ? *tokenizer : nullptr;
}

TokenizerPtr made(const TokenizerPlan& plan) {
  const auto tokenizer = Tokenizer::make(plan, "here");
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  return tokenizer.ok() ? *tokenizer : nullptr;
}

std::string refused(const TokenizerPlan& plan) {
  const auto tokenizer = Tokenizer::make(plan, "here");
  if (tokenizer.ok()) return "made";
  EXPECT_NE(tokenizer.error().sentence().find("here"), std::string::npos) << tokenizer.error().sentence();
  return tokenizer.error().sentence();
}

Pieces pieces_of(const std::vector<Token>& tokens) {
  Pieces pieces;
  for (const Token& token : tokens) pieces.push_back(token.piece);
  return pieces;
}

Vocabulary vocabulary_of(const Pieces& pieces) {
  Vocabulary vocabulary;
  for (const std::string& piece : pieces) vocabulary.add(piece);
  return vocabulary;
}

text::Normalized normal(std::string_view input, const std::vector<Choice>& choices) {
  const auto stages = text::make_normalizers(choices);
  EXPECT_TRUE(stages.ok());
  return text::normalize(input, *stages);
}

TEST(Normalizers, ReplaceKeepsWhereTheContentCameFrom) {
  const auto n = normal("a--b--", {{"replace", {{"pattern", "--"}, {"content", "___"}}}});
  EXPECT_EQ(n.text(), "a___b___");
  EXPECT_EQ(n.source(0, 1), (text::Span{0, 1}));
  EXPECT_EQ(n.source(1, 2), (text::Span{2, 3})) << "the last character of what was replaced, as in the library tokenizers";
  EXPECT_EQ(n.source(4, 5), (text::Span{3, 4}));
  EXPECT_EQ(n.source(4, 8), (text::Span{3, 6}));
  EXPECT_EQ(normal("aaa", {{"replace", {{"pattern", "aa"}, {"content", "b"}}}}).text(), "ba") << "from the left, no overlap";
  EXPECT_EQ(normal("x--", {{"replace", {{"pattern", "--"}}}}).text(), "x");
  EXPECT_FALSE(text::make_normalizers({{"replace", {}}}).ok()) << "there is nothing to look for";
}

TEST(Normalizers, WhatIsPrependedComesFromTheFirstCharacter) {
  const auto n = normal("hi", {{"prepend", {{"content", "▁"}}}});
  EXPECT_EQ(n.text(), "▁hi");
  EXPECT_EQ(n.source(0, 3), (text::Span{0, 1}));
  EXPECT_EQ(n.source(0, 4), (text::Span{0, 1})) << "with the first letter: that letter";
  EXPECT_EQ(normal("", {{"prepend", {{"content", "▁"}}}}).text(), "");
}

TEST(Normalizers, AChainKeepsTheWayBackToTheInput) {
  // Composition, lower case and replacement one after the other: every byte still maps to bytes of the input.
  const std::string input = "xE\u0301 -- \xFF É";
  const auto n = normal(input, {{"nfc", {}}, {"lowercase", {}}, {"replace", {{"pattern", "é"}, {"content", "e"}}}});
  EXPECT_EQ(n.text(), "xe -- \xFF e");
  EXPECT_EQ(n.source(1, 2), (text::Span{1, 2})) << "the letter, without the mark that was joined to it";
  EXPECT_EQ(n.source(6, 7), (text::Span{8, 9}));
  EXPECT_EQ(n.source(8, 9), (text::Span{10, 12}));
}

TEST(Normalizers, CompatibilityDecomposition) { EXPECT_EQ(normal("ﬁé①", {{"nfkd", {}}}).text(), "fie\u03011"); }

TEST(Stages, RefuseWhatTheRegistryDoesNotSay) {
  EXPECT_FALSE(text::make_normalizers({{"shout", {}}}).ok());
  EXPECT_FALSE(text::make_normalizers({{"nfc", {{"loud", true}}}}).ok());
  EXPECT_FALSE(text::make_normalizers({{"prepend", {{"content", std::int64_t{3}}}}}).ok());
  EXPECT_FALSE(text::make_splitters({{"runes", {}}}).ok());
}

// A BPE over characters with the byte alphabet as splitter and decoder equals the byte-level BPE: ids and ranges of the input are
// the same for any bytes.
TEST(Stages, ByteLevelAsASplitterIsTheByteLevelModel) {
  const TokenizerPtr bpe = tokenizer_stages_opened("bpe");
  TokenizerPlan plan = bpe->plan();
  plan.splitters.push_back({"byte_level", {}});
  plan.model.values["alphabet"] = std::string("corpus");
  const TokenizerPtr other = made(plan);
  for (const std::string text :
       {"a fluffy blue creature", "  Größe\n\n日本 \xFF\xE2\x82 👩‍🚀", "don't I'll", "\t \r\n", ""}) {
    const auto a = bpe->encode(text), b = other->encode(text);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(*a, *b) << text;
  }
}

TEST(SpecialTokens, AreDataOfTheTokenizer) {
  // Other ids, other names, and no padding token.
  Vocabulary vocabulary = vocabulary_of({"a", "b", "<unk>", "</s>"});
  vocabulary.set_special(Role::unknown, 2);
  vocabulary.set_special(Role::begin, 3);
  vocabulary.set_special(Role::end, 3);
  const TokenizerPtr words = made(plan_of("words", vocabulary));
  EXPECT_EQ(words->special(Role::pad), -1);
  EXPECT_EQ(words->special(Role::begin), 3);
  EXPECT_EQ(words->special(Role::end), 3);
  EXPECT_EQ(words->unknown_id(), 2);
  EXPECT_EQ(pieces_of(*words->encode("a c b")), (Pieces{"a", "<unk>", "b"}));
  EXPECT_EQ(pieces_of(*words->encode("</s>")), (Pieces{"<unk>", "<unk>", "<unk>", "<unk>"})) << "text is never a special token";
  EXPECT_EQ(words->decode({3, 0, 2, 1, 3}), "a <unk> b");
  EXPECT_EQ(words->display_text(3), "</s>");
  EXPECT_EQ(pieces_of(words->encode_single("b")->tokens), (Pieces{"</s>", "b", "</s>"}));

  SpecialTokens tokens;
  tokens.add(Role::pad, 7);
  tokens.add(Role::pad, 9);
  tokens.add(Role::other, 4);
  tokens.add(Role::other, 5);
  EXPECT_EQ(tokens.id(Role::pad), 7) << "a role has one token";
  EXPECT_TRUE(tokens.contains(4) && tokens.contains(5) && !tokens.contains(9));
  for (const Role role : kRoles) EXPECT_EQ(*role_named(name_of(role)), role);
  EXPECT_FALSE(role_named("chief").ok());
}

TEST(PostProcessors, APairAsBertReadsIt) {
  Vocabulary vocabulary = vocabulary_of({"[CLS]", "[SEP]", "[UNK]", "man", "bites", "dog"});
  vocabulary.set_special(Role::classify, 0);
  vocabulary.set_special(Role::separator, 1);
  vocabulary.set_special(Role::unknown, 2);
  TokenizerPlan plan = plan_of("words", vocabulary);
  EXPECT_EQ(pieces_of(made(plan)->encode_pair("man", "dog")->tokens), (Pieces{"man", "dog"})) << "it has no begin and no end";
  plan.post_processor = bracket_template("[CLS]", "[SEP]");
  const TokenizerPtr bert = made(plan);
  const auto pair = bert->encode_pair("man bites", "dog");
  ASSERT_TRUE(pair.ok());
  EXPECT_EQ(pieces_of(pair->tokens), (Pieces{"[CLS]", "man", "bites", "[SEP]", "dog", "[SEP]"}));
  EXPECT_EQ(pair->types, (std::vector<std::int32_t>{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(pair->sentences, (std::vector<std::int32_t>{-1, 0, 0, -1, 1, -1}));
  EXPECT_EQ(pair->tokens[2], (Token{4, "bites", 4, 9})) << "ranges count in their own sentence";
  EXPECT_EQ(pair->tokens[4], (Token{5, "dog", 0, 3}));
  EXPECT_EQ(pair->tokens[3], (Token{1, "[SEP]", 9, 9}));
  const auto single = bert->encode_single("dog");
  EXPECT_EQ(pieces_of(single->tokens), (Pieces{"[CLS]", "dog", "[SEP]"}));
  EXPECT_EQ(single->types, (std::vector<std::int32_t>{0, 0, 0}));
  EXPECT_EQ(pieces_of(bert->encode_pair("", "")->tokens), (Pieces{"[CLS]", "[SEP]", "[SEP]"}));
}

TEST(PostProcessors, ATemplateMayPutThePartsInAnyOrder) {
  Vocabulary vocabulary = vocabulary_of({"<s>", "</s>", "[UNK]", "a", "b"});
  vocabulary.set_special(Role::begin, 0);
  vocabulary.set_special(Role::end, 1);
  vocabulary.set_special(Role::unknown, 2);
  TokenizerPlan plan = plan_of("words", vocabulary);
  // RoBERTa's template, with all type ids 0; and one that reverses the order of the sentences.
  plan.post_processor = {"template", {{"single", "<s> $A </s>"}, {"pair", "<s> $A </s> </s> $B </s>"}}};
  const auto roberta = made(plan)->encode_pair("a", "b");
  EXPECT_EQ(pieces_of(roberta->tokens), (Pieces{"<s>", "a", "</s>", "</s>", "b", "</s>"}));
  EXPECT_EQ(roberta->types, std::vector<std::int32_t>(6, 0));
  EXPECT_EQ(roberta->sentences, (std::vector<std::int32_t>{-1, 0, -1, -1, 1, -1}));
  plan.post_processor.values["pair"] = std::string("$B:2 $A:1");
  EXPECT_EQ(made(plan)->encode_pair("a", "b")->types, (std::vector<std::int32_t>{2, 1}));
  for (const char* bad : {"$A", "$A $B $B", "$A <mask> $B", "a $A $B", ""}) {
    plan.post_processor.values["pair"] = std::string(bad);
    EXPECT_NE(refused(plan), "made") << bad;
  }
}

class TokenizerFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::process_folder() / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const char* name, const std::string& text) { std::ofstream(folder_ / name, std::ios::binary) << text; }
  std::filesystem::path folder_;
};

TEST_F(TokenizerFolder, EveryStageAndRoleIsSaved) {
  Vocabulary vocabulary = vocabulary_of({"<pad>", "<unk>", "[CLS]", "[SEP]", "<turn>", "h", "@@i", "@@é"});
  vocabulary.set_special(Role::unknown, 1);
  vocabulary.set_special(Role::separator, 3);
  vocabulary.set_special(Role::classify, 2);
  vocabulary.set_special(Role::other, 4);
  TokenizerPlan plan = plan_of("wordpiece", vocabulary);
  plan.normalizers = {{"lowercase", {}}, {"replace", {{"pattern", "--"}, {"content", " "}}}};
  plan.model.values = {{"prefix", "@@"}, {"longest_word", std::int64_t{5}}};
  plan.decoders.front().values = {{"prefix", "@@"}};
  plan.post_processor = bracket_template("[CLS]", "[SEP]");
  const TokenizerPtr before = made(plan);
  ASSERT_TRUE(save(*before, folder_).ok());
  const TokenizerPtr after = tokenizer_stages_opened(folder_.string());
  ASSERT_TRUE(after);
  EXPECT_EQ(to_json(*after), to_json(*before));
  EXPECT_EQ(after->vocabulary().specials().all(), vocabulary.specials().all());
  EXPECT_EQ(pieces_of(after->encode_pair("HI--hé", "hiiiii")->tokens),
            (Pieces{"[CLS]", "h", "@@i", "h", "@@é", "[SEP]", "<unk>", "[SEP]"}));
  EXPECT_EQ(after->decode({5, 6, 5, 7}), "hi hé");
}

TEST_F(TokenizerFolder, FoldersSavedUnderTheOldNameOpen) {
  // Version 1 stored the kind and recognised special tokens by their names, at any index.
  write("tokenizer.json", R"({"format":"headlight.tokenizer","version":1,"kind":"words","alphabet":"corpus",)"
                          R"("pre_tokenizer":"words","normalizers":["lowercase"],"vocabulary":["a","[UNK]","[EOS]"]})");
  const TokenizerPtr old = tokenizer_stages_opened(folder_.string());
  ASSERT_TRUE(old);
  EXPECT_EQ(pieces_of(*old->encode("A b")), (Pieces{"a", "[UNK]"}));
  EXPECT_EQ(old->special(Role::end), 2);
  EXPECT_EQ(old->special(Role::pad), -1);
  // Saving gives it the new file name, which is preferred when loading.
  ASSERT_TRUE(save(*made(plan_of("words", old->vocabulary())), folder_).ok());
  EXPECT_TRUE(std::filesystem::exists(folder_ / kTokenizerFile));
  EXPECT_EQ(pieces_of(*tokenizer_stages_opened(folder_.string())->encode("A")), (Pieces{"[UNK]"}))
      << "the new file has no normaliser";
  EXPECT_EQ(pieces_of(*tokenizer_stages_opened((folder_ / kOldTokenizerFile).string())->encode("A")), (Pieces{"a"}))
      << "a file is named itself";
}

TEST_F(TokenizerFolder, AnothersTokenizerJsonDoesNotHideOurs) {
  write(kOldTokenizerFile, R"({"version":"1.0","model":{"type":"BPE"}})");
  ASSERT_FALSE(open(folder_.string()).ok());
  ASSERT_TRUE(save(*tokenizer_stages_opened("words"), folder_).ok());
  EXPECT_EQ(tokenizer_stages_opened(folder_.string())->label(), "Words 8,192");
}

TEST_F(TokenizerFolder, BrokenStagesAreNamed) {
  const std::string good = to_json(*tokenizer_stages_opened("words"));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string json = good;
    const std::size_t at = json.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    json.replace(at, from.size(), to);
    const auto read = tokenizer_from_json(json, "f.json");
    if (read.ok()) return std::string("read");
    EXPECT_NE(read.error().sentence().find("f.json"), std::string::npos) << read.error().sentence();
    return read.error().sentence();
  };
  EXPECT_EQ(with("\"headlight.tokenizer\"", "\"headlight.tokenizer\""), "read");
  EXPECT_NE(with(R"("splitters":["words"])", R"("splitters":["runes"])").find("no splitter 'runes'"), std::string::npos);
  EXPECT_NE(with(R"("splitters":["words"])", R"("splitters":[7])").find("is not a stage"), std::string::npos);
  EXPECT_NE(with(R"("splitters":["words"])", R"("splitters":"words")").find("list of stages"), std::string::npos);
  EXPECT_NE(with(R"("decoder":"words")", R"("decoded":"words")").find("\"decoder\" is missing"), std::string::npos);
  EXPECT_NE(with(R"("decoder":"words")", R"("decoder":{"type":"words","loud":true})").find("no parameter 'loud'"),
            std::string::npos);
  EXPECT_NE(with(R"("role":"pad")", R"("role":"chief")").find("no role 'chief'"), std::string::npos);
  EXPECT_NE(with(R"("role":"pad","id":0)", R"("role":"pad","id":90000)").find("id 90000"), std::string::npos);
  EXPECT_NE(with(R"("role":"pad","id":0)", R"("role":"pad")").find("\"role\" and \"id\""), std::string::npos);
  EXPECT_NE(with(R"("role":"unknown")", R"("role":"other")").find("lacks [UNK]"), std::string::npos);
}

TEST(Trained, TravelsAsOneLineOfJson) {
  const auto trained = make_trained("trained:mine", tokenizer_stages_opened("words"));
  EXPECT_EQ(trained->json.find('\n'), std::string::npos);
  const auto again = trained_from_json("trained:mine", trained->json, "here");
  ASSERT_TRUE(again.ok()) << again.error().sentence();
  EXPECT_EQ(**again, *trained);
  EXPECT_EQ(*(*again)->tokenizer->encode("a blue cat"), *trained->tokenizer->encode("a blue cat"));
  EXPECT_FALSE(trained_from_json("trained:mine", "{}", "here").ok());
}

// Ids, ranges, pieces and decoded texts of the bundled tokenizers as they were before tokenizers had stages: a hash (FNV-1a) over
// all of them, so that no later change alters a token unnoticed. Of characters that are unseen, one changed on purpose: a byte
// that is a character by itself is that character.
TEST(Tokenizers, TokensAreWhatTheyWereBeforeThereWereStages) {
  std::string lines, unbroken;
  for (int i = 0; i < 3000; ++i) lines += "the Quick brown fox Ἀχιλλεύς 狐 🦊 \xC3 jumps\n";
  for (int i = 0; i < 20000; ++i) unbroken += "word" + std::to_string(i % 97) + " É";
  const std::vector<std::string> texts{"",
                                       " ",
                                       "\n\n\t  \r\n",
                                       "a fluffy blue creature roamed the verdant forest",
                                       "[PAD] [UNK] <0xE2> ##x G \u0120",
                                       "👨‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽 e\u0301 가각 \u1100\u1161",
                                       "नमस्ते दुनिया, 你好，世界 — مرحبا بالعالم, Привет, γειά σου",
                                       "\xFF\xFE\x80 a\xE2\x82 b\xC0\xAF",
                                       std::string("nul \0 inside", 12),
                                       std::string(3000, 'a'),
                                       std::string(1000, '\x80'),
                                       "don't I'll we've 3.14 $5 a_b",
                                       "the E\u0301 The ΑΒΓ ΌΔΎΣΣΕΥΣ İstanbul ﬁ①",
                                       "日本語のテキスト と 漢字\n\n新しい行",
                                       lines,
                                       unbroken};
  const std::vector<std::pair<const char*, std::uint64_t>> expected{{"characters", 0x44d9b3a260b8ff72ULL},
                                                                    {"words", 0x43c1ce1ef3bf784cULL},
                                                                    {"bpe", 0x787ed1557113b074ULL},
                                                                    {"wordpiece", 0x632eae020a5b711dULL}};
  for (const auto& [kind, hash] : expected) {
    const TokenizerPtr tokenizer = tokenizer_stages_opened(kind);
    std::uint64_t now = 0xcbf29ce484222325ULL;
    const auto add = [&](const std::string& bytes) {
      for (const char c : bytes + '\0') now = (now ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    };
    for (const std::string& text : texts) {
      const auto tokens = tokenizer->encode(text);
      ASSERT_TRUE(tokens.ok());
      std::vector<std::int32_t> ids;
      for (const Token& token : *tokens) {
        ids.push_back(token.id);
        add(std::to_string(token.id) + " " + std::to_string(token.start) + " " + std::to_string(token.end) + " " + token.piece);
      }
      add(tokenizer->decode(ids));
    }
    for (std::int32_t id = 0; id < tokenizer->vocabulary_size(); ++id) add(tokenizer->display_text(id));
    EXPECT_EQ(now, hash) << kind;
  }
}

}  // namespace
}  // namespace headlight::tokenizers
