// sentencepiece: the .model of SentencePiece, read straight from its protobuf: pieces with scores and types, the trainer's
// options and the normaliser's rules. Control pieces in a text are text, as SentencePiece reads it, unless files beside the model
// say that a text may name them.
#include <algorithm>

#include "engine/core/base64.h"
#include "engine/core/files.h"
#include "engine/core/protobuf.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/files/added_files.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/files/published.h"
#include "engine/tokenizers/files/score_merges.h"

namespace headlight::tokenizers {
namespace {

constexpr std::size_t kMostSentencePieces = std::size_t{1} << 22;
constexpr Phrase<0> kWholeModel = "fetch the file again";

// The numbers of SentencePiece's enumerations.
struct SentenceType {
  static constexpr std::uint64_t normal = 1, unknown = 2, control = 3, user_defined = 4, byte = 6;
};
struct ModelType {
  static constexpr std::uint64_t unigram = 1, bpe = 2, word = 3, character = 4;
};

struct SentenceModel {
  std::vector<std::string> pieces;
  std::vector<double> scores;
  std::vector<std::uint64_t> types;
  std::uint64_t model = ModelType::unigram;
  bool byte_fallback = false, suffix = false;
  std::string unknown_surface = " \u2047 ";
  std::string charsmap, back;  // the tables of replacements before the model and behind it
  bool prefix = true, removes = true, escapes = true;
};

Status read_piece(std::string_view message, SentenceModel& model, const std::string& where) {
  std::string text;
  double score = 0;
  std::uint64_t type = SentenceType::normal;
  HL_TRY(read_protobuf(message, where, [&](const ProtobufField& field) -> Status {
    if (field.number == 1 && field.is_bytes()) text = std::string(field.bytes);
    if (field.number == 2) score = static_cast<double>(field.real());
    if (field.number == 3) type = field.whole;
    return {};
  }));
  if (model.pieces.size() >= kMostSentencePieces)
    return invalid("its vocabulary has more than {} pieces", kMostSentencePieces).at(where).mend(kWholeModel);
  model.pieces.push_back(std::move(text));
  model.scores.push_back(score);
  model.types.push_back(type);
  return {};
}

Status read_trainer(std::string_view message, SentenceModel& model, const std::string& where) {
  return read_protobuf(message, where, [&](const ProtobufField& field) -> Status {
    if (field.number == 3) model.model = field.whole;
    if (field.number == 24) model.suffix = field.whole != 0;
    if (field.number == 35) model.byte_fallback = field.whole != 0;
    if (field.number == 44 && field.is_bytes()) model.unknown_surface = std::string(field.bytes);
    return {};
  });
}

// What is done with a decoded text.
Status read_denormalizer(std::string_view message, SentenceModel& model, const std::string& where) {
  return read_protobuf(message, where, [&](const ProtobufField& field) -> Status {
    if (field.number == 2 && field.is_bytes()) model.back = std::string(field.bytes);
    return {};
  });
}

Status read_normalizer(std::string_view message, SentenceModel& model, const std::string& where) {
  return read_protobuf(message, where, [&](const ProtobufField& field) -> Status {
    if (field.number == 2 && field.is_bytes()) model.charsmap = std::string(field.bytes);
    if (field.number == 3) model.prefix = field.whole != 0;
    if (field.number == 4) model.removes = field.whole != 0;
    if (field.number == 5) model.escapes = field.whole != 0;
    return {};
  });
}

Result<SentenceModel> read_sentence_model(std::string_view bytes, const std::string& where) {
  SentenceModel model;
  HL_TRY(read_protobuf(bytes, where, [&](const ProtobufField& field) -> Status {
    if (!field.is_bytes()) return {};
    if (field.number == 1) return read_piece(field.bytes, model, where);
    if (field.number == 2) return read_trainer(field.bytes, model, where);
    if (field.number == 3) return read_normalizer(field.bytes, model, where);
    if (field.number == 5) return read_denormalizer(field.bytes, model, where);
    return {};
  }));
  if (model.pieces.empty()) return invalid("this model has no pieces").at(where).mend(kWholeModel);
  return model;
}

class SentencePlan {
 public:
  SentencePlan(SentenceModel model, const std::string& where) : model_(std::move(model)), where_(where) {}

  Result<TokenizerPlan> plan() {
    HL_ASSIGN(plan_.vocabulary, Vocabulary::of(model_.pieces, where_, true));
    std::vector<std::int32_t> no_texts;
    for (std::int32_t id = 0; id < plan_.vocabulary.size(); ++id) {
      const std::uint64_t type = type_of(id);
      if (type == SentenceType::unknown) plan_.vocabulary.set_special(Role::unknown, id);
      if (type == SentenceType::control) set_special_by_name(plan_.vocabulary, plan_.vocabulary.piece(id));
      if (type == SentenceType::user_defined) user_defined_.push_back(plan_.vocabulary.piece(id));
      if (type != SentenceType::normal && type != SentenceType::byte) no_texts.push_back(id);
    }
    plan_.vocabulary.as_published(no_texts);
    const std::string users = user_defined_.empty() ? std::string() : Json(user_defined_).dump();
    plan_.normalizers = {{"sentence",
                          {{"charsmap", to_base64(model_.charsmap)},
                           {"prefix", model_.prefix},
                           {"suffix", model_.suffix},
                           {"removes", model_.removes},
                           {"escapes", model_.escapes},
                           {"user_defined", users}}}};
    HL_TRY(set_model(users));
    const std::string& unknown = plan_.vocabulary.piece(plan_.vocabulary.special(Role::unknown));
    const bool strips = model_.prefix || model_.removes;
    plan_.decoders = {{"sentence",
                       {{"unknown", unknown},
                        {"surface", model_.unknown_surface},
                        {"removes", std::string(!strips          ? "none"
                                                : model_.removes ? "all"
                                                                 : "one")},
                        {"bytes", model_.byte_fallback}}}};
    if (!model_.back.empty()) plan_.decoders.push_back({"denormalized", {{"charsmap", to_base64(model_.back)}}});
    plan_.post_processor = bracket_template("", "");
    return std::move(plan_);
  }

 private:
  std::uint64_t type_of(std::int32_t id) const { return model_.types[static_cast<std::size_t>(id)]; }

  Status set_model(const std::string& users) {
    const std::string alphabet = model_.byte_fallback ? "fallback" : "corpus";
    if (model_.model == ModelType::unigram) {
      plan_.scores = model_.scores;
      plan_.model = {"unigram", {{"byte_fallback", model_.byte_fallback}, {"single", true}, {"user_defined", users}}};
    } else if (model_.model == ModelType::bpe) {
      ScoreMerges made = merges_by_scores(plan_.vocabulary, model_.scores,
                                          [&](std::int32_t id) { return id >= 0 && type_of(id) == SentenceType::normal; });
      plan_.merges = std::move(made.merges);
      plan_.model = {"bpe", {{"alphabet", alphabet}, {"tied", made.tied}, {"joins_unknown", true}, {"user_defined", users}}};
    } else if (model_.model == ModelType::character) {
      plan_.model = {"bpe", {{"alphabet", alphabet}, {"joins_unknown", true}, {"user_defined", users}}};
    } else if (model_.model == ModelType::word) {
      plan_.model = {"words", {{"sign", std::string("▁")}, {"byte_fallback", model_.byte_fallback}}};
    } else {
      return invalid("its model is of the kind {}, which is not known", model_.model)
          .at(where_)
          .mend("known are unigram, BPE, words, characters");
    }
    return {};
  }

  SentenceModel model_;
  const std::string& where_;
  TokenizerPlan plan_;
  std::vector<std::string> user_defined_;
};

// What stands around a text, as tokenizer_config.json beside the model says it.
void set_brackets(const Json& config, TokenizerPlan& plan) {
  const auto named = [&](const char* wanted, const char* key) {
    const Json& token = config[key];
    const std::string& name = token.is_string() ? token.string() : token["content"].string();
    return config[wanted].boolean() && plan.vocabulary.find(name) >= 0 ? name : std::string();
  };
  const std::string before = named("add_bos_token", "bos_token"), after = named("add_eos_token", "eos_token");
  for (const std::string& name : {before, after})
    if (!name.empty()) set_special_by_name(plan.vocabulary, name);
  plan.post_processor = bracket_template(before, after);
}

// A protobuf message whose first field is a piece of the vocabulary, and in it the piece's text.
bool recognises_sentencepiece(std::string_view beginning) {
  if (beginning.size() < 4 || beginning[0] != '\n') return false;
  std::size_t at = 1;
  std::size_t size = static_cast<unsigned char>(beginning[at++]);
  if (size >= 0x80) size = (size & 0x7Fu) | static_cast<std::size_t>(static_cast<unsigned char>(beginning[at++])) << 7;
  if (at + 1 >= beginning.size() || size < 2 || beginning[at] != '\n') return false;
  const auto text = static_cast<unsigned char>(beginning[at + 1]);
  if (text == 0 || text > size - 2 || at + 2 + text >= beginning.size()) return false;
  const char next = beginning[at + 2 + text];  // its score or type, or the next piece
  return text + std::size_t{2} == size ? next == '\n' || next == '\x12' : next == '\x15' || next == '\x18';
}

Result<std::shared_ptr<const Tokenizer>> load_sentencepiece(const std::filesystem::path& file) {
  const std::string where = file.string();
  HL_ASSIGN(const std::string bytes, read_file(file, kMostPublished));
  HL_ASSIGN(SentenceModel model, read_sentence_model(bytes, where));
  HL_ASSIGN(TokenizerPlan plan, SentencePlan(std::move(model), where).plan());
  HL_ASSIGN(const Json config, json_beside(file.parent_path(), "tokenizer_config.json"));
  const std::vector<std::int32_t> no_texts = plan.vocabulary.no_texts();
  AddedList added(plan);
  HL_TRY(added.add_beside(file.parent_path()));
  added.finish(no_texts);
  set_brackets(config, plan);
  return Tokenizer::make(plan, where);
}

}  // namespace

FormatEntry sentencepiece_format() {
  return {"sentencepiece",
          "SentencePiece's model",
          "pieces, scores and types as a protobuf",
          "Kudo and Richardson 2018 (SentencePiece)",
          {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model"},
          recognises_sentencepiece,
          load_sentencepiece};
}

}  // namespace headlight::tokenizers
