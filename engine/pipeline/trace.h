// Trace: what run() computed, immutable: an ordered list of named steps with values, formulas and inputs. The walk-through,
// the inspector, the heatmaps, the exports and the parity tests read only this.
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

namespace headlight {

struct Sentence {
  std::string text;
  std::vector<tokenizers::Token> tokens;  // real ones; the trace's arrays are padded to the longest sentence
  std::vector<std::string> labels;        // display_text of each token, no padding
};

class Trace {
 public:
  virtual ~Trace() = default;

  virtual const Document& document() const = 0;
  virtual std::span<const Sentence> texts() const = 0;
  virtual std::span<const Sentence> targets() const = 0;  // empty without targets
  virtual std::span<const Step> steps() const = 0;        // in order of computation
  virtual const Step* find(std::string_view name) const = 0;
  // The step of this role at a place of the model ("layer.0.", AttentionSite::prefix, "encoder.", ""); of several the last, which
  // the steps after them read. Null: there is none.
  const Step* step_at(std::string_view place, Role role) const {
    const std::span<const Step> all = steps();
    for (auto step = all.rbegin(); step != all.rend(); ++step)
      if (step->role == role && place_of(step->name) == place) return &*step;
    return nullptr;
  }
  // Its name; empty if there is none, and no values are found under an empty name.
  std::string name_at(std::string_view place, Role role) const {
    const Step* step = step_at(place, role);
    return step ? step->name : std::string();
  }
  virtual std::span<const AttentionSite> sites() const = 0;  // in order: encoder, decoder self, decoder cross
  virtual std::span<const NamedParameter> parameters() const = 0;
  virtual std::shared_ptr<const tokenizers::Tokenizer> tokenizer() const = 0;  // of the texts
  // Of the targets: another one only where the document says so.
  virtual std::shared_ptr<const tokenizers::Tokenizer> target_tokenizer() const { return tokenizer(); }

  // Values of a step or a parameter, whole. Recomputed if not kept.
  virtual Result<Tensor> values(std::string_view name, const CancelToken& cancel = {}) const = 0;
  // A part of a [batch, head, query, key] or [batch, head, position, d_k] step: rows [row, row+rows) and columns likewise of
  // one batch item and head, as [rows, columns]; of a [batch, position, d] step with head 0 as well. Costs only what it
  // returns (weights that are not kept: their whole rows). Of a parameter with batch and head 0 as well: [rows, columns] of a
  // matrix, a vector is one row.
  struct Tile {
    std::int64_t batch = 0, head = 0;
    std::int64_t row = 0, rows = -1;  // -1: to the end
    std::int64_t column = 0, columns = -1;
  };
  virtual Result<Tensor> tile(std::string_view name, const Tile& tile) const = 0;

  virtual double seconds() const = 0;                       // of the run that made it
  virtual std::string backend_label() const = 0;            // "CPU, 2 threads, AVX-512"
  virtual std::string remark() const { return {}; }         // why another backend than the document's computed it; mostly empty
  virtual std::string weights_label() const { return {}; }  // "random weights, seed 0"
  virtual std::uint64_t bytes() const = 0;                  // kept values
  virtual std::uint64_t generation() const = 0;             // unique in this process: caches key on it
};

}  // namespace headlight
