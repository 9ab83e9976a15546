#include "engine/train/config.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "engine/attention/positions/position.h"
#include "engine/attention/scores/score.h"
#include "engine/core/text_file.h"
#include "engine/train/config_keys.h"

namespace headlight::train {
namespace {

constexpr std::uint64_t kConfigLargest = std::uint64_t{1} << 20;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 20;  // of a batch

// The fields of a document that say what a model is made of. What it is computed on, and where, a training decides itself.
constexpr std::array kModelFields = {"d_model", "heads",     "layers",     "d_ff",         "projected",   "bias",    "residual",
                                     "norm",    "norm_kind", "final_norm", "feed_forward", "activation",  "gated",   "position",
                                     "masks",   "mask_fill", "score",      "scale",        "temperature", "combiner"};

Error wrong_type(const std::string& key, const std::string& where, const Message& wanted) {
  return invalid("'{}' has the wrong type", key).at(where).mend("give {}", wanted);
}

template <class Part>
Status read_part(const Json& json, const Keys<Part>& keys, Part& part, const std::string& where, const std::string& name) {
  if (!json.is_object()) return wrong_type(name, where, Message("an object"));
  for (const auto& [key, value] : json.members()) {
    HL_ASSIGN(const bool known, read_key(keys, key, value, part, where + ": " + name));
    if (!known) return unknown_key(key, names_of(keys), where + ": " + name);
  }
  return {};
}

Status read_corpus(const Json& json, std::vector<Corpus>& corpus, const std::string& where, const std::string& name) {
  if (!json.is_array()) return wrong_type(name, where, Message("a list of files"));
  for (const Json& item : json.elements()) {
    Corpus& one = corpus.emplace_back();
    if (item.is_string()) {
      one.files = item.string();
    } else {
      HL_TRY(read_part(item, corpus_keys(), one, where, name));
    }
    if (one.files.empty())
      return invalid("'{}' names no files", name).at(where).mend("give \"files\": a path in the data folder");
  }
  return {};
}

Status read_words(const Json& json, std::vector<std::string>& words, const std::string& where) {
  const Error wrong = wrong_type("whole", where, Message("a list of words"));
  if (!json.is_array()) return wrong;
  for (const Json& item : json.elements()) {
    if (!item.is_string() || item.string().empty()) return wrong;
    words.push_back(item.string());
  }
  return {};
}

Status read_vocabulary(const Json& json, VocabularyWanted& wanted, const std::string& where, const std::string& name) {
  if (!json.is_object()) return wrong_type(name, where, Message("an object"));
  for (const auto& [key, value] : json.members()) {
    if (key == "corpus") {
      HL_TRY(read_corpus(value, wanted.corpus, where, name + " corpus"));
      continue;
    }
    if (key == "whole") {
      HL_TRY(read_words(value, wanted.whole, where + ": " + name));
      continue;
    }
    HL_ASSIGN(const bool known, read_key(vocabulary_keys(), key, value, wanted, where + ": " + name));
    if (known) continue;
    std::vector<std::string> names = names_of(vocabulary_keys());
    for (const char* list : {"corpus", "whole"}) names.emplace_back(list);
    return unknown_key(key, names, where + ": " + name);
  }
  if (wanted.size == 0 && wanted.kind != "words" && wanted.kind != "characters")
    return invalid("a vocabulary of 0 pieces is of no use with {}", wanted.kind).at("{}: {}", where, name).mend("give \"size\"");
  if (!wanted.whole.empty() && wanted.kind != "bpe")
    return invalid("'whole' has no meaning for {}", wanted.kind).at("{}: {}", where, name).mend("leave it out, or take bpe");
  return {};
}

Status read_model(const Json& json, Document& model, const std::string& where) {
  if (!json.is_object()) return wrong_type("model", where, Message("an object"));
  for (const auto& member : json.members())
    if (std::find(kModelFields.begin(), kModelFields.end(), member.key) == kModelFields.end())
      return unknown_key(member.key, {kModelFields.begin(), kModelFields.end()}, where + ": model");
  HL_ASSIGN(model, document_from_json(json.dump(), where + ": model"));
  if (has_wide_heads(model))
    return invalid("heads cannot be stacked in a training here").at("{}: model", where).mend("combine them by concat");
  if (const scores::Entry* score = scores::registry().find(model.score); score && score->located)
    return invalid("location-based scores cannot be trained here").at("{}: model", where).mend("choose another score function");
  // Its digits depend on how long the longest text is, so that a position would change its code from step to step.
  if (const positions::Entry* position = positions::registry().find(model.position); position && position->used)
    return invalid("a model cannot be trained with binary positions here").at("{}: model", where).mend("choose other positions");
  if (const positions::Entry* position = positions::registry().find(model.position);
      position && position->where == positions::Where::relative)
    return invalid("relative positions cannot be trained here").at("{}: model", where).mend("choose other positions");
  return {};
}

Status read_member(const std::string& key, const Json& value, Config& config, const std::string& where) {
  if (key == "corpus") return read_corpus(value, config.corpus, where, key);
  if (key == "grammar") return read_part(value, grammar_keys(), config.grammar, where, key);
  if (key == "repeat") return read_part(value, repeat_keys(), config.repeat, where, key);
  if (key == "letters") return read_part(value, letters_keys(), config.letters, where, key);
  if (key == "tokenizer") return read_vocabulary(value, config.tokenizer, where, key);
  if (key == "target_tokenizer") return read_vocabulary(value, config.target_tokenizer, where, key);
  if (key == "model") return read_model(value, config.model, where);
  HL_ASSIGN(const bool known, read_key(config_keys(), key, value, config, where));
  if (known) return {};
  std::vector<std::string> names = names_of(config_keys());
  for (const char* part : {"corpus", "grammar", "repeat", "letters", "tokenizer", "target_tokenizer", "model"})
    names.emplace_back(part);
  return unknown_key(key, names, where);
}

// The keys that only some tasks know.
Status check_task(const Json& json, const Config& config, const std::string& where) {
  struct Rule {
    const char* key;
    bool allowed;
  };
  const bool text = config.task == Task::text || config.task == Task::masked, pairs = config.task == Task::pairs;
  const bool made_up = is_made_up(config.task);
  const std::array rules = {Rule{"corpus", text || pairs},
                            Rule{"grammar", text},
                            Rule{"repeat", config.task == Task::repeat},
                            Rule{"letters", has_letters(config.task)},
                            Rule{"tokenizer", !made_up},
                            Rule{"target_tokenizer", pairs && !config.one_tokenizer},
                            Rule{"one_tokenizer", pairs},
                            Rule{"held_out", !made_up},
                            Rule{"masked_share", config.task == Task::masked}};
  for (const Rule& rule : rules)
    if (!rule.allowed && json.contains(rule.key))
      return invalid("'{}' has no meaning for the task '{}' as it is set up here", rule.key, name_of(config.task))
          .at(where)
          .mend("leave it out, or change the task");
  for (const char* key : {"tokenizer", "target_tokenizer"})
    if (!config.start.empty() && json.contains(key))
      return invalid("'{}' has no meaning beside 'start', whose vocabulary is taken over", key).at(where).mend("leave it out");
  if (made_up) return {};
  if (config.corpus.empty() && config.grammar.file.empty())
    return invalid("no data are named")
        .at(where)
        .mend(pairs ? Message("give \"corpus\"") : Message("give \"corpus\" or \"grammar\""));
  if (!config.corpus.empty() && !config.grammar.file.empty())
    return invalid("both a corpus and a grammar are named").at(where).mend("give one of them");
  if (pairs)
    for (const Corpus& one : config.corpus)
      if (one.column != 0 || one.shuffled || one.paragraphs != "lines")
        return invalid("pairs are lines of two columns, shuffled by themselves")
            .at("{}: corpus", where)
            .mend("give \"files\" and \"except\" only");
  return {};
}

Status check_letters(const Config& config, const std::string& where) {
  const Letters& letters = config.letters;
  const bool plain = std::all_of(letters.word.begin(), letters.word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (config.task == Task::spell && (letters.word.size() < 2 || !plain))
    return invalid("the word that is spelt is '{}'", letters.word)
        .at("{}: letters", where)
        .mend("give at least two letters from a to z");
  if (config.task == Task::spell) return {};
  if (letters.shortest > letters.longest)
    return invalid("the fewest letters are more than the most").at("{}: letters", where).mend("make 'shortest' smaller");
  const std::int64_t needs = config.task == Task::majority ? letters.longest + 2 : 2 * letters.longest + 1;
  if (needs > config.length)
    return invalid("{} letters and their answer do not fit into a row of {}", letters.longest, config.length)
        .at("{}: letters", where)
        .mend("make 'longest' smaller or 'length' larger");
  return {};
}

Status check_schedule(const Config& config, const std::string& where) {
  if (config.least_learning_rate > config.learning_rate)
    return invalid("the least learning rate is above the learning rate").at(where).mend("make 'least_learning_rate' smaller");
  if (config.warmup > config.steps)
    return invalid("the warm-up of {} steps is longer than the training of {}", config.warmup, config.steps)
        .at(where)
        .mend("make 'warmup' smaller or 'steps' larger");
  if (config.batch * config.length > kMostTokens)
    return invalid("a batch of {} rows of {} tokens is larger than {} tokens", config.batch, config.length, kMostTokens)
        .at(where)
        .mend("make 'batch' or 'length' smaller; 'accumulate' adds batches up");
  const RandomSequences& repeat = config.repeat;
  if (config.task == Task::repeat && repeat.shortest > repeat.longest)
    return invalid("the shortest segment is longer than the longest").at("{}: repeat", where).mend("make 'shortest' smaller");
  if (config.task == Task::repeat && 2 * repeat.longest > config.length)
    return invalid("a segment of {} symbols does not fit twice into a row of {}", repeat.longest, config.length)
        .at("{}: repeat", where)
        .mend("make 'longest' smaller or 'length' larger");
  return has_letters(config.task) ? check_letters(config, where) : Status();
}

// Masks that fit the task: where the file names none, those; else an error where they show a model what it shall predict.
Status settle_masks(const Json& json, Config& config, const std::string& where) {
  const bool predicts_next = config.task != Task::masked;
  if (!json["model"].contains("masks")) {
    if (predicts_next) config.model.masks.push_back({"causal", {}});
    if (config.task == Task::pairs || config.task == Task::masked) config.model.masks.push_back({"padding", {}});
    return {};
  }
  const auto has = [&](const char* id) {
    return std::any_of(config.model.masks.begin(), config.model.masks.end(), [&](const Choice& mask) { return mask.id == id; });
  };
  if (predicts_next && !has("causal"))
    return invalid("a model that sees the next token learns nothing by predicting it")
        .at("{}: model masks", where)
        .mend("add \"causal\", or leave 'masks' out");
  if (!predicts_next && has("causal"))
    return invalid("a model that fills in masked tokens reads both sides of them")
        .at("{}: model masks", where)
        .mend("take \"causal\" out, or leave 'masks' out");
  if ((config.task == Task::pairs || config.task == Task::masked) && !has("padding"))
    return invalid("rows of different lengths are filled up, and nothing keeps the model from reading that")
        .at("{}: model masks", where)
        .mend("add \"padding\", or leave 'masks' out");
  return {};
}

// A document's error names an option, as "--heads"; here it is a field of "model".
Status check_model(const Document& model, const std::string& where) {
  const Status status = validate(model);
  if (status) return {};
  std::string field = status.error().where.english();
  if (field.starts_with("--")) field.erase(0, 2);
  std::replace(field.begin(), field.end(), '-', '_');
  return invalid(status.error().what).at("{}: model {}", where, field).mend(status.error().mend);
}

Json corpus_to_json(const std::vector<Corpus>& corpus) {
  Json list = Json::array();
  for (const Corpus& one : corpus) list.push_back(keys_to_json(corpus_keys(), one));
  return list;
}

Json vocabulary_to_json(const VocabularyWanted& wanted) {
  Json json = keys_to_json(vocabulary_keys(), wanted);
  json["corpus"] = corpus_to_json(wanted.corpus);
  json["whole"] = wanted.whole;
  return json;
}

// The path of the first member that two values differ in, as "model.heads"; empty where they are equal.
std::string first_difference(const Json& a, const Json& b) {
  if (a == b) return {};
  if (!a.is_object() || !b.is_object()) return ".";
  for (const Json* side : {&b, &a})
    for (const auto& member : side->members()) {
      const Json *in_a = a.find(member.key), *in_b = b.find(member.key);
      if (!in_a || !in_b) return "." + member.key;
      if (const std::string inner = first_difference(*in_a, *in_b); !inner.empty())
        return "." + member.key + (inner == "." ? "" : inner);
    }
  return ".";
}

// The value at such a path, on one line.
Message value_at(const Json& json, std::string_view path) {
  const Json* at = &json;
  while (!path.empty() && at) {
    const std::size_t end = std::min(path.find('.', 1), path.size());
    at = at->find(path.substr(1, end - 1));
    path.remove_prefix(end);
  }
  return at ? Message(at->dump()) : Message("not there");
}

}  // namespace

Result<Config> config_from_json(std::string_view text, const std::string& where) {
  HL_ASSIGN(const Json json, Json::parse_commented(text, where, Message("write a JSON object; comments may stand in it")));
  if (!json.is_object()) return invalid("this is no configuration of a training").at(where).mend("give a JSON object");
  Config config;
  for (const auto& [key, value] : json.members()) HL_TRY(read_member(key, value, config, where));
  if (!json.contains("task"))
    return invalid("'task' is missing")
        .at(where)
        .mend("give text, pairs, masked, repeat, copy, reverse, sort, majority or spell");
  if (!json.contains("model")) return invalid("'model' is missing").at(where).mend("give an object with d_model, heads, layers");
  HL_TRY(check_task(json, config, where));
  HL_TRY(check_schedule(config, where));
  HL_TRY(settle_masks(json, config, where));
  HL_TRY(check_model(config.model, where));
  return config;
}

Result<Config> read_config(const std::string& path) {
  HL_ASSIGN(const std::string text, read_text_file(path, kConfigLargest));
  return config_from_json(text, path);
}

Json what_determines(const Config& config) {
  Json json = keys_to_json(config_keys(), config);
  Json kept = Json::object();
  for (const auto& [key, value] : json.members()) {
    if (key == "name" || key == "trained_on" || key == "checkpoint_every" || key == "products") continue;
    if (key == "evaluate_every" || key == "evaluate_batches" || key == "language" || key == "target_language") continue;
    if (key == "start" && config.start.empty()) continue;  // as in checkpoints that do not know the key
    kept[key] = value;
  }
  kept["corpus"] = corpus_to_json(config.corpus);
  kept["grammar"] = keys_to_json(grammar_keys(), config.grammar);
  kept["repeat"] = keys_to_json(repeat_keys(), config.repeat);
  if (has_letters(config.task)) kept["letters"] = keys_to_json(letters_keys(), config.letters);
  kept["tokenizer"] = vocabulary_to_json(config.tokenizer);
  kept["target_tokenizer"] = vocabulary_to_json(config.target_tokenizer);
  Json model = Json::object();
  for (const char* id : kModelFields) {
    const Field& field = *find_field(id);
    const std::vector<std::string> texts = field.get(config.model);
    model[id] = field.repeatable ? Json(texts) : Json(texts[0]);
  }
  kept["model"] = model;
  return kept;
}

Status check_same_training(const Json& saved, const Config& config, const std::string& where) {
  const Json asked = what_determines(config);
  const std::string path = first_difference(saved, asked);
  if (path.empty()) return {};
  const std::string key = path == "." ? "configuration" : path.substr(1);
  return invalid("it belongs to another training: '{}' is {} there and {} here", key, value_at(saved, path),
                 value_at(asked, path))
      .at(where)
      .mend("give the configuration it was begun with, or another folder");
}

}  // namespace headlight::train
