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
#include "engine/tokenizers/models/joints.h"
#include "engine/tokenizers/models/vocabulary.h"
#include "engine/tokenizers/models/word_explanation.h"

namespace headlight::tokenizers {

using Merges = std::vector<std::pair<std::string, std::string>>;  // pairs of pieces, in order of rank

// A piece of a word.
struct Piece {
  std::int32_t id = 0;
  std::int64_t end = 0;     // in bytes of the word
  std::int64_t start = -1;  // -1: where the one before it ends
};

// A model that adds up the scores of a whole text in single precision, as SentencePiece does: what it chooses in a word may
// depend on the sum of the words before.
class RunningModel {
 public:
  virtual ~RunningModel() = default;

  // As Model::encode() of a word behind others whose sum is `sum`, which becomes the sum with this word.
  virtual Status encode_from(std::string_view word, float& sum, std::vector<Piece>& pieces, const CancelToken& cancel) const = 0;
  // The pieces of a word behind any sum of less than `limit` (in absolute value); rounding cannot change them there. `scores` are
  // what they add to the sum, in this order. A limit of 0 or less: they depend on every sum.
  struct Weighed {
    std::vector<Piece> pieces;
    std::vector<float> scores;
    float limit = 0;
  };
  virtual Status weigh(std::string_view word, Weighed& made, const CancelToken& cancel) const = 0;
};

class Model {
 public:
  explicit Model(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  virtual ~Model() = default;

  // Replaces `pieces` by the pieces of `word`, which is not empty and may hold any bytes. The pieces cover the word; there are
  // none where a published vocabulary has no piece for any byte of it. Error: cancelled. encode("hugs", pieces, cancel) may give
  // the pieces of "hug" (end 3) and "s" (end 4).
  virtual Status encode(std::string_view word, std::vector<Piece>& pieces, const CancelToken& cancel) const = 0;
  // How encode() comes to its pieces. Error: encode()'s.
  virtual Result<Explanation> explain(std::string_view, const CancelToken&) const { return Explanation(); }
  // Whether the pieces of a word depend on that word alone, so that a text may be cut between words.
  virtual bool may_cut() const = 0;
  // Of a model whose words, which begin with "▁", follow each other as running sums; null: of every other.
  virtual const RunningModel* running() const { return nullptr; }
  // The bytes between which a word may be cut into parts for encode_part(); null: words are not cut.
  virtual const Joints* joints() const { return nullptr; }
  // As encode() of a part of a word, which begins and ends between bytes that do not join. `holds`: in every word of up to 8,192
  // bytes the part has these pieces; if not, rounding may choose others.
  virtual Status encode_part(std::string_view part, std::vector<Piece>& pieces, bool& holds, const CancelToken& cancel) const {
    holds = true;
    return encode(part, pieces, cancel);
  }
  // False: every word has pieces, and the unknown token is never used.
  virtual bool uses_unknown() const = 0;
  // The merges, which a saved file needs besides the vocabulary; empty for models without merges.
  virtual Merges merges() const { return {}; }
  // The score of each piece by id, which a saved file needs as well; empty for models without scores.
  virtual std::vector<double> scores() const { return {}; }

  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  Vocabulary vocabulary_;
};

// The data that a model is made from, besides its parameters.
struct ModelData {
  const Vocabulary& vocabulary;
  const Merges& merges;
  std::string where;                  // the file, for errors
  const std::vector<double>& scores;  // by id, of models with scores
};
// The error (invalid) of a published model that has no unknown token and meets an unknown word.
Failure no_piece_for(std::string_view word);
// The list of texts that a parameter holds as JSON; none if it is empty. Error (invalid): it is no such list.
// texts_in("[\"<sep>\"]", "m.model") gives <sep>.
Result<std::vector<std::string>> texts_in(const std::string& json, const std::string& where);

struct ModelEntry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  // Errors name data.where and the piece that the vocabulary lacks.
  Result<std::shared_ptr<const Model>> (*make)(const Values& values, const ModelData& data) = nullptr;
  bool is_bundled = true;  // a vocabulary of this kind comes with the program
};

const Registry<ModelEntry>& model_registry();

// The entries, each in its own file.
ModelEntry characters_model();
ModelEntry words_model();
ModelEntry bpe_model();
ModelEntry wordpiece_model();
ModelEntry unigram_model();

}  // namespace headlight::tokenizers
