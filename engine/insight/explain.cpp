#include "engine/insight/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/insight/explain_parts.h"

namespace headlight {
namespace {

std::string label_of(std::span<const Sentence> sentences, std::int64_t batch, std::int64_t index) {
  if (batch < 0 || batch >= static_cast<std::int64_t>(sentences.size())) return "[PAD]";
  const Sentence& sentence = sentences[static_cast<std::size_t>(batch)];
  return index >= 0 && index < static_cast<std::int64_t>(sentence.labels.size())
             ? sentence.labels[static_cast<std::size_t>(index)]
             : "[PAD]";
}

std::vector<double> as_doubles(const Tensor& tensor) {
  const Tensor wide = tensor.as(DType::f64).compact();
  const auto values = wide.values<double>();
  return {values.begin(), values.end()};
}

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  const double norms = norm(a) * norm(b);
  if (norms == 0 || a.size() != b.size()) return std::numeric_limits<double>::quiet_NaN();
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / norms;
}

bool row_may_see(const masks::Combined& mask, const CellAddress& cell, std::int64_t key) {
  if (mask.mask.empty()) return true;
  const auto within = [&](int axis, std::int64_t index) { return mask.mask.dim(axis) == 1 ? 0 : index; };
  return mask.mask.at({within(0, cell.batch), within(1, cell.head), within(2, cell.query), within(3, key)}) != 0;
}

// The matrix W_O among the inputs of the attention's output step: a parameter of rank 2.
const NamedParameter* output_matrix(const Trace& trace, const AttentionSite& site) {
  const Step* step = trace.find(site.prefix + "attention_output");
  if (!step) return nullptr;
  for (const std::string& input : step->inputs)
    for (const NamedParameter& parameter : trace.parameters())
      if (parameter.name == input && parameter.shape.size() == 2) return &parameter;
  return nullptr;
}

// The step whose vectors the attention's result is added to; without a residual connection, the step it starts from.
std::string residual_step(const Trace& trace, const AttentionSite& site) {
  const std::string output = site.prefix + "attention_output", context = site.prefix + "concat";
  if (const Step* sum = trace.find(site.prefix + "attention_residual"))
    for (const std::string& input : sum->inputs)
      if (input != output && input != context && trace.find(input)) return input;
  for (const char* name : {"attention_norm", "q"})
    if (const Step* step = trace.find(site.prefix + name))
      for (const std::string& input : step->inputs)
        if (trace.find(input) && trace.find(input)->shape.size() == 3) return input;
  return {};
}

Result<Tensor> rows_of(const Trace& trace, const std::string& step, const CellAddress& cell, std::int64_t row,
                       std::int64_t rows) {
  Trace::Tile tile;
  tile.batch = cell.batch;
  tile.head = cell.head;
  tile.row = row;
  tile.rows = rows;
  return trace.tile(step, tile);
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

// x [d_v] times the rows of W_O [heads*d_v, d_model] from head*d_v on; x itself if there is no matrix.
std::vector<double> through(const std::vector<double>& x, const Tensor& matrix, std::int64_t head) {
  if (matrix.empty()) return x;
  const auto d_v = static_cast<std::int64_t>(x.size());
  std::vector<double> y(static_cast<std::size_t>(matrix.dim(1)), 0.0);
  if ((head + 1) * d_v > matrix.dim(0)) return x;
  const auto add_row = [&](const auto* row, double factor) {
    for (std::size_t c = 0; c < y.size(); ++c) y[c] += factor * static_cast<double>(row[c]);
  };
  for (std::int64_t r = 0; r < d_v; ++r) {
    const std::size_t offset = static_cast<std::size_t>((head * d_v + r) * matrix.dim(1));
    if (matrix.dtype() == DType::f64)
      add_row(matrix.data<double>() + offset, x[static_cast<std::size_t>(r)]);
    else
      add_row(matrix.data<float>() + offset, x[static_cast<std::size_t>(r)]);
  }
  return y;
}

}  // namespace

std::string query_label(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t query) {
  return label_of(site.rows_are_targets ? trace.targets() : trace.texts(), batch, query);
}
std::string key_label(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t key) {
  return label_of(site.columns_are_targets ? trace.targets() : trace.texts(), batch, key);
}

const AttentionSite* find_site(const Trace& trace, std::string_view prefix) {
  for (const AttentionSite& site : trace.sites())
    if (site.prefix == prefix) return &site;
  return nullptr;
}

namespace {

// Softmax of the row's masked scores, with the largest subtracted first; a row of only -inf is defined as all zeros.
void weigh(CellExplanation& e, const std::vector<double>& masked) {
  for (std::size_t j = 0; j < masked.size(); ++j) {
    e.row[j].exponent =
        std::isinf(e.largest) ? -std::numeric_limits<double>::infinity() : (masked[j] - e.largest) / e.temperature;
    e.row[j].weight = std::exp(e.row[j].exponent);
    e.sum_of_exponentials += e.row[j].weight;
  }
  for (auto& term : e.row) {
    term.weight = e.sum_of_exponentials > 0 ? term.weight / e.sum_of_exponentials : 0.0;
    e.row_sum += term.weight;
  }
}

// How far what the head adds points the way of the residual stream.
Status compare_with_stream(const Trace& trace, const AttentionSite& site, CellExplanation& e) {
  e.residual_step = residual_step(trace, site);
  e.delta_cosine = e.row_delta_cosine = std::numeric_limits<double>::quiet_NaN();
  if (!e.residual_step.empty()) {
    HL_ASSIGN(const Tensor stream, trace.values(e.residual_step));
    if (stream.rank() == 3 && e.cell.batch < stream.dim(0) && e.cell.query < stream.dim(1)) {
      const std::vector<double> residual = as_doubles(stream.select(0, e.cell.batch).select(0, e.cell.query));
      e.delta_cosine = cosine(e.delta, residual);
      e.row_delta_cosine = cosine(e.row_delta, residual);
    }
  }
  return {};
}

}  // namespace

Result<CellExplanation> explain_cell(const Trace& trace, const CellAddress& cell) {
  const AttentionSite* site = find_site(trace, cell.prefix);
  if (!site) return not_found("there is no attention called '" + cell.prefix + "'");
  const auto batch = static_cast<std::int64_t>(trace.texts().size());
  if (cell.batch < 0 || cell.batch >= batch || cell.head < 0 || cell.head >= site->heads || cell.query < 0 ||
      cell.query >= site->queries || cell.key < 0 || cell.key >= site->keys)
    return not_found("there is no cell (" + std::to_string(cell.query) + ", " + std::to_string(cell.key) + ") of head " +
                         std::to_string(cell.head) + ", sentence " + std::to_string(cell.batch),
                     cell.prefix,
                     "there are " + std::to_string(batch) + " sentences, " + std::to_string(site->heads) + " heads, " +
                         std::to_string(site->queries) + " queries and " + std::to_string(site->keys) + " keys");
  CellExplanation e;
  e.cell = cell;
  e.layer = site->layer;
  e.query_label = query_label(trace, *site, cell.batch, cell.query);
  e.key_label = key_label(trace, *site, cell.batch, cell.key);

  HL_ASSIGN(const Tensor q_row, rows_of(trace, cell.prefix + "q", cell, cell.query, 1));
  HL_ASSIGN(const Tensor k_rows, rows_of(trace, cell.prefix + "k", cell, 0, -1));
  HL_ASSIGN(const Tensor v_rows, rows_of(trace, cell.prefix + "v", cell, 0, -1));
  HL_ASSIGN(e.dot_in_trace, cell_of(trace, cell.prefix + "scores", cell));
  HL_ASSIGN(e.weight_in_trace, cell_of(trace, cell.prefix + "weights", cell));
  const std::vector<double> q = as_doubles(q_row), k = as_doubles(k_rows), v = as_doubles(v_rows);
  const std::size_t d = q.size(), keys = static_cast<std::size_t>(site->keys), d_v = keys ? v.size() / keys : 0;

  const Document& document = trace.document();
  e.temperature = document.temperature;
  e.scale = site->scale;
  const double fill = explaining::fill_of(document);
  const auto key = static_cast<std::size_t>(cell.key);

  e.products.resize(d);
  for (std::size_t i = 0; i < d; ++i) e.products[i] = q[i] * k[key * d + i];
  e.dot = std::accumulate(e.products.begin(), e.products.end(), 0.0);
  e.scaled = e.dot * e.scale;
  for (const masks::Part& part : site->mask.parts)
    e.masks.push_back(explaining::mask_says(part, site->mask, cell.batch, cell.head, cell.query, cell.key));

  std::vector<double> masked(keys);
  bool any_visible = false;
  e.row.resize(keys);
  for (std::size_t j = 0; j < keys; ++j) {
    CellExplanation::Term& term = e.row[j];
    term.key = static_cast<std::int64_t>(j);
    term.label = key_label(trace, *site, cell.batch, term.key);
    term.visible = row_may_see(site->mask, cell, term.key);
    any_visible |= term.visible;
    masked[j] = term.visible
                    ? std::inner_product(q.begin(), q.end(), k.begin() + static_cast<std::ptrdiff_t>(j * d), 0.0) * e.scale
                    : fill;
  }
  e.row_fully_masked = !any_visible;
  e.visible = e.row[key].visible;
  e.masked = masked[key];
  e.largest = *std::max_element(masked.begin(), masked.end());
  weigh(e, masked);
  e.weight = e.row[key].weight;

  Tensor matrix;
  if (const NamedParameter* parameter = output_matrix(trace, *site)) {
    HL_ASSIGN(matrix, trace.values(parameter->name));
    matrix = matrix.compact();
  }
  e.value.assign(v.begin() + static_cast<std::ptrdiff_t>(key * d_v), v.begin() + static_cast<std::ptrdiff_t>((key + 1) * d_v));
  std::vector<double> weighted(d_v), whole(d_v, 0.0);
  for (std::size_t c = 0; c < d_v; ++c) {
    weighted[c] = e.weight * e.value[c];
    for (std::size_t j = 0; j < keys; ++j) whole[c] += e.row[j].weight * v[j * d_v + c];
  }
  e.delta = through(weighted, matrix, cell.head);
  e.row_delta = through(whole, matrix, cell.head);
  e.delta_norm = norm(e.delta);
  e.row_delta_norm = norm(e.row_delta);
  HL_TRY(compare_with_stream(trace, *site, e));
  if (const Step* step = trace.find(cell.prefix + "weights")) e.random_weights = step->random_weights;
  e.q.assign(q.begin(), q.end());
  e.k.assign(k.begin() + static_cast<std::ptrdiff_t>(key * d), k.begin() + static_cast<std::ptrdiff_t>((key + 1) * d));
  explaining::write_cell(e, *site);
  return e;
}

Result<CellAddress> strongest_cell(const Trace& trace, const std::string& prefix, std::int64_t batch, std::int64_t head) {
  const AttentionSite* site = find_site(trace, prefix);
  if (!site) return not_found("there is no attention called '" + prefix + "'");
  Trace::Tile tile;
  tile.batch = batch;
  tile.head = head;
  HL_ASSIGN(const Tensor weights, trace.tile(prefix + "weights", tile));
  const Tensor wide = weights.as(DType::f32).compact();
  CellAddress best{prefix, batch, head, 0, 0};
  if (wide.count() == 0) return not_found("this attention has no cells", prefix);
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
