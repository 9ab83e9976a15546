#include "engine/insight/combined_heads.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

#include "engine/attention/combiners/combiner.h"
#include "engine/backends/backends.h"
#include "engine/insight/residual_stream.h"
#include "engine/models/weights.h"
#include "engine/operations/ablate.h"

namespace headlight {
namespace {

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 26;
constexpr int kMostCalls = 40;
constexpr double kLongEnough = 0.05;  // seconds

combiners::Sizes course_sizes() {
  combiners::Sizes sizes;
  sizes.words = 500;
  sizes.d = 512;
  sizes.heads = 32;
  return sizes;
}

// What the combiner makes of the heads, in the backend's own type.
Result<Tensor> combined(const std::string& id, const combiners::Sizes& sizes, const Tensor& heads,
                        const std::vector<Tensor>& weights, backends::Backend& backend, double* seconds,
                        const CancelToken& cancel) {
  HL_ASSIGN(const auto combiner, combiners::prepare(id, sizes, backend));
  HL_ASSIGN(const backends::Buffer given, backend.upload(heads.as(backend.dtype()).compact()));
  std::vector<backends::Buffer> matrices;
  for (const Tensor& weight : weights) {
    HL_ASSIGN(backends::Buffer one, backend.upload(weight.as(backend.dtype()).compact()));
    matrices.push_back(std::move(one));
  }
  HL_ASSIGN(backends::Buffer made, combiner->combine(given, matrices, cancel));
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (int call = 0; seconds && call < kMostCalls; ++call) {
    if (cancel.cancelled()) return cancelled();
    const Clock::time_point before = Clock::now();
    HL_ASSIGN(made, combiner->combine(given, matrices, cancel));
    const double took = std::chrono::duration<double>(Clock::now() - before).count();
    *seconds = call == 0 ? took : std::min(*seconds, took);
    if (call > 2 && std::chrono::duration<double>(Clock::now() - start).count() > kLongEnough) break;
  }
  return backend.download(made);
}

Result<CombinedHeads::Way> one_way(const std::string& id, const combiners::Sizes& sizes, const Tensor& heads,
                                   const std::vector<Tensor>& weights, const CancelToken& cancel) {
  CombinedHeads::Way way;
  const combiners::Entry& entry = *combiners::registry().find(id);
  way.parameters = combiners::parameter_count(entry, sizes);
  way.at_course_sizes = combiners::parameter_count(entry, course_sizes());
  const auto shared = static_cast<double>(entry.wide_heads ? sizes.d : 1);  // one weight serves every dimension
  way.flops = 2.0 * static_cast<double>(way.parameters) * static_cast<double>(sizes.words) * shared;
  HL_ASSIGN(const auto cpu, backends::open("cpu"));
  HL_ASSIGN([[maybe_unused]] const Tensor timed, combined(id, sizes, heads, weights, *cpu, &way.seconds, cancel));
  HL_ASSIGN(const auto reference, backends::open("reference"));
  HL_ASSIGN(way.output, combined(id, sizes, heads, weights, *reference, nullptr, cancel));
  for (const double value : way.output.values<double>()) way.largest = std::max(way.largest, std::abs(value));
  return way;
}

}  // namespace

std::uint64_t CombinedHeads::bytes() const {
  return static_cast<std::uint64_t>(stack.output.count() + concat.output.count()) * sizeof(double) +
         static_cast<std::uint64_t>(concat_matrix.count()) * sizeof(float);
}

Document with_stacked_heads(const Document& document, std::int64_t layer) {
  Document next = document;
  next.model = "sandbox";
  next.matrices.clear();
  next.interventions.clear();
  next.projected = true;
  next.logits = false;
  next.combiner = "stack2d";
  next.layers = layer + 1;
  return next;
}

Result<CombinedHeads> combine_both_ways(const Trace& trace, const AttentionSite& site, std::int64_t batch,
                                        const CancelToken& cancel) {
  const Step* const stacked = trace.step_at(site.prefix, Role::stack_hidden);
  const Step* const output = trace.step_at(site.prefix, Role::attention_output);
  if (!stacked || !output)
    return failure(ErrorKind::unavailable, "the heads of this model are not stacked")
        .at(site.prefix)
        .mend("combine them by stack2d");
  if (batch < 0 || batch >= static_cast<std::int64_t>(trace.texts().size()))
    return not_found("there is no sentence {}", batch).at(site.prefix).mend("there are {}", trace.texts().size());
  CombinedHeads out;
  out.prefix = site.prefix;
  out.heads = site.heads;
  out.d = site.d_k;
  out.hidden = stacked->shape.back();
  out.rows = std::min(site.queries, kMostCombinedRows);
  if (out.d > kMostNumbers / out.d / out.heads)
    return failure(ErrorKind::too_large, "W_O of {} heads of full width has more than 2^26 numbers", out.heads)
        .at(site.prefix)
        .mend("take a smaller d_model or fewer heads");
  combiners::Sizes sizes;
  sizes.words = out.rows;
  sizes.d = out.d;
  sizes.heads = out.heads;
  sizes.hidden = out.hidden;

  Tensor heads(DType::f64, {out.heads, out.rows, out.d});
  for (std::int64_t h = 0; h < out.heads; ++h) {
    HL_ASSIGN(const Tensor tile, rows_of(trace, trace.name_at(site.prefix, Role::context), batch, h, 0, out.rows));
    const std::vector<double> numbers = as_doubles(tile);
    std::copy(numbers.begin(), numbers.end(), heads.data<double>() + h * out.rows * out.d);
  }
  const Step* own = output;
  if (own->computed_by.is<operations::Ablate>()) own = trace.find(own->inputs.front());
  HL_ASSIGN(const Tensor wh, trace.values(stacked->inputs.back(), cancel));
  HL_ASSIGN(const Tensor wo, trace.values(own->inputs.back(), cancel));
  HL_ASSIGN(out.stack, one_way("stack2d", sizes, heads, {wh, wo}, cancel));
  models::ParameterSpec spec;
  spec.name = "parameters." + site.prefix + "wo.wide";
  spec.shape = {out.heads * out.d, out.d};
  spec.axes = {"head d_k", "d_model"};
  spec.deviation = 1 / std::sqrt(static_cast<double>(out.heads * out.d));
  HL_ASSIGN(out.concat_matrix, models::seeded_weights(trace.document().seed)->tensor(spec, cancel));
  HL_ASSIGN(out.concat, one_way("concat", sizes, heads, {out.concat_matrix}, cancel));
  return out;
}

}  // namespace headlight
