// hugging_face: tokenizer.json of the library `tokenizers`, where its stages are those of byte-level BPE (GPT-2, RoBERTa), of BPE
// over characters with bytes for unseen ones (Llama 2, Phi-3) or of WordPiece (BERT). Other models and stages are refused by
// name: a tokenizer that cuts a text otherwise than its model was trained on would be worse than none.
#include <algorithm>

#include "engine/core/text_file.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/files/published.h"

namespace headlight::tokenizers {
namespace {

constexpr Phrase<0> kAgain = "fetch the file again";
// The patterns of `Split` that we have as splitters.
constexpr const char* kCl100kPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

Error not_read(const Message& what, const std::string& where) {
  return failure(ErrorKind::invalid, "{} cannot be read", what)
      .at(where)
      .mend(
          "give one with byte-level BPE as of GPT-2 and RoBERTa, BPE that falls back to bytes as of Llama 2 and Phi-3, or "
          "WordPiece as of BERT");
}
const std::string& type_of(const Json& stage) { return stage["type"].string(); }
bool is_false_or_absent(const Json& flag) { return !flag.boolean(); }

// The parts of a Sequence, whose list is named `parts`; any other stage is one part, null none.
std::vector<Json> parts_of(const Json& stage, const char* parts) {
  if (stage.is_null()) return {};
  if (type_of(stage) == "Sequence") return stage[parts].elements();
  return {stage};
}

Status add_normalizers(const Json& stage, TokenizerPlan& plan, const std::string& where) {
  for (const Json& part : parts_of(stage, "normalizers")) {
    const std::string& type = type_of(part);
    if (type == "BertNormalizer") {
      const bool lower = part["lowercase"].boolean();
      const Json& accents = part["strip_accents"];  // null: as lowercase says
      if (part["clean_text"].boolean()) plan.normalizers.push_back({"clean_text", {}});
      if (accents.is_null() ? lower : accents.boolean())
        plan.normalizers.insert(plan.normalizers.end(), {{"nfd", {}}, {"strip_accents", {}}});
      if (lower) plan.normalizers.push_back({"lowercase", {}});
    } else if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD") {
      std::string id = type;
      std::transform(id.begin(), id.end(), id.begin(), [](char c) { return static_cast<char>(c | 0x20); });
      plan.normalizers.push_back({id, {}});
    } else if (type == "Lowercase") {
      plan.normalizers.push_back({"lowercase", {}});
    } else if (type == "StripAccents") {
      plan.normalizers.push_back({"strip_accents", {}});
    } else if (type == "Replace" && part["pattern"]["String"].is_string() && !part["pattern"]["String"].string().empty()) {
      plan.normalizers.push_back(
          {"replace", {{"pattern", part["pattern"]["String"].string()}, {"content", part["content"].string()}}});
    } else if (type == "Prepend" && !part["prepend"].string().empty()) {
      plan.normalizers.push_back({"prepend", {{"content", part["prepend"].string()}}});
    } else {
      return not_read(Message("the normalizer '{}'", type), where);
    }
  }
  return {};
}

Status add_splitters(const Json& stage, TokenizerPlan& plan, const std::string& where) {
  for (const Json& part : parts_of(stage, "pretokenizers")) {
    const std::string& type = type_of(part);
    const std::string& pattern = part["pattern"]["Regex"].string();
    const bool isolates = part["behavior"].string() == "Isolated" && is_false_or_absent(part["invert"]);
    const bool removes = part["behavior"].string() == "Removed" && part["invert"].boolean();  // the gaps between matches: none
    if (type == "BertPreTokenizer") {
      plan.splitters.push_back({"words", {}});
    } else if (type == "Split" && pattern == kCl100kPattern && (isolates || removes)) {
      plan.splitters.push_back({"cl100k", {}});
    } else if (type == "Split" && pattern == kGpt2Pattern && (isolates || removes)) {
      plan.splitters.push_back({"gpt2", {}});
    } else if (type == "ByteLevel" && is_false_or_absent(part["add_prefix_space"])) {
      const Json& regex = part["use_regex"];  // absent: true
      if (regex.is_null() || regex.boolean()) plan.splitters.push_back({"gpt2", {}});
    } else {
      return not_read(Message("the pre-tokenizer '{}' as this file has it", type), where);
    }
  }
  return {};
}

// "[CLS] $A [SEP]" of [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", ...}}, ...].
Result<std::string> template_of(const Json& parts, Vocabulary& vocabulary, const std::string& where) {
  std::string text;
  for (const Json& part : parts.elements()) {
    const Json* const special = part.find("SpecialToken");
    const Json* const given = special ? special : part.find("Sequence");
    if (!given || !(*given)["id"].is_string())
      return invalid("a part of the template is no token and no sentence").at(where).mend(kAgain);
    const std::string& id = (*given)["id"].string();
    if (special) set_special_by_name(vocabulary, id);
    const std::int64_t type = (*given)["type_id"].integer();
    text += (text.empty() ? "" : " ") + (special ? id : "$" + id) + (type > 0 ? ":" + std::to_string(type) : "");
  }
  return text;
}

Status set_post_processor(const Json& stage, TokenizerPlan& plan, const std::string& where) {
  plan.post_processor = bracket_template("", "");
  if (stage.is_null() || type_of(stage) == "ByteLevel") return {};
  if (type_of(stage) == "TemplateProcessing") {
    HL_ASSIGN(plan.post_processor.values["single"], template_of(stage["single"], plan.vocabulary, where));
    HL_ASSIGN(plan.post_processor.values["pair"], template_of(stage["pair"], plan.vocabulary, where));
    return {};
  }
  const bool roberta = type_of(stage) == "RobertaProcessing";
  if (!roberta && type_of(stage) != "BertProcessing") return not_read(Message("the post-processor '{}'", type_of(stage)), where);
  const std::string before = stage["cls"][std::size_t{0}].string(), after = stage["sep"][std::size_t{0}].string();
  if (before.empty() || after.empty()) return invalid("the post-processor names no [CLS] or no [SEP]").at(where).mend(kAgain);
  set_special_by_name(plan.vocabulary, before);
  set_special_by_name(plan.vocabulary, after);
  plan.post_processor = bracket_template(before, after);
  // RoBERTa has two separators between the sentences, and one type id.
  if (roberta) plan.post_processor.values["pair"] = before + " $A " + after + " " + after + " $B " + after;
  return {};
}

Result<Merges> merges_from(const Json& list, const std::string& where) {
  Merges merges;
  merges.reserve(list.size());
  for (const Json& merge : list.elements()) {
    if (merge.is_string()) {  // as the library wrote them first: "a b"
      HL_ASSIGN(auto pair, merge_of(merge.string(), merges.size(), where));
      merges.push_back(std::move(pair));
    } else if (merge.size() == 2 && merge[std::size_t{0}].is_string() && merge[std::size_t{1}].is_string()) {
      merges.emplace_back(merge[std::size_t{0}].string(), merge[std::size_t{1}].string());
    } else {
      return invalid("merge {} is no pair of pieces", merges.size()).at(where).mend(kAgain);
    }
  }
  return merges;
}

Status set_model(const Json& json, TokenizerPlan& plan, const std::string& where) {
  const Json& model = json["model"];
  // Older files do not say the type, which is seen from the members then.
  std::string type = type_of(model);
  if (type.empty())
    type = model.contains("merges") ? "BPE" : model.contains("max_input_chars_per_word") ? "WordPiece" : "Unigram";
  if (type == "WordPiece") {
    plan.model = {"wordpiece", {}};
    if (model["continuing_subword_prefix"].is_string()) plan.model.values["prefix"] = model["continuing_subword_prefix"].string();
    if (model["max_input_chars_per_word"].is_integer())
      plan.model.values["longest_word"] = model["max_input_chars_per_word"].integer();
    plan.decoder = {"wordpiece", {}};
    if (const std::int32_t id = plan.vocabulary.find(model["unk_token"].string()); id >= 0)
      plan.vocabulary.set_special(Role::unknown, id);
    return {};
  }
  if (type != "BPE") return not_read(Message("the model '{}'", type), where);
  const auto any_is = [](const std::vector<Json>& parts, const char* wanted) {
    return std::ranges::any_of(parts, [&](const Json& part) { return type_of(part) == wanted; });
  };
  const bool fallback = model["byte_fallback"].boolean();
  if (!fallback && !any_is(parts_of(json["pre_tokenizer"], "pretokenizers"), "ByteLevel"))
    return not_read(Message("BPE over characters"), where);
  // Its pieces are a text again as SentencePiece's are: "▁" is a space, and the first one was put before the text.
  const std::vector<Json> decoders = parts_of(json["decoder"], "decoders");
  if (fallback && !(any_is(decoders, "ByteFallback") && any_is(decoders, "Replace") && any_is(decoders, "Strip")))
    return not_read(Message("the decoder as this file has it"), where);
  if (!model["continuing_subword_prefix"].string().empty() || !model["end_of_word_suffix"].string().empty())
    return not_read(Message("BPE with a prefix or suffix of pieces"), where);
  if (model["ignore_merges"].boolean()) return not_read(Message("BPE that looks whole words up first"), where);
  plan.model = {"bpe", {{"alphabet", std::string(fallback ? "fallback" : "bytes")}}};
  plan.decoder = {fallback ? "sentencepiece" : "byte_level", {}};
  HL_ASSIGN(plan.merges, merges_from(model["merges"], where));
  return {};
}

bool recognises_hugging_face(std::string_view beginning) {
  const auto has = [&](const char* key) { return beginning.find(key) != std::string_view::npos; };
  return has("\"added_tokens\"") || has("\"truncation\"") || has("\"pre_tokenizer\"");
}

Result<std::shared_ptr<const Tokenizer>> load_hugging_face(const std::filesystem::path& file) {
  const std::string where = file.string();
  HL_ASSIGN(const std::string text, read_text_file(file, kMostPublished));
  HL_ASSIGN(const Json json, Json::parse(text, where, Message(kAgain)));
  if (!json["model"].is_object()) return invalid("this tokenizer has no model").at(where).mend(kAgain);
  if (!json["model"]["vocab"].is_object()) return not_read(Message("a vocabulary with scores (Unigram)"), where);
  std::vector<std::pair<std::string, std::int64_t>> added;
  for (const Json& token : json["added_tokens"].elements()) {
    if (!token["content"].is_string() || token["content"].string().empty() || !token["id"].is_integer())
      return invalid("an added token has no text or no id").at(where).mend(kAgain);
    added.emplace_back(token["content"].string(), token["id"].integer());
  }
  HL_ASSIGN(std::vector<std::string> pieces, pieces_by_id(json["model"]["vocab"], added, where));
  TokenizerPlan plan;
  HL_ASSIGN(plan.vocabulary, Vocabulary::of(std::move(pieces), where));
  for (const Json& token : json["added_tokens"].elements())
    if (token["special"].boolean()) set_special_by_name(plan.vocabulary, token["content"].string());
  HL_TRY(set_model(json, plan, where));
  HL_TRY(add_normalizers(json["normalizer"], plan, where));
  HL_TRY(add_splitters(json["pre_tokenizer"], plan, where));
  HL_TRY(set_post_processor(json["post_processor"], plan, where));
  return Tokenizer::make(plan, where);
}

}  // namespace

FormatEntry hugging_face_format() {
  return {"hugging_face",
          "Hugging Face's tokenizer.json",
          "normalizer, pre_tokenizer, model, post_processor, decoder",
          "Hugging Face tokenizers",
          {"tokenizer.json"},
          recognises_hugging_face,
          load_hugging_face};
}

}  // namespace headlight::tokenizers
