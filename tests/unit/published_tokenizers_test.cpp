// The files of published tokenizers: their ids against published expectations, small ones of every format, and what is wrong with
// broken ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/text/byte_alphabet.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"
#include "support/parity_data.h"
#include "test_data.h"
#include "tests/support/process_folder.h"

namespace headlight::tokenizers {
namespace {

std::vector<std::int32_t> ids_of(const std::vector<Token>& tokens) {
  std::vector<std::int32_t> ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}
std::vector<std::int32_t> encoded(const Tokenizer& tokenizer, const std::string& text) {
  const auto tokens = tokenizer.encode(text);
  EXPECT_TRUE(tokens.ok());
  return tokens.ok() ? ids_of(*tokens) : std::vector<std::int32_t>();
}

// Files that hold the same tokenizer, and llama.cpp's cases of it.
struct Published {
  const char* file;
  const char* cases;
};
class PublishedIds : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedIds, AreThoseOfLlamaCpp) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  const auto tokenizer = open((test::parity_data() / GetParam().file).string());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  const std::vector<test::LlamaCppCase> cases = test::llama_cpp_cases(GetParam().cases);
  for (const test::LlamaCppCase& text : cases) EXPECT_EQ(encoded(**tokenizer, text.text), text.ids) << "\"" << text.text << "\"";
  EXPECT_EQ(cases.size(), 46u);
}

INSTANTIATE_TEST_SUITE_P(Files, PublishedIds,
                         ::testing::Values(Published{"gpt2-bpe/encoder.json", "gpt-2"}, Published{"gpt2-bpe", "gpt-2"},
                                           Published{"tokenizer-json/gpt2.json", "gpt-2"},
                                           Published{"tiktoken/gpt2.tiktoken", "gpt-2"},
                                           Published{"tokenizer-json/roberta-base.json", "roberta-bpe"},
                                           Published{"tokenizer-json/phi-3-mini.json", "phi-3"},
                                           Published{"tokenizer-json/bert-base-uncased.json", "bert-bge"},
                                           Published{"bert-vocab/bert-base-uncased-vocab.txt", "bert-bge"}),
                         [](const auto& one) {
                           std::string name = one.param.file;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

// A model's cases in the file of transformers.js, with the tokens around a sentence.
struct WithTemplate {
  const char *file, *list, *model;
};
class PublishedTexts : public ::testing::TestWithParam<WithTemplate> {};

TEST_P(PublishedTexts, AreThoseOfTransformersJs) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  const auto tokenizer = open((test::parity_data() / GetParam().file).string());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  const Json all = *Json::parse(test::read_bytes(test::parity_data() / "token-expected/transformers.js" / GetParam().list));
  int cases = 0;
  for (const auto& [name, one] : all[GetParam().model].members()) {
    const std::string& text = one["text"].string();
    std::vector<std::int32_t> expected;
    for (const Json& id : one["ids"].elements()) expected.push_back(static_cast<std::int32_t>(id.integer()));
    const Json* const second = one.find("text_pair");
    const auto got = second ? (*tokenizer)->encode_pair(text, second->string()) : (*tokenizer)->encode_single(text);
    ASSERT_TRUE(got.ok());
    EXPECT_EQ(ids_of(got->tokens), expected) << name << ": \"" << text << "\"";
    ++cases;
  }
  EXPECT_GE(cases, 4);
}

INSTANTIATE_TEST_SUITE_P(
    Files, PublishedTexts,
    ::testing::Values(WithTemplate{"gpt2-bpe", "gpt2.json", "Xenova/gpt2"},
                      WithTemplate{"tiktoken/cl100k_base.tiktoken", "gpt2.json", "Xenova/gpt-4"},
                      WithTemplate{"tokenizer-json/bert-base-uncased.json", "bert.json", "Xenova/bert-base-uncased"},
                      WithTemplate{"bert-vocab/bert-base-uncased-vocab.txt", "bert.json", "Xenova/bert-base-uncased"},
                      WithTemplate{"bert-vocab/bert-base-cased-vocab.txt", "bert.json", "Xenova/bert-base-cased"}),
    [](const auto& one) {
      std::string name = std::string(one.param.file) + "_" + one.param.model;
      for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
      return name;
    });

class PublishedFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::process_folder() / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string error_of(const std::string& name, const std::string& text) const {
    const std::string file = write(name, text);
    const auto tokenizer = open(file);
    EXPECT_FALSE(tokenizer.ok()) << text;
    if (tokenizer.ok()) return "";
    EXPECT_TRUE(tokenizer.error().where.english().starts_with(file)) << tokenizer.error().where;
    EXPECT_FALSE(tokenizer.error().mend.empty());
    return tokenizer.error().what.english();
  }
  std::filesystem::path folder_;
};

const std::string kBert = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nun\n##happi\n##ness\ne\n,\n";

// All bytes, and what `more` merges make of them.
std::string byte_vocabulary(const std::vector<std::string>& more) {
  Json vocabulary = Json::object();
  std::int64_t id = 0;
  for (int byte = 0; byte < 256; ++byte) vocabulary[text::byte_piece(static_cast<unsigned char>(byte))] = id++;
  for (const std::string& piece : more) vocabulary[piece] = id++;
  return vocabulary.dump();
}

TEST_F(PublishedFile, BertsVocabularyLosesCapitalsAndAccentsWhereItHasNone) {
  const auto lower = open(write("vocab.txt", kBert));
  ASSERT_TRUE(lower.ok()) << lower.error().sentence();
  const auto got = (*lower)->encode_single("The\tunhappiness, \u00e9\x01");
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(ids_of(got->tokens), (std::vector<std::int32_t>{2, 5, 6, 7, 8, 10, 9, 3}));
  EXPECT_EQ(got->tokens[6].start, 17);  // the letter with its accent, two bytes
  EXPECT_EQ(got->tokens[6].end, 19);
  // tokenizer_config.json says otherwise.
  write("tokenizer_config.json", R"({"do_lower_case": false})");
  write("vocab.txt", kBert + "more\n");
  const auto cased = open(folder_.string());
  ASSERT_TRUE(cased.ok()) << cased.error().sentence();
  EXPECT_EQ(encoded(**cased, "The the"), (std::vector<std::int32_t>{1, 5}));
}

TEST_F(PublishedFile, Gpt2sTwoFiles) {
  write("vocab.json", byte_vocabulary({"he", "\u0120he", "<|endoftext|>"}));
  const auto alone = open(folder_.string());
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.error().what, "this vocabulary has no merges beside it");
  write("merges.txt", "#version: 0.2\nh e\n\u0120 he\n");
  const auto tokenizer = open(folder_.string());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  EXPECT_EQ(encoded(**tokenizer, "he he<"), (std::vector<std::int32_t>{256, 257, '<'}));
  EXPECT_EQ((*tokenizer)->special(Role::end), 258);
  const std::string bytes = "he \xff\xe2\x82 he";
  EXPECT_EQ((*tokenizer)->decode(encoded(**tokenizer, bytes)), bytes);
}

TEST_F(PublishedFile, RanksGiveTheirMerges) {
  std::string lines;
  const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int byte = 0; byte < 256; ++byte)
    lines += std::string{digits[byte >> 2], digits[byte % 4 * 16], '=', '='} + " " + std::to_string(byte) + "\n";
  lines += "aGU= 256\nIGhl 257\nISE= 258\n";  // "he", " he", "!!"
  const auto tokenizer = open(write("my_cl100k.tiktoken", lines));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  EXPECT_EQ((*tokenizer)->vocabulary_size(), 259);
  EXPECT_EQ(encoded(**tokenizer, "he he!!\n"), (std::vector<std::int32_t>{256, 257, 258, '\n'}));
  EXPECT_EQ(error_of("other.tiktoken", lines),
            "a file of ranks does not say how it cuts words, and neither its name nor its 259 ranks are known");
  EXPECT_EQ(error_of("gpt2.tiktoken", "IQ== 0\nIQ== 1\n"), "line 2 has the token of an earlier line");
  EXPECT_EQ(error_of("r50k.tiktoken", "IQ== 0\n?? 1\n"), "line 2 is not a token in base64 and the rank 1");
}

TEST_F(PublishedFile, TokenizerJsonSaysWhatItIs) {
  Json json = Json::object();
  json["added_tokens"] = Json::array({Json::object({{"id", 257}, {"content", "</s>"}, {"special", true}})});
  json["pre_tokenizer"] = Json::object({{"type", "ByteLevel"}, {"add_prefix_space", false}});
  json["post_processor"] =
      Json::object({{"type", "RobertaProcessing"}, {"sep", Json::array({"</s>", 257})}, {"cls", Json::array({"</s>", 257})}});
  json["model"] = Json::object({{"type", "BPE"}, {"merges", Json::array({Json::array({"h", "e"})})}});
  json["model"]["vocab"] = *Json::parse(byte_vocabulary({"he"}));
  const auto tokenizer = open(write("tokenizer.json", json.dump()));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  const auto pair = (*tokenizer)->encode_pair("he", "!");
  ASSERT_TRUE(pair.ok());
  EXPECT_EQ(ids_of(pair->tokens), (std::vector<std::int32_t>{257, 256, 257, 257, '!', 257}));

  const auto changed = [&](const char* key, const Json& value) {
    Json other = json;
    other[key] = value;
    return error_of("tokenizer.json", other.dump());
  };
  const Json other = Json::object({{"type", "X"}});
  const auto sequence = [&](const char* parts) {
    return Json::object({{"type", "Sequence"}, {parts, Json::array({json["pre_tokenizer"], other})}});
  };
  EXPECT_EQ(changed("normalizer", Json::object({{"type", "Precompiled"}})),
            "'Precompiled' has no \"precompiled_charsmap\", or one that cannot be read");
  EXPECT_EQ(changed("pre_tokenizer", sequence("pretokenizers")), "'X' is not known");
  EXPECT_EQ(changed("decoder", other), "'X' is not known");
  Json several = json;
  several["pre_tokenizer"] = sequence("pretokenizers");
  const auto refused = open(write("tokenizer.json", several.dump()));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("tokenizer.json pre_tokenizer.pretokenizers[1]: 'X' is not known; known are"),
            std::string::npos)
      << refused.error().sentence();
  EXPECT_EQ(changed("model", Json::object({{"vocab", Json::array()}})), "the vocabulary is empty");
  EXPECT_EQ(changed("model", nullptr), "this tokenizer has no model");
  EXPECT_EQ(changed("post_processor", Json::object({{"type", "Other"}})), "'Other' is not known");
}

// Llama 2's way: "▁" for spaces and before the text, characters that merge, bytes for those that the vocabulary lacks.
TEST_F(PublishedFile, BpeThatFallsBackToBytes) {
  Json json = Json::object(), vocabulary = Json::object();
  std::int64_t id = 0;
  char name[8];
  for (int byte = 0; byte < 256; ++byte) {
    std::snprintf(name, sizeof name, "<0x%02X>", byte);
    vocabulary[name] = id++;
  }
  for (const char* piece : {"▁", "h", "e", "▁h", "▁he", "<unk>"}) vocabulary[piece] = id++;
  const auto stage = [](const char* type) { return Json::object({{"type", type}}); };
  json["pre_tokenizer"] = nullptr;
  json["model"] = Json::object({{"type", "BPE"}, {"byte_fallback", true}, {"unk_token", "<unk>"}});
  json["model"]["vocab"] = vocabulary;
  json["model"]["merges"] = Json::array({"▁ h", "▁h e"});
  Json prepend = stage("Prepend"), replace = stage("Replace"), decoder = stage("Sequence");
  prepend["prepend"] = "▁";
  replace["pattern"] = Json::object({{"String", " "}});
  replace["content"] = "▁";
  json["normalizer"] = Json::object({{"type", "Sequence"}, {"normalizers", Json::array({prepend, replace})}});
  Json spaces = stage("Replace"), strip = stage("Strip");
  spaces["pattern"] = Json::object({{"String", "▁"}});
  spaces["content"] = " ";
  strip["content"] = " ";
  strip["start"] = 1;
  strip["stop"] = 0;
  decoder["decoders"] = Json::array({spaces, stage("ByteFallback"), stage("Fuse"), strip});
  json["decoder"] = decoder;
  const auto tokenizer = open(write("tokenizer.json", json.dump()));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  const std::string text = "he h\u00e9 \xff";
  const auto tokens = (*tokenizer)->encode(text);
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(ids_of(*tokens), (std::vector<std::int32_t>{260, 259, 0xC3, 0xA9, 256, 0xFF}));
  EXPECT_EQ((*tokens)[2].start, 4);  // half of the letter, a byte each
  EXPECT_EQ((*tokens)[2].end, 5);
  EXPECT_EQ((*tokenizer)->decode(ids_of(*tokens)), text);
  EXPECT_EQ((*tokenizer)->decode(encoded(**tokenizer, " he")), " he");
  EXPECT_EQ((*tokenizer)->display_text(0xC3), "0xC3");
  EXPECT_EQ((*tokenizer)->display_text(260), "·he");
  EXPECT_EQ((*tokenizer)->unknown_id(), -1);
  json["model"]["vocab"] = Json::object({{"▁", 0}});
  json["model"]["merges"] = Json::array();
  const auto without_bytes = open(write("tokenizer.json", json.dump()));
  ASSERT_TRUE(without_bytes.ok()) << without_bytes.error().sentence();
  EXPECT_EQ(encoded(**without_bytes, " x"), (std::vector<std::int32_t>{0, 0})) << "what has no piece gives no token";
}

TEST_F(PublishedFile, BrokenOnesAreRefusedWithASentence) {
  EXPECT_EQ(error_of("vocab.txt", ""), "this vocabulary is empty");
  EXPECT_EQ(error_of("vocab.txt", "[PAD]\n[UNK]\nx\nx\n"), "the piece 'x' has two ids, 2 and 3");
  EXPECT_EQ(error_of("vocab.txt", "[PAD]\nx\n"), "the vocabulary lacks [UNK]");
  EXPECT_EQ(error_of("vocab.json", R"({"a": 0, "b": 2})"), "the piece 'b' has the id 2 of 2 pieces");
  EXPECT_EQ(error_of("vocab.json", R"({"a": 0, "b": 0})"), "the id 0 belongs to 'a' and to 'b'");
  EXPECT_EQ(error_of("vocab.json", R"({"a": 0, "b": -1})"), "the piece 'b' has the id -1 of 2 pieces");
  write("merges.txt", "a b c\n");
  const auto three = open(write("vocab.json", byte_vocabulary({})));
  ASSERT_FALSE(three.ok());
  EXPECT_EQ(three.error().what, "merge 0 is not two pieces with a space between");
}

TEST(PublishedNames, AreShortAndTellFilesOfOneNameApart) {
  EXPECT_EQ(short_name("/data/gpt2/vocab.json"), "gpt2");
  EXPECT_EQ(short_name("/data/bert/tokenizer.json"), "bert");
  EXPECT_EQ(short_name("/data/gpt2-bpe/"), "gpt2-bpe");
  EXPECT_EQ(short_name("./own"), "own");
  EXPECT_EQ(short_name("/data/cl100k_base.tiktoken"), "cl100k_base.tiktoken");
  EXPECT_EQ(short_name("/data/bert-base-cased-vocab.txt"), "bert-base-cased-vocab.txt");
  EXPECT_EQ(short_name("english-french/target"), "english-french/target");
  EXPECT_EQ(short_name(std::string(kTrainedPrefix) + "mine"), "mine");
  EXPECT_EQ(short_name("vocab.txt"), "vocab.txt");
}

}  // namespace
}  // namespace headlight::tokenizers
