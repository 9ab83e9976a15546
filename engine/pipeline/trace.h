// Trace: the immutable result of run(): an ordered list of named steps with values, formulas and inputs. The walk-through, the
// inspector, the heatmaps, the exports and the parity tests read only this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/document/document.h"
#include "engine/models/step.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::operations {
class Operation;
}

namespace headlight {

struct Sentence {
  std::string text;
  std::vector<tokenizers::Token> tokens;  // without padding; the trace's arrays are padded to the longest sentence
  std::vector<std::string> labels;        // display_text of each token, no padding
};

class Trace {
 public:
  virtual ~Trace() = default;

  virtual const Document& document() const = 0;
  // The model that the document names, as it was when the run began; null: the sandbox.
  virtual std::shared_ptr<const StoredModel> stored_model() const { return nullptr; }
  virtual std::span<const Sentence> texts() const = 0;
  virtual std::span<const Sentence> targets() const = 0;  // empty without targets
  virtual std::span<const Step> steps() const = 0;        // in order of computation
  virtual const Step* find(std::string_view name) const = 0;
  // The step of this role at a place of the model ("layer.0.", AttentionSite::prefix, "encoder.", ""). If there are several, it
  // is the last one, which later steps read. Null: there is none.
  // step_at("layer.0.", Role::weights): the weights of the first layer's attention.
  const Step* step_at(std::string_view place, Role role) const {
    const std::span<const Step> all = steps();
    for (auto step = all.rbegin(); step != all.rend(); ++step)
      if (step->role == role && place_of(step->name) == place) return &*step;
    return nullptr;
  }
  // The step's name; empty if there is no such step. values() finds nothing under an empty name.
  // name_at("layer.0.", Role::weights) gives "layer.0.weights".
  std::string name_at(std::string_view place, Role role) const {
    const Step* step = step_at(place, role);
    return step ? step->name : std::string();
  }
  // The nth operation (from 0) that computes the step, with its numbers: a norm's epsilon, the angles of rotary positions. Null:
  // there is none, or it is not told. operation("layer.0.mlp_norm") is a norm.
  virtual const operations::Operation* operation(std::string_view /*step*/, std::size_t /*n*/ = 0) const { return nullptr; }
  virtual std::span<const AttentionSite> sites() const = 0;  // in order: encoder, decoder self, decoder cross
  virtual std::span<const NamedParameter> parameters() const = 0;
  virtual std::shared_ptr<const tokenizers::Tokenizer> tokenizer() const = 0;  // of the texts
  // Of the targets: another tokenizer only where the document says so.
  virtual std::shared_ptr<const tokenizers::Tokenizer> target_tokenizer() const { return tokenizer(); }

  // Values of a step or a parameter, whole. Steps that are not kept are computed again.
  // values("layer.0.q"): [batch, head, position, d_k].
  virtual Result<Tensor> values(std::string_view name, const CancelToken& cancel = {}) const = 0;
  // A part of a [batch, head, query, key] or [batch, head, position, d_k] step: rows [row, row+rows) and columns likewise of one
  // batch item and head, as [rows, columns]. A [batch, position, d] step is read with head 0. A parameter is read with batch and
  // head 0: [rows, columns] of a matrix, and a vector is one row. Only the returned part is computed (of weights that are not
  // kept: whole rows).
  struct Tile {
    std::int64_t batch = 0, head = 0;
    std::int64_t row = 0, rows = -1;  // -1: to the end
    std::int64_t column = 0, columns = -1;
  };
  // tile("layer.0.weights", {0, 2, 5, 1}): the weights of query 5 of head 2, [1, keys].
  virtual Result<Tensor> tile(std::string_view name, const Tile& tile) const = 0;

  virtual double seconds() const = 0;             // duration of the run that made the trace
  virtual std::string backend_label() const = 0;  // "CPU, 2 threads, AVX-512"
  virtual Message remark() const { return {}; }   // why another backend than the document's computed the trace; mostly empty
  virtual std::string weights_label() const { return {}; }  // "random weights, seed 0"
  virtual std::uint64_t bytes() const = 0;                  // of the kept values
  virtual std::uint64_t generation() const = 0;             // unique in this process: caches key on it
};

}  // namespace headlight
