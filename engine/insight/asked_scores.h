// One token of a trace asks the others: what the Scores view and `headlight scores` show of one head. The six scores of its query
// over the keys (score_rows.h), how far the softmax still moves at each scale, and what the relation of Q, K and V changes.
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

// What asks (Q), what is matched (K) and what is handed on (V): made by one map, by two, or by three.
enum class QkvRelation { one, shared, separate };
inline constexpr std::array kQkvRelations = {QkvRelation::one, QkvRelation::shared, QkvRelation::separate};
const char* name_of(QkvRelation relation);  // "one", "shared", "separate"
// Unknown names are `separate`, what a model usually has.
QkvRelation relation_named(std::string_view name);

struct AskedHead {
  std::string prefix;  // AttentionSite::prefix
  std::int64_t batch = 0, head = 0, query = 0;
};
struct AskedOptions {
  QkvRelation relation = QkvRelation::separate;  // one: the keys are the rows of q, too
  bool masked = false;                           // the model's mask counts; else every token is asked
  double factor = 0;                             // of scaled dot; 0: the model's own, or 1/sqrt(d_k)
};

struct AskedScores {
  AskedHead at;
  ScoreQuestion question;  // s the row of q, h the rows of k: turned by their positions, but not divided by their lengths
  std::vector<ScoreRow>
      rows;  // in the order of compared_scores(), weights of their own drawn by the document's seed where the model has none
  std::vector<double> dots;  // s·h
  // The score of compared_scores() that the model uses; empty: another one. A scaled dot whose scale is 1 is "dot".
  std::string in_use;
  double model_factor = 0;  // what scaled dot is multiplied by where `factor` is 0
  double multiplied = 1;    // what the model multiplies its scores by besides, where they are no scaled dot products
  bool biased = false;      // the model's position adds to its scores what is not counted here
  bool random = false;      // q and k come from random weights
};
// Padding is not asked. Errors: a place that the trace has not (not_found); relation `one` where queries and keys are of two
// texts (invalid); score_rows()'s; the trace's own.
Result<AskedScores> asked_scores(const Trace& trace, const AskedHead& at, const AskedOptions& options,
                                 const CancelToken& cancel = {});

// The row of scaled dot with another factor on s·h.
ScoreRow scaled_row(const AskedScores& asked, double factor);

// The norm of the softmax's Jacobian over the factor on s·h, for the asked row and others of the same head.
struct ScaleCurves {
  std::vector<double> factors;             // from .01 to 10, evenly on a logarithmic axis
  std::vector<std::int64_t> queries;       // whose curves they are: the asked one, then at most kMostOthers spread over the text
  std::vector<std::vector<double>> norms;  // [query][factor]
  bool all = true;                         // every query of the head has a curve
  static constexpr std::int64_t kMostOthers = 24;
};
std::vector<double> scale_factors();  // ScaleCurves::factors
Result<ScaleCurves> scale_curves(const Trace& trace, const AskedHead& at, const AskedOptions& options,
                                 const CancelToken& cancel = {});

// What a relation of Q, K and V costs and does. `one` is shown with the model's map of queries for all three, `shared` with its
// map of keys for values, too.
struct RelatedMap {
  QkvRelation relation = QkvRelation::separate;
  // Not `one`, where queries and keys are of two texts. Without projections only the one that the vectors are themselves.
  bool possible = true;
  std::int64_t maps = 0;      // of a head; 0: the model has no projections
  std::int64_t weights = 0;   // numbers in them, without biases
  std::int64_t from = 0;      // the first token of the map
  Tensor scores;              // f64 [tokens, tokens], factor s·h, of at most kMostTokens around the asked one
  double asymmetry = 0;       // the largest |scores[i, j] - scores[j, i]| of a square map
  std::vector<double> given;  // [d], what the asked query takes away: sum over keys of weight times value
  static constexpr std::int64_t kMostTokens = 48;
};
Result<std::vector<RelatedMap>> related_maps(const Trace& trace, const AskedHead& at, const AskedOptions& options,
                                             const CancelToken& cancel = {});

}  // namespace headlight
