// What explanations of single cells and sums of whole rows both read: where an attention stands in the residual stream, parts
// of its steps as numbers in double, and what its output matrix makes of one head's vector.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// The steps around an attention, by what they name as their inputs; a name is empty where the model has no such step.
struct ResidualPlace {
  std::string before;     // [B, L, d_model]: what the attention's result is added to, or without a residual sum is made from
  std::string output;     // [B, L, d_model]: what attention adds: "attention_output", or "concat" without an output matrix
  std::string after;      // [B, L, d_model]: the sum of the two
  std::string matrix;     // the parameter W_O [h d_v, d_model]
  bool mixes = false;     // the heads become one through tanh (2-D stack): what a single head adds cannot be told
  bool replaces = false;  // there is no residual sum: the output takes the place of `before`
};
// What is said where single heads' shares are asked for and ResidualPlace::mixes.
Error heads_are_mixed(const AttentionSite& site);
ResidualPlace residual_place(const Trace& trace, const AttentionSite& site);

// Rows [row, row + rows) of one sentence and head of a step, [rows, columns]; rows -1: to the end. Errors: the trace's own.
Result<Tensor> rows_of(const Trace& trace, const std::string& step, std::int64_t batch, std::int64_t head, std::int64_t row,
                       std::int64_t rows);
// What the site's position adds to the scaled scores of one query, by key; empty where it adds nothing. Errors: the trace's own.
Result<std::vector<double>> bias_row(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                                     std::int64_t query);
// The values [keys, d_v] that the weights of one query weigh, the last axis fastest: the rows of v, and with relative positions
// v_j + a^V of the distance from the query. Errors: the trace's own.
Result<std::vector<double>> values_of_query(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                                            std::int64_t query);
std::vector<double> as_doubles(const Tensor& tensor);  // every number, the last axis fastest

// x [d_v], one head's vector, times its rows head d_v .. (head + 1) d_v of W_O [h d_v, d_model]: [d_model], summed in double.
// x itself where the matrix is empty or has no such rows.
std::vector<double> through_output(const std::vector<double>& x, const Tensor& matrix, std::int64_t head);

double length_of(const std::vector<double>& x);                                // Euclidean
double cosine_of(const std::vector<double>& a, const std::vector<double>& b);  // NaN where a length is 0 or the sizes differ

}  // namespace headlight
