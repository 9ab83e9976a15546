// The keys of a training's configuration, one list for each object of it. The lists serve to read, check and write the object.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/nearest_name.h"
#include "engine/core/parameter.h"
#include "engine/core/status.h"
#include "engine/train/config.h"

namespace headlight::train {

template <class Part>
struct Key {
  Parameter parameter;
  std::function<Value(const Part&)> get;
  std::function<void(Part&, const Value&)> set;
};
template <class Part>
using Keys = std::vector<Key<Part>>;

const Keys<Corpus>& corpus_keys();
const Keys<GrammarText>& grammar_keys();
const Keys<RandomSequences>& repeat_keys();
const Keys<Letters>& letters_keys();
const Keys<VocabularyWanted>& vocabulary_keys();  // without "corpus" and "whole"
const Keys<Config>& config_keys();                // keys with one value: texts, numbers, true and false

// The value of a key's kind. Errors: another type, a number out of range, a text that is no choice; `where` names the key's
// place.
// value_from_json(parameter, Json(3), "train.json") of an integer key gives 3.
Result<Value> value_from_json(const Parameter& parameter, const Json& json, const std::string& where);
// The error for a key that does not exist; it names the nearest known key, if one is near.
// unknown_key("stepz", {"steps", "seed"}, "train.json"): 'steps' may be meant.
Error unknown_key(const std::string& key, const std::vector<std::string>& known, const std::string& where);

// Sets the member of `part` that a key names; false where the list has no such key.
// read_key(letters_keys(), "word", Json("hello"), letters, "train.json") sets letters.word.
template <class Part>
Result<bool> read_key(const Keys<Part>& keys, const std::string& name, const Json& json, Part& part, const std::string& where) {
  for (const Key<Part>& key : keys) {
    if (key.parameter.id != name) continue;
    HL_ASSIGN(const Value value, value_from_json(key.parameter, json, where));
    key.set(part, value);
    return true;
  }
  return false;
}

template <class Part>
std::vector<std::string> names_of(const Keys<Part>& keys) {
  std::vector<std::string> names;
  for (const Key<Part>& key : keys) names.push_back(key.parameter.id);
  return names;
}

// The members of `part` as an object. keys_to_json(letters_keys(), letters): {"symbols": 16, ...}.
template <class Part>
Json keys_to_json(const Keys<Part>& keys, const Part& part) {
  Json json = Json::object();
  for (const Key<Part>& key : keys) std::visit([&](const auto& value) { json[key.parameter.id] = Json(value); }, key.get(part));
  return json;
}

}  // namespace headlight::train
