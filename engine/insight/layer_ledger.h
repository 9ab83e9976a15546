// The ledger of one token in one layer: every vector that the layer adds to the token's own vector, in the order of addition. The
// vectors add up to the layer's output: E' = E + sum of Delta E over the heads + bias + feed-forward part (Elhage et al. 2021,
// the residual stream).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct LayerLedger {
  enum class Kind {
    embedding,     // the token's row of the table; with positions, in a stack's first layer
    position,      // the vector that is added for the token's position
    before,        // E: the vector that the layer reads; a total
    dropped,       // minus the vector so far: without a residual sum the next part replaces it
    head,          // Delta E of one head
    bias,          // of W_O
    attention,     // the sum of an attention's heads and bias; a subtotal, already counted
    feed_forward,  // with its biases
    norm,          // norm(x) - x, of a norm behind a sum
    after,         // E': the layer's output; a total
  };
  struct Row {
    Kind kind = Kind::before;
    std::string prefix;          // AttentionSite::prefix of heads, bias and attention; of other rows the layer's place
    std::int64_t head = -1;      // of Kind::head
    std::vector<double> vector;  // [d_model]
    double length = 0;           // Euclidean
    double cosine = 0;           // with E; NaN where one is zero
    double running = 0;          // the length of the sum of all rows up to this one
    std::int64_t key = -1;       // of Kind::head: the key with the largest weight; -1: none
    double weight = 0;           // the weight of that key
    bool changed = false;        // an intervention puts this vector in place of the model's own
    std::string step;            // the step of the trace that holds this vector; empty: none
  };
  std::vector<Row> rows;
  std::string place;      // "layer.2.", "decoder.layer.0."
  double difference = 0;  // the largest |number of a sum of rows - number of the trace's step|, over all sums
  double tolerance = 0;   // rounding explains this much: 256 of the trace's units in the last place of the largest number
  bool adds_up() const { return difference <= tolerance; }
  std::uint64_t bytes() const { return rows.size() * (rows.empty() ? 1 : rows.front().vector.size()) * sizeof(double); }
};

// `stack`: "" or "encoder." or "decoder.". Pre-norm and post-norm layers, layers without norms or residual sums, and layers with
// cross-attention all have a ledger. Errors: no such layer, sentence or position (not_found); the trace's own; cancelled.
// layer_ledger(*trace, "", 2, 0, 5, cancel): the rows of layer 2 for the sixth token of the first sentence.
Result<LayerLedger> layer_ledger(const Trace& trace, const std::string& stack, std::int64_t layer, std::int64_t batch,
                                 std::int64_t position, const CancelToken& cancel);

// One head of an attention as the grid of the slides: a cell is the weight of a query on a key times the key's value, seen
// through the head's rows of W_O in some dimensions of the model. A column of cells adds up to the head's Delta E of that query.
struct WeightedValues {
  std::int64_t first = 0, count = 0;  // the dimensions
  Tensor weights;                     // f64 [queries, keys]
  Tensor values;                      // f64 [keys, count]: v W_O
  Tensor sums;                        // f64 [queries, count]: the vectors that the head adds, as in the ledger
  Tensor before;  // f64 [queries, count]: E, which the attention's result is added to or, without residual sum, made from
  // Of relative positions: a^V W_O [2 clip + 1, count] f64, one row of which is added to each value; empty: none is added.
  Tensor by_distance;
  std::int64_t clip = 0;
  bool changed = false;  // an intervention replaces the head's sum: `sums` are not the columns' sums
  // The number that the weight of a key is multiplied by in one dimension. value(5, 3, 0): the first dimension's, of query 5 and
  // key 3.
  double value(std::int64_t query, std::int64_t key, std::int64_t dimension) const;
  std::uint64_t bytes() const { return weights.bytes() + values.bytes() + sums.bytes() + before.bytes() + by_distance.bytes(); }
};
// Dimensions beyond the model's are left out. Errors: those of row_sum().
// weighted_values(*trace, site, 0, 2, 0, 8, cancel): the first eight dimensions of head 2 in the first sentence.
Result<WeightedValues> weighted_values(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                                       std::int64_t first, std::int64_t count, const CancelToken& cancel);

}  // namespace headlight
