#include "engine/insight/head_composition.h"

#include <algorithm>
#include <cmath>

#include "engine/core/linear_algebra.h"
#include "engine/core/parallel.h"
#include "engine/insight/backend_product.h"
#include "engine/insight/residual_stream.h"

namespace headlight {
namespace {

using linear::Matrix;

Matrix as_matrix(const Tensor& tensor) { return {tensor.dim(0), tensor.dim(1), as_doubles(tensor)}; }

// The parameter [d_model, columns] by which a step projects; with the norm's gamma before it, where there is one.
Result<Matrix> projection(const Trace& trace, const AttentionSite& site, Role role, const CancelToken& cancel) {
  const Step* const step = trace.step_at(site.prefix, role);
  std::string matrix;
  for (const std::string& input : step ? step->inputs : std::vector<std::string>{})
    for (const NamedParameter& parameter : trace.parameters())
      if (parameter.name == input && parameter.shape.size() == 2 && matrix.empty()) matrix = input;
  if (matrix.empty())
    return failure(ErrorKind::unavailable, "this attention has no matrix for its queries, keys or values").at(site.prefix);
  HL_ASSIGN(const Tensor values, trace.values(matrix, cancel));
  Matrix made = as_matrix(values);
  const Step* const norm = trace.step_at(site.prefix, Role::attention_norm);
  const bool reads_norm = norm && std::find(step->inputs.begin(), step->inputs.end(), norm->name) != step->inputs.end();
  if (!reads_norm) return made;
  for (const std::string& input : norm->inputs)
    for (const NamedParameter& parameter : trace.parameters()) {
      if (parameter.name != input || !parameter.name.ends_with("gamma")) continue;
      HL_ASSIGN(const Tensor gamma, trace.values(input, cancel));
      const std::vector<double> factors = as_doubles(gamma);
      for (std::int64_t row = 0; row < made.rows && row < static_cast<std::int64_t>(factors.size()); ++row)
        for (std::int64_t column = 0; column < made.columns; ++column)
          made(row, column) *= factors[static_cast<std::size_t>(row)];
    }
  return made;
}

// a b^T has the Frobenius norm of a R^T, where b = Q R: [rows of a, columns of b].
Matrix narrowed(const Matrix& a, const Matrix& b) { return product(a, transposed(linear::triangle_of_qr(b))); }

// What the products of two heads' matrices are made of: |writes reads|_F is the norm that composition asks for.
struct HeadFactors {
  Matrix writes;    // [r, d_model]: of W_OV
  Matrix reads[3];  // [d_model, k]: of W_QK, of its transpose, of W_OV
};

// Those of an attention's heads, as the backend reads them.
struct SiteFactors {
  std::int64_t rows = 0, widths[3] = {};  // r and k of one head
  Tensor writes;                          // f32 [heads r, d_model]
  Tensor reads[3];                        // f32 [d_model, heads k]
  std::vector<double> written, read[3];   // the norms, by head
};

Result<SiteFactors> factors_of(const Trace& trace, const AttentionSite& site, const CancelToken& cancel) {
  const ResidualPlace place = residual_place(trace, site);
  if (place.mixes) return heads_are_mixed(site);
  if (place.matrix.empty())
    return failure(ErrorKind::unavailable, "the heads of this attention have no output matrix").at(site.prefix);
  HL_ASSIGN(const Matrix w_q, projection(trace, site, Role::q_projected, cancel));
  HL_ASSIGN(const Matrix w_k, projection(trace, site, Role::k_projected, cancel));
  HL_ASSIGN(const Matrix w_v, projection(trace, site, Role::v_projected, cancel));
  HL_ASSIGN(const Tensor output, trace.values(place.matrix, cancel));
  const Matrix w_o = as_matrix(output);
  const std::int64_t d_k = w_q.columns / site.heads, d_v = w_o.rows / site.heads, group = site.heads / site.kv_heads;
  const auto heads = static_cast<std::size_t>(site.heads);
  std::vector<HeadFactors> all(heads);
  SiteFactors made;
  made.written.resize(heads);
  for (auto& norms : made.read) norms.resize(heads);
  const bool whole = parallel_for(
      site.heads, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t head = begin; head < end; ++head) {
          const Matrix q = columns_of(w_q, head * d_k, d_k), k = columns_of(w_k, head / group * d_k, d_k);
          const Matrix v = columns_of(w_v, head / group * d_v, d_v), o = linear::rows_of(w_o, head * d_v, d_v);
          const auto at = static_cast<std::size_t>(head);
          HeadFactors& one = all[at];
          one.writes = product(linear::triangle_of_qr(v), o);  // |v o x| = |R o x|, where v = Q R
          one.reads[0] = narrowed(q, k);
          one.reads[1] = narrowed(k, q);
          one.reads[2] = narrowed(v, transposed(o));
          made.written[at] = linear::norm(one.writes);
          for (std::size_t kind = 0; kind < 3; ++kind) made.read[kind][at] = linear::norm(one.reads[kind]);
        }
      },
      cancel);
  if (!whole) return cancelled();
  const Matrix& first = all.front().writes;
  made.rows = first.rows;
  made.writes = Tensor(DType::f32, {made.rows * site.heads, first.columns}, {"row", "column"}, true);
  float* to = made.writes.data<float>();
  for (const HeadFactors& one : all)
    for (const double x : one.writes.numbers) *to++ = static_cast<float>(x);
  for (std::size_t kind = 0; kind < 3; ++kind) {
    const std::int64_t high = all.front().reads[kind].rows, width = made.widths[kind] = all.front().reads[kind].columns;
    made.reads[kind] = Tensor(DType::f32, {high, width * site.heads}, {"row", "column"}, true);
    to = made.reads[kind].data<float>();
    for (std::int64_t row = 0; row < high; ++row)
      for (const HeadFactors& one : all)
        for (std::int64_t column = 0; column < width; ++column) *to++ = static_cast<float>(one.reads[kind](row, column));
  }
  return made;
}

// The sum of squares of a block of a matrix in rows of `columns` numbers.
double square_of(const float* block, std::int64_t rows, std::int64_t width, std::int64_t columns) {
  double sum = 0;
  for (std::int64_t row = 0; row < rows; ++row, block += columns) {
    float square = 0;  // of at most a few hundred numbers
    for (std::int64_t column = 0; column < width; ++column) square += block[column] * block[column];
    sum += static_cast<double>(square);
  }
  return sum;
}

}  // namespace

std::vector<HeadComposition::Pair> HeadComposition::strongest(Kind kind, std::size_t most) const {
  std::vector<Pair> pairs;
  for (std::size_t from = 0; from < heads.size(); ++from)
    for (std::size_t to = 0; to < heads.size(); ++to)
      if (of(kind, from, to) > 0) pairs.push_back({from, to, of(kind, from, to)});
  const auto shown = static_cast<std::ptrdiff_t>(std::min(most, pairs.size()));
  std::partial_sort(pairs.begin(), pairs.begin() + shown, pairs.end(),
                    [](const Pair& a, const Pair& b) { return a.strength > b.strength; });
  pairs.resize(static_cast<std::size_t>(shown));
  return pairs;
}

Result<HeadComposition> head_composition(const Trace& trace, backends::Backend& backend, const CancelToken& cancel,
                                         const std::function<void(std::int64_t, std::int64_t)>& progress) {
  std::vector<const AttentionSite*> sites;
  for (const AttentionSite& site : trace.sites()) {
    const bool own = site.rows_are_targets == site.columns_are_targets;
    if (own && (trace.targets().empty() || site.rows_are_targets)) sites.push_back(&site);
  }
  if (sites.empty()) return not_found("this model has no attention");
  HeadComposition made;
  std::vector<SiteFactors> all;
  std::vector<std::size_t> first;  // of each site's heads
  std::int64_t rows = 0, done = 0;
  const std::int64_t steps = 2 * static_cast<std::int64_t>(sites.size());
  for (const AttentionSite* const site : sites) {
    if (progress) progress(done++, steps);
    first.push_back(made.heads.size());
    HL_ASSIGN(SiteFactors factors, factors_of(trace, *site, cancel));
    for (std::int64_t head = 0; head < site->heads; ++head) made.heads.push_back({site->prefix, site->layer, head});
    rows += factors.writes.dim(0);
    all.push_back(std::move(factors));
  }
  first.push_back(made.heads.size());
  const std::int64_t d = all.front().writes.dim(1);
  made.chance = 1 / std::sqrt(static_cast<double>(d));
  const std::size_t count = made.heads.size();
  for (auto& numbers : made.numbers) numbers.assign(count * count, 0.0);
  // What all heads write, one below the other, so that the heads of all earlier layers are its first rows.
  Tensor writes(DType::f32, {rows, d}, {"row", "column"}, true);
  float* to_row = writes.data<float>();
  for (SiteFactors& one : all) {
    to_row = std::copy_n(one.writes.data<float>(), one.writes.count(), to_row);
    one.writes = {};
  }
  // All heads of a later layer at once: what they read, side by side.
  std::int64_t before = 0;
  for (std::size_t to = 1; to < sites.size(); ++to) {
    if (progress) progress(done++, steps);
    before += all[to - 1].rows * sites[to - 1]->heads;
    HL_ASSIGN(const backends::Buffer x, backend.upload(writes.slice(0, 0, before)));
    for (std::size_t kind = 0; kind < 3; ++kind) {
      if (cancel.cancelled()) return cancelled();
      const SiteFactors& later = all[to];
      HL_ASSIGN(const backends::Buffer w, backend.upload(later.reads[kind]));
      HL_ASSIGN(const backends::Buffer out, backend_product(backend, x, w, cancel));
      HL_ASSIGN(const Tensor downloaded, backend.download(out));
      const Tensor products = downloaded.as(DType::f32).compact();
      const std::int64_t columns = products.dim(1), width = later.widths[kind];
      std::int64_t row = 0;
      for (std::size_t from = 0; from < to; ++from)
        for (std::size_t a = first[from]; a < first[from + 1]; ++a, row += all[from].rows)
          for (std::size_t b = first[to]; b < first[to + 1]; ++b) {
            const auto nth = static_cast<std::int64_t>(b - first[to]);
            const double square = square_of(products.data<float>() + row * columns + nth * width, all[from].rows, width, columns);
            const double whole = all[from].written[a - first[from]] * later.read[kind][b - first[to]];
            made.numbers[kind][a * count + b] = whole > 0 ? std::sqrt(square) / whole : 0;
          }
    }
  }
  return made;
}

}  // namespace headlight
