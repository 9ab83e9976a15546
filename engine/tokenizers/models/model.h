// The interface of models and their registry. A model cuts one word into pieces of a vocabulary. One file a kind.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/parameter.h"
#include "engine/core/registry.h"
#include "engine/core/registry_stage.h"
#include "engine/tokenizers/models/vocabulary.h"

namespace headlight::tokenizers {

using Merges = std::vector<std::pair<std::string, std::string>>;  // pairs of pieces, in order of rank

// A piece of a word: it begins where the one before it ends.
struct Piece {
  std::int32_t id = 0;
  std::int64_t end = 0;  // in bytes of the word
};

class Model {
 public:
  explicit Model(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  virtual ~Model() = default;

  // Replaces `pieces` by the pieces of `word`, which is not empty and may hold any bytes. The pieces cover the word; there are
  // none where a published vocabulary has no piece for any byte of it. Error: cancelled. encode("hugs", pieces, cancel) may give
  // the pieces of "hug" (end 3) and "s" (end 4).
  virtual Status encode(std::string_view word, std::vector<Piece>& pieces, const CancelToken& cancel) const = 0;
  // Whether the pieces of a word depend on that word alone, so that a text may be cut between words.
  virtual bool may_cut() const = 0;
  // False: every word has pieces, and the unknown token is never used.
  virtual bool uses_unknown() const = 0;
  // The merges, which a saved file needs besides the vocabulary; empty for models without merges.
  virtual Merges merges() const { return {}; }

  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  Vocabulary vocabulary_;
};

// The data that a model is made from, besides its parameters.
struct ModelData {
  Vocabulary vocabulary;
  Merges merges;
  std::string where;  // the file, for errors
};

struct ModelEntry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  // Errors name data.where and the piece that the vocabulary lacks.
  Result<std::shared_ptr<const Model>> (*make)(const Values& values, const ModelData& data) = nullptr;
};

const Registry<ModelEntry>& model_registry();

// The entries, each in its own file.
ModelEntry characters_model();
ModelEntry words_model();
ModelEntry bpe_model();
ModelEntry wordpiece_model();

}  // namespace headlight::tokenizers
