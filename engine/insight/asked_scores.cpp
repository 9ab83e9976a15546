#include "engine/insight/asked_scores.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/attention/masks/combined.h"
#include "engine/attention/scores/score.h"
#include "engine/insight/explain.h"
#include "engine/insight/residual_stream.h"
#include "engine/operations/unit_rows.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;
constexpr int kFactors = 61;

std::int64_t tokens_on(const Trace& trace, bool of_targets, std::int64_t batch) {
  const auto sentences = of_targets ? trace.targets() : trace.texts();
  return batch >= 0 && batch < static_cast<std::int64_t>(sentences.size())
             ? static_cast<std::int64_t>(sentences[static_cast<std::size_t>(batch)].tokens.size())
             : 0;
}

// The cosine's rows of length 1 are made from these; the other scores want them as long as they were.
std::string before_unit_rows(const Trace& trace, const std::string& name) {
  const Step* step = trace.find(name);
  return step && step->computed_by.is<operations::UnitRows>() && !step->inputs.empty() ? step->inputs.front() : name;
}

std::vector<Vector> vectors_of(const Tensor& tensor) {
  const Vector all = as_doubles(tensor);
  const auto columns = static_cast<std::ptrdiff_t>(tensor.dim(1));
  std::vector<Vector> rows;
  for (std::int64_t r = 0; r < tensor.dim(0); ++r) rows.emplace_back(all.begin() + r * columns, all.begin() + (r + 1) * columns);
  return rows;
}

// The rows of one head, without padding.
struct HeadRows {
  const AttentionSite* site = nullptr;
  std::int64_t queries = 0, keys = 0;
  std::vector<Vector> q, k;
  // The weights of a model whose score has some, as in ScoreQuestion.
  Vector general, additive, additive_vector;
  bool located = false;  // its keys are the rows of the location-based score's matrix
  // The model's score is none of the cards': its rows are turned after they were multiplied by its weights.
  bool turned = false;
  bool one_text() const { return site->rows_are_targets == site->columns_are_targets; }
};

bool reads(const Trace& trace, const std::string& name, const std::string& parameter) {
  const Step* const step = trace.find(name);
  return step && std::find(step->inputs.begin(), step->inputs.end(), parameter) != step->inputs.end();
}

// W [d, 2d] of v·tanh(W [s; h]) from the two matrices [d, d] that a model multiplies its rows by from the right.
Vector side_by_side(const Vector& of_query, const Vector& of_key, std::size_t d) {
  Vector both(2 * d * d);
  for (std::size_t r = 0; r < d; ++r)
    for (std::size_t c = 0; c < d; ++c) {
      both[r * 2 * d + c] = of_query[c * d + r];
      both[r * 2 * d + d + c] = of_key[c * d + r];
    }
  return both;
}

Result<HeadRows> head_rows(const Trace& trace, const AskedHead& at) {
  HeadRows rows;
  rows.site = find_site(trace, at.prefix);
  if (!rows.site) return not_found("there is no attention called '{}'", at.prefix);
  rows.queries = tokens_on(trace, rows.site->rows_are_targets, at.batch);
  rows.keys = tokens_on(trace, rows.site->columns_are_targets, at.batch);
  if (at.head < 0 || at.head >= rows.site->heads || at.query < 0 || at.query >= rows.queries || rows.keys == 0)
    return not_found("there is no token {} of head {}, sentence {}", at.query, at.head, at.batch)
        .at(at.prefix)
        .mend("there are {} heads and {} tokens", rows.site->heads, rows.queries);
  std::string asking = before_unit_rows(trace, rows.site->q), matched = before_unit_rows(trace, rows.site->k);
  const scores::Entry* const score = scores::registry().find(trace.document().score);
  rows.located = score && score->located;
  if (score && score->matrix) {
    // Between a query and a key that are not turned the weights are the model's, and s and h the rows before them.
    const std::string w = "parameters." + at.prefix + "w_score", u = "parameters." + at.prefix + "u_score";
    rows.turned = !reads(trace, asking, w) || (score->key_matrix && !reads(trace, matched, u));
    if (!rows.turned) {
      asking = trace.name_at(at.prefix, Role::q);
      matched = score->key_matrix ? trace.name_at(at.prefix, Role::k) : matched;
      HL_ASSIGN(const Tensor of_query, trace.values(w, {}));
      if (score->additive) {
        HL_ASSIGN(const Tensor of_key, trace.values(u, {}));
        HL_ASSIGN(const Tensor vector, trace.values("parameters." + at.prefix + "v_score", {}));
        rows.additive = side_by_side(as_doubles(of_query), as_doubles(of_key), static_cast<std::size_t>(rows.site->d_k));
        rows.additive_vector = as_doubles(vector);
      } else {
        rows.general = as_doubles(of_query);
      }
    }
  }
  HL_ASSIGN(const Tensor q, rows_of(trace, asking, at.batch, at.head, 0, rows.queries));
  const std::int64_t key_head = at.head / (rows.site->heads / rows.site->kv_heads);
  HL_ASSIGN(const Tensor k, rows_of(trace, matched, at.batch, key_head, 0, rows.keys));
  rows.q = vectors_of(q);
  rows.k = vectors_of(k);
  return rows;
}

// What one query asks.
Result<ScoreQuestion> question_of(const Trace& trace, const HeadRows& rows, const AskedHead& at, std::int64_t query,
                                  const AskedOptions& options) {
  if (options.relation == QkvRelation::one && !rows.one_text())
    return invalid("Q = K = V needs queries and keys of one text, and these are of two")
        .at(at.prefix)
        .mend("choose another relation");
  ScoreQuestion question;
  question.s = rows.q[static_cast<std::size_t>(query)];
  question.h = options.relation == QkvRelation::one ? rows.q : rows.k;
  if (options.masked && !rows.site->mask.mask.empty())
    for (std::int64_t key = 0; key < rows.keys; ++key)
      question.visible.push_back(masks::allows(rows.site->mask.mask, at.batch, at.head, query, key) ? 1 : 0);
  question.general = rows.general;
  question.additive = rows.additive;
  question.additive_vector = rows.additive_vector;
  if (rows.located)
    for (const Vector& place : rows.k) question.location.insert(question.location.end(), place.begin(), place.end());
  question.temperature = trace.document().temperature;
  question.seed = trace.document().seed;
  // The scale of a document counts where its score is a scaled one; of another it is what Vaswani et al. divide by.
  const bool own = trace.document().score == "scaled_dot" && rows.site->scale != 1.0;
  question.factor = options.factor > 0 ? options.factor : own ? rows.site->scale : 0;
  return question;
}

Vector dots_of(const ScoreQuestion& question) { return compared_scores().find("dot")->scores(question); }

// sum over keys of weight times value.
Vector weighted_sum(const Vector& weights, const std::vector<Vector>& values) {
  Vector sum(values.empty() ? 0 : values.front().size(), 0.0);
  for (std::size_t j = 0; j < values.size(); ++j)
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += weights[j] * values[j][c];
  return sum;
}

// The scores of a stretch of the text among itself, and how far they are from being the same both ways.
void fill_map(RelatedMap& map, const std::vector<Vector>& q, const std::vector<Vector>& k, double factor, std::int64_t from_key) {
  const auto rows = std::min(static_cast<std::int64_t>(q.size()) - map.from, RelatedMap::kMostTokens),
             columns = std::min(static_cast<std::int64_t>(k.size()) - from_key, RelatedMap::kMostTokens);
  map.scores = Tensor(DType::f64, {rows, columns}, {"query", "key"});
  double* const out = map.scores.data<double>();
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      const Vector &a = q[static_cast<std::size_t>(map.from + i)], &b = k[static_cast<std::size_t>(from_key + j)];
      double dot = 0;
      for (std::size_t c = 0; c < a.size(); ++c) dot += a[c] * b[c];
      out[i * columns + j] = factor * dot;
    }
  for (std::int64_t i = 0; i < rows && rows == columns; ++i)
    for (std::int64_t j = 0; j < i; ++j)
      map.asymmetry = std::max(map.asymmetry, std::abs(out[i * columns + j] - out[j * columns + i]));
}

}  // namespace

const char* name_of(QkvRelation relation) {
  switch (relation) {
    case QkvRelation::one: return "one";
    case QkvRelation::shared: return "shared";
    case QkvRelation::separate: return "separate";
  }
  return "";
}

QkvRelation relation_named(std::string_view name) {
  for (const QkvRelation relation : kQkvRelations)
    if (name == name_of(relation)) return relation;
  return QkvRelation::separate;
}

Result<AskedScores> asked_scores(const Trace& trace, const AskedHead& at, const AskedOptions& options,
                                 const CancelToken& cancel) {
  HL_ASSIGN(const HeadRows rows, head_rows(trace, at));
  if (cancel.cancelled()) return cancelled();
  AskedScores asked;
  asked.at = at;
  HL_ASSIGN(asked.question, question_of(trace, rows, at, at.query, options));
  HL_ASSIGN(asked.rows, score_rows(asked.question));
  asked.dots = dots_of(asked.question);
  ScoreQuestion own = asked.question;
  own.factor = 0;
  const std::string& score = trace.document().score;
  const bool is_dot = score == "scaled_dot" && rows.site->scale == 1.0;
  asked.model_factor = score == "scaled_dot" && !is_dot ? rows.site->scale : own.used_factor();
  asked.in_use = is_dot ? "dot" : compared_scores().find(score) && !rows.turned ? score : "";
  if (asked.in_use != "scaled_dot") asked.multiplied = rows.site->scale;
  asked.biased = !rows.site->bias.empty();
  if (const Step* step = trace.step_at(at.prefix, Role::weights)) asked.random = step->origin == Origin::random;
  return asked;
}

ScoreRow scaled_row(const AskedScores& asked, double factor) {
  ScoreRow row;
  row.id = "scaled_dot";
  row.scores = asked.dots;
  for (double& one : row.scores) one *= factor;
  row.weights = softmax_of(row.scores, asked.question.visible, asked.question.temperature);
  row.entropy = entropy_of(row.weights);
  for (std::size_t j = 0; j < row.scores.size(); ++j)
    if (asked.question.sees(j)) row.largest = std::max(row.largest, std::abs(row.scores[j]));
  return row;
}

std::vector<double> scale_factors() {
  std::vector<double> factors;
  for (int i = 0; i < kFactors; ++i) factors.push_back(std::pow(10.0, -2 + 3.0 * i / (kFactors - 1)));
  return factors;
}

Result<ScaleCurves> scale_curves(const Trace& trace, const AskedHead& at, const AskedOptions& options,
                                 const CancelToken& cancel) {
  HL_ASSIGN(const HeadRows rows, head_rows(trace, at));
  ScaleCurves curves;
  curves.factors = scale_factors();
  curves.queries = {at.query};
  const std::int64_t others = rows.queries - 1;
  curves.all = others <= ScaleCurves::kMostOthers;
  const std::int64_t taken = std::min(others, ScaleCurves::kMostOthers);
  for (std::int64_t n = 0; n < taken; ++n) {
    const std::int64_t other = n * others / taken;  // among the others
    curves.queries.push_back(other < at.query ? other : other + 1);
  }
  for (const std::int64_t query : curves.queries) {
    if (cancel.cancelled()) return cancelled();
    HL_ASSIGN(const ScoreQuestion question, question_of(trace, rows, at, query, options));
    curves.norms.push_back(jacobian_norms(dots_of(question), question.visible, question.temperature, curves.factors));
  }
  return curves;
}

Result<std::vector<RelatedMap>> related_maps(const Trace& trace, const AskedHead& at, const AskedOptions& options,
                                             const CancelToken& cancel) {
  HL_ASSIGN(const HeadRows rows, head_rows(trace, at));
  const std::int64_t key_head = at.head / (rows.site->heads / rows.site->kv_heads);
  // What is handed on is not turned by its position, as what is matched may be.
  const auto plain = [&](Role role, std::int64_t head, std::int64_t count) {
    return rows_of(trace, trace.name_at(at.prefix, role), at.batch, head, 0, count);
  };
  HL_ASSIGN(const Tensor v, plain(Role::v, key_head, rows.keys));
  HL_ASSIGN(const Tensor k, plain(Role::k, key_head, rows.keys));
  HL_ASSIGN(const Tensor q, plain(Role::q, at.head, rows.queries));
  const bool projected = trace.document().projected;
  std::vector<RelatedMap> maps;
  for (const QkvRelation relation : kQkvRelations) {
    if (cancel.cancelled()) return cancelled();
    RelatedMap map;
    map.relation = relation;
    map.maps = !projected ? 0 : relation == QkvRelation::one ? 1 : relation == QkvRelation::shared ? 2 : 3;
    map.weights = map.maps * trace.document().d_model * rows.site->d_k;
    map.possible = relation != QkvRelation::one || rows.one_text();
    if (!projected) map.possible = relation == (rows.one_text() ? QkvRelation::one : QkvRelation::shared);
    // A model whose keys are its values, or its queries, has no projections that could be told apart.
    if (projected && relation > relation_named(trace.document().qkv) && !(relation == QkvRelation::shared && !rows.one_text()))
      map.possible = false;
    if (map.possible) {
      AskedOptions with = options;
      with.relation = relation;
      HL_ASSIGN(const ScoreQuestion question, question_of(trace, rows, at, at.query, with));
      map.from = std::clamp<std::int64_t>(at.query - RelatedMap::kMostTokens / 2, 0,
                                          std::max<std::int64_t>(0, rows.queries - RelatedMap::kMostTokens));
      fill_map(map, rows.q, question.h, question.used_factor(), rows.one_text() ? map.from : 0);
      const Vector weights =
          softmax_of(compared_scores().find("scaled_dot")->scores(question), question.visible, question.temperature);
      map.given = weighted_sum(weights, vectors_of(relation == QkvRelation::one ? q : relation == QkvRelation::shared ? k : v));
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

}  // namespace headlight
