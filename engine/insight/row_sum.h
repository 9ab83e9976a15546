// RowSum: one query's attention in one head as a sum of vectors, one for each key: its value times its weight. It also has the
// product of the sum with the output matrix, and the change of the query's vector in the residual stream. All numbers are read
// from the trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct RowSum {
  std::string prefix;  // AttentionSite::prefix
  std::int64_t batch = 0, head = 0, query = 0;
  std::int64_t d_k = 0;
  bool random_weights = false;

  struct Part {
    std::int64_t key = 0;
    double score = 0;   // q . k, before it is scaled
    double weight = 0;  // as the trace holds it
    double length = 0;  // weight |v|, the length of the weighted value
    double bias = 0;    // the number that a position adds to the scaled score
    double along = 0;   // (weight v) . s / |s| with s the row's sum: the part's share of |s|, which may be negative
  };
  std::vector<Part> parts;    // the keys that the query may attend to, in order; all of them add up to `sum`
  Tensor values;              // f32 [parts, d_v], v of each part
  Tensor weighted;            // f32 [parts, d_v], weight v
  std::vector<double> sum;    // [d_v], the rows of `weighted` added up
  double sum_length = 0;      // |sum|
  double entropy = 0;         // of the row's weights, in nats
  double most_entropy = 0;    // ln(parts): the entropy of equal weights
  double score_variance = 0;  // of q . k before scaling, over all pairs of this head that no mask forbids; NaN below two pairs

  // The residual stream; all [d_model], empty where the model has no such step.
  std::vector<double> before;     // E: the attention's result is added to it or, without a residual sum, replaces it
  std::vector<double> head_adds;  // sum W_O(head): this head's share, without the bias
  std::vector<double> all_add;    // Delta E: all heads together, with the bias
  std::vector<double> after;      // E + Delta E
  std::string before_step, all_step, after_step;
  bool replaces = false;  // true: there is no residual connection, and Delta E replaces E
};

// Errors: a prefix that names no attention, indices outside it (not_found), or the trace's own.
// row_sum(*trace, "layer.0.", 0, 2, 5): the parts of the sixth token's sum in head 2 of layer 0.
Result<RowSum> row_sum(const Trace& trace, const std::string& prefix, std::int64_t batch, std::int64_t head, std::int64_t query,
                       const CancelToken& cancel = {});

// softmax((score * scale + bias) / temperature) over the row's parts: one weight for each, adding up to 1.
// softmax_at(row, 0, 1) without biases: equal weights.
std::vector<double> softmax_at(const RowSum& row, double scale, double temperature);

// The movement of a token's vector in the residual stream, layer by layer, as Euclidean lengths over d_model. `kind` is the
// beginning of the layers' names: "", "encoder." or "decoder.".
struct Movement {
  struct Layer {
    double by_attention = 0, by_feed_forward = 0;  // NaN: the layer has no such part
    double from_start = 0;                         // from the vector that entered layer 0 to the vector after this layer
    double cosine = 0;                             // of these two vectors; NaN for zero vectors
  };
  std::vector<Layer> layers;
  double start_length = 0;
};
// movement(*trace, "", 0, 5): one entry a layer for the sixth token of the first sentence.
Result<Movement> movement(const Trace& trace, const std::string& kind, std::int64_t batch, std::int64_t position,
                          const CancelToken& cancel = {});

}  // namespace headlight
