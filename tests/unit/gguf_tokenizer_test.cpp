// The tokenizer inside a GGUF file: published tokenizers written as llama.cpp writes them, against its own ids; and what files
// may have wrong.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"
#include "support/gguf_bytes.h"
#include "support/parity_data.h"

namespace headlight::tokenizers {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGgufKeys = "tokenizer.ggml.";

fs::path gguf_scratch(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("headlight-gguf-tokenizers-" + std::to_string(::getpid())) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}
Result<std::shared_ptr<const Tokenizer>> opened_gguf(const std::string& name, const GgufBytes& bytes) {
  const fs::path file = gguf_scratch(name) / "model.gguf";
  HL_TRY(write_file(file, bytes.file()));
  return open(file.string());
}
std::vector<std::int32_t> gguf_ids(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::int32_t> ids;
  const auto tokens = tokenizer.encode(text);
  EXPECT_TRUE(tokens.ok());
  if (tokens.ok())
    for (const Token& token : *tokens) ids.push_back(token.id);
  return ids;
}

// A tokenizer.json as the metadata that llama.cpp's converter makes of it.
GgufBytes converted(const Json& json, const std::string& model, const std::string& pre) {
  std::vector<std::string> tokens;
  for (const auto& [piece, id] : json["model"]["vocab"].members()) {
    tokens.resize(std::max(tokens.size(), static_cast<std::size_t>(id.integer()) + 1));
    tokens[static_cast<std::size_t>(id.integer())] = piece;
  }
  std::vector<std::int32_t> types(tokens.size(), 1);
  for (const Json& added : json["added_tokens"].elements()) {
    const auto id = static_cast<std::size_t>(added["id"].integer());
    if (id >= tokens.size()) {
      tokens.resize(id + 1);
      types.resize(id + 1, 5);
    }
    tokens[id] = added["content"].string();
    types[id] = added["special"].boolean() ? 3 : 4;
  }
  std::vector<float> scores;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    // Runs of spaces come last, as in Llama's own file.
    const bool spaces = tokens[id].size() > 3 && tokens[id].find_first_not_of("▁") == std::string::npos;
    scores.push_back(spaces ? -1e9f : -static_cast<float>(id));
    if (model == "llama" && tokens[id].size() == 6 && tokens[id].starts_with("<0x")) types[id] = 6;
    if (model == "bert" && types[id] != 3) tokens[id] = tokens[id].starts_with("##") ? tokens[id].substr(2) : "▁" + tokens[id];
  }
  std::vector<std::string> merges;
  for (const Json& merge : json["model"]["merges"].elements())
    merges.push_back(merge.is_string() ? merge.string() : merge[std::size_t{0}].string() + " " + merge[std::size_t{1}].string());
  GgufBytes out;
  const std::string keys = kGgufKeys;
  out.text(keys + "model", model).text(keys + "pre", pre).texts(keys + "tokens", tokens).numbers(keys + "token_type", 5, types);
  if (model == "llama") out.numbers(keys + "scores", 6, scores);
  if (model == "gpt2") out.texts(keys + "merges", merges);
  return out;
}

struct InGguf {
  const char *json, *model, *pre, *cases;
};
class GgufIds : public ::testing::TestWithParam<InGguf> {};

TEST_P(GgufIds, AreThoseOfLlamaCpp) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  const InGguf& one = GetParam();
  const Json json = *Json::parse(test::read_bytes(test::parity_data() / "tokenizer-json" / one.json));
  const auto tokenizer = opened_gguf(one.cases, converted(json, one.model, one.pre));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  const std::vector<test::LlamaCppCase> cases = test::llama_cpp_cases(one.cases);
  for (const test::LlamaCppCase& text : cases) EXPECT_EQ(gguf_ids(**tokenizer, text.text), text.ids) << "\"" << text.text << "\"";
  EXPECT_EQ(cases.size(), 46u);
}

INSTANTIATE_TEST_SUITE_P(Files, GgufIds,
                         ::testing::Values(InGguf{"gpt2.json", "gpt2", "gpt-2", "gpt-2"},
                                           InGguf{"roberta-base.json", "gpt2", "roberta-bpe", "roberta-bpe"},
                                           InGguf{"phi-3-mini.json", "llama", "default", "phi-3"},
                                           InGguf{"bert-base-uncased.json", "bert", "jina-v2", "bert-bge"}),
                         [](const auto& one) {
                           std::string name = one.param.json;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

// The 256 bytes as GPT-2 writes them, and some merges.
GgufBytes small_byte_pairs(const std::string& pre, const std::vector<std::string>& merges = {"a b", "ab c"}) {
  std::vector<std::string> tokens{"<|endoftext|>", "<|im_start|>", "  "};
  for (int byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    static int shifted = 0;
    if (byte == 0) shifted = 0;
    const int point = printable ? byte : 256 + shifted++;
    tokens.push_back(point < 128 ? std::string(1, static_cast<char>(point))
                                 : std::string{static_cast<char>(0xc0 | point >> 6), static_cast<char>(0x80 | (point & 63))});
  }
  for (const std::string& merge : merges) {
    std::string joined = merge;
    joined.erase(joined.find(' '), 1);
    tokens.push_back(joined);
  }
  std::vector<std::int32_t> types(tokens.size(), 1);
  types[0] = types[1] = 3;
  types[2] = 4;
  GgufBytes out;
  const std::string keys = kGgufKeys;
  out.text("general.architecture", "llama").text(keys + "model", "gpt2").text(keys + "pre", pre);
  out.texts(keys + "tokens", tokens).numbers(keys + "token_type", 5, types).texts(keys + "merges", merges);
  out.key(keys + "bos_token_id", 4, raw<std::uint32_t>(1)).key(keys + "eos_token_id", 4, raw<std::uint32_t>(0));
  return out;
}

TEST(GgufTokenizer, PreTokenizersGoByTheirNames) {
  const auto pieces = [](const std::string& pre, const std::string& text) {
    const auto tokenizer = opened_gguf("named", small_byte_pairs(pre, {"1 2", "3 4", "12 34", "12 3", "! a", "Ġ a"}));
    EXPECT_TRUE(tokenizer.ok()) << pre << ": " << tokenizer.error().sentence();
    std::vector<std::string> out;
    if (!tokenizer.ok()) return out;
    const auto tokens = (*tokenizer)->encode(text);
    for (const Token& token : *tokens) out.push_back(token.piece);
    return out;
  };
  using Pieces = std::vector<std::string>;
  EXPECT_EQ(pieces("gpt-2", "1234!a"), (Pieces{"1234", "!", "a"}));
  EXPECT_EQ(pieces("smollm", "1234!a"), (Pieces{"1", "2", "3", "4", "!", "a"}));
  EXPECT_EQ(pieces("llama-bpe", "1234!a"), (Pieces{"123", "4", "!a"}));
  EXPECT_EQ(pieces("qwen2", "1234!a"), (Pieces{"1", "2", "3", "4", "!a"}));
  EXPECT_EQ(pieces("default", "1234!a a"), (Pieces{"123", "4", "!", "a", "Ġa"}));
  const auto unknown = opened_gguf("named", small_byte_pairs("viking"));
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().sentence().find(
                "its pre-tokenizer 'viking' is not known here; known are gpt-2, smollm, llama-bpe, qwen2, default"),
            std::string::npos)
      << unknown.error().sentence();
}

TEST(GgufTokenizer, ControlTokensAreSpecialAndDefinedOnesAreText) {
  const auto made =
      opened_gguf("control", small_byte_pairs("gpt-2").key("tokenizer.ggml.add_bos_token", 7, raw<std::uint8_t>(1)));
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  const Tokenizer& tokenizer = **made;
  EXPECT_EQ(tokenizer.special(Role::begin), 1);
  EXPECT_EQ(tokenizer.special(Role::end), 0);
  const auto tokens = tokenizer.encode("abc<|im_start|>  c");
  ASSERT_TRUE(tokens.ok());
  std::vector<std::string> pieces;
  for (const Token& token : *tokens) pieces.push_back(token.piece);
  EXPECT_EQ(pieces, (std::vector<std::string>{"abc", "<|im_start|>", "  ", "c"}));
  EXPECT_EQ((*tokens)[1].start, 3);
  EXPECT_EQ((*tokens)[1].end, 15);
  EXPECT_EQ(tokenizer.decode({tokenizer.vocabulary().find("abc"), 1, 2}), "abc  ");
  EXPECT_GT(gguf_ids(*tokenizer.as_plain(), "<|im_start|>").size(), 1u);
  const auto encoded = tokenizer.encode_single("c");
  ASSERT_TRUE(encoded.ok());
  ASSERT_EQ(encoded->tokens.size(), 2u);
  EXPECT_EQ(encoded->tokens[0].id, 1);
}

// SentencePiece: of pieces with equal scores the leftmost is made first, whatever their ids.
TEST(GgufTokenizer, SentencePieceMergesByScoreAndFromTheLeft) {
  std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
  std::vector<std::int32_t> types{2, 3, 3};
  for (int byte = 0; byte < 256; ++byte) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", static_cast<unsigned>(byte));
    tokens.push_back(text);
    types.push_back(6);
  }
  for (const char* piece : {"yz", "xy", "xyz", "▁a", "▁", "a", "x", "y", "z"}) {
    tokens.push_back(piece);
    types.push_back(1);
  }
  std::vector<float> scores(tokens.size(), 0);
  for (std::size_t id = 259; id < scores.size(); ++id) scores[id] = -static_cast<float>(std::max<std::size_t>(id, 260));
  scores[263] = std::numeric_limits<float>::quiet_NaN();  // counts as the worst
  const std::string keys = kGgufKeys;
  GgufBytes bytes;
  bytes.text(keys + "model", "llama").texts(keys + "tokens", tokens).numbers(keys + "token_type", 5, types);
  bytes.numbers(keys + "scores", 6, scores).key(keys + "bos_token_id", 4, raw<std::uint32_t>(1));
  const auto made = opened_gguf("scores", bytes);
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  const auto pieces = [&](const std::string& text) {
    std::string out;
    const auto encoded = (*made)->encode_single(text);
    for (const Token& token : encoded->tokens) out += token.piece + " ";
    return out;
  };
  EXPECT_EQ(pieces("y"), "<s> ▁ y ");
  EXPECT_EQ(pieces("ayz"), "<s> ▁a yz ");
  EXPECT_EQ(pieces("xyxyzz"), "<s> ▁ xy xyz z ");  // "yz" has the lower id, but "xy" lies on the left
  EXPECT_EQ(pieces("yaé"), "<s> ▁ y a <0xC3> <0xA9> ");
  EXPECT_EQ((*made)->decode(gguf_ids(**made, " a x é")), " a x é");
}

TEST(GgufTokenizer, FilesWithoutOrWithAStrangeOneAreRefused) {
  const auto refusal = [](const GgufBytes& bytes) {
    const auto made = opened_gguf("refused", bytes);
    return made.ok() ? std::string("opened") : made.error().sentence();
  };
  EXPECT_NE(refusal(GgufBytes().text("general.architecture", "llama")).find("this file has no tokenizer"), std::string::npos);
  EXPECT_NE(refusal(GgufBytes().text("tokenizer.ggml.model", "t5").texts("tokenizer.ggml.tokens", {"a"}))
                .find("its tokenizer is of the kind 't5', which is not known here; known are gpt2, llama, bert"),
            std::string::npos);
  EXPECT_NE(refusal(GgufBytes().text("tokenizer.ggml.model", "gpt2")).find("its vocabulary has 0 pieces"), std::string::npos);
  EXPECT_NE(refusal(small_byte_pairs("gpt-2", {"a b", "a  c"})).find("merge 1 is not two pieces"), std::string::npos);
  // A model's folder whose tokenizer is in its GGUF, and a name among one's own models.
  const fs::path folder = gguf_scratch("folder");
  ASSERT_TRUE(write_file(folder / "m-Q4_1.gguf", small_byte_pairs("gpt-2").file()).ok());
  EXPECT_TRUE(open(folder.string()).ok());
}

}  // namespace
}  // namespace headlight::tokenizers
