// hugging_face: tokenizer.json of the library `tokenizers`, where its stages are those that we have. Other models and stages are
// refused by name: a tokenizer that cuts a text otherwise than its model was trained on would be worse than none. What changes no
// ids of a text, such as truncation, is left out and said.
#include <algorithm>

#include "engine/core/text_file.h"
#include "engine/tokenizers/files/added_files.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/files/hugging_face_stages.h"
#include "engine/tokenizers/files/published.h"

namespace headlight::tokenizers {
namespace {

constexpr Phrase<0> kAgain = "fetch the file again";

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
  bool set = false;
  for (const Json& part : parts_of(stage, "processors")) {
    const std::string& type = type_of(part);
    if (type == "ByteLevel") continue;  // it trims offsets alone
    const bool roberta = type == "RobertaProcessing";
    if (set || (type != "TemplateProcessing" && !roberta && type != "BertProcessing"))
      return not_read(Message("the post-processor '{}'", type), where);
    set = true;
    if (type == "TemplateProcessing") {
      HL_ASSIGN(plan.post_processor.values["single"], template_of(part["single"], plan.vocabulary, where));
      HL_ASSIGN(plan.post_processor.values["pair"], template_of(part["pair"], plan.vocabulary, where));
      continue;
    }
    const std::string before = part["cls"][std::size_t{0}].string(), after = part["sep"][std::size_t{0}].string();
    if (before.empty() || after.empty()) return invalid("the post-processor names no [CLS] or no [SEP]").at(where).mend(kAgain);
    set_special_by_name(plan.vocabulary, before);
    set_special_by_name(plan.vocabulary, after);
    plan.post_processor = bracket_template(before, after);
    // RoBERTa has two separators between the sentences, and one type id.
    if (roberta) plan.post_processor.values["pair"] = before + " $A " + after + " " + after + " $B " + after;
  }
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

// bytes: the pre-tokenizer makes letters of bytes.
Status set_model(const Json& model, bool bytes, TokenizerPlan& plan, const std::string& where) {
  // Older files do not say the type, which is seen from the members then.
  std::string type = type_of(model);
  if (type.empty())
    type = model.contains("merges") ? "BPE" : model.contains("max_input_chars_per_word") ? "WordPiece" : "WordLevel";
  const std::string& unknown = model["unk_token"].string();
  if (const std::int32_t id = plan.vocabulary.find(unknown); id >= 0) plan.vocabulary.set_special(Role::unknown, id);
  if (type == "WordPiece") {
    plan.model = {"wordpiece", {}};
    if (model["continuing_subword_prefix"].is_string()) plan.model.values["prefix"] = model["continuing_subword_prefix"].string();
    if (model["max_input_chars_per_word"].is_integer())
      plan.model.values["longest_word"] = model["max_input_chars_per_word"].integer();
  } else if (type == "WordLevel") {
    plan.model = {"words", {}};
  } else if (type != "BPE") {
    return not_read(Message("the model '{}'", type), where);
  }
  if (type != "BPE") {
    if (bytes) return not_read(Message("the pre-tokenizer '{}' as this file has it", "ByteLevel"), where);
    return {};
  }
  const bool fallback = model["byte_fallback"].boolean();
  if (bytes && fallback) return not_read(Message("BPE over bytes that falls back to bytes"), where);
  plan.model = {"bpe",
                {{"alphabet", std::string(bytes      ? "bytes"
                                          : fallback ? "fallback"
                                                     : "corpus")},
                 {"prefix", model["continuing_subword_prefix"].string()},
                 {"suffix", model["end_of_word_suffix"].string()},
                 {"whole_words", model["ignore_merges"].boolean()},
                 {"joins_unknown", model["fuse_unk"].boolean()}}};
  if (const double dropout = model["dropout"].number(); dropout > 0)
    plan.notes.push_back(Message("the file drops merges at random (dropout); here none is dropped"));
  HL_ASSIGN(plan.merges, merges_from(model["merges"], where));
  return {};
}

// What the file asks for besides the ids of a text.
void add_notes(const Json& json, TokenizerPlan& plan) {
  if (json["truncation"].is_object())
    plan.notes.push_back(Message("the file cuts texts off after {} tokens (truncation); here no text is cut off",
                                 json["truncation"]["max_length"].integer()));
  if (json["padding"].is_object()) {
    const Json& fixed = json["padding"]["strategy"]["Fixed"];
    if (fixed.is_integer())
      plan.notes.push_back(Message("the file fills texts up to {} tokens (padding); here none is filled up", fixed.integer()));
    else
      plan.notes.push_back(Message("the file fills texts up to the longest one (padding); here none is filled up"));
  }
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
  HL_ASSIGN(std::vector<std::string> pieces, pieces_by_id(json["model"]["vocab"], where));
  TokenizerPlan plan;
  HL_ASSIGN(plan.vocabulary, Vocabulary::of(std::move(pieces), where));
  AddedList added(plan);
  for (const Json& token : json["added_tokens"].elements()) {
    if (!token["content"].is_string() || token["content"].string().empty() || !token["id"].is_integer())
      return invalid("an added token has no text or no id").at(where).mend(kAgain);
    // The library takes the model's id of this text or the next one behind all ids, whatever the file says.
    HL_TRY(added.add(added_from_json(token, false)));
    const std::string& content = token["content"].string();
    if (const std::int64_t id = plan.vocabulary.find(content); id != token["id"].integer())
      plan.notes.push_back(
          Message("the file gives '{}' the id {}; as in the library tokenizers it is {}", content, token["id"].integer(), id));
  }
  HL_TRY(added.add_beside(file.parent_path()));
  added.finish();
  HL_ASSIGN(const Json config, json_beside(file.parent_path(), "tokenizer_config.json"));
  bool bytes = false;
  HL_TRY(add_normalizers(json["normalizer"], plan, where));
  HL_TRY(add_splitters(json["pre_tokenizer"], config["add_prefix_space"], plan, bytes, where));
  HL_TRY(set_model(json["model"], bytes, plan, where));
  HL_TRY(set_post_processor(json["post_processor"], plan, where));
  HL_TRY(add_decoders(json["decoder"], plan, where));
  add_notes(json, plan);
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
