// hugging_face: tokenizer.json of the library `tokenizers`. Models and stages that we do not know are refused by name and place:
// a tokenizer that cuts a text otherwise than its model was trained on would be worse than none. What changes no ids of a text,
// such as truncation, is left out and said.
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "engine/core/text_file.h"
#include "engine/text/byte_alphabet.h"
#include "engine/tokenizers/files/added_files.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/files/hugging_face_stages.h"
#include "engine/tokenizers/files/published.h"

namespace headlight::tokenizers {
namespace {

constexpr Phrase<0> kAgain = "fetch the file again";

constexpr const char* kModels = "BPE, Unigram, WordLevel, WordPiece";

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

// The model's type; older files do not say it, and it is seen from the members then.
std::string type_of_model(const Json& model) {
  if (!model["type"].string().empty()) return model["type"].string();
  if (model["vocab"].is_array()) return "Unigram";
  return model.contains("merges") ? "BPE" : model.contains("max_input_chars_per_word") ? "WordPiece" : "WordLevel";
}

// A score as the library's reader of JSON makes it of the digits: as a whole number divided by a power of ten, which rounds
// twice. The sums of two ways to cut a word may differ in this last bit alone.
double as_read_there(double score) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, score, std::chars_format::scientific).ptr;
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));  // -2.0122928619384766e+00
  const std::size_t exponent_at = text.find('e');
  if (exponent_at == std::string_view::npos) return score;
  std::uint64_t whole = 0;
  int exponent = std::atoi(std::string(text.substr(exponent_at + 1)).c_str());
  bool fraction = false;
  for (const char c : text.substr(0, exponent_at)) {
    if (c == '.') fraction = true;
    if (c < '0' || c > '9') continue;
    whole = 10 * whole + static_cast<std::uint64_t>(c - '0');
    if (fraction) --exponent;
  }
  if (exponent < -22 || exponent > 22) return score;  // powers of ten that no double holds
  double read = static_cast<double>(whole);
  for (double power = 1; exponent != 0; exponent = 0) {
    for (int i = 0; i < std::abs(exponent); ++i) power *= 10;
    read = exponent < 0 ? read / power : read * power;
  }
  return text.front() == '-' ? -read : read;
}

// The vocabulary of [["piece", score], ...], with the scores.
Status read_scored(const Json& list, TokenizerPlan& plan, const std::string& where) {
  std::vector<std::string> pieces;
  for (const Json& one : list.elements()) {
    if (!one[std::size_t{0}].is_string() || !one[std::size_t{1}].is_number())
      return invalid("the piece {} has no text or no score", pieces.size()).at("{} {}", where, "model.vocab").mend(kAgain);
    pieces.push_back(one[std::size_t{0}].string());
    plan.scores.push_back(as_read_there(one[std::size_t{1}].number()));
  }
  if (pieces.empty()) return invalid("the vocabulary is empty").at("{} {}", where, "model.vocab").mend(kAgain);
  HL_ASSIGN(plan.vocabulary, Vocabulary::of(std::move(pieces), where, true));
  return {};
}

Status read_vocabulary(const Json& model, TokenizerPlan& plan, const std::string& where) {
  if (type_of_model(model) == "Unigram") return read_scored(model["vocab"], plan, where);
  HL_ASSIGN(std::vector<std::string> pieces, pieces_by_id(model["vocab"], where, true));
  HL_ASSIGN(plan.vocabulary, Vocabulary::of(std::move(pieces), where, true));
  return {};
}

Status set_unigram(const Json& model, TokenizerPlan& plan, const std::string& where) {
  plan.model = {"unigram", {{"byte_fallback", model["byte_fallback"].boolean()}}};
  if (model["unk_id"].is_null()) return {};
  const std::int64_t unknown = model["unk_id"].is_integer() ? model["unk_id"].integer() : -1;
  if (unknown < 0 || unknown >= static_cast<std::int64_t>(plan.scores.size()))
    return invalid("the unknown token's id is none of {} pieces", plan.scores.size())
        .at("{} {}", where, "model.unk_id")
        .mend(kAgain);
  plan.vocabulary.set_special(Role::unknown, static_cast<std::int32_t>(unknown));
  return {};
}

Status set_bpe(const Json& model, TokenizerPlan& plan, const std::string& where) {
  const bool fallback = model["byte_fallback"].boolean();
  // The model reads the bytes themselves, where the letters that the pre-tokenizer makes of them would all be pieces, or left
  // out.
  const auto is_byte_level = [](const Choice& one) { return one.id == "byte_level"; };
  bool bytes = !fallback && !plan.splitters.empty() && is_byte_level(plan.splitters.back()) &&
               std::count_if(plan.splitters.begin(), plan.splitters.end(), is_byte_level) == 1;
  const std::string &prefix = model["continuing_subword_prefix"].string(), &suffix = model["end_of_word_suffix"].string();
  if (bytes && plan.vocabulary.special(Role::unknown) >= 0)
    for (int byte = 0; byte < 256; ++byte) {
      const std::string letter = text::byte_piece(static_cast<unsigned char>(byte));
      for (const std::string& piece : {letter, prefix + letter, letter + suffix, prefix + letter + suffix})
        bytes = bytes && plan.vocabulary.find(piece) >= 0;
    }
  if (bytes) plan.splitters.pop_back();
  plan.model = {"bpe",
                {{"alphabet", std::string(bytes      ? "bytes"
                                          : fallback ? "fallback"
                                                     : "corpus")},
                 {"prefix", prefix},
                 {"suffix", suffix},
                 {"whole_words", model["ignore_merges"].boolean()},
                 {"joins_unknown", model["fuse_unk"].boolean()}}};
  if (const double dropout = model["dropout"].number(); dropout > 0)
    plan.notes.push_back(Message("the file drops merges at random (dropout); here none is dropped"));
  HL_ASSIGN(plan.merges, merges_from(model["merges"], where));
  return {};
}

Status set_model(const Json& model, TokenizerPlan& plan, const std::string& where) {
  const std::string type = type_of_model(model);
  if (type == "Unigram") return set_unigram(model, plan, where);
  const std::string& unknown = model["unk_token"].string();
  if (const std::int32_t id = plan.vocabulary.find(unknown); id >= 0) plan.vocabulary.set_special(Role::unknown, id);
  if (type == "BPE") return set_bpe(model, plan, where);
  if (type == "WordPiece") {
    plan.model = {"wordpiece", {}};
    if (model["continuing_subword_prefix"].is_string()) plan.model.values["prefix"] = model["continuing_subword_prefix"].string();
    if (model["max_input_chars_per_word"].is_integer())
      plan.model.values["longest_word"] = model["max_input_chars_per_word"].integer();
    return {};
  }
  if (type != "WordLevel") return not_known({&model, "model"}, where, kModels);
  plan.model = {"words", {}};
  return {};
}

// What a file of JSON without a model seems to be.
Failure no_model(const Json& json, const std::string& where) {
  constexpr Phrase<0> kBeside = "give the tokenizer.json beside it";
  if (json.contains("model_type") || json.contains("architectures"))
    return invalid("this is the configuration of a model (config.json), and a tokenizer is wanted").at(where).mend(kBeside);
  if (json.contains("tokenizer_class") || json.contains("added_tokens_decoder"))
    return invalid("this says how a tokenizer is used (tokenizer_config.json), and does not hold it").at(where).mend(kBeside);
  if (json.contains("unk_token") || json.contains("bos_token") || json.contains("pad_token"))
    return invalid("these are the names of special tokens (special_tokens_map.json), and a tokenizer is wanted")
        .at(where)
        .mend(kBeside);
  if (json.contains("weight_map"))
    return invalid("this lists a model's files of weights, and a tokenizer is wanted").at(where).mend(kBeside);
  return invalid("this tokenizer has no model").at(where).mend(kAgain);
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
  if (!json["model"].is_object()) return no_model(json, where);
  TokenizerPlan plan;
  HL_TRY(read_vocabulary(json["model"], plan, where));
  AddedList added(plan, false);  // without "unk_token" the library leaves out what no piece has, whatever tokens are added
  HL_TRY(added.read_ends(file.parent_path()));
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
  HL_TRY(add_normalizers(json["normalizer"], plan, where));
  HL_TRY(add_splitters(json["pre_tokenizer"], config["add_prefix_space"], plan, where));
  HL_TRY(set_model(json["model"], plan, where));
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
