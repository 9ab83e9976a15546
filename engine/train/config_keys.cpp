#include "engine/train/config_keys.h"

#include <array>

#include "engine/tokenizers/training/training.h"

namespace headlight::train {
namespace {

using Kind = Parameter::Kind;

constexpr std::array kTasks = {"text",    "pairs", "masked",   "repeat", "copy",
                               "reverse", "sort",  "majority", "spell"};  // in the order of Task
constexpr double kMany = 1e9;

Parameter parameter(const char* id, const char* help, Kind kind, double least = 0, double most = 0) {
  Parameter made;
  made.id = made.label = id;
  made.help = help;
  made.kind = kind;
  made.least = least;
  made.most = most;
  return made;
}

template <class Part>
Key<Part> text(const char* id, std::string Part::*member, const char* help) {
  return {parameter(id, help, Kind::text), [member](const Part& part) { return Value(part.*member); },
          [member](Part& part, const Value& value) { part.*member = std::get<std::string>(value); }};
}

template <class Part>
Key<Part> choice(const char* id, std::string Part::*member, const std::vector<std::string>& choices, const char* help) {
  Key<Part> key = text<Part>(id, member, help);
  key.parameter.kind = Kind::choice;
  key.parameter.choices = choices;
  return key;
}

template <class Part>
Key<Part> flag(const char* id, bool Part::*member, const char* help) {
  return {parameter(id, help, Kind::boolean), [member](const Part& part) { return Value(part.*member); },
          [member](Part& part, const Value& value) { part.*member = std::get<bool>(value); }};
}

template <class Part, class Integer>
Key<Part> whole(const char* id, Integer Part::*member, double least, double most, const char* help) {
  return {parameter(id, help, Kind::integer, least, most),
          [member](const Part& part) { return Value(static_cast<std::int64_t>(part.*member)); },
          [member](Part& part, const Value& value) { part.*member = static_cast<Integer>(std::get<std::int64_t>(value)); }};
}

template <class Part>
Key<Part> real(const char* id, double Part::*member, double least, double most, const char* help) {
  return {parameter(id, help, Kind::real, least, most), [member](const Part& part) { return Value(part.*member); },
          [member](Part& part, const Value& value) { part.*member = std::get<double>(value); }};
}

Key<Config> task() {
  Key<Config> key;
  key.parameter =
      parameter("task", "What is learnt: the next token, a translation, masked tokens, repetition, letters.", Kind::choice);
  key.parameter.choices.assign(kTasks.begin(), kTasks.end());
  key.get = [](const Config& config) { return Value(std::string(name_of(config.task))); };
  key.set = [](Config& config, const Value& value) {
    for (std::size_t i = 0; i < kTasks.size(); ++i)
      if (std::get<std::string>(value) == kTasks[i]) config.task = static_cast<Task>(i);
  };
  return key;
}

std::vector<std::string> tokenizer_kinds() {
  std::vector<std::string> kinds;
  for (const tokenizers::Entry& entry : tokenizers::registry().entries()) kinds.push_back(entry.id);
  return kinds;
}

Message kind_words(Kind kind) {
  switch (kind) {
    case Kind::boolean: return Message("true or false");
    case Kind::integer: return Message("a whole number");
    case Kind::real: return Message("a number");
    default: return Message("a text");
  }
}

bool has_type(Kind kind, const Json& json) {
  switch (kind) {
    case Kind::boolean: return json.is_boolean();
    case Kind::integer: return json.is_integer();
    case Kind::real: return json.is_number();
    default: return json.is_string();
  }
}

Value value_of(Kind kind, const Json& json) {
  switch (kind) {
    case Kind::boolean: return json.boolean();
    case Kind::integer: return json.integer();
    case Kind::real: return json.number();
    default: return json.string();
  }
}

}  // namespace

const char* name_of(Task task) { return kTasks[static_cast<std::size_t>(task)]; }
bool has_letters(Task task) { return task >= Task::copy; }
bool is_made_up(Task task) { return task == Task::repeat || has_letters(task); }

Result<Value> value_from_json(const Parameter& parameter, const Json& json, const std::string& where) {
  if (!has_type(parameter.kind, json))
    return invalid("'{}' has the wrong type", parameter.id).at(where).mend("give {}", kind_words(parameter.kind));
  Value value = value_of(parameter.kind, json);
  if (const Status status = check_value(parameter, value); !status)
    return invalid(status.error().what).at("{}: {}", where, parameter.id).mend(status.error().mend);
  return value;
}

Error unknown_key(const std::string& key, const std::vector<std::string>& known, const std::string& where) {
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  const std::string nearest = nearest_name(key, known);
  if (nearest.empty()) return invalid("there is no key '{}'", key).at(where).mend("known are {}", names);
  return invalid("there is no key '{}'", key).at(where).mend("'{}' may be meant; known are {}", nearest, names);
}

const Keys<Corpus>& corpus_keys() {
  static const Keys<Corpus> keys = {
      text("files", &Corpus::files, "A path in the data folder; '*' in its last part stands for any characters."),
      text("except", &Corpus::except, "Names of files that are left out; '*' likewise."),
      whole("column", &Corpus::column, 0, 1000, "Of lines with tabs: the column that is read, from 1; 0 for whole lines."),
      choice("paragraphs", &Corpus::paragraphs, {"lines", "blocks"}, "What a paragraph is: a line, or what empty lines divide."),
      flag("shuffled", &Corpus::shuffled, "Each paragraph once, in a seeded order, held out by a hash of it."),
  };
  return keys;
}

const Keys<GrammarText>& grammar_keys() {
  static const Keys<GrammarText> keys = {
      text("file", &GrammarText::file, "The grammar, beside the configuration."),
      whole("paragraphs", &GrammarText::paragraphs, 1, 2e6, "How many paragraphs it writes for the training."),
  };
  return keys;
}

const Keys<RandomSequences>& repeat_keys() {
  using R = RandomSequences;
  static const Keys<R> keys = {
      whole("symbols", &R::symbols, 2, 1000, "How many different symbols there are."),
      whole("shortest", &R::shortest, 1, 4096, "The least length of what is repeated."),
      whole("longest", &R::longest, 1, 4096, "The greatest length of what is repeated."),
      flag("first_too", &R::first_too, "The first segment counts in the loss, though nobody can predict it."),
  };
  return keys;
}

const Keys<Letters>& letters_keys() {
  static const Keys<Letters> keys = {
      whole("symbols", &Letters::symbols, 2, 26, "How many different letters there are."),
      whole("shortest", &Letters::shortest, 1, 4096, "The least number of letters before \"=\"."),
      whole("longest", &Letters::longest, 1, 4096, "The greatest number of letters before \"=\"."),
      text("word", &Letters::word, "Of spell: the word."),
  };
  return keys;
}

const Keys<VocabularyWanted>& vocabulary_keys() {
  using V = VocabularyWanted;
  static const Keys<V> keys = {
      choice("kind", &V::kind, tokenizer_kinds(), "The kind of tokenizer."),
      whole("size", &V::size, 0, 1e6, "Pieces with the special tokens; 0 with words and characters: all there are."),
      whole("least_count", &V::least_count, 1, kMany, "Rarer pairs are not merged, rarer words left out."),
      flag("lowercase", &V::lowercase, "Small letters only (words and wordpiece)."),
      flag("plain_spaces", &V::plain_spaces, "No-break spaces become spaces."),
  };
  return keys;
}

const Keys<Config>& config_keys() {
  using C = Config;
  static const Keys<C> keys = {
      text("name", &C::name, "The model's name."),
      text("trained_on", &C::trained_on, "What it was trained on, behind \"trained on\"."),
      text("language", &C::language, "Pairs: the language of the texts, as \"English\"."),
      text("target_language", &C::target_language, "Pairs: the language of the targets, as \"French\"."),
      task(),
      real("held_out", &C::held_out, 0.0001, 0.5, "The share of the data that is not trained on."),
      text("start", &C::start, "A model whose weights and vocabulary begin the training."),
      flag("one_tokenizer", &C::one_tokenizer, "Pairs: one tokenizer for both languages."),
      flag("tied", &C::tied, "The matrix that makes logits is the transposed embedding table."),
      whole("length", &C::length, 2, 8192, "Tokens of a row; longer pairs are left out."),
      whole("batch", &C::batch, 1, 65536, "Rows of a batch."),
      whole("accumulate", &C::accumulate, 1, 65536, "Batches whose gradients are added up before the weights change."),
      whole("steps", &C::steps, 1, kMany, "How often the weights change."),
      whole("seed", &C::seed, 0, 9007199254740991.0, "Draws the first weights, the order of the data, dropout."),
      real("learning_rate", &C::learning_rate, 1e-9, 10, "The greatest, reached after the warm-up."),
      real("least_learning_rate", &C::least_learning_rate, 0, 10, "The last, at the end of the cosine."),
      whole("warmup", &C::warmup, 0, kMany, "Steps in which the learning rate grows from 0."),
      real("beta1", &C::beta1, 0, 0.999999, "AdamW's decay of the mean of gradients."),
      real("beta2", &C::beta2, 0, 0.999999, "AdamW's decay of the mean of their squares."),
      real("epsilon", &C::epsilon, 1e-16, 1, "AdamW's addition to the root of that mean."),
      real("decay", &C::decay, 0, 10, "AdamW's decay of the weights; norms and biases have none."),
      real("clip", &C::clip, 0, 1e6, "The greatest global norm of the gradients; 0 for any."),
      real("dropout", &C::dropout, 0, 0.9, "The share of values that a training sets to 0."),
      real("label_smoothing", &C::label_smoothing, 0, 0.9, "The share of the target that all pieces have in common."),
      real("masked_share", &C::masked_share, 0.01, 0.9, "Masked: the share of tokens that are asked for."),
      choice("products", &C::products, {"float32", "bfloat16"}, "What the operands of the large products are rounded to."),
      whole("evaluate_every", &C::evaluate_every, 1, kMany, "Steps between two held-out losses."),
      whole("evaluate_batches", &C::evaluate_batches, 1, kMany, "Batches of a held-out loss."),
      whole("checkpoint_every", &C::checkpoint_every, 1, kMany, "Steps between two checkpoints."),
  };
  return keys;
}

}  // namespace headlight::train
