#include "engine/operations/isdpa_cost.h"

#include <algorithm>

#include "engine/operations/isdpa_rules.h"

namespace headlight::operations {
namespace {

double f(std::int64_t x) { return static_cast<double>(x); }

// Per cell of the scores: scale, mask, maximum, subtract, exp, sum, divide.
constexpr double kSoftmaxCell = 7;

}  // namespace

double isdpa_flops(const Isdpa& op, bool tables_ready) {
  const double W = f(op.words), l = f(op.length), d = f(op.d);
  // Of a large vocabulary only the symbols that occur are projected, unless their rows are kept for other words. The number that
  // occurs is the expected one for words drawn uniformly, as the benchmark's are.
  const double occur = expected_distinct(f(op.vocabulary), W * l);
  const bool few = !op.cached && op.vocabulary > op.length && occur <= 0.75 * f(op.vocabulary);
  const double rows = (few ? occur : f(op.vocabulary)) + l;
  Isdpa as_projected = op;
  if (few) as_projected.vocabulary = static_cast<std::int64_t>(occur);
  const bool by_table = makes_table(as_projected);
  const bool scores = op.keep_terms || op.keep_qk || op.keep_score || op.keep_result;
  const bool pools = op.keep_score || op.keep_result;
  const double heads = f(op.heads);
  const double softmax = pools ? heads * W * l * l * (kSoftmaxCell + 1) : 0;
  if (op.method == Isdpa::Method::index) {
    const double projections =
        (op.keep_q || scores ? 1 : 0) + (op.keep_k || scores ? 1 : 0) + (op.keep_v || op.keep_result ? 1 : 0);
    // Either a table of all scores or the words' own scores, computed in every call; kept tables cost nothing here.
    const double tables = projections * 2 * rows * d * d + (scores && by_table ? 2 * rows * rows * d : 0);
    const double own_scores = scores && !by_table ? 2 * W * l * l * d : 0;
    const double kept = (op.keep_q + op.keep_k + op.keep_v) * W * l * d;
    // With few symbols one product with the pooled weights; with many, each word's own 2 l rows.
    const double pooled = 2 * W * d * (rows <= 8 * l ? rows : 2 * l);
    const double values = !op.keep_result ? 0 : op.pooled ? pooled : W * l * d + 2 * W * l * l * d;
    return (tables_ready ? 0 : tables) + own_scores + (scores ? 3 * heads * W * l * l : 0) + softmax + kept + values;
  }
  using Method = Isdpa::Method;
  if (Isdpa::is_shortcut(op.method) && op.method != Method::direct_attention) {
    const bool folded = Isdpa::is_folded(op.method), distinct = op.method != Method::direct_folded;
    // The number of different (symbol, position) pairs is the expected one for words drawn uniformly; W symbols are drawn at each
    // position.
    const double projected = (distinct ? expected_distinct(f(op.vocabulary), W) : W) * l;
    // With fixed weights the folded product is kept, and the projected rows are, too.
    const double fold = folded && !tables_ready ? 2 * d * d * d : 0;
    const double matrices = (folded ? 1 : 2) + (op.pooled || !op.keep_result ? 0 : 1);
    const double project = tables_ready && keeps_every_pair(op) ? 0 : projected * d + matrices * 2 * projected * d * d;
    const double values = !op.keep_result ? 0 : op.pooled ? heads * 2 * W * l * d + 2 * W * d * d : 2 * W * l * l * d;
    return fold + project + 2 * W * l * l * d + softmax + values;
  }
  if (op.method == Method::direct_attention && op.keep_result)
    return W * l * d + 6 * W * l * d * d + 4 * W * l * l * d + softmax + (op.pooled ? 2 * W * l * d : 0);
  const bool pooled_first = op.method == Method::direct_pooled;
  const double projections =
      (op.keep_q || scores ? 1 : 0) + (op.keep_k || scores ? 1 : 0) + (op.keep_v || (op.keep_result && !pooled_first) ? 1 : 0);
  // P's own projections, made once for all words, and one sum more for each projection; pooled first, P is weighted apart.
  const double by_position = projections + (pooled_first && op.keep_result ? 1 : 0);
  const double own_positions = !op.separate_position_weights
                                   ? 0
                                   : (tables_ready ? 0 : by_position * 2 * l * d * d) + (projections - 1) * W * l * d +
                                         (pooled_first && op.keep_result ? 2 * W * l * d : 0);
  return own_positions + W * l * d + projections * 2 * W * l * d * d + (scores ? 2 * W * l * l * d : 0) + softmax +
         (op.keep_result ? (op.pooled ? 1 : l) * (pooled_first ? heads : 1) * 2 * W * l * d + (pooled_first ? 2 * W * d * d : 0)
                         : 0);
}

double isdpa_untouched(const Isdpa& op, bool tables_ready, double size) {
  const double n = f(op.vocabulary), d = f(op.d), rows = n + f(op.length);
  if (op.method != Isdpa::Method::index || !tables_ready)
    return size * d * (n - std::min(n, expected_distinct(n, f(op.words) * f(op.length))));
  const bool scores = op.keep_terms || op.keep_qk || op.keep_score || op.keep_result;
  const double kept_rows = (op.keep_q ? 1 : 0) + (op.keep_k ? 1 : 0) + (op.keep_v || op.keep_result ? 1 : 0);
  const double weights = (op.separate_position_weights ? 6 : 3) * d * d;
  // From a large table only the words' own scores are read.
  const double table = scores ? f(op.heads) * std::min(rows * rows, 4 * f(op.words) * f(op.length) * f(op.length)) : 0;
  return size * (rows * d + weights - table -
                 kept_rows * d * std::min(rows, expected_distinct(n, f(op.words) * f(op.length)) + f(op.length)));
}

}  // namespace headlight::operations
