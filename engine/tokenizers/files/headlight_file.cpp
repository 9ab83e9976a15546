#include "engine/tokenizers/files/headlight_file.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/kinds.h"

namespace headlight::tokenizers {
namespace {

constexpr const char* kFormat = "headlight.tokenizer";
// 3: several decoders, added tokens, ids that stand for nothing; 4: scores. The least that holds a tokenizer is written.
constexpr int kVersion = 4;
constexpr Phrase<0> kMend = "train the tokenizer again or copy the whole file";
constexpr std::uint64_t kLimit = std::uint64_t{256} << 20;

Result<std::string> text_field(const Json& data, const char* key, const std::string& where) {
  const Json* const it = data.find(key);
  if (!it || !it->is_string()) return invalid("\"{}\" should be a text", key).at(where).mend(kMend);
  return it->string();
}

Result<std::vector<std::string>> texts_field(const Json& data, const char* key, const std::string& where) {
  const Json* const it = data.find(key);
  if (!it || !it->is_array()) return invalid("\"{}\" should be a list of texts", key).at(where).mend(kMend);
  std::vector<std::string> texts;
  texts.reserve(it->size());
  for (const Json& item : it->elements()) {
    if (!item.is_string()) return invalid("\"{}\"[{}] is not a text", key, texts.size()).at(where).mend(kMend);
    texts.push_back(item.string());
  }
  return texts;
}

Result<Merges> merges_field(const Json& data, const std::string& where) {
  Merges merges;
  const Json* const it = data.find("merges");
  if (!it) return merges;
  if (!it->is_array()) return invalid("\"merges\" should be a list of pairs").at(where).mend(kMend);
  merges.reserve(it->size());
  for (const Json& pair : it->elements()) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
      return invalid("\"merges\"[{}] is not a pair of texts", merges.size()).at(where).mend(kMend);
    merges.emplace_back(pair[0].string(), pair[1].string());
  }
  return merges;
}

// A stage: "nfc", or {"type": "replace", "pattern": "x", "content": "y"}.
Result<Choice> stage_of(const Json& data, const char* key, const std::string& where) {
  const Error wrong = invalid("\"{}\" is not a stage", key)
                          .at(where)
                          .mend("write its type as a text, or an object with \"type\" and its parameters");
  if (data.is_string()) return Choice{data.string(), {}};
  if (!data.is_object() || !data.contains("type") || !data["type"].is_string()) return wrong;
  Choice choice{data["type"].string(), {}};
  for (const auto& [name, value] : data.members()) {
    if (name == "type") continue;
    if (value.is_boolean()) {
      choice.values[name] = value.boolean();
    } else if (value.is_integer()) {
      choice.values[name] = value.integer();
    } else if (value.is_number()) {
      choice.values[name] = value.number();
    } else if (value.is_string()) {
      choice.values[name] = value.string();
    } else {
      return wrong;
    }
  }
  return choice;
}

Result<std::vector<Choice>> stages_field(const Json& data, const char* key, const std::string& where) {
  const Json* const it = data.find(key);
  if (!it || !it->is_array()) return invalid("\"{}\" should be a list of stages", key).at(where).mend(kMend);
  std::vector<Choice> stages;
  for (const Json& item : it->elements()) {
    HL_ASSIGN(Choice stage, stage_of(item, key, where));
    stages.push_back(std::move(stage));
  }
  return stages;
}

// One stage, or a list of them.
Result<std::vector<Choice>> decoders_field(const Json& data, const std::string& where) {
  const Json* const it = data.find("decoder");
  if (it && it->is_array()) return stages_field(data, "decoder", where);
  if (!it) return invalid("\"{}\" is missing", "decoder").at(where).mend(kMend);
  HL_ASSIGN(Choice one, stage_of(*it, "decoder", where));
  return std::vector<Choice>{std::move(one)};
}

Result<Choice> stage_field(const Json& data, const char* key, const std::string& where) {
  const Json* const it = data.find(key);
  if (!it) return invalid("\"{}\" is missing", key).at(where).mend(kMend);
  return stage_of(*it, key, where);
}

template <class Entry>
Json stage_to_json(const Registry<Entry>& registry, const Choice& stage) {
  Json out = Json::object({{"type", stage.id}});
  const std::vector<Parameter>& parameters = registry.find(stage.id)->parameters;
  for (const auto& [name, value] : stage.values) {
    const auto known =
        std::find_if(parameters.begin(), parameters.end(), [&, &id = name](const Parameter& one) { return one.id == id; });
    if (known->omitted_fallback && value == known->fallback) continue;
    std::visit([&, &key = name](const auto& v) { out[key] = v; }, value);
  }
  return out.size() == 1 ? Json(stage.id) : out;
}

// Each flag of an added token and its key.
constexpr std::pair<const char*, bool AddedToken::*> kFlags[] = {{"special", &AddedToken::special},
                                                                 {"single_word", &AddedToken::single_word},
                                                                 {"lstrip", &AddedToken::lstrip},
                                                                 {"rstrip", &AddedToken::rstrip},
                                                                 {"normalized", &AddedToken::normalized}};

Json added_to_json(const AddedToken& token) {
  Json out = Json::object({{"id", token.id}, {"content", token.content}});
  for (const auto& [key, flag] : kFlags)
    if (token.*flag) out[key] = true;
  return out;
}

// The added tokens, and whether the vocabulary is one that was published.
Status read_added(const Json& data, TokenizerPlan& plan, const std::string& where) {
  for (const Json& one : data["added_tokens"].elements()) {
    const Json& id = one["id"];
    AddedToken token{one["content"].string(), static_cast<std::int32_t>(id.integer())};
    if (!id.is_integer() || id.integer() < 0 || id.integer() >= plan.vocabulary.size() || token.content.empty())
      return invalid("an added token has no text, or no id of the vocabulary").at(where).mend(kMend);
    for (const auto& [key, flag] : kFlags) token.*flag = one[key].boolean();
    plan.added.push_back(std::move(token));
  }
  if (!data["no_texts"].is_array()) return {};
  std::vector<std::int32_t> no_texts;
  for (const Json& id : data["no_texts"].elements()) no_texts.push_back(static_cast<std::int32_t>(id.integer()));
  plan.vocabulary.as_published(std::move(no_texts));
  return {};
}

Status read_specials(const Json& data, Vocabulary& vocabulary, const std::string& where) {
  const Json* const it = data.find("special_tokens");
  if (!it || !it->is_array()) return invalid("\"special_tokens\" should be a list").at(where).mend(kMend);
  for (const Json& token : it->elements()) {
    if (!token.is_object() || !token.contains("role") || !token["role"].is_string() || !token.contains("id") ||
        !token["id"].is_integer())
      return invalid("a special token should be an object with \"role\" and \"id\"").at(where).mend(kMend);
    const auto role = role_named(token["role"].string());
    if (!role) return invalid(role.error().what).at(where).mend(role.error().mend);
    const auto id = token["id"].integer();
    if (id < 0 || id >= vocabulary.size())
      return invalid("the special token '{}' has the id {}, which is not in the vocabulary", token["role"].string(), id)
          .at(where)
          .mend("give an id from 0 to {}", vocabulary.size() - 1);
    vocabulary.set_special(*role, static_cast<std::int32_t>(id));
  }
  return {};
}

Result<Vocabulary> read_vocabulary(const Json& data, const std::string& where, bool gaps = false) {
  HL_ASSIGN(std::vector<std::string> pieces, texts_field(data, "vocabulary", where));
  if (pieces.empty()) return invalid("\"vocabulary\" is empty").at(where).mend(kMend);
  return Vocabulary::of(std::move(pieces), where, gaps);
}

// Version 1 said which of the four kinds a tokenizer is; its stages and the names of its special tokens followed from that.
Result<TokenizerPlan> read_version_1(const Json& data, const std::string& where) {
  HL_ASSIGN(const std::string kind, text_field(data, "kind", where));
  if (const auto known = model_registry().get(kind); !known)
    return invalid(known.error().what).at(where).mend(known.error().mend);
  HL_ASSIGN(Vocabulary vocabulary, read_vocabulary(data, where));
  vocabulary.set_specials_by_name();
  KindOptions options;
  HL_ASSIGN(options.normalizers, stages_field(data, "normalizers", where));
  HL_ASSIGN(options.splitter, text_field(data, "pre_tokenizer", where));
  if (options.splitter != "words" && options.splitter != "gpt2")
    return invalid("\"pre_tokenizer\" is '{}'", options.splitter).at(where).mend("known are words, gpt2");
  HL_ASSIGN(const std::string alphabet, text_field(data, "alphabet", where));
  if (alphabet != "bytes" && alphabet != "corpus")
    return invalid("\"alphabet\" is '{}'", alphabet).at(where).mend("known are bytes, corpus");
  options.bytes = alphabet == "bytes";
  HL_ASSIGN(Merges merges, merges_field(data, where));
  return plan_of(kind, std::move(vocabulary), std::move(merges), options);
}

Result<TokenizerPlan> read_version_2(const Json& data, const std::string& where) {
  TokenizerPlan plan;
  HL_ASSIGN(plan.normalizers, stages_field(data, "normalizers", where));
  HL_ASSIGN(plan.splitters, stages_field(data, "splitters", where));
  HL_ASSIGN(plan.model, stage_field(data, "model", where));
  HL_ASSIGN(plan.post_processor, stage_field(data, "post_processor", where));
  HL_ASSIGN(plan.decoders, decoders_field(data, where));
  HL_ASSIGN(plan.vocabulary, read_vocabulary(data, where, data["version"].integer() > 2));
  HL_TRY(read_specials(data, plan.vocabulary, where));
  HL_TRY(read_added(data, plan, where));
  HL_ASSIGN(plan.merges, merges_field(data, where));
  for (const Json& score : data["scores"].elements()) plan.scores.push_back(score.number());
  return plan;
}

bool recognises_headlight(std::string_view beginning) { return beginning.find(kFormat) != std::string_view::npos; }

Result<std::shared_ptr<const Tokenizer>> load_headlight(const std::filesystem::path& file) {
  HL_ASSIGN(const std::string bytes, read_text_file(file, kLimit));
  return tokenizer_from_json(bytes, file.string());
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> tokenizer_from_json(std::string_view text, const std::string& where) {
  const auto parsed = Json::parse(text, where);
  if (!parsed) return invalid("this is not JSON, or it is cut off").at(parsed.error().where).mend(kMend);
  const Json& data = *parsed;
  if (data["format"] != kFormat)
    return invalid("this is not a tokenizer of ours: \"format\" should be \"{}\"", kFormat)
        .at(where)
        .mend("give a folder that `headlight train-tokenizer` wrote");
  const Json& version = data["version"];
  if (!version.is_integer() || version.integer() < 1)
    return invalid("\"version\" should be a whole number from 1").at(where).mend(kMend);
  if (version.integer() > kVersion)
    return invalid("this tokenizer has version {}, newer than the {} known here", version.dump(), kVersion)
        .at(where)
        .mend("open it with a newer Headlight");
  HL_ASSIGN(const TokenizerPlan plan, version.integer() == 1 ? read_version_1(data, where) : read_version_2(data, where));
  return Tokenizer::make(plan, where);
}

std::string to_json(const Tokenizer& tokenizer) {
  const TokenizerPlan plan = tokenizer.plan();
  Json data;
  data["format"] = kFormat;
  const std::vector<std::string>& pieces = plan.vocabulary.pieces();
  const bool simple = plan.decoders.size() == 1 && !plan.vocabulary.is_published() && plan.added.empty() &&
                      std::find(pieces.begin(), pieces.end(), "") == pieces.end();
  data["version"] = !plan.scores.empty() ? 4 : simple ? 2 : 3;
  data["normalizers"] = Json::array();
  for (const Choice& stage : plan.normalizers) data["normalizers"].push_back(stage_to_json(text::normalizer_registry(), stage));
  data["splitters"] = Json::array();
  for (const Choice& stage : plan.splitters) data["splitters"].push_back(stage_to_json(text::splitter_registry(), stage));
  data["model"] = stage_to_json(model_registry(), plan.model);
  data["post_processor"] = stage_to_json(post_processor_registry(), plan.post_processor);
  data["decoder"] = stage_to_json(decoder_registry(), plan.decoders.front());
  if (plan.decoders.size() > 1) {
    data["decoder"] = Json::array();
    for (const Choice& stage : plan.decoders) data["decoder"].push_back(stage_to_json(decoder_registry(), stage));
  }
  data["special_tokens"] = Json::array();
  for (const SpecialToken& token : plan.vocabulary.specials().all())
    data["special_tokens"].push_back(Json::object({{"role", name_of(token.role)}, {"id", token.id}}));
  if (!simple) {
    data["added_tokens"] = Json::array();
    for (const AddedToken& token : plan.added) data["added_tokens"].push_back(added_to_json(token));
    if (plan.vocabulary.is_published()) data["no_texts"] = plan.vocabulary.no_texts();
  }
  data["vocabulary"] = pieces;
  if (!plan.merges.empty()) {
    data["merges"] = Json::array();
    for (const auto& [left, right] : plan.merges) data["merges"].push_back(Json::array({left, right}));
  }
  if (!plan.scores.empty()) data["scores"] = plan.scores;
  return data.dump();
}

Status save(const Tokenizer& tokenizer, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return failure(ErrorKind::io, "this folder cannot be made: {}", Message::term(error.message()))
        .at(folder.string())
        .mend("choose one that you may write to");
  return write_file(folder / kTokenizerFile, to_json(tokenizer) + "\n");
}

FormatEntry headlight_format() {
  return {
      "headlight",          "Headlight",   kTokenizerFile, "assets/vocabularies/README.md", {kTokenizerFile, kOldTokenizerFile},
      recognises_headlight, load_headlight};
}

}  // namespace headlight::tokenizers
