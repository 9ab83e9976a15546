// Parts of a trace that explanations of single cells and sums of whole rows both read: an attention's place in the residual
// stream, parts of its steps as numbers in double, and one head's vector after the output matrix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// The names of the steps around an attention, found from the inputs of the steps. A name is empty where the model has no such
// step.
struct ResidualPlace {
  std::string before;     // [B, L, d_model]: the attention's result is added to it or, without a residual sum, made from it
  std::string output;     // [B, L, d_model]: the attention's result: "attention_output", or "concat" without an output matrix
  std::string after;      // [B, L, d_model]: the sum of `before` and `output`
  std::string matrix;     // the parameter W_O [h d_v, d_model]
  bool mixes = false;     // the heads become one through tanh (2-D stack): no single head's part can be told
  bool replaces = false;  // the attention has no residual sum: `output` replaces `before`
};
// The error for a question about single heads' parts where ResidualPlace::mixes.
Error heads_are_mixed(const AttentionSite& site);
// residual_place(*trace, site) of a pre-norm model's first attention: before is "input", after is "layer.0.attention_residual".
ResidualPlace residual_place(const Trace& trace, const AttentionSite& site);

// Rows [row, row + rows) of one sentence and head of a step, [rows, columns]; rows -1: to the end. Errors: the trace's own.
// rows_of(*trace, "layer.0.weights", 0, 2, 5, 1): the weights of query 5 of head 2, [1, keys].
Result<Tensor> rows_of(const Trace& trace, const std::string& step, std::int64_t batch, std::int64_t head, std::int64_t row,
                       std::int64_t rows);
// The numbers that the site's position adds to the scaled scores of one query, by key; empty: it adds nothing. Errors: the
// trace's own.
// bias_row(*trace, site, 0, 2, 5): of query 5 of head 2, one number a key.
Result<std::vector<double>> bias_row(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                                     std::int64_t query);
// The values [keys, d_v] that one query's weights multiply, the last axis fastest: the rows of v and, with relative positions,
// v_j + a^V of the distance from the query. Errors: the trace's own.
// values_of_query(*trace, site, 0, 2, 5): keys x d_v numbers.
Result<std::vector<double>> values_of_query(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                                            std::int64_t query);
// By what the document's interventions multiply a head's sum of values: 1 without one, 0 where another vector takes its place.
// Those that change the weights do not count. kept_of_head(*trace, "layer.1.", 4): 0 where layer 1's head 4 is taken out.
float kept_of_head(const Trace& trace, const std::string& prefix, std::int64_t head);
std::vector<double> as_doubles(const Tensor& tensor);  // every number, the last axis fastest

// x [d_v], one head's vector, times its rows head d_v .. (head + 1) d_v of W_O [h d_v, d_model]: [d_model], summed in double. x
// itself where the matrix is empty or has no such rows.
// through_output({1, 0}, w_o, 2): row 4 of W_O, the first row of head 2.
std::vector<double> through_output(const std::vector<double>& x, const Tensor& matrix, std::int64_t head);

// length_of({3, 4}) gives 5; cosine_of({1, 0}, {0, 2}) gives 0.
double length_of(const std::vector<double>& x);                                // Euclidean
double cosine_of(const std::vector<double>& a, const std::vector<double>& b);  // NaN where a length is 0 or the sizes differ

}  // namespace headlight
