// explain: the computation behind one attention cell, or one token, written out with its real numbers. Every number is computed
// again in double from the trace's q, k and v, and shown beside the trace's own number. The inspector draws the explanation, and
// it can be copied as text; no window is needed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"
#include "engine/insight/explanation.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct CellAddress {
  std::string prefix;  // AttentionSite::prefix: "layer.0.", "decoder.layer.1.cross."
  std::int64_t batch = 0, head = 0, query = 0, key = 0;
  bool operator==(const CellAddress&) const = default;
};

struct CellExplanation {
  CellAddress cell;
  std::int64_t layer = 0;
  std::string query_label, key_label;  // the tokens' display texts; "[PAD]" beyond the sentence

  // 1  dot = sum over d of products[d], products[d] = q_d k_d; d = 1..d_k. An additive score has v in `q` and tanh(q + k) in `k`.
  std::vector<double> q, k;
  std::vector<double> products;
  double dot = 0;
  double dot_in_trace = 0;
  // 2  scaled = dot * scale; `bias` is the number that a position adds to `scaled`
  double scale = 1, scaled = 0, bias = 0;
  // 3  whether each mask allows this cell, and why
  struct MaskSays {
    std::string id;  // "causal"
    bool allows = true;
    std::string words;                // "key 5 > query 3: causal forbids"
    std::string pattern;              // "key {} > query {}: causal forbids"
    std::vector<std::string> values;  // 5, 3
  };
  std::vector<MaskSays> masks;
  bool visible = true;
  double masked = 0;  // scaled + bias, or the fill (-inf or -1e9)
  // 4  softmax over the row: weight_j = exp((masked_j - largest) / T) / sum
  struct Term {
    std::int64_t key = 0;
    std::string label;
    bool visible = true;
    double exponent = 0;  // (masked_j - largest) / T
    double weight = 0;
  };
  std::vector<Term> row;  // every key, in order
  double largest = 0, sum_of_exponentials = 0, temperature = 1, weight = 0, weight_in_trace = 0, row_sum = 0;
  bool row_fully_masked = false;
  bool weights_replaced = false;  // by an intervention: the row's weights are not the softmax of its scores
  // 5  the cell's part of the query's new vector: delta = weight * v W_O(head) over d_model; without an output matrix weight * v.
  // E is the query's vector that the attention's result is added to. Without a residual sum E is the vector that the attention
  // reads.
  std::vector<double> value;  // v of the key, d_v
  std::vector<double> delta;
  std::vector<double> row_delta;  // the sum of the row's deltas: the vector that this head adds to the query
  double delta_norm = 0, delta_cosine = 0, row_delta_norm = 0, row_delta_cosine = 0;  // cosines with E; NaN where a norm is 0
  std::string residual_step;  // the step of E: "input", "layer.0.mlp_residual"; empty if there is none
  bool random_weights = false;

  std::vector<ExplainSection> sections;  // all numbers above in words, in order
};

// Errors: a prefix that names no attention, indices outside it (not_found), or the trace's own errors.
// explain_cell(*trace, {"layer.0.", 0, 2, 5, 3}): how head 2 of layer 0 gets the weight of query 5 on key 3.
Result<CellExplanation> explain_cell(const Trace& trace, const CellAddress& cell);

// The cell with the largest weight of a head, among the rows of tokens (not padding) that see at least two keys. If no row sees
// two keys, every row counts. Of equal cells the first is taken.
// strongest_cell(*trace, "layer.0.", 0, 2): the strongest cell of head 2 in the first sentence.
Result<CellAddress> strongest_cell(const Trace& trace, const std::string& prefix, std::int64_t batch, std::int64_t head);

// How one token becomes the vector that enters the first layer.
struct TokenExplanation {
  std::string label, piece;
  std::int32_t id = 0;
  std::int64_t position = 0, start = 0, end = 0;        // bytes [start, end) of the text
  std::string bytes;                                    // "66 6c 75"; empty for a token that stands for no text
  std::vector<double> embedding, position_code, input;  // whole vectors, d_model; position_code is empty if no position is added
  bool random_weights = false;
  std::vector<ExplainSection> sections;
};
// Token `index` of sentence `batch` of the texts or, if `of_targets`, of the targets.
// explain_token(*trace, false, 0, 2): the third token of the first text.
Result<TokenExplanation> explain_token(const Trace& trace, bool of_targets, std::int64_t batch, std::int64_t index);

// Title line, then the sections, as plain text for the clipboard.
std::string to_text(const CellExplanation& explanation);
std::string to_text(const TokenExplanation& explanation);
// The same as LaTeX. A comment in it names the package that the document needs, amsmath.
std::string to_latex(const CellExplanation& explanation);
std::string to_latex(const TokenExplanation& explanation);

// The label of the token of a site's row (query) or column (key); "[PAD]" beyond the sentence's end.
// query_label(*trace, site, 0, 1) of "man bites dog" in whole words gives "bites".
std::string query_label(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t query);
std::string key_label(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t key);
// The attention with this prefix; null: the trace has no such attention. find_site(*trace, "layer.0.") is the first layer's
// attention.
const AttentionSite* find_site(const Trace& trace, std::string_view prefix);

}  // namespace headlight
