#include "engine/insight/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/attention/masks/combined.h"
#include "engine/insight/explain_parts.h"
#include "engine/insight/residual_stream.h"
#include "engine/operations/replace_pattern.h"

namespace headlight {
namespace {

std::string explain_label_of(std::span<const Sentence> sentences, std::int64_t batch, std::int64_t index) {
  if (batch < 0 || batch >= static_cast<std::int64_t>(sentences.size())) return "[PAD]";
  const Sentence& sentence = sentences[static_cast<std::size_t>(batch)];
  return index >= 0 && index < static_cast<std::int64_t>(sentence.labels.size())
             ? sentence.labels[static_cast<std::size_t>(index)]
             : "[PAD]";
}

Result<double> cell_of(const Trace& trace, const std::string& step, const CellAddress& cell) {
  Trace::Tile tile;
  tile.batch = cell.batch;
  tile.head = cell.head;
  tile.row = cell.query;
  tile.rows = 1;
  tile.column = cell.key;
  tile.columns = 1;
  HL_ASSIGN(const Tensor one, trace.tile(step, tile));
  return one.at({0, 0});
}

// The two factors of each product that makes the score of a query and its keys: q and k, or v and tanh(q + k).
struct Factors {
  std::vector<double> q, k;  // [d_k], [keys, d_k]
  std::vector<double> v;     // [d_k] of an additive score, else empty
  std::vector<double> left() const { return v.empty() ? q : v; }
  std::vector<double> right(std::size_t key) const {
    const auto first = k.begin() + static_cast<std::ptrdiff_t>(key * q.size());
    std::vector<double> row(first, first + static_cast<std::ptrdiff_t>(q.size()));
    if (!v.empty())
      for (std::size_t d = 0; d < row.size(); ++d) row[d] = std::tanh(q[d] + row[d]);
    return row;
  }
  double score(std::size_t key) const {
    const std::vector<double> a = left(), b = right(key);
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }
};

// The row of the cell from its query, all keys and the row's bias [keys] or none: masked scores, and their softmax in double.
void fill_row(const Trace& trace, const AttentionSite& site, const Factors& factors, const std::vector<double>& bias,
              CellExplanation& e) {
  const double fill = explaining::fill_of(trace.document());
  const std::size_t keys = static_cast<std::size_t>(site.keys), key = static_cast<std::size_t>(e.cell.key);
  std::vector<double> masked(keys);
  bool any_visible = false;
  e.row.resize(keys);
  for (std::size_t j = 0; j < keys; ++j) {
    CellExplanation::Term& term = e.row[j];
    term.key = static_cast<std::int64_t>(j);
    term.label = key_label(trace, site, e.cell.batch, term.key);
    term.visible = masks::allows(site.mask.mask, e.cell.batch, e.cell.head, e.cell.query, term.key);
    any_visible |= term.visible;
    masked[j] = term.visible ? explaining::scaled_score(site, factors.score(j)) : fill;
    if (term.visible && !bias.empty()) masked[j] += bias[j];
  }
  e.row_fully_masked = !any_visible;
  e.visible = e.row[key].visible;
  e.masked = masked[key];
  e.largest = *std::max_element(masked.begin(), masked.end());
  // Softmax, with the largest score subtracted first; a row of only -inf is defined as all zeros.
  for (std::size_t j = 0; j < keys; ++j) {
    e.row[j].exponent =
        std::isinf(e.largest) ? -std::numeric_limits<double>::infinity() : (masked[j] - e.largest) / e.temperature;
    e.row[j].weight = std::exp(e.row[j].exponent);
    e.sum_of_exponentials += e.row[j].weight;
  }
  for (auto& term : e.row) {
    term.weight = e.sum_of_exponentials > 0 ? term.weight / e.sum_of_exponentials : 0.0;
    e.row_sum += term.weight;
  }
  e.weight = e.row[key].weight;
}

// Where an intervention replaces the head's weights, the row's are those that the trace holds.
Status take_replaced(const Trace& trace, CellExplanation& e) {
  const Step* const weights = trace.step_at(e.cell.prefix, Role::weights);
  if (!weights || !weights->computed_by.is<operations::ReplacePattern>()) return {};
  HL_ASSIGN(const Tensor row, rows_of(trace, weights->name, e.cell.batch, e.cell.head, e.cell.query, 1));
  const std::vector<double> used = as_doubles(row);
  e.row_sum = 0;
  for (std::size_t j = 0; j < e.row.size(); ++j) {
    e.weights_replaced |= std::abs(e.row[j].weight - used[j]) > 1e-6;
    e.row[j].weight = used[j];
    e.row_sum += used[j];
  }
  e.weight = e.row[static_cast<std::size_t>(e.cell.key)].weight;
  return {};
}

// What the cell and its row add to the query's vector, from all values v [keys, d_v].
Status fill_delta(const Trace& trace, const AttentionSite& site, const std::vector<double>& v, CellExplanation& e) {
  const std::size_t keys = static_cast<std::size_t>(site.keys), key = static_cast<std::size_t>(e.cell.key);
  const std::size_t d_v = keys ? v.size() / keys : 0;
  const ResidualPlace place = residual_place(trace, site);
  Tensor matrix;
  if (!place.matrix.empty()) {
    HL_ASSIGN(matrix, trace.values(place.matrix));
    matrix = matrix.compact();
  }
  e.value.assign(v.begin() + static_cast<std::ptrdiff_t>(key * d_v), v.begin() + static_cast<std::ptrdiff_t>((key + 1) * d_v));
  std::vector<double> weighted(d_v), whole(d_v, 0.0);
  for (std::size_t c = 0; c < d_v; ++c) {
    weighted[c] = e.weight * e.value[c];
    for (std::size_t j = 0; j < keys; ++j) whole[c] += e.row[j].weight * v[j * d_v + c];
  }
  e.delta = through_output(weighted, matrix, e.cell.head);
  e.row_delta = through_output(whole, matrix, e.cell.head);
  e.delta_norm = length_of(e.delta);
  e.row_delta_norm = length_of(e.row_delta);
  e.residual_step = place.before;
  e.delta_cosine = e.row_delta_cosine = std::numeric_limits<double>::quiet_NaN();
  if (!e.residual_step.empty()) {
    HL_ASSIGN(const Tensor stream, trace.values(e.residual_step));
    if (stream.rank() == 3 && e.cell.batch < stream.dim(0) && e.cell.query < stream.dim(1)) {
      const std::vector<double> residual = as_doubles(stream.select(0, e.cell.batch).select(0, e.cell.query));
      e.delta_cosine = cosine_of(e.delta, residual);
      e.row_delta_cosine = cosine_of(e.row_delta, residual);
    }
  }
  return {};
}

}  // namespace

std::string query_label(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t query) {
  return explain_label_of(site.rows_are_targets ? trace.targets() : trace.texts(), batch, query);
}
std::string key_label(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t key) {
  return explain_label_of(site.columns_are_targets ? trace.targets() : trace.texts(), batch, key);
}

const AttentionSite* find_site(const Trace& trace, std::string_view prefix) {
  for (const AttentionSite& site : trace.sites())
    if (site.prefix == prefix) return &site;
  return nullptr;
}

Result<CellExplanation> explain_cell(const Trace& trace, const CellAddress& cell) {
  const AttentionSite* site = find_site(trace, cell.prefix);
  if (!site) return not_found("there is no attention called '{}'", cell.prefix);
  const auto batch = static_cast<std::int64_t>(trace.texts().size());
  if (cell.batch < 0 || cell.batch >= batch || cell.head < 0 || cell.head >= site->heads || cell.query < 0 ||
      cell.query >= site->queries || cell.key < 0 || cell.key >= site->keys)
    return not_found("there is no cell ({}, {}) of head {}, sentence {}", cell.query, cell.key, cell.head, cell.batch)
        .at(cell.prefix)
        .mend("there are {} sentences, {} heads, {} queries and {} keys", batch, site->heads, site->queries, site->keys);
  CellExplanation e;
  e.cell = cell;
  e.layer = site->layer;
  e.query_label = query_label(trace, *site, cell.batch, cell.query);
  e.key_label = key_label(trace, *site, cell.batch, cell.key);

  // The head of k and v that this query head reads.
  const std::int64_t of_keys = cell.head / std::max<std::int64_t>(1, site->heads / std::max<std::int64_t>(1, site->kv_heads));
  HL_ASSIGN(const Tensor q_row, rows_of(trace, site->q, cell.batch, cell.head, cell.query, 1));
  HL_ASSIGN(const Tensor k_rows, rows_of(trace, site->k, cell.batch, of_keys, 0, -1));
  HL_ASSIGN(e.dot_in_trace, cell_of(trace, trace.name_at(cell.prefix, Role::scores), cell));
  HL_ASSIGN(e.weight_in_trace, cell_of(trace, trace.name_at(cell.prefix, Role::weights), cell));
  Factors factors{as_doubles(q_row), as_doubles(k_rows), {}};
  if (!site->score_vector.empty()) {
    HL_ASSIGN(const Tensor vector, trace.values(site->score_vector));
    factors.v = as_doubles(vector);
  }
  HL_ASSIGN(const std::vector<double> v, values_of_query(trace, *site, cell.batch, cell.head, cell.query));
  const std::size_t d = factors.q.size();

  const Document& document = trace.document();
  e.temperature = document.temperature;
  e.scale = site->scale;
  const auto key = static_cast<std::size_t>(cell.key);

  e.q = factors.left();
  e.k = factors.right(key);
  e.products.resize(d);
  for (std::size_t i = 0; i < d; ++i) e.products[i] = e.q[i] * e.k[i];
  e.dot = std::accumulate(e.products.begin(), e.products.end(), 0.0);
  e.scaled = explaining::scaled_score(*site, e.dot);
  for (const masks::Part& part : site->mask.parts)
    e.masks.push_back(explaining::mask_says(part, site->mask, cell.batch, cell.head, cell.query, cell.key));

  HL_ASSIGN(const std::vector<double> bias, bias_row(trace, *site, cell.batch, cell.head, cell.query));
  if (!bias.empty()) e.bias = bias[key];
  fill_row(trace, *site, factors, bias, e);
  HL_TRY(take_replaced(trace, e));
  HL_TRY(fill_delta(trace, *site, v, e));
  if (const Step* step = trace.step_at(cell.prefix, Role::weights)) e.random_weights = step->origin == Origin::random;
  explaining::write_cell(trace, e, *site);
  return e;
}

Result<CellAddress> strongest_cell(const Trace& trace, const std::string& prefix, std::int64_t batch, std::int64_t head) {
  const AttentionSite* site = find_site(trace, prefix);
  if (!site) return not_found("there is no attention called '{}'", prefix);
  Trace::Tile tile;
  tile.batch = batch;
  tile.head = head;
  HL_ASSIGN(const Tensor weights, trace.tile(trace.name_at(prefix, Role::weights), tile));
  const Tensor wide = weights.as(DType::f32).compact();
  CellAddress best{prefix, batch, head, 0, 0};
  if (wide.count() == 0) return not_found("this attention has no cells").at(prefix);
  const auto sentences = site->rows_are_targets ? trace.targets() : trace.texts();
  const std::int64_t rows =
      batch < static_cast<std::int64_t>(sentences.size())
          ? std::min(wide.dim(0), static_cast<std::int64_t>(sentences[static_cast<std::size_t>(batch)].tokens.size()))
          : wide.dim(0);
  const float* values = wide.data<float>();
  const auto search = [&](bool with_choice) {
    float largest = -1;
    for (std::int64_t i = 0; i < (with_choice ? rows : wide.dim(0)); ++i) {
      const float* row = values + i * wide.dim(1);
      if (with_choice && std::count_if(row, row + wide.dim(1), [](float w) { return w > 0; }) < 2) continue;
      const float* peak = std::max_element(row, row + wide.dim(1));
      if (*peak <= largest) continue;
      largest = *peak;
      best.query = i;
      best.key = peak - row;
    }
    return largest >= 0;
  };
  if (!search(true)) search(false);
  return best;
}

}  // namespace headlight
