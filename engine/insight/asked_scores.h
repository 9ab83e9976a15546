// One token of a trace asks the others: the numbers of the Scores view and of `headlight scores` for one head. They are the six
// scores of the token's query over the keys (score_rows.h), the softmax's sensitivity at each scale, and the effect of the
// relation of Q, K and V.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/insight/score_rows.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// The number of maps that make Q (the asking vectors), K (the matched ones) and V (the ones handed on): one, two or three.
enum class QkvRelation { one, shared, separate };
inline constexpr std::array kQkvRelations = {QkvRelation::one, QkvRelation::shared, QkvRelation::separate};
const char* name_of(QkvRelation relation);  // "one", "shared", "separate"
// An unknown name gives `separate`, the relation that most models have.
QkvRelation relation_named(std::string_view name);

// The asking token: row `query` of one head in sentence `batch`.
struct AskedHead {
  std::string prefix;  // AttentionSite::prefix
  std::int64_t batch = 0, head = 0, query = 0;
};
struct AskedOptions {
  QkvRelation relation = QkvRelation::separate;  // one: the rows of q serve as keys, too
  bool masked = false;                           // true: the model's mask hides keys; false: every token is asked
  double factor = 0;                             // of scaled dot; 0: the model's own factor, or 1/sqrt(d_k)
};

// The answer to one question: six rows of scores, and the model's own way to score.
struct AskedScores {
  AskedHead at;
  // s is the query's row of q, h the rows of k. Both are turned by their positions, but not divided by their lengths.
  ScoreQuestion question;
  // In the order of compared_scores(). Where the model lacks a score's weights, the document's seed draws them.
  std::vector<ScoreRow> rows;
  std::vector<double> dots;  // s·h
  // The id of the score in compared_scores() that the model uses; empty: the model uses another score. A scaled dot whose scale
  // is 1 is "dot".
  std::string in_use;
  double model_factor = 0;  // the model's factor on s·h in scaled dot
  double multiplied = 1;    // the model's factor on its scores where `in_use` is not "scaled_dot"
  bool biased = false;      // the model's position adds numbers to its scores, which are left out here
  bool random = false;      // q and k come from random weights
};
// Padding is not asked. Errors: a place that the trace lacks (not_found); relation `one` where queries and keys belong to two
// texts (invalid); the errors of score_rows() and of the trace.
// asked_scores(*trace, {"layer.0.", 0, 2, 5}, {}): head 2 of layer 0 scores every token against the sixth one.
Result<AskedScores> asked_scores(const Trace& trace, const AskedHead& at, const AskedOptions& options,
                                 const CancelToken& cancel = {});

// The row of scaled dot with another factor on s·h.
// scaled_row(asked, 1): its scores are asked.dots.
ScoreRow scaled_row(const AskedScores& asked, double factor);

// The norm of the softmax's Jacobian as a curve over the factor on s·h, one curve for each of some queries of a head.
struct ScaleCurves {
  std::vector<double> factors;             // 61 numbers from .01 to 10, evenly on a logarithmic axis
  std::vector<std::int64_t> queries;       // the asked query first, then at most kMostOthers spread over the text
  std::vector<std::vector<double>> norms;  // [query][factor]
  bool all = true;                         // every query of the head has a curve
  static constexpr std::int64_t kMostOthers = 24;
};
std::vector<double> scale_factors();  // ScaleCurves::factors
// Errors: those of asked_scores().
// scale_curves(*trace, {"layer.0.", 0, 2, 5}, {}): norms[0] is the curve of query 5, norms[0][60] its norm at factor 10.
Result<ScaleCurves> scale_curves(const Trace& trace, const AskedHead& at, const AskedOptions& options,
                                 const CancelToken& cancel = {});

// Cost and effect of one relation of Q, K and V. `one` takes the model's map of queries for all three, and `shared` takes its map
// of keys for the values as well.
struct RelatedMap {
  QkvRelation relation = QkvRelation::separate;
  // false: the model cannot show this relation. `one` needs queries and keys of one text. A model without projections has only
  // the relation that its vectors themselves have, and a model whose Q, K and V share maps has no relation with more maps.
  bool possible = true;
  std::int64_t maps = 0;      // maps of one head; 0: the model has no projections
  std::int64_t weights = 0;   // numbers in these maps, without biases
  std::int64_t from = 0;      // the first token of `scores`
  Tensor scores;              // f64 [tokens, tokens], factor s·h, of at most kMostTokens tokens around the asked one
  double asymmetry = 0;       // the largest |scores[i, j] - scores[j, i]| of a square map
  std::vector<double> given;  // [d], the vector that the asked query receives: sum over keys of weight times value
  static constexpr std::int64_t kMostTokens = 48;
};
// One map for each of kQkvRelations, in their order. Errors: those of asked_scores().
// related_maps(*trace, {"layer.0.", 0, 2, 5}, {}): [2] is the model's own relation, if its Q, K and V have separate maps.
Result<std::vector<RelatedMap>> related_maps(const Trace& trace, const AskedHead& at, const AskedOptions& options,
                                             const CancelToken& cancel = {});

}  // namespace headlight
