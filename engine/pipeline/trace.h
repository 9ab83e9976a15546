// Trace: what run() computed, immutable: an ordered list of named steps with values, formulas and inputs. The walk-through,
// the inspector, the heatmaps, the exports and the parity tests read only this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/masks/mask.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/document.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {

struct Step {
  std::string name;                 // "layer.0.weights", "decoder.layer.1.cross.q", ...: DESIGN.md's contract
  std::string operation;            // "softmax over keys"
  std::string formula;              // "weights[h, i, j] = exp(masked[h, i, j] / T) / sum_j exp(...)"
  std::vector<std::string> inputs;  // names of steps, or "parameters.…"
  Shape shape;
  Axes axes;
  DType dtype = DType::f32;
  bool kept = false;            // false: made again from its inputs, by tile, when someone looks
  bool random_weights = false;  // depends on seeded, untrained weights
  bool from_cache = false;      // this run found it in the step cache
  std::string note;             // what a reader should know besides, e.g. what a fully masked row is; may be empty
};

struct Sentence {
  std::string text;
  std::vector<tokenizers::Token> tokens;  // real ones; the trace's arrays are padded to the longest sentence
  std::vector<std::string> labels;        // display_text of each token, no padding
};

// One attention of the model: where its steps are and whose tokens are its rows and columns.
struct AttentionSite {
  std::string prefix;  // "layer.0.", "encoder.layer.0.", "decoder.layer.0.", "decoder.layer.0.cross."
  masks::Site site = masks::Site::decoder_self;
  std::int64_t layer = 0;
  std::int64_t heads = 1, queries = 0, keys = 0, d_k = 0;
  bool rows_are_targets = false, columns_are_targets = false;
  double scale = 1.0;    // the number the scores were multiplied by
  masks::Combined mask;  // its parts at their broadcast shapes
};

struct NamedParameter {
  std::string name;  // "parameters.layer.0.wq"
  Shape shape;
  Axes axes;
  bool random = true;
  double deviation = 0;        // of the normal numbers it was drawn from, if random
  std::int64_t zero_row = -1;  // this row was set to zero: the [PAD] row of an embedding table
};

class Trace {
 public:
  virtual ~Trace() = default;

  virtual const Document& document() const = 0;
  virtual std::span<const Sentence> texts() const = 0;
  virtual std::span<const Sentence> targets() const = 0;  // empty without targets
  virtual std::span<const Step> steps() const = 0;        // in order of computation
  virtual const Step* find(std::string_view name) const = 0;
  virtual std::span<const AttentionSite> sites() const = 0;  // in order: encoder, decoder self, decoder cross
  virtual std::span<const NamedParameter> parameters() const = 0;
  virtual std::shared_ptr<const tokenizers::Tokenizer> tokenizer() const = 0;

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

  virtual double seconds() const = 0;                // of the run that made it
  virtual std::string backend_label() const = 0;     // "CPU, 2 threads, AVX-512"
  virtual std::string remark() const { return {}; }  // why another backend than the document's computed it; mostly empty
  virtual std::uint64_t bytes() const = 0;           // kept values
  virtual std::uint64_t generation() const = 0;      // unique in this process: caches key on it
};

}  // namespace headlight
