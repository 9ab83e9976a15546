#include "engine/insight/value_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "engine/core/linear_algebra.h"
#include "engine/core/rng.h"
#include "engine/insight/residual_stream.h"
#include "engine/operations/ablate.h"

namespace headlight {
namespace {

Tensor as_tensor(const linear::Matrix& matrix) { return Tensor::of(matrix.numbers, {matrix.rows, matrix.columns}); }

// An attention's W_V with its bias, and W_O, in double.
class Maps {
 public:
  static Result<Maps> of(const Trace& trace, const AttentionSite& site, const CancelToken& cancel) {
    const ResidualPlace place = residual_place(trace, site);
    if (place.mixes) return heads_are_mixed(site);
    // Where a value is a key, or a query, its matrix is theirs.
    const Step* projected = nullptr;
    for (const Role role : {Role::v_projected, Role::k_projected, Role::q_projected})
      if (!projected) projected = trace.step_at(site.prefix, role);
    Maps maps;
    maps.up_name = place.matrix;
    if (!projected || projected->inputs.size() < 2 || maps.up_name.empty())
      return failure(ErrorKind::unavailable, "this attention has no matrices W_V and W_O, so a value stays as it is")
          .at(site.prefix)
          .mend("switch projections on");
    maps.x_step = projected->inputs[0];
    maps.down_name = projected->inputs[1];
    HL_ASSIGN(const Tensor down, trace.values(maps.down_name, cancel));
    HL_ASSIGN(const Tensor up, trace.values(maps.up_name, cancel));
    maps.d_in = down.dim(0);
    maps.d_v = down.dim(1) / site.kv_heads;
    maps.d_out = up.dim(1);
    maps.group = site.heads / site.kv_heads;
    if (maps.d_v * site.heads != up.dim(0))
      return failure(ErrorKind::unavailable, "the heads are not the rows of W_O, so a value's way cannot be cut into heads")
          .at(site.prefix);
    maps.down_ = linear::Matrix(down.dim(0), down.dim(1), as_doubles(down));
    maps.up_ = linear::Matrix(up.dim(0), up.dim(1), as_doubles(up));
    if (projected->inputs.size() > 2) {
      HL_ASSIGN(const Tensor bias, trace.values(projected->inputs[2], cancel));
      maps.bias_ = as_doubles(bias);
    }
    return maps;
  }

  std::int64_t down_column(std::int64_t head) const { return head / group * d_v; }
  linear::Matrix down(std::int64_t head) const { return linear::columns_of(down_, down_column(head), d_v); }
  linear::Matrix up(std::int64_t head) const { return linear::rows_of(up_, head * d_v, d_v); }
  // The head's part of W_V's bias [d_v]; zeros where there is none.
  std::vector<double> bias(std::int64_t head) const {
    if (bias_.empty()) return std::vector<double>(static_cast<std::size_t>(d_v), 0.0);
    return {bias_.begin() + down_column(head), bias_.begin() + down_column(head) + d_v};
  }

  std::string x_step, down_name, up_name;
  std::int64_t d_in = 0, d_v = 0, d_out = 0, group = 1;

 private:
  linear::Matrix down_, up_;
  std::vector<double> bias_;
};

// The model's own result at the first rows of a sentence, without the bias of W_O.
Result<linear::Matrix> own_result(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t rows,
                                  const CancelToken& cancel) {
  const Step* product = trace.step_at(site.prefix, Role::attention_output);
  if (product->computed_by.is<operations::Ablate>()) product = trace.find(product->inputs.front());
  HL_ASSIGN(const Tensor given, rows_of(trace, product->name, batch, 0, 0, rows));
  std::vector<double> numbers = as_doubles(given);
  const auto columns = static_cast<std::int64_t>(numbers.size()) / rows;
  linear::Matrix own(rows, columns, std::move(numbers));
  for (const std::string& input : product->inputs)
    for (const NamedParameter& parameter : trace.parameters())
      if (parameter.name == input && parameter.shape.size() == 1) {
        HL_ASSIGN(const Tensor bias, trace.values(input, cancel));
        std::vector<double> taken = as_doubles(bias);
        for (double& number : taken) number = -number;
        linear::add_to_rows(own, taken);
      }
  return own;
}

// With relative positions every head also passes the rows of a table that its weights weigh.
Status add_positions(const Trace& trace, const AttentionSite& site, std::int64_t batch, const Maps& maps, linear::Matrix& sum,
                     const CancelToken& cancel) {
  const Step* const rows = trace.step_at(site.prefix, Role::context_of_positions);
  for (std::int64_t h = 0; rows && h < site.heads; ++h) {
    if (cancel.cancelled()) return cancelled();
    HL_ASSIGN(const Tensor tile, rows_of(trace, rows->name, batch, h, 0, sum.rows));
    linear::add(sum, linear::product({sum.rows, maps.d_v, as_doubles(tile)}, maps.up(h)));
  }
  return {};
}

}  // namespace

Spectrum spectrum_of(std::vector<double> singular_values, std::int64_t larger_size) {
  Spectrum s;
  s.values = std::move(singular_values);
  double sum = 0, square = 0;
  for (const double v : s.values) {
    sum += v;
    square += v * v;
  }
  s.norm = std::sqrt(square);
  if (!(sum > 0)) return s;
  const double least = s.values.front() * static_cast<double>(larger_size) * std::numeric_limits<double>::epsilon();
  double entropy = 0;
  for (const double v : s.values) {
    if (v > least) ++s.rank;
    if (v > 0) entropy -= v / sum * std::log(v / sum);
  }
  s.effective_rank = std::exp(entropy);
  return s;
}

std::vector<double> singular_values_of_product(const std::vector<double>& down, const std::vector<double>& up, std::int64_t d,
                                               std::int64_t k, std::int64_t e) {
  // down = Q R and up^T = P S with orthonormal columns in Q and P, so down up = Q (R S^T) P^T has the singular values of R S^T.
  const linear::Matrix left = linear::triangle_of_qr({d, k, down}),
                       right = linear::triangle_of_qr(linear::transposed({k, e, up}));
  return linear::singular_values(linear::product(left, linear::transposed(right)));
}

std::vector<double> full_rank_singular_values(std::int64_t d, std::uint64_t seed, const CancelToken& cancel) {
  const Rng rng(seed, "value_map.full_rank");
  linear::Matrix map(d, d);
  for (std::int64_t r = 0; r < d; ++r) {
    if (cancel.cancelled()) return {};
    for (std::int64_t c = 0; c < d; ++c) map(r, c) = rng.normal(static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c));
  }
  const double length = linear::norm(map);
  for (double& number : map.numbers) number /= length;
  return linear::singular_values(map);
}

Result<ValueMap> value_map(const Trace& trace, const AttentionSite& site, std::int64_t head, const CancelToken& cancel) {
  if (head < 0 || head >= site.heads)
    return not_found("there is no head {}", head).at(site.prefix).mend("its heads go from 0 to {}", site.heads - 1);
  HL_ASSIGN(const Maps maps, Maps::of(trace, site, cancel));
  ValueMap out{site.prefix,    head, maps.d_in, maps.d_v, maps.d_out, maps.down_name, maps.up_name, maps.down_column(head),
               head * maps.d_v};
  const std::int64_t larger = std::max(maps.d_in, maps.d_out);
  for (std::int64_t h = 0; h < site.heads; ++h) {
    if (cancel.cancelled()) return cancelled();
    const linear::Matrix down = maps.down(h), up = maps.up(h);
    out.heads.push_back(
        spectrum_of(singular_values_of_product(down.numbers, up.numbers, maps.d_in, maps.d_v, maps.d_out), larger));
    if (h != head) continue;
    out.down = as_tensor(down);
    out.up = as_tensor(up);
    if (larger <= kWidestMap) out.map = as_tensor(linear::product(down, up));
  }
  out.spectrum = out.heads[static_cast<std::size_t>(head)];
  return out;
}

Result<ValueSum> value_sum(const Trace& trace, const AttentionSite& site, std::int64_t batch, const CancelToken& cancel) {
  HL_ASSIGN(const Maps maps, Maps::of(trace, site, cancel));
  ValueSum out;
  out.heads = site.heads;
  out.rows = std::min(site.queries, kMostSummedRows);
  HL_ASSIGN(const Tensor given, rows_of(trace, maps.x_step, batch, 0, 0, -1));
  const linear::Matrix tokens(site.keys, maps.d_in, as_doubles(given));
  linear::Matrix sum(out.rows, maps.d_out);
  for (std::int64_t h = 0; h < site.heads; ++h) {
    if (cancel.cancelled()) return cancelled();
    HL_ASSIGN(const Tensor tile, rows_of(trace, trace.name_at(site.prefix, Role::weights), batch, h, 0, out.rows));
    linear::Matrix values = linear::product(tokens, maps.down(h));
    linear::add_to_rows(values, maps.bias(h));
    const linear::Matrix mixed = linear::product({out.rows, site.keys, as_doubles(tile)}, values);
    linear::add(sum, linear::product(mixed, maps.up(h)));
  }
  HL_TRY(add_positions(trace, site, batch, maps, sum, cancel));
  HL_ASSIGN(const linear::Matrix own, own_result(trace, site, batch, out.rows, cancel));
  out.by_head = as_tensor(sum);
  out.concat = as_tensor(own);
  out.largest = linear::largest(own);
  out.difference = linear::largest_difference(sum, own);
  const Step* const product = trace.step_at(site.prefix, Role::attention_output);
  const double unit = product->dtype == DType::f64 ? std::numeric_limits<double>::epsilon()
                                                   : static_cast<double>(std::numeric_limits<float>::epsilon());
  out.tolerance = 256 * unit * out.largest;
  out.changed = !trace.document().interventions.empty();
  return out;
}

}  // namespace headlight
