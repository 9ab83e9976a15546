#include "engine/tokenizers/files/hugging_face_stages.h"

#include <algorithm>

#include "engine/tokenizers/files/published.h"

namespace headlight::tokenizers {
namespace {

constexpr Phrase<0> kFetchAgain = "fetch the file again";
constexpr const char* kNormalizers =
    "BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, Replace, Prepend, Nmt, Precompiled, ByteLevel, "
    "Sequence";
constexpr const char* kSplitters =
    "BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, FixedLength, Metaspace, Punctuation, Split, UnicodeScripts, "
    "Whitespace, WhitespaceSplit, Sequence";
constexpr const char* kDecoders =
    "BPEDecoder, ByteFallback, ByteLevel, CTC, Fuse, Metaspace, Replace, Strip, WordPiece, Sequence";
constexpr const char* kPostProcessors = "BertProcessing, ByteLevel, RobertaProcessing, TemplateProcessing, Sequence";

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

using Choices = std::vector<Choice>;

Result<Choices> metaspace_of(const JsonPart& part, const std::string& where) {
  std::string prepend = part["prepend_scheme"].is_string() ? part["prepend_scheme"].string() : "always";
  if (part["prepend_scheme"].is_null() && !is_true(part["add_prefix_space"], true)) prepend = "never";
  if (part["replacement"].string().empty()) return lacks(part, "replacement", where);
  if (prepend != "always" && prepend != "first" && prepend != "never") return lacks(part, "prepend_scheme", where);
  return Choices{
      {"metaspace", {{"sign", part["replacement"].string()}, {"prepend", prepend}, {"cuts", is_true(part["split"], true)}}}};
}

Result<Choices> split_of(const JsonPart& part, const std::string& where) {
  const std::string& pattern = part["pattern"]["Regex"].string();
  const std::string matches = matches_of(part["behavior"]), expression = expression_of(part["pattern"]);
  if (matches.empty()) return lacks(part, "behavior", where);
  if (expression.empty()) return lacks(part, "pattern", where);
  const bool inverted = part["invert"].boolean();
  // The two cover every text: that their matches stand alone and that what lies between them is left out is one.
  const bool alone = (matches == "isolated" && !inverted) || (matches == "removed" && inverted);
  if (pattern == kCl100kPattern && alone) return Choices{{"cl100k", {}}};
  if (pattern == kGpt2Pattern && alone) return Choices{{"gpt2", {}}};
  return Choices{by_pattern(expression, matches, inverted)};
}

// One pre-tokenizer.
Result<Choices> splitters_of(const JsonPart& part, const std::string& where) {
  const std::string& type = part.type();
  if (type == "BertPreTokenizer") return Choices{{"words", {{"ideographs", false}}}};
  // The library searches this one with other regular expressions, to whose \w the two joiners belong.
  if (type == "Whitespace") return Choices{by_pattern("[\\w\u200c\u200d]+|[^\\w\\s\u200c\u200d]+", "removed", true)};
  if (type == "WhitespaceSplit") return Choices{by_pattern("\\s", "removed")};
  if (type == "Digits") {
    const bool alone = is_true(part["individual_digits"], false);
    return Choices{by_pattern("\\p{N}", alone ? "isolated" : "contiguous")};
  }
  if (type == "Punctuation") {
    const std::string matches = part["behavior"].is_null() ? "isolated" : matches_of(part["behavior"]);
    if (matches.empty()) return lacks(part, "behavior", where);
    return Choices{{"punctuation", {{"matches", matches}}}};
  }
  if (type == "CharDelimiterSplit") {
    if (part["delimiter"].string().empty()) return lacks(part, "delimiter", where);
    return Choices{by_pattern(escaped(part["delimiter"].string()), "removed")};
  }
  if (type == "FixedLength") {
    const std::int64_t length = part["length"].is_integer() ? part["length"].integer() : 5;
    if (length < 1) return lacks(part, "length", where);
    return Choices{{"fixed_length", {{"length", length}}}};
  }
  if (type == "UnicodeScripts") return Choices{{"scripts", {}}};
  if (type == "Metaspace") return metaspace_of(part, where);
  if (type == "Split") return split_of(part, where);
  return not_known(part, where, kSplitters);
}

// The pattern of a Replace, and whether it is a regular expression.
Result<Choice> replace_of(const JsonPart& part, const std::string& where) {
  const bool regular = part["pattern"]["Regex"].is_string();
  const std::string& pattern = part["pattern"][regular ? "Regex" : "String"].string();
  if (pattern.empty()) return lacks(part, "pattern", where);
  if (!part["content"].is_string()) return lacks(part, "content", where);
  return Choice{"replace", {{"pattern", pattern}, {"content", part["content"].string()}, {"regular", regular}}};
}

Result<Choices> decoders_of(const JsonPart& part, const std::string& where) {
  const std::string& type = part.type();
  if (type == "ByteLevel") return Choices{{"byte_level", {}}};
  if (type == "ByteFallback") return Choices{{"byte_fallback", {}}};
  if (type == "Fuse") return Choices{{"plain", {}}};
  if (type == "WordPiece") {
    if (!part["prefix"].is_string()) return lacks(part, "prefix", where);
    return Choices{
        {"wordpiece",
         {{"prefix", part["prefix"].string()}, {"spaces", std::string(part["cleanup"].boolean() ? "tidied" : "always")}}}};
  }
  if (type == "BPEDecoder") {
    if (part["suffix"].string().empty()) return lacks(part, "suffix", where);
    return Choices{{"suffix", {{"suffix", part["suffix"].string()}}}};
  }
  if (type == "Metaspace") {
    if (part["replacement"].string().empty()) return lacks(part, "replacement", where);
    const Json& scheme = part["prepend_scheme"];
    const bool prepended = scheme.is_string() ? scheme.string() != "never" : is_true(part["add_prefix_space"], true);
    return Choices{{"metaspace", {{"sign", part["replacement"].string()}, {"prepended", prepended}}}};
  }
  if (type == "Strip") {
    if (part["content"].string().empty()) return lacks(part, "content", where);
    if (part["start"].integer() < 0 || part["stop"].integer() < 0) return lacks(part, "start", where);
    return Choices{
        {"strip", {{"content", part["content"].string()}, {"left", part["start"].integer()}, {"right", part["stop"].integer()}}}};
  }
  if (type == "CTC")
    return Choices{{"ctc",
                    {{"pad", part["pad_token"].string()},
                     {"delimiter", part["word_delimiter_token"].string()},
                     {"tidies", part["cleanup"].boolean()}}}};
  if (type == "Replace") {
    HL_ASSIGN(Choice made, replace_of(part, where));
    return Choices{std::move(made)};
  }
  return not_known(part, where, kDecoders);
}

Result<Choices> normalizers_of(const JsonPart& part, const std::string& where) {
  const std::string& type = part.type();
  if (type == "BertNormalizer") {
    BertOptions options;
    options.clean = part["clean_text"].boolean();
    options.ideographs = part["handle_chinese_chars"].boolean();
    options.lower = part["lowercase"].boolean();
    options.strip_accents = is_true(part["strip_accents"], options.lower);
    return bert_normalizers(options);
  }
  if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD") {
    std::string id = type;
    std::transform(id.begin(), id.end(), id.begin(), [](char c) { return static_cast<char>(c | 0x20); });
    return Choices{{id, {}}};
  }
  if (type == "Lowercase") return Choices{{"lowercase", {}}};
  if (type == "StripAccents")  // all marks, where BertNormalizer takes those of category Mn
    return Choices{{"strip_accents", {{"marks", std::string("all")}}}};
  if (type == "Strip")
    return Choices{
        {"strip_spaces", {{"left", is_true(part["strip_left"], true)}, {"right", is_true(part["strip_right"], true)}}}};
  if (type == "Nmt") return Choices{{"nmt", {}}};
  if (type == "ByteLevel") return Choices{{"byte_alphabet", {}}};
  if (type == "Precompiled") {
    if (!part["precompiled_charsmap"].is_string()) return lacks(part, "precompiled_charsmap", where);
    return Choices{{"precompiled", {{"charsmap", part["precompiled_charsmap"].string()}}}};
  }
  if (type == "Replace") {
    HL_ASSIGN(Choice made, replace_of(part, where));
    return Choices{std::move(made)};
  }
  if (type == "Prepend") {
    if (!part["prepend"].is_string()) return lacks(part, "prepend", where);
    if (part["prepend"].string().empty()) return Choices{};
    return Choices{{"prepend", {{"content", part["prepend"].string()}}}};
  }
  return not_known(part, where, kNormalizers);
}

// "[CLS] $A [SEP]" of [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", ...}}, ...].
Result<std::string> template_in(const JsonPart& processor, const char* key, Vocabulary& vocabulary, const std::string& where) {
  std::string text;
  for (const Json& part : processor[key].elements()) {
    const Json* const special = part.find("SpecialToken");
    const Json* const given = special ? special : part.find("Sequence");
    if (!given || !(*given)["id"].is_string()) return lacks(processor, key, where);
    const std::string& id = (*given)["id"].string();
    const std::int64_t type = (*given)["type_id"].integer();
    std::vector<std::string> names;
    for (const Json& name : processor["special_tokens"][id]["tokens"].elements())
      if (special) names.push_back(name.string());
    if (names.empty()) names.push_back(special ? id : "$" + id);
    for (const std::string& name : names) {
      if (special) set_special_by_name(vocabulary, name);
      text += (text.empty() ? "" : " ") + (special ? in_template(name) : name) + (type > 0 ? ":" + std::to_string(type) : "");
    }
  }
  return text;
}

void add_parts(const Json& stage, const std::string& place, const char* parts, std::vector<JsonPart>& all) {
  if (stage.is_null()) return;
  if (stage["type"].string() != "Sequence") return all.push_back({&stage, place});
  std::size_t number = 0;
  for (const Json& part : stage[parts].elements())
    add_parts(part, place + "." + parts + "[" + std::to_string(number++) + "]", parts, all);
}

// Appends the choices of all parts.
Status append(const std::vector<JsonPart>& parts, Result<Choices> (*choices_of)(const JsonPart&, const std::string&), Choices& to,
              const std::string& where) {
  for (const JsonPart& part : parts) {
    HL_ASSIGN(const Choices made, choices_of(part, where));
    to.insert(to.end(), made.begin(), made.end());
  }
  return {};
}

}  // namespace

std::vector<JsonPart> parts_of(const Json& stage, const std::string& place, const char* parts) {
  std::vector<JsonPart> all;
  add_parts(stage, place, parts, all);
  return all;
}

Failure not_known(const JsonPart& part, const std::string& where, const char* known) {
  return invalid("'{}' is not known", part.type()).at("{} {}", where, part.place).mend("known are {}", known);
}

Failure lacks(const JsonPart& part, const char* key, const std::string& where) {
  return invalid("'{}' has no \"{}\", or one that cannot be read", part.type(), key)
      .at("{} {}", where, part.place)
      .mend(kFetchAgain);
}

Status add_normalizers(const Json& stage, TokenizerPlan& plan, const std::string& where) {
  return append(parts_of(stage, "normalizer", "normalizers"), normalizers_of, plan.normalizers, where);
}

Status add_splitters(const Json& stage, const Json& prefix_space, TokenizerPlan& plan, const std::string& where) {
  const std::vector<JsonPart> parts = parts_of(stage, "pre_tokenizer", "pretokenizers");
  for (const JsonPart& part : parts) {
    if (part.type() != "ByteLevel") {
      HL_TRY(append({part}, splitters_of, plan.splitters, where));
      continue;
    }
    bool prefixed = is_true(part["add_prefix_space"], true);
    if (parts.size() == 1) prefixed = is_true(prefix_space, prefixed);
    if (prefixed) plan.splitters.push_back({"prefix_space", {}});
    if (is_true(part["use_regex"], true)) plan.splitters.push_back({"gpt2", {}});
    plan.splitters.push_back({"byte_level", {}});
  }
  return {};
}

Status add_decoders(const Json& stage, TokenizerPlan& plan, const std::string& where) {
  HL_TRY(append(parts_of(stage, "decoder", "decoders"), decoders_of, plan.decoders, where));
  // Without a decoder the library puts spaces between pieces, and with an empty sequence nothing.
  if (plan.decoders.empty()) plan.decoders = {{stage.is_null() ? "spaced" : "plain", {}}};
  return {};
}

Status set_post_processor(const Json& stage, TokenizerPlan& plan, const std::string& where) {
  plan.post_processor = bracket_template("", "");
  std::string spaces = "kept";
  bool set = false;
  for (const JsonPart& part : parts_of(stage, "post_processor", "processors")) {
    const std::string& type = part.type();
    const bool roberta = type == "RobertaProcessing";
    if ((type == "ByteLevel" || roberta) && is_true(part["trim_offsets"], true))
      spaces = is_true(part["add_prefix_space"], true) ? "prefixed" : "trimmed";
    if (type == "ByteLevel") continue;
    if (type != "TemplateProcessing" && !roberta && type != "BertProcessing") return not_known(part, where, kPostProcessors);
    if (set)
      return invalid("'{}' is the second part that adds tokens", type)
          .at("{} {}", where, part.place)
          .mend("give a file with one");
    set = true;
    if (type == "TemplateProcessing") {
      HL_ASSIGN(plan.post_processor.values["single"], template_in(part, "single", plan.vocabulary, where));
      HL_ASSIGN(plan.post_processor.values["pair"], template_in(part, "pair", plan.vocabulary, where));
      continue;
    }
    const std::string before = part["cls"][std::size_t{0}].string(), after = part["sep"][std::size_t{0}].string();
    if (before.empty()) return lacks(part, "cls", where);
    if (after.empty()) return lacks(part, "sep", where);
    set_special_by_name(plan.vocabulary, before);
    set_special_by_name(plan.vocabulary, after);
    plan.post_processor = bracket_template(before, after);
    // RoBERTa has two separators between the sentences, and one type id.
    if (roberta)
      plan.post_processor.values["pair"] =
          in_template(before) + " $A " + in_template(after) + " " + in_template(after) + " $B " + in_template(after);
  }
  plan.post_processor.values["spaces"] = spaces;
  return {};
}

}  // namespace headlight::tokenizers
