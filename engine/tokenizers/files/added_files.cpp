#include "engine/tokenizers/files/added_files.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "engine/core/sorting.h"
#include "engine/core/text_file.h"
#include "engine/tokenizers/files/published.h"

namespace headlight::tokenizers {
namespace {

// {"5": {...}, "12": {...}} by ascending id.
std::vector<std::pair<std::int64_t, const Json*>> by_id(const Json& object) {
  std::vector<std::pair<std::int64_t, const Json*>> all;
  for (const auto& [key, value] : object.members()) {
    std::int64_t id = -1;
    std::from_chars(key.data(), key.data() + key.size(), id);
    all.emplace_back(id, &value);
  }
  sort_stably(all, [](const auto& a, const auto& b) { return a.first < b.first; });
  return all;
}

}  // namespace

Result<Json> json_beside(const std::filesystem::path& folder, const char* name) {
  const std::filesystem::path file = folder / name;
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return Json();
  HL_ASSIGN(const std::string text, read_text_file(file, kMostPublished));
  return Json::parse(text, file.string(), Message("fetch the file again"));
}

AddedToken added_from_json(const Json& json, bool special) {
  AddedToken token;
  token.special = special;
  if (json.is_string()) {
    token.content = json.string();
    return token;
  }
  token.content = json["content"].string();
  if (json["special"].is_boolean()) token.special = json["special"].boolean();
  token.single_word = json["single_word"].boolean();
  token.lstrip = json["lstrip"].boolean();
  token.rstrip = json["rstrip"].boolean();
  token.normalized = json["normalized"].is_boolean() ? json["normalized"].boolean() : !token.special;
  return token;
}

Status AddedList::read_ends(const std::filesystem::path& folder) {
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
    HL_ASSIGN(const Json file, json_beside(folder, name));
    if (begin_.empty()) begin_ = added_from_json(file["bos_token"], true).content;
    if (end_.empty()) end_ = added_from_json(file["eos_token"], true).content;
  }
  return {};
}

Status AddedList::add(AddedToken token, std::int64_t id) {
  if (token.content.empty() || !contents_.insert(token.content).second) return {};
  Vocabulary& vocabulary = plan_.vocabulary;
  token.id = vocabulary.find(token.content);
  if (token.id < 0) {
    if (id >= kMostIds) return invalid("the added token '{}' has the id {}", token.content, id).mend("fetch the file again");
    const bool is_free = id >= 0 && vocabulary.piece(static_cast<std::int32_t>(id)).empty();
    token.id = is_free ? static_cast<std::int32_t>(id) : vocabulary.size();
    vocabulary.add_at(token.content, token.id);
    outside_.push_back(token.id);
  }
  if (token.special) {
    const Role usual = role_by_name(token.content);
    if (token.content == end_)
      vocabulary.set_special(Role::end, token.id);
    else if (token.content == begin_)
      vocabulary.set_special(Role::begin, token.id);
    else if ((usual == Role::end && !end_.empty()) || (usual == Role::begin && !begin_.empty()))
      vocabulary.set_special(Role::other, token.id);
    set_special_by_name(vocabulary, token.content, names_unknown_);
  }
  plan_.added.push_back(std::move(token));
  return {};
}

void AddedList::add_known() {
  for (const char* name :
       {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"}) {
    if (plan_.vocabulary.find(name) < 0) continue;
    AddedToken token;
    token.content = name;
    token.special = true;
    token.lstrip = token.content == "<mask>";  // RoBERTa's takes the space before it along
    [[maybe_unused]] const Status added = add(std::move(token));
  }
}

Status AddedList::add_beside(const std::filesystem::path& folder) {
  HL_TRY(read_ends(folder));
  HL_ASSIGN(const Json config, json_beside(folder, "tokenizer_config.json"));
  HL_ASSIGN(const Json map, json_beside(folder, "special_tokens_map.json"));
  HL_ASSIGN(const Json added, json_beside(folder, "added_tokens.json"));
  for (const auto& [id, token] : by_id(config["added_tokens_decoder"])) HL_TRY(add(added_from_json(*token, false), id));
  std::vector<std::pair<std::int64_t, std::string>> plain;
  for (const auto& [content, id] : added.members())
    if (id.is_integer()) plain.emplace_back(id.integer(), content);
  sort_stably(plain);
  const auto is_named_by = [](const Json& one, const std::string& content) {
    if (one.is_array())
      return std::any_of(one.elements().begin(), one.elements().end(),
                         [&](const Json& part) { return added_from_json(part, true).content == content; });
    return added_from_json(one, true).content == content;
  };
  for (const auto& [id, content] : plain) {
    bool special = false;
    for (const auto& [key, one] : map.members()) special = special || is_named_by(one, content);
    AddedToken token;
    token.content = content;
    token.special = special;
    token.normalized = !special;
    HL_TRY(add(std::move(token), id));
  }
  // "bos_token", "mask_token", "additional_special_tokens", ...
  for (const Json* file : {&map, &config})
    for (const auto& [key, one] : file->members()) {
      if (!key.ends_with("_token") && key != "additional_special_tokens") continue;
      if (one.is_array()) {
        for (const Json& part : one.elements()) HL_TRY(add(added_from_json(part, true)));
      } else if (one.is_string() || one.is_object()) {
        HL_TRY(add(added_from_json(one, true)));
      }
    }
  return {};
}

}  // namespace headlight::tokenizers
