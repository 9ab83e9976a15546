// gguf: the tokenizer that a GGUF file has in its metadata ("tokenizer.ggml.…"), as llama.cpp reads it: byte-level BPE whose
// pre-tokenizer goes by a name ("gpt2"), SentencePiece's BPE by scores ("llama"), and WordPiece ("bert").
#include <algorithm>

#include "engine/checkpoints/gguf_header.h"
#include "engine/checkpoints/mapped_file.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/files/published.h"
#include "engine/tokenizers/files/score_merges.h"

namespace headlight::tokenizers {
namespace {

using checkpoints::GgufMetadata;

constexpr std::string_view kSpaceSign = "▁";
constexpr std::size_t kMostPieces = std::size_t{1} << 22, kMostPieceBytes = std::size_t{1} << 26;

enum TokenType : std::int64_t { normal = 1, unknown, control, user_defined, unused, byte };

Choice isolated(const char* expression) { return {"pattern", {{"expression", std::string(expression)}}}; }

// What llama.cpp calls a pre-tokenizer: how a text is cut, and whether a word that is a piece is taken whole.
struct PreTokenizer {
  std::vector<std::string_view> names;
  std::vector<Choice> splitters;
  bool whole_words = false;
};
const std::vector<PreTokenizer>& pre_tokenizers() {
  static const std::vector<PreTokenizer> all = {
      {{"gpt-2", "phi-2", "mpt", "olmo", "jais", "modern-bert", "roberta-bpe"}, {{"gpt2", {}}}},
      {{"smollm", "starcoder", "refact", "command-r", "codeshell"}, {isolated("\\p{N}"), {"gpt2", {}}}},
      {{"llama-bpe", "llama3", "llama-v3", "falcon3", "pixtral"}, {{"cl100k", {}}}, true},
      {{"qwen2", "deepseek-r1-qwen", "stablelm2"},
       {isolated(
           R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)")}},
      {{"default", ""}, {isolated(R"([\p{P}\$\+<=>\^~\|]+)"), {"gpt2", {}}, isolated("\\p{N}+"), isolated("[0-9][0-9][0-9]")}},
  };
  return all;
}

class GgufTokenizer {
 public:
  GgufTokenizer(const GgufMetadata& metadata, const std::string& where) : metadata_(metadata), where_(where) {}

  Result<TokenizerPlan> plan() {
    const std::string model = text("model");
    if (model.empty())
      return not_found("this file has no tokenizer")
          .at(where_)
          .mend("give the model's GGUF, or a folder with its tokenizer.json");
    HL_TRY(read_pieces(model));
    if (model == "gpt2") {
      HL_TRY(set_byte_pairs());
    } else if (model == "llama") {
      set_sentence_pieces();
    } else if (model == "bert") {
      set_word_pieces();
    } else {
      return invalid("its tokenizer is of the kind '{}', which is not known here", model)
          .at(where_)
          .mend("known are gpt2, llama, bert");
    }
    set_brackets(model);
    return std::move(plan_);
  }

 private:
  std::string text(const char* key) const { return metadata_.text(kKeys + key).value_or(""); }
  std::int32_t id(const char* key) const {
    const std::int64_t id = metadata_.integer(kKeys + key).value_or(-1);
    return id >= 0 && id < plan_.vocabulary.size() ? static_cast<std::int32_t>(id) : -1;
  }
  std::int64_t type_of(std::size_t id) const { return id < types_.size() ? types_[id] : TokenType::normal; }

  Status read_pieces(const std::string& model) {
    std::vector<std::string> pieces = metadata_.texts(kKeys + "tokens");
    types_ = metadata_.integers(kKeys + "token_type");
    std::size_t bytes = 0;
    for (const std::string& piece : pieces) bytes += piece.size();
    if (pieces.empty() || pieces.size() > kMostPieces || bytes > kMostPieceBytes)
      return invalid("its vocabulary has {} pieces of {} bytes together", pieces.size(), bytes)
          .at(where_)
          .mend("fetch the file again");
    // BERT's "##x" is stored as "x", and what begins a word as "▁x".
    if (model == "bert")
      for (std::size_t i = 0; i < pieces.size(); ++i)
        if (type_of(i) != TokenType::control)
          pieces[i] = pieces[i].starts_with(kSpaceSign) ? pieces[i].substr(kSpaceSign.size()) : "##" + pieces[i];
    HL_ASSIGN(plan_.vocabulary, Vocabulary::of(std::move(pieces), where_, true));
    constexpr std::pair<Role, const char*> kRoleKeys[] = {
        {Role::begin, "bos_token_id"},           {Role::end, "eos_token_id"},
        {Role::unknown, "unknown_token_id"},     {Role::pad, "padding_token_id"},
        {Role::separator, "separator_token_id"}, {Role::separator, "seperator_token_id"},
        {Role::classify, "cls_token_id"},        {Role::mask, "mask_token_id"}};
    for (const auto& [role, key] : kRoleKeys)
      if (const std::int32_t found = id(key); found >= 0) plan_.vocabulary.set_special(role, found);
    add_tokens();
    return {};
  }

  // Control tokens stand for no text; those that a user defined, such as runs of spaces, do. A text may name both.
  void add_tokens() {
    // Phi-3's take the whitespace behind them along, but for three.
    const bool strips = metadata_.text("general.architecture") == "phi3";
    std::vector<std::int32_t> added;
    for (std::int32_t id = 0; id < plan_.vocabulary.size(); ++id) {
      const std::int64_t type = type_of(static_cast<std::size_t>(id));
      AddedToken token;
      token.content = plan_.vocabulary.piece(id);
      token.id = id;
      token.special = type == TokenType::control || type == TokenType::unknown;
      if (token.content.empty() || (!token.special && type != TokenType::user_defined)) continue;
      token.rstrip = strips && token.content != "<unk>" && token.content != "<s>" && token.content != "<|endoftext|>";
      token.lstrip = token.content == "<mask>";  // RoBERTa's
      if (token.special) set_special_by_name(plan_.vocabulary, token.content);
      added.push_back(id);
      plan_.added.push_back(std::move(token));
    }
    plan_.vocabulary.as_published(std::move(added));
  }

  Status set_byte_pairs() {
    const std::string name = text("pre");
    const PreTokenizer* found = nullptr;
    for (const PreTokenizer& one : pre_tokenizers())
      if (std::ranges::find(one.names, name) != one.names.end()) found = &one;
    if (!found) {
      std::string known;
      for (const PreTokenizer& one : pre_tokenizers()) known += (known.empty() ? "" : ", ") + std::string(one.names.front());
      return invalid("its pre-tokenizer '{}' is not known here", name).at(where_).mend("known are {}", known);
    }
    for (const std::string& line : metadata_.texts(kKeys + "merges")) {
      HL_ASSIGN(auto merge, merge_of(line, plan_.merges.size(), where_));
      plan_.merges.push_back(std::move(merge));
    }
    plan_.splitters = found->splitters;
    plan_.model = {"bpe", {{"alphabet", std::string("bytes")}, {"whole_words", found->whole_words}}};
    plan_.decoders = {{"byte_level", {}}};
    return {};
  }

  void set_sentence_pieces() {
    ScoreMerges made = merges_by_scores(plan_.vocabulary, metadata_.reals(kKeys + "scores"), [&](std::int32_t id) {
      const std::int64_t type = id < 0 ? 0 : type_of(static_cast<std::size_t>(id));
      return type == TokenType::normal || type == TokenType::unused;
    });
    plan_.merges = std::move(made.merges);
    const bool prefixed = metadata_.boolean(kKeys + "add_space_prefix").value_or(true);
    const std::string sign(kSpaceSign);
    if (prefixed) plan_.normalizers.push_back({"prepend", {{"content", sign}}});
    plan_.normalizers.push_back({"replace", {{"pattern", std::string(" ")}, {"content", sign}}});
    plan_.model = {"bpe", {{"alphabet", std::string("fallback")}, {"tied", made.tied}}};
    plan_.decoders = {{"replace", {{"pattern", sign}, {"content", std::string(" ")}}}, {"byte_fallback", {}}, {"plain", {}}};
    if (prefixed)
      plan_.decoders.push_back({"strip", {{"content", std::string(" ")}, {"left", std::int64_t{1}}, {"right", std::int64_t{0}}}});
  }

  void set_word_pieces() {
    BertOptions options;
    options.lower = options.strip_accents = !has_capital(plan_.vocabulary);
    TokenizerPlan made = bert_plan(std::move(plan_.vocabulary), options);
    made.added = std::move(plan_.added);
    plan_ = std::move(made);
  }

  // What stands around a text.
  void set_brackets(const std::string& model) {
    const std::string pre = text("pre");
    const bool encoder = model == "bert" || pre == "roberta-bpe" || pre == "modern-bert";
    const bool begins = encoder || model == "llama" || pre == "llama-bpe";
    const auto piece = [&](std::initializer_list<Role> roles) {
      for (const Role role : roles)
        if (const std::int32_t found = plan_.vocabulary.special(role); found >= 0) return plan_.vocabulary.piece(found);
      return std::string();
    };
    const std::string before =
        metadata_.boolean(kKeys + "add_bos_token").value_or(begins) ? piece({Role::begin, Role::classify}) : std::string();
    const bool ends = metadata_.boolean(kKeys + "add_eos_token").value_or(encoder) || encoder;
    const std::string after = ends ? (encoder ? piece({Role::separator, Role::end}) : piece({Role::end})) : std::string();
    plan_.post_processor = bracket_template(before, after);
    if (pre == "roberta-bpe") plan_.post_processor.values["pair"] = before + " $A " + after + " " + after + " $B " + after;
  }

  static inline const std::string kKeys = "tokenizer.ggml.";
  const GgufMetadata& metadata_;
  const std::string& where_;
  TokenizerPlan plan_;
  std::vector<std::int64_t> types_;
};

Result<std::shared_ptr<const Tokenizer>> load_gguf(const std::filesystem::path& file) {
  const std::string where = file.string();
  HL_ASSIGN(const auto mapped, checkpoints::MappedFile::open(file));
  HL_ASSIGN(const GgufMetadata metadata, checkpoints::read_gguf_metadata(mapped->text(), where, {}));
  HL_ASSIGN(const TokenizerPlan plan, GgufTokenizer(metadata, where).plan());
  return Tokenizer::make(plan, where);
}

}  // namespace

FormatEntry gguf_format() {
  return {"gguf",
          "the tokenizer in a GGUF file",
          "tokenizer.ggml.model, tokens, merges or scores",
          "llama.cpp",
          {},
          checkpoints::looks_like_gguf,
          load_gguf};
}

}  // namespace headlight::tokenizers
