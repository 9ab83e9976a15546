#include "engine/tokenizers/files/hugging_face_stages.h"

#include <algorithm>

#include "engine/text/byte_alphabet.h"
#include "engine/tokenizers/files/published.h"

namespace headlight::tokenizers {
namespace {

// The patterns of `Split` that we have as splitters of their own, which are faster.
constexpr const char* kCl100kPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

bool is_true(const Json& flag, bool absent) { return flag.is_boolean() ? flag.boolean() : absent; }

// A text as a regular expression that finds this text alone.
std::string escaped(const std::string& text) {
  std::string expression;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}-#&~ ").find(c) != std::string_view::npos) expression += '\\';
    expression += c;
  }
  return expression;
}

// What is done with matches, by the library's name; "" for any other name.
std::string matches_of(const Json& behavior) {
  constexpr std::pair<std::string_view, const char*> names[] = {{"Isolated", "isolated"},
                                                                {"Removed", "removed"},
                                                                {"MergedWithPrevious", "with_previous"},
                                                                {"MergedWithNext", "with_next"},
                                                                {"Contiguous", "contiguous"}};
  for (const auto& [theirs, ours] : names)
    if (behavior.string() == theirs) return ours;
  return "";
}

Choice by_pattern(const std::string& expression, const std::string& matches, bool inverted = false) {
  return {"pattern", {{"expression", expression}, {"matches", matches}, {"inverted", inverted}}};
}

// The expression of {"Regex": …} or {"String": …}; empty: neither.
std::string expression_of(const Json& pattern) {
  return pattern["Regex"].is_string() ? pattern["Regex"].string() : escaped(pattern["String"].string());
}

// One pre-tokenizer; nothing: we do not have it.
std::vector<Choice> splitters_of(const Json& part) {
  const std::string& type = type_of(part);
  if (type == "BertPreTokenizer") return {{"words", {{"ideographs", false}}}};
  if (type == "Whitespace") return {by_pattern("\\w+|[^\\w\\s]+", "removed", true)};
  if (type == "WhitespaceSplit") return {by_pattern("\\s", "removed")};
  if (type == "Digits") {
    const bool alone = is_true(part["individual_digits"], false);
    return {by_pattern("\\p{N}", alone ? "isolated" : "contiguous")};
  }
  if (type == "Punctuation") {
    const std::string matches = part["behavior"].is_null() ? "isolated" : matches_of(part["behavior"]);
    if (!matches.empty()) return {by_pattern("[\\p{P}$+<=>\\^`|~]", matches)};
  }
  if (type == "CharDelimiterSplit" && !part["delimiter"].string().empty())
    return {by_pattern(escaped(part["delimiter"].string()), "removed")};
  if (type == "Metaspace") {
    std::string prepend = part["prepend_scheme"].is_string() ? part["prepend_scheme"].string() : "always";
    if (part["prepend_scheme"].is_null() && !is_true(part["add_prefix_space"], true)) prepend = "never";
    if (part["replacement"].string().empty() || (prepend != "always" && prepend != "first" && prepend != "never")) return {};
    return {
        {"metaspace", {{"sign", part["replacement"].string()}, {"prepend", prepend}, {"cuts", is_true(part["split"], true)}}}};
  }
  if (type == "Split") {
    const std::string& pattern = part["pattern"]["Regex"].string();
    const std::string matches = matches_of(part["behavior"]), expression = expression_of(part["pattern"]);
    const bool inverted = part["invert"].boolean();
    // The two cover every text: that their matches stand alone and that what lies between them is left out is one.
    const bool alone = (matches == "isolated" && !inverted) || (matches == "removed" && inverted);
    if (pattern == kCl100kPattern && alone) return {{"cl100k", {}}};
    if (pattern == kGpt2Pattern && alone) return {{"gpt2", {}}};
    if (!matches.empty() && !expression.empty()) return {by_pattern(expression, matches, inverted)};
  }
  return {};
}

// One decoder; nothing: we do not have it.
std::vector<Choice> decoders_of(const Json& part) {
  const std::string& type = type_of(part);
  if (type == "ByteLevel") return {{"byte_level", {}}};
  if (type == "ByteFallback") return {{"byte_fallback", {}}};
  if (type == "Fuse") return {{"plain", {}}};
  if (type == "WordPiece" && !part["prefix"].string().empty())
    return {{"wordpiece",
             {{"prefix", part["prefix"].string()}, {"spaces", std::string(part["cleanup"].boolean() ? "tidied" : "always")}}}};
  if (type == "BPEDecoder" && !part["suffix"].string().empty()) return {{"suffix", {{"suffix", part["suffix"].string()}}}};
  if (type == "Metaspace" && !part["replacement"].string().empty()) {
    const Json& scheme = part["prepend_scheme"];
    const bool prepended = scheme.is_string() ? scheme.string() != "never" : is_true(part["add_prefix_space"], true);
    return {{"metaspace", {{"sign", part["replacement"].string()}, {"prepended", prepended}}}};
  }
  if (type == "Strip" && !part["content"].string().empty() && part["start"].integer() >= 0 && part["stop"].integer() >= 0)
    return {
        {"strip", {{"content", part["content"].string()}, {"left", part["start"].integer()}, {"right", part["stop"].integer()}}}};
  const bool regular = part["pattern"]["Regex"].is_string();
  const std::string& pattern = part["pattern"][regular ? "Regex" : "String"].string();
  if (type == "Replace" && !pattern.empty())
    return {{"replace", {{"pattern", pattern}, {"content", part["content"].string()}, {"regular", regular}}}};
  return {};
}

}  // namespace

Failure not_read(const Message& what, const std::string& where) {
  return failure(ErrorKind::invalid, "{} cannot be read", what)
      .at(where)
      .mend(
          "give one with byte-level BPE as of GPT-2 and RoBERTa, BPE that falls back to bytes as of Llama 2 and Phi-3, or "
          "WordPiece as of BERT");
}

const std::string& type_of(const Json& stage) { return stage["type"].string(); }

std::vector<Json> parts_of(const Json& stage, const char* parts) {
  if (stage.is_null()) return {};
  if (type_of(stage) != "Sequence") return {stage};
  std::vector<Json> all;
  for (const Json& part : stage[parts].elements())
    for (Json& inner : parts_of(part, parts)) all.push_back(std::move(inner));
  return all;
}

Status add_normalizers(const Json& stage, TokenizerPlan& plan, const std::string& where) {
  for (const Json& part : parts_of(stage, "normalizers")) {
    const std::string& type = type_of(part);
    const bool regular = part["pattern"]["Regex"].is_string();
    const std::string& pattern = part["pattern"][regular ? "Regex" : "String"].string();
    if (type == "BertNormalizer") {
      BertOptions options;
      options.clean = part["clean_text"].boolean();
      options.ideographs = part["handle_chinese_chars"].boolean();
      options.lower = part["lowercase"].boolean();
      options.strip_accents = is_true(part["strip_accents"], options.lower);
      const std::vector<Choice> stages = bert_normalizers(options);
      plan.normalizers.insert(plan.normalizers.end(), stages.begin(), stages.end());
    } else if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD") {
      std::string id = type;
      std::transform(id.begin(), id.end(), id.begin(), [](char c) { return static_cast<char>(c | 0x20); });
      plan.normalizers.push_back({id, {}});
    } else if (type == "Lowercase") {
      plan.normalizers.push_back({"lowercase", {}});
    } else if (type == "StripAccents") {  // all marks, where BertNormalizer takes those of category Mn
      plan.normalizers.push_back({"strip_accents", {{"marks", std::string("all")}}});
    } else if (type == "Strip") {
      plan.normalizers.push_back(
          {"strip_spaces", {{"left", is_true(part["strip_left"], true)}, {"right", is_true(part["strip_right"], true)}}});
    } else if (type == "Replace" && !pattern.empty()) {
      plan.normalizers.push_back(
          {"replace", {{"pattern", pattern}, {"content", part["content"].string()}, {"regular", regular}}});
    } else if (type == "Prepend" && !part["prepend"].string().empty()) {
      plan.normalizers.push_back({"prepend", {{"content", part["prepend"].string()}}});
    } else {
      return not_read(Message("the normalizer '{}'", type), where);
    }
  }
  return {};
}

Status add_splitters(const Json& stage, const Json& prefix_space, TokenizerPlan& plan, bool& bytes, const std::string& where) {
  const std::vector<Json> parts = parts_of(stage, "pretokenizers");
  for (const Json& part : parts) {
    if (type_of(part) != "ByteLevel") {
      const std::vector<Choice> made = splitters_of(part);
      // The model reads the bytes themselves, and a stage behind ByteLevel would read its letters.
      if (made.empty() || bytes) return not_read(Message("the pre-tokenizer '{}' as this file has it", type_of(part)), where);
      plan.splitters.insert(plan.splitters.end(), made.begin(), made.end());
      continue;
    }
    if (bytes) return not_read(Message("the pre-tokenizer '{}' as this file has it", type_of(part)), where);
    bytes = true;
    bool prefixed = is_true(part["add_prefix_space"], true);
    if (parts.size() == 1) prefixed = is_true(prefix_space, prefixed);
    if (prefixed) plan.splitters.push_back({"prefix_space", {}});
    if (is_true(part["use_regex"], true)) plan.splitters.push_back({"gpt2", {}});
  }
  return {};
}

Status add_decoders(const Json& stage, TokenizerPlan& plan, const std::string& where) {
  for (const Json& part : parts_of(stage, "decoders")) {
    const std::vector<Choice> made = decoders_of(part);
    if (made.empty()) return not_read(Message("the decoder '{}' as this file has it", type_of(part)), where);
    plan.decoders.insert(plan.decoders.end(), made.begin(), made.end());
  }
  if (plan.decoders.empty()) plan.decoders = {{"spaced", {}}};  // as the library reads a file without one
  return {};
}

}  // namespace headlight::tokenizers
